//! Routines of libraries, each looked for when it is first asked for.

use super::context::Context;
use super::fourier::Fourier;
use super::solver::Solver;
use crate::{DeviceError, Failure, Library, Routine};
use libloading::Library as Opened;

/// The libraries' state for one device: nothing before they are asked for, and then why there is none, where there is none.
#[derive(Default)]
pub(super) struct Routines {
    fourier: Option<Result<Fourier, DeviceError>>,
    solver: Option<Result<Solver, DeviceError>>,
}

impl Routines {
    fn fourier(&mut self, context: &Context) -> Result<&mut Fourier, DeviceError> {
        self.fourier.get_or_insert_with(|| Fourier::open(context)).as_mut().map_err(|error| error.clone())
    }

    fn solver(&mut self, context: &Context) -> Result<&Solver, DeviceError> {
        self.solver.get_or_insert_with(|| Solver::open(context)).as_ref().map_err(Clone::clone)
    }

    /// Why there is no such library, where there is none. The context is the thread's.
    pub(super) fn lack(&mut self, context: &Context, library: Library) -> Option<String> {
        match library {
            Library::Fourier => self.fourier(context).err(),
            Library::Solver => self.solver(context).err(),
        }
        .map(|error| error.message)
    }

    /// Runs a routine.
    ///
    /// # Errors
    /// As [`crate::Device::run_routine`].
    ///
    /// # Safety
    /// As [`crate::Device::run_routine`]; the context is the thread's.
    pub(super) unsafe fn run(
        &mut self,
        context: &Context,
        routine: &Routine<'_>,
        addresses: &[*mut u8],
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller's contract.
        unsafe {
            match *routine {
                Routine::Fourier { transform, real, extents, batch } => {
                    self.fourier(context)?.run(context, (transform, real, extents, batch), addresses)
                }
                Routine::Solve { .. }
                | Routine::Cholesky { .. }
                | Routine::Reflect { .. }
                | Routine::Orthogonal { .. }
                | Routine::Singular { .. }
                | Routine::Eigen { .. } => self.solver(context)?.run(context, routine, addresses),
            }
        }
    }
}

/// A library that is there.
///
/// # Errors
/// [`Failure::Absent`] where it is not.
pub(super) fn opened(name: &str, library: Option<&'static Opened>) -> Result<&'static Opened, DeviceError> {
    library.ok_or_else(|| DeviceError::new(Failure::Absent, format!("{name} is not installed")))
}

/// An error of a call of a library: where the device failed before, that is the error.
#[cold]
pub(super) fn failed(context: &Context, name: &str, doing: &str, status: u32) -> DeviceError {
    context.wait().err().unwrap_or_else(|| {
        let message = format!("cuda:{}: {name} could not {doing}: status {status}", context.ordinal);
        DeviceError::new(Failure::Fault, message)
    })
}

/// Memory that calls of a library work in, given back when dropped, once what was asked for is done.
pub(super) struct Work<'a> {
    context: &'a Context,
    pub(super) start: *mut u8,
}

impl Work<'_> {
    /// So many bytes.
    ///
    /// # Errors
    /// [`Failure::Memory`]; those of a device that failed.
    pub(super) fn new(context: &Context, bytes: usize) -> Result<Work<'_>, DeviceError> {
        Ok(Work { context, start: context.allocate(bytes)? })
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        // SAFETY: the memory is of this context, and only what was asked for before uses it. What a device that failed cannot give
        // back is gone with it.
        let _ = unsafe { self.context.free(self.start) };
    }
}
