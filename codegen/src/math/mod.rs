//! Elementary functions as loops the compiler vectorises: `exp`, `log`, `sin` and their relatives, for `f32` and `f64`.
//!
//! A function is a type ([`Exp`], [`Sin`], …) implementing [`Unary`] or [`Binary`] for both widths. Its `fast` form is a
//! straight line without branches or calls, its tables no longer than two vectors ([`Table`](crate::Table)), so that a loop over
//! it becomes SSE2, AVX2 or AVX-512 code according to the `#[target_feature]` of the function the loop stands in (everything here
//! is inlined into it). `FMA` must be true only where that list has `fma`: it makes `a * b + c` one instruction, and elsewhere
//! one slow call.
//!
//! The numbers may be yet to come ([`Real`]): [`crate::expand`](mod@crate::expand) calls `fast` and `needs_slow_path` with numbers
//! that record what is asked of them, and so has every function as instructions of the IR. Hence choices are
//! [`Real::select`] and comparisons [`Mask`]s, and only constants of the width are asked with `if`.
//!
//! What cannot be had without a branch (`sin(1e300)`, `log(-1.0)`) is *odd*: `needs_slow_path` says so, `fast` is never given such
//! an argument, and `slow` asks the C library. NaN is odd everywhere, because x86's vector comparisons, minima and maxima
//! raise invalid for it. [`unary_block`] and [`binary_block`] put the three together for a run of
//! elements; [`eval`] and [`eval2`] do for one.
//!
//! Invariants, held by `tests/math_accuracy.rs`:
//! - results are within the bounds of that file at every instruction set, and where it fuses within those of
//!   `tests/accuracy`: 1 ulp for nearly all (`docs/accuracy.md`);
//! - special values are those of C99's annex F;
//! - the floating-point flags divide, invalid and overflow are raised where IEEE asks for them and nowhere else, as NumPy
//!   makes warnings of them. Underflow is raised for results that are small and rounded, by the functions that report it
//!   (the op table says which). Inexact says nothing.
//!
//! Results may differ in the last bit between instruction sets, as one fuses where another rounds twice.
//!
//! It does not decide which instruction set runs, knows no strides, and leaves complex numbers and half precision to
//! their callers.

mod arithmetic;
mod block;
mod coefficients;
pub(crate) mod complex;
pub(crate) mod division;
mod exponential;
mod hyperbolic;
mod inverse_hyperbolic;
mod inverse_trigonometric;
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
pub use logarithm::{Log, Log1p, Log2, Log10};
pub use power::Power;
pub(crate) use primitives::table_words;
pub use real::{Index, Mask, Number, Real, Word};
pub use root::{Cbrt, Hypot};
pub use trigonometric::{Cos, Sin, Tan};

/// A function of one argument, in a form whose loops vectorise.
pub trait Unary<T: Real> {
    /// An ordinary argument, computed in the place of odd ones: it raises no flag.
    const SAFE_ARGUMENT: f64 = 1.5;

    /// The value at `x`, which is not odd. No branch, no call.
    fn fast<const FMA: bool>(x: T) -> T;

    /// Whether `x` must go to `slow`: NaN always must. Raises no flag, and so compares bits.
    #[inline(always)]
    fn needs_slow_path(x: T) -> T::Mask {
        x.is_nan()
    }

    /// The value at an odd `x`, by the C library: some 5 to 30 ns.
    fn slow(x: T) -> T
    where
        T: Number,
    {
        x + x
    }
}

/// A function of two arguments, in a form whose loops vectorise.
pub trait Binary<T: Real> {
    /// An ordinary argument for both, computed in the place of odd ones: it raises no flag.
    const SAFE_ARGUMENT: f64 = 1.5;
    /// Whether the fast form needs a machine that fuses; without one every pair is the C library's.
    const FUSED_ONLY: bool = false;

    /// The value at `(x, y)`, which are not odd. No branch, no call.
    fn fast<const FMA: bool>(x: T, y: T) -> T;

    /// Whether the pair must go to `slow`: one with NaN always must. Raises no flag, and so compares bits.
    fn needs_slow_path(x: T, y: T) -> T::Mask;

    /// The value at an odd pair, by the C library: some 10 to 50 ns.
    fn slow(x: T, y: T) -> T
    where
        T: Number;
}
