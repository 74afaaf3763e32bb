//! From a group to a kernel, and to the extents and strides it is launched with.
//!
//! Values pass between the group's nodes in registers. A load is emitted where a node reads what no earlier node of the
//! group wrote; a store for the last write to each location that somebody still needs. Stores stand at the end of their
//! fragment, so every load of the group sees memory as it was before the group.

use super::Lives;
use super::group::{Group, Place};
use crate::array::layout::{Shape, Strides, count};
use crate::plan::trace::{Access, Node, Operation, Source};
use crate::runtime::fp_flags::Part;
use fastnp_codegen::{
    Access as Direction, DType, Fold, FragmentBuilder, Kernel, KernelBuilder, Op, Scalar, Template, ValueId,
};
use smallvec::{SmallVec, smallvec};

/// A kernel with its launch.
pub(crate) struct Lowered {
    pub(crate) kernel: Kernel,
    pub(crate) outer: Shape,
    pub(crate) inner: Shape,
    pub(crate) strides: Vec<isize>,
    pub(crate) operands: SmallVec<[(u32, isize); 6]>,
    pub(crate) scalars: SmallVec<[u32; 4]>,
    pub(crate) donations: SmallVec<[(u32, u32); 1]>,
    pub(crate) parts: Vec<Part>,
}

/// A memory operand: an access over the full domain (stride zero on reduced axes for what the epilogue touches).
struct Operand {
    access: Access,
    place: Place,
    write: bool,
}

/// Lowers the group numbered `index`.
pub(crate) fn lower(nodes: &[Node], index: usize, group: &Group, lives: &Lives) -> Lowered {
    let operands = operands(nodes, index, group, lives);
    let sole = sole(&operands);
    let donations = donations(nodes, index, group, lives, &operands, &sole);
    let template = template(nodes, group);
    let strides: SmallVec<[&[isize]; 8]> = operands.iter().map(|o| &o.access.strides[..]).collect();
    let ordered = group.members.iter().any(|m| {
        matches!(
            nodes[m.node as usize].op,
            Operation::Fold(Fold::ArgMin | Fold::ArgMax) | Operation::Ramp | Operation::Scatter
        )
    });
    let widths: SmallVec<[bool; 8]> = operands.iter().map(|o| o.write).collect();
    let (outer, inner, strides) = collapse(&group.domain, group.reduced, &strides, &widths, ordered);
    let mut builder = KernelBuilder::new(template, outer.len() as u8, inner.len() as u8);
    for (i, operand) in operands.iter().enumerate() {
        let alone = sole[i] && !donations.iter().any(|d| d.0 == operand.access.slot || d.1 == operand.access.slot);
        builder.operand(operand.access.dtype, if operand.write { Direction::Write } else { Direction::Read }, alone);
    }
    let mut emitter = Emitter {
        nodes,
        group,
        operands: &operands,
        builder,
        scalars: SmallVec::new(),
        known: Vec::new(),
        folds: Vec::new(),
        parts: Vec::new(),
    };
    emitter.run();
    let Emitter { builder, scalars, parts, .. } = emitter;
    let kernel = builder.finish();
    let operands = operands.iter().map(|o| (o.access.slot, o.access.offset)).collect();
    Lowered { kernel, outer, inner, strides, operands, scalars, donations, parts }
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
fn operands(nodes: &[Node], index: usize, group: &Group, lives: &Lives) -> SmallVec<[Operand; 8]> {
    let mut loads: SmallVec<[Operand; 8]> = SmallVec::new();
    let mut stores: SmallVec<[Operand; 8]> = SmallVec::new();
    for member in &group.members {
        let node = &nodes[member.node as usize];
        for read in node.reads() {
            let access = full(read, group, member.place);
            let known = stores.iter().any(|o| o.access == access)
                || loads.iter().any(|o| o.place == member.place && o.access == access);
            if !known {
                loads.push(Operand { access, place: member.place, write: false });
            }
        }
        let place = if node.reduced != 0 { Place::Epilogue } else { member.place };
        let access = full(&node.target, group, member.place);
        if !stores.iter().any(|o| o.access == access) {
            stores.push(Operand { access, place, write: true });
        }
    }
    stores.retain(|o| lives.escapes(o.access.slot, index));
    loads.extend(stores);
    loads
}

/// An access of a member over the group's full domain.
fn full(access: &Access, group: &Group, place: Place) -> Access {
    if place == Place::Body {
        return access.clone();
    }
    let mut strides: Strides = smallvec![0; group.domain.len()];
    let outer = (0..group.domain.len()).filter(|i| group.reduced >> i & 1 == 0);
    for (axis, &stride) in outer.zip(&access.strides) {
        strides[axis] = stride;
    }
    Access { strides, ..access.clone() }
}

/// By operand, whether no other one is of the same storage.
fn sole(operands: &[Operand]) -> SmallVec<[bool; 8]> {
    let mut slots: SmallVec<[u32; 8]> = operands.iter().map(|o| o.access.slot).collect();
    slots.sort_unstable();
    let is_sole = |slot: u32| {
        let first = slots.partition_point(|&s| s < slot);
        slots.get(first + 1) != Some(&slot)
    };
    operands.iter().map(|o| is_sole(o.access.slot)).collect()
}

/// Stores that may go into the memory of an operand that dies here: both dense over the whole of equally large storages,
/// read and written at the same index.
fn donations(
    nodes: &[Node],
    index: usize,
    group: &Group,
    lives: &Lives,
    operands: &[Operand],
    sole: &[bool],
) -> SmallVec<[(u32, u32); 1]> {
    let mut out: SmallVec<[(u32, u32); 1]> = SmallVec::new();
    if group.members.iter().any(|m| nodes[m.node as usize].op == Operation::Gather) {
        return out;
    }
    let body: SmallVec<[&Operand; 8]> =
        operands.iter().zip(sole).filter(|(o, sole)| **sole && o.place == Place::Body).map(|(o, _)| o).collect();
    for taker in body.iter().filter(|o| o.write && lives.begins(o.access.slot, index)) {
        let covers = group.members.iter().any(|m| {
            let node = &nodes[m.node as usize];
            node.covers && node.target.slot == taker.access.slot
        });
        let giver = body.iter().find(|o| {
            !o.write
                && lives.ends(o.access.slot, index)
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
    builder: KernelBuilder,
    scalars: SmallVec<[u32; 4]>,
    /// The value a location has by now, by place and access.
    known: Vec<(Place, Access, ValueId)>,
    /// Accumulators whose result goes to an access: resolved once the epilogue begins.
    folds: Vec<(u8, DType, Access)>,
    parts: Vec<Part>,
}

impl Emitter<'_> {
    fn run(&mut self) {
        for member in self.group.members.iter().filter(|m| m.place == Place::Body) {
            self.emit(&self.nodes[member.node as usize], Place::Body);
        }
        self.stores(Place::Body);
        for (accumulator, dtype, access) in std::mem::take(&mut self.folds) {
            let mut epilogue = self.builder.epilogue();
            let folded = epilogue.result(accumulator);
            let value = epilogue.cast(folded, dtype);
            self.set(Place::Epilogue, access, value);
        }
        for member in self.group.members.iter().filter(|m| m.place == Place::Epilogue) {
            self.emit(&self.nodes[member.node as usize], Place::Epilogue);
        }
        self.stores(Place::Epilogue);
    }

    fn set(&mut self, place: Place, access: Access, value: ValueId) {
        match self.known.iter_mut().find(|k| k.0 == place && k.1 == access) {
            Some(known) => known.2 = value,
            None => self.known.push((place, access, value)),
        }
    }

    fn emit(&mut self, node: &Node, place: Place) {
        let mut args: SmallVec<[ValueId; 3]> = SmallVec::new();
        for source in &node.sources {
            args.push(match source {
                Source::Memory(access) if node.op == Operation::Gather && args.is_empty() => self.base(access, place),
                Source::Memory(access) => self.read(access, place),
                Source::Scalar(index, dtype) => self.scalar(*index, *dtype, place),
            });
        }
        let target = full(&node.target, self.group, place);
        if let (true, Some(fold)) = (node.reduced != 0, fold_of(node.op)) {
            let value = self.fragment(place).cast(args[0], node.compute);
            let accumulator = self.builder.accumulate(fold, value);
            self.folds.push((accumulator, node.target.dtype, target));
            return;
        }
        if node.op == Operation::Scatter {
            let operand = self.operand(&target, Place::Body, true);
            let mut body = self.builder.body();
            let value = body.cast(args[0], node.target.dtype);
            body.scatter(operand, args[1], value);
            return;
        }
        let ramp_axis = (!node.domain.is_empty()).then_some(0);
        let gathered = (node.op == Operation::Gather).then(|| {
            let Source::Memory(base) = &node.sources[0] else { unreachable!("gathers read memory") };
            self.operand(&full(base, self.group, place), place, false)
        });
        let mut fragment = self.fragment(place);
        let value = match gathered {
            Some(operand) => fragment.gather(operand, args[1]),
            None => compute(&mut fragment, node.op, node.compute, &args, ramp_axis),
        };
        let value = fragment.cast(value, node.target.dtype);
        if let Operation::Part(product, _) = node.op {
            self.parts.push(Part { in_epilogue: place == Place::Epilogue, inst: value.0, product });
        }
        self.set(place, target, value);
    }

    fn fragment(&mut self, place: Place) -> FragmentBuilder<'_> {
        match place {
            Place::Body => self.builder.body(),
            Place::Epilogue => self.builder.epilogue(),
        }
    }

    fn operand(&self, access: &Access, place: Place, write: bool) -> fastnp_codegen::OperandId {
        let found = self.operands.iter().position(|o| o.write == write && o.place == place && o.access == *access);
        fastnp_codegen::OperandId(found.expect("every access without a register is an operand") as u16)
    }

    fn read(&mut self, access: &Access, place: Place) -> ValueId {
        let access = full(access, self.group, place);
        if let Some(known) = self.known.iter().find(|k| k.0 == place && k.1 == access) {
            return known.2;
        }
        let operand = self.operand(&access, place, false);
        self.fragment(place).load(operand)
    }

    /// A gather's base is an address, not a value; any value keeps its place among the arguments.
    fn base(&mut self, _: &Access, place: Place) -> ValueId {
        self.fragment(place).constant(Scalar::zero(DType::I64))
    }

    fn scalar(&mut self, index: u32, dtype: DType, place: Place) -> ValueId {
        // One parameter for each scalar of the trace: the values are not part of the structure.
        let id = match self.scalars.iter().position(|&s| s == index) {
            Some(found) => fastnp_codegen::ScalarId(found as u16),
            None => {
                self.scalars.push(index);
                self.builder.scalar(dtype)
            }
        };
        self.fragment(place).param(id)
    }

    fn stores(&mut self, place: Place) {
        for i in 0..self.operands.len() {
            let operand = &self.operands[i];
            if !operand.write || operand.place != place {
                continue;
            }
            if let Some(known) = self.known.iter().find(|k| k.0 == place && k.1 == operand.access) {
                let value = known.2;
                self.fragment(place).store(fastnp_codegen::OperandId(i as u16), value);
            }
        }
    }
}

/// How an operation folds, where it does.
pub(crate) fn fold_of(op: Operation) -> Option<Fold> {
    match op {
        Operation::Fold(fold) => Some(fold),
        Operation::Scan(op) => Some(Fold::Op(op)),
        _ => None,
    }
}

/// Emits what an operation does at one point.
pub(crate) fn compute(
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
            let index = f.cast(index, dtype);
            let &[start, step] = args else { return index };
            let (start, step) = (f.cast(start, dtype), f.cast(step, dtype));
            let run = f.apply(Op::Multiply, &[index, step]);
            f.apply(Op::Add, &[start, run])
        }
        // Over no axis there is nothing to fold: the value itself, or position zero. Sums start from zero: `-0.0` is `0.0`.
        Operation::Fold(Fold::ArgMin | Fold::ArgMax) => f.constant(Scalar::zero(DType::I64)),
        Operation::Fold(Fold::Op(op)) => match op.fold().and_then(|row| row.start(dtype)) {
            Some(start) => {
                let (start, value) = (f.constant(start), f.cast(args[0], dtype));
                f.apply(op, &[start, value])
            }
            None => f.cast(args[0], dtype),
        },
        Operation::Scan(_) => f.cast(args[0], dtype),
        Operation::Contract(_) | Operation::Gather | Operation::Scatter => {
            unreachable!("{} is no function of its arguments' values", op.name())
        }
    }
}

/// Orders axes by the operands' strides and merges those that all operands step through evenly.
///
/// Returns outer extents, inner extents, and the strides operand by operand. `ordered` keeps the axes as they are
/// (merging only), where a position in the domain means something.
pub(crate) fn collapse(
    domain: &[usize],
    reduced: u64,
    strides: &[&[isize]],
    writes: &[bool],
    ordered: bool,
) -> (Shape, Shape, Vec<isize>) {
    let mut axes: SmallVec<[(usize, bool); 6]> = (0..domain.len()).map(|i| (i, reduced >> i & 1 != 0)).collect();
    if !ordered && axes.len() > 1 {
        let slower = |a: usize, b: usize| {
            let decided = |write: bool| {
                strides.iter().zip(writes).filter(|(_, w)| **w == write).find_map(|(s, _)| {
                    let (sa, sb) = (s[a].unsigned_abs(), s[b].unsigned_abs());
                    (sa != sb && sa != 0 && sb != 0).then_some(sa > sb)
                })
            };
            decided(true).or_else(|| decided(false)).unwrap_or(a < b)
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
    for &(axis, inner) in &axes {
        if domain[axis] == 1 {
            continue;
        }
        if let Some(last) = kept.last_mut()
            && last.2 == inner
            && strides.iter().all(|s| s[last.0] == s[axis] * domain[axis] as isize)
        {
            *last = (axis, last.1 * domain[axis], inner);
            continue;
        }
        kept.push((axis, domain[axis], inner));
    }
    let extents = |inner: bool| -> Shape { kept.iter().filter(|k| k.2 == inner).map(|k| k.1).collect() };
    let flat = strides.iter().flat_map(|s| kept.iter().map(|k| s[k.0])).collect();
    (extents(false), extents(true), flat)
}
