//! Loops of kernels, as Python writes them: the turn of a loop as steps, and the loop of arrays and numbers.

use crate::call::argument::{Arg, parse_any};
use crate::interpreter::error::to_py_result;
use crate::loops::parameter::of_char;
use crate::object::construct::new_object;
use fastnp::{DType, LoopFunction, LoopStep, Op, Scalar, Value, repeat};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;

/// A loop that kernels may contain.
#[pyclass(frozen, module = "fastnp._fastnp")]
pub(crate) struct VectorLoop {
    function: LoopFunction,
    text: String,
}

#[pymethods]
impl VectorLoop {
    /// The loop of a function of this name, whose inputs have the types of these characters. Steps are names with the numbers of the
    /// values that they take, inputs first; `conditions` and `next` are such numbers. `None` where no kernel has such a loop.
    #[staticmethod]
    fn make(
        name: &str,
        inputs: &str,
        steps: Vec<(String, Vec<u64>)>,
        conditions: Vec<usize>,
        next: Vec<usize>,
    ) -> PyResult<Option<VectorLoop>> {
        let Some(types) = inputs.bytes().map(of_char).collect::<Option<SmallVec<[DType; 8]>>>() else {
            return Ok(None);
        };
        let parsed = steps.iter().map(|(name, operands)| step_of(name, operands)).collect::<Option<Vec<LoopStep>>>();
        let Some(parsed) = parsed else { return Ok(None) };
        let function = LoopFunction::new(name, &types, &parsed, &conditions, &next);
        let line = |(number, (name, operands)): (usize, &(String, Vec<u64>))| {
            let operands: Vec<String> = operands.iter().map(u64::to_string).collect();
            format!("    {} = {name} {}\n", types.len() + number, operands.join(", "))
        };
        let mut text: String = steps.iter().enumerate().map(line).collect();
        text += &format!("    while {conditions:?}: {next:?}");
        Ok(function.map(|function| VectorLoop { function, text }))
    }

    /// What the loop carries to its end, from these first values of its inputs, as arrays; by the numbers of carried inputs. `None`
    /// where it does not run natively.
    #[pyo3(signature = (results, *inputs))]
    fn apply<'py>(&self, results: Vec<u8>, inputs: &Bound<'py, PyTuple>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
        let py = inputs.py();
        let objects: SmallVec<[Bound<'py, PyAny>; 8]> = inputs.iter().collect();
        let parsed = objects.iter().map(parse_any).collect::<PyResult<SmallVec<[Arg<'_>; 8]>>>()?;
        let values = parsed.iter().map(|arg| arg.value(py)).collect::<PyResult<Option<SmallVec<[Value<'_>; 8]>>>>()?;
        let Some(values) = values else { return Ok(None) };
        if results.is_empty() {
            return Err(PyValueError::new_err("a loop of which nothing is read"));
        }
        let arrays = to_py_result(py, repeat(self.function, &values, &results))?;
        arrays.into_iter().map(|array| new_object(py, array)).collect::<PyResult<Vec<_>>>().map(Some)
    }

    /// The steps, one a line.
    fn __str__(&self) -> &str {
        &self.text
    }
}

/// A step by its name: an op, `where`, `cast` and a type, or `const`, a type, and bits.
pub(crate) fn step_of(name: &str, operands: &[u64]) -> Option<LoopStep> {
    let (word, of) = name.split_once(' ').unwrap_or((name, ""));
    let dtype = || of_char(*of.as_bytes().first()?);
    let at = |i: usize| operands.get(i).map(|&value| value as usize);
    Some(match word {
        "const" => LoopStep::Const(Scalar::from_bits(dtype()?, u128::from(*operands.first()?))),
        "cast" => LoopStep::Cast(at(0)?, dtype()?),
        "where" => LoopStep::Select([at(0)?, at(1)?, at(2)?]),
        op => {
            let op = Op::from_name(op).filter(|op| op.arity() == operands.len())?;
            LoopStep::Apply(op, [at(0)?, at(operands.len() - 1)?])
        }
    })
}

/// Adds the class to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<VectorLoop>()
}
