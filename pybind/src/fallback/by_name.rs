//! NumPy's functions by name, for native functions whose arguments are left to NumPy.

use crate::fallback::function::{has_like, run_in_python};
use crate::fallback::run::Call;
use crate::interpreter::address_hash::AddressHash;
use crate::interpreter::fallback::NOT_COVERED;
use crate::interpreter::fastcall::Arguments;
use crate::interpreter::gil_cell::GilCell;
use crate::interpreter::vectorcall::call_given;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// One of NumPy's functions, and its name.
pub(crate) struct Named {
    name: Py<PyString>,
    function: Py<PyAny>,
    /// What is behind its dispatch to other classes; the function where it has none.
    direct: Py<PyAny>,
}

/// Those that were called, by the address and the length of the name's text.
static NAMED: GilCell<HashMap<(usize, usize), &'static Named, AddressHash>> =
    GilCell::new(HashMap::with_hasher(BuildHasherDefault::new()));

/// Those that were called last, each at the place of its text's address: 10 of the 25 ns that `numpy.empty(10, object)` takes more than NumPy's.
static RECENT: GilCell<[(usize, usize, Option<&'static Named>); RECENT_PLACES]> =
    GilCell::new([(0, 0, None); RECENT_PLACES]);
const RECENT_PLACES: usize = 64;

/// NumPy's function of a name.
#[inline]
fn named(py: Python<'_>, name: &'static str) -> PyResult<&'static Named> {
    let (address, length) = (name.as_ptr().addr(), name.len());
    let place = (address ^ address >> 6) % RECENT_PLACES;
    match RECENT.with(py, |all| all[place]) {
        (known, of_length, Some(named)) if known == address && of_length == length => Ok(named),
        _ => {
            let named = find_named(py, name)?;
            RECENT.with(py, |all| all[place] = (address, length, Some(named)));
            Ok(named)
        }
    }
}

/// [`named`] of one that was not called last.
#[cold]
fn find_named(py: Python<'_>, name: &'static str) -> PyResult<&'static Named> {
    let text = (name.as_ptr().addr(), name.len());
    if let Some(known) = NAMED.with(py, |all| all.get(&text).copied()) {
        return Ok(known);
    }
    let function = py.import("numpy")?.getattr(name)?;
    let direct = function.getattr_opt("_implementation")?.unwrap_or_else(|| function.clone()).unbind();
    let name = PyString::new(py, name).unbind();
    let found: &'static Named = Box::leak(Box::new(Named { name, function: function.unbind(), direct }));
    NAMED.with(py, |all| all.insert(text, found));
    Ok(found)
}

/// NumPy's function of a name.
pub(crate) fn function<'py>(py: Python<'py>, name: &'static str) -> PyResult<Bound<'py, PyAny>> {
    Ok(named(py, name)?.function.bind(py).clone())
}

/// What is behind the dispatch to other classes of NumPy's function of a name.
pub(crate) fn direct<'py>(py: Python<'py>, name: &'static str) -> PyResult<Bound<'py, PyAny>> {
    Ok(named(py, name)?.direct.bind(py).clone())
}

/// Calls NumPy's function of a name with these arguments.
pub(crate) fn numpy<'py>(call: Arguments<'_, 'py>, name: &'static str) -> PyResult<Bound<'py, PyAny>> {
    let (py, names) = (call.py(), call.names());
    let named = named(py, name)?;
    let (function, name) = (named.function.bind(py), named.name.bind(py));
    // With `like=` another class makes the array, so the call counts as a fallback.
    let is_like = names.is_some_and(has_like);
    let entry = is_like.then(|| (name, intern!(py, NOT_COVERED)));
    if !is_like && let Some(result) = Call::new(function, entry).run(call.after(0), names)? {
        return Ok(result);
    }
    run_in_python(function, call.tuple()?.as_any(), &call.dict()?, entry)
}

/// Calls NumPy's function of a name with arguments that are known to hold no array of ours; its result, which is of a type that is NumPy's alone,
/// stays as it is.
pub(crate) fn numpys_own<'py>(call: Arguments<'_, 'py>, name: &'static str) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the caller's arguments, the last of which are those of the names.
    unsafe { call_given(named(call.py(), name)?.function.bind(call.py()), call.after(0), call.names()) }
}

/// [`numpy`], entered in the ledger of fallbacks.
pub(crate) fn numpy_counted<'py>(call: Arguments<'_, 'py>, name: &'static str) -> PyResult<Bound<'py, PyAny>> {
    let (py, names) = (call.py(), call.names());
    let named = named(py, name)?;
    let function = named.function.bind(py);
    let entry = Some((named.name.bind(py), intern!(py, NOT_COVERED)));
    if let Some(result) = Call::new(function, entry).run(call.after(0), names)? {
        return Ok(result);
    }
    run_in_python(function, call.tuple()?.as_any(), &call.dict()?, entry)
}

/// Calls NumPy's function of a name with positional arguments, and others for the names.
pub(crate) fn numpy_with<'py>(
    py: Python<'py>,
    name: &'static str,
    args: &[Bound<'py, PyAny>],
    kwargs: Option<&Bound<'py, PyDict>>,
    is_counted: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let named = named(py, name)?;
    let function = named.function.bind(py);
    let entry = is_counted.then(|| (named.name.bind(py), intern!(py, NOT_COVERED)));
    if kwargs.is_none_or(|kwargs| kwargs.is_empty())
        && let Some(result) = Call::new(function, entry).run(args, None)?
    {
        return Ok(result);
    }
    let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
    run_in_python(function, PyTuple::new(py, args)?.as_any(), &kwargs, entry)
}

/// Calls what is behind the dispatch to other classes of NumPy's function of a name, with arrays of NumPy's own class.
pub(crate) fn numpy_on_its_own<'py>(
    py: Python<'py>,
    name: &'static str,
    arrays: &[Bound<'py, PyAny>],
    is_counted: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let named = named(py, name)?;
    let entry = is_counted.then(|| (named.name.bind(py), intern!(py, NOT_COVERED)));
    Call::new(named.direct.bind(py), entry).run_as_given(arrays, None)
}
