//! What the assembler writes, read back by a disassembler that knows nothing of it: every row of the instruction table at
//! every width, with registers, masks and addresses of every kind, and every general instruction.
//!
//! The text expected is made of the row and the operands, never of the bytes.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

mod general;
mod vectors;
mod vex;

use fastnp_codegen::x86::{Assembler, Form, Gpr, Masking, Mem, VReg, Width};
use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter};

/// Registers that differ in every bit an encoding splits them into.
const VECTORS: [u8; 6] = [0, 7, 8, 15, 16, 31];
/// Bases with and without an index byte, with and without a displacement of zero.
const BASES: [Gpr; 6] = [Gpr::RAX, Gpr::RSP, Gpr::RBP, Gpr::R12, Gpr::R13, Gpr::R15];
const INDICES: [Option<(Gpr, u8)>; 5] =
    [None, Some((Gpr::RCX, 1)), Some((Gpr::RBP, 2)), Some((Gpr::R12, 4)), Some((Gpr::R15, 8))];

/// Instructions written, and how they should read.
#[derive(Default)]
struct Cases {
    asm: Assembler,
    /// Text, and where the instruction ends.
    expected: Vec<(String, usize)>,
}

impl Cases {
    /// Writes an instruction, which should read so.
    fn case(&mut self, text: String, write: impl FnOnce(&mut Assembler)) {
        write(&mut self.asm);
        self.expected.push((text, self.asm.len()));
    }

    /// Compares every instruction; returns how many there were.
    fn check(self) -> usize {
        let bytes = self.asm.finish();
        let mut decoder = Decoder::with_ip(64, &bytes, 0, DecoderOptions::NONE);
        let mut formatter = IntelFormatter::new();
        let options = formatter.options_mut();
        options.set_use_pseudo_ops(false);
        options.set_hex_prefix("0x");
        options.set_hex_suffix("");
        options.set_always_show_scale(true);
        options.set_branch_leading_zeros(false);
        options.set_show_branch_size(false);
        options.set_small_hex_numbers_in_decimal(false);
        options.set_memory_size_options(iced_x86::MemorySizeOptions::Always);
        let (mut text, mut wrong) = (String::new(), Vec::new());
        let mut instruction = Instruction::default();
        for (expected, end) in &self.expected {
            let start = decoder.position();
            decoder.decode_out(&mut instruction);
            text.clear();
            formatter.format(&instruction, &mut text);
            if text != *expected || decoder.position() != *end {
                wrong.push(format!("{expected}\n  reads {text}\n  bytes {:02x?}", &bytes[start..*end]));
                decoder.set_position(*end).expect("within the code");
                decoder.set_ip(*end as u64);
            }
        }
        assert!(
            wrong.is_empty(),
            "{} of {} wrong:\n{}",
            wrong.len(),
            self.expected.len(),
            wrong[..wrong.len().min(3)].join("\n")
        );
        self.expected.len()
    }
}

/// Every kind of address, around a unit of short displacements.
fn addresses(unit: i32) -> impl Iterator<Item = Mem> {
    let disps = [0, unit, -128 * unit, 127 * unit, 128 * unit, -129 * unit, 1, 200, 1 << 20, i32::MIN];
    BASES.into_iter().flat_map(move |base| {
        INDICES.into_iter().flat_map(move |index| disps.into_iter().map(move |disp| Mem { base, index, disp }))
    })
}

const NAMES: [&str; 16] =
    ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];

fn gpr(r: Gpr) -> &'static str {
    NAMES[r.0 as usize]
}

/// A row's mnemonic, as a disassembler writes it.
fn mnemonic(form: &Form) -> String {
    form.name.split('_').next().unwrap_or(form.name).to_lowercase()
}

/// A register of so many bytes, at least 16.
fn vector(r: VReg, bytes: usize) -> String {
    let letter = match bytes.max(16) {
        16 => 'x',
        32 => 'y',
        _ => 'z',
    };
    format!("{letter}mm{}", r.0)
}

fn displacement(disp: i32) -> String {
    let sign = if disp < 0 { '-' } else { '+' };
    if disp == 0 { String::new() } else { format!("{sign}0x{:X}", disp.unsigned_abs()) }
}

/// An address without brackets.
fn address(mem: Mem) -> String {
    let index = mem.index.map_or(String::new(), |(index, scale)| format!("+{}*{scale}", gpr(index)));
    format!("{}{index}{}", gpr(mem.base), displacement(mem.disp))
}

/// Memory of so many bytes.
fn memory(mem: Mem, bytes: usize) -> String {
    format!("{} ptr [{}]", size(bytes), address(mem))
}

fn size(bytes: usize) -> &'static str {
    match bytes {
        1 => "byte",
        2 => "word",
        4 => "dword",
        8 => "qword",
        16 => "xmmword",
        32 => "ymmword",
        64 => "zmmword",
        _ => panic!("no such size"),
    }
}

fn masked(mask: Masking) -> String {
    let k = if mask.k.0 == 0 { String::new() } else { format!("{{k{}}}", mask.k.0) };
    format!("{k}{}", if mask.zero { "{z}" } else { "" })
}

const WIDTHS: [Width; 3] = [Width::W128, Width::W256, Width::W512];
