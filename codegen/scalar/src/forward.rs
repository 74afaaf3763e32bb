//! Store-to-load forwarding from turn to turn: an innermost loop that reads what its turn before has stored has that in a register.
//!
//! In a recurrence (`x[i] = a * x[i - 1] + b[i]`), and in a sum that is an element (`c[i, j] += a[i, k] * b[k, j]`), each turn waits for its
//! load, and the load for the store of the turn before, which takes longer than an addition. Which element a turn reads, and
//! which one it has stored, are polynomials ([`crate::polynomial`]) that are compared.
//!
//! The register is not valid in the first turn, and after what may have written to memory on a rare path, such as a poll of the host. A
//! truth value, `miss`, says so: then the element is loaded. It is loaded as well where an index is negative, as `i - 1` may be as far
//! as is known, and counts from the end. The store stays. Cranelift forwards within a turn.

use std::collections::{HashMap, HashSet};

use crate::functions::Callee;
use crate::ir::{Access, Block, BlockId, Function, Instruction, Op, Reg, Register, Regs, Terminator, Type, row_of};
use crate::loops::{Loop, natural_loops};
use crate::polynomial::{Place, Polynomial, Turn};

/// So many recurrences of a loop: each takes two registers.
const MOST: usize = 2;

/// Forwards in all innermost loops.
pub(crate) fn forward(function: &mut Function<'_>) {
    let loops = natural_loops(function);
    let innermost = loops.iter().filter(|found| !loops.iter().any(|other| found.is_around(other)));
    let candidates: Vec<&Loop> = innermost.filter(|found| has_both(function, found)).collect();
    if candidates.is_empty() {
        return;
    }
    let definitions = definitions(function);
    let mut edits = Edits::default();
    for found in candidates {
        if let Some(order) = order(function, found) {
            for pair in pairs(function, found, &order, &definitions) {
                edits.add(function, found, &order, &pair);
            }
        }
    }
    edits.apply(function);
}

/// Whether a loop loads and stores elements of one kind.
fn has_both(function: &Function<'_>, found: &Loop) -> bool {
    let (mut loaded, mut stored) = (Vec::new(), Vec::new());
    for &block in &found.body {
        for (instruction, _) in &function.blocks[block].instructions {
            match *instruction {
                Instruction::Load { to, access, address, .. } if is_exact(access) && to != address => {
                    loaded.push(access)
                }
                Instruction::Store { access, .. } if is_exact(access) => stored.push(access),
                _ => {}
            }
        }
    }
    stored.iter().any(|access| loaded.contains(access))
}

/// Whether loading gives what was stored, or its low bits.
fn is_exact(access: Access) -> bool {
    !matches!(access, Access::F32x2 | Access::F32x4 | Access::F64x2)
}

/// How many bytes an access takes of memory.
fn bytes(access: Access) -> i64 {
    match access {
        Access::I8 | Access::U8 | Access::Bool => 1,
        Access::I16 | Access::U16 => 2,
        Access::I32 | Access::U32 | Access::F32 => 4,
        Access::I64 | Access::F64 | Access::F32x2 => 8,
        Access::F64x2 | Access::F32x4 => 16,
    }
}

/// Where each register is written, if in one place.
pub(crate) fn definitions(function: &Function<'_>) -> Vec<Option<Place>> {
    let (mut found, mut written) = (vec![None; function.registers.len()], vec![false; function.registers.len()]);
    for (index, block) in function.blocks.iter().enumerate() {
        for (place, (instruction, _)) in block.instructions.iter().enumerate() {
            for register in instruction.results().as_slice() {
                let is_first = !std::mem::replace(&mut written[register.0 as usize], true);
                found[register.0 as usize] = is_first.then_some((index, place));
            }
        }
    }
    found
}

fn successors(block: &Block<'_>) -> impl Iterator<Item = usize> {
    block.terminator.iter().flat_map(|(end, _)| end.successors()).map(|to| to.0 as usize)
}

/// The blocks of an innermost loop, each behind all that lead to it; `None` if a part of it is entered in its middle.
pub(crate) fn order(function: &Function<'_>, found: &Loop) -> Option<Vec<usize>> {
    let within =
        |block: usize| successors(&function.blocks[block]).filter(|to| *to != found.head && found.body.contains(to));
    let mut open: HashMap<usize, usize> = HashMap::new();
    for &block in &found.body {
        within(block).for_each(|to| *open.entry(to).or_default() += 1);
    }
    let (mut made, mut ready) = (Vec::new(), vec![found.head]);
    while let Some(block) = ready.pop() {
        made.push(block);
        for to in within(block) {
            let left = open.get_mut(&to)?;
            *left -= 1;
            if *left == 0 {
                ready.push(to);
            }
        }
    }
    (made.len() == found.body.len()).then_some(made)
}

/// The blocks that the loop reaches without a rare branch.
fn usual(function: &Function<'_>, found: &Loop) -> HashSet<usize> {
    let (mut seen, mut open) = (HashSet::from([found.head]), vec![found.head]);
    while let Some(block) = open.pop() {
        let next: Vec<usize> = match function.blocks[block].terminator {
            Some((Terminator::Branch { otherwise, cold: true, .. }, _)) => vec![otherwise.0 as usize],
            _ => successors(&function.blocks[block]).collect(),
        };
        open.extend(next.into_iter().filter(|to| found.body.contains(to) && seen.insert(*to)));
    }
    seen
}

/// Loads of what the turn before has stored by one of these stores, which have one address.
struct Pair {
    access: Access,
    /// With the conditions under which the element is another one.
    loads: Vec<(Place, Vec<Reg>)>,
    stores: Vec<(Place, Vec<Reg>)>,
    /// Instructions on rare paths that may write to the element.
    spoil: Vec<Place>,
}

/// An access to memory, or a call that may write to it.
struct Touch {
    place: Place,
    /// Of a load or store, its kind, and its address if that is known.
    access: Option<(Access, Option<Polynomial>)>,
    /// The conditions under which that is another address.
    unless: Vec<Reg>,
    is_load: bool,
}

/// The loads and stores of a loop, and its calls that may store, in its order.
fn touches(function: &Function<'_>, turn: &mut Turn<'_>, order: &[usize]) -> Vec<Touch> {
    let mut found = Vec::new();
    for &block in order {
        for (index, (instruction, _)) in function.blocks[block].instructions.iter().enumerate() {
            let place = (block, index);
            match *instruction {
                Instruction::Load { access, address, offset, .. }
                | Instruction::Store { access, address, offset, .. } => {
                    let at = turn.value(address, place);
                    let at = at.map(|at| at.plus(&Polynomial::constant(i64::from(offset)), 1));
                    let is_load = matches!(instruction, Instruction::Load { .. });
                    let unless = turn.assumptions(address, place);
                    found.push(Touch { place, access: Some((access, at)), unless, is_load });
                }
                Instruction::Call { function, .. } if may_store(function.callee) => {
                    found.push(Touch { place, access: None, unless: Vec::new(), is_load: false });
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether a function may store to what the text loads from, or be away for so long that others may.
fn may_store(callee: Callee) -> bool {
    !matches!(
        callee,
        Callee::F64(_) | Callee::F64F64(_) | Callee::F32(_) | Callee::F32F32(_) | Callee::Status(_) | Callee::Raised(_)
    )
}

/// The pairs of a loop by which its turns wait for each other.
fn pairs(function: &Function<'_>, found: &Loop, order: &[usize], definitions: &[Option<Place>]) -> Vec<Pair> {
    let mut turn = Turn::new(function, found, order, definitions);
    let touches = touches(function, &mut turn, order);
    let usual = usual(function, found);
    let before = function.predecessors();
    let flow = Flow { function, found, before: &before, order, usual: &usual, touches: &touches };
    let mut made: Vec<Pair> = Vec::new();
    let mut stored: Vec<(Access, &Polynomial)> = Vec::new();
    for touch in touches.iter().filter(|touch| !touch.is_load && usual.contains(&touch.place.0)) {
        if let Some((access, Some(at))) = &touch.access
            && is_exact(*access)
            && !stored.contains(&(*access, at))
        {
            stored.push((*access, at));
        }
    }
    for (access, at) in stored {
        let group = |touch: &&Touch| {
            !touch.is_load && usual.contains(&touch.place.0) && touch.access == Some((access, Some(at.clone())))
        };
        let stores: Vec<&Touch> = touches.iter().filter(group).collect();
        let reads = |touch: &&Touch| {
            let Some((same, Some(read))) = &touch.access else { return false };
            let (block, place) = touch.place;
            let Instruction::Load { to, address, .. } = function.blocks[block].instructions[place].0 else {
                return false;
            };
            to != address && *same == access && turn.next(read).as_ref() == Some(at) && usual.contains(&touch.place.0)
        };
        let loads: Vec<&Touch> = touches.iter().filter(reads).collect();
        let places = |touches: &[&Touch]| touches.iter().map(|touch| touch.place).collect::<Vec<Place>>();
        let stores_at = places(&stores);
        let loads: Vec<&Touch> = loads.into_iter().filter(|load| flow.is_old(load, &stores_at)).collect();
        let loads_at = places(&loads);
        if made.len() < MOST
            && !loads.is_empty()
            && flow.is_stored((access, at), &stores_at)
            && flow.depends(&loads_at, &stores_at)
        {
            let is_rare = |touch: &&Touch| !touch.is_load && !usual.contains(&touch.place.0);
            let spoil = touches.iter().filter(is_rare).map(|touch| touch.place).collect();
            let with_conditions =
                |touches: &[&Touch]| touches.iter().map(|touch| (touch.place, touch.unless.clone())).collect();
            let (loads, stores) = (with_conditions(&loads), with_conditions(&stores));
            made.push(Pair { access, loads, stores, spoil });
        }
    }
    made
}

/// What holds in a turn, by its blocks.
struct Flow<'a> {
    function: &'a Function<'a>,
    found: &'a Loop,
    before: &'a [Vec<usize>],
    order: &'a [usize],
    usual: &'a HashSet<usize>,
    touches: &'a [Touch],
}

impl Flow<'_> {
    /// Whether what holds at the end of a block does, on all ways from the head, where it holds at the beginning or not;
    /// `changed` gives what an access makes of it. Up to a place, if one is given.
    fn holds(&self, at_first: bool, until: Option<Place>, changed: impl Fn(&Touch) -> Option<bool>) -> bool {
        let mut ends: HashMap<usize, bool> = HashMap::new();
        for &block in self.order {
            let mut holds = at_first;
            if block != self.found.head {
                holds = self.before[block].iter().all(|previous| ends.get(previous).copied().unwrap_or(true));
            }
            for touch in self.touches.iter().filter(|touch| touch.place.0 == block) {
                if until == Some(touch.place) {
                    return holds;
                }
                if let Some(now) = changed(touch) {
                    holds = now;
                }
            }
            ends.insert(block, holds);
        }
        let leads_back = |block: &&usize| successors(&self.function.blocks[**block]).any(|to| to == self.found.head);
        self.order.iter().filter(leads_back).all(|block| ends[block])
    }

    /// Whether an element is written by an access, as far as is known.
    fn may_write(&self, touch: &Touch, (element, to): (Access, &Polynomial)) -> bool {
        if touch.is_load || !self.usual.contains(&touch.place.0) {
            return false; // what rare paths write is looked after where they do
        }
        let Some((access, Some(at))) = &touch.access else { return true };
        let apart = at.plus(to, -1).number().filter(|_| touch.unless.is_empty());
        apart.is_none_or(|apart| -bytes(*access) < apart && apart < bytes(element))
    }

    /// Whether the element is what it was at the beginning of the turn where it is loaded, and none of these stores was made since.
    fn is_old(&self, load: &Touch, stores: &[Place]) -> bool {
        let Some((access, Some(at))) = &load.access else { return false };
        self.holds(true, Some(load.place), |touch| {
            (stores.contains(&touch.place) || self.may_write(touch, (*access, at))).then_some(false)
        })
    }

    /// Whether all turns have stored to an element in the end, and nothing else there afterwards.
    fn is_stored(&self, element: (Access, &Polynomial), stores: &[Place]) -> bool {
        self.holds(false, None, |touch| {
            if stores.contains(&touch.place) { Some(true) } else { self.may_write(touch, element).then_some(false) }
        })
    }

    /// Whether what is stored depends on what is loaded: else no turn waits.
    fn depends(&self, loads: &[Place], stores: &[Place]) -> bool {
        let mut computed: HashSet<Reg> = HashSet::new();
        for &block in self.order {
            for (place, (instruction, _)) in self.function.blocks[block].instructions.iter().enumerate() {
                let is_load = loads.contains(&(block, place));
                if let Instruction::Store { from, .. } = instruction
                    && stores.contains(&(block, place))
                    && computed.contains(from)
                {
                    return true;
                }
                if is_load || instruction.operands().as_slice().iter().any(|register| computed.contains(register)) {
                    computed.extend(instruction.results().as_slice());
                }
            }
        }
        false
    }
}

/// What is to be changed, by places of the function as it is.
#[derive(Default)]
struct Edits {
    registers: Vec<Register<'static>>,
    ahead: HashMap<Place, Vec<Instruction>>,
    behind: HashMap<Place, Vec<Instruction>>,
    loads: HashMap<Place, Forwarded>,
    before: Vec<(usize, Instruction)>,
}

/// Registers instead of a load: what was stored, and whether that is not the element.
struct Forwarded {
    carried: Reg,
    miss: Reg,
}

impl Edits {
    fn register(&mut self, function: &Function<'_>, name: &'static str, of: Type) -> Reg {
        self.registers.push(Register { name, of });
        Reg((function.registers.len() + self.registers.len() - 1) as u32)
    }

    fn add(&mut self, function: &Function<'_>, found: &Loop, order: &[usize], pair: &Pair) {
        debug_assert!(pair.loads.iter().all(|((block, _), _)| order.contains(block)));
        let of = pair.access.register();
        let (carried, miss) = (self.register(function, "carried", of), self.register(function, "miss", Type::I8));
        for (place, unless) in &pair.stores {
            let place = *place;
            let Instruction::Store { from, .. } = function.blocks[place.0].instructions[place.1].0 else { continue };
            let loaded = self.loaded(function, pair.access, carried, from);
            let behind = self.behind.entry(place).or_default();
            behind.extend(loaded);
            behind.push(Instruction::IntConst { to: miss, value: 0 });
            behind.extend(unless.iter().map(|&condition| operation(Op::Or, miss, Regs::of([miss, condition]))));
        }
        for &place in &pair.spoil {
            self.behind.entry(place).or_default().push(Instruction::IntConst { to: miss, value: 1 });
        }
        for (place, unless) in &pair.loads {
            let mut miss = miss;
            for &condition in unless {
                let either = self.register(function, "miss", Type::I8);
                self.ahead.entry(*place).or_default().push(operation(Op::Or, either, Regs::of([miss, condition])));
                miss = either;
            }
            self.loads.insert(*place, Forwarded { carried, miss });
        }
        self.before.extend(found.before.iter().map(|&block| (block, Instruction::IntConst { to: miss, value: 1 })));
    }

    /// What gives a register what a load would give of the element that was stored from another one.
    fn loaded(&mut self, function: &Function<'_>, access: Access, to: Reg, from: Reg) -> Vec<Instruction> {
        let (bits, is_signed) = match access {
            Access::I8 => (8, true),
            Access::U8 => (8, false),
            Access::I16 => (16, true),
            Access::U16 => (16, false),
            Access::I32 => (32, true),
            Access::U32 => (32, false),
            _ => return vec![operation(Op::Copy, to, Regs::of([from]))],
        };
        let by = self.register(function, "narrow", Type::I64);
        if is_signed {
            let amount = Instruction::IntConst { to: by, value: 64 - bits };
            let high = operation(Op::Shl, to, Regs::of([from, by]));
            return vec![amount, high, operation(Op::Sar, to, Regs::of([to, by]))];
        }
        let mask = Instruction::IntConst { to: by, value: (1 << bits) - 1 };
        vec![mask, operation(Op::And, to, Regs::of([from, by]))]
    }

    fn apply(self, function: &mut Function<'_>) {
        if self.loads.is_empty() {
            return;
        }
        function.registers.extend(self.registers);
        let touched: HashSet<usize> = self.behind.keys().chain(self.loads.keys()).map(|place| place.0).collect();
        let mut touched: Vec<usize> = touched.into_iter().collect();
        touched.sort_unstable();
        for (block, instruction) in self.before {
            let line = function.blocks[block].line;
            function.blocks[block].instructions.push((instruction, line));
        }
        for block in touched {
            let instructions = std::mem::take(&mut function.blocks[block].instructions);
            let mut current = block;
            for (place, (instruction, line)) in instructions.into_iter().enumerate() {
                let load = (instruction, line);
                let ahead = self.ahead.get(&(block, place)).into_iter().flatten();
                function.blocks[current].instructions.extend(ahead.map(|&instruction| (instruction, line)));
                match self.loads.get(&(block, place)) {
                    None => function.blocks[current].instructions.push(load),
                    Some(forwarded) => current = split_at_load(function, current, load, forwarded),
                }
                let behind = self.behind.get(&(block, place)).into_iter().flatten();
                function.blocks[current].instructions.extend(behind.map(|&instruction| (instruction, line)));
            }
        }
    }
}

fn operation(op: Op, to: Reg, operands: Regs) -> Instruction {
    Instruction::Op { row: row_of(op), to: Regs::of([to]), operands }
}

/// Splits a block at a load that is forwarded. Returns the block that continues behind it.
fn split_at_load(
    function: &mut Function<'_>,
    block: usize,
    (load, line): (Instruction, u32),
    forwarded: &Forwarded,
) -> usize {
    let Instruction::Load { to, .. } = load else { unreachable!("a load is forwarded") };
    let (loads, rest) = (function.blocks.len(), function.blocks.len() + 1);
    let id = |block: usize| BlockId(block as u32);
    let terminator = function.blocks[block].terminator;
    // Lowered in the order of lines: right behind the block.
    let made = |name, instructions, terminator| Block {
        name,
        line: function.blocks[block].line,
        defined: true,
        instructions,
        terminator,
    };
    let missed = made("missed", vec![(load, line)], Some((Terminator::Jump(id(rest)), line)));
    let goes_on = made("forwarded", Vec::new(), terminator);
    function.blocks.extend([missed, goes_on]);
    let copy = operation(Op::Copy, to, Regs::of([forwarded.carried]));
    let end = Terminator::Branch { condition: forwarded.miss, then: id(loads), otherwise: id(rest), cold: true };
    function.blocks[block].instructions.push((copy, line));
    function.blocks[block].terminator = Some((end, line));
    rest
}
