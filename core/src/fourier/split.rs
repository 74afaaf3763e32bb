//! One transform by many short ones (the four-step algorithm): the numbers are a matrix, whose columns are transformed, multiplied by
//! twiddle factors, and then its rows. So one transform has vectors of columns, stays in cache, and is shared among threads.

use crate::fourier::dense::DenseNumbers;
use crate::fourier::lanes::{ComplexLanes, ComplexNumber, Lanes, MAX_LANES, widths};
use crate::fourier::passes::{Passes, cost, vector_cost};
use crate::fourier::roots::Roots;
use fastnp_codegen::ThreadPool;
use smallvec::SmallVec;

/// Up to this length every twiddle factor is in a table, of a megabyte. Longer transforms make each of two factors, which costs one
/// rounding more and reads less memory.
const MAX_TWIDDLE_TABLE: usize = 1 << 16;
/// Nanoseconds for each number and step.
const SPLIT_NUMBER_NS: f64 = 2.0;

/// The most tasks that work is divided into, each of which has scratch memory of its own.
pub(crate) fn most_tasks(threads: &dyn ThreadPool) -> usize {
    (4 * threads.count()).clamp(1, 64)
}

/// How many tasks work is divided into.
pub(crate) fn tasks_of(threads: Option<&dyn ThreadPool>, nanoseconds: f64) -> usize {
    threads.map_or(1, |threads| threads.tasks(nanoseconds).clamp(1, most_tasks(threads)))
}

/// A transform by short ones: of `columns.n` by `rows.n` numbers.
pub struct Split {
    columns: Passes,
    rows: Passes,
    twiddles: TwiddleTable,
    /// Of the vectors that compute it.
    lanes: usize,
}

enum TwiddleTable {
    /// All of them, block by block, in vectors over the columns of a block.
    Table(Vec<f64>),
    /// Those of the first `coarse.1` multiples, those of multiples of `coarse.1`, and vectors of the columns of a block.
    Products { fine: Vec<ComplexNumber>, coarse: Vec<ComplexNumber>, shift: u32, lanes: Vec<f64> },
}

/// What a transform reads and writes.
#[derive(Clone, Copy)]
pub struct Endpoints {
    /// What it reads.
    pub from: DenseNumbers,
    /// What it writes.
    pub to: DenseNumbers,
    /// How many results are written, of the first ones.
    pub written: usize,
    /// What every result is multiplied by.
    pub factor: f64,
}

/// Addresses that the tasks of one step share.
#[derive(Clone, Copy)]
struct SharedNumbers<V>(*mut ComplexLanes<V>);

// SAFETY: tasks of one transform read and write disjoint parts.
unsafe impl<V> Sync for SharedNumbers<V> {}

impl<V> SharedNumbers<V> {
    fn at(&self, i: usize) -> *mut ComplexLanes<V> {
        self.0.wrapping_add(i)
    }
}

/// The divisor of `n` for the columns: the cheapest for vectors of so many lanes, and the nearest to the root of `n` of those.
fn divisor(n: usize, lanes: usize) -> Option<(usize, f64)> {
    let vectors = |n: usize| n.div_ceil(lanes) as f64;
    let total = |columns: usize| {
        let rows = n / columns;
        let passes = vectors(rows) * vector_cost(columns, lanes)? + vectors(columns) * vector_cost(rows, lanes)?;
        Some(passes + 6.0 * n as f64 / lanes as f64)
    };
    let root = n.isqrt();
    (2..=root)
        .rev()
        .filter(|&columns| n.is_multiple_of(columns))
        .flat_map(|columns| [columns, n / columns])
        .filter(|columns| columns * columns <= 4 * n)
        .filter_map(|columns| Some((columns, total(columns)?)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

impl Split {
    /// For a length with small factors; `None` where a transform as a whole is no more work.
    pub(crate) fn new(n: usize) -> Option<Split> {
        let each = widths().iter().filter_map(|&lanes| Some((lanes, divisor(n, lanes)?)));
        let (lanes, (height, cheapest)) = each.min_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
        if cheapest >= cost(n)? { None } else { Split::with_lanes(n, height, lanes) }
    }

    /// Of columns of `height` numbers, with vectors of so many lanes.
    pub fn with_lanes(n: usize, height: usize, lanes: usize) -> Option<Split> {
        let (columns, rows) = (Passes::new(height)?, Passes::new(n / height)?);
        let (blocks, roots) = (rows.n.div_ceil(lanes), Roots::new(n));
        // A vector of the real parts of some roots, and one of the imaginary parts.
        let vector = |step: usize, first: usize| {
            let each = (0..lanes).map(|l| roots.at(step * (first + l)));
            let (re, im): (SmallVec<[f64; MAX_LANES]>, SmallVec<[f64; MAX_LANES]>) = each.map(|w| (w.re, w.im)).unzip();
            re.into_iter().chain(im)
        };
        let twiddles = if n <= MAX_TWIDDLE_TABLE {
            let vectors = (0..blocks).flat_map(|block| (0..height).map(move |k| (k, block)));
            TwiddleTable::Table(vectors.flat_map(|(k, block)| vector(k, block * lanes)).collect())
        } else {
            let shift = n.ilog2() / 2;
            TwiddleTable::Products {
                fine: (0..1 << shift).map(|i| roots.at(i)).collect(),
                coarse: (0..=n >> shift).map(|i| roots.at(i << shift)).collect(),
                shift,
                lanes: (0..height).flat_map(|k| vector(k, 0)).collect(),
            }
        };
        Some(Split { columns, rows, twiddles, lanes })
    }

    /// Lanes of the vectors that compute it.
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Bytes of the tables.
    pub(crate) fn bytes(&self) -> usize {
        let own = match &self.twiddles {
            TwiddleTable::Table(all) => 8 * all.len(),
            TwiddleTable::Products { fine, coarse, lanes, .. } => 16 * (fine.len() + coarse.len()) + 8 * lanes.len(),
        };
        own + self.columns.bytes() + self.rows.bytes()
    }

    /// Numbers of the matrix between the steps, with its last block filled up.
    fn between(&self) -> usize {
        self.columns.n * self.rows.n.next_multiple_of(self.lanes)
    }

    /// Numbers that a task works in.
    fn task_room(&self) -> usize {
        2 * self.columns.n.max(self.rows.n).next_multiple_of(self.lanes) * self.lanes
    }

    /// Numbers of scratch memory for so many tasks.
    pub fn room(&self, tasks: usize) -> usize {
        self.between() + tasks * self.task_room()
    }

    /// Transforms `ends`, whose memories may be the same.
    ///
    /// # Safety
    /// Both have as many numbers as the transform, `scratch` has [`Split::room`] for `threads`' tasks, aligned for `V`, whose lanes
    /// are [`Split::lanes`]. The processor has its instructions.
    pub unsafe fn run<V: Lanes>(
        &self,
        ends: Endpoints,
        scratch: *mut ComplexLanes<V>,
        threads: Option<&dyn ThreadPool>,
    ) {
        let (columns, rows) = (self.columns.n, self.rows.n);
        let between = SharedNumbers(scratch);
        let room = SharedNumbers(scratch.wrapping_add(self.between() / V::COUNT));
        let each = self.task_room() / V::COUNT;
        let groups = [rows.div_ceil(V::COUNT), columns.div_ceil(V::COUNT)];
        let tasks = tasks_of(threads, (columns * rows) as f64 * SPLIT_NUMBER_NS);
        for (step, groups) in groups.into_iter().enumerate() {
            let in_task = groups.div_ceil(tasks);
            let task = |task: usize| {
                let own = room.at(task * each);
                for group in task * in_task..groups.min((task + 1) * in_task) {
                    // SAFETY: the caller's contract; a task has its own room, and each group its own part of the matrices.
                    unsafe {
                        V::run(
                            #[inline(always)]
                            || match step {
                                0 => self.transform_columns(group, &ends, between, own),
                                _ => self.transform_rows(group, &ends, between, own),
                            },
                        );
                    }
                }
            };
            match threads {
                Some(threads) if tasks > 1 => threads.run(tasks, &task),
                _ => (0..tasks).for_each(task),
            }
        }
    }

    /// # Safety
    /// As [`Split::run`].
    #[inline(always)]
    unsafe fn transform_columns<V: Lanes>(
        &self,
        group: usize,
        ends: &Endpoints,
        between: SharedNumbers<V>,
        own: *mut ComplexLanes<V>,
    ) {
        let (columns, rows) = (self.columns.n, self.rows.n);
        let first = group * V::COUNT;
        // SAFETY: the caller's contract; columns beyond the last are read as the last one.
        unsafe {
            for j in 0..columns {
                let row = j * rows;
                *own.add(j) = if first + V::COUNT <= rows {
                    ends.from.read(row + first)
                } else {
                    let mut x = ComplexLanes { re: V::splat(0.0), im: V::splat(0.0) };
                    for l in 0..V::COUNT {
                        let number: ComplexNumber = ends.from.read(row + (first + l).min(rows - 1));
                        *(&raw mut x.re).cast::<f64>().add(l) = number.re;
                        *(&raw mut x.im).cast::<f64>().add(l) = number.im;
                    }
                    x
                };
            }
            let done = self.columns.run(own, own.add(columns.next_multiple_of(V::COUNT)));
            match &self.twiddles {
                TwiddleTable::Table(all) => {
                    let all = all.as_ptr().cast::<f64>();
                    for k in 0..columns {
                        let at = all.add((group * columns + k) * 2 * V::COUNT);
                        let twiddle = ComplexLanes { re: V::read(at), im: V::read(at.add(V::COUNT)) };
                        *between.at(group * columns + k) = *done.add(k) * twiddle;
                    }
                }
                TwiddleTable::Products { fine, coarse, shift, lanes } => {
                    for k in 0..columns {
                        let at = lanes.as_ptr().add(k * 2 * V::COUNT);
                        let lanes = ComplexLanes { re: V::read(at), im: V::read(at.add(V::COUNT)) };
                        let i = k * first;
                        let (high, low) = (i >> shift, i & ((1 << shift) - 1));
                        let base = *coarse.get_unchecked(high) * *fine.get_unchecked(low);
                        *between.at(group * columns + k) = *done.add(k) * (ComplexLanes::splat(base) * lanes);
                    }
                }
            }
        }
    }

    /// # Safety
    /// As [`Split::run`].
    #[inline(always)]
    unsafe fn transform_rows<V: Lanes>(
        &self,
        group: usize,
        ends: &Endpoints,
        between: SharedNumbers<V>,
        own: *mut ComplexLanes<V>,
    ) {
        let (columns, rows) = (self.columns.n, self.rows.n);
        let first = group * V::COUNT;
        let blocks = rows.div_ceil(V::COUNT);
        let factor = V::splat(ends.factor);
        // SAFETY: the caller's contract; rows beyond the last are read as the last one, and not stored.
        unsafe {
            for block in 0..blocks {
                let (mut re, mut im) = ([V::splat(0.0); MAX_LANES], [V::splat(0.0); MAX_LANES]);
                for (l, (re, im)) in re.iter_mut().zip(&mut im).enumerate().take(V::COUNT) {
                    let x = *between.at(block * columns + (first + l).min(columns - 1));
                    (*re, *im) = (x.re, x.im);
                }
                V::transpose(re.as_mut_ptr());
                V::transpose(im.as_mut_ptr());
                for (l, (&re, &im)) in re.iter().zip(&im).enumerate().take(V::COUNT) {
                    *own.add(block * V::COUNT + l) = ComplexLanes { re, im };
                }
            }
            let done = self.rows.run(own, own.add(rows.next_multiple_of(V::COUNT)));
            for k in 0..rows {
                let x = (*done.add(k)).scaled(factor);
                let to = k * columns + first;
                let lanes = V::COUNT.min(columns - first).min(ends.written.saturating_sub(to));
                if lanes == V::COUNT {
                    ends.to.write(to, x);
                } else {
                    for l in 0..lanes {
                        let (re, im) =
                            (*(&raw const x.re).cast::<f64>().add(l), *(&raw const x.im).cast::<f64>().add(l));
                        ends.to.write(to + l, ComplexLanes { re, im });
                    }
                }
            }
        }
    }
}
