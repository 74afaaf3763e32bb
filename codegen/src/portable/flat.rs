//! Fragments over one contiguous axis, the most frequent launches by far: no planes, no odometer, a table of pointers that
//! moves on block by block.
//!
//! It is a short cut of [`super::plane`]: a launch of eight elements takes 35 ns here and 60 there. It stays on one thread;
//! what is worth sharing goes the other way.

use super::code::{Code, Conflict};
use super::frame::{fill_uniform, report};
use super::{flags, moves, scratch};
use crate::{Launch, Raised};
use std::mem::MaybeUninit;

/// Values there is room for; longer fragments take the other way.
pub(crate) const VALUES: usize = 48;

/// Whether a fragment has a form that this module runs.
pub(crate) fn may_be_flat(code: &Code) -> bool {
    code.is_plain() && code.values <= VALUES && (code.sinks.len() <= 1 || code.loads.iter().all(|l| !l.late))
}

/// Which sinks (a bit each) may be written by their producers, if all operands are contiguous or uniform.
#[inline]
pub(crate) fn permits(code: &Code, launch: &Launch<'_>, n: usize) -> Option<u32> {
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
    // In place, calls may not run again to find out what they raised.
    let once = code.calls.len() == 1 || !code.has_effects();
    let apart = |a: u16, size: u8, c: &Conflict| {
        let (x, y) = (launch.addresses[a as usize] as usize, launch.addresses[c.operand as usize] as usize);
        x >= y + n * c.size as usize
            || y >= x + n * size as usize
            || (once && c.may_coincide && x == y && (n == 1 || stride(c.operand) != 0))
    };
    let mut direct = 0;
    for (i, s) in code.sinks.iter().enumerate().take(32) {
        if s.produced && s.conflicts.iter().all(|c| apart(s.operand, s.size, c)) {
            direct |= 1 << i;
        }
    }
    Some(direct)
}

/// Runs a fragment on `n` elements.
///
/// # Safety
/// As [`crate::Program::launch`]; the code is flat, and `direct` is what [`permits`] gave.
pub(crate) unsafe fn run(code: &Code, launch: &Launch<'_>, n: usize, direct: u32) -> Raised {
    let mut raised = Raised::new();
    if code.has_effects() {
        flags::clear();
    }
    let all_direct = direct.count_ones() as usize == code.sinks.len();
    // One loop between memory and memory needs no blocks.
    let in_memory = all_direct
        && code.calls.len() == 1
        && code.sinks.len() == 1
        && code.uniforms.is_empty()
        && code.loads.iter().all(|l| n == 1 || launch.strides[l.operand as usize] != 0);
    let block = if in_memory { n } else { code.room };
    let room = n.min(code.room).next_multiple_of(64);
    scratch::with(code.width * room, |registers| {
        let mut values = Values::new();
        // SAFETY: `may_be_flat` bounds the number of values; the registers have room unless only memory is touched.
        unsafe {
            let values = values.of(code);
            table(code, launch, n, direct, registers, room, values);
            let mut at = 0;
            while at < n {
                let len = block.min(n - at);
                run_block(code, launch, at, len, direct, values, &mut raised);
                at += len;
                if at < n {
                    move_on(code, launch, direct, values, len);
                }
            }
        }
    });
    raised.sort_unstable_by_key(|&(epilogue, inst, _)| (epilogue, inst));
    raised
}

/// Memory for pointers to values.
pub(crate) struct Values([MaybeUninit<*mut u8>; VALUES]);

impl Values {
    #[inline(always)]
    pub(crate) fn new() -> Values {
        Values([const { MaybeUninit::uninit() }; VALUES])
    }

    /// The part that a fragment needs.
    ///
    /// # Safety
    /// The fragment is flat, and every entry is written before it is read, which [`table`] sees to.
    #[inline(always)]
    pub(crate) unsafe fn of(&mut self, code: &Code) -> &mut [*mut u8] {
        // SAFETY: the number of values is bounded; a pointer may be any bytes.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), code.values) }
    }
}

/// Points every value at memory or a register.
///
/// # Safety
/// `registers` has room for `code.width * room` bytes.
#[inline]
pub(crate) unsafe fn table(
    code: &Code,
    launch: &Launch<'_>,
    n: usize,
    direct: u32,
    registers: *mut u8,
    room: usize,
    values: &mut [*mut u8],
) {
    for &(value, place, _) in &code.places {
        values[value as usize] = registers.wrapping_add(place as usize * room);
    }
    for &(value, size, source) in &code.uniforms {
        // SAFETY: the register has that much room.
        unsafe { fill_uniform(values[value as usize], source, launch, n.min(room), size) };
    }
    for l in &code.loads {
        let base = launch.addresses[l.operand as usize];
        if n == 1 || launch.strides[l.operand as usize] != 0 {
            values[l.value as usize] = base;
        } else {
            // SAFETY: as above.
            unsafe { moves::splat(values[l.value as usize], base, n.min(room), l.size as usize) };
        }
    }
    for (i, s) in code.sinks.iter().enumerate() {
        if direct & 1 << i != 0 {
            values[s.value as usize] = launch.addresses[s.operand as usize];
        }
    }
}

/// Moves pointers into memory on by a block.
pub(crate) fn move_on(code: &Code, launch: &Launch<'_>, direct: u32, values: &mut [*mut u8], len: usize) {
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
pub(crate) unsafe fn run_block(
    code: &Code,
    launch: &Launch<'_>,
    start: usize,
    len: usize,
    direct: u32,
    values: &[*mut u8],
    raised: &mut Raised,
) {
    for c in &code.calls {
        let [x, y, z] = c.args.map(|v| values[v as usize].cast_const());
        // SAFETY: every value points at `len` elements; results overlap no argument, or are it where that is allowed.
        unsafe { (c.run)(values[c.out as usize], x, y, z, len, 0) };
    }
    if code.has_effects() && !(flags::read() & code.watch).is_empty() {
        // SAFETY: as above; nothing that several calls read has changed since.
        unsafe { attribute(code, len, values, raised) };
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
unsafe fn attribute(code: &Code, len: usize, values: &[*mut u8], raised: &mut Raised) {
    if let [only] = &code.calls[..] {
        report(raised, false, only.inst, flags::read() & only.effects);
        flags::clear();
        return;
    }
    flags::clear();
    for c in &code.calls {
        let [x, y, z] = c.args.map(|v| values[v as usize].cast_const());
        // SAFETY: as in `run_block`.
        unsafe { (c.run)(values[c.out as usize], x, y, z, len, 0) };
        let up = flags::read();
        if !up.is_empty() {
            report(raised, false, c.inst, up & c.effects);
            flags::clear();
        }
    }
}
