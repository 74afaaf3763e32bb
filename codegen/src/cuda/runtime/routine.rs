//! Routines of libraries, each looked for when it is first asked for.

use super::context::Context;
use super::fft::Cufft;
use super::solver::Solver;
use crate::{DeviceError, Library, Routine};

/// The libraries' state for one device: nothing before they are asked for, and then why there is none, where there is none.
#[derive(Default)]
pub(super) struct Routines {
    fourier: Option<Result<Cufft, DeviceError>>,
    solver: Option<Result<Solver, DeviceError>>,
}

impl Routines {
    fn fourier(&mut self, context: &Context) -> Result<&mut Cufft, DeviceError> {
        self.fourier.get_or_insert_with(|| Cufft::open(context)).as_mut().map_err(|error| error.clone())
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
