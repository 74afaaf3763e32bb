//! The rows of a launch: in which chunks they run, how many of them by one call of a loop, and where each begins.

use crate::drive::parallel::SharedLaunch;
use smallvec::SmallVec;
use std::ops::Range;

/// A launch as rows of chunks.
pub(crate) struct RowChunks<'a> {
    pub(crate) launch: SharedLaunch<'a>,
    /// The axis along which rows go, and the elements of a row.
    pub(crate) axis: Option<usize>,
    pub(crate) n: usize,
    /// Elements of a chunk, and chunks of a row.
    pub(crate) chunk: usize,
    pub(crate) chunks: usize,
    /// The axis along which a call goes from row to row, and the most rows of a call.
    pub(crate) across: Option<usize>,
    pub(crate) most: usize,
    /// Clobbered inputs to save.
    pub(crate) saved: SmallVec<[usize; 4]>,
    /// Whether the chunks of a row have to run in order.
    pub(crate) is_sequential: bool,
}

impl RowChunks<'_> {
    /// The number of units, rows or chunks, that may run in any order.
    pub(crate) fn units(&self, points: usize) -> usize {
        points / self.n * if self.is_sequential { 1 } else { self.chunks }
    }

    /// The row of a unit, and its chunks.
    #[inline]
    pub(crate) fn of(&self, unit: usize) -> (usize, Range<usize>) {
        if self.is_sequential || self.chunks == 1 {
            return (unit, 0..self.chunks);
        }
        let chunk = unit % self.chunks;
        (unit / self.chunks, chunk..chunk + 1)
    }

    /// How many of the units left, from that of a row on, one call runs.
    #[inline]
    pub(crate) fn count_from(&self, begin: &RowBegin, left: usize) -> usize {
        match self.across {
            Some(across) if self.most > 1 => {
                self.most.min(left).min(self.launch.get().outer[across] - begin.origin[across])
            }
            _ => 1,
        }
    }

    /// How many times so many rows one call runs, all those across in each: planes, and the bytes from behind one to the next.
    #[inline]
    pub(crate) fn planes_from(&self, begin: &RowBegin, count: usize, left: usize) -> (usize, isize) {
        let launch = self.launch.get();
        let Some(across) = self.across.filter(|&across| count == launch.outer[across] && self.saved.is_empty()) else {
            return (1, 0);
        };
        let Some(beyond) = launch.outer[..across].iter().rposition(|&n| n != 1) else { return (1, 0) };
        let planes =
            (left / count).min(launch.outer[beyond] - begin.origin[beyond]).min(MOST_ELEMENTS / (count * self.n));
        let strides = launch.strides_of(0);
        (planes.max(1), strides[beyond] - count as isize * strides[across])
    }
}

/// Elements of several planes that one call runs, at the most: a call takes 70 ns, and is re-executed as a whole.
const MOST_ELEMENTS: usize = 1 << 15;

/// The elements of one call: some of each of so many rows.
#[derive(Clone, Copy)]
pub(crate) struct RowSpan {
    /// The first element's place in its row, and the number of elements of a row.
    pub(crate) first: usize,
    pub(crate) len: usize,
    /// The number of rows.
    pub(crate) rows: usize,
}

/// The first element of a row. The next row's addresses are computed by adding strides. Dividing the row's number by the extents takes
/// 0.1 µs, as long as computing 200 elements.
#[derive(Clone)]
pub(crate) struct RowBegin {
    pub(crate) row: usize,
    /// The coordinates, by axis, and the addresses of the operands there.
    pub(crate) origin: SmallVec<[usize; 4]>,
    pub(crate) addresses: SmallVec<[*mut u8; 12]>,
}

impl RowBegin {
    /// The first element of the first row.
    pub(crate) fn of_first(rows: &RowChunks<'_>) -> RowBegin {
        let launch = rows.launch.get();
        let origin = SmallVec::from_elem(0, launch.outer.len());
        RowBegin { row: 0, origin, addresses: SmallVec::from_slice(launch.addresses) }
    }

    /// Goes to a later row.
    #[inline]
    pub(crate) fn advance_to(&mut self, rows: &RowChunks<'_>, row: usize) {
        let launch = rows.launch.get();
        let mut carry = row - std::mem::replace(&mut self.row, row);
        for (axis, &extent) in launch.outer.iter().enumerate().rev() {
            if Some(axis) == rows.axis {
                continue;
            }
            if carry == 0 {
                return;
            }
            let before = self.origin[axis];
            let at = before + carry;
            // No division for one step, nor for all rows across.
            (carry, self.origin[axis]) = match at {
                at if at < extent => (0, at),
                at if at < 2 * extent => (1, at - extent),
                at => (at / extent, at % extent),
            };
            let steps = self.origin[axis] as isize - before as isize;
            if steps != 0 {
                for (operand, address) in self.addresses.iter_mut().enumerate() {
                    *address = address.wrapping_offset(steps * launch.strides_of(operand)[axis]);
                }
            }
        }
    }

    /// The address of an operand at an element of the row.
    #[inline]
    pub(crate) fn address(&self, rows: &RowChunks<'_>, operand: usize, first: usize) -> *mut u8 {
        let stride = rows.axis.map_or(0, |axis| rows.launch.get().strides_of(operand)[axis]);
        self.addresses[operand].wrapping_offset(first as isize * stride)
    }

    /// The coordinates of an element of the row, each with its axis.
    pub(crate) fn coordinates(&self, rows: &RowChunks<'_>, first: usize) -> impl Iterator<Item = (usize, usize)> {
        let along = rows.axis;
        self.origin.iter().enumerate().map(move |(axis, &at)| (axis, if Some(axis) == along { first } else { at }))
    }
}
