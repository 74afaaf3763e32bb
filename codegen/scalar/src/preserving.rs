//! Calls that leave every register as it is, for functions that loops call on rare paths.
//!
//! A call after the platform's convention loses most registers, all of the floating-point ones. The register allocator
//! then keeps the values of a loop in memory, although the call is made once in a million turns: a turn of an inner loop
//! that takes 1.2 ns took 3.8. Here the callee saves them. Cranelift's convention for this gives no result, so the result
//! goes to an address.

use crate::functions::Callee;
#[cfg(all(target_arch = "x86_64", unix))]
use crate::{functions, scratch, status};

/// What [`address`]'s function is asked to call.
const POLL: i64 = 0;
const STATUS: i64 = 1;
const SCRATCH: i64 = 2;
const SCRATCH_RESET: i64 = 3;
const BUFFER: i64 = 4;
const COPY: i64 = 5;

/// The number of a function that can be called so.
pub(crate) fn number(callee: Callee) -> Option<i64> {
    let number = match callee {
        Callee::Poll(_) => POLL,
        Callee::Status(_) => STATUS,
        Callee::Scratch(_) => SCRATCH,
        Callee::ScratchReset(_) => SCRATCH_RESET,
        Callee::Buffer(_) => BUFFER,
        Callee::Copy(_) => COPY,
        _ => return None,
    };
    cfg!(all(target_arch = "x86_64", unix)).then_some(number)
}

/// The address of a function of `*mut i64`, a number and up to three operands: it stores there what the function of that
/// number gives, and changes no register.
#[cfg(all(target_arch = "x86_64", unix))]
pub(crate) fn address() -> usize {
    save_and_call as *const () as usize
}

/// No function can be called so.
#[cfg(not(all(target_arch = "x86_64", unix)))]
pub(crate) fn address() -> usize {
    0
}

/// Saves the registers that a function may change, of the vectors the halves that compiled code uses, and calls [`store`].
#[cfg(all(target_arch = "x86_64", unix))]
#[unsafe(naked)]
unsafe extern "C" fn save_and_call(result: *mut i64, number: i64, a: i64, b: i64, c: i64) {
    std::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push rax",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "push r8",
        "push r9",
        "push r10",
        "push r11",
        "sub rsp, 264", // 16 vectors, and 8 bytes so that the stack is aligned
        "movaps [rsp + 0], xmm0",
        "movaps [rsp + 16], xmm1",
        "movaps [rsp + 32], xmm2",
        "movaps [rsp + 48], xmm3",
        "movaps [rsp + 64], xmm4",
        "movaps [rsp + 80], xmm5",
        "movaps [rsp + 96], xmm6",
        "movaps [rsp + 112], xmm7",
        "movaps [rsp + 128], xmm8",
        "movaps [rsp + 144], xmm9",
        "movaps [rsp + 160], xmm10",
        "movaps [rsp + 176], xmm11",
        "movaps [rsp + 192], xmm12",
        "movaps [rsp + 208], xmm13",
        "movaps [rsp + 224], xmm14",
        "movaps [rsp + 240], xmm15",
        "call {store}",
        "movaps xmm0, [rsp + 0]",
        "movaps xmm1, [rsp + 16]",
        "movaps xmm2, [rsp + 32]",
        "movaps xmm3, [rsp + 48]",
        "movaps xmm4, [rsp + 64]",
        "movaps xmm5, [rsp + 80]",
        "movaps xmm6, [rsp + 96]",
        "movaps xmm7, [rsp + 112]",
        "movaps xmm8, [rsp + 128]",
        "movaps xmm9, [rsp + 144]",
        "movaps xmm10, [rsp + 160]",
        "movaps xmm11, [rsp + 176]",
        "movaps xmm12, [rsp + 192]",
        "movaps xmm13, [rsp + 208]",
        "movaps xmm14, [rsp + 224]",
        "movaps xmm15, [rsp + 240]",
        "add rsp, 264",
        "pop r11",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop rax",
        "pop rbp",
        "ret",
        store = sym store,
    )
}

#[cfg(all(target_arch = "x86_64", unix))]
unsafe extern "C" fn store(result: *mut i64, number: i64, a: i64, b: i64, c: i64) {
    let found = match number {
        POLL => functions::poll().into(),
        STATUS => status::read(),
        SCRATCH => scratch::take(a),
        BUFFER => scratch::buffer(a, b),
        SCRATCH_RESET => {
            scratch::reset();
            0
        }
        _ => {
            // SAFETY: the text's author answers for the two places and the number of bytes.
            unsafe { scratch::copy(a, b, c) };
            0
        }
    };
    // SAFETY: compiled code gives the address of a slot of its own stack frame.
    unsafe { result.write(found) };
}
