//! A map's body as the loop of one row: lanes, unrolling, the masked rest, and where operands and parameters are.
//!
//! Everything the loop reads besides operands comes in one block of memory, the *arguments*: addresses, strides, scalars,
//! constants, vectors of offsets, and room for values that leave their registers. Scalars and constants are broadcast from
//! there by the instructions that use them.
//!
//! A loop is made for one pattern of steps along the row (see [`Step`]), so it has no question about strides in it.

use super::body::Body;
use super::encode::{Assembler, Cond, Gpr, KReg, Mem};
use super::forms as f;
use super::select::Emitter;
use crate::{DType, Kernel, Scalar};
use smallvec::SmallVec;

/// How an operand goes along a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// One element after the other.
    Dense,
    /// Likewise, written past the caches.
    Streamed,
    /// The same element all along.
    Still,
    /// By any other step.
    Strided,
}

/// The steps of all operands.
pub(super) type Steps = SmallVec<[Step; 8]>;

/// The registers with the address of the arguments, the number of elements left, and the number of those done.
pub(super) const ARGUMENTS: Gpr = Gpr::RDI;
pub(super) const COUNT: Gpr = Gpr::RSI;
pub(super) const AT: Gpr = Gpr::RAX;
/// One for a moment.
pub(super) const SPARE: Gpr = Gpr::R11;
/// The mask that gathers the lanes in which an elementary function was not computed.
pub(super) const ODD: KReg = KReg(7);
/// The mask of the lanes at hand.
pub(super) const LANES: KReg = KReg(1);
/// Registers for the addresses of operands; those from [`KEPT_FROM`] on belong to the caller and are put back.
pub(super) const BASES: [Gpr; 10] =
    [Gpr::RCX, Gpr::RDX, Gpr::R8, Gpr::R9, Gpr::R10, Gpr::RBX, Gpr::RBP, Gpr::R12, Gpr::R13, Gpr::R14];
const KEPT_FROM: usize = 5;
/// Bytes of a vector.
pub(super) const VECTOR: usize = 64;

/// Where everything is in the arguments, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    operands: usize,
    scalars: usize,
    /// Axes, each with the coordinate of the row's first point.
    axes: usize,
    /// Constants, and where they are.
    pub(super) constants: Vec<(usize, Scalar)>,
    /// Tables, each as words and where it is; their words are among the constants.
    tables: Vec<(usize, Vec<u64>)>,
    /// All there is so far, a multiple of eight.
    pub(super) bytes: usize,
    /// Where the vectors of folds are left.
    pub(super) folded: usize,
    /// Where the loop leaves what is not zero if an elementary function was not computed somewhere.
    pub(super) odd: usize,
}

impl Arguments {
    pub(super) fn of(kernel: &Kernel) -> Arguments {
        let (operands, scalars) = (kernel.operands.len(), kernel.scalars.len());
        let axes = (kernel.outer + kernel.inner) as usize;
        let mut arguments =
            Arguments { operands, scalars, axes, constants: vec![], tables: vec![], bytes: 0, folded: 0, odd: 0 };
        arguments.bytes = arguments.offsets(Some(operands));
        arguments.odd = arguments.room(8);
        arguments
    }
    pub(super) fn address(&self, operand: usize) -> usize {
        8 * operand
    }
    /// The bytes by which an operand goes on in one round of lanes.
    pub(super) fn round(&self, operand: usize) -> usize {
        8 * (self.operands + operand)
    }
    pub(super) fn scalar(&self, scalar: usize) -> usize {
        8 * (2 * self.operands + scalar)
    }
    pub(super) fn axis(&self, axis: usize) -> usize {
        self.scalar(self.scalars) + 8 * axis
    }
    /// The vector of an operand's offsets, lane by lane; the lanes' own numbers come first.
    pub(super) fn offsets(&self, operand: Option<usize>) -> usize {
        self.axis(self.axes).next_multiple_of(VECTOR) + operand.map_or(0, |o| VECTOR * (o + 1))
    }
    /// The place of a constant.
    pub(super) fn constant(&mut self, value: Scalar) -> usize {
        let same = |known: &Scalar| known.dtype() == value.dtype() && known.bits() == value.bits();
        if let Some((at, _)) = self.constants.iter().find(|(_, known)| same(known)) {
            return *at;
        }
        let at = self.room(8);
        self.constants.push((at, value));
        at
    }
    /// The place of a table, a whole number of vectors.
    pub(super) fn table(&mut self, words: &[u64]) -> usize {
        if let Some((at, _)) = self.tables.iter().find(|(_, known)| known == words) {
            return *at;
        }
        let at = self.room(8 * words.len());
        self.constants
            .extend((0..).zip(words).map(|(i, &word)| (at + 8 * i, Scalar::from_bits(DType::U64, word.into()))));
        self.tables.push((at, words.to_vec()));
        at
    }
    /// New room.
    pub(super) fn room(&mut self, bytes: usize) -> usize {
        let at = self.bytes.next_multiple_of(bytes);
        self.bytes = at + bytes;
        at
    }
}

/// An instruction of a fragment for which there is none here.
pub(super) struct Unsupported {
    pub(super) at: usize,
    pub(super) what: String,
}

/// A row's loop as bytes, with what launching it takes.
pub(super) struct Lowered {
    pub(super) code: Vec<u8>,
    pub(super) arguments: Arguments,
}

impl Body<'_> {
    /// The loop for a pattern of steps.
    ///
    /// # Errors
    /// What of it has no instructions here.
    pub(super) fn lower(&self, steps: &Steps) -> Result<Lowered, Unsupported> {
        let operands = self.kernel.operands.len();
        if operands > BASES.len() {
            return Err(Unsupported { at: 0, what: format!("{operands} operands") });
        }
        let strided = steps.contains(&Step::Strided);
        if strided && self.lanes > 16 {
            return Err(Unsupported { at: 0, what: "elements of one or two bytes apart from each other".into() });
        }
        let mut e = Emitter::new(self, steps, Arguments::of(self.kernel));
        self.enter(&mut e, operands);
        let unroll = if strided { 1 } else { self.unroll() };
        let (one, rest, done) = (e.asm.label(), e.asm.label(), e.asm.label());
        if unroll > 1 {
            let many = (unroll * self.lanes) as i32;
            e.asm.cmp_imm(COUNT, many);
            e.asm.jump_if(Cond::Below, one);
            let again = e.asm.label();
            e.asm.bind(again);
            for copy in 0..unroll {
                e.body(copy, false)?;
            }
            e.asm.add_imm(AT, many);
            e.asm.sub_imm(COUNT, many);
            e.asm.cmp_imm(COUNT, many);
            e.asm.jump_if(Cond::AboveEqual, again);
        }
        e.asm.bind(one);
        e.asm.cmp_imm(COUNT, self.lanes as i32);
        e.asm.jump_if(Cond::Below, rest);
        let again = e.asm.label();
        e.asm.bind(again);
        e.body(0, false)?;
        self.step(&mut e, steps);
        e.asm.cmp_imm(COUNT, self.lanes as i32);
        e.asm.jump_if(Cond::AboveEqual, again);
        e.asm.bind(rest);
        e.asm.test(COUNT, COUNT);
        e.asm.jump_if(Cond::Equal, done);
        self.some_lanes(&mut e.asm);
        e.body(0, true)?;
        e.asm.bind(done);
        self.leave(&mut e, operands);
        if steps.contains(&Step::Streamed) {
            e.asm.sfence();
        }
        e.asm.vzeroupper();
        e.asm.ret();
        Ok(Lowered { code: e.asm.finish(), arguments: e.arguments })
    }

    /// Begins a loop: keeps the caller's registers, loads the addresses of so many operands, and has all lanes.
    pub(super) fn enter(&self, e: &mut Emitter<'_>, operands: usize) {
        BASES.iter().take(operands).skip(KEPT_FROM).for_each(|&register| e.asm.push(register));
        if self.leaves_out() {
            e.asm.mask_op(&f::KXORQ, ODD, ODD, ODD);
        }
        for (operand, &base) in BASES[..operands].iter().enumerate() {
            let at = e.arguments.address(operand);
            e.asm.load(base, at_arguments(at));
        }
        e.asm.xor(AT, AT);
        self.all_lanes(&mut e.asm);
    }

    /// Ends a loop: says whether something was left out, and puts the caller's registers back.
    pub(super) fn leave(&self, e: &mut Emitter<'_>, operands: usize) {
        if self.leaves_out() {
            let at = e.arguments.odd;
            e.asm.mask_store(at_arguments(at), ODD);
        }
        BASES[..operands].iter().skip(KEPT_FROM).rev().for_each(|&register| e.asm.pop(register));
    }

    /// Copies of the body in one round: enough that short ones hide their latency.
    fn unroll(&self) -> usize {
        match self.length() {
            0..=8 => 4,
            9..=24 => 2,
            _ => 1,
        }
    }

    /// Sets the mask of the lanes to all.
    fn all_lanes(&self, asm: &mut Assembler) {
        let ones = if self.lanes == 64 { -1 } else { (1i64 << self.lanes) - 1 };
        asm.mov_imm(SPARE, ones);
        asm.mask_from(LANES, SPARE);
    }

    /// Sets the mask of the lanes to as many as elements are left.
    pub(super) fn some_lanes(&self, asm: &mut Assembler) {
        asm.mov_imm(SPARE, -1);
        asm.bzhi(SPARE, SPARE, COUNT);
        asm.mask_from(LANES, SPARE);
    }

    /// Goes on by one round of lanes.
    fn step(&self, e: &mut Emitter<'_>, steps: &Steps) {
        for (operand, step) in steps.iter().enumerate() {
            if *step == Step::Strided {
                let round = e.arguments.round(operand);
                e.asm.add_mem(BASES[operand], at_arguments(round));
            }
        }
        e.asm.add_imm(AT, self.lanes as i32);
        e.asm.sub_imm(COUNT, self.lanes as i32);
    }
}

/// Memory of the arguments.
pub(super) fn at_arguments(bytes: usize) -> Mem {
    Mem { base: ARGUMENTS, index: None, disp: bytes as i32 }
}
