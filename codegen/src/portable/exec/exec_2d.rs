//! The driver of fragments over rows and columns, the usual case; one axis is a plane of one row.
//!
//! A plane is two axes of a domain; a tile is some of its rows and columns. Loads and stores that are contiguous along the columns are
//! accessed in memory, whatever the stride of their rows; inner loops go from row to row by themselves ([`RowBatch`]), so that a step costs
//! one indirect call for each tile. Where every operand of a step is dense, its tile is one long row. Everything else is copied to or from
//! a block register; so is a short row that all rows share, once for all tiles, as it would be the one operand that is not dense.
//!
//! Setting up a plane costs some 5 ns an operand and allocates nothing. It runs calls only: fragments with coordinates, gathers or scatters
//! run in [`crate::portable::exec::exec_tiles`].

use crate::drive::block_copy::{StridedBlock, copy_block};
use crate::drive::fp_status;
use crate::drive::isa::RowBatch;
use crate::drive::strategy::{MIN_SHARED_ROW, runs_machine_code};
use crate::portable::exec::aliasing::AliasInfo;
use crate::portable::exec::bytecode::fill_uniform;
use crate::portable::exec::bytecode::{BlockOp, Bytecode, Load, LoopCall};
use crate::portable::exec::jit_hook::{ColumnFoldCall, MapCall, RowFoldCall, Stage};
use crate::portable::loops::copies;
use crate::{Launch, RaisedFlags};
use std::mem::MaybeUninit;

/// Entries of the table of pointers: one bit each in [`crate::portable::exec::bytecode::LoopCall::entries`].
pub(crate) const MAX_VALUES_2D: usize = 64;
/// Loads of a fragment at most.
pub(crate) const MAX_LOADS_2D: usize = 32;
/// The number of a missing axis: a plane of one row, or of one point.
pub(crate) const NO_PLANE_AXIS: usize = usize::MAX;

/// Whether a fragment has a form that this module runs.
pub(crate) fn may_run_2d(code: &Bytecode) -> bool {
    code.is_plain() && code.values <= MAX_VALUES_2D && code.loads.len() <= MAX_LOADS_2D && code.sinks.len() <= 64
}

/// A pointer to the first row of a value.
#[derive(Clone, Copy)]
struct RowPointer {
    at: *mut u8,
    /// Bytes from one row to the next.
    pitch: isize,
}

/// How a load is accessed.
#[derive(Clone, Copy)]
struct LoadState {
    row: isize,
    column: isize,
    /// Whether it is read in memory.
    by_reference: bool,
    /// Otherwise the address, rows and columns it was last copied from.
    from: *const u8,
    rows: usize,
    columns: usize,
}

/// The tables of an [`Exec2d`], on the caller's stack because they are too large to move.
pub(crate) struct PointerTable2d {
    values: [MaybeUninit<RowPointer>; MAX_VALUES_2D],
    sources: [MaybeUninit<LoadState>; MAX_LOADS_2D],
}

impl PointerTable2d {
    #[inline(always)]
    pub(crate) fn new() -> PointerTable2d {
        PointerTable2d {
            values: [const { MaybeUninit::uninit() }; MAX_VALUES_2D],
            sources: [const { MaybeUninit::uninit() }; MAX_LOADS_2D],
        }
    }
}

/// Two axes of a domain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaneAxes {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// Strides of an operand along the axes.
#[inline(always)]
fn strides(launch: &Launch<'_>, axes: PlaneAxes, operand: u16) -> (isize, isize) {
    let rank = launch.outer.len() + launch.inner.len();
    let of = |axis: usize| if axis == NO_PLANE_AXIS { 0 } else { launch.strides[operand as usize * rank + axis] };
    (of(axes.rows), of(axes.columns))
}

/// One tile: its range of the plane, and the addresses of the operands.
#[derive(Clone, Copy)]
pub(crate) struct TileSpan<'a> {
    /// Addresses of the operands at the plane's first row and column.
    pub(crate) origin: &'a [*mut u8],
    pub(crate) row: usize,
    pub(crate) rows: usize,
    pub(crate) column: usize,
    pub(crate) columns: usize,
}

/// A fragment, ready for tiles of one plane.
pub(crate) struct Exec2d<'p> {
    code: &'p Bytecode,
    values: &'p mut [RowPointer],
    sources: &'p mut [LoadState],
    axes: PlaneAxes,
    launch: &'p Launch<'p>,
    /// Columns of a full tile: the row pitch of registers, in elements.
    width: usize,
    /// Values (a bit each) that are dense in tiles of full width.
    dense: u64,
    /// Sinks (a bit each) whose producers write to memory.
    direct: u64,
    /// The first call that overwrites a load in place: it and the calls after it run once only, and flags are read after each.
    in_place_from: usize,
    /// Whether this is the epilogue, for reported flags.
    epilogue: bool,
    /// Whether flags are read after every call.
    check_each_call: bool,
}

impl<'p> Exec2d<'p> {
    /// A plane for tiles of at most `height` rows and `width` columns.
    ///
    /// # Safety
    /// The code has a plane form; `registers` has room for `code.width * room` bytes, aligned to 64, for as long as the
    /// plane lives, where `room` is no less than `height * width`, and the launch keeps the contract of
    /// [`crate::Program::launch`].
    #[allow(clippy::too_many_arguments)] // each is another fact of the launch; a struct of them would be made only here
    pub(crate) unsafe fn new(
        code: &'p Bytecode,
        launch: &'p Launch<'p>,
        aliasing: AliasInfo,
        axes: PlaneAxes,
        (height, width): (usize, usize),
        epilogue: bool,
        registers: (*mut u8, usize),
        table: &'p mut PointerTable2d,
    ) -> Exec2d<'p> {
        // SAFETY: the code's form bounds both; every entry is written below before it is read, and neither type has
        // invalid bytes that a slice would make a promise of until then.
        let (values, sources) = unsafe {
            (
                std::slice::from_raw_parts_mut(table.values.as_mut_ptr().cast::<RowPointer>(), code.values),
                std::slice::from_raw_parts_mut(table.sources.as_mut_ptr().cast::<LoadState>(), code.loads.len()),
            )
        };
        // Machine code runs all calls at once, and its operands must be there still where they have to run again: it writes in place through
        // registers. Of rows of eight doubles that a fold reads and stores in place this takes half the time of the calls.
        let in_place = if code.stages.is_empty() { aliasing.in_place } else { 0 };
        let mut plane = Exec2d {
            code,
            values,
            sources,
            axes,
            launch,
            width,
            dense: u64::MAX,
            direct: aliasing.direct & (in_place | !aliasing.in_place),
            in_place_from: code.calls.len(),
            epilogue,
            check_each_call: false,
        };
        for &(value, offset, size) in &code.registers {
            let at = registers.0.wrapping_add(offset as usize * registers.1);
            plane.values[value as usize] = RowPointer { at, pitch: (width * size as usize) as isize };
        }
        for uniform in &code.uniforms {
            let shared = height > 1 && width >= MIN_SHARED_ROW;
            let count = if shared { width } else { height * width };
            // SAFETY: the value has a register of that many elements.
            unsafe { fill_uniform(plane.values[uniform.value as usize].at, uniform, launch, count) };
            if shared {
                plane.set_pitch(uniform.value, 0, uniform.size);
            }
        }
        // Of tiles that are read in memory the registers hold no copy.
        let repeats = width < MIN_SHARED_ROW && height * width <= registers.1;
        for (i, load) in code.loads.iter().enumerate() {
            plane.add_load(i, load, aliasing.copied >> i & 1 != 0, height, repeats);
        }
        for (i, sink) in code.sinks.iter().enumerate() {
            let (row, column) = strides(launch, axes, sink.operand);
            if plane.direct >> i & 1 != 0 && (column == sink.size as isize || width == 1) {
                plane.set_pitch(sink.value, row, sink.size);
                if in_place >> i & 1 != 0 {
                    let first = code.calls.iter().position(|c| c.out == sink.value);
                    plane.in_place_from = plane.in_place_from.min(first.unwrap_or(0));
                }
            } else {
                plane.direct &= !(1 << i);
            }
        }
        plane
    }

    /// Decides how a load is accessed. `repeats`: a row that all rows share is copied for each.
    #[inline(always)]
    fn add_load(&mut self, i: usize, load: &Load, copied: bool, height: usize, repeats: bool) {
        let (row, column) = strides(self.launch, self.axes, load.operand);
        let is_shared = row == 0 && height > 1;
        let is_repeated = is_shared && repeats;
        let by_reference = !copied && !is_repeated && (column == load.size as isize || self.width == 1);
        let from = std::ptr::null();
        if by_reference {
            self.set_pitch(load.value, row, load.size);
        } else if is_shared && !is_repeated {
            self.set_pitch(load.value, 0, load.size);
        }
        self.sources[i] = LoadState { row, column, by_reference, from, rows: 0, columns: 0 };
    }

    #[inline(always)]
    fn set_pitch(&mut self, value: u16, pitch: isize, size: u8) {
        self.values[value as usize].pitch = pitch;
        if pitch != (self.width * size as usize) as isize {
            self.dense &= !(1 << value);
        }
    }

    /// Sets where the epilogue reads an accumulator.
    #[inline]
    pub(crate) fn set_result(&mut self, accumulator: usize, at: *mut u8, size: usize) {
        for &(value, a) in &self.code.results {
            if a as usize == accumulator {
                self.values[value as usize] = RowPointer { at, pitch: (self.width * size) as isize };
            }
        }
    }

    /// Folds each row of a tile by machine code, see [`RowFoldCall::run`].
    ///
    /// # Safety
    /// As [`Exec2d::run`], and the machine code is that for the strides along the columns of the loads, and of the sinks if it stores.
    pub(crate) unsafe fn fold(&self, part: &TileSpan<'_>, fused: &RowFoldCall<'_>, out: *mut u8) -> bool {
        let pitch = |operand| self.pitch(operand);
        let to = |operand: u16| (self.address(part, operand), pitch(operand));
        // SAFETY: the caller's contract; what is no load is uniform, and has a register.
        unsafe { fused.run((part.columns, part.rows), |value| self.row_at(part, value, pitch), to, out) }
    }

    /// Folds each of so many tiles of one row, side by side from this one on, by machine code as [`Exec2d::fold`] does: as rows of one call.
    ///
    /// # Safety
    /// As [`Exec2d::fold`].
    pub(crate) unsafe fn fold_along_row(
        &self,
        first: &TileSpan<'_>,
        tiles: usize,
        fused: &RowFoldCall<'_>,
        out: *mut u8,
    ) -> bool {
        let pitch = |operand| strides(self.launch, self.axes, operand).1 * first.columns as isize;
        let to = |operand: u16| (self.address(first, operand), pitch(operand));
        // SAFETY: as above.
        unsafe { fused.run((first.columns, tiles), |value| self.row_at(first, value, pitch), to, out) }
    }

    /// The address of a value's elements in the first row of a tile, and the bytes from row to row: of a load, whose operand has this pitch, or
    /// of what is uniform.
    #[inline]
    fn row_at(&self, part: &TileSpan<'_>, value: u16, pitch: impl Fn(u16) -> isize) -> (*mut u8, isize) {
        let load = self.code.loads.iter().find(|load| load.value == value);
        load.map_or((self.values[value as usize].at, 0), |load| (self.address(part, load.operand), pitch(load.operand)))
    }

    /// The bytes from row to row of an operand.
    #[inline]
    fn pitch(&self, operand: u16) -> isize {
        strides(self.launch, self.axes, operand).0
    }

    /// Folds the rows of a tile into accumulators of its columns by machine code, see [`ColumnFoldCall::run`].
    ///
    /// # Safety
    /// As [`Exec2d::fold`].
    pub(crate) unsafe fn fold_columns(
        &self,
        part: &TileSpan<'_>,
        fused: &ColumnFoldCall<'_>,
        into: &[*mut u8],
    ) -> bool {
        let pitch = |operand| self.pitch(operand);
        let to = |operand: u16| (self.address(part, operand), pitch(operand));
        // SAFETY: the caller's contract; what is no load is uniform, and has a register.
        unsafe { fused.run((part.columns, part.rows), |value| self.row_at(part, value, pitch), to, into) }
    }

    /// A value's first row in the last tile, and the bytes from row to row.
    #[inline]
    pub(crate) fn value(&self, value: u32) -> (*const u8, isize) {
        let v = self.values[value as usize];
        (v.at.cast_const(), v.pitch)
    }

    /// Runs the fragment on a tile.
    ///
    /// # Safety
    /// The tile lies in the launch's domain and is no larger than the plane was made for.
    #[inline]
    pub(crate) unsafe fn run(&mut self, part: &TileSpan<'_>, raised: &mut RaisedFlags) {
        let code = self.code;
        for (load, source) in code.loads.iter().zip(self.sources.iter_mut()) {
            let offset = part.row as isize * source.row + part.column as isize * source.column;
            let at = part.origin[load.operand as usize].wrapping_offset(offset);
            let value = &mut self.values[load.value as usize];
            if source.by_reference {
                value.at = at;
            } else if source.from != at.cast_const() || source.rows < part.rows || source.columns < part.columns {
                let rows = if value.pitch == 0 { 1 } else { part.rows };
                // SAFETY: the register has room for the tile; the operand is valid at every point of it.
                unsafe { load_tile(*value, at, source, rows, part.columns, load.size as usize) };
                (source.from, source.rows, source.columns) = (at, part.rows, part.columns);
            }
        }
        for (i, sink) in code.sinks.iter().enumerate() {
            if self.direct >> i & 1 != 0 {
                self.values[sink.value as usize].at = self.address(part, sink.operand);
            }
        }
        if self.check_each_call {
            // SAFETY: the caller's contract.
            unsafe { self.run_calls_checked(&code.calls, part, raised) };
        } else {
            let (calls, in_place_from) = code.calls.split_at(self.in_place_from);
            // SAFETY: as above.
            let complete = unsafe { self.calls(calls, part) };
            if !complete || fp_status::is_raised(code.fp_mask) {
                // SAFETY: as above; running the calls twice writes the same values twice.
                unsafe { self.attribute_flags(calls, part, raised) };
            }
            // SAFETY: as above.
            unsafe { self.run_calls_checked(in_place_from, part, raised) };
        }
        for (i, sink) in code.sinks.iter().enumerate() {
            if self.direct >> i & 1 == 0 {
                let from = self.values[sink.value as usize];
                let strides = strides(self.launch, self.axes, sink.operand);
                // SAFETY: the operand is valid at every point of the tile.
                unsafe { store_tile(from, self.address(part, sink.operand), strides, part, sink.size as usize) };
            }
        }
    }

    /// Runs some calls, or the machine code in the place of all of them. Returns whether it computed every element.
    #[inline(always)]
    unsafe fn calls(&self, calls: &[LoopCall], part: &TileSpan<'_>) -> bool {
        let code = self.code;
        let is_one_row = || self.is_one_row(part, u64::MAX);
        if code.stages.is_empty()
            || calls.len() != code.calls.len()
            || !runs_machine_code(part.columns, code.shortest_row, is_one_row)
        {
            for call in calls {
                // SAFETY: the caller's contract.
                unsafe { self.call(call, part) };
            }
            return true;
        }
        let mut complete = true;
        for stage in &code.stages {
            // SAFETY: as above.
            unsafe {
                match stage {
                    Stage::Step(BlockOp::Call(call)) => self.call(call, part),
                    Stage::Step(BlockOp::Index { .. } | BlockOp::Gather { .. } | BlockOp::Loop { .. }) => {
                        unreachable!("exec_2d runs calls alone")
                    }
                    Stage::MapCall(pass) => complete &= self.pass(pass, part),
                }
            }
        }
        complete
    }

    /// Whether a tile is one long row for a call that accesses these entries.
    #[inline(always)]
    fn is_one_row(&self, part: &TileSpan<'_>, entries: u64) -> bool {
        part.rows == 1 || (entries & !self.dense == 0 && part.columns == self.width)
    }

    unsafe fn pass(&self, pass: &MapCall, part: &TileSpan<'_>) -> bool {
        let at = |v: u16| self.values[v as usize].at;
        // SAFETY: every value has a register or points at the tile's elements.
        unsafe {
            if self.is_one_row(part, pass.entries) {
                pass.run(part.rows * part.columns, at)
            } else {
                pass.run_rows(part.columns, part.rows, at, |v| self.values[v as usize].pitch)
            }
        }
    }

    #[inline(always)]
    fn address(&self, part: &TileSpan<'_>, operand: u16) -> *mut u8 {
        let (row, column) = strides(self.launch, self.axes, operand);
        part.origin[operand as usize].wrapping_offset(part.row as isize * row + part.column as isize * column)
    }

    #[inline(always)]
    unsafe fn call(&self, call: &LoopCall, part: &TileSpan<'_>) {
        let out = self.values[call.out as usize];
        let [a, b, c] = call.args.map(|v| self.values[v as usize]);
        // SAFETY: every value has a register or points at the tile's elements; results overlap no argument.
        unsafe {
            if self.is_one_row(part, call.entries) {
                (call.run)(out.at, a.at, b.at, c.at, part.rows * part.columns, 0);
            } else {
                let rows = RowBatch { count: part.rows, pitch: [out.pitch, a.pitch, b.pitch, c.pitch] };
                (call.run)(out.at, a.at, b.at, c.at, part.columns, rows.address());
            }
        }
    }

    /// Re-executes calls to attribute flags to them; from now on flags are read after every call.
    #[cold]
    unsafe fn attribute_flags(&mut self, calls: &[LoopCall], part: &TileSpan<'_>, raised: &mut RaisedFlags) {
        if let ([only], []) = (calls, &self.code.stages[..]) {
            fp_status::attribute(raised, self.epilogue, only.inst, only.effects);
            return;
        }
        self.check_each_call = true;
        fp_status::clear();
        // SAFETY: the caller's contract.
        unsafe { self.run_calls_checked(calls, part, raised) };
    }

    /// Runs calls, and reads the flags after each.
    #[inline]
    unsafe fn run_calls_checked(&self, calls: &[LoopCall], part: &TileSpan<'_>, raised: &mut RaisedFlags) {
        for call in calls {
            // SAFETY: the caller's contract.
            unsafe { self.call(call, part) };
            fp_status::attribute(raised, self.epilogue, call.inst, call.effects);
        }
    }
}

/// Copies a tile's elements to a register.
unsafe fn load_tile(to: RowPointer, from: *const u8, source: &LoadState, rows: usize, columns: usize, size: usize) {
    if source.column == 0 && columns < MIN_SHARED_ROW && to.pitch == (columns * size) as isize {
        let block = StridedBlock { rows, columns, along_row: 0, along_column: source.row, pitch: to.pitch };
        // SAFETY: the caller's contract.
        return unsafe { copy_block(to.at, from, &block, size) };
    }
    for r in 0..rows as isize {
        let (to, from) = (to.at.wrapping_offset(r * to.pitch), from.wrapping_offset(r * source.row));
        // SAFETY: the caller's contract.
        unsafe { copies::copy_row(to, size as isize, from, source.column, columns, size) };
    }
}

/// Copies a tile's elements from a register.
unsafe fn store_tile(from: RowPointer, to: *mut u8, strides: (isize, isize), part: &TileSpan<'_>, size: usize) {
    for r in 0..part.rows as isize {
        let (from, to) = (from.at.wrapping_offset(r * from.pitch), to.wrapping_offset(r * strides.0));
        // SAFETY: the caller's contract.
        unsafe { copies::copy_row(to, strides.1, from, size as isize, part.columns, size) };
    }
}
