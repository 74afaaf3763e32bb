//! Library routines, by libraries that are loaded at first use.

use super::context::Context;
use super::fft::Cufft;
use super::solver::Solver;
use crate::{DeviceError, Library, Routine};

/// The libraries of one device: none before first use, then the library or why it is absent.
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

    /// Why a library is absent, if it is. The context is current.
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
    /// As [`crate::Device::run_routine`]; the context is current.
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
