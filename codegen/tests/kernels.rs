//! Kernels that between them have every op, conversion and template, and their texts over arrays in some order of axes.

use fastnp_codegen::cuda::render;
use fastnp_codegen::{Access, DType, Fold, Kernel, KernelBuilder, Launch, Op, Template, Verified, verify};

/// Ops that have loops in a type.
pub(crate) fn ops_of(dtype: DType) -> impl Iterator<Item = Op> {
    Op::ALL.iter().copied().filter(move |op| op.has_loop(dtype))
}

/// A map that applies ops to the elements of two operands; each result is stored to an operand of its own, in order.
pub(crate) fn map_of(dtype: DType, ops: impl Iterator<Item = Op>) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from = [(); 2].map(|()| kernel.operand(dtype, Access::Read, true));
    for op in ops {
        let mut body = kernel.body();
        let args = from.map(|m| body.load(m));
        let value = body.apply(op, &args[..op.arity()]);
        let to = kernel.operand(op.result(dtype), Access::Write, true);
        kernel.body().store(to, value);
    }
    kernel.finish()
}

/// A map that converts the elements of an operand to every type.
pub(crate) fn casts_of(dtype: DType) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from = kernel.operand(dtype, Access::Read, true);
    for to in DType::ALL {
        let value = kernel.body().load(from);
        let value = kernel.body().cast(value, to);
        let to = kernel.operand(to, Access::Write, true);
        kernel.body().store(to, value);
    }
    kernel.finish()
}

/// A kernel with more arguments than a launch passes: operands in many axes, and a few scalars.
pub(crate) fn many(template: Template) -> Kernel {
    let inner = u8::from(template != Template::Map);
    let mut kernel = KernelBuilder::new(template, MANY_AXES - inner, inner);
    let scalars = [DType::F64, DType::I8, DType::C128].map(|dtype| kernel.scalar(dtype));
    let from: Vec<_> = (0..MANY - 1).map(|_| kernel.operand(DType::F64, Access::Read, true)).collect();
    let to = kernel.operand(DType::C128, Access::Write, true);
    let mut value = kernel.body().param(scalars[0]);
    for &m in &from {
        let next = kernel.body().load(m);
        value = kernel.body().apply(Op::Add, &[value, next]);
    }
    let folded = (template != Template::Map).then(|| kernel.accumulate(Fold::Op(Op::Add), value));
    let mut end = if folded.is_some() { kernel.epilogue() } else { kernel.body() };
    let value = folded.map_or(value, |folded| end.result(folded));
    let [value, small, large] = [value, end.param(scalars[1]), end.param(scalars[2])].map(|v| end.cast(v, DType::C128));
    let sum = end.apply(Op::Add, &[value, small]);
    let product = end.apply(Op::Multiply, &[sum, large]);
    end.store(to, product);
    kernel.finish()
}

/// Operands of [`many`], and its axes.
pub(crate) const MANY: usize = 48;
pub(crate) const MANY_AXES: u8 = 20;

/// The text of a kernel for a launch as of [`with_launch`].
pub(crate) fn text(kernel: Verified<Kernel>, order: &[usize], step: usize) -> String {
    with_launch(&kernel, order, step, |launch| render(&kernel, launch).expect("there are points").0)
}

/// Calls a function with a launch of a kernel over axes of 1000 points, or of two where there are many. `order` gives them from the slowest
/// to the fastest in memory, `step` how many elements apart neighbours lie. What only the epilogue of a reduction touches has outer axes
/// alone.
pub(crate) fn with_launch<T>(
    kernel: &Verified<Kernel>,
    order: &[usize],
    step: usize,
    then: impl FnOnce(&Launch<'_>) -> T,
) -> T {
    let (outer, rank) = (kernel.outer as usize, (kernel.outer + kernel.inner) as usize);
    let in_body = |m: usize| kernel.body.insts.iter().any(|inst| inst.operand().is_some_and(|o| o.0 as usize == m));
    let extent = if rank > 4 { 2 } else { 1000 };
    let mut strides = vec![];
    for (m, operand) in kernel.operands.iter().enumerate() {
        let mut mine = vec![0; rank];
        let mut distance = operand.dtype.size() * step;
        let is_there = |axis: &&usize| **axis < outer || kernel.template != Template::Reduce || in_body(m);
        for &axis in order.iter().rev().filter(is_there) {
            mine[axis] = distance as isize;
            distance *= extent;
        }
        strides.extend(mine);
    }
    let (extents, addresses) = (vec![extent; rank], vec![std::ptr::null_mut(); kernel.operands.len()]);
    let (outer, inner) = extents.split_at(outer);
    then(&Launch { outer, inner, addresses: &addresses, strides: &strides, scalars: &[] })
}

/// A kernel checked.
pub(crate) fn right(kernel: Kernel) -> Verified<Kernel> {
    verify(kernel).expect("right")
}
