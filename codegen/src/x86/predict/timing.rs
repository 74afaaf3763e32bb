//! Processor models: the ports and buffers of a processor for each level, and the latency and ports of each class of instructions.
//!
//! The model of AVX2 is AMD's Zen 3, measured by `cargo bench -p fastnp-benches --bench processor`, which prints what it finds beside
//! this table. That of AVX-512 is Intel's Ice Lake at 512 bits, from Fog's instruction tables and uops.info. AMD's Zen 4,
//! whose ports take two cycles for 512 bits, needs 1.3 times the cycles that it predicts (geometric mean of 116 loops, the `ports` bench).

use crate::x86::asm::level::Level;

/// A set of ports, a bit each.
pub type Ports = u32;

/// Ports that execute vector instructions: the first four; with 512 bits there are two.
const V0: Ports = 1;
const V1: Ports = 2;
const V2: Ports = 4;
const V3: Ports = 8;
const V01: Ports = V0 | V1;
const V12: Ports = V1 | V2;
const V23: Ports = V2 | V3;
const V03: Ports = V0 | V3;
const VECTOR: Ports = V01 | V23;
/// The divider, which is busy for several cycles.
const DIVIDER: Ports = 1 << 4;
/// Ports of loads, and of stores.
const LOADS: Ports = 3 << 5;
const STORES: Ports = 1 << 7;
/// Ports of instructions on general registers.
const GENERAL: Ports = 15 << 8;

/// The names of ports, by bit.
pub(crate) const PORT_NAMES: [&str; 12] = ["p0", "p1", "p2", "p3", "div", "ld0", "ld1", "st", "g0", "g1", "g2", "g3"];

/// How the processor executes an instruction whose operands are in registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Cycles from its arguments to its result.
    pub latency: u32,
    /// The ports of its first micro-operation, of which it takes one; none of what takes no port, such as copies of registers.
    pub ports: Ports,
    /// The ports of its second micro-operation, if it has one.
    pub second: Ports,
    /// Cycles for which it keeps its port busy.
    pub busy: f64,
}

const fn timing(latency: u32, ports: Ports) -> Timing {
    Timing { latency, ports, second: 0, busy: 1.0 }
}

const fn double(latency: u32, ports: Ports, second: Ports) -> Timing {
    Timing { latency, ports, second, busy: 1.0 }
}

const fn busy(latency: u32, ports: Ports, busy: f64) -> Timing {
    Timing { latency, ports, second: 0, busy }
}

/// A processor: how much of a loop it has in work at once.
pub(crate) struct Processor {
    /// Operations that enter, and that retire, each cycle.
    pub(crate) dispatch: usize,
    pub(crate) retire: usize,
    /// Operations between entering and retiring; those of them with a vector as result; of these, those that have not executed, and the
    /// oldest among them, which ports take.
    pub(crate) reorder: usize,
    pub(crate) vector_registers: usize,
    pub(crate) vector_queue: usize,
    pub(crate) scheduler: usize,
    /// Cycles of a load that hits the first-level cache, to a vector and to a general register, and from a store to a load of the same place.
    pub(crate) vector_load: u32,
    pub(crate) general_load: u32,
    pub(crate) forward: u32,
    pub(crate) loads: Ports,
    pub(crate) general_loads: Ports,
    pub(crate) stores: Ports,
    pub(crate) general: Ports,
    /// Which column of the table.
    column: usize,
}

impl Processor {
    /// The processor that stands for a level.
    pub(crate) fn of(level: Level) -> &'static Processor {
        match level {
            Level::Avx2 => &ZEN_3,
            Level::Avx512 => &ICE_LAKE,
        }
    }

    /// The timing of an instruction.
    pub(crate) fn timing(&self, mnemonic: &str) -> Timing {
        let row = TABLE.iter().find(|row| row.0.iter().any(|name| matches(name, mnemonic)));
        row.map_or(timing(1, self.general), |row| row.1[self.column])
    }
}

/// Registers hold results and, at the least, the values of all sixteen names.
const ZEN_3: Processor = Processor {
    dispatch: 6,
    retire: 8,
    reorder: 256,
    vector_registers: 160 - 16,
    vector_queue: 128,
    scheduler: 64,
    vector_load: 7,
    general_load: 4,
    forward: 8,
    loads: LOADS,
    general_loads: LOADS,
    stores: STORES,
    general: GENERAL,
    column: 0,
};

const ICE_LAKE: Processor = Processor {
    dispatch: 5,
    retire: 8,
    reorder: 352,
    vector_registers: 224 - 32,
    vector_queue: 97,
    scheduler: 97,
    vector_load: 7,
    general_load: 5,
    forward: 6,
    loads: LOADS,
    general_loads: LOADS,
    stores: STORES,
    general: GENERAL,
    column: 1,
};

/// Whether a name of the table is that of an instruction; a star stands for any ending.
fn matches(name: &str, mnemonic: &str) -> bool {
    name.strip_suffix('*').map_or(name == mnemonic, |beginning| mnemonic.starts_with(beginning))
}

/// The timing of an instruction of the assembler's table at a level, and how many of it a cycle begins, by its mnemonic in capital letters.
pub fn of_mnemonic(mnemonic: &str, level: Level) -> (Timing, f64) {
    let timing = Processor::of(level).timing(mnemonic);
    let alone = timing.busy / f64::from(timing.ports.count_ones().max(1));
    let both = (1 + (timing.second != 0) as u32) as f64 / f64::from((timing.ports | timing.second).count_ones().max(1));
    (timing, if timing.ports == 0 { 1.0 / 6.0 } else { f64::max(alone, both) })
}

/// A class of instructions, by mnemonics, and its timing on the processor of each level. The first row that matches counts.
type Row = (&'static [&'static str], [Timing; 2]);

/// The table. Vector results of the slowest classes differ between processors by a cycle or two. On Zen 3 a fused multiply-add takes a port
/// of its own and room on another: with any in the mix it executes three vector instructions a cycle instead of four.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    (&["VMOVUPS", "VMOVUPD", "VMOVDQ*", "VMOVQ", "VMOVD", "VMOVNT*", "PREFETCH*", "MOV", "JMP", "VZEROUPPER", "LEA"], [timing(0, 0), timing(0, 0)]),
    (&["TO GENERAL"], [timing(3, V1), timing(3, V0)]),
    (&["VFMADD*", "VFNMADD*", "VFMSUB*", "VFNMSUB*"], [double(4, V01, VECTOR), timing(4, V01)]),
    (&["VMULPS", "VMULPD"], [timing(3, V01), timing(4, V01)]),
    (&["VADDPS", "VADDPD", "VSUBPS", "VSUBPD"], [timing(3, V23), timing(4, V01)]),
    (&["VROUND*", "VCVTDQ2PS", "VCVTTPS2DQ", "VRNDSCALE*", "VREDUCE*"], [timing(3, V23), double(8, V01, V01)]),
    (&["VMINP*", "VMAXP*", "VCMPP*"], [timing(1, V23), timing(4, V01)]),
    (&["VRANGE*", "VFIXUPIMM*", "VSCALEF*", "VGETEXP*", "VGETMANT*"], [timing(4, V01), timing(4, V01)]),
    (&["VRCP14*", "VRSQRT14*"], [timing(7, V0), double(7, V0, V01)]),
    (&["VDIVPS"], [busy(10, DIVIDER, 3.5), busy(17, DIVIDER, 10.0)]),
    (&["VDIVPD"], [busy(13, DIVIDER, 4.5), busy(23, DIVIDER, 16.0)]),
    (&["VSQRTPS"], [busy(14, DIVIDER, 5.0), busy(19, DIVIDER, 12.0)]),
    (&["VSQRTPD"], [busy(20, DIVIDER, 8.5), busy(31, DIVIDER, 24.0)]),
    (&["VPCMPEQQ", "VPABS*"], [timing(1, V01), timing(1, V01)]),
    (&["VPTEST*", "VPMOV?2M", "VFPCLASS*"], [timing(3, V1), timing(3, V1)]),
    (&["VPADD*", "VPSUB*", "VPAND*", "VPOR*", "VPXOR*", "VPMINS*", "VPMINU*", "VPMAXS*", "VPMAXU*", "VPCMP*", "VPTERNLOG*", "VPBLENDD"],
     [timing(1, VECTOR), timing(1, V01)]),
    (&["VPBLENDVB", "VBLENDV*", "VPBLENDM*", "VBLENDM*"], [timing(1, V01), timing(1, V01)]),
    (&["VPMUL*"], [timing(3, V03), double(5, V0, V0)]),
    (&["VPSLL*", "VPSRL*", "VPSRA*"], [timing(1, V12), timing(1, V0)]),
    (&["VPSHUFD", "VSHUFP*", "VPUNPCK*", "VPACK*", "VUNPCK*", "VPALIGNR"], [timing(1, V12), timing(1, V1)]),
    (&["VPERMPS", "VPERMD", "VPERMPD", "VPERMQ"], [double(6, V12, V0), timing(3, V1)]),
    (&["VPERM2*", "VPERMT2*", "VPERMI2*", "VEXTRACT*", "VALIGN*"], [timing(3, V0), timing(3, V1)]),
    (&["VINSERT*"], [timing(2, V0), timing(3, V1)]),
    (&["VPBROADCAST*", "VBROADCAST*"], [timing(2, V0), timing(3, V1)]),
    (&["VPINSR*"], [timing(1, V12), timing(2, V1)]),
    (&["VPEXTR*"], [double(4, V12, V2), double(4, V1, V0)]),
    (&["VPMOVSX*", "VPMOVZX*"], [double(4, V12, V0), timing(3, V1)]),
    (&["VPMOVMSKB", "VMOVMSK*"], [timing(4, V12), timing(3, V0)]),
    (&["VPMOV*"], [timing(3, V1), double(4, V1, V1)]),
    (&["VCVTPS2PH"], [double(6, V12, V23), double(7, V01, V1)]),
    (&["VCVT*"], [double(4, V12, V23), double(7, V01, V1)]),
    (&["VPGATHER*", "VGATHER*"], [busy(20, V12, 16.0), busy(20, V01, 8.0)]),
    (&["VPSCATTER*", "VSCATTER*"], [busy(20, V12, 16.0), busy(20, V01, 12.0)]),
    (&["KORTEST*", "KTEST*"], [timing(1, V0), timing(1, V0)]),
    (&["KMOV*", "KSHIFT*"], [timing(3, V1), timing(3, V1)]),
    (&["K*"], [timing(1, V0), timing(1, V0)]),
];
