//! The functions compiled for each instruction set, as plain function pointers over slices.
//!
//! Only what this machine can run is offered; the baseline always is.

use fastnp_codegen::math::{Binary, Number, Unary, binary_block, unary_block};

/// A unary function at one level: `(out, x)` of the same length.
pub(crate) type UnaryLoop<T> = fn(&mut [T], &[T]);
/// A binary function at one level: `(out, x, y)` of the same length.
pub(crate) type BinaryLoop<T> = fn(&mut [T], &[T], &[T]);

#[target_feature(enable = "avx2,fma")]
fn unary_avx2<F: Unary<T>, T: Number>(out: &mut [T], x: &[T]) {
    // SAFETY: slices of one length that do not overlap.
    unsafe { unary_block::<F, T, true>(out.as_mut_ptr(), x.as_ptr(), x.len()) }
}

#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
fn unary_avx512<F: Unary<T>, T: Number>(out: &mut [T], x: &[T]) {
    // SAFETY: slices of one length that do not overlap.
    unsafe { unary_block::<F, T, true>(out.as_mut_ptr(), x.as_ptr(), x.len()) }
}

#[target_feature(enable = "avx2,fma")]
fn binary_avx2<F: Binary<T>, T: Number>(out: &mut [T], x: &[T], y: &[T]) {
    // SAFETY: slices of one length that do not overlap.
    unsafe { binary_block::<F, T, true>(out.as_mut_ptr(), x.as_ptr(), y.as_ptr(), x.len()) }
}

#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
fn binary_avx512<F: Binary<T>, T: Number>(out: &mut [T], x: &[T], y: &[T]) {
    // SAFETY: slices of one length that do not overlap.
    unsafe { binary_block::<F, T, true>(out.as_mut_ptr(), x.as_ptr(), y.as_ptr(), x.len()) }
}

fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
}

/// `F` at every level of this machine, with the level's name.
pub(crate) fn unary<F: Unary<T>, T: Number>() -> Vec<(&'static str, UnaryLoop<T>)> {
    let mut levels: Vec<(&'static str, UnaryLoop<T>)> = vec![("sse2", |out, x| {
        assert_eq!(out.len(), x.len());
        // SAFETY: slices of one length that do not overlap.
        unsafe { unary_block::<F, T, false>(out.as_mut_ptr(), x.as_ptr(), x.len()) }
    })];
    if has_avx2() {
        levels.push(("avx2", |out, x| {
            assert_eq!(out.len(), x.len());
            // SAFETY: the features were just asked for.
            unsafe { unary_avx2::<F, T>(out, x) }
        }));
    }
    if has_avx512() {
        levels.push(("avx512", |out, x| {
            assert_eq!(out.len(), x.len());
            // SAFETY: the features were just asked for.
            unsafe { unary_avx512::<F, T>(out, x) }
        }));
    }
    levels
}

/// `F` of two arguments at every level of this machine, with the level's name.
pub(crate) fn binary<F: Binary<T>, T: Number>() -> Vec<(&'static str, BinaryLoop<T>)> {
    let mut levels: Vec<(&'static str, BinaryLoop<T>)> = vec![("sse2", |out, x, y| {
        assert!(out.len() == x.len() && x.len() == y.len());
        // SAFETY: slices of one length that do not overlap.
        unsafe { binary_block::<F, T, false>(out.as_mut_ptr(), x.as_ptr(), y.as_ptr(), x.len()) }
    })];
    if has_avx2() {
        levels.push(("avx2", |out, x, y| {
            assert!(out.len() == x.len() && x.len() == y.len());
            // SAFETY: the features were just asked for.
            unsafe { binary_avx2::<F, T>(out, x, y) }
        }));
    }
    if has_avx512() {
        levels.push(("avx512", |out, x, y| {
            assert!(out.len() == x.len() && x.len() == y.len());
            // SAFETY: the features were just asked for.
            unsafe { binary_avx512::<F, T>(out, x, y) }
        }));
    }
    levels
}
