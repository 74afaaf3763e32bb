//! Hash tables in the memory of a run: dictionaries and sets whose keys are integers, tuples of integers, or the numbers of strings.
//!
//! A table is a header of [`HEADER`] words. Its entries lie in the order in which they were added, each the hash, the words of the key, and
//! those of the value. Slots lead from hashes to entries: a slot of 32 bits is the number of an entry plus one, 0 where there never was one,
//! and [`REMOVED`] where there is none any more.
//!
//! Hashes are Python's. Slots are probed, and those of sets grow in number, as CPython's sets do it (`Objects/setobject.c`): so a walk over
//! the slots of a set finds its items in Python's order. Dictionaries have the order of their entries. What is removed from a dictionary
//! keeps its entry, with [`NO_HASH`] in place of the hash; what is removed from a set adds an entry, [`NO_HASH`] and the number of the entry
//! that is out. So the entries of a set say how it came about, and who repeats that gets the same set.
//!
//! Nothing that a walk or a search sees changes but by [`insert`] and [`remove`], which do not fail: [`place`] makes room for them. No entry
//! is moved within its table, nor is memory of a table used again, so old words of the header stand for the table as it was.

/// Words of a header.
pub const HEADER: usize = 9;
/// The places of the words of a header: the address of the entries, how many are there, how many entries there are with those that are out
/// and those that say so, whose object it is, the address of the slots, their number less one, how many of them are or were used, for how
/// many entries there is room, and the form.
pub const ENTRIES: usize = 0;
/// See [`ENTRIES`].
pub const USED: usize = 1;
/// See [`ENTRIES`].
pub const LOGGED: usize = 2;
/// See [`ENTRIES`].
pub const NUMBER: usize = 3;
/// See [`ENTRIES`].
pub const SLOTS: usize = 4;
/// See [`ENTRIES`].
pub const MASK: usize = 5;
/// See [`ENTRIES`].
pub const FILL: usize = 6;
/// See [`ENTRIES`].
pub const ROOM: usize = 7;
/// See [`ENTRIES`].
pub const FORM: usize = 8;
/// A slot whose entry was removed.
pub const REMOVED: u32 = u32::MAX;
/// No hash is -1.
pub const NO_HASH: u64 = u64::MAX;

/// Places of the words before the first header of a run's memory: where the next list or table is made, where memory ends, the hash of a key
/// and the key itself, of eight words at most.
pub const NEXT: usize = 0;
/// See [`NEXT`].
pub const END: usize = 1;
/// See [`NEXT`].
pub const HASH: usize = 2;
/// See [`NEXT`].
pub const KEY: usize = 3;
/// Words before the first header.
pub const PREFIX: usize = 11;

/// Slots of the smallest table.
const FEWEST: u64 = 8;
/// Slots that are looked at one after another.
const LINEAR: u64 = 9;
const SHIFT: u32 = 5;
/// Larger sets double where smaller ones quadruple.
const LARGE: u64 = 50_000;
/// Entries of a table, at most: their numbers are those of slots.
const MOST: u64 = 1 << 30;
/// Room for more entries that [`place`] makes at least.
const SPARE: u64 = 8;

/// What a table holds, in a word: words of a key and of a value, whether the key is a tuple, and whether the table is a set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Form(pub u64);

impl Form {
    /// The form of tables with so many words.
    pub fn new(key: usize, value: usize, is_tuple: bool, is_set: bool) -> Form {
        Form(key as u64 | (value as u64) << 8 | u64::from(is_tuple) << 16 | u64::from(is_set) << 17)
    }

    /// Words of a key.
    pub fn key(self) -> usize {
        (self.0 & 0xff) as usize
    }

    /// Words of an entry: its hash, its key and its value.
    pub fn entry(self) -> usize {
        1 + self.key() + (self.0 >> 8 & 0xff) as usize
    }

    fn is_tuple(self) -> bool {
        self.0 >> 16 & 1 != 0
    }

    fn is_set(self) -> bool {
        self.0 >> 17 & 1 != 0
    }

    /// Python's hash of a key.
    pub fn hash(self, key: &[u64]) -> u64 {
        if self.is_tuple() { hash_of_tuple(key) } else { hash_of_integer(key[0]) }
    }
}

/// Python's hash of an integer: the remainder by a prime, with the sign, but -2 for -1.
#[inline(always)]
fn hash_of_integer(word: u64) -> u64 {
    const PRIME: u64 = (1 << 61) - 1;
    let integer = word.cast_signed();
    let magnitude = integer.unsigned_abs();
    let hash = if magnitude < PRIME { integer } else { integer.signum() * (magnitude % PRIME).cast_signed() };
    (if hash == -1 { -2 } else { hash }).cast_unsigned()
}

/// Python's hash of a tuple of integers (`Objects/tupleobject.c`), that of xxHash.
fn hash_of_tuple(key: &[u64]) -> u64 {
    const P1: u64 = 11_400_714_785_074_694_791;
    const P2: u64 = 14_029_467_366_897_019_727;
    const P5: u64 = 2_870_177_450_012_600_261;
    let mut sum = P5;
    for &word in key {
        sum = sum.wrapping_add(hash_of_integer(word).wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1);
    }
    sum = sum.wrapping_add(key.len() as u64 ^ P5 ^ 3_527_539);
    if sum == u64::MAX { 1_546_275_796 } else { sum }
}

/// The slots that a hash may lead to, in order, until one is found: what a function makes of one.
#[inline(always)]
fn probe<T>(hash: u64, mask: u64, mut found: impl FnMut(usize) -> Option<T>) -> T {
    let (mut perturb, mut first) = (hash, hash & mask);
    loop {
        let last = if first + LINEAR <= mask { first + LINEAR } else { first };
        for at in first..=last {
            if let Some(result) = found(at as usize) {
                return result;
            }
        }
        perturb >>= SHIFT;
        first = first.wrapping_mul(5).wrapping_add(1).wrapping_add(perturb) & mask;
    }
}

/// The first slot that is not used, of so many more than a power of two.
fn unused(slots: &[u32], hash: u64) -> usize {
    probe(hash, slots.len() as u64 - 1, |at| (slots[at] == 0).then_some(at))
}

/// The number of slots of a table that gets room for more than so many.
fn slots_for(count: u64) -> u64 {
    (count + 1).next_power_of_two().max(FEWEST)
}

/// Slots as words, two in each.
pub fn words_of_slots(slots: &[u32]) -> impl Iterator<Item = u64> {
    slots.chunks_exact(2).map(|pair| {
        let [a, b] = [pair[0].to_ne_bytes(), pair[1].to_ne_bytes()];
        u64::from_ne_bytes([a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]])
    })
}

/// The slots of a table with entries of these hashes, none of which is there twice.
pub fn slots_of(hashes: &[u64]) -> Vec<u32> {
    let mut slots = vec![0; slots_for(2 * hashes.len() as u64) as usize];
    for (number, &hash) in hashes.iter().enumerate() {
        let at = unused(&slots, hash);
        slots[at] = number as u32 + 1;
    }
    slots
}

/// A table at an address, as its functions find it.
#[derive(Clone, Copy)]
struct Table(*mut u64);

/// The memory that an address stands for; its provenance is exposed.
fn memory(address: i64) -> *mut u64 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

impl Table {
    /// A word of the header.
    unsafe fn word(self, at: usize) -> u64 {
        // SAFETY: the caller has the address of a header.
        unsafe { self.0.add(at).read() }
    }

    unsafe fn set(self, at: usize, word: u64) {
        // SAFETY: the caller has the address of a header, which nothing else uses meanwhile.
        unsafe { self.0.add(at).write(word) }
    }

    unsafe fn form(self) -> Form {
        // SAFETY: the caller has the address of a header.
        Form(unsafe { self.word(FORM) })
    }

    unsafe fn slots(self) -> *mut u32 {
        // SAFETY: the caller has the address of a header.
        unsafe { memory(self.word(SLOTS) as i64).cast() }
    }

    unsafe fn entry(self, number: u64) -> *mut u64 {
        // SAFETY: the caller has the address of a header, and so many entries there are, or is room for.
        unsafe { memory(self.word(ENTRIES) as i64).add(number as usize * self.form().entry()) }
    }

    /// The slot of a key; if it is not there, the one that it gets: the last that was passed of those whose entries were removed, or the
    /// unused one that the search ends at.
    #[inline(always)]
    unsafe fn find(self, hash: u64, key: *const u64) -> *mut u32 {
        // SAFETY: the caller has the address of a header, and of a key of its form.
        unsafe {
            let words = self.form().key();
            let first = key.read();
            if words == 1 {
                return self.search(hash, |entry| *entry.add(1) == first);
            }
            self.search(hash, |entry| {
                *entry == hash && *entry.add(1) == first && (1..words).all(|k| *entry.add(1 + k) == *key.add(k))
            })
        }
    }

    /// The slot of the entry with a hash that is one, or that such an entry gets.
    #[inline(always)]
    unsafe fn search(self, hash: u64, is_one: impl Fn(*const u64) -> bool) -> *mut u32 {
        // SAFETY: the caller has the address of a header. There are slots that are not used, so the search ends.
        unsafe {
            let (slots, entries, width) = (self.slots(), self.entry(0), self.form().entry());
            let mut removed = None;
            probe(hash, self.word(MASK), |at| {
                let slot = slots.add(at);
                match *slot {
                    0 => return Some(removed.unwrap_or(slot)),
                    REMOVED => removed = Some(slot),
                    number if is_one(entries.add((number - 1) as usize * width)) => return Some(slot),
                    _ => {}
                }
                None
            })
        }
    }

    /// Slots that are so many, with those entries that are there, in memory that there is.
    #[cold]
    unsafe fn resize(self, heap: *mut u64, count: u64) {
        // SAFETY: the caller has the addresses of a header and of the memory of the run, in which there is room (`place`).
        unsafe {
            let old = std::slice::from_raw_parts(self.slots(), self.word(MASK) as usize + 1);
            // From the end of the memory, so that entries lie one after another.
            let at = heap.add(END).read() - 4 * count;
            heap.add(END).write(at);
            let new = std::slice::from_raw_parts_mut(memory(at as i64).cast::<u32>(), count as usize);
            new.fill(0);
            for &number in old.iter().filter(|&&slot| slot != 0 && slot != REMOVED) {
                let at = unused(new, *self.entry(u64::from(number) - 1));
                new[at] = number;
            }
            self.set(SLOTS, at);
            self.set(MASK, count - 1);
            self.set(FILL, self.word(USED));
        }
    }

    /// Appends an entry without a value.
    unsafe fn append(self, hash: u64, key: *const u64) -> *mut u64 {
        // SAFETY: the caller has the addresses of a header and a key, and made room.
        unsafe {
            let number = self.word(LOGGED);
            let entry = self.entry(number);
            entry.write(hash);
            entry.add(1).copy_from_nonoverlapping(key, self.form().key());
            self.set(LOGGED, number + 1);
            entry
        }
    }
}

/// The slots of a table with so many items once it is full.
fn grown(used: u64, form: Form) -> u64 {
    slots_for(used * if used > LARGE || !form.is_set() { 2 } else { 4 })
}

/// Takes words of the memory of the run, of which so many are free.
unsafe fn taken(heap: *mut u64, words: u64) -> u64 {
    // SAFETY: the caller has the address of the memory of a run.
    unsafe {
        let at = heap.add(NEXT).read();
        heap.add(NEXT).write(at + 8 * words);
        at
    }
}

/// Words that are free.
unsafe fn free(heap: *mut u64) -> u64 {
    // SAFETY: the caller has the address of the memory of a run.
    unsafe { (heap.add(END).read() - heap.add(NEXT).read()) / 8 }
}

/// Writes the hash of the key that lies in the memory of the run; the hash, and the key.
unsafe fn hashed(table: Table, heap: *mut u64) -> (u64, *const u64) {
    // SAFETY: the caller has the addresses of a header and of the memory of a run.
    unsafe {
        let key = heap.add(KEY).cast_const();
        let hash = table.form().hash(std::slice::from_raw_parts(key, table.form().key()));
        heap.add(HASH).write(hash);
        (hash, key)
    }
}

/// A new table of a form, with room for so many entries; 0 if there is no memory. A set begins with few slots, whatever it is to hold.
///
/// # Safety
/// `heap` is the address of the memory of a run.
pub unsafe extern "C" fn create(form: i64, heap: i64, count: i64) -> i64 {
    let (form, count, heap) = (Form(form as u64), count as u64, memory(heap));
    if count > MOST {
        return 0;
    }
    let (room, slots) = (count + SPARE, if form.is_set() { FEWEST } else { slots_for(2 * count) });
    // SAFETY: the caller's contract; what is taken is free.
    unsafe {
        let words = HEADER as u64 + slots / 2 + room * form.entry() as u64;
        if free(heap) < words {
            return 0;
        }
        let at = taken(heap, words);
        let (table, first) = (Table(memory(at as i64)), at + 8 * HEADER as u64);
        std::slice::from_raw_parts_mut(table.0, HEADER + slots as usize / 2).fill(0);
        table.set(ENTRIES, first + 4 * slots);
        table.set(NUMBER, u64::MAX);
        table.set(SLOTS, first);
        table.set(MASK, slots - 1);
        table.set(ROOM, room);
        table.set(FORM, form.0);
        at as i64
    }
}

/// The address of the entry of the key that lies in the memory of the run; 0 if it is not there.
///
/// # Safety
/// `table` is the address of a header, `heap` that of the memory of its run.
pub unsafe extern "C" fn find(table: i64, heap: i64, _: i64) -> i64 {
    let table = Table(memory(table));
    // SAFETY: the caller's contract.
    unsafe {
        let (hash, key) = hashed(table, memory(heap));
        match *table.find(hash, key) {
            0 | REMOVED => 0,
            number => table.entry(u64::from(number) - 1).addr() as i64,
        }
    }
}

/// The address of the slot of the key that lies in the memory of the run, and room for one entry more; 0 if there is no memory.
///
/// # Safety
/// As of [`find`].
pub unsafe extern "C" fn place(table: i64, heap: i64, _: i64) -> i64 {
    let (table, heap) = (Table(memory(table)), memory(heap));
    // SAFETY: the caller's contract.
    unsafe {
        let is_narrow = table.word(LOGGED) == table.word(ROOM) || is_full(table.word(FILL) + 1, table.word(MASK));
        if is_narrow && !make_room(table, heap) {
            return 0;
        }
        let (hash, key) = hashed(table, heap);
        table.find(hash, key).addr() as i64
    }
}

/// Makes room for one entry more, and looks for room for the slots that it may take; false if there is no memory.
#[cold]
unsafe fn make_room(table: Table, heap: *mut u64) -> bool {
    // SAFETY: the caller has the addresses of a header and of the memory of a run; what is taken is free.
    unsafe {
        let (logged, form) = (table.word(LOGGED), table.form());
        if logged == table.word(ROOM) {
            let (room, width) = (2 * logged + SPARE, form.entry() as u64);
            // Where the entries are the last that was taken, there is more behind them.
            let is_last = table.word(ENTRIES) + 8 * width * logged == heap.add(NEXT).read();
            let words = if is_last { (room - logged) * width } else { room * width };
            if logged >= MOST || free(heap) < words {
                return false;
            }
            let at = taken(heap, words);
            if !is_last {
                memory(at as i64).copy_from_nonoverlapping(table.entry(0), (logged * width) as usize);
                table.set(ENTRIES, at);
            }
            table.set(ROOM, room);
        }
        let is_full = is_full(table.word(FILL) + 1, table.word(MASK));
        !is_full || free(heap) >= grown(table.word(USED) + 1, form) / 2
    }
}

/// Whether so many slots of a table are used that it gets more.
fn is_full(fill: u64, mask: u64) -> bool {
    fill * 5 >= mask * 3
}

/// Adds the key that lies in the memory of the run, for which there is room ([`place`]) at a slot: the address of the entry, whose value is
/// not there yet.
///
/// # Safety
/// As of [`find`]; `slot` is what [`place`] gave for the key, which is not there.
pub unsafe extern "C" fn insert(table: i64, heap: i64, slot: i64) -> i64 {
    let (table, heap) = (Table(memory(table)), memory(heap));
    // SAFETY: the caller's contract.
    unsafe {
        let (used, fill) = (table.word(USED) + 1, table.word(FILL) + 1);
        let is_unused = memory(slot).cast::<u32>().replace(table.word(LOGGED) as u32 + 1) == 0;
        let entry = table.append(heap.add(HASH).read(), heap.add(KEY).cast_const());
        table.set(USED, used);
        if is_unused {
            table.set(FILL, fill);
            if is_full(fill, table.word(MASK)) {
                table.resize(heap, grown(used, table.form()));
            }
        }
        entry.addr() as i64
    }
}

/// Removes the entry that a slot leads to.
///
/// # Safety
/// As of [`find`]; `slot` is what [`place`] gave for a key that is there.
pub unsafe extern "C" fn remove(table: i64, _: i64, slot: i64) -> i64 {
    let (table, slot) = (Table(memory(table)), memory(slot).cast::<u32>());
    // SAFETY: the caller's contract.
    unsafe {
        let number = u64::from(slot.read()) - 1;
        slot.write(REMOVED);
        table.set(USED, table.word(USED) - 1);
        if table.form().is_set() {
            let entry = table.entry(table.word(LOGGED));
            entry.write(NO_HASH);
            entry.add(1).write(number);
            table.set(LOGGED, table.word(LOGGED) + 1);
        } else {
            table.entry(number).write(NO_HASH);
        }
    }
    0
}

/// The position of the next item of a walk, from a position on, and the address of its entry, which is written where hashes are: of a
/// dictionary, positions are those of entries, of a set those of slots. There is one.
///
/// # Safety
/// As of [`find`].
pub unsafe extern "C" fn next(table: i64, heap: i64, from: i64) -> i64 {
    let (table, heap, mut at) = (Table(memory(table)), memory(heap), from as u64);
    // SAFETY: the caller's contract.
    unsafe {
        let entry = if table.form().is_set() {
            let slots = table.slots();
            while matches!(*slots.add(at as usize), 0 | REMOVED) {
                at += 1;
            }
            table.entry(u64::from(*slots.add(at as usize)) - 1)
        } else {
            while *table.entry(at) == NO_HASH {
                at += 1;
            }
            table.entry(at)
        };
        heap.add(HASH).write(entry.addr() as u64);
    }
    at as i64
}

/// The items of a set, in order, after operations on an empty one: that a key was added, or removed.
pub fn replayed(form: Form, operations: &[(bool, Vec<u64>)]) -> Vec<Vec<u64>> {
    let words = PREFIX + HEADER + (operations.len() + 8) * (2 * form.entry() + 64);
    let mut all = vec![0_u64; words];
    let heap = all.as_mut_ptr();
    let base = heap.expose_provenance() as i64;
    // SAFETY: the memory of a run, that nothing else uses; `create` and `place` find no more than there is.
    unsafe {
        heap.add(NEXT).write(base as u64 + 8 * PREFIX as u64);
        heap.add(END).write(base as u64 + 8 * words as u64);
        let table = create(form.0 as i64, base, 0);
        for (is_added, key) in operations {
            heap.add(KEY).copy_from_nonoverlapping(key.as_ptr(), form.key());
            let slot = place(table, base, 0);
            match (is_added, *memory(slot).cast::<u32>()) {
                (true, 0 | REMOVED) => _ = insert(table, base, slot),
                (false, found) if !matches!(found, 0 | REMOVED) => _ = remove(table, base, slot),
                _ => {}
            }
        }
        let mut at = 0;
        (0..Table(memory(table)).word(USED))
            .map(|_| {
                at = next(table, base, at) + 1;
                let entry = memory(heap.add(HASH).read() as i64);
                (0..form.key()).map(|k| *entry.add(1 + k)).collect()
            })
            .collect()
    }
}
