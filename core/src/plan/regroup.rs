//! Regrouping: merging two kernels of a draft plan, and cutting two again at another place.
//!
//! Greedy fusion joins a node to the kernel it depends on or to one of the last few. So kernels stay apart that could be one if another kernel
//! ran before or after both, and what would exceed the limits of a kernel is cut at the node that happened to exceed them. Here kernels are
//! merged wherever no dependence leads from one to the other through a third, and cut at the place where the fewest bytes cross.

use crate::array::layout::count;
use crate::plan::draft::{Change, Draft, DraftPlan, Terms};
use crate::plan::group::{Group, KernelLimits, Refusal, Section};
use crate::plan::overlap::{Relation, are_mixed, fastest_axes, relate};
use crate::plan::trace::{Node, SlotAccess, is_live};
use fastnp_codegen::cost::PACK_LOADS;
use hashbrown::HashMap;

/// How far apart kernels may be that are merged. Most are next to each other, and all pairs of the thirty kernels of a loop took 70 µs.
const MAX_DISTANCE: usize = 6;

/// The plan with two of its kernels merged; none where that cannot be done.
pub(crate) fn merge(plan: &DraftPlan, (first, second): (usize, usize), terms: &Terms<'_>) -> Option<DraftPlan> {
    let (one, other) = (&plan.kernels[first].0, &plan.kernels[second].0);
    if are_slow_together(&one.group, &other.group, terms.live)
        || copies_operand(one, other)
        || copies_operand(other, one)
    {
        return None;
    }
    // Kernels between the two that depend on the first one run after both, the others before.
    let mut after: Vec<usize> = vec![first];
    for between in first + 1..second {
        let kernel = &plan.kernels[between].0;
        if after.iter().any(|&k| kernel.depends_on(&plan.kernels[k].0)) {
            if other.depends_on(kernel) {
                return None;
            }
            after.push(between);
        }
    }
    let nodes = in_program_order(one, other);
    let merged = Draft::map(nodes, &one.group, other.depends_on(one))?;
    let mut out = plan.changed_by(Change::Merge(one.nodes[0].index, other.nodes[0].index));
    out.replace(second, None);
    out.replace(first, Some(merged));
    let earlier = (first + 1..second).filter(|between| !after.contains(between));
    let order: Vec<usize> = earlier.chain(after.iter().copied()).collect();
    let region: Vec<_> = order.iter().map(|&kernel| out.kernels[kernel].clone()).collect();
    out.kernels.splice(first..second, region);
    out.price(terms);
    Some(out)
}

/// Whether two kernels are maps over one domain that share memory, or may share a launch though they do not.
fn may_merge(a: &Group, b: &Group) -> bool {
    let shares = || slots(a).any(|slot| slots(b).any(|other| other == slot));
    let is_small = count(&a.domain) <= a.limits.pack_points;
    let packs = || is_small || a.loads().len() + b.loads().len() <= PACK_LOADS;
    a.is_map() && b.is_map() && a.domain == b.domain && (packs() || shares()) && !collide(a, b)
}

/// Whether two kernels step through memory in different orders, and one of them would be slowed down by the other: they pass no value to each
/// other, or a result is stored anyway, which the other one can read.
fn are_slow_together(a: &Group, b: &Group, live: &[bool]) -> bool {
    if count(&a.domain) <= a.limits.pack_points {
        return false;
    }
    let passes = |a: &Group, b: &Group| a.stores().iter().any(|store| slots(b).any(|slot| slot == store.slot));
    let all = |of: &Group| fastest_axes(&of.domain, of.loads().iter().chain(of.stores()));
    let is_stored = |access: &&SlotAccess| is_live(live, access.slot);
    let adds_to = |a: &Group, b: &Group| {
        fastest_axes(&a.domain, a.stores().iter().filter(is_stored)) != 0 && all(b) & !all(a) != 0
    };
    (!passes(a, b) && !passes(b, a) && are_mixed(all(a), all(b))) || adds_to(a, b) || adds_to(b, a)
}

/// Whether a kernel of one operation that overwrites an operand would have to copy it before, since another one raises flags: then their
/// operations run again one by one.
fn copies_operand(kernel: &Draft, other: &Draft) -> bool {
    let [node] = &kernel.nodes[..] else { return false };
    count(&kernel.group.domain) > kernel.group.limits.pack_points
        && node.reads().any(|read| read.slot == node.target.slot)
        && !other.slots.contains(&node.target.slot)
        && other.nodes.iter().any(Node::raises)
}

/// The slots that a kernel touches, some several times.
fn slots(group: &Group) -> impl Iterator<Item = u32> {
    group.loads().iter().chain(group.stores()).map(|access| access.slot)
}

/// Whether one of two kernels over one domain writes what the other touches at other indices.
fn collide(a: &Group, b: &Group) -> bool {
    let overlap = |x: &SlotAccess, y: &SlotAccess| {
        x.slot == y.slot && relate(x, &a.domain, y, &b.domain) == Relation::Overlapping
    };
    let meets = |written: &SlotAccess, of: &Group| of.loads().iter().chain(of.stores()).any(|y| overlap(written, y));
    a.stores().iter().any(|x| meets(x, b)) || b.stores().iter().any(|x| meets(x, a))
}

/// The nodes of two kernels in the order in which they were recorded. A copy has the index of its original, and precedes what reads it.
fn in_program_order(one: &Draft, other: &Draft) -> Vec<Node> {
    let mut nodes: Vec<Node> = one.nodes.iter().chain(&other.nodes).cloned().collect();
    nodes.sort_by_key(|node| node.index);
    nodes
}

/// Whether a kernel ended because it had become too large.
pub(crate) fn is_cut(group: &Group) -> bool {
    matches!(group.refused, Some(Refusal::Operands | Refusal::Nodes))
}

/// The plan with a kernel and the one before it cut again where the fewest bytes cross; none where they are no maps over one domain.
pub(crate) fn cut_again(plan: &DraftPlan, second: usize, terms: &Terms<'_>) -> Option<DraftPlan> {
    let (one, other) = (&plan.kernels[second - 1].0, &plan.kernels[second].0);
    if !one.group.is_map() || !other.group.is_map() || one.group.domain != other.group.domain {
        return None;
    }
    let nodes = in_program_order(one, other);
    let at = cheapest_cut(&nodes, one.group.limits, plan, terms)?;
    let mut out = plan.changed_by(Change::Cut(other.nodes[0].index));
    let (head, tail) = (nodes[..at].to_vec(), nodes[at..].to_vec());
    out.replace(second - 1, Some(Draft::map(head, &one.group, true)?));
    out.replace(second, Some(Draft::map(tail, &other.group, true)?));
    out.price(terms);
    Some(out)
}

/// Where to cut nodes in two: of the places that leave both parts within the limits of a kernel, the one at which the fewest bytes cross.
fn cheapest_cut(nodes: &[Node], limits: KernelLimits, plan: &DraftPlan, terms: &Terms<'_>) -> Option<usize> {
    let crossing = crossing_bytes(nodes, plan, terms.live);
    let loads = loads_of_tails(nodes);
    let fits = |&at: &usize| nodes.len() - at <= limits.nodes && loads[at] <= limits.loads;
    (1..=longest_head(nodes, limits).min(nodes.len() - 1)).filter(fits).min_by_key(|&at| crossing[at])
}

/// How many of these nodes, from the first one on, one kernel can have.
fn longest_head(nodes: &[Node], limits: KernelLimits) -> usize {
    let mut group = Group::new(&nodes[0], None, limits);
    let mut admitted = |(i, node): (usize, &Node)| {
        group.admits(nodes, node, false).ok()?;
        group.add(node, i as u32, Section::Body);
        Some(())
    };
    nodes.iter().enumerate().map_while(&mut admitted).count()
}

/// How many operands the nodes from each one on load: what they read and do not write before.
fn loads_of_tails(nodes: &[Node]) -> Vec<usize> {
    let mut loads: Vec<&SlotAccess> = Vec::new();
    let mut counts = vec![0; nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        loads.retain(|access| **access != node.target);
        for read in node.reads() {
            if !loads.contains(&read) {
                loads.push(read);
            }
        }
        counts[i] = loads.len();
    }
    counts
}

/// A value or an operand in a sequence of nodes.
struct CrossingValue {
    bytes: usize,
    /// The node that writes it, or the first one that loads it; and the last one that reads it.
    first: usize,
    last: usize,
}

/// Bytes of an element that cross each place between two nodes: values that are written before and read after it, twice where they are not
/// stored anyway, and operands that both sides load.
fn crossing_bytes(nodes: &[Node], plan: &DraftPlan, live: &[bool]) -> Vec<usize> {
    let mut values: HashMap<(u32, isize, &[isize]), CrossingValue, foldhash::fast::FixedState> = HashMap::default();
    let mut crossing = vec![0usize; nodes.len() + 1];
    let mut end = |value: CrossingValue| {
        crossing[value.first + 1..=value.last].iter_mut().for_each(|bytes| *bytes += value.bytes);
    };
    for (i, node) in nodes.iter().enumerate() {
        for read in node.reads() {
            let loaded = CrossingValue { bytes: read.dtype.size(), first: i, last: i };
            values.entry(key(read)).or_insert(loaded).last = i;
        }
        let size = node.target.dtype.size();
        let bytes = if plan.is_stored(node.target.slot, live) { size } else { 2 * size };
        if let Some(ended) = values.insert(key(&node.target), CrossingValue { bytes, first: i, last: i }) {
            end(ended);
        }
    }
    values.into_values().for_each(end);
    crossing
}

/// What tells accesses of a kernel apart.
fn key(access: &SlotAccess) -> (u32, isize, &[isize]) {
    (access.slot, access.offset, &access.strides)
}

/// The pairs of kernels that may be one.
pub(crate) fn pairs(kernels: &[&Group]) -> Vec<(usize, usize)> {
    let number = kernels.len();
    let later = |i: usize| (i + 1..number.min(i + 1 + MAX_DISTANCE)).map(move |j| (i, j));
    (0..number).flat_map(later).filter(|&(i, j)| may_merge(kernels[i], kernels[j])).collect()
}
