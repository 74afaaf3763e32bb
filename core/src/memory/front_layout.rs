//! Front layout: the shape and strides that code outside reads on the front page of a storage's guarded address.
//!
//! They are those of the first array of the storage that was shown, and set before: from then on any thread may touch the page, so they do not
//! change. Any array that has the same may show the page. Others, those of more axes, and large ones show a page of their own
//! ([`crate::memory::header_page`]).

use smallvec::SmallVec;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Axes at most.
const MOST_AXES: usize = 4;
/// In place of the number of axes: there is no layout yet, or there will be none.
const NONE: u32 = u32::MAX;
const REFUSED: u32 = u32::MAX - 1;

/// A layout of few axes, or none. It is set, and cleared, where code outside does not know the storage.
pub struct FrontLayout {
    axes: AtomicU32,
    /// Of each axis the extent (upper half) and the stride (lower half): contents with a front page have less than 2^31 bytes.
    packed: [AtomicU64; MOST_AXES],
}

impl FrontLayout {
    /// No layout yet.
    pub const fn none() -> FrontLayout {
        FrontLayout { axes: AtomicU32::new(NONE), packed: [const { AtomicU64::new(0) }; MOST_AXES] }
    }

    /// There is none any more.
    #[inline]
    pub fn clear(&self) {
        self.axes.store(NONE, Ordering::Relaxed);
    }

    /// Whether it may be set.
    #[inline]
    pub fn is_none(&self) -> bool {
        self.axes.load(Ordering::Relaxed) == NONE
    }

    /// There will be none.
    pub fn refuse(&self) {
        self.axes.store(REFUSED, Ordering::Relaxed);
    }

    /// Whether it is this one.
    #[inline]
    pub fn is(&self, shape: &[usize], strides: &[isize]) -> bool {
        self.axes.load(Ordering::Relaxed) as usize == shape.len()
            && (0..shape.len()).all(|i| pack(shape[i], strides[i]) == Some(self.packed[i].load(Ordering::Relaxed)))
    }

    /// Sets it; whether there is room for it.
    #[inline]
    pub fn set(&self, shape: &[usize], strides: &[isize]) -> bool {
        if shape.len() > MOST_AXES {
            return false;
        }
        for i in 0..shape.len() {
            let Some(packed) = pack(shape[i], strides[i]) else { return false };
            self.packed[i].store(packed, Ordering::Relaxed);
        }
        self.axes.store(shape.len() as u32, Ordering::Relaxed);
        true
    }

    /// The extents, and the strides behind them.
    pub fn numbers(&self) -> SmallVec<[isize; 2 * MOST_AXES]> {
        let axes = self.axes.load(Ordering::Relaxed);
        let packed = self.packed.get(..axes as usize).unwrap_or_default();
        let extents = packed.iter().map(|packed| (packed.load(Ordering::Relaxed) >> 32) as isize);
        extents.chain(packed.iter().map(|packed| packed.load(Ordering::Relaxed) as i32 as isize)).collect()
    }
}

#[inline]
fn pack(extent: usize, stride: isize) -> Option<u64> {
    let (extent, stride) = (u32::try_from(extent).ok()?, i32::try_from(stride).ok()?);
    Some(u64::from(extent) << 32 | u64::from(stride as u32))
}
