//! Where plans run: the host, or a device.

use crate::error::{Error, Result};
use crate::host::interpreter_lock;
use crate::plan::Target;
use crate::plan::group::PACKED;
use crate::runtime::recorder::{Engine, engine};
use fastnp_codegen::{Backend, Device, Facts, Failure, Kernel, Program, Verified, device, registry};
use hashbrown::HashMap;
use std::hash::BuildHasher;
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
    /// Points up to which a launch of its own costs more than sharing one.
    packed: usize,
    kernels: HashMap<Kernel, Compiled, foldhash::fast::FixedState>,
}

impl Site {
    /// The host, with the backend of a name; none where there is no such backend.
    pub(crate) fn host(name: &str) -> Option<Site> {
        Some(Site {
            backend: registry::select(name)?.into(),
            device: None,
            packed: PACKED,
            kernels: HashMap::default(),
        })
    }

    fn on(device: Arc<dyn Device>) -> Site {
        let facts = device.facts();
        let packed = (facts.launch * facts.bandwidth / POINT) as usize;
        Site { backend: device.clone(), device: Some(device), packed, kernels: HashMap::default() }
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
/// Bytes that the host's kernels read or write in a nanosecond, and nanoseconds that one takes at least.
const HOST_BANDWIDTH: f64 = 12.0;
const HOST_LAUNCH: f64 = 500.0;
/// Bytes that a device moves at a point of a small kernel: it reads a double and writes one.
const POINT: f64 = 16.0;
/// Programs whose worth is remembered.
const MAX_ACCOUNTS: usize = 4096;

/// Which programs are worth moving to a device: those that would have been faster there by what compiling for it takes, which is
/// at most twice as slow as knowing beforehand how often each will run.
pub(crate) struct Worth {
    site: usize,
    facts: Facts,
    /// Nanoseconds that each would have won so far, by the hash of its tape.
    accounts: HashMap<u64, f64, foldhash::fast::FixedState>,
}

impl Worth {
    /// Nanoseconds that nodes would win on the device, which touch so many bytes; some of those are on the host alone, others on the
    /// device alone.
    fn gain(&self, nodes: usize, bytes: usize, [here, there]: [usize; 2]) -> f64 {
        let host = nodes as f64 * HOST_LAUNCH + bytes as f64 / HOST_BANDWIDTH + there as f64 / self.facts.link;
        let device =
            nodes as f64 * self.facts.launch + bytes as f64 / self.facts.bandwidth + here as f64 / self.facts.link;
        host - device
    }

    /// Whether a program is worth moving now.
    fn moves(&mut self, program: u64, nodes: usize, gain: f64) -> bool {
        if gain <= 0.0 {
            return false;
        }
        if self.accounts.len() >= MAX_ACCOUNTS {
            self.accounts.clear();
        }
        let account = self.accounts.entry(program).or_insert(0.0);
        *account += gain;
        *account >= nodes as f64 * self.facts.compile
    }
}

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
/// set_device("mock")?; // a device for tests
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
            Worth { site: self.site_of(device), facts, accounts: HashMap::default() }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn worth() -> Worth {
        let facts = Facts { launch: 3_000.0, bandwidth: 4_000.0, link: 50.0, compile: 50e6 };
        Worth { site: 1, facts, accounts: HashMap::default() }
    }

    #[test]
    fn small_programs_stay() {
        assert!(worth().gain(10, 240_000, [0, 0]) < 0.0, "three arrays of 10,000 doubles");
        assert!(worth().gain(10, 240_000_000, [0, 0]) > 0.0, "three of ten million");
    }

    #[test]
    fn what_must_be_sent_counts() {
        // One pass over what is on the host: as fast as sending it would be four times as much.
        assert!(worth().gain(1, 160_000_000, [80_000_000, 0]) > 0.0);
        assert!(worth().gain(1, 16_000_000, [800_000_000, 0]) < 0.0);
        assert!(worth().gain(1, 16_000_000, [0, 800_000_000]) > 0.0);
    }

    #[test]
    fn a_program_moves_once_compiling_would_have_paid() {
        let mut worth = worth();
        let gain = worth.gain(1, 240_000_000, [0, 0]);
        let runs = (0..1000).take_while(|_| !worth.moves(7, 1, gain)).count();
        assert_eq!(runs, (50e6 / gain) as usize, "and from then on it stays there");
        assert!(worth.moves(7, 1, gain) && !worth.moves(8, 1, gain));
    }
}
