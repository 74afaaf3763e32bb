//! A fragment resolved to loops and places: what is left of it at launch.
//!
//! Every value of a fragment has an entry in a table of pointers that a [`crate::portable::exec::exec_tiles::Frame`] keeps: into memory, where
//! a load is contiguous or a result may be written straight to its destination; into a block register otherwise. A
//! [`Call`] names its operands by their entries, so running one costs an indirect call and four loads.
//!
//! Registers are places of a scratch buffer, given out by linear scan. A call's result never shares a place with its
//! arguments: loops assume that. Loads have places of their own, so that one that a stride of zero makes the same for
//! every block is copied once. Stores run after everything else, in their order, unless the launch finds that the
//! producer may write to the destination itself ([`Sink::conflicts`]).

use crate::drive::isa::{Isa, Loop};
use crate::portable::exec::jit_hook;
use crate::portable::exec::jit_hook::{Fuse, Stage};
use crate::portable::loops::{casts, copies, elementwise, fused_multiply_add};
use crate::portable::steps;
use crate::{Access, DType, FpFlags, Fragment, Inst, Kernel, Op, OperandId, Scalar, ValueId};

/// Block registers of one fragment are to fit in this many bytes, two thirds of the usual first-level cache.
const REGISTER_BYTES: usize = 32 << 10;
/// Bounds of a block in elements: below, calls cost too much; above, nothing is gained.
const BLOCK: (usize, usize) = (256, 2048);

/// One loop over a block.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) run: Loop,
    pub(crate) out: u16,
    pub(crate) args: [u16; 3],
    /// The instruction, for reports.
    pub(crate) inst: u32,
    /// What it may report.
    pub(crate) effects: FpFlags,
    /// Entries it touches, a bit each; meaningless beyond 64 of them.
    pub(crate) entries: u64,
    /// Whether its result may be written where an argument is.
    pub(crate) in_place: bool,
}

/// An operand that a sink's destination must not overlap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Conflict {
    pub(crate) operand: u16,
    /// Unless it is the very same elements, read for the last time by the sink's producer.
    pub(crate) may_coincide: bool,
    pub(crate) size: u8,
}

/// Something done for each block.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    Call(Call),
    /// Coordinates along an axis of the domain.
    Index {
        value: u16,
        axis: u8,
    },
    /// Elements at computed places.
    Gather {
        value: u16,
        operand: u16,
        offsets: u16,
        size: u8,
    },
}

/// An operand's elements at this point.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) value: u16,
    pub(crate) operand: u16,
    pub(crate) size: u8,
    /// Whether a store or an accumulator takes it as it is, after other stores may have run.
    pub(crate) late: bool,
}

/// A store or scatter, run after the steps.
pub(crate) struct Sink {
    pub(crate) operand: u16,
    pub(crate) value: u16,
    pub(crate) size: u8,
    /// Of a scatter.
    pub(crate) offsets: Option<u16>,
    /// Whether a step produces the value and no earlier sink has claimed it, so that it may be written in place.
    pub(crate) produced: bool,
    /// What must not overlap this operand if its producer is to write to memory directly.
    pub(crate) conflicts: Vec<Conflict>,
}

/// A value that is the same at every point.
pub(crate) struct Uniform {
    pub(crate) value: u16,
    pub(crate) size: u8,
    pub(crate) source: Source,
    /// Fills a register with it.
    pub(crate) fill: Loop,
}

/// Where a uniform value comes from.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    Param(u16),
    Const(Scalar),
}

/// A fragment ready to run.
pub(crate) struct Code {
    /// Entries of the pointer table.
    pub(crate) values: usize,
    pub(crate) loads: Vec<Load>,
    pub(crate) steps: Vec<Step>,
    /// The steps, where all are calls.
    pub(crate) calls: Vec<Call>,
    /// The same with functions in the place of several calls; empty where there are none.
    pub(crate) stages: Vec<Stage>,
    /// Whether one of those may leave elements out, for the calls to compute.
    pub(crate) leaves_out: bool,
    /// Entries of the coordinates along the first axis that the steps begin with: nothing has a register of theirs yet, so
    /// they may be written before anything runs.
    pub(crate) ramps: Vec<u16>,
    pub(crate) sinks: Vec<Sink>,
    pub(crate) uniforms: Vec<Uniform>,
    /// Entries that read an accumulator.
    pub(crate) results: Vec<(u16, u8)>,
    /// Entries with a register: place in bytes for each element of a block, and item size.
    pub(crate) places: Vec<(u16, u32, u8)>,
    /// Bytes of registers for each element of a block, and elements of a block: [`block_length`] of it.
    pub(crate) width: usize,
    pub(crate) room: usize,
    /// What the kernel may report.
    pub(crate) watch: FpFlags,
    /// Nanoseconds an element, roughly, where memory is not the limit; and the bytes of an element that go through memory.
    pub(crate) cost: f64,
    pub(crate) bytes: usize,
}

impl Code {
    /// Whether it only calls, loads and stores at strided places.
    pub(crate) fn is_plain(&self) -> bool {
        self.calls.len() == self.steps.len() && self.sinks.iter().all(|s| s.offsets.is_none())
    }

    /// Whether a [`crate::portable::exec::exec_2d::Plane`] may run it.
    pub(crate) fn has_plane(&self) -> bool {
        self.is_plain()
            && self.values <= crate::portable::exec::exec_2d::VALUES
            && self.loads.len() <= crate::portable::exec::exec_2d::LOADS
            && self.sinks.len() <= 64
    }

    /// Whether it scatters, and so must see its points in order.
    pub(crate) fn scatters(&self) -> bool {
        self.sinks.iter().any(|s| s.offsets.is_some())
    }

    /// Whether an instruction may report flags.
    pub(crate) fn has_effects(&self) -> bool {
        !self.watch.is_empty()
    }

    /// Whether a block may be run a second time, to find out about flags or for what functions left out.
    pub(crate) fn runs_twice(&self) -> bool {
        self.has_effects() || self.leaves_out
    }
}

/// Elements in a block where each takes `width` bytes of registers.
pub(crate) fn block_length(width: usize) -> usize {
    (REGISTER_BYTES / width.max(1)).clamp(BLOCK.0, BLOCK.1) & !63
}

/// Resolves a fragment.
///
/// # Errors
/// Where an instruction has no loop.
pub(crate) fn resolve(kernel: &Kernel, fragment: &Fragment, isa: Isa, fuse: Option<&dyn Fuse>) -> Result<Code, String> {
    let mut code = Code {
        values: fragment.insts.len(),
        loads: vec![],
        steps: vec![],
        calls: vec![],
        stages: vec![],
        leaves_out: false,
        ramps: vec![],
        sinks: vec![],
        uniforms: vec![],
        results: vec![],
        places: vec![],
        width: 0,
        room: 0,
        watch: FpFlags::NONE,
        cost: 0.0,
        bytes: 0,
    };
    if fragment.insts.len() > u16::MAX as usize {
        return Err("too many instructions".into());
    }
    for (i, inst) in fragment.insts.iter().enumerate() {
        add(&mut code, kernel, fragment, i, inst, isa)?;
    }
    code.calls = code.steps.iter().filter_map(|s| if let Step::Call(c) = s { Some(*c) } else { None }).collect();
    code.ramps = (code.steps.iter())
        .map_while(|s| if let Step::Index { value, axis: 0 } = s { Some(*value) } else { None })
        .collect();
    if !code.calls.is_empty() {
        code.watch = effects(kernel);
    }
    for a in kernel.accumulators.iter().filter(|_| std::ptr::eq(fragment, &kernel.body)) {
        code.loads.iter_mut().filter(|l| l.value as u32 == a.value.0).for_each(|l| l.late = true);
    }
    place(&mut code, kernel, fragment);
    if let Some(fuse) = fuse {
        jit_hook::find(&mut code, kernel, fragment, fuse);
    }
    note_conflicts(&mut code, kernel, fragment);
    Ok(code)
}

/// What anything in a kernel may report. Loops may raise what is not to be reported of them (comparisons, of a nan): it must
/// not be taken for that of a fold, or of the other fragment, so each fragment watches for all.
pub(crate) fn effects(kernel: &Kernel) -> FpFlags {
    let of = |fragment: &Fragment| {
        (0..fragment.insts.len()).map(|i| fragment.effects(i)).fold(FpFlags::NONE, |all, effects| all | effects)
    };
    let folds = (0..kernel.accumulators.len()).map(|i| kernel.fold_effects(i));
    folds.fold(of(&kernel.body) | of(&kernel.epilogue), |all, effects| all | effects)
}

/// Adds one instruction.
fn add(code: &mut Code, k: &Kernel, f: &Fragment, i: usize, inst: &Inst, isa: Isa) -> Result<(), String> {
    let dtype = f.types[i];
    let size = dtype.size() as u8;
    let value = i as u16;
    let entry = |v: ValueId| v.0 as u16;
    let mut call = |run, args: [u16; 3], effects, in_place| {
        let bit = |v: u16| 1u64.checked_shl(v as u32).unwrap_or(0);
        let entries = args.iter().fold(bit(value), |all, &v| all | bit(v));
        code.steps.push(Step::Call(Call { run, out: value, args, inst: i as u32, effects, entries, in_place }));
    };
    match inst {
        Inst::Load(OperandId(operand)) => {
            code.cost += 0.03 * size as f64 / 8.0;
            code.bytes += size as usize;
            code.loads.push(Load { value, operand: *operand, size, late: false });
        }
        Inst::Param(p) => add_uniform(code, value, size, Source::Param(p.0), isa),
        Inst::Const(c) => add_uniform(code, value, size, Source::Const(*c), isa),
        Inst::Index(axis) => code.steps.push(Step::Index { value, axis: *axis }),
        Inst::Apply(op, args) => {
            let from = f.dtype(args[0]);
            let run = elementwise::lookup(*op, from, isa).ok_or_else(|| format!("no loop of {op} in {from}"))?;
            call(
                run,
                [entry(args[0]), entry(args[op.arity() - 1]), entry(args[0])],
                f.effects(i),
                elementwise::works_in_place(*op, from),
            );
            code.cost += 0.08 * op.row().cost as f64 * from.size() as f64 / 8.0;
        }
        Inst::Fma(args) => {
            let run = fused_multiply_add::lookup(dtype, isa).ok_or_else(|| format!("no fma in {dtype}"))?;
            call(run, args.map(entry), f.effects(i), true);
            code.cost += 0.1 * size as f64 / 8.0;
        }
        Inst::Step(step, args) => {
            let from = f.dtype(args[0]);
            let run = steps::lookup(*step, from, isa).ok_or_else(|| format!("no {step} in {from}"))?;
            call(run, [entry(args[0]), entry(args[1]), entry(args[0])], f.effects(i), false);
            code.cost += 0.3 * size as f64 / 8.0;
        }
        Inst::Select(args) => {
            call(
                copies::select(size as usize, isa),
                [entry(args[0]), entry(args[1]), entry(args[2])],
                FpFlags::NONE,
                true,
            );
            code.cost += 0.1 * size as f64 / 8.0;
        }
        Inst::Cast(from, _) => {
            let source = f.dtype(*from);
            call(casts::lookup(source, dtype, isa), [entry(*from); 3], f.effects(i), false);
            code.cost += 0.1 * size.max(source.size() as u8) as f64 / 8.0;
        }
        Inst::Bits(from, _) => {
            // What an integer is by itself, any word of its size is.
            let word = if size == 8 { DType::U64 } else { DType::U32 };
            let run = elementwise::lookup(Op::Positive, word, isa).ok_or_else(|| format!("no copies of {word}"))?;
            call(run, [entry(*from); 3], FpFlags::NONE, elementwise::works_in_place(Op::Positive, word));
            code.cost += 0.08 * size as f64 / 8.0;
        }
        Inst::Part(from, part) => {
            call(copies::part(size as usize, *part, isa), [entry(*from); 3], FpFlags::NONE, false);
            code.cost += 0.08 * size as f64 / 8.0;
        }
        Inst::Complex([re, im]) => {
            call(copies::complex(size as usize, isa), [entry(*re), entry(*im), entry(*re)], FpFlags::NONE, false);
            code.cost += 0.08 * size as f64 / 8.0;
        }
        Inst::Gather(operand, offsets) => {
            code.cost += 0.5;
            code.steps.push(Step::Gather { value, operand: operand.0, offsets: entry(*offsets), size });
        }
        Inst::Store(operand, v) => add_sink(code, k, f, *operand, *v, None),
        Inst::Scatter(operand, offsets, v) => add_sink(code, k, f, *operand, *v, Some(entry(*offsets))),
        Inst::Result(a) => code.results.push((value, *a)),
    }
    Ok(())
}

/// Whether a value is there before the first step, by itself.
fn is_given(inst: &Inst) -> bool {
    matches!(inst, Inst::Load(_) | Inst::Param(_) | Inst::Const(_))
}

/// Whether a step makes a value.
fn is_computed(inst: &Inst) -> bool {
    !is_given(inst) && !inst.is_effect() && !matches!(inst, Inst::Result(_))
}

fn add_uniform(code: &mut Code, value: u16, size: u8, source: Source, isa: Isa) {
    code.uniforms.push(Uniform { value, size, source, fill: copies::fill(size as usize, isa) });
}

fn add_sink(
    code: &mut Code,
    kernel: &Kernel,
    fragment: &Fragment,
    operand: OperandId,
    v: ValueId,
    offsets: Option<u16>,
) {
    debug_assert_eq!(kernel.operands[operand.0 as usize].access, Access::Write);
    let value = v.0 as u16;
    let size = fragment.dtype(v).size() as u8;
    let produced =
        offsets.is_none() && is_computed(&fragment.insts[v.0 as usize]) && code.sinks.iter().all(|s| s.value != value);
    for l in code.loads.iter_mut().filter(|l| l.value == value || offsets == Some(l.value)) {
        l.late = true;
    }
    code.bytes += size as usize;
    code.cost += if offsets.is_some() { 1.0 } else { 0.04 * size as f64 / 8.0 };
    code.sinks.push(Sink { operand: operand.0, value, size, offsets, produced, conflicts: vec![] });
}

/// The instruction that reads each value last; one past the end for what a sink or an accumulator takes.
fn last_uses(kernel: &Kernel, fragment: &Fragment) -> Vec<usize> {
    let end = fragment.insts.len();
    let mut last = vec![end; end];
    let mut used = vec![0; end];
    for (i, inst) in fragment.insts.iter().enumerate() {
        let sink = inst.is_effect();
        for v in Fragment::arguments(inst) {
            let at = if sink { end } else { i };
            let v = v.0 as usize;
            used[v] = used[v].max(at);
        }
    }
    let body = std::ptr::eq(fragment, &kernel.body);
    for a in kernel.accumulators.iter().filter(|_| body) {
        used[a.value.0 as usize] = end;
    }
    for (l, u) in last.iter_mut().zip(used) {
        if u > 0 {
            *l = u;
        }
    }
    last
}

/// Gives every value that may need one a register.
fn place(code: &mut Code, kernel: &Kernel, fragment: &Fragment) {
    let last = last_uses(kernel, fragment);
    let mut free: Vec<(usize, u32)> = vec![];
    let mut place_of = vec![None; fragment.insts.len()];
    let mut width = 0u32;
    for (i, inst) in fragment.insts.iter().enumerate() {
        let size = fragment.types[i].size();
        let computed = is_computed(inst);
        if !is_given(inst) && !computed {
            continue;
        }
        let reused =
            if computed { free.iter().rposition(|&(s, _)| s == size).map(|at| free.swap_remove(at).1) } else { None };
        let place = reused.unwrap_or_else(|| {
            width += size as u32;
            width - size as u32
        });
        place_of[i] = Some(place);
        code.places.push((i as u16, place, size as u8));
        for v in Fragment::arguments(inst) {
            let v = v.0 as usize;
            if last[v] == i
                && !is_given(&fragment.insts[v])
                && let Some(p) = place_of[v].take()
            {
                free.push((fragment.types[v].size(), p));
            }
        }
    }
    code.width = width as usize;
    code.room = block_length(code.width);
}

/// Finds which operands a store's destination must not overlap for its producer to write there: other stores', and those
/// loaded and still read by the producer or later. Where flags may make the steps run twice, all loads are.
fn note_conflicts(code: &mut Code, kernel: &Kernel, fragment: &Fragment) {
    let last = last_uses(kernel, fragment);
    let twice = code.runs_twice();
    let restrict = |operand: u16| kernel.operands[operand as usize].restrict;
    for at in 0..code.sinks.len() {
        let (operand, value) = (code.sinks[at].operand, code.sinks[at].value as usize);
        if restrict(operand) {
            continue;
        }
        let size = code.sinks[at].size;
        let in_place = code.calls.iter().any(|c| c.out as usize == value && c.in_place);
        let apart = |operand, size| Conflict { operand, may_coincide: false, size };
        let mut conflicts: Vec<Conflict> = vec![];
        conflicts.extend(code.loads.iter().filter(|l| twice || last[l.value as usize] >= value).map(|l| Conflict {
            may_coincide: in_place && l.size == size && last[l.value as usize] <= value,
            ..apart(l.operand, l.size)
        }));
        conflicts.extend(code.steps.iter().filter_map(|s| match *s {
            Step::Gather { value: g, operand, size, .. } if twice || g as usize >= value => Some(apart(operand, size)),
            Step::Call(_) | Step::Index { .. } | Step::Gather { .. } => None,
        }));
        let others = code.sinks.iter().enumerate().filter(|(other, _)| *other != at);
        conflicts.extend(others.map(|(_, s)| apart(s.operand, s.size)));
        conflicts.retain(|c| !restrict(c.operand));
        conflicts.sort_unstable();
        conflicts.dedup_by_key(|c| c.operand);
        code.sinks[at].conflicts = conflicts;
    }
}
