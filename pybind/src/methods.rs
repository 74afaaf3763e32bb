//! Methods of arrays that the engine runs; every other one of NumPy's goes through `__getattr__` to the fallback.

use crate::arg::full;
use crate::call::wrap;
use crate::dtype::{Asked, asked};
use crate::foreign::to_numpy;
use crate::ndarray::{NdArray, attribute, object};
use crate::deliver;
use fastnp::{Array, DType, Op, Order, Shape, Value, apply};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyTuple};
use smallvec::SmallVec;

/// Axes given as `axis=`: none, an integer, or a tuple of integers.
pub(crate) fn axes_of(axis: Option<&Bound<'_, PyAny>>) -> PyResult<Option<SmallVec<[isize; 4]>>> {
    let Some(axis) = axis.filter(|a| !a.is_none()) else { return Ok(None) };
    if let Ok(tuple) = axis.cast::<PyTuple>() {
        return tuple.iter().map(|a| a.extract()).collect::<PyResult<_>>().map(Some);
    }
    Ok(Some(SmallVec::from_iter([axis.extract::<isize>()?])))
}

/// A shape given as an integer or a sequence; one extent may be -1, which `size` then decides.
pub(crate) fn shape_of(shape: &Bound<'_, PyAny>, size: usize) -> PyResult<Shape> {
    let given: SmallVec<[isize; 4]> = if shape.is_exact_instance_of::<PyInt>() {
        SmallVec::from_iter([shape.extract()?])
    } else if let Ok(n) = shape.extract::<isize>() {
        SmallVec::from_iter([n])
    } else {
        shape.try_iter()?.map(|n| n?.extract()).collect::<PyResult<_>>()?
    };
    infer(&given, size)
}

fn infer(given: &[isize], size: usize) -> PyResult<Shape> {
    let unknown = given.iter().filter(|&&n| n == -1).count();
    if unknown > 1 {
        return Err(PyValueError::new_err("can only specify one unknown dimension"));
    }
    if given.iter().any(|&n| n < -1) {
        return Err(PyValueError::new_err("negative dimensions are not allowed"));
    }
    let known = given.iter().filter(|&&n| n >= 0).try_fold(1usize, |p, &n| p.checked_mul(n as usize)).unwrap_or(usize::MAX);
    if unknown == 1 && (known == 0 || size % known != 0) || unknown == 0 && known != size {
        let list: Vec<String> = given.iter().map(isize::to_string).collect();
        let tuple = if list.len() == 1 { format!("({},)", list[0]) } else { format!("({})", list.join(",")) };
        return Err(PyValueError::new_err(format!("cannot reshape array of size {size} into shape {tuple}")));
    }
    Ok(given.iter().map(|&n| if n == -1 { size / known } else { n as usize }).collect())
}

/// Integers given one by one or as one sequence.
fn integers(args: &Bound<'_, PyTuple>) -> PyResult<SmallVec<[isize; 4]>> {
    if args.len() == 1 {
        let first = args.get_item(0)?;
        if first.extract::<isize>().is_err() {
            return first.try_iter()?.map(|n| n?.extract()).collect();
        }
    }
    args.iter().map(|n| n.extract()).collect()
}

/// `order=` of NumPy.
pub(crate) fn order_of(order: Option<&str>, default: Order) -> PyResult<Order> {
    Ok(match order {
        None => default,
        Some("C" | "c") => Order::C,
        Some("F" | "f") => Order::F,
        Some("A" | "a") => Order::A,
        Some("K" | "k") => Order::K,
        Some(other) => {
            return Err(PyValueError::new_err(format!("order must be one of 'C', 'F', 'A', or 'K' (got '{other}')")));
        }
    })
}

pub(crate) fn native(dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Option<DType>>> {
    match dtype.filter(|d| !d.is_none()) {
        None => Ok(Some(None)),
        Some(d) => Ok(match asked(d)? {
            Asked::Native(d) => Some(Some(d)),
            Asked::Other => None,
        }),
    }
}

/// A method of NumPy's on this array.
pub(crate) fn numpy_method<'py>(
    this: &Bound<'py, NdArray>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    attribute(this, name)?.call(args, kwargs)
}

#[pymethods]
impl NdArray {
    #[pyo3(signature = (order=None))]
    fn copy<'py>(&self, py: Python<'py>, order: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let order = order_of(order, Order::C)?;
        object(py, deliver(py, self.array(py)?.copy(order))?)
    }

    fn __copy__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, deliver(py, self.array(py)?.copy(Order::K))?)
    }

    fn __deepcopy__<'py>(&self, py: Python<'py>, _memo: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        object(py, deliver(py, self.array(py)?.copy(Order::K))?)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn astype<'py>(
        this: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let mut copy = true;
        let mut simple = args.len() == 1;
        for (name, value) in kwargs.into_iter().flat_map(|k| k.iter()) {
            match name.extract::<String>()?.as_str() {
                "copy" => copy = value.is_truthy()?,
                _ => simple = false,
            }
        }
        let to = if simple { native(Some(&args.get_item(0)?))?.flatten() } else { None };
        let me = this.borrow();
        let from = crate::attributes::dtype_of(py, &me)?;
        match to {
            Some(to) if to.is_complex() || !from.is_complex() => {
                if to == from && !copy {
                    return Ok(this.as_any().clone());
                }
                if let Some(selection) = me.selection() {
                    let cast = deliver(py, selection.cast(to))?;
                    return Ok(Bound::new(py, NdArray::from(cast))?.into_any());
                }
                object(py, deliver(py, me.array(py)?.cast(to))?)
            }
            _ => numpy_method(this, "astype", args, kwargs),
        }
    }

    fn fill(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        this.set_item(this.py().Ellipsis(), value)
    }

    #[pyo3(signature = (*args))]
    fn item<'py>(this: &Bound<'py, Self>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        to_numpy(py, this.borrow().array(py)?)?.call_method1("item", args)
    }

    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_numpy(py, self.array(py)?)?.call_method0("tolist")
    }

    #[pyo3(signature = (order="C"))]
    fn flatten<'py>(&self, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array(py)?;
        let flat = deliver(py, flat(array, order_of(Some(order), Order::C)?))?;
        object(py, if flat.same_storage(array) { deliver(py, flat.copy(Order::C))? } else { flat })
    }

    #[pyo3(signature = (order="C"))]
    fn ravel<'py>(&self, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array(py)?;
        let flat = deliver(py, flat(array, order_of(Some(order), Order::C)?))?;
        // A view only where the elements are dense, as in NumPy.
        let dense = array.is_c_contiguous() || array.is_f_contiguous() || !flat.same_storage(array);
        object(py, if dense { flat } else { deliver(py, flat.copy(Order::C))? })
    }

    #[pyo3(signature = (*shape, order=None, copy=None))]
    fn reshape<'py>(
        &self,
        py: Python<'py>,
        shape: &Bound<'py, PyTuple>,
        order: Option<&str>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array(py)?;
        let shape = infer(&integers(shape)?, array.size())?;
        let reshaped = deliver(py, array.reshape_order(&shape, order_of(order, Order::C)?))?;
        let shared = reshaped.same_storage(array);
        match copy {
            Some(true) if shared => object(py, deliver(py, reshaped.copy(Order::C))?),
            Some(false) if !shared => Err(PyValueError::new_err(
                "Unable to avoid creating a copy while reshaping.",
            )),
            _ => object(py, reshaped),
        }
    }

    #[pyo3(signature = (*axes))]
    fn transpose<'py>(&self, py: Python<'py>, axes: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array(py)?;
        if axes.is_empty() || (axes.len() == 1 && axes.get_item(0)?.is_none()) {
            return object(py, array.t());
        }
        object(py, deliver(py, array.transpose(&integers(axes)?))?)
    }

    fn swapaxes<'py>(&self, py: Python<'py>, axis1: isize, axis2: isize) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array(py)?;
        let a = deliver(py, fastnp::normalize_axis(axis1, array.ndim()))?;
        let b = deliver(py, fastnp::normalize_axis(axis2, array.ndim()))?;
        let mut axes: Vec<isize> = (0..array.ndim() as isize).collect();
        axes.swap(a, b);
        object(py, deliver(py, array.transpose(&axes))?)
    }

    #[pyo3(signature = (axis=None))]
    fn squeeze<'py>(&self, py: Python<'py>, axis: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let axes = axes_of(axis)?;
        object(py, deliver(py, self.array(py)?.squeeze(axes.as_deref()))?)
    }

    #[pyo3(signature = (b, out=None))]
    fn dot<'py>(
        this: &Bound<'py, Self>,
        b: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match out.filter(|o| !o.is_none()) {
            Some(out) => attribute(this, "dot")?.call1((b, out)),
            None => crate::create::product(this.as_any(), b, "dot"),
        }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn clip<'py>(
        this: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let two = args.len() == 2 || (args.len() == 3 && args.get_item(2)?.is_none());
        if two && kwargs.is_none_or(|k| k.is_empty()) {
            let me = this.borrow();
            let array = me.array(py)?;
            let (low, high) = (full(&args.get_item(0)?)?, full(&args.get_item(1)?)?);
            if let (Some(low), Some(high)) = (low.value(py)?, high.value(py)?)
                && let Ok(result) = clipped(array, low, high)
            {
                return wrap(py, result);
            }
        }
        numpy_method(this, "clip", args, kwargs)
    }

    fn conj<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        NdArray::conjugate(this)
    }

    fn conjugate<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        if crate::attributes::dtype_of(py, &this.borrow())?.is_complex() {
            crate::call::unary(Op::Conjugate, this.as_any())
        } else {
            Ok(this.as_any().clone())
        }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn view<'py>(
        this: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        if args.is_empty() && kwargs.is_none() {
            return object(py, this.borrow().array(py)?.clone());
        }
        numpy_method(this, "view", args, kwargs)
    }

    #[pyo3(signature = (write=None, align=None, uic=None))]
    fn setflags(
        &mut self,
        py: Python<'_>,
        write: Option<bool>,
        align: Option<bool>,
        uic: Option<bool>,
    ) -> PyResult<()> {
        let _ = align;
        if uic == Some(true) {
            return Err(PyValueError::new_err("cannot set WRITEBACKIFCOPY flag to True"));
        }
        if let Some(write) = write {
            let mut array = self.array(py)?.clone();
            array.set_writeable(write);
            self.repr = crate::ndarray::Repr::Dense(array);
        }
        Ok(())
    }
}

fn flat(array: &Array, order: Order) -> fastnp::Result<Array> {
    match order {
        Order::K => {
            // Elements in memory order: the axes sorted by stride, slowest first.
            let mut axes: Vec<isize> = (0..array.ndim() as isize).collect();
            axes.sort_by_key(|&a| std::cmp::Reverse(array.strides()[a as usize].unsigned_abs()));
            array.transpose(&axes)?.reshape(&[array.size()])
        }
        other => array.reshape_order(&[array.size()], other),
    }
}

/// `minimum(maximum(a, low), high)` where the bounds do not change the type.
fn clipped(array: &Array, low: Value<'_>, high: Value<'_>) -> fastnp::Result<Array> {
    let raised = apply(Op::Maximum, &[array.into(), low])?;
    apply(Op::Minimum, &[(&raised).into(), high])
}
