//! Guarded headers: shape and strides of an array object as code outside reads them, at an address that faults while the contents are
//! pending. That is the front page of the contents, where they have one that shows this layout ([`crate::memory::front_layout`]), or a page of
//! the array object ([`crate::memory::header_page`]).

use crate::array::array::Array;
use crate::error::Result;
use crate::memory::guarded_range::{self, SlotOwner};
use crate::memory::header_page::HeaderPage;
use crate::memory::slot_pages;
use crate::memory::storage::Toucher;
use crate::memory::storage_ref::StorageRef;
use crate::runtime::lock::lock_for_fault;
use smallvec::SmallVec;

/// The page of one array object, in which it has a fixed place, beside the array.
#[derive(Debug)]
pub struct GuardedHeader {
    page: HeaderPage,
    array: *const Array,
    /// The storage that the page is registered with.
    storage: Option<StorageRef>,
}

impl GuardedHeader {
    /// A header without a page.
    pub const fn none() -> GuardedHeader {
        GuardedHeader { page: HeaderPage::none(), array: std::ptr::null(), storage: None }
    }

    /// Where code outside is to read the shape of an array, and its strides behind that; `None` where its contents are not guarded, so that
    /// the shape need not be.
    ///
    /// # Safety
    /// Until the page is closed or the header dropped, the header stays where it is, and so does the array.
    #[inline]
    pub unsafe fn page(&mut self, array: &Array) -> Option<*mut isize> {
        // The rest apart: most headers written are those of computed arrays.
        if array.storage.is_guarded() { self.guarded_page(array) } else { None }
    }

    /// [`GuardedHeader::page`] of an array whose contents are guarded.
    #[inline(never)]
    fn guarded_page(&mut self, array: &Array) -> Option<*mut isize> {
        if let Some(front) = array.storage.front_page(array.shape(), array.strides()) {
            return Some(front);
        }
        if !std::ptr::eq(self.array, array) {
            let page = self.new_page(array);
            if page.is_none() && array.storage.owner().is_some() {
                // Without a guarded page no fault tells that code outside looks at it.
                array.storage.count_touch();
            }
            return page;
        }
        Some(self.page.address().cast())
    }

    #[cold]
    fn new_page(&mut self, array: &Array) -> Option<*mut isize> {
        self.close();
        if self.page.address().is_null() {
            let owner = SlotOwner::Header(std::ptr::from_mut(self).cast());
            self.page.set_address(guarded_range::assign(1, owner)?);
        }
        self.array = array;
        Some(self.page.address().cast())
    }

    /// Whether an address is one that [`GuardedHeader::page`] gives.
    #[inline]
    pub fn is_page(address: *const isize) -> bool {
        guarded_range::contains(address.addr())
    }

    /// Gives the page back, if code outside has looked at it: the array is gone or has changed.
    #[inline]
    pub fn close(&mut self) {
        if self.storage.is_some() {
            self.close_registered();
        }
    }

    #[cold]
    fn close_registered(&mut self) {
        if let Some(storage) = self.storage.take() {
            storage.forget_header(&self.page);
            self.page.retire();
            self.array = std::ptr::null();
        }
    }

    /// Computes the contents of the array, whose shape code outside touched, and shows that.
    ///
    /// # Errors
    /// `MemoryError`; those of a device that has the contents.
    pub(crate) fn open_for_fault(&mut self) -> Result<()> {
        let mut runtime = lock_for_fault();
        if self.page.is_open() {
            return Ok(());
        }
        // SAFETY: the array has its place beside the header, whose page code outside uses.
        let array = unsafe { &*self.array };
        let was_open = array.storage.is_open();
        runtime.expose(&array.storage, Toucher::Outside)?;
        if was_open || array.storage.owner().is_some() {
            // Views of open contents are guarded in vain: each takes code outside 16 us to look at. Beyond some there are no more.
            array.storage.count_touch();
        }
        let axes: SmallVec<[isize; 16]> =
            array.shape().iter().map(|&n| n as isize).chain(array.strides().iter().copied()).collect();
        slot_pages::open_filled(self.page.address(), &axes)?;
        self.page.set_open();
        array.storage.remember_header(&self.page);
        self.storage = Some(StorageRef::clone(&array.storage));
        Ok(())
    }
}

impl Drop for GuardedHeader {
    fn drop(&mut self) {
        self.close();
    }
}
