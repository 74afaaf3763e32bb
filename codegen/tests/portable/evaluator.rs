//! Kernels evaluated point by point over [`Scalar`]s.

use fastnp_codegen::math::Number;
use fastnp_codegen::*;

/// Memory as the evaluator sees it: bytes by address.
pub(crate) struct Memory<'a> {
    /// The bytes.
    pub(crate) bytes: &'a mut [u8],
    /// The address of the first.
    pub(crate) start: usize,
}

impl Memory<'_> {
    fn read(&self, address: usize, dtype: DType) -> Scalar {
        let at = address - self.start;
        let mut bits = [0u8; 16];
        bits[..dtype.size()].copy_from_slice(&self.bytes[at..at + dtype.size()]);
        Scalar::from_bits(dtype, u128::from_le_bytes(bits))
    }

    fn write(&mut self, address: usize, value: Scalar) {
        let (at, size) = (address - self.start, value.dtype().size());
        self.bytes[at..at + size].copy_from_slice(&value.bytes()[..size]);
    }
}

/// Every point of some extents, in row-major order.
fn points(extents: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &e in extents {
        all = all.into_iter().flat_map(|p: Vec<usize>| (0..e).map(move |x| [&p[..], &[x]].concat())).collect();
    }
    all
}

/// Runs a kernel.
pub(crate) fn evaluate(k: &Kernel, l: &Launch<'_>, m: &mut Memory<'_>) {
    for o in points(l.outer) {
        let mut running: Vec<Option<(Scalar, i64)>> = vec![None; k.accumulators.len()];
        for (position, i) in points(l.inner).into_iter().enumerate() {
            let at = [&o[..], &i[..]].concat();
            let values = fragment(k, &k.body, l, m, &at, (&[], &[]));
            for (a, r) in k.accumulators.iter().zip(&mut running) {
                let v = values[a.value.0 as usize].unwrap();
                *r = Some(match r.take() {
                    None => (v, position as i64),
                    Some(before) => fold(a.fold, before, (v, position as i64)),
                });
            }
            if k.template == Template::Scan {
                fragment(k, &k.epilogue, l, m, &at, (&results(k, &running), &[]));
            }
        }
        if k.template == Template::Reduce {
            let at = [&o[..], &vec![0; l.inner.len()][..]].concat();
            fragment(k, &k.epilogue, l, m, &at, (&results(k, &running), &[]));
        }
    }
}

fn results(k: &Kernel, running: &[Option<(Scalar, i64)>]) -> Vec<Scalar> {
    let value = |(i, r): (usize, &Option<(Scalar, i64)>)| {
        let dtype = k.result_dtype(i);
        match (k.accumulators[i].fold, r) {
            (Fold::Op(_), Some((v, _))) => *v,
            (Fold::Op(op), None) => {
                op.fold().and_then(|row| row.identity(dtype)).expect("a fold of nothing has a value")
            }
            (Fold::ArgMin | Fold::ArgMax, r) => Scalar::new(dtype, r.map_or(0, |(_, p)| p)),
        }
    };
    running.iter().enumerate().map(value).collect()
}

fn fold(fold: Fold, before: (Scalar, i64), now: (Scalar, i64)) -> (Scalar, i64) {
    let better = |max: bool| {
        let (b, n) = (key(before.0), key(now.0));
        !b.0 && (n.0 || if max { n.1 > b.1 } else { n.1 < b.1 })
    };
    match fold {
        Fold::Op(op) => (apply(op, before.0, now.0), 0),
        Fold::ArgMin => {
            if better(false) {
                now
            } else {
                before
            }
        }
        Fold::ArgMax => {
            if better(true) {
                now
            } else {
                before
            }
        }
    }
}

/// Whether a value is nan, and its place in the order of its type.
fn key(x: Scalar) -> (bool, (i128, f64, f64)) {
    match x.wide() {
        Wide::Int(i) => (false, (i, 0.0, 0.0)),
        Wide::Float(x) => (x.is_nan(), (0, x, 0.0)),
        Wide::Complex(re, im) => (re.is_nan() || im.is_nan(), (0, re, im)),
    }
}

/// The values of a fragment at a point, where accumulators and inputs have these values.
fn fragment(
    k: &Kernel,
    f: &Fragment,
    l: &Launch<'_>,
    m: &mut Memory<'_>,
    at: &[usize],
    (results, inputs): (&[Scalar], &[Scalar]),
) -> Vec<Option<Scalar>> {
    let address = |o: OperandId| {
        let offset: isize = l.strides_of(o.0 as usize).iter().zip(at).map(|(&s, &x)| s * x as isize).sum();
        (l.addresses[o.0 as usize] as usize).wrapping_add_signed(offset)
    };
    let mut values: Vec<Option<Scalar>> = vec![];
    // By loop: what it carried.
    let mut carried: Vec<(ValueId, Vec<Scalar>)> = vec![];
    for (i, inst) in f.insts.iter().enumerate() {
        let get = |v: &ValueId| values[v.0 as usize].unwrap();
        let value = match inst {
            Inst::Load(o) => Some(m.read(address(*o), f.types[i])),
            Inst::Param(p) => Some(l.scalars[p.0 as usize]),
            Inst::Const(c) => Some(*c),
            Inst::Index(axis) => Some(Scalar::new(DType::I64, at[*axis as usize] as i64)),
            Inst::Apply(op, [a, b]) => Some(apply(*op, get(a), get(b))),
            Inst::Select([c, a, b]) => Some(if get(c).truth() { get(a) } else { get(b) }),
            Inst::Fma([a, b, c]) => Some(fma(get(a), get(b), get(c))),
            Inst::Step(step, [a, b]) => Some(self::step(*step, get(a), get(b))),
            Inst::Cast(v, to) => Some(get(v).cast(*to)),
            Inst::Bits(v, to) => Some(Scalar::from_bits(*to, get(v).bits())),
            Inst::Part(v, part) => {
                let (dtype, bits) = (f.types[i], get(v).bits());
                let shift = if *part == ComplexPart::Imaginary { 8 * dtype.size() } else { 0 };
                Some(Scalar::from_bits(dtype, bits >> shift))
            }
            Inst::Complex([re, im]) => {
                let bits = get(re).bits() | get(im).bits() << (4 * f.types[i].size());
                Some(Scalar::from_bits(f.types[i], bits))
            }
            Inst::Gather(o, offset) => {
                let place = address(*o).wrapping_add_signed(get(offset).to_i64() as isize);
                Some(m.read(place, k.operands[o.0 as usize].dtype))
            }
            Inst::Store(o, v) => {
                m.write(address(*o), get(v));
                None
            }
            Inst::Scatter(o, offset, v) => {
                m.write(address(*o).wrapping_add_signed(get(offset).to_i64() as isize), get(v));
                None
            }
            Inst::Result(r) => Some(results[*r as usize]),
            Inst::Input(input) => Some(inputs[*input as usize]),
            Inst::Exit(of, input) => {
                let (_, carried) = carried.iter().find(|(known, _)| known == of).unwrap();
                Some(carried[*input as usize])
            }
            Inst::Loop(repeated) => {
                let first = repeated.inputs.iter().map(get).collect();
                let mut turn = |inputs: &[Scalar]| fragment(k, &repeated.region.body, l, m, at, (&[], inputs));
                carried.push((ValueId(i as u32), repeat(&repeated.region, first, &mut turn)));
                None
            }
        };
        values.push(value);
    }
    values
}

/// What a loop carries to its end, by its turns one after the other.
fn repeat(
    region: &Region,
    mut inputs: Vec<Scalar>,
    turn: &mut dyn FnMut(&[Scalar]) -> Vec<Option<Scalar>>,
) -> Vec<Scalar> {
    loop {
        // What stands after a condition that is false has values, too, which nothing reads.
        let values = turn(&inputs);
        let get = |v: ValueId| values[v.0 as usize].unwrap();
        if !region.conditions.iter().all(|&condition| get(condition).truth()) {
            return inputs;
        }
        inputs.splice(..region.carried(), region.next.iter().map(|&v| get(v)).collect::<Vec<_>>());
    }
}

/// One op on two values of one type, in the widest type of its kind.
pub(crate) fn apply(op: Op, a: Scalar, b: Scalar) -> Scalar {
    let dtype = a.dtype();
    let result = op.result(dtype);
    let known = match (a.wide(), b.wide()) {
        (Wide::Int(x), Wide::Int(y)) => integers(op, x, y, dtype == DType::Bool).map(|x| Scalar::new(result, Exact(x))),
        (Wide::Float(x), Wide::Float(y)) => floats(op, x, y, dtype, result),
        (Wide::Complex(..), _) => complexes(op, a, b, result),
        _ => unreachable!("both arguments have one type"),
    };
    known.unwrap_or_else(|| by_definition(op, a, b))
}

/// An op that is not evaluated here, by its row's definition: a map of one point.
fn by_definition(op: Op, a: Scalar, b: Scalar) -> Scalar {
    let result = op.result(a.dtype());
    let mut k = KernelBuilder::new(Template::Map, 1, 0);
    let args: Vec<_> = [a, b][..op.arity()].iter().map(|x| k.scalar(x.dtype())).collect();
    let out = k.operand(result, Access::Write, true);
    let args: Vec<_> = args.into_iter().map(|arg| k.body().param(arg)).collect();
    let value = k.body().apply(op, &args);
    k.body().store(out, value);
    let program = portable::Portable::new().compile(&verify(k.finish()).expect("right")).expect("every op has loops");
    let mut bits = 0u128;
    let (addresses, strides, scalars) = ([(&raw mut bits).cast()], [result.size() as isize], [a, b]);
    let (outer, scalars) = ([1], &scalars[..op.arity()]);
    let launch = Launch { outer: &outer, inner: &[], addresses: &addresses, strides: &strides, scalars };
    // SAFETY: there is room for the result of one point.
    unsafe { program.launch(&launch, &SingleThread) }.expect("the host's memory is there");
    Scalar::from_bits(result, bits)
}

/// Rounded once: `float32` too, which by way of a rounded double would be rounded twice.
fn fma(a: Scalar, b: Scalar, c: Scalar) -> Scalar {
    let narrow = |x: Scalar| f32::from_bits(x.bits() as u32);
    let wide = |x: Scalar| f64::from_bits(x.bits() as u64);
    let bits = match a.dtype() {
        DType::F32 => narrow(a).mul_add(narrow(b), narrow(c)).to_bits().into(),
        _ => wide(a).mul_add(wide(b), wide(c)).to_bits().into(),
    };
    Scalar::from_bits(a.dtype(), bits)
}

/// A step of an elementary function.
fn step(step: Primitive, a: Scalar, b: Scalar) -> Scalar {
    fn of<N: Number>(step: Primitive, [x, y]: [N; 2], word: N::Bits) -> (N, bool) {
        let number = match step {
            Primitive::Scale => x.scaled(y),
            Primitive::Bound => x.bounded(y),
            Primitive::Fraction => x.fraction(),
            Primitive::Limit => x.limited(y),
            Primitive::LogLimit => x.log_limited(y),
            Primitive::Exponent => x.exponent(),
            Primitive::Mantissa => x.mantissa(),
            Primitive::Unusual => return (x, x.is_not_positive_normal()),
            Primitive::Entry(table) => N::entry(table, word),
        };
        (number, false)
    }
    let result = step.result(a.dtype()).expect("a verified step");
    let (bits, truth) = if a.dtype().size() == 8 {
        let (x, truth) = of(step, [a, b].map(|x| f64::from_bits(x.bits() as u64)), a.bits() as u64);
        (u128::from(x.to_bits()), truth)
    } else {
        let (x, truth) = of(step, [a, b].map(|x| f32::from_bits(x.bits() as u32)), a.bits() as u32);
        (u128::from(x.to_bits()), truth)
    };
    if result == DType::Bool { Scalar::new(result, truth) } else { Scalar::from_bits(result, bits) }
}

/// An integer on its way to a scalar.
struct Exact(i128);

impl From<Exact> for Wide {
    fn from(x: Exact) -> Wide {
        Wide::Int(x.0)
    }
}

fn integers(op: Op, x: i128, y: i128, bool: bool) -> Option<i128> {
    Some(match op {
        Op::Add if bool => x | y,
        Op::Multiply if bool => x & y,
        Op::Add => x + y,
        Op::Subtract => x - y,
        Op::Multiply => x.wrapping_mul(y),
        Op::Maximum | Op::Fmax => x.max(y),
        Op::Minimum | Op::Fmin => x.min(y),
        Op::Negative => -x,
        Op::FloorDivide => {
            if y == 0 {
                0
            } else {
                x.div_euclid(y) - (y < 0 && x.rem_euclid(y) != 0) as i128
            }
        }
        Op::Remainder => {
            if y == 0 {
                0
            } else {
                x - y * (x.div_euclid(y) - (y < 0 && x.rem_euclid(y) != 0) as i128)
            }
        }
        Op::Absolute => x.abs(),
        Op::Sign => x.signum(),
        Op::BitwiseAnd => x & y,
        Op::BitwiseOr => x | y,
        Op::BitwiseXor => x ^ y,
        Op::Invert => {
            if bool {
                1 - x
            } else {
                !x
            }
        }
        Op::Less => (x < y) as i128,
        Op::Equal => (x == y) as i128,
        Op::GreaterEqual => (x >= y) as i128,
        Op::LogicalAnd => (x != 0 && y != 0) as i128,
        Op::LogicalOr => (x != 0 || y != 0) as i128,
        Op::Isnan => 0,
        _ => return None,
    })
}

fn floats(op: Op, x: f64, y: f64, dtype: DType, result: DType) -> Option<Scalar> {
    let truth = |b: bool| Some(Scalar::new(result, b));
    let narrow = dtype == DType::F32;
    // In `f64` and rounded to `f32`, these are the `f32` results.
    let value = match op {
        Op::Add => x + y,
        Op::Subtract => x - y,
        Op::Multiply => x * y,
        Op::Divide => x / y,
        Op::Sqrt => x.sqrt(),
        Op::Negative => -x,
        Op::Absolute => x.abs(),
        Op::Maximum => {
            if x.is_nan() || x > y {
                x
            } else {
                y
            }
        }
        Op::Minimum => {
            if x.is_nan() || x < y {
                x
            } else {
                y
            }
        }
        Op::Fmax => {
            if y.is_nan() || x > y {
                x
            } else {
                y
            }
        }
        Op::Fmin => {
            if y.is_nan() || x < y {
                x
            } else {
                y
            }
        }
        Op::Floor => x.floor(),
        Op::Sign => {
            if x.is_nan() {
                x
            } else {
                (x > 0.0) as i8 as f64 - (x < 0.0) as i8 as f64
            }
        }
        Op::Less => return truth(x < y),
        Op::Equal => return truth(x == y),
        Op::GreaterEqual => return truth(x >= y),
        Op::Isnan => return truth(x.is_nan()),
        Op::LogicalAnd => return truth(x != 0.0 && y != 0.0),
        Op::LogicalOr => return truth(x != 0.0 || y != 0.0),
        _ => return None,
    };
    Some(Scalar::new(result, if narrow { value as f32 as f64 } else { value }))
}

fn complexes(op: Op, a: Scalar, b: Scalar, result: DType) -> Option<Scalar> {
    let truth = |b: bool| Some(Scalar::new(result, b));
    let (x, y) = (a.to_complex(), b.to_complex());
    let nan = |z: num_complex::Complex<f64>| z.re.is_nan() || z.im.is_nan();
    let less = (x.re < y.re && !x.im.is_nan() && !y.im.is_nan()) || (x.re == y.re && x.im < y.im);
    let more = (x.re > y.re && !x.im.is_nan() && !y.im.is_nan()) || (x.re == y.re && x.im > y.im);
    let narrow = |v: f64| if a.dtype() == DType::C64 { v as f32 as f64 } else { v };
    let value = match op {
        Op::Add => x + y,
        Op::Subtract => x - y,
        Op::Multiply => num_complex::Complex::new(
            narrow(x.re * y.re) - narrow(x.im * y.im),
            narrow(x.re * y.im) + narrow(x.im * y.re),
        ),
        Op::Negative => -x,
        Op::Maximum => {
            if nan(x) || (!nan(y) && !less) {
                x
            } else {
                y
            }
        }
        Op::Minimum => {
            if nan(x) || (!nan(y) && !more) {
                x
            } else {
                y
            }
        }
        Op::Fmax => {
            if nan(y) || (!nan(x) && !less) {
                x
            } else {
                y
            }
        }
        Op::Fmin => {
            if nan(y) || (!nan(x) && !more) {
                x
            } else {
                y
            }
        }
        Op::Less => return truth(less),
        Op::Equal => return truth(x == y),
        Op::GreaterEqual => return truth(more || x == y),
        Op::Isnan => return truth(nan(x)),
        Op::LogicalAnd => return truth(a.truth() && b.truth()),
        Op::LogicalOr => return truth(a.truth() || b.truth()),
        _ => return None,
    };
    Some(Scalar::new(result, value))
}
