//! Inner products of vectors of doubles that lie densely, in the processor's widest vectors: the code generator has those of two doubles.
//!
//! A turn adds to four vectors of eight sums, so that none waits for the addition before. They, and the order in which they are added up,
//! are the same at every level of instructions, and each product is rounded before it is added: so are the bits.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// The sum of the products of so many elements at two addresses.
///
/// # Safety
/// So many doubles lie at both addresses.
pub(crate) unsafe extern "C" fn inner_product(a: i64, b: i64, count: i64) -> f64 {
    // SAFETY: the caller's contract.
    unsafe { product::<false>(a, b, count) }
}

/// The same where the elements of the first vector lie one before another, as in `x[::-1]`: its address is that of the last one in memory.
///
/// # Safety
/// So many doubles lie at the second address, and so many end with the one at the first.
pub(crate) unsafe extern "C" fn inner_product_backwards(a: i64, b: i64, count: i64) -> f64 {
    // SAFETY: the caller's contract.
    unsafe { product::<true>(a, b, count) }
}

/// The sum of products, `BACKWARDS` along the first vector, by the instructions that the processor has.
///
/// # Safety
/// As of the functions above.
unsafe fn product<const BACKWARDS: bool>(a: i64, b: i64, count: i64) -> f64 {
    let (a, b, count) = (a as usize as *const f64, b as usize as *const f64, count as usize);
    // SAFETY: the caller's contract; the processor has the instructions.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return with_avx512::<BACKWARDS>(a, b, count);
            }
            if is_x86_feature_detected!("avx2") {
                return with_avx2::<BACKWARDS>(a, b, count);
            }
        }
        sum::<[f64; LANES], BACKWARDS>(a, b, count)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn with_avx512<const BACKWARDS: bool>(a: *const f64, b: *const f64, count: usize) -> f64 {
    // SAFETY: the caller's contract.
    unsafe { sum::<__m512d, BACKWARDS>(a, b, count) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn with_avx2<const BACKWARDS: bool>(a: *const f64, b: *const f64, count: usize) -> f64 {
    // SAFETY: the caller's contract.
    unsafe { sum::<[__m256d; 2], BACKWARDS>(a, b, count) }
}

const LANES: usize = 8;

/// Eight sums.
trait Sums: Copy {
    const ZERO: Self;

    /// With the products of the eight elements at two addresses added; `BACKWARDS`, the first eight end at their address.
    ///
    /// # Safety
    /// Eight doubles lie there; the processor has the instructions.
    unsafe fn plus<const BACKWARDS: bool>(self, a: *const f64, b: *const f64) -> Self;

    fn lanes(self) -> [f64; LANES];
}

impl Sums for [f64; LANES] {
    const ZERO: Self = [0.0; LANES];

    #[inline(always)]
    unsafe fn plus<const BACKWARDS: bool>(mut self, a: *const f64, b: *const f64) -> Self {
        for (lane, sum) in self.iter_mut().enumerate() {
            // SAFETY: the caller's contract.
            *sum += unsafe { *after::<BACKWARDS>(a, lane) * *b.add(lane) };
        }
        self
    }

    fn lanes(self) -> [f64; LANES] {
        self
    }
}

#[cfg(target_arch = "x86_64")]
impl Sums for __m512d {
    // SAFETY: any bits are eight doubles.
    const ZERO: Self = unsafe { std::mem::transmute::<[f64; LANES], Self>([0.0; LANES]) };

    #[inline(always)]
    unsafe fn plus<const BACKWARDS: bool>(self, a: *const f64, b: *const f64) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let factors = if BACKWARDS {
                _mm512_permutexvar_pd(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_loadu_pd(a.sub(LANES - 1)))
            } else {
                _mm512_loadu_pd(a)
            };
            _mm512_add_pd(self, _mm512_mul_pd(factors, _mm512_loadu_pd(b)))
        }
    }

    #[inline(always)]
    fn lanes(self) -> [f64; LANES] {
        // SAFETY: any bits are eight doubles.
        unsafe { std::mem::transmute(self) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Sums for [__m256d; 2] {
    // SAFETY: any bits are eight doubles.
    const ZERO: Self = unsafe { std::mem::transmute::<[f64; LANES], Self>([0.0; LANES]) };

    #[inline(always)]
    unsafe fn plus<const BACKWARDS: bool>(self, a: *const f64, b: *const f64) -> Self {
        /// The lanes from the last one to the first.
        const REVERSED: i32 = 0b00_01_10_11;
        let [first, second] = self;
        // SAFETY: the caller's contract.
        unsafe {
            let (low, high) = if BACKWARDS {
                let (low, high) = (_mm256_loadu_pd(a.sub(3)), _mm256_loadu_pd(a.sub(7)));
                (_mm256_permute4x64_pd::<REVERSED>(low), _mm256_permute4x64_pd::<REVERSED>(high))
            } else {
                (_mm256_loadu_pd(a), _mm256_loadu_pd(a.add(4)))
            };
            let product = _mm256_mul_pd(low, _mm256_loadu_pd(b));
            let next = _mm256_mul_pd(high, _mm256_loadu_pd(b.add(4)));
            [_mm256_add_pd(first, product), _mm256_add_pd(second, next)]
        }
    }

    #[inline(always)]
    fn lanes(self) -> [f64; LANES] {
        // SAFETY: any bits are eight doubles.
        unsafe { std::mem::transmute(self) }
    }
}

/// The address of the element that comes so many later.
///
/// # Safety
/// It belongs to the same vector.
#[inline(always)]
unsafe fn after<const BACKWARDS: bool>(at: *const f64, by: usize) -> *const f64 {
    // SAFETY: the caller's contract.
    unsafe { if BACKWARDS { at.sub(by) } else { at.add(by) } }
}

/// The sum of products, as `product` has it.
///
/// # Safety
/// So many doubles lie at both addresses; the processor has the instructions of `S`.
#[inline(always)]
unsafe fn sum<S: Sums, const BACKWARDS: bool>(a: *const f64, b: *const f64, count: usize) -> f64 {
    let (mut first, mut second, mut third, mut fourth) = (S::ZERO, S::ZERO, S::ZERO, S::ZERO);
    let (mut at, mut rest) = (0, 0.0);
    // SAFETY: the caller's contract.
    unsafe {
        while at + 4 * LANES <= count {
            first = first.plus::<BACKWARDS>(after::<BACKWARDS>(a, at), b.add(at));
            second = second.plus::<BACKWARDS>(after::<BACKWARDS>(a, at + LANES), b.add(at + LANES));
            third = third.plus::<BACKWARDS>(after::<BACKWARDS>(a, at + 2 * LANES), b.add(at + 2 * LANES));
            fourth = fourth.plus::<BACKWARDS>(after::<BACKWARDS>(a, at + 3 * LANES), b.add(at + 3 * LANES));
            at += 4 * LANES;
        }
        while at + LANES <= count {
            first = first.plus::<BACKWARDS>(after::<BACKWARDS>(a, at), b.add(at));
            at += LANES;
        }
        while at < count {
            rest += *after::<BACKWARDS>(a, at) * *b.add(at);
            at += 1;
        }
    }
    let (first, second, third, fourth) = (first.lanes(), second.lanes(), third.lanes(), fourth.lanes());
    let mut total = [0.0; LANES];
    for lane in 0..LANES {
        total[lane] = (first[lane] + second[lane]) + (third[lane] + fourth[lane]);
    }
    let [a, b, c, d, e, f, g, h] = total;
    ((a + e) + (c + g)) + ((b + f) + (d + h)) + rest
}
