//! Strength reduction: in a loop that is one block, products of an index and a stride become sums.
//!
//! The elements of a row whose stride is not known are at `base + k * stride`. One unit of the processor multiplies integers, so a product of
//! two columns waited for that, not for memory. Here a register that the loop only adds to (`k = add k, step`) is an *induction variable*.
//! Where it is multiplied by something that the loop does not change, a new register has the product, and each turn adds to it; where
//! that is added to an address, the new register has the address. Integers wrap, so nothing else is computed.
//!
//! Only strides that were read again right before the loop ([`crate::reread`]) are reduced by: a register of long life may lie in memory, and
//! then each turn's sum waits for the one before to be stored and loaded, where a product waits for nothing.
//!
//! Cranelift has no such pass.

use std::collections::{HashMap, HashSet};

use crate::ir::{Function, Instruction, Op, OpRow, Reg, Register, Regs, Type, row_of};

/// More new registers than this in a loop would lie in memory.
const MOST: usize = 8;

/// The block of registers that several blocks use.
const SEVERAL: usize = usize::MAX;

/// Reduces all loops that are one block.
pub(crate) fn reduce(function: &mut Function<'_>) {
    let before = function.predecessors();
    if before.iter().enumerate().all(|(index, blocks)| !blocks.contains(&index)) {
        return;
    }
    let whole = Whole::of(function);
    for (index, before) in before.iter().enumerate() {
        let outside: Vec<usize> = before.iter().copied().filter(|&block| block != index).collect();
        if outside.len() == before.len() || outside.is_empty() || outside.len() > 2 {
            continue;
        }
        let Some(reduced) = Loop::new(function, &whole, index).reduced() else { continue };
        for block in outside {
            function.blocks[block].instructions.extend_from_slice(&reduced.hoisted);
        }
        function.blocks[index].instructions = reduced.body;
        let fresh = reduced.registers - function.registers.len();
        function.registers.extend(std::iter::repeat_n(Register { name: "reduced", of: Type::I64 }, fresh));
    }
}

/// What is known of registers in the whole function.
struct Whole {
    /// The block whose instructions alone use it; [`SEVERAL`] if there are several.
    homes: Vec<usize>,
    /// Words of the frame that were read again.
    reread: HashSet<Reg>,
}

impl Whole {
    fn of(function: &Function<'_>) -> Whole {
        let (mut homes, mut reread) = (vec![None; function.registers.len()], HashSet::new());
        for (index, block) in function.blocks.iter().enumerate() {
            for (instruction, _) in &block.instructions {
                for register in instruction.results().as_slice().iter().chain(instruction.operands().as_slice()) {
                    let home = homes[register.0 as usize].get_or_insert(index);
                    if *home != index {
                        *home = SEVERAL;
                    }
                }
                if let &Instruction::Get { to, again: true, .. } = instruction {
                    reread.insert(to);
                }
            }
        }
        Whole { homes: homes.into_iter().map(|home| home.unwrap_or(SEVERAL)).collect(), reread }
    }
}

/// An induction variable times a stride, and perhaps a base more.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Linear {
    index: Reg,
    stride: Reg,
    base: Option<Reg>,
}

/// A loop of one block, and what is made of it.
struct Loop<'a> {
    whole: &'a Whole,
    body: &'a [(Instruction, u32)],
    block: usize,
    /// Where the registers that the loop writes are written, and how often.
    written: HashMap<Reg, (usize, usize)>,
    /// Induction variables: where each is added to, and what.
    inductions: HashMap<Reg, (usize, Reg)>,
    /// Registers that the loop writes and does not change, with those that are computed before it.
    copies: HashMap<Reg, Reg>,
    hoisted: Vec<(Instruction, u32)>,
    registers: usize,
}

/// A loop after the reduction.
struct Reduced {
    body: Vec<(Instruction, u32)>,
    /// What stands before the loop.
    hoisted: Vec<(Instruction, u32)>,
    /// How many registers the function has now.
    registers: usize,
}

impl<'a> Loop<'a> {
    fn new(function: &'a Function<'_>, whole: &'a Whole, block: usize) -> Loop<'a> {
        let body = &function.blocks[block].instructions;
        let mut written = HashMap::new();
        for (place, (instruction, _)) in body.iter().enumerate() {
            for &register in instruction.results().as_slice() {
                written.entry(register).or_insert((place, 0)).1 += 1;
            }
        }
        let (copies, hoisted, registers) = (HashMap::new(), Vec::new(), function.registers.len());
        let mut made = Loop { whole, body, block, written, inductions: HashMap::new(), copies, hoisted, registers };
        for place in 0..body.len() {
            let Some((Op::Add, to, [a, b])) = made.binary(place) else { continue };
            let step = if to == a { b } else { a };
            if (to == a || to == b) && made.is_once(to) && made.is_invariant(step, place) {
                made.inductions.insert(to, (place, step));
            }
        }
        made
    }

    /// The instruction at a place, if it has one result and two operands.
    fn binary(&self, place: usize) -> Option<(Op, Reg, [Reg; 2])> {
        let Instruction::Op { row, to, operands } = &self.body[place].0 else { return None };
        let (&[to], &[a, b]) = (to.as_slice(), operands.as_slice()) else { return None };
        Some((row.op, to, [a, b]))
    }

    fn is_once(&self, register: Reg) -> bool {
        self.written.get(&register).is_some_and(|&(_, times)| times == 1)
    }

    /// Whether a register that is read at a place is the same in all turns, and can be computed before the loop.
    fn is_invariant(&self, register: Reg, read: usize) -> bool {
        let Some(&(place, times)) = self.written.get(&register) else { return true };
        let pure = match &self.body[place].0 {
            Instruction::Op { row, operands, .. } if matches!(row.op, Op::Copy | Op::Add | Op::Sub | Op::Mul) => {
                operands
            }
            _ => return false,
        };
        times == 1 && place < read && pure.as_slice().iter().all(|&operand| self.is_invariant(operand, place))
    }

    /// The register that has an invariant register's value before the loop.
    fn hoist(&mut self, register: Reg) -> Reg {
        let Some(&(place, _)) = self.written.get(&register) else { return register };
        if let Some(&copy) = self.copies.get(&register) {
            return copy;
        }
        let Instruction::Op { row, operands, .. } = self.body[place].0 else { return register };
        let mut hoisted = Regs::new();
        for &operand in operands.as_slice() {
            let _ = hoisted.push(self.hoist(operand));
        }
        let copy = self.fresh();
        self.before(row, copy, hoisted);
        self.copies.insert(register, copy);
        copy
    }

    fn fresh(&mut self) -> Reg {
        self.registers += 1;
        Reg(self.registers as u32 - 1)
    }

    /// Writes an instruction before the loop.
    fn before(&mut self, row: &'static OpRow, to: Reg, operands: Regs) {
        let line = self.body.first().map_or(0, |&(_, line)| line);
        self.hoisted.push((Instruction::Op { row, to: Regs::of([to]), operands }, line));
    }

    /// The products that can be reduced, by their places.
    fn products(&self) -> Vec<(usize, Linear)> {
        let mut found = Vec::new();
        for place in 0..self.body.len() {
            let Some((Op::Mul, to, [a, b])) = self.binary(place) else { continue };
            let (index, stride) = if self.inductions.contains_key(&a) { (a, b) } else { (b, a) };
            let is_here = self.is_once(to) && self.whole.homes[to.0 as usize] == self.block;
            if self.inductions.contains_key(&index) && self.whole.reread.contains(&stride) && is_here {
                found.push((place, Linear { index, stride, base: None }));
            }
        }
        found
    }

    /// Whether an induction variable is added to between two places.
    fn moves_between(&self, index: Reg, first: usize, second: usize) -> bool {
        let (moved, _) = self.inductions[&index];
        (first..second).contains(&moved)
    }

    /// The loop reduced; `None` if nothing is.
    fn reduced(self) -> Option<Reduced> {
        let products = self.products();
        if products.is_empty() {
            return None;
        }
        // What replaces the instruction at a place: nothing, or the new register of a sum.
        let mut replaced: HashMap<usize, Option<Linear>> = HashMap::new();
        for &(made, product) in &products {
            let result = self.body[made].0.results().as_slice()[0];
            let mut is_left = false;
            for place in 0..self.body.len() {
                if !self.body[place].0.operands().as_slice().contains(&result) {
                    continue;
                }
                let sum = self.binary(place).filter(|&(op, to, _)| op == Op::Add && self.is_once(to));
                let base = sum.map(|(_, _, [a, b])| if a == result { b } else { a }).filter(|&base| base != result);
                match base.filter(|&base| self.is_invariant(base, place)) {
                    Some(base) if made < place && !self.moves_between(product.index, made, place) => {
                        replaced.insert(place, Some(Linear { base: Some(base), ..product }));
                    }
                    _ => is_left = true,
                }
            }
            replaced.insert(made, is_left.then_some(product));
        }
        if self.count(&replaced) > MOST {
            replaced = products.iter().map(|&(place, product)| (place, Some(product))).collect();
        }
        if self.count(&replaced) > MOST {
            return None;
        }
        Some(self.rewritten(&replaced))
    }

    /// How many new registers there would be.
    fn count(&self, replaced: &HashMap<usize, Option<Linear>>) -> usize {
        let mut different: Vec<&Linear> = Vec::new();
        for linear in replaced.values().flatten() {
            if !different.contains(&linear) {
                different.push(linear);
            }
        }
        different.len()
    }

    fn rewritten(mut self, replaced: &HashMap<usize, Option<Linear>>) -> Reduced {
        // In the order of the text, so that one text has one code.
        let mut registers: Vec<(Linear, Reg, Reg)> = Vec::new();
        for place in 0..self.body.len() {
            let Some(&Some(linear)) = replaced.get(&place) else { continue };
            let stride = self.hoist(linear.stride);
            let base = linear.base.map(|base| self.hoist(base));
            let same = Linear { stride, base, ..linear };
            if registers.iter().any(|(known, _, _)| *known == same) {
                continue;
            }
            let (_, step) = self.inductions[&linear.index];
            let step = self.hoist(step);
            let (register, by) = (self.fresh(), self.fresh());
            self.before(row_of(Op::Mul), register, Regs::of([linear.index, stride]));
            if let Some(base) = base {
                self.before(row_of(Op::Add), register, Regs::of([base, register]));
            }
            self.before(row_of(Op::Mul), by, Regs::of([step, stride]));
            registers.push((same, register, by));
        }
        let mut body = Vec::with_capacity(self.body.len());
        for (place, &(instruction, line)) in self.body.iter().enumerate() {
            match replaced.get(&place) {
                None => body.push((instruction, line)),
                Some(None) => {}
                Some(&Some(linear)) => {
                    let (stride, base) = (self.hoist(linear.stride), linear.base.map(|base| self.hoist(base)));
                    let same = Linear { stride, base, ..linear };
                    let of = registers.iter().find(|(known, _, _)| *known == same);
                    let from = of.map_or(linear.index, |&(_, register, _)| register);
                    let to = instruction.results();
                    body.push((Instruction::Op { row: row_of(Op::Copy), to, operands: Regs::of([from]) }, line));
                }
            }
            for &(linear, register, by) in &registers {
                if self.inductions[&linear.index].0 == place {
                    let operands = Regs::of([register, by]);
                    body.push((Instruction::Op { row: row_of(Op::Add), to: Regs::of([register]), operands }, line));
                }
            }
        }
        Reduced { body, hoisted: self.hoisted, registers: self.registers }
    }
}
