//! Offload model: the cost model that moves plans to a device where that pays.

use fastnp_codegen::Facts;
use fastnp_codegen::cost::{HOST_BYTES_PER_NS, HOST_NODE_NS};
use hashbrown::HashMap;

/// Programs whose savings are remembered.
const MAX_OFFLOAD_PROGRAMS: usize = 4096;

/// The programs that should move to a device: those that would have saved there what compiling for it takes, which costs at most
/// twice the time of knowing beforehand how often each will run.
pub(crate) struct OffloadModel {
    pub(crate) target: usize,
    facts: Facts,
    /// Nanoseconds each would have saved so far, by the hash of its tape.
    savings: HashMap<u64, f64, foldhash::fast::FixedState>,
}

impl OffloadModel {
    /// A model for a device, where no program has saved anything yet.
    pub(crate) fn new(target: usize, facts: Facts) -> OffloadModel {
        OffloadModel { target, facts, savings: HashMap::default() }
    }

    /// Nanoseconds that so many nodes over so many bytes would save on the device; some of the bytes are on the host only, others
    /// on the device only.
    pub(crate) fn gain(&self, nodes: usize, bytes: usize, [on_host, on_device]: [usize; 2]) -> f64 {
        let host = nodes as f64 * HOST_NODE_NS + bytes as f64 / HOST_BYTES_PER_NS + on_device as f64 / self.facts.link;
        let device =
            nodes as f64 * self.facts.launch + bytes as f64 / self.facts.bandwidth + on_host as f64 / self.facts.link;
        host - device
    }

    /// Whether a program should move now.
    pub(crate) fn pays_off(&mut self, program: u64, nodes: usize, gain: f64) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn offload() -> OffloadModel {
        let facts = Facts { launch: 3_000.0, bandwidth: 4_000.0, link: 50.0, compile: 50e6 };
        OffloadModel { target: 1, facts, savings: HashMap::default() }
    }

    #[test]
    fn small_programs_stay() {
        assert!(offload().gain(10, 240_000, [0, 0]) < 0.0, "three arrays of 10,000 doubles");
        assert!(offload().gain(10, 240_000_000, [0, 0]) > 0.0, "three of ten million");
    }

    #[test]
    fn uploads_count() {
        // One pass over data of which half must be uploaded pays; it does not where fifty times as much must be.
        assert!(offload().gain(1, 160_000_000, [80_000_000, 0]) > 0.0);
        assert!(offload().gain(1, 16_000_000, [800_000_000, 0]) < 0.0);
        assert!(offload().gain(1, 16_000_000, [0, 800_000_000]) > 0.0);
    }

    #[test]
    fn a_program_moves_once_compiling_would_have_paid() {
        let mut offload = offload();
        let gain = offload.gain(1, 240_000_000, [0, 0]);
        let runs = (0..1000).take_while(|_| !offload.pays_off(7, 1, gain)).count();
        assert_eq!(runs, (50e6 / gain) as usize, "and from then on it stays there");
        assert!(offload.pays_off(7, 1, gain) && !offload.pays_off(8, 1, gain));
    }
}
