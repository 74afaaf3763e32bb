//! What a kernel's accumulators hold, as text: one value `Folded` of all of them, what joins two, and how threads do.

use super::form::Along;
use super::functions::filled;
use super::spell;
use crate::{Accumulator, DType, Fold, Kernel, Kind, Op, Scalar, Template};
use num_complex::Complex;

/// How an accumulator is held.
enum Held {
    /// As a value, from one that changes nothing.
    Value(Op, Scalar),
    /// As a value, once there is one: where nothing changes nothing.
    Some(Op),
    /// As a value and its position, the better value first.
    Place(Op),
}

fn held(fold: Fold, dtype: DType) -> Held {
    match fold {
        Fold::ArgMin => Held::Place(Op::Less),
        Fold::ArgMax => Held::Place(Op::Greater),
        // Infinity times 1 + 0i has a nan.
        Fold::Op(Op::Multiply) if dtype.is_complex() => Held::Some(Op::Multiply),
        Fold::Op(op) => Held::Value(op, neutral(op, dtype)),
    }
}

/// The value that changes nothing.
fn neutral(op: Op, dtype: DType) -> Scalar {
    let all = |x: f64| match dtype.is_complex() {
        true => Scalar::new(dtype, Complex::new(x, x)),
        false => Scalar::new(dtype, x),
    };
    let bits = 8 * dtype.size() as u32;
    let (least, most) = match dtype.kind() {
        Kind::Bool => (Scalar::new(dtype, false), Scalar::new(dtype, true)),
        Kind::Signed => (Scalar::from_bits(dtype, 1 << (bits - 1)), Scalar::from_bits(dtype, (1 << (bits - 1)) - 1)),
        Kind::Unsigned => (Scalar::zero(dtype), Scalar::from_bits(dtype, u128::MAX)),
        Kind::Float | Kind::Complex => (all(f64::NEG_INFINITY), all(f64::INFINITY)),
    };
    let is_inexact = matches!(dtype.kind(), Kind::Float | Kind::Complex);
    match op {
        Op::Fmin | Op::Fmax if is_inexact => all(f64::NAN),
        Op::Minimum | Op::Fmin => most,
        Op::Maximum | Op::Fmax => least,
        _ => op.row().identity.map_or(Scalar::zero(dtype), |value| Scalar::new(dtype, i64::from(value))),
    }
}

/// The types and functions of a kernel's folds.
pub(super) fn text(kernel: &Kernel, along: Along) -> String {
    let (mut members, mut nothing, mut join) = (String::new(), String::new(), String::new());
    for (n, a) in kernel.accumulators.iter().enumerate() {
        let dtype = kernel.body.dtype(a.value);
        let (name, a, b) = (dtype.ir_name(), format!("a.a{n}"), format!("b.a{n}"));
        let joined = |op: Op| filled(&spell::op(op, dtype), dtype, &[&a, &b]);
        members += &format!(" {name} a{n};");
        match held(kernel.accumulators[n].fold, dtype) {
            Held::Value(op, start) => {
                nothing += &format!("    f.a{n} = {};\n", spell::literal(start));
                join += &format!("    f.a{n} = {};\n", joined(op));
            }
            Held::Some(op) => {
                members += &format!(" bool p{n};");
                nothing +=
                    &format!("    f.a{n} = {};\n    f.p{n} = false;\n", spell::literal(Scalar::new(dtype, 1i64)));
                join += &format!(
                    "    f.a{n} = !a.p{n} ? {b} : !b.p{n} ? {a} : {};\n    f.p{n} = a.p{n} | b.p{n};\n",
                    joined(op)
                );
            }
            Held::Place(better) => {
                members += &format!(" i64 p{n};");
                nothing += &format!("    f.a{n} = {};\n    f.p{n} = -1;\n", spell::literal(Scalar::zero(dtype)));
                let is = |op: Op, x: &str, y: &str| filled(&spell::op(op, dtype), dtype, &[x, y]);
                join += &format!(
                    "    const bool m{n} = {}, n{n} = {}, e{n} = {};\n",
                    is(Op::Isnan, &a, &a),
                    is(Op::Isnan, &b, &b),
                    is(Op::Equal, &a, &b),
                );
                join += &format!("    const bool w{n} = {};\n", is(better, &a, &b));
                // Of two nans, and of two equals, the former; else a nan, or what is better.
                join += &format!(
                    "    const bool k{n} = b.p{n} < 0 || (a.p{n} >= 0 && (m{n} & n{n} || e{n} ? a.p{n} < b.p{n} : m{n} | n{n} ? m{n} : w{n}));\n    f.a{n} = k{n} ? {a} : {b};\n    f.p{n} = k{n} ? a.p{n} : b.p{n};\n"
                );
            }
        }
    }
    if kernel.accumulators.is_empty() {
        members += " u32 none;";
        nothing += "    f.none = 0;\n";
        join += "    f.none = a.none | b.none;\n";
    }
    let mut parts = vec![
        format!("// What points come to together.\ntypedef struct __align__(4) {{{members} }} Folded;"),
        format!("static __device__ Folded nothing(void) {{\n    Folded f;\n{nothing}    return f;\n}}"),
        format!(
            "static __device__ Folded join(const Folded a, const Folded b) {{\n    Folded f;\n{join}    return f;\n}}"
        ),
    ];
    let (reduces, is_inner) = (kernel.template == Template::Reduce, along == Along::Inner);
    let lanes = include_str!("text/lanes.cu").split_once("\n\n").expect("two functions");
    parts.extend(
        match (reduces, is_inner) {
            (true, true) => vec![lanes.0, include_str!("text/fold_inner.cu"), include_str!("text/parts.cu")],
            (true, false) => vec![include_str!("text/fold_outer.cu"), include_str!("text/parts.cu")],
            (false, true) => vec![lanes.1, include_str!("text/before.cu")],
            (false, false) => vec![],
        }
        .into_iter()
        .map(|text| text.trim_end().to_owned()),
    );
    parts.join("\n\n")
}

/// The statements that make `g` of a point's values, which is at a position.
pub(super) fn take(kernel: &Kernel, position: &str) -> Vec<String> {
    let mut lines = vec!["Folded g;".to_owned()];
    for (n, a) in kernel.accumulators.iter().enumerate() {
        lines.push(format!("g.a{n} = {};", super::fragment::name(&kernel.body, 'v', a.value)));
        match held(a.fold, kernel.body.dtype(a.value)) {
            Held::Value(..) => {}
            Held::Some(_) => lines.push(format!("g.p{n} = true;")),
            Held::Place(_) => lines.push(format!("g.p{n} = {position};")),
        }
    }
    if kernel.accumulators.is_empty() {
        lines.push("g.none = 0;".to_owned());
    }
    lines
}

/// An accumulator's result in `f`.
pub(super) fn result(kernel: &Kernel, n: u8) -> String {
    let a = &kernel.accumulators[n as usize];
    match held(a.fold, kernel.body.dtype(a.value)) {
        Held::Value(..) | Held::Some(_) => format!("f.a{n}"),
        Held::Place(_) => format!("f.p{n}"),
    }
}

/// Bytes of `Folded`.
pub(super) fn size(kernel: &Kernel) -> usize {
    let align = |a: &Accumulator| match held(a.fold, kernel.body.dtype(a.value)) {
        Held::Place(_) => 8,
        Held::Value(..) | Held::Some(_) => kernel.body.dtype(a.value).align(),
    };
    let mut end = 0usize;
    for a in &kernel.accumulators {
        let dtype = kernel.body.dtype(a.value);
        end = end.next_multiple_of(dtype.align()) + dtype.size();
        match held(a.fold, dtype) {
            Held::Value(..) => {}
            Held::Some(_) => end += 1,
            Held::Place(_) => end = end.next_multiple_of(8) + 8,
        }
    }
    end.max(4).next_multiple_of(kernel.accumulators.iter().map(align).max().unwrap_or(4).max(4))
}
