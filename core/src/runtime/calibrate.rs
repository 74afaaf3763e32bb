//! Calibration: measures constants of the cost model, to be compared with the defaults that decisions use.
//!
//! Decisions do not ask these figures: plans, and with them the last bits of sums, would differ from process to process.

use crate::error::Result;
use crate::host::threads::{Threads, pool_size};
use crate::host::work_queue::SPIN_TIME;
use crate::memory::pool::Buffer;
use crate::runtime::bandwidth::copy_bandwidth;
use crate::runtime::lock::runtime;
use fastnp_codegen::cost::{CONSTANTS, name};
use fastnp_codegen::{
    Access, Backend, DType, Kernel, KernelBuilder, Launch, Op, SingleThread, Template, ThreadPool, verify,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Bytes of the arrays that are copied in each level of the memory.
const CACHED: usize = 128 << 10;
const SHARED: usize = 4 << 20;
const MEMORY: usize = 64 << 20;
/// Elements of the kernel whose instructions are timed: they stay in the first-level cache.
const ELEMENTS: usize = 1024;
/// Additions of the long kernel, and of the short one. The difference is theirs alone.
const ADDITIONS: [usize; 2] = [40, 8];
/// The best of so many runs: others of the machine's programs run meanwhile.
const RUNS: usize = 200;
/// The same for runs that wait until threads sleep.
const WAKE_RUNS: usize = 20;
/// How long a task waits for another one.
const MOST_WAIT: Duration = Duration::from_millis(1);

/// A constant of the cost model.
#[derive(Clone, Debug)]
pub struct Cost {
    /// Its name.
    pub name: &'static str,
    /// The value that decisions use.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// The decisions that ask it.
    pub decides: &'static str,
    /// What was measured now, where it is measured: of grains of work, what handing over that work takes.
    pub measured: Option<f64>,
}

/// The constants of the cost model, with what some of them are on this machine: measured in a fifth of a second, on one thread.
///
/// # Errors
/// `MemoryError`.
///
/// ```
/// let costs = fastnp::costs()?;
/// assert!(costs.iter().any(|cost| cost.name == "launch" && cost.measured.is_some_and(|ns| ns > 0.0)));
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn costs() -> Result<Vec<Cost>> {
    let backend = runtime().exec_target().backend.clone();
    let per_byte = |bytes, rounds| copy_bandwidth(bytes, 1, rounds).map(|bandwidth| 1e9 / bandwidth);
    let [long, short] = ADDITIONS.map(|additions| chain_ns(&*backend, additions, ELEMENTS));
    let measured = [
        (name::CACHED_BYTE, Some(per_byte(CACHED, RUNS)?)),
        (name::SHARED_BYTE, Some(per_byte(SHARED, RUNS / 10)?)),
        (name::MEMORY_BYTE, Some(per_byte(MEMORY, 2)?)),
        (
            name::INSTRUCTION,
            long.zip(short).map(|(long, short)| (long - short) / additions_between() / ELEMENTS as f64),
        ),
        (name::LAUNCH, chain_ns(&*backend, 1, 1)),
        (name::GRAIN, (pool_size() > 1).then(|| hand_over_ns(RUNS, Duration::ZERO))),
        (name::WAKE_GRAIN, (pool_size() > 1).then(|| hand_over_ns(WAKE_RUNS, 3 * SPIN_TIME))),
    ];
    let measured = |name| measured.iter().find(|m| m.0 == name).and_then(|m| m.1);
    let cost = |c: &fastnp_codegen::cost::Constant| Cost {
        name: c.name,
        value: c.value,
        unit: c.unit,
        decides: c.decides,
        measured: measured(c.name),
    };
    Ok(CONSTANTS.iter().map(cost).collect())
}

fn additions_between() -> f64 {
    (ADDITIONS[0] - ADDITIONS[1]) as f64
}

/// Nanoseconds of a launch of a kernel of so many additions, over so many doubles; none if it does not compile.
fn chain_ns(backend: &dyn Backend, additions: usize, elements: usize) -> Option<f64> {
    let program = backend.compile(&verify(chain(additions)).ok()?).ok()?;
    let (from, to) = (Buffer::new(8 * elements).ok()?, Buffer::new(8 * elements).ok()?);
    // SAFETY: the block has so many bytes.
    unsafe { from.address().write_bytes(0, 8 * elements) };
    let (addresses, strides, outer) = ([from.address(), to.address()], [8, 8], [elements]);
    let launch = Launch { outer: &outer, inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
    let run = |_| {
        let started = Instant::now();
        // SAFETY: both blocks have so many elements, are aligned, and no other code uses them.
        let done = unsafe { program.launch(&launch, &SingleThread) };
        done.ok().map(|_| started.elapsed().as_nanos() as f64)
    };
    (0..RUNS).map(run).collect::<Option<Vec<f64>>>()?.into_iter().min_by(f64::total_cmp)
}

/// A map that adds its operand so many times, in two chains that do not wait for each other.
fn chain(additions: usize) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from = kernel.operand(DType::F64, Access::Read, true);
    let to = kernel.operand(DType::F64, Access::Write, true);
    let mut body = kernel.body();
    let operand = body.load(from);
    let mut chains = [operand; 2];
    for i in 0..additions {
        chains[i % 2] = body.apply([Op::Add, Op::Subtract][i % 2], &[chains[i % 2], operand]);
    }
    let sum = body.apply(Op::Maximum, &chains);
    body.store(to, sum);
    kernel.finish()
}

/// Nanoseconds until another thread has begun a task, after a pause.
fn hand_over_ns(runs: usize, pause: Duration) -> f64 {
    let run = |_| {
        std::thread::sleep(pause);
        let (started, begun) = (Instant::now(), AtomicUsize::new(0));
        Threads.run(2, &|_| {
            begun.fetch_add(1, Ordering::Relaxed);
            // Each task waits for the other one, so that no thread runs both; not for ever, where there is but one thread.
            while begun.load(Ordering::Relaxed) < 2 && started.elapsed() < MOST_WAIT {
                std::hint::spin_loop();
            }
        });
        started.elapsed().as_nanos() as f64
    };
    (0..runs).map(run).min_by(f64::total_cmp).unwrap_or(f64::NAN)
}
