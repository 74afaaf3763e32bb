//! Eigenvalues and singular values by cuSOLVER.

use super::context::Context;
use super::solver::{Batch, Solver, info_slot};
use crate::DeviceError;
use cudarc::cublas::sys::cudaDataType as Type;
use cudarc::cusolver::sys::{cusolverDnHandle_t as Handle, cusolverDnParams_t as Params};
use std::ffi::{c_char, c_int};

/// Whether vectors are wanted, whether it is the upper triangle; rows; type, matrix, distance of columns; type and place of the values;
/// type it is computed in; bytes there and here.
type EigenSize = unsafe extern "C" fn(
    Handle,
    Params,
    c_int,
    c_int,
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
type Eigen = unsafe extern "C" fn(
    Handle,
    Params,
    c_int,
    c_int,
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
/// Which vectors are wanted, from the left and from the right; rows, columns; types, places and distances of columns of the matrix, the
/// values (without a distance) and both vectors; type it is computed in; bytes there and here.
type SingularSize = unsafe extern "C" fn(
    Handle,
    Params,
    c_char,
    c_char,
    i64,
    i64,
    Type,
    *const u8,
    i64,
    Type,
    *const u8,
    Type,
    *const u8,
    i64,
    Type,
    *const u8,
    i64,
    Type,
    *mut usize,
    *mut usize,
) -> u32;
type Singular = unsafe extern "C" fn(
    Handle,
    Params,
    c_char,
    c_char,
    i64,
    i64,
    Type,
    *mut u8,
    i64,
    Type,
    *mut u8,
    Type,
    *mut u8,
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

impl Solver {
    /// As [`Solver::run`], for eigenvalues: from the upper triangle, with vectors.
    pub(super) unsafe fn eigen(
        &self,
        context: &Context,
        batch: Batch,
        (upper, vectors): (bool, bool),
        operands: &[*mut u8],
    ) -> Result<(), DeviceError> {
        let (kind, real, n) = (batch.kind()?, batch.real()?, batch.rows as i64);
        let (handle, params) = (self.handle, self.params);
        let (upper, vectors) = (c_int::from(upper), c_int::from(vectors));
        let size: EigenSize = self.function("Xsyevd_bufferSize")?;
        let decompose: Eigen = self.function("Xsyevd")?;
        self.each(
            context,
            (batch.count, "decompose"),
            |there, here| {
                let [matrix, values] = [operands[0], operands[1]];
                // SAFETY: locals are written.
                unsafe { size(handle, params, vectors, upper, n, kind, matrix, n, real, values, kind, there, here) }
            },
            |i, room| {
                let (matrix, found) = (batch.matrix(operands[0], i), info_slot(operands[2], i));
                let values = batch.values(operands[1], i);
                let ((there, bytes), (here, few)) = (room.on_device(), room.on_host());
                // SAFETY: the operands and workspaces have these sizes.
                unsafe {
                    decompose(
                        handle, params, vectors, upper, n, kind, matrix, n, real, values, kind, there, bytes, here,
                        few, found,
                    )
                }
            },
        )
    }

    /// As [`Solver::run`], for singular values, with so many vectors from the left.
    pub(super) unsafe fn singular(
        &self,
        context: &Context,
        batch: Batch,
        vectors: usize,
        operands: &[*mut u8],
    ) -> Result<(), DeviceError> {
        let (kind, real, m, n) = (batch.kind()?, batch.real()?, batch.rows as i64, batch.columns as i64);
        let (handle, params) = (self.handle, self.params);
        let size: SingularSize = self.function("Xgesvd_bufferSize")?;
        let decompose: Singular = self.function("Xgesvd")?;
        let wanted = match vectors {
            0 => b'N',
            all if all == batch.rows => b'A',
            _ => b'S',
        } as c_char;
        let element = batch.dtype.size();
        self.each(
            context,
            (batch.count, "decompose"),
            |there, here| {
                let [matrix, values, left, right] = [operands[0], operands[1], operands[2], operands[3]];
                // SAFETY: locals are written.
                unsafe {
                    size(
                        handle, params, wanted, wanted, m, n, kind, matrix, m, real, values, kind, left, m, kind,
                        right, n, kind, there, here,
                    )
                }
            },
            |i, room| {
                let (matrix, found) = (batch.matrix(operands[0], i), info_slot(operands[4], i));
                let values = batch.values(operands[1], i);
                let left = operands[2].wrapping_add(i * vectors * batch.rows * element);
                let right = operands[3].wrapping_add(i * batch.columns * batch.columns.min(vectors) * element);
                let ((there, bytes), (here, few)) = (room.on_device(), room.on_host());
                // SAFETY: the operands and workspaces have these sizes.
                unsafe {
                    decompose(
                        handle, params, wanted, wanted, m, n, kind, matrix, m, real, values, kind, left, m, kind,
                        right, n, kind, there, bytes, here, few, found,
                    )
                }
            },
        )
    }
}

impl Batch {
    /// The first of a matrix's values.
    fn values(&self, start: *mut u8, i: usize) -> *mut u8 {
        start.wrapping_add(i * self.columns * self.dtype.real().size())
    }
}
