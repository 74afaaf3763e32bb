//! Running what is left of a step that was interrupted.

use crate::error::{Error, ErrorKind, Result};
use crate::host::interrupt::InterruptPoll;
use crate::runtime::execute::{Addresses, interrupted};
use crate::runtime::interrupted_step::InterruptedStep;
use crate::runtime::lock::release_parked;
use crate::runtime::state::Runtime;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
        let done = catch_unwind(AssertUnwindSafe(|| self.complete_step(&step)));
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

    fn complete_step(&mut self, step: &InterruptedStep) -> Result<()> {
        let work = &step.plan.steps[step.index];
        let scratch = work.kind.scratch()?;
        let mut addresses = Addresses::new();
        for (storage, offset) in &step.operands {
            addresses.push(storage.address_to_write()?.wrapping_offset(*offset));
        }
        if !self.run_tasks_left(&work.kind, &addresses, scratch.as_ref(), &InterruptPoll::new(), &step.progress)? {
            return Err(interrupted());
        }
        for (operand, (storage, _)) in step.operands.iter().enumerate() {
            if work.writes(operand) {
                storage.invalidate_device()?;
            }
        }
        Ok(())
    }
}
