//! Fusion: which nodes run in one kernel.
//!
//! Nodes join groups greedily in program order. A node may join the latest group it depends on if every value passed between them
//! is used at the same index, or any later group over the same domain with which it shares memory. The axes of an elementwise node are
//! permuted if that lets it join, as where a transposed operand is updated. Every refusal has a name, which `explain` shows.

use crate::array::layout::{Shape, Strides, count};
use crate::plan::overlap::{Relation, are_mixed, fastest_axes, relate};
use crate::plan::trace::{Node, NodeInput, Operation, SlotAccess, is_live};
use fastnp_codegen::Fold;
use fastnp_codegen::cost::{
    DEVICE_LOADS, DEVICE_NODES, LINE_BYTES, MAX_LOADS, MAX_NODES, MAX_STREAMS, NON_TEMPORAL_BYTES, PACK_LOADS,
    PACK_POINTS, SHARED_CACHE_BYTES,
};
use smallvec::{SmallVec, smallvec};
use std::fmt;

/// How many groups back a node looks for one to join.
const LOOK_BACK: usize = 4;

/// Bytes of a row from which on it is folded by the kernel that computes and stores it. Two million products in rows of 8, kept, and their sums
/// take 3.4 ms in one kernel and 2.2 in two, in rows of 16 3.2 and 2.0. Longer rows, up to 64, would gain as well, but the loop that
/// computes them folds in another order than one that reads them: sums would depend on whether their terms are kept.
const MIN_STORED_ROW_BYTES: usize = 160;
/// The same for a fold that does not round, of a large result whose rows do not fill cache lines: only a map stores such rows past the caches. Two
/// million sums in rows of 50, kept, and the maxima of rows take 2.2 ms in one kernel and 1.6 in two, of 65 2.2 and 1.8, in rows of 125 1.85
/// both times (Zen 4).
const MIN_STORED_CROSSING_BYTES: usize = 768;

/// An order of axes.
type Order = SmallVec<[usize; 4]>;

/// The section of a kernel a node runs in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Section {
    /// At every point of the domain.
    Body,
    /// Once folds are done, at every outer point.
    Epilogue,
}

/// Why a node started a kernel of its own instead of joining the one it depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// Its iteration domain is another.
    Domain,
    /// It needs a finished fold at every point of the domain that is folded.
    Fold,
    /// It touches memory that the group writes, or writes memory that the group reads, at other indices.
    Overlap,
    /// The group folds over other axes.
    Axes,
    /// A template that holds nothing else (matrix product, scatter, a scan that is complete).
    Alone,
    /// It folds, or the group does, and one of them has a loop: reductions have no machine code for loops.
    Loop,
    /// The kernel would have too many operands.
    Operands,
    /// The kernel would have too many nodes.
    Nodes,
    /// It steps through memory in another order than what the kernel stores anyway.
    Order,
    /// The kernel would fold, and overwrite what it reads.
    Overwrites,
}

impl Refusal {
    /// Whether another order of axes may change it.
    fn depends_on_axes(self) -> bool {
        match self {
            Refusal::Domain | Refusal::Overlap | Refusal::Axes => true,
            Refusal::Fold
            | Refusal::Alone
            | Refusal::Loop
            | Refusal::Operands
            | Refusal::Nodes
            | Refusal::Order
            | Refusal::Overwrites => false,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Domain => "another domain",
            Refusal::Fold => "needs a finished fold",
            Refusal::Overlap => "overlapping memory at other indices",
            Refusal::Axes => "folds over other axes",
            Refusal::Alone => "a kernel of its own",
            Refusal::Loop => "a fold with a loop",
            Refusal::Operands => "too many operands",
            Refusal::Nodes => "too many nodes",
            Refusal::Order => "another order of memory",
            Refusal::Overwrites => "a fold beside what overwrites its operands",
        })
    }
}

/// A node of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) node: u32,
    pub(crate) section: Section,
}

/// The limits of the kernels of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelLimits {
    /// Nodes that a kernel may have.
    pub(crate) nodes: usize,
    /// Distinct memory operands that it may load.
    pub(crate) loads: usize,
    /// Points up to which an extra launch costs more than sharing one: unrelated nodes over so many are packed into one kernel.
    pub(crate) pack_points: usize,
    /// Operands that unrelated nodes over more points may read and write in one kernel.
    pub(crate) streams: usize,
    /// Whether kernels over more points that fold may overwrite what they read, and step through memory in several orders.
    pub(crate) folds_freely: bool,
}

impl KernelLimits {
    /// Those of the host.
    pub const HOST: KernelLimits = KernelLimits {
        nodes: MAX_NODES,
        loads: MAX_LOADS,
        pack_points: PACK_POINTS,
        streams: MAX_STREAMS,
        folds_freely: false,
    };

    pub(crate) const fn device(pack_points: usize) -> KernelLimits {
        let (nodes, loads, streams) = (DEVICE_NODES, DEVICE_LOADS, usize::MAX);
        KernelLimits { nodes, loads, pack_points, streams, folds_freely: true }
    }
}

/// Nodes fused into one kernel.
#[derive(Clone, Debug)]
pub struct Group {
    pub(crate) limits: KernelLimits,
    pub(crate) members: SmallVec<[Member; 8]>,
    pub(crate) domain: Shape,
    pub(crate) reduced: u64,
    /// The domain without the reduced axes.
    pub(crate) outer: Shape,
    /// Why the first node did not join the group it depends on.
    pub(crate) refused: Option<Refusal>,
    closed: bool,
    /// The axes along which the accesses of the body step through memory in the smallest steps, a bit each, and those of results that are
    /// reachable afterwards.
    fastest: u64,
    fastest_stored: u64,
    /// Distinct accesses that read memory from before the group.
    loads: Vec<SlotAccess>,
    /// Distinct accesses that the group writes.
    stores: Vec<SlotAccess>,
}

/// Groups nodes, in an order that respects every dependence. Permutes the axes of nodes. `live` says which slots are reachable afterwards.
pub fn group(nodes: &mut [Node], live: &[bool], limits: KernelLimits) -> Vec<Group> {
    let slots = nodes.iter().flat_map(|n| n.reads().map(|a| a.slot).chain([n.target.slot])).max().map_or(0, |s| s + 1);
    let mut written: Vec<i32> = vec![-1; slots as usize];
    let mut touched: Vec<i32> = vec![-1; slots as usize];
    let mut groups: Vec<Group> = Vec::new();
    for i in 0..nodes.len() {
        let node = &nodes[i];
        let read_after = node.reads().map(|a| written[a.slot as usize]).max().unwrap_or(-1);
        let depends = read_after.max(touched[node.target.slot as usize]);
        let (mut at, mut section, refused) = find(nodes, &groups, node, depends, live);
        if refused.is_some_and(Refusal::depends_on_axes)
            && at.is_none()
            && let Some(permuted) = groups[depends as usize].permuted(nodes, node)
            && let Ok(found) = groups[depends as usize].admits(nodes, &permuted, true)
        {
            (at, section) = (Some(depends as usize), found);
            nodes[i] = permuted;
        }
        let node = &nodes[i];
        let at = match at {
            Some(at) => at,
            None => {
                groups.push(Group::new(node, refused, limits));
                groups.len() - 1
            }
        };
        groups[at].add(node, i as u32, section);
        if section == Section::Body {
            groups[at].note_order(node, is_live(live, node.target.slot));
        }
        for access in node.reads() {
            let last = &mut touched[access.slot as usize];
            *last = (*last).max(at as i32);
        }
        let target = node.target.slot as usize;
        written[target] = written[target].max(at as i32);
        touched[target] = touched[target].max(at as i32);
    }
    groups
}

/// The group a node joins; none where it starts one, with the reason if it depends on a group.
fn find(
    nodes: &[Node],
    groups: &[Group],
    node: &Node,
    depends: i32,
    live: &[bool],
) -> (Option<usize>, Section, Option<Refusal>) {
    let mut refused = None;
    if depends >= 0 {
        let group = &groups[depends as usize];
        match group.admits(nodes, node, true) {
            Ok(section) => match group.better_apart(nodes, node, live) {
                None => return (Some(depends as usize), section, None),
                why => refused = why,
            },
            Err(why) => refused = Some(why),
        }
    }
    let first = (depends + 1) as usize;
    let later = || groups.iter().enumerate().skip(first).rev().take(LOOK_BACK);
    // The kernel of a group that makes the same fold makes it once.
    if node.reduced != 0
        && let Some((at, group)) = later().find(|(_, group)| group.has(nodes, |member| is_same(member, node)))
        && group.better_apart(nodes, node, live).is_none()
        && let Ok(section) = group.admits(nodes, node, false)
    {
        return (Some(at), section, None);
    }
    for (at, group) in later() {
        let related = count(&node.domain) <= group.limits.pack_points
            || group.loads.len() + node.sources.len() <= PACK_LOADS
            || group.shares_memory(nodes, node);
        if related
            && !group.is_in_another_order(node)
            && group.better_apart(nodes, node, live).is_none()
            && let Ok(section) = group.admits(nodes, node, false)
        {
            return (Some(at), section, None);
        }
    }
    (None, Section::Body, refused)
}

impl Group {
    pub(crate) fn new(node: &Node, refused: Option<Refusal>, limits: KernelLimits) -> Group {
        Group {
            limits,
            members: SmallVec::new(),
            domain: node.domain.clone(),
            reduced: 0,
            outer: Shape::new(),
            refused,
            closed: false,
            fastest: 0,
            fastest_stored: 0,
            loads: Vec::new(),
            stores: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, node: &Node, index: u32, section: Section) {
        if section == Section::Body && node.reduced != 0 {
            self.reduced = node.reduced;
            self.outer = outer_of(&self.domain, self.reduced);
        }
        self.closed |= needs_own_kernel(node) || node.scans();
        self.members.push(Member { node: index, section });
        for access in node.reads() {
            if !self.stores.contains(access) && !self.loads.contains(access) {
                self.loads.push(access.clone());
            }
        }
        if !self.stores.contains(&node.target) {
            self.stores.push(node.target.clone());
        }
    }

    /// The node with its axes in the order in which it steps through memory as the group does; none if that is the order it has, or if
    /// the order means something.
    fn permuted(&self, nodes: &[Node], node: &Node) -> Option<Node> {
        let is_free = match node.op {
            Operation::Apply(_) | Operation::Copy | Operation::Select | Operation::Part(..) | Operation::Loop(..) => {
                true
            }
            Operation::Fold(fold) => matches!(fold, Fold::Op(_)),
            Operation::Scan(_) | Operation::Ramp | Operation::Contract(_) | Operation::Gather | Operation::Scatter => {
                false
            }
        };
        if !is_free || node.domain.len() < 2 {
            return None;
        }
        for access in node.accesses() {
            for member in &self.members {
                let member = &nodes[member.node as usize];
                let mut same = member.reads().chain([&member.target]).filter(|other| other.slot == access.slot);
                if let Some(order) = same.find_map(|other| order_of(access, &node.domain, other, &member.domain)) {
                    return Some(node.with_axes(&order));
                }
            }
        }
        None
    }

    /// Notes the order in which a node of the body steps through memory.
    fn note_order(&mut self, node: &Node, is_stored: bool) {
        self.fastest |= fastest_axes(&node.domain, node.accesses());
        if is_stored {
            self.fastest_stored |= fastest_axes(&node.domain, [&node.target].into_iter());
        }
    }

    /// Why a kernel is faster without a node that it could have; none if it is not.
    fn better_apart(&self, nodes: &[Node], node: &Node, live: &[bool]) -> Option<Refusal> {
        if self.slows_down(node) || self.slows_fold(node, live) {
            return Some(Refusal::Order);
        }
        self.folds_in_place(nodes, node, live).then_some(Refusal::Overwrites)
    }

    /// Whether a node over many points would be the first that steps through memory in another order than results that are stored anyway: it
    /// can read them from memory instead. Of kernels over two orders one is read, or worse written, a few elements of a cache line at a
    /// time: `v = np.sqrt(c)` and `np.where(b > v, b, 0.0)` of a transposed `c` of 1000 × 1000 take 4.4 ms apart and more than 10 together.
    fn slows_down(&self, node: &Node) -> bool {
        let fastest = || fastest_axes(&node.domain, node.accesses());
        self.fastest_stored != 0
            && node.domain == self.domain
            && count(&node.domain) > self.limits.pack_points
            && fastest() & !self.fastest != 0
    }

    /// Whether a node would fold many points that are better computed by a kernel of their own: where the group steps through memory in several
    /// orders, and where rows are short and their values stored anyway. A map copies operands to its order block by block, a fold does not:
    /// `np.where(a > b.T, a, 0.0)` of a million doubles, kept, and its maxima take 1.9 ms in one kernel and 1.2 in two; of nine million 25 ms
    /// and 20, even if only the maxima are kept. For rows see [`MIN_STORED_ROW_BYTES`].
    fn slows_fold(&self, node: &Node, live: &[bool]) -> bool {
        let is_mixed = || self.reduced == 0 && self.fastest.count_ones() > 1;
        let is_exact =
            matches!(node.op, Operation::Fold(fold) if fold.row().is_none_or(|row| !row.rounds(node.compute)));
        let is_short = |a: &SlotAccess| {
            let bytes = self.row_folded(node, a) * a.dtype.size();
            let is_large = count(&self.domain) * a.dtype.size() >= NON_TEMPORAL_BYTES;
            let crosses_lines = is_exact && is_large && !bytes.is_multiple_of(LINE_BYTES);
            bytes < if crosses_lines { MIN_STORED_CROSSING_BYTES } else { MIN_STORED_ROW_BYTES }
        };
        let is_stored = |a: &SlotAccess| is_live(live, a.slot) && self.stores.contains(a);
        let is_along = |a: &SlotAccess| fastest_axes(&node.domain, [a].into_iter()) & node.reduced != 0;
        node.reduced != 0
            && node.domain == self.domain
            && !self.limits.folds_freely
            && count(&self.domain) > self.limits.pack_points
            && (is_mixed() || node.reads().any(|a| is_stored(a) && is_along(a) && is_short(a)))
    }

    /// Points that follow each other in memory and are folded into one element: of an access along the axis of the smallest steps, and
    /// along further ones that all accesses of the group and the fold step through as through one axis.
    fn row_folded(&self, fold: &Node, access: &SlotAccess) -> usize {
        let domain = &self.domain;
        let all = || self.loads.iter().chain(fold.reads()).filter(|a| a.strides.len() == domain.len());
        let fastest = fastest_axes(domain, [access].into_iter());
        let mut last = fastest.trailing_zeros() as usize;
        let (mut row, mut left) = (domain[last], fold.reduced & !fastest);
        let follows = |slower: usize, axis: usize| {
            domain[slower] == 1 || all().all(|a| a.strides[slower] == a.strides[axis] * domain[axis] as isize)
        };
        while let Some(slower) = (0..domain.len()).find(|&axis| left >> axis & 1 != 0 && follows(axis, last)) {
            row *= domain[slower];
            left &= !(1 << slower);
            last = if domain[slower] == 1 { last } else { slower };
        }
        row
    }

    /// Whether the group with a node over many points would fold, and overwrite what it reads. Machine code does not do both, as it runs rows
    /// again that raise flags or have special arguments: a sum of a million doubles and their product in place take 560 µs in one kernel and
    /// 200 in two, `x *= b; x += b` and the maxima of rows 690 and 420. But of four million the latter take 3.6 ms in one and 4.2 in two:
    /// what the caches do not hold is read once. (`x *= b` and the maxima of columns take 5.7 and 3.9.)
    fn folds_in_place(&self, nodes: &[Node], node: &Node, live: &[bool]) -> bool {
        let is_read = |slot: u32| {
            let before = node.reads().filter(|read| !self.stores.contains(read));
            self.loads.iter().chain(before).any(|read| read.slot == slot)
        };
        let is_map = |node: &&Node| node.reduced == 0 && node.domain == self.domain;
        let maps = || self.members.iter().map(|member| &nodes[member.node as usize]).chain([node]).filter(is_map);
        let is_overwritten = |slot: u32| is_live(live, slot) && is_read(slot);
        let is_cached = count(&self.domain) * node.compute.size() <= SHARED_CACHE_BYTES;
        let is_by_columns = || match fastest_axes(&node.domain, node.reads()) {
            0 => false,
            fastest => fastest & node.reduced == 0,
        };
        (self.reduced != 0 || (node.reduced != 0 && (is_cached || is_by_columns())))
            && !self.limits.folds_freely
            && count(&self.domain) > self.limits.pack_points
            && !node.scans()
            && maps().any(|node| is_overwritten(node.target.slot))
    }

    /// Whether a node over many points that needs nothing of the group steps through memory in another order: [`split`](crate::plan::split)
    /// would take it out again, unless a later node joins both.
    fn is_in_another_order(&self, node: &Node) -> bool {
        node.domain == self.domain
            && count(&node.domain) > self.limits.pack_points
            && are_mixed(self.fastest, fastest_axes(&node.domain, node.accesses()))
    }

    fn shares_memory(&self, nodes: &[Node], node: &Node) -> bool {
        self.members.iter().any(|m| {
            let member = &nodes[m.node as usize];
            member.reads().any(|a| node.reads().any(|b| a.slot == b.slot))
        })
    }

    /// Whether one of its nodes is of a kind.
    fn has(&self, nodes: &[Node], kind: impl Fn(&Node) -> bool) -> bool {
        self.members.iter().any(|m| kind(&nodes[m.node as usize]))
    }

    /// The accesses that read memory from before the group, each once.
    pub(crate) fn loads(&self) -> &[SlotAccess] {
        &self.loads
    }

    /// The accesses that the group writes, each once: to memory or to registers.
    pub(crate) fn stores(&self) -> &[SlotAccess] {
        &self.stores
    }

    /// Whether it is an elementwise map, to which others may be joined.
    pub(crate) fn is_map(&self) -> bool {
        self.reduced == 0 && !self.closed
    }

    /// The section in which the node could run in this group. `checked`: whether it may depend on the group's nodes.
    pub(crate) fn admits(&self, nodes: &[Node], node: &Node, checked: bool) -> Result<Section, Refusal> {
        if self.closed || needs_own_kernel(node) {
            return Err(Refusal::Alone);
        }
        let folds = |node: &Node| node.reduced != 0;
        let (has_loop, has_fold) = (self.has(nodes, Node::repeats), self.has(nodes, folds));
        if (has_loop || node.repeats()) && (has_fold || folds(node)) {
            return Err(Refusal::Loop);
        }
        if self.members.len() >= self.limits.nodes {
            return Err(Refusal::Nodes);
        }
        let is_new = |read: &&SlotAccess| !self.stores.contains(read) && !self.loads.contains(read);
        if self.loads.len() + node.sources.len() > self.limits.loads
            && self.loads.len() + node.reads().filter(is_new).count() > self.limits.loads
        {
            return Err(Refusal::Operands);
        }
        let section = self.section(node)?;
        if checked {
            for member in &self.members {
                let other = &nodes[member.node as usize];
                self.compatible(other, member.section, node, section)?;
            }
        }
        Ok(section)
    }

    fn section(&self, node: &Node) -> Result<Section, Refusal> {
        if node.domain == self.domain {
            return if node.reduced == 0 || self.reduced == 0 || (node.reduced == self.reduced && !node.scans()) {
                Ok(Section::Body)
            } else {
                Err(Refusal::Axes)
            };
        }
        if self.reduced != 0 && node.reduced == 0 && node.domain == self.outer {
            return Ok(Section::Epilogue);
        }
        Err(Refusal::Domain)
    }

    /// Whether `node` may follow `other` in one kernel: the hazard rules.
    fn compatible(&self, other: &Node, other_section: Section, node: &Node, section: Section) -> Result<(), Refusal> {
        let folded = other.reduced != 0;
        // Read after write.
        for read in node.reads().filter(|a| a.slot == other.target.slot) {
            if touches_any_index(node, read) {
                return Err(Refusal::Overlap);
            }
            let passed = match (section, other_section) {
                (Section::Body, Section::Body) => !folded && same(&other.target, &other.domain, read, &node.domain),
                (Section::Epilogue, Section::Body) if folded => {
                    self.at_outer(&other.target) == *read || disjoint(&other.target, other, read, node)
                }
                (Section::Epilogue, Section::Epilogue) => same(&other.target, &other.domain, read, &node.domain),
                (Section::Body, Section::Epilogue) | (Section::Epilogue, Section::Body) => false,
            };
            if !passed && !disjoint(&other.target, other, read, node) {
                return Err(if folded { Refusal::Fold } else { Refusal::Overlap });
            }
        }
        // Write after read, write after write.
        let same_section = section == other_section && node.reduced == 0;
        for access in other.reads().filter(|a| a.slot == node.target.slot) {
            let fine = same_section && same(access, &other.domain, &node.target, &node.domain);
            if touches_any_index(other, access) || !(fine || disjoint(access, other, &node.target, node)) {
                return Err(Refusal::Overlap);
            }
        }
        if other.target.slot == node.target.slot {
            let fine = same_section && !folded && same(&other.target, &other.domain, &node.target, &node.domain);
            if !(fine || disjoint(&other.target, other, &node.target, node)) {
                return Err(Refusal::Overlap);
            }
        }
        Ok(())
    }

    /// An access over the full domain as one over the outer axes.
    pub(crate) fn at_outer(&self, access: &SlotAccess) -> SlotAccess {
        let strides = outer_of_strides(&access.strides, self.reduced);
        SlotAccess { slot: access.slot, dtype: access.dtype, offset: access.offset, strides }
    }
}

/// An access of a member over the group's full domain: stride zero on reduced axes for what the epilogue touches.
pub(crate) fn full(access: &SlotAccess, group: &Group, section: Section) -> SlotAccess {
    if section == Section::Body {
        return access.clone();
    }
    let mut strides: Strides = smallvec![0; group.domain.len()];
    let outer = (0..group.domain.len()).filter(|i| group.reduced >> i & 1 == 0);
    for (axis, &stride) in outer.zip(&access.strides) {
        strides[axis] = stride;
    }
    SlotAccess { strides, ..access.clone() }
}

/// The order of axes in which an access is another one; none if the accesses differ, or if it is the order it has.
fn order_of(access: &SlotAccess, domain: &[usize], other: &SlotAccess, other_domain: &[usize]) -> Option<Order> {
    if access.offset != other.offset || domain.len() != other_domain.len() {
        return None;
    }
    let mut order = Order::new();
    for (&stride, &extent) in other.strides.iter().zip(other_domain) {
        let is_it = |axis: &usize| access.strides[*axis] == stride && domain[*axis] == extent && !order.contains(axis);
        order.push((0..domain.len()).find(is_it)?);
    }
    (!order.is_sorted()).then_some(order)
}

/// Whether two nodes compute the same if their sources hold the same.
fn is_same(a: &Node, b: &Node) -> bool {
    (a.op, a.compute, a.reduced) == (b.op, b.compute, b.reduced) && a.domain == b.domain && a.sources == b.sources
}

/// Whether a node must have a kernel of its own.
fn needs_own_kernel(node: &Node) -> bool {
    matches!(node.op, Operation::Contract(_) | Operation::Scatter)
}

/// Whether an access may touch any element of its storage, as a gather does.
fn touches_any_index(node: &Node, access: &SlotAccess) -> bool {
    node.op == Operation::Gather && matches!(&node.sources[0], NodeInput::Memory(a) if std::ptr::eq(a, access))
}

fn same(a: &SlotAccess, a_domain: &[usize], b: &SlotAccess, b_domain: &[usize]) -> bool {
    relate(a, a_domain, b, b_domain) == Relation::Same
}

fn disjoint(a: &SlotAccess, a_node: &Node, b: &SlotAccess, b_node: &Node) -> bool {
    relate(a, &a_node.domain, b, &b_node.domain) == Relation::Disjoint
}

/// The axes of a domain that are not reduced.
pub(crate) fn outer_of(domain: &[usize], reduced: u64) -> Shape {
    domain.iter().enumerate().filter(|(i, _)| reduced >> i & 1 == 0).map(|(_, &n)| n).collect()
}

fn outer_of_strides(strides: &[isize], reduced: u64) -> Strides {
    strides.iter().enumerate().filter(|(i, _)| reduced >> i & 1 == 0).map(|(_, &s)| s).collect()
}
