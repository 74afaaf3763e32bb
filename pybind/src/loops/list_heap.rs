//! The lists of a run of compiled code: copied to memory at the entry, put back at its end.
//!
//! A list is a header of four words: the address of its items, their number, for how many there is room, and the list's number if it was
//! there at the entry, else -1. Items of lists of lists are addresses of headers, so a list with two names, or in two places, is one. Lists
//! that the code makes lie behind those of the entry; they become objects where a name or another list leads to them. Other threads, which
//! run now and then meanwhile, see the lists as they were.

use crate::interpreter::address_hash::AddressHash;
use crate::loops::list_layout::{Item, Layout, ListLayout, Number, Owner, complex_of_words, words_of_complex};
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple, PyType};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Words of a header, and the places of what stands there.
const HEADER: usize = 4;
const LENGTH: usize = 1;
const NUMBER: usize = 3;
/// Words before the first header: where the next list is made, and where memory ends.
const PREFIX: usize = 2;
/// The number of a list that the code has made.
const MADE: u64 = u64::MAX;
/// Words of memory that are kept for the next run, at most.
const SPARE_WORDS: usize = 1 << 23;

/// Memory of the last run: new pages take 0.25 ns a byte.
static SPARE: Mutex<Option<Vec<u64>>> = Mutex::new(None);

/// A list that is there at the entry.
struct Entered {
    /// A list, or a deque.
    object: Py<PyAny>,
    layout: Arc<Layout>,
    /// The word that its header begins at.
    header: usize,
    /// How many items it had.
    count: usize,
}

/// `ListHeap(lists, layouts, room)`: the memory of a run that is given lists, with so many words for those that it makes. `is_entered` is false
/// if a list is not what its layout says.
#[pyclass(module = "fastnp._fastnp")]
pub(crate) struct ListHeap {
    /// The words of the lists of the entry, as they were. Items of lists of lists are numbers of lists.
    before: Vec<u64>,
    entered: Vec<Entered>,
    /// The numbers of lists, by address.
    numbers: HashMap<usize, usize, AddressHash>,
    /// What the code works at; it stays where it is. What lies behind `before` was written by the code, or is never read.
    memory: Vec<u64>,
    /// The address of the memory, whose provenance is exposed: the code has it as an integer.
    #[pyo3(get)]
    base: u64,
    /// The lists that the code has made and that became objects, by the address of their header.
    made: HashMap<u64, Py<PyAny>, AddressHash>,
    /// Words for lists that the code makes.
    room: usize,
    #[pyo3(get)]
    is_entered: bool,
    /// The addresses of the headers of the lists that were given.
    #[pyo3(get)]
    addresses: Vec<u64>,
}

#[pymethods]
impl ListHeap {
    #[new]
    fn new(lists: Vec<Bound<'_, PyAny>>, layouts: Vec<Bound<'_, ListLayout>>, room: usize) -> PyResult<ListHeap> {
        let mut heap = ListHeap {
            before: vec![0; PREFIX],
            entered: Vec::new(),
            numbers: HashMap::default(),
            memory: Vec::new(),
            base: 0,
            made: HashMap::default(),
            room,
            is_entered: false,
            addresses: Vec::new(),
        };
        let mut given = Vec::with_capacity(lists.len());
        for (list, layout) in lists.iter().zip(&layouts) {
            match heap.enter(list, &layout.get().0)? {
                Some(number) => given.push(number),
                None => return Ok(heap),
            }
        }
        heap.fill();
        heap.is_entered = true;
        heap.addresses = given.into_iter().map(|number| heap.address(heap.entered[number].header)).collect();
        Ok(heap)
    }

    /// Whether less than half of the memory for new lists is left.
    #[getter]
    fn is_full(&self) -> bool {
        // The first word is where the next list is made.
        self.memory.len() - self.place(self.memory[0]) < self.room / 2
    }

    /// The list whose header is at an address.
    fn object_at<'py>(
        &mut self,
        py: Python<'py>,
        address: u64,
        layout: &Bound<'py, ListLayout>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.list_at(py, address, &layout.get().0)
    }

    /// Stores in the lists of the entry what is different in the memory.
    ///
    /// # Errors
    /// `IndexError` where a list has become shorter meanwhile.
    fn put_back(&mut self, py: Python<'_>) -> PyResult<()> {
        for number in 0..self.entered.len() {
            if self.is_as_before(number) {
                continue;
            }
            let entered = &self.entered[number];
            let (object, layout) = (entered.object.clone_ref(py).into_bound(py), Arc::clone(&entered.layout));
            match object.cast::<PyList>() {
                Ok(list) => self.store(list, &layout, number)?,
                Err(_) => {
                    let header = self.entered[number].header;
                    let now = PyList::new(py, self.objects(py, header, &layout, 0)?)?;
                    object.call_method0("clear")?;
                    object.call_method1("extend", (now,))?;
                }
            }
        }
        Ok(())
    }
}

impl ListHeap {
    // --- at the entry ---

    /// The number of a list, with those in it; none if it is not of the layout.
    fn enter(&mut self, object: &Bound<'_, PyAny>, layout: &Arc<Layout>) -> PyResult<Option<usize>> {
        // SAFETY: the object is held: by the caller, and by what it was found in. If that is one list, it is met once.
        let is_met_once = unsafe { ffi::Py_REFCNT(object.as_ptr()) } <= 2;
        if !is_met_once && let Some(&known) = self.numbers.get(&object.as_ptr().addr()) {
            return Ok((*self.entered[known].layout == **layout).then_some(known));
        }
        let items = if layout.is_deque { items_of_deque(object)? } else { object.cast_exact::<PyList>().ok().cloned() };
        let Some(list) = items else { return Ok(None) };
        let (number, header, count) = (self.entered.len(), self.before.len(), list.len());
        if !is_met_once {
            self.numbers.insert(object.as_ptr().addr(), number);
        }
        self.entered.push(Entered { object: object.clone().unbind(), layout: Arc::clone(layout), header, count });
        self.before.extend([0, count as u64, count as u64, number as u64]);
        let first = self.before.len();
        let is_read = match &layout.item {
            Item::Nothing => count == 0,
            Item::Number(number) if number.owner == Owner::Python && !number.has_tag() => {
                self.read_pythons(&list, *number, count)
            }
            Item::Number(number) => self.read_numbers(&list, *number)?,
            Item::Complex(owner) => self.read_complexes(&list, *owner),
            Item::Tuple(fields) => self.read_tuples(&list, fields)?,
            Item::List(inner) => {
                self.before.resize(first + count, 0);
                self.before.reserve(count * (HEADER + 1));
                self.entered.reserve(count);
                for (i, row) in list.iter().enumerate() {
                    let Some(number) = self.enter(&row, inner)? else { return Ok(None) };
                    self.before[first + i] = number as u64;
                }
                true
            }
        };
        Ok(is_read.then_some(number))
    }

    /// Appends the words of Python's numbers, 3 to 5 ns each; false if an item is another object.
    fn read_pythons(&mut self, list: &Bound<'_, PyList>, number: Number, count: usize) -> bool {
        // SAFETY: `list` is a list. An item stays while the interpreter is held and no Python code runs, which exact numbers run none of;
        // beyond the end there is none. References to items are not counted: that takes as long as all else.
        let word = |i: usize| unsafe {
            let item = ffi::PyList_GetItem(list.as_ptr(), i as isize);
            if item.is_null() { None } else { number.word_of_pythons(item) }
        };
        if number.is_byte() {
            let bytes: Option<Vec<u8>> = (0..count).map(|i| word(i).map(|word| word as u8)).collect();
            return bytes.map(|bytes| self.push_bytes(bytes)).is_some();
        }
        self.before.reserve(count);
        (0..count).all(|i| word(i).map(|word| self.before.push(word)).is_some())
    }

    /// Appends bytes as words; zeros fill the last one.
    fn push_bytes(&mut self, mut bytes: Vec<u8>) {
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        self.before.extend(bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes"))));
    }

    /// Appends the words of numbers that are NumPy's, or have a tag.
    fn read_numbers(&mut self, list: &Bound<'_, PyList>, number: Number) -> PyResult<bool> {
        let mut bytes = Vec::new();
        for item in list {
            let Some((word, tag)) = number.word(&item)? else { return Ok(false) };
            if number.is_byte() {
                bytes.push(word as u8);
            } else {
                self.before.push(word);
            }
            if number.has_tag() {
                self.before.push(tag.into());
            }
        }
        self.push_bytes(bytes);
        Ok(true)
    }

    /// Appends the words of complex numbers; false if an item is another object.
    fn read_complexes(&mut self, list: &Bound<'_, PyList>, owner: Owner) -> bool {
        list.iter().all(|item| words_of_complex(&item, owner).map(|words| self.before.extend(words)).is_some())
    }

    /// Appends the words of tuples; false if an item is no such tuple. Python takes nan in a tuple for equal to itself: the very object, which
    /// words are not, so there is none.
    fn read_tuples(&mut self, list: &Bound<'_, PyList>, fields: &[Number]) -> PyResult<bool> {
        for item in list {
            let Ok(tuple) = item.cast_exact::<PyTuple>() else { return Ok(false) };
            if tuple.len() != fields.len() {
                return Ok(false);
            }
            for (field, value) in fields.iter().zip(tuple.iter_borrowed()) {
                match field.word(&value)? {
                    Some((word, _)) if !field.is_nan(word) => self.before.push(word),
                    _ => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// Copies what was entered to memory that stays, with room for lists that the code makes.
    fn fill(&mut self) {
        let words = self.before.len();
        let room = words + self.room;
        self.memory = SPARE
            .lock()
            .ok()
            .and_then(|mut spare| spare.take())
            .filter(|spare| (room..=4 * room + SPARE_WORDS).contains(&spare.len()))
            .unwrap_or_else(|| vec![0; room]);
        self.memory[..words].copy_from_slice(&self.before);
        self.base = self.memory.as_mut_ptr().expose_provenance() as u64;
        (self.memory[0], self.memory[1]) = (self.address(words), self.address(self.memory.len()));
        for entered in &self.entered {
            let (header, first) = (entered.header, entered.header + HEADER);
            self.memory[header] = self.address(first);
            if matches!(entered.layout.item, Item::List(_)) {
                for i in first..first + entered.count {
                    self.memory[i] = self.address(self.entered[self.before[i] as usize].header);
                }
            }
        }
    }

    /// The address of a word of the memory.
    fn address(&self, place: usize) -> u64 {
        self.base + 8 * place as u64
    }

    /// The word of the memory at an address.
    fn place(&self, address: u64) -> usize {
        (address - self.base) as usize / 8
    }

    // --- at the end ---

    /// Whether a list of the entry is as it was.
    fn is_as_before(&self, number: usize) -> bool {
        let Entered { layout, header, count, .. } = &self.entered[number];
        let first = header + HEADER;
        if self.memory[*header] != self.address(first) || self.memory[header + LENGTH] != *count as u64 {
            return false;
        }
        let words = first..first + layout.words(*count);
        match layout.item {
            Item::List(_) => words.into_iter().all(|i| self.child(number, i - first) == Some(self.memory[i])),
            _ => self.memory[words.clone()] == self.before[words],
        }
    }

    /// The address that an item of a list of lists had at the entry; none beyond its end.
    fn child(&self, number: usize, i: usize) -> Option<u64> {
        let Entered { header, count, .. } = self.entered[number];
        let child = (i < count).then(|| self.before[header + HEADER + i] as usize)?;
        Some(self.address(self.entered[child].header))
    }

    /// Stores in a list what is different after the run.
    fn store(&mut self, list: &Bound<'_, PyList>, layout: &Layout, number: usize) -> PyResult<()> {
        let (py, Entered { header, count, .. }) = (list.py(), &self.entered[number]);
        let (header, before) = (*header, *count);
        let length = self.memory[header + LENGTH] as usize;
        for i in 0..length.min(before) {
            let (now, then) = (self.place(self.memory[header]), header + HEADER);
            let is_same = match &layout.item {
                Item::List(_) => self.child(number, i) == Some(self.memory[now + i]),
                Item::Number(number) if number.is_byte() => {
                    byte(&self.memory[now..], i) == byte(&self.before[then..], i)
                }
                _ => {
                    let (width, skipped) = (layout.words(1), layout.words(i));
                    self.memory[now + skipped..][..width] == self.before[then + skipped..][..width]
                }
            };
            if !is_same {
                let object = self.object(py, now, layout, i)?;
                list.set_item(i, object)?;
            }
        }
        if length < before {
            return list.del_slice(length, before);
        }
        for object in self.objects(py, header, layout, before)? {
            list.append(object)?;
        }
        Ok(())
    }

    /// The list whose header is at an address.
    fn list_at<'py>(&mut self, py: Python<'py>, address: u64, layout: &Layout) -> PyResult<Bound<'py, PyAny>> {
        let header = self.place(address);
        let number = self.memory[header + NUMBER];
        if number != MADE {
            return Ok(self.entered[number as usize].object.bind(py).clone());
        }
        if let Some(made) = self.made.get(&address) {
            return Ok(made.bind(py).clone());
        }
        let list = PyList::new(py, self.objects(py, header, layout, 0)?)?.into_any();
        let made = if layout.is_deque { deque(py)?.call1((list,))? } else { list };
        self.made.insert(address, made.clone().unbind());
        Ok(made)
    }

    /// The items of the list with a header, from one on.
    fn objects<'py>(
        &mut self,
        py: Python<'py>,
        header: usize,
        layout: &Layout,
        from: usize,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let length = self.memory[header + LENGTH] as usize;
        if matches!(layout.item, Item::Nothing) || length <= from {
            return Ok(Vec::new());
        }
        let first = self.place(self.memory[header]);
        (from..length).map(|i| self.object(py, first, layout, i)).collect()
    }

    /// An item of a list whose items begin at a word.
    fn object<'py>(&mut self, py: Python<'py>, first: usize, layout: &Layout, i: usize) -> PyResult<Bound<'py, PyAny>> {
        let words = &self.memory[first..];
        match &layout.item {
            Item::Number(number) if number.has_tag() => number.object(py, words[2 * i], words[2 * i + 1] & 0xff != 0),
            Item::Number(number) => {
                let word = if number.is_byte() { byte(words, i).into() } else { words[i] };
                number.object(py, word, number.owner == Owner::NumPy)
            }
            Item::Complex(owner) => complex_of_words(py, [words[2 * i], words[2 * i + 1]], *owner),
            Item::Tuple(fields) => {
                let width = fields.len();
                let parts = fields
                    .iter()
                    .zip(&words[i * width..])
                    .map(|(field, &word)| field.object(py, word, field.owner == Owner::NumPy));
                Ok(PyTuple::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
            Item::List(inner) => {
                let address = words[i];
                self.list_at(py, address, inner)
            }
            Item::Nothing => Err(PyRuntimeError::new_err("an item of a list of nothing")),
        }
    }
}

impl Drop for ListHeap {
    /// Keeps the memory for the next run.
    fn drop(&mut self) {
        if (1..=SPARE_WORDS).contains(&self.memory.len())
            && let Ok(mut spare) = SPARE.lock()
        {
            *spare = Some(std::mem::take(&mut self.memory));
        }
    }
}

/// A byte of words.
fn byte(words: &[u64], i: usize) -> u8 {
    words[i / 8].to_ne_bytes()[i % 8]
}

/// The class of deques.
fn deque<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyType>> {
    static DEQUE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    DEQUE.import(py, "collections", "deque")
}

/// The items of a deque without a greatest length; none of another object.
fn items_of_deque<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
    let py = object.py();
    if !object.is_exact_instance(deque(py)?) || !object.getattr("maxlen")?.is_none() {
        return Ok(None);
    }
    Ok(Some(object.try_iter()?.collect::<PyResult<Vec<_>>>().and_then(|items| PyList::new(py, items))?))
}

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ListLayout>()?;
    module.add_class::<ListHeap>()
}
