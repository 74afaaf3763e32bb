//! Divisions by one number for all points, which machine code may do by its reciprocal: they must round, and raise flags, as divisions do.

use crate::portable::random::Random;
use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;

/// `x / d`, where d is a scalar, or the element of a row.
fn quotients(dtype: DType, in_rows: bool) -> Verified<Kernel> {
    let mut kernel = KernelBuilder::new(Template::Map, 1 + in_rows as u8, 0);
    let (from, to) = (kernel.operand(dtype, Access::Read, true), kernel.operand(dtype, Access::Write, true));
    let x = kernel.body().load(from);
    let d = if in_rows {
        let divisors = kernel.operand(dtype, Access::Read, true);
        kernel.body().load(divisors)
    } else {
        let divisor = kernel.scalar(dtype);
        kernel.body().param(divisor)
    };
    let quotient = kernel.body().apply(Op::Divide, &[x, d]);
    kernel.body().store(to, quotient);
    verify(kernel.finish()).expect("right")
}

fn run<T: Copy + Default>(program: &dyn Program, numbers: &[T], divisor: Scalar) -> (Vec<T>, RaisedFlags) {
    let (mut out, size) = (vec![T::default(); numbers.len()], size_of::<T>() as isize);
    let addresses = [numbers.as_ptr().cast_mut().cast(), out.as_mut_ptr().cast()];
    let (outer, strides) = ([numbers.len()], [size; 2]);
    let launch = Launch { outer: &outer, inner: &[], addresses: &addresses, strides: &strides, scalars: &[divisor] };
    // SAFETY: as many numbers, and quotients.
    let raised = unsafe { program.launch(&launch, &SingleThread) }.expect("the host's memory is there");
    (out, raised)
}

/// The dividends whose quotients by d are next to the middle between two numbers, or to a number.
fn hard_dividends(random: &mut Random, d: f64, count: usize) -> Vec<f64> {
    let divisor = u128::from(d.to_bits() & ((1 << 52) - 1) | 1 << 52);
    let mut found = vec![];
    for _ in 0..count {
        let quotient = u128::from(random.bits() >> 11 | 1 << 52);
        for twice in [2 * quotient, 2 * quotient + 1] {
            let product = twice * divisor;
            let bits = 128 - product.leading_zeros();
            let rounded = (product >> (bits - 53)) as u64;
            let number = (rounded & ((1 << 52) - 1)) | 1023 << 52;
            found.extend((0..3).map(|near| f64::from_bits(number + near - 1)));
        }
    }
    found
}

#[test]
fn quotients_by_one_number_are_rounded_right() {
    for x86 in X86::every_level() {
        let mut random = Random::new(5);
        let program = x86.compile(&quotients(DType::F64, false)).expect("there is machine code");
        for number in 0..200 {
            // Mantissas of ones, of one bit at an end, and any.
            let mantissa = match number {
                0..10 => (1 << 52) - 1 - number,
                10..20 => number - 10,
                _ => random.bits() >> 12,
            };
            let exponent = 1023 - 300 + random.below(600) as u64;
            let d = f64::from_bits(mantissa | exponent << 52 | (number & 1) << 63);
            let dividends = hard_dividends(&mut random, d, 1500);
            let (found, raised) = run(&*program, &dividends, Scalar::new(DType::F64, d));
            assert!(raised.is_empty(), "{raised:?}");
            for (x, quotient) in dividends.iter().zip(found) {
                assert_eq!(quotient.to_bits(), (x / d).to_bits(), "{x:e} / {d:e}");
            }
        }
        let program = x86.compile(&quotients(DType::F32, false)).expect("there is machine code");
        let dividends: Vec<f32> = (0x3F80_0000..0x4000_0000u32).step_by(37).map(f32::from_bits).collect();
        for number in 0..60 {
            let bits = if number < 8 { 0x7F_FFFF - number } else { random.below(1 << 23) as u32 };
            let d = f32::from_bits(bits | (90 + random.below(70) as u32) << 23);
            let (found, raised) = run(&*program, &dividends, Scalar::new(DType::F32, f64::from(d)));
            assert!(raised.is_empty(), "{raised:?}");
            for (x, quotient) in dividends.iter().zip(found) {
                assert_eq!(quotient.to_bits(), (x / d).to_bits(), "{x:e} / {d:e}");
            }
        }
    }
}

#[test]
fn quotients_of_any_numbers_are_those_of_the_portable_backend() {
    const SPECIAL: [f64; 14] = [
        0.0,
        -0.0,
        1.0,
        -3.0,
        1e-120,
        -1e120,
        1e-121,
        1e121,
        5e-324,
        1e-310,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    for x86 in X86::every_level() {
        let mut random = Random::new(6);
        for in_rows in [false, true] {
            let kernel = quotients(DType::F64, in_rows);
            let portable = Portable::new().compile(&kernel).expect("any kernel");
            let machine = x86.compile(&kernel).expect("there is machine code");
            for d in SPECIAL {
                for calm in [0, 1, 3, 20] {
                    let number = |r: &mut Random| match r.below(calm + 1) {
                        0 => SPECIAL[r.below(SPECIAL.len())],
                        _ => r.below(1000) as f64 - 500.0,
                    };
                    let numbers: Vec<f64> = (0..3000).map(|_| number(&mut random)).collect();
                    let divisors = [d, 3.0, d, -7.0];
                    let both = [&*portable, &*machine].map(|program| {
                        let mut out = vec![0.0; numbers.len()];
                        let mut addresses = vec![numbers.as_ptr().cast_mut().cast(), out.as_mut_ptr().cast()];
                        let (mut outer, mut strides, mut scalars) =
                            (vec![3000], vec![8, 8], vec![Scalar::new(DType::F64, d)]);
                        if in_rows {
                            addresses.push(divisors.as_ptr().cast_mut().cast());
                            (outer, strides, scalars) = (vec![4, 750], vec![6000, 8, 6000, 8, 8, 0], vec![]);
                        }
                        let launch = Launch {
                            outer: &outer,
                            inner: &[],
                            addresses: &addresses,
                            strides: &strides,
                            scalars: &scalars,
                        };
                        // SAFETY: as many numbers, and quotients.
                        let raised = unsafe { program.launch(&launch, &SingleThread) }.expect("memory is there");
                        (out.into_iter().map(f64::to_bits).collect::<Vec<u64>>(), raised)
                    });
                    assert_eq!(both[0], both[1], "by {d:e}, in rows {in_rows}, calm {calm}");
                }
            }
        }
    }
}
