//! Control flow: loops, nesting, registers across blocks, cold blocks.

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
  p = get 0
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
