//! Special values and floating-point flags, compared with the C library's, and calls in place.
//!
//! NumPy makes warnings of the flags, so a spurious one is a wrong warning. Every special value is computed among ordinary
//! ones, in the middle of a run and in its tail, and must leave the flags the C library leaves.

use super::cases;
use fastnp_codegen::math::{Exp, Log, Number, Unary, eval, unary_block};
use std::arch::asm;
use std::hint::black_box;

/// Invalid, divide by zero and overflow; the others NumPy ignores or cannot see in elementwise loops.
const WATCHED: u32 = 0b1101;
/// All exceptions masked, no flag raised: the state a process starts in.
const CLEAR: u32 = 0x1f80;

/// What `call` returns, and which of the watched flags it raised.
fn with_flags<T>(call: impl FnOnce() -> T) -> (T, u32) {
    let mut state = 0u32;
    // SAFETY: reads four bytes; no flag but those of the SSE unit changes, and to the state the compiler assumes.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &CLEAR, options(nostack)) };
    let value = black_box(call());
    // SAFETY: writes the four bytes of `state`.
    unsafe { asm!("stmxcsr [{}]", in(reg) &mut state, options(nostack)) };
    (value, state & WATCHED)
}

/// Numbers of every kind, and their negatives.
#[rustfmt::skip]
fn kinds() -> Vec<f64> {
    let positive = [
        0.0, 5e-324, 1e-310, 2.3e-308, 1e-300, 1e-160, 1e-45, 1e-39, 1.2e-38, 1e-20, 1e-9, 1e-5,
        0.1, 0.25, 0.4142, 0.4143, 0.5, 0.6, 0.75, 1.0 - 1e-16, 1.0, 1.0 + 1e-15, 1.5, 2.0, 2.414,
        2.415, 3.0, 7.0, 21.9, 22.1, 50.0, 88.8, 89.5, 127.9, 128.0, 129.5, 150.0, 300.0, 708.0,
        709.7, 709.8, 710.4, 710.5, 1000.0, 1023.9, 1024.0, 1074.5, 1080.0, 65_537.0, 1e6, 2e6,
        1e9, 2e10, 1e15, 1e16, 3e18, 3.4e38, 1e39, 1e100, 1e151, 1e200, 1e300, 1.7e308,
        f64::INFINITY, f64::NAN,
    ];
    positive.iter().flat_map(|&x| [x, -x]).collect()
}

/// Whether two results are the same where they are special, and else within a few units of the last place.
fn alike<T: Number>(got: T, wanted: T) -> bool {
    let (got, wanted) = (got.wide(), wanted.wide());
    if wanted.is_nan() || wanted.is_infinite() || wanted == 0.0 {
        return got.to_bits() == wanted.to_bits() || (got.is_nan() && wanted.is_nan());
    }
    let last = if size_of::<T>() == 4 { (f64::from(f32::EPSILON), 2e-45) } else { (f64::EPSILON, 1e-323) };
    (got - wanted).abs() <= (4.0 * wanted.abs() * last.0).max(last.1)
}

/// Length of the run a special value is put into, and where: in the middle of vectors and in the tail.
const RUN: usize = 37;
const PLACES: [usize; 2] = [3, RUN - 1];

/// Complaints about one level of one function: `loop_` fills a result from a run, `truth` is the C library's.
fn complaints<T: Number>(what: &str, loop_: impl Fn(&mut [T], bool), truth: impl Fn() -> f64) -> Option<String> {
    let mut out = vec![T::of(0.0); RUN];
    let (_, ordinary) = with_flags(|| loop_(black_box(&mut out), false));
    if ordinary != 0 {
        return Some(format!("{what}: flags {ordinary:04b} for ordinary numbers"));
    }
    let (wanted, wanted_flags) = with_flags(|| T::of(black_box(truth())));
    let (_, flags) = with_flags(|| loop_(black_box(&mut out), true));
    for place in PLACES {
        // The tail is not vectorised, but must say the same.
        if !alike(out[place], wanted) {
            return Some(format!("{what}: {:e} instead of {:e}", out[place].wide(), wanted.wide()));
        }
    }
    (flags != wanted_flags).then(|| format!("{what}: flags {flags:04b} instead of {wanted_flags:04b}"))
}

/// A run of `ordinary` numbers, with `special` at its places.
fn run<T: Number>(ordinary: T, special: T) -> Vec<T> {
    let mut run = vec![ordinary; RUN];
    PLACES.iter().for_each(|&place| run[place] = special);
    run
}

fn unary_complaints<T: Number>(cases: Vec<cases::Case<T>>) -> Vec<String> {
    let mut all = Vec::new();
    for case in cases {
        let ordinary = T::of((case.range.0 + case.range.1) / 2.0);
        for special in kinds().into_iter().map(T::of) {
            let (plain, spiced) = (run(ordinary, ordinary), run(ordinary, special));
            for (level, f) in &case.levels {
                let what = format!("{}({:e}) {level} {} bits", case.name, special.wide(), size_of::<T>() * 8);
                let loop_ = |out: &mut [T], special: bool| f(out, black_box(if special { &spiced } else { &plain }));
                all.extend(complaints(&what, loop_, || (case.truth)(black_box(special.wide()))));
            }
        }
    }
    all
}

fn binary_complaints<T: Number>(cases: Vec<cases::Pair<T>>) -> Vec<String> {
    let mut all = Vec::new();
    let one = T::of(1.0);
    for case in cases {
        for a in kinds().into_iter().map(T::of) {
            for b in kinds().into_iter().map(T::of) {
                let (plain, x, y) = (run(one, one), run(one, a), run(one, b));
                for (level, f) in &case.levels {
                    let what =
                        format!("{}({:e}, {:e}) {level} {} bits", case.name, a.wide(), b.wide(), size_of::<T>() * 8);
                    let loop_ = |out: &mut [T], special: bool| {
                        if special { f(out, black_box(&x), black_box(&y)) } else { f(out, black_box(&plain), &plain) }
                    };
                    let truth = || (case.truth)(black_box(a.wide()), black_box(b.wide()));
                    all.extend(complaints(&what, loop_, truth));
                }
            }
        }
    }
    all
}

#[test]
fn special_values_and_flags_are_those_of_the_c_library() {
    let mut all = unary_complaints(cases::unary64());
    all.extend(unary_complaints(cases::unary32()));
    all.extend(binary_complaints(cases::binary64()));
    all.extend(binary_complaints(cases::binary32()));
    assert!(all.is_empty(), "{} complaints:\n{}", all.len(), all.join("\n"));
}

/// That the three ways to call a function agree: into another slice, into its own, and one by one.
fn calls_agree<F: Unary<f64>>() {
    for n in [0, 1, 257, 1023, 1024, 1025, 2500] {
        // Every seventh is negative, and so odd for the logarithm.
        let x: Vec<f64> = (0..n).map(|i| if i % 7 == 6 { -1.0 } else { 0.5 + i as f64 }).collect();
        let (mut apart, mut place) = (vec![0.0; n], x.clone());
        // SAFETY: separate vectors of `n` elements, then one vector as both.
        unsafe {
            unary_block::<F, f64, false>(apart.as_mut_ptr(), x.as_ptr(), n);
            unary_block::<F, f64, false>(place.as_mut_ptr(), place.as_ptr(), n);
        }
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits() & !(1 << 63)).collect::<Vec<_>>();
        assert_eq!(bits(&apart), bits(&place));
        let single: Vec<f64> = x.iter().map(|&x| eval::<F, f64, false>(x)).collect();
        assert_eq!(bits(&apart), bits(&single));
    }
}

#[test]
fn every_way_to_call_gives_the_same() {
    calls_agree::<Exp>();
    calls_agree::<Log>();
}
