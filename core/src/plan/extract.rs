//! Extraction: a result of a kernel gets a kernel of its own.
//!
//! Greedy fusion joins a node to the kernel it depends on, also where that kernel steps through memory in several orders already and the node
//! adds more accesses in the wrong one. A result that is stored, and the nodes that compute it alone, can run afterwards: they read from
//! memory what the kernel stores anyway. Or it runs before, with all that it needs, and the kernel reads it from memory.

use crate::array::layout::count;
use crate::plan::draft::{Change, Draft, DraftPlan, Terms, reads};
use crate::plan::group::Group;
use crate::plan::overlap::fastest_axes;
use crate::plan::trace::{Node, is_live};

/// Whether taking a result out of a kernel may help: a map over many points that steps through memory in several orders and stores several
/// results.
pub(crate) fn may_extract(group: &Group, live: &[bool]) -> bool {
    let is_result = |slot: u32| is_live(live, slot);
    group.is_map()
        && count(&group.domain) > group.limits.pack_points
        && group.stores().iter().filter(|access| is_result(access.slot)).nth(1).is_some()
        && fastest_axes(&group.domain, group.loads().iter().chain(group.stores())).count_ones() > 1
}

/// The plan in which a result, the target of the node at a position of a kernel, is computed by a kernel of its own, before or after the other
/// one: the better of both. None where that cannot be done.
pub(crate) fn extract(plan: &DraftPlan, kernel: usize, at: usize, terms: &Terms<'_>) -> Option<DraftPlan> {
    let nodes = &plan.kernels[kernel].0.nodes;
    let is_stored = |node: &Node| plan.is_stored(node.target.slot, terms.live);
    let before = needed_for(nodes, at).filter(|own| runs_first(nodes, own, true, is_stored));
    let after = used_for(nodes, at, is_stored).filter(|own| runs_first(nodes, own, false, is_stored));
    let parted = |own: Option<Vec<bool>>, first: bool| part(plan, kernel, at, (&own?, first), terms);
    [parted(before, true), parted(after, false)].into_iter().flatten().min_by(|a, b| a.ns.total_cmp(&b.ns))
}

/// The plan in which some nodes of a kernel run in one of their own, before or after the others.
fn part(
    plan: &DraftPlan,
    kernel: usize,
    at: usize,
    (own, first): (&[bool], bool),
    terms: &Terms<'_>,
) -> Option<DraftPlan> {
    let from = &plan.kernels[kernel].0;
    let draft = |is_own: bool| {
        let nodes = from.nodes.iter().zip(own).filter(|(_, own)| **own == is_own).map(|(node, _)| node.clone());
        Draft::map(nodes.collect(), &from.group, true)
    };
    let mut out = plan.changed_by(Change::Extract(from.nodes[at].index));
    out.replace(kernel, Some(draft(first)?));
    out.insert(kernel + 1, draft(!first)?);
    out.price(terms);
    Some(out)
}

/// A node and all that it needs; none if those are all nodes.
fn needed_for(nodes: &[Node], at: usize) -> Option<Vec<bool>> {
    let mut own = vec![false; nodes.len()];
    own[at] = true;
    for i in (0..at).rev() {
        own[i] = (i + 1..=at).any(|j| own[j] && reads(&nodes[j], nodes[i].target.slot));
    }
    own.contains(&false).then_some(own)
}

/// A node and what it alone needs, but for what is stored anyway; none if those are all nodes.
fn used_for(nodes: &[Node], at: usize, is_stored: impl Fn(&Node) -> bool) -> Option<Vec<bool>> {
    let mut own = vec![false; nodes.len()];
    own[at] = true;
    for i in (0..at).rev() {
        let mut readers = (i + 1..nodes.len()).filter(|&j| reads(&nodes[j], nodes[i].target.slot)).peekable();
        own[i] = !is_stored(&nodes[i]) && readers.peek().is_some() && readers.all(|j| own[j]);
    }
    own.contains(&false).then_some(own)
}

/// Whether the nodes of a set, or those outside it, can all run before the rest: what the rest uses of theirs comes first and is stored, and
/// what the rest writes they have read.
fn runs_first(nodes: &[Node], own: &[bool], is_set: bool, is_stored: impl Fn(&Node) -> bool) -> bool {
    let some = |of_set: bool| (0..nodes.len()).filter(move |&i| own[i] == of_set);
    let (slot, touches) =
        (|i: usize| nodes[i].target.slot, |j: usize, x: u32| reads(&nodes[j], x) || nodes[j].target.slot == x);
    some(is_set).all(|i| {
        let passes = |j: usize| !touches(j, slot(i)) || (i < j && is_stored(&nodes[i]));
        some(!is_set).all(|j| passes(j) && (!reads(&nodes[i], slot(j)) || i < j))
    })
}
