//! Names of keyword arguments that were read before, and the places of their arguments.
//!
//! A call in a program has its names in one tuple, a constant of the code. To read them as text and look for each among a function's takes
//! 15 ns, an eighth of `np.empty(n, dtype=object)`. So the last tuples are kept, with what was found.

use crate::interpreter::gil_cell::GilCell;
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Names that a call may have.
pub(crate) const MOST_NAMES: usize = 16;
/// Names of a function that are compared.
const MOST_WANTED: usize = 8;
/// Tuples that are kept.
const KEPT_NAMES: usize = 64;

/// The place of each given name among the wanted ones.
pub(crate) type Places = [u8; MOST_NAMES];

/// A tuple of names, the names of the function that they were given to, and how many these are.
struct Known {
    given: Option<Py<PyTuple>>,
    wanted: [&'static str; MOST_WANTED],
    count: usize,
    places: Places,
}

static KNOWN: GilCell<[Known; KEPT_NAMES]> = GilCell::new(
    [const { Known { given: None, wanted: [""; MOST_WANTED], count: 0, places: [0; MOST_NAMES] } }; KEPT_NAMES],
);

#[inline]
fn index_of(given: Borrowed<'_, '_, PyTuple>, wanted: &[&'static str]) -> usize {
    let last = wanted.last().map_or(0, |last| last.as_ptr().addr());
    let address = given.as_ptr().addr();
    (address >> 4 ^ address >> 10 ^ last) % KEPT_NAMES
}

/// The places that were noted for names given to a function that wants these.
#[inline]
pub(crate) fn find(given: Borrowed<'_, '_, PyTuple>, wanted: &[&'static str]) -> Option<Places> {
    KNOWN.with(given.py(), |all| {
        let known = &all[index_of(given, wanted)];
        let is_it = known.given.as_ref().is_some_and(|known| known.as_ptr() == given.as_ptr())
            && known.count == wanted.len()
            // The same constants: their text need not be compared.
            && known.wanted.iter().zip(wanted).all(|(a, b)| std::ptr::eq(*a, *b));
        is_it.then_some(known.places)
    })
}

/// Notes the places of names given to a function that wants these; gives them back.
#[cold]
pub(crate) fn note(given: Borrowed<'_, '_, PyTuple>, wanted: &[&'static str], places: Places) -> Places {
    if wanted.len() <= MOST_WANTED {
        let mut known =
            Known { given: Some(given.to_owned().unbind()), wanted: [""; MOST_WANTED], count: wanted.len(), places };
        known.wanted[..wanted.len()].copy_from_slice(wanted);
        let before = KNOWN.with(given.py(), |all| std::mem::replace(&mut all[index_of(given, wanted)], known));
        drop(before);
    }
    places
}
