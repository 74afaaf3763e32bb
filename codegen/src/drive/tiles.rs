//! Tiling of a domain, in row-major order.
//!
//! A [`Tiling`] divides some axes of the domain into tiles: a range of one axis times all of the axes inside it, so that short rows share
//! a block. A [`Tile`] is the product of the current tiles of one or two tilings.

use crate::drive::strategy::MIN_TILE_ROW;
use smallvec::SmallVec;

/// The number of an axis that no domain has; its stride is zero.
const NO_AXIS: usize = usize::MAX / 2;

/// One number for each axis.
pub(crate) type PerAxis<T> = SmallVec<[T; 6]>;

/// The division of some axes into tiles.
#[derive(Clone, Debug)]
pub(crate) struct Tiling {
    /// The first of these axes in the domain.
    pub(crate) first: usize,
    pub(crate) extents: PerAxis<usize>,
    /// The axis that tiles divide; a tile spans the axes after it.
    split: usize,
    /// Extent of a tile along that axis.
    step: usize,
}

impl Tiling {
    /// Tiles of at most `room` points that span axes only as long as rows are short.
    pub(crate) fn new(first: usize, extents: &[usize], room: usize) -> Tiling {
        Tiling::with_rows(first, extents, room, MIN_TILE_ROW)
    }

    /// Tiles of at most `room` points that span as many axes as fit.
    pub(crate) fn spanning(first: usize, extents: &[usize], room: usize) -> Tiling {
        Tiling::with_rows(first, extents, room, usize::MAX)
    }

    fn with_rows(first: usize, extents: &[usize], room: usize, enough: usize) -> Tiling {
        let mut extents: PerAxis<usize> = extents.into();
        let mut first = first;
        if extents.is_empty() {
            // One point: a single axis of extent one.
            extents.push(1);
            first = NO_AXIS;
        }
        let mut split = extents.len() - 1;
        let mut inside = 1;
        while split > 0 && inside * extents[split] < enough && inside * extents[split] * 2 <= room {
            inside *= extents[split];
            split -= 1;
        }
        let step = (room / inside.max(1)).clamp(1, extents[split].max(1));
        Tiling { first, extents, split, step }
    }

    /// How many tiles there are.
    pub(crate) fn tiles(&self) -> usize {
        self.extents[..self.split].iter().product::<usize>() * self.extents[self.split].div_ceil(self.step)
    }

    /// Points of the largest tile.
    pub(crate) fn largest(&self) -> usize {
        self.step * self.extents[self.split + 1..].iter().product::<usize>()
    }

    /// Coordinates at which tile `index` begins, along the axes up to the split one.
    pub(crate) fn seek(&self, index: usize) -> PerAxis<usize> {
        let along = self.extents[self.split].div_ceil(self.step);
        let mut at: PerAxis<usize> = smallvec::smallvec![0; self.split + 1];
        at[self.split] = index % along * self.step;
        let mut rest = index / along;
        for axis in (0..self.split).rev() {
            at[axis] = rest % self.extents[axis];
            rest /= self.extents[axis];
        }
        at
    }

    /// Row-major position of the first point of the tile at these coordinates.
    pub(crate) fn position(&self, at: &PerAxis<usize>) -> usize {
        let whole = at.iter().zip(&self.extents).fold(0, |p, (&x, &e)| p * e + x);
        self.extents[self.split + 1..].iter().fold(whole, |p, &e| p * e)
    }

    /// Moves to the next tile.
    pub(crate) fn advance(&self, at: &mut PerAxis<usize>) {
        at[self.split] += self.step;
        let mut axis = self.split;
        while axis > 0 && at[axis] >= self.extents[axis] {
            at[axis] = 0;
            axis -= 1;
            at[axis] += 1;
        }
    }

    /// Extents of the tile at these coordinates, slowest axis first.
    fn shape(&self, at: &PerAxis<usize>) -> PerAxis<usize> {
        let mut shape: PerAxis<usize> = self.extents[self.split..].into();
        shape[0] = self.step.min(self.extents[self.split] - at[self.split]);
        shape
    }

    /// The axes of the domain that a tile spans.
    fn tile_axes(&self) -> impl Iterator<Item = usize> + '_ {
        (self.split..self.extents.len()).map(|a| self.first + a)
    }
}

/// Some points of a domain in row-major order of some of its axes.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    /// Domain axes, slowest first. An axis beyond the domain stands for a domain of no axes.
    pub(crate) axes: PerAxis<usize>,
    pub(crate) extents: PerAxis<usize>,
    /// Coordinates of its first point, along every axis of the domain.
    pub(crate) origin: PerAxis<usize>,
}

impl Tile {
    /// An empty tile in a domain of this many axes.
    pub(crate) fn new(rank: usize) -> Tile {
        Tile { axes: PerAxis::new(), extents: PerAxis::new(), origin: smallvec::smallvec![0; rank] }
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Sets it to the product of the current tiles of some tilings, the slowest first.
    pub(crate) fn set(&mut self, walks: &[(&Tiling, &PerAxis<usize>)]) {
        self.axes.clear();
        self.extents.clear();
        for (walk, at) in walks {
            self.axes.extend(walk.tile_axes());
            self.extents.extend(walk.shape(at));
            for (axis, &x) in at.iter().enumerate() {
                if let Some(o) = self.origin.get_mut(walk.first + axis) {
                    *o = x;
                }
            }
        }
    }

    /// Whether at most the slowest extent differs.
    pub(crate) fn same_rows(&self, axes: &[usize], extents: &[usize]) -> bool {
        self.axes[..] == *axes
            && !extents.is_empty()
            && self.extents.len() == extents.len()
            && self.extents[1..] == extents[1..]
    }
}
