//! Executing the steps of plans on a device: operands are uploaded, and what is written stays there.

use crate::error::Result;
use crate::memory::device_buffer::Remote;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::Counted;
use crate::plan::plan::{KernelWork, Plan, Step, Work};
use crate::runtime::execute::{Addresses, written};
use crate::runtime::state::Engine;
use fastnp_codegen::{Device, Kernel, Scalar, Verified};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Engine {
    /// Gets ready for a plan on a device.
    pub(crate) fn arrive(&mut self, plan: &Plan, device: &Arc<dyn Device>) -> Result<()> {
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
    pub(crate) fn run_there(&mut self, step: &Step, device: &Arc<dyn Device>) -> Result<()> {
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
    pub(crate) fn show_shared(&mut self) -> Result<()> {
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
