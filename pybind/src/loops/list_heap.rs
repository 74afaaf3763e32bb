//! The lists of a run of compiled code: copied to memory at the entry, put back at its end.
//!
//! A list is a header of four words: the address of its items, their number, for how many there is room, and the list's number if it was
//! there at the entry, else -1. Items of lists of lists are addresses of headers, so a list with two names, or in two places, is one. Lists
//! that the code makes lie behind those of the entry; they become objects where a name or another list leads to them. Other threads, which
//! run now and then meanwhile, see the lists as they were.
//!
//! An object of one of the program's classes is a word with its number, and the words of the attributes that the code uses. It is one wherever it
//! is found: under names, in lists and in attributes, whose words are its address, or 0 for `None`.

use crate::interpreter::address_hash::AddressHash;
use crate::loops::deques::{deque, items_of_deque};
use crate::loops::list_layout::{
    Given, Item, Layout, ListLayout, Number, Owner, TableLayout, complex_of_words, words_of_complex,
};
use crate::loops::struct_layout::StructLayout;
use crate::loops::symbol_table::SymbolTable;
use crate::loops::table_entries;
use fastnp_scalar::tables::{self, PREFIX};
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyTuple};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Words of a header, and the places of what stands there.
const HEADER: usize = 4;
const LENGTH: usize = 1;
const NUMBER: usize = 3;
/// The number of a list that the code has made.
const MADE: u64 = u64::MAX;
/// Words for what the code makes, for each that is there at the entry: a dictionary that grows is copied each time that memory is used up.
const MORE_ROOM: usize = 8;
/// Words of memory that are kept for the next run, at most.
const SPARE_WORDS: usize = 3 << 23;

/// Memory of the last run: new pages take 0.25 ns a byte.
static SPARE: Mutex<Option<Vec<u64>>> = Mutex::new(None);

/// A list or an object that is there at the entry.
struct Entered {
    object: Py<PyAny>,
    kind: EnteredKind,
    /// The word that its header begins at.
    header: usize,
}

#[derive(Clone)]
enum EnteredKind {
    /// A list, or a deque, with so many items.
    List(Arc<Layout>, usize),
    /// An object of the class with a number.
    Object(usize),
    /// A dictionary or a set, with so many items.
    Table(Arc<TableLayout>, usize),
}

/// `ListHeap(lists, layouts, room, structs, symbols)`: the memory of a run that is given lists and objects, with so many words for lists that it
/// makes. `is_entered` is false if a list or an object is not what its layout says. `structs` are the layouts of objects, by the number of their
/// class, `symbols` the strings and the like whose numbers the code has.
#[pyclass(module = "fastnp._fastnp")]
pub(crate) struct ListHeap {
    /// The words of what was entered, as they were. Until the memory is there, the number of a list or an object stands for its address, plus
    /// one for objects.
    before: Vec<u64>,
    entered: Vec<Entered>,
    structs: Vec<Py<StructLayout>>,
    symbols: SymbolTable,
    /// The numbers of lists and objects, by address.
    numbers: HashMap<usize, usize, AddressHash>,
    /// What the code works at; it stays where it is. What lies behind `before` was written by the code, or is never read.
    memory: Vec<u64>,
    /// The address of the memory, whose provenance is exposed: the code has it as an integer.
    #[pyo3(get)]
    base: u64,
    /// What the code has made and that became objects, by the address of its header.
    made: HashMap<u64, Py<PyAny>, AddressHash>,
    /// Objects of classes among these that have no attributes yet, with the number of the class and the word they begin at. A chain of them
    /// would need a deep stack.
    without_attributes: Vec<(Py<PyAny>, usize, usize)>,
    /// Words for lists that the code makes.
    room: usize,
    #[pyo3(get)]
    is_entered: bool,
    /// The addresses of the headers of what was given, and the numbers of strings; 0 for `None`.
    #[pyo3(get)]
    addresses: Vec<u64>,
}

#[pymethods]
impl ListHeap {
    #[new]
    #[pyo3(signature = (lists, layouts, room, structs = Vec::new(), symbols = Vec::new()))]
    fn new(
        lists: Vec<Bound<'_, PyAny>>,
        layouts: Vec<Bound<'_, ListLayout>>,
        room: usize,
        structs: Vec<Py<StructLayout>>,
        symbols: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<ListHeap> {
        let mut heap = ListHeap {
            before: vec![0; PREFIX],
            entered: Vec::new(),
            structs,
            symbols: SymbolTable::new(&symbols),
            numbers: HashMap::default(),
            memory: Vec::new(),
            base: 0,
            made: HashMap::default(),
            without_attributes: Vec::new(),
            room,
            is_entered: false,
            addresses: Vec::new(),
        };
        let mut given = Vec::with_capacity(lists.len());
        for (value, layout) in lists.iter().zip(&layouts) {
            match heap.word_of(value, &layout.get().0)? {
                Some(word) => given.push((word, Given::of(&layout.get().0))),
                None => return Ok(heap),
            }
        }
        if !heap.read_objects(lists.first().map(Bound::py))? {
            return Ok(heap);
        }
        heap.fill(given);
        heap.is_entered = true;
        Ok(heap)
    }

    /// Whether less than half of the memory for new lists is left.
    #[getter]
    fn is_full(&self) -> bool {
        // The first words say where the next list is made, and where memory ends.
        self.place(self.memory[tables::END]) - self.place(self.memory[tables::NEXT]) < self.room / 2
    }

    /// The list or the object at an address.
    fn object_at<'py>(
        &mut self,
        py: Python<'py>,
        address: u64,
        layout: &Bound<'py, ListLayout>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let object = self.at(py, address, &layout.get().0)?;
        self.add_attributes(py)?;
        Ok(object)
    }

    /// Stores in the lists and objects of the entry what is different in the memory.
    ///
    /// # Errors
    /// `IndexError` where a list has become shorter meanwhile.
    fn put_back(&mut self, py: Python<'_>) -> PyResult<()> {
        for number in 0..self.entered.len() {
            if self.is_as_before(py, number) {
                continue;
            }
            let Entered { object, kind, header } = &self.entered[number];
            let (object, header) = (object.clone_ref(py).into_bound(py), *header);
            match kind.clone() {
                EnteredKind::Object(class) => self.store_attributes(&object, class, header)?,
                EnteredKind::Table(layout, count) => self.store_items(&object, &layout, header, count)?,
                EnteredKind::List(layout, count) => match object.cast::<PyList>() {
                    Ok(list) => self.store(list, &layout, header, count)?,
                    Err(_) => {
                        let now = PyList::new(py, self.objects(py, header, &layout, 0)?)?;
                        object.call_method0("clear")?;
                        object.call_method1("extend", (now,))?;
                    }
                },
            }
        }
        self.add_attributes(py)
    }
}

impl ListHeap {
    // --- at the entry ---

    /// The number of a list or a string, or of an object plus one, 0 for `None`; none if it is not of the layout.
    fn word_of(&mut self, value: &Bound<'_, PyAny>, item: &Item) -> PyResult<Option<u64>> {
        match item {
            Item::List(layout) => Ok(self.enter(value, layout)?.map(|number| number as u64)),
            Item::Reference(_) if value.is_none() => Ok(Some(0)),
            Item::Reference(class) => Ok(self.enter_object(value, *class).map(|number| number as u64 + 1)),
            Item::Symbol => Ok(self.symbols.number(value)),
            Item::Table(layout) => Ok(self.enter_table(value, layout)?.map(|number| number as u64)),
            Item::Number(_) | Item::Complex(_) | Item::Tuple(_) | Item::Nothing => Ok(None),
        }
    }

    /// The number that an object has already, and whether it may be met again.
    fn known(&self, object: &Bound<'_, PyAny>) -> (Option<usize>, bool) {
        // SAFETY: the object is held: by the caller, and by what it was found in. If that is one place, it is met once.
        let is_met_once = unsafe { ffi::Py_REFCNT(object.as_ptr()) } <= 2;
        (if is_met_once { None } else { self.numbers.get(&object.as_ptr().addr()).copied() }, !is_met_once)
    }

    /// Enters an object, whose words begin here, and returns its number.
    fn push(&mut self, object: &Bound<'_, PyAny>, kind: EnteredKind, is_met_again: bool) -> usize {
        let number = self.entered.len();
        if is_met_again {
            self.numbers.insert(object.as_ptr().addr(), number);
        }
        self.entered.push(Entered { object: object.clone().unbind(), kind, header: self.before.len() });
        number
    }

    /// The number of an object of a class; none if it is no such object. Its attributes are read later, as those of objects that lead to others
    /// in a chain would need a deep stack.
    fn enter_object(&mut self, object: &Bound<'_, PyAny>, class: usize) -> Option<usize> {
        let layout = self.structs.get(class)?.get();
        if !layout.is_class_of(object) {
            return None;
        }
        let words = layout.words;
        let (known, is_met_again) = self.known(object);
        known.or_else(|| {
            let number = self.push(object, EnteredKind::Object(class), is_met_again);
            self.before.push(number as u64);
            self.before.resize(self.before.len() + words - 1, 0);
            Some(number)
        })
    }

    /// Reads the attributes of all objects, and of those that they lead to; false if one is not what its layout says.
    fn read_objects(&mut self, py: Option<Python<'_>>) -> PyResult<bool> {
        let Some(py) = py.filter(|_| !self.structs.is_empty()) else { return Ok(true) };
        let structs: Vec<Py<StructLayout>> = self.structs.iter().map(|layout| layout.clone_ref(py)).collect();
        let mut number = 0;
        while number < self.entered.len() {
            if let EnteredKind::Object(class) = self.entered[number].kind {
                let (layout, header) = (structs[class].get(), self.entered[number].header);
                let object = self.entered[number].object.clone_ref(py).into_bound(py);
                for field in &layout.fields {
                    let is_read = match field.of(&object) {
                        Some(value) => self.read_attribute(&value, &field.item, header + field.at)?,
                        None => false,
                    };
                    if !is_read {
                        return Ok(false);
                    }
                }
                if !layout.has_shared(&object)? {
                    return Ok(false);
                }
            }
            number += 1;
        }
        Ok(true)
    }

    /// Reads an attribute to words; false if it is not what the item says.
    fn read_attribute(&mut self, value: &Bound<'_, PyAny>, item: &Item, at: usize) -> PyResult<bool> {
        match item {
            Item::Number(number) => {
                let Some((word, tag)) = number.word(value)? else { return Ok(false) };
                self.before[at] = word;
                if number.has_tag() {
                    self.before[at + 1] = tag.into();
                }
            }
            Item::Complex(owner) => match words_of_complex(value, *owner) {
                Some(words) => self.before[at..at + 2].copy_from_slice(&words),
                None => return Ok(false),
            },
            Item::Tuple(fields) => return self.read_tuple(value, fields, at),
            Item::List(_) | Item::Reference(_) | Item::Symbol | Item::Table(_) => match self.word_of(value, item)? {
                Some(word) => self.before[at] = word,
                None => return Ok(false),
            },
            Item::Nothing => return Ok(false),
        }
        Ok(true)
    }

    /// Reads a tuple to words; false if it is no such tuple. Python takes nan in a tuple for equal to itself: the very object, which words are
    /// not, so there is none.
    fn read_tuple(&mut self, value: &Bound<'_, PyAny>, fields: &[Number], at: usize) -> PyResult<bool> {
        let Ok(tuple) = value.cast_exact::<PyTuple>() else { return Ok(false) };
        if tuple.len() != fields.len() {
            return Ok(false);
        }
        for (k, (field, value)) in fields.iter().zip(tuple.iter_borrowed()).enumerate() {
            match field.word(&value)? {
                Some((word, _)) if !field.is_nan(word) => self.before[at + k] = word,
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The number of a list, with those in it; none if it is not of the layout.
    fn enter(&mut self, object: &Bound<'_, PyAny>, layout: &Arc<Layout>) -> PyResult<Option<usize>> {
        let (known, is_met_again) = self.known(object);
        if let Some(known) = known {
            let is_same = matches!(&self.entered[known].kind, EnteredKind::List(have, _) if have == layout);
            return Ok(is_same.then_some(known));
        }
        let items = if layout.is_deque { items_of_deque(object)? } else { object.cast_exact::<PyList>().ok().cloned() };
        let Some(list) = items else { return Ok(None) };
        let count = list.len();
        let number = self.push(object, EnteredKind::List(Arc::clone(layout), count), is_met_again);
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
            inner @ (Item::List(_) | Item::Reference(_) | Item::Symbol | Item::Table(_)) => {
                self.before.resize(first + count, 0);
                self.before.reserve(count * (HEADER + 1));
                self.entered.reserve(count);
                for (i, item) in list.iter().enumerate() {
                    let Some(word) = self.word_of(&item, inner)? else { return Ok(None) };
                    self.before[first + i] = word;
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

    /// Appends the words of tuples; false if an item is no such tuple.
    fn read_tuples(&mut self, list: &Bound<'_, PyList>, fields: &[Number]) -> PyResult<bool> {
        let first = self.before.len();
        self.before.resize(first + list.len() * fields.len(), 0);
        for (i, item) in list.iter().enumerate() {
            if !self.read_tuple(&item, fields, first + i * fields.len())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The number of a dictionary or a set; none if it is not of the layout. Its items take words in the order of a walk, those of a set in
    /// the order of its slots.
    fn enter_table(&mut self, object: &Bound<'_, PyAny>, layout: &Arc<TableLayout>) -> PyResult<Option<usize>> {
        let (known, is_met_again) = self.known(object);
        if let Some(known) = known {
            let is_same = matches!(&self.entered[known].kind, EnteredKind::Table(have, _) if have == layout);
            return Ok(is_same.then_some(known));
        }
        let Some(found) = table_entries::of(object, layout.class)? else { return Ok(None) };
        let (form, count) = (layout.form(), found.items.len());
        if matches!(layout.key, Item::Nothing) && count > 0 {
            return Ok(None);
        }
        let number = self.push(object, EnteredKind::Table(Arc::clone(layout), count), is_met_again);
        let (header, width) = (self.before.len(), form.entry());
        let first = header + tables::HEADER;
        self.before.resize(first + count * width, 0);
        for (i, &(key, _)) in found.items.iter().enumerate() {
            let at = first + i * width;
            if !self.read_part(object, key, &layout.key, at + 1)? {
                return Ok(None);
            }
            self.before[at] = form.hash(&self.before[at + 1..][..form.key()]);
        }
        let hashes: Vec<u64> = (0..count).map(|i| self.before[first + i * width]).collect();
        // Strings have hashes of their own in the memory, and no code walks over sets of them.
        let slots = found.slots.filter(|_| !matches!(layout.key, Item::Symbol));
        let (slots, fill) = slots.unwrap_or_else(|| (tables::slots_of(&hashes), count));
        for (at, word) in [
            (tables::USED, count),
            (tables::LOGGED, count),
            (tables::NUMBER, number),
            (tables::MASK, slots.len() - 1),
            (tables::FILL, fill),
            (tables::ROOM, count),
            (tables::FORM, form.0 as usize),
        ] {
            self.before[header + at] = word as u64;
        }
        self.before.extend(tables::words_of_slots(&slots));
        if let Some(item) = &layout.value {
            for (i, &(_, value)) in found.items.iter().enumerate() {
                if !self.read_part(object, value, item, first + i * width + 1 + form.key())? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(number))
    }

    /// Reads a key or a value that a dictionary or a set holds to words; false if it is not what the item says.
    fn read_part(
        &mut self,
        owner: &Bound<'_, PyAny>,
        part: *mut ffi::PyObject,
        item: &Item,
        at: usize,
    ) -> PyResult<bool> {
        // SAFETY: the owner holds it, and does not change while its items are read, for which no Python code runs.
        unsafe {
            if let Some(is_read) = table_entries::read_plain(part, item, &mut self.before[at..]) {
                return Ok(is_read);
            }
            self.read_attribute(&Bound::from_borrowed_ptr(owner.py(), part), item, at)
        }
    }

    /// Copies what was entered to memory that stays, with room for lists that the code makes; words of numbers become addresses.
    fn fill(&mut self, given: Vec<(u64, Given)>) {
        let words = self.before.len();
        if self.room > 0 && self.entered.iter().any(|one| matches!(one.kind, EnteredKind::Table(..))) {
            self.room = self.room.max(MORE_ROOM * words);
        }
        let room = words + self.room;
        self.memory = SPARE
            .lock()
            .ok()
            .and_then(|mut spare| spare.take())
            .filter(|spare| (room..=4 * room + SPARE_WORDS).contains(&spare.len()))
            .unwrap_or_else(|| vec![0; room]);
        self.base = self.memory.as_mut_ptr().expose_provenance() as u64;
        let (base, entered) = (self.base, &self.entered);
        let address = |place: usize| base + 8 * place as u64;
        let located = |word: u64, is_object: bool| match word.checked_sub(is_object.into()) {
            Some(number) => address(entered[number as usize].header),
            None => 0, // `None`
        };
        for Entered { header, kind, .. } in entered {
            let first = header + HEADER;
            match kind {
                EnteredKind::List(layout, count) => {
                    self.before[*header] = address(first);
                    let is_object = matches!(layout.item, Item::Reference(_));
                    if is_object || matches!(layout.item, Item::List(_) | Item::Table(_)) {
                        for word in &mut self.before[first..first + count] {
                            *word = located(*word, is_object);
                        }
                    }
                }
                EnteredKind::Table(layout, count) => {
                    let (form, first) = (layout.form(), header + tables::HEADER);
                    self.before[header + tables::ENTRIES] = address(first);
                    self.before[header + tables::SLOTS] = address(first + count * form.entry());
                    if let Some(value @ (Item::List(_) | Item::Table(_) | Item::Reference(_))) = &layout.value {
                        for entry in self.before[first..][..count * form.entry()].chunks_exact_mut(form.entry()) {
                            let word = &mut entry[1 + form.key()];
                            *word = located(*word, matches!(value, Item::Reference(_)));
                        }
                    }
                }
                EnteredKind::Object(class) => {
                    for field in &self.structs[*class].get().fields {
                        let is_object = matches!(field.item, Item::Reference(_));
                        if is_object || matches!(field.item, Item::List(_) | Item::Table(_)) {
                            let word = &mut self.before[header + field.at];
                            *word = located(*word, is_object);
                        }
                    }
                }
            }
        }
        let word_given = |(word, what): (u64, Given)| match what {
            Given::Symbol => word,
            Given::List => located(word, false),
            Given::Object => located(word, true),
        };
        self.addresses = given.into_iter().map(word_given).collect();
        self.memory[..words].copy_from_slice(&self.before);
        (self.memory[0], self.memory[1]) = (self.address(words), self.address(self.memory.len()));
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

    /// Whether a list or an object of the entry is as it was.
    fn is_as_before(&self, py: Python<'_>, number: usize) -> bool {
        let Entered { kind, header, .. } = &self.entered[number];
        let words = match kind {
            EnteredKind::List(layout, count) => {
                let is_there = self.memory[*header] == self.before[*header];
                if !is_there || self.memory[header + LENGTH] != *count as u64 {
                    return false;
                }
                let first = header + HEADER;
                first..first + layout.words(*count)
            }
            EnteredKind::Table(layout, count) => {
                if [tables::USED, tables::LOGGED].iter().any(|word| self.memory[header + word] != *count as u64) {
                    return false;
                }
                let (now, then) = (self.place(self.memory[header + tables::ENTRIES]), header + tables::HEADER);
                let words = count * layout.form().entry();
                return self.memory[now..][..words] == self.before[then..][..words];
            }
            EnteredKind::Object(class) => *header..header + self.structs[*class].bind(py).get().words,
        };
        self.memory[words.clone()] == self.before[words]
    }

    /// Stores the attributes of an object that are different after the run.
    fn store_attributes(&mut self, object: &Bound<'_, PyAny>, class: usize, header: usize) -> PyResult<()> {
        let py = object.py();
        let layout = self.structs[class].clone_ref(py);
        for field in &layout.get().fields {
            let words = header + field.at..header + field.at + field.item.words();
            if self.memory[words.clone()] != self.before[words.clone()] {
                let value = self.item(py, words.start, &field.item)?;
                field.store(object, &value)?;
            }
        }
        Ok(())
    }

    /// Stores in a list what is different after the run.
    fn store(&mut self, list: &Bound<'_, PyList>, layout: &Layout, header: usize, before: usize) -> PyResult<()> {
        let py = list.py();
        let length = self.memory[header + LENGTH] as usize;
        for i in 0..length.min(before) {
            let (now, then) = (self.place(self.memory[header]), header + HEADER);
            let is_same = match &layout.item {
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

    /// The list or the object at an address, or the string with a number.
    fn at<'py>(&mut self, py: Python<'py>, address: u64, item: &Item) -> PyResult<Bound<'py, PyAny>> {
        match item {
            Item::List(layout) => self.list_at(py, address, layout),
            Item::Symbol => Ok(self.symbols.symbol(py, address)),
            Item::Table(layout) => self.table_at(py, address, layout),
            _ if address == 0 => Ok(py.None().into_bound(py)),
            _ => {
                let number = self.memory[self.place(address)];
                match item {
                    Item::Reference(class) if number == MADE => self.new_object(py, address, *class),
                    _ => Ok(self.entered[number as usize].object.bind(py).clone()),
                }
            }
        }
    }

    /// The object of a class at an address, which the code has made. It gets its attributes later ([`Self::add_attributes`]).
    fn new_object<'py>(&mut self, py: Python<'py>, address: u64, class: usize) -> PyResult<Bound<'py, PyAny>> {
        if let Some(made) = self.made.get(&address) {
            return Ok(made.bind(py).clone());
        }
        let made = self.structs[class].get().new_object(py)?;
        self.made.insert(address, made.clone().unbind());
        self.without_attributes.push((made.clone().unbind(), class, self.place(address)));
        Ok(made)
    }

    /// Adds the attributes of new objects, in the order of their layout, and of those that they lead to.
    fn add_attributes(&mut self, py: Python<'_>) -> PyResult<()> {
        while let Some((object, class, header)) = self.without_attributes.pop() {
            let layout = self.structs[class].clone_ref(py);
            for field in &layout.get().fields {
                let value = self.item(py, header + field.at, &field.item)?;
                field.store(object.bind(py), &value)?;
            }
        }
        Ok(())
    }

    /// The dictionary or the set whose header is at an address.
    fn table_at<'py>(&mut self, py: Python<'py>, address: u64, layout: &TableLayout) -> PyResult<Bound<'py, PyAny>> {
        let header = self.place(address);
        let number = self.memory[header + tables::NUMBER];
        if number != MADE {
            return Ok(self.entered[number as usize].object.bind(py).clone());
        }
        if let Some(made) = self.made.get(&address) {
            return Ok(made.bind(py).clone());
        }
        let made = table_entries::made(py, layout.class)?;
        self.made.insert(address, made.clone().unbind());
        self.store_items(&made, layout, header, 0)?;
        Ok(made)
    }

    /// Stores in a dictionary, or does to a set, what is different after the run. What is removed goes first: what was added again is at the
    /// end.
    fn store_items(
        &mut self,
        object: &Bound<'_, PyAny>,
        layout: &TableLayout,
        header: usize,
        before: usize,
    ) -> PyResult<()> {
        let py = object.py();
        let (form, logged) = (layout.form(), self.memory[header + tables::LOGGED] as usize);
        if logged == 0 {
            return Ok(());
        }
        let (width, now) = (form.entry(), self.place(self.memory[header + tables::ENTRIES]));
        let then = header + tables::HEADER;
        let Some(value) = &layout.value else {
            let set = object.cast_exact::<PySet>()?;
            for at in (before..logged).map(|i| now + i * width) {
                if self.memory[at] == tables::NO_HASH {
                    let out = now + self.memory[at + 1] as usize * width;
                    set.discard(self.item(py, out + 1, &layout.key)?)?;
                } else {
                    set.add(self.item(py, at + 1, &layout.key)?)?;
                }
            }
            return Ok(());
        };
        let dictionary = object.cast::<PyDict>()?;
        for at in (0..before).map(|i| i * width) {
            if self.memory[now + at] == tables::NO_HASH {
                dictionary.del_item(self.item(py, now + at + 1, &layout.key)?)?;
            }
        }
        for i in 0..logged {
            let at = i * width;
            let is_same = || i < before && self.memory[now + at..][..width] == self.before[then + at..][..width];
            if self.memory[now + at] != tables::NO_HASH && !is_same() {
                let key = self.item(py, now + at + 1, &layout.key)?;
                dictionary.set_item(key, self.item(py, now + at + 1 + form.key(), value)?)?;
            }
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
        match &layout.item {
            Item::Number(number) if number.is_byte() => {
                let word = byte(&self.memory[first..], i).into();
                number.object(py, word, number.owner == Owner::NumPy)
            }
            item => self.item(py, first + layout.words(i), item),
        }
    }

    /// What the words at a place mean.
    fn item<'py>(&mut self, py: Python<'py>, at: usize, item: &Item) -> PyResult<Bound<'py, PyAny>> {
        let words = &self.memory[at..];
        match item {
            Item::Number(number) => {
                let tag = if number.has_tag() { words[1] & 0xff != 0 } else { number.owner == Owner::NumPy };
                number.object(py, words[0], tag)
            }
            Item::Complex(owner) => complex_of_words(py, [words[0], words[1]], *owner),
            Item::Tuple(fields) => {
                let parts =
                    fields.iter().zip(words).map(|(field, &word)| field.object(py, word, field.owner == Owner::NumPy));
                Ok(PyTuple::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
            Item::List(_) | Item::Reference(_) | Item::Symbol | Item::Table(_) => {
                let address = words[0];
                self.at(py, address, item)
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

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ListLayout>()?;
    module.add_class::<StructLayout>()?;
    module.add_class::<ListHeap>()
}
