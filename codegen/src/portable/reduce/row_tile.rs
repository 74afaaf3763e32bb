//! The tile of one row: a reduction of one short row to one value, the most frequent reduction by far.
//!
//! It is the tile shape of [`crate::portable::reduce::reduce_tiled`] that needs no plan: one block, or a few calls of machine code, or one of the
//! loop of `argmax`, of elements that are read in memory, and nothing stored but the epilogue's results. All other rows run there, to the same bits. A
//! sum of 100 elements takes 750 instructions here, and 1,900 with a plan.

use crate::drive::strategy::{JIT_FOLD_PIECE, MIN_JIT_FOLD, ROW_GROUP};
use crate::drive::{fp_status, scratch};
use crate::portable::exec::bytecode::{BlockOp, Bytecode, LoopCall, fill_uniform};
use crate::portable::exec::jit_hook::{FOLD_VECTOR_BYTES, RowFoldCall, Stage};
use crate::portable::loops::copies;
use crate::portable::reduce::accumulate::{ACCUMULATORS, AccumulatorBuffers, FoldLanes, Progress, ResolvedAccumulator};
use crate::portable::reduce::reduce_nd::{ResolvedFolds, collect_flags};
use crate::{Launch, RaisedFlags};
use smallvec::SmallVec;
use std::mem::MaybeUninit;

/// Entries of the table of pointers.
const MAX_ROW_VALUES: usize = 32;

/// Whether a kernel has the form this module runs.
pub(crate) fn may_run_row(body: &Bytecode, folding: &ResolvedFolds, epilogue: &Bytecode) -> bool {
    let is_small = |code: &Bytecode| code.is_plain() && code.values <= MAX_ROW_VALUES;
    is_small(body)
        && is_small(epilogue)
        && body.sinks.is_empty()
        && epilogue.loads.is_empty()
        && folding.accumulators.len() <= ACCUMULATORS
}

/// Runs a reduction of one inner axis of `n` elements; none where it needs more than one block and machine code stops, when nothing has been
/// stored.
///
/// # Safety
/// As [`crate::Program::launch`]; [`may_run_row`] holds, there is no outer axis, one inner one, and `n` is its extent and not zero.
#[inline]
pub(crate) unsafe fn run(
    body: &Bytecode,
    folding: &ResolvedFolds,
    epilogue: &Bytecode,
    launch: &Launch<'_>,
    n: usize,
) -> Option<RaisedFlags> {
    let jit_fold =
        folding.jit_fold.as_ref().filter(|_| n >= MIN_JIT_FOLD).and_then(|f| f.of_rows(|_| false, |_| false, false));
    let is_dense = || body.loads.iter().all(|load| launch.strides[load.operand as usize] == load.size as isize);
    // The best of one long row is the same as of its blocks, and needs no registers.
    let finds_in_place = || body.needs_no_registers() && folding.accumulators.iter().all(ResolvedAccumulator::finds);
    let last_piece = (n - 1) % JIT_FOLD_PIECE + 1;
    let fits = if jit_fold.is_some() { last_piece >= MIN_JIT_FOLD } else { n <= body.block_len || finds_in_place() };
    if !fits || (n > 1 && !is_dense()) {
        return None;
    }
    let mut raised = RaisedFlags::new();
    fp_status::clear();
    let room = n.min(body.block_len).next_multiple_of(64);
    let done = scratch::with((body.width + epilogue.width) * room, |registers| {
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
        let mut values = [std::ptr::null_mut(); MAX_ROW_VALUES];
        // SAFETY: the form bounds the values; the registers have room for both fragments; the caller's contract.
        unsafe {
            bind(body, launch, registers, room, n, &mut values);
            let folded =
                jit_fold.as_ref().is_some_and(|f| fold_pieces(body, folding, f, n, &mut values, &buffers, &mut raised));
            if !folded {
                if n > body.block_len && !finds_in_place() {
                    return false;
                }
                run_calls(body, n, &values, false, &mut raised);
                for (a, p) in folding.accumulators.iter().zip(&buffers) {
                    a.whole_rows(p, values[a.value as usize], 0, 1, n);
                    collect_flags(a, &mut raised);
                }
            }
            bind(epilogue, launch, registers.add(body.width * room), room, 1, &mut values);
            for &(value, a) in &epilogue.results {
                values[value as usize] = buffers[a as usize].total;
            }
            run_calls(epilogue, 1, &values, true, &mut raised);
            for sink in &epilogue.sinks {
                let (to, size) = (launch.addresses[sink.operand as usize], sink.size as usize);
                copies::copy_row(to, 0, values[sink.value as usize], 0, 1, size);
            }
        }
        true
    });
    done.then_some(raised)
}

/// Folds a row by calls of machine code, which fold pieces of it. Returns whether that was possible: no flags, and no lane that needs a slow
/// path.
///
/// # Safety
/// Every load points at `n` elements, and the buffers have room for a value each. Of a row of several pieces the loads do not afterwards.
#[inline]
unsafe fn fold_pieces(
    body: &Bytecode,
    folding: &ResolvedFolds,
    call: &RowFoldCall<'_>,
    n: usize,
    values: &mut [*mut u8; MAX_ROW_VALUES],
    buffers: &[AccumulatorBuffers; ACCUMULATORS],
    raised: &mut RaisedFlags,
) -> bool {
    let mut lanes = FoldLanes::<ROW_GROUP>::new();
    // SAFETY: the caller's contract; the lanes hold so many values of each fold.
    unsafe {
        // Pieces of as many elements are rows of one call.
        let fold = |(count, pieces): (usize, usize), values: &[*mut u8; MAX_ROW_VALUES], to: *mut u8| {
            let size = |value: u16| body.loads.iter().find(|load| load.value == value).map_or(0, |load| load.size);
            let at = |value: u16| (values[value as usize], count as isize * size(value) as isize);
            call.run((count, pieces), at, |_| unreachable!("nothing is stored"), to)
        };
        if n <= JIT_FOLD_PIECE {
            if !fold((n, 1), values, lanes.at(0)) {
                return false;
            }
            for (i, (a, p)) in folding.accumulators.iter().zip(buffers).enumerate() {
                a.whole_rows(p, lanes.at(i), 0, 1, call.lanes());
                collect_flags(a, raised);
            }
            return true;
        }
        let mut progress: SmallVec<[Progress; 1]> = folding.accumulators.iter().map(Progress::new).collect();
        let pitch = folding.accumulators.len() * FOLD_VECTOR_BYTES;
        let mut column = 0;
        while column < n {
            let count = JIT_FOLD_PIECE.min(n - column);
            let pieces = ((n - column) / count).min(ROW_GROUP);
            if !fold((count, pieces), values, lanes.at(0)) {
                return false;
            }
            for piece in 0..pieces {
                for (i, ((a, p), progress)) in folding.accumulators.iter().zip(buffers).zip(&mut progress).enumerate() {
                    let values = lanes.at(i).wrapping_add(piece * pitch);
                    a.part_of_row(p, progress, values, call.lanes(), column + piece * count);
                    collect_flags(a, raised);
                }
            }
            for load in &body.loads {
                let at = &mut values[load.value as usize];
                *at = at.wrapping_add(pieces * count * load.size as usize);
            }
            column += pieces * count;
        }
        for ((a, p), progress) in folding.accumulators.iter().zip(buffers).zip(&mut progress) {
            a.finish(p, progress, 1);
            collect_flags(a, raised);
        }
    }
    true
}

/// Points every value at memory or a register.
///
/// # Safety
/// `registers` has room for `code.width * room` bytes, and `n` elements of a value's register fit unless they are more than `room`.
#[inline]
unsafe fn bind(
    code: &Bytecode,
    launch: &Launch<'_>,
    registers: *mut u8,
    room: usize,
    n: usize,
    values: &mut [*mut u8; MAX_ROW_VALUES],
) {
    for &(value, offset, _) in &code.registers {
        values[value as usize] = registers.wrapping_add(offset as usize * room);
    }
    for uniform in &code.uniforms {
        // SAFETY: the register has that much room.
        unsafe { fill_uniform(values[uniform.value as usize], uniform, launch, n.min(room)) };
    }
    for load in &code.loads {
        values[load.value as usize] = launch.addresses[load.operand as usize];
    }
}

/// Runs the calls of a fragment, or the machine code in their place, and attributes the flags they raise.
///
/// # Safety
/// Every value points at `n` elements.
#[inline]
unsafe fn run_calls(
    code: &Bytecode,
    n: usize,
    values: &[*mut u8; MAX_ROW_VALUES],
    epilogue: bool,
    raised: &mut RaisedFlags,
) {
    let at = |v: u16| values[v as usize];
    let call = |c: &LoopCall| {
        let [x, y, z] = c.args.map(|v| at(v).cast_const());
        // SAFETY: the caller's contract; results overlap no argument.
        unsafe { (c.run)(at(c.out), x, y, z, n, 0) };
    };
    let mut complete = true;
    if code.stages.is_empty() {
        code.calls.iter().for_each(call);
    }
    for stage in &code.stages {
        match stage {
            Stage::Step(BlockOp::Call(c)) => call(c),
            Stage::Step(BlockOp::Index { .. } | BlockOp::Gather { .. } | BlockOp::Loop { .. }) => {
                unreachable!("the form has calls alone")
            }
            // SAFETY: the caller's contract.
            Stage::MapCall(pass) => complete &= unsafe { pass.run(n, at) },
        }
    }
    if !complete || fp_status::is_raised(code.fp_mask) {
        let is_single = code.calls.len() == 1 && code.stages.is_empty();
        if !is_single {
            fp_status::clear();
        }
        for c in &code.calls {
            if !is_single {
                call(c);
            }
            fp_status::attribute(raised, epilogue, c.inst, c.effects);
        }
    }
}
