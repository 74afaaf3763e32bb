//! Diagnostics and configuration: counters, `explain`, settings, the current device.

use crate::interpreter::error::to_py_result;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::settings;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A setting's value, to and from Python.
#[derive(FromPyObject, IntoPyObject)]
enum SettingValue {
    Int(i64),
    Text(String),
}

impl From<settings::SettingValue> for SettingValue {
    fn from(value: settings::SettingValue) -> SettingValue {
        match value {
            settings::SettingValue::Int(value) => SettingValue::Int(value),
            settings::SettingValue::Text(value) => SettingValue::Text(value.into_owned()),
        }
    }
}

/// Loads the libraries that a device of this name needs from Python's packages, if they are installed there.
pub(crate) fn find_libraries(py: Python<'_>, device: &str) -> PyResult<()> {
    if device.starts_with("cuda") || device == "auto" {
        py.import("fastnp._interop.cuda_wheels")?.call_method0("load")?;
    }
    Ok(())
}

/// Sets a setting.
#[pyfunction]
fn set_setting(py: Python<'_>, name: &str, value: SettingValue) -> PyResult<()> {
    let set = match value {
        SettingValue::Int(value) => settings::set(name, value),
        SettingValue::Text(value) => {
            find_libraries(py, &value)?;
            settings::set(name, value)
        }
    };
    match (to_py_result(py, set)?, settings::get(name)) {
        (true, _) => Ok(()),
        (false, Some(_)) => Err(PyTypeError::new_err(format!("the setting {name} takes a value of another type"))),
        (false, None) => Err(PyKeyError::new_err(name.to_owned())),
    }
}

/// Threads that may run at once for the calling thread.
#[pyfunction]
fn threads_of_this_thread() -> usize {
    settings::threads_of_this_thread()
}

/// Limits the threads that evaluate for the calling thread; a number from `num_threads` on takes the limit back.
#[pyfunction]
#[pyo3(signature = (n, /))]
fn limit_threads(n: usize) {
    settings::limit_threads(n);
}

/// `arm_fault(n)`: lets the n-th resource asked for from now on fail; with zero, none. Returns how far ahead the fault
/// of an earlier call is; zero if it struck. Only in builds with debug assertions.
#[cfg(debug_assertions)]
#[pyfunction]
fn arm_fault(n: u64) -> u64 {
    fastnp::fault::arm(n)
}

/// `guard_blocks(on)`: whether blocks of memory allocated from now on lie between inaccessible pages, so that an access
/// beyond a block ends the process. Only in builds with debug assertions.
#[cfg(all(unix, debug_assertions))]
#[pyfunction]
fn guard_blocks(on: bool) {
    fastnp::guard::set(on);
}

/// `release_always(on)`: whether all work is done without the GIL, however short. Only in builds with debug assertions.
#[cfg(debug_assertions)]
#[pyfunction]
fn release_always(on: bool) {
    fastnp::release_always(on);
}

/// `set_fusion(how)`: how the nodes of plans made from now on are fused: "searched", "greedy", "off", or "everything" that can be.
/// Only in builds with debug assertions.
///
/// # Errors
/// `ValueError` for another name.
#[cfg(debug_assertions)]
#[pyfunction]
fn set_fusion(how: &str) -> PyResult<()> {
    fastnp::set_fusion(match how {
        "searched" => fastnp::Fusion::Searched,
        "greedy" => fastnp::Fusion::Greedy,
        "off" => fastnp::Fusion::Off,
        "everything" => fastnp::Fusion::Everything,
        _ => return Err(pyo3::exceptions::PyValueError::new_err(how.to_owned())),
    });
    Ok(())
}

/// `compose_small(on)`: whether plans made from now on run kernels block by block over small arrays too. Only in builds with debug
/// assertions.
#[cfg(debug_assertions)]
#[pyfunction]
fn compose_small(on: bool) {
    fastnp::compose_small(on);
}

/// Makes later recordings run on a device.
#[pyfunction]
fn set_device(py: Python<'_>, name: &str) -> PyResult<()> {
    find_libraries(py, name)?;
    to_py_result(py, fastnp::set_device(name))
}

/// Describes the current device.
#[pyfunction]
fn describe_device() -> String {
    fastnp::describe_device()
}

/// Runs everything pending, and waits for devices.
#[pyfunction]
fn synchronize(py: Python<'_>) -> PyResult<()> {
    to_py_result(py, fastnp::synchronize())
}

/// The current device: later recordings run on it.
#[pyfunction]
fn current_device() -> &'static str {
    fastnp::current_device()
}

/// Name, type, default, value and documentation of a setting.
type SettingRow = (&'static str, &'static str, SettingValue, SettingValue, &'static str);

/// The settings.
#[pyfunction(name = "settings")]
fn list_settings() -> Vec<SettingRow> {
    let row = |s: &settings::Setting| -> SettingRow {
        let kind = match s.default {
            settings::SettingValue::Int(_) => "int",
            settings::SettingValue::Text(_) => "str",
        };
        let value = settings::get(s.name).unwrap_or_else(|| s.default.clone());
        (s.name, kind, s.default.clone().into(), value.into(), s.doc)
    };
    settings::SETTINGS.iter().map(row).collect()
}

/// The counters.
#[pyfunction]
fn stats(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    for (name, value) in fastnp::stats().entries() {
        out.set_item(name, value)?;
    }
    Ok(out)
}

/// Sets the counters to zero.
#[pyfunction]
fn reset_stats() {
    fastnp::reset_stats();
}

/// Runs everything pending.
#[pyfunction]
fn flush(py: Python<'_>) -> PyResult<()> {
    to_py_result(py, fastnp::flush())
}

/// Evaluates arrays.
#[pyfunction]
#[pyo3(signature = (*arrays))]
fn eval(py: Python<'_>, arrays: &Bound<'_, PyTuple>) -> PyResult<()> {
    for array in arrays {
        if let Ok(array) = array.cast::<NdArray>() {
            to_py_result(py, array.open().array(py)?.evaluate())?;
        }
    }
    Ok(())
}

/// The plan of what is pending (or what the last flush ran): groups, refusals to fuse, kernels.
#[pyfunction]
#[pyo3(signature = (*_arrays))]
fn explain(_arrays: &Bound<'_, PyTuple>) -> String {
    fastnp::explain()
}

/// A group for Python: domain, folded axes, refusal, operations, bytes, nanoseconds.
type GroupRow = (Vec<usize>, Vec<usize>, Option<String>, Vec<String>, usize, Option<u64>);

/// `explain_groups()`: the groups of `explain`, one by one.
#[pyfunction]
fn explain_groups() -> Vec<GroupRow> {
    let row = |g: fastnp::ExplainedGroup| (g.domain, g.folded, g.refused, g.operations, g.bytes, g.nanoseconds);
    fastnp::explain_groups().into_iter().map(row).collect()
}

/// A constant of the cost model for Python: name, value, unit, what it decides, and what was measured.
type CostRow = (&'static str, f64, &'static str, &'static str, Option<f64>);

/// `costs()`: the constants of the cost model, with what some of them are on this machine. Takes 0.2 s.
#[pyfunction]
fn costs(py: Python<'_>) -> PyResult<Vec<CostRow>> {
    let row = |c: fastnp::Cost| (c.name, c.value, c.unit, c.decides, c.measured);
    to_py_result(py, fastnp::costs()).map(|costs| costs.into_iter().map(row).collect())
}

/// `memory_bandwidth()`: bytes a second that all threads read and write when they copy memory. Takes 0.1 s.
#[pyfunction]
fn memory_bandwidth(py: Python<'_>) -> PyResult<f64> {
    to_py_result(py, fastnp::memory_bandwidth())
}

/// Breaks what unsafe code promised. In a build with debug assertions, which has this function, the standard library's check ends the
/// process; a test holds that.
#[cfg(debug_assertions)]
#[pyfunction]
fn break_precondition() {
    let elements = std::hint::black_box(&[0u8; 4]);
    // SAFETY: there is no such element; the process ends.
    std::hint::black_box(unsafe { elements.get_unchecked(std::hint::black_box(4)) });
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_setting, module)?)?;
    module.add_function(wrap_pyfunction!(threads_of_this_thread, module)?)?;
    module.add_function(wrap_pyfunction!(limit_threads, module)?)?;
    #[cfg(debug_assertions)]
    {
        module.add_function(wrap_pyfunction!(arm_fault, module)?)?;
        module.add_function(wrap_pyfunction!(release_always, module)?)?;
        module.add_function(wrap_pyfunction!(compose_small, module)?)?;
        module.add_function(wrap_pyfunction!(set_fusion, module)?)?;
        module.add_function(wrap_pyfunction!(break_precondition, module)?)?;
    }
    #[cfg(all(unix, debug_assertions))]
    module.add_function(wrap_pyfunction!(guard_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(set_device, module)?)?;
    module.add_function(wrap_pyfunction!(describe_device, module)?)?;
    module.add_function(wrap_pyfunction!(synchronize, module)?)?;
    module.add_function(wrap_pyfunction!(current_device, module)?)?;
    module.add_function(wrap_pyfunction!(list_settings, module)?)?;
    module.add_function(wrap_pyfunction!(stats, module)?)?;
    module.add_function(wrap_pyfunction!(reset_stats, module)?)?;
    module.add_function(wrap_pyfunction!(flush, module)?)?;
    module.add_function(wrap_pyfunction!(eval, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(explain_groups, module)?)?;
    module.add_function(wrap_pyfunction!(costs, module)?)?;
    module.add_function(wrap_pyfunction!(memory_bandwidth, module)?)
}
