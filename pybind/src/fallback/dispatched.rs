//! NumPy's functions that dispatch to other classes (NEP 18): called by native functions in Python for what they leave to NumPy, and by
//! NumPy on arrays of ours.

use crate::fallback::function::{joined, run_in_python};
use crate::fallback::function_entry;
use crate::fallback::run::Call;
use crate::interpreter::address_hash::AddressHash;
use crate::interpreter::fallback::{NOT_COVERED, NOT_NATIVE};
use crate::interpreter::fastcall::{Arguments, entry};
use crate::interpreter::gil_cell::GilCell;
use crate::interpreter::vectorcall::call_given;
use crate::object::header::NumpyArray;
use crate::object::ndarray::NdArray;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyDict, PyModule, PySequence, PyString, PyTuple, PyType};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// `call(function, args, kwargs, name, reason)`: runs NumPy's function on arguments that may hold arrays of ours, and counts it.
fn counted<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let Some([Some(function), Some(args), Some(kwargs), name, reason]) =
        call.read(["func", "args", "kwargs", "name", "reason"])?
    else {
        return Err(PyTypeError::new_err("call takes a function, its arguments, a name and a reason"));
    };
    let py = call.py();
    let dispatched = Dispatched::of(function)?;
    let name = match (name.filter(|name| !name.is_none()), &dispatched) {
        (Some(name), _) => name.cast::<PyString>()?.clone(),
        (None, Some(dispatched)) => dispatched.name.bind(py).clone(),
        (None, None) => function.getattr(intern!(py, "__name__"))?.cast_into::<PyString>()?,
    };
    let reason = reason.unwrap_or_else(|| intern!(py, NOT_COVERED).as_any()).cast::<PyString>()?;
    run_as(function, dispatched, args, kwargs, Some((&name, reason)))
}

/// `uncounted(function, args, kwargs, ...)`: as `call`, without the ledger.
fn uncounted<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let [function, args, kwargs, ..] = call.positions() else {
        return Err(PyTypeError::new_err("uncounted takes a function and its arguments"));
    };
    run_as(function, Dispatched::of(function)?, args, kwargs, None)
}

/// One of NumPy's functions that dispatch to other classes.
struct Dispatched {
    function: Py<PyAny>,
    /// What runs where there is no other class, and whether that is written in Python: then it reads its arguments as the function does.
    implementation: Py<PyAny>,
    is_in_python: bool,
    /// Whether only its argument `like=` is asked for a class.
    has_like: bool,
    name: Py<PyString>,
    /// Our version of it, once that was asked for.
    native: PyOnceLock<Option<Py<PyAny>>>,
}

/// Those that were called, by address. Objects of the class are made when a module is imported, and live as long as the process.
static DISPATCHED: GilCell<HashMap<usize, &'static Dispatched, AddressHash>> =
    GilCell::new(HashMap::with_hasher(BuildHasherDefault::new()));

impl Dispatched {
    /// What is known of a function; `None` if it is of another class.
    fn of(function: &Bound<'_, PyAny>) -> PyResult<Option<&'static Dispatched>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let py = function.py();
        let class =
            CLASS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy")?.getattr("sum")?.get_type().unbind()))?;
        if !function.is_exact_instance(class.bind(py)) {
            return Ok(None);
        }
        let address = function.as_ptr().addr();
        if let Some(found) = DISPATCHED.with(py, |known| known.get(&address).copied()) {
            return Ok(Some(found));
        }
        let implementation = function.getattr("_implementation")?;
        let named = implementation.getattr_opt("__kwdefaults__")?.filter(|named| !named.is_none());
        let found: &'static Dispatched = Box::leak(Box::new(Dispatched {
            function: function.clone().unbind(),
            is_in_python: implementation.getattr_opt("__code__")?.is_some(),
            has_like: named.map_or(Ok(false), |named| named.contains("like"))?,
            implementation: implementation.unbind(),
            name: function.getattr("__name__")?.cast_into::<PyString>()?.unbind(),
            native: PyOnceLock::new(),
        }));
        DISPATCHED.with(py, |known| known.insert(found.function.as_ptr().addr(), found));
        Ok(Some(found))
    }

    /// Our version of the function, if there is one.
    fn native<'py>(&self, py: Python<'py>) -> PyResult<Option<&Bound<'py, PyAny>>> {
        let native = self.native.get_or_try_init(py, || {
            let found = py.import("fastnp._fallback.registry")?.getattr("native_of")?.call1((&self.function,))?;
            Ok::<_, PyErr>((!found.is_none()).then(|| found.unbind()))
        })?;
        Ok(native.as_ref().map(|native| native.bind(py)))
    }

    /// A call with arrays of ours, and no objects of other classes: by our version, or by NumPy's function on views. `None` if it is left to Python.
    fn run<'py>(
        &self,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(native) = self.native(py)? {
            // SAFETY: the caller's arguments, the last of which are those of the names.
            return unsafe { call_given(native, arguments, names) }.map(Some);
        }
        let entry = Some((self.name.bind(py), intern!(py, NOT_NATIVE)));
        Call::new(self.implementation.bind(py), entry).run(arguments, names)
    }
}

/// `ndarray.__array_function__` for a function of NumPy's and no other classes than ours and NumPy's: our version, or NumPy's own on views;
/// `None` for calls that are left to Python.
pub(crate) fn called_by_numpy<'py>(
    function: &Bound<'py, PyAny>,
    types: &Bound<'py, PyAny>,
    args: &Bound<'py, PyAny>,
    kwargs: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = function.py();
    let (Ok(types), Ok(args), Ok(kwargs)) =
        (types.cast_exact::<PyTuple>(), args.cast_exact::<PyTuple>(), kwargs.cast_exact::<PyDict>())
    else {
        return Ok(None);
    };
    let (ours, numpys) = (NdArray::type_object_raw(py), NumpyArray::type_object_raw(py));
    if !types.iter_borrowed().all(|class| class.as_ptr() == ours.cast() || class.as_ptr() == numpys.cast()) {
        return Ok(None);
    }
    let Some(dispatched) = Dispatched::of(function)? else { return Ok(None) };
    let (arguments, names) = joined(args.iter(), Some(kwargs))?;
    if !args.is_empty() && !dispatched.has_like {
        // SAFETY: the class was checked; what is known of the function keeps it.
        unsafe { function_entry::replace_entry(function, &arguments) };
    }
    dispatched.run(&arguments, names.as_ref(), py)
}

/// The result of a function of NumPy's for a call with arrays of ours that did not pass through its dispatch; `None` if that is to be asked.
pub(crate) fn run_by_entry<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &[Bound<'py, PyAny>],
    names: Option<&Bound<'py, PyTuple>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = function.py();
    let Some(dispatched) = Dispatched::of(function)? else { return Ok(None) };
    // A function in C reads its arguments in its own way, which NumPy's dispatch words errors of.
    if !dispatched.is_in_python && dispatched.native(py)?.is_none() {
        return Ok(None);
    }
    dispatched.run(arguments, names, py)
}

fn run_as<'py>(
    function: &Bound<'py, PyAny>,
    dispatched: Option<&'static Dispatched>,
    args: &Bound<'py, PyAny>,
    kwargs: &Bound<'py, PyAny>,
    entry: Option<(&Bound<'py, PyString>, &Bound<'py, PyString>)>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let args = match args.cast::<PyTuple>() {
        Ok(args) => args.clone(),
        Err(_) => args.cast::<PySequence>()?.to_tuple()?,
    };
    let kwargs = match kwargs.cast::<PyDict>() {
        Ok(kwargs) => kwargs.clone(),
        Err(_) => py.get_type::<PyDict>().call1((kwargs,))?.cast_into::<PyDict>()?,
    };
    let (arguments, names) = joined(args.iter(), Some(&kwargs))?;
    let is_like = match &names {
        Some(_) => kwargs.get_item(intern!(py, "like"))?.is_some_and(|like| !like.is_none()),
        None => false,
    };
    let in_python = dispatched.filter(|dispatched| dispatched.is_in_python);
    let direct = in_python.map_or(function, |dispatched| dispatched.implementation.bind(py));
    if !is_like && let Some(result) = Call::new(direct, entry).run(&arguments, names.as_ref())? {
        return Ok(result);
    }
    run_in_python(function, args.as_any(), &kwargs, entry)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::interpreter::fastcall::add(
        module,
        &[
            (c"call", c"call(func, args, kwargs, name=None, reason=None)\n--\n\n", entry!(counted)),
            (c"uncounted", c"uncounted(func, args, kwargs, /, *rest)\n--\n\n", entry!(uncounted)),
        ],
    )
}
