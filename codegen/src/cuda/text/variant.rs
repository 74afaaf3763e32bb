//! Variants of a kernel's text: what the text depends on besides the kernel, and the geometry of a launch.
//!
//! A [`Variant`] holds no size and no stride, only how each operand is accessed along the axis of a thread's items,
//! so a kernel has few variants. Sizes and strides are arguments of the launch ([`Geometry`]). Both follow from the launch
//! alone, never from the device, so the same data folds in the same order everywhere.

use crate::cuda::text::fold;
use crate::cuda::text::fold::FoldAxis;
use crate::{DType, Inst, Kernel, Launch, Template};
use smallvec::SmallVec;

/// Threads of a block.
pub(crate) const THREADS_PER_BLOCK: u32 = 256;
/// The most blocks of a grid: eight for each of 132 multiprocessors. Larger domains loop over the grid.
pub(crate) const MAX_BLOCKS: u64 = 1056;
/// Bytes that a thread reads of a packed operand at once: two of the widest loads.
const PACKED_ITEM_BYTES: usize = 32;
/// The same where an operand is strided: neighbouring threads then share fewer cache lines.
const STRIDED_ITEM_BYTES: usize = 16;
/// Bytes of accumulators that a thread holds in folds: each of its items has its own, twice.
const ACCUMULATOR_BYTES: usize = 32;
/// Bytes of arguments that every driver passes; from CUDA 12.1 on it is 32,764.
pub(crate) const MAX_ARGUMENT_BYTES: usize = 4096;
/// Points that a lane folds in sequence before it adds them to a total: sums stay as accurate as pairwise ones.
pub(crate) const RUN_LENGTH: usize = 32;
/// The most segments of the inner domain of one outer point.
const MAX_BLOCKS_PER_POINT: u64 = 1024;

/// How an operand is accessed along the axis of a thread's items.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum AccessKind {
    /// Contiguous elements, aligned for the widest loads.
    Packed,
    /// Stride zero: one element.
    Uniform,
    /// Any other stride or alignment.
    Strided,
}

/// What a text is specialised for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Variant {
    /// Whether indices and offsets need 64 bits.
    pub(crate) wide_index: bool,
    /// Items per thread: points next to each other along the last axis. In the generated text they are a vector.
    pub(crate) items: usize,
    /// How each operand is accessed along that axis.
    pub(crate) access: SmallVec<[AccessKind; 8]>,
    /// Along which axes threads go in folds.
    pub(crate) fold_axis: FoldAxis,
    /// Whether the arguments are in memory, as they are more than a launch passes.
    pub(crate) by_address: bool,
}

/// The geometry of a launch: its grid, and the sizes and strides passed to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Blocks in x and y.
    pub grid: [u32; 2],
    /// Threads of a block in x and y.
    pub block: [u32; 2],
    /// The number of launches, one after the other. Two launches get their numbers as an argument; a single one gets that of the last.
    pub phases: u32,
    /// Bytes of the partial results of folds that several blocks share.
    pub partial_bytes: usize,
    /// Zeroed slots of sixteen bytes for the hash table of which point writes an element last: none, or a power of two.
    pub writers: usize,
    /// Points of the domain, or vectors of them.
    pub vectors: u64,
    /// The argument `d`: words of four bytes, or of eight with 64-bit indices.
    pub domain: Vec<u8>,
}

/// The number of elements that a point of a kernel scatters.
pub(crate) fn scatters(kernel: &Kernel) -> usize {
    kernel.body.insts.iter().filter(|i| matches!(i, Inst::Scatter(..))).count()
}

/// The variant and the geometry of a launch; none where it has no points.
pub(crate) fn of(kernel: &Kernel, launch: &Launch<'_>) -> Option<(Variant, Geometry)> {
    let outer: u64 = launch.outer.iter().map(|&e| e as u64).product();
    let inner: u64 = launch.inner.iter().map(|&e| e as u64).product();
    if outer == 0 || inner == 0 && kernel.template != Template::Reduce {
        return None;
    }
    Some(along(kernel, launch, fold_axis(kernel, launch, outer), false))
}

/// The variant and the sizes of a stage of a composed kernel, whose launch here is over one index of the shared axis: a block folds
/// along the inner axes. `wide`: with indices of 64 bits, as another stage needs them.
pub(crate) fn of_stage(kernel: &Kernel, launch: &Launch<'_>, wide: bool) -> (Variant, Geometry) {
    along(kernel, launch, FoldAxis::Inner, wide)
}

/// The variant and the geometry where threads of folds go along these axes. The domain is not empty.
fn along(kernel: &Kernel, launch: &Launch<'_>, fold_axis: FoldAxis, wide: bool) -> (Variant, Geometry) {
    let outer: u64 = launch.outer.iter().map(|&e| e as u64).product();
    let inner: u64 = launch.inner.iter().map(|&e| e as u64).product();
    // Items of a loop would wait for one another, each with registers of its own, where threads of a warp wait only for their turns.
    let repeats = kernel.body.insts.iter().any(|inst| matches!(inst, Inst::Loop(_)));
    let is_map = kernel.template == Template::Map && !repeats;
    let has_items = is_map || fold_axis == FoldAxis::Inner && !launch.inner.is_empty();
    let (items, access) = items_per_thread(kernel, launch, has_items);
    let extents: SmallVec<[usize; 8]> = launch.outer.iter().chain(launch.inner).copied().collect();
    let last = extents.last().map_or(1, |&e| e as u64);
    // The last axis counts items of threads, not points.
    let row = last.div_ceil(items as u64);
    let per_row = |points: u64| points.checked_div(last).unwrap_or(0) * row;
    let (outer, inner) = match (kernel.template, launch.inner.is_empty()) {
        (Template::Map, _) => (per_row(outer), 1),
        (_, true) => (outer, inner),
        (_, false) => (outer, per_row(inner)),
    };
    let reach = (0..kernel.operands.len()).map(|m| reach(launch, m)).max().unwrap_or(0);
    let wide_index =
        wide || outer.saturating_mul(inner.max(1)).saturating_mul(items as u64) >= 1 << 30 || reach >= 1 << 31;
    let mut variant = Variant { wide_index, items, access, fold_axis, by_address: false };
    let shape = GridShape::of(kernel, &variant, outer, inner);
    let words = 4 + 3 * extents.len() + launch.strides.len();
    let mut domain = DomainWords { wide: wide_index, bytes: Vec::with_capacity(8 * words) };
    [outer, inner, last, shape.segment].into_iter().for_each(|n| domain.push(n as i64));
    for (axis, &extent) in extents.iter().enumerate() {
        domain.axis(if axis + 1 == extents.len() { row } else { extent as u64 });
    }
    launch.strides.iter().for_each(|&s| domain.push(s as i64));
    // Each argument at a multiple of its size, of sixteen bytes at most, and three words more.
    variant.by_address =
        8 * kernel.operands.len() + 16 * kernel.scalars.len() + domain.bytes.len() + 32 > MAX_ARGUMENT_BYTES;
    let writers = match scatters(kernel) {
        0 => 0,
        scatters => (2 * scatters * outer as usize * items).next_power_of_two(),
    };
    let geometry = Geometry {
        grid: shape.grid,
        block: shape.block,
        phases: if writers > 0 || kernel.template == Template::Scan && shape.grid[1] > 1 { 2 } else { 1 },
        partial_bytes: if shape.grid[1] > 1 { outer as usize * shape.grid[1] as usize * fold::size(kernel) } else { 0 },
        writers,
        vectors: outer * inner.max(1),
        domain: domain.bytes,
    };
    (variant, geometry)
}

/// The largest offset of an operand.
fn reach(launch: &Launch<'_>, operand: usize) -> u64 {
    let extents = launch.outer.iter().chain(launch.inner);
    let spans = launch.strides_of(operand).iter().zip(extents);
    spans.map(|(s, &e)| s.unsigned_abs() as u64 * (e as u64).saturating_sub(1)).sum()
}

/// The fold axis: the outer axes where most loads have the smaller strides there.
fn fold_axis(kernel: &Kernel, launch: &Launch<'_>, outer: u64) -> FoldAxis {
    if kernel.template == Template::Map || outer == 1 {
        return FoldAxis::Inner;
    }
    let loads: Vec<u16> =
        kernel.body.insts.iter().filter_map(|i| if let Inst::Load(m) = i { Some(m.0) } else { None }).collect();
    if crate::drive::strategy::by_columns(&loads, launch) { FoldAxis::Outer } else { FoldAxis::Inner }
}

/// The items per thread, and how operands are accessed.
fn items_per_thread(kernel: &Kernel, launch: &Launch<'_>, has_items: bool) -> (usize, SmallVec<[AccessKind; 8]>) {
    let rank = launch.outer.len() + launch.inner.len();
    let last = launch.outer.iter().chain(launch.inner).last().copied().unwrap_or(1);
    let widest = kernel.operands.iter().map(|o| o.dtype.size()).max().unwrap_or(1);
    let most =
        if kernel.template == Template::Map { 16 } else { (ACCUMULATOR_BYTES / fold::size(kernel)).clamp(1, 16) };
    let most = (1 << most.ilog2()).min(last.next_power_of_two());
    let fits = |bytes: usize| (bytes / widest).clamp(1, most);
    let access = |items: usize| -> SmallVec<[AccessKind; 8]> {
        (0..kernel.operands.len()).map(|m| access_kind(kernel.operands[m].dtype, launch, m, items)).collect()
    };
    if rank == 0 || !has_items {
        return (1, access(1));
    }
    let packed = access(fits(PACKED_ITEM_BYTES));
    if packed.iter().all(|&s| s != AccessKind::Strided) {
        return (fits(PACKED_ITEM_BYTES), packed);
    }
    (fits(STRIDED_ITEM_BYTES), access(fits(STRIDED_ITEM_BYTES)))
}

fn access_kind(dtype: DType, launch: &Launch<'_>, operand: usize, items: usize) -> AccessKind {
    let strides = launch.strides_of(operand);
    let Some((&stride, others)) = strides.split_last() else { return AccessKind::Uniform };
    let align = (items * dtype.size()).min(16);
    let is_aligned = |n: usize| n.is_multiple_of(align);
    if stride == 0 {
        AccessKind::Uniform
    } else if items > 1
        && stride == dtype.size() as isize
        && is_aligned(launch.addresses[operand] as usize)
        && others.iter().all(|s| is_aligned(s.unsigned_abs()))
    {
        AccessKind::Packed
    } else {
        AccessKind::Strided
    }
}

/// How the grid divides the domain.
struct GridShape {
    grid: [u32; 2],
    block: [u32; 2],
    /// Groups of items of the inner domain in a segment of a scan.
    segment: u64,
}

impl GridShape {
    fn of(kernel: &Kernel, variant: &Variant, outer: u64, inner: u64) -> GridShape {
        let threads = u64::from(THREADS_PER_BLOCK);
        if kernel.template == Template::Map {
            let blocks = outer.div_ceil(threads).clamp(1, MAX_BLOCKS);
            return GridShape { grid: [blocks as u32, 1], block: [THREADS_PER_BLOCK, 1], segment: 0 };
        }
        // A group of lanes works on one outer point; a scan of columns has one lane.
        let lanes = match (variant.fold_axis, kernel.template) {
            (FoldAxis::Inner, _) => inner.div_ceil(4).next_power_of_two().clamp(4, threads),
            (FoldAxis::Outer, Template::Scan) => 1,
            (FoldAxis::Outer, _) => inner.next_power_of_two().clamp(1, 8),
        };
        let groups = threads / lanes;
        let blocks = outer.div_ceil(groups);
        // Where the outer points are too few to fill the device, several blocks work on each.
        let least = if kernel.template == Template::Scan { 8 } else { 4 };
        let segments = (inner / (lanes * least)).min(MAX_BLOCKS.div_ceil(blocks)).clamp(1, MAX_BLOCKS_PER_POINT);
        let segment = inner.div_ceil(segments);
        let grid = [blocks.clamp(1, 1 << 20) as u32, segments as u32];
        let block = match variant.fold_axis {
            FoldAxis::Inner => [lanes as u32, groups as u32],
            FoldAxis::Outer => [groups as u32, lanes as u32],
        };
        GridShape { grid, block, segment }
    }
}

/// The words of the argument `d`.
struct DomainWords {
    wide: bool,
    bytes: Vec<u8>,
}

impl DomainWords {
    fn push(&mut self, n: i64) {
        if self.wide {
            self.bytes.extend(n.to_le_bytes());
        } else {
            self.bytes.extend((n as i32).to_le_bytes());
        }
    }

    /// An extent; in narrow forms with the multiplier and shift that replace division by it.
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
pub fn reciprocal(divisor: u32) -> (u32, u32) {
    if divisor < 2 {
        return (0, 0);
    }
    let bits = 32 - (divisor - 1).leading_zeros();
    ((1u64 << (31 + bits)).div_ceil(u64::from(divisor)) as u32, bits - 1)
}
