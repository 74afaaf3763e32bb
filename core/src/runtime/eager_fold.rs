//! Eager folds to one number: inner products, and reductions of all elements.

use crate::array::array::Array;
use crate::array::element;
use crate::array::layout::Layout;
use crate::error::Result;
use crate::host::gemm::{Product, strided_dot};
use crate::memory::guarded_range;
use crate::plan::trace::{Composite, Operation};
use crate::runtime::eager_gate::{Eager, EagerLimit};
use crate::runtime::eager_kernels::{fold_kernel, inner_kernel};
use crate::runtime::lock::{recording, runtime};
use fastnp_codegen::drive::fp_status;
use fastnp_codegen::{DType, Fold, FoldOrder, FpFlags, Launch, Scalar};

/// A vector of an inner product.
#[derive(Clone, Copy)]
pub(crate) enum Vector<'a> {
    /// An array, which has to be ready.
    Array(&'a Array),
    /// Dense elements of a type in memory of code outside, which nothing writes during the call.
    Lent(*const u8, DType),
}

impl Vector<'_> {
    pub(crate) fn dtype(self) -> DType {
        match self {
            Vector::Array(array) => array.dtype,
            Vector::Lent(_, dtype) => dtype,
        }
    }

    fn stride(self) -> isize {
        match self {
            Vector::Array(array) => array.strides()[0],
            Vector::Lent(_, dtype) => dtype.size() as isize,
        }
    }

    fn is_dense(self) -> bool {
        self.stride() == self.dtype().size() as isize
    }

    /// Whether an array's memory is shared.
    fn is_shared(self) -> bool {
        matches!(self, Vector::Array(array) if array.storage.is_shared())
    }
}

/// The inner product of two short, ready vectors of `n` elements, in one launch; `None` where they are of another kind.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn inner(product: Product, n: usize, [a, b]: [Vector<'_>; 2], compute: DType) -> Result<Option<Array>> {
    let mut runtime = recording()?;
    if n < 2 {
        return Ok(None);
    }
    runtime.lone.follow();
    let is_shared = a.is_shared() || b.is_shared();
    let limit = if is_shared { EagerLimit::FoldedSharedElements } else { EagerLimit::FoldedElements };
    let Some(gate) = Eager::within(&mut runtime, n, limit) else { return Ok(None) };
    let start = |vector| match vector {
        Vector::Array(array) => gate.read(&array.storage).map(|start| start.wrapping_offset(array.layout.offset)),
        // A view of an array of the engine's, which may be closed: its fault would wait for the lock that is held here.
        Vector::Lent(start, _) => (!guarded_range::contains(start.addr())).then_some(start),
    };
    let (Some(x), Some(y)) = (start(a), start(b)) else { return Ok(None) };
    let (a_type, b_type) = (a.dtype(), b.dtype());
    let storage = gate.create(compute.size(), |gate, address| {
        if !(a.is_dense() && b.is_dense()) && a_type == compute && b_type == compute {
            // SAFETY: both vectors are ready, and have `n` elements of the type; the result has room for one.
            let raised = unsafe { strided_dot(compute, n, (x, a.stride()), (y, b.stride()), address) };
            if let Some(raised) = raised {
                gate.note_product(product, raised);
                return Ok(());
            }
        }
        let launch = Launch {
            outer: &[],
            inner: &[n],
            addresses: &[x.cast_mut(), y.cast_mut(), address],
            strides: &[a.stride(), b.stride(), 0],
            scalars: &[],
        };
        let key = 1 << 63 | (a_type as u64) << 8 | (b_type as u64) << 4 | compute as u64;
        let kernel = || inner_kernel(a_type, b_type, compute);
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
