//! Everything that the runtime's lock protects.

use crate::memory::free_list::FreeList;
use crate::plan::plan::Plan;
use crate::plan::trace::Trace;
use crate::runtime::exec_target::{ExecTarget, HOST_TARGET};
use crate::runtime::launch::Telemetry;
use crate::runtime::offload::OffloadModel;
use crate::runtime::program_cache::ProgramCache;
use smallvec::SmallVec;
use std::sync::Arc;

/// Operations over at most this many elements run at once when their operands are ready: recording and planning a node costs
/// about what computing a thousand elements costs.
pub(crate) const DEFAULT_TINY: usize = 1024;

/// Everything the lock protects.
pub(crate) struct Runtime {
    pub(crate) trace: Trace,
    pub(crate) free_list: FreeList,
    pub(crate) programs: ProgramCache,
    /// Where plans may run, and where they do.
    pub(crate) targets: Vec<ExecTarget>,
    pub(crate) current: usize,
    /// The device that plans move to where that pays, and what would have been won by then.
    pub(crate) offload: Option<OffloadModel>,
    pub(crate) tiny: usize,
    pub(crate) eager: bool,
    pub(crate) telemetry: Telemetry,
    /// Which slots somebody can reach, as of the latest call of `full`.
    pub(crate) live: Vec<bool>,
    /// Slots of shared memory that a device wrote.
    pub(crate) written_shared: Vec<u32>,
    /// Single elements that came from devices since something ran.
    pub(crate) downloaded_elements: usize,
    pub(crate) last: LastFlush,
    /// What the last flush left to be decided.
    pub(crate) speculation: Option<Speculation>,
}

/// The last flush, kept for `explain`: keeping it is three swaps.
#[derive(Default)]
pub(crate) struct LastFlush {
    pub(crate) tape: Vec<u64>,
    pub(crate) live: Vec<bool>,
    pub(crate) plan: Option<Arc<Plan>>,
}

/// What a flush left to be decided.
pub(crate) struct Speculation {
    /// The plan that stores everything.
    pub(crate) full: Arc<Plan>,
    /// The one that ran, if it left the results out.
    pub(crate) reduced: Option<Arc<Plan>>,
    /// The slots of the results.
    pub(crate) slots: SmallVec<[u32; 4]>,
}

impl Runtime {
    pub(crate) fn new() -> Runtime {
        Runtime {
            trace: Trace::new(),
            free_list: FreeList::new(),
            programs: ProgramCache::new(),
            targets: vec![ExecTarget::host("").expect("there is always one")],
            current: HOST_TARGET,
            offload: None,
            tiny: DEFAULT_TINY,
            eager: false,
            telemetry: Telemetry::default(),
            live: Vec::new(),
            written_shared: Vec::new(),
            downloaded_elements: 0,
            last: LastFlush::default(),
            speculation: None,
        }
    }
}
