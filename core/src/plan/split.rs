//! Splits groups: what greedy fusion put together for the sake of later nodes, and no later node joined.
//!
//! Unrelated nodes share a kernel because a later one may read results of both. Where none did, the kernel has parts that pass no value to
//! each other. Over large domains such parts are better apart if one would slow the other down: where they read no memory in common and
//! one of them folds, as folds run best over what they need alone; where a map is beside a fold along short rows, or takes longer than reading
//! memory twice, as loops that fold compute fewer vectors side by side; where they store several results in rows of part of a cache line, by
//! which a loop that folds does not begin, as a map's does; where they step through memory in different orders; where one overwrites
//! its operands, which are copied before if what raises flags may have to run again; where together they have more streams than the caches
//! and the prefetchers follow; or where they read nothing in common and the caches do not hold both: a comparison and an exponential of two
//! million doubles each take 3.0 ms in one kernel and 2.6 in two. Small domains stay together, as a launch costs more.

use crate::array::layout::count;
use crate::plan::group::{Group, Section};
use crate::plan::overlap::{are_mixed, fastest_axes};
use crate::plan::trace::{Node, Operation, SlotAccess, is_live};
use fastnp_codegen::cost::{LINE_BYTES, SHARED_CACHE_BYTES};
use smallvec::SmallVec;

/// The groups, in order, each in parts that are better apart. `live` says which slots are reachable afterwards.
pub(crate) fn split(nodes: &[Node], groups: Vec<Group>, live: &[bool]) -> Vec<Group> {
    let mut out = Vec::with_capacity(groups.len());
    for group in groups {
        match parts(nodes, &group, live) {
            Some(parts) => out.extend(parts.into_iter().map(|part| part.group(nodes, &group))),
            None => out.push(group),
        }
    }
    out
}

/// Elements of a row of memory from which on a map that a fold along an axis does not need is as fast beside it: of 40,000 rows of 50, a product
/// and a minimum of one factor's columns take 1.5 times as long in one kernel as in two.
const MIN_ROW: usize = 256;
/// The cost of a map's operations from which on memory is not what it waits for: `np.sin` and `np.exp` of a million doubles, beside the sums of
/// the columns of another operand, take 5.2 ms in one kernel and 3.4 in two.
const COSTLY_MAP: u32 = 24;

/// Some members of a group, which pass no value to others.
struct Part {
    /// Their positions among the members.
    members: SmallVec<[usize; 8]>,
    folds: bool,
    /// Whether it folds along an axis, or beside what broadcasts rows, and rows are short.
    has_short_rows: bool,
    /// What its operations cost, by the op table.
    cost: u32,
    /// Results that are kept, whose rows begin anywhere in a cache line.
    across_lines: usize,
    /// Whether it is one operation that overwrites an operand.
    overwrites: bool,
    /// Whether an operation of it may raise flags.
    raises: bool,
    /// The section of all of them, where nothing is folded.
    section: Section,
    /// The axes along which they step through memory in the smallest steps, a bit each.
    fastest: u64,
    /// The slots that they touch.
    slots: SmallVec<[u32; 8]>,
    /// Those of them that are streams through memory: the rest is only passed on.
    streams: SmallVec<[u32; 8]>,
}

impl Part {
    fn of(nodes: &[Node], group: &Group, members: SmallVec<[usize; 8]>, live: &[bool]) -> Part {
        let all = || members.iter().map(|&member| group.members[member]);
        let of_body = || all().filter(|member| member.section == Section::Body).map(|m| &nodes[m.node as usize]);
        let slots: SmallVec<[u32; 8]> =
            all().flat_map(|m| nodes[m.node as usize].accesses()).map(|access| access.slot).collect();
        let is_written = |slot: u32| all().any(|member| nodes[member.node as usize].target.slot == slot);
        let is_stream = |slot: u32| is_live(live, slot) || !is_written(slot);
        let mut streams: SmallVec<[u32; 8]> = slots.iter().copied().filter(|&slot| is_stream(slot)).collect();
        streams.sort_unstable();
        streams.dedup();
        let fastest = fastest_axes(&group.domain, of_body().flat_map(Node::accesses));
        let folds = of_body().any(|node| node.reduced != 0);
        let is_short = |axis: usize| fastest >> axis & 1 != 0 && group.domain[axis] < MIN_ROW;
        let cost = |node: &Node| match node.op {
            Operation::Apply(op) | Operation::Part(_, op) => op.row().cost.into(),
            _ => 1,
        };
        // What is folded to a number is one row if no row or column is broadcast.
        let is_broadcast = |access: &SlotAccess| {
            let mut steps = (0..access.strides.len()).filter(|&axis| group.domain[axis] > 1);
            let first = steps.next().is_some_and(|axis| access.strides[axis] == 0);
            steps.any(|axis| (access.strides[axis] == 0) != first)
        };
        let whole_body = group.members.iter().filter(|member| member.section == Section::Body);
        let mut reads = whole_body.flat_map(|m| nodes[m.node as usize].reads());
        let has_rows = !group.outer.is_empty() || reads.any(is_broadcast);
        let is_whole = |stride: &isize| stride.unsigned_abs().is_multiple_of(LINE_BYTES);
        let is_across = |access: &&SlotAccess| {
            let size = access.dtype.size();
            let mut rows = access.strides.iter().filter(|stride| stride.unsigned_abs() > size);
            has_rows && is_live(live, access.slot) && !rows.all(is_whole)
        };
        let results = of_body().filter(|node| node.reduced == 0).map(|node| &node.target);
        let mut across_lines: SmallVec<[u32; 4]> = results.filter(is_across).map(|access| access.slot).collect();
        across_lines.sort_unstable();
        across_lines.dedup();
        let overwrites = |node: &Node| node.reads().any(|read| read.slot == node.target.slot);
        let is_one = members.len() == 1;
        Part {
            folds,
            has_short_rows: folds && has_rows && (0..group.domain.len()).any(is_short),
            cost: of_body().map(cost).sum(),
            across_lines: across_lines.len(),
            overwrites: is_one && of_body().any(overwrites),
            raises: of_body().any(Node::raises),
            section: all().map(|member| member.section).next().unwrap_or(Section::Body),
            fastest,
            slots,
            streams,
            members,
        }
    }

    fn shares_memory(&self, other: &Part) -> bool {
        self.slots.iter().any(|slot| other.slots.contains(slot))
    }

    /// Whether it is at least as fast in one kernel with another part, where a kernel has so many streams at most.
    fn goes_with(&self, other: &Part, most_streams: usize) -> bool {
        let is_one_domain = self.folds || other.folds || self.section == other.section;
        let more = other.streams.iter().filter(|slot| !self.streams.contains(slot)).count();
        let [fold, map] = if self.folds { [self, other] } else { [other, self] };
        let crosses_lines = map.across_lines > 0 && map.across_lines + fold.across_lines > 1;
        let map_slows_fold =
            fold.folds && !map.folds && (fold.has_short_rows || map.cost >= COSTLY_MAP || crosses_lines);
        let copies = (self.overwrites && other.raises) || (other.overwrites && self.raises);
        self.streams.len() + more <= most_streams
            && !map_slows_fold
            && !copies
            && is_one_domain
            && !are_mixed(self.fastest, other.fastest)
            && (self.shares_memory(other) || !(self.folds || other.folds))
    }

    fn join(&mut self, other: Part) {
        self.members.extend(other.members);
        self.members.sort_unstable();
        self.folds |= other.folds;
        self.has_short_rows |= other.has_short_rows;
        self.cost += other.cost;
        self.across_lines += other.across_lines;
        self.overwrites |= other.overwrites;
        self.raises |= other.raises;
        self.fastest |= other.fastest;
        self.slots.extend(other.slots);
        self.streams.extend(other.streams);
        self.streams.sort_unstable();
        self.streams.dedup();
    }

    /// The group of its members. Where nothing is folded there is no epilogue.
    fn group(&self, nodes: &[Node], of: &Group) -> Group {
        let all = || self.members.iter().map(|&member| of.members[member]);
        let first = all().find(|member| !self.folds || member.section == Section::Body);
        let first = first.expect("a part has members, and a fold is in the body");
        let mut group = Group::new(&nodes[first.node as usize], of.refused, of.limits);
        for member in all() {
            let section = if self.folds { member.section } else { Section::Body };
            group.add(&nodes[member.node as usize], member.node, section);
        }
        group
    }
}

/// The parts of a group; none where it is better whole.
fn parts(nodes: &[Node], group: &Group, live: &[bool]) -> Option<SmallVec<[Part; 4]>> {
    if group.members.len() < 2 || count(&group.domain) <= group.limits.pack_points {
        return None;
    }
    let sets = connected(nodes, group);
    let mut parts: SmallVec<[Part; 4]> = SmallVec::new();
    for first in (0..sets.len()).filter(|&first| sets[first] == first) {
        let members = (first..sets.len()).filter(|&member| sets[member] == first).collect();
        let part = Part::of(nodes, group, members, live);
        let sections = || part.members.iter().map(|&member| group.members[member].section);
        if !part.folds && sections().any(|section| section != part.section) {
            return None;
        }
        parts.push(part);
    }
    let element = group.loads().iter().chain(group.stores()).map(|access| access.dtype.size()).max().unwrap_or(0);
    let is_cached = |streams: usize| streams * element * count(&group.domain) <= SHARED_CACHE_BYTES;
    let goes = |one: &Part, other: &Part| {
        one.goes_with(other, group.limits.streams)
            && (one.shares_memory(other) || is_cached(one.streams.len() + other.streams.len()))
    };
    // First those that share memory: a map that had joined an unrelated map before would take it to a fold of what it reads.
    let parts = joined(parts, |one, other| one.shares_memory(other) && goes(one, other));
    let parts = joined(parts, goes);
    (parts.len() > 1).then_some(parts)
}

/// The parts, in order, each joined with the first one before it that it goes with.
fn joined(parts: SmallVec<[Part; 4]>, goes: impl Fn(&Part, &Part) -> bool) -> SmallVec<[Part; 4]> {
    let mut out: SmallVec<[Part; 4]> = SmallVec::new();
    for part in parts {
        match out.iter_mut().find(|other| goes(&part, other)) {
            Some(other) => other.join(part),
            None => out.push(part),
        }
    }
    out
}

/// By member, the first one of its set: members that touch a slot in common, which one of them writes, are in one set.
fn connected(nodes: &[Node], group: &Group) -> SmallVec<[usize; 16]> {
    let is_written = |slot: &u32| group.stores().iter().any(|access| access.slot == *slot);
    let mut sets: SmallVec<[usize; 16]> = (0..group.members.len()).collect();
    let mut touched: SmallVec<[(u32, usize); 16]> = SmallVec::new();
    for (at, member) in group.members.iter().enumerate() {
        let slots = nodes[member.node as usize].accesses().map(|access| access.slot);
        for slot in slots.filter(is_written) {
            match touched.iter().find(|known| known.0 == slot) {
                Some(&(_, other)) => {
                    let (one, two) = (sets[at].min(sets[other]), sets[at].max(sets[other]));
                    sets.iter_mut().filter(|set| **set == two).for_each(|set| *set = one);
                }
                None => touched.push((slot, at)),
            }
        }
    }
    sets
}
