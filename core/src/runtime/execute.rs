//! Execution of plans: memory for every step, and launches; the steps on the host.

use crate::error::{Error, ErrorKind, Result};
use crate::host::gemm;
use crate::host::gemm::Product;
use crate::host::interrupt::{InterruptPoll, InterruptibleThreads};
use crate::host::threads::Threads;
use crate::memory::pool::Buffer;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::StorageRef;
use crate::plan::plan::{KernelLaunch, Plan, PlanStep, StepKind};
use crate::runtime::state::Runtime;
use fastnp_codegen::backend::fault;
use fastnp_codegen::drive::interrupt;
use fastnp_codegen::{Access, DType, Device, Scalar, ThreadPool};
use smallvec::SmallVec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// The addresses of a step's operands.
pub(crate) type Addresses = SmallVec<[*mut u8; 12]>;

impl Runtime {
    /// Runs the steps of a plan in order, up to the end or to one that fails; how many ran.
    pub(crate) fn execute(&mut self, plan: &Plan, long: bool) -> (usize, Result<()>) {
        let Some(device) = self.targets[plan.target.index].device.clone() else {
            return self.execute_on(None, plan, long);
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
        let (ran, mut done) = self.execute_on(Some(&device), plan, long);
        if !is_exported {
            let ended = device.end().map(|graphs| self.telemetry.stats.graphs_launched += graphs);
            done = done.and(ended.map_err(Error::from));
            self.telemetry.debug.print_notes(&device);
        }
        (ran, done.and(self.write_back_shared()).and_then(|()| wait()))
    }

    fn execute_on(&mut self, device: Option<&Arc<dyn Device>>, plan: &Plan, long: bool) -> (usize, Result<()>) {
        let interrupts = long.then(InterruptPoll::new);
        self.last.nanoseconds.clear();
        for (i, step) in plan.steps.iter().enumerate() {
            if fault::strikes() || interrupts.as_ref().is_some_and(InterruptPoll::poll) {
                return (i, Err(interrupted()));
            }
            let started = self.telemetry.recorder.is_some().then(Instant::now);
            // A panic, which is a bug, is an error like others: what ran before has run, and the rest stays pending.
            let done = catch_unwind(AssertUnwindSafe(|| match device {
                None => self.run_on_host(step, interrupts.as_ref()),
                Some(device) => self.run_on_device(step, device),
            }));
            let done = done.unwrap_or_else(|panic| Err(Error::from_panic(&*panic, &step.kind)));
            self.end_donations(done.is_err());
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

    /// Runs a step on the host. One that writes nothing but the memory that it got can be run again, so it is interrupted between two
    /// tasks; one that overwrites contents runs to its end.
    pub(crate) fn run_on_host(&mut self, step: &PlanStep, interrupts: Option<&InterruptPoll>) -> Result<()> {
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
        let scratch = match &step.kind {
            StepKind::Composed(work) => work.scratch()?,
            StepKind::Kernel(_) | StepKind::Product { .. } => None,
        };
        donations.into_iter().for_each(|donation| self.donate(donation));
        let allocated: SmallVec<[u32; 4]> = allocate.iter().map(|m| m.0).collect();
        for (slot, buffer) in allocate {
            self.trace.slots[slot as usize].storage.set_memory(buffer);
        }
        let interrupts = interrupts.filter(|_| written_slots(step).all(|slot| allocated.contains(&slot)));
        let mut addresses = Addresses::new();
        for &(slot, offset) in &step.operands {
            let slot = &self.trace.slots[slot as usize];
            addresses.push(slot.storage.address_to_write()?.wrapping_offset(slot.base + offset));
        }
        let interruptible = interrupts.map(InterruptibleThreads);
        let workers = interruptible.as_ref().map_or(&Threads as &dyn ThreadPool, |threads| threads);
        let mut run = || match &step.kind {
            StepKind::Kernel(work) => self.launch(work, &addresses, workers, None),
            StepKind::Composed(work) => self.launch_composed(work, &addresses, scratch.as_ref(), workers),
            StepKind::Product { product, dtype, domain, strides } => {
                self.multiply((*product, *dtype), domain, strides, &addresses, workers);
                Ok(())
            }
        };
        match interrupts {
            Some(poll) => interrupt::polling(poll, run)?,
            None => run()?,
        }
        if interrupts.is_some_and(InterruptPoll::was_interrupted) {
            allocated.iter().for_each(|&slot| self.trace.slots[slot as usize].storage.discard_memory());
            return Err(interrupted());
        }
        written_slots(step).try_for_each(|slot| self.trace.slots[slot as usize].storage.invalidate_device())
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
fn interrupted() -> Error {
    Error::new(ErrorKind::Interrupted, "the computation was interrupted")
}

/// The slots that a step writes.
pub(crate) fn written_slots(step: &PlanStep) -> impl Iterator<Item = u32> {
    let last = step.operands.len() - 1;
    let is_written = move |operand: usize| match &step.kind {
        StepKind::Kernel(work) => work.kernel.operands[operand].access == Access::Write,
        StepKind::Composed(work) => work.writes(operand),
        StepKind::Product { .. } => operand == last,
    };
    step.operands.iter().enumerate().filter_map(move |(i, &(slot, _))| is_written(i).then_some(slot))
}
