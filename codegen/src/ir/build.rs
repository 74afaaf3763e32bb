//! The kernel builder: appends one instruction at a time.
//!
//! A [`KernelBuilder`] is used once for each new kernel, while a plan is made, so it is fast (some 20 ns an instruction): a hash
//! table of numbers and no strings. It does local value numbering (equal pure instructions become one value) and dead-code
//! elimination (instructions without users are dropped at the end), so callers may emit redundant instructions. It rewrites
//! arithmetic only for `float16`, which the IR does not compute with: operands are widened to `float32` and the result of every op
//! is rounded, as NumPy does.
//!
//! It checks only that ids are in range; [`verify`](crate::verify()) checks the kernel. Operands and scalars keep their numbers
//! in the order of declaration, used or not, because callers bind addresses and values by number.

use crate::{
    Access, Accumulator, DType, Fold, Fragment, Inst, Kernel, Loop, Op, OperandDecl, OperandId, Region, Scalar,
    ScalarId, Template, ValueId,
};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// A kernel being made.
///
/// ```
/// use fastnp_codegen::{Access, DType, Fold, KernelBuilder, Op, Template, verify};
///
/// // The length of every row: sqrt(sum(x * x)).
/// let mut kernel = KernelBuilder::new(Template::Reduce, 1, 1);
/// let rows = kernel.operand(DType::F64, Access::Read, true);
/// let lengths = kernel.operand(DType::F64, Access::Write, true);
/// let x = kernel.body().load(rows);
/// let squared = kernel.body().apply(Op::Multiply, &[x, x]);
/// let sum = kernel.accumulate(Fold::Op(Op::Add), squared);
/// let mut epilogue = kernel.epilogue();
/// let sum = epilogue.result(sum);
/// let length = epilogue.apply(Op::Sqrt, &[sum]);
/// epilogue.store(lengths, length);
/// assert!(verify(kernel.finish()).is_ok());
/// ```
#[derive(Debug)]
pub struct KernelBuilder {
    template: Template,
    outer: u8,
    inner: u8,
    operands: Vec<OperandDecl>,
    scalars: Vec<DType>,
    accumulators: Vec<Accumulator>,
    results: SmallVec<[ResultType; 4]>,
    body: Draft,
    epilogue: Draft,
}

/// One fragment of a kernel being made: a short-lived view of its [`KernelBuilder`].
#[derive(Debug)]
pub struct FragmentBuilder<'a> {
    draft: &'a mut Draft,
    operands: &'a [OperandDecl],
    scalars: &'a [DType],
    results: &'a [ResultType],
}

/// The type an accumulator computes in, and the type of its input. They differ for `float16`, which is folded as `float32`.
#[derive(Clone, Copy, PartialEq, Debug)]
struct ResultType {
    held: DType,
    wanted: DType,
}

impl KernelBuilder {
    /// An empty kernel with this many outer and inner axes.
    pub fn new(template: Template, outer: u8, inner: u8) -> KernelBuilder {
        KernelBuilder {
            template,
            outer,
            inner,
            operands: Vec::new(),
            scalars: Vec::new(),
            accumulators: Vec::new(),
            results: smallvec![],
            body: Draft::default(),
            epilogue: Draft::default(),
        }
    }

    /// Declares a memory operand. `restrict` promises that it overlaps no other.
    #[inline]
    pub fn operand(&mut self, dtype: DType, access: Access, restrict: bool) -> OperandId {
        self.operands.push(OperandDecl { dtype, access, restrict, nontemporal: false });
        OperandId((self.operands.len() - 1) as u16)
    }

    /// Declares a scalar parameter.
    #[inline]
    pub fn scalar(&mut self, dtype: DType) -> ScalarId {
        self.scalars.push(dtype);
        ScalarId((self.scalars.len() - 1) as u16)
    }

    /// The builder of the body, which runs at each point.
    #[inline]
    pub fn body(&mut self) -> FragmentBuilder<'_> {
        FragmentBuilder {
            draft: &mut self.body,
            operands: &self.operands,
            scalars: &self.scalars,
            results: &self.results,
        }
    }

    /// The builder of the epilogue, which runs where folded values are complete.
    #[inline]
    pub fn epilogue(&mut self) -> FragmentBuilder<'_> {
        FragmentBuilder {
            draft: &mut self.epilogue,
            operands: &self.operands,
            scalars: &self.scalars,
            results: &self.results,
        }
    }

    /// Folds a value of the body over the inner axes and gives the accumulator's number, for
    /// [`FragmentBuilder::result`]. The same fold of the same value is one accumulator. `float16` is folded as
    /// `float32`.
    pub fn accumulate(&mut self, fold: Fold, value: ValueId) -> u8 {
        let given = self.body.types[value.0 as usize];
        let value = self.body().widen(value);
        let types = match fold {
            Fold::Op(_) => ResultType { held: self.body.types[value.0 as usize], wanted: given },
            Fold::ArgMin | Fold::ArgMax => ResultType { held: DType::I64, wanted: DType::I64 },
        };
        let new = Accumulator { fold, value };
        let known = self.accumulators.iter().zip(&self.results).position(|(a, r)| *a == new && *r == types);
        let number = known.unwrap_or_else(|| {
            self.accumulators.push(new);
            self.results.push(types);
            self.accumulators.len() - 1
        });
        number as u8
    }

    /// The kernel, without the instructions nothing uses.
    pub fn finish(self) -> Kernel {
        let mut accumulators = self.accumulators;
        let (body, numbers) = self.body.finish(accumulators.iter().map(|a| a.value));
        if let Some(numbers) = numbers {
            accumulators.iter_mut().for_each(|a| numbers.renumber(&mut a.value));
        }
        let (epilogue, _) = self.epilogue.finish(std::iter::empty());
        Kernel {
            template: self.template,
            outer: self.outer,
            inner: self.inner,
            operands: self.operands,
            scalars: self.scalars,
            body,
            accumulators,
            epilogue,
        }
    }
}

/// Ids that the kernel does not have panic in every method that must look up their type.
impl<'a> FragmentBuilder<'a> {
    /// The builder of a region's instructions.
    pub(crate) fn of_region(draft: &'a mut Draft) -> FragmentBuilder<'a> {
        FragmentBuilder { draft, operands: &[], scalars: &[], results: &[] }
    }

    /// The type of a value.
    #[inline]
    pub fn dtype(&self, value: ValueId) -> DType {
        self.draft.types[value.0 as usize]
    }

    /// The operand's element at this point. Loads of one operand are one value, unless a store that may overlap it
    /// stands between them.
    #[inline]
    pub fn load(&mut self, operand: OperandId) -> ValueId {
        let decl = self.operands[operand.0 as usize];
        self.draft.intern(Inst::Load(operand), decl.dtype, !decl.restrict)
    }

    /// A launch parameter.
    #[inline]
    pub fn param(&mut self, scalar: ScalarId) -> ValueId {
        let dtype = self.scalars[scalar.0 as usize];
        self.draft.intern(Inst::Param(scalar), dtype, false)
    }

    /// A literal. Literals are equal where their bits are.
    #[inline]
    pub fn constant(&mut self, value: Scalar) -> ValueId {
        self.draft.intern(Inst::Const(value), value.dtype(), false)
    }

    /// This point's coordinate along a domain axis, as `int64`.
    #[inline]
    pub fn index(&mut self, axis: u8) -> ValueId {
        self.draft.intern(Inst::Index(axis), DType::I64, false)
    }

    /// An op applied to as many values as it takes, all of one type; the op table gives the result's type.
    ///
    /// `float16` values are widened, computed with as `float32`, and the result is rounded where it is a float. This
    /// is wrong for `nextafter` and `spacing`, which callers must not apply to `float16`.
    #[inline]
    pub fn apply(&mut self, op: Op, args: &[ValueId]) -> ValueId {
        debug_assert_eq!(args.len(), op.arity(), "{op}");
        let (first, last) = (args[0], args[args.len() - 1]);
        let dtype = self.dtype(first);
        if dtype == DType::F16 {
            return self.apply_widened(op, [first, last]);
        }
        self.draft.intern(Inst::Apply(op, [first, last]), op.result(dtype), false)
    }

    fn apply_widened(&mut self, op: Op, args: [ValueId; 2]) -> ValueId {
        let args = args.map(|v| self.widen(v));
        let wide = op.result(DType::F32);
        let value = self.draft.intern(Inst::Apply(op, args), wide, false);
        if wide == DType::F32 { self.cast(value, DType::F16) } else { value }
    }

    /// The value, as `float32` where it is `float16`.
    fn widen(&mut self, value: ValueId) -> ValueId {
        if self.dtype(value) == DType::F16 { self.cast(value, DType::F32) } else { value }
    }

    /// The `float32` that a `float16` is the rounded value of, as for the result of [`FragmentBuilder::apply`].
    #[inline]
    pub fn rounded_from(&self, value: ValueId) -> Option<ValueId> {
        match self.draft.insts[value.0 as usize] {
            Inst::Cast(from, DType::F16) if self.dtype(from) == DType::F32 => Some(from),
            _ => None,
        }
    }

    /// A value converted as `astype` converts: the value itself where it has the type already. A literal is converted
    /// here if the conversion is exact (and so raises no flag).
    #[inline]
    pub fn cast(&mut self, value: ValueId, dtype: DType) -> ValueId {
        let from = self.dtype(value);
        if from == dtype {
            return value;
        }
        if let Inst::Const(literal) = self.draft.insts[value.0 as usize] {
            let converted = literal.cast(dtype);
            if converted.cast(from) == literal {
                return self.constant(converted);
            }
        }
        self.draft.intern(Inst::Cast(value, dtype), dtype, false)
    }

    /// `then` where `condition` (bool) is true, else `otherwise`; both are evaluated.
    #[inline]
    pub fn select(&mut self, condition: ValueId, then: ValueId, otherwise: ValueId) -> ValueId {
        let dtype = self.dtype(then);
        self.draft.intern(Inst::Select([condition, then, otherwise]), dtype, false)
    }

    /// `a * b + c`, rounded once; of `float32` or `float64`.
    #[inline]
    pub fn fma(&mut self, a: ValueId, b: ValueId, c: ValueId) -> ValueId {
        let dtype = self.dtype(a);
        self.draft.intern(Inst::Fma([a, b, c]), dtype, false)
    }

    /// The value's bits as a value of a type of the same size: see [`Inst::Bits`].
    #[inline]
    pub fn bits(&mut self, value: ValueId, dtype: DType) -> ValueId {
        if self.dtype(value) == dtype { value } else { self.draft.intern(Inst::Bits(value, dtype), dtype, false) }
    }

    /// The element `offset` bytes (`int64`) from the operand's address at this point.
    #[inline]
    pub fn gather(&mut self, operand: OperandId, offset: ValueId) -> ValueId {
        let decl = self.operands[operand.0 as usize];
        self.draft.intern(Inst::Gather(operand, offset), decl.dtype, !decl.restrict)
    }

    /// Writes a value to the operand's element at this point.
    #[inline]
    pub fn store(&mut self, operand: OperandId, value: ValueId) {
        let restrict = self.operands[operand.0 as usize].restrict;
        let dtype = self.dtype(value);
        self.draft.effect(Inst::Store(operand, value), dtype, !restrict);
    }

    /// Writes a value to the element `offset` bytes (`int64`) from the operand's address at this point.
    #[inline]
    pub fn scatter(&mut self, operand: OperandId, offset: ValueId, value: ValueId) {
        let restrict = self.operands[operand.0 as usize].restrict;
        let dtype = self.dtype(value);
        self.draft.effect(Inst::Scatter(operand, offset, value), dtype, !restrict);
    }

    /// Repeats a region from these first values of its inputs. Equal loops are one. What it carries is read by
    /// [`FragmentBuilder::exit`].
    pub fn repeat(&mut self, region: &Arc<Region>, inputs: &[ValueId]) -> ValueId {
        let repeated = Loop { region: region.clone(), inputs: inputs.to_vec() };
        self.draft.intern(Inst::Loop(Box::new(repeated)), region.inputs[0], false)
    }

    /// What a loop carried where it ended, by the number of the input.
    ///
    /// # Panics
    /// The value is no loop.
    pub fn exit(&mut self, repeated: ValueId, input: u8) -> ValueId {
        let Inst::Loop(of) = &self.draft.insts[repeated.0 as usize] else { panic!("{repeated:?} is no loop") };
        let dtype = of.region.inputs[usize::from(input)];
        self.draft.intern(Inst::Exit(repeated, input), dtype, false)
    }

    /// The loop that gives a value.
    #[inline]
    pub fn loop_of(&self, value: ValueId) -> Option<ValueId> {
        match self.draft.insts[value.0 as usize] {
            Inst::Exit(of, _) => Some(of),
            _ => None,
        }
    }

    /// The value of an accumulator, in the type of what was given to [`KernelBuilder::accumulate`] (`int64` for
    /// positions); in an epilogue only.
    #[inline]
    pub fn result(&mut self, accumulator: u8) -> ValueId {
        let ResultType { held, wanted } = self.results[accumulator as usize];
        let value = self.draft.intern(Inst::Result(accumulator), held, false);
        self.cast(value, wanted)
    }
}

/// The instructions so far, and the hash table for value numbering.
#[derive(Default, Debug)]
pub(crate) struct Draft {
    pub(crate) insts: Vec<Inst>,
    pub(crate) types: Vec<DType>,
    /// Open addressing, a power of two in length and at most half full: numbers of pure instructions plus one, or zero.
    slots: Vec<u32>,
    /// A memory fence: loads before this instruction are not merged with loads after it, unless the operand is `restrict`.
    barrier: usize,
}

/// Slots of a new table: enough for the kernels of nearly all programs, and cheap to clear.
const FIRST_SLOTS: usize = 64;

impl Draft {
    fn push(&mut self, inst: Inst, dtype: DType) -> ValueId {
        if self.insts.is_empty() {
            self.insts.reserve(FIRST_SLOTS / 4);
            self.types.reserve(FIRST_SLOTS / 4);
        }
        self.insts.push(inst);
        self.types.push(dtype);
        ValueId((self.insts.len() - 1) as u32)
    }

    /// The value of a pure instruction, an earlier one where there is an equal one. `fenced` instructions read memory
    /// that an earlier store may have changed.
    #[inline]
    pub(crate) fn intern(&mut self, inst: Inst, dtype: DType, fenced: bool) -> ValueId {
        if self.slots.len() <= self.insts.len() * 2 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(&inst) & mask;
        while self.slots[slot] != 0 {
            let at = self.slots[slot] as usize - 1;
            if self.insts[at] == inst {
                if fenced && at < self.barrier {
                    break;
                }
                return ValueId(at as u32);
            }
            slot = (slot + 1) & mask;
        }
        let value = self.push(inst, dtype);
        self.slots[slot] = value.0 + 1;
        value
    }

    /// Appends an instruction without a result, and gives its number; loads do not move across it if it is `fenced`.
    pub(crate) fn effect(&mut self, inst: Inst, dtype: DType, fenced: bool) -> ValueId {
        let number = self.push(inst, dtype);
        if fenced {
            self.barrier = self.insts.len();
        }
        number
    }

    #[cold]
    fn grow(&mut self) {
        let len = (self.slots.len() * 2).max(FIRST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![0; len]);
        for number in old.into_iter().filter(|n| *n != 0) {
            let mut slot = hash(&self.insts[number as usize - 1]) & (len - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = number;
        }
    }

    /// Dead-code elimination: the fragment without the instructions that neither an effect nor a root needs, and the new numbers if
    /// any instruction was dropped.
    pub(crate) fn finish(mut self, roots: impl Iterator<Item = ValueId>) -> (Fragment, Option<Renumbering>) {
        let mut live: SmallVec<[bool; 64]> = smallvec![false; self.insts.len()];
        for root in roots {
            live[root.0 as usize] = true;
        }
        let mut dead = 0;
        for (number, inst) in self.insts.iter_mut().enumerate().rev() {
            if live[number] || inst.is_effect() {
                live[number] = true;
                visit(inst, |v| live[v.0 as usize] = true);
            } else {
                dead += 1;
            }
        }
        let numbers = if dead == 0 { None } else { Some(self.compact(&live)) };
        (Fragment { insts: self.insts, types: self.types }, numbers)
    }

    #[cold]
    fn compact(&mut self, live: &[bool]) -> Renumbering {
        let mut next = 0;
        let number = |is_live: &bool| {
            next += u32::from(*is_live);
            is_live.then(|| ValueId(next - 1))
        };
        let numbers = Renumbering(live.iter().map(number).collect());
        let mut keep = live.iter();
        self.types.retain(|_| *keep.next().expect("a flag for each type"));
        let mut keep = live.iter();
        self.insts.retain(|_| *keep.next().expect("a flag for each instruction"));
        self.insts.iter_mut().for_each(|inst| visit(inst, |v| numbers.renumber(v)));
        numbers
    }
}

/// The new numbers of a draft's values after dead-code elimination.
pub(crate) struct Renumbering(SmallVec<[Option<ValueId>; 64]>);

impl Renumbering {
    /// The new number of a value; `None` if it was dropped.
    pub(crate) fn get(&self, value: ValueId) -> Option<ValueId> {
        self.0[value.0 as usize]
    }

    /// Renumbers a value that is live.
    pub(crate) fn renumber(&self, value: &mut ValueId) {
        *value = self.get(*value).expect("a live value keeps a number");
    }
}

/// Calls `f` with every argument, repeated ones included.
#[inline]
pub(crate) fn visit(inst: &mut Inst, mut f: impl FnMut(&mut ValueId)) {
    match inst {
        Inst::Load(_) | Inst::Param(_) | Inst::Const(_) | Inst::Index(_) | Inst::Result(_) | Inst::Input(_) => {}
        Inst::Loop(repeated) => repeated.inputs.iter_mut().for_each(f),
        Inst::Apply(_, args) | Inst::Step(_, args) => args.iter_mut().for_each(f),
        Inst::Fma(args) | Inst::Select(args) => args.iter_mut().for_each(f),
        Inst::Complex(args) => args.iter_mut().for_each(f),
        Inst::Cast(v, _)
        | Inst::Bits(v, _)
        | Inst::Part(v, _)
        | Inst::Gather(_, v)
        | Inst::Store(_, v)
        | Inst::Exit(v, _) => f(v),
        Inst::Scatter(_, offset, v) => {
            f(offset);
            f(v);
        }
    }
}

/// A hash of the instruction by one multiplication: a derived `Hash` through SipHash takes most of an instruction's 20 ns.
#[inline]
fn hash(inst: &Inst) -> usize {
    let pair = |a: u32, b: u32| u64::from(a) | u64::from(b) << 32;
    let (kind, x) = match inst {
        Inst::Load(m) => (1, u64::from(m.0)),
        Inst::Param(s) => (2, u64::from(s.0)),
        Inst::Const(c) => (3 | (c.dtype() as u64) << 8, c.bits() as u64 ^ ((c.bits() >> 64) as u64).rotate_left(32)),
        Inst::Index(axis) => (4, u64::from(*axis)),
        Inst::Apply(op, [a, b]) => (5 | (*op as u64) << 8, pair(a.0, b.0)),
        Inst::Select([c, a, b]) => (6 | u64::from(c.0) << 8, pair(a.0, b.0)),
        Inst::Cast(v, to) => (7 | (*to as u64) << 8, u64::from(v.0)),
        Inst::Gather(m, v) => (8, pair(u32::from(m.0), v.0)),
        Inst::Store(m, v) => (9, pair(u32::from(m.0), v.0)),
        Inst::Scatter(m, offset, v) => (10 | u64::from(m.0) << 8, pair(offset.0, v.0)),
        Inst::Result(n) => (11, u64::from(*n)),
        Inst::Fma([a, b, c]) => (12 | u64::from(a.0) << 8, pair(b.0, c.0)),
        Inst::Step(step, [a, b]) => (14 | step.code() << 8, pair(a.0, b.0)),
        Inst::Part(v, part) => (15 | (*part as u64) << 8, u64::from(v.0)),
        Inst::Complex([a, b]) => (16, pair(a.0, b.0)),
        Inst::Bits(v, to) => (13 | (*to as u64) << 8, u64::from(v.0)),
        // Loops are few, and equal ones have equal inputs.
        Inst::Loop(repeated) => (17, repeated.inputs.iter().fold(0u64, |all, v| all.rotate_left(7) ^ u64::from(v.0))),
        Inst::Exit(v, number) => (18 | u64::from(*number) << 8, u64::from(v.0)),
        Inst::Input(number) => (19, u64::from(*number)),
    };
    let product = u128::from(x ^ kind << 40 ^ kind) * 0x9e37_79b9_7f4a_7c15;
    (product as u64 ^ (product >> 64) as u64) as usize
}
