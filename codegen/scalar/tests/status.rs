//! The floating-point status: what each exception reads as, what a text may rely on, and what a run leaves behind.

use crate::run;

/// The status after `r = OP a, b` was stored.
fn status_of(op: &str, a: f64, b: f64) -> u64 {
    let text = format!(
        "function f frame 4\nreg a: f64\nreg b: f64\nreg r: f64\nreg s: i64\nblock entry:\n\
         a = get 0\nb = get 1\nr = {op} a, b\nput 3, r\ns = call status()\nput 2, s\nreturn 0"
    );
    let mut frame = [a.to_bits(), b.to_bits(), 0, 0];
    run(&text, &mut frame);
    frame[2]
}

#[test]
fn exceptions() {
    assert_eq!(status_of("fadd", 1.0, 2.0), 0);
    assert_eq!(status_of("fdiv", 1.0, 3.0), 0, "inexact is no exception");
    assert_eq!(status_of("fdiv", 0.0, 0.0), 1);
    assert_eq!(status_of("fsub", f64::INFINITY, f64::INFINITY), 1);
    assert_eq!(status_of("fdiv", 1.0, 0.0), 2);
    assert_eq!(status_of("fmul", 1e300, 1e300), 4);
    assert_eq!(status_of("fmul", 1e-300, 1e-300), 8);
}

#[test]
fn raised_is_what_numpy_warns_of() {
    for (op, a, b, expected) in [
        ("fadd", 1.0, 2.0, 0),
        ("fdiv", 1.0, 3.0, 0),
        ("fdiv", 0.0, 0.0, 1),
        ("fdiv", 1.0, 0.0, 1),
        ("fmul", 1e300, 1e300, 1),
        ("fmul", 1e-300, 1e-300, 0),
    ] {
        let text = format!(
            "function f frame 4\nreg a: f64\nreg b: f64\nreg r: f64\nreg s: i8\nblock entry:\n\
             a = get 0\nb = get 1\nr = {op} a, b\nput 3, r\ns = call raised()\nput 2, s\nreturn 0"
        );
        let mut frame = [f64::to_bits(a), f64::to_bits(b), 9, 0];
        run(&text, &mut frame);
        assert_eq!(frame[2], expected, "{op} {a}, {b}");
    }
}

#[test]
fn a_text_asks_after_a_store_or_a_branch() {
    // A quotient that is not finite decides a branch, behind which the status is asked.
    let text = "
function f frame 4
reg a: f64
reg b: f64
reg r: f64
reg size: f64
reg largest: f64
reg s: i64
reg finite: i8
block entry:
  a = get 0
  b = get 1
  r = fdiv a, b
  size = fabs r
  largest = fconst 0x7fefffffffffffff
  finite = fcmp.le size, largest
  br finite, done, look
block look:
  s = call status()
  put 2, s
  return 1
block done:
  put 3, r
  return 0
";
    for (a, b, code, status) in [(1.0, 2.0, 0, 9), (1.0, 0.0, 1, 2), (f64::INFINITY, 2.0, 1, 0), (0.0, 0.0, 1, 1)] {
        let mut frame = [f64::to_bits(a), f64::to_bits(b), 9, 0];
        assert_eq!(run(text, &mut frame), code, "{a} / {b}");
        assert_eq!(frame[2], status, "{a} / {b}");
    }
}

#[test]
fn a_run_leaves_the_status_of_the_thread() {
    let zero = std::hint::black_box(0.0);
    let status = "function f frame 1\nreg s: i64\nblock b:\ns = call status()\nput 0, s\nreturn 0";
    std::hint::black_box(1.0 / zero);
    let mut frame = [9];
    run(status, &mut frame);
    assert_eq!(frame[0], 0, "cleared before");
    run("function f frame 1\nblock b:\ncall clear_status()\nreturn 0", &mut frame);
    assert_eq!(raised() & 4, 4, "divide by zero is still raised");
}

/// The thread's own status bits.
#[cfg(target_arch = "x86_64")]
fn raised() -> u32 {
    let mut value = 0_u32;
    // SAFETY: stores MXCSR into `value`.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
    value
}

/// As if raised: other machines have no register of that form.
#[cfg(not(target_arch = "x86_64"))]
fn raised() -> u32 {
    4
}
