//! Inner loops of NumPy's ufuncs and of those of other libraries, run on few elements of ours without what NumPy does around them.
//!
//! NumPy parses the arguments, looks for overrides, resolves types, makes an iterator and wraps the results: 5,000 instructions for ten elements of
//! `np.ldexp`, and as many again for an `__array_ufunc__`. The loop itself is a C function that the ufunc object shows, by the types of its
//! operands. Where the arguments are dense arrays of one shape, of exactly the types of a loop, the loop is what NumPy would run on them, and it is
//! called here.
//!
//! A loop that raises floating-point flags has run in vain: NumPy runs the ufunc again, and reports them in its words.

use crate::fallback::ledger::{Timer, enter};
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::object::construct::new_object;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, Export, Shape};
use numpy::npyffi::{PY_UFUNC_API, PyArray_Descr, PyUFuncObject};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyString, PyTuple};
use smallvec::SmallVec;
use std::ffi::{c_char, c_int, c_void};

/// Ufuncs of more operands are NumPy's to run.
const MAX_OPERANDS: usize = 8;
/// Elements of an operand up to which NumPy's part shows: it is a tenth of the loop of `special.gamma` then. The loop runs with the GIL held, which
/// NumPy releases from 500 elements on.
const MAX_ELEMENTS: usize = 1024;

/// The place of `PyUFunc_DefaultTypeResolver` in NumPy's C API for ufuncs, which does not change.
const PLACE_OF_DEFAULT_RESOLVER: usize = 39;

/// The address of `PyUFunc_DefaultTypeResolver`: ufuncs with it take the loop of the operands' types, if there is one.
static DEFAULT_RESOLVER: PyOnceLock<usize> = PyOnceLock::new();

fn default_resolver(py: Python<'_>) -> PyResult<usize> {
    let find = || {
        let module = py.import("numpy._core._multiarray_umath")?;
        let capsule = module.getattr("_UFUNC_API")?.cast_into::<PyCapsule>()?;
        // SAFETY: the capsule, whatever its name, holds NumPy's table of functions.
        unsafe {
            let table = ffi::PyCapsule_GetPointer(capsule.as_ptr(), ffi::PyCapsule_GetName(capsule.as_ptr()));
            if table.is_null() {
                return Err(PyErr::fetch(py));
            }
            Ok((*table.cast::<*const c_void>().add(PLACE_OF_DEFAULT_RESOLVER)).addr())
        }
    };
    DEFAULT_RESOLVER.get_or_try_init(py, find).copied()
}

/// An inner loop: operands' addresses, number of elements, steps in bytes, and what the ufunc keeps for it.
type Loop = unsafe extern "C" fn(*mut *mut c_char, *mut isize, *mut isize, *mut c_void);

/// A loop of a ufunc, what is kept for it, and the types of its operands by NumPy's numbers.
struct Found<'a> {
    run: Loop,
    data: *mut c_void,
    types: &'a [c_char],
}

/// The loop for inputs of exactly these types; `None` if there is none, or NumPy may choose another one.
///
/// # Safety
/// The object is one of NumPy's class of ufuncs.
unsafe fn find_loop<'a>(ufunc: &'a Bound<'_, PyAny>, inputs: &[c_char]) -> PyResult<Option<Found<'a>>> {
    // SAFETY: the caller's contract. A ufunc has `ntypes` functions, and the types of all operands for each.
    unsafe {
        let of = &(*ufunc.as_ptr().cast::<PyUFuncObject>()).fields;
        let resolver = of.type_resolver.map_or(0, |resolver| resolver as usize);
        // Loops for types of other libraries, generalised ufuncs, and functions in Python are NumPy's to run.
        let is_plain = of.userloops.is_null() && of.core_enabled == 0 && of.obj.is_null();
        if !is_plain
            || of.functions.is_null()
            || of.nin as usize != inputs.len()
            || of.nargs as usize > MAX_OPERANDS
            || resolver != default_resolver(ufunc.py())?
        {
            return Ok(None);
        }
        for i in 0..of.ntypes.max(0) as usize {
            let types = std::slice::from_raw_parts(of.types.add(i * of.nargs as usize), of.nargs as usize);
            // A comparison of slices is a call of `memcmp`, 27 instructions for two bytes.
            if types.iter().zip(inputs).all(|(a, b)| a == b) {
                let data = if of.data.is_null() { std::ptr::null_mut() } else { *of.data.add(i) };
                let run: Option<Loop> = *of.functions.add(i);
                return Ok(run.map(|run| Found { run, data, types }));
            }
        }
        Ok(None)
    }
}

/// The operands of a loop.
#[derive(Default)]
struct Operands {
    shape: Shape,
    /// The inputs' types by NumPy's numbers.
    types: SmallVec<[c_char; MAX_OPERANDS]>,
    addresses: SmallVec<[*mut c_char; MAX_OPERANDS]>,
    steps: SmallVec<[isize; MAX_OPERANDS]>,
    /// Keep the inputs in place.
    exports: SmallVec<[Export; 2]>,
}

impl Operands {
    /// Adds an array of the same shape as the others; false if a loop here does not take it.
    fn add(&mut self, py: Python<'_>, array: &Array) -> PyResult<bool> {
        if self.addresses.is_empty() {
            self.shape = array.shape_vec();
        }
        let descriptor = dtype::raw_descriptor(array.dtype());
        if array.shape() != &self.shape[..]
            || array.ndim() == 0
            || array.size() == 0
            || !array.is_c_contiguous()
            || descriptor.is_null()
            || !array.is_ready_and_few(MAX_ELEMENTS)
        {
            return Ok(false);
        }
        let export = to_py_result(py, array.export_for_call())?;
        self.addresses.push(export.address().cast());
        self.steps.push(array.dtype().size() as isize);
        // SAFETY: a descriptor of NumPy's.
        self.types.push(unsafe { (*descriptor.cast::<PyArray_Descr>()).fields.type_num } as c_char);
        self.exports.push(export);
        Ok(true)
    }
}

/// The result of a ufunc on arrays of ours, by its loop; `None` if it is NumPy's to run. The call is counted if `is_counted` is false, which it
/// sets.
pub(crate) fn run<'py>(
    ufunc: &Bound<'py, PyAny>,
    arguments: &[Bound<'py, PyAny>],
    (name, reason): (&Bound<'py, PyString>, &Bound<'py, PyString>),
    is_counted: &mut bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = ufunc.py();
    let mut operands = Operands::default();
    for argument in arguments {
        let Ok(ours) = argument.cast_exact::<NdArray>() else { return Ok(None) };
        let me = ours.open();
        let Some(array) = me.dense() else { return Ok(None) };
        if operands.addresses.len() == MAX_OPERANDS || !operands.add(py, array)? {
            return Ok(None);
        }
    }
    // SAFETY: the callers give ufuncs of NumPy's class.
    let Some(found) = (unsafe { find_loop(ufunc, &operands.types)? }) else { return Ok(None) };
    let mut results: SmallVec<[Array; 2]> = SmallVec::new();
    for &number in &found.types[arguments.len()..] {
        let Some(dtype) = dtype::from_number(number.into()) else { return Ok(None) };
        let (result, address) = to_py_result(py, Array::unwritten(&operands.shape, dtype))?;
        operands.addresses.push(address.cast());
        operands.steps.push(dtype.size() as isize);
        results.push(result);
    }
    if results.is_empty() {
        return Ok(None);
    }
    enter(name, reason, true)?;
    *is_counted = true;
    let timer = Timer::begin(py);
    let mut count = operands.shape.iter().product::<usize>() as isize;
    // SAFETY: the loop is that of the operands' types; it reads and writes so many elements from each address on, which are there: dense arrays
    // that the exports keep in place, and new ones. Raised flags are read and cleared by NumPy's own functions.
    let raised = unsafe {
        PY_UFUNC_API.PyUFunc_clearfperr(py);
        (found.run)(operands.addresses.as_mut_ptr(), &mut count, operands.steps.as_mut_ptr(), found.data);
        PY_UFUNC_API.PyUFunc_getfperr(py)
    };
    drop(timer);
    drop(operands);
    // SAFETY: the GIL is held. (`PyErr::take` alone takes 50 instructions where there is none.)
    if unsafe { !ffi::PyErr_Occurred().is_null() }
        && let Some(error) = PyErr::take(py)
    {
        return Err(error);
    }
    if raised != 0 as c_int {
        return Ok(None);
    }
    if results.len() == 1
        && let Some(sole) = results.pop()
    {
        return new_object(py, sole).map(Some);
    }
    let all = results.into_iter().map(|result| new_object(py, result)).collect::<PyResult<SmallVec<[_; 2]>>>()?;
    PyTuple::new(py, all).map(|all| Some(all.into_any()))
}
