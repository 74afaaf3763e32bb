//! Complex arithmetic on split parts: every complex value of a fragment becomes two real ones.
//!
//! Loads, parameters and results of ops without a decomposition are split ([`Inst::Part`]); stored values and arguments of such ops are
//! joined ([`Inst::Complex`]); everything between is real arithmetic, by the formulas of [`crate::math::complex`].

use super::traced::{FloatWidth, Tape, Traced};
use super::{SlowPath, copy, division};
use crate::math::{Real, complex as math};
use crate::{ComplexPart, DType, Inst, Kernel, Op, Scalar, ValueId};

/// A value of the original fragment in the new one.
#[derive(Clone, Copy)]
pub(super) enum Rewritten {
    /// One value.
    Whole(ValueId),
    /// A complex value: its real and its imaginary part.
    Parts([ValueId; 2]),
}

impl Rewritten {
    /// The value, joined if it is split.
    pub(super) fn whole(self, tape: &Tape) -> ValueId {
        match self {
            Rewritten::Whole(v) => v,
            Rewritten::Parts([re, im]) => {
                let part = tape.draft(|draft| draft.types[re.0 as usize]);
                let dtype = part.complex().expect("parts have a complex type");
                tape.emit(Inst::Complex([re, im]), dtype)
            }
        }
    }

    /// The parts; the imaginary part of a real value is zero.
    fn parts(self, tape: &Tape, part: DType) -> [ValueId; 2] {
        match self {
            Rewritten::Parts(parts) => parts,
            Rewritten::Whole(v) => [division::cast(tape, v, part), tape.emit(Inst::Const(Scalar::zero(part)), part)],
        }
    }
}

/// Splits a value, if it is complex.
fn split_parts(tape: &Tape, value: ValueId, dtype: DType) -> Rewritten {
    if !dtype.is_complex() {
        return Rewritten::Whole(value);
    }
    let part = |part| tape.emit(Inst::Part(value, part), dtype.real());
    Rewritten::Parts([part(ComplexPart::Real), part(ComplexPart::Imaginary)])
}

/// Whether an instruction reads or produces a complex value.
pub(super) fn is_complex(types: &[DType], inst: &Inst, dtype: DType) -> bool {
    dtype.is_complex() || crate::Fragment::arguments(inst).iter().any(|v| types[v.0 as usize].is_complex())
}

/// Appends an instruction that reads or produces a complex value. Returns its value and its slow path, if it has one.
pub(super) fn decompose(
    kernel: &Kernel,
    tape: &Tape,
    inst: &Inst,
    dtype: DType,
    types: &[DType],
    at: impl Fn(ValueId) -> Rewritten,
) -> (Rewritten, Option<SlowPath>) {
    let now = match *inst {
        Inst::Apply(op, args) if types[args[0].0 as usize] == DType::C64 => {
            return applied::<f32>(tape, op, args.map(&at), dtype);
        }
        Inst::Apply(op, args) => return applied::<f64>(tape, op, args.map(&at), dtype),
        Inst::Const(c) => {
            let part = dtype.real();
            let bits = |shift: usize| Scalar::from_bits(part, c.bits() >> shift);
            Rewritten::Parts([0, 8 * part.size()].map(|shift| tape.emit(Inst::Const(bits(shift)), part)))
        }
        Inst::Select([mask, then, otherwise]) => {
            let (mask, part) = (at(mask).whole(tape), dtype.real());
            let ([a, b], [c, d]) = (at(then).parts(tape, part), at(otherwise).parts(tape, part));
            Rewritten::Parts([tape.select(mask, a, c, part), tape.select(mask, b, d, part)])
        }
        Inst::Cast(from, to) if to.is_complex() => {
            let [re, im] = at(from).parts(tape, to.real());
            Rewritten::Parts([tape.cast(re, to.real()), tape.cast(im, to.real())])
        }
        Inst::Cast(from, DType::Bool) if types[from.0 as usize] == DType::C64 => truth::<f32>(tape, at(from)),
        Inst::Cast(from, DType::Bool) => truth::<f64>(tape, at(from)),
        Inst::Cast(from, to) => {
            let part = types[from.0 as usize].real();
            Rewritten::Whole(division::cast(tape, at(from).parts(tape, part)[0], to))
        }
        Inst::Part(from, ComplexPart::Real) => Rewritten::Whole(at(from).parts(tape, dtype)[0]),
        Inst::Part(from, ComplexPart::Imaginary) => Rewritten::Whole(at(from).parts(tape, dtype)[1]),
        Inst::Complex([re, im]) => Rewritten::Parts([at(re).whole(tape), at(im).whole(tape)]),
        Inst::Load(_)
        | Inst::Param(_)
        | Inst::Index(_)
        | Inst::Fma(_)
        | Inst::Step(..)
        | Inst::Bits(..)
        | Inst::Gather(..)
        | Inst::Store(..)
        | Inst::Scatter(..)
        | Inst::Result(_)
        | Inst::Loop(_)
        | Inst::Exit(..)
        | Inst::Input(_) => {
            let mut inst = inst.clone();
            crate::ir::build::visit(&mut inst, |v| *v = at(*v).whole(tape));
            let is_effect = inst.is_effect();
            let value = copy(kernel, tape, inst, dtype);
            if is_effect { Rewritten::Whole(value) } else { split_parts(tape, value, dtype) }
        }
    };
    (now, None)
}

fn truth<N: FloatWidth>(tape: &Tape, value: Rewritten) -> Rewritten {
    Rewritten::Whole(math::truth(traced::<N>(tape, value)).value(tape))
}

fn traced<'t, N: FloatWidth>(tape: &'t Tape, value: Rewritten) -> [Traced<'t, N>; 2] {
    value.parts(tape, N::DTYPE).map(|v| Traced::Made(v, tape))
}

/// An op of complex numbers.
fn applied<N: FloatWidth>(tape: &Tape, op: Op, args: [Rewritten; 2], dtype: DType) -> (Rewritten, Option<SlowPath>) {
    let [a, b] = args.map(|v| traced::<N>(tape, v));
    // The application itself: for ops without a decomposition, and for the slow path.
    let whole = || tape.emit(Inst::Apply(op, args.map(|v| v.whole(tape))), dtype);
    let Some(Decomposed { value, needs_slow }) = decompose_op(op, a, b) else {
        return (split_parts(tape, whole(), dtype), None);
    };
    let value = value.recorded(tape);
    let Some(Traced::Made(mask, _)) = needs_slow else { return (value, None) };
    let whole = whole();
    let value = match (value, split_parts(tape, whole, dtype)) {
        (Rewritten::Parts([a, b]), Rewritten::Parts([c, d])) => {
            Rewritten::Parts([tape.select(mask, c, a, N::DTYPE), tape.select(mask, d, b, N::DTYPE)])
        }
        (value, slow) => Rewritten::Whole(tape.select(mask, slow.whole(tape), value.whole(tape), dtype)),
    };
    (value, Some(SlowPath { value: whole, mask }))
}

/// The result of an op on parts.
enum ComplexResult<'t, N> {
    Complex([Traced<'t, N>; 2]),
    Real(Traced<'t, N>),
    Bool(Traced<'t, bool>),
}

impl<N: FloatWidth> ComplexResult<'_, N> {
    fn recorded(self, tape: &Tape) -> Rewritten {
        match self {
            ComplexResult::Complex(parts) => Rewritten::Parts(parts.map(|x| x.value(tape))),
            ComplexResult::Real(x) => Rewritten::Whole(x.value(tape)),
            ComplexResult::Bool(x) => Rewritten::Whole(x.value(tape)),
        }
    }
}

/// A decomposed op.
struct Decomposed<'t, N> {
    value: ComplexResult<'t, N>,
    /// Whether the arguments need the slow path, if any may.
    needs_slow: Option<Traced<'t, bool>>,
}

/// Decomposes an op, if it has a decomposition.
fn decompose_op<'t, N: FloatWidth>(op: Op, a: [Traced<'t, N>; 2], b: [Traced<'t, N>; 2]) -> Option<Decomposed<'t, N>> {
    let pick = |mask| {
        let (re, im) = Traced::select_pair(mask, (a[0], a[1]), (b[0], b[1]));
        ComplexResult::Complex([re, im])
    };
    let equal = || a[0].equals(b[0]) & a[1].equals(b[1]);
    let value = match op {
        Op::Add => ComplexResult::Complex([a[0] + b[0], a[1] + b[1]]),
        Op::Subtract => ComplexResult::Complex([a[0] - b[0], a[1] - b[1]]),
        Op::Multiply => ComplexResult::Complex(math::product::<_, true>(a, b)),
        Op::Square => ComplexResult::Complex(math::product::<_, true>(a, a)),
        Op::Divide => {
            return Some(Decomposed {
                value: ComplexResult::Complex(math::quotient(a, b)),
                needs_slow: Some(math::divisor_needs_slow_path(b)),
            });
        }
        Op::Absolute => {
            return Some(Decomposed {
                value: ComplexResult::Real(math::magnitude(a)),
                needs_slow: Some(math::magnitude_needs_slow_path(a)),
            });
        }
        Op::Reciprocal => ComplexResult::Complex(math::reciprocal(a)),
        Op::Rint => ComplexResult::Complex(a.map(Traced::rint)),
        Op::Negative => ComplexResult::Complex([-a[0], -a[1]]),
        Op::Positive => ComplexResult::Complex(a),
        Op::Conjugate => ComplexResult::Complex([a[0], -a[1]]),
        Op::Maximum => pick(math::is_larger(a, b)),
        Op::Minimum => pick(math::is_smaller(a, b)),
        Op::Fmax => pick(math::is_fmax(a, b)),
        Op::Fmin => pick(math::is_fmin(a, b)),
        Op::Equal => ComplexResult::Bool(equal()),
        Op::NotEqual => ComplexResult::Bool(!equal()),
        Op::Less => ComplexResult::Bool(math::less(a, b)),
        Op::LessEqual => ComplexResult::Bool(math::less_equal(a, b)),
        Op::Greater => ComplexResult::Bool(math::less(b, a)),
        Op::GreaterEqual => ComplexResult::Bool(math::less_equal(b, a)),
        Op::LogicalAnd => ComplexResult::Bool(math::truth(a) & math::truth(b)),
        Op::LogicalOr => ComplexResult::Bool(math::truth(a) | math::truth(b)),
        Op::LogicalXor => ComplexResult::Bool(math::truth(a) ^ math::truth(b)),
        Op::LogicalNot => ComplexResult::Bool(!math::truth(a)),
        Op::Isnan => ComplexResult::Bool(math::has_nan(a)),
        Op::Isinf => ComplexResult::Bool(math::is_infinite(a)),
        Op::Isfinite => ComplexResult::Bool(math::is_finite(a)),
        _ => return None,
    };
    Some(Decomposed { value, needs_slow: None })
}
