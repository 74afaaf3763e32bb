//! Two devices for testing what devices are asked for, where there is none: the portable backend on memory of its own.
//!
//! The memory is the host's, but nobody is told so: it is handed out filled with what is no result, and a launch or a copy that
//! reaches outside of what was handed out fails instead.

use crate::backend::device::EXTENSION;
use crate::portable::program::Portable;
use crate::{
    Access, Backend, CompileError, DType, Device, DeviceError, Facts, Failure, Inst, Kernel, Launch, Library, Program,
    RaisedFlags, Routine, ThreadPool, Verified,
};
use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Alignment of what is handed out.
const ALIGN: usize = 256;
/// What fresh memory is filled with.
const FRESH: u8 = 0xa5;

/// The device.
pub struct MockDevice {
    ordinal: usize,
    portable: Portable,
    memory: Arc<Allocations>,
}

/// Blocks that were handed out and not taken back: their bytes by their addresses.
#[derive(Default)]
struct Allocations(Mutex<BTreeMap<usize, usize>>);

impl MockDevice {
    /// One of the two there are.
    pub(crate) fn shared(ordinal: usize) -> Arc<MockDevice> {
        static BOTH: LazyLock<[Arc<MockDevice>; 2]> = LazyLock::new(|| {
            [0, 1].map(|ordinal| Arc::new(MockDevice { ordinal, portable: Portable::new(), memory: Arc::default() }))
        });
        BOTH[ordinal].clone()
    }
}

impl Allocations {
    /// # Errors
    /// Where bytes do not all lie in one block.
    fn check(&self, what: &str, start: usize, bytes: usize) -> Result<(), DeviceError> {
        let blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let within = blocks.range(..=start).next_back().is_some_and(|(&at, &n)| start + bytes <= at + n);
        if within || bytes == 0 {
            return Ok(());
        }
        Err(DeviceError::new(
            Failure::Fault,
            format!("{what} reaches {bytes} bytes at {start:#x}, which are not the device's"),
        ))
    }
}

impl Backend for MockDevice {
    fn name(&self) -> &'static str {
        ["mock", "mock:1"][self.ordinal]
    }

    fn compile(&self, kernel: &Verified<Kernel>) -> Result<Arc<dyn Program>, CompileError> {
        let program = self.portable.compile(kernel)?;
        Ok(Arc::new(CheckedProgram { kernel: kernel.clone(), program, memory: self.memory.clone() }))
    }
}

impl Device for MockDevice {
    fn description(&self) -> String {
        format!("{} (the portable backend on memory of its own, for tests)", self.name())
    }

    fn dlpack(&self) -> (i32, i32) {
        (EXTENSION, self.ordinal as i32)
    }

    fn facts(&self) -> Facts {
        // Those of a GPU, roughly, so that tests decide as programs do there.
        Facts { launch: 3_000.0, bandwidth: 4_000.0, link: 50.0, compile: 50e6 }
    }

    fn prepare(&self, _: &[(&Verified<Kernel>, Launch<'_>)]) -> Result<(), DeviceError> {
        Ok(())
    }

    fn allocate(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        let none = || DeviceError::new(Failure::Memory, format!("Unable to allocate {bytes} bytes on the device"));
        let layout = Layout::from_size_align(bytes.max(1), ALIGN).map_err(|_| none())?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            return Err(none());
        }
        // SAFETY: just allocated.
        unsafe { start.write_bytes(FRESH, bytes) };
        self.memory.0.lock().unwrap_or_else(PoisonError::into_inner).insert(start as usize, bytes);
        Ok(start)
    }

    unsafe fn release(&self, start: *mut u8, bytes: usize) {
        let known = self.memory.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&(start as usize));
        assert_eq!(known, Some(bytes), "what is released was handed out");
        // SAFETY: allocated with this layout, and nobody's any more.
        unsafe { dealloc(start, Layout::from_size_align_unchecked(bytes.max(1), ALIGN)) };
    }

    unsafe fn upload(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<(), DeviceError> {
        self.memory.check("a copy", to as usize, bytes)?;
        // SAFETY: the caller's contract.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        Ok(())
    }

    unsafe fn download(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<(), DeviceError> {
        self.memory.check("a copy", from as usize, bytes)?;
        // SAFETY: the caller's contract.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        Ok(())
    }

    fn multiplies(&self, _: DType, _: &[usize], _: &[isize]) -> bool {
        false
    }

    unsafe fn multiply(&self, _: DType, _: &[usize], _: &[isize], _: &[*mut u8]) -> Result<bool, DeviceError> {
        Ok(false)
    }

    unsafe fn compact(
        &self,
        (mask, elements): (*const u8, usize),
        values: Option<(*const u8, usize)>,
        target: *mut u8,
    ) -> Result<(), DeviceError> {
        let size = values.map_or(size_of::<i64>(), |(_, size)| size);
        self.memory.check("a mask", mask as usize, elements)?;
        // SAFETY: the caller's contract, which was looked at as far as it says where.
        let mask = unsafe { std::slice::from_raw_parts(mask, elements) };
        let chosen = mask.iter().enumerate().filter(|(_, flag)| **flag != 0);
        self.memory.check("what a mask chooses", target as usize, size * chosen.clone().count())?;
        if let Some((start, _)) = values {
            self.memory.check("values", start as usize, size * elements)?;
        }
        for (k, (i, _)) in chosen.enumerate() {
            let position = (i as i64).to_ne_bytes();
            let from = values.map_or(position.as_ptr(), |(start, _)| start.wrapping_add(i * size));
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(from, target.add(k * size), size) };
        }
        Ok(())
    }

    fn lacks(&self, _: Library) -> Option<String> {
        Some("the device for tests has no libraries".to_owned())
    }

    unsafe fn run_routine(&self, _: &Routine<'_>, _: &[*mut u8]) -> Result<(), DeviceError> {
        Err(DeviceError::new(Failure::Absent, "the device for tests has no libraries"))
    }

    fn wait(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// A program that looks where it is launched before it runs.
struct CheckedProgram {
    kernel: Verified<Kernel>,
    program: Arc<dyn Program>,
    memory: Arc<Allocations>,
}

impl Program for CheckedProgram {
    unsafe fn launch(&self, launch: &Launch<'_>, workers: &dyn ThreadPool) -> Result<RaisedFlags, DeviceError> {
        let extents = || launch.outer.iter().chain(launch.inner);
        let is_empty = extents().any(|&n| n == 0);
        for (m, operand) in self.kernel.operands.iter().enumerate().filter(|_| !is_empty) {
            let (mut low, mut high) = (0isize, operand.dtype.size() as isize);
            for (&n, &stride) in extents().zip(launch.strides_of(m)) {
                let span = (n as isize - 1) * stride;
                (low, high) = (low + span.min(0), high + span.max(0));
            }
            let what = if operand.access == Access::Read { "a load" } else { "a store" };
            // Where gathers and scatters reach is in their offsets.
            let is_moved = |inst: &Inst| matches!(inst, Inst::Load(o) | Inst::Store(o, _) if o.0 as usize == m);
            if self.kernel.body.insts.iter().chain(&self.kernel.epilogue.insts).any(is_moved) {
                let start = launch.addresses[m].wrapping_offset(low) as usize;
                self.memory.check(what, start, (high - low) as usize)?;
            }
        }
        // SAFETY: the caller's contract.
        unsafe { self.program.launch(launch, workers) }
    }

    fn listing(&self) -> String {
        self.program.listing()
    }
}
