//! Inlining: a value that other kernels read is computed in each of them instead of being stored (rematerialisation).
//!
//! The reader gets copies of the nodes that compute the value, over its own domain and at its own indices: a reader of `v[1:]` computes
//! the elements from one on. Copies have slots of their own, which never get memory. A value that its own kernel does not need is no longer
//! computed there. Elements have the same bits, as maps compute each by itself, and the flags are the same, as all elements are still
//! computed.

use crate::array::layout::{Shape, c_strides};
use crate::plan::draft::{Change, Draft, DraftPlan, Terms, reads};
use crate::plan::trace::{Node, NodeInput, Operation, SlotAccess};
use smallvec::SmallVec;

/// Nodes that are copied for a reader, at most.
const MAX_COPIES: usize = 24;
/// Boxes of a value that readers have, at most.
const MAX_BOXES: usize = 8;

/// The first index of a box, by axis.
type Start = SmallVec<[usize; 4]>;

/// A box of a value: the first index, and the extents.
type ReadBox = (Start, Shape);

/// Whether a value may be inlined: it is written once, wholly, by an elementwise node, and dead after the trace.
pub(crate) fn is_candidate(node: &Node, live: &[bool]) -> bool {
    node.covers && !live[node.target.slot as usize] && is_elementwise(node)
}

/// Whether elements are functions of operands at their own index, and none is a loop, whose turns cost more than memory.
pub(crate) fn is_elementwise(node: &Node) -> bool {
    node.op.is_elementwise() && node.reduced == 0
}

/// The plan with a value computed by its readers; none where that cannot be done.
pub fn inline(plan: &DraftPlan, slot: u32, terms: &Terms<'_>) -> Option<DraftPlan> {
    let live = terms.live;
    let writes = |node: &Node| node.target.slot == slot;
    let writer = plan.kernels.iter().position(|(draft, _)| draft.writes(slot))?;
    let from = &*plan.kernels[writer].0;
    let at = from.nodes.iter().position(writes)?;
    let value = &from.nodes[at];
    let readers: SmallVec<[usize; 4]> = plan.others_with(slot, writer).collect();
    let is_map = |&kernel: &usize| plan.kernels[kernel].0.group.is_map();
    if readers.is_empty() || !from.group.is_map() || !readers.iter().all(is_map) {
        return None;
    }
    let mut boxes: SmallVec<[ReadBox; 4]> = SmallVec::new();
    for node in readers.iter().flat_map(|&kernel| &plan.kernels[kernel].0.nodes) {
        for (i, source) in node.sources.iter().enumerate() {
            if let NodeInput::Memory(access) = source
                && access.slot == slot
            {
                let start = start_of(access, &node.domain, value)?;
                let is_base = i == 0 && node.op == Operation::Gather;
                if is_base || boxes.len() == MAX_BOXES {
                    return None;
                }
                boxes.push((start, node.domain.clone()));
            }
        }
    }
    // Its own kernel computes all of it where it is needed there, and readers must elsewhere.
    let stays = from.nodes.iter().any(|node| reads(node, slot));
    if !stays && !covers(&value.domain, &boxes, 0) {
        return None;
    }
    let mut inlined = plan.changed_by(Change::Inline(slot));
    for &reader in &readers {
        let copier = Copier { plan, from, reader, live, next_slot: inlined.next_slot, copies: Vec::new() };
        let (draft, next_slot) = copier.rewritten(at)?;
        inlined.replace(reader, Some(draft));
        inlined.next_slot = next_slot;
    }
    if stays {
        inlined.touch(writer);
    } else {
        inlined.replace(writer, without(&inlined, from, at, live)?);
    }
    inlined.price(terms);
    Some(inlined)
}

/// A kernel without a node, and without those that only it needs; no kernel where nothing is left.
fn without(plan: &DraftPlan, from: &Draft, at: usize, live: &[bool]) -> Option<Option<Draft>> {
    let mut nodes = from.nodes.clone();
    nodes.remove(at);
    for i in (0..at).rev() {
        let slot = nodes[i].target.slot;
        let is_needed = plan.is_stored(slot, live) || nodes.iter().any(|node| reads(node, slot)) || !nodes[i].covers;
        if !is_needed {
            nodes.remove(i);
        }
    }
    if nodes.is_empty() { Some(None) } else { Draft::map(nodes, &from.group, false).map(Some) }
}

/// Makes copies of nodes for a reader.
struct Copier<'a> {
    plan: &'a DraftPlan,
    from: &'a Draft,
    reader: usize,
    live: &'a [bool],
    next_slot: u32,
    copies: Vec<Node>,
}

impl Copier<'_> {
    /// The reader with copies of the node at a position, and the next free slot.
    fn rewritten(mut self, at: usize) -> Option<(Draft, u32)> {
        let value = &self.from.nodes[at];
        let reader = &self.plan.kernels[self.reader].0;
        let mut nodes = reader.nodes.clone();
        let first = nodes.iter().position(|node| reads(node, value.target.slot))?;
        for node in &mut nodes[first..] {
            let domain = node.domain.clone();
            for source in &mut node.sources {
                if let NodeInput::Memory(access) = source
                    && access.slot == value.target.slot
                {
                    let start = start_of(access, &domain, value)?;
                    *access = self.copy(at, &start, &domain)?;
                }
            }
        }
        nodes.splice(first..first, self.copies);
        Some((Draft::map(nodes, &reader.group, false)?, self.next_slot))
    }

    /// The result of a copy of a node over a domain that begins at an index of the node's.
    fn copy(&mut self, at: usize, start: &[usize], domain: &Shape) -> Option<SlotAccess> {
        let node = &self.from.nodes[at];
        if !is_elementwise(node) || self.copies.len() >= MAX_COPIES {
            return None;
        }
        let mut copy = node.clone();
        for source in &mut copy.sources {
            if let NodeInput::Memory(access) = source {
                let is_it = |node: &Node| node.target.slot == access.slot && node.target == *access;
                let made_at = self.from.nodes[..at].iter().rposition(is_it);
                let is_readable = self.plan.is_unchanged(access.slot, node.index, self.reader + 1);
                match made_at {
                    Some(made_at) if !(is_readable && self.plan.is_stored(access.slot, self.live)) => {
                        *access = self.copy(made_at, start, domain)?;
                    }
                    _ if is_readable => {
                        let steps = start.iter().zip(&access.strides).map(|(&i, &stride)| i as isize * stride);
                        access.offset += steps.sum::<isize>();
                    }
                    _ => return None,
                }
            }
        }
        copy.domain.clone_from(domain);
        copy.covers = true;
        let same =
            |known: &&Node| (known.op, known.compute) == (copy.op, copy.compute) && known.sources == copy.sources;
        let is_same = |known: &&Node| same(known) && known.domain == copy.domain;
        let dtype = node.target.dtype;
        if let Some(known) = self.copies.iter().filter(|known| known.target.dtype == dtype).find(is_same) {
            return Some(known.target.clone());
        }
        copy.target = SlotAccess { slot: self.next_slot, dtype, offset: 0, strides: c_strides(domain, dtype.size()) };
        self.next_slot += 1;
        let target = copy.target.clone();
        self.copies.push(copy);
        Some(target)
    }
}

/// The index of a value at which an access begins that steps through it as the value was written; none for other accesses.
fn start_of(access: &SlotAccess, domain: &[usize], value: &Node) -> Option<Start> {
    let target = &value.target;
    if access.dtype != target.dtype || access.strides != target.strides || domain.len() != value.domain.len() {
        return None;
    }
    let mut rest = usize::try_from(access.offset - target.offset).ok()?;
    let mut start: Start = domain.iter().map(|_| 0).collect();
    let mut axes: SmallVec<[usize; 4]> = (0..domain.len()).collect();
    axes.sort_unstable_by_key(|&axis| std::cmp::Reverse(target.strides[axis]));
    for axis in axes {
        let stride = usize::try_from(target.strides[axis]).ok().filter(|&stride| stride > 0)?;
        start[axis] = rest / stride;
        rest %= stride;
        if start[axis] + domain[axis] > value.domain[axis] {
            return None;
        }
    }
    (rest == 0).then_some(start)
}

/// Whether boxes cover a domain, from an axis on.
fn covers(domain: &[usize], boxes: &[ReadBox], axis: usize) -> bool {
    if axis == domain.len() {
        return !boxes.is_empty();
    }
    let mut at = 0;
    while at < domain[axis] {
        let here = |(start, extents): &&ReadBox| start[axis] <= at && at < start[axis] + extents[axis];
        let slab: SmallVec<[ReadBox; 4]> = boxes.iter().filter(here).cloned().collect();
        if !covers(domain, &slab, axis + 1) {
            return false;
        }
        // The same boxes reach up to where the next one begins or ends.
        let edges = boxes.iter().flat_map(|(start, extents)| [start[axis], start[axis] + extents[axis]]);
        at = edges.filter(|&edge| edge > at).min().unwrap_or(domain[axis]);
    }
    true
}
