//! Elementary functions as loops the compiler vectorises: `exp`, `log`, `sin` and their relatives, for `f32` and `f64`.
//!
//! A function is a type ([`Exp`], [`Sin`], …) implementing [`Unary`] or [`Binary`] for both widths. Its fast path, `fast`, is a straight
//! line without branches or calls, with tables no longer than two vectors ([`Table`](crate::Table)), so that a loop over it becomes SSE2,
//! AVX2 or AVX-512 code according to the `#[target_feature]` of the function the loop stands in (everything here is inlined into it).
//! `FMA` must be true only if that list has `fma`: it makes `a * b + c` one instruction, and elsewhere a slow call.
//!
//! Functions are generic over [`Real`], which floats implement and also the recording numbers of `expand`, which calls `fast` and
//! `needs_slow_path` to get every function as instructions of the IR. So selections are [`Real::select`] and comparisons [`Mask`]s; only
//! constants of the width are tested with `if`.
//!
//! Arguments that need a branch (`sin(1e300)`, `log(-1.0)`) take the *slow path*: `needs_slow_path` is true for them, `fast` never gets
//! them, and `slow` calls the C library. NaN always takes the slow path, because x86's vector comparisons, minima and maxima raise invalid
//! for it. Where such arguments are many, a loop has a second version, in which *special* ones (NaN, infinities, zero, what is outside of the
//! domain: `is_special`) have values by arithmetic without branches (`with_specials`), so that the rest of the slow path is rare again.
//! [`unary_block`] and [`binary_block`] combine the three for a run of elements; [`eval`] and [`eval2`] for one.
//!
//! Invariants, held by `codegen/tests/math/`:
//! - results are within the bounds of its `cases.rs` at every instruction set, and with FMA within those of `tests/accuracy`: 1 ulp for nearly
//!   all (`docs/accuracy.md`);
//! - special values are those of C99's annex F;
//! - the floating-point flags divide, invalid and overflow are raised where IEEE asks for them and nowhere else, as NumPy makes warnings of
//!   them. Underflow is raised for results that are subnormal and rounded, by the functions that report it (the op table says which).
//!   Inexact is not used.
//!
//! Results may differ in the last bit between instruction sets, because one fuses where another rounds twice.
//!
//! It does not dispatch on the instruction set, knows no strides, and leaves complex numbers and half precision to its callers.

mod arithmetic;
mod block;
mod coefficients;
pub(crate) mod complex;
pub(crate) mod division;
mod exponential;
pub(crate) mod float_bits;
mod hyperbolic;
mod inverse_hyperbolic;
mod inverse_trigonometric;
mod log_sum;
mod logarithm;
mod power;
mod primitives;
mod real;
mod root;
mod trigonometric;

pub use block::{binary_block, eval, eval2, unary_block};
pub use exponential::{Exp, Exp2, Expm1};
pub use hyperbolic::{Cosh, Sinh, Tanh};
pub use inverse_hyperbolic::{Arccosh, Arcsinh, Arctanh};
pub use inverse_trigonometric::{Arccos, Arcsin, Arctan, Arctan2};
pub use log_sum::{Logaddexp, Logaddexp2};
pub use logarithm::{Log, Log1p, Log2, Log10};
pub use power::Power;
pub(crate) use primitives::table_words;
pub use real::{Index, Mask, Number, Real, Word};
pub use root::{Cbrt, Hypot};
pub use trigonometric::{Cos, Sin, Tan};

/// A function of one argument whose loops vectorise.
pub trait Unary<T: Real> {
    /// A safe argument: the fast path computes it in lanes that need the slow path, and raises no flag.
    const SAFE_ARGUMENT: f64 = 1.5;

    /// The fast path: the value at an `x` that does not need the slow path. No branch, no call.
    fn fast<const FMA: bool>(x: T) -> T;

    /// Whether `x` needs the slow path; NaN always does. Raises no flag, and so compares bits.
    #[inline(always)]
    fn needs_slow_path(x: T) -> T::Mask {
        x.is_nan()
    }

    /// Whether `x` is special: [`Unary::with_specials`] has its value, bit for bit and flag for flag that of the slow path but for the sign
    /// of NaN. Raises no flag. Arguments that need no slow path may be among them only if the values are the same.
    #[inline(always)]
    fn is_special(x: T) -> T::Mask {
        x.is_nan()
    }

    /// `value`, and at a special `x` the value that belongs to it, with its flags: no branch, no call.
    #[inline(always)]
    fn with_specials(value: T, x: T) -> T {
        T::select(x.is_nan(), x + T::of(0.0), value)
    }

    /// Whether the value is zero by underflow, for certain. Processors of Intel take some 450 cycles for each vector that underflows.
    #[inline(always)]
    fn vanishes(_: T) -> T::Mask {
        T::Mask::FALSE
    }

    /// The slow path, by the C library: some 5 to 30 ns.
    fn slow(x: T) -> T
    where
        T: Number,
    {
        x + x
    }
}

/// A function of two arguments whose loops vectorise.
pub trait Binary<T: Real> {
    /// A safe argument for both: the fast path computes it in lanes that need the slow path, and raises no flag.
    const SAFE_ARGUMENT: f64 = 1.5;
    /// Whether the fast path needs FMA; without it every pair takes the slow path.
    const FUSED_ONLY: bool = false;

    /// The fast path: the value at a pair that does not need the slow path. No branch, no call.
    fn fast<const FMA: bool>(x: T, y: T) -> T;

    /// Whether the pair needs the slow path; one with NaN always does. Raises no flag, and so compares bits.
    fn needs_slow_path(x: T, y: T) -> T::Mask;

    /// Whether the pair is special, as [`Unary::is_special`].
    fn is_special(x: T, y: T) -> T::Mask;

    /// `value`, and at a special pair the value that belongs to it, as [`Unary::with_specials`].
    fn with_specials(value: T, x: T, y: T) -> T;

    /// The slow path, by the C library: some 10 to 50 ns.
    fn slow(x: T, y: T) -> T
    where
        T: Number;
}
