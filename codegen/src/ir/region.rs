//! Loops inside a fragment: a region that one point repeats for as long as its data say.
//!
//! # Semantics
//!
//! A [`Region`] is a fragment of its own, straight-line typed SSA, that names no memory, no parameter and no coordinate: it reads its
//! *inputs* and constants. The first inputs are *carried* from turn to turn, the others are the same in all turns. [`crate::Inst::Loop`]
//! gives the inputs their first values. A turn of a point is:
//!
//! 1. The instructions up to the first *condition*, which is one of them.
//! 2. Where it is false the loop is over, and [`crate::Inst::Exit`] reads the carried inputs as they are.
//! 3. Where it is true, the instructions after it, up to the next condition, which says the same.
//! 4. After the last one the rest. The values `next` become the carried inputs of the next turn, all at once.
//!
//! Points are independent: each makes a number of turns of its own, which nothing bounds. (A bound is a carried counter and one of the
//! conditions.) The flags of a loop are those of the turns that its points make, reported for the one instruction [`crate::Inst::Loop`]. So
//! an instruction counts only where the conditions before it hold. A point that is over may run again as far as it came: its inputs have
//! not changed, so neither have values, conditions and flags. A backend therefore needs no mask besides the conditions themselves.
//!
//! A loop that runs for long is told to stop between two turns ([`crate::drive::interrupt`]). Then it ends with any values. The code that
//! builds the kernel guarantees that offsets of gathers and scatters do not depend on loops.

use crate::ir::build::{Draft, visit};
use crate::{DType, FpFlags, Fragment, FragmentBuilder, Inst, ValueId};
use std::sync::Arc;

/// What a loop repeats: see the module's head for its meaning.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Region {
    /// The types of the inputs, carried ones first.
    pub inputs: Vec<DType>,
    /// The instructions of a turn.
    pub body: Fragment,
    /// The conditions under which the point continues this turn, each the last instruction that runs if it does not; in order, one
    /// at least.
    pub conditions: Vec<ValueId>,
    /// By carried input: the value that it has in the next turn.
    pub next: Vec<ValueId>,
}

impl Region {
    /// How many inputs are carried.
    pub fn carried(&self) -> usize {
        self.next.len()
    }

    /// The floating-point flags that its instructions may raise.
    pub fn effects(&self) -> FpFlags {
        (0..self.body.insts.len()).fold(FpFlags::NONE, |all, at| all | self.body.effects(at))
    }
}

/// A loop at one place of a fragment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Loop {
    /// What it repeats. Many kernels share a region.
    pub region: Arc<Region>,
    /// The first values of the region's inputs.
    pub inputs: Vec<ValueId>,
}

/// A region being made.
///
/// ```
/// use fastnp_codegen::{DType, Op, RegionBuilder, Scalar};
///
/// // The steps of a number to one: while x != 1: x = x / 2 if x % 2 == 0 else 3 * x + 1; steps += 1
/// let mut region = RegionBuilder::new(&[DType::I64, DType::I64]);
/// let (x, steps) = (region.input(0), region.input(1));
/// let mut body = region.body();
/// let [one, three] = [1i64, 3].map(|n| body.constant(Scalar::new(DType::I64, n)));
/// let more = body.apply(Op::NotEqual, &[x, one]);
/// let half = body.apply(Op::RightShift, &[x, one]);
/// let odd = body.apply(Op::BitwiseAnd, &[x, one]);
/// let odd = body.cast(odd, DType::Bool);
/// let tripled = body.apply(Op::Multiply, &[three, x]);
/// let tripled = body.apply(Op::Add, &[tripled, one]);
/// let next = body.select(odd, tripled, half);
/// let steps = body.apply(Op::Add, &[steps, one]);
/// let region = region.finish(&[more], &[next, steps]);
/// assert_eq!(region.carried(), 2);
/// ```
#[derive(Debug)]
pub struct RegionBuilder {
    inputs: Vec<DType>,
    draft: Draft,
}

impl RegionBuilder {
    /// An empty region with inputs of these types.
    pub fn new(inputs: &[DType]) -> RegionBuilder {
        RegionBuilder { inputs: inputs.to_vec(), draft: Draft::default() }
    }

    /// The value of an input in this turn.
    ///
    /// # Panics
    /// There is no such input.
    pub fn input(&mut self, number: u8) -> ValueId {
        self.draft.intern(Inst::Input(number), self.inputs[usize::from(number)], false)
    }

    /// The builder of its instructions, which has no operands and no scalars.
    pub fn body(&mut self) -> FragmentBuilder<'_> {
        FragmentBuilder::of_region(&mut self.draft)
    }

    /// The region, without the instructions nothing uses. Instructions that the first conditions do not need stand after them, so they
    /// count only where these hold. A condition that an earlier one needs is none.
    pub fn finish(self, conditions: &[ValueId], next: &[ValueId]) -> Region {
        let mut roots: Vec<ValueId> = [conditions, next].concat();
        let (body, numbers) = self.draft.finish(roots.iter().copied());
        if let Some(numbers) = numbers {
            roots.iter_mut().for_each(|v| numbers.renumber(v));
        }
        let (body, numbers) = conditions_first(body, &roots[..conditions.len()]);
        roots.iter_mut().for_each(|v| *v = numbers[v.0 as usize]);
        let (mut conditions, next) = (roots[..conditions.len()].to_vec(), roots[conditions.len()..].to_vec());
        conditions.sort_unstable();
        conditions.dedup();
        Region { inputs: self.inputs, body, conditions, next }
    }
}

/// A fragment with what each condition in turn needs before all else, and the new numbers of its values.
fn conditions_first(body: Fragment, conditions: &[ValueId]) -> (Fragment, Vec<ValueId>) {
    let count = body.insts.len();
    let (mut order, mut is_placed): (Vec<usize>, Vec<bool>) = (vec![], vec![false; count]);
    for condition in conditions {
        let mut is_needed = vec![false; count];
        is_needed[condition.0 as usize] = true;
        for at in (0..count).rev().filter(|&at| at <= condition.0 as usize) {
            if is_needed[at] {
                Fragment::arguments(&body.insts[at]).iter().for_each(|v| is_needed[v.0 as usize] = true);
            }
        }
        for at in (0..count).filter(|&at| is_needed[at]) {
            if !std::mem::replace(&mut is_placed[at], true) {
                order.push(at);
            }
        }
    }
    order.extend((0..count).filter(|&at| !is_placed[at]));
    let mut numbers = vec![ValueId(0); count];
    order.iter().enumerate().for_each(|(now, &before)| numbers[before] = ValueId(now as u32));
    let moved = |&before: &usize| {
        let mut inst = body.insts[before].clone();
        visit(&mut inst, |v| *v = numbers[v.0 as usize]);
        inst
    };
    let insts = order.iter().map(moved).collect();
    (Fragment { insts, types: order.iter().map(|&before| body.types[before]).collect() }, numbers)
}
