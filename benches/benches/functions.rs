//! Elementary functions on one thread and vectors that stay in L1: the portable backend's loops and machine code, at each
//! instruction-set level of the processor.
//!
//! `cargo bench -p fastnp-benches --bench functions -- --quick sin/f64` times one. The time of an element is the reciprocal
//! of `thrpt`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fastnp_benches::bodies::range;
use fastnp_benches::{Numbers, launch, map_of};
use fastnp_codegen::portable::Portable;
use fastnp_codegen::{Backend, DType, Op, Scalar, verify};
use std::hint::black_box;
use std::time::Duration;

/// Small enough that arguments and results stay in L1.
const N: usize = 1024;

/// The backends and their names in the report.
fn backends() -> Vec<(String, Box<dyn Backend>)> {
    let portable = Portable::every_level().into_iter().map(|b| (format!("{b:?}"), Box::new(b) as Box<dyn Backend>));
    let mut all: Vec<(String, Box<dyn Backend>)> = portable.collect();
    #[cfg(all(target_arch = "x86_64", unix))]
    all.extend(fastnp_codegen::x86::X86::every_level().into_iter().map(|b| (b.name().to_owned(), Box::new(b) as _)));
    all
}

/// Numbers of a range in pseudo-random order.
fn numbers((low, high): (f64, f64), step: usize, dtype: DType) -> Numbers {
    Numbers::of(dtype, N, |i| Scalar::new(dtype, low + (high - low) * ((i * step % N) as f64 + 0.5) / N as f64))
}

fn functions(c: &mut Criterion) {
    let mut group = c.benchmark_group("functions");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    group.throughput(Throughput::Elements(N as u64));
    let backends = backends();
    for &op in Op::ALL.iter().filter(|op| op.row().elementary || **op == Op::Sqrt) {
        for dtype in [DType::F64, DType::F32] {
            let kernel = map_of(1, &vec![dtype; op.arity()], |body, v| body.apply(op, v));
            let kernel = verify(kernel).unwrap_or_else(|error| panic!("{error}"));
            let mut memory =
                [numbers(range(op), 617, dtype), numbers((0.1, 3.0), 419, dtype), numbers((0.0, 1.0), 1, dtype)];
            let addresses = memory.each_mut().map(|m| m.at(0));
            let strides = [dtype.size() as isize; 3];
            for (name, backend) in &backends {
                let program = backend.compile(&kernel).unwrap_or_else(|error| panic!("{error}"));
                group.bench_function(format!("{op}/{dtype}/{name}"), |b| {
                    let operands = op.arity() + 1;
                    // SAFETY: each operand has separate memory of N elements.
                    b.iter(|| unsafe {
                        black_box(launch(&*program, (&[N], &[]), &addresses[..operands], &strides[..operands]))
                    });
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, functions);
criterion_main!(benches);
