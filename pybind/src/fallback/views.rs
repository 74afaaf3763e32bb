//! The NumPy arrays made for one call of NumPy's, on the memory of arrays of ours.
//!
//! A view has no base while the call lasts, as the caller holds the export of the memory. One that something has referenced when the call
//! returns gets the export as its base then ([`Views::settle`]); all others are kept for the next call, which writes their headers anew: to make
//! and end an array takes NumPy 90 ns.

use crate::interop::lent;
use crate::interop::numpy_memory::{Memory, numpy_of, numpy_without_owner};
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::gil_cell::GilCell;
use crate::object::header::{array_flags, has_only_fields};
use crate::object::ndarray::{NdArray, root};
use crate::object::payload::Open;
use fastnp::{Array, Export};
use numpy::npyffi::{PY_ARRAY_API, PyArrayObject};
use pyo3::ffi;
use pyo3::prelude::*;
use smallvec::SmallVec;

/// Arrays are kept up to this many axes, and so many of each number.
const KEPT_AXES: usize = 4;
const KEPT: usize = 8;

/// A NumPy array without a base and a type, to which nothing refers.
struct Kept(Py<PyAny>);

/// By the number of axes.
static KEPT_VIEWS: GilCell<[Vec<Kept>; KEPT_AXES + 1]> = GilCell::new([const { Vec::new() }; KEPT_AXES + 1]);

/// A view and the array of ours it was made from.
struct View<'py> {
    owner: Bound<'py, NdArray>,
    view: Bound<'py, PyAny>,
    /// Keeps the memory alive and in place; none if the view has a base that does.
    export: Option<Export>,
}

/// The views made for one call.
#[derive(Default)]
pub(crate) struct Views<'py>(SmallVec<[View<'py>; 2]>);

impl<'py> Views<'py> {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A new view of an array of ours.
    pub(crate) fn add(&mut self, owner: &Bound<'py, NdArray>) -> PyResult<Bound<'py, PyAny>> {
        let py = owner.py();
        let me = owner.open();
        let array = me.array(py)?;
        let (view, export) = if array.is_exported_on_device() {
            (numpy_of(owner)?, None)
        } else {
            let export = to_py_result(py, array.export())?;
            (view_of(py, array, export.address())?, Some(export))
        };
        if export.is_some() {
            // SAFETY: the list of views keeps it alive until it takes the view back.
            unsafe { lent::lend(&view, owner) };
        }
        self.0.push(View { owner: owner.clone(), view: view.clone(), export });
        Ok(view)
    }

    /// After the call, and after what was made for it was dropped: views that something else references get a base that keeps the memory
    /// alive. Returns whether there are such.
    pub(crate) fn settle(&mut self) -> PyResult<bool> {
        let mut is_any_referenced = false;
        for View { owner, view, export } in &mut self.0 {
            // SAFETY: the object is alive.
            if unsafe { ffi::Py_REFCNT(view.as_ptr()) } == 1 {
                continue;
            }
            is_any_referenced = true;
            if let Some(export) = export.take() {
                let py = view.py();
                let root = Some(root(owner, &owner.open()));
                let memory = Bound::new(py, Memory { export, root })?;
                // SAFETY: a NumPy array without a base, which takes over the reference; the base keeps its memory alive.
                if unsafe { PY_ARRAY_API.PyArray_SetBaseObject(py, view.as_ptr().cast(), memory.into_ptr()) } != 0 {
                    return Err(PyErr::fetch(py));
                }
            }
        }
        Ok(is_any_referenced)
    }

    /// The array of ours that an object is the view of, if it is one of these.
    pub(crate) fn owner_of(&self, object: &Bound<'py, PyAny>) -> Option<Bound<'py, NdArray>> {
        self.0.iter().find(|view| view.view.is(object)).map(|view| view.owner.clone())
    }

    /// The views with the arrays of ours they were made from, for Python.
    pub(crate) fn pairs(&self) -> Vec<(Bound<'py, PyAny>, Bound<'py, NdArray>)> {
        self.0.iter().map(|view| (view.view.clone(), view.owner.clone())).collect()
    }
}

impl Drop for Views<'_> {
    fn drop(&mut self) {
        for View { owner, view, export } in self.0.drain(..) {
            lent::take_back(&view);
            drop(owner);
            if export.is_some() {
                keep(view);
            }
        }
    }
}

/// Keeps an array that was made for a call, unless something refers to it or has changed it.
#[inline]
fn keep(view: Bound<'_, PyAny>) {
    let py = view.py();
    // SAFETY: the object is a NumPy array.
    let axes = unsafe { (*view.as_ptr().cast::<PyArrayObject>()).fields.nd } as usize;
    // SAFETY: as above.
    let is_alone = unsafe { ffi::Py_REFCNT(view.as_ptr()) == 1 && has_only_fields(view.as_ptr()) };
    if axes > KEPT_AXES || !is_alone {
        return;
    }
    let address = view.as_ptr();
    let mut view = Some(Kept(view.unbind()));
    KEPT_VIEWS.with(py, |kept| {
        if kept[axes].len() < KEPT {
            kept[axes].extend(view.take());
        }
    });
    if view.is_none() {
        // SAFETY: it is kept; nothing else sees the array, which gets a type before it is used again.
        unsafe {
            let fields = &mut (*address.cast::<PyArrayObject>()).fields;
            ffi::Py_DECREF(std::mem::replace(&mut fields.descr, std::ptr::null_mut()).cast());
        }
    }
}

/// A NumPy array with the shape, strides and type of an array, at an address.
fn view_of<'py>(py: Python<'py>, array: &Array, address: *mut u8) -> PyResult<Bound<'py, PyAny>> {
    let axes = array.ndim();
    let known = if axes <= KEPT_AXES { KEPT_VIEWS.with(py, |kept| kept[axes].pop()) } else { None };
    let Some(Kept(view)) = known else { return numpy_without_owner(py, array, address) };
    let view = view.into_bound(py);
    let descriptor = dtype::raw_descriptor(array.dtype());
    // SAFETY: a NumPy array that nothing else refers to, with room for as many axes, and without a type.
    unsafe {
        let fields = &mut (*view.as_ptr().cast::<PyArrayObject>()).fields;
        ffi::Py_INCREF(descriptor);
        fields.descr = descriptor.cast();
        fields.data = address.cast();
        fields.flags = array_flags(array);
        for (i, (&extent, &stride)) in array.shape().iter().zip(array.strides()).enumerate() {
            fields.dimensions.add(i).write(extent as isize);
            fields.strides.add(i).write(stride);
        }
    }
    Ok(view)
}
