//! Instruction-set dispatch: every inner loop is compiled for each level, and the level is chosen once a process.
//!
//! An [`InnerLoop`] is inlined into one function with the target features of each level (function multiversioning); [`loop_for`] returns
//! the function for a level.

use std::marker::PhantomData;
use std::sync::OnceLock;

/// The calling convention of inner loops: destination, up to three sources, a count and one more number.
///
/// Loops over elements (`EachRow`) take the address of a `RowBatch` as the last argument, or zero for a single row.
pub type LoopFn = unsafe fn(*mut u8, *const u8, *const u8, *const u8, usize, usize);

/// An inner loop, compiled for each level.
pub(crate) trait InnerLoop {
    /// Runs the loop. `FMA` says whether fused multiply-add is one instruction.
    ///
    /// # Safety
    /// As the implementing loop says; the destination overlaps no source unless it says otherwise.
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize);
}

/// Several rows for one call of a loop.
pub(crate) struct RowBatch {
    /// How many, at least one.
    pub(crate) count: usize,
    /// Bytes from one row to the next, of the destination and the sources.
    pub(crate) pitch: [isize; 4],
}

impl RowBatch {
    /// The last argument of a loop for these rows.
    #[inline(always)]
    pub(crate) fn address(&self) -> usize {
        (&raw const *self).expose_provenance()
    }
}

/// A loop run over a batch of rows: one indirect call for all of them takes 3 ns a row; a call each takes 6 ns and the caller's overhead.
pub(crate) struct EachRow<R>(PhantomData<R>);

impl<R: InnerLoop> InnerLoop for EachRow<R> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize) {
        static ONE: RowBatch = RowBatch { count: 1, pitch: [0; 4] };
        let rows: *const RowBatch = if m == 0 { &raw const ONE } else { std::ptr::with_exposed_provenance(m) };
        let (mut out, mut a, mut b, mut c) = (out, a, b, c);
        // SAFETY: the caller passes the address of rows that live, and every row keeps the loop's contract.
        unsafe {
            let mut left = (*rows).count;
            loop {
                R::run::<FMA>(out, a, b, c, n, 0);
                left -= 1;
                if left == 0 {
                    return;
                }
                let pitch = &(*rows).pitch;
                out = out.wrapping_offset(pitch[0]);
                a = a.wrapping_offset(pitch[1]);
                b = b.wrapping_offset(pitch[2]);
                c = c.wrapping_offset(pitch[3]);
            }
        }
    }
}

/// A level of the instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isa {
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
    /// Every level this processor has, lowest first.
    pub fn available() -> Vec<Isa> {
        match Isa::detect() {
            Isa::Baseline => vec![Isa::Baseline],
            #[cfg(target_arch = "x86_64")]
            Isa::V3 => vec![Isa::Baseline, Isa::V3],
            #[cfg(target_arch = "x86_64")]
            Isa::V4 => vec![Isa::Baseline, Isa::V3, Isa::V4],
        }
    }

    /// The highest level of this processor.
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

/// Whether loops of a level are unrolled by hand, given whether its fused multiply-add is one instruction: on x86-64 not before AVX2. The few processors
/// without it run plain loops, which LLVM vectorises: they are a fifth of the machine code, and of the time to compile it.
pub(crate) const fn unrolled(fma: bool) -> bool {
    fma || !cfg!(target_arch = "x86_64")
}

/// The loop compiled for a level.
pub(crate) fn loop_for<R: InnerLoop>(isa: Isa) -> LoopFn {
    match isa {
        Isa::Baseline => baseline::<R>,
        #[cfg(target_arch = "x86_64")]
        Isa::V3 => v3::<R>,
        #[cfg(target_arch = "x86_64")]
        Isa::V4 => v4::<R>,
    }
}

unsafe fn baseline<R: InnerLoop>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize) {
    // SAFETY: the caller keeps the loop's contract.
    unsafe { R::run::<false>(out, a, b, c, n, m) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn v3<R: InnerLoop>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize) {
    // SAFETY: the caller keeps the loop's contract.
    unsafe { R::run::<true>(out, a, b, c, n, m) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn v4<R: InnerLoop>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize) {
    // SAFETY: the caller keeps the loop's contract.
    unsafe { R::run::<true>(out, a, b, c, n, m) }
}
