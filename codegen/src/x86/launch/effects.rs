//! What a kernel does besides storing results, as far as its launch depends on it: the flags that it may raise, stores by offsets, and results
//! over inputs.

use crate::{Expanded, FpFlags, Fragment, Inst, Kernel, Template};
use smallvec::SmallVec;
use std::ops::Range;

/// Instructions that may raise flags, and their flags; the epilogue is numbered after the body. A fold counts as the instruction that
/// first reads its result.
pub(crate) fn may_raise(kernel: &Kernel) -> SmallVec<[(u32, FpFlags); 4]> {
    let effects = |at: usize| match at.checked_sub(kernel.body.insts.len()) {
        None => kernel.body.effects(at),
        Some(at) => match kernel.epilogue.insts[at] {
            Inst::Result(a) if !kernel.epilogue.insts[..at].contains(&Inst::Result(a)) => {
                kernel.fold_effects(a as usize)
            }
            _ => kernel.epilogue.effects(at),
        },
    };
    // Of a loop only re-execution tells which flags count, so it is never the single instruction that raises any.
    let instructions = |at: usize| 1 + usize::from(matches!(kernel.body.insts.get(at), Some(Inst::Loop(_))));
    (0..kernel.body.insts.len() + kernel.epilogue.insts.len())
        .flat_map(|at| std::iter::repeat_n((at as u32, effects(at)), instructions(at)))
        .filter(|(_, effects)| !effects.is_empty())
        .collect()
}

/// Whether a kernel stores by offsets.
///
/// # Errors
/// Why it has no loop: offsets may be wrong in slow-path lanes, and a store by offsets may clobber inputs of a re-execution, which
/// alias analysis by strides does not see.
pub(crate) fn check_offsets(kernel: &Kernel, expanded: &Expanded, single_pass: bool) -> Result<bool, String> {
    let body = &expanded.kernel.body;
    // Whether each value depends on a slow-path result.
    let mut is_uncertain = vec![false; body.insts.len()];
    let mut scatters = false;
    for (at, inst) in body.insts.iter().enumerate() {
        let is_slow = expanded.body.slow_paths.iter().any(|slow| slow.value.0 as usize == at)
            || expanded.body.regions.iter().any(|(repeated, _)| repeated.0 as usize == at);
        is_uncertain[at] = is_slow || Fragment::arguments(inst).iter().any(|v| is_uncertain[v.0 as usize]);
        let offsets = match inst {
            Inst::Gather(_, offsets) => offsets,
            Inst::Scatter(operand, offsets, _) => {
                scatters = true;
                if !single_pass && !kernel.operands[operand.0 as usize].restrict {
                    return Err("stores by offset that may clobber inputs".into());
                }
                offsets
            }
            _ => continue,
        };
        if is_uncertain[offsets.0 as usize] {
            return Err("offsets that depend on a slow path".into());
        }
    }
    if scatters && kernel.template == Template::Scan { Err("elements by offset".into()) } else { Ok(scatters) }
}

/// Whether expanded functions that report no underflow may raise it where one other instruction reports it.
pub(crate) fn has_ambiguous_underflow(expanded: &Expanded, may_raise: &[(u32, FpFlags)]) -> bool {
    let body = &expanded.kernel.body;
    let [(only, effects)] = may_raise else { return false };
    let loses = |at: usize| expanded.body.origin[at] != *only && body.effects(at).contains(FpFlags::UNDERFLOW);
    effects.contains(FpFlags::UNDERFLOW) && (0..body.insts.len()).any(loses)
}

/// What a program does so that chunks can be run again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overwriting {
    /// Its loops leave before they overwrite what matters, if the kernel has the form.
    Leaves,
    /// It saves the inputs that results overwrite.
    Saves,
}

/// Whether two ranges of bytes overlap.
pub(crate) fn overlap(a: &Range<isize>, b: &Range<isize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The greatest common divisor; of 0 and another number that one.
pub(crate) fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
