//! Fragments as text: one statement for each value, in order.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::cuda::text::spell;
use crate::cuda::text::spell::filled;
use crate::{ComplexPart, DType, Fragment, Inst, SlowPath, ValueId};

/// How the values of a fragment are named and read.
pub(crate) struct FragmentText<'a> {
    /// The letter before their numbers.
    pub(crate) letter: char,
    /// The expression of a load, the address of a gather, a coordinate or the result of a fold.
    pub(crate) load: &'a dyn Fn(&Inst) -> String,
    /// Values of slow paths, which are computed inside the select that reads them.
    pub(crate) slow_paths: &'a [SlowPath],
}

/// The name of a value; literals and parameters are themselves.
pub(crate) fn name(fragment: &Fragment, letter: char, v: ValueId) -> String {
    let inst = &fragment.insts[v.0 as usize];
    if let Inst::Const(c) = inst {
        spell::literal(*c)
    } else if let Inst::Param(s) = inst {
        format!("s{}", s.0)
    } else {
        format!("{letter}{}", v.0)
    }
}

/// Writes the statements of a fragment. `effect` gives the statement of a store, from the value it stores.
pub(crate) fn write(
    fragment: &Fragment,
    values: &FragmentText<'_>,
    line: &mut dyn FnMut(String),
    effect: &dyn Fn(&Inst, &str) -> String,
) {
    let name = |v| name(fragment, values.letter, v);
    for (number, inst) in fragment.insts.iter().enumerate() {
        let dtype = fragment.types[number];
        let this = ValueId(number as u32);
        let text = match inst {
            Inst::Const(_) | Inst::Param(_) => continue,
            Inst::Apply(..) if values.slow_paths.iter().any(|slow| slow.value == this) => continue,
            Inst::Store(_, v) | Inst::Scatter(_, _, v) => {
                line(effect(inst, &name(*v)));
                continue;
            }
            Inst::Load(_) | Inst::Index(_) | Inst::Result(_) => (values.load)(inst),
            Inst::Gather(_, offset) => filled("load_T(b + a)", dtype, &[&name(*offset), &(values.load)(inst)]),
            Inst::Apply(op, [a, b]) => {
                filled(&spell::op(*op, fragment.dtype(*a)), fragment.dtype(*a), &[&name(*a), &name(*b)])
            }
            Inst::Fma([a, b, c]) => filled(&format!("fma_F(a, b, {})", name(*c)), dtype, &[&name(*a), &name(*b)]),
            Inst::Step(step, [a, b]) => {
                let args = if step.arity() == 1 { "a" } else { "a, b" };
                let of = if fragment.dtype(*a).is_float() { fragment.dtype(*a) } else { dtype };
                filled(&format!("{step}_T({args})"), of, &[&name(*a), &name(*b)])
            }
            Inst::Select([mask, a, otherwise]) => {
                let slow_path = values.slow_paths.iter().find(|slow| slow.value == *a);
                let (then, otherwise) = match (slow_path, &fragment.insts[a.0 as usize]) {
                    (Some(_), Inst::Apply(op, [a, b])) => (
                        spell::builtin(*op).map(|pattern| filled(&pattern, dtype, &[&name(*a), &name(*b)])),
                        name(*otherwise),
                    ),
                    _ => (Some(name(*a)), name(*otherwise)),
                };
                match then {
                    Some(then) => format!("{} ? {then} : {otherwise}", name(*mask)),
                    None => otherwise,
                }
            }
            Inst::Cast(a, to) => filled(&spell::cast(fragment.dtype(*a), *to), fragment.dtype(*a), &[&name(*a)]),
            Inst::Bits(a, to) => bits(&name(*a), fragment.dtype(*a), *to),
            Inst::Part(a, ComplexPart::Real) => format!("{}.re", name(*a)),
            Inst::Part(a, ComplexPart::Imaginary) => format!("{}.im", name(*a)),
            Inst::Complex([re, im]) => filled("complex_T(a, b)", dtype, &[&name(*re), &name(*im)]),
        };
        line(format!("const {} {} = {text};", dtype.ir_name(), name(this)));
    }
}

/// A value's bits as another type.
fn bits(value: &str, from: DType, to: DType) -> String {
    match (from.is_float(), to.is_float()) {
        (true, false) => filled("(T)", to, &[]) + &filled("bits_T(a)", from, &[value]),
        (false, true) => filled("from_bits_T((U)a)", to, &[value]),
        _ => filled("(T)a", to, &[value]),
    }
}
