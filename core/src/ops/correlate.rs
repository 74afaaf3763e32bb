//! Correlations of vectors (`np.correlate`, `np.convolve`), term by term. They run when they are called.

use crate::array::array::Array;
use crate::array::layout::{Layout, Order, c_strides};
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::host::threads::Threads;
use crate::ops::promote::promote_types;
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::runtime;
use fastnp_codegen::host::correlation::{Correlation, SUMS};
use fastnp_codegen::{DType, ThreadPool};

/// Nanoseconds of a term.
const TERM_NS: f64 = 0.12;

/// Which sums of a correlation are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlap {
    /// Those of every shift with a term.
    Full,
    /// As many as the longer vector has elements, from the middle.
    Same,
    /// Those with all terms.
    Valid,
}

/// `out[i]` = sum over `j` of `a[i - left + j] * v[j]`, where `left` is how far the first sum begins before `a`. `v` is no longer than `a`.
/// Nothing is conjugated.
///
/// # Errors
/// `Unsupported` for arrays of other than one axis, empty ones, a `v` longer than `a`, and `float16`; `MemoryError`.
///
/// ```
/// use fastnp::{Array, Overlap, correlate};
/// let sums = correlate(&Array::from(vec![1.0, 2.0, 3.0]), &Array::from(vec![0.0, 1.0]), Overlap::Full)?;
/// assert_eq!(sums.to_vec::<f64>()?, [1.0, 2.0, 3.0, 0.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn correlate(a: &Array, v: &Array, overlap: Overlap) -> Result<Array> {
    if a.ndim() != 1 || v.ndim() != 1 || v.size() == 0 || v.size() > a.size() {
        return Err(Error::unsupported("a correlation of arrays that are not two vectors, the longer one first"));
    }
    let result = promote_types(a.dtype(), v.dtype());
    let compute = match result {
        // NumPy rounds each sum without a warning of an overflow, which the cast would give.
        DType::F16 => return Err(Error::unsupported("a correlation in float16")),
        DType::I8 | DType::U8 | DType::I16 | DType::U16 => DType::I32,
        // How many terms are true: no more than an array has elements.
        DType::Bool => DType::I64,
        dtype => dtype,
    };
    let dense = |x: &Array| {
        if x.dtype() == compute && x.is_c_contiguous() { Ok(x.clone()) } else { x.cast_order(compute, Order::C) }
    };
    let sums = sums(&dense(a)?, &dense(v)?, overlap)?;
    if compute == result { Ok(sums) } else { sums.cast(result) }
}

/// [`correlate`] of dense vectors of a type that has a loop.
fn sums(a: &Array, v: &Array, overlap: Overlap) -> Result<Array> {
    let (n, terms, dtype) = (a.size(), v.size(), a.dtype());
    let (left, length) = match overlap {
        Overlap::Full => (terms - 1, n + terms - 1),
        Overlap::Same => (terms / 2, n),
        Overlap::Valid => (0, n - terms + 1),
    };
    let bytes = length.checked_mul(dtype.size()).ok_or_else(|| Error::unsupported("a long correlation"))?;
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let (x, y) = (gate.read_flushed(&a.storage)?, gate.read_flushed(&v.storage)?);
    let (x, y) = (x.wrapping_offset(a.layout.offset), y.wrapping_offset(v.layout.offset));
    let storage = gate.create(bytes, |_, out| {
        let addresses = (x.expose_provenance(), y.expose_provenance(), out.expose_provenance());
        let nanoseconds = length as f64 * terms as f64 * TERM_NS;
        let tasks = Threads.tasks(nanoseconds).clamp(1, length);
        let each = length.div_ceil(tasks).next_multiple_of(SUMS);
        // Long work releases the interpreter lock, however few the elements.
        run_over((nanoseconds as usize).max(bytes), || {
            Threads.run(length.div_ceil(each), &|task| {
                let correlation = Correlation {
                    a: (std::ptr::with_exposed_provenance(addresses.0), n),
                    v: (std::ptr::with_exposed_provenance(addresses.1), terms),
                    left,
                    out: std::ptr::with_exposed_provenance_mut(addresses.2),
                };
                // SAFETY: the vectors are dense and evaluated, the new storage has room for the sums, and tasks write different ones.
                unsafe { correlation.run(dtype, task * each, length.min((task + 1) * each)) };
            });
        });
        Ok(())
    })?;
    let shape = [length];
    let layout = Layout { shape: shape.as_slice().into(), strides: c_strides(&shape, dtype.size()), offset: 0 };
    Ok(Array { storage, layout, dtype, writeable: true })
}
