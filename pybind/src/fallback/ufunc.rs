//! NumPy's ufuncs that are not in the op table, and those of other libraries, on our arrays.

use crate::fallback::function::{RunsNumpy, called, joined, split};
use crate::fallback::run::Call;
use crate::fallback::{ufunc_entry, ufunc_loop};
use crate::interpreter::address_hash::AddressHash;
use crate::interpreter::cast::exactly;
use crate::interpreter::fallback::{NOT_COVERED, NOT_NATIVE, fallback};
use crate::interpreter::fastcall::{Arguments, entry};
use crate::interpreter::gil_cell::GilCell;
use crate::interpreter::vectorcall::{Callable, call_given};
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use numpy::npyffi::PyUFuncObject;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule, PyString, PyTuple, PyType};
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

/// A ufunc that runs in NumPy; `isinstance(x, fastnp.ufunc)` holds for it.
#[pyclass(name = "NumpyUfunc", module = "fastnp._fastnp", frozen, dict, weakref, subclass)]
pub(crate) struct NumpyUfunc {
    original: Py<PyAny>,
    name: Py<PyString>,
    /// What its calls run instead, where there is a native version of them.
    native: Option<Py<PyAny>>,
    /// Elements of ready arrays of which NumPy's loop is faster than that, at most.
    few: usize,
}

impl RunsNumpy for NumpyUfunc {
    fn run<'py>(
        this: &Bound<'py, Self>,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, me) = (this.py(), this.get());
        let is_few = |argument: &Bound<'_, PyAny>| {
            let array = exactly::<NdArray>(argument).map(Open::open);
            array.is_some_and(|array| array.dense().is_some_and(|array| array.is_ready_and_few(me.few)))
        };
        if let Some(native) = me.native.as_ref().filter(|_| names.is_some() || !arguments.iter().all(is_few)) {
            // SAFETY: the caller's arguments, the last of which are those of the names.
            return unsafe { call_given(native.bind(py), arguments, names) };
        }
        let function = me.original.bind(py);
        let entry = (me.name.bind(py), intern!(py, NOT_NATIVE));
        if let Some(result) = run_counted(function, arguments, names, entry)? {
            return Ok(result);
        }
        let (positions, named) = split(py, arguments, names)?;
        fallback(py, "general_ufunc")?.call1((this, function, positions, named))
    }
}

#[pymethods]
impl NumpyUfunc {
    #[new]
    #[pyo3(signature = (original, *_rest))]
    fn new(original: &Bound<'_, PyAny>, _rest: &Bound<'_, PyTuple>) -> PyResult<NumpyUfunc> {
        let name = original.getattr("__name__")?.cast_into::<PyString>()?.unbind();
        Ok(NumpyUfunc { original: original.clone().unbind(), name, native: None, few: 0 })
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        this: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (arguments, names) = joined(args.iter(), kwargs)?;
        NumpyUfunc::run(this, &arguments, names.as_ref())
    }

    #[getter]
    fn __class__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("fastnp._fastnp")?.getattr("ufunc")
    }

    #[getter]
    fn __name__(&self, py: Python<'_>) -> Py<PyString> {
        self.name.clone_ref(py)
    }

    #[getter]
    fn _original(&self, py: Python<'_>) -> Py<PyAny> {
        self.original.clone_ref(py)
    }

    /// NumPy's attributes; its methods run through the fallback.
    fn __getattr__<'py>(this: &Bound<'py, Self>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let value = this.get().original.bind(py).getattr(name)?;
        fallback(py, "ufunc_attribute")?.call1((this, &this.get().original, name, value))
    }

    /// Equal to NumPy's ufunc, with its hash: libraries look ufuncs up in tables.
    fn __eq__(this: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> bool {
        other.is(this) || other.is(&this.get().original)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.original.bind(py).hash()
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.original.bind(py).repr()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Py<PyString>,))> {
        Ok((py.import("fastnp._pickle")?.getattr("named")?, (self.name.clone_ref(py),)))
    }
}

/// `numpy_ufunc(original, native, few)`: an object that runs NumPy's ufunc; its calls run `native`, if that is not None, but for those of
/// ready arrays of at most `few` elements.
fn numpy_ufunc<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Callable> = PyOnceLock::new();
    let py = call.py();
    let class =
        CLASS.get_or_try_init(py, || Callable::derive::<NumpyUfunc>(py, c"fastnp._fastnp.ufunc_of_numpy", false))?;
    let [original, native, few] = call.positions() else {
        return Err(PyTypeError::new_err("numpy_ufunc takes a ufunc, a function and a number"));
    };
    let mut value = NumpyUfunc::new(original, &PyTuple::empty(py))?;
    value.native = (!native.is_none()).then(|| native.clone().unbind());
    value.few = few.extract()?;
    // SAFETY: the class was derived from this one, and the function is its.
    unsafe { class.object(py, value, called::<NumpyUfunc>) }
}

/// NumPy's class of ufuncs, and by address those of NumPy's that have a version of ours, all of which live as long as the process.
static NATIVE: PyOnceLock<(Py<PyType>, HashSet<usize, AddressHash>)> = PyOnceLock::new();

/// The name of a ufunc that has no version of ours; none for others.
fn name_of_foreign<'py>(ufunc: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
    let py = ufunc.py();
    let (class, native) = NATIVE.get_or_try_init(py, || {
        let class = py.import("numpy")?.getattr("ufunc")?.cast_into::<PyType>()?.unbind();
        let native = py.import("fastnp._array.protocols")?.getattr("native_ufuncs")?.call0()?;
        let native = native.try_iter()?.map(|ufunc| Ok(ufunc?.as_ptr().addr())).collect::<PyResult<_>>()?;
        Ok::<_, PyErr>((class, native))
    })?;
    if !ufunc.is_exact_instance(class.bind(py)) || native.contains(&ufunc.as_ptr().addr()) {
        return Ok(None);
    }
    name_of(ufunc).map(Some)
}

/// Ufuncs of which the name is kept: as many as one library has.
const MAX_NAMES: usize = 512;

/// Ufuncs and their names, by address.
type Names = HashMap<usize, (Py<PyAny>, Py<PyString>), AddressHash>;

/// Those that were called. NumPy makes the text of the name each time it is asked for it, 50 ns with its hash.
static NAMES: GilCell<Names> = GilCell::new(HashMap::with_hasher(BuildHasherDefault::new()));

/// The name of one of NumPy's ufuncs.
fn name_of<'py>(ufunc: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let (py, address) = (ufunc.py(), ufunc.as_ptr().addr());
    if let Some(name) = NAMES.with(py, |names| names.get(&address).map(|(_, name)| name.bind(py).clone())) {
        return Ok(name);
    }
    let name = ufunc.getattr(intern!(py, "__name__"))?.cast_into::<PyString>()?;
    // SAFETY: the object is one of NumPy's ufuncs.
    let is_of_python = unsafe { !(*ufunc.as_ptr().cast::<PyUFuncObject>()).fields.obj.is_null() };
    NAMES.with(py, |names| {
        // One made of a function in Python (`np.frompyfunc`) may end; those of libraries live as long as the process.
        if !is_of_python && names.len() < MAX_NAMES {
            names.insert(address, (ufunc.clone().unbind(), name.clone().unbind()));
        }
    });
    Ok(name)
}

/// The result of a ufunc that has no version of ours, for a call by NumPy with the given inputs; `None` if it is left to Python.
pub(crate) fn called_by_numpy<'py>(
    ufunc: &Bound<'py, PyAny>,
    method: &Bound<'py, PyAny>,
    inputs: &[Bound<'py, PyAny>],
    names: Option<&Bound<'py, PyTuple>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = ufunc.py();
    if !method.is(intern!(py, "__call__")) && method.cast::<PyString>()? != "__call__" {
        return Ok(None);
    }
    let Some(name) = name_of_foreign(ufunc)? else { return Ok(None) };
    if NAMES.with(py, |names| names.contains_key(&ufunc.as_ptr().addr())) {
        // SAFETY: the class was checked, and the table of names keeps the ufunc.
        unsafe { ufunc_entry::replace_entry(ufunc, ufunc_entry::call) };
    }
    run_counted(ufunc, inputs, names, (&name, intern!(py, NOT_NATIVE)))
}

/// The result of a ufunc for a call that did not pass through NumPy; `None` if it is NumPy's to run.
pub(crate) fn run_foreign<'py>(
    ufunc: &Bound<'py, PyAny>,
    arguments: &[Bound<'py, PyAny>],
) -> PyResult<Option<Bound<'py, PyAny>>> {
    run_counted(ufunc, arguments, None, (&name_of(ufunc)?, intern!(ufunc.py(), NOT_NATIVE)))
}

/// Runs a ufunc that has no version of ours, by its loop or by NumPy, and counts that as `entry` says; `None` if it is left to Python.
fn run_counted<'py>(
    ufunc: &Bound<'py, PyAny>,
    arguments: &[Bound<'py, PyAny>],
    names: Option<&Bound<'py, PyTuple>>,
    entry: (&Bound<'py, PyString>, &Bound<'py, PyString>),
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let mut is_counted = false;
    if names.is_none()
        && let Some(result) = ufunc_loop::run(ufunc, arguments, entry, &mut is_counted)?
    {
        return Ok(Some(result));
    }
    Call::of_ufunc(ufunc, Some(entry).filter(|_| !is_counted)).run(arguments, names)
}

/// Runs a method of NumPy's ufunc on arguments that are not native; `None` if it is left to Python.
pub(crate) fn run_ufunc<'py>(
    ufunc: &Bound<'py, PyAny>,
    method: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = ufunc.py();
    let name = name_of(ufunc)?;
    let (arguments, names) = joined(args.iter(), kwargs)?;
    let (function, name) = match method {
        "__call__" => (ufunc.clone(), name),
        _ => (ufunc.getattr(method)?, PyString::new(py, &format!("{}.{method}", name.to_str()?))),
    };
    let entry = Some((&name, intern!(py, NOT_COVERED)));
    Call::of_ufunc(&function, entry).run(&arguments, names.as_ref())
}

/// Adds the class and the function to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<NumpyUfunc>()?;
    crate::interpreter::fastcall::add(
        module,
        &[(c"numpy_ufunc", c"numpy_ufunc(original, native, few, /)\n--\n\n", entry!(numpy_ufunc))],
    )
}
