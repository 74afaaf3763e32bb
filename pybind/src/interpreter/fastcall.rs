//! The fastcall convention (`METH_FASTCALL | METH_KEYWORDS`): arguments of a call as an array, those with names last.
//!
//! PyO3 makes a tuple and a dictionary for a function with any arguments, which takes as long as a small array: `asarray(a)` took
//! 87 ns with them, where NumPy takes 32.

use crate::interpreter::known_names::{self, MOST_NAMES, Places};
use crate::interpreter::raw_call::{call_python, object_at};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyModule, PyString, PyTuple};
use pyo3::{Borrowed, ffi};
use std::ffi::CStr;

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a, 'py> {
    py: Python<'py>,
    positions: &'a [Bound<'py, PyAny>],
    /// The names of `values`, if there are any.
    names: Option<Borrowed<'a, 'py, PyTuple>>,
    values: &'a [Bound<'py, PyAny>],
    /// Both.
    all: &'a [Bound<'py, PyAny>],
}

impl<'a, 'py> Arguments<'a, 'py> {
    /// All arguments of a call, the last of which are those of the names.
    pub(crate) fn of(py: Python<'py>, all: &'a [Bound<'py, PyAny>], names: Option<&'a Bound<'py, PyTuple>>) -> Self {
        let (positions, values) = all.split_at(all.len() - names.map_or(0, |names| names.len()));
        Arguments { py, positions, names: names.map(Bound::as_borrowed), values, all }
    }

    /// The interpreter's token.
    pub(crate) fn py(&self) -> Python<'py> {
        self.py
    }

    /// The positional arguments.
    #[inline]
    pub(crate) fn positions(&self) -> &'a [Bound<'py, PyAny>] {
        self.positions
    }

    /// The positional arguments from this one on, then the values of those with names.
    pub(crate) fn after(&self, first: usize) -> &'a [Bound<'py, PyAny>] {
        &self.all[first.min(self.positions.len())..]
    }

    /// The names of the keyword arguments, if there are any.
    pub(crate) fn names(&self) -> Option<&Bound<'py, PyTuple>> {
        self.names.as_deref()
    }

    /// Whether there are no arguments.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.positions.is_empty() && self.values.is_empty()
    }

    /// The argument, if there is exactly one and it is positional.
    #[inline]
    pub(crate) fn sole(&self) -> Option<&'a Bound<'py, PyAny>> {
        match self.positions {
            [one] if self.values.is_empty() => Some(one),
            _ => None,
        }
    }

    /// The keyword arguments.
    pub(crate) fn named(&self) -> impl Iterator<Item = (Bound<'py, PyAny>, &'a Bound<'py, PyAny>)> {
        let names = self.names;
        // There are as many names as values.
        self.values.iter().enumerate().filter_map(move |(i, value)| Some((names?.get_item(i).ok()?, value)))
    }

    /// The arguments with these names, by keyword or by position in this order; `None` for any other argument, and for a duplicate.
    pub(crate) fn read<const N: usize>(
        &self,
        names: [&'static str; N],
    ) -> PyResult<Option<[Option<&'a Bound<'py, PyAny>>; N]>> {
        let mut found = [None; N];
        if self.positions.len() > N {
            return Ok(None);
        }
        for (slot, value) in found.iter_mut().zip(self.positions) {
            *slot = Some(value);
        }
        let Some(given) = self.names else { return Ok(self.values.is_empty().then_some(found)) };
        let places = match known_names::find(given, &names) {
            Some(places) => places,
            None => match places_of(given, &names)? {
                Some(places) => known_names::note(given, &names, places),
                None => return Ok(None),
            },
        };
        for (value, place) in self.values.iter().zip(places) {
            if found[place as usize].replace(value).is_some() {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// The first argument, by position or by this name.
    pub(crate) fn first(&self, name: &str) -> Option<&'a Bound<'py, PyAny>> {
        let named = || self.named().find(|(given, _)| given.to_string() == name).map(|(_, value)| value);
        self.positions.first().or_else(named)
    }

    /// The positional arguments as a tuple.
    pub(crate) fn tuple(&self) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(self.py, self.positions)
    }

    /// The keyword arguments as a dictionary.
    pub(crate) fn dict(&self) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(self.py);
        for (name, value) in self.named() {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }
}

/// The place of each of the given names among the wanted ones; `None` if one is none of them, or there are too many.
fn places_of(given: Borrowed<'_, '_, PyTuple>, wanted: &[&str]) -> PyResult<Option<Places>> {
    let mut places = [0; MOST_NAMES];
    if given.len() > MOST_NAMES {
        return Ok(None);
    }
    for (i, place) in places.iter_mut().enumerate().take(given.len()) {
        let name = given.get_borrowed_item(i)?;
        let name = name.cast::<PyString>()?;
        let name = name.to_str()?;
        match wanted.iter().position(|wanted| *wanted == name) {
            Some(found) => *place = found as u8,
            None => return Ok(None),
        }
    }
    Ok(Some(places))
}

/// Runs a function's body with [`Arguments`]; returns what Python expects of a C function.
///
/// # Safety
/// The arguments are those of the fastcall convention: `count` positional ones and a value for each of the names, all of which live
/// as long as the call. The GIL is held.
#[inline(always)]
pub(crate) unsafe fn called(
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
    body: impl for<'a, 'py> FnOnce(Arguments<'a, 'py>) -> PyResult<Bound<'py, PyAny>>,
) -> *mut ffi::PyObject {
    // SAFETY: the caller's contract.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            let names = (!names.is_null()).then(|| object_at(py, names).cast_unchecked::<PyTuple>());
            let (count, named) = (count as usize, names.map_or(0, |names| names.len()));
            let all = match count + named {
                0 => &[],
                all => std::slice::from_raw_parts(args.cast::<Bound<'_, PyAny>>(), all),
            };
            let (positions, values) = all.split_at(count);
            body(Arguments { py, positions, names, values, all }).map(Bound::into_ptr)
        })
    }
}

/// The C function for a body that takes [`Arguments`].
macro_rules! entry {
    ($body:expr) => {{
        unsafe extern "C" fn entry(
            _this: *mut pyo3::ffi::PyObject,
            args: *const *mut pyo3::ffi::PyObject,
            count: pyo3::ffi::Py_ssize_t,
            names: *mut pyo3::ffi::PyObject,
        ) -> *mut pyo3::ffi::PyObject {
            // SAFETY: Python calls it by the convention that its definition names.
            unsafe { crate::interpreter::fastcall::called(args, count, names, $body) }
        }
        entry as pyo3::ffi::PyCFunctionFastWithKeywords
    }};
}
pub(crate) use entry;

/// A function of the module: its name, its signature as Python parses it (`"name(a, b)\n--\n\n"`), and its C function.
pub(crate) type Function = (&'static CStr, &'static CStr, ffi::PyCFunctionFastWithKeywords);

/// Adds functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>, functions: &[Function]) -> PyResult<()> {
    let name = module.name()?;
    for &(known, text, called) in functions {
        // A function keeps a pointer to its definition, and lives until the process ends.
        let definition = Box::leak(Box::new(ffi::PyMethodDef {
            ml_name: known.as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: called },
            ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
            ml_doc: text.as_ptr(),
        }));
        // SAFETY: the definition is leaked, and its flags are those of the function's convention.
        let function = unsafe {
            let made = ffi::PyCFunction_NewEx(definition, std::ptr::null_mut(), name.as_ptr());
            Bound::from_owned_ptr_or_err(module.py(), made)?
        };
        module.add(PyString::new(module.py(), &known.to_string_lossy()), function)?;
    }
    Ok(())
}
