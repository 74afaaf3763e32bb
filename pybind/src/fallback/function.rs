//! NumPy's functions as objects of ours, which run them on our arrays.

use crate::fallback::run::Call;
use crate::fallback::value_types::set_plain_types;
use crate::interpreter::address_hash::AddressHash;
use crate::interpreter::fallback::{NOT_COVERED, fallback};
use crate::interpreter::fastcall::{Arguments, entry};
use crate::interpreter::raw_call::{call_python, object_at};
use crate::interpreter::vectorcall::{ARGUMENTS_OFFSET, Callable};
use pyo3::PyClass;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule, PySequence, PyString, PyTuple, PyType};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::{Mutex, PoisonError};

/// A function of NumPy's that runs in NumPy. Its name, its doc and other attributes are set by the package, as a function's are.
#[pyclass(name = "function", module = "fastnp._fastnp", frozen, dict, weakref, subclass)]
pub(crate) struct NumpyFunction {
    /// NumPy's function, which dispatches to other classes.
    original: Py<PyAny>,
    /// What runs where there is no other class: the function behind NumPy's dispatch, where there is one.
    direct: Py<PyAny>,
    /// Whether that is written in C. It reads its arguments in its own way, so only those by position are the same.
    is_in_c: bool,
    /// The name and the reason in the ledger; none if calls are not counted.
    entry: Option<(Py<PyString>, Py<PyString>)>,
    /// Whether it is a method of an object of ours that keeps NumPy's as `_plain`.
    is_of_plain: bool,
    /// What runs instead while the current target is a device.
    on_device: Option<Py<PyAny>>,
}

impl RunsNumpy for NumpyFunction {
    fn run<'py>(
        this: &Bound<'py, Self>,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, me) = (this.py(), this.get());
        if let Some(on_device) = &me.on_device
            && !fastnp::targets_host()
        {
            let (positions, named) = split(py, arguments, names)?;
            return on_device.bind(py).call(positions, Some(&named));
        }
        let mut with_plain = Joined::new();
        let arguments = match arguments {
            [receiver, rest @ ..] if me.is_of_plain => {
                with_plain.push(receiver.getattr(intern!(py, "_plain"))?);
                with_plain.extend(rest.iter().cloned());
                &with_plain[..]
            }
            all => all,
        };
        let entry = me.entry.as_ref().map(|(name, reason)| (name.bind(py), reason.bind(py)));
        let original = me.original.bind(py);
        let is_direct = !me.is_in_c || names.is_none();
        let function = if is_direct { me.direct.bind(py) } else { original };
        let is_like = names.is_some_and(|names| names.contains(intern!(py, "like")).unwrap_or(true));
        if !is_like {
            let result = Call { function, entry, is_ufunc: false }.run(arguments, names);
            let result = match result {
                // NumPy's dispatch words what it finds wrong with the arguments.
                Err(error) if me.is_in_c && is_direct && error.is_instance_of::<PyTypeError>(py) => {
                    Call { function: original, entry: None, is_ufunc: false }.run(arguments, names)
                }
                result => result,
            };
            if let Some(result) = result? {
                return Ok(result);
            }
        }
        let (positions, named) = split(py, arguments, names)?;
        run_in_python(original, positions.as_any(), &named, entry)
    }
}

/// The arguments as a tuple and a dictionary.
pub(crate) fn split<'py>(
    py: Python<'py>,
    arguments: &[Bound<'py, PyAny>],
    names: Option<&Bound<'py, PyTuple>>,
) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
    let (positions, values) = arguments.split_at(arguments.len() - names.map_or(0, |names| names.len()));
    let named = PyDict::new(py);
    for (name, value) in names.iter().flat_map(|names| names.iter()).zip(values) {
        named.set_item(name, value)?;
    }
    Ok((PyTuple::new(py, positions)?, named))
}

/// Calls the general version in Python.
pub(crate) fn run_in_python<'py>(
    function: &Bound<'py, PyAny>,
    positions: &Bound<'py, PyAny>,
    named: &Bound<'py, PyDict>,
    entry: Option<(&Bound<'py, PyString>, &Bound<'py, PyString>)>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    match entry {
        Some((name, reason)) => fallback(py, "general")?.call1((function, positions, named, name, reason)),
        None => fallback(py, "general_uncounted")?.call1((function, positions, named)),
    }
}

#[pymethods]
impl NumpyFunction {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        this: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (arguments, names) = joined(args.iter(), kwargs)?;
        NumpyFunction::run(this, &arguments, names.as_ref())
    }

    fn __get__<'py>(
        this: Bound<'py, Self>,
        instance: Option<Bound<'py, PyAny>>,
        _owner: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static METHOD: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        match instance.filter(|instance| !instance.is_none()) {
            Some(instance) => METHOD.import(this.py(), "types", "MethodType")?.call1((this, instance)),
            None => Ok(this.into_any()),
        }
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<function {} at {:p}>", this.getattr("__qualname__")?, this.as_ptr()))
    }

    /// Pickled by name, as functions are.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.getattr("__qualname__")
    }
}

/// All arguments of a call; most calls have no more.
type Joined<'py> = SmallVec<[Bound<'py, PyAny>; 6]>;

/// Positional and keyword arguments as one list, and the names of the last of them.
pub(crate) fn joined<'py>(
    positions: impl Iterator<Item = Bound<'py, PyAny>>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Joined<'py>, Option<Bound<'py, PyTuple>>)> {
    let mut arguments: Joined<'py> = positions.collect();
    let Some(named) = named.filter(|named| !named.is_empty()) else { return Ok((arguments, None)) };
    let mut names = Joined::new();
    for (name, value) in named {
        names.push(name);
        arguments.push(value);
    }
    Ok((arguments, Some(PyTuple::new(named.py(), names)?)))
}

/// A class whose objects are called with all arguments in a list, and the names of the last of them.
pub(crate) trait RunsNumpy: PyClass {
    /// The call.
    fn run<'py>(
        this: &Bound<'py, Self>,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
    ) -> PyResult<Bound<'py, PyAny>>;
}

/// The vectorcall function of such a class.
pub(crate) unsafe extern "C" fn called<T: RunsNumpy>(
    this: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    flags: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls it with an object of the class, by the protocol, and with the GIL held: the positional arguments, then one for
    // each of the names, all of which live until this returns.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            let this = object_at(py, this).cast_unchecked::<T>();
            let names = (!names.is_null()).then(|| object_at(py, names).cast_unchecked::<PyTuple>().to_owned());
            let count = (flags & !ARGUMENTS_OFFSET) + names.as_ref().map_or(0, |names| names.len());
            let arguments = match count {
                0 => &[],
                _ => std::slice::from_raw_parts(args.cast::<Bound<'_, PyAny>>(), count),
            };
            T::run(&this, arguments, names.as_ref()).map(Bound::into_ptr)
        })
    }
}

/// `numpy_function(original, direct, name, reason, of_plain, on_device)`: a function that runs NumPy's, counted if there is a name. If it is `of_plain`
/// NumPy gets the attribute `_plain` of the first argument. While the current target is a device `on_device` runs instead, if there is one.
fn numpy_function<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Callable> = PyOnceLock::new();
    let py = call.py();
    let class =
        CLASS.get_or_try_init(py, || Callable::derive::<NumpyFunction>(py, c"fastnp._fastnp.function", true))?;
    let [original, direct, name, reason, of_plain, on_device] = call.positions() else {
        return Err(PyTypeError::new_err("numpy_function takes six arguments"));
    };
    let entry = match name.is_none() {
        true => None,
        false => Some((name.cast::<PyString>()?.clone().unbind(), reason.cast::<PyString>()?.clone().unbind())),
    };
    let is_in_c = !original.is(direct) && direct.getattr_opt(intern!(py, "__code__"))?.is_none();
    let value = NumpyFunction {
        original: original.clone().unbind(),
        direct: direct.clone().unbind(),
        is_in_c,
        entry,
        is_of_plain: of_plain.is_truthy()?,
        on_device: (!on_device.is_none()).then(|| on_device.clone().unbind()),
    };
    // SAFETY: the class was derived from this one, and the function is its.
    unsafe { class.object(py, value, called::<NumpyFunction>) }
}

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

/// One of NumPy's functions that dispatch to other classes: what runs where there is none, if that is written in Python, and its name.
struct Dispatched {
    function: Py<PyAny>,
    direct: Option<Py<PyAny>>,
    name: Py<PyString>,
}

/// Those that were called, by address. Objects of the class are made when a module is imported, and live as long as the process.
static DISPATCHED: Mutex<HashMap<usize, &'static Dispatched, AddressHash>> =
    Mutex::new(HashMap::with_hasher(BuildHasherDefault::new()));

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
        let known = || DISPATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        let address = function.as_ptr().addr();
        if let Some(found) = known().get(&address).copied() {
            return Ok(Some(found));
        }
        let direct = function.getattr("_implementation")?;
        let is_in_python = direct.getattr_opt("__code__")?.is_some();
        let found: &'static Dispatched = Box::leak(Box::new(Dispatched {
            function: function.clone().unbind(),
            direct: is_in_python.then(|| direct.unbind()),
            name: function.getattr("__name__")?.cast_into::<PyString>()?.unbind(),
        }));
        known().insert(found.function.as_ptr().addr(), found);
        Ok(Some(found))
    }
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
    let direct =
        dispatched.and_then(|dispatched| dispatched.direct.as_ref()).map_or(function, |direct| direct.bind(py));
    if !is_like
        && let Some(result) = (Call { function: direct, entry, is_ufunc: false }).run(&arguments, names.as_ref())?
    {
        return Ok(result);
    }
    run_in_python(function, args.as_any(), &kwargs, entry)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_plain_types, module)?)?;
    crate::interpreter::fastcall::add(
        module,
        &[
            (
                c"numpy_function",
                c"numpy_function(original, direct, name, reason, of_plain, on_device, /)\n--\n\n",
                entry!(numpy_function),
            ),
            (c"call", c"call(func, args, kwargs, name=None, reason=None)\n--\n\n", entry!(counted)),
            (c"uncounted", c"uncounted(func, args, kwargs, /, *rest)\n--\n\n", entry!(uncounted)),
        ],
    )
}
