//! Decomposition: ops that have no instruction, as instructions of the IR. Backends that make machine code expand whole kernels; CUDA C
//! gets a function for each such op, written out from its decomposition.
//!
//! There is no second copy of the mathematics. [`crate::math`] is written over a trait of numbers, and `traced` implements it by a number
//! that records operations as instructions. A file has a family of ops: `forms` maps an elementary function of the op table to its
//! definition; `complex` splits each complex value into two real ones; `division` has rounding divisions, arithmetic of bytes, and
//! conversions; `float_bits` has `nextafter`, `spacing`, `ldexp`, `frexp` and `heaviside`; `integers` has powers, reciprocals and counts of bits.
//! `decomposition` says which family an op in a type belongs to.
//!
//! `y = exp(x)` in real floats becomes
//!
//! ```text
//! needs_slow = isnan x               ; arguments the fast path cannot take: Unary::needs_slow_path
//! safe = select needs_slow, 1.5, x   ; a safe argument, so that the fast path raises no flag for those
//! fast = …                           ; Unary::fast, on a machine with FMA
//! slow = exp x                       ; the slow path, wanted in lanes of the mask only: Provenance::slow_paths
//! y = select needs_slow, slow, fast
//! ```
//!
//! which is a kernel like any other, with the same results to the bit on machines with FMA: the portable backend runs both. A backend
//! computes `slow` only for lanes in which the mask is true, for instance by re-executing them in the original kernel. There are almost
//! never any; in other lanes `slow` is undefined.
//!
//! A kernel whose arguments are often special (NaN, infinities, zero, what is outside of a domain: `Unary::is_special`) has a second
//! [`Version`], in which `Unary::with_specials` completes the fast path, and fewer arguments need the slow path.
//!
//! Equal instructions are one value (so the sine and the cosine of one angle share all but the last select), and dead instructions are
//! dropped. Expansion is idempotent; kernels without such ops are returned unchanged. Floating-point flags are reported for instructions of
//! the original kernel, which [`Provenance::origin`] gives.

mod complex;
mod division;
mod float_bits;
mod forms;
mod integers;
mod traced;

use crate::ir::build::visit;
use crate::{DType, Fragment, Inst, Kernel, Kind, Op, Region, ValueId};
use complex::Rewritten;
use forms::Recorded;
use std::sync::Arc;
use traced::{FloatWidth, Tape, Traced};

/// A decomposed kernel.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The kernel.
    pub kernel: Kernel,
    /// Provenance of its body.
    pub body: Provenance,
    /// Provenance of its epilogue.
    pub epilogue: Provenance,
}

/// Where the instructions of a decomposed fragment come from, and which of them are slow paths.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Provenance {
    /// The slow paths, each wanted in some lanes only.
    pub slow_paths: Vec<SlowPath>,
    /// The instruction of the original fragment that each instruction belongs to; the first, if there are several. Flags it raises
    /// are reported for that one, as far as [`Op::effects`] names them: a step of a function may underflow though the function does
    /// not.
    pub origin: Vec<u32>,
    /// The slow paths of regions, by loop; loops without any are left out.
    pub regions: Vec<(ValueId, Vec<SlowPath>)>,
}

/// A slow path: an application of an op that is wanted only in lanes whose arguments need it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlowPath {
    /// The application: an [`Inst::Apply`].
    pub value: ValueId,
    /// The lanes in which it is wanted: an earlier value, of bools.
    pub mask: ValueId,
}

/// Which arguments a decomposed function has values for without its slow path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// Those that are common: the fastest version.
    Common,
    /// Special ones too: NaN, infinities, zero, what is outside of the domain. It takes up to twice the time. Exponentials that vanish
    /// are zero without underflow: it is for launches that do not report that.
    Special,
}

/// Whether the special version of an op avoids underflow.
pub(crate) fn avoids_underflow(op: Op, dtype: DType) -> bool {
    dtype.is_float() && matches!(op, Op::Exp | Op::Exp2)
}

/// Decomposes every elementary function of real floats, complex arithmetic, and the other ops and conversions that have no instruction.
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
/// let [slow] = expanded.body.slow_paths[..] else { panic!("one function") };
/// assert!(matches!(expanded.kernel.body.insts[slow.value.0 as usize], Inst::Apply(Op::Sin, _)));
/// assert!(verify(expanded.kernel).is_ok());
/// ```
pub fn expand(kernel: &Kernel) -> Expanded {
    expand_as(kernel, Version::Common)
}

/// The same in a version.
pub fn expand_as(kernel: &Kernel, version: Version) -> Expanded {
    let mut expanded = kernel.clone();
    let mut roots: Vec<ValueId> = kernel.accumulators.iter().map(|a| a.value).collect();
    let body;
    (expanded.body, body) = expand_fragment(kernel, &kernel.body, &mut roots, version);
    expanded.accumulators.iter_mut().zip(roots).for_each(|(a, value)| a.value = value);
    let epilogue;
    (expanded.epilogue, epilogue) = expand_fragment(kernel, &kernel.epilogue, &mut [], version);
    Expanded { kernel: expanded, body, epilogue }
}

/// Decomposes an op on arguments of a type. Returns its value, and the mask of lanes that need the slow path, if any may.
type Decompose = fn(&Tape, Op, [ValueId; 2], DType) -> (ValueId, Option<ValueId>);

/// The decomposition of an op on real arguments of a type, if it has one. Complex ones are those of `complex`.
fn decomposition(op: Op, dtype: DType) -> Option<Decompose> {
    match dtype.kind() {
        Kind::Float if op.row().elementary => Some(elementary),
        Kind::Float if float_bits::is_decomposed(op) => Some(float_bits::decompose),
        Kind::Signed | Kind::Unsigned if integers::is_decomposed(op, dtype) => Some(integers::decompose),
        _ if division::is_decomposed(op, dtype) => Some(division::decompose),
        Kind::Bool | Kind::Signed | Kind::Unsigned | Kind::Float | Kind::Complex => None,
    }
}

/// Whether an op on real arguments of a type is decomposed.
pub(crate) fn is_decomposed(op: Op, dtype: DType) -> bool {
    decomposition(op, dtype).is_some()
}

/// Whether an instruction on real numbers is decomposed.
fn is_expanded(fragment: &Fragment, inst: &Inst) -> bool {
    match inst {
        Inst::Apply(op, [x, _]) => is_decomposed(*op, fragment.dtype(*x)),
        Inst::Cast(from, to) => division::is_converted(fragment.dtype(*from), *to),
        _ => false,
    }
}

/// Whether a fragment has anything to decompose.
fn needs_expansion(fragment: &Fragment) -> bool {
    let is_complex = fragment.types.iter().any(|d| d.is_complex());
    let in_region = |inst: &Inst| matches!(inst, Inst::Loop(repeated) if needs_expansion(&repeated.region.body));
    is_complex || fragment.insts.iter().any(|inst| is_expanded(fragment, inst) || in_region(inst))
}

/// Decomposes one fragment; `roots` are live besides what it stores, and are renumbered.
fn expand_fragment(
    kernel: &Kernel,
    fragment: &Fragment,
    roots: &mut [ValueId],
    version: Version,
) -> (Fragment, Provenance) {
    if !needs_expansion(fragment) {
        let origin = (0..fragment.insts.len() as u32).collect();
        return (fragment.clone(), Provenance { slow_paths: vec![], origin, regions: vec![] });
    }
    let tape = Tape::new(version);
    let mut slow_paths: Vec<SlowPath> = vec![];
    let (mut origin, mut regions) = (vec![], vec![]);
    let mut renamed: Vec<Rewritten> = Vec::with_capacity(fragment.insts.len());
    for (number, inst) in fragment.insts.iter().enumerate() {
        let dtype = fragment.types[number];
        let (value, slow_path) = if complex::is_complex(&fragment.types, inst, dtype) {
            complex::decompose(kernel, &tape, inst, dtype, &fragment.types, |v| renamed[v.0 as usize])
        } else {
            let mut now = inst.clone();
            visit(&mut now, |v| *v = renamed[v.0 as usize].whole(&tape));
            let in_region = expand_region(kernel, &mut now, version);
            let (value, slow_path) = decompose(kernel, &tape, now, dtype);
            regions.extend((!in_region.is_empty()).then_some((value, in_region)));
            (Rewritten::Whole(value), slow_path)
        };
        slow_paths.extend(slow_path.filter(|slow_path| !slow_paths.contains(slow_path)));
        renamed.push(value);
        origin.resize(tape.len(), number as u32);
    }
    roots.iter_mut().for_each(|v| *v = renamed[v.0 as usize].whole(&tape));
    origin.resize(tape.len(), fragment.insts.len() as u32 - 1);
    let (fragment, numbers) = tape.into_draft().finish(roots.iter().copied());
    let Some(numbers) = numbers else { return (fragment, Provenance { slow_paths, origin, regions }) };
    let renamed = |v: ValueId| numbers.get(v);
    roots.iter_mut().for_each(|v| *v = renamed(*v).unwrap_or(*v));
    let renumber = |o: SlowPath| Some(SlowPath { value: renamed(o.value)?, mask: renamed(o.mask)? });
    let slow_paths = slow_paths.into_iter().filter_map(renumber).collect();
    let live = (0..).map(|v| renamed(ValueId(v)).is_some());
    let origin = origin.into_iter().zip(live).filter_map(|(number, is_live)| is_live.then_some(number)).collect();
    let regions = regions.into_iter().filter_map(|(of, slow_paths)| Some((renamed(of)?, slow_paths))).collect();
    (fragment, Provenance { slow_paths, origin, regions })
}

/// Decomposes the region of an instruction that is a loop. Returns its slow paths.
fn expand_region(kernel: &Kernel, inst: &mut Inst, version: Version) -> Vec<SlowPath> {
    let Inst::Loop(repeated) = inst else { return vec![] };
    if !needs_expansion(&repeated.region.body) {
        return vec![];
    }
    let mut region = Region::clone(&repeated.region);
    let mut roots: Vec<ValueId> = [&region.conditions[..], &region.next].concat();
    let (body, provenance) = expand_fragment(kernel, &region.body, &mut roots, version);
    region.next = roots.split_off(region.conditions.len());
    roots.sort_unstable();
    roots.dedup();
    (region.body, region.conditions) = (body, roots);
    repeated.region = Arc::new(region);
    provenance.slow_paths
}

/// Appends an instruction of real numbers, `now` with renumbered arguments. Returns its value and its slow path, if it has one.
fn decompose(kernel: &Kernel, tape: &Tape, now: Inst, dtype: DType) -> (ValueId, Option<SlowPath>) {
    match now {
        Inst::Apply(op, args) => {
            let from = tape.draft(|draft| draft.types[args[0].0 as usize]);
            let Some(decompose) = decomposition(op, from) else { return (copy(kernel, tape, now, dtype), None) };
            let (result, mask) = decompose(tape, op, args, from);
            let Some(mask) = mask else { return (result, None) };
            let value = tape.emit(Inst::Apply(op, args), dtype);
            (tape.select(mask, value, result, dtype), Some(SlowPath { value, mask }))
        }
        Inst::Cast(value, to) => (division::cast(tape, value, to), None),
        Inst::Select([mask, then, otherwise]) => (tape.select(mask, then, otherwise, dtype), None),
        now => (copy(kernel, tape, now, dtype), None),
    }
}

/// Appends an instruction unchanged.
fn copy(kernel: &Kernel, tape: &Tape, inst: Inst, dtype: DType) -> ValueId {
    let shared = |m: crate::OperandId| !kernel.operands[m.0 as usize].restrict;
    match inst.operand() {
        Some(m) if inst.is_effect() => tape.draft(|draft| draft.effect(inst, dtype, shared(m))),
        Some(m) => tape.draft(|draft| draft.intern(inst, dtype, shared(m))),
        None => tape.emit(inst, dtype),
    }
}

/// Decomposes an elementary function of real floats.
fn elementary(tape: &Tape, op: Op, args: [ValueId; 2], dtype: DType) -> (ValueId, Option<ValueId>) {
    match dtype {
        DType::F32 => recorded::<f32>(tape, op, args),
        _ => recorded::<f64>(tape, op, args),
    }
}

/// The same in one width.
fn recorded<N: FloatWidth>(tape: &Tape, op: Op, args: [ValueId; 2]) -> (ValueId, Option<ValueId>) {
    let record = forms::of::<N>(op, tape.version).expect("the op is elementary");
    let Recorded { needs_slow, fast } = record(args.map(|v| Traced::Made(v, tape)));
    let fast = fast.value(tape);
    let Traced::Made(mask, _) = needs_slow else { return (fast, None) };
    (fast, Some(mask))
}
