//! Control flow: loops, nesting, registers across blocks, calls, the poll hook.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::run;

#[test]
fn a_loop_sums_an_array() {
    let text = "
function sum frame 3
reg p: i64
reg n: i64
reg i: i64
reg one: i64
reg eight: i64
reg x: f64
reg s: f64
reg c: i8
block entry:
  p = get 0   # the array
  n = get 1
  one = iconst 1
  eight = iconst 8
  jump head
block head:
  c = icmp.lt i, n
  br c, body, done
block body:
  x = load.f64 p, 0
  s = fadd s, x
  p = add p, eight
  i = add i, one
  jump head
block done:
  put 2, s
  return 7
";
    let data: Vec<f64> = (0..1000).map(f64::from).collect();
    let mut frame = [data.as_ptr() as u64, data.len() as u64, 0];
    assert_eq!(run(text, &mut frame), 7);
    assert_eq!(f64::from_bits(frame[2]), data.iter().sum::<f64>());
}

#[test]
fn loops_nest() {
    // for i in range(n): for j in range(i): if j % 3 == 0: continue; total += i * j; if total > limit: leave
    let text = "
function nest frame 4
reg n: i64
reg i: i64
reg j: i64
reg c: i8
reg t: i64
reg limit: i64
reg total: i64
reg one: i64
reg three: i64
reg zero: i64
block entry:
  n = get 0
  limit = get 1
  one = iconst 1
  three = iconst 3
  jump outer
block outer:
  c = icmp.lt i, n
  br c, start, done
block start:
  j = iconst 0
  jump inner
block inner:
  c = icmp.lt j, i
  br c, body, next
block body:
  t = rem j, three
  c = icmp.eq t, zero
  br c, step, add
block add:
  t = mul i, j
  total = add total, t
  c = icmp.gt total, limit
  brcold c, leave, step
block step:
  j = add j, one
  jump inner
block next:
  i = add i, one
  jump outer
block leave:
  put 2, total
  put 3, i
  return 1
block done:
  put 2, total
  put 3, i
  return 0
";
    let expected = |n: i64, limit: i64| {
        let mut total = 0;
        for i in 0..n {
            for j in (0..i).filter(|j| j % 3 != 0) {
                total += i * j;
                if total > limit {
                    return (1, total, i);
                }
            }
        }
        (0, total, n)
    };
    for (n, limit) in [(0, 10), (5, 1000), (30, 1000), (30, 1_000_000)] {
        let mut frame = [n as u64, limit as u64, 0, 0];
        let code = run(text, &mut frame);
        assert_eq!((code, frame[2] as i64, frame[3] as i64), expected(n, limit));
    }
}

#[test]
fn a_register_that_a_path_has_not_written_is_zero() {
    let text = "
function unwritten frame 5
reg c: i8
reg i: i64
reg x: f64
reg s: f32
reg b: i8
block entry:
  c = get 0
  br c, write, join
block write:
  i = iconst 5
  x = fconst 0x3ff8000000000000
  s = fconst 0x3fc00000
  b = iconst 1
  jump join
block join:
  put 1, i
  put 2, x
  put 3, s
  put 4, b
  return 0
";
    let mut frame = [0, 9, 9, 9, 9];
    run(text, &mut frame);
    assert_eq!(frame, [0; 5]);
    frame[0] = 1;
    run(text, &mut frame);
    assert_eq!(frame, [1, 5, 1.5_f64.to_bits(), u64::from(1.5_f32.to_bits()), 1]);
}

#[test]
fn the_entry_may_be_a_loop_and_blocks_unreachable() {
    let text = "
function entry frame 2
reg n: i64
reg one: i64
reg c: i8
block entry:
  n = get 0
  one = iconst 1
  n = sub n, one
  put 0, n
  c = icmp.gt n, one
  br c, entry, done
block alone:
  n = add n, one
  jump alone
block also:
  jump done
block done:
  return 2147483647
";
    let mut frame = [10, 0];
    assert_eq!(run(text, &mut frame), 2_147_483_647);
    assert_eq!(frame, [1, 0]);
}

#[test]
fn a_program_runs_on_threads() {
    let text = "function f frame 1\nreg x: i64\nblock b:\nx = get 0\nx = add x, x\nput 0, x\nreturn 0";
    let program = fastnp_scalar::compile(text).unwrap();
    std::thread::scope(|scope| {
        for i in 0..4 {
            let program = &program;
            scope.spawn(move || {
                let mut frame = [i];
                // SAFETY: the program touches its frame only.
                unsafe { program.run(&mut frame) };
                assert_eq!(frame, [2 * i]);
            });
        }
    });
}

static ASKED: AtomicU32 = AtomicU32::new(0);

#[test]
fn poll_asks_the_host() {
    let text = "
function wait frame 1
reg leave: i8
reg n: i64
reg one: i64
block entry:
  one = iconst 1
  jump head
block head:
  n = add n, one
  leave = call poll()
  brcold leave, out, head
block out:
  put 0, n
  return 3
";
    fastnp_scalar::set_poll(|| ASKED.fetch_add(1, Ordering::Relaxed) == 4);
    let mut frame = [0];
    assert_eq!(run(text, &mut frame), 3);
    assert_eq!(frame, [5]);
}
