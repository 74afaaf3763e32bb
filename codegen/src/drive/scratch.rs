//! Memory for registers: on the stack, so that a launch takes nothing from an allocator and may nest.

use std::mem::MaybeUninit;

/// What a small launch asks for; it touches no page that the caller has not.
const SMALL: usize = 3 << 10;
/// What nearly every launch asks for.
const LARGE: usize = 48 << 10;

#[repr(align(64))]
struct Room<const N: usize>(MaybeUninit<[u8; N]>);

/// Calls `f` with `bytes` bytes aligned to 64.
#[inline]
pub(crate) fn with<R>(bytes: usize, f: impl FnOnce(*mut u8) -> R) -> R {
    if bytes <= SMALL {
        on_stack::<SMALL, R>(f)
    } else if bytes <= LARGE {
        on_stack::<LARGE, R>(f)
    } else {
        on_heap(bytes, f)
    }
}

#[inline(never)]
fn on_stack<const N: usize, R>(f: impl FnOnce(*mut u8) -> R) -> R {
    let mut room = Room::<N>(MaybeUninit::uninit());
    f(room.0.as_mut_ptr().cast())
}

#[cold]
fn on_heap<R>(bytes: usize, f: impl FnOnce(*mut u8) -> R) -> R {
    let mut room: Vec<Room<64>> = Vec::with_capacity(bytes.div_ceil(64));
    f(room.as_mut_ptr().cast())
}
