//! A map's body as the loop of one row: lanes, unrolling, the rest that fills no vector, and where operands and parameters are.
//!
//! Everything the loop reads besides operands comes in one block of memory, the [`Arguments`]. Scalars and constants are
//! broadcast from there by the instructions that use them, where instructions do; elsewhere there are whole vectors of them.
//!
//! A loop is made for one pattern of steps along the row (see [`Step`]), so it has no question about strides in it.

use crate::x86::asm::encode::{Assembler, Cond, Gpr, KReg, Mem, VReg};
use crate::x86::asm::level::Level;
use crate::x86::isel::select::Emitter;
use crate::x86::loops::arguments::{Arguments, MOST_STRIDED};
use crate::x86::loops::body::Body;
use smallvec::SmallVec;

/// How an operand goes along a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// One element after the other.
    Dense,
    /// Likewise, written past the caches.
    Streamed,
    /// The same element all along.
    Still,
    /// Every other element: they are taken out of two vectors.
    Alternate,
    /// One element before the other.
    Backward,
    /// By any other step.
    Strided,
}

/// The steps of all operands.
pub(crate) type Steps = SmallVec<[Step; 8]>;

/// The registers with the address of the arguments, the number of elements left, and the number of those done.
pub(crate) const ARGUMENTS: Gpr = Gpr::RDI;
pub(crate) const COUNT: Gpr = Gpr::RSI;
pub(crate) const AT: Gpr = Gpr::RAX;
/// One for a moment.
pub(crate) const SPARE: Gpr = Gpr::R11;
/// The mask of the lanes in which all elementary functions were computed, or, where there are no masks, the vector of the others.
pub(crate) const FINE: KReg = KReg(7);
pub(crate) const ODD_VECTOR: VReg = VReg(15);
/// The mask of the lanes at hand.
pub(crate) const LANES: KReg = KReg(1);
/// Registers for the addresses of the first operands; those from [`KEPT_FROM`] on belong to the caller and are put back.
pub(crate) const BASES: [Gpr; 10] =
    [Gpr::RCX, Gpr::RDX, Gpr::R8, Gpr::R9, Gpr::R10, Gpr::RBX, Gpr::RBP, Gpr::R12, Gpr::R13, Gpr::R14];
const KEPT_FROM: usize = 5;
/// Operands that have one of their own whatever else the loop needs.
pub(crate) const NEAR: usize = BASES.len() - 1;
/// The register for the address of any other operand, which waits in the arguments until it is needed; it is the caller's, too.
const FAR: Gpr = Gpr::R15;
/// Bytes of the largest vector.
pub(crate) const VECTOR: usize = 64;

/// Bytes by which long bodies look ahead: `exp` of five million elements takes 2.4 ns each with AVX2 instead of 3.4, and 1.4
/// instead of 2.8 with AVX-512; half as far or twice as far is up to a fifth slower.
const AHEAD: i32 = 2048;

/// An instruction of a fragment for which there is none here.
pub(crate) struct Unsupported {
    pub(crate) at: usize,
    pub(crate) what: String,
}

/// A row's loop as bytes, with what launching it takes.
pub(crate) struct Lowered {
    pub(crate) code: Vec<u8>,
    pub(crate) arguments: Arguments,
}

impl Body<'_> {
    /// The loop for a pattern of steps.
    ///
    /// # Errors
    /// What of it has no instructions here.
    pub(crate) fn lower(&self, steps: &Steps) -> Result<Lowered, Unsupported> {
        let operands = self.kernel.operands.len();
        let strided = steps.contains(&Step::Strided);
        if strided && self.lanes > MOST_STRIDED {
            return Err(Unsupported { at: 0, what: "elements of one or two bytes apart from each other".into() });
        }
        let mut e = Emitter::new(self, steps, Arguments::of(self));
        e.reserve_along();
        self.enter(&mut e, operands);
        e.once()?;
        e.take_up_along();
        let unroll = if strided { 1 } else { self.unroll() };
        // Vectors with every other element end with one that need not be there, so the last element is left to the row's end.
        let more = steps.contains(&Step::Alternate) as i32;
        let (full, rest, done) = (e.asm.label(), e.asm.label(), e.asm.label());
        e.asm.cmp_imm(COUNT, self.lanes as i32 + more);
        e.asm.jump_if(Cond::AboveEqual, full);
        // The row's end comes first: it shows which constants are worth a register (see `held`).
        e.asm.bind(rest);
        e.asm.test(COUNT, COUNT);
        e.asm.jump_if(Cond::Equal, done);
        self.some_lanes(&mut e, operands);
        e.body(0, true)?;
        e.asm.bind(done);
        e.leave_along();
        self.leave(&mut e, operands);
        if steps.contains(&Step::Streamed) {
            e.asm.sfence();
        }
        e.asm.vzeroupper();
        e.asm.ret();
        e.asm.bind(full);
        e.hold();
        if unroll > 1 {
            let (one, many) = (e.asm.label(), (unroll * self.lanes) as i32 + more);
            e.asm.cmp_imm(COUNT, many);
            e.asm.jump_if(Cond::Below, one);
            let again = e.asm.label();
            e.asm.bind(again);
            for copy in 0..unroll {
                e.body(copy, false)?;
            }
            self.go_on(&mut e, unroll);
            e.asm.cmp_imm(COUNT, many);
            e.asm.jump_if(Cond::AboveEqual, again);
            e.asm.cmp_imm(COUNT, self.lanes as i32 + more);
            e.asm.jump_if(Cond::Below, rest);
            e.asm.bind(one);
        }
        let again = e.asm.label();
        e.asm.bind(again);
        e.body(0, false)?;
        if self.unroll() == 1 {
            self.look_ahead(&mut e, steps);
        }
        self.go_on(&mut e, 1);
        e.asm.cmp_imm(COUNT, self.lanes as i32 + more);
        e.asm.jump_if(Cond::AboveEqual, again);
        e.asm.jmp(rest);
        e.check(self.fragment.insts.len())?;
        Ok(Lowered { code: e.asm.finish(), arguments: e.arguments })
    }

    /// Begins a loop: keeps the caller's registers, loads the addresses of so many operands, and has all lanes.
    pub(crate) fn enter(&self, e: &mut Emitter<'_>, operands: usize) {
        e.callers(operands).iter().for_each(|&register| e.asm.push(register));
        if self.leaves_out() {
            e.clear_odd();
        }
        for operand in 0..operands {
            let at = e.arguments.address(operand);
            e.start_at(operand, at);
        }
        e.asm.xor(AT, AT);
        if self.level == Level::Avx512 {
            e.all_lanes();
        }
    }

    /// Ends a loop: says whether something was left out, and puts the caller's registers back.
    pub(crate) fn leave(&self, e: &mut Emitter<'_>, operands: usize) {
        if self.leaves_out() {
            e.store_odd();
        }
        e.callers(operands).iter().rev().for_each(|&register| e.asm.pop(register));
    }

    /// Copies of the body in one round: enough that short ones hide their latency.
    fn unroll(&self) -> usize {
        match self.length() {
            // What runs along takes so long that nothing else is waited for.
            _ if self.runs_along() => 1,
            0..=8 => 4,
            9..=24 => 2,
            _ => 1,
        }
    }

    /// Goes on at the row's end: sets the mask of the lanes to as many as elements are left, or so many operands to where the
    /// end was put.
    pub(crate) fn some_lanes(&self, e: &mut Emitter<'_>, operands: usize) {
        match self.level {
            Level::Avx512 => {
                e.asm.mov_imm(SPARE, -1);
                e.asm.bzhi(SPARE, SPARE, COUNT);
                e.asm.mask_from(LANES, SPARE);
            }
            Level::Avx2 => {
                for operand in 0..operands {
                    if matches!(e.steps[operand], Step::Dense | Step::Streamed) {
                        let at = e.arguments.tail_address(operand);
                        e.start_at(operand, at);
                    }
                }
            }
        }
    }

    /// Asks for what dense operands have further on, where the body is long: its loads of constants leave the processor little
    /// room to do so itself.
    fn look_ahead(&self, e: &mut Emitter<'_>, steps: &Steps) {
        for (operand, &step) in steps.iter().enumerate() {
            if step == Step::Dense && self.touches(operand) {
                let (dtype, base) = (self.kernel.operands[operand].dtype, e.base(operand));
                e.asm.prefetcht0(match dtype.is_complex() {
                    true => Mem::at(base, AHEAD),
                    false => Mem::indexed(base, AT, dtype.size() as u8, AHEAD),
                });
            }
        }
    }

    /// Goes on by some rounds of lanes, by one where operands are strided.
    pub(crate) fn go_on(&self, e: &mut Emitter<'_>, rounds: usize) {
        let steps = e.steps;
        for (operand, (step, decl)) in steps.iter().zip(&self.kernel.operands).enumerate() {
            let bytes = (rounds * self.lanes * decl.dtype.size()) as i32;
            match step {
                Step::Strided => {
                    let round = e.arguments.round(operand);
                    e.move_base(operand, |asm, base| asm.add_mem(base, at_arguments(round)));
                }
                // Indices reach elements of eight bytes at most.
                Step::Dense | Step::Streamed if decl.dtype.is_complex() => {
                    e.move_base(operand, |asm, base| asm.add_imm(base, bytes));
                }
                Step::Alternate => e.move_base(operand, |asm, base| asm.add_imm(base, 2 * bytes)),
                Step::Backward => e.move_base(operand, |asm, base| asm.sub_imm(base, bytes)),
                Step::Dense | Step::Streamed | Step::Still => {}
            }
        }
        let many = (rounds * self.lanes) as i32;
        e.asm.add_imm(AT, many);
        e.asm.sub_imm(COUNT, many);
    }
}

impl Emitter<'_> {
    /// How many operands, the first ones, have a register for their address.
    fn near(&self) -> usize {
        if self.folds.is_some() { NEAR } else { BASES.len() }
    }

    /// Whether an operand's address waits in the arguments.
    pub(crate) fn is_far(&self, operand: usize) -> bool {
        operand >= self.near()
    }

    /// The registers for the addresses of so many operands that belong to the caller.
    fn callers(&self, operands: usize) -> SmallVec<[Gpr; BASES.len()]> {
        let near = self.near().min(operands);
        BASES[..near].iter().skip(KEPT_FROM).copied().chain((operands > near).then_some(FAR)).collect()
    }

    /// A register with an operand's address: its own, or one that the next far operand takes.
    pub(crate) fn base(&mut self, operand: usize) -> Gpr {
        if !self.is_far(operand) {
            return BASES[operand];
        }
        let at = self.arguments.far(operand);
        self.asm.load(FAR, at_arguments(at));
        FAR
    }

    /// Puts the address that its register holds where a far operand's waits.
    fn keep_base(&mut self, operand: usize) {
        if self.is_far(operand) {
            let at = self.arguments.far(operand);
            self.asm.store_gpr(at_arguments(at), FAR);
        }
    }

    /// Has an operand begin at an address in the arguments.
    fn start_at(&mut self, operand: usize, at: usize) {
        let base = if self.is_far(operand) { FAR } else { BASES[operand] };
        self.asm.load(base, at_arguments(at));
        self.keep_base(operand);
    }

    /// Changes the address of an operand.
    fn move_base(&mut self, operand: usize, change: impl FnOnce(&mut Assembler, Gpr)) {
        let base = self.base(operand);
        change(&mut self.asm, base);
        self.keep_base(operand);
    }

    /// Sets the mask of the lanes to all.
    pub(crate) fn all_lanes(&mut self) {
        let ones = if self.lanes() == 64 { -1 } else { (1i64 << self.lanes()) - 1 };
        self.asm.mov_imm(SPARE, ones);
        self.asm.mask_from(LANES, SPARE);
    }
}

/// Memory of the arguments.
pub(crate) fn at_arguments(bytes: usize) -> Mem {
    Mem { base: ARGUMENTS, index: None, disp: bytes as i32 }
}
