//! Kernels of single statements, for eager execution, and their launch shapes.
//!
//! Lowering makes them, as it makes those of plans. They are kept under keys that do not say which storages the operands are in, so
//! an operand is `restrict` only where every launch writes new memory.

use crate::array::layout::Shape;
use crate::plan::lower::{Collapsed, InputType, StatementType, collapse, lower_statements};
use crate::plan::trace::{Input, Operation, Statement};
use fastnp_codegen::{DType, Fold, Kernel, Op};
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
        let Collapsed { outer, inner, strides, .. } = collapse(s.domain, s.reduced, &all, &writes, ordered, None);
        LaunchShape { outer, inner, strides: strides.into() }
    }
}

/// The key of a statement's kernel: the types of its inputs, one after the other, then the rest.
#[derive(Clone, Copy, Default)]
pub(crate) struct StatementKey {
    inputs: u64,
    count: u64,
}

impl StatementKey {
    /// The next input is an array.
    #[inline]
    pub(crate) fn push_memory(&mut self, dtype: DType) {
        self.push(dtype as u64);
    }

    /// The next input is a number.
    #[inline]
    pub(crate) fn push_scalar(&mut self, dtype: DType) {
        self.push(dtype as u64 | 16);
    }

    #[inline]
    fn push(&mut self, code: u64) {
        self.inputs = self.inputs << 5 | code;
        self.count += 1;
    }

    /// The key for an operation over so many outer and inner axes.
    #[inline]
    pub(crate) fn of(self, op: Operation, compute: DType, target: DType, (outer, inner): (usize, usize)) -> u64 {
        let mut key = self.inputs << 4 | self.count;
        key = key << 4 | target as u64;
        key = key << 4 | compute as u64;
        key = key << 7 | outer as u64;
        key = key << 7 | inner as u64;
        key << 12 | op.code()
    }
}

/// The bit of kinds that marks a kernel whose target may be one of its sources.
pub const IN_PLACE: usize = 4;
/// Number of kinds.
pub(crate) const DENSE_KINDS: usize = 8;

/// The kernel of an op on dense arrays of one type; the bits of `kinds` say which arguments are numbers, and whether it works in
/// place.
pub fn dense_kernel(op: Op, compute: DType, kinds: usize) -> Kernel {
    let is_number = |i: usize| kinds >> i & 1 != 0;
    let input = |i| if is_number(i) { InputType::Scalar(compute) } else { InputType::Memory(compute) };
    let inputs: SmallVec<[InputType; 2]> = (0..op.arity()).map(input).collect();
    let apply = StatementType { op: Operation::Apply(op), compute, inputs: &inputs, target: op.result(compute) };
    lower_statements(&[apply], (1, 0), kinds & IN_PLACE == 0)
}

/// The kernel of a write to a dense array where a mask is true: of a number, or else of the elements of another one.
pub(crate) fn masked_write_kernel(dtype: DType, is_number: bool) -> Kernel {
    let value = if is_number { InputType::Scalar(dtype) } else { InputType::Memory(dtype) };
    let inputs = [InputType::Memory(DType::Bool), value, InputType::Memory(dtype)];
    let select = StatementType { op: Operation::Select, compute: dtype, inputs: &inputs, target: dtype };
    lower_statements(&[select], (1, 0), false)
}

/// The kernel of a fold of one axis.
pub(crate) fn fold_kernel(fold: Fold, [from, compute, to]: [DType; 3]) -> Kernel {
    let fold = StatementType { op: Operation::Fold(fold), compute, inputs: &[InputType::Memory(from)], target: to };
    lower_statements(&[fold], (0, 1), false)
}

/// The kernel of one statement over so many outer and inner axes. A fold over no axis left is a map.
pub(crate) fn statement_kernel(s: &Statement<'_>, outer: usize, inner: usize) -> Kernel {
    let input = |input: &Input<'_>| match input {
        Input::Memory(view) => InputType::Memory(view.dtype),
        Input::Scalar(scalar) => InputType::Scalar(scalar.dtype()),
    };
    let inputs: SmallVec<[InputType; 3]> = s.inputs.iter().map(input).collect();
    let statement = StatementType { op: s.op, compute: s.compute, inputs: &inputs, target: s.target.dtype };
    lower_statements(&[statement], (outer, inner), false)
}

/// The kernel of an inner product: two casts, a multiplication and a sum.
pub fn inner_kernel(a: DType, b: DType, compute: DType) -> Kernel {
    let (first, second) = ([InputType::Memory(a)], [InputType::Memory(b)]);
    let statements = [
        (Operation::Copy, &first[..]),
        (Operation::Copy, &second),
        (Operation::Apply(Op::Multiply), &[InputType::Result(0), InputType::Result(1)]),
        (Operation::Fold(Fold::Op(Op::Add)), &[InputType::Result(2)]),
    ]
    .map(|(op, inputs)| StatementType { op, compute, inputs, target: compute });
    lower_statements(&statements, (0, 1), true)
}
