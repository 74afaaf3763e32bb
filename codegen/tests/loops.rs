//! Loops of kernels: which flags count, and how they are stopped. What they compute random kernels compare.

use fastnp_codegen::drive::interrupt::{Poll, polling};
use fastnp_codegen::portable::Portable;
use fastnp_codegen::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A map of doubles that repeats a region with one input, and stores what it carried.
fn repeated(region: Region) -> Verified<Kernel> {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from = kernel.operand(DType::F64, Access::Read, true);
    let to = kernel.operand(DType::F64, Access::Write, true);
    let mut body = kernel.body();
    let x = body.load(from);
    let repeated = body.repeat(&Arc::new(region), &[x]);
    let value = body.exit(repeated, 0);
    body.store(to, value);
    verify(kernel.finish()).expect("right")
}

/// Every backend that runs here.
fn backends() -> Vec<Box<dyn Backend>> {
    let portable = Portable::every_level().into_iter().map(|backend| Box::new(backend) as Box<dyn Backend>);
    #[cfg(all(target_arch = "x86_64", unix, not(miri)))]
    let portable = portable.chain(x86::X86::every_level().into_iter().map(|backend| Box::new(backend) as _));
    portable.collect()
}

/// What a kernel makes of some numbers, and the flags that it raises.
fn run(program: &dyn Program, values: &[f64]) -> (Vec<f64>, RaisedFlags) {
    let mut out = vec![0.0f64; values.len()];
    let addresses = [values.as_ptr().cast_mut().cast(), out.as_mut_ptr().cast()];
    let (outer, strides) = ([values.len()], [8, 8]);
    let launch = Launch { outer: &outer, inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: both operands have so many elements.
    let raised = unsafe { program.launch(&launch, &SingleThread) }.expect("the host's memory is there");
    (out, raised)
}

/// `while x < limit: x = x * x`, with the condition alone before the product.
fn squared_below(limit: f64) -> Region {
    let mut region = RegionBuilder::new(&[DType::F64]);
    let x = region.input(0);
    let mut body = region.body();
    let limit = body.constant(Scalar::new(DType::F64, limit));
    let squared = body.apply(Op::Multiply, &[x, x]);
    let condition = body.apply(Op::Less, &[x, limit]);
    region.finish(&[condition], &[squared])
}

#[test]
fn a_point_that_is_over_raises_no_flag() {
    for backend in backends() {
        let program = backend.compile(&repeated(squared_below(1e300))).unwrap();
        // The square of 1e305 is never wanted; that of 1e200 is.
        for count in [1, 3, 8, 40, 3000] {
            let mut values = vec![2.0; count];
            values[count / 2] = 1e305;
            let (out, raised) = run(&*program, &values);
            assert_eq!(out[count / 2], 1e305);
            assert!(count == 1 || out[0] == f64::INFINITY, "2 ** 1024 is no double");
            let overflows = raised.iter().any(|(_, _, flags)| flags.contains(FpFlags::OVERFLOW));
            assert_eq!(overflows, count > 1, "{}, {count} points", backend.name());
            let (_, raised) = run(&*program, &vec![1e305; count]);
            assert!(raised.is_empty(), "{}: {raised:?}", backend.name());
        }
    }
}

#[test]
fn flags_are_those_of_the_loop() {
    for backend in backends() {
        let kernel = repeated(squared_below(1e300));
        let at = kernel.body.insts.iter().position(|inst| matches!(inst, Inst::Loop(_))).unwrap();
        let (_, raised) = run(&*backend.compile(&kernel).unwrap(), &[2.0, 1e200]);
        assert_eq!(&raised[..], [(false, at as u32, FpFlags::OVERFLOW)], "{}", backend.name());
    }
}

/// Says after so many questions that the work is to stop.
struct After(AtomicUsize, usize);

impl Poll for After {
    fn is_interrupted(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= self.1
    }
}

#[test]
fn a_loop_without_an_end_is_stopped() {
    // `while x == x: x = -x`
    let mut region = RegionBuilder::new(&[DType::F64]);
    let x = region.input(0);
    let mut body = region.body();
    let condition = body.apply(Op::Equal, &[x, x]);
    let next = body.apply(Op::Negative, &[x]);
    let kernel = repeated(region.finish(&[condition], &[next]));
    for backend in backends() {
        let program = backend.compile(&kernel).unwrap();
        for count in [1, 8, 50, 5000] {
            let mut values = vec![f64::NAN; count];
            values[count - 1] = 1.0;
            let poll = After(AtomicUsize::new(0), 3);
            polling(&poll, || run(&*program, &values));
            assert!(poll.0.into_inner() > 3, "{}, {count} points", backend.name());
        }
    }
}

#[test]
fn questions_leave_values_and_flags() {
    // `while x < 1e6: x = x + 1`: many turns, in which the poll computes.
    let mut region = RegionBuilder::new(&[DType::F64]);
    let x = region.input(0);
    let mut body = region.body();
    let [limit, one] = [1e6, 1.0].map(|n| body.constant(Scalar::new(DType::F64, n)));
    let condition = body.apply(Op::Less, &[x, limit]);
    let next = body.apply(Op::Add, &[x, one]);
    let kernel = repeated(region.finish(&[condition], &[next]));
    struct Computes(AtomicUsize);
    impl Poll for Computes {
        fn is_interrupted(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed);
            std::hint::black_box(std::hint::black_box(1.0) / std::hint::black_box(0.0)) < 0.0
        }
    }
    for backend in backends() {
        let program = backend.compile(&kernel).unwrap();
        let poll = Computes(AtomicUsize::new(0));
        let (out, raised) = polling(&poll, || run(&*program, &[0.0, 0.5, -3.0, 7e5, 2e6, 1.25, 9.0, 10.0, 11.0]));
        assert_eq!(out, [1e6, 1e6 + 0.5, 1e6, 1e6, 2e6, 1e6 + 0.25, 1e6, 1e6, 1e6], "{}", backend.name());
        assert!(raised.is_empty(), "{}: {raised:?}", backend.name());
        assert!(poll.0.into_inner() > 0, "{}", backend.name());
    }
}
