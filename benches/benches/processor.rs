//! Latency and throughput of the machine instructions that the `x86` backend emits, measured on this processor beside the table of
//! `codegen/src/x86/predict/timing.rs`: `cargo bench -p fastnp-benches --bench processor [-- NAME…]`.
//!
//! A line has cycles from the arguments to the result, and cycles for one of many that wait for nothing, each as measured and as in the table
//! of AVX2; then cycles for one between two products, two sums and two shuffles, which take 1.0 alone: what is above is time on ports that
//! they share. The last lines are of loads and stores. It takes ten seconds, and does not pass or fail.

#[cfg(not(all(target_arch = "x86_64", unix)))]
fn main() {}

#[cfg(all(target_arch = "x86_64", unix))]
fn main() {
    machine::run();
}

#[cfg(all(target_arch = "x86_64", unix))]
mod machine {
    use fastnp_benches::Numbers;
    use fastnp_benches::clock::{cycle_ns, fastest};
    use fastnp_codegen::x86::asm::forms::{self, Form, MEMORY, ONLY128, Operands, VEX};
    use fastnp_codegen::x86::predict::timing;
    use fastnp_codegen::x86::{Assembler, Cond, Gpr, Level, Mem, Rm, VReg, Width, map_executable};
    use fastnp_codegen::{DType, Scalar};

    /// Instructions of a round, and rounds of a run.
    const COPIES: usize = 60;
    const ROUNDS: i64 = 2000;
    const WHOLE: Width = Width::W256;
    /// Registers that no instruction writes.
    const ARGUMENTS: [VReg; 2] = [VReg(13), VReg(14)];

    /// Nanoseconds of a round of instructions; vectors are ones, and RDI is the address of others.
    fn round(emit: impl Fn(&mut Assembler)) -> f64 {
        let mut asm = Assembler::for_avx2();
        asm.mov_imm(Gpr::RAX, ROUNDS);
        for register in 0..16 {
            asm.vex(&forms::VMOVUPS, WHOLE, VReg(register), VReg(0), Rm::Mem(Mem::at(Gpr::RDI, 0)), None);
        }
        let again = asm.label();
        asm.bind(again);
        emit(&mut asm);
        asm.sub_imm(Gpr::RAX, 1);
        asm.cmp_imm(Gpr::RAX, 1);
        asm.jump_if(Cond::AboveEqual, again);
        asm.vzeroupper();
        asm.ret();
        let code = map_executable(&asm.finish()).expect("executable memory");
        // SAFETY: the code takes the address of 512 bytes, of which it reads and writes some, and follows the convention.
        let function: extern "sysv64" fn(*mut u8) = unsafe { std::mem::transmute(code.address()) };
        let mut memory = Numbers::of(DType::F64, 64, |_| Scalar::new(DType::F64, 1.0));
        fastest(9, || function(memory.at(0))) / ROUNDS as f64
    }

    /// Emits an instruction; forms of one source ignore `a`.
    fn emit(asm: &mut Assembler, form: &Form, to: VReg, a: VReg, b: VReg) {
        let width = if form.is(ONLY128) { Width::W128 } else { WHOLE };
        let immediate = form.immediate.then_some(1);
        match form.operands {
            Operands::Rvmr => asm.vex_blend(form, width, to, a, Rm::Reg(b), VReg(15)),
            Operands::Mr => asm.vex_part(form, width, to, b, immediate),
            _ => asm.vex(form, width, to, a, Rm::Reg(b), immediate),
        }
    }

    /// Measures and prints a line.
    fn line(form: &Form, ns: f64) {
        let [a, b] = ARGUMENTS;
        let cycles = |emit: &dyn Fn(&mut Assembler)| round(emit) / ns / COPIES as f64;
        let first = cycles(&|asm| (0..COPIES).for_each(|_| emit(asm, form, VReg(0), VReg(0), b)));
        let last = cycles(&|asm| (0..COPIES).for_each(|_| emit(asm, form, VReg(0), a, VReg(0))));
        let alone = cycles(&|asm| (0..COPIES).for_each(|i| emit(asm, form, VReg(i as u8 % 12), a, b)));
        let beside = |other: &Form| {
            cycles(&|asm| {
                for i in 0..COPIES {
                    emit(asm, form, VReg(i as u8 % 4), a, b);
                    (0..2).for_each(|k| emit(asm, other, VReg(4 + (2 * i as u8 + k) % 8), a, b));
                }
            })
        };
        let mnemonic = form.name.split('_').next().unwrap_or(form.name);
        let (known, throughput) = timing::of_mnemonic(mnemonic, Level::Avx2);
        let shared = [&forms::VMULPD, &forms::VADDPD, &forms::VPUNPCKHQDQ].map(beside);
        let shared = shared.map(|cycles| format!("{cycles:9.2}")).concat();
        print!("{:20}{:8.2}{:6}", form.name, f64::max(first, last), known.latency);
        println!("{alone:9.2}{throughput:6.2} {shared}");
    }

    /// What touches memory.
    fn memory(ns: f64) {
        let [a, b] = ARGUMENTS;
        let at = |i: usize| Mem::at(Gpr::RDI, 32 * (i % 12) as i32);
        let show = |what: &str, emit: &dyn Fn(&mut Assembler, usize)| {
            let cycles = round(|asm| (0..COPIES).for_each(|i| emit(asm, i))) / ns / COPIES as f64;
            println!("{what:40}{cycles:6.2} cycles each");
        };
        let load = |asm: &mut Assembler, form: &Form, i: usize| {
            asm.vex(form, WHOLE, VReg(i as u8 % 12), a, Rm::Mem(at(i)), None);
        };
        show("load of a vector", &|asm, i| load(asm, &forms::VMOVUPS, i));
        show("sum with a vector in memory", &|asm, i| load(asm, &forms::VADDPD, i));
        show("fused multiply-add, addend in memory", &|asm, i| load(asm, &forms::VFMADD213PD, i));
        show("store of a vector", &|asm, i| asm.vex_store(&forms::VMOVUPS_STORE, WHOLE, at(i), b, None));
        show("load of a general register", &|asm, i| asm.load(Gpr(8 + i as u8 % 4), at(i)));
        show("a quadword to a general register", &|asm, i| asm.vex_to_gpr(Gpr(8 + i as u8 % 4), b, false));
        show("the second quadword to one", &|asm, i| asm.vex_to_gpr(Gpr(8 + i as u8 % 4), b, true));
        show("four quadwords by way of memory", &|asm, i| {
            asm.vex_store(&forms::VMOVUPS_STORE, WHOLE, at(i), b, None);
            (0..4).for_each(|k| asm.load(Gpr(8 + k), Mem { disp: at(i).disp + 8 * i32::from(k), ..at(i) }));
        });
    }

    pub(crate) fn run() {
        let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
        let ns = cycle_ns();
        println!("{:.2} GHz", 1.0 / ns);
        println!("{:25}latency         cycles       products  sums  shuffles", "");
        let is_listed = |form: &&&Form| {
            let operands = [Operands::Rvm, Operands::Rm, Operands::Rvmr, Operands::Vm, Operands::Mr];
            form.is(VEX) && !form.is(MEMORY) && operands.contains(&form.operands)
        };
        let is_wanted = |form: &&&Form| wanted.is_empty() || wanted.iter().any(|word| form.name.contains(&**word));
        forms::ALL.iter().filter(is_listed).filter(is_wanted).for_each(|form| line(form, ns));
        memory(ns);
    }
}
