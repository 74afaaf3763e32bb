//! Routines of a device's libraries, as `fastnp._interop.device_library` asks for them: `NotImplementedError` says why one does
//! not run.

use crate::interpreter::error::to_py_result;
use crate::object::construct::new_object;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, Library, SvdResult, Transform};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Once;

/// `why_unavailable(library)`: why the current device cannot run routines of a library (`fourier`, `solver`); None if it can.
#[pyfunction]
fn why_unavailable(py: Python<'_>, library: &str) -> PyResult<Option<String>> {
    static LOOKED_FOR: [Once; 2] = [const { Once::new() }; 2];
    let (kind, looked_for) = match library {
        "fourier" => (Library::Fourier, &LOOKED_FOR[0]),
        "solver" => (Library::Solver, &LOOKED_FOR[1]),
        _ => return Err(PyValueError::new_err(format!("there is no library {library:?}"))),
    };
    // Loading the library takes long, so it happens at the first use.
    if !looked_for.is_completed() {
        py.import("fastnp._interop.cuda_wheels")?.call_method1("load", (library,))?;
        looked_for.call_once(|| ());
    }
    Ok(fastnp::why_unavailable(kind))
}

/// `targets_host()`: whether the current target is the host.
#[pyfunction]
fn targets_host() -> bool {
    fastnp::targets_host()
}

/// `fourier(x, transform, axes, points)`: a transform over the last axes; one to real numbers returns `points` of them.
#[pyfunction]
fn fourier<'py>(x: &Bound<'py, NdArray>, transform: &str, axes: usize, points: usize) -> PyResult<Bound<'py, PyAny>> {
    let transform = match transform {
        "forward" => Transform::Forward,
        "inverse" => Transform::Inverse,
        "from real" => Transform::FromReal,
        "to real" => Transform::ToReal,
        _ => return Err(PyValueError::new_err(format!("there is no transform {transform:?}"))),
    };
    let py = x.py();
    let result = fastnp::fourier(x.open().array(py)?, transform, axes, points);
    new_object(py, to_py_result(py, result)?)
}

/// `solve(matrices, sides)`: solutions, and for each matrix zero if it has an inverse; all matrices are column-major.
#[pyfunction]
fn solve<'py>(matrices: &Bound<'py, NdArray>, sides: &Bound<'py, NdArray>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = matrices.py();
    let result = fastnp::solve(matrices.open().array(py)?, sides.open().array(py)?);
    let (solutions, found) = to_py_result(py, result)?;
    objects(py, [solutions, found])
}

/// `lu(matrices)`: triangles, and pivots.
#[pyfunction]
fn lu<'py>(matrices: &Bound<'py, NdArray>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = matrices.py();
    let result = fastnp::lu(matrices.open().array(py)?);
    let (factors, swapped) = to_py_result(py, result)?;
    objects(py, [factors, swapped])
}

/// `cholesky(matrices, upper)`: factors in one triangle, and for each matrix zero if it is positive definite.
#[pyfunction]
fn cholesky<'py>(matrices: &Bound<'py, NdArray>, upper: bool) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = matrices.py();
    let result = fastnp::cholesky(matrices.open().array(py)?, upper);
    let (factors, found) = to_py_result(py, result)?;
    objects(py, [factors, found])
}

/// `eigen(matrices, upper, vectors)`: eigenvalues, conjugates of eigenvectors as rows, and for each matrix zero if they were found.
#[pyfunction]
fn eigen<'py>(matrices: &Bound<'py, NdArray>, upper: bool, vectors: bool) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = matrices.py();
    let result = fastnp::eigen(matrices.open().array(py)?, upper, vectors);
    let (values, rows, found) = to_py_result(py, result)?;
    objects(py, [values, rows, found])
}

/// `qr(matrices, wanted)`: triangles, and `wanted` columns of orthogonal matrices, if any; all matrices are column-major.
#[pyfunction]
fn qr<'py>(matrices: &Bound<'py, NdArray>, wanted: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = matrices.py();
    let result = fastnp::qr(matrices.open().array(py)?, wanted);
    match to_py_result(py, result)? {
        (triangles, Some(orthogonal)) => objects(py, [triangles, orthogonal]),
        (triangles, None) => objects(py, [triangles]),
    }
}

/// `svd(matrices, wanted)`: singular values, for each matrix zero if they were found, and vectors, if any; all column-major.
#[pyfunction]
fn svd<'py>(matrices: &Bound<'py, NdArray>, wanted: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = matrices.py();
    let result = fastnp::svd(matrices.open().array(py)?, wanted);
    let SvdResult { values, found, vectors } = to_py_result(py, result)?;
    match vectors {
        Some((left, right)) => objects(py, [values, found, left, right]),
        None => objects(py, [values, found]),
    }
}

fn objects<const N: usize>(py: Python<'_>, arrays: [Array; N]) -> PyResult<Vec<Bound<'_, PyAny>>> {
    arrays.into_iter().map(|array| new_object(py, array)).collect()
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(why_unavailable, module)?)?;
    module.add_function(wrap_pyfunction!(targets_host, module)?)?;
    module.add_function(wrap_pyfunction!(fourier, module)?)?;
    module.add_function(wrap_pyfunction!(solve, module)?)?;
    module.add_function(wrap_pyfunction!(lu, module)?)?;
    module.add_function(wrap_pyfunction!(cholesky, module)?)?;
    module.add_function(wrap_pyfunction!(eigen, module)?)?;
    module.add_function(wrap_pyfunction!(qr, module)?)?;
    module.add_function(wrap_pyfunction!(svd, module)?)
}
