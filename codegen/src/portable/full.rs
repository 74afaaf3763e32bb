//! Reductions of one axis to one point, the most frequent by far: no shapes, no odometer.
//!
//! A sum of eight elements takes 50 ns here and 100 by [`super::sweep`]. What takes this way and what does not is decided by sizes and strides, never by the number of threads, so that equal
//! launches give equal bits.

use super::accumulate::{Places, Progress};
use super::code::Code;
use super::flat::{self, Line, Values, move_on, run_block, table};
use super::frame::report;
use super::reduce::{Folding, look};
use super::{flags, scratch};
use crate::{Launch, Raised};
use smallvec::SmallVec;
use std::mem::MaybeUninit;

/// Accumulators that there is room for here.
const ACCUMULATORS: usize = 4;

/// Whether a kernel has the form this module runs.
pub(crate) fn may_be_full(body: &Code, folding: &Folding, epilogue: &Code) -> bool {
    flat::may_be_flat(body)
        && body.is_plain()
        && flat::may_be_flat(epilogue)
        && body.sinks.is_empty()
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
    flags::clear();
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
            if n <= block {
                run_block(body, &along, line, 0, n, values, &mut raised);
                for (a, p) in folding.accumulators.iter().zip(&places) {
                    a.whole_rows(p, values[a.value as usize], 0, 1, n);
                    look(a, &mut raised);
                }
            } else {
                by_blocks(body, folding, &along, line, values, &places, &mut raised);
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

/// Folds an axis of more than one block.
unsafe fn by_blocks(
    body: &Code,
    folding: &Folding,
    along: &Launch<'_>,
    line: Line,
    values: &mut [*mut u8],
    places: &[Places; ACCUMULATORS],
    raised: &mut Raised,
) {
    let (n, block) = (along.outer[0], body.room);
    let mut progress: SmallVec<[Progress; 1]> = folding.accumulators.iter().map(Progress::new).collect();
    let mut at = 0;
    while at < n {
        let len = block.min(n - at);
        // SAFETY: the caller's contract: `len` elements are left.
        unsafe {
            run_block(body, along, line, at, len, values, raised);
            for ((a, p), s) in folding.accumulators.iter().zip(places).zip(&mut progress) {
                a.part_of_row(p, s, values[a.value as usize], len, at);
                look(a, raised);
            }
        }
        at += len;
        if at < n {
            move_on(body, along, line, values, len);
        }
    }
    for ((a, p), s) in folding.accumulators.iter().zip(places).zip(&mut progress) {
        // SAFETY: as above.
        unsafe { a.finish(p, s, 1) };
        look(a, raised);
    }
}
