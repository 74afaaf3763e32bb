//! Sequences of launches that are asked for again and again, by stand-ins for NVIDIA's libraries and a GPU, which runs what a graph
//! has in any order that its edges allow: results, what is launched as graphs, and what happens where that cannot be.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use super::process::{alone, child, count, expect, folder, is_for};
use fastnp_codegen::portable::Portable;
use fastnp_codegen::*;
use std::sync::Arc;

/// Elements of an array: enough for folds in several parts.
pub(super) const N: usize = 8192;
/// Arrays of a program; the last are places, and what is scattered to.
const ARRAYS: usize = 7;
const PLACES: usize = ARRAYS - 1;

/// `z = x * s + y`, the sum of `x`, its running sum, `y[p] = x`, and `y = x[p]`.
fn kernels() -> [Verified<Kernel>; 5] {
    let start = |template, outer, inner| {
        let mut kernel = KernelBuilder::new(template, outer, inner);
        let from = kernel.operand(DType::I64, Access::Read, false);
        (kernel, from)
    };
    let (mut map, x) = start(Template::Map, 1, 0);
    let (y, z) = (map.operand(DType::I64, Access::Read, false), map.operand(DType::I64, Access::Write, false));
    let s = map.scalar(DType::I64);
    let mut body = map.body();
    let (x, y, s) = (body.load(x), body.load(y), body.param(s));
    let product = body.apply(Op::Multiply, &[x, s]);
    let sum = body.apply(Op::Add, &[product, y]);
    body.store(z, sum);
    let folded = |template| {
        let (mut fold, x) = start(template, 0, 1);
        let to = fold.operand(DType::I64, Access::Write, false);
        let value = fold.body().load(x);
        let number = fold.accumulate(Fold::Op(Op::Add), value);
        let value = fold.epilogue().result(number);
        fold.epilogue().store(to, value);
        fold
    };
    let placed = |scatters: bool| {
        let (mut map, x) = start(Template::Map, 1, 0);
        let places = map.operand(DType::I64, Access::Read, false);
        let to = map.operand(DType::I64, Access::Write, false);
        let mut body = map.body();
        let place = body.load(places);
        if scatters {
            let value = body.load(x);
            body.scatter(to, place, value);
        } else {
            let value = body.gather(x, place);
            body.store(to, value);
        }
        map
    };
    [map, folded(Template::Reduce), folded(Template::Scan), placed(true), placed(false)]
        .map(|kernel| verify(kernel.finish()).unwrap())
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A step: the kernel, arrays, and elements from which on they are used.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) kernel: usize,
    pub(super) arrays: [usize; 3],
    pub(super) from: [usize; 3],
    pub(super) n: usize,
}

impl Step {
    fn any(r: &mut Random) -> Step {
        let kernel = [0, 0, 0, 1, 2, 3, 4][r.below(7)];
        let mut arrays = [(); 3].map(|()| r.below(ARRAYS - 1));
        let parts = [0, 0, N / 4, N / 2];
        let from = [(); 3].map(|()| parts[r.below(4)]);
        if kernel >= 3 {
            arrays[1] = PLACES;
            // What is read elsewhere than at the point is not written.
            arrays[2] = (arrays[0] + 1 + r.below(ARRAYS - 2)) % (ARRAYS - 1);
        }
        if matches!(kernel, 1 | 2) {
            arrays[1] = (arrays[0] + 1 + r.below(ARRAYS - 2)) % (ARRAYS - 1);
        }
        let n = if r.below(3) == 0 { N / 2 } else { N / 4 };
        let mut step = Step { kernel, arrays, from, n };
        if kernel == 0 {
            // Elements of one array are used at the same point, or lie apart.
            let z = step.from[2];
            for m in 0..2 {
                if step.arrays[m] == step.arrays[2] {
                    step.from[m] = z;
                }
            }
        }
        step
    }

    /// Runs it over arrays at addresses, with a scalar.
    fn run(&self, program: &dyn Program, arrays: &[*mut u8], scalar: i64) {
        let at = |m: usize| arrays[self.arrays[m]].wrapping_add(8 * self.from[m]);
        let whole = |m: usize| arrays[self.arrays[m]];
        let scalars = [Scalar::new(DType::I64, scalar)];
        let (outer, inner) = ([self.n], [self.n]);
        let launch = |addresses, strides, is_map, scalars| Launch {
            outer: if is_map { &outer } else { &[] },
            inner: if is_map { &[] } else { &inner },
            addresses,
            strides,
            scalars,
        };
        // SAFETY: every array has the elements that are used, and places lie within them.
        unsafe {
            match self.kernel {
                0 => program.launch(&launch(&[at(0), at(1), at(2)], &[8, 8, 8], true, &scalars), &SingleThread),
                1 => program.launch(&launch(&[at(0), at(1)], &[8, 0], false, &[]), &SingleThread),
                2 => program.launch(&launch(&[at(0), at(1)], &[8, 8], false, &[]), &SingleThread),
                3 => program.launch(&launch(&[at(0), whole(1), whole(2)], &[8, 8, 0], true, &[]), &SingleThread),
                _ => program.launch(&launch(&[whole(0), whole(1), at(2)], &[0, 8, 8], true, &[]), &SingleThread),
            }
        }
        .unwrap();
    }
}

/// Both sides of programs: arrays here and there.
pub(super) struct Sides {
    pub(super) device: Arc<dyn Device>,
    here: Vec<Arc<dyn Program>>,
    there: Vec<Arc<dyn Program>>,
    values: Vec<Vec<i64>>,
    arrays: Vec<*mut u8>,
}

impl Sides {
    pub(super) fn new() -> Sides {
        let device = device("cuda").unwrap().unwrap();
        let kernels = kernels();
        let mut r = Random(7);
        let values: Vec<Vec<i64>> = (0..ARRAYS)
            .map(|array| {
                (0..N).map(|_| if array == PLACES { 8 * r.below(N) as i64 } else { r.below(100) as i64 }).collect()
            })
            .collect();
        let arrays = values.iter().map(|values| uploaded(&*device, values)).collect();
        Sides {
            here: kernels.iter().map(|kernel| Portable::new().compile(kernel).unwrap()).collect(),
            there: kernels.iter().map(|kernel| device.compile(kernel).unwrap()).collect(),
            device,
            values,
            arrays,
        }
    }

    /// Runs steps on both sides; how many graphs were launched.
    pub(super) fn run(&mut self, steps: &[Step], scalar: i64) -> u64 {
        let here: Vec<*mut u8> = self.values.iter_mut().map(|values| values.as_mut_ptr().cast()).collect();
        self.device.begin();
        for step in steps {
            step.run(&*self.here[step.kernel], &here, scalar);
            step.run(&*self.there[step.kernel], &self.arrays, scalar);
        }
        self.device.end().unwrap()
    }

    pub(super) fn compare(&self, what: &str) {
        for (array, (&start, expected)) in self.arrays.iter().zip(&self.values).enumerate() {
            assert!(downloaded(&*self.device, start, N) == *expected, "{what}: array {array}");
        }
    }
}

fn uploaded(device: &dyn Device, values: &[i64]) -> *mut u8 {
    let start = device.allocate(8 * values.len()).unwrap();
    // SAFETY: just allocated.
    unsafe { device.upload(values.as_ptr().cast(), start, 8 * values.len()) }.unwrap();
    start
}

fn downloaded(device: &dyn Device, start: *const u8, n: usize) -> Vec<i64> {
    let mut values = vec![0; n];
    // SAFETY: the caller allocated so much.
    unsafe { device.download(start, values.as_mut_ptr().cast(), 8 * n) }.unwrap();
    values
}

fn graphs() -> [i32; 3] {
    ["standin_graphs", "standin_graph_launches", "standin_told"].map(|name| count("libcuda.so", name))
}

/// Random programs, each in rounds with other scalars; some end in other sizes. How many graphs were launched.
pub(super) fn random_programs(programs: usize) -> u64 {
    let (mut sides, mut r, mut launched) = (Sides::new(), Random(1), 0);
    for program in 0..programs {
        let mut steps: Vec<Step> = (0..2 + r.below(9)).map(|_| Step::any(&mut r)).collect();
        for round in 0..6 {
            launched += sides.run(&steps, (program * 6 + round) as i64 - 5);
            if round == 3 {
                steps.iter_mut().for_each(|step| step.n = N / 4);
            }
        }
        sides.compare(&format!("program {program}"));
    }
    launched
}

#[test]
fn random_programs_in_any_order_of_their_graphs() {
    alone("cuda::graphs::random_programs_in_any_order_of_their_graphs", &[], || {
        let launched = random_programs(60);
        let [made, graphs, told] = graphs();
        assert_eq!(graphs as u64, launched);
        assert!(made > 50 && launched > 200 && told > 200, "{made} {launched} {told}");
    });
}

#[test]
fn what_the_driver_refuses_is_launched_plainly() {
    let test = "cuda::graphs::what_the_driver_refuses_is_launched_plainly";
    if is_for(test) {
        let launched = random_programs(12);
        return assert!(launched < 36, "{launched}");
    }
    let cache = folder(test);
    for setting in [("STANDIN_GRAPHS", "0"), ("STANDIN_GRAPHS", "5"), ("STANDIN_TOLD", "0"), ("STANDIN_TOLD", "20")] {
        expect(&child(test, &[setting, ("FASTNP_CACHE", cache.to_str().unwrap())]));
    }
    std::fs::remove_dir_all(cache).unwrap();
}

/// Maps that each change an array of their own, or all the first.
fn maps(count: usize, is_chain: bool) -> Vec<Step> {
    let array = |i: usize| if is_chain { 0 } else { i % (ARRAYS - 1) };
    (0..count).map(|i| Step { kernel: 0, arrays: [array(i); 3], from: [0; 3], n: N / 4 }).collect()
}

#[test]
fn a_graph_is_told_what_changed_alone() {
    alone("cuda::graphs::a_graph_is_told_what_changed_alone", &[], || {
        let mut sides = Sides::new();
        let steps = maps(5, false);
        let launched: Vec<u64> = [3, 3, 3, 4, 4].into_iter().map(|scalar| sides.run(&steps, scalar)).collect();
        // The second time there is a graph.
        assert_eq!(launched, [0, 1, 1, 1, 1]);
        assert_eq!(graphs(), [1, 4, 5]);
        // A sequence of another order is another graph, and more than a graph takes is two.
        assert_eq!([1, 1].map(|scalar| sides.run(&maps(5, true), scalar)), [0, 1]);
        assert_eq!([1, 1].map(|scalar| sides.run(&maps(90, true), scalar)), [0, 2]);
        assert_eq!([1, 1].map(|scalar| sides.run(&maps(2, true), scalar)), [0, 0]);
        sides.compare("maps");
        // So many that the first are forgotten.
        for length in 3..60 {
            for is_chain in [false, true] {
                for scalar in 0..3 {
                    sides.run(&maps(length, is_chain), scalar);
                }
            }
        }
        for more in 1..60 {
            sides.run(&[maps(3, true), maps(more, false)].concat(), 2);
        }
        assert_eq!([3, 3].map(|scalar| sides.run(&steps, scalar)), [0, 1]);
        sides.compare("more maps");
    });
}

#[test]
fn memory_given_back_meanwhile_goes_after_the_launches() {
    // Room for the arrays and for one temporary.
    let memory = (ARRAYS * 8 * N + (12 << 20)).to_string();
    alone("cuda::graphs::memory_given_back_meanwhile_goes_after_the_launches", &[("STANDIN_MEMORY", &memory)], || {
        let sides = Sides::new();
        let (device, map) = (&*sides.device, &*sides.there[0]);
        let step = maps(1, true)[0];
        for scalar in 0..5 {
            device.begin();
            let mut all = vec![];
            for size in [3 << 20, 4 << 20, 5 << 20, 6 << 20, 7 << 20] {
                let temporary = device.allocate(size).unwrap();
                // What is uploaded to it is there before it is used, and stays until it was.
                let from = vec![2i64; N];
                // SAFETY: just allocated.
                unsafe { device.upload(from.as_ptr().cast(), temporary, 8 * N) }.unwrap();
                let result = uploaded(device, &vec![5; N]);
                let mut arrays = vec![temporary; ARRAYS];
                arrays[1] = result;
                let step = Step { arrays: [0, 1, 1], ..step };
                step.run(map, &arrays, scalar);
                // An upload to what a launch reads comes after it.
                // SAFETY: allocated above, and not used any more.
                unsafe {
                    device.upload(vec![9i64; N].as_ptr().cast(), temporary, 8 * N).unwrap();
                    step.run(map, &arrays, 1);
                    device.release(temporary, size);
                }
                all.push(result);
            }
            device.end().unwrap();
            for result in all {
                let found = downloaded(device, result, N);
                assert_eq!((found[0], found[N - 1]), (5 + 2 * scalar + 9, 5));
                // SAFETY: allocated above.
                unsafe { device.release(result, 8 * N) };
            }
        }
        device.wait().unwrap();
    });
}

#[test]
fn a_launch_that_fails_in_a_graph_is_told_of_with_its_kernel() {
    alone(
        "cuda::graphs::a_launch_that_fails_in_a_graph_is_told_of_with_its_kernel",
        &[("STANDIN_LAUNCH", "8")],
        || {
            let mut sides = Sides::new();
            let steps = maps(3, true);
            let launched: Vec<u64> = (0..3).map(|scalar| sides.run(&steps, scalar)).collect();
            assert_eq!(launched, [0, 1, 1]);
            let error = sides.device.wait().unwrap_err();
            assert_eq!(error.failure, Failure::Fault);
            assert!(error.message.contains("CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)"), "{error}");
            let listing = sides.there[0].listing();
            assert!(!listing.is_empty() && error.message.contains(&listing), "{error}");
            // It stays so, and nothing panics.
            sides.device.begin();
            steps.iter().for_each(|step| {
                let arrays = &sides.arrays;
                step.run(&*sides.there[0], arrays, 1);
            });
            assert_eq!(sides.device.end().unwrap_err().failure, Failure::Fault);
            assert_eq!(sides.device.end().unwrap(), 0);
        },
    );
}
