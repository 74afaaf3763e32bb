//! Plans: how a transform of one length is computed, with its tables; and the plans kept for the next.

use crate::fourier::dense::DenseNumbers;
use crate::fourier::lanes::{ComplexLanes, ComplexNumber, Lanes};
use crate::fourier::passes::{Passes, cost};
use crate::fourier::real::half_twiddles;
use crate::fourier::roots::root;
use crate::fourier::split::{Endpoints, Split};
#[cfg(target_arch = "x86_64")]
use crate::fourier::{lanes_avx2::Lanes4, lanes_avx512::Lanes8};
use fastnp_codegen::ThreadPool;
use std::sync::Arc;

/// Bytes of the tables of all plans that are kept, and how many these are.
const MAX_TABLE_BYTES: usize = 32 << 20;
const MAX_FOURIER_PLANS: usize = 64;
/// Single transforms from this length on are split: below it, vectors of columns are mostly padding.
const SPLIT_FROM: usize = 32;

/// How a forward transform of complex numbers of one length is computed.
pub(crate) struct FourierPlan {
    pub(crate) n: usize,
    method: FourierMethod,
    /// What twice as many real numbers, packed into complex ones, need besides; else empty.
    pub(crate) half_twiddles: Vec<ComplexNumber>,
}

enum FourierMethod {
    Passes(Passes),
    Split(Split),
    /// As a convolution with a chirp, of a length with small factors (Bluestein's algorithm).
    Chirp {
        chirp: Vec<ComplexNumber>,
        spectrum: Vec<ComplexNumber>,
        inner: Box<FourierPlan>,
    },
}

/// The cheapest length of at least `n` with small factors.
fn smooth_length(n: usize) -> usize {
    let mut best = (n.next_power_of_two(), f64::INFINITY);
    for odd in [1, 3, 5, 7, 9, 15, 21, 25, 27, 35, 45, 49, 63, 75, 81, 105, 125, 135] {
        let length = odd * n.div_ceil(odd).next_power_of_two();
        let price = cost(length).unwrap_or(f64::INFINITY);
        if price < best.1 {
            best = (length, price);
        }
    }
    best.0
}

impl FourierPlan {
    /// For so many points, of one transform in order or of several in lanes.
    fn new(n: usize, is_single: bool) -> FourierPlan {
        let inner = smooth_length(2 * n - 1);
        // Two transforms of the convolution, and its products.
        let chirp_cost = 3.0 * cost(inner).unwrap_or(f64::INFINITY);
        if n < SPLIT_FROM || cost(n).is_some_and(|cost| cost < chirp_cost) {
            let split = if is_single && n >= SPLIT_FROM { Split::new(n) } else { None };
            let method = split.map(FourierMethod::Split).or_else(|| Passes::new(n).map(FourierMethod::Passes));
            if let Some(method) = method {
                return FourierPlan { n, method, half_twiddles: vec![] };
            }
        }
        let inner = FourierPlan::new(inner, is_single);
        let m = inner.n;
        let chirp: Vec<ComplexNumber> =
            (0..n).map(|k| root((k as u128 * k as u128 % (2 * n as u128)) as usize, 2 * n)).collect();
        let zero = ComplexLanes { re: 0.0, im: 0.0 };
        let mut spectrum = vec![zero; m];
        for (k, &x) in chirp.iter().enumerate() {
            let x = x.conj().scaled(1.0 / m as f64);
            spectrum[k] = x;
            spectrum[(m - k) % m] = x;
        }
        let mut other = vec![zero; m];
        let mut scratch: Vec<[ComplexLanes<f64>; 4]> = vec![[zero; 4]; inner.scratch(1).div_ceil(4) + 1];
        // SAFETY: both have as many numbers as the transform, and the scratch memory is as long as it says; 64 bytes are its alignment.
        unsafe {
            let start = scratch.as_mut_ptr().cast::<u8>();
            let start = start.add(start.align_offset(64)).cast();
            let done = inner.run::<f64>(spectrum.as_mut_ptr(), other.as_mut_ptr(), start, None);
            if done == other.as_mut_ptr() {
                std::mem::swap(&mut spectrum, &mut other);
            }
        }
        FourierPlan {
            n,
            method: FourierMethod::Chirp { chirp, spectrum, inner: Box::new(inner) },
            half_twiddles: vec![],
        }
    }

    /// Bytes of the tables.
    fn bytes(&self) -> usize {
        let own = match &self.method {
            FourierMethod::Passes(passes) => passes.bytes(),
            FourierMethod::Split(split) => split.bytes(),
            FourierMethod::Chirp { chirp, spectrum, inner } => 16 * (chirp.len() + spectrum.len()) + inner.bytes(),
        };
        own + 16 * self.half_twiddles.len()
    }

    /// Numbers that each of the two buffers of [`FourierPlan::run`] has room for.
    pub(crate) fn room(&self) -> usize {
        match &self.method {
            FourierMethod::Chirp { inner, .. } => inner.room(),
            _ => self.n,
        }
    }

    /// Numbers of scratch memory that [`FourierPlan::run`] needs for so many tasks.
    pub(crate) fn scratch(&self, tasks: usize) -> usize {
        match &self.method {
            FourierMethod::Passes(_) => 0,
            FourierMethod::Split(split) => split.room(tasks),
            FourierMethod::Chirp { inner, .. } => inner.scratch(tasks),
        }
    }

    /// The split transform, if it is one: it needs no buffers besides its scratch memory.
    pub(crate) fn split(&self) -> Option<&Split> {
        match &self.method {
            FourierMethod::Split(split) => Some(split),
            _ => None,
        }
    }

    /// Transforms the numbers at `data`; the result is where it returns: there, or at `other`.
    ///
    /// # Safety
    /// Both have [`FourierPlan::room`] and do not overlap, `scratch` has [`FourierPlan::scratch`] for the tasks of `threads`. Plans of single
    /// transforms have one lane. The processor has the instructions of `V`.
    pub(crate) unsafe fn run<V: Lanes>(
        &self,
        data: *mut ComplexLanes<V>,
        other: *mut ComplexLanes<V>,
        scratch: *mut ComplexNumber,
        threads: Option<&dyn ThreadPool>,
    ) -> *mut ComplexLanes<V> {
        match &self.method {
            // SAFETY: the caller's contract.
            FourierMethod::Passes(passes) => unsafe { passes.run(data, other) },
            FourierMethod::Split(split) => {
                let (from, to) = (DenseNumbers::at(data.cast()), DenseNumbers::at(other.cast()));
                let ends = Endpoints { from, to, written: self.n, factor: 1.0 };
                // SAFETY: the caller's contract: there is one lane.
                unsafe { run_split(split, ends, scratch, threads) };
                other
            }
            FourierMethod::Chirp { chirp, spectrum, inner } => {
                // SAFETY: the caller's contract; the buffers have room for the convolution.
                unsafe {
                    V::run(
                        #[inline(always)]
                        || {
                            for (k, &c) in chirp.iter().enumerate() {
                                *data.add(k) = *data.add(k) * ComplexLanes::splat(c);
                            }
                            let zero = ComplexLanes { re: V::splat(0.0), im: V::splat(0.0) };
                            for k in self.n..inner.n {
                                *data.add(k) = zero;
                            }
                        },
                    );
                    let done = inner.run(data, other, scratch, threads);
                    V::run(
                        #[inline(always)]
                        || {
                            for (k, &c) in spectrum.iter().enumerate() {
                                *done.add(k) = (*done.add(k) * ComplexLanes::splat(c)).swapped();
                            }
                        },
                    );
                    let done = inner.run(done, if done == data { other } else { data }, scratch, threads);
                    V::run(
                        #[inline(always)]
                        || {
                            for (k, &c) in chirp.iter().enumerate() {
                                *done.add(k) = (*done.add(k)).swapped() * ComplexLanes::splat(c);
                            }
                        },
                    );
                    done
                }
            }
        }
    }
}

/// Runs a split transform with vectors of the lanes that it is planned for.
///
/// # Safety
/// As [`Split::run`].
pub(crate) unsafe fn run_split(
    split: &Split,
    ends: Endpoints,
    scratch: *mut ComplexNumber,
    threads: Option<&dyn ThreadPool>,
) {
    // SAFETY: the caller's contract; the processor has vectors of so many lanes.
    unsafe {
        match split.lanes() {
            #[cfg(target_arch = "x86_64")]
            Lanes8::COUNT => split.run::<Lanes8>(ends, scratch.cast(), threads),
            #[cfg(target_arch = "x86_64")]
            Lanes4::COUNT => split.run::<Lanes4>(ends, scratch.cast(), threads),
            _ => split.run::<f64>(ends, scratch.cast(), threads),
        }
    }
}

/// What a plan is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FourierKey {
    /// Complex numbers of a transform.
    pub(crate) n: usize,
    /// Whether there is one transform, in order, or several in lanes.
    pub(crate) is_single: bool,
    /// Whether the complex numbers are pairs of real ones.
    pub(crate) is_packed: bool,
}

/// The plans used last.
#[derive(Default)]
pub(crate) struct FourierPlans(Vec<(FourierKey, Arc<FourierPlan>)>);

impl FourierPlans {
    /// The plan for this.
    pub(crate) fn plan(&mut self, key: FourierKey) -> Arc<FourierPlan> {
        if let Some(at) = self.0.iter().position(|known| known.0 == key) {
            self.0[..=at].rotate_right(1);
        } else {
            let mut plan = FourierPlan::new(key.n, key.is_single);
            if key.is_packed {
                plan.half_twiddles = half_twiddles(2 * key.n);
            }
            self.0.insert(0, (key, Arc::new(plan)));
            let mut bytes = 0;
            let kept = self.0.iter().take_while(|known| {
                bytes += known.1.bytes();
                bytes <= MAX_TABLE_BYTES
            });
            let kept = kept.count().clamp(1, MAX_FOURIER_PLANS);
            self.0.truncate(kept);
        }
        self.0[0].1.clone()
    }
}
