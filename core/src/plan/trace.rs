//! Trace: pending nodes in program order, encoded as they are recorded in the form that plans are looked up by.
//!
//! A node is a statement `target[layout] = op(sources[layouts])` over an iteration domain; storages are named by the *slot* they
//! got when the trace first touched them. Program order gives every read its version: the last write to that slot recorded before
//! it. So the trace is SSA without explicit versions, and a later write never changes what an earlier node means.
//!
//! Nodes live on a tape of words. The tape holds structure (operations, types, shapes, strides, which slots are the same) but
//! no addresses, no scalar values and no absolute offsets (a slot's first offset is a launch parameter, later ones count from it), so
//! a loop over `a[i:i+k]` writes the same tape every time round, and looking up its plan is a comparison of memory.

use crate::array::layout::{Shape, Strides};
use crate::array::strided_view::StridedView;
use crate::host::gemm::Product;
use crate::host::interpreter_lock;
use crate::memory::pool;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::StorageRef;
use crate::plan::loop_function::LoopFunction;
use fastnp_codegen::{DType, Fold, Op, Scalar};
use parking_lot::Mutex;
use smallvec::SmallVec;

/// What several ops compute together, under whose name their floating-point flags are reported.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Composite {
    /// A matrix or inner product.
    Product(Product),
    /// A function that the embedding program has named.
    Function(FunctionName),
}

impl Composite {
    /// The name that flags are reported under.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Composite::Product(product) => product.name(),
            Composite::Function(name) => name.text(),
        }
    }
}

/// The name of a function, by its place among all that were named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionName(u16);

/// The names, each once. They are few, and live as long as the process, as those of ops.
static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
/// Beyond so many, functions share a name.
const MAX_NAMES: usize = 10_000;

impl FunctionName {
    /// The name of this text. After ten thousand texts the last one stands for all that follow.
    pub fn new(text: &str) -> FunctionName {
        let mut names = NAMES.lock();
        let known = names.iter().position(|&name| name == text);
        let number = known.unwrap_or_else(|| {
            if names.len() < MAX_NAMES {
                names.push(Box::leak(text.into()));
            }
            names.len() - 1
        });
        FunctionName(number as u16)
    }

    fn text(self) -> &'static str {
        NAMES.lock()[self.0 as usize]
    }
}

/// What a node does at each point of its domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// An op of the table in the node's compute type.
    Apply(Op),
    /// The source, cast to the target's type.
    Copy,
    /// `where`: a bool and two values.
    Select,
    /// `start + i * step`, over one axis, where the sources are two scalars; `i` where there are none.
    Ramp,
    /// A fold over the reduced axes.
    Fold(Fold),
    /// A scan along the one reduced axis.
    Scan(Op),
    /// A product summed over the last axis of the domain: a batch of matrix products.
    Contract(Product),
    /// An op of the table as a step of something else, which its flags are reported of.
    Part(Composite, Op),
    /// The element of the first source at the byte offsets that the second gives.
    Gather,
    /// Writes the first source to the target at the byte offsets that the second gives.
    Scatter,
    /// What a loop from these sources carries to its end, by the number of the input. Nodes of one loop in a kernel are one loop.
    Loop(LoopFunction, u8),
}

impl Operation {
    /// Whether each element of its result is computed from those at its point. Not of a loop, whose turns cost more than memory.
    pub(crate) fn is_elementwise(self) -> bool {
        match self {
            Operation::Apply(_) | Operation::Copy | Operation::Select | Operation::Part(..) => true,
            Operation::Ramp
            | Operation::Fold(_)
            | Operation::Scan(_)
            | Operation::Contract(_)
            | Operation::Gather
            | Operation::Scatter
            | Operation::Loop(..) => false,
        }
    }

    /// A number below 4096, one for each operation.
    pub(crate) fn code(self) -> u64 {
        let (kind, sub) = match self {
            Operation::Apply(op) => (0, op as u64),
            Operation::Copy => (1, 0),
            Operation::Select => (2, 0),
            Operation::Ramp => (3, 0),
            Operation::Fold(Fold::Op(op)) => (4, op as u64),
            Operation::Fold(Fold::ArgMin) => (5, 0),
            Operation::Fold(Fold::ArgMax) => (6, 0),
            Operation::Scan(op) => (7, op as u64),
            Operation::Contract(product) => (8, product as u64),
            Operation::Gather => (9, 0),
            Operation::Scatter => (10, 0),
            Operation::Part(Composite::Product(product), op) => (11 + product as u64, op as u64),
            Operation::Part(Composite::Function(_), op) => (13, op as u64),
            Operation::Loop(_, result) => (14, result.into()),
        };
        kind << 8 | sub
    }

    /// A number of 16 bits beside the code: the name of a function, or a loop.
    fn tag(self) -> u64 {
        match self {
            Operation::Part(Composite::Function(FunctionName(number)), _) => number.into(),
            Operation::Loop(function, _) => function.number().into(),
            _ => 0,
        }
    }

    /// What its flags are reported of, where that is not its op.
    pub(crate) fn composite(self) -> Option<Composite> {
        match self {
            Operation::Part(of, _) => Some(of),
            Operation::Loop(function, _) => Some(Composite::Function(function.name())),
            _ => None,
        }
    }

    /// The type that a source is taken in, where the node computes in another.
    pub(crate) fn input_type(self, input: usize, compute: DType) -> DType {
        match self {
            Operation::Select if input == 0 => DType::Bool,
            Operation::Loop(function, _) => function.region().inputs[input],
            _ => compute,
        }
    }

    fn decode(code: u64, tag: u64) -> Operation {
        let op = || Op::ALL[(code & 0xff) as usize];
        match code >> 8 {
            0 => Operation::Apply(op()),
            1 => Operation::Copy,
            2 => Operation::Select,
            3 => Operation::Ramp,
            4 => Operation::Fold(Fold::Op(op())),
            5 => Operation::Fold(Fold::ArgMin),
            6 => Operation::Fold(Fold::ArgMax),
            7 => Operation::Scan(op()),
            8 => Operation::Contract(Product::ALL[(code & 0xff) as usize]),
            9 => Operation::Gather,
            10 => Operation::Scatter,
            11 | 12 => Operation::Part(Composite::Product(Product::ALL[(code >> 8) as usize - 11]), op()),
            13 => Operation::Part(Composite::Function(FunctionName(tag as u16)), op()),
            14 => Operation::Loop(LoopFunction::at(tag as u16), code as u8),
            other => unreachable!("no operation has code {other}"),
        }
    }

    /// The name that `explain` prints.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Operation::Apply(op) => op.name(),
            Operation::Copy => "copy",
            Operation::Select => "where",
            Operation::Ramp => "arange",
            Operation::Fold(fold) => fold.row().and_then(|row| row.reduction).unwrap_or(fold.name()),
            Operation::Scan(op) => op.fold().and_then(|row| row.scan).unwrap_or(op.name()),
            Operation::Contract(product) => product.name(),
            Operation::Part(_, op) => op.name(),
            Operation::Gather => "take",
            Operation::Scatter => "put",
            Operation::Loop(..) => "loop",
        }
    }
}

/// What a node reads.
#[derive(Clone, Debug)]
pub(crate) enum Input<'a> {
    Memory(StridedView<'a>),
    Scalar(Scalar),
}

/// A statement to record.
#[derive(Debug)]
pub(crate) struct Statement<'a> {
    pub(crate) op: Operation,
    /// The type computed in; sources are cast to it.
    pub(crate) compute: DType,
    pub(crate) domain: &'a [usize],
    /// Axes folded or scanned, as bits.
    pub(crate) reduced: u64,
    pub(crate) inputs: &'a [Input<'a>],
    pub(crate) target: StridedView<'a>,
    /// Whether the target covers its whole storage, so that nothing older is left of it.
    pub(crate) covers: bool,
}

impl Statement<'_> {
    /// What it touches: the memory it reads, in order, then its target.
    pub(crate) fn views(&self) -> impl Iterator<Item = &StridedView<'_>> {
        let inputs = self.inputs.iter().filter_map(|input| match input {
            Input::Memory(view) => Some(view),
            Input::Scalar(_) => None,
        });
        inputs.chain([&self.target])
    }
}

/// A slot: a storage the trace has touched.
pub(crate) struct Slot {
    pub(crate) storage: StorageRef,
    /// The byte offset that the tape's offsets count from.
    pub(crate) base: isize,
    /// How many pending nodes write it. (A byte that is written and then moved with its word waits for the store, 5 ns.)
    pub(crate) writes: usize,
}

/// Pending nodes in program order.
pub(crate) struct Trace {
    pub(crate) epoch: u32,
    pub(crate) tape: Vec<u64>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) scalars: Vec<Scalar>,
    /// Storages on foreign memory whose last reference is gone, to be dropped after the runtime is unlocked.
    pub(crate) deferred_drops: Vec<StorageRef>,
    /// Copies of contents that code outside may write, made for the nodes that read them. Referenced here too, they are live like other
    /// operands, so that a result that was omitted can be computed from them.
    copies: Vec<StorageRef>,
    /// Storages without memory for the next results: one from the allocator and back takes 15 ns.
    recycled: Vec<StorageRef>,
    pub(crate) nodes: usize,
    /// Where the last two nodes begin in the tape.
    latest: [usize; 2],
    /// Nodes before the latest turn of a loop.
    turn_begin: usize,
    /// Elements recorded one by one.
    pub(crate) elements: usize,
    /// Bytes of memory the trace has touched, and the number of bytes at which the budget is checked next.
    bytes_touched: usize,
    recheck_at: usize,
}

const SCALAR: u64 = 1 << 63;
const NO_NODE: usize = usize::MAX;
/// Storages kept for reuse: those of a full trace.
const MAX_RECYCLED: usize = 1024;
/// Memory that a trace may hold beyond what NumPy would: so many bytes (a tenth of what a process with NumPy takes before its first
/// array), or this fraction of the memory in use.
const MEMORY_SLACK: usize = 3 << 20;
const MEMORY_SLACK_FRACTION: usize = 16;

impl Trace {
    pub(crate) fn new() -> Trace {
        Trace {
            epoch: 1,
            tape: Vec::with_capacity(4096),
            slots: Vec::with_capacity(256),
            scalars: Vec::with_capacity(256),
            deferred_drops: Vec::new(),
            copies: Vec::new(),
            recycled: Vec::with_capacity(MAX_RECYCLED),
            nodes: 0,
            latest: [NO_NODE; 2],
            turn_begin: 0,
            elements: 0,
            bytes_touched: 0,
            recheck_at: MEMORY_SLACK,
        }
    }

    /// Drops all nodes and starts a new epoch, in which no storage has a slot.
    pub(crate) fn clear(&mut self) {
        self.epoch = self.epoch.wrapping_add(1).max(1);
        self.tape.clear();
        self.copies.clear();
        let mut slots = std::mem::take(&mut self.slots);
        self.release(slots.drain(..).map(|slot| slot.storage));
        self.slots = slots;
        self.scalars.clear();
        self.nodes = 0;
        self.latest = [NO_NODE; 2];
        self.turn_begin = 0;
        self.elements = 0;
        self.bytes_touched = 0;
        self.recheck_at = MEMORY_SLACK;
    }

    /// Drops references to storages. One that was the last is kept: for a new result, or to be dropped without the runtime's lock.
    pub(crate) fn release(&mut self, storages: impl Iterator<Item = StorageRef>) {
        for storage in storages {
            if StorageRef::count(&storage) > 1 && !interpreter_lock::is_released_now() {
                // Another owner keeps it alive meanwhile.
                continue;
            }
            if StorageRef::count(&storage) == 1 && storage.is_reusable() {
                self.recycle(storage);
            } else if storage.owner().is_some() {
                self.deferred_drops.push(storage);
            }
        }
    }

    /// Drops all nodes but those of these indices in program order, which stay pending in a new epoch.
    pub(crate) fn retain_nodes(&mut self, indices: &[u32]) {
        let nodes = decode(&self.tape);
        let mut slots = std::mem::take(&mut self.slots);
        let scalars = std::mem::take(&mut self.scalars);
        self.clear();
        for node in indices.iter().map(|&index| &nodes[index as usize]) {
            self.begin(node.op, node.compute, node.sources.len(), &node.domain, node.reduced, node.covers);
            for source in &node.sources {
                match source {
                    NodeInput::Memory(access) => {
                        let Slot { storage, base, .. } = &slots[access.slot as usize];
                        self.push_view(storage, access.dtype, base + access.offset, &access.strides);
                    }
                    NodeInput::Scalar(index, _) => self.push_scalar(scalars[*index as usize]),
                }
            }
            let Slot { storage, base, .. } = &slots[node.target.slot as usize];
            self.push_target(storage, node.target.dtype, base + node.target.offset, &node.target.strides);
        }
        self.release(slots.drain(..).map(|slot| slot.storage));
    }

    /// Keeps a copy of contents until the nodes that read it are dropped.
    pub(crate) fn keep_copy(&mut self, copy: &StorageRef) {
        self.copies.push(copy.clone());
    }

    /// Adds slots of storages of so many bytes each, which a plan writes and reads. Returns how many there were.
    pub(crate) fn add_slots(&mut self, bytes: &[usize]) -> usize {
        let slots = self.slots.len();
        for &bytes in bytes {
            let storage = self.new_storage(bytes);
            self.slots.push(Slot { storage, base: 0, writes: 1 });
        }
        slots
    }

    /// Drops all slots but the first ones, so many.
    pub(crate) fn truncate_slots(&mut self, slots: usize) {
        while self.slots.len() > slots {
            let dropped = self.slots.pop();
            self.release(dropped.into_iter().map(|slot| slot.storage));
        }
    }

    /// A storage for a new result.
    #[inline]
    pub(crate) fn new_storage(&mut self, bytes: usize) -> StorageRef {
        match self.recycled.pop() {
            Some(recycled) => {
                recycled.set_bytes(bytes);
                recycled
            }
            None => StorageRef::new(Storage::pending(bytes)),
        }
    }

    /// Keeps an unreferenced storage for a later result; its memory goes back to the pool.
    pub(crate) fn recycle(&mut self, storage: StorageRef) {
        if self.recycled.len() < MAX_RECYCLED {
            storage.release_memory();
            self.recycled.push(storage);
        }
    }

    #[inline]
    fn slot_of(&mut self, storage: &StorageRef, offset: isize) -> u32 {
        if let Some(slot) = storage.slot(self.epoch) {
            return slot;
        }
        let slot = self.slots.len() as u32;
        storage.set_slot(self.epoch, slot);
        if storage.has_memory() {
            self.bytes_touched += storage.bytes();
        }
        self.slots.push(Slot { storage: storage.clone(), base: offset, writes: 0 });
        slot
    }

    /// Begins a node. Its inputs follow, in order, and then its end.
    #[inline(always)]
    pub(crate) fn begin(
        &mut self,
        op: Operation,
        compute: DType,
        inputs: usize,
        domain: &[usize],
        reduced: u64,
        covers: bool,
    ) {
        let header = op.code()
            | (compute as u64) << 16
            | (inputs as u64) << 24
            | (domain.len() as u64) << 32
            | (covers as u64) << 40
            | op.tag() << 48;
        self.latest = [self.latest[1], self.tape.len()];
        match *domain {
            [n] => self.tape.extend_from_slice(&[header, reduced, n as u64]),
            ref domain => {
                self.tape.extend_from_slice(&[header, reduced]);
                self.tape.extend(domain.iter().map(|&n| n as u64));
            }
        }
    }

    /// Appends an input in memory.
    #[inline(always)]
    pub(crate) fn push_view(&mut self, storage: &StorageRef, dtype: DType, offset: isize, strides: &[isize]) -> u32 {
        let slot = self.slot_of(storage, offset);
        let base = self.slots[slot as usize].base;
        let (head, offset) = (slot as u64 | (dtype as u64) << 32, (offset - base) as u64);
        match *strides {
            // Most views have at most two axes: one append each.
            [] => self.tape.extend_from_slice(&[head, offset]),
            [s] => self.tape.extend_from_slice(&[head, offset, s as u64]),
            [s, t] => self.tape.extend_from_slice(&[head, offset, s as u64, t as u64]),
            ref strides => {
                self.tape.extend_from_slice(&[head, offset]);
                self.tape.extend(strides.iter().map(|&s| s as u64));
            }
        }
        slot
    }

    /// Appends an input that is a number.
    #[inline]
    pub(crate) fn push_scalar(&mut self, scalar: Scalar) {
        self.tape.push(scalar_word(self.scalars.len(), scalar.dtype()));
        self.scalars.push(scalar);
    }

    /// Ends a node with its target.
    #[inline(always)]
    pub(crate) fn end(&mut self, storage: &StorageRef, dtype: DType, offset: isize, strides: &[isize]) {
        self.push_target(storage, dtype, offset, strides);
        storage.bump_version();
    }

    #[inline]
    fn push_target(&mut self, storage: &StorageRef, dtype: DType, offset: isize, strides: &[isize]) {
        let slot = self.push_view(storage, dtype, offset, strides);
        self.slots[slot as usize].writes += 1;
        self.nodes += 1;
    }

    /// Whether the trace holds more dead memory than its budget, so that it should be flushed.
    ///
    /// NumPy would have freed that memory, but would hold the results that have none here yet: while the former is not much more
    /// than the latter, the program takes no more memory than under NumPy.
    #[inline]
    pub(crate) fn over_memory_budget(&mut self) -> bool {
        self.bytes_touched > self.recheck_at && self.exceeds_budget()
    }

    #[cold]
    fn exceeds_budget(&mut self) -> bool {
        let (mut retained, mut owed) = (0, MEMORY_SLACK.max(pool::usage().0 / MEMORY_SLACK_FRACTION));
        for Slot { storage, .. } in &self.slots {
            match (storage.has_memory(), StorageRef::count(storage) == 1) {
                (true, true) => retained += storage.bytes(),
                (false, false) => owed += storage.bytes(),
                _ => {}
            }
        }
        self.recheck_at = self.bytes_touched + MEMORY_SLACK;
        retained > owed
    }

    /// Appends a statement. Its numbers are those from `scalars` on, which a statement before it may have appended: then they are the
    /// same values for the planner, too.
    pub(crate) fn record(&mut self, s: &Statement<'_>, scalars: usize) {
        self.begin(s.op, s.compute, s.inputs.len(), s.domain, s.reduced, s.covers);
        let mut next = scalars;
        for input in s.inputs {
            match input {
                Input::Memory(view) => {
                    self.push_view(view.storage, view.dtype, view.offset, &view.strides);
                }
                Input::Scalar(scalar) => {
                    match self.scalars.get(next) {
                        Some(known) => self.tape.push(scalar_word(next, known.dtype())),
                        None => self.push_scalar(*scalar),
                    }
                    next += 1;
                }
            }
        }
        self.end(s.target.storage, s.target.dtype, s.target.offset, &s.target.strides);
    }

    /// Called before each node: the nodes of the turn that ends, if the first node of this trace was of its operation and domain, so that a
    /// loop's body starts again.
    #[inline]
    pub(crate) fn ends_turn(&mut self, op: Operation, domain: &[usize]) -> Option<usize> {
        let n = domain.len();
        let is_first_again = self.tape.len() > n + 2
            && self.tape[0] & 0xffff == op.code()
            && self.tape[0] >> 32 & 0xff == n as u64
            && self.tape[2..2 + n].iter().zip(domain).all(|(&a, &b)| a == b as u64);
        is_first_again.then(|| self.nodes - std::mem::replace(&mut self.turn_begin, self.nodes))
    }

    /// Whether the last node computes all of a storage's elements, each from those at its point in other storages; or the node before, if the last
    /// one only makes `another` storage.
    pub(crate) fn ends_with_map_to(&self, storage: &Storage, another: &Storage) -> bool {
        let slots = [storage, another].map(|storage| storage.slot(self.epoch));
        for begin in self.latest.into_iter().rev().filter(|&begin| begin != NO_NODE) {
            let node = decode_node(&self.tape, &mut { begin }, 0);
            if Some(node.target.slot) == slots[0] {
                let is_in_place = node.reads().any(|access| access.slot == node.target.slot);
                return node.covers && node.op.is_elementwise() && node.op != Operation::Copy && !is_in_place;
            }
            if Some(node.target.slot) != slots[1] || node.reads().any(|access| Some(access.slot) == slots[0]) {
                break;
            }
        }
        false
    }

    /// Whether a storage has a pending write.
    #[inline]
    pub(crate) fn writes(&self, storage: &Storage) -> bool {
        storage.slot(self.epoch).is_some_and(|slot| self.slots[slot as usize].writes > 0)
    }

    /// Whether a storage is read or written by a pending node.
    #[inline]
    pub(crate) fn touches(&self, storage: &Storage) -> bool {
        storage.slot(self.epoch).is_some()
    }
}

/// The word of an input that is a number.
fn scalar_word(index: usize, dtype: DType) -> u64 {
    SCALAR | index as u64 | (dtype as u64) << 32
}

/// A strided view over a decoded node's domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlotAccess {
    /// The storage.
    pub slot: u32,
    /// The type of the elements.
    pub dtype: DType,
    /// Bytes from the slot's base.
    pub offset: isize,
    /// Bytes from one element to the next, along each axis of the domain.
    pub strides: Strides,
}

/// What a decoded node reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NodeInput {
    /// Elements.
    Memory(SlotAccess),
    /// A number, by its place among the trace's.
    Scalar(u32, DType),
}

/// A node read back from the tape. Axes of extent one are gone.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its index in program order.
    pub index: u32,
    /// What it does at each point.
    pub op: Operation,
    /// The type computed in.
    pub compute: DType,
    /// The extents of its axes.
    pub domain: Shape,
    /// Axes folded or scanned, as bits.
    pub reduced: u64,
    /// What it reads.
    pub sources: SmallVec<[NodeInput; 3]>,
    /// What it writes.
    pub target: SlotAccess,
    /// Whether the target covers its whole storage.
    pub covers: bool,
}

impl Node {
    /// Whether it may raise floating-point flags.
    pub(crate) fn raises(&self) -> bool {
        match self.op {
            Operation::Apply(op) | Operation::Part(_, op) => !op.effects(self.compute).is_empty(),
            _ => false,
        }
    }

    /// Whether it is a scan. Over an axis of extent one there is nothing to scan.
    pub(crate) fn scans(&self) -> bool {
        matches!(self.op, Operation::Scan(_)) && self.reduced != 0
    }

    /// Whether it is a loop.
    pub(crate) fn repeats(&self) -> bool {
        matches!(self.op, Operation::Loop(..))
    }

    /// The node with its axes in another order.
    pub(crate) fn with_axes(&self, order: &[usize]) -> Node {
        let domain = order.iter().map(|&axis| self.domain[axis]).collect();
        let reduced = order.iter().enumerate().fold(0, |mask, (to, &from)| mask | (self.reduced >> from & 1) << to);
        self.over(domain, reduced, |strides| order.iter().map(|&axis| strides[axis]).collect())
    }

    /// The node with its first axes, so many, as one. None is reduced, and all accesses step through them evenly.
    pub(crate) fn with_merged_axes(&self, count: usize) -> Node {
        let merged: usize = self.domain[..count].iter().product();
        let domain = std::iter::once(merged).chain(self.domain[count..].iter().copied()).collect();
        self.over(domain, self.reduced >> (count - 1), |strides| strides[count - 1..].into())
    }

    /// The node over a domain that has the same points.
    fn over(&self, domain: Shape, reduced: u64, strides_of: impl Fn(&[isize]) -> Strides) -> Node {
        let access = |a: &SlotAccess| SlotAccess { strides: strides_of(&a.strides), ..a.clone() };
        let source = |source: &NodeInput| match source {
            NodeInput::Memory(a) => NodeInput::Memory(access(a)),
            NodeInput::Scalar(index, dtype) => NodeInput::Scalar(*index, *dtype),
        };
        let sources = self.sources.iter().map(source).collect();
        Node { domain, reduced, sources, target: access(&self.target), ..self.clone() }
    }

    /// The accesses to memory it reads.
    pub fn reads(&self) -> impl Iterator<Item = &SlotAccess> {
        self.sources.iter().filter_map(|s| match s {
            NodeInput::Memory(access) => Some(access),
            NodeInput::Scalar(..) => None,
        })
    }

    /// The accesses to memory that it reads, and the one that it writes.
    pub(crate) fn accesses(&self) -> impl Iterator<Item = &SlotAccess> {
        self.reads().chain([&self.target])
    }
}

/// Whether a slot is reachable after the trace.
pub(crate) fn is_live(live: &[bool], slot: u32) -> bool {
    live.get(slot as usize) == Some(&true)
}

/// Reads the nodes back from a tape.
pub(crate) fn decode(tape: &[u64]) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut at = 0;
    while at < tape.len() {
        nodes.push(decode_node(tape, &mut at, nodes.len() as u32));
    }
    nodes
}

fn decode_node(tape: &[u64], at: &mut usize, index: u32) -> Node {
    let header = tape[*at];
    let rank = (header >> 32 & 0xff) as usize;
    let op = Operation::decode(header & 0xffff, header >> 48);
    // Matrix products keep axes of extent one: their meaning is by position.
    let keep = matches!(op, Operation::Contract(_));
    let full = &tape[*at + 2..][..rank];
    let kept: SmallVec<[usize; 4]> = (0..rank).filter(|&i| keep || full[i] != 1).collect();
    let reduced = tape[*at + 1];
    let reduced = kept.iter().enumerate().fold(0, |mask, (to, &from)| mask | (reduced >> from & 1) << to);
    let domain = kept.iter().map(|&i| full[i] as usize).collect();
    *at += 2 + rank;
    let access = |at: &mut usize| {
        let word = tape[*at];
        let strides = kept.iter().map(|&i| tape[*at + 2 + i] as isize).collect();
        let access = SlotAccess { slot: word as u32, dtype: dtype_of(word), offset: tape[*at + 1] as isize, strides };
        *at += 2 + rank;
        access
    };
    let sources = (0..header >> 24 & 0xff)
        .map(|_| {
            let word = tape[*at];
            if word & SCALAR != 0 {
                *at += 1;
                NodeInput::Scalar(word as u32, dtype_of(word))
            } else {
                NodeInput::Memory(access(at))
            }
        })
        .collect();
    let target = access(at);
    let compute = DType::ALL[(header >> 16 & 0xff) as usize];
    Node { index, op, compute, domain, reduced, sources, target, covers: header >> 40 & 1 != 0 }
}

fn dtype_of(word: u64) -> DType {
    DType::ALL[(word >> 32 & 0xff) as usize]
}
