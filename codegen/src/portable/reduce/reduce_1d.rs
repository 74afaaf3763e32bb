//! The reducer of one axis to one value, the most frequent reduction by far.
//!
//! A sum of eight elements takes 50 ns here and 100 by [`crate::portable::reduce::reduce_tiled`]. Sizes and strides alone decide which
//! launches run here, never the number of threads, so that equal launches give equal bits.

use crate::drive::fp_status::record_flags;
use crate::drive::strategy::{JIT_FOLD_PIECE, MIN_JIT_FOLD};
use crate::drive::{fp_status, scratch};
use crate::portable::exec::bytecode::Bytecode;
use crate::portable::exec::exec_1d;
use crate::portable::exec::exec_1d::{Access1d, PointerTable1d, advance, bind_pointers, run_block};
use crate::portable::exec::jit_hook::{FOLD_VECTOR_BYTES, FoldCall};
use crate::portable::reduce::accumulate::{AccumulatorBuffers, AccumulatorLoops, Progress};
use crate::portable::reduce::reduce_nd::{ResolvedFolds, collect_flags};
use crate::{Launch, RaisedFlags};
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Most accumulators of a kernel here and in [`crate::portable::reduce::reduce_tiled`].
pub(crate) const ACCUMULATORS: usize = 4;

/// The partial results that machine code leaves of a row.
#[repr(align(64))]
pub(crate) struct FoldLanes([MaybeUninit<[u8; FOLD_VECTOR_BYTES]>; ACCUMULATORS]);

impl FoldLanes {
    #[inline(always)]
    pub(crate) fn new() -> FoldLanes {
        FoldLanes([const { MaybeUninit::uninit() }; ACCUMULATORS])
    }

    /// Those of an accumulator.
    #[inline(always)]
    pub(crate) fn at(&mut self, accumulator: usize) -> *mut u8 {
        self.0.as_mut_ptr().wrapping_add(accumulator).cast()
    }
}

/// Whether a kernel has the form this module runs.
pub(crate) fn may_run_1d(body: &Bytecode, folding: &ResolvedFolds, epilogue: &Bytecode) -> bool {
    exec_1d::may_run_1d(body)
        && body.is_plain()
        && exec_1d::may_run_1d(epilogue)
        // The fold reads its values after the stores.
        && (body.sinks.is_empty() || body.loads.iter().all(|load| !load.late))
        && folding.accumulators.len() <= ACCUMULATORS
}

/// Runs a reduction.
///
/// # Safety
/// As [`crate::Program::launch`]; the launch has no outer axes and one inner axis, not empty.
pub(crate) unsafe fn run(
    body: &Bytecode,
    folding: &ResolvedFolds,
    epilogue: &Bytecode,
    launch: &Launch<'_>,
) -> RaisedFlags {
    let n = launch.inner[0];
    let axis_launch = Launch { outer: launch.inner, inner: &[], ..*launch };
    let point = Launch { outer: &[], inner: &[], strides: &[], ..*launch };
    let (line, point_access) = (Access1d::new(body, &axis_launch, n), Access1d::new(epilogue, &point, 1));
    let block = body.block_len;
    let room = n.min(block).next_multiple_of(64);
    let mut raised = RaisedFlags::new();
    fp_status::clear();
    scratch::with((body.width + epilogue.width) * room, |registers| {
        let mut results = [MaybeUninit::<[u64; 2]>::uninit(); 4 * ACCUMULATORS];
        let buffers: [AccumulatorBuffers; ACCUMULATORS] = std::array::from_fn(|i| {
            let first = results.as_mut_ptr().wrapping_add(4 * i);
            let buffer = |j: usize| first.wrapping_add(j).cast();
            AccumulatorBuffers {
                total: buffer(0),
                auxiliary: buffer(1),
                tile_total: buffer(2),
                tile_auxiliary: buffer(3),
            }
        });
        let (mut body_values, mut epilogue_values) = (PointerTable1d::new(), PointerTable1d::new());
        // SAFETY: `may_run_1d` bounds the values; the registers have room for both fragments; the caller's contract.
        unsafe {
            let values = body_values.of(body);
            bind_pointers(body, &axis_launch, line, registers, room, values);
            let fused =
                folding.jit_fold.as_ref().filter(|_| n >= MIN_JIT_FOLD && line.is_read_in_place(body, &axis_launch));
            let mut lanes = FoldLanes::new();
            if let Some(fused) = fused
                && n <= JIT_FOLD_PIECE
                && fused.run(n, |v| values[v as usize], lanes.at(0))
            {
                for (i, (a, p)) in folding.accumulators.iter().zip(&buffers).enumerate() {
                    a.whole_rows(p, lanes.at(i), 0, 1, fused.lanes());
                    collect_flags(a, &mut raised);
                }
                if !body.sinks.is_empty() {
                    store(body, &axis_launch, line, values, 0..n, &mut raised);
                }
            } else if n <= block || finds_in_place(body, folding, line, &axis_launch) {
                run_block(body, &axis_launch, line, 0, n, values, &mut raised);
                for (a, p) in folding.accumulators.iter().zip(&buffers) {
                    a.whole_rows(p, values[a.value as usize], 0, 1, n);
                    collect_flags(a, &mut raised);
                }
            } else {
                let fused = fused.filter(|_| n > JIT_FOLD_PIECE);
                by_blocks(body, (folding, fused), &axis_launch, line, values, &buffers, &mut raised);
            }
            let values = epilogue_values.of(epilogue);
            let registers = registers.add(body.width * room);
            bind_pointers(epilogue, &point, point_access, registers, room, values);
            for &(value, a) in &epilogue.results {
                values[value as usize] = buffers[a as usize].total;
            }
            let mut late = RaisedFlags::new();
            run_block(epilogue, &point, point_access, 0, 1, values, &mut late);
            late.into_iter().for_each(|(_, inst, f)| record_flags(&mut raised, true, inst, f));
        }
    });
    raised
}

/// Whether the reduction only finds positions of extremes in memory. Then one call for the whole axis gives the same result as blocks that
/// are merged one by one (ten thousand numbers: 450 of 1,150 ns).
fn finds_in_place(body: &Bytecode, folding: &ResolvedFolds, line: Access1d, axis_launch: &Launch<'_>) -> bool {
    body.steps.is_empty()
        && body.uniforms.is_empty()
        && body.sinks.is_empty()
        && folding.accumulators.iter().all(|a| matches!(a.loops, AccumulatorLoops::Arg(_)))
        && line.is_read_in_place(body, axis_launch)
}

/// Runs the body's stores for points that are folded already, and advances the pointers beyond them.
///
/// # Safety
/// As [`run_block`], for all of the points.
unsafe fn store(
    body: &Bytecode,
    axis_launch: &Launch<'_>,
    line: Access1d,
    values: &mut [*mut u8],
    points: Range<usize>,
    raised: &mut RaisedFlags,
) {
    for at in points.clone().step_by(body.block_len) {
        let len = body.block_len.min(points.end - at);
        // SAFETY: the caller's contract.
        unsafe { run_block(body, axis_launch, line, at, len, values, raised) };
        advance(body, axis_launch, line, values, len);
    }
}

/// Folds an axis of more than one block, by machine code as long as that raises no flags and needs no slow path.
unsafe fn by_blocks(
    body: &Bytecode,
    (folding, mut fused): (&ResolvedFolds, Option<&FoldCall>),
    axis_launch: &Launch<'_>,
    line: Access1d,
    values: &mut [*mut u8],
    buffers: &[AccumulatorBuffers; ACCUMULATORS],
    raised: &mut RaisedFlags,
) {
    let (n, block) = (axis_launch.outer[0], body.block_len);
    let mut progress: SmallVec<[Progress; 1]> = folding.accumulators.iter().map(Progress::new).collect();
    let mut lanes = FoldLanes::new();
    let mut at = 0;
    while at < n {
        // Up to the end of a piece, wherever blocks end: the sum does not depend on the size of registers.
        let piece = (JIT_FOLD_PIECE - at % JIT_FOLD_PIECE).min(n - at);
        // SAFETY: the caller's contract: so many elements are left.
        fused = fused.filter(|f| piece >= MIN_JIT_FOLD && unsafe { f.run(piece, |v| values[v as usize], lanes.at(0)) });
        let len = if fused.is_some() { piece } else { block.min(piece) };
        // SAFETY: as above.
        unsafe {
            if fused.is_none() {
                run_block(body, axis_launch, line, at, len, values, raised);
            }
            for (i, ((a, p), s)) in folding.accumulators.iter().zip(buffers).zip(&mut progress).enumerate() {
                let values = values[a.value as usize].cast_const();
                let (values, few) = fused.map_or((values, len), |f| (lanes.at(i).cast_const(), f.lanes()));
                a.part_of_row(p, s, values, few, at);
                collect_flags(a, raised);
            }
        }
        if fused.is_some() && !body.sinks.is_empty() {
            // SAFETY: as above.
            unsafe { store(body, axis_launch, line, values, at..at + len, raised) };
        } else if at + len < n {
            advance(body, axis_launch, line, values, len);
        }
        at += len;
    }
    for ((a, p), s) in folding.accumulators.iter().zip(buffers).zip(&mut progress) {
        // SAFETY: as above.
        unsafe { a.finish(p, s, 1) };
        collect_flags(a, raised);
    }
}
