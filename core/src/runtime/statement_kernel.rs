//! Kernels of array statements in compiled loops: compiled once, and launched on addresses, without nodes or storages.

use crate::host::threads::Threads;
use crate::plan::loop_function::{LoopStep, append};
use crate::runtime::known_launches::KnownLaunches;
use crate::runtime::lock::unresolved_runtime;
use crate::runtime::program_cache::CompiledKernel;
use fastnp_codegen::drive::fp_status::{preserving, reporting_errors};
use fastnp_codegen::{Access, DType, DirectLoop, Fold, FpFlags, KernelBuilder, Launch, Scalar, Template, ValueId};
use smallvec::SmallVec;
use std::ops::Range;

/// Axes of a statement, at most.
const MAX_AXES: usize = 8;

/// The kernel of a statement that computes an array from others, point by point or folded.
///
/// Its arguments are words: the extents; the address of each array that is loaded, and of the result; the byte strides of
/// these, array by array; the scalars, in the low bytes of a word each.
pub struct StatementKernel {
    compiled: CompiledKernel,
    axes: usize,
    /// The last axes, over which values are folded.
    folded: usize,
    scalars: SmallVec<[DType; 4]>,
    result: DType,
    known: KnownLaunches,
}

/// What a [`StatementKernel`] computes over so many axes. Values are numbered: elements of the arrays that are loaded, scalars, then steps.
pub struct StatementBody<'a> {
    /// The number of axes.
    pub axes: usize,
    /// The types of the arrays that are loaded.
    pub loads: &'a [DType],
    /// The types of scalars.
    pub scalars: &'a [DType],
    /// What is computed.
    pub steps: &'a [LoopStep],
    /// The number of the value that is stored.
    pub result: usize,
    /// How it is folded before, over so many of the last axes.
    pub fold: Option<(Fold, usize)>,
}

impl StatementKernel {
    /// Compiles a kernel.
    ///
    /// `None` where a step or the fold has no loop in a type, values of different types meet, or there are no axes or more than eight.
    pub fn new(body: &StatementBody<'_>) -> Option<StatementKernel> {
        let StatementBody { axes, loads, scalars, .. } = *body;
        let folded = body.fold.map_or(0, |(_, folded)| folded);
        let most = usize::from(u8::MAX);
        if !(1..=MAX_AXES).contains(&axes) || folded > axes || loads.len() > most || scalars.len() > most {
            return None;
        }
        let template = if body.fold.is_some() { Template::Reduce } else { Template::Map };
        let mut builder = KernelBuilder::new(template, (axes - folded) as u8, folded as u8);
        let operands: Vec<_> = loads.iter().map(|&dtype| builder.operand(dtype, Access::Read, false)).collect();
        let parameters: Vec<_> = scalars.iter().map(|&dtype| builder.scalar(dtype)).collect();
        let mut fragment = builder.body();
        let mut values: Vec<ValueId> = operands.into_iter().map(|operand| fragment.load(operand)).collect();
        values.extend(parameters.into_iter().map(|parameter| fragment.param(parameter)));
        for step in body.steps {
            let value = append(&mut fragment, &values, *step)?;
            values.push(value);
        }
        let value = *values.get(body.result)?;
        let mut dtype = fragment.dtype(value);
        if let Some((fold, _)) = body.fold {
            let given = dtype;
            dtype = fold.result(given);
            let accumulator = fold.row().is_none_or(|row| row.takes(given)).then(|| builder.accumulate(fold, value))?;
            let target = builder.operand(dtype, Access::Write, true);
            let mut epilogue = builder.epilogue();
            let total = epilogue.result(accumulator);
            epilogue.store(target, total);
        } else {
            let target = builder.operand(dtype, Access::Write, true);
            builder.body().store(target, value);
        }
        let compiled = unresolved_runtime().compile_for_host(builder.finish());
        let known = KnownLaunches::default();
        Some(StatementKernel { compiled, axes, folded, scalars: scalars.into(), result: dtype, known })
    }

    /// The type of the result.
    pub fn result(&self) -> DType {
        self.result
    }

    /// The loop of a kernel without a fold that compiled code may call itself, for rows of which some arrays, the last one the result's, have
    /// one element for the whole row.
    pub fn direct_loop(&self, is_broadcast: &[bool]) -> Option<DirectLoop> {
        self.compiled.1.direct_loop(is_broadcast)
    }

    /// Runs it, and says which floating-point flags NumPy would report, but for underflow; the thread's floating-point status is as before.
    ///
    /// # Safety
    /// `arguments` are the words that this type describes. At every point the address of each array is that of an aligned element. No
    /// other thread writes the arrays during the call. The result overlaps no array that is loaded, and only the caller accesses it.
    pub unsafe fn run(&self, arguments: *const u64) -> FpFlags {
        let arrays = self.compiled.0.operands.len();
        let words = self.axes + arrays * (1 + self.axes) + self.scalars.len();
        // SAFETY: the caller's contract.
        let words = unsafe { std::slice::from_raw_parts(arguments, words) };
        let (extents, words) = words.split_at(self.axes);
        let (addresses, words) = words.split_at(arrays);
        let (strides, scalars) = words.split_at(arrays * self.axes);
        // SAFETY: extents, addresses and strides are as wide as words.
        let (extents, addresses, strides) =
            unsafe { (as_words::<usize>(extents), as_words::<*mut u8>(addresses), as_words::<isize>(strides)) };
        let like = (extents, strides, addresses);
        if let Some(prepared) = self.known.find(extents, strides, addresses) {
            // SAFETY: the caller's contract; the result overlaps nothing, and launches like this one were prepared.
            if unsafe { prepared.run(addresses, scalars) } {
                return FpFlags::NONE;
            }
        }
        let first_folded = self.axes - self.folded;
        if extents[..first_folded].contains(&0) {
            return FpFlags::NONE;
        }
        let merged: (SmallVec<[usize; MAX_AXES]>, SmallVec<[isize; 24]>);
        let (extents, strides) = if self.axes == 1 {
            (extents, strides)
        } else {
            let mut of = (SmallVec::from_slice(extents), SmallVec::from_slice(strides));
            merge_axes(&mut of.0, &mut of.1, 0..first_folded);
            merge_axes(&mut of.0, &mut of.1, first_folded..self.axes);
            merged = of;
            (&merged.0[..], &merged.1[..])
        };
        let scalars: SmallVec<[Scalar; 4]> = self
            .scalars
            .iter()
            .zip(scalars)
            .map(|(&dtype, &bits)| Scalar::from_bits(dtype, u128::from(bits)))
            .collect();
        let (outer, inner) = extents.split_at(first_folded);
        let launch = Launch { outer, inner, addresses, strides, scalars: &scalars };
        // SAFETY: the caller's contract; the result overlaps nothing.
        if unsafe { self.compiled.1.launch_small(&launch) } {
            self.known.note(like, || self.compiled.1.prepare(&launch));
            return FpFlags::NONE;
        }
        // SAFETY: the caller's contract; the host's backend compiles for this processor.
        let raised = preserving(|| reporting_errors(|| unsafe { self.compiled.1.launch(&launch, &Threads) }));
        // A launch on the host's memory does not fail.
        raised.into_iter().flatten().fold(FpFlags::NONE, |all, (_, _, flags)| all | flags)
    }
}

/// Words as values of another type.
///
/// # Safety
/// `T` is as wide as a word, and any word is a value of it.
unsafe fn as_words<T>(words: &[u64]) -> &[T] {
    const { assert!(size_of::<T>() == size_of::<u64>() && align_of::<T>() <= align_of::<u64>()) };
    // SAFETY: the caller's contract.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), words.len()) }
}

/// Merges the last axes of a range, as far as every array is contiguous across them. The number of axes stays: an axis that was merged
/// into the last one has one element.
fn merge_axes(extents: &mut [usize], strides: &mut [isize], range: Range<usize>) {
    let axes = extents.len();
    let Some(last) = range.clone().last() else { return };
    for axis in (range.start..last).rev() {
        let goes_on = |of: &[isize]| of[axis] == of[last] * extents[last] as isize;
        if extents[axis] != 1 && !strides.chunks(axes).all(goes_on) {
            return;
        }
        extents[last] *= extents[axis];
        extents[axis] = 1;
    }
}
