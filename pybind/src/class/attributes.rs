//! Attributes of the array class.

use crate::interop::numpy_memory::{import, numpy_of, owner_object, to_numpy};
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::exact_int::new_int;
use crate::interpreter::raw_call::{call_python, new_reference, object_at};
use crate::interpreter::sequence_items;
use crate::object::construct::{new_object, new_view_with, view_of};
use crate::object::header::NumpyArray;
use crate::object::ndarray::{NdArray, replace};
use crate::object::payload::{Open, Repr};
use crate::object::raw_slots::array_at;
use fastnp::DType;
use numpy::npyffi::{NPY_ARRAY_OWNDATA, PyArrayObject};
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyInt, PyModule, PyString, PyTuple};
use std::ffi::{CStr, c_int, c_ulong, c_void};

type Object<'py> = Bound<'py, PyAny>;

/// Assigns to the real or the imaginary part of an array, as NumPy does: a value that was made an array, up to 2.4, which casts 300 to a
/// byte; from 2.5 on as by an index, which refuses it.
fn assign_part(part: &Object<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    static IS_BY_INDEX: PyOnceLock<bool> = PyOnceLock::new();
    let (py, types) = (part.py(), dtype::types(part.py())?);
    let is_by_index = IS_BY_INDEX.get_or_try_init(py, || {
        let byte = types.as_array_of(&PyInt::new(py, 0), &dtype::descriptor(py, DType::I8)?)?;
        Ok::<_, PyErr>(byte.setattr("real", 300).is_err())
    })?;
    let value = if *is_by_index { value.clone() } else { types.as_array(value)? };
    part.set_item(py.Ellipsis(), value)
}

/// Sets an attribute by NumPy, on a view of the memory, and takes over the view's shape, strides and type.
fn set_by_numpy(this: &Bound<'_, NdArray>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = this.py();
    let array = this.open().array(py)?.clone();
    if !array.is_exported_on_device() {
        let view = numpy_of(this)?;
        view.setattr(name, value)?;
        return replace(this, import(&view)?.repr);
    }
    // NumPy cannot use exported device memory. The attribute is set on a host array of the same size, whose layout is taken over.
    let zero = fastnp::Scalar::zero(DType::U8);
    let other = to_py_result(py, fastnp::Array::full(&[array.storage_bytes()], zero, fastnp::Order::C))?;
    let other = to_py_result(py, other.view_as(array.dtype(), array.layout().clone()))?;
    let view = to_numpy(py, &other, None)?;
    view.setattr(name, value)?;
    let changed = import(&view)?;
    let changed = changed.array(py)?;
    let changed = to_py_result(py, array.view_as(changed.dtype(), changed.layout().clone()))?;
    replace(this, Repr::Dense(changed))
}

#[pymethods]
impl NdArray {
    /// Length of one array element in bytes.
    #[getter]
    fn itemsize(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.payload.open(py).dtype(py)?.size())
    }

    /// Total bytes consumed by the elements of the array.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.payload.open(py).array(py)?.nbytes())
    }

    /// View of the matrix transposed array.
    #[getter(mT)]
    fn matrix_transposed<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        let me = this.open();
        let array = me.array(this.py())?;
        let n = array.ndim() as isize;
        if n < 2 {
            return Err(PyValueError::new_err("matrix transpose with ndim < 2 is undefined"));
        }
        let axes: Vec<isize> = (0..n - 2).chain([n - 1, n - 2]).collect();
        view_of(this, to_py_result(this.py(), array.transpose(&axes))?)
    }

    /// The real part of the array.
    #[getter]
    fn real<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        let me = this.open();
        let array = me.array(this.py())?;
        if array.dtype().is_complex() { view_of(this, array.real()) } else { Ok(this.as_any().clone()) }
    }

    #[setter]
    fn set_real(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        assign_part(&NdArray::real(this)?, value)
    }

    /// The imaginary part of the array.
    #[getter]
    fn imag<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        let me = this.open();
        let array = me.array(this.py())?;
        if let Some(view) = array.imag() {
            return view_of(this, view);
        }
        let zero = fastnp::Scalar::zero(array.dtype());
        let mut zeros = to_py_result(this.py(), fastnp::Array::full(array.shape(), zero, fastnp::Order::C))?;
        zeros.set_writeable(false);
        new_object(this.py(), zeros)
    }

    #[setter]
    fn set_imag(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let view = this.open().array(this.py())?.imag();
        match view {
            Some(view) => assign_part(&new_object(this.py(), view)?, value),
            None => Err(PyTypeError::new_err("array does not have imaginary part to set")),
        }
    }

    /// Base object if memory is from some other object.
    #[getter]
    fn base<'py>(&self, py: Python<'py>) -> PyResult<Option<Object<'py>>> {
        let me = self.payload.open(py);
        if let Some(base) = &me.base {
            return Ok(Some(base.bind(py).clone().into_any()));
        }
        Ok(owner_object(py, me.array(py)?))
    }

    /// Array protocol: Python side.
    #[getter]
    fn __array_interface__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        expose(this)?.getattr("__array_interface__")
    }

    /// Array protocol: C-struct side.
    #[getter]
    fn __array_struct__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        expose(this)?.getattr("__array_struct__")
    }

    /// CUDA array interface: only if the current device is a GPU, or the memory is exported on one. The memory stays exported as long as
    /// the array lives.
    #[getter]
    fn __cuda_array_interface__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        let py = this.py();
        match this.open().array(py)?.dlpack_device() {
            Some((fastnp::CUDA, _)) => {
                py.import("fastnp._interop.interchange")?.getattr("cuda_interface")?.call1((this,))
            }
            _ => Err(PyAttributeError::new_err("the array is not on a CUDA device")),
        }
    }

    /// Python buffer object pointing to the start of the array's data.
    #[getter]
    fn data<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        numpy_of(this)?.getattr("data")
    }

    /// An object to simplify the interaction of the array with the ctypes module.
    #[getter]
    fn ctypes<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        expose(this)?.getattr("ctypes")
    }

    /// The device of the array API standard: always "cpu".
    #[getter]
    fn device(&self) -> &'static str {
        "cpu"
    }
}

/// An attribute that programs read in loops, without PyO3's wrapper (see [`crate::object::raw_slots`]): `a.ndim` takes 17 ns instead
/// of 21.
struct Attribute {
    name: &'static CStr,
    doc: &'static CStr,
    get: Getter,
    /// Whether it may be set.
    is_set: bool,
}

/// How an attribute is read.
enum Getter {
    /// By a function that may fail.
    Checked(for<'py> fn(&Bound<'py, NdArray>) -> PyResult<Object<'py>>),
    /// By a C function that neither fails nor panics.
    Plain(ffi::getter),
}

static ATTRIBUTES: [Attribute; 7] = [
    Attribute {
        name: c"flags",
        doc: c"Information about the memory layout of the array.",
        get: Getter::Plain(flags_by_numpy),
        is_set: false,
    },
    Attribute { name: c"shape", doc: c"Tuple of array dimensions.", get: Getter::Plain(shape_of_array), is_set: true },
    Attribute {
        name: c"strides",
        doc: c"Tuple of bytes to step in each dimension when traversing an array.",
        get: Getter::Checked(strides),
        is_set: true,
    },
    Attribute {
        name: c"dtype",
        doc: c"Data-type of the array's elements.",
        get: Getter::Plain(descriptor_in_header),
        is_set: true,
    },
    Attribute { name: c"ndim", doc: c"Number of array dimensions.", get: Getter::Checked(ndim), is_set: false },
    Attribute { name: c"size", doc: c"Number of elements in the array.", get: Getter::Checked(size), is_set: false },
    Attribute { name: c"T", doc: c"View of the transposed array.", get: Getter::Checked(transposed), is_set: false },
];

/// The flag of types that are made at run time.
const HEAP_TYPE: c_ulong = 1 << 9;

/// NumPy's object for the flags of an array.
#[repr(C)]
struct FlagsObject {
    head: ffi::PyObject,
    array: *mut ffi::PyObject,
    flags: c_int,
}

/// The entry of NumPy's attribute in the table of its class, and the class of what it makes, if that is laid out as [`FlagsObject`].
struct NumpysFlags {
    get: ffi::getter,
    closure: *mut c_void,
    class: Option<*mut ffi::PyTypeObject>,
}

// SAFETY: the pointer is handed to the function only, with the GIL held.
unsafe impl Send for NumpysFlags {}
// SAFETY: as above.
unsafe impl Sync for NumpysFlags {}

static FLAGS: PyOnceLock<NumpysFlags> = PyOnceLock::new();

fn flags_of_numpy(py: Python<'_>) -> PyResult<NumpysFlags> {
    // SAFETY: the table of NumPy's class is its own variable, which ends with an entry without a name and lasts as long as the process.
    unsafe {
        let mut entry =
            ffi::PyType_GetSlot(NumpyArray::type_object_raw(py), ffi::Py_tp_getset).cast::<ffi::PyGetSetDef>();
        while !entry.is_null() && !(*entry).name.is_null() {
            if CStr::from_ptr((*entry).name) == c"flags"
                && let Some(get) = (*entry).get
            {
                let closure = (*entry).closure;
                return Ok(NumpysFlags { get, closure, class: class_of_flags(py, get, closure)? });
            }
            entry = entry.add(1);
        }
    }
    Err(PyTypeError::new_err("numpy.ndarray.flags is no attribute of its class"))
}

/// The class of what NumPy's getter makes, if its objects are made of a reference to the array and its flags alone.
///
/// # Safety
/// The function is the getter, and the closure its own.
unsafe fn class_of_flags(
    py: Python<'_>,
    get: ffi::getter,
    closure: *mut c_void,
) -> PyResult<Option<*mut ffi::PyTypeObject>> {
    let array = dtype::types(py)?.as_array(&PyInt::new(py, 0))?;
    // SAFETY: the caller's contract; an array of NumPy's, and a new object of the getter's, which is read where its class has the size.
    unsafe {
        let made = Bound::from_owned_ptr_or_err(py, get(array.as_ptr(), closure))?;
        let class = made.get_type();
        let is_simple = ffi::PyType_GetFlags(class.as_type_ptr()) & (ffi::Py_TPFLAGS_HAVE_GC | HEAP_TYPE) == 0
            && class.getattr("__basicsize__")?.extract::<usize>()? == size_of::<FlagsObject>();
        let known = made.as_ptr().cast::<FlagsObject>();
        let is_as_assumed = is_simple
            && (*known).array == array.as_ptr()
            && (*known).flags == (*array.as_ptr().cast::<PyArrayObject>()).fields.flags;
        Ok(is_as_assumed.then(|| class.as_type_ptr()))
    }
}

/// NumPy's object, which sets a flag by the array's `setflags`.
fn flags<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    let py = this.py();
    let numpys = FLAGS.get_or_try_init(py, || flags_of_numpy(py))?;
    // SAFETY: an array of a class that derives from NumPy's; the function returns a new reference to a new object of NumPy's.
    unsafe {
        let flags = Bound::from_owned_ptr_or_err(py, (numpys.get)(this.as_ptr(), numpys.closure))?;
        let me = this.open();
        // A selection that is not compacted has memory of its own.
        if me.base.is_none() && me.dense().is_none_or(|array| owner_object(py, array).is_none()) {
            // The header does not say so, because NumPy would free or reallocate the memory.
            (*flags.as_ptr().cast::<FlagsObject>()).flags |= NPY_ARRAY_OWNDATA;
        }
        Ok(flags)
    }
}

/// [`flags`], without NumPy's getter and a frame for errors and panics, where the class of the object is known and the array is dense on memory
/// of the engine.
unsafe extern "C" fn flags_by_numpy(this: *mut ffi::PyObject, _attribute: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: Python calls it with an object of the class and the GIL held. The object is as large as its class says, and has what NumPy's getter
    // writes.
    unsafe {
        let py = Python::assume_attached();
        let array = array_at(py, this);
        let (is_plain, is_base) = {
            let me = array.get().payload.peek();
            let is_plain = matches!(&me.repr, Repr::Dense(dense) if dense.owner().is_none());
            (is_plain, me.base.is_none())
        };
        let Some(class) = FLAGS.get(py).and_then(|numpys| numpys.class.filter(|_| is_plain)) else {
            return call_python(std::ptr::null_mut(), |_| flags(&array).map(Bound::into_ptr));
        };
        let made = ffi::PyObject_New::<FlagsObject>(class);
        if !made.is_null() {
            let own = if is_base { NPY_ARRAY_OWNDATA } else { 0 };
            (*made).array = new_reference(this);
            (*made).flags = (*this.cast::<PyArrayObject>()).fields.flags | own;
        }
        made.cast()
    }
}

/// The shape. A dense array has one without an error, and the tuple is made as NumPy makes it: 5 of 49 ns.
unsafe extern "C" fn shape_of_array(this: *mut ffi::PyObject, _attribute: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: Python calls it with an object of the class and the GIL held.
    unsafe {
        let array = array_at(Python::assume_attached(), this);
        // A tuple of numbers is made without code of Python's.
        if let Repr::Dense(dense) = &array.get().payload.peek().repr {
            return tuple_of(dense.shape());
        }
        call_python(std::ptr::null_mut(), |py| Ok(PyTuple::new(py, array.open().array(py)?.shape())?.into_ptr()))
    }
}

/// A tuple of extents; null with an exception set if there is no memory.
///
/// # Safety
/// The GIL is held.
unsafe fn tuple_of(extents: &[usize]) -> *mut ffi::PyObject {
    // SAFETY: the caller's contract. A new tuple takes over the reference to each item, at a place that it has.
    unsafe {
        let tuple = ffi::PyTuple_New(extents.len() as ffi::Py_ssize_t);
        let items = if tuple.is_null() { tuple.cast() } else { sequence_items::of_tuple(tuple) };
        for (i, &extent) in extents.iter().enumerate() {
            let item = if tuple.is_null() { tuple } else { new_int(extent as i64) };
            if item.is_null() {
                ffi::Py_XDECREF(tuple);
                return item;
            }
            match items.is_null() {
                false => items.add(i).write(item),
                true => _ = ffi::PyTuple_SetItem(tuple, i as ffi::Py_ssize_t, item),
            }
        }
        tuple
    }
}

fn strides<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    Ok(PyTuple::new(this.py(), this.open().array(this.py())?.strides())?.into_any())
}

/// The `numpy.dtype` in the header, as NumPy's own getter reads it: 6 ns less than through the payload.
unsafe extern "C" fn descriptor_in_header(this: *mut ffi::PyObject, _attribute: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: Python calls it with an object of the class, whose header holds a reference to its type.
    unsafe { new_reference((*this.cast::<PyArrayObject>()).fields.descr.cast()) }
}

fn ndim<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    let me = this.open();
    let n = if me.selection().is_some() { 1 } else { me.array(this.py())?.ndim() };
    Ok(n.into_pyobject(this.py())?.into_any())
}

fn size<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    let (py, me) = (this.py(), this.open());
    let n = match me.selection() {
        Some(selection) => to_py_result(py, selection.count())?,
        None => me.array(py)?.size(),
    };
    Ok(n.into_pyobject(py)?.into_any())
}

fn transposed<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    let (py, me) = (this.py(), this.open());
    let array = me.array(py)?;
    let view = new_view_with(this, &me, array, |view| {
        view.set_transpose_of(array);
        Ok(())
    })?;
    to_py_result(py, view)
}

/// The getter of every [`Attribute`] that is read by a checked one.
unsafe extern "C" fn get_attribute(this: *mut ffi::PyObject, attribute: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: Python calls it with an object of the class, the closure of the definition, and the GIL held.
    unsafe {
        call_python(std::ptr::null_mut(), |py| match (*attribute.cast::<Attribute>()).get {
            Getter::Checked(get) => get(&array_at(py, this)).map(Bound::into_ptr),
            Getter::Plain(get) => Ok(get(this, attribute)),
        })
    }
}

/// The setter of every [`Attribute`] that may be set.
unsafe extern "C" fn set_attribute(
    this: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    attribute: *mut c_void,
) -> c_int {
    // SAFETY: as in `get_attribute`; the value lives as long as the call.
    unsafe {
        let name = (*attribute.cast::<Attribute>()).name.to_string_lossy();
        call_python(-1, |py| {
            if value.is_null() {
                return Err(PyAttributeError::new_err(format!("Cannot delete array {name}")));
            }
            set_by_numpy(&array_at(py, this), &name, &object_at(py, value)).map(|()| 0)
        })
    }
}

/// Adds [`ATTRIBUTES`] to the class.
fn add_attributes(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<NdArray>();
    for attribute in &ATTRIBUTES {
        // A descriptor keeps a pointer to its definition, and lives until the process ends.
        let get = match attribute.get {
            Getter::Checked(_) => get_attribute,
            Getter::Plain(get) => get,
        };
        let definition = Box::leak(Box::new(ffi::PyGetSetDef {
            name: attribute.name.as_ptr(),
            get: Some(get),
            set: attribute.is_set.then_some(set_attribute as ffi::setter),
            doc: attribute.doc.as_ptr(),
            closure: std::ptr::from_ref(attribute).cast_mut().cast(),
        }));
        // SAFETY: a type object and a definition that is leaked.
        let descriptor =
            unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyDescr_NewGetSet(class.as_type_ptr(), definition))? };
        class.setattr(PyString::new(py, &attribute.name.to_string_lossy()), descriptor)?;
    }
    Ok(())
}

/// The NumPy array of an array whose address is passed on. From then on its memory counts as shared, because the address may be used
/// at any time.
///
/// # Errors
/// `BufferError` if the memory is exported on a device, and has no address on the host.
fn expose<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    to_py_result(this.py(), this.open().array(this.py())?.expose())?;
    numpy_of(this)
}

/// `layout_flags(x)`: whether `x` is dense in row-major order, dense in column-major order, and writeable. It evaluates nothing.
#[pyfunction]
fn layout_flags(py: Python<'_>, x: &NdArray) -> PyResult<(bool, bool, bool)> {
    let me = x.payload.open(py);
    let array = me.array(py)?;
    Ok((array.is_c_contiguous(), array.is_f_contiguous(), array.is_writeable()))
}

/// `set_writeable(x, value)`: permits or forbids assignment to elements of `x`; other views of the memory keep their own flag.
#[pyfunction]
fn set_writeable(x: &Bound<'_, NdArray>, value: bool) -> PyResult<()> {
    let mut array = x.open().array(x.py())?.clone();
    array.set_writeable(value);
    replace(x, Repr::Dense(array))
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_attributes(module.py())?;
    module.add_function(wrap_pyfunction!(layout_flags, module)?)?;
    module.add_function(wrap_pyfunction!(set_writeable, module)?)
}
