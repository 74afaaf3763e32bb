//! Offload model: the cost model that moves plans to a device where that pays.

use fastnp_codegen::Facts;
use hashbrown::HashMap;

/// Bytes that the host's kernels read or write in a nanosecond, and nanoseconds that one takes at least.
const HOST_BANDWIDTH: f64 = 12.0;
const HOST_LAUNCH: f64 = 500.0;

/// Programs whose worth is remembered.
const MAX_OFFLOAD_PROGRAMS: usize = 4096;

/// Which programs are worth moving to a device: those that would have been faster there by what compiling for it takes, which is
/// at most twice as slow as knowing beforehand how often each will run.
pub(crate) struct OffloadModel {
    pub(crate) target: usize,
    facts: Facts,
    /// Nanoseconds that each would have won so far, by the hash of its tape.
    savings: HashMap<u64, f64, foldhash::fast::FixedState>,
}

impl OffloadModel {
    /// Nanoseconds that nodes would win on the device, which touch so many bytes; some of those are on the host alone, others on the
    /// device alone.
    pub(crate) fn new(target: usize, facts: Facts) -> OffloadModel {
        OffloadModel { target, facts, savings: HashMap::default() }
    }

    pub(crate) fn gain(&self, nodes: usize, bytes: usize, [on_host, on_device]: [usize; 2]) -> f64 {
        let host = nodes as f64 * HOST_LAUNCH + bytes as f64 / HOST_BANDWIDTH + on_device as f64 / self.facts.link;
        let device =
            nodes as f64 * self.facts.launch + bytes as f64 / self.facts.bandwidth + on_host as f64 / self.facts.link;
        host - device
    }

    /// Whether a program is worth moving now.
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
    fn what_must_be_sent_counts() {
        // One pass over what is on the host: as fast as sending it would be four times as much.
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
