//! What a kernel's accumulators hold, as text: one value `Folded` of all of them, what joins two, and how threads do.

use crate::cuda::text::form::Along;
use crate::cuda::text::functions::filled;
use crate::cuda::text::spell;
use crate::{DType, Kernel, Op, Scalar, Template, ValueId};

/// How accumulators of a kind are held.
enum Held {
    /// As a value, from the fold's initial value.
    Value(Op, Scalar),
    /// As a value, once there is one: where nothing changes nothing. Before that, as the value of folding nothing.
    Some(Op, Scalar),
    /// As a value and its position, the better value first.
    Place(Op),
}

/// An accumulator's members of `Folded`: `a` and its number, and `p` and its number where it is held by two.
struct Member {
    dtype: DType,
    held: Held,
    value: ValueId,
}

impl Member {
    /// The second member's type, and its size, which is its alignment.
    fn second(&self) -> Option<(&'static str, usize)> {
        match self.held {
            Held::Value(..) => None,
            Held::Some(..) => Some(("bool", 1)),
            Held::Place(_) => Some(("i64", 8)),
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
                (Some(better), _) => Held::Place(better),
                (None, Some(initial)) => Held::Value(row.op, initial),
                (None, None) => Held::Some(row.op, row.identity(dtype).unwrap_or(Scalar::zero(dtype))),
            };
            Member { dtype, held, value: a.value }
        })
        .enumerate()
}

/// The types and functions of a kernel's folds.
pub(crate) fn text(kernel: &Kernel, along: Along) -> String {
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
            Held::Value(op, start) => {
                nothing += &format!("    f.a{n} = {};\n", spell::literal(start));
                join += &format!("    f.a{n} = {};\n", joined(op));
            }
            Held::Some(op, start) => {
                nothing += &format!("    f.a{n} = {};\n    f.p{n} = false;\n", spell::literal(start));
                join += &format!(
                    "    f.a{n} = !a.p{n} ? {b} : !b.p{n} ? {a} : {};\n    f.p{n} = a.p{n} | b.p{n};\n",
                    joined(op)
                );
            }
            Held::Place(better) => {
                nothing += &format!("    f.a{n} = {};\n    f.p{n} = -1;\n", spell::literal(Scalar::zero(dtype)));
                let is = |op: Op, x: &str, y: &str| filled(&spell::op(op, dtype), dtype, &[x, y]);
                join += &format!(
                    "    const bool m{n} = {}, n{n} = {}, e{n} = {};\n",
                    is(Op::Isnan, &a, &a),
                    is(Op::Isnan, &b, &b),
                    is(Op::Equal, &a, &b),
                );
                join += &format!("    const bool w{n} = {};\n", is(better, &a, &b));
                // Of two nans, and of two equals, the former; else a nan, or what is better.
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
    let (reduces, is_inner) = (kernel.template == Template::Reduce, along == Along::Inner);
    parts.extend(
        match (reduces, is_inner) {
            (true, true) => vec![lanes().0, include_str!("fold_inner.cu"), include_str!("parts.cu")],
            (true, false) => vec![include_str!("fold_outer.cu"), include_str!("parts.cu")],
            (false, true) => before().into(),
            (false, false) => vec![],
        }
        .into_iter()
        .map(|text| text.trim_end().to_owned()),
    );
    parts.join("\n\n")
}

/// What a lane gets of others: of one further on, and of one before.
fn lanes() -> (&'static str, &'static str) {
    include_str!("lanes.cu").split_once("\n\n").expect("two functions")
}

/// What a lane gets of all lanes before it.
pub(crate) fn before() -> [&'static str; 2] {
    [lanes().1, include_str!("before.cu")]
}

/// The statements that make `g` of a point's values, which is at a position.
pub(crate) fn take(kernel: &Kernel, position: &str) -> Vec<String> {
    let mut lines = vec!["Folded g;".to_owned()];
    for (n, member) in members(kernel) {
        lines.push(format!("g.a{n} = {};", crate::cuda::text::fragment::name(&kernel.body, 'v', member.value)));
        match member.held {
            Held::Value(..) => {}
            Held::Some(..) => lines.push(format!("g.p{n} = true;")),
            Held::Place(_) => lines.push(format!("g.p{n} = {position};")),
        }
    }
    if kernel.accumulators.is_empty() {
        lines.push("g.none = 0;".to_owned());
    }
    lines
}

/// An accumulator's result in `f`.
pub(crate) fn result(kernel: &Kernel, n: u8) -> String {
    let is_place = members(kernel).nth(n as usize).is_some_and(|(_, member)| matches!(member.held, Held::Place(_)));
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
