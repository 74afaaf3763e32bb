//! The interface to devices: backends whose programs run on memory of their own.
//!
//! What a device is asked to do it may do later, but in the order in which it was asked, so that nothing has to wait but
//! [`Device::download`] and [`Device::wait`]. What failed meanwhile they report.

use crate::{Backend, DType, Kernel, Launch, Library, Routine, Verified};
use std::fmt;

/// A backend with memory of its own. Its programs are launched with addresses there.
pub trait Device: Backend {
    /// What it is, for people: `cuda:0 (NVIDIA H200, 139.8 GiB)`.
    fn description(&self) -> String;

    /// What decides whether work is worth giving to it.
    fn facts(&self) -> Facts;

    /// The type and the ordinal that DLPack knows it by, which other libraries know it by too: `(2, 0)` is `cuda:0`.
    fn dlpack(&self) -> (i32, i32);

    /// Makes sure that these launches need not wait for a compiler, by compiling what is missing together. Of their addresses only
    /// the alignment counts.
    ///
    /// # Errors
    /// Where the device's compiler refuses a kernel, or there is none.
    fn prepare(&self, launches: &[(&Verified<Kernel>, Launch<'_>)]) -> Result<(), DeviceError>;

    /// Memory for so many bytes, aligned to 256; contents are whatever was there before.
    ///
    /// # Errors
    /// [`Failure::Memory`], after what waits for reuse was given back.
    fn allocate(&self, bytes: usize) -> Result<*mut u8, DeviceError>;

    /// Takes memory back, once what was asked for before is done.
    ///
    /// # Safety
    /// The address and the size are those of one [`Device::allocate`], and nobody uses the memory in what is asked for later.
    unsafe fn release(&self, start: *mut u8, bytes: usize);

    /// Copies from the host's memory, which may be written again as soon as this returns.
    ///
    /// # Errors
    /// Those of a device that failed.
    ///
    /// # Safety
    /// So many bytes may be read at the one address, of the host, and written at the other, of this device.
    unsafe fn upload(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<(), DeviceError>;

    /// Copies to the host's memory, and waits for it.
    ///
    /// # Errors
    /// Those of anything that was asked for before.
    ///
    /// # Safety
    /// As [`Device::upload`], the other way.
    unsafe fn download(&self, from: *const u8, to: *mut u8, bytes: usize) -> Result<(), DeviceError>;

    /// Whether there is a way to compute a batch of matrix products as [`Device::multiply`] is asked for them, as far as can be
    /// told without asking: so that nobody sends operands for nothing.
    fn multiplies(&self, dtype: DType, domain: &[usize], strides: &[isize]) -> bool;

    /// Runs a batch of matrix products, in the types that have such: the domain is `[batch…, m, n, k]`, and every operand has a stride
    /// for each of its axes, zero where it does not go along. Gives whether it did.
    ///
    /// # Errors
    /// Those of a device that failed.
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

    /// Says that launches follow in a row: they may be held, until somebody needs them done and at last until [`Device::end`], and
    /// asked for as one where the same came before.
    fn begin(&self) {}

    /// Ends what [`Device::begin`] began: what was held is asked for. Gives how often several launches were asked for as one.
    ///
    /// # Errors
    /// Those of launches that were held.
    fn end(&self) -> Result<u64, DeviceError> {
        Ok(0)
    }

    /// Writes the elements whose byte of a mask is not zero to consecutive places, in their order: `values`, whose elements have so
    /// many bytes, or where there are none their positions, as `i64`.
    ///
    /// # Errors
    /// [`Failure::Memory`]; those of a device that failed.
    ///
    /// # Safety
    /// The mask has as many bytes as said, not zero, there are as many values, and the target has room for what is chosen and
    /// overlaps neither. All lie on this device, aligned to 16; an element has 1, 2, 4, 8 or 16 bytes.
    unsafe fn compact(
        &self,
        mask: (*const u8, usize),
        values: Option<(*const u8, usize)>,
        target: *mut u8,
    ) -> Result<(), DeviceError>;

    /// Why the device does not run routines of a library, where it does not.
    fn lacks(&self, library: Library) -> Option<String>;

    /// Runs a routine of a library.
    ///
    /// # Errors
    /// [`Failure::Absent`] where the library is missing, or cannot run it in these sizes, before anything ran; those of a device that
    /// failed.
    ///
    /// # Safety
    /// The addresses are those of the routine's operands, in their order, which lie on this device, apart from each other, are aligned
    /// to 16 and have its sizes, none of which is zero.
    unsafe fn run_routine(&self, routine: &Routine<'_>, addresses: &[*mut u8]) -> Result<(), DeviceError>;

    /// Waits until all is done that this process asked the device for, others' work in streams of their own included
    /// (`cuCtxSynchronize`): memory that they can reach too changes hands so.
    ///
    /// # Errors
    /// Those of anything that was asked for before.
    fn wait(&self) -> Result<(), DeviceError>;
}

/// What decides whether work is worth giving to a device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Facts {
    /// Nanoseconds from asking for a launch to its end, where it has next to nothing to do.
    pub launch: f64,
    /// Bytes that a kernel reads or writes in a nanosecond.
    pub bandwidth: f64,
    /// Bytes that go there or come back in a nanosecond.
    pub link: f64,
    /// Nanoseconds to compile a kernel.
    pub compile: f64,
}

/// DLPack's type of the devices of CUDA.
pub const CUDA: i32 = 2;
/// DLPack's type of devices that only those who made them know (`kDLExtDev`): here, of those for tests.
pub const EXTENSION: i32 = 12;

/// What kind of thing went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// No memory, there or for what a launch needs.
    Memory,
    /// No such device, driver or library.
    Absent,
    /// A kernel or the device failed.
    Fault,
}

/// A device could not do what it was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceError {
    /// What kind of thing went wrong.
    pub failure: Failure,
    /// What, with the figures or the kernel's text.
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
