//! Simulation of a loop on a processor that executes out of order: when each instruction enters, executes and retires.
//!
//! Operations enter in order, as many a cycle as the processor takes, while its buffers have room. Each micro-operation executes on the
//! first free port, the oldest first, once its arguments are there. Operations retire in order, and free their room. A conditional jump
//! within the loop is taken: it leads past code for rare lanes. Not modelled: caches, how code is fetched, and jumps that are mispredicted.

use crate::x86::predict::timing::{PORT_NAMES, Ports, Processor, Timing};
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register,
};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Iterations that are run before the time of others is taken, and in all.
const WARM_UP: usize = 12;
const ITERATIONS: usize = 36;
/// A time that has not come.
const NEVER: u64 = u64::MAX;

/// What is predicted of a loop.
pub(crate) struct Forecast {
    /// Cycles of an iteration.
    pub(crate) cycles: f64,
    /// The cycles that the busiest ports need, and their names.
    pub(crate) bound: f64,
    pub(crate) busiest: String,
    /// The longest path through an iteration, in cycles.
    pub(crate) path: u64,
    /// Operations of an iteration.
    pub(crate) operations: usize,
    /// By instruction that is executed: its offset in the loop, the cycle in which it executes, counted from the first of its iteration, and
    /// the port; the name is empty where it takes none.
    pub(crate) steps: Vec<Step>,
}

impl Forecast {
    /// What a listing says of a loop whose iterations compute so many vectors of so many elements.
    pub(crate) fn describe(&self, vectors: usize, lanes: usize) -> String {
        let vector = |cycles: f64| cycles / vectors as f64;
        let (cycles, bound, path) = (vector(self.cycles), vector(self.bound), self.path);
        let (busiest, operations) = (&self.busiest, vector(self.operations as f64));
        format!(
            "predicted: {cycles:.1} cycles a vector of {lanes}; {operations:.1} operations, {bound:.1} cycles of {busiest}, path {path}\n"
        )
    }
}

/// When and where an instruction executes.
pub(crate) struct Step {
    pub(crate) at: usize,
    pub(crate) cycle: u64,
    pub(crate) port: &'static str,
}

/// An instruction of the loop, as the processor sees it.
struct Operation {
    at: usize,
    timing: Timing,
    /// Registers that an address is made of, that are read besides, and that are written.
    address: Vec<Register>,
    reads: Vec<Register>,
    writes: Vec<Register>,
    load: Option<Place>,
    store: Option<Place>,
    /// Whether it has a vector as its result, and whether it waits among vector instructions.
    is_vector: bool,
    load_ports: Ports,
    load_latency: u32,
    /// Cycles for which it keeps a port of loads, and that of stores, busy.
    load_busy: f64,
    store_busy: f64,
    /// Whether it enters along with the operation before it.
    is_fused: bool,
}

/// A place in memory: the registers and the displacement of its address, and its bytes.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    base: Register,
    index: Register,
    at: i64,
    bytes: i64,
}

impl Place {
    fn overlaps(&self, other: &Place) -> bool {
        let same = self.base == other.base && self.index == other.index;
        same && self.at < other.at + other.bytes && other.at < self.at + self.bytes
    }
}

/// The instructions of a loop that are executed: those behind a conditional jump forward are left out.
fn executed(code: &[u8]) -> Vec<Instruction> {
    let all: Vec<Instruction> = Decoder::with_ip(64, code, 0, DecoderOptions::NONE).into_iter().collect();
    let (mut taken, mut at) = (vec![], 0);
    while let Some(instruction) = all.get(at) {
        taken.push(*instruction);
        let (to, jumps) = (instruction.near_branch_target(), instruction.flow_control() != FlowControl::Next);
        let target = all.iter().position(|other| jumps && to > instruction.ip() && other.ip() == to);
        at = target.unwrap_or(at + 1);
    }
    taken
}

/// Bytes of the longest register of an instruction.
fn widest(instruction: &Instruction) -> usize {
    (0..instruction.op_count()).map(|i| instruction.op_register(i).size()).max().unwrap_or(0)
}

fn operation(factory: &mut InstructionInfoFactory, instruction: &Instruction, processor: &Processor) -> Operation {
    let name = format!("{:?}", instruction.mnemonic()).to_uppercase();
    let info = factory.info(instruction);
    let (mut reads, mut writes) = (vec![], vec![]);
    let is_zero = matches!(instruction.mnemonic(), Mnemonic::Vpxor | Mnemonic::Vpxord | Mnemonic::Xor)
        && instruction.op1_register() == instruction.op_register(instruction.op_count() - 1);
    for used in info.used_registers() {
        let register = used.register().full_register();
        let access = used.access();
        let is_read =
            matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite);
        let is_write =
            matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite);
        if is_read && !is_zero {
            reads.push(register);
        }
        if is_write {
            writes.push(register);
        }
    }
    let (mut load, mut store, mut address) = (None, None, vec![]);
    for memory in info.used_memory() {
        let place = Place {
            base: memory.base(),
            index: memory.index(),
            at: memory.displacement() as i64,
            bytes: memory.memory_size().info().size() as i64,
        };
        address.extend([memory.base(), memory.index()].into_iter().filter(|r| *r != Register::None));
        match memory.access() {
            OpAccess::Write | OpAccess::CondWrite => store = Some(place),
            _ => load = Some(place),
        }
    }
    if load.is_some() || store.is_some() {
        reads.retain(|register| !address.contains(register) || instruction.op0_kind() == OpKind::Register);
        reads.retain(|register| !address.contains(register) || writes.contains(register));
    }
    let is_vector = writes.iter().any(|register| register.is_vector_register());
    let (load_ports, load_latency) = match is_vector || name.starts_with('V') {
        true => (processor.loads, processor.vector_load),
        false => (processor.general_loads, processor.general_load),
    };
    let mut timing = processor.timing(&name);
    if matches!(instruction.mnemonic(), Mnemonic::Vmovq | Mnemonic::Vmovd) && instruction.op0_register().is_gpr() {
        timing = processor.timing("TO GENERAL");
    }
    let width = processor.port_cycles(widest(instruction));
    (timing.busy, timing.second_busy) = (timing.busy * width, timing.second_busy * width);
    if is_zero {
        timing = Timing { latency: 0, ports: 0, second: 0, busy: 1.0, second_busy: 1.0 };
    }
    let is_fused = instruction.flow_control() == FlowControl::ConditionalBranch;
    let at = instruction.ip() as usize;
    let port_cycles = |place: Option<Place>| place.map_or(0.0, |place| processor.port_cycles(place.bytes as usize));
    let (load_busy, store_busy) = (port_cycles(load), port_cycles(store));
    Operation {
        at,
        timing,
        address,
        reads,
        writes,
        load,
        store,
        is_vector,
        load_ports,
        load_latency,
        load_busy,
        store_busy,
        is_fused,
    }
}

/// An operation in work.
struct InFlight {
    number: usize,
    /// Which operation of the loop, in which iteration.
    operation: usize,
    iteration: usize,
    /// Producers of its address, of its other arguments.
    address: Vec<usize>,
    reads: Vec<usize>,
    /// The store that its load reads from.
    forwarded: Option<usize>,
    /// When its load has its result; when its micro-operations execute.
    loaded: u64,
    issued: [u64; 2],
}

/// The state of a simulation.
struct Pipeline<'p> {
    processor: &'p Processor,
    operations: &'p [Operation],
    now: u64,
    in_work: VecDeque<InFlight>,
    /// By number of an operation: when its result is there.
    done: Vec<u64>,
    /// By port: until when it is busy.
    free: [f64; PORT_NAMES.len()],
    writers: HashMap<Register, usize>,
    stores: VecDeque<(Place, usize)>,
    /// Operations in work with a vector as result, and those of them that have not executed.
    vectors: usize,
    waiting: usize,
    /// Steps of the last iteration, by operation, and when iterations retire.
    issued: Vec<(u64, &'static str)>,
    retired: Vec<u64>,
}

impl Pipeline<'_> {
    /// Takes a port for a micro-operation, the one that has been free for longest.
    fn take(&mut self, ports: Ports, busy: f64) -> Option<&'static str> {
        let now = self.now as f64;
        let free = (0..PORT_NAMES.len()).filter(|&p| ports >> p & 1 != 0 && self.free[p] < now + 1.0);
        let port = free.min_by(|&a, &b| self.free[a].total_cmp(&self.free[b]))?;
        self.free[port] = f64::max(self.free[port], now) + busy;
        Some(PORT_NAMES[port])
    }

    fn is_done(&self, producers: &[usize]) -> bool {
        producers.iter().all(|&number| self.done[number] <= self.now)
    }

    /// Executes what can execute in this cycle, the oldest first.
    fn issue(&mut self) {
        let mut waiting = 0;
        for place in 0..self.in_work.len() {
            let operations = self.operations;
            let operation = &operations[self.in_work[place].operation];
            if self.done[self.in_work[place].number] == NEVER {
                let is_computed = operation.is_vector && operation.timing.ports != 0;
                waiting += is_computed as usize;
                self.step(place, operation, !is_computed || waiting <= self.processor.scheduler);
            }
        }
    }

    /// Executes what can execute of one operation: its load, then its micro-operations, then its store. Those of vectors beyond the first
    /// of the queue are not `scheduled` yet.
    fn step(&mut self, place: usize, operation: &Operation, is_scheduled: bool) {
        let timing = operation.timing;
        let mut port = None;
        if operation.load.is_some() && self.in_work[place].loaded == NEVER {
            let entry = &self.in_work[place];
            let stored = entry.forwarded.map_or(0, |store| self.done[store]);
            if self.is_done(&entry.address) && stored <= self.now {
                let latency = if stored == 0 { operation.load_latency } else { self.processor.forward };
                if let Some(taken) = self.take(operation.load_ports, operation.load_busy) {
                    self.in_work[place].loaded = self.now + u64::from(latency);
                    port = (timing.ports == 0).then_some(taken);
                }
            }
        }
        let entry = &self.in_work[place];
        let is_loaded = operation.load.is_none() || entry.loaded <= self.now;
        if is_scheduled && is_loaded && self.is_done(&entry.reads) {
            for (half, (ports, busy)) in
                [(timing.ports, timing.busy), (timing.second, timing.second_busy)].into_iter().enumerate()
            {
                if self.in_work[place].issued[half] == NEVER {
                    let taken = if ports == 0 { Some("") } else { self.take(ports, busy) };
                    if let Some(taken) = taken {
                        self.in_work[place].issued[half] = self.now;
                        port = Some(taken).filter(|taken| !taken.is_empty() && half == 0).or(port);
                    }
                }
            }
        }
        let executed = self.in_work[place].issued[0].max(self.in_work[place].issued[1]);
        let is_stored = operation.store.is_none()
            || executed <= self.now && {
                let taken = if self.is_done(&self.in_work[place].address) {
                    self.take(self.processor.stores, operation.store_busy)
                } else {
                    None
                };
                port = taken.or(port);
                taken.is_some()
            };
        let entry = &self.in_work[place];
        if let (Some(port), true) = (port, entry.iteration + 1 == ITERATIONS) {
            self.issued[entry.operation] = (self.now, port);
        }
        if executed != NEVER && is_stored {
            self.done[entry.number] = executed + u64::from(timing.latency);
            self.waiting -= operation.is_vector as usize;
        }
    }

    fn retire(&mut self) {
        for _ in 0..self.processor.retire {
            let Some(first) = self.in_work.front().filter(|first| self.done[first.number] <= self.now) else { return };
            let operation = &self.operations[first.operation];
            self.vectors -= operation.is_vector as usize;
            if first.operation + 1 == self.operations.len() {
                self.retired.push(self.now);
            }
            self.in_work.pop_front();
        }
    }

    /// Lets operations enter, from the one of this number on; the number of the next one.
    fn enter(&mut self, mut number: usize) -> usize {
        let (mut room, count) = (self.processor.dispatch, self.operations.len());
        while number < ITERATIONS * count {
            let operation = &self.operations[number % count];
            let takes = !operation.is_fused as usize;
            let fits = self.in_work.len() < self.processor.reorder
                && (!operation.is_vector
                    || self.vectors < self.processor.vector_registers && self.waiting < self.processor.vector_queue);
            if room < takes || !fits {
                break;
            }
            room -= takes;
            let writers = &self.writers;
            let producers = |registers: &[Register]| -> Vec<usize> {
                registers.iter().filter_map(|register| writers.get(register).copied()).collect()
            };
            let (address, reads) = (producers(&operation.address), producers(&operation.reads));
            let forwarded = operation.load.and_then(|load| {
                self.stores.iter().rev().find(|(place, _)| place.overlaps(&load)).map(|(_, number)| *number)
            });
            self.in_work.push_back(InFlight {
                number,
                operation: number % count,
                iteration: number / count,
                address,
                reads,
                forwarded,
                loaded: NEVER,
                issued: [NEVER; 2],
            });
            self.done.push(NEVER);
            self.writers.extend(operation.writes.iter().map(|&register| (register, number)));
            if let Some(place) = operation.store {
                self.stores.push_back((place, number));
            }
            self.vectors += operation.is_vector as usize;
            self.waiting += operation.is_vector as usize;
            number += 1;
            if number.is_multiple_of(count) {
                // A taken jump ends what enters in a cycle. Places whose index has advanced are others.
                self.stores.clear();
                break;
            }
        }
        number
    }
}

/// Predicts the time of a loop, given its code: from its first instruction to the jump back.
pub(crate) fn forecast(code: &[u8], processor: &Processor) -> Forecast {
    let mut factory = InstructionInfoFactory::new();
    let operations: Vec<Operation> =
        executed(code).iter().map(|instruction| operation(&mut factory, instruction, processor)).collect();
    let mut pipeline = Pipeline {
        processor,
        operations: &operations,
        now: 0,
        in_work: VecDeque::new(),
        done: vec![],
        free: [0.0; PORT_NAMES.len()],
        writers: HashMap::new(),
        stores: VecDeque::new(),
        vectors: 0,
        waiting: 0,
        issued: vec![(0, ""); operations.len()],
        retired: vec![],
    };
    let mut next = 0;
    // An iteration takes no more than a few hundred cycles a dozen instructions; a loop that the model cannot run ends all the same.
    let most = 10_000 + 100 * (ITERATIONS * operations.len()) as u64;
    while pipeline.retired.len() < ITERATIONS && pipeline.now < most {
        pipeline.retire();
        pipeline.issue();
        next = pipeline.enter(next);
        pipeline.now += 1;
    }
    let retired = &pipeline.retired;
    let cycles = match retired.len() {
        ITERATIONS => (retired[ITERATIONS - 1] - retired[WARM_UP - 1]) as f64 / (ITERATIONS - WARM_UP) as f64,
        _ => f64::NAN,
    };
    let (bound, busiest) = busiest(&operations, processor);
    let path = longest_path(&operations);
    let first = pipeline.issued.iter().filter(|step| !step.1.is_empty()).map(|step| step.0).min().unwrap_or(0);
    let step = |(operation, &(cycle, port)): (&Operation, &(u64, &'static str))| Step {
        at: operation.at,
        cycle: cycle.saturating_sub(first),
        port,
    };
    let steps = operations.iter().zip(&pipeline.issued).map(step).collect();
    let count = operations.iter().filter(|operation| !operation.is_fused).count();
    Forecast { cycles, bound, busiest, path, operations: count, steps }
}

/// The cycles that the busiest set of ports needs for an iteration, or entering does, and its name.
fn busiest(operations: &[Operation], processor: &Processor) -> (f64, String) {
    let mut needs: BTreeMap<Ports, f64> = BTreeMap::new();
    let mut entering = 0.0;
    for operation in operations {
        let timing = operation.timing;
        entering += f64::from(!operation.is_fused as u8);
        let load = if operation.load.is_some() { operation.load_ports } else { 0 };
        let store = if operation.store.is_some() { processor.stores } else { 0 };
        let computed = [(timing.ports, timing.busy), (timing.second, timing.second_busy)];
        for (ports, busy) in computed.into_iter().chain([(load, operation.load_busy), (store, operation.store_busy)]) {
            if ports != 0 {
                *needs.entry(ports).or_default() += busy;
            }
        }
    }
    let mut most = (entering / processor.dispatch as f64, "entering".to_owned());
    let masks: Vec<Ports> = needs.keys().copied().collect();
    for chosen in 1u32..1 << masks.len().min(12) {
        let set = (0..masks.len().min(12)).filter(|i| chosen >> i & 1 != 0).fold(0, |set, i| set | masks[i]);
        let need: f64 = needs.iter().filter(|(ports, _)| **ports & !set == 0).map(|(_, need)| need).sum();
        let cycles = need / f64::from(set.count_ones());
        if cycles > most.0 + 1e-9 {
            let names = (0..PORT_NAMES.len()).filter(|p| set >> p & 1 != 0).map(|p| PORT_NAMES[p]);
            most = (cycles, names.collect::<Vec<_>>().join(" "));
        }
    }
    most
}

/// The longest path through one iteration, in cycles: from a load or what was there before to a result.
fn longest_path(operations: &[Operation]) -> u64 {
    let mut ends: HashMap<Register, u64> = HashMap::new();
    let mut places: Vec<(Place, u64)> = vec![];
    let mut longest = 0;
    for operation in operations {
        let of = |registers: &[Register]| registers.iter().filter_map(|r| ends.get(r).copied()).max().unwrap_or(0);
        let mut begins = of(&operation.reads);
        if let Some(load) = operation.load {
            let forwarded = places.iter().rev().find(|(place, _)| place.overlaps(&load));
            let address = of(&operation.address);
            let ready =
                forwarded.map_or(address + u64::from(operation.load_latency), |(_, at)| (at + 8).max(address + 4));
            begins = begins.max(ready);
        }
        let end = begins + u64::from(operation.timing.latency);
        if let Some(place) = operation.store {
            places.push((place, end));
        }
        operation.writes.iter().for_each(|&register| {
            ends.insert(register, end);
        });
        longest = longest.max(end);
    }
    longest
}
