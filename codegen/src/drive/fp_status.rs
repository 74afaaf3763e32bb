//! The floating-point status word of the calling thread, and the attribution of its flags to instructions.
//!
//! The status word is the sticky bits of MXCSR on x86-64; elsewhere nothing is ever reported.
//!
//! All drivers attribute flags alike. They clear the word, run a block, and ask `is_raised`. Blocks that raise flags are few: such a block
//! is re-executed instruction by instruction, with `attribute` after each. What tasks and re-executions found is added by `merge`.

use crate::{FpFlags, RaisedFlags};
use std::hint::black_box;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// The flags that drivers look for. Others are ignored by the caller: a block that raises no other is not re-executed, which takes forty
/// times as long as the block (`exp(-x**2)` of large numbers underflows everywhere).
static REPORTED: AtomicU8 = AtomicU8::new(FpFlags::ALL.0);

/// How many launches report at least [`ERRORS`].
static REPORTING_ERRORS: AtomicUsize = AtomicUsize::new(0);
/// All but underflow.
pub(crate) const ERRORS: FpFlags = FpFlags(FpFlags::ALL.0 & !FpFlags::UNDERFLOW.0);

/// Sets the flags that launches report from now on, at least. Launches at the same time have them in common.
pub fn set_reported(flags: FpFlags) {
    REPORTED.store(flags.0, Ordering::Relaxed);
}

/// Does work whose launches report all flags but underflow, if not that too.
pub fn reporting_errors<T>(work: impl FnOnce() -> T) -> T {
    /// Counts while it lives.
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            REPORTING_ERRORS.fetch_sub(1, Ordering::Relaxed);
        }
    }
    REPORTING_ERRORS.fetch_add(1, Ordering::Relaxed);
    let _counted = Counted;
    work()
}

/// The flags that are reported now.
#[inline(always)]
fn reported() -> FpFlags {
    let flags = FpFlags(REPORTED.load(Ordering::Relaxed));
    if REPORTING_ERRORS.load(Ordering::Relaxed) == 0 { flags } else { flags | ERRORS }
}

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
            write_flags(word, FpFlags::NONE);
        }
    }
}

/// Writes the status word with these flags and no others.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn write_flags(word: u32, flags: FpFlags) {
    let word = word & !0x1d | u32::from(flags.0 & 7) << 2 | u32::from(flags.0 >> 3 & 1);
    // SAFETY: only sticky status bits change; masks and rounding are unchanged.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &word, options(nostack, readonly)) };
}

/// The flags that work raises on this thread.
pub fn flags_raised(work: impl FnOnce()) -> FpFlags {
    clear();
    work();
    let raised = read();
    clear();
    raised
}

/// Does work, and says which flags it raised; those of the status word are as before.
#[inline(always)]
pub(crate) fn observed<T>(work: impl FnOnce() -> T) -> (T, FpFlags) {
    let before = read();
    if !before.is_empty() {
        clear();
    }
    let result = work();
    let raised = read();
    #[cfg(target_arch = "x86_64")]
    if raised != before {
        write_flags(mxcsr(), before);
    }
    (result, raised)
}

/// Does work that leaves the status word as it was.
pub fn preserving<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    let word = mxcsr();
    let result = work();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the word is one that the register had.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &word, options(nostack, readonly));
    }
    result
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

/// Whether any of some flags is raised that is to be reported.
#[inline(always)]
pub(crate) fn is_raised(flags: FpFlags) -> bool {
    let flags = flags & reported();
    !flags.is_empty() && !(read() & flags).is_empty()
}

/// Those of some flags that are raised and to be reported.
#[inline]
pub(crate) fn raised_of(flags: FpFlags) -> FpFlags {
    flags & reported() & read()
}

/// Whether underflow is reported. NumPy ignores it unless asked.
#[inline(always)]
pub(crate) fn reports_underflow() -> bool {
    !(reported() & FpFlags::UNDERFLOW).is_empty()
}

/// Attributes the flags that are raised to an instruction, as far as they are its `effects`, and clears all.
#[inline]
pub(crate) fn attribute(raised: &mut RaisedFlags, epilogue: bool, inst: u32, effects: FpFlags) {
    let up = read();
    if !up.is_empty() {
        clear();
        merge(raised, [(epilogue, inst, up & effects)]);
    }
}

/// Adds the flags of instructions to those raised so far, which stay sorted by instruction.
pub(crate) fn merge(raised: &mut RaisedFlags, found: impl IntoIterator<Item = (bool, u32, FpFlags)>) {
    for (epilogue, inst, flags) in found {
        if flags.is_empty() {
            continue;
        }
        match raised.binary_search_by_key(&(epilogue, inst), |&(e, i, _)| (e, i)) {
            Ok(at) => raised[at].2 |= flags,
            Err(at) => raised.insert(at, (epilogue, inst, flags)),
        }
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
