//! Dense linear algebra by cuSOLVER, one matrix after the other: what all of its routines share.

use super::context::Context;
use super::driver;
use super::library::{Workspace, failed, opened};
use crate::{DType, DeviceError, Failure, Routine};
use cudarc::cublas::sys::cudaDataType as Type;
use cudarc::cusolver::sys;
use cudarc::cusolver::sys::{cusolverDnHandle_t as Handle, cusolverDnParams_t as Params};
use cudarc::driver::sys::CUstream;
use libloading::Library;
use std::ffi::c_int;

type CreateSolver = unsafe extern "C" fn(*mut Handle) -> u32;
type CreateParams = unsafe extern "C" fn(*mut Params) -> u32;
type SetStreamSolver = unsafe extern "C" fn(Handle, CUstream) -> u32;

/// The library with its handle for one device.
pub(super) struct Solver {
    library: &'static Library,
    pub(super) handle: Handle,
    pub(super) params: Params,
}

// SAFETY: the value owns the handle.
unsafe impl Send for Solver {}

/// The matrices of a batch: their type, rows and columns (equal where they are square), and number.
#[derive(Clone, Copy)]
pub(super) struct Batch {
    pub(super) dtype: DType,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) count: usize,
}

/// The workspace of a call, on the device and on the host.
pub(super) struct SolverWorkspace<'a> {
    there: Workspace<'a>,
    here: Vec<u8>,
    bytes: usize,
}

impl Solver {
    /// The library's state for a device, whose context is current.
    ///
    /// # Errors
    /// [`Failure::Absent`] where the library is not there, or does not start.
    pub(super) fn open(context: &Context) -> Result<Solver, DeviceError> {
        // SAFETY: loading the library runs its constructors, which any program that uses it does.
        let library = opened("cuSOLVER", unsafe { sys::is_culib_present().then(|| sys::culib()) })?;
        let create: CreateSolver = driver::function(library, "cusolverDnCreate")?;
        let create_params: CreateParams = driver::function(library, "cusolverDnCreateParams")?;
        let set_stream: SetStreamSolver = driver::function(library, "cusolverDnSetStream")?;
        let (mut handle, mut params) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: locals are written; the stream is of the current context.
        let starts = unsafe {
            create(&raw mut handle) == 0
                && create_params(&raw mut params) == 0
                && set_stream(handle, context.stream) == 0
        };
        if !starts {
            context.wait()?;
            return Err(DeviceError::new(Failure::Absent, "cuSOLVER does not start"));
        }
        Ok(Solver { library, handle, params })
    }

    /// A function by its name without `cusolverDn`. Looking it up is little beside calling it.
    ///
    /// # Errors
    /// [`Failure::Absent`] where the library has none.
    pub(super) fn function<F: Copy>(&self, name: &str) -> Result<F, DeviceError> {
        driver::function(self.library, &format!("cusolverDn{name}"))
    }

    /// Runs a routine over each matrix of a batch.
    ///
    /// # Errors
    /// As [`crate::Device::run_routine`].
    ///
    /// # Safety
    /// As [`crate::Device::run_routine`]; the context is current.
    pub(super) unsafe fn run(
        &self,
        context: &Context,
        routine: &Routine<'_>,
        operands: &[*mut u8],
    ) -> Result<(), DeviceError> {
        let batch = |dtype, rows, columns, count| Batch { dtype, rows, columns, count };
        // SAFETY: the caller's contract.
        unsafe {
            match *routine {
                Routine::Solve { dtype, n, columns, batch: count } => {
                    self.solve(context, batch(dtype, n, n, count), columns, operands)
                }
                Routine::Cholesky { dtype, n, upper, batch: count } => {
                    self.cholesky(context, batch(dtype, n, n, count), upper, operands)
                }
                Routine::Reflect { dtype, rows, columns, batch: count } => {
                    self.reflect(context, batch(dtype, rows, columns, count), operands)
                }
                Routine::Orthogonal { dtype, rows, columns, reflectors, batch: count } => {
                    self.orthogonal(context, batch(dtype, rows, columns, count), reflectors, operands)
                }
                Routine::Eigen { dtype, n, upper, vectors, batch: count } => {
                    self.eigen(context, batch(dtype, n, n, count), (upper, vectors), operands)
                }
                Routine::Singular { dtype, rows, columns, vectors, batch: count } => {
                    self.singular(context, batch(dtype, rows, columns, count), vectors, operands)
                }
                Routine::Fourier { .. } => unreachable!("cuFFT's"),
            }
        }
    }

    /// Calls a function for each matrix, by number, with workspaces on the device and on the host; `ask` gives their sizes.
    ///
    /// # Errors
    /// Those of the device, which say what failed: `doing`.
    pub(super) fn each(
        &self,
        context: &Context,
        (count, doing): (usize, &str),
        ask: impl FnOnce(*mut usize, *mut usize) -> u32,
        call: impl Fn(usize, &mut SolverWorkspace<'_>) -> u32,
    ) -> Result<(), DeviceError> {
        let (mut there, mut here) = (0, 0);
        checked(context, doing, ask(&raw mut there, &raw mut here))?;
        let mut room = SolverWorkspace { there: Workspace::new(context, there)?, here: vec![0; here], bytes: there };
        for i in 0..count {
            checked(context, doing, call(i, &mut room))?;
        }
        // The workspace on the device is freed in stream order, that on the host now.
        if here == 0 { Ok(()) } else { context.wait() }
    }
}

impl SolverWorkspace<'_> {
    /// The part on the device, and its bytes.
    pub(super) fn on_device(&self) -> (*mut u8, usize) {
        (self.there.start, self.bytes)
    }

    pub(super) fn on_host(&mut self) -> (*mut u8, usize) {
        (self.here.as_mut_ptr(), self.here.len())
    }
}

impl Batch {
    /// The first byte of a matrix.
    pub(super) fn matrix(&self, start: *mut u8, i: usize) -> *mut u8 {
        start.wrapping_add(i * self.rows * self.columns * self.dtype.size())
    }

    /// The library's name of the type.
    pub(super) fn kind(&self) -> Result<Type, DeviceError> {
        kind(self.dtype)
    }

    /// The library's name of the type of the real numbers.
    pub(super) fn real(&self) -> Result<Type, DeviceError> {
        kind(self.dtype.real())
    }
}

/// The slot of the status (`info`) of a matrix.
pub(super) fn info_slot(notes: *mut u8, i: usize) -> *mut c_int {
    notes.cast::<c_int>().wrapping_add(i)
}

/// # Errors
/// With any status but success.
fn checked(context: &Context, doing: &str, status: u32) -> Result<(), DeviceError> {
    if status == 0 { Ok(()) } else { Err(failed(context, "cuSOLVER", doing, status)) }
}

fn kind(dtype: DType) -> Result<Type, DeviceError> {
    match dtype {
        DType::F32 => Ok(Type::CUDA_R_32F),
        DType::F64 => Ok(Type::CUDA_R_64F),
        DType::C64 => Ok(Type::CUDA_C_32F),
        DType::C128 => Ok(Type::CUDA_C_64F),
        _ => Err(DeviceError::new(Failure::Absent, format!("cuSOLVER has no {dtype}"))),
    }
}
