//! Bytecode: a fragment resolved to calls of inner loops, with registers allocated.
//!
//! Every value of a fragment has an entry in a table of pointers that the drivers keep: into memory, where a load is contiguous or a result
//! may be written straight to its destination; into a block register otherwise. A [`LoopCall`] names its operands by their entries, so a
//! call costs an indirect call and four loads.
//!
//! Block registers are ranges of a scratch buffer, allocated by linear scan. A result never shares a register with its arguments, because
//! loops assume that. Loads have registers of their own, so that one that a stride of zero makes the same for every block is copied once.
//! Stores run after everything else, in their order, unless the launch finds that the producer may write to the destination itself
//! ([`Sink::conflicts`]).

use crate::drive::isa::{Isa, LoopFn};
use crate::portable::exec::jit_hook;
use crate::portable::exec::jit_hook::{JitHook, Stage};
use crate::portable::exec::region::RegionCode;
use crate::portable::loops::{casts, copies, elementwise, fused_multiply_add, primitives};

use crate::{Access, DType, FpFlags, Fragment, Inst, Kernel, Launch, Op, OperandId, Scalar, ValueId};

/// The block registers of one fragment fit in this many bytes, two thirds of the usual first-level cache.
const BLOCK_REGISTER_BYTES: usize = 32 << 10;
/// Least and most elements of a block: with fewer, calls cost too much; with more, nothing is gained.
const BLOCK_LEN_BOUNDS: (usize, usize) = (256, 2048);

/// One call of a loop over a block.
#[derive(Clone, Copy)]
pub(crate) struct LoopCall {
    pub(crate) run: LoopFn,
    pub(crate) out: u16,
    pub(crate) args: [u16; 3],
    /// The instruction, for the flags it raises.
    pub(crate) inst: u32,
    /// The flags it may raise.
    pub(crate) effects: FpFlags,
    /// Entries it accesses, a bit each; meaningless beyond 64 entries.
    pub(crate) entries: u64,
    /// Whether its result may overwrite an argument.
    pub(crate) in_place: bool,
}

/// An operand that a sink's destination must not overlap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Conflict {
    pub(crate) operand: u16,
    /// Whether it may be exactly the same elements: then the sink's producer reads them last.
    pub(crate) may_coincide: bool,
    pub(crate) size: u8,
}

/// An operation on each block.
#[derive(Clone, Copy)]
pub(crate) enum BlockOp {
    Call(LoopCall),
    /// Coordinates along an axis of the domain.
    Index {
        value: u16,
        axis: u8,
    },
    /// A gather: elements at computed offsets.
    Gather {
        value: u16,
        operand: u16,
        offsets: u16,
        size: u8,
    },
    /// A loop of the points of the block.
    Loop {
        region: u16,
    },
}

/// An operand's elements at this point.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) value: u16,
    pub(crate) operand: u16,
    pub(crate) size: u8,
    /// Whether a store or an accumulator reads it directly, after other stores may have run.
    pub(crate) late: bool,
}

/// A store or scatter, run after the steps.
pub(crate) struct Sink {
    pub(crate) operand: u16,
    pub(crate) value: u16,
    pub(crate) size: u8,
    /// Whether its stores may pass the caches by, however few they are.
    pub(crate) nontemporal: bool,
    /// The offsets of a scatter.
    pub(crate) offsets: Option<u16>,
    /// Whether a block operation produces the value and no earlier sink takes it, so that the producer may write it to memory.
    pub(crate) produced: bool,
    /// Operands that must not overlap this one if the producer is to write to memory directly.
    pub(crate) conflicts: Vec<Conflict>,
}

/// A loop-invariant value: a parameter or a literal.
pub(crate) struct Uniform {
    pub(crate) value: u16,
    pub(crate) size: u8,
    pub(crate) source: UniformSource,
    /// The loop that broadcasts it to a register.
    pub(crate) fill: LoopFn,
}

/// The source of a loop-invariant value.
#[derive(Clone, Copy)]
pub(crate) enum UniformSource {
    Param(u16),
    Const(Scalar),
}

/// A fragment, resolved.
pub(crate) struct Bytecode {
    /// Entries of the pointer table.
    pub(crate) values: usize,
    pub(crate) loads: Vec<Load>,
    pub(crate) steps: Vec<BlockOp>,
    /// The calls among the steps.
    pub(crate) calls: Vec<LoopCall>,
    /// The steps with machine code in the place of several calls; empty if there is none.
    pub(crate) stages: Vec<Stage>,
    /// Whether that code has a slow path: it may skip lanes, and then the calls re-execute the block.
    pub(crate) has_slow_path: bool,
    /// Elements of the shortest rows that a call of each function runs together.
    pub(crate) shortest_row: usize,
    /// The loops.
    pub(crate) regions: Vec<RegionCode>,
    pub(crate) sinks: Vec<Sink>,
    pub(crate) uniforms: Vec<Uniform>,
    /// Entries that read an accumulator.
    pub(crate) results: Vec<(u16, u8)>,
    /// Entries with a register: its offset in bytes for each element of a block, and the item size.
    pub(crate) registers: Vec<(u16, u32, u8)>,
    /// Bytes of registers for each element of a block, and elements of a block: [`block_length`] of it.
    pub(crate) width: usize,
    pub(crate) block_len: usize,
    /// Elements of a tile of whole rows or columns: more than those of a block, which decide the bits of sums, where one function of machine
    /// code runs all calls.
    pub(crate) tile_len: usize,
    /// The flags the kernel may raise.
    pub(crate) fp_mask: FpFlags,
    /// The cost model: nanoseconds an element, roughly, if memory is not the limit, and those of stores besides; the bytes of memory traffic
    /// an element.
    pub(crate) cost: f64,
    pub(crate) store_cost: f64,
    pub(crate) bytes: usize,
}

impl Bytecode {
    /// Whether it has calls, strided loads and strided stores alone.
    pub(crate) fn is_plain(&self) -> bool {
        self.calls.len() == self.steps.len() && self.sinks.iter().all(|s| s.offsets.is_none())
    }

    /// Whether it only loads: its values are in memory.
    pub(crate) fn needs_no_registers(&self) -> bool {
        self.calls.is_empty() && self.uniforms.is_empty()
    }

    /// Whether it scatters, and so must run its points in order.
    pub(crate) fn scatters(&self) -> bool {
        self.sinks.iter().any(|s| s.offsets.is_some())
    }

    /// Nanoseconds an element, stores included.
    pub(crate) fn total_cost(&self) -> f64 {
        self.cost + self.store_cost
    }

    /// Whether an instruction may raise flags.
    pub(crate) fn has_effects(&self) -> bool {
        !self.fp_mask.is_empty()
    }

    /// Whether a block may be re-executed, to attribute flags or for the slow path.
    pub(crate) fn may_rerun(&self) -> bool {
        self.has_effects() || self.has_slow_path
    }
}

/// Broadcasts a loop-invariant value to a register.
///
/// # Safety
/// `out` has room for `n` elements.
#[inline]
pub(crate) unsafe fn fill_uniform(out: *mut u8, uniform: &Uniform, launch: &Launch<'_>, n: usize) {
    let scalar = match uniform.source {
        UniformSource::Param(p) => launch.scalars[p as usize],
        UniformSource::Const(c) => c,
    };
    let bits = scalar.bits();
    let item = (&raw const bits).cast();
    // SAFETY: the caller's contract; a scalar's bits are its bytes in memory order on little-endian machines.
    unsafe { (uniform.fill)(out, item, item, item, n, 0) };
}

/// Elements of a block if each takes `width` bytes of registers.
pub(crate) fn block_length(width: usize) -> usize {
    (BLOCK_REGISTER_BYTES / width.max(1)).clamp(BLOCK_LEN_BOUNDS.0, BLOCK_LEN_BOUNDS.1) & !63
}

/// Resolves a fragment.
///
/// # Errors
/// If an instruction has no loop.
pub(crate) fn resolve(
    kernel: &Kernel,
    fragment: &Fragment,
    isa: Isa,
    jit: Option<&dyn JitHook>,
) -> Result<Bytecode, String> {
    let mut code = Bytecode {
        values: fragment.insts.len(),
        loads: vec![],
        steps: vec![],
        calls: vec![],
        stages: vec![],
        has_slow_path: false,
        shortest_row: 0,
        regions: vec![],
        sinks: vec![],
        uniforms: vec![],
        results: vec![],
        registers: vec![],
        width: 0,
        block_len: 0,
        tile_len: 0,
        fp_mask: FpFlags::NONE,
        cost: 0.0,
        store_cost: 0.0,
        bytes: 0,
    };
    if fragment.insts.len() > u16::MAX as usize {
        return Err("too many instructions".into());
    }
    for (i, inst) in fragment.insts.iter().enumerate() {
        add_instruction(&mut code, kernel, fragment, i, inst, isa)?;
    }
    code.calls = code.steps.iter().filter_map(|s| if let BlockOp::Call(c) = s { Some(*c) } else { None }).collect();
    if !code.calls.is_empty() || !code.regions.is_empty() {
        code.fp_mask = effects(kernel);
    }
    for a in kernel.accumulators.iter().filter(|_| std::ptr::eq(fragment, &kernel.body)) {
        code.loads.iter_mut().filter(|l| l.value as u32 == a.value.0).for_each(|l| l.late = true);
    }
    allocate_registers(&mut code, kernel, fragment);
    if let Some(jit) = jit {
        jit_hook::replace_calls(&mut code, kernel, fragment, jit);
        if let [Stage::MapCall(_)] = code.stages[..] {
            // Values within go through no registers in memory.
            code.tile_len = BLOCK_LEN_BOUNDS.1;
        }
    }
    find_conflicts(&mut code, kernel, fragment);
    Ok(code)
}

/// All flags that instructions of a kernel may raise. Loops may also raise flags that are not reported for their instruction
/// (comparisons, of a nan); these must not be attributed to a fold or to the other fragment, so each fragment uses this mask.
pub(crate) fn effects(kernel: &Kernel) -> FpFlags {
    let of = |fragment: &Fragment| {
        (0..fragment.insts.len()).map(|i| fragment.effects(i)).fold(FpFlags::NONE, |all, effects| all | effects)
    };
    let folds = (0..kernel.accumulators.len()).map(|i| kernel.fold_effects(i));
    folds.fold(of(&kernel.body) | of(&kernel.epilogue), |all, effects| all | effects)
}

/// The call of an instruction that computes, and what it costs ([`Bytecode::cost`]); none for the others.
///
/// # Errors
/// If the instruction has no loop.
pub(crate) fn loop_call(f: &Fragment, i: usize, isa: Isa) -> Result<Option<(LoopCall, f64)>, String> {
    let dtype = f.types[i];
    let size = dtype.size() as f64 / 8.0;
    let entry = |v: ValueId| v.0 as u16;
    let (run, args, in_place, cost) = match &f.insts[i] {
        Inst::Apply(op, args) => {
            let from = f.dtype(args[0]);
            let run = elementwise::lookup(*op, from, isa).ok_or_else(|| format!("no loop of {op} in {from}"))?;
            let cost = 0.08 * op.row().cost as f64 * from.size() as f64 / 8.0;
            let args = [entry(args[0]), entry(args[op.arity() - 1]), entry(args[0])];
            (run, args, elementwise::works_in_place(*op, from), cost)
        }
        Inst::Fma(args) => {
            let run = fused_multiply_add::lookup(dtype, isa).ok_or_else(|| format!("no fma in {dtype}"))?;
            (run, args.map(entry), true, 0.1 * size)
        }
        Inst::Step(step, args) => {
            let from = f.dtype(args[0]);
            let run = primitives::lookup(*step, from, isa).ok_or_else(|| format!("no {step} in {from}"))?;
            (run, [entry(args[0]), entry(args[1]), entry(args[0])], false, 0.3 * size)
        }
        Inst::Select(args) => (copies::select(dtype.size(), isa), args.map(entry), true, 0.1 * size),
        Inst::Cast(from, _) => {
            let source = f.dtype(*from);
            let cost = 0.1 * dtype.size().max(source.size()) as f64 / 8.0;
            (casts::lookup(source, dtype, isa), [entry(*from); 3], false, cost)
        }
        Inst::Bits(from, _) => {
            // A copy of the word.
            let word = if dtype.size() == 8 { DType::U64 } else { DType::U32 };
            let run = elementwise::lookup(Op::Positive, word, isa).ok_or_else(|| format!("no copies of {word}"))?;
            (run, [entry(*from); 3], elementwise::works_in_place(Op::Positive, word), 0.08 * size)
        }
        Inst::Part(from, part) => (copies::part(dtype.size(), *part, isa), [entry(*from); 3], false, 0.08 * size),
        Inst::Complex([re, im]) => {
            (copies::complex(dtype.size(), isa), [entry(*re), entry(*im), entry(*re)], false, 0.08 * size)
        }
        Inst::Load(_)
        | Inst::Param(_)
        | Inst::Const(_)
        | Inst::Index(_)
        | Inst::Gather(..)
        | Inst::Store(..)
        | Inst::Scatter(..)
        | Inst::Result(_)
        | Inst::Loop(_)
        | Inst::Exit(..)
        | Inst::Input(_) => return Ok(None),
    };
    let (out, inst, effects) = (i as u16, i as u32, f.effects(i));
    let bit = |v: u16| 1u64.checked_shl(v as u32).unwrap_or(0);
    let entries = args.iter().fold(bit(out), |all, &v| all | bit(v));
    Ok(Some((LoopCall { run, out, args, inst, effects, entries, in_place }, cost)))
}

/// Adds one instruction.
fn add_instruction(
    code: &mut Bytecode,
    k: &Kernel,
    f: &Fragment,
    i: usize,
    inst: &Inst,
    isa: Isa,
) -> Result<(), String> {
    let size = f.types[i].size() as u8;
    let value = i as u16;
    let entry = |v: ValueId| v.0 as u16;
    if let Some((call, cost)) = loop_call(f, i, isa)? {
        code.steps.push(BlockOp::Call(call));
        code.cost += cost;
        return Ok(());
    }
    match inst {
        Inst::Load(OperandId(operand)) => {
            code.cost += 0.03 * size as f64 / 8.0;
            code.bytes += size as usize;
            code.loads.push(Load { value, operand: *operand, size, late: false });
        }
        Inst::Param(p) => add_uniform(code, value, size, UniformSource::Param(p.0), isa),
        Inst::Const(c) => add_uniform(code, value, size, UniformSource::Const(*c), isa),
        Inst::Index(axis) => code.steps.push(BlockOp::Index { value, axis: *axis }),
        Inst::Gather(operand, offsets) => {
            code.cost += 0.5;
            code.steps.push(BlockOp::Gather { value, operand: operand.0, offsets: entry(*offsets), size });
        }
        Inst::Store(operand, v) => add_sink(code, k, f, *operand, *v, None),
        Inst::Scatter(operand, offsets, v) => add_sink(code, k, f, *operand, *v, Some(entry(*offsets))),
        Inst::Result(a) => code.results.push((value, *a)),
        Inst::Loop(repeated) => {
            let region = RegionCode::resolve(f, i, repeated, isa)?;
            code.cost += region.cost();
            code.steps.push(BlockOp::Loop { region: code.regions.len() as u16 });
            code.regions.push(region);
        }
        // The loop writes them.
        Inst::Exit(..) => {}
        Inst::Apply(..)
        | Inst::Fma(_)
        | Inst::Step(..)
        | Inst::Select(_)
        | Inst::Cast(..)
        | Inst::Bits(..)
        | Inst::Part(..)
        | Inst::Complex(_)
        | Inst::Input(_) => unreachable!("what computes is a call, and inputs are of regions"),
    }
    Ok(())
}

/// Whether an instruction is a load, a parameter or a literal: its value needs no step.
fn is_input(inst: &Inst) -> bool {
    matches!(inst, Inst::Load(_) | Inst::Param(_) | Inst::Const(_))
}

/// Whether a step computes the value.
fn is_computed(inst: &Inst) -> bool {
    !is_input(inst) && !inst.is_effect() && !matches!(inst, Inst::Result(_) | Inst::Loop(_))
}

fn add_uniform(code: &mut Bytecode, value: u16, size: u8, source: UniformSource, isa: Isa) {
    code.uniforms.push(Uniform { value, size, source, fill: copies::fill(size as usize, isa) });
}

fn add_sink(
    code: &mut Bytecode,
    kernel: &Kernel,
    fragment: &Fragment,
    operand: OperandId,
    v: ValueId,
    offsets: Option<u16>,
) {
    debug_assert_eq!(kernel.operands[operand.0 as usize].access, Access::Write);
    let value = v.0 as u16;
    let size = fragment.dtype(v).size() as u8;
    let inst = &fragment.insts[v.0 as usize];
    // What a loop writes is written before the instruction that names it.
    let may_produce = offsets.is_none() && is_computed(inst) && !matches!(inst, Inst::Exit(..));
    let produced = may_produce && code.sinks.iter().all(|s| s.value != value);
    for l in code.loads.iter_mut().filter(|l| l.value == value || offsets == Some(l.value)) {
        l.late = true;
    }
    code.bytes += size as usize;
    code.store_cost += if offsets.is_some() { 1.0 } else { 0.04 * size as f64 / 8.0 };
    let nontemporal = kernel.operands[operand.0 as usize].nontemporal;
    code.sinks.push(Sink { operand: operand.0, value, size, nontemporal, offsets, produced, conflicts: vec![] });
}

/// Liveness: the last instruction that reads each value; one past the end if a sink or an accumulator reads it.
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

/// Allocates registers by linear scan.
fn allocate_registers(code: &mut Bytecode, kernel: &Kernel, fragment: &Fragment) {
    let last = last_uses(kernel, fragment);
    let mut free: Vec<(usize, u32)> = vec![];
    let mut register_of = vec![None; fragment.insts.len()];
    let mut width = 0u32;
    for (i, inst) in fragment.insts.iter().enumerate() {
        let size = fragment.types[i].size();
        let computed = is_computed(inst);
        if !is_input(inst) && !computed {
            continue;
        }
        // A loop writes its exits before their turn, when others may still have what is free by then.
        let may_reuse = computed && !matches!(inst, Inst::Exit(..));
        let reused =
            if may_reuse { free.iter().rposition(|&(s, _)| s == size).map(|at| free.swap_remove(at).1) } else { None };
        let offset = reused.unwrap_or_else(|| {
            width += size as u32;
            width - size as u32
        });
        register_of[i] = Some(offset);
        code.registers.push((i as u16, offset, size as u8));
        for v in Fragment::arguments(inst) {
            let v = v.0 as usize;
            if last[v] == i
                && !is_input(&fragment.insts[v])
                && let Some(p) = register_of[v].take()
            {
                free.push((fragment.types[v].size(), p));
            }
        }
    }
    for region in &mut code.regions {
        region.at = width;
        width += region.width();
    }
    code.width = width as usize;
    code.block_len = block_length(code.width);
    code.tile_len = code.block_len;
}

/// Finds the operands that a store's destination must not overlap for its producer to write there: those of other stores, and those of
/// loads that are live at the producer. If the block may be re-executed, all loads count as live.
fn find_conflicts(code: &mut Bytecode, kernel: &Kernel, fragment: &Fragment) {
    let last = last_uses(kernel, fragment);
    let twice = code.may_rerun();
    let restrict = |operand: u16| kernel.operands[operand as usize].restrict;
    for at in 0..code.sinks.len() {
        let (operand, value) = (code.sinks[at].operand, code.sinks[at].value as usize);
        if restrict(operand) {
            continue;
        }
        let size = code.sinks[at].size;
        let in_place = code.calls.iter().any(|c| c.out as usize == value && c.in_place);
        let disjoint = |operand, size| Conflict { operand, may_coincide: false, size };
        let mut conflicts: Vec<Conflict> = vec![];
        conflicts.extend(code.loads.iter().filter(|l| twice || last[l.value as usize] >= value).map(|l| Conflict {
            may_coincide: in_place && l.size == size && last[l.value as usize] <= value,
            ..disjoint(l.operand, l.size)
        }));
        conflicts.extend(code.steps.iter().filter_map(|s| match *s {
            BlockOp::Gather { value: g, operand, size, .. } if twice || g as usize >= value => {
                Some(disjoint(operand, size))
            }
            BlockOp::Call(_) | BlockOp::Index { .. } | BlockOp::Gather { .. } | BlockOp::Loop { .. } => None,
        }));
        let others = code.sinks.iter().enumerate().filter(|(other, _)| *other != at);
        conflicts.extend(others.map(|(_, s)| disjoint(s.operand, s.size)));
        conflicts.retain(|c| !restrict(c.operand));
        conflicts.sort_unstable();
        conflicts.dedup_by_key(|c| c.operand);
        code.sinks[at].conflicts = conflicts;
    }
}
