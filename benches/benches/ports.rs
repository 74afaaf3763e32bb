//! Cycles a vector of loops of machine code, measured beside predicted: every elementary function, chains of functions, and steps of
//! well-known programs, in doubles and singles, on operands that stay in the first-level cache.
//!
//! `cargo bench -p fastnp-benches --bench ports [-- NAME…]` measures what has one of the names in its own. A line has nanoseconds an element,
//! cycles a vector as measured and as predicted, their quotient, the cycles that the busiest ports need, their share of those measured, and
//! operations. `FASTNP_BACKEND=x86-avx2` before it measures AVX2 on a processor with AVX-512. At the end are the
//! geometric mean of the quotients and the five worst. `--listing` prints the listings too: when and on which port each instruction
//! executes. It does not pass or fail.

#[cfg(not(all(target_arch = "x86_64", unix)))]
fn main() {}

#[cfg(all(target_arch = "x86_64", unix))]
fn main() {
    machine::run();
}

#[cfg(all(target_arch = "x86_64", unix))]
mod machine {
    use fastnp_benches::bodies::{Body, chains, functions, programs};
    use fastnp_benches::clock::{cycle_ns, fastest};
    use fastnp_benches::{Numbers, compile, launch};
    use fastnp_codegen::x86::X86;
    use fastnp_codegen::{DType, Program, Scalar};

    /// Bytes of all operands: half of the smallest first-level cache, as frames take the other half.
    const OPERAND_BYTES: usize = 12 << 10;
    /// Runs, the fastest of which counts, and launches of a run.
    const RUNS: usize = 300;
    const LAUNCHES: usize = 4;
    const LENGTHS: [usize; 4] = [2, 5, 10, 20];

    /// What a listing predicts of all loops of a program, a vector: cycles, operations, and cycles of the busiest ports.
    struct Predicted {
        cycles: f64,
        lanes: f64,
        operations: f64,
        bound: f64,
    }

    impl Predicted {
        fn of(listing: &str) -> Predicted {
            let mut all = Predicted { cycles: 0.0, lanes: 0.0, operations: 0.0, bound: 0.0 };
            for line in listing.lines().filter_map(|line| line.strip_prefix("predicted: ")) {
                let numbers: Vec<f64> = line.split([' ', ';', ',']).filter_map(|word| word.parse().ok()).collect();
                all.cycles += numbers[0];
                all.lanes = numbers[1];
                all.operations += numbers[2];
                all.bound += numbers[3];
            }
            all
        }
    }

    /// Nanoseconds an element, without those of a launch.
    fn measure(body: &Body, program: &dyn Program) -> f64 {
        let size = body.dtype.size();
        let most = OPERAND_BYTES / (size * (body.ranges.len() + 1)) / 64 * 64;
        let number = |k: usize, (low, high): (f64, f64), i: usize| {
            let place = (i * (617 + 100 * k) % most) as f64 + 0.5;
            Scalar::new(body.dtype, low + (high - low) * place / most as f64)
        };
        let result = (0.0, 0.0);
        let ranges = body.ranges.iter().chain([&result]).enumerate();
        let mut memory: Vec<Numbers> =
            ranges.map(|(k, &range)| Numbers::of(body.dtype, most, |i| number(k, range, i))).collect();
        let addresses: Vec<*mut u8> = memory.iter_mut().map(|numbers| numbers.at(0)).collect();
        let strides = vec![size as isize; addresses.len()];
        let time = |n: usize| {
            fastest(1, || {
                // SAFETY: each operand has separate memory of `most` elements.
                (0..LAUNCHES).for_each(|_| unsafe {
                    launch(program, (&[n], &[]), &addresses, &strides);
                });
            })
        };
        let (half, mut all, mut part) = (most / 128 * 64, f64::INFINITY, f64::INFINITY);
        // In turns: what else runs on the machine comes and goes.
        for _ in 0..RUNS {
            (all, part) = (all.min(time(most)), part.min(time(half)));
        }
        (all - part) / (LAUNCHES * (most - half)) as f64
    }

    pub(crate) fn run() {
        let (flags, names): (Vec<String>, Vec<String>) =
            std::env::args().skip(1).partition(|word| word.starts_with('-'));
        let lists = flags.iter().any(|flag| flag == "--listing");
        if X86::new().is_none() {
            return println!("neither AVX2 nor AVX-512");
        }
        let ns = cycle_ns();
        println!("{:.2} GHz", 1.0 / ns);
        println!("{:31}ns  cycles predicted quotient  bound  share  operations", "");
        let mut quotients: Vec<(f64, String)> = vec![];
        for dtype in [DType::F64, DType::F32] {
            let mut all = functions(dtype);
            LENGTHS.iter().for_each(|&length| all.extend(chains(dtype, length)));
            all.extend(programs(dtype));
            for body in all.iter().filter(|b| names.is_empty() || names.iter().any(|n| b.name.contains(&**n))) {
                let program = compile(body.kernel.clone());
                let listing = program.listing();
                let found = measure(body, &*program);
                let known = Predicted::of(&listing);
                let cycles = found / ns * known.lanes;
                let name = format!("{:16} {dtype}", body.name);
                print!("{name:25}{found:8.3}{cycles:8.1}{:10.1}{:9.2}", known.cycles, cycles / known.cycles);
                println!("{:7.1}{:7.2}{:12.1}", known.bound, known.bound / cycles, known.operations);
                if lists {
                    println!("{listing}");
                }
                quotients.push((cycles / known.cycles, name));
            }
        }
        quotients.retain(|(quotient, _)| quotient.is_finite());
        let mean = quotients.iter().map(|(quotient, _)| quotient.ln()).sum::<f64>() / quotients.len() as f64;
        println!("measured over predicted, geometric mean: {:.2}; the worst:", mean.exp());
        quotients.sort_by(|a, b| b.0.ln().abs().total_cmp(&a.0.ln().abs()));
        quotients.iter().take(5).for_each(|(quotient, name)| println!("{quotient:6.2} {name}"));
    }
}
