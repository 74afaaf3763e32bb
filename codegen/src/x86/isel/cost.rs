//! Costs of a fragment's instructions: how many cycles a result takes, and how many instructions of the processor make it.
//!
//! They decide where a body is cut into slices ([`crate::x86::isel::slices`]), whether its parts are interleaved
//! ([`crate::x86::isel::interleave`]), and how roots are computed ([`crate::x86::isel::newton_sqrt`]), so they need be right within a third or so. Figures are
//! those of AMD's Zen 3, by the manufacturer's optimisation guide and Fog's tables; Intel's processors since Skylake differ by a cycle in
//! most of them. An instruction that is emitted as several counts the longest path through these.

use crate::x86::asm::level::Level;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{StrideKind, StrideKinds};
use crate::x86::predict::timing::Divider;
use crate::{DType, Inst, Kind, Op, Primitive};

/// The cost of an instruction of a fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cost {
    /// Cycles from its arguments to its result.
    pub(crate) latency: u32,
    /// Instructions of the processor.
    pub(crate) count: u32,
}

/// Instructions that the processor reorders. Chains of two took as long as 145 to 230 give by the formula of
/// [`crate::x86::isel::slices`]; the reorder buffer of Zen 3 has 256 entries, its schedulers of vector instructions 128.
pub(crate) const WINDOW: usize = 160;
/// Instructions a cycle of a body that waits for nothing: functions alone execute 2.3 to 3.5. Forty-two functions, chains and programs take
/// 0.942 times as long as with 2.2 (geometric mean, AVX2, Zen 3), with 3.0 0.947 times.
pub(crate) const PER_CYCLE: f64 = 3.5;

const fn cost(latency: u32, count: u32) -> Cost {
    Cost { latency, count }
}

/// No machine code.
pub(crate) const FREE: Cost = cost(0, 0);
/// A load that hits the first-level cache.
const LOAD: Cost = cost(7, 1);
/// An element that goes alone from memory to a lane, or back.
const LANE: u32 = 2;
const LANES_LATENCY: u32 = 14;
const LOGIC: Cost = cost(1, 1);
const ADD: Cost = cost(3, 1);
const FMA: Cost = cost(4, 1);
const ROUND: Cost = cost(3, 1);
const CONVERT: Cost = cost(7, 2);

/// The cost of an instruction.
pub(crate) fn of(body: &Body<'_>, kinds: &StrideKinds, at: usize) -> Cost {
    let dtype = body.fragment.types[at];
    let lanes = body.lanes as u32;
    let by_lane = cost(LANES_LATENCY, LANE * lanes);
    let access = |operand: usize| match kinds[operand] {
        StrideKind::Broadcast => FREE,
        StrideKind::Dense | StrideKind::NonTemporal => LOAD,
        StrideKind::Stride2 | StrideKind::Reversed | StrideKind::Strided => by_lane,
    };
    match &body.fragment.insts[at] {
        Inst::Param(_) | Inst::Const(_) | Inst::Complex(_) | Inst::Bits(..) => FREE,
        // Bodies with loops are not cut.
        Inst::Loop(_) | Inst::Exit(..) | Inst::Input(_) => FREE,
        Inst::Load(_) if dtype.is_complex() => FREE,
        Inst::Load(operand) | Inst::Store(operand, _) => access(operand.0 as usize),
        Inst::Part(value, _) => match body.fragment.insts[value.0 as usize] {
            Inst::Load(operand) => cost(LOAD.latency + 4, access(operand.0 as usize).count * 3),
            Inst::Gather(..) => by_lane,
            _ => FREE,
        },
        Inst::Gather(..) | Inst::Scatter(..) => by_lane,
        Inst::Index(_) => cost(5, 4),
        Inst::Result(_) => cost(4 * lanes, 3 * lanes),
        Inst::Fma(_) => FMA,
        Inst::Select(_) => LOGIC,
        Inst::Cast(..) => CONVERT,
        Inst::Step(step, _) if body.level == Level::Avx2 && body.is_in_exponential(at as u32) => in_exponential(*step),
        Inst::Step(step, _) => primitive(*step, body.level, dtype),
        Inst::Apply(Op::Sqrt, _) if body.is_by_newton(at) => newton_sqrt(dtype),
        Inst::Apply(op, [a, _]) => apply(*op, body.fragment.dtype(*a)),
    }
}

/// Cycles for which an instruction keeps the divider busy with a vector.
pub(crate) fn divider(body: &Body<'_>, at: usize) -> f64 {
    let Divider { division, root } = body.processor.divider;
    let of_type = |[single, double]: [f64; 2]| if body.fragment.types[at] == DType::F64 { double } else { single };
    match &body.fragment.insts[at] {
        Inst::Apply(Op::Sqrt, _) if body.is_by_newton(at) => 0.0,
        Inst::Apply(Op::Sqrt, _) => of_type(root),
        Inst::Apply(Op::Divide | Op::Reciprocal, _) => of_type(division),
        _ => 0.0,
    }
}

/// By Newton's method ([`crate::x86::isel::newton_sqrt`]).
fn newton_sqrt(dtype: DType) -> Cost {
    if dtype == DType::F64 { cost(34, 19) } else { cost(26, 15) }
}

fn apply(op: Op, dtype: DType) -> Cost {
    let wide = dtype.size() == 8;
    match (op, dtype.kind()) {
        (Op::Divide | Op::Reciprocal, _) => cost(if wide { 13 } else { 10 }, 1),
        (Op::Sqrt, _) => cost(if wide { 20 } else { 14 }, 1),
        (Op::Add | Op::Subtract | Op::Multiply | Op::Square, Kind::Float) => ADD,
        (Op::Rint | Op::Floor | Op::Ceil | Op::Trunc, Kind::Float) => ROUND,
        (Op::Maximum | Op::Minimum | Op::Fmax | Op::Fmin, Kind::Float) => cost(4, 4),
        (Op::Multiply | Op::Square, _) => cost(8, if wide { 8 } else { 1 }),
        _ => LOGIC,
    }
}

/// In the common range ([`crate::x86::isel::common_range`]).
fn in_exponential(step: Primitive) -> Cost {
    match step {
        Primitive::Bound => cost(1, 6),
        Primitive::Limit => cost(1, 2),
        _ => cost(10, 6),
    }
}

fn primitive(step: Primitive, level: Level, dtype: DType) -> Cost {
    if level == Level::Avx512 {
        return FMA;
    }
    match step {
        Primitive::Scale => cost(10, 9),
        Primitive::Bound => cost(4, 6),
        Primitive::Fraction => cost(12, 9),
        Primitive::Limit => cost(3, 5),
        Primitive::LogLimit => cost(4, 4),
        Primitive::Exponent => cost(5, 3),
        Primitive::Mantissa | Primitive::Unusual => cost(3, 3),
        // Indices of doubles go to general registers one by one, and single elements come back.
        Primitive::Entry(_) if matches!(dtype, DType::F64 | DType::U64 | DType::I64) => cost(17, 11),
        Primitive::Entry(_) => cost(9, 4),
    }
}
