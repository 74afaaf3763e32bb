//! Several calls in one pass: what a backend that makes machine code adds to this one.
//!
//! Between coordinates and gathers a fragment is calls alone. A [`Fuse`] makes one function of as many of them as it has
//! instructions for: every element goes through all of them in registers, and only what is needed elsewhere is written to a
//! block. The calls stay beside it. They tell which instruction raised a flag, and compute what a function left out.

use crate::drive::fp_status;
use crate::ir::build::visit;
use crate::ir::verify::verify;
use crate::portable::exec::bytecode::{Call, Code, Step, effects};
use crate::{
    Access, DType, Fold, FoldOrder, FpFlags, Fragment, Inst, Kernel, Op, OperandDecl, OperandId, Template, ValueId,
    Verified,
};
use smallvec::SmallVec;
use std::fmt;

/// Operands of a function at most.
pub(crate) const OPERANDS: usize = 32;

/// Makes functions of maps.
pub(crate) trait Fuse {
    /// A function of a map without scalars, whose operands follow each other but for `uniform` ones: of those there is one
    /// element for all points.
    ///
    /// # Errors
    /// The first instruction of the map's body for which there is nothing.
    fn fuse(&self, map: &Verified<Kernel>, uniform: &[bool]) -> Result<Box<dyn Fused>, usize>;

    /// The same of a map whose results, its last operands, are folded by these ops instead of stored; none where there is
    /// nothing for an instruction or a fold.
    fn fold(&self, map: &Verified<Kernel>, uniform: &[bool], ops: &[Op]) -> Option<Box<dyn FusedFold>>;
}

/// Bytes that a row becomes, for each fold.
pub(crate) const VECTOR: usize = 64;

/// A function that makes a few values of many, to be folded on.
pub(crate) trait FusedFold: Send + Sync + fmt::Display {
    /// How many values of each fold are left.
    fn lanes(&self) -> usize;

    /// Runs on `n` elements, no fewer than lanes; false where some were left out, for which the results hold anything.
    ///
    /// # Safety
    /// The addresses are those of `n` elements of each operand that is read, one of uniform ones; `out` has room for
    /// [`VECTOR`] bytes for each fold.
    unsafe fn run(&self, addresses: &[*mut u8], n: usize, out: *mut u8) -> bool;
}

/// A function made of several instructions.
pub(crate) trait Fused: Send + Sync + fmt::Display {
    /// Whether it may leave elements out.
    fn leaves_out(&self) -> bool;

    /// Runs on `n` elements; false where some were left out, for which the results hold anything.
    ///
    /// # Safety
    /// The addresses are those of `n` elements of each operand, one of uniform ones; results overlap operands only where
    /// they are the very same elements.
    unsafe fn run(&self, addresses: &[*mut u8], n: usize) -> bool;
}

/// A function in a fragment's place.
pub(crate) struct Pass {
    /// Entries of the table of values.
    operands: SmallVec<[u16; OPERANDS]>,
    /// Of those, how many are uniform: the first ones.
    uniform: usize,
    /// A bit for each of the others; meaningless beyond 64 entries.
    pub(crate) entries: u64,
    function: Box<dyn Fused>,
}

impl Pass {
    /// Runs on `n` elements; whether all were computed.
    ///
    /// # Safety
    /// `at` gives the address of `n` elements for each value.
    #[inline]
    pub(crate) unsafe fn run(&self, n: usize, at: impl Fn(u16) -> *mut u8) -> bool {
        let addresses: SmallVec<[*mut u8; OPERANDS]> = self.operands.iter().map(|&v| at(v)).collect();
        // SAFETY: the caller's contract; values of one kernel have registers or memory of their own, or share those of
        // values that are not needed any more, element by element.
        unsafe { self.function.run(&addresses, n) }
    }

    /// Runs on some rows, with the bytes from one to the next by value.
    ///
    /// # Safety
    /// As [`Pass::run`], for each row.
    pub(crate) unsafe fn run_rows(
        &self,
        n: usize,
        rows: usize,
        at: impl Fn(u16) -> *mut u8,
        pitch: impl Fn(u16) -> isize,
    ) -> bool {
        let mut addresses: SmallVec<[*mut u8; OPERANDS]> = self.operands.iter().map(|&v| at(v)).collect();
        let mut complete = true;
        for _ in 0..rows {
            // SAFETY: the caller's contract.
            complete &= unsafe { self.function.run(&addresses, n) };
            for (address, &value) in addresses.iter_mut().zip(&self.operands).skip(self.uniform) {
                *address = address.wrapping_offset(pitch(value));
            }
        }
        complete
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pass over %{:?}: {}", self.operands, self.function)
    }
}

/// A function in the place of a body and the first steps of its folds.
pub(crate) struct FoldPass {
    /// Entries of the table of values: uniform ones first, then loads.
    operands: SmallVec<[u16; OPERANDS]>,
    function: Box<dyn FusedFold>,
    /// What must not be raised: whose it is the calls have to find out.
    watch: FpFlags,
}

impl FoldPass {
    /// How many values it leaves of each fold.
    pub(crate) fn lanes(&self) -> usize {
        self.function.lanes()
    }

    /// Folds `n` elements to `lanes` values at `out`, [`VECTOR`] bytes a fold. False where that did not compute everything or
    /// raised flags, which are cleared: then the calls have to.
    ///
    /// # Safety
    /// `at` gives the address of `n` elements for each load, of one for what is uniform, and `out` has room.
    #[inline]
    pub(crate) unsafe fn run(&self, n: usize, at: impl Fn(u16) -> *mut u8, out: *mut u8) -> bool {
        let addresses: SmallVec<[*mut u8; OPERANDS]> = self.operands.iter().map(|&v| at(v)).collect();
        // SAFETY: the caller's contract.
        let complete = unsafe { self.function.run(&addresses, n, out) };
        let calm = self.watch.is_empty() || (fp_status::read() & self.watch).is_empty();
        if !calm {
            fp_status::clear();
        }
        complete && calm
    }
}

impl fmt::Display for FoldPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fold over %{:?}: {}", self.operands, self.function)
    }
}

/// Finds a function for all that a body's folds need, if that is loads and calls. What goes on in lanes is left out, products:
/// a tree of them would round worse than [`crate::portable::loops::folds`] lets them. What a body stores besides is left to its calls: sums have the same bits
/// whether their terms are stored or not.
pub(crate) fn find_fold(body: &Code, kernel: &Kernel, fuse: &dyn Fuse) -> Option<FoldPass> {
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
    let inputs = inputs_of(fragment, &calls, &folded);
    if inputs.len() + folded.len() > OPERANDS {
        return None;
    }
    let is_uniform: SmallVec<[bool; 16]> = inputs.iter().chain(&folded).map(|&v| is_uniform(fragment, v)).collect();
    let function = fuse.fold(&map_of(fragment, &inputs, &calls, &folded), &is_uniform, &ops)?;
    Some(FoldPass { operands: inputs.iter().map(|&v| v as u16).collect(), function, watch: effects(kernel) })
}

/// Whether a value is the same at every point.
fn is_uniform(fragment: &Fragment, value: u32) -> bool {
    matches!(fragment.insts[value as usize], Inst::Param(_) | Inst::Const(_))
}

/// What calls, and others, need of values that none of the calls makes: uniform ones first.
fn inputs_of(fragment: &Fragment, calls: &[u32], others: &[u32]) -> SmallVec<[u32; 16]> {
    let arguments = calls.iter().flat_map(|&call| Fragment::arguments(&fragment.insts[call as usize])).map(|v| v.0);
    let mut inputs: SmallVec<[u32; 16]> =
        arguments.chain(others.iter().copied()).filter(|v| !calls.contains(v)).collect();
    inputs.sort_unstable_by_key(|&v| (!is_uniform(fragment, v), v));
    inputs.dedup();
    inputs
}

/// What is done for each block, as far as it is known how to do several things at once.
pub(crate) enum Stage {
    Step(Step),
    Pass(Pass),
}

/// Runs the calls of a fragment that gathers nothing; whether all elements were computed.
///
/// # Safety
/// `at` gives the address of `n` elements for each value.
#[inline]
pub(crate) unsafe fn run_calls(code: &Code, n: usize, at: impl Fn(u16) -> *mut u8) -> bool {
    let call = |c: &Call| {
        let [x, y, z] = c.args.map(|v| at(v).cast_const());
        // SAFETY: the caller's contract; results overlap no argument, or are it where that is allowed.
        unsafe { (c.run)(at(c.out), x, y, z, n, 0) };
    };
    if code.stages.is_empty() {
        code.calls.iter().for_each(call);
        return true;
    }
    let mut complete = true;
    for stage in &code.stages {
        match stage {
            Stage::Step(Step::Call(c)) => call(c),
            // Coordinates are written before.
            Stage::Step(Step::Index { .. } | Step::Gather { .. }) => {}
            // SAFETY: the caller's contract.
            Stage::Pass(pass) => complete &= unsafe { pass.run(n, &at) },
        }
    }
    complete
}

/// Finds calls that can be fused.
pub(crate) fn find(code: &mut Code, kernel: &Kernel, fragment: &Fragment, fuse: &dyn Fuse) {
    let steps = std::mem::take(&mut code.steps);
    let is_call = |step: &Step| matches!(step, Step::Call(_));
    let mut stages = vec![];
    for run in steps.chunk_by(|a, b| is_call(a) && is_call(b)) {
        add_run(&mut stages, run, kernel, fragment, fuse);
    }
    code.steps = steps;
    if stages.iter().any(|stage| matches!(stage, Stage::Pass(_))) {
        code.leaves_out = stages.iter().any(|stage| matches!(stage, Stage::Pass(pass) if pass.function.leaves_out()));
        code.stages = stages;
    }
}

/// Adds calls, fused as far as there are at least two in a row that can be.
fn add_run(stages: &mut Vec<Stage>, mut run: &[Step], kernel: &Kernel, fragment: &Fragment, fuse: &dyn Fuse) {
    while !run.is_empty() {
        let mut many = run.len();
        let pass = loop {
            if many < 2 {
                break None;
            }
            match try_run(&run[..many], kernel, fragment, fuse) {
                Ok(pass) => break Some(pass),
                Err(shorter) => many = shorter.min(many - 1),
            }
        };
        let done = if pass.is_some() { many } else { 1 };
        stages.extend(pass.map(Stage::Pass));
        if done == 1 {
            stages.push(Stage::Step(run[0]));
        }
        run = &run[done..];
    }
}

/// One function of all calls of a run, or how many of them there may be one of.
fn try_run(run: &[Step], kernel: &Kernel, fragment: &Fragment, fuse: &dyn Fuse) -> Result<Pass, usize> {
    let calls: SmallVec<[u32; 32]> =
        run.iter().filter_map(|step| if let Step::Call(call) = step { Some(call.inst) } else { None }).collect();
    let within = |value: ValueId| calls.contains(&value.0);
    let inputs = inputs_of(fragment, &calls, &[]);
    let mut outputs: SmallVec<[u32; 16]> = SmallVec::new();
    let folded = kernel.accumulators.iter().filter(|_| std::ptr::eq(fragment, &kernel.body)).map(|a| a.value);
    let elsewhere = fragment.insts.iter().enumerate().filter(|(i, _)| !calls.contains(&(*i as u32)));
    let used = elsewhere.flat_map(|(_, inst)| Fragment::arguments(inst));
    outputs.extend(used.chain(folded).filter(|v| within(*v)).map(|v| v.0));
    outputs.sort_unstable();
    outputs.dedup();
    if inputs.len() + outputs.len() > OPERANDS {
        return Err(calls.len() / 2);
    }
    let uniform: SmallVec<[bool; 16]> = inputs.iter().chain(&outputs).map(|&v| is_uniform(fragment, v)).collect();
    let map = map_of(fragment, &inputs, &calls, &outputs);
    let function = fuse.fuse(&map, &uniform).map_err(|at| at.saturating_sub(inputs.len()))?;
    let operands: SmallVec<[u16; OPERANDS]> = inputs.iter().chain(&outputs).map(|&v| v as u16).collect();
    let uniform = uniform.iter().filter(|u| **u).count();
    let entries = operands[uniform..].iter().fold(0, |all, &v| all | 1u64.checked_shl(v.into()).unwrap_or(0));
    Ok(Pass { operands, uniform, entries, function })
}

/// Some calls of a fragment as a map: loads, calls, stores.
fn map_of(fragment: &Fragment, inputs: &[u32], calls: &[u32], outputs: &[u32]) -> Verified<Kernel> {
    let mut body = Fragment::default();
    let mut operands = vec![];
    let mut renamed: SmallVec<[(u32, ValueId); 32]> = SmallVec::new();
    let mut push = |inst: Inst, dtype: DType| {
        body.insts.push(inst);
        body.types.push(dtype);
        ValueId(body.insts.len() as u32 - 1)
    };
    let dtype = |v: u32| fragment.types[v as usize];
    for (i, &v) in inputs.iter().enumerate() {
        operands.push(OperandDecl { dtype: dtype(v), access: Access::Read, restrict: false });
        renamed.push((v, push(Inst::Load(OperandId(i as u16)), dtype(v))));
    }
    for &call in calls {
        let mut inst = fragment.insts[call as usize].clone();
        visit(&mut inst, |v| {
            if let Some((_, now)) = renamed.iter().find(|(old, _)| *old == v.0) {
                *v = *now;
            }
        });
        renamed.push((call, push(inst, dtype(call))));
    }
    for &v in outputs {
        let operand = OperandId(operands.len() as u16);
        operands.push(OperandDecl { dtype: dtype(v), access: Access::Write, restrict: false });
        let now = renamed.iter().find(|(old, _)| *old == v).map_or(ValueId(v), |(_, now)| *now);
        push(Inst::Store(operand, now), dtype(v));
    }
    let (template, epilogue) = (Template::Map, Fragment::default());
    let map = Kernel { template, outer: 1, inner: 0, operands, scalars: vec![], body, accumulators: vec![], epilogue };
    verify(map).expect("calls of a verified fragment are a map of their own")
}
