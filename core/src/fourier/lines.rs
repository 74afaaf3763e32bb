//! Lines: the one-dimensional transforms along an axis of an array, in groups that are read into vectors, transformed and stored.

use crate::fourier::dense::DenseNumbers;
use crate::fourier::lanes::{ComplexLanes, ComplexNumber, Lanes, MAX_LANES, widths};
use crate::fourier::plan::{FourierKey, FourierPlan, FourierPlans, run_split};
use crate::fourier::real::{self, DenseReal};
use crate::fourier::split::{Endpoints, most_tasks, tasks_of};
#[cfg(target_arch = "x86_64")]
use crate::fourier::{lanes_avx2::Lanes4, lanes_avx512::Lanes8};
use fastnp_codegen::ThreadPool;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Longest complex transform of which several are done in lanes: both buffers are 256 KB then, half of a second-level cache.
const MAX_IN_LANES: usize = 2048;
/// Fewer lines are transformed one by one: vectors would be half empty.
const MIN_IN_LANES: usize = 3;
/// From this length on a single transform is shared among threads; shorter ones are so line by line.
const SHARED_FROM: usize = 1 << 15;
/// Nanoseconds for each number of a line.
const LINE_NUMBER_NS: f64 = 4.0;
/// Alignment of scratch memory, in bytes.
const SCRATCH_ALIGNMENT: usize = 64;

/// What is transformed into what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineKind {
    /// Complex numbers into as many.
    Complex,
    /// Complex numbers into as many, by the inverse transform.
    Inverse,
    /// Real numbers into the first half of their spectrum.
    FromReal,
    /// Real numbers into their whole spectrum; its conjugate for the inverse transform.
    RealToComplex { is_inverse: bool },
    /// The first half of a spectrum into real numbers, by the inverse transform.
    ToReal,
}

/// The elements of all lines in one array.
#[derive(Clone, Copy)]
pub(crate) struct LineSide<'a> {
    /// The first one.
    pub(crate) start: *mut u8,
    /// Whether they are numbers of single precision.
    pub(crate) is_single: bool,
    /// Byte stride along the lines.
    pub(crate) step: isize,
    /// Byte strides from line to line, an axis each.
    pub(crate) strides: &'a [isize],
}

/// The lines of a transform. They are the same in the input and the result, or do not overlap; those of the result do not.
pub(crate) struct Lines<'a> {
    pub(crate) kind: LineKind,
    /// Points of each transform.
    pub(crate) points: usize,
    /// Elements of an input line: the rest are zero.
    pub(crate) available: usize,
    /// Extents of the axes across the lines.
    pub(crate) extents: &'a [usize],
    /// What every result is multiplied by.
    pub(crate) factor: f64,
    pub(crate) from: LineSide<'a>,
    pub(crate) to: LineSide<'a>,
}

/// How lines are transformed.
pub(crate) struct PreparedLines {
    plan: Arc<FourierPlan>,
    /// Lines that are transformed together, a lane for each.
    lanes: usize,
    is_shared: bool,
    tasks: usize,
    /// Complex numbers in each of a task's two buffers, and of its scratch memory.
    room: usize,
    scratch: usize,
}

impl PreparedLines {
    /// Bytes of memory for the tasks.
    pub(crate) fn bytes(&self) -> usize {
        SCRATCH_ALIGNMENT + self.tasks * self.task_bytes()
    }

    fn task_bytes(&self) -> usize {
        (16 * (2 * self.room * self.lanes + self.scratch)).next_multiple_of(SCRATCH_ALIGNMENT)
    }
}

/// One side of a group of lines: its address in each, and how its elements lie.
struct GroupSide {
    lines: [*mut u8; MAX_LANES],
    count: usize,
    is_single: bool,
    step: isize,
    /// Numbers of an element: two of a complex one.
    unit: usize,
}

// SAFETY: tasks write disjoint lines, and lines that others read are written by none.
unsafe impl Sync for Lines<'_> {}

impl Lines<'_> {
    /// How many lines.
    fn count(&self) -> usize {
        self.extents.iter().product()
    }

    /// Whether pairs of real numbers are one complex number.
    fn is_packed(&self) -> bool {
        let is_real = matches!(self.kind, LineKind::FromReal | LineKind::RealToComplex { .. } | LineKind::ToReal);
        is_real && self.points.is_multiple_of(2)
    }

    /// Plans the transforms; the caller gets memory for them.
    pub(crate) fn prepare(&self, plans: &mut FourierPlans, threads: &dyn ThreadPool) -> PreparedLines {
        let length = if self.is_packed() { self.points / 2 } else { self.points };
        let count = self.count();
        let in_lanes = count >= MIN_IN_LANES && length <= MAX_IN_LANES;
        // The narrowest vectors that take all lines, or the widest.
        let fitting = widths().iter().rev().find(|&&lanes| lanes >= count).unwrap_or(&widths()[0]);
        let lanes = if in_lanes { *fitting } else { 1 };
        let is_shared = lanes == 1 && length >= SHARED_FROM;
        let nanoseconds = (count * self.points) as f64 * LINE_NUMBER_NS;
        let tasks = if is_shared { 1 } else { tasks_of(Some(threads), nanoseconds).min(count.div_ceil(lanes)) };
        let plan = plans.plan(FourierKey { n: length, is_single: lanes == 1, is_packed: self.is_packed() });
        // The whole line, with a vector at its end that may be read or written beyond it; what follows is aligned.
        let room = (plan.room().max(self.points + 1) + MAX_LANES).next_multiple_of(SCRATCH_ALIGNMENT / 16);
        let scratch = plan.scratch(if is_shared { most_tasks(threads) } else { 1 });
        PreparedLines { plan, lanes, is_shared, tasks, room, scratch }
    }

    /// Transforms all lines. Returns whether all that was read is finite: a number that is not, or an overflow, reaches the first element of
    /// its line, or the second one of a real line, whose first one has no imaginary parts in it.
    ///
    /// # Safety
    /// All elements lie in memory that may be read or written, and are aligned. `memory` has [`PreparedLines::bytes`].
    pub(crate) unsafe fn run(&self, prepared: &PreparedLines, memory: *mut u8, threads: &dyn ThreadPool) -> bool {
        let memory = memory.wrapping_add(memory.align_offset(SCRATCH_ALIGNMENT));
        let memory = memory.expose_provenance();
        let count = self.count();
        let groups = count.div_ceil(prepared.lanes);
        let in_task = groups.div_ceil(prepared.tasks);
        let all_finite = AtomicBool::new(true);
        let task = |task: usize| {
            let own = std::ptr::with_exposed_provenance_mut::<u8>(memory + task * prepared.task_bytes());
            for group in task * in_task..groups.min((task + 1) * in_task) {
                // SAFETY: the caller's contract; the processor has vectors of so many lanes.
                let is_finite = unsafe {
                    match prepared.lanes {
                        #[cfg(target_arch = "x86_64")]
                        Lanes8::COUNT => self.transform::<Lanes8>(group, prepared, own, None),
                        #[cfg(target_arch = "x86_64")]
                        Lanes4::COUNT => self.transform::<Lanes4>(group, prepared, own, None),
                        _ => self.transform::<f64>(group, prepared, own, prepared.is_shared.then_some(threads)),
                    }
                };
                if !is_finite {
                    all_finite.store(false, Ordering::Relaxed);
                }
            }
        };
        if prepared.tasks > 1 {
            threads.run(prepared.tasks, &task)
        } else {
            task(0)
        }
        all_finite.into_inner()
    }

    /// One side of the lines from `first` on.
    fn side(&self, side: &LineSide<'_>, first: usize, lanes: usize, unit: usize) -> GroupSide {
        let total = self.count();
        let count = lanes.min(total - first);
        let line = |l: usize| {
            let mut number = first + l.min(count - 1);
            let mut at = side.start;
            for (&n, &stride) in self.extents.iter().zip(side.strides).rev() {
                at = at.wrapping_offset((number % n) as isize * stride);
                number /= n;
            }
            at
        };
        let mut lines = [std::ptr::null_mut(); MAX_LANES];
        lines[..lanes].iter_mut().enumerate().for_each(|(l, at)| *at = line(l));
        GroupSide { lines, count, is_single: side.is_single, step: side.step, unit }
    }

    /// Transforms a line by itself whose numbers are adjacent, from where it lies to where it goes: the copies of a real line of 16,384
    /// numbers took as long as its transform. Returns whether it could.
    ///
    /// # Safety
    /// As [`Lines::run`]; `room` has the plan's room for the line, and its scratch memory.
    unsafe fn transform_dense(
        &self,
        (from, to): (&GroupSide, &GroupSide),
        plan: &FourierPlan,
        (room, scratch): (*mut ComplexNumber, *mut ComplexNumber),
        threads: Option<&dyn ThreadPool>,
    ) -> bool {
        let is_dense = from.is_dense() && to.is_dense();
        let (n, half) = (self.points, self.points / 2);
        let read = if self.kind == LineKind::ToReal { half + 1 } else { n };
        let Some(split) = plan.split().filter(|_| is_dense && self.available == read) else {
            return false;
        };
        let swaps = self.kind == LineKind::Inverse;
        let numbers = |side: &GroupSide, swaps: bool| DenseNumbers {
            start: side.lines[0],
            is_single: side.is_single,
            swaps,
            is_real: false,
        };
        let from_real = matches!(self.kind, LineKind::FromReal | LineKind::RealToComplex { .. });
        let mut written = n;
        let (mut from_numbers, mut to_numbers) = (numbers(from, swaps), numbers(to, swaps));
        let real = |from: DenseNumbers, to: DenseNumbers| DenseReal {
            half,
            twiddles: &plan.half_twiddles,
            packs: self.kind == LineKind::ToReal,
            from,
            to,
        };
        // SAFETY: the caller's contract; pairs of real numbers are as long as complex ones.
        unsafe {
            match (self.kind, self.is_packed()) {
                (LineKind::Complex | LineKind::Inverse, _) => {}
                (LineKind::FromReal | LineKind::RealToComplex { .. }, true) => to_numbers = DenseNumbers::at(room),
                (LineKind::FromReal | LineKind::RealToComplex { .. }, false) => {
                    (from_numbers.is_real, written) = (true, half + 1);
                }
                (LineKind::ToReal, true) => {
                    real(from_numbers, DenseNumbers::at(room)).run(threads);
                    (from_numbers, to_numbers.swaps) = (DenseNumbers::at(room), true);
                }
                (LineKind::ToReal, false) => {
                    real::dense_spectrum(n, from_numbers, DenseNumbers::at(room));
                    (from_numbers, to_numbers.is_real) = (DenseNumbers::at(room), true);
                }
            }
            let ends = Endpoints { from: from_numbers, to: to_numbers, written, factor: self.factor };
            run_split(split, ends, scratch, threads);
            if from_real && self.is_packed() {
                real(to_numbers, numbers(to, false)).run(threads);
            }
            if let LineKind::RealToComplex { is_inverse } = self.kind {
                real::dense_mirror(n, is_inverse, numbers(to, false));
            }
        }
        true
    }

    /// Transforms one group of lines. Returns whether all that was read is finite.
    ///
    /// # Safety
    /// As [`Lines::run`]; `own` is the task's memory.
    unsafe fn transform<V: Lanes>(
        &self,
        group: usize,
        prepared: &PreparedLines,
        own: *mut u8,
        threads: Option<&dyn ThreadPool>,
    ) -> bool {
        let (n, plan) = (self.points, &prepared.plan);
        let units = match self.kind {
            LineKind::Complex | LineKind::Inverse => (2, 2),
            LineKind::FromReal | LineKind::RealToComplex { .. } => (1, 2),
            LineKind::ToReal => (2, 1),
        };
        let from = self.side(&self.from, group * V::COUNT, V::COUNT, units.0);
        let to = self.side(&self.to, group * V::COUNT, V::COUNT, units.1);
        let a = own.cast::<ComplexLanes<V>>();
        let b = a.wrapping_add(prepared.room);
        let scratch = b.wrapping_add(prepared.room).cast::<ComplexNumber>();
        let swaps = self.kind == LineKind::Inverse;
        // Of one point, the imaginary part is not read.
        let shows_all = if self.kind == LineKind::ToReal { n.min(2) } else { 1 };
        // SAFETY: the caller's contract; both buffers have room for the line, its spectrum and the plan's work.
        unsafe {
            if self.transform_dense((&from, &to), plan, (a.cast(), scratch), threads) {
                return to.are_finite(shows_all);
            }
            let other = |x: *mut ComplexLanes<V>| if x == a { b } else { a };
            let load = |to: *mut ComplexLanes<V>, swaps: bool, total: usize| {
                V::run(
                    #[inline(always)]
                    || from.load(to.cast::<V>(), self.available, total, swaps),
                )
            };
            let (result, length, swaps) = match (self.kind, self.is_packed().then_some(&plan.half_twiddles)) {
                (LineKind::Complex | LineKind::Inverse, _) => {
                    load(a, swaps, n);
                    (plan.run(a, b, scratch, threads), n, swaps)
                }
                (LineKind::FromReal | LineKind::RealToComplex { .. }, Some(twiddles)) => {
                    load(a, false, n);
                    let done = plan.run(a, b, scratch, threads);
                    let spectrum = other(done);
                    V::run(
                        #[inline(always)]
                        || real::from_packed(n / 2, twiddles, done, spectrum),
                    );
                    (spectrum, n / 2 + 1, false)
                }
                (LineKind::FromReal | LineKind::RealToComplex { .. }, None) => {
                    load(b, false, n);
                    V::run(
                        #[inline(always)]
                        || real::with_zeros(n, b.cast(), a),
                    );
                    (plan.run(a, b, scratch, threads), n / 2 + 1, false)
                }
                (LineKind::ToReal, Some(twiddles)) => {
                    load(a, false, n / 2 + 1);
                    V::run(
                        #[inline(always)]
                        || real::to_packed(n / 2, twiddles, a, b),
                    );
                    (plan.run(b, a, scratch, threads), n, true)
                }
                (LineKind::ToReal, None) => {
                    load(b, true, n / 2 + 1);
                    V::run(
                        #[inline(always)]
                        || real::whole_spectrum(n, b, a),
                    );
                    let done = plan.run(a, b, scratch, threads);
                    let to = other(done).cast::<V>();
                    V::run(
                        #[inline(always)]
                        || real::imaginary_parts(n, done, to),
                    );
                    (to.cast(), n, false)
                }
            };
            V::run(
                #[inline(always)]
                || {
                    if let LineKind::RealToComplex { is_inverse } = self.kind {
                        real::mirror(n, is_inverse, result);
                        return to.store(result.cast::<V>(), n, false, self.factor);
                    }
                    to.store(result.cast::<V>(), length, swaps, self.factor)
                },
            );
            to.are_finite(shows_all)
        }
    }
}

impl GroupSide {
    /// Bytes of a number.
    fn size(&self) -> usize {
        if self.is_single { 4 } else { 8 }
    }

    /// Whether the elements of a line are adjacent.
    fn is_dense(&self) -> bool {
        self.step == (self.size() * self.unit) as isize
    }

    /// Whether the lines' elements are adjacent.
    #[inline(always)]
    fn is_across<V: Lanes>(&self) -> bool {
        let apart = self.size() * self.unit;
        self.count == V::COUNT
            && V::COUNT > 1
            && (1..V::COUNT).all(|l| self.lines[l] == self.lines[0].wrapping_add(l * apart))
    }

    /// Reads adjacent numbers.
    ///
    /// # Safety
    /// As [`Lanes::read`].
    #[inline(always)]
    unsafe fn read<V: Lanes>(&self, at: *const u8) -> V {
        // SAFETY: the caller's contract.
        unsafe { if self.is_single { V::read_single(at.cast()) } else { V::read(at.cast()) } }
    }

    /// Writes adjacent numbers.
    ///
    /// # Safety
    /// As [`Lanes::write`].
    #[inline(always)]
    unsafe fn write<V: Lanes>(&self, x: V, at: *mut u8) {
        // SAFETY: the caller's contract.
        unsafe { if self.is_single { x.write_single(at.cast()) } else { x.write(at.cast()) } }
    }

    /// Whether the first `elements` of each line are finite.
    ///
    /// # Safety
    /// The elements can be read.
    unsafe fn are_finite(&self, elements: usize) -> bool {
        let part_bytes = self.size() as isize;
        self.lines[..self.count].iter().all(|line| {
            (0..elements * self.unit).all(|i| {
                let at =
                    line.wrapping_offset((i / self.unit) as isize * self.step + (i % self.unit) as isize * part_bytes);
                // SAFETY: the caller's contract.
                unsafe { self.read::<f64>(at) }.is_finite()
            })
        })
    }

    /// Reads `elements` of each line as vectors of numbers, and zeros up to `total`.
    ///
    /// # Safety
    /// The elements can be read, and there is room for `total` and a vector more.
    #[inline(always)]
    unsafe fn load<V: Lanes>(&self, to: *mut V, elements: usize, total: usize, swaps: bool) {
        let (size, unit, swap) = (self.size(), self.unit, usize::from(swaps));
        let elements = elements.min(total);
        // SAFETY: the caller's contract.
        unsafe {
            let mut done = 0;
            if self.step == (size * unit) as isize {
                let numbers = elements * unit;
                while done + V::COUNT <= numbers {
                    let mut tile = [V::splat(0.0); MAX_LANES];
                    for (row, line) in tile[..V::COUNT].iter_mut().zip(self.lines) {
                        *row = self.read::<V>(line.add(done * size));
                    }
                    V::transpose(tile.as_mut_ptr());
                    for (i, &numbers) in tile[..V::COUNT].iter().enumerate() {
                        *to.add((done + i) ^ swap) = numbers;
                    }
                    done += V::COUNT;
                }
                done /= unit;
            } else if self.is_across::<V>() {
                for i in 0..elements {
                    let at = self.lines[0].offset(i as isize * self.step);
                    if unit == 1 {
                        *to.add(i) = self.read::<V>(at);
                    } else {
                        let (re, im) = V::deinterleave(self.read::<V>(at), self.read::<V>(at.add(V::COUNT * size)));
                        *to.add((2 * i) ^ swap) = re;
                        *to.add((2 * i + 1) ^ swap) = im;
                    }
                }
                done = elements;
            }
            for i in done..elements {
                for part in 0..unit {
                    let to = to.add((i * unit + part) ^ swap).cast::<f64>();
                    for l in 0..V::COUNT {
                        let at = self.lines[l].offset(i as isize * self.step + (part * size) as isize);
                        *to.add(l) = if self.is_single { f64::read_single(at.cast()) } else { f64::read(at.cast()) };
                    }
                }
            }
            for i in elements * unit..total * unit {
                *to.add(i) = V::splat(0.0);
            }
        }
    }

    /// Writes elements of each line, multiplied by a factor.
    ///
    /// # Safety
    /// The elements can be written, and there are as many vectors.
    #[inline(always)]
    unsafe fn store<V: Lanes>(&self, from: *const V, elements: usize, swaps: bool, factor: f64) {
        let (size, unit, swap, factors) = (self.size(), self.unit, usize::from(swaps), V::splat(factor));
        // SAFETY: the caller's contract.
        unsafe {
            let mut done = 0;
            if self.step == (size * unit) as isize {
                let numbers = elements * unit;
                while done + V::COUNT <= numbers {
                    let mut tile = [factors; MAX_LANES];
                    for (i, numbers) in tile[..V::COUNT].iter_mut().enumerate() {
                        *numbers = *from.add((done + i) ^ swap) * factors;
                    }
                    V::transpose(tile.as_mut_ptr());
                    for (row, line) in tile[..self.count.min(V::COUNT)].iter().zip(self.lines) {
                        self.write(*row, line.add(done * size));
                    }
                    done += V::COUNT;
                }
                done /= unit;
            } else if self.is_across::<V>() {
                for i in 0..elements {
                    let at = self.lines[0].offset(i as isize * self.step);
                    if unit == 1 {
                        self.write(*from.add(i ^ swap) * factors, at);
                    } else {
                        let (re, im) = (*from.add((2 * i) ^ swap) * factors, *from.add((2 * i + 1) ^ swap) * factors);
                        let (re, im) = V::interleave(re, im);
                        self.write(re, at);
                        self.write(im, at.add(V::COUNT * size));
                    }
                }
                done = elements;
            }
            for i in done..elements {
                for part in 0..unit {
                    let numbers = *from.add((i * unit + part) ^ swap) * factors;
                    for l in 0..self.count {
                        let x = *(&raw const numbers).cast::<f64>().add(l);
                        let at = self.lines[l].offset(i as isize * self.step + (part * size) as isize);
                        self.write(x, at);
                    }
                }
            }
        }
    }
}
