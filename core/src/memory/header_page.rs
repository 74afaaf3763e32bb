//! Header page: a page at a guarded address where code outside reads the shape and strides of an array.
//!
//! Code that wants an array's elements reads its shape first. While that is at an address without access, looking at the array is
//! noticed: the contents are computed then, in time for code that hands them to the system, which does not fault but refuses the address.

use crate::memory::guarded_range;
use crate::memory::slot_pages;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// The page of an array object; none at first. It stays where it is while it is registered with a storage.
#[derive(Debug)]
pub(crate) struct HeaderPage {
    address: AtomicPtr<u8>,
    is_open: AtomicBool,
}

impl HeaderPage {
    pub(crate) const fn none() -> HeaderPage {
        HeaderPage { address: AtomicPtr::new(std::ptr::null_mut()), is_open: AtomicBool::new(false) }
    }

    /// The address of the page, null where there is none.
    #[inline]
    pub(crate) fn address(&self) -> *mut u8 {
        self.address.load(Ordering::Relaxed)
    }

    pub(crate) fn set_address(&self, address: *mut u8) {
        self.address.store(address, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    pub(crate) fn set_open(&self) {
        self.is_open.store(true, Ordering::Relaxed);
    }

    /// Takes away the access, if there is any.
    pub(crate) fn close(&self) {
        if self.is_open.swap(false, Ordering::Relaxed) {
            slot_pages::close(self.address());
        }
    }

    /// Gives an open page back, for good: nothing will read the array's shape there. There is none then.
    pub(crate) fn retire(&self) {
        if self.is_open.swap(false, Ordering::Relaxed) {
            slot_pages::retire(self.address());
            self.set_address(std::ptr::null_mut());
        }
    }
}

impl Drop for HeaderPage {
    fn drop(&mut self) {
        self.retire();
        if !self.address().is_null() {
            guarded_range::release(self.address());
        }
    }
}
