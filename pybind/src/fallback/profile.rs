//! Profiles of the core, for Python: its sums and its timeline, with call sites in place of their numbers.
//!
//! `fastnp._profile` in Python adds fallbacks and loops, and makes the reports.

use crate::fallback::ledger::is_of_package;
use crate::interpreter::address_hash::AddressHash;
use crate::interpreter::call_site::Frames;
use fastnp::{Activity, CallSite, Profile};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyModule};
use std::collections::HashMap;
use std::ffi::c_int;
use std::hash::BuildHasherDefault;
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    // Every CPython from 3.4 on exports this function, which is not in the limited API.
    fn PyGILState_Check() -> c_int;
}

/// The call sites of the profile that is being made: code objects, held so that no other gets their address, and offsets.
struct CallSites {
    rows: Vec<(Py<PyAny>, c_int)>,
    numbers: HashMap<(usize, c_int), CallSite, AddressHash>,
}

/// Locked with the GIL held, and never while Python runs.
static CALL_SITES: Mutex<CallSites> =
    Mutex::new(CallSites { rows: Vec::new(), numbers: HashMap::with_hasher(BuildHasherDefault::new()) });

/// Sites kept; later ones are unknown.
const MAX_CALL_SITES: usize = 10_000;

/// The number of the first frame outside the package; zero if this thread runs no Python.
fn call_site() -> CallSite {
    // SAFETY: it may be called on any thread.
    if unsafe { PyGILState_Check() } == 0 {
        return 0;
    }
    // SAFETY: the GIL is held, as was just asked.
    let py = unsafe { Python::assume_attached() };
    // The objects of frames made here may be the ones at which Python 3.11 collects garbage, which could use arrays.
    // SAFETY: the GIL is held.
    let was_enabled = unsafe { ffi::PyGC_Disable() } != 0;
    let site = Frames::new(py).find(|(code, _)| !is_of_package(code).unwrap_or(false));
    if was_enabled {
        // SAFETY: as above.
        unsafe { ffi::PyGC_Enable() };
    }
    let Some((code, offset)) = site else { return 0 };
    let mut sites = CALL_SITES.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (code.as_ptr().addr(), offset);
    if let Some(&number) = sites.numbers.get(&key) {
        return number;
    }
    if sites.rows.len() >= MAX_CALL_SITES {
        return 0;
    }
    sites.rows.push((code.unbind(), offset));
    let number = sites.rows.len() as CallSite;
    sites.numbers.insert(key, number);
    number
}

/// `start_profile()`: begins a profile of the core.
#[pyfunction]
fn start_profile() {
    fastnp::set_call_site_source(call_site);
    fastnp::start_profile();
}

/// `stop_profile()`: ends it; its sums, its timeline, and its call sites.
#[pyfunction]
fn stop_profile(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let profile = fastnp::stop_profile();
    let rows = {
        let mut sites = CALL_SITES.lock().unwrap_or_else(PoisonError::into_inner);
        sites.numbers.clear();
        std::mem::take(&mut sites.rows)
    };
    to_python(py, &profile, rows)
}

fn to_python<'py>(py: Python<'py>, profile: &Profile, sites: Vec<(Py<PyAny>, c_int)>) -> PyResult<Bound<'py, PyDict>> {
    let work: Vec<_> = profile
        .work
        .iter()
        .map(|w| (&w.name, &w.strategy, w.site, &w.domain, w.runs, w.nanoseconds, w.bytes, w.flops))
        .collect();
    let flushes: Vec<_> =
        profile.flushes.iter().map(|f| (f.site, f.reason.text(), f.flushes, f.nodes, f.nanoseconds)).collect();
    let spans: Vec<_> = profile
        .spans
        .iter()
        .map(|span| {
            let (kind, row) = match span.activity {
                Activity::Flush(row) => ("flush", row),
                Activity::Work(row) => ("work", row),
                Activity::Plan => ("plan", 0),
                Activity::Compile => ("compile", 0),
            };
            (kind, row, span.start, span.nanoseconds)
        })
        .collect();
    let out = PyDict::new(py);
    out.set_item("work", work)?;
    out.set_item("flushes", flushes)?;
    out.set_item("planning", profile.planning)?;
    out.set_item("compiling", profile.compiling)?;
    out.set_item("busy", profile.busy)?;
    out.set_item("spans", spans)?;
    out.set_item("spans_left_out", profile.spans_left_out)?;
    out.set_item("sites", sites)?;
    Ok(out)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(start_profile, module)?)?;
    module.add_function(wrap_pyfunction!(stop_profile, module)?)
}
