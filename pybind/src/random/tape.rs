//! Words drawn in advance, and the draws of compiled loops from them.
//!
//! A loop that draws may be left in the middle of a statement, which the interpreter then executes from its beginning: what it drew must be as if
//! it had not been. So a loop draws from a tape of a generator's next words, by NumPy's own distributions, which see a bit generator. What they
//! keep besides (half a word, a second normal number) is saved before a statement's first draw.

use crate::random::bit_generator::{Binomial, BitGenerator, Distributions, Library};
use crate::random::legacy::{normal_pair, trials};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::f64::consts::PI;
use std::ffi::c_void;

/// The tape of a run, in memory that compiled code and `_loops/tapes.py` read and write by words.
#[repr(C)]
struct Tape {
    /// The address of `draw`.
    draw: usize,
    /// Words that have been taken.
    position: i64,
    /// The upper half of a word whose lower half was taken; its complement, which is negative, once it was taken too.
    pending: i64,
    /// How often a word was asked for where none was left.
    exhausted: u64,
    /// The parameters of a distribution: the bits of numbers, or an address.
    parameters: [u64; 3],
    words: *const u64,
    count: i64,
    /// Whether the statement has not drawn yet.
    is_fresh: i64,
    /// The second number of a pair of normal ones.
    has_normal: i64,
    normal: f64,
    kept_pending: i64,
    kept_has_normal: i64,
    kept_normal: f64,
    /// Whether words have 64 bits; 32 otherwise.
    is_wide: i64,
    /// Words that had been taken where the loop was left, those of the statement that was left among them.
    reached: i64,
    bits: BitGenerator,
    /// What `random_binomial` keeps for the next number of the same parameters: no number depends on it.
    binomial: Binomial,
}

/// Words of a tape.
const WORDS: usize = size_of::<Tape>() / size_of::<u64>();
/// NumPy's and Python's factor for 53 bits.
const SCALE: f64 = 1.0 / 9_007_199_254_740_992.0;

impl Tape {
    /// The next word. Where none is left, some number: the statement is left, but a distribution that rejects numbers must end before.
    fn word(&mut self) -> u64 {
        if self.position >= self.count {
            self.exhausted += 1;
            let mixed = self.exhausted.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = mixed ^ (mixed >> 29);
            return if self.is_wide == 0 { mixed >> 32 } else { mixed };
        }
        // SAFETY: there are `count` words.
        let word = unsafe { *self.words.add(self.position as usize) };
        self.position += 1;
        word
    }

    fn next_u64(&mut self) -> u64 {
        if self.is_wide == 0 { self.word() << 32 | self.word() } else { self.word() }
    }

    fn next_u32(&mut self) -> u32 {
        if self.is_wide == 0 {
            return self.word() as u32;
        }
        if self.pending >= 0 {
            let half = self.pending;
            self.pending = !half;
            return half as u32;
        }
        let word = self.word();
        self.pending = (word >> 32) as i64;
        word as u32
    }

    fn next_double(&mut self) -> f64 {
        if self.is_wide == 0 {
            let (a, b) = (self.word() >> 5, self.word() >> 6);
            return (a as f64 * 67_108_864.0 + b as f64) * SCALE;
        }
        (self.word() >> 11) as f64 * SCALE
    }

    /// A normal number as `RandomState` draws it: pairs by the polar method.
    fn legacy_normal(&mut self) -> f64 {
        if self.has_normal != 0 {
            self.has_normal = 0;
            return std::mem::replace(&mut self.normal, 0.0);
        }
        let (first, second) = normal_pair(|| self.next_double());
        (self.has_normal, self.normal) = (1, second);
        first
    }

    /// A standard normal number as Python's `Random.gauss` draws it: pairs by the method of Box and Muller.
    fn gauss(&mut self) -> f64 {
        if self.has_normal != 0 {
            self.has_normal = 0;
            return self.normal;
        }
        let angle = self.next_double() * (2.0 * PI);
        let radius = (-2.0 * (1.0 - self.next_double()).ln()).sqrt();
        (self.has_normal, self.normal) = (1, angle.sin() * radius);
        angle.cos() * radius
    }

    /// A standard normal number as Python's `Random.normalvariate` draws it: by the ratio of two uniform numbers.
    fn normal_variate(&mut self) -> f64 {
        let magic = 4.0 * (-0.5f64).exp() / 2.0f64.sqrt();
        loop {
            let first = self.next_double();
            let second = 1.0 - self.next_double();
            let z = magic * (first - 0.5) / second;
            if z * z / 4.0 <= -second.ln() {
                return z;
            }
        }
    }

    /// An index that has one of some probabilities, as the generators' `choice` draws it; `None` where NumPy refuses the probabilities.
    fn weighted_index(&mut self, probability: impl Fn(usize) -> f64, count: usize) -> Option<i64> {
        // Compensated summation, for the check alone.
        let (mut sum, mut error) = (probability(0), 0.0);
        for k in 1..count {
            let term = probability(k) - error;
            let next = sum + term;
            (error, sum) = (next - sum - term, next);
        }
        if sum.is_nan() || (sum - 1.0).abs() > f64::EPSILON.sqrt() || (0..count).any(|k| probability(k) < 0.0) {
            return None;
        }
        // Sums that begin with -0.0 begin with the first number.
        let mut sums = (0..count).scan(-0.0, |sum, k| {
            *sum += probability(k);
            Some(*sum)
        });
        let total = sums.clone().last()?;
        let drawn = self.next_double();
        sums.position(|sum| sum / total > drawn).map(|k| k as i64)
    }

    /// A number below `bound`, as Python's `Random._randbelow` draws it.
    fn below(&mut self, bound: u64) -> u64 {
        let bits = 64 - bound.leading_zeros();
        loop {
            let low = self.word() >> 32u32.saturating_sub(bits);
            let found = if bits <= 32 { low } else { self.word() >> (64 - bits) << 32 | low };
            if found < bound {
                return found;
            }
        }
    }
}

/// The distributions, by the numbers that `_loops/draws.py` has for them.
const UNIT: i64 = 0;
const UNIFORM: i64 = 1;
const LEMIRE: i64 = 2;
const MASKED: i64 = 3;
const BELOW: i64 = 4;
const NORMAL: i64 = 5;
const STANDARD_NORMAL: i64 = 6;
const EXPONENTIAL: i64 = 7;
const STANDARD_EXPONENTIAL: i64 = 8;
const LEGACY_NORMAL: i64 = 9;
const LEGACY_EXPONENTIAL: i64 = 10;
const GAUSS: i64 = 11;
const NORMAL_VARIATE: i64 = 12;
const BINOMIAL: i64 = 13;
const POISSON: i64 = 14;
const WEIGHTED_INDEX: i64 = 15;
const LEGACY_BINOMIAL: i64 = 16;

// The functions of the bit generator that reads a tape. Their argument is the tape's address; no other thread uses the tape during a call.

unsafe extern "C" fn next_u64(tape: *mut c_void) -> u64 {
    // SAFETY: as above.
    unsafe { (*tape.cast::<Tape>()).next_u64() }
}

unsafe extern "C" fn next_u32(tape: *mut c_void) -> u32 {
    // SAFETY: as above.
    unsafe { (*tape.cast::<Tape>()).next_u32() }
}

unsafe extern "C" fn next_double(tape: *mut c_void) -> f64 {
    // SAFETY: as above.
    unsafe { (*tape.cast::<Tape>()).next_double() }
}

unsafe extern "C" fn next_raw(tape: *mut c_void) -> u64 {
    // SAFETY: as above.
    unsafe { (*tape.cast::<Tape>()).word() }
}

/// Draws a number of a distribution: the bits of a double, or an integer. Compiled code calls it.
///
/// # Safety
/// `tape` is the address of a tape that `random_tape` has set up; no other thread uses it during the call.
unsafe extern "C" fn draw(tape: i64, distribution: i64) -> i64 {
    let address = tape as usize as *mut Tape;
    // SAFETY: the caller's contract.
    let ([first, second, third], interface, binomial) = unsafe {
        let tape = &mut *address;
        if tape.is_fresh != 0 {
            tape.is_fresh = 0;
            (tape.kept_pending, tape.kept_has_normal, tape.kept_normal) = (tape.pending, tape.has_normal, tape.normal);
        }
        (tape.parameters, &raw mut (*address).bits, &raw mut (*address).binomial)
    };
    let (a, b) = (f64::from_bits(first), f64::from_bits(second));
    // SAFETY: the reference ends with the call.
    let with = |draw: &dyn Fn(&mut Tape) -> f64| unsafe { draw(&mut *address) }.to_bits();
    let of = Distributions::known();
    // SAFETY: the tape's interface, and room for one number. The library's functions use nothing but the interface.
    let bits = unsafe {
        match (distribution, of) {
            (UNIT, _) => with(&|tape| tape.next_double()),
            (UNIFORM, _) => with(&|tape| a + b * tape.next_double()),
            (BELOW, _) => (*address).below(second),
            (LEGACY_NORMAL, _) => with(&|tape| a + b * tape.legacy_normal()),
            (LEGACY_EXPONENTIAL, _) => with(&|tape| b * -(1.0 - tape.next_double()).ln()),
            (GAUSS, _) => with(&|tape| a + tape.gauss() * b),
            (NORMAL_VARIATE, _) => with(&|tape| a + tape.normal_variate() * b),
            (WEIGHTED_INDEX, _) => {
                let probability = |k: usize| {
                    // SAFETY: compiled code gives the address of as many numbers, so many bytes apart.
                    (first as usize as *const u8).wrapping_offset(k as isize * third as isize).cast::<f64>().read()
                };
                let tape = &mut *address;
                let found = if second == 0 { None } else { tape.weighted_index(probability, second as usize) };
                found.unwrap_or_else(|| {
                    // NumPy raises: the statement is left, as where no word is.
                    tape.exhausted += 1;
                    0
                }) as u64
            }
            (LEGACY_BINOMIAL, Some(of)) => {
                let tape = &mut *address;
                let found = trials(first as i64, b, || tape.next_double());
                found.unwrap_or_else(|| (of.binomial)(interface, b, first as i64, binomial)) as u64
            }
            (BINOMIAL, Some(of)) => (of.binomial)(interface, b, first as i64, binomial) as u64,
            (POISSON, Some(of)) => (of.poisson)(interface, a) as u64,
            (NORMAL, Some(of)) => (of.normal)(interface, a, b).to_bits(),
            (EXPONENTIAL, Some(of)) => (of.exponential)(interface, b).to_bits(),
            (STANDARD_NORMAL | STANDARD_EXPONENTIAL, Some(of)) => {
                let mut found = 0.0;
                let fill = if distribution == STANDARD_NORMAL { of.fill_normal } else { of.fill_exponential };
                fill(interface, 1, &raw mut found);
                found.to_bits()
            }
            (LEMIRE | MASKED, Some(of)) => {
                let mut found = 0;
                (of.fill_bounded)(interface, first, second, 1, distribution == MASKED, &raw mut found);
                found
            }
            _ => {
                // NumPy exports other functions: the statement is left, as where no word is.
                (*address).exhausted += 1;
                0
            }
        }
    };
    bits as i64
}

/// `random_tape(tape, words, is_wide, is_of_numpy)`: has a tape, an array of integers, be read from the words, an array that must live
/// as long. Generators of Python's need none of NumPy's distributions, and importing `numpy.random` takes 11 ms.
///
/// # Errors
/// `ValueError` for arrays of other types or lengths.
#[pyfunction]
#[pyo3(signature = (tape, words, is_wide, is_of_numpy, /))]
fn random_tape(
    py: Python<'_>,
    tape: &Bound<'_, PyAny>,
    words: &Bound<'_, PyAny>,
    is_wide: bool,
    is_of_numpy: bool,
) -> PyResult<()> {
    if is_of_numpy {
        Library::get(py)?;
    }
    let (tape, words) = (PyBuffer::<i64>::get(tape)?, PyBuffer::<u64>::get(words)?);
    if tape.item_count() != WORDS || tape.readonly() || !tape.is_c_contiguous() || !words.is_c_contiguous() {
        return Err(PyValueError::new_err("a tape is an array of words"));
    }
    let address = tape.buf_ptr().cast::<Tape>();
    let interface = BitGenerator::new(address.cast(), next_u64, next_u32, next_double, next_raw);
    // SAFETY: writeable memory of a tape's size, aligned to words.
    unsafe {
        (*address).draw = draw as *const () as usize;
        (*address).words = words.buf_ptr().cast();
        (*address).count = words.item_count() as i64;
        (*address).is_wide = i64::from(is_wide);
        (&raw mut (*address).bits).write(interface);
    }
    Ok(())
}

/// Adds the function to the module, and the number of a tape's words.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("TAPE_WORDS", WORDS)?;
    module.add_function(wrap_pyfunction!(random_tape, module)?)
}
