//! Rows of the table that have vectors among their operands.

use super::{Cases, VECTORS, WIDTHS, address, addresses, displacement, gpr, masked, memory, mnemonic, size, vector};
use fastnp_codegen::x86::asm::forms::{self, Form, MEMORY, NARROWS, ONLY_VEX, Operands, Tuple, UNMASKED};
use fastnp_codegen::x86::{Gpr, KReg, Masking, Mem, Rm, VReg, Width};

/// A row at a width.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub(crate) form: &'static Form,
    pub(crate) width: Width,
}

impl At {
    pub(crate) fn bytes(self) -> usize {
        16 << self.width as usize
    }

    /// Bytes of the `rm` operand, by the manual's tables of tuples.
    pub(crate) fn rm_bytes(self) -> usize {
        match self.form.tuple {
            Tuple::Full => self.bytes(),
            Tuple::Fraction(by) => self.bytes() / by as usize,
            Tuple::Part(bytes) => bytes as usize,
        }
    }

    /// What displacements of one byte count in.
    fn unit(self) -> i32 {
        self.rm_bytes() as i32
    }

    /// Bytes of the operand in `reg`.
    pub(crate) fn reg_bytes(self) -> usize {
        if self.form.is(NARROWS) { self.bytes() / 2 } else { self.bytes() }
    }

    pub(crate) fn immediate(self, i: usize) -> Option<u8> {
        self.form.immediate.then_some([0, 1, 0x55, 0xFF][i % 4])
    }

    pub(crate) fn rm(self, b: Rm) -> String {
        match b {
            Rm::Reg(b) => vector(b, self.rm_bytes()),
            Rm::Mem(mem) => memory(mem, self.rm_bytes()),
            Rm::Broadcast(mem) => {
                let element = self.form.broadcast as usize;
                let lanes = match self.form.tuple {
                    Tuple::Fraction(by) => self.bytes() / by as usize / element,
                    _ => self.bytes() / element,
                };
                format!("{} ptr [{}]{{1to{lanes}}}", size(element), address(mem))
            }
        }
    }

    /// Mnemonic and operands, as a disassembler writes them.
    pub(crate) fn text(self, operands: &[String], imm: Option<u8>) -> String {
        let imm = imm.map_or(String::new(), |imm| format!(",0x{imm:X}"));
        format!("{} {}{imm}", mnemonic(self.form), operands.join(","))
    }

    /// The masks to try; the first is none.
    fn maskings(self, may_zero: bool) -> &'static [Masking] {
        const ALL: [Masking; 4] =
            [Masking::NONE, Masking::merge(KReg(1)), Masking::zero(KReg(7)), Masking::merge(KReg(6))];
        const MERGING: [Masking; 3] = [Masking::NONE, Masking::merge(KReg(1)), Masking::merge(KReg(7))];
        match (self.form.is(UNMASKED), may_zero) {
            (true, _) => &ALL[..1],
            (false, true) => &ALL,
            (false, false) => &MERGING,
        }
    }
}

/// Every row with such operands at every width it has, each with cases of its own.
fn each(which: &[Operands], write: impl Fn(At, &mut Cases)) {
    let mut total = 0;
    for form in forms::ALL.iter().filter(|form| which.contains(&form.operands) && !form.is(ONLY_VEX)) {
        for width in WIDTHS.into_iter().filter(|&width| form.has(width)) {
            let mut cases = Cases::default();
            write(At { form, width }, &mut cases);
            total += cases.check();
        }
    }
    assert!(total > 0);
}

/// Every combination of low and high registers as destination, first and second source, with an ordinal.
fn triples() -> impl Iterator<Item = (usize, VReg, VReg, VReg)> {
    (0..216).map(|i| (i, VReg(VECTORS[i % 6]), VReg(VECTORS[i / 6 % 6]), VReg(VECTORS[i / 36])))
}

/// The `rm` operands in memory, with an ordinal.
fn memories(at: At) -> impl Iterator<Item = (usize, Rm)> {
    let element = at.form.broadcast;
    let broadcast = addresses(element as i32).map(Rm::Broadcast).filter(move |_| element != 0);
    addresses(at.unit()).map(Rm::Mem).chain(broadcast).enumerate()
}

#[test]
fn vector_destinations() {
    each(&[Operands::Rvm, Operands::Rm, Operands::Vm], |at, cases| {
        let mut case = |i: usize, dst: VReg, a: VReg, b: Rm, mask: Masking| {
            let imm = at.immediate(i);
            let first = match at.form.operands {
                Operands::Vm => vector(dst, at.bytes()),
                _ => vector(dst, at.reg_bytes()),
            };
            let mut operands = vec![first + &masked(mask), at.rm(b)];
            if at.form.operands == Operands::Rvm {
                operands.insert(1, vector(a, at.bytes()));
            }
            cases.case(at.text(&operands, imm), |asm| asm.vector(at.form, at.width, dst, a, b, mask, imm));
        };
        let masks = at.maskings(true);
        if !at.form.is(MEMORY) {
            for (i, dst, a, b) in triples() {
                case(i, dst, a, Rm::Reg(b), masks[(i / 7) % masks.len()]);
            }
            masks.iter().for_each(|&mask| case(0, VReg(1), VReg(2), Rm::Reg(VReg(3)), mask));
        }
        for (i, b) in memories(at) {
            case(i, VReg(VECTORS[i % 6]), VReg(VECTORS[i / 6 % 6]), b, masks[(i / 7) % masks.len()]);
        }
    });
}

#[test]
fn sources_in_reg() {
    each(&[Operands::Mr], |at, cases| {
        let masks = at.maskings(true);
        for (i, dst, from, _) in triples().filter(|_| !at.form.is(MEMORY)) {
            let (imm, mask) = (at.immediate(i), masks[i / 36 % masks.len()]);
            let operands = [vector(dst, at.rm_bytes()) + &masked(mask), vector(from, at.bytes())];
            cases.case(at.text(&operands, imm), |asm| {
                asm.vector(at.form, at.width, dst, VReg(9), Rm::Reg(from), mask, imm)
            });
        }
        let masks = at.maskings(false);
        for (i, to) in addresses(at.unit()).enumerate() {
            let (imm, mask, from) = (at.immediate(i), masks[i / 7 % masks.len()], VReg(VECTORS[i % 6]));
            let operands = [memory(to, at.rm_bytes()) + &masked(mask), vector(from, at.bytes())];
            cases.case(at.text(&operands, imm), |asm| match imm {
                None => asm.store(at.form, at.width, to, from, mask.k),
                Some(_) => asm.store_imm(at.form, at.width, to, from, mask.k, imm),
            });
        }
    });
}

#[test]
fn mask_destinations() {
    each(&[Operands::Kvm, Operands::Km], |at, cases| {
        let mut case = |i: usize, a: VReg, b: Rm| {
            let masks = at.maskings(false);
            let (imm, mask, dst) = (at.immediate(i), masks[i / 7 % masks.len()], KReg(i as u8 % 8));
            let mut operands = vec![format!("k{}{}", dst.0, masked(mask)), at.rm(b)];
            if at.form.operands == Operands::Kvm {
                operands.insert(1, vector(a, at.bytes()));
            }
            cases.case(at.text(&operands, imm), |asm| asm.compare(at.form, at.width, dst, a, b, mask.k, imm));
        };
        triples().for_each(|(i, a, b, _)| case(i, a, Rm::Reg(b)));
        memories(at).for_each(|(i, b)| case(i, VReg(VECTORS[i % 6]), b));
    });
}

#[test]
fn gathers_and_scatters() {
    each(&[Operands::Gather, Operands::Scatter], |at, cases| {
        for (i, data, index, _) in triples().filter(|(_, data, index, _)| data != index) {
            let scale = 1 << (i % 4);
            for (j, Mem { base, disp, .. }) in addresses(at.unit()).filter(|mem| mem.index.is_none()).enumerate() {
                let mask = KReg((i + j) as u8 % 7 + 1);
                let indices = vector(index, at.bytes());
                let place =
                    format!("{} ptr [{}+{indices}*{scale}{}]", size(at.rm_bytes()), gpr(base), displacement(disp));
                let (data_text, mask_text) = (vector(data, at.reg_bytes()), format!("k{}", mask.0));
                if at.form.operands == Operands::Gather {
                    let text = at.text(&[data_text, mask_text, place], None);
                    cases.case(text, |asm| asm.gather(at.form, at.width, data, base, index, scale, disp, mask));
                } else {
                    let text = at.text(&[place, mask_text, data_text], None);
                    cases.case(text, |asm| asm.scatter(at.form, at.width, base, index, scale, disp, data, mask));
                }
            }
        }
    });
}

#[test]
fn between_vectors_and_other_registers() {
    each(&[Operands::FromGpr], |at, cases| {
        for (r, v) in (0..16).flat_map(|r| VECTORS.map(|v| (r, v))) {
            for &mask in at.maskings(true) {
                let text = at.text(&[vector(VReg(v), at.bytes()) + &masked(mask), gpr(Gpr(r)).to_owned()], None);
                cases.case(text, |asm| asm.broadcast_gpr(at.form, at.width, VReg(v), Gpr(r), mask));
            }
        }
    });
    each(&[Operands::FromMask, Operands::ToMask], |at, cases| {
        for (k, v) in (0..8).flat_map(|k| VECTORS.map(|v| (k, v))) {
            let (mask, name) = (format!("k{k}"), vector(VReg(v), at.bytes()));
            if at.form.operands == Operands::FromMask {
                cases.case(at.text(&[name, mask], None), |asm| asm.mask_to_vector(at.form, at.width, VReg(v), KReg(k)));
            } else {
                cases.case(at.text(&[mask, name], None), |asm| asm.vector_to_mask(at.form, at.width, KReg(k), VReg(v)));
            }
        }
    });
}

#[test]
fn rounding_down() {
    let mut cases = Cases::default();
    for form in [&forms::VFMADD231PD, &forms::VFMADD231PS, &forms::VADDPD] {
        let name = mnemonic(form);
        for (d, a, b) in VECTORS.iter().flat_map(|&d| VECTORS.map(|a| (d, a, (a * 7 + d) % 32))) {
            let text = format!("{name} zmm{d}{{rd-sae}},zmm{a},zmm{b}");
            cases.case(text, |asm| asm.rounded_down(form, VReg(d), VReg(a), VReg(b)));
        }
    }
    cases.check();
}

/// The lower half of a general register.
pub(crate) fn doubleword(r: u8) -> String {
    let name = gpr(Gpr(r));
    if r < 8 { name.replacen('r', "e", 1) } else { format!("{name}d") }
}

/// No row is left out because its operands have no test.
#[test]
fn names_are_unique_and_every_kind_is_tested() {
    let mut names: Vec<_> = forms::ALL.iter().map(|form| form.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    for form in forms::ALL {
        match form.operands {
            Operands::Rvmr => assert!(form.is(ONLY_VEX)),
            Operands::Rvm | Operands::Rm | Operands::Vm | Operands::Mr | Operands::Kvm | Operands::Km => {}
            Operands::Gather | Operands::Scatter | Operands::FromGpr | Operands::FromMask | Operands::ToMask => {}
            Operands::Kkk | Operands::Kk | Operands::KFlags => assert!(form.is_mask_only()),
        }
        assert!(form.is_mask_only() || WIDTHS.into_iter().any(|width| form.has(width)), "{}", form.name);
    }
}
