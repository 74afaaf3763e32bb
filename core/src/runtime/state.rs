//! Runtime state: everything that the runtime's lock protects.

use crate::fourier::plan::FourierPlans;
use crate::memory::free_list::FreeList;
use crate::memory::storage_ref::StorageRef;
use crate::plan::plan::Plan;
use crate::plan::trace::Trace;
use crate::runtime::exec_target::{ExecTarget, HOST_TARGET};
use crate::runtime::fold_memo::FoldMemo;
use crate::runtime::interrupted_step::InterruptedStep;
use crate::runtime::launch::Telemetry;
use crate::runtime::lone_statements::LoneStatements;
use crate::runtime::loop_turns::LoopTurns;
use crate::runtime::offload::OffloadModel;
use crate::runtime::program_cache::ProgramCache;
use crate::runtime::touched_results::TouchedResults;
use fastnp_codegen::cost::EAGER_POINTS;
use smallvec::SmallVec;
use std::sync::Arc;

/// The runtime. There is one, behind one lock (`lock.rs`).
pub struct Runtime {
    pub(crate) trace: Trace,
    pub(crate) free_list: FreeList,
    pub(crate) programs: ProgramCache,
    pub(crate) fourier_plans: FourierPlans,
    /// The execution targets, and the one that plans run on.
    pub(crate) targets: Vec<ExecTarget>,
    pub(crate) current: usize,
    /// The cost model that moves plans to a device, under `set_device("auto")`.
    pub(crate) offload: Option<OffloadModel>,
    pub(crate) tiny: usize,
    pub(crate) eager: bool,
    pub(crate) telemetry: Telemetry,
    /// Which slots are reachable, as of the latest call of [`Runtime::plan`].
    pub(crate) live: Vec<bool>,
    /// The donations of the step that runs: taker, giver, and the giver's storage, which has no memory meanwhile.
    pub(crate) donated: SmallVec<[(u32, u32, StorageRef); 2]>,
    /// The step of which a part has run. Its nodes stay pending.
    pub(crate) interrupted: Option<InterruptedStep>,
    /// Slots of shared host memory that a device wrote.
    pub(crate) written_shared: Vec<u32>,
    /// Single elements downloaded since the last flush.
    pub(crate) downloaded_elements: usize,
    pub(crate) last: LastFlush,
    pub(crate) turns: LoopTurns,
    pub(crate) lone: LoneStatements,
    pub(crate) touched: TouchedResults,
    /// The speculation on dead results that the last flush left unresolved.
    pub(crate) speculation: Option<Speculation>,
    pub(crate) fold_memo: FoldMemo,
}

/// The last flush, kept for `explain`: keeping it is three swaps.
#[derive(Default)]
pub(crate) struct LastFlush {
    pub(crate) tape: Vec<u64>,
    pub(crate) live: Vec<bool>,
    pub(crate) plan: Option<Arc<Plan>>,
    /// What each step took, if a profile was made.
    pub(crate) nanoseconds: Vec<u64>,
}

/// An unresolved speculation: results that may die unread.
pub(crate) struct Speculation {
    /// The plan that stores every result.
    pub(crate) full: Arc<Plan>,
    /// The plan that ran instead, if it omitted the results.
    pub(crate) reduced: Option<Arc<Plan>>,
    /// The slots of the results.
    pub(crate) slots: SmallVec<[u32; 4]>,
}

impl Runtime {
    /// Sets the setting `tiny`, and forgets which statements were flushed alone, and which results touched.
    pub(crate) fn set_tiny(&mut self, points: usize) {
        self.tiny = points;
        self.lone = LoneStatements::default();
        self.touched = TouchedResults::default();
    }

    pub(crate) fn new() -> Runtime {
        Runtime {
            trace: Trace::new(),
            free_list: FreeList::new(),
            programs: ProgramCache::new(),
            fourier_plans: FourierPlans::default(),
            targets: vec![ExecTarget::host("").expect("the default backend exists")],
            current: HOST_TARGET,
            offload: None,
            tiny: EAGER_POINTS,
            eager: false,
            telemetry: Telemetry::default(),
            live: Vec::new(),
            donated: SmallVec::new(),
            interrupted: None,
            written_shared: Vec::new(),
            downloaded_elements: 0,
            last: LastFlush::default(),
            turns: LoopTurns::default(),
            lone: LoneStatements::default(),
            touched: TouchedResults::default(),
            speculation: None,
            fold_memo: FoldMemo::default(),
        }
    }
}
