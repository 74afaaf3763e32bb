//! The Python module: argument parsing, NumPy's protocols, errors. It decides nothing; the engine and, for what the engine
//! cannot do, the `fastnp._fallback` module in Python decide.

mod arg;
mod arguments;
mod attributes;
mod birth;
mod borrowed;
mod call;
mod class;
mod contents;
mod convert;
mod create;
mod dlpack;
mod document;
mod dtype;
mod error;
mod errstate;
mod foreign;
mod functions;
mod host;
mod index;
mod join;
mod keywords;
mod methods;
mod ndarray;
mod observe;
mod operators;
mod places;
mod plain;
mod protocols;
mod reduce;
mod routine;
mod slot;
mod ufunc;

use fastnp::Result;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// An engine result as Python's, after the floating-point flags that the engine raised on the way were reported.
#[inline]
pub(crate) fn deliver<T>(py: Python<'_>, result: Result<T>) -> PyResult<T> {
    if fastnp::has_raised() {
        errstate::report(py)?;
    }
    result.map_err(|e| error::raise(py, e))
}

/// A function of `fastnp._fallback`.
pub(crate) fn fallback<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    MODULE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("fastnp._fallback")?.unbind()))?.bind(py).getattr(name)
}

#[pymodule]
fn _fastnp(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ndarray::NdArray>()?;
    module.add_class::<foreign::Memory>()?;
    ufunc::add(module)?;
    create::add(module)?;
    convert::add(module)?;
    functions::add(module)?;
    join::add(module)?;
    observe::add(module)?;
    attributes::add(module)?;
    borrowed::add(module)?;
    routine::add(module)?;
    module.add_function(wrap_pyfunction!(class::replace, module)?)?;
    module.add_function(wrap_pyfunction!(class::metaclass, module)?)?;
    module.add_function(wrap_pyfunction!(class::set_metaclass, module)?)?;
    host::add(module)?;
    module.add_function(wrap_pyfunction!(foreign::py_to_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::py_from_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(foreign::ran, module)?)?;
    document::document(module)?;
    errstate::start(module.py())?;
    observe::find_libraries(module.py(), &std::env::var("FASTNP_BACKEND").unwrap_or_default())?;
    deliver(module.py(), fastnp::settings::read_environment())
}
