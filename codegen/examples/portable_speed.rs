//! Prints what the portable backend takes for typical kernels: nanoseconds a launch and an element, one thread.

use fastnp_codegen::portable::Portable;
use fastnp_codegen::*;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// A kernel put together by hand.
struct Maker(Kernel);

impl Maker {
    fn new(template: Template, outer: u8, inner: u8) -> Maker {
        Maker(Kernel {
            template,
            outer,
            inner,
            operands: vec![],
            scalars: vec![],
            body: Fragment::default(),
            accumulators: vec![],
            epilogue: Fragment::default(),
        })
    }

    fn operand(&mut self, dtype: DType, access: Access) -> OperandId {
        self.0.operands.push(OperandDecl { dtype, access, restrict: false });
        OperandId(self.0.operands.len() as u16 - 1)
    }

    fn push(&mut self, inst: Inst, dtype: DType) -> ValueId {
        self.0.body.insts.push(inst);
        self.0.body.types.push(dtype);
        ValueId(self.0.body.insts.len() as u32 - 1)
    }

    fn load(&mut self, dtype: DType) -> ValueId {
        let o = self.operand(dtype, Access::Read);
        self.push(Inst::Load(o), dtype)
    }

    fn apply(&mut self, op: Op, a: ValueId, b: ValueId) -> ValueId {
        let dtype = op.result(self.0.body.dtype(a));
        self.push(Inst::Apply(op, [a, b]), dtype)
    }

    fn store(&mut self, v: ValueId) {
        let dtype = self.0.body.dtype(v);
        let o = self.operand(dtype, Access::Write);
        self.push(Inst::Store(o, v), dtype);
    }

    fn fold(&mut self, fold: Fold, value: ValueId) {
        self.0.accumulators.push(Accumulator { fold, value });
        let dtype = self.0.result_dtype(0);
        let o = self.operand(dtype, Access::Write);
        self.0.epilogue.insts = vec![Inst::Result(0), Inst::Store(o, ValueId(0))];
        self.0.epilogue.types = vec![dtype, dtype];
    }

    fn compile(self) -> Arc<dyn Program> {
        Portable::new().compile(&verify(self.0).unwrap()).unwrap()
    }
}

/// Prints the best of several timings.
fn time(name: &str, elements: usize, mut f: impl FnMut()) {
    let reps = (20_000_000 / (elements + 50)).clamp(3, 200_000);
    let mut best = f64::MAX;
    for _ in 0..7 {
        let start = Instant::now();
        for _ in 0..reps {
            f();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / reps as f64);
    }
    println!("{name:32} {elements:9}  {best:12.1} ns/launch  {:8.4} ns/element", best / elements as f64);
}

/// Memory of `n` doubles on a 64-byte boundary.
fn doubles(n: usize) -> Vec<[f64; 8]> {
    (0..n.div_ceil(8)).map(|i| std::array::from_fn(|j| 0.5 + ((i * 8 + j) % 1000) as f64 / 1000.0)).collect()
}

fn launch(p: &dyn Program, outer: &[usize], inner: &[usize], addresses: &[*mut u8], strides: &[isize]) {
    let l = Launch { outer, inner, addresses, strides, scalars: &[] };
    // SAFETY: the callers pass memory for every element.
    black_box(unsafe { p.launch(&l, &Inline) });
}

fn main() {
    elementwise();
    reductions();
    stencil();
}

fn elementwise() {
    let mut m = Maker::new(Template::Map, 1, 0);
    let (a, b) = (m.load(DType::F64), m.load(DType::F64));
    let c = m.apply(Op::Add, a, b);
    m.store(c);
    let add = m.compile();
    let mut m = Maker::new(Template::Map, 1, 0);
    let (a, b) = (m.load(DType::F64), m.load(DType::F64));
    let mut c = m.apply(Op::Add, a, b);
    for i in 0..9 {
        c = m.apply([Op::Multiply, Op::Add, Op::Subtract][i % 3], c, [a, b][i % 2]);
    }
    m.store(c);
    let chain = m.compile();
    let mut m = Maker::new(Template::Map, 1, 0);
    let (a, b) = (m.load(DType::F64), m.load(DType::F64));
    let less = m.apply(Op::Less, a, b);
    let s = m.push(Inst::Select([less, a, b]), DType::F64);
    m.store(s);
    let select = m.compile();
    let mut m = Maker::new(Template::Map, 1, 0);
    let a = m.load(DType::F64);
    let (s, c) = (m.apply(Op::Sin, a, a), m.apply(Op::Cos, a, a));
    let (s, c) = (m.apply(Op::Multiply, s, s), m.apply(Op::Multiply, c, c));
    let one = m.apply(Op::Add, s, c);
    m.store(one);
    let sincos = m.compile();
    let big = 10_000_000;
    let (mut x, mut y, mut z) = (doubles(big), doubles(big), doubles(big));
    let at = [x.as_mut_ptr().cast::<u8>(), y.as_mut_ptr().cast(), z.as_mut_ptr().cast()];
    let in_place = [at[0], at[1], at[0]];
    for n in [10, 100, 1000, 100_000] {
        time("add f64", n, || launch(&*add, &[n], &[], &at, &[8, 8, 8]));
    }
    time("add f64 in place", 1000, || launch(&*add, &[1000], &[], &in_place, &[8, 8, 8]));
    for n in [100, 10_000, big] {
        time("chain of ten", n, || launch(&*chain, &[n], &[], &at, &[8, 8, 8]));
    }
    time("masked select", 10_000, || launch(&*select, &[10_000], &[], &at, &[8, 8, 8]));
    time("sin^2 + cos^2", 1_000_000, || launch(&*sincos, &[1_000_000], &[], &[at[0], at[2]], &[8, 8]));
}

fn reductions() {
    let folding = |fold, outer| {
        let mut m = Maker::new(Template::Reduce, outer, 1);
        let a = m.load(DType::F64);
        m.fold(fold, a);
        m.compile()
    };
    let (full, sum) = (folding(Fold::Op(Op::Add), 0), folding(Fold::Op(Op::Add), 1));
    let (max, arg) = (folding(Fold::Op(Op::Maximum), 1), folding(Fold::ArgMax, 1));
    let rows = 16 * 16 * 128;
    let (mut x, mut z) = (doubles(rows * 128), doubles(rows * 128));
    let at = [x.as_mut_ptr().cast::<u8>(), z.as_mut_ptr().cast()];
    for n in [10, 2000, 1_000_000] {
        time("sum f64", n, || launch(&*full, &[], &[n], &at, &[8, 8]));
    }
    time("sum axis 1 of 1000x1000", 1_000_000, || launch(&*sum, &[1000], &[1000], &at, &[8000, 8, 8, 0]));
    time("sum axis 0 of 1000x1000", 1_000_000, || launch(&*sum, &[1000], &[1000], &at, &[8, 8000, 8, 0]));
    time("sum rows of 128, in L1", 20 * 128, || launch(&*sum, &[20], &[128], &at, &[1024, 8, 8, 0]));
    time("max rows of 128", rows * 128, || launch(&*max, &[rows], &[128], &at, &[1024, 8, 8, 0]));
    time("argmax rows of 128", rows * 128, || launch(&*arg, &[rows], &[128], &at, &[1024, 8, 8, 0]));
    time("sum rows of 3", 30_000, || launch(&*sum, &[10_000], &[3], &at, &[24, 8, 8, 0]));
    time("sum columns of n x 3", 30_000, || launch(&*sum, &[3], &[10_000], &at, &[8, 24, 8, 0]));
}

fn stencil() {
    let mut m = Maker::new(Template::Map, 2, 0);
    let v: Vec<ValueId> = (0..5).map(|_| m.load(DType::F64)).collect();
    let s = m.apply(Op::Add, v[0], v[1]);
    let s = m.apply(Op::Add, s, v[2]);
    let s = m.apply(Op::Add, s, v[3]);
    let s = m.apply(Op::Add, s, v[4]);
    let s = m.apply(Op::Multiply, s, v[0]);
    m.store(s);
    let p = m.compile();
    for n in [59usize, 300] {
        let row = n + 2;
        let (mut x, mut z) = (doubles(row * row), doubles(row * row));
        let base =
            |v: &mut Vec<[f64; 8]>, i: usize, j: usize| v.as_mut_ptr().cast::<u8>().wrapping_add((i * row + j) * 8);
        let at = [
            base(&mut x, 1, 1),
            base(&mut x, 0, 1),
            base(&mut x, 2, 1),
            base(&mut x, 1, 0),
            base(&mut x, 1, 2),
            base(&mut z, 1, 1),
        ];
        let strides: Vec<isize> = (0..6).flat_map(|_| [row as isize * 8, 8]).collect();
        time("stencil", n * n, || launch(&*p, &[n, n], &[], &at, &strides));
    }
}
