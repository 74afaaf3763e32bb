//! General registers, masks alone, jumps and labels.

use super::{Cases, addresses, gpr, memory, mnemonic};
use fastnp_codegen::x86::asm::forms::{self, Operands};
use fastnp_codegen::x86::{Assembler, Cond, Gpr, KReg, Mem};

const CONDITIONS: [(Cond, &str); 4] =
    [(Cond::Below, "b"), (Cond::AboveEqual, "ae"), (Cond::Equal, "e"), (Cond::BelowEqual, "be")];

/// Immediates around every change of length, with their text as 64 bits.
const IMMEDIATES: [i32; 8] = [0, 1, 127, 128, -128, -129, i32::MAX, i32::MIN];

fn all() -> impl Iterator<Item = Gpr> {
    (0..16).map(Gpr)
}

fn pairs() -> impl Iterator<Item = (Gpr, Gpr)> {
    all().flat_map(|a| all().map(move |b| (a, b)))
}

/// An immediate with its sign carried to 64 bits.
fn hexadecimal(imm: i64) -> String {
    format!("0x{imm:X}")
}

#[test]
fn registers() {
    type Two = fn(&mut Assembler, Gpr, Gpr);
    const TWO: [(&str, Two); 4] =
        [("xor", Assembler::xor), ("test", Assembler::test), ("add", Assembler::add), ("sub", Assembler::sub)];
    type One = fn(&mut Assembler, Gpr);
    const ONE: [(&str, One); 3] = [("push", Assembler::push), ("pop", Assembler::pop), ("neg", Assembler::neg)];
    let mut cases = Cases::default();
    for (a, b) in pairs() {
        for (name, write) in TWO {
            cases.case(format!("{name} {},{}", gpr(a), gpr(b)), |asm| write(asm, a, b));
        }
        for c in all() {
            cases.case(format!("bzhi {},{},{}", gpr(a), gpr(b), gpr(c)), |asm| asm.bzhi(a, b, c));
        }
    }
    for (r, (name, write)) in all().flat_map(|r| ONE.map(|one| (r, one))) {
        cases.case(format!("{name} {}", gpr(r)), |asm| write(asm, r));
    }
    cases.case("ret".to_owned(), Assembler::ret);
    cases.case("vzeroupper".to_owned(), Assembler::vzeroupper);
    cases.case("sfence".to_owned(), Assembler::sfence);
    cases.check();
}

#[test]
fn immediates() {
    type Immediate = fn(&mut Assembler, Gpr, i32);
    const ARITHMETIC: [(&str, Immediate); 4] = [
        ("add", Assembler::add_imm),
        ("and", Assembler::and_imm),
        ("sub", Assembler::sub_imm),
        ("cmp", Assembler::cmp_imm),
    ];
    let mut cases = Cases::default();
    for r in all() {
        for (imm, (name, write)) in IMMEDIATES.into_iter().flat_map(|imm| ARITHMETIC.map(|row| (imm, row))) {
            cases.case(format!("{name} {},{}", gpr(r), hexadecimal(imm as i64)), |asm| write(asm, r, imm));
        }
    }
    cases.check();
}

/// The shortest of the three forms is taken, and the flags stay: nothing becomes `xor`.
#[test]
fn constants_take_the_shortest_form() {
    let mut cases = Cases::default();
    for r in all() {
        for (imm, len) in [
            (0, 5),
            (1, 5),
            (i32::MAX as i64, 5),
            (u32::MAX as i64, 5),
            (-1, 7),
            (i32::MIN as i64, 7),
            (u32::MAX as i64 + 1, 10),
            (i32::MIN as i64 - 1, 10),
            (i64::MIN, 10),
            (i64::MAX, 10),
        ] {
            let narrow = if r.0 < 8 { gpr(r).replacen('r', "e", 1) } else { format!("{}d", gpr(r)) };
            let name = if len == 5 { narrow } else { gpr(r).to_owned() };
            let before = cases.asm.len();
            cases.case(format!("mov {name},{}", hexadecimal(imm)), |asm| asm.mov_imm(r, imm));
            assert_eq!(cases.asm.len() - before, len + (len == 5 && r.0 >= 8) as usize);
        }
    }
    cases.check();
}

#[test]
fn memory_operands() {
    type FromMemory = fn(&mut Assembler, Gpr, Mem);
    const FROM: [(&str, FromMemory); 2] = [("mov", Assembler::load), ("add", Assembler::add_mem)];
    let mut cases = Cases::default();
    for mem in addresses(1) {
        for r in all() {
            for (name, write) in FROM {
                cases.case(format!("{name} {},{}", gpr(r), memory(mem, 8)), |asm| write(asm, r, mem));
            }
            cases.case(format!("mov {},{}", memory(mem, 8), gpr(r)), |asm| asm.store_gpr(mem, r));
        }
        for k in 0..8 {
            cases.case(format!("kmovq k{k},{}", memory(mem, 8)), |asm| asm.mask_load(KReg(k), mem));
            cases.case(format!("kmovq {},k{k}", memory(mem, 8)), |asm| asm.mask_store(mem, KReg(k)));
        }
        cases.case(format!("prefetcht0 {}", memory(mem, 1)), |asm| asm.prefetcht0(mem));
        cases.case(format!("prefetcht1 {}", memory(mem, 1)), |asm| asm.prefetcht1(mem));
        cases.case(format!("prefetchw {}", memory(mem, 1)), |asm| asm.prefetchw(mem));
    }
    cases.check();
}

#[test]
fn masks() {
    let mut cases = Cases::default();
    let masks = || (0..512).map(|i| (KReg(i as u8 & 7), KReg(i as u8 >> 3 & 7), KReg((i >> 6) as u8)));
    for form in forms::ALL.iter().filter(|form| form.is_mask_only()) {
        let name = mnemonic(form);
        for (dst, a, b) in masks() {
            let two = format!("{name} k{},k{}", dst.0, a.0);
            match form.operands {
                Operands::Kkk => cases.case(format!("{two},k{}", b.0), |asm| asm.mask_op(form, dst, a, b)),
                Operands::Kk => cases.case(two, |asm| asm.mask_op(form, dst, a, b)),
                _ => cases.case(two, |asm| asm.mask_test(form, dst, a)),
            }
        }
    }
    for (r, k) in all().flat_map(|r| (0..8).map(move |k| (r, KReg(k)))) {
        cases.case(format!("kmovq k{},{}", k.0, gpr(r)), |asm| asm.mask_from(k, r));
    }
    cases.check();
}

/// Jumps back and forth over so many bytes, around where one byte no longer holds the distance.
#[test]
fn jumps() {
    for gap in [0, 1, 100, 123, 124, 125, 126, 127, 128, 200, 70_000] {
        let mut cases = Cases::default();
        let (start, end) = (cases.asm.label(), cases.asm.label());
        cases.asm.bind(start);
        for _ in 0..gap {
            cases.case("ret".to_owned(), Assembler::ret);
        }
        let ahead = |cases: &Cases, len: usize| cases.asm.len() + len;
        // Behind what follows: a jump back, one ahead, and so for each condition.
        let back = |at: usize, long: usize| if at + 2 <= 128 { 2 } else { long };
        let mut target = ahead(&cases, back(cases.asm.len(), 5) + 5);
        for _ in CONDITIONS {
            target += back(target, 6) + 6;
        }
        cases.case("jmp 0x0".to_owned(), |asm| asm.jmp(start));
        cases.case(format!("jmp 0x{target:X}"), |asm| asm.jmp(end));
        for (condition, name) in CONDITIONS {
            cases.case(format!("j{name} 0x0"), |asm| asm.jump_if(condition, start));
            cases.case(format!("j{name} 0x{target:X}"), |asm| asm.jump_if(condition, end));
        }
        assert_eq!(cases.asm.len(), target);
        cases.asm.bind(end);
        cases.case("ret".to_owned(), Assembler::ret);
        cases.check();
    }
}

#[test]
#[should_panic(expected = "not bound")]
fn labels_must_be_bound() {
    let mut asm = Assembler::new();
    let label = asm.label();
    asm.jmp(label);
    asm.finish();
}
