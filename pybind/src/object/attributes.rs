//! Attributes of arrays.

use crate::call::dtype;
use crate::deliver;
use crate::interop::foreign::{import, numpy_of, owner_object, to_numpy};
use crate::object::ndarray::{NdArray, object, view_laid, view_of};
use crate::object::payload::{Contents, Open, Repr};
use crate::object::raw_slots::{answer, array_at, object_at};
use fastnp::DType;
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyModule, PyString, PyTuple};
use std::ffi::{CStr, c_int, c_void};

type Object<'py> = Bound<'py, PyAny>;

/// Sets an attribute as NumPy does: on a view of the memory, whose shape, strides and type this array then takes over.
fn set_by_numpy(this: &Bound<'_, NdArray>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = this.py();
    let array = this.open().array(py)?.clone();
    if !array.is_lent() {
        let view = numpy_of(this)?;
        view.setattr(name, value)?;
        return this.get().contents.replace(py, import(&view)?.repr);
    }
    // NumPy may not have this memory. It tells by other memory that is as large how the array would lie there.
    let zero = fastnp::Scalar::zero(DType::U8);
    let other = deliver(py, fastnp::Array::full(&[array.storage_bytes()], zero, fastnp::Order::C))?;
    let other = deliver(py, other.view_as(array.dtype(), array.layout().clone()))?;
    let view = to_numpy(py, &other, None)?;
    view.setattr(name, value)?;
    let changed = import(&view)?;
    let changed = changed.array(py)?;
    let changed = deliver(py, array.view_as(changed.dtype(), changed.layout().clone()))?;
    this.get().contents.replace(py, Repr::Dense(changed))
}

#[pymethods]
impl NdArray {
    /// Length of one array element in bytes.
    #[getter]
    fn itemsize(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(dtype_of(py, &self.contents.open(py))?.size())
    }

    /// Total bytes consumed by the elements of the array.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.contents.open(py).array(py)?.nbytes())
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
        view_of(this, deliver(this.py(), array.transpose(&axes))?)
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
        NdArray::real(this)?.set_item(this.py().Ellipsis(), value)
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
        let mut zeros = deliver(this.py(), fastnp::Array::full(array.shape(), zero, fastnp::Order::C))?;
        zeros.set_writeable(false);
        object(this.py(), zeros)
    }

    #[setter]
    fn set_imag(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let view = this.open().array(this.py())?.imag();
        match view {
            Some(view) => object(this.py(), view)?.set_item(this.py().Ellipsis(), value),
            None => Err(PyTypeError::new_err("array does not have imaginary part to set")),
        }
    }

    /// Information about the memory layout of the array.
    #[getter]
    fn flags<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        this.py().import("fastnp._array.flags")?.getattr("flagsobj")?.call1((this,))
    }

    /// Base object if memory is from some other object.
    #[getter]
    fn base<'py>(&self, py: Python<'py>) -> PyResult<Option<Object<'py>>> {
        let me = self.contents.open(py);
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

    /// CUDA array interface: there only where arrays are computed on a GPU, or the memory is one's already. The memory is lent for as
    /// long as the array lives.
    #[getter]
    fn __cuda_array_interface__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        let py = this.py();
        match this.open().array(py)?.place() {
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

    /// Where the array is to be found: always "cpu".
    #[getter]
    fn device(&self) -> &'static str {
        "cpu"
    }
}

/// An attribute that programs ask for in loops, with nothing of PyO3 between (see [`crate::object::raw_slots`]): `a.ndim` takes 17 ns instead
/// of 21.
struct Attribute {
    name: &'static CStr,
    doc: &'static CStr,
    get: for<'py> fn(&Bound<'py, NdArray>) -> PyResult<Object<'py>>,
    /// Whether it may be set.
    is_set: bool,
}

static ATTRIBUTES: [Attribute; 6] = [
    Attribute { name: c"shape", doc: c"Tuple of array dimensions.", get: shape, is_set: true },
    Attribute {
        name: c"strides",
        doc: c"Tuple of bytes to step in each dimension when traversing an array.",
        get: strides,
        is_set: true,
    },
    Attribute { name: c"dtype", doc: c"Data-type of the array's elements.", get: dtype, is_set: true },
    Attribute { name: c"ndim", doc: c"Number of array dimensions.", get: ndim, is_set: false },
    Attribute { name: c"size", doc: c"Number of elements in the array.", get: size, is_set: false },
    Attribute { name: c"T", doc: c"View of the transposed array.", get: transposed, is_set: false },
];

fn shape<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    Ok(PyTuple::new(this.py(), this.open().array(this.py())?.shape())?.into_any())
}

fn strides<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    Ok(PyTuple::new(this.py(), this.open().array(this.py())?.strides())?.into_any())
}

fn dtype<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    dtype::descriptor(this.py(), dtype_of(this.py(), &this.open())?)
}

fn ndim<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    let me = this.open();
    let n = if me.selection().is_some() { 1 } else { me.array(this.py())?.ndim() };
    Ok(n.into_pyobject(this.py())?.into_any())
}

fn size<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    let (py, me) = (this.py(), this.open());
    let n = match me.selection() {
        Some(selection) => deliver(py, selection.count())?,
        None => me.array(py)?.size(),
    };
    Ok(n.into_pyobject(py)?.into_any())
}

fn transposed<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    let (py, me) = (this.py(), this.open());
    let array = me.array(py)?;
    let view = view_laid(this, &me, array, |view| {
        view.become_transposed(array);
        Ok(())
    })?;
    deliver(py, view)
}

/// What gives an attribute.
unsafe extern "C" fn give(this: *mut ffi::PyObject, attribute: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: Python calls it with one of the class's objects, what the definition says, and the GIL held.
    unsafe {
        let attribute = &*attribute.cast::<Attribute>();
        answer(std::ptr::null_mut(), |py| (attribute.get)(&array_at(py, this)).map(Bound::into_ptr))
    }
}

/// What sets an attribute.
unsafe extern "C" fn take(this: *mut ffi::PyObject, value: *mut ffi::PyObject, attribute: *mut c_void) -> c_int {
    // SAFETY: as in `give`; the value lives as long as the call.
    unsafe {
        let name = (*attribute.cast::<Attribute>()).name.to_string_lossy();
        answer(-1, |py| {
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
        // A descriptor holds its definition for as long as it lives, which is as long as the process.
        let definition = Box::leak(Box::new(ffi::PyGetSetDef {
            name: attribute.name.as_ptr(),
            get: Some(give),
            set: attribute.is_set.then_some(take as ffi::setter),
            doc: attribute.doc.as_ptr(),
            closure: std::ptr::from_ref(attribute).cast_mut().cast(),
        }));
        // SAFETY: a type object and a definition that lives for good.
        let descriptor =
            unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyDescr_NewGetSet(class.as_type_ptr(), definition))? };
        class.setattr(PyString::new(py, &attribute.name.to_string_lossy()), descriptor)?;
    }
    Ok(())
}

/// The NumPy array of an array whose address is given away: who has it does not say when it is used no more.
///
/// # Errors
/// `BufferError` where the memory is lent on a device, and has no address on the host.
fn expose<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    deliver(this.py(), this.open().array(this.py())?.expose())?;
    numpy_of(this)
}

/// The engine type of an array or a selection.
pub(crate) fn dtype_of(py: Python<'_>, array: &Contents) -> PyResult<DType> {
    match array.selection() {
        Some(selection) => Ok(selection.dtype()),
        None => Ok(array.array(py)?.dtype()),
    }
}

/// `layout_flags(x)`: whether `x` is dense in row-major order, dense in column-major order, and writeable. Computes nothing.
#[pyfunction]
fn layout_flags(py: Python<'_>, x: &NdArray) -> PyResult<(bool, bool, bool)> {
    let me = x.contents.open(py);
    let array = me.array(py)?;
    Ok((array.is_c_contiguous(), array.is_f_contiguous(), array.is_writeable()))
}

/// `set_writeable(x, value)`: lets elements of `x` be assigned, or forbids it; other views of the memory keep their own mark.
#[pyfunction]
fn set_writeable(x: &Bound<'_, NdArray>, value: bool) -> PyResult<()> {
    let mut array = x.open().array(x.py())?.clone();
    array.set_writeable(value);
    x.get().contents.replace(x.py(), Repr::Dense(array))
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_attributes(module.py())?;
    module.add_function(wrap_pyfunction!(layout_flags, module)?)?;
    module.add_function(wrap_pyfunction!(set_writeable, module)?)
}
