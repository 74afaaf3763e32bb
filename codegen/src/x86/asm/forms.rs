//! Instruction forms: the table of vector and mask instructions that the assembler encodes.
//!
//! One table with a row for each instruction: its name, the fields of its operands, its encoding as Intel's manual writes it, and the
//! size of memory it reads, which decides the unit of one-byte displacements. An encoding is `PREFIX.MAP.W OPCODE`, then `/n` where the
//! `reg` field extends the opcode, and `ib` where an immediate byte follows. A name is the mnemonic; where one mnemonic has
//! several encodings, the names differ behind an underscore (`VPERMQ` takes indices from a register, `VPERMQ_IMM` from an immediate,
//! `VMOVUPS` loads and `VMOVUPS_STORE` stores).
//!
//! Every row needs AVX-512 F and VL; other extensions are flags of the row. Rows with [`VEX`] are also instructions of AVX2, FMA or
//! F16C, with another prefix; rows with [`ONLY_VEX`] have no AVX-512 form. The table leaves out instructions that the backend does not
//! use, embedded rounding, and moves between vectors and general registers, which are methods of the assembler.

mod table;

pub use crate::x86::asm::forms::table::*;

use crate::x86::asm::encode::Width;

/// Operand encoding: which field of the encoding holds which operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// Destination in `reg`, first source in `vvvv`, second in `rm`.
    Rvm,
    /// Destination in `reg`, sources in `vvvv`, `rm` and, a mask, the upper half of the immediate.
    Rvmr,
    /// Destination in `reg`, the only source in `rm`.
    Rm,
    /// Destination in `rm`, source in `reg`: stores, and conversions to narrower vectors.
    Mr,
    /// Destination in `vvvv`, source in `rm`; `reg` extends the opcode.
    Vm,
    /// Mask destination in `reg`, sources in `vvvv` and `rm`.
    Kvm,
    /// Mask destination in `reg`, the only source in `rm`.
    Km,
    /// Destination in `reg`, indices in the address.
    Gather,
    /// Source in `reg`, indices in the address.
    Scatter,
    /// Destination in `reg`, general register in `rm`.
    FromGpr,
    /// Vector destination in `reg`, mask in `rm`.
    FromMask,
    /// Mask destination in `reg`, vector in `rm`.
    ToMask,
    /// Masks alone: destination in `reg`, sources in `vvvv` and `rm`.
    Kkk,
    /// Masks alone: destination in `reg`, source in `rm`.
    Kk,
    /// Masks alone: both operands are sources, the result is in the flags register.
    KFlags,
}

/// The size of an instruction's `rm` operand (Intel's tuple type).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuple {
    /// A whole vector.
    Full,
    /// A vector's bytes divided by this number; a register has at least 128 bits.
    Fraction(u8),
    /// This number of bytes, whatever the width; a register has at least 128 bits.
    Part(u8),
}

impl Tuple {
    /// The unit of a one-byte displacement, in bytes.
    const fn unit(self, width: u32) -> u32 {
        match self {
            Tuple::Full => width,
            Tuple::Fraction(divisor) => width / divisor as u32,
            Tuple::Part(bytes) => bytes as u32,
        }
    }
}

/// Needs AVX512DQ.
pub const DQ: u32 = 1;
/// Needs AVX512BW.
pub const BW: u32 = 1 << 1;
/// Does not exist at 128 bits.
pub const FROM256: u32 = 1 << 16;
/// Exists only at 512 bits.
pub const ONLY512: u32 = 1 << 17;
/// Works on the lowest element, whatever the width: use [`Width::W128`].
pub const ONLY128: u32 = 1 << 18;
/// The `rm` operand is in memory.
pub const MEMORY: u32 = 1 << 19;
/// Takes no mask.
pub const UNMASKED: u32 = 1 << 20;
/// The register operand holds half as many bits as the width says, at least 128.
pub const NARROWS: u32 = 1 << 21;
/// Exists with a VEX prefix too, at 128 and 256 bits, with W zero or ignored.
pub const VEX: u32 = 1 << 23;
/// Exists with a VEX prefix too, with the W of the encoding.
pub const VEX_W: u32 = VEX | 1 << 24;
/// Exists only with a VEX prefix.
pub const ONLY_VEX: u32 = VEX | 1 << 25;

/// An instruction form: what its encoding needs besides its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its name in this table, in capital letters.
    pub name: &'static str,
    /// Its encoding as the manual writes it.
    pub encoding: &'static str,
    /// Which fields hold its operands.
    pub operands: Operands,
    /// The size of its `rm` operand.
    pub tuple: Tuple,
    /// Bytes of an element that may be broadcast from memory; 0 if the form has no broadcast.
    pub broadcast: u8,
    /// Whether an immediate byte follows.
    pub immediate: bool,
    /// Flags: required features, missing widths and other exceptions, as constants of this module.
    pub flags: u32,
    /// The prefix, opcode and ModRM byte, lowest byte first, with all register fields empty: those that the prefix holds
    /// inverted are ones.
    pub(crate) bytes: u64,
    /// The same with a VEX prefix; zero if the form has none.
    pub(crate) vex: u64,
    /// By width: the binary logarithm of the unit of a one-byte displacement.
    pub(crate) shifts: [u8; 3],
}

impl Form {
    /// Whether the instruction exists at this width, with any prefix of its row.
    pub const fn has(&self, width: Width) -> bool {
        match width {
            Width::W128 => self.flags & (FROM256 | ONLY512) == 0,
            Width::W256 => self.flags & (ONLY128 | ONLY512) == 0,
            Width::W512 => self.flags & ONLY128 == 0,
        }
    }

    /// Whether it has all these flags.
    pub const fn is(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }

    /// Whether it works on masks alone, and so has a VEX prefix.
    pub const fn is_mask_only(&self) -> bool {
        matches!(self.operands, Operands::Kkk | Operands::Kk | Operands::KFlags)
    }

    /// Reads a row of the table.
    const fn new(name: &'static str, encoding: &'static str, operands: Operands, read: Read, flags: u32) -> Form {
        let Read { tuple, broadcast } = read;
        let spelled = Spelled::new(encoding.as_bytes());
        let mut form = Form {
            name,
            encoding,
            operands,
            tuple,
            broadcast,
            immediate: spelled.immediate,
            flags,
            bytes: 0,
            vex: 0,
            shifts: [0; 3],
        };
        form.bytes = if form.is_mask_only() { spelled.vex(matches!(operands, Operands::Kkk)) } else { spelled.evex() };
        if form.is(VEX) {
            form.vex = Spelled { w: if form.is(VEX_W) { spelled.w } else { 0 }, ..spelled }.vex(false);
        }
        let mut i = 0;
        while i < 3 {
            form.shifts[i] = tuple.unit(16 << i).trailing_zeros() as u8;
            i += 1;
        }
        form
    }
}

/// The `rm` operand, as a row of the table writes it.
struct Read {
    tuple: Tuple,
    broadcast: u8,
}

const fn full(element: u8) -> Read {
    Read { tuple: Tuple::Full, broadcast: element }
}

const fn half(element: u8) -> Read {
    Read { tuple: Tuple::Fraction(2), broadcast: element }
}

const fn whole() -> Read {
    Read { tuple: Tuple::Full, broadcast: 0 }
}

const fn fraction(divisor: u8) -> Read {
    Read { tuple: Tuple::Fraction(divisor), broadcast: 0 }
}

const fn part(bytes: u8) -> Read {
    Read { tuple: Tuple::Part(bytes), broadcast: 0 }
}

/// A parsed encoding of the manual's notation. It is parsed at compile time, so a misspelled row does not compile.
struct Spelled {
    prefix: u8,
    map: u8,
    w: u8,
    opcode: u8,
    extension: u8,
    immediate: bool,
}

impl Spelled {
    const fn new(text: &[u8]) -> Spelled {
        let prefix = match (text[0], text[1]) {
            (b'N', b'P') => 0,
            (b'6', b'6') => 1,
            (b'F', b'3') => 2,
            (b'F', b'2') => 3,
            _ => panic!("an encoding begins with NP, 66, F3 or F2"),
        };
        assert!(text[2] == b'.' && text[3] == b'0' && text[4] == b'F');
        let (map, mut at) = match (text[5], text[6]) {
            (b'.', _) => (1, 5),
            (b'3', b'8') => (2, 7),
            (b'3', b'A') => (3, 7),
            _ => panic!("a map is 0F, 0F38 or 0F3A"),
        };
        assert!(text[at] == b'.' && text[at + 1] == b'W' && text[at + 3] == b' ');
        let w = digit(text[at + 2]);
        let opcode = digit(text[at + 4]) << 4 | digit(text[at + 5]);
        at += 6;
        let mut extension = 0;
        if at + 1 < text.len() && text[at + 1] == b'/' {
            extension = digit(text[at + 2]);
            at += 3;
        }
        let immediate = at < text.len();
        if immediate {
            assert!(at + 3 == text.len() && text[at] == b' ' && text[at + 1] == b'i' && text[at + 2] == b'b');
        }
        Spelled { prefix, map, w, opcode, extension, immediate }
    }

    /// Four bytes of prefix, the opcode, ModRM.
    const fn evex(&self) -> u64 {
        let prefix = [0x62, 0xF0 | self.map, self.w << 7 | 0x7C | self.prefix, 0x08];
        u64::from_le_bytes([prefix[0], prefix[1], prefix[2], prefix[3], self.opcode, self.extension << 3, 0, 0])
    }

    /// Three bytes of prefix, the opcode, ModRM.
    const fn vex(&self, long: bool) -> u64 {
        let last = self.w << 7 | 0x78 | (long as u8) << 2 | self.prefix;
        u64::from_le_bytes([0xC4, 0xE0 | self.map, last, self.opcode, self.extension << 3, 0, 0, 0])
    }
}

const fn digit(c: u8) -> u8 {
    match c {
        b'0'..=b'9' => c - b'0',
        b'A'..=b'F' => c - b'A' + 10,
        _ => panic!("not a hexadecimal digit"),
    }
}
