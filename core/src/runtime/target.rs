//! Where plans run: the host, or a device.

use crate::error::{Error, Result};
use crate::host::interpreter_lock;
use crate::plan::plan::Target;
use crate::runtime::exec_target::{HOST, Site};
use crate::runtime::lock::engine;
use crate::runtime::offload::Worth;
use crate::runtime::state::Engine;
use fastnp_codegen::{Device, Failure, device};
use std::hash::BuildHasher;
use std::sync::Arc;

/// Has what is recorded from now on run on a device, `cuda` or `cuda:1`, or on the host, `cpu`. Arrays follow: contents go where they
/// are computed with, and stay there until somebody needs them elsewhere. With `auto`, what pays moves to the first GPU, if there is
/// one.
///
/// # Errors
/// `RuntimeError` where there is no such device or no driver for it, `ValueError` for a name that is none, `MemoryError`: what is
/// pending runs first.
///
/// ```
/// use fastnp::{Array, DType, set_device, stats};
/// set_device("apart")?; // a device for tests
/// let x = &Array::ones(&[100_000], DType::F64) * 2.0;
/// assert_eq!(x.get(&[7.into()])?.map(|x| x.to_f64()), Some(2.0));
/// assert!(stats().bytes_on_devices >= 800_000);
/// set_device("cpu")?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn set_device(name: &str) -> Result<()> {
    match name {
        "cpu" => engine().go_to(None),
        "auto" => {
            let found = device("cuda").map(|found| match found {
                Err(error) if error.failure == Failure::Absent => Ok(None),
                found => found.map(Some),
            });
            engine().go_where_it_pays(found.transpose()?.flatten())
        }
        name => {
            let none =
                || Error::value(format!("there is no device {name:?}: 'cpu', 'auto', 'cuda', or 'cuda:' and a number"));
            engine().go_to(Some(device(name).ok_or_else(none)??))
        }
    }
}

/// The device that what is recorded now will run on: `cpu`, `auto`, or a name such as `cuda:0`.
///
/// ```
/// let here = fastnp::current_device();
/// fastnp::set_device(here)?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn current_device() -> &'static str {
    let engine = engine();
    if engine.worth.is_some() {
        return "auto";
    }
    let site = engine.site();
    if site.device.is_some() { site.backend.name() } else { "cpu" }
}

/// What runs what is recorded now, in words: `cuda:0 (NVIDIA H200, 139.8 GiB)`, or the backend on the host.
///
/// ```
/// assert!(!fastnp::describe_device().is_empty());
/// ```
pub fn describe_device() -> String {
    let engine = engine();
    let site = engine.site();
    match (&site.device, &engine.worth) {
        (Some(device), _) => device.description(),
        (None, Some(worth)) => {
            let device = engine.sites[worth.site].device.as_ref().expect("what is worth moving to");
            format!("cpu ({}), or {} where that pays", site.backend.name(), device.description())
        }
        (None, None) => format!("cpu ({})", site.backend.name()),
    }
}

/// Runs everything that is pending, and waits until devices are done with it: they go on working when [`crate::flush`] returns.
///
/// # Errors
/// As [`crate::flush`]; those of anything that a device was asked for.
///
/// ```
/// fastnp::synchronize()?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn synchronize() -> Result<()> {
    let mut engine = engine();
    engine.flush()?;
    let devices: Vec<_> = engine.sites.iter().filter_map(|site| site.device.clone()).collect();
    interpreter_lock::aside(true, || devices.iter().try_for_each(|device| device.wait()).map_err(Error::from))
}

impl Engine {
    /// One of the sites, as plans know it.
    pub(crate) fn target(&self, site: usize) -> Target {
        Target { site, packed: self.sites[site].packed }
    }

    /// Where plans run.
    #[inline]
    pub(crate) fn site(&self) -> &Site {
        &self.sites[self.here]
    }

    /// Has plans run on a device, or the host, from now on.
    ///
    /// # Errors
    /// `MemoryError`: what is pending runs first.
    fn go_to(&mut self, device: Option<Arc<dyn Device>>) -> Result<()> {
        self.flush()?;
        self.worth = None;
        self.here = device.map_or(HOST, |device| self.site_of(device));
        Ok(())
    }

    /// Has plans run on the host, or on this device where that pays, from now on.
    ///
    /// # Errors
    /// `MemoryError`: what is pending runs first.
    fn go_where_it_pays(&mut self, device: Option<Arc<dyn Device>>) -> Result<()> {
        self.go_to(None)?;
        self.worth = device.map(|device| {
            let facts = device.facts();
            Worth::new(self.site_of(device), facts)
        });
        Ok(())
    }

    fn site_of(&mut self, device: Arc<dyn Device>) -> usize {
        let is_it = |site: &Site| site.device.as_ref().is_some_and(|d| Arc::ptr_eq(d, &device));
        self.sites.iter().position(is_it).unwrap_or_else(|| {
            self.sites.push(Site::on(device));
            self.sites.len() - 1
        })
    }

    /// Where what is pending is to run.
    #[inline]
    pub(crate) fn place_of_plan(&mut self) -> usize {
        if self.worth.is_some() { self.better_place() } else { self.here }
    }

    #[cold]
    fn better_place(&mut self) -> usize {
        let (mut bytes, mut here, mut there) = (0usize, 0usize, 0usize);
        for slot in &self.trace.slots {
            let size = slot.storage.bytes();
            bytes = bytes.saturating_add(size);
            if slot.storage.is_away() {
                there += size;
            } else if slot.storage.address().is_some() && !slot.storage.has_remote() {
                here += size;
            }
        }
        let program = foldhash::fast::FixedState::default().hash_one(&self.trace.tape[..]);
        let nodes = self.trace.nodes;
        let Some(worth) = &mut self.worth else { return self.here };
        let gain = worth.gain(nodes, bytes, [here, there]);
        if worth.moves(program, nodes, gain) { worth.site } else { self.here }
    }

    /// Has plans run on the host by the backend of a name (none for the best) from now on, or on a device.
    ///
    /// # Errors
    /// `ValueError` where there is no such backend, `RuntimeError` for a device that is not there, `MemoryError`: what is pending
    /// runs first.
    pub(crate) fn set_backend(&mut self, name: &str) -> Result<()> {
        if let Some(found) = device(name) {
            return self.go_to(Some(found?));
        }
        let Some(host) = Site::host(name) else {
            return Err(Error::value(format!("there is no backend {name:?} on this machine")));
        };
        self.go_to(None)?;
        self.sites[HOST] = host;
        self.last.plan = None;
        self.programs.forget_host();
        Ok(())
    }
}
