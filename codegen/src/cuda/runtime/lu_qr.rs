//! Factorisations by cuSOLVER: LU with solutions, Cholesky, and QR.

use super::context::Context;
use super::library::Workspace;
use super::solver::{Batch, Solver, info_slot};
use crate::{DType, DeviceError, Failure};
use cudarc::cublas::sys::cudaDataType as Type;
use cudarc::cusolver::sys::{cusolverDnHandle_t as Handle, cusolverDnParams_t as Params};
use std::ffi::c_int;

/// Rows, columns; type, matrix, distance of columns; type it is computed in; bytes there and here.
type LuSize = unsafe extern "C" fn(Handle, Params, i64, i64, Type, *const u8, i64, Type, *mut usize, *mut usize) -> u32;
/// The same with pivots behind the matrix, where it works, and a info_slot at the end.
type Lu = unsafe extern "C" fn(
    Handle,
    Params,
    i64,
    i64,
    Type,
    *mut u8,
    i64,
    *mut i64,
    Type,
    *mut u8,
    usize,
    *mut u8,
    usize,
    *mut c_int,
) -> u32;
/// Whether it is turned; rows, right sides; type, matrix, distance of columns, pivots; type, right sides, distance of columns; a info_slot.
type LuSolve = unsafe extern "C" fn(
    Handle,
    Params,
    c_int,
    i64,
    i64,
    Type,
    *const u8,
    i64,
    *const i64,
    Type,
    *mut u8,
    i64,
    *mut c_int,
) -> u32;
/// Whether it is the upper triangle; rows; from there on as [`LuSize`].
type CholeskySize =
    unsafe extern "C" fn(Handle, Params, c_int, i64, Type, *const u8, i64, Type, *mut usize, *mut usize) -> u32;
type Cholesky = unsafe extern "C" fn(
    Handle,
    Params,
    c_int,
    i64,
    Type,
    *mut u8,
    i64,
    Type,
    *mut u8,
    usize,
    *mut u8,
    usize,
    *mut c_int,
) -> u32;
/// As [`LuSize`], with type and place of the reflectors' factors behind the matrix.
type ReflectSize = unsafe extern "C" fn(
    Handle,
    Params,
    i64,
    i64,
    Type,
    *const u8,
    i64,
    Type,
    *const u8,
    Type,
    *mut usize,
    *mut usize,
) -> u32;
type Reflect = unsafe extern "C" fn(
    Handle,
    Params,
    i64,
    i64,
    Type,
    *mut u8,
    i64,
    Type,
    *mut u8,
    Type,
    *mut u8,
    usize,
    *mut u8,
    usize,
    *mut c_int,
) -> u32;
/// Rows, columns, reflectors; matrix, distance of columns, the reflectors' factors; elements it works in.
type OrthogonalSize = unsafe extern "C" fn(Handle, c_int, c_int, c_int, *const u8, c_int, *const u8, *mut c_int) -> u32;
type Orthogonal =
    unsafe extern "C" fn(Handle, c_int, c_int, c_int, *mut u8, c_int, *const u8, *mut u8, c_int, *mut c_int) -> u32;

/// A matrix that is not transposed.
const STRAIGHT: c_int = 0;

impl Solver {
    /// As [`Solver::run`], for systems of equations.
    pub(super) unsafe fn solve(
        &self,
        context: &Context,
        batch: Batch,
        sides: usize,
        operands: &[*mut u8],
    ) -> Result<(), DeviceError> {
        let (kind, n) = (batch.kind()?, batch.rows as i64);
        let (handle, params) = (self.handle, self.params);
        let size: LuSize = self.function("Xgetrf_bufferSize")?;
        let (lu, solve): (Lu, LuSolve) = (self.function("Xgetrf")?, self.function("Xgetrs")?);
        // The info of the second function, which is not read.
        let called = Workspace::new(context, size_of::<c_int>())?;
        self.each(
            context,
            (batch.count, "solve"),
            // SAFETY: locals are written.
            |there, here| unsafe { size(handle, params, n, n, kind, operands[0], n, kind, there, here) },
            |i, room| {
                let (matrix, found) = (batch.matrix(operands[0], i), info_slot(operands[3], i));
                let swapped = operands[1].cast::<i64>().wrapping_add(i * batch.rows);
                let columns = operands[2].wrapping_add(i * batch.rows * sides * batch.dtype.size());
                let ((there, bytes), (here, few)) = (room.on_device(), room.on_host());
                // SAFETY: the operands and workspaces have these sizes.
                unsafe {
                    match lu(handle, params, n, n, kind, matrix, n, swapped, kind, there, bytes, here, few, found) {
                        0 if sides > 0 => solve(
                            handle,
                            params,
                            STRAIGHT,
                            n,
                            sides as i64,
                            kind,
                            matrix,
                            n,
                            swapped,
                            kind,
                            columns,
                            n,
                            called.start.cast(),
                        ),
                        status => status,
                    }
                }
            },
        )
    }

    /// As [`Solver::run`], for Cholesky factors.
    pub(super) unsafe fn cholesky(
        &self,
        context: &Context,
        batch: Batch,
        upper: bool,
        operands: &[*mut u8],
    ) -> Result<(), DeviceError> {
        let (kind, n, upper) = (batch.kind()?, batch.rows as i64, c_int::from(upper));
        let (handle, params) = (self.handle, self.params);
        let size: CholeskySize = self.function("Xpotrf_bufferSize")?;
        let factor: Cholesky = self.function("Xpotrf")?;
        self.each(
            context,
            (batch.count, "factor"),
            // SAFETY: locals are written.
            |there, here| unsafe { size(handle, params, upper, n, kind, operands[0], n, kind, there, here) },
            |i, room| {
                let (matrix, found) = (batch.matrix(operands[0], i), info_slot(operands[1], i));
                let ((there, bytes), (here, few)) = (room.on_device(), room.on_host());
                // SAFETY: the operands and workspaces have these sizes.
                unsafe { factor(handle, params, upper, n, kind, matrix, n, kind, there, bytes, here, few, found) }
            },
        )
    }

    /// As [`Solver::run`], for triangles and reflectors.
    pub(super) unsafe fn reflect(
        &self,
        context: &Context,
        batch: Batch,
        operands: &[*mut u8],
    ) -> Result<(), DeviceError> {
        let (kind, m, n) = (batch.kind()?, batch.rows as i64, batch.columns as i64);
        let (handle, params) = (self.handle, self.params);
        let size: ReflectSize = self.function("Xgeqrf_bufferSize")?;
        let factor: Reflect = self.function("Xgeqrf")?;
        self.each(
            context,
            (batch.count, "factor"),
            // SAFETY: locals are written.
            |there, here| unsafe {
                size(handle, params, m, n, kind, operands[0], m, kind, operands[1], kind, there, here)
            },
            |i, room| {
                let (matrix, found) = (batch.matrix(operands[0], i), info_slot(operands[2], i));
                let factors = batch.factors(operands[1], batch.rows.min(batch.columns), i);
                let ((there, bytes), (here, few)) = (room.on_device(), room.on_host());
                // SAFETY: the operands and workspaces have these sizes.
                unsafe {
                    factor(handle, params, m, n, kind, matrix, m, kind, factors, kind, there, bytes, here, few, found)
                }
            },
        )
    }

    /// As [`Solver::run`], for orthogonal matrices that reflectors make.
    pub(super) unsafe fn orthogonal(
        &self,
        context: &Context,
        batch: Batch,
        reflectors: usize,
        operands: &[*mut u8],
    ) -> Result<(), DeviceError> {
        // This function has the type in its name, and sizes of 32 bits.
        let name = match batch.dtype {
            DType::F32 => "Sorgqr",
            DType::F64 => "Dorgqr",
            DType::C64 => "Cungqr",
            _ => "Zungqr",
        };
        let (m, n, k) = (short(batch.rows)?, short(batch.columns)?, short(reflectors)?);
        let size: OrthogonalSize = self.function(&format!("{name}_bufferSize"))?;
        let make: Orthogonal = self.function(name)?;
        self.each(
            context,
            (batch.count, "multiply reflections"),
            |there, _| {
                let mut elements = 0;
                // SAFETY: locals are written.
                unsafe {
                    let status = size(self.handle, m, n, k, operands[0], m, operands[1], &raw mut elements);
                    *there = elements as usize * batch.dtype.size();
                    status
                }
            },
            |i, room| {
                let (matrix, found) = (batch.matrix(operands[0], i), info_slot(operands[2], i));
                let factors = batch.factors(operands[1], reflectors, i);
                let (there, bytes) = room.on_device();
                let elements = (bytes / batch.dtype.size()) as c_int;
                // SAFETY: the operands and workspaces have these sizes.
                unsafe { make(self.handle, m, n, k, matrix, m, factors, there, elements, found) }
            },
        )
    }
}

/// # Errors
/// [`Failure::Absent`] where the number is too large for the library.
fn short(n: usize) -> Result<c_int, DeviceError> {
    c_int::try_from(n).map_err(|_| DeviceError::new(Failure::Absent, format!("cuSOLVER does not take {n} rows")))
}

impl Batch {
    /// The first of a matrix's reflectors' factors.
    fn factors(&self, start: *mut u8, reflectors: usize, i: usize) -> *mut u8 {
        start.wrapping_add(i * reflectors * self.dtype.size())
    }
}
