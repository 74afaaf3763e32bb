//! Complex numbers as their parts: every complex value of a fragment becomes two real ones.
//!
//! Loads, parameters and results of what has no form here are taken apart ([`Inst::Part`]), what is stored or computed otherwise is
//! put together ([`Inst::Complex`]); everything between is real arithmetic, by the formulas of [`crate::math::complex`].

use super::traced::{Tape, Traced, Width};
use super::{Odd, copy, division};
use crate::math::{Real, complex as math};
use crate::{DType, Inst, Kernel, Op, Part, Scalar, ValueId};

/// A value of the original fragment in the new one.
#[derive(Clone, Copy)]
pub(super) enum Now {
    /// One value.
    Whole(ValueId),
    /// A complex one: its real part and its imaginary one.
    Parts([ValueId; 2]),
}

impl Now {
    /// The value; one of parts is put together.
    pub(super) fn whole(self, tape: &Tape) -> ValueId {
        match self {
            Now::Whole(v) => v,
            Now::Parts([re, im]) => {
                let part = tape.draft(|draft| draft.types[re.0 as usize]);
                let dtype = part.complex().expect("parts are those of complex numbers");
                tape.emit(Inst::Complex([re, im]), dtype)
            }
        }
    }

    /// The parts; a real number has no imaginary one.
    fn parts(self, tape: &Tape, part: DType) -> [ValueId; 2] {
        match self {
            Now::Parts(parts) => parts,
            Now::Whole(v) => [division::cast(tape, v, part), tape.emit(Inst::Const(Scalar::zero(part)), part)],
        }
    }
}

/// Takes a value apart, if it is complex.
fn apart(tape: &Tape, value: ValueId, dtype: DType) -> Now {
    if !dtype.is_complex() {
        return Now::Whole(value);
    }
    let part = |part| tape.emit(Inst::Part(value, part), dtype.real());
    Now::Parts([part(Part::Real), part(Part::Imaginary)])
}

/// Whether an instruction reads or makes a complex value.
pub(super) fn is_complex(types: &[DType], inst: &Inst, dtype: DType) -> bool {
    dtype.is_complex() || crate::Fragment::arguments(inst).iter().any(|v| types[v.0 as usize].is_complex())
}

/// Appends an instruction that reads or makes a complex value; gives its value, and what is wanted of it seldom, if anything is.
pub(super) fn write_out(
    kernel: &Kernel,
    tape: &Tape,
    inst: &Inst,
    dtype: DType,
    types: &[DType],
    at: impl Fn(ValueId) -> Now,
) -> (Now, Option<Odd>) {
    let now = match *inst {
        Inst::Apply(op, args) if types[args[0].0 as usize] == DType::C64 => {
            return applied::<f32>(tape, op, args.map(&at), dtype);
        }
        Inst::Apply(op, args) => return applied::<f64>(tape, op, args.map(&at), dtype),
        Inst::Const(c) => {
            let part = dtype.real();
            let bits = |shift: usize| Scalar::from_bits(part, c.bits() >> shift);
            Now::Parts([0, 8 * part.size()].map(|shift| tape.emit(Inst::Const(bits(shift)), part)))
        }
        Inst::Select([mask, then, otherwise]) => {
            let (mask, part) = (at(mask).whole(tape), dtype.real());
            let ([a, b], [c, d]) = (at(then).parts(tape, part), at(otherwise).parts(tape, part));
            Now::Parts([tape.select(mask, a, c, part), tape.select(mask, b, d, part)])
        }
        Inst::Cast(from, to) if to.is_complex() => {
            let [re, im] = at(from).parts(tape, to.real());
            Now::Parts([tape.cast(re, to.real()), tape.cast(im, to.real())])
        }
        Inst::Cast(from, DType::Bool) if types[from.0 as usize] == DType::C64 => truth::<f32>(tape, at(from)),
        Inst::Cast(from, DType::Bool) => truth::<f64>(tape, at(from)),
        Inst::Cast(from, to) => {
            let part = types[from.0 as usize].real();
            Now::Whole(division::cast(tape, at(from).parts(tape, part)[0], to))
        }
        Inst::Part(from, Part::Real) => Now::Whole(at(from).parts(tape, dtype)[0]),
        Inst::Part(from, Part::Imaginary) => Now::Whole(at(from).parts(tape, dtype)[1]),
        Inst::Complex([re, im]) => Now::Parts([at(re).whole(tape), at(im).whole(tape)]),
        Inst::Load(_)
        | Inst::Param(_)
        | Inst::Index(_)
        | Inst::Fma(_)
        | Inst::Step(..)
        | Inst::Bits(..)
        | Inst::Gather(..)
        | Inst::Store(..)
        | Inst::Scatter(..)
        | Inst::Result(_) => {
            let mut inst = inst.clone();
            crate::ir::build::visit(&mut inst, |v| *v = at(*v).whole(tape));
            let is_effect = inst.is_effect();
            let value = copy(kernel, tape, inst, dtype);
            if is_effect { Now::Whole(value) } else { apart(tape, value, dtype) }
        }
    };
    (now, None)
}

fn truth<N: Width>(tape: &Tape, value: Now) -> Now {
    Now::Whole(math::truth(traced::<N>(tape, value)).value(tape))
}

fn traced<'t, N: Width>(tape: &'t Tape, value: Now) -> [Traced<'t, N>; 2] {
    value.parts(tape, N::DTYPE).map(|v| Traced::Made(v, tape))
}

/// An op of complex numbers.
fn applied<N: Width>(tape: &Tape, op: Op, args: [Now; 2], dtype: DType) -> (Now, Option<Odd>) {
    let [a, b] = args.map(|v| traced::<N>(tape, v));
    // The application itself: of what has no form here, and for arguments that are odd.
    let whole = || tape.emit(Inst::Apply(op, args.map(|v| v.whole(tape))), dtype);
    let Some(Form { value, odd }) = form(op, a, b) else { return (apart(tape, whole(), dtype), None) };
    let value = value.recorded(tape);
    let Some(Traced::Made(mask, _)) = odd else { return (value, None) };
    let whole = whole();
    let value = match (value, apart(tape, whole, dtype)) {
        (Now::Parts([a, b]), Now::Parts([c, d])) => {
            Now::Parts([tape.select(mask, c, a, N::DTYPE), tape.select(mask, d, b, N::DTYPE)])
        }
        (value, slow) => Now::Whole(tape.select(mask, slow.whole(tape), value.whole(tape), dtype)),
    };
    (value, Some(Odd { value: whole, mask }))
}

/// What an op makes of parts.
enum Value<'t, N> {
    Complex([Traced<'t, N>; 2]),
    Real(Traced<'t, N>),
    Bool(Traced<'t, bool>),
}

impl<N: Width> Value<'_, N> {
    fn recorded(self, tape: &Tape) -> Now {
        match self {
            Value::Complex(parts) => Now::Parts(parts.map(|x| x.value(tape))),
            Value::Real(x) => Now::Whole(x.value(tape)),
            Value::Bool(x) => Now::Whole(x.value(tape)),
        }
    }
}

/// An op at one place.
struct Form<'t, N> {
    value: Value<'t, N>,
    /// Whether the arguments are odd, if they may be.
    odd: Option<Traced<'t, bool>>,
}

/// The form of an op, if it has one.
fn form<'t, N: Width>(op: Op, a: [Traced<'t, N>; 2], b: [Traced<'t, N>; 2]) -> Option<Form<'t, N>> {
    let pick = |mask| {
        let (re, im) = Traced::pick_pair(mask, (a[0], a[1]), (b[0], b[1]));
        Value::Complex([re, im])
    };
    let equal = || a[0].equals(b[0]) & a[1].equals(b[1]);
    let value = match op {
        Op::Add => Value::Complex([a[0] + b[0], a[1] + b[1]]),
        Op::Subtract => Value::Complex([a[0] - b[0], a[1] - b[1]]),
        Op::Multiply => Value::Complex(math::product::<_, true>(a, b)),
        Op::Square => Value::Complex(math::product::<_, true>(a, a)),
        Op::Divide => {
            return Some(Form { value: Value::Complex(math::quotient(a, b)), odd: Some(math::is_odd_divisor(b)) });
        }
        Op::Absolute => {
            return Some(Form { value: Value::Real(math::magnitude(a)), odd: Some(math::is_odd_magnitude(a)) });
        }
        Op::Negative => Value::Complex([-a[0], -a[1]]),
        Op::Positive => Value::Complex(a),
        Op::Conjugate => Value::Complex([a[0], -a[1]]),
        Op::Maximum => pick(math::is_larger(a, b)),
        Op::Minimum => pick(math::is_smaller(a, b)),
        Op::Fmax => pick(math::is_fmax(a, b)),
        Op::Fmin => pick(math::is_fmin(a, b)),
        Op::Equal => Value::Bool(equal()),
        Op::NotEqual => Value::Bool(!equal()),
        Op::Less => Value::Bool(math::less(a, b)),
        Op::LessEqual => Value::Bool(math::less_equal(a, b)),
        Op::Greater => Value::Bool(math::less(b, a)),
        Op::GreaterEqual => Value::Bool(math::less_equal(b, a)),
        Op::LogicalAnd => Value::Bool(math::truth(a) & math::truth(b)),
        Op::LogicalOr => Value::Bool(math::truth(a) | math::truth(b)),
        Op::LogicalXor => Value::Bool(math::truth(a) ^ math::truth(b)),
        Op::LogicalNot => Value::Bool(!math::truth(a)),
        Op::Isnan => Value::Bool(math::has_nan(a)),
        Op::Isinf => Value::Bool(math::is_infinite(a)),
        Op::Isfinite => Value::Bool(math::is_finite(a)),
        _ => return None,
    };
    Some(Form { value, odd: None })
}
