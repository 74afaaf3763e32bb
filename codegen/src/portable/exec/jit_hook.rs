//! The JIT hook: a backend that makes machine code replaces several calls by one function.
//!
//! Between coordinates and gathers a fragment has calls alone. A [`JitHook`] compiles as many of them as it has instructions for to one
//! function: every element goes through all of them in registers, and only values that are used elsewhere are written to a block. The
//! calls are kept. They attribute flags to instructions, and re-execute blocks with lanes that need a slow path.

use crate::drive::fp_status;
use crate::ir::build::visit;
use crate::ir::verify::verify;
use crate::portable::exec::bytecode::{BlockOp, Bytecode, Sink, effects};
use crate::{
    Access, DType, Fold, FoldOrder, FpFlags, Fragment, Inst, Kernel, Op, OperandDecl, OperandId, Template, ValueId,
    Verified,
};
use parking_lot::RwLock;
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// Most operands of a function.
pub(crate) const MAX_JIT_OPERANDS: usize = 32;

/// How a function accesses an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperandKind {
    Contiguous,
    /// One element for all points.
    Uniform,
    /// Contiguous, and large: a result that passes the caches by. Its rows begin with cache lines.
    NonTemporal,
}

/// Compiles maps to functions.
pub(crate) trait JitHook {
    /// Compiles a map without scalars.
    ///
    /// # Errors
    /// The first instruction of the map's body that is not supported.
    fn compile_map(&self, map: &Verified<Kernel>, kinds: &[OperandKind]) -> Result<Box<dyn MapFunction>, usize>;

    /// The same for a map whose last results are folded by these ops instead of stored; `None` if an instruction or a fold
    /// is not supported. It folds in the order of another function, if one is given.
    fn compile_fold(
        &self,
        map: &Verified<Kernel>,
        kinds: &[OperandKind],
        ops: &[Op],
        like: Option<&dyn FoldFunction>,
    ) -> Option<Arc<dyn FoldFunction>>;
}

/// Bytes of partial results that a row is folded to, for each fold.
pub(crate) const FOLD_VECTOR_BYTES: usize = 64;

/// A function that folds a row to a few partial results.
pub(crate) trait FoldFunction: Send + Sync + fmt::Display {
    /// How many partial results of each fold it leaves.
    fn lanes(&self) -> usize;

    /// How many vectors of each fold accumulate side by side, which with the lanes is the order of the fold.
    fn chains(&self) -> usize;

    /// Runs on rows of `n` elements, no fewer than lanes, with the bytes from one to the next by operand. Returns false if a lane needs a
    /// slow path; the results are undefined then.
    ///
    /// # Safety
    /// The addresses are those of the first row of each operand that is not folded, of one element of uniform ones; `out` has room for
    /// [`FOLD_VECTOR_BYTES`] bytes for each fold of each row, in this order. What is stored overlaps nothing that is read, and no other row.
    unsafe fn run(&self, addresses: &[*mut u8], pitches: &[isize], n: usize, rows: usize, out: *mut u8) -> bool;

    /// The same function for other kinds of operands; `None` if there is none.
    fn with_kinds(&self, kinds: &[OperandKind]) -> Option<Arc<dyn FoldFunction>>;

    /// A function that folds columns instead of a row, for other kinds of operands; `None` if there is none.
    fn by_columns(&self, kinds: &[OperandKind]) -> Option<Arc<dyn ColumnFunction>>;
}

/// A function that folds rows of values into a row of accumulators, element by element.
pub(crate) trait ColumnFunction: Send + Sync {
    /// Runs on rows of `n` elements, with the bytes from one to the next by operand. Returns false if a lane needs a slow path, or if there are
    /// too few elements; the results are undefined then.
    ///
    /// # Safety
    /// The addresses are those of the first row of each operand, of one element of uniform ones; those of folded operands are of `n` results.
    /// What is stored overlaps nothing that is read.
    unsafe fn run(&self, addresses: &[*mut u8], pitches: &[isize], n: usize, rows: usize) -> bool;
}

/// A function compiled from several instructions.
pub(crate) trait MapFunction: Send + Sync + fmt::Display {
    /// Whether some arguments need a slow path that it does not have.
    fn has_slow_path(&self) -> bool;

    /// Elements of the shortest rows that one call runs together.
    fn shortest_row(&self) -> usize;

    /// Runs on `n` elements. Returns false if a lane needs a slow path; the results in that lane are undefined then.
    ///
    /// # Safety
    /// The addresses are those of `n` elements of each operand, one of uniform ones; results overlap operands only where
    /// they are exactly the same elements.
    unsafe fn run(&self, addresses: &[*mut u8], n: usize) -> bool;

    /// Runs on some rows in order, with the bytes from one to the next by operand.
    ///
    /// # Safety
    /// As [`MapFunction::run`], for each row.
    unsafe fn run_rows(&self, addresses: &[*mut u8], pitches: &[isize], n: usize, rows: usize) -> bool;
}

/// A call of a function in the place of several calls.
pub(crate) struct MapCall {
    /// Entries of the table of values.
    operands: SmallVec<[u16; MAX_JIT_OPERANDS]>,
    /// How many of those are uniform: the first ones.
    uniform: usize,
    /// A bit for each of the others; meaningless beyond 64 entries.
    pub(crate) entries: u64,
    function: Box<dyn MapFunction>,
}

impl MapCall {
    /// Runs on `n` elements. Returns whether it computed all of them.
    ///
    /// # Safety
    /// `at` gives the address of `n` elements for each value.
    #[inline]
    pub(crate) unsafe fn run(&self, n: usize, at: impl Fn(u16) -> *mut u8) -> bool {
        let addresses: SmallVec<[*mut u8; MAX_JIT_OPERANDS]> = self.operands.iter().map(|&v| at(v)).collect();
        // SAFETY: the caller's contract; values of one kernel have registers or memory of their own, or share those of
        // values that are not needed any more, element by element.
        unsafe { self.function.run(&addresses, n) }
    }

    /// Runs on some rows, with the bytes from one to the next by value.
    ///
    /// # Safety
    /// As [`MapCall::run`], for each row.
    pub(crate) unsafe fn run_rows(
        &self,
        n: usize,
        rows: usize,
        at: impl Fn(u16) -> *mut u8,
        pitch: impl Fn(u16) -> isize,
    ) -> bool {
        let addresses: SmallVec<[*mut u8; MAX_JIT_OPERANDS]> = self.operands.iter().map(|&v| at(v)).collect();
        let pitch = |(i, &v): (usize, &u16)| if i < self.uniform { 0 } else { pitch(v) };
        let pitches: SmallVec<[isize; MAX_JIT_OPERANDS]> = self.operands.iter().enumerate().map(pitch).collect();
        // SAFETY: the caller's contract.
        unsafe { self.function.run_rows(&addresses, &pitches, n, rows) }
    }
}

impl fmt::Display for MapCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pass over %{:?}: {}", self.operands, self.function)
    }
}

/// A call of a function in the place of a body and the first steps of its folds.
pub(crate) struct FoldCall {
    /// The form that only folds, and one that stores too, if there is one.
    folding: FoldForm,
    storing: Option<FoldForm>,
    /// The flags that the kernel may raise; the calls attribute them.
    fp_mask: FpFlags,
}

/// The functions of a call.
struct FoldForm {
    /// Entries of the table of values: uniform ones first, then loads.
    operands: SmallVec<[u16; MAX_JIT_OPERANDS]>,
    /// The operands that are stored to.
    stored: SmallVec<[u16; 4]>,
    /// How operands are accessed in any launch, what is stored, and what is folded.
    kinds: SmallVec<[OperandKind; 16]>,
    /// The function for these kinds, and those for a launch's.
    function: Arc<dyn FoldFunction>,
    others: ByPattern<dyn FoldFunction>,
    /// The functions that fold columns.
    columns: ByPattern<dyn ColumnFunction>,
}

impl FoldCall {
    /// The call for rows of a launch. `is_broadcast` says of a load's entry whether it has one element for all columns, as
    /// the mean in `(x - mean) ** 2` does; other loads are contiguous. None if there is no function. With `may_store` the sinks are
    /// contiguous and overlap no load, and the call stores if it can; `is_non_temporal` says of a sink's operand whether that is its kind.
    pub(crate) fn of_rows<'a>(
        &'a self,
        is_broadcast: impl Fn(u16) -> bool,
        is_non_temporal: impl Fn(u16) -> bool,
        may_store: bool,
    ) -> Option<RowFoldCall<'a>> {
        let row_fold = |form: &'a FoldForm| {
            let pattern = form.pattern(&is_broadcast, &is_non_temporal);
            let other = if pattern == 0 { None } else { Some(form.other(pattern)?) };
            Some(RowFoldCall { form, other, fp_mask: self.fp_mask })
        };
        let storing = self.storing.as_ref().filter(|_| may_store);
        storing.and_then(row_fold).or_else(|| row_fold(&self.folding))
    }

    /// The call for columns of a launch, likewise. It stores what the body stores, if that `stores` anything.
    pub(crate) fn of_columns(
        &self,
        is_broadcast: impl Fn(u16) -> bool,
        is_non_temporal: impl Fn(u16) -> bool,
        stores: bool,
    ) -> Option<ColumnFoldCall<'_>> {
        let form = if stores { self.storing.as_ref()? } else { &self.folding };
        // Accumulators of a number have one element, not one a column.
        if form.kinds[form.operands.len() + form.stored.len()..].contains(&OperandKind::Uniform) {
            return None;
        }
        let pattern = form.pattern(is_broadcast, is_non_temporal);
        let function = form.columns.get(pattern, || form.function.by_columns(&form.kinds_in(pattern)))?;
        Some(ColumnFoldCall { form, function, fp_mask: self.fp_mask })
    }
}

impl FoldForm {
    /// A bit for each operand that is of another kind in a launch than in every one: a load that has one element for all columns, and what is
    /// stored past the caches.
    fn pattern(&self, is_broadcast: impl Fn(u16) -> bool, is_non_temporal: impl Fn(u16) -> bool) -> u32 {
        let loads = self.operands.iter().map(|&value| is_broadcast(value));
        let others = loads.chain(self.stored.iter().map(|&operand| is_non_temporal(operand)));
        let bit = |(i, other): (usize, bool)| u32::from(other && self.kinds[i] == OperandKind::Contiguous) << i;
        others.enumerate().map(bit).fold(0, |all, bit| all | bit)
    }

    /// The kinds of operands with a pattern.
    fn kinds_in(&self, pattern: u32) -> SmallVec<[OperandKind; 16]> {
        let kind = |(i, &kind): (usize, &OperandKind)| match u64::from(pattern) >> i & 1 {
            0 => kind,
            _ if i < self.operands.len() => OperandKind::Uniform,
            _ => OperandKind::NonTemporal,
        };
        self.kinds.iter().enumerate().map(kind).collect()
    }

    /// The function for a pattern.
    fn other(&self, pattern: u32) -> Option<Arc<dyn FoldFunction>> {
        self.others.get(pattern, || self.function.with_kinds(&self.kinds_in(pattern)))
    }
}

/// Patterns of operands of other kinds that a call has functions for. Kernels meet one, or two.
const MAX_KIND_PATTERNS: usize = 8;

/// The functions for a pattern; none where there is no such function.
struct OfPattern<F: ?Sized> {
    pattern: u32,
    functions: Option<Arc<F>>,
}

/// Functions by pattern.
struct ByPattern<F: ?Sized>(RwLock<SmallVec<[OfPattern<F>; 1]>>);

impl<F: ?Sized> Default for ByPattern<F> {
    fn default() -> ByPattern<F> {
        ByPattern(RwLock::default())
    }
}

impl<F: ?Sized> ByPattern<F> {
    /// The functions for a pattern, made the first time.
    fn get(&self, pattern: u32, make: impl FnOnce() -> Option<Arc<F>>) -> Option<Arc<F>> {
        let known = self.0.read();
        if let Some(known) = known.iter().find(|known| known.pattern == pattern) {
            return known.functions.clone();
        }
        if known.len() == MAX_KIND_PATTERNS {
            return None;
        }
        drop(known);
        let functions = make();
        self.0.write().push(OfPattern { pattern, functions: functions.clone() });
        functions
    }
}

/// A [`FoldCall`] by columns for the strides of a launch.
pub(crate) struct ColumnFoldCall<'a> {
    form: &'a FoldForm,
    function: Arc<dyn ColumnFunction>,
    fp_mask: FpFlags,
}

impl ColumnFoldCall<'_> {
    /// Folds `rows` rows of `n` elements into the accumulators, whose contents before do not matter. Returns false if a lane needs a slow
    /// path, or if flags were raised, which are cleared: then the calls re-execute the rows.
    ///
    /// # Safety
    /// `at` gives the address of the first row's elements for each load and for what is uniform, and the bytes from row to row; `to` those
    /// of the operand of a sink. The accumulators have room for `n` values each.
    pub(crate) unsafe fn run(
        &self,
        (n, rows): (usize, usize),
        at: impl Fn(u16) -> (*mut u8, isize),
        to: impl Fn(u16) -> (*mut u8, isize),
        accumulators: &[*mut u8],
    ) -> bool {
        let form = self.form;
        let moving = form.operands.iter().map(|&v| at(v)).chain(form.stored.iter().map(|&operand| to(operand)));
        let fixed = accumulators.iter().map(|&a| (a, 0));
        let (addresses, pitches): (SmallVec<[*mut u8; MAX_JIT_OPERANDS]>, SmallVec<[isize; MAX_JIT_OPERANDS]>) =
            moving.chain(fixed).unzip();
        // SAFETY: the caller's contract.
        let complete = unsafe { self.function.run(&addresses, &pitches, n, rows) };
        let raised = fp_status::is_raised(self.fp_mask);
        if raised {
            fp_status::clear();
        }
        complete && !raised
    }
}

/// A [`FoldCall`] for the strides of a launch.
pub(crate) struct RowFoldCall<'a> {
    form: &'a FoldForm,
    /// The function for other kinds of operands. (That for contiguous ones is not counted: sums of a hundred elements take 100 ns.)
    other: Option<Arc<dyn FoldFunction>>,
    fp_mask: FpFlags,
}

impl RowFoldCall<'_> {
    fn function(&self) -> &dyn FoldFunction {
        self.other.as_deref().unwrap_or(&*self.form.function)
    }

    /// Whether it stores what the body's calls would.
    pub(crate) fn stores(&self) -> bool {
        !self.form.stored.is_empty()
    }

    /// How many partial results of each fold it leaves.
    pub(crate) fn lanes(&self) -> usize {
        self.function().lanes()
    }

    /// Folds each of some rows of `n` elements to `lanes` values, [`FOLD_VECTOR_BYTES`] bytes a fold and one row after the other from `out` on.
    /// Returns false if a lane needs a slow path, or if flags were raised, which are cleared: then the calls re-execute the rows.
    ///
    /// # Safety
    /// `at` gives the address of the first row's elements for each load, of one for what is uniform or broadcast, and the bytes from row to
    /// row; `to` those of the operand of a sink; `out` has room.
    #[inline]
    pub(crate) unsafe fn run(
        &self,
        (n, rows): (usize, usize),
        at: impl Fn(u16) -> (*mut u8, isize),
        to: impl Fn(u16) -> (*mut u8, isize),
        out: *mut u8,
    ) -> bool {
        let form = self.form;
        let (addresses, pitches): (SmallVec<[*mut u8; MAX_JIT_OPERANDS]>, SmallVec<[isize; MAX_JIT_OPERANDS]>) =
            form.operands.iter().map(|&v| at(v)).chain(form.stored.iter().map(|&operand| to(operand))).unzip();
        // SAFETY: the caller's contract.
        let complete = unsafe { self.function().run(&addresses, &pitches, n, rows, out) };
        let raised = fp_status::is_raised(self.fp_mask);
        if raised {
            fp_status::clear();
        }
        complete && !raised
    }
}

impl fmt::Display for FoldCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fold over %{:?}: {}", self.folding.operands, self.folding.function)?;
        match &self.storing {
            Some(form) => write!(f, "fold and store over %{:?}: {}", form.operands, form.function),
            None => Ok(()),
        }
    }
}

/// Compiles everything a body's folds need to one function, if that is loads and calls. Folds that continue in lanes, products, are
/// excluded: a tree of them would round worse than [`crate::portable::loops::folds`] does. Where the body stores, another function does that
/// too (the exponentials of a softmax were computed twice otherwise), and folds in the same order: sums have the same bits whether their
/// terms are stored or not.
pub(crate) fn find_fold(body: &Bytecode, kernel: &Kernel, jit: &dyn JitHook) -> Option<FoldCall> {
    let only = |fold: &Fold| match fold {
        Fold::Op(op) => op.fold().filter(|row| row.order != FoldOrder::Lanes).map(|row| row.op),
        Fold::ArgMin | Fold::ArgMax => None,
    };
    let ops: SmallVec<[Op; 4]> = kernel.accumulators.iter().map(|a| only(&a.fold)).collect::<Option<_>>()?;
    if kernel.template != Template::Reduce || !body.is_plain() {
        return None;
    }
    let fragment = &kernel.body;
    let folded: SmallVec<[u32; 4]> = kernel.accumulators.iter().map(|a| a.value.0).collect();
    let mut needed: SmallVec<[bool; 64]> = SmallVec::from_elem(false, fragment.insts.len());
    folded.iter().for_each(|&v| needed[v as usize] = true);
    for (at, inst) in fragment.insts.iter().enumerate().rev().filter(|(_, i)| !matches!(i, Inst::Store(..))) {
        if needed[at] {
            Fragment::arguments(inst).iter().for_each(|v| needed[v.0 as usize] = true);
        }
    }
    let calls: SmallVec<[u32; 32]> = body.calls.iter().map(|c| c.inst).filter(|&i| needed[i as usize]).collect();
    let folding = fold_form(fragment, &calls, (&[], &folded), &ops, None, jit)?;
    let is_simple = |sink: &Sink| sink.produced && sink.offsets.is_none();
    let storing = if !body.sinks.is_empty() && body.sinks.iter().all(is_simple) {
        let calls: SmallVec<[u32; 32]> = body.calls.iter().map(|c| c.inst).collect();
        fold_form(fragment, &calls, (&body.sinks, &folded), &ops, Some(&*folding.function), jit)
    } else {
        None
    };
    Some(FoldCall { folding, storing, fp_mask: effects(kernel) })
}

/// Compiles calls to a function that stores for some sinks and folds some values; in the order of another one, if it is given.
fn fold_form(
    fragment: &Fragment,
    calls: &[u32],
    (sinks, folded): (&[Sink], &[u32]),
    ops: &[Op],
    like: Option<&dyn FoldFunction>,
    jit: &dyn JitHook,
) -> Option<FoldForm> {
    let results: SmallVec<[u32; 8]> =
        sinks.iter().map(|sink| sink.value.into()).chain(folded.iter().copied()).collect();
    let inputs = inputs_of(fragment, calls, &results);
    if inputs.len() + results.len() > MAX_JIT_OPERANDS {
        return None;
    }
    let kinds: SmallVec<[OperandKind; 16]> = inputs.iter().chain(&results).map(|&v| kind_of(fragment, v)).collect();
    let map = map_of(fragment, &inputs, calls, (&results[..sinks.len()], folded));
    let function = jit.compile_fold(&map, &kinds, ops, like)?;
    let (operands, stored) = (inputs.iter().map(|&v| v as u16).collect(), sinks.iter().map(|s| s.operand).collect());
    let (others, columns) = (ByPattern::default(), ByPattern::default());
    Some(FoldForm { operands, stored, kinds, function, others, columns })
}

/// Whether a value is loop-invariant.
fn is_uniform(fragment: &Fragment, value: u32) -> bool {
    matches!(fragment.insts[value as usize], Inst::Param(_) | Inst::Const(_))
}

/// How a value is accessed in any launch.
fn kind_of(fragment: &Fragment, value: u32) -> OperandKind {
    if is_uniform(fragment, value) { OperandKind::Uniform } else { OperandKind::Contiguous }
}

/// The inputs of some calls and other uses: values that none of the calls computes, loop-invariant ones first.
fn inputs_of(fragment: &Fragment, calls: &[u32], others: &[u32]) -> SmallVec<[u32; 16]> {
    let arguments = calls.iter().flat_map(|&call| Fragment::arguments(&fragment.insts[call as usize])).map(|v| v.0);
    let mut inputs: SmallVec<[u32; 16]> =
        arguments.chain(others.iter().copied()).filter(|v| !calls.contains(v)).collect();
    inputs.sort_unstable_by_key(|&v| (!is_uniform(fragment, v), v));
    inputs.dedup();
    inputs
}

/// The cost of an op from which on machine code replaces a single call of it.
const COSTLY_CALL: u8 = 10;

/// A step of a block, or machine code in the place of several.
pub(crate) enum Stage {
    Step(BlockOp),
    MapCall(MapCall),
}

/// Replaces runs of calls by functions where the hook supports them.
pub(crate) fn replace_calls(code: &mut Bytecode, kernel: &Kernel, fragment: &Fragment, jit: &dyn JitHook) {
    let steps = std::mem::take(&mut code.steps);
    let is_call = |step: &BlockOp| matches!(step, BlockOp::Call(_));
    let mut stages = vec![];
    for run in steps.chunk_by(|a, b| is_call(a) && is_call(b)) {
        add_run(&mut stages, run, kernel, fragment, jit);
    }
    code.steps = steps;
    if stages.iter().any(|stage| matches!(stage, Stage::MapCall(_))) {
        let functions = || {
            stages.iter().filter_map(|stage| if let Stage::MapCall(pass) = stage { Some(&pass.function) } else { None })
        };
        code.has_slow_path = functions().any(|function| function.has_slow_path());
        code.shortest_row = functions().map(|function| function.shortest_row()).max().unwrap_or(0);
        code.stages = stages;
    }
}

/// Appends the stages of a run of calls; a function replaces at least two, or one that takes long.
fn add_run(stages: &mut Vec<Stage>, mut run: &[BlockOp], kernel: &Kernel, fragment: &Fragment, jit: &dyn JitHook) {
    while !run.is_empty() {
        let mut many = run.len();
        let pass = loop {
            if many < 2 && !(many == 1 && is_costly(&run[0], fragment)) {
                break None;
            }
            match try_run(&run[..many], kernel, fragment, jit) {
                Ok(pass) => break Some(pass),
                Err(shorter) => many = shorter.min(many - 1),
            }
        };
        let done = if pass.is_some() { many } else { 1 };
        if pass.is_none() {
            stages.push(Stage::Step(run[0]));
        }
        stages.extend(pass.map(Stage::MapCall));
        run = &run[done..];
    }
}

/// Whether a step is a call whose loop takes several times as long as machine code: `exp` of two million doubles 12.4 ms, and 0.9.
fn is_costly(step: &BlockOp, fragment: &Fragment) -> bool {
    let BlockOp::Call(call) = step else { return false };
    matches!(fragment.insts[call.inst as usize], Inst::Apply(op, _) if op.row().cost >= COSTLY_CALL)
}

/// Compiles all calls of a run to one function. The error is the number of calls that may be supported.
fn try_run(run: &[BlockOp], kernel: &Kernel, fragment: &Fragment, jit: &dyn JitHook) -> Result<MapCall, usize> {
    let calls: SmallVec<[u32; 32]> =
        run.iter().filter_map(|step| if let BlockOp::Call(call) = step { Some(call.inst) } else { None }).collect();
    let within = |value: ValueId| calls.contains(&value.0);
    let inputs = inputs_of(fragment, &calls, &[]);
    let mut outputs: SmallVec<[u32; 16]> = SmallVec::new();
    let folded = kernel.accumulators.iter().filter(|_| std::ptr::eq(fragment, &kernel.body)).map(|a| a.value);
    let elsewhere = fragment.insts.iter().enumerate().filter(|(i, _)| !calls.contains(&(*i as u32)));
    let used = elsewhere.flat_map(|(_, inst)| Fragment::arguments(inst));
    outputs.extend(used.chain(folded).filter(|v| within(*v)).map(|v| v.0));
    outputs.sort_unstable();
    outputs.dedup();
    if inputs.len() + outputs.len() > MAX_JIT_OPERANDS {
        return Err(calls.len() / 2);
    }
    let kinds: SmallVec<[OperandKind; 16]> = inputs.iter().chain(&outputs).map(|&v| kind_of(fragment, v)).collect();
    let map = map_of(fragment, &inputs, &calls, (&[], &outputs));
    let function = jit.compile_map(&map, &kinds).map_err(|at| at.saturating_sub(inputs.len()))?;
    let operands: SmallVec<[u16; MAX_JIT_OPERANDS]> = inputs.iter().chain(&outputs).map(|&v| v as u16).collect();
    let uniform = kinds.iter().filter(|kind| **kind == OperandKind::Uniform).count();
    let entries = operands[uniform..].iter().fold(0, |all, &v| all | 1u64.checked_shl(v.into()).unwrap_or(0));
    Ok(MapCall { operands, uniform, entries, function })
}

/// Some calls of a fragment as a kernel of its own, a map. It loads the inputs, then stores `alone` right behind their values, as they
/// overlap nothing that it reads, and the other outputs at the end.
fn map_of(fragment: &Fragment, inputs: &[u32], calls: &[u32], (alone, outputs): (&[u32], &[u32])) -> Verified<Kernel> {
    let mut body = Fragment::default();
    let mut renamed: SmallVec<[(u32, ValueId); 32]> = SmallVec::new();
    let mut push = |inst: Inst, dtype: DType| {
        body.insts.push(inst);
        body.types.push(dtype);
        ValueId(body.insts.len() as u32 - 1)
    };
    let dtype = |v: u32| fragment.types[v as usize];
    let operand = |v: u32, access: Access| OperandDecl {
        dtype: dtype(v),
        access,
        restrict: !alone.is_empty(),
        nontemporal: false,
    };
    let stores = || alone.iter().chain(outputs).enumerate().map(|(i, &v)| (OperandId((inputs.len() + i) as u16), v));
    let operands = inputs.iter().map(|&v| operand(v, Access::Read));
    let operands = operands.chain(stores().map(|(_, v)| operand(v, Access::Write))).collect();
    for (i, &v) in inputs.iter().enumerate() {
        renamed.push((v, push(Inst::Load(OperandId(i as u16)), dtype(v))));
    }
    for &call in calls {
        let mut inst = fragment.insts[call as usize].clone();
        visit(&mut inst, |v| {
            if let Some((_, now)) = renamed.iter().find(|(old, _)| *old == v.0) {
                *v = *now;
            }
        });
        let value = push(inst, dtype(call));
        renamed.push((call, value));
        for (to, _) in stores().take(alone.len()).filter(|&(_, v)| v == call) {
            push(Inst::Store(to, value), dtype(call));
        }
    }
    for (to, v) in stores().skip(alone.len()) {
        let now = renamed.iter().find(|(old, _)| *old == v).map_or(ValueId(v), |(_, now)| *now);
        push(Inst::Store(to, now), dtype(v));
    }
    let (template, epilogue) = (Template::Map, Fragment::default());
    let map = Kernel { template, outer: 1, inner: 0, operands, scalars: vec![], body, accumulators: vec![], epilogue };
    verify(map).expect("calls of a verified fragment are a map of their own")
}
