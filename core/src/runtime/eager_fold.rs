//! Eager folds to one number: inner products, and reductions of all elements.

use crate::array::array::Array;
use crate::array::element;
use crate::array::layout::Layout;
use crate::error::Result;
use crate::host::gemm::{Product, strided_dot};
use crate::plan::trace::{Composite, Operation};
use crate::runtime::eager_gate::{Eager, EagerLimit};
use crate::runtime::eager_kernels::{fold_kernel, inner_kernel};
use crate::runtime::lock::{recording, runtime};
use fastnp_codegen::drive::fp_status;
use fastnp_codegen::{DType, Fold, FoldOrder, FpFlags, Launch, Scalar};

/// The inner product of two short, ready vectors, in one launch; `None` where they are of another kind.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn inner(product: Product, a: &Array, b: &Array, compute: DType) -> Result<Option<Array>> {
    let n = a.size();
    let mut runtime = recording()?;
    if n < 2 {
        return Ok(None);
    }
    runtime.lone.follow();
    let is_shared = a.storage.is_shared() || b.storage.is_shared();
    let limit = if is_shared { EagerLimit::FoldedSharedElements } else { EagerLimit::FoldedElements };
    let Some(gate) = Eager::within(&mut runtime, n, limit) else { return Ok(None) };
    let (Some(x), Some(y)) = (gate.read(&a.storage), gate.read(&b.storage)) else { return Ok(None) };
    let (x, y) = (x.wrapping_offset(a.layout.offset), y.wrapping_offset(b.layout.offset));
    let storage = gate.create(compute.size(), |gate, address| {
        let dense = a.is_c_contiguous() && b.is_c_contiguous();
        if !dense && a.dtype == compute && b.dtype == compute {
            // SAFETY: both vectors are ready, and have `n` elements of the type; the result has room for one.
            let raised = unsafe { strided_dot(compute, n, (x, a.strides()[0]), (y, b.strides()[0]), address) };
            if let Some(raised) = raised {
                gate.note_product(product, raised);
                return Ok(());
            }
        }
        let launch = Launch {
            outer: &[],
            inner: &[n],
            addresses: &[x.cast_mut(), y.cast_mut(), address],
            strides: &[a.strides()[0], b.strides()[0], 0],
            scalars: &[],
        };
        let key = 1 << 63 | (a.dtype as u64) << 8 | (b.dtype as u64) << 4 | compute as u64;
        let kernel = || inner_kernel(a.dtype, b.dtype, compute);
        // SAFETY: both vectors are ready and have `n` elements; the memory is new and has room for one.
        unsafe { gate.launch_keyed(key, kernel, &launch, Some(Composite::Product(product))) }
    })?;
    Ok(Some(Array { storage, layout: Layout::dense(&[], compute.size()), dtype: compute, writeable: true }))
}

/// Whether a fold in lanes may give another result than one from the first element on, beyond rounding. `float16` is folded in `float32`,
/// whose range is larger.
pub(crate) fn depends_on_order(fold: Fold, compute: DType) -> bool {
    compute != DType::F16 && fold.row().is_some_and(|row| row.order == FoldOrder::Lanes && row.rounds(compute))
}

/// Does work, and returns with its result the flags that it raised under a name, underflow included. They are not logged.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn flags_of<T>(name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<(T, FpFlags)> {
    let before = recording()?.telemetry.fp_flags.replace(name, FpFlags::NONE);
    fp_status::set_reported(FpFlags::ALL);
    let done = work();
    let log = &mut runtime().telemetry.fp_flags;
    fp_status::set_reported(log.errstate.reported());
    let raised = log.replace(name, before);
    done.map(|done| (done, raised))
}

/// A fold of all elements of a small, ready, dense array, in one launch; `None` where it is of another kind.
///
/// The result has no array: with one, `a.max()` of ten elements takes half as long again.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn fold(array: &Array, fold: Fold, compute: DType) -> Result<Option<Scalar>> {
    if !depends_on_order(fold, compute) {
        return fold_in_any_order(array, fold, compute);
    }
    let (value, raised) = flags_of("reduce", || fold_in_any_order(array, fold, compute))?;
    Ok(value.filter(|_| raised.is_empty()))
}

/// [`fold`] where partial results may overflow as they like.
fn fold_in_any_order(array: &Array, fold: Fold, compute: DType) -> Result<Option<Scalar>> {
    let n = array.size();
    let result = fold.result(compute);
    // What raises no flag is under no `np.errstate`.
    let is_quiet = array.dtype == compute && fold.effects(compute).is_empty();
    let mut runtime = if is_quiet { runtime() } else { recording()? };
    if n == 0 || !array.is_c_contiguous() {
        return Ok(None);
    }
    runtime.lone.follow();
    let Some(gate) = Eager::within(&mut runtime, n, EagerLimit::FoldedElements) else { return Ok(None) };
    let Some(start) = gate.read(&array.storage) else { return Ok(None) };
    gate.compute(|gate| {
        let mut bytes = 0u128;
        let to = (&raw mut bytes).cast::<u8>();
        let launch = Launch {
            outer: &[],
            inner: &[n],
            addresses: &[start.cast_mut().wrapping_offset(array.layout.offset), to],
            strides: &[array.dtype.size() as isize, 0],
            scalars: &[],
        };
        let (from, code) = (array.dtype, Operation::Fold(fold).code());
        let key = 1 << 62 | code << 12 | (from as u64) << 8 | (compute as u64) << 4 | result as u64;
        // SAFETY: the array is dense and ready; the target has room for any element.
        unsafe { gate.launch_keyed(key, || fold_kernel(fold, [from, compute, result]), &launch, None)? };
        Ok(Some(element::read(to, result)))
    })
}
