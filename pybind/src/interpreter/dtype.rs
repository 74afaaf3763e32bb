//! NumPy's dtypes and scalars, to and from the core's types and scalars.

use crate::interpreter::protocol;
use fastnp::{DType, Scalar};
use numpy::npyffi::{self, PY_ARRAY_API};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyString, PyType};
use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// NumPy's type numbers, in the order of [`DType::ALL`].
const TYPE_NUMBERS: [i32; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 23, 11, 12, 14, 15];
const HALF: i32 = 23;

/// NumPy's objects that are looked up once.
pub(crate) struct Types {
    /// `numpy.dtype` objects, in the order of [`DType::ALL`].
    descriptors: Vec<Py<PyAny>>,
    /// Scalar types, in the same order.
    scalars: Vec<Py<PyType>>,
    /// `numpy.generic`.
    pub(crate) generic: Py<PyType>,
    /// `numpy.ndarray`.
    pub(crate) array: Py<PyType>,
    /// `numpy.dtype`.
    dtype: Py<PyAny>,
    asarray: Py<PyAny>,
    /// The index of the dtype that was requested last.
    requested: AtomicUsize,
    /// The allocation function of each scalar type but `bool`, of which NumPy has two static objects.
    allocators: [Option<ffi::allocfunc>; 14],
}

impl Types {
    /// The scalar types, in the order of [`DType::ALL`].
    pub(crate) fn scalars(&self) -> impl Iterator<Item = &Py<PyType>> {
        self.scalars.iter()
    }

    /// `numpy.asarray(object)`.
    pub(crate) fn as_array<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.asarray.bind(object.py()).call1((object,))
    }

    /// `numpy.asarray(object, dtype)`.
    pub(crate) fn as_array_of<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        dtype: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.asarray.bind(object.py()).call1((object, dtype))
    }
}

static TYPES: PyOnceLock<Types> = PyOnceLock::new();

/// NumPy's types; the first call imports NumPy.
pub(crate) fn types(py: Python<'_>) -> PyResult<&'static Types> {
    TYPES.get_or_try_init(py, || {
        let numpy = py.import("numpy")?;
        let dtype = numpy.getattr("dtype")?;
        let mut descriptors = Vec::new();
        let mut scalars = Vec::new();
        for d in DType::ALL {
            let descriptor = dtype.call1((d.name(),))?;
            scalars.push(descriptor.getattr("type")?.cast_into::<PyType>()?.unbind());
            RAW[d as usize].store(descriptor.as_ptr(), Ordering::Relaxed);
            descriptors.push(descriptor.unbind());
        }
        let allocators = DType::ALL.map(|d| match d {
            DType::Bool => None,
            // SAFETY: every type has this slot, and the slot this signature.
            _ => unsafe {
                let kind = scalars[d as usize].as_ptr().cast::<ffi::PyTypeObject>();
                std::mem::transmute::<*mut c_void, Option<ffi::allocfunc>>(ffi::PyType_GetSlot(kind, ffi::Py_tp_alloc))
            },
        });
        Ok(Types {
            descriptors,
            scalars,
            generic: numpy.getattr("generic")?.cast_into::<PyType>()?.unbind(),
            array: numpy.getattr("ndarray")?.cast_into::<PyType>()?.unbind(),
            dtype: dtype.unbind(),
            asarray: numpy.getattr("asarray")?.unbind(),
            requested: AtomicUsize::new(DType::F64 as usize),
            allocators,
        })
    })
}

/// The `numpy.dtype` of a core type.
pub(crate) fn descriptor(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    Ok(types(py)?.descriptors[dtype as usize].bind(py).clone())
}

/// The descriptors of [`Types`], which live as long as the process, for code that reads one at each operation.
static RAW: [AtomicPtr<ffi::PyObject>; DType::ALL.len()] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; DType::ALL.len()];

/// [`descriptor`] as a borrowed pointer. Null before [`types`] was called.
#[inline(always)]
pub(crate) fn raw_descriptor(dtype: DType) -> *mut ffi::PyObject {
    RAW[dtype as usize].load(Ordering::Relaxed)
}

/// The core types by NumPy's type numbers; `long long` is an int64 as in NumPy.
const BY_NUMBER: [Option<DType>; HALF as usize + 1] = {
    let mut types = [None; HALF as usize + 1];
    let mut i = 0;
    while i < TYPE_NUMBERS.len() {
        types[TYPE_NUMBERS[i] as usize] = Some(DType::ALL[i]);
        i += 1;
    }
    types[9] = Some(DType::I64);
    types[10] = Some(DType::U64);
    types
};

/// The core type of a NumPy type number.
pub(crate) fn from_number(number: i32) -> Option<DType> {
    BY_NUMBER.get(usize::try_from(number).ok()?).copied().flatten()
}

/// The core type of a `numpy.dtype`; `None` if there is no such type, or it has metadata, which arrays of ours do not keep.
pub(crate) fn of_descriptor(descriptor: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    if !descriptor.is_instance(types(descriptor.py())?.dtype.bind(descriptor.py()))? {
        return Ok(None);
    }
    // SAFETY: the class was checked.
    unsafe { of_descriptor_unchecked(descriptor) }
}

/// [`of_descriptor`] of the type of an array.
///
/// # Safety
/// The object is a `numpy.dtype`.
#[inline]
pub(crate) unsafe fn of_descriptor_unchecked(descriptor: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    // SAFETY: the object is a `numpy.dtype`, which begins with these fields.
    let number = unsafe { (*descriptor.as_ptr().cast::<npyffi::PyArray_Descr>()).fields.type_num };
    let Some(dtype) = from_number(number) else { return Ok(None) };
    // Nearly all arrays of a type share one object.
    if raw_descriptor(dtype) == descriptor.as_ptr() { Ok(Some(dtype)) } else { of_other_descriptor(descriptor, dtype) }
}

/// [`of_descriptor`] of an object that has the number of a core type but is not the usual one of that type.
#[cold]
fn of_other_descriptor(descriptor: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<DType>> {
    if types(descriptor.py())?.descriptors[dtype as usize].is(descriptor) {
        return Ok(Some(dtype));
    }
    let is_plain = descriptor.getattr("isnative")?.is_truthy()? && descriptor.getattr("metadata")?.is_none();
    Ok(is_plain.then_some(dtype))
}

/// Whether an object is the scalar type of a core type: `numpy.float64`.
pub(crate) fn is_scalar_type(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(types(object.py())?.scalars.iter().any(|scalar| object.is(scalar)))
}

/// The value of a `dtype=` argument: a core type, or another one of NumPy's.
pub(crate) enum RequestedType {
    Native(DType),
    Other,
}

/// Whether a `dtype=` argument is `object`, or a list, which names the fields of a record: of types that are NumPy's alone. It takes .2 to 5 µs to
/// find the type, and will again.
#[inline]
pub(crate) fn is_numpys_alone(value: &Bound<'_, PyAny>) -> bool {
    value.as_ptr() == PyAny::type_object_raw(value.py()).cast() || value.is_exact_instance_of::<PyList>()
}

/// Whether a `dtype=` argument is one of the objects that usually stand for a core type.
pub(crate) fn stands_for(value: &Bound<'_, PyAny>, dtype: DType) -> bool {
    let is_numpys =
        |types: &Types| value.is(&types.scalars[dtype as usize]) || value.is(&types.descriptors[dtype as usize]);
    from_python_type(value) == Some(dtype) || TYPES.get(value.py()).is_some_and(is_numpys)
}

/// Reads a `dtype=` argument as NumPy does.
pub(crate) fn requested(value: &Bound<'_, PyAny>) -> PyResult<RequestedType> {
    let py = value.py();
    let types = types(py)?;
    let is = |d: DType| value.is(&types.scalars[d as usize]) || value.is(&types.descriptors[d as usize]);
    // Programs request the same type repeatedly.
    let last = DType::ALL[types.requested.load(Ordering::Relaxed)];
    if is(last) {
        return Ok(RequestedType::Native(last));
    }
    // Python's own types are five, NumPy's two objects for each of the core's.
    if let Some(d) = from_python_type(value) {
        return Ok(RequestedType::Native(d));
    }
    if is_numpys_alone(value) {
        return Ok(RequestedType::Other);
    }
    for d in DType::ALL {
        if is(d) {
            types.requested.store(d as usize, Ordering::Relaxed);
            return Ok(RequestedType::Native(d));
        }
    }
    if let Some(d) = from_name(value) {
        return Ok(RequestedType::Native(d));
    }
    let descriptor = types.dtype.bind(py).call1((value,))?;
    Ok(of_descriptor(&descriptor)?.map_or(RequestedType::Other, RequestedType::Native))
}

/// The type that a type's name stands for.
fn from_name(value: &Bound<'_, PyAny>) -> Option<DType> {
    let name = value.cast_exact::<PyString>().ok()?.to_str().ok()?;
    // Codes like "f8": a letter for the kind, then the size in bytes.
    let short = name.get(1..).and_then(|size| size.parse::<usize>().ok());
    DType::ALL.into_iter().find(|d| {
        d.name() == name || short == Some(d.size()) && name.as_bytes()[0] == d.name().as_bytes()[0] && *d != DType::Bool
    })
}

/// The type that one of Python's own types stands for.
#[inline]
fn from_python_type(value: &Bound<'_, PyAny>) -> Option<DType> {
    let py = value.py();
    // Types are compared by address: a `Bound` of each would be counted.
    if value.as_ptr() == PyFloat::type_object_raw(py).cast() {
        Some(DType::F64)
    } else if value.as_ptr() == PyInt::type_object_raw(py).cast() {
        Some(DType::I64)
    } else if value.as_ptr() == PyBool::type_object_raw(py).cast() {
        Some(DType::Bool)
    } else if value.as_ptr() == PyComplex::type_object_raw(py).cast() {
        Some(DType::C128)
    } else {
        None
    }
}

/// A NumPy scalar with a value.
#[inline]
pub(crate) fn to_scalar<'py>(py: Python<'py>, value: Scalar) -> PyResult<Bound<'py, PyAny>> {
    let mut bytes = value.bytes();
    let types = types(py)?;
    let dtype = value.dtype();
    if let Some(allocate) = types.allocators[dtype as usize] {
        // SAFETY: the type allocates an object of its own, which ends with room for a value (see `of_scalar`).
        // `PyArray_Scalar` takes 85 instructions more, a tenth of `a[3]`.
        unsafe {
            let kind = types.scalars[dtype as usize].as_ptr().cast::<ffi::PyTypeObject>();
            let scalar = Bound::from_owned_ptr_or_err(py, allocate(kind, 0))?;
            let room = scalar.as_ptr().cast::<u8>().add(size_of::<ffi::PyObject>());
            match dtype.size() {
                8 => room.cast::<u64>().write(value.bits() as u64),
                4 => room.cast::<u32>().write(value.bits() as u32),
                size => std::ptr::copy_nonoverlapping(bytes.as_ptr(), room, size),
            }
            return Ok(scalar);
        }
    }
    let descriptor = types.descriptors[dtype as usize].as_ptr();
    // SAFETY: the bytes hold a value of the descriptor's type; NumPy copies them and returns a new reference.
    unsafe {
        let scalar = PY_ARRAY_API.PyArray_Scalar(
            py,
            bytes.as_mut_ptr().cast(),
            descriptor.cast::<npyffi::PyArray_Descr>(),
            std::ptr::null_mut(),
        );
        Bound::from_owned_ptr_or_err(py, scalar)
    }
}

/// A Python number with a value, as `item()` returns it.
pub(crate) fn to_python<'py>(py: Python<'py>, value: Scalar) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value.dtype() {
        DType::Bool => PyBool::new(py, value.truth()).to_owned().into_any(),
        DType::F16 | DType::F32 | DType::F64 => PyFloat::new(py, value.to_f64()).into_any(),
        DType::C64 | DType::C128 => {
            let value = value.to_complex();
            PyComplex::from_doubles(py, value.re, value.im).into_any()
        }
        DType::U64 => (value.to_i64() as u64).into_pyobject(py)?.into_any(),
        _ => value.to_i64().into_pyobject(py)?.into_any(),
    })
}

/// Whether an object is exactly a NumPy scalar of a core type. False before NumPy's types were looked up.
///
/// # Safety
/// `object` points to a live object.
#[inline(always)]
pub(crate) unsafe fn is_scalar_of(py: Python<'_>, object: *mut ffi::PyObject, dtype: DType) -> bool {
    // SAFETY: every object has a type.
    let kind = unsafe { ffi::Py_TYPE(object) };
    TYPES.get(py).is_some_and(|types| types.scalars[dtype as usize].as_ptr() == kind.cast())
}

/// The value of an object that is exactly a NumPy scalar of a core type.
///
/// # Safety
/// `object` points to a live object.
#[inline(always)]
pub(crate) unsafe fn scalar_of(py: Python<'_>, object: *mut ffi::PyObject, dtype: DType) -> Option<Scalar> {
    // SAFETY: the caller's contract.
    unsafe { is_scalar_of(py, object, dtype).then(|| value_of(object, dtype)) }
}

/// The value of a NumPy scalar.
///
/// # Safety
/// `object` points to a live scalar of exactly this type.
#[inline(always)]
unsafe fn value_of(object: *mut ffi::PyObject, dtype: DType) -> Scalar {
    // SAFETY: the value follows the header of every Python object (`arrayscalars.h`); it is aligned to eight bytes at most, as complex numbers
    // are pairs.
    let bits = unsafe {
        let value = object.add(1).cast::<u64>();
        match dtype.size() {
            1 => u128::from(value.cast::<u8>().read()),
            2 => u128::from(value.cast::<u16>().read()),
            4 => u128::from(value.cast::<u32>().read()),
            8 => u128::from(value.read()),
            _ => u128::from(value.read()) | u128::from(value.add(1).read()) << 64,
        }
    };
    Scalar::from_bits(dtype, bits)
}

/// The value of an object that is exactly a `numpy.float64`.
///
/// # Safety
/// `object` points to a live object.
#[inline(always)]
pub(crate) unsafe fn double_at(py: Python<'_>, object: *mut ffi::PyObject) -> Option<f64> {
    // SAFETY: the caller's contract; the value of such a scalar follows its header. (`PyFloat_AsDouble` looks for its class among the derived
    // ones, 3 ns.)
    unsafe { is_scalar_of(py, object, DType::F64).then(|| object.add(1).cast::<f64>().read()) }
}

/// The value of an object that is exactly a `numpy.int64`.
///
/// # Safety
/// `object` points to a live object.
#[inline]
pub(crate) unsafe fn int64_at(py: Python<'_>, object: *mut ffi::PyObject) -> Option<i64> {
    // SAFETY: the caller's contract; the value of such a scalar follows its header.
    unsafe { is_scalar_of(py, object, DType::I64).then(|| object.add(1).cast::<i64>().read()) }
}

/// The value of an object that is exactly a `numpy.float32`.
///
/// # Safety
/// `object` points to a live object.
#[inline]
pub(crate) unsafe fn float32_at(py: Python<'_>, object: *mut ffi::PyObject) -> Option<f32> {
    // SAFETY: the caller's contract; the value of such a scalar follows its header.
    unsafe { is_scalar_of(py, object, DType::F32).then(|| object.add(1).cast::<f32>().read()) }
}

/// The value of a NumPy scalar of exactly a type of at most eight bytes, extended with zeros.
#[cfg(feature = "loops")]
pub(crate) fn bits_of_scalar(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<u64>> {
    if !object.is_exact_instance(types(object.py())?.scalars[dtype as usize].bind(object.py())) {
        return Ok(None);
    }
    // SAFETY: the object is exactly a scalar of this type.
    Ok(Some(unsafe { value_of(object.as_ptr(), dtype) }.bits() as u64))
}

/// The value of a NumPy scalar, if the core has its type.
#[inline]
pub(crate) fn of_scalar(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    let types = types(object.py())?;
    // SAFETY: every object has a type.
    let kind = unsafe { ffi::Py_TYPE(object.as_ptr()) };
    // Most scalars are float64, so it is compared first.
    let of = |dtype: &DType| types.scalars[*dtype as usize].as_ptr() == kind.cast();
    match Some(DType::F64).filter(of).or_else(|| DType::ALL.into_iter().find(of)) {
        // SAFETY: the object is exactly a scalar of this type.
        Some(dtype) => Ok(Some(unsafe { value_of(object.as_ptr(), dtype) })),
        None => of_other_scalar(object, types),
    }
}

/// [`of_scalar`] of a type that is not in the table: `long long`, or a class derived from a scalar type. One with its own version of ufuncs has
/// to be asked for it, so it is no number here.
fn of_other_scalar(object: &Bound<'_, PyAny>, types: &Types) -> PyResult<Option<Scalar>> {
    let py = object.py();
    // The real type, not `isinstance`, which an object can fake: the value is read from the object's memory.
    // SAFETY: every object has a type, and the other is one.
    let is_scalar = unsafe {
        ffi::PyType_IsSubtype(ffi::Py_TYPE(object.as_ptr()), types.generic.as_ptr().cast::<ffi::PyTypeObject>()) != 0
    };
    if !is_scalar || protocol::has(&object.get_type(), intern!(py, "__array_ufunc__"))? {
        return Ok(None);
    }
    let Some(dtype) = of_descriptor(&object.getattr("dtype")?)? else { return Ok(None) };
    let mut bytes = [0u8; 16];
    // SAFETY: the object is a NumPy scalar of that type, at most 16 bytes large.
    unsafe { PY_ARRAY_API.PyArray_ScalarAsCtype(py, object.as_ptr(), bytes.as_mut_ptr().cast()) };
    Ok(Some(Scalar::from_bits(dtype, u128::from_le_bytes(bytes))))
}

/// The `TypeError` for a type that the core does not have.
#[cold]
pub(crate) fn not_native(name: &str) -> PyErr {
    PyTypeError::new_err(format!("{name} is not a native dtype"))
}
