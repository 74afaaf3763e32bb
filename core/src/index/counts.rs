//! Counting: how often each number occurs (`bincount`), and how many fall into bins of equal width (`histogram`). It runs when called.
//!
//! An increment waits for the last one of the same number, which is often near. So elements in turn are counted in [`TABLES`] tables.

use crate::array::array::Array;
use crate::array::layout::Layout;
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::host::threads::Threads;
use crate::index::search::{dense_as, in_parts};
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::runtime;
use fastnp_codegen::host::even_bins::find_bins;
use fastnp_codegen::{DType, ThreadPool};
use parking_lot::Mutex;

/// Numbers of which the largest is looked for together.
const LANES: usize = 8;
/// Tables of counts.
const TABLES: usize = 4;
/// The most counts that are kept in several tables, which fit into the first-level cache together; and the fewest elements for each.
const MAX_TABLE: usize = 1 << 10;
const MIN_ELEMENTS: usize = 8;
/// From so many numbers on the largest is looked for block by block, and a block is counted while it is in cache: memory is read once.
const ONE_PASS_FROM: usize = 1 << 15;
const COUNTED_BLOCK: usize = 1 << 11;
/// Elements whose bins are found before they are counted; and those whose weights NumPy adds up before it adds the sum to a bin.
const BINNED_BLOCK: usize = 256;
const NUMPY_BLOCK: usize = 65_536;
/// Nanoseconds that an element takes.
const BINNING_NS: f64 = 3.0;

/// How often each number from zero on occurs, up to the largest one and at least `minimum` numbers: `int64`, or sums of `weights` in `float64`.
///
/// # Errors
/// `Unsupported` for negative numbers, for types but integers of at most 63 bits and bools, for more axes than one, and for weights of another
/// length or complex ones; `MemoryError`.
///
/// ```
/// use fastnp::{Array, bincount};
/// assert_eq!(bincount(&Array::from(vec![1i64, 3, 1]), None, 0)?.to_vec::<i64>()?, [0, 2, 0, 1]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn bincount(numbers: &Array, weights: Option<&Array>, minimum: usize) -> Result<Array> {
    let dtype = numbers.dtype();
    let is_known = (dtype.is_integer() && dtype != DType::U64) || dtype == DType::Bool;
    let fits = weights.is_none_or(|w| w.shape() == numbers.shape() && !w.dtype().is_complex());
    if !is_known || !fits || numbers.ndim() != 1 {
        return Err(Error::unsupported(format!("counts of numbers in {dtype}")));
    }
    let numbers = dense_as(numbers, DType::I64)?;
    let weights = weights.map(|weights| dense_as(weights, DType::F64)).transpose()?;
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let numbers = gate.read_stable(&numbers)?;
    let weights = weights.as_ref().map(|weights| gate.read_stable(weights)).transpose()?;
    // SAFETY: they are of these types and stay as they are while the runtime is locked.
    let (numbers, weights) = unsafe { (numbers.elements::<i64>(), weights.as_ref().map(|w| w.elements::<f64>())) };
    let bytes = size_of_val(numbers);
    let is_one_pass = weights.is_none() && numbers.len() >= ONE_PASS_FROM;
    let small = is_one_pass.then(|| run_over(bytes, || SmallNumbers::count(numbers)));
    let rest = &numbers[small.as_ref().map_or(0, |small| small.counted)..];
    let most = run_over(size_of_val(rest), || largest(rest));
    if most < -1 {
        return Err(Error::unsupported("counts of negative numbers"));
    }
    let most = small.as_ref().map_or(most, |small| most.max(small.largest));
    let length = (most.wrapping_add(1) as usize).max(minimum);
    let size = length.checked_mul(8).ok_or_else(|| Error::unsupported("counts of large numbers"))?;
    let storage = gate.create(size, |_, to| {
        // SAFETY: the new storage has so many numbers of eight bytes; zero bits are zero in both types.
        unsafe { to.write_bytes(0, size) };
        run_over(bytes, || match weights {
            None => {
                // SAFETY: as above.
                let counts = unsafe { std::slice::from_raw_parts_mut(to.cast::<i64>(), length) };
                if let Some(small) = &small {
                    small.tables.add_to(counts);
                }
                count_each(counts, rest.len(), |i| rest[i] as usize);
            }
            Some(weights) => {
                // SAFETY: as above.
                let sums = unsafe { std::slice::from_raw_parts_mut(to.cast::<f64>(), length) };
                numbers.iter().zip(weights).for_each(|(&i, &weight)| sums[i as usize] += weight);
            }
        });
        Ok(())
    })?;
    // Where there are no numbers NumPy does not look at the weights.
    let dtype = if weights.is_some() && !numbers.is_empty() { DType::F64 } else { DType::I64 };
    Ok(vector(storage, length, dtype))
}

/// The largest of numbers, -1 where there are none, and less than that if one of them is negative: then its bit of the sign is in the union of all.
fn largest(numbers: &[i64]) -> i64 {
    // Several at a time: one maximum waits for the last one (1.5 ns a number, .4 so).
    let mut most = [-1i64; LANES];
    let mut union = [0i64; LANES];
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            most[lane] = most[lane].max(chunk[lane]);
            union[lane] |= chunk[lane];
        }
    }
    let most = most.iter().chain(rest).fold(-1, |most, &i| most.max(i));
    let union = union.iter().chain(rest).fold(0, |union, &i| union | i);
    if union < 0 { i64::MIN } else { most }
}

/// Several tables of counts, whose sum counts: elements in turn are counted in different ones.
struct Tables {
    length: usize,
    counts: Vec<i64>,
}

impl Tables {
    fn new(length: usize) -> Tables {
        Tables { length, counts: vec![0; TABLES * length] }
    }

    /// Adds one to the count of each of `n` elements, which are below the length.
    #[inline(always)]
    fn count(&mut self, n: usize, bin: impl Fn(usize) -> usize) {
        let whole = n - n % TABLES;
        for i in (0..whole).step_by(TABLES) {
            for table in 0..TABLES {
                self.counts[table * self.length + bin(i + table)] += 1;
            }
        }
        (whole..n).for_each(|i| self.counts[bin(i)] += 1);
    }

    /// Adds the counts to others, which are as many or fewer if those left out are zero.
    fn add_to(&self, counts: &mut [i64]) {
        for table in self.counts.chunks_exact(self.length) {
            counts.iter_mut().zip(table).for_each(|(count, more)| *count += more);
        }
    }
}

/// Counts of the first of some numbers, up to a block with one that is negative or beyond the tables.
struct SmallNumbers {
    tables: Tables,
    counted: usize,
    largest: i64,
}

impl SmallNumbers {
    fn count(numbers: &[i64]) -> SmallNumbers {
        let mut small = SmallNumbers { tables: Tables::new(MAX_TABLE), counted: 0, largest: -1 };
        for block in numbers.chunks(COUNTED_BLOCK) {
            let most = largest(block);
            if !(0..MAX_TABLE as i64).contains(&most) {
                break;
            }
            small.tables.count(block.len(), |i| block[i] as usize);
            small.counted += block.len();
            small.largest = small.largest.max(most);
        }
        small
    }
}

/// Adds one to the count of each of `n` elements.
#[inline(always)]
fn count_each(counts: &mut [i64], n: usize, bin: impl Fn(usize) -> usize) {
    let length = counts.len();
    if n == 0 || length > MAX_TABLE || n < MIN_ELEMENTS * length {
        return (0..n).for_each(|i| counts[bin(i)] += 1);
    }
    let mut tables = Tables::new(length);
    tables.count(n, bin);
    tables.add_to(counts);
}

/// How many elements of an array fall into each of the bins between `edges`, which are evenly spaced: by NumPy's formula, corrected by
/// the edges; or the sums of their `weights`, which are as many, in row-major order. Elements outside are left out, those at the last
/// edge are in the last bin. Counts are `int64`, sums of the weights' type, which are rounded as NumPy rounds them.
///
/// # Errors
/// `Unsupported` for fewer than two edges or an infinite width, for other types than `float64`, and for weights that are not `float32` or
/// `float64`, or not of the same shape; `MemoryError`.
///
/// ```
/// use fastnp::{Array, even_histogram};
/// let edges = Array::from(vec![0.0, 1.0, 2.0]);
/// assert_eq!(even_histogram(&Array::from(vec![0.5, 1.0, 2.0, 7.0]), &edges, None)?.to_vec::<i64>()?, [1, 2]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn even_histogram(x: &Array, edges: &Array, weights: Option<&Array>) -> Result<Array> {
    let fits = weights.is_none_or(|w| w.shape() == x.shape() && matches!(w.dtype(), DType::F32 | DType::F64));
    if !fits || edges.ndim() != 1 || edges.size() < 2 || x.dtype() != DType::F64 || edges.dtype() != DType::F64 {
        return Err(Error::unsupported(format!("a histogram in {}", x.dtype())));
    }
    let dtype = weights.map_or(DType::I64, Array::dtype);
    let (x, edges) = (dense_as(x, DType::F64)?, dense_as(edges, DType::F64)?);
    let weights = weights.map(|weights| dense_as(weights, DType::F64)).transpose()?;
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let (x, edges) = (gate.read_stable(&x)?, gate.read_stable(&edges)?);
    let weights = weights.as_ref().map(|weights| gate.read_stable(weights)).transpose()?;
    // SAFETY: all are of this type and stay as they are while the runtime is locked.
    let (x, edges) = unsafe { (x.elements::<f64>(), edges.elements::<f64>()) };
    // SAFETY: as above.
    let weights = weights.as_ref().map(|weights| unsafe { weights.elements::<f64>() });
    let bins = EvenBins::new(edges).ok_or_else(|| Error::unsupported("bins of infinite width"))?;
    let size = dtype.size() * bins.count;
    let storage = gate.create(size, |_, to| {
        // SAFETY: the new storage has so many bytes; zero bits are zero in all types.
        unsafe { to.write_bytes(0, size) };
        run_over(size_of_val(x), || match (weights, dtype) {
            (None, _) => {
                // SAFETY: the storage has a number of this type for each bin.
                let counts = unsafe { std::slice::from_raw_parts_mut(to.cast::<i64>(), bins.count) };
                counts.copy_from_slice(&bins.counts(x)[..bins.count]);
            }
            (Some(weights), DType::F32) => {
                // SAFETY: as above.
                let sums = unsafe { std::slice::from_raw_parts_mut(to.cast::<f32>(), bins.count) };
                bins.add_weights(x, weights, |bin, sum| sums[bin] += sum as f32);
            }
            (Some(weights), _) => {
                // SAFETY: as above.
                let sums = unsafe { std::slice::from_raw_parts_mut(to.cast::<f64>(), bins.count) };
                bins.add_weights(x, weights, |bin, sum| sums[bin] += sum);
            }
        });
        Ok(())
    })?;
    Ok(vector(storage, bins.count, dtype))
}

/// Bins of equal width.
struct EvenBins<'a> {
    edges: &'a [f64],
    count: usize,
}

impl EvenBins<'_> {
    /// Those between edges; `None` if they have no width, or an infinite one.
    fn new(edges: &[f64]) -> Option<EvenBins<'_>> {
        let count = edges.len() - 1;
        let width = edges[count] - edges[0];
        (width > 0.0 && width.is_finite()).then_some(EvenBins { edges, count })
    }

    /// How many elements are in each bin, and outside.
    fn counts(&self, x: &[f64]) -> Vec<i64> {
        let all = Mutex::new(vec![0; self.count + 1]);
        in_parts(x.len(), BINNING_NS, |start, end| {
            let counts = self.counts_of_part(&x[start..end]);
            all.lock().iter_mut().zip(counts).for_each(|(count, more)| *count += more);
        });
        all.into_inner()
    }

    fn counts_of_part(&self, x: &[f64]) -> Vec<i64> {
        let mut counts = vec![0; self.count + 1];
        let mut found = [0; BINNED_BLOCK];
        let is_small = counts.len() <= MAX_TABLE && x.len() >= MIN_ELEMENTS * counts.len();
        let mut tables = is_small.then(|| Tables::new(counts.len()));
        for block in x.chunks(BINNED_BLOCK) {
            find_bins(self.edges, block, &mut found);
            match &mut tables {
                Some(tables) => tables.count(block.len(), |i| found[i] as usize),
                None => found[..block.len()].iter().for_each(|&bin| counts[bin as usize] += 1),
            }
        }
        if let Some(tables) = tables {
            tables.add_to(&mut counts);
        }
        counts
    }

    /// Gives the sums of weights in each bin to `add`, each of so many elements as NumPy adds up at once, in their order. Threads add up
    /// several of them.
    fn add_weights(&self, x: &[f64], weights: &[f64], mut add: impl FnMut(usize, f64)) {
        let blocks: Vec<_> = x.chunks(NUMPY_BLOCK).zip(weights.chunks(NUMPY_BLOCK)).collect();
        let at_once = Threads.tasks(x.len() as f64 * BINNING_NS).clamp(1, blocks.len().max(1));
        let sums: Vec<_> = (0..at_once).map(|_| Mutex::new(vec![0.0; self.count + 1])).collect();
        for group in blocks.chunks(at_once) {
            Threads.run(group.len(), &|task| self.sum_block(group[task].0, group[task].1, &mut sums[task].lock()));
            for sums in &sums[..group.len()] {
                sums.lock()[..self.count].iter().enumerate().for_each(|(bin, &sum)| add(bin, sum));
            }
        }
    }

    fn sum_block(&self, x: &[f64], weights: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        let mut found = [0; BINNED_BLOCK];
        for (x, weights) in x.chunks(BINNED_BLOCK).zip(weights.chunks(BINNED_BLOCK)) {
            find_bins(self.edges, x, &mut found);
            found.iter().zip(weights).for_each(|(&bin, &weight)| sums[bin as usize] += weight);
        }
    }
}

/// A new array of one axis on all of a storage.
fn vector(storage: crate::memory::storage_handle::StorageHandle, n: usize, dtype: DType) -> Array {
    Array { storage, layout: Layout::dense(&[n], dtype.size()), dtype, writeable: true }
}
