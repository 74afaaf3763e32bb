//! Nanoseconds an element, and vector instructions a loop, of every elementary function in machine code.
//!
//! `cargo run --release -p fastnp-codegen --example function_speed [-v] [-avx2] [name…]`: `-v` prints the loops, `-avx2` takes those
//! for processors without AVX-512.
use fastnp_codegen::x86::{Level, X86};
use fastnp_codegen::*;
use std::time::Instant;

fn main() {
    let (flags, names): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|n| n.starts_with('-'));
    let show = flags.iter().any(|f| f == "-v");
    let x86 = if flags.iter().any(|f| f == "-avx2") { X86::at(Level::Avx2) } else { X86::new() };
    let x86 = x86.expect("the processor has AVX2");
    for &op in Op::ALL.iter().filter(|op| op.row().elementary || **op == Op::Sqrt) {
        if !names.is_empty() && !names.iter().any(|n| n == op.name()) {
            continue;
        }
        let mut line = format!("{:9}", op.name());
        for dtype in [DType::F64, DType::F32] {
            let (ns, count, text) =
                if dtype == DType::F64 { speed::<f64>(&x86, op, dtype) } else { speed::<f32>(&x86, op, dtype) };
            line += &format!("  {dtype}: {ns:.3} ns  {count:3}");
            if show {
                println!("{text}");
            }
        }
        println!("{line}");
    }
}

fn speed<N: math::Number>(x86: &X86, op: Op, dtype: DType) -> (f64, usize, String) {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from: Vec<_> = (0..2).map(|_| kernel.operand(dtype, Access::Read, true)).collect();
    let to = kernel.operand(dtype, Access::Write, true);
    let mut body = kernel.body();
    let args: Vec<_> = from[..op.arity()].iter().map(|&m| body.load(m)).collect();
    let value = body.apply(op, &args);
    body.store(to, value);
    let program = x86.compile(&verify(kernel.finish()).unwrap()).unwrap();
    let n = 4096usize;
    let (low, high) = match op {
        Op::Arccosh => (1.1, 9.0),
        Op::Arctanh | Op::Arcsin | Op::Arccos => (-0.9, 0.9),
        Op::Log | Op::Log2 | Op::Log10 | Op::Sqrt => (0.1, 9.0),
        Op::Log1p => (-0.9, 9.0),
        Op::Power => (0.1, 3.0),
        _ => (-3.0, 3.0),
    };
    let x: Vec<N> = (0..n).map(|i| N::of(low + (high - low) * ((i * 617 % n) as f64 + 0.5) / n as f64)).collect();
    let y: Vec<N> = (0..n).map(|i| N::of(0.1 + 2.9 * ((i * 419 % n) as f64 + 0.5) / n as f64)).collect();
    let mut out = vec![N::of(0.0); n];
    let addresses = [x.as_ptr().cast_mut().cast(), y.as_ptr().cast_mut().cast(), out.as_mut_ptr().cast()];
    let size = size_of::<N>() as isize;
    let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &[size; 3], scalars: &[] };
    let mut best = f64::INFINITY;
    for _ in 0..60 {
        let start = Instant::now();
        for _ in 0..8 {
            // SAFETY: vectors of `n` elements.
            unsafe { program.launch(&launch, &SingleThread) }.unwrap();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / (8 * n) as f64);
    }
    let text = program.listing();
    (best, count(&text), text)
}

/// Instructions of the last full loop that wait for a vector port.
fn count(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let moves = ["vmov", "vpbroadcast", "vbroadcast", "vzero", "kmov", "vpextr"];
    let vectors = lines.iter().filter(|l| {
        let word = l.split_whitespace().find(|w| w.starts_with('v') || w.starts_with('k')).unwrap_or("");
        !word.is_empty() && !moves.iter().any(|m| word.starts_with(m))
    });
    vectors.count()
}
