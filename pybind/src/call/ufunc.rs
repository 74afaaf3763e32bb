//! The ufunc class: one object for every row of the op table, its methods, and its vectorcall entry.

use crate::call::argument::{Arg, is_numpys_with_axes, parse_any, parse_fast};
use crate::call::keywords::{Keywords, Out};
use crate::call::ufunc_call::{apply_any, apply_native, apply_with_options, into, unary, warn_of_mask_alone};
use crate::fallback::overridden::by_class;
use crate::fallback::ufunc::run_ufunc;
use crate::fallback::ufunc_entry;
use crate::fallback::value_types::{ValueType, value_type};
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fallback::fallback;
use crate::interpreter::raw_call::{call_python, object_at};
use crate::interpreter::vectorcall::{ARGUMENTS_OFFSET, Callable, PyObject_Vectorcall};
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{DType, ErrorKind, Op, Options, Scalar, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{Borrowed, ffi};
use smallvec::SmallVec;

/// A function that works element by element.
#[pyclass(name = "ufunc", module = "fastnp", frozen, weakref, subclass)]
pub(crate) struct Ufunc {
    op: Op,
    /// NumPy's ufunc of the same name.
    original: Py<PyAny>,
}

impl Ufunc {
    fn fall_back<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.numpy(py, method, args, kwargs, ErrorKind::Unsupported)
    }

    /// The op.
    pub(crate) fn op(&self) -> Op {
        self.op
    }

    /// Calls NumPy's method: for what is not native, or after an error of the core so that NumPy raises its own.
    pub(crate) fn numpy<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
        error: ErrorKind,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wrong = error != ErrorKind::Unsupported;
        let is_out_by_position = method == "__call__" && args.len() > self.op.arity();
        if !wrong
            && method == "__call__"
            && args.len() == self.op.arity()
            && kwargs.is_none_or(|kwargs| kwargs.is_empty())
            && let Some(result) =
                by_class(self.original.bind(py), &args.iter().collect::<SmallVec<[Bound<'py, PyAny>; 2]>>())?
        {
            return Ok(result);
        }
        if !wrong
            && !is_out_by_position
            && let Some(result) = run_ufunc(self.original.bind(py), method, args, kwargs)?
        {
            return Ok(result);
        }
        let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
        fallback(py, "ufunc")?.call1((self.op.name(), method, args, kwargs, wrong))
    }

    /// The call `maximum(a, b, out)`, with `out` as a keyword. NumPy warns first, if it does: one who means three operands writes
    /// that too.
    fn third_as_out<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        self.original.bind(py).call1((1, 1, py.None()))?;
        let named = kwargs.map_or_else(|| Ok(PyDict::new(py)), |kwargs| kwargs.copy())?;
        named.set_item("out", args.get_item(2)?)?;
        self.__call__(py, &args.get_slice(0, 2), Some(&named))
    }

    /// The call with as many positional arguments as the op takes, at least one of which is an array.
    #[inline]
    fn call_on_arrays<'py>(&self, objects: &[Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
        match objects {
            [first] => unary(self.op, first),
            [first, second, ..] => match apply_native(self.op, first, second)? {
                Some(result) => Ok(result),
                None => apply_any(self.op, &[first, second]),
            },
            [] => Err(PyTypeError::new_err("an op without arguments")),
        }
    }

    /// The call with keywords, or with arguments to convert; `None` if it is left to NumPy.
    fn with_keywords<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let objects = args.iter().take(self.op.arity()).collect::<SmallVec<[Bound<'_, PyAny>; 2]>>();
        let inputs = objects.iter().map(parse_any).collect::<PyResult<SmallVec<[Arg<'_>; 2]>>>()?;
        if inputs.iter().any(|arg| matches!(arg, Arg::Other)) {
            return Ok(None);
        }
        let Some(requested) = Keywords::read(self.op, args, kwargs)? else { return Ok(None) };
        let numbers = inputs.iter().all(|arg| matches!(arg, Arg::Number(_)));
        if numbers && !matches!(requested.out, Out::Given(_)) || !requested.fits(&inputs) {
            return Ok(None);
        }
        let target = match &requested.out {
            Out::Given(out) => Some(out.open()),
            Out::New | Out::NewArray => None,
        };
        let options = Options {
            step_of: None,
            out: target.as_ref().map(|out| out.array(py)).transpose()?,
            dtype: requested.dtype,
            casting: requested.casting,
            order: requested.order,
            mask: requested.mask.as_ref(),
        };
        let result = match apply_with_options(py, self.op, &inputs, options)? {
            Ok(result) => result,
            Err(error) => return self.numpy(py, "__call__", args, kwargs, error.kind()).map(Some),
        };
        if requested.mask.is_some() && !requested.has_out {
            warn_of_mask_alone(py, self.original.bind(py), self.op.arity())?;
        }
        requested.out.to_py_result(py, result).map(Some)
    }
}

#[pymethods]
impl Ufunc {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let plain = kwargs.is_none_or(|k| k.is_empty());
        let arity = self.op.arity();
        let ours = args.iter_borrowed().any(|a| a.is_instance_of::<NdArray>());
        if plain && args.len() == arity && ours {
            let objects: SmallVec<[Bound<'_, PyAny>; 2]> = args.iter().collect();
            return self.call_on_arrays(&objects);
        }
        if matches!(self.op, Op::Maximum | Op::Minimum)
            && args.len() == 3
            && (args.get_item(2)?.is_none() || args.get_item(2)?.is_exact_instance_of::<NdArray>())
            && kwargs.is_none_or(|kwargs| !kwargs.contains("out").unwrap_or(true))
        {
            return self.third_as_out(args, kwargs);
        }
        if (args.len() == arity || args.len() == arity + 1)
            && let Some(result) = self.with_keywords(py, args, kwargs)?
        {
            return Ok(result);
        }
        self.fall_back(py, "__call__", args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn reduce<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match crate::call::reduce::fold(self.op, args, kwargs)? {
            Ok(result) => Ok(result),
            Err(error) => self.numpy(py, "reduce", args, kwargs, error.kind()),
        }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn accumulate<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match crate::call::reduce::accumulate(self.op, args, kwargs)? {
            Ok(result) => Ok(result),
            Err(error) => self.numpy(py, "accumulate", args, kwargs, error.kind()),
        }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn outer<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if args.len() == 2 && self.op.arity() == 2 {
            let (first, second) = (args.get_item(0)?, args.get_item(1)?);
            if let Some(column) = column(&first, &second)? {
                return self.__call__(py, &PyTuple::new(py, [column, second])?, kwargs);
            }
        }
        self.fall_back(py, "outer", args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn resolve_dtypes<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.original.bind(py).call_method("resolve_dtypes", args, kwargs)
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.op.name()
    }

    #[getter]
    fn __qualname__(&self) -> &'static str {
        self.op.name()
    }

    /// NumPy's ufunc. A descriptor of the package reads `__doc__` from it.
    #[getter]
    fn _original(&self, py: Python<'_>) -> Py<PyAny> {
        self.original.clone_ref(py)
    }

    /// Equal to NumPy's ufunc, with its hash: libraries look ufuncs up in tables.
    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> bool {
        other.is(slf) || other.is(&slf.get().original)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.original.bind(py).hash()
    }

    fn __repr__(&self) -> String {
        format!("<ufunc '{}'>", self.op.name())
    }

    fn __reduce__(&self) -> &'static str {
        self.op.name()
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.original.bind(py).getattr(name)
    }
}

/// The first array with a new last axis for each axis of the second; `None` if one of them is not an array.
fn column<'py>(first: &Bound<'py, PyAny>, second: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = first.py();
    let (first, second) = (parse_any(first)?, parse_any(second)?);
    let (Some(Value::Array(left)), Some(Value::Array(right))) = (first.value(py)?, second.value(py)?) else {
        return Ok(None);
    };
    let mut layout = left.layout().clone();
    layout.shape.extend(std::iter::repeat_n(1, right.ndim()));
    layout.strides.extend(std::iter::repeat_n(0, right.ndim()));
    if layout.shape.len() > fastnp::MAX_DIMS {
        return Ok(None);
    }
    crate::object::construct::new_object(py, to_py_result(py, left.view_as(left.dtype(), layout))?).map(Some)
}

/// Calls a ufunc object by the vectorcall protocol.
unsafe extern "C" fn vectorcall(
    this: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    flags: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls it with an object of the class that `class` makes, by the protocol: `count` arguments, then one for each of
    // the names, all of which live until this returns; the GIL is held.
    unsafe {
        let count = flags & !ARGUMENTS_OFFSET;
        if names.is_null() && (0..count).all(|i| is_plain_number(*args.add(i))) {
            // Numbers alone are mostly left to NumPy. This comes before all else, and outside of the panic guard: of the 95 ns that
            // `np.sqrt(x)` took, 15 were ours.
            let py = Python::assume_attached();
            let this = object_at(py, this).cast_unchecked::<Ufunc>();
            if count == 1
                && is_exact_on_doubles(this.get().op)
                && let Some(x) = double_of(py, *args, this.get().op)
                && let Some(value) = of_double(this.get().op, x)
                && let Ok(result) = dtype::to_scalar(py, Scalar::new(DType::F64, value))
            {
                return result.into_ptr();
            }
            return PyObject_Vectorcall(this.get().original.as_ptr(), args, flags, names);
        }
        call_python(std::ptr::null_mut(), |py| {
            let this = object_at(py, this).cast_unchecked::<Ufunc>();
            let objects = match count {
                0 => &[],
                _ => std::slice::from_raw_parts(args.cast::<Bound<'_, PyAny>>(), count),
            };
            let ours = || objects.iter().any(|object| object.is_exact_instance_of::<NdArray>());
            if names.is_null() && count == this.get().op.arity() && (ours() || objects.iter().any(is_numpys_with_axes))
            {
                return this.get().call_on_arrays(objects).map(Bound::into_ptr);
            }
            let op = this.get().op;
            let out = if names.is_null() {
                // Of a third argument of `maximum` NumPy may warn.
                let is_one_more = count == op.arity() + 1 && !matches!(op, Op::Maximum | Op::Minimum);
                objects.last().filter(|_| is_one_more).and_then(|out| out.cast_exact::<NdArray>().ok()).cloned()
            } else if count == op.arity() {
                sole_out(py, names, object_at(py, *args.add(count)))?
            } else {
                None
            };
            if let Some(out) = out
                && objects[..op.arity()].iter().any(|object| object.is_exact_instance_of::<NdArray>())
                && into(op, &objects[..op.arity()].iter().collect::<SmallVec<[_; 2]>>(), &out)?
            {
                return Ok(out.into_ptr());
            }
            if names.is_null() && objects.iter().all(|object| matches!(parse_fast(object), Ok(Arg::Number(_)))) {
                let original = this.get().original.as_ptr();
                return Bound::from_owned_ptr_or_err(py, PyObject_Vectorcall(original, args, count, names))
                    .map(Bound::into_ptr);
            }
            let positions = PyTuple::new(py, objects)?;
            if names.is_null() {
                return this.get().__call__(py, &positions, None).map(Bound::into_ptr);
            }
            let keywords = PyDict::new(py);
            for (i, name) in object_at(py, names).cast_unchecked::<PyTuple>().iter_borrowed().enumerate() {
                keywords.set_item(name, object_at(py, *args.add(count + i)))?;
            }
            this.get().__call__(py, &positions, Some(&keywords)).map(Bound::into_ptr)
        })
    }
}

/// The double that a ufunc takes a plain number for; `None` for an integer that it takes as one, and one beyond 64 bits.
///
/// # Safety
/// `object` is a live object for which [`is_plain_number`] holds, and the GIL is held.
#[inline]
unsafe fn double_of(py: Python<'_>, object: *mut ffi::PyObject, op: Op) -> Option<f64> {
    // SAFETY: the caller's contract.
    unsafe {
        if ffi::PyLong_CheckExact(object) == 0 {
            return dtype::double_at(py, object).or_else(|| Some(ffi::PyFloat_AsDouble(object)));
        }
        let mut overflow = 0;
        let integer = ffi::PyLong_AsLongLongAndOverflow(object, &mut overflow);
        (op == Op::Sqrt && overflow == 0).then_some(integer as f64)
    }
}

/// Whether [`of_double`] has results of a ufunc.
#[inline]
fn is_exact_on_doubles(op: Op) -> bool {
    matches!(
        op,
        Op::Sqrt | Op::Absolute | Op::Fabs | Op::Negative | Op::Floor | Op::Ceil | Op::Trunc | Op::Rint | Op::Square
    )
}

/// The result of a ufunc of one double if it is rounded at most once, so that it is NumPy's, and raises no flag that NumPy reports. `None`
/// leaves the call to NumPy, which takes twice as long for its dispatch.
#[inline]
fn of_double(op: Op, x: f64) -> Option<f64> {
    match op {
        _ if x.is_nan() => None,
        Op::Sqrt if x >= 0.0 => Some(x.sqrt()),
        Op::Absolute | Op::Fabs => Some(x.abs()),
        Op::Negative => Some(-x),
        Op::Floor => Some(x.floor()),
        Op::Ceil => Some(x.ceil()),
        Op::Trunc => Some(x.trunc()),
        Op::Rint => Some(x.round_ties_even()),
        Op::Square => Some(x * x).filter(|square| square.is_normal()),
        _ => None,
    }
}

/// Whether an object is a Python float or int, or a `numpy.float64`.
///
/// # Safety
/// `object` points to a live object, and the GIL is held.
#[inline(always)]
unsafe fn is_plain_number(object: *mut ffi::PyObject) -> bool {
    // SAFETY: the caller's contract.
    unsafe {
        ffi::PyFloat_CheckExact(object) != 0
            || ffi::PyLong_CheckExact(object) != 0
            || dtype::is_scalar_of(Python::assume_attached(), object, DType::F64)
    }
}

/// The array given as `out=`, if that is the only keyword and its value an array object.
///
/// # Safety
/// The names are a tuple.
unsafe fn sole_out<'py>(
    py: Python<'py>,
    names: *mut ffi::PyObject,
    value: Borrowed<'_, 'py, PyAny>,
) -> PyResult<Option<Bound<'py, NdArray>>> {
    // SAFETY: the caller's contract.
    let names = unsafe { object_at(py, names).cast_unchecked::<PyTuple>() };
    let out = names.len() == 1 && names.get_borrowed_item(0)?.cast::<PyString>()? == "out";
    Ok(value.cast_exact::<NdArray>().ok().filter(|_| out).map(|out| out.to_owned()))
}

/// Adds the class to the module, and its objects as `UFUNCS`.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let class = Callable::derive::<Ufunc>(py, c"fastnp.ufunc", false)?;
    module.add("ufunc", &class.class)?;
    let all = PyDict::new(py);
    let numpy = py.import("numpy")?;
    for &op in Op::ALL {
        let Some(original) = original_of(&numpy, op)?.map(Bound::unbind) else { continue };
        // SAFETY: the class was derived from this one, and the function is its.
        all.set_item(op.name(), unsafe { class.object(py, Ufunc { op, original }, vectorcall)? })?;
    }
    if all.is_empty() {
        return Err(PyTypeError::new_err("the op table is empty"));
    }
    module.add("UFUNCS", all)
}

/// NumPy's ufunc that an op is; `None` for one of several results of a ufunc, and for `ldexp`, whose arguments have different types.
fn original_of<'py>(numpy: &Bound<'py, PyModule>, op: Op) -> PyResult<Option<Bound<'py, PyAny>>> {
    if op == Op::Ldexp { Ok(None) } else { numpy.getattr_opt(op.name()) }
}

/// NumPy's ufunc objects with their ops: a hash table by address, with linear probing. (A linear search takes 20 ns of the 400 of
/// `scalar * array`.)
static BY_ADDRESS: PyOnceLock<OpTable> = PyOnceLock::new();
type OpTable = Box<[Option<(usize, Op)>; BUCKETS]>;
/// Several times the number of ops, so that most are found at the first probe.
const BUCKETS: usize = 512;
const _: () = assert!(BUCKETS >= 4 * Op::ALL.len());

/// The buckets to probe for an address, in order.
fn probe_sequence(address: usize) -> impl Iterator<Item = usize> {
    let first = (address >> 4).wrapping_mul(0x9e37_79b9) >> 7;
    (0..BUCKETS).map(move |i| first.wrapping_add(i) % BUCKETS)
}

fn by_address(py: Python<'_>) -> PyResult<OpTable> {
    let numpy = py.import("numpy")?;
    let mut known = Box::new([None; BUCKETS]);
    for &op in Op::ALL {
        let Some(original) = original_of(&numpy, op)? else { continue };
        let address = original.as_ptr() as usize;
        if let Some(free) = probe_sequence(address).find(|&bucket| known[bucket].is_none()) {
            known[free] = Some((address, op));
        }
    }
    Ok(known)
}

/// Calls an op natively for a call of a NumPy ufunc (`args` are the ufunc, its method and the inputs); `None` if it is left to the
/// protocol's general path.
pub(crate) fn called_by_numpy<'py>(py: Python<'py>, args: &[Bound<'py, PyAny>]) -> PyResult<Option<Bound<'py, PyAny>>> {
    let [ufunc, method, inputs @ ..] = args else { return Ok(None) };
    let Some(op) = op_of_numpys(ufunc)? else { return Ok(None) };
    // SAFETY: one of the ufuncs in NumPy's namespace.
    unsafe { ufunc_entry::replace_entry(ufunc, call_of_numpys) };
    let call = intern!(py, "__call__");
    if !(method.is(call) || method.cast::<PyString>()? == "__call__") {
        return Ok(None);
    }
    native(op, inputs)
}

/// The op of one of NumPy's ufuncs.
fn op_of_numpys(ufunc: &Bound<'_, PyAny>) -> PyResult<Option<Op>> {
    let known = BY_ADDRESS.get_or_try_init(ufunc.py(), || by_address(ufunc.py()))?;
    let address = ufunc.as_ptr() as usize;
    let found = probe_sequence(address).map_while(|bucket| known[bucket]).find(|found| found.0 == address);
    Ok(found.map(|(_, op)| op))
}

/// Calls an op natively on array objects and numbers; `None` where another class may override the ufunc.
fn native<'py>(op: Op, inputs: &[Bound<'py, PyAny>]) -> PyResult<Option<Bound<'py, PyAny>>> {
    match inputs {
        [first, second] if op.arity() == 2 => apply_native(op, first, second),
        [first] if op.arity() == 1 && first.is_exact_instance_of::<NdArray>() => unary(op, first).map(Some),
        _ => Ok(None),
    }
}

/// A call of a ufunc of NumPy's that has a version here. NumPy's function asks each argument for its `__array_ufunc__`, and calls that of an
/// array of ours with a tuple and a dictionary: 2,300 of the 5,200 instructions of `numpy.add(a, b)`.
unsafe extern "C" fn call_of_numpys(
    this: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    flags: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls it by the protocol, with the GIL held: so many arguments, which live until this returns. NumPy's is such a function.
    unsafe {
        let count = flags & !ARGUMENTS_OFFSET;
        if names.is_null() && (1..=2).contains(&count) {
            let inputs = std::slice::from_raw_parts(args.cast::<Bound<'_, PyAny>>(), count);
            // A class that derives from a number's may override the ufunc too.
            let is_known = |input| matches!(value_type(input), ValueType::Ours | ValueType::Numpys | ValueType::Plain);
            if inputs.iter().any(|input| input.is_exact_instance_of::<NdArray>()) && inputs.iter().all(is_known) {
                let found = call_python(Err(()), |py| {
                    let Some(op) = op_of_numpys(&object_at(py, this))? else { return Ok(Ok(None)) };
                    Ok(Ok(native(op, inputs)?.map(Bound::into_ptr)))
                });
                match found {
                    Ok(Some(result)) => return result,
                    Ok(None) => {}
                    Err(()) => return std::ptr::null_mut(),
                }
            }
        }
        ufunc_entry::by_numpy()(this, args, flags, names)
    }
}
