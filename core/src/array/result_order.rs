//! Result order: strides of new dense arrays (`order="K"`), which show in their `strides` and in what reshapes to a view.
//!
//! NumPy has three rules: for results of operations, for copies that keep their order, and for concatenation. They agree where
//! operands are dense with the same axis order, and differ where strides are zero, extents are one, or operands disagree.

use crate::array::layout::{Strides, dense_strides};
use smallvec::SmallVec;

type AxisOrder = SmallVec<[usize; 4]>;

/// Strides of a dense array in the axis order of an operation's operands (NumPy's iterator with `order="K"`). Operands' strides are
/// given over the result's shape, zero where an operand is broadcast.
pub fn of_operands(shape: &[usize], itemsize: usize, operands: &[&[isize]]) -> Strides {
    let step = |strides: &[isize], axis: usize| if shape[axis] == 1 { 0 } else { strides[axis].unsigned_abs() };
    let innermost_first = insertion_sort((0..shape.len()).rev(), |later, earlier| {
        let votes = operands.iter().map(|s| (step(s, later), step(s, earlier))).filter(|s| s.0 != 0 && s.1 != 0);
        common_vote(votes.map(|(outer, inner)| outer < inner))
    });
    dense_strides(shape, itemsize, innermost_first.into_iter())
}

/// Strides of a dense array in the axis order of one array (NumPy's `copy` and `*_like` with `order="K"`): larger strides outside,
/// so broadcast axes come innermost.
pub fn of_one(shape: &[usize], itemsize: usize, strides: &[isize]) -> Strides {
    let mut axes: AxisOrder = (0..shape.len()).collect();
    axes.sort_by_key(|&axis| std::cmp::Reverse(strides[axis].unsigned_abs()));
    dense_strides(shape, itemsize, axes.into_iter().rev())
}

/// Strides of a dense array that arrays of these shapes and strides are concatenated into.
pub fn of_joined(shape: &[usize], itemsize: usize, arrays: &[(&[usize], &[isize])]) -> Strides {
    let outermost_first = insertion_sort(0..shape.len(), |later, earlier| {
        let votes = arrays.iter().filter(|(extents, _)| extents[later] != 1 && extents[earlier] != 1);
        common_vote(votes.map(|(_, s)| s[later].unsigned_abs() > s[earlier].unsigned_abs()))
    });
    dense_strides(shape, itemsize, outermost_first.into_iter().rev())
}

/// The common vote of operands on swapping two axes: yes only if every operand with a preference votes yes, `None` if none has a
/// preference.
fn common_vote(votes: impl Iterator<Item = bool>) -> Option<bool> {
    votes.fold(None, |sum, swap| Some(swap && sum != Some(false)))
}

/// NumPy's insertion sort. `swaps` says whether an axis goes before an earlier one; `None` means no preference, and the axis before
/// that one decides.
fn insertion_sort(axes: impl Iterator<Item = usize>, swaps: impl Fn(usize, usize) -> Option<bool>) -> AxisOrder {
    let mut out = AxisOrder::new();
    for axis in axes {
        let mut position = out.len();
        for i in (0..out.len()).rev() {
            match swaps(axis, out[i]) {
                Some(true) => position = i,
                Some(false) => break,
                None => {}
            }
        }
        out.insert(position, axis);
    }
    out
}
