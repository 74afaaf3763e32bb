//! Executing plans: memory for every step, on the host or on a device, and launches.

use crate::error::{Error, ErrorKind, Result};
use crate::host::gemm;
use crate::host::gemm::Product;
use crate::host::interpreter_lock;
use crate::host::threads::Threads;
use crate::memory::device_buffer::Remote;
use crate::memory::pool::Buffer;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::Counted;
use crate::plan::{KernelWork, Plan, Step, Work};
use crate::runtime::inspect::multiplied;
use crate::runtime::recorder::Engine;
use fastnp_codegen::{Access, DType, Device, FpFlags, Kernel, Launch, Scalar, Verified};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long a flush runs before it asks whether the user wants it to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// The addresses of a step's operands.
type Addresses = SmallVec<[*mut u8; 12]>;

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
    fn run_here(&mut self, step: &Step) -> Result<()> {
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

    /// Gets ready for a plan on a device.
    fn arrive(&mut self, plan: &Plan, device: &Arc<dyn Device>) -> Result<()> {
        // What somebody else can write is there for one flush at most.
        let is_passing = |storage: &Storage| storage.is_shared() && !storage.is_lent();
        self.trace.slots.iter().filter(|s| is_passing(&s.storage)).for_each(|s| s.storage.forget_remote());
        if plan.is_prepared.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut all: Vec<(&Verified<Kernel>, &KernelWork, Addresses, Vec<Scalar>)> = vec![];
        for step in &plan.steps {
            let Work::Kernel(work) = &step.work else { continue };
            // The device's own memory is aligned, and what counts is the alignment.
            let place = |&(slot, offset): &(u32, isize)| {
                let slot = &self.trace.slots[slot as usize];
                let start = slot.storage.with_remote(Remote::start).unwrap_or(std::ptr::null_mut());
                start.wrapping_offset(slot.base + offset)
            };
            all.push((&work.kernel, work, step.operands.iter().map(place).collect(), self.scalars_of(work).to_vec()));
        }
        let launches: Vec<_> =
            all.iter().map(|(kernel, work, addresses, scalars)| (*kernel, work.launch(addresses, scalars))).collect();
        device.prepare(&launches)?;
        plan.is_prepared.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Runs a step on a device, or on the host where it is a product that the device has no way to compute.
    fn run_there(&mut self, step: &Step, device: &Arc<dyn Device>) -> Result<()> {
        if let Work::Product { dtype, domain, strides, .. } = &step.work
            && !device.multiplies(*dtype, domain, strides)
        {
            return self.run_here(step);
        }
        for &(taker, giver) in &step.donations {
            let wanted = self.trace.slots[taker as usize].storage.bytes();
            let given = &mut self.trace.slots[giver as usize].storage;
            let is_spent = Counted::get_mut(given).is_some_and(|s| s.bytes() == wanted && s.owner().is_none());
            if !is_spent || self.trace.slots[taker as usize].storage.has_memory() {
                continue;
            }
            let given = self.trace.slots[giver as usize].storage.clone();
            if let Some(remote) = sent(&given, device)? {
                given.set_remote(remote);
            }
            if let Some(remote) = given.take_remote() {
                self.trace.slots[taker as usize].storage.set_remote(remote);
                self.donated(taker, giver);
            }
        }
        // All the memory it needs, or none, as on the host.
        let mut made: SmallVec<[(u32, Remote); 4]> = SmallVec::new();
        for &(slot, _) in &step.operands {
            if made.iter().all(|m| m.0 != slot)
                && let Some(remote) = sent(&self.trace.slots[slot as usize].storage, device)?
            {
                made.push((slot, remote));
            }
        }
        // What is lent on another device stays there, and is here for this step.
        let mut guests: SmallVec<[(u32, Remote); 1]> = SmallVec::new();
        for (slot, remote) in made {
            let storage = &self.trace.slots[slot as usize].storage;
            if storage.is_lent() {
                guests.push((slot, remote));
            } else {
                storage.set_remote(remote);
            }
        }
        let place = |&(at, offset): &(u32, isize)| {
            let slot = &self.trace.slots[at as usize];
            let start = match guests.iter().find(|guest| guest.0 == at) {
                Some(guest) => guest.1.start(),
                None => slot.storage.with_remote(Remote::start).expect("it was sent"),
            };
            start.wrapping_offset(slot.base + offset)
        };
        let addresses: Addresses = step.operands.iter().map(place).collect();
        match &step.work {
            Work::Kernel(work) => self.launch(work, &addresses, Some(&**device))?,
            Work::Product { dtype, domain, strides, .. } => {
                // SAFETY: recorded views lie within their storages, which have memory on the device now, and the product
                // overlaps neither factor.
                if !unsafe { device.multiply(*dtype, domain, strides, &addresses)? } {
                    return self.run_here(step);
                }
                self.seen.stats.products += 1;
            }
        }
        for slot in written(step) {
            let storage = &self.trace.slots[slot as usize].storage;
            if let Some((_, guest)) = guests.iter().find(|guest| guest.0 == slot) {
                // SAFETY: the mirror has as many bytes as the storage, and so has the guest.
                unsafe { guest.download(0, storage.place_here()?, storage.bytes())? };
                storage.changed_here()?;
            } else if storage.is_lent() {
                // It is where others see it.
            } else if storage.is_shared() {
                self.shown.push(slot);
            } else {
                storage.went_away();
            }
        }
        Ok(())
    }

    /// Copies what a device wrote of shared memory to where others see it.
    fn show_shared(&mut self) -> Result<()> {
        let mut shown = std::mem::take(&mut self.shown);
        shown.sort_unstable();
        shown.dedup();
        for slot in shown {
            let storage = &self.trace.slots[slot as usize].storage;
            let Some(address) = storage.known_address() else { continue };
            // SAFETY: the storage has so many bytes on either side.
            storage.with_remote(|remote| unsafe { remote.download(0, address, storage.bytes()) }).transpose()?;
        }
        Ok(())
    }

    /// Notes that a slot took over the memory of a dying one.
    fn donated(&mut self, taker: u32, giver: u32) {
        self.seen.stats.donated += 1;
        // The giver keeps its slot: the kernel reads it at the taker's address.
        self.trace.slots[giver as usize].storage = self.trace.slots[taker as usize].storage.clone();
    }

    fn scalars_of(&self, work: &KernelWork) -> SmallVec<[Scalar; 8]> {
        work.scalars.iter().map(|&i| self.trace.scalars[i as usize]).collect()
    }

    fn launch(&mut self, work: &KernelWork, addresses: &[*mut u8], device: Option<&dyn Device>) -> Result<()> {
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

    /// Asks whether there will be memory for a large result that has none yet.
    ///
    /// # Errors
    /// As [`Engine::provide`].
    #[cold]
    pub(crate) fn foresee(&self, storage: &Storage) -> Result<()> {
        match &self.site().device {
            _ if storage.has_memory() => Ok(()),
            Some(device) => Remote::new(device, storage.bytes()).map(drop),
            None => Buffer::foresee(storage.bytes()),
        }
    }

    /// Gives a storage memory where it will be written.
    ///
    /// # Errors
    /// `MemoryError`; those of a device that failed.
    pub(crate) fn provide(&self, storage: &Storage) -> Result<()> {
        match &self.site().device {
            Some(device) if !storage.has_memory() => storage.set_remote(Remote::new(device, storage.bytes())?),
            Some(_) => {}
            None => drop(storage.materialize()?),
        }
        Ok(())
    }
}

impl KernelWork {
    fn launch<'a>(&'a self, addresses: &'a [*mut u8], scalars: &'a [Scalar]) -> Launch<'a> {
        Launch { outer: &self.outer, inner: &self.inner, addresses, strides: &self.strides, scalars }
    }
}

/// The contents of a storage on a device, where they are not there yet; memory where there are no contents.
pub(crate) fn sent(storage: &Storage, device: &Arc<dyn Device>) -> Result<Option<Remote>> {
    let from = match storage.with_remote(|remote| remote.is_on(device)) {
        Some(true) => return Ok(None),
        // On another one.
        Some(false) => Some(storage.materialize()?),
        None => storage.address(),
    };
    let remote = Remote::new(device, storage.bytes())?;
    if let Some(address) = from {
        // SAFETY: the storage's memory has so many bytes.
        unsafe { remote.upload(address)? };
    }
    Ok(Some(remote))
}

/// The slots that a step writes.
fn written(step: &Step) -> impl Iterator<Item = u32> {
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
