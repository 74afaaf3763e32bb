//! Kernels of array statements, as compiled loops call them: by the address of a function, with that of a kernel.

use crate::loops::parameter::of_char;
use crate::loops::vector_loop::step_of;
use fastnp::{DType, DirectLoop, Fold, FpFlags, LoopStep, StatementBody, StatementKernel};
use pyo3::prelude::*;
use smallvec::SmallVec;

/// The kernel of an array statement. Private to the Python package, which keeps it as long as code that has its address.
#[pyclass(frozen, module = "fastnp._fastnp")]
pub(crate) struct LoopKernel {
    kernel: Box<StatementKernel>,
}

#[pymethods]
impl LoopKernel {
    /// The kernel over so many axes whose loads and scalars have the types of these characters; steps are as those of `VectorLoop`, and
    /// values are numbered: loads, scalars, steps. With a `fold`, an op or a position, the result is folded over so many of the last
    /// axes. `None` where there is no such kernel, or its result is not of the type `char`.
    #[staticmethod]
    #[pyo3(signature = (axes, loads, scalars, steps, result, char, fold = None, /))]
    fn make(
        axes: usize,
        loads: &str,
        scalars: &str,
        steps: Vec<(String, Vec<u64>)>,
        result: usize,
        char: &str,
        fold: Option<(String, usize)>,
    ) -> Option<LoopKernel> {
        let types = |chars: &str| chars.bytes().map(of_char).collect::<Option<SmallVec<[DType; 8]>>>();
        let steps = steps.iter().map(|(name, operands)| step_of(name, operands)).collect::<Option<Vec<LoopStep>>>()?;
        let fold = match fold {
            None => None,
            Some((name, folded)) => Some((Fold::from_name(&name)?, folded)),
        };
        let (loads, scalars) = (types(loads)?, types(scalars)?);
        let body = StatementBody { axes, loads: &loads, scalars: &scalars, steps: &steps, result, fold };
        let kernel = StatementKernel::new(&body)?;
        (types(char)?[..] == [kernel.result()]).then(|| LoopKernel { kernel: Box::new(kernel) })
    }

    /// The kernel's loop for rows of which some arrays, those that are loaded and then the result, have one element for the whole row; `None`
    /// where it needs a launch around it.
    fn direct(&self, is_broadcast: Vec<bool>) -> Option<DirectCode> {
        self.kernel.direct_loop(&is_broadcast).map(|made| DirectCode { made })
    }

    /// The addresses that `kernel` of the scalar IR takes: of the function, and of the kernel.
    #[getter]
    fn addresses(&self) -> (usize, usize) {
        (launch as *const () as usize, std::ptr::from_ref(&*self.kernel).addr())
    }
}

/// The loop of a kernel that compiled code calls by `code` of the scalar IR, and the layout of its argument block. Private to the Python package,
/// which keeps it as long as that code.
#[pyclass(frozen, module = "fastnp._fastnp")]
pub(crate) struct DirectCode {
    made: DirectLoop,
}

#[pymethods]
impl DirectCode {
    /// The address of the code.
    #[getter]
    fn entry(&self) -> usize {
        self.made.entry
    }

    /// Bytes of the argument block.
    #[getter]
    fn bytes(&self) -> usize {
        self.made.bytes
    }

    /// Where the block has the address of each array, the bytes from one row of it to the next, and each scalar.
    #[getter]
    fn places(&self) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
        (self.made.addresses.clone(), self.made.pitches.clone(), self.made.scalars.clone())
    }

    /// Where it has constants, and these, as integers with a sign.
    #[getter]
    fn constants(&self) -> Vec<(usize, i64)> {
        self.made.constants.iter().map(|&(at, word)| (at, word as i64)).collect()
    }
}

/// Runs a kernel. Returns 1 if it raised invalid operation, division by zero or overflow. Underflow does not count: NumPy ignores it by default.
///
/// # Safety
/// The kernel lives; `arguments` are as [`StatementKernel::run`] demands.
unsafe extern "C" fn launch(kernel: *const StatementKernel, arguments: *const u64) -> i64 {
    // SAFETY: the caller's contract.
    let raised = unsafe { (*kernel).run(arguments) };
    (raised & (FpFlags::INVALID | FpFlags::DIVIDE | FpFlags::OVERFLOW) != FpFlags::NONE).into()
}

/// Adds the class to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<DirectCode>()?;
    module.add_class::<LoopKernel>()
}
