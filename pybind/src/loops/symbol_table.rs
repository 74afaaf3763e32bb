//! The strings of a run of compiled code: each has a number, and equal strings have one. `None` is 0.

use crate::interpreter::address_hash::AddressHash;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::HashMap;

/// Strings by their numbers, from 1 on, and the numbers of those that were met.
#[derive(Default)]
pub(crate) struct SymbolTable {
    strings: Vec<Py<PyString>>,
    by_content: HashMap<String, u64>,
    /// By address; the strings are held.
    by_address: HashMap<usize, (u64, Py<PyString>), AddressHash>,
}

impl SymbolTable {
    /// The table of strings that the code knows, numbered in this order.
    pub(crate) fn new(strings: &[Bound<'_, PyString>]) -> SymbolTable {
        let mut table = SymbolTable::default();
        for string in strings {
            table.number(string);
        }
        table
    }

    /// The number of a string, or of `None`; none of another object, and of a string that is no Unicode text.
    pub(crate) fn number(&mut self, value: &Bound<'_, PyAny>) -> Option<u64> {
        if value.is_none() {
            return Some(0);
        }
        let address = value.as_ptr().addr();
        if let Some((number, _)) = self.by_address.get(&address) {
            return Some(*number);
        }
        let string = value.cast_exact::<PyString>().ok()?;
        let text = string.to_str().ok()?;
        let number = match self.by_content.get(text) {
            Some(&number) => number,
            None => {
                self.strings.push(string.clone().unbind());
                let number = self.strings.len() as u64;
                self.by_content.insert(text.to_owned(), number);
                number
            }
        };
        self.by_address.insert(address, (number, string.clone().unbind()));
        Some(number)
    }

    /// The string with a number, or `None`.
    pub(crate) fn string<'py>(&self, py: Python<'py>, number: u64) -> Bound<'py, PyAny> {
        match number {
            0 => py.None().into_bound(py),
            _ => self.strings[number as usize - 1].bind(py).clone().into_any(),
        }
    }
}
