//! Rows of the table that are instructions of AVX2, with its prefix.

use super::vectors::{At, doubleword};
use super::{Cases, addresses, gpr, memory, vector};
use fastnp_codegen::x86::asm::forms::{self, MEMORY, Operands, VEX};
use fastnp_codegen::x86::{Assembler, Gpr, Rm, VReg, Width};

/// Registers that differ in every bit an encoding splits them into.
const REGISTERS: [u8; 4] = [0, 7, 8, 15];

/// Every such row at both widths, each with cases of its own.
fn each(which: &[Operands], write: impl Fn(At, &mut Cases)) {
    let mut total = 0;
    for form in forms::ALL.iter().filter(|form| which.contains(&form.operands) && form.is(VEX)) {
        for width in [Width::W128, Width::W256].into_iter().filter(|&width| form.has(width)) {
            let mut cases = Cases::default();
            write(At { form, width }, &mut cases);
            total += cases.check();
        }
    }
    assert!(total > 0);
}

fn triples() -> impl Iterator<Item = (usize, VReg, VReg, VReg)> {
    (0..64).map(|i| (i, VReg(REGISTERS[i % 4]), VReg(REGISTERS[i / 4 % 4]), VReg(REGISTERS[i / 16])))
}

#[test]
fn vector_destinations() {
    each(&[Operands::Rvm, Operands::Rm, Operands::Vm], |at, cases| {
        let mut case = |i: usize, dst: VReg, a: VReg, b: Rm| {
            let imm = at.immediate(i);
            let first = if at.form.operands == Operands::Vm { at.bytes() } else { at.reg_bytes() };
            let mut operands = vec![vector(dst, first), at.rm(b)];
            if at.form.operands == Operands::Rvm {
                operands.insert(1, vector(a, at.bytes()));
            }
            cases.case(at.text(&operands, imm), |asm| asm.vex(at.form, at.width, dst, a, b, imm));
        };
        if !at.form.is(MEMORY) {
            triples().for_each(|(i, dst, a, b)| case(i, dst, a, Rm::Reg(b)));
        }
        // Shifts by an immediate have registers alone.
        if at.form.operands != Operands::Vm {
            for (i, mem) in addresses(1).enumerate() {
                case(i, VReg(REGISTERS[i % 4]), VReg(REGISTERS[i / 4 % 4]), Rm::Mem(mem));
            }
        }
    });
}

#[test]
fn choices() {
    each(&[Operands::Rvmr], |at, cases| {
        let mut case = |dst: VReg, a: VReg, b: Rm, mask: VReg| {
            let operands = [vector(dst, at.bytes()), vector(a, at.bytes()), at.rm(b), vector(mask, at.bytes())];
            cases.case(at.text(&operands, None), |asm| asm.vex_blend(at.form, at.width, dst, a, b, mask));
        };
        for (i, dst, a, b) in triples() {
            case(dst, a, Rm::Reg(b), VReg(REGISTERS[(i + i / 4) % 4]));
        }
        for (i, mem) in addresses(1).enumerate() {
            case(VReg(REGISTERS[i % 4]), VReg(REGISTERS[i / 4 % 4]), Rm::Mem(mem), VReg(REGISTERS[i / 16 % 4]));
        }
    });
}

#[test]
fn sources_in_reg() {
    each(&[Operands::Mr], |at, cases| {
        for (i, dst, from, _) in triples().filter(|_| !at.form.is(MEMORY) && !at.form.name.ends_with("_STORE")) {
            let imm = at.immediate(i);
            let operands = [vector(dst, at.rm_bytes()), vector(from, at.bytes())];
            cases.case(at.text(&operands, imm), |asm| asm.vex_part(at.form, at.width, dst, from, imm));
        }
        for (i, to) in addresses(1).enumerate() {
            let (imm, from) = (at.immediate(i), VReg(REGISTERS[i % 4]));
            let operands = [memory(to, at.rm_bytes()), vector(from, at.bytes())];
            cases.case(at.text(&operands, imm), |asm| asm.vex_store(at.form, at.width, to, from, imm));
        }
    });
}

#[test]
fn between_vectors_and_general_registers() {
    let mut cases = Cases::default();
    for (r, v) in (0..16).flat_map(|r| (0..16).map(move |v| (Gpr(r), VReg(v)))) {
        let mut case = |text: String, write: fn(&mut Assembler, Gpr, VReg)| cases.case(text, |asm| write(asm, r, v));
        case(format!("vmovq xmm{},{}", v.0, gpr(r)), |asm, r, v| asm.vex_from_gpr(v, r));
        case(format!("vcvttsd2si {},xmm{}", gpr(r), v.0), |asm, r, v| asm.vex_truncate(r, v, true));
        case(format!("vcvttss2si {},xmm{}", gpr(r), v.0), |asm, r, v| asm.vex_truncate(r, v, false));
        case(format!("vmovq {},xmm{}", gpr(r), v.0), |asm, r, v| asm.vex_to_gpr(r, v, false));
        case(format!("vpextrq {},xmm{},0x1", gpr(r), v.0), |asm, r, v| asm.vex_to_gpr(r, v, true));
        case(format!("vpmovmskb {},ymm{}", doubleword(r.0), v.0), Assembler::vex_signs);
    }
    cases.check();
}
