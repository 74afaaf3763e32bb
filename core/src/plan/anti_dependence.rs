//! Anti-dependences: small operands that a store overwrites at other points than it reads them are copied first.
//!
//! `a[1:] -= a[1:, :1] * a[0]` reads a column, and stores to it at other points. So the store cannot be in the kernel that reads the column, and the
//! product gets memory of its own: 1000² doubles take 323 µs. With a copy of the column it is one kernel in place, of 110 (one thread,
//! Zen 4). Copies have slots beyond those of the tape, and memory.

use crate::array::layout::{Shape, Strides, c_strides, count};
use crate::plan::inline::is_elementwise;
use crate::plan::overlap::{Relation, relate};
use crate::plan::trace::{Node, NodeInput, Operation, SlotAccess, is_live};
use smallvec::SmallVec;

/// Points of a statement from which on its operands are copied; smaller ones run eagerly.
const MIN_OVERWRITING_POINTS: usize = 4096;
/// Points of a statement for each element of an operand, from which on the operand is copied if the result overwrites it, and not the result:
/// `a -= a[0]` of 1000² doubles takes 427 µs through a temporary and 98 with a copy of the row (one thread, Zen 4).
pub(crate) const MIN_READS_OF_COPY: usize = 4;
/// Nodes that are looked through for what a store depends on.
const MAX_STORE_DISTANCE: usize = 32;

/// A source of a node, by their indices.
type SourceIndex = (usize, usize);

/// Adds nodes that copy such operands, with slots from the number of `live` ones on. Returns the bytes of the copies.
pub(crate) fn copy_overwritten_operands(nodes: &mut Vec<Node>, live: &[bool]) -> SmallVec<[usize; 2]> {
    let mut copies: SmallVec<[(usize, Node); 2]> = SmallVec::new();
    let mut small: SmallVec<[SourceIndex; 8]> = SmallVec::new();
    for at in 0..nodes.len() {
        let store = &nodes[at];
        let may_overwrite = |&(node, source): &SourceIndex| slot_of(&nodes[node].sources[source]) == store.target.slot;
        if is_elementwise(store)
            && count(&store.domain) >= MIN_OVERWRITING_POINTS
            && small.iter().rev().any(may_overwrite)
        {
            for (node, source) in overwritten(nodes, at, live) {
                copy_operand(nodes, (node, source), live.len(), &mut copies);
            }
        }
        let sources = nodes[at].sources.iter().enumerate();
        small.extend(sources.filter(|(_, source)| is_small(source, &nodes[at].domain)).map(|(i, _)| (at, i)));
    }
    let bytes = copies.iter().map(|(_, copy)| count(&copy.domain) * copy.compute.size()).collect();
    copies.sort_by_key(|&(before, _)| before);
    for (before, copy) in copies.into_iter().rev() {
        nodes.insert(before, copy);
    }
    bytes
}

fn slot_of(source: &NodeInput) -> u32 {
    match source {
        NodeInput::Memory(access) => access.slot,
        NodeInput::Scalar(..) => u32::MAX,
    }
}

/// Whether a source has few elements, each for many points.
fn is_small(source: &NodeInput, domain: &[usize]) -> bool {
    match source {
        NodeInput::Memory(access) => count(&own_extents(access, domain)) * MIN_READS_OF_COPY <= count(domain),
        NodeInput::Scalar(..) => false,
    }
}

/// The extents of the axes along which an access moves.
fn own_extents(access: &SlotAccess, domain: &[usize]) -> Shape {
    domain.iter().zip(&access.strides).filter(|(_, stride)| **stride != 0).map(|(&extent, _)| extent).collect()
}

/// The operands that the store of a node overwrites at other points than those that read them, among what the node depends on over its domain;
/// none if one of them is not small.
fn overwritten(nodes: &[Node], at: usize, live: &[bool]) -> SmallVec<[SourceIndex; 2]> {
    let store = &nodes[at];
    let mut found: SmallVec<[SourceIndex; 2]> = SmallVec::new();
    let mut needed: SmallVec<[u32; 8]> = SmallVec::from_slice(&[store.target.slot]);
    // Whether the operand's slot is written between.
    let mut is_other_version = false;
    for number in (at.saturating_sub(MAX_STORE_DISTANCE)..=at).rev() {
        let node = &nodes[number];
        let is_needed = number == at
            || needed[1..].contains(&node.target.slot)
                && is_elementwise(node)
                && node.domain == store.domain
                && !is_live(live, node.target.slot);
        if is_needed {
            for (i, source) in node.sources.iter().enumerate() {
                let NodeInput::Memory(access) = source else { continue };
                if access.slot != store.target.slot {
                    needed.push(access.slot);
                } else if relate(access, &node.domain, &store.target, &store.domain) == Relation::Overlapping {
                    if is_other_version || !is_small(source, &node.domain) {
                        return SmallVec::new();
                    }
                    found.push((number, i));
                }
            }
        }
        is_other_version |= number != at && node.target.slot == store.target.slot;
    }
    found
}

/// Copies an operand before its node, unless a copy is there.
fn copy_operand(
    nodes: &mut [Node],
    (at, source): SourceIndex,
    first: usize,
    copies: &mut SmallVec<[(usize, Node); 2]>,
) {
    let node = &nodes[at];
    let NodeInput::Memory(access) = &node.sources[source] else { return };
    let domain = own_extents(access, &node.domain);
    let strides: Strides = access.strides.iter().copied().filter(|&stride| stride != 0).collect();
    let dense = c_strides(&domain, access.dtype.size());
    let mut own = dense.iter();
    let placed = access.strides.iter().map(|&stride| if stride == 0 { 0 } else { *own.next().expect("an axis each") });
    let placed: Strides = placed.collect();
    let from = NodeInput::Memory(SlotAccess { strides, ..access.clone() });
    let is_same = |(before, copy): &(usize, Node)| *before == at && copy.sources[0] == from && copy.domain == domain;
    let slot = match copies.iter().find(|copy| is_same(copy)) {
        Some((_, known)) => known.target.slot,
        None => {
            let slot = (first + copies.len()) as u32;
            let dtype = access.dtype;
            let target = SlotAccess { slot, dtype, offset: 0, strides: dense };
            let (op, index) = (Operation::Copy, node.index);
            let sources = SmallVec::from_iter([from]);
            copies.push((at, Node { index, op, compute: dtype, domain, reduced: 0, sources, target, covers: true }));
            slot
        }
    };
    let dtype = access.dtype;
    nodes[at].sources[source] = NodeInput::Memory(SlotAccess { slot, dtype, offset: 0, strides: placed });
}
