//! Errors are raised by the call that causes them, with NumPy's kind and text. Also operators, printing and conversions.

use fastnp::{
    Array, Casting, DType, ErrorKind, Index, Op, Options, Order, Reduction, Result, Scalar, Selection, Value, apply,
    apply_with, concatenate, matmul,
};

fn floats(shape: &[usize]) -> Array {
    Array::ones(shape, DType::F64)
}

/// The kind and text of an error.
#[track_caller]
fn failure<T>(result: Result<T>) -> (ErrorKind, String) {
    match result {
        Ok(_) => panic!("this is an error in NumPy"),
        Err(error) => (error.kind(), error.to_string()),
    }
}

#[track_caller]
fn fails<T>(result: Result<T>, kind: ErrorKind, text: &str) {
    assert_eq!(failure(result), (kind, text.to_owned()));
}

#[test]
fn shapes_that_do_not_fit() -> Result<()> {
    let (a, b) = (floats(&[3]), floats(&[4]));
    let both: [Value<'_>; 2] = [(&a).into(), (&b).into()];
    let text = "operands could not be broadcast together with shapes (3,) (4,) ";
    fails(apply(Op::Add, &both), ErrorKind::Value, text);
    fails(a.assign(&b), ErrorKind::Value, "could not broadcast input array from shape (4,) into shape (3,)");
    fails(a.reshape(&[2, 2]), ErrorKind::Value, "cannot reshape array of size 3 into shape (2,2)");
    let options = Options { out: Some(&a), ..Options::default() };
    let text = "operands could not be broadcast together with shapes (4,) (3,) ";
    fails(apply_with(Op::Add, &[(&b).into(), 1.0.into()], options), ErrorKind::Value, text);
    let one = floats(&[1]);
    let options = Options { out: Some(&one), ..Options::default() };
    let text = "non-broadcastable output operand with shape (1,) doesn't match the broadcast shape (3,)";
    fails(apply_with(Op::Add, &[(&a).into(), 1.0.into()], options), ErrorKind::Value, text);
    let (kind, text) = failure(matmul(&floats(&[2, 3]), &floats(&[2, 3])));
    assert_eq!(kind, ErrorKind::Value);
    assert!(text.starts_with("matmul: Input operand 1 has a mismatch in its core dimension 0"), "{text}");
    fails(concatenate(&[], 0), ErrorKind::Value, "need at least one array to concatenate");
    Ok(())
}

#[test]
fn indices_and_axes_out_of_bounds() -> Result<()> {
    let a = floats(&[3, 4]);
    fails(a.index(&[Index::At(3)]), ErrorKind::Index, "index 3 is out of bounds for axis 0 with size 3");
    let (kind, text) = failure(a.index(&[Index::At(0), Index::At(0), Index::At(0)]));
    assert_eq!(kind, ErrorKind::Index);
    assert_eq!(text, "too many indices for array: array is 2-dimensional, but 3 were indexed");
    let text = "axis 2 is out of bounds for array of dimension 2";
    fails(a.reduce(Reduction::Sum, Some(&[2]), None, false), ErrorKind::Axis, text);
    fails(a.reduce(Reduction::Sum, Some(&[0, 0]), None, false), ErrorKind::Value, "duplicate value in 'axis'");
    let mask = Array::zeros(&[3, 5], DType::Bool);
    let (kind, text) = failure(Selection::new(&a, &mask));
    assert_eq!(kind, ErrorKind::Index);
    assert!(text.starts_with("boolean index did not match indexed array along axis 1"), "{text}");
    Ok(())
}

#[test]
fn types_without_a_loop() -> Result<()> {
    let (a, flags) = (floats(&[3]), Array::zeros(&[3], DType::Bool));
    let (kind, text) = failure(apply(Op::BitwiseAnd, &[(&a).into(), (&a).into()]));
    assert_eq!(kind, ErrorKind::Type);
    assert!(text.starts_with("ufunc 'bitwise_and' not supported for the input types"), "{text}");
    let (kind, text) = failure(apply(Op::Subtract, &[(&flags).into(), (&flags).into()]));
    assert_eq!(kind, ErrorKind::Type);
    assert!(text.starts_with("numpy boolean subtract, the `-` operator, is not supported"), "{text}");
    let whole = Array::arange(3);
    let options = Options { out: Some(&whole), casting: Some(Casting::SameKind), ..Options::default() };
    let (kind, text) = failure(apply_with(Op::Add, &[(&a).into(), 1.0.into()], options));
    assert_eq!(kind, ErrorKind::Type);
    assert!(text.starts_with("Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64')"), "{text}");
    assert_eq!(failure(a.to_vec::<i64>()).0, ErrorKind::Type);
    Ok(())
}

#[test]
fn numbers_that_do_not_fit() {
    let bytes = Array::zeros(&[3], DType::U8);
    let add = apply(Op::Add, &[(&bytes).into(), Value::Int(300)]);
    fails(add, ErrorKind::Overflow, "Python integer 300 out of bounds for uint8");
    let power = apply(Op::Power, &[(&Array::arange(3)).into(), Value::Int(-1)]);
    fails(power, ErrorKind::Value, "Integers to negative integer powers are not allowed.");
}

#[test]
fn extremes_of_nothing_and_read_only_arrays() -> Result<()> {
    let none = Array::zeros(&[0, 3], DType::F64);
    let text = "zero-size array to reduction operation minimum which has no identity";
    fails(none.reduce(Reduction::Min, Some(&[0]), None, false), ErrorKind::Value, text);
    let text = "attempt to get argmax of an empty sequence";
    fails(none.reduce(Reduction::ArgMax, Some(&[0]), None, false), ErrorKind::Value, text);
    assert_eq!(none.reduce(Reduction::Sum, Some(&[0]), None, false)?.to_vec::<f64>()?, [0.0; 3]);
    let fixed = floats(&[3]).broadcast_to(&[2, 3])?;
    fails(fixed.assign(1.0), ErrorKind::Value, "assignment destination is read-only");
    Ok(())
}

#[test]
fn more_memory_than_there_is() {
    let huge = Array::full(&[1 << 47], Scalar::new(DType::F64, 1.0), Order::C);
    let (kind, text) = failure(huge);
    assert_eq!(kind, ErrorKind::Memory);
    assert!(text.starts_with("Unable to allocate 1.00 PiB for an array"), "{text}");
    assert_eq!(failure(Array::full(&[1 << 40, 1 << 40], Scalar::new(DType::F64, 1.0), Order::C)).0, ErrorKind::Value);
    // A failed call records nothing.
    assert_eq!(floats(&[3]).to_vec::<f64>().expect("three numbers fit"), [1.0; 3]);
}

#[test]
fn operators_and_printing() -> Result<()> {
    let a = Array::from(vec![1.0, -2.0, 4.0]);
    assert_eq!((&(&a * 2.0) + &a).to_vec::<f64>()?, [3.0, -6.0, 12.0]);
    assert_eq!((1.0 - &a).to_vec::<f64>()?, [0.0, 3.0, -3.0]);
    assert_eq!((&a % 3.0).to_vec::<f64>()?, [1.0, 1.0, 1.0]);
    assert_eq!((-&a).to_vec::<f64>()?, [-1.0, 2.0, -4.0]);
    let mut b = a.copy(Order::C)?;
    b += &a;
    b /= 2.0;
    b -= 1i64;
    b *= &a;
    assert_eq!(b.to_vec::<f64>()?, [0.0, 6.0, 12.0]);
    assert_eq!(a.to_string(), "[1, -2, 4]");
    assert_eq!(format!("{:?}", Array::arange(2)), "Array(int64, [2], [0, 1])");
    Ok(())
}

#[test]
#[should_panic(expected = "operands could not be broadcast together with shapes (3,) (4,) ")]
fn operators_panic_with_numpys_words() {
    let _ = &floats(&[3]) + &floats(&[4]);
}

#[test]
fn to_and_from_ndarray() -> Result<()> {
    let source = ndarray::Array3::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i32);
    // Transposed: neither side is dense in the other's order.
    let turned = source.view().reversed_axes();
    let ours = Array::from(turned.view().into_dyn());
    assert_eq!((ours.shape(), ours.dtype()), (&[4, 3, 2][..], DType::I32));
    assert_eq!(ours.t().to_ndarray::<i32>()?, source.clone().into_dyn());
    let slice = ours.index(&[Index::Range(None, None, -2), Index::At(1)])?;
    let expected = turned.slice(ndarray::s![..;-2, 1, ..]).to_owned().into_dyn();
    assert_eq!(slice.to_ndarray::<i32>()?, expected);
    let empty = Array::from(ndarray::Array2::<f64>::zeros((0, 3)).into_dyn());
    assert_eq!(empty.to_ndarray::<f64>()?.shape(), [0, 3]);
    Ok(())
}
