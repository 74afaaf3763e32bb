//! Lazy selection: a selection as the contents of an array object, with addresses that code outside knows before it is compacted.
//!
//! Code outside that reads an array's header finds a length and an address there. Of a selection both are unknown until its mask is
//! counted. So the length too is shown by a guarded address: the first touch of the length or of the elements compacts the selection.

use crate::array::array::Array;
use crate::error::Result;
use crate::index::selection::Selection;
use crate::memory::guarded_range::{self, SlotOwner, Touched};
use crate::memory::slot_pages;
use crate::runtime::expose::open_for_fault;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// Bytes shown for a length.
const LENGTH_BYTES: usize = size_of::<isize>();

/// A selection, and the array it was compacted to, if it was.
pub struct LazySelection {
    selection: Selection,
    array: OnceLock<Array>,
    /// The guarded addresses of the elements and of the length, null where there are none. That of the elements passes to the array.
    elements: AtomicPtr<u8>,
    length: AtomicPtr<u8>,
    is_length_open: AtomicBool,
}

impl From<Selection> for LazySelection {
    fn from(selection: Selection) -> LazySelection {
        LazySelection {
            selection,
            array: OnceLock::new(),
            elements: AtomicPtr::new(std::ptr::null_mut()),
            length: AtomicPtr::new(std::ptr::null_mut()),
            is_length_open: AtomicBool::new(false),
        }
    }
}

impl LazySelection {
    /// The selection, if it was not compacted.
    pub fn selection(&self) -> Option<&Selection> {
        self.array.get().is_none().then_some(&self.selection)
    }

    /// The array, if the selection was compacted.
    pub fn compacted(&self) -> Option<&Array> {
        self.array.get()
    }

    /// The array; the selection is compacted.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn array(&self) -> Result<&Array> {
        if let Some(array) = self.array.get() {
            return Ok(array);
        }
        let array = self.selection.to_array()?;
        let elements = self.elements.load(Ordering::Relaxed);
        if !elements.is_null() {
            array.storage.adopt_slot(elements);
            self.elements.store(std::ptr::null_mut(), Ordering::Relaxed);
        }
        Ok(self.array.get_or_init(|| array))
    }

    /// The addresses that code outside knows the elements and the length by, before it is compacted; `None` where there are none.
    /// The box keeps the place at which a fault finds the selection.
    pub fn show(self: &mut Box<LazySelection>) -> Option<(*mut u8, *mut isize)> {
        let this: *const LazySelection = &raw const **self;
        let most = self.selection.most_bytes();
        let elements = guarded_range::assign_contents(most, SlotOwner::Other(this))?;
        let Some(length) = guarded_range::assign(LENGTH_BYTES, SlotOwner::Other(this)) else {
            guarded_range::release(elements);
            return None;
        };
        self.elements.store(elements, Ordering::Relaxed);
        self.length.store(length, Ordering::Relaxed);
        Some((elements, length.cast()))
    }
}

impl Touched for LazySelection {
    fn touched(&self, address: usize) -> Result<()> {
        let array = self.array()?;
        let length = self.length.load(Ordering::Relaxed);
        if guarded_range::is_same_slot(address, length) {
            if !self.is_length_open.swap(true, Ordering::Relaxed) {
                slot_pages::open_filled(length, &[array.size() as isize])?;
            }
            return Ok(());
        }
        open_for_fault(&array.storage)
    }
}

impl Drop for LazySelection {
    fn drop(&mut self) {
        let (elements, length) = (*self.elements.get_mut(), *self.length.get_mut());
        if !elements.is_null() {
            guarded_range::release(elements);
        }
        if !length.is_null() {
            if *self.is_length_open.get_mut() {
                slot_pages::retire(length);
            } else {
                guarded_range::release(length);
            }
        }
    }
}
