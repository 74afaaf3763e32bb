//! What PTX's arithmetic instructions compute, on the bits of registers, after NVIDIA's description of the instruction set.
//!
//! Approximations (`ex2.approx` and such) are those of the host: any function would do to compare a merged kernel with its parts.

use fastnp_codegen::white_box::ptx::module::width_of;
use fastnp_codegen::white_box::ptx::opcode::PtxOpcode;
use half::f16;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// Where addresses of the memory of a thread begin, among those that say themselves which memory they are in.
pub(super) const LOCAL: u64 = 1 << 60;

/// The result of an instruction, of the bits of its operands; `carry` is read and written.
pub(super) type Compute = Box<dyn Fn(&[u64], &mut bool) -> u64>;

fn bits_of(element: &str) -> u32 {
    8 * width_of(element)
}

/// The low bits.
pub(super) fn low(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// The low bits as a signed number.
fn signed(value: u64, bits: u32) -> i64 {
    ((value << (64 - bits)) as i64) >> (64 - bits)
}

/// An integer of a type.
fn integer(value: u64, element: &str) -> i128 {
    let bits = bits_of(element);
    if element.starts_with('s') { i128::from(signed(value, bits)) } else { i128::from(low(value, bits)) }
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn flushed(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

/// A number in double precision and what was lost of it, in single precision towards zero.
fn towards_zero(rounded: f64, lost: f64) -> f32 {
    let near = rounded as f32;
    let exceeds = f64::from(near).abs() > rounded.abs()
        || f64::from(near) == rounded && lost != 0.0 && (lost < 0.0) == (rounded > 0.0);
    if exceeds && near.is_finite() { f32::from_bits(near.to_bits() - 1) } else { near }
}

fn sum_towards_zero(a: f64, b: f64) -> f32 {
    let sum = a + b;
    let back = sum - a;
    towards_zero(sum, (a - (sum - back)) + (b - back))
}

/// The function of an instruction that neither accesses memory nor branches; none of one that is not known.
pub(super) fn compute(opcode: &PtxOpcode) -> Option<Compute> {
    let name = opcode.mnemonic.name;
    match name {
        "cvta" if opcode.has("local") && opcode.has("to") => return Some(Box::new(|x, _| x[0] & !LOCAL)),
        "cvta" if opcode.has("local") => return Some(Box::new(|x, _| x[0] | LOCAL)),
        "mov" | "cvta" => return Some(Box::new(|x, _| x[0])),
        "selp" => return Some(Box::new(|x, _| if x[2] & 1 == 1 { x[0] } else { x[1] })),
        "setp" => return setp(opcode),
        "cvt" => return cvt(opcode),
        "copysign" => return Some(copysign(opcode.element())),
        _ => {}
    }
    match (opcode.element(), opcode.is_float()) {
        ("f32", _) => singles(opcode),
        ("f64", _) => doubles(opcode),
        ("pred", _) => logic(name, 1),
        _ => logic(name, bits_of(opcode.element())).or_else(|| integers(opcode)),
    }
}

/// The second operand with the sign of the first.
fn copysign(element: &str) -> Compute {
    let sign = 1u64 << (bits_of(element) - 1);
    Box::new(move |x, _| x[1] & !sign | x[0] & sign)
}

fn logic(name: &str, bits: u32) -> Option<Compute> {
    Some(match name {
        "and" => Box::new(|x, _| x[0] & x[1]),
        "or" => Box::new(|x, _| x[0] | x[1]),
        "xor" => Box::new(|x, _| x[0] ^ x[1]),
        "not" => Box::new(move |x, _| low(!x[0], bits)),
        _ => return None,
    })
}

fn integers(opcode: &PtxOpcode) -> Option<Compute> {
    let (name, element) = (opcode.mnemonic.name, opcode.element());
    let bits = bits_of(element);
    let of = move |value| integer(value, element);
    // Products are of one width, its upper half, or twice the width.
    let (is_high, is_wide) = (opcode.has("hi"), opcode.has("wide"));
    let result_bits = if is_wide { 2 * bits } else { bits };
    let product = move |a: u64, b: u64| {
        let product = of(a).wrapping_mul(of(b));
        low((if is_high { product >> bits } else { product }) as u64, result_bits)
    };
    let (uses, leaves) = opcode.carry();
    let is_signed = element.starts_with('s');
    let sum = move |a: u64, b: u64, carry: &mut bool| {
        let sum = u128::from(low(a, result_bits)) + u128::from(low(b, result_bits)) + u128::from(uses && *carry);
        if leaves {
            *carry = sum >> result_bits != 0;
        }
        low(sum as u64, result_bits)
    };
    Some(match name {
        "add" | "addc" => Box::new(move |x, carry| sum(x[0], x[1], carry)),
        // A borrow is the opposite of the carry of the sum with the complement.
        "sub" | "subc" => Box::new(move |x, carry| {
            let difference = i128::from(low(x[0], bits)) - i128::from(low(x[1], bits)) - i128::from(uses && *carry);
            if leaves {
                *carry = difference < 0;
            }
            low(difference as u64, bits)
        }),
        "mul" => Box::new(move |x, _| product(x[0], x[1])),
        "mad" | "madc" => Box::new(move |x, carry| sum(product(x[0], x[1]), x[2], carry)),
        "div" => Box::new(move |x, _| match of(x[1]) {
            0 => low(u64::MAX, bits),
            b => low((of(x[0]) / b) as u64, bits),
        }),
        "rem" => Box::new(move |x, _| match of(x[1]) {
            0 => low(x[0], bits),
            b => low((of(x[0]) % b) as u64, bits),
        }),
        "neg" => Box::new(move |x, _| low(x[0].wrapping_neg(), bits)),
        "abs" => Box::new(move |x, _| low(of(x[0]).unsigned_abs() as u64, bits)),
        "min" => Box::new(move |x, _| low(of(x[0]).min(of(x[1])) as u64, bits)),
        "max" => Box::new(move |x, _| low(of(x[0]).max(of(x[1])) as u64, bits)),
        "shl" => Box::new(move |x, _| {
            let by = x[1] & 0xffff_ffff;
            if by >= u64::from(bits) { 0 } else { low(x[0] << by, bits) }
        }),
        "shr" if is_signed => Box::new(move |x, _| {
            let by = (x[1] & 0xffff_ffff).min(u64::from(bits) - 1);
            low((signed(x[0], bits) >> by) as u64, bits)
        }),
        "shr" => Box::new(move |x, _| {
            let by = x[1] & 0xffff_ffff;
            if by >= u64::from(bits) { 0 } else { low(x[0], bits) >> by }
        }),
        "shf" => funnel(opcode.has("l")),
        "popc" => Box::new(move |x, _| u64::from(low(x[0], bits).count_ones())),
        "clz" => Box::new(move |x, _| u64::from(low(x[0], bits).leading_zeros() + bits) - 64),
        "bfi" => Box::new(move |x, _| {
            let (at, length) = ((x[2] & 0xff) as u32, (x[3] & 0xff) as u32);
            let mask = if at >= bits { 0 } else { low(low(u64::MAX, length) << at, bits) };
            low(x[1] & !mask | if at >= bits { 0 } else { x[0] << at } & mask, bits)
        }),
        "bfe" => bfe(bits, is_signed),
        "prmt" => Box::new(|x, _| permute(x[0], x[1], x[2])),
        _ => return None,
    })
}

/// The upper or the lower word of two, shifted.
fn funnel(is_left: bool) -> Compute {
    Box::new(move |x, _| {
        let (both, by) = (low(x[1], 32) << 32 | low(x[0], 32), x[2] & 31);
        low(if is_left { both << by >> 32 } else { both >> by }, 32)
    })
}

fn bfe(bits: u32, is_signed: bool) -> Compute {
    Box::new(move |x, _| {
        let (at, length) = ((x[1] & 0xff) as u32, (x[2] & 0xff) as u32);
        if length == 0 {
            return 0;
        }
        let value = if is_signed { signed(x[0], bits) } else { low(x[0], bits) as i64 };
        let shifted = if at > 63 { if value < 0 { -1 } else { 0 } } else { value >> at };
        let kept = length.min(64);
        low(if is_signed { signed(shifted as u64, kept) as u64 } else { low(shifted as u64, kept) }, bits)
    })
}

/// Four bytes of eight: a digit of the selector names each, and whether its sign is repeated instead.
fn permute(a: u64, b: u64, selector: u64) -> u64 {
    let bytes = low(b, 32) << 32 | low(a, 32);
    (0..4).fold(0, |out, k| {
        let digit = selector >> (4 * k) & 0xf;
        let byte = bytes >> (8 * (digit & 7)) & 0xff;
        let byte = if digit & 8 == 0 {
            byte
        } else if byte & 0x80 == 0 {
            0
        } else {
            0xff
        };
        out | byte << (8 * k)
    })
}

fn doubles(opcode: &PtxOpcode) -> Option<Compute> {
    fn of(f: impl Fn(&[u64]) -> f64 + 'static) -> Option<Compute> {
        Some(Box::new(move |x, _| f(x).to_bits()))
    }
    match opcode.mnemonic.name {
        "add" => of(|x| double(x[0]) + double(x[1])),
        "sub" => of(|x| double(x[0]) - double(x[1])),
        "mul" => of(|x| double(x[0]) * double(x[1])),
        "div" => of(|x| double(x[0]) / double(x[1])),
        "fma" | "mad" => of(|x| double(x[0]).mul_add(double(x[1]), double(x[2]))),
        "sqrt" => of(|x| double(x[0]).sqrt()),
        // Approximations have the upper words of their results.
        "rcp" if opcode.has("approx") => Some(Box::new(|x, _| (1.0 / double(x[0])).to_bits() & !0xffff_ffff)),
        "rsqrt" => Some(Box::new(|x, _| (1.0 / double(x[0]).sqrt()).to_bits() & !0xffff_ffff)),
        "rcp" => of(|x| 1.0 / double(x[0])),
        "abs" => of(|x| double(x[0]).abs()),
        "neg" => of(|x| -double(x[0])),
        "min" => of(|x| least(double(x[0]), double(x[1]))),
        "max" => of(|x| -least(-double(x[0]), -double(x[1]))),
        _ => None,
    }
}

/// The smaller of two numbers: -0 is smaller than 0, and nan is no number.
fn least(a: f64, b: f64) -> f64 {
    if a.is_nan() || a == b && b.is_sign_negative() || b < a { b } else { a }
}

fn singles(opcode: &PtxOpcode) -> Option<Compute> {
    let (flushes, is_truncated) = (opcode.has("ftz"), opcode.has("rz"));
    let of = move |f: fn(&[f32]) -> f32| -> Option<Compute> {
        Some(Box::new(move |x, _| {
            let x: Vec<f32> = x.iter().map(|&x| if flushes { flushed(single(x)) } else { single(x) }).collect();
            let out = f(&x);
            u64::from((if flushes { flushed(out) } else { out }).to_bits())
        }))
    };
    match opcode.mnemonic.name {
        "add" if is_truncated => of(|x| sum_towards_zero(f64::from(x[0]), f64::from(x[1]))),
        "fma" if is_truncated => of(|x| sum_towards_zero(f64::from(x[0]) * f64::from(x[1]), f64::from(x[2]))),
        _ if is_truncated => None,
        "add" => of(|x| x[0] + x[1]),
        "sub" => of(|x| x[0] - x[1]),
        "mul" => of(|x| x[0] * x[1]),
        "div" => of(|x| x[0] / x[1]),
        "fma" | "mad" => of(|x| x[0].mul_add(x[1], x[2])),
        "sqrt" => of(|x| x[0].sqrt()),
        "rcp" => of(|x| 1.0 / x[0]),
        "rsqrt" => of(|x| (1.0 / f64::from(x[0]).sqrt()) as f32),
        "ex2" => of(|x| x[0].exp2()),
        "lg2" => of(|x| x[0].log2()),
        "abs" => of(|x| x[0].abs()),
        "neg" => of(|x| -x[0]),
        "min" => of(|x| least(f64::from(x[0]), f64::from(x[1])) as f32),
        "max" => of(|x| -least(-f64::from(x[0]), -f64::from(x[1])) as f32),
        _ => None,
    }
}

/// A comparison, combined with a predicate where there is one.
fn setp(opcode: &PtxOpcode) -> Option<Compute> {
    let element = opcode.element();
    let compare = opcode.modifiers[0];
    let holds: Box<dyn Fn(u64, u64) -> bool> = if opcode.is_float() {
        let of = move |bits: u64| if element == "f64" { double(bits) } else { f64::from(single(bits)) };
        // Comparisons with `u` hold of nan too.
        let test: fn(Option<Ordering>) -> bool = match compare {
            "eq" => |order| order == Some(Equal),
            "ne" => |order| matches!(order, Some(Less | Greater)),
            "lt" => |order| order == Some(Less),
            "le" => |order| matches!(order, Some(Less | Equal)),
            "gt" => |order| order == Some(Greater),
            "ge" => |order| matches!(order, Some(Greater | Equal)),
            "equ" => |order| matches!(order, None | Some(Equal)),
            "neu" => |order| order != Some(Equal),
            "ltu" => |order| matches!(order, None | Some(Less)),
            "leu" => |order| order != Some(Greater),
            "gtu" => |order| matches!(order, None | Some(Greater)),
            "geu" => |order| order != Some(Less),
            "num" => |order| order.is_some(),
            "nan" => |order| order.is_none(),
            _ => return None,
        };
        Box::new(move |a, b| test(of(a).partial_cmp(&of(b))))
    } else {
        let test: fn(i128, i128) -> bool = match compare {
            "eq" => |a, b| a == b,
            "ne" => |a, b| a != b,
            "lt" => |a, b| a < b,
            "le" => |a, b| a <= b,
            "gt" => |a, b| a > b,
            "ge" => |a, b| a >= b,
            _ => return None,
        };
        Box::new(move |a, b| test(integer(a, element), integer(b, element)))
    };
    let joined = opcode.modifiers.get(1).copied();
    Some(Box::new(move |x, _| {
        let found = holds(x[0], x[1]);
        let other = x.get(2).is_some_and(|x| x & 1 == 1);
        u64::from(match joined {
            Some("and") => found && other,
            Some("or") => found || other,
            Some("xor") => found != other,
            _ => found,
        })
    }))
}

/// A conversion: `cvt.rounding.to.from`.
fn cvt(opcode: &PtxOpcode) -> Option<Compute> {
    let [.., to, from] = opcode.modifiers[..] else { return None };
    let rounding = opcode.modifiers.iter().find(|m| m.starts_with('r')).copied().unwrap_or("rn");
    let whole = move |x: f64| match rounding {
        "rni" => x.round_ties_even(),
        "rmi" => x.floor(),
        "rpi" => x.ceil(),
        "rzi" => x.trunc(),
        _ => x,
    };
    let read = move |bits: u64| match from {
        "f64" => double(bits),
        "f32" => f64::from(single(bits)),
        _ => f16::from_bits(bits as u16).to_f64(),
    };
    let (width, is_signed) = (bits_of(to), to.starts_with('s'));
    let is_float = |element: &str| element.starts_with('f');
    Some(match (is_float(from), is_float(to)) {
        (true, true) => Box::new(move |x, _| {
            let value = whole(read(x[0]));
            match to {
                "f64" => value.to_bits(),
                "f32" => u64::from((value as f32).to_bits()),
                _ => u64::from(f16::from_f64(value).to_bits()),
            }
        }),
        (true, false) => Box::new(move |x, _| {
            let value = whole(read(x[0]));
            let most = 2f64.powi(width as i32 - i32::from(is_signed));
            // Out of range, the nearest number; nan is none, and becomes 0.
            let nearest = match value {
                _ if value.is_nan() => 0,
                _ if value >= most => (1i128 << (width - u32::from(is_signed))) - 1,
                _ if is_signed && value <= -most => -(1i128 << (width - 1)),
                _ if !is_signed && value < 0.0 => 0,
                _ => value as i128,
            };
            low(nearest as u64, width)
        }),
        (false, true) => Box::new(move |x, _| {
            let value = integer(x[0], from);
            match to {
                "f64" => (value as f64).to_bits(),
                "f32" => u64::from((value as f32).to_bits()),
                _ => u64::from(f16::from_f64(value as f64).to_bits()),
            }
        }),
        // A narrower result is extended to its register as its type says.
        (false, false) => Box::new(move |x, _| integer(integer(x[0], from) as u64, to) as u64),
    })
}
