//! Reductions of one axis to one point, the most frequent by far: no shapes, no odometer.
//!
//! A sum of eight elements takes 50 ns here and 100 by [`crate::portable::reduce::reduce_tiled`]. What takes this way and what does not is decided by sizes and strides, never by the number of threads, so that equal
//! launches give equal bits.

use crate::drive::fp_status::report;
use crate::drive::{fp_status, scratch};
use crate::portable::exec::bytecode::Code;
use crate::portable::exec::exec_1d;
use crate::portable::exec::exec_1d::{Line, Values, move_on, run_block, table};
use crate::portable::exec::jit_hook::{FoldPass, VECTOR};
use crate::portable::reduce::accumulate::{Loops, Places, Progress};
use crate::portable::reduce::reduce_nd::{Folding, look};
use crate::{Launch, Raised};
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Accumulators that there is room for here, and in [`crate::portable::reduce::reduce_tiled`].
pub(crate) const ACCUMULATORS: usize = 4;
/// Elements from which on a row is folded in one pass, and of one piece: what calling it costs is nothing, and rounding
/// errors are no larger than those of NumPy's sums.
pub(crate) const FUSED: usize = 128;
pub(crate) const PIECE: usize = 8192;

/// Room for what a pass leaves of a row.
#[repr(align(64))]
pub(crate) struct Lanes([MaybeUninit<[u8; VECTOR]>; ACCUMULATORS]);

impl Lanes {
    #[inline(always)]
    pub(crate) fn new() -> Lanes {
        Lanes([const { MaybeUninit::uninit() }; ACCUMULATORS])
    }

    /// Where those of an accumulator are.
    #[inline(always)]
    pub(crate) fn at(&mut self, accumulator: usize) -> *mut u8 {
        self.0.as_mut_ptr().wrapping_add(accumulator).cast()
    }
}

/// Whether a kernel has the form this module runs.
pub(crate) fn may_be_full(body: &Code, folding: &Folding, epilogue: &Code) -> bool {
    exec_1d::may_be_flat(body)
        && body.is_plain()
        && exec_1d::may_be_flat(epilogue)
        // What is folded is read after the stores.
        && (body.sinks.is_empty() || body.loads.iter().all(|load| !load.late))
        && folding.accumulators.len() <= ACCUMULATORS
}

/// Runs a reduction.
///
/// # Safety
/// As [`crate::Program::launch`]; the launch has no outer axes and one inner axis, not empty.
pub(crate) unsafe fn run(body: &Code, folding: &Folding, epilogue: &Code, launch: &Launch<'_>) -> Raised {
    let n = launch.inner[0];
    let along = Launch { outer: launch.inner, inner: &[], ..*launch };
    let point = Launch { outer: &[], inner: &[], strides: &[], ..*launch };
    let (line, dot) = (Line::new(body, &along, n), Line::new(epilogue, &point, 1));
    let block = body.room;
    let room = n.min(block).next_multiple_of(64);
    let mut raised = Raised::new();
    fp_status::clear();
    scratch::with((body.width + epilogue.width) * room, |registers| {
        let mut results = [MaybeUninit::<[u64; 2]>::uninit(); 4 * ACCUMULATORS];
        let places: [Places; ACCUMULATORS] = std::array::from_fn(|i| {
            let first = results.as_mut_ptr().wrapping_add(4 * i);
            let place = |j: usize| first.wrapping_add(j).cast();
            Places { total: place(0), beside: place(1), fresh: place(2), fresh_beside: place(3) }
        });
        let (mut body_values, mut epilogue_values) = (Values::new(), Values::new());
        // SAFETY: `may_be_full` bounds the values; the registers have room for both fragments; the caller's contract.
        unsafe {
            let values = body_values.of(body);
            table(body, &along, line, registers, room, values);
            let fused = folding.fused.as_ref().filter(|_| n >= FUSED && line.is_read_in_place(body, &along));
            let mut lanes = Lanes::new();
            if let Some(fused) = fused
                && n <= PIECE
                && fused.run(n, |v| values[v as usize], lanes.at(0))
            {
                for (i, (a, p)) in folding.accumulators.iter().zip(&places).enumerate() {
                    a.whole_rows(p, lanes.at(i), 0, 1, fused.lanes());
                    look(a, &mut raised);
                }
                if !body.sinks.is_empty() {
                    store(body, &along, line, values, 0..n, &mut raised);
                }
            } else if n <= block || finds_in_place(body, folding, line, &along) {
                run_block(body, &along, line, 0, n, values, &mut raised);
                for (a, p) in folding.accumulators.iter().zip(&places) {
                    a.whole_rows(p, values[a.value as usize], 0, 1, n);
                    look(a, &mut raised);
                }
            } else {
                let fused = fused.filter(|_| n > PIECE);
                by_blocks(body, (folding, fused), &along, line, values, &places, &mut raised);
            }
            let values = epilogue_values.of(epilogue);
            let registers = registers.add(body.width * room);
            table(epilogue, &point, dot, registers, room, values);
            for &(value, a) in &epilogue.results {
                values[value as usize] = places[a as usize].total;
            }
            let mut late = Raised::new();
            run_block(epilogue, &point, dot, 0, 1, values, &mut late);
            late.into_iter().for_each(|(_, inst, f)| report(&mut raised, true, inst, f));
        }
    });
    raised
}

/// Whether all there is to do is to find positions in memory as it lies: they are the same by blocks, which are to be looked
/// through and merged one by one (ten thousand numbers: 450 of 1,150 ns).
fn finds_in_place(body: &Code, folding: &Folding, line: Line, along: &Launch<'_>) -> bool {
    body.steps.is_empty()
        && body.uniforms.is_empty()
        && body.sinks.is_empty()
        && folding.accumulators.iter().all(|a| matches!(a.loops, Loops::Arg(_)))
        && line.is_read_in_place(body, along)
}

/// Computes what a body stores of some points that are folded already, and goes on behind them.
///
/// # Safety
/// As [`run_block`], for all of the points.
unsafe fn store(
    body: &Code,
    along: &Launch<'_>,
    line: Line,
    values: &mut [*mut u8],
    points: Range<usize>,
    raised: &mut Raised,
) {
    for at in points.clone().step_by(body.room) {
        let len = body.room.min(points.end - at);
        // SAFETY: the caller's contract.
        unsafe { run_block(body, along, line, at, len, values, raised) };
        move_on(body, along, line, values, len);
    }
}

/// Folds an axis of more than one block: by pieces in one pass as long as that raises no flags and leaves nothing out.
unsafe fn by_blocks(
    body: &Code,
    (folding, mut fused): (&Folding, Option<&FoldPass>),
    along: &Launch<'_>,
    line: Line,
    values: &mut [*mut u8],
    places: &[Places; ACCUMULATORS],
    raised: &mut Raised,
) {
    let (n, block) = (along.outer[0], body.room);
    let mut progress: SmallVec<[Progress; 1]> = folding.accumulators.iter().map(Progress::new).collect();
    let mut lanes = Lanes::new();
    let mut at = 0;
    while at < n {
        // To the end of a piece, wherever blocks end: the sum is the same whatever room its terms take.
        let piece = (PIECE - at % PIECE).min(n - at);
        // SAFETY: the caller's contract: so many elements are left.
        fused = fused.filter(|f| piece >= FUSED && unsafe { f.run(piece, |v| values[v as usize], lanes.at(0)) });
        let len = if fused.is_some() { piece } else { block.min(piece) };
        // SAFETY: as above.
        unsafe {
            if fused.is_none() {
                run_block(body, along, line, at, len, values, raised);
            }
            for (i, ((a, p), s)) in folding.accumulators.iter().zip(places).zip(&mut progress).enumerate() {
                let values = values[a.value as usize].cast_const();
                let (values, few) = fused.map_or((values, len), |f| (lanes.at(i).cast_const(), f.lanes()));
                a.part_of_row(p, s, values, few, at);
                look(a, raised);
            }
        }
        if fused.is_some() && !body.sinks.is_empty() {
            // SAFETY: as above.
            unsafe { store(body, along, line, values, at..at + len, raised) };
        } else if at + len < n {
            move_on(body, along, line, values, len);
        }
        at += len;
    }
    for ((a, p), s) in folding.accumulators.iter().zip(places).zip(&mut progress) {
        // SAFETY: as above.
        unsafe { a.finish(p, s, 1) };
        look(a, raised);
    }
}
