//! Instructions on mask registers alone, and their moves from general registers and from and to memory.

use crate::x86::asm::encode::{Address, Assembler, Gpr, KReg, Mem};
use crate::x86::asm::forms::{Form, Operands};

/// `kmovq` from memory: three bytes of prefix, the opcode, ModRM, lowest byte first.
const LOAD: u64 = 0x90_F8_E1_C4;
/// `kmovq` to memory.
const STORE: u64 = 0x91_F8_E1_C4;
/// `kmovq` from a general register.
const KMOVQ_FROM_REGISTER: u64 = 0x92_FB_E1_C4;

impl Assembler {
    /// A VEX instruction on two registers; `bytes` as in the table.
    #[inline]
    pub(crate) fn vex_registers(&mut self, bytes: u64, reg: u8, rm: u8) {
        let (reg, rm) = (reg as u64, rm as u64);
        assert!(reg < 16 && rm < 16);
        let bits = (reg & 7) << 35 | (reg & 8) << 12 | 3 << 38 | (rm & 7) << 32 | (rm & 8) << 10;
        self.emit(bytes ^ bits, 5, 0, 0);
    }

    #[inline]
    fn vex_memory(&mut self, bytes: u64, reg: KReg, mem: Mem) {
        assert!(reg.0 < 8);
        self.note_avx512();
        let address = Address::new(mem, 0);
        let bits = (reg.0 as u64) << 35 | address.modrm << 32 | address.high_base << 13 | address.high_index << 14;
        self.emit(bytes ^ bits, 5, address.tail, address.tail_len);
    }

    /// `dst = a op b`; `dst = op a` for an op on one mask.
    ///
    /// # Panics
    /// The form has other operands than masks.
    pub fn mask_op(&mut self, form: &Form, dst: KReg, a: KReg, b: KReg) {
        assert!(dst.0 < 8 && a.0 < 8 && b.0 < 8);
        self.note_avx512();
        match form.operands {
            Operands::Kkk => self.vex_registers(form.bytes ^ (a.0 as u64) << 19, dst.0, b.0),
            Operands::Kk => self.vex_registers(form.bytes, dst.0, a.0),
            _ => panic!("{} has other operands than masks", form.name),
        }
    }

    /// Sets the flags by two masks: `Equal` if no bit is set in either, `Below` if each bit is set in one or the other.
    ///
    /// # Panics
    /// The form is not a test of masks.
    pub fn mask_test(&mut self, form: &Form, a: KReg, b: KReg) {
        assert!(form.operands == Operands::KFlags && a.0 < 8 && b.0 < 8, "{} does not test", form.name);
        self.vex_registers(form.bytes, a.0, b.0);
    }

    /// `dst = from`, 64 bits.
    pub fn mask_from(&mut self, dst: KReg, from: Gpr) {
        assert!(dst.0 < 8);
        self.note_avx512();
        self.vex_registers(KMOVQ_FROM_REGISTER, dst.0, from.0);
    }

    /// `dst = [from]`, 64 bits.
    pub fn mask_load(&mut self, dst: KReg, from: Mem) {
        self.vex_memory(LOAD, dst, from);
    }

    /// `[to] = from`, 64 bits.
    pub fn mask_store(&mut self, to: Mem, from: KReg) {
        self.vex_memory(STORE, from, to);
    }
}
