//! Everything that the runtime's lock protects.

use crate::memory::free_list::Shelf;
use crate::plan::plan::Plan;
use crate::plan::trace::Trace;
use crate::runtime::exec_target::{HOST, Site};
use crate::runtime::launch::Seen;
use crate::runtime::offload::Worth;
use crate::runtime::program_cache::ProgramCache;
use smallvec::SmallVec;
use std::sync::Arc;

/// Operations over at most this many elements run at once when their operands are ready: recording and planning a node costs
/// about what computing a thousand elements costs.
pub(crate) const DEFAULT_TINY: usize = 1024;

/// Everything the lock protects.
pub(crate) struct Engine {
    pub(crate) trace: Trace,
    pub(crate) shelf: Shelf,
    pub(crate) programs: ProgramCache,
    /// Where plans may run, and where they do.
    pub(crate) sites: Vec<Site>,
    pub(crate) here: usize,
    /// The device that plans move to where that pays, and what would have been won by then.
    pub(crate) worth: Option<Worth>,
    pub(crate) tiny: usize,
    pub(crate) eager: bool,
    pub(crate) seen: Seen,
    /// Which slots somebody can reach, as of the latest call of `plan`.
    pub(crate) live: Vec<bool>,
    /// Slots of shared memory that a device wrote.
    pub(crate) shown: Vec<u32>,
    /// Single elements that came from devices since something ran.
    pub(crate) fetched: usize,
    pub(crate) last: Last,
    /// What the last flush left to be decided.
    pub(crate) passing: Option<Passing>,
}

/// The last flush, kept for `explain`: keeping it is three swaps.
#[derive(Default)]
pub(crate) struct Last {
    pub(crate) tape: Vec<u64>,
    pub(crate) live: Vec<bool>,
    pub(crate) plan: Option<Arc<Plan>>,
}

/// What a flush left to be decided.
pub(crate) struct Passing {
    /// The plan that stores everything.
    pub(crate) plan: Arc<Plan>,
    /// The one that ran, if it left the results out.
    pub(crate) instead: Option<Arc<Plan>>,
    /// The slots of the results.
    pub(crate) slots: SmallVec<[u32; 4]>,
}

impl Engine {
    pub(crate) fn new() -> Engine {
        Engine {
            trace: Trace::new(),
            shelf: Shelf::new(),
            programs: ProgramCache::new(),
            sites: vec![Site::host("").expect("there is always one")],
            here: HOST,
            worth: None,
            tiny: DEFAULT_TINY,
            eager: false,
            seen: Seen::default(),
            live: Vec::new(),
            shown: Vec::new(),
            fetched: 0,
            last: Last::default(),
            passing: None,
        }
    }
}
