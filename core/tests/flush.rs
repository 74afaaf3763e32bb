//! Flushes that fail: what ran has run, the rest stays pending, and an operation that reports the failure is not recorded.

use crate::process::elsewhere;
use fastnp::white_box::runtime;
use fastnp::{Array, ErrorKind, Op, Options, apply_with, explain, flush, settings};
use fastnp_codegen::{
    Backend, CompileError, DeviceError, Inst, Kernel, Launch, Program, RaisedFlags, ThreadPool, Verified, registry,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether programs of sines panic.
static PANICS: AtomicBool = AtomicBool::new(true);

/// A backend whose programs of sines may panic.
struct Panicking(Box<dyn Backend>);

struct PanickingProgram(Arc<dyn Program>);

impl Backend for Panicking {
    fn name(&self) -> &'static str {
        "panicking"
    }

    fn compile(&self, kernel: &Verified<Kernel>) -> Result<Arc<dyn Program>, CompileError> {
        let has_sine = kernel.body.insts.iter().any(|inst| matches!(inst, Inst::Apply(Op::Sin, _)));
        let program = self.0.compile(kernel)?;
        Ok(if has_sine { Arc::new(PanickingProgram(program)) } else { program })
    }
}

impl Program for PanickingProgram {
    unsafe fn launch(&self, launch: &Launch<'_>, threads: &dyn ThreadPool) -> Result<RaisedFlags, DeviceError> {
        assert!(!PANICS.load(Ordering::Relaxed), "a sine");
        // SAFETY: the caller's contract.
        unsafe { self.0.launch(launch, threads) }
    }

    fn listing(&self) -> String {
        String::new()
    }
}

/// Ones that nothing computes at once, under the backend that panics.
fn operands() -> (Array, Array) {
    assert!(settings::set("tiny", 0).unwrap());
    runtime().set_host_backend(Arc::new(Panicking(registry::select("").expect("there is a best one"))));
    (Array::from(vec![1.0; 5000]), Array::from(vec![1.0; 70_000]))
}

/// Increments an array.
fn increment(x: &Array) -> fastnp::Result<Array> {
    apply_with(Op::Add, &[x.into(), 1.0.into()], Options { out: Some(x), ..Options::default() })
}

/// Replaces an array by its sines, in a kernel of their own.
fn to_sines(y: &Array) -> fastnp::Result<Array> {
    apply_with(Op::Sin, &[y.into()], Options { out: Some(y), ..Options::default() })
}

#[test]
fn a_panic_in_a_step_leaves_the_rest_pending() -> fastnp::Result<()> {
    if elsewhere("flush::a_panic_in_a_step_leaves_the_rest_pending") {
        return Ok(());
    }
    let (x, y) = operands();
    increment(&x)?;
    to_sines(&y)?;
    assert!(explain().starts_with("pending: 2 nodes "), "{}", explain());
    for _ in 0..3 {
        let error = flush().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert!(error.message().contains("a sine") && error.message().contains("sin"), "{error}");
        assert!(explain().starts_with("pending: 1 nodes "), "the sine: {}", explain());
    }
    assert_eq!(x.to_vec::<f64>()?[0], 2.0);
    PANICS.store(false, Ordering::Relaxed);
    assert!((y.to_vec::<f64>()?[0] - 1f64.sin()).abs() < 1e-15);
    assert_eq!(x.to_vec::<f64>()?[0], 2.0, "once");
    Ok(())
}

#[test]
fn what_fails_when_it_is_recorded_is_not_pending() -> fastnp::Result<()> {
    if elsewhere("flush::what_fails_when_it_is_recorded_is_not_pending") {
        return Ok(());
    }
    let (x, y) = operands();
    increment(&x)?;
    // What is recorded from now on is flushed at once, and what was pending with it.
    assert!(settings::set("eager", 1)?);
    assert_eq!(to_sines(&y).unwrap_err().kind(), ErrorKind::Internal);
    assert!(explain().starts_with("nothing is pending"), "{}", explain());
    assert_eq!((x.to_vec::<f64>()?[0], y.to_vec::<f64>()?[0]), (2.0, 1.0));
    Ok(())
}
