//! Loops of functions that the embedding program has registered: what a node repeats at each point, by a number for the tape.
//!
//! A tape holds structure alone and is compared word by word, so it names a region by its place among all that were registered. Equal
//! loops have one number. They are few, and live as long as the process, as ops do.

use crate::plan::trace::FunctionName;
use fastnp_codegen::{DType, FragmentBuilder, Op, Region, RegionBuilder, Scalar, ValueId};
use parking_lot::Mutex;
use std::sync::Arc;

/// A loop, by its place among all that were registered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LoopFunction(u16);

/// A step of a loop's turn. Values are numbered: the inputs first, then the steps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LoopStep {
    /// An op of the table, of as many values as it takes; the second repeats the first where that is one.
    Apply(Op, [usize; 2]),
    /// The second value where the first is true, else the third.
    Select([usize; 3]),
    /// A value converted to a type.
    Cast(usize, DType),
    /// A literal.
    Const(Scalar),
}

/// The loops, each once.
static LOOPS: Mutex<Vec<(FunctionName, Arc<Region>)>> = Mutex::new(Vec::new());
/// Loops there may be: programs have dozens.
const MAX_LOOPS: usize = 4_096;
/// Inputs of one: a node has at most 255.
const MAX_INPUTS: usize = 64;

impl LoopFunction {
    /// The loop of a function of this name. Its inputs have these types, the first ones carried, which get the values `next` after each
    /// turn as long as the conditions hold, which are bools; what the first of them do not need happens only where they hold.
    ///
    /// `None` where a type is not one of loops (bools, integers, `float32` and `float64`), a step has no loop in a type, values of
    /// different types meet, or there are more than 64 inputs or too many loops.
    pub fn new(
        name: &str,
        inputs: &[DType],
        steps: &[LoopStep],
        conditions: &[usize],
        next: &[usize],
    ) -> Option<LoopFunction> {
        let takes = |dtype: &DType| !dtype.is_complex() && *dtype != DType::F16;
        if inputs.len() > MAX_INPUTS || next.is_empty() || next.len() > inputs.len() || !inputs.iter().all(takes) {
            return None;
        }
        let mut builder = RegionBuilder::new(inputs);
        let mut values: Vec<ValueId> = (0..inputs.len()).map(|number| builder.input(number as u8)).collect();
        let mut body = builder.body();
        for step in steps {
            let value = append(&mut body, &values, *step).filter(|&v| takes(&body.dtype(v)))?;
            values.push(value);
        }
        let get = |numbers: &[usize]| numbers.iter().map(|&number| values.get(number).copied()).collect();
        let (conditions, next): (Option<Vec<ValueId>>, Option<Vec<ValueId>>) = (get(conditions), get(next));
        let (conditions, next) = (conditions?, next?);
        if conditions.is_empty() || conditions.iter().any(|&v| body.dtype(v) != DType::Bool) {
            return None;
        }
        if next.iter().zip(inputs).any(|(&v, &dtype)| body.dtype(v) != dtype) {
            return None;
        }
        let new = (FunctionName::new(name), Arc::new(builder.finish(&conditions, &next)));
        let mut loops = LOOPS.lock();
        let known = loops.iter().position(|known| *known == new);
        if known.is_none() && loops.len() == MAX_LOOPS {
            return None;
        }
        let number = known.unwrap_or_else(|| {
            loops.push(new);
            loops.len() - 1
        });
        Some(LoopFunction(number as u16))
    }

    /// Its place among all.
    pub(crate) fn number(self) -> u16 {
        self.0
    }

    /// The loop at a place.
    pub(crate) fn at(number: u16) -> LoopFunction {
        LoopFunction(number)
    }

    /// The name that its flags are reported under.
    pub(crate) fn name(self) -> FunctionName {
        LOOPS.lock()[self.0 as usize].0
    }

    /// What it repeats.
    pub(crate) fn region(self) -> Arc<Region> {
        LOOPS.lock()[self.0 as usize].1.clone()
    }
}

/// The value of a step; `None` if it has none in the types of its values.
pub(crate) fn append(body: &mut FragmentBuilder<'_>, values: &[ValueId], step: LoopStep) -> Option<ValueId> {
    let get = |number: usize| values.get(number).copied();
    match step {
        LoopStep::Apply(op, args) => {
            let [a, b] = [get(args[0])?, get(args[1])?];
            let dtype = body.dtype(a);
            (op.has_loop(dtype) && body.dtype(b) == dtype).then(|| body.apply(op, &[a, b][..op.arity()]))
        }
        LoopStep::Select([condition, then, otherwise]) => {
            let [condition, then, otherwise] = [get(condition)?, get(then)?, get(otherwise)?];
            let fits = body.dtype(condition) == DType::Bool && body.dtype(then) == body.dtype(otherwise);
            fits.then(|| body.select(condition, then, otherwise))
        }
        LoopStep::Cast(value, dtype) => get(value).map(|value| body.cast(value, dtype)),
        LoopStep::Const(scalar) => Some(body.constant(scalar)),
    }
}
