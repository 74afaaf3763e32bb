//! Eager fills and copies: loops over the memory of small dense arrays, without a kernel.

use crate::array::array::Array;
use crate::array::layout::{Layout, byte_count, same_shape};
use crate::array::value::Value;
use crate::error::Result;
use crate::plan::trace::Operation;
use crate::runtime::eager_gate::{Eager, EagerLimit};
use crate::runtime::lock::runtime;
use crate::runtime::record::DenseStatement;
use crate::runtime::state::Runtime;
use fastnp_codegen::{DType, Scalar};
use smallvec::SmallVec;

/// Integers up to which [`count_up`] counts, whatever the setting `tiny` allows: they are exact in 32 bits, also as `float32`.
const MAX_COUNTED: usize = 1 << 20;

/// Equal bytes up to which they are written eagerly; of more a kernel is as fast, which has threads (240 KB: 6.4 µs both).
const MAX_WRITTEN: usize = 1 << 18;

/// A dense array of one value, eagerly if it is small, else recorded.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn full(shape: &[usize], value: Scalar) -> Result<Array> {
    let dtype = value.dtype();
    let size = byte_count(shape, dtype.size())?;
    let n = size / dtype.size();
    let layout = Layout::dense(shape, dtype.size());
    let mut runtime = runtime();
    // Equal bytes are written as fast as others are copied: 4,000 to 16,000 zeros took a kernel 1.3 times as long as NumPy.
    let is_written = size <= MAX_WRITTEN && repeated_byte(value).is_some();
    let limit = if is_written { EagerLimit::CopiedElements } else { EagerLimit::Points(dtype.size()) };
    let Some(gate) = Eager::within(&mut runtime, n, limit) else {
        let result = Array { storage: runtime.trace.new_storage(size).into(), layout, dtype, writeable: true };
        record_copy(&mut runtime, Value::Scalar(value), &[value], &result)?;
        return Ok(result);
    };
    let storage = gate.create(size, |_, address| {
        // SAFETY: the memory is new and has room for so many elements.
        unsafe { fill_elements(address, n, value) };
        Ok(())
    })?;
    Ok(Array { storage, layout, dtype, writeable: true })
}

/// Fills a dense array with a value of its type, if it is small and no pending node uses it; whether it did.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn fill(array: &Array, value: Scalar) -> Result<bool> {
    if value.dtype() != array.dtype || !array.is_c_contiguous() {
        return Ok(false);
    }
    let n = array.size();
    let mut runtime = runtime();
    if n == 0 {
        return Ok(false);
    }
    let Some(gate) = Eager::within(&mut runtime, n, EagerLimit::Points(array.dtype.size())) else { return Ok(false) };
    let Some(target) = gate.target(&array.storage) else { return Ok(false) };
    gate.write(target, |_, start| {
        // SAFETY: the array is dense and has so many elements of the value's type; no other code uses them now.
        unsafe { fill_elements(start.wrapping_offset(array.layout.offset), n, value) };
        Ok(())
    })?;
    Ok(true)
}

/// Writes a value to so many consecutive elements.
///
/// # Safety
/// The memory has room for so many elements of the value's type, and no other code uses it.
unsafe fn fill_elements(address: *mut u8, n: usize, value: Scalar) {
    let (bits, size) = (value.bits(), value.dtype().size());
    if let Some(byte) = repeated_byte(value) {
        // The C library's loop has wider stores.
        // SAFETY: the caller's contract.
        return unsafe { address.write_bytes(byte, n * size) };
    }
    // By words, which the compiler vectorises: a copy of bytes for each element takes 2 ns.
    // SAFETY: the caller's contract.
    unsafe {
        match size {
            1 => fill_words(address, n, bits as u8),
            2 => fill_words(address, n, bits as u16),
            4 => fill_words(address, n, bits as u32),
            8 => fill_words(address, n, bits as u64),
            _ => fill_words(address, n, bits),
        }
    }
}

/// The byte that all bytes of a value are, as of zero.
fn repeated_byte(value: Scalar) -> Option<u8> {
    let bytes = value.bytes();
    bytes[..value.dtype().size()].iter().all(|&byte| byte == bytes[0]).then_some(bytes[0])
}

/// [`fill_elements`] for a word of an element's size.
unsafe fn fill_words<T: Copy>(address: *mut u8, n: usize, word: T) {
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe { address.cast::<T>().add(i).write_unaligned(word) };
    }
}

/// Concatenates small, ready, dense arrays of one type along an axis; `None` where they are of another kind, or the result is not
/// to be dense.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn concatenate(arrays: &[&Array], axis: usize, layout: &Layout, dtype: DType) -> Result<Option<Array>> {
    let n = layout.size();
    let mut runtime = runtime();
    if n == 0 || !layout.is_c_contiguous(dtype.size()) {
        return Ok(None);
    }
    let Some(gate) = Eager::within(&mut runtime, n, EagerLimit::CopiedElements) else { return Ok(None) };
    let rows: usize = layout.shape[..axis].iter().product();
    // For each array its address and the bytes it contributes to a row.
    let mut pieces: SmallVec<[(*const u8, usize); 4]> = SmallVec::new();
    for array in arrays {
        match gate.read(&array.storage) {
            Some(start) if array.dtype == dtype && array.is_c_contiguous() => {
                pieces.push((start.wrapping_offset(array.layout.offset), array.nbytes() / rows));
            }
            _ => return Ok(None),
        }
    }
    let storage = gate.create(n * dtype.size(), |_, mut to| {
        for row in 0..rows {
            for &(start, bytes) in &pieces {
                // SAFETY: the arrays are dense and ready, and the memory is new and has room for all of them.
                unsafe { std::ptr::copy_nonoverlapping(start.add(row * bytes), to, bytes) };
                to = to.wrapping_add(bytes);
            }
        }
        Ok(())
    })?;
    Ok(Some(Array { storage, layout: layout.clone(), dtype, writeable: true }))
}

/// The integers from zero up, computed eagerly if they are few: a launch takes three times as long.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn count_up(n: usize, dtype: DType) -> Result<Option<Array>> {
    let mut runtime = runtime();
    if n > MAX_COUNTED || !matches!(dtype, DType::I32 | DType::I64 | DType::F32 | DType::F64) {
        return Ok(None);
    }
    let Some(gate) = Eager::within(&mut runtime, n, EagerLimit::Points(dtype.size())) else { return Ok(None) };
    let storage = gate.create(n * dtype.size(), |_, address| {
        // Counted in 32 bits, from which vector conversions exist.
        let all = 0..n as i32;
        // SAFETY: the memory is new, aligned for any type, and has room for so many elements of this one.
        unsafe {
            match dtype {
                DType::I32 => all.for_each(|i| address.cast::<i32>().add(i as usize).write(i)),
                DType::F32 => all.for_each(|i| address.cast::<f32>().add(i as usize).write(i as f32)),
                DType::F64 => all.for_each(|i| address.cast::<f64>().add(i as usize).write(i.into())),
                _ => all.for_each(|i| address.cast::<i64>().add(i as usize).write(i.into())),
            }
        }
        Ok(())
    })?;
    Ok(Some(Array { storage, layout: Layout::dense(&[n], dtype.size()), dtype, writeable: true }))
}

/// A copy of a dense array, eagerly if it is small and ready, else recorded; `None` where the array is not dense.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn copy(array: &Array) -> Result<Option<Array>> {
    if !array.is_c_contiguous() {
        return Ok(None);
    }
    let (n, dtype) = (array.size(), array.dtype);
    if n == 0 {
        return Ok(None);
    }
    let layout = Layout::dense(array.shape(), dtype.size());
    let bytes = n * dtype.size();
    let mut runtime = runtime();
    let gate = Eager::within(&mut runtime, n, EagerLimit::CopiedElements)
        .and_then(|gate| gate.read(&array.storage).map(|start| (gate, start)));
    let Some((gate, start)) = gate else {
        let result = Array { storage: runtime.trace.new_storage(bytes).into(), layout, dtype, writeable: true };
        record_copy(&mut runtime, Value::Array(array), &[], &result)?;
        return Ok(Some(result));
    };
    let storage = gate.create(bytes, |_, address| {
        // SAFETY: the array is dense and ready, and the memory is new and has room for it.
        unsafe { std::ptr::copy_nonoverlapping(start.wrapping_offset(array.layout.offset), address, bytes) };
        Ok(())
    })?;
    Ok(Some(Array { storage, layout, dtype, writeable: true }))
}

/// Records a copy of an array, or of a number, to a new array.
fn record_copy(runtime: &mut Runtime, from: Value<'_>, numbers: &[Scalar], result: &Array) -> Result<()> {
    let (op, compute) = (Operation::Copy, result.dtype);
    runtime.record_dense(DenseStatement { op, compute, args: &[from], numbers, result, covers: true })
}

/// Copies a dense array to another one of its shape and type, if they are small and ready; whether it did.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn copy_to(source: &Array, target: &Array) -> Result<bool> {
    let dense = source.is_c_contiguous() && target.is_c_contiguous();
    if source.dtype != target.dtype || !dense || !same_shape(source.shape(), target.shape()) {
        return Ok(false);
    }
    let n = target.size();
    let mut runtime = runtime();
    if n == 0 {
        return Ok(false);
    }
    let Some(gate) = Eager::within(&mut runtime, n, EagerLimit::Points(target.dtype.size())) else { return Ok(false) };
    let Some(free) = gate.target(&target.storage) else { return Ok(false) };
    let Some(start) = gate.read(&source.storage) else { return Ok(false) };
    gate.write(free, |_, to| {
        let (from, to) = (start.wrapping_offset(source.layout.offset), to.wrapping_offset(target.layout.offset));
        // SAFETY: both are dense and of one size, and no other code uses their memory now; they may overlap.
        unsafe { std::ptr::copy(from, to, target.nbytes()) };
        Ok(())
    })?;
    Ok(true)
}
