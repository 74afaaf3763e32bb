//! The functions that a kernel's text defines: those of `functions.cu`, expanded elementary functions, and tables.
//!
//! A function is found by its name, `name_type`. Each definition stands once, before the first that calls it.

use crate::cuda::text::fragment::{FragmentText, write};
use crate::cuda::text::spell;
use crate::cuda::text::spell::filled;
use crate::expand::{expand, is_decomposed};
use crate::ir::build::KernelBuilder;
use crate::math::table_words;
use crate::{Access, DType, Inst, Op, Primitive, Template};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Definitions by name, with `T` for the type, and by type.
static LIBRARY: LazyLock<HashMap<(&str, DType), &str>> = LazyLock::new(|| library(include_str!("functions.cu")));

fn library(text: &'static str) -> HashMap<(&'static str, DType), &'static str> {
    let mut found = HashMap::new();
    let mut types: Vec<DType> = vec![];
    for part in text.split("\n\n").map(str::trim_end) {
        if let Some(names) = part.strip_prefix("//: ") {
            types = names.split(' ').map(|n| DType::from_ir_name(n).expect("a type")).collect();
            continue;
        }
        let Some((before, _)) = part.split_once('(').filter(|_| part.contains("static __device__")) else { continue };
        let head = part.lines().find(|line| line.starts_with("static")).unwrap_or(before);
        let name = head.split('(').next().and_then(|head| head.rsplit(' ').next()).expect("a name");
        for &dtype in &types {
            let former = found.insert((name, dtype), part);
            assert!(former.is_none(), "{name} is defined twice for {dtype}");
        }
    }
    found
}

/// The definitions that a text needs, in order.
pub(crate) fn definitions(text: &str) -> String {
    let mut out = String::new();
    define(text, &mut HashSet::new(), &mut out);
    out
}

fn define(text: &str, known: &mut HashSet<String>, out: &mut String) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for name in text.split(|c: char| !is_part(c)) {
        if known.contains(name) {
            continue;
        }
        let Some(definition) = definition(name) else { continue };
        known.insert(name.to_owned());
        define(&definition, known, out);
        *out += &definition;
        *out += "\n\n";
    }
}

/// The definition of a name, if it is one of this library.
fn definition(name: &str) -> Option<String> {
    let (stem, suffix) = name.rsplit_once('_')?;
    let dtype = DType::from_ir_name(suffix)?;
    if let Some(found) = LIBRARY.get(&(&*format!("{stem}_T"), dtype)) {
        return Some(filled(found, dtype, &[]));
    }
    if let Some(Primitive::Entry(table)) = Primitive::from_name(stem) {
        return Some(entry(stem, dtype, &table_words(table, dtype)));
    }
    Op::from_name(stem).filter(|op| is_decomposed(*op, dtype)).map(|op| decomposed(op, dtype))
}

/// A lookup in a table of sixteen entries.
fn entry(name: &str, dtype: DType, words: &[u64]) -> String {
    let table = name.trim_start_matches("entry_of_");
    let halves = |w: &u64| [*w & 0xffff_ffff, *w >> 32];
    let words = if dtype == DType::F32 { words.iter().flat_map(halves).collect() } else { words.to_vec() };
    let entries: Vec<String> =
        words.iter().map(|&w| spell::literal(crate::Scalar::from_bits(dtype, w.into()))).collect();
    let rows: Vec<String> = entries.chunks(4).map(|row| row.join(", ")).collect();
    let pattern = format!(
        "static __device__ const T {table}_T[16] = {{\n    {}\n}};\n\nstatic __device__ T {name}_T(const U index) {{ return {table}_T[index & 15]; }}",
        rows.join(",\n    ")
    );
    filled(&pattern, dtype, &[])
}

/// A function as its decomposition in the IR.
fn decomposed(op: Op, dtype: DType) -> String {
    let mut kernel = KernelBuilder::new(Template::Map, 0, 0);
    let from: Vec<_> = (0..op.arity()).map(|_| kernel.operand(dtype, Access::Read, true)).collect();
    let to = kernel.operand(dtype, Access::Write, true);
    let mut body = kernel.body();
    let args: Vec<_> = from.into_iter().map(|m| body.load(m)).collect();
    let value = body.apply(op, &args);
    body.store(to, value);
    let expanded = expand(&kernel.finish());
    let names = ["a", "b"];
    let values = FragmentText {
        letter: 'v',
        load: &|inst| match inst {
            Inst::Load(m) => names[m.0 as usize].to_owned(),
            _ => unreachable!("a function reads its arguments"),
        },
        slow_paths: &expanded.body.slow_paths,
    };
    let mut lines = String::new();
    write(
        &expanded.kernel.body,
        &values,
        &mut |line| {
            lines += "    ";
            lines += &line;
            lines += "\n";
        },
        &|_, value| format!("return {value};"),
    );
    let parameters = if op.arity() == 1 { "const T a" } else { "const T a, const T b" };
    let head = filled(&format!("static __device__ T {}_T({parameters})", op.name()), dtype, &[]);
    format!("{head} {{\n{lines}}}")
}
