//! Code sinking: values move to the one kernel that reads them.
//!
//! Greedy fusion puts a node into the first kernel that can have it. Where what reads it runs later, after a fold say, the value is stored and
//! loaded for that reader alone. If its operands are in memory anyway, the reader's kernel can compute it instead, with the nodes that only it
//! needs: the same instructions, and a store less. `((a.max(axis=1, keepdims=True) - a) / (np.abs(c) + 1)).min(axis=1)`, beside `np.abs(c)`, which
//! is kept, stores its divisor otherwise. (The search leaves kernels that fold as they are.)

use crate::array::layout::count;
use crate::plan::group::{Group, Member, Section};
use crate::plan::inline::is_elementwise;
use crate::plan::overlap::fastest_axes;
use crate::plan::trace::{Node, SlotAccess};
use smallvec::SmallVec;

/// Moves what can be moved. `live` says which slots are reachable afterwards.
pub(crate) fn sink(nodes: &[Node], groups: &mut Vec<Group>, live: &[bool]) {
    let is_large = |group: &Group| count(&group.domain) > group.limits.pack_points;
    if groups.len() < 2 || !groups.iter().any(is_large) {
        return;
    }
    let mut uses = Uses::of(nodes, groups, live);
    // A value before what it is computed from, which may move with it.
    for at in (0..nodes.len()).rev() {
        if let Some(sinking) = sinking(nodes, groups, &uses, at) {
            let (from, to) = (uses.group_of[at], sinking.to);
            for &node in &sinking.nodes {
                uses.group_of[node] = to;
            }
            groups[from] = with_members(nodes, &groups[from], |node| uses.group_of[node] == from, &[]);
            groups[to] = with_members(nodes, &groups[to], |_| true, &sinking.nodes);
        }
    }
    groups.retain(|group| !group.members.is_empty());
}

/// Who writes and reads what.
struct Uses<'a> {
    /// By node: its group.
    group_of: Vec<usize>,
    /// By slot: the nodes that write it, and those that read it.
    writers: Vec<SmallVec<[usize; 2]>>,
    readers: Vec<SmallVec<[usize; 4]>>,
    live: &'a [bool],
}

impl Uses<'_> {
    fn of<'a>(nodes: &[Node], groups: &[Group], live: &'a [bool]) -> Uses<'a> {
        let mut uses = Uses {
            group_of: vec![0; nodes.len()],
            writers: vec![SmallVec::new(); live.len()],
            readers: vec![SmallVec::new(); live.len()],
            live,
        };
        for (number, group) in groups.iter().enumerate() {
            group.members.iter().for_each(|member| uses.group_of[member.node as usize] = number);
        }
        for (i, node) in nodes.iter().enumerate() {
            uses.writers[node.target.slot as usize].push(i);
            node.reads().for_each(|read| uses.readers[read.slot as usize].push(i));
        }
        uses
    }

    /// Whether a slot has a value that is written once, by this node, and is in memory for readers in other groups at most.
    fn is_temporary(&self, slot: u32) -> bool {
        !self.live[slot as usize] && self.writers[slot as usize].len() == 1
    }
}

/// Nodes that move.
struct Sinking {
    nodes: SmallVec<[usize; 8]>,
    /// The group that they move to.
    to: usize,
}

/// Whether a node's value is better computed in the group that reads it, and what moves with it.
fn sinking(nodes: &[Node], groups: &[Group], uses: &Uses<'_>, at: usize) -> Option<Sinking> {
    let (node, from) = (&nodes[at], uses.group_of[at]);
    let may_sink = |node: &Node| is_elementwise(node) && node.covers && uses.is_temporary(node.target.slot);
    let readers = &uses.readers[node.target.slot as usize];
    let to = uses.group_of[*readers.first()?];
    let group = &groups[to];
    if to <= from
        || !may_sink(node)
        || node.domain != group.domain
        || count(&node.domain) <= group.limits.pack_points
        || readers.iter().any(|&reader| uses.group_of[reader] != to || !reads_at_same_index(group, nodes, reader, node))
    {
        return None;
    }
    let mut moved: SmallVec<[usize; 8]> = SmallVec::new();
    moved.push(at);
    // What only they read moves along.
    for before in (0..at).rev().filter(|&before| uses.group_of[before] == from) {
        let readers = &uses.readers[nodes[before].target.slot as usize];
        if may_sink(&nodes[before]) && !readers.is_empty() && readers.iter().all(|reader| moved.contains(reader)) {
            moved.push(before);
        }
    }
    let is_moved = |slot: u32| moved.iter().any(|&node| nodes[node].target.slot == slot);
    let mut loaded: SmallVec<[&SlotAccess; 8]> = SmallVec::new();
    for &node in &moved {
        for read in nodes[node].reads().filter(|read| !is_moved(read.slot)) {
            if !is_in_memory(uses, read, node, (from, to)) {
                return None;
            }
            if !loaded.contains(&read) {
                loaded.push(read);
            }
        }
    }
    loaded.retain(|read| !group.loads().contains(read) && !group.stores().contains(read));
    let bytes: usize = loaded.iter().map(|read| if is_broadcast(read) { 0 } else { read.dtype.size() }).sum();
    let order = |accesses: &[&SlotAccess]| fastest_axes(&group.domain, accesses.iter().copied());
    let own = fastest_axes(&group.domain, group.loads().iter().chain(group.stores()));
    let fits = group.loads().len() + loaded.len() <= group.limits.loads
        && group.members.len() + moved.len() <= group.limits.nodes
        && group.admits(nodes, node, false) == Ok(Section::Body);
    (fits && bytes <= 2 * node.target.dtype.size() && order(&loaded) & !own == 0)
        .then_some(Sinking { nodes: moved, to })
}

/// Whether what a node reads is in memory, and the same, when a later group runs.
fn is_in_memory(uses: &Uses<'_>, read: &SlotAccess, node: usize, (from, to): (usize, usize)) -> bool {
    let slot = read.slot as usize;
    let is_stored = || {
        let writer = uses.writers[slot].last().map(|&writer| uses.group_of[writer]);
        uses.live[slot] || writer.is_none_or(|writer| writer != from)
    };
    let is_overwritten = |&writer: &usize| writer > node && uses.group_of[writer] <= to;
    is_stored() && !uses.writers[slot].iter().any(is_overwritten)
}

/// Whether a member of a group reads the value of a node where it is written, in the body.
fn reads_at_same_index(group: &Group, nodes: &[Node], reader: usize, value: &Node) -> bool {
    let is_in_body = group.members.iter().any(|m| m.node as usize == reader && m.section == Section::Body);
    let mut reads = nodes[reader].reads().filter(|read| read.slot == value.target.slot);
    is_in_body && reads.all(|read| *read == value.target)
}

fn is_broadcast(access: &SlotAccess) -> bool {
    access.strides.contains(&0)
}

/// A group with those of its members that stay, and with others in the body, in program order.
fn with_members(nodes: &[Node], group: &Group, stays: impl Fn(usize) -> bool, more: &[usize]) -> Group {
    let mut members: SmallVec<[Member; 16]> =
        group.members.iter().copied().filter(|m| stays(m.node as usize)).collect();
    members.extend(more.iter().map(|&node| Member { node: node as u32, section: Section::Body }));
    members.sort_by_key(|member| member.node);
    let in_body = members.iter().chain(&group.members).find(|member| member.section == Section::Body);
    let first = in_body.expect("a group has a body").node;
    let mut out = Group::new(&nodes[first as usize], group.refused, group.limits);
    members.iter().for_each(|member| out.add(&nodes[member.node as usize], member.node, member.section));
    out
}
