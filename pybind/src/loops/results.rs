//! Results of a compiled loop: words of the frame, made Python's numbers or NumPy's.

use crate::interpreter::dtype;
use crate::loops::parameter::whole_of_char;
use fastnp::{DType, Scalar};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyList};

/// What a word becomes.
pub(crate) enum WordType {
    Int,
    Float,
    Bool,
    Scalar(DType),
    /// Left out of the list.
    Skipped,
}

/// The word types that a text says: `i`, `f`, `b`; `d`, `s`, `l`, and `w` with a character for NumPy's scalars; `.` for a word that is left out.
pub(crate) fn parse(text: &str) -> Option<Vec<WordType>> {
    let mut types = Vec::new();
    let mut chars = text.bytes();
    while let Some(char) = chars.next() {
        types.push(match char {
            b'i' => WordType::Int,
            b'f' => WordType::Float,
            b'b' => WordType::Bool,
            b'd' => WordType::Scalar(DType::F64),
            b's' => WordType::Scalar(DType::F32),
            b'l' => WordType::Scalar(DType::I64),
            b'w' => WordType::Scalar(whole_of_char(chars.next()?)?),
            b'.' => WordType::Skipped,
            _ => return None,
        });
    }
    Some(types)
}

/// The objects of words, in order.
pub(crate) fn objects<'py>(py: Python<'py>, types: &[WordType], words: &[u64]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for (of, &word) in types.iter().zip(words) {
        match of {
            WordType::Int => list.append(word.cast_signed())?,
            WordType::Float => list.append(PyFloat::new(py, f64::from_bits(word)))?,
            WordType::Bool => list.append(PyBool::new(py, word != 0))?,
            WordType::Scalar(dtype) => {
                let bits = if *dtype == DType::Bool { u64::from(word != 0) } else { word };
                list.append(dtype::to_scalar(py, Scalar::from_bits(*dtype, bits.into()))?)?;
            }
            WordType::Skipped => {}
        }
    }
    Ok(list)
}

/// All words as signed integers.
pub(crate) fn integers<'py>(py: Python<'py>, words: &[u64]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, words.iter().map(|word| word.cast_signed()))
}
