//! Products of small matrices of complex numbers, in the processor's widest vectors: the code generator has those of one number.
//!
//! The real parts of the left factors times a row of the right matrix, and the imaginary parts times it, are added up apart, with one
//! rounding a term (fused multiply-add) where the processor has that; the second sum, its parts exchanged, is taken from and added to the first one in
//! the end. Several rows are computed at once, as a sum waits for each of its additions.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// A factor on the left, or a product: the real part and the imaginary one.
type Number = [f64; 2];

/// What `complex_product` takes in memory: numbers of rows, of products that are added up, and of columns, and distances in bytes between rows
/// and between elements of the left matrix, and between rows of the right one.
#[derive(Clone, Copy)]
struct Extents {
    rows: i64,
    inner: i64,
    columns: i64,
    left_row: i64,
    left_step: i64,
    right_row: i64,
}

impl Extents {
    /// Reads the words, one by one: a vector of two that were just stored would wait until both are in the cache.
    ///
    /// # Safety
    /// Six words lie at the address.
    #[inline(always)]
    unsafe fn read(at: i64) -> Self {
        // SAFETY: the caller's contract.
        let word = |number| unsafe { (at as usize as *const i64).add(number).read_volatile() };
        let (rows, inner, columns) = (word(0), word(1), word(2));
        Self { rows, inner, columns, left_row: word(3), left_step: word(4), right_row: word(5) }
    }
}

/// Stores `a @ b`, in C order, of complex numbers at two addresses; the rows of `b` lie densely. Gives whether some of it is not finite: an
/// operation that was invalid or overflowed has given what no sum or product of others makes finite again.
///
/// # Safety
/// `extents` is the address of what `Extents` has, which describes memory that exists; what is stored overlaps with no operand.
pub(crate) unsafe extern "C" fn complex_product(to: i64, a: i64, b: i64, extents: i64) -> u8 {
    let (to, a, b) = (to as usize as *mut Number, a as usize as *const u8, b as usize as *const u8);
    // SAFETY: the caller's contract; the processor has the instructions.
    unsafe {
        let extents = Extents::read(extents);
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return product::<__m512d>(to, a, b, &extents);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return product::<__m256d>(to, a, b, &extents);
            }
        }
        product::<Number>(to, a, b, &extents)
    }
}

/// A product of complex numbers, as compiled code calls it: where to store, two addresses, and that of six words.
pub type ComplexProduct = unsafe fn(i64, i64, i64, i64) -> u8;

/// What computes products at each level of instructions that the processor has, for tests: compiled code calls the best one.
///
/// The words are numbers of rows, of products that are added up, and of columns, and distances in bytes between rows and between elements of
/// the left matrix, and between rows of the right one. The result says whether some number is not finite.
pub fn complex_products() -> Vec<ComplexProduct> {
    /// # Safety
    /// As of `complex_product`; the processor has the instructions of `P`.
    unsafe fn at_level<P: Part>(to: i64, a: i64, b: i64, extents: i64) -> u8 {
        let (to, a, b) = (to as usize as *mut Number, a as usize as *const u8, b as usize as *const u8);
        // SAFETY: the caller's contract.
        unsafe { product::<P>(to, a, b, &Extents::read(extents)) }
    }
    let mut found: Vec<ComplexProduct> = vec![at_level::<Number>];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            found.push(at_level::<__m512d>);
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            found.push(at_level::<__m256d>);
        }
    }
    found
}

/// Some complex numbers of a row.
trait Part: Copy {
    const ZERO: Self;
    /// How many it has at most.
    const WIDTH: i64;

    /// What computes a tile, compiled for the instructions.
    ///
    /// # Safety
    /// As of `tile`.
    unsafe fn tile<const ROWS: usize, const COLUMNS: usize>(
        to: *mut Number,
        a: *const u8,
        b: *const u8,
        of: &Extents,
    ) -> bool;

    /// `COUNT` numbers at an address. One of them stands in the place of others: so these raise no exceptions of their own.
    ///
    /// # Safety
    /// They lie there; the processor has the instructions, as for the functions below.
    unsafe fn load<const COUNT: usize>(at: *const u8) -> Self;

    /// With a factor times some numbers added.
    ///
    /// # Safety
    /// As above.
    unsafe fn plus(self, factor: f64, numbers: Self) -> Self;

    /// With the parts of the other sum, exchanged, taken from the real parts and added to the imaginary ones.
    ///
    /// # Safety
    /// As above.
    unsafe fn joined(self, other: Self) -> Self;

    /// Notes which lanes of some numbers are not finite, beside those that were.
    ///
    /// # Safety
    /// As above.
    unsafe fn noting(self, numbers: Self) -> Self;

    /// Whether any lane was noted.
    ///
    /// # Safety
    /// As above.
    unsafe fn is_noted(self) -> bool;

    /// Stores the first `COUNT` numbers.
    ///
    /// # Safety
    /// As above.
    unsafe fn store<const COUNT: usize>(self, to: *mut Number);
}

impl Part for Number {
    const ZERO: Self = [0.0; 2];
    const WIDTH: i64 = 1;

    unsafe fn tile<const ROWS: usize, const COLUMNS: usize>(
        to: *mut Number,
        a: *const u8,
        b: *const u8,
        of: &Extents,
    ) -> bool {
        // SAFETY: the caller's contract.
        unsafe { tile::<Self, ROWS, COLUMNS>(to, a, b, of) }
    }

    #[inline(always)]
    unsafe fn load<const COUNT: usize>(at: *const u8) -> Self {
        // SAFETY: the caller's contract.
        unsafe { *at.cast() }
    }

    #[inline(always)]
    unsafe fn plus(self, factor: f64, [real, imaginary]: Self) -> Self {
        [self[0] + factor * real, self[1] + factor * imaginary]
    }

    #[inline(always)]
    unsafe fn joined(self, [real, imaginary]: Self) -> Self {
        [self[0] - imaginary, self[1] + real]
    }

    #[inline(always)]
    unsafe fn noting(self, numbers: Self) -> Self {
        if numbers.iter().all(|part| part.is_finite()) { self } else { [1.0; 2] }
    }

    #[inline(always)]
    unsafe fn is_noted(self) -> bool {
        self != Self::ZERO
    }

    #[inline(always)]
    unsafe fn store<const COUNT: usize>(self, to: *mut Number) {
        // SAFETY: the caller's contract.
        unsafe { *to = self }
    }
}

#[cfg(target_arch = "x86_64")]
impl Part for __m512d {
    // SAFETY: any bits are eight doubles.
    const ZERO: Self = unsafe { std::mem::transmute::<[f64; 8], Self>([0.0; 8]) };
    const WIDTH: i64 = 4;

    #[target_feature(enable = "avx512f")]
    unsafe fn tile<const ROWS: usize, const COLUMNS: usize>(
        to: *mut Number,
        a: *const u8,
        b: *const u8,
        of: &Extents,
    ) -> bool {
        // SAFETY: the caller's contract.
        unsafe { tile::<Self, ROWS, COLUMNS>(to, a, b, of) }
    }

    #[inline(always)]
    unsafe fn load<const COUNT: usize>(at: *const u8) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let low = <__m256d as Part>::load::<COUNT>(at);
            let high = match COUNT {
                1 | 2 => low,
                3 => <__m256d as Part>::load::<1>(at.add(32)),
                _ => <__m256d as Part>::load::<2>(at.add(32)),
            };
            _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high)
        }
    }

    #[inline(always)]
    unsafe fn plus(self, factor: f64, numbers: Self) -> Self {
        // SAFETY: the caller's contract.
        unsafe { _mm512_fmadd_pd(_mm512_set1_pd(factor), numbers, self) }
    }

    #[inline(always)]
    unsafe fn joined(self, other: Self) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let exchanged = _mm512_castpd_si512(_mm512_permute_pd::<0b0101_0101>(other));
            let signs = _mm512_set_epi64(0, i64::MIN, 0, i64::MIN, 0, i64::MIN, 0, i64::MIN);
            _mm512_add_pd(self, _mm512_castsi512_pd(_mm512_xor_si512(exchanged, signs)))
        }
    }

    #[inline(always)]
    unsafe fn noting(self, numbers: Self) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let found = _mm512_and_si512(_mm512_castpd_si512(numbers), _mm512_set1_epi64(EXPONENT));
            _mm512_castsi512_pd(_mm512_max_epi64(_mm512_castpd_si512(self), found))
        }
    }

    #[inline(always)]
    unsafe fn is_noted(self) -> bool {
        // SAFETY: the caller's contract.
        unsafe { _mm512_cmpeq_epi64_mask(_mm512_castpd_si512(self), _mm512_set1_epi64(EXPONENT)) != 0 }
    }

    #[inline(always)]
    unsafe fn store<const COUNT: usize>(self, to: *mut Number) {
        // SAFETY: the caller's contract.
        unsafe {
            let low = _mm512_castpd512_pd256(self);
            match COUNT {
                1 => _mm_storeu_pd(to.cast(), _mm256_castpd256_pd128(low)),
                2 => _mm256_storeu_pd(to.cast(), low),
                3 => {
                    _mm256_storeu_pd(to.cast(), low);
                    let high = _mm512_extractf64x4_pd::<1>(self);
                    _mm_storeu_pd(to.add(2).cast(), _mm256_castpd256_pd128(high));
                }
                _ => _mm512_storeu_pd(to.cast(), self),
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Part for __m256d {
    // SAFETY: any bits are four doubles.
    const ZERO: Self = unsafe { std::mem::transmute::<[f64; 4], Self>([0.0; 4]) };
    const WIDTH: i64 = 2;

    #[target_feature(enable = "avx2,fma")]
    unsafe fn tile<const ROWS: usize, const COLUMNS: usize>(
        to: *mut Number,
        a: *const u8,
        b: *const u8,
        of: &Extents,
    ) -> bool {
        // SAFETY: the caller's contract.
        unsafe { tile::<Self, ROWS, COLUMNS>(to, a, b, of) }
    }

    #[inline(always)]
    unsafe fn load<const COUNT: usize>(at: *const u8) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let first = load_number(at);
            _mm256_set_m128d(if COUNT == 1 { first } else { load_number(at.add(16)) }, first)
        }
    }

    #[inline(always)]
    unsafe fn plus(self, factor: f64, numbers: Self) -> Self {
        // SAFETY: the caller's contract.
        unsafe { _mm256_fmadd_pd(_mm256_set1_pd(factor), numbers, self) }
    }

    #[inline(always)]
    unsafe fn joined(self, other: Self) -> Self {
        // SAFETY: the caller's contract.
        unsafe { _mm256_addsub_pd(self, _mm256_permute_pd::<0b0101>(other)) }
    }

    #[inline(always)]
    unsafe fn noting(self, numbers: Self) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let exponents = _mm256_set1_epi64x(EXPONENT);
            let found = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_castpd_si256(numbers), exponents), exponents);
            _mm256_or_pd(self, _mm256_castsi256_pd(found))
        }
    }

    #[inline(always)]
    unsafe fn is_noted(self) -> bool {
        // SAFETY: the caller's contract.
        unsafe { _mm256_movemask_pd(self) != 0 }
    }

    #[inline(always)]
    unsafe fn store<const COUNT: usize>(self, to: *mut Number) {
        // SAFETY: the caller's contract.
        unsafe {
            if COUNT == 1 {
                _mm_storeu_pd(to.cast(), _mm256_castpd256_pd128(self));
            } else {
                _mm256_storeu_pd(to.cast(), self);
            }
        }
    }
}

/// One number. The code generator has stored it so, if it was stored just now: a wider load, which the compiler would make of two, then waits
/// until all is in the cache.
///
/// # Safety
/// It lies there; the processor has AVX.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn load_number(at: *const u8) -> __m128d {
    let number;
    // SAFETY: the caller's contract.
    unsafe {
        std::arch::asm!(
            "vmovupd {}, xmmword ptr [{}]", out(xmm_reg) number, in(reg) at,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    number
}

/// The exponent's bits, which are all set in what is not finite. A comparison of numbers would raise exceptions.
#[cfg(target_arch = "x86_64")]
const EXPONENT: i64 = 0x7ff << 52;

/// Computes a tile.
type Tile = unsafe fn(*mut Number, *const u8, *const u8, &Extents) -> bool;

/// Rows that are computed at once, and columns, if there are as many.
const AT_ONCE: i64 = 4;

/// What computes tiles, by the numbers of rows and columns: as functions of their own they have all values in registers.
trait Tiles {
    const OF: [[Tile; 4]; 4];
}

impl<P: Part> Tiles for P {
    const OF: [[Tile; 4]; 4] = [
        [P::tile::<1, 1>, P::tile::<1, 2>, P::tile::<1, 3>, P::tile::<1, 4>],
        [P::tile::<2, 1>, P::tile::<2, 2>, P::tile::<2, 3>, P::tile::<2, 4>],
        [P::tile::<3, 1>, P::tile::<3, 2>, P::tile::<3, 3>, P::tile::<3, 4>],
        [P::tile::<4, 1>, P::tile::<4, 2>, P::tile::<4, 3>, P::tile::<4, 4>],
    ];
}

/// The product, as `complex_product` has it.
///
/// # Safety
/// As of `complex_product`; the processor has the instructions of `P`.
unsafe fn product<P: Part>(to: *mut Number, a: *const u8, b: *const u8, of: &Extents) -> u8 {
    let (mut row, mut has_non_finite) = (0, false);
    while row < of.rows {
        let rows = (of.rows - row).min(AT_ONCE);
        let mut column = 0;
        while column < of.columns {
            let columns = (of.columns - column).min(P::WIDTH);
            let compute = P::OF[rows as usize - 1][columns as usize - 1];
            // SAFETY: the caller's contract.
            unsafe {
                let to = to.offset((row * of.columns + column) as isize);
                let left = a.offset((row * of.left_row) as isize);
                has_non_finite |= compute(to, left, b.cast::<Number>().offset(column as isize).cast(), of);
            }
            column += P::WIDTH;
        }
        row += AT_ONCE;
    }
    has_non_finite.into()
}

/// The first `COLUMNS` columns of `ROWS` rows, which exist, and whether some of that is not finite.
///
/// # Safety
/// As of `product`. `COLUMNS` is at most `P::WIDTH`: the table has wider tiles, which `product` never calls.
#[inline(always)]
unsafe fn tile<P: Part, const ROWS: usize, const COLUMNS: usize>(
    to: *mut Number,
    a: *const u8,
    b: *const u8,
    of: &Extents,
) -> bool {
    let (mut by_real, mut by_imaginary) = ([P::ZERO; ROWS], [P::ZERO; ROWS]);
    let (mut left, mut right, mut noted) = (a, b, P::ZERO);
    // SAFETY: the caller's contract.
    unsafe {
        for _ in 0..of.inner {
            let numbers = P::load::<COLUMNS>(right);
            for row in 0..ROWS {
                let [real, imaginary] = *left.offset(row as isize * of.left_row as isize).cast::<Number>();
                by_real[row] = by_real[row].plus(real, numbers);
                by_imaginary[row] = by_imaginary[row].plus(imaginary, numbers);
            }
            left = left.offset(of.left_step as isize);
            right = right.offset(of.right_row as isize);
        }
        for row in 0..ROWS {
            let joined = by_real[row].joined(by_imaginary[row]);
            joined.store::<COLUMNS>(to.offset(row as isize * of.columns as isize));
            noted = noted.noting(joined);
        }
        noted.is_noted()
    }
}
