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

/// A sum, an extreme and, of reductions, a position.
pub(crate) fn folds_of(template: Template, dtype: DType) -> Kernel {
    let mut kernel = KernelBuilder::new(template, 1, 1);
    let from = kernel.operand(dtype, Access::Read, true);
    let (sum, extreme) = if dtype == DType::Bool { (Op::LogicalOr, Op::LogicalAnd) } else { (Op::Add, Op::Maximum) };
    let mut folds = vec![Fold::Op(sum), Fold::Op(extreme)];
    if template == Template::Reduce {
        folds.push(Fold::ArgMax);
    }
    for fold in folds {
        let value = kernel.body().load(from);
        let number = kernel.accumulate(fold, value);
        let to = kernel.operand(fold.result(dtype), Access::Write, true);
        let value = kernel.epilogue().result(number);
        kernel.epilogue().store(to, value);
    }
    kernel.finish()
}

/// The text of a kernel over axes of 1000 points. `order` gives them from the slowest to the fastest in memory, `step` how many
/// elements apart neighbours lie. What only the epilogue of a reduction touches has outer axes alone.
pub(crate) fn text(kernel: Verified<Kernel>, order: &[usize], step: usize) -> String {
    let (outer, rank) = (kernel.outer as usize, (kernel.outer + kernel.inner) as usize);
    let in_body = |m: usize| kernel.body.insts.iter().any(|inst| inst.operand().is_some_and(|o| o.0 as usize == m));
    let mut strides = vec![];
    for (m, operand) in kernel.operands.iter().enumerate() {
        let mut mine = vec![0; rank];
        let mut distance = operand.dtype.size() * step;
        let is_there = |axis: &&usize| **axis < outer || kernel.template != Template::Reduce || in_body(m);
        for &axis in order.iter().rev().filter(is_there) {
            mine[axis] = distance as isize;
            distance *= 1000;
        }
        strides.extend(mine);
    }
    let (extents, addresses) = (vec![1000; rank], vec![std::ptr::null_mut(); kernel.operands.len()]);
    let (outer, inner) = extents.split_at(outer);
    let launch = Launch { outer, inner, addresses: &addresses, strides: &strides, scalars: &[] };
    render(&kernel, &launch).expect("there are points").0
}

/// A kernel checked.
pub(crate) fn right(kernel: Kernel) -> Verified<Kernel> {
    verify(kernel).expect("right")
}
