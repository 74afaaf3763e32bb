//! Integers that a turn of an innermost loop computes, as polynomials of what does not change within the turn.
//!
//! Two addresses are equal, or so many bytes apart, if their polynomials say so; what an address is in the next turn follows from what is
//! added to the induction variables. Integers wrap, and so do coefficients.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::ir::{Function, Instruction, Op, Reg};
use crate::loops::Loop;

/// Products of more unknowns, and sums of more products, are unknowns of their own.
const MOST_FACTORS: usize = 3;
const MOST_TERMS: usize = 12;

/// An instruction: its block, and its place there.
pub(crate) type Place = (usize, usize);

/// A value that does not change within a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unknown {
    /// That of a register which the loop does not write.
    Invariant(u32),
    /// That of an induction variable, at the beginning of the turn.
    Induction(u32),
    /// The result of an instruction of what the loop does not change.
    Fixed(Place),
    /// The result of an instruction, which may be another one in each turn.
    Result(Place),
}

/// The coefficients of products of unknowns, of which none is 0; the product of none is 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Polynomial(BTreeMap<Vec<Unknown>, i64>);

impl Polynomial {
    pub(crate) fn constant(value: i64) -> Polynomial {
        let mut made = Polynomial::default();
        made.add_term(Vec::new(), value);
        made
    }

    fn unknown(unknown: Unknown) -> Polynomial {
        Polynomial(BTreeMap::from([(vec![unknown], 1)]))
    }

    fn add_term(&mut self, product: Vec<Unknown>, coefficient: i64) {
        let found = self.0.entry(product).or_insert(0);
        *found = found.wrapping_add(coefficient);
        self.0.retain(|_, coefficient| *coefficient != 0);
    }

    /// Plus another one, times a factor.
    pub(crate) fn plus(&self, other: &Polynomial, factor: i64) -> Polynomial {
        let mut sum = self.clone();
        for (product, coefficient) in &other.0 {
            sum.add_term(product.clone(), coefficient.wrapping_mul(factor));
        }
        sum
    }

    fn times(&self, other: &Polynomial) -> Polynomial {
        let mut made = Polynomial::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                let mut product = [&a[..], b].concat();
                product.sort_unstable();
                made.add_term(product, x.wrapping_mul(*y));
            }
        }
        made
    }

    /// The number that it is, if it is one.
    pub(crate) fn number(&self) -> Option<i64> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    fn is_small(&self) -> bool {
        self.0.len() <= MOST_TERMS && self.0.keys().all(|product| product.len() <= MOST_FACTORS)
    }
}

/// The integers of a loop.
pub(crate) struct Turn<'a> {
    function: &'a Function<'a>,
    /// The blocks of the loop in an order in which they run.
    order: &'a [usize],
    /// Where the registers that the loop writes are written, if in one place.
    written: HashMap<Reg, Option<Place>>,
    /// Where registers are written in the whole function, if in one place.
    definitions: &'a [Option<Place>],
    head: usize,
    /// For each block of the loop the ones that all ways from the head to it pass.
    dominators: HashMap<usize, Vec<usize>>,
    known: HashMap<Place, Polynomial>,
    steps: HashMap<Reg, Option<(Place, Polynomial)>>,
    is_before: HashMap<usize, bool>,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(
        function: &'a Function<'a>,
        found: &Loop,
        order: &'a [usize],
        definitions: &'a [Option<Place>],
    ) -> Turn<'a> {
        let mut written: HashMap<Reg, Option<Place>> = HashMap::new();
        for &block in order {
            for (place, (instruction, _)) in function.blocks[block].instructions.iter().enumerate() {
                for &register in instruction.results().as_slice() {
                    written.entry(register).and_modify(|once| *once = None).or_insert(Some((block, place)));
                }
            }
        }
        let before = function.predecessors();
        let mut dominators: HashMap<usize, Vec<usize>> = HashMap::new();
        for &block in order {
            let mut common: Option<Vec<usize>> = None;
            for previous in before[block].iter().filter(|_| block != found.head) {
                // What leads to a block stands before it in the order.
                let Some(passed) = dominators.get(previous) else { continue };
                match &mut common {
                    None => common = Some(passed.clone()),
                    Some(common) => common.retain(|block| passed.contains(block)),
                }
            }
            let mut passed = common.unwrap_or_default();
            passed.push(block);
            dominators.insert(block, passed);
        }
        Turn {
            function,
            order,
            written,
            definitions,
            head: found.head,
            dominators,
            known: HashMap::new(),
            steps: HashMap::new(),
            is_before: HashMap::new(),
        }
    }

    /// Whether an instruction has run in this turn where another one runs.
    pub(crate) fn precedes(&self, first: Place, then: Place) -> bool {
        if first.0 == then.0 { first.1 < then.1 } else { self.dominators[&then.0].contains(&first.0) }
    }

    /// Whether a condition by which a block of all turns ends is the same in all of them.
    pub(crate) fn is_settled(&self, condition: Reg, block: usize) -> bool {
        let end = (block, self.function.blocks[block].instructions.len());
        let is_fixed = match self.written.get(&condition) {
            None => true,
            Some(None) => false,
            Some(&Some(place)) => self.precedes(place, end) && self.is_fixed(place),
        };
        is_fixed && self.is_in_all_turns(block)
    }

    /// Whether all turns run a block.
    fn is_in_all_turns(&self, block: usize) -> bool {
        let leads_back = |last: &&usize| {
            let terminator = &self.function.blocks[**last].terminator;
            terminator.iter().flat_map(|(end, _)| end.successors()).any(|to| to.0 as usize == self.head)
        };
        self.order.iter().filter(leads_back).all(|last| self.dominators[last].contains(&block))
    }

    /// The value of a register where an instruction reads it.
    pub(crate) fn value(&mut self, register: Reg, at: Place) -> Option<Polynomial> {
        match self.written.get(&register).copied() {
            None => Some(self.invariant(register)),
            Some(None) => None,
            Some(Some(place)) => {
                if let Some((added, step)) = self.step(register) {
                    let start = Polynomial::unknown(Unknown::Induction(register.0));
                    if self.precedes(added, at) {
                        return Some(start.plus(&step, 1));
                    }
                    // All turns add, so all blocks stand before or behind that, but for those beside it.
                    return self.precedes(at, added).then_some(start);
                }
                self.precedes(place, at).then(|| self.result(place))
            }
        }
    }

    /// That of a register which the loop does not write.
    fn invariant(&mut self, register: Reg) -> Polynomial {
        let entry = self.function.entry.0 as usize;
        let mut defined = self.definitions[register.0 as usize];
        if let Some(copied) = defined
            && let Instruction::Op { row, operands, .. } = &self.function.blocks[copied.0].instructions[copied.1].0
            && let (Op::Copy, &[of]) = (row.op, operands.as_slice())
            && self.stands_before(copied.0)
        {
            // `step = copy one`, behind the first block or later in it.
            defined = self.definitions[of.0 as usize].filter(|place| copied.0 != entry || place.1 < copied.1);
        }
        if let Some((block, place)) = defined.filter(|(block, _)| *block == entry)
            && let Instruction::IntConst { value, .. } = self.function.blocks[block].instructions[place].0
        {
            return Polynomial::constant(value);
        }
        Polynomial::unknown(Unknown::Invariant(register.0))
    }

    /// Whether a block has run wherever the loop begins: the head is not reached around it.
    fn stands_before(&mut self, block: usize) -> bool {
        let entry = self.function.entry.0 as usize;
        if let Some(&known) = self.is_before.get(&block) {
            return known;
        }
        let mut reached = vec![false; self.function.blocks.len()];
        let mut open = if block == entry { Vec::new() } else { vec![entry] };
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut reached[next], true) {
                let terminator = &self.function.blocks[next].terminator;
                let successors = terminator.iter().flat_map(|(end, _)| end.successors());
                open.extend(successors.map(|to| to.0 as usize).filter(|&to| to != block));
            }
        }
        self.is_before.insert(block, !reached[self.head]);
        !reached[self.head]
    }

    /// Where each turn adds to an induction variable, and what.
    fn step(&mut self, register: Reg) -> Option<(Place, Polynomial)> {
        if let Some(known) = self.steps.get(&register) {
            return known.clone();
        }
        let found = self.written.get(&register).copied().flatten().and_then(|place| {
            let Instruction::Op { row, to, operands } = &self.function.blocks[place.0].instructions[place.1].0 else {
                return None;
            };
            let (&[to], &[a, b]) = (to.as_slice(), operands.as_slice()) else { return None };
            let by = if to == a { b } else { a };
            let factor = match row.op {
                Op::Add if to == a || to == b => 1,
                Op::Sub if to == a => -1,
                _ => return None,
            };
            if self.written.contains_key(&by) || !self.is_in_all_turns(place.0) {
                return None;
            }
            let by = self.invariant(by);
            Some((place, Polynomial::default().plus(&by, factor)))
        });
        self.steps.insert(register, found.clone());
        found
    }

    /// What an instruction computes.
    fn result(&mut self, place: Place) -> Polynomial {
        if let Some(known) = self.known.get(&place) {
            return known.clone();
        }
        let made = self.computed(place).filter(Polynomial::is_small);
        let unknown = || {
            let unknown = if self.is_fixed(place) { Unknown::Fixed(place) } else { Unknown::Result(place) };
            Polynomial::unknown(unknown)
        };
        let made = made.unwrap_or_else(unknown);
        self.known.insert(place, made.clone());
        made
    }

    /// Whether an instruction gives the same result in all turns.
    fn is_fixed(&self, place: Place) -> bool {
        let operands = match &self.function.blocks[place.0].instructions[place.1].0 {
            Instruction::IntConst { .. } | Instruction::FloatConst { .. } => return true,
            Instruction::Op { operands, .. } => *operands,
            _ => return false,
        };
        operands.as_slice().iter().all(|register| match self.written.get(register) {
            None => true,
            Some(None) => false,
            Some(&Some(written)) => self.precedes(written, place) && self.is_fixed(written),
        })
    }

    fn computed(&mut self, place: Place) -> Option<Polynomial> {
        let (op, operands) = match &self.function.blocks[place.0].instructions[place.1].0 {
            Instruction::IntConst { value, .. } => return Some(Polynomial::constant(*value)),
            Instruction::Op { row, operands, .. } => (row.op, *operands),
            _ => return None,
        };
        if op == Op::Select {
            let otherwise = operands.as_slice()[2];
            return if self.is_assumed(place) { self.value(otherwise, place) } else { None };
        }
        let mut read = operands.as_slice().iter().map(|&register| self.value(register, place));
        let (a, b) = (read.next()??, read.next());
        match op {
            Op::Copy => Some(a),
            Op::Neg => Some(Polynomial::default().plus(&a, -1)),
            Op::Add => Some(a.plus(&b??, 1)),
            Op::Sub => Some(a.plus(&b??, -1)),
            Op::Mul => Some(a.times(&b??)),
            _ => None,
        }
    }

    /// Whether the condition of a `select` is assumed not to hold, as of `a[i - 1]` that the index is negative.
    fn is_assumed(&self, place: Place) -> bool {
        let Instruction::Op { operands, .. } = &self.function.blocks[place.0].instructions[place.1].0 else {
            return false;
        };
        let condition = self.written.get(&operands.as_slice()[0]);
        !self.is_fixed(place) && matches!(condition, Some(&Some(decided)) if self.precedes(decided, place))
    }

    /// The conditions that must not hold where an instruction reads a register, that its value may be what [`Turn::value`] says.
    pub(crate) fn assumptions(&mut self, register: Reg, at: Place) -> Vec<Reg> {
        let (mut found, mut open, mut seen) = (Vec::new(), vec![(register, at)], HashSet::new());
        while let Some((register, at)) = open.pop() {
            let Some(&Some(place)) = self.written.get(&register) else { continue };
            if !self.precedes(place, at) || self.step(register).is_some() || !seen.insert(place) {
                continue;
            }
            let Instruction::Op { row, operands, .. } = self.function.blocks[place.0].instructions[place.1].0 else {
                continue;
            };
            match (row.op, operands.as_slice()) {
                (Op::Select, &[condition, _, otherwise]) if self.is_assumed(place) => {
                    if !found.contains(&condition) {
                        found.push(condition);
                    }
                    open.push((otherwise, place));
                }
                (Op::Copy | Op::Neg | Op::Add | Op::Sub | Op::Mul, operands) => {
                    open.extend(operands.iter().map(|&operand| (operand, place)));
                }
                _ => {}
            }
        }
        found
    }

    /// The value in the next turn of what has this value now; `None` where that is not known.
    pub(crate) fn next(&self, value: &Polynomial) -> Option<Polynomial> {
        let mut made = Polynomial::default();
        for (product, &coefficient) in &value.0 {
            let mut next = Polynomial::constant(coefficient);
            for &unknown in product {
                let factor = match unknown {
                    Unknown::Invariant(_) | Unknown::Fixed(_) => Polynomial::unknown(unknown),
                    Unknown::Induction(register) => {
                        let (_, step) = self.steps.get(&Reg(register))?.as_ref()?;
                        Polynomial::unknown(unknown).plus(step, 1)
                    }
                    Unknown::Result(_) => return None,
                };
                next = next.times(&factor);
            }
            made = made.plus(&next, 1);
        }
        Some(made)
    }
}
