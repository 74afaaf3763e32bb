//! The op table's own rules, and random kernels made of its ops: they verify, and their text gives them back.

use fastnp_codegen::{
    Access, DType, Fold, Fragment, FragmentBuilder, Inst, Kernel, KernelBuilder, Op, OperandId, ResultRule, Scalar,
    ScalarId, Template, ValueId, expand, verify,
};
use std::collections::HashSet;

// --- the table

#[test]
fn names_are_unique_and_found_again() {
    let names: HashSet<_> = Op::ALL.iter().map(|op| op.name()).collect();
    assert_eq!(names.len(), Op::ALL.len());
    for &op in Op::ALL {
        assert_eq!(Op::from_name(op.name()), Some(op));
        assert!(op.name().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "{op}");
    }
    assert_eq!(Op::from_name("frobnicate"), None);
}

#[test]
fn names_are_no_keywords_of_the_text_form() {
    let keywords = "load param const index fma select cast bits real imaginary complex gather store scatter result \
                    argmin argmax fold epilogue body";
    for name in keywords.split_whitespace() {
        assert_eq!(Op::from_name(name), None, "{name}");
    }
}

#[test]
fn loops_are_types_in_numpy_order() {
    for &op in Op::ALL {
        let types: Vec<_> = op
            .row()
            .loops
            .bytes()
            .map(|code| DType::from_code(code).unwrap_or_else(|| panic!("{op}: {code}")))
            .collect();
        assert!(!types.is_empty(), "{op} has no loop");
        assert!(types.is_sorted() && types.windows(2).all(|w| w[0] != w[1]), "{op}: {}", op.row().loops);
        for dtype in DType::ALL {
            assert_eq!(op.has_loop(dtype), types.contains(&dtype), "{op} in {dtype}");
        }
        assert!(!op.has_loop(DType::F16) || op.has_loop(DType::F32), "{op}: float16 is computed as float32");
    }
}

#[test]
fn rows_are_sane() {
    for &op in Op::ALL {
        let row = op.row();
        assert!(matches!(row.arity, 1 | 2), "{op}");
        assert!(row.cost > 0, "{op}");
        let doc = row.doc;
        assert!(
            doc.ends_with('.') && doc.starts_with(|c: char| c.is_uppercase() || doc.starts_with("e ")),
            "{op}: {doc}"
        );
        assert!(!doc.contains('\n'), "{op}");
    }
}

#[test]
fn integers_raise_nothing_unless_they_divide() {
    for &op in Op::ALL.iter().filter(|op| !op.row().loops.bytes().any(|c| b"efdFD".contains(&c))) {
        assert!(op.row().effects.is_empty(), "{op}");
    }
}

#[test]
fn results_follow_their_rule() {
    for (op, dtype) in Op::ALL.iter().flat_map(|op| DType::ALL.map(|dtype| (*op, dtype))) {
        let expected = match op.row().result {
            ResultRule::Same => dtype,
            ResultRule::Bool => DType::Bool,
            ResultRule::Byte => DType::U8,
            ResultRule::Int => DType::I32,
            ResultRule::Real if dtype == DType::C64 => DType::F32,
            ResultRule::Real if dtype == DType::C128 => DType::F64,
            ResultRule::Real => dtype,
        };
        assert_eq!(op.result(dtype), expected, "{op} in {dtype}");
    }
}

// --- every op as a kernel

#[test]
fn every_loop_of_every_op_is_a_kernel() {
    for (op, dtype) in Op::ALL.iter().flat_map(|op| DType::ALL.map(|dtype| (*op, dtype))) {
        if !op.has_loop(dtype) {
            continue;
        }
        let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
        let args: Vec<_> = (0..op.arity()).map(|_| kernel.operand(dtype, Access::Read, true)).collect();
        let out = kernel.operand(op.result(dtype), Access::Write, true);
        let mut body = kernel.body();
        let args: Vec<_> = args.into_iter().map(|m| body.load(m)).collect();
        let value = body.apply(op, &args);
        body.store(out, value);
        let kernel = verify(kernel.finish()).unwrap_or_else(|e| panic!("{e}"));
        round_trip(&kernel);
    }
}

// --- random kernels

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A literal: often an exponent of all ones (infinities and nans) or zeros, else any bits.
    fn literal(&mut self, dtype: DType) -> Scalar {
        let bits = u128::from(self.next()) << 64 | u128::from(self.next());
        match (self.below(4), dtype) {
            (_, DType::Bool) => Scalar::from_bits(dtype, bits & 1),
            (0, _) => Scalar::from_bits(dtype, bits | 0x7ff0_7c00_7f80_7c00_7ff0_7c00_7f80_7c00),
            (1, _) => Scalar::from_bits(dtype, bits & 0x8000_0000_8000_8000_8000_0000_8000_8001),
            (2, _) => Scalar::new(dtype, self.below(200) as f64 * 0.1 - 7.0),
            _ => Scalar::from_bits(dtype, bits),
        }
    }
}

/// The operands and scalars of a random kernel.
struct Declared {
    read: Vec<OperandId>,
    written: Vec<(OperandId, DType)>,
    scalars: Vec<ScalarId>,
    rank: usize,
}

fn random_kernel(random: &mut Random) -> Kernel {
    let template = random.pick(&[Template::Map, Template::Reduce, Template::Scan]);
    let outer = random.below(4) as u8;
    let inner = match template {
        Template::Map => 0,
        Template::Reduce => 1 + random.below(2) as u8,
        Template::Scan => 1,
    };
    let mut kernel = KernelBuilder::new(template, outer, inner);
    let mut declared =
        Declared { read: vec![], written: vec![], scalars: vec![], rank: usize::from(outer) + usize::from(inner) };
    for _ in 0..1 + random.below(6) {
        let (dtype, restrict) = (random.pick(&DType::ALL), random.below(2) == 0);
        match random.below(3) {
            0 => declared.written.push((kernel.operand(dtype, Access::Write, restrict), dtype)),
            1 => declared.read.push(kernel.operand(dtype, Access::Read, restrict)),
            _ => declared.scalars.push(kernel.scalar(dtype)),
        }
    }
    let values = random_fragment(random, &mut kernel.body(), &declared, 0);
    if template != Template::Map {
        let results = random_folds(random, &mut kernel, &values);
        if template == Template::Reduce {
            declared.rank = usize::from(outer);
        }
        random_fragment(random, &mut kernel.epilogue(), &declared, results);
    }
    kernel.finish()
}

/// Folds some values, each by what its type allows; gives the number of accumulators.
fn random_folds(random: &mut Random, kernel: &mut KernelBuilder, values: &[ValueId]) -> usize {
    let mut count = 0;
    for _ in 0..random.below(5) {
        let value = random.pick(values);
        let dtype = kernel.body().dtype(value);
        let folds = [Fold::Op(Op::Add), Fold::Op(Op::Minimum), Fold::Op(Op::Fmax), Fold::ArgMin, Fold::ArgMax];
        let bits = [Fold::Op(Op::BitwiseXor), Fold::Op(Op::BitwiseAnd)];
        let fold = match dtype {
            DType::Bool if random.below(2) == 0 => Fold::Op(random.pick(&[Op::LogicalAnd, Op::LogicalXor])),
            other if other.is_integer() && random.below(2) == 0 => random.pick(&bits),
            _ => random.pick(&folds),
        };
        count = count.max(usize::from(kernel.accumulate(fold, value)) + 1);
    }
    count
}

/// Fills a fragment and gives its values.
fn random_fragment(
    random: &mut Random,
    fragment: &mut FragmentBuilder<'_>,
    declared: &Declared,
    results: usize,
) -> Vec<ValueId> {
    let dtype = random.pick(&DType::ALL);
    let mut values = vec![fragment.constant(random.literal(dtype))];
    values.extend((0..results).map(|a| fragment.result(a as u8)));
    for _ in 0..random.below(30) {
        values.extend(random_value(random, fragment, declared, &values));
        if let (0, false) = (random.below(4), declared.written.is_empty()) {
            let (operand, dtype) = random.pick(&declared.written);
            let value = fragment.cast(random.pick(&values), dtype);
            if random.below(3) == 0 {
                let offset = fragment.cast(random.pick(&values), DType::I64);
                fragment.scatter(operand, offset, value);
            } else {
                fragment.store(operand, value);
            }
        }
    }
    values
}

/// One more value, if the declarations have what it needs.
fn random_value(
    random: &mut Random,
    fragment: &mut FragmentBuilder<'_>,
    declared: &Declared,
    values: &[ValueId],
) -> Option<ValueId> {
    let value = random.pick(values);
    let dtype = fragment.dtype(value);
    match random.below(11) {
        0 if !declared.read.is_empty() => Some(fragment.load(random.pick(&declared.read))),
        1 if !declared.read.is_empty() => {
            let offset = fragment.cast(value, DType::I64);
            Some(fragment.gather(random.pick(&declared.read), offset))
        }
        2 if !declared.scalars.is_empty() => Some(fragment.param(random.pick(&declared.scalars))),
        3 if declared.rank > 0 => Some(fragment.index(random.below(declared.rank) as u8)),
        4 => {
            let dtype = random.pick(&DType::ALL);
            Some(fragment.constant(random.literal(dtype)))
        }
        5 => Some(fragment.cast(value, random.pick(&DType::ALL))),
        6 => {
            let condition = fragment.cast(random.pick(values), DType::Bool);
            let otherwise = fragment.cast(random.pick(values), dtype);
            Some(fragment.select(condition, value, otherwise))
        }
        7 => {
            let wide = random.pick(&[DType::F32, DType::F64]);
            let args = [value, random.pick(values), random.pick(values)].map(|v| fragment.cast(v, wide));
            Some(fragment.fma(args[0], args[1], args[2]))
        }
        8 => {
            let wide = fragment.cast(value, random.pick(&[DType::I64, DType::U64, DType::F64]));
            Some(fragment.bits(wide, random.pick(&[DType::I64, DType::U64, DType::F64])))
        }
        _ => {
            let ops: Vec<_> = Op::ALL.iter().copied().filter(|op| op.has_loop(dtype)).collect();
            let op = random.pick(&ops);
            let second = fragment.cast(random.pick(values), dtype);
            Some(fragment.apply(op, &[value, second][..op.arity()]))
        }
    }
}

#[track_caller]
fn round_trip(kernel: &Kernel) {
    let text = kernel.to_string();
    let parsed: Kernel = text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(&parsed, kernel, "\n{text}\n{parsed}");
}

#[test]
fn random_kernels_verify_and_round_trip() {
    let mut random = Random(1);
    for _ in 0..3000 {
        let kernel = verify(random_kernel(&mut random)).unwrap_or_else(|e| panic!("{e}"));
        round_trip(&kernel);
        assert_no_waste(&kernel.body, kernel.accumulators.iter().map(|a| a.value).collect());
        assert_no_waste(&kernel.epilogue, HashSet::new());
    }
}

#[test]
fn random_kernels_expand_once() {
    let mut random = Random(3);
    for _ in 0..1000 {
        let kernel = random_kernel(&mut random);
        let once = expand(&kernel);
        verify(once.kernel.clone()).unwrap_or_else(|e| panic!("{e}"));
        for (before, after, trail) in
            [(&kernel.body, &once.kernel.body, &once.body), (&kernel.epilogue, &once.kernel.epilogue, &once.epilogue)]
        {
            assert_eq!(trail.origin.len(), after.insts.len());
            assert!(trail.origin.is_sorted() && trail.origin.iter().all(|&at| (at as usize) < before.insts.len()));
            let left: Vec<ValueId> = trail.slow_paths.iter().map(|odd| odd.value).collect();
            for (number, inst) in after.insts.iter().enumerate() {
                let elementary =
                    matches!(inst, Inst::Apply(op, [x, _]) if op.row().elementary && after.dtype(*x).is_float());
                let is_left = left.contains(&ValueId(number as u32));
                let is_applied = matches!(inst, Inst::Apply(..));
                assert!(if is_left { is_applied } else { !elementary }, "{}", once.kernel);
            }
        }
        let twice = expand(&once.kernel);
        assert_eq!(twice.kernel.to_string(), once.kernel.to_string(), "of\n{kernel}");
        assert_eq!(
            (twice.body.slow_paths, twice.epilogue.slow_paths),
            (once.body.slow_paths, once.epilogue.slow_paths)
        );
    }
}

/// Every value is used, and no pure instruction without a load stands twice.
fn assert_no_waste(fragment: &Fragment, mut used: HashSet<ValueId>) {
    used.extend(fragment.insts.iter().flat_map(Fragment::arguments));
    let mut seen = HashSet::new();
    for (number, inst) in fragment.insts.iter().enumerate() {
        match inst {
            Inst::Store(..) | Inst::Scatter(..) => continue,
            Inst::Load(_) | Inst::Gather(..) => {}
            Inst::Param(_) | Inst::Const(_) | Inst::Index(_) | Inst::Apply(..) => assert!(seen.insert(inst)),
            Inst::Fma(_) | Inst::Step(..) | Inst::Select(_) | Inst::Cast(..) => assert!(seen.insert(inst)),
            Inst::Bits(..) | Inst::Part(..) | Inst::Complex(_) | Inst::Result(_) => assert!(seen.insert(inst)),
            Inst::Loop(_) | Inst::Exit(..) | Inst::Input(_) => assert!(seen.insert(inst)),
        }
        assert!(used.contains(&ValueId(number as u32)), "{number} of {fragment:?}");
    }
}

/// Changes one thing of a kernel at random.
fn damage(random: &mut Random, kernel: &mut Kernel) {
    let fragment = if random.below(2) == 0 { &mut kernel.body } else { &mut kernel.epilogue };
    if fragment.is_empty() {
        kernel.inner = random.below(3) as u8;
        return;
    }
    let at = random.below(fragment.insts.len());
    let value = ValueId(random.below(fragment.insts.len() + 2) as u32);
    match &mut fragment.insts[at] {
        _ if random.below(3) == 0 => fragment.types[at] = random.pick(&DType::ALL),
        Inst::Load(m) => m.0 = random.below(9) as u16,
        Inst::Param(s) => s.0 = random.below(9) as u16,
        Inst::Const(c) => *c = Scalar::from_bits(random.pick(&DType::ALL), u128::from(random.next())),
        Inst::Index(axis) => *axis = random.below(9) as u8,
        Inst::Apply(op, args) => match random.below(3) {
            0 => *op = random.pick(Op::ALL),
            which => args[which - 1] = value,
        },
        Inst::Step(_, args) => args[random.below(2)] = value,
        Inst::Fma(args) | Inst::Select(args) => args[random.below(3)] = value,
        Inst::Complex(args) => args[random.below(2)] = value,
        Inst::Cast(v, _) | Inst::Bits(v, _) | Inst::Part(v, _) => *v = value,
        Inst::Gather(_, v) | Inst::Store(_, v) | Inst::Scatter(_, v, _) => *v = value,
        Inst::Result(a) | Inst::Input(a) | Inst::Exit(_, a) => *a = random.below(9) as u8,
        Inst::Loop(repeated) => repeated.inputs[0] = value,
    }
}

#[test]
fn wrong_kernels_round_trip_and_their_errors_name_a_place() {
    let (mut random, mut rejected) = (Random(2), 0);
    for _ in 0..3000 {
        let mut kernel = random_kernel(&mut random);
        damage(&mut random, &mut kernel);
        round_trip(&kernel);
        if let Err(error) = verify(kernel) {
            rejected += 1;
            assert!(error.to_string().contains(": "), "{error}");
        }
    }
    assert!(rejected > 1000, "only {rejected} of 3000 were wrong");
}
