//! Programs on a device: the variant of a launch, its function, and its arguments.

use super::capture_queue::{LaunchRequest, indirect_operands, spans, zeros};
use super::functions::LoadedFunction;
use super::gpu::Gpu;
use crate::cuda::text::source;
use crate::cuda::text::variant;
use crate::cuda::text::variant::{Geometry, Variant, scatters};
use crate::{DeviceError, Kernel, Launch, Program, RaisedFlags, Template, ThreadPool, Verified};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;

/// A kernel, and its functions by variant. These are few, so they are compared one by one.
pub(super) struct KernelVariants {
    pub(super) kernel: Verified<Kernel>,
    /// Which operands are accessed by gathers or scatters.
    pub(super) is_indirect: SmallVec<[bool; 8]>,
    known: Mutex<Vec<(Variant, Arc<LoadedFunction>)>>,
}

impl KernelVariants {
    pub(super) fn new(kernel: Verified<Kernel>) -> KernelVariants {
        KernelVariants { is_indirect: indirect_operands(&kernel), kernel, known: Mutex::default() }
    }

    /// The function of a variant, if it was compiled.
    pub(super) fn get(&self, variant: &Variant) -> Option<Arc<LoadedFunction>> {
        let known = self.known.lock();
        known.iter().find(|(known, _)| known == variant).map(|(_, function)| function.clone())
    }

    /// Stores the function of a variant.
    pub(super) fn put(&self, variant: Variant, function: Arc<LoadedFunction>) {
        let mut known = self.known.lock();
        if known.iter().all(|(known, _)| *known != variant) {
            known.push((variant, function));
        }
    }

    /// The text in a variant.
    pub(super) fn text(&self, variant: &Variant) -> String {
        source::source(&self.kernel, variant)
    }
}

/// A kernel on a device.
pub(super) struct CudaProgram {
    pub(super) gpu: Arc<Gpu>,
    pub(super) variants: Arc<KernelVariants>,
}

impl Program for CudaProgram {
    unsafe fn launch(&self, launch: &Launch<'_>, _: &dyn ThreadPool) -> Result<RaisedFlags, DeviceError> {
        let Some((variant, geometry)) = variant::of(&self.variants.kernel, launch) else {
            return Ok(RaisedFlags::new());
        };
        let _entered = self.gpu.context.enter()?;
        let function = match self.variants.get(&variant) {
            Some(function) => function,
            None => self.gpu.functions(&[(self.variants.clone(), variant.clone())])?.remove(0),
        };
        // SAFETY: the caller's contract; the geometry is this launch's.
        unsafe { run(&self.gpu, &self.variants, (&variant, &function), &geometry, launch) }.map(|()| RaisedFlags::new())
    }

    fn listing(&self) -> String {
        let known = self.variants.known.lock();
        known.iter().map(|(_, function)| &*function.text).collect::<Vec<_>>().join("\n")
    }
}

/// The arguments of a launch in memory of the device, as the type `Arguments` of the text has them.
fn upload_arguments(gpu: &Gpu, launch: &Launch<'_>, geometry: &Geometry) -> Result<*mut u8, DeviceError> {
    let mut bytes: Vec<u8> = launch.addresses.iter().flat_map(|&address| (address as u64).to_le_bytes()).collect();
    bytes.resize(bytes.len().next_multiple_of(16), 0);
    launch.scalars.iter().for_each(|scalar| bytes.extend(scalar.bytes()));
    bytes.extend(&geometry.domain);
    let start = gpu.context.allocate(bytes.len())?;
    // SAFETY: just allocated, with this size.
    gpu.staged(|staging| unsafe { staging.upload(&gpu.context, bytes.as_ptr(), start, bytes.len()) })?;
    Ok(start)
}

/// Queues the launches of a function, one for each phase.
///
/// # Safety
/// As [`Program::launch`], with the variant and the geometry of this launch.
unsafe fn run(
    gpu: &Gpu,
    variants: &KernelVariants,
    (variant, function): (&Variant, &Arc<LoadedFunction>),
    geometry: &Geometry,
    launch: &Launch<'_>,
) -> Result<(), DeviceError> {
    let (context, kernel) = (&gpu.context, &*variants.kernel);
    let is_reduction = kernel.template == Template::Reduce;
    let mut queue = gpu.queue();
    let [partials, tickets] = queue.reserve(context, geometry.phases as usize, geometry.partial_bytes, is_reduction)?;
    // New memory may be initialised before the queued launches.
    let writers = if geometry.writers > 0 { zeros(context, 16 * geometry.writers)? } else { std::ptr::null_mut() };
    let in_memory = if variant.by_address { upload_arguments(gpu, launch, geometry)? } else { std::ptr::null_mut() };
    let mask = (geometry.writers as u64).wrapping_sub(1);
    let [partials, tickets, writers_at, arguments_at] =
        [partials, tickets, writers, in_memory].map(|at| (at as u64).to_ne_bytes());
    let mask = mask.to_ne_bytes();
    let addresses: SmallVec<[[u8; 8]; 8]> = launch.addresses.iter().map(|&a| (a as u64).to_ne_bytes()).collect();
    let scalars: SmallVec<[[u8; 16]; 4]> = launch.scalars.iter().map(|scalar| scalar.bytes()).collect();
    let mut arguments: SmallVec<[&[u8]; 16]> = SmallVec::new();
    if variant.by_address {
        arguments.push(&arguments_at);
    } else {
        arguments.extend(addresses.iter().map(|address| &address[..]));
        arguments.extend(scalars.iter().map(|scalar| &scalar[..]));
        arguments.push(&geometry.domain);
    }
    let ([columns, rows], [x, y]) = (geometry.grid, geometry.block);
    for phase in 2 - geometry.phases as i32..2 {
        let phase = phase.to_ne_bytes();
        let own: &[&[u8]] = match kernel.template {
            Template::Map if scatters(kernel) > 0 => &[&writers_at, &mask, &phase],
            Template::Map => &[],
            Template::Reduce => &[&partials, &tickets],
            Template::Scan => &[&partials, &phase],
        };
        let all: SmallVec<[&[u8]; 16]> = arguments.iter().chain(own).copied().collect();
        let request = LaunchRequest { function, shape: [columns, rows, x, y], arguments: &all };
        queue.add(&request, || spans(kernel, &variants.is_indirect, launch).collect());
    }
    for (memory, bytes) in [(writers, 16 * geometry.writers), (in_memory, 0)] {
        if !memory.is_null() {
            queue.release(context, memory, bytes);
        }
    }
    queue.flush_unless_open(context)
}
