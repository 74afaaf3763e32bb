//! The numbers of `RandomState` that `Generator` draws in another way. Normal ones are made in pairs; NumPy keeps the second of a pair in
//! its object, beside the bit generator, and shows it by `get_state` alone, which copies the whole state (10 µs).

use crate::random::bit_generator::{BitGenerator, Library};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::ffi::c_int;

/// A pair of normal numbers by the polar method: the first, and the one that is kept.
#[inline]
pub(super) fn normal_pair(mut next_double: impl FnMut() -> f64) -> (f64, f64) {
    loop {
        let x = 2.0 * next_double() - 1.0;
        let y = 2.0 * next_double() - 1.0;
        let r = x * x + y * y;
        if r < 1.0 && r != 0.0 {
            let factor = (-2.0 * r.ln() / r).sqrt();
            return (factor * y, factor * x);
        }
    }
}

/// How many of `n` trials succeed, each with the probability `p`: of the smaller of the two outcomes so many are counted as a uniform number
/// reaches, term by term of the distribution. `None` where more than 30 are expected, which takes another method.
pub(super) fn trials(n: i64, p: f64, mut next_double: impl FnMut() -> f64) -> Option<i64> {
    let is_likely = p > 0.5;
    let p = if is_likely { 1.0 - p } else { p };
    if p * n as f64 > 30.0 {
        return None;
    }
    let q = 1.0 - p;
    let expected = n as f64 * p;
    let first = (n as f64 * q.ln()).exp();
    let most = (n as f64).min(expected + 10.0 * (expected * q + 1.0).sqrt()) as i64;
    let (mut count, mut term, mut rest) = (0, first, next_double());
    while rest > term {
        count += 1;
        if count > most {
            (count, term, rest) = (0, first, next_double());
        } else {
            rest -= term;
            term = (n - count + 1) as f64 * p * term / (count as f64 * q);
        }
    }
    Some(if is_likely { n - count } else { count })
}

/// What a `RandomState` has beside its bit generator (`numpy/random/src/legacy/legacy-distributions.h`).
#[repr(C)]
pub(super) struct KeptNormal {
    bits: *mut BitGenerator,
    has_normal: c_int,
    normal: f64,
}

impl KeptNormal {
    /// The next normal number.
    ///
    /// # Safety
    /// `this` is one of [`KeptNormals::of`], whose bit generator is locked.
    #[inline]
    pub(super) unsafe fn next(this: *mut KeptNormal) -> f64 {
        // SAFETY: the caller's contract.
        unsafe {
            if (*this).has_normal != 0 {
                (*this).has_normal = 0;
                return std::mem::replace(&mut (*this).normal, 0.0);
            }
            let bits = (*this).bits;
            let (first, second) = normal_pair(|| BitGenerator::next_double(bits));
            ((*this).has_normal, (*this).normal) = (1, second);
            first
        }
    }
}

/// Where the objects of NumPy's class keep it.
pub(super) struct KeptNormals {
    class: Py<PyType>,
    /// Bytes from the beginning of an object to its copy of the bit generator's interface, which it follows.
    interface: usize,
}

impl KeptNormals {
    /// That of the installed NumPy; `None` where its objects are made otherwise.
    pub(super) fn get(py: Python<'_>) -> PyResult<Option<&'static KeptNormals>> {
        static FOUND: PyOnceLock<Option<KeptNormals>> = PyOnceLock::new();
        FOUND.get_or_try_init(py, || KeptNormals::find(py)).map(Option::as_ref)
    }

    /// Looks for it in an object: there is a reference to the bit generator, a copy of its interface, and what leads to that copy; and a
    /// drawn number is kept there that `get_state` shows.
    fn find(py: Python<'_>) -> PyResult<Option<KeptNormals>> {
        let class =
            py.import(intern!(py, "numpy.random"))?.getattr(intern!(py, "RandomState"))?.cast_into::<PyType>()?;
        let size: usize = class.getattr(intern!(py, "__basicsize__"))?.extract()?;
        let object = class.call1((0,))?;
        let owner = object.getattr(intern!(py, "_bit_generator"))?;
        let Some(library) = Library::get(py)? else { return Ok(None) };
        let Some(interface) = library.interface(&owner)? else { return Ok(None) };
        let words = size_of::<BitGenerator>() / size_of::<usize>();
        let kept_words = size_of::<KeptNormal>() / size_of::<usize>();
        let start = object.as_ptr().cast::<usize>();
        let normal = object.call_method0(intern!(py, "standard_normal")).and_then(|_| {
            let state = object.call_method1(intern!(py, "get_state"), (false,))?;
            state.get_item("gauss")?.extract::<f64>()
        })?;
        // SAFETY: an object of this class has so many words, and an interface its own; plain words are read.
        let found = unsafe {
            let read = |at: usize| start.add(at).read();
            (1..(size / size_of::<usize>()).saturating_sub(words + kept_words)).find(|&at| {
                let copy = start.add(at);
                let is_copy = (0..words).all(|i| read(at + i) == interface.cast::<usize>().add(i).read());
                let kept = start.add(at + words).cast::<KeptNormal>();
                read(at - 1) == owner.as_ptr().addr()
                    && is_copy
                    && (*kept).bits.addr() == copy.addr()
                    && (*kept).has_normal == 1
                    && (*kept).normal.to_bits() == normal.to_bits()
            })
        };
        Ok(found.map(|at| KeptNormals { class: class.unbind(), interface: at * size_of::<usize>() }))
    }

    /// That of an object; `None` for one of another class, and before its bit generator was set.
    pub(super) fn of(&self, object: &Bound<'_, PyAny>) -> Option<*mut KeptNormal> {
        let class = self.class.bind(object.py()).as_ptr().cast();
        // SAFETY: an object of the class, or of one derived from it, has this part, as `find` saw.
        unsafe {
            if ffi::PyObject_TypeCheck(object.as_ptr(), class) == 0 {
                return None;
            }
            let interface = object.as_ptr().byte_add(self.interface);
            let kept = interface.byte_add(size_of::<BitGenerator>()).cast::<KeptNormal>();
            ((*kept).bits.addr() == interface.addr()).then_some(kept)
        }
    }
}
