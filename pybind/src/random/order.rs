//! What a `RandomState` draws the order of: `shuffle`, `permutation` and `choice`, on one axis of ours or the numbers below a bound.
//!
//! NumPy's methods make arrays of indices and of one element for a buffer, .5 to 7 µs, and an array of ours would get a view. The numbers are
//! drawn as NumPy draws them: a number below a bound for each element, from the last one down; or with replacement, as `randint`'s.

use crate::interpreter::error::to_py_result;
use crate::interpreter::fastcall::Arguments;
use crate::object::construct::new_object;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use crate::random::bit_generator::{BitGenerator, Distributions};
use crate::random::draw::{MAX_DRAWN, integer};
use fastnp::{Array, DType, Export, Order};
use pyo3::prelude::*;
use std::ffi::c_long;

/// Whether NumPy's `long`, the type of what is drawn here, is that of ours.
const IS_LONG: bool = size_of::<c_long>() == size_of::<i64>();

/// The argument, if it is an array of ours of one axis with elements, up to so many.
fn one_axis<'a, 'py>(value: &'a Bound<'py, PyAny>, most: usize) -> PyResult<Option<&'a Bound<'py, NdArray>>> {
    let Ok(ours) = value.cast_exact::<NdArray>() else { return Ok(None) };
    let me = ours.open();
    let array = me.array(value.py())?;
    let suits = array.ndim() == 1 && (1..=most).contains(&array.size()) && !array.is_exported_on_device();
    Ok(suits.then_some(ours))
}

/// The elements of one axis whose order is drawn, computed and in place.
pub(super) struct Ordered {
    array: Array,
    first: *mut u8,
    /// Keeps the memory of an array that was there before in place.
    export: Option<Export>,
    /// Whether the call returns the array.
    is_result: bool,
}

impl Ordered {
    /// An array whose elements are put into another order.
    fn new(py: Python<'_>, array: Array, is_result: bool) -> PyResult<Ordered> {
        let export = to_py_result(py, array.export_for_call())?;
        Ok(Ordered { array, first: export.address(), export: Some(export), is_result })
    }

    /// What a call of `shuffle` orders; `None` if it is left to NumPy.
    pub(super) fn of_shuffle(call: Arguments<'_, '_>) -> PyResult<Option<Ordered>> {
        let py = call.py();
        let Some(ours) = call.sole().map_or(Ok(None), |value| one_axis(value, MAX_DRAWN))? else { return Ok(None) };
        let array = ours.open().array(py)?.clone();
        if array.is_writeable() { Ordered::new(py, array, false).map(Some) } else { Ok(None) }
    }

    /// What a call of `permutation` orders; `None` if it is left to NumPy.
    pub(super) fn of_permutation(call: Arguments<'_, '_>) -> PyResult<Option<Ordered>> {
        let (py, Some(value)) = (call.py(), call.sole()) else { return Ok(None) };
        if let Some(ours) = one_axis(value, MAX_DRAWN)? {
            let copy = to_py_result(py, ours.open().array(py)?.copy(Order::C))?;
            return Ordered::new(py, copy, true).map(Some);
        }
        let Some(bound) = integer(value).and_then(|bound| usize::try_from(bound).ok()) else { return Ok(None) };
        if !IS_LONG || !(1..=MAX_DRAWN).contains(&bound) {
            return Ok(None);
        }
        let (array, first) = to_py_result(py, Array::unwritten(&[bound], DType::I64))?;
        // SAFETY: the memory of a new array.
        (0..bound).for_each(|i| unsafe { first.cast::<i64>().add(i).write(i as i64) });
        Ok(Some(Ordered { array, first, export: None, is_result: true }))
    }

    /// Draws the order.
    ///
    /// # Safety
    /// The bit generator is locked.
    pub(super) unsafe fn draw(&self, bits: *mut BitGenerator, of: &Distributions) {
        // SAFETY: the caller's contract. The size of an element is one of these.
        unsafe {
            match self.array.dtype().size() {
                1 => self.draw_elements::<u8>(bits, of),
                2 => self.draw_elements::<u16>(bits, of),
                4 => self.draw_elements::<u32>(bits, of),
                8 => self.draw_elements::<u64>(bits, of),
                _ => self.draw_elements::<u128>(bits, of),
            }
        }
    }

    /// [`Ordered::draw`] of elements as large as `T`: moved by a size that is known, they take a fifth less time.
    ///
    /// # Safety
    /// As there.
    unsafe fn draw_elements<T: Copy>(&self, bits: *mut BitGenerator, of: &Distributions) {
        let stride = self.array.strides()[0];
        let at = |i: usize| self.first.wrapping_offset(i as isize * stride).cast::<T>();
        for i in (1..self.array.size()).rev() {
            // SAFETY: the caller's contract; both indices are those of elements, which are in place. They may be the same one.
            unsafe {
                let (one, other) = (at(i), at((of.interval)(bits, i as u64) as usize));
                let kept = other.read_unaligned();
                other.write_unaligned(one.read_unaligned());
                one.write_unaligned(kept);
            }
        }
    }

    /// What the call returns.
    pub(super) fn result(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        drop(self.export);
        if self.is_result { new_object(py, self.array) } else { Ok(py.None().into_bound(py)) }
    }
}

/// What `choice` chooses from with replacement: an array, or the numbers below a bound.
pub(super) struct Choice<'a, 'py> {
    pub(super) from: Option<&'a Bound<'py, NdArray>>,
    pub(super) population: usize,
    pub(super) count: usize,
}

impl<'a, 'py> Choice<'a, 'py> {
    /// The arguments of a call without probabilities; `None` for others.
    pub(super) fn of(call: Arguments<'a, 'py>) -> PyResult<Option<Choice<'a, 'py>>> {
        let Some([Some(from), Some(size)]) = call.read(["a", "size"])?.filter(|_| IS_LONG) else { return Ok(None) };
        let extent = |value: &Bound<'_, PyAny>| usize::try_from(integer(value)?).ok();
        let Some(count) = extent(size) else { return Ok(None) };
        if let Some(population) = extent(from).filter(|&population| population > 0) {
            return Ok(Some(Choice { from: None, population, count }));
        }
        let Some(ours) = one_axis(from, usize::MAX)? else { return Ok(None) };
        let population = ours.open().array(call.py())?.size();
        Ok(Some(Choice { from: Some(ours), population, count }))
    }
}
