//! What the cuda backend computes against the portable backend, by stand-ins for NVIDIA's libraries and a GPU.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

mod cache;
mod graphs;
mod process;
mod ptx;
mod reciprocal;
mod runtime;
mod standin;
mod weaving;

use crate::kernels::{MANY, MANY_AXES, casts_of, many, map_of, ops_of, right};
use crate::portable::random::{Case, Random};
use fastnp_codegen::portable::Portable;
use fastnp_codegen::*;

/// `FASTNP_RANDOM_KERNELS` of them, from the seed `FASTNP_RANDOM_SEED` on: two thirds of them reductions or scans. They are compiled
/// as those of plans are, some together.
#[test]
fn random_kernels() {
    process::alone("cuda::random_kernels", &[], || {
        let number = |name, default| std::env::var(name).map_or(default, |n| n.parse().unwrap());
        let (first, count) = (number("FASTNP_RANDOM_SEED", 0), number("FASTNP_RANDOM_KERNELS", 90));
        let cases: Vec<(u64, Case)> = (first..first + count)
            .map(|seed| {
                let mut random = Random::with_functions(seed);
                let case = match seed % 3 {
                    0 => Case::reduce(&mut random),
                    1 => Case::scan(&mut random),
                    _ => Case::map(&mut random),
                };
                (seed, case)
            })
            .filter(|(_, case)| !has_complex_function(&case.kernel))
            .collect();
        let device = device("cuda").unwrap().unwrap();
        for some in cases.chunks(20) {
            let kernels: Vec<_> = some.iter().map(|(_, case)| verify(case.kernel.clone()).unwrap()).collect();
            let addresses: Vec<_> = some.iter().map(|(_, case)| case.addresses(std::ptr::null_mut())).collect();
            let launches: Vec<_> = (0..some.len()).map(|i| (&kernels[i], some[i].1.launch(&addresses[i]))).collect();
            device.prepare(&launches).unwrap();
            for ((seed, case), kernel) in some.iter().zip(&kernels) {
                let (expected, _) = case.run(&*Portable::new().compile(kernel).unwrap(), &SingleThread);
                let program = device.compile(kernel).unwrap();
                let found = case.run_on(&*device, &*program);
                if let Some(difference) = case.difference(&expected, &found) {
                    panic!("seed {seed}: {difference}\n{case:#?}\n{}", program.listing());
                }
            }
        }
    });
}

/// Whether there is a function of complex numbers for which the portable backend calls the C library: their bits are its own.
fn has_complex_function(kernel: &Kernel) -> bool {
    [&kernel.body, &kernel.epilogue].into_iter().any(|f| {
        let is = |inst: &Inst| matches!(inst, Inst::Apply(op, [a, _]) if f.dtype(*a).is_complex() && is_library(*op));
        f.insts.iter().any(is)
    })
}

/// Whether complex numbers are given to the C library for an op.
fn is_library(op: Op) -> bool {
    op.row().elementary || matches!(op, Op::Sqrt | Op::Sign)
}

/// Elements of a type: special ones, small ones, and any bits.
fn elements(r: &mut Random, dtype: DType, n: usize) -> Vec<u8> {
    let special =
        [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -1e30, 1e300, f64::INFINITY, -f64::INFINITY, f64::NAN, 5e-324, 1e-40];
    let part = dtype.real();
    let one = |r: &mut Random| match (part.kind(), r.below(4)) {
        (Kind::Bool, _) => Scalar::new(part, r.below(2) == 1),
        (Kind::Float, 0) => Scalar::new(part, r.one(&special)),
        (Kind::Float, 1 | 2) => Scalar::new(part, (r.below(4000) as f64 - 2000.0) / 256.0),
        (_, 1) => Scalar::new(part, r.below(200) as i64 - 100),
        // Not of complex numbers: sines of what is large lose more than the C library's.
        (Kind::Float, _) if dtype.is_complex() => Scalar::new(part, r.below(10) as f64),
        // No signalling nan: whether one is quieted first is the compiler's choice.
        _ => Some(Scalar::from_bits(part, u128::from(r.bits())))
            .filter(|x| !x.to_f64().is_nan())
            .unwrap_or(Scalar::new(part, 3i64)),
    };
    (0..n * (dtype.size() / part.size())).flat_map(|_| one(r).bytes()[..part.size()].to_vec()).collect()
}

/// The results of a map of one axis, one column for each that it writes: here, or on a device.
fn columns(kernel: &Verified<Kernel>, device: Option<&dyn Device>, inputs: &[Vec<u8>], n: usize) -> Vec<Vec<u8>> {
    let mut columns = inputs.to_vec();
    columns.extend(kernel.operands[inputs.len()..].iter().map(|operand| vec![0; n * operand.dtype.size() + 16]));
    let mut addresses: Vec<*mut u8> = columns.iter_mut().map(|c| c.as_mut_ptr()).collect();
    let strides: Vec<isize> = kernel.operands.iter().map(|o| o.dtype.size() as isize).collect();
    let program = device.map_or_else(|| Portable::new().compile(kernel), |device| device.compile(kernel)).unwrap();
    if let Some(device) = device {
        for (address, column) in addresses.iter_mut().zip(&columns) {
            *address = device.allocate(column.len()).unwrap();
            // SAFETY: just allocated.
            unsafe { device.upload(column.as_ptr(), *address, column.len()) }.unwrap();
        }
    }
    let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: all columns have `n` elements.
    unsafe { program.launch(&launch, &SingleThread) }.unwrap();
    if let Some(device) = device {
        for (address, column) in addresses.iter().zip(&mut columns) {
            // SAFETY: allocated with this size above.
            unsafe {
                device.download(*address, column.as_mut_ptr(), column.len()).unwrap();
                device.release(*address, column.len());
            }
        }
    }
    columns.split_off(inputs.len())
}

/// Whether the parts of an element are finite.
fn of_finite(dtype: DType, bytes: &[u8]) -> bool {
    let mut bits = [0; 16];
    bits[..bytes.len()].copy_from_slice(bytes);
    let value = Scalar::from_bits(dtype, u128::from_le_bytes(bits)).to_complex();
    value.re.is_finite() && value.im.is_finite()
}

/// Whether two numbers are so many units in the last place of the larger of two sizes apart, or both nan. Zeros of real types have
/// one sign.
fn are_near(dtype: DType, x: f64, y: f64, size: f64, units: f64) -> bool {
    let (unit, least) = match dtype {
        DType::F32 | DType::C64 => (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE)),
        _ => (f64::EPSILON, f64::MIN_POSITIVE),
    };
    if x == 0.0 && y == 0.0 && !dtype.is_complex() {
        return x.is_sign_negative() == y.is_sign_negative();
    }
    x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= units * unit * size.max(least)
}

#[test]
fn every_op_is_the_portable_backends() {
    process::alone("cuda::every_op_is_the_portable_backends", &[], || {
        let device = device("cuda").unwrap().unwrap();
        for dtype in DType::ALL.into_iter().filter(|&d| d != DType::F16) {
            every_op_of(dtype, &*device);
        }
    });
}

fn every_op_of(dtype: DType, device: &dyn Device) {
    let n = 3000;
    let mut random = Random::new(dtype as u64);
    let kernel = right(map_of(dtype, ops_of(dtype)));
    let inputs = [(); 2].map(|()| elements(&mut random, dtype, n));
    let expected = columns(&kernel, None, &inputs, n);
    let found = columns(&kernel, Some(device), &inputs, n);
    for (i, op) in ops_of(dtype).enumerate() {
        let result = op.result(dtype);
        let part = result.real();
        let size = part.size();
        let parts = result.size() / size;
        let number = |bytes: &[u8]| {
            let mut bits = [0; 16];
            bits[..size].copy_from_slice(bytes);
            Scalar::from_bits(part, u128::from_le_bytes(bits)).to_f64()
        };
        // Arguments of slow paths are given to the C library as they are here, and some in double precision there.
        let units = match (dtype.is_complex(), is_library(op)) {
            // An exponential of a product, whose rounding it magnifies.
            (true, true) if op == Op::Power => 1000.0,
            (true, true) => 32.0,
            (false, true) => 2.0,
            (_, false) => 0.0,
        };
        for at in 0..n {
            let of = |column: &[u8]| -> Vec<f64> {
                column[at * parts * size..][..parts * size].chunks(size).map(number).collect()
            };
            let (e, f) = (of(&expected[i]), of(&found[i]));
            // The C library's powers of what is not finite go through nans of its own.
            let is_finite = |column: &Vec<u8>| of_finite(dtype, &column[at * dtype.size()..][..dtype.size()]);
            if op == Op::Power && dtype.is_complex() && !inputs.iter().all(is_finite) {
                continue;
            }
            let scale = e.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            assert!(
                e.iter().zip(&f).all(|(&x, &y)| are_near(result, x, y, scale, units)),
                "{op} of {dtype}: expected {e:?}, found {f:?} of {:?}",
                inputs.each_ref().map(|c| &c[at * dtype.size()..][..dtype.size()])
            );
        }
    }
}

#[test]
fn every_cast_is_the_portable_backends() {
    process::alone("cuda::every_cast_is_the_portable_backends", &[], || {
        let device = device("cuda").unwrap().unwrap();
        DType::ALL.into_iter().for_each(|dtype| every_cast_of(dtype, &*device));
    });
}

fn every_cast_of(dtype: DType, device: &dyn Device) {
    let n = 1000;
    let mut random = Random::new(dtype as u64);
    let kernel = right(casts_of(dtype));
    let inputs = [elements(&mut random, dtype, n)];
    let expected = columns(&kernel, None, &inputs, n);
    let found = columns(&kernel, Some(device), &inputs, n);
    for (to, (e, f)) in DType::ALL.into_iter().zip(expected.iter().zip(&found)) {
        let size = to.size();
        for (at, (x, y)) in e.chunks(size).zip(f.chunks(size)).enumerate() {
            let is_nan = |bytes: &[u8]| {
                let mut bits = [0; 16];
                bits[..size].copy_from_slice(bytes);
                let value = Scalar::from_bits(to, u128::from_le_bytes(bits)).to_complex();
                value.re.is_nan() || value.im.is_nan()
            };
            assert!(x == y || (size > 1 && is_nan(x) && is_nan(y)), "{dtype} as {to}, element {at}: {x:?}, {y:?}");
        }
    }
}

#[test]
fn arguments_that_no_launch_passes_lie_in_memory() {
    process::alone("cuda::arguments_that_no_launch_passes_lie_in_memory", &[], || {
        let device = device("cuda").unwrap().unwrap();
        for template in [Template::Map, Template::Reduce, Template::Scan] {
            let kernel = right(many(template));
            let portable = Portable::new().compile(&kernel).unwrap();
            let program = device.compile(&kernel).unwrap();
            // The last axis is the fastest in memory, or the slowest.
            let rank = MANY_AXES as usize;
            for is_fastest in [true, false] {
                let mut extents = vec![1usize; rank];
                (extents[0], extents[rank / 2], extents[rank - 2], extents[rank - 1]) = (4, 2, 3, 700);
                let mut axes: Vec<usize> = (0..rank).rev().collect();
                if !is_fastest {
                    axes.rotate_left(1);
                }
                let mut strides = vec![0isize; rank * MANY];
                for (m, operand) in kernel.operands.iter().enumerate() {
                    let is_folded = template == Template::Reduce && m + 1 == MANY;
                    let mut distance = operand.dtype.size();
                    for &axis in axes.iter().filter(|&&axis| !is_folded || axis + 1 < rank) {
                        strides[rank * m + axis] = distance as isize;
                        distance *= extents[axis];
                    }
                }
                let points = extents.iter().product::<usize>();
                let columns: Vec<Vec<f64>> = (0..MANY)
                    .map(|m| {
                        (0..points * (1 + usize::from(m + 1 == MANY))).map(|i| ((i * 7 + m * 5) % 11) as f64).collect()
                    })
                    .collect();
                let scalars =
                    [Scalar::new(DType::F64, 0.5), Scalar::new(DType::I8, -3i64), Scalar::new(DType::C128, 2.0)];
                let (outer, inner) = extents.split_at(kernel.outer as usize);
                let run = |program: &dyn Program, addresses: &[*mut u8]| {
                    let launch = Launch { outer, inner, addresses, strides: &strides, scalars: &scalars };
                    // SAFETY: the columns have as many elements as there are points.
                    unsafe { program.launch(&launch, &SingleThread) }.unwrap();
                };
                let mut expected = columns.clone();
                run(&*portable, &expected.iter_mut().map(|c| c.as_mut_ptr().cast()).collect::<Vec<_>>());
                let addresses: Vec<*mut u8> = columns.iter().map(|c| device.allocate(8 * c.len()).unwrap()).collect();
                for (column, &address) in columns.iter().zip(&addresses) {
                    // SAFETY: just allocated.
                    unsafe { device.upload(column.as_ptr().cast(), address, 8 * column.len()) }.unwrap();
                }
                run(&*program, &addresses);
                let mut found = columns[MANY - 1].clone();
                // SAFETY: as above.
                unsafe { device.download(addresses[MANY - 1], found.as_mut_ptr().cast(), 8 * found.len()) }.unwrap();
                assert_eq!(found, expected[MANY - 1], "{template} {is_fastest}");
                for (column, &address) in columns.iter().zip(&addresses) {
                    // SAFETY: allocated above.
                    unsafe { device.release(address, 8 * column.len()) };
                }
            }
            assert!(program.listing().contains("Arguments *const __restrict__ given"));
        }
    });
}
