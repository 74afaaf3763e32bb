//! Layouts of lists in the memory of a compiled loop: what the items are, and how an item becomes words and is made of words again.
//!
//! Only exact classes are read, so reading runs no Python code.

use crate::interpreter::dtype;
use crate::loops::parameter::{scalar, word_of_int};
use fastnp::{DType, Scalar};
use fastnp_scalar::tables::Form;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};
use std::str::Chars;
use std::sync::Arc;

/// Doubles have the integers up to this one.
const EXACT_INTEGERS: u64 = 1 << 53;

/// What a number is, apart from whose.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Float,
    Bool,
    /// An integer of Python's of at most 53 bits, or a float: the number as a double.
    IntOrFloat,
}

/// Whose number an item is; of an integer or a float, whose the float is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    Python,
    NumPy,
    Either,
}

/// The type of a number in a list. One that may be Python's or NumPy's has a tag in a second word, 1 for NumPy's; so has one that may be an
/// integer or a float, 1 for an integer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) kind: Kind,
    pub(crate) owner: Owner,
}

/// What a list holds, or an attribute of an object.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Item {
    Number(Number),
    /// Complex numbers, Python's or NumPy's `complex128`: two words.
    Complex(Owner),
    /// Tuples of numbers that are Python's or are NumPy's, a word for each.
    Tuple(Vec<Number>),
    List(Arc<Layout>),
    /// An object of the class numbered so among those of the run, or `None`.
    Reference(usize),
    /// A string, or `None`: its number among those of the run.
    Symbol,
    /// A dictionary, or a set.
    Table(Arc<TableLayout>),
    /// The list is empty.
    Nothing,
}

/// What a value is that the code is given: its word is a number until the memory is there.
#[derive(Clone, Copy)]
pub(crate) enum Given {
    /// A list, or a table.
    List,
    /// An object of a class, or `None`.
    Object,
    /// A string, whose number it stays.
    Symbol,
}

impl Given {
    /// What a value of an item is.
    pub(crate) fn of(item: &Item) -> Given {
        match item {
            Item::Reference(_) => Given::Object,
            Item::Symbol => Given::Symbol,
            _ => Given::List,
        }
    }
}

/// The type of a dictionary, or of a set, which has no values. Keys are integers, tuples of integers, or strings.
#[derive(PartialEq, Eq)]
pub(crate) struct TableLayout {
    pub(crate) key: Item,
    pub(crate) value: Option<Item>,
    pub(crate) class: TableClass,
}

/// The class of a table: a dictionary, a set, or one of `collections`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableClass {
    Dict,
    Set,
    Counter,
    /// A `defaultdict` of one of Python's types.
    DefaultOfInt,
    DefaultOfFloat,
    DefaultOfList,
    DefaultOfSet,
}

/// The type of a list, or of a deque.
#[derive(PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) item: Item,
    pub(crate) is_deque: bool,
}

/// `ListLayout(text)`: `[i]` for lists of `int`, `f` for `float`, `b` for `bool`; `l`, `d`, `?` for NumPy's of 64 bits and truth values, `I`,
/// `F`, `B` for Python's or NumPy's, `m` for `int` or `float`, `n` for `int` or NumPy's double, `z` for `complex`, `Z` for NumPy's; `(ii)` for
/// tuples, `[[i]]` for lists of lists, `[]` for a list that is empty; `{i}` for a deque; `<0>` for objects of a class, by its number, `[s]` for strings. Also of one
/// such object, `s` of a string, and of a dictionary, `Dif` with the key and the value, or a set, `Si`, a
/// `Counter`, `Ecii`, a `defaultdict` of `int`, `Eiii`, of `float`, `Efif`, of `list`, `Eli[i]`, or of `set`, `EsiSi`; `_` of one that is empty.
#[pyclass(module = "fastnp._fastnp", frozen)]
pub(crate) struct ListLayout(pub(crate) Item);

#[pymethods]
impl ListLayout {
    /// `ValueError` for other texts.
    #[new]
    fn new(text: &str) -> PyResult<ListLayout> {
        match Item::of_text(text) {
            Some(item @ (Item::List(_) | Item::Reference(_) | Item::Symbol | Item::Table(_))) => Ok(ListLayout(item)),
            _ => Err(PyValueError::new_err(format!("{text:?} is no layout of a list"))),
        }
    }
}

impl Item {
    /// The item that a text says.
    pub(crate) fn of_text(text: &str) -> Option<Item> {
        let mut chars = text.chars();
        let item = Item::parse(chars.next()?, &mut chars)?;
        chars.next().is_none().then_some(item)
    }

    /// The item whose text begins with `first`.
    fn parse(first: char, rest: &mut Chars) -> Option<Item> {
        Some(match first {
            '(' => {
                let mut fields = Vec::new();
                loop {
                    match rest.next()? {
                        ')' => break Item::Tuple(fields),
                        field => fields.push(Number::parse(field)?),
                    }
                }
            }
            '<' => {
                let mut class = 0;
                loop {
                    match rest.next()? {
                        '>' => break Item::Reference(class),
                        digit => class = 10 * class + digit.to_digit(10)? as usize,
                    }
                }
            }
            '[' | '{' => Item::List(Arc::new(Layout::parse(first, rest)?)),
            's' => Item::Symbol,
            '_' => Item::Nothing,
            'D' | 'S' | 'E' => {
                let class = match (first, if first == 'E' { rest.next()? } else { ' ' }) {
                    ('S', _) => TableClass::Set,
                    ('D', _) => TableClass::Dict,
                    (_, 'i') => TableClass::DefaultOfInt,
                    (_, 'f') => TableClass::DefaultOfFloat,
                    (_, 'l') => TableClass::DefaultOfList,
                    (_, 's') => TableClass::DefaultOfSet,
                    (_, 'c') => TableClass::Counter,
                    _ => return None,
                };
                let key = Item::parse(rest.next()?, rest)?;
                let value = if first == 'S' { None } else { Some(Item::parse(rest.next()?, rest)?) };
                Item::Table(Arc::new(TableLayout { key, value, class }))
            }
            'z' => Item::Complex(Owner::Python),
            'Z' => Item::Complex(Owner::NumPy),
            number => Item::Number(Number::parse(number)?),
        })
    }

    /// The words of an attribute.
    pub(crate) fn words(&self) -> usize {
        match self {
            Item::Number(number) => number.words(),
            Item::Complex(_) => 2,
            Item::Tuple(fields) => fields.len(),
            Item::List(_) | Item::Reference(_) | Item::Symbol | Item::Table(_) | Item::Nothing => 1,
        }
    }
}

impl TableLayout {
    /// What an entry is.
    pub(crate) fn form(&self) -> Form {
        let value = self.value.as_ref().map_or(0, Item::words);
        Form::new(self.key.words(), value, matches!(self.key, Item::Tuple(_)), self.value.is_none())
    }
}

impl Layout {
    /// The layout whose text begins with `first`.
    fn parse(first: char, rest: &mut Chars) -> Option<Layout> {
        let (is_deque, last) = if first == '[' { (false, ']') } else { (true, '}') };
        let item = match rest.next()? {
            end if end == last => return Some(Layout { item: Item::Nothing, is_deque }),
            '{' => return None,
            first => Item::parse(first, rest)?,
        };
        (rest.next()? == last).then_some(Layout { item, is_deque })
    }

    /// Words that so many items take: truth values take a byte each, other numbers a word.
    pub(crate) fn words(&self, count: usize) -> usize {
        match &self.item {
            Item::Number(number) if number.is_byte() => count.div_ceil(8),
            Item::Nothing => 0,
            item => count * item.words(),
        }
    }
}

/// The words of a complex number of exactly one class; none of another object.
pub(crate) fn words_of_complex(object: &Bound<'_, PyAny>, owner: Owner) -> Option<[u64; 2]> {
    let address = object.as_ptr();
    let is_one = match owner {
        // SAFETY: an object that is held.
        Owner::NumPy => unsafe { dtype::is_scalar_of(object.py(), address, DType::C128) },
        Owner::Python | Owner::Either => object.is_exact_instance_of::<PyComplex>(),
    };
    // SAFETY: an object of `complex`, or of NumPy's class, which derives from it.
    let part = |read: unsafe extern "C" fn(*mut ffi::PyObject) -> f64| unsafe { read(address) }.to_bits();
    is_one.then(|| [part(ffi::PyComplex_RealAsDouble), part(ffi::PyComplex_ImagAsDouble)])
}

/// The complex number of two words.
pub(crate) fn complex_of_words<'py>(py: Python<'py>, words: [u64; 2], owner: Owner) -> PyResult<Bound<'py, PyAny>> {
    if owner == Owner::NumPy {
        let bits = u128::from(words[0]) | u128::from(words[1]) << 64;
        return dtype::to_scalar(py, Scalar::from_bits(DType::C128, bits));
    }
    let [real, imaginary] = words.map(f64::from_bits);
    Ok(PyComplex::from_doubles(py, real, imaginary).into_any())
}

impl Number {
    fn parse(char: char) -> Option<Number> {
        let kind = match char {
            'i' | 'l' | 'I' => Kind::Int,
            'f' | 'd' | 'F' => Kind::Float,
            'b' | '?' | 'B' => Kind::Bool,
            'm' | 'n' => Kind::IntOrFloat,
            _ => return None,
        };
        let owner = match char {
            'i' | 'f' | 'b' | 'm' => Owner::Python,
            'l' | 'd' | '?' | 'n' => Owner::NumPy,
            _ => Owner::Either,
        };
        Some(Number { kind, owner })
    }

    /// Whether an item takes a byte.
    pub(crate) fn is_byte(self) -> bool {
        self.kind == Kind::Bool && self.owner != Owner::Either
    }

    /// Whether a word is that of a float that is no number.
    pub(crate) fn is_nan(self, word: u64) -> bool {
        self.kind == Kind::Float && f64::from_bits(word).is_nan()
    }

    /// Whether a second word says more of the number.
    pub(crate) fn has_tag(self) -> bool {
        self.owner == Owner::Either || self.kind == Kind::IntOrFloat
    }

    fn words(self) -> usize {
        if self.has_tag() { 2 } else { 1 }
    }

    fn dtype(self) -> DType {
        match self.kind {
            Kind::Int => DType::I64,
            Kind::Float | Kind::IntOrFloat => DType::F64,
            Kind::Bool => DType::Bool,
        }
    }

    /// The word of one of Python's numbers without a tag; none if it is another object, or an integer of more than 64 bits.
    ///
    /// # Safety
    /// The object stays during the call, and the interpreter is held.
    pub(crate) unsafe fn word_of_pythons(self, object: *mut ffi::PyObject) -> Option<u64> {
        // SAFETY: the caller's contract.
        unsafe {
            match self.kind {
                Kind::Int => word_of_int(object),
                Kind::Float => (ffi::PyFloat_CheckExact(object) != 0).then(|| ffi::PyFloat_AsDouble(object).to_bits()),
                Kind::Bool if object == ffi::Py_True() => Some(1),
                Kind::Bool => (object == ffi::Py_False()).then_some(0),
                Kind::IntOrFloat => None,
            }
        }
    }

    /// The word of a number, and its tag: without one, whether it is NumPy's. None if it is not of the type.
    pub(crate) fn word(self, object: &Bound<'_, PyAny>) -> PyResult<Option<(u64, bool)>> {
        if self.kind == Kind::IntOrFloat {
            // SAFETY: the object is held.
            let integer = unsafe { word_of_int(object.as_ptr()) };
            if let Some(integer) = integer.map(u64::cast_signed) {
                let is_exact = integer.unsigned_abs() <= EXACT_INTEGERS;
                return Ok(is_exact.then_some(((integer as f64).to_bits(), true)));
            }
            let float = Number { kind: Kind::Float, ..self };
            return Ok(float.word(object)?.map(|(word, _)| (word, false)));
        }
        if self.owner != Owner::NumPy {
            // SAFETY: the object is held.
            let word = unsafe { self.word_of_pythons(object.as_ptr()) };
            if word.is_some() || self.owner == Owner::Python {
                return Ok(word.map(|word| (word, false)));
            }
        }
        Ok(scalar(object, self.dtype())?.map(|word| (word, true)))
    }

    /// The number that a word and a tag mean: without one, whether it is NumPy's.
    pub(crate) fn object<'py>(self, py: Python<'py>, word: u64, tag: bool) -> PyResult<Bound<'py, PyAny>> {
        if self.kind == Kind::IntOrFloat {
            if tag {
                return Ok(PyInt::new(py, f64::from_bits(word) as i64).into_any());
            }
            return Number { kind: Kind::Float, ..self }.object(py, word, self.owner == Owner::NumPy);
        }
        let is_numpys = tag;
        if is_numpys {
            let bits = if self.kind == Kind::Bool { word & 1 } else { word };
            return dtype::to_scalar(py, Scalar::from_bits(self.dtype(), bits.into()));
        }
        Ok(match self.kind {
            Kind::Int => PyInt::new(py, word.cast_signed()).into_any(),
            Kind::Float | Kind::IntOrFloat => PyFloat::new(py, f64::from_bits(word)).into_any(),
            Kind::Bool => PyBool::new(py, word & 0xff != 0).to_owned().into_any(),
        })
    }
}
