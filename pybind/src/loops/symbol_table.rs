//! The strings of a run of compiled code, and members of enumerations: each has a number, and equal strings have one. `None` is 0.

use crate::interpreter::address_hash::AddressHash;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::HashMap;

/// Symbols by their numbers, from 1 on, and the numbers of those that were met.
#[derive(Default)]
pub(crate) struct SymbolTable {
    symbols: Vec<Py<PyAny>>,
    by_content: HashMap<String, u64>,
    /// By address; the objects are held.
    by_address: HashMap<usize, (u64, Py<PyAny>), AddressHash>,
}

impl SymbolTable {
    /// The table of the symbols that the code knows, numbered in this order. Objects that are no strings are known by identity.
    pub(crate) fn new(known: &[Bound<'_, PyAny>]) -> SymbolTable {
        let mut table = SymbolTable::default();
        for symbol in known {
            if table.number(symbol).is_none() {
                let number = table.push(symbol);
                table.by_address.insert(symbol.as_ptr().addr(), (number, symbol.clone().unbind()));
            }
        }
        table
    }

    /// The number of a symbol, or of `None`; none of an object that is neither a string nor known, and of a string that is no Unicode text.
    pub(crate) fn number(&mut self, value: &Bound<'_, PyAny>) -> Option<u64> {
        if value.is_none() {
            return Some(0);
        }
        let address = value.as_ptr().addr();
        if let Some((number, _)) = self.by_address.get(&address) {
            return Some(*number);
        }
        let text = value.cast_exact::<PyString>().ok()?.to_str().ok()?;
        let number = match self.by_content.get(text) {
            Some(&number) => number,
            None => {
                let number = self.push(value);
                self.by_content.insert(text.to_owned(), number);
                number
            }
        };
        self.by_address.insert(address, (number, value.clone().unbind()));
        Some(number)
    }

    /// Gives an object the next number.
    fn push(&mut self, symbol: &Bound<'_, PyAny>) -> u64 {
        self.symbols.push(symbol.clone().unbind());
        self.symbols.len() as u64
    }

    /// The symbol with a number, or `None`.
    pub(crate) fn symbol<'py>(&self, py: Python<'py>, number: u64) -> Bound<'py, PyAny> {
        match number {
            0 => py.None().into_bound(py),
            _ => self.symbols[number as usize - 1].bind(py).clone(),
        }
    }
}
