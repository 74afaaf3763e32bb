//! Taking elements or rows at given positions: `a[[3, 0, 3]]`.
//!
//! Runs at once: the positions have to be known before one of them can be found out of bounds, which is an error of the call
//! that asked. What is taken is dense rows of bytes, so no element type is looked at.

use crate::array::Array;
use crate::engine::engine;
use crate::error::{Error, Result};
use crate::layout::{Order, Shape, c_strides};
use fastnp_codegen::DType;

impl Array {
    /// The elements, or rows along the first axis, at integer positions; the result has the shape of the positions before
    /// that of a row.
    ///
    /// # Errors
    /// `IndexError` for a position out of bounds, `Unsupported` for positions that are no integers and for scattered rows.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(5);
    /// assert_eq!(a.take(&Array::from_slice(&[3i64, -1, 3], &[3])?)?.to_vec::<i64>()?, [3, 4, 3]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn take(&self, positions: &Array) -> Result<Array> {
        let (Some(&n), Some(&step)) = (self.shape().first(), self.strides().first()) else {
            return Err(Error::unsupported("taking from an array without axes"));
        };
        if !positions.dtype().is_integer() {
            return Err(Error::unsupported("positions that are no integers"));
        }
        let row_strides = c_strides(&self.shape()[1..], self.dtype().size());
        let dense =
            self.strides()[1..].iter().zip(&row_strides).zip(&self.shape()[1..]).all(|((a, b), &n)| a == b || n == 1);
        if !dense {
            return Err(Error::unsupported("taking rows whose elements are not dense"));
        }
        if !positions.is_c_contiguous() && positions.ndim() > 1 {
            return Err(Error::unsupported("positions whose order in memory the result would have to follow"));
        }
        let positions = match positions.dtype() == DType::I64 && positions.is_c_contiguous() {
            true => positions.clone(),
            false => positions.cast_order(DType::I64, Order::C)?,
        };
        let shape: Shape = positions.shape().iter().chain(&self.shape()[1..]).copied().collect();
        let out = Array::fresh(&shape, c_strides(&shape, self.dtype().size()), self.dtype())?;
        let (from, at) = (self.address()?, positions.address()?);
        // SAFETY: the positions are dense, settled int64.
        let at = unsafe { std::slice::from_raw_parts(at.cast::<i64>(), positions.size()) };
        if at.iter().any(|&i| i < -(n as i64) || i >= n as i64) {
            return Err(Error::index("index out of bounds"));
        }
        let row = self.shape()[1..].iter().product::<usize>() * self.dtype().size();
        let to = out.storage.materialize()?;
        let source = Rows { from, step, n };
        // SAFETY: every position is within the axis, rows are dense, and the result has room for one row a position.
        unsafe {
            match row {
                1 => source.copy_as::<u8>(at, to),
                2 => source.copy_as::<u16>(at, to),
                4 => source.copy_as::<u32>(at, to),
                8 => source.copy_as::<u64>(at, to),
                16 => source.copy_as::<u128>(at, to),
                _ => source.copy(at, to, row),
            }
        }
        let stats = &mut engine().seen.stats;
        stats.recorded += 1;
        stats.run_at_once += 1;
        Ok(out)
    }
}

/// Where rows are taken from: the first one, the bytes from one to the next, and how many there are.
struct Rows {
    from: *const u8,
    step: isize,
    n: usize,
}

impl Rows {
    fn start(&self, position: i64) -> *const u8 {
        let i = if position < 0 { position as isize + self.n as isize } else { position as isize };
        self.from.wrapping_offset(i * self.step)
    }

    /// # Safety
    /// Positions lie within the axis, a row is as large as `T`, and `to` has room for all of them.
    unsafe fn copy_as<T: Copy>(&self, at: &[i64], to: *mut u8) {
        for (k, &i) in at.iter().enumerate() {
            // SAFETY: by the contract; alignment is not assumed.
            unsafe { to.cast::<T>().add(k).write_unaligned(self.start(i).cast::<T>().read_unaligned()) };
        }
    }

    /// # Safety
    /// Positions lie within the axis, a row has so many bytes, and `to` has room for all of them.
    unsafe fn copy(&self, at: &[i64], to: *mut u8, row: usize) {
        for (k, &i) in at.iter().enumerate() {
            // SAFETY: by the contract; the result is new memory.
            unsafe { std::ptr::copy_nonoverlapping(self.start(i), to.add(k * row), row) };
        }
    }
}
