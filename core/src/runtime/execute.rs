//! Executing plans: memory for every step, on the host or on a device, and launches.

use crate::error::{Error, ErrorKind, Result};
use crate::host::gemm;
use crate::host::gemm::Product;
use crate::host::interpreter_lock;
use crate::host::threads::Threads;
use crate::memory::pool::Buffer;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::Counted;
use crate::plan::plan::{KernelWork, Plan, Step, Work};
use crate::runtime::inspect::multiplied;
use crate::runtime::state::Engine;
use fastnp_codegen::{Access, DType, Device, FpFlags, Scalar};
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a flush runs before it asks whether the user wants it to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// The addresses of a step's operands.
pub(crate) type Addresses = SmallVec<[*mut u8; 12]>;

impl Engine {
    /// Runs the steps of a plan in order, up to the end or to one that fails; how many ran.
    pub(crate) fn execute(&mut self, plan: &Plan, long: bool) -> (usize, Result<()>) {
        let Some(device) = self.sites[plan.target.site].device.clone() else {
            return self.execute_on(None, plan, long);
        };
        // What others can reach they use in streams of their own, which know nothing of ours: neither goes on before the other is done.
        let is_lent = self.trace.slots.iter().any(|s| s.storage.is_lent());
        let wait = || if is_lent { device.wait().map_err(Error::from) } else { Ok(()) };
        if let Err(error) = self.arrive(plan, &device).and_then(|()| wait()) {
            return (0, Err(error));
        }
        // Memory of others goes back to them when nobody here needs it any more, so nothing that uses it is put off.
        if !is_lent {
            device.begin();
        }
        let (ran, mut done) = self.execute_on(Some(&device), plan, long);
        if !is_lent {
            let ended = device.end().map(|graphs| self.seen.stats.graphs_launched += graphs);
            done = done.and(ended.map_err(Error::from));
        }
        (ran, done.and(self.show_shared()).and_then(|()| wait()))
    }

    fn execute_on(&mut self, device: Option<&Arc<dyn Device>>, plan: &Plan, long: bool) -> (usize, Result<()>) {
        let mut asked = long.then(Instant::now);
        for (i, step) in plan.steps.iter().enumerate() {
            if let Some(last) = asked
                && last.elapsed() > PATIENCE
            {
                if interpreter_lock::is_interrupted() {
                    return (i, Err(Error::new(ErrorKind::Interrupted, "the computation was interrupted")));
                }
                asked = Some(Instant::now());
            }
            let done = match device {
                None => self.run_here(step),
                Some(device) => self.run_there(step, device),
            };
            if let Err(error) = done {
                return (i, Err(error));
            }
            for &(taker, giver) in &step.donations {
                if Counted::same(&self.trace.slots[taker as usize].storage, &self.trace.slots[giver as usize].storage) {
                    // Nothing reads the giver any more, and the taker must be alone on its memory to pass it on in turn.
                    self.trace.slots[giver as usize].storage = self.trace.storage(0);
                }
            }
            for &slot in &step.releases {
                if let Some(storage) = Counted::get_mut(&mut self.trace.slots[slot as usize].storage) {
                    storage.take_memory();
                    storage.forget_remote();
                }
            }
        }
        (plan.steps.len(), Ok(()))
    }

    /// Runs a step on the host.
    pub(crate) fn run_here(&mut self, step: &Step) -> Result<()> {
        for &(taker, giver) in &step.donations {
            if self.trace.slots[taker as usize].storage.has_memory() {
                continue;
            }
            let wanted = self.trace.slots[taker as usize].storage.bytes();
            let buffer = Counted::get_mut(&mut self.trace.slots[giver as usize].storage)
                .filter(|given| given.bytes() == wanted)
                .and_then(Storage::take_memory);
            if let Some(buffer) = buffer {
                self.trace.slots[taker as usize].storage.adopt(buffer);
                self.donated(taker, giver);
            }
        }
        // All the memory it needs, or none: what a step that cannot run was given, nobody would take back.
        let mut made: SmallVec<[(u32, Buffer); 4]> = SmallVec::new();
        for &(slot, _) in &step.operands {
            let storage = &self.trace.slots[slot as usize].storage;
            if storage.is_away() {
                storage.materialize()?;
            } else if storage.address().is_none() && made.iter().all(|m| m.0 != slot) {
                made.push((slot, Buffer::new(storage.bytes())?));
            }
        }
        for (slot, buffer) in made {
            self.trace.slots[slot as usize].storage.adopt(buffer);
        }
        let mut addresses = Addresses::new();
        for &(slot, offset) in &step.operands {
            let slot = &self.trace.slots[slot as usize];
            addresses.push(slot.storage.place_here()?.wrapping_offset(slot.base + offset));
        }
        match &step.work {
            Work::Kernel(work) => self.launch(work, &addresses, None)?,
            Work::Product { product, dtype, domain, strides } => {
                self.multiply((*product, *dtype), domain, strides, &addresses);
            }
        }
        written(step).try_for_each(|slot| self.trace.slots[slot as usize].storage.changed_here())
    }

    /// Notes that a slot took over the memory of a dying one.
    pub(crate) fn donated(&mut self, taker: u32, giver: u32) {
        self.seen.stats.donated += 1;
        // The giver keeps its slot: the kernel reads it at the taker's address.
        self.trace.slots[giver as usize].storage = self.trace.slots[taker as usize].storage.clone();
    }

    pub(crate) fn scalars_of(&self, work: &KernelWork) -> SmallVec<[Scalar; 8]> {
        work.scalars.iter().map(|&i| self.trace.scalars[i as usize]).collect()
    }

    pub(crate) fn launch(
        &mut self,
        work: &KernelWork,
        addresses: &[*mut u8],
        device: Option<&dyn Device>,
    ) -> Result<()> {
        let scalars = self.scalars_of(work);
        let launch = work.launch(addresses, &scalars);
        let part = |in_epilogue, inst| {
            work.parts.iter().find(|p| (p.in_epilogue, p.inst) == (in_epilogue, inst)).map(|p| p.product)
        };
        // SAFETY: recorded views lie within their storages, which have memory there now; the planner fuses nodes only where
        // their accesses do not overlap except at the same point, and no other thread runs kernels meanwhile.
        unsafe { self.seen.launch((&work.kernel, &*work.program), &launch, &Threads, device, &part) }
    }

    /// Runs matrix products on the host.
    pub(crate) fn multiply(
        &mut self,
        (product, dtype): (Product, DType),
        domain: &[usize],
        strides: &[isize],
        addresses: &[*mut u8],
    ) {
        let started = self.seen.inspection.clock(2);
        let raised = gemm::run(dtype, domain, strides, addresses);
        self.seen.note(product, raised);
        self.seen.stats.products += 1;
        if let Some(started) = started {
            multiplied(dtype, domain, started);
        }
    }

    /// Notes an inner product that ran at once.
    pub(crate) fn multiplied(&mut self, product: Product, raised: FpFlags) {
        self.seen.note(product, raised);
        self.seen.stats.ran_at_once();
    }
}

/// The slots that a step writes.
pub(crate) fn written(step: &Step) -> impl Iterator<Item = u32> {
    let kernel = match &step.work {
        Work::Kernel(work) => Some(&work.kernel),
        Work::Product { .. } => None,
    };
    let last = step.operands.len() - 1;
    step.operands.iter().enumerate().filter_map(move |(i, &(slot, _))| {
        let is_written = kernel.map_or(i == last, |k| k.operands[i].access == Access::Write);
        is_written.then_some(slot)
    })
}
