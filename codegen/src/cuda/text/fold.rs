//! Folds as text: the type `Folded` of all accumulators of a kernel, what joins two of them, and how threads share one.

use crate::cuda::text::source::FunctionKind;
use crate::cuda::text::spell;
use crate::cuda::text::spell::filled;
use crate::{DType, Kernel, Op, Scalar, Template, ValueId};

/// The axes along which neighbouring threads of a fold go.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum FoldAxis {
    /// The inner axes: the threads of a group fold together.
    Inner,
    /// The outer axes: each thread folds its own points.
    Outer,
}

/// How an accumulator is represented.
enum AccumulatorKind {
    /// A value, which starts at the neutral element.
    Value(Op, Scalar),
    /// A value, and whether there is one: for folds without a neutral element. Before that, what folding nothing gives.
    Optional(Op, Scalar),
    /// A value and its position; the op says which value is better.
    Indexed(Op),
}

/// The members of `Folded` for an accumulator: `a` and its number, and for a second one `p` and its number.
struct Member {
    dtype: DType,
    held: AccumulatorKind,
    value: ValueId,
}

impl Member {
    /// The second member's type, and its size, which is its alignment.
    fn second(&self) -> Option<(&'static str, usize)> {
        match self.held {
            AccumulatorKind::Value(..) => None,
            AccumulatorKind::Optional(..) => Some(("bool", 1)),
            AccumulatorKind::Indexed(_) => Some(("i64", 8)),
        }
    }
}

/// The members of a kernel's `Folded`, in the order of its accumulators.
fn members(kernel: &Kernel) -> impl Iterator<Item = (usize, Member)> {
    kernel
        .accumulators
        .iter()
        .map(|a| {
            let dtype = kernel.body.dtype(a.value);
            let row = a.fold.row().expect("verified kernels fold by the table");
            let held = match (row.better, row.initial(dtype)) {
                (Some(better), _) => AccumulatorKind::Indexed(better),
                (None, Some(initial)) => AccumulatorKind::Value(row.op, initial),
                (None, None) => AccumulatorKind::Optional(row.op, row.identity(dtype).unwrap_or(Scalar::zero(dtype))),
            };
            Member { dtype, held, value: a.value }
        })
        .enumerate()
}

/// The types and functions of a kernel's folds.
pub(crate) fn text(kernel: &Kernel, along: FoldAxis, kind: FunctionKind) -> String {
    let (mut held, mut nothing, mut join) = (String::new(), String::new(), String::new());
    for (n, member) in members(kernel) {
        let dtype = member.dtype;
        let (name, a, b) = (dtype.ir_name(), format!("a.a{n}"), format!("b.a{n}"));
        let joined = |op: Op| filled(&spell::op(op, dtype), dtype, &[&a, &b]);
        held += &format!(" {name} a{n};");
        if let Some((name, _)) = member.second() {
            held += &format!(" {name} p{n};");
        }
        match member.held {
            AccumulatorKind::Value(op, start) => {
                nothing += &format!("    f.a{n} = {};\n", spell::literal(start));
                join += &format!("    f.a{n} = {};\n", joined(op));
            }
            AccumulatorKind::Optional(op, start) => {
                nothing += &format!("    f.a{n} = {};\n    f.p{n} = false;\n", spell::literal(start));
                join += &format!(
                    "    f.a{n} = !a.p{n} ? {b} : !b.p{n} ? {a} : {};\n    f.p{n} = a.p{n} | b.p{n};\n",
                    joined(op)
                );
            }
            AccumulatorKind::Indexed(better) => {
                nothing += &format!("    f.a{n} = {};\n    f.p{n} = -1;\n", spell::literal(Scalar::zero(dtype)));
                let is = |op: Op, x: &str, y: &str| filled(&spell::op(op, dtype), dtype, &[x, y]);
                join += &format!(
                    "    const bool m{n} = {}, n{n} = {}, e{n} = {};\n",
                    is(Op::Isnan, &a, &a),
                    is(Op::Isnan, &b, &b),
                    is(Op::Equal, &a, &b),
                );
                join += &format!("    const bool w{n} = {};\n", is(better, &a, &b));
                // Of two NaN, or two equal values, the first; else NaN, or the better value.
                join += &format!(
                    "    const bool k{n} = b.p{n} < 0 || (a.p{n} >= 0 && (m{n} & n{n} || e{n} ? a.p{n} < b.p{n} : m{n} | n{n} ? m{n} : w{n}));\n    f.a{n} = k{n} ? {a} : {b};\n    f.p{n} = k{n} ? a.p{n} : b.p{n};\n"
                );
            }
        }
    }
    if kernel.accumulators.is_empty() {
        held += " u32 none;";
        nothing += "    f.none = 0;\n";
        join += "    f.none = a.none | b.none;\n";
    }
    let mut parts = vec![
        format!("// What points come to together.\ntypedef struct __align__(4) {{{held} }} Folded;"),
        format!("static __device__ Folded nothing(void) {{\n    Folded f;\n{nothing}    return f;\n}}"),
        format!(
            "static __device__ Folded join(const Folded a, const Folded b) {{\n    Folded f;\n{join}    return f;\n}}"
        ),
    ];
    let (reduces, is_inner) = (kernel.template == Template::Reduce, along == FoldAxis::Inner);
    parts.extend(
        match (reduces, is_inner) {
            (true, true) if kind == FunctionKind::Stage => vec![warp_shuffles().0, include_str!("reduce_in_x.cu")],
            (true, true) => vec![warp_shuffles().0, include_str!("reduce_in_x.cu"), include_str!("last_block.cu")],
            (true, false) => vec![include_str!("reduce_in_y.cu"), include_str!("last_block.cu")],
            (false, true) => exclusive_scan().into(),
            (false, false) => vec![],
        }
        .into_iter()
        .map(|text| text.trim_end().to_owned()),
    );
    parts.join("\n\n")
}

/// The shuffles that read a later lane of the warp, and an earlier one.
fn warp_shuffles() -> (&'static str, &'static str) {
    include_str!("warp_shuffles.cu").split_once("\n\n").expect("two functions")
}

/// The exclusive scan over the lanes of a group, and the shuffle that it needs.
pub(crate) fn exclusive_scan() -> [&'static str; 2] {
    [warp_shuffles().1, include_str!("exclusive_scan.cu")]
}

/// The statements that set `g`, the contribution of a point at a position.
pub(crate) fn contribution(kernel: &Kernel, position: &str) -> Vec<String> {
    let mut lines = vec!["Folded g;".to_owned()];
    for (n, member) in members(kernel) {
        lines.push(format!("g.a{n} = {};", crate::cuda::text::fragment::name(&kernel.body, 'v', member.value)));
        match member.held {
            AccumulatorKind::Value(..) => {}
            AccumulatorKind::Optional(..) => lines.push(format!("g.p{n} = true;")),
            AccumulatorKind::Indexed(_) => lines.push(format!("g.p{n} = {position};")),
        }
    }
    if kernel.accumulators.is_empty() {
        lines.push("g.none = 0;".to_owned());
    }
    lines
}

/// The expression of an accumulator's result in `f`.
pub(crate) fn result(kernel: &Kernel, n: u8) -> String {
    let is_place =
        members(kernel).nth(n as usize).is_some_and(|(_, member)| matches!(member.held, AccumulatorKind::Indexed(_)));
    format!("f.{}{n}", if is_place { 'p' } else { 'a' })
}

/// Bytes of `Folded`.
pub(crate) fn size(kernel: &Kernel) -> usize {
    let (mut end, mut widest) = (0usize, 4);
    let mut put = |size: usize, align: usize| {
        end = end.next_multiple_of(align) + size;
        widest = widest.max(align);
    };
    for (_, member) in members(kernel) {
        put(member.dtype.size(), member.dtype.align());
        if let Some((_, size)) = member.second() {
            put(size, size);
        }
    }
    end.max(4).next_multiple_of(widest)
}
