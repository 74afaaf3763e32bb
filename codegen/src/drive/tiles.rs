//! Tiles of a domain, in row-major order.
//!
//! A [`Tiling`] goes over some axes of the domain in tiles: a run along one axis times all of the axes inside it, so that
//! short rows share a block. Which axes a fragment sees of a tile is a [`Tile`]'s business.

use smallvec::SmallVec;

/// Rows shorter than this share a tile with their neighbours: a loop's call costs as much as some 40 elements.
const MIN_TILE_ROW: usize = 32;

/// An axis beyond any domain's, of stride zero.
const NO_AXIS: usize = usize::MAX / 2;

/// A few numbers, one for each axis.
pub(crate) type PerAxis<T> = SmallVec<[T; 6]>;

/// A way over some axes in tiles.
#[derive(Clone, Debug)]
pub(crate) struct Tiling {
    /// First of these axes in the domain.
    pub(crate) first: usize,
    pub(crate) extents: PerAxis<usize>,
    /// The axis that tiles divide; those after it lie in every tile whole.
    split: usize,
    /// How far tiles reach along it.
    step: usize,
}

impl Tiling {
    /// Tiles of at most `room` points, and as many as that allows.
    pub(crate) fn new(first: usize, extents: &[usize], room: usize) -> Tiling {
        Tiling::with_rows(first, extents, room, MIN_TILE_ROW)
    }

    /// Tiles of at most `room` points that take in all axes they can.
    pub(crate) fn spanning(first: usize, extents: &[usize], room: usize) -> Tiling {
        Tiling::with_rows(first, extents, room, usize::MAX)
    }

    fn with_rows(first: usize, extents: &[usize], room: usize, enough: usize) -> Tiling {
        let mut extents: PerAxis<usize> = extents.into();
        let mut first = first;
        if extents.is_empty() {
            // One point: an axis that no domain has.
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

    /// Row-major position of the first point of the tile at a place.
    pub(crate) fn position(&self, at: &PerAxis<usize>) -> usize {
        let whole = at.iter().zip(&self.extents).fold(0, |p, (&x, &e)| p * e + x);
        self.extents[self.split + 1..].iter().fold(whole, |p, &e| p * e)
    }

    /// Goes on to the next tile.
    pub(crate) fn advance(&self, at: &mut PerAxis<usize>) {
        at[self.split] += self.step;
        let mut axis = self.split;
        while axis > 0 && at[axis] >= self.extents[axis] {
            at[axis] = 0;
            axis -= 1;
            at[axis] += 1;
        }
    }

    /// Extents of the tile at a place, slowest axis first.
    fn shape(&self, at: &PerAxis<usize>) -> PerAxis<usize> {
        let mut shape: PerAxis<usize> = self.extents[self.split..].into();
        shape[0] = self.step.min(self.extents[self.split] - at[self.split]);
        shape
    }

    /// The axes of the domain that its tiles extend along.
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
    /// Where it begins, along every axis of the domain.
    pub(crate) origin: PerAxis<usize>,
}

impl Tile {
    /// No points yet, in a domain of so many axes.
    pub(crate) fn new(rank: usize) -> Tile {
        Tile { axes: PerAxis::new(), extents: PerAxis::new(), origin: smallvec::smallvec![0; rank] }
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// The product of the tiles at which some walks stand, the slower first.
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

    /// Whether only the slowest extent differs.
    pub(crate) fn same_rows(&self, axes: &[usize], extents: &[usize]) -> bool {
        self.axes[..] == *axes
            && !extents.is_empty()
            && self.extents.len() == extents.len()
            && self.extents[1..] == extents[1..]
    }
}
