//! Elementary functions written out, against the same functions as the portable backend computes them.
//!
//! At every instruction set that fuses, the kernel written out gives the bits of the kernel as it was, and its mask is the
//! function's own question for odd arguments; what stands for the slow form in other lanes does not matter. In the version for special
//! arguments these have the values and the flags of the slow form. Ops that are decomposed
//! besides have the bits and the flags of the portable loops at every argument, and a mask where those raise a flag or compute more.

use fastnp_codegen::math::*;
use fastnp_codegen::portable::Portable;
use fastnp_codegen::*;
use std::sync::Arc;

/// A float as the tests make and compare it.
trait Float: Number {
    const DTYPE: DType;
    fn from_random(bits: u64) -> Self;
    fn same_bits(self) -> u64;
    fn nan() -> Scalar;
}

impl Float for f64 {
    const DTYPE: DType = DType::F64;
    fn from_random(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn same_bits(self) -> u64 {
        self.to_bits()
    }
    fn nan() -> Scalar {
        Scalar::new(DType::F64, f64::NAN)
    }
}

impl Float for f32 {
    const DTYPE: DType = DType::F32;
    fn from_random(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    fn same_bits(self) -> u64 {
        self.to_bits().into()
    }
    fn nan() -> Scalar {
        Scalar::new(DType::F32, f64::NAN)
    }
}

fn one<F: Unary<N>, N: Number>(_: F, x: N, _: N, version: Version) -> bool {
    F::needs_slow_path(x) && !(version == Version::Special && F::is_special(x))
}

fn two<F: Binary<N>, N: Number>(_: F, x: N, y: N, version: Version) -> bool {
    F::needs_slow_path(x, y) && !(version == Version::Special && F::is_special(x, y))
}

macro_rules! questions {
    ($($Op:ident $name:literal $args:tt $loops:literal -> $result:ident,
       $fx:ident $(| $fx2:ident)*, $domain:ident, $cost:literal, $doc:literal
       { $($class:ident: $body:expr;)* })*) => {
        /// The function's own answer.
        fn needs_slow_path<N: Number>(op: Op, x: N, y: N, version: Version) -> bool {
            match op {
                $(Op::$Op => false $(| questions!(@class $class $args $body, x, y, version))*,)*
            }
        }
    };
    (@class elementary ($a:ident) $body:expr, $x:ident, $y:ident, $version:ident) => { one($body, $x, $y, $version) };
    (@class elementary ($a:ident, $b:ident) $body:expr, $x:ident, $y:ident, $version:ident) => {
        two($body, $x, $y, $version)
    };
    (@class $class:ident $args:tt $body:expr, $x:ident, $y:ident, $version:ident) => { false };
}

for_each_op!(questions);

const VERSIONS: [Version; 2] = [Version::Common, Version::Special];

/// The levels that fuse, on which alone functions have the bits of their expansions.
fn fusing() -> Vec<Portable> {
    #[cfg(target_arch = "x86_64")]
    return Portable::every_level().split_off(1);
    #[cfg(not(target_arch = "x86_64"))]
    return vec![];
}

fn elementary() -> impl Iterator<Item = Op> {
    Op::ALL.iter().copied().filter(|op| op.row().elementary)
}

/// `store(op(load, load))`.
fn kernel_of(op: Op, dtype: DType) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from: Vec<_> = (0..2).map(|_| kernel.operand(dtype, Access::Read, true)).collect();
    let to = kernel.operand(op.result(dtype), Access::Write, true);
    let mut body = kernel.body();
    let args: Vec<_> = from[..op.arity()].iter().map(|&m| body.load(m)).collect();
    let value = body.apply(op, &args);
    body.store(to, value);
    kernel.finish()
}

/// The kernel written out, with a literal for what is wanted seldom, and the mask as one more result.
fn without_slow(op: Op, dtype: DType, literal: Scalar, version: Version) -> Kernel {
    let Expanded { mut kernel, body, .. } = expand_as(&kernel_of(op, dtype), version);
    kernel.operands.push(OperandDecl { dtype: DType::Bool, access: Access::Write, restrict: true, nontemporal: false });
    let mask = match body.slow_paths[..] {
        [odd] => {
            assert!(odd.mask < odd.value);
            kernel.body.insts[odd.value.0 as usize] = Inst::Const(literal);
            odd.mask
        }
        [] => {
            kernel.body.insts.push(Inst::Const(Scalar::new(DType::Bool, false)));
            kernel.body.types.push(DType::Bool);
            ValueId(kernel.body.insts.len() as u32 - 1)
        }
        _ => panic!("{op} is one function"),
    };
    kernel.body.insts.push(Inst::Store(OperandId(3), mask));
    kernel.body.types.push(DType::Bool);
    kernel
}

/// A kernel of two columns, compiled.
struct Compiled {
    program: Arc<dyn Program>,
    operands: Vec<OperandDecl>,
}

impl Compiled {
    fn new(backend: &Portable, kernel: &Kernel) -> Compiled {
        let program = backend.compile(&verify(kernel.clone()).unwrap()).unwrap();
        Compiled { program, operands: kernel.operands.clone() }
    }
}

/// The results of a kernel, its masks, and what it raised.
fn run<N: Float>(kernel: &Compiled, x: &[N], y: &[N]) -> (Vec<N>, Vec<bool>, FpFlags) {
    let n = x.len();
    let (mut out, mut mask) = (vec![N::of(0.0); n], vec![false; n]);
    let addresses = [
        x.as_ptr().cast_mut().cast(),
        y.as_ptr().cast_mut().cast(),
        out.as_mut_ptr().cast(),
        mask.as_mut_ptr().cast::<u8>(),
    ];
    let operands = kernel.operands.len();
    let size = size_of::<N>() as isize;
    let strides = [size, size, size, 1];
    let launch = Launch {
        outer: &[n],
        inner: &[],
        addresses: &addresses[..operands],
        strides: &strides[..operands],
        scalars: &[],
    };
    // SAFETY: vectors of `n` elements, apart from each other; a bool is written as 0 or 1.
    let raised = unsafe { kernel.program.launch(&launch, &SingleThread) }.unwrap();
    (out, mask, raised.iter().fold(FpFlags::NONE, |all, r| all | r.2))
}

/// Numbers of every kind.
#[rustfmt::skip]
fn kinds<N: Number>() -> Vec<N> {
    let positive = [
        0.0, 5e-324, 1e-310, 2.3e-308, 1e-300, 1e-160, 1e-45, 1e-39, 1.2e-38, 1e-20, 1e-9, 1e-5, 0.1, 0.25, 0.4142,
        0.4143, 0.5, 0.6, 0.75, 1.0 - 1e-16, 1.0, 1.0 + 1e-15, 1.5, 2.0, 2.414, 2.415, 3.0, 7.0, 21.9, 22.1, 50.0,
        88.8, 89.5, 127.9, 128.0, 129.5, 150.0, 300.0, 708.0, 709.7, 709.8, 710.4, 710.5, 1000.0, 1023.9, 1024.0,
        1074.5, 1080.0, 65_536.0, 65_537.0, 1_048_576.0, 1_048_577.0, 1e6, 2e6, 1e9, 2e10, 1e15, 1e16, 3e18, 3.4e38,
        1e39, 1e100, 1e151, 1e200, 1e300, 1.7e308, f64::INFINITY, f64::NAN,
    ];
    positive.iter().flat_map(|&x| [N::of(x), N::of(-x)]).collect()
}

/// Every pair of kinds, so many random bits, and dense ranges.
fn arguments<N: Float>(arity: usize, random: i32) -> (Vec<N>, Vec<N>) {
    let kinds = kinds::<N>();
    let seconds = if arity == 1 { &kinds[..1] } else { &kinds[..] };
    let (mut x, mut y) = (vec![], vec![]);
    for &a in &kinds {
        for &b in seconds {
            x.push(a);
            y.push(b);
        }
    }
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut bits = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for i in 0..random {
        x.push(N::from_random(bits()));
        y.push(if i % 2 == 0 { N::from_random(bits()) } else { N::of(f64::from(i % 97) * 0.25 - 12.0) });
        let dense = f64::from(2 * i - random) / f64::from(random);
        for scale in [1.0, 30.0, 800.0] {
            x.push(N::of(dense * scale));
            y.push(N::of(f64::from(i % 89) * 0.125 - 5.0));
        }
    }
    (x, y)
}

fn agree<N: Float>(op: Op, version: Version) {
    // Special arguments are all kinds.
    let (x, y) = arguments::<N>(op.arity(), if version == Version::Special { 1000 } else { 20_000 });
    let (plain, fast) = (kernel_of(op, N::DTYPE), without_slow(op, N::DTYPE, N::nan(), version));
    let whole = expand_as(&plain, version).kernel;
    for backend in fusing() {
        let [plain, whole, fast] = [&plain, &whole, &fast].map(|kernel| Compiled::new(&backend, kernel));
        let (wanted, ..) = run(&plain, &x, &y);
        let (found, ..) = run(&whole, &x, &y);
        let (ordinary, mask, _) = run(&fast, &x, &y);
        for i in 0..x.len() {
            let what = || format!("{op}({:e}, {:e}) {} {backend:?}", x[i].wide(), y[i].wide(), N::DTYPE);
            assert_eq!(mask[i], needs_slow_path(op, x[i], y[i], version), "{}", what());
            // The fast path alone is right in the lanes that do not need the slow path.
            let fast = (!mask[i]).then_some(("fast", ordinary[i]));
            for (name, value) in fast.into_iter().chain([("whole", found[i])]) {
                let same = value.same_bits() == wanted[i].same_bits()
                    || (mask[i] || version == Version::Special) && value.wide().is_nan() && wanted[i].wide().is_nan();
                assert!(same, "{name}: {}: {:e}, not {:e}", what(), value.wide(), wanted[i].wide());
            }
        }
    }
}

#[test]
fn expansions_have_the_bits_of_the_functions() {
    for (op, version) in elementary().flat_map(|op| VERSIONS.map(|version| (op, version))) {
        agree::<f64>(op, version);
        agree::<f32>(op, version);
    }
}

#[test]
fn expansions_have_the_same_bits_where_nothing_fuses() {
    let Some(fusing) = fusing().pop() else { return };
    for op in elementary() {
        let (x, y) = arguments::<f64>(op.arity(), 20_000);
        let kernel = without_slow(op, DType::F64, f64::nan(), Version::Common);
        let (found, mask, _) = run(&Compiled::new(&Portable::every_level()[0], &kernel), &x, &y);
        let (wanted, ..) = run(&Compiled::new(&fusing, &kernel), &x, &y);
        for i in (0..x.len()).filter(|&i| !mask[i]) {
            assert_eq!(found[i].to_bits(), wanted[i].to_bits(), "{op}({:e}, {:e})", x[i], y[i]);
        }
    }
}

fn flags_agree<N: Float>(op: Op, version: Version) {
    let kinds = kinds::<N>();
    let seconds = if op.arity() == 1 { &kinds[..1] } else { &kinds[..] };
    let (plain, fast) = (kernel_of(op, N::DTYPE), without_slow(op, N::DTYPE, N::nan(), version));
    // Flags that the table does not name for an op are not reported.
    let mut reported = op.effects(N::DTYPE);
    if version == Version::Special {
        // It is for launches that do not report underflow.
        reported.0 &= !FpFlags::UNDERFLOW.0;
    }
    let named = |flags: FpFlags| FpFlags(flags.0 & reported.0);
    let Some(backend) = fusing().pop() else { return };
    let [plain, fast] = [plain, fast].map(|kernel| Compiled::new(&backend, &kernel));
    for &x in &kinds {
        for &y in seconds {
            let (_, _, wanted) = run(&plain, &[x], &[y]);
            let (_, mask, found) = run(&fast, &[x], &[y]);
            let (wanted, found) = (named(wanted), named(found));
            let what = format!("{op}({:e}, {:e}) {}: {found:?}, not {wanted:?}", x.wide(), y.wide(), N::DTYPE);
            assert!(if mask[0] { found == FpFlags::NONE } else { found == wanted }, "{what}");
        }
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn expansions_raise_the_flags_of_the_functions() {
    for (op, version) in elementary().flat_map(|op| VERSIONS.map(|version| (op, version))) {
        flags_agree::<f64>(op, version);
        flags_agree::<f32>(op, version);
    }
}

/// Real types in which an op that is no elementary function is decomposed.
fn others() -> Vec<(Op, DType)> {
    let is_other = |&(op, dtype): &(Op, DType)| {
        let is_elementary = op.row().elementary && dtype.is_float();
        let plain = || kernel_of(op, dtype);
        op.has_loop(dtype)
            && dtype != DType::F16
            && !dtype.is_complex()
            && !is_elementary
            && expand(&plain()).kernel != plain()
    };
    Op::ALL.iter().flat_map(|&op| DType::ALL.map(|dtype| (op, dtype))).filter(is_other).collect()
}

/// Elements of a type: of every kind, and their neighbours.
fn elements(dtype: DType) -> Vec<Scalar> {
    match dtype {
        DType::F32 | DType::F64 => {
            let near = |x: f64| {
                let bits = Scalar::new(dtype, x).bits();
                [bits.saturating_sub(1), bits, bits + 1].map(|bits| Scalar::from_bits(dtype, bits))
            };
            let least = if dtype == DType::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
            let most = if dtype == DType::F32 { f64::from(f32::MAX) } else { f64::MAX };
            kinds::<f64>().into_iter().chain([least, -least, most, -most]).flat_map(near).collect()
        }
        _ => {
            let bits = 8 * dtype.size() as u32;
            let powers = (0..bits).flat_map(|k| [-1i128, 0, 1].map(|near| (1i128 << k) + near));
            let numbers =
                powers.chain((0..70).flat_map(|i| [i, -i])).chain([0x5555_1234_abcd_9876, 0x7edc_ba98_7654_3210]);
            numbers.map(|x| Scalar::from_bits(dtype, x as u128 & (u128::MAX >> (128 - bits)))).collect()
        }
    }
}

/// The results of a kernel over columns of elements, as bits, its masks, and what it raised.
fn run_columns(kernel: &Compiled, x: &[Scalar], y: &[Scalar]) -> (Vec<u128>, Vec<bool>, FpFlags) {
    let (size, result) = (kernel.operands[0].dtype.size(), kernel.operands[2].dtype.size());
    let column = |of: &[Scalar]| of.iter().flat_map(|v| v.bytes()[..size].to_vec()).collect::<Vec<u8>>();
    let (mut x_bytes, mut y_bytes, mut out) = (column(x), column(y), vec![0u8; x.len() * result]);
    let mut mask = vec![false; x.len()];
    let addresses = [x_bytes.as_mut_ptr(), y_bytes.as_mut_ptr(), out.as_mut_ptr(), mask.as_mut_ptr().cast::<u8>()];
    let strides = [size as isize, size as isize, result as isize, 1];
    let operands = kernel.operands.len();
    let launch = Launch {
        outer: &[x.len()],
        inner: &[],
        addresses: &addresses[..operands],
        strides: &strides[..operands],
        scalars: &[],
    };
    // SAFETY: columns of as many elements, apart from each other; a bool is written as 0 or 1.
    let raised = unsafe { kernel.program.launch(&launch, &SingleThread) }.unwrap();
    let bits = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte));
    (out.chunks(result).map(bits).collect(), mask, raised.iter().fold(FpFlags::NONE, |all, r| all | r.2))
}

#[test]
#[cfg(target_arch = "x86_64")]
fn other_decompositions_have_the_bits_and_flags_of_the_loops() {
    let all = others();
    let by_bits =
        [Op::Nextafter, Op::Spacing, Op::Ldexp, Op::FrexpMantissa, Op::FrexpExponent, Op::Heaviside, Op::BitwiseCount];
    for op in by_bits.into_iter().chain([Op::Reciprocal, Op::Power, Op::Remainder]) {
        assert!(all.iter().any(|&(other, _)| other == op), "{op}");
    }
    for (op, dtype) in all {
        let elements = elements(dtype);
        let result = op.result(dtype);
        let (plain, fast) = (kernel_of(op, dtype), without_slow(op, dtype, Scalar::zero(result), Version::Common));
        let whole = expand(&plain).kernel;
        let [plain, whole, fast] = [plain, whole, fast].map(|kernel| Compiled::new(&Portable::new(), &kernel));
        let named = |flags: FpFlags| FpFlags(flags.0 & op.effects(dtype).0);
        let is_nan = |bits| Scalar::from_bits(result, bits).to_f64().is_nan();
        for (i, &x) in elements.iter().enumerate() {
            let seconds = if op.arity() == 1 { vec![x] } else { elements.clone() };
            let firsts = vec![x; seconds.len()];
            let (wanted, ..) = run_columns(&plain, &firsts, &seconds);
            let (found, ..) = run_columns(&whole, &firsts, &seconds);
            let (ordinary, mask, _) = run_columns(&fast, &firsts, &seconds);
            for (j, &y) in seconds.iter().enumerate() {
                let what = || format!("{op}({x:?}, {y:?}) {dtype}");
                let same = |bits| bits == wanted[j] || is_nan(bits) && is_nan(wanted[j]);
                assert!(same(found[j]), "{}", what());
                assert!(mask[j] || same(ordinary[j]), "{}", what());
                if (i * seconds.len() + j) % 3 == 0 {
                    let (_, _, wanted) = run_columns(&plain, &[x], &[y]);
                    let (_, _, found) = run_columns(&fast, &[x], &[y]);
                    let right = if mask[j] { FpFlags::NONE } else { named(wanted) };
                    // Divisions divide in those lanes too.
                    let is_ignored = mask[j] && matches!(op, Op::FloorDivide | Op::Remainder | Op::Fmod);
                    assert!(is_ignored || named(found) == right, "{}: {found:?}, not {right:?}", what());
                }
            }
        }
    }
}

#[test]
fn expanding_twice_is_expanding_once() {
    let others = others().into_iter();
    for (op, dtypes) in
        elementary().map(|op| (op, vec![DType::F64, DType::F32])).chain(others.map(|(op, d)| (op, vec![d])))
    {
        for dtype in dtypes {
            let once = expand(&kernel_of(op, dtype));
            verify(once.kernel.clone()).unwrap();
            let twice = expand(&once.kernel);
            assert_eq!(twice.kernel.to_string(), once.kernel.to_string(), "{op}");
            assert_eq!(twice.body.slow_paths, once.body.slow_paths, "{op}");
        }
    }
}

#[test]
fn other_kernels_come_back_as_they_were() {
    // Neither dropped nor merged: that is the kernel builder's task.
    let text = "kernel reduce(outer 1, inner 1) {\n    m0: read f64\n    m1: write f64\n    m2: read i64\nbody:\n    \
                v0: f64 = load m0\n    v1: f64 = load m0\n    v2: f64 = sqrt v1\n    v3: i64 = load m2\n    \
                v4: i64 = gcd v3, v3\nfold:\n    a0 = add v2\nepilogue:\n    w0: f64 = result a0\n    store m1, w0: f64\n}\n";
    let kernel: Kernel = text.parse().unwrap();
    let expanded = expand(&kernel);
    assert_eq!(expanded.kernel, kernel);
    assert_eq!(expanded.body, Provenance { slow_paths: vec![], origin: (0..5).collect(), regions: vec![] });
}

#[test]
fn functions_of_one_argument_share_what_they_can() {
    let length = |ops: &[Op]| {
        let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
        let from = kernel.operand(DType::F64, Access::Read, true);
        for &op in ops {
            let to = kernel.operand(DType::F64, Access::Write, true);
            let x = kernel.body().load(from);
            let y = kernel.body().apply(op, &[x]);
            kernel.body().store(to, y);
        }
        expand(&kernel.finish()).kernel.body.insts.len()
    };
    let (sin, both) = (length(&[Op::Sin]), length(&[Op::Sin, Op::Cos]));
    assert!(both < sin + 14, "{both} instructions for both, {sin} for the sine alone");
}

#[test]
fn functions_of_functions_are_written_out() {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from = [0, 1].map(|_| kernel.operand(DType::F64, Access::Read, true));
    let to = kernel.operand(DType::F64, Access::Write, true);
    let mut body = kernel.body();
    let [x, y] = from.map(|m| body.load(m));
    let (sin, cos) = (body.apply(Op::Sin, &[x]), body.apply(Op::Cos, &[x]));
    let power = body.apply(Op::Power, &[y, sin]);
    let log = body.apply(Op::Log, &[cos]);
    let hypot = body.apply(Op::Hypot, &[power, log]);
    // A choice by a function's own mask, whose slow form must stay within it.
    let no_number = body.apply(Op::Isnan, &[y]);
    let sinh = body.apply(Op::Sinh, &[y]);
    let chosen = body.select(no_number, sinh, hypot);
    body.store(to, chosen);
    let kernel = kernel.finish();
    let once = expand(&kernel);
    let twice = expand(&once.kernel);
    assert_eq!((&twice.kernel, &twice.body.slow_paths), (&once.kernel, &once.body.slow_paths));
    let slow = |op| {
        once.body
            .slow_paths
            .iter()
            .any(|o| matches!(once.kernel.body.insts[o.value.0 as usize], Inst::Apply(a, _) if a == op))
    };
    assert!([Op::Sin, Op::Cos, Op::Power, Op::Log, Op::Hypot, Op::Sinh].into_iter().all(slow));
    let (x, y) = arguments::<f64>(2, 20_000);
    for backend in fusing() {
        let (wanted, ..) = run(&Compiled::new(&backend, &kernel), &x, &y);
        let (found, ..) = run(&Compiled::new(&backend, &once.kernel), &x, &y);
        for i in 0..x.len() {
            let same = wanted[i].to_bits() == found[i].to_bits() || wanted[i].is_nan() && found[i].is_nan();
            assert!(same, "({:e}, {:e}): {:e}, not {:e}", x[i], y[i], found[i], wanted[i]);
        }
    }
}

#[test]
fn accumulators_and_origins_follow() {
    let mut kernel = KernelBuilder::new(Template::Reduce, 0, 1);
    let from = kernel.operand(DType::F64, Access::Read, true);
    let to = kernel.operand(DType::F64, Access::Write, true);
    let x = kernel.body().load(from);
    let e = kernel.body().apply(Op::Sinh, &[x]);
    let square = kernel.body().apply(Op::Square, &[e]);
    let sum = kernel.accumulate(Fold::Op(Op::Add), square);
    let mut epilogue = kernel.epilogue();
    let sum = epilogue.result(sum);
    let log = epilogue.apply(Op::Log, &[sum]);
    epilogue.store(to, log);
    let kernel = kernel.finish();
    let Expanded { kernel: expanded, body, epilogue } = expand(&kernel);
    let expanded = verify(expanded).unwrap();
    let at = expanded.accumulators[0].value.0 as usize;
    assert!(matches!(expanded.body.insts[at], Inst::Apply(Op::Square, _)));
    assert_eq!((body.origin.len(), body.origin[0], body.origin[at]), (expanded.body.insts.len(), 0, 2));
    assert!(body.origin[1..at].iter().all(|&number| number == 1));
    assert_eq!((body.slow_paths.len(), epilogue.slow_paths.len()), (1, 1));
    for backend in fusing() {
        let (x, mut found) = ([0.5f64, 1.25, -3.0, f64::NEG_INFINITY, 2.0], [0.0f64; 2]);
        for (kernel, out) in [verify(kernel.clone()).unwrap(), expanded.clone()].iter().zip(&mut found) {
            let addresses = [x.as_ptr().cast_mut().cast(), (out as *mut f64).cast()];
            let launch = Launch { outer: &[], inner: &[5], addresses: &addresses, strides: &[8, 0], scalars: &[] };
            // SAFETY: five numbers to one.
            unsafe { backend.compile(kernel).unwrap().launch(&launch, &SingleThread) }.unwrap();
        }
        assert_eq!(found[0].to_bits(), found[1].to_bits());
    }
}
