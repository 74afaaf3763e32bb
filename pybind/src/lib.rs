//! The extension module `fastnp._fastnp`: Python classes and functions over the core.
//!
//! It parses arguments, follows NumPy's protocols and converts errors. It decides nothing about numbers: the core computes what it
//! can, and `fastnp._fallback` in Python asks NumPy for the rest.
//!
//! From the ground up; a folder imports only folders above it in this table:
//!
//! | folder | what lives there | open first |
//! |---|---|---|
//! | `interpreter` | what needs no array: the GIL, errors and floating-point flags, the calling convention, NumPy's dtypes | `error` |
//! | `object` | array objects: their payload, allocation, raw slots | `payload` |
//! | `diagnostics` | counters, `explain`, settings, devices | |
//! | `interop` | memory shared with NumPy, or on devices with other libraries | `numpy_memory` |
//! | `random` | draws of NumPy's generators into arrays of ours | `draw` |
//! | `fallback` | running NumPy's functions on our arrays, the ledger of such calls, and profiles | `run` |
//! | `call` | arguments to values; ufuncs, reductions and functions of the module | `ufunc_call` |
//! | `index` | `x[i]`, read and written | `subscript` |
//! | `class` | the array class: attributes, methods, operators, protocols, metaclass | `methods` |
//! | `loops` | compiled loops, run on Python's values | `program` |

mod call;
mod class;
mod diagnostics;
mod fallback;
mod index;
mod interop;
mod interpreter;
#[cfg(feature = "loops")]
mod loops;
mod object;
mod random;

use crate::interpreter::error::to_py_result;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

// Without the GIL, counts and the runtime's lock would race: a free-threaded Python takes the GIL back when it imports this.
#[pymodule(gil_used = true)]
fn _fastnp(module: &Bound<'_, PyModule>) -> PyResult<()> {
    if !crate::object::header::is_as_assumed(module.py())? {
        return Err(PyImportError::new_err("fastnp does not know how this version of NumPy lays out its arrays"));
    }
    fastnp::guard_addresses();
    crate::interop::c_heap::keep_freed_memory();
    crate::interpreter::sequence_items::find(module.py())?;
    module.add_class::<crate::object::ndarray::NdArray>()?;
    crate::object::object_pool::replace_dealloc(module.py());
    crate::class::numpy_entry_points::replace_entries(module.py())?;
    crate::class::numpy_scalar_slots::replace_slots(module.py())?;
    module.add_class::<crate::interop::numpy_memory::Memory>()?;
    crate::call::ufunc::add(module)?;
    crate::call::create::add(module)?;
    crate::call::convert::add(module)?;
    crate::call::functions::add(module)?;
    crate::call::masks::add(module)?;
    crate::call::common_calls::add(module)?;
    crate::call::concatenate::add(module)?;
    crate::call::types::add(module)?;
    crate::diagnostics::add(module)?;
    crate::fallback::dispatched::add(module)?;
    crate::fallback::function::add(module)?;
    crate::fallback::ledger::add(module)?;
    crate::fallback::profile::add(module)?;
    crate::fallback::ufunc::add(module)?;
    crate::class::attributes::add(module)?;
    crate::interop::device_import::add(module)?;
    module.add_function(wrap_pyfunction!(crate::interop::dlpack::from_capsule, module)?)?;
    crate::call::counting::add(module)?;
    crate::call::from_buffer::add(module)?;
    crate::call::fourier::add(module)?;
    crate::call::routine::add(module)?;
    module.add_function(wrap_pyfunction!(crate::class::metaclass::replace, module)?)?;
    module.add_function(wrap_pyfunction!(crate::class::metaclass::metaclass, module)?)?;
    module.add_function(wrap_pyfunction!(crate::class::metaclass::is_instance, module)?)?;
    module.add_function(wrap_pyfunction!(crate::class::metaclass::set_metaclass, module)?)?;
    module.add_function(wrap_pyfunction!(crate::class::metaclass::set_ufunc_metaclass, module)?)?;
    crate::interpreter::interpreter_lock::add(module)?;
    module.add_function(wrap_pyfunction!(crate::interop::numpy_memory::py_to_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(crate::interop::numpy_memory::py_from_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(crate::interop::numpy_memory::py_adopt, module)?)?;
    module.add_function(wrap_pyfunction!(crate::interop::numpy_memory::call_numpy, module)?)?;
    #[cfg(feature = "loops")]
    crate::loops::list_heap::add(module)?;
    #[cfg(feature = "loops")]
    crate::loops::program::add(module)?;
    #[cfg(feature = "loops")]
    crate::random::tape::add(module)?;
    #[cfg(feature = "loops")]
    crate::loops::statement_kernel::add(module)?;
    #[cfg(feature = "loops")]
    crate::loops::table_entries::add(module)?;
    crate::loops::vector_loop::add(module)?;
    crate::class::documentation::document(module)?;
    crate::interpreter::errstate::install(module.py())?;
    crate::diagnostics::find_libraries(module.py(), &std::env::var("FASTNP_BACKEND").unwrap_or_default())?;
    to_py_result(module.py(), fastnp::settings::read_environment())
}
