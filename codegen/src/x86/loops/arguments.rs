//! The block of memory that a row's loop is called with: where everything is in it, and putting it there.
//!
//! Addresses, strides, scalars, constants, coordinates, vectors of offsets, what the end of the row needs (see
//! [`crate::x86::loops::tail`]), and room for values that leave their registers.

use crate::x86::asm::level::Level;
use crate::x86::loops::body::Body;
use crate::x86::loops::map_loop::{NEAR, VECTOR};
use crate::{DType, Scalar};

/// Lanes of a loop with strided operands, at most.
pub(crate) const MOST_STRIDED: usize = 16;

/// Where everything is in the arguments, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    level: Level,
    operands: usize,
    scalars: usize,
    /// Bytes from one scalar to the next: where some are complex, each has room for two parts.
    scalar_bytes: usize,
    /// Addresses that operands without a register go on from.
    far: usize,
    /// Axes, each with the coordinate of the row's first point.
    axes: usize,
    /// Offsets, lane by lane: the lanes' own numbers come first, then the operands'. Those of the row's end follow.
    offsets: usize,
    offset_bytes: usize,
    /// The row's end: addresses of operands, their elements, and which lanes there are.
    tail: usize,
    /// Bytes of an operand's elements there: two vectors where some are complex.
    tail_bytes: usize,
    /// Constants, eight bytes over and over, and where they are.
    constants: Vec<(usize, u64)>,
    /// Tables, whole vectors of words, and where they are.
    tables: Vec<(usize, Vec<u64>)>,
    /// All there is so far.
    pub(crate) bytes: usize,
    /// Where the vectors of folds are left.
    pub(crate) folded: usize,
    /// Where the values that run along rows are, a vector each.
    pub(crate) carries: usize,
    /// Where the loop leaves what is not zero if an elementary function was not computed somewhere.
    pub(crate) odd: usize,
}

impl Arguments {
    pub(crate) fn of(body: &Body<'_>) -> Arguments {
        let (kernel, level) = (body.kernel, body.level);
        let operands = kernel.operands.len();
        let types: Vec<DType> = kernel.operands.iter().map(|operand| operand.dtype).collect();
        let parts = |types: &[DType]| 1 + types.iter().any(|d| d.is_complex()) as usize;
        let mut arguments = Arguments {
            level,
            operands,
            scalars: 0,
            scalar_bytes: level.constant() * parts(&kernel.scalars),
            far: 0,
            axes: 0,
            offsets: 0,
            offset_bytes: match level {
                Level::Avx512 => VECTOR,
                Level::Avx2 if body.lanes > MOST_STRIDED => 0,
                Level::Avx2 => 8 * body.lanes,
            },
            tail: 0,
            tail_bytes: level.vector() * parts(&types),
            constants: vec![],
            tables: vec![],
            bytes: 16 * operands,
            folded: 0,
            carries: 0,
            odd: 0,
        };
        arguments.scalars = arguments.rooms(kernel.scalars.len(), arguments.scalar_bytes);
        arguments.far = arguments.rooms(operands.saturating_sub(NEAR), 8);
        arguments.axes = arguments.rooms((kernel.outer + kernel.inner) as usize, 8);
        arguments.bytes = arguments.bytes.next_multiple_of(VECTOR);
        arguments.offsets = arguments.bytes;
        arguments.bytes += (operands + 1) * arguments.offset_bytes;
        if level == Level::Avx2 {
            arguments.bytes += (operands + 1) * arguments.offset_bytes;
            arguments.tail = arguments.rooms(operands + 1, arguments.tail_bytes);
            arguments.bytes += 8 * operands;
        }
        arguments.odd = arguments.room(8);
        arguments
    }

    pub(crate) fn address(&self, operand: usize) -> usize {
        8 * operand
    }

    /// The bytes by which an operand goes on in one round of lanes.
    pub(crate) fn round(&self, operand: usize) -> usize {
        8 * (self.operands + operand)
    }

    /// The address that an operand without a register goes on from.
    pub(crate) fn far(&self, operand: usize) -> usize {
        self.far + 8 * (operand - NEAR)
    }

    pub(crate) fn scalar(&self, scalar: usize) -> usize {
        self.scalars + self.scalar_bytes * scalar
    }

    pub(crate) fn axis(&self, axis: usize) -> usize {
        self.axes + 8 * axis
    }

    /// An operand's offsets, lane by lane, or the lanes' own numbers; those of the row's `end` or all others.
    pub(crate) fn offsets(&self, operand: Option<usize>, end: bool) -> usize {
        let set = if end && self.level == Level::Avx2 { self.operands + 1 } else { 0 };
        self.offsets + self.offset_bytes * (set + operand.map_or(0, |o| o + 1))
    }

    /// The bytes of a lane that is there at the row's end are ones.
    pub(crate) fn tail_lanes(&self) -> usize {
        self.tail
    }

    /// A vector of an operand's elements at the row's end.
    pub(crate) fn tail_elements(&self, operand: usize) -> usize {
        self.tail + self.tail_bytes * (operand + 1)
    }

    /// The address from which an operand goes on at the row's end.
    pub(crate) fn tail_address(&self, operand: usize) -> usize {
        self.tail_elements(self.operands) + 8 * operand
    }

    /// The place of a constant.
    pub(crate) fn constant(&mut self, value: Scalar) -> usize {
        let pattern = self.pattern(value);
        if let Some((at, _)) = self.constants.iter().find(|(_, known)| *known == pattern) {
            return *at;
        }
        let at = self.room(self.level.constant());
        self.constants.push((at, pattern));
        at
    }

    /// The place of a table, a whole number of vectors.
    pub(crate) fn table(&mut self, words: &[u64]) -> usize {
        if let Some((at, _)) = self.tables.iter().find(|(_, known)| known == words) {
            return *at;
        }
        let at = self.room(8 * words.len());
        self.tables.push((at, words.to_vec()));
        at
    }

    /// New room, aligned to its size.
    pub(crate) fn room(&mut self, bytes: usize) -> usize {
        self.rooms(1, bytes)
    }

    /// Several of a size.
    pub(crate) fn rooms(&mut self, count: usize, bytes: usize) -> usize {
        let at = self.bytes.next_multiple_of(bytes);
        self.bytes = at + count * bytes;
        at
    }

    /// A value over and over in eight bytes, as lanes hold it.
    pub(crate) fn pattern(&self, value: Scalar) -> u64 {
        let bits = value.bits() as u64;
        match value.dtype() {
            DType::Bool if self.level == Level::Avx2 => 0u64.wrapping_sub(bits),
            dtype => match dtype.size() {
                1 => bits * 0x0101_0101_0101_0101,
                2 => bits * 0x0001_0001_0001_0001,
                4 => bits * 0x0000_0001_0000_0001,
                _ => bits,
            },
        }
    }

    /// Writes the constants and tables to a block of arguments.
    ///
    /// # Safety
    /// The block has room for all arguments, and is aligned to eight bytes.
    #[inline]
    pub(crate) unsafe fn put_constants(&self, block: *mut u8) {
        for &(at, pattern) in &self.constants {
            // SAFETY: the caller's contract.
            unsafe { self.put(block, at, pattern) };
        }
        for (at, words) in &self.tables {
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), block.add(*at).cast(), words.len()) };
        }
    }

    /// Writes scalars to a block of arguments.
    ///
    /// # Safety
    /// As [`Arguments::put_constants`]; there are no more of them than the kernel has.
    #[inline]
    pub(crate) unsafe fn put_scalars(&self, block: *mut u8, scalars: &[Scalar]) {
        for (i, &scalar) in scalars.iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe {
                self.put(block, self.scalar(i), self.pattern(scalar));
                if scalar.dtype().is_complex() {
                    let part = scalar.dtype().real();
                    let [re, im] = [0, 8 * part.size()].map(|at| Scalar::from_bits(part, scalar.bits() >> at));
                    self.put(block, self.scalar(i), self.pattern(re));
                    self.put(block, self.scalar(i) + self.level.constant(), self.pattern(im));
                }
            }
        }
    }

    #[inline]
    unsafe fn put(&self, block: *mut u8, at: usize, pattern: u64) {
        // SAFETY: the caller's contract: there is room for a constant.
        unsafe {
            match self.level {
                Level::Avx2 => block.add(at).cast::<[u64; 4]>().write([pattern; 4]),
                Level::Avx512 => block.add(at).cast::<u64>().write(pattern),
            }
        }
    }
}
