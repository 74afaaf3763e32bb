//! Weaving: two streams of instructions become one, so that one advances while the other waits.
//!
//! Each stream keeps its order, and with it the order of its accesses, barriers and carries; the assembler, which schedules a block
//! again, could reorder them but not choose streams that stand in different blocks. A list scheduler with one candidate for each
//! stream: it continues with a stream while that does not wait, and takes a slice of the other while it does. Where more registers
//! would be live than the budget has, it takes the instruction after which fewer are.

use crate::cuda::ptx::module::{PtxInst, Register, RegisterClass};
use hashbrown::{HashMap, HashSet};

/// Registers of 32 bits for a thread such that two blocks of 256 threads fit a multiprocessor: 65,536 / 512.
pub(crate) const REGISTER_BUDGET: u32 = 128;

/// The instructions of a block, in order.
#[derive(Clone)]
pub(crate) struct Stream {
    pub(crate) insts: Vec<PtxInst>,
    /// Words of 32 bits that are live before each instruction, and after the last.
    pub(crate) pressure: Vec<u32>,
}

impl Stream {
    /// A part of it.
    pub(crate) fn slice(&self, from: usize, to: usize) -> Stream {
        Stream { insts: self.insts[from..to].to_vec(), pressure: self.pressure[from..=to].to_vec() }
    }
}

/// The words of 32 bits that registers take. Predicates have registers of their own.
pub(crate) fn words(live: &HashSet<Register>) -> u32 {
    let words = |class: RegisterClass| match class {
        RegisterClass::Pred => 0,
        RegisterClass::B16 | RegisterClass::B32 | RegisterClass::F32 => 1,
        RegisterClass::B64 | RegisterClass::F64 => 2,
    };
    live.iter().map(|register| words(register.class)).sum()
}

/// The number of instructions that must stay together from one on: a chain of carries, which are in no register.
pub(crate) fn chain(insts: &[PtxInst], from: usize) -> usize {
    let mut length = 1;
    if !insts[from].opcode.carry().1 {
        return length;
    }
    // Up to the last that uses the carry before another chain begins.
    for (k, inst) in insts[from..].iter().enumerate().skip(1) {
        match inst.opcode.carry() {
            (true, leaves) => {
                length = k + 1;
                if !leaves {
                    break;
                }
            }
            (false, true) => break,
            (false, false) => {}
        }
    }
    length
}

/// Two streams as one.
pub(crate) fn weave(streams: [&Stream; 2]) -> Vec<PtxInst> {
    let mut out = Vec::with_capacity(streams[0].insts.len() + streams[1].insts.len());
    let mut at = [0, 0];
    // When the results of instructions can be used, and the cycle that the next instruction is issued in.
    let mut ready: [HashMap<Register, u32>; 2] = Default::default();
    let mut cycle = 0;
    let mut last = 0;
    loop {
        let candidates = [0, 1].map(|s| streams[s].insts.get(at[s]).map(|inst| start(inst, &ready[s], cycle)));
        let chosen = match candidates {
            [None, None] => return out,
            [Some(_), None] => 0,
            [None, Some(_)] => 1,
            [Some(a), Some(b)] => {
                let after = |s: usize| {
                    let steps = chain(&streams[s].insts, at[s]);
                    streams[s].pressure[at[s] + steps] + streams[1 - s].pressure[at[1 - s]]
                };
                let pressure = [after(0), after(1)];
                if pressure.iter().any(|&words| words > REGISTER_BUDGET) && pressure[0] != pressure[1] {
                    usize::from(pressure[1] < pressure[0])
                } else if a == b {
                    last
                } else {
                    usize::from(b < a)
                }
            }
        };
        last = chosen;
        for inst in &streams[chosen].insts[at[chosen]..][..chain(&streams[chosen].insts, at[chosen])] {
            let begin = start(inst, &ready[chosen], cycle);
            inst.for_each_write(&mut |register| {
                ready[chosen].insert(register, begin + inst.opcode.latency());
            });
            cycle = begin + inst.opcode.issue();
            out.push(inst.clone());
            at[chosen] += 1;
        }
    }
}

/// The cycle in which an instruction could start: when what it reads is ready.
fn start(inst: &PtxInst, ready: &HashMap<Register, u32>, cycle: u32) -> u32 {
    let mut start = cycle;
    inst.for_each_read(&mut |register| start = start.max(ready.get(&register).copied().unwrap_or(0)));
    start
}
