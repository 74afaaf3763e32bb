//! The floating-point status of this thread: the exceptions raised since it was cleared.
//!
//! On x86-64 it stands in MXCSR, which scalar and vector instructions write; elsewhere the C library reads it.

/// What [`save_and_clear`] found.
#[derive(Clone, Copy)]
pub(crate) struct Saved(u32);

/// 1 invalid, 2 divide by zero, 4 overflow, 8 underflow.
#[cfg(target_arch = "x86_64")]
pub(crate) extern "C" fn read() -> i64 {
    let raised = mxcsr();
    // MXCSR: bit 0 invalid, 1 denormal operand, 2 divide by zero, 3 overflow, 4 underflow, 5 inexact.
    i64::from((raised & 1) | (raised >> 1 & 0b1110))
}

/// Whether an operation was invalid, divided by zero, or overflowed.
pub(crate) extern "C" fn raised() -> u8 {
    u8::from(read() & 0b111 != 0)
}

/// Takes over what C code has raised: the C library's `feraiseexcept` raises overflow and underflow in the status word of x87, by which
/// NumPy tells of an exponential that is too large.
#[cfg(target_arch = "x86_64")]
pub(crate) fn take_over() {
    let word: u16;
    // SAFETY: reads the status word of x87 into a register.
    unsafe { std::arch::asm!("fnstsw ax", out("ax") word, options(nomem, nostack, preserves_flags)) };
    let raised = u32::from(word) & EXCEPTIONS;
    if raised != 0 {
        // SAFETY: clears the exceptions of x87, which neither Rust nor compiled code computes with.
        unsafe { std::arch::asm!("fnclex", options(nomem, nostack, preserves_flags)) };
        // The bits mean the same in both words.
        set_mxcsr(mxcsr() | raised);
    }
}

/// Clears every exception.
#[cfg(target_arch = "x86_64")]
pub(crate) extern "C" fn clear() {
    set_mxcsr(mxcsr() & !EXCEPTIONS);
}

#[cfg(target_arch = "x86_64")]
const EXCEPTIONS: u32 = 0x3f;

/// What [`raised`] looks for, in MXCSR's low byte.
#[cfg(target_arch = "x86_64")]
pub(crate) const RAISED: i64 = 0b1101;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const RAISED: i64 = 1;

#[cfg(target_arch = "x86_64")]
fn mxcsr() -> u32 {
    let mut value = 0_u32;
    // SAFETY: stores MXCSR into `value`, which is 4 bytes; it changes nothing else.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
    value
}

#[cfg(target_arch = "x86_64")]
fn set_mxcsr(value: u32) {
    // SAFETY: `value` is what `mxcsr` gave with at most its status bits changed, so rounding and masks stay as they are.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, preserves_flags)) };
}

/// Clears the status and gives what it was.
#[cfg(target_arch = "x86_64")]
pub(crate) fn save_and_clear() -> Saved {
    take_over();
    let before = mxcsr();
    if before & EXCEPTIONS != 0 {
        set_mxcsr(before & !EXCEPTIONS);
    }
    Saved(before)
}

/// Sets the status back.
#[cfg(target_arch = "x86_64")]
pub(crate) fn restore(saved: Saved) {
    set_mxcsr(saved.0);
}

// C's <fenv.h>. Its constants on aarch64 are those of the text form: 1 invalid, 2 divide by zero, 4 overflow, 8
// underflow, and 16 inexact.
#[cfg(not(target_arch = "x86_64"))]
unsafe extern "C" {
    fn fetestexcept(exceptions: i32) -> i32;
    fn feclearexcept(exceptions: i32) -> i32;
    fn feraiseexcept(exceptions: i32) -> i32;
}

#[cfg(not(target_arch = "x86_64"))]
const EXCEPTIONS: i32 = 0x1f;

/// 1 invalid, 2 divide by zero, 4 overflow, 8 underflow.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) extern "C" fn read() -> i64 {
    // SAFETY: reads the thread's status.
    i64::from(unsafe { fetestexcept(0xf) })
}

/// There is one status word.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn take_over() {}

/// Clears every exception.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) extern "C" fn clear() {
    // SAFETY: writes the thread's status, which Rust's own code never reads.
    unsafe { feclearexcept(EXCEPTIONS) };
}

/// Clears the status and gives what it was.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn save_and_clear() -> Saved {
    // SAFETY: reads the thread's status.
    let before = unsafe { fetestexcept(EXCEPTIONS) };
    clear();
    Saved(before.cast_unsigned())
}

/// Sets the status back.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn restore(saved: Saved) {
    clear();
    // SAFETY: writes the thread's status; exceptions are not trapped, so raising one only sets its bit.
    unsafe { feraiseexcept(saved.0.cast_signed()) };
}
