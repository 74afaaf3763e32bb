//! Elementary functions: errors in ulp, special values and floating-point flags, at every instruction set of this machine.
//!
//! Exact values for `f64` come from `tests/accuracy/reference.py`; `FASTNP_REFERENCE=folder` reads another, denser set, and
//! `FASTNP_STEP=1` walks every single instead of one in 9973 (in 270, where errors are largest). The truth for `f32` is the C library's double.

mod cases;
mod levels;
mod special;

use cases::{Case, Pair};
use std::path::PathBuf;

/// An exact value: arguments, the rounded result, and the truth's distance from it in ulp.
struct Point {
    arguments: Vec<f64>,
    value: f64,
    off: f64,
}

fn reference(name: &str) -> Vec<Point> {
    let folder = std::env::var_os("FASTNP_REFERENCE").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/accuracy/reference")),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(folder.join(format!("{name}.txt"))).expect(name);
    let point = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        let off = words.pop().expect("distance").parse::<f64>().expect("a number") / 1000.0;
        let mut numbers: Vec<f64> =
            words.iter().map(|w| f64::from_bits(u64::from_str_radix(w, 16).expect("bits"))).collect();
        let value = numbers.pop().expect("value");
        Point { arguments: numbers, value, off }
    };
    text.lines().map(point).collect()
}

/// The distance to the next number away from zero, that of subnormals at the least.
fn ulp(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52 & 0x7ff).max(1) as i32 - 1075;
    // Two steps: the smallest of these is no normal number.
    2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

/// How far `got` is from the point's true value, in ulp.
fn error(got: f64, point: &Point) -> f64 {
    ((got - point.value) / ulp(point.value) - point.off).abs()
}

/// The worst of some errors against a bound, reported once for each function and level.
fn judge(name: &str, level: &str, bound: f64, errors: impl Iterator<Item = (f64, String)>) -> bool {
    let worst = errors.fold((0.0, String::new()), |worst, e| if e.0 <= worst.0 { worst } else { e });
    println!("{name:10} {level:6} {:.3} ulp at {}", worst.0, worst.1);
    worst.0 <= bound
}

#[test]
fn doubles_are_within_their_bounds() {
    let mut good = true;
    for Case { name, bound, levels, .. } in cases::unary64() {
        let points = reference(name);
        let x: Vec<f64> = points.iter().map(|p| p.arguments[0]).collect();
        for (level, f) in levels {
            let mut out = vec![0.0; x.len()];
            f(&mut out, &x);
            let errors = out.iter().zip(&points).map(|(&y, p)| (error(y, p), format!("{:?} got {y:e}", p.arguments)));
            good &= judge(name, level, bound, errors);
        }
    }
    for Pair { name, bound, levels, .. } in cases::binary64() {
        let points = reference(name);
        let x: Vec<f64> = points.iter().map(|p| p.arguments[0]).collect();
        let y: Vec<f64> = points.iter().map(|p| p.arguments[1]).collect();
        for (level, f) in levels {
            let mut out = vec![0.0; x.len()];
            f(&mut out, &x, &y);
            let errors = out.iter().zip(&points).map(|(&y, p)| (error(y, p), format!("{:?} got {y:e}", p.arguments)));
            good &= judge(name, level, bound, errors);
        }
    }
    assert!(good, "an error is out of bounds");
}

/// The error of a single against the truth in double, in ulp of the single; whatever must be special must be equal.
fn error32(got: f32, truth: f64) -> f64 {
    let rounded = truth as f32;
    if rounded.is_nan() || rounded.is_infinite() || rounded == 0.0 {
        let same = got.to_bits() == rounded.to_bits() || (got.is_nan() && rounded.is_nan());
        // One step beside the edge of overflow or underflow is no more than an ulp.
        let near = rounded.is_infinite() && got == f32::MAX.copysign(rounded)
            || rounded == 0.0 && got.abs() <= f32::from_bits(1) && truth != 0.0;
        return if same || near { 0.0 } else { f64::INFINITY };
    }
    let exponent = (rounded.to_bits() >> 23 & 0xff).max(1) as i32 - 150;
    if got.is_infinite() && rounded.abs() == f32::MAX {
        return 1.0;
    }
    (f64::from(got) - truth).abs() / 2f64.powi(exponent)
}

/// The bits of the singles to look at, from, to and in steps: all of them, and closer those between 1/64 and 32 in size, where the
/// worst errors are.
fn walks(step: u64) -> [(u64, u64, u64); 3] {
    let (least, largest) = (u64::from((1.0f32 / 64.0).to_bits()), u64::from(32f32.to_bits()));
    let (sign, close) = (1 << 31, step.div_ceil(37));
    [(0, u64::from(u32::MAX), step), (least, largest, close), (sign | least, sign | largest, close)]
}

#[test]
fn singles_are_within_their_bounds() {
    let step = std::env::var("FASTNP_STEP").map_or(9973, |step| step.parse().expect("a number"));
    let mut good = true;
    for Case { name, bound, truth, levels, .. } in cases::unary32() {
        for (level, f) in levels {
            let mut worst = (0.0, 0.0f32, 0.0f32);
            let (mut x, mut out) = (Vec::new(), vec![0.0; 1 << 16]);
            for (low, high, step) in walks(step) {
                let mut bits = low;
                while bits <= high {
                    x.clear();
                    x.extend((0..out.len() as u64).map(|i| f32::from_bits((bits + i * step) as u32)));
                    f(&mut out, &x);
                    for (&x, &y) in x.iter().zip(&out) {
                        let e = error32(y, truth(f64::from(x)));
                        if e.is_nan() || e > worst.0 {
                            worst = (e, x, y);
                        }
                    }
                    bits += out.len() as u64 * step;
                }
            }
            let worst = (worst.0, format!("{:e} got {:e}", worst.1, worst.2));
            good &= judge(name, level, bound, std::iter::once(worst));
        }
    }
    assert!(good, "an error is out of bounds");
}

#[test]
fn pairs_of_singles_are_within_their_bounds() {
    // Every exponent and sign against every other, the mantissas from a multiplicative sequence.
    let number = |exponent: u32, i: u32| f32::from_bits(exponent << 23 | (i.wrapping_mul(2_654_435_761) >> 9));
    let mut pairs: Vec<(f32, f32)> = Vec::new();
    for a in 0..512 {
        pairs.extend((0..512).map(|b| (number(a, b), number(b, a * 7 + b))));
        // Near each other, where powers are finite and angles change octants.
        pairs.extend((0..64).map(|b| (number(127, a * 64 + b), number((a & 256) + 120 + b % 16, b * 512 + a))));
    }
    // Powers as large as they get, of numbers near one: what is lost of the logarithm is multiplied by as much.
    for i in 0..=u16::MAX {
        let base = 0.9 + f32::from(i) * 3.1e-6;
        pairs.push((base, (f32::from(i % 251) - 125.0) / base.log2()));
    }
    let (x, y): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
    let mut good = true;
    for Pair { name, bound, truth, levels, .. } in cases::binary32() {
        for (level, f) in levels {
            let mut out = vec![0.0; x.len()];
            f(&mut out, &x, &y);
            let errors = (0..x.len()).map(|i| {
                let e = error32(out[i], truth(f64::from(x[i]), f64::from(y[i])));
                (e, format!("({:e}, {:e}) got {:e}", x[i], y[i], out[i]))
            });
            good &= judge(name, level, bound, errors);
        }
    }
    assert!(good, "an error is out of bounds");
}
