//! Routines of a device's libraries: Fourier transforms and dense linear algebra, run eagerly on the current device.
//!
//! Pending operations are flushed first. The functions take arrays in the form that the libraries want (dense, aligned, matrices
//! transposed) and copy others first, by kernels that fuse with what is pending. NumPy's rules are the caller's. The host has no
//! such routines.

use crate::array::array::Array;
use crate::array::layout::{Index, Order, Shape};
use crate::error::{Error, Result};
use crate::host::interpreter_lock;
use crate::memory::device_buffer::DeviceBuffer;
use crate::runtime::execute_device::upload_missing;
use crate::runtime::lock::runtime;
use crate::runtime::profile::FlushReason;
use fastnp_codegen::{DType, Device, DeviceError, Failure, Library, Routine, Scalar, Transform};

/// The reason why the host runs no routine.
const NOT_NATIVE: &str = "not native";
/// The most axes of one transform.
const MAX_TRANSFORM_AXES: usize = 3;
/// Larger batches must have matrices of at least [`MIN_BATCHED_EXTENT`]: the library takes a batch one matrix at a time, and a call
/// takes some tens of microseconds, in which a processor solves systems of tens of equations.
const MAX_SERIAL_MATRICES: usize = 16;
const MIN_BATCHED_EXTENT: usize = 64;
/// Alignment that the libraries need, in bytes.
const LIBRARY_ALIGNMENT: isize = 16;

/// Whether the current target is the host, which has no such routines.
///
/// ```
/// use fastnp::{targets_host, set_device};
/// assert!(targets_host());
/// set_device("mock")?; // a device for tests
/// assert!(!targets_host());
/// set_device("cpu")?;
/// # Ok::<(), fastnp::Error>(())
/// ```
#[inline]
pub fn targets_host() -> bool {
    runtime().exec_target().device.is_none()
}

/// Why routines of a library cannot run now: the device lacks the library, or the target is the host. `None` if they can.
///
/// ```
/// use fastnp::{Library, why_unavailable};
/// assert_eq!(why_unavailable(Library::Fourier).as_deref(), Some("not native"));
/// ```
pub fn why_unavailable(library: Library) -> Option<String> {
    let device = runtime().exec_target().device.clone();
    device.map_or_else(|| Some(NOT_NATIVE.to_owned()), |device| device.lacks(library))
}

/// Discrete Fourier transforms over the last `axes` axes, without normalisation. [`Transform::ToReal`] takes one axis, which becomes
/// `points` long, and ignores the imaginary parts at its ends, which are zero for the transform of real numbers. The input is
/// `float32`, `float64` or their complex types; no extent is zero.
///
/// # Errors
/// `Unsupported` if the current device has no such library, for other types, and for sizes that the library does not take;
/// `MemoryError`; those of a device that failed.
///
/// ```
/// use fastnp::{Array, DType, ErrorKind, Transform, fourier};
/// let x = Array::ones(&[8], DType::C128);
/// assert_eq!(fourier(&x, Transform::Forward, 1, 8).unwrap_err().kind(), ErrorKind::Unsupported);
/// ```
pub fn fourier(x: &Array, transform: Transform, axes: usize, points: usize) -> Result<Array> {
    let dtype = x.dtype();
    // The complex type, of whose parts the transform computes.
    let complex = if transform == Transform::FromReal { dtype.complex() } else { dtype.is_complex().then_some(dtype) };
    let Some(complex) = complex else {
        return Err(Error::unsupported(format!("a Fourier transform in {dtype}")));
    };
    if axes == 0 || axes > MAX_TRANSFORM_AXES.min(x.ndim()) || x.size() == 0 {
        return Err(Error::unsupported(format!("a Fourier transform in {dtype} over {axes} axes")));
    }
    let mut shape: Shape = x.shape().into();
    let (rank, last) = (shape.len() - axes, shape.len() - 1);
    let mut extents = Shape::from_slice(&shape[rank..]);
    let batch = shape[..rank].iter().product();
    let (from, to) = match transform {
        Transform::Forward | Transform::Inverse => (device_operand(x)?, dtype),
        Transform::FromReal => {
            shape[last] = shape[last] / 2 + 1;
            (device_operand(x)?, complex)
        }
        Transform::ToReal => {
            if axes > 1 || points == 0 || shape[last] != points / 2 + 1 {
                return Err(Error::unsupported(format!("{points} points of {} numbers over {axes} axes", shape[last])));
            }
            shape[last] = points;
            extents[axes - 1] = points;
            // The library may overwrite its input.
            let from = x.copy(Order::C)?;
            for end in if points.is_multiple_of(2) { [0, -1] } else { [0, 0] } {
                if let Some(part) = from.index(&[Index::Ellipsis, Index::At(end)])?.imag() {
                    part.assign(0.0)?;
                }
            }
            (from, dtype.real())
        }
    };
    let result = Array::by_rows(&shape, to)?;
    run(&Routine::Fourier { transform, real: dtype.real(), extents: &extents, batch }, &[&from, &result])?;
    Ok(result)
}

/// Solves systems of linear equations; returns the solutions, and for each system an `int32` (LAPACK's `info`) that is zero if the
/// matrix has an inverse. Matrices `[…, n, n]`, right sides and solutions `[…, columns, n]` have their last two axes exchanged, and
/// one of the types `float32`, `float64` and their complex ones; no extent is zero.
///
/// # Errors
/// As [`fourier`].
///
/// ```
/// use fastnp::{Array, DType, ErrorKind, solve};
/// let a = Array::ones(&[2, 2], DType::F64);
/// assert_eq!(solve(&a, &a).unwrap_err().kind(), ErrorKind::Unsupported, "on the host");
/// ```
pub fn solve(matrices: &Array, right_sides: &Array) -> Result<(Array, Array)> {
    let (dtype, n, batch) = square_batch(matrices)?;
    let columns = right_sides.size() / (batch * n).max(1);
    if right_sides.dtype() != dtype
        || right_sides.shape().last() != Some(&n)
        || columns == 0
        || columns * batch * n != right_sides.size()
    {
        return Err(Error::unsupported("right sides that do not fit the matrices"));
    }
    let (factors, solutions) = (matrices.copy(Order::C)?, right_sides.copy(Order::C)?);
    let (pivots, found) = (Array::by_rows(&[batch, n], DType::I64)?, Array::by_rows(&[batch], DType::I32)?);
    run(&Routine::Solve { dtype, n, columns, batch }, &[&factors, &pivots, &solutions, &found])?;
    Ok((solutions, found))
}

/// LU decomposition with row pivoting: both triangles in one array, without the lower one's unit diagonal; and for each row in turn
/// the one that it was exchanged with, as an `int64` counted from 1. Matrices are as for [`solve`].
///
/// # Errors
/// As [`fourier`].
///
/// ```
/// use fastnp::{Array, DType, ErrorKind, lu};
/// let a = Array::ones(&[2, 2], DType::F64);
/// assert_eq!(lu(&a).unwrap_err().kind(), ErrorKind::Unsupported, "on the host");
/// ```
pub fn lu(matrices: &Array) -> Result<(Array, Array)> {
    let (dtype, n, batch) = square_batch(matrices)?;
    let (factors, found) = (matrices.copy(Order::C)?, Array::by_rows(&[batch], DType::I32)?);
    let pivots = Array::by_rows(&matrices.shape()[..matrices.ndim() - 1], DType::I64)?;
    run(&Routine::Solve { dtype, n, columns: 0, batch }, &[&factors, &pivots, &found, &found])?;
    Ok((factors, pivots))
}

/// Cholesky decomposition of the upper triangles if `upper` is set, else of the lower ones. The factors replace them; the other
/// triangles are unspecified. For each matrix an `int32` is zero if it is positive definite. Matrices are as for [`solve`], row-major.
///
/// # Errors
/// As [`fourier`].
///
/// ```
/// use fastnp::{Array, DType, ErrorKind, cholesky};
/// let a = Array::ones(&[2, 2], DType::F64);
/// assert_eq!(cholesky(&a, false).unwrap_err().kind(), ErrorKind::Unsupported, "on the host");
/// ```
pub fn cholesky(matrices: &Array, upper: bool) -> Result<(Array, Array)> {
    let (dtype, n, batch) = square_batch(matrices)?;
    let (factors, found) = (matrices.copy(Order::C)?, Array::by_rows(&[batch], DType::I32)?);
    // In column-major order it is the other triangle of the transposes, whose factors are transposed too.
    run(&Routine::Cholesky { dtype, n, upper: !upper, batch }, &[&factors, &found])?;
    Ok((factors, found))
}

/// Eigenvalues of Hermitian matrices, ascending. Only the upper triangles are read if `upper` is set, else only the lower ones.
/// Second, the conjugates of the eigenvectors as rows, unspecified unless `vectors` is set; third, for each matrix an `int32` that is
/// zero if they were found. Matrices are as for [`solve`], row-major.
///
/// # Errors
/// As [`fourier`].
///
/// ```
/// use fastnp::{Array, DType, ErrorKind, eigen};
/// let a = Array::ones(&[2, 2], DType::F64);
/// assert_eq!(eigen(&a, false, true).unwrap_err().kind(), ErrorKind::Unsupported, "on the host");
/// ```
pub fn eigen(matrices: &Array, upper: bool, vectors: bool) -> Result<(Array, Array, Array)> {
    let (dtype, n, batch) = square_batch(matrices)?;
    let (found, info) = (matrices.copy(Order::C)?, Array::by_rows(&[batch], DType::I32)?);
    let values = Array::by_rows(&matrices.shape()[..matrices.ndim() - 1], dtype.real())?;
    // In column-major order a matrix is its conjugate, given by the other triangle.
    run(&Routine::Eigen { dtype, n, upper: !upper, vectors, batch }, &[&found, &values, &info])?;
    Ok((values, found, info))
}

/// QR decomposition: upper triangles with the Householder reflectors below them, and the first `wanted` columns of the orthogonal
/// factors, if any: at most as many as rows, and otherwise at least as many as columns. All matrices have their last two axes
/// exchanged, and the types of [`solve`].
///
/// # Errors
/// As [`fourier`].
///
/// ```
/// use fastnp::{Array, DType, ErrorKind, qr};
/// let a = Array::ones(&[2, 2], DType::F64);
/// assert_eq!(qr(&a, 2).unwrap_err().kind(), ErrorKind::Unsupported, "on the host");
/// ```
pub fn qr(matrices: &Array, wanted: usize) -> Result<(Array, Option<Array>)> {
    let (dtype, [columns, rows], batch) = matrix_batch(matrices)?;
    let reflectors = rows.min(columns);
    if wanted > rows || (wanted > 0 && wanted < reflectors) {
        return Err(Error::unsupported(format!("{wanted} columns of {rows} by {columns} matrices")));
    }
    let (triangles, found) = (matrices.copy(Order::C)?, Array::by_rows(&[batch], DType::I32)?);
    let factors = Array::by_rows(&[batch, reflectors], dtype)?;
    run(&Routine::Reflect { dtype, rows, columns, batch }, &[&triangles, &factors, &found])?;
    if wanted == 0 {
        return Ok((triangles, None));
    }
    let mut shape: Shape = matrices.shape().into();
    let ndim = shape.len();
    shape[ndim - 2] = wanted;
    let allocate = Array::full(&shape, Scalar::zero(dtype), Order::C)?;
    let first = [Index::Ellipsis, (0..reflectors as isize).into(), (..).into()];
    allocate.index(&first)?.assign(&triangles.index(&first)?)?;
    let routine = Routine::Orthogonal { dtype, rows, columns: wanted, reflectors, batch };
    run(&routine, &[&allocate, &factors, &found])?;
    Ok((triangles, Some(allocate)))
}

/// The result of [`svd`].
pub struct SvdResult {
    /// Singular values, descending.
    pub values: Array,
    /// For each matrix an `int32` that is zero if they were found.
    pub found: Array,
    /// Left singular vectors as columns, and the conjugates of the right ones as rows, if wanted.
    pub vectors: Option<(Array, Array)>,
}

/// Singular value decomposition with `wanted` left vectors: none, as many as columns, or as many as rows. Matrices have at least as
/// many rows as columns. Matrices and vectors have their last two axes exchanged, and the types of [`solve`].
///
/// # Errors
/// As [`fourier`].
///
/// ```
/// use fastnp::{Array, DType, ErrorKind, svd};
/// let a = Array::ones(&[2, 2], DType::F64);
/// assert_eq!(svd(&a, 2).err().map(|error| error.kind()), Some(ErrorKind::Unsupported), "on the host");
/// ```
pub fn svd(matrices: &Array, wanted: usize) -> Result<SvdResult> {
    let (dtype, [columns, rows], batch) = matrix_batch(matrices)?;
    if rows < columns || ![0, columns, rows].contains(&wanted) {
        return Err(Error::unsupported(format!("{wanted} vectors of {rows} by {columns} matrices")));
    }
    let mut shape: Shape = matrices.shape().into();
    let ndim = shape.len();
    let (scratch, found) = (matrices.copy(Order::C)?, Array::by_rows(&[batch], DType::I32)?);
    let values = Array::by_rows(&shape[..ndim - 1], dtype.real())?;
    let routine = Routine::Singular { dtype, rows, columns, vectors: wanted, batch };
    if wanted == 0 {
        run(&routine, &[&scratch, &values, &scratch, &scratch, &found])?;
        return Ok(SvdResult { values, found, vectors: None });
    }
    shape[ndim - 2] = wanted;
    let left = Array::by_rows(&shape, dtype)?;
    shape.truncate(ndim - 2);
    shape.extend([columns, columns]);
    let right = Array::by_rows(&shape, dtype)?;
    run(&routine, &[&scratch, &values, &left, &right, &found])?;
    Ok(SvdResult { values, found, vectors: Some((left, right)) })
}

/// Type, extent and number of square matrices.
fn square_batch(matrices: &Array) -> Result<(DType, usize, usize)> {
    let (dtype, [m, n], batch) = matrix_batch(matrices)?;
    if m == n { Ok((dtype, n, batch)) } else { Err(Error::unsupported(format!("matrices of {m} by {n}"))) }
}

/// Type, last two extents and number of matrices.
fn matrix_batch(matrices: &Array) -> Result<(DType, [usize; 2], usize)> {
    let (dtype, shape) = (matrices.dtype(), matrices.shape());
    let is_known = matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128);
    let [.., m, n] = *shape else { return Err(Error::unsupported("no matrices")) };
    if !is_known || matrices.size() == 0 {
        return Err(Error::unsupported(format!("matrices in {dtype} of shape {shape:?}")));
    }
    let batch = matrices.size() / (m * n);
    if batch > MAX_SERIAL_MATRICES && m.min(n) < MIN_BATCHED_EXTENT {
        return Err(Error::unsupported("many small matrices, which the device would take one by one"));
    }
    Ok((dtype, [m, n], batch))
}

/// The array if a device's library can read it, else a copy.
pub(crate) fn device_operand(x: &Array) -> Result<Array> {
    let takes = x.is_c_contiguous()
        && x.layout.offset % LIBRARY_ALIGNMENT == 0
        && !x.storage.is_shared()
        && !x.storage.is_exported_on_device();
    if takes { Ok(x.clone()) } else { x.copy(Order::C) }
}

/// Runs a routine on the device. It writes to every operand but the input of a Fourier transform, which may be the user's array.
fn run(routine: &Routine<'_>, operands: &[&Array]) -> Result<()> {
    // The rest are copies, perhaps still on the host, and new arrays.
    let written = if matches!(routine, Routine::Fourier { .. }) { &operands[1..] } else { operands };
    on_device(operands, written, |device, addresses| {
        // SAFETY: operands are dense and aligned, on this device, and as large as the routine says. Those it writes are new, and
        // no pending operation uses any.
        unsafe { device.run_routine(routine, addresses) }
    })?;
    runtime().telemetry.stats.library_routines += 1;
    Ok(())
}

/// Flushes, uploads the operands, and asks the device for something with their addresses. Operands must be dense. Those `written` are
/// new arrays, which are device-only afterwards.
///
/// # Errors
/// `Unsupported` on the host and for what the device lacks; `MemoryError`; those of a device that failed.
pub(crate) fn on_device(
    operands: &[&Array],
    written: &[&Array],
    ask: impl FnOnce(&dyn Device, &[*mut u8]) -> std::result::Result<(), DeviceError>,
) -> Result<()> {
    let mut runtime = runtime();
    let Some(device) = runtime.exec_target().device.clone() else {
        return Err(Error::unsupported(NOT_NATIVE));
    };
    runtime.flush(FlushReason::Device)?;
    interpreter_lock::release_during(true, || {
        let mut addresses = vec![];
        for x in operands {
            upload_missing(&x.storage, &device)?
                .into_iter()
                .for_each(|device_buffer| x.storage.set_device_buffer(device_buffer));
            let start = x.storage.with_device_buffer(DeviceBuffer::start).expect("it was sent");
            addresses.push(start.wrapping_offset(x.layout.offset));
        }
        ask(&*device, &addresses).map_err(|error| match error.failure {
            Failure::Absent => Error::unsupported(error.message),
            Failure::Memory | Failure::Fault => error.into(),
        })
    })?;
    // The host's copies are stale now.
    written.iter().for_each(|x| x.storage.invalidate_host());
    Ok(())
}
