//! Complex or real numbers that are adjacent in memory, read and written as vectors of complex ones.

use crate::fourier::lanes::{ComplexLanes, ComplexNumber, Lanes};

/// Adjacent numbers that a transform reads or writes.
#[derive(Clone, Copy)]
pub struct DenseNumbers {
    /// The address of the first.
    pub start: *mut u8,
    /// Whether they are of single precision.
    pub is_single: bool,
    /// Whether real and imaginary parts are exchanged. Not of real numbers.
    pub swaps: bool,
    /// Whether they are real: read with imaginary parts of zero, and written without imaginary parts.
    pub is_real: bool,
}

// SAFETY: tasks of one transform read them, and write disjoint parts.
unsafe impl Sync for DenseNumbers {}

impl DenseNumbers {
    /// Complex ones of double precision from an address on, as they are.
    pub fn at(start: *mut ComplexNumber) -> DenseNumbers {
        DenseNumbers { start: start.cast(), is_single: false, swaps: false, is_real: false }
    }

    /// The address of the number of an index.
    fn address(&self, i: usize) -> *mut u8 {
        let (size, parts) = (if self.is_single { 4 } else { 8 }, if self.is_real { 1 } else { 2 });
        self.start.wrapping_add(i * size * parts)
    }

    /// Reads a vector of the numbers from an index on.
    ///
    /// # Safety
    /// They can be read. The processor has the instructions of `V`.
    #[inline(always)]
    pub(crate) unsafe fn read<V: Lanes>(&self, i: usize) -> ComplexLanes<V> {
        let at = self.address(i);
        if self.is_real {
            // SAFETY: the caller's contract.
            let re = unsafe { if self.is_single { V::read_single(at.cast()) } else { V::read(at.cast()) } };
            return ComplexLanes { re, im: V::splat(0.0) };
        }
        // SAFETY: the caller's contract.
        let (a, b) = unsafe {
            match self.is_single {
                true => (V::read_single(at.cast()), V::read_single(at.cast::<f32>().add(V::COUNT))),
                false => (V::read(at.cast()), V::read(at.cast::<f64>().add(V::COUNT))),
            }
        };
        let (re, im) = V::deinterleave(a, b);
        if self.swaps { ComplexLanes { re: im, im: re } } else { ComplexLanes { re, im } }
    }

    /// Writes a vector of numbers from an index on.
    ///
    /// # Safety
    /// They can be written. The processor has the instructions of `V`.
    #[inline(always)]
    pub(crate) unsafe fn write<V: Lanes>(&self, i: usize, x: ComplexLanes<V>) {
        let at = self.address(i);
        if self.is_real {
            // SAFETY: the caller's contract.
            return unsafe { if self.is_single { x.re.write_single(at.cast()) } else { x.re.write(at.cast()) } };
        }
        let x = if self.swaps { x.swapped() } else { x };
        let (a, b) = V::interleave(x.re, x.im);
        // SAFETY: the caller's contract.
        unsafe {
            if self.is_single {
                a.write_single(at.cast());
                b.write_single(at.cast::<f32>().add(V::COUNT));
            } else {
                a.write(at.cast());
                b.write(at.cast::<f64>().add(V::COUNT));
            }
        }
    }
}
