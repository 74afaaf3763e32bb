//! Latency and throughput of the machine instructions that the `x86` backend emits, measured on this processor beside the table of
//! `codegen/src/x86/predict/timing.rs`: `cargo bench -p fastnp-benches --bench processor [-- --avx2] [NAME…]`.
//!
//! A line has cycles from the arguments to the result, and cycles for one of many that wait for nothing, each as measured and as in the table
//! of the best level of the processor, or of AVX2; then cycles for one between two products, two sums and two shuffles, which take 1.0
//! alone: what is above is time on ports that they share. A comparison's result is a mask with AVX-512, so its latency is that of a
//! comparison and a blend. The last lines are of masks, loads and stores. A name such as `VDIVPD+6*VMULPD` measures
//! that mix instead, which tells which ports instructions share. It takes ten seconds, and does not pass or fail.

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
    use fastnp_codegen::x86::asm::forms::{self, Form, MEMORY, ONLY_VEX, ONLY128, Operands, VEX};
    use fastnp_codegen::x86::predict::timing;
    use fastnp_codegen::x86::{Assembler, Cond, Gpr, KReg, Level, Masking, Mem, Rm, VReg, Width, map_executable};
    use fastnp_codegen::{DType, Scalar};

    /// Instructions of a round, and rounds of a run.
    const COPIES: usize = 60;
    const ROUNDS: i64 = 2000;
    /// Bytes of memory that instructions touch.
    const MEMORY_BYTES: usize = 512;
    /// Registers that no instruction writes.
    const ARGUMENTS: [VReg; 2] = [VReg(13), VReg(14)];

    /// Emits instructions of a level on whole vectors.
    #[derive(Clone, Copy)]
    struct Whole {
        level: Level,
        width: Width,
        /// Bytes of a vector.
        bytes: usize,
    }

    impl Whole {
        fn of(level: Level) -> Whole {
            let (width, bytes) = match level {
                Level::Avx2 => (Width::W256, 32),
                Level::Avx512 => (Width::W512, 64),
            };
            Whole { level, width, bytes }
        }

        /// Nanoseconds of a round of instructions; vectors are ones, and RDI is the address of others.
        fn round(self, emit: impl Fn(&mut Assembler)) -> f64 {
            let mut asm = if self.level == Level::Avx2 { Assembler::for_avx2() } else { Assembler::new() };
            asm.mov_imm(Gpr::RAX, ROUNDS);
            for register in 0..16 {
                self.load(&mut asm, &forms::VMOVUPS, VReg(register), Mem::at(Gpr::RDI, 0));
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
            // SAFETY: the code takes the address of `MEMORY_BYTES`, of which it reads and writes some, and follows the convention.
            let function: extern "sysv64" fn(*mut u8) = unsafe { std::mem::transmute(code.address()) };
            let mut memory = Numbers::of(DType::F64, MEMORY_BYTES / 8, |_| Scalar::new(DType::F64, 1.0));
            fastest(9, || function(memory.at(0))) / ROUNDS as f64
        }

        /// Emits an instruction; forms of one source ignore `a`.
        fn emit(self, asm: &mut Assembler, form: &Form, to: VReg, a: VReg, b: VReg) {
            let width = if form.is(ONLY128) { Width::W128 } else { self.width };
            let immediate = form.immediate.then_some(1);
            match (self.level, form.operands) {
                (Level::Avx512, Operands::Kvm | Operands::Km) => {
                    asm.compare(form, width, KReg(1 + to.0 % 7), a, Rm::Reg(b), KReg(0), immediate);
                }
                (Level::Avx512, _) => asm.vector(form, width, to, a, Rm::Reg(b), Masking::NONE, immediate),
                (Level::Avx2, Operands::Rvmr) => asm.vex_blend(form, width, to, a, Rm::Reg(b), VReg(15)),
                (Level::Avx2, Operands::Mr) => asm.vex_part(form, width, to, b, immediate),
                (Level::Avx2, _) => asm.vex(form, width, to, a, Rm::Reg(b), immediate),
            }
        }

        /// Emits an instruction whose last source is in memory.
        fn load(self, asm: &mut Assembler, form: &Form, to: VReg, from: Mem) {
            match self.level {
                Level::Avx2 => asm.vex(form, self.width, to, ARGUMENTS[0], Rm::Mem(from), None),
                Level::Avx512 => asm.vector(form, self.width, to, ARGUMENTS[0], Rm::Mem(from), Masking::NONE, None),
            }
        }

        fn store(self, asm: &mut Assembler, to: Mem, from: VReg) {
            match self.level {
                Level::Avx2 => asm.vex_store(&forms::VMOVUPS_STORE, self.width, to, from, None),
                Level::Avx512 => asm.store(&forms::VMOVUPS_STORE, self.width, to, from, KReg(0)),
            }
        }

        /// Whether the bench has a line for a form.
        fn lists(self, form: &Form) -> bool {
            use Operands::{Km, Kvm, Mr, Rm, Rvm, Rvmr, Vm};
            match self.level {
                _ if form.is(MEMORY) => false,
                Level::Avx2 => form.is(VEX) && [Rvm, Rm, Rvmr, Vm, Mr].contains(&form.operands),
                Level::Avx512 => !form.is(ONLY_VEX) && [Rvm, Rm, Vm, Mr, Kvm, Km].contains(&form.operands),
            }
        }

        /// Measures and prints a line.
        fn line(self, form: &Form, ns: f64) {
            let [a, b] = ARGUMENTS;
            let cycles = |emit: &dyn Fn(&mut Assembler)| self.round(emit) / ns / COPIES as f64;
            let step = |asm: &mut Assembler, a: VReg, b: VReg| {
                self.emit(asm, form, VReg(0), a, b);
                if matches!(form.operands, Operands::Kvm | Operands::Km) {
                    let mask = Masking::merge(KReg(1));
                    asm.vector(&forms::VPBLENDMQ, self.width, VReg(0), a, Rm::Reg(b), mask, None);
                }
            };
            let first = cycles(&|asm| (0..COPIES).for_each(|_| step(asm, VReg(0), b)));
            let last = cycles(&|asm| (0..COPIES).for_each(|_| step(asm, a, VReg(0))));
            let alone = cycles(&|asm| (0..COPIES).for_each(|i| self.emit(asm, form, VReg(i as u8 % 12), a, b)));
            let beside = |other: &Form| {
                cycles(&|asm| {
                    for i in 0..COPIES {
                        self.emit(asm, form, VReg(i as u8 % 4), a, b);
                        (0..2).for_each(|k| self.emit(asm, other, VReg(4 + (2 * i as u8 + k) % 8), a, b));
                    }
                })
            };
            let mnemonic = form.name.split('_').next().unwrap_or(form.name);
            let (known, throughput) = timing::of_mnemonic(mnemonic, self.level);
            let shared = [&forms::VMULPD, &forms::VADDPD, &forms::VPUNPCKHQDQ].map(beside);
            let shared = shared.map(|cycles| format!("{cycles:9.2}")).concat();
            print!("{:20}{:8.2}{:6}", form.name, f64::max(first, last), known.latency);
            println!("{alone:9.2}{throughput:6.2} {shared}");
        }

        /// A mix of instructions that wait for nothing, such as `VDIVPD+6*VMULPD`.
        fn mix(self, text: &str, ns: f64) {
            let [a, b] = ARGUMENTS;
            let one = |part: &str| -> Vec<&'static Form> {
                let (count, name) = part.split_once('*').unwrap_or(("1", part));
                let form = forms::ALL.iter().find(|form| form.name == name).expect("the name of an instruction");
                vec![form; count.parse().expect("how many of it")]
            };
            let all: Vec<&Form> = text.split('+').flat_map(one).collect();
            let cycles = self.round(|asm| {
                for (i, form) in (0..COPIES).flat_map(|_| &all).enumerate() {
                    self.emit(asm, form, VReg(i as u8 % 12), a, b);
                }
            });
            println!("{text:40}{:6.2} cycles", cycles / ns / COPIES as f64);
        }

        /// What reads and makes masks: cycles for one, alone and between two others.
        fn masks(self, ns: f64) {
            let [a, b] = ARGUMENTS;
            let k = |i: usize| KReg(1 + i as u8 % 4);
            let show = |name: &str, emit: &dyn Fn(&mut Assembler, usize)| {
                let cycles = |other: Option<&Form>| {
                    let ns_of_all = self.round(|asm| {
                        for i in 0..COPIES {
                            emit(asm, i);
                            if let Some(form) = other {
                                (0..2).for_each(|j| self.emit(asm, form, VReg(4 + (2 * i as u8 + j) % 8), a, b));
                            }
                        }
                    });
                    ns_of_all / ns / COPIES as f64
                };
                let shared = [&forms::VMULPD, &forms::VADDPD, &forms::VPUNPCKHQDQ].map(|form| cycles(Some(form)));
                println!("{name:34}{:9.2}       {}", cycles(None), shared.map(|c| format!("{c:9.2}")).concat());
            };
            show("KANDQ", &|asm, i| asm.mask_op(&forms::KANDQ, k(i), KReg(5), KReg(6)));
            show("KNOTQ", &|asm, i| asm.mask_op(&forms::KNOTQ, k(i), KReg(5), KReg(5)));
            show("KORTESTQ", &|asm, _| asm.mask_test(&forms::KORTESTQ, KReg(5), KReg(6)));
            show("KMOVQ of a general register", &|asm, i| asm.mask_from(k(i), Gpr::RAX));
            show("VPMOVQ2M", &|asm, i| asm.vector_to_mask(&forms::VPMOVQ2M, self.width, k(i), b));
            show("VPMOVM2B", &|asm, i| asm.mask_to_vector(&forms::VPMOVM2B, self.width, VReg(i as u8 % 4), KReg(5)));
            show("KANDQ, each of the one before", &|asm, _| asm.mask_op(&forms::KANDQ, KReg(1), KReg(1), KReg(6)));
            show("comparison and test", &|asm, i| {
                asm.compare(&forms::VCMPPD, self.width, k(i), a, Rm::Reg(b), KReg(0), Some(1));
                asm.mask_test(&forms::KORTESTQ, k(i), k(i));
            });
        }

        /// What touches memory.
        fn memory(self, ns: f64) {
            let b = ARGUMENTS[1];
            let at = |i: usize| Mem::at(Gpr::RDI, (self.bytes * (i % (MEMORY_BYTES / self.bytes))) as i32);
            let show = |what: &str, emit: &dyn Fn(&mut Assembler, usize)| {
                let cycles = self.round(|asm| (0..COPIES).for_each(|i| emit(asm, i))) / ns / COPIES as f64;
                println!("{what:40}{cycles:6.2} cycles each");
            };
            let load = |asm: &mut Assembler, form: &Form, i: usize| self.load(asm, form, VReg(i as u8 % 12), at(i));
            show("load of a vector", &|asm, i| load(asm, &forms::VMOVUPS, i));
            show("sum with a vector in memory", &|asm, i| load(asm, &forms::VADDPD, i));
            show("fused multiply-add, addend in memory", &|asm, i| load(asm, &forms::VFMADD213PD, i));
            show("store of a vector", &|asm, i| self.store(asm, at(i), b));
            show("load of a vector just stored", &|asm, _| {
                self.store(asm, at(0), VReg(0));
                self.load(asm, &forms::VMOVUPS, VReg(0), at(0));
            });
            show("load of a general register", &|asm, i| asm.load(Gpr(8 + i as u8 % 4), at(i)));
            show("a quadword to a general register", &|asm, i| asm.vex_to_gpr(Gpr(8 + i as u8 % 4), b, false));
            show("the second quadword to one", &|asm, i| asm.vex_to_gpr(Gpr(8 + i as u8 % 4), b, true));
            show("four quadwords by way of memory", &|asm, i| {
                self.store(asm, at(i), b);
                (0..4).for_each(|k| asm.load(Gpr(8 + k), Mem { disp: at(i).disp + 8 * i32::from(k), ..at(i) }));
            });
        }
    }

    pub(crate) fn run() {
        let (flags, wanted): (Vec<String>, Vec<String>) =
            std::env::args().skip(1).partition(|word| word.starts_with('-'));
        let Some(&best) = Level::available().last() else { return println!("neither AVX2 nor AVX-512") };
        let whole = Whole::of(if flags.iter().any(|flag| flag == "--avx2") { Level::Avx2 } else { best });
        let ns = cycle_ns();
        println!("{:?}, {:.2} GHz", whole.level, 1.0 / ns);
        println!("{:25}latency         cycles       products  sums  shuffles", "");
        let (mixes, wanted): (Vec<String>, Vec<String>) = wanted.into_iter().partition(|word| word.contains('+'));
        if !mixes.is_empty() {
            return mixes.iter().for_each(|text| whole.mix(text, ns));
        }
        let is_wanted = |form: &&&Form| wanted.is_empty() || wanted.iter().any(|word| form.name.contains(&**word));
        forms::ALL.iter().filter(|form| whole.lists(form)).filter(is_wanted).for_each(|form| whole.line(form, ns));
        if whole.level == Level::Avx512 {
            whole.masks(ns);
        }
        whole.memory(ns);
    }
}
