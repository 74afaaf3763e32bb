//! Which pairs are worth merging, and which merged kernels are used: before the assembler by what the kernels are bound by, after it by
//! registers, spills and occupancy.

use crate::cuda::ptx::module::{BLOCK_THREADS, Operand, PtxBody, PtxModule, Space, width_of};
use crate::cuda::ptx::opcode::Unit;
use crate::cuda::ptx::refusal::Refusal;

/// Cycles of a scheduler that a byte of each thread takes in memory: a multiprocessor of an H100 gets 15 bytes in a cycle (3.35 TB/s,
/// 132 of them, 1.7 GHz), a warp has 32 threads, and there are four schedulers.
const CYCLES_PER_BYTE: f64 = 32.0 / 15.0 * 4.0;
/// 32-bit registers of a multiprocessor, and what a thread's are rounded up to.
const REGISTER_FILE: u32 = 65_536;
const REGISTER_UNIT: u32 = 8;
/// The most blocks of 256 threads on a multiprocessor, and its shared memory.
const MAX_RESIDENT_BLOCKS: u32 = 8;
const SHARED_BYTES: u32 = 164 << 10;
/// The fewest blocks of a merged kernel on a multiprocessor. Half as many warps as a part has do as much, since each does two things.
const MIN_RESIDENT_BLOCKS: u32 = 2;

/// What a kernel waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Memory of the device.
    Memory,
    /// Arithmetic: instructions, dividers, special functions.
    Arithmetic,
}

/// What a body is bound by: cycles of its instructions against those of the bytes it moves, each counted once.
pub(crate) fn bound(body: &PtxBody) -> Bound {
    let (mut cycles, mut bytes) = (0.0, 0.0);
    for inst in body.blocks.iter().flat_map(|block| &block.insts) {
        cycles += f64::from(inst.opcode.issue());
        if inst.opcode.mnemonic.unit == Unit::Memory && inst.opcode.space() == Space::Global {
            let vector = inst
                .operands
                .iter()
                .find_map(|o| if let Operand::Vector(parts) = o { Some(parts.len()) } else { None });
            bytes += f64::from(width_of(inst.opcode.element())) * vector.unwrap_or(1) as f64;
        }
    }
    if bytes * CYCLES_PER_BYTE > cycles { Bound::Memory } else { Bound::Arithmetic }
}

/// Whether one kernel waits for memory while the other computes.
///
/// # Errors
/// [`Refusal::SameBound`] where not.
pub fn complementary(modules: [&PtxModule; 2]) -> Result<(), Refusal> {
    let [first, second] = modules.map(|module| module.kernels.first().map(|kernel| bound(&kernel.body)));
    if first == second { Err(Refusal::SameBound) } else { Ok(()) }
}

/// What an assembled kernel takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of a thread's memory: its stack and spilled registers.
    pub local: u32,
    /// Bytes of a block's shared memory.
    pub shared: u32,
}

impl Resources {
    /// Blocks that are resident on a multiprocessor.
    pub fn blocks(&self) -> u32 {
        let registers = self.registers.max(1).next_multiple_of(REGISTER_UNIT) * BLOCK_THREADS;
        (REGISTER_FILE / registers)
            .min(SHARED_BYTES.checked_div(self.shared).unwrap_or(MAX_RESIDENT_BLOCKS))
            .min(MAX_RESIDENT_BLOCKS)
    }
}

/// Whether a merged kernel is used in place of its parts.
///
/// # Errors
/// [`Refusal::Spills`] where it spills more than they do together, [`Refusal::Occupancy`] where less than half as many blocks are
/// resident as of the part with fewer, or less than two.
pub fn check(parts: [Resources; 2], merged: Resources) -> Result<(), Refusal> {
    if merged.local > parts[0].local + parts[1].local {
        return Err(Refusal::Spills);
    }
    let least = parts[0].blocks().min(parts[1].blocks());
    if merged.blocks() < MIN_RESIDENT_BLOCKS.max(least.div_ceil(2)) { Err(Refusal::Occupancy) } else { Ok(()) }
}
