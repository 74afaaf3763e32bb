//! Keyword arguments of ufuncs: `out`, `where`, `dtype`, `signature`, `casting`, `order`. Others are left to NumPy.

use crate::call::argument::{Arg, is_sequence, parse_any};
use crate::call::array_arguments::order_of;
use crate::interpreter::dtype::{RequestedType, requested};
use crate::object::ndarray::NdArray;
use fastnp::{Array, Casting, DType, Op, Order, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyEllipsis, PyString, PyTuple};

/// The destination of a result.
pub(crate) enum Out<'py> {
    /// A new array or, without axes, a scalar.
    New,
    /// A new array, also without axes: `out=...`.
    NewArray,
    /// This array.
    Given(Bound<'py, NdArray>),
}

impl<'py> Out<'py> {
    /// Parses `out=`, also as a tuple of one array; `None` if it is not an array object.
    pub(crate) fn read(value: &Bound<'py, PyAny>) -> PyResult<Option<Out<'py>>> {
        let value = match value.cast::<PyTuple>() {
            Ok(tuple) if tuple.len() == 1 && !tuple.get_item(0)?.is_instance_of::<PyEllipsis>() => tuple.get_item(0)?,
            Ok(_) => return Ok(None),
            Err(_) => value.clone(),
        };
        Ok(if value.is_none() {
            Some(Out::New)
        } else if value.is_instance_of::<PyEllipsis>() {
            Some(Out::NewArray)
        } else {
            value.cast_into_exact::<NdArray>().ok().map(Out::Given)
        })
    }

    /// Parses `out` by position, or of a method of arrays: NumPy refuses a tuple and `...` there.
    pub(crate) fn read_array(value: &Bound<'py, PyAny>) -> PyResult<Option<Out<'py>>> {
        if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyEllipsis>() {
            return Ok(None);
        }
        Out::read(value)
    }

    /// The result as a Python object.
    pub(crate) fn to_py_result(&self, py: Python<'py>, result: Array) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Out::New => crate::call::ufunc_call::wrap(py, result),
            Out::NewArray => crate::object::construct::new_object(py, result),
            Out::Given(out) => Ok(out.clone().into_any()),
        }
    }
}

/// Parses `where=`: `Some(None)` for `True`, `None` for what is not native.
pub(crate) fn mask_of(value: &Bound<'_, PyAny>) -> PyResult<Option<Option<Array>>> {
    let py = value.py();
    if value.is(PyBool::new(py, true).as_any()) {
        return Ok(Some(None));
    }
    let given = parse_any(value)?;
    let mask = match given.value(py)? {
        Some(Value::Array(array)) if array.dtype() == DType::Bool => Ok(array.clone()),
        // NumPy casts arrays safely only; the items of a list become bools.
        Some(Value::Array(array)) if is_sequence(value) => array.cast(DType::Bool),
        Some(Value::Scalar(scalar)) if scalar.dtype() == DType::Bool => Array::full(&[], scalar, Order::C),
        _ => return Ok(None),
    };
    crate::interpreter::error::to_py_result(py, mask).map(|mask| Some(Some(mask)))
}

/// The arguments of a ufunc call besides its inputs.
pub(crate) struct Keywords<'py> {
    pub(crate) out: Out<'py>,
    pub(crate) dtype: Option<DType>,
    pub(crate) casting: Option<Casting>,
    pub(crate) order: Option<Order>,
    pub(crate) mask: Option<Array>,
    /// Whether `out` was given, even as None.
    pub(crate) has_out: bool,
}

impl<'py> Keywords<'py> {
    /// Parses a call's arguments after its inputs; `None` if one of them is not native.
    pub(crate) fn read(
        op: Op,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Keywords<'py>>> {
        let mut found = Keywords { out: Out::New, dtype: None, casting: None, order: None, mask: None, has_out: false };
        if args.len() > op.arity() {
            match Out::read_array(&args.get_item(op.arity())?)? {
                Some(out) => (found.out, found.has_out) = (out, true),
                None => return Ok(None),
            }
        }
        let mut typed = false;
        for (name, value) in kwargs.into_iter().flat_map(|k| k.iter()) {
            let name = name.cast::<PyString>()?.to_str()?;
            if matches!(name, "dtype" | "signature" | "sig") && !value.is_none() && std::mem::replace(&mut typed, true)
            {
                return Ok(None);
            }
            if name == "out" && found.has_out || !found.take(op, name, &value)? {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Parses one keyword; false if it is not native.
    fn take(&mut self, op: Op, name: &str, value: &Bound<'py, PyAny>) -> PyResult<bool> {
        match name {
            "out" => match Out::read(value)? {
                Some(out) => (self.out, self.has_out) = (out, true),
                None => return Ok(false),
            },
            "where" => match mask_of(value)? {
                Some(mask) => self.mask = mask,
                None => return Ok(false),
            },
            "dtype" | "signature" | "sig" if value.is_none() => {}
            "dtype" => match requested(value)? {
                RequestedType::Native(dtype) => return Ok(self.returns(op, dtype)),
                RequestedType::Other => return Ok(false),
            },
            "signature" | "sig" => return self.takes(op, value),
            "casting" => match value.extract::<&str>() {
                Ok("no" | "equiv") => self.casting = Some(Casting::No),
                Ok("safe") => self.casting = Some(Casting::Safe),
                Ok("same_kind") => self.casting = Some(Casting::SameKind),
                Ok("unsafe") => self.casting = Some(Casting::Unsafe),
                _ => return Ok(false),
            },
            "order" => match value.extract::<Option<&str>>() {
                Ok(order) => match order_of(order, Order::K) {
                    Some(order) => self.order = (order != Order::K).then_some(order),
                    None => return Ok(false),
                },
                Err(_) => return Ok(false),
            },
            // No array object is of a derived class.
            "subok" => return Ok(value.is_exact_instance_of::<PyBool>()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Selects the loop that returns a type; false if that loop does not also compute in it.
    fn returns(&mut self, op: Op, dtype: DType) -> bool {
        if op.row().result == fastnp::ResultRule::Bool {
            // Every loop of such an op returns bools.
            return dtype == DType::Bool;
        }
        self.dtype = Some(dtype);
        op.has_loop(dtype) && op.result(dtype) == dtype
    }

    /// Selects the loop of a signature, like `"dd->d"` or `(None, None, "d")`; false if it is not a loop of the table.
    fn takes(&mut self, op: Op, signature: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(text) = signature.cast_exact::<PyString>() {
            let text = text.to_str()?.as_bytes();
            let arity = op.arity();
            let arrow = text.len() == arity + 3 && &text[arity..arity + 2] == b"->";
            let Some(dtype) = text.first().filter(|_| arrow).and_then(|&code| DType::from_code(code)) else {
                return Ok(false);
            };
            self.dtype = Some(dtype);
            let same = text[..arity].iter().all(|&code| code == dtype.code());
            return Ok(same && op.has_loop(dtype) && text[arity + 2] == op.result(dtype).code());
        }
        match signature.cast::<PyTuple>() {
            Ok(tuple) if tuple.len() == op.arity() + 1 => {
                let last = tuple.get_item(op.arity())?;
                if !tuple.iter().take(op.arity()).all(|t| t.is_none()) || last.is_none() {
                    return Ok(false);
                }
                Ok(match requested(&last)? {
                    RequestedType::Native(dtype) => self.returns(op, dtype),
                    RequestedType::Other => false,
                })
            }
            _ => Ok(false),
        }
    }

    /// Whether the core can check the casts: under strict casting Python's numbers have rules of their own, which are left to NumPy.
    pub(crate) fn fits(&self, inputs: &[Arg<'_>]) -> bool {
        let strict = matches!(self.casting, Some(Casting::No | Casting::Safe));
        let from_python_type =
            |arg: &Arg<'_>| matches!(arg, Arg::Number(Value::Int(_) | Value::Float(_) | Value::Complex(_)));
        !(strict && inputs.iter().any(from_python_type))
    }
}
