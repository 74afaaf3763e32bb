//! Matrix products by cuBLAS, where it is installed and can express them.

use super::context::Context;
use super::driver::function;
use crate::{DType, DeviceError, Failure};
use cudarc::cublas::sys;
use cudarc::cublas::sys::{
    cublasComputeType_t as Compute, cublasHandle_t, cublasOperation_t as Transpose, cudaDataType as Type,
};
use std::ffi::{c_int, c_longlong, c_void};

type CreateCublas = unsafe extern "C" fn(*mut cublasHandle_t) -> u32;
type SetStreamCublas = unsafe extern "C" fn(cublasHandle_t, *mut c_void) -> u32;
type Gemm = unsafe extern "C" fn(
    cublasHandle_t,
    Transpose,
    Transpose,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    Type,
    c_int,
    c_longlong,
    *const c_void,
    Type,
    c_int,
    c_longlong,
    *const c_void,
    *mut c_void,
    Type,
    c_int,
    c_longlong,
    c_int,
    Compute,
    c_int,
) -> u32;

/// The algorithm that the library chooses.
const DEFAULT: c_int = -1;
/// A status: there is no algorithm.
const NOT_SUPPORTED: u32 = 15;

/// The library with its handle for one device, if it is installed.
pub(super) struct Cublas(Option<(cublasHandle_t, Gemm)>);

// SAFETY: the value owns the handle.
unsafe impl Send for Cublas {}

/// The strides of one matrix of a product, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Matrix {
    rows: isize,
    columns: isize,
    batch: isize,
}

/// A batch of products as the library takes it: column-major matrices, of which it may transpose the factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct GemmCall {
    /// Whether the transposed product is computed, with the factors swapped.
    swapped: bool,
    transposed: [bool; 2],
    /// Extents in the order the library takes them.
    extents: [c_int; 3],
    /// Leading dimensions: of the first factor, the second, and the product.
    leading: [c_int; 3],
    batches: [c_longlong; 3],
    count: c_int,
}

impl Cublas {
    /// The library's state for a device, whose context is current.
    pub(super) fn new(context: &Context) -> Cublas {
        // SAFETY: loading the library runs its constructors, which any program that uses it does.
        let library = unsafe {
            if !sys::is_culib_present() {
                return Cublas(None);
            }
            sys::culib()
        };
        let functions = || -> Result<(CreateCublas, SetStreamCublas, Gemm), DeviceError> {
            Ok((
                function(library, "cublasCreate_v2")?,
                function(library, "cublasSetStream_v2")?,
                function(library, "cublasGemmStridedBatchedEx")?,
            ))
        };
        let Ok((create, set_stream, gemm)) = functions() else { return Cublas(None) };
        let mut handle = std::ptr::null_mut();
        // SAFETY: a local is written; the stream is of the current context.
        let made = unsafe { create(&raw mut handle) == 0 && set_stream(handle, context.stream.cast()) == 0 };
        Cublas(made.then_some((handle, gemm)))
    }

    /// Whether the library is there and has a call for a batch of products.
    pub(super) fn multiplies(&self, dtype: DType, domain: &[usize], strides: &[isize]) -> bool {
        self.0.is_some() && types(dtype).is_some() && plan(dtype.size(), domain, strides).is_some()
    }

    /// Runs a batch of products, if the library can.
    ///
    /// # Errors
    /// Those of the device.
    ///
    /// # Safety
    /// As [`crate::Device::multiply`].
    pub(super) unsafe fn multiply(
        &self,
        context: &Context,
        dtype: DType,
        domain: &[usize],
        strides: &[isize],
        addresses: &[*mut u8],
    ) -> Result<bool, DeviceError> {
        let (Some((handle, gemm)), Some((kind, compute))) = (self.0, types(dtype)) else { return Ok(false) };
        let Some((outer, call)) = plan(dtype.size(), domain, strides) else { return Ok(false) };
        if domain[..domain.len() - 1].contains(&0) {
            return Ok(true);
        }
        let one = crate::Scalar::new(dtype, 1i64).bytes();
        let zero = [0u8; 16];
        let rank = domain.len();
        let turn = |transposed| if transposed { Transpose::CUBLAS_OP_T } else { Transpose::CUBLAS_OP_N };
        // The host loops over batch axes that have no common stride.
        for point in 0..domain[..outer].iter().product::<usize>() {
            let mut at = [addresses[0], addresses[1], addresses[2]];
            let mut rest = point;
            for axis in (0..outer).rev() {
                let x = (rest % domain[axis]) as isize;
                rest /= domain[axis];
                for (m, address) in at.iter_mut().enumerate() {
                    *address = address.wrapping_offset(x * strides[m * rank + axis]);
                }
            }
            let [first, second] = if call.swapped { [at[1], at[0]] } else { [at[0], at[1]] };
            // SAFETY: the extents and distances are those of the operands, which the caller vouches for.
            let status = unsafe {
                gemm(
                    handle,
                    turn(call.transposed[0]),
                    turn(call.transposed[1]),
                    call.extents[0],
                    call.extents[1],
                    call.extents[2],
                    one.as_ptr().cast(),
                    first.cast(),
                    kind,
                    call.leading[0],
                    call.batches[0],
                    second.cast(),
                    kind,
                    call.leading[1],
                    call.batches[1],
                    zero.as_ptr().cast(),
                    at[2].cast(),
                    kind,
                    call.leading[2],
                    call.batches[2],
                    call.count,
                    compute,
                    DEFAULT,
                )
            };
            // The library refuses an unsupported product before it runs anything.
            if status == NOT_SUPPORTED && point == 0 {
                return Ok(false);
            }
            if status != 0 {
                // Where the device failed before, that is the error.
                context.wait()?;
                let message = format!("cuda:{}: cuBLAS could not multiply: status {status}", context.ordinal);
                return Err(DeviceError::new(Failure::Fault, message));
            }
        }
        Ok(true)
    }
}

/// The library's names of a type and of the precision of computing, which is that of the type.
fn types(dtype: DType) -> Option<(Type, Compute)> {
    match dtype {
        DType::F32 => Some((Type::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F)),
        DType::F64 => Some((Type::CUDA_R_64F, Compute::CUBLAS_COMPUTE_64F)),
        DType::C64 => Some((Type::CUDA_C_32F, Compute::CUBLAS_COMPUTE_32F)),
        DType::C128 => Some((Type::CUDA_C_64F, Compute::CUBLAS_COMPUTE_64F)),
        _ => None,
    }
}

/// The call for a batch of products over `[batch…, m, n, k]`, and the number of batch axes that the host loops over; none where
/// the library has no call.
fn plan(size: usize, domain: &[usize], strides: &[isize]) -> Option<(usize, GemmCall)> {
    let (rank, batch) = (domain.len(), domain.len() - 3);
    let extent = |axis: usize| c_int::try_from(domain[axis]).ok();
    let [m, n, k] = [extent(batch)?, extent(batch + 1)?, extent(batch + 2)?];
    // The library does not compute empty sums.
    if k == 0 {
        return None;
    }
    let bytes = size as isize;
    let distance = |operand: usize, axis: usize| strides[operand * rank + axis];
    if strides.iter().any(|stride| stride % bytes != 0) {
        return None;
    }
    // The last batch axes with a common stride are collapsed to one.
    let (mut outer, mut count) = (batch, 1usize);
    while outer > 0 {
        let last = batch - 1;
        let joins = |operand| distance(operand, outer - 1) == distance(operand, last) * count as isize;
        if domain[outer - 1] != 1 && outer != batch && !(0..3).all(joins) {
            break;
        }
        outer -= 1;
        count *= domain[outer];
    }
    let batch_stride = |operand| if batch == 0 || count == 1 { 0 } else { distance(operand, batch - 1) / bytes };
    let matrix = |operand: usize, [rows, columns]: [usize; 2]| Matrix {
        rows: distance(operand, batch + rows) / bytes,
        columns: distance(operand, batch + columns) / bytes,
        batch: batch_stride(operand),
    };
    let (a, b, c) = (matrix(0, [0, 2]), matrix(1, [2, 1]), matrix(2, [0, 1]));
    let count = c_int::try_from(count).ok()?;
    if [a, b, c].iter().any(|matrix| matrix.batch < 0) {
        return None;
    }
    // A row-major product is the transposed product of the transposed factors, swapped.
    column_major([m, n, k], [a, b, c], count, false)
        .or_else(|| column_major([n, m, k], [b.transposed(), a.transposed(), c.transposed()], count, true))
        .map(|call| (outer, call))
}

/// The call of a column-major product.
fn column_major([m, n, k]: [c_int; 3], [a, b, c]: [Matrix; 3], count: c_int, swapped: bool) -> Option<GemmCall> {
    let leading = c.leading(m, n)?;
    let factor = |matrix: Matrix, rows, columns| {
        let straight = matrix.leading(rows, columns).map(|leading| (false, leading));
        straight.or_else(|| matrix.transposed().leading(columns, rows).map(|leading| (true, leading)))
    };
    let (first, second) = (factor(a, m, k)?, factor(b, k, n)?);
    Some(GemmCall {
        swapped,
        transposed: [first.0, second.0],
        extents: [m, n, k],
        leading: [first.1, second.1, leading],
        batches: [a.batch as c_longlong, b.batch as c_longlong, c.batch as c_longlong],
        count,
    })
}

impl Matrix {
    fn transposed(self) -> Matrix {
        Matrix { rows: self.columns, columns: self.rows, batch: self.batch }
    }

    /// The leading dimension, where columns are contiguous and do not overlap.
    fn leading(self, rows: c_int, columns: c_int) -> Option<c_int> {
        if rows > 1 && self.rows != 1 {
            return None;
        }
        let least = rows.max(1);
        if columns <= 1 {
            return Some(least);
        }
        c_int::try_from(self.columns).ok().filter(|&leading| leading >= least)
    }
}
