//! What a kernel's text depends on besides the kernel: how a launch's operands lie, and how its points are shared out.
//!
//! A [`Form`] holds no size and no stride, only what kind of stride each operand has along the axis that a thread's points lie on,
//! so there are few forms of a kernel. Sizes and strides are arguments of the launch ([`Geometry`]). Both follow from the launch
//! alone, never from the device, so the same data folds in the same order everywhere.

use crate::cuda::text::fold;
use crate::{DType, Inst, Kernel, Launch, Template};
use smallvec::SmallVec;

/// Threads of a block.
pub(crate) const THREADS: u32 = 256;
/// Blocks of a grid, at most: eight for each of 132 multiprocessors; what is more is walked.
pub(crate) const BLOCKS: u64 = 1056;
/// Bytes that a thread reads of an operand at once: two loads of the widest kind.
const LOT_BYTES: usize = 32;
/// The same where operands do not lie in its order: neighbouring threads then share fewer cache lines.
const LOOSE_BYTES: usize = 16;
/// Bytes that a thread's points hold of accumulators, in folds: each point of a lot has its own, twice.
const FOLDED_BYTES: usize = 32;
/// Bytes of arguments that every device and driver passes; from CUDA 12.1 on they pass 32,764.
const ARGUMENTS: usize = 4096;
/// Points that a lane folds one after the other before it adds them to a total: sums stay as accurate as pairwise ones.
pub(crate) const RUN: usize = 32;
/// Parts that the inner points of one outer point are divided into, at most.
const PARTS: u64 = 1024;

/// How an operand lies along the axis of a thread's points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Step {
    /// Element by element, aligned for the widest loads.
    Packed,
    /// At one place.
    Same,
    /// At any distance.
    Apart,
}

/// Which axes neighbouring threads go along.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Along {
    /// The inner: threads fold together.
    Inner,
    /// The outer: each thread folds for itself.
    Outer,
}

/// What a text is made for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Form {
    /// Whether positions and offsets need 64 bits.
    pub(crate) wide: bool,
    /// Points of a thread, next to each other along the last axis.
    pub(crate) lot: usize,
    /// How each operand lies along that axis.
    pub(crate) steps: SmallVec<[Step; 8]>,
    /// Which way threads go in folds.
    pub(crate) along: Along,
    /// Whether the arguments lie in memory, being more than a launch passes.
    pub(crate) by_address: bool,
}

/// How a text is launched, and what its threads are told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Blocks in x and y.
    pub grid: [u32; 2],
    /// Threads of a block in x and y.
    pub block: [u32; 2],
    /// Launches one after the other, which are told their number; one is told that it is the last.
    pub phases: u32,
    /// Bytes for what parts of folds come to.
    pub parts: usize,
    /// Slots of sixteen bytes, zero, for the elements that points of a scatter claim: none, or a power of two.
    pub claims: usize,
    /// The argument `d`: words of four bytes, or of eight in wide forms.
    pub domain: Vec<u8>,
}

/// How many elements a point of a kernel scatters.
pub(crate) fn scatters(kernel: &Kernel) -> usize {
    kernel.body.insts.iter().filter(|i| matches!(i, Inst::Scatter(..))).count()
}

/// The form and the geometry of a launch; none where it has no points.
pub(crate) fn of(kernel: &Kernel, launch: &Launch<'_>) -> Option<(Form, Geometry)> {
    let outer: u64 = launch.outer.iter().map(|&e| e as u64).product();
    let inner: u64 = launch.inner.iter().map(|&e| e as u64).product();
    if outer == 0 || inner == 0 && kernel.template != Template::Reduce {
        return None;
    }
    let along = along(kernel, launch, outer);
    let by_lots = kernel.template == Template::Map || along == Along::Inner && !launch.inner.is_empty();
    let (lot, steps) = lot(kernel, launch, by_lots);
    let extents: SmallVec<[usize; 8]> = launch.outer.iter().chain(launch.inner).copied().collect();
    let last = extents.last().map_or(1, |&e| e as u64);
    // Of the last axis lots are counted, not points.
    let row = last.div_ceil(lot as u64);
    let per_row = |points: u64| points.checked_div(last).unwrap_or(0) * row;
    let (outer, inner) = match (kernel.template, launch.inner.is_empty()) {
        (Template::Map, _) => (per_row(outer), 1),
        (_, true) => (outer, inner),
        (_, false) => (outer, per_row(inner)),
    };
    let reach = (0..kernel.operands.len()).map(|m| reach(launch, m)).max().unwrap_or(0);
    let wide = outer.saturating_mul(inner.max(1)).saturating_mul(lot as u64) >= 1 << 30 || reach >= 1 << 31;
    let mut form = Form { wide, lot, steps, along, by_address: false };
    let shares = Shares::of(kernel, &form, outer, inner);
    let words = 4 + 3 * extents.len() + launch.strides.len();
    let mut domain = Words { wide, bytes: Vec::with_capacity(8 * words) };
    [outer, inner, last, shares.segment].into_iter().for_each(|n| domain.push(n as i64));
    for (axis, &extent) in extents.iter().enumerate() {
        domain.axis(if axis + 1 == extents.len() { row } else { extent as u64 });
    }
    launch.strides.iter().for_each(|&s| domain.push(s as i64));
    // Each at a multiple of its size, of sixteen bytes at most, and three words more.
    form.by_address = 8 * kernel.operands.len() + 16 * kernel.scalars.len() + domain.bytes.len() + 32 > ARGUMENTS;
    let claims = match scatters(kernel) {
        0 => 0,
        scatters => (2 * scatters * outer as usize * lot).next_power_of_two(),
    };
    let geometry = Geometry {
        grid: shares.grid,
        block: shares.block,
        phases: if claims > 0 || kernel.template == Template::Scan && shares.grid[1] > 1 { 2 } else { 1 },
        parts: if shares.grid[1] > 1 { outer as usize * shares.grid[1] as usize * fold::size(kernel) } else { 0 },
        claims,
        domain: domain.bytes,
    };
    Some((form, geometry))
}

/// How far an operand's offsets go.
fn reach(launch: &Launch<'_>, operand: usize) -> u64 {
    let extents = launch.outer.iter().chain(launch.inner);
    let spans = launch.strides_of(operand).iter().zip(extents);
    spans.map(|(s, &e)| s.unsigned_abs() as u64 * (e as u64).saturating_sub(1)).sum()
}

/// Whether threads go along the outer axes: where most loads have the smaller strides there.
fn along(kernel: &Kernel, launch: &Launch<'_>, outer: u64) -> Along {
    if kernel.template == Template::Map || outer == 1 {
        return Along::Inner;
    }
    let loads: Vec<u16> =
        kernel.body.insts.iter().filter_map(|i| if let Inst::Load(m) = i { Some(m.0) } else { None }).collect();
    if crate::portable::by_columns(&loads, launch) { Along::Outer } else { Along::Inner }
}

/// Points of a lot, and how operands lie in it.
fn lot(kernel: &Kernel, launch: &Launch<'_>, by_lots: bool) -> (usize, SmallVec<[Step; 8]>) {
    let rank = launch.outer.len() + launch.inner.len();
    let last = launch.outer.iter().chain(launch.inner).last().copied().unwrap_or(1);
    let widest = kernel.operands.iter().map(|o| o.dtype.size()).max().unwrap_or(1);
    let most = if kernel.template == Template::Map { 16 } else { (FOLDED_BYTES / fold::size(kernel)).clamp(1, 16) };
    let most = (1 << most.ilog2()).min(last.next_power_of_two());
    let fits = |bytes: usize| (bytes / widest).clamp(1, most);
    let steps = |lot: usize| -> SmallVec<[Step; 8]> {
        (0..kernel.operands.len()).map(|m| step(kernel.operands[m].dtype, launch, m, lot)).collect()
    };
    if rank == 0 || !by_lots {
        return (1, steps(1));
    }
    let packed = steps(fits(LOT_BYTES));
    if packed.iter().all(|&s| s != Step::Apart) {
        return (fits(LOT_BYTES), packed);
    }
    (fits(LOOSE_BYTES), steps(fits(LOOSE_BYTES)))
}

fn step(dtype: DType, launch: &Launch<'_>, operand: usize, lot: usize) -> Step {
    let strides = launch.strides_of(operand);
    let Some((&along, others)) = strides.split_last() else { return Step::Same };
    let align = (lot * dtype.size()).min(16);
    let is_even = |n: usize| n.is_multiple_of(align);
    if along == 0 {
        Step::Same
    } else if lot > 1
        && along == dtype.size() as isize
        && is_even(launch.addresses[operand] as usize)
        && others.iter().all(|s| is_even(s.unsigned_abs()))
    {
        Step::Packed
    } else {
        Step::Apart
    }
}

/// How points are shared out among threads.
struct Shares {
    grid: [u32; 2],
    block: [u32; 2],
    /// Lots of the inner domain that a part of a scan takes.
    segment: u64,
}

impl Shares {
    fn of(kernel: &Kernel, form: &Form, outer: u64, inner: u64) -> Shares {
        let threads = u64::from(THREADS);
        if kernel.template == Template::Map {
            let blocks = outer.div_ceil(threads).clamp(1, BLOCKS);
            return Shares { grid: [blocks as u32, 1], block: [THREADS, 1], segment: 0 };
        }
        // Lanes work on one outer point together; a column's scan has one.
        let lanes = match (form.along, kernel.template) {
            (Along::Inner, _) => inner.div_ceil(4).next_power_of_two().clamp(4, threads),
            (Along::Outer, Template::Scan) => 1,
            (Along::Outer, _) => inner.next_power_of_two().clamp(1, 8),
        };
        let groups = threads / lanes;
        let blocks = outer.div_ceil(groups);
        // Where the outer points are too few to fill the device, several blocks work on each.
        let least = if kernel.template == Template::Scan { 8 } else { 4 };
        let parts = (inner / (lanes * least)).min(BLOCKS.div_ceil(blocks)).clamp(1, PARTS);
        let segment = inner.div_ceil(parts);
        let grid = [blocks.clamp(1, 1 << 20) as u32, parts as u32];
        let block = match form.along {
            Along::Inner => [lanes as u32, groups as u32],
            Along::Outer => [groups as u32, lanes as u32],
        };
        Shares { grid, block, segment }
    }
}

/// Words of an argument.
struct Words {
    wide: bool,
    bytes: Vec<u8>,
}

impl Words {
    fn push(&mut self, n: i64) {
        if self.wide {
            self.bytes.extend(n.to_le_bytes());
        } else {
            self.bytes.extend((n as i32).to_le_bytes());
        }
    }

    /// An extent; in narrow forms with what division by it is a product with.
    fn axis(&mut self, extent: u64) {
        self.push(extent as i64);
        if !self.wide {
            let (multiplier, shift) = reciprocal(extent as u32);
            self.push(i64::from(multiplier));
            self.push(i64::from(shift));
        }
    }
}

/// `m` and `s` for which `n / d` is the upper half of `n * m`, moved right by `s`, for n below 2^31 and d from 2 on
/// (Granlund and Montgomery 1994).
fn reciprocal(divisor: u32) -> (u32, u32) {
    if divisor < 2 {
        return (0, 0);
    }
    let bits = 32 - (divisor - 1).leading_zeros();
    ((1u64 << (31 + bits)).div_ceil(u64::from(divisor)) as u32, bits - 1)
}

#[cfg(test)]
mod tests {
    use super::reciprocal;

    #[test]
    fn products_divide() {
        for d in (2..3000).chain([65_535, 65_536, 1 << 30, (1 << 31) - 1]) {
            let (m, s) = reciprocal(d);
            for n in [0, 1, d - 1, d, d.saturating_add(1), 2 * (d / 2), 1 << 30, (1 << 31) - 2, (1 << 31) - 1] {
                assert_eq!((((u64::from(n) * u64::from(m)) >> 32) as u32) >> s, n / d, "{n} / {d}");
            }
        }
    }
}
