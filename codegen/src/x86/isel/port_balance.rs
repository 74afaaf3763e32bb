//! Port balancing: sums that are computed by the ports of products, where those of sums have more to do.
//!
//! Zen 4 adds floats on two of its ports and multiplies them on the other two, and 512 bits take a port for two cycles. So a body of nine sums
//! and four products takes nine cycles a vector; with some of the sums as `a * 1 + b`, which has the same bits and raises the same flags, six and
//! a half. Fifteen sums of 20,000 doubles take 10.8 µs a call instead of 15.8, a polynomial of nine sums and three products 8.5 instead of 10.5.

use crate::x86::asm::level::Level;
use crate::x86::isel::body::Body;
use crate::{DType, Inst, Op, Primitive};

fn is_real(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64)
}

/// Cycles for which an instruction keeps the ports of sums, and those of products, busy with a vector.
fn port_cycles(body: &Body<'_>, at: usize) -> [usize; 2] {
    let (dtype, is_float) = (body.fragment.types[at], is_real(body.fragment.types[at]));
    let double = dtype == DType::F64;
    match &body.fragment.insts[at] {
        Inst::Fma(_) => [0, 1],
        Inst::Select(_) if body.extreme(at).is_some() => [1, 0],
        Inst::Cast(..) => [1, 0],
        Inst::Step(Primitive::Scale | Primitive::Fraction, _) => [2, 0],
        Inst::Step(Primitive::Bound | Primitive::Exponent | Primitive::Mantissa, _) => [1, 0],
        Inst::Step(Primitive::Limit | Primitive::LogLimit | Primitive::Unusual, _) => [0, 1],
        Inst::Apply(Op::Add | Op::Subtract | Op::Rint | Op::Floor | Op::Ceil | Op::Trunc, _) if is_float => [1, 0],
        Inst::Apply(Op::Multiply | Op::Square, _) if is_float => [0, 1],
        // The divider keeps a port of products busy for a third of its time.
        Inst::Apply(Op::Divide | Op::Reciprocal, _) if is_float => [0, if double { 3 } else { 2 }],
        Inst::Apply(Op::Sqrt, _) if body.is_by_newton(at) => [2, if double { 11 } else { 8 }],
        Inst::Apply(Op::Sqrt, _) => [0, 2],
        Inst::Apply(Op::LeftShift | Op::RightShift, _) => [1, 0],
        Inst::Apply(Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual, _) => [0, 1],
        _ => [0, 0],
    }
}

/// By instruction: whether it is a sum that the ports of products compute; empty where none is.
pub(crate) fn balanced(body: &Body<'_>) -> Vec<bool> {
    if body.level != Level::Avx512 || !body.processor.has_adders_apart {
        return vec![];
    }
    let count = body.fragment.insts.len();
    let live = || (0..count).filter(|&at| body.is_live(at));
    let is_sum = |at: usize| {
        let is_one = matches!(body.fragment.insts[at], Inst::Apply(Op::Add | Op::Subtract, [a, b]) if a != b);
        is_one && is_real(body.fragment.types[at])
    };
    let [sums, products] = live().map(|at| port_cycles(body, at)).fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
    let all = live().filter(|&at| is_sum(at)).count();
    let moved = (sums.saturating_sub(products) / 2).min(all);
    if moved == 0 {
        return vec![];
    }
    let mut by_products = vec![false; count];
    for (number, at) in live().filter(|&at| is_sum(at)).enumerate() {
        by_products[at] = (number + 1) * moved / all > number * moved / all;
    }
    by_products
}
