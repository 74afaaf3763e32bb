//! The assembler: instructions to position-independent bytes.
//!
//! One method for each instruction, or for each shape of operands of [`forms`](crate::x86::asm::forms). Vector instructions have
//! EVEX prefixes, so all 32 registers, masks and embedded broadcasts are there; instructions on masks have VEX prefixes, and
//! those of AVX2 have methods of their own (`vex`).
//! A width, a broadcast or a mask that an instruction does not have is a bug of the caller, and panics.
//!
//! A backward jump has a distance of one byte where it fits. A forward jump has one of four bytes, since emitted code is not moved.
//!
//! Encoding an instruction takes 2 ns (general registers) to 9 ns (vectors with memory): prefix, opcode and ModRM are one word of the
//! table, into which registers are xor-ed (prefixes hold most of their bits inverted), and are written in one store with slack
//! behind it.

#![expect(clippy::too_many_arguments, reason = "an instruction has as many operands")]

use crate::x86::asm::forms::{Form, MEMORY, ONLY_VEX, Operands, UNMASKED};

/// A vector register, 0 to 31.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VReg(pub u8);

/// A general register, 0 to 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gpr(pub u8);

/// A mask register, 0 to 7; as a mask over a vector instruction, 0 means none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KReg(pub u8);

#[allow(missing_docs, reason = "they are the processor's names")]
impl Gpr {
    pub const RAX: Gpr = Gpr(0);
    pub const RCX: Gpr = Gpr(1);
    pub const RDX: Gpr = Gpr(2);
    pub const RBX: Gpr = Gpr(3);
    pub const RSP: Gpr = Gpr(4);
    pub const RBP: Gpr = Gpr(5);
    pub const RSI: Gpr = Gpr(6);
    pub const RDI: Gpr = Gpr(7);
    pub const R8: Gpr = Gpr(8);
    pub const R9: Gpr = Gpr(9);
    pub const R10: Gpr = Gpr(10);
    pub const R11: Gpr = Gpr(11);
    pub const R12: Gpr = Gpr(12);
    pub const R13: Gpr = Gpr(13);
    pub const R14: Gpr = Gpr(14);
    pub const R15: Gpr = Gpr(15);
}

/// The vector length of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Width {
    /// 128 bits, an xmm register.
    W128,
    /// 256 bits, a ymm register.
    W256,
    /// 512 bits, a zmm register.
    W512,
}

/// An address: `base + index * scale + disp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mem {
    /// The base register.
    pub base: Gpr,
    /// The index register, not RSP, and its scale: 1, 2, 4 or 8.
    pub index: Option<(Gpr, u8)>,
    /// The displacement in bytes.
    pub disp: i32,
}

impl Mem {
    /// `base + disp`.
    pub const fn at(base: Gpr, disp: i32) -> Mem {
        Mem { base, index: None, disp }
    }

    /// `base + index * scale + disp`.
    pub const fn indexed(base: Gpr, index: Gpr, scale: u8, disp: i32) -> Mem {
        Mem { base, index: Some((index, scale)), disp }
    }
}

/// The `rm` operand: a register or memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rm {
    /// A register.
    Reg(VReg),
    /// Memory, of the size that the form says.
    Mem(Mem),
    /// One element in memory, broadcast to all lanes.
    Broadcast(Mem),
}

/// The write mask: which lanes of the destination are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Masking {
    /// The mask; register 0 stands for all lanes.
    pub k: KReg,
    /// Whether the other lanes become zero (zero-masking) or keep their values (merge-masking).
    pub zero: bool,
}

impl Masking {
    /// All lanes.
    pub const NONE: Masking = Masking { k: KReg(0), zero: false };

    /// The lanes of a mask; the others keep their values.
    pub const fn merge(k: KReg) -> Masking {
        Masking { k, zero: false }
    }

    /// The lanes of a mask; the others become zero.
    pub const fn zero(k: KReg) -> Masking {
        Masking { k, zero: true }
    }
}

/// A label: a position in the code that jumps lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub(crate) u32);

/// The condition of a jump, with its condition code; above and below are unsigned comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Cond {
    /// Unsigned less, or a carry.
    Below = 2,
    /// Unsigned greater or equal, or no carry.
    AboveEqual = 3,
    /// Equal, or zero.
    Equal = 4,
    /// Not equal, or not zero.
    NotEqual = 5,
    /// Unsigned less or equal.
    BelowEqual = 6,
    /// Unsigned greater: neither equal nor a borrow.
    Above = 7,
}

/// Bytes that are always free behind the code, so that an instruction is stored as two whole words without a test of its length.
const SLACK: usize = 32;
/// The position of a label that is not bound yet.
pub(crate) const UNBOUND: u32 = u32::MAX;

/// An assembler, with the instructions encoded so far.
#[derive(Debug, Default)]
pub struct Assembler {
    /// The code, then slack.
    bytes: Vec<u8>,
    /// The length of the code.
    len: usize,
    /// By label: its position.
    pub(crate) labels: Vec<u32>,
    /// Fixups: the position of a four-byte distance, and the label it leads to. The distance counts from the end of these bytes.
    pub(crate) fixups: Vec<(u32, Label)>,
    /// Whether the code is for processors that have no AVX-512.
    is_for_avx2: bool,
}

/// An encoded address: `mod` and `rm` of ModRM, the prefix's bits for the registers, and the bytes behind ModRM.
pub(crate) struct Address {
    /// Bits of ModRM.
    pub(crate) modrm: u64,
    /// Bit 3 of base and index.
    pub(crate) high_base: u64,
    pub(crate) high_index: u64,
    /// SIB and displacement, lowest byte first.
    pub(crate) tail: u64,
    pub(crate) tail_len: usize,
}

impl Address {
    /// `shift` is the binary logarithm of the unit of a one-byte displacement.
    #[inline(always)]
    pub(crate) fn new(mem: Mem, shift: u8) -> Address {
        let base = mem.base.0 as u64;
        let (index, scale) = match mem.index {
            Some((index, scale)) => {
                assert!(index != Gpr::RSP && index.0 < 16 && scale.is_power_of_two() && scale <= 8, "no such address");
                (index.0 as u64, scale)
            }
            None => (4, 1),
        };
        let sib = mem.index.is_some() || base & 7 == 4;
        Address::with(base, index, scale, sib, mem.disp, shift)
    }

    #[inline(always)]
    fn with(base: u64, index: u64, scale: u8, sib: bool, disp: i32, shift: u8) -> Address {
        assert!(base < 16);
        let short = disp >> shift;
        let (mode, disp_bits, disp_len) = if disp == 0 && base & 7 != 5 {
            (0, 0, 0)
        } else if short << shift == disp && short as i8 as i32 == short {
            (1, short as u8 as u64, 1)
        } else {
            (2, disp as u32 as u64, 4)
        };
        let (rm, tail, tail_len) = if sib {
            let byte = (scale.trailing_zeros() as u64) << 6 | (index & 7) << 3 | base & 7;
            (4, byte | disp_bits << 8, disp_len + 1)
        } else {
            (base & 7, disp_bits, disp_len)
        };
        Address { modrm: mode << 6 | rm, high_base: base >> 3, high_index: index >> 3 & 1, tail, tail_len }
    }
}

/// Bits of an EVEX prefix, opcode and ModRM as one word.
mod evex {
    pub(crate) const RM_REGISTER: u64 = 3 << 46;
    pub(crate) const BROADCAST: u64 = 1 << 28;
    pub(crate) const ZERO: u64 = 1 << 31;

    /// The `reg` field and its two upper bits, which are in the prefix.
    #[inline]
    pub(crate) fn reg(r: u8) -> u64 {
        let r = r as u64;
        (r & 7) << 43 | (r & 8) << 12 | (r & 16) << 8
    }

    /// The `rm` field of a register.
    #[inline]
    pub(crate) fn rm(r: u8) -> u64 {
        let r = r as u64;
        RM_REGISTER | (r & 7) << 40 | (r & 8) << 10 | (r & 16) << 10
    }

    /// The `vvvv` field and its uppermost bit, which is elsewhere in the prefix.
    #[inline]
    pub(crate) fn vvvv(r: u8) -> u64 {
        let r = r as u64;
        (r & 15) << 19 | (r & 16) << 23
    }
}

/// The operands of a vector instruction except `rm`; they fit one general register.
#[derive(Clone, Copy)]
struct Fields {
    dst: u8,
    a: u8,
    width: Width,
    mask: Masking,
    imm: Option<u8>,
    /// Whether the destination is a mask.
    compares: bool,
}

impl Fields {
    /// Their bits in prefix, opcode and ModRM.
    #[inline(always)]
    fn bits(self, form: &Form) -> u64 {
        assert!(self.dst < if self.compares { 8 } else { 32 } && self.a < 32, "{}: no such register", form.name);
        let bits = match (form.operands, self.compares) {
            (Operands::Rvm, false) | (Operands::Kvm, true) => evex::reg(self.dst) | evex::vvvv(self.a),
            (Operands::Rm, false) | (Operands::Km, true) => evex::reg(self.dst),
            (Operands::Vm, false) => evex::vvvv(self.dst),
            _ => panic!("{} has no such operands", form.name),
        };
        Assembler::control(form, self.width, self.mask) | bits
    }
}

impl Assembler {
    /// An assembler without code.
    pub fn new() -> Self {
        Assembler::default()
    }

    /// An assembler for code without instructions of AVX-512.
    pub fn for_avx2() -> Self {
        Assembler { is_for_avx2: true, ..Assembler::default() }
    }

    /// Checks that the code may have instructions of AVX-512, before one is emitted.
    #[inline(always)]
    pub(crate) fn note_avx512(&self) {
        debug_assert!(!self.is_for_avx2, "an instruction of AVX-512");
    }

    /// The length of the code in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no code yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The code, with every label resolved. It runs at any address.
    ///
    /// # Panics
    /// A label is used but not bound.
    pub fn finish(mut self) -> Vec<u8> {
        for &(at, label) in &self.fixups {
            let target = self.labels[label.0 as usize];
            assert!(target != UNBOUND, "a label is not bound");
            let distance = target as i32 - (at as i32 + 4);
            self.bytes[at as usize..][..4].copy_from_slice(&distance.to_le_bytes());
        }
        self.bytes.truncate(self.len);
        self.bytes
    }

    /// A new label, not bound yet.
    pub fn label(&mut self) -> Label {
        self.labels.push(UNBOUND);
        Label(self.labels.len() as u32 - 1)
    }

    /// Binds a label to the current position.
    ///
    /// # Panics
    /// The label is bound already.
    pub fn bind(&mut self, l: Label) {
        let position = &mut self.labels[l.0 as usize];
        assert!(*position == UNBOUND, "a label is bound twice");
        *position = self.len as u32;
    }

    /// Makes room for another instruction.
    #[inline]
    fn reserve(&mut self) {
        if self.len + SLACK > self.bytes.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.bytes.resize((2 * self.bytes.len()).max(4096), 0);
    }

    /// Writes the lowest bytes of a word, then of another.
    #[inline(always)]
    pub(crate) fn emit(&mut self, head: u64, head_len: usize, tail: u64, tail_len: usize) {
        self.reserve();
        let room: &mut [u8; 16] = (&mut self.bytes[self.len..][..16]).try_into().expect("16 bytes");
        debug_assert!(head_len <= 8 && tail_len <= 8);
        room[..8].copy_from_slice(&head.to_le_bytes());
        room[head_len..][..8].copy_from_slice(&tail.to_le_bytes());
        self.len += head_len + tail_len;
    }

    /// An instruction with an EVEX prefix whose `rm` operand is a register.
    #[inline(always)]
    fn evex_reg(&mut self, form: &Form, bits: u64, imm: Option<u8>) {
        assert!(form.immediate == imm.is_some(), "{}: an immediate too many or missing", form.name);
        assert!(!form.is(MEMORY), "{} works on memory", form.name);
        self.note_avx512();
        self.emit(form.bytes ^ bits, 6, imm.unwrap_or(0) as u64, imm.is_some() as usize);
    }

    /// An instruction with an EVEX prefix whose `rm` operand is in memory.
    #[inline(always)]
    fn evex_mem(&mut self, form: &Form, bits: u64, address: Address, imm: Option<u8>) {
        assert!(form.immediate == imm.is_some(), "{}: an immediate too many or missing", form.name);
        let bits = bits ^ (address.modrm << 40 | address.high_base << 13 | address.high_index << 14);
        let tail = address.tail | (imm.unwrap_or(0) as u64) << (8 * address.tail_len);
        self.note_avx512();
        self.emit(form.bytes ^ bits, 6, tail, address.tail_len + imm.is_some() as usize);
    }

    /// The prefix's bits for width and mask; checks that the form has both.
    #[inline(always)]
    fn control(form: &Form, width: Width, mask: Masking) -> u64 {
        assert!(form.has(width) && !form.is(ONLY_VEX), "{} does not exist at this width", form.name);
        assert!(mask.k.0 == 0 || !form.is(UNMASKED), "{} takes no mask", form.name);
        assert!(mask.k.0 < 8 && (mask.k.0 != 0 || !mask.zero), "zeroing needs a mask");
        (width as u64) << 29 | (mask.k.0 as u64) << 24 | if mask.zero { evex::ZERO } else { 0 }
    }

    /// An instruction with a register as `rm` operand.
    fn fields_reg(&mut self, form: &Form, with: Fields, b: VReg) {
        assert!(b.0 < 32);
        let bits = if form.operands == Operands::Mr && !with.compares {
            Self::control(form, with.width, with.mask) | evex::reg(b.0) | evex::rm(with.dst)
        } else {
            with.bits(form) | evex::rm(b.0)
        };
        self.evex_reg(form, bits, with.imm);
    }

    /// An instruction with memory as `rm` operand.
    fn fields_mem(&mut self, form: &Form, with: Fields, mem: Mem) {
        let address = Address::new(mem, form.shifts[with.width as usize]);
        self.evex_mem(form, with.bits(form), address, with.imm);
    }

    /// An instruction with a broadcast element of memory as `rm` operand.
    fn fields_broadcast(&mut self, form: &Form, with: Fields, mem: Mem) {
        assert!(form.broadcast != 0, "{} has no broadcast", form.name);
        let address = Address::new(mem, form.broadcast.trailing_zeros() as u8);
        self.evex_mem(form, with.bits(form) | evex::BROADCAST, address, with.imm);
    }

    /// Inlined, since callers know which kind of operand `b` is. Otherwise `b` is passed in memory, written in pieces and read as a
    /// whole, which costs more (6 ns) than all the rest.
    #[inline]
    fn fields(&mut self, form: &Form, with: Fields, b: Rm) {
        match b {
            Rm::Reg(b) => self.fields_reg(form, with, b),
            Rm::Mem(mem) => self.fields_mem(form, with, mem),
            Rm::Broadcast(mem) => self.fields_broadcast(form, with, mem),
        }
    }

    /// An instruction with a vector as destination. `a` is ignored where the form has one source.
    ///
    /// # Panics
    /// The form has no such operands.
    #[inline]
    pub fn vector(&mut self, form: &Form, width: Width, dst: VReg, a: VReg, b: Rm, mask: Masking, imm: Option<u8>) {
        self.fields(form, Fields { dst: dst.0, a: a.0, width, mask, imm, compares: false }, b);
    }

    /// An instruction of 512 bits on registers, with embedded rounding towards minus infinity.
    ///
    /// # Panics
    /// The form has no such operands, or does not round.
    pub fn rounded_down(&mut self, form: &Form, dst: VReg, a: VReg, b: VReg) {
        assert!(form.broadcast != 0 && b.0 < 32, "{} does not round", form.name);
        // With embedded rounding, the bits of the width are the rounding mode; those of 256 bits mean down.
        let with = Fields { dst: dst.0, a: a.0, width: Width::W256, mask: Masking::NONE, imm: None, compares: false };
        self.evex_reg(form, with.bits(form) | evex::rm(b.0) | evex::BROADCAST, None);
    }

    /// An instruction with memory as destination.
    ///
    /// # Panics
    /// The form is not a store.
    #[inline]
    pub fn store(&mut self, form: &Form, width: Width, to: Mem, from: VReg, mask: KReg) {
        self.store_imm(form, width, to, from, mask, None);
    }

    /// An instruction with memory as destination and an immediate: `vextractf64x4`, `vcvtps2ph`.
    ///
    /// # Panics
    /// The form is not a store.
    pub fn store_imm(&mut self, form: &Form, width: Width, to: Mem, from: VReg, mask: KReg, imm: Option<u8>) {
        assert!(form.operands == Operands::Mr && from.0 < 32, "{} does not store", form.name);
        let bits = Self::control(form, width, Masking::merge(mask)) | evex::reg(from.0);
        self.evex_mem(form, bits, Address::new(to, form.shifts[width as usize]), imm);
    }

    /// An instruction with a mask as destination: bits outside `mask` become zero. `a` is ignored where the form has one
    /// source.
    ///
    /// # Panics
    /// The form has no mask as destination.
    #[inline]
    pub fn compare(&mut self, form: &Form, width: Width, dst: KReg, a: VReg, b: Rm, mask: KReg, imm: Option<u8>) {
        let mask = Masking::merge(mask);
        self.fields(form, Fields { dst: dst.0, a: a.0, width, mask, imm, compares: true }, b);
    }

    /// Loads the elements at `base + index[i] * scale + disp` whose bit of the mask is set, and clears the mask. The width
    /// is that of the larger of index and data.
    ///
    /// # Panics
    /// The form is not a gather, the mask is missing, or destination and index are one register.
    #[inline]
    pub fn gather(
        &mut self,
        form: &Form,
        width: Width,
        dst: VReg,
        base: Gpr,
        index: VReg,
        scale: u8,
        disp: i32,
        mask: KReg,
    ) {
        assert!(form.operands == Operands::Gather && dst != index, "{}: not a gather", form.name);
        self.indexed(form, width, dst, base, index, scale, disp, mask);
    }

    /// Stores elements at `base + index[i] * scale + disp` whose bit of the mask is set, from the lowest on, and clears the
    /// mask. The width is that of the larger of index and data.
    ///
    /// # Panics
    /// The form is not a scatter, or the mask is missing.
    #[inline]
    pub fn scatter(
        &mut self,
        form: &Form,
        width: Width,
        base: Gpr,
        index: VReg,
        scale: u8,
        disp: i32,
        from: VReg,
        mask: KReg,
    ) {
        assert!(form.operands == Operands::Scatter, "{}: not a scatter", form.name);
        self.indexed(form, width, from, base, index, scale, disp, mask);
    }

    #[inline]
    fn indexed(
        &mut self,
        form: &Form,
        width: Width,
        data: VReg,
        base: Gpr,
        index: VReg,
        scale: u8,
        disp: i32,
        mask: KReg,
    ) {
        assert!(mask.0 != 0 && data.0 < 32 && index.0 < 32, "{} needs a mask", form.name);
        assert!(scale.is_power_of_two() && scale <= 8, "no such address");
        let shift = form.shifts[width as usize];
        let address = Address::with(base.0 as u64, index.0 as u64, scale, true, disp, shift);
        let high = (index.0 as u64 & 16) << 23;
        self.evex_mem(form, Self::control(form, width, Masking::merge(mask)) | evex::reg(data.0) | high, address, None);
    }

    /// Broadcasts a general register to all lanes: `VPBROADCASTQ_GPR` and the like.
    ///
    /// # Panics
    /// The form has no general register as source.
    pub fn broadcast_gpr(&mut self, form: &Form, width: Width, dst: VReg, from: Gpr, mask: Masking) {
        assert!(
            form.operands == Operands::FromGpr && dst.0 < 32 && from.0 < 16,
            "{} reads no general register",
            form.name
        );
        self.evex_reg(form, Self::control(form, width, mask) | evex::reg(dst.0) | evex::rm(from.0), None);
    }

    /// All ones in the lanes whose bit is set, zero in the others: `VPMOVM2Q` and the like.
    ///
    /// # Panics
    /// The form has no mask as source.
    pub fn mask_to_vector(&mut self, form: &Form, width: Width, dst: VReg, from: KReg) {
        assert!(form.operands == Operands::FromMask && dst.0 < 32 && from.0 < 8, "{} reads no mask", form.name);
        self.evex_reg(form, Self::control(form, width, Masking::NONE) | evex::reg(dst.0) | evex::rm(from.0), None);
    }

    /// The uppermost bits of the lanes: `VPMOVQ2M` and the like.
    ///
    /// # Panics
    /// The form does not move a vector to a mask.
    pub fn vector_to_mask(&mut self, form: &Form, width: Width, dst: KReg, from: VReg) {
        assert!(form.operands == Operands::ToMask && dst.0 < 8 && from.0 < 32, "{} makes no mask", form.name);
        self.evex_reg(form, Self::control(form, width, Masking::NONE) | evex::reg(dst.0) | evex::rm(from.0), None);
    }
}
