//! How many terms a polynomial needs: the same arithmetic in double serves `f64` and, with shorter sums, `f32`.
//!
//! A single computed through double is right but for the final rounding (about 0.5 ulp) and needs no care for tails.
//! Where that costs too much the function has its own arithmetic in single; which one, its file says.

use super::coefficients as c;

/// The accuracy a result in double must have: that of the type it is for.
pub(super) trait Accuracy {
    /// Whether the result is for `f64`, so that rounding errors must be carried along.
    const DOUBLE: bool;
    /// See [`c::EXP`].
    const EXP: &'static [f64];
    /// See [`c::EXP2`].
    const EXP2: &'static [f64];
    /// See [`c::SINH`].
    const SINH: &'static [f64];
    /// See [`c::COSH`].
    const COSH: &'static [f64];
    /// See [`c::LOG`].
    const LOG: &'static [f64];
    /// See [`c::SIN`].
    const SIN: &'static [f64];
    /// See [`c::COS`].
    const COS: &'static [f64];
    /// See [`c::ATAN`].
    const ATAN: &'static [f64];
    /// See [`c::ASIN`].
    const ASIN: &'static [f64];
}

/// For results in `f64`.
pub(super) struct Double;

impl Accuracy for Double {
    const DOUBLE: bool = true;
    const EXP: &'static [f64] = &c::EXP;
    const EXP2: &'static [f64] = &c::EXP2;
    const SINH: &'static [f64] = &c::SINH;
    const COSH: &'static [f64] = &c::COSH;
    const LOG: &'static [f64] = &c::LOG;
    const SIN: &'static [f64] = &c::SIN;
    const COS: &'static [f64] = &c::COS;
    const ATAN: &'static [f64] = &c::ATAN;
    const ASIN: &'static [f64] = &c::ASIN;
}

/// For results that are rounded to `f32`.
pub(super) struct Single;

impl Accuracy for Single {
    const DOUBLE: bool = false;
    const EXP: &'static [f64] = &c::EXP_SINGLE;
    const EXP2: &'static [f64] = &c::EXP2_SINGLE;
    const SINH: &'static [f64] = &c::SINH_SINGLE;
    const COSH: &'static [f64] = &c::COSH_SINGLE;
    const LOG: &'static [f64] = &c::LOG_SINGLE;
    const SIN: &'static [f64] = &c::SIN_SINGLE;
    const COS: &'static [f64] = &c::COS_SINGLE;
    const ATAN: &'static [f64] = &c::ATAN_SINGLE;
    const ASIN: &'static [f64] = &c::ASIN_SINGLE;
}
