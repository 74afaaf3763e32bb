//! Composed kernels: kernels that run one after the other on each block of an axis that they share.
//!
//! What one kernel, a *stage*, passes to the next is used at the same index of the axis, so a block goes through all stages while it
//! is in the cache (loop tiling across kernels, as FusionStitching's block composition on GPUs: doi 10.48550/arXiv.2009.10924). Values that
//! nothing needs afterwards are in scratch memory of the size of a block. Blocks are the units of parallel work. Their size does not
//! depend on the number of threads, and so results do not.

use crate::backend::composed::{Blocks, KernelStage, OperandPlace};
use crate::drive::fp_status;
use crate::{DeviceError, Launch, RaisedFlags, SingleThread, ThreadPool};
use parking_lot::Mutex;
use smallvec::SmallVec;

/// Nanoseconds of a point of a stage, for the division between threads. A composed kernel is launched only where its operands do not fit the
/// cache, so it is always worth dividing.
const POINT_NS: f64 = 0.5;

/// Scratch memory that no task uses, by number.
struct FreeScratch {
    blocks: Blocks,
    free: Mutex<Vec<usize>>,
}

// SAFETY: a task has the part of scratch memory whose number it took from the list to itself.
unsafe impl Sync for FreeScratch {}

impl FreeScratch {
    /// Calls `f` with scratch memory of a block. Waits for another task to end if there is less than there are threads.
    fn with(&self, f: impl FnOnce(*mut u8)) {
        let number = loop {
            match self.free.lock().pop() {
                Some(number) => break number,
                None => std::thread::yield_now(),
            }
        };
        f(self.blocks.scratch.wrapping_add(number * self.blocks.scratch_bytes));
        self.free.lock().push(number);
    }
}

/// Stages that threads may share.
struct SharedStages<'a>(&'a [KernelStage<'a>]);

// SAFETY: the contract of `launch` makes the addresses valid on any thread of the pool, and every location is written in one block only.
unsafe impl Sync for SharedStages<'_> {}

impl<'a> SharedStages<'a> {
    /// The stages. A method, so that closures capture the whole struct, which is `Sync`.
    fn get(&self) -> &'a [KernelStage<'a>] {
        self.0
    }
}

/// Runs the stages on all blocks. Returns the floating-point flags by stage.
///
/// # Errors
/// Those of [`crate::Program::launch`].
///
/// # Safety
/// As [`crate::Program::launch`], for each stage over the whole extent. A location that one stage writes and another one touches is touched at
/// one index of the shared axis only. The scratch memory is as large as `blocks` says and is used by nothing else.
pub unsafe fn launch(
    stages: &[KernelStage<'_>],
    blocks: &Blocks,
    workers: &dyn ThreadPool,
) -> Result<Vec<RaisedFlags>, DeviceError> {
    let count = blocks.extent.div_ceil(blocks.size);
    let block_points: usize = stages.iter().map(|stage| points(&stage.launch)).sum();
    let tasks = workers.tasks((block_points * count) as f64 * POINT_NS).clamp(1, count.max(1));
    let scratch = FreeScratch { blocks: *blocks, free: Mutex::new((0..blocks.scratch_blocks.max(1)).collect()) };
    let all = Mutex::new((vec![RaisedFlags::new(); stages.len()], Ok(())));
    let shared = SharedStages(stages);
    let Blocks { extent, size, .. } = *blocks;
    let stages = stages.len();
    workers.run(tasks, &|task| {
        let mut raised = vec![RaisedFlags::new(); stages];
        let mut done = Ok(());
        scratch.with(|scratch| {
            for block in count * task / tasks..count * (task + 1) / tasks {
                let start = block * size;
                let length = size.min(extent - start);
                // SAFETY: the caller's contract, for a part of the extent.
                let ran = unsafe { run_block(shared.get(), start, length, scratch, &mut raised) };
                done = std::mem::replace(&mut done, Ok(())).and(ran);
            }
        });
        let mut all = all.lock();
        all.0.iter_mut().zip(raised).for_each(|(all, found)| fp_status::merge(all, found));
        all.1 = std::mem::replace(&mut all.1, Ok(())).and(done);
    });
    let (raised, done) = all.into_inner();
    done.map(|()| raised)
}

/// Runs the stages on `length` indices of the shared axis from `start` on.
///
/// # Safety
/// As [`launch`].
unsafe fn run_block(
    stages: &[KernelStage<'_>],
    start: usize,
    length: usize,
    scratch: *mut u8,
    raised: &mut [RaisedFlags],
) -> Result<(), DeviceError> {
    for (stage, raised) in stages.iter().zip(raised) {
        let addresses: SmallVec<[*mut u8; 12]> = (stage.launch.addresses.iter().zip(stage.places))
            .map(|(address, place)| match place {
                OperandPlace::Memory(step) => address.wrapping_offset(start as isize * step),
                OperandPlace::Scratch(offset) => scratch.wrapping_add(*offset),
            })
            .collect();
        let outer = stage.outer(length);
        let launch = Launch { outer: &outer, addresses: &addresses, ..stage.launch };
        // SAFETY: the caller's contract.
        let found = unsafe { stage.program.launch(&launch, &SingleThread)? };
        fp_status::merge(raised, found);
    }
    Ok(())
}

fn points(launch: &Launch<'_>) -> usize {
    launch.outer.iter().chain(launch.inner).product()
}
