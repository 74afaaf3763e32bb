//! Interrupts: a computation that the host interrupts stays pending, and a later flush completes it with the same result.

use crate::process::elsewhere;
use fastnp::{
    Array, ErrorKind, Index, InterpreterLock, Op, Reduction, Result, apply, fault, flush, matmul, set_interpreter_lock,
    stats,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

static STOP: AtomicBool = AtomicBool::new(false);
static ASIDE: AtomicUsize = AtomicUsize::new(0);

struct Impatient;

impl InterpreterLock for Impatient {
    fn release_during(&self, _computes: bool, work: &mut dyn FnMut()) {
        ASIDE.fetch_add(1, Ordering::Relaxed);
        work();
    }

    fn is_held(&self) -> bool {
        true
    }

    fn is_interrupted(&self) -> bool {
        STOP.load(Ordering::Relaxed)
    }
}

/// In-place updates and a temporary that dies between kernels. A kernel that ran must not run again.
fn program(n: usize) -> Result<(Array, Array)> {
    let x = Array::linspace(0.0, 1.0, n);
    let mut y = &x + 1.0;
    let sum = x.reduce(Reduction::Sum, None, None, false)?;
    for _ in 0..250 {
        y = apply(Op::Sin, &[(&y).into()])?;
        let z = &y * &x;
        y.assign(&(&z + &sum))?;
    }
    Ok((x, y))
}

/// One kernel that takes long: the sums of so many sines of sines of an outer product.
fn long_kernel(sines: usize) -> Result<Array> {
    let n = 8000;
    let x = Array::linspace(0.0, 1.0, n);
    let column = x.reshape(&[n, 1])?;
    let nested = (0..sines).try_fold(&column * &x, |x, _| apply(Op::Sin, &[(&x).into()]))?;
    nested.reduce(Reduction::Sum, Some(&[0]), None, false)
}

/// A matrix product of so many thousand terms an element.
fn long_product(thousands: usize) -> Result<Array> {
    let a = Array::linspace(0.0, 1.0, 2_000_000 * thousands).reshape(&[2000, 1000 * thousands])?;
    matmul(&a, &a.t())
}

/// Flushes until nothing is pending, and requests an interrupt until there were three; returns the number of interrupts.
fn flush_impatiently() -> usize {
    let mut interrupted = 0;
    let mut kernels = stats().kernels_launched;
    STOP.store(true, Ordering::Relaxed);
    while let Err(error) = flush() {
        assert_eq!(error.kind(), ErrorKind::Interrupted);
        assert!(stats().kernels_launched > kernels, "an interrupted flush gets on");
        kernels = stats().kernels_launched;
        interrupted += 1;
        STOP.store(interrupted < 3, Ordering::Relaxed);
    }
    STOP.store(false, Ordering::Relaxed);
    interrupted
}

#[test]
fn an_interrupted_computation_stays_pending() -> Result<()> {
    if elsewhere("interrupts::an_interrupted_computation_stays_pending") {
        return Ok(());
    }
    set_interpreter_lock(&Impatient);
    // A flush is interrupted only once it has taken a while. How many elements take that long, the machine decides.
    let mut n = 600_000;
    let y = loop {
        let (_, y) = program(n)?;
        if flush_impatiently() == 3 {
            break y;
        }
        n *= 2;
    };
    assert!(ASIDE.load(Ordering::Relaxed) >= 4);
    let (_, expected) = program(n)?;
    assert_eq!(y.to_vec::<f64>()?, expected.to_vec::<f64>()?);
    Ok(())
}

#[test]
fn a_long_kernel_is_interrupted_between_tasks() -> Result<()> {
    if elsewhere("interrupts::a_long_kernel_is_interrupted_between_tasks") {
        return Ok(());
    }
    set_interpreter_lock(&Impatient);
    stops_early(&long_kernel)?;
    stops_early(&long_product)?;
    stops_early(&long_scan)
}

#[test]
fn a_kernel_that_overwrites_its_operands_is_resumed() -> Result<()> {
    if elsewhere("interrupts::a_kernel_that_overwrites_its_operands_is_resumed") {
        return Ok(());
    }
    set_interpreter_lock(&Impatient);
    for work in [updated, updated_in_stages, scanned_in_place, multiplied_into] {
        stops_early(&work)?;
    }
    // What waits for it, is ordered with it, or was recorded after it.
    let mut size = 1;
    let (expected, after) = loop {
        let x = updated(size)?;
        let started = Instant::now();
        flush()?;
        if started.elapsed() > Duration::from_millis(600) {
            break (x.to_vec::<f64>()?, (&x * 2.0).to_vec::<f64>()?);
        }
        size *= 2;
    };
    let x = updated(size)?;
    STOP.store(true, Ordering::Relaxed);
    assert_eq!(flush().unwrap_err().kind(), ErrorKind::Interrupted);
    let doubled = &x * 2.0;
    x.index(&[Index::At(0)])?.assign(&Array::linspace(0.0, 1.0, 1000))?;
    assert_eq!(flush().unwrap_err().kind(), ErrorKind::Interrupted);
    STOP.store(false, Ordering::Relaxed);
    assert_eq!(x.index(&[Index::At(1), Index::At(0)])?.item()?.to_f64(), expected[1000], "reading one element");
    assert_eq!(doubled.to_vec::<f64>()?, after);
    let found = x.to_vec::<f64>()?;
    assert_eq!(found[1000..], expected[1000..]);
    assert_eq!(found[..1000], Array::linspace(0.0, 1.0, 1000).to_vec::<f64>()?);
    Ok(())
}

#[test]
fn an_interrupt_before_any_task_loses_nothing() -> Result<()> {
    if elsewhere("interrupts::an_interrupt_before_any_task_loses_nothing") {
        return Ok(());
    }
    for work in [updated, updated_in_stages, scanned_in_place] {
        let expected = work(1)?;
        flush()?;
        for task in 1.. {
            let result = work(1)?;
            fault::arm(task);
            let stopped = flush();
            fault::arm(0);
            let doubled = &result * 2.0;
            assert_eq!(result.to_vec::<f64>()?, expected.to_vec::<f64>()?, "before task {task}");
            assert_eq!(doubled.to_vec::<f64>()?, (&expected * 2.0).to_vec::<f64>()?);
            if stopped.is_ok() {
                assert!(task > 3, "there are several tasks");
                break;
            }
        }
    }
    Ok(())
}

/// Interrupts work that grows with a number, once it takes long: it stops soon, and a later flush gives the result that it would have had.
fn stops_early(work: &dyn Fn(usize) -> Result<Array>) -> Result<()> {
    let mut size = 1;
    let (expected, whole) = loop {
        let result = work(size)?;
        let started = Instant::now();
        flush()?;
        if started.elapsed() > Duration::from_millis(600) {
            break (result, started.elapsed());
        }
        size *= 2;
    };
    let result = work(size)?;
    let mut fastest = whole;
    for attempt in 0..3 {
        STOP.store(true, Ordering::Relaxed);
        let started = Instant::now();
        // Where the tasks that ran stay done, each attempt gets on, and one of a busy machine's may be the last.
        let Err(error) = flush() else {
            assert!(attempt > 0, "not interrupted");
            break;
        };
        assert_eq!(error.kind(), ErrorKind::Interrupted);
        fastest = fastest.min(started.elapsed());
    }
    assert!(fastest < whole / 2, "{fastest:?} of {whole:?}");
    STOP.store(false, Ordering::Relaxed);
    assert_eq!(result.to_vec::<f64>()?, expected.to_vec::<f64>()?);
    Ok(())
}

/// A running sum of so many million elements, which runs in order.
fn long_scan(millions: usize) -> Result<Array> {
    Array::linspace(0.0, 1.0, 1_000_000 * millions).scan(Op::Add, Some(0), None)
}

/// Thirty powers of an array: what is fused into one kernel, and dear.
fn powers(x: &Array) -> Result<Array> {
    (0..30).try_fold(x + 0.0, |power, _| apply(Op::Power, &[(&power).into(), x.into()]))
}

/// So many thousand rows of numbers.
fn rows(thousands: usize) -> Result<Array> {
    let x = Array::linspace(0.5, 1.0, 1_000_000 * thousands).reshape(&[1000 * thousands, 1000])?;
    flush()?;
    Ok(x)
}

/// Rows with a pending update in place.
fn updated(thousands: usize) -> Result<Array> {
    let x = rows(thousands)?;
    x.assign(&(&x + &powers(&x)?))?;
    Ok(x)
}

/// Rows with a pending update by kernels that run block by block.
fn updated_in_stages(thousands: usize) -> Result<Array> {
    let x = rows(thousands)?;
    let powers = powers(&x)?;
    let sums = powers.reduce(Reduction::Sum, Some(&[1]), None, true)?;
    x.assign(&(&x + &(&powers / &sums)))?;
    Ok(x)
}

/// Rows with their pending running sums in their place.
fn scanned_in_place(thousands: usize) -> Result<Array> {
    let x = rows(thousands)?;
    x.assign(&powers(&x)?.scan(Op::Add, Some(1), None)?)?;
    Ok(x)
}

/// A matrix whose old contents a pending product overwrites.
fn multiplied_into(thousands: usize) -> Result<Array> {
    let a = Array::linspace(0.0, 1.0, 2_000_000 * thousands).reshape(&[2000, 1000 * thousands])?;
    let y = Array::linspace(0.0, 1.0, 4_000_000).reshape(&[2000, 2000])?;
    flush()?;
    y.assign(&matmul(&a, &a.t())?)?;
    Ok(y)
}
