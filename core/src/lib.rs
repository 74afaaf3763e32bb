//! Lazy, fusing NumPy-style arrays.
//!
//! Operations on [`Array`]s are recorded, not run. When a value is needed, what is pending is fused into few kernels, compiled and
//! run. A write is recorded like a read, so programs that update slices in place fuse as well as pure ones.
//!
//! ```
//! use fastnp::{Array, Index, Reduction};
//!
//! let x = Array::linspace(0.0, 1.0, 1_000_001);
//! let y = &(&x * &x) + 1.0;                                  // recorded
//! y.index(&[(0..10).into()])?.assign(0.0)?;                  // recorded too
//! let total = y.reduce(Reduction::Sum, None, None, false)?;  // recorded
//! assert!((total.item()?.to_f64() - 1_333_324.0).abs() < 1.0); // one flush
//! # Ok::<(), fastnp::Error>(())
//! ```
//!
//! # How it works
//!
//! An [`Array`] is a storage, a [`Layout`] and an element type. Recording appends a statement to the trace; `flush` looks the trace
//! up among the plans made so far or makes one: dead nodes are dropped, the rest are grouped into kernels, and each kernel is
//! compiled by a backend of `fastnp-codegen`, which knows nothing of arrays. Small operations on ready operands skip all that and
//! run eagerly.
//!
//! # Modules
//!
//! From the ground up: each row imports rows above it only.
//!
//! | folder | what lives there |
//! |---|---|
//! | `error` | errors with NumPy's kinds and texts |
//! | `host` | the interpreter lock, the spin lock, the thread pool, matrix products |
//! | `fourier` | Fourier transforms of lines of memory |
//! | `memory` | storages and references to them, the pool, the free list, device buffers |
//! | `array` | the array, layouts and views, scalar arguments |
//! | `plan` | the trace; fusion, lowering and plans |
//! | `runtime` | the one lock; recording, eager execution, flushing, execution targets, contents |
//! | `device` | routines of a device's libraries, device memory shared with others |
//! | `ops` | operations: types and shapes to statements |
//! | `index` | indexing by positions and masks |
//! | `settings` | the table of settings |
//!
//! A method of [`Array`] stands in the folder that it needs: views in `array`, what reads contents in `runtime`, operations in
//! `ops`. Follow a statement from `ops/elementwise.rs` to `runtime/record.rs`, `runtime/flush.rs` and `plan/build.rs`.
//!
//! # Errors
//!
//! What a user can get wrong is found when an operation is recorded and returned as an [`Error`] whose kind and text are NumPy's.
//! [`ErrorKind::Unsupported`] marks what NumPy can do and this crate cannot.

mod array;
mod device;
mod error;
mod fourier;
mod host;
mod index;
mod memory;
mod ops;
mod plan;
mod runtime;
pub mod settings;

pub use crate::array::array::Array;
pub use crate::array::element::Element;
pub use crate::array::layout::{Index, Layout, MAX_DIMS, Order, Shape, Strides, broadcast, normalize_axis};
pub use crate::array::value::Value;
pub use crate::device::export::DeviceExport;
pub use crate::device::routine::{
    SvdResult, cholesky, eigen, fourier, lu, qr, solve, svd, targets_host, why_unavailable,
};
#[cfg(debug_assertions)]
#[doc(hidden)]
pub use crate::host::interpreter_lock::release_always;
pub use crate::host::interpreter_lock::{InterpreterLock, rely_on_interpreter_lock, set_interpreter_lock};
pub use crate::index::by_mask::{place, put_selected, select_now};
pub use crate::index::counts::{bincount, even_histogram};
pub use crate::index::distinct::{argsorted_distinct, distinct};
pub use crate::index::fancy::{FancyIndex, IndexPart};
pub use crate::index::lazy_selection::LazySelection;
pub use crate::index::left_out::{ResultOrder, without_masked, without_positions};
pub use crate::index::order::{coordinates, inserted, repeated};
pub use crate::index::search::{Side, digitize, interpolate, search_sorted};
pub use crate::index::segments::fold_segments;
pub use crate::index::selection::{Selection, SelectionArg};
pub use crate::index::sort::{argsorted, lexsorted, sorted};
pub use crate::index::update::update_at;
#[cfg(all(unix, debug_assertions))]
#[doc(hidden)]
pub use crate::memory::guard;
pub use crate::memory::storage::Owner;
pub use crate::ops::bits::{BitOrder, pack_bits, unpack_bits};
pub use crate::ops::concatenate::{concatenate, stack};
pub use crate::ops::correlate::{Overlap, correlate};
pub use crate::ops::elementwise::{Options, apply, apply_to, apply_with, select};
pub use crate::ops::fourier::{AxisTransform, NonFinite, transform_axes};
pub use crate::ops::lent::{LentElements, LentOperand, apply_lent};
pub use crate::ops::matmul::{dot, inner_lent, matmul};
pub use crate::ops::promote::{ArgType, Casting, can_cast, promote_types, resolve, result_type};
pub use crate::ops::reduce::{ReduceOptions, Reduction};
pub use crate::ops::repeat::repeat;
#[cfg(debug_assertions)]
#[doc(hidden)]
pub use crate::plan::compose::compose_small;
#[cfg(debug_assertions)]
#[doc(hidden)]
pub use crate::plan::fuse::{Fusion, set_fusion};
pub use crate::plan::loop_function::{LoopFunction, LoopStep};
pub use crate::plan::trace::FunctionName;
pub use crate::runtime::array_contents::Export;
pub use crate::runtime::bandwidth::memory_bandwidth;
pub use crate::runtime::calibrate::{Cost, costs};
pub use crate::runtime::eager::runs_eagerly;
pub use crate::runtime::explain::{ExplainedGroup, explain, explain_groups};
pub use crate::runtime::expose::{ensure_fault_handler, guard_addresses, resolved_faults, set_fault_observer};
pub use crate::runtime::fork::{ForkGuard, quiesce};
pub use crate::runtime::fp_flags::{ErrstateToken, FpReport, set_errstate_source};
pub use crate::runtime::guarded_header::GuardedHeader;
pub use crate::runtime::profile::{
    Activity, CallSite, FlushProfile, FlushReason, Profile, Span, WorkProfile, busy_nanoseconds, set_call_site_source,
};
pub use crate::runtime::statement_kernel::{StatementBody, StatementKernel};
pub use crate::runtime::stats::Stats;
pub use crate::runtime::target::{current_device, describe_device, set_device, synchronize};
pub use crate::runtime::tasks::run_tasks;
pub use error::{Error, ErrorKind, Result};
#[cfg(debug_assertions)]
#[doc(hidden)]
pub use fastnp_codegen::backend::fault;
pub use fastnp_codegen::{
    CUDA, DType, DirectLoop, Fold, FpFlags, Kind, Library, Op, ResultRule, Scalar, Transform, Wide,
};
pub use num_complex::Complex;

use crate::runtime::lock::runtime;
use crate::runtime::profile;

/// Runs everything that is pending.
///
/// # Errors
/// `MemoryError`; `KeyboardInterrupt`, where the [`InterpreterLock`] has those. What did not run stays pending.
///
/// ```
/// use fastnp::{Array, flush, stats};
/// let x = &Array::linspace(0.0, 1.0, 100_000) * 2.0;
/// let before = stats().kernels_launched;
/// flush()?;
/// assert!(stats().kernels_launched > before);
/// # drop(x);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn flush() -> Result<()> {
    runtime().flush(FlushReason::Asked)
}

/// Counters of the work since the process began or [`reset_stats`].
///
/// ```
/// use fastnp::{Array, flush, reset_stats, stats};
/// flush()?;
/// reset_stats();
/// let x = Array::linspace(0.0, 1.0, 100_000);
/// let y = &(&x * &x) + &x;
/// y.evaluate()?;
/// assert_eq!(stats().flushes, 1);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn stats() -> Stats {
    let mut stats = runtime().telemetry.stats;
    let (live, peak, cached) = crate::memory::pool::usage();
    stats.bytes_live = live as u64;
    stats.bytes_peak = peak as u64;
    stats.bytes_cached = cached as u64;
    (stats.bytes_on_devices, stats.bytes_uploaded, stats.bytes_downloaded) = crate::memory::device_buffer::usage();
    stats
}

/// Sets the counters to zero.
pub fn reset_stats() {
    runtime().telemetry.stats = Stats::default();
    crate::memory::pool::reset_peak();
    crate::memory::device_buffer::reset_traffic();
}

/// Begins a profile, in place of one that is being made.
///
/// ```
/// use fastnp::{Array, DType, start_profile, stop_profile};
/// start_profile();
/// let x = &Array::ones(&[100_000], DType::F64) + 1.0;
/// x.evaluate()?;
/// let profile = stop_profile();
/// assert_eq!(profile.work[0].name, "add");
/// assert!(profile.busy >= profile.work[0].nanoseconds);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn start_profile() {
    runtime().telemetry.set_recorder(Some(Box::new(profile::Recorder::new())));
    profile::announce(true);
}

/// Ends the profile, and returns it; an empty one where none is being made.
pub fn stop_profile() -> Profile {
    profile::announce(false);
    runtime().telemetry.set_recorder(None).map_or_else(Profile::default, |recorder| recorder.into_profile())
}

/// Floating-point flags that kernels raised since the last call, by op.
///
/// ```
/// use fastnp::{Array, FpFlags, Op, apply, take_fp_reports};
/// apply(Op::Log, &[(&Array::from(vec![0.0])).into()])?.evaluate()?;
/// let [report] = take_fp_reports()[..] else { panic!("one op raised flags") };
/// assert_eq!((report.name, report.flags), ("log", FpFlags::DIVIDE));
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn take_fp_reports() -> Vec<FpReport> {
    crate::runtime::lock::unresolved_runtime().telemetry.fp_flags.take()
}

/// Whether [`take_fp_reports`] has something to give.
#[inline]
pub fn has_fp_reports() -> bool {
    crate::runtime::fp_flags::has_fp_reports()
}

/// For white-box tests: private functions and types that `tests/` uses. Tests within the sources would have the whole crate compiled a second
/// time, which takes 60 s of a core.
#[doc(hidden)]
pub mod white_box {
    pub use crate::host::count_true::count_true;
    pub use crate::host::spin_lock::SpinLock;
    pub use crate::host::threads::Threads;
    pub use crate::host::work_queue::SPIN_TIME;
    pub use crate::index::mask_loops::{compact, expand, write_positions};
    pub use crate::memory::front_layout::FrontLayout;
    pub use crate::memory::pool::{BLOCK_ALIGN, Buffer, available, available_in_cgroup, class_bytes, class_of};
    pub use crate::memory::storage::{Storage, Watcher};
    pub use crate::memory::storage_ref::StorageRef;
    pub use crate::plan::build::needed;
    pub use crate::plan::draft::{Draft, DraftPlan, Terms};
    pub use crate::plan::group::{KernelLimits, group};
    pub use crate::plan::inline::inline;
    pub use crate::plan::lower::collapse;
    pub use crate::plan::next_fold::{NextFoldProfile, can_share};
    pub use crate::plan::overlap::{Relation, relate};
    pub use crate::plan::recompute::omitted_results;
    pub use crate::plan::search::{Search, pays, search, values};
    pub use crate::plan::trace::{Node, NodeInput, Operation, SlotAccess};
    pub use crate::runtime::eager_gate::{Eager, EagerLimit};
    pub use crate::runtime::eager_kernels::{IN_PLACE, dense_kernel, inner_kernel};
    pub use crate::runtime::inspect::{compile_line, launch_line};
    pub use crate::runtime::lock::runtime;
    pub use crate::runtime::lone_statements::{LONE_FLUSHES, LONE_RUNS, LoneStatements};
    pub use crate::runtime::loop_turns::{LoopTurns, MAX_PLACES, Place};
    pub use crate::runtime::offload::OffloadModel;
    pub use crate::runtime::touched_results::{Creation, OPEN_RUNS, TOUCHES, TouchedResults};
    /// Transforms and the vectors that they are computed in.
    pub mod fourier {
        pub use crate::fourier::dense::DenseNumbers;
        pub use crate::fourier::lanes::{ComplexLanes, ComplexNumber, Lanes, widths};
        pub use crate::fourier::passes::Passes;
        pub use crate::fourier::real::{DenseReal, from_packed, half_twiddles, to_packed};
        pub use crate::fourier::roots::{Roots, root};
        pub use crate::fourier::split::{Endpoints, Split};
        #[cfg(target_arch = "x86_64")]
        pub use crate::fourier::{lanes_avx2::Lanes4, lanes_avx512::Lanes8};
    }
    /// The order of axes in new arrays.
    pub mod result_order {
        pub use crate::array::result_order::*;
    }
    /// Slots of guarded addresses.
    pub mod slots {
        pub use crate::memory::guarded_range::{
            MOST_COPIED, MOST_FRONTED, SLOT_PAGE, SlotOwner, assign_contents, capacity, front_page, has_front, reserve,
            suits,
        };
        pub use crate::memory::slot_pages::{
            CLOSED_AT_ONCE, close_with_copy, disown, free_disowned, open_new, open_with_copy, open_with_pages, own,
            retire,
        };
    }
}

/// The programs of the page on Rust, which run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/rust.md")]
struct Readme;
