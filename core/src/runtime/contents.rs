//! Contents of storages: computed, on the host, and element by element.

use crate::array::element;
use crate::error::Result;
use crate::host::interpreter_lock;
use crate::memory::device_buffer::Remote;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::Counted;
use crate::runtime::eager::ELEMENTS;
use crate::runtime::state::Engine;
use fastnp_codegen::{DType, Scalar};

/// Bytes up to which contents come from a device as a whole, whatever is asked for.
const WHOLE: usize = 64 << 10;

impl Engine {
    /// Makes sure that a storage's latest version is somewhere.
    pub(crate) fn compute(&mut self, storage: &Counted) -> Result<()> {
        if self.trace.touches(storage) {
            self.flush()?;
        }
        if storage.is_away() { Ok(()) } else { storage.materialize().map(drop) }
    }

    /// Makes sure a storage's memory on the host holds its latest version.
    #[inline]
    pub(crate) fn settle(&mut self, storage: &Counted) -> Result<*mut u8> {
        if self.trace.touches(storage) {
            self.flush()?;
        }
        if storage.is_away() {
            return interpreter_lock::aside(true, || storage.materialize());
        }
        storage.materialize()
    }

    /// One element of a storage that nothing pending writes.
    #[inline]
    pub(crate) fn element(&mut self, storage: &Storage, offset: isize, dtype: DType) -> Result<Scalar> {
        if storage.is_away() {
            return self.fetch(storage, offset, dtype);
        }
        Ok(element::read(storage.materialize()?.wrapping_offset(offset), dtype))
    }

    /// One element from a device: alone, as long as few are asked for.
    #[cold]
    fn fetch(&mut self, storage: &Storage, offset: isize, dtype: DType) -> Result<Scalar> {
        self.fetched += 1;
        let mut room = 0u128;
        let to = (&raw mut room).cast::<u8>();
        interpreter_lock::aside(true, || {
            let is_lent = storage.is_lent();
            if !is_lent && (storage.bytes() <= WHOLE || self.fetched > ELEMENTS) {
                return storage.materialize().map(|start| element::read(start.wrapping_offset(offset), dtype));
            }
            let fetch = |remote: &Remote| {
                if is_lent {
                    remote.device().wait()?;
                }
                // SAFETY: the element lies within the storage, and there is room for any.
                unsafe { remote.download(offset as usize, to, dtype.size()) }
            };
            storage.with_remote(fetch).transpose()?;
            Ok(element::read(to, dtype))
        })
    }
}
