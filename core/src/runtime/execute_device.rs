//! Execution of steps on a device: operands are uploaded, and results stay there.

use crate::error::Result;
use crate::host::threads::Threads;
use crate::memory::device_buffer::DeviceBuffer;
use crate::memory::storage::Storage;
use crate::plan::plan::{KernelLaunch, Plan, StepKind};
use crate::runtime::execute::{Addresses, written_slots};
use crate::runtime::state::Runtime;
use fastnp_codegen::{Device, Kernel, Scalar, Verified};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Runtime {
    /// Prepares a device for a plan.
    pub(crate) fn prepare_device(&mut self, plan: &Plan, device: &Arc<dyn Device>) -> Result<()> {
        self.drop_copies_of_shared();
        if plan.is_prepared.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut all: Vec<(&Verified<Kernel>, &KernelLaunch, Addresses, Vec<Scalar>)> = vec![];
        for step in &plan.steps {
            let StepKind::Kernel(work) = &step.kind else { continue };
            // The device's own memory is aligned, and only the alignment matters.
            let place = |&(slot, offset): &(u32, isize)| {
                let slot = &self.trace.slots[slot as usize];
                let start = slot.storage.with_device_buffer(DeviceBuffer::start).unwrap_or(std::ptr::null_mut());
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

    /// Drops the device's copies of memory that code outside can write: they are valid for one flush only. After it no more may be known
    /// of such a write, as the memory need not be shared any more.
    fn drop_copies_of_shared(&self) {
        let is_shared = |storage: &Storage| storage.is_shared() && !storage.is_exported_on_device();
        self.trace.slots.iter().filter(|s| is_shared(&s.storage)).for_each(|s| s.storage.drop_device_buffer());
    }

    /// Runs a step on a device, or on the host where it is a product the device cannot compute.
    pub(crate) fn run_on_device(&mut self, plan: &Arc<Plan>, index: usize, device: &Arc<dyn Device>) -> Result<()> {
        let step = &plan.steps[index];
        if let StepKind::Product(work) = &step.kind
            && !device.multiplies(work.dtype, &work.domain, &work.strides)
        {
            return self.run_on_host(plan, index, None);
        }
        // All the memory of the step, before any is donated, as on the host.
        let donations = self.possible_donations(step, Storage::has_memory);
        let mut allocate: SmallVec<[(u32, DeviceBuffer); 4]> = SmallVec::new();
        let (takers, givers) = (donations.iter().map(|d| d.0), donations.iter().map(|d| d.1));
        let operands = step.operands.iter().map(|operand| operand.0).chain(givers);
        for slot in operands.filter(|slot| takers.clone().all(|taker| taker != *slot)) {
            if allocate.iter().all(|m| m.0 != slot)
                && let Some(device_buffer) = upload_missing(&self.trace.slots[slot as usize].storage, device)?
            {
                allocate.push((slot, device_buffer));
            }
        }
        // Memory exported on another device stays there, and is copied here for this step.
        let mut temporaries: SmallVec<[(u32, DeviceBuffer); 1]> = SmallVec::new();
        for (slot, device_buffer) in allocate {
            let storage = &self.trace.slots[slot as usize].storage;
            if storage.is_exported_on_device() {
                temporaries.push((slot, device_buffer));
            } else {
                storage.set_device_buffer(device_buffer);
            }
        }
        donations.into_iter().for_each(|donation| self.donate(donation));
        let place = |&(at, offset): &(u32, isize)| {
            let slot = &self.trace.slots[at as usize];
            let start = match temporaries.iter().find(|temporary| temporary.0 == at) {
                Some(temporary) => temporary.1.start(),
                None => slot.storage.with_device_buffer(DeviceBuffer::start).expect("the operand was uploaded"),
            };
            start.wrapping_offset(slot.base + offset)
        };
        let addresses: Addresses = step.operands.iter().map(place).collect();
        match &step.kind {
            StepKind::Kernel(work) => self.launch(work, &addresses, &Threads, Some(&**device))?,
            StepKind::Composed(work) => self.launch_composed(work, &addresses, None, &Threads, Some(&**device))?,
            StepKind::SharedMatrix(_) => unreachable!("plans of devices have single products"),
            StepKind::Product(work) => {
                // SAFETY: recorded views lie within their storages, which have memory on the device now, and the product
                // overlaps neither factor.
                if !unsafe { device.multiply(work.dtype, &work.domain, &work.strides, &addresses)? } {
                    return self.run_on_host(plan, index, None);
                }
                self.telemetry.stats.matrix_products += 1;
            }
        }
        for slot in written_slots(step) {
            let storage = &self.trace.slots[slot as usize].storage;
            if let Some((_, temporary)) = temporaries.iter().find(|temporary| temporary.0 == slot) {
                // SAFETY: the mirror has as many bytes as the storage, and so has the guest.
                unsafe { temporary.download(0, storage.address_to_write()?, storage.bytes())? };
                storage.invalidate_device()?;
            } else if storage.is_exported_on_device() {
                // The exported memory itself was written.
            } else if storage.is_shared() {
                self.written_shared.push(slot);
            } else {
                storage.invalidate_host();
            }
        }
        Ok(())
    }

    /// Downloads what a device wrote of memory that code outside shares.
    pub(crate) fn write_back_shared(&mut self) -> Result<()> {
        let mut written_shared = std::mem::take(&mut self.written_shared);
        written_shared.sort_unstable();
        written_shared.dedup();
        for slot in written_shared {
            let storage = &self.trace.slots[slot as usize].storage;
            let Some(address) = storage.known_address() else { continue };
            let download = |device_buffer: &DeviceBuffer| {
                // SAFETY: the storage has so many bytes on either side.
                unsafe { device_buffer.download(0, address, storage.bytes()) }
            };
            storage.with_device_buffer(download).transpose()?;
        }
        self.drop_copies_of_shared();
        Ok(())
    }
}

/// Uploads the contents of a storage that are not on the device yet; allocates memory where there are no contents. `None` where the
/// device has them.
pub(crate) fn upload_missing(storage: &Storage, device: &Arc<dyn Device>) -> Result<Option<DeviceBuffer>> {
    let from = match storage.with_device_buffer(|device_buffer| device_buffer.is_on(device)) {
        Some(true) => return Ok(None),
        // On another device.
        Some(false) => Some(storage.materialize()?),
        None => storage.address(),
    };
    let device_buffer = DeviceBuffer::new(device, storage.bytes())?;
    if let Some(address) = from {
        // SAFETY: the storage's memory has so many bytes.
        unsafe { device_buffer.upload(address)? };
    }
    Ok(Some(device_buffer))
}
