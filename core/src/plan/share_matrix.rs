//! Products of vectors with one matrix are one step, which reads the matrix once.
//!
//! [`gather`] moves a later product behind an earlier one with its matrix, if nothing between the two touches what it reads and writes.
//! [`sharing`] says how many groups are such products. A product may read what an earlier one writes if that belongs to the same rows of the
//! matrix, as in `(a @ x) @ a`.

use crate::host::shared_matrix::{DenseRows, is_row_by_row};
use crate::plan::group::Group;
use crate::plan::trace::{Node, NodeInput, Operation, SlotAccess};

/// Moves groups that multiply vectors with one matrix behind each other.
pub(crate) fn gather(nodes: &[Node], groups: &mut [Group]) {
    for later in 1..groups.len() {
        let Some(node) = product(nodes, &groups[later]) else { continue };
        let earlier = (0..later).rev().find(|&at| product(nodes, &groups[at]).is_some_and(|one| may_share(one, node)));
        let Some(earlier) = earlier else { continue };
        let is_free = |between: &Group| {
            let written = |slot: u32| between.stores().iter().any(|access| access.slot == slot);
            let touched = |slot: u32| written(slot) || between.loads().iter().any(|access| access.slot == slot);
            !touched(node.target.slot) && !node.reads().any(|access| written(access.slot))
        };
        if groups[earlier + 1..later].iter().all(is_free) {
            groups[earlier + 1..=later].rotate_right(1);
        }
    }
}

/// How many of these groups, from the first one on, multiply vectors with one matrix; none of them need to.
pub(crate) fn sharing(nodes: &[Node], groups: &[Group]) -> usize {
    let products = groups.iter().map_while(|group| product(nodes, group));
    let products: Vec<&Node> = products.collect();
    let shares = |&at: &usize| products[..at].iter().all(|one| may_share(one, products[at]));
    1 + (1..products.len()).take_while(shares).count()
}

/// The product that a group is.
fn product<'a>(nodes: &'a [Node], group: &Group) -> Option<&'a Node> {
    let node = &nodes[group.members[0].node as usize];
    matches!(node.op, Operation::Contract(_)).then_some(node)
}

/// The strides of a product's operands, one after the other.
pub(crate) fn product_strides(node: &Node) -> Vec<isize> {
    node.accesses().flat_map(|access| access.strides.iter().copied()).collect()
}

/// A product of a vector with a matrix.
struct VectorProduct<'a> {
    matrix: &'a SlotAccess,
    vector: &'a SlotAccess,
    rows: DenseRows,
    /// Whether each element of the result belongs to a row.
    is_row_by_row: bool,
    /// The strides along the rows of the matrix: of the vector where the result is a sum of rows, else of the result.
    step: isize,
}

impl VectorProduct<'_> {
    fn of(node: &Node) -> Option<VectorProduct<'_>> {
        let strides = product_strides(node);
        let (operand, rows) = DenseRows::of(node.compute, &node.domain, &strides)?;
        let [NodeInput::Memory(a), NodeInput::Memory(b)] = &node.sources[..] else { return None };
        let (matrix, vector) = if operand == 0 { (a, b) } else { (b, a) };
        let is_row_by_row = is_row_by_row(node.compute, &node.domain, &strides);
        let step = if is_row_by_row { node.target.strides[operand] } else { vector.strides[2] };
        Some(VectorProduct { matrix, vector, rows, is_row_by_row, step })
    }
}

/// Whether a product may share a pass over a matrix with an earlier one.
fn may_share(one: &Node, other: &Node) -> bool {
    let (Some(first), Some(second)) = (VectorProduct::of(one), VectorProduct::of(other)) else { return false };
    let is_one_matrix = one.compute == other.compute
        && first.rows == second.rows
        && (first.matrix.slot, first.matrix.offset) == (second.matrix.slot, second.matrix.offset);
    let overwrites = one.accesses().any(|access| access.slot == other.target.slot);
    let reads = second.vector.slot == one.target.slot;
    let reads_rows = || {
        first.is_row_by_row
            && !second.is_row_by_row
            && (second.vector.offset, second.step) == (one.target.offset, first.step)
    };
    is_one_matrix && !overwrites && second.matrix.slot != one.target.slot && (!reads || reads_rows())
}
