//! Native methods of the array class. All others of NumPy's go through `__getattr__` to the fallback.

use crate::call::argument::{Arg, parse_any, parse_fast};
use crate::call::array_arguments::{axes_of, native, order_of};
use crate::call::assign::fits;
use crate::call::ufunc_call::wrap;
use crate::fallback::method::{numpy_error, numpy_method};
use crate::interop::numpy_memory::numpy_of;
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::exact_int::int_at;
use crate::interpreter::fastcall::Arguments;
use crate::object::construct::{new_object, new_view_with, view_of, view_of_open};
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use crate::object::raw_slots::{method, method_entry, of_array};
use fastnp::{Array, DType, Error, ErrorKind, Index, Op, Order, Value, apply};
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString, PyTuple, PyType};
use smallvec::SmallVec;

type Object<'py> = Bound<'py, PyAny>;
type Args<'py> = Bound<'py, PyTuple>;
type Kwargs<'a, 'py> = &'a Bound<'py, PyDict>;
type Axes = SmallVec<[isize; 4]>;

/// Integers, given as arguments or as one sequence; `None` for anything else.
fn integers(args: &[Object<'_>]) -> Option<Axes> {
    if let [first] = args {
        if let Ok(tuple) = first.cast::<PyTuple>() {
            return tuple.iter_borrowed().map(|n| integer(&n)).collect();
        }
        if let Some(n) = integer(first) {
            return Some(SmallVec::from_iter([n]));
        }
        return first.try_iter().ok()?.map(|n| integer(&n.ok()?)).collect();
    }
    args.iter().map(integer).collect()
}

/// An integer; `None` for a bool.
fn integer(value: &Object<'_>) -> Option<isize> {
    if value.is_instance_of::<PyBool>() { None } else { value.extract().ok() }
}

/// A shape with the extent -1 replaced by the inferred one; `None` if that is impossible.
fn inferred(given: &[isize], size: usize) -> Option<SmallVec<[usize; 4]>> {
    let known = given.iter().filter(|&&n| n != -1).try_fold(1usize, |p, &n| p.checked_mul(usize::try_from(n).ok()?))?;
    let rest = match given.iter().filter(|&&n| n == -1).count() {
        0 => 1,
        1 => size.checked_div(known)?,
        _ => return None,
    };
    Some(given.iter().map(|&n| if n == -1 { rest } else { n as usize }).collect())
}

/// The argument of a method that only takes `order`; `None` if it is left to NumPy.
fn sole_order(call: Arguments<'_, '_>) -> PyResult<Option<Order>> {
    Ok(match call.read(["order"])? {
        Some([None]) => Some(Order::C),
        Some([Some(order)]) => order.extract::<&str>().ok().and_then(|order| order_of(Some(order), Order::C)),
        None => None,
    })
}

/// Calls NumPy's method for arguments that are left to it.
#[cold]
fn numpy_call<'py>(this: &Bound<'py, NdArray>, name: &str, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    numpy_error(this, name, &call.tuple()?, Some(&call.dict()?), unparsed())
}

/// The error for arguments that are left to NumPy.
fn unparsed() -> Error {
    Error::new(ErrorKind::Value, "")
}

/// `astype`.
fn astype<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    let mut copy = true;
    let mut simple = call.positions().len() == 1;
    for (name, value) in call.named() {
        match name.cast::<PyString>()? {
            name if name == "copy" => copy = value.is_truthy()?,
            _ => simple = false,
        }
    }
    let to = if simple { native(call.positions().first())?.flatten() } else { None };
    let me = this.open();
    let from = me.dtype(py)?;
    match to {
        Some(to) if to.is_complex() || !from.is_complex() => {
            if to == from && !copy {
                return Ok(this.as_any().clone());
            }
            if let Some(selection) = me.selection() {
                let cast = to_py_result(py, selection.cast(to))?;
                return new_object(py, cast);
            }
            new_object(py, to_py_result(py, me.array(py)?.cast(to))?)
        }
        _ => numpy_method(this, "astype", &call.tuple()?, Some(&call.dict()?)),
    }
}

/// `copy`.
fn copy<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    match sole_order(call)? {
        Some(order) => new_object(py, to_py_result(py, this.open().array(py)?.copy(order))?),
        None => numpy_call(this, "copy", call),
    }
}

/// `__copy__`.
fn shallow_copy<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    match call.is_empty() {
        true => new_object(py, to_py_result(py, this.open().array(py)?.copy(Order::K))?),
        false => numpy_call(this, "__copy__", call),
    }
}

/// `flatten`.
fn flatten<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    let Some(order) = sole_order(call)? else { return numpy_call(this, "flatten", call) };
    let me = this.open();
    let array = me.array(py)?;
    let flat = to_py_result(py, flat(array, order))?;
    new_object(py, if flat.same_storage(array) { to_py_result(py, flat.copy(Order::C))? } else { flat })
}

/// `ravel`.
fn ravel<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    let Some(order) = sole_order(call)? else { return numpy_call(this, "ravel", call) };
    let me = this.open();
    let array = me.array(py)?;
    // An array of one axis has the same elements in column-major order.
    if (order != Order::F || array.ndim() == 1) && array.is_c_contiguous() {
        return to_py_result(
            py,
            new_view_with(this, &me, array, |view| view.set_flat_of(array).then_some(()).ok_or_else(unparsed))?,
        );
    }
    let flat = to_py_result(py, flat(array, order))?;
    if !flat.same_storage(array) {
        return new_object(py, flat);
    }
    // As in NumPy, a view only if the elements are dense.
    if flat.is_c_contiguous() {
        view_of_open(this, &me, flat)
    } else {
        new_object(py, to_py_result(py, flat.copy(Order::C))?)
    }
}

/// `item`.
fn item<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    let me = this.open();
    let array = me.array(py)?;
    // The usual call: in the general form it takes a tenth longer.
    if let Some(at) = call.sole()
        // SAFETY: the object is alive.
        && let Some(at) = unsafe { int_at(at.as_ptr()) }
        && array.ndim() == 1
        && let Some(value) = to_py_result(py, array.get(&[Index::At(at as isize)]))?
    {
        return dtype::to_python(py, value);
    }
    let args = call.positions();
    let found = match integers(args) {
        _ if call.named().next().is_some() => None,
        _ if args.is_empty() => array.item().ok(),
        Some(at) if at.len() == array.ndim() && at.len() == args.len() => {
            let parts: SmallVec<[Index; 4]> = at.into_iter().map(Index::At).collect();
            array.get(&parts).ok().flatten()
        }
        _ => None,
    };
    if let Some(value) = to_py_result(py, Ok(found))? {
        return dtype::to_python(py, value);
    }
    numpy_of(this)?.call_method("item", call.tuple()?, Some(&call.dict()?))
}

/// `reshape`.
fn reshape<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    let me = this.open();
    let array = me.array(py)?;
    let shape = integers(call.positions()).and_then(|given| inferred(&given, array.size()));
    let mut order = Some(Order::C);
    for (name, value) in call.named() {
        let known = name.cast::<PyString>()? == "order";
        order = order.filter(|_| known).and_then(|_| order_of(Some(value.extract::<&str>().ok()?), Order::C));
    }
    let (Some(shape), Some(order)) = (shape, order) else { return numpy_call(this, "reshape", call) };
    match array.reshape_order(&shape, order) {
        Ok(_) if order == Order::K => numpy_call(this, "reshape", call),
        Ok(reshaped) if reshaped.same_storage(array) => view_of_open(this, &me, reshaped),
        Ok(reshaped) => {
            // As in NumPy, a view of the copy.
            let copy = new_object(py, reshaped.clone())?;
            view_of(copy.cast::<NdArray>()?, reshaped)
        }
        Err(error) => numpy_error(this, "reshape", &call.tuple()?, Some(&call.dict()?), error),
    }
}

/// `transpose`.
fn transpose<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let me = this.open();
    let array = me.array(this.py())?;
    let view = match call.positions() {
        _ if call.named().next().is_some() => Err(unparsed()),
        [] => Ok(array.t()),
        [none] if none.is_none() => Ok(array.t()),
        axes => integers(axes).ok_or_else(unparsed).and_then(|axes| array.transpose(&axes)),
    };
    match view {
        Ok(view) => view_of_open(this, &me, view),
        Err(error) => numpy_error(this, "transpose", &call.tuple()?, Some(&call.dict()?), error),
    }
}

/// `fill`.
fn fill<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let (py, me) = (this.py(), this.open());
    let array = me.array(py)?;
    if let Some(value) = call.sole()
        && let Arg::Number(number) = parse_fast(value)?
        && fits(number, array.dtype())
        && array.assign(number).is_ok()
    {
        return to_py_result(py, Ok(py.None().into_bound(py)));
    }
    numpy_method(this, "fill", &call.tuple()?, Some(&call.dict()?))
}

/// `tobytes`.
fn tobytes<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    let me = this.open();
    let array = me.array(py)?;
    if !call.is_empty() || !array.is_c_contiguous() {
        return numpy_method(this, "tobytes", &call.tuple()?, Some(&call.dict()?));
    }
    let address = to_py_result(py, array.address())?;
    let bytes = match array.nbytes() {
        0 => &[],
        // SAFETY: dense elements that are computed and stay where they are while the GIL is held, as Python's copy of them is made.
        bytes => unsafe { std::slice::from_raw_parts(address, bytes) },
    };
    Ok(PyBytes::new(py, bytes).into_any())
}

/// `view`.
fn view<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    if call.is_empty() {
        return view_of(this, this.open().array(py)?.clone());
    }
    let ours = NdArray::type_object(py);
    if let Some([requested, class]) = call.read(["dtype", "type"])?
        && let Some(given) = requested.or(class)
        && (requested.is_none() || class.is_none())
    {
        if given.is(&ours) {
            return view_of(this, this.open().array(py)?.clone());
        }
        let me = this.open();
        let array = me.array(py)?;
        // Any byte may be seen as a bool, but only some are.
        if requested.is_some()
            && (!given.is_instance_of::<PyType>() || dtype::is_scalar_type(given)?)
            && let Some(Some(to)) = native(requested)?
            && to != DType::Bool
            && let Ok(view) = array.view_dtype(to)
        {
            return view_of_open(this, &me, view);
        }
    }
    numpy_method(this, "view", &call.tuple()?, Some(&call.dict()?))
}

/// `swapaxes`.
fn swapaxes<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let me = this.open();
    let array = me.array(this.py())?;
    let given = call.positions();
    let axes = integers(given).filter(|axes| given.len() == 2 && axes.len() == 2 && call.named().next().is_none());
    let view = axes.ok_or_else(unparsed).and_then(|axes| {
        let a = fastnp::normalize_axis(axes[0], array.ndim())?;
        let b = fastnp::normalize_axis(axes[1], array.ndim())?;
        let mut order: Axes = (0..array.ndim() as isize).collect();
        order.swap(a, b);
        array.transpose(&order)
    });
    match view {
        Ok(view) => view_of_open(this, &me, view),
        Err(error) => numpy_error(this, "swapaxes", &call.tuple()?, Some(&call.dict()?), error),
    }
}

/// `diagonal`.
fn diagonal<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let me = this.open();
    let array = me.array(this.py())?;
    let number = |value: Option<&Object<'_>>, otherwise| value.map_or(Some(otherwise), integer);
    let view = call
        .read(["offset", "axis1", "axis2"])?
        .and_then(|[offset, axis1, axis2]| Some((number(offset, 0)?, number(axis1, 0)?, number(axis2, 1)?)))
        .ok_or_else(unparsed)
        .and_then(|(offset, axis1, axis2)| array.diagonal(offset, axis1, axis2));
    match view {
        Ok(view) => view_of_open(this, &me, view),
        Err(error) => numpy_error(this, "diagonal", &call.tuple()?, Some(&call.dict()?), error),
    }
}

/// `squeeze`.
fn squeeze<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let me = this.open();
    let array = me.array(this.py())?;
    let axis = match call.read(["axis"])? {
        Some([None]) if !array.shape().contains(&1) => return Ok(this.as_any().clone()),
        Some([axis]) => axes_of(axis).map_err(|_| unparsed()),
        None => Err(unparsed()),
    };
    match axis.and_then(|axes| array.squeeze(axes.as_deref())) {
        // No axis to remove: the array itself.
        Ok(view) if view.ndim() == array.ndim() => Ok(this.as_any().clone()),
        Ok(view) => view_of_open(this, &me, view),
        Err(error) => numpy_error(this, "squeeze", &call.tuple()?, Some(&call.dict()?), error),
    }
}

pyo3::inventory::submit! {
    of_array(&[
        method(c"astype", method_entry!(astype)),
        method(c"copy", method_entry!(copy)),
        method(c"__copy__", method_entry!(shallow_copy)),
        method(c"diagonal", method_entry!(diagonal)),
        method(c"fill", method_entry!(fill)),
        method(c"flatten", method_entry!(flatten)),
        method(c"item", method_entry!(item)),
        method(c"ravel", method_entry!(ravel)),
        method(c"reshape", method_entry!(reshape)),
        method(c"squeeze", method_entry!(squeeze)),
        method(c"swapaxes", method_entry!(swapaxes)),
        method(c"tobytes", method_entry!(tobytes)),
        method(c"transpose", method_entry!(transpose)),
        method(c"view", method_entry!(view)),
    ], &[])
}

#[pymethods]
impl NdArray {
    #[pyo3(text_signature = "($self, memo, /)")]
    fn __deepcopy__<'py>(this: &Bound<'py, Self>, _memo: &Object<'py>) -> PyResult<Object<'py>> {
        new_object(this.py(), to_py_result(this.py(), this.open().array(this.py())?.copy(Order::K))?)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, other, /, out=None)"
    )]
    fn dot<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Kwargs<'_, 'py>>) -> PyResult<Object<'py>> {
        if args.len() == 1 && kwargs.is_none() {
            return crate::call::functions::product(this.as_any(), &args.get_item(0)?, "dot");
        }
        numpy_method(this, "dot", args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, min=None, max=None, out=None, **kwargs)"
    )]
    fn clip<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Kwargs<'_, 'py>>) -> PyResult<Object<'py>> {
        let py = this.py();
        let two = args.len() == 2 || (args.len() == 3 && args.get_item(2)?.is_none());
        if two && kwargs.is_none_or(|k| k.is_empty()) {
            let me = this.open();
            let array = me.array(py)?;
            let (low, high) = (args.get_item(0)?, args.get_item(1)?);
            let (low, high) = (parse_any(&low)?, parse_any(&high)?);
            if let (Some(low), Some(high)) = (low.value(py)?, high.value(py)?)
                && let Ok(result) = clipped(array, low, high)
            {
                return wrap(py, result);
            }
        }
        numpy_method(this, "clip", args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /)"
    )]
    fn conj<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Kwargs<'_, 'py>>) -> PyResult<Object<'py>> {
        NdArray::conjugate(this, args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /)"
    )]
    fn conjugate<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Kwargs<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        let py = this.py();
        if !args.is_empty() || kwargs.is_some() {
            return numpy_method(this, "conjugate", args, kwargs);
        }
        if this.open().dtype(py)?.is_complex() {
            crate::call::ufunc_call::unary(Op::Conjugate, this.as_any())
        } else {
            Ok(this.as_any().clone())
        }
    }
}

fn flat(array: &Array, order: Order) -> fastnp::Result<Array> {
    match order {
        // A dense array of one axis is flat already.
        _ if array.ndim() == 1 && array.is_c_contiguous() => Ok(array.clone()),
        Order::K => array.transpose(&array.axes_in_memory())?.reshape(&[array.size()]),
        other => array.reshape_order(&[array.size()], other),
    }
}

/// `minimum(maximum(a, low), high)` where the bounds do not change the type.
fn clipped(array: &Array, low: Value<'_>, high: Value<'_>) -> fastnp::Result<Array> {
    let raised = apply(Op::Maximum, &[array.into(), low])?;
    apply(Op::Minimum, &[(&raised).into(), high])
}
