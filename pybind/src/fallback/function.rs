//! NumPy's functions as objects of ours, which run them on our arrays.

use crate::fallback::run::{Call, is_all_plain};
use crate::fallback::value_types::{ValueType, set_plain_types, value_type};
use crate::interop::numpy_memory::is_numpy;
use crate::interpreter::dtype;
use crate::interpreter::exact_int::int_at;
use crate::interpreter::fallback::fallback;
use crate::interpreter::fastcall::{Arguments, entry};
use crate::interpreter::raw_call::{call_python, object_at};
use crate::interpreter::sequence_items::Items;
use crate::interpreter::slot::Slot;
use crate::interpreter::vectorcall::{ARGUMENTS_OFFSET, Callable, call_given};
use crate::object::header::is_numpys;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use crate::random::draw::Draw;
use pyo3::PyClass;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFloat, PyInt, PyModule, PyString, PyTuple, PyType};
use smallvec::SmallVec;

/// A function of NumPy's that runs in NumPy. Its name, its doc and other attributes are set by the package, as a function's are.
#[pyclass(name = "function", module = "fastnp._fastnp", frozen, dict, weakref, subclass)]
pub(crate) struct NumpyFunction {
    /// NumPy's function, which dispatches to other classes.
    original: Py<PyAny>,
    /// What runs where there is no other class: the function behind NumPy's dispatch, where there is one.
    direct: Py<PyAny>,
    /// Whether that is written in C. It reads its arguments in its own way, so only those by position are the same.
    is_in_c: bool,
    /// The name and the reason in the ledger; none if calls are not counted.
    entry: Option<(Py<PyString>, Py<PyString>)>,
    /// Where the object that it is a method of keeps NumPy's, if it is a method.
    receiver: Option<Slot>,
    /// Whether it writes to lists, so that NumPy gets the caller's.
    writes_lists: bool,
    /// What runs instead while the current target is a device.
    on_device: Option<Py<PyAny>>,
    /// What runs instead where the call has its most common form, and whether with arrays of NumPy's too.
    common: Option<(CommonCall, bool)>,
    /// The method that NumPy's function calls with the same arguments, where it does nothing else with so many arguments at least.
    method: Option<(Py<PyAny>, usize)>,
    /// What runs instead where the first argument is no array of NumPy's class or one derived from it: the method of our class, if it is a method.
    of_ours: Option<Py<PyAny>>,
    /// What runs instead on many elements, or pending ones.
    native: Option<Native>,
    /// What runs instead if it draws random numbers whose parameters are numbers.
    draw: Option<Draw>,
}

/// A call of a function in its most common form, which runs without Python code; `None` for one of another form.
pub(crate) type CommonCall = for<'a, 'py> fn(Arguments<'a, 'py>) -> PyResult<Option<Bound<'py, PyAny>>>;

/// A native function in Python. It takes several operations, and so, on few elements, more time than NumPy's function in C.
struct Native {
    function: Py<PyAny>,
    /// Calls on so many elements at most are NumPy's, if all are computed. They are not fallbacks: nothing is left undone that could fuse.
    few: usize,
}

impl Native {
    /// What the arguments are, if the call is NumPy's: all arrays of ours have few elements, or there are arrays of NumPy's only. The integers
    /// among the arguments of a call without arrays are taken for extents; a short list with a float is data.
    fn numpys(&self, arguments: &[Bound<'_, PyAny>]) -> Option<Seen> {
        let mut seen = Seen { is_any_ours: false, is_any_numpys: false, is_any_list: false, points: 1 };
        let is_numpys = arguments.iter().all(|value| self.takes(value, &mut seen, 0))
            && (seen.is_any_ours
                || seen.is_any_numpys
                || self.are_few(seen.points)
                || seen.is_any_list && seen.points <= MAX_EXTENTS);
        is_numpys.then_some(seen)
    }

    /// Whether a result of so many elements is NumPy's to make.
    fn are_few(&self, points: usize) -> bool {
        points <= self.few && fastnp::targets_host() && fastnp::runs_eagerly(points, size_of::<f64>())
    }

    /// Whether NumPy's function takes an argument as it is, or an array of ours among few elements.
    fn takes(&self, value: &Bound<'_, PyAny>, seen: &mut Seen, depth: usize) -> bool {
        match value_type(value) {
            ValueType::Plain => {
                seen.points = extent(value).saturating_mul(seen.points);
                seen.is_any_list |= depth > 0 && value.is_exact_instance_of::<PyFloat>();
            }
            ValueType::Numpys => seen.is_any_numpys = true,
            ValueType::Ours => {
                // SAFETY: the type was checked.
                let me = unsafe { value.cast_unchecked::<NdArray>() }.open();
                seen.is_any_ours = true;
                return me.dense().is_some_and(|array| array.is_ready_and_few(self.few));
            }
            ValueType::Sequence if depth < MAX_NESTED => {
                let Some(items) = Items::of(value) else { return false };
                if items.count > MAX_EXTENTS {
                    seen.points = usize::MAX;
                    return is_all_plain(value);
                }
                // SAFETY: there are so many items, and what is asked of them runs no code of Python's.
                let item = |i| unsafe { object_at(value.py(), items.get(i)) };
                return (0..items.count).all(|i| self.takes(&item(i), seen, depth + 1));
            }
            ValueType::Sequence | ValueType::Other => return false,
        }
        true
    }

    /// Calls the function in Python.
    fn call<'py>(
        &self,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the caller's arguments, the last of which are those of the names.
        unsafe { call_given(self.function.bind(py), arguments, names) }
    }
}

/// Most calls of methods have no more arguments, with the receiver.
const USUAL_ARGUMENTS: usize = 8;

/// Lists nested deeper than arguments are, and longer than shapes and lists of operands are, are left to the native function.
const MAX_NESTED: usize = 3;
const MAX_EXTENTS: usize = 64;

/// What the arguments of a call are.
struct Seen {
    is_any_ours: bool,
    is_any_numpys: bool,
    /// Whether there is a list or tuple of few items with a float.
    is_any_list: bool,
    /// The product of the integers.
    points: usize,
}

/// An integer as an extent; one for anything else.
fn extent(value: &Bound<'_, PyAny>) -> usize {
    if !value.is_exact_instance_of::<PyInt>() {
        return 1;
    }
    // SAFETY: the object is alive.
    unsafe { int_at(value.as_ptr()) }.map_or(usize::MAX, |value| value.unsigned_abs().max(1) as usize)
}

impl NumpyFunction {
    /// A function that runs NumPy's, counted if there is a name.
    fn new(
        original: &Bound<'_, PyAny>,
        direct: &Bound<'_, PyAny>,
        name: &Bound<'_, PyAny>,
        reason: &Bound<'_, PyAny>,
    ) -> PyResult<NumpyFunction> {
        let entry = match name.is_none() {
            true => None,
            false => Some((name.cast::<PyString>()?.clone().unbind(), reason.cast::<PyString>()?.clone().unbind())),
        };
        let is_in_c = !original.is(direct) && direct.getattr_opt(intern!(original.py(), "__code__"))?.is_none();
        let (original, direct) = (original.clone().unbind(), direct.clone().unbind());
        Ok(NumpyFunction {
            original,
            direct,
            is_in_c,
            entry,
            receiver: None,
            writes_lists: false,
            on_device: None,
            common: None,
            method: None,
            of_ours: None,
            native: None,
            draw: None,
        })
    }

    /// Whether it is NumPy's function that words what is wrong with the arguments.
    fn words_errors(&self) -> bool {
        self.is_in_c || self.method.is_some()
    }

    /// What NumPy runs for a call: the function behind its dispatch, or the method that this one calls. A function in C reads arguments by name in
    /// its own way.
    fn direct<'a, 'py>(
        &'a self,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
        py: Python<'py>,
    ) -> &'a Bound<'py, PyAny> {
        match (&self.method, arguments) {
            (Some((method, least)), [first, ..])
                if names.is_none()
                    && arguments.len() >= *least
                    && matches!(value_type(first), ValueType::Ours | ValueType::Numpys) =>
            {
                method.bind(py)
            }
            _ if self.is_in_c && names.is_some() => self.original.bind(py),
            _ => self.direct.bind(py),
        }
    }

    /// The name and the reason in the ledger.
    fn entry<'a, 'py>(&'a self, py: Python<'py>) -> Option<(&'a Bound<'py, PyString>, &'a Bound<'py, PyString>)> {
        self.entry.as_ref().map(|(name, reason)| (name.bind(py), reason.bind(py)))
    }
}

impl NumpyFunction {
    /// The call of a function that has a native version.
    fn run_native<'py>(
        &self,
        native: &Native,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let is_read_alike = !self.is_in_c || names.is_none();
        let Some(seen) = is_read_alike.then(|| native.numpys(arguments)).flatten() else {
            return self.run_python(native, arguments, names, py);
        };
        let is_list_alone = seen.is_any_list && !seen.is_any_numpys;
        let entry = self.entry(py).filter(|_| !seen.is_any_ours && !is_list_alone);
        let call = Call::new(self.direct(arguments, names, py), entry);
        let result = match seen.is_any_ours {
            true => call.run(arguments, names),
            // All arguments were looked at: a long list takes 2 ns an item.
            false => call.run_as_given(arguments, names).map(Some),
        };
        match result {
            // The native function raises the error, or finds that the call is another class's.
            Ok(Some(result)) => Ok(result),
            Ok(None) => self.run_python(native, arguments, names, py),
            Err(error) if self.words_errors() && error.is_instance_of::<PyTypeError>(py) => {
                self.run_python(native, arguments, names, py)
            }
            Err(error) => Err(error),
        }
    }

    /// The call of the native function in Python, or by NumPy where that returns `NotImplemented`: none of its frames is on the stack then, so
    /// that warnings have the caller's line.
    fn run_python<'py>(
        &self,
        native: &Native,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let result = native.call(arguments, names, py)?;
        if result.is(py.NotImplemented()) { self.run_numpys(0, arguments, names, py) } else { Ok(result) }
    }

    /// The call by NumPy. So many of the arguments, from the first on, NumPy gets as they are.
    #[inline]
    fn run_numpys<'py>(
        &self,
        known: usize,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let entry = self.entry(py);
        let original = self.original.bind(py);
        let function = self.direct(arguments, names, py);
        if !names.is_some_and(has_like) {
            let call = Call { known, keeps_lists: self.writes_lists, ..Call::new(function, entry) };
            let result = match call.run(arguments, names) {
                // NumPy's dispatch words what it finds wrong with the arguments.
                Err(error)
                    if self.words_errors() && !function.is(original) && error.is_instance_of::<PyTypeError>(py) =>
                {
                    Call { known, ..Call::new(original, None) }.run(arguments, names)
                }
                result => result,
            };
            if let Some(result) = result? {
                return Ok(result);
            }
        }
        let (positions, named) = split(py, arguments, names)?;
        run_in_python(original, positions.as_any(), &named, entry)
    }
}

/// Whether one of the names is `like`: then another class may be meant to make the array.
pub(crate) fn has_like(names: &Bound<'_, PyTuple>) -> bool {
    names.iter_borrowed().any(|name| match name.cast::<PyString>() {
        Ok(name) => name.to_str().is_ok_and(|name| name == "like"),
        Err(_) => true,
    })
}

impl RunsNumpy for NumpyFunction {
    fn run<'py>(
        this: &Bound<'py, Self>,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, me) = (this.py(), this.get());
        if let Some(of_ours) = &me.of_ours {
            let has_first = arguments.len() > names.map_or(0, |names| names.len());
            if !has_first || !is_numpy(&arguments[0])? {
                // SAFETY: the caller's arguments, the last of which are those of the names.
                return unsafe { call_given(of_ours.bind(py), arguments, names) };
            }
        }
        // With an array of NumPy's the call is NumPy's, as a rule.
        if let Some((common, takes_numpys)) = me.common
            && (takes_numpys || !arguments.iter().any(is_numpys))
            && let Some(result) = common(Arguments::of(py, arguments, names))?
        {
            return Ok(result);
        }
        if let Some(native) = &me.native {
            return me.run_native(native, arguments, names, py);
        }
        if let Some(on_device) = &me.on_device
            && !fastnp::targets_host()
        {
            let (positions, named) = split(py, arguments, names)?;
            return on_device.bind(py).call(positions, Some(&named));
        }
        let (Some(slot), [receiver, rest @ ..]) = (&me.receiver, arguments) else {
            if let Some(draw) = &me.draw
                && let Some(drawn) = draw.of_global(Arguments::of(py, arguments, names))?
            {
                return Ok(drawn);
            }
            return me.run_numpys(0, arguments, names, py);
        };
        let numpys = slot.of(receiver)?;
        if let Some(draw) = &me.draw
            && let Some(drawn) = draw.of(&numpys, Arguments::of(py, rest, names))?
        {
            return Ok(drawn);
        }
        // `extend` of a list takes 60 instructions.
        let mut room = [std::ptr::null_mut::<ffi::PyObject>(); USUAL_ARGUMENTS];
        let mut more = Vec::new();
        let with_numpys = match room.get_mut(..arguments.len()) {
            Some(few) => few,
            None => {
                more.resize(arguments.len(), std::ptr::null_mut());
                &mut more[..]
            }
        };
        with_numpys[0] = numpys.as_ptr();
        for (place, value) in with_numpys[1..].iter_mut().zip(rest) {
            *place = value.as_ptr();
        }
        // SAFETY: a `Bound` is a pointer to an object. These live during the call, which borrows them.
        let arguments = unsafe { std::slice::from_raw_parts(with_numpys.as_ptr().cast(), with_numpys.len()) };
        me.run_numpys(1, arguments, names, py)
    }
}

/// The arguments as a tuple and a dictionary.
pub(crate) fn split<'py>(
    py: Python<'py>,
    arguments: &[Bound<'py, PyAny>],
    names: Option<&Bound<'py, PyTuple>>,
) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
    let (positions, values) = arguments.split_at(arguments.len() - names.map_or(0, |names| names.len()));
    let named = PyDict::new(py);
    for (name, value) in names.iter().flat_map(|names| names.iter()).zip(values) {
        named.set_item(name, value)?;
    }
    Ok((PyTuple::new(py, positions)?, named))
}

/// Calls the general version in Python.
pub(crate) fn run_in_python<'py>(
    function: &Bound<'py, PyAny>,
    positions: &Bound<'py, PyAny>,
    named: &Bound<'py, PyDict>,
    entry: Option<(&Bound<'py, PyString>, &Bound<'py, PyString>)>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    match entry {
        Some((name, reason)) => fallback(py, "general")?.call1((function, positions, named, name, reason)),
        None => fallback(py, "general_uncounted")?.call1((function, positions, named)),
    }
}

#[pymethods]
impl NumpyFunction {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        this: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (arguments, names) = joined(args.iter(), kwargs)?;
        NumpyFunction::run(this, &arguments, names.as_ref())
    }

    fn __get__<'py>(
        this: Bound<'py, Self>,
        instance: Option<Bound<'py, PyAny>>,
        _owner: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static METHOD: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        match instance.filter(|instance| !instance.is_none()) {
            Some(instance) => METHOD.import(this.py(), "types", "MethodType")?.call1((this, instance)),
            None => Ok(this.into_any()),
        }
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<function {} at {:p}>", this.getattr("__qualname__")?, this.as_ptr()))
    }

    /// Pickled by name, as functions are.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.getattr("__qualname__")
    }
}

/// All arguments of a call; most calls have no more.
type Joined<'py> = SmallVec<[Bound<'py, PyAny>; 6]>;

/// Positional and keyword arguments as one list, and the names of the last of them.
pub(crate) fn joined<'py>(
    positions: impl Iterator<Item = Bound<'py, PyAny>>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Joined<'py>, Option<Bound<'py, PyTuple>>)> {
    let mut arguments: Joined<'py> = positions.collect();
    let Some(named) = named.filter(|named| !named.is_empty()) else { return Ok((arguments, None)) };
    let mut names = Joined::new();
    for (name, value) in named {
        names.push(name);
        arguments.push(value);
    }
    Ok((arguments, Some(PyTuple::new(named.py(), names)?)))
}

/// A class whose objects are called with all arguments in a list, and the names of the last of them.
pub(crate) trait RunsNumpy: PyClass {
    /// The call.
    fn run<'py>(
        this: &Bound<'py, Self>,
        arguments: &[Bound<'py, PyAny>],
        names: Option<&Bound<'py, PyTuple>>,
    ) -> PyResult<Bound<'py, PyAny>>;
}

/// The vectorcall function of such a class.
pub(crate) unsafe extern "C" fn called<T: RunsNumpy>(
    this: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    flags: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls it with an object of the class, by the protocol, and with the GIL held: the positional arguments, then one for
    // each of the names, all of which live until this returns.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            let this = object_at(py, this).cast_unchecked::<T>();
            let names = (!names.is_null()).then(|| object_at(py, names).cast_unchecked::<PyTuple>().to_owned());
            let count = (flags & !ARGUMENTS_OFFSET) + names.as_ref().map_or(0, |names| names.len());
            let arguments = match count {
                0 => &[],
                _ => std::slice::from_raw_parts(args.cast::<Bound<'_, PyAny>>(), count),
            };
            T::run(&this, arguments, names.as_ref()).map(Bound::into_ptr)
        })
    }
}

/// NumPy's functions that call the method of their name with the same arguments in the same places, if there are so many at least. Their frames in
/// Python take 150 to 300 ns.
const METHODS: [(&str, usize); 8] = [
    ("argpartition", 1),
    ("argsort", 1),
    ("choose", 1),
    ("clip", 3),
    ("cumprod", 1),
    ("cumsum", 1),
    ("repeat", 1),
    ("searchsorted", 1),
];

/// The method that a function calls, if it is one of [`METHODS`].
fn method_of(original: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) -> PyResult<Option<(Py<PyAny>, usize)>> {
    let Some(&(name, least)) = name
        .cast::<PyString>()
        .ok()
        .and_then(|name| METHODS.iter().find(|(known, _)| name.to_str().is_ok_and(|name| name == *known)))
    else {
        return Ok(None);
    };
    let py = original.py();
    if !py.import("numpy")?.getattr(name)?.is(original) {
        return Ok(None);
    }
    Ok(Some((dtype::types(py)?.array.bind(py).getattr(name)?.unbind(), least)))
}

/// `numpy_function(original, direct, name, reason, receiver, writes_lists, on_device)`: a function that runs NumPy's, counted if there is a name. If
/// it is a method, `receiver` is the slot in which its object keeps NumPy's. If it `writes_lists` NumPy gets the caller's. While the current
/// target is a device `on_device` runs instead, if there is one; and the extension its most common call, if it has one.
pub(crate) fn numpy_function<'py>(
    call: Arguments<'_, 'py>,
    known: impl FnOnce(&str) -> Option<(CommonCall, bool)>,
) -> PyResult<Bound<'py, PyAny>> {
    let [original, direct, name, reason, receiver, writes_lists, on_device] = call.positions() else {
        return Err(PyTypeError::new_err("numpy_function takes seven arguments"));
    };
    let mut value = NumpyFunction::new(original, direct, name, reason)?;
    value.receiver = if receiver.is_none() { None } else { Some(Slot::new(receiver)?) };
    value.common = name.cast::<PyString>().ok().and_then(|name| known(name.to_str().ok()?));
    value.method = method_of(original, name)?;
    value.writes_lists = writes_lists.is_truthy()?;
    value.on_device = (!on_device.is_none()).then(|| on_device.clone().unbind());
    object(call.py(), value)
}

/// `unbound_method(original, method)`: NumPy's method and ours of the same name as one attribute of our class. The first argument says which runs;
/// calls of NumPy's are not counted. Written in Python, it took 70 of the 310 ns of `copy.copy(a)`.
fn unbound_method<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let [original, method] = call.positions() else {
        return Err(PyTypeError::new_err("unbound_method takes two arguments"));
    };
    let none = call.py().None().into_bound(call.py());
    let mut value = NumpyFunction::new(original, original, &none, &none)?;
    value.of_ours = Some(method.clone().unbind());
    object(call.py(), value)
}

/// `draw_function(original, receiver, name, class, writes_lists)`: a method of a generator, or a function of its global one, without a `receiver`.
/// The draws of the method of this `name` of NumPy's `class` are native; others run as [`numpy_function`]'s.
fn draw_function<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let [original, receiver, name, class, writes_lists] = call.positions() else {
        return Err(PyTypeError::new_err("draw_function takes five arguments"));
    };
    let none = call.py().None().into_bound(call.py());
    let mut value = NumpyFunction::new(original, original, &none, &none)?;
    value.writes_lists = writes_lists.is_truthy()?;
    value.receiver = if receiver.is_none() { None } else { Some(Slot::new(receiver)?) };
    let global = if receiver.is_none() { Some(original.getattr(intern!(call.py(), "__self__"))?) } else { None };
    value.draw = Draw::new(name, class, global)?;
    object(call.py(), value)
}

/// A native function in Python, whose calls on few elements NumPy's runs, and whose most common call the extension: the arguments are those of
/// `native_function`.
pub(crate) fn native_function<'py>(
    call: Arguments<'_, 'py>,
    known: impl FnOnce(&str) -> Option<(CommonCall, bool)>,
) -> PyResult<Bound<'py, PyAny>> {
    let [original, direct, name, reason, function, few] = call.positions() else {
        return Err(PyTypeError::new_err("native_function takes six arguments"));
    };
    let mut value = NumpyFunction::new(original, direct, name, reason)?;
    value.common = known(name.cast::<PyString>()?.to_str()?);
    value.method = method_of(original, name)?;
    value.native = Some(Native { function: function.clone().unbind(), few: few.extract()? });
    object(call.py(), value)
}

/// An object of the class derived from [`NumpyFunction`]'s.
fn object(py: Python<'_>, value: NumpyFunction) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Callable> = PyOnceLock::new();
    let class =
        CLASS.get_or_try_init(py, || Callable::derive::<NumpyFunction>(py, c"fastnp._fastnp.function", true))?;
    // SAFETY: the class was derived from this one, and the function is its.
    unsafe { class.object(py, value, called::<NumpyFunction>) }
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_plain_types, module)?)?;
    crate::interpreter::fastcall::add(
        module,
        &[
            (
                c"draw_function",
                c"draw_function(original, receiver, name, class, writes_lists, /)\n--\n\n",
                entry!(draw_function),
            ),
            (c"unbound_method", c"unbound_method(original, method, /)\n--\n\n", entry!(unbound_method)),
        ],
    )
}
