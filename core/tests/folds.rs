//! The reductions and scans that the fold table names, against the repeated op.

use fastnp::{Array, DType, ErrorKind, Folding, Op, Reduction, Result, Selection, Value, apply};

/// Folds elements one after the other.
fn repeated(op: Op, elements: &[Array]) -> Result<f64> {
    let mut total = elements[0].clone();
    for element in &elements[1..] {
        total = apply(op, &[(&total).into(), element.into()])?;
    }
    Ok(total.item()?.to_f64())
}

/// One-element arrays.
fn elements(values: &[f64], dtype: DType) -> Result<Vec<Array>> {
    values.iter().map(|&x| Array::from(vec![x]).cast(dtype)).collect()
}

const VALUES: [f64; 9] = [0.5, 2.0, -1.5, 4.0, 0.25, -2.0, 1.0, 3.0, -0.75];

/// A type that a fold computes in.
fn computed(op: Op) -> DType {
    let takes = |dtype: &DType| op.fold().is_some_and(|row| row.takes(*dtype));
    [DType::F64, DType::Bool, DType::I64, DType::U64].into_iter().find(takes).expect("a fold takes some type")
}

#[test]
fn reductions_have_the_tables_names() -> Result<()> {
    for &op in Op::ALL {
        let Some(name) = op.fold().and_then(|row| row.reduction) else { continue };
        let what = Reduction::from_name(name, 0.0).expect("a reduction");
        // Truth of numbers is that of bools, which they become.
        let dtype = if op.has_loop(DType::F64) { DType::F64 } else { computed(op) };
        let array = Array::from(VALUES.to_vec()).cast(dtype)?;
        let expected = repeated(op, &elements(&VALUES, computed(op))?)?;
        let near = |found: f64| (found - expected).abs() <= 1e-14 * expected.abs();
        assert!(near(array.reduce(what, None, None, false)?.item()?.to_f64()), "{name}");
        assert!(array.reduce_now(what)?.is_none_or(|found| near(found.to_f64())), "{name} at once");
        let wide = Array::from([&VALUES[..], &[99.0]].concat()).cast(dtype)?;
        for source in [&array, &wide] {
            let mask = apply(Op::NotEqual, &[source.into(), 99.0.into()])?;
            assert!(near(Selection::new(source, &mask)?.reduce(what)?.item()?.to_f64()), "{name} of a selection");
        }
    }
    Ok(())
}

#[test]
fn every_fold_reduces_and_scans() -> Result<()> {
    for &op in Op::ALL {
        let Some(row) = op.fold() else { continue };
        let dtype = computed(op);
        let array = Array::from(VALUES.to_vec()).cast(dtype)?;
        let each = elements(&VALUES, dtype)?;
        let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-14 * expected.abs();
        let how = Folding { dtype: Some(dtype), ..Folding::default() };
        let expected = repeated(op, &each)?;
        assert!(near(array.fold_by(op, &how)?.item()?.to_f64(), expected), "{op}");
        let running = array.scan(op, None, Some(dtype))?.cast(DType::F64)?.to_vec::<f64>()?;
        for (i, found) in running.into_iter().enumerate() {
            assert!(near(found, repeated(op, &each[..=i])?), "{op} up to {i}");
        }
        // What NumPy gives for nothing is the identity, or an error.
        let nothing = Array::zeros(&[0], dtype).fold_by(op, &how);
        match row.identity(dtype) {
            Some(identity) => assert_eq!(nothing?.item()?, identity, "{op} of nothing"),
            None => assert_eq!(nothing.expect_err("no identity").kind(), ErrorKind::Value, "{op} of nothing"),
        }
        // A first number, which is all there is of nothing.
        let initial = Folding { initial: Some(Value::Float(2.0)), ..how };
        let first = Array::from(vec![2.0]).cast(dtype)?;
        let expected = apply(op, &[(&first).into(), (&array.fold_by(op, &how)?).into()])?.item()?.to_f64();
        assert!(near(array.fold_by(op, &initial)?.item()?.to_f64(), expected), "{op} after a number");
    }
    Ok(())
}
