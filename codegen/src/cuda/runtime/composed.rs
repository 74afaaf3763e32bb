//! Composed kernels on a device: the function of their stages, and its launch.

use super::capture_queue::{LaunchRequest, Span, spans};
use super::functions::LoadedFunction;
use super::gpu::Gpu;
use super::program::KernelVariants;
use crate::backend::composed::{Blocks, KernelStage, OperandPlace};
use crate::cost::DEVICE_BLOCKS;
use crate::cuda::text::composed::composed;
use crate::cuda::text::variant;
use crate::cuda::text::variant::{Geometry, MAX_ARGUMENT_BYTES, MAX_BLOCKS, THREADS_PER_BLOCK, Variant};
use crate::{Device, DeviceError, Kernel, Launch};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;

/// Bytes of what is in flight, of the cache that multiprocessors share: half of an H100's, 24 MB.
const CACHE_BYTES: usize = 24 << 20;
/// Threads of a block where an index has few points: more blocks fit a multiprocessor.
const MIN_THREADS: u32 = 32;

/// A stage's kernel, by its address, and its variant.
type Key = SmallVec<[(usize, Variant); 4]>;

/// The functions of composed kernels.
#[derive(Default)]
pub(super) struct ComposedFunctions(Mutex<Vec<(Key, Arc<LoadedFunction>)>>);

/// A stage on one index of the shared axis.
struct StagePart {
    variants: Arc<KernelVariants>,
    variant: Variant,
    geometry: Geometry,
    /// Bytes of all operands.
    bytes: usize,
}

/// Launches the stages.
///
/// # Errors
/// Those of the device.
///
/// # Safety
/// As [`crate::Device::launch_composed`].
pub(super) unsafe fn launch(gpu: &Gpu, stages: &[KernelStage<'_>], blocks: &Blocks) -> Result<(), DeviceError> {
    let context = &gpu.context;
    let parts_of = |wide: bool| -> SmallVec<[StagePart; 4]> { stages.iter().map(|s| part(gpu, s, wide)).collect() };
    let mut parts = parts_of(false);
    if parts.iter().any(|part| part.variant.wide_index) {
        parts = parts_of(true);
    }
    let function = function(gpu, &parts)?;
    let vectors = parts.iter().map(|part| part.geometry.vectors).max().unwrap_or(1);
    let threads = vectors.div_ceil(2).next_power_of_two().clamp(u64::from(MIN_THREADS), u64::from(THREADS_PER_BLOCK));
    let bytes = parts.iter().map(|part| part.bytes).max().unwrap_or(1).max(1);
    let count = blocks.extent.min((CACHE_BYTES / bytes).clamp(DEVICE_BLOCKS, 2 * MAX_BLOCKS as usize));
    let scratch_bytes = count * blocks.scratch_bytes;
    let scratch = if scratch_bytes > 0 { gpu.allocate(scratch_bytes)? } else { std::ptr::null_mut() };
    let mut arguments: Vec<SmallVec<[u8; 32]>> = vec![SmallVec::from_slice(&(blocks.extent as i64).to_ne_bytes())];
    for (stage, part) in stages.iter().zip(&parts) {
        for (&address, place) in stage.launch.addresses.iter().zip(stage.places) {
            let (start, of_index, of_block) = match *place {
                OperandPlace::Memory(step) => (address, step, 0),
                OperandPlace::Scratch(offset) => (scratch.wrapping_add(offset), 0, blocks.scratch_bytes as isize),
            };
            let words = [start as i64, of_index as i64, of_block as i64];
            arguments.push(words.iter().flat_map(|word| word.to_ne_bytes()).collect());
        }
        arguments.extend(stage.launch.scalars.iter().map(|scalar| SmallVec::from_slice(&scalar.bytes())));
        arguments.push(SmallVec::from_slice(&part.geometry.domain));
    }
    debug_assert!(arguments.iter().map(|bytes| bytes.len().next_multiple_of(16)).sum::<usize>() <= MAX_ARGUMENT_BYTES);
    let arguments: SmallVec<[&[u8]; 32]> = arguments.iter().map(|bytes| &bytes[..]).collect();
    let mut queue = gpu.queue();
    queue.reserve(context, 1, 0, false)?;
    let shape = [count as u32, 1, threads as u32, 1];
    queue.add(&LaunchRequest { function: &function, shape, arguments: &arguments }, || {
        touched(stages, &parts, blocks.extent)
    });
    if !scratch.is_null() {
        queue.release(context, scratch, scratch_bytes);
    }
    queue.flush_unless_open(context)
}

/// A stage on one index.
fn part(gpu: &Gpu, stage: &KernelStage<'_>, wide: bool) -> StagePart {
    let variants = gpu.variants(stage.kernel);
    let outer = stage.outer(1);
    // Only their alignment matters, which is that of every index.
    let addresses: SmallVec<[*mut u8; 12]> = (stage.launch.addresses.iter().zip(stage.places))
        .map(|(address, place)| match *place {
            OperandPlace::Memory(step) => address.map_addr(|address| address | step as usize),
            OperandPlace::Scratch(offset) => std::ptr::without_provenance_mut(offset),
        })
        .collect();
    let launch = Launch { outer: &outer, addresses: &addresses, ..stage.launch };
    let (variant, geometry) = variant::of_stage(&variants.kernel, &launch, wide);
    let points: usize = outer.iter().chain(stage.launch.inner).product();
    let bytes = points * variants.kernel.operands.iter().map(|operand| operand.dtype.size()).sum::<usize>();
    StagePart { variants, variant, geometry, bytes }
}

/// The function of stages, compiled where it is missing.
fn function(gpu: &Gpu, parts: &[StagePart]) -> Result<Arc<LoadedFunction>, DeviceError> {
    let is_key = |known: &Key| {
        let same = |((kernel, variant), part): (&(usize, Variant), &StagePart)| {
            *kernel == Arc::as_ptr(&part.variants) as usize && *variant == part.variant
        };
        known.len() == parts.len() && known.iter().zip(parts).all(same)
    };
    if let Some((_, function)) = gpu.composed.0.lock().iter().find(|(known, _)| is_key(known)) {
        return Ok(function.clone());
    }
    let stages: SmallVec<[(&Kernel, &Variant); 4]> =
        parts.iter().map(|part| (&*part.variants.kernel, &part.variant)).collect();
    let function = gpu.load(&[composed(&stages)])?.remove(0);
    let key = parts.iter().map(|part| (Arc::as_ptr(&part.variants) as usize, part.variant.clone())).collect();
    gpu.composed.0.lock().push((key, function.clone()));
    Ok(function)
}

/// The ranges of bytes that the stages may access, besides scratch memory.
fn touched(stages: &[KernelStage<'_>], parts: &[StagePart], extent: usize) -> SmallVec<[Span; 16]> {
    let mut all = SmallVec::new();
    for (stage, part) in stages.iter().zip(parts) {
        let outer = stage.outer(extent);
        let launch = Launch { outer: &outer, ..stage.launch };
        let each = spans(&part.variants.kernel, &part.variants.is_indirect, &launch);
        let is_memory = |place: &OperandPlace| matches!(place, OperandPlace::Memory(_));
        all.extend(each.zip(stage.places).filter(|(_, place)| is_memory(place)).map(|(span, _)| span));
    }
    all
}
