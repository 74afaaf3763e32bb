//! Random kernels, layouts and contents.

use super::evaluator::{Memory, evaluate};
use fastnp_codegen::*;
use std::sync::Arc;

/// A small generator (splitmix64).
pub(crate) struct Random {
    state: u64,
    /// Whether kernels get elementary functions too, which the evaluator knows to some units in the last place only.
    pub(crate) functions: bool,
    /// Whether scans get floats that round: what runs them takes a row in its order.
    in_order: bool,
}

impl Random {
    /// A generator of its own for each seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random { state: seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9, functions: false, in_order: false }
    }

    /// The same, for kernels with elementary functions.
    pub(crate) fn with_functions(seed: u64) -> Random {
        Random { functions: true, ..Random::new(seed) }
    }

    /// The same, for scans that are taken in order, too.
    pub(crate) fn in_order(self) -> Random {
        Random { in_order: true, ..self }
    }

    /// Sixty-four random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// One of some.
    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A value of a type, special ones among them. Floats are small multiples of an eighth, so that sums are exact.
    pub(crate) fn scalar(&mut self, dtype: DType) -> Scalar {
        let float = |r: &mut Random| match r.below(40) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => -0.0,
            _ => (r.below(33) as f64 - 16.0) / 8.0,
        };
        match dtype.kind() {
            Kind::Bool => Scalar::new(dtype, self.chance(50)),
            Kind::Signed | Kind::Unsigned if self.chance(50) => Scalar::new(dtype, self.below(21) as i64 - 10),
            Kind::Signed | Kind::Unsigned => Scalar::from_bits(dtype, self.bits() as u128),
            Kind::Float => Scalar::new(dtype, float(self)),
            Kind::Complex => {
                let (re, im) = (float(self), float(self));
                // Which nan a fold returns is free, so all are alike.
                let (re, im) = if re.is_nan() || im.is_nan() { (f64::NAN, f64::NAN) } else { (re, im) };
                Scalar::new(dtype, num_complex::Complex::new(re, im))
            }
        }
    }
}

const INTEGER_OPS: &[Op] = &[
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Maximum,
    Op::Minimum,
    Op::Negative,
    Op::FloorDivide,
    Op::Remainder,
    Op::Absolute,
    Op::Sign,
    Op::BitwiseAnd,
    Op::BitwiseXor,
    Op::Invert,
    Op::Less,
    Op::Equal,
    Op::Isnan,
    Op::LogicalOr,
];
const FLOAT_OPS: &[Op] = &[
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Divide,
    Op::Sqrt,
    Op::Negative,
    Op::Absolute,
    Op::Maximum,
    Op::Minimum,
    Op::Fmax,
    Op::Fmin,
    Op::Floor,
    Op::Sign,
    Op::Less,
    Op::Equal,
    Op::GreaterEqual,
    Op::Isnan,
    Op::LogicalAnd,
];
const COMPLEX_OPS: &[Op] = &[
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Negative,
    Op::Maximum,
    Op::Minimum,
    Op::Fmax,
    Op::Fmin,
    Op::Less,
    Op::Equal,
    Op::GreaterEqual,
    Op::Isnan,
    Op::LogicalAnd,
];
const BOOL_OPS: &[Op] =
    &[Op::Add, Op::Multiply, Op::BitwiseXor, Op::Invert, Op::Equal, Op::LogicalAnd, Op::Maximum, Op::Less];

/// More of them, which the evaluator does not know.
pub(crate) fn more_ops(dtype: DType) -> &'static [Op] {
    match dtype.kind() {
        Kind::Bool => &[Op::Isnan, Op::Isfinite],
        Kind::Signed | Kind::Unsigned => &[
            Op::Fmod,
            Op::FloorDivide,
            Op::Square,
            Op::LeftShift,
            Op::RightShift,
            Op::Isfinite,
            Op::BitwiseCount,
            Op::Reciprocal,
            Op::Power,
        ],
        Kind::Float => &[
            Op::FloorDivide,
            Op::Remainder,
            Op::Fmod,
            Op::Copysign,
            Op::Square,
            Op::Nextafter,
            Op::Spacing,
            Op::Ldexp,
            Op::FrexpMantissa,
            Op::FrexpExponent,
            Op::Heaviside,
            Op::Logaddexp,
            Op::Logaddexp2,
        ],
        Kind::Complex => &[
            Op::Divide,
            Op::Square,
            Op::Conjugate,
            Op::Absolute,
            Op::Reciprocal,
            Op::Rint,
            Op::Exp,
            Op::Isinf,
            Op::Isfinite,
            Op::LogicalXor,
            Op::LogicalNot,
            Op::NotEqual,
            Op::LessEqual,
        ],
    }
}

pub(crate) fn ops(dtype: DType) -> &'static [Op] {
    match dtype.kind() {
        Kind::Bool => BOOL_OPS,
        Kind::Signed | Kind::Unsigned => INTEGER_OPS,
        Kind::Float => FLOAT_OPS,
        Kind::Complex => COMPLEX_OPS,
    }
}

/// An elementary function.
pub(crate) fn function(r: &mut Random) -> Op {
    let functions: Vec<Op> = Op::ALL.iter().copied().filter(|op| op.row().elementary).collect();
    r.one(&functions)
}

/// A kernel with memory to run it on.
#[derive(Debug)]
pub(crate) struct Case {
    /// The kernel.
    pub(crate) kernel: Kernel,
    outer: Vec<usize>,
    inner: Vec<usize>,
    /// Offsets of the operands in memory.
    offsets: Vec<usize>,
    strides: Vec<isize>,
    scalars: Vec<Scalar>,
    memory: Memories,
}

/// The kernel's text, and its layout.
impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}over {:?}, folding {:?}, scalars {:?}", self.kernel, self.outer, self.inner, self.scalars)?;
        let axes = self.outer.len() + self.inner.len();
        for (i, offset) in self.offsets.iter().enumerate() {
            writeln!(f, "m{i}: at {offset}, strides {:?}", &self.strides[i * axes..][..axes])?;
        }
        Ok(())
    }
}

/// A cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
#[expect(dead_code, reason = "it is read by its address")]
struct Line([u8; LINE]);

const LINE: usize = 64;

/// Bytes, not printed, that begin with a cache line.
#[derive(Clone)]
struct Memories(Vec<Line>);

impl std::fmt::Debug for Memories {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len() * LINE)
    }
}

impl Memories {
    /// As many lines as hold these bytes.
    fn new(bytes: usize) -> Memories {
        Memories(vec![Line([0; LINE]); bytes.div_ceil(LINE)])
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the same memory as bytes.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len() * LINE) }
    }
}

/// What decides the sizes of a case.
struct Sizes {
    outer: Vec<usize>,
    inner: Vec<usize>,
    /// Whether operands are dense, or the same in all rows.
    shares_rows: bool,
}

impl Sizes {
    fn new(outer: Vec<usize>, inner: Vec<usize>) -> Sizes {
        Sizes { outer, inner, shares_rows: false }
    }
}

impl Case {
    /// A map.
    pub(crate) fn map(r: &mut Random) -> Case {
        let outer = extents(r, 4, 6000);
        Case::build(r, Template::Map, Sizes::new(outer, vec![]))
    }

    /// A reduction.
    pub(crate) fn reduce(r: &mut Random) -> Case {
        let outer = extents(r, 3, 300);
        let mut inner = extents(r, 2, 6000 / outer.iter().product::<usize>().max(1));
        if inner.is_empty() {
            inner.push(1 + r.below(if outer.is_empty() { 5000 } else { 9 }));
        }
        Case::build(r, Template::Reduce, Sizes::new(outer, inner))
    }

    /// A scan.
    pub(crate) fn scan(r: &mut Random) -> Case {
        let outer = extents(r, 3, 300);
        let inner = vec![1 + r.below(6000 / outer.iter().product::<usize>().max(1))];
        Case::build(r, Template::Scan, Sizes::new(outer, inner))
    }

    /// A map over short rows, of which some operands are the same in all.
    pub(crate) fn shared_rows(r: &mut Random) -> Case {
        let columns = 2 + r.below(80);
        let outer = vec![(4096 + r.below(6000)).div_ceil(columns), columns];
        Case::build(r, Template::Map, Sizes { shares_rows: true, ..Sizes::new(outer, vec![]) })
    }

    /// A case large enough to be divided between threads.
    pub(crate) fn large(r: &mut Random, template: Template) -> Case {
        let (a, b) = r.one(&[(3, 70_000), (500, 700), (1, 300_000), (40_000, 9)]);
        let sizes = match template {
            Template::Map => Sizes::new(vec![a, b], vec![]),
            Template::Reduce | Template::Scan => Sizes::new(vec![a], vec![b]),
        };
        Case::build(r, template, sizes)
    }

    fn build(r: &mut Random, template: Template, sizes: Sizes) -> Case {
        let mut b = Builder::new(template, &sizes);
        // Some have more operands than there are registers for their addresses.
        let count = if r.chance(10) { 20 + r.below(40) } else { 1 + r.below(12) };
        let stores = template == Template::Map || r.chance(20);
        b.fragment(r, false, count, stores);
        if template != Template::Map {
            for _ in 0..1 + r.below(2) {
                b.accumulator(r, sizes.inner.contains(&0));
            }
            let count = r.below(4);
            b.fragment(r, true, count, true);
        }
        b.finish(r, sizes)
    }

    /// A map of one axis over dense operands, of which those read have any bits.
    pub(crate) fn of_map(r: &mut Random, kernel: Kernel, points: usize) -> Case {
        let (mut offsets, mut end) = (vec![], 0);
        for operand in &kernel.operands {
            offsets.push(end);
            end += (points * operand.dtype.size()).next_multiple_of(64);
        }
        let mut memory = Memories::new(end);
        for (operand, &offset) in kernel.operands.iter().zip(&offsets).filter(|(o, _)| o.access == Access::Read) {
            let size = operand.dtype.size();
            for place in memory.bytes()[offset..][..points * size].chunks_mut(size) {
                let any = Scalar::from_bits(operand.dtype, u128::from(r.bits()) << 64 | u128::from(r.bits()));
                let value = if r.chance(50) || operand.dtype == DType::Bool { r.scalar(operand.dtype) } else { any };
                place.copy_from_slice(&value.bytes()[..size]);
            }
        }
        let strides = kernel.operands.iter().map(|operand| operand.dtype.size() as isize).collect();
        Case { kernel, outer: vec![points], inner: vec![], offsets, strides, scalars: vec![], memory }
    }

    /// Its memory as it is before.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.memory.clone().bytes().to_vec()
    }

    /// How it is launched with operands at addresses.
    pub(crate) fn launch<'a>(&'a self, addresses: &'a [*mut u8]) -> Launch<'a> {
        Launch { outer: &self.outer, inner: &self.inner, addresses, strides: &self.strides, scalars: &self.scalars }
    }

    /// Its operands' addresses in memory that begins somewhere.
    pub(crate) fn addresses(&self, start: *mut u8) -> Vec<*mut u8> {
        self.offsets.iter().map(|&o| start.wrapping_add(o)).collect()
    }

    /// Memory after the evaluator.
    pub(crate) fn expected(&self) -> Vec<u8> {
        let mut memory = self.memory.clone();
        let bytes = memory.bytes();
        let addresses = self.addresses(bytes.as_mut_ptr());
        let start = bytes.as_ptr() as usize;
        evaluate(&self.kernel, &self.launch(&addresses), &mut Memory { bytes, start });
        memory.bytes().to_vec()
    }

    /// Memory after a program, and what it reports.
    pub(crate) fn run(&self, program: &dyn Program, workers: &dyn ThreadPool) -> (Vec<u8>, RaisedFlags) {
        let mut memory = self.memory.clone();
        let addresses = self.addresses(memory.bytes().as_mut_ptr());
        // SAFETY: the case was built so that every point lies in its memory.
        let raised = unsafe { program.launch(&self.launch(&addresses), workers) }.unwrap();
        (memory.bytes().to_vec(), raised)
    }

    /// How a program runs it.
    pub(crate) fn strategy(&self, program: &dyn Program) -> &'static str {
        program.strategy(&self.launch(&self.addresses(std::ptr::null_mut())))
    }

    /// Memory after a program of a device.
    pub(crate) fn run_on(&self, device: &dyn Device, program: &dyn Program) -> Vec<u8> {
        let mut memory = self.memory.clone();
        let bytes = memory.bytes().len();
        let there = device.allocate(bytes).unwrap();
        let addresses = self.addresses(there);
        // SAFETY: as in `run`, in memory of the device that was allocated for it.
        unsafe {
            device.upload(memory.bytes().as_ptr(), there, bytes).unwrap();
            program.launch(&self.launch(&addresses), &SingleThread).unwrap();
            device.download(there, memory.bytes().as_mut_ptr(), bytes).unwrap();
            device.release(there, bytes);
        }
        memory.bytes().to_vec()
    }

    /// The first element in which two memories differ; nans are all alike, as are zeros of folds.
    pub(crate) fn difference(&self, expected: &[u8], found: &[u8]) -> Option<String> {
        if expected == found {
            return None;
        }
        for (i, o) in self.kernel.operands.iter().enumerate().filter(|(_, o)| o.access == Access::Write) {
            let size = o.dtype.size();
            for at in (self.offsets[i] % size..expected.len() - size).step_by(size) {
                if expected[at..at + size] == found[at..at + size] {
                    continue;
                }
                let read = |m: &[u8]| {
                    let mut bits = [0; 16];
                    bits[..size].copy_from_slice(&m[at..at + size]);
                    Scalar::from_bits(o.dtype, u128::from_le_bytes(bits))
                };
                let (e, f) = (read(expected), read(found));
                if self.owner(at) == Some(i) && !alike(e, f) {
                    return Some(format!("operand {i}, byte {}: expected {e:?}, found {f:?}", at - self.offsets[i]));
                }
            }
        }
        None
    }

    /// The operand whose part of memory a byte belongs to.
    fn owner(&self, at: usize) -> Option<usize> {
        let parts = |i: &usize| {
            let strides = self.strides.len() / self.offsets.len();
            let extents = self.outer.iter().chain(&self.inner);
            let (mut low, mut high) = (self.offsets[*i] as isize, self.offsets[*i] as isize);
            for (&s, &e) in self.strides[i * strides..][..strides].iter().zip(extents) {
                let reach = s * (e as isize - 1).max(0);
                if reach < 0 { low += reach } else { high += reach }
            }
            let is_scattered = |inst: &Inst| matches!(inst, Inst::Scatter(o, ..) if o.0 as usize == *i);
            let elements = if self.kernel.body.insts.iter().any(is_scattered) { 16 } else { 1 };
            (low..high + elements * self.kernel.operands[*i].dtype.size() as isize).contains(&(at as isize))
        };
        (0..self.offsets.len()).filter(|&i| self.kernel.operands[i].access == Access::Write).find(parts)
    }
}

fn alike(a: Scalar, b: Scalar) -> bool {
    let same = |x: f64, y: f64| x == y || (x.is_nan() && y.is_nan());
    match (a.wide(), b.wide()) {
        (Wide::Int(x), Wide::Int(y)) => x == y,
        (Wide::Float(x), Wide::Float(y)) => same(x, y),
        (Wide::Complex(x, u), Wide::Complex(y, v)) => same(x, y) && same(u, v),
        _ => false,
    }
}

/// Up to `rank` extents of at most `points` points, often at the bounds of blocks.
fn extents(r: &mut Random, rank: usize, points: usize) -> Vec<usize> {
    let rank = r.below(rank + 1);
    let mut left = points.max(1);
    let mut extents = vec![];
    for _ in 0..rank {
        let wish = r.one(&[1, 2, 3, 5, 8, 17, 59, 63, 64, 65, 100, 256, 511, 1000, 2048, 2049]);
        let e = if r.chance(1) { 0 } else { wish.min(left) };
        left /= e.max(1);
        extents.push(e);
    }
    for i in (1..extents.len()).rev() {
        extents.swap(i, r.below(i + 1));
    }
    extents
}

/// A case being put together.
struct Builder {
    kernel: Kernel,
    rank: usize,
    outer: usize,
    /// For a written operand, the read one whose elements it replaces.
    in_place: Vec<Option<usize>>,
    /// Whether an operand varies along outer axes only.
    outer_only: Vec<bool>,
    /// The operands that are gathered from or scattered to.
    by_offset: Vec<usize>,
    /// Those that hold offsets, and of elements of what size.
    offsets: Vec<(usize, usize)>,
}

impl Builder {
    fn new(template: Template, sizes: &Sizes) -> Builder {
        let kernel = Kernel {
            template,
            outer: sizes.outer.len() as u8,
            inner: sizes.inner.len() as u8,
            operands: vec![],
            scalars: vec![],
            body: Fragment::default(),
            accumulators: vec![],
            epilogue: Fragment::default(),
        };
        let (outer, rank) = (sizes.outer.len(), sizes.outer.len() + sizes.inner.len());
        Builder { kernel, rank, outer, in_place: vec![], outer_only: vec![], by_offset: vec![], offsets: vec![] }
    }

    fn operand(&mut self, dtype: DType, access: Access, epilogue: bool) -> OperandId {
        self.kernel.operands.push(OperandDecl { dtype, access, restrict: false, nontemporal: false });
        self.in_place.push(None);
        self.outer_only.push(epilogue && self.kernel.template == Template::Reduce);
        OperandId(self.kernel.operands.len() as u16 - 1)
    }

    fn push(&mut self, epilogue: bool, inst: Inst, dtype: DType) -> ValueId {
        let f = if epilogue { &mut self.kernel.epilogue } else { &mut self.kernel.body };
        f.insts.push(inst);
        f.types.push(dtype);
        ValueId(f.insts.len() as u32 - 1)
    }

    /// A value of a type: an old one, converted if need be, or a new load, parameter, constant or coordinate.
    fn value(&mut self, r: &mut Random, epilogue: bool, dtype: DType) -> ValueId {
        let f = if epilogue { &self.kernel.epilogue } else { &self.kernel.body };
        let old: Vec<u32> = (0..f.insts.len() as u32)
            .filter(|&i| !matches!(f.insts[i as usize], Inst::Store(..) | Inst::Scatter(..) | Inst::Loop(_)))
            .collect();
        if !old.is_empty() && r.chance(65) {
            let v = ValueId(r.one(&old));
            let from = f.dtype(v);
            if from == dtype {
                return v;
            }
            return self.push(epilogue, Inst::Cast(v, dtype), dtype);
        }
        let axes = if epilogue && self.kernel.template == Template::Reduce { self.outer } else { self.rank };
        match r.below(10) {
            0 => {
                self.kernel.scalars.push(dtype);
                let p = ScalarId(self.kernel.scalars.len() as u16 - 1);
                self.push(epilogue, Inst::Param(p), dtype)
            }
            1 => self.push(epilogue, Inst::Const(r.scalar(dtype)), dtype),
            2 if axes > 0 && dtype == DType::I64 => self.push(epilogue, Inst::Index(r.below(axes) as u8), dtype),
            3 => self.gather(r, epilogue, dtype),
            _ => {
                let o = self.operand(dtype, Access::Read, epilogue);
                self.push(epilogue, Inst::Load(o), dtype)
            }
        }
    }

    /// A gather of one of the sixteen elements at an operand's address.
    fn gather(&mut self, r: &mut Random, epilogue: bool, dtype: DType) -> ValueId {
        let offset = self.offset(r, epilogue, dtype);
        let o = self.operand(dtype, Access::Read, epilogue);
        self.by_offset.push(o.0 as usize);
        self.push(epilogue, Inst::Gather(o, offset), dtype)
    }

    /// The offset of one of sixteen elements, loaded or computed.
    fn offset(&mut self, r: &mut Random, epilogue: bool, dtype: DType) -> ValueId {
        if r.chance(50) {
            let o = self.operand(DType::I64, Access::Read, epilogue);
            self.offsets.push((o.0 as usize, dtype.size()));
            return self.push(epilogue, Inst::Load(o), DType::I64);
        }
        let any = self.value(r, epilogue, DType::I64);
        let mask = self.push(epilogue, Inst::Const(Scalar::new(DType::I64, 15i64)), DType::I64);
        let small = self.push(epilogue, Inst::Apply(Op::BitwiseAnd, [any, mask]), DType::I64);
        let size = self.push(epilogue, Inst::Const(Scalar::new(DType::I64, dtype.size() as i64)), DType::I64);
        self.push(epilogue, Inst::Apply(Op::Multiply, [small, size]), DType::I64)
    }

    /// A scatter to one of the sixteen elements at an operand's address.
    fn scatter(&mut self, r: &mut Random, v: ValueId) {
        let dtype = self.kernel.body.dtype(v);
        let offset = self.offset(r, false, dtype);
        let o = self.operand(dtype, Access::Write, false);
        self.kernel.operands[o.0 as usize].restrict = r.chance(70);
        self.by_offset.push(o.0 as usize);
        self.push(false, Inst::Scatter(o, offset, v), dtype);
    }

    fn fragment(&mut self, r: &mut Random, epilogue: bool, count: usize, stores: bool) {
        if epilogue {
            for i in 0..self.kernel.accumulators.len() {
                let dtype = self.kernel.result_dtype(i);
                self.push(true, Inst::Result(i as u8), dtype);
            }
        }
        let types: Vec<DType> = (0..2).map(|_| r.one(&DType::ALL)).collect();
        let mut last = self.value(r, epilogue, types[0]);
        let looped = r.chance(15).then(|| r.below(count + 1));
        for number in 0..count {
            let dtype = r.one(&types);
            if looped == Some(number) {
                last = self.repeat(r, epilogue, &types);
                continue;
            }
            let a = self.value(r, epilogue, dtype);
            let b = self.value(r, epilogue, dtype);
            last = if dtype == DType::F16 || r.chance(10) {
                let c = self.value(r, epilogue, DType::Bool);
                self.push(epilogue, Inst::Select([c, a, b]), dtype)
            } else if matches!(dtype, DType::F32 | DType::F64) && r.chance(10) {
                let c = self.value(r, epilogue, dtype);
                self.push(epilogue, Inst::Fma([a, b, c]), dtype)
            } else {
                let op = match r.functions && r.chance(25) {
                    true if dtype.is_float() && r.chance(60) => function(r),
                    true => r.one(more_ops(dtype)),
                    false => r.one(ops(dtype)),
                };
                self.push(epilogue, Inst::Apply(op, [a, if op.arity() == 1 { a } else { b }]), op.result(dtype))
            };
        }
        if stores {
            self.store(r, epilogue, last);
            if r.chance(30) {
                let f = if epilogue { &self.kernel.epilogue } else { &self.kernel.body };
                let dtype = f.dtype(last);
                let v = self.value(r, epilogue, dtype);
                self.store(r, epilogue, v);
            }
        }
        if epilogue {
            for i in 0..self.kernel.accumulators.len() {
                self.store(r, true, ValueId(i as u32));
            }
        }
    }

    /// A loop of as many turns as the lowest bits of a value say, or fewer. Returns one of its exits.
    fn repeat(&mut self, r: &mut Random, epilogue: bool, types: &[DType]) -> ValueId {
        let is_in_regions = |dtype: &DType| !dtype.is_complex() && *dtype != DType::F16;
        let mut known: Vec<DType> = types.iter().copied().filter(is_in_regions).collect();
        known.push(DType::Bool);
        let counter = r.one(&[DType::I64, DType::I64, DType::I32, DType::I16, DType::I8]);
        let (carried, count) = (1 + r.below(4), r.below(4));
        let mut inputs: Vec<DType> = (0..carried + count).map(|_| r.one(&known)).collect();
        inputs.insert(0, counter);
        let region = super::random_regions::region(r, inputs, 1 + carried);
        let mut first: Vec<ValueId> = region.inputs[1..].iter().map(|&dtype| self.value(r, epilogue, dtype)).collect();
        let any = self.value(r, epilogue, counter);
        let mask = self.push(epilogue, Inst::Const(Scalar::new(counter, r.one(&[1i64, 3, 15]))), counter);
        first.insert(0, self.push(epilogue, Inst::Apply(Op::BitwiseAnd, [any, mask]), counter));
        let repeated = Loop { region: Arc::new(region), inputs: first };
        let types = repeated.region.inputs.clone();
        let of = self.push(epilogue, Inst::Loop(Box::new(repeated)), types[0]);
        let mut exits: Vec<ValueId> = vec![];
        for (number, &dtype) in types[..1 + carried].iter().enumerate() {
            if r.chance(80) {
                exits.push(self.push(epilogue, Inst::Exit(of, number as u8), dtype));
            }
        }
        exits.last().copied().unwrap_or_else(|| self.push(epilogue, Inst::Exit(of, 0), types[0]))
    }

    /// Stores a value, sometimes over a loaded operand of its type, and in maps sometimes by offsets.
    fn store(&mut self, r: &mut Random, epilogue: bool, v: ValueId) {
        let scatters = self.kernel.body.insts.iter().any(|inst| matches!(inst, Inst::Scatter(..)));
        let replaces = self.in_place.iter().any(Option::is_some);
        if self.kernel.template == Template::Map && !replaces && r.chance(20) {
            return self.scatter(r, v);
        }
        let f = if epilogue { &self.kernel.epilogue } else { &self.kernel.body };
        let dtype = f.dtype(v);
        let loaded: Vec<usize> = f
            .insts
            .iter()
            .filter_map(|i| if let Inst::Load(o) = i { Some(o.0 as usize) } else { None })
            .filter(|&o| self.kernel.operands[o].dtype == dtype && !self.in_place.contains(&Some(o)))
            .filter(|&o| self.offsets.iter().all(|(offsets, _)| *offsets != o))
            .collect();
        let o = self.operand(dtype, Access::Write, epilogue);
        // A GPU runs kernels that scatter twice, so nothing they load is replaced.
        if !loaded.is_empty() && !scatters && r.chance(40) {
            self.in_place[o.0 as usize] = Some(r.one(&loaded));
        }
        self.push(epilogue, Inst::Store(o, v), dtype);
    }

    fn accumulator(&mut self, r: &mut Random, empty: bool) {
        let body = &self.kernel.body;
        let values: Vec<u32> = (0..body.insts.len() as u32)
            .filter(|&i| !matches!(body.insts[i as usize], Inst::Store(..) | Inst::Loop(_)))
            .filter(|&i| body.types[i as usize] != DType::F16)
            .collect();
        let value = if values.is_empty() {
            let o = self.operand(DType::F64, Access::Read, false);
            self.push(false, Inst::Load(o), DType::F64)
        } else {
            ValueId(r.one(&values))
        };
        let dtype = self.kernel.body.dtype(value);
        let scan = self.kernel.template == Template::Scan;
        let mut folds = match dtype.kind() {
            Kind::Bool => vec![Fold::Op(Op::LogicalAnd), Fold::Op(Op::LogicalOr), Fold::Op(Op::BitwiseXor)],
            Kind::Signed | Kind::Unsigned => {
                vec![Fold::Op(Op::Add), Fold::Op(Op::Multiply), Fold::Op(Op::BitwiseAnd), Fold::Op(Op::BitwiseXor)]
            }
            Kind::Float if scan && r.in_order => vec![Fold::Op(Op::Add), Fold::Op(Op::Multiply)],
            // Sums of loaded values are exact; of others, they would depend on the order.
            Kind::Float | Kind::Complex if matches!(self.kernel.body.insts[value.0 as usize], Inst::Load(_)) => {
                vec![Fold::Op(Op::Add)]
            }
            Kind::Float | Kind::Complex if empty || scan => return,
            Kind::Float | Kind::Complex => vec![],
        };
        if !empty {
            if dtype != DType::Bool
                && (!dtype.is_complex() || matches!(self.kernel.body.insts[value.0 as usize], Inst::Load(_)))
            {
                folds.extend([Op::Minimum, Op::Maximum, Op::Fmin, Op::Fmax].map(Fold::Op));
            }
            if !scan {
                folds.extend([Fold::ArgMin, Fold::ArgMax]);
            }
        }
        self.kernel.accumulators.push(Accumulator { fold: r.one(&folds), value });
    }

    /// Lays the operands out and fills memory.
    fn finish(mut self, r: &mut Random, sizes: Sizes) -> Case {
        let extents: Vec<usize> = [&sizes.outer[..], &sizes.inner[..]].concat();
        let (mut offsets, mut strides, mut spans, mut end) = (vec![], vec![], vec![], 64);
        for operand in self.kernel.operands.iter_mut().filter(|operand| operand.access == Access::Write) {
            operand.nontemporal = r.chance(20);
        }
        for (i, o) in self.kernel.operands.iter().enumerate() {
            let write = o.access == Access::Write;
            let mine = if self.outer_only[i] { self.outer } else { self.rank };
            let mut s = match self.in_place[i] {
                Some(_) => vec![0; self.rank],
                None if self.by_offset.contains(&i) && r.chance(70) => vec![0; self.rank],
                None if sizes.shares_rows => {
                    shared_rows(r, &extents, o.dtype.size(), write || self.in_place.contains(&Some(i)))
                }
                None => {
                    layout(r, &extents[..mine], o.dtype.size(), write || self.in_place.contains(&Some(i)), self.rank)
                }
            };
            // Non-temporal stores are for rows that begin with cache lines.
            let in_lines = o.nontemporal && r.chance(70);
            if in_lines {
                let dense = o.dtype.size() as isize;
                s.iter_mut().filter(|s| **s != dense).for_each(|s| *s *= (LINE / o.dtype.size()) as isize);
            }
            let (mut low, mut high) = (0, o.dtype.size() as isize * 17);
            for (&s, &e) in s.iter().zip(&extents) {
                let reach = s * (e as isize - 1).max(0);
                if reach < 0 { low += reach } else { high += reach }
            }
            let offset = (end - low) as usize;
            let offset = match in_lines {
                true => offset.next_multiple_of(LINE),
                false => offset.next_multiple_of(o.dtype.size()) + 16 * (offset % 3),
            };
            let in_place = self.in_place[i];
            offsets.push(in_place.map_or(offset, |from| offsets[from]));
            let same = in_place.map(|from| strides[from * self.rank..][..self.rank].to_vec());
            strides.extend(same.unwrap_or(s));
            spans.push(((offset as isize + low) as usize, (offset as isize + high) as usize));
            end = offset as isize + high + 64;
        }
        let mut memory = Memories::new(end as usize + 2 * LINE);
        let mut case_bytes = memory.bytes().to_vec();
        for (i, (o, &(low, high))) in self.kernel.operands.iter().zip(&spans).enumerate() {
            if o.access == Access::Write {
                continue;
            }
            let (size, of) = (o.dtype.size(), self.offsets.iter().find(|(operand, _)| *operand == i));
            for place in (low..=high - size).step_by(size) {
                let value = match of {
                    Some((_, element)) => Scalar::new(o.dtype, (r.below(16) * element) as i64),
                    None => r.scalar(o.dtype),
                };
                case_bytes[place..place + size].copy_from_slice(&value.bytes()[..size]);
            }
        }
        memory.bytes().copy_from_slice(&case_bytes);
        let scalars = self.kernel.scalars.iter().map(|&d| r.scalar(d)).collect();
        Case { kernel: self.kernel, outer: sizes.outer, inner: sizes.inner, offsets, strides, scalars, memory }
    }
}

/// Strides of what is dense, or of rows that are the same for all points of other axes unless `distinct`.
fn shared_rows(r: &mut Random, extents: &[usize], size: usize, distinct: bool) -> Vec<isize> {
    let mut strides = vec![0; extents.len()];
    if distinct || r.chance(40) {
        let mut step = size as isize;
        for (stride, &extent) in strides.iter_mut().zip(extents).rev() {
            *stride = step;
            step *= extent as isize;
        }
    } else if let Some(last) = strides.last_mut() {
        *last = r.one(&[1, 1, 1, 2, -1, 0]) * size as isize;
    }
    strides
}

/// Strides over some extents, then zeros up to `rank`: any order of axes, gaps, negative, and zero unless `distinct`.
fn layout(r: &mut Random, extents: &[usize], size: usize, distinct: bool, rank: usize) -> Vec<isize> {
    let mut order: Vec<usize> = (0..extents.len()).rev().collect();
    if r.chance(30) {
        for i in (1..order.len()).rev() {
            order.swap(i, r.below(i + 1));
        }
    }
    let mut strides = vec![0; rank];
    let mut step = size as isize * if r.chance(20) { r.one(&[2, 3]) } else { 1 };
    for axis in order {
        strides[axis] = if r.chance(10) { -step } else { step };
        step *= extents[axis].max(1) as isize;
        if r.chance(10) {
            step += size as isize * 2;
        }
        if !distinct && r.chance(15) {
            strides[axis] = 0;
        }
    }
    strides
}
