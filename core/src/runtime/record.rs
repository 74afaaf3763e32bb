//! Recording: statements appended to the trace, unless they run eagerly.

use crate::array::array::Array;
use crate::array::layout::count;
use crate::array::strided_view::StridedView;
use crate::array::value::Value;
use crate::error::Result;
use crate::memory::storage_handle::StorageHandle;
use crate::memory::storage_ref::StorageRef;
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::allocate::CHECK_MEMORY_FROM;
use crate::runtime::loop_turns::Place;
use crate::runtime::profile::FlushReason;
use crate::runtime::state::Runtime;
use fastnp_codegen::cost::MAX_NODES;
use fastnp_codegen::{DType, Scalar};
use smallvec::SmallVec;

/// The trace is flushed at so many nodes.
const MAX_PENDING_NODES: usize = 1024;
/// From so many nodes on, turns of a loop are looked for: shorter ones fit a kernel several times. The trace is flushed where its first node
/// comes again and another turn would not fit: a loop then records the same tape every time (see [`crate::runtime::loop_turns`]).
const MIN_TURN_NODES: usize = MAX_NODES / 4;

/// An op on dense arrays, a copy or a fill, to a dense array (see [`crate::runtime::eager_dense`]).
#[derive(Clone, Copy)]
pub(crate) struct DenseStatement<'a> {
    pub(crate) op: Operation,
    pub(crate) compute: DType,
    pub(crate) args: &'a [Value<'a>],
    /// The numbers among the arguments, as values of `compute`; more are not read.
    pub(crate) numbers: &'a [Scalar],
    pub(crate) result: &'a Array,
    /// Whether the result covers its storage.
    pub(crate) covers: bool,
}

impl Runtime {
    /// Takes a statement: runs it eagerly if it is small and ready, else records it.
    pub(crate) fn submit(&mut self, s: &Statement<'_>) -> Result<()> {
        self.submit_all(std::slice::from_ref(s))
    }

    /// Takes the statements of one operation, which have the same inputs. If one of them has to run at once all do, so that they may
    /// share a kernel, and the work that they have in common.
    pub(crate) fn submit_all(&mut self, statements: &[Statement<'_>]) -> Result<()> {
        let (mut runs_now, mut scalars) = (false, None);
        for s in statements {
            runs_now |= self.run_or_record(s, &mut scalars)?;
        }
        if runs_now { self.flush_recorded() } else { Ok(()) }
    }

    /// Runs a statement eagerly or records it; whether it is recorded and has to run at once. `scalars` says where the numbers of the
    /// statements of its operation are, by the trace's epoch.
    fn run_or_record(&mut self, s: &Statement<'_>, scalars: &mut Option<(u32, usize)>) -> Result<bool> {
        let points = count(s.domain);
        if points == 0 && s.reduced == 0 {
            return Ok(false);
        }
        if s.target.storage.has_snapshots() {
            self.copy_on_write(s.target.storage)?;
        }
        if self.run_eagerly(s, points)? {
            return Ok(false);
        }
        self.telemetry.stats.native_operations += 1;
        if s.target.storage.bytes() >= CHECK_MEMORY_FROM {
            self.check_allocatable(s.target.storage)?;
        }
        self.flush_if_full(s.op, s.domain)?;
        let epoch = self.trace.epoch;
        let known = scalars.filter(|&(of, _)| of == epoch);
        let first = known.map_or(self.trace.scalars.len(), |(_, first)| first);
        *scalars = Some((epoch, first));
        if s.views().any(|view| view.storage.is_open()) {
            return self.record_open(s, first);
        }
        self.trace.record(s, first);
        Ok(self.is_eager() || self.touches_shared(s))
    }

    /// Records a statement on storages that code outside may read and write at any time: they are closed, or it has to run at once, which
    /// is the result. Of small ones it reads copies.
    fn record_open(&mut self, s: &Statement<'_>, scalars: usize) -> Result<bool> {
        let mut copies: SmallVec<[Option<StorageHandle>; 3]> = SmallVec::new();
        for input in s.inputs {
            copies.push(match input {
                Input::Memory(view) => self.closed_or_copied(view.storage)?,
                Input::Scalar(_) => None,
            });
        }
        if s.target.storage.is_open() {
            self.close(s.target.storage);
        }
        let inputs: SmallVec<[Input<'_>; 3]> = s
            .inputs
            .iter()
            .zip(&copies)
            .map(|(input, copy)| match (input, copy) {
                (Input::Memory(view), Some(copy)) => Input::Memory(StridedView { storage: copy, ..view.clone() }),
                _ => input.clone(),
            })
            .collect();
        let s = Statement { inputs: &inputs, target: s.target.clone(), ..*s };
        self.trace.record(&s, scalars);
        Ok(self.is_eager() || self.touches_shared(&s))
    }

    /// Closes an open storage that a pending node is to read, or copies its contents if they are small.
    ///
    /// # Errors
    /// `MemoryError`.
    #[cold]
    fn closed_or_copied(&mut self, storage: &StorageRef) -> Result<Option<StorageHandle>> {
        if !storage.is_small_open() {
            self.close(storage);
            return Ok(None);
        }
        let (copy, to) = self.allocate(storage.bytes())?;
        // SAFETY: both have so many bytes in memory, and the copy is new. Code outside may write them meanwhile; then the copy has the old or
        // the new ones.
        unsafe { std::ptr::copy_nonoverlapping(storage.materialize()?, to, storage.bytes()) };
        self.trace.keep_copy(&copy);
        Ok(Some(copy))
    }

    /// Records a statement on dense arrays.
    pub(crate) fn record_dense(&mut self, statement: DenseStatement<'_>) -> Result<()> {
        let DenseStatement { op, args, result, .. } = statement;
        debug_assert!(!result.storage.has_snapshots(), "a statement copies for snapshots, this does not");
        self.telemetry.stats.native_operations += 1;
        if result.storage.bytes() >= CHECK_MEMORY_FROM {
            self.check_allocatable(&result.storage)?;
        }
        self.flush_if_full(op, result.shape())?;
        if args.iter().any(|arg| matches!(arg, Value::Array(a) if a.storage.is_open())) {
            let closed = args.iter().map(|arg| self.closed(arg)).collect::<Result<SmallVec<[Option<Array>; 2]>>>()?;
            let with_copies = args.iter().zip(&closed).map(|(arg, copy)| copy.as_ref().map_or(*arg, Value::Array));
            let args: SmallVec<[Value<'_>; 2]> = with_copies.collect();
            return self.push_dense(DenseStatement { args: &args, ..statement });
        }
        self.push_dense(statement)
    }

    /// [`Self::closed_or_copied`] of an argument; the copy as an array.
    #[cold]
    fn closed(&mut self, arg: &Value<'_>) -> Result<Option<Array>> {
        let Value::Array(a) = arg else { return Ok(None) };
        if !a.storage.is_open() {
            return Ok(None);
        }
        let copy = self.closed_or_copied(&a.storage)?;
        Ok(copy.map(|storage| Array { storage, layout: a.layout.clone(), ..**a }))
    }

    /// Appends the node of [`Self::record_dense`] to the trace, and flushes it if it has to run at once.
    #[inline(always)]
    fn push_dense(&mut self, statement: DenseStatement<'_>) -> Result<()> {
        let DenseStatement { op, compute, args, numbers, result, covers } = statement;
        if result.storage.is_open() {
            self.close(&result.storage);
        }
        let mut is_shared = self.is_eager() || result.storage.is_shared();
        let mut numbers = numbers.iter();
        self.trace.begin(op, compute, args.len(), result.shape(), 0, covers);
        for arg in args {
            if let Value::Array(a) = arg {
                is_shared |= a.storage.is_shared();
                self.trace.push_view(&a.storage, a.dtype, a.layout.offset, a.strides());
            } else {
                self.trace.push_scalar(*numbers.next().expect("each number among the arguments is given"));
            }
        }
        self.trace.end(&result.storage, result.dtype, result.layout.offset, result.strides());
        if is_shared { self.flush_recorded() } else { Ok(()) }
    }

    /// Whether every statement is to be flushed when it is recorded.
    #[inline]
    fn is_eager(&self) -> bool {
        self.eager | self.telemetry.fp_flags.errstate.is_immediate()
    }

    /// Flushes if the trace is so long that the next node should begin a new one, or holds more memory than the program would
    /// without it.
    #[inline]
    fn flush_if_full(&mut self, op: Operation, domain: &[usize]) -> Result<()> {
        let nodes = self.trace.nodes;
        let is_full = nodes >= MAX_PENDING_NODES;
        let is_last = |turn: usize| nodes + turn > MAX_NODES;
        let ends = nodes >= MIN_TURN_NODES && !is_full && self.trace.ends_turn(op, domain).is_some_and(is_last);
        let turn = ends.then(|| Place::of(&self.trace)).filter(|&place| self.turns.is_likely(place));
        if turn.is_none() && !is_full && !self.trace.over_memory_budget() {
            return Ok(());
        }
        self.telemetry.stats.flushes_at_limit += 1;
        self.flush(FlushReason::Full)?;
        match turn {
            Some(place) => self.turns.end(place),
            None if is_full => self.turns.forget(),
            None => {}
        }
        Ok(())
    }

    fn touches_shared(&self, s: &Statement<'_>) -> bool {
        s.target.storage.is_shared()
            || s.inputs.iter().any(|input| matches!(input, Input::Memory(view) if view.storage.is_shared()))
    }
}
