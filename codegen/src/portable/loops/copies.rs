//! Loops that move elements, by item size: select, broadcast, strided copies, gather, scatter.
//!
//! Items are moved as integers of their size. Their addresses may be unaligned for these: a `complex64` of eight bytes is aligned to four.

use crate::ComplexPart;
use crate::drive::isa::{EachRow, InnerLoop, Isa, LoopFn, loop_for};
use crate::drive::vector_hints::{inhibit_vectorization, store_chunk};
use std::marker::PhantomData;

/// Sixteen bytes with the alignment of a complex number, eight.
type Wide = [u64; 2];

/// `out[i] = a[i] ? b[i] : c[i]`, `a` being bools and items `PARTS` parts each; in chunks of `N` parts as
/// [`crate::portable::loops::elementwise::in_chunks`].
struct Select<T, const PARTS: usize, const N: usize>(PhantomData<T>);

impl<T: Copy, const PARTS: usize, const N: usize> InnerLoop for Select<T, PARTS, N> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, _m: usize) {
        let (out, b, c, n) = (out.cast::<T>(), b.cast::<T>(), c.cast::<T>(), n * PARTS);
        // SAFETY: the caller passes buffers of `n` elements, `out` overlaps none of the others or is one of them.
        unsafe {
            // As `if`, LLVM selects addresses and loads one by one.
            let choose = |i: usize| {
                std::hint::select_unpredictable(
                    *a.add(i / PARTS) != 0,
                    b.add(i).read_unaligned(),
                    c.add(i).read_unaligned(),
                )
            };
            if n < N {
                for i in 0..n {
                    inhibit_vectorization();
                    out.add(i).write_unaligned(choose(i));
                }
                return;
            }
            // The last chunk first, so that `out` may be a source.
            let last = n - N;
            let end: [T; N] = std::array::from_fn(|j| choose(last + j));
            let mut i = 0;
            while i < last {
                inhibit_vectorization();
                let z: [T; N] = std::array::from_fn(|j| choose(i + j));
                store_chunk(out.add(i), z);
                i += N;
            }
            store_chunk(out.add(last), end);
        }
    }
}

/// The select loop of an item size.
pub(crate) fn select(size: usize, isa: Isa) -> LoopFn {
    match size {
        1 => loop_for::<EachRow<Select<u8, 1, 16>>>(isa),
        2 => loop_for::<EachRow<Select<u16, 1, 16>>>(isa),
        4 => loop_for::<EachRow<Select<u32, 1, 16>>>(isa),
        8 => loop_for::<EachRow<Select<u64, 1, 8>>>(isa),
        _ => loop_for::<EachRow<Select<u64, 2, 8>>>(isa),
    }
}

/// `out[i] = a[2 i + AT]`: parts of complex numbers.
struct PartOf<T, const AT: usize>(PhantomData<T>);

impl<T: Copy, const AT: usize> InnerLoop for PartOf<T, AT> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, _b: *const u8, _c: *const u8, n: usize, _m: usize) {
        for i in 0..n {
            // SAFETY: the caller passes buffers of `n` elements, `out` does not overlap the other.
            unsafe { out.cast::<T>().add(i).write(a.cast::<T>().add(2 * i + AT).read()) };
        }
    }
}

/// The loop that takes parts of a size.
pub(crate) fn part(size: usize, part: ComplexPart, isa: Isa) -> LoopFn {
    match (size, part) {
        (4, ComplexPart::Real) => loop_for::<EachRow<PartOf<u32, 0>>>(isa),
        (4, ComplexPart::Imaginary) => loop_for::<EachRow<PartOf<u32, 1>>>(isa),
        (_, ComplexPart::Real) => loop_for::<EachRow<PartOf<u64, 0>>>(isa),
        (_, ComplexPart::Imaginary) => loop_for::<EachRow<PartOf<u64, 1>>>(isa),
    }
}

/// `out[i] = (a[i], b[i])`: complex numbers of their parts.
struct OfParts<T>(PhantomData<T>);

impl<T: Copy> InnerLoop for OfParts<T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, _c: *const u8, n: usize, _m: usize) {
        for i in 0..n {
            // SAFETY: the caller passes buffers of `n` elements, `out` overlaps none of the others.
            unsafe { out.cast::<[T; 2]>().add(i).write([a.cast::<T>().add(i).read(), b.cast::<T>().add(i).read()]) };
        }
    }
}

/// The loop that makes complex numbers of a size.
pub(crate) fn complex(size: usize, isa: Isa) -> LoopFn {
    if size == 8 { loop_for::<EachRow<OfParts<u32>>>(isa) } else { loop_for::<EachRow<OfParts<u64>>>(isa) }
}

/// `out[i]` = the item at `a`.
struct Fill<T>(PhantomData<T>);

impl<T: Copy> InnerLoop for Fill<T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, _b: *const u8, _c: *const u8, n: usize, _m: usize) {
        // SAFETY: the caller passes room for `n` items and one item that do not overlap.
        unsafe { fill_row(out.cast::<T>(), a.cast::<T>().read_unaligned(), n) }
    }
}

/// Writes an item `n` times.
///
/// # Safety
/// `out` has room for `n` items.
#[inline(always)]
unsafe fn fill_row<T: Copy>(out: *mut T, item: T, n: usize) {
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe { out.add(i).write_unaligned(item) };
    }
}

/// The loop that fills a register of an item size.
pub(crate) fn fill(size: usize, isa: Isa) -> LoopFn {
    match size {
        1 => loop_for::<Fill<u8>>(isa),
        2 => loop_for::<Fill<u16>>(isa),
        4 => loop_for::<Fill<u32>>(isa),
        8 => loop_for::<Fill<u64>>(isa),
        _ => loop_for::<Fill<Wide>>(isa),
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
/// `src` holds an item and `out` has room for `n` and does not overlap it.
#[inline]
pub(crate) unsafe fn splat(out: *mut u8, src: *const u8, n: usize, size: usize) {
    unsafe fn go<T: Copy>(out: *mut u8, src: *const u8, n: usize) {
        // SAFETY: the outer function's contract.
        unsafe { fill_row(out.cast::<T>(), src.cast::<T>().read_unaligned(), n) }
    }
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, go(out, src, n)) }
}

/// Copies `n` strided items.
///
/// # Safety
/// Both sequences are valid and do not overlap, or are the same.
#[inline]
pub(crate) unsafe fn copy_row(out: *mut u8, to: isize, src: *const u8, from: isize, n: usize, size: usize) {
    unsafe fn go<T: Copy>(out: *mut u8, to: isize, src: *const u8, from: isize, n: usize) {
        let size = size_of::<T>() as isize;
        // SAFETY: the outer function's contract. The branches only give the compiler constant strides.
        unsafe {
            if to == size && from == size {
                std::ptr::copy(src, out, n * size_of::<T>());
            } else if to == size && from == 0 {
                splat(out, src, n, size as usize);
            } else if to == size {
                // Eight at a time: 0.25 ns an element from L1, half of the time of one at a time.
                let (mut out, mut src) = (out.cast::<T>(), src);
                for _ in 0..n / 8 {
                    let next: [T; 8] =
                        std::array::from_fn(|j| src.offset(j as isize * from).cast::<T>().read_unaligned());
                    for (j, x) in next.into_iter().enumerate() {
                        out.add(j).write_unaligned(x);
                    }
                    (out, src) = (out.add(8), src.wrapping_offset(8 * from));
                }
                for j in 0..n % 8 {
                    inhibit_vectorization();
                    out.add(j).write_unaligned(src.offset(j as isize * from).cast::<T>().read_unaligned());
                }
            } else {
                for i in 0..n as isize {
                    let item = src.offset(i * from).cast::<T>().read_unaligned();
                    out.offset(i * to).cast::<T>().write_unaligned(item);
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
/// Every such address is valid, and `out` and `offsets` have `n` elements.
pub(crate) unsafe fn gather(out: *mut u8, base: *const u8, stride: isize, offsets: *const i64, n: usize, size: usize) {
    unsafe fn go<T: Copy>(out: *mut u8, base: *const u8, stride: isize, offsets: *const i64, n: usize) {
        for i in 0..n {
            // SAFETY: the outer function's contract.
            unsafe {
                let place = base.offset(i as isize * stride + *offsets.add(i) as isize);
                out.cast::<T>().add(i).write_unaligned(place.cast::<T>().read_unaligned());
            }
        }
    }
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, go(out, base, stride, offsets, n)) }
}

/// The item `offsets[i]` bytes from `base + i * stride` = `src[i]`, in order.
///
/// # Safety
/// Every such address is valid, and `src` and `offsets` have `n` elements.
pub(crate) unsafe fn scatter(base: *mut u8, stride: isize, offsets: *const i64, src: *const u8, n: usize, size: usize) {
    unsafe fn go<T: Copy>(base: *mut u8, stride: isize, offsets: *const i64, src: *const u8, n: usize) {
        for i in 0..n {
            // SAFETY: the outer function's contract.
            unsafe {
                let place = base.offset(i as isize * stride + *offsets.add(i) as isize);
                place.cast::<T>().write_unaligned(src.cast::<T>().add(i).read_unaligned());
            }
        }
    }
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, go(base, stride, offsets, src, n)) }
}
