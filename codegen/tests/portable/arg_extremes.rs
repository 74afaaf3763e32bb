//! The loops of `argmin` and `argmax` at every level of instructions: the first of the best, and the first nan before all.

use fastnp_codegen::white_box::{Isa, arg_loops};
use fastnp_codegen::{DType, Fold};
use num_complex::Complex;

/// An element, with NumPy's order of it.
trait Value: Copy {
    const DTYPE: DType;
    fn is_nan(self) -> bool;
    fn less(self, other: Self) -> bool;
}

macro_rules! values {
    ($($T:ty, $dtype:ident, $x:ident, $y:ident, $is_nan:expr, $less:expr;)*) => { $(impl Value for $T {
        const DTYPE: DType = DType::$dtype;
        fn is_nan(self) -> bool {
            let $x = self;
            $is_nan
        }
        fn less(self, $y: $T) -> bool {
            let $x = self;
            $less
        }
    })* };
}

values! {
    bool, Bool, _x, y, false, !_x & y;
    i8, I8, _x, y, false, _x < y;
    u16, U16, _x, y, false, _x < y;
    i32, I32, _x, y, false, _x < y;
    i64, I64, _x, y, false, _x < y;
    u64, U64, _x, y, false, _x < y;
    f32, F32, x, y, x.is_nan(), x < y;
    f64, F64, x, y, x.is_nan(), x < y;
    Complex<f32>, C64, x, y, x.re.is_nan() || x.im.is_nan(), x.re < y.re || (x.re == y.re && x.im < y.im);
    Complex<f64>, C128, x, y, x.re.is_nan() || x.im.is_nan(), x.re < y.re || (x.re == y.re && x.im < y.im);
}

/// The position of the best of a row, by its definition.
fn expected<T: Value>(row: &[T], is_max: bool) -> i64 {
    let beats = |x: T, best: T| !best.is_nan() && (x.is_nan() || if is_max { best.less(x) } else { x.less(best) });
    let later = |at: usize, i: usize| if beats(row[i], row[at]) { i } else { at };
    (1..row.len()).fold(0, later) as i64
}

/// Rows of values made of small random numbers, by every level and in both senses.
fn check<T: Value>(make: impl Fn(u64) -> T) {
    let mut state = 7u64;
    let mut random = |most: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % most
    };
    for n in (1..80).chain([127, 128, 255, 256, 257, 500, 1023, 1025, 2500, 9000, 20_000]) {
        // Few different values, many, and many with a rare one.
        for most in [3, 1000, 100_000] {
            let rows = 2;
            let values: Vec<T> = (0..rows * n).map(|_| make(random(most))).collect();
            for isa in Isa::available() {
                for fold in [Fold::ArgMin, Fold::ArgMax] {
                    let loops = arg_loops(fold, T::DTYPE, isa).unwrap();
                    let (mut at, mut best) = (vec![-1i64; rows], vec![values[0]; rows]);
                    let pitch = std::ptr::without_provenance(n * size_of::<T>());
                    // SAFETY: two rows of this many values, with this pitch, and room for two results.
                    unsafe {
                        let (to, beside) = (at.as_mut_ptr().cast(), best.as_mut_ptr().cast::<u8>());
                        (loops.rows)(to, values.as_ptr().cast(), beside, pitch, rows, n);
                    }
                    for (row, &at) in values.chunks(n).zip(&at) {
                        let wanted = expected(row, fold == Fold::ArgMax);
                        assert_eq!(at, wanted, "{fold:?} of {n} {} at {isa:?}", T::DTYPE);
                    }
                }
            }
        }
    }
}

#[test]
fn the_first_of_the_best() {
    check(|x| x % 1000 == 1);
    check(|x| x % 1000 != 1);
    check(|x| x as i8);
    check(|x| x as u16);
    check(|x| x as i32 - 50);
    check(|x| x as i64 - 50);
    check(|x| (x + 1) << 40);
}

#[test]
fn the_first_nan_before_all() {
    let odd = |x: u64| match x {
        99_000.. => f64::NAN,
        2 => -0.0,
        1 => 0.0,
        x => x as f64 - 500.0,
    };
    check(odd);
    check(|x| odd(x) as f32);
    check(|x| if x == 7 { f64::NAN } else { x as f64 });
    check(|x| Complex::new(odd(x), odd(x / 2)));
    check(|x| Complex::new(1.0f32, odd(x % 3) as f32));
}
