//! Execution of plans: memory for every step, and launches; the steps on the host.

use crate::error::{Error, ErrorKind, Result};
use crate::host::gemm;
use crate::host::gemm::Product;
use crate::host::interrupt::{InterruptPoll, InterruptibleThreads, ResumableThreads, TaskProgress};
use crate::host::threads::Threads;
use crate::memory::pool::Buffer;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::StorageRef;
use crate::plan::plan::{KernelLaunch, Plan, PlanStep, StepKind};
use crate::runtime::execute_composed::ScratchMemory;
use crate::runtime::interrupted_step::InterruptedStep;
use crate::runtime::state::Runtime;
use fastnp_codegen::backend::fault;
use fastnp_codegen::drive::interrupt;
use fastnp_codegen::{DType, Device, Scalar, ThreadPool};
use smallvec::SmallVec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// The addresses of a step's operands.
pub(crate) type Addresses = SmallVec<[*mut u8; 12]>;

/// How a plan is interrupted.
pub(crate) struct Interrupts {
    pub(crate) poll: InterruptPoll,
    /// Whether all that did not run stays pending, also a step of which a part ran.
    pub(crate) keeps_all: bool,
}

/// What becomes of a step that is interrupted between two tasks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterInterrupt {
    /// It reads nothing that it writes: it runs again.
    Repeat,
    /// It may overwrite what it reads, each task what it alone reads: the tasks that are left run.
    Resume,
}

impl Runtime {
    /// Runs the steps of a plan in order, up to the end or to one that fails; how many ran.
    pub(crate) fn execute(&mut self, plan: &Arc<Plan>, interrupts: Option<&Interrupts>) -> (usize, Result<()>) {
        let slots = self.trace.add_slots(&plan.copied_bytes);
        let done = self.execute_on_target(plan, interrupts);
        self.trace.truncate_slots(slots);
        done
    }

    fn execute_on_target(&mut self, plan: &Arc<Plan>, interrupts: Option<&Interrupts>) -> (usize, Result<()>) {
        let Some(device) = self.targets[plan.target.index].device.clone() else {
            return self.execute_on(None, plan, interrupts);
        };
        // Exported memory is used by other libraries in streams of their own, which are not ordered with ours: each side waits for
        // the other.
        let is_exported = self.trace.slots.iter().any(|s| s.storage.is_exported_on_device());
        let wait = || if is_exported { device.wait().map_err(Error::from) } else { Ok(()) };
        if let Err(error) = self.prepare_device(plan, &device).and_then(|()| wait()) {
            return (0, Err(error));
        }
        // Foreign memory is returned when its last reference is dropped, so no work that uses it may be delayed in a graph.
        if !is_exported {
            device.begin();
        }
        let (ran, mut done) = self.execute_on(Some(&device), plan, interrupts);
        if !is_exported {
            let ended = device.end().map(|graphs| self.telemetry.stats.graphs_launched += graphs);
            done = done.and(ended.map_err(Error::from));
            self.telemetry.debug.print_notes(&device);
        }
        (ran, done.and(self.write_back_shared()).and_then(|()| wait()))
    }

    fn execute_on(
        &mut self,
        device: Option<&Arc<dyn Device>>,
        plan: &Arc<Plan>,
        interrupts: Option<&Interrupts>,
    ) -> (usize, Result<()>) {
        self.last.nanoseconds.clear();
        for (i, step) in plan.steps.iter().enumerate() {
            if fault::strikes() || interrupts.is_some_and(|interrupts| interrupts.poll.poll()) {
                return (i, Err(interrupted()));
            }
            let started = self.telemetry.recorder.is_some().then(Instant::now);
            // A panic, which is a bug, is an error like others: what ran before has run, and the rest stays pending.
            let done = catch_unwind(AssertUnwindSafe(|| match device {
                None => self.run_on_host(plan, i, interrupts),
                Some(device) => self.run_on_device(plan, i, device),
            }));
            let done = done.unwrap_or_else(|panic| Err(Error::from_panic(&*panic, &step.kind)));
            self.end_donations(done.is_err() && self.interrupted.is_none());
            if let Err(error) = done {
                return (i, Err(error));
            }
            self.last.nanoseconds.extend(started.map(|started| started.elapsed().as_nanos() as u64));
            for &slot in &step.releases {
                if let Some(storage) = StorageRef::get_mut(&mut self.trace.slots[slot as usize].storage) {
                    storage.take_memory();
                    storage.drop_device_buffer();
                }
            }
        }
        (plan.steps.len(), Ok(()))
    }

    /// Runs a step on the host.
    pub(crate) fn run_on_host(
        &mut self,
        plan: &Arc<Plan>,
        index: usize,
        interrupts: Option<&Interrupts>,
    ) -> Result<()> {
        let step = &plan.steps[index];
        // All the memory of the step, before any is donated: a step that fails leaves the operands of the nodes as they were.
        let donations = self.possible_donations(step, |given| given.address().is_some());
        let mut allocate: SmallVec<[(u32, Buffer); 4]> = SmallVec::new();
        for &(slot, _) in &step.operands {
            let storage = &self.trace.slots[slot as usize].storage;
            if storage.is_device_only() {
                storage.materialize()?;
            } else if storage.address().is_none()
                && donations.iter().all(|donation| donation.0 != slot)
                && allocate.iter().all(|m| m.0 != slot)
            {
                allocate.push((slot, Buffer::new(storage.bytes())?));
            }
        }
        let scratch = step.kind.scratch()?;
        donations.into_iter().for_each(|donation| self.donate(donation));
        let allocated: SmallVec<[u32; 4]> = allocate.iter().map(|m| m.0).collect();
        for (slot, buffer) in allocate {
            self.trace.slots[slot as usize].storage.set_memory(buffer);
        }
        let mut addresses = Addresses::new();
        for &(slot, offset) in &step.operands {
            let slot = &self.trace.slots[slot as usize];
            addresses.push(slot.storage.address_to_write()?.wrapping_offset(slot.base + offset));
        }
        let scratch = scratch.as_ref();
        let after = interrupts.and_then(|i| Some((&i.poll, self.after_interrupt(step, &allocated, i.keeps_all)?)));
        match after {
            None => self.run_step(&step.kind, &addresses, scratch, &Threads)?,
            Some((poll, AfterInterrupt::Repeat)) => {
                let threads = InterruptibleThreads(poll);
                interrupt::polling(poll, || self.run_step(&step.kind, &addresses, scratch, &threads))?;
                if poll.was_interrupted() {
                    allocated.iter().for_each(|&slot| self.trace.slots[slot as usize].storage.discard_memory());
                    return Err(interrupted());
                }
            }
            Some((poll, AfterInterrupt::Resume)) => {
                let progress = TaskProgress::new();
                if !self.run_tasks_left(&step.kind, &addresses, scratch, poll, &progress)? {
                    self.interrupted = Some(InterruptedStep::new(&self.trace, plan, index, progress));
                    return Err(interrupted());
                }
            }
        }
        written_slots(step).try_for_each(|slot| self.trace.slots[slot as usize].storage.invalidate_device())
    }

    /// What becomes of a step that is interrupted between two tasks, by the slots that it got memory for and whether it may stay pending with
    /// a part of its results stored; `None` where it runs to its end.
    fn after_interrupt(&self, step: &PlanStep, allocated: &[u32], keeps_all: bool) -> Option<AfterInterrupt> {
        if written_slots(step).all(|slot| allocated.contains(&slot)) {
            return Some(AfterInterrupt::Repeat);
        }
        // Code outside does not wait for what is pending.
        let is_seen = |slot: u32| self.trace.slots[slot as usize].storage.is_shared();
        if !keeps_all || written_slots(step).any(is_seen) {
            return None;
        }
        if step.kind.is_divided_once() {
            return Some(AfterInterrupt::Resume);
        }
        let overwrites =
            |(slot, is_written): (u32, bool)| !is_written && written_slots(step).any(|other| other == slot);
        (self.donated.is_empty() && !accesses(step).any(overwrites)).then_some(AfterInterrupt::Repeat)
    }

    /// Runs the tasks of a step that have not run, up to the end or to an interrupt; whether it was the end.
    pub(crate) fn run_tasks_left(
        &mut self,
        kind: &StepKind,
        addresses: &[*mut u8],
        scratch: Option<&ScratchMemory>,
        poll: &InterruptPoll,
        progress: &TaskProgress,
    ) -> Result<bool> {
        self.run_step(kind, addresses, scratch, &ResumableThreads { poll, progress })?;
        Ok(progress.is_complete())
    }

    /// Runs what a step does, on memory that its operands have.
    fn run_step(
        &mut self,
        kind: &StepKind,
        addresses: &[*mut u8],
        scratch: Option<&ScratchMemory>,
        workers: &dyn ThreadPool,
    ) -> Result<()> {
        match kind {
            StepKind::Kernel(work) => self.launch(work, addresses, workers, None),
            StepKind::Composed(work) => self.launch_composed(work, addresses, scratch, workers, None),
            StepKind::Product(work) => {
                self.multiply((work.product, work.dtype), &work.domain, &work.strides, addresses, workers);
                Ok(())
            }
            StepKind::SharedMatrix(parts) => {
                self.multiply_shared(parts, addresses, workers);
                Ok(())
            }
        }
    }

    /// The donations of a step that can be made: the taker needs memory, and the giver has as much, which nothing else references.
    pub(crate) fn possible_donations(
        &mut self,
        step: &PlanStep,
        has_memory: impl Fn(&Storage) -> bool,
    ) -> SmallVec<[(u32, u32); 2]> {
        let mut possible: SmallVec<[(u32, u32); 2]> = SmallVec::new();
        for &(taker, giver) in &step.donations {
            let wanted = &self.trace.slots[taker as usize].storage;
            let bytes = (!wanted.has_memory()).then(|| wanted.bytes());
            let given = StorageRef::get_mut(&mut self.trace.slots[giver as usize].storage);
            let is_spent =
                given.is_some_and(|s| Some(s.bytes()) == bytes && s.owner().is_none() && !s.is_open() && has_memory(s));
            if is_spent && possible.iter().all(|&(t, g)| t != taker && g != giver) {
                possible.push((taker, giver));
            }
        }
        possible
    }

    /// Makes a donation until the step ends.
    pub(crate) fn donate(&mut self, (taker, giver): (u32, u32)) {
        self.telemetry.stats.buffers_donated += 1;
        let storage = self.trace.slots[taker as usize].storage.clone();
        // The giver keeps its slot: the kernel reads it at the taker's address.
        let given = std::mem::replace(&mut self.trace.slots[giver as usize].storage, storage);
        given.move_memory_to(&self.trace.slots[taker as usize].storage);
        self.donated.push((taker, giver, given));
    }

    /// Ends the donations of a step. Nothing reads the givers any more, so they stay without memory; if the step failed, they get it
    /// back.
    fn end_donations(&mut self, failed: bool) {
        while let Some((taker, giver, given)) = self.donated.pop() {
            if failed {
                self.telemetry.stats.buffers_donated -= 1;
                self.trace.slots[taker as usize].storage.move_memory_to(&given);
            }
            self.trace.slots[giver as usize].storage = given;
        }
    }

    pub(crate) fn scalars_of(&self, work: &KernelLaunch) -> SmallVec<[Scalar; 8]> {
        work.scalars.iter().map(|&i| self.trace.scalars[i as usize]).collect()
    }

    pub(crate) fn launch(
        &mut self,
        work: &KernelLaunch,
        addresses: &[*mut u8],
        workers: &dyn ThreadPool,
        device: Option<&dyn Device>,
    ) -> Result<()> {
        let scalars = self.scalars_of(work);
        let launch = work.launch(addresses, &scalars);
        // SAFETY: recorded views lie within their storages, which have memory on this target now; the planner fuses nodes only
        // where their accesses do not overlap except at the same point, and no other thread runs kernels meanwhile.
        unsafe {
            self.telemetry.launch((&work.kernel, &*work.program), &launch, workers, device, &|e, i| work.part_of(e, i))
        }
    }

    /// Runs matrix products on the host.
    pub(crate) fn multiply(
        &mut self,
        (product, dtype): (Product, DType),
        domain: &[usize],
        strides: &[isize],
        addresses: &[*mut u8],
        workers: &dyn ThreadPool,
    ) {
        let started = self.telemetry.clock(2);
        let raised = gemm::run_batch(dtype, domain, strides, addresses, workers);
        self.telemetry.note_product(product, raised);
        self.telemetry.stats.matrix_products += 1;
        if let Some(started) = started {
            self.telemetry.report_product(dtype, domain, started);
        }
    }
}

#[cold]
pub(crate) fn interrupted() -> Error {
    Error::new(ErrorKind::Interrupted, "the computation was interrupted")
}

/// The slots that a step writes.
pub(crate) fn written_slots(step: &PlanStep) -> impl Iterator<Item = u32> {
    accesses(step).filter_map(|(slot, is_written)| is_written.then_some(slot))
}

/// The slots of a step's operands, and whether it writes them.
fn accesses(step: &PlanStep) -> impl Iterator<Item = (u32, bool)> {
    step.operands.iter().enumerate().map(|(i, &(slot, _))| (slot, step.writes(i)))
}
