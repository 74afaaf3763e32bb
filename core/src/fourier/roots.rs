//! Roots of unity, correctly rounded but for a few.

use crate::fourier::lanes::ComplexLanes;
use std::f64::consts::FRAC_PI_4;

/// What π/4 is more than [`FRAC_PI_4`].
const FRAC_PI_4_REST: f64 = 3.061_616_997_868_383e-17;

/// `exp(-2πik/n)` for `k` of at most `n`. The angle is reduced to an eighth of a turn in whole numbers, and what it is rounded by
/// is made good: `sin(2πk/n)` by itself is wrong in the last three bits.
pub fn root(k: usize, n: usize) -> ComplexLanes<f64> {
    // Eighths of a turn, and how far into the next.
    let (eighths, rest) = ((8 * k as u128 / n as u128) as usize % 8, (8 * k as u128 % n as u128) as f64);
    let n = n as f64;
    // In every second eighth the angle is counted from its end.
    turned(eighths, in_eighth(if eighths % 2 == 0 { rest } else { n - rest }, n))
}

/// The roots `exp(-2πik/n)` for `k` of at most `n`, with the bits of [`root`]: where eighths of a turn are whole numbers of them, those of
/// one eighth are computed once, some 400 instructions each.
pub struct Roots {
    n: usize,
    /// Cosines and sines of the first eighth and of its end; none where `n` is no multiple of eight.
    eighth: Vec<(f64, f64)>,
}

impl Roots {
    /// The roots for a length.
    pub fn new(n: usize) -> Roots {
        let parts = if n.is_multiple_of(8) { 0..n / 8 + 1 } else { 0..0 };
        Roots { n, eighth: parts.map(|part| in_eighth(8.0 * part as f64, n as f64)).collect() }
    }

    /// The root of a number.
    pub fn at(&self, k: usize) -> ComplexLanes<f64> {
        let Some(length) = self.eighth.len().checked_sub(1) else { return root(k, self.n) };
        let (eighths, rest) = (k / length % 8, k % length);
        turned(eighths, self.eighth[if eighths % 2 == 0 { rest } else { length - rest }])
    }
}

/// The cosine and the sine of a part of `n` of an eighth of a turn.
fn in_eighth(part: f64, n: f64) -> (f64, f64) {
    let quotient = part / n;
    let quotient_rest = (-quotient).mul_add(n, part) / n;
    let angle = quotient * FRAC_PI_4;
    let angle_rest = quotient.mul_add(FRAC_PI_4, -angle) + quotient.mul_add(FRAC_PI_4_REST, quotient_rest * FRAC_PI_4);
    let (sin, cos) = angle.sin_cos();
    (cos - angle_rest * sin, sin + angle_rest * cos)
}

/// The root with this cosine and sine in its eighth of a turn.
fn turned(eighths: usize, (cos, sin): (f64, f64)) -> ComplexLanes<f64> {
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
