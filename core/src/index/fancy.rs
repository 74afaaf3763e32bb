//! Fancy indexing: reading and writing the elements at arrays of positions and masks, as in `a[i, j]`, `a[:, i]`, `a[mask, 0]`.
//!
//! Any such index becomes one array of byte offsets: each position times its axis's stride, summed over the indexed axes. A negative
//! position counts from the end. Positions are checked at once, because a position out of bounds is an error of the call with the
//! index, and become offsets under the same lock, so that no thread changes them in between. Offsets are private to the index. Those
//! of many positions that are not negative are recorded and computed from the version that was checked, unless code outside can write
//! the positions; all others are computed at once, from one load of each position. A read is then a gather at the offsets and a write
//! a scatter, and both are recorded like any statement. A few dense rows are copied at once instead, by [`crate::index::take_rows`].
//!
//! If a write names an element twice, the last value is stored. Which value is last follows from the order in which NumPy visits
//! the arrays, so writes here have NumPy's order.

use crate::array::array::Array;
use crate::array::layout::{
    CowStrides, Index, Layout, MAX_DIMS, Order, Shape, Strides, broadcast, byte_count, c_strides, check_indexed_ndim,
    count, same_shape,
};
use crate::array::result_order;
use crate::array::strided_view::StridedView;
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::host::count_true::count_true;
use crate::host::interpreter_lock::run_over;
use crate::index::mask_device::positions_on_device;
use crate::index::mask_loops::write_positions;
use crate::index::take_rows;
use crate::index::take_rows::{RowItems, check_bounds};
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::eager::runs_eagerly;
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::{recording, runtime};
use crate::runtime::record::DenseStatement;
use fastnp_codegen::{DType, Op, Scalar};
use smallvec::SmallVec;

/// Positions in shared memory that are copied together, before they are checked: a few pages of the first-level cache.
const COPIED_POSITIONS: usize = 1024;

/// One item of an index.
#[derive(Clone)]
pub enum IndexPart {
    /// An integer, a slice, a new axis or an ellipsis: basic indexing.
    Basic(Index),
    /// An array of positions along one axis.
    Positions(Array),
    /// A boolean array over as many axes as it has. It stands for the positions where it is true.
    Mask(Array),
}

/// An axis that is indexed by an array.
struct IndexedAxis {
    /// The positions, int64.
    positions: Array,
    /// The strides of the array as the user passed it. The result's strides follow their order.
    strides: Strides,
    extent: usize,
    step: isize,
}

/// An array with a fancy index, ready to be read or written.
pub struct FancyIndex {
    pub(super) array: Array,
    /// The layout of the axes with basic indexing, with every array-indexed axis at position zero.
    pub(super) basic: Layout,
    indexed: SmallVec<[IndexedAxis; 2]>,
    /// The byte offset of each indexed element from the first element of `basic`: int64, in row-major order.
    pub(super) offsets: Array,
    /// The shape that the position arrays broadcast to.
    pub(super) shape: Shape,
    /// Which axis of the result is the first of the position arrays' axes.
    pub(super) insert_at: usize,
}

impl Array {
    /// Applies an index that has arrays among its items.
    ///
    /// # Errors
    /// `IndexError` for positions out of bounds, too many items, masks of another shape and arrays that do not broadcast;
    /// `Unsupported` for masks without axes and positions that are not integers.
    ///
    /// ```
    /// use fastnp::{Array, IndexPart};
    /// let a = Array::arange(9).reshape(&[3, 3])?;
    /// let (i, j) = (Array::from(vec![0i64, -1]), Array::from(vec![2i64, 0]));
    /// let corners = a.fancy_index(&[IndexPart::Positions(i), IndexPart::Positions(j)])?;
    /// assert_eq!(corners.get()?.to_vec::<i64>()?, [2, 6]);
    /// corners.set(7.into())?;
    /// assert_eq!(a.to_vec::<i64>()?, [0, 1, 7, 3, 4, 5, 7, 7, 8]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn fancy_index(&self, parts: &[IndexPart]) -> Result<FancyIndex> {
        self.fancy_index_with(parts, false)
    }

    /// [`Array::fancy_index`], with the offsets computed at once where `is_eager`: for what reads them as soon as it has them.
    pub(super) fn fancy_index_with(&self, parts: &[IndexPart], is_eager: bool) -> Result<FancyIndex> {
        let found = ParsedIndex::of(self, parts)?;
        let shape = found.shape()?;
        // NumPy's iterator has `MAX_DIMS` operands, and one of them is the array itself.
        let many = found.indexed.len() >= MAX_DIMS && found.basic.size() == 1;
        if many {
            return Err(Error::index("too many arrays of positions"));
        }
        check_indexed_ndim(shape.len() + found.basic.ndim())?;
        let offsets = found.offsets(&shape, is_eager)?;
        let ParsedIndex { basic, indexed, insert_at } = found;
        Ok(FancyIndex { array: self.clone(), basic, indexed, offsets, shape, insert_at })
    }

    /// The elements, or rows along the first axis, at positions in one array: `self[positions]`.
    ///
    /// # Errors
    /// As [`Array::fancy_index`].
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(5);
    /// assert_eq!(a.at(&Array::from_slice(&[3i64, -1, 3], &[3])?)?.to_vec::<i64>()?, [3, 4, 3]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn at(&self, positions: &Array) -> Result<Array> {
        check_indexed_ndim((positions.ndim() + self.ndim()).saturating_sub(1))?;
        match take_rows::take(self, positions)? {
            Some(taken) => Ok(taken),
            None => self.fancy_index(&[IndexPart::Positions(positions.clone())])?.get(),
        }
    }

    /// `self[positions] = value`.
    ///
    /// # Errors
    /// As [`Array::fancy_index`] and [`FancyIndex::set`].
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(5);
    /// a.set_at(&Array::from(vec![1i64, 3, 1]), (&Array::from(vec![7i64, 8, 9])).into())?;
    /// assert_eq!(a.to_vec::<i64>()?, [0, 9, 2, 8, 4]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn set_at(&self, positions: &Array, value: Value<'_>) -> Result<()> {
        if take_rows::put(self, positions, value)? {
            return Ok(());
        }
        self.fancy_index(&[IndexPart::Positions(positions.clone())])?.set(value)
    }

    /// The elements at positions along an axis, as NumPy's `take`. The result is row-major.
    ///
    /// # Errors
    /// As [`Array::fancy_index`]; `AxisError`.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(6).reshape(&[2, 3])?;
    /// let last = Array::from(vec![-1i64]);
    /// assert_eq!(a.take(&last, 1)?.to_vec::<i64>()?, [2, 5]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn take(&self, positions: &Array, axis: usize) -> Result<Array> {
        if axis == 0
            && let Some(taken) = take_rows::take(self, positions)?
        {
            return Ok(taken);
        }
        let mut parts: Vec<IndexPart> = vec![IndexPart::Basic((..).into()); axis];
        parts.push(IndexPart::Positions(positions.clone()));
        let index = self.fancy_index(&parts)?;
        let shape = index.result_shape();
        index.gather(&shape, c_strides(&shape, self.dtype().size()))
    }

    /// Writes the coordinates of mask bytes that are not zero, one row each. `self` has the mask's shape, and any number of axes but one.
    fn write_coordinates(&self, flags: &[u8], mut out: &mut [i64]) {
        let row = self.shape().last().copied().unwrap_or(1).max(1);
        let mut lead: SmallVec<[i64; 4]> = SmallVec::from_elem(0, self.ndim().saturating_sub(1));
        let mut found = vec![0; row];
        for flags in flags.chunks(row) {
            let many = write_positions(flags, &mut found);
            let (rows, rest) = std::mem::take(&mut out).split_at_mut(many * self.ndim());
            out = rest;
            for (row, &position) in rows.chunks_mut(self.ndim().max(1)).zip(&found) {
                row[..lead.len()].copy_from_slice(&lead);
                row[lead.len()] = position;
            }
            for axis in (0..lead.len()).rev() {
                lead[axis] += 1;
                if lead[axis] < self.shape()[axis] as i64 {
                    break;
                }
                lead[axis] = 0;
            }
        }
    }

    /// The coordinates of the elements that are not zero: one row each, one column per axis.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::from_slice(&[0.0, 5.0, 6.0, 0.0], &[2, 2])?;
    /// assert_eq!(a.nonzero()?.to_vec::<i64>()?, [0, 1, 1, 0]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn nonzero(&self) -> Result<Array> {
        let mask = match self.dtype() == DType::Bool && self.is_c_contiguous() {
            true => self.clone(),
            false => self.cast_order(DType::Bool, Order::C)?,
        };
        if self.ndim() > 0
            && let Some(positions) = positions_on_device(&mask)?
        {
            return Ok(positions);
        }
        // Locked from the count to the end, as the result has as many rows as were counted.
        let mut runtime = runtime();
        let flags = Eager::unlimited(&mut runtime).read_stable(&mask)?;
        // SAFETY: the runtime stays locked. Booleans are read as bytes.
        let flags = unsafe { flags.elements::<u8>() };
        let (found, ndim) = (run_over(flags.len(), || count_true(flags)), self.ndim());
        let shape = [found, ndim];
        let (storage, to) = runtime.allocate(found * ndim * size_of::<i64>())?;
        // SAFETY: the memory is new and has this size. Any bits are valid integers.
        let out = unsafe { std::slice::from_raw_parts_mut(to.cast::<i64>(), found * ndim) };
        run_over(flags.len().max(size_of_val(out)), || match ndim {
            1 => {
                write_positions(flags, out);
            }
            _ => self.write_coordinates(flags, out),
        });
        let layout = Layout::dense(&shape, size_of::<i64>());
        Ok(Array { storage, layout, dtype: DType::I64, writeable: true })
    }
}

/// An index split into its basic part and its array-indexed axes.
struct ParsedIndex {
    basic: Layout,
    indexed: SmallVec<[IndexedAxis; 2]>,
    insert_at: usize,
}

impl ParsedIndex {
    /// The shape that the position arrays broadcast to.
    fn shape(&self) -> Result<Shape> {
        let shapes: SmallVec<[&[usize]; 2]> = self.indexed.iter().map(|i| i.positions.shape()).collect();
        broadcast(&shapes).map_err(|e| Error::index(e.message()))
    }

    /// The byte offset of each indexed element.
    fn offsets(&self, shape: &[usize], is_eager: bool) -> Result<Array> {
        let n = count(shape);
        if self.indexed.is_empty() {
            return Ok(Array::zeros(shape, DType::I64));
        }
        // Rows and small results are copied at once and need offsets in memory. Other offsets are recorded, and fuse with the gather.
        if let [only] = &self.indexed[..]
            && !is_eager
            && self.basic.size() == 1
            && !runs_eagerly(n, size_of::<i64>())
            && same_shape(only.positions.shape(), shape)
            && let Some(offsets) = only.record_offsets()?
        {
            return Ok(offsets);
        }
        let positions: SmallVec<[Array; 2]> =
            self.indexed.iter().map(|axis| axis.positions_over(shape)).collect::<Result<_>>()?;
        let mut runtime = runtime();
        let (storage, address) = runtime.allocate(n * size_of::<i64>())?;
        if n > 0 {
            // An empty array of positions cannot be out of bounds, whatever the extent.
            // SAFETY: the memory is new and has this size. Any bits are valid integers, and the first axis overwrites all of them.
            let offsets = unsafe { std::slice::from_raw_parts_mut(address.cast::<i64>(), n) };
            let mut gate = Eager::unlimited(&mut runtime);
            for (k, (axis, positions)) in self.indexed.iter().zip(&positions).enumerate() {
                let start = gate.read_flushed(&positions.storage)?.wrapping_offset(positions.layout.offset);
                run_over(size_of_val(offsets), || axis.add_offsets(positions, start.cast(), offsets, k == 0))?;
            }
        }
        let layout = Layout { shape: shape.into(), strides: c_strides(shape, size_of::<i64>()), offset: 0 };
        Ok(Array { storage, layout, dtype: DType::I64, writeable: true })
    }

    fn of(array: &Array, parts: &[IndexPart]) -> Result<ParsedIndex> {
        let parts = &masks_to_positions(array, parts)?[..];
        let used = parts.iter().filter(|p| !matches!(p, IndexPart::Basic(Index::NewAxis | Index::Ellipsis))).count();
        let views: SmallVec<[Index; 4]> = parts
            .iter()
            .map(|part| match part {
                IndexPart::Basic(index) => *index,
                IndexPart::Positions(_) | IndexPart::Mask(_) => (..).into(),
            })
            .collect();
        let all = array.layout().index(&views)?;
        let mut basic = Layout { shape: Shape::new(), strides: Strides::new(), offset: all.offset };
        let mut indexed = SmallVec::new();
        // As in NumPy, an integer counts as an array of positions when the place of the result's axes is decided.
        let (mut first_run, mut runs, mut inside, mut axis) = (0, 0, false, 0);
        for part in parts {
            let joins = matches!(part, IndexPart::Positions(_) | IndexPart::Basic(Index::At(_)));
            if joins && !inside {
                runs += 1;
                if runs == 1 {
                    first_run = basic.ndim();
                }
            }
            inside = joins;
            let axes = match part {
                IndexPart::Positions(positions) => {
                    indexed.push(IndexedAxis::new(positions, all.shape[axis], all.strides[axis])?);
                    axis += 1;
                    continue;
                }
                IndexPart::Basic(Index::At(_)) | IndexPart::Mask(_) => 0,
                IndexPart::Basic(Index::Ellipsis) => array.ndim() - used,
                IndexPart::Basic(Index::Range(..) | Index::NewAxis) => 1,
            };
            basic.shape.extend_from_slice(&all.shape[axis..axis + axes]);
            basic.strides.extend_from_slice(&all.strides[axis..axis + axes]);
            axis += axes;
        }
        basic.shape.extend_from_slice(&all.shape[axis..]);
        basic.strides.extend_from_slice(&all.strides[axis..]);
        let insert_at = if runs == 1 { first_run } else { 0 };
        Ok(ParsedIndex { basic, indexed, insert_at })
    }
}

/// The items with every mask replaced by its positions along each of its axes.
fn masks_to_positions(array: &Array, parts: &[IndexPart]) -> Result<SmallVec<[IndexPart; 4]>> {
    let uses = |part: &IndexPart| match part {
        IndexPart::Basic(Index::NewAxis | Index::Ellipsis) => 0,
        IndexPart::Basic(Index::At(_) | Index::Range(..)) | IndexPart::Positions(_) => 1,
        IndexPart::Mask(mask) => mask.ndim(),
    };
    let used: usize = parts.iter().map(uses).sum();
    if used > array.ndim() {
        return Err(Error::index("too many indices for array"));
    }
    let mut out = SmallVec::new();
    let mut axis = 0;
    for part in parts {
        let IndexPart::Mask(mask) = part else {
            axis += if matches!(part, IndexPart::Basic(Index::Ellipsis)) { array.ndim() - used } else { uses(part) };
            out.push(part.clone());
            continue;
        };
        if mask.ndim() == 0 {
            return Err(Error::unsupported("a mask without axes"));
        }
        if *mask.shape() != array.shape()[axis..axis + mask.ndim()] {
            return Err(Error::index("boolean index did not match indexed array"));
        }
        axis += mask.ndim();
        let found = mask.nonzero()?;
        for column in 0..mask.ndim() {
            out.push(IndexPart::Positions(found.index(&[(..).into(), Index::At(column as isize)])?));
        }
    }
    Ok(out)
}

impl IndexedAxis {
    fn new(positions: &Array, extent: usize, step: isize) -> Result<IndexedAxis> {
        if !positions.dtype().is_integer() {
            return Err(Error::unsupported("positions that are not integers"));
        }
        let strides = Strides::from_slice(positions.strides());
        let positions = match positions.dtype() == DType::I64 {
            true => positions.clone(),
            false => positions.cast(DType::I64)?,
        };
        Ok(IndexedAxis { positions, strides, extent, step })
    }

    /// Records the offsets of dense positions of which none is negative: they are best computed in the kernel that uses them. `None` for
    /// other positions, and for those that code outside can write before the kernel runs.
    ///
    /// # Errors
    /// `IndexError` for a position out of bounds, `MemoryError`.
    fn record_offsets(&self) -> Result<Option<Array>> {
        let positions = &self.positions;
        if !positions.is_c_contiguous() {
            return Ok(None);
        }
        // Locked from the check until the offsets are recorded, which then are those of the version that was checked.
        let mut runtime = recording()?;
        if positions.storage.is_shared() {
            return Ok(None);
        }
        let checked = Eager::unlimited(&mut runtime).read_stable(positions)?;
        // SAFETY: the runtime stays locked, and the positions are int64.
        if !check_bounds(unsafe { checked.elements() }, self.extent as i64)? {
            return Ok(None);
        }
        let layout = Layout::dense(positions.shape(), size_of::<i64>());
        let storage = runtime.trace.new_storage(positions.size() * size_of::<i64>()).into();
        let offsets = Array { storage, layout, dtype: DType::I64, writeable: true };
        let step = [Scalar::new(DType::I64, self.step as i64)];
        let args = [positions.into(), step[0].into()];
        let (op, compute) = (Operation::Apply(Op::Multiply), DType::I64);
        let result = &offsets;
        runtime.record_dense(DenseStatement { op, compute, args: &args, numbers: &step, result, covers: true })?;
        Ok(Some(offsets))
    }

    /// The positions broadcast to a shape, dense.
    fn positions_over(&self, shape: &[usize]) -> Result<Array> {
        let p = &self.positions;
        match p.is_c_contiguous() && same_shape(p.shape(), shape) {
            true => Ok(p.clone()),
            false => p.broadcast_to(shape)?.copy(Order::C),
        }
    }

    /// Adds the byte offset of each of the dense positions, or stores it if this is the first axis. Each position is read once, so the
    /// value that is checked is the value that is used, also if other code writes the memory meanwhile. `start` is the address of the
    /// first position, from the gate.
    fn add_offsets(&self, positions: &Array, start: *const i64, offsets: &mut [i64], first: bool) -> Result<()> {
        let (n, step) = (self.extent as i64, self.step as i64);
        let mut outside = false;
        let mut add = |offsets: &mut [i64], positions: &[i64]| {
            let mut offset = |i: i64| {
                let i = i.wrapping_add(n & i >> 63);
                outside |= i as u64 >= n as u64;
                i.wrapping_mul(step)
            };
            if first {
                offsets.iter_mut().zip(positions).for_each(|(o, &i)| *o = offset(i));
            } else {
                offsets.iter_mut().zip(positions).for_each(|(o, &i)| *o = o.wrapping_add(offset(i)));
            }
        };
        if positions.storage.is_shared() {
            let mut copy = [0; COPIED_POSITIONS];
            for (k, offsets) in offsets.chunks_mut(COPIED_POSITIONS).enumerate() {
                let copy = &mut copy[..offsets.len()];
                // SAFETY: the array is dense, evaluated int64, one for each offset. Code outside may write them meanwhile; then the copy
                // has the old or the new ones.
                unsafe {
                    std::ptr::copy_nonoverlapping(start.add(k * COPIED_POSITIONS), copy.as_mut_ptr(), copy.len())
                };
                add(offsets, std::hint::black_box(copy));
            }
        } else {
            // SAFETY: as above; only threads that lock the runtime can write them.
            add(offsets, unsafe { std::slice::from_raw_parts(start, offsets.len()) });
        }
        if outside { Err(Error::index("index out of bounds")) } else { Ok(()) }
    }
}

/// The byte offset of an indexed element, by its number. Bounds were checked when the offsets were computed.
fn offset_at(offsets: *const u8) -> impl Fn(usize) -> isize {
    let offsets = offsets.cast::<i64>();
    // SAFETY: callers pass the array of offsets, evaluated, which has one for each index and lives while they copy.
    move |k| unsafe { *offsets.add(k) as isize }
}

impl FancyIndex {
    /// The shape of the result of a read, which is the shape that a written value broadcasts to.
    pub fn result_shape(&self) -> Shape {
        self.merged(&self.shape, &self.basic.shape)
    }

    /// Merges what belongs to the position arrays' axes with what belongs to the basic axes, in the order of the result's axes.
    fn merged<T: Copy>(&self, indexed: &[T], rest: &[T]) -> SmallVec<[T; 4]>
    where
        [T; 4]: smallvec::Array<Item = T>,
    {
        rest[..self.insert_at].iter().chain(indexed).chain(&rest[self.insert_at..]).copied().collect()
    }

    /// Reads the elements into a new array.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn get(&self) -> Result<Array> {
        self.gather(&self.result_shape(), self.result_strides())
    }

    fn gather(&self, shape: &[usize], strides: Strides) -> Result<Array> {
        if count(shape) > 0
            && let Some(rows) = self.as_rows(&strides)
        {
            return self.gather_now(shape, strides, rows);
        }
        let target = Array::fresh(shape, strides, self.array.dtype())?;
        if target.size() == 0 {
            return Ok(target);
        }
        let offsets = &self.offsets;
        let (zeros, basic_zeros) = self.zero_strides();
        let inputs = [
            Input::Memory(self.view(&self.array, self.basic.offset, self.merged(&zeros, &self.basic.strides))),
            Input::Memory(self.view(offsets, 0, self.merged(offsets.strides(), &basic_zeros))),
        ];
        recording()?.submit(&Statement {
            op: Operation::Gather,
            compute: self.array.dtype(),
            domain: shape,
            reduced: 0,
            inputs: &inputs,
            target: target.over(shape),
            covers: true,
        })?;
        Ok(target)
    }

    /// Sees the basic part as rows of evenly spaced items, both here and in an array of the result's shape; returns the items and that
    /// array's stride from row to row. `None` if the layout is no such row, or if recording is faster: many single elements.
    fn as_rows(&self, strides: &[isize]) -> Option<(RowItems, isize)> {
        let size = self.array.dtype().size();
        let (at, end) = (self.insert_at, self.insert_at + self.shape.len());
        let is_small = runs_eagerly(self.offsets.size() * self.basic.size(), size);
        let target_strides = strides[..at].iter().chain(&strides[end..]);
        let mut axes =
            self.basic.shape.iter().zip(&self.basic.strides).zip(target_strides).filter(|((n, _), _)| **n != 1);
        let dense = self.basic.is_c_contiguous(size)
            && at == 0
            && strides[end..]
                .iter()
                .zip(&self.basic.strides)
                .zip(&self.basic.shape)
                .all(|((a, b), &n)| a == b || n == 1);
        let items = match (axes.next(), axes.next()) {
            _ if dense => RowItems { bytes: self.basic.size() * size, count: 1, strides: (0, 0) },
            (Some(((&n, &own), &other)), None) => RowItems { bytes: size, count: n, strides: (own, other) },
            _ => return None,
        };
        if !is_small && items.bytes <= take_rows::MAX_ELEMENT_BYTES {
            return None;
        }
        // The position arrays' axes must have one stride when they are flattened.
        let row = strides[at..end].iter().zip(&self.shape).rev().find(|(_, n)| **n != 1).map_or(0, |(s, _)| *s);
        let even = c_strides(&self.shape, 1)
            .iter()
            .zip(&strides[at..end])
            .zip(&self.shape)
            .all(|((&c, &s), &n)| n == 1 || s == c * row);
        even.then_some((items, row))
    }

    /// Copies the rows to a new array at once.
    fn gather_now(&self, shape: &[usize], strides: Strides, (items, step): (RowItems, isize)) -> Result<Array> {
        let dtype = self.array.dtype();
        let mut runtime = runtime();
        let mut gate = Eager::unlimited(&mut runtime);
        let from = gate.read_flushed(&self.array.storage)?.wrapping_offset(self.basic.offset);
        let offset = offset_at(gate.read_flushed(&self.offsets.storage)?);
        let storage = gate.create(byte_count(shape, dtype.size())?, |_, to| {
            let addresses = |k: usize| (from.wrapping_offset(offset(k)), to.wrapping_offset(k as isize * step));
            // SAFETY: the array is evaluated, its offsets were checked, and the target is new and has room for all rows.
            unsafe { take_rows::copy(self.offsets.size(), items, addresses) };
            Ok(())
        })?;
        let layout = Layout { shape: Shape::from_slice(shape), strides, offset: 0 };
        Ok(Array { storage, layout, dtype, writeable: true })
    }

    /// Copies rows of an array of the same type into this one at once.
    fn scatter_now(&self, value: &Array, (items, step): (RowItems, isize)) -> Result<()> {
        let mut runtime = runtime();
        let mut gate = Eager::unlimited(&mut runtime);
        let target = gate.target_flushed(&self.array.storage)?;
        let from = gate.read_flushed(&value.storage)?.wrapping_offset(value.layout.offset);
        let offset = offset_at(gate.read_flushed(&self.offsets.storage)?);
        gate.write(target, |_, start| {
            let to = start.wrapping_offset(self.basic.offset);
            let addresses = |k: usize| (from.wrapping_offset(k as isize * step), to.wrapping_offset(offset(k)));
            let items = RowItems { strides: (items.strides.1, items.strides.0), ..items };
            // SAFETY: both arrays are evaluated and share no memory, the offsets were checked, and the value has a row for
            // each.
            unsafe { take_rows::copy(self.offsets.size(), items, addresses) };
            Ok(())
        })
    }

    /// Strides of the result in NumPy's axis order. If the basic part has more than one element, the position arrays' axes are outer
    /// to it and row-major; otherwise they have the order of the arrays of positions. Those of an empty result are zero.
    fn result_strides(&self) -> Strides {
        let size = self.array.dtype().size();
        if count(&self.shape) == 0 {
            return SmallVec::from_elem(0, self.shape.len() + self.basic.ndim());
        }
        let rest = result_order::of_one(&self.basic.shape, size, &self.basic.strides);
        let row = count(&self.basic.shape);
        let indexed = if row == 1 {
            let position_strides = self.position_strides();
            let position_strides: SmallVec<[&[isize]; 3]> = position_strides.iter().map(|s| &s[..]).collect();
            result_order::of_operands(&self.shape, size, &position_strides)
        } else {
            c_strides(&self.shape, size * row)
        };
        self.merged(&indexed, &rest)
    }

    /// The strides of the position arrays, broadcast to their common shape.
    fn position_strides(&self) -> SmallVec<[Strides; 3]> {
        self.indexed
            .iter()
            .map(|i| {
                let layout = Layout { strides: i.strides.clone(), ..i.positions.layout.clone() };
                layout.strides_over(&self.shape)
            })
            .collect()
    }

    /// Zero strides along the position arrays' axes, and along the basic axes.
    fn zero_strides(&self) -> (Strides, Strides) {
        (SmallVec::from_elem(0, self.shape.len()), SmallVec::from_elem(0, self.basic.ndim()))
    }

    fn view<'a>(&self, array: &'a Array, offset: isize, strides: Strides) -> StridedView<'a> {
        StridedView { storage: &array.storage, dtype: array.dtype(), offset, strides: CowStrides::Owned(strides) }
    }

    /// Writes a value, cast and broadcast. If an element is named twice, the last value is stored.
    ///
    /// # Errors
    /// `ValueError` where the array is read-only or the value's shape does not fit, `Unsupported` where elements of the array share
    /// memory, `OverflowError` for an integer out of bounds, `MemoryError`.
    pub fn set(&self, value: Value<'_>) -> Result<()> {
        self.array.check_target("assignment destination is read-only")?;
        let shape = self.result_shape();
        let number = value.scalar(self.array.dtype())?;
        let value = match value {
            Value::Array(v) => Some(self.broadcast_value(v, &shape)?),
            Value::Scalar(_) | Value::Int(_) | Value::Float(_) | Value::Complex(_) => None,
        };
        if count(&shape) == 0 {
            return Ok(());
        }
        let offsets = &self.offsets;
        let at = self.insert_at..self.insert_at + self.shape.len();
        // The value's strides, those along the position arrays' axes first.
        let (steps, rest): (Strides, Strides) = match &value {
            Some(v) => {
                let s = v.strides();
                (s[at.clone()].into(), s[..at.start].iter().chain(&s[at.end..]).copied().collect())
            }
            None => self.zero_strides(),
        };
        let order = self.order(&steps);
        if let Some(v) = &value
            && v.dtype() == self.array.dtype()
            && order.iter().enumerate().all(|(i, o)| *o == (i, false))
            && let Some(rows) = self.as_rows(v.strides())
        {
            return self.scatter_now(v, rows);
        }
        let mut domain: Shape = order.iter().map(|o| self.shape[o.0]).collect();
        domain.extend_from_slice(&self.basic.shape);
        let reordered = |array: &Array, along: &[isize], rest: &[isize]| -> (isize, Strides) {
            let mut offset = array.layout.offset;
            let mut strides = Strides::new();
            for &(axis, backwards) in &order {
                offset += if backwards { along[axis] * (self.shape[axis] as isize - 1) } else { 0 };
                strides.push(if backwards { -along[axis] } else { along[axis] });
            }
            strides.extend_from_slice(rest);
            (offset, strides)
        };
        let (zeros, basic_zeros) = self.zero_strides();
        let (offset, strides) = reordered(offsets, offsets.strides(), &basic_zeros);
        let offsets = Input::Memory(self.view(offsets, offset, strides));
        let source = match (&value, number) {
            (Some(v), _) => {
                let (offset, strides) = reordered(v, &steps, &rest);
                Input::Memory(self.view(v, offset, strides))
            }
            (None, Some(number)) => Input::Scalar(number.cast(self.array.dtype())),
            (None, None) => return Err(Error::unsupported("a scalar without a type")),
        };
        let target = zeros.iter().chain(&self.basic.strides).copied().collect();
        recording()?.submit(&Statement {
            op: Operation::Scatter,
            compute: self.array.dtype(),
            domain: &domain,
            reduced: 0,
            inputs: &[source, offsets],
            target: self.view(&self.array, self.basic.offset, target),
            covers: false,
        })
    }

    /// A value broadcast to the shape that is written, in memory that the array does not share.
    fn broadcast_value(&self, value: &Array, shape: &[usize]) -> Result<Array> {
        let value = match value.may_share_memory(&self.array) {
            true => value.copy(Order::A)?,
            false => value.clone(),
        };
        let value = value.without_leading_ones(shape.len()).unwrap_or(value);
        if same_shape(value.shape(), shape) { Ok(value) } else { value.broadcast_to(shape) }
    }

    /// The position arrays' axes in the order NumPy visits them in a write, each with whether it is visited backwards.
    ///
    /// A basic part of more than one element is written index by index in row-major order. Otherwise NumPy's iterator orders the axes by
    /// the strides of the position arrays and the value, and reverses an axis along which no stride is positive. One array of one axis
    /// is always visited forwards: NumPy documents that order.
    fn order(&self, value: &[isize]) -> SmallVec<[(usize, bool); 4]> {
        let ndim = self.shape.len();
        if count(&self.basic.shape) != 1 || (self.indexed.len() == 1 && ndim <= 1) {
            return (0..ndim).map(|axis| (axis, false)).collect();
        }
        let mut position_strides = self.position_strides();
        position_strides.push(value.into());
        let steps: SmallVec<[&[isize]; 4]> = position_strides.iter().map(|s| &s[..]).collect();
        let nested = result_order::of_operands(&self.shape, 1, &steps);
        let mut axes: SmallVec<[usize; 4]> = (0..ndim).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(nested[axis]));
        axes.iter()
            .map(|&axis| {
                let backwards = steps.iter().all(|s| s[axis] <= 0) && steps.iter().any(|s| s[axis] < 0);
                (axis, backwards && self.shape[axis] > 1)
            })
            .collect()
    }
}
