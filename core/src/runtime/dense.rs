//! Ops on dense arrays of one shape and of the type computed in: the commonest calls by far.
//!
//! They become neither views nor a statement. Run at once, `a + b` on ten elements costs half of what it costs as a
//! statement; recorded, two thirds. The same goes for small dense arrays that are filled, or copied as they are. What runs at
//! once may also be columns of a matrix, or any other arrays of one axis whose elements lie equally far from each other.

use crate::array::array::Array;
use crate::array::layout::{Layout, byte_count, count, same_shape};
use crate::array::value::Value;
use crate::error::Result;
use crate::plan::trace::Operation;
use crate::runtime::recorder::{engine, recording};
use fastnp_codegen::{Access, DType, Kernel, KernelBuilder, Launch, Op, Scalar, Template};
use smallvec::SmallVec;

/// Applies an op to dense arrays and numbers, at once where they are few and ready; `None` where the arguments are not such.
///
/// # Errors
/// `OverflowError` for a Python integer out of bounds, `MemoryError`.
pub(crate) fn apply(op: Op, compute: DType, args: &[Value<'_>]) -> Result<Option<Array>> {
    let shape = args.iter().find_map(|arg| if let Value::Array(a) = arg { Some(a.shape()) } else { None });
    let Some(shape) = shape else { return Ok(None) };
    let Some(is_dense) = lie(args, compute, shape) else { return Ok(None) };
    let points = count(shape);
    if points == 0 {
        return Ok(None);
    }
    let mut addresses = [std::ptr::null_mut(); 3];
    let mut strides = [0; 3];
    let mut scalars = [Scalar::zero(compute); 2];
    let (mut arrays, mut numbers, mut kinds) = (0, 0, 0);
    let mut engine = recording()?;
    let mut now = points <= engine.tiny;
    for (i, arg) in args.iter().enumerate() {
        if let Value::Array(a) = arg {
            match engine.ready_address(&a.storage) {
                Some(start) if now => addresses[arrays] = start.wrapping_offset(a.layout.offset),
                _ => now = false,
            }
            strides[arrays] = step(a, is_dense);
            arrays += 1;
        } else {
            scalars[numbers] = arg.scalar(compute)?.unwrap_or(scalars[numbers]).cast(compute);
            numbers += 1;
            kinds |= 1 << i;
        }
    }
    let dtype = op.result(compute);
    let layout = Layout::dense(shape, dtype.size());
    // No overflow: the types are sixteen bytes at most, and an array is not a sixteenth of the address space.
    let bytes = points * dtype.size();
    if !now {
        if !is_dense {
            return Ok(None);
        }
        let result = Array { storage: engine.trace.storage(bytes).into(), layout, dtype, writeable: true };
        engine.record_dense(Operation::Apply(op), compute, args, &scalars, &result, true)?;
        return Ok(Some(result));
    }
    let (storage, address) = engine.made(bytes)?;
    addresses[arrays] = address;
    strides[arrays] = dtype.size() as isize;
    let launch = Launch {
        outer: &[points],
        inner: &[],
        addresses: &addresses[..=arrays],
        strides: &strides[..=arrays],
        scalars: &scalars[..numbers],
    };
    engine.launch_dense(op, compute, kinds, &launch)?;
    Ok(Some(Array { storage, layout, dtype, writeable: true }))
}

/// Applies an op to dense arrays and numbers and writes to a dense array, at once where they are few and ready; whether the
/// arguments were such.
///
/// # Errors
/// `OverflowError` for a Python integer out of bounds, `MemoryError`.
pub(crate) fn apply_to(op: Op, compute: DType, args: &[Value<'_>], out: &Array) -> Result<bool> {
    let (out_is_dense, dtype) = (out.is_c_contiguous(), op.result(compute));
    if !out.writeable || out.dtype != dtype || !(out_is_dense || is_line(out)) {
        return Ok(false);
    }
    let Some(is_dense) = lie(args, compute, out.shape()).map(|dense| dense && out_is_dense) else { return Ok(false) };
    let points = out.size();
    let mut engine = recording()?;
    if points == 0 || out.storage.is_watched() {
        return Ok(false);
    }
    let mut now = points <= engine.tiny && engine.is_free(&out.storage);
    let mut addresses = [std::ptr::null_mut(); 3];
    let mut scalars = [Scalar::zero(compute); 2];
    let (mut arrays, mut numbers, mut kinds) = (0, 0, IN_PLACE);
    let mut strides = [0; 3];
    for (i, arg) in args.iter().enumerate() {
        if let Value::Array(a) = arg {
            if !same_or_apart(a, out) {
                return Ok(false);
            }
            strides[arrays] = step(a, is_dense);
            match engine.ready_address(&a.storage) {
                Some(start) if now => addresses[arrays] = start.wrapping_offset(a.layout.offset),
                _ => now = false,
            }
            arrays += 1;
        } else {
            scalars[numbers] = arg.scalar(compute)?.unwrap_or(scalars[numbers]).cast(compute);
            numbers += 1;
            kinds |= 1 << i;
        }
    }
    if !now {
        if is_dense {
            engine.record_dense(Operation::Apply(op), compute, args, &scalars, out, out.covers_storage())?;
        }
        return Ok(is_dense);
    }
    addresses[arrays] = out.storage.materialize()?.wrapping_offset(out.layout.offset);
    strides[arrays] = step(out, is_dense);
    let launch = Launch {
        outer: &[points],
        inner: &[],
        addresses: &addresses[..=arrays],
        strides: &strides[..=arrays],
        scalars: &scalars[..numbers],
    };
    engine.launch_dense(op, compute, kinds, &launch)?;
    out.storage.written()?;
    Ok(true)
}

/// Whether the arrays among arguments are all dense, which else are of one axis; none where one is neither, or of another shape or type.
#[inline]
fn lie(args: &[Value<'_>], compute: DType, shape: &[usize]) -> Option<bool> {
    let mut is_dense = true;
    for arg in args {
        let Value::Array(a) = arg else { continue };
        let dense = a.is_c_contiguous();
        if a.dtype != compute || !(dense || is_line(a)) || !same_shape(a.shape(), shape) {
            return None;
        }
        is_dense &= dense;
    }
    Some(is_dense)
}

/// Whether an array has one axis, whose elements do not overlap.
#[inline]
fn is_line(a: &Array) -> bool {
    matches!(a.strides(), [stride] if stride.unsigned_abs() >= a.dtype.size())
}

/// Bytes from one element to the next, of arrays that are all dense or all of one axis.
#[inline]
fn step(a: &Array, is_dense: bool) -> isize {
    if is_dense { a.dtype.size() as isize } else { a.strides()[0] }
}

/// Whether an array lies just where another one does, or wholly elsewhere; each is dense or of one axis.
#[inline]
fn same_or_apart(a: &Array, b: &Array) -> bool {
    let place = |x: &Array| x.storage.known_address().map(|start| start.addr() as isize + x.layout.offset);
    let (from, to) = if a.same_storage(b) {
        (a.layout.offset, b.layout.offset)
    } else {
        // By address, since two storages may lie on the same foreign memory. Without memory they do not yet.
        let (Some(from), Some(to)) = (place(a), place(b)) else { return true };
        (from, to)
    };
    let (from, to) = (reach(a, from), reach(b, to));
    let is_same = from == to && a.dtype == b.dtype && (a.ndim() != 1 || a.strides() == b.strides());
    is_same || from.1 <= to.0 || to.1 <= from.0
}

/// The bytes from the first to behind the last that a dense array, or one of one axis, has elements in.
#[inline]
fn reach(a: &Array, start: isize) -> (isize, isize) {
    match a.strides() {
        [stride] => {
            let last = start + stride * (a.size() as isize - 1);
            (start.min(last), start.max(last) + a.dtype.size() as isize)
        }
        _ => (start, start + a.nbytes() as isize),
    }
}

/// A dense array of one value, at once where it is small.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn full(shape: &[usize], value: Scalar) -> Result<Array> {
    let dtype = value.dtype();
    let size = byte_count(shape, dtype.size())?;
    let n = size / dtype.size();
    let layout = Layout::dense(shape, dtype.size());
    let mut engine = engine();
    if n > engine.tiny {
        let result = Array { storage: engine.trace.storage(size).into(), layout, dtype, writeable: true };
        engine.record_dense(Operation::Copy, dtype, &[Value::Scalar(value)], &[value], &result, true)?;
        return Ok(result);
    }
    let (storage, address) = engine.made(size)?;
    // SAFETY: the memory is new and has room for so many elements.
    unsafe { set_all(address, n, value) };
    engine.seen.stats.ran_at_once();
    Ok(Array { storage, layout, dtype, writeable: true })
}

/// Sets every element of a dense array to a value of its type, where they are few and nothing pending touches them; whether
/// it did.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn fill(array: &Array, value: Scalar) -> Result<bool> {
    if value.dtype() != array.dtype || !array.is_c_contiguous() {
        return Ok(false);
    }
    let n = array.size();
    let mut engine = engine();
    if n == 0 || n > engine.tiny || array.storage.is_watched() || !engine.is_free(&array.storage) {
        return Ok(false);
    }
    let address = array.storage.materialize()?.wrapping_offset(array.layout.offset);
    // SAFETY: the array is dense and has so many elements of the value's type; nobody else reads or writes them now.
    unsafe { set_all(address, n, value) };
    array.storage.written()?;
    engine.seen.stats.ran_at_once();
    Ok(true)
}

/// Writes a value to so many places in a row.
///
/// # Safety
/// The memory has room for so many elements of the value's type, and nobody else looks at it.
unsafe fn set_all(address: *mut u8, n: usize, value: Scalar) {
    let bits = value.bits();
    // By words, which the compiler writes several at a time: a copy of bytes for each element takes 2 ns.
    // SAFETY: the caller's contract.
    unsafe {
        match value.dtype().size() {
            1 => set_words(address, n, bits as u8),
            2 => set_words(address, n, bits as u16),
            4 => set_words(address, n, bits as u32),
            8 => set_words(address, n, bits as u64),
            _ => set_words(address, n, bits),
        }
    }
}

/// [`set_all`] for a word of an element's size.
unsafe fn set_words<T: Copy>(address: *mut u8, n: usize, word: T) {
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe { address.cast::<T>().add(i).write_unaligned(word) };
    }
}

/// Dense arrays of one type, few and ready, one after the other along an axis; none where they are not such, or the result is not
/// to be dense.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn joined(arrays: &[&Array], axis: usize, layout: &Layout, dtype: DType) -> Result<Option<Array>> {
    let n = layout.size();
    let mut engine = engine();
    if n == 0 || n > engine.tiny || !layout.is_c_contiguous(dtype.size()) {
        return Ok(None);
    }
    let rows: usize = layout.shape[..axis].iter().product();
    // Of each row what an array has of it, and where that begins.
    let mut pieces: SmallVec<[(*mut u8, usize); 4]> = SmallVec::new();
    for array in arrays {
        match engine.ready_address(&array.storage) {
            Some(start) if array.dtype == dtype && array.is_c_contiguous() => {
                pieces.push((start.wrapping_offset(array.layout.offset), array.nbytes() / rows));
            }
            _ => return Ok(None),
        }
    }
    let (storage, mut to) = engine.made(n * dtype.size())?;
    for row in 0..rows {
        for &(start, bytes) in &pieces {
            // SAFETY: the arrays are dense and ready, and the memory is new and has room for all of them.
            unsafe { std::ptr::copy_nonoverlapping(start.add(row * bytes), to, bytes) };
            to = to.wrapping_add(bytes);
        }
    }
    engine.seen.stats.ran_at_once();
    Ok(Some(Array { storage, layout: layout.clone(), dtype, writeable: true }))
}

/// The integers from zero up in a type, made at once where they are few: as a launch they would take three times as long.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn counted(n: usize, dtype: DType) -> Result<Option<Array>> {
    let mut engine = engine();
    if n > engine.tiny.min(1 << 20) || !matches!(dtype, DType::I32 | DType::I64 | DType::F32 | DType::F64) {
        return Ok(None);
    }
    let (storage, address) = engine.made(n * dtype.size())?;
    // Counted in 32 bits, which the processor converts several at a time.
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
    engine.seen.stats.ran_at_once();
    Ok(Some(Array { storage, layout: Layout::dense(&[n], dtype.size()), dtype, writeable: true }))
}

/// A copy of a dense array, at once where it is small and ready; `None` where the array is not dense.
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
    let mut engine = engine();
    let start = match engine.ready_address(&array.storage) {
        Some(start) if n <= engine.tiny => start.wrapping_offset(array.layout.offset),
        _ => {
            let result = Array { storage: engine.trace.storage(bytes).into(), layout, dtype, writeable: true };
            engine.record_dense(Operation::Copy, dtype, &[Value::Array(array)], &[], &result, true)?;
            return Ok(Some(result));
        }
    };
    let (storage, address) = engine.made(bytes)?;
    // SAFETY: the array is dense and ready, and the memory is new and has room for it.
    unsafe { std::ptr::copy_nonoverlapping(start, address, bytes) };
    engine.seen.stats.ran_at_once();
    Ok(Some(Array { storage, layout, dtype, writeable: true }))
}

/// Copies a dense array to another one of its shape and type, at once where they are small and ready; whether it did.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn copy_to(source: &Array, target: &Array) -> Result<bool> {
    let dense = source.is_c_contiguous() && target.is_c_contiguous();
    if source.dtype != target.dtype || !dense || !same_shape(source.shape(), target.shape()) {
        return Ok(false);
    }
    let n = target.size();
    let mut engine = engine();
    if n == 0 || n > engine.tiny || target.storage.is_watched() || !engine.is_free(&target.storage) {
        return Ok(false);
    }
    let Some(start) = engine.ready_address(&source.storage) else { return Ok(false) };
    let to = target.storage.materialize()?.wrapping_offset(target.layout.offset);
    // SAFETY: both are dense, of one size, and have memory that nobody else reads or writes now; they may overlap.
    unsafe { std::ptr::copy(start.wrapping_offset(source.layout.offset), to, target.nbytes()) };
    target.storage.written()?;
    engine.seen.stats.ran_at_once();
    Ok(true)
}

/// Of the kinds of a kernel: its target may be what it reads.
const IN_PLACE: usize = 4;
/// How many kinds there are.
pub(crate) const KINDS: usize = 8;

/// The kernel of an op on dense arrays of one type; `kinds` says, bit by bit, which of the arguments are numbers, and whether
/// it works in place.
pub(crate) fn kernel(op: Op, compute: DType, kinds: usize) -> Kernel {
    let mut k = KernelBuilder::new(Template::Map, 1, 0);
    let mut args: SmallVec<[_; 2]> = SmallVec::new();
    for i in 0..op.arity() {
        args.push(if kinds >> i & 1 != 0 {
            let parameter = k.scalar(compute);
            k.body().param(parameter)
        } else {
            let operand = k.operand(compute, Access::Read, false);
            k.body().load(operand)
        });
    }
    let target = k.operand(op.result(compute), Access::Write, kinds & IN_PLACE == 0);
    let mut body = k.body();
    let value = body.apply(op, &args);
    let value = body.cast(value, op.result(compute));
    body.store(target, value);
    k.finish()
}
