//! The cost around the loops: verifying a kernel, compiling it, encoding machine code, and launching it over few and many elements.
//!
//! The budget is 5 µs and 0.1 µs an instruction for a compile, and a launch of few elements should cost little more than its elements.

use criterion::{Criterion, criterion_group, criterion_main};
use fastnp_benches::{Numbers, chain, compile, launch, map};
use fastnp_codegen::portable::Portable;
use fastnp_codegen::{Backend, Op, verify};
use std::hint::black_box;
use std::time::Duration;

fn compiling(c: &mut Criterion) {
    let mut group = c.benchmark_group("compile");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    let backend = Portable::new();
    group.bench_function("build a chain of ten", |b| b.iter(|| black_box(map(1, 2, chain))));
    let kernel = map(1, 2, chain);
    group.bench_function("verify a chain of ten", |b| {
        b.iter_batched(|| kernel.clone(), |k| black_box(verify(k).is_ok()), criterion::BatchSize::SmallInput);
    });
    let verified = verify(kernel).unwrap_or_else(|error| panic!("{error}"));
    group.bench_function("compile a chain of ten", |b| b.iter(|| black_box(backend.compile(&verified).is_ok())));
    group.finish();
}

fn launching(c: &mut Criterion) {
    let mut group = c.benchmark_group("launch");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    let largest = 4_000_000;
    let mut memory: Vec<Numbers> = (0..3).map(|_| Numbers::new(largest)).collect();
    let addresses: Vec<*mut u8> = memory.iter_mut().map(|m| m.at(0)).collect();
    for (name, kernel) in [("add", map(1, 2, |body, v| body.apply(Op::Add, v))), ("chain of ten", map(1, 2, chain))] {
        let program = compile(kernel);
        for n in [1, 10, 100, 1000, largest] {
            group.bench_function(format!("{name}/{n}"), |b| {
                // SAFETY: each of the three operands has that many elements.
                b.iter(|| unsafe { black_box(launch(&*program, (&[n], &[]), &addresses, &[8, 8, 8])) });
            });
        }
    }
    group.finish();
}

/// A thousand instructions each, so a figure in microseconds is the time of an instruction in nanoseconds.
#[cfg(all(target_arch = "x86_64", unix))]
fn encoding(c: &mut Criterion) {
    use fastnp_codegen::x86::asm::forms;
    use fastnp_codegen::x86::{Assembler, Gpr, KReg, Masking, Mem, Rm, VReg, Width};
    let mut group = c.benchmark_group("encode a thousand");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    let mut time = |name: &str, write: fn(&mut Assembler, u8)| {
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut asm = Assembler::new();
                (0..1000).for_each(|i| write(&mut asm, (i & 31) as u8));
                asm.finish()
            });
        });
    };
    const fn place(i: u8) -> Mem {
        Mem::at(Gpr(i & 15), i as i32 * 64)
    }
    time("vector of registers", |asm, i| {
        let (a, b) = (VReg(31 - i), Rm::Reg(VReg(i ^ 3)));
        asm.vector(black_box(&forms::VADDPD), Width::W512, VReg(i), a, b, Masking::NONE, None);
    });
    time("vector of memory", |asm, i| {
        let b = Rm::Mem(place(i));
        asm.vector(black_box(&forms::VADDPD), Width::W512, VReg(i), VReg(31 - i), b, Masking::NONE, None);
    });
    time("masked store", |asm, i| {
        asm.store(black_box(&forms::VMOVUPS_STORE), Width::W512, place(i), VReg(i), KReg(1));
    });
    time("add of an immediate", |asm, i| asm.add_imm(Gpr(i & 15), i as i32 * 8));
    group.finish();
}

#[cfg(not(all(target_arch = "x86_64", unix)))]
fn encoding(_: &mut Criterion) {}

criterion_group!(benches, compiling, encoding, launching);
criterion_main!(benches);
