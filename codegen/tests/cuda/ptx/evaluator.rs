//! An evaluator of PTX: kernels run thread by thread over memory, slowly and by the letter.
//!
//! Threads run until they wait. A shuffle is executed when all threads of a warp that are left have come to it, a barrier when all of a
//! block have, and it must be the same instruction that they came to: so code whose threads part before a barrier fails here, also
//! where a device would let it pass. Every access is checked against what was allocated.

use super::arithmetic::{Compute, LOCAL, compute, low};
use fastnp_codegen::white_box::ptx::module::*;
use hashbrown::HashMap;
use std::sync::Arc;

/// Threads of a warp.
const WARP: usize = 32;

/// Memory of the device: allocations by address.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Memory {
    allocations: Vec<(u64, Vec<u8>)>,
}

impl Memory {
    /// Allocates bytes, at an address that no other allocation is near.
    pub(super) fn allocate(&mut self, bytes: Vec<u8>) -> u64 {
        let start = self
            .allocations
            .last()
            .map_or(1 << 20, |(start, bytes)| (start + bytes.len() as u64 + (1 << 16)).next_multiple_of(1 << 12));
        self.allocations.push((start, bytes));
        start
    }

    /// The bytes of an allocation.
    pub(super) fn bytes(&self, start: u64) -> &[u8] {
        &self.allocations.iter().find(|(at, _)| *at == start).expect("it was allocated").1
    }

    fn at(&mut self, address: u64, size: usize) -> &mut [u8] {
        let number = self.allocations.partition_point(|(start, _)| *start <= address);
        let (start, bytes) = &mut self.allocations[number.checked_sub(1).expect("an address below all allocations")];
        let offset = (address - *start) as usize;
        assert!(offset + size <= bytes.len(), "{size} bytes at {offset} of {}", bytes.len());
        &mut bytes[offset..offset + size]
    }
}

fn read(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn write(bytes: &mut [u8], value: u64) {
    let size = bytes.len();
    bytes.copy_from_slice(&value.to_le_bytes()[..size]);
}

/// Where an operand's value comes from.
#[derive(Clone, Copy)]
enum Source {
    Register(usize),
    Opposite(usize),
    Value(u64),
    Special(Special),
}

/// A register that is written, and its width in bits; the first is none where no instruction reads it.
type Target = Option<(usize, u32)>;

#[derive(Clone, Copy)]
enum Base {
    Register(usize),
    Param(usize),
    Result,
    Fixed(u64),
}

struct Access {
    space: Space,
    base: Base,
    offset: i64,
    size: usize,
    is_signed: bool,
}

/// A step of a thread.
enum Step {
    Compute(Compute, Vec<Source>, Target),
    /// Parts of a word, from the lowest on.
    Pack(Vec<Source>, Target, u32),
    Unpack(Source, Vec<Target>, u32),
    Load(Access, Vec<Target>),
    Store(Access, Vec<Source>),
    Atomic(Access, &'static str, Vec<Source>, Target),
    Barrier,
    Shuffle(&'static str, Vec<Source>, Target, Target),
    Nothing,
    Call(Arc<Call>, Vec<Source>, Vec<Target>),
    Jump(usize),
    Branch(usize, bool, usize, usize),
    Return,
}

/// Code made ready to run.
struct Code {
    steps: Vec<(Option<(usize, bool)>, Step)>,
    registers: usize,
    /// Offsets of parameters.
    params: Vec<usize>,
    shared: usize,
    local: usize,
}

/// A module made ready to run: variables have addresses.
pub(super) struct Loaded {
    kernels: HashMap<String, Code>,
    functions: HashMap<Arc<str>, Code>,
}

/// Offsets of things that follow one another, and their size.
fn offsets(sizes: impl Iterator<Item = (usize, usize)>) -> (Vec<usize>, usize) {
    let (mut at, mut found) = (0usize, vec![]);
    for (size, align) in sizes {
        at = at.next_multiple_of(align);
        found.push(at);
        at += size;
    }
    (found, at)
}

/// Offsets of parameters, and their size together.
pub(super) fn param_offsets(params: &[Param]) -> (Vec<usize>, usize) {
    offsets(params.iter().map(|p| (p.size(), p.alignment())))
}

/// Makes a module ready, with its variables in memory.
pub(super) fn load(module: &PtxModule, memory: &mut Memory) -> Loaded {
    let mut addresses: HashMap<Arc<str>, u64> = HashMap::new();
    for variable in &module.variables {
        let mut bytes = vec![0; variable.size()];
        let width = width_of(variable.element) as usize;
        for (at, value) in variable.values.iter().enumerate() {
            write(&mut bytes[at * width..][..width], *value);
        }
        addresses.insert(variable.name.clone(), memory.allocate(bytes));
    }
    let code = |body: &PtxBody, params: &[Param]| prepare(body, params, &addresses);
    Loaded {
        kernels: module.kernels.iter().map(|k| (k.name.clone(), code(&k.body, &k.params))).collect(),
        functions: module.functions.iter().map(|f| (f.name.clone(), code(&f.body, &f.params))).collect(),
    }
}

fn prepare(body: &PtxBody, params: &[Param], globals: &HashMap<Arc<str>, u64>) -> Code {
    let mut addresses = globals.clone();
    let mut sizes = [0; 2];
    for (space, size) in [Space::Shared, Space::Local].into_iter().zip(&mut sizes) {
        let mine: Vec<&Variable> = body.variables.iter().filter(|v| v.space == space).collect();
        let (places, all) = offsets(mine.iter().map(|v| (v.size(), v.align as usize)));
        addresses.extend(mine.iter().zip(places).map(|(v, place)| (v.name.clone(), place as u64)));
        *size = all;
    }
    let starts: Vec<usize> =
        body.registers.iter().scan(0, |at, count| Some(std::mem::replace(at, *at + *count as usize))).collect();
    let reader = Reader { starts, addresses, params: param_offsets(params).0 };
    // Each block is its instructions and its end.
    let (begins, _) = offsets(body.blocks.iter().map(|block| (block.insts.len() + 1, 1)));
    let mut steps = vec![];
    for block in &body.blocks {
        for inst in &block.insts {
            let guard = inst.guard.map(|guard| (reader.slot(guard.register), !guard.is_negated));
            steps.push((guard, reader.step(inst)));
        }
        let end = match block.end {
            End::Return => Step::Return,
            End::Jump(to) => Step::Jump(begins[to]),
            End::Branch(guard, taken, next) => {
                Step::Branch(reader.slot(guard.register), !guard.is_negated, begins[taken], begins[next])
            }
        };
        steps.push((None, end));
    }
    let registers = body.registers.iter().sum::<u32>() as usize;
    Code { steps, registers, params: reader.params, shared: sizes[0], local: sizes[1] }
}

/// What instructions are made ready with.
struct Reader {
    /// The first slot of each class.
    starts: Vec<usize>,
    addresses: HashMap<Arc<str>, u64>,
    params: Vec<usize>,
}

impl Reader {
    fn slot(&self, register: Register) -> usize {
        self.starts[register.class as usize] + register.number as usize
    }

    fn target(&self, operand: &Operand) -> Target {
        match operand {
            Operand::Register(register, false) => {
                let bits =
                    if register.class == RegisterClass::Pred { 1 } else { 8 * width_of(register.class.spelling().1) };
                Some((self.slot(*register), bits))
            }
            Operand::Discard => None,
            other => panic!("{other:?} cannot be written"),
        }
    }

    fn targets(&self, operand: &Operand) -> Vec<Target> {
        match operand {
            Operand::Vector(parts) => parts.iter().map(|part| self.target(part)).collect(),
            one => vec![self.target(one)],
        }
    }

    fn source(&self, operand: &Operand) -> Source {
        match operand {
            Operand::Register(register, false) => Source::Register(self.slot(*register)),
            Operand::Register(register, true) => Source::Opposite(self.slot(*register)),
            Operand::Integer(value) => Source::Value(*value as u64),
            Operand::Single(bits) => Source::Value(u64::from(*bits)),
            Operand::Double(bits) => Source::Value(*bits),
            Operand::Special(special) => Source::Special(*special),
            Operand::Variable(name) => Source::Value(self.addresses[name]),
            Operand::Param(number) => Source::Value(self.params[*number] as u64),
            Operand::Address(..) | Operand::Vector(_) | Operand::Pair(..) | Operand::Discard => {
                panic!("{operand:?} has no value")
            }
        }
    }

    fn sources(&self, operands: &[Operand]) -> Vec<Source> {
        operands.iter().map(|operand| self.source(operand)).collect()
    }

    fn access(&self, inst: &PtxInst, operand: &Operand) -> Access {
        let Operand::Address(place, offset) = operand else { panic!("{operand:?} is no address") };
        let base = match place {
            AddressBase::Register(register) => Base::Register(self.slot(*register)),
            AddressBase::Param(number) => Base::Param(*number),
            AddressBase::Result => Base::Result,
            AddressBase::Variable(name) => Base::Fixed(self.addresses[name]),
        };
        let element = inst.opcode.element();
        let is_signed = element.starts_with('s');
        Access { space: inst.opcode.space(), base, offset: *offset, size: width_of(element) as usize, is_signed }
    }

    fn step(&self, inst: &PtxInst) -> Step {
        let operands = &inst.operands;
        if let Some(call) = &inst.call {
            let (results, arguments) = operands.split_at(inst.result_count());
            return Step::Call(call.clone(), self.sources(arguments), results.iter().map(|r| self.target(r)).collect());
        }
        match inst.opcode.mnemonic.name {
            "ld" => Step::Load(self.access(inst, &operands[1]), self.targets(&operands[0])),
            "st" => {
                let values = match &operands[1] {
                    Operand::Vector(parts) => self.sources(parts),
                    one => vec![self.source(one)],
                };
                Step::Store(self.access(inst, &operands[0]), values)
            }
            "atom" => {
                let kinds = ["add", "max", "min", "cas"];
                let kind = kinds.into_iter().find(|kind| inst.opcode.has(kind)).expect("a known atomic");
                let access = self.access(inst, &operands[1]);
                Step::Atomic(access, kind, self.sources(&operands[2..]), self.target(&operands[0]))
            }
            "bar" => Step::Barrier,
            "membar" => Step::Nothing,
            "shfl" => {
                let kind = ["up", "down"].into_iter().find(|kind| inst.opcode.has(kind)).expect("a known shuffle");
                let (value, predicate) = match &operands[0] {
                    Operand::Pair(value, predicate) => (Operand::of(*value), Some(Operand::of(*predicate))),
                    one => (one.clone(), None),
                };
                let predicate = predicate.and_then(|p| self.target(&p));
                Step::Shuffle(kind, self.sources(&operands[1..]), self.target(&value), predicate)
            }
            "mov" if matches!(operands[1], Operand::Vector(_)) => {
                let Operand::Vector(parts) = &operands[1] else { unreachable!() };
                let bits = 8 * width_of(inst.opcode.element()) / parts.len() as u32;
                Step::Pack(self.sources(parts), self.target(&operands[0]), bits)
            }
            "mov" if matches!(operands[0], Operand::Vector(_)) => {
                let targets = self.targets(&operands[0]);
                let bits = 8 * width_of(inst.opcode.element()) / targets.len() as u32;
                Step::Unpack(self.source(&operands[1]), targets, bits)
            }
            _ => {
                let compute = compute(&inst.opcode).unwrap_or_else(|| panic!("{inst:?}"));
                let (results, sources) = operands.split_at(1);
                Step::Compute(compute, self.sources(sources), self.target(&results[0]))
            }
        }
    }
}

/// Why a thread does not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Runs,
    /// At a barrier or a shuffle, by its step.
    Waits(usize),
    Done,
}

struct Thread {
    registers: Vec<u64>,
    carry: bool,
    local: Vec<u8>,
    at: usize,
    state: State,
    place: [u32; 2],
}

/// What threads of a block have in common.
struct BlockOf<'a> {
    loaded: &'a Loaded,
    memory: &'a mut Memory,
    shared: Vec<u8>,
    params: &'a [u8],
    grid: [u32; 2],
    block: [u32; 2],
    place: [u32; 2],
}

/// Runs a kernel: blocks one after the other.
pub(super) fn run(loaded: &Loaded, name: &str, grid: [u32; 2], block: [u32; 2], params: &[u8], memory: &mut Memory) {
    let code = &loaded.kernels[name];
    for y in 0..grid[1] {
        for x in 0..grid[0] {
            let shared = vec![0xcd; code.shared];
            let mut one = BlockOf { loaded, memory: &mut *memory, shared, params, grid, block, place: [x, y] };
            one.run(code);
        }
    }
}

impl BlockOf<'_> {
    fn run(&mut self, code: &Code) {
        let mut threads: Vec<Thread> = (0..self.block[0] * self.block[1])
            .map(|t| Thread {
                registers: vec![0xdead_beef; code.registers],
                carry: false,
                local: vec![0xcd; code.local],
                at: 0,
                state: State::Runs,
                place: [t % self.block[0], t / self.block[0]],
            })
            .collect();
        loop {
            for thread in &mut threads {
                while thread.state == State::Runs {
                    self.step(code, thread, &mut []);
                }
            }
            let mut moved = false;
            for warp in threads.chunks_mut(WARP) {
                moved |= self.shuffle(code, warp);
            }
            if moved {
                continue;
            }
            let mut left = threads.iter_mut().filter(|thread| thread.state != State::Done).peekable();
            let Some(first) = left.peek() else { return };
            let State::Waits(at) = first.state else { unreachable!("all were run") };
            assert!(matches!(code.steps[at].1, Step::Barrier), "threads of a warp part before a shuffle");
            for thread in left {
                assert_eq!(thread.state, State::Waits(at), "threads of a block wait at different places");
                thread.state = State::Runs;
                thread.at += 1;
            }
        }
    }

    /// Executes a shuffle, if the threads of a warp are at one.
    fn shuffle(&mut self, code: &Code, warp: &mut [Thread]) -> bool {
        let Some(State::Waits(at)) = warp.iter().map(|t| t.state).find(|state| *state != State::Done) else {
            return false;
        };
        let Step::Shuffle(kind, sources, target, predicate) = &code.steps[at].1 else { return false };
        let mut values = [0; WARP];
        for (lane, thread) in warp.iter().enumerate() {
            assert_eq!(thread.state, State::Waits(at), "lane {lane} does not come to a shuffle");
            values[lane] = self.value(thread, sources[0]);
        }
        for (lane, thread) in warp.iter_mut().enumerate() {
            let [by, control, mask] = [1, 2, 3].map(|k| self.value(thread, sources[k]));
            assert_eq!(low(mask, 32), 0xffff_ffff, "a shuffle of a part of a warp");
            let (clamp, segment) = (control & 31, control >> 8 & 31);
            let lane = lane as i64;
            let (by, segment) = ((by & 31) as i64, segment as i64);
            let last = lane & segment | clamp as i64 & !segment;
            let (from, is_inside) = match *kind {
                "up" => (lane - by, lane - by >= last),
                _ => (lane + by, lane + by <= last),
            };
            let value = values[if is_inside { from } else { lane } as usize];
            set(thread, *target, value);
            set(thread, *predicate, u64::from(is_inside));
            thread.state = State::Runs;
            thread.at += 1;
        }
        true
    }

    fn value(&self, thread: &Thread, source: Source) -> u64 {
        match source {
            Source::Register(slot) => thread.registers[slot],
            Source::Opposite(slot) => thread.registers[slot] ^ 1,
            Source::Value(value) => value,
            Source::Special(special) => u64::from(match special {
                Special::TidX => thread.place[0],
                Special::TidY => thread.place[1],
                Special::NtidX => self.block[0],
                Special::NtidY => self.block[1],
                Special::CtaidX => self.place[0],
                Special::CtaidY => self.place[1],
                Special::NctaidX => self.grid[0],
                Special::NctaidY => self.grid[1],
            }),
        }
    }

    fn values(&self, thread: &Thread, sources: &[Source]) -> Vec<u64> {
        sources.iter().map(|&source| self.value(thread, source)).collect()
    }

    /// The bytes of an access; parameters are this code's, and `result` is what a function returns.
    fn bytes<'b>(
        &'b mut self,
        code: &Code,
        thread: &'b mut Thread,
        access: &Access,
        size: usize,
        result: &'b mut [u8],
    ) -> &'b mut [u8] {
        let base = match access.base {
            Base::Register(slot) => thread.registers[slot],
            Base::Param(number) => code.params[number] as u64,
            Base::Result => 0,
            Base::Fixed(address) => address,
        };
        let address = base.wrapping_add(access.offset as u64);
        let at = address as usize;
        match access.space {
            Space::Shared => &mut self.shared[at..at + size],
            Space::Local => &mut thread.local[at..at + size],
            Space::Param => {
                assert!(matches!(access.base, Base::Result), "a parameter is written");
                &mut result[at..at + size]
            }
            Space::Generic if address >= LOCAL => &mut thread.local[(address - LOCAL) as usize..][..size],
            Space::Global | Space::Const | Space::Generic => {
                assert_eq!(address % size as u64, 0, "an address that is not aligned");
                self.memory.at(address, size)
            }
        }
    }

    fn step(&mut self, code: &Code, thread: &mut Thread, result: &mut [u8]) {
        let (guard, step) = &code.steps[thread.at];
        if guard.is_some_and(|(slot, wanted)| (thread.registers[slot] & 1 == 1) != wanted) {
            thread.at += 1;
            return;
        }
        match step {
            Step::Compute(compute, sources, target) => {
                let values = self.values(thread, sources);
                let value = compute(&values, &mut thread.carry);
                set(thread, *target, value);
            }
            Step::Pack(parts, target, bits) => {
                let values = self.values(thread, parts);
                let whole = values.iter().rev().fold(0, |word, &part| word << bits | low(part, *bits));
                set(thread, *target, whole);
            }
            Step::Unpack(source, targets, bits) => {
                let word = self.value(thread, *source);
                for (k, target) in targets.iter().enumerate() {
                    set(thread, *target, low(word >> (bits * k as u32), *bits));
                }
            }
            Step::Load(access, targets) => self.load(code, thread, access, targets),
            Step::Store(access, values) => {
                let (values, size) = (self.values(thread, values), access.size);
                let bytes = self.bytes(code, thread, access, size * values.len(), result);
                values.iter().zip(bytes.chunks_mut(size)).for_each(|(&value, bytes)| write(bytes, value));
            }
            Step::Atomic(access, kind, sources, target) => {
                let values = self.values(thread, sources);
                let bytes = self.bytes(code, thread, access, access.size, result);
                let old = read(bytes);
                let new = match *kind {
                    "add" => old.wrapping_add(values[0]),
                    "max" => old.max(values[0]),
                    "min" => old.min(values[0]),
                    _ if old == values[0] => values[1],
                    _ => old,
                };
                write(bytes, new);
                set(thread, *target, old);
            }
            Step::Barrier | Step::Shuffle(..) => {
                thread.state = State::Waits(thread.at);
                return;
            }
            Step::Nothing => {}
            Step::Call(call, arguments, results) => self.call(thread, call, arguments, results),
            Step::Jump(to) => {
                thread.at = *to;
                return;
            }
            Step::Branch(slot, wanted, taken, next) => {
                thread.at = if (thread.registers[*slot] & 1 == 1) == *wanted { *taken } else { *next };
                return;
            }
            Step::Return => {
                thread.state = State::Done;
                return;
            }
        }
        thread.at += 1;
    }

    fn load(&mut self, code: &Code, thread: &mut Thread, access: &Access, targets: &[Target]) {
        let size = access.size;
        let words: Vec<u64> = if access.space == Space::Param {
            let base = match access.base {
                Base::Param(number) => code.params[number],
                Base::Register(slot) => thread.registers[slot] as usize,
                Base::Result | Base::Fixed(_) => unreachable!("not loaded"),
            };
            let start = base.wrapping_add_signed(access.offset as isize);
            self.params[start..start + size * targets.len()].chunks(size).map(read).collect()
        } else {
            self.bytes(code, thread, access, size * targets.len(), &mut []).chunks(size).map(read).collect()
        };
        for (word, target) in words.into_iter().zip(targets) {
            // A narrow value is extended to its register, as its type says.
            let shift = 64 - 8 * size as u32;
            let word = if access.is_signed { ((word << shift) as i64 >> shift) as u64 } else { word };
            set(thread, *target, word);
        }
    }

    fn call(&mut self, thread: &mut Thread, call: &Call, arguments: &[Source], results: &[Target]) {
        let code = &self.loaded.functions[&call.function];
        let (places, size) = param_offsets(&call.params);
        let mut params = vec![0; size];
        for ((place, param), value) in places.iter().zip(&call.params).zip(self.values(thread, arguments)) {
            write(&mut params[*place..][..param.size()], value);
        }
        let mut result = vec![0; call.result.as_ref().map_or(0, |(param, _)| param.size())];
        let mut inner = Thread {
            registers: vec![0xdead_beef; code.registers],
            carry: false,
            local: vec![0xcd; code.local],
            at: 0,
            state: State::Runs,
            place: thread.place,
        };
        let mut scope = BlockOf {
            loaded: self.loaded,
            memory: &mut *self.memory,
            shared: vec![],
            params: &params,
            grid: self.grid,
            block: self.block,
            place: self.place,
        };
        while inner.state == State::Runs {
            scope.step(code, &mut inner, &mut result);
        }
        assert_eq!(inner.state, State::Done, "a function waits");
        let parts = call.result.iter().flat_map(|(_, parts)| parts);
        for ((offset, element), target) in parts.zip(results) {
            let value = read(&result[*offset as usize..][..width_of(element) as usize]);
            set(thread, *target, value);
        }
    }
}

fn set(thread: &mut Thread, target: Target, value: u64) {
    if let Some((slot, bits)) = target {
        thread.registers[slot] = low(value, bits);
    }
}
