//! Elementary functions, arithmetic of complex numbers and divisions that round written out as instructions of the IR, for
//! backends that make machine code.
//!
//! There is no second copy of the mathematics: [`crate::math`] is written over numbers that may be yet to come, and `traced`
//! is such a number, which records what is asked of it. `forms` leads from an op of the table to its function; `complex` makes two
//! real values of each complex one, and `division` what vectors have no instructions for.
//!
//! `y = exp(x)` in real floats becomes
//!
//! ```text
//! odd = isnan x                      ; what the fast form cannot take: Unary::is_odd
//! calm = select odd, 1.5, x          ; so that it raises no flag for those
//! fast = …                           ; Unary::fast, on a machine that fuses
//! slow = exp x                       ; wanted in odd lanes only, and so listed in Trail::odd
//! y = select odd, slow, fast
//! ```
//!
//! which is a kernel like any other, with the meaning and the bits of the one before on machines that fuse: the portable
//! backend runs both. A backend computes `slow` for the lanes in which the mask is true, by what ran the kernel before or by
//! a function of its own; these are none nearly always, and there may be anything in the others.
//!
//! Equal instructions are one value (so the sine and the cosine of one angle share everything but the last choice), and what
//! nothing needs is dropped. Expanding twice is expanding once; kernels without such ops come back as they were. Reports
//! of floating-point flags name instructions of the original kernel, to which [`Trail::origin`] leads back.

mod complex;
mod division;
mod forms;
mod traced;

use crate::ir::build::visit;
use crate::{DType, Fragment, Inst, Kernel, Op, ValueId};
use complex::Now;
use forms::Recorded;
use traced::{Tape, Traced, Width};

/// A kernel with its elementary functions written out.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The kernel.
    pub kernel: Kernel,
    /// Of its body.
    pub body: Trail,
    /// Of its epilogue.
    pub epilogue: Trail,
}

/// What a backend wants to know of an expanded fragment besides its instructions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Trail {
    /// The applications that are left, each wanted in some lanes only.
    pub odd: Vec<Odd>,
    /// The instruction of the original fragment that each instruction is there for; the first, where there are several.
    /// Flags that it raises count as that one's, as far as [`Op::effects`] names them: a step of a function may lose what
    /// the function does not.
    pub origin: Vec<u32>,
}

/// An application of an op that is wanted where its arguments are odd.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Odd {
    /// The application: an [`Inst::Apply`].
    pub value: ValueId,
    /// Where it is wanted: an earlier value.
    pub mask: ValueId,
}

/// Writes out every elementary function of real floats, complex arithmetic, and divisions that round.
///
/// ```
/// use fastnp_codegen::{Access, DType, Inst, KernelBuilder, Op, Template, expand, verify};
///
/// let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
/// let (from, to) = (kernel.operand(DType::F64, Access::Read, true), kernel.operand(DType::F64, Access::Write, true));
/// let x = kernel.body().load(from);
/// let y = kernel.body().apply(Op::Sin, &[x]);
/// kernel.body().store(to, y);
/// let expanded = expand(&kernel.finish());
/// let [odd] = expanded.body.odd[..] else { panic!("one function") };
/// assert!(matches!(expanded.kernel.body.insts[odd.value.0 as usize], Inst::Apply(Op::Sin, _)));
/// assert!(verify(expanded.kernel).is_ok());
/// ```
pub fn expand(kernel: &Kernel) -> Expanded {
    let mut expanded = kernel.clone();
    let mut roots: Vec<ValueId> = kernel.accumulators.iter().map(|a| a.value).collect();
    let body;
    (expanded.body, body) = expand_fragment(kernel, &kernel.body, &mut roots);
    expanded.accumulators.iter_mut().zip(roots).for_each(|(a, value)| a.value = value);
    let epilogue;
    (expanded.epilogue, epilogue) = expand_fragment(kernel, &kernel.epilogue, &mut []);
    Expanded { kernel: expanded, body, epilogue }
}

/// Whether an instruction is an elementary function of real floats.
fn is_elementary(fragment: &Fragment, inst: &Inst) -> bool {
    matches!(inst, Inst::Apply(op, [x, _]) if op.row().elementary && fragment.dtype(*x).is_float())
}

/// Whether an instruction is a division or another one for which `division` has others.
fn is_division(fragment: &Fragment, inst: &Inst) -> bool {
    match inst {
        Inst::Apply(op, [x, _]) => division::is_written_out(*op, fragment.dtype(*x)),
        Inst::Cast(from, to) => division::is_converted(fragment.dtype(*from), *to),
        _ => false,
    }
}

/// Whether there is something to be written out.
fn is_short(fragment: &Fragment) -> bool {
    let is_complex = fragment.types.iter().any(|d| d.is_complex());
    is_complex || fragment.insts.iter().any(|inst| is_elementary(fragment, inst) || is_division(fragment, inst))
}

/// Expands one fragment; `roots` are needed besides what it stores, and follow the renumbering.
fn expand_fragment(kernel: &Kernel, fragment: &Fragment, roots: &mut [ValueId]) -> (Fragment, Trail) {
    if !is_short(fragment) {
        let origin = (0..fragment.insts.len() as u32).collect();
        return (fragment.clone(), Trail { odd: vec![], origin });
    }
    let tape = Tape::default();
    let mut odd: Vec<Odd> = vec![];
    let mut origin = vec![];
    let mut renamed: Vec<Now> = Vec::with_capacity(fragment.insts.len());
    for (number, inst) in fragment.insts.iter().enumerate() {
        let dtype = fragment.types[number];
        let (value, seldom) = if complex::is_complex(&fragment.types, inst, dtype) {
            complex::write_out(kernel, &tape, inst, dtype, &fragment.types, |v| renamed[v.0 as usize])
        } else {
            let mut now = inst.clone();
            visit(&mut now, |v| *v = renamed[v.0 as usize].whole(&tape));
            let (value, seldom) = write_out(kernel, &tape, fragment, inst, now, dtype);
            (Now::Whole(value), seldom)
        };
        odd.extend(seldom.filter(|seldom| !odd.contains(seldom)));
        renamed.push(value);
        origin.resize(tape.len(), number as u32);
    }
    roots.iter_mut().for_each(|v| *v = renamed[v.0 as usize].whole(&tape));
    origin.resize(tape.len(), fragment.insts.len() as u32 - 1);
    let (fragment, numbers) = tape.into_draft().finish(roots.iter().copied());
    let Some(numbers) = numbers else { return (fragment, Trail { odd, origin }) };
    let renamed = |v: ValueId| numbers.get(v);
    roots.iter_mut().for_each(|v| *v = renamed(*v).unwrap_or(*v));
    let kept = |o: Odd| Some(Odd { value: renamed(o.value)?, mask: renamed(o.mask)? });
    let odd = odd.into_iter().filter_map(kept).collect();
    let live = (0..).map(|v| renamed(ValueId(v)).is_some());
    let origin = origin.into_iter().zip(live).filter_map(|(number, is_live)| is_live.then_some(number)).collect();
    (fragment, Trail { odd, origin })
}

/// Appends an instruction of real numbers, `now` with its arguments renamed; gives its value, and what is wanted of it seldom, if
/// anything is.
fn write_out(
    kernel: &Kernel,
    tape: &Tape,
    fragment: &Fragment,
    inst: &Inst,
    now: Inst,
    dtype: DType,
) -> (ValueId, Option<Odd>) {
    match now {
        Inst::Apply(op, args) if is_elementary(fragment, inst) => match dtype {
            DType::F32 => expand_op::<f32>(tape, op, args),
            _ => expand_op::<f64>(tape, op, args),
        },
        Inst::Apply(op, args) if is_division(fragment, inst) => {
            let (result, mask) = division::write_out(tape, op, args, dtype);
            let Some(mask) = mask else { return (result, None) };
            let value = tape.emit(Inst::Apply(op, args), dtype);
            (tape.select(mask, value, result, dtype), Some(Odd { value, mask }))
        }
        Inst::Cast(value, to) if is_division(fragment, inst) => (division::cast(tape, value, to), None),
        Inst::Select([mask, then, otherwise]) => (tape.select(mask, then, otherwise, dtype), None),
        now => (copy(kernel, tape, now, dtype), None),
    }
}

/// Appends an instruction as it is.
fn copy(kernel: &Kernel, tape: &Tape, inst: Inst, dtype: DType) -> ValueId {
    let shared = |m: crate::OperandId| !kernel.operands[m.0 as usize].restrict;
    match inst.operand() {
        Some(m) if inst.is_effect() => tape.draft(|draft| draft.effect(inst, dtype, shared(m))),
        Some(m) => tape.draft(|draft| draft.intern(inst, dtype, shared(m))),
        None => tape.emit(inst, dtype),
    }
}

/// Appends a function written out; gives its value, and what is wanted of it seldom, if anything is.
fn expand_op<N: Width>(tape: &Tape, op: Op, args: [ValueId; 2]) -> (ValueId, Option<Odd>) {
    let record = forms::of::<N>(op).expect("the op is elementary");
    let Recorded { odd, fast } = record(args.map(|v| Traced::Made(v, tape)));
    let fast = fast.value(tape);
    let Traced::Made(mask, _) = odd else { return (fast, None) };
    let value = tape.emit(Inst::Apply(op, args), N::DTYPE);
    (tape.select(mask, value, fast, N::DTYPE), Some(Odd { value, mask }))
}
