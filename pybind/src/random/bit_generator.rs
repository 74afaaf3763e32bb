//! NumPy's bit generators by their C interface (`numpy/random/bitgen.h`), and the distributions over them that NumPy's library exports.

use crate::interpreter::slot::Slot;
use crate::interpreter::vectorcall::call_method;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;

/// A bit generator: its state, and the functions that draw from it.
#[repr(C)]
pub(super) struct BitGenerator {
    state: *mut c_void,
    next_uint64: unsafe extern "C" fn(*mut c_void) -> u64,
    next_uint32: unsafe extern "C" fn(*mut c_void) -> u32,
    next_double: unsafe extern "C" fn(*mut c_void) -> f64,
    next_raw: unsafe extern "C" fn(*mut c_void) -> u64,
}

impl BitGenerator {
    /// One that draws by these functions.
    pub(super) fn new(
        state: *mut c_void,
        next_uint64: unsafe extern "C" fn(*mut c_void) -> u64,
        next_uint32: unsafe extern "C" fn(*mut c_void) -> u32,
        next_double: unsafe extern "C" fn(*mut c_void) -> f64,
        next_raw: unsafe extern "C" fn(*mut c_void) -> u64,
    ) -> BitGenerator {
        BitGenerator { state, next_uint64, next_uint32, next_double, next_raw }
    }

    /// A number in [0, 1).
    ///
    /// # Safety
    /// The bit generator is a [`LockedGenerator`]'s.
    #[inline]
    pub(super) unsafe fn next_double(this: *mut BitGenerator) -> f64 {
        // SAFETY: the caller's contract.
        unsafe { ((*this).next_double)((*this).state) }
    }
}

/// `random_normal`, `random_uniform`: a number of two parameters.
type OfTwo = unsafe extern "C" fn(*mut BitGenerator, f64, f64) -> f64;
/// `random_exponential`: a number of one parameter.
type OfOne = unsafe extern "C" fn(*mut BitGenerator, f64) -> f64;
/// `random_poisson`: an integer of one parameter.
type IntegerOfOne = unsafe extern "C" fn(*mut BitGenerator, f64) -> i64;
/// `random_binomial`: how many of so many trials succeed, each with a probability.
type Trials = unsafe extern "C" fn(*mut BitGenerator, f64, i64, *mut Binomial) -> i64;
/// `random_interval`: an integer up to a bound, with masks.
type Interval = unsafe extern "C" fn(*mut BitGenerator, u64) -> u64;
/// `random_standard_normal_fill`: many numbers.
type Fill = unsafe extern "C" fn(*mut BitGenerator, isize, *mut f64);
/// `random_bounded_uint64_fill`: many integers from an offset on, up to a range beyond it; with masks or Lemire's products.
type FillBounded = unsafe extern "C" fn(*mut BitGenerator, u64, u64, isize, bool, *mut u64);

/// What `random_binomial` computes of its parameters and keeps (`binomial_t`, 17 words): nothing while all bits are zero.
#[repr(C)]
pub(super) struct Binomial([u64; 24]);

/// The distributions that NumPy's library exports (its documentation, "Extending numpy.random", calls them so).
#[derive(Clone, Copy)]
pub(super) struct Distributions {
    pub(super) uniform: OfTwo,
    pub(super) normal: OfTwo,
    pub(super) exponential: OfOne,
    pub(super) poisson: IntegerOfOne,
    pub(super) binomial: Trials,
    pub(super) interval: Interval,
    pub(super) fill_normal: Fill,
    pub(super) fill_exponential: Fill,
    pub(super) fill_bounded: FillBounded,
}

/// Those that [`Library::get`] has found, for code that runs without the interpreter.
static DISTRIBUTIONS: OnceLock<Distributions> = OnceLock::new();

impl Distributions {
    /// Those of the installed NumPy, if [`Library::get`] has found them.
    pub(super) fn known() -> Option<&'static Distributions> {
        DISTRIBUTIONS.get()
    }

    /// Those of the installed NumPy; `None` where it exports another set.
    fn load(py: Python<'_>) -> PyResult<Option<Distributions>> {
        let file: String =
            py.import(intern!(py, "numpy.random._generator"))?.getattr(intern!(py, "__file__"))?.extract()?;
        let Ok(file) = CString::new(file) else { return Ok(None) };
        // SAFETY: the library is loaded already, as Python has imported it, and never closed.
        let library = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
        if library.is_null() {
            return Ok(None);
        }
        let find = |name: &CStr| {
            // SAFETY: an open library.
            let found = unsafe { libc::dlsym(library, name.as_ptr()) };
            (!found.is_null()).then_some(found)
        };
        // SAFETY: functions of these types, by `numpy/random/distributions.h`.
        Ok(unsafe {
            (|| {
                Some(Distributions {
                    uniform: std::mem::transmute::<*mut c_void, OfTwo>(find(c"random_uniform")?),
                    normal: std::mem::transmute::<*mut c_void, OfTwo>(find(c"random_normal")?),
                    exponential: std::mem::transmute::<*mut c_void, OfOne>(find(c"random_exponential")?),
                    poisson: std::mem::transmute::<*mut c_void, IntegerOfOne>(find(c"random_poisson")?),
                    binomial: std::mem::transmute::<*mut c_void, Trials>(find(c"random_binomial")?),
                    interval: std::mem::transmute::<*mut c_void, Interval>(find(c"random_interval")?),
                    fill_normal: std::mem::transmute::<*mut c_void, Fill>(find(c"random_standard_normal_fill")?),
                    fill_exponential: std::mem::transmute::<*mut c_void, Fill>(find(
                        c"random_standard_exponential_fill",
                    )?),
                    fill_bounded: std::mem::transmute::<*mut c_void, FillBounded>(find(c"random_bounded_uint64_fill")?),
                })
            })()
        })
    }
}

/// What is known of NumPy's classes: where a bit generator keeps its lock and its C interface, and the distributions.
pub(super) struct Library {
    lock: Slot,
    capsule: Slot,
    pub(super) distributions: Distributions,
}

impl Library {
    /// That of the installed NumPy; `None` where it exports other functions.
    pub(super) fn get(py: Python<'_>) -> PyResult<Option<&'static Library>> {
        static LIBRARY: PyOnceLock<Option<Library>> = PyOnceLock::new();
        let library = LIBRARY.get_or_try_init(py, || {
            let Some(distributions) = Distributions::load(py)? else { return Ok::<_, PyErr>(None) };
            DISTRIBUTIONS.get_or_init(|| distributions);
            let class = py.import(intern!(py, "numpy.random"))?.getattr(intern!(py, "BitGenerator"))?;
            let attributes = class.getattr(intern!(py, "__dict__"))?;
            let slot = |name| Slot::new(&attributes.get_item(name)?);
            Ok(Some(Library { lock: slot("lock")?, capsule: slot("capsule")?, distributions }))
        })?;
        Ok(library.as_ref())
    }

    /// The interface of a bit generator; `None` for an object that does not derive from NumPy's class.
    pub(super) fn interface(&self, bit_generator: &Bound<'_, PyAny>) -> PyResult<Option<*mut BitGenerator>> {
        let Ok(capsule) = self.capsule.of(bit_generator) else { return Ok(None) };
        // SAFETY: the object is alive; a capsule of this name holds such an interface.
        unsafe {
            if ffi::PyCapsule_IsValid(capsule.as_ptr(), c"BitGenerator".as_ptr()) == 0 {
                return Ok(None);
            }
            Ok(Some(ffi::PyCapsule_GetPointer(capsule.as_ptr(), c"BitGenerator".as_ptr()).cast()))
        }
    }

    /// A bit generator, locked against other threads; `None` for an object that does not derive from NumPy's class.
    pub(super) fn lock<'py>(&self, bit_generator: &Bound<'py, PyAny>) -> PyResult<Option<LockedGenerator<'py>>> {
        let py = bit_generator.py();
        let (Ok(lock), Some(interface)) = (self.lock.of(bit_generator), self.interface(bit_generator)?) else {
            return Ok(None);
        };
        call_method(&lock, intern!(py, "acquire"))?;
        Ok(Some(LockedGenerator { lock, interface, _owner: bit_generator.clone() }))
    }
}

/// A bit generator whose lock is held, as NumPy holds it while it draws.
pub(super) struct LockedGenerator<'py> {
    lock: Bound<'py, PyAny>,
    pub(super) interface: *mut BitGenerator,
    /// Keeps the interface alive.
    _owner: Bound<'py, PyAny>,
}

impl LockedGenerator<'_> {
    /// Gives the lock back.
    ///
    /// # Errors
    /// That of the lock.
    pub(super) fn release(self) -> PyResult<()> {
        call_method(&self.lock, intern!(self.lock.py(), "release"))
    }
}

/// Where the generators of a class of NumPy's keep their bit generator; `None` if this version has it elsewhere.
pub(super) fn bit_generator_slot(class: &Bound<'_, PyAny>) -> PyResult<Option<Slot>> {
    let py = class.py();
    match class.getattr(intern!(py, "__dict__"))?.get_item(intern!(py, "_bit_generator")) {
        Ok(descriptor) => Slot::new(&descriptor).map(Some),
        Err(_) => Ok(None),
    }
}
