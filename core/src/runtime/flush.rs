//! Flush: plans what is pending and runs it.

use crate::error::{Error, Result};
use crate::host::fault_handler;
use crate::host::interpreter_lock;
use crate::host::interrupt::InterruptPoll;
use crate::memory::storage_ref::StorageRef;
use crate::plan::build;
use crate::plan::plan::Plan;
use crate::runtime::execute::Interrupts;
use crate::runtime::explain::describe;
use crate::runtime::lock::release_parked;
use crate::runtime::profile::FlushReason;
use crate::runtime::state::{Runtime, Speculation};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// From so many points on (50 µs and more) the interpreter lock is released during a flush.
const RELEASE_LOCK_POINTS: usize = 1 << 18;

/// Flushes between two checks that the handler of faults is still the first: a system call of 60 ns.
const CHECK_HANDLER_EVERY: u64 = 16;

impl Runtime {
    /// Runs every pending node whose result is reachable, for this reason.
    ///
    /// # Errors
    /// `MemoryError`, or `KeyboardInterrupt` at the user's wish. Nodes that did not run stay pending, as if the flush had not been
    /// tried.
    pub(crate) fn flush(&mut self, reason: FlushReason) -> Result<()> {
        self.complete_interrupted()?;
        self.lone.observe();
        if self.trace.nodes == 0 {
            return Ok(());
        }
        let plan = self.plan()?;
        self.run_plan(plan, None, None, reason)
    }

    /// Flushes right after a statement was recorded. If that fails, the caller reports that the operation failed; so it does not
    /// stay pending, or a program that tries again would have it twice.
    ///
    /// # Errors
    /// As [`Runtime::flush`].
    pub(crate) fn flush_recorded(&mut self) -> Result<()> {
        let planned = self.complete_interrupted().and_then(|()| self.plan());
        // Nothing may be left: of a fault, another thread flushes too.
        let Some(last) = (self.trace.nodes as u32).checked_sub(1) else { return planned.map(drop) };
        match planned {
            Ok(plan) => self.run_plan(plan, None, Some(last), FlushReason::Immediate),
            Err(error) => {
                self.trace.retain_nodes(&Vec::from_iter(0..last));
                Err(error)
            }
        }
    }

    /// Runs a plan of what is pending. With a `speculation`, whether results that may be dead were is resolved later. If it fails the
    /// node `revoked` does not stay pending.
    pub(crate) fn run_plan(
        &mut self,
        plan: Arc<Plan>,
        speculation: Option<Speculation>,
        revoked: Option<u32>,
        reason: FlushReason,
    ) -> Result<()> {
        self.telemetry.stats.flushes += 1;
        self.turns.follow(&self.trace, reason == FlushReason::Full);
        self.lone.flush(self.trace.nodes);
        let started = self.telemetry.recorder.as_mut().map(|recorder| (recorder.begin(), self.trace.nodes));
        if self.telemetry.stats.flushes.is_multiple_of(CHECK_HANDLER_EVERY) {
            fault_handler::ensure_installed();
        }
        self.downloaded_elements = 0;
        // Dropped now and not after the kernels: an atomic exchange waits for all their stores to arrive (130 ns).
        self.last.plan = None;
        let done = if interpreter_lock::is_released(plan.points >= RELEASE_LOCK_POINTS) {
            // All of it: what another thread finds that handles a fault meanwhile is consistent.
            release_parked(|| self.run_to_end(plan, true, speculation, revoked))
        } else {
            self.run_to_end(plan, false, speculation, revoked)
        };
        if let (Some((started, nodes)), Some(recorder)) = (started, &mut self.telemetry.recorder) {
            recorder.end_flush(&started, reason, nodes);
        }
        done
    }

    fn run_to_end(
        &mut self,
        plan: Arc<Plan>,
        long: bool,
        speculation: Option<Speculation>,
        revoked: Option<u32>,
    ) -> Result<()> {
        let interrupts = long.then(|| Interrupts { poll: InterruptPoll::new(), keeps_all: revoked.is_none() });
        let (ran, done) = self.execute(&plan, interrupts.as_ref());
        if done.is_ok() {
            self.last.plan = Some(plan);
            match speculation {
                Some(speculation) => self.defer_speculation(speculation),
                None => self.forget_trace(),
            }
        } else {
            self.keep_unrun(&plan, ran, revoked);
        }
        done
    }

    /// Drops the nodes that ran of a plan that failed, and a revoked one.
    pub(crate) fn keep_unrun(&mut self, plan: &Plan, ran: usize, revoked: Option<u32>) {
        let mut rest: Vec<u32> = plan.steps[ran..].iter().flat_map(|step| step.nodes.iter().copied()).collect();
        rest.extend(plan.omitted.iter().flat_map(|omitted| &omitted.nodes));
        rest.sort_unstable();
        rest.dedup();
        rest.retain(|&node| Some(node) != revoked);
        self.trace.retain_nodes(&rest);
        if let Some(interrupted) = &mut self.interrupted {
            interrupted.locate_nodes(&rest);
        }
    }

    /// Drops the trace, but keeps what `explain` prints.
    pub(crate) fn forget_trace(&mut self) {
        std::mem::swap(&mut self.last.tape, &mut self.trace.tape);
        std::mem::swap(&mut self.last.live, &mut self.live);
        self.trace.clear();
    }

    /// The plan of what is pending, from the cache or made.
    ///
    /// # Errors
    /// `SystemError` for a bug in planning or compiling.
    pub(crate) fn plan(&mut self) -> Result<Arc<Plan>> {
        let started = self.telemetry.recorder.as_mut().map(|recorder| recorder.begin());
        let plan = self.find_plan();
        if let (Some(started), Some(recorder)) = (started, &mut self.telemetry.recorder) {
            recorder.end_plan(&started);
        }
        plan
    }

    fn find_plan(&mut self) -> Result<Arc<Plan>> {
        let mut live = std::mem::take(&mut self.live);
        live.clear();
        live.extend(self.trace.slots.iter().map(|s| StorageRef::count(&s.storage) > 1 || s.storage.owner().is_some()));
        let index = self.choose_target();
        // A loop records the same tape again and again: this needs no hash, and no reference to the plan is counted up and down.
        let again = |plan: &mut Arc<Plan>| {
            let same = self.last.live == live && self.last.tape == self.trace.tape;
            same && plan.omitted.is_none() && plan.target.index == index
        };
        if let Some(plan) = self.last.plan.take_if(again) {
            self.telemetry.stats.plans_reused += 1;
            self.live = live;
            return Ok(plan);
        }
        let length = self.trace.tape.len();
        for bits in live.chunks(64) {
            let word = bits.iter().enumerate().fold(0, |word, (i, &bit)| word | (bit as u64) << i);
            self.trace.tape.push(word);
        }
        // Another target needs another plan.
        self.trace.tape.push(index as u64);
        let plan = match self.programs.plan(&self.trace.tape) {
            Some(plan) => {
                self.telemetry.stats.plans_reused += 1;
                Ok(plan)
            }
            None => {
                self.telemetry.stats.plans_made += 1;
                let key: Box<[u64]> = self.trace.tape[..].into();
                let tape = std::mem::take(&mut self.trace.tape);
                let target = self.plan_target(index);
                let build =
                    || build::build(&tape[..length], &live, target, &mut |kernel| self.compile_for(index, kernel));
                let built = catch_unwind(AssertUnwindSafe(build)).map(Arc::new);
                if let Ok(plan) = &built {
                    self.telemetry.debug.print_plan(|| describe(&tape[..length], &live, plan, &[], false));
                    self.programs.insert_plan(key, plan.clone());
                }
                self.trace.tape = tape;
                built.map_err(|panic| Error::from_panic(&*panic, &"the planner"))
            }
        };
        self.trace.tape.truncate(length);
        self.live = live;
        plan
    }
}
