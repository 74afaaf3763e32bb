//! Instructions of AVX2, FMA and F16C: VEX prefixes, sixteen registers, neither masks nor broadcasts.
//!
//! The rows are those of the same table. The prefix has two bytes if they suffice, else three.

use crate::x86::asm::encode::{Address, Assembler, Gpr, Mem, Rm, VReg, Width};
use crate::x86::asm::forms::{Form, MEMORY, Operands, VEX};

/// `vmovq` from a general register: three bytes of prefix, the opcode, ModRM, lowest byte first.
const VMOVQ_FROM_REGISTER: u64 = 0x6E_F9_E1_C4;
/// `vcvttsd2si` to 64 bits.
const TRUNCATE: u64 = 0x2C_FB_E1_C4;
/// `vcvttss2si` to 64 bits.
const TRUNCATE_SINGLE: u64 = 0x2C_FA_E1_C4;
/// `vmovq` to a general register, and `vpextrq`.
const VMOVQ_TO_REGISTER: u64 = 0x7E_F9_E1_C4;
const VPEXTRQ: u64 = 0x16_F9_E3_C4;
/// `vpmovmskb` of 256 bits.
const SIGNS: u64 = 0xD7_FD_E1_C4;
/// ModRM of two registers.
const REGISTERS: u64 = 3 << 38;

fn reg(r: u8) -> u64 {
    let r = r as u64;
    (r & 7) << 35 | (r & 8) << 12
}

fn rm(r: u8) -> u64 {
    let r = r as u64;
    REGISTERS | (r & 7) << 32 | (r & 8) << 10
}

impl Assembler {
    /// Emits prefix, opcode and ModRM, in four bytes where index, base, map and W fit the short prefix.
    #[inline]
    fn short_vex(&mut self, bytes: u64, tail: u64, tail_len: usize) {
        let (first, last) = (bytes >> 8 & 0xFF, bytes >> 16 & 0xFF);
        if first & 0x7F == 0x61 && last & 0x80 == 0 {
            self.emit(0xC5 | (first & 0x80 | last) << 8 | (bytes >> 24) << 16, 4, tail, tail_len);
        } else {
            self.emit(bytes, 5, tail, tail_len);
        }
    }

    /// The form's bytes with width and `vvvv`; checks that the form is an instruction of AVX2.
    fn vex_bytes(form: &Form, width: Width, vvvv: u8, imm: Option<u8>) -> u64 {
        let fits = form.is(VEX) && form.has(width) && width != Width::W512 && vvvv < 16;
        assert!(fits, "{} is no instruction of AVX2 with such operands", form.name);
        assert!(form.immediate == imm.is_some(), "{}: an immediate too many or missing", form.name);
        form.vex ^ ((width as u64) << 18 | (vvvv as u64) << 19)
    }

    /// An instruction with a vector as destination. `a` is ignored where the form has one source.
    ///
    /// # Panics
    /// The form is not an instruction of AVX2, or has no such operands.
    pub fn vex(&mut self, form: &Form, width: Width, dst: VReg, a: VReg, b: Rm, imm: Option<u8>) {
        let (r, vvvv) = match form.operands {
            Operands::Rvm | Operands::Rvmr => (reg(dst.0), a.0),
            Operands::Rm => (reg(dst.0), 0),
            Operands::Vm => (0, dst.0),
            _ => panic!("{} has no such operands", form.name),
        };
        let bytes = Self::vex_bytes(form, width, vvvv, imm) ^ r;
        let (imm, imm_len) = (imm.unwrap_or(0) as u64, imm.is_some() as usize);
        match b {
            Rm::Reg(b) => {
                assert!(b.0 < 16 && dst.0 < 16 && !form.is(MEMORY), "{} has no such operands", form.name);
                self.short_vex(bytes ^ rm(b.0), imm, imm_len);
            }
            Rm::Mem(mem) => {
                let at = Address::new(mem, 0);
                let bits = at.modrm << 32 | at.high_base << 13 | at.high_index << 14;
                self.short_vex(bytes ^ bits, at.tail | imm << (8 * at.tail_len), at.tail_len + imm_len);
            }
            Rm::Broadcast(_) => panic!("{}: no element of memory for all lanes", form.name),
        }
    }

    /// `dst` = the lanes of `b` where the mask's lanes are negative, else those of `a`: `VPBLENDVB` and the like.
    pub fn vex_blend(&mut self, form: &Form, width: Width, dst: VReg, a: VReg, b: Rm, mask: VReg) {
        assert!(form.operands == Operands::Rvmr && mask.0 < 16, "{} does not choose", form.name);
        self.vex(form, width, dst, a, b, Some(mask.0 << 4));
    }

    /// An instruction with memory as destination.
    ///
    /// # Panics
    /// The form is not a store.
    pub fn vex_store(&mut self, form: &Form, width: Width, to: Mem, from: VReg, imm: Option<u8>) {
        assert!(form.operands == Operands::Mr && from.0 < 16, "{} does not store", form.name);
        let at = Address::new(to, 0);
        let bits = at.modrm << 32 | at.high_base << 13 | at.high_index << 14 | reg(from.0);
        let (imm_byte, imm_len) = (imm.unwrap_or(0) as u64, imm.is_some() as usize);
        let tail = at.tail | imm_byte << (8 * at.tail_len);
        self.short_vex(Self::vex_bytes(form, width, 0, imm) ^ bits, tail, at.tail_len + imm_len);
    }

    /// Extracts a part of a vector, or narrows its elements, into another register: `VEXTRACTI128`, `VCVTPS2PH`.
    ///
    /// # Panics
    /// The form has no register in its `rm` operand as destination.
    pub fn vex_part(&mut self, form: &Form, width: Width, dst: VReg, from: VReg, imm: Option<u8>) {
        assert!(form.operands == Operands::Mr && from.0 < 16 && dst.0 < 16, "{} takes nothing out", form.name);
        assert!(!form.is(MEMORY), "{} works on memory", form.name);
        let bytes = Self::vex_bytes(form, width, 0, imm) ^ (reg(from.0) | rm(dst.0));
        self.short_vex(bytes, imm.unwrap_or(0) as u64, imm.is_some() as usize);
    }

    /// Moves a general register to the lowest quadword of a vector register; the others become zero.
    pub fn vex_from_gpr(&mut self, dst: VReg, from: Gpr) {
        self.vex_registers(VMOVQ_FROM_REGISTER, dst.0, from.0);
    }

    /// Moves the first or the second quadword of a vector register to a general register.
    pub fn vex_to_gpr(&mut self, dst: Gpr, from: VReg, second: bool) {
        if second {
            self.emit(VPEXTRQ ^ (reg(from.0) | rm(dst.0)), 5, 1, 1);
        } else {
            self.vex_registers(VMOVQ_TO_REGISTER, from.0, dst.0);
        }
    }

    /// Converts the lowest float of a vector register to an integer of 64 bits, by truncation.
    pub fn vex_truncate(&mut self, dst: Gpr, from: VReg, double: bool) {
        self.vex_registers(if double { TRUNCATE } else { TRUNCATE_SINGLE }, dst.0, from.0);
    }

    /// Moves the uppermost bits of 32 bytes to a general register.
    pub fn vex_signs(&mut self, dst: Gpr, from: VReg) {
        self.vex_registers(SIGNS, dst.0, from.0);
    }
}
