//! The Python module: argument parsing, NumPy's protocols, errors. It decides nothing; the engine and, for what the engine
//! cannot do, the `fastnp._fallback.call` module in Python decide.

mod call;
mod diagnostics;
mod index;
mod interop;
mod interpreter_lock;
mod object;

use fastnp::Result;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// An engine result as Python's, after the floating-point flags that the engine raised on the way were reported.
#[inline]
pub(crate) fn deliver<T>(py: Python<'_>, result: Result<T>) -> PyResult<T> {
    if fastnp::has_raised() {
        crate::call::errstate::report(py)?;
    }
    result.map_err(|e| crate::call::error::raise(py, e))
}

/// A function of `fastnp._fallback.call`.
pub(crate) fn fallback<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    MODULE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("fastnp._fallback.call")?.unbind()))?.bind(py).getattr(name)
}

#[pymodule]
fn _fastnp(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<crate::object::ndarray::NdArray>()?;
    module.add_class::<crate::interop::foreign::Memory>()?;
    crate::call::ufunc::add(module)?;
    crate::call::create::add(module)?;
    crate::interop::convert::add(module)?;
    crate::call::functions::add(module)?;
    crate::call::concatenate::add(module)?;
    crate::diagnostics::add(module)?;
    crate::object::attributes::add(module)?;
    crate::interop::device_import::add(module)?;
    crate::call::routine::add(module)?;
    module.add_function(wrap_pyfunction!(crate::object::class::replace, module)?)?;
    module.add_function(wrap_pyfunction!(crate::object::class::metaclass, module)?)?;
    module.add_function(wrap_pyfunction!(crate::object::class::set_metaclass, module)?)?;
    crate::interpreter_lock::add(module)?;
    module.add_function(wrap_pyfunction!(crate::interop::foreign::py_to_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(crate::interop::foreign::py_from_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(crate::interop::foreign::ran, module)?)?;
    crate::object::document::document(module)?;
    crate::call::errstate::start(module.py())?;
    crate::diagnostics::find_libraries(module.py(), &std::env::var("FASTNP_BACKEND").unwrap_or_default())?;
    deliver(module.py(), fastnp::settings::read_environment())
}
