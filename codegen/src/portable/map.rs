//! Elementwise kernels.
//!
//! Contiguous operands over one axis, which is what most launches are, take [`flat`]: no shapes, no odometer, a table of
//! pointers that moves on block by block. Everything else goes tile by tile through a [`Frame`].

use super::code::{Code, block_length};
use super::frame::{Frame, Permits, fill_uniform, report};
use super::spread::{Shared, spread};
use super::walk::{Tile, Walk};
use super::{flags, moves, scratch};
use crate::{Launch, Raised, Workers};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Values that [`flat`] keeps pointers to; longer fragments take the other way.
const FLAT_VALUES: usize = 48;

/// Whether a fragment has a form that [`flat`] runs.
pub(crate) fn may_be_flat(code: &Code) -> bool {
    code.is_plain() && code.values <= FLAT_VALUES
}

/// Runs a kernel over its domain.
///
/// # Safety
/// As [`crate::Program::launch`].
pub(crate) unsafe fn run(code: &Code, flat_form: bool, launch: &Launch<'_>, workers: &dyn Workers) -> Raised {
    if flat_form && launch.outer.len() <= 1 {
        let n = launch.outer.first().copied().unwrap_or(1);
        if n == 0 {
            return Raised::new();
        }
        if let Some(direct) = flat_permits(code, launch, n) {
            // SAFETY: the caller's contract.
            return unsafe { flat(code, launch, n, direct, workers) };
        }
    }
    // SAFETY: the caller's contract.
    unsafe { tiled(code, launch, workers) }
}

/// Which sinks (a bit each) may be written by their producers, if all operands are contiguous or uniform and no store may
/// change what a later store takes from memory.
#[inline]
pub(crate) fn flat_permits(code: &Code, launch: &Launch<'_>, n: usize) -> Option<u32> {
    let stride = |operand: u16| launch.strides.get(operand as usize).copied().unwrap_or(0);
    if n > 1 {
        for l in &code.loads {
            let s = stride(l.operand);
            if s != l.size as isize && s != 0 {
                return None;
            }
        }
        for s in &code.sinks {
            if stride(s.operand) != s.size as isize {
                return None;
            }
        }
    }
    let overlap = |a: u16, b: u16, size: u8| {
        let (a, b) = (launch.addresses[a as usize] as usize, launch.addresses[b as usize] as usize);
        // Elements of `b` are at most sixteen bytes, and a few bytes too many are only a copy too many.
        a < b + n * 16 && b < a + n * size as usize
    };
    if code.sinks.len() > 1 && code.loads.iter().any(|l| l.late) {
        return None;
    }
    let mut direct = 0;
    for (i, s) in code.sinks.iter().enumerate().take(32) {
        if s.produced && !s.conflicts.iter().any(|&c| overlap(s.operand, c, s.size)) {
            direct |= 1 << i;
        }
    }
    Some(direct)
}

/// One axis, contiguous.
unsafe fn flat(code: &Code, launch: &Launch<'_>, n: usize, direct: u32, workers: &dyn Workers) -> Raised {
    let nanoseconds = code.cost * n as f64;
    if nanoseconds < 2.0 * super::spread::TASK_NANOSECONDS || workers.count() == 1 {
        let mut raised = Raised::new();
        let watched = code.has_effects();
        if watched {
            flags::clear();
        }
        // SAFETY: the caller's contract.
        unsafe { flat_range(code, launch, 0..n, direct, &mut raised) };
        return raised;
    }
    let shared = Shared(*launch);
    let unit = 4096;
    spread(n.div_ceil(unit), nanoseconds, workers, &|range, raised| {
        let range = range.start * unit..(range.end * unit).min(n);
        // SAFETY: the caller's contract; ranges do not overlap.
        unsafe { flat_range(code, &shared.get(), range, direct, raised) }
    })
}

/// Some elements of one contiguous axis.
unsafe fn flat_range(code: &Code, launch: &Launch<'_>, range: Range<usize>, direct: u32, raised: &mut Raised) {
    let n = range.len();
    let all_direct = direct.count_ones() as usize == code.sinks.len();
    // One loop between memory and memory needs no blocks.
    let in_memory = all_direct
        && code.calls.len() == 1
        && code.sinks.len() == 1
        && code.uniforms.is_empty()
        && code.loads.iter().all(|l| n == 1 || launch.strides[l.operand as usize] != 0);
    let block = if in_memory { n } else { block_length(code.width) };
    let room = n.min(block_length(code.width)).next_multiple_of(64);
    scratch::with(code.width * room, |registers| {
        let mut table = [MaybeUninit::<*mut u8>::uninit(); FLAT_VALUES];
        // SAFETY: `may_be_flat` bounds the number of values; every entry is written before it is read, below.
        let values = unsafe { std::slice::from_raw_parts_mut(table.as_mut_ptr().cast::<*mut u8>(), code.values) };
        // SAFETY: the caller's contract.
        unsafe { flat_table(code, launch, &range, direct, registers, room, values) };
        let mut at = 0;
        while at < n {
            let len = block.min(n - at);
            // SAFETY: `len` elements are in the range, and in room unless only memory is touched.
            unsafe { flat_block(code, launch, range.start + at, len, direct, values, raised) };
            at += len;
            if at < n {
                flat_move_on(code, launch, direct, values, len);
            }
        }
    });
}

/// Points every value at memory or a register.
///
/// # Safety
/// `registers` has room for `code.width * room` bytes.
pub(crate) unsafe fn flat_table(
    code: &Code,
    launch: &Launch<'_>,
    range: &Range<usize>,
    direct: u32,
    registers: *mut u8,
    room: usize,
    values: &mut [*mut u8],
) {
    let n = range.len();
    for &(value, place) in &code.places {
        values[value as usize] = registers.wrapping_add(place as usize * room);
    }
    for &(value, size, source) in &code.uniforms {
        // SAFETY: the register has that much room.
        unsafe { fill_uniform(values[value as usize], source, launch, n.min(room), size) };
    }
    for l in &code.loads {
        let base = launch.addresses[l.operand as usize];
        if launch.outer.is_empty() || launch.strides[l.operand as usize] != 0 || n == 1 {
            values[l.value as usize] = base.wrapping_add(range.start * l.size as usize);
        } else {
            // SAFETY: as above.
            unsafe { moves::splat(values[l.value as usize], base, n.min(room), l.size as usize) };
        }
    }
    for (i, s) in code.sinks.iter().enumerate() {
        if direct & 1 << i != 0 {
            values[s.value as usize] = launch.addresses[s.operand as usize].wrapping_add(range.start * s.size as usize);
        }
    }
}

/// Moves pointers into memory on by a block.
pub(crate) fn flat_move_on(code: &Code, launch: &Launch<'_>, direct: u32, values: &mut [*mut u8], len: usize) {
    for l in &code.loads {
        if launch.strides[l.operand as usize] != 0 {
            let v = &mut values[l.value as usize];
            *v = v.wrapping_add(len * l.size as usize);
        }
    }
    for (i, s) in code.sinks.iter().enumerate() {
        if direct & 1 << i != 0 {
            let v = &mut values[s.value as usize];
            *v = v.wrapping_add(len * s.size as usize);
        }
    }
}

/// One block.
///
/// # Safety
/// The values point at `len` elements each, and the sinks' operands have them from `start`.
#[inline]
pub(crate) unsafe fn flat_block(
    code: &Code,
    launch: &Launch<'_>,
    start: usize,
    len: usize,
    direct: u32,
    values: &mut [*mut u8],
    raised: &mut Raised,
) {
    for c in &code.calls {
        let [x, y, z] = c.args.map(|v| values[v as usize].cast_const());
        // SAFETY: every value points at `len` elements; results overlap no argument.
        unsafe { (c.run)(values[c.out as usize], x, y, z, len, 0) };
    }
    if code.has_effects() && !(flags::read() & code.watch).is_empty() {
        // SAFETY: as above; nothing that the calls read has changed since.
        unsafe { flat_attribute(code, len, values, raised) };
    }
    for (i, s) in code.sinks.iter().enumerate() {
        if direct & 1 << i == 0 {
            let size = s.size as usize;
            let to = launch.addresses[s.operand as usize].wrapping_add(start * size);
            // SAFETY: the operand is valid for these elements.
            unsafe { std::ptr::copy(values[s.value as usize], to, len * size) };
        }
    }
}

/// Runs a block again to find which instruction raised what.
#[cold]
unsafe fn flat_attribute(code: &Code, len: usize, values: &mut [*mut u8], raised: &mut Raised) {
    if let [only] = &code.calls[..] {
        report(raised, false, only.inst, flags::read() & only.effects);
        flags::clear();
        return;
    }
    flags::clear();
    for c in &code.calls {
        let [x, y, z] = c.args.map(|v| values[v as usize].cast_const());
        // SAFETY: as in `flat_block`.
        unsafe { (c.run)(values[c.out as usize], x, y, z, len, 0) };
        let up = flags::read();
        if !up.is_empty() {
            report(raised, false, c.inst, up & c.effects);
            flags::clear();
        }
    }
}

/// Any number of axes, any strides.
unsafe fn tiled(code: &Code, launch: &Launch<'_>, workers: &dyn Workers) -> Raised {
    let points: usize = launch.outer.iter().product();
    if points == 0 {
        return Raised::new();
    }
    let room = block_length(code.width).min(points.next_multiple_of(64));
    let walk = Walk::new(0, launch.outer, room);
    let permits = Permits::new(code, launch);
    let shared = Shared(*launch);
    let nanoseconds = if code.scatters() { 0.0 } else { code.cost * points as f64 };
    spread(walk.tiles(), nanoseconds, workers, &|range, raised| {
        scratch::with(code.width * room, |registers| {
            // SAFETY: the registers have room; the caller's contract; tiles do not overlap.
            unsafe {
                let mut frame = Frame::new(code, shared.get(), &permits, false, registers, room);
                let mut at = walk.seek(range.start);
                let mut tile = Tile::new(launch.outer.len());
                for _ in range {
                    tile.set(&[(&walk, &at)]);
                    frame.run(&tile);
                    walk.advance(&mut at);
                }
                *raised = std::mem::take(&mut frame.raised);
            }
        });
    })
}
