//! A step that overwrites its operands and was interrupted between two tasks: what has run cannot run again, so what is left runs before
//! anything else does.
//!
//! Its nodes stay in the trace, as those of steps that did not begin: whatever has to wait for one of them, or to be ordered with it, flushes,
//! and a flush completes the step first.

use crate::error::{Error, ErrorKind, Result};
use crate::host::interrupt::{InterruptPoll, ResumableThreads, TaskProgress};
use crate::memory::storage_ref::StorageRef;
use crate::plan::plan::Plan;
use crate::plan::trace::Trace;
use crate::runtime::execute::{Addresses, interrupted};
use crate::runtime::lock::release_parked;
use crate::runtime::state::Runtime;
use fastnp_codegen::Scalar;
use smallvec::SmallVec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A step of which a part has run.
pub(crate) struct InterruptedStep {
    /// The plan, and the index of the step.
    plan: Arc<Plan>,
    index: usize,
    /// The storage and byte offset of each operand. Memory may move, so there are no addresses.
    operands: SmallVec<[(StorageRef, isize); 6]>,
    /// The scalars of the trace that was planned.
    scalars: Vec<Scalar>,
    progress: TaskProgress,
    /// Its nodes, by index in the trace that is pending.
    nodes: Vec<u32>,
}

impl InterruptedStep {
    /// A step of the plan of this trace. Its donations are in force.
    pub(crate) fn new(trace: &Trace, plan: &Arc<Plan>, index: usize, progress: TaskProgress) -> InterruptedStep {
        let operand = |&(slot, offset): &(u32, isize)| {
            let slot = &trace.slots[slot as usize];
            (slot.storage.clone(), slot.base + offset)
        };
        InterruptedStep {
            plan: plan.clone(),
            index,
            operands: plan.steps[index].operands.iter().map(operand).collect(),
            scalars: trace.scalars.clone(),
            progress,
            nodes: Vec::new(),
        }
    }

    /// Finds its nodes among those of the planned trace that stay pending.
    pub(crate) fn locate_nodes(&mut self, pending: &[u32]) {
        let of_step = &self.plan.steps[self.index].nodes;
        let places = pending.iter().enumerate().filter(|(_, node)| of_step.contains(node));
        self.nodes = places.map(|(place, _)| place as u32).collect();
    }
}

impl Runtime {
    /// Runs what is left of a step that was interrupted, and drops its nodes. Nothing may be pending afterwards, though something was.
    ///
    /// # Errors
    /// `MemoryError`, or `KeyboardInterrupt` at the user's wish: then it stays as it is.
    #[inline]
    pub(crate) fn complete_interrupted(&mut self) -> Result<()> {
        // With its nodes: what another thread finds that handles a fault meanwhile is consistent.
        if self.interrupted.is_none() { Ok(()) } else { release_parked(|| self.resume_step()) }
    }

    #[cold]
    fn resume_step(&mut self) -> Result<()> {
        let Some(mut step) = self.interrupted.take() else { return Ok(()) };
        std::mem::swap(&mut self.trace.scalars, &mut step.scalars);
        let done = catch_unwind(AssertUnwindSafe(|| self.run_tasks_left(&step)));
        std::mem::swap(&mut self.trace.scalars, &mut step.scalars);
        let done = done.unwrap_or_else(|panic| Err(Error::from_panic(&*panic, &step.plan.steps[step.index].kind)));
        if done.as_ref().is_err_and(|error| error.kind() != ErrorKind::Internal) {
            self.interrupted = Some(step);
            return done;
        }
        let rest: Vec<u32> = (0..self.trace.nodes as u32).filter(|node| !step.nodes.contains(node)).collect();
        self.trace.retain_nodes(&rest);
        self.trace.release(step.operands.into_iter().map(|(storage, _)| storage));
        done
    }

    fn run_tasks_left(&mut self, step: &InterruptedStep) -> Result<()> {
        let work = &step.plan.steps[step.index];
        let scratch = work.kind.scratch()?;
        let mut addresses = Addresses::new();
        for (storage, offset) in &step.operands {
            addresses.push(storage.address_to_write()?.wrapping_offset(*offset));
        }
        let poll = InterruptPoll::new();
        let threads = ResumableThreads { poll: &poll, progress: &step.progress };
        self.run_step(&work.kind, &addresses, scratch.as_ref(), &threads)?;
        if !step.progress.is_complete() {
            return Err(interrupted());
        }
        let written = step.operands.iter().enumerate().filter(|&(operand, _)| work.writes(operand));
        written.into_iter().try_for_each(|(_, (storage, _))| storage.invalidate_device())
    }
}
