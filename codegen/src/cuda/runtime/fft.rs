//! Fourier transforms by cuFFT, with a cache of its plans.

use super::context::Context;
use super::driver::function;
use super::library::{Workspace, failed, opened};
use crate::{DType, DeviceError, Failure, Transform};
use cudarc::cufft::sys;
use cudarc::cufft::sys::{cufftHandle, cufftType};
use cudarc::driver::sys::CUstream;
use std::ffi::{c_int, c_longlong};

/// Cached plans: a plan takes some kilobytes on the host, and on the device tables of the size of a transform.
const MAX_PLANS: usize = 16;
/// The exponents' signs.
const FORWARD: c_int = -1;
const INVERSE: c_int = 1;

type CreateCufft = unsafe extern "C" fn(*mut cufftHandle) -> u32;
type Destroy = unsafe extern "C" fn(cufftHandle) -> u32;
type SetAutoAllocation = unsafe extern "C" fn(cufftHandle, c_int) -> u32;
type SetStreamCufft = unsafe extern "C" fn(cufftHandle, CUstream) -> u32;
type SetWorkArea = unsafe extern "C" fn(cufftHandle, *mut u8) -> u32;
type Make = unsafe extern "C" fn(
    cufftHandle,
    c_int,
    *const c_longlong,
    *const c_longlong,
    c_longlong,
    c_longlong,
    *const c_longlong,
    c_longlong,
    c_longlong,
    cufftType,
    c_longlong,
    *mut usize,
) -> u32;
type ExecComplex = unsafe extern "C" fn(cufftHandle, *mut u8, *mut u8, c_int) -> u32;
type ExecReal = unsafe extern "C" fn(cufftHandle, *mut u8, *mut u8) -> u32;

/// The library's functions, and the plans of one device, the most recently used last.
pub(super) struct Cufft {
    create: CreateCufft,
    destroy: Destroy,
    set_auto_allocation: SetAutoAllocation,
    set_stream: SetStreamCufft,
    set_work_area: SetWorkArea,
    make: Make,
    /// Single and double precision.
    complex: [ExecComplex; 2],
    from_real: [ExecReal; 2],
    to_real: [ExecReal; 2],
    plans: Vec<FftPlan>,
}

/// A plan of the library, and the bytes of its workspace.
struct FftPlan {
    kind: cufftType,
    extents: Vec<usize>,
    batch: usize,
    handle: cufftHandle,
    work: usize,
}

impl Cufft {
    /// The library.
    ///
    /// # Errors
    /// [`Failure::Absent`] where it is not there, or lacks a function.
    pub(super) fn open(_: &Context) -> Result<Cufft, DeviceError> {
        // SAFETY: loading the library runs its constructors, which any program that uses it does.
        let library = opened("cuFFT", unsafe { sys::is_culib_present().then(|| sys::culib()) })?;
        Ok(Cufft {
            create: function(library, "cufftCreate")?,
            destroy: function(library, "cufftDestroy")?,
            set_auto_allocation: function(library, "cufftSetAutoAllocation")?,
            set_stream: function(library, "cufftSetStream")?,
            set_work_area: function(library, "cufftSetWorkArea")?,
            make: function(library, "cufftMakePlanMany64")?,
            complex: [function(library, "cufftExecC2C")?, function(library, "cufftExecZ2Z")?],
            from_real: [function(library, "cufftExecR2C")?, function(library, "cufftExecD2Z")?],
            to_real: [function(library, "cufftExecC2R")?, function(library, "cufftExecZ2D")?],
            plans: vec![],
        })
    }

    /// Runs transforms.
    ///
    /// # Errors
    /// As [`crate::Device::run_routine`].
    ///
    /// # Safety
    /// As [`crate::Device::run_routine`]; the context is current.
    pub(super) unsafe fn run(
        &mut self,
        context: &Context,
        (transform, real, extents, batch): (Transform, DType, &[usize], usize),
        addresses: &[*mut u8],
    ) -> Result<(), DeviceError> {
        let is_double = real == DType::F64;
        let kinds = match transform {
            Transform::Forward | Transform::Inverse => [cufftType::CUFFT_C2C, cufftType::CUFFT_Z2Z],
            Transform::FromReal => [cufftType::CUFFT_R2C, cufftType::CUFFT_D2Z],
            Transform::ToReal => [cufftType::CUFFT_C2R, cufftType::CUFFT_Z2D],
        };
        let kind = kinds[usize::from(is_double)];
        let (handle, bytes) = self.plan(context, kind, extents, batch)?;
        let work = Workspace::new(context, bytes)?;
        let precision = usize::from(is_double);
        let (from, to) = (addresses[0], addresses[1]);
        // SAFETY: the plan is for these sizes, which the operands have, and the workspace has the size that it asked for.
        let status = unsafe {
            match (self.set_work_area)(handle, work.start) {
                0 => match transform {
                    Transform::Forward => (self.complex[precision])(handle, from, to, FORWARD),
                    Transform::Inverse => (self.complex[precision])(handle, from, to, INVERSE),
                    Transform::FromReal => (self.from_real[precision])(handle, from, to),
                    Transform::ToReal => (self.to_real[precision])(handle, from, to),
                },
                status => status,
            }
        };
        if status == 0 { Ok(()) } else { Err(failed(context, "cuFFT", "transform", status)) }
    }

    /// The plan of a transform, and the bytes of its workspace.
    fn plan(
        &mut self,
        context: &Context,
        kind: cufftType,
        extents: &[usize],
        batch: usize,
    ) -> Result<(cufftHandle, usize), DeviceError> {
        let is_it = |plan: &FftPlan| plan.kind == kind && plan.extents == extents && plan.batch == batch;
        let plan = match self.plans.iter().position(is_it) {
            Some(found) => self.plans.remove(found),
            None => {
                if self.plans.len() >= MAX_PLANS {
                    let oldest = self.plans.remove(0);
                    // Its tables may still be in use.
                    context.wait()?;
                    // SAFETY: the plan was made, and was just removed from the list.
                    unsafe { (self.destroy)(oldest.handle) };
                }
                self.made(context, kind, extents, batch)?
            }
        };
        let found = (plan.handle, plan.work);
        self.plans.push(plan);
        Ok(found)
    }

    fn made(
        &self,
        context: &Context,
        kind: cufftType,
        extents: &[usize],
        batch: usize,
    ) -> Result<FftPlan, DeviceError> {
        let sizes: Vec<c_longlong> = extents.iter().map(|&n| n as c_longlong).collect();
        let (mut handle, mut work) = (0, 0);
        let dense = std::ptr::null();
        // SAFETY: locals are written, and sizes read; the stream is of the current context.
        let status = unsafe {
            match (self.create)(&raw mut handle) {
                0 => {
                    let mut status = (self.set_auto_allocation)(handle, 0);
                    if status == 0 {
                        let (rank, batch) = (sizes.len() as c_int, batch as c_longlong);
                        let from = sizes.as_ptr();
                        status = (self.make)(handle, rank, from, dense, 1, 1, dense, 1, 1, kind, batch, &raw mut work);
                    }
                    if status == 0 {
                        status = (self.set_stream)(handle, context.stream);
                    }
                    if status != 0 {
                        (self.destroy)(handle);
                    }
                    status
                }
                status => status,
            }
        };
        if status != 0 {
            // Where the device failed before, that is the error; else nothing has run, and others can.
            context.wait()?;
            let message = format!("cuFFT makes no plan for {extents:?}: status {status}");
            return Err(DeviceError::new(Failure::Absent, message));
        }
        Ok(FftPlan { kind, extents: extents.to_vec(), batch, handle, work })
    }
}
