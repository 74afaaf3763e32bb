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
        let i = self.0.accumulators.len() - 1;
        let dtype = self.0.result_dtype(i);
        let o = self.operand(dtype, Access::Write);
        self.0.epilogue.insts.extend([Inst::Result(i as u8), Inst::Store(o, ValueId(2 * i as u32))]);
        self.0.epilogue.types.extend([dtype, dtype]);
    }

    fn compile(self) -> Arc<dyn Program> {
        Portable::new().compile(&verify(self.0).unwrap()).unwrap()
    }
}

/// Prints the best of several timings.
fn time(name: &str, elements: usize, mut f: impl FnMut()) {
    let reps = (4_000_000 / (elements + 50)).clamp(3, 50_000);
    let mut best = f64::MAX;
    for _ in 0..12 {
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
    black_box(unsafe { p.launch(&l, &SingleThread) }.unwrap());
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let parts: [(&str, fn()); 10] = [
        ("launches", launches),
        ("elementwise", elementwise),
        ("strided", strided),
        ("stencil", stencil),
        ("reductions", reductions),
        ("masked", masked),
        ("complex", complex),
        ("division", division),
        ("outer", outer),
        ("threads", threads),
    ];
    for (name, part) in parts {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            part();
        }
    }
}

/// What a launch costs beside its elements.
fn launches() {
    let mut m = Maker::new(Template::Map, 1, 0);
    let (a, b) = (m.load(DType::F64), m.load(DType::F64));
    let c = m.apply(Op::Add, a, b);
    m.store(c);
    let add = m.compile();
    let mut m = Maker::new(Template::Reduce, 0, 1);
    let a = m.load(DType::F64);
    m.fold(Fold::Op(Op::Add), a);
    let sum = m.compile();
    let (mut x, mut y, mut z) = (doubles(64), doubles(64), doubles(64));
    let at = [x.as_mut_ptr().cast::<u8>(), y.as_mut_ptr().cast(), z.as_mut_ptr().cast()];
    for n in [1, 8] {
        time("add f64, launch", n, || launch(&*add, &[n], &[], &at, &[8, 8, 8]));
        time("sum f64, launch", n, || launch(&*sum, &[], &[n], &at[1..], &[8, 0]));
    }
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
    let folding_of = |dtype, fold, outer| {
        let mut m = Maker::new(Template::Reduce, outer, 1);
        let a = m.load(dtype);
        m.fold(fold, a);
        m.compile()
    };
    let folding = |fold, outer| folding_of(DType::F64, fold, outer);
    let (full, sum) = (folding(Fold::Op(Op::Add), 0), folding(Fold::Op(Op::Add), 1));
    let (max, arg) = (folding(Fold::Op(Op::Maximum), 1), folding(Fold::ArgMax, 1));
    let (sum32, max32) =
        (folding_of(DType::F32, Fold::Op(Op::Add), 1), folding_of(DType::F32, Fold::Op(Op::Maximum), 1));
    let rows = 4096;
    let (mut x, mut z) = (doubles(1_000_000), doubles(1_000_000));
    let at = [x.as_mut_ptr().cast::<u8>(), z.as_mut_ptr().cast()];
    for n in [10, 2000, 1_000_000] {
        time("sum f64", n, || launch(&*full, &[], &[n], &at, &[8, 0]));
    }
    time("sum of a column", 100, || launch(&*full, &[], &[100], &at, &[800, 0]));
    time("sum axis 1 of 1000x1000", 1_000_000, || launch(&*sum, &[1000], &[1000], &at, &[8000, 8, 8, 0]));
    time("sum axis 0 of 1000x1000", 1_000_000, || launch(&*sum, &[1000], &[1000], &at, &[8, 8000, 8, 0]));
    time("sum axis 0 of 4x100000", 400_000, || launch(&*sum, &[100_000], &[4], &at, &[8, 800_000, 8, 0]));
    time("sum axis 0 of 20x60", 1200, || launch(&*sum, &[60], &[20], &at, &[8, 480, 8, 0]));
    time("sum axis 1 of 20x60", 1200, || launch(&*sum, &[20], &[60], &at, &[480, 8, 8, 0]));
    for m in [70usize, 128, 600] {
        let row = m as isize * 8;
        time(&format!("sum rows of {m}"), 20 * m, || launch(&*sum, &[20], &[m], &at, &[row, 8, 8, 0]));
        time(&format!("max rows of {m}"), 20 * m, || launch(&*max, &[20], &[m], &at, &[row, 8, 8, 0]));
    }
    time("sum 4096 rows of 128", rows * 128, || launch(&*sum, &[rows], &[128], &at, &[1024, 8, 8, 0]));
    time("max 4096 rows of 128", rows * 128, || launch(&*max, &[rows], &[128], &at, &[1024, 8, 8, 0]));
    time("sum 4096 rows of 128 f32", rows * 128, || launch(&*sum32, &[rows], &[128], &at, &[512, 4, 4, 0]));
    time("max 4096 rows of 128 f32", rows * 128, || launch(&*max32, &[rows], &[128], &at, &[512, 4, 4, 0]));
    time("argmax 4096 rows of 128", rows * 128, || launch(&*arg, &[rows], &[128], &at, &[1024, 8, 8, 0]));
    time("sum rows of 3", 30_000, || launch(&*sum, &[10_000], &[3], &at, &[24, 8, 8, 0]));
    time("sum columns of n x 3", 30_000, || launch(&*sum, &[3], &[10_000], &at, &[8, 24, 8, 0]));
}

/// A chain of ten operations on columns of a matrix.
fn strided() {
    let mut m = Maker::new(Template::Map, 1, 0);
    let (a, b) = (m.load(DType::F64), m.load(DType::F64));
    let mut c = m.apply(Op::Add, a, b);
    for i in 0..6 {
        c = m.apply([Op::Multiply, Op::Add, Op::Subtract][i % 3], c, [a, b][i % 2]);
    }
    m.store(c);
    let chain = m.compile();
    let mut m = Maker::new(Template::Map, 1, 0);
    let a = m.load(DType::F64);
    let c = m.apply(Op::Add, a, a);
    m.store(c);
    let double = m.compile();
    let mut m = Maker::new(Template::Map, 2, 0);
    let (a, b) = (m.load(DType::F64), m.load(DType::F64));
    let c = m.apply(Op::Add, a, b);
    m.store(c);
    let add = m.compile();
    let (mut x, mut z) = (doubles(420 * 420), doubles(420 * 420));
    let (x, z) = (x.as_mut_ptr().cast::<u8>(), z.as_mut_ptr().cast::<u8>());
    for n in [1usize, 50, 100, 400] {
        let s = (n as isize + 3) * 8;
        let at = [x, x.wrapping_add(8), z];
        time("columns, chain of seven", n, || launch(&*chain, &[n], &[], &at, &[s, s, s]));
        time("column doubled to dense", n, || launch(&*double, &[n], &[], &[x, z], &[s, 8]));
    }
    time("transpose added", 90_000, || launch(&*add, &[300, 300], &[], &[x, x, z], &[2400, 8, 8, 2400, 2400, 8]));
}

/// Interior views of one array, shifted.
fn stencil() {
    let sum = |loads: usize, rank| {
        let mut m = Maker::new(Template::Map, rank, 0);
        let v: Vec<ValueId> = (0..loads).map(|_| m.load(DType::F64)).collect();
        let mut s = v[0];
        for &w in &v[1..] {
            s = m.apply(Op::Add, s, w);
        }
        let s = m.apply(Op::Multiply, s, v[0]);
        m.store(s);
        m.compile()
    };
    let p = sum(5, 2);
    for n in [8usize, 59, 119, 300] {
        let row = n + 2;
        let (mut x, mut z) = (doubles(row * row), doubles(row * row));
        let (x, z) = (x.as_mut_ptr().cast::<u8>(), z.as_mut_ptr().cast::<u8>());
        let at = |v: *mut u8, i: usize, j: usize| v.wrapping_add((i * row + j) * 8);
        let at = [at(x, 1, 1), at(x, 0, 1), at(x, 2, 1), at(x, 1, 0), at(x, 1, 2), at(z, 1, 1)];
        let strides: Vec<isize> = (0..6).flat_map(|_| [row as isize * 8, 8]).collect();
        time("stencil of five", n * n, || launch(&*p, &[n, n], &[], &at, &strides));
    }
    let (p, n, row) = (sum(10, 3), 23usize, 25);
    let (mut x, mut z) = (doubles(row * row * row), doubles(row * row * row));
    let (x, z) = (x.as_mut_ptr().cast::<u8>(), z.as_mut_ptr().cast::<u8>());
    let at = |v: *mut u8, d: usize| v.wrapping_add((row * row + row + 1) * 8 + [0, 8, 200, 5000][d % 4] - d / 4 * 200);
    let at: Vec<*mut u8> = (0..10).map(|d| at(x, d)).chain([at(z, 0)]).collect();
    let strides: Vec<isize> = (0..11).flat_map(|_| [5000, 200, 8]).collect();
    time("heat_3d, ten loads", n * n * n, || launch(&*p, &[n, n, n], &[], &at, &strides));
}

/// `a[mask]` reduced, counts of bools, dot products.
fn masked() {
    let mut m = Maker::new(Template::Reduce, 0, 1);
    let (a, mask) = (m.load(DType::F64), m.load(DType::Bool));
    let zero = m.push(Inst::Const(Scalar::new(DType::F64, 0.0)), DType::F64);
    let s = m.push(Inst::Select([mask, a, zero]), DType::F64);
    let c = m.push(Inst::Cast(mask, DType::I64), DType::I64);
    m.fold(Fold::Op(Op::Add), s);
    m.fold(Fold::Op(Op::Add), c);
    let mean = m.compile();
    let mut m = Maker::new(Template::Reduce, 0, 1);
    let (a, b) = (m.load(DType::F64), m.load(DType::F64));
    let s = m.apply(Op::Multiply, a, b);
    m.fold(Fold::Op(Op::Add), s);
    let dot = m.compile();
    let bools = |fold, count: bool| {
        let mut m = Maker::new(Template::Reduce, 0, 1);
        let a = m.load(DType::Bool);
        let a = if count { m.push(Inst::Cast(a, DType::I64), DType::I64) } else { a };
        m.fold(fold, a);
        m.compile()
    };
    let (any, count) = (bools(Fold::Op(Op::LogicalOr), false), bools(Fold::Op(Op::Add), true));
    let big = 1_000_000;
    let (mut x, mut y, mut z) = (doubles(big), doubles(big), doubles(8));
    let mut bits: Vec<u8> = (0..big).map(|i| (i * i % 7 < 3) as u8).collect();
    let (x, y, z) = (x.as_mut_ptr().cast::<u8>(), y.as_mut_ptr().cast::<u8>(), z.as_mut_ptr().cast::<u8>());
    let bits = bits.as_mut_ptr();
    for n in [100, 10_000, big] {
        time("masked mean", n, || launch(&*mean, &[], &[n], &[x, bits, z, z.wrapping_add(8)], &[8, 1, 0, 0]));
        time("sum of products", n, || launch(&*dot, &[], &[n], &[x, y, z], &[8, 8, 0]));
        time("any", n, || launch(&*any, &[], &[n], &[bits, z], &[1, 0]));
        time("count", n, || launch(&*count, &[], &[n], &[bits, z], &[1, 0]));
    }
}

/// The inner step of the Mandelbrot set, and its parts.
fn complex() {
    let c128 = DType::C128;
    let unary = |op| {
        let mut m = Maker::new(Template::Map, 1, 0);
        let a = m.load(c128);
        let a = m.apply(op, a, a);
        m.store(a);
        m.compile()
    };
    let mut m = Maker::new(Template::Map, 1, 0);
    let (z, c) = (m.load(c128), m.load(c128));
    let two = m.push(Inst::Const(Scalar::new(DType::F64, 2.0)), DType::F64);
    let length = m.apply(Op::Absolute, z, z);
    let inside = m.apply(Op::Less, length, two);
    let square = m.apply(Op::Multiply, z, z);
    let next = m.apply(Op::Add, square, c);
    let z = m.push(Inst::Select([inside, next, z]), c128);
    m.store(z);
    let step = m.compile();
    let n = 15_625;
    let (mut x, mut y, mut z) = (doubles(2 * n), doubles(2 * n), doubles(2 * n));
    let (x, y, z) = (x.as_mut_ptr().cast::<u8>(), y.as_mut_ptr().cast::<u8>(), z.as_mut_ptr().cast::<u8>());
    time("mandelbrot step", n, || launch(&*step, &[n], &[], &[x, y, z], &[16, 16, 16]));
    for (name, op, out) in
        [("abs c128", Op::Absolute, 8), ("square c128", Op::Square, 16), ("negative c128", Op::Negative, 16)]
    {
        let p = unary(op);
        time(name, 1000, || launch(&*p, &[1000], &[], &[x, z], &[16, out]));
    }
}

/// Division that rounds down, by arrays and by a scalar.
fn division() {
    let n = 1000;
    let (mut x, mut y, mut z) = (doubles(n), doubles(n), doubles(n));
    let mut whole: Vec<i64> = (0..n as i64).map(|i| i * 7919 - 300_000).collect();
    let (x, y, z) = (x.as_mut_ptr().cast::<u8>(), y.as_mut_ptr().cast::<u8>(), z.as_mut_ptr().cast::<u8>());
    let whole = whole.as_mut_ptr().cast::<u8>();
    for op in [Op::FloorDivide, Op::Remainder, Op::Fmod] {
        let mut m = Maker::new(Template::Map, 1, 0);
        let (a, b) = (m.load(DType::F64), m.load(DType::F64));
        let c = m.apply(op, a, b);
        m.store(c);
        let p = m.compile();
        time(&format!("{op} f64"), n, || launch(&*p, &[n], &[], &[x, y, z], &[8, 8, 8]));
        for dtype in [DType::I64, DType::I32] {
            let mut m = Maker::new(Template::Map, 1, 0);
            let a = m.load(dtype);
            let b = m.push(Inst::Const(Scalar::new(dtype, 7i64)), dtype);
            let c = m.apply(op, a, b);
            m.store(c);
            let p = m.compile();
            let s = dtype.size() as isize;
            time(&format!("{op} {dtype} by a scalar"), n, || launch(&*p, &[n], &[], &[whole, z], &[s, s]));
        }
    }
}

/// `minimum(path, path[:, k, None] + path[None, k, :])`.
fn outer() {
    let mut m = Maker::new(Template::Map, 2, 0);
    let (p, a, b) = (m.load(DType::I32), m.load(DType::I32), m.load(DType::I32));
    let s = m.apply(Op::Add, a, b);
    let s = m.apply(Op::Minimum, p, s);
    m.store(s);
    let program = m.compile();
    let n = 200usize;
    let (mut x, mut z) = (doubles(n * n / 2), doubles(n * n / 2));
    let (x, z) = (x.as_mut_ptr().cast::<u8>(), z.as_mut_ptr().cast::<u8>());
    let at = [x, x.wrapping_add(40), x.wrapping_add(8000), z];
    let strides = [800, 4, 800, 0, 0, 4, 800, 4];
    time("all pairs, i32", n * n, || launch(&*program, &[n, n], &[], &at, &strides));
}

/// Two threads that stay.
struct Two(std::sync::mpsc::Sender<Job>);

/// A task, and where to say that it is done.
type Job = (&'static (dyn Fn(usize) + Sync), usize, std::sync::mpsc::Sender<()>);

impl ThreadPool for Two {
    fn count(&self) -> usize {
        2
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        // SAFETY: the other thread is done with the task before this returns.
        let lent = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(task) };
        let (done, wait) = std::sync::mpsc::channel();
        let half = tasks / 2;
        self.0.send((lent, half, done)).unwrap();
        (half..tasks).for_each(task);
        wait.recv().unwrap();
    }
}

fn threads() {
    let (send, jobs) = std::sync::mpsc::channel::<Job>();
    std::thread::spawn(move || {
        for (task, tasks, done) in jobs {
            (0..tasks).for_each(task);
            done.send(()).unwrap();
        }
    });
    let two = Two(send);
    let mut m = Maker::new(Template::Map, 1, 0);
    let (a, b) = (m.load(DType::F64), m.load(DType::F64));
    let mut c = m.apply(Op::Add, a, b);
    for i in 0..9 {
        c = m.apply([Op::Multiply, Op::Add, Op::Subtract][i % 3], c, [a, b][i % 2]);
    }
    m.store(c);
    let chain = m.compile();
    let big = 10_000_000;
    let (mut x, mut y, mut z) = (doubles(big), doubles(big), doubles(big));
    let at = [x.as_mut_ptr().cast::<u8>(), y.as_mut_ptr().cast(), z.as_mut_ptr().cast()];
    for n in [10_000, 100_000, 1_000_000, big] {
        for (name, workers) in
            [("chain of ten, one thread", &SingleThread as &dyn ThreadPool), ("chain of ten, two threads", &two)]
        {
            time(name, n, || {
                let l = Launch { outer: &[n], inner: &[], addresses: &at, strides: &[8; 3], scalars: &[] };
                // SAFETY: the arrays have `n` elements.
                black_box(unsafe { chain.launch(&l, workers) }.unwrap());
            });
        }
    }
}
