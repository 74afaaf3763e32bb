//! A call of NumPy's with arrays of ours among its arguments.
//!
//! Arguments: an array of ours, also inside a list or tuple, becomes a NumPy view of the same memory, so what NumPy writes into it is
//! written to our array. Our class becomes `numpy.ndarray`. Results: a NumPy array of a native dtype becomes an array of ours, on the same
//! memory unless that is new and small. A result that is one of the views becomes the array the view was made from, so `out=` keeps its
//! identity.

use crate::fallback::ledger::{Timer, enter};
use crate::fallback::value_types::{ValueType, is_known_opaque, is_opaque, value_type};
use crate::fallback::views::Views;
use crate::interop::numpy_memory::{adopt_if_new, adopt_if_small, has_native_type, import};
use crate::interpreter::dtype;
use crate::interpreter::fallback::fallback;
use crate::interpreter::sequence_items::Items;
use crate::interpreter::vectorcall::{call_given, call_vector};
use crate::object::construct::new_object;
use crate::object::header::is_numpys;
use crate::object::identity::{imported, remember_import};
use crate::object::ndarray::NdArray;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyList, PyString, PyTuple};
use pyo3::{Borrowed, ffi};
use smallvec::SmallVec;

type Object<'py> = Bound<'py, PyAny>;

/// Lists nested deeper than NumPy's arrays have axes are left to Python: a list may contain itself.
const MAX_DEPTH: usize = fastnp::MAX_DIMS;

/// What is called, and how it is counted.
pub(crate) struct Call<'a, 'py> {
    /// A function of NumPy's.
    pub(crate) function: &'a Object<'py>,
    /// The name and the reason in the ledger; none if the call is not counted.
    pub(crate) entry: Option<(&'a Bound<'py, PyString>, &'a Bound<'py, PyString>)>,
    /// Whether it is a ufunc, whose arguments may be of classes with their own version of it.
    pub(crate) is_ufunc: bool,
    /// So many arguments, from the first on, are known to be such as NumPy gets as they are.
    pub(crate) known: usize,
    /// Whether NumPy gets the caller's lists, also with arrays of ours in them.
    pub(crate) keeps_lists: bool,
}

/// The arguments for NumPy.
struct Converted<'py> {
    /// Borrowed from the caller, from `views` or from `made`. The first place is free for a receiver, as the vectorcall protocol has it.
    objects: SmallVec<[*mut ffi::PyObject; 8]>,
    /// Lists and tuples made of the caller's, and our class's replacement.
    made: SmallVec<[Object<'py>; 2]>,
    views: Views<'py>,
}

impl<'a, 'py> Call<'a, 'py> {
    /// A call of a function that is no ufunc.
    pub(crate) fn new(
        function: &'a Object<'py>,
        entry: Option<(&'a Bound<'py, PyString>, &'a Bound<'py, PyString>)>,
    ) -> Call<'a, 'py> {
        Call { function, entry, is_ufunc: false, known: 0, keeps_lists: false }
    }

    /// A call of a ufunc, or of a method of one.
    pub(crate) fn of_ufunc(
        function: &'a Object<'py>,
        entry: Option<(&'a Bound<'py, PyString>, &'a Bound<'py, PyString>)>,
    ) -> Call<'a, 'py> {
        Call { is_ufunc: true, ..Call::new(function, entry) }
    }

    /// Calls NumPy; `None` if an argument is such that the call is left to `fastnp._fallback` in Python. The last arguments are those of the
    /// names.
    #[inline]
    pub(crate) fn run(
        &self,
        arguments: &[Object<'py>],
        names: Option<&Bound<'py, PyTuple>>,
    ) -> PyResult<Option<Object<'py>>> {
        let as_they_are = self.known + arguments[self.known..].iter().take_while(|value| self.is_kept(value)).count();
        if as_they_are < arguments.len() {
            return self.run_on_views(arguments, names, as_they_are);
        }
        self.run_as_given(arguments, names).map(Some)
    }

    /// Whether it is a list that NumPy gets whatever is in it.
    fn keeps_list(&self, value: &Object<'py>) -> bool {
        self.keeps_lists && value.is_exact_instance_of::<PyList>()
    }

    /// Whether NumPy gets an argument as it is, by its type, and those of the items of a list.
    #[inline]
    fn is_kept(&self, value: &Object<'py>) -> bool {
        match value_type(value) {
            ValueType::Plain | ValueType::Numpys => true,
            ValueType::Other => !self.is_ufunc && (is_known_opaque(value) || is_opaque_object(value)),
            ValueType::Sequence => self.keeps_list(value) || is_all_plain(value),
            ValueType::Ours => false,
        }
    }

    /// [`Call::run`] with arguments that NumPy gets as they are.
    pub(crate) fn run_as_given(
        &self,
        arguments: &[Object<'py>],
        names: Option<&Bound<'py, PyTuple>>,
    ) -> PyResult<Object<'py>> {
        // SAFETY: the caller's arguments, which live during the call.
        let result = unsafe { call_given(self.function, arguments, names)? };
        self.result(result, arguments, names, None, false)
    }

    /// What a call returns for NumPy's result. There are no views, or those of the call, any of which may be referenced by it.
    #[inline]
    fn result(
        &self,
        result: Object<'py>,
        arguments: &[Object<'py>],
        names: Option<&Bound<'py, PyTuple>>,
        views: Option<&Views<'py>>,
        is_any_referenced: bool,
    ) -> PyResult<Object<'py>> {
        // Most results are numbers, or new small arrays.
        let adopted = match value_type(&result) {
            ValueType::Plain => return Ok(result),
            ValueType::Numpys if !is_any_referenced && !has_native_type(&result)? => return Ok(result),
            ValueType::Numpys => adopt_if_small(&result)?,
            ValueType::Ours | ValueType::Sequence | ValueType::Other => None,
        };
        let ours = match adopted {
            Some(ours) => ours,
            None => {
                let given = self.given_to_write(arguments, names)?;
                let none = Views::default();
                Results { views: views.unwrap_or(&none), is_any_referenced, given: &given }.convert(result)?
            }
        };
        if let Some((name, reason)) = self.entry
            && views.is_none_or(Views::is_empty)
            && ours.is_exact_instance_of::<NdArray>()
        {
            // No argument was an array of ours, so strict mode does not refuse the call.
            enter(name, reason, false)?;
        }
        Ok(ours)
    }

    /// [`Call::run`] with views of the arrays of ours among the arguments, all of which come after those that NumPy gets `as_they_are`.
    fn run_on_views(
        &self,
        arguments: &[Object<'py>],
        names: Option<&Bound<'py, PyTuple>>,
        as_they_are: usize,
    ) -> PyResult<Option<Object<'py>>> {
        let mut to = Converted { objects: SmallVec::new(), made: SmallVec::new(), views: Views::default() };
        to.objects.push(std::ptr::null_mut());
        to.objects.extend(arguments[..as_they_are].iter().map(Bound::as_ptr));
        for value in &arguments[as_they_are..] {
            if !self.convert(value, &mut to)? {
                return Ok(None);
            }
        }
        if to.views.is_empty() && to.made.is_empty() {
            return self.run_as_given(arguments, names).map(Some);
        }
        let mut timer = None;
        if let Some((name, reason)) = self.entry
            && !to.views.is_empty()
        {
            enter(name, reason, true)?;
            timer = Timer::begin(self.function.py());
        }
        // SAFETY: so many objects follow the free place, all of which live during the call.
        let result = unsafe { call_vector(self.function, &mut to.objects, names) };
        drop(timer);
        to.made.clear();
        let is_any_referenced = to.views.settle()?;
        let result = result?;
        self.result(result, arguments, names, Some(&to.views), is_any_referenced).map(Some)
    }

    /// The NumPy arrays that are given to be written and returned: by the name `out`, and to a ufunc by position too, where what it returns is
    /// no operand.
    fn given_to_write(
        &self,
        arguments: &[Object<'py>],
        names: Option<&Bound<'py, PyTuple>>,
    ) -> PyResult<SmallVec<[Object<'py>; 2]>> {
        let (by_position, named) = arguments.split_at(arguments.len() - names.map_or(0, |names| names.len()));
        let mut given = SmallVec::new();
        if self.is_ufunc {
            given.extend(by_position.iter().filter(|value| is_numpys(value)).cloned());
        }
        for (name, value) in names.into_iter().flat_map(|names| names.iter_borrowed()).zip(named) {
            if name.cast::<PyString>()? == "out" {
                match value.cast_exact::<PyTuple>() {
                    Ok(several) => given.extend(several.iter().filter(is_numpys)),
                    Err(_) => given.extend(Some(value.clone()).filter(is_numpys)),
                }
            }
        }
        Ok(given)
    }

    /// Adds the argument for NumPy; false if the call is left to Python.
    #[inline]
    fn convert(&self, value: &Object<'py>, to: &mut Converted<'py>) -> PyResult<bool> {
        match value_type(value) {
            ValueType::Plain | ValueType::Numpys => to.objects.push(value.as_ptr()),
            // SAFETY: the type was checked.
            ValueType::Ours => match to.views.add(unsafe { value.cast_unchecked::<NdArray>() }) {
                Ok(view) => to.objects.push(view.as_ptr()),
                Err(error) => return Err(error),
            },
            ValueType::Sequence if self.keeps_list(value) => to.objects.push(value.as_ptr()),
            ValueType::Sequence | ValueType::Other => match self.converted_other(value, &mut to.views, 0)? {
                Some(Some(made)) => {
                    to.objects.push(made.as_ptr());
                    to.made.push(made);
                }
                Some(None) => to.objects.push(value.as_ptr()),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// What NumPy gets for a sequence or an object of another class: `Some(None)` for the object itself, `None` if the call is left to Python.
    fn converted_other(
        &self,
        value: &Object<'py>,
        views: &mut Views<'py>,
        depth: usize,
    ) -> PyResult<Option<Option<Object<'py>>>> {
        let py = value.py();
        match value_type(value) {
            ValueType::Plain | ValueType::Numpys => Ok(Some(None)),
            // SAFETY: the type was checked.
            ValueType::Ours => views.add(unsafe { value.cast_unchecked::<NdArray>() }).map(|view| Some(Some(view))),
            ValueType::Sequence if depth < MAX_DEPTH => self.converted_sequence(value, views, depth),
            ValueType::Sequence => Ok(None),
            ValueType::Other if value.is(NdArray::type_object(py)) => {
                Ok(Some(Some(dtype::types(py)?.array.bind(py).clone().into_any())))
            }
            ValueType::Other => Ok(is_opaque(value, self.is_ufunc)?.then_some(None)),
        }
    }

    /// What NumPy gets for a list or tuple: a new one if an array of ours is in it.
    fn converted_sequence(
        &self,
        value: &Object<'py>,
        views: &mut Views<'py>,
        depth: usize,
    ) -> PyResult<Option<Option<Object<'py>>>> {
        let py = value.py();
        let list = value.cast_exact::<PyList>().ok();
        let tuple = value.cast_exact::<PyTuple>().ok();
        let length = || list.map_or_else(|| tuple.map_or(0, |tuple| tuple.len()), |list| list.len());
        let item = |i| match (list, tuple) {
            (Some(list), _) => list.get_item(i),
            (_, Some(tuple)) => tuple.get_item(i),
            (None, None) => Err(PyTypeError::new_err("neither a list nor a tuple")),
        };
        let mut i = Items::of(value).map_or(0, |items| leading_plain(items, depth + 1));
        // The items so far, once one of them is replaced.
        let mut items: Option<Vec<Object<'py>>> = None;
        // Converting an item may run code that changes the list.
        while i < length() {
            let given = item(i)?;
            match self.converted_other(&given, views, depth + 1)? {
                Some(Some(made)) => match &mut items {
                    Some(items) => items.push(made),
                    None => {
                        let mut before = (0..i).map(item).collect::<PyResult<Vec<_>>>()?;
                        before.push(made);
                        items = Some(before);
                    }
                },
                Some(None) => items.iter_mut().for_each(|items| items.push(given.clone())),
                None => return Ok(None),
            }
            i += 1;
        }
        Ok(Some(match items {
            None => None,
            Some(items) if list.is_some() => Some(PyList::new(py, items)?.into_any()),
            Some(items) => Some(PyTuple::new(py, items)?.into_any()),
        }))
    }
}

/// Whether [`is_opaque`] says of an object that a function of NumPy's gets it as it is; not of our class, nor where asking fails.
fn is_opaque_object(value: &Object<'_>) -> bool {
    !value.is(NdArray::type_object(value.py())) && is_opaque(value, false).unwrap_or(false)
}

/// Whether a list or tuple holds nothing but what is passed as it is, and such lists and tuples.
pub(crate) fn is_all_plain(sequence: &Object<'_>) -> bool {
    is_all_plain_at(sequence, 1)
}

/// [`is_all_plain`] of a list or tuple at this depth.
fn is_all_plain_at(sequence: &Object<'_>, depth: usize) -> bool {
    Items::of(sequence).is_some_and(|items| leading_plain(items, depth) == items.count)
}

/// How many items a list or tuple begins with that are passed as they are. Most sequences are long lists of one type, whose items take less than
/// 1 ns here.
fn leading_plain(items: Items<'_, '_>, depth: usize) -> usize {
    let mut known = std::ptr::null_mut();
    for i in 0..items.count {
        // SAFETY: the index is less than the count, and nothing here changes the sequence, which keeps its items alive. Every object has a type.
        let (item, class) = unsafe {
            let item = items.get(i);
            (item, ffi::Py_TYPE(item))
        };
        if class == known {
            continue;
        }
        // SAFETY: as above.
        let item = unsafe { Borrowed::from_ptr(items.sequence.py(), item) };
        match value_type(&item) {
            ValueType::Plain | ValueType::Numpys => known = class,
            ValueType::Sequence if depth < MAX_DEPTH && is_all_plain_at(&item, depth + 1) => {}
            ValueType::Sequence | ValueType::Ours | ValueType::Other => return i,
        }
    }
    items.count
}

/// Conversion of a call's results.
struct Results<'a, 'py> {
    views: &'a Views<'py>,
    is_any_referenced: bool,
    /// NumPy arrays that are returned as they are.
    given: &'a [Object<'py>],
}

impl<'py> Results<'_, 'py> {
    /// A result with every plain NumPy array replaced by an array of ours.
    fn convert(&self, result: Object<'py>) -> PyResult<Object<'py>> {
        let py = result.py();
        match value_type(&result) {
            ValueType::Plain | ValueType::Ours => Ok(result),
            ValueType::Numpys => self.convert_array(result),
            ValueType::Sequence | ValueType::Other => {
                if let Ok(tuple) = result.cast::<PyTuple>() {
                    return self.convert_tuple(tuple);
                }
                let Ok(list) = result.cast_exact::<PyList>() else { return Ok(result) };
                let items = list.iter().map(|item| self.convert(item)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyList::new(py, items)?.into_any())
            }
        }
    }

    fn convert_array(&self, result: Object<'py>) -> PyResult<Object<'py>> {
        let py = result.py();
        if self.given.iter().any(|given| given.is(&result)) {
            return Ok(result);
        }
        if self.is_any_referenced
            && let Some(owner) = self.views.owner_of(&result)
        {
            return Ok(owner.into_any());
        }
        if !has_native_type(&result)? {
            if self.is_any_referenced && result.getattr(intern!(py, "dtype"))?.getattr("hasobject")?.is_truthy()? {
                fallback(py, "restore_elements")?.call1((&result, self.views.pairs()))?;
            }
            return Ok(result);
        }
        if let Some(ours) = adopt_if_new(&result)? {
            return Ok(ours);
        }
        if let Some(known) = imported(&result) {
            return Ok(known);
        }
        match import(&result) {
            Ok(payload) => Ok(remember_import(&result, new_object(py, payload)?)),
            // It is unaligned.
            Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(result),
            Err(error) => Err(error),
        }
    }

    /// A tuple with its items converted. A named tuple takes its fields as arguments; other classes of tuples are not made anew.
    fn convert_tuple(&self, tuple: &Bound<'py, PyTuple>) -> PyResult<Object<'py>> {
        let py = tuple.py();
        let is_plain = tuple.is_exact_instance_of::<PyTuple>();
        let mut is_changed = false;
        let mut items = Vec::with_capacity(tuple.len());
        // SAFETY: the object is alive.
        let is_new = unsafe { ffi::Py_REFCNT(tuple.as_ptr()) } == 1;
        for i in 0..tuple.len() {
            let item = tuple.get_item(i)?;
            if is_new {
                // The tuple's reference to a new array must not count as another's.
                // SAFETY: a tuple to which this is the only reference; it takes over the reference to None.
                unsafe { ffi::PyTuple_SetItem(tuple.as_ptr(), i as ffi::Py_ssize_t, py.None().into_ptr()) };
            }
            let address = item.as_ptr();
            let ours = self.convert(item)?;
            is_changed |= ours.as_ptr() != address;
            items.push(ours);
        }
        if is_new {
            for (i, item) in items.into_iter().enumerate() {
                // SAFETY: as above.
                unsafe { ffi::PyTuple_SetItem(tuple.as_ptr(), i as ffi::Py_ssize_t, item.into_ptr()) };
            }
            return Ok(tuple.clone().into_any());
        }
        if !is_changed {
            return Ok(tuple.clone().into_any());
        }
        let items = PyTuple::new(py, items)?;
        if is_plain {
            return Ok(items.into_any());
        }
        let class = tuple.get_type();
        if class.hasattr(intern!(py, "_fields"))? { class.call1(items) } else { Ok(tuple.clone().into_any()) }
    }
}
