//! A computation that the host interrupts stays pending, and ends later with the same result.

use crate::process::elsewhere;
use fastnp::{Array, ErrorKind, Host, Op, Reduction, Result, apply, flush, set_host, stats};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);
static ASIDE: AtomicUsize = AtomicUsize::new(0);

struct Impatient;

impl Host for Impatient {
    fn aside(&self, _computes: bool, work: &mut dyn FnMut()) {
        ASIDE.fetch_add(1, Ordering::Relaxed);
        work();
    }

    fn is_interrupted(&self) -> bool {
        STOP.load(Ordering::Relaxed)
    }
}

/// In-place updates and a temporary that dies between kernels: what ran must not run again.
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

/// Flushes until nothing is pending, and asks for a stop until there were three; how often it was interrupted.
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
    set_host(&Impatient);
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
