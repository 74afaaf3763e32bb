//! Lowering: from a group to a kernel, and to the extents and strides it is launched with.
//!
//! Values pass between the group's nodes in registers. A node that reads what no earlier node of the group wrote emits a load; the
//! last write to each location that is live afterwards emits a store. A store to memory that the kernel touches nowhere else stands right
//! behind its value, which is in a register there; the others stand at the end of their fragment, so every load of the group sees memory
//! as it was before the group.

use crate::array::layout::{Shape, Strides, count};
use crate::plan::compose::Composition;
use crate::plan::group::{self, Group, KernelLimits, Section, full};
use crate::plan::liveness::Liveness;
use crate::plan::plan::PartInst;
use crate::plan::trace::{Node, NodeInput, Operation, SlotAccess};
use fastnp_codegen::backend::composed::OperandPlace;
use fastnp_codegen::cost::{ACROSS_BYTES, STORED_ACROSS_BYTES};
use fastnp_codegen::{Access, DType, Fold, FragmentBuilder, Kernel, KernelBuilder, Op, Scalar, Template, ValueId};
use smallvec::{SmallVec, smallvec};

/// A kernel with its launch.
pub(crate) struct Lowered {
    pub(crate) kernel: Kernel,
    pub(crate) outer: Shape,
    pub(crate) inner: Shape,
    pub(crate) strides: Vec<isize>,
    pub(crate) scalars: SmallVec<[u32; 4]>,
    pub(crate) parts: Vec<PartInst>,
    pub(crate) memory: LoweredMemory,
}

/// The memory of a kernel's operands.
pub(crate) struct LoweredMemory {
    /// Slot and byte offset of each operand.
    pub(crate) operands: SmallVec<[(u32, isize); 6]>,
    pub(crate) donations: SmallVec<[(u32, u32); 1]>,
    /// Of a composition's group: the outer axis that holds the shared one, and its points by index of the shared one.
    pub(crate) shared: (usize, usize),
    /// By operand, of a composition's group: where it is.
    pub(crate) places: SmallVec<[OperandPlace; 6]>,
}

/// A memory operand: an access over the full domain (stride zero on reduced axes for what the epilogue touches).
struct Operand {
    access: SlotAccess,
    section: Section,
    write: bool,
}

/// Lowers the group numbered `index`; if it is one of a composition, with the shared axis, to a launch on the first block.
pub(crate) fn lower(
    nodes: &[Node],
    index: usize,
    group: &Group,
    liveness: &Liveness,
    composed: Option<(&Composition, usize)>,
) -> Lowered {
    let operands = operands(nodes, index, group, liveness);
    let unaliased = unaliased(&operands);
    // Other stages may read what a donation would overwrite, and most results are in scratch memory.
    let donations = match composed {
        None => donations(nodes, index, group, liveness, &operands, &unaliased),
        Some(_) => SmallVec::new(),
    };
    let mut domain = group.domain.clone();
    let mut strides: SmallVec<[Strides; 8]> = operands.iter().map(|o| o.access.strides.clone()).collect();
    let mut places = SmallVec::new();
    if let Some((composition, axis)) = composed {
        let place = |(operand, strides): (&Operand, &mut Strides)| {
            let in_scratch = composition.in_scratch(&operand.access, &group.domain, strides);
            in_scratch.map_or(OperandPlace::Memory(strides[axis]), OperandPlace::Scratch)
        };
        places = operands.iter().zip(&mut strides).map(place).collect();
        domain[axis] = composition.block;
    }
    let strides: SmallVec<[&[isize]; 8]> = strides.iter().map(|s| &s[..]).collect();
    let ordered = group.members.iter().any(|m| {
        matches!(
            nodes[m.node as usize].op,
            Operation::Fold(Fold::ArgMin | Fold::ArgMax) | Operation::Ramp | Operation::Scatter
        )
    });
    let widths: SmallVec<[bool; 8]> = operands.iter().map(|o| o.write).collect();
    let axis = composed.map(|(_, axis)| axis);
    let Collapsed { outer, inner, strides, shared } =
        collapse(&domain, group.reduced, &strides, &widths, ordered, axis);
    let restrict = |i: usize| {
        let slot = operands[i].access.slot;
        unaliased[i] && !donations.iter().any(|d| d.0 == slot || d.1 == slot)
    };
    let (mut kernel, scalars, parts) = emit(nodes, group, &operands, (outer.len(), inner.len()), restrict);
    for (decl, operand) in kernel.operands.iter_mut().zip(&operands) {
        decl.nontemporal = operand.write && composed.is_some_and(|(c, _)| c.nontemporal.contains(&operand.access.slot));
    }
    let operands = operands.iter().map(|o| (o.access.slot, o.access.offset)).collect();
    let memory = LoweredMemory { operands, donations, shared, places };
    Lowered { kernel, outer, inner, strides, scalars, parts, memory }
}

/// What a statement of [`lower_statements`] reads: memory or a number of a type, or the target of an earlier statement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InputType {
    Memory(DType),
    Scalar(DType),
    Result(usize),
}

/// A statement of [`lower_statements`]: an operation without the memory it works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatementType<'a> {
    pub(crate) op: Operation,
    pub(crate) compute: DType,
    pub(crate) inputs: &'a [InputType],
    pub(crate) target: DType,
}

/// The kernel of statements that share a domain of so many outer and inner axes, for launches with any operands: each input is an
/// operand or a number of its own, and sources may be the same memory. Folds and scans are over the inner axes. The last target is
/// stored, the others are values in registers. `restrict` says that the target is none of the sources.
pub(crate) fn lower_statements(
    statements: &[StatementType<'_>],
    (outer, inner): (usize, usize),
    restrict: bool,
) -> Kernel {
    // Only ranks are part of a kernel: any extents and strides will do.
    let domain: Shape = smallvec![2; outer + inner];
    let access =
        |slot: usize, dtype| SlotAccess { slot: slot as u32, dtype, offset: 0, strides: smallvec![0; outer + inner] };
    // The statements' targets have the first slots; memory that is read and numbers are counted on from there.
    let mut next = statements.len();
    let mut source = |input: &InputType| {
        next += 1;
        match *input {
            InputType::Memory(dtype) => NodeInput::Memory(access(next - 1, dtype)),
            InputType::Scalar(dtype) => NodeInput::Scalar(next as u32 - 1, dtype),
            InputType::Result(statement) => NodeInput::Memory(access(statement, statements[statement].target)),
        }
    };
    let mut node = |(i, s): (usize, &StatementType<'_>)| Node {
        index: i as u32,
        op: s.op,
        compute: s.compute,
        reduced: if fold_of(s.op).is_some() { ((1 << inner) - 1) << outer } else { 0 },
        sources: s.inputs.iter().map(&mut source).collect(),
        target: access(i, s.target),
        domain: domain.clone(),
        covers: true,
    };
    let mut nodes: SmallVec<[Node; 1]> = statements.iter().enumerate().map(&mut node).collect();
    let groups = group::group(&mut nodes, &[], KernelLimits { pack_points: 0, ..KernelLimits::HOST });
    debug_assert_eq!(groups.len(), 1, "statements over one domain, a fold last, share a kernel");
    let mut live = vec![false; next];
    live[statements.len() - 1] = true;
    let liveness = Liveness::of(&nodes, &groups, &live);
    let operands = operands(&nodes, 0, &groups[0], &liveness);
    emit(&nodes, &groups[0], &operands, (outer, inner), |i| restrict && operands[i].write).0
}

/// Emits the kernel of a group, whose operands have so many outer and inner axes left. `restrict` says by operand whether it is
/// the only one of its memory.
fn emit(
    nodes: &[Node],
    group: &Group,
    operands: &[Operand],
    (outer, inner): (usize, usize),
    restrict: impl Fn(usize) -> bool,
) -> (Kernel, SmallVec<[u32; 4]>, Vec<PartInst>) {
    let mut builder = KernelBuilder::new(template(nodes, group), outer as u8, inner as u8);
    let is_restrict: SmallVec<[bool; 8]> = (0..operands.len()).map(restrict).collect();
    for (i, operand) in operands.iter().enumerate() {
        let access = if operand.write { Access::Write } else { Access::Read };
        builder.operand(operand.access.dtype, access, is_restrict[i]);
    }
    let mut emitter = Emitter {
        nodes,
        group,
        operands,
        is_restrict,
        is_stored: smallvec![false; operands.len()],
        builder,
        scalars: SmallVec::new(),
        known: Vec::new(),
        folds: Vec::new(),
        parts: Vec::new(),
    };
    emitter.run();
    let Emitter { builder, scalars, parts, .. } = emitter;
    (builder.finish(), scalars, parts)
}

fn template(nodes: &[Node], group: &Group) -> Template {
    if group.reduced == 0 {
        Template::Map
    } else if group.members.iter().any(|m| nodes[m.node as usize].scans()) {
        Template::Scan
    } else {
        Template::Reduce
    }
}

/// The accesses to memory that remain when values pass in registers: loads in order, then stores.
fn operands(nodes: &[Node], index: usize, group: &Group, liveness: &Liveness) -> SmallVec<[Operand; 8]> {
    let mut loads: SmallVec<[Operand; 8]> = SmallVec::new();
    let mut stores: SmallVec<[Operand; 8]> = SmallVec::new();
    for member in &group.members {
        let node = &nodes[member.node as usize];
        for read in node.reads() {
            let access = full(read, group, member.section);
            let known = stores.iter().any(|o| o.access == access)
                || loads.iter().any(|o| o.section == member.section && o.access == access);
            if !known {
                loads.push(Operand { access, section: member.section, write: false });
            }
        }
        let section = if node.reduced != 0 { Section::Epilogue } else { member.section };
        let access = full(&node.target, group, member.section);
        if !stores.iter().any(|o| o.access == access) {
            stores.push(Operand { access, section, write: true });
        }
    }
    stores.retain(|o| liveness.escapes(o.access.slot, index));
    loads.extend(stores);
    loads
}

/// Alias analysis: by operand, whether no other operand is of the same storage.
fn unaliased(operands: &[Operand]) -> SmallVec<[bool; 8]> {
    let mut slots: SmallVec<[u32; 8]> = operands.iter().map(|o| o.access.slot).collect();
    slots.sort_unstable();
    let is_unaliased = |slot: u32| {
        let first = slots.partition_point(|&s| s < slot);
        slots.get(first + 1) != Some(&slot)
    };
    operands.iter().map(|o| is_unaliased(o.access.slot)).collect()
}

/// Donations: stores that may reuse the memory of an operand that dies here. Both are dense over the whole of equally large
/// storages, and read and written at the same index.
fn donations(
    nodes: &[Node],
    index: usize,
    group: &Group,
    liveness: &Liveness,
    operands: &[Operand],
    unaliased: &[bool],
) -> SmallVec<[(u32, u32); 1]> {
    let mut out: SmallVec<[(u32, u32); 1]> = SmallVec::new();
    // A loop that is interrupted is computed again, so it overwrites nothing. Machine code that folds what it stores reads nothing that it
    // stores to: `v = np.exp(t)` and its sum, for which `t` dies, took 2.5 times as long, in the interpreter.
    let keeps = |node: &Node| matches!(node.op, Operation::Gather | Operation::Fold(_)) || node.repeats();
    if group.members.iter().any(|m| keeps(&nodes[m.node as usize])) {
        return out;
    }
    let body: SmallVec<[&Operand; 8]> = operands
        .iter()
        .zip(unaliased)
        .filter(|(o, unaliased)| **unaliased && o.section == Section::Body)
        .map(|(o, _)| o)
        .collect();
    for taker in body.iter().filter(|o| o.write && liveness.begins(o.access.slot, index)) {
        let covers = group.members.iter().any(|m| {
            let node = &nodes[m.node as usize];
            node.covers && node.target.slot == taker.access.slot
        });
        let giver = body.iter().find(|o| {
            !o.write
                && liveness.ends(o.access.slot, index)
                && o.access.dtype.size() == taker.access.dtype.size()
                && o.access.strides == taker.access.strides
                && !out.iter().any(|d| d.1 == o.access.slot)
        });
        if let (true, Some(giver)) = (covers && count(&group.domain) > 1, giver) {
            out.push((taker.access.slot, giver.access.slot));
        }
    }
    out
}

struct Emitter<'a> {
    nodes: &'a [Node],
    group: &'a Group,
    operands: &'a [Operand],
    /// By operand: whether it is the only one of its memory, and whether its store has been emitted.
    is_restrict: SmallVec<[bool; 8]>,
    is_stored: SmallVec<[bool; 8]>,
    builder: KernelBuilder,
    scalars: SmallVec<[u32; 4]>,
    /// The current value of a location, by section and access.
    known: Vec<(Section, SlotAccess, ValueId)>,
    /// Accumulators whose result goes to an access; resolved when the epilogue begins.
    folds: Vec<(u8, DType, SlotAccess)>,
    parts: Vec<PartInst>,
}

impl Emitter<'_> {
    fn run(&mut self) {
        for (place, member) in self.group.members.iter().enumerate().filter(|(_, m)| m.section == Section::Body) {
            self.emit(&self.nodes[member.node as usize], Section::Body);
            self.store_at_once(place);
        }
        self.stores(Section::Body);
        for (accumulator, dtype, access) in std::mem::take(&mut self.folds) {
            let mut epilogue = self.builder.epilogue();
            let folded = epilogue.result(accumulator);
            let value = epilogue.cast(folded, dtype);
            self.set(Section::Epilogue, access, value);
        }
        for member in self.group.members.iter().filter(|m| m.section == Section::Epilogue) {
            self.emit(&self.nodes[member.node as usize], Section::Epilogue);
        }
        self.stores(Section::Epilogue);
    }

    fn set(&mut self, section: Section, access: SlotAccess, value: ValueId) {
        match self.known.iter_mut().find(|k| k.0 == section && k.1 == access) {
            Some(known) => known.2 = value,
            None => self.known.push((section, access, value)),
        }
    }

    fn emit(&mut self, node: &Node, section: Section) {
        let mut args: SmallVec<[ValueId; 3]> = SmallVec::new();
        for source in &node.sources {
            args.push(match source {
                NodeInput::Memory(access) if node.op == Operation::Gather && args.is_empty() => {
                    self.base(access, section)
                }
                NodeInput::Memory(access) => self.read(access, section),
                NodeInput::Scalar(index, dtype) => self.scalar(*index, *dtype, section),
            });
        }
        let target = full(&node.target, self.group, section);
        if let (true, Some(fold)) = (node.reduced != 0, fold_of(node.op)) {
            let value = self.fragment(section).cast(args[0], node.compute);
            let accumulator = self.builder.accumulate(fold, value);
            self.folds.push((accumulator, node.target.dtype, target));
            return;
        }
        if node.op == Operation::Scatter {
            let operand = self.operand(&target, Section::Body, true);
            let mut body = self.builder.body();
            let value = body.cast(args[0], node.target.dtype);
            body.scatter(operand, args[1], value);
            return;
        }
        let ramp_axis = (!node.domain.is_empty()).then_some(0);
        let gathered = (node.op == Operation::Gather).then(|| {
            let NodeInput::Memory(base) = &node.sources[0] else { unreachable!("gathers read memory") };
            self.operand(&full(base, self.group, section), section, false)
        });
        let mut fragment = self.fragment(section);
        let value = match gathered {
            Some(operand) => fragment.gather(operand, args[1]),
            None => compute(&mut fragment, node.op, node.compute, &args, ramp_axis),
        };
        let computed = fragment.loop_of(value).or(fragment.rounded_from(value)).unwrap_or(value);
        let value = fragment.cast(value, node.target.dtype);
        self.note_part(node.op, section, &[computed, value]);
        self.set(section, target, value);
    }

    /// Notes what the flags of instructions are reported of. Of equal instructions there is one, whose flags are those of the first.
    fn note_part(&mut self, op: Operation, section: Section, values: &[ValueId]) {
        if let Some(of) = op.composite() {
            let part = |value: &ValueId| PartInst { in_epilogue: section == Section::Epilogue, inst: value.0, of };
            self.parts.extend(values.iter().map(part));
        }
    }

    fn fragment(&mut self, section: Section) -> FragmentBuilder<'_> {
        match section {
            Section::Body => self.builder.body(),
            Section::Epilogue => self.builder.epilogue(),
        }
    }

    fn operand(&self, access: &SlotAccess, section: Section, write: bool) -> fastnp_codegen::OperandId {
        let found = self.operands.iter().position(|o| o.write == write && o.section == section && o.access == *access);
        fastnp_codegen::OperandId(found.expect("every access without a register is an operand") as u16)
    }

    fn read(&mut self, access: &SlotAccess, section: Section) -> ValueId {
        let access = full(access, self.group, section);
        if let Some(known) = self.known.iter().find(|k| k.0 == section && k.1 == access) {
            return known.2;
        }
        let operand = self.operand(&access, section, false);
        self.fragment(section).load(operand)
    }

    /// A gather's base is an address, not a value; any constant fills its position among the arguments.
    fn base(&mut self, _: &SlotAccess, section: Section) -> ValueId {
        self.fragment(section).constant(Scalar::zero(DType::I64))
    }

    fn scalar(&mut self, index: u32, dtype: DType, section: Section) -> ValueId {
        // One parameter for each scalar of the trace: the values are not part of the structure.
        let id = match self.scalars.iter().position(|&s| s == index) {
            Some(found) => fastnp_codegen::ScalarId(found as u16),
            None => {
                self.scalars.push(index);
                self.builder.scalar(dtype)
            }
        };
        self.fragment(section).param(id)
    }

    /// Stores what the member at a place of the body computed, if no later one overwrites it, and the kernel touches the memory nowhere
    /// else: otherwise the value would take a register, or a frame, up to the end.
    fn store_at_once(&mut self, place: usize) {
        let target_of = |place: usize| {
            let member = self.group.members[place];
            full(&self.nodes[member.node as usize].target, self.group, member.section)
        };
        let target = target_of(place);
        let is_target = |o: &Operand| o.write && o.section == Section::Body && o.access == target;
        let Some(operand) = self.operands.iter().position(is_target) else { return };
        let is_last = (place + 1..self.group.members.len()).all(|later| target_of(later) != target);
        if is_last && self.is_restrict[operand] {
            self.store(operand);
        }
    }

    /// The stores of a section that are left.
    fn stores(&mut self, section: Section) {
        for operand in 0..self.operands.len() {
            if self.operands[operand].section == section {
                self.store(operand);
            }
        }
    }

    /// Stores the value of an operand that is written, once.
    fn store(&mut self, operand: usize) {
        let Operand { access, section, write } = &self.operands[operand];
        let known = self.known.iter().find(|k| k.0 == *section && k.1 == *access);
        if let (true, false, Some(&(section, _, value))) = (*write, self.is_stored[operand], known) {
            self.is_stored[operand] = true;
            self.fragment(section).store(fastnp_codegen::OperandId(operand as u16), value);
        }
    }
}

/// How an operation folds, where it does.
fn fold_of(op: Operation) -> Option<Fold> {
    match op {
        Operation::Fold(fold) => Some(fold),
        Operation::Scan(op) => Some(Fold::Op(op)),
        _ => None,
    }
}

/// Emits what an operation does at one point.
fn compute(
    f: &mut FragmentBuilder<'_>,
    op: Operation,
    dtype: DType,
    args: &[ValueId],
    ramp_axis: Option<u8>,
) -> ValueId {
    match op {
        Operation::Apply(op) | Operation::Part(_, op) => {
            let args: SmallVec<[ValueId; 2]> = args.iter().map(|&a| f.cast(a, dtype)).collect();
            f.apply(op, &args)
        }
        Operation::Copy => args[0],
        Operation::Select => {
            let (then, otherwise) = (f.cast(args[1], dtype), f.cast(args[2], dtype));
            let condition = f.cast(args[0], DType::Bool);
            f.select(condition, then, otherwise)
        }
        Operation::Ramp => {
            let index = match ramp_axis {
                Some(axis) => f.index(axis),
                None => f.constant(Scalar::zero(DType::I64)),
            };
            // Positions are exact as doubles, to which and from which more processors convert than from integers of eight bytes.
            let index = if dtype == DType::F32 { f.cast(index, DType::F64) } else { index };
            let index = f.cast(index, dtype);
            let &[start, step] = args else { return index };
            let (start, step) = (f.cast(start, dtype), f.cast(step, dtype));
            let run = f.apply(Op::Multiply, &[index, step]);
            f.apply(Op::Add, &[start, run])
        }
        // Over no axis there is nothing to fold: the result is the value itself, or position zero. Sums start from zero: `-0.0`
        // becomes `0.0`.
        Operation::Fold(Fold::ArgMin | Fold::ArgMax) => f.constant(Scalar::zero(DType::I64)),
        Operation::Fold(Fold::Op(op)) => match op.fold().and_then(|row| row.start(dtype)) {
            Some(start) => {
                let (start, value) = (f.constant(start), f.cast(args[0], dtype));
                f.apply(op, &[start, value])
            }
            None => f.cast(args[0], dtype),
        },
        Operation::Scan(_) => f.cast(args[0], dtype),
        Operation::Loop(function, result) => {
            let region = function.region();
            let cast = |(&a, &dtype): (&ValueId, &DType)| f.cast(a, dtype);
            let inputs: SmallVec<[ValueId; 8]> = args.iter().zip(&region.inputs).map(cast).collect();
            let repeated = f.repeat(&region, &inputs);
            f.exit(repeated, result)
        }
        Operation::Contract(_) | Operation::Gather | Operation::Scatter => {
            unreachable!("{} is no function of its arguments' values", op.name())
        }
    }
}

/// Elements of the shortest rows to which transposed operands are copied.
const SHORT_ROW: usize = 16;

/// A domain with its axes ordered and merged.
pub struct Collapsed {
    /// Outer extents.
    pub outer: Shape,
    /// Inner extents.
    pub inner: Shape,
    /// Strides, operand by operand.
    pub(crate) strides: Vec<isize>,
    /// The axis that holds the one that a composition shares, and its points by index of that one.
    pub(crate) shared: (usize, usize),
}

/// Orders axes by the operands' strides and merges those that all operands step through evenly. A map steps through memory as most of its
/// operands lie, since the others are copied block by block. Where rows may be too short for that, and in a reduction, where the order
/// decides the bits of sums, it is as the first result lies, or the first operand.
///
/// `ordered` keeps the axes as they are (merging only), where a position in the domain means something. The axis that a composition
/// shares stays the slowest part of the axis that holds it.
pub fn collapse(
    domain: &[usize],
    reduced: u64,
    strides: &[&[isize]],
    writes: &[bool],
    ordered: bool,
    shared: Option<usize>,
) -> Collapsed {
    let mut axes: SmallVec<[(usize, bool); 6]> = (0..domain.len()).map(|i| (i, reduced >> i & 1 != 0)).collect();
    if !ordered && axes.len() > 1 {
        let slower = |a: usize, b: usize| {
            let is_slower = |s: &[isize]| {
                let (sa, sb) = (s[a].unsigned_abs(), s[b].unsigned_abs());
                (sa != sb && sa != 0 && sb != 0).then_some(sa > sb)
            };
            let of = |write: bool| strides.iter().zip(writes).filter(move |(_, w)| **w == write).map(|(s, _)| *s);
            let bytes = |slower: bool| {
                let lies = |s: &&[isize]| is_slower(s) == Some(slower);
                of(true).filter(lies).count() * STORED_ACROSS_BYTES + of(false).filter(lies).count() * ACROSS_BYTES
            };
            let (slower, faster) = (bytes(true), bytes(false));
            let may_choose = reduced == 0 && domain[a].min(domain[b]) >= SHORT_ROW;
            if may_choose && slower != faster {
                slower > faster
            } else {
                of(true).chain(of(false)).find_map(is_slower).unwrap_or(a < b)
            }
        };
        for i in 1..axes.len() {
            let mut j = i;
            while j > 0 && slower(axes[j].0, axes[j - 1].0) {
                axes.swap(j, j - 1);
                j -= 1;
            }
        }
    }
    // Stable: outer axes first, inner axes after them, each in the order found.
    axes.sort_by_key(|a| a.1);
    let mut kept: SmallVec<[(usize, usize, bool); 6]> = SmallVec::new();
    let mut position = 0;
    for &(axis, inner) in &axes {
        if domain[axis] == 1 && shared != Some(axis) {
            continue;
        }
        if let Some(last) = kept.last_mut()
            && last.2 == inner
            && shared != Some(axis)
            && strides.iter().all(|s| s[last.0] == s[axis] * domain[axis] as isize)
        {
            *last = (axis, last.1 * domain[axis], inner);
            continue;
        }
        if shared == Some(axis) {
            position = kept.len();
        }
        kept.push((axis, domain[axis], inner));
    }
    let shared = shared.map_or((0, 1), |axis| (position, kept[position].1 / domain[axis]));
    let extents = |inner: bool| -> Shape { kept.iter().filter(|k| k.2 == inner).map(|k| k.1).collect() };
    let flat = strides.iter().flat_map(|s| kept.iter().map(|k| s[k.0])).collect();
    Collapsed { outer: extents(false), inner: extents(true), strides: flat, shared }
}
