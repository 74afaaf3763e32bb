//! Guarded headers: shape and strides of an array object as code outside reads them, at an address that faults while the contents are
//! pending. See [`crate::memory::header_page`].

use crate::array::array::Array;
use crate::error::Result;
use crate::memory::guarded_range::{self, SlotOwner};
use crate::memory::header_page::HeaderPage;
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
        if !array.storage.is_guarded() {
            return None;
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

    /// Whether an address is that of the page.
    #[inline]
    pub fn is_page(&self, address: *const isize) -> bool {
        !address.is_null() && address.cast() == self.page.address().cast_const()
    }

    /// Takes access away: the array is gone or has changed.
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
            self.page.close();
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
        runtime.expose(&array.storage)?;
        if was_open || array.storage.owner().is_some() {
            // Views of open contents are guarded in vain: each takes code outside 16 us to look at. Beyond some there are no more.
            array.storage.count_touch();
        }
        let axes: SmallVec<[isize; 16]> =
            array.shape().iter().map(|&n| n as isize).chain(array.strides().iter().copied()).collect();
        guarded_range::open_filled(self.page.address(), &axes)?;
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
