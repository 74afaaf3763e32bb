//! Hints for LLVM's vectoriser, for loops whose bodies are vectors already.

/// Writes a chunk, element by element: stored as an array, LLVM packs small arrays into integers.
///
/// # Safety
/// `out` has room for it; it may be unaligned.
#[inline(always)]
pub(crate) unsafe fn store_chunk<O: Copy, const N: usize>(out: *mut O, z: [O; N]) {
    for (j, z) in z.into_iter().enumerate() {
        // SAFETY: the caller's contract.
        unsafe { out.add(j).write_unaligned(z) };
    }
}

/// Asks the processor to bring the cache line of an address, which may be any.
#[inline(always)]
pub(crate) fn prefetch(at: *const i8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction accesses no memory that the program sees, and never faults.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Keeps LLVM from vectorising a loop that runs a few times only, or whose body is vectors already: an empty barrier.
#[inline(always)]
pub(crate) fn inhibit_vectorization() {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    // SAFETY: no instruction at all.
    unsafe {
        std::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}
