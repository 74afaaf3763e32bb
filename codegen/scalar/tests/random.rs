//! Random programs against an interpreter of the text: straight lines, branches, and loops of few turns.
//!
//! The interpreter reads the text by itself and shares nothing with the crate.

use std::collections::HashMap;
use std::fmt::Write;

use crate::run;

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn word(&mut self) -> u64 {
        const SPECIAL: [u64; 8] =
            [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 0x7ff0_0000_0000_0000, 0x3ff0_0000_0000_0000, 63];
        match self.below(3) {
            0 => SPECIAL[self.below(SPECIAL.len())],
            1 => (self.next() % 1000) as f64 as u64,
            _ => ((self.next() % 2000) as f64 - 1000.0).to_bits(),
        }
    }
}

const REGISTERS: usize = 6;
const INT_OPS: [&str; 9] = ["add", "sub", "mul", "and", "or", "xor", "shl", "sar", "shr"];
const FLOAT_OPS: [&str; 5] = ["fadd", "fsub", "fmul", "fdiv", "fmin"]; // `copysign` reads the sign of a NaN
const COMPARES: [&str; 5] = ["icmp.eq", "icmp.lt", "icmp.ule", "fcmp.lt", "fcmp.ne"];

/// One random instruction on registers i0…, x0…, b0….
fn instruction(random: &mut Random) -> String {
    let mut name = |letter: char| format!("{letter}{}", random.below(REGISTERS));
    let (i, j, k) = (name('i'), name('i'), name('i'));
    let (x, y, z) = (name('x'), name('x'), name('x'));
    let (a, b, c) = (name('b'), name('b'), name('b'));
    match random.below(12) {
        0..3 => format!("{i} = {} {j}, {k}", INT_OPS[random.below(INT_OPS.len())]),
        3..6 => format!("{x} = {} {y}, {z}", FLOAT_OPS[random.below(FLOAT_OPS.len())]),
        6 => {
            let op = COMPARES[random.below(COMPARES.len())];
            if op.starts_with('i') { format!("{a} = {op} {i}, {j}") } else { format!("{a} = {op} {x}, {y}") }
        }
        7 => format!("{i}, {a} = {} {j}, {k}", ["addo", "subo", "mulo"][random.below(3)]),
        8 => format!("{a} = {} {b}, {c}", ["and", "or", "xor"][random.below(3)]),
        9 => match random.below(2) {
            0 => format!("{i} = select {a}, {j}, {k}"),
            _ => format!("{x} = select {a}, {y}, {z}"),
        },
        10 => match random.below(5) {
            0 => format!("{x} = i2f {i}"),
            1 => format!("{i} = f2i {x}"),
            2 => format!("{i} = b2i {a}"),
            3 => format!("{x} = floor {y}"),
            _ => format!("{i} = neg {j}"),
        },
        _ => match random.below(3) {
            0 => format!("{i} = copy {j}"),
            1 => format!("{a} = not {b}"),
            _ => format!("{x} = fneg {y}"),
        },
    }
}

/// A program whose blocks branch at random, and return after a number of steps that the frame's first word holds.
fn program(random: &mut Random) -> String {
    let blocks = 1 + random.below(6);
    let words = 1 + 3 * REGISTERS;
    let mut text = format!("function random frame {words}\nreg fuel: i64\nreg one: i64\nreg none: i8\nreg zero: i64\n");
    for (letter, of) in [('i', "i64"), ('x', "f64"), ('b', "i8")] {
        for n in 0..REGISTERS {
            writeln!(text, "reg {letter}{n}: {of}").unwrap();
        }
    }
    text += "block entry:\nfuel = get 0\none = iconst 1\n";
    for (g, letter) in ['i', 'x', 'b'].into_iter().enumerate() {
        // Some registers stay unwritten, so they are 0.
        for n in (0..REGISTERS).filter(|_| random.below(5) != 0) {
            writeln!(text, "{letter}{n} = get {}", 1 + g * REGISTERS + n).unwrap();
        }
    }
    text += "jump block0\n";
    for n in 0..blocks {
        writeln!(text, "block block{n}:").unwrap();
        for _ in 0..random.below(12) {
            writeln!(text, "{}", instruction(random)).unwrap();
        }
        text += "fuel = sub fuel, one\nnone = icmp.le fuel, zero\n";
        writeln!(text, "brcold none, done, more{n}\nblock more{n}:").unwrap();
        let (to, other) = (random.below(blocks), random.below(blocks));
        match random.below(3) {
            0 => writeln!(text, "jump block{to}").unwrap(),
            _ => writeln!(text, "br b{}, block{to}, block{other}", random.below(REGISTERS)).unwrap(),
        }
    }
    text += "block done:\n";
    for (g, letter) in ['i', 'x', 'b'].into_iter().enumerate() {
        for n in 0..REGISTERS {
            writeln!(text, "put {}, {letter}{n}", 1 + g * REGISTERS + n).unwrap();
        }
    }
    text + "return 0\n"
}

/// Interprets the text on a frame. Every register is a word: an integer, a double's bits, or 0 and 1.
fn interpret(text: &str, frame: &mut [u64]) {
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split([' ', ',', ':']).filter(|word| !word.is_empty()).collect()).collect();
    let starts: HashMap<&str, usize> =
        lines.iter().enumerate().filter(|(_, line)| line[0] == "block").map(|(at, line)| (line[1], at)).collect();
    let mut registers: HashMap<&str, u64> = HashMap::new();
    let mut at = starts["entry"] + 1;
    loop {
        let line = &lines[at];
        let word = |name: &str| registers.get(name).copied().unwrap_or(0);
        at += 1;
        match line[..] {
            ["return", _] => return,
            ["jump", to] => at = starts[to] + 1,
            ["br" | "brcold", c, then, otherwise] => at = starts[if word(c) != 0 { then } else { otherwise }] + 1,
            ["put", place, from] => frame[place.parse::<usize>().unwrap()] = word(from),
            [to, "=", "get", place] => {
                let value = frame[place.parse::<usize>().unwrap()];
                registers.insert(to, if to.starts_with('b') { u64::from(value != 0) } else { value });
            }
            [to, "=", "iconst", value] => drop(registers.insert(to, value.parse::<i64>().unwrap() as u64)),
            [to, overflow, "=", op, a, b] => {
                let (a, b) = (word(a) as i64, word(b) as i64);
                let (value, overflowed) = match op {
                    "addo" => a.overflowing_add(b),
                    "subo" => a.overflowing_sub(b),
                    _ => a.overflowing_mul(b),
                };
                registers.insert(to, value as u64);
                registers.insert(overflow, overflowed.into());
            }
            [to, "=", "select", c, a, b] => drop(registers.insert(to, if word(c) != 0 { word(a) } else { word(b) })),
            [to, "=", op, a, b] => drop(registers.insert(to, of_two(op, word(a), word(b)))),
            [to, "=", op, a] => drop(registers.insert(to, of_one(op, word(a), to))),
            _ => panic!("{line:?}"),
        }
    }
}

fn of_two(op: &str, a: u64, b: u64) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    match op {
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "mul" => a.wrapping_mul(b),
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        "shl" => a << (b & 63),
        "sar" => ((a as i64) >> (b & 63)) as u64,
        "shr" => a >> (b & 63),
        "fadd" => (x + y).to_bits(),
        "fsub" => (x - y).to_bits(),
        "fmul" => (x * y).to_bits(),
        "fdiv" => (x / y).to_bits(),
        "fmin" if x.is_nan() || y.is_nan() => f64::NAN.to_bits(),
        "fmin" if x == y => a | b, // zeros of both signs
        "fmin" => x.min(y).to_bits(),
        "icmp.eq" => (a == b).into(),
        "icmp.lt" => ((a as i64) < b as i64).into(),
        "icmp.le" => (a as i64 <= b as i64).into(),
        "icmp.ule" => (a <= b).into(),
        "fcmp.lt" => (x < y).into(),
        "fcmp.ne" => (x != y).into(),
        _ => panic!("{op}"),
    }
}

fn of_one(op: &str, a: u64, to: &str) -> u64 {
    let x = f64::from_bits(a);
    match op {
        "copy" | "b2i" => a,
        "not" if to.starts_with('b') => a ^ 1,
        "neg" => a.wrapping_neg(),
        "fneg" => (-x).to_bits(),
        "floor" => x.floor().to_bits(),
        "i2f" => (a as i64 as f64).to_bits(),
        "f2i" => x as i64 as u64,
        _ => panic!("{op}"),
    }
}

/// NaN with the sign and payload taken off, which no rule fixes.
fn plain(word: u64) -> u64 {
    if f64::from_bits(word).is_nan() { f64::NAN.to_bits() } else { word }
}

#[test]
fn random_programs_run_as_interpreted() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..400 {
        let text = program(&mut random);
        let mut frame: Vec<u64> = (0..1 + 3 * REGISTERS).map(|_| random.word()).collect();
        frame[0] = random.next() % 50;
        let mut expected = frame.clone();
        interpret(&text, &mut expected);
        run(&text, &mut frame);
        for (at, (&found, &expected)) in frame.iter().zip(&expected).enumerate() {
            // Doubles are words 1 + REGISTERS on; the others have no NaN.
            let is_double = (1 + REGISTERS..1 + 2 * REGISTERS).contains(&at);
            let same = if is_double { plain(found) == plain(expected) } else { found == expected };
            assert!(same, "word {at}: {found:#x}, not {expected:#x}\n{text}");
        }
    }
}

/// Registers of [`loops`]: such as loops add to, such as they leave as they are, and such as they combine with all that they compute.
const INDICES: usize = 3;
const STRIDES: usize = 3;
const SUMS: usize = 2;
const ALL: usize = INDICES + STRIDES + SUMS;
/// Registers that one loop alone uses.
const LOCAL: usize = 8;

/// A program of loops that are one block each, whose instructions are mostly sums and products of indices and strides.
fn loops(random: &mut Random) -> String {
    // What is put are other words than what is got: only those are read again.
    let mut text = format!("function loops frame {}\n", 2 * ALL + 1);
    text += "reg turns: i64\nreg one: i64\nreg four: i64\nreg zero: i64\n";
    (0..ALL).for_each(|n| writeln!(text, "reg i{n}: i64").unwrap());
    let count = 1 + random.below(3);
    (0..count * LOCAL).for_each(|n| writeln!(text, "reg t{n}: i64").unwrap());
    text += "reg more: i8\nblock entry:\none = iconst 1\nfour = iconst 4\n";
    (0..ALL).for_each(|n| writeln!(text, "i{n} = get {}", n + 1).unwrap());
    text += "jump before0\n";
    for n in 0..count {
        writeln!(text, "block before{n}:\nturns = get 0\njump loop{n}\nblock loop{n}:").unwrap();
        for _ in 0..1 + random.below(14) {
            let index = format!("i{}", random.below(INDICES));
            let stride = match random.below(8) {
                0 => "four".to_owned(),
                1 => format!("i{}", random.below(ALL)),
                _ => format!("i{}", INDICES + random.below(STRIDES)),
            };
            let sum = format!("i{}", INDICES + STRIDES + random.below(SUMS));
            let [to, from] = [(); 2].map(|()| format!("t{}", n * LOCAL + random.below(LOCAL)));
            let line = match random.below(14) {
                0..4 => format!("{to} = mul {index}, {stride}"),
                4 => format!("{to} = mul {stride}, {index}"),
                5..7 => format!("{to} = add {from}, {stride}"),
                7 => format!("{to} = sub {stride}, {from}"),
                8..11 => format!("{sum} = xor {sum}, {from}"),
                11 => format!("{index} = xor {index}, {sum}"),
                12 => format!("{index} = add {stride}, {index}"),
                _ => format!("{index} = add {index}, {stride}"),
            };
            writeln!(text, "{line}").unwrap();
        }
        writeln!(text, "turns = sub turns, one\nmore = icmp.lt zero, turns").unwrap();
        match random.below(2) {
            0 => writeln!(text, "br more, loop{n}, before{}", n + 1).unwrap(),
            _ => writeln!(text, "more = icmp.le turns, zero\nbrcold more, before{}, loop{n}", n + 1).unwrap(),
        }
    }
    writeln!(text, "block before{count}:").unwrap();
    (0..ALL).for_each(|n| writeln!(text, "put {}, i{n}", ALL + n + 1).unwrap());
    text + "return 0\n"
}

#[test]
fn random_loops_run_as_interpreted() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..2000 {
        let text = loops(&mut random);
        let mut frame: Vec<u64> = (0..=2 * ALL).map(|_| random.word()).collect();
        frame[0] = random.next() % 6;
        let mut expected = frame.clone();
        interpret(&text, &mut expected);
        run(&text, &mut frame);
        assert_eq!(frame, expected, "{text}");
    }
}
