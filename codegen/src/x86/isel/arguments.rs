//! The argument block of a loop: its layout, and writing scalars and constants to it.
//!
//! The block has base addresses, strides, scalars, constants, coordinates, vectors of offsets, room for the tail (see
//! `loops::tail`), the pitches of rows, and spill slots.

use crate::x86::asm::encode::Mem;
use crate::x86::asm::level::Level;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{RESIDENT_BASES, VECTOR_BYTES};
use crate::{DType, Scalar};

/// The most lanes of a loop with strided operands.
pub(crate) const MAX_STRIDED_LANES: usize = 16;

/// The layout of an argument block: byte offsets.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    level: Level,
    operands: usize,
    scalars: usize,
    /// Bytes from one scalar to the next: two parts where some are complex.
    scalar_bytes: usize,
    /// Spilled base pointers.
    spilled_bases: usize,
    /// By axis: the coordinate of the first point of the row.
    axes: usize,
    /// Offsets, lane by lane: first the lane numbers, then the operands' offsets. With AVX2 those of the tail follow.
    offsets: usize,
    offset_bytes: usize,
    /// AVX2's tail: which lanes are elements of the row, copies of the operands' elements, and addresses of the copies.
    tail: usize,
    /// Bytes from one row to the next, by operand, and before them the number of rows left.
    rows: usize,
    /// Where the loop goes from plane to plane: the number of planes left, the rows of one, and the bytes from behind its last row to the next one.
    pub(crate) planes: Option<usize>,
    /// Bytes of an operand's copy: two vectors where some are complex.
    tail_bytes: usize,
    /// Constants as patterns of eight bytes, and where they are.
    constants: Vec<(usize, u64)>,
    /// Tables, whole vectors of words, and where they are.
    tables: Vec<(usize, Vec<u64>)>,
    /// Bytes of the block so far.
    pub(crate) bytes: usize,
    /// The address that a reduction stores the vectors of its folds to.
    pub(crate) folded: usize,
    /// In a fold of columns, by operand, the bytes from the rows of a call to those of the next one.
    pub(crate) next_rows: usize,
    /// The carries of a scan, a vector each.
    pub(crate) carries: usize,
    /// Where the loop stores a word that is not zero if there were slow-path lanes.
    pub(crate) slow_lanes: usize,
    /// Where the loop stores how many elements of a row are done if it leaves there.
    pub(crate) side_exit: Option<usize>,
}

/// What the argument block has of a divisor, an element each ([`crate::x86::isel::reciprocal_division`]).
#[derive(Clone, Copy)]
pub(crate) struct Divisor {
    /// The reciprocal rounded down in magnitude, what is missing to it, and correctly rounded.
    pub(crate) high: Mem,
    pub(crate) low: Mem,
    pub(crate) rounded: Mem,
    /// The least magnitude that is not zero, and the distance from the least one of the fast path to its end, both as doubled integers.
    /// Zero where the divisor has no fast path: then all lanes take the slow one.
    pub(crate) nonzero: Mem,
    pub(crate) span: Mem,
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
            spilled_bases: 0,
            axes: 0,
            offsets: 0,
            offset_bytes: match level {
                Level::Avx512 => VECTOR_BYTES,
                Level::Avx2 if body.lanes > MAX_STRIDED_LANES => 0,
                Level::Avx2 => 8 * body.lanes,
            },
            tail: 0,
            rows: 0,
            planes: None,
            tail_bytes: level.vector() * parts(&types),
            constants: vec![],
            tables: vec![],
            bytes: 16 * operands,
            folded: 0,
            next_rows: 0,
            carries: 0,
            slow_lanes: 0,
            side_exit: None,
        };
        arguments.scalars = arguments.slots(kernel.scalars.len(), arguments.scalar_bytes);
        arguments.spilled_bases = arguments.slots(operands.saturating_sub(RESIDENT_BASES), 8);
        arguments.axes = arguments.slots((kernel.outer + kernel.inner) as usize, 8);
        arguments.bytes = arguments.bytes.next_multiple_of(VECTOR_BYTES);
        arguments.offsets = arguments.bytes;
        arguments.bytes += (operands + 1) * arguments.offset_bytes;
        if level == Level::Avx2 {
            arguments.bytes += (operands + 1) * arguments.offset_bytes;
            arguments.tail = arguments.slots(operands + 1, arguments.tail_bytes);
            arguments.bytes += 8 * operands;
        }
        arguments.slow_lanes = arguments.slot(8);
        arguments.rows = arguments.slots(operands + 1, 8);
        arguments.side_exit = body.side_exits.is_some().then(|| arguments.slot(8));
        arguments
    }

    pub(crate) fn address(&self, operand: usize) -> usize {
        8 * operand
    }

    /// The bytes by which a strided operand advances for one vector.
    pub(crate) fn vector_stride(&self, operand: usize) -> usize {
        8 * (self.operands + operand)
    }

    /// The slot of a spilled base pointer.
    pub(crate) fn spilled_base(&self, operand: usize) -> usize {
        self.spilled_bases + 8 * (operand - RESIDENT_BASES)
    }

    pub(crate) fn scalar(&self, scalar: usize) -> usize {
        self.scalars + self.scalar_bytes * scalar
    }

    pub(crate) fn axis(&self, axis: usize) -> usize {
        self.axes + 8 * axis
    }

    /// An operand's offsets, lane by lane, or the lane numbers; those of the tail or of full vectors.
    pub(crate) fn offsets(&self, operand: Option<usize>, is_tail: bool) -> usize {
        let set = if is_tail && self.level == Level::Avx2 { self.operands + 1 } else { 0 };
        self.offsets + self.offset_bytes * (set + operand.map_or(0, |o| o + 1))
    }

    /// A byte for each lane of the tail: ones where it is an element of the row.
    pub(crate) fn tail_lanes(&self) -> usize {
        self.tail
    }

    /// The copy of an operand's elements at the tail.
    pub(crate) fn tail_elements(&self, operand: usize) -> usize {
        self.tail + self.tail_bytes * (operand + 1)
    }

    /// The slot with the address of that copy.
    pub(crate) fn tail_address(&self, operand: usize) -> usize {
        self.tail_elements(self.operands) + 8 * operand
    }

    /// The slot with the bytes from the first element of a row to its overlapping tail, of operands whose base pointers the loop advances.
    pub(crate) fn tail_distance(&self, operand: usize) -> usize {
        self.tail_address(operand)
    }

    /// Writes the slots of a loop that goes from plane to plane: the planes, the rows of one, and the bytes from behind its last row to the next
    /// one.
    ///
    /// # Safety
    /// As [`Arguments::write_constants`].
    #[inline]
    pub(crate) unsafe fn write_planes(&self, block: *mut u8, planes: [u64; 3]) {
        if let Some(at) = self.planes {
            // SAFETY: the caller's contract.
            unsafe { block.add(at).cast::<[u64; 3]>().write(planes) };
        }
    }

    /// The number of rows left.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The bytes from one row of an operand to the next.
    pub(crate) fn pitch(&self, operand: usize) -> usize {
        self.rows + 8 * (1 + operand)
    }

    /// The slot of a constant.
    pub(crate) fn constant(&mut self, value: Scalar) -> usize {
        let pattern = self.pattern(value);
        if let Some((at, _)) = self.constants.iter().find(|(_, known)| *known == pattern) {
            return *at;
        }
        let at = self.slot(self.level.constant());
        self.constants.push((at, pattern));
        at
    }

    /// The slot of a table, a whole number of vectors.
    pub(crate) fn table(&mut self, words: &[u64]) -> usize {
        if let Some((at, _)) = self.tables.iter().find(|(_, known)| known == words) {
            return *at;
        }
        let at = self.slot(8 * words.len());
        self.tables.push((at, words.to_vec()));
        at
    }

    /// Reserves a slot, aligned to its size.
    pub(crate) fn slot(&mut self, bytes: usize) -> usize {
        self.slots(1, bytes)
    }

    /// Reserves several slots of a size.
    pub(crate) fn slots(&mut self, count: usize, bytes: usize) -> usize {
        let at = self.bytes.next_multiple_of(bytes);
        self.bytes = at + count * bytes;
        at
    }

    /// A value repeated to eight bytes, as lanes hold it.
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

    /// Writes the constants and tables to an argument block.
    ///
    /// # Safety
    /// The block has room for all arguments, and is aligned to eight bytes.
    #[inline]
    pub(crate) unsafe fn write_constants(&self, block: *mut u8) {
        for &(at, pattern) in &self.constants {
            // SAFETY: the caller's contract.
            unsafe { self.write(block, at, pattern) };
        }
        for (at, words) in &self.tables {
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), block.add(*at).cast(), words.len()) };
        }
    }

    /// The constants, and where they are; nothing where there are tables besides, or constants are whole vectors.
    pub(crate) fn words(&self) -> Option<&[(usize, u64)]> {
        (self.tables.is_empty() && self.level == Level::Avx512).then_some(&self.constants)
    }

    /// Writes scalars to an argument block.
    ///
    /// # Safety
    /// As [`Arguments::write_constants`]; there are no more of them than the kernel has.
    #[inline]
    pub(crate) unsafe fn write_scalars(&self, block: *mut u8, scalars: &[Scalar]) {
        for (i, &scalar) in scalars.iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe {
                self.write(block, self.scalar(i), self.pattern(scalar));
                if scalar.dtype().is_complex() {
                    let part = scalar.dtype().real();
                    let [re, im] = [0, 8 * part.size()].map(|at| Scalar::from_bits(part, scalar.bits() >> at));
                    self.write(block, self.scalar(i), self.pattern(re));
                    self.write(block, self.scalar(i) + self.level.constant(), self.pattern(im));
                }
            }
        }
    }

    /// Notes that the loop did not leave.
    ///
    /// # Safety
    /// As [`Arguments::write_constants`].
    #[inline]
    pub(crate) unsafe fn clear_exit(&self, block: *mut u8) {
        if let Some(at) = self.side_exit {
            // SAFETY: the caller's contract.
            unsafe { block.add(at).cast::<usize>().write(usize::MAX) };
        }
    }

    /// How many elements of a row are done where the loop left, if it did.
    ///
    /// # Safety
    /// As [`Arguments::write_constants`]; the loop ran after [`Arguments::clear_exit`].
    #[inline]
    pub(crate) unsafe fn exit(&self, block: *mut u8) -> Option<usize> {
        // SAFETY: the caller's contract.
        let done = unsafe { block.add(self.side_exit?).cast::<usize>().read() };
        (done != usize::MAX).then_some(done)
    }

    /// Writes a constant or a scalar, repeated to eight bytes.
    ///
    /// # Safety
    /// As [`Arguments::write_constants`].
    #[inline]
    pub(crate) unsafe fn write(&self, block: *mut u8, at: usize, pattern: u64) {
        // SAFETY: the caller's contract: there is room for a constant.
        unsafe {
            match self.level {
                Level::Avx2 => block.add(at).cast::<[u64; 4]>().write([pattern; 4]),
                Level::Avx512 => block.add(at).cast::<u64>().write(pattern),
            }
        }
    }
}
