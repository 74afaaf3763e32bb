//! The device: [`crate::Device`] by its context, its functions, its libraries and its staging memory.

use super::capture_queue::CaptureQueue;
use super::compaction;
use super::composed;
use super::composed::ComposedFunctions;
use super::context::{Context, not_forked};
use super::cublas::Cublas;
use super::functions::{Functions, LoadedFunction};
use super::program::{CudaProgram, KernelVariants};
use super::routine::Routines;
use super::staging::Staging;
use super::weaving::Weaver;
use crate::backend::composed::{Blocks, KernelStage};
use crate::cuda::text::compaction::compaction;
use crate::cuda::text::variant;
use crate::cuda::text::variant::Variant;
use crate::{
    Backend, CompileError, DType, Device, DeviceError, Facts, Failure, Kernel, Launch, Library, Program, Routine,
    Verified,
};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Weak};

/// The names of devices.
const NAMES: [&str; 16] = [
    "cuda:0", "cuda:1", "cuda:2", "cuda:3", "cuda:4", "cuda:5", "cuda:6", "cuda:7", "cuda:8", "cuda:9", "cuda:10",
    "cuda:11", "cuda:12", "cuda:13", "cuda:14", "cuda:15",
];
/// Constants of the cost model that no driver reports: nanoseconds of a launch, and of compiling a kernel; bytes transferred in a
/// nanosecond, limited by one thread's copy to pinned memory, as the link carries more (25 for PCI Express 4 with 16 lanes).
const LAUNCH_NANOSECONDS: f64 = 3_000.0;
const COMPILE_NANOSECONDS: f64 = 40e6;
const LINK_BYTES_PER_NANOSECOND: f64 = 10.0;

/// A device.
pub(super) struct Gpu {
    pub(super) context: Context,
    /// The queue of launches; locked before the others.
    queue: Mutex<CaptureQueue>,
    functions: Arc<Mutex<Functions>>,
    kernels: Mutex<HashMap<Verified<Kernel>, Arc<KernelVariants>>>,
    pub(super) composed: ComposedFunctions,
    staging: Mutex<Option<Staging>>,
    products: Mutex<Option<Cublas>>,
    routines: Mutex<Routines>,
    /// Itself, for its programs.
    this: Weak<Gpu>,
}

/// The device of an ordinal. It is never closed: memory on it may outlive all its users.
///
/// # Errors
/// [`crate::Failure::Absent`] where there is none.
pub(crate) fn shared(ordinal: i32) -> Result<Arc<dyn Device>, DeviceError> {
    static OPEN: LazyLock<Mutex<Vec<Arc<Gpu>>>> = LazyLock::new(Mutex::default);
    not_forked()?;
    let mut open = OPEN.lock();
    if let Some(gpu) = open.iter().find(|gpu| gpu.context.ordinal == ordinal) {
        return Ok(gpu.clone());
    }
    let context = Context::open(ordinal)?;
    let functions = Arc::new(Mutex::new(Functions::new(&context)?));
    let gpu = Arc::new_cyclic(|this| Gpu {
        context,
        queue: Mutex::new(CaptureQueue::new(Weaver::new(functions.clone()))),
        functions,
        kernels: Mutex::default(),
        composed: ComposedFunctions::default(),
        staging: Mutex::default(),
        products: Mutex::default(),
        routines: Mutex::default(),
        this: this.clone(),
    });
    open.push(gpu.clone());
    Ok(gpu)
}

impl Gpu {
    /// The variants of a kernel.
    pub(super) fn variants(&self, kernel: &Verified<Kernel>) -> Arc<KernelVariants> {
        let mut kernels = self.kernels.lock();
        if let Some(variants) = kernels.get(kernel) {
            return variants.clone();
        }
        let variants = Arc::new(KernelVariants::new(kernel.clone()));
        kernels.insert(kernel.clone(), variants.clone());
        variants
    }

    /// Functions of kernels in variants, compiled together where they are missing.
    ///
    /// # Errors
    /// Where the compiler or the device refuses one.
    pub(super) fn functions(
        &self,
        wanted: &[(Arc<KernelVariants>, Variant)],
    ) -> Result<Vec<Arc<LoadedFunction>>, DeviceError> {
        let texts: Vec<String> = wanted.iter().map(|(variants, variant)| variants.text(variant)).collect();
        let found = self.load(&texts)?;
        for ((variants, variant), function) in wanted.iter().zip(&found) {
            variants.put(variant.clone(), function.clone());
        }
        Ok(found)
    }

    /// Functions of texts, in their order.
    ///
    /// # Errors
    /// As [`Gpu::functions`].
    pub(super) fn load(&self, texts: &[String]) -> Result<Vec<Arc<LoadedFunction>>, DeviceError> {
        self.functions.lock().of(&self.context, texts)
    }

    /// Calls a function with cuBLAS, which is loaded at first use. The context is current.
    fn with_products<T>(&self, then: impl FnOnce(&Cublas) -> T) -> T {
        then(self.products.lock().get_or_insert_with(|| Cublas::new(&self.context)))
    }

    /// The queue of launches.
    pub(super) fn queue(&self) -> MutexGuard<'_, CaptureQueue> {
        self.queue.lock()
    }

    /// Calls a function with the staging memory, which is allocated at first use.
    pub(super) fn staged<T>(
        &self,
        then: impl FnOnce(&mut Staging) -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        let mut staging = self.staging.lock();
        if staging.is_none() {
            *staging = Some(Staging::new(&self.context)?);
        }
        then(staging.as_mut().expect("just made"))
    }
}

impl Backend for Gpu {
    fn name(&self) -> &'static str {
        NAMES.get(self.context.ordinal as usize).unwrap_or(&"cuda")
    }

    fn compile(&self, kernel: &Verified<Kernel>) -> Result<Arc<dyn Program>, CompileError> {
        let gpu = self.this.upgrade().expect("devices stay open");
        Ok(Arc::new(CudaProgram { gpu, variants: self.variants(kernel) }))
    }
}

impl Device for Gpu {
    fn description(&self) -> String {
        let Context { ordinal, name, total, .. } = &self.context;
        format!("cuda:{ordinal} ({name}, {:.1} GiB)", *total as f64 / f64::from(1 << 30))
    }

    fn facts(&self) -> Facts {
        Facts {
            launch: LAUNCH_NANOSECONDS,
            bandwidth: self.context.bandwidth,
            link: LINK_BYTES_PER_NANOSECOND,
            compile: COMPILE_NANOSECONDS,
        }
    }

    fn dlpack(&self) -> (i32, i32) {
        (crate::CUDA, self.context.ordinal)
    }

    fn prepare(&self, launches: &[(&Verified<Kernel>, Launch<'_>)]) -> Result<(), DeviceError> {
        let _entered = self.context.enter()?;
        let mut missing = vec![];
        for (kernel, launch) in launches {
            let Some((variant, _)) = variant::of(kernel, launch) else { continue };
            let variants = self.variants(kernel);
            if variants.get(&variant).is_none() {
                missing.push((variants, variant));
            }
        }
        if missing.is_empty() { Ok(()) } else { self.functions(&missing).map(|_| ()) }
    }

    unsafe fn launch_composed(&self, stages: &[KernelStage<'_>], blocks: &Blocks) -> Result<(), DeviceError> {
        let _entered = self.context.enter()?;
        // SAFETY: the caller's contract.
        unsafe { composed::launch(self, stages, blocks) }
    }

    fn allocate(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        let _entered = self.context.enter()?;
        let found = self.context.allocate(bytes);
        if !matches!(&found, Err(error) if error.failure == Failure::Memory) {
            return found;
        }
        // The deferred frees of queued launches may suffice.
        self.queue().flush(&self.context)?;
        self.context.allocate(bytes)
    }

    unsafe fn release(&self, start: *mut u8, bytes: usize) {
        // Memory of a failed device, or of the parent of a fork, cannot be freed.
        if let Ok(_entered) = self.context.enter()
            && !self.queue().release(&self.context, start, bytes)
        {
            // SAFETY: the caller's contract.
            let _ = unsafe { self.context.free(start) };
        }
    }

    unsafe fn upload(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<(), DeviceError> {
        let _entered = self.context.enter()?;
        self.queue().flush_overlapping(&self.context, to, bytes)?;
        // SAFETY: the caller's contract.
        self.staged(|staging| unsafe { staging.upload(&self.context, from, to, bytes) })
    }

    unsafe fn download(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<(), DeviceError> {
        let _entered = self.context.enter()?;
        self.queue().flush(&self.context)?;
        // SAFETY: the caller's contract.
        self.staged(|staging| unsafe { staging.download(&self.context, from, to, bytes) })
    }

    fn multiplies(&self, dtype: DType, domain: &[usize], strides: &[isize]) -> bool {
        let Ok(_entered) = self.context.enter() else { return false };
        self.with_products(|products| products.multiplies(dtype, domain, strides))
    }

    unsafe fn multiply(
        &self,
        dtype: DType,
        domain: &[usize],
        strides: &[isize],
        addresses: &[*mut u8],
    ) -> Result<bool, DeviceError> {
        let _entered = self.context.enter()?;
        self.queue().flush(&self.context)?;
        // SAFETY: the caller's contract.
        self.with_products(|products| unsafe { products.multiply(&self.context, dtype, domain, strides, addresses) })
    }

    unsafe fn compact(
        &self,
        (mask, elements): (*const u8, usize),
        values: Option<(*const u8, usize)>,
        target: *mut u8,
    ) -> Result<(), DeviceError> {
        let _entered = self.context.enter()?;
        self.queue().flush(&self.context)?;
        let text = compaction(values.map(|(_, size)| size));
        let function = self.load(&[text])?.remove(0);
        let from = values.map_or(std::ptr::null(), |(start, _)| start);
        // SAFETY: the caller's contract; the text is for elements of this size.
        unsafe { compaction::run(&self.context, &function, (mask, elements), from, target) }
    }

    fn lacks(&self, library: Library) -> Option<String> {
        match self.context.enter() {
            Ok(_entered) => self.routines.lock().lack(&self.context, library),
            Err(error) => Some(error.message),
        }
    }

    unsafe fn run_routine(&self, routine: &Routine<'_>, addresses: &[*mut u8]) -> Result<(), DeviceError> {
        let _entered = self.context.enter()?;
        self.queue().flush(&self.context)?;
        // SAFETY: the caller's contract.
        unsafe { self.routines.lock().run(&self.context, routine, addresses) }
    }

    fn wait(&self) -> Result<(), DeviceError> {
        let _entered = self.context.enter()?;
        self.queue().flush(&self.context)?;
        self.context.wait_for_all_streams()
    }

    fn begin(&self) {
        self.queue().begin();
    }

    fn end(&self) -> Result<u64, DeviceError> {
        let _entered = self.context.enter()?;
        self.queue().end(&self.context)
    }

    fn notes(&self) -> Vec<String> {
        self.queue().notes()
    }
}
