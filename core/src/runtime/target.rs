//! Choice of the execution target: `set_device`, and the cost model under `auto`.

use crate::error::{Error, Result};
use crate::host::interpreter_lock;
use crate::plan::plan::PlanTarget;
use crate::runtime::exec_target::{ExecTarget, HOST_TARGET};
use crate::runtime::lock::runtime;
use crate::runtime::offload::OffloadModel;
use crate::runtime::profile::FlushReason;
use crate::runtime::state::Runtime;
use fastnp_codegen::{Backend, Device, Failure, device, registry};
use std::hash::BuildHasher;
use std::sync::Arc;

/// Makes what is recorded from now on run on a device, `cuda` or `cuda:1`, or on the host, `cpu`. Arrays follow: contents are
/// copied to the target that computes with them, and stay there until they are read elsewhere. With `auto`, what pays moves to the
/// first GPU, if there is one.
///
/// # Errors
/// `RuntimeError` where there is no such device or no driver for it, `ValueError` for a name that is none, `MemoryError`: what is
/// pending runs first.
///
/// ```
/// use fastnp::{Array, DType, set_device, stats};
/// set_device("mock")?; // a device for tests
/// let x = &Array::ones(&[100_000], DType::F64) * 2.0;
/// assert_eq!(x.get(&[7.into()])?.map(|x| x.to_f64()), Some(2.0));
/// assert!(stats().bytes_on_devices >= 800_000);
/// set_device("cpu")?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn set_device(name: &str) -> Result<()> {
    match name {
        "cpu" => runtime().set_target(None),
        "auto" => {
            let found = device("cuda").map(|found| match found {
                Err(error) if error.failure == Failure::Absent => Ok(None),
                found => found.map(Some),
            });
            runtime().set_auto_target(found.transpose()?.flatten())
        }
        name => {
            let none =
                || Error::value(format!("there is no device {name:?}: 'cpu', 'auto', 'cuda', or 'cuda:' and a number"));
            runtime().set_target(Some(device(name).ok_or_else(none)??))
        }
    }
}

/// The device that what is recorded now will run on: `cpu`, `auto`, or a name such as `cuda:0`.
///
/// ```
/// let on_host = fastnp::current_device();
/// fastnp::set_device(on_host)?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn current_device() -> &'static str {
    let runtime = runtime();
    if runtime.offload.is_some() {
        return "auto";
    }
    let target = runtime.exec_target();
    if target.device.is_some() { target.backend.name() } else { "cpu" }
}

/// The current target in words: `cuda:0 (NVIDIA H200, 139.8 GiB)`, or the backend on the host.
///
/// ```
/// assert!(!fastnp::describe_device().is_empty());
/// ```
pub fn describe_device() -> String {
    let runtime = runtime();
    let target = runtime.exec_target();
    match (&target.device, &runtime.offload) {
        (Some(device), _) => device.description(),
        (None, Some(offload)) => {
            let device = runtime.targets[offload.target].device.as_ref().expect("an offload target is a device");
            format!("cpu ({}), or {} where that pays", target.backend.name(), device.description())
        }
        (None, None) => format!("cpu ({})", target.backend.name()),
    }
}

/// Runs everything pending, and waits for the devices, which [`crate::flush`] does not.
///
/// # Errors
/// As [`crate::flush`]; those of a device that failed.
///
/// ```
/// fastnp::synchronize()?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn synchronize() -> Result<()> {
    let mut runtime = runtime();
    runtime.flush(FlushReason::Asked)?;
    let devices: Vec<_> = runtime.targets.iter().filter_map(|target| target.device.clone()).collect();
    interpreter_lock::release_during(true, || devices.iter().try_for_each(|device| device.wait()).map_err(Error::from))
}

impl Runtime {
    /// A target, as plans know it.
    pub(crate) fn plan_target(&self, index: usize) -> PlanTarget {
        PlanTarget {
            index,
            limits: self.targets[index].limits,
            instruction_ns: self.targets[index].backend.instruction_ns(),
            is_host: self.targets[index].device.is_none(),
        }
    }

    /// The current target.
    #[inline]
    pub(crate) fn exec_target(&self) -> &ExecTarget {
        &self.targets[self.current]
    }

    /// Makes plans run on a device, or the host, from now on.
    ///
    /// # Errors
    /// `MemoryError`: what is pending runs first.
    fn set_target(&mut self, device: Option<Arc<dyn Device>>) -> Result<()> {
        self.flush(FlushReason::Device)?;
        self.offload = None;
        self.current = device.map_or(HOST_TARGET, |device| self.target_index(device));
        Ok(())
    }

    /// Makes plans run on the host, or on this device where that pays, from now on.
    ///
    /// # Errors
    /// `MemoryError`: what is pending runs first.
    fn set_auto_target(&mut self, device: Option<Arc<dyn Device>>) -> Result<()> {
        self.set_target(None)?;
        self.offload = device.map(|device| {
            let facts = device.facts();
            OffloadModel::new(self.target_index(device), facts)
        });
        Ok(())
    }

    fn target_index(&mut self, device: Arc<dyn Device>) -> usize {
        let is_it = |target: &ExecTarget| target.device.as_ref().is_some_and(|d| Arc::ptr_eq(d, &device));
        self.targets.iter().position(is_it).unwrap_or_else(|| {
            self.targets.push(ExecTarget::on(device));
            self.targets.len() - 1
        })
    }

    /// The target on which what is pending is to run.
    #[inline]
    pub(crate) fn choose_target(&mut self) -> usize {
        if self.offload.is_some() { self.choose_by_cost() } else { self.current }
    }

    #[cold]
    fn choose_by_cost(&mut self) -> usize {
        let (mut bytes, mut on_host, mut on_device) = (0usize, 0usize, 0usize);
        for slot in &self.trace.slots {
            let size = slot.storage.bytes();
            bytes = bytes.saturating_add(size);
            if slot.storage.is_device_only() {
                on_device += size;
            } else if slot.storage.address().is_some() && !slot.storage.has_device_buffer() {
                on_host += size;
            }
        }
        let program = foldhash::fast::FixedState::default().hash_one(&self.trace.tape[..]);
        let nodes = self.trace.nodes;
        let Some(offload) = &mut self.offload else { return self.current };
        let gain = offload.gain(nodes, bytes, [on_host, on_device]);
        if offload.pays_off(program, nodes, gain) { offload.target } else { self.current }
    }

    /// Makes plans run on the host with the backend of this name (empty for the best), or on a device, beside the best one on the host.
    ///
    /// # Errors
    /// `ValueError` where there is no such backend, `RuntimeError` for a device that is not there, `MemoryError`: what is pending
    /// runs first.
    pub(crate) fn set_backend(&mut self, name: &str) -> Result<()> {
        let target = device(name).transpose()?;
        let Some(backend) = registry::select(if target.is_some() { "" } else { name }) else {
            return Err(Error::value(format!("there is no backend {name:?} on this machine")));
        };
        self.set_target(target)?;
        self.set_host_backend(backend.into());
        Ok(())
    }

    /// Makes plans that run on the host run with this backend from now on.
    pub fn set_host_backend(&mut self, backend: Arc<dyn Backend>) {
        self.targets[HOST_TARGET].backend = backend;
        self.last.plan = None;
        self.programs.forget_host();
    }
}
