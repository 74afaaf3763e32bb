//! Draws whose parameters are numbers, straight into arrays of ours, bit for bit those of NumPy.
//!
//! The array that NumPy makes would have to be copied, and its methods look at their arguments for half a microsecond to six: ten numbers of
//! `Generator.random` take half as long as by NumPy's own call, ten `integers` a twelfth. All numbers come from NumPy's bit generators and its
//! distributions; parameters that are arrays, numbers that it refuses, other types and long draws, which let other threads run, are left to it.

use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::exact_int::int_at;
use crate::interpreter::fastcall::Arguments;
use crate::interpreter::slot::Slot;
use crate::object::construct::new_object;
use crate::random::bit_generator::{BitGenerator, Distributions, Library, bit_generator_slot};
use crate::random::legacy::{KeptNormal, KeptNormals};
use crate::random::order::{Choice, Ordered};
use fastnp::{Array, DType, Scalar, Shape};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyTuple};

/// NumPy draws more with other threads running: these take 0.1 ms.
pub(super) const MAX_DRAWN: usize = 1 << 14;

/// A method whose draws are native, and where its generator keeps the bit generator.
pub(crate) struct Draw {
    method: Method,
    bit_generator: Slot,
    /// Whether it is a `RandomState`'s.
    is_legacy: bool,
    /// The generator of a function that is no method.
    global: Option<Py<PyAny>>,
}

/// How the arguments are read.
#[derive(Clone, Copy)]
enum Method {
    /// `random(size)`.
    Random,
    /// `rand(*extents)`.
    Rand,
    /// `randn(*extents)`.
    Randn,
    /// `uniform(low, high, size)`.
    Uniform,
    /// `normal(loc, scale, size)`.
    Normal,
    /// `standard_normal(size)`.
    StandardNormal,
    /// `exponential(scale, size)`.
    Exponential,
    /// `standard_exponential(size)`.
    StandardExponential,
    /// `integers(low, high, size)` of a `Generator`.
    Integers,
    /// `randint(low, high, size)` of a `RandomState`.
    Randint,
    /// `shuffle(x)` of a `RandomState`.
    Shuffle,
    /// `permutation(x)` of a `RandomState`.
    Permutation,
    /// `choice(a, size)` of a `RandomState`.
    Choice,
}

impl Method {
    fn named(name: &str) -> Option<Method> {
        Some(match name {
            "random" | "random_sample" => Method::Random,
            "rand" => Method::Rand,
            "randn" => Method::Randn,
            "uniform" => Method::Uniform,
            "normal" => Method::Normal,
            "standard_normal" => Method::StandardNormal,
            "exponential" => Method::Exponential,
            "standard_exponential" => Method::StandardExponential,
            "integers" => Method::Integers,
            "randint" => Method::Randint,
            "shuffle" => Method::Shuffle,
            "permutation" => Method::Permutation,
            "choice" => Method::Choice,
            _ => return None,
        })
    }

    /// What a call asks for; `None` if it is left to NumPy.
    fn read(self, call: Arguments<'_, '_>) -> PyResult<Option<Asked>> {
        Ok(match self {
            Method::Random => Asked::of(call.read(["size"])?, |[size]| Some((Numbers::Unit, size))),
            Method::Rand | Method::Randn if call.names().is_none_or(|names| names.is_empty()) => {
                let numbers = if matches!(self, Method::Rand) { Numbers::Unit } else { Numbers::StandardNormal };
                let shape: Option<Shape> = call.positions().iter().map(extent).collect();
                shape.map(|shape| Asked { numbers, shape: Some(shape).filter(|shape| !shape.is_empty()) })
            }
            Method::Rand | Method::Randn => None,
            Method::Uniform => Asked::of(call.read(["low", "high", "size"])?, |[low, high, size]| {
                let low = number(low, 0.0)?;
                let range = number(high, 1.0)? - low;
                (range.is_finite() && range.is_sign_positive()).then_some((Numbers::Uniform { low, range }, size))
            }),
            Method::Normal => Asked::of(call.read(["loc", "scale", "size"])?, |[mean, deviation, size]| {
                let (mean, deviation) = (number(mean, 0.0)?, number(deviation, 1.0)?);
                is_scale(deviation).then_some((Numbers::Normal { mean, deviation }, size))
            }),
            Method::StandardNormal => Asked::of(call.read(["size"])?, |[size]| Some((Numbers::StandardNormal, size))),
            Method::Exponential => Asked::of(call.read(["scale", "size"])?, |[scale, size]| {
                let scale = number(scale, 1.0)?;
                is_scale(scale).then_some((Numbers::Exponential { scale }, size))
            }),
            Method::StandardExponential => {
                Asked::of(call.read(["size"])?, |[size]| Some((Numbers::StandardExponential, size)))
            }
            Method::Integers | Method::Randint => {
                Asked::of(call.read(["low", "high", "size"])?, |[low, high, size]| {
                    let low = integer(low?)?;
                    let (low, high) = match high.filter(|high| !high.is_none()) {
                        Some(high) => (low, integer(high)?),
                        None => (0, low),
                    };
                    let is_masked = matches!(self, Method::Randint);
                    // The difference of the last and the first fits into 64 bits without a sign.
                    let range = (low < high).then(|| (high - 1).wrapping_sub(low) as u64)?;
                    Some((Numbers::Integers { low, range, is_masked }, size))
                })
            }
            Method::Choice => Choice::of(call)?.map(|choice| Asked {
                numbers: Numbers::Integers { low: 0, range: choice.population as u64 - 1, is_masked: true },
                shape: Some(Shape::from_iter([choice.count])),
            }),
            Method::Shuffle | Method::Permutation => None,
        })
    }
}

/// What a call asks for.
struct Asked {
    numbers: Numbers,
    /// None for one number, which is no array.
    shape: Option<Shape>,
}

impl Asked {
    /// The numbers and the size that `read` finds in the arguments.
    fn of<'a, 'py: 'a, const N: usize>(
        arguments: Option<[Option<&'a Bound<'py, PyAny>>; N]>,
        read: impl FnOnce([Option<&'a Bound<'py, PyAny>>; N]) -> Option<(Numbers, Option<&'a Bound<'py, PyAny>>)>,
    ) -> Option<Asked> {
        let (numbers, size) = read(arguments?)?;
        let shape = match size.filter(|size| !size.is_none()) {
            None => None,
            Some(size) => Some(match size.cast_exact::<PyTuple>() {
                // Without extents NumPy makes an array of no axes.
                Ok(extents) if extents.is_empty() => return None,
                Ok(extents) => extents.iter_borrowed().map(|n| extent(&n)).collect::<Option<Shape>>()?,
                Err(_) => Shape::from_iter([extent(size)?]),
            }),
        };
        Some(Asked { numbers, shape })
    }
}

/// Numbers of one distribution.
#[derive(Clone, Copy)]
enum Numbers {
    /// Uniform in [0, 1).
    Unit,
    Uniform {
        low: f64,
        range: f64,
    },
    StandardNormal,
    Normal {
        mean: f64,
        deviation: f64,
    },
    StandardExponential,
    Exponential {
        scale: f64,
    },
    /// From `low` to `low + range`, by masks or by Lemire's products.
    Integers {
        low: i64,
        range: u64,
        is_masked: bool,
    },
}

impl Numbers {
    fn dtype(self) -> DType {
        if matches!(self, Numbers::Integers { .. }) { DType::I64 } else { DType::F64 }
    }

    /// Whether `RandomState` draws them in another way than `Generator`.
    fn are_other_in_random_state(self) -> bool {
        use Numbers::{Exponential, Normal, StandardExponential, StandardNormal};
        matches!(self, StandardNormal | Normal { .. } | StandardExponential | Exponential { .. })
    }

    /// Draws numbers as NumPy's methods do; with a [`KeptNormal`] as those of `RandomState` do.
    ///
    /// # Safety
    /// The bit generator is locked, and there is room for so many numbers of eight bytes.
    unsafe fn fill(
        self,
        (bits, kept): (*mut BitGenerator, Option<*mut KeptNormal>),
        of: &Distributions,
        count: usize,
        out: *mut u8,
    ) {
        let (doubles, n) = (out.cast::<f64>(), count as isize);
        // SAFETY: the caller's contract.
        let each = |draw: &dyn Fn() -> f64| (0..count).for_each(|i| unsafe { doubles.add(i).write(draw()) });
        // SAFETY: the caller's contract.
        unsafe {
            match (self, kept) {
                (Numbers::StandardNormal, Some(kept)) => each(&|| KeptNormal::next(kept)),
                (Numbers::Normal { mean, deviation }, Some(kept)) => {
                    each(&|| mean + deviation * KeptNormal::next(kept));
                }
                (Numbers::StandardExponential, Some(_)) => each(&|| -(1.0 - BitGenerator::next_double(bits)).ln()),
                (Numbers::Exponential { scale }, Some(_)) => {
                    each(&|| scale * -(1.0 - BitGenerator::next_double(bits)).ln());
                }
                (Numbers::Unit, _) => (0..count).for_each(|i| doubles.add(i).write(BitGenerator::next_double(bits))),
                (Numbers::Uniform { low, range }, _) => each(&|| (of.uniform)(bits, low, range)),
                (Numbers::StandardNormal, _) => (of.fill_normal)(bits, n, doubles),
                (Numbers::Normal { mean, deviation }, _) => each(&|| (of.normal)(bits, mean, deviation)),
                (Numbers::StandardExponential, _) => (of.fill_exponential)(bits, n, doubles),
                (Numbers::Exponential { scale }, _) => each(&|| (of.exponential)(bits, scale)),
                (Numbers::Integers { low, range, is_masked }, _) => {
                    (of.fill_bounded)(bits, low as u64, range, n, is_masked, out.cast());
                }
            }
        }
    }
}

impl Draw {
    /// The draws of the method of a class of NumPy's; `None` if this version of it is not known. Without a receiver they are the `global`
    /// generator's.
    ///
    /// # Errors
    /// `TypeError` for a method without native draws.
    pub(crate) fn new(
        name: &Bound<'_, PyAny>,
        class: &Bound<'_, PyAny>,
        global: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Option<Draw>> {
        let name: String = name.extract()?;
        let method = Method::named(&name).ok_or_else(|| PyTypeError::new_err(format!("{name} has no native draws")))?;
        let global = global.map(Bound::unbind);
        let is_legacy = class.getattr(intern!(class.py(), "__name__"))?.eq("RandomState")?;
        Ok(bit_generator_slot(class)?.map(|bit_generator| Draw { method, bit_generator, is_legacy, global }))
    }

    /// Draws from the global generator; `None` if the call is left to NumPy.
    pub(crate) fn of_global<'py>(&self, call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.global {
            Some(global) => self.of(global.bind(call.py()), call),
            None => Ok(None),
        }
    }

    /// Draws from a generator of NumPy's; `None` if the call is left to it.
    pub(crate) fn of<'py>(
        &self,
        generator: &Bound<'py, PyAny>,
        call: Arguments<'_, 'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = call.py();
        let ordered = match self.method {
            Method::Shuffle => Ordered::of_shuffle(call)?,
            Method::Permutation => Ordered::of_permutation(call)?,
            _ => None,
        };
        if let Some(ordered) = ordered {
            return self.order(generator, ordered);
        }
        let (Some(Asked { numbers, shape }), Some(library)) = (self.method.read(call)?, Library::get(py)?) else {
            return Ok(None);
        };
        let mut one = [0u8; 8];
        // The product of extents that do not overflow: more are left to NumPy at once.
        let count =
            shape.iter().flatten().try_fold(1usize, |count, &n| count.checked_mul(n)).filter(|&n| n <= MAX_DRAWN);
        let Some(count) = count.filter(|_| shape.as_ref().is_none_or(|shape| shape.len() <= fastnp::MAX_DIMS)) else {
            return Ok(None);
        };
        let (array, out) = match &shape {
            None => (None, one.as_mut_ptr()),
            Some(shape) => {
                let (array, out) = to_py_result(py, Array::unwritten(shape, numbers.dtype()))?;
                (Some(array), out)
            }
        };
        let is_other = self.is_legacy && numbers.are_other_in_random_state();
        let kept = if is_other { KeptNormals::get(py)?.and_then(|kept| kept.of(generator)) } else { None };
        if is_other && kept.is_none() {
            return Ok(None);
        }
        let Some(locked) = library.lock(&self.bit_generator.of(generator)?)? else { return Ok(None) };
        // SAFETY: the bit generator is locked; the memory is a new array's, or that of one number.
        unsafe { numbers.fill((locked.interface, kept), &library.distributions, count, out) };
        locked.release()?;
        match (array, self.method) {
            (Some(array), Method::Choice) => chosen(call, new_object(py, array)?),
            (Some(array), _) => new_object(py, array),
            (None, Method::Integers) => dtype::to_scalar(py, Scalar::new(DType::I64, i64::from_ne_bytes(one))),
            (None, Method::Randint) => Ok(i64::from_ne_bytes(one).into_pyobject(py)?.into_any()),
            (None, _) => Ok(PyFloat::new(py, f64::from_ne_bytes(one)).into_any()),
        }
        .map(Some)
    }

    /// Draws an order from a generator of NumPy's; `None` if the call is left to it.
    fn order<'py>(&self, generator: &Bound<'py, PyAny>, ordered: Ordered) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = generator.py();
        let Some(library) = Library::get(py)? else { return Ok(None) };
        let Some(locked) = library.lock(&self.bit_generator.of(generator)?)? else { return Ok(None) };
        // SAFETY: the bit generator is locked.
        unsafe { ordered.draw(locked.interface, &library.distributions) };
        locked.release()?;
        ordered.result(py).map(Some)
    }
}

/// What `choice` returns for the indices that it has drawn.
fn chosen<'py>(call: Arguments<'_, 'py>, indices: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match Choice::of(call)?.and_then(|choice| choice.from) {
        Some(from) => from.get_item(indices),
        None => Ok(indices),
    }
}

/// A parameter that is a float or an integer, or its default; `None` for any other object.
fn number(value: Option<&Bound<'_, PyAny>>, default: f64) -> Option<f64> {
    let Some(value) = value else { return Some(default) };
    if value.is_exact_instance_of::<PyFloat>() {
        // SAFETY: the object is exactly a float.
        return Some(unsafe { ffi::PyFloat_AsDouble(value.as_ptr()) });
    }
    // SAFETY: the object is alive.
    unsafe { dtype::double_at(value.py(), value.as_ptr()) }.or_else(|| Some(integer(value)? as f64))
}

/// Whether NumPy takes a number for a scale.
fn is_scale(scale: f64) -> bool {
    !scale.is_nan() && scale.is_sign_positive()
}

/// An integer; `None` for any other object, and one of more than 64 bits.
pub(super) fn integer(value: &Bound<'_, PyAny>) -> Option<i64> {
    // SAFETY: the object is alive.
    unsafe { int_at(value.as_ptr()) }
}

/// An extent of an axis; `None` for any other object.
fn extent(value: &Bound<'_, PyAny>) -> Option<usize> {
    usize::try_from(integer(value)?).ok()
}
