//! Products of vectors with one matrix are one step, which reads the matrix once.
//!
//! [`gather`] moves a later product behind an earlier one with its matrix, if nothing between the two touches what it reads and writes.
//! [`sharing`] says how many groups are such products, with the maps between them whose points are rows of the matrix. A product or map may
//! read what an earlier one writes if that belongs to the same rows, as in `(a @ x) @ a` and `(f(a @ x) - y) @ a`.

use crate::array::layout::count;
use crate::host::shared_matrix::{DenseRows, is_row_by_row};
use crate::plan::group::Group;
use crate::plan::trace::{Node, NodeInput, Operation, SlotAccess};

/// Moves groups that multiply vectors with one matrix behind each other.
pub(crate) fn gather(nodes: &[Node], groups: &mut [Group]) {
    for later in 1..groups.len() {
        let Some(second) = VectorProduct::of_group(nodes, &groups[later]) else { continue };
        let shares =
            |&at: &usize| VectorProduct::of_group(nodes, &groups[at]).is_some_and(|one| second.may_follow(&one));
        let Some(earlier) = (0..later).rev().find(shares) else { continue };
        let is_free = |between: &Group| {
            let written = |slot: u32| between.stores().iter().any(|access| access.slot == slot);
            let touched = |slot: u32| written(slot) || between.loads().iter().any(|access| access.slot == slot);
            !touched(second.target.slot) && !written(second.matrix.slot) && !written(second.vector.slot)
        };
        if groups[earlier + 1..later].iter().all(is_free) {
            groups[earlier + 1..=later].rotate_right(1);
        }
    }
}

/// How many of these groups, from the first one on, are one pass over a matrix; one where there is none.
pub(crate) fn sharing(nodes: &[Node], groups: &[Group]) -> usize {
    let mut products = Vec::from_iter(VectorProduct::of_group(nodes, &groups[0]));
    let Some(rows) = products.first().map(|first| first.rows.rows) else { return 1 };
    let (mut maps, mut number) = (Vec::new(), 1);
    for (at, group) in groups.iter().enumerate().skip(1) {
        if let Some(product) = VectorProduct::of_group(nodes, group) {
            let follows =
                products.iter().all(|one| product.may_follow(one)) && maps.iter().all(|map| product.may_use(map));
            if !follows {
                break;
            }
            products.push(product);
            number = at + 1;
        } else if let Some(map) = RowMap::of(nodes, group, rows)
            && products.iter().all(|product| map.may_use(product))
            && maps.iter().all(|other| map.may_follow(other))
        {
            maps.push(map);
        } else {
            break;
        }
    }
    number
}

/// The strides of a product's operands, one after the other.
pub(crate) fn product_strides(node: &Node) -> Vec<isize> {
    node.accesses().flat_map(|access| access.strides.iter().copied()).collect()
}

/// A product of a vector with a matrix.
struct VectorProduct<'a> {
    matrix: &'a SlotAccess,
    vector: &'a SlotAccess,
    target: &'a SlotAccess,
    rows: DenseRows,
    /// Whether each element of the result belongs to a row.
    is_row_by_row: bool,
    /// The stride along the rows of the matrix: of the result where each of its elements belongs to one, else of the vector.
    step: isize,
}

impl VectorProduct<'_> {
    fn of_group<'a>(nodes: &'a [Node], group: &Group) -> Option<VectorProduct<'a>> {
        let node = &nodes[group.members[0].node as usize];
        if !matches!(node.op, Operation::Contract(_)) {
            return None;
        }
        let strides = product_strides(node);
        let (operand, rows) = DenseRows::of(node.compute, &node.domain, &strides)?;
        let [NodeInput::Memory(a), NodeInput::Memory(b)] = &node.sources[..] else { return None };
        let (matrix, vector) = if operand == 0 { (a, b) } else { (b, a) };
        let is_row_by_row = is_row_by_row(node.compute, &node.domain, &strides);
        let step = if is_row_by_row { node.target.strides[operand] } else { vector.strides[2] };
        Some(VectorProduct { matrix, vector, target: &node.target, rows, is_row_by_row, step })
    }

    /// Whether it may be in one pass with an earlier product.
    fn may_follow(&self, other: &VectorProduct<'_>) -> bool {
        let is_one_matrix = (self.matrix.slot, self.matrix.offset, self.matrix.dtype, self.rows)
            == (other.matrix.slot, other.matrix.offset, other.matrix.dtype, other.rows);
        let overwrites =
            [other.matrix, other.vector, other.target].iter().any(|access| access.slot == self.target.slot);
        let reads = self.vector.slot == other.target.slot;
        let reads_rows = other.is_row_by_row && self.reads_rows(other.target, other.step);
        is_one_matrix && !overwrites && self.matrix.slot != other.target.slot && (!reads || reads_rows)
    }

    /// Whether it may be in one pass with an earlier map.
    fn may_use(&self, map: &RowMap<'_>) -> bool {
        let is_touched = map.accesses().any(|access| access.slot == self.target.slot);
        let mut written = map.stores.iter().filter(|store| [self.matrix.slot, self.vector.slot].contains(&store.slot));
        !is_touched && written.all(|store| store.slot != self.matrix.slot && self.reads_rows(store, map.step(store)))
    }

    /// Whether it reads, for each row, what an access with this stride along the rows writes for it, and nothing else that is written there.
    fn reads_rows(&self, written: &SlotAccess, step: isize) -> bool {
        !self.is_row_by_row && (self.vector.offset, self.step) == (written.offset, step)
    }
}

/// A map with a point for each row of a matrix.
struct RowMap<'a> {
    loads: &'a [SlotAccess],
    stores: &'a [SlotAccess],
    /// The axis of the rows.
    axis: usize,
}

impl RowMap<'_> {
    fn of<'a>(nodes: &[Node], group: &'a Group, rows: usize) -> Option<RowMap<'a>> {
        let axis = group.domain.iter().position(|&n| n == rows)?;
        let is_map = group.is_map() && count(&group.domain) == rows;
        let mut members = group.members.iter();
        let is_plain = is_map && members.all(|member| nodes[member.node as usize].op.is_elementwise());
        is_plain.then(|| RowMap { loads: group.loads(), stores: group.stores(), axis })
    }

    fn accesses(&self) -> impl Iterator<Item = &SlotAccess> {
        self.loads.iter().chain(self.stores)
    }

    /// The stride of an access along the rows.
    fn step(&self, access: &SlotAccess) -> isize {
        access.strides[self.axis]
    }

    /// Whether it may be in one pass with an earlier product.
    fn may_use(&self, product: &VectorProduct<'_>) -> bool {
        let reads_rows = |access: &SlotAccess| {
            product.is_row_by_row
                && (access.offset, self.step(access), access.dtype)
                    == (product.target.offset, product.step, product.target.dtype)
        };
        let factors = [product.matrix.slot, product.vector.slot];
        self.accesses().all(|access| access.slot != product.target.slot || reads_rows(access))
            && self.stores.iter().all(|store| !factors.contains(&store.slot))
    }

    /// Whether it may be in one pass with an earlier map.
    fn may_follow(&self, other: &RowMap<'_>) -> bool {
        let is_same = |one: &SlotAccess, with: &SlotAccess| {
            one.slot != with.slot
                || (one.offset, self.step(one), one.dtype) == (with.offset, other.step(with), with.dtype)
        };
        self.accesses().all(|access| other.stores.iter().all(|store| is_same(access, store)))
            && self.stores.iter().all(|store| other.loads.iter().all(|load| is_same(store, load)))
    }
}
