//! Scratch memory for block registers: on the stack, so that a launch calls no allocator and may nest.

use std::mem::MaybeUninit;

/// Bytes of scratch that suffice for a small launch; they touch no new page of the stack.
const SMALL_SCRATCH: usize = 3 << 10;
/// Bytes of scratch that suffice for nearly every launch.
const LARGE_SCRATCH: usize = 48 << 10;

#[repr(align(64))]
struct StackBuffer<const N: usize>(MaybeUninit<[u8; N]>);

/// Calls `f` with `bytes` bytes aligned to 64.
#[inline]
pub(crate) fn with<R>(bytes: usize, f: impl FnOnce(*mut u8) -> R) -> R {
    if bytes <= SMALL_SCRATCH {
        on_stack::<SMALL_SCRATCH, R>(f)
    } else if bytes <= LARGE_SCRATCH {
        on_stack::<LARGE_SCRATCH, R>(f)
    } else {
        on_heap(bytes, f)
    }
}

#[inline(never)]
fn on_stack<const N: usize, R>(f: impl FnOnce(*mut u8) -> R) -> R {
    let mut room = StackBuffer::<N>(MaybeUninit::uninit());
    f(room.0.as_mut_ptr().cast())
}

#[cold]
fn on_heap<R>(bytes: usize, f: impl FnOnce(*mut u8) -> R) -> R {
    let mut room: Vec<StackBuffer<64>> = Vec::with_capacity(bytes.div_ceil(64));
    f(room.as_mut_ptr().cast())
}
