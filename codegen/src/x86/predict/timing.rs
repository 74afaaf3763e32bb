//! Processor models: the ports and buffers of a processor, and the latency and ports of each class of instructions.
//!
//! The model of AVX2 is AMD's Zen 3, those of AVX-512 are AMD's Zen 4 and Zen 5, where the program runs on one, and Intel's Ice Lake at 512
//! bits for all other processors. Those of AMD are measured by `cargo bench -p fastnp-benches --bench processor`, which prints what it
//! finds beside this table, their buffers are those of AMD's optimisation guides; that of Ice Lake is from Fog's instruction tables and
//! uops.info.

use crate::x86::asm::level::Level;
use std::sync::OnceLock;

/// A set of ports, a bit each.
pub type Ports = u32;

/// Ports that execute vector instructions: the first four; with 512 bits there are two.
const V0: Ports = 1;
const V1: Ports = 2;
const V2: Ports = 4;
const V3: Ports = 8;
const V01: Ports = V0 | V1;
const V12: Ports = V1 | V2;
const V123: Ports = V1 | V23;
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
    /// Cycles for which it keeps a port busy with as many bytes as a port computes at once (its `port_bytes`).
    pub busy: f64,
    /// The same for its second micro-operation.
    pub second_busy: f64,
}

const fn timing(latency: u32, ports: Ports) -> Timing {
    busy(latency, ports, 1.0)
}

const fn double(latency: u32, ports: Ports, second: Ports) -> Timing {
    Timing { latency, ports, second, busy: 1.0, second_busy: 1.0 }
}

const fn busy(latency: u32, ports: Ports, busy: f64) -> Timing {
    Timing { latency, ports, second: 0, busy, second_busy: 0.0 }
}

/// An instruction of the divider, which keeps a port of products busy too.
const fn divide(latency: u32, divider: f64, products: f64) -> Timing {
    Timing { latency, ports: DIVIDER, second: V01, busy: divider, second_busy: products }
}

/// Cycles for which the divider is busy with a vector, of singles and of doubles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divider {
    pub(crate) division: [f64; 2],
    pub(crate) root: [f64; 2],
}

/// A processor that code is made for: its level, and how much of a loop it has in work at once.
#[derive(Debug)]
pub struct Processor {
    pub(crate) level: Level,
    /// Bytes that a port computes, loads or stores in a cycle: longer vectors keep it busy for several.
    port_bytes: usize,
    pub(crate) divider: Divider,
    /// Whether sums of floats have ports of their own, on which nothing is multiplied.
    pub(crate) has_adders_apart: bool,
    /// Whether gathers and scatters take no longer than scalar loads and stores of their elements.
    pub(crate) has_fast_gathers: bool,
    /// Vector instructions that it executes in a cycle beside the divider, as measured or by its ports.
    pub(crate) vectors_per_cycle: f64,
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
    /// The processor that stands for a level, on every machine.
    pub(crate) fn of(level: Level) -> &'static Processor {
        match level {
            Level::Avx2 => &ZEN_3,
            Level::Avx512 => &ICE_LAKE,
        }
    }

    /// The processor for a level that is the most like the one that this program runs on.
    pub fn here(level: Level) -> &'static Processor {
        match level {
            Level::Avx512 if amd_family() >= 0x1A => &ZEN_5,
            Level::Avx512 if amd_family() == 0x19 => &ZEN_4,
            level => Processor::of(level),
        }
    }

    /// All that code is made for.
    pub(crate) fn models() -> [&'static Processor; 4] {
        [&ZEN_3, &ICE_LAKE, &ZEN_4, &ZEN_5]
    }

    /// Cycles for which a vector of so many bytes keeps a port busy.
    pub(crate) fn port_cycles(&self, bytes: usize) -> f64 {
        bytes.div_ceil(self.port_bytes).max(1) as f64
    }

    /// The timing of an instruction.
    pub(crate) fn timing(&self, mnemonic: &str) -> Timing {
        let row = TABLE.iter().find(|row| row.0.iter().any(|name| matches(name, mnemonic)));
        row.map_or(timing(1, self.general), |row| row.1[self.column])
    }
}

/// The family of the processor that the program runs on, if it is AMD's: 0x19 is Zen 4 where it has AVX-512, 0x1A Zen 5; zero of others.
fn amd_family() -> u32 {
    use std::arch::x86_64::__cpuid;
    static FOUND: OnceLock<u32> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let vendor = __cpuid(0);
        let family = __cpuid(1).eax;
        let is_amd = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).concat() == *b"AuthenticAMD";
        if is_amd { (family >> 8 & 15) + (family >> 20 & 255) } else { 0 }
    })
}

/// Registers hold results and, at the least, the values of all sixteen names.
static ZEN_3: Processor = Processor {
    level: Level::Avx2,
    port_bytes: 32,
    divider: Divider { division: [3.5, 4.5], root: [5.0, 8.5] },
    has_adders_apart: false,
    has_fast_gathers: true,
    vectors_per_cycle: 3.0,
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

static ICE_LAKE: Processor = Processor {
    level: Level::Avx512,
    port_bytes: 64,
    divider: Divider { division: [10.0, 16.0], root: [12.0, 24.0] },
    has_adders_apart: false,
    has_fast_gathers: true,
    vectors_per_cycle: 2.0,
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

/// Ports, loads and stores take two cycles for 512 bits. Newton's steps for roots, of 20 instructions, take 11.9 cycles. Three general
/// registers are loaded in a cycle. Of the two schedulers, of 32 places for two ports each, one is full before the other: loops take as long
/// as 48 places in one predict. Measured over predicted, 116 loops: 1.07 (geometric mean), by Ice Lake's ports 1.33.
static ZEN_4: Processor = Processor {
    level: Level::Avx512,
    port_bytes: 32,
    divider: Divider { division: [6.0, 9.0], root: [10.0, 16.0] },
    has_adders_apart: true,
    has_fast_gathers: false,
    vectors_per_cycle: 1.7,
    dispatch: 6,
    retire: 8,
    reorder: 320,
    vector_registers: 192 - 32,
    vector_queue: 128,
    scheduler: 48,
    vector_load: 7,
    general_load: 4,
    forward: 12,
    loads: LOADS,
    general_loads: LOADS | STORES,
    stores: STORES,
    general: GENERAL,
    column: 2,
};

/// Buffers are those of AMD's optimisation guide. Moves of registers show that six operations of 512 bits enter in a cycle. Newton's
/// steps for roots, of 20 instructions, take 6.2 cycles.
static ZEN_5: Processor = Processor {
    level: Level::Avx512,
    port_bytes: 64,
    divider: Divider { division: [2.5, 4.0], root: [4.5, 7.5] },
    has_adders_apart: false,
    has_fast_gathers: true,
    vectors_per_cycle: 3.3,
    dispatch: 6,
    retire: 8,
    reorder: 448,
    vector_registers: 384 - 32,
    vector_queue: 210,
    scheduler: 114,
    vector_load: 7,
    general_load: 4,
    forward: 11,
    loads: LOADS,
    general_loads: LOADS,
    stores: STORES,
    general: GENERAL,
    column: 3,
};

/// Whether a name of the table is that of an instruction; a star stands for any ending.
fn matches(name: &str, mnemonic: &str) -> bool {
    name.strip_suffix('*').map_or(name == mnemonic, |beginning| mnemonic.starts_with(beginning))
}

/// The timing of an instruction of the assembler's table at a level, and how many of it a cycle begins, on the processor
/// most like this one, by its mnemonic in capital letters.
pub fn of_mnemonic(mnemonic: &str, level: Level) -> (Timing, f64) {
    let processor = Processor::here(level);
    let timing = processor.timing(mnemonic);
    let width = processor.port_cycles(level.vector());
    let alone = timing.busy / f64::from(timing.ports.count_ones().max(1));
    let both = (timing.busy + timing.second_busy) / f64::from((timing.ports | timing.second).count_ones().max(1));
    (timing, if timing.ports == 0 { 1.0 / 6.0 } else { width * f64::max(alone, both) })
}

/// A class of instructions, by mnemonics, and its timing on Zen 3, Ice Lake, Zen 4 and Zen 5. The first row that matches counts.
type Row = (&'static [&'static str], [Timing; 4]);

/// The table. Vector results of the slowest classes differ between processors by a cycle or two. On Zen 3 a fused multiply-add takes a port
/// of its own and room on another: with any in the mix it executes three vector instructions a cycle instead of four.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    (&["VMOVUPS", "VMOVUPD", "VMOVDQ*", "VMOVQ", "VMOVD", "VMOVNT*", "PREFETCH*", "MOV", "JMP", "VZEROUPPER", "LEA"],
     [timing(0, 0), timing(0, 0), timing(0, 0), timing(0, 0)]),
    (&["TO GENERAL"], [timing(3, V1), timing(3, V0), timing(3, V1), timing(3, V12)]),
    (&["VFMADD*", "VFNMADD*", "VFMSUB*", "VFNMSUB*"], [double(4, V01, VECTOR), timing(4, V01), timing(4, V01), double(4, V01, VECTOR)]),
    (&["VMULPS", "VMULPD"], [timing(3, V01), timing(4, V01), timing(3, V01), timing(3, V01)]),
    (&["VADDPS", "VADDPD", "VSUBPS", "VSUBPD"], [timing(3, V23), timing(4, V01), timing(3, V23), timing(2, V23)]),
    (&["VROUND*", "VCVTDQ2PS", "VCVTTPS2DQ", "VRNDSCALE*"], [timing(3, V23), double(8, V01, V01), timing(3, V23), timing(3, V23)]),
    (&["VREDUCE*"], [timing(3, V23), double(8, V01, V01), double(6, V23, V23), double(6, V23, V23)]),
    (&["VCMPP*"], [timing(1, V23), timing(4, V01), timing(5, V01), timing(6, V12)]),
    (&["VMINP*", "VMAXP*"], [timing(1, V23), timing(4, V01), timing(2, V23), timing(2, V23)]),
    (&["VSCALEF*"], [timing(4, V01), timing(4, V01), double(6, V23, V23), double(6, V23, V23)]),
    (&["VGETEXP*", "VGETMANT*"], [timing(4, V01), timing(4, V01), timing(3, V23), timing(3, V23)]),
    (&["VRANGE*"], [timing(4, V01), timing(4, V01), timing(2, V23), timing(2, V23)]),
    (&["VFIXUPIMM*"], [timing(4, V01), timing(4, V01), timing(2, V01), timing(2, V01)]),
    (&["VRCP14*", "VRSQRT14*"], [timing(7, V0), double(7, V0, V01), timing(5, V01), timing(5, V12)]),
    (&["VDIVPS"], [busy(10, DIVIDER, 3.5), busy(17, DIVIDER, 10.0), divide(15, 3.0, 2.0), busy(15, DIVIDER, 2.5)]),
    (&["VDIVPD"], [busy(13, DIVIDER, 4.5), busy(23, DIVIDER, 16.0), divide(13, 4.5, 3.0), busy(13, DIVIDER, 4.0)]),
    (&["VSQRTPS"], [busy(14, DIVIDER, 5.0), busy(19, DIVIDER, 12.0), divide(15, 5.0, 2.0), busy(14, DIVIDER, 4.5)]),
    (&["VSQRTPD"], [busy(20, DIVIDER, 8.5), busy(31, DIVIDER, 24.0), divide(21, 8.0, 2.0), busy(20, DIVIDER, 7.5)]),
    (&["VPCMPEQQ"], [timing(1, V01), timing(1, V01), timing(5, V01), timing(6, V12)]),
    (&["VPABS*", "VPMINSQ", "VPMINUQ", "VPMAXSQ", "VPMAXUQ"], [timing(1, V01), timing(1, V01), timing(2, V01), timing(2, V12)]),
    (&["VPTEST*", "VPMOVB2M", "VPMOVW2M", "VPMOVD2M", "VPMOVQ2M", "VFPCLASS*"], [timing(3, V1), timing(3, V1), timing(5, V01), timing(6, V12)]),
    (&["VPCMP*"], [timing(1, VECTOR), timing(1, V01), timing(5, V01), timing(6, V12)]),
    (&["VPADD*", "VPSUB*", "VPAND*", "VPOR*", "VPXOR*", "VPMINS*", "VPMINU*", "VPMAXS*", "VPMAXU*", "VPTERNLOG*", "VPBLENDD"],
     [timing(1, VECTOR), timing(1, V01), timing(1, VECTOR), timing(2, VECTOR)]),
    (&["VPBLENDVB", "VBLENDV*", "VPBLENDM*", "VBLENDM*"], [timing(1, V01), timing(1, V01), timing(1, VECTOR), timing(2, VECTOR)]),
    (&["VPMUL*"], [timing(3, V03), double(5, V0, V0), timing(3, V01), timing(3, V01)]),
    (&["VPSLL*", "VPSRL*", "VPSRA*"], [timing(1, V12), timing(1, V0), timing(1, V23), timing(2, V23)]),
    (&["VPSHUFD", "VSHUFP*", "VPUNPCK*", "VUNPCK*"], [timing(1, V12), timing(1, V1), timing(1, V123), timing(2, VECTOR)]),
    (&["VPACK*"], [timing(1, V12), timing(1, V1), timing(2, V12), timing(2, V12)]),
    (&["VPALIGNR"], [timing(1, V12), timing(1, V1), timing(2, V12), timing(2, V12)]),
    (&["VPERMPS", "VPERMD", "VPERMPD", "VPERMQ"], [double(6, V12, V0), timing(3, V1), timing(5, V12), timing(5, V12)]),
    (&["VPERMT2*", "VPERMI2*"], [timing(3, V0), timing(3, V1), timing(5, V12), double(5, V12, VECTOR)]),
    (&["VALIGN*"], [timing(3, V0), timing(3, V1), timing(5, V12), timing(5, V12)]),
    (&["VPERM2*", "VEXTRACT*"], [timing(3, V0), timing(3, V1), timing(4, V12), timing(4, V12)]),
    (&["VINSERT*"], [timing(2, V0), timing(3, V1), timing(1, V12), timing(2, V12)]),
    (&["VPBROADCAST*", "VBROADCAST*"], [timing(2, V0), timing(3, V1), timing(1, V12), timing(2, V12)]),
    (&["VPINSR*"], [timing(1, V12), timing(2, V1), timing(2, V12), timing(2, V12)]),
    (&["VPEXTR*"], [double(4, V12, V2), double(4, V1, V0), double(4, V12, V2), double(4, V12, V2)]),
    (&["VPMOVSX*", "VPMOVZX*"], [double(4, V12, V0), timing(3, V1), timing(4, V12), timing(4, V12)]),
    (&["VPMOVMSKB", "VMOVMSK*"], [timing(4, V12), timing(3, V0), timing(4, V12), timing(4, V12)]),
    (&["VPMOV*"], [timing(3, V1), double(4, V1, V1), timing(5, V12), timing(5, V12)]),
    (&["VCVTPS2PH"], [double(6, V12, V23), double(7, V01, V1), double(7, V23, V123), double(7, V12, V23)]),
    (&["VCVTUDQ2PS", "VCVTQQ2PD", "VCVTUQQ2PD", "VCVTTPD2QQ"], [double(4, V12, V23), double(7, V01, V1), timing(3, V23), timing(3, V23)]),
    (&["VCVT*"], [double(4, V12, V23), double(7, V01, V1), double(6, V23, V123), double(6, V12, V23)]),
    (&["VPGATHER*", "VGATHER*"], [busy(20, V12, 16.0), busy(20, V01, 8.0), busy(20, V12, 27.0), busy(20, V12, 16.0)]),
    (&["VPSCATTER*", "VSCATTER*"], [busy(20, V12, 16.0), busy(20, V01, 12.0), busy(20, V12, 29.0), busy(20, V12, 16.0)]),
    (&["KORTEST*", "KTEST*"], [timing(1, V0), timing(1, V0), busy(1, V23, 2.0), timing(1, V12)]),
    (&["KMOV*", "KSHIFT*"], [timing(3, V1), timing(3, V1), busy(3, V01, 2.0), timing(3, V12)]),
    (&["K*"], [timing(1, V0), timing(1, V0), busy(1, V23, 2.0), timing(1, V12)]),
];
