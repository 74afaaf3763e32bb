//! Profile: what the runtime did between two moments, how often, when, and for how long.
//!
//! The same clock readings that debug output prints ([`crate::runtime::inspect`]) are added up here while a profile is made. Without one, a
//! launch pays the one comparison that it pays for debug output.

use crate::plan::plan::ComposedLaunch;
use crate::runtime::inspect::{composed_traffic, traffic};
use fastnp_codegen::{DType, Inst, Kernel, Launch};
use hashbrown::HashMap;
use std::hash::Hash;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Spans kept for a timeline, of 24 bytes each. Later ones count in the sums only.
const MAX_SPANS: usize = 200_000;

/// Whether a profile is made, for callers without the runtime's lock.
static IS_ON: AtomicBool = AtomicBool::new(false);
/// Nanoseconds that the runtime was busy since the profile began.
static BUSY: AtomicU64 = AtomicU64::new(0);

/// The place in the embedding program that is running, as a number that this program gives it; zero for none.
pub type CallSite = u32;

static CALL_SITE: OnceLock<fn() -> CallSite> = OnceLock::new();

/// Installs what finds the call site. It is called with the runtime locked, so it runs no code of the embedding program. The first call
/// counts.
pub fn set_call_site_source(source: fn() -> CallSite) {
    let _ = CALL_SITE.set(source);
}

/// Why pending work ran.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlushReason {
    /// The program asked for it.
    Asked,
    /// A value was read.
    Read,
    /// The trace was full, or a loop began again.
    Full,
    /// The operation could not wait: a setting, or memory that other code sees.
    Immediate,
    /// Code outside touched the memory.
    Touched,
    /// Floating-point errors are treated differently from here on.
    Errstate,
    /// Another device, or a routine of one.
    Device,
}

impl FlushReason {
    /// The reason in words.
    pub fn text(self) -> &'static str {
        match self {
            FlushReason::Asked => "asked for",
            FlushReason::Read => "a value was read",
            FlushReason::Full => "the trace was full, or a loop began again",
            FlushReason::Immediate => "the operation could not wait",
            FlushReason::Touched => "other code touched the memory",
            FlushReason::Errstate => "np.errstate changed",
            FlushReason::Device => "a device was asked",
        }
    }
}

/// The launches of one kernel, or the matrix products of one type, from one call site.
#[derive(Clone, Debug)]
pub struct WorkProfile {
    /// Its operations, in order.
    pub name: String,
    /// The template and the strategy that drove it.
    pub strategy: String,
    /// Where the value was needed for which it ran.
    pub site: CallSite,
    /// The largest domain.
    pub domain: Vec<usize>,
    /// How often it ran.
    pub runs: u64,
    /// For how long, in sum.
    pub nanoseconds: u64,
    /// Bytes of distinct elements loaded and stored, in sum; zero for products.
    pub bytes: u64,
    /// Floating-point operations of products, in sum; zero for kernels.
    pub flops: u64,
}

/// The flushes from one call site for one reason.
#[derive(Clone, Debug)]
pub struct FlushProfile {
    /// Where.
    pub site: CallSite,
    /// Why.
    pub reason: FlushReason,
    /// How often.
    pub flushes: u64,
    /// Operations that ran, in sum.
    pub nodes: u64,
    /// For how long, planning excluded, in sum.
    pub nanoseconds: u64,
}

/// What a span of the timeline is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activity {
    /// A flush, by its row of [`Profile::flushes`].
    Flush(u32),
    /// A launch or product, by its row of [`Profile::work`].
    Work(u32),
    /// Planning.
    Plan,
    /// Compiling.
    Compile,
}

/// A part of the timeline.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// What was done.
    pub activity: Activity,
    /// Nanoseconds from the begin of the profile.
    pub start: u64,
    /// How long it took.
    pub nanoseconds: u64,
}

/// What the runtime did while a profile was made.
#[derive(Clone, Default, Debug)]
pub struct Profile {
    /// Kernels and products.
    pub work: Vec<WorkProfile>,
    /// Flushes.
    pub flushes: Vec<FlushProfile>,
    /// Nanoseconds of planning, compiling excluded.
    pub planning: u64,
    /// Nanoseconds of compiling.
    pub compiling: u64,
    /// Nanoseconds that the runtime was busy with any of this, counted once.
    pub busy: u64,
    /// The timeline, in the order of ends.
    pub spans: Vec<Span>,
    /// Spans that are not in it, as there were too many.
    pub spans_left_out: u64,
}

/// What tells rows of work from each other.
#[derive(PartialEq, Eq, Hash)]
enum WorkKey {
    Kernel(Kernel, &'static str),
    Composed(Vec<Kernel>),
    Product(DType),
}

/// A profile that is being made.
pub(crate) struct Recorder {
    began: Instant,
    profile: Profile,
    work: HashMap<(WorkKey, CallSite), u32>,
    /// The kernel of each row of work, and the rows by its address, strategy and call site: found without a hash of the kernel.
    kernels: Vec<Option<Kernel>>,
    addresses: HashMap<(usize, &'static str, CallSite), u32>,
    flushes: HashMap<(CallSite, FlushReason), u32>,
    /// Flushes and plans that are under way: what happens in them is not busy time of its own.
    depth: u32,
    /// The call site of the flush under way.
    site: CallSite,
}

/// A flush or a plan that is under way.
pub(crate) struct Started {
    at: Instant,
    compiling_before: u64,
}

impl Recorder {
    pub(crate) fn new() -> Recorder {
        Recorder {
            began: Instant::now(),
            profile: Profile::default(),
            work: HashMap::new(),
            kernels: Vec::new(),
            addresses: HashMap::new(),
            flushes: HashMap::new(),
            depth: 0,
            site: 0,
        }
    }

    /// What was recorded.
    pub(crate) fn into_profile(self) -> Profile {
        self.profile
    }

    /// Begins a flush, or the planning of one.
    pub(crate) fn begin(&mut self) -> Started {
        if self.depth == 0 {
            self.site = CALL_SITE.get().map_or(0, |source| source());
        }
        self.depth += 1;
        Started { at: Instant::now(), compiling_before: self.profile.compiling }
    }

    /// Ends planning.
    pub(crate) fn end_plan(&mut self, started: &Started) {
        self.depth = self.depth.saturating_sub(1);
        let elapsed = self.add_span(Activity::Plan, started.at);
        self.profile.planning += elapsed.saturating_sub(self.profile.compiling - started.compiling_before);
    }

    /// Ends a flush of so many nodes.
    pub(crate) fn end_flush(&mut self, started: &Started, reason: FlushReason, nodes: usize) {
        self.depth = self.depth.saturating_sub(1);
        let key = (self.site, reason);
        let rows = &mut self.profile.flushes;
        let row = *self.flushes.entry(key).or_insert_with(|| {
            rows.push(FlushProfile { site: key.0, reason, flushes: 0, nodes: 0, nanoseconds: 0 });
            rows.len() as u32 - 1
        });
        let elapsed = self.add_span(Activity::Flush(row), started.at);
        let row = &mut self.profile.flushes[row as usize];
        row.flushes += 1;
        row.nodes += nodes as u64;
        row.nanoseconds += elapsed;
    }

    /// Adds a launch.
    pub(crate) fn add_launch(
        &mut self,
        kernel: &Kernel,
        launch: &Launch<'_>,
        strategy: &'static str,
        started: Instant,
    ) {
        let site = self.work_site();
        let address = (std::ptr::from_ref(kernel).addr(), strategy, site);
        // Another kernel may have the address by now.
        let is_same = |&row: &u32| self.kernels[row as usize].as_ref() == Some(kernel);
        let row = match self.addresses.get(&address).copied().filter(is_same) {
            Some(row) => row,
            None => {
                let colon = if strategy.is_empty() { "" } else { ": " };
                let describe = || (operations(kernel), format!("{}{colon}{strategy}", kernel.template));
                let row = self.row(WorkKey::Kernel(kernel.clone(), strategy), site, describe);
                self.addresses.insert(address, row);
                row
            }
        };
        let domain = || launch.outer.iter().chain(launch.inner);
        self.add_work(row, domain, started).bytes += traffic(kernel, launch) as u64;
    }

    /// Adds a composed kernel, under the operations of all its stages.
    pub(crate) fn add_composed(&mut self, work: &ComposedLaunch, started: Instant) {
        let kernels: Vec<Kernel> = work.stages.iter().map(|stage| (**stage.work.kernel).clone()).collect();
        let describe = || {
            let names: Vec<String> = kernels.iter().map(operations).collect();
            (names.join("; "), format!("{} stages by blocks", kernels.len()))
        };
        let row = self.row(WorkKey::Composed(kernels.clone()), self.work_site(), describe);
        let extent = [work.extent, work.points() / work.extent.max(1)];
        self.add_work(row, || extent.iter(), started).bytes += composed_traffic(work) as u64;
    }

    /// Adds matrix products.
    pub(crate) fn add_product(&mut self, dtype: DType, domain: &[usize], started: Instant) {
        let describe = || (format!("matmul in {dtype}"), "gemm".to_owned());
        let row = self.row(WorkKey::Product(dtype), self.work_site(), describe);
        self.add_work(row, || domain.iter(), started).flops += 2 * domain.iter().product::<usize>() as u64;
    }

    /// Adds a compilation.
    pub(crate) fn add_compile(&mut self, started: Instant) {
        self.profile.compiling += self.add_span(Activity::Compile, started);
    }

    /// The call site of work that runs now.
    fn work_site(&self) -> CallSite {
        if self.depth > 0 { self.site } else { 0 }
    }

    /// The row of work, which is made where there is none.
    fn row(&mut self, key: WorkKey, site: CallSite, describe: impl FnOnce() -> (String, String)) -> u32 {
        let kernel = match &key {
            WorkKey::Kernel(kernel, _) => Some(kernel.clone()),
            WorkKey::Composed(_) | WorkKey::Product(_) => None,
        };
        let (rows, kernels) = (&mut self.profile.work, &mut self.kernels);
        *self.work.entry((key, site)).or_insert_with(|| {
            let (name, strategy) = describe();
            kernels.push(kernel);
            let domain = Vec::new();
            rows.push(WorkProfile { name, strategy, site, domain, runs: 0, nanoseconds: 0, bytes: 0, flops: 0 });
            rows.len() as u32 - 1
        })
    }

    /// Adds work over a domain, which began at a moment and ends now, to a row.
    fn add_work<'a, I: Iterator<Item = &'a usize>>(
        &mut self,
        row: u32,
        domain: impl Fn() -> I,
        started: Instant,
    ) -> &mut WorkProfile {
        let elapsed = self.add_span(Activity::Work(row), started);
        let row = &mut self.profile.work[row as usize];
        row.runs += 1;
        row.nanoseconds += elapsed;
        if domain().product::<usize>() > row.domain.iter().product() {
            row.domain = domain().copied().collect();
        }
        row
    }

    /// Adds a span that ends now; its nanoseconds.
    fn add_span(&mut self, activity: Activity, started: Instant) -> u64 {
        let nanoseconds = started.elapsed().as_nanos() as u64;
        if self.depth == 0 {
            self.profile.busy += nanoseconds;
            BUSY.store(self.profile.busy, Ordering::Relaxed);
        }
        if self.profile.spans.len() < MAX_SPANS {
            let start = started.saturating_duration_since(self.began).as_nanos() as u64;
            self.profile.spans.push(Span { activity, start, nanoseconds });
        } else {
            self.profile.spans_left_out += 1;
        }
        nanoseconds
    }
}

/// The names of a kernel's operations, in order; of functions written with others, those.
fn operations(kernel: &Kernel) -> String {
    let of = |insts: &[Inst]| -> Vec<&'static str> {
        insts
            .iter()
            .filter_map(|inst| match inst {
                Inst::Apply(op, _) => Some(op.name()),
                Inst::Select(_) => Some("where"),
                Inst::Cast(..) => Some("cast"),
                Inst::Gather(..) => Some("take"),
                Inst::Scatter(..) => Some("put"),
                _ => None,
            })
            .collect()
    };
    let mut names: Vec<String> = of(&kernel.body.insts).into_iter().map(str::to_owned).collect();
    names.extend(kernel.accumulators.iter().map(|a| format!("{}.{}", a.fold, kernel.template)));
    names.extend(of(&kernel.epilogue.insts).into_iter().map(str::to_owned));
    if names.is_empty() { "copy".to_owned() } else { names.join(", ") }
}

/// Says whether a profile is made, to callers without the runtime's lock.
pub(crate) fn announce(is_on: bool) {
    BUSY.store(0, Ordering::Relaxed);
    IS_ON.store(is_on, Ordering::Relaxed);
}

/// Nanoseconds that the runtime was busy since the profile began that is being made.
#[inline]
pub fn busy_nanoseconds() -> Option<u64> {
    IS_ON.load(Ordering::Relaxed).then(|| BUSY.load(Ordering::Relaxed))
}
