//! Each op against Rust's own arithmetic, on special values and all pairs of them.

use fastnp_scalar::{Program, compile};

const INTS: [i64; 14] =
    [0, 1, -1, 2, -2, 7, -7, 63, 64, 1 << 32, i64::MAX, i64::MIN, i64::MAX - 1, 0x0123_4567_89ab_cdef];

fn floats() -> Vec<f64> {
    let mut list =
        vec![0.0, 0.5, 1.0, 1.5, 2.5, 3.7, 1e-300, 1e300, 5e-324, 2.2e-308, f64::MAX, f64::INFINITY, 4.5e15, 9.3e18];
    list.extend(list.clone().iter().map(|x| -x));
    list.push(f64::NAN);
    list
}

/// A program `r = OP a, b` on frame words 0 to 2, result in word 3, and in word 4 for a second one.
fn program(op: &str, operands: &[&str], results: &[&str]) -> Program {
    let mut text = String::from("function op frame 5\n");
    for (i, of) in operands.iter().enumerate() {
        text += &format!("reg a{i}: {of}\n");
    }
    for (i, of) in results.iter().enumerate() {
        text += &format!("reg r{i}: {of}\n");
    }
    text += "block entry:\n";
    for i in 0..operands.len() {
        text += &format!("a{i} = get {i}\n");
    }
    let names = |letter: &str, n: usize| (0..n).map(|i| format!("{letter}{i}")).collect::<Vec<_>>().join(", ");
    text += &format!("{} = {op} {}\n", names("r", results.len()), names("a", operands.len()));
    for i in 0..results.len() {
        text += &format!("put {}, r{i}\n", i + 3);
    }
    text += "return 0\n";
    compile(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn run(program: &Program, operands: &[u64]) -> [u64; 2] {
    let mut frame = [0xdead_beef_dead_beef_u64; 5];
    frame[..operands.len()].copy_from_slice(operands);
    // SAFETY: the program touches its frame only.
    assert_eq!(unsafe { program.run(&mut frame) }, 0);
    [frame[3], frame[4]]
}

fn ints(op: &str, expected: impl Fn(i64, i64) -> Option<i64>) {
    let program = program(op, &["i64", "i64"], &["i64"]);
    for a in INTS {
        for b in INTS {
            if let Some(expected) = expected(a, b) {
                assert_eq!(run(&program, &[a as u64, b as u64])[0] as i64, expected, "{op} {a}, {b}");
            }
        }
    }
}

#[test]
fn integer_arithmetic() {
    ints("add", |a, b| Some(a.wrapping_add(b)));
    ints("sub", |a, b| Some(a.wrapping_sub(b)));
    ints("mul", |a, b| Some(a.wrapping_mul(b)));
    ints("and", |a, b| Some(a & b));
    ints("or", |a, b| Some(a | b));
    ints("xor", |a, b| Some(a ^ b));
    ints("shl", |a, b| Some(a.wrapping_shl(b as u32 & 63)));
    ints("sar", |a, b| Some(a.wrapping_shr(b as u32 & 63)));
    ints("shr", |a, b| Some((a as u64).wrapping_shr(b as u32 & 63) as i64));
    ints("div", i64::checked_div);
    ints("rem", i64::checked_rem);
    for (op, expected) in [("neg", i64::wrapping_neg as fn(i64) -> i64), ("not", |a| !a), ("copy", |a| a)] {
        let program = program(op, &["i64"], &["i64"]);
        for a in INTS {
            assert_eq!(run(&program, &[a as u64])[0] as i64, expected(a), "{op} {a}");
        }
    }
}

#[test]
fn integer_overflow() {
    type Overflowing = fn(i64, i64) -> (i64, bool);
    let ops: [(&str, Overflowing); 3] =
        [("addo", i64::overflowing_add), ("subo", i64::overflowing_sub), ("mulo", i64::overflowing_mul)];
    for (op, expected) in ops {
        let program = program(op, &["i64", "i64"], &["i64", "i8"]);
        for a in INTS {
            for b in INTS {
                let [value, overflow] = run(&program, &[a as u64, b as u64]);
                assert_eq!(
                    (value as i64, overflow),
                    {
                        let (v, o) = expected(a, b);
                        (v, u64::from(o))
                    },
                    "{op} {a}, {b}"
                );
            }
        }
    }
}

#[test]
fn comparisons() {
    type Compare = fn(i64, i64) -> bool;
    let ops: [(&str, Compare); 8] = [
        ("icmp.eq", |a, b| a == b),
        ("icmp.ne", |a, b| a != b),
        ("icmp.lt", |a, b| a < b),
        ("icmp.le", |a, b| a <= b),
        ("icmp.gt", |a, b| a > b),
        ("icmp.ge", |a, b| a >= b),
        ("icmp.ult", |a, b| (a as u64) < b as u64),
        ("icmp.ule", |a, b| a as u64 <= b as u64),
    ];
    for (op, expected) in ops {
        let program = program(op, &["i64", "i64"], &["i8"]);
        for a in INTS {
            for b in INTS {
                assert_eq!(run(&program, &[a as u64, b as u64])[0], u64::from(expected(a, b)), "{op} {a}, {b}");
            }
        }
    }
    type CompareFloats = fn(f64, f64) -> bool;
    let ops: [(&str, CompareFloats); 7] = [
        ("fcmp.eq", |a, b| a == b),
        ("fcmp.ne", |a, b| a != b),
        ("fcmp.lt", |a, b| a < b),
        ("fcmp.le", |a, b| a <= b),
        ("fcmp.gt", |a, b| a > b),
        ("fcmp.ge", |a, b| a >= b),
        ("fcmp.uno", |a, b| a.is_nan() || b.is_nan()),
    ];
    for (op, expected) in ops {
        let double = program(op, &["f64", "f64"], &["i8"]);
        let single = program(op, &["f32", "f32"], &["i8"]);
        for a in floats() {
            for b in floats() {
                let bits = [a.to_bits(), b.to_bits()];
                assert_eq!(run(&double, &bits)[0], u64::from(expected(a, b)), "{op} {a}, {b}");
                let (a, b) = (a as f32, b as f32);
                let bits = [u64::from(a.to_bits()), u64::from(b.to_bits())];
                assert_eq!(run(&single, &bits)[0], u64::from(expected(a.into(), b.into())), "{op} {a}, {b}");
            }
        }
    }
}

#[test]
fn finite_floats() {
    let (double, single) = (program("finite", &["f64"], &["i8"]), program("finite", &["f32"], &["i8"]));
    for x in floats().into_iter().chain([f64::from_bits(1), -f64::from_bits(1), f64::MAX, -f64::NAN]) {
        assert_eq!(run(&double, &[x.to_bits()])[0], u64::from(x.is_finite()), "{x}");
        let x = x as f32;
        assert_eq!(run(&single, &[u64::from(x.to_bits())])[0], u64::from(x.is_finite()), "{x}");
    }
}

#[test]
fn truth_values() {
    type Logic = fn(bool, bool) -> bool;
    let ops: [(&str, Logic); 5] = [
        ("and", |a, b| a & b),
        ("or", |a, b| a | b),
        ("xor", |a, b| a ^ b),
        ("icmp.eq", |a, b| a == b),
        ("icmp.ne", |a, b| a != b),
    ];
    for (op, expected) in ops {
        let program = program(op, &["i8", "i8"], &["i8"]);
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            assert_eq!(run(&program, &[a.into(), b.into()])[0], u64::from(expected(a, b)), "{op} {a}, {b}");
        }
    }
    // A word of the frame is true if any of its 64 bits is.
    for word in [0, 1, 1 << 40, u64::MAX] {
        let truth = u64::from(word != 0);
        assert_eq!(run(&program("copy", &["i8"], &["i8"]), &[word])[0], truth);
        assert_eq!(run(&program("not", &["i8"], &["i8"]), &[word])[0], 1 - truth);
        assert_eq!(run(&program("b2i", &["i8"], &["i64"]), &[word])[0], truth);
        for of in ["i64", "f64", "i8"] {
            let select = program("select", &["i8", of, of], &[of]);
            assert_eq!(run(&select, &[word, 1, 0])[0], truth);
        }
    }
}

fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == b {
        if a.is_sign_negative() { a } else { b }
    } else {
        a.min(b)
    }
}

/// NaN equals NaN of any sign and payload, everything else by its bits.
fn same(found: f64, expected: f64) -> bool {
    (found.is_nan() && expected.is_nan()) || found.to_bits() == expected.to_bits()
}

fn single(a: f64) -> u64 {
    u64::from((a as f32).to_bits())
}

fn from_single(word: u64) -> f64 {
    assert_eq!(word >> 32, 0, "the high half of a float's word");
    f32::from_bits(word as u32).into()
}

#[test]
fn floating_point_of_two() {
    type Both = (&'static str, fn(f64, f64) -> f64, fn(f32, f32) -> f32);
    let ops: [Both; 7] = [
        ("fadd", |a, b| a + b, |a, b| a + b),
        ("fsub", |a, b| a - b, |a, b| a - b),
        ("fmul", |a, b| a * b, |a, b| a * b),
        ("fdiv", |a, b| a / b, |a, b| a / b),
        ("copysign", f64::copysign, f32::copysign),
        ("fmin", minimum, |a, b| minimum(a.into(), b.into()) as f32),
        ("fmax", |a, b| -minimum(-a, -b), |a, b| -minimum((-a).into(), (-b).into()) as f32),
    ];
    for (op, of_doubles, of_singles) in ops {
        let on_doubles = program(op, &["f64", "f64"], &["f64"]);
        let on_singles = program(op, &["f32", "f32"], &["f32"]);
        for a in floats() {
            for b in floats() {
                let found = f64::from_bits(run(&on_doubles, &[a.to_bits(), b.to_bits()])[0]);
                assert!(same(found, of_doubles(a, b)), "{op} {a}, {b}: {found}");
                let found = from_single(run(&on_singles, &[single(a), single(b)])[0]);
                assert!(same(found, of_singles(a as f32, b as f32).into()), "{op} {a}, {b}: {found}");
            }
        }
    }
}

#[test]
fn floating_point_of_one() {
    type Both = (&'static str, fn(f64) -> f64, fn(f32) -> f32);
    let ops: [Both; 8] = [
        ("fneg", |a| -a, |a| -a),
        ("fabs", f64::abs, f32::abs),
        ("sqrt", f64::sqrt, f32::sqrt),
        ("floor", f64::floor, f32::floor),
        ("ceil", f64::ceil, f32::ceil),
        ("trunc", f64::trunc, f32::trunc),
        ("nearest", f64::round_ties_even, f32::round_ties_even),
        ("copy", |a| a, |a| a),
    ];
    for (op, of_double, of_single) in ops {
        let on_double = program(op, &["f64"], &["f64"]);
        let on_single = program(op, &["f32"], &["f32"]);
        for a in floats() {
            let found = f64::from_bits(run(&on_double, &[a.to_bits()])[0]);
            assert!(same(found, of_double(a)), "{op} {a}: {found}");
            let found = from_single(run(&on_single, &[single(a)])[0]);
            assert!(same(found, of_single(a as f32).into()), "{op} {a}: {found}");
        }
    }
}

#[test]
fn conversions() {
    for a in INTS {
        let word = [a as u64];
        assert_eq!(f64::from_bits(run(&program("i2f", &["i64"], &["f64"]), &word)[0]), a as f64);
        assert_eq!(from_single(run(&program("i2f", &["i64"], &["f32"]), &word)[0]), f64::from(a as f32));
        assert_eq!(run(&program("bits", &["i64"], &["f64"]), &word)[0], a as u64);
    }
    for a in floats() {
        let word = [a.to_bits()];
        assert_eq!(run(&program("f2i", &["f64"], &["i64"]), &word)[0] as i64, a as i64, "f2i {a}");
        assert_eq!(run(&program("f2i", &["f32"], &["i64"]), &[single(a)])[0] as i64, a as f32 as i64, "f2i {a}");
        assert!(same(from_single(run(&program("f2f", &["f64"], &["f32"]), &word)[0]), f64::from(a as f32)));
        let widened = f64::from_bits(run(&program("f2f", &["f32"], &["f64"]), &[single(a)])[0]);
        assert!(same(widened, f64::from(a as f32)));
        assert_eq!(run(&program("bits", &["f64"], &["i64"]), &word)[0], a.to_bits());
    }
}

#[test]
fn functions_are_the_c_librarys() {
    type OfOne = fn(f64) -> f64;
    let of_one: [(&str, OfOne); 20] = [
        ("exp", f64::exp),
        ("exp2", f64::exp2),
        ("expm1", f64::exp_m1),
        ("log", f64::ln),
        ("log10", f64::log10),
        ("log2", f64::log2),
        ("log1p", f64::ln_1p),
        ("sin", f64::sin),
        ("cos", f64::cos),
        ("tan", f64::tan),
        ("asin", f64::asin),
        ("acos", f64::acos),
        ("atan", f64::atan),
        ("sinh", f64::sinh),
        ("cosh", f64::cosh),
        ("tanh", f64::tanh),
        ("cbrt", f64::cbrt),
        ("expf", |a| f64::from((a as f32).exp())),
        ("logf", |a| f64::from((a as f32).ln())),
        ("tanhf", |a| f64::from((a as f32).tanh())),
    ];
    let values = [-700.0, -1.5, -0.25, 0.0, 1e-9, 0.3, 0.999, 2.0, 709.0];
    let call = |name: &str, of: &str, operands: &[u64]| {
        let names = ["a", "b"];
        let mut text = format!("function call frame 3\nreg r: {of}\n");
        for (i, name) in names.iter().enumerate() {
            text += &format!("reg {name}: {of}\n{}", if i == 1 { "block entry:\n" } else { "" });
        }
        text += &format!("a = get 0\nb = get 1\nr = call {name}({})\n", names[..operands.len()].join(", "));
        text += "put 2, r\nreturn 0\n";
        let mut frame = [0; 3];
        frame[..operands.len()].copy_from_slice(operands);
        crate::run(&text, &mut frame);
        frame[2]
    };
    for (name, expected) in of_one {
        for a in values {
            let found = if name.ends_with('f') && name != "erf" {
                from_single(call(name, "f32", &[single(a)]))
            } else {
                f64::from_bits(call(name, "f64", &[a.to_bits()]))
            };
            assert!(same(found, expected(a)), "{name}({a}): {found}, not {}", expected(a));
        }
    }
    type OfTwo = fn(f64, f64) -> f64;
    let of_two: [(&str, OfTwo); 4] =
        [("pow", f64::powf), ("atan2", f64::atan2), ("hypot", f64::hypot), ("fmod", |a, b| a % b)];
    for (name, expected) in of_two {
        for a in values {
            for b in values {
                let found = f64::from_bits(call(name, "f64", &[a.to_bits(), b.to_bits()]));
                assert!(same(found, expected(a, b)), "{name}({a}, {b}): {found}");
            }
        }
    }
}

#[test]
fn memory() {
    let bytes: [u8; 16] = [0xff, 0x80, 0x7f, 0x01, 0xfe, 0x83, 0xc0, 0x40, 0, 1, 2, 3, 4, 5, 0, 0x81];
    let word = |of: &str, at: usize| -> u64 {
        let take = |n: usize| {
            let mut low = [0; 8];
            low[..n].copy_from_slice(&bytes[at..at + n]);
            u64::from_le_bytes(low)
        };
        match of {
            "i8" => take(1) as i8 as i64 as u64,
            "u8" => take(1),
            "i16" => take(2) as i16 as i64 as u64,
            "u16" => take(2),
            "i32" => take(4) as i32 as i64 as u64,
            "u32" | "f32" => take(4),
            "b" => u64::from(take(1) != 0),
            _ => take(8),
        }
    };
    let accesses = [
        ("i8", "i64", 1),
        ("u8", "i64", 1),
        ("i16", "i64", 2),
        ("u16", "i64", 2),
        ("i32", "i64", 4),
        ("u32", "i64", 4),
        ("i64", "i64", 8),
        ("f32", "f32", 4),
        ("f64", "f64", 8),
        ("b", "i8", 1),
    ];
    for (access, of, size) in accesses {
        for at in 0..=8 {
            let text = format!(
                "function move frame 3\nreg p: i64\nreg q: i64\nreg r: {of}\nblock entry:\np = get 0\nq = get 1\n\
                 r = load.{access} p, {at}\nput 2, r\nstore.{access} q, {}, r\nreturn 0\n",
                -(at as i64)
            );
            let mut target = [0x55_u8; 24];
            let mut frame = [bytes.as_ptr() as u64, target.as_mut_ptr() as u64 + 8 + at as u64, 0];
            crate::run(&text, &mut frame);
            assert_eq!(frame[2], word(access, at), "load.{access} at {at}");
            let stored = if access == "b" { vec![u8::from(bytes[at] != 0)] } else { bytes[at..at + size].to_vec() };
            assert_eq!(target[8..8 + size], stored, "store.{access} at {at}");
            assert!(target[..8].iter().chain(&target[8 + size..]).all(|&b| b == 0x55), "store.{access} beyond");
        }
    }
}

/// A turn of a checksum's loop: what waits for the register waits for one instruction less. The mask is a register that is written before the
/// loop, and read where paths have joined.
#[test]
fn bits_are_masked_once() {
    let text = "
function f frame 3
reg x: i64
reg y: i64
reg n: i64
reg one: i64
reg zero: i64
reg p: i64
reg q: i64
reg more: i8
block entry:
  one = iconst 1
  zero = iconst 0
  x = get 0
  y = get 1
  n = get 2
  jump head
block head:
  more = icmp.gt n, zero
  br more, body, over
block body:
  n = sub n, one
  more = icmp.lt n, zero
  brcold more, ask, turn
block ask:
  more = call poll()
  brcold more, out, back
block back:
  jump turn
block out:
  return 1
block turn:
  p = and x, one
  q = and y, one
  p = xor p, q
  more = icmp.ne p, zero
  q = sar x, one
  p = xor q, y
  x = select more, p, q
  y = sar y, one
  jump head
block over:
  put 0, x
  return 0
";
    let mut frame = [0b1011_0110, 0b110_1011, 6];
    assert_eq!(crate::run(text, &mut frame), 0);
    let (mut x, mut y) = (0b1011_0110, 0b110_1011);
    for _ in 0..6 {
        (x, y) = (if (x ^ y) & 1 == 1 { x >> 1 ^ y } else { x >> 1 }, y >> 1);
    }
    assert_eq!(frame[0], x);
    let clif = fastnp_scalar::listing(text).unwrap().clif;
    assert_eq!(clif.matches("band").count(), 1, "{clif}");
}
