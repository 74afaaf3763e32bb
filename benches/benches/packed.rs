//! Pairs of independent maps: each in a launch of its own, and both in one, as the planner packs unrelated groups.
//!
//! `cargo bench -p fastnp-benches --bench packed`. A line has nanoseconds an element of the first, the second and the pair, on one thread, and
//! the time of both over that of the pair. Where the two wait for different things, such as the divider and the ports, the pair takes as
//! long as the slower one. It does not pass or fail.

use fastnp_benches::clock::fastest;
use fastnp_benches::{Numbers, compile, launch};
use fastnp_codegen::{Access, DType, FragmentBuilder, Kernel, KernelBuilder, Op, Program, Scalar, Template, ValueId};
use std::sync::Arc;

/// Elements: a few, as many as groups of any kind are packed of, and more than a cache holds.
const SIZES: [usize; 3] = [500, 4_000, 2_000_000];
/// Elements that all runs of a program compute, and the most and fewest runs, of which the fastest counts.
const ELEMENTS: usize = 2_000_000;
const RUNS: [usize; 2] = [4, 400];

/// So many steps of a map from two values.
#[derive(Clone, Copy)]
struct Steps {
    count: usize,
    step: fn(&mut FragmentBuilder<'_>, ValueId, ValueId) -> ValueId,
}

const fn steps(count: usize, step: fn(&mut FragmentBuilder<'_>, ValueId, ValueId) -> ValueId) -> Steps {
    Steps { count, step }
}

fn root(body: &mut FragmentBuilder<'_>, x: ValueId, _: ValueId) -> ValueId {
    body.apply(Op::Sqrt, &[x])
}

fn quotient(body: &mut FragmentBuilder<'_>, x: ValueId, y: ValueId) -> ValueId {
    body.apply(Op::Divide, &[y, x])
}

fn exponential(body: &mut FragmentBuilder<'_>, x: ValueId, _: ValueId) -> ValueId {
    let factor = body.constant(Scalar::new(body.dtype(x), 0.3));
    let power = body.apply(Op::Exp, &[x]);
    body.apply(Op::Multiply, &[power, factor])
}

fn logarithm(body: &mut FragmentBuilder<'_>, x: ValueId, y: ValueId) -> ValueId {
    let size = body.apply(Op::Absolute, &[x]);
    let sum = body.apply(Op::Add, &[size, y]);
    body.apply(Op::Log, &[sum])
}

fn product_and_sum(body: &mut FragmentBuilder<'_>, x: ValueId, y: ValueId) -> ValueId {
    let product = body.apply(Op::Multiply, &[x, y]);
    body.apply(Op::Add, &[product, y])
}

const PAIRS: [(&str, Steps, Steps); 9] = [
    ("root, exp", steps(1, root), steps(1, exponential)),
    ("3 roots, 2 exp", steps(3, root), steps(2, exponential)),
    ("10 roots, 10 exp", steps(10, root), steps(10, exponential)),
    ("2 quotients, exp", steps(2, quotient), steps(1, exponential)),
    ("10 quotients, 5 exp", steps(10, quotient), steps(5, exponential)),
    ("10 quotients, 5 log", steps(10, quotient), steps(5, logarithm)),
    ("20 quotients, 50 sums", steps(20, quotient), steps(50, product_and_sum)),
    ("sum, 5 exp", steps(1, product_and_sum), steps(5, exponential)),
    ("5 exp, 5 log", steps(5, exponential), steps(5, logarithm)),
];

/// The maps in one kernel, each from two operands to a third.
fn packed(dtype: DType, maps: &[Steps]) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    for map in maps {
        let [x, y] = [(); 2].map(|()| kernel.operand(dtype, Access::Read, true));
        let (x, y) = (kernel.body().load(x), kernel.body().load(y));
        let value = (0..map.count).fold(x, |value, _| (map.step)(&mut kernel.body(), value, y));
        let to = kernel.operand(dtype, Access::Write, true);
        kernel.body().store(to, value);
    }
    kernel.finish()
}

/// A program and its memory.
struct Timed {
    program: Arc<dyn Program>,
    memory: Vec<Numbers>,
    dtype: DType,
    n: usize,
}

impl Timed {
    fn of(dtype: DType, n: usize, maps: &[Steps]) -> Timed {
        let number = |i: usize| Scalar::new(dtype, 0.5 + (i % 1000) as f64 / 1000.0);
        let memory = (0..3 * maps.len()).map(|_| Numbers::of(dtype, n, number)).collect();
        Timed { program: compile(packed(dtype, maps)), memory, dtype, n }
    }

    /// Nanoseconds an element of a run.
    fn run(&mut self) -> f64 {
        let addresses: Vec<*mut u8> = self.memory.iter_mut().map(|numbers| numbers.at(0)).collect();
        let strides = vec![self.dtype.size() as isize; addresses.len()];
        let run = || {
            // SAFETY: each operand has separate memory of `n` elements.
            unsafe { launch(&*self.program, (&[self.n], &[]), &addresses, &strides) }
        };
        fastest(1, run) / self.n as f64
    }
}

fn main() {
    println!("{:42}{:>8}{:>8}{:>8}{:>10}", "", "first", "second", "pair", "both/pair");
    for dtype in [DType::F64, DType::F32] {
        for n in SIZES {
            for (name, first, second) in PAIRS {
                let mut timed = [&[first][..], &[second], &[first, second]].map(|maps| Timed::of(dtype, n, maps));
                let mut best = [f64::INFINITY; 3];
                for _ in 0..(ELEMENTS / n).clamp(RUNS[0], RUNS[1]) {
                    for (best, timed) in best.iter_mut().zip(&mut timed) {
                        *best = best.min(timed.run());
                    }
                }
                let [first, second, pair] = best;
                print!("{name:24}{dtype:8}{n:>10}{first:8.3}{second:8.3}{pair:8.3}");
                println!("{:10.2}", (first + second) / pair);
            }
        }
    }
}
