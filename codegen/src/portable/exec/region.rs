//! Loops of the points of a block ([`crate::ir::region`]): a region resolved to calls, and its turns.
//!
//! All points of a block make a turn together. Those for which a condition is false are over: what they carried is written to the exits,
//! and the others move up, so that a turn costs what its points need and no instruction after the condition computes a point that is over.

use crate::cost::EXPECTED_TURNS;
use crate::drive::isa::{Isa, LoopFn};
use crate::drive::{fp_status, interrupt};
use crate::portable::exec::bytecode::{LoopCall, loop_call};
use crate::portable::loops::copies;
use crate::{FpFlags, Fragment, Inst, Loop, Region, ValueId};
use smallvec::SmallVec;

/// Points times turns between two questions whether to stop: half a millisecond to some.
const POLL_POINTS: usize = 1 << 16;
/// Bytes of a point beside its values: its place in the block, and two lists of points.
const PLACE_BYTES: u32 = 12;

/// A value of a region: where its register begins for each point of a block, and the item size.
#[derive(Clone, Copy)]
struct RegionRegister {
    offset: u32,
    size: u8,
}

/// A literal, and the loop that fills its register.
struct RegionLiteral {
    value: u16,
    bits: u128,
    fill: LoopFn,
}

/// The calls up to a condition.
struct Test {
    calls: Vec<LoopCall>,
    condition: u16,
    /// Values that are computed so far and read later.
    kept: Vec<u16>,
}

/// A region, resolved.
pub(crate) struct RegionCode {
    /// The instruction of the fragment.
    pub(crate) inst: u32,
    /// By input: the entry of the fragment that it begins with.
    inputs: Vec<u16>,
    /// Inputs and the entries that they are written to where the loop ends.
    exits: Vec<(u8, u16)>,
    literals: Vec<RegionLiteral>,
    tests: Vec<Test>,
    /// The calls after the last condition.
    after: Vec<LoopCall>,
    /// By carried input: the value that it has next.
    next: Vec<u16>,
    /// By input: its register; the inputs come first.
    input_registers: Vec<RegionRegister>,
    /// By value: its register. Those of inputs are among the above.
    registers: Vec<RegionRegister>,
    /// By value: which input it is.
    input_of: Vec<Option<u8>>,
    /// By carried input: a second register, for its next value.
    second: Vec<u32>,
    /// Bytes of registers for each point, and where they begin among those of the fragment.
    width: u32,
    pub(crate) at: u32,
    cost: f64,
}

impl RegionCode {
    /// Resolves the loop that is an instruction of a fragment.
    ///
    /// # Errors
    /// If an instruction has no loop.
    pub(crate) fn resolve(f: &Fragment, i: usize, repeated: &Loop, isa: Isa) -> Result<RegionCode, String> {
        let Region { inputs, body, conditions, next } = &*repeated.region;
        let mut width = 0;
        let mut register = |size: usize| {
            let offset = width;
            width += size as u32;
            RegionRegister { offset, size: size as u8 }
        };
        let input_registers: Vec<RegionRegister> = inputs.iter().map(|dtype| register(dtype.size())).collect();
        let second = inputs[..next.len()].iter().map(|dtype| register(dtype.size()).offset).collect();
        let (mut registers, mut input_of) = (vec![], vec![]);
        let (mut literals, mut calls, mut cost) = (vec![], vec![], 0.0);
        for (at, inst) in body.insts.iter().enumerate() {
            let input = if let Inst::Input(number) = inst { Some(*number) } else { None };
            input_of.push(input);
            let size = body.types[at].size();
            registers.push(input.map_or_else(|| register(size), |number| input_registers[number as usize]));
            if let Inst::Const(literal) = inst {
                literals.push(RegionLiteral { value: at as u16, bits: literal.bits(), fill: copies::fill(size, isa) });
            }
            if let Some((call, ns)) = loop_call(body, at, isa)? {
                cost += ns;
                calls.push(call);
            }
        }
        let mut tests: Vec<Test> = vec![];
        for condition in conditions {
            let later = calls.iter().position(|call| u32::from(call.out) > condition.0).unwrap_or(calls.len());
            let after = calls.split_off(later);
            let is_read = |at: u16| {
                let is_argument = after.iter().any(|call: &LoopCall| call.args.contains(&at));
                is_argument || next.contains(&ValueId(at.into())) || conditions.contains(&ValueId(at.into()))
            };
            let before = tests.iter().flat_map(|test| &test.calls).chain(&calls);
            let kept = before.map(|call| call.out).filter(|&out| is_read(out)).collect();
            tests.push(Test { calls, condition: condition.0 as u16, kept });
            calls = after;
        }
        let exit = |(entry, inst): (usize, &Inst)| match inst {
            Inst::Exit(of, input) if of.0 as usize == i => Some((*input, entry as u16)),
            _ => None,
        };
        let entry = |v: &ValueId| v.0 as u16;
        Ok(RegionCode {
            inst: i as u32,
            inputs: repeated.inputs.iter().map(entry).collect(),
            exits: f.insts.iter().enumerate().filter_map(exit).collect(),
            literals,
            tests,
            after: calls,
            next: next.iter().map(entry).collect(),
            input_registers,
            registers,
            input_of,
            second,
            width,
            at: 0,
            cost,
        })
    }

    /// Bytes of registers for each point of a block.
    pub(crate) fn width(&self) -> u32 {
        self.width + PLACE_BYTES
    }

    /// The cost of a point, in nanoseconds.
    pub(crate) fn cost(&self) -> f64 {
        self.cost * EXPECTED_TURNS as f64
    }

    /// Runs the loop for `n` points of a block: `at` gives the address of `n` elements for each entry of the fragment. With `CHECKED`,
    /// returns the flags that its instructions raised and may, and clears all.
    ///
    /// # Safety
    /// `registers` has room for `room` points, no fewer than `n`, of the width that this region has; entries that are written overlap
    /// nothing else.
    pub(crate) unsafe fn run<const CHECKED: bool>(
        &self,
        n: usize,
        registers: *mut u8,
        room: usize,
        at: impl Fn(u16) -> *mut u8,
    ) -> FpFlags {
        // SAFETY: the caller's contract.
        let mut block =
            unsafe { RegionBlock::new(self, n, registers.wrapping_add(self.at as usize * room), room, &at) };
        let (mut flags, mut done) = (FpFlags::NONE, 0);
        loop {
            // SAFETY: as above.
            unsafe {
                for test in &self.tests {
                    flags |= block.calls::<CHECKED>(&test.calls);
                    block.retire(test, &at);
                    if block.active == 0 {
                        return flags;
                    }
                }
                flags |= block.calls::<CHECKED>(&self.after);
                block.carry();
            }
            done += block.active;
            if done > POLL_POINTS {
                done = 0;
                if interrupt::is_interrupted() {
                    return flags;
                }
            }
        }
    }
}

/// The points of a block that are in a loop.
struct RegionBlock<'a> {
    code: &'a RegionCode,
    /// Points that are not over.
    active: usize,
    /// By value of the region, and by input: its register.
    values: SmallVec<[*mut u8; 32]>,
    inputs: SmallVec<[*mut u8; 8]>,
    /// By carried input: the register for its next value.
    second: SmallVec<[*mut u8; 8]>,
    /// Which point of the block each active point is, and room for those that go on and those that are over.
    places: *mut u32,
    lists: [*mut u32; 2],
}

impl<'a> RegionBlock<'a> {
    /// All points, with the first values of the inputs.
    ///
    /// # Safety
    /// As [`RegionCode::run`].
    unsafe fn new(
        code: &'a RegionCode,
        n: usize,
        registers: *mut u8,
        room: usize,
        at: &impl Fn(u16) -> *mut u8,
    ) -> RegionBlock<'a> {
        let register = |offset: u32| registers.wrapping_add(offset as usize * room);
        let list = |number: u32| register(code.width + 4 * number).cast::<u32>();
        let block = RegionBlock {
            code,
            active: n,
            values: code.registers.iter().map(|r| register(r.offset)).collect(),
            inputs: code.input_registers.iter().map(|r| register(r.offset)).collect(),
            second: code.second.iter().map(|&offset| register(offset)).collect(),
            places: list(0),
            lists: [list(1), list(2)],
        };
        // SAFETY: every register has room for the points; entries have `n` elements.
        unsafe {
            for ((&entry, r), &to) in code.inputs.iter().zip(&code.input_registers).zip(&block.inputs) {
                std::ptr::copy_nonoverlapping(at(entry), to, n * r.size as usize);
            }
            for literal in &code.literals {
                let item = (&raw const literal.bits).cast();
                (literal.fill)(block.values[literal.value as usize], item, item, item, n, 0);
            }
            (0..n).for_each(|point| block.places.add(point).write(point as u32));
        }
        block
    }

    /// Runs calls on the active points. With `CHECKED`, returns the flags that they raised and may, and clears all.
    ///
    /// # Safety
    /// As [`RegionCode::run`].
    unsafe fn calls<const CHECKED: bool>(&self, calls: &[LoopCall]) -> FpFlags {
        let mut flags = FpFlags::NONE;
        for call in calls {
            let [a, b, c] = call.args.map(|v| self.values[v as usize].cast_const());
            // SAFETY: every value has a register of its own with room for the points.
            unsafe { (call.run)(self.values[call.out as usize], a, b, c, self.active, 0) };
            if CHECKED {
                flags |= fp_status::read() & call.effects;
                fp_status::clear();
            }
        }
        flags
    }

    /// Ends the points for which a condition is false: writes what they carried to the exits, and moves the others up.
    ///
    /// # Safety
    /// As [`RegionCode::run`].
    unsafe fn retire(&mut self, test: &Test, at: &impl Fn(u16) -> *mut u8) {
        let (code, [go_on, over]) = (self.code, self.lists);
        // SAFETY: registers and lists have room for the points; a place is a point of the block.
        unsafe {
            let condition = std::slice::from_raw_parts(self.values[test.condition as usize], self.active);
            if condition.iter().all(|&holds| holds != 0) {
                return;
            }
            let (mut going, mut ended) = (0, 0);
            for (point, &holds) in condition.iter().enumerate() {
                go_on.add(going).write(point as u32);
                over.add(ended).write(point as u32);
                going += usize::from(holds != 0);
                ended += usize::from(holds == 0);
            }
            let over = std::slice::from_raw_parts(over, ended);
            let go_on = std::slice::from_raw_parts(go_on, going);
            for &(input, entry) in &code.exits {
                let size = code.input_registers[input as usize].size;
                write_at(at(entry), self.inputs[input as usize], over, self.places, size);
            }
            for (&input, r) in self.inputs.iter().zip(&code.input_registers) {
                move_up(input, go_on, r.size);
            }
            for &value in &test.kept {
                move_up(self.values[value as usize], go_on, code.registers[value as usize].size);
            }
            move_up(self.places.cast(), go_on, 4);
            self.active = going;
        }
    }

    /// Gives the carried inputs their next values.
    ///
    /// # Safety
    /// As [`RegionCode::run`].
    unsafe fn carry(&mut self) {
        let code = self.code;
        for (number, &value) in code.next.iter().enumerate() {
            let bytes = self.active * code.input_registers[number].size as usize;
            // SAFETY: registers have room for the points and do not overlap.
            unsafe { std::ptr::copy_nonoverlapping(self.values[value as usize], self.second[number], bytes) };
        }
        for (input, second) in self.inputs.iter_mut().zip(&mut self.second) {
            std::mem::swap(input, second);
        }
        for (value, input) in self.values.iter_mut().zip(&code.input_of) {
            if let Some(number) = input {
                *value = self.inputs[*number as usize];
            }
        }
    }
}

/// Calls `$f::<T>` with the integer of an item size.
macro_rules! by_size {
    ($size:expr, $f:ident($($arg:expr),*)) => {
        match $size {
            1 => $f::<u8>($($arg),*),
            2 => $f::<u16>($($arg),*),
            4 => $f::<u32>($($arg),*),
            _ => $f::<u64>($($arg),*),
        }
    };
}

/// Keeps these items of a register, which ascend, at its beginning.
///
/// # Safety
/// The register has them.
unsafe fn move_up(register: *mut u8, items: &[u32], size: u8) {
    unsafe fn go<T: Copy>(register: *mut u8, items: &[u32]) {
        let register = register.cast::<T>();
        for (to, &from) in items.iter().enumerate() {
            // SAFETY: the outer function's contract.
            unsafe { register.add(to).write(register.add(from as usize).read()) };
        }
    }
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, go(register, items)) }
}

/// Writes these items of a register to their places.
///
/// # Safety
/// The register and the places have them, and `out` has room at each place.
unsafe fn write_at(out: *mut u8, register: *const u8, items: &[u32], places: *const u32, size: u8) {
    unsafe fn go<T: Copy>(out: *mut u8, register: *const u8, items: &[u32], places: *const u32) {
        for &item in items {
            // SAFETY: the outer function's contract.
            unsafe {
                let place = places.add(item as usize).read() as usize;
                out.cast::<T>().add(place).write_unaligned(register.cast::<T>().add(item as usize).read());
            }
        }
    }
    // SAFETY: the caller's contract.
    unsafe { by_size!(size, go(out, register, items, places)) }
}
