//! Conversions between element types, as C (and so NumPy) converts.
//!
//! Every conversion goes through the widest type of its source's kind, exactly: `i64`, `u64`, `f32`, `f64` or a complex; LLVM
//! reduces that to the direct instruction. Floats that do not fit an integer give the result of `cvttsd2si`
//! (see [`crate::Wide::to_scalar`]) and raise the invalid flag, which Rust's own saturating conversion does not.

use crate::DType;
use crate::drive::fp_status::raise_invalid;
use crate::drive::isa::{EachRow, InnerLoop, Isa, LoopFn, loop_for, unrolled};
use crate::ir::dtype::round_to_odd;
use crate::portable::loops::element::{B8, Element};
use crate::portable::loops::elementwise::{BYTE_CHUNK, in_chunks};
use half::f16;
use num_complex::Complex;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// The source type of a conversion.
trait CastSource: Element {
    /// The widest type of its kind.
    type Wide: Widest;
    fn widen(self) -> Self::Wide;
}

/// The target type of a conversion.
trait CastTarget: Element {
    fn from_i64(x: i64) -> Self;
    fn from_u64(x: u64) -> Self;
    fn from_f32(x: f32) -> Self;
    fn from_f64(x: f64) -> Self;
    fn from_c64(z: Complex<f32>) -> Self {
        Self::from_f32(z.re)
    }
    fn from_c128(z: Complex<f64>) -> Self {
        Self::from_f64(z.re)
    }
    /// Whether a float would raise the invalid flag.
    #[inline(always)]
    fn misfits(_x: f64) -> bool {
        false
    }
}

/// A widest type.
trait Widest: Copy {
    fn narrow<D: CastTarget>(self) -> D;
    #[inline(always)]
    fn misfits<D: CastTarget>(self) -> bool {
        false
    }
}

macro_rules! widest {
    ($($T:ty, $from:ident, |$x:ident| $real:expr;)*) => {$(
        impl Widest for $T {
            #[inline(always)]
            fn narrow<D: CastTarget>(self) -> D {
                D::$from(self)
            }
            #[inline(always)]
            fn misfits<D: CastTarget>(self) -> bool {
                let $x = self;
                D::misfits($real)
            }
        }
    )*};
}

widest! {
    i64, from_i64, |_x| 0.0;
    u64, from_u64, |_x| 0.0;
    f32, from_f32, |x| x as f64;
    f64, from_f64, |x| x;
    Complex<f32>, from_c64, |z| z.re as f64;
    Complex<f64>, from_c128, |z| z.re;
}

/// The result of `cvttsd2si`.
#[inline(always)]
fn to_i64(x: f64) -> i64 {
    let saturated = x as i64;
    if x < 9223372036854775808.0 { saturated } else { i64::MIN }
}

/// The result of the 32-bit `cvttsd2si`.
#[inline(always)]
fn to_i32(x: f64) -> i32 {
    let saturated = x as i32;
    if x < 2147483648.0 { saturated } else { i32::MIN }
}

/// The conversion that x86 lacks before AVX-512, as C compilers emit it: the upper half of the range is converted through the lower one.
/// Rust's own conversion computes both and selects one, and so raises the invalid flag for numbers that fit.
#[inline(always)]
fn to_u64(x: f64) -> u64 {
    const HALF: f64 = 9223372036854775808.0;
    let is_upper = x >= HALF;
    to_i64(if is_upper { x - HALF } else { x }) as u64 ^ (is_upper as u64) << 63
}

#[inline(always)]
fn misfits_i32(x: f64) -> bool {
    !(x > -2147483649.0 && x < 2147483648.0)
}

#[inline(always)]
fn misfits_i64(x: f64) -> bool {
    !(-9223372036854775808.0..9223372036854775808.0).contains(&x)
}

#[inline(always)]
fn misfits_u64(x: f64) -> bool {
    !(-9223372036854775808.0..18446744073709551616.0).contains(&x)
}

macro_rules! integers {
    ($($T:ident: $Wide:ty, $through:ident, $misfits:ident;)*) => {$(
        impl CastSource for $T {
            type Wide = $Wide;
            #[inline(always)]
            fn widen(self) -> $Wide {
                self as $Wide
            }
        }
        #[allow(clippy::unnecessary_cast)] // of a type to itself, among those the macro is for
        impl CastTarget for $T {
            #[inline(always)]
            fn from_i64(x: i64) -> $T {
                x as $T
            }
            #[inline(always)]
            fn from_u64(x: u64) -> $T {
                x as $T
            }
            #[inline(always)]
            fn from_f32(x: f32) -> $T {
                $through(x as f64) as $T
            }
            #[inline(always)]
            fn from_f64(x: f64) -> $T {
                $through(x) as $T
            }
            #[inline(always)]
            fn misfits(x: f64) -> bool {
                $misfits(x)
            }
        }
    )*};
}

integers! {
    i8: i64, to_i32, misfits_i32;
    i16: i64, to_i32, misfits_i32;
    i32: i64, to_i32, misfits_i32;
    i64: i64, to_i64, misfits_i64;
    u8: u64, to_i32, misfits_i32;
    u16: u64, to_i32, misfits_i32;
    u32: u64, to_i64, misfits_i64;
    u64: u64, to_u64, misfits_u64;
}

impl CastSource for B8 {
    type Wide = i64;
    #[inline(always)]
    fn widen(self) -> i64 {
        self.get() as i64
    }
}

impl CastTarget for B8 {
    #[inline(always)]
    fn from_i64(x: i64) -> B8 {
        B8::from(x != 0)
    }
    #[inline(always)]
    fn from_u64(x: u64) -> B8 {
        B8::from(x != 0)
    }
    #[inline(always)]
    fn from_f32(x: f32) -> B8 {
        B8::from(x != 0.0)
    }
    #[inline(always)]
    fn from_f64(x: f64) -> B8 {
        B8::from(x != 0.0)
    }
    #[inline(always)]
    fn from_c64(z: Complex<f32>) -> B8 {
        B8::from((z.re != 0.0) | (z.im != 0.0))
    }
    #[inline(always)]
    fn from_c128(z: Complex<f64>) -> B8 {
        B8::from((z.re != 0.0) | (z.im != 0.0))
    }
}

macro_rules! floats {
    ($($T:ident $Wide:ident;)*) => {$(
        impl CastSource for $T {
            type Wide = $Wide;
            #[inline(always)]
            fn widen(self) -> $Wide {
                self
            }
        }
        #[allow(clippy::unnecessary_cast)] // of a type to itself, among those the macro is for
        impl CastTarget for $T {
            #[inline(always)]
            fn from_i64(x: i64) -> $T {
                x as $T
            }
            #[inline(always)]
            fn from_u64(x: u64) -> $T {
                x as $T
            }
            #[inline(always)]
            fn from_f32(x: f32) -> $T {
                x as $T
            }
            #[inline(always)]
            fn from_f64(x: f64) -> $T {
                x as $T
            }
        }
        impl CastSource for Complex<$T> {
            type Wide = Complex<$Wide>;
            #[inline(always)]
            fn widen(self) -> Complex<$Wide> {
                self
            }
        }
        #[allow(clippy::unnecessary_cast)] // of a type to itself, among those the macro is for
        impl CastTarget for Complex<$T> {
            #[inline(always)]
            fn from_i64(x: i64) -> Self {
                Complex::new(x as $T, 0.0)
            }
            #[inline(always)]
            fn from_u64(x: u64) -> Self {
                Complex::new(x as $T, 0.0)
            }
            #[inline(always)]
            fn from_f32(x: f32) -> Self {
                Complex::new(x as $T, 0.0)
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                Complex::new(x as $T, 0.0)
            }
            #[inline(always)]
            fn from_c64(z: Complex<f32>) -> Self {
                Complex::new(z.re as $T, z.im as $T)
            }
            #[inline(always)]
            fn from_c128(z: Complex<f64>) -> Self {
                Complex::new(z.re as $T, z.im as $T)
            }
        }
    )*};
}

floats! { f32 f32; f64 f64; }

impl CastSource for f16 {
    type Wide = f32;
    #[inline(always)]
    fn widen(self) -> f32 {
        self.to_f32()
    }
}

/// The half nearest to `x`, and the flags that rounding to it raises.
///
/// Not by the `half` crate: its vector conversion of one number leaves garbage in the other lanes, which may overflow and raise flags.
#[inline(always)]
fn nearest_half(x: f32) -> f16 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("f16c") {
        let bits: u32;
        // SAFETY: the processor has the instruction; it touches the named registers and sticky flags.
        unsafe {
            std::arch::asm!(
                "vshufps {v}, {v}, {v}, 0",
                "vcvtps2ph {v}, {v}, 0",
                "vmovd {bits:e}, {v}",
                v = inout(xmm_reg) x => _,
                bits = out(reg) bits,
                options(nomem, nostack)
            );
        }
        return f16::from_bits(bits as u16);
    }
    let half = f16::from_f32_const(x);
    if half.is_infinite() && x.is_finite() {
        crate::drive::fp_status::raise_overflow();
    }
    half
}

impl CastTarget for f16 {
    #[inline(always)]
    fn from_i64(x: i64) -> f16 {
        nearest_half(round_to_odd(x as f64))
    }
    #[inline(always)]
    fn from_u64(x: u64) -> f16 {
        nearest_half(round_to_odd(x as f64))
    }
    #[inline(always)]
    fn from_f32(x: f32) -> f16 {
        nearest_half(x)
    }
    #[inline(always)]
    fn from_f64(x: f64) -> f16 {
        nearest_half(round_to_odd(x))
    }
}

/// `out[i] = a[i]` converted.
struct Cast<S, D>(PhantomData<(S, D)>);

impl<S: CastSource, D: CastTarget> InnerLoop for Cast<S, D> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, _b: *const u8, _c: *const u8, n: usize, _m: usize) {
        let (out, a) = (out.cast::<D>(), a.cast::<S>());
        let exact = |x: S, _| x.widen().narrow::<D>();
        // SAFETY: the caller passes disjoint buffers of `n` elements of these types.
        unsafe {
            if const {
                unrolled(FMA)
                    && !matches!(D::DTYPE, DType::F16)
                    && (!S::FLOATING || D::FLOATING || matches!(D::DTYPE, DType::Bool))
            } {
                if const { size_of::<D>() == 1 && matches!(size_of::<S>(), 4 | 8) } && n >= BYTE_CHUNK {
                    return in_chunks::<S, S, D, BYTE_CHUNK>(out, a, a, n, exact);
                }
                match const { if size_of::<S>() > size_of::<D>() { size_of::<S>() } else { size_of::<D>() } } {
                    16 => in_chunks::<S, S, D, 4>(out, a, a, n, exact),
                    8 => in_chunks::<S, S, D, 8>(out, a, a, n, exact),
                    _ => in_chunks::<S, S, D, 16>(out, a, a, n, exact),
                }
                return;
            }
            let (out, a) = (from_raw_parts_mut(out.cast::<MaybeUninit<D>>(), n), from_raw_parts(a, n));
            let mut misfit = false;
            for i in 0..n {
                let wide = a[i].widen();
                misfit |= wide.misfits::<D>();
                out[i].write(wide.narrow::<D>());
            }
            if misfit {
                raise_invalid();
            }
        }
    }
}

/// The loop converting `from` to `to`.
pub(crate) fn lookup(from: DType, to: DType, isa: Isa) -> LoopFn {
    match from {
        DType::Bool => from_type::<B8>(to, isa),
        DType::I8 => from_type::<i8>(to, isa),
        DType::U8 => from_type::<u8>(to, isa),
        DType::I16 => from_type::<i16>(to, isa),
        DType::U16 => from_type::<u16>(to, isa),
        DType::I32 => from_type::<i32>(to, isa),
        DType::U32 => from_type::<u32>(to, isa),
        DType::I64 => from_type::<i64>(to, isa),
        DType::U64 => from_type::<u64>(to, isa),
        DType::F16 => from_type::<f16>(to, isa),
        DType::F32 => from_type::<f32>(to, isa),
        DType::F64 => from_type::<f64>(to, isa),
        DType::C64 => from_type::<Complex<f32>>(to, isa),
        DType::C128 => from_type::<Complex<f64>>(to, isa),
    }
}

/// Integers of one size convert from an integer alike, whatever their sign, so those loops are shared.
fn from_type<S: CastSource>(to: DType, isa: Isa) -> LoopFn {
    let integral = S::DTYPE.is_integer() || S::DTYPE == DType::Bool;
    match to {
        DType::Bool => loop_for::<EachRow<Cast<S, B8>>>(isa),
        DType::U8 if !integral => loop_for::<EachRow<Cast<S, u8>>>(isa),
        DType::U16 if !integral => loop_for::<EachRow<Cast<S, u16>>>(isa),
        DType::U32 if !integral => loop_for::<EachRow<Cast<S, u32>>>(isa),
        DType::U64 if !integral => loop_for::<EachRow<Cast<S, u64>>>(isa),
        DType::I8 | DType::U8 => loop_for::<EachRow<Cast<S, i8>>>(isa),
        DType::I16 | DType::U16 => loop_for::<EachRow<Cast<S, i16>>>(isa),
        DType::I32 | DType::U32 => loop_for::<EachRow<Cast<S, i32>>>(isa),
        DType::I64 | DType::U64 => loop_for::<EachRow<Cast<S, i64>>>(isa),
        DType::F16 => loop_for::<EachRow<Cast<S, f16>>>(isa),
        DType::F32 => loop_for::<EachRow<Cast<S, f32>>>(isa),
        DType::F64 => loop_for::<EachRow<Cast<S, f64>>>(isa),
        DType::C64 => loop_for::<EachRow<Cast<S, Complex<f32>>>>(isa),
        DType::C128 => loop_for::<EachRow<Cast<S, Complex<f64>>>>(isa),
    }
}
