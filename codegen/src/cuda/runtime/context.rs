//! The context of one device: its primary context, one stream of our own, and memory from its pool.
//!
//! Every request goes to the one stream, so requests run in order, frees of memory included. A device that failed stays failed:
//! every later call gives the same error.

use super::driver::{Driver, Status, absent};
use crate::{DeviceError, Failure};
use cudarc::driver::sys::{CUcontext, CUdevice_attribute, CUmemPool_attribute, CUmemoryPool, CUstream};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};

/// The number of recent launches whose texts are part of an error message.
const RECENT_LAUNCHES: usize = 3;
/// A stream that does not wait for the default one.
const NON_BLOCKING: u32 = 1;
/// The pool keeps up to one part in so many of the device's memory when it is free.
const POOL_KEPT_FRACTION: usize = 2;

/// Whether this process was forked from one that used CUDA.
static FORKED: AtomicBool = AtomicBool::new(false);

extern "C" fn in_child() {
    FORKED.store(true, Ordering::Relaxed);
}

/// A device that is open.
pub(super) struct Context {
    pub(super) driver: &'static Driver,
    pub(super) stream: CUstream,
    /// Its number.
    pub(super) ordinal: i32,
    pub(super) name: String,
    /// Bytes of its memory.
    pub(super) total: usize,
    /// Bytes that it reads or writes in a nanosecond at most.
    pub(super) bandwidth: f64,
    /// Its compute capability.
    pub(super) capability: (i32, i32),
    context: CUcontext,
    pool: CUmemoryPool,
    /// The texts of recent launches, the latest first.
    recent: Mutex<VecDeque<Arc<str>>>,
}

// SAFETY: the driver's handles may be used from any thread, with the context made current there.
unsafe impl Send for Context {}
// SAFETY: as above; the driver's functions lock for themselves.
unsafe impl Sync for Context {}

/// A guard: the context is current in the calling thread.
pub(super) struct Entered<'a> {
    driver: &'a Driver,
    /// Whether the context of before is to be restored.
    pushed: bool,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if self.pushed {
            let mut ours = std::ptr::null_mut();
            // SAFETY: the context was pushed by `enter`.
            unsafe { (self.driver.ctx_pop_current)(&raw mut ours) };
        }
    }
}

/// Whether CUDA can be used in this process.
///
/// # Errors
/// Where its parent used it.
pub(super) fn not_forked() -> Result<(), DeviceError> {
    if FORKED.load(Ordering::Relaxed) {
        return Err(DeviceError::new(
            Failure::Fault,
            "CUDA cannot be used after a fork: the driver stays with the parent process; start the child with spawn",
        ));
    }
    Ok(())
}

impl Context {
    /// The device of a number.
    ///
    /// # Errors
    /// [`Failure::Absent`] where there is none, or not what it takes.
    pub(super) fn open(ordinal: i32) -> Result<Context, DeviceError> {
        static ONCE: Once = Once::new();
        let driver = Driver::get()?;
        // SAFETY: the handler sets a flag.
        ONCE.call_once(|| unsafe {
            libc::pthread_atfork(None, None, Some(in_child));
        });
        let mut count = 0;
        // SAFETY: in this function the driver writes only locals of the types declared.
        let code = unsafe { (driver.device_get_count)(&raw mut count) };
        opened(driver, "counting CUDA devices", code)?;
        if ordinal >= count {
            let devices = if count == 1 { "one CUDA device".to_owned() } else { format!("{count} CUDA devices") };
            return Err(absent(format!(
                "no device cuda:{ordinal}: there {} {devices}, counted from 0",
                if count == 1 { "is" } else { "are" }
            )));
        }
        let mut device = 0;
        // SAFETY: as above.
        opened(driver, "opening the device", unsafe { (driver.device_get)(&raw mut device, ordinal) })?;
        let attribute = |which: CUdevice_attribute| {
            let mut value: c_int = 0;
            // SAFETY: as above.
            let code = unsafe { (driver.device_get_attribute)(&raw mut value, which, device) };
            opened(driver, "asking what the device can do", code).map(|()| value)
        };
        let capability = (
            attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        // Kilohertz, two transfers each; bits.
        let clock = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?;
        let width = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?;
        let bandwidth = 2.0 * f64::from(clock) * f64::from(width) / 8.0 / 1e6;
        if attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
            return Err(absent(format!("the device cuda:{ordinal} has no memory pools")));
        }
        let (mut name, mut total) = ([0; 256], 0usize);
        let (mut context, mut stream, mut pool) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: as above; the name ends with a zero.
        let name = unsafe {
            opened(driver, "asking for the device's name", (driver.device_get_name)(name.as_mut_ptr(), 255, device))?;
            opened(driver, "asking for the device's memory", (driver.device_total_mem)(&raw mut total, device))?;
            opened(driver, "making a context", (driver.device_primary_ctx_retain)(&raw mut context, device))?;
            let code = (driver.device_get_default_mem_pool)(&raw mut pool, device);
            opened(driver, "asking for the device's memory pool", code)?;
            CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned()
        };
        let recent = Mutex::default();
        let mut opened = Context { driver, stream, ordinal, name, total, bandwidth, capability, context, pool, recent };
        let entered = opened.enter()?;
        let mut threshold = (total / POOL_KEPT_FRACTION) as u64;
        // SAFETY: the context is current; the threshold is a word of 64 bits.
        unsafe {
            opened.check("making a stream", (driver.stream_create)(&raw mut stream, NON_BLOCKING))?;
            let which = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            let code = (driver.mem_pool_set_attribute)(pool, which, (&raw mut threshold).cast());
            opened.check("setting what the memory pool keeps", code)?;
        }
        drop(entered);
        opened.stream = stream;
        Ok(opened)
    }

    /// Makes the context this thread's, and leaves it so where the thread had none.
    ///
    /// # Errors
    /// After a fork, and where the device failed.
    pub(super) fn enter(&self) -> Result<Entered<'static>, DeviceError> {
        not_forked()?;
        let driver = self.driver;
        let mut current = std::ptr::null_mut();
        // SAFETY: a local is written.
        self.check("asking for the thread's context", unsafe { (driver.ctx_get_current)(&raw mut current) })?;
        let pushed = current != self.context && !current.is_null();
        if current != self.context {
            let make = if pushed { driver.ctx_push_current } else { driver.ctx_set_current };
            // SAFETY: the context is retained for good.
            self.check("making the context the thread's", unsafe { make(self.context) })?;
        }
        Ok(Entered { driver, pushed })
    }

    /// An error of a code.
    ///
    /// # Errors
    /// With any code but success.
    #[inline]
    pub(super) fn check(&self, doing: &str, code: Status) -> Result<(), DeviceError> {
        if code == Status::SUCCESS { Ok(()) } else { Err(self.failed(doing, code)) }
    }

    #[cold]
    fn failed(&self, doing: &str, code: Status) -> DeviceError {
        let failure = if code == Status::OUT_OF_MEMORY { Failure::Memory } else { Failure::Fault };
        let mut message = format!("cuda:{}: {doing}: {}", self.ordinal, self.driver.meaning(code));
        let recent = self.recent.lock();
        if failure == Failure::Fault && !recent.is_empty() {
            message += "\nthe kernels launched before, the latest first:";
            recent.iter().for_each(|text| message.extend(["\n\n", text]));
        }
        DeviceError::new(failure, message)
    }

    /// Records the text of a launch, for later errors.
    #[inline]
    pub(super) fn launched(&self, text: &Arc<str>) {
        let mut recent = self.recent.lock();
        if recent.front().is_some_and(|last| Arc::ptr_eq(last, text)) {
            return;
        }
        recent.truncate(RECENT_LAUNCHES - 1);
        recent.push_front(text.clone());
    }

    /// Memory of the pool; never none.
    ///
    /// # Errors
    /// [`Failure::Memory`], also after the pool released its free memory.
    pub(super) fn allocate(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        let mut start = 0;
        // SAFETY: a local is written; only the caller gets the memory.
        let mut ask = || unsafe { (self.driver.mem_alloc_async)(&raw mut start, bytes.max(1), self.stream) };
        let mut code = ask();
        if code == Status::OUT_OF_MEMORY {
            self.wait()?;
            // SAFETY: the pool is the device's own, and only free memory is released.
            self.check("giving memory back", unsafe { (self.driver.mem_pool_trim_to)(self.pool, 0) })?;
            code = ask();
        }
        if code == Status::OUT_OF_MEMORY {
            return Err(self.full(bytes));
        }
        self.check("asking for memory", code)?;
        Ok(start as *mut u8)
    }

    #[cold]
    fn full(&self, bytes: usize) -> DeviceError {
        let (mut free, mut total) = (0, 0);
        // SAFETY: locals are written.
        let code = unsafe { (self.driver.mem_get_info)(&raw mut free, &raw mut total) };
        let state = match code {
            Status::SUCCESS => format!("{free} of its {total} bytes are free"),
            _ => format!("it has {} bytes", self.total),
        };
        DeviceError::new(
            Failure::Memory,
            format!("Unable to allocate {bytes} bytes on cuda:{} ({}): {state}", self.ordinal, self.name),
        )
    }

    /// Frees memory after all earlier requests.
    ///
    /// # Errors
    /// Where the device failed; not where the driver is gone.
    ///
    /// # Safety
    /// The memory is of [`Context::allocate`], and no later request uses it.
    pub(super) unsafe fn free(&self, start: *mut u8) -> Result<(), DeviceError> {
        // SAFETY: the caller's contract.
        match unsafe { (self.driver.mem_free_async)(start as u64, self.stream) } {
            Status::DEINITIALIZED => Ok(()),
            code => self.check("giving memory back", code),
        }
    }

    /// Waits for all requests of this stream.
    ///
    /// # Errors
    /// Those of earlier requests.
    pub(super) fn wait(&self) -> Result<(), DeviceError> {
        // SAFETY: the stream is ours.
        self.check("waiting", unsafe { (self.driver.stream_synchronize)(self.stream) })
    }

    /// Waits for all requests of this process to the device, in any stream.
    ///
    /// # Errors
    /// Those of earlier requests.
    pub(super) fn wait_for_all_streams(&self) -> Result<(), DeviceError> {
        // SAFETY: the context is current, as the caller entered it.
        self.check("waiting", unsafe { (self.driver.ctx_synchronize)() })
    }
}

/// As [`Context::check`], before there is a context: a failure means that the device is absent.
fn opened(driver: &Driver, doing: &str, code: Status) -> Result<(), DeviceError> {
    match code {
        Status::SUCCESS => Ok(()),
        code => Err(absent(format!("{doing}: {}", driver.meaning(code)))),
    }
}
