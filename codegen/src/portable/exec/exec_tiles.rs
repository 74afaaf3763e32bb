//! The general driver: one thread's execution of a [`Bytecode`], tile by tile, on any domain.
//!
//! For each tile it points the table of values at memory or registers, copies what is not contiguous, runs the steps, and stores. Padding
//! is never computed: every loop runs over the tile's points and no others, so no flag is raised for an element outside the domain.
//!
//! Flags are read once a tile. If one is set the steps are re-executed one by one to attribute it, which is sound because no memory that
//! they read has changed. From then on flags are read after each step (some 3 ns).

use crate::drive::fp_status;
use crate::drive::tiles::{PerAxis, Tile};
use crate::portable::exec::aliasing::AliasInfo;
use crate::portable::exec::bytecode::{BlockOp, Bytecode, Load, LoopCall, Sink, fill_uniform};
use crate::portable::exec::jit_hook::Stage;
use crate::portable::loops::copies;
use crate::{FpFlags, Launch, RaisedFlags};
use smallvec::SmallVec;

/// How a load is accessed in tiles of the current shape.
#[derive(Clone, Copy)]
struct TileLoad {
    /// Whether it is read in memory.
    by_reference: bool,
    /// Otherwise the address of the `count` elements last copied; valid until the shape of rows changes.
    from: *const u8,
    count: usize,
}

/// One thread's execution of a fragment.
pub(crate) struct ExecTiles<'p> {
    code: &'p Bytecode,
    launch: Launch<'p>,
    aliasing: AliasInfo,
    /// Whether this is the epilogue, for reported flags.
    epilogue: bool,
    values: SmallVec<[*mut u8; 32]>,
    registers: *mut u8,
    room: usize,
    loaded: SmallVec<[TileLoad; 8]>,
    direct: SmallVec<[bool; 4]>,
    /// Shape of the last tile.
    axes: PerAxis<usize>,
    extents: PerAxis<usize>,
    /// By axis: the coordinate of the launch's first point. No axis where that is 0 on all.
    origin: SmallVec<[usize; 4]>,
    /// Whether flags are read after every step.
    check_each_step: bool,
    pub(crate) raised: RaisedFlags,
}

impl<'p> ExecTiles<'p> {
    /// A driver for tiles of at most `room` points.
    ///
    /// # Safety
    /// `registers` has room for `code.width * room` bytes, aligned to 64, for as long as the driver lives, and the launch
    /// keeps the contract of [`crate::Program::launch`].
    pub(crate) unsafe fn new(
        code: &'p Bytecode,
        launch: Launch<'p>,
        aliasing: AliasInfo,
        epilogue: bool,
        registers: *mut u8,
        room: usize,
    ) -> ExecTiles<'p> {
        let mut exec = ExecTiles {
            code,
            launch,
            aliasing,
            epilogue,
            values: smallvec::smallvec![std::ptr::null_mut(); code.values],
            registers,
            room,
            loaded: smallvec::smallvec![TileLoad { by_reference: false, from: std::ptr::null(), count: 0 }; code.loads.len()],
            direct: smallvec::smallvec![false; code.sinks.len()],
            axes: PerAxis::new(),
            extents: PerAxis::new(),
            origin: SmallVec::new(),
            check_each_step: false,
            raised: RaisedFlags::new(),
        };
        for &(value, offset, _) in &code.registers {
            exec.values[value as usize] = exec.register(offset);
        }
        for uniform in &code.uniforms {
            // SAFETY: the value has a register of `room` elements.
            unsafe { fill_uniform(exec.values[uniform.value as usize], uniform, &launch, room) };
        }
        exec
    }

    /// Sets the coordinates of the launch's first point, where the launch is a part of another one.
    pub(crate) fn set_origin(&mut self, origin: &[usize]) {
        self.origin = SmallVec::from_slice(origin);
    }

    fn register(&self, offset: u32) -> *mut u8 {
        // SAFETY: offsets lie below the code's width, which `registers` has room for.
        unsafe { self.registers.add(offset as usize * self.room) }
    }

    /// The address of a value in the last tile.
    pub(crate) fn value(&self, value: u32) -> *mut u8 {
        self.values[value as usize]
    }

    /// Sets where the epilogue reads an accumulator.
    pub(crate) fn set_result(&mut self, accumulator: usize, at: *mut u8) {
        for &(value, a) in &self.code.results {
            if a as usize == accumulator {
                self.values[value as usize] = at;
            }
        }
    }

    /// The address of an operand at the beginning of a tile.
    fn address(&self, operand: u16, tile: &Tile) -> *mut u8 {
        let strides = self.launch.strides_of(operand as usize);
        let offset: isize = tile.origin.iter().zip(strides).map(|(&x, &s)| x as isize * s).sum();
        self.launch.addresses[operand as usize].wrapping_offset(offset)
    }

    fn stride(&self, operand: u16, axis: usize) -> isize {
        self.launch.strides_of(operand as usize).get(axis).copied().unwrap_or(0)
    }

    /// Whether an operand is dense in tiles of the current shape.
    fn is_dense(&self, operand: u16, size: u8) -> bool {
        let mut expected = size as isize;
        for (&axis, &extent) in self.axes.iter().zip(&self.extents).rev() {
            if extent != 1 && self.stride(operand, axis) != expected {
                return false;
            }
            expected *= extent as isize;
        }
        true
    }

    /// Decides what is accessed in memory for tiles of a new shape.
    fn reshape(&mut self, tile: &Tile) {
        self.axes = tile.axes.clone();
        self.extents = tile.extents.clone();
        for (i, load) in self.code.loads.iter().enumerate() {
            let by_reference = !self.aliasing.copied(i, load.late) && self.is_dense(load.operand, load.size);
            self.loaded[i] = TileLoad { by_reference, from: std::ptr::null(), count: 0 };
        }
        for (i, sink) in self.code.sinks.iter().enumerate() {
            self.direct[i] = self.aliasing.direct(i) && self.is_dense(sink.operand, sink.size);
        }
        for &(value, offset, _) in &self.code.registers {
            self.values[value as usize] = self.register(offset);
        }
    }

    /// Runs the fragment over a tile.
    ///
    /// # Safety
    /// The tile lies in the launch's domain and has no more points than `room`.
    pub(crate) unsafe fn run(&mut self, tile: &Tile) {
        if !tile.same_rows(&self.axes, &self.extents) || (tile.extents[0] == 1) != (self.extents[0] == 1) {
            self.reshape(tile);
        }
        let n = tile.len();
        let code = self.code;
        for (i, load) in code.loads.iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { self.load(i, load, tile, n) };
        }
        for (i, sink) in code.sinks.iter().enumerate() {
            if self.direct[i] {
                self.values[sink.value as usize] = self.address(sink.operand, tile);
            }
        }
        if self.check_each_step {
            // SAFETY: as above.
            unsafe { self.run_steps_checked(tile, n) };
        } else {
            // SAFETY: as above.
            let complete = unsafe { self.steps(tile, n) };
            if !complete || fp_status::is_raised(code.fp_mask) {
                self.check_each_step = true;
                fp_status::clear();
                // SAFETY: as above; running the steps twice writes the same values twice.
                unsafe { self.run_steps_checked(tile, n) };
            }
        }
        for (i, sink) in code.sinks.iter().enumerate() {
            if !self.direct[i] {
                // SAFETY: as above.
                unsafe { self.sink(sink, tile) };
            }
        }
    }

    /// Updates one load for a tile.
    unsafe fn load(&mut self, i: usize, load: &Load, tile: &Tile, n: usize) {
        let base = self.address(load.operand, tile);
        let state = self.loaded[i];
        if state.by_reference {
            self.values[load.value as usize] = base;
        } else if state.from != base.cast_const() || state.count < n {
            let out = self.values[load.value as usize];
            // SAFETY: the register has room for the tile; the operand is valid at every point of it.
            unsafe { self.copy(load.operand, load.size, tile, base, out, true) };
            self.loaded[i] = TileLoad { by_reference: false, from: base, count: n };
        }
    }

    /// Copies between an operand's elements of a tile and a register, the longest axis innermost.
    unsafe fn copy(&self, operand: u16, size: u8, tile: &Tile, base: *mut u8, register: *mut u8, load: bool) {
        let size = size as isize;
        // (extent, stride in memory, stride in the register)
        let mut axes: SmallVec<[(usize, isize, isize); 6]> = SmallVec::new();
        let mut dense = size;
        for (&axis, &extent) in tile.axes.iter().zip(&tile.extents).rev() {
            let stride = self.stride(operand, axis);
            match axes.last_mut() {
                Some(last) if last.1 * last.0 as isize == stride && last.2 * last.0 as isize == dense => {
                    last.0 *= extent
                }
                _ if extent == 1 => {}
                _ => axes.push((extent, stride, dense)),
            }
            dense *= extent as isize;
        }
        if axes.len() > 1 && axes[0].0 < 8 {
            let longest = (0..axes.len()).max_by_key(|&a| axes[a].0).unwrap_or(0);
            axes.swap(0, longest);
        }
        let (n, stride, dense) = axes.first().copied().unwrap_or((1, size, size));
        rows(&axes[axes.len().min(1)..], 0, 0, &mut |memory, place| {
            let (memory, place) = (base.wrapping_offset(memory), register.wrapping_offset(place));
            // SAFETY: the caller's contract.
            unsafe {
                if load {
                    copies::copy_row(place, dense, memory, stride, n, size as usize);
                } else {
                    copies::copy_row(memory, stride, place, dense, n, size as usize);
                }
            }
        });
    }

    /// Runs all steps. Returns whether they computed every element.
    #[inline(always)]
    unsafe fn steps(&self, tile: &Tile, n: usize) -> bool {
        let mut complete = true;
        // SAFETY: the caller's contract; every value has a register or points at the tile's elements.
        unsafe {
            if self.code.stages.is_empty() {
                self.code.steps.iter().for_each(|step| self.step(step, tile, n));
            }
            for stage in &self.code.stages {
                match stage {
                    Stage::Step(step) => self.step(step, tile, n),
                    Stage::MapCall(pass) => complete &= pass.run(n, |v| self.values[v as usize]),
                }
            }
        }
        complete
    }

    #[inline(always)]
    unsafe fn step(&self, step: &BlockOp, tile: &Tile, n: usize) {
        match *step {
            // SAFETY: the caller's contract.
            BlockOp::Call(ref call) => unsafe { self.call(call, n) },
            // SAFETY: the value's register has room for the tile.
            BlockOp::Index { value, axis } => unsafe { self.index(value, axis as usize, tile) },
            // SAFETY: the caller's contract.
            BlockOp::Gather { value, operand, offsets, size } => unsafe {
                let out = self.values[value as usize];
                let offsets = self.values[offsets as usize];
                self.for_each_offset_row(operand, tile, &mut |base, stride, at, n| {
                    let size = size as usize;
                    copies::gather(out.add(at * size), base, stride, offsets.cast::<i64>().add(at), n, size);
                });
            },
            // SAFETY: the caller's contract.
            BlockOp::Loop { region } => unsafe {
                self.repeat::<false>(region, n);
            },
        }
    }

    /// Runs a loop; see [`crate::portable::exec::region::RegionCode::run`].
    unsafe fn repeat<const CHECKED: bool>(&self, region: u16, n: usize) -> FpFlags {
        let region = &self.code.regions[region as usize];
        // SAFETY: the region's registers are among those of the code; every entry has a register or points at the tile's elements.
        unsafe { region.run::<CHECKED>(n, self.registers, self.room, |entry| self.values[entry as usize]) }
    }

    #[inline(always)]
    unsafe fn call(&self, call: &LoopCall, n: usize) {
        let [a, b, c] = call.args.map(|v| self.values[v as usize].cast_const());
        // SAFETY: every value has a register or points at the tile's elements.
        unsafe { (call.run)(self.values[call.out as usize], a, b, c, n, 0) }
    }

    /// Runs the steps, and reads the flags after each.
    unsafe fn run_steps_checked(&mut self, tile: &Tile, n: usize) {
        let code = self.code;
        for step in &code.steps {
            if let BlockOp::Loop { region } = *step {
                // SAFETY: the caller's contract.
                let flags = unsafe { self.repeat::<true>(region, n) };
                fp_status::merge(&mut self.raised, [(self.epilogue, code.regions[region as usize].inst, flags)]);
                continue;
            }
            // SAFETY: the caller's contract.
            unsafe { self.step(step, tile, n) };
            if let BlockOp::Call(call) = step {
                fp_status::attribute(&mut self.raised, self.epilogue, call.inst, call.effects);
            }
        }
    }

    /// Writes the coordinates of a tile along an axis.
    unsafe fn index(&self, value: u16, axis: usize, tile: &Tile) {
        let out = self.values[value as usize].cast::<i64>();
        let first = [&self.origin[..], &tile.origin[..]].map(|origin| origin.get(axis).copied().unwrap_or(0));
        let first = (first[0] + first[1]) as i64;
        let at = tile.axes.iter().position(|&a| a == axis);
        let inside: usize = at.map_or(1, |at| tile.extents[at + 1..].iter().product());
        let extent = at.map_or(1, |at| tile.extents[at]);
        // A loop for each axis: with a division for each point this takes ten times as long.
        let mut point = 0;
        while point < tile.len() {
            for x in first..first + extent as i64 {
                for at in point..point + inside {
                    // SAFETY: the register has room for the tile.
                    unsafe { *out.add(at) = x };
                }
                point += inside;
            }
        }
    }

    /// Calls `f(address, stride, first point, points)` for each row of an indexed operand.
    fn for_each_offset_row(&self, operand: u16, tile: &Tile, f: &mut dyn FnMut(*mut u8, isize, usize, usize)) {
        let base = self.address(operand, tile);
        let last = tile.axes.len() - 1;
        let mut axes: SmallVec<[(usize, isize, isize); 6]> = SmallVec::new();
        let mut dense = tile.extents[last] as isize;
        for a in (0..last).rev() {
            axes.push((tile.extents[a], self.stride(operand, tile.axes[a]), dense));
            dense *= tile.extents[a] as isize;
        }
        let stride = self.stride(operand, tile.axes[last]);
        rows(&axes, 0, 0, &mut |memory, at| f(base.wrapping_offset(memory), stride, at as usize, tile.extents[last]));
    }

    /// Stores one value.
    unsafe fn sink(&self, sink: &Sink, tile: &Tile) {
        let from = self.values[sink.value as usize];
        match sink.offsets {
            None => {
                let base = self.address(sink.operand, tile);
                // SAFETY: the caller's contract.
                unsafe { self.copy(sink.operand, sink.size, tile, base, from, false) }
            }
            Some(offsets) => {
                let offsets = self.values[offsets as usize].cast::<i64>();
                let size = sink.size as usize;
                // SAFETY: the caller's contract.
                self.for_each_offset_row(sink.operand, tile, &mut |base, stride, at, n| unsafe {
                    copies::scatter(base, stride, offsets.add(at), from.add(at * size), n, size);
                });
            }
        }
    }
}

/// Calls `f` with the offsets in memory and register of each row; `axes` are (extent, offset, offset), fastest first.
fn rows(axes: &[(usize, isize, isize)], memory: isize, register: isize, f: &mut dyn FnMut(isize, isize)) {
    match axes.split_last() {
        None => f(memory, register),
        Some((&(extent, m, r), inner)) => {
            for i in 0..extent as isize {
                rows(inner, memory + i * m, register + i * r, f);
            }
        }
    }
}
