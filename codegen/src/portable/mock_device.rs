//! Two mock devices, for tests without a GPU: the portable backend on memory of its own.
//!
//! The memory is the host's, but callers must not rely on that: fresh memory is filled with a pattern that is no result, and a launch
//! or a copy that reaches outside of the device's allocations fails.

use crate::backend::composed::{Blocks, KernelStage};
use crate::backend::device::EXTENSION;
use crate::backend::fault;
use crate::drive::composed;
use crate::portable::program::Portable;
use crate::{
    Access, Backend, CompileError, DType, Device, DeviceError, Facts, Failure, Inst, Kernel, Launch, Library, Program,
    RaisedFlags, Routine, SingleThread, ThreadPool, Verified,
};
use parking_lot::Mutex;
use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Alignment of allocations.
const ALIGN: usize = 256;
/// The byte that fresh memory is filled with.
const FRESH: u8 = 0xa5;

/// A mock device.
pub struct MockDevice {
    ordinal: usize,
    portable: Portable,
    memory: Arc<Allocations>,
}

/// Live allocations: their sizes by their addresses.
#[derive(Default)]
struct Allocations(Mutex<BTreeMap<usize, usize>>);

impl MockDevice {
    /// One of the two devices.
    pub(crate) fn shared(ordinal: usize) -> Arc<MockDevice> {
        static BOTH: LazyLock<[Arc<MockDevice>; 2]> = LazyLock::new(|| {
            [0, 1].map(|ordinal| Arc::new(MockDevice { ordinal, portable: Portable::new(), memory: Arc::default() }))
        });
        BOTH[ordinal].clone()
    }
}

impl Allocations {
    /// # Errors
    /// If the bytes do not lie within one allocation.
    fn check(&self, what: &str, start: usize, bytes: usize) -> Result<(), DeviceError> {
        let blocks = self.0.lock();
        let within = blocks.range(..=start).next_back().is_some_and(|(&at, &n)| start + bytes <= at + n);
        if within || bytes == 0 {
            return Ok(());
        }
        Err(DeviceError::new(
            Failure::Fault,
            format!("{what} reaches {bytes} bytes at {start:#x}, outside the device's allocations"),
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

/// # Errors
/// A transfer that a test lets fail.
fn check_transfer() -> Result<(), DeviceError> {
    if fault::strikes() { Err(DeviceError::new(Failure::Fault, "the transfer failed")) } else { Ok(()) }
}

impl Device for MockDevice {
    fn description(&self) -> String {
        format!("{} (the portable backend on memory of its own, for tests)", self.name())
    }

    fn dlpack(&self) -> (i32, i32) {
        (EXTENSION, self.ordinal as i32)
    }

    fn facts(&self) -> Facts {
        // Roughly those of a GPU, so that tests take the same offloading decisions.
        Facts { launch: 3_000.0, bandwidth: 4_000.0, link: 50.0, compile: 50e6 }
    }

    fn prepare(&self, _: &[(&Verified<Kernel>, Launch<'_>)]) -> Result<(), DeviceError> {
        if fault::strikes() {
            return Err(DeviceError::new(Failure::Fault, "the compiler refused a kernel"));
        }
        Ok(())
    }

    unsafe fn launch_composed(&self, stages: &[KernelStage<'_>], blocks: &Blocks) -> Result<(), DeviceError> {
        let scratch = self.allocate(blocks.scratch_bytes)?;
        // SAFETY: the caller's contract; there is scratch memory for one block.
        let done =
            unsafe { composed::launch(stages, &Blocks { scratch, scratch_blocks: 1, ..*blocks }, &SingleThread) };
        // SAFETY: just allocated, and the launch is done.
        unsafe { self.release(scratch, blocks.scratch_bytes) };
        done.map(|_| ())
    }

    fn allocate(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        let none = || DeviceError::new(Failure::Memory, format!("Unable to allocate {bytes} bytes on the device"));
        if fault::strikes() {
            return Err(none());
        }
        let layout = Layout::from_size_align(bytes.max(1), ALIGN).map_err(|_| none())?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            return Err(none());
        }
        // SAFETY: just allocated.
        unsafe { start.write_bytes(FRESH, bytes) };
        self.memory.0.lock().insert(start as usize, bytes);
        Ok(start)
    }

    unsafe fn release(&self, start: *mut u8, bytes: usize) {
        let known = self.memory.0.lock().remove(&(start as usize));
        assert_eq!(known, Some(bytes), "released memory was allocated with this size");
        // SAFETY: allocated with this layout, and not used any more.
        unsafe { dealloc(start, Layout::from_size_align_unchecked(bytes.max(1), ALIGN)) };
    }

    unsafe fn upload(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<(), DeviceError> {
        check_transfer()?;
        self.memory.check("a copy", to as usize, bytes)?;
        // SAFETY: the caller's contract.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        Ok(())
    }

    unsafe fn download(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<(), DeviceError> {
        check_transfer()?;
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
        // SAFETY: the caller's contract, checked above as far as addresses go.
        let mask = unsafe { std::slice::from_raw_parts(mask, elements) };
        let chosen = mask.iter().enumerate().filter(|(_, flag)| **flag != 0);
        self.memory.check("compacted elements", target as usize, size * chosen.clone().count())?;
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

/// A program that checks the addresses of a launch before it runs.
struct CheckedProgram {
    kernel: Verified<Kernel>,
    program: Arc<dyn Program>,
    memory: Arc<Allocations>,
}

impl Program for CheckedProgram {
    unsafe fn launch(&self, launch: &Launch<'_>, workers: &dyn ThreadPool) -> Result<RaisedFlags, DeviceError> {
        if fault::strikes() {
            return Err(DeviceError::new(Failure::Fault, "the launch was refused"));
        }
        let extents = || launch.outer.iter().chain(launch.inner);
        let is_empty = extents().any(|&n| n == 0);
        for (m, operand) in self.kernel.operands.iter().enumerate().filter(|_| !is_empty) {
            let (mut low, mut high) = (0isize, operand.dtype.size() as isize);
            for (&n, &stride) in extents().zip(launch.strides_of(m)) {
                let span = (n as isize - 1) * stride;
                (low, high) = (low + span.min(0), high + span.max(0));
            }
            let what = if operand.access == Access::Read { "a load" } else { "a store" };
            // The addresses of gathers and scatters depend on their offsets, which are not checked.
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

    fn strategy(&self, launch: &Launch<'_>) -> &'static str {
        self.program.strategy(launch)
    }
}
