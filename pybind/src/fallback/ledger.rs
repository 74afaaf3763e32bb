//! The ledger of fallbacks: how often NumPy ran which function on our arrays, and from which line of the program.
//!
//! The call site of an entry is the first frame outside the package, kept as a code object and the offset of an instruction.
//! `fastnp._state.ledger` in Python makes the report, and warns or raises where the settings ask for it.

use crate::interpreter::address_hash::AddressHash;
use crate::interpreter::call_site::{Frames, file_of};
use crate::interpreter::gil_cell::GilCell;
use pyo3::prelude::*;
use pyo3::types::{PyModule, PyString};
use std::collections::HashMap;
use std::ffi::c_int;
use std::hash::BuildHasherDefault;
use std::time::Instant;

/// A program that compiles code in a loop has a new call site each iteration. Beyond this many, new sites of a function share one entry.
const MAX_SITES: usize = 10_000;

/// The hash of the function's name, the address of the code object, and the offset of the instruction; zeros for a shared entry.
type Site = (isize, usize, c_int);

/// The runs of one function from one call site.
struct Entry {
    name: Py<PyString>,
    /// Held, so that no other code object gets its address.
    code: Option<Py<PyAny>>,
    reason: Py<PyString>,
    count: u64,
    /// Time in NumPy while profiles were made, without that of the engine; of fallbacks within others, the outermost has it.
    nanoseconds: u64,
    /// Entries that are older.
    order: usize,
}

struct Ledger {
    sites: HashMap<Site, Entry, AddressHash>,
    /// Code objects of the package, by address.
    package: HashMap<usize, Py<PyAny>, AddressHash>,
    /// The folder of the package.
    folder: String,
    /// Whether a fallback warns or raises.
    is_loud: bool,
    /// The site that was counted last.
    last: Site,
    /// Whether a fallback is timed now: those within it are part of it.
    is_timed: bool,
}

static LEDGER: GilCell<Ledger> = GilCell::new(Ledger {
    sites: HashMap::with_hasher(BuildHasherDefault::new()),
    package: HashMap::with_hasher(BuildHasherDefault::new()),
    folder: String::new(),
    is_loud: false,
    last: (0, 0, 0),
    is_timed: false,
});

/// Whether the file of a code object is one of the package.
pub(crate) fn is_of_package(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let file = file_of(code)?;
    let file = file.to_string_lossy();
    Ok(LEDGER.with(code.py(), |ledger| !ledger.folder.is_empty() && file.starts_with(&ledger.folder)))
}

/// Counts a run at the first frame outside the package.
fn count(py: Python<'_>, name: &Bound<'_, PyString>, reason: &Bound<'_, PyString>) -> PyResult<()> {
    let hash = name.hash()?;
    for (code, offset) in Frames::new(py) {
        let address = code.as_ptr().addr();
        let site = (hash, address, offset);
        let is_of_known_package = LEDGER.with(py, |ledger| match ledger.sites.get_mut(&site) {
            Some(entry) => {
                entry.count += 1;
                ledger.last = site;
                None
            }
            None => Some(ledger.package.contains_key(&address)),
        });
        match is_of_known_package {
            None => return Ok(()),
            Some(true) => {}
            Some(false) if is_of_package(&code)? => {
                LEDGER.with(py, |ledger| ledger.package.insert(address, code.unbind()));
            }
            Some(false) => {
                count_at(site, Some(code), name, reason);
                return Ok(());
            }
        }
    }
    count_at((hash, 0, 0), None, name, reason);
    Ok(())
}

/// Counts a run at a site that is new, or shared.
#[cold]
fn count_at(site: Site, code: Option<Bound<'_, PyAny>>, name: &Bound<'_, PyString>, reason: &Bound<'_, PyString>) {
    LEDGER.with(name.py(), |ledger| {
        let is_full = ledger.sites.len() >= MAX_SITES;
        let site = if is_full { (site.0, 0, 0) } else { site };
        let order = ledger.sites.len();
        let entry = ledger.sites.entry(site).or_insert_with(|| Entry {
            name: name.clone().unbind(),
            code: code.as_ref().filter(|_| !is_full).map(|code| code.clone().unbind()),
            reason: reason.clone().unbind(),
            count: 0,
            nanoseconds: 0,
            order,
        });
        entry.count += 1;
        ledger.last = site;
    });
}

/// The time that a fallback takes, from when it was entered in the ledger until this is dropped.
pub(crate) struct Timer<'py> {
    py: Python<'py>,
    site: Site,
    began: Instant,
    busy_before: u64,
}

impl<'py> Timer<'py> {
    /// Begins for the entry that was counted last, if a profile is made and no other fallback is timed.
    #[inline]
    pub(crate) fn begin(py: Python<'py>) -> Option<Timer<'py>> {
        let busy_before = fastnp::busy_nanoseconds()?;
        LEDGER.with(py, |ledger| {
            let is_outermost = !std::mem::replace(&mut ledger.is_timed, true);
            is_outermost.then(|| Timer { py, site: ledger.last, began: Instant::now(), busy_before })
        })
    }
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        let busy = fastnp::busy_nanoseconds().map_or(0, |busy| busy.saturating_sub(self.busy_before));
        let nanoseconds = (self.began.elapsed().as_nanos() as u64).saturating_sub(busy);
        LEDGER.with(self.py, |ledger| {
            ledger.is_timed = false;
            if let Some(entry) = ledger.sites.get_mut(&self.site) {
                entry.nanoseconds += nanoseconds;
            }
        });
    }
}

/// Counts one run of a function in NumPy; if it `may_be_refused`, warns or raises as the mode says.
pub(crate) fn enter(name: &Bound<'_, PyString>, reason: &Bound<'_, PyString>, may_be_refused: bool) -> PyResult<()> {
    let py = name.py();
    count(py, name, reason)?;
    if may_be_refused && LEDGER.with(py, |ledger| ledger.is_loud) {
        py.import("fastnp._state.ledger")?.getattr("warn_or_raise")?.call1((name, reason))?;
    }
    Ok(())
}

/// `enter_fallback(name, reason, refusable=True)`: counts one run of a function in NumPy.
#[pyfunction]
#[pyo3(signature = (name, reason, refusable=true))]
fn enter_fallback(name: &Bound<'_, PyString>, reason: &Bound<'_, PyString>, refusable: bool) -> PyResult<()> {
    enter(name, reason, refusable)
}

/// `set_fallbacks(folder, loud)`: whether a fallback warns or raises; `folder` is that of the package.
#[pyfunction]
fn set_fallbacks(py: Python<'_>, folder: String, loud: bool) {
    LEDGER.with(py, |ledger| (ledger.folder, ledger.is_loud) = (folder, loud));
}

/// An entry for Python: name, code object, offset of the instruction, runs, reason, nanoseconds while profiles were made.
type Row = (Py<PyString>, Option<Py<PyAny>>, c_int, u64, Py<PyString>, u64);

/// `fallback_sites()`: the entries of the ledger, the oldest first.
#[pyfunction]
fn fallback_sites(py: Python<'_>) -> Vec<Row> {
    LEDGER.with(py, |ledger| {
        let mut entries: Vec<(&Site, &Entry)> = ledger.sites.iter().collect();
        entries.sort_by_key(|(_, entry)| entry.order);
        let row = |(site, entry): (&Site, &Entry)| {
            let code = entry.code.as_ref().map(|code| code.clone_ref(py));
            (entry.name.clone_ref(py), code, site.2, entry.count, entry.reason.clone_ref(py), entry.nanoseconds)
        };
        entries.into_iter().map(row).collect()
    })
}

/// `count_fallbacks()`: how many runs there were.
#[pyfunction]
fn count_fallbacks(py: Python<'_>) -> u64 {
    LEDGER.with(py, |ledger| ledger.sites.values().map(|entry| entry.count).sum())
}

/// `reset_fallbacks()`: removes every entry.
#[pyfunction]
fn reset_fallbacks(py: Python<'_>) {
    // Dropped after the access: the end of a code object may run code.
    let before = LEDGER.with(py, |ledger| std::mem::take(&mut ledger.sites));
    drop(before);
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(enter_fallback, module)?)?;
    module.add_function(wrap_pyfunction!(set_fallbacks, module)?)?;
    module.add_function(wrap_pyfunction!(fallback_sites, module)?)?;
    module.add_function(wrap_pyfunction!(count_fallbacks, module)?)?;
    module.add_function(wrap_pyfunction!(reset_fallbacks, module)?)
}
