//! Truth values, lane by lane: what comparisons give and choices take.
//!
//! With AVX-512 they are bits of a mask register. With AVX2 they are vectors of ones or zeros, in registers that numbers share:
//! values of the fragment as wide as the widest number, so that each is a whole vector; what a comparison gives, or a choice
//! takes, is as wide as the numbers it is of ([`Emitter::settle`] and [`Emitter::mask_of`] lead from one to the other).

use crate::x86::asm::encode::{KReg, Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::select::{Emitter, broadcast, by_float, by_size, is_real};
use crate::x86::loops::map_loop::{FINE, LANES, ODD_VECTOR, SPARE, at_arguments};
use crate::{DType, Kind, Scalar, ValueId};

/// A register with truth values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Truth(pub(crate) u8);

impl Truth {
    /// As a mask register.
    pub(crate) fn k(self) -> KReg {
        KReg(self.0)
    }

    /// As a vector.
    pub(crate) fn v(self) -> VReg {
        VReg(self.0)
    }
}

/// What two truth values make.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logic {
    And,
    Or,
    Xor,
    Equal,
    /// The second one, but for the first.
    Except,
}

// Comparisons of integers, as the immediate of `vpcmp`.
pub(crate) const EQUAL: u8 = 0;
pub(crate) const BELOW: u8 = 1;
pub(crate) const AT_MOST: u8 = 2;
pub(crate) const NOT_EQUAL: u8 = 4;
pub(crate) const AT_LEAST: u8 = 5;
/// What makes a comparison the opposite one, of floats as well.
const OPPOSITE: u8 = 4;

impl Emitter<'_> {
    pub(crate) fn mask(&mut self, value: ValueId) -> Truth {
        Truth(self.register(value))
    }

    pub(crate) fn define_mask(&mut self) -> Truth {
        Truth(self.take(Some(self.at), true))
    }

    pub(crate) fn moment_mask(&mut self) -> Truth {
        Truth(self.take(None, true))
    }

    /// `a op b`.
    pub(crate) fn logic(&mut self, op: Logic, out: Truth, a: Truth, b: Truth) {
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

    /// Not `a`. The register of `a` may have been given back, unless it is `out`.
    pub(crate) fn invert(&mut self, out: Truth, a: Truth) {
        match self.level() {
            Level::Avx512 => self.asm.mask_op(&f::KNOTQ, out.k(), a.k(), a.k()),
            Level::Avx2 => {
                let ones = if out == a { self.moment() } else { out.v() };
                self.asm.vex(&f::VPCMPEQD_VEX, Width::W256, ones, ones, Rm::Reg(ones), None);
                self.asm.vex(&f::VPXOR, Width::W256, out.v(), a.v(), Rm::Reg(ones), None);
            }
        }
    }

    /// Another register with the same.
    pub(crate) fn copy_mask(&mut self, out: Truth, a: Truth) {
        match self.level() {
            Level::Avx512 => self.asm.mask_op(&f::KMOVQ, out.k(), a.k(), a.k()),
            Level::Avx2 => self.asm.vex(&f::VMOVUPS, Width::W256, out.v(), VReg(0), Rm::Reg(a.v()), None),
        }
    }

    /// The comparison of numbers of a type that gives a mask.
    fn comparison(&self, dtype: DType) -> &'static Form {
        match dtype.kind() {
            Kind::Float => by_float(dtype, &f::VCMPPS, &f::VCMPPD),
            Kind::Unsigned => by_size(dtype, [&f::VPCMPUB, &f::VPCMPUW, &f::VPCMPUD, &f::VPCMPUQ]),
            Kind::Signed | Kind::Bool | Kind::Complex => {
                by_size(dtype, [&f::VPCMPB, &f::VPCMPW, &f::VPCMPD, &f::VPCMPQ])
            }
        }
    }

    /// Compares numbers of a type, by the immediate of `vcmp` or `vpcmp`. What it gives is as wide as these; `out` is neither.
    pub(crate) fn compare(&mut self, out: Truth, a: VReg, b: Rm, dtype: DType, predicate: u8) {
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

    /// Compares integers by what there is: equal, and greater of signed ones.
    fn compare_vectors(&mut self, out: VReg, a: VReg, b: Rm, dtype: DType, predicate: u8) {
        let width = self.width(dtype);
        let (mut x, mut y) = (a, b);
        let equals = matches!(predicate, EQUAL | NOT_EQUAL);
        if !equals && dtype.kind() == Kind::Unsigned {
            // With the first bit turned, unsigned numbers are in the order of signed ones.
            let (turned, other) = (self.moment(), self.moment());
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
            self.invert(Truth(out.0), Truth(out.0));
        }
    }

    /// The truth of numbers, as wide as these.
    pub(crate) fn truth(&mut self, out: Truth, a: VReg, dtype: DType) {
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

    /// Which numbers have the sign bit, as wide as these.
    pub(crate) fn signs(&mut self, out: Truth, a: VReg, dtype: DType) {
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

    /// Which floats are infinite, or neither that nor a nan; as wide as these. No flag is raised.
    pub(crate) fn class(&mut self, out: Truth, a: VReg, dtype: DType, finite: bool) {
        match self.level() {
            Level::Avx512 => {
                // Classes of numbers: infinities, and both kinds of nan.
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
                let size = self.moment();
                let magnitude = self.constant(Scalar::from_bits(integer, magnitude.into()));
                let infinite = Scalar::from_bits(integer, Scalar::new(dtype, f64::INFINITY).bits());
                let infinite = self.constant(infinite);
                self.asm.vex(&f::VPAND, self.width(dtype), size, a, magnitude, None);
                self.compare_vectors(out.v(), size, infinite, integer, if finite { BELOW } else { EQUAL });
            }
        }
    }

    /// `mask ? yes : no`, lane by lane; the mask is as wide as the numbers.
    pub(crate) fn blend(&mut self, out: VReg, mask: Truth, yes: Rm, no: VReg, dtype: DType) {
        let width = self.width(dtype);
        match self.level() {
            Level::Avx512 => {
                let form = by_size(dtype, [&f::VPBLENDMB, &f::VPBLENDMW, &f::VPBLENDMD, &f::VPBLENDMQ]);
                self.asm.vector(form, width, out, no, yes, Masking { k: mask.k(), zero: false }, None);
            }
            Level::Avx2 => self.asm.vex_blend(&f::VPBLENDVB, width, out, no, yes, mask.v()),
        }
    }

    /// `mask ? yes : no` of truth values.
    pub(crate) fn blend_masks(&mut self, out: Truth, mask: Truth, yes: Truth, no: Truth) {
        match self.level() {
            Level::Avx512 => {
                let left = self.moment_mask();
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
    pub(crate) fn ones(&mut self, out: VReg, mask: Truth, dtype: DType) {
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

    /// Bytes of a lane of a bool at AVX2.
    fn lane(&self) -> usize {
        self.level().vector() / self.lanes()
    }

    /// Makes what is as wide as numbers of a type a bool.
    pub(crate) fn settle(&mut self, out: Truth, dtype: DType) {
        if self.level() == Level::Avx512 || dtype.size() == self.lane() {
            return;
        }
        let form = match (dtype.size(), self.lane()) {
            (1, 2) => &f::VPMOVSXBW,
            (1, 4) => &f::VPMOVSXBD,
            (1, _) => &f::VPMOVSXBQ,
            (2, 4) => &f::VPMOVSXWD,
            (2, _) => &f::VPMOVSXWQ,
            _ => &f::VPMOVSXDQ,
        };
        self.asm.vex(form, Width::W256, out.v(), VReg(0), Rm::Reg(out.v()), None);
    }

    /// A bool as wide as numbers of a type.
    pub(crate) fn mask_of(&mut self, value: ValueId, dtype: DType) -> Truth {
        let mask = self.mask(value);
        if self.level() == Level::Avx512 || dtype.size() == self.lane() {
            return mask;
        }
        let out = self.moment();
        self.narrow_mask(out, mask.v(), dtype.size());
        Truth(out.0)
    }

    /// A bool with lanes of so many bytes, fewer than it has.
    fn narrow_mask(&mut self, out: VReg, mask: VReg, size: usize) {
        let pack = |lane: usize| if lane == 2 { &f::VPACKSSWB } else { &f::VPACKSSDW };
        let mut lane = self.lane();
        self.asm.vex_part(&f::VEXTRACTI128, Width::W256, out, mask, Some(1));
        self.asm.vex(pack(lane), Width::W128, out, mask, Rm::Reg(out), None);
        lane /= 2;
        while lane > size {
            self.asm.vex(pack(lane), Width::W128, out, out, Rm::Reg(out), None);
            lane /= 2;
        }
    }

    // --- bools in memory ---------------------------------------------------------------------------------------------

    /// The bools of all lanes, in memory one after the other.
    pub(crate) fn load_bools(&mut self, out: Truth, from: Mem) {
        let bytes = self.moment();
        if self.level() == Level::Avx512 {
            let (width, mask) = (self.width(DType::Bool), self.masking(DType::Bool));
            self.asm.vector(&f::VMOVDQU8, width, bytes, VReg(0), Rm::Mem(from), mask, None);
            return self.bools_of(out, bytes);
        }
        match self.widened() {
            Some(form) => {
                self.asm.vex(form, Width::W256, bytes, VReg(0), Rm::Mem(from), None);
                self.truth_of_widened(out, bytes);
            }
            None => {
                self.asm.vex(&f::VMOVUPS, Width::W256, bytes, VReg(0), Rm::Mem(from), None);
                self.bools_of(out, bytes);
            }
        }
    }

    /// Bools of the bytes at the beginning of a vector, one a lane.
    pub(crate) fn bools_of(&mut self, out: Truth, bytes: VReg) {
        match (self.level(), self.widened()) {
            (Level::Avx512, _) => {
                let width = self.width(DType::Bool);
                self.asm.compare(&f::VPTESTMB, width, out.k(), bytes, Rm::Reg(bytes), KReg(0), None);
            }
            (Level::Avx2, Some(form)) => {
                self.asm.vex(form, Width::W256, bytes, VReg(0), Rm::Reg(bytes), None);
                self.truth_of_widened(out, bytes);
            }
            (Level::Avx2, None) => self.truth(out, bytes, DType::U8),
        }
    }

    /// The instruction that makes bytes as wide as bools, where these are wider.
    fn widened(&self) -> Option<&'static Form> {
        match self.lane() {
            2 => Some(&f::VPMOVZXBW),
            4 => Some(&f::VPMOVZXBD),
            8 => Some(&f::VPMOVZXBQ),
            _ => None,
        }
    }

    fn truth_of_widened(&mut self, out: Truth, wide: VReg) {
        let greater = match self.lane() {
            2 => &f::VPCMPGTW_VEX,
            4 => &f::VPCMPGTD_VEX,
            _ => &f::VPCMPGTQ_VEX,
        };
        self.zero(out.v());
        self.asm.vex(greater, Width::W256, out.v(), wide, Rm::Reg(out.v()), None);
    }

    /// A bool in memory for all lanes.
    pub(crate) fn spread_bool(&mut self, out: Truth, from: Mem) {
        let (bytes, width) = (self.moment(), self.whole());
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

    /// Bytes of zero and one at the beginning of a vector.
    pub(crate) fn bytes_of(&mut self, mask: Truth) -> VReg {
        let (bytes, width) = (self.moment(), self.width(DType::Bool));
        match self.level() {
            Level::Avx512 => self.asm.mask_to_vector(&f::VPMOVM2B, width, bytes, mask.k()),
            Level::Avx2 if self.lane() == 1 => self.copy_mask(Truth(bytes.0), mask),
            Level::Avx2 => self.narrow_mask(bytes, mask.v(), 1),
        }
        self.emit(&f::VPABSB, width, bytes, VReg(0), Rm::Reg(bytes), Masking::NONE, None);
        bytes
    }

    // --- lanes left out ----------------------------------------------------------------------------------------------

    /// Begins with none.
    pub(crate) fn clear_odd(&mut self) {
        match self.level() {
            Level::Avx512 => self.asm.mask_op(&f::KXNORQ, FINE, FINE, FINE),
            Level::Avx2 => self.zero(ODD_VECTOR),
        }
    }

    /// Adds those of a mask, in which lanes beyond the row may be true.
    pub(crate) fn add_odd(&mut self, mask: Truth) {
        match self.level() {
            Level::Avx512 => {
                let mut odd = mask.k();
                if self.rest {
                    odd = self.moment_mask().k();
                    self.asm.mask_op(&f::KANDQ, odd, mask.k(), LANES);
                }
                self.asm.mask_op(&f::KANDNQ, FINE, odd, FINE);
            }
            // There are no others: see the tail.
            Level::Avx2 => self.asm.vex(&f::VPOR, Width::W256, ODD_VECTOR, ODD_VECTOR, Rm::Reg(mask.v()), None),
        }
    }

    /// Whether the value at hand says of a whole vector in which lanes an elementary function was not computed, and nothing else: then
    /// the opposite comparison may take them off the others, and so is the only instruction.
    pub(crate) fn only_finds_odd(&self) -> bool {
        self.level() == Level::Avx512
            && !self.rest
            && self.body.is_odd(self.at)
            && self.body.uses[self.at as usize].is_empty()
    }

    /// Asks a question about numbers, by the immediate of `vcmp` or `vpcmp`: the value at hand.
    pub(crate) fn ask(&mut self, a: VReg, b: Rm, dtype: DType, predicate: u8) {
        if self.only_finds_odd() {
            let form = self.comparison(dtype);
            self.asm.compare(form, self.width(dtype), FINE, a, b, FINE, Some(predicate ^ OPPOSITE));
            return;
        }
        let out = self.define_mask();
        self.compare(out, a, b, dtype, predicate);
        self.settle(out, dtype);
    }

    /// Leaves in the arguments whether there are any.
    pub(crate) fn store_odd(&mut self) {
        let to = at_arguments(self.arguments.odd);
        match self.level() {
            Level::Avx512 => {
                self.all_lanes();
                self.asm.mask_op(&f::KANDNQ, FINE, FINE, LANES);
                self.asm.mask_store(to, FINE);
            }
            Level::Avx2 => {
                self.asm.vex_signs(SPARE, ODD_VECTOR);
                self.asm.store_gpr(to, SPARE);
            }
        }
    }
}
