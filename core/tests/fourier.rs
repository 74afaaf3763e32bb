//! Fourier transforms: every width of vectors that the processor has gives what single numbers give, and these what the definition says.

use fastnp::white_box::fourier::{
    ComplexLanes, ComplexNumber, DenseNumbers, DenseReal, Endpoints, Lanes, Passes, Roots, Split, from_packed,
    half_twiddles, root, to_packed, widths,
};
#[cfg(target_arch = "x86_64")]
use fastnp::white_box::fourier::{Lanes4, Lanes8};

/// A test of vectors.
trait OfWidth {
    fn test<V: Lanes>();
}

/// Runs a test for single numbers and for each width.
fn for_widths<T: OfWidth>() {
    T::test::<f64>();
    #[cfg(target_arch = "x86_64")]
    {
        if widths().contains(&Lanes4::COUNT) {
            T::test::<Lanes4>();
        }
        if widths().contains(&Lanes8::COUNT) {
            T::test::<Lanes8>();
        }
    }
}

/// Numbers without a pattern, between -1 and 1.
fn numbers(n: usize) -> Vec<ComplexNumber> {
    let part = |i: usize| (i as f64 * 0.754_877_666).fract() * 2.0 - 1.0;
    (0..n).map(|i| ComplexLanes { re: part(2 * i + 1), im: part(2 * i * i + 7) }).collect()
}

/// The discrete Fourier transform by its definition.
fn by_definition(x: &[ComplexNumber]) -> Vec<ComplexNumber> {
    let n = x.len();
    let zero = ComplexLanes { re: 0.0, im: 0.0 };
    (0..n).map(|k| (0..n).fold(zero, |sum, j| sum + x[j] * root(j * k % n, n))).collect()
}

#[track_caller]
fn assert_near(got: ComplexNumber, want: ComplexNumber, bound: f64, what: &str) {
    let error = (got.re - want.re).abs().max((got.im - want.im).abs());
    assert!(error <= bound, "{what}: {} {} instead of {} {}", got.re, got.im, want.re, want.im);
}

/// Memory for so many complex numbers, aligned for every width.
fn memory(n: usize) -> Vec<[ComplexLanes<f64>; 4]> {
    vec![[ComplexLanes { re: 0.0, im: 0.0 }; 4]; n.div_ceil(4) + 1]
}

fn aligned<V>(memory: &mut [[ComplexLanes<f64>; 4]]) -> *mut ComplexLanes<V> {
    let start = memory.as_mut_ptr().cast::<u8>();
    start.wrapping_add(start.align_offset(64)).cast()
}

#[test]
fn vectors_are_moved_as_their_lanes() {
    struct MovedLanes;
    impl OfWidth for MovedLanes {
        fn test<V: Lanes>() {
            let n = V::COUNT;
            let given: Vec<f64> = (0..n * n.max(2)).map(|i| i as f64 + 0.5).collect();
            let single: Vec<f32> = given.iter().map(|&x| x as f32).collect();
            let lanes = |x: V| {
                let mut out = vec![0.0; n];
                // SAFETY: there is room for the lanes.
                unsafe { x.write(out.as_mut_ptr()) };
                out
            };
            // SAFETY: all indices are within the numbers; the processor has the instructions.
            unsafe {
                V::run(|| {
                    let (a, b) = (V::read(given.as_ptr()), V::read(given.as_ptr().add(n)));
                    assert_eq!(lanes(V::read_single(single.as_ptr().add(n))), lanes(b));
                    let mut rounded = vec![0.0_f32; n];
                    b.write_single(rounded.as_mut_ptr());
                    assert_eq!(rounded, single[n..2 * n]);
                    assert_eq!(lanes(a.reversed()), given[..n].iter().rev().copied().collect::<Vec<_>>());
                    let (re, im) = V::deinterleave(a, b);
                    assert_eq!(lanes(re), given[..2 * n].iter().step_by(2).copied().collect::<Vec<_>>());
                    assert_eq!(lanes(im), given[1..2 * n].iter().step_by(2).copied().collect::<Vec<_>>());
                    let (c, d) = V::interleave(re, im);
                    assert_eq!((lanes(c), lanes(d)), (lanes(a), lanes(b)));
                    let mut rows: Vec<V> = (0..n).map(|i| V::read(given.as_ptr().add(i * n))).collect();
                    V::transpose(rows.as_mut_ptr());
                    for (j, &row) in rows.iter().enumerate() {
                        assert_eq!(lanes(row), (0..n).map(|i| given[i * n + j]).collect::<Vec<_>>());
                    }
                    assert_eq!(lanes(a.mul_add(b, V::splat(1.0)))[n - 1], given[n - 1] * given[2 * n - 1] + 1.0);
                    assert_eq!(lanes(a.mul_sub(b, V::splat(1.0)))[n - 1], given[n - 1] * given[2 * n - 1] - 1.0);
                    assert_eq!(lanes(a + b)[n - 1], given[n - 1] + given[2 * n - 1]);
                    assert_eq!(lanes(a - b)[n - 1], given[n - 1] - given[2 * n - 1]);
                    assert_eq!(lanes(a * b)[n - 1], given[n - 1] * given[2 * n - 1]);
                });
            }
        }
    }
    for_widths::<MovedLanes>();
}

#[test]
fn passes_transform_each_lane() {
    struct TransformedLanes;
    impl OfWidth for TransformedLanes {
        fn test<V: Lanes>() {
            for n in [1, 2, 3, 4, 5, 7, 8, 11, 13, 17, 31, 24, 60, 64, 105, 128, 187] {
                let passes = Passes::new(n).unwrap();
                let given: Vec<Vec<_>> = (0..V::COUNT).map(|l| numbers(n + l).split_off(l)).collect();
                let mut room = memory(2 * n * V::COUNT);
                let data = aligned::<V>(&mut room);
                let number = |numbers: *mut ComplexLanes<V>, i: usize, l: usize| {
                    // SAFETY: there are as many vectors as numbers, and as many lanes as transforms.
                    unsafe {
                        let x = numbers.add(i);
                        ((&raw mut (*x).re).cast::<f64>().add(l), (&raw mut (*x).im).cast::<f64>().add(l))
                    }
                };
                for (l, line) in given.iter().enumerate() {
                    for (i, &x) in line.iter().enumerate() {
                        let (re, im) = number(data, i, l);
                        // SAFETY: as above.
                        unsafe { (*re, *im) = (x.re, x.im) };
                    }
                }
                // SAFETY: both buffers have room, and do not overlap.
                let done = unsafe { passes.run(data, data.add(n)) };
                for (l, line) in given.iter().enumerate() {
                    for (i, &want) in by_definition(line).iter().enumerate() {
                        let (re, im) = number(done, i, l);
                        // SAFETY: as above.
                        let got = unsafe { ComplexLanes { re: *re, im: *im } };
                        assert_near(got, want, 1e-12, &format!("number {i} of {n} in lane {l}"));
                    }
                }
            }
        }
    }
    for_widths::<TransformedLanes>();
}

#[test]
fn split_transforms_read_and_write_both_precisions() {
    struct SplitPrecisions;
    impl OfWidth for SplitPrecisions {
        fn test<V: Lanes>() {
            for (height, n) in [(4, 32), (6, 60), (8, 64), (7, 105), (20, 400), (25, 675)] {
                let split = Split::with_lanes(n, height, V::COUNT).unwrap();
                let given = numbers(n);
                let want = by_definition(&given);
                let mut room = memory(split.room(1));
                for is_single in [false, true] {
                    let mut single: Vec<f32> = given.iter().flat_map(|x| [x.re as f32, x.im as f32]).collect();
                    let mut double = given.clone();
                    let start = if is_single { single.as_mut_ptr().cast() } else { double.as_mut_ptr().cast::<u8>() };
                    let numbers = DenseNumbers { start, is_single, swaps: false, is_real: false };
                    let ends = Endpoints { from: numbers, to: numbers, written: n, factor: 2.0 };
                    // SAFETY: the result overwrites the numbers, which may be; the scratch memory is as long as it says.
                    unsafe { split.run::<V>(ends, aligned(&mut room), None) };
                    for i in 0..n {
                        let pair = ComplexLanes { re: f64::from(single[2 * i]), im: f64::from(single[2 * i + 1]) };
                        let got = if is_single { pair } else { double[i] };
                        let bound = if is_single { 2e-5 } else { 1e-11 };
                        assert_near(got, want[i].scaled(2.0), bound, &format!("number {i} of {n}"));
                    }
                }
            }
        }
    }
    for_widths::<SplitPrecisions>();
}

#[test]
fn split_transforms_read_real_numbers_and_write_the_first_results() {
    struct SplitReal;
    impl OfWidth for SplitReal {
        fn test<V: Lanes>() {
            for (height, n) in [(4, 32), (7, 105), (25, 675), (27, 2187)] {
                let split = Split::with_lanes(n, height, V::COUNT).unwrap();
                let given: Vec<ComplexNumber> = numbers(n).iter().map(|x| ComplexLanes { re: x.re, im: 0.0 }).collect();
                let want = by_definition(&given);
                let mut room = memory(split.room(1));
                for is_single in [false, true] {
                    let single: Vec<f32> = given.iter().map(|x| x.re as f32).collect();
                    let double: Vec<f64> = given.iter().map(|x| x.re).collect();
                    let start = if is_single { single.as_ptr().cast::<u8>() } else { double.as_ptr().cast() };
                    let from = DenseNumbers { start: start.cast_mut(), is_single, swaps: false, is_real: true };
                    for written in [1, n / 2 + 1, n] {
                        // Only the first results have room.
                        let mut got = vec![ComplexLanes { re: 0.0, im: 0.0 }; written];
                        let to = DenseNumbers::at(got.as_mut_ptr());
                        let ends = Endpoints { from, to, written, factor: 1.0 };
                        // SAFETY: the scratch memory is as long as it says.
                        unsafe { split.run::<V>(ends, aligned(&mut room), None) };
                        let bound = if is_single { 2e-4 } else { 1e-10 };
                        for (i, (&got, &want)) in got.iter().zip(&want).enumerate() {
                            assert_near(got, want, bound, &format!("number {i} of {n}"));
                        }
                        let mut parts = vec![0.0f64; written];
                        let to = DenseNumbers { start: parts.as_mut_ptr().cast(), is_real: true, ..to };
                        // SAFETY: as above.
                        unsafe { split.run::<V>(Endpoints { to, ..ends }, aligned(&mut room), None) };
                        assert!(parts.iter().zip(&got).all(|(re, got)| *re == got.re));
                    }
                }
            }
        }
    }
    for_widths::<SplitReal>();
}

#[test]
fn vectors_along_a_real_line_pack_as_single_numbers_do() {
    struct PackedLine;
    impl OfWidth for PackedLine {
        fn test<V: Lanes>() {
            for half in [1, 2, 3, 4, 9, 16, 17, 33, 50, 64, 101] {
                let (given, twiddles) = (numbers(half + 1), half_twiddles(2 * half));
                for packs in [false, true] {
                    let zero = ComplexLanes { re: 0.0, im: 0.0 };
                    let (mut want, mut got) = (vec![zero; half + 1], vec![zero; half + 1]);
                    let (from, to) = (DenseNumbers::at(given.as_ptr().cast_mut()), DenseNumbers::at(got.as_mut_ptr()));
                    let real = DenseReal { half, twiddles: &twiddles, packs, from, to };
                    // SAFETY: all have one number more than half of them.
                    unsafe {
                        if packs {
                            to_packed::<f64>(half, &twiddles, given.as_ptr(), want.as_mut_ptr());
                        } else {
                            from_packed::<f64>(half, &twiddles, given.as_ptr(), want.as_mut_ptr());
                        }
                        real.run(None);
                        real.pairs::<V>(1..1 + half / 2);
                    }
                    for (i, (&got, &want)) in got.iter().zip(&want).enumerate() {
                        assert_near(got, want, 1e-14, &format!("number {i} of {half}, packs {packs}"));
                    }
                }
            }
        }
    }
    for_widths::<PackedLine>();
}

#[test]
fn tables_have_the_bits_of_single_roots() {
    for n in [1, 2, 7, 8, 12, 16, 24, 40, 96, 1000, 1001, 1024] {
        let roots = Roots::new(n);
        for k in 0..=n {
            let (table, single) = (roots.at(k), root(k, n));
            assert_eq!(
                (table.re.to_bits(), table.im.to_bits()),
                (single.re.to_bits(), single.im.to_bits()),
                "{k} of {n}"
            );
        }
    }
}
