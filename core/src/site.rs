//! Where plans run: the host, or a device.

use crate::engine::{Engine, engine};
use crate::error::{Error, Result};
use fastnp_codegen::{Backend, Device, Kernel, Program, Verified, backend, device};
use hashbrown::HashMap;
use std::sync::Arc;

/// Kernels kept, with their programs: tens of kilobytes each. A program in a plan lives as long as the plan.
const MAX_KERNELS: usize = 2048;

/// A kernel and its program.
pub(crate) type Compiled = (Arc<Verified<Kernel>>, Arc<dyn Program>);

/// A place where plans run, and the programs made for it.
pub(crate) struct Site {
    pub(crate) backend: Arc<dyn Backend>,
    /// Whose memory operands are in; none for the host's.
    pub(crate) device: Option<Arc<dyn Device>>,
    kernels: HashMap<Kernel, Compiled, foldhash::fast::FixedState>,
}

impl Site {
    /// The host, with the backend of a name; none where there is no such backend.
    pub(crate) fn host(name: &str) -> Option<Site> {
        Some(Site { backend: backend::select(name)?.into(), device: None, kernels: HashMap::default() })
    }

    fn on(device: Arc<dyn Device>) -> Site {
        Site { backend: device.clone(), device: Some(device), kernels: HashMap::default() }
    }

    /// The program of a kernel, if it was made.
    pub(crate) fn find(&self, kernel: &Kernel) -> Option<Compiled> {
        self.kernels.get(kernel).cloned()
    }

    /// Keeps a program.
    pub(crate) fn keep(&mut self, kernel: Kernel, compiled: Compiled) {
        if self.kernels.len() >= MAX_KERNELS {
            self.kernels.clear();
        }
        self.kernels.insert(kernel, compiled);
    }
}

/// The place of the host in the list of sites.
pub(crate) const HOST: usize = 0;

/// Has what is recorded from now on run on a device, `cuda` or `cuda:1`, or on the host, `cpu`. Arrays follow: contents go where they
/// are computed with, and stay there until somebody needs them elsewhere.
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
    let found = match name {
        "cpu" => None,
        name => Some(device(name).ok_or_else(|| {
            Error::value(format!("there is no device {name:?}: 'cpu', 'cuda', or 'cuda:' and its number"))
        })??),
    };
    engine().go_to(found)
}

/// The device that what is recorded now will run on: `cpu`, or a name such as `cuda:0`.
///
/// ```
/// let here = fastnp::current_device();
/// fastnp::set_device(here)?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn current_device() -> &'static str {
    let engine = engine();
    let site = engine.site();
    if site.device.is_some() { site.backend.name() } else { "cpu" }
}

impl Engine {
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
        self.here = match device {
            None => HOST,
            Some(device) => {
                let is_it = |site: &Site| site.device.as_ref().is_some_and(|d| Arc::ptr_eq(d, &device));
                self.sites.iter().position(is_it).unwrap_or_else(|| {
                    self.sites.push(Site::on(device));
                    self.sites.len() - 1
                })
            }
        };
        Ok(())
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
        self.forget_programs();
        Ok(())
    }

    /// The program of a kernel for one of the sites, looked up or made.
    ///
    /// # Panics
    /// Where a backend refuses what the planner made: a bug.
    pub(crate) fn compiled_for(&mut self, site: usize, kernel: Kernel) -> Compiled {
        if let Some(found) = self.sites[site].find(&kernel) {
            return found;
        }
        self.seen.stats.kernels_compiled += 1;
        let started = self.seen.inspection.clock(1);
        let verified =
            fastnp_codegen::verify(kernel.clone()).unwrap_or_else(|e| panic!("the planner made a wrong kernel: {e}"));
        let backend = &self.sites[site].backend;
        let program = backend
            .compile(&verified)
            .unwrap_or_else(|e| panic!("the {} backend refused a kernel: {e}", backend.name()));
        self.seen.inspection.compiled(self.seen.stats.kernels_compiled, &verified, &*program, started);
        let compiled: Compiled = (Arc::new(verified), program);
        self.sites[site].keep(kernel, compiled.clone());
        compiled
    }

    /// The program of a kernel on the host.
    pub(crate) fn compiled(&mut self, kernel: Kernel) -> Compiled {
        self.compiled_for(HOST, kernel)
    }
}
