//! NumPy's floating-point error state, read where operations are recorded, and reports of the flags they raised.
//!
//! NumPy keeps the state in a context variable, so threads and asyncio tasks have their own. Its value is immutable: as long
//! as it is the object seen last, the state is the one seen last, which a recording finds out in 5 ns. What a state asks for
//! travels with the flags as the engine's scope. Words and handlers are Python's, in `fastnp._state.errstate`.

use fastnp::{FpFlags, Scope};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::ffi::c_int;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// What to do about a kind of floating-point error, by the number that stands for it in a scope.
const MODES: [&str; 6] = ["ignore", "warn", "raise", "call", "print", "log"];
/// Bits of a mode in a scope.
const MODE_BITS: usize = 3;
/// From this mode on it matters where the operation is.
const IMMEDIATE: usize = 2;

/// The kinds in the order in which NumPy looks at them, with its names.
const KINDS: [(&str, FpFlags); 4] = [
    ("divide", FpFlags::DIVIDE),
    ("over", FpFlags::OVERFLOW),
    ("under", FpFlags::UNDERFLOW),
    ("invalid", FpFlags::INVALID),
];

/// NumPy's context variable and the function that reads it.
static NUMPY: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();
/// NumPy's variable, for those who hold the GIL, the value seen last (a reference is kept), and its scope.
static VARIABLE: AtomicPtr<ffi::PyObject> = AtomicPtr::new(std::ptr::null_mut());
static SEEN: AtomicPtr<ffi::PyObject> = AtomicPtr::new(std::ptr::null_mut());
static SEEN_SCOPE: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" {
    // Every CPython from 3.7 on exports it as declared; it is no part of the limited API, whose way (a call of the method
    // `get`) takes ten times as long.
    fn PyContextVar_Get(var: *mut ffi::PyObject, default: *mut ffi::PyObject, value: *mut *mut ffi::PyObject) -> c_int;
}

/// Tells the engine to ask for the state.
pub(crate) fn start(py: Python<'_>) -> PyResult<()> {
    let umath = py.import("numpy._core.umath")?;
    let variable = umath.getattr("_extobj_contextvar")?;
    let (variable, _) = NUMPY.get_or_init(py, || {
        (variable.unbind(), umath.getattr("_get_extobj_dict").map(Bound::unbind).expect("NumPy's"))
    });
    VARIABLE.store(variable.as_ptr(), Ordering::Relaxed);
    fastnp::set_scope_source(scope);
    Ok(())
}

/// The scope of the calling thread's context.
fn scope() -> Scope {
    let mut value = std::ptr::null_mut();
    // SAFETY: the engine is asked to record by this crate alone, whose callers hold the GIL; the variable lives for ever.
    // The reference that comes with the value is given back, and the value compared but not used.
    unsafe {
        if PyContextVar_Get(VARIABLE.load(Ordering::Relaxed), std::ptr::null_mut(), &mut value) == 0 {
            ffi::Py_DecRef(value);
        }
    }
    if value == SEEN.load(Ordering::Relaxed) {
        return Scope(SEEN_SCOPE.load(Ordering::Relaxed));
    }
    look()
}

/// Reads the state, and remembers it as the one seen last.
#[cold]
fn look() -> Scope {
    Python::attach(|py| {
        let (variable, read) = NUMPY.get(py).expect("the module set it");
        // Neither fails in a NumPy that has them; if one did, warnings are what NumPy starts with.
        let value = variable.bind(py).call_method0("get");
        let state = read.bind(py).call0().and_then(|state| Ok(state.cast_into::<PyDict>()?));
        let scope = state.and_then(|state| packed(&state)).unwrap_or(Scope(0o1011));
        if let Ok(value) = value {
            SEEN_SCOPE.store(scope.0, Ordering::Relaxed);
            let before = SEEN.swap(value.into_ptr(), Ordering::Relaxed);
            // SAFETY: the reference that was kept, or null.
            unsafe { ffi::Py_XDECREF(before) };
        }
        scope
    })
}

/// What a state asks for, as a scope.
fn packed(state: &Bound<'_, PyDict>) -> PyResult<Scope> {
    let mut bits = 0;
    for (i, (kind, _)) in KINDS.iter().enumerate() {
        let mode: String = state.as_any().get_item(kind)?.extract()?;
        let code = MODES.iter().position(|&m| m == mode).unwrap_or(1);
        bits |= (code as u32) << (i * MODE_BITS);
        if code >= IMMEDIATE {
            bits |= Scope::AT_ONCE;
        }
    }
    Ok(Scope(bits))
}

/// Reports the flags raised since the last report, each as the state asked where its operation was recorded.
#[cold]
pub(crate) fn report(py: Python<'_>) -> PyResult<()> {
    let mut found: Vec<(&str, u8, &str, &str)> = Vec::new();
    for raised in fastnp::take_raised() {
        for (i, (kind, flag)) in KINDS.iter().enumerate() {
            let mode = (raised.scope.0 >> (i * MODE_BITS)) as usize & ((1 << MODE_BITS) - 1);
            if raised.flags.contains(*flag) && mode != 0 {
                found.push((kind, raised.flags.0, raised.name, MODES[mode]));
            }
        }
    }
    if !found.is_empty() {
        py.import("fastnp._state.errstate")?.getattr("fp_warning")?.call1((found,))?;
    }
    Ok(())
}
