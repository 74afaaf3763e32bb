//! Roots of unity, correctly rounded but for a few.

use crate::fourier::lanes::ComplexLanes;
use std::f64::consts::FRAC_PI_4;

/// What π/4 is more than [`FRAC_PI_4`].
const FRAC_PI_4_REST: f64 = 3.061_616_997_868_383e-17;

/// `exp(-2πik/n)` for `k` of at most `n`. The angle is reduced to an eighth of a turn in whole numbers, and what it is rounded by
/// is made good: `sin(2πk/n)` by itself is wrong in the last three bits.
pub(crate) fn root(k: usize, n: usize) -> ComplexLanes<f64> {
    // Eighths of a turn, and how far into the next.
    let (eighths, rest) = ((8 * k as u128 / n as u128) as usize % 8, (8 * k as u128 % n as u128) as f64);
    let n = n as f64;
    // In every second eighth the angle is counted from its end.
    let part = if eighths % 2 == 0 { rest } else { n - rest };
    let quotient = part / n;
    let quotient_rest = (-quotient).mul_add(n, part) / n;
    let angle = quotient * FRAC_PI_4;
    let angle_rest = quotient.mul_add(FRAC_PI_4, -angle) + quotient.mul_add(FRAC_PI_4_REST, quotient_rest * FRAC_PI_4);
    let (sin, cos) = angle.sin_cos();
    let (sin, cos) = (sin + angle_rest * cos, cos - angle_rest * sin);
    let (cos, sin) = match eighths {
        0 => (cos, sin),
        1 => (sin, cos),
        2 => (-sin, cos),
        3 => (-cos, sin),
        4 => (-cos, -sin),
        5 => (-sin, -cos),
        6 => (sin, -cos),
        _ => (cos, -sin),
    };
    ComplexLanes { re: cos, im: -sin }
}
