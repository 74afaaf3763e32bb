//! Exposure: the addresses that code outside knows arrays by, and what happens when it touches pending contents there.
//!
//! An array that code outside can see (a `numpy.ndarray`'s header) must have an address from the beginning, though its contents are
//! pending. So the storage shows a guarded address ([`crate::memory::guarded_range`]). The first touch, by whichever thread, faults;
//! [`resolve_fault`] flushes and moves the contents there. The storage is open then: code outside may read and write it at any time, so
//! operations on it are not deferred. It is closed again, by moving its pages away, when the next operation on it is recorded, until
//! this has happened too often.
//!
//! Small contents that are computed are shown where they are, and are open from then on. A pending node that reads them reads a copy.

use crate::array::array::Array;
use crate::array::layout::{Layout, for_axes};
use crate::error::Result;
use crate::host::fault_handler;
use crate::host::interpreter_lock;
use crate::memory::guarded_range::{self, SlotOwner};
use crate::memory::storage::{SHOWN_AT_ONCE, Storage, Toucher};
use crate::memory::storage_ref::StorageRef;
use crate::runtime::fp_flags::has_fp_reports;
use crate::runtime::guarded_header::GuardedHeader;
use crate::runtime::lock::{lock_for_fault, runtime, try_runtime};
use crate::runtime::profile::FlushReason;
use crate::runtime::state::Runtime;
use crate::runtime::touched_results::Creation;
use fastnp_codegen::DType;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Faults of code outside that were resolved.
static FAULTS: AtomicU64 = AtomicU64::new(0);

/// Called after a fault whose kernels raised floating-point flags.
static OBSERVER: OnceLock<fn()> = OnceLock::new();

/// Sets what is called after a fault whose kernels raised floating-point flags, on its thread, which may not hold the interpreter lock.
pub fn set_fault_observer(observer: fn()) {
    let _ = OBSERVER.set(observer);
}

/// Installs the handler of faults again where another one was installed since.
pub fn ensure_fault_handler() {
    fault_handler::ensure_installed();
}

/// Reserves guarded addresses and installs the handler of faults, for a program whose arrays code outside can see; whether there are
/// guarded addresses. Without them every array that is shown is computed at once.
pub fn guard_addresses() -> bool {
    let on = cfg!(all(target_os = "linux", target_arch = "x86_64"))
        && interpreter_lock::allow_unannounced()
        && guarded_range::reserve()
        && fault_handler::install(guarded_range::range(), resolve_fault);
    guarded_range::set_in_use(on);
    on
}

/// Faults of code outside that were resolved since the process began.
pub fn resolved_faults() -> u64 {
    FAULTS.load(Ordering::Relaxed)
}

/// The handler of a fault at a guarded address; whether the address can be accessed now.
fn resolve_fault(address: usize) -> bool {
    interpreter_lock::run_unannounced(|| {
        let opened = match guarded_range::owner_at(address) {
            // SAFETY: code outside uses its memory, so it keeps the storage alive.
            SlotOwner::Storage(storage) => open_for_fault(unsafe { &*storage.cast::<Storage>() }),
            // SAFETY: as above, of the object with the header.
            SlotOwner::Header(header) => unsafe { (*header.cast::<GuardedHeader>()).open_for_fault() },
            // SAFETY: as above.
            SlotOwner::Other(owner) => unsafe { (*owner).touched(address) },
            SlotOwner::Unassigned => {
                eprintln!("fastnp: code outside used memory of an array that is gone");
                return false;
            }
        };
        FAULTS.fetch_add(1, Ordering::Relaxed);
        if has_fp_reports()
            && let Some(observer) = OBSERVER.get()
        {
            observer();
        }
        match opened {
            Ok(()) => true,
            Err(error) => {
                // The error cannot be raised: the instruction that touched the contents cannot fail.
                eprintln!("fastnp: contents that code outside touched could not be computed: {error}");
                false
            }
        }
    })
}

/// Computes the contents of a storage that code outside touched, and opens it.
///
/// # Errors
/// As [`Runtime::expose`].
pub(crate) fn open_for_fault(storage: &Storage) -> Result<()> {
    lock_for_fault().expose(storage, Toucher::Outside).map(drop)
}

impl Array {
    /// [`Array::shown_address`], if it has been asked for before.
    #[inline(always)]
    pub fn known_shown_address(&self) -> Option<*mut u8> {
        Some(self.storage.shown()?.wrapping_offset(self.layout.offset))
    }

    /// The address that code outside knows the first element by. Its contents may be pending: the first touch computes them, if
    /// [`guard_addresses`] could be called; else they are computed now.
    ///
    /// # Errors
    /// `MemoryError`.
    #[inline]
    pub fn shown_address(&self) -> Result<*mut u8> {
        let start = match self.storage.shown() {
            Some(start) => start,
            None => show(&self.storage)?,
        };
        Ok(start.wrapping_offset(self.layout.offset))
    }

    /// [`Array::from_memory`] of an array whose [`Array::shown_address`] is asked for next, under one lock.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// # Safety
    /// As [`Array::from_memory`].
    #[inline(always)]
    pub unsafe fn shown_from_memory(
        address: *const u8,
        shape: &[usize],
        strides: &[isize],
        dtype: DType,
    ) -> Result<Array> {
        let bytes = shape.iter().product::<usize>() * dtype.size();
        let Some(mut runtime) = try_runtime() else {
            // SAFETY: the caller's contract.
            return unsafe { Array::from_memory(address, shape, strides, dtype) };
        };
        let (storage, own) = runtime.allocate(bytes)?;
        storage.show_new(runtime.exec_target().device.is_none());
        drop(runtime);
        // SAFETY: the new storage holds as many bytes, and has no other reference; the caller's contract.
        unsafe { std::ptr::copy_nonoverlapping(address, own, bytes) };
        let layout = Layout { shape: for_axes(shape), strides: for_axes(strides), offset: 0 };
        Ok(Array { storage, layout, dtype, writeable: true })
    }

    /// The array of this crate, if any, whose storage an address that code outside knows lies in: its storage's first byte as shown, as
    /// an array of bytes.
    pub fn at_guarded_address(address: *const u8) -> Option<(usize, Array)> {
        let SlotOwner::Storage(storage) = guarded_range::owner_at(address.addr()) else { return None };
        // SAFETY: the caller's memory at this address is alive, and so is the storage whose it is.
        let storage = unsafe { StorageRef::of_storage(storage.cast()) };
        let shown = storage.shown()?.addr();
        Some((shown, Array::whole(storage)))
    }
}

/// Shows an address of a storage for the first time.
fn show(storage: &StorageRef) -> Result<*mut u8> {
    if guarded_range::is_in_use()
        && let Some(mut runtime) = try_runtime()
    {
        let is_on_host = runtime.exec_target().device.is_none();
        let is_idle = is_on_host && !runtime.trace.touches(storage) && !storage.has_snapshots();
        if !is_idle && let Some(shown) = runtime.show_touched(storage)? {
            return Ok(shown);
        }
        if let Some(shown) = storage.show(is_idle) {
            return Ok(shown);
        }
    }
    let mut runtime = runtime();
    if storage.has_snapshots() {
        runtime.copy_on_write(storage)?;
    }
    runtime.ensure_on_host(storage)?;
    Ok(storage.show_contents())
}

impl Runtime {
    /// Computes the contents of a storage that is shown, and opens it. Snapshots get copies, as code outside writes unseen.
    ///
    /// # Errors
    /// `MemoryError`; those of a device that has the contents.
    pub(crate) fn expose(&mut self, storage: &Storage, toucher: Toucher) -> Result<*mut u8> {
        self.lone.observe();
        if storage.is_open() {
            // If it was open from the beginning, that was right, whatever statement closes it later.
            storage.set_creation(None);
        } else {
            self.note_touch(storage);
        }
        if storage.has_snapshots() {
            self.copy_on_write(storage)?;
        }
        if self.trace.touches(storage) {
            self.flush(FlushReason::Touched)?;
        }
        let address = storage.materialize()?;
        match storage.shown() {
            Some(shown) if !storage.is_open() => {
                storage.open(toucher)?;
                // A storage that is shared on a device shows its mirror.
                storage.address().map_or(Ok(shown), Ok)
            }
            _ => Ok(address),
        }
    }
    /// Computes the result of a statement that begins the trace, whose storage code outside does not know yet, and shows it open, if it is likely
    /// to be touched before another statement comes.
    ///
    /// # Errors
    /// Those of a flush; then the contents are pending, and not shown.
    fn show_touched(&mut self, storage: &Storage) -> Result<Option<*mut u8>> {
        let is_result = self.trace.nodes == 1 && self.trace.writes(storage) && !storage.has_memory();
        if !is_result || storage.bytes() <= SHOWN_AT_ONCE || storage.has_snapshots() {
            return Ok(None);
        }
        let opened = self.materialize_touched(storage, Creation::of(&self.trace.tape[..]));
        if opened.is_some()
            && let Err(error) = self.flush(FlushReason::Touched)
        {
            storage.discard_open();
            return Err(error);
        }
        Ok(opened)
    }

    /// Counts that code outside touches, or is called with, a storage that was guarded.
    fn note_touch(&mut self, storage: &Storage) {
        let Some(creation) = storage.creation().map(Creation::from_number) else { return };
        storage.set_creation(None);
        if !self.trace.touches(storage) || self.trace.nodes == 1 {
            self.touched.touch(creation);
        } else {
            self.touched.miss(creation);
        }
    }

    /// Closes an open storage, which a statement that is recorded uses; whether it is closed now.
    pub(crate) fn close(&mut self, storage: &Storage) -> bool {
        if storage.was_predicted()
            && let Some(creation) = storage.creation().map(Creation::from_number)
        {
            self.touched.miss(creation);
        }
        storage.close()
    }
}
