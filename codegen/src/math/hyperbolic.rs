//! `sinh` and `cosh` by the addition theorems, `tanh` by way of e^2x - 1.
//!
//! For `sinh`, |x| = k log 2 + r and u = 2^-2k, and it is 2^(k-1) (C (1-u) + S (1+u)), where C and S belong to r. So one formula
//! serves all sizes, without the cancellation of `e^x - e^-x` near zero. `cosh` has none, and so the tables of `exp` for e^x and
//! e^-x, and shorter series. Nothing is odd.

use super::Unary;
use super::arithmetic::{at_most, fast_two_sum, is_single, poly, product_parts, rounded};
use super::exponential::{ordinary, reduce, reduce_parts, to_sixteenths, unscaled};
use super::real::{Number, Parts, Real};
use crate::Table;
use std::f64::consts::LOG2_E;

/// Half of e^x and half of its inverse, of singles of which neither has to be right to the last bit.
#[inline(always)]
fn halves<R: Real, const FMA: bool>(x: R) -> Parts<R> {
    let (p, k) = unscaled::<R, FMA>(x);
    let half = p.scaled(k - R::of(1.0));
    (half, R::of(0.25) / half)
}

/// The hyperbolic sine.
pub struct Sinh;

impl<R: Real> Unary<R> for Sinh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        if is_single::<R>() {
            let (half, inverse) = halves::<R, FMA>(x.size());
            let z = x * x;
            let near = (x * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::SINH_WIDE), x);
            return R::pick(x.size().below(R::of(1.0)), near, (half - inverse).signed(x));
        }
        let (one, size) = (R::of(1.0), x.size());
        let k = rounded::<R, FMA>(at_most(size, R::literal(R::Number::SINH_TOP)), R::of(LOG2_E));
        let (r, r_low) = reduce_parts::<R, FMA>(size, k);
        let z = r * r;
        // The series after r.
        let s_rest = (r * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::SINH), r_low);
        let c_less_one = (z * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::COSH), R::of(0.5) * z);
        let u = one.scaled(k * R::of(-2.0));
        let (less, more) = (one - u, one + u);
        // 1 - u is zero or larger than the product with r; what both roundings lose joins the small terms.
        let (product, product_lost) = product_parts::<R, FMA>(ordinary(r), more);
        let (sum, sum_lost) = fast_two_sum(less, product);
        let small = c_less_one.fma::<FMA>(less, s_rest * more);
        let value = sum + (small + (sum_lost + product_lost + ((one - less) - u)));
        value.scaled(k - one).signed(x)
    }
}

/// The hyperbolic cosine.
pub struct Cosh;

impl<R: Real> Unary<R> for Cosh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        if is_single::<R>() {
            let (half, inverse) = halves::<R, FMA>(x.size());
            return half + inverse;
        }
        // With A and B the functions of n log(2)/16, from a table: A cosh r + B sinh r.
        let size = x.size();
        let (sixteenths, k) = to_sixteenths::<R, FMA>(at_most(size, R::literal(R::Number::SINH_TOP)));
        let r = reduce::<R, FMA>(size, k);
        let z = r * r;
        // A quarter of each, as e^x is out of range where half of it is not.
        let (two, index) = (R::of(2.0), sixteenths.bits());
        let grown = R::entry(Table::Powers, index).scaled(k - two);
        let shrunk = R::entry(Table::PowersBack, index).scaled(-(k + two));
        let (a, lost) = fast_two_sum(grown, shrunk);
        let rest = (grown - shrunk).fma::<FMA>(r * poly::<R, FMA>(z, R::Number::SINH_STEP), lost);
        let half = a + a.fma::<FMA>(poly::<R, FMA>(z, R::Number::COSH_STEP), rest);
        half + half
    }
}

/// The hyperbolic tangent.
pub struct Tanh;

impl<R: Real> Unary<R> for Tanh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        // E / (E + 2) with E = e^2x - 1 = 2^k (e^r - 1) + (2^k - 1): 2 ulp. From 22 on it is 1.
        let (one, two) = (R::of(1.0), R::of(2.0));
        let twice = x.bounded(R::of(22.0)) * two;
        let k = rounded::<R, FMA>(twice, R::of(LOG2_E));
        let r = reduce::<R, FMA>(twice, k);
        let rest = (r * r).fma::<FMA>(poly::<R, FMA>(r, R::Number::EXP), r);
        let power = one.scaled(k);
        let e = power.fma::<FMA>(rest, power - one);
        (e / (e + two)).signed(x)
    }
}
