//! Alias analysis: how two accesses to one storage relate; and the orders in which accesses step through memory.

use crate::array::layout::{Shape, byte_extent};
use crate::plan::trace::SlotAccess;

/// What two accesses have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// The same element at the same point: the value can stay in a register.
    Same,
    /// No byte in common.
    Disjoint,
    /// Some bytes in common, at different points.
    Overlapping,
}

/// The relation of two accesses, each over its own domain.
pub fn relate(a: &SlotAccess, a_domain: &[usize], b: &SlotAccess, b_domain: &[usize]) -> Relation {
    if a.slot != b.slot {
        return Relation::Disjoint;
    }
    if a.offset == b.offset && a.dtype == b.dtype && a.strides == b.strides && a_domain == b_domain {
        return Relation::Same;
    }
    let (a_lo, a_hi) = extent(a, a_domain);
    let (b_lo, b_hi) = extent(b, b_domain);
    if a_hi <= b_lo || b_hi <= a_lo || a_lo == a_hi || b_lo == b_hi {
        return Relation::Disjoint;
    }
    if disjoint_in_grid(a, a_domain, a_lo, b, b_domain, b_lo) { Relation::Disjoint } else { Relation::Overlapping }
}

/// First byte and end of what an access touches. A fold over no elements still writes its results, so an axis with stride zero
/// counts even where its extent is zero.
fn extent(access: &SlotAccess, domain: &[usize]) -> (isize, isize) {
    let touched: Shape = domain.iter().zip(&access.strides).map(|(&n, &s)| if s == 0 { n.max(1) } else { n }).collect();
    byte_extent(&touched, &access.strides, access.offset, access.dtype.size())
}

/// Whether two boxes of one row-major grid (columns of a matrix, interior and border) are disjoint: their byte extents interleave,
/// yet their ranges are disjoint along some axis of the grid.
fn disjoint_in_grid(
    a: &SlotAccess,
    a_domain: &[usize],
    a_lo: isize,
    b: &SlotAccess,
    b_domain: &[usize],
    b_lo: isize,
) -> bool {
    let axes_of = |x: &SlotAccess, domain: &[usize]| -> smallvec::SmallVec<[(usize, usize); 4]> {
        let mut s: smallvec::SmallVec<[(usize, usize); 4]> = domain
            .iter()
            .zip(&x.strides)
            .filter(|&(&n, &s)| n > 1 && s != 0)
            .map(|(&n, &s)| (s.unsigned_abs(), n))
            .collect();
        s.sort_unstable_by(|p, q| q.cmp(p));
        s
    };
    let (a_steps, b_steps) = (axes_of(a, a_domain), axes_of(b, b_domain));
    let mut grid: smallvec::SmallVec<[usize; 8]> = a_steps.iter().chain(&b_steps).map(|s| s.0).collect();
    grid.sort_unstable_by(|p, q| q.cmp(p));
    grid.dedup();
    // Positions count from the lower of the two first bytes. That byte need not be at the edge of the grid, so only boxes whose
    // ranges fit into one period of the next coarser step can be compared.
    let origin = a_lo.min(b_lo);
    let (mut a_rest, mut b_rest) = ((a_lo - origin) as usize, (b_lo - origin) as usize);
    let width = a.dtype.size().max(b.dtype.size());
    let mut disjoint = false;
    for (i, &step) in grid.iter().enumerate() {
        if step < width {
            return false;
        }
        let (a_first, b_first) = (a_rest / step, b_rest / step);
        a_rest %= step;
        b_rest %= step;
        let reach = |axes_of: &[(usize, usize)]| axes_of.iter().filter(|s| s.0 == step).map(|s| s.1 - 1).sum::<usize>();
        let (a_last, b_last) = (a_first + reach(&a_steps), b_first + reach(&b_steps));
        let period = if i == 0 { usize::MAX } else { grid[i - 1] / step };
        if (i > 0 && !grid[i - 1].is_multiple_of(step)) || a_last >= period || b_last >= period {
            return false;
        }
        disjoint |= a_last < b_first || b_last < a_first;
    }
    // The remainders are within one finest step: disjoint where the elements do not overlap.
    let finest = *grid.last().unwrap_or(&usize::MAX);
    if a_rest + a.dtype.size() > finest || b_rest + b.dtype.size() > finest {
        return false;
    }
    disjoint || a_rest + a.dtype.size() <= b_rest || b_rest + b.dtype.size() <= a_rest
}

/// The axes along which accesses over a domain step through memory in the smallest steps, a bit each. A broadcast row or column has no order, nor
/// has what an epilogue accesses, over fewer axes.
pub(crate) fn fastest_axes<'a>(domain: &[usize], accesses: impl Iterator<Item = &'a SlotAccess>) -> u64 {
    let fastest = |access: &SlotAccess| {
        let steps = || (0..domain.len()).filter(|&axis| domain[axis] > 1 && access.strides[axis] != 0);
        steps().nth(1)?;
        steps().min_by_key(|&axis| access.strides[axis].unsigned_abs())
    };
    let of_domain = accesses.filter(|access| access.strides.len() == domain.len());
    of_domain.filter_map(fastest).fold(0, |bits, axis| bits | 1 << axis)
}

/// Whether these are several orders of memory that are not the same. Operands in another order are read a few elements of a cache line at a
/// time, which slows down all that a kernel does: `np.where(a > b, a, 0.0)` takes 2.2 times as long beside a transposed operand as in
/// a kernel of its own.
pub(crate) fn are_mixed(fastest: u64, other: u64) -> bool {
    fastest != other && (fastest | other).count_ones() > 1
}
