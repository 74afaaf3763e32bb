//! Instructions on general registers, jumps, and those without operands.
//!
//! Operands have 64 bits unless a name says otherwise.

use crate::x86::asm::encode::{Address, Assembler, Cond, Gpr, Label, Mem, UNBOUND};

/// REX prefix if one is needed, opcode (lowest byte first) and ModRM.
struct Head {
    bytes: u64,
    len: usize,
}

/// Opcodes of one or two bytes; two-byte ones begin with 0F.
#[derive(Clone, Copy)]
struct Opcode {
    byte: u8,
    escaped: bool,
    /// Whether a prefix (REX.W) makes the operands 64 bits wide.
    wide: bool,
}

const fn wide(byte: u8) -> Opcode {
    Opcode { byte, escaped: false, wide: true }
}

const fn plain_escaped(byte: u8) -> Opcode {
    Opcode { byte, escaped: true, wide: false }
}

impl Opcode {
    /// `high` holds bit 3 of `reg`, of the index and of the base or `rm`, in the order of REX.
    #[inline]
    fn head(self, high: u64, modrm: u64) -> Head {
        let rex = 0x40 | (self.wide as u64) << 3 | high;
        let (opcode, len) = if self.escaped { (0x0F | (self.byte as u64) << 8, 2) } else { (self.byte as u64, 1) };
        let bytes = opcode | modrm << (8 * len);
        if rex == 0x40 { Head { bytes, len: len + 1 } } else { Head { bytes: rex | bytes << 8, len: len + 2 } }
    }
}

impl Assembler {
    /// `reg` is a register or an opcode extension.
    #[inline]
    fn registers(&mut self, opcode: Opcode, reg: u8, rm: Gpr, imm: u64, imm_len: usize) {
        assert!(reg < 16 && rm.0 < 16);
        let high = (reg as u64 >> 3) << 2 | rm.0 as u64 >> 3;
        let head = opcode.head(high, 0xC0 | (reg as u64 & 7) << 3 | rm.0 as u64 & 7);
        self.emit(head.bytes, head.len, imm, imm_len);
    }

    #[inline]
    fn memory(&mut self, opcode: Opcode, reg: u8, mem: Mem) {
        assert!(reg < 16);
        let address = Address::new(mem, 0);
        let high = (reg as u64 >> 3) << 2 | address.high_index << 1 | address.high_base;
        let head = opcode.head(high, address.modrm | (reg as u64 & 7) << 3);
        self.emit(head.bytes, head.len, address.tail, address.tail_len);
    }

    /// One of the eight arithmetic operations with an immediate.
    #[inline]
    fn arithmetic_imm(&mut self, extension: u8, dst: Gpr, imm: i32) {
        match i8::try_from(imm) {
            Ok(short) => self.registers(wide(0x83), extension, dst, short as u8 as u64, 1),
            Err(_) => self.registers(wide(0x81), extension, dst, imm as u32 as u64, 4),
        }
    }

    /// `dst = imm`, in 5 to 10 bytes; keeps the flags.
    pub fn mov_imm(&mut self, dst: Gpr, imm: i64) {
        assert!(dst.0 < 16);
        let (high, low) = (dst.0 as u64 >> 3, dst.0 as u64 & 7);
        if let Ok(short) = u32::try_from(imm) {
            let (head, len) = if high == 0 { (0xB8 | low, 1) } else { (0x41 | (0xB8 | low) << 8, 2) };
            self.emit(head, len, short as u64, 4);
        } else if let Ok(short) = i32::try_from(imm) {
            self.registers(wide(0xC7), 0, dst, short as u32 as u64, 4);
        } else {
            self.emit(0x48 | high | (0xB8 | low) << 8, 2, imm as u64, 8);
        }
    }

    /// `dst = [from]`.
    pub fn load(&mut self, dst: Gpr, from: Mem) {
        self.memory(wide(0x8B), dst.0, from);
    }

    /// `dst = [from]`, four bytes with a sign.
    pub fn load_signed(&mut self, dst: Gpr, from: Mem) {
        self.memory(wide(0x63), dst.0, from);
    }

    /// `[to] = from`.
    pub fn store_gpr(&mut self, to: Mem, from: Gpr) {
        self.memory(wide(0x89), from.0, to);
    }

    /// `dst = from`.
    pub fn mov(&mut self, dst: Gpr, from: Gpr) {
        self.registers(wide(0x89), from.0, dst, 0, 0);
    }

    /// `dst ^= from`.
    pub fn xor(&mut self, dst: Gpr, from: Gpr) {
        self.registers(wide(0x31), from.0, dst, 0, 0);
    }

    /// `dst += from`.
    pub fn add(&mut self, dst: Gpr, from: Gpr) {
        self.registers(wide(0x01), from.0, dst, 0, 0);
    }

    /// `dst -= from`.
    pub fn sub(&mut self, dst: Gpr, from: Gpr) {
        self.registers(wide(0x29), from.0, dst, 0, 0);
    }

    /// `dst = -dst`.
    pub fn neg(&mut self, dst: Gpr) {
        self.registers(wide(0xF7), 3, dst, 0, 0);
    }

    /// Sets the flags by `a & b`.
    pub fn test(&mut self, a: Gpr, b: Gpr) {
        self.registers(wide(0x85), b.0, a, 0, 0);
    }

    /// `dst += imm`.
    pub fn add_imm(&mut self, dst: Gpr, imm: i32) {
        self.arithmetic_imm(0, dst, imm);
    }

    /// `dst &= imm`.
    pub fn and_imm(&mut self, dst: Gpr, imm: i32) {
        self.arithmetic_imm(4, dst, imm);
    }

    /// `dst -= imm`.
    pub fn sub_imm(&mut self, dst: Gpr, imm: i32) {
        self.arithmetic_imm(5, dst, imm);
    }

    /// `dst >>= bits`, unsigned.
    pub fn shift_right(&mut self, dst: Gpr, bits: u8) {
        self.registers(wide(0xC1), 5, dst, bits as u64, 1);
    }

    /// Sets the flags by `a - imm`.
    pub fn cmp_imm(&mut self, a: Gpr, imm: i32) {
        self.arithmetic_imm(7, a, imm);
    }

    /// `dst += [from]`.
    pub fn add_mem(&mut self, dst: Gpr, from: Mem) {
        self.memory(wide(0x03), dst.0, from);
    }

    /// `dst` = the lowest bits of `from`, as many as the lowest byte of `bits` says (BMI2).
    pub fn bzhi(&mut self, dst: Gpr, from: Gpr, bits: Gpr) {
        assert!(dst.0 < 16 && from.0 < 16 && bits.0 < 16);
        let (d, f, b) = (dst.0 as u64, from.0 as u64, bits.0 as u64);
        let registers = (d & 8) << 12 | (f & 8) << 10 | b << 19 | (d & 7) << 35 | (f & 7) << 32;
        self.emit((0xC4 | 0xE2 << 8 | 0xF8 << 16 | 0xF5 << 24 | 0xC0 << 32) ^ registers, 5, 0, 0);
    }

    /// Pushes a register.
    pub fn push(&mut self, from: Gpr) {
        self.short(0x50, from);
    }

    /// Pops a register.
    pub fn pop(&mut self, dst: Gpr) {
        self.short(0x58, dst);
    }

    /// An opcode of one byte that contains a register.
    fn short(&mut self, opcode: u64, register: Gpr) {
        assert!(register.0 < 16);
        let byte = opcode | register.0 as u64 & 7;
        if register.0 < 8 { self.emit(byte, 1, 0, 0) } else { self.emit(0x41 | byte << 8, 2, 0, 0) }
    }

    /// Returns.
    pub fn ret(&mut self) {
        self.emit(0xC3, 1, 0, 0);
    }

    /// Jumps to a label.
    pub fn jmp(&mut self, to: Label) {
        if let Some(distance) = self.short_distance(to) {
            self.emit(0xEB, 1, distance as u64, 1);
        } else {
            self.emit(0xE9, 1, 0, 4);
            self.fix_up(to);
        }
    }

    /// Calls the code at a label.
    pub fn call(&mut self, to: Label) {
        self.emit(0xE8, 1, 0, 4);
        self.fix_up(to);
    }

    /// Calls the function whose address is in memory.
    pub fn call_mem(&mut self, from: Mem) {
        self.memory(Opcode { byte: 0xFF, escaped: false, wide: false }, 2, from);
    }

    /// Jumps to a label if the condition holds.
    pub fn jump_if(&mut self, cond: Cond, to: Label) {
        if let Some(distance) = self.short_distance(to) {
            self.emit(0x70 | cond as u64, 1, distance as u64, 1);
        } else {
            self.emit(0x0F | (0x80 | cond as u64) << 8, 2, 0, 4);
            self.fix_up(to);
        }
    }

    /// The distance to a label from the end of an instruction of two bytes, if the label is bound and one byte holds the distance.
    fn short_distance(&self, to: Label) -> Option<u8> {
        let target = self.labels[to.0 as usize];
        if target == UNBOUND {
            return None;
        }
        i8::try_from(target as i64 - (self.len() as i64 + 2)).ok().map(|distance| distance as u8)
    }

    /// Records a fixup: the last four bytes are the distance to a label.
    fn fix_up(&mut self, to: Label) {
        self.fixups.push((self.len() as u32 - 4, to));
    }

    /// Zeroes the upper halves of registers 0 to 15; SSE code without VEX prefixes that runs afterwards would wait for them otherwise.
    pub fn vzeroupper(&mut self) {
        self.emit(0x77_F8_C5, 3, 0, 0);
    }

    /// Store fence: non-temporal stores before it become visible before any store after it.
    pub fn sfence(&mut self) {
        self.emit(0xF8_AE_0F, 3, 0, 0);
    }

    /// Prefetches a cache line to all levels of the cache.
    pub fn prefetcht0(&mut self, of: Mem) {
        self.memory(plain_escaped(0x18), 1, of);
    }

    /// Prefetches a cache line to all levels of the cache, to write to it: other cores give it up.
    pub fn prefetchw(&mut self, of: Mem) {
        self.memory(plain_escaped(0x0D), 1, of);
    }

    /// Prefetches a cache line to the second-level cache.
    pub fn prefetcht1(&mut self, of: Mem) {
        self.memory(plain_escaped(0x18), 2, of);
    }
}
