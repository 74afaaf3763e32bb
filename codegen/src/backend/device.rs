//! The device interface: backends whose programs run on the device's own memory.
//!
//! A device is an in-order queue. Calls may return before the work is done; only [`Device::download`] and [`Device::wait`] wait for
//! it, and report failures of earlier calls.

use crate::backend::composed::{Blocks, KernelStage};
use crate::{Backend, DType, Kernel, Launch, Library, Routine, Verified};
use std::fmt;

/// A backend with its own memory. Its programs are launched with device addresses.
pub trait Device: Backend {
    /// A description for people: `cuda:0 (NVIDIA H200, 139.8 GiB)`.
    fn description(&self) -> String;

    /// The cost model: decides whether offloading work to the device pays.
    fn facts(&self) -> Facts;

    /// Its DLPack device type and ordinal, as other libraries use them: `(2, 0)` is `cuda:0`.
    fn dlpack(&self) -> (i32, i32);

    /// Compiles the kernels of these launches that are not compiled yet, in one call of the compiler. Only the alignment of their
    /// addresses matters.
    ///
    /// # Errors
    /// If the device's compiler rejects a kernel, or there is no compiler.
    fn prepare(&self, launches: &[(&Verified<Kernel>, Launch<'_>)]) -> Result<(), DeviceError>;

    /// Runs the stages of a composed kernel on all indices of their shared axis, as [`crate::drive::composed::launch`] does on the host, in
    /// blocks of one index. The device has the scratch memory; that of `blocks` is ignored.
    ///
    /// # Errors
    /// Failures of the device.
    ///
    /// # Safety
    /// As [`crate::drive::composed::launch`]. The addresses are the device's, and the stages neither scan nor gather.
    unsafe fn launch_composed(&self, stages: &[KernelStage<'_>], blocks: &Blocks) -> Result<(), DeviceError>;

    /// Allocates this many bytes, aligned to 256 and uninitialised.
    ///
    /// # Errors
    /// [`Failure::Memory`], after the device's free list was released.
    fn allocate(&self, bytes: usize) -> Result<*mut u8, DeviceError>;

    /// Frees memory once the calls queued before are done.
    ///
    /// # Safety
    /// The address and the size are those of one [`Device::allocate`], and no later call uses the memory.
    unsafe fn release(&self, start: *mut u8, bytes: usize);

    /// Copies from the host to the device. The host's memory may be overwritten as soon as this returns.
    ///
    /// # Errors
    /// Failures of the device.
    ///
    /// # Safety
    /// This many bytes are readable at `from`, on the host, and writable at `to`, on this device.
    unsafe fn upload(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<(), DeviceError>;

    /// Copies from the device to the host, and waits for the copy.
    ///
    /// # Errors
    /// Failures of this and of earlier calls.
    ///
    /// # Safety
    /// As [`Device::upload`], with host and device exchanged.
    unsafe fn download(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<(), DeviceError>;

    /// Whether [`Device::multiply`] can compute this batch of matrix products, as far as is known without trying: callers ask before
    /// they upload operands.
    fn multiplies(&self, dtype: DType, domain: &[usize], strides: &[isize]) -> bool;

    /// Runs a batch of matrix products, in the types that support it: the domain is `[batch…, m, n, k]`, and every operand has a stride
    /// for each of its axes, zero where it is broadcast. Returns whether it ran.
    ///
    /// # Errors
    /// Failures of the device.
    ///
    /// # Safety
    /// As [`crate::Program::launch`], for two factors and the product.
    unsafe fn multiply(
        &self,
        dtype: DType,
        domain: &[usize],
        strides: &[isize],
        addresses: &[*mut u8],
    ) -> Result<bool, DeviceError>;

    /// Begins capture: following launches may be queued until their results are needed, at the latest until [`Device::end`], and
    /// submitted as one graph if the same sequence was captured before.
    fn begin(&self) {}

    /// Ends capture and submits queued launches. Returns how many graphs of several launches were submitted.
    ///
    /// # Errors
    /// Failures of queued launches.
    fn end(&self) -> Result<u64, DeviceError> {
        Ok(0)
    }

    /// What the device decided about launches since the last call, for debug output: which kernels were woven, and why others were not.
    fn notes(&self) -> Vec<String> {
        vec![]
    }

    /// Stream compaction: writes the elements whose mask byte is not zero to consecutive locations, in order. The elements are those of
    /// `values` (an address and an item size), or without values their positions as `i64`.
    ///
    /// # Errors
    /// [`Failure::Memory`]; failures of the device.
    ///
    /// # Safety
    /// The mask has the given number of bytes, at least one, there are as many values, and the target has room for the selected
    /// elements and overlaps neither. All lie on this device, aligned to 16; an element has 1, 2, 4, 8 or 16 bytes.
    unsafe fn compact(
        &self,
        mask: (*const u8, usize),
        values: Option<(*const u8, usize)>,
        target: *mut u8,
    ) -> Result<(), DeviceError>;

    /// Why the device cannot run routines of a library; `None` if it can.
    fn lacks(&self, library: Library) -> Option<String>;

    /// Runs a routine of a library.
    ///
    /// # Errors
    /// [`Failure::Absent`] if the library is missing or does not support these sizes, before anything ran; failures of the device.
    ///
    /// # Safety
    /// The addresses are those of the routine's operands, in order. They lie on this device, do not overlap, are aligned to 16 and have
    /// the routine's sizes, none of which is zero.
    unsafe fn run_routine(&self, routine: &Routine<'_>, addresses: &[*mut u8]) -> Result<(), DeviceError>;

    /// Waits until the device has done all work of this process, including work of other libraries on other streams
    /// (`cuCtxSynchronize`). This orders accesses to memory shared with them.
    ///
    /// # Errors
    /// Failures of this and of earlier calls.
    fn wait(&self) -> Result<(), DeviceError>;
}

/// The constants of the cost model that decides whether offloading work to a device pays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Facts {
    /// Latency of an almost empty launch, in nanoseconds.
    pub launch: f64,
    /// Memory bandwidth of a kernel, in bytes a nanosecond.
    pub bandwidth: f64,
    /// Bandwidth of uploads and downloads, in bytes a nanosecond.
    pub link: f64,
    /// Nanoseconds to compile a kernel.
    pub compile: f64,
}

/// DLPack's device type of CUDA devices.
pub const CUDA: i32 = 2;
/// DLPack's device type for extensions (`kDLExtDev`): here, of the mock devices for tests.
pub const EXTENSION: i32 = 12;

/// The kind of a device's failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Out of memory.
    Memory,
    /// The device, driver or library is missing.
    Absent,
    /// A kernel or the device failed.
    Fault,
}

/// A failure of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceError {
    /// The kind.
    pub failure: Failure,
    /// A message with the figures or the kernel's text.
    pub message: String,
}

impl DeviceError {
    /// An error of a kind with a message.
    #[cold]
    pub fn new(failure: Failure, message: impl Into<String>) -> DeviceError {
        DeviceError { failure, message: message.into() }
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DeviceError {}
