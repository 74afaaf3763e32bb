//! One statement as a launch of its own: what small operations on ready operands run as, without a trace or a plan.

use crate::array::array::Array;
use crate::array::layout::{Layout, Shape};
use crate::error::Result;
use crate::host::gemm::{Product, inner_apart};
use crate::plan::lower::{collapse, compute, fold_of};
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::recorder::recording;
use fastnp_codegen::{Access, DType, Fold, Kernel, KernelBuilder, Launch, Op, Scalar, Template};
use smallvec::SmallVec;

/// Extents and strides of a launch of one statement.
pub(crate) struct LaunchShape {
    pub(crate) outer: Shape,
    pub(crate) inner: Shape,
    pub(crate) strides: SmallVec<[isize; 8]>,
}

impl LaunchShape {
    pub(crate) fn of(s: &Statement<'_>) -> LaunchShape {
        if let ([n], 0) = (s.domain, s.reduced) {
            // One axis: nothing to merge or to order. An axis of extent one is no axis.
            let mut shape = LaunchShape { outer: Shape::new(), inner: Shape::new(), strides: SmallVec::new() };
            if *n != 1 {
                shape.outer.push(*n);
                s.views().for_each(|v| shape.strides.push(v.strides[0]));
            }
            return shape;
        }
        let all: SmallVec<[&[isize]; 4]> = s.views().map(|v| &v.strides[..]).collect();
        let mut writes: SmallVec<[bool; 4]> = SmallVec::from_elem(false, all.len());
        writes[all.len() - 1] = true;
        let ordered = matches!(s.op, Operation::Fold(_) | Operation::Ramp | Operation::Scatter);
        let (outer, inner, strides) = collapse(s.domain, s.reduced, &all, &writes, ordered);
        LaunchShape { outer, inner, strides: strides.into() }
    }
}

/// How many times as many elements as run at once otherwise are folded at once to one number: it is nearly always needed now, so
/// that nothing is won by recording the fold (450 ns of 1.2 µs for 10,000 elements), and one thread folds so many anyway.
const ALONE: usize = 32;

/// The inner product of two short vectors that are ready, in one launch; `None` where they are not such.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn inner(product: Product, a: &Array, b: &Array, compute: DType) -> Result<Option<Array>> {
    let n = a.size();
    let mut engine = recording()?;
    if n < 2 || n > ALONE.saturating_mul(engine.tiny) {
        return Ok(None);
    }
    let (Some(x), Some(y)) = (engine.ready_address(&a.storage), engine.ready_address(&b.storage)) else {
        return Ok(None);
    };
    let (storage, address) = engine.made(compute.size())?;
    let result = Array { storage, layout: Layout::dense(&[], compute.size()), dtype: compute, writeable: true };
    let (x, y) = (x.wrapping_offset(a.layout.offset), y.wrapping_offset(b.layout.offset));
    let dense = a.is_c_contiguous() && b.is_c_contiguous();
    if !dense && a.dtype == compute && b.dtype == compute {
        // SAFETY: both vectors are ready, and have `n` elements of the type; the result has room for one.
        let raised = unsafe { inner_apart(compute, n, (x, a.strides()[0]), (y, b.strides()[0]), address) };
        if let Some(raised) = raised {
            engine.multiplied(product, raised);
            return Ok(Some(result));
        }
    }
    let launch = Launch {
        outer: &[],
        inner: &[n],
        addresses: &[x, y, address],
        strides: &[a.strides()[0], b.strides()[0], 0],
        scalars: &[],
    };
    let key = 1 << 63 | (a.dtype as u64) << 8 | (b.dtype as u64) << 4 | compute as u64;
    engine.launch_kept(key, || inner_kernel(a.dtype, b.dtype, compute), &launch, Some(product))?;
    Ok(Some(result))
}

/// A fold of all elements of a dense array, few and ready, in one launch; `None` where it is not such.
///
/// There is no array for the result: with one, `a.max()` of ten elements takes half as long again.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn fold(array: &Array, fold: Fold, compute: DType) -> Result<Option<Scalar>> {
    let n = array.size();
    let result = fold.result(compute);
    let mut engine = recording()?;
    if n == 0 || n > ALONE.saturating_mul(engine.tiny) || !array.is_c_contiguous() {
        return Ok(None);
    }
    let Some(start) = engine.ready_address(&array.storage) else { return Ok(None) };
    let mut room = 0u128;
    let to = (&raw mut room).cast::<u8>();
    let launch = Launch {
        outer: &[],
        inner: &[n],
        addresses: &[start.wrapping_offset(array.layout.offset), to],
        strides: &[array.dtype.size() as isize, 0],
        scalars: &[],
    };
    let (from, code) = (array.dtype, Operation::Fold(fold).code());
    let key = 1 << 62 | code << 12 | (from as u64) << 8 | (compute as u64) << 4 | result as u64;
    engine.launch_kept(key, || fold_kernel(fold, [from, compute, result]), &launch, None)?;
    Ok(Some(crate::array::element::read(to, result)))
}

/// The kernel of a fold of one axis.
fn fold_kernel(fold: Fold, [from, compute, to]: [DType; 3]) -> Kernel {
    let mut k = KernelBuilder::new(Template::Reduce, 0, 1);
    let operand = k.operand(from, Access::Read, false);
    let target = k.operand(to, Access::Write, false);
    let mut body = k.body();
    let value = body.load(operand);
    let value = body.cast(value, compute);
    let folded = k.accumulate(fold, value);
    let mut epilogue = k.epilogue();
    let value = epilogue.result(folded);
    let value = epilogue.cast(value, to);
    epilogue.store(target, value);
    k.finish()
}

/// The kernel of an inner product.
fn inner_kernel(a: DType, b: DType, compute: DType) -> Kernel {
    let mut k = KernelBuilder::new(Template::Reduce, 0, 1);
    let operands = [k.operand(a, Access::Read, false), k.operand(b, Access::Read, false)];
    let target = k.operand(compute, Access::Write, true);
    let mut body = k.body();
    let factors = operands.map(|operand| {
        let value = body.load(operand);
        body.cast(value, compute)
    });
    let product = body.apply(Op::Multiply, &factors);
    let sum = k.accumulate(Fold::Op(Op::Add), product);
    let mut epilogue = k.epilogue();
    let value = epilogue.result(sum);
    epilogue.store(target, value);
    k.finish()
}

/// The kernel of one statement, its operands in order and without regard to which of them are the same.
pub(crate) fn kernel_of(s: &Statement<'_>, outer: usize, inner: usize) -> Kernel {
    let fold = if inner == 0 { None } else { fold_of(s.op) };
    let template = match (s.op, fold) {
        (Operation::Scan(_), Some(_)) => Template::Scan,
        (_, Some(_)) => Template::Reduce,
        (_, None) => Template::Map,
    };
    let mut k = KernelBuilder::new(template, outer as u8, inner as u8);
    let mut args: SmallVec<[_; 3]> = SmallVec::new();
    let mut gathered = None;
    for input in s.inputs {
        args.push(match input {
            Input::Memory(view) if s.op == Operation::Gather && gathered.is_none() => {
                gathered = Some(k.operand(view.dtype, Access::Read, false));
                continue;
            }
            Input::Memory(view) => {
                let operand = k.operand(view.dtype, Access::Read, false);
                k.body().load(operand)
            }
            Input::Scalar(scalar) => {
                let parameter = k.scalar(scalar.dtype());
                k.body().param(parameter)
            }
        });
    }
    let target = k.operand(s.target.dtype, Access::Write, false);
    match fold {
        Some(fold) => {
            let value = k.body().cast(args[0], s.compute);
            let folded = k.accumulate(fold, value);
            let mut epilogue = k.epilogue();
            let value = epilogue.result(folded);
            let value = epilogue.cast(value, s.target.dtype);
            epilogue.store(target, value);
        }
        None => {
            let axis = (outer > 0).then_some(0);
            let mut body = k.body();
            let value = match (s.op, gathered) {
                (Operation::Scatter, _) => {
                    let value = body.cast(args[0], s.target.dtype);
                    body.scatter(target, args[1], value);
                    return k.finish();
                }
                (_, Some(from)) => body.gather(from, args[0]),
                (_, None) => compute(&mut body, s.op, s.compute, &args, axis),
            };
            let value = body.cast(value, s.target.dtype);
            body.store(target, value);
        }
    }
    k.finish()
}
