//! Loops of functions: what a registered loop carries to its end, element by element.

use crate::array::array::Array;
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::ops::elementwise;
use crate::ops::elementwise::{common_shape, result_strides};
use crate::plan::loop_function::LoopFunction;
use crate::plan::trace::{Operation, Statement};
use crate::runtime::lock::recording;
use smallvec::SmallVec;

/// What a loop carries to its end, as arrays: of the carried inputs with these numbers. The inputs are cast to the loop's types.
///
/// The results of one call are computed by one loop if they share a kernel.
///
/// # Errors
/// `ValueError` for shapes that do not broadcast, or for inputs or results that the loop does not have.
///
/// ```
/// use fastnp::{Array, DType, LoopFunction, LoopStep, Op, Scalar, repeat};
/// // while x < 100: x = 2 * x; n += 1
/// let steps = [
///     LoopStep::Const(Scalar::new(DType::F64, 100.0)),
///     LoopStep::Apply(Op::Less, [0, 2]),
///     LoopStep::Apply(Op::Add, [0, 0]),
///     LoopStep::Const(Scalar::new(DType::I64, 1i64)),
///     LoopStep::Apply(Op::Add, [1, 5]),
/// ];
/// let doubled = LoopFunction::new("doubled", &[DType::F64, DType::I64], &steps, &[3], &[4, 6]).unwrap();
/// let x = Array::from(vec![1.0, 60.0, 100.0]);
/// let results = repeat(doubled, &[(&x).into(), 0.into()], &[0, 1])?;
/// assert_eq!(results[0].to_vec::<f64>()?, [128.0, 120.0, 100.0]);
/// assert_eq!(results[1].to_vec::<i64>()?, [7, 1, 0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn repeat(function: LoopFunction, inputs: &[Value<'_>], results: &[u8]) -> Result<Vec<Array>> {
    let region = function.region();
    if inputs.len() != region.inputs.len() || results.iter().any(|&result| usize::from(result) >= region.carried()) {
        return Err(Error::value(format!(
            "a loop of {} inputs, {} carried, not {} with the results {results:?}",
            region.inputs.len(),
            region.carried(),
            inputs.len()
        )));
    }
    let domain = common_shape(inputs)?;
    let sources = elementwise::inputs(Operation::Loop(function, 0), region.inputs[0], inputs, &domain)?;
    let dtype = |result: u8| region.inputs[usize::from(result)];
    let made = |&result: &u8| {
        let strides = result_strides(&domain, dtype(result).size(), &sources);
        Array::fresh(&domain, strides, dtype(result))
    };
    let arrays: Vec<Array> = results.iter().map(made).collect::<Result<_>>()?;
    let mut statements: SmallVec<[Statement<'_>; 4]> = SmallVec::new();
    for (&result, array) in results.iter().zip(&arrays) {
        let (op, compute) = (Operation::Loop(function, result), dtype(result));
        let target = array.over(&domain);
        let (domain, inputs) = (&*domain, &*sources);
        statements.push(Statement { op, compute, domain, reduced: 0, inputs, target, covers: true });
    }
    recording()?.submit_all(&statements)?;
    drop(statements);
    Ok(arrays)
}
