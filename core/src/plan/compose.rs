//! Composition: which groups run together, block by block of an axis that they share.
//!
//! A fold ends its group, as every point needs it finished. But along an axis that is not folded, only the same row needs it: softmax's
//! groups, run on a block of rows after each other, find the block in the cache. Consecutive groups are composed if they share an axis such
//! that memory that one of them writes is touched by the others at the same index of it only. Results that only they use are kept in
//! scratch memory of a block's size, and never get memory of their own.
//!
//! On the host, a group has to use what an earlier one writes, and one of them has to fold. Reading and writing memory go on side by side in a
//! kernel by itself, and one after the other in the stages of a block: a choice that is kept, and the deviations of one operand's rows (40,000
//! of 50 doubles), take 3.1 ms in one composition, and 2.55 as one and a kernel; `v = maximum(c * c - c, a); v[:, 1:] += b[:, 1:]`, and a choice
//! by it, 3.9 in stages and 3.0 in three kernels (2000 × 2000: 8.3 and 6.8; Zen 4).
//!
//! On a device they are one launch, in which each thread block takes one index of the axis through all groups.

use crate::array::layout::count;
use crate::plan::group::{Group, full};
use crate::plan::liveness::Liveness;
use crate::plan::overlap::{Relation, relate};
use crate::plan::trace::{Node, NodeInput, Operation, SlotAccess};
use fastnp_codegen::backend::composed::{MAX_DEVICE_ARGUMENT_BYTES, device_argument_bytes};
use fastnp_codegen::cost::{
    BLOCK_BYTES, BLOCK_SAVING, COMPOSED_BYTES, DEVICE_BLOCK_BYTES, DEVICE_BLOCK_POINTS, DEVICE_BLOCKS, LINE_READ,
    NON_TEMPORAL_BYTES, NON_TEMPORAL_FOOTPRINT, STRIP_BYTES, STRIP_ROW_BYTES, STRIP_SAVING, items_of_lines,
};
use smallvec::SmallVec;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicBool, Ordering};

/// The sizes that decide on the host.
#[derive(Clone, Copy)]
struct HostSizes {
    /// Bytes of a block of rows, and of a strip of columns.
    block: usize,
    strip: usize,
    /// Least bytes of a row of a strip, and of all operands.
    strip_row: usize,
    least: usize,
    /// The least part of the memory traffic that blocks save, and narrow strips.
    saving: f64,
    strip_saving: f64,
    /// Whether one of the groups has to fold.
    folds: bool,
}

/// The sizes that decide on a device.
#[derive(Clone, Copy)]
struct DeviceSizes {
    /// The fewest indices of the axis, each a thread block's, and the fewest points of one.
    indices: usize,
    points: usize,
    /// The most bytes of all operands at an index.
    bytes: usize,
}

/// Where groups are composed for.
#[derive(Clone, Copy)]
enum Sizes {
    Host(HostSizes),
    Device(DeviceSizes),
}

impl Sizes {
    fn now(is_host: bool) -> Sizes {
        let are_small = cfg!(debug_assertions) && ARE_SMALL.load(Ordering::Relaxed);
        match (is_host, are_small) {
            (true, false) => Sizes::Host(HostSizes {
                block: BLOCK_BYTES,
                strip: STRIP_BYTES,
                strip_row: STRIP_ROW_BYTES,
                least: COMPOSED_BYTES,
                saving: BLOCK_SAVING,
                strip_saving: STRIP_SAVING,
                folds: true,
            }),
            (true, true) => Sizes::Host(HostSizes {
                block: 256,
                strip: 256,
                strip_row: 0,
                least: 0,
                saving: -1.0,
                strip_saving: -1.0,
                folds: false,
            }),
            (false, false) => Sizes::Device(DeviceSizes {
                indices: DEVICE_BLOCKS,
                points: DEVICE_BLOCK_POINTS,
                bytes: DEVICE_BLOCK_BYTES,
            }),
            (false, true) => Sizes::Device(DeviceSizes { indices: 2, points: 1, bytes: 1 << 16 }),
        }
    }

    /// The fewest bytes of all operands.
    fn least(self) -> usize {
        match self {
            Sizes::Host(sizes) => sizes.least,
            Sizes::Device(_) => 0,
        }
    }
}

static ARE_SMALL: AtomicBool = AtomicBool::new(false);

/// Lets plans made from now on compose groups over small arrays too, in blocks of a few elements, or no more: for tests.
#[cfg(debug_assertions)]
pub fn compose_small(on: bool) {
    ARE_SMALL.store(on, Ordering::Relaxed);
}

/// Bytes of a page, within which the processor prefetches.
const PAGE_BYTES: usize = 4096;
/// Bytes of all operands at a point of a group that is composed, at most.
const MAX_POINT_BYTES: usize = 64;
/// Groups of a composition, which bounds the cost of planning.
const MAX_STAGES: usize = 12;

/// Groups that run together.
#[derive(Debug)]
pub(crate) struct Composition {
    /// The number of the first group; the others follow it.
    pub(crate) first: usize,
    /// By group: the shared axis in its domain.
    pub(crate) axes: SmallVec<[usize; 4]>,
    /// Indices of the axis, and of a block.
    pub(crate) extent: usize,
    pub(crate) block: usize,
    /// The slots in scratch memory.
    pub(crate) scratch: Vec<ScratchSlot>,
    pub(crate) scratch_bytes: usize,
    /// The slots that are written past the caches.
    pub(crate) nontemporal: SmallVec<[u32; 2]>,
}

/// A slot that is kept in scratch memory.
#[derive(Debug)]
pub(crate) struct ScratchSlot {
    pub(crate) slot: u32,
    /// The lowest byte that is touched, from the slot's base.
    low: isize,
    /// Bytes from one index of the shared axis to the next.
    step: isize,
    /// Where it is in scratch memory, and the stages that need it.
    range: Range<usize>,
    stages: RangeInclusive<usize>,
}

impl Composition {
    /// Where an access to a slot in scratch memory begins there; its strides become those over a block. None if the slot has memory of
    /// its own.
    pub(crate) fn in_scratch(&self, access: &SlotAccess, domain: &[usize], strides: &mut [isize]) -> Option<usize> {
        let place = self.scratch.iter().find(|s| s.slot == access.slot)?;
        Some(place.range.start + place.pack(access, domain, strides, (self.extent, self.block)))
    }
}

impl ScratchSlot {
    /// Makes the strides of an access those over a block, and returns its first byte from the slot's begin in scratch memory. Strides over
    /// several rows of the storage, each of which holds all indices of the shared axis, shrink to rows that hold a block's.
    fn pack(
        &self,
        access: &SlotAccess,
        domain: &[usize],
        strides: &mut [isize],
        (extent, block): (usize, usize),
    ) -> usize {
        let row = self.step * extent as isize;
        let mut first = lowest(access, domain) - self.low;
        for (stride, &n) in strides.iter_mut().zip(domain) {
            if stride.abs() >= row {
                *stride = *stride / row * (self.step * block as isize);
            }
            if *stride < 0 {
                first += (n as isize - 1) * -*stride;
            }
        }
        first as usize
    }
}

/// The compositions of a plan's groups, in order. A group is in at most one.
pub(crate) fn compose(nodes: &[Node], groups: &[Group], liveness: &Liveness, is_host: bool) -> Vec<Composition> {
    let sizes = Sizes::now(is_host);
    let mut out = Vec::new();
    let mut first = 0;
    while first + 1 < groups.len() {
        match longest(nodes, groups, first, liveness, sizes) {
            Some(found) => {
                first += found.axes.len();
                out.push(found);
            }
            None => first += 1,
        }
    }
    out
}

/// The composition of the most groups from this one on.
fn longest(nodes: &[Node], groups: &[Group], first: usize, liveness: &Liveness, sizes: Sizes) -> Option<Composition> {
    let group = &groups[first];
    // Most groups are small, and comparing accesses takes longer than planning them.
    if count(&group.domain).saturating_mul(MAX_POINT_BYTES) < sizes.least() || !is_composable(nodes, group, sizes) {
        return None;
    }
    let mut best: Option<Composition> = None;
    for axis in shared_axes(group) {
        let mut all: Vec<(usize, BlockAccess)> = accesses(nodes, group, axis).into_iter().map(|a| (0, a)).collect();
        let mut axes: SmallVec<[usize; 4]> = SmallVec::from_slice(&[axis]);
        for next in groups[first + 1..].iter().take(MAX_STAGES - 1) {
            match extend(nodes, &all, next, group.domain[axis], sizes) {
                Some((axis, more)) => {
                    all.extend(more.into_iter().map(|access| (axes.len(), access)));
                    axes.push(axis);
                }
                None => break,
            }
        }
        if axes.len() > best.as_ref().map_or(1, |best| best.axes.len())
            && let Some(found) = composition(nodes, groups, first, axes, &all, liveness, sizes)
        {
            best = Some(found);
        }
    }
    best
}

/// The axis along which a group may follow these accesses, and its own accesses.
fn extend(
    nodes: &[Node],
    before: &[(usize, BlockAccess)],
    next: &Group,
    extent: usize,
    sizes: Sizes,
) -> Option<(usize, Vec<BlockAccess>)> {
    if !is_composable(nodes, next, sizes) {
        return None;
    }
    shared_axes(next).filter(|&axis| next.domain[axis] == extent).find_map(|axis| {
        let more = accesses(nodes, next, axis);
        // On a device each launch less counts.
        let counts = |b: &BlockAccess| b.is_write || matches!(sizes, Sizes::Device(_));
        let uses = |a: &BlockAccess, b: &BlockAccess| a.access.slot == b.access.slot && counts(b);
        let depends = more.iter().any(|a| before.iter().any(|(_, b)| uses(a, b)));
        let fits = more.iter().all(|a| before.iter().all(|(_, b)| a.stays_apart(b, extent)));
        (depends && fits).then_some((axis, more))
    })
}

/// Whether the group is a kernel whose points along an axis may be run in parts: no coordinates, no writes at other indices.
fn is_composable(nodes: &[Node], group: &Group, sizes: Sizes) -> bool {
    let is_host = matches!(sizes, Sizes::Host(_));
    group.members.iter().all(|m| match nodes[m.node as usize].op {
        Operation::Contract(_) | Operation::Scatter | Operation::Ramp | Operation::Loop(..) => false,
        Operation::Apply(_) | Operation::Copy | Operation::Select | Operation::Fold(_) | Operation::Part(..) => true,
        Operation::Scan(_) | Operation::Gather => is_host,
    })
}

/// The axes that a group may share: those that it neither folds nor scans.
fn shared_axes(group: &Group) -> impl Iterator<Item = usize> {
    (0..group.domain.len()).filter(|axis| group.reduced >> axis & 1 == 0)
}

/// An access over the domain of its group.
struct BlockAccess {
    access: SlotAccess,
    domain: SmallVec<[usize; 4]>,
    axis: usize,
    is_write: bool,
    /// Whether it may touch any element of its storage.
    is_gather: bool,
}

fn accesses(nodes: &[Node], group: &Group, axis: usize) -> Vec<BlockAccess> {
    let mut out: Vec<BlockAccess> = Vec::new();
    let mut add = |access: SlotAccess, is_write: bool, is_gather: bool| {
        let same = |a: &BlockAccess| a.access == access && (a.is_write, a.is_gather) == (is_write, is_gather);
        if !out.iter().any(same) {
            out.push(BlockAccess { access, domain: SmallVec::from_slice(&group.domain), axis, is_write, is_gather });
        }
    };
    for member in &group.members {
        let node = &nodes[member.node as usize];
        for (i, read) in node.reads().enumerate() {
            add(full(read, group, member.section), false, node.op == Operation::Gather && i == 0);
        }
        add(full(&node.target, group, member.section), true, false);
    }
    out
}

impl BlockAccess {
    fn step(&self) -> isize {
        self.access.strides[self.axis]
    }

    /// Whether an index of the shared axis is a column of its elements: another axis takes larger steps through memory.
    fn is_strip(&self) -> bool {
        let is_outer = |a: usize| self.domain[a] > 1 && self.access.strides[a].abs() > self.step().abs();
        self.step() != 0 && (0..self.domain.len()).any(|a| a != self.axis && is_outer(a))
    }

    /// Whether the two touch no common byte at different indices of the shared axis, as far as it matters: two reads may.
    fn stays_apart(&self, other: &BlockAccess, extent: usize) -> bool {
        if self.access.slot != other.access.slot || !(self.is_write || other.is_write) {
            return true;
        }
        if self.is_gather || other.is_gather {
            return false;
        }
        relate(&self.access, &self.domain, &other.access, &other.domain) == Relation::Disjoint
            || self.window(extent).zip(other.window(extent)).is_some_and(|(a, b)| a.shares(&b))
    }

    /// The window of memory that it touches at one index.
    fn window(&self, extent: usize) -> Option<Window> {
        let step = self.step();
        if step <= 0 {
            return None;
        }
        let row = step.checked_mul(extent as isize)?;
        let (mut bytes, mut is_grid) = (self.access.dtype.size() as isize, true);
        for (axis, (&stride, &n)) in self.access.strides.iter().zip(&self.domain).enumerate() {
            let stride = stride.abs();
            if axis == self.axis || stride == 0 || n < 2 {
            } else if stride < step {
                bytes += (n as isize - 1) * stride;
            } else {
                is_grid &= stride % row == 0;
            }
        }
        let low = lowest(&self.access, &self.domain);
        is_grid.then_some(Window { low, bytes, step, row })
    }

    /// Bytes that it touches at one index of the shared axis, and at any.
    fn footprint(&self) -> (usize, usize) {
        let others = (0..self.domain.len()).filter(|&a| a != self.axis && self.access.strides[a] != 0);
        let bytes = others.map(|a| self.domain[a]).product::<usize>() * self.access.dtype.size();
        if self.step() == 0 { (0, bytes) } else { (bytes, bytes * self.domain[self.axis]) }
    }
}

/// The bytes of a storage that an access touches at index `i` of the shared axis: `bytes` of them from `low + i * step` on, and the same a
/// whole number of rows further, where a row holds all indices.
#[derive(Clone, Copy)]
struct Window {
    low: isize,
    bytes: isize,
    step: isize,
    row: isize,
}

impl Window {
    /// Whether two accesses touch the same bytes at the same index only.
    fn shares(&self, other: &Window) -> bool {
        if self.step != other.step || self.row != other.row {
            return false;
        }
        // Both within one step, which begins at the lower one.
        let distance = (other.low - self.low).rem_euclid(self.row);
        let (first, second, distance) =
            if distance < self.step { (self, other, distance) } else { (other, self, self.row - distance) };
        distance < self.step && first.bytes.max(distance + second.bytes) <= self.step
    }
}

/// The lowest byte that an access touches, from its slot's base.
fn lowest(access: &SlotAccess, domain: &[usize]) -> isize {
    let down = access.strides.iter().zip(domain).filter(|(s, _)| **s < 0);
    access.offset + down.map(|(&s, &n)| s * (n as isize - 1)).sum::<isize>()
}

/// The composition of groups along these axes, whose accesses are given with their stages, if it saves memory traffic.
fn composition(
    nodes: &[Node],
    groups: &[Group],
    first: usize,
    axes: SmallVec<[usize; 4]>,
    all: &[(usize, BlockAccess)],
    liveness: &Liveness,
    sizes: Sizes,
) -> Option<Composition> {
    let extent = groups[first].domain[axes[0]];
    let operands = operands(all, first, liveness);
    // The stage at which most is needed at once.
    let most = |bytes: fn(&StagedSlot) -> usize| {
        let at = |stage: usize| operands.iter().filter(|o| o.stages.contains(&stage)).map(bytes).sum::<usize>();
        (0..axes.len()).map(at).max().unwrap_or(0)
    };
    let (of_index, of_all) = (most(|o| o.of_index), most(|o| o.of_all));
    let largest = &all.iter().max_by_key(|(_, a)| a.footprint().1)?.1;
    // A block of rows is contiguous; a strip of columns has rows of some elements. What has one element a row is small either way.
    let is_large = |access: &&BlockAccess| 8 * access.footprint().1 >= largest.footprint().1;
    let strips = all.iter().map(|(_, access)| access).filter(is_large).filter(|access| access.is_strip());
    let narrowest = strips.map(|access| access.step().abs()).min();
    let is_strip = narrowest.is_some();
    // As where a kernel is not composed, if no other stage uses it.
    let footprint: usize = operands.iter().map(|o| o.of_all).sum();
    let is_large = |o: &StagedSlot| o.of_all >= NON_TEMPORAL_BYTES || footprint >= NON_TEMPORAL_FOOTPRINT;
    let is_large_result = |o: &&StagedSlot| is_large(o) && o.stages.start() == o.stages.end();
    let nontemporal: SmallVec<[u32; 2]> = operands.iter().filter(is_large_result).map(|o| o.slot).collect();
    let block = match sizes {
        Sizes::Host(sizes) => {
            let bytes = if is_strip { sizes.strip } else { sizes.block };
            let block = (bytes / of_index.max(1)).clamp(1, extent);
            let row = narrowest.map(|step| block * step as usize);
            let is_narrow = row.is_some_and(|row| row < sizes.strip_row);
            // What stages after the first move again, and what only these stages use; the rest is moved as without composition, slowly where
            // each row is on another page. A large result that is written first, and written past the caches without composition, has its lines
            // read.
            let (mut moved, mut saved) = (0.0, 0.0);
            for o in &operands {
                let (users, bytes) = (o.users as f64, o.of_all as f64);
                let is_within = o.begins_written && liveness.ends(o.slot, first + o.stages.end());
                let loses = o.begins_written && o.users > 1 && is_large(o);
                moved += users * bytes;
                saved += bytes * if is_within { users } else { users - 1.0 - if loses { LINE_READ } else { 0.0 } };
            }
            let is_short = row.is_some_and(|row| row < PAGE_BYTES);
            let least = if is_short { sizes.strip_saving } else { sizes.saving };
            let saves_little = saved < least * moved;
            let folds = groups[first..][..axes.len()].iter().any(|group| group.reduced != 0);
            if (sizes.folds && !folds)
                || of_all < sizes.least
                || of_index > bytes
                || is_narrow
                || saves_little
                || block == extent
            {
                return None;
            }
            // Blocks of what is written past the caches begin with cache lines.
            let of_result = |access: &&BlockAccess| access.is_write && nontemporal.contains(&access.access.slot);
            let steps = all.iter().map(|(_, access)| access).filter(of_result).map(BlockAccess::step);
            let lines = steps.map(|step| items_of_lines(step.unsigned_abs())).max();
            block - lines.map_or(0, |lines| block % lines.min(block))
        }
        Sizes::Device(sizes) => {
            let points = largest.footprint().0 / largest.access.dtype.size();
            let composed = &groups[first..][..axes.len()];
            let arguments = composed.iter().map(|group| argument_bytes(nodes, group)).sum::<usize>();
            let is_small = extent < sizes.indices || points < sizes.points;
            if is_strip || is_small || of_index > sizes.bytes || arguments > MAX_DEVICE_ARGUMENT_BYTES {
                return None;
            }
            1
        }
    };
    let mut out = Composition { first, axes, extent, block, scratch: Vec::new(), scratch_bytes: 0, nontemporal };
    for operand in &operands {
        let touching = all.iter().map(|(_, access)| access).filter(|a| a.access.slot == operand.slot);
        out.add_scratch(nodes, groups, operand, &touching.collect::<Vec<_>>(), liveness);
    }
    Some(out)
}

/// Bytes of a device's arguments of a group, at most.
fn argument_bytes(nodes: &[Node], group: &Group) -> usize {
    let members = group.members.iter().map(|m| &nodes[m.node as usize]);
    let scalars = members.flat_map(|node| &node.sources).filter(|s| !matches!(s, NodeInput::Memory(_))).count();
    device_argument_bytes(group.loads().len() + group.stores().len(), scalars, group.domain.len())
}

/// A slot that a composition has in memory.
struct StagedSlot {
    slot: u32,
    /// Bytes at one index of the shared axis, and at all, by the widest access.
    of_index: usize,
    of_all: usize,
    /// From the first stage that touches it to the last, and how many do.
    stages: RangeInclusive<usize>,
    users: usize,
    /// Whether it is written before it is read.
    begins_written: bool,
}

/// The slots that these accesses touch in memory: what begins and ends in one group is in registers.
fn operands(all: &[(usize, BlockAccess)], first: usize, liveness: &Liveness) -> Vec<StagedSlot> {
    let mut out: Vec<StagedSlot> = Vec::new();
    for (stage, access) in all {
        let slot = access.access.slot;
        if liveness.begins(slot, first + stage) && liveness.ends(slot, first + stage) {
            continue;
        }
        let (of_index, of_all) = access.footprint();
        match out.iter_mut().find(|o| o.slot == slot) {
            Some(known) => {
                (known.of_index, known.of_all) = (known.of_index.max(of_index), known.of_all.max(of_all));
                known.users += usize::from(known.stages.end() != stage);
                known.stages = *known.stages.start()..=*stage;
            }
            None => {
                let (stages, begins_written) = (*stage..=*stage, access.is_write);
                out.push(StagedSlot { slot, of_index, of_all, stages, users: 1, begins_written });
            }
        }
    }
    out
}

impl Composition {
    /// Keeps a slot in scratch memory, if only these groups use it and every access to it is a block's part of the same rows. Slots that
    /// are not needed at the same stage share memory.
    fn add_scratch(
        &mut self,
        nodes: &[Node],
        groups: &[Group],
        operand: &StagedSlot,
        own: &[&BlockAccess],
        liveness: &Liveness,
    ) {
        let slot = operand.slot;
        let groups = &groups[self.first..][..self.axes.len()];
        let last = self.first + groups.len() - 1;
        let is_within = liveness.first[slot as usize].is_some_and(|g| g as usize >= self.first)
            && liveness.last[slot as usize].is_some_and(|g| g as usize <= last)
            && !liveness.is_live(slot);
        let touching = |node: &&Node| node.target.slot == slot || node.reads().any(|a| a.slot == slot);
        let members = groups.iter().flat_map(|g| g.members.iter().map(|m| m.node));
        let earliest = members.map(|n| &nodes[n as usize]).filter(touching).min_by_key(|node| node.index);
        // Nothing of what the memory held before is read.
        let is_fresh = earliest.is_some_and(|n| n.target.slot == slot && n.covers && n.reads().all(|a| a.slot != slot));
        if !(is_within && is_fresh) {
            return;
        }
        let Some(low) = own.iter().map(|a| lowest(&a.access, &a.domain)).min() else { return };
        let step = own.iter().map(|a| a.step()).max().unwrap_or(0);
        let is_part = |a: &&BlockAccess| {
            a.step() == step
                && !a.is_gather
                && a.window(self.extent).is_some_and(|window| (window.low - low) + window.bytes <= step)
        };
        if !own.iter().all(is_part) {
            return;
        }
        let mut place = ScratchSlot { slot, low, step, range: 0..0, stages: operand.stages.clone() };
        let end = |a: &&BlockAccess| {
            let mut domain = a.domain.clone();
            domain[a.axis] = self.block;
            let mut strides = a.access.strides.clone();
            place.pack(&a.access, &domain, &mut strides, (self.extent, self.block));
            let reach = strides.iter().zip(&domain).map(|(s, &n)| s.unsigned_abs() * n.saturating_sub(1));
            (lowest(&a.access, &a.domain) - low) as usize + reach.sum::<usize>() + a.access.dtype.size()
        };
        let bytes = own.iter().map(end).max().unwrap_or(0).next_multiple_of(64);
        // First fit: past the slots that are needed at the same stage and would overlap.
        let mut start = 0;
        let meets = |s: &ScratchSlot| s.stages.start() <= place.stages.end() && place.stages.start() <= s.stages.end();
        while let Some(s) =
            (self.scratch.iter()).find(|s| meets(s) && s.range.start < start + bytes && start < s.range.end)
        {
            start = s.range.end;
        }
        place.range = start..start + bytes;
        self.scratch_bytes = self.scratch_bytes.max(place.range.end);
        self.scratch.push(place);
    }
}
