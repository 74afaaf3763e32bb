//! Several rows in one call of machine code, against the portable backend: bits and flags, for rows about as long as some vectors.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;
use num_complex::Complex;
use std::cell::RefCell;
use std::collections::HashMap;

/// Rows, and elements of one: less than a vector of some type, ends of every length, several calls, rows of several chunks, and of several
/// blocks where operands are transposed or rows are short.
const SHAPES: [[usize; 2]; 21] = [
    [1, 23],
    [3, 3],
    [6, 8],
    [9, 11],
    [2, 16],
    [5, 17],
    [7, 18],
    [4, 19],
    [6, 23],
    [9, 31],
    [40, 38],
    [3, 33],
    [2, 64],
    [300, 25],
    [200, 3],
    [1500, 5],
    [131, 61],
    [5, 1000],
    [20, 700],
    [3, 2049],
    [2, 8195],
];

/// How an operand lies in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    /// Rows that follow each other.
    Dense,
    /// Rows with gaps between them.
    Rows,
    /// The same in reverse order, rows and elements.
    Reversed,
    /// The same with every second element.
    Second,
    /// Elements of a column side by side.
    Columns,
    /// One element a row.
    PerRow,
    /// One row for all.
    OneRow,
}

impl Layout {
    /// Where the first element is, and from row to row and from element to element, in elements.
    fn strides(self, [rows, n]: [usize; 2]) -> (usize, [isize; 2]) {
        let (pitch, r) = (n as isize + 3, rows as isize);
        match self {
            Layout::Dense => (0, [n as isize, 1]),
            Layout::Rows => (0, [pitch, 1]),
            Layout::Reversed => (((r - 1) * pitch) as usize + n - 1, [-pitch, -1]),
            Layout::Second => (0, [2 * pitch, 2]),
            Layout::Columns => (0, [1, r + 1]),
            Layout::PerRow => (0, [1, 0]),
            Layout::OneRow => (0, [0, 1]),
        }
    }
}

/// The most elements that an operand has.
const MOST: usize = 90_000;

thread_local! {
    /// [`element`]s from the first on, as bytes, by type and whether some are special.
    static ELEMENTS: RefCell<HashMap<(DType, bool), Vec<u8>>> = RefCell::default();
}

struct Case {
    name: &'static str,
    kernel: Verified<Kernel>,
    layouts: Vec<Layout>,
    /// The operand that is read where the first operand that is written is stored.
    in_place: Option<usize>,
}

fn element(dtype: DType, i: usize, special: bool) -> Scalar {
    let (x, y) = (0.1 + (i * 617 % 1000) as f64 / 100.0, 0.1 + (i * 419 % 1000) as f64 / 1000.0);
    match dtype.kind() {
        Kind::Float if special && i % 211 == 77 => Scalar::new(dtype, [0.0, f64::INFINITY, -3e9, 1e300][i / 211 % 4]),
        Kind::Float => Scalar::new(dtype, x),
        Kind::Complex => Scalar::new(dtype, Complex::new(x, y)),
        Kind::Bool => Scalar::new(dtype, i.is_multiple_of(3)),
        Kind::Signed | Kind::Unsigned => Scalar::new(dtype, (i * 7 % 100) as i64),
    }
}

impl Case {
    /// A map of loaded values to those it stores, all in rows.
    fn new(
        name: &'static str,
        inputs: &[DType],
        compute: impl FnOnce(&mut FragmentBuilder<'_>, &[ValueId]) -> Vec<ValueId>,
    ) -> Case {
        let mut k = KernelBuilder::new(Template::Map, 2, 0);
        let from: Vec<_> = inputs.iter().map(|&dtype| k.operand(dtype, Access::Read, false)).collect();
        let loaded: Vec<_> = from.into_iter().map(|operand| k.body().load(operand)).collect();
        for value in compute(&mut k.body(), &loaded) {
            let dtype = k.body().dtype(value);
            let to = k.operand(dtype, Access::Write, false);
            k.body().store(to, value);
        }
        let kernel = verify(k.finish()).expect("right");
        let layouts = vec![Layout::Rows; kernel.operands.len()];
        Case { name, kernel, layouts, in_place: None }
    }

    fn lies(mut self, operand: usize, layout: Layout) -> Case {
        self.layouts[operand] = layout;
        self
    }

    fn in_place(mut self, operand: usize) -> Case {
        self.in_place = Some(operand);
        self
    }

    fn run(&self, program: &dyn Program, shape: [usize; 2], special: bool) -> (Vec<Vec<u8>>, RaisedFlags) {
        // SAFETY: the operands have so many elements.
        self.launch(shape, special, |launch| unsafe { program.launch(launch, &SingleThread) }.expect("memory is there"))
    }

    /// What a function of a launch gives, and the contents of all operands afterwards.
    fn launch<R>(&self, shape: [usize; 2], special: bool, f: impl FnOnce(&Launch<'_>) -> R) -> (Vec<Vec<u8>>, R) {
        let operands = &self.kernel.operands;
        let room = 2 * (shape[0] + 3) * (shape[1] + 3);
        let memory = |(number, decl): (usize, &OperandDecl)| {
            let size = decl.dtype.size();
            if decl.access != Access::Read {
                return vec![0xA5; room * size];
            }
            ELEMENTS.with_borrow_mut(|known| {
                let all = known.entry((decl.dtype, special)).or_insert_with(|| {
                    (0..MOST).flat_map(|i| element(decl.dtype, i, special).bytes().into_iter().take(size)).collect()
                });
                all[3 * number * size..][..room * size].to_vec()
            })
        };
        let mut all: Vec<Vec<u8>> = operands.iter().enumerate().map(memory).collect();
        let lie: Vec<_> = self.layouts.iter().map(|layout| layout.strides(shape)).collect();
        let starts = all.iter_mut().zip(operands).zip(&lie);
        let mut addresses: Vec<*mut u8> =
            starts.map(|((bytes, decl), (first, _))| bytes[first * decl.dtype.size()..].as_mut_ptr()).collect();
        if let Some(read) = self.in_place {
            let written = operands.iter().position(|decl| decl.access == Access::Write).expect("it stores");
            addresses[written] = addresses[read];
        }
        let bytes =
            |(decl, (_, by)): (&OperandDecl, &(usize, [isize; 2]))| by.map(|by| by * decl.dtype.size() as isize);
        let strides: Vec<isize> = operands.iter().zip(&lie).flat_map(bytes).collect();
        let launch = Launch { outer: &shape, inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
        let found = f(&launch);
        (all, found)
    }

    fn check(&self) {
        let portable = Portable::new().compile(&self.kernel).unwrap_or_else(|error| panic!("{error}"));
        let levels: Vec<_> = X86::every_level()
            .into_iter()
            .map(|x86| (x86.name(), x86.compile(&self.kernel).unwrap_or_else(|error| panic!("{error}"))))
            .collect();
        for (shape, special) in SHAPES.into_iter().flat_map(|shape| [(shape, false), (shape, true)]) {
            let expected = self.run(&*portable, shape, special);
            for (level, program) in &levels {
                let found = self.run(&**program, shape, special);
                let name = format!("{}, {level}, {shape:?}, special {special}", self.name);
                for (operand, (expected, found)) in expected.0.iter().zip(&found.0).enumerate() {
                    let differs = expected.iter().zip(found).position(|(a, b)| a != b);
                    assert_eq!(differs, None, "{name}: the first byte of operand {operand} that differs");
                }
                assert_eq!(expected.1, found.1, "{name}");
            }
        }
    }
}

fn sum_and_product(body: &mut FragmentBuilder<'_>, v: &[ValueId]) -> Vec<ValueId> {
    let sum = body.apply(Op::Add, &[v[0], v[1]]);
    vec![body.apply(Op::Multiply, &[sum, v[0]])]
}

/// The first layout is that of an input and of the result.
fn laid_out(name: &'static str, dtype: DType, layouts: [Layout; 2]) -> Case {
    let case = Case::new(name, &[dtype; 2], sum_and_product);
    case.lies(0, layouts[0]).lies(2, layouts[0]).lies(1, layouts[1])
}

#[test]
fn rows_of_every_type_and_layout() {
    use Layout::{Columns, OneRow, PerRow, Reversed, Rows, Second};
    for dtype in [DType::F64, DType::F32, DType::C128, DType::C64, DType::I64, DType::I32, DType::I16, DType::U8] {
        for a in [Rows, Reversed, Second, Columns] {
            for b in [Rows, Columns, PerRow, OneRow] {
                laid_out("layouts", dtype, [a, b]).check();
                laid_out("layouts in place", dtype, [a, b]).in_place(0).check();
            }
        }
    }
}

#[test]
fn short_rows_with_copies_are_one_row() {
    use Layout::{Columns, Dense, OneRow, PerRow, Rows, Second};
    let compute = |body: &mut FragmentBuilder<'_>, v: &[ValueId]| {
        let sine = body.apply(Op::Sin, &[v[0]]);
        let logarithm = body.apply(Op::Log, &[v[1]]);
        vec![body.apply(Op::Multiply, &[sine, logarithm])]
    };
    for dtype in [DType::F64, DType::F32] {
        for other in [OneRow, PerRow, Rows, Second, Columns] {
            let case = || Case::new("short rows", &[dtype; 2], compute).lies(0, Dense).lies(1, other).lies(2, Dense);
            case().check();
            case().in_place(0).check();
            for x86 in X86::every_level() {
                let program = x86.compile(&case().kernel).unwrap_or_else(|error| panic!("{error}"));
                let strategy = |shape| case().launch(shape, false, |launch| program.strategy(launch)).1;
                assert_eq!(strategy([300, 9]), "blocks");
                let has_rows = matches!(other, Rows | PerRow);
                assert_eq!(strategy([300, 48]), if has_rows { "rows" } else { "blocks" });
                assert_eq!(strategy([200, 3]), "blocks");
            }
        }
    }
}

#[test]
fn rows_of_several_results() {
    for dtype in [DType::F64, DType::F32] {
        let compute = |body: &mut FragmentBuilder<'_>, v: &[ValueId]| {
            let root = body.apply(Op::Sqrt, &[v[0]]);
            let quotient = body.apply(Op::Divide, &[root, v[1]]);
            let less = body.apply(Op::Less, &[root, v[1]]);
            let which = body.apply(Op::LogicalAnd, &[less, v[2]]);
            vec![quotient, which, root]
        };
        let inputs = [dtype, dtype, DType::Bool];
        Case::new("results of two types", &inputs, compute).check();
        Case::new("results in place", &inputs, compute).in_place(0).check();
        Case::new("results in place, strided", &inputs, compute).lies(2, Layout::Columns).in_place(1).check();
    }
}

#[test]
fn values_of_a_row_are_computed_for_each_row() {
    let compute = |body: &mut FragmentBuilder<'_>, v: &[ValueId]| {
        let reciprocal = body.apply(Op::Reciprocal, &[v[0]]);
        let two = body.constant(Scalar::new(DType::F64, 2.0));
        let half = body.apply(Op::Reciprocal, &[two]);
        let all = body.apply(Op::Multiply, &[v[1], reciprocal]);
        vec![body.apply(Op::Add, &[all, half])]
    };
    Case::new("a reciprocal a row", &[DType::F64; 2], compute).lies(0, Layout::PerRow).check();
    Case::new("one for all rows", &[DType::F64; 2], compute).check();
}

#[test]
fn rows_with_slow_lanes_are_executed_again() {
    let compute = |body: &mut FragmentBuilder<'_>, v: &[ValueId]| {
        let sine = body.apply(Op::Sin, &[v[0]]);
        let logarithm = body.apply(Op::Log, &[v[1]]);
        vec![body.apply(Op::Divide, &[sine, logarithm])]
    };
    for dtype in [DType::F64, DType::F32] {
        for operand in [0, 1] {
            Case::new("slow lanes", &[dtype; 2], compute).check();
            Case::new("slow lanes in place", &[dtype; 2], compute).in_place(operand).check();
        }
        Case::new("a slow value a row", &[dtype; 2], compute).lies(1, Layout::PerRow).check();
    }
}

#[test]
fn rows_of_more_operands_than_registers() {
    let compute = |body: &mut FragmentBuilder<'_>, v: &[ValueId]| {
        let sum = v[1..].iter().fold(v[0], |sum, &value| body.apply(Op::Add, &[sum, value]));
        vec![sum, body.apply(Op::Square, &[v[3]]), body.apply(Op::Negative, &[v[11]])]
    };
    for dtype in [DType::F64, DType::C128] {
        let case = || Case::new("many operands", &[dtype; 12], compute);
        case().check();
        case().in_place(5).check();
        case().lies(10, Layout::PerRow).lies(11, Layout::PerRow).lies(2, Layout::Columns).check();
        case().lies(12, Layout::Columns).lies(14, Layout::Columns).check();
    }
}

/// Rows are aligned by the first result. The others may begin elsewhere in their lines.
#[test]
fn rows_of_several_results_begin_with_lines() {
    let compute = |results: usize| {
        move |body: &mut FragmentBuilder<'_>, v: &[ValueId]| {
            let ops = [Op::Add, Op::Subtract, Op::Divide];
            ops[..results].iter().map(|&op| body.apply(op, v)).collect::<Vec<_>>()
        }
    };
    for dtype in [DType::F64, DType::F32] {
        let case = |results| Case::new("several results", &[dtype; 2], compute(results));
        case(3).check();
        case(3).in_place(1).check();
        case(3).lies(2, Layout::Dense).lies(1, Layout::OneRow).check();
        case(3).lies(3, Layout::Dense).lies(0, Layout::PerRow).check();
        for x86 in X86::every_level_listed().into_iter().filter(|x86| x86.name() == "x86") {
            let aligns = |results| {
                let program = x86.compile(&case(results).kernel).unwrap_or_else(|error| panic!("{error}"));
                program.listing().contains("neg r11")
            };
            assert_eq!([1, 2, 3].map(aligns), [false, true, true]);
        }
    }
}

#[test]
fn long_bodies_in_rows() {
    let compute = |body: &mut FragmentBuilder<'_>, v: &[ValueId]| {
        let mut x = v[0];
        for i in 0..8 {
            let y = body.apply([Op::Exp, Op::Sin, Op::Tanh, Op::Log1p][i % 4], &[x]);
            x = body.apply(Op::Multiply, &[y, v[1]]);
        }
        vec![x]
    };
    Case::new("eight functions", &[DType::F64; 2], compute).check();
    Case::new("eight functions in place", &[DType::F64; 2], compute).in_place(0).check();
}

/// The offsets are those of the first elements of a row, some of them twice; the rows that are gathered from are others each time.
#[test]
fn gathers_go_from_row_to_row() {
    for dtype in [DType::F64, DType::F32, DType::C128, DType::C64] {
        let mut k = KernelBuilder::new(Template::Map, 2, 0);
        let [from, offsets] = [dtype, DType::I64].map(|dtype| k.operand(dtype, Access::Read, false));
        let to = k.operand(dtype, Access::Write, false);
        let position = k.body().load(offsets);
        let [mask, size] = [7, dtype.size() as i64].map(|n| k.body().constant(Scalar::new(DType::I64, n)));
        let position = k.body().apply(Op::BitwiseAnd, &[position, mask]);
        let offset = k.body().apply(Op::Multiply, &[position, size]);
        let value = k.body().gather(from, offset);
        let twice = k.body().apply(Op::Add, &[value, value]);
        k.body().store(to, twice);
        let kernel = verify(k.finish()).expect("right");
        let layouts = vec![Layout::PerRow, Layout::Rows, Layout::Rows];
        Case { name: "gathers", kernel, layouts, in_place: None }.check();
    }
}
