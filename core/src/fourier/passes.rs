//! Forward transforms of a length that is a product of small primes: a pass over all numbers for each factor (Stockham's algorithm,
//! which leaves them in order), from one buffer into another.

use crate::fourier::lanes::{ComplexLanes, ComplexNumber, Lanes};
use crate::fourier::roots::{Roots, root};

/// The largest prime factor. A pass takes as many multiplications for each number as its factor.
pub(crate) const MAX_FACTOR: usize = 31;

/// Bytes of a first-level and a second-level cache. Half of each is left for what else is read.
const CACHE_LEVELS: [f64; 2] = [32768.0, 2097152.0];
/// What reading and writing a vector beyond a level costs, in units of [`cost`].
const CACHE_MISS_COST: f64 = 10.0;

/// A transform of one length.
pub struct Passes {
    pub(crate) n: usize,
    passes: Vec<Pass>,
}

/// One pass.
struct Pass {
    factor: usize,
    /// Transforms of the factor's length that are done with the same twiddle factors.
    before: usize,
    /// How many twiddle factors there are for each but the first output.
    after: usize,
    /// `after` by `factor - 1` of them.
    twiddles: Vec<ComplexLanes<f64>>,
    /// Cosine and sine of multiples of a turn divided by an odd factor.
    turns: Vec<(f64, f64)>,
}

/// The factors of a length, or `None` if it has a prime factor above [`MAX_FACTOR`]. Eights before fours: a pass reads and writes the
/// second-level cache.
pub(crate) fn factors(mut n: usize) -> Option<Vec<usize>> {
    let twos = n.trailing_zeros() as usize;
    let mut found = match twos % 3 {
        0 => vec![8; twos / 3],
        1 if twos > 1 => [vec![4, 4], vec![8; twos / 3 - 1]].concat(),
        1 => vec![2],
        _ => [vec![4], vec![8; twos / 3]].concat(),
    };
    n >>= twos;
    for factor in (3..=MAX_FACTOR).step_by(2) {
        while n.is_multiple_of(factor) {
            found.push(factor);
            n /= factor;
        }
    }
    (n == 1).then_some(found)
}

/// Cost of a transform of so many numbers, in units of an addition or so.
pub(crate) fn cost(n: usize) -> Option<f64> {
    let each: f64 = factors(n)?
        .iter()
        .map(|&factor| match factor {
            4 => 4.0,
            8 => 6.5,
            other => other as f64 * 1.1,
        })
        .sum();
    Some(each * n as f64)
}

/// [`cost`] of transforms of so many lanes, with what it takes to read and write buffers that do not stay in a cache: a vector of eight
/// lanes takes 1.4 ns in a pass of 128 numbers, and 4.3 in one of 256.
pub(crate) fn vector_cost(n: usize, lanes: usize) -> Option<f64> {
    let buffers = (2 * size_of::<ComplexNumber>() * n * lanes) as f64;
    let missed: f64 = CACHE_LEVELS.iter().map(|level| (buffers / level - 0.5).clamp(0.0, 1.0)).sum();
    Some(cost(n)? + (factors(n)?.len() * n) as f64 * missed * CACHE_MISS_COST)
}

impl Passes {
    /// For a length with small factors.
    pub fn new(n: usize) -> Option<Passes> {
        let mut before = 1;
        let (roots, mut passes) = (Roots::new(n), vec![]);
        for factor in factors(n)? {
            let after = n / (before * factor);
            let step = |j: usize, i: usize| roots.at(j * before * i);
            let twiddles = (0..after).flat_map(|i| (1..factor).map(move |j| step(j, i))).collect();
            let turns = (0..factor).map(|k| root(k, factor)).map(|w| (w.re, -w.im)).collect();
            passes.push(Pass { factor, before, after, twiddles, turns });
            before *= factor;
        }
        Some(Passes { n, passes })
    }

    /// Bytes of the tables.
    pub(crate) fn bytes(&self) -> usize {
        self.passes.iter().map(|pass| 16 * (pass.twiddles.len() + pass.turns.len())).sum()
    }

    /// Transforms the numbers at `data`; the result is where it returns: there, or at `other`.
    ///
    /// # Safety
    /// Both have [`Passes::n`] numbers and do not overlap. The processor has the instructions of `V`.
    pub unsafe fn run<V: Lanes>(
        &self,
        mut data: *mut ComplexLanes<V>,
        mut other: *mut ComplexLanes<V>,
    ) -> *mut ComplexLanes<V> {
        for pass in &self.passes {
            // SAFETY: the caller's contract.
            unsafe {
                V::run(
                    #[inline(always)]
                    || pass.run(data, other),
                );
            }
            std::mem::swap(&mut data, &mut other);
        }
        data
    }
}

impl Pass {
    /// # Safety
    /// As [`Passes::run`].
    #[inline(always)]
    unsafe fn run<V: Lanes>(&self, from: *const ComplexLanes<V>, to: *mut ComplexLanes<V>) {
        // SAFETY: the caller's contract.
        unsafe {
            match self.factor {
                2 => self.each::<V, 2, 1>(from, to),
                3 => self.each::<V, 3, 1>(from, to),
                4 => self.each::<V, 4, 2>(from, to),
                5 => self.each::<V, 5, 2>(from, to),
                8 => self.each::<V, 8, 4>(from, to),
                7 => self.each::<V, 7, 3>(from, to),
                11 => self.each::<V, 11, 5>(from, to),
                13 => self.each::<V, 13, 6>(from, to),
                _ => self.by_any(from, to),
            }
        }
    }

    /// Runs a transform of the factor's length `F`, whose half is `H`, for each group of numbers.
    ///
    /// # Safety
    /// As [`Passes::run`], and the factor is `F`.
    #[inline(always)]
    unsafe fn each<V: Lanes, const F: usize, const H: usize>(
        &self,
        from: *const ComplexLanes<V>,
        to: *mut ComplexLanes<V>,
    ) {
        let (before, after) = (self.before, self.after);
        let apart = before * after;
        for k in 0..before {
            // SAFETY: indices are below `before * F * after`, the length; there are `F - 1` twiddle factors for each `i`.
            unsafe {
                let (from, to) = (from.add(k * F * after), to.add(k * after));
                // The first twiddle factors are one.
                let out = self.short::<V, F, H>(from);
                for (j, &x) in out.iter().enumerate() {
                    *to.add(j * apart) = x;
                }
                for i in 1..after {
                    let twiddles = self.twiddles.as_ptr().add(i * (F - 1));
                    let out = self.short::<V, F, H>(from.add(i));
                    *to.add(i) = out[0];
                    for (j, &x) in out[1..].iter().enumerate() {
                        *to.add((j + 1) * apart + i) = x * ComplexLanes::splat(*twiddles.add(j));
                    }
                }
            }
        }
    }

    /// A transform of the factor's length `F`. That of an odd length `2 * H + 1` is by sums and differences of numbers the same distance
    /// from both ends.
    ///
    /// # Safety
    /// As [`Pass::each`].
    #[inline(always)]
    unsafe fn short<V: Lanes, const F: usize, const H: usize>(
        &self,
        from: *const ComplexLanes<V>,
    ) -> [ComplexLanes<V>; F] {
        // SAFETY: the caller's contract; there are `F` turns.
        unsafe {
            let mut x = [*from; F];
            for (j, x) in x.iter_mut().enumerate() {
                *x = *from.add(j * self.after);
            }
            match F {
                2 => (x[0], x[1]) = (x[0] + x[1], x[0] - x[1]),
                4 => [x[0], x[1], x[2], x[3]] = by_four([x[0], x[1], x[2], x[3]]),
                8 => {
                    let even = by_four([x[0], x[2], x[4], x[6]]);
                    let odd = by_four([x[1], x[3], x[5], x[7]]);
                    let half = V::splat(std::f64::consts::FRAC_1_SQRT_2);
                    let zero = ComplexLanes { re: V::splat(0.0), im: V::splat(0.0) };
                    let turned = [
                        odd[0],
                        ComplexLanes { re: odd[1].re + odd[1].im, im: odd[1].im - odd[1].re }.scaled(half),
                        odd[2].minus_i_times_difference(zero),
                        ComplexLanes { re: odd[3].im - odd[3].re, im: zero.im - odd[3].re - odd[3].im }.scaled(half),
                    ];
                    for j in 0..4 {
                        (x[j], x[j + 4]) = (even[j] + turned[j], even[j] - turned[j]);
                    }
                }
                _ => {
                    let (first, mut sums, mut differences) = (x[0], [x[0]; H], [x[0]; H]);
                    for j in 0..H {
                        sums[j] = x[j + 1] + x[F - 1 - j];
                        differences[j] = x[j + 1].minus_i_times_difference(x[F - 1 - j]);
                        x[0] = x[0] + sums[j];
                    }
                    for k in 1..=H {
                        let (cos, sin) = *self.turns.get_unchecked(k);
                        let mut even = add_scaled(first, sums[0], V::splat(cos));
                        let mut odd = differences[0].scaled(V::splat(sin));
                        for j in 2..=H {
                            let (cos, sin) = *self.turns.get_unchecked(j * k % F);
                            even = add_scaled(even, sums[j - 1], V::splat(cos));
                            odd = add_scaled(odd, differences[j - 1], V::splat(sin));
                        }
                        (x[k], x[F - k]) = (even + odd, even - odd);
                    }
                }
            }
            x
        }
    }

    /// [`Pass::each`] for any odd factor up to [`MAX_FACTOR`].
    ///
    /// # Safety
    /// As [`Passes::run`].
    #[inline(always)]
    unsafe fn by_any<V: Lanes>(&self, from: *const ComplexLanes<V>, to: *mut ComplexLanes<V>) {
        let (f, h) = (self.factor, self.factor / 2);
        let (before, after) = (self.before, self.after);
        let zero = ComplexLanes { re: V::splat(0.0), im: V::splat(0.0) };
        let (mut sums, mut differences) = ([zero; MAX_FACTOR / 2], [zero; MAX_FACTOR / 2]);
        for group in 0..before * after {
            let (k, i) = (group / after, group % after);
            // SAFETY: as `each`.
            unsafe {
                let (from, to) = (from.add(k * f * after + i), to.add(k * after + i));
                let first = *from;
                let mut total = first;
                for j in 1..=h {
                    let (a, b) = (*from.add(j * after), *from.add((f - j) * after));
                    (sums[j - 1], differences[j - 1]) = (a + b, a.minus_i_times_difference(b));
                    total = total + sums[j - 1];
                }
                *to = total;
                let twiddles = self.twiddles.as_ptr().add(i * (f - 1));
                for out in 1..=h {
                    let (mut even, mut odd, mut turn) = (first, zero, 0);
                    for j in 0..h {
                        turn += out;
                        turn -= if turn >= f { f } else { 0 };
                        let (cos, sin) = *self.turns.get_unchecked(turn);
                        even = add_scaled(even, sums[j], V::splat(cos));
                        odd = add_scaled(odd, differences[j], V::splat(sin));
                    }
                    let apart = before * after;
                    *to.add(out * apart) = (even + odd) * ComplexLanes::splat(*twiddles.add(out - 1));
                    *to.add((f - out) * apart) = (even - odd) * ComplexLanes::splat(*twiddles.add(f - out - 1));
                }
            }
        }
    }
}

/// `a + b * factor`.
#[inline(always)]
fn add_scaled<V: Lanes>(a: ComplexLanes<V>, b: ComplexLanes<V>, factor: V) -> ComplexLanes<V> {
    ComplexLanes { re: b.re.mul_add(factor, a.re), im: b.im.mul_add(factor, a.im) }
}

/// A transform of four numbers.
#[inline(always)]
fn by_four<V: Lanes>([a, b, c, d]: [ComplexLanes<V>; 4]) -> [ComplexLanes<V>; 4] {
    let (even, even_difference) = (a + c, a - c);
    let (odd, odd_difference) = (b + d, b.minus_i_times_difference(d));
    [even + odd, even_difference + odd_difference, even - odd, even_difference - odd_difference]
}
