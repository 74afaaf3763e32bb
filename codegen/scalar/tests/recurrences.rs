//! Loops whose turns read what turns before have stored, against the same steps in Rust: elements at small distances, in arrays that
//! overlap, with steps that are known and others, of all widths, with stores on rare paths.

use std::fmt::Write as _;

use crate::run;

/// xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % n
    }

    fn between(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first + 1) as u64) as i64
    }
}

/// The kinds of elements, their bytes, and the registers that hold them.
const KINDS: [(&str, usize, &str); 9] = [
    ("i8", 1, "i64"),
    ("u8", 1, "i64"),
    ("i16", 2, "i64"),
    ("u16", 2, "i64"),
    ("i32", 4, "i64"),
    ("u32", 4, "i64"),
    ("i64", 8, "i64"),
    ("f64", 8, "f64"),
    ("f32", 4, "f32"),
];

/// An element of one of two arrays: at a distance from the item, or in all turns the same.
#[derive(Clone, Copy, Debug)]
struct Element {
    array: usize,
    distance: i64,
    is_fixed: bool,
    /// Whether an index below 0 counts from somewhere else.
    is_wrapped: bool,
}

impl Element {
    fn random(random: &mut Random) -> Element {
        let array = usize::from(random.below(4) == 0);
        let is_fixed = random.below(4) == 0;
        Element { array, distance: random.between(-2, 2), is_fixed, is_wrapped: random.below(4) == 0 }
    }

    fn index(self, item: i64) -> i64 {
        let item = if self.is_fixed { 0 } else { item };
        let index = item + self.distance;
        MIDDLE + index + if self.is_wrapped && index < 0 { WRAP } else { 0 }
    }
}

/// `to = from + 3 * other` (of integers half of it), in all turns, or in that of one item, on a rare path.
#[derive(Clone, Copy, Debug)]
struct Step {
    to: Element,
    from: Element,
    other: Element,
    rare: Option<i64>,
}

const TURNS: i64 = 9;
const ELEMENTS: usize = 64;
const WRAP: i64 = 5;
const MIDDLE: i64 = ELEMENTS as i64 / 2;

fn text(steps: &[Step], (kind, size, of): (&str, usize, &str), by: Option<i64>) -> String {
    let mut text =
        "function f frame 3\nreg first: i64\nreg second: i64\nreg at: i64\nreg by: i64\nreg left: i64\n".to_owned();
    text +=
        "reg item: i64\nreg zero: i64\nreg one: i64\nreg more: i8\nreg size: i64\nreg wrap: i64\nreg by.known: i64\n";
    write!(text, "reg three: {of}\nreg a: {of}\nreg b: {of}\n").unwrap();
    for n in 0..steps.len() {
        write!(text, "reg is.{n}: i8\nreg which.{n}: i64\n").unwrap();
        for e in 0..3 {
            write!(text, "reg n.{n}.{e}: i8\nreg w.{n}.{e}: i64\nreg x.{n}.{e}: i64\n").unwrap();
            write!(text, "reg d.{n}.{e}: i64\nreg i.{n}.{e}: i64\nreg o.{n}.{e}: i64\nreg p.{n}.{e}: i64\n").unwrap();
        }
    }
    text += "block entry:\nfirst = get 0\nsecond = get 1\none = iconst 1\n";
    match kind {
        "f64" => writeln!(text, "three = fconst 0x4008000000000000").unwrap(),
        "f32" => writeln!(text, "three = fconst 0x40400000").unwrap(),
        _ => writeln!(text, "three = iconst 3").unwrap(),
    }
    write!(text, "left = iconst {TURNS}\nsize = iconst {size}\nwrap = iconst {WRAP}\n").unwrap();
    match by {
        Some(by) => write!(text, "by.known = iconst {by}\nby = copy by.known\n").unwrap(),
        None => text += "by = get 2\n",
    }
    text += "jump head\nblock head:\nmore = icmp.gt left, zero\nbr more, body, over\n";
    text += "block body:\nitem = copy at\nat = add at, by\nleft = sub left, one\njump step0\n";
    for (n, step) in steps.iter().enumerate() {
        writeln!(text, "block step{n}:").unwrap();
        if let Some(item) = step.rare {
            write!(text, "which.{n} = iconst {item}\nis.{n} = icmp.eq item, which.{n}\n").unwrap();
            write!(text, "brcold is.{n}, rare{n}, step{}\nblock rare{n}:\n", n + 1).unwrap();
        }
        for (e, element) in [step.from, step.other, step.to].into_iter().enumerate() {
            let (base, item) = (["first", "second"][element.array], if element.is_fixed { "zero" } else { "item" });
            write!(text, "d.{n}.{e} = iconst {}\ni.{n}.{e} = add {item}, d.{n}.{e}\n", element.distance).unwrap();
            if element.is_wrapped {
                write!(text, "n.{n}.{e} = icmp.lt i.{n}.{e}, zero\nw.{n}.{e} = add i.{n}.{e}, wrap\n").unwrap();
                writeln!(text, "x.{n}.{e} = select n.{n}.{e}, w.{n}.{e}, i.{n}.{e}").unwrap();
            } else {
                writeln!(text, "x.{n}.{e} = copy i.{n}.{e}").unwrap();
            }
            write!(text, "o.{n}.{e} = mul x.{n}.{e}, size\np.{n}.{e} = add {base}, o.{n}.{e}\n").unwrap();
        }
        let (add, multiply) = if of == "i64" { ("add", "mul") } else { ("fadd", "fmul") };
        write!(text, "a = load.{kind} p.{n}.0, 0\nb = load.{kind} p.{n}.1, 0\n").unwrap();
        write!(text, "b = {multiply} b, three\na = {add} a, b\n").unwrap();
        // The bits beyond the element's width matter.
        text += if of == "i64" { "a = sar a, one\n" } else { "" };
        write!(text, "store.{kind} p.{n}.2, 0, a\njump step{}\n", n + 1).unwrap();
    }
    write!(text, "block step{}:\njump head\nblock over:\nreturn 0\n", steps.len()).unwrap();
    text
}

/// `a + 3 * b` of elements in memory, of integers half of it.
fn combined(kind: &str, a: &[u8], b: &[u8]) -> Vec<u8> {
    fn word(bytes: &[u8], is_signed: bool) -> i64 {
        let mut word = [if is_signed && bytes[bytes.len() - 1] >= 0x80 { 0xff } else { 0 }; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        i64::from_le_bytes(word)
    }
    match kind {
        "f64" => {
            let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap());
            (number(a) + 3.0 * number(b)).to_le_bytes().to_vec()
        }
        "f32" => {
            let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap());
            (number(a) + 3.0 * number(b)).to_le_bytes().to_vec()
        }
        _ => {
            let is_signed = kind.starts_with('i');
            let sum = word(a, is_signed).wrapping_add(word(b, is_signed).wrapping_mul(3)) >> 1;
            sum.to_le_bytes()[..a.len()].to_vec()
        }
    }
}

#[test]
fn recurrences_are_what_memory_gives() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..2500 {
        let kind = KINDS[random.below(KINDS.len() as u64) as usize];
        let (name, size, _) = kind;
        let by = [1, 1, 1, -1, 2, 0][random.below(6) as usize];
        let is_known = random.below(3) != 0;
        // In bytes: arrays may overlap by parts of elements.
        let shift = random.between(-3, 3) * size as i64 + random.between(0, 1) * (size as i64 / 2);
        let steps: Vec<Step> = (0..1 + random.below(3))
            .map(|n| {
                let to = Element::random(&mut random);
                let mut from = Element::random(&mut random);
                if random.below(2) == 0 {
                    // What the turn before has stored.
                    from = Element { distance: to.distance - if to.is_fixed { 0 } else { by }, ..to };
                }
                let other = Element::random(&mut random);
                let rare = (n > 0 && random.below(3) == 0).then(|| by * random.between(0, TURNS));
                Step { to, from, other, rare }
            })
            .collect();
        let text = text(&steps, kind, is_known.then_some(by));
        let mut memory: Vec<u8> = (0..ELEMENTS * size).map(|_| random.below(256) as u8).collect();
        if name.starts_with('f') {
            for element in memory.chunks_mut(size) {
                let number = random.between(-50, 50);
                match size {
                    8 => element.copy_from_slice(&(number as f64 / 16.0).to_le_bytes()),
                    _ => element.copy_from_slice(&(number as f32 / 16.0).to_le_bytes()),
                }
            }
        }
        let mut expected = memory.clone();
        for turn in 0..TURNS {
            let item = turn * by;
            for step in steps.iter().filter(|step| step.rare.is_none_or(|rare| rare == item)) {
                let place = |element: Element| {
                    let start = element.index(item) * size as i64 + element.array as i64 * shift;
                    start as usize..start as usize + size
                };
                let sum = combined(name, &expected[place(step.from)], &expected[place(step.other)]);
                expected[place(step.to)].copy_from_slice(&sum);
            }
        }
        let start = memory.as_mut_ptr() as i64 + MIDDLE * size as i64;
        run(&text, &mut [start as u64, (start + shift) as u64, by as u64]);
        // NaN of bytes that overlap by halves: which one an addition gives is the processor's.
        let is_same = memory == expected || (name.starts_with('f') && shift % size as i64 != 0);
        assert!(is_same, "{steps:?} of {name}, by {by}, {shift} bytes apart\n{text}");
    }
}

#[test]
fn a_poll_may_change_what_was_stored() {
    // The sum of a turn and the one before, in an element; every third turn sorts it away from there.
    let text = "
function f frame 2
reg p: i64
reg q: i64
reg at: i64
reg by: i64
reg left: i64
reg zero: i64
reg one: i64
reg two: i64
reg three: i64
reg rest: i64
reg value: i64
reg done: i64
reg more: i8
reg is: i8
block entry:
  p = get 0
  q = get 1
  one = iconst 1
  two = iconst 2
  three = iconst 3
  left = iconst 9
  jump head
block head:
  more = icmp.gt left, zero
  br more, body, over
block body:
  left = sub left, one
  value = load.i64 p, 0
  value = add value, one
  store.i64 p, 0, value
  rest = rem left, three
  is = icmp.eq rest, zero
  brcold is, sort, next
block sort:
  done = call sort_i64(p, two)
  jump next
block next:
  jump head
block over:
  return 0
";
    let mut numbers = [5_i64, 6];
    let start = numbers.as_mut_ptr() as u64;
    run(text, &mut [start, start]);
    let mut expected = [5_i64, 6];
    for left in (0..9).rev() {
        expected[0] += 1;
        if left % 3 == 0 {
            expected.sort_unstable();
        }
    }
    assert_eq!(numbers, expected);
}

#[test]
fn what_a_loop_around_decides_is_computed_before_the_inner_one() {
    // The sum of a matrix: behind the inner loop stands a block that a rare path joins, as behind a look at the status.
    let text = "
function f frame 3
reg p: i64
reg stride: i64
reg n: i64
reg i: i64
reg j: i64
reg at: i64
reg row: i64
reg value: f64
reg sum: f64
reg zero: i64
reg one: i64
reg eight: i64
reg more: i8
reg odd: i8
block entry:
  p = get 0
  n = get 1
  stride = get 2
  one = iconst 1
  eight = iconst 8
  jump rows
block rows:
  more = icmp.lt i, n
  br more, row, over
block row:
  j = copy zero
  jump columns
block columns:
  more = icmp.lt j, n
  br more, column, next
block column:
  row = mul i, stride
  at = mul j, eight
  at = add at, row
  at = add at, p
  value = load.f64 at, 0
  sum = fadd sum, value
  odd = fcmp.uno sum, sum
  brcold odd, look, joined
block joined:
  j = add j, one
  jump columns
block look:
  odd = call raised()
  brcold odd, out, back
block back:
  jump joined
block out:
  return 1
block next:
  i = add i, one
  jump rows
block over:
  put 0, sum
  return 0
";
    let numbers: Vec<f64> = (0..12).map(f64::from).collect();
    let mut frame = [numbers.as_ptr() as u64, 3, 32];
    assert_eq!(run(text, &mut frame), 0);
    assert_eq!(f64::from_bits(frame[0]), f64::from(1 + 2 + 4 + 5 + 6 + 8 + 9 + 10));
    let clif = fastnp_scalar::listing(text).unwrap().clif;
    let lines: Vec<&str> = clif.lines().collect();
    let block_of = |word: &str| {
        let place = lines.iter().position(|line| line.contains(word)).unwrap_or_else(|| panic!("no {word}\n{clif}"));
        lines[..place].iter().rposition(|line| line.starts_with("block"))
    };
    assert_ne!(block_of(" imul"), block_of("load.f64"), "{clif}");
}
