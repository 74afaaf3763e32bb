//! Functions of `numpy.linalg` of one small matrix of doubles ([`crate::call::common_calls`]): `inv`, `det`, `solve` and `eigh`, by the inner loops
//! of NumPy's generalised ufuncs.
//!
//! What NumPy's functions do around them is in Python: half of the 5 µs of `inv` of a 9 by 9 matrix. The loop of a ufunc is a C function that the
//! object shows, by the types of its operands. It calls LAPACK on copies, and raises the flag of invalid operations where a matrix is singular, or
//! does not converge: then it has run in vain, and NumPy's function raises the error.

use crate::call::common_arguments::ours;
use crate::fallback::function::CommonCall;
use crate::fallback::ledger::{Timer, enter};
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fallback::NOT_NATIVE;
use crate::interpreter::fastcall::Arguments;
use crate::object::construct::new_object;
use fastnp::{Array, DType, Scalar, Shape};
use numpy::npyffi::{NPY_TYPES, PY_UFUNC_API, PyUFuncObject};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use smallvec::SmallVec;
use std::ffi::{c_char, c_void};

/// The common call of a function of `numpy.linalg`.
pub(crate) fn common_call(name: &str) -> Option<CommonCall> {
    Some(match name {
        "linalg.inv" => inv,
        "linalg.det" => det,
        "linalg.eigh" => eigh,
        "linalg.solve" => solve,
        _ => return None,
    })
}

/// Rows up to which what NumPy does in Python shows: it is a tenth of `inv` then.
const MAX_ROWS: usize = 32;

/// An inner loop: operands' addresses, the number of matrices and their extents, steps in bytes, and what the ufunc keeps for it.
type Loop = unsafe extern "C" fn(*mut *mut c_char, *mut isize, *mut isize, *mut c_void);

/// The loop of a ufunc for doubles.
#[derive(Clone, Copy)]
struct DoubleLoop {
    run: Loop,
    data: *mut c_void,
}

// SAFETY: what a ufunc keeps for its loops is constant, and handed to them only.
unsafe impl Send for DoubleLoop {}
// SAFETY: as above.
unsafe impl Sync for DoubleLoop {}

/// A ufunc of NumPy's module for linear algebra, by its name, and its operands.
struct Factorization {
    name: &'static str,
    operands: usize,
    known: PyOnceLock<Option<DoubleLoop>>,
}

impl Factorization {
    const fn new(name: &'static str, operands: usize) -> Factorization {
        Factorization { name, operands, known: PyOnceLock::new() }
    }

    /// Its loop; `None` where this NumPy has another one.
    fn double_loop(&self, py: Python<'_>) -> PyResult<Option<DoubleLoop>> {
        let find = || -> PyResult<Option<DoubleLoop>> {
            let module = py.import("numpy.linalg._umath_linalg")?;
            let Some(ufunc) = module.getattr_opt(self.name)? else { return Ok(None) };
            if !ufunc.is_exact_instance(&py.import("numpy")?.getattr("ufunc")?) {
                return Ok(None);
            }
            // SAFETY: one of NumPy's ufuncs, which its module keeps: it has `ntypes` functions, and the types of all operands for each.
            unsafe {
                let of = &(*ufunc.as_ptr().cast::<PyUFuncObject>()).fields;
                if of.functions.is_null() || of.nargs as usize != self.operands || of.core_enabled == 0 {
                    return Ok(None);
                }
                let is_of_doubles = |i: &usize| {
                    let types = std::slice::from_raw_parts(of.types.add(i * self.operands), self.operands);
                    types.iter().all(|&number| number as i32 == NPY_TYPES::NPY_DOUBLE as i32)
                };
                let found = (0..of.ntypes.max(0) as usize).find(is_of_doubles);
                Ok(found.and_then(|i| {
                    let data = if of.data.is_null() { std::ptr::null_mut() } else { *of.data.add(i) };
                    let run: Option<Loop> = *of.functions.add(i);
                    Some(DoubleLoop { run: run?, data })
                }))
            }
        };
        self.known.get_or_try_init(py, find).copied()
    }

    /// The results of these shapes for dense arrays of doubles; `None` if the call is NumPy's. The extents are those of the ufunc's signature, in
    /// its order. The call is entered in the ledger as that of the function.
    fn run(
        &self,
        py: Python<'_>,
        function: &Bound<'_, PyString>,
        inputs: &[&Array],
        extents: &[usize],
        results: &[Shape],
    ) -> PyResult<Option<SmallVec<[Array; 2]>>> {
        let Some(DoubleLoop { run, data }) = self.double_loop(py)? else { return Ok(None) };
        let exports = inputs.iter().map(|input| to_py_result(py, input.export_for_call()));
        let exports = exports.collect::<PyResult<SmallVec<[_; 2]>>>()?;
        let mut addresses: SmallVec<[*mut c_char; 3]> = exports.iter().map(|export| export.address().cast()).collect();
        // Of the step from one matrix to the next there is no use; those of the axes follow, operand by operand.
        let mut steps: SmallVec<[isize; 12]> = SmallVec::from_elem(0, self.operands);
        inputs.iter().for_each(|input| steps.extend_from_slice(input.strides()));
        let mut made: SmallVec<[Array; 2]> = SmallVec::new();
        for shape in results {
            let (result, address) = to_py_result(py, Array::unwritten(shape, DType::F64))?;
            addresses.push(address.cast());
            steps.extend_from_slice(result.strides());
            made.push(result);
        }
        let mut counts: SmallVec<[isize; 4]> = SmallVec::from_elem(1, 1);
        counts.extend(extents.iter().map(|&extent| extent as isize));
        enter(function, intern!(py, NOT_NATIVE), true)?;
        let timer = Timer::begin(py);
        // SAFETY: the loop is that of doubles; it reads and writes as many elements as the extents say, which are there: arrays that the exports
        // keep in place, and new ones. Raised flags are read and cleared by NumPy's own functions.
        let raised = unsafe {
            PY_UFUNC_API.PyUFunc_clearfperr(py);
            run(addresses.as_mut_ptr(), counts.as_mut_ptr(), steps.as_mut_ptr(), data);
            PY_UFUNC_API.PyUFunc_getfperr(py)
        };
        drop(timer);
        if let Some(error) = PyErr::take(py) {
            return Err(error);
        }
        Ok((raised == 0).then_some(made))
    }
}

/// Whether an array is a small dense matrix of doubles as a factorization takes it.
fn is_square(array: &&Array) -> bool {
    matches!(*array.shape(), [rows, columns] if rows == columns && (1..=MAX_ROWS).contains(&rows)) && is_plain(array)
}

/// Whether an array has doubles that are computed and on the host, as its device has functions of its own.
fn is_plain(array: &Array) -> bool {
    array.dtype() == DType::F64 && array.is_c_contiguous() && array.is_ready_and_few(MAX_ROWS * MAX_ROWS)
}

/// The results of a factorization of the one argument of a call; each has the shape of the matrix or of its last axes.
fn of_sole<'py>(
    call: Arguments<'_, 'py>,
    function: &Bound<'py, PyString>,
    factorization: &Factorization,
    axes: &[usize],
) -> PyResult<Option<SmallVec<[Array; 2]>>> {
    let Some(me) = call.sole().and_then(ours) else { return Ok(None) };
    let Some(matrix) = me.dense().filter(is_square) else { return Ok(None) };
    let results: SmallVec<[Shape; 2]> =
        axes.iter().map(|&axes| Shape::from_slice(&matrix.shape()[2 - axes..])).collect();
    factorization.run(call.py(), function, &[matrix], &matrix.shape()[..1], &results)
}

/// `inv(a)`.
fn inv<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    static INV: Factorization = Factorization::new("inv", 2);
    let py = call.py();
    let made = of_sole(call, intern!(py, "linalg.inv"), &INV, &[2])?.and_then(|mut made| made.pop());
    made.map(|inverse| new_object(py, inverse)).transpose()
}

/// `det(a)`.
fn det<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    static DET: Factorization = Factorization::new("det", 2);
    let py = call.py();
    let Some(mut made) = of_sole(call, intern!(py, "linalg.det"), &DET, &[0])? else { return Ok(None) };
    let value = made.pop().map(|made| to_py_result(py, made.item())).transpose()?;
    value.map(|value: Scalar| dtype::to_scalar(py, value)).transpose()
}

/// `eigh(a)`.
fn eigh<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    static EIGH: Factorization = Factorization::new("eigh_lo", 3);
    static RESULT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = call.py();
    let Some(made) = of_sole(call, intern!(py, "linalg.eigh"), &EIGH, &[1, 2])? else { return Ok(None) };
    let class = RESULT.get_or_try_init(py, || -> PyResult<Py<PyAny>> {
        Ok(py.import("numpy.linalg._linalg")?.getattr("EighResult")?.unbind())
    })?;
    let mut parts = made.into_iter().map(|part| new_object(py, part));
    let (Some(values), Some(vectors)) = (parts.next(), parts.next()) else { return Ok(None) };
    class.bind(py).call1((values?, vectors?)).map(Some)
}

/// `solve(a, b)` for one right-hand side or several.
fn solve<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    static SOLVE: Factorization = Factorization::new("solve", 3);
    static SOLVE_ONE: Factorization = Factorization::new("solve1", 3);
    let ([a, b], None) = (call.positions(), call.names()) else { return Ok(None) };
    let (Some(mine), Some(others)) = (ours(a), ours(b)) else { return Ok(None) };
    let Some(matrix) = mine.dense().filter(is_square) else { return Ok(None) };
    let Some(sides) = others.dense().filter(|sides| is_plain(sides)) else { return Ok(None) };
    let rows = matrix.shape()[0];
    let (factorization, extents) = match *sides.shape() {
        [n] if n == rows => (&SOLVE_ONE, SmallVec::<[usize; 2]>::from_slice(&[rows])),
        [n, columns] if n == rows && columns > 0 => (&SOLVE, SmallVec::from_slice(&[rows, columns])),
        _ => return Ok(None),
    };
    let (py, result) = (call.py(), [sides.shape_vec()]);
    let made = factorization.run(py, intern!(py, "linalg.solve"), &[matrix, sides], &extents, &result)?;
    made.and_then(|mut made| made.pop()).map(|solution| new_object(py, solution)).transpose()
}
