//! Loops that move elements without looking at them, by item size: select, splat, strided copies, gather, scatter.

use super::isa::{Isa, Loop, Routine, pick};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// Sixteen bytes that complex numbers may start at any eight of.
type Wide = [u64; 2];

/// `out[i] = a[i] ? b[i] : c[i]`, `a` being bools.
struct Select<T>(PhantomData<T>);

impl<T: Copy> Routine for Select<T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, _m: usize) {
        // SAFETY: the caller passes buffers of `n` elements, `out` apart from the others.
        unsafe {
            let out = from_raw_parts_mut(out.cast::<MaybeUninit<T>>(), n);
            let (a, b, c) = (from_raw_parts(a, n), from_raw_parts(b.cast::<T>(), n), from_raw_parts(c.cast::<T>(), n));
            for i in 0..n {
                let (x, y) = (b[i], c[i]);
                out[i].write(if a[i] != 0 { x } else { y });
            }
        }
    }
}

/// The select loop of an item size.
pub(crate) fn select(size: usize, isa: Isa) -> Loop {
    match size {
        1 => pick::<Select<u8>>(isa),
        2 => pick::<Select<u16>>(isa),
        4 => pick::<Select<u32>>(isa),
        8 => pick::<Select<u64>>(isa),
        _ => pick::<Select<Wide>>(isa),
    }
}

/// Calls `$f::<T>` with the type of an item size.
macro_rules! by_size {
    ($size:expr, $f:ident($($arg:expr),*)) => {
        match $size {
            1 => $f::<u8>($($arg),*),
            2 => $f::<u16>($($arg),*),
            4 => $f::<u32>($($arg),*),
            8 => $f::<u64>($($arg),*),
            _ => $f::<Wide>($($arg),*),
        }
    };
}

/// Fills `n` items with the one at `src`.
///
/// # Safety
/// `src` holds an item and `out` room for `n`, apart from it.
#[inline]
pub(crate) unsafe fn splat(out: *mut u8, src: *const u8, n: usize, size: usize) {
    unsafe fn go<T: Copy>(out: *mut u8, src: *const u8, n: usize) {
        // SAFETY: the outer function's contract.
        unsafe { from_raw_parts_mut(out.cast::<MaybeUninit<T>>(), n).fill(MaybeUninit::new(src.cast::<T>().read())) }
    }
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, go(out, src, n)) }
}

/// Copies `n` items between strided places.
///
/// # Safety
/// Both sequences are valid and do not overlap, or are the same.
#[inline]
pub(crate) unsafe fn copy_row(out: *mut u8, to: isize, src: *const u8, from: isize, n: usize, size: usize) {
    unsafe fn go<T: Copy>(out: *mut u8, to: isize, src: *const u8, from: isize, n: usize) {
        let size = size_of::<T>() as isize;
        // SAFETY: the outer function's contract. The branches only tell the compiler of strides it can use.
        unsafe {
            if to == size && from == size {
                std::ptr::copy(src.cast::<T>(), out.cast::<T>(), n);
            } else if to == size && from == 0 {
                splat(out, src, n, size as usize);
            } else if to == size {
                for i in 0..n {
                    *out.cast::<T>().add(i) = *src.offset(i as isize * from).cast::<T>();
                }
            } else {
                for i in 0..n as isize {
                    *out.offset(i * to).cast::<T>() = *src.offset(i * from).cast::<T>();
                }
            }
        }
    }
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, go(out, to, src, from, n)) }
}

/// `out[i]` = the item `offsets[i]` bytes from `base + i * stride`.
///
/// # Safety
/// Every such place is valid, and `out` and `offsets` have `n` elements.
pub(crate) unsafe fn gather(out: *mut u8, base: *const u8, stride: isize, offsets: *const i64, n: usize, size: usize) {
    unsafe fn go<T: Copy>(out: *mut u8, base: *const u8, stride: isize, offsets: *const i64, n: usize) {
        for i in 0..n {
            // SAFETY: the outer function's contract.
            unsafe {
                let place = base.offset(i as isize * stride + *offsets.add(i) as isize);
                *out.cast::<T>().add(i) = *place.cast::<T>();
            }
        }
    }
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, go(out, base, stride, offsets, n)) }
}

/// The item `offsets[i]` bytes from `base + i * stride` = `src[i]`, in order.
///
/// # Safety
/// Every such place is valid, and `src` and `offsets` have `n` elements.
pub(crate) unsafe fn scatter(base: *mut u8, stride: isize, offsets: *const i64, src: *const u8, n: usize, size: usize) {
    unsafe fn go<T: Copy>(base: *mut u8, stride: isize, offsets: *const i64, src: *const u8, n: usize) {
        for i in 0..n {
            // SAFETY: the outer function's contract.
            unsafe {
                let place = base.offset(i as isize * stride + *offsets.add(i) as isize);
                *place.cast::<T>() = *src.cast::<T>().add(i);
            }
        }
    }
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, go(base, stride, offsets, src, n)) }
}
