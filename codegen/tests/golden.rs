//! Kernels as files: what the IR looks like, and what its rules reject.
//!
//! `golden/*.ir` are right: each is parsed, verified and printed, and must be what is printed. `golden/bad/*.ir` are wrong:
//! the first line is `; error:` and the first line of the error, from the parser (`line:column: …`) or the verifier
//! (`place: …`). `golden/expanded` holds elementary functions written out, and how many instructions each takes; `golden/x86` and `golden/x86-avx2`, machine code; `golden/cuda`, CUDA C. Comment lines at the head say what a file is about and are kept. `FASTNP_BLESS=1` rewrites the files.

#[path = "cuda/kernels.rs"]
#[allow(dead_code, reason = "kernels are read from files here")]
mod kernels;

use fastnp_codegen::{Access, Backend, DType, Inst, Kernel, KernelBuilder, Op, Template, expand, verify};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder beside this one, by name.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "ir"));
    files.sort();
    assert!(!files.is_empty(), "no .ir files in {}", folder.display());
    files
}

/// Compares a file with what it should be, or makes it so.
fn compare(path: &Path, found: &str, expected: &str) {
    if found == expected {
        return;
    }
    if std::env::var_os("FASTNP_BLESS").is_some() {
        fs::write(path, expected).expect("the golden file can be written");
        return;
    }
    panic!("{} should be (FASTNP_BLESS=1 makes it so)\n{expected}", path.display());
}

/// The comment lines that a text begins with.
fn head(text: &str) -> String {
    text.split_inclusive('\n').take_while(|line| line.starts_with(';')).collect()
}

#[test]
fn right_kernels_print_as_they_stand() {
    for path in files("golden") {
        let text = fs::read_to_string(&path).expect("readable");
        let name = path.display();
        let kernel: Kernel = text.parse().unwrap_or_else(|e| panic!("{name}:{e}"));
        let kernel = verify(kernel).unwrap_or_else(|e| panic!("{name}: {e}"));
        let printed = kernel.to_string();
        assert_eq!(printed.parse::<Kernel>().as_ref(), Ok(&*kernel), "{name}");
        compare(&path, &text, &(head(&text) + &printed));
    }
}

#[test]
fn wrong_kernels_are_rejected_as_expected() {
    for path in files("golden/bad") {
        let text = fs::read_to_string(&path).expect("readable");
        let error = match text.parse::<Kernel>() {
            Err(error) => error.to_string(),
            Ok(kernel) => {
                let printed = kernel.to_string();
                assert_eq!(printed.parse::<Kernel>().as_ref(), Ok(&kernel), "{}", path.display());
                let error = verify(kernel).expect_err(&path.display().to_string()).to_string();
                assert!(error.ends_with(&printed), "the error carries the kernel:\n{error}");
                error
            }
        };
        let first = error.lines().next().unwrap_or_default();
        let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
        compare(&path, &text, &format!("; error: {first}\n{rest}"));
    }
}

/// A map of one op.
fn map_of(op: Op, dtype: DType) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from: Vec<_> = (0..op.arity()).map(|_| kernel.operand(dtype, Access::Read, true)).collect();
    let to = kernel.operand(op.result(dtype), Access::Write, true);
    let mut body = kernel.body();
    let args: Vec<_> = from.into_iter().map(|m| body.load(m)).collect();
    let value = body.apply(op, &args);
    body.store(to, value);
    kernel.finish()
}

#[test]
fn elementary_functions_are_written_out_as_they_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/expanded");
    for op in [Op::Exp, Op::Sin] {
        let expanded = expand(&map_of(op, DType::F64));
        let seldom = |odd: &fastnp_codegen::SlowPath| format!("; v{} is wanted where v{}\n", odd.value.0, odd.mask.0);
        let text = expanded.body.slow_paths.iter().map(seldom).collect::<String>() + &expanded.kernel.to_string();
        assert_eq!(text.parse::<Kernel>().as_ref(), Ok(&expanded.kernel));
        let path = folder.join(format!("{op}.ir"));
        compare(&path, &fs::read_to_string(&path).unwrap_or_default(), &text);
    }
    // What is computed: literals, operands and the call for odd arguments left out.
    let count = |op: Op, dtype: DType| {
        let is_work = |i: &&Inst| {
            !matches!(i, Inst::Const(_) | Inst::Load(_) | Inst::Store(..))
                && !matches!(i, Inst::Apply(o, _) if *o == op)
        };
        expand(&map_of(op, dtype)).kernel.body.insts.iter().filter(is_work).count()
    };
    let mut table = String::from("; instructions of elementary functions: op, float64, float32\n");
    for &op in Op::ALL.iter().filter(|op| op.row().elementary) {
        table += &format!("{op} {} {}\n", count(op, DType::F64), count(op, DType::F32));
    }
    let path = folder.join("counts.txt");
    compare(&path, &fs::read_to_string(&path).unwrap_or_default(), &table);
}

/// The machine code of some of the kernels.
#[test]
#[cfg(all(target_arch = "x86_64", unix, not(miri)))]
fn machine_code_is_as_it_stands() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for x86 in fastnp_codegen::x86::X86::every_level() {
        for name in [
            "map_elementwise", "map_select", "map_casts", "map_in_place", "map_index", "map_complex", "expanded/exp",
            "expanded/sin", "reduce_rows", "scan_rows", "gather", "put",
        ] {
            let kernel: Kernel =
                fs::read_to_string(golden.join(format!("{name}.ir"))).expect("readable").parse().expect("right");
            let program = x86.compile(&verify(kernel).expect("right")).expect("compiles");
            let path = golden.join(x86.name()).join(format!("{}.asm", name.trim_start_matches("expanded/")));
            compare(&path, &fs::read_to_string(&path).unwrap_or_default(), &program.listing());
        }
    }
}

/// CUDA C of some of the kernels, over dense arrays, and over those in which the other axis is the faster.
#[test]
fn cuda_texts_are_as_they_stand() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let ways = |rank: usize| {
        if rank == 2 { vec![("", vec![0, 1]), (".columns", vec![1, 0])] } else { vec![("", (0..rank).collect())] }
    };
    for name in [
        "map_elementwise", "map_select", "map_casts", "map_in_place", "map_index", "map_complex", "map_point",
        "gather", "scatter", "reduce_full", "reduce_rows", "reduce_positions", "reduce_and_store", "scan",
    ] {
        let kernel: Kernel =
            fs::read_to_string(golden.join(format!("{name}.ir"))).expect("readable").parse().expect("right");
        for (way, order) in ways((kernel.outer + kernel.inner) as usize) {
            let text = kernels::text(verify(kernel.clone()).expect("right"), &order, 1);
            let path = golden.join("cuda").join(format!("{name}{way}.cu"));
            compare(&path, &fs::read_to_string(&path).unwrap_or_default(), &text);
        }
    }
    for template in [Template::Map, Template::Reduce, Template::Scan] {
        let axes: Vec<usize> = (0..kernels::MANY_AXES as usize).collect();
        let text = kernels::text(verify(kernels::many(template)).expect("right"), &axes, 1);
        let path = golden.join("cuda").join(format!("{template}_many.cu"));
        compare(&path, &fs::read_to_string(&path).unwrap_or_default(), &text);
    }
}

/// A map of one conversion.
#[cfg(all(target_arch = "x86_64", unix, not(miri)))]
fn map_of_cast(from: DType, to: DType) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let (source, target) = (kernel.operand(from, Access::Read, true), kernel.operand(to, Access::Write, true));
    let value = kernel.body().load(source);
    let value = kernel.body().cast(value, to);
    kernel.body().store(target, value);
    kernel.finish()
}

#[test]
fn texts_that_compact_are_as_they_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/cuda");
    for (name, size) in [("compact", Some(4)), ("compact_pairs", Some(16)), ("compact_positions", None)] {
        let path = folder.join(name).with_extension("cu");
        compare(&path, &fs::read_to_string(&path).unwrap_or_default(), &fastnp_codegen::cuda::compaction(size));
    }
}

/// Which ops and conversions are left to the portable backend.
#[test]
#[cfg(all(target_arch = "x86_64", unix, not(miri)))]
fn what_has_no_machine_code_is_as_it_stands() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for x86 in fastnp_codegen::x86::X86::every_level() {
        let is_left = |kernel: Kernel| {
            let program = x86.compile(&verify(kernel).expect("right")).expect("compiles");
            !program.listing().starts_with("x86")
        };
        let mut text = String::from("; ops and conversions without machine code of their own, by type\n");
        let mut line = |what: String, left: Vec<&str>| {
            if !left.is_empty() {
                text += &format!("{what}: {}\n", left.join(" "));
            }
        };
        for &op in Op::ALL {
            let types = DType::ALL.into_iter().filter(|&d| op.has_loop(d) && d != DType::F16);
            line(op.to_string(), types.filter(|&d| is_left(map_of(op, d))).map(|d| d.ir_name()).collect());
        }
        for from in DType::ALL {
            let left = DType::ALL.into_iter().filter(|&to| to != from && is_left(map_of_cast(from, to)));
            line(format!("{} as", from.ir_name()), left.map(|d| d.ir_name()).collect());
        }
        let path = golden.join(x86.name()).join("left.txt");
        compare(&path, &fs::read_to_string(&path).unwrap_or_default(), &text);
    }
}
