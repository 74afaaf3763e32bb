//! Vectors: each number of one is what the op gives of single numbers; and calls on rare paths, which keep all registers.

use std::fmt::Write as _;

use crate::run;
use fastnp_scalar::{ComplexProduct, complex_products};

const VALUES: [f64; 8] = [0.0, -0.0, 1.5, -3.25, 1e300, 5e-324, f64::INFINITY, f64::NAN];

/// The bits of `r = OP …` of numbers, and those of the same op of vectors of `count` such numbers.
fn both(op: &str, operands: usize, of: &str, vector: &str, count: usize) {
    let size = if of == "f64" { 8 } else { 4 };
    let mut text =
        format!("function f frame 4\nreg p: i64\nreg q: i64\nreg s: i64\nreg v: i64\nreg a: {of}\nreg b: {of}\n");
    write!(text, "reg x: {vector}\nreg y: {vector}\nblock entry:\np = get 0\nq = get 1\ns = get 2\nv = get 3\n")
        .unwrap();
    for i in 0..count {
        let at = i * size;
        write!(text, "a = load.{of} p, {at}\nb = load.{of} q, {at}\n").unwrap();
        text += if operands == 2 { "" } else { "b = copy a\n" };
        writeln!(text, "a = {op} a{}\nstore.{of} s, {at}, a", if operands == 2 { ", b" } else { "" }).unwrap();
    }
    write!(text, "x = load.{vector} p, 0\ny = load.{vector} q, 0\n").unwrap();
    write!(text, "x = {op} x{}\nstore.{vector} v, 0, x\nreturn 0\n", if operands == 2 { ", y" } else { "" }).unwrap();
    for a in VALUES {
        for b in VALUES {
            let (mut p, mut q) = ([0_u8; 16], [0_u8; 16]);
            for i in 0..count {
                let (a, b) = if i % 2 == 0 { (a, b) } else { (b, 2.0) };
                if size == 8 {
                    p[i * 8..][..8].copy_from_slice(&a.to_ne_bytes());
                    q[i * 8..][..8].copy_from_slice(&b.to_ne_bytes());
                } else {
                    p[i * 4..][..4].copy_from_slice(&(a as f32).to_ne_bytes());
                    q[i * 4..][..4].copy_from_slice(&(b as f32).to_ne_bytes());
                }
            }
            let (mut single, mut several) = ([0_u8; 16], [1_u8; 16]);
            let addresses =
                [p.as_ptr() as u64, q.as_ptr() as u64, single.as_mut_ptr() as u64, several.as_mut_ptr() as u64];
            run(&text, &mut addresses.clone());
            let number = |bytes: &[u8; 16], i: usize| match size {
                8 => f64::from_ne_bytes(bytes[i * 8..][..8].try_into().unwrap()),
                _ => f64::from(f32::from_ne_bytes(bytes[i * 4..][..4].try_into().unwrap())),
            };
            for i in 0..count {
                let (x, y) = (number(&single, i), number(&several, i));
                assert!(
                    x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()),
                    "{op} {a}, {b} in {vector}: {x}, {y}"
                );
            }
        }
    }
}

#[test]
fn arithmetic_of_vectors() {
    for (of, vector, count) in [("f64", "f64x2", 2), ("f32", "f32x4", 4)] {
        for op in ["fadd", "fsub", "fmul", "fdiv"] {
            both(op, 2, of, vector, count);
        }
        for op in ["sqrt", "fneg", "fabs"] {
            both(op, 1, of, vector, count);
        }
    }
}

#[test]
fn parts_of_vectors() {
    let text = "
function f frame 10
reg a: f64
reg b: f64
reg pair: f64x2
reg all: f64x2
block entry:
  a = get 0
  b = get 1
  pair = pair a, b
  a = low pair
  b = high pair
  put 0, b
  put 1, a
  all = splat b
  pair = fadd pair, all
  a = low pair
  b = high pair
  put 2, a
  put 3, b
  pair = swap pair
  a = low pair
  b = high pair
  put 4, a
  put 5, b
  all = fadd pair, pair
  all = lows pair, all
  a = high all
  put 6, a
  all = fadd pair, pair
  all = highs all, pair
  a = low all
  b = high all
  put 7, a
  put 8, b
  return 0
";
    let mut frame = [2.5_f64, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0].map(f64::to_bits);
    run(text, &mut frame);
    assert_eq!(frame.map(f64::from_bits), [4.0, 2.5, 6.5, 8.0, 8.0, 6.5, 16.0, 13.0, 6.5, 0.0]);
}

#[test]
fn floats_are_doubles_in_registers() {
    let text = "
function f frame 2
reg p: i64
reg q: i64
reg v: f64x2
block entry:
  p = get 0
  q = get 1
  v = load.f32x2 p, 4
  v = fadd v, v
  store.f64x2 q, 0, v
  store.f32x2 q, 20, v
  return 0
";
    let (floats, mut out) = ([9.0_f32, 1e30, -0.1, 9.0], [7.0_f32; 8]);
    run(text, &mut [floats.as_ptr() as u64, out.as_mut_ptr() as u64]);
    let double = |i: usize| f64::from_bits(u64::from(out[i].to_bits()) | u64::from(out[i + 1].to_bits()) << 32);
    assert_eq!([double(0), double(2)], [2.0 * f64::from(1e30_f32), 2.0 * f64::from(-0.1_f32)]);
    assert_eq!(out[4..], [7.0, 2e30, -0.2, 7.0]);
}

#[test]
fn calls_on_rare_paths_keep_registers() {
    // More values than the machine has registers, integers and floats, live across both calls in each turn.
    const COUNT: usize = 20;
    let words = 2 * COUNT + 2;
    let mut text = format!(
        "function f frame {words}\nreg n: i64\nreg one: i64\nreg s: i64\nreg more: i8\nreg stop: i8\nreg zero: i64\n"
    );
    for i in 0..COUNT {
        write!(text, "reg i{i}: i64\nreg x{i}: f64\n").unwrap();
    }
    text += "block entry:\nn = iconst 5\none = iconst 1\nzero = iconst 0\n";
    for i in 0..COUNT {
        write!(text, "i{i} = get {i}\nx{i} = get {}\n", COUNT + i).unwrap();
    }
    text += "jump turn\nblock turn:\n";
    for i in 0..COUNT {
        let next = (i + 1) % COUNT;
        write!(text, "i{i} = add i{i}, i{next}\nx{i} = fadd x{i}, x{next}\n").unwrap();
    }
    text += "s = call status()\nstop = call poll()\nn = sub n, one\nmore = icmp.gt n, zero\nbr more, turn, done\nblock done:\n";
    for i in 0..COUNT {
        write!(text, "put {i}, i{i}\nput {}, x{i}\n", COUNT + i).unwrap();
    }
    write!(text, "put {}, s\nput {}, stop\nreturn 0\n", words - 2, words - 1).unwrap();
    let mut frame: Vec<u64> = (0..COUNT as u64).collect();
    frame.extend((0..COUNT).map(|i| (i as f64).to_bits()));
    frame.extend([9, 9]);
    let (mut ints, mut floats) =
        ((0..COUNT as i64).collect::<Vec<_>>(), (0..COUNT).map(|i| i as f64).collect::<Vec<_>>());
    for _ in 0..5 {
        for i in 0..COUNT {
            ints[i] += ints[(i + 1) % COUNT];
            floats[i] += floats[(i + 1) % COUNT];
        }
    }
    run(&text, &mut frame);
    assert_eq!(frame[..COUNT], ints.iter().map(|&i| i as u64).collect::<Vec<_>>());
    assert_eq!(frame[COUNT..2 * COUNT], floats.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    assert_eq!(frame[2 * COUNT..], [0, 0]);
}

#[test]
fn inner_products_of_every_length() {
    let text = "
function f frame 6
reg p: i64
reg q: i64
reg n: i64
reg r: f64
block entry:
  p = get 0
  q = get 1
  n = get 2
  r = call inner_product(p, q, n)
  put 4, r
  p = get 3
  r = call inner_product_backwards(p, q, n)
  put 5, r
  return 0
";
    // Small multiples of a power of two: sums are exact in any order.
    let element = |i: usize| (i * 37 % 101) as f64 / 4.0 - 12.0;
    let a: Vec<f64> = (0..200).map(element).collect();
    let b: Vec<f64> = (0..200).map(|i| element(i + 5)).collect();
    for count in 0..130 {
        let (first, second, last) = (a[1..].as_ptr() as u64, b[2..].as_ptr() as u64, a[150..].as_ptr() as u64);
        let mut frame = [first, second, count as u64, last, 0, 0];
        run(text, &mut frame);
        let expected: f64 = (0..count).map(|i| a[1 + i] * b[2 + i]).sum();
        assert_eq!(f64::from_bits(frame[4]), expected, "{count}");
        let expected: f64 = (0..count).map(|i| a[150 - i] * b[2 + i]).sum();
        assert_eq!(f64::from_bits(frame[5]), expected, "{count} backwards");
    }
}

#[test]
fn complex_products_of_every_shape() {
    let text = "
function f frame 5
reg to: i64
reg a: i64
reg b: i64
reg words: i64
reg wild: i8
block entry:
  to = get 0
  a = get 1
  b = get 2
  words = get 3
  wild = call complex_product(to, a, b, words)
  put 4, wild
  return 0
";
    // Small multiples of a power of two: sums are exact in any order.
    let element = |i: usize| [(i * 37 % 101) as f64 / 4.0 - 12.0, (i * 53 % 89) as f64 / 2.0 - 20.0];
    let a: Vec<[f64; 2]> = (0..200).map(element).collect();
    let b: Vec<[f64; 2]> = (0..200).map(|i| element(i + 7)).collect();
    for (rows, inner, columns) in (0..270).map(|i| (i / 45, i / 9 % 5, i % 9)) {
        // Every second element of every row of twelve; rows of eleven.
        let words = [rows, inner, columns, 12 * 16, 2 * 16, 11 * 16].map(|word: usize| word as i64);
        let mut found = vec![[0.5; 2]; rows * columns + 1];
        let (to, words) = (found.as_mut_ptr() as u64, words.as_ptr() as u64);
        let mut frame = [to, a.as_ptr() as u64, b.as_ptr() as u64, words, 9];
        run(text, &mut frame);
        assert_eq!(frame[4], 0, "all numbers are finite");
        assert_eq!(found.pop(), Some([0.5; 2]), "{rows} {inner} {columns}: nothing is stored behind the product");
        let expected = (0..rows * columns).map(|i| {
            let terms = (0..inner).map(|k| (a[i / columns * 12 + 2 * k], b[11 * k + i % columns]));
            terms.fold([0.0; 2], |sum, (x, y)| [sum[0] + x[0] * y[0] - x[1] * y[1], sum[1] + x[0] * y[1] + x[1] * y[0]])
        });
        assert_eq!(found, expected.collect::<Vec<_>>(), "{rows} {inner} {columns}");
    }
    for (place, part) in [(0, f64::INFINITY), (12 + 2, f64::NAN), (24, 1e308)] {
        let mut a = a.clone();
        a[place][1] = part;
        let (words, mut found) = ([3_i64, 2, 5, 12 * 16, 2 * 16, 11 * 16], [[0.0; 2]; 15]);
        let (to, words) = (found.as_mut_ptr() as u64, words.as_ptr() as u64);
        let mut frame = [to, a.as_ptr() as u64, b.as_ptr() as u64, words, 9];
        run(text, &mut frame);
        assert_eq!(frame[4], 1, "{place}");
    }
}

#[test]
fn complex_products_at_every_level() {
    let a: Vec<[f64; 2]> = (0..80).map(|i| [f64::from(i % 7) - 2.0, f64::from(i % 5)]).collect();
    let b: Vec<[f64; 2]> = (0..80).map(|i| [f64::from(i % 3), f64::from(i % 11) - 5.0]).collect();
    let mut wild = b.clone();
    wild[0][1] = f64::NAN;
    for (rows, inner, columns) in (0..6 * 4 * 8_i64).map(|i| (i / 32, i / 8 % 4, i % 8)) {
        let words = [rows, inner, columns, 10 * 16, 2 * 16, 9 * 16];
        for (b, is_wild) in [(&b, 0), (&wild, u8::from(rows * inner * columns > 0))] {
            let computed = |by: &ComplexProduct| {
                let mut found = vec![[0.5; 2]; 50];
                let (to, words) = (found.as_mut_ptr() as i64, words.as_ptr() as i64);
                // SAFETY: at most 6 rows of 8 columns are stored, of 10 and 9 numbers in a row.
                assert_eq!(unsafe { by(to, a.as_ptr() as i64, b.as_ptr() as i64, words) }, is_wild);
                // Any number that is not finite is as good as another.
                found
                    .iter()
                    .map(|number| number.map(|x: f64| if x.is_finite() { x } else { f64::MAX }))
                    .collect::<Vec<_>>()
            };
            let found: Vec<_> = complex_products().iter().map(computed).collect();
            assert!(found.iter().all(|other| *other == found[0]), "{rows} {inner} {columns}: {found:?}");
        }
    }
}
