//! The floating-point status word of the calling thread.
//!
//! On x86-64 the sticky bits of MXCSR; elsewhere nothing is ever reported.

use crate::{FpFlags, RaisedFlags};
use std::hint::black_box;

/// The flags raised since the last [`clear`].
#[inline(always)]
pub fn read() -> FpFlags {
    #[cfg(target_arch = "x86_64")]
    {
        from_mxcsr(mxcsr())
    }
    #[cfg(not(target_arch = "x86_64"))]
    FpFlags::NONE
}

/// Clears every flag. Writing MXCSR costs some 3 ns, so it is not written if no flag is set.
#[inline(always)]
pub fn clear() {
    #[cfg(target_arch = "x86_64")]
    {
        let word = mxcsr();
        if !from_mxcsr(word).is_empty() {
            let word = word & !0x1d;
            // SAFETY: only sticky status bits change; masks and rounding are unchanged.
            unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &word, options(nostack, readonly)) };
        }
    }
}

/// Sticky bits: 0 invalid, 2 divide, 3 overflow, 4 underflow.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn from_mxcsr(word: u32) -> FpFlags {
    FpFlags(((word >> 2) & 7 | (word & 1) << 3) as u8)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn mxcsr() -> u32 {
    let mut word = 0u32;
    // SAFETY: writes four bytes to `word`.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &mut word, options(nostack)) };
    word
}

/// Adds the flags of an instruction to those raised so far.
pub(crate) fn record_flags(raised: &mut RaisedFlags, epilogue: bool, inst: u32, flags: FpFlags) {
    if flags.is_empty() {
        return;
    }
    match raised.iter_mut().find(|(e, i, _)| (*e, *i) == (epilogue, inst)) {
        Some((_, _, all)) => *all |= flags,
        None => raised.push((epilogue, inst, flags)),
    }
}

/// Raises the divide flag.
#[cold]
#[inline(never)]
pub(crate) fn raise_divide() {
    black_box(black_box(1.0f64) / black_box(0.0));
}

/// Raises the overflow flag.
#[cold]
#[inline(never)]
pub(crate) fn raise_overflow() {
    black_box(black_box(f64::MAX) * black_box(2.0));
}

/// Raises the underflow flag.
#[cold]
#[inline(never)]
pub(crate) fn raise_underflow() {
    black_box(black_box(f64::MIN_POSITIVE) * black_box(f64::EPSILON / 3.0));
}

/// Raises the invalid flag.
#[cold]
#[inline(never)]
pub(crate) fn raise_invalid() {
    black_box(black_box(0.0f64) / black_box(0.0));
}
