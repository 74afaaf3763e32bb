//! AVX2 emulation: one AVX-512 instruction on vectors as the same instruction with a VEX prefix, or as a few others.
//!
//! An instruction with neither is recorded as missing; then another backend runs the kernel.

use crate::x86::asm::encode::{Masking, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::{Form, Operands, VEX};
use crate::x86::asm::level::Level;
use crate::x86::isel::conventions::SCRATCH;
use crate::x86::isel::select::Emitter;
use crate::{DType, Scalar};

/// The bits of 2^52 and 2^84, doubles whose ulps are 1 and 2^32.
const ONES: u64 = 0x4330_0000_0000_0000;
const HIGH: u64 = 0x4530_0000_0000_0000;

/// The bits by which an integer of eight bytes is longer than a double's mantissa.
const LOST_BITS: u8 = 11;

/// The form of an instruction with a VEX prefix, if there is one.
fn vex_form(form: &'static Form) -> Option<&'static Form> {
    match form.name {
        "VPANDD" | "VPANDQ" => Some(&f::VPAND),
        "VPORD" | "VPORQ" => Some(&f::VPOR),
        "VPXORD" | "VPXORQ" => Some(&f::VPXOR),
        "VRNDSCALEPS" => Some(&f::VROUNDPS),
        "VRNDSCALEPD" => Some(&f::VROUNDPD),
        _ if form.is(VEX) => Some(form),
        _ => None,
    }
}

fn double(bits: u64) -> Scalar {
    Scalar::from_bits(DType::F64, bits.into())
}

/// Whether a form is a single instruction at a level.
pub(crate) fn is_single(level: Level, form: &'static Form) -> bool {
    level == Level::Avx512 || vex_form(form).is_some()
}

impl Emitter<'_> {
    /// Whether a form is a single instruction: then its result may take the register of an operand.
    pub(crate) fn is_single(&self, form: &'static Form) -> bool {
        is_single(self.level(), form)
    }

    /// An instruction with a vector as destination.
    #[expect(clippy::too_many_arguments, reason = "an instruction has as many operands")]
    pub(crate) fn emit(
        &mut self,
        form: &'static Form,
        width: Width,
        out: VReg,
        a: VReg,
        b: Rm,
        mask: Masking,
        imm: Option<u8>,
    ) {
        if self.level() == Level::Avx512 {
            return self.asm.vector(form, width, out, a, b, mask, imm);
        }
        match (vex_form(form), b) {
            (Some(form), Rm::Reg(b)) if form.operands == Operands::Mr => self.asm.vex_part(form, width, out, b, imm),
            (Some(form), _) => self.asm.vex(form, width, out, a, b, imm),
            (None, _) => self.emulate(form, width, out, a, b),
        }
    }

    /// Emulates an instruction by a few others; `out` may be an operand.
    fn emulate(&mut self, form: &'static Form, width: Width, out: VReg, a: VReg, b: Rm) {
        match form.name {
            "VPMULLQ" => self.multiply(width, out, a, b),
            "VPMAXSQ" => self.extreme_quadwords(true, (out, a, b), DType::I64),
            "VPMAXUQ" => self.extreme_quadwords(true, (out, a, b), DType::U64),
            "VPMINSQ" => self.extreme_quadwords(false, (out, a, b), DType::I64),
            "VPMINUQ" => self.extreme_quadwords(false, (out, a, b), DType::U64),
            "VPABSQ" => {
                let x = self.in_register(b, width);
                let (sign, flipped) = (self.negative(x, width), self.temp());
                self.asm.vex(&f::VPXOR, width, flipped, x, Rm::Reg(sign), None);
                self.asm.vex(&f::VPSUBQ, width, out, flipped, Rm::Reg(sign), None);
            }
            "VPSRAVQ" => {
                // A negative number is inverted before and after a logical shift.
                let (sign, flipped) = (self.negative(a, width), self.temp());
                self.asm.vex(&f::VPXOR, width, flipped, a, Rm::Reg(sign), None);
                self.asm.vex(&f::VPSRLVQ, width, flipped, flipped, b, None);
                self.asm.vex(&f::VPXOR, width, out, flipped, Rm::Reg(sign), None);
            }
            "VPMOVQD" => self.narrow(out, b, 8, 4),
            "VPMOVQW" => self.narrow(out, b, 8, 2),
            "VPMOVQB" => self.narrow(out, b, 8, 1),
            "VPMOVDW" => self.narrow(out, b, 4, 2),
            "VPMOVDB" => self.narrow(out, b, 4, 1),
            "VPMOVWB" => self.narrow(out, b, 2, 1),
            "VCVTQQ2PD" => self.quadwords_as_doubles(out, b, HIGH | 1 << 31),
            "VCVTUQQ2PD" => self.quadwords_as_doubles(out, b, HIGH),
            "VCVTQQ2PS" => self.quadwords_as_singles(out, b, true),
            "VCVTUQQ2PS" => self.quadwords_as_singles(out, b, false),
            "VCVTUDQ2PD" => self.unsigned_as_doubles(out, b),
            "VCVTUDQ2PS" => self.unsigned_as_singles(width, out, b),
            "VCVTTPD2QQ" => self.floats_as_quadwords(out, b, true),
            "VCVTTPS2QQ" => self.floats_as_quadwords(out, b, false),
            name => self.missing = Some(name),
        }
    }

    /// The bits of `y` where a constant has ones, else of `x`, in a temporary.
    pub(crate) fn choose_bits(&mut self, ones: Rm, x: VReg, y: VReg, width: Width) -> VReg {
        let (out, chosen) = (self.temp(), self.temp());
        self.copy(out, ones);
        self.asm.vex(&f::VPAND, width, chosen, out, Rm::Reg(y), None);
        self.asm.vex(&f::VPANDN, width, out, out, Rm::Reg(x), None);
        self.asm.vex(&f::VPOR, width, out, out, Rm::Reg(chosen), None);
        out
    }

    /// An operand in a register.
    pub(crate) fn in_register(&mut self, x: Rm, width: Width) -> VReg {
        match x {
            Rm::Reg(x) => x,
            Rm::Mem(_) | Rm::Broadcast(_) => {
                let register = self.temp();
                self.asm.vex(&f::VMOVUPS, width, register, VReg(0), x, None);
                register
            }
        }
    }

    /// Ones in the lanes where a number of eight bytes is negative.
    fn negative(&mut self, x: VReg, width: Width) -> VReg {
        let sign = self.temp();
        self.zero(sign);
        self.asm.vex(&f::VPCMPGTQ_VEX, width, sign, sign, Rm::Reg(x), None);
        sign
    }

    /// Products of eight bytes: the product of the lower halves, and the cross products added to its upper half.
    fn multiply(&mut self, width: Width, out: VReg, a: VReg, b: Rm) {
        let (crossed, low) = (self.temp(), self.temp());
        self.asm.vex(&f::VPSHUFD, width, crossed, VReg(0), b, Some(0b10_11_00_01));
        self.asm.vex(&f::VPMULLD, width, crossed, crossed, Rm::Reg(a), None);
        self.asm.vex(&f::VPSRLQ_IMM, width, low, VReg(0), Rm::Reg(crossed), Some(32));
        self.asm.vex(&f::VPADDD, width, crossed, crossed, Rm::Reg(low), None);
        self.asm.vex(&f::VPSLLQ_IMM, width, crossed, VReg(0), Rm::Reg(crossed), Some(32));
        self.asm.vex(&f::VPMULUDQ, width, low, a, b, None);
        self.asm.vex(&f::VPADDQ, width, out, low, Rm::Reg(crossed), None);
    }

    /// The larger of integers of eight bytes, or the smaller.
    fn extreme_quadwords(&mut self, larger: bool, (out, a, b): (VReg, VReg, Rm), dtype: DType) {
        let (greater, b) = (self.temp_mask(), self.in_register(b, self.width(dtype)));
        self.compare(greater, a, Rm::Reg(b), dtype, INTEGER_GREATER);
        let (yes, no) = if larger { (a, b) } else { (b, a) };
        self.blend(out, greater, Rm::Reg(yes), no, dtype);
    }

    /// Truncates integers from so many bytes to so many.
    fn narrow(&mut self, out: VReg, x: Rm, from: usize, to: usize) {
        let mut at = self.in_register(x, Width::W256);
        let (mut size, half) = (from, self.temp());
        if size == 8 {
            self.asm.vex_part(&f::VEXTRACTI128, Width::W256, half, at, Some(1));
            self.asm.vex(&f::VSHUFPS, Width::W128, out, at, Rm::Reg(half), Some(0b10_00_10_00));
            (size, at) = (4, out);
        }
        if size > to {
            // Packing saturates, so the upper bits must be zero.
            let whole = if size == 4 { DType::U32 } else { DType::U16 };
            let kept = self.constant(Scalar::from_bits(whole, (1 << (8 * to)) - 1));
            self.asm.vex(&f::VPAND, self.width(whole), out, at, kept, None);
        }
        while size > to {
            let pack = if size == 4 { &f::VPACKUSDW } else { &f::VPACKUSWB };
            let mut upper = out;
            if self.lanes() * size == 32 {
                self.asm.vex_part(&f::VEXTRACTI128, Width::W256, half, out, Some(1));
                upper = half;
            }
            self.asm.vex(pack, Width::W128, out, out, Rm::Reg(upper), None);
            size /= 2;
        }
    }

    /// Converts integers of eight bytes to doubles. Both halves become the lowest bits of large doubles. The sum of the large powers of
    /// two is subtracted from the upper one, which is exact, and the sum of both is rounded once.
    fn quadwords_as_doubles(&mut self, out: VReg, x: Rm, high: u64) {
        let width = Width::W256;
        let x = self.in_register(x, width);
        let (lower, upper) = (self.temp(), self.temp());
        let (ones, units) = (self.constant(double(ONES)), self.constant(double(high)));
        let surplus = f64::from_bits(high) + f64::from_bits(ONES);
        let surplus = self.constant(Scalar::new(DType::F64, surplus));
        self.asm.vex(&f::VPBLENDD, width, lower, x, ones, Some(0b1010_1010));
        self.asm.vex(&f::VPSRLQ_IMM, width, upper, VReg(0), Rm::Reg(x), Some(32));
        self.asm.vex(&f::VPXOR, width, upper, upper, units, None);
        self.asm.vex(&f::VSUBPD, width, upper, upper, surplus, None);
        self.asm.vex(&f::VADDPD, width, out, upper, Rm::Reg(lower), None);
    }

    /// Converts integers of eight bytes to singles, through doubles. An integer that is no double is first made one: its lowest eleven
    /// bits become zeros, and the lowest bit of the others one if any of them was set. This keeps it on its side of all singles and of
    /// the points half-way between two, so that the second conversion alone rounds.
    fn quadwords_as_singles(&mut self, out: VReg, x: Rm, is_signed: bool) {
        let width = Width::W256;
        let x = self.in_register(x, width);
        let (lost, sticky) = (self.temp(), self.temp());
        let low = self.constant(Scalar::new(DType::I64, (1i64 << LOST_BITS) - 1));
        // The bits above those of a double's mantissa: none are set in an integer that is a double, nor, in a signed one, after the
        // sum that makes the integers that are doubles positive.
        let (mut large, mut shift) = (x, 64 - LOST_BITS);
        if is_signed {
            let bound = self.constant(Scalar::new(DType::I64, 1i64 << (64 - LOST_BITS)));
            self.asm.vex(&f::VPADDQ, width, lost, x, bound, None);
            (large, shift) = (lost, shift + 1);
        }
        self.asm.vex(&f::VPSRLQ_IMM, width, lost, VReg(0), Rm::Reg(large), Some(shift));
        self.zero(sticky);
        self.asm.vex(&f::VPCMPGTQ_VEX, width, lost, lost, Rm::Reg(sticky), None);
        self.asm.vex(&f::VPAND, width, lost, lost, low, None);
        self.asm.vex(&f::VPAND, width, sticky, x, Rm::Reg(lost), None);
        self.asm.vex(&f::VPADDQ, width, sticky, sticky, Rm::Reg(lost), None);
        self.asm.vex(&f::VPOR, width, sticky, sticky, Rm::Reg(x), None);
        self.asm.vex(&f::VPANDN, width, sticky, lost, Rm::Reg(sticky), None);
        self.quadwords_as_doubles(sticky, Rm::Reg(sticky), if is_signed { HIGH | 1 << 31 } else { HIGH });
        self.asm.vex(&f::VCVTPD2PS, width, out, VReg(0), Rm::Reg(sticky), None);
    }

    /// Converts unsigned integers of four bytes to doubles.
    fn unsigned_as_doubles(&mut self, out: VReg, x: Rm) {
        let wide = self.temp();
        let ones = self.constant(double(ONES));
        self.asm.vex(&f::VPMOVZXDQ, Width::W256, wide, VReg(0), x, None);
        self.asm.vex(&f::VPOR, Width::W256, wide, wide, ones, None);
        self.asm.vex(&f::VSUBPD, Width::W256, out, wide, ones, None);
    }

    /// Converts unsigned integers of four bytes to singles: both halves are exact, and their sum is rounded once.
    fn unsigned_as_singles(&mut self, width: Width, out: VReg, x: Rm) {
        let x = self.in_register(x, width);
        let (lower, upper) = (self.temp(), self.temp());
        let kept = self.constant(Scalar::from_bits(DType::U32, 0xFFFF));
        let unit = self.constant(Scalar::new(DType::F32, 65536.0));
        self.asm.vex(&f::VPAND, width, lower, x, kept, None);
        self.asm.vex(&f::VPSRLD_IMM, width, upper, VReg(0), Rm::Reg(x), Some(16));
        self.asm.vex(&f::VCVTDQ2PS, width, lower, VReg(0), Rm::Reg(lower), None);
        self.asm.vex(&f::VCVTDQ2PS, width, upper, VReg(0), Rm::Reg(upper), None);
        self.asm.vex(&f::VMULPS, width, upper, upper, unit, None);
        self.asm.vex(&f::VADDPS, width, out, upper, Rm::Reg(lower), None);
    }

    /// Converts floats to integers of eight bytes, one by one.
    fn floats_as_quadwords(&mut self, out: VReg, x: Rm, is_double: bool) {
        let x = self.in_register(x, if is_double { Width::W256 } else { Width::W128 });
        let (low, high, element) = (self.temp(), self.temp(), self.temp());
        if is_double {
            self.asm.vex_part(&f::VEXTRACTI128, Width::W256, high, x, Some(1));
        }
        for (half, pair) in [low, high].into_iter().enumerate() {
            // The half with the pair of lanes, and the shuffles that bring its elements to the lowest lane.
            let (from, first, second) = match (is_double, half) {
                (true, 0) => (x, 0b11_10_01_00, 0b11_10_11_10),
                (true, _) => (high, 0b11_10_01_00, 0b11_10_11_10),
                (false, 0) => (x, 0, 1),
                (false, _) => (x, 2, 3),
            };
            self.asm.vex(&f::VPSHUFD, Width::W128, element, VReg(0), Rm::Reg(from), Some(second));
            self.asm.vex(&f::VPSHUFD, Width::W128, pair, VReg(0), Rm::Reg(from), Some(first));
            self.asm.vex_truncate(SCRATCH, pair, is_double);
            self.asm.vex_from_gpr(pair, SCRATCH);
            self.asm.vex_truncate(SCRATCH, element, is_double);
            self.asm.vex_from_gpr(element, SCRATCH);
            self.asm.vex(&f::VPUNPCKLQDQ, Width::W128, pair, pair, Rm::Reg(element), None);
        }
        self.asm.vex(&f::VINSERTI128, Width::W256, out, low, Rm::Reg(high), Some(1));
    }
}

/// A comparison of integers, as the immediate of `vpcmp`.
const INTEGER_GREATER: u8 = 6;
