//! Bodies so long that machine code cuts them into slices, against the portable backend: bits and flags, at the ends of blocks and beyond.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;
use num_complex::Complex;

/// Elements of a row: fewer than a vector, as many as some, about a block of 32 to 128 vectors, several blocks, and two chunks.
const SIZES: [usize; 15] = [1, 5, 8, 15, 64, 127, 128, 200, 255, 512, 513, 1027, 1100, 2101, 8200];

/// A kernel's operands besides those it writes: the bytes from one element to the next, in elements.
struct Case {
    name: String,
    kernel: Verified<Kernel>,
    stride: usize,
    /// Whether the first operand that is written is the memory of the first that is read.
    in_place: bool,
}

/// An element between 0.1 and 1.1, or a small number.
fn element(dtype: DType, i: usize) -> Scalar {
    let (x, y) = (0.1 + (i * 617 % 1000) as f64 / 1000.0, 0.1 + (i * 419 % 1000) as f64 / 1000.0);
    match dtype.kind() {
        Kind::Float => Scalar::new(dtype, x),
        Kind::Complex => Scalar::new(dtype, Complex::new(x / 4.0, y / 4.0)),
        Kind::Bool | Kind::Signed | Kind::Unsigned => Scalar::new(dtype, (i * 8 % 64) as i64),
    }
}

impl Case {
    /// Memory of the operands after a launch over `n` elements, and the flags.
    fn run(&self, program: &dyn Program, n: usize, special: bool) -> (Vec<Vec<u8>>, RaisedFlags) {
        let operands = &self.kernel.operands;
        let memory = |(number, decl): (usize, &OperandDecl)| {
            let (size, mut bytes) = (decl.dtype.size(), vec![0; (n * self.stride + 64) * decl.dtype.size()]);
            for i in (0..n).filter(|_| decl.access == Access::Read) {
                let mut value = element(decl.dtype, i + number);
                if special && decl.dtype.is_float() && i % 1000 == 777 {
                    value = Scalar::new(decl.dtype, [f64::NAN, f64::INFINITY, -3.0][i / 1000 % 3]);
                }
                bytes[i * self.stride * size..][..size].copy_from_slice(&value.bits().to_le_bytes()[..size]);
            }
            bytes
        };
        let mut all: Vec<Vec<u8>> = operands.iter().enumerate().map(memory).collect();
        let mut addresses: Vec<*mut u8> = all.iter_mut().map(|bytes| bytes.as_mut_ptr()).collect();
        let first = operands.iter().position(|decl| decl.access == Access::Write).expect("it stores");
        if self.in_place {
            addresses[first] = addresses[0];
        }
        let (is_map, outer, inner) = (self.kernel.template == Template::Map, [n], [n]);
        let of = |decl: &OperandDecl| (self.stride * decl.dtype.size()) as isize;
        let is_folded = |decl: &OperandDecl| self.kernel.template == Template::Reduce && decl.access == Access::Write;
        let strides: Vec<isize> = operands.iter().map(|decl| if is_folded(decl) { 0 } else { of(decl) }).collect();
        let (outer, inner): (&[usize], &[usize]) = if is_map { (&outer, &[]) } else { (&[], &inner) };
        let launch = Launch { outer, inner, addresses: &addresses, strides: &strides, scalars: &[] };
        // SAFETY: the operands have so many elements.
        let raised = unsafe { program.launch(&launch, &SingleThread) }.expect("the host's memory is there");
        (all, raised)
    }

    fn check(&self) {
        let portable = Portable::new().compile(&self.kernel).unwrap_or_else(|error| panic!("{error}"));
        for x86 in X86::every_level() {
            let program = x86.compile(&self.kernel).unwrap_or_else(|error| panic!("{error}"));
            for (n, special) in SIZES.into_iter().flat_map(|n| [(n, false), (n, true)]) {
                let expected = self.run(&*portable, n, special);
                let found = self.run(&*program, n, special);
                let name = format!("{}, {}, {n} elements, special {special}", self.name, x86.name());
                for (operand, (expected, found)) in expected.0.iter().zip(&found.0).enumerate() {
                    let differs = expected.iter().zip(found).position(|(a, b)| a != b);
                    assert_eq!(differs, None, "{name}: the first byte of operand {operand} that differs");
                }
                assert_eq!(expected.1, found.1, "{name}");
            }
        }
    }
}

/// A map of loaded values to those it stores.
fn map(
    name: &str,
    inputs: &[DType],
    compute: impl FnOnce(&mut FragmentBuilder<'_>, &[ValueId]) -> Vec<ValueId>,
) -> Case {
    let mut k = KernelBuilder::new(Template::Map, 1, 0);
    let from: Vec<_> = inputs.iter().map(|&dtype| k.operand(dtype, Access::Read, false)).collect();
    let loaded: Vec<_> = from.into_iter().map(|operand| k.body().load(operand)).collect();
    let values = compute(&mut k.body(), &loaded);
    for value in values {
        let dtype = k.body().dtype(value);
        let to = k.operand(dtype, Access::Write, false);
        k.body().store(to, value);
    }
    Case { name: name.into(), kernel: verify(k.finish()).expect("right"), stride: 1, in_place: false }
}

fn number(body: &mut FragmentBuilder<'_>, dtype: DType, x: f64) -> ValueId {
    body.constant(Scalar::new(dtype, x))
}

/// So many elementary functions, each of the one before.
fn functions(body: &mut FragmentBuilder<'_>, mut x: ValueId, count: usize) -> ValueId {
    let dtype = body.dtype(x);
    for i in 0..count {
        let op = [Op::Exp, Op::Sin, Op::Sqrt, Op::Log1p, Op::Tanh][i % 5];
        let (y, factor) = (body.apply(op, &[x]), number(body, dtype, 0.4));
        x = body.apply(Op::Multiply, &[y, factor]);
    }
    x
}

/// A polynomial by Horner's rule.
fn polynomial(body: &mut FragmentBuilder<'_>, x: ValueId, count: usize) -> ValueId {
    let dtype = body.dtype(x);
    let mut sum = x;
    for i in 0..count {
        let term = if dtype.is_float() {
            number(body, dtype, 0.03 * i as f64)
        } else {
            body.constant(Scalar::new(dtype, i as i64))
        };
        let product = body.apply(Op::Multiply, &[sum, x]);
        sum = body.apply(Op::Add, &[product, term]);
    }
    sum
}

#[test]
fn maps() {
    for dtype in [DType::F64, DType::F32] {
        for (stride, in_place) in [(1, false), (1, true), (3, false), (3, true), (2, false)] {
            for count in [3, 7, 20] {
                let case = map("functions", &[dtype], |body, v| vec![functions(body, v[0], count)]);
                Case { stride, in_place, ..case }.check();
            }
            let case = map("two results", &[dtype, dtype], |body, v| {
                let (a, b) = (functions(body, v[0], 6), polynomial(body, v[1], 30));
                let sum = body.apply(Op::Add, &[a, b]);
                let last = functions(body, sum, 4);
                let difference = body.apply(Op::Subtract, &[last, v[0]]);
                vec![difference, b, last]
            });
            Case { stride, in_place, ..case }.check();
        }
    }
}

#[test]
fn other_types() {
    map("a bool across slices", &[DType::F64], |body, v| {
        let half = number(body, DType::F64, 0.5);
        let mask = body.apply(Op::Greater, &[v[0], half]);
        let (a, b) = (functions(body, v[0], 5), polynomial(body, v[0], 30));
        let chosen = body.select(mask, a, b);
        vec![chosen, mask]
    })
    .check();
    map("two widths", &[DType::F32, DType::F64], |body, v| {
        let (a, b) = (functions(body, v[0], 4), functions(body, v[1], 4));
        let wide = body.cast(a, DType::F64);
        let sum = body.apply(Op::Add, &[wide, b]);
        let product = body.apply(Op::Multiply, &[a, v[0]]);
        let last = functions(body, sum, 3);
        vec![last, product]
    })
    .check();
    map("coordinates", &[DType::I64], |body, v| {
        let at = body.index(0);
        let a = polynomial(body, v[0], 12);
        let sum = body.apply(Op::Add, &[a, at]);
        vec![polynomial(body, sum, 12)]
    })
    .check();
    for stride in [1, 3] {
        for dtype in [DType::C64, DType::C128] {
            let case = map("complex", &[dtype, dtype], |body, v| {
                let mut z = v[0];
                for _ in 0..12 {
                    let square = body.apply(Op::Multiply, &[z, z]);
                    z = body.apply(Op::Add, &[square, v[1]]);
                }
                let size = body.apply(Op::Absolute, &[z]);
                vec![z, size]
            });
            Case { stride, ..case }.check();
        }
    }
}

#[test]
fn by_offset() {
    for restrict in [true, false] {
        let mut k = KernelBuilder::new(Template::Map, 1, 0);
        let offsets = k.operand(DType::I64, Access::Read, restrict);
        let from = k.operand(DType::F64, Access::Read, restrict);
        let to = k.operand(DType::F64, Access::Write, restrict);
        let mut body = k.body();
        let at = body.load(offsets);
        // The operand's address is that of this point.
        let (eight, here) = (body.constant(Scalar::new(DType::I64, 8i64)), body.index(0));
        let here = body.apply(Op::Multiply, &[here, eight]);
        let offset = body.apply(Op::Subtract, &[at, here]);
        let x = body.gather(from, offset);
        let y = polynomial(&mut body, x, 30);
        body.store(to, y);
        let kernel = verify(k.finish()).expect("right");
        Case { name: format!("gather, restrict {restrict}"), kernel, stride: 1, in_place: false }.check();
    }
}

/// Sums of whole numbers, which are exact in any order, and extremes.
#[test]
fn reductions() {
    for dtype in [DType::F64, DType::F32] {
        for stride in [1, 3] {
            let mut k = KernelBuilder::new(Template::Reduce, 0, 1);
            let from = k.operand(dtype, Access::Read, true);
            let mut body = k.body();
            let x = body.load(from);
            let y = functions(&mut body, x, 6);
            let many = number(&mut body, dtype, 64.0);
            let scaled = body.apply(Op::Multiply, &[y, many]);
            let whole = body.apply(Op::Rint, &[scaled]);
            let folds = [(Op::Add, whole), (Op::Maximum, y), (Op::Add, whole)];
            for (op, value) in folds {
                let accumulator = k.accumulate(Fold::Op(op), value);
                let result = k.epilogue().result(accumulator);
                let to = k.operand(dtype, Access::Write, true);
                k.epilogue().store(to, result);
            }
            let kernel = verify(k.finish()).expect("right");
            Case { name: format!("folds of {dtype}"), kernel, stride, in_place: false }.check();
        }
    }
}

/// Folds of what is loaded, beside a long body that stores: in more chains than a long body has.
#[test]
fn reductions_of_loads() {
    for (dtype, op) in [(DType::F64, Op::Maximum), (DType::F64, Op::Add), (DType::F32, Op::Maximum)] {
        let mut k = KernelBuilder::new(Template::Reduce, 0, 1);
        let from = k.operand(dtype, Access::Read, true);
        let stored = k.operand(dtype, Access::Write, true);
        let mut body = k.body();
        let x = body.load(from);
        let y = functions(&mut body, x, 4);
        body.store(stored, y);
        let whole = body.apply(Op::Rint, &[x]);
        let accumulator = k.accumulate(Fold::Op(op), whole);
        let result = k.epilogue().result(accumulator);
        let to = k.operand(dtype, Access::Write, true);
        k.epilogue().store(to, result);
        let kernel = verify(k.finish()).expect("right");
        Case { name: format!("{op} of {dtype} loaded"), kernel, stride: 1, in_place: false }.check();
    }
}

#[test]
fn scans() {
    for dtype in [DType::F64, DType::F32] {
        let mut k = KernelBuilder::new(Template::Scan, 0, 1);
        let from = k.operand(dtype, Access::Read, true);
        let to = k.operand(dtype, Access::Write, true);
        let mut body = k.body();
        let x = body.load(from);
        let y = functions(&mut body, x, 5);
        let accumulator = k.accumulate(Fold::Op(Op::Add), y);
        let mut epilogue = k.epilogue();
        let running = epilogue.result(accumulator);
        let last = functions(&mut epilogue, running, 2);
        epilogue.store(to, last);
        let kernel = verify(k.finish()).expect("right");
        Case { name: format!("a scan of {dtype}"), kernel, stride: 1, in_place: false }.check();
    }
}
