//! The portable backend against a slow, obvious evaluator: point by point, value by value, over random kernels.

mod arg_extremes;
mod chunks;
pub(crate) mod evaluator;
pub(crate) mod random;
mod random_regions;

use fastnp_codegen::portable::Portable;
use fastnp_codegen::*;
use random::{Case, Random};

/// Workers that say they are several and run tasks in an awkward order.
struct Pretend(usize);

impl ThreadPool for Pretend {
    fn count(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|s| {
            for first in (0..self.0).rev() {
                s.spawn(move || (first..tasks).step_by(self.0).for_each(task));
            }
        });
    }
}

/// Runs a case on every level and compares its memory with the evaluator's.
fn check(case: &Case, seed: u64) {
    let expected = case.expected();
    let kernel = verify(case.kernel.clone()).unwrap();
    for backend in Portable::every_level() {
        let program = backend.compile(&kernel).unwrap();
        let (memory, _) = case.run(&*program, &SingleThread);
        if let Some(difference) = case.difference(&expected, &memory) {
            panic!("seed {seed}, {backend:?}: {difference}\n{case:#?}");
        }
    }
}

#[test]
fn random_maps() {
    for seed in 0..1200 {
        check(&Case::map(&mut Random::new(seed)), seed);
    }
}

#[test]
fn random_reductions() {
    for seed in 0..1200 {
        check(&Case::reduce(&mut Random::new(seed)), seed);
    }
}

#[test]
fn random_scans() {
    for seed in 0..500 {
        check(&Case::scan(&mut Random::new(seed)), seed);
    }
}

#[test]
fn any_number_of_workers_gives_the_same_bits() {
    for seed in 0..36 {
        let mut random = Random::new(seed);
        let case = match seed % 3 {
            0 => Case::large(&mut random, Template::Map),
            1 => Case::large(&mut random, Template::Reduce),
            _ => Case::large(&mut random, Template::Scan),
        };
        let program = Portable::new().compile(&verify(case.kernel.clone()).unwrap()).unwrap();
        let one = case.run(&*program, &SingleThread);
        for count in [2, 8] {
            let many = case.run(&*program, &Pretend(count));
            assert!(one == many, "seed {seed}, {count} workers");
        }
    }
}

/// A one-axis kernel of some instructions, run on `f64` columns; gives what it reports.
fn raised(insts: Vec<(Inst, DType)>, columns: &[&[f64]], out: DType) -> Vec<(bool, u32, FpFlags)> {
    let mut body = Fragment::default();
    for (inst, dtype) in insts {
        body.insts.push(inst);
        body.types.push(dtype);
    }
    let mut operands: Vec<OperandDecl> = columns
        .iter()
        .map(|_| OperandDecl { dtype: DType::F64, access: Access::Read, restrict: false, nontemporal: false })
        .collect();
    operands.push(OperandDecl { dtype: out, access: Access::Write, restrict: false, nontemporal: false });
    let kernel = Kernel {
        template: Template::Map,
        outer: 1,
        inner: 0,
        operands,
        scalars: vec![],
        body,
        accumulators: vec![],
        epilogue: Fragment::default(),
    };
    let n = columns[0].len();
    let mut result = vec![0u128; n];
    let mut addresses: Vec<*mut u8> = columns.iter().map(|c| c.as_ptr().cast_mut().cast()).collect();
    addresses.push(result.as_mut_ptr().cast());
    let mut strides = vec![8; columns.len()];
    strides.push(out.size() as isize);
    let program = Portable::new().compile(&verify(kernel).unwrap()).unwrap();
    let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: columns and result have `n` elements.
    let mut raised = unsafe { program.launch(&launch, &SingleThread) }.unwrap();
    raised.sort_by_key(|r| (r.0, r.1));
    raised.to_vec()
}

fn load(i: u16) -> (Inst, DType) {
    (Inst::Load(OperandId(i)), DType::F64)
}

fn apply(op: Op, a: u32, b: u32, dtype: DType) -> (Inst, DType) {
    (Inst::Apply(op, [ValueId(a), ValueId(b)]), dtype)
}

fn store(v: u32, operand: u16, dtype: DType) -> (Inst, DType) {
    (Inst::Store(OperandId(operand), ValueId(v)), dtype)
}

#[test]
fn fma_rounds_once_at_every_level() {
    // The product is 1 + 2^-26 + 2^-54, and what rounding it would lose is all that is left.
    let (mut kernel, x) = (KernelBuilder::new(Template::Map, 1, 0), 1.0 + 2f64.powi(-27));
    let operand = |k: &mut KernelBuilder, access| k.operand(DType::F64, access, true);
    let (a, c, out) =
        (operand(&mut kernel, Access::Read), operand(&mut kernel, Access::Read), operand(&mut kernel, Access::Write));
    let mut body = kernel.body();
    let (a, c) = (body.load(a), body.load(c));
    let value = body.fma(a, a, c);
    body.store(out, value);
    let kernel = verify(kernel.finish()).unwrap();
    for backend in Portable::every_level() {
        let program = backend.compile(&kernel).unwrap();
        for n in [1, 5, 40] {
            let (a, c, mut found) = (vec![x; n], vec![-1.0 - 2f64.powi(-26); n], vec![0.0; n]);
            let addresses = [a.as_ptr().cast_mut().cast(), c.as_ptr().cast_mut().cast(), found.as_mut_ptr().cast()];
            let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &[8; 3], scalars: &[] };
            // SAFETY: three vectors of `n` elements.
            unsafe { program.launch(&launch, &SingleThread) }.unwrap();
            assert_eq!(found, vec![2f64.powi(-54); n], "{backend:?}");
        }
    }
}

#[test]
fn bits_keep_every_payload() {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let (from, to) =
        (kernel.operand(DType::U32, Access::Read, false), kernel.operand(DType::I32, Access::Write, false));
    let mut body = kernel.body();
    let word = body.load(from);
    let float = body.bits(word, DType::F32);
    let back = body.bits(float, DType::I32);
    body.store(to, back);
    let kernel = verify(kernel.finish()).unwrap();
    // A signalling nan, a quiet one, minus zero and a subnormal.
    let words: Vec<u32> = [0x7f80_0001, 0xffc1_2345, 0x8000_0000, 1].repeat(20);
    for backend in Portable::every_level() {
        let mut found = words.clone();
        let address = found.as_mut_ptr().cast();
        let launch =
            Launch { outer: &[words.len()], inner: &[], addresses: &[address; 2], strides: &[4; 2], scalars: &[] };
        // SAFETY: one vector, read and written at the same places.
        let raised = unsafe { backend.compile(&kernel).unwrap().launch(&launch, &SingleThread) }.unwrap();
        assert_eq!((found, raised.len()), (words.clone(), 0), "{backend:?}");
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn flags_name_their_instruction() {
    use DType::{Bool, F64, I32};
    let f = F64;
    let divide = vec![load(0), load(1), apply(Op::Divide, 0, 1, f), store(2, 2, f)];
    for n in 1..40 {
        let (ones, mut zeros) = (vec![1.0; n], vec![2.0; n]);
        assert_eq!(raised(divide.clone(), &[&ones, &zeros], f), vec![], "{n}");
        zeros[n / 2] = 0.0;
        assert_eq!(raised(divide.clone(), &[&ones, &zeros], f), vec![(false, 2, FpFlags::DIVIDE)], "{n}");
    }
    let two = vec![
        load(0),
        load(1),
        apply(Op::Divide, 0, 1, f),
        apply(Op::Sqrt, 0, 0, f),
        apply(Op::Maximum, 2, 3, f),
        store(4, 2, f),
    ];
    let report = raised(two.clone(), &[&[1.0, -1.0], &[0.0, 1.0]], f);
    assert_eq!(report, vec![(false, 2, FpFlags::DIVIDE), (false, 3, FpFlags::INVALID)]);
    assert_eq!(raised(two, &[&[f64::NAN, 1.0], &[f64::NAN, 1.0]], f), vec![]);
    let less = vec![load(0), load(1), apply(Op::Less, 0, 1, Bool), store(2, 2, Bool)];
    assert_eq!(raised(less, &[&[f64::NAN; 20], &[1.0; 20]], Bool), vec![]);
    let cast = vec![load(0), (Inst::Cast(ValueId(0), I32), I32), store(1, 1, I32)];
    assert_eq!(raised(cast.clone(), &[&[3e9]], I32), vec![(false, 1, FpFlags::INVALID)]);
    assert_eq!(raised(cast, &[&[-2147483648.9, 2147483647.9, -0.5]], I32), vec![]);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn no_op_raises_a_flag_for_calm_arguments() {
    let (a, b) = ([0.25; 67], [0.5; 67]);
    let above = [1.5; 67];
    for &op in Op::ALL.iter().filter(|o| o.has_loop(DType::F64)) {
        let a = if op == Op::Arccosh { above } else { a };
        let out = op.result(DType::F64);
        let insts = if op.arity() == 1 {
            vec![load(0), load(1), apply(op, 0, 0, out), store(2, 2, out)]
        } else {
            vec![load(0), load(1), apply(op, 0, 1, out), store(2, 2, out)]
        };
        assert_eq!(raised(insts, &[&a, &b], out), vec![], "{op}");
    }
}
