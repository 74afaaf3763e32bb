//! Offload model: the cost model that moves plans to a device where that pays.

use fastnp_codegen::Facts;
use fastnp_codegen::cost::{HOST_BYTES_PER_NS, HOST_NODE_NS};
use hashbrown::HashMap;

/// Programs whose savings are remembered.
const MAX_OFFLOAD_PROGRAMS: usize = 4096;

/// The programs that should move to a device: those that would have saved there what compiling for it takes, which costs at most
/// twice the time of knowing beforehand how often each will run.
pub struct OffloadModel {
    pub(crate) target: usize,
    facts: Facts,
    /// Nanoseconds each would have saved so far, by the hash of its tape.
    savings: HashMap<u64, f64, foldhash::fast::FixedState>,
}

impl OffloadModel {
    /// A model for a device, where no program has saved anything yet.
    pub fn new(target: usize, facts: Facts) -> OffloadModel {
        OffloadModel { target, facts, savings: HashMap::default() }
    }

    /// Nanoseconds that so many nodes over so many bytes would save on the device; some of the bytes are on the host only, others
    /// on the device only.
    pub fn gain(&self, nodes: usize, bytes: usize, [on_host, on_device]: [usize; 2]) -> f64 {
        let host = nodes as f64 * HOST_NODE_NS + bytes as f64 / HOST_BYTES_PER_NS + on_device as f64 / self.facts.link;
        let device =
            nodes as f64 * self.facts.launch + bytes as f64 / self.facts.bandwidth + on_host as f64 / self.facts.link;
        host - device
    }

    /// Whether a program should move now.
    pub fn pays_off(&mut self, program: u64, nodes: usize, gain: f64) -> bool {
        if gain <= 0.0 {
            return false;
        }
        if self.savings.len() >= MAX_OFFLOAD_PROGRAMS {
            self.savings.clear();
        }
        let saved = self.savings.entry(program).or_insert(0.0);
        *saved += gain;
        *saved >= nodes as f64 * self.facts.compile
    }
}
