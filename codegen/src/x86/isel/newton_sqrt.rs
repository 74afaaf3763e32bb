//! Square roots by Newton's method, in loops that are limited by the divider.
//!
//! The divider of most processors takes 24 cycles for the roots of eight doubles and 12 for sixteen singles. Meanwhile they could execute 48
//! or 24 other vector instructions. So a loop with few other instructions refines the processor's inverse square root, good to
//! 14 bits, by Newton's method. The result is the correctly rounded root, as of `vsqrtpd`:
//!
//! With y = (1 + e) / sqrt x, g = x y and h = y / 2 Newton's step g + (x - g^2) h is sqrt x (1 - 1.5 e^2), and that of a g and an h
//! after such a step (doubles) is sqrt x (1 - 1.5 e^2) with their e, below 2^-27.4. So with |e| < 2^-14 the last sum is less than
//! half an ulp from the root before it is rounded. It is rounded down to r, so the correctly rounded root is r or the next number. It is
//! the next number if the root is beyond the middle between them, that is if r (r + ulp) < x: the difference to the square of the middle
//! is below an ulp of x.
//!
//! Zen 4's divider takes 16 and 10 cycles. There a root of doubles takes 11.9 cycles this way. One of singles takes 8.7, but twenty, each
//! followed by a product, 207 instead of 200, and with other instructions the ports are the limit: the price of an option takes 94 and 67
//! cycles a vector by the divider, of doubles and of singles, instead of 104 and 75, a hypotenuse of singles 16 instead of 18.
//!
//! Zen 5's divider takes 7.5 and 4.5 cycles. There a root of doubles takes 6.3 cycles this way, and chains of singles, hypotenuses of singles
//! and an option's price 1.4, 1.8 and 1.15 times as long as with the divider.
//!
//! Zero takes the same path with an inverse root of zero. Where any lane is negative, NaN, infinite, or so small that
//! a difference of squares could be rounded, all lanes take the slow path, the divider.

use crate::x86::asm::encode::{Assembler, Cond, KReg, Masking, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::body::Body;
use crate::x86::isel::bools::AT_LEAST;
use crate::x86::isel::select::Emitter;
use crate::x86::predict::timing::Divider;
use crate::{DType, Inst, Op, Scalar, ValueId};

/// The instructions for a type.
struct SqrtForms {
    root: &'static Form,
    inverse: &'static Form,
    product: &'static Form,
    /// `d = b - a d`, `d = d - a b`, `d = a d + b`, `d = d + a b`, `d = a d - b`.
    less_product: &'static Form,
    less_product_of_others: &'static Form,
    sum: &'static Form,
    sum_of_others: &'static Form,
    difference: &'static Form,
    /// Instructions on integers of the same size.
    add: &'static Form,
    subtract: &'static Form,
    right: &'static Form,
    compare: &'static Form,
    test: &'static Form,
    sign: u8,
}

const SINGLE_SQRT: SqrtForms = SqrtForms {
    root: &f::VSQRTPS,
    inverse: &f::VRSQRT14PS,
    product: &f::VMULPS,
    less_product: &f::VFNMADD213PS,
    less_product_of_others: &f::VFNMADD231PS,
    sum: &f::VFMADD213PS,
    sum_of_others: &f::VFMADD231PS,
    difference: &f::VFMSUB213PS,
    add: &f::VPADDD,
    subtract: &f::VPSUBD,
    right: &f::VPSRLD_IMM,
    compare: &f::VPCMPUD,
    test: &f::VPTESTMD,
    sign: 31,
};

const DOUBLE_SQRT: SqrtForms = SqrtForms {
    root: &f::VSQRTPD,
    inverse: &f::VRSQRT14PD,
    product: &f::VMULPD,
    less_product: &f::VFNMADD213PD,
    less_product_of_others: &f::VFNMADD231PD,
    sum: &f::VFMADD213PD,
    sum_of_others: &f::VFMADD231PD,
    difference: &f::VFMSUB213PD,
    add: &f::VPADDQ,
    subtract: &f::VPSUBQ,
    right: &f::VPSRLQ_IMM,
    compare: &f::VPCMPUQ,
    test: &f::VPTESTMQ,
    sign: 63,
};

/// The constants of the method.
struct Constants {
    half: Rm,
    /// The least number of the fast path, and the distance from it to infinity, as integers.
    least: Rm,
    span: Rm,
    /// The distance from a number to the next one, as an integer.
    next: Rm,
}

impl Body<'_> {
    /// Cost model: which roots are computed by Newton's method, by instruction; empty where none is. As many are, spread over the body, as
    /// leave the divider and the other ports busy for the same time.
    pub(crate) fn choose_newton_roots(&self) -> Vec<bool> {
        if self.level != Level::Avx512 {
            return vec![];
        }
        let Divider { division, root } = self.processor.divider;
        let (mut divisions, mut others) = (0.0, 0.0);
        let mut roots: Vec<(usize, f64, f64)> = vec![];
        for (at, inst) in self.fragment.insts.iter().enumerate().filter(|(at, _)| self.is_live(*at)) {
            let double = self.fragment.types[at] == DType::F64;
            match inst {
                Inst::Apply(Op::Sqrt, _) => roots.push((at, root[double as usize], if double { 20.0 } else { 16.0 })),
                Inst::Apply(Op::Divide | Op::Reciprocal, _) => divisions += division[double as usize],
                Inst::Load(_) | Inst::Store(..) | Inst::Const(_) | Inst::Param(_) | Inst::Bits(..) => {}
                _ => others += 1.0,
            }
        }
        let is_newton = |number: usize, count: usize| (number + 1) * count / roots.len() > number * count / roots.len();
        let cycles = |count: usize| {
            let (mut divider, mut instructions) = (divisions, others);
            for (number, &(_, cycles, steps)) in roots.iter().enumerate() {
                if is_newton(number, count) {
                    instructions += steps;
                } else {
                    divider += cycles;
                }
            }
            f64::max(divider, instructions / self.processor.vectors_per_cycle)
        };
        let count = (0..=roots.len()).min_by(|&a, &b| cycles(a).total_cmp(&cycles(b))).unwrap_or(0);
        if count == 0 {
            return vec![];
        }
        let mut newton = vec![false; self.fragment.insts.len()];
        for (number, &(at, ..)) in roots.iter().enumerate() {
            newton[at] = is_newton(number, count);
        }
        newton
    }
}

impl Emitter<'_> {
    /// Defines the current value: the square root of a number.
    pub(crate) fn sqrt(&mut self, a: ValueId, dtype: DType) {
        let forms = if dtype == DType::F64 { &DOUBLE_SQRT } else { &SINGLE_SQRT };
        let whole = self.level() == Level::Avx512 && self.width(dtype) == Width::W512;
        if !whole || !self.body.is_by_newton(self.current as usize) {
            return self.unary(forms.root, a, dtype, None);
        }
        // The tail uses the divider, but allocates the registers and constants of the loop (see `const_registers`).
        let (x, temps) = (self.vector(a), std::array::from_fn(|_| self.temp()));
        let (nonzero, slow) = (self.temp_mask().k(), self.temp_mask().k());
        let constants = self.sqrt_constants(dtype);
        let out = self.define_vector();
        let by_divider = |e: &mut Self, mask| {
            e.asm.vector(forms.root, Width::W512, out, VReg(0), Rm::Reg(x), mask, None);
        };
        if self.is_tail {
            by_divider(self, self.masking(dtype));
        } else {
            let (newton, done) = (self.asm.label(), self.asm.label());
            self.asm.compare(forms.test, Width::W512, nonzero, x, Rm::Reg(x), KReg(0), None);
            self.asm.vector(forms.subtract, Width::W512, out, x, constants.least, Masking::NONE, None);
            self.asm.compare(forms.compare, Width::W512, slow, out, constants.span, nonzero, Some(AT_LEAST));
            self.asm.mask_test(&f::KORTESTW, slow, slow);
            self.asm.jump_if(Cond::Equal, newton);
            by_divider(self, Masking::NONE);
            self.asm.jmp(done);
            self.asm.bind(newton);
            self.newton_steps(forms, (out, x, nonzero), temps, &constants);
            self.asm.bind(done);
        }
        self.free_dead(&[a]);
    }

    fn sqrt_constants(&mut self, dtype: DType) -> Constants {
        let word = if dtype == DType::F64 { DType::U64 } else { DType::U32 };
        let least = Scalar::new(dtype, if dtype == DType::F64 { 1e-240 } else { 1e-20 }).bits();
        let infinity = Scalar::new(dtype, f64::INFINITY).bits();
        Constants {
            half: self.constant(Scalar::new(dtype, 0.5)),
            least: self.constant(Scalar::from_bits(word, least)),
            span: self.constant(Scalar::from_bits(word, infinity - least)),
            next: self.constant(Scalar::from_bits(word, 1)),
        }
    }

    /// The root in the lanes of a mask, zero elsewhere.
    fn newton_steps(
        &mut self,
        forms: &SqrtForms,
        (out, x, nonzero): (VReg, VReg, KReg),
        [g, h, d]: [VReg; 3],
        constants: &Constants,
    ) {
        let (asm, reg, none) = (&mut self.asm, Rm::Reg, VReg(0));
        let emit = |asm: &mut Assembler, form, to, a, b| asm.vector(form, Width::W512, to, a, b, Masking::NONE, None);
        asm.vector(forms.inverse, Width::W512, h, none, reg(x), Masking::zero(nonzero), None);
        emit(asm, forms.product, g, x, reg(h));
        emit(asm, forms.product, h, h, constants.half);
        if forms.sign == 63 {
            emit(asm, &f::VMOVUPS, d, none, reg(g));
            emit(asm, forms.less_product, d, h, constants.half);
            emit(asm, forms.sum, g, d, reg(g));
            emit(asm, forms.sum, h, d, reg(h));
        }
        emit(asm, &f::VMOVUPS, d, none, reg(x));
        emit(asm, forms.less_product_of_others, d, g, reg(g));
        asm.rounded_down(forms.sum_of_others, g, d, h);
        emit(asm, forms.add, d, g, constants.next);
        emit(asm, forms.difference, d, g, reg(x));
        asm.vector(forms.right, Width::W512, d, none, reg(d), Masking::NONE, Some(forms.sign));
        emit(asm, forms.add, out, g, reg(d));
    }
}
