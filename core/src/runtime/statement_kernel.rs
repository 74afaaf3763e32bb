//! Kernels of array statements in compiled loops: compiled once, and launched on addresses, without nodes or storages.

use crate::plan::loop_function::{LoopStep, append};
use crate::runtime::lock::unresolved_runtime;
use crate::runtime::program_cache::CompiledKernel;
use fastnp_codegen::drive::fp_status::preserving;
use fastnp_codegen::{Access, DType, FpFlags, KernelBuilder, Launch, Scalar, SingleThread, Template, ValueId};
use smallvec::SmallVec;

/// Axes of a statement, at most.
const MAX_AXES: usize = 8;

/// The kernel of a statement that computes an array from others, point by point, on the caller's thread.
///
/// Its arguments are words: the extents; the address of each array that is loaded, and of the result; the byte strides of
/// these, array by array; the scalars, in the low bytes of a word each.
pub struct StatementKernel {
    compiled: CompiledKernel,
    axes: usize,
    scalars: SmallVec<[DType; 4]>,
    result: DType,
}

impl StatementKernel {
    /// The kernel over so many axes that stores the value numbered `result`. Values are numbered: elements of the arrays that are loaded,
    /// of these types, then scalars, then the steps.
    ///
    /// `None` where a step has no loop in a type, values of different types meet, or there are no axes or more than eight.
    pub fn new(
        axes: usize,
        loads: &[DType],
        scalars: &[DType],
        steps: &[LoopStep],
        result: usize,
    ) -> Option<StatementKernel> {
        if !(1..=MAX_AXES).contains(&axes) || loads.len() > usize::from(u8::MAX) || scalars.len() > usize::from(u8::MAX) {
            return None;
        }
        let mut builder = KernelBuilder::new(Template::Map, axes as u8, 0);
        let operands: Vec<_> = loads.iter().map(|&dtype| builder.operand(dtype, Access::Read, false)).collect();
        let parameters: Vec<_> = scalars.iter().map(|&dtype| builder.scalar(dtype)).collect();
        let mut body = builder.body();
        let mut values: Vec<ValueId> = operands.into_iter().map(|operand| body.load(operand)).collect();
        values.extend(parameters.into_iter().map(|parameter| body.param(parameter)));
        for step in steps {
            let value = append(&mut body, &values, *step)?;
            values.push(value);
        }
        let value = *values.get(result)?;
        let dtype = body.dtype(value);
        let target = builder.operand(dtype, Access::Write, true);
        builder.body().store(target, value);
        let compiled = unresolved_runtime().compile_for_host(builder.finish());
        Some(StatementKernel { compiled, axes, scalars: scalars.into(), result: dtype })
    }

    /// The type of the result.
    pub fn result(&self) -> DType {
        self.result
    }

    /// Runs it, and says which floating-point flags NumPy would report; the thread's floating-point status is as before.
    ///
    /// # Safety
    /// `arguments` are the words that this type describes: every address that a point has is that of an element, aligned, which
    /// nobody writes meanwhile; those of the result overlap no other and belong to the caller.
    pub unsafe fn run(&self, arguments: *const u64) -> FpFlags {
        let arrays = self.compiled.0.operands.len();
        let words = self.axes + arrays * (1 + self.axes) + self.scalars.len();
        // SAFETY: the caller's contract.
        let words = unsafe { std::slice::from_raw_parts(arguments, words) };
        let (extents, words) = words.split_at(self.axes);
        let (addresses, words) = words.split_at(arrays);
        let (strides, scalars) = words.split_at(arrays * self.axes);
        let mut outer: SmallVec<[usize; MAX_AXES]> = extents.iter().map(|&extent| extent as usize).collect();
        if outer.contains(&0) {
            return FpFlags::NONE;
        }
        let mut strides: SmallVec<[isize; 24]> = strides.iter().map(|&stride| stride as isize).collect();
        merge_axes(&mut outer, &mut strides);
        let addresses: SmallVec<[*mut u8; 12]> = addresses.iter().map(|&address| address as *mut u8).collect();
        let scalars: SmallVec<[Scalar; 4]> =
            self.scalars.iter().zip(scalars).map(|(&dtype, &bits)| Scalar::from_bits(dtype, u128::from(bits))).collect();
        let launch =
            Launch { outer: &outer, inner: &[], addresses: &addresses, strides: &strides, scalars: &scalars };
        // SAFETY: the caller's contract; the host's backend compiles for this processor.
        let raised = preserving(|| unsafe { self.compiled.1.launch(&launch, &SingleThread) });
        // A launch on the host's memory does not fail.
        raised.into_iter().flatten().fold(FpFlags::NONE, |all, (_, _, flags)| all | flags)
    }
}

/// Makes one axis of the last two, again and again, where every array goes on from row to row as within a row. The axes keep
/// their number: the outer one of the two has one element afterwards.
fn merge_axes(outer: &mut [usize], strides: &mut [isize]) {
    let axes = outer.len();
    let last = axes - 1;
    for axis in (0..last).rev() {
        let goes_on = |of: &[isize]| of[axis] == of[last] * outer[last] as isize;
        if outer[axis] != 1 && !strides.chunks(axes).all(goes_on) {
            return;
        }
        outer[last] *= outer[axis];
        outer[axis] = 1;
    }
}
