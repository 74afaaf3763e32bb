//! Fragments as text: one statement for each value, in order.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::cuda::text::spell;
use crate::cuda::text::spell::filled;
use crate::{ComplexPart, DType, Fragment, Inst, Loop, SlowPath, ValueId};
use std::ops::Range;

/// How the values of a fragment are named and read.
pub(crate) struct FragmentText<'a> {
    /// The letter before their numbers.
    pub(crate) letter: char,
    /// The expression of a load, the address of a gather, a coordinate, the result of a fold or an input of a region.
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
    write_range(fragment, 0..fragment.insts.len(), values, line, effect);
}

/// The same of some instructions.
fn write_range(
    fragment: &Fragment,
    range: Range<usize>,
    values: &FragmentText<'_>,
    line: &mut dyn FnMut(String),
    effect: &dyn Fn(&Inst, &str) -> String,
) {
    let name = |v| name(fragment, values.letter, v);
    for number in range {
        let inst = &fragment.insts[number];
        let dtype = fragment.types[number];
        let this = ValueId(number as u32);
        let text = match inst {
            Inst::Const(_) | Inst::Param(_) => continue,
            Inst::Apply(..) if values.slow_paths.iter().any(|slow| slow.value == this) => continue,
            Inst::Store(_, v) | Inst::Scatter(_, _, v) => {
                line(effect(inst, &name(*v)));
                continue;
            }
            Inst::Load(_) | Inst::Index(_) | Inst::Result(_) | Inst::Input(_) => (values.load)(inst),
            Inst::Loop(repeated) => {
                write_loop(repeated, &name(this), &|v| name(v), line);
                continue;
            }
            Inst::Exit(repeated, input) => carried(&name(*repeated), *input),
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

/// The variable of what a loop carries.
fn carried(of: &str, input: u8) -> String {
    format!("{of}_{input}")
}

/// Writes the statements of a loop: variables for what it carries, and a turn as a block, of which each value is a constant.
fn write_loop(repeated: &Loop, this: &str, name: &dyn Fn(ValueId) -> String, line: &mut dyn FnMut(String)) {
    let Loop { region, inputs } = repeated;
    for (input, (v, dtype)) in (0..).zip(inputs.iter().zip(&region.inputs)).take(region.carried()) {
        line(format!("{} {} = {};", dtype.ir_name(), carried(this, input), name(*v)));
    }
    let input = |inst: &Inst| {
        let Inst::Input(number) = inst else { unreachable!("a region reads nothing but its inputs") };
        let is_carried = usize::from(*number) < region.carried();
        if is_carried { carried(this, *number) } else { name(inputs[usize::from(*number)]) }
    };
    let values = FragmentText { letter: 'q', load: &input, slow_paths: &[] };
    let effect = |_: &Inst, _: &str| unreachable!("a region has no effects");
    line("for (;;) {".to_owned());
    let mut start = 0;
    for &condition in &region.conditions {
        let end = condition.0 as usize + 1;
        write_range(&region.body, start..end, &values, line, &effect);
        line(format!("if (!{}) break;", self::name(&region.body, 'q', condition)));
        start = end;
    }
    write_range(&region.body, start..region.body.insts.len(), &values, line, &effect);
    for (input, v) in (0..).zip(&region.next) {
        line(format!("{} = {};", carried(this, input), self::name(&region.body, 'q', *v)));
    }
    line("}".to_owned());
}

/// A value's bits as another type.
fn bits(value: &str, from: DType, to: DType) -> String {
    match (from.is_float(), to.is_float()) {
        (true, false) => filled("(T)", to, &[]) + &filled("bits_T(a)", from, &[value]),
        (false, true) => filled("from_bits_T((U)a)", to, &[value]),
        _ => filled("(T)a", to, &[value]),
    }
}
