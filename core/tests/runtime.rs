//! Parts of the runtime: the cost model for devices, where traces end as turns of loops, statements flushed alone, lines of debug output.

use fastnp::white_box::{
    Creation, LONE_FLUSHES, LONE_RUNS, LoneStatements, LoopTurns, MAX_PLACES, OPEN_RUNS, OffloadModel, Place, TOUCHES,
    TouchedResults, compile_line, launch_line,
};
use fastnp_codegen::{Access, DType, Facts, Fold, Kernel, KernelBuilder, Launch, Op, Template};
use std::time::Duration;

fn offload() -> OffloadModel {
    let facts = Facts { launch: 3_000.0, bandwidth: 4_000.0, link: 50.0, compile: 50e6 };
    OffloadModel::new(1, facts)
}

#[test]
fn small_programs_stay() {
    assert!(offload().gain(10, 240_000, [0, 0]) < 0.0, "three arrays of 10,000 doubles");
    assert!(offload().gain(10, 240_000_000, [0, 0]) > 0.0, "three of ten million");
}

#[test]
fn uploads_count() {
    // One pass over data of which half must be uploaded pays; it does not where fifty times as much must be.
    assert!(offload().gain(1, 160_000_000, [80_000_000, 0]) > 0.0);
    assert!(offload().gain(1, 16_000_000, [800_000_000, 0]) < 0.0);
    assert!(offload().gain(1, 16_000_000, [0, 800_000_000]) > 0.0);
}

#[test]
fn a_program_moves_once_compiling_would_have_paid() {
    let mut offload = offload();
    let gain = offload.gain(1, 240_000_000, [0, 0]);
    let runs = (0..1000).take_while(|_| !offload.pays_off(7, 1, gain)).count();
    assert_eq!(runs, (50e6 / gain) as usize, "and from then on it stays there");
    assert!(offload.pays_off(7, 1, gain) && !offload.pays_off(8, 1, gain));
}

#[test]
fn straight_code_is_told_from_loops() {
    let mut turns = LoopTurns::default();
    let place = |nodes: usize| Place { nodes, length: 7 * nodes, first: 1 };
    turns.count(place(50), false);
    assert!(!turns.is_likely(place(50)) && turns.is_likely(place(51)));
    turns.count(place(50), true);
    assert!(turns.is_likely(place(50)));
    // A loop ends, too.
    (0..100).for_each(|_| turns.count(place(50), true));
    turns.count(place(50), false);
    assert!(turns.is_likely(place(50)));
    turns.count(place(9), false);
    assert!(!turns.is_likely(place(9)));
    turns.forget();
    assert!(turns.is_likely(place(9)));
    // A place that is remembered here is an unlikely one.
    (0..MAX_PLACES + 9).for_each(|nodes| turns.count(place(nodes), false));
    let remembered = (0..MAX_PLACES + 9).filter(|&nodes| !turns.is_likely(place(nodes))).count();
    assert!((1..=MAX_PLACES).contains(&remembered), "{remembered}");
}

#[test]
fn statements_flushed_alone_are_predicted() {
    let mut lone = LoneStatements::default();
    let recorded_and_flushed = |lone: &mut LoneStatements, nodes| {
        assert!(!lone.is_likely(1));
        lone.flush(nodes);
    };
    (0..LONE_FLUSHES).for_each(|_| recorded_and_flushed(&mut lone, 1));
    assert!(!lone.is_likely(2), "each statement has a counter");
    lone.flush(2);
    // A trace whose first statement was not asked for changes nothing.
    lone.flush(5);
    let run = |lone: &mut LoneStatements| {
        assert!(lone.is_likely(1));
        lone.observe();
        lone.follow();
    };
    (0..LONE_RUNS).for_each(|_| run(&mut lone));
    recorded_and_flushed(&mut lone, 1);
    (0..LONE_RUNS).for_each(|_| run(&mut lone));
    // Now something follows: it is counted from the beginning.
    recorded_and_flushed(&mut lone, 2);
    (0..LONE_FLUSHES).for_each(|_| recorded_and_flushed(&mut lone, 1));
    assert!(lone.is_likely(1));
    // The same where it has run.
    lone.follow();
    (0..LONE_FLUSHES).for_each(|_| recorded_and_flushed(&mut lone, 1));
    assert!(lone.is_likely(1));
}

#[test]
fn results_that_are_touched_are_predicted() {
    let mut touched = TouchedResults::default();
    let (one, other) = (Creation::of("a statement"), Creation::of(200_000));
    assert_ne!(one, other);
    for _ in 0..TOUCHES {
        assert!(!touched.is_likely(one, false));
        touched.touch(one);
    }
    assert!(!touched.is_likely(other, false), "each has a counter");
    (0..OPEN_RUNS).for_each(|_| assert!(touched.is_likely(one, false)));
    // It is guarded once, and touched.
    assert!(!touched.is_likely(one, false));
    touched.touch(one);
    (0..OPEN_RUNS).for_each(|_| assert!(touched.is_likely(one, false)));
    // It is guarded again, and not touched.
    (0..9).for_each(|_| assert!(!touched.is_likely(one, false)));
    touched.touch(one);
    assert!(touched.is_likely(one, false));
    // A large one is not guarded any more.
    (0..2 * OPEN_RUNS).for_each(|_| assert!(touched.is_likely(one, true)));
    // A statement uses it: it is counted from the beginning.
    touched.miss(one);
    for _ in 0..TOUCHES {
        assert!(!touched.is_likely(one, false));
        touched.touch(one);
    }
    assert!(touched.is_likely(one, false));
}

/// Sums the rows of a matrix of doubles.
fn rows() -> Kernel {
    let mut k = KernelBuilder::new(Template::Reduce, 1, 1);
    let from = k.operand(DType::F64, Access::Read, true);
    let to = k.operand(DType::F64, Access::Write, true);
    let value = k.body().load(from);
    let sum = k.accumulate(Fold::Op(Op::Add), value);
    let mut epilogue = k.epilogue();
    let sum = epilogue.result(sum);
    epilogue.store(to, sum);
    k.finish()
}

#[test]
fn lines_tell_sizes_and_speed() {
    let launch = Launch {
        outer: &[1000],
        inner: &[250],
        addresses: &[std::ptr::null_mut(); 2],
        strides: &[2000, 8, 8, 0],
        scalars: &[],
    };
    // 250,000 doubles read and 1,000 written: 2,008,000 bytes in a millisecond.
    let line = launch_line(&rows(), &launch, "", Duration::from_millis(1));
    assert_eq!(line, "launched reduce over [1000] folding [250]: 1.0000 ms, 2.0 GB/s");
    let line = launch_line(&rows(), &launch, "reduce tiled", Duration::from_millis(1));
    assert_eq!(line, "launched reduce over [1000] folding [250] (reduce tiled): 1.0000 ms, 2.0 GB/s");
    let line = compile_line(7, &rows(), Duration::from_micros(3));
    assert_eq!(line, "compiled kernel 7: reduce of 2 operands and 3 instructions in 3.0 µs");
}
