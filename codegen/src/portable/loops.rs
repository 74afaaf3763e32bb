//! The op table as inner loops: for each op and element type a monomorphic loop over contiguous elements.
//!
//! Loops read through shared and write through unique slices, which tells LLVM that they do not overlap and spares every
//! loop its run-time overlap check; callers keep that promise by never handing the destination as a source (see
//! [`super::code`]). A loop that allowed `out == a` would need either a second copy of the loop or a copy of every block;
//! the copy is made only where a kernel works in place.

#![allow(clippy::eq_op, clippy::nonminimal_bool, clippy::unnecessary_cast)]

use super::arith::{Integer, Real};
use super::complex::{ComplexNumber, Elementary as C};
use super::element::{B8, Element};
use super::isa::{Isa, Loop, Routine, pick};
use crate::math::{self, *};
use crate::{DType, Op};
use num_complex::Complex;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// An op's definition on elements of one type.
pub(crate) trait Define<T: Element> {
    /// The result's element type.
    type Out: Element;
    /// Whether it has two arguments.
    const BINARY: bool;
    /// The value at one point.
    fn call<const FMA: bool>(a: T, b: T) -> Self::Out;
    /// The values at `n` points.
    ///
    /// # Safety
    /// All pointers are valid for `n` elements and `out` overlaps no other.
    #[inline(always)]
    unsafe fn block<const FMA: bool>(out: *mut Self::Out, a: *const T, b: *const T, n: usize) {
        // SAFETY: the caller's contract.
        let (out, a) = unsafe { (from_raw_parts_mut(out.cast::<MaybeUninit<Self::Out>>(), n), from_raw_parts(a, n)) };
        if Self::BINARY {
            // SAFETY: as above.
            let b = unsafe { from_raw_parts(b, n) };
            for i in 0..n {
                out[i].write(Self::call::<FMA>(a[i], b[i]));
            }
        } else {
            for i in 0..n {
                out[i].write(Self::call::<FMA>(a[i], a[i]));
            }
        }
    }
}

/// The table's row of an op, as a type.
pub(crate) struct Row<const OP: u8>;

/// [`Define::block`] as a routine.
struct Each<D, T>(PhantomData<(D, T)>);

impl<D: Define<T>, T: Element> Routine for Each<D, T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, _c: *const u8, n: usize, _m: usize) {
        // SAFETY: the caller passes buffers of `n` elements of these types.
        unsafe { D::block::<FMA>(out.cast(), a.cast(), b.cast(), n) }
    }
}

/// What a definition may evaluate to, and how it is kept in memory.
trait Keep<T> {
    fn keep(self) -> T;
}

impl Keep<B8> for bool {
    #[inline(always)]
    fn keep(self) -> B8 {
        B8::from(self)
    }
}

impl<T: Element> Keep<T> for T {
    #[inline(always)]
    fn keep(self) -> T {
        self
    }
}

/// Turns the op table into definitions and the way from an op to its loops; `@` rules are its parts.
macro_rules! define {
    // The callback: a definition per class, and the way from an op to its loops.
    ($($Op:ident $name:literal $args:tt $loops:literal -> $result:ident, $identity:expr,
       $fx:ident $(| $fx2:ident)*, $domain:ident, $cost:literal, $doc:literal
       { $($class:ident: $body:expr;)* })*) => {
        $($(define!(@class $class $Op $args $result $body);)*)*

        /// The loop of an op computing in a type.
        pub(crate) fn lookup(op: Op, dtype: DType, isa: Isa) -> Option<Loop> {
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
    (@class bool $Op:ident $args:tt $result:ident $body:expr) => { define!(@one $Op $args $result $body, B8); };
    (@class int $Op:ident $args:tt $result:ident $body:expr) => {
        define!(@class sint $Op $args $result $body);
        define!(@class uint $Op $args $result $body);
    };
    (@class sint $Op:ident $args:tt $result:ident $body:expr) => {
        define!(@one $Op $args $result $body, i8); define!(@one $Op $args $result $body, i16);
        define!(@one $Op $args $result $body, i32); define!(@one $Op $args $result $body, i64);
    };
    (@class uint $Op:ident $args:tt $result:ident $body:expr) => {
        define!(@one $Op $args $result $body, u8); define!(@one $Op $args $result $body, u16);
        define!(@one $Op $args $result $body, u32); define!(@one $Op $args $result $body, u64);
    };
    (@class float $Op:ident $args:tt $result:ident $body:expr) => {
        define!(@one $Op $args $result $body, f32); define!(@one $Op $args $result $body, f64);
    };
    (@class complex $Op:ident $args:tt $result:ident $body:expr) => {
        define!(@one $Op $args $result $body, Complex<f32>); define!(@one $Op $args $result $body, Complex<f64>);
    };
    (@class elementary $Op:ident $args:tt $result:ident $Function:ident) => {
        define!(@elementary $Op $args $Function f32); define!(@elementary $Op $args $Function f64);
    };
    (@class elementary $Op:ident $args:tt $result:ident $body:expr) => {
        define!(@elementary $Op $args $body, f32); define!(@elementary $Op $args $body, f64);
    };
    (@one $Op:ident $args:tt $result:ident $body:expr, $T:ty) => {
        impl Define<$T> for Row<{ Op::$Op as u8 }> {
            type Out = define!(@result $result $T);
            const BINARY: bool = define!(@binary $args);
            #[inline(always)]
            fn call<const FMA: bool>(x: $T, y: $T) -> Self::Out {
                define!(@bind $args x y);
                Keep::keep($body)
            }
        }
    };
    (@elementary $Op:ident ($a:ident) $body:expr, $T:ty) => {
        impl Define<$T> for Row<{ Op::$Op as u8 }> {
            type Out = $T;
            const BINARY: bool = false;
            #[inline(always)]
            fn call<const FMA: bool>(x: $T, _: $T) -> $T {
                one::<_, $T, FMA>($body, x)
            }
            #[inline(always)]
            unsafe fn block<const FMA: bool>(out: *mut $T, a: *const $T, _: *const $T, n: usize) {
                // SAFETY: the caller's contract.
                unsafe { many::<_, $T, FMA>($body, out, a, n) }
            }
        }
    };
    (@elementary $Op:ident ($a:ident, $b:ident) $body:expr, $T:ty) => {
        impl Define<$T> for Row<{ Op::$Op as u8 }> {
            type Out = $T;
            const BINARY: bool = true;
            #[inline(always)]
            fn call<const FMA: bool>(x: $T, y: $T) -> $T {
                one2::<_, $T, FMA>($body, x, y)
            }
            #[inline(always)]
            unsafe fn block<const FMA: bool>(out: *mut $T, a: *const $T, b: *const $T, n: usize) {
                // SAFETY: the caller's contract.
                unsafe { many2::<_, $T, FMA>($body, out, a, b, n) }
            }
        }
    };
    (@binary ($a:ident)) => { false };
    (@binary ($a:ident, $b:ident)) => { true };
    (@bind ($a:ident) $x:ident $y:ident) => { let _ = $y; let $a = Given::given($x); };
    (@bind ($a:ident, $b:ident) $x:ident $y:ident) => { let ($a, $b) = (Given::given($x), Given::given($y)); };
    (@result same $T:ty) => { $T };
    (@result bool $T:ty) => { B8 };
    (@result real $T:ty) => { <$T as Element>::Real };
    (@result byte $T:ty) => { u8 };
    (@find bool $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa B8) };
    (@find int $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa i8 u8 i16 u16 i32 u32 i64 u64) };
    (@find sint $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa i8 i16 i32 i64) };
    (@find uint $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa u8 u16 u32 u64) };
    (@find float $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa f32 f64) };
    (@find elementary $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa f32 f64) };
    (@find complex $Op:ident $dtype:ident $isa:ident) => { define!(@among $Op $dtype $isa C64 C128) };
    (@among $Op:ident $dtype:ident $isa:ident $($T:ident)*) => {
        match $dtype {
            $(d if d == <$T as Element>::DTYPE => Some(pick::<Each<Row<{ Op::$Op as u8 }>, $T>>($isa)),)*
            _ => None,
        }
    };
}

type C64 = Complex<f32>;
type C128 = Complex<f64>;

/// How a definition sees an element: bools as `bool`.
trait Given {
    type Seen;
    fn given(self) -> Self::Seen;
}

macro_rules! given {
    ($($T:ty)*) => { $(impl Given for $T { type Seen = $T; #[inline(always)] fn given(self) -> $T { self } })* };
}

given!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 C64 C128);

impl Given for B8 {
    type Seen = bool;
    #[inline(always)]
    fn given(self) -> bool {
        self.get()
    }
}

#[inline(always)]
fn one<F: Unary<T>, T: math::Real, const FMA: bool>(_: F, x: T) -> T {
    eval::<F, T, FMA>(x)
}

#[inline(always)]
fn one2<F: Binary<T>, T: math::Real, const FMA: bool>(_: F, x: T, y: T) -> T {
    eval2::<F, T, FMA>(x, y)
}

#[inline(always)]
unsafe fn many<F: Unary<T>, T: math::Real, const FMA: bool>(_: F, out: *mut T, x: *const T, n: usize) {
    // SAFETY: the caller's contract.
    unsafe { unary_block::<F, T, FMA>(out, x, n) }
}

#[inline(always)]
unsafe fn many2<F: Binary<T>, T: math::Real, const FMA: bool>(_: F, out: *mut T, x: *const T, y: *const T, n: usize) {
    // SAFETY: the caller's contract.
    unsafe { binary_block::<F, T, FMA>(out, x, y, n) }
}

crate::for_each_op!(define);
