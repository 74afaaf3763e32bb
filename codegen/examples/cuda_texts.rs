//! Writes texts of the cuda backend to a folder, for a compiler to be tried on: every op, conversion and template, of every type,
//! with more arguments than a launch passes, compactions, and several as one.
//!
//!     cargo run -p fastnp-codegen --example cuda_texts -- DIR

#[path = "../tests/kernels.rs"]
#[allow(dead_code, reason = "the texts of some are golden files")]
mod kernels;

use fastnp_codegen::cuda::{compaction, render_composed, together};
use fastnp_codegen::{Access, DType, Fold, Kernel, KernelBuilder, Op, Template};
use kernels::{MANY_AXES, casts_of, many, map_of, ops_of, right, text, with_launch};
use std::path::PathBuf;

/// A sum, an extreme and, of reductions, a position.
fn folds_of(template: Template, dtype: DType) -> Kernel {
    let mut kernel = KernelBuilder::new(template, 1, 1);
    let from = kernel.operand(dtype, Access::Read, true);
    let (sum, extreme) = if dtype == DType::Bool { (Op::LogicalOr, Op::LogicalAnd) } else { (Op::Add, Op::Maximum) };
    let mut folds = vec![Fold::Op(sum), Fold::Op(extreme)];
    if template == Template::Reduce {
        folds.push(Fold::ArgMax);
    }
    for fold in folds {
        let value = kernel.body().load(from);
        let number = kernel.accumulate(fold, value);
        let to = kernel.operand(fold.result(dtype), Access::Write, true);
        let value = kernel.epilogue().result(number);
        kernel.epilogue().store(to, value);
    }
    kernel.finish()
}

/// A gather and a scatter.
fn moves() -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 2, 0);
    let mut operand = |dtype, access| kernel.operand(dtype, access, true);
    let (from, places) = (operand(DType::F32, Access::Read), operand(DType::I64, Access::Read));
    let to = operand(DType::F32, Access::Write);
    let mut body = kernel.body();
    let place = body.load(places);
    let value = body.gather(from, place);
    body.scatter(to, place, value);
    kernel.finish()
}

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder"));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let write = |name: String, kernel, order: &[usize], step| {
        std::fs::write(folder.join(name + ".cu"), text(right(kernel), order, step)).expect("writable");
    };
    for dtype in DType::ALL {
        let name = dtype.ir_name();
        write(format!("casts_{name}"), casts_of(dtype), &[0], 1);
        if dtype == DType::F16 {
            continue;
        }
        write(format!("ops_{name}"), map_of(dtype, ops_of(dtype)), &[0], 1);
        for template in [Template::Reduce, Template::Scan] {
            write(format!("{template}_rows_{name}"), folds_of(template, dtype), &[0, 1], 1);
            write(format!("{template}_columns_{name}"), folds_of(template, dtype), &[1, 0], 1);
        }
    }
    for template in [Template::Reduce, Template::Scan] {
        write(format!("{template}_wide_f64"), folds_of(template, DType::F64), &[0, 1], 1 << 12);
    }
    write("moves".to_owned(), moves(), &[0, 1], 1);
    let axes: Vec<usize> = (0..MANY_AXES as usize).collect();
    for template in [Template::Map, Template::Reduce, Template::Scan] {
        write(format!("many_{template}"), many(template), &axes, 1);
    }
    for size in [None, Some(1), Some(2), Some(4), Some(8), Some(16)] {
        let name = size.map_or("compaction_positions".to_owned(), |size| format!("compaction_{size}"));
        std::fs::write(folder.join(name + ".cu"), compaction(size)).expect("writable");
    }
    for dtype in [DType::Bool, DType::I8, DType::I64, DType::F32, DType::F64, DType::C128] {
        let stages = [folds_of(Template::Reduce, dtype), map_of(dtype, ops_of(dtype).take(4))].map(right);
        let text = with_launch(&stages[0], &[0, 1], 1, |first| {
            with_launch(&stages[1], &[0], 1, |second| render_composed(&[(&stages[0], first), (&stages[1], second)]))
        });
        std::fs::write(folder.join(format!("composed_{}.cu", dtype.ir_name())), text).expect("writable");
    }
    let folds = |template, dtype, order: &[usize]| text(right(folds_of(template, dtype)), order, 1);
    let texts = [
        text(right(moves()), &[0, 1], 1),
        text(right(casts_of(DType::F16)), &[0], 1),
        text(right(map_of(DType::C64, ops_of(DType::C64))), &[0], 1),
        folds(Template::Reduce, DType::F64, &[0, 1]),
        folds(Template::Reduce, DType::C128, &[0, 1]),
        folds(Template::Reduce, DType::F64, &[1, 0]),
        folds(Template::Scan, DType::I8, &[0, 1]),
    ];
    let (program, names) = together(&texts.each_ref().map(String::as_str));
    std::fs::write(folder.join("together.cu"), format!("// {}\n{program}", names.join(" "))).expect("writable");
}
