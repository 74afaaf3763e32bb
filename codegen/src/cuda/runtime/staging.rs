//! Copies between the host's memory and the device's, through pinned memory that both reach.
//!
//! Two halves take turns: while the device copies one, the host fills or empties the other. The device does everything in the
//! order it was asked for, so a half may be asked to be read into while it is still being copied from; only the host has to wait,
//! for the event recorded after the last copy of a half.

use super::context::Context;
use crate::DeviceError;
use cudarc::driver::sys::CUevent;

/// Bytes of a half: enough for a copy to take longer than asking for it, and little to keep from the system.
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
    /// How far it is.
    filled: usize,
}

struct Half {
    memory: *mut u8,
    /// When the device is done with it.
    done: CUevent,
}

// SAFETY: whoever has the value has the memory, and events may be used from any thread.
unsafe impl Send for Staging {}

impl Staging {
    /// Pinned memory of a device.
    ///
    /// # Errors
    /// Where the system gives none.
    pub(super) fn new(context: &Context) -> Result<Staging, DeviceError> {
        let half = || {
            let (mut memory, mut done) = (std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: places of ours are written.
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

    /// Goes on with the other half, once its copies are done.
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

    /// Waits for what was asked for before the half's event was recorded last; not at all where it never was.
    fn await_half(&self, context: &Context, half: usize) -> Result<(), DeviceError> {
        // SAFETY: the event is ours.
        let code = unsafe { (context.driver.event_synchronize)(self.halves[half].done) };
        context.check("waiting for a copy", code)
    }

    /// Copies from the device, and waits for it.
    ///
    /// # Errors
    /// Those of the device, and of what it was asked for before.
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
        // One piece is on its way while the one before is emptied.
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
        // The device did all that was asked for, so both halves are free.
        (self.turn, self.filled) = (0, 0);
        Ok(())
    }
}
