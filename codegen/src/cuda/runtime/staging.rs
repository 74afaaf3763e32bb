//! Staging: copies between the memory of host and device through pinned memory, which both reach.
//!
//! It is a double buffer: while the device copies one half, the host fills or empties the other. The device runs all requests in
//! order, so a half may be requested as a target while it is still being copied from; only the host has to wait,
//! for the event recorded after the last copy of a half.

use super::context::Context;
use crate::DeviceError;
use cudarc::driver::sys::CUevent;

/// Bytes of a half: a copy takes longer than its request, and little memory is pinned.
const STAGING_BYTES: usize = 4 << 20;
/// Where pieces of a half begin.
const STAGING_ALIGN: usize = 64;
/// An event that is only waited for.
const DISABLE_TIMING: u32 = 2;

/// The pinned memory, and how far it is used.
pub(super) struct Staging {
    halves: [Half; 2],
    /// The half that is filled.
    turn: usize,
    /// How much of it is filled.
    filled: usize,
}

struct Half {
    memory: *mut u8,
    /// When the device is done with it.
    done: CUevent,
}

// SAFETY: the value owns the memory, and events may be used from any thread.
unsafe impl Send for Staging {}

impl Staging {
    /// Pinned memory of a device.
    ///
    /// # Errors
    /// Where the system gives none.
    pub(super) fn new(context: &Context) -> Result<Staging, DeviceError> {
        let half = || {
            let (mut memory, mut done) = (std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: locals are written.
            unsafe {
                context.check("pinning memory", (context.driver.mem_host_alloc)(&raw mut memory, STAGING_BYTES, 0))?;
                context.check("making an event", (context.driver.event_create)(&raw mut done, DISABLE_TIMING))?;
            }
            Ok(Half { memory: memory.cast(), done })
        };
        Ok(Staging { halves: [half()?, half()?], turn: 0, filled: 0 })
    }

    /// Copies to the device. The source may be written when this returns.
    ///
    /// # Errors
    /// Those of the device.
    ///
    /// # Safety
    /// So many bytes may be read at the one address, of the host, and written at the other, of the device.
    pub(super) unsafe fn upload(
        &mut self,
        context: &Context,
        from: *const u8,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let mut copied = 0;
        while copied < bytes {
            if self.filled >= STAGING_BYTES {
                self.next_half(context)?;
            }
            let piece = (bytes - copied).min(STAGING_BYTES - self.filled);
            // SAFETY: the piece lies in the half, whose part from `filled` on no copy reads; else the caller's contract.
            unsafe {
                let staged = self.halves[self.turn].memory.add(self.filled);
                std::ptr::copy_nonoverlapping(from.add(copied), staged, piece);
                let code =
                    (context.driver.memcpy_htod_async)(to as u64 + copied as u64, staged.cast(), piece, context.stream);
                context.check("copying to the device", code)?;
            }
            self.filled = (self.filled + piece).next_multiple_of(STAGING_ALIGN);
            copied += piece;
        }
        Ok(())
    }

    /// Switches to the other half, once its copies are done.
    fn next_half(&mut self, context: &Context) -> Result<(), DeviceError> {
        self.record(context, self.turn)?;
        self.turn = 1 - self.turn;
        self.await_half(context, self.turn)?;
        self.filled = 0;
        Ok(())
    }

    fn record(&self, context: &Context, half: usize) -> Result<(), DeviceError> {
        // SAFETY: the event and the stream are ours.
        let code = unsafe { (context.driver.event_record)(self.halves[half].done, context.stream) };
        context.check("recording an event", code)
    }

    /// Waits for the requests before the last record of the half's event; not at all where it was never recorded.
    fn await_half(&self, context: &Context, half: usize) -> Result<(), DeviceError> {
        // SAFETY: the event is ours.
        let code = unsafe { (context.driver.event_synchronize)(self.halves[half].done) };
        context.check("waiting for a copy", code)
    }

    /// Copies from the device, and waits for it.
    ///
    /// # Errors
    /// Those of the device, and of earlier requests.
    ///
    /// # Safety
    /// As [`Staging::upload`], the other way.
    pub(super) unsafe fn download(
        &mut self,
        context: &Context,
        from: *const u8,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        if bytes == 0 {
            return context.wait();
        }
        let pieces = bytes.div_ceil(STAGING_BYTES);
        let size = |piece: usize| (bytes - piece * STAGING_BYTES).min(STAGING_BYTES);
        // One piece is copied while the host empties the one before.
        for piece in 0..=pieces {
            if piece < pieces {
                // SAFETY: the caller's contract; what the half held was emptied two pieces ago, or the device copies it before.
                let code = unsafe {
                    (context.driver.memcpy_dtoh_async)(
                        self.halves[piece % 2].memory.cast(),
                        from as u64 + (piece * STAGING_BYTES) as u64,
                        size(piece),
                        context.stream,
                    )
                };
                context.check("copying from the device", code)?;
                self.record(context, piece % 2)?;
            }
            if let Some(before) = piece.checked_sub(1) {
                self.await_half(context, before % 2)?;
                // SAFETY: the half holds the piece; else the caller's contract.
                unsafe {
                    let staged = self.halves[before % 2].memory;
                    std::ptr::copy_nonoverlapping(staged, to.add(before * STAGING_BYTES), size(before));
                }
            }
        }
        // The device has run all requests, so both halves are free.
        (self.turn, self.filled) = (0, 0);
        Ok(())
    }
}
