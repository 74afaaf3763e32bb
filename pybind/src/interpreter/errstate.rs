//! NumPy's floating-point error state (`np.errstate`): read when operations are recorded, applied when their flags are reported.
//!
//! NumPy keeps the state in a context variable, so threads and asyncio tasks have their own. Its value is immutable: if it is the same
//! object as at the last look-up, the state is the same too. That check takes 5 ns a recording. The state is packed into the scope
//! that the core stores with the flags. `fastnp._state.errstate` in Python has the messages and calls the handlers.

use fastnp::{ErrstateToken, FpFlags};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::ffi::c_int;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// What to do about a kind of floating-point error. The index of a mode is its code in a scope.
const MODES: [&str; 6] = ["ignore", "warn", "raise", "call", "print", "log"];
/// Bits of a mode in a scope.
const MODE_BITS: usize = 3;
/// Modes from this one on must act at the operation, so it runs eagerly.
const IMMEDIATE: usize = 2;

/// The kinds in NumPy's order, with its names.
const KINDS: [(&str, FpFlags); 4] = [
    ("divide", FpFlags::DIVIDE),
    ("over", FpFlags::OVERFLOW),
    ("under", FpFlags::UNDERFLOW),
    ("invalid", FpFlags::INVALID),
];

/// NumPy's context variable and the function that reads it.
static NUMPY: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();
/// NumPy's variable, the value of the last look-up (with a reference to it), and its scope. Accessed with the GIL held.
static VARIABLE: AtomicPtr<ffi::PyObject> = AtomicPtr::new(std::ptr::null_mut());
static LAST_STATE: AtomicPtr<ffi::PyObject> = AtomicPtr::new(std::ptr::null_mut());
static LAST_SCOPE: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" {
    // Every CPython from 3.7 on exports this function. It is not in the limited API, whose way (a call of the method `get`) takes ten
    // times as long.
    fn PyContextVar_Get(var: *mut ffi::PyObject, default: *mut ffi::PyObject, value: *mut *mut ffi::PyObject) -> c_int;
}

/// Registers the source of the state with the core.
pub(crate) fn install(py: Python<'_>) -> PyResult<()> {
    let umath = py.import("numpy._core.umath")?;
    let variable = umath.getattr("_extobj_contextvar")?;
    let (variable, _) = NUMPY.get_or_init(py, || {
        (variable.unbind(), umath.getattr("_get_extobj_dict").map(Bound::unbind).expect("NumPy's"))
    });
    VARIABLE.store(variable.as_ptr(), Ordering::Relaxed);
    fastnp::set_errstate_source(scope);
    Ok(())
}

/// The scope of the calling thread's context.
fn scope() -> ErrstateToken {
    let mut value = std::ptr::null_mut();
    // SAFETY: the core asks for a scope while it records, which only this crate starts, with the GIL held; the variable is immortal.
    // The reference to the value is released, and the value is compared but not used.
    unsafe {
        if PyContextVar_Get(VARIABLE.load(Ordering::Relaxed), std::ptr::null_mut(), &mut value) == 0 {
            ffi::Py_DecRef(value);
        }
    }
    if value == LAST_STATE.load(Ordering::Relaxed) {
        return ErrstateToken(LAST_SCOPE.load(Ordering::Relaxed));
    }
    reload_scope()
}

/// Reads the state and stores it as the one of the last look-up.
#[cold]
fn reload_scope() -> ErrstateToken {
    Python::attach(|py| {
        let (variable, read) = NUMPY.get(py).expect("the module set it");
        // Neither call fails in a NumPy that has these functions. If one does, the default is NumPy's: to warn.
        let value = variable.bind(py).call_method0("get");
        let state = read.bind(py).call0().and_then(|state| Ok(state.cast_into::<PyDict>()?));
        let scope = state.and_then(|state| scope_of(&state)).unwrap_or(ErrstateToken(0o1011));
        if let Ok(value) = value {
            LAST_SCOPE.store(scope.0, Ordering::Relaxed);
            let before = LAST_STATE.swap(value.into_ptr(), Ordering::Relaxed);
            // SAFETY: the reference that was stored, or null.
            unsafe { ffi::Py_XDECREF(before) };
        }
        scope
    })
}

/// A state, packed into a scope.
fn scope_of(state: &Bound<'_, PyDict>) -> PyResult<ErrstateToken> {
    let mut bits = 0;
    for (i, (kind, _)) in KINDS.iter().enumerate() {
        let mode: String = state.as_any().get_item(kind)?.extract()?;
        let code = MODES.iter().position(|&m| m == mode).unwrap_or(1);
        bits |= (code as u32) << (i * MODE_BITS);
        if code >= IMMEDIATE {
            bits |= ErrstateToken::IMMEDIATE;
        }
    }
    if bits & ErrstateToken::IMMEDIATE == 0 {
        // (A handler that is called is told all flags.)
        let ignored = KINDS.iter().enumerate().filter(|(i, _)| mode_of(bits, *i) == 0);
        bits |= ignored.fold(0, |all, (_, (_, flag))| all | u32::from(flag.0)) << ErrstateToken::IGNORED_SHIFT;
    }
    Ok(ErrstateToken(bits))
}

/// The code of the mode of a kind.
fn mode_of(scope: u32, kind: usize) -> usize {
    (scope >> (kind * MODE_BITS)) as usize & ((1 << MODE_BITS) - 1)
}

/// Reports the flags raised since the last report, each by the state at the recording of its operation.
#[cold]
pub(crate) fn report(py: Python<'_>) -> PyResult<()> {
    let mut found: Vec<(&str, u8, &str, &str)> = Vec::new();
    for raised in fastnp::take_fp_reports() {
        for (i, (kind, flag)) in KINDS.iter().enumerate() {
            let mode = mode_of(raised.errstate.0, i);
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
