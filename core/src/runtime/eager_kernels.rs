//! Kernels of single statements, for eager execution, and their launch shapes.
//!
//! Lowering makes them, as it makes those of plans. They are kept under keys that do not say which storages the operands are in, so
//! an operand is `restrict` only where every launch writes new memory.

use crate::array::layout::Shape;
use crate::plan::lower::{InputType, collapse, lower_statement};
use crate::plan::trace::{Input, Operation, Statement};
use fastnp_codegen::{Access, DType, Fold, Kernel, KernelBuilder, Op, Template};
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
            // One axis needs no merging and no ordering. An axis of extent one is dropped.
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

/// The bit of kinds that marks a kernel whose target may be one of its sources.
pub(crate) const IN_PLACE: usize = 4;
/// Number of kinds.
pub(crate) const DENSE_KINDS: usize = 8;

/// The kernel of an op on dense arrays of one type; the bits of `kinds` say which arguments are numbers, and whether it works in
/// place.
pub(crate) fn dense_kernel(op: Op, compute: DType, kinds: usize) -> Kernel {
    let is_number = |i: usize| kinds >> i & 1 != 0;
    let input = |i| if is_number(i) { InputType::Scalar(compute) } else { InputType::Memory(compute) };
    let inputs: SmallVec<[InputType; 2]> = (0..op.arity()).map(input).collect();
    lower_statement(Operation::Apply(op), compute, &inputs, op.result(compute), (1, 0), kinds & IN_PLACE == 0)
}

/// The kernel of a fold of one axis.
pub(crate) fn fold_kernel(fold: Fold, [from, compute, to]: [DType; 3]) -> Kernel {
    lower_statement(Operation::Fold(fold), compute, &[InputType::Memory(from)], to, (0, 1), false)
}

/// The kernel of one statement over so many outer and inner axes. A fold over no axis left is a map.
pub(crate) fn statement_kernel(s: &Statement<'_>, outer: usize, inner: usize) -> Kernel {
    let input = |input: &Input<'_>| match input {
        Input::Memory(view) => InputType::Memory(view.dtype),
        Input::Scalar(scalar) => InputType::Scalar(scalar.dtype()),
    };
    let inputs: SmallVec<[InputType; 3]> = s.inputs.iter().map(input).collect();
    lower_statement(s.op, s.compute, &inputs, s.target.dtype, (outer, inner), false)
}

/// The kernel of an inner product.
///
/// It is two statements in one, so [`lower_statement`] does not make it; and where the types of the vectors differ, a group lowered
/// from the two casts after both loads, while this casts each value after its load.
pub(crate) fn inner_kernel(a: DType, b: DType, compute: DType) -> Kernel {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_restrict_only_where_it_is_new() {
        let new = dense_kernel(Op::Add, DType::F64, 2).to_string();
        let lines: Vec<&str> = new.lines().map(str::trim).collect();
        let expected = [
            "kernel map(outer 1) {", "m0: read f64", "m1: write f64 restrict", "s0: f64", "body:", "v0: f64 = load m0",
            "v1: f64 = param s0", "v2: f64 = add v0, v1", "store m1, v2: f64", "}",
        ];
        assert_eq!(lines, expected);
        let in_place = dense_kernel(Op::Add, DType::F64, 2 | IN_PLACE).to_string();
        assert_eq!(in_place, new.replace(" restrict", ""));
    }

    #[test]
    fn sources_that_may_be_one_array_are_two_operands() {
        let square = dense_kernel(Op::Multiply, DType::F32, 0);
        assert_eq!(square.operands.len(), 3);
        assert!(square.operands.iter().all(|o| o.restrict == (o.access == Access::Write)));
    }
}
