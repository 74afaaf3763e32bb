//! The floating-point status: what each exception reads as, where arithmetic stands, and what a run leaves behind.

use crate::run;

/// The status after `r = OP a, b` with `status()` right after it.
fn status_of(op: &str, a: f64, b: f64) -> u64 {
    let text = format!(
        "function f frame 4\nreg a: f64\nreg b: f64\nreg r: f64\nreg s: i64\nblock entry:\n\
         a = get 0\nb = get 1\nr = {op} a, b\ns = call status()\nput 2, s\nput 3, r\nreturn 0"
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
fn arithmetic_stands_where_it_is_written() {
    // A quotient by zero before `clear_status`, one under a condition inside of a loop that never holds, one after `status`.
    let text = "
function f frame 5
reg one: f64
reg zero: f64
reg early: f64
reg never: f64
reg late: f64
reg s: i64
reg i: i64
reg n: i64
reg unit: i64
reg c: i8
reg no: i8
block entry:
  one = get 0
  zero = get 1
  n = iconst 10
  unit = iconst 1
  early = fdiv one, zero
  call clear_status()
  jump head
block head:
  c = icmp.lt i, n
  br c, body, done
block body:
  i = add i, unit
  br no, divide, head
block divide:
  never = fdiv one, zero
  jump head
block done:
  s = call status()
  late = fdiv one, zero
  put 2, s
  put 3, early
  put 4, late
  put 1, never
  return 0
";
    let mut frame = [1.0_f64.to_bits(), 0, 9, 0, 0];
    run(text, &mut frame);
    assert_eq!(frame[2], 0);
    assert_eq!((f64::from_bits(frame[3]), f64::from_bits(frame[4])), (f64::INFINITY, f64::INFINITY));
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
