//! Memory of a run, and calls of ufuncs' inner loops.

use crate::run;
use std::ffi::c_void;

#[test]
fn scratch_is_apart() {
    let text = "
function f frame 3
reg n: i64
reg p: i64
reg q: i64
block entry:
  n = get 0
  p = call scratch(n)
  q = call scratch(n)
  store.i64 p, 0, n
  store.i64 q, 0, q
  put 1, p
  put 2, q
  return 0
";
    for bytes in [1_u64, 64, 100_000, 10_000_000] {
        let mut frame = [bytes, 0, 0];
        run(text, &mut frame);
        assert!(frame[1] != 0 && frame[1] % 64 == 0 && frame[1].abs_diff(frame[2]) >= bytes, "{frame:?}");
        let mut again = [bytes, 0, 0];
        run(text, &mut again);
        assert!(bytes > 1000 || frame == again, "what a run has given back is taken again: {frame:?}, {again:?}");
    }
    let mut frame = [u64::MAX >> 1, 1, 1];
    let refused = text.replace("store.i64 p, 0, n\n", "\n").replace("store.i64 q, 0, q\n", "\n");
    run(&refused, &mut frame);
    assert_eq!(frame[1..], [0; 2], "there is no such memory");
}

#[test]
fn a_buffer_keeps_its_contents() {
    let text = "
function f frame 5
reg n: i64
reg bytes: i64
reg p: i64
reg q: i64
reg v: i64
block entry:
  n = iconst 3
  bytes = iconst 16
  p = call buffer(n, bytes)
  v = get 0
  store.i64 p, 8, v
  q = call buffer(n, bytes)
  v = load.i64 q, 8
  put 1, v
  v = sub p, q
  put 2, v
  v = iconst 4
  q = call buffer(v, bytes)
  call copy_memory(q, p, bytes)
  v = load.i64 q, 8
  put 3, v
  bytes = iconst 1000000
  q = call buffer(n, bytes)
  put 4, q
  return 0
";
    let mut frame = [77, 0, 9, 0, 0];
    run(text, &mut frame);
    assert_eq!(frame[1..4], [77, 0, 77]);
    assert_ne!(frame[4], 0);
}

/// The inner loop of a ufunc that adds its operands and what its data points to.
unsafe extern "C" fn sum_of<const N: usize>(
    arguments: *mut *mut u8,
    count: *const isize,
    _: *const isize,
    data: *mut c_void,
) {
    // SAFETY: called as NumPy calls inner loops: `N` operands and a result of one element.
    unsafe {
        assert_eq!(*count, 1);
        let operands = (0..N).map(|i| *(*arguments.add(i)).cast::<f64>());
        *(*arguments.add(N)).cast::<f64>() = operands.sum::<f64>() + *data.cast::<f64>();
    }
}

#[test]
fn inner_loops() {
    let text = "
function f frame 6
reg one: i64
reg two: i64
reg data: i64
reg x: f64
reg y: f64
block entry:
  one = get 0
  two = get 1
  data = get 2
  x = get 3
  y = call loop1(one, data, x)
  put 4, y
  y = call loop2(two, data, x, y)
  put 5, y
  return 0
";
    let data = 100.0_f64;
    let (one, two) = (sum_of::<1> as *const () as u64, sum_of::<2> as *const () as u64);
    let mut frame = [one, two, (&raw const data).addr() as u64, 1.5_f64.to_bits(), 0, 0];
    run(text, &mut frame);
    assert_eq!([frame[4], frame[5]].map(f64::from_bits), [101.5, 203.0]);
}

/// The product of a complex number with i.
unsafe extern "C" fn turned(arguments: *mut *mut u8, _: *const isize, _: *const isize, _: *mut std::ffi::c_void) {
    // SAFETY: called with the addresses of an operand and a result of two doubles each.
    unsafe {
        let [real, imaginary] = *(*arguments).cast::<[f64; 2]>();
        *(*arguments.add(1)).cast::<[f64; 2]>() = [-imaginary, real];
    }
}

#[test]
fn an_inner_loop_of_complex_numbers() {
    let text = "
function f frame 3
reg loop: i64
reg at: i64
reg x: f64
reg y: f64
block entry:
  loop = get 0
  x = get 1
  y = get 2
  at = call loop1c(loop, loop, x, y)
  x = load.f64 at, 0
  y = load.f64 at, 8
  put 1, x
  put 2, y
  return 0
";
    let mut frame = [turned as *const () as u64, 1.5_f64.to_bits(), 2.0_f64.to_bits()];
    run(text, &mut frame);
    assert_eq!([frame[1], frame[2]].map(f64::from_bits), [-2.0, 1.5]);
}

/// The sums of the rows of a matrix, by the lengths and steps that it is given.
unsafe extern "C" fn sums(
    arguments: *mut *mut u8,
    lengths: *const isize,
    steps: *const isize,
    _: *mut std::ffi::c_void,
) {
    // SAFETY: called with the addresses of a matrix and a result, two lengths after that of the outer loop, and steps of each.
    unsafe {
        let (from, to) = (*arguments, *arguments.add(1));
        for row in 0..*lengths.add(1) {
            let at = from.offset(row * *steps.add(2));
            let sum: f64 = (0..*lengths.add(2)).map(|k| *at.offset(k * *steps.add(3)).cast::<f64>()).sum();
            *to.offset(row * *steps.add(4)).cast::<f64>() = sum;
        }
    }
}

#[test]
fn an_inner_loop_over_a_matrix() {
    let text = "
function f frame 2
reg loop: i64
reg words: i64
reg code: i64
block entry:
  loop = get 0
  words = get 1
  code = call loop_arrays(loop, loop, words)
  return 0
";
    let (matrix, mut rows) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0; 2]);
    let words = [matrix.as_ptr() as u64, rows.as_mut_ptr() as u64, 0, 1, 2, 3, 0, 0, 24, 8, 8];
    run(text, &mut [sums as *const () as u64, words.as_ptr() as u64]);
    assert_eq!(rows, [6.0, 15.0]);
}

unsafe extern "C" {
    fn feraiseexcept(exceptions: i32) -> i32;
}

/// A loop that raises overflow as C does, which on x86-64 is in the status word of x87.
unsafe extern "C" fn raising(_: *mut *mut u8, _: *const isize, _: *const isize, _: *mut std::ffi::c_void) {
    // FE_OVERFLOW.
    let overflow = if cfg!(target_arch = "x86_64") { 8 } else { 4 };
    // SAFETY: exceptions are not trapped, so this sets bits of the status.
    unsafe { feraiseexcept(overflow) };
}

#[test]
fn exceptions_of_inner_loops() {
    let text = "
function f frame 3
reg loop: i64
reg raised: i64
reg x: f64
block entry:
  loop = get 0
  x = get 1
  x = call loop1(loop, loop, x)
  raised = call status()
  put 1, raised
  call clear_status()
  raised = call status()
  put 2, raised
  return 0
";
    let mut frame = [raising as *const () as u64, 0, 9];
    run(text, &mut frame);
    assert_eq!(frame[1..], [4, 0]);
}
