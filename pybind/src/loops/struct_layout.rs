//! Layouts of objects in the memory of a compiled loop: the class, and the attributes that the code uses, each in words of its own.
//!
//! Attributes are looked up as `object` does, by `PyObject_GenericGetAttr`, which makes no dictionary of an object that has none yet: Python's own
//! accesses would be slower afterwards. The package has made sure that the class has no descriptor of Python code under these names.

use crate::loops::list_layout::Item;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};

/// An attribute: its name, what it is, and at which word of the object it begins.
pub(crate) struct Field {
    name: Py<PyString>,
    pub(crate) item: Item,
    pub(crate) at: usize,
}

/// `StructLayout(class, names, layouts, shared, methods)`: objects of a class whose attributes are of these layouts. Attributes in `shared` are
/// the same object for all, and those in `methods` are the functions of the class, bound.
#[pyclass(module = "fastnp._fastnp", frozen)]
pub(crate) struct StructLayout {
    class: Py<PyType>,
    pub(crate) fields: Vec<Field>,
    shared: Vec<(Py<PyString>, Py<PyAny>)>,
    methods: Vec<(Py<PyString>, Py<PyAny>)>,
    /// Words of an object: its number, and those of the attributes.
    pub(crate) words: usize,
}

#[pymethods]
impl StructLayout {
    /// `ValueError` where there is no such layout.
    #[new]
    fn new(
        class: Py<PyType>,
        names: Vec<Bound<'_, PyString>>,
        layouts: Vec<String>,
        shared: Vec<(Bound<'_, PyString>, Py<PyAny>)>,
        methods: Vec<(Bound<'_, PyString>, Py<PyAny>)>,
    ) -> PyResult<StructLayout> {
        let (mut words, mut fields) = (1, Vec::new());
        for (name, text) in names.into_iter().zip(&layouts) {
            let item = Item::of_text(text)
                .ok_or_else(|| PyValueError::new_err(format!("{text:?} is no layout of an attribute")))?;
            let at = words;
            words += item.words();
            fields.push(Field { name: interned(name), item, at });
        }
        let all = |pairs: Vec<(Bound<'_, PyString>, Py<PyAny>)>| {
            pairs.into_iter().map(|(name, value)| (interned(name), value)).collect()
        };
        Ok(StructLayout { class, fields, shared: all(shared), methods: all(methods), words })
    }
}

impl StructLayout {
    /// An object of the class, as `object.__new__` makes it: the package has made sure that the class has no other way.
    pub(crate) fn new_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyAny>().getattr(intern!(py, "__new__"))?.call1((&self.class,))
    }

    /// Whether an object is of exactly the class.
    pub(crate) fn is_class_of(&self, object: &Bound<'_, PyAny>) -> bool {
        object.get_type_ptr().cast() == self.class.as_ptr()
    }

    /// Whether the attributes that are the same for all are so for an object.
    pub(crate) fn has_shared(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = object.py();
        for (name, known) in &self.shared {
            if !found(object, name).is_some_and(|value| value.is(known)) {
                return Ok(false);
            }
        }
        for (name, function) in &self.methods {
            let Some(method) = found(object, name) else { return Ok(false) };
            if !method.is_exact_instance(method_class(py)?) || !method.getattr("__func__")?.is(function) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Field {
    /// The attribute of an object; none if it has none.
    pub(crate) fn of<'py>(&self, object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
        found(object, &self.name)
    }

    /// Binds the attribute, as `object.__setattr__` does.
    pub(crate) fn store(&self, object: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: all three are objects, and are held.
        let failed = unsafe { ffi::PyObject_GenericSetAttr(object.as_ptr(), self.name.as_ptr(), value.as_ptr()) } != 0;
        if failed { Err(PyErr::fetch(object.py())) } else { Ok(()) }
    }
}

/// An attribute of an object, as `object` looks it up.
fn found<'py>(object: &Bound<'py, PyAny>, name: &Py<PyString>) -> Option<Bound<'py, PyAny>> {
    // SAFETY: both are objects, and are held; the result is a new reference, or null with an error set, which is cleared.
    unsafe {
        let value = ffi::PyObject_GenericGetAttr(object.as_ptr(), name.as_ptr());
        if value.is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        Some(Bound::from_owned_ptr(object.py(), value))
    }
}

/// A name that is compared by identity where attributes are looked up.
fn interned(name: Bound<'_, PyString>) -> Py<PyString> {
    match name.to_str() {
        Ok(text) => PyString::intern(name.py(), text).unbind(),
        Err(_) => name.unbind(),
    }
}

/// The class of methods that are bound to an object.
fn method_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static METHOD: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    METHOD.import(py, "types", "MethodType")
}
