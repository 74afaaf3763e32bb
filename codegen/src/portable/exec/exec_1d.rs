//! The driver of fragments over one axis, the most frequent launches by far: a table of pointers that advances block by block.
//!
//! Operands whose elements are contiguous are accessed in memory, the others copied to and from registers. It is a fast path of
//! [`crate::portable::exec::exec_2d`]: a launch of eight elements takes 35 ns here and 60 there. It stays on one thread; larger launches
//! take `exec_2d`.

use crate::drive::fp_status::record_flags;
use crate::drive::{fp_status, scratch};
use crate::portable::exec::bytecode::fill_uniform;
use crate::portable::exec::bytecode::{Bytecode, Conflict, Load};
use crate::portable::exec::jit_hook::run_calls;
use crate::portable::loops::copies;
use crate::{Launch, RaisedFlags};
use std::mem::MaybeUninit;

/// Entries of the table of pointers; longer fragments take `exec_2d`.
pub(crate) const MAX_VALUES_1D: usize = 48;

/// Whether a fragment has a form that this module runs.
pub(crate) fn may_run_1d(code: &Bytecode) -> bool {
    code.coordinates.len() + code.calls.len() == code.steps.len()
        && code.sinks.iter().all(|s| s.offsets.is_none())
        && code.values <= MAX_VALUES_1D
        && (code.sinks.len() <= 1 || code.loads.iter().all(|l| !l.late))
}

/// How the operands of a launch are accessed along its axis.
#[derive(Clone, Copy)]
pub(crate) struct Access1d {
    n: usize,
    /// Loads (a bit each, in their order) that are copied to registers, block by block.
    copied: u64,
    /// Sinks (likewise) that their producers write to memory.
    direct: u64,
}

impl Access1d {
    /// Decides it for `n` points.
    #[inline]
    pub(crate) fn new(code: &Bytecode, launch: &Launch<'_>, n: usize) -> Access1d {
        let mut line = Access1d { n, copied: 0, direct: 0 };
        if n > 1 {
            for (i, l) in code.loads.iter().enumerate() {
                let stride = launch.strides[l.operand as usize];
                line.copied |= ((stride != l.size as isize && stride != 0) as u64) << i;
            }
        }
        // A block that was overwritten in place cannot be re-executed to attribute flags.
        let once = code.calls.len() == 1 || !code.may_rerun();
        for (i, s) in code.sinks.iter().enumerate().filter(|(_, s)| s.produced) {
            let disjoint = |c: &Conflict| {
                let (own, other) = (line.span(launch, s.operand, s.size), line.span(launch, c.operand, c.size));
                let coincides = once && c.may_coincide && own.0 == other.0 && line.is_dense(launch, c.operand, c.size);
                coincides || other.0 >= own.1 || own.0 >= other.1
            };
            if line.is_dense(launch, s.operand, s.size) && s.conflicts.iter().all(disjoint) {
                line.direct |= 1 << i;
            }
        }
        line
    }

    #[inline]
    fn is_dense(self, launch: &Launch<'_>, operand: u16, size: u8) -> bool {
        self.n == 1 || launch.strides[operand as usize] == size as isize
    }

    /// Whether a load is broadcast: the same at all points of several.
    #[inline]
    fn is_one(self, launch: &Launch<'_>, load: &Load) -> bool {
        self.n != 1 && launch.strides[load.operand as usize] == 0
    }

    /// Whether all loads are read in memory.
    pub(crate) fn is_read_in_place(self, code: &Bytecode, launch: &Launch<'_>) -> bool {
        self.copied == 0 && code.loads.iter().all(|load| !self.is_one(launch, load))
    }

    /// The range of bytes an operand may access.
    #[inline]
    fn span(self, launch: &Launch<'_>, operand: u16, size: u8) -> (usize, usize) {
        let first = launch.addresses[operand as usize] as usize;
        let reach = if self.n == 1 { 0 } else { (self.n - 1) as isize * launch.strides[operand as usize] };
        let last = first.wrapping_add_signed(reach);
        (first.min(last), first.max(last).wrapping_add(size as usize))
    }
}

/// Runs a fragment on `n` elements.
///
/// # Safety
/// As [`crate::Program::launch`]; [`may_run_1d`] holds.
pub(crate) unsafe fn run(code: &Bytecode, launch: &Launch<'_>, n: usize) -> RaisedFlags {
    let mut raised = RaisedFlags::new();
    if let ([load], [], [sink]) = (&code.loads[..], &code.calls[..], &code.sinks[..])
        && load.value == sink.value
    {
        let [from, to] = [load.operand, sink.operand].map(|o| o as usize);
        let stride = |operand: usize| launch.strides.get(operand).copied().unwrap_or(0);
        // SAFETY: the caller's contract.
        unsafe {
            let (to, from) = ((launch.addresses[to], stride(to)), (launch.addresses[from], stride(from)));
            copies::copy_row(to.0, to.1, from.0, from.1, n, load.size as usize);
        }
        return raised;
    }
    if let ([uniform], [], [sink]) = (&code.uniforms[..], &code.steps[..], &code.sinks[..])
        && uniform.value == sink.value
        && (n == 1 || launch.strides[sink.operand as usize] == sink.size as isize)
    {
        // SAFETY: the caller's contract; the destination is dense.
        unsafe { fill_uniform(launch.addresses[sink.operand as usize], uniform, launch, n) };
        return raised;
    }
    if code.has_effects() {
        fp_status::clear();
    }
    let line = Access1d::new(code, launch, n);
    // One call from memory to memory needs no blocks.
    let in_memory = line.copied == 0
        && code.coordinates.is_empty()
        && line.direct == 1
        && code.calls.len() == 1
        && code.sinks.len() == 1
        && code.uniforms.is_empty()
        && code.loads.iter().all(|l| !line.is_one(launch, l));
    let block = if in_memory { n } else { code.block_len };
    let room = n.min(code.block_len).next_multiple_of(64);
    scratch::with(code.width * room, |registers| {
        let mut values = PointerTable1d::new();
        // SAFETY: `may_run_1d` bounds the number of values; the registers have room unless only memory is touched.
        unsafe {
            let values = values.of(code);
            bind_pointers(code, launch, line, registers, room, values);
            let mut at = 0;
            while at < n {
                let len = block.min(n - at);
                run_block(code, launch, line, at, len, values, &mut raised);
                at += len;
                if at < n {
                    advance(code, launch, line, values, len);
                }
            }
        }
    });
    raised.sort_unstable_by_key(|&(epilogue, inst, _)| (epilogue, inst));
    raised
}

/// The table of pointers to values.
pub(crate) struct PointerTable1d([MaybeUninit<*mut u8>; MAX_VALUES_1D]);

impl PointerTable1d {
    #[inline(always)]
    pub(crate) fn new() -> PointerTable1d {
        PointerTable1d([const { MaybeUninit::uninit() }; MAX_VALUES_1D])
    }

    /// The entries that a fragment needs.
    ///
    /// # Safety
    /// [`may_run_1d`] holds, and every entry is written before it is read, as [`bind_pointers`] does.
    #[inline(always)]
    pub(crate) unsafe fn of(&mut self, code: &Bytecode) -> &mut [*mut u8] {
        // SAFETY: the number of values is bounded; a pointer may be any bytes.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), code.values) }
    }
}

/// Points every value at memory or a register.
///
/// # Safety
/// `registers` has room for `code.width * room` bytes.
#[inline]
pub(crate) unsafe fn bind_pointers(
    code: &Bytecode,
    launch: &Launch<'_>,
    line: Access1d,
    registers: *mut u8,
    room: usize,
    values: &mut [*mut u8],
) {
    let n = line.n.min(room);
    for &(value, offset, _) in &code.registers {
        values[value as usize] = registers.wrapping_add(offset as usize * room);
    }
    for uniform in &code.uniforms {
        // SAFETY: the register has that much room.
        unsafe { fill_uniform(values[uniform.value as usize], uniform, launch, n) };
    }
    for (i, l) in code.loads.iter().enumerate() {
        let base = launch.addresses[l.operand as usize];
        if line.is_one(launch, l) {
            // SAFETY: as above.
            unsafe { copies::splat(values[l.value as usize], base, n, l.size as usize) };
        } else if line.copied >> i & 1 == 0 {
            values[l.value as usize] = base;
        }
    }
    for (i, s) in code.sinks.iter().enumerate() {
        if line.direct >> i & 1 != 0 {
            values[s.value as usize] = launch.addresses[s.operand as usize];
        }
    }
}

/// Advances pointers into memory by a block.
pub(crate) fn advance(code: &Bytecode, launch: &Launch<'_>, line: Access1d, values: &mut [*mut u8], len: usize) {
    for (i, l) in code.loads.iter().enumerate() {
        if line.copied >> i & 1 == 0 && !line.is_one(launch, l) {
            let v = &mut values[l.value as usize];
            *v = v.wrapping_add(len * l.size as usize);
        }
    }
    for (i, s) in code.sinks.iter().enumerate() {
        if line.direct >> i & 1 != 0 {
            let v = &mut values[s.value as usize];
            *v = v.wrapping_add(len * s.size as usize);
        }
    }
}

/// One block.
///
/// # Safety
/// The table is set up, and the operands have `len` elements from `start` on.
#[inline]
pub(crate) unsafe fn run_block(
    code: &Bytecode,
    launch: &Launch<'_>,
    line: Access1d,
    start: usize,
    len: usize,
    values: &[*mut u8],
    raised: &mut RaisedFlags,
) {
    let at = |operand: u16, size: u8| {
        let stride = if line.n == 1 { size as isize } else { launch.strides[operand as usize] };
        (launch.addresses[operand as usize].wrapping_offset(start as isize * stride), stride)
    };
    if line.copied != 0 {
        for (_, l) in code.loads.iter().enumerate().filter(|(i, _)| line.copied >> i & 1 != 0) {
            let ((from, stride), size) = (at(l.operand, l.size), l.size as usize);
            // SAFETY: the register has room for a block; the operand is valid for these elements.
            unsafe { copies::copy_row(values[l.value as usize], size as isize, from, stride, len, size) };
        }
    }
    // SAFETY: as for what the calls write.
    unsafe { write_coordinates(code, start, len, values) };
    // SAFETY: every value points at `len` elements; results overlap no argument, or are it where that is allowed.
    let complete = unsafe { run_calls(code, len, |v| values[v as usize]) };
    if !complete || (code.has_effects() && !(fp_status::read() & code.fp_mask).is_empty()) {
        // SAFETY: as above; nothing that several calls read has changed since.
        unsafe { attribute_flags(code, start, len, values, raised) };
    }
    for (i, s) in code.sinks.iter().enumerate() {
        if line.direct >> i & 1 == 0 {
            let ((to, stride), size) = (at(s.operand, s.size), s.size as usize);
            // SAFETY: the operand is valid for these elements.
            unsafe { copies::copy_row(to, stride, values[s.value as usize], size as isize, len, size) };
        }
    }
}

/// Writes the coordinates of a block.
///
/// # Safety
/// Their entries point at room for `len` of them.
#[inline(always)]
unsafe fn write_coordinates(code: &Bytecode, start: usize, len: usize, values: &[*mut u8]) {
    for &value in &code.coordinates {
        let out = values[value as usize].cast::<i64>();
        for i in 0..len {
            // SAFETY: by the outer contract; a destination may lie anywhere.
            unsafe { out.add(i).write_unaligned((start + i) as i64) };
        }
    }
}

/// Re-executes a block call by call to attribute flags to instructions.
#[cold]
unsafe fn attribute_flags(code: &Bytecode, start: usize, len: usize, values: &[*mut u8], raised: &mut RaisedFlags) {
    if let [only] = &code.calls[..] {
        record_flags(raised, false, only.inst, fp_status::read() & only.effects);
        fp_status::clear();
        return;
    }
    fp_status::clear();
    // SAFETY: as in `run_block`; other values may have reused their registers since.
    unsafe { write_coordinates(code, start, len, values) };
    for c in &code.calls {
        let [x, y, z] = c.args.map(|v| values[v as usize].cast_const());
        // SAFETY: as in `run_block`.
        unsafe { (c.run)(values[c.out as usize], x, y, z, len, 0) };
        let up = fp_status::read();
        if !up.is_empty() {
            record_flags(raised, false, c.inst, up & c.effects);
            fp_status::clear();
        }
    }
}
