//! Which instruction set the inner loops run on, chosen once a process.
//!
//! Every inner loop is a [`Routine`], compiled once for each level by being inlined into a function with that level's
//! target features; [`pick`] hands out the function of the level at hand.

use std::sync::OnceLock;

/// An inner loop as machine code sees it: destination, up to three sources, a count and one more number.
pub(crate) type Loop = unsafe fn(*mut u8, *const u8, *const u8, *const u8, usize, usize);

/// An inner loop, compiled for each level.
pub(crate) trait Routine {
    /// Runs the loop. `FMA` says whether fused multiply-add is one instruction.
    ///
    /// # Safety
    /// As the implementing routine says; the destination overlaps no source unless it says otherwise.
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize);
}

/// A level of the instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Isa {
    /// What the compilation target guarantees.
    Baseline,
    /// x86-64-v3: AVX2, FMA, F16C.
    #[cfg(target_arch = "x86_64")]
    V3,
    /// x86-64-v4: AVX-512 F, BW, DQ, VL.
    #[cfg(target_arch = "x86_64")]
    V4,
}

impl Isa {
    /// Every level this processor has, worst first.
    pub(crate) fn available() -> Vec<Isa> {
        match Isa::detect() {
            Isa::Baseline => vec![Isa::Baseline],
            #[cfg(target_arch = "x86_64")]
            Isa::V3 => vec![Isa::Baseline, Isa::V3],
            #[cfg(target_arch = "x86_64")]
            Isa::V4 => vec![Isa::Baseline, Isa::V3, Isa::V4],
        }
    }

    /// The best level of this processor.
    pub(crate) fn detect() -> Isa {
        static FOUND: OnceLock<Isa> = OnceLock::new();
        *FOUND.get_or_init(|| {
            #[cfg(target_arch = "x86_64")]
            {
                let v3 = is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("f16c")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt");
                let v4 = is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl");
                if v3 && v4 {
                    return Isa::V4;
                }
                if v3 {
                    return Isa::V3;
                }
            }
            Isa::Baseline
        })
    }
}

/// The routine compiled for a level.
pub(crate) fn pick<R: Routine>(isa: Isa) -> Loop {
    match isa {
        Isa::Baseline => baseline::<R>,
        #[cfg(target_arch = "x86_64")]
        Isa::V3 => v3::<R>,
        #[cfg(target_arch = "x86_64")]
        Isa::V4 => v4::<R>,
    }
}

unsafe fn baseline<R: Routine>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize) {
    // SAFETY: the caller keeps the routine's contract.
    unsafe { R::run::<false>(out, a, b, c, n, m) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn v3<R: Routine>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize) {
    // SAFETY: the caller keeps the routine's contract.
    unsafe { R::run::<true>(out, a, b, c, n, m) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn v4<R: Routine>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize) {
    // SAFETY: the caller keeps the routine's contract.
    unsafe { R::run::<true>(out, a, b, c, n, m) }
}
