//! The op table as inner loops: for each op and element type a monomorphic loop over contiguous elements.
//!
//! Most rows of real programs are short, and what LLVM makes of a plain loop spends its time there in scalar tails: 27 of
//! 59 elements. So a definition is applied to chunks of 64 bytes ([`in_chunks`]), straight-line code that becomes one or a
//! few vector instructions, and the last chunk overlaps the one before it: the same values are written twice, and no element
//! outside the row is computed. Divisions of integers and elementary functions keep loops of their own.

#![allow(clippy::needless_range_loop)] // several arrays and memory are indexed together
#![allow(clippy::eq_op, clippy::nonminimal_bool, clippy::unnecessary_cast)]

use crate::drive::isa::{EachRow, InnerLoop, Isa, LoopFn, loop_for, unrolled};
use crate::drive::vector_hints::{inhibit_vectorization, store_chunk};
use crate::math::{self, *};
use crate::portable::loops::arith::{FloatOps, IntegerOps};
use crate::portable::loops::complex::{ComplexNumber, LibmFunction as C};
use crate::portable::loops::element::{B8, Element};
use crate::portable::loops::{complex_abs, integer_powers, remainder};
use crate::{DType, Op};
use num_complex::Complex;
use std::marker::PhantomData;

/// Elements of a chunk whose results are bytes: a register of them. (10,000 comparisons of float64 took 2.9 µs in chunks of 8
/// and take 1.5; LLVM splits chunks of 16 and 32.)
pub(crate) const BYTE_CHUNK: usize = 64;

/// An op's definition on elements of one type.
pub(crate) trait Define<T: Element> {
    /// The result's element type.
    type Out: Element;
    /// Whether it has two arguments.
    const BINARY: bool;
    /// Its cost in the table.
    const COST: u32;
    /// The op.
    const OP: Op;
    /// Whether it is cheap enough to unroll for a chunk.
    const IN_CHUNKS: bool = Self::COST < if T::FLOATING { 8 } else { 4 };
    /// The value at one point.
    fn call<const FMA: bool>(a: T, b: T) -> Self::Out;
    /// The values at `n` points.
    ///
    /// # Safety
    /// All pointers are valid for `n` elements and `out` overlaps no other.
    #[inline(always)]
    unsafe fn block<const FMA: bool>(out: *mut Self::Out, a: *const T, b: *const T, n: usize) {
        // SAFETY: the caller's contract. A branch's chunk is instantiated only for the size it is for.
        unsafe {
            if const { !unrolled(FMA) } {
                plain::<Self, T, FMA>(out, a, b, n);
            } else if const {
                Self::IN_CHUNKS && Self::BINARY && size_of::<Self::Out>() == 1 && matches!(size_of::<T>(), 4 | 8)
            } && n >= BYTE_CHUNK
            {
                in_chunks::<T, T, Self::Out, BYTE_CHUNK>(out, a, b, n, |x, y| Self::call::<FMA>(x, y));
            } else if const { remainder::is_division(Self::OP) || matches!(Self::OP, Op::Power) } {
                in_chunks_or_scalar::<Self, T, FMA>(out, a, b, n);
            } else if const { matches!(Self::OP, Op::Absolute) && size_of::<T>() > size_of::<Self::Out>() } {
                abs_in_chunks::<Self, T, FMA>(out, a, n);
            } else if const { !Self::BINARY && Self::IN_CHUNKS && widest::<T, Self::Out>() == 16 } {
                in_chunks::<T, T, Self::Out, 4>(out, a, a, n, |x, _| Self::call::<FMA>(x, x));
            } else if const { !Self::BINARY && Self::IN_CHUNKS && widest::<T, Self::Out>() == 8 } {
                in_chunks::<T, T, Self::Out, 8>(out, a, a, n, |x, _| Self::call::<FMA>(x, x));
            } else if const { !Self::BINARY && Self::IN_CHUNKS } {
                in_chunks::<T, T, Self::Out, 16>(out, a, a, n, |x, _| Self::call::<FMA>(x, x));
            } else if const { Self::IN_CHUNKS && widest::<T, Self::Out>() == 16 } {
                in_chunks::<T, T, Self::Out, 4>(out, a, b, n, |x, y| Self::call::<FMA>(x, y));
            } else if const { Self::IN_CHUNKS && widest::<T, Self::Out>() == 8 } {
                in_chunks::<T, T, Self::Out, 8>(out, a, b, n, |x, y| Self::call::<FMA>(x, y));
            } else if const { Self::IN_CHUNKS } {
                in_chunks::<T, T, Self::Out, 16>(out, a, b, n, |x, y| Self::call::<FMA>(x, y));
            } else {
                plain::<Self, T, FMA>(out, a, b, n);
            }
        }
    }
}

/// A loop over elements, left to LLVM.
///
/// # Safety
/// As [`Define::block`].
#[inline(always)]
unsafe fn plain<D: Define<T> + ?Sized, T: Element, const FMA: bool>(
    out: *mut D::Out,
    a: *const T,
    b: *const T,
    n: usize,
) {
    let b = if D::BINARY { b } else { a };
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe { out.add(i).write(D::call::<FMA>(a.add(i).read(), b.add(i).read())) };
    }
}

/// Divisions that round, and powers of integers: chunk by chunk, with a scalar slow path.
///
/// # Safety
/// As [`Define::block`].
#[inline(always)]
unsafe fn in_chunks_or_scalar<D: Define<T> + ?Sized, T: Element, const FMA: bool>(
    out: *mut D::Out,
    a: *const T,
    b: *const T,
    n: usize,
) {
    let mut i = 0;
    while i < n {
        let at = if n < remainder::REMAINDER_CHUNK { i } else { i.min(n - remainder::REMAINDER_CHUNK) };
        // SAFETY: the caller's contract; a chunk at `at` ends within `n` elements.
        unsafe {
            let whole = n >= remainder::REMAINDER_CHUNK;
            let done = whole
                && match D::OP {
                    Op::Power => integer_powers::chunk::<T>(out.add(at).cast(), a.add(at), b.add(at)),
                    _ => remainder::chunk::<T, FMA>(D::OP, out.add(at).cast(), a.add(at), b.add(at)),
                };
            if !done {
                for i in at..n.min(at + remainder::REMAINDER_CHUNK) {
                    inhibit_vectorization();
                    out.add(i).write(D::call::<FMA>(a.add(i).read(), b.add(i).read()));
                }
            }
        }
        i += remainder::REMAINDER_CHUNK;
    }
}

/// Magnitudes of complex numbers: chunk by chunk, with a scalar slow path.
///
/// # Safety
/// As [`Define::block`].
#[inline(always)]
unsafe fn abs_in_chunks<D: Define<T> + ?Sized, T: Element, const FMA: bool>(out: *mut D::Out, a: *const T, n: usize) {
    let mut i = 0;
    while i < n {
        let at = if n < complex_abs::ABS_CHUNK { i } else { i.min(n - complex_abs::ABS_CHUNK) };
        // SAFETY: the caller's contract; a chunk at `at` ends within `n` elements.
        unsafe {
            if n < complex_abs::ABS_CHUNK || !complex_abs::chunk::<T>(out.add(at).cast(), a.add(at)) {
                for i in at..n.min(at + complex_abs::ABS_CHUNK) {
                    inhibit_vectorization();
                    let x = a.add(i).read();
                    out.add(i).write(D::call::<FMA>(x, x));
                }
            }
        }
        i += complex_abs::ABS_CHUNK;
    }
}

/// The larger of two sizes.
const fn widest<T, U>() -> usize {
    if size_of::<T>() > size_of::<U>() { size_of::<T>() } else { size_of::<U>() }
}

/// `out[i] = f(a[i], b[i])` for `n` points, `N` at a time; the last chunk overlaps the one before.
///
/// # Safety
/// All pointers are valid for `n` elements, and `out` overlaps no other or is the same, elements of one size provided.
#[inline(always)]
pub(crate) unsafe fn in_chunks<A: Copy, B: Copy, O: Copy, const N: usize>(
    out: *mut O,
    a: *const A,
    b: *const B,
    n: usize,
    f: impl Fn(A, B) -> O,
) {
    // SAFETY: the caller's contract; a chunk at `i` is in bounds as `i + N <= n`.
    unsafe {
        if n < N {
            for i in 0..n {
                inhibit_vectorization();
                out.add(i).write(f(a.add(i).read(), b.add(i).read()));
            }
            return;
        }
        // Computed first, so that `out` may be `a` or `b`.
        let last = n - N;
        let end = one_chunk::<A, B, O, N>(a.add(last), b.add(last), &f);
        let mut i = 0;
        while i < last {
            inhibit_vectorization();
            let z = one_chunk::<A, B, O, N>(a.add(i), b.add(i), &f);
            store_chunk(out.add(i), z);
            i += N;
        }
        store_chunk(out.add(last), end);
    }
}

/// One chunk; neither loaded nor stored as an array, or LLVM packs small arrays into integers.
///
/// # Safety
/// As [`in_chunks`], with `N` elements.
#[inline(always)]
unsafe fn one_chunk<A: Copy, B: Copy, O: Copy, const N: usize>(
    a: *const A,
    b: *const B,
    f: &impl Fn(A, B) -> O,
) -> [O; N] {
    // SAFETY: the caller's contract.
    std::array::from_fn(|j| unsafe { f(a.add(j).read(), b.add(j).read()) })
}

/// Whether an op's loop may write where it reads, element by element.
pub(crate) fn works_in_place(op: Op, dtype: DType) -> bool {
    let floating = dtype.is_float() || dtype.is_complex();
    op.row().cost < if floating { 8 } else { 4 } && op.result(dtype).size() == dtype.size()
}

/// The definition of an op, as a type.
pub(crate) struct OpDefinition<const OP: u8>;

/// [`Define::block`] as an inner loop.
struct ElementLoop<D, T>(PhantomData<(D, T)>);

impl<D: Define<T>, T: Element> InnerLoop for ElementLoop<D, T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, _c: *const u8, n: usize, _m: usize) {
        // SAFETY: the caller passes buffers of `n` elements of these types.
        unsafe { D::block::<FMA>(out.cast(), a.cast(), b.cast(), n) }
    }
}

/// Converts the result of a definition to its form in memory.
trait IntoMemory<T> {
    fn into_memory(self) -> T;
}

impl IntoMemory<B8> for bool {
    #[inline(always)]
    fn into_memory(self) -> B8 {
        B8::from(self)
    }
}

impl<T: Element> IntoMemory<T> for T {
    #[inline(always)]
    fn into_memory(self) -> T {
        self
    }
}

/// Generates the definitions and the lookup of loops from the op table; `@` rules are its parts.
macro_rules! define {
    // The callback: a definition for each class, and the lookup.
    ($($Op:ident $name:literal $args:tt $loops:literal -> $result:ident,
       $fx:ident $(| $fx2:ident)*, $domain:ident, $cost:literal, $doc:literal
       { $($class:ident: $body:expr;)* })*) => {
        $($(define!(@class $class $Op $args $result $cost $body);)*)*

        /// The loop of an op computing in a type.
        pub(crate) fn lookup(op: Op, dtype: DType, isa: Isa) -> Option<LoopFn> {
            match op {
                $(Op::$Op => {
                    $(let found = define!(@find $class $Op dtype isa);
                    if found.is_some() {
                        return found;
                    })*
                    None
                })*
            }
        }
    };
    (@class bool $Op:ident $args:tt $result:ident $cost:literal $body:expr) => { define!(@one $Op $args $result $cost $body, B8); };
    (@class int $Op:ident $args:tt $result:ident $cost:literal $body:expr) => {
        define!(@class sint $Op $args $result $cost $body);
        define!(@class uint $Op $args $result $cost $body);
    };
    (@class sint $Op:ident $args:tt $result:ident $cost:literal $body:expr) => {
        define!(@one $Op $args $result $cost $body, i8); define!(@one $Op $args $result $cost $body, i16);
        define!(@one $Op $args $result $cost $body, i32); define!(@one $Op $args $result $cost $body, i64);
    };
    (@class uint $Op:ident $args:tt $result:ident $cost:literal $body:expr) => {
        define!(@one $Op $args $result $cost $body, u8); define!(@one $Op $args $result $cost $body, u16);
        define!(@one $Op $args $result $cost $body, u32); define!(@one $Op $args $result $cost $body, u64);
    };
    (@class float $Op:ident $args:tt $result:ident $cost:literal $body:expr) => {
        define!(@one $Op $args $result $cost $body, f32); define!(@one $Op $args $result $cost $body, f64);
    };
    (@class complex $Op:ident $args:tt $result:ident $cost:literal $body:expr) => {
        define!(@one $Op $args $result $cost $body, Complex<f32>); define!(@one $Op $args $result $cost $body, Complex<f64>);
    };
    (@class elementary $Op:ident $args:tt $result:ident $cost:literal $Function:ident) => {
        define!(@elementary $Op $args $Function f32); define!(@elementary $Op $args $Function f64);
    };
    (@class elementary $Op:ident $args:tt $result:ident $cost:literal $body:expr) => {
        define!(@elementary $Op $args $body, f32); define!(@elementary $Op $args $body, f64);
    };
    (@one $Op:ident $args:tt $result:ident $cost:literal $body:expr, $T:ty) => {
        impl Define<$T> for OpDefinition<{ Op::$Op as u8 }> {
            type Out = define!(@result $result $T);
            const BINARY: bool = define!(@binary $args);
            const COST: u32 = $cost;
            const OP: Op = Op::$Op;
            #[inline(always)]
            fn call<const FMA: bool>(x: $T, y: $T) -> Self::Out {
                define!(@bind $args x y);
                IntoMemory::into_memory($body)
            }
        }
    };
    (@elementary $Op:ident ($a:ident) $body:expr, $T:ty) => {
        impl Define<$T> for OpDefinition<{ Op::$Op as u8 }> {
            type Out = $T;
            const BINARY: bool = false;
            const COST: u32 = u32::MAX;
            const OP: Op = Op::$Op;
            #[inline(always)]
            fn call<const FMA: bool>(x: $T, _: $T) -> $T {
                eval_unary::<_, $T, FMA>($body, x)
            }
            #[inline(always)]
            unsafe fn block<const FMA: bool>(out: *mut $T, a: *const $T, _: *const $T, n: usize) {
                // SAFETY: the caller's contract.
                unsafe { unary_loop::<_, $T, FMA>($body, out, a, n) }
            }
        }
    };
    (@elementary $Op:ident ($a:ident, $b:ident) $body:expr, $T:ty) => {
        impl Define<$T> for OpDefinition<{ Op::$Op as u8 }> {
            type Out = $T;
            const BINARY: bool = true;
            const COST: u32 = u32::MAX;
            const OP: Op = Op::$Op;
            #[inline(always)]
            fn call<const FMA: bool>(x: $T, y: $T) -> $T {
                eval_binary::<_, $T, FMA>($body, x, y)
            }
            #[inline(always)]
            unsafe fn block<const FMA: bool>(out: *mut $T, a: *const $T, b: *const $T, n: usize) {
                // SAFETY: the caller's contract.
                unsafe { binary_loop::<_, $T, FMA>($body, out, a, b, n) }
            }
        }
    };
    (@binary ($a:ident)) => { false };
    (@binary ($a:ident, $b:ident)) => { true };
    (@bind ($a:ident) $x:ident $y:ident) => { let _ = $y; let $a = IntoArgument::into_argument($x); };
    (@bind ($a:ident, $b:ident) $x:ident $y:ident) => { let ($a, $b) = (IntoArgument::into_argument($x), IntoArgument::into_argument($y)); };
    (@result same $T:ty) => { $T };
    (@result bool $T:ty) => { B8 };
    (@result real $T:ty) => { <$T as Element>::Real };
    (@result byte $T:ty) => { u8 };
    (@result int $T:ty) => { i32 };
    (@find bool $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa B8) };
    (@find int $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa i8 u8 i16 u16 i32 u32 i64 u64) };
    (@find sint $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa i8 i16 i32 i64) };
    (@find uint $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa u8 u16 u32 u64) };
    (@find float $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa f32 f64) };
    (@find elementary $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa f32 f64) };
    (@find complex $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa C64 C128) };
    (@among $Op:ident $dtype:ident $isa:ident $($T:ident)*) => {
        match $dtype {
            $(d if d == <$T as Element>::DTYPE => Some(loop_for::<EachRow<ElementLoop<OpDefinition<{ Op::$Op as u8 }>, $T>>>($isa)),)*
            _ => None,
        }
    };
}

type C64 = Complex<f32>;
type C128 = Complex<f64>;

/// Converts an element to the argument of a definition: bools to `bool`.
trait IntoArgument {
    type Value;
    fn into_argument(self) -> Self::Value;
}

macro_rules! argument {
    ($($T:ty)*) => { $(impl IntoArgument for $T { type Value = $T; #[inline(always)] fn into_argument(self) -> $T { self } })* };
}

argument!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 C64 C128);

impl IntoArgument for B8 {
    type Value = bool;
    #[inline(always)]
    fn into_argument(self) -> bool {
        self.get()
    }
}

#[inline(always)]
fn eval_unary<F: Unary<T>, T: math::Number, const FMA: bool>(_: F, x: T) -> T {
    eval::<F, T, FMA>(x)
}

#[inline(always)]
fn eval_binary<F: Binary<T>, T: math::Number, const FMA: bool>(_: F, x: T, y: T) -> T {
    eval2::<F, T, FMA>(x, y)
}

#[inline(always)]
unsafe fn unary_loop<F: Unary<T>, T: math::Number, const FMA: bool>(_: F, out: *mut T, x: *const T, n: usize) {
    // SAFETY: the caller's contract.
    unsafe { unary_block::<F, T, FMA>(out, x, n) }
}

#[inline(always)]
unsafe fn binary_loop<F: Binary<T>, T: math::Number, const FMA: bool>(
    _: F,
    out: *mut T,
    x: *const T,
    y: *const T,
    n: usize,
) {
    // SAFETY: the caller's contract.
    unsafe { binary_block::<F, T, FMA>(out, x, y, n) }
}

crate::for_each_op!(define);
