//! Matrix multiplication and inner products.
//!
//! Products with a matrix go to [`crate::host::gemm`], whose matrix-vector kernels are ten times as fast as the
//! interpreter's multiply and add. Inner products of two vectors are recorded as a multiplication and a sum, which fuse with
//! each other and with their neighbours. So are products of vectors with large matrices that are cast, or computed right before, and products of
//! depth one and two, for which `gemm` has kernels that do not start from zero as every BLAS does (`-0.0` for `0.0`).

use crate::array::array::Array;
use crate::array::layout::{CowStrides, Index, Layout, Shape, Strides, broadcast, byte_count, c_strides};
use crate::array::result_order;
use crate::array::strided_view::StridedView;
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::host::gemm::Product;
use crate::ops::elementwise::product_step;
use crate::ops::lent::LentOperand;
use crate::ops::promote::promote_types;
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::eager_fold::{self, Vector};
use crate::runtime::lock::recording;
use fastnp_codegen::cost::{FOLDED_MATRIX_BYTES, FOLDED_ROW_BYTES, NON_TEMPORAL_BYTES};
use fastnp_codegen::{DType, Fold, Op};

/// The matrix product of two arrays, with NumPy's rules for vectors and stacks of matrices.
///
/// # Errors
/// `ValueError` where the shapes do not fit.
///
/// ```
/// use fastnp::{Array, DType, matmul};
/// let a = Array::ones(&[2, 3], DType::F64);
/// let b = Array::ones(&[3, 4], DType::F64);
/// assert_eq!(matmul(&a, &b)?.shape(), [2, 4]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn matmul(a: &Array, b: &Array) -> Result<Array> {
    multiply(Product::Matmul, a, b)
}

/// [`matmul`] under NumPy's name `dot`, which its floating-point flags are reported with.
///
/// # Errors
/// As [`matmul`].
///
/// ```
/// use fastnp::{Array, dot};
/// let a = Array::arange(4);
/// assert_eq!(dot(&a, &a)?.to_vec::<i64>()?, [14]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn dot(a: &Array, b: &Array) -> Result<Array> {
    multiply(Product::Dot, a, b)
}

/// [`dot`] or, if it `is_matmul`, [`matmul`] of two vectors of one type that may be in memory of others, if that runs eagerly; `None` otherwise.
///
/// # Errors
/// `MemoryError`.
///
/// # Safety
/// As for [`crate::apply_lent`].
///
/// ```
/// use fastnp::{Array, DType, LentElements, LentOperand, inner_lent};
/// let (x, outside) = (Array::from(vec![1.0, 2.0]), [0.5, 0.5]);
/// let lent = LentElements { start: outside.as_ptr().cast(), shape: &[2], dtype: DType::F64 };
/// // SAFETY: two doubles of this function.
/// let sum = unsafe { inner_lent(false, &[LentOperand::Value((&x).into()), LentOperand::Lent(lent)])? };
/// assert_eq!(sum.map(|sum| sum.to_vec::<f64>()).transpose()?, Some(vec![1.5]));
/// # Ok::<(), fastnp::Error>(())
/// ```
pub unsafe fn inner_lent(is_matmul: bool, args: &[LentOperand<'_>; 2]) -> Result<Option<Array>> {
    let ([Some((n, a)), Some((m, b))], [1, 1]) = (args.each_ref().map(vector), args.each_ref().map(LentOperand::ndim))
    else {
        return Ok(None);
    };
    let dtype = a.dtype();
    if n != m || dtype != b.dtype() || !matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) {
        return Ok(None);
    }
    let name = if is_matmul { Product::Matmul } else { Product::Dot };
    eager_fold::inner(name, n, [a, b], dtype)
}

/// The elements of a vector and how many it has; `None` for a number.
fn vector<'a>(operand: &LentOperand<'a>) -> Option<(usize, Vector<'a>)> {
    match operand {
        LentOperand::Value(Value::Array(array)) => array.shape().first().map(|&n| (n, Vector::Array(array))),
        LentOperand::Value(_) => None,
        LentOperand::Lent(lent) => lent.shape.first().map(|&n| (n, Vector::Lent(lent.start, lent.dtype))),
    }
}

fn multiply(name: Product, a: &Array, b: &Array) -> Result<Array> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return Err(Error::value(format!(
            "matmul: Input operand {} does not have enough dimensions (has 0, gufunc core with signature \
             (n?,k),(k,m?)->(n?,m?) requires 1)",
            (a.ndim() != 0) as u8
        )));
    }
    let (ka, kb) = (a.shape()[a.ndim() - 1], b.shape()[b.ndim().saturating_sub(2)]);
    if ka != kb {
        return Err(Error::value(format!(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature \
             (n?,k),(k,m?)->(n?,m?) (size {kb} is different from {ka})"
        )));
    }
    let dtype = promote_types(a.dtype(), b.dtype());
    if !matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) {
        return multiply_then_sum(name, a, b, dtype);
    }
    // A vector is a matrix of one row or one column.
    match (a.ndim(), b.ndim()) {
        (1, 1) => inner(name, a, b, dtype),
        (1, n) if folds_faster(b, n - 2, a, dtype)? => multiply_then_sum(name, a, b, dtype),
        (n, 1) if folds_faster(a, n - 1, b, dtype)? => multiply_then_sum(name, a, b, dtype),
        (1, _) => {
            let product = record_gemm(name, &a.index(&[Index::NewAxis])?, b, dtype)?;
            product.squeeze(Some(&[-2]))
        }
        (_, 1) => {
            let product = record_gemm(name, a, &b.index(&[Index::Ellipsis, Index::NewAxis])?, dtype)?;
            product.squeeze(Some(&[-1]))
        }
        (2, 2) if ka >= MIN_FUSED_TERMS && a.shape()[0] == 1 && b.shape()[1] == 1 => {
            let (row, column) = (a.squeeze(Some(&[0]))?, b.squeeze(Some(&[1]))?);
            inner(name, &row, &column, dtype)?.reshape(&[1, 1])
        }
        _ => record_gemm(name, a, b, dtype),
    }
}

/// Terms from which on a row by a column is a fold, which fuses with what made them. Products of fewer run when they are recorded.
const MIN_FUSED_TERMS: usize = 1 << 12;

/// Whether the product of a vector and a matrix, summed along an axis of this, is faster as a multiplication and a sum: where the matrix would be
/// cast before, or is computed by the last statement recorded, or the one before the vector's, whose kernel then multiplies and sums as well. A
/// later product with the matrix reads it from memory.
fn folds_faster(matrix: &Array, axis: usize, vector: &Array, dtype: DType) -> Result<bool> {
    let is_cast = matrix.dtype != dtype;
    // Complex products are four times as many instructions.
    if dtype.is_complex()
        || !folds_fast(matrix, axis, dtype, if is_cast { FOLDED_MATRIX_BYTES } else { NON_TEMPORAL_BYTES })
    {
        return Ok(false);
    }
    let is_whole = || matrix.size() * dtype.size() == matrix.storage.bytes();
    Ok(is_cast || is_whole() && recording()?.trace.ends_with_map_to(&matrix.storage, &vector.storage))
}

/// Whether sums of products with a matrix in this type, along an axis of it, are fast: it is large, and larger where the sums go across its rows.
fn folds_fast(matrix: &Array, axis: usize, dtype: DType, least_across: usize) -> bool {
    let (size, n) = (dtype.size(), matrix.ndim());
    let bytes = matrix.size() * size;
    let is_long = |axis: usize| matrix.shape()[axis] * size >= FOLDED_ROW_BYTES;
    let is_dense = |axis: usize| matrix.strides()[axis] == matrix.dtype.size() as isize;
    if is_dense(axis) {
        return bytes >= FOLDED_MATRIX_BYTES && is_long(axis);
    }
    let across = if axis == n - 1 { n - 2 } else { n - 1 };
    bytes >= least_across && is_dense(across) && is_long(across) && is_long(axis)
}

/// Products with a vector as a multiplication and a sum: in types that `gemm` does not have, or where these fuse with what computes the matrix.
fn multiply_then_sum(name: Product, a: &Array, b: &Array, dtype: DType) -> Result<Array> {
    let terms = |args: &[Value<'_>]| product_step(name, Op::Multiply, dtype, args, None);
    let is_fused = dtype.is_integer() || dtype.is_float() && dtype != DType::F16;
    let (product, axis) = match (a.ndim(), b.ndim()) {
        (1, 1) => return inner(name, a, b, dtype),
        (rank, 1) if is_fused => (terms(&[a.into(), b.into()])?, rank - 1),
        (1, rank) if is_fused => {
            let column = a.index(&[Index::Ellipsis, Index::NewAxis])?;
            (terms(&[(&column).into(), b.into()])?, rank - 2)
        }
        _ => return Err(Error::unsupported(format!("a matrix product in {dtype}"))),
    };
    let mut shape = product.shape_vec();
    shape.remove(axis);
    let matrix = if a.ndim() == 1 { b } else { a };
    let target = stacked_result(matrix, matrix, &shape[..shape.len() - 1], &shape, dtype)?;
    product.fold_to(Fold::Op(Op::Add), dtype, 1 << axis, &target)?;
    Ok(target)
}

fn inner(name: Product, a: &Array, b: &Array, dtype: DType) -> Result<Array> {
    if dtype == DType::Bool || dtype == DType::F16 {
        return Err(Error::unsupported(format!("an inner product in {dtype}")));
    }
    if let Some(product) = eager_fold::inner(name, a.size(), [a, b].map(Vector::Array), dtype)? {
        return Ok(product);
    }
    let product = product_step(name, Op::Multiply, dtype, &[a.into(), b.into()], None)?;
    product.fold(Fold::Op(Op::Add), dtype, 1, false)
}

fn record_gemm(name: Product, a: &Array, b: &Array, dtype: DType) -> Result<Array> {
    let (m, k) = (a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1]);
    let n = b.shape()[b.ndim() - 1];
    let (a_stack, b_stack) = (&a.shape()[..a.ndim() - 2], &b.shape()[..b.ndim() - 2]);
    let stack = broadcast(&[a_stack, b_stack])?;
    let mut shape: Shape = stack.clone();
    shape.extend([m, n]);
    let target = stacked_result(a, b, &stack, &shape, dtype)?;
    if target.size() == 0 {
        return Ok(target);
    }
    if k == 0 {
        target.fill(fastnp_codegen::Scalar::zero(dtype))?;
        return Ok(target);
    }
    if k <= MAX_ELEMENTWISE_DEPTH && target.size() > MAX_SMALL_RESULT {
        return shallow(name, (a, b), k, target);
    }
    let (a, b) = (with_whole_strides(a, dtype)?, with_whole_strides(b, dtype)?);
    let mut domain = shape;
    domain.push(k);
    let over = |x: &Array, rows: isize, columns: isize, depth: isize| {
        let mut strides = stack_strides(x, &stack);
        strides.extend([rows, columns, depth]);
        CowStrides::Owned(strides)
    };
    let (sa, sb, sc) = (matrix_strides(&a), matrix_strides(&b), matrix_strides(&target));
    let a_view = StridedView { storage: &a.storage, dtype, offset: a.layout.offset, strides: over(&a, sa.0, 0, sa.1) };
    let b_view = StridedView { storage: &b.storage, dtype, offset: b.layout.offset, strides: over(&b, 0, sb.1, sb.0) };
    let c_view = StridedView { storage: &target.storage, dtype, offset: 0, strides: over(&target, sc.0, sc.1, 0) };
    recording()?.submit(&Statement {
        op: Operation::Contract(name),
        compute: dtype,
        domain: &domain,
        reduced: 1 << (domain.len() - 1),
        inputs: &[Input::Memory(a_view), Input::Memory(b_view)],
        target: c_view,
        covers: true,
    })?;
    Ok(target)
}

/// Strides of an array's stack of matrices, broadcast to a larger stack.
fn stack_strides(x: &Array, stack: &[usize]) -> Strides {
    let stack_strides = x.ndim() - 2;
    Layout { shape: x.shape()[..stack_strides].into(), strides: x.strides()[..stack_strides].into(), offset: 0 }
        .strides_over(stack)
}

/// A new array for a stack of products: row-major matrices, stacked in the operands' axis order.
fn stacked_result(a: &Array, b: &Array, stack: &[usize], shape: &[usize], dtype: DType) -> Result<Array> {
    let matrix = c_strides(&shape[stack.len()..], dtype.size());
    let bytes = byte_count(&shape[stack.len()..], dtype.size())?.max(dtype.size());
    let mut strides = result_order::of_operands(stack, bytes, &[&stack_strides(a, stack), &stack_strides(b, stack)]);
    strides.extend(matrix);
    Array::fresh(shape, strides, dtype)
}

/// Products of at most this depth are elementwise operations, which fuse, unless the result has few elements: two of 2 by 2 take 4.8 µs so, and
/// .9 as a product that runs when it is recorded.
const MAX_ELEMENTWISE_DEPTH: usize = 2;
const MAX_SMALL_RESULT: usize = 1024;

/// The product of a matrix of one or two columns with one of as many rows, by elementwise operations.
fn shallow(name: Product, (a, b): (&Array, &Array), k: usize, target: Array) -> Result<Array> {
    let at = |i: usize| Index::from(i as isize..i as isize + 1);
    for i in 0..k {
        let column = a.index(&[Index::Ellipsis, at(i)])?;
        let row = b.index(&[Index::Ellipsis, at(i), Index::from(..)])?;
        let product = product_step(name, Op::Multiply, target.dtype, &[(&column).into(), (&row).into()], None)?;
        let sum = if i == 0 { Value::Float(0.0) } else { Value::Array(&target) };
        product_step(name, Op::Add, target.dtype, &[sum, (&product).into()], Some(&target))?;
    }
    Ok(target)
}

fn matrix_strides(x: &Array) -> (isize, isize) {
    let n = x.ndim();
    (x.strides()[n - 2], x.strides()[n - 1])
}

/// The array in the product's type, copied unless its strides are multiples of the element size.
fn with_whole_strides(x: &Array, dtype: DType) -> Result<Array> {
    let whole = x.strides().iter().all(|s| s % dtype.size() as isize == 0);
    if x.dtype() == dtype && whole { Ok(x.clone()) } else { x.cast_order(dtype, crate::array::layout::Order::C) }
}
