//! Complex numbers that are adjacent in memory, read and written as vectors.

use crate::fourier::lanes::{ComplexLanes, ComplexNumber, Lanes};

/// Adjacent complex numbers that a transform reads or writes.
#[derive(Clone, Copy)]
pub(crate) struct DenseNumbers {
    pub(crate) start: *mut u8,
    /// Whether they are of single precision.
    pub(crate) is_single: bool,
    /// Whether real and imaginary parts are exchanged.
    pub(crate) swaps: bool,
}

// SAFETY: tasks of one transform read them, and write disjoint parts.
unsafe impl Sync for DenseNumbers {}

impl DenseNumbers {
    /// Those of double precision from an address on, as they are.
    pub(crate) fn at(start: *mut ComplexNumber) -> DenseNumbers {
        DenseNumbers { start: start.cast(), is_single: false, swaps: false }
    }

    /// The address of the number of an index.
    fn address(&self, i: usize) -> *mut u8 {
        self.start.wrapping_add(i * if self.is_single { 8 } else { 16 })
    }

    /// Reads a vector of the numbers from an index on.
    ///
    /// # Safety
    /// They can be read. The processor has the instructions of `V`.
    #[inline(always)]
    pub(crate) unsafe fn read<V: Lanes>(&self, i: usize) -> ComplexLanes<V> {
        let at = self.address(i);
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
