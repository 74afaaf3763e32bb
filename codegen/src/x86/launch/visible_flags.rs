//! Which results of a map show that an instruction raised a floating-point flag: they are not finite then.
//!
//! Every flag of a real function other than underflow comes with a number that is not finite: an overflow, a pole or an infinite quotient, or
//! NaN. So do those of sums and products of complex numbers; in their quotients and magnitudes, parts that are not finite may cancel out.
//! What is computed of such a number is mostly not finite either, but `1 / x`, `exp(x)` or a minimum may be.

use crate::{FpFlags, Fragment, Inst, Kernel, Op, OperandId, ValueId};
use smallvec::SmallVec;

/// The flags that results may show.
const VISIBLE: FpFlags = FpFlags(FpFlags::ALL.0 & !FpFlags::UNDERFLOW.0);

/// What an instruction computes from numbers of which some are not finite, and with which flags.
struct Propagation {
    /// The arguments that make the result not finite where they are not.
    from: SmallVec<[ValueId; 3]>,
    /// Whether the result is not finite where it raises a flag other than underflow.
    shows_flags: bool,
}

/// How many of the first arguments of an op on real numbers make its result not finite where they are not, and whether it shows flags.
fn of_real(op: Op) -> (usize, bool) {
    match op {
        Op::Add | Op::Subtract | Op::Multiply | Op::Hypot => (2, true),
        // A quotient by an infinite number is zero.
        Op::Divide | Op::Square | Op::Sqrt | Op::Deg2rad | Op::Radians | Op::Rad2deg | Op::Degrees => (1, true),
        Op::Reciprocal => (0, true),
        Op::Negative | Op::Positive | Op::Absolute | Op::Fabs | Op::Copysign => (1, false),
        Op::Floor | Op::Ceil | Op::Trunc | Op::Rint => (1, false),
        Op::Sin | Op::Cos | Op::Tan | Op::Arcsin | Op::Arccos | Op::Sinh | Op::Cosh | Op::Arcsinh => (1, true),
        Op::Log | Op::Log2 | Op::Log10 | Op::Log1p | Op::Arccosh | Op::Arctanh | Op::Cbrt => (1, true),
        op => (0, op.row().elementary),
    }
}

/// The same of complex numbers, which are not finite if a part is not.
fn of_complex(op: Op) -> (usize, bool) {
    match op {
        Op::Add | Op::Subtract | Op::Multiply => (2, true),
        Op::Square => (1, true),
        Op::Negative | Op::Positive | Op::Conjugate => (1, false),
        _ => (0, false),
    }
}

/// The propagation of an instruction.
fn propagation(fragment: &Fragment, at: usize) -> Propagation {
    let (inst, dtype) = (&fragment.insts[at], fragment.types[at]);
    let arguments = Fragment::arguments(inst);
    let all = |is: fn(crate::DType) -> bool| is(dtype) && arguments.iter().all(|&v| is(fragment.dtype(v)));
    let (is_real, is_complex) = (all(|d| d.is_float() && d.size() >= 4), all(|d| d.is_complex()));
    let (count, shows_flags) = match inst {
        Inst::Complex(_) => (2, false),
        Inst::Fma(_) if is_real => (3, true),
        Inst::Cast(..) if is_real || is_complex => (1, true),
        Inst::Apply(op, _) if is_real => of_real(*op),
        Inst::Apply(op, _) if is_complex => of_complex(*op),
        _ => (0, false),
    };
    Propagation { from: arguments.into_iter().take(count).collect(), shows_flags }
}

/// The operands whose stored values show every flag that a map may raise, other than underflow; none where a flag may come with finite
/// results. They are stored before any result that may overwrite an input is, or there.
pub(crate) fn telling_results(kernel: &Kernel) -> Option<SmallVec<[OperandId; 4]>> {
    let (fragment, insts) = (&kernel.body, &kernel.body.insts);
    let may_overwrite = |inst: &Inst| matches!(inst, Inst::Store(o, _) if !kernel.operands[o.0 as usize].restrict);
    let before = insts.iter().position(may_overwrite)?;
    let stored_to = |at: usize| {
        let operand = |inst: &Inst| match inst {
            Inst::Store(operand, value) if value.0 as usize == at => Some(*operand),
            _ => None,
        };
        if at < before { insts.iter().find_map(operand) } else { None }
    };
    let propagations: Vec<Propagation> = (0..insts.len()).map(|at| propagation(fragment, at)).collect();
    let raises = |at: usize| !(fragment.effects(at) & VISIBLE).is_empty();
    // By value: whether it is not finite where a flag was raised.
    let mut is_telling = vec![false; insts.len()];
    for at in 0..insts.len() {
        is_telling[at] = raises(at) || propagations[at].from.iter().any(|v| is_telling[v.0 as usize]);
    }
    // By value: whether a result is not finite where it is not.
    let mut is_seen = vec![false; insts.len()];
    let mut results = SmallVec::new();
    for at in (0..insts.len()).rev() {
        if let (false, true, Some(operand)) = (is_seen[at], is_telling[at], stored_to(at)) {
            is_seen[at] = true;
            results.push(operand);
        }
        if raises(at) && !(is_seen[at] && propagations[at].shows_flags) {
            return None;
        }
        if is_seen[at] {
            propagations[at].from.iter().for_each(|v| is_seen[v.0 as usize] = true);
        }
    }
    Some(results)
}
