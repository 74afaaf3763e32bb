//! Bools, lane by lane: what comparisons define and selects take.
//!
//! With AVX-512 they are bits of a mask register. With AVX2 they are vectors of ones or zeros, in the registers of numbers:
//! a bool of the fragment is as wide as the widest number, so that it is a whole vector; the mask that a comparison defines, or a
//! select takes, is as wide as the numbers compared or selected ([`Emitter::widen_to_bool`] and [`Emitter::mask_as_wide_as`] convert).

use crate::x86::asm::encode::{KReg, Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::conventions::{FAST_LANES, LANE_MASK, SCRATCH, SLOW_VECTOR, at_arguments};
use crate::x86::isel::cost::WINDOW;
use crate::x86::isel::select::{Emitter, INTERLEAVED, broadcast, by_float, by_size, is_real};
use crate::{DType, Inst, Kind, Op, Scalar, ValueId};

/// A register with a bool in each lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct MaskReg(pub(crate) u8);

impl MaskReg {
    /// As a mask register.
    pub(crate) fn k(self) -> KReg {
        KReg(self.0)
    }

    /// As a vector.
    pub(crate) fn v(self) -> VReg {
        VReg(self.0)
    }
}

/// An op on two bools.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logic {
    And,
    Or,
    Xor,
    Equal,
    /// The second one and not the first.
    Except,
}

// Integer comparisons, as the immediate of `vpcmp`.
pub(crate) const EQUAL: u8 = 0;
pub(crate) const BELOW: u8 = 1;
pub(crate) const AT_MOST: u8 = 2;
pub(crate) const NOT_EQUAL: u8 = 4;
pub(crate) const AT_LEAST: u8 = 5;
/// The bit that negates a comparison, of floats as well.
const OPPOSITE: u8 = 4;

impl Emitter<'_> {
    pub(crate) fn mask(&mut self, value: ValueId) -> MaskReg {
        MaskReg(self.register(value))
    }

    pub(crate) fn define_mask(&mut self) -> MaskReg {
        MaskReg(self.alloc(Some(self.current), true))
    }

    pub(crate) fn temp_mask(&mut self) -> MaskReg {
        MaskReg(self.alloc(None, true))
    }

    /// `a op b`.
    pub(crate) fn logic(&mut self, op: Logic, out: MaskReg, a: MaskReg, b: MaskReg) {
        let (of_masks, of_vectors) = match op {
            Logic::And => (&f::KANDQ, &f::VPAND),
            Logic::Or => (&f::KORQ, &f::VPOR),
            Logic::Xor => (&f::KXORQ, &f::VPXOR),
            Logic::Equal => (&f::KXNORQ, &f::VPXOR),
            Logic::Except => (&f::KANDNQ, &f::VPANDN),
        };
        match self.level() {
            Level::Avx512 => self.asm.mask_op(of_masks, out.k(), a.k(), b.k()),
            Level::Avx2 => {
                self.asm.vex(of_vectors, Width::W256, out.v(), a.v(), Rm::Reg(b.v()), None);
                if op == Logic::Equal {
                    self.invert(out, out);
                }
            }
        }
    }

    /// Not `a`. The register of `a` may have been freed, unless it is `out`.
    pub(crate) fn invert(&mut self, out: MaskReg, a: MaskReg) {
        match self.level() {
            Level::Avx512 => self.asm.mask_op(&f::KNOTQ, out.k(), a.k(), a.k()),
            Level::Avx2 => {
                let ones = if out == a { self.temp() } else { out.v() };
                self.asm.vex(&f::VPCMPEQD_VEX, Width::W256, ones, ones, Rm::Reg(ones), None);
                self.asm.vex(&f::VPXOR, Width::W256, out.v(), a.v(), Rm::Reg(ones), None);
            }
        }
    }

    /// Copies a mask.
    pub(crate) fn copy_mask(&mut self, out: MaskReg, a: MaskReg) {
        match self.level() {
            Level::Avx512 => self.asm.mask_op(&f::KMOVQ, out.k(), a.k(), a.k()),
            Level::Avx2 => self.asm.vex(&f::VMOVUPS, Width::W256, out.v(), VReg(0), Rm::Reg(a.v()), None),
        }
    }

    /// The instruction that compares numbers of a type into a mask register.
    fn comparison(&self, dtype: DType) -> &'static Form {
        match dtype.kind() {
            Kind::Float => by_float(dtype, &f::VCMPPS, &f::VCMPPD),
            Kind::Unsigned => by_size(dtype, [&f::VPCMPUB, &f::VPCMPUW, &f::VPCMPUD, &f::VPCMPUQ]),
            Kind::Signed | Kind::Bool | Kind::Complex => {
                by_size(dtype, [&f::VPCMPB, &f::VPCMPW, &f::VPCMPD, &f::VPCMPQ])
            }
        }
    }

    /// Compares numbers of a type, by the immediate of `vcmp` or `vpcmp`. The mask is as wide as they are; `out` is neither register.
    pub(crate) fn compare(&mut self, out: MaskReg, a: VReg, b: Rm, dtype: DType, predicate: u8) {
        let width = self.width(dtype);
        if self.level() == Level::Avx512 {
            let (form, mask) = (self.comparison(dtype), self.masking(dtype).k);
            self.asm.compare(form, width, out.k(), a, b, mask, Some(predicate));
        } else if dtype.kind() == Kind::Float {
            let form = by_float(dtype, &f::VCMPPS_VEX, &f::VCMPPD_VEX);
            self.asm.vex(form, width, out.v(), a, b, Some(predicate));
        } else {
            self.compare_vectors(out.v(), a, b, dtype, predicate);
        }
    }

    /// Compares floats in the lanes of a mask, where there are masks.
    pub(crate) fn compare_in(&mut self, out: MaskReg, a: VReg, b: VReg, dtype: DType, predicate: u8, lanes: KReg) {
        match self.level() {
            Level::Avx512 => {
                let form = by_float(dtype, &f::VCMPPS, &f::VCMPPD);
                self.asm.compare(form, self.width(dtype), out.k(), a, Rm::Reg(b), lanes, Some(predicate));
            }
            Level::Avx2 => self.compare(out, a, Rm::Reg(b), dtype, predicate),
        }
    }

    /// Compares integers with AVX2, which has equal, and greater for signed ones.
    fn compare_vectors(&mut self, out: VReg, a: VReg, b: Rm, dtype: DType, predicate: u8) {
        let width = self.width(dtype);
        let (mut x, mut y) = (a, b);
        let equals = matches!(predicate, EQUAL | NOT_EQUAL);
        if !equals && dtype.kind() == Kind::Unsigned {
            // With the highest bit flipped, unsigned numbers are in the order of signed ones.
            let (turned, other) = (self.temp(), self.temp());
            let first = self.constant(Scalar::from_bits(dtype, 1 << (8 * dtype.size() - 1)));
            self.asm.vex(&f::VMOVUPS, width, other, VReg(0), first, None);
            self.asm.vex(&f::VPXOR, width, turned, other, Rm::Reg(a), None);
            self.asm.vex(&f::VPXOR, width, other, other, b, None);
            (x, y) = (turned, Rm::Reg(other));
        }
        if matches!(predicate, BELOW | AT_LEAST) {
            let second = self.in_register(y, width);
            (x, y) = (second, Rm::Reg(x));
        }
        let form = if equals {
            by_size(dtype, [&f::VPCMPEQB_VEX, &f::VPCMPEQW_VEX, &f::VPCMPEQD_VEX, &f::VPCMPEQQ_VEX])
        } else {
            by_size(dtype, [&f::VPCMPGTB_VEX, &f::VPCMPGTW_VEX, &f::VPCMPGTD_VEX, &f::VPCMPGTQ_VEX])
        };
        self.asm.vex(form, width, out, x, y, None);
        if matches!(predicate, NOT_EQUAL | AT_MOST | AT_LEAST) {
            self.invert(MaskReg(out.0), MaskReg(out.0));
        }
    }

    /// Which numbers are not zero; as wide as the numbers.
    pub(crate) fn nonzero(&mut self, out: MaskReg, a: VReg, dtype: DType) {
        if is_real(dtype) {
            let zero = self.constant(Scalar::zero(dtype));
            return self.compare(out, a, zero, dtype, NOT_EQUAL);
        }
        match self.level() {
            Level::Avx512 => {
                let form = by_size(dtype, [&f::VPTESTMB, &f::VPTESTMW, &f::VPTESTMD, &f::VPTESTMQ]);
                self.asm.compare(form, self.width(dtype), out.k(), a, Rm::Reg(a), KReg(0), None);
            }
            Level::Avx2 => {
                self.zero(out.v());
                self.compare_vectors(out.v(), a, Rm::Reg(out.v()), dtype, NOT_EQUAL);
            }
        }
    }

    /// Which numbers have the sign bit; as wide as the numbers.
    pub(crate) fn signs(&mut self, out: MaskReg, a: VReg, dtype: DType) {
        match self.level() {
            Level::Avx512 => {
                let form = by_float(dtype, &f::VPMOVD2M, &f::VPMOVQ2M);
                self.asm.vector_to_mask(form, self.width(dtype), out.k(), a);
            }
            Level::Avx2 => {
                self.zero(out.v());
                let form = by_float(dtype, &f::VPCMPGTD_VEX, &f::VPCMPGTQ_VEX);
                self.asm.vex(form, self.width(dtype), out.v(), out.v(), Rm::Reg(a), None);
            }
        }
    }

    /// Which floats are infinite, or which are finite; as wide as the floats. No flag is raised.
    pub(crate) fn class(&mut self, out: MaskReg, a: VReg, dtype: DType, finite: bool) {
        match self.level() {
            Level::Avx512 => {
                // Classes of `vfpclass`: infinities, and both kinds of NaN.
                let classes = if finite { 0x99 } else { 0x18 };
                let form = by_float(dtype, &f::VFPCLASSPS, &f::VFPCLASSPD);
                self.asm.compare(form, self.width(dtype), out.k(), VReg(0), Rm::Reg(a), KReg(0), Some(classes));
                if finite {
                    self.invert(out, out);
                }
            }
            Level::Avx2 => {
                let (integer, magnitude) = match dtype {
                    DType::F64 => (DType::I64, u64::MAX >> 1),
                    _ => (DType::I32, u64::from(u32::MAX >> 1)),
                };
                let size = self.temp();
                let magnitude = self.constant(Scalar::from_bits(integer, magnitude.into()));
                let infinite = Scalar::from_bits(integer, Scalar::new(dtype, f64::INFINITY).bits());
                let infinite = self.constant(infinite);
                self.asm.vex(&f::VPAND, self.width(dtype), size, a, magnitude, None);
                self.compare_vectors(out.v(), size, infinite, integer, if finite { BELOW } else { EQUAL });
            }
        }
    }

    /// `mask ? yes : no`, lane by lane; the mask is as wide as the numbers.
    pub(crate) fn blend(&mut self, out: VReg, mask: MaskReg, yes: Rm, no: VReg, dtype: DType) {
        let width = self.width(dtype);
        match self.level() {
            Level::Avx512 => {
                let form = by_size(dtype, [&f::VPBLENDMB, &f::VPBLENDMW, &f::VPBLENDMD, &f::VPBLENDMQ]);
                self.asm.vector(form, width, out, no, yes, Masking { k: mask.k(), zero: false }, None);
            }
            Level::Avx2 => self.asm.vex_blend(&f::VPBLENDVB, width, out, no, yes, mask.v()),
        }
    }

    /// `mask ? yes : no` of bools.
    pub(crate) fn blend_masks(&mut self, out: MaskReg, mask: MaskReg, yes: MaskReg, no: MaskReg) {
        match self.level() {
            Level::Avx512 => {
                let left = self.temp_mask();
                self.logic(Logic::Except, left, mask, no);
                self.logic(Logic::And, out, mask, yes);
                self.logic(Logic::Or, out, out, left);
            }
            Level::Avx2 => {
                let yes = Rm::Reg(yes.v());
                self.asm.vex_blend(&f::VPBLENDVB, Width::W256, out.v(), no.v(), yes, mask.v());
            }
        }
    }

    /// One where the mask is true, else zero. The mask is as wide as the type.
    pub(crate) fn ones_where(&mut self, out: VReg, mask: MaskReg, dtype: DType) {
        let one = Scalar::new(dtype, 1i64);
        match self.level() {
            Level::Avx512 => {
                let one = at_arguments(self.arguments.constant(one));
                let form = broadcast(dtype.size());
                let masking = Masking { k: mask.k(), zero: true };
                self.asm.vector(form, self.width(dtype), out, VReg(0), Rm::Mem(one), masking, None);
            }
            Level::Avx2 => {
                let one = self.constant(one);
                self.asm.vex(&f::VPAND, self.width(dtype), out, mask.v(), one, None);
            }
        }
    }

    // --- widths ------------------------------------------------------------------------------------------------------

    /// Bytes of a bool with AVX2.
    fn bool_lane_bytes(&self) -> usize {
        self.level().vector() / self.lanes()
    }

    /// Widens a mask as wide as numbers of a type to the width of bools.
    pub(crate) fn widen_to_bool(&mut self, out: MaskReg, dtype: DType) {
        if self.level() == Level::Avx512 || dtype.size() == self.bool_lane_bytes() {
            return;
        }
        let form = match (dtype.size(), self.bool_lane_bytes()) {
            (1, 2) => &f::VPMOVSXBW,
            (1, 4) => &f::VPMOVSXBD,
            (1, _) => &f::VPMOVSXBQ,
            (2, 4) => &f::VPMOVSXWD,
            (2, _) => &f::VPMOVSXWQ,
            _ => &f::VPMOVSXDQ,
        };
        self.asm.vex(form, Width::W256, out.v(), VReg(0), Rm::Reg(out.v()), None);
    }

    /// A bool as a mask as wide as numbers of a type.
    pub(crate) fn mask_as_wide_as(&mut self, value: ValueId, dtype: DType) -> MaskReg {
        let mask = self.mask(value);
        self.as_wide_as(mask, dtype)
    }

    /// The same of a mask as wide as bools.
    pub(crate) fn as_wide_as(&mut self, mask: MaskReg, dtype: DType) -> MaskReg {
        if self.level() == Level::Avx512 || dtype.size() == self.bool_lane_bytes() {
            return mask;
        }
        let out = self.temp();
        self.narrow_mask(out, mask.v(), dtype.size());
        MaskReg(out.0)
    }

    /// Narrows a bool to lanes of so many bytes.
    fn narrow_mask(&mut self, out: VReg, mask: VReg, size: usize) {
        let pack = |lane: usize| if lane == 2 { &f::VPACKSSWB } else { &f::VPACKSSDW };
        let mut lane = self.bool_lane_bytes();
        self.asm.vex_part(&f::VEXTRACTI128, Width::W256, out, mask, Some(1));
        self.asm.vex(pack(lane), Width::W128, out, mask, Rm::Reg(out), None);
        lane /= 2;
        while lane > size {
            self.asm.vex(pack(lane), Width::W128, out, out, Rm::Reg(out), None);
            lane /= 2;
        }
    }

    // --- bools in memory ---------------------------------------------------------------------------------------------

    /// Loads bools, contiguous in memory.
    pub(crate) fn load_bools(&mut self, out: MaskReg, from: Mem) {
        let bytes = self.temp();
        if self.level() == Level::Avx512 {
            let (width, mask) = (self.width(DType::Bool), self.masking(DType::Bool));
            self.asm.vector(&f::VMOVDQU8, width, bytes, VReg(0), Rm::Mem(from), mask, None);
            return self.bools_from_bytes(out, bytes);
        }
        match self.widened() {
            Some(form) => {
                self.asm.vex(form, Width::W256, bytes, VReg(0), Rm::Mem(from), None);
                self.nonzero_widened(out, bytes);
            }
            None => {
                self.asm.vex(&f::VMOVUPS, Width::W256, bytes, VReg(0), Rm::Mem(from), None);
                self.bools_from_bytes(out, bytes);
            }
        }
    }

    /// Bools from the lowest bytes of a vector, one a lane.
    pub(crate) fn bools_from_bytes(&mut self, out: MaskReg, bytes: VReg) {
        match (self.level(), self.widened()) {
            (Level::Avx512, _) => {
                let width = self.width(DType::Bool);
                self.asm.compare(&f::VPTESTMB, width, out.k(), bytes, Rm::Reg(bytes), KReg(0), None);
            }
            (Level::Avx2, Some(form)) => {
                self.asm.vex(form, Width::W256, bytes, VReg(0), Rm::Reg(bytes), None);
                self.nonzero_widened(out, bytes);
            }
            (Level::Avx2, None) => self.nonzero(out, bytes, DType::U8),
        }
    }

    /// The instruction that widens bytes to the width of bools, where that is larger.
    fn widened(&self) -> Option<&'static Form> {
        match self.bool_lane_bytes() {
            2 => Some(&f::VPMOVZXBW),
            4 => Some(&f::VPMOVZXBD),
            8 => Some(&f::VPMOVZXBQ),
            _ => None,
        }
    }

    fn nonzero_widened(&mut self, out: MaskReg, wide: VReg) {
        let greater = match self.bool_lane_bytes() {
            2 => &f::VPCMPGTW_VEX,
            4 => &f::VPCMPGTD_VEX,
            _ => &f::VPCMPGTQ_VEX,
        };
        self.zero(out.v());
        self.asm.vex(greater, Width::W256, out.v(), wide, Rm::Reg(out.v()), None);
    }

    /// Broadcasts a bool in memory.
    pub(crate) fn broadcast_bool(&mut self, out: MaskReg, from: Mem) {
        let (bytes, width) = (self.temp(), self.whole());
        self.emit(&f::VPBROADCASTB, width, bytes, VReg(0), Rm::Mem(from), Masking::NONE, None);
        match self.level() {
            Level::Avx512 => {
                self.asm.compare(&f::VPTESTMB, Width::W512, out.k(), bytes, Rm::Reg(bytes), KReg(0), None);
            }
            Level::Avx2 => {
                let zero = out.v();
                self.zero(zero);
                self.asm.vex(&f::VPCMPEQB_VEX, Width::W256, out.v(), bytes, Rm::Reg(zero), None);
                self.invert(out, out);
            }
        }
    }

    /// The bools as bytes of zero and one, lowest in a vector.
    pub(crate) fn bytes_from_bools(&mut self, mask: MaskReg) -> VReg {
        let (bytes, width) = (self.temp(), self.width(DType::Bool));
        match self.level() {
            Level::Avx512 => self.asm.mask_to_vector(&f::VPMOVM2B, width, bytes, mask.k()),
            Level::Avx2 if self.bool_lane_bytes() == 1 => self.copy_mask(MaskReg(bytes.0), mask),
            Level::Avx2 => self.narrow_mask(bytes, mask.v(), 1),
        }
        self.emit(&f::VPABSB, width, bytes, VReg(0), Rm::Reg(bytes), Masking::NONE, None);
        bytes
    }

    /// Whether there are mask registers for copies of the body that are interleaved. Copies of a body that the processor's window does not hold are
    /// interleaved with spilled masks: three activation functions of a million doubles take 5.8 ms so, and 7.3 one after the other.
    pub(crate) fn has_masks(&self) -> bool {
        self.level() == Level::Avx2
            || INTERLEAVED * self.body.most_live_bools() <= self.masks.count()
            || INTERLEAVED * self.body.length() > WINDOW
    }

    // --- slow-path lanes ---------------------------------------------------------------------------------------------

    /// Sets the slow-path lanes to none.
    pub(crate) fn clear_slow_lanes(&mut self) {
        match self.level() {
            Level::Avx512 => self.asm.mask_op(&f::KXNORQ, FAST_LANES, FAST_LANES, FAST_LANES),
            Level::Avx2 => self.zero(SLOW_VECTOR),
        }
    }

    /// Adds the lanes of a mask to the slow-path lanes. Lanes past the row are left out.
    pub(crate) fn add_slow_lanes(&mut self, mask: MaskReg) {
        match self.level() {
            Level::Avx512 => {
                let mut slow = mask.k();
                if self.is_tail {
                    slow = self.temp_mask().k();
                    self.asm.mask_op(&f::KANDQ, slow, mask.k(), LANE_MASK);
                }
                self.asm.mask_op(&f::KANDNQ, FAST_LANES, slow, FAST_LANES);
            }
            // The tail of AVX2 has no lanes past the row.
            Level::Avx2 => self.asm.vex(&f::VPOR, Width::W256, SLOW_VECTOR, SLOW_VECTOR, Rm::Reg(mask.v()), None),
        }
    }

    /// Whether the current value is a mask of slow-path lanes of a full vector and has no other use. Then the negated comparison,
    /// masked by the fast lanes, updates these in one instruction.
    pub(crate) fn only_marks_slow_lanes(&self) -> bool {
        self.level() == Level::Avx512
            && !self.is_tail
            && self.body.is_slow_mask(self.current)
            && self.body.uses[self.current as usize].is_empty()
    }

    /// Defines the current value by a comparison of numbers, given the immediate of `vcmp` or `vpcmp`.
    pub(crate) fn define_comparison(&mut self, a: VReg, b: Rm, dtype: DType, predicate: u8) {
        if self.only_marks_slow_lanes() {
            let form = self.comparison(dtype);
            self.asm.compare(form, self.width(dtype), FAST_LANES, a, b, FAST_LANES, Some(predicate ^ OPPOSITE));
            return;
        }
        let out = self.define_mask();
        // AVX-512 compares either kind in one instruction.
        let ordered_as = match dtype {
            DType::U64 if self.level() == Level::Avx2 && self.compares_magnitudes() => DType::I64,
            DType::U32 if self.level() == Level::Avx2 && self.compares_magnitudes() => DType::I32,
            _ => dtype,
        };
        self.compare(out, a, b, ordered_as, predicate);
        self.widen_to_bool(out, dtype);
    }

    /// Whether the current value compares words whose highest bits are not set, magnitudes of floats and constants: then
    /// unsigned numbers are in the order of signed ones.
    fn compares_magnitudes(&self) -> bool {
        let insts = &self.body.fragment.insts;
        let Inst::Apply(_, args) = insts[self.current as usize] else { return false };
        args.iter().all(|word| match insts[word.0 as usize] {
            Inst::Bits(float, _) => matches!(insts[float.0 as usize], Inst::Apply(Op::Fabs, _)),
            Inst::Const(word) => {
                word.dtype().kind() == Kind::Unsigned && word.bits() >> (8 * word.dtype().size() - 1) == 0
            }
            _ => false,
        })
    }

    /// Stores to the argument block whether there were slow-path lanes.
    pub(crate) fn store_slow_lanes(&mut self) {
        let to = at_arguments(self.arguments.slow_lanes);
        match self.level() {
            Level::Avx512 => {
                self.set_full_mask();
                self.asm.mask_op(&f::KANDNQ, FAST_LANES, FAST_LANES, LANE_MASK);
                self.asm.mask_store(to, FAST_LANES);
            }
            Level::Avx2 => {
                self.asm.vex_signs(SCRATCH, SLOW_VECTOR);
                self.asm.store_gpr(to, SCRATCH);
            }
        }
    }
}
