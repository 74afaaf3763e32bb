//! Parameters of a compiled loop: the exact type that a value must have, and the words of the frame that it becomes.

use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::exact_int::int_at;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{DType, Export, Scalar};
use numpy::npyffi::{NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE, PyArrayObject};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyRange};
use smallvec::SmallVec;
use std::ops::Range;

/// The words of a frame.
pub(crate) type Words = SmallVec<[u64; 64]>;

/// Keeps the memory of arrays of ours where the frame says it is.
pub(crate) type Exports = SmallVec<[Export; 8]>;

/// What a value must be. Its class is checked exactly.
pub(crate) enum Parameter {
    /// An `int` of 64 bits.
    Int,
    Float,
    Bool,
    /// A NumPy scalar.
    Scalar(DType),
    /// A `range` whose three numbers have 64 bits: start, stop, step.
    Range,
    /// An array, of ours or of exactly NumPy's class: the address, the extents, the strides.
    Array(ArrayParameter),
}

/// What an array must be.
pub(crate) struct ArrayParameter {
    dtype: DType,
    ndim: usize,
    /// Whether the elements of the last axis lie one after another.
    is_dense: bool,
    is_written: bool,
    /// The axes from the slowest to the fastest in memory, if the code relies on their order; else none.
    order: SmallVec<[u8; 8]>,
}

/// The core type of one of NumPy's characters.
pub(crate) fn of_char(char: u8) -> Option<DType> {
    Some(match char {
        b'?' => DType::Bool,
        b'b' => DType::I8,
        b'h' => DType::I16,
        b'i' => DType::I32,
        b'l' | b'q' => DType::I64,
        b'B' => DType::U8,
        b'H' => DType::U16,
        b'I' => DType::U32,
        b'L' | b'Q' => DType::U64,
        b'f' => DType::F32,
        b'd' => DType::F64,
        b'F' => DType::C64,
        b'D' => DType::C128,
        _ => return None,
    })
}

/// The type of the scalar `w:CHAR`: an integer or a truth value.
pub(crate) fn whole_of_char(char: u8) -> Option<DType> {
    of_char(char).filter(|&dtype| dtype == DType::Bool || dtype.is_integer())
}

impl Parameter {
    /// The parameter that a text says: `i`, `f`, `b`; `d`, `s`, `l`, `w:CHAR` for NumPy's scalars; `r`; `A`, a character, the number of axes,
    /// `c` or `s` for the last axis (dense or any), `w` or `r` (must be writeable or not), and the axes from the slowest to the fastest, if
    /// they must be in that order in memory.
    pub(crate) fn parse(text: &str) -> Option<Parameter> {
        Some(match *text.as_bytes() {
            [b'i'] => Parameter::Int,
            [b'f'] => Parameter::Float,
            [b'b'] => Parameter::Bool,
            [b'd'] => Parameter::Scalar(DType::F64),
            [b's'] => Parameter::Scalar(DType::F32),
            [b'l'] => Parameter::Scalar(DType::I64),
            [b'w', b':', char] => Parameter::Scalar(whole_of_char(char)?),
            [b'r'] => Parameter::Range,
            [b'A', char, ndim @ b'0'..=b'9', last @ (b'c' | b's'), access @ (b'w' | b'r'), ref axes @ ..] => {
                let ndim = ndim - b'0';
                let order: SmallVec<[u8; 8]> = axes.iter().map(|axis| axis.wrapping_sub(b'0')).collect();
                if !order.is_empty() && !is_permutation(&order, ndim) {
                    return None;
                }
                let (is_dense, is_written) = (last == b'c', access == b'w');
                Parameter::Array(ArrayParameter {
                    dtype: of_char(char)?,
                    ndim: ndim.into(),
                    is_dense,
                    is_written,
                    order,
                })
            }
            _ => return None,
        })
    }

    /// Words that a value becomes.
    pub(crate) fn words(&self) -> usize {
        match self {
            Parameter::Int | Parameter::Float | Parameter::Bool | Parameter::Scalar(_) => 1,
            Parameter::Range => 3,
            Parameter::Array(array) => 1 + 2 * array.ndim,
        }
    }

    /// The memory from the first to the last element of an array, by its words; none for any other value, or without elements.
    pub(crate) fn memory(&self, words: &[u64]) -> Range<i64> {
        let Parameter::Array(array) = self else { return 0..0 };
        let axes = words[1..=array.ndim].iter().zip(&words[array.ndim + 1..]);
        let start = words[0].cast_signed();
        let mut memory = start..start + array.dtype.size() as i64;
        for (&extent, &stride) in axes {
            if extent == 0 {
                return 0..0;
            }
            let reach = (extent - 1).cast_signed() * stride.cast_signed();
            memory.start += reach.min(0);
            memory.end += reach.max(0);
        }
        memory
    }

    /// Appends the words of a value; false if it is not what it must be, and then what was appended means nothing.
    ///
    /// # Errors
    /// Those of evaluating an array.
    pub(crate) fn push(&self, value: &Bound<'_, PyAny>, words: &mut Words, exports: &mut Exports) -> PyResult<bool> {
        let word = match self {
            Parameter::Int => int(value),
            Parameter::Float => value.cast_exact::<PyFloat>().ok().map(|value| value.value().to_bits()),
            Parameter::Bool => value.cast_exact::<PyBool>().ok().map(|value| value.is_true().into()),
            Parameter::Scalar(dtype) => scalar(value, *dtype)?,
            Parameter::Range => return range(value, words),
            Parameter::Array(array) => return array.push(value, words, exports),
        };
        words.extend(word);
        Ok(word.is_some())
    }
}

/// Whether these are the axes of an array, each once.
fn is_permutation(axes: &[u8], ndim: u8) -> bool {
    axes.len() == usize::from(ndim) && (0..ndim).all(|axis| axes.contains(&axis))
}

/// The value of an exact `int` of 64 bits.
fn int(value: &Bound<'_, PyAny>) -> Option<u64> {
    // SAFETY: an object that is held.
    unsafe { word_of_int(value.as_ptr()) }
}

/// The value of an object that is an exact `int` of 64 bits.
///
/// # Safety
/// The object stays during the call, and the interpreter is held.
pub(crate) unsafe fn word_of_int(object: *mut ffi::PyObject) -> Option<u64> {
    // SAFETY: the caller's contract.
    unsafe { int_at(object) }.map(i64::cast_unsigned)
}

/// The word of a NumPy scalar of a type: the bits of a floating-point number, an integer extended to 64 bits.
pub(crate) fn scalar(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<u64>> {
    let Some(bits) = dtype::bits_of_scalar(value, dtype)? else { return Ok(None) };
    Ok(Some(match dtype {
        DType::F32 | DType::F64 => bits,
        _ => Scalar::from_bits(dtype, bits.into()).to_i64().cast_unsigned(),
    }))
}

fn range(value: &Bound<'_, PyAny>, words: &mut Words) -> PyResult<bool> {
    if value.cast_exact::<PyRange>().is_err() {
        return Ok(false);
    }
    let py = value.py();
    for name in [intern!(py, "start"), intern!(py, "stop"), intern!(py, "step")] {
        let Some(word) = int(&value.getattr(name)?) else { return Ok(false) };
        words.push(word);
    }
    Ok(true)
}

/// Compiled code relies on it that indices do not overflow. Only views of stride 0 are longer.
const LONGEST_AXIS: usize = 1 << 48;

impl ArrayParameter {
    fn push(&self, value: &Bound<'_, PyAny>, words: &mut Words, exports: &mut Exports) -> PyResult<bool> {
        match value.cast_exact::<NdArray>() {
            Ok(ours) => self.push_ours(ours, words, exports),
            Err(_) => self.push_numpys(value, words),
        }
    }

    fn push_ours(&self, value: &Bound<'_, NdArray>, words: &mut Words, exports: &mut Exports) -> PyResult<bool> {
        let py = value.py();
        let me = value.open();
        if me.dtype(py)? != self.dtype {
            return Ok(false);
        }
        let array = me.array(py)?;
        let suits = array.ndim() == self.ndim
            && array.shape().iter().all(|&n| n <= LONGEST_AXIS)
            && (array.is_writeable() || !self.is_written)
            && self.is_dense_enough(array.shape().iter().copied(), array.strides())
            && self.is_in_order(array.shape(), array.strides())
            && self.has_own_elements(array.shape(), array.strides());
        // Memory on a device is left there.
        if !suits || array.dlpack_device().is_some() {
            return Ok(false);
        }
        to_py_result(py, array.address())?;
        let export = to_py_result(py, array.export_for_call())?;
        words.push(export.address().addr() as u64);
        words.extend(array.shape().iter().map(|&n| n as u64));
        words.extend(array.strides().iter().map(|&stride| stride as u64));
        exports.push(export);
        Ok(true)
    }

    fn push_numpys(&self, value: &Bound<'_, PyAny>, words: &mut Words) -> PyResult<bool> {
        let py = value.py();
        if !value.is_exact_instance(dtype::types(py)?.array.bind(py)) {
            return Ok(false);
        }
        // SAFETY: an array of exactly NumPy's class begins with these fields. It has a type, and that many extents and strides; no
        // Python code runs while they are borrowed, but that of a descriptor's attributes, which does not change an array.
        unsafe {
            let fields = &(*value.as_ptr().cast::<PyArrayObject>()).fields;
            let needed = NPY_ARRAY_ALIGNED | if self.is_written { NPY_ARRAY_WRITEABLE } else { 0 };
            if fields.nd as usize != self.ndim || fields.flags & needed != needed {
                return Ok(false);
            }
            if fields.descr.cast() != dtype::raw_descriptor(self.dtype) {
                let descriptor = Bound::from_borrowed_ptr(py, fields.descr.cast());
                if dtype::of_descriptor_unchecked(&descriptor)? != Some(self.dtype) {
                    return Ok(false);
                }
            }
            let (shape, strides): (&[isize], &[isize]) = match self.ndim {
                0 => (&[], &[]), // the pointers may be null
                n => (std::slice::from_raw_parts(fields.dimensions, n), std::slice::from_raw_parts(fields.strides, n)),
            };
            let shape: SmallVec<[usize; 8]> = shape.iter().map(|&n| n as usize).collect();
            let is_short = shape.iter().all(|&n| n <= LONGEST_AXIS);
            let is_laid_out = self.is_dense_enough(shape.iter().copied(), strides) && self.is_in_order(&shape, strides);
            if !is_short || !is_laid_out || !self.has_own_elements(&shape, strides) {
                return Ok(false);
            }
            words.push(fields.data.addr() as u64);
            words.extend(shape.iter().map(|&n| n as u64));
            words.extend(strides.iter().map(|&n| n as u64));
        }
        Ok(true)
    }

    /// Whether each axis steps over all elements of the next one in the order; axes of one element say nothing.
    fn is_in_order(&self, shape: &[usize], strides: &[isize]) -> bool {
        let mut least = 0;
        self.order.iter().rev().map(|&axis| (shape[axis as usize], strides[axis as usize].unsigned_abs())).all(
            |(extent, stride)| {
                let is_outside = extent <= 1 || (stride != 0 && stride >= least);
                if extent > 1 {
                    least = stride.saturating_mul(extent);
                }
                is_outside
            },
        )
    }

    /// Whether no two elements of an array that is written lie in the same memory, as those of views by `as_strided` may: each axis steps over
    /// what those with smaller strides span. A few arrays of which that is not so are taken for such views.
    fn has_own_elements(&self, shape: &[usize], strides: &[isize]) -> bool {
        if !self.is_written || shape.contains(&0) {
            return true;
        }
        let axes = shape.iter().zip(strides).filter(|&(&extent, _)| extent > 1);
        let mut axes: SmallVec<[(usize, usize); 8]> =
            axes.map(|(&extent, stride)| (stride.unsigned_abs(), extent)).collect();
        axes.sort_unstable();
        let mut span = self.dtype.size();
        axes.iter().all(|&(stride, extent)| {
            let is_outside = stride >= span;
            span = span.saturating_add(stride.saturating_mul(extent - 1));
            is_outside
        })
    }

    /// Whether the last axis, if there is one, suits. The stride of one element is never used, nor any of no elements (NumPy's are 0).
    fn is_dense_enough(&self, shape: impl DoubleEndedIterator<Item = usize>, strides: &[isize]) -> bool {
        let mut from_last = shape.rev();
        match (from_last.next(), strides.last()) {
            (Some(last), Some(&stride)) if self.is_dense => {
                last <= 1 || stride == self.dtype.size() as isize || from_last.any(|n| n == 0)
            }
            _ => true,
        }
    }
}
