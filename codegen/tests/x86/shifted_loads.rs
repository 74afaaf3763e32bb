//! Operands that are one array, shifted along the row, against the portable backend. Each array ends where a page without access begins.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;

/// Rows, and elements of one.
const SHAPES: [[usize; 2]; 12] = [
    [1, 19],
    [1, 40],
    [1, 4099],
    [3, 20],
    [23, 23],
    [38, 38],
    [7, 31],
    [5, 37],
    [9, 48],
    [2, 70],
    [11, 150],
    [2, 9000],
];
/// Launches of each shape: a loop is made after some.
const LAUNCHES: usize = 3;
const PAGE: usize = 4096;
/// Elements of rows that the interpreter does not run in any launch.
const SHORTEST_LAUNCHED: usize = 8;

/// Memory before a page without access.
struct Guarded {
    start: *mut u8,
    bytes: usize,
    all: usize,
}

impl Guarded {
    fn new(bytes: usize) -> Guarded {
        let all = bytes.next_multiple_of(PAGE) + PAGE;
        // SAFETY: a new mapping, the last page of which is made inaccessible.
        unsafe {
            let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let start = libc::mmap(std::ptr::null_mut(), all, access, flags, -1, 0).cast::<u8>();
            assert_eq!(libc::mprotect(start.add(all - PAGE).cast(), PAGE, libc::PROT_NONE), 0);
            Guarded { start, bytes, all }
        }
    }

    /// The first byte of those that end at the page.
    fn first(&self) -> *mut u8 {
        self.start.wrapping_add(self.all - PAGE - self.bytes)
    }

    fn contents(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped.
        unsafe { std::slice::from_raw_parts(self.first(), self.bytes) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's.
        unsafe { libc::munmap(self.start.cast(), self.all) };
    }
}

/// A stencil: the neighbours that it reads, by rows and by elements, and what it computes of them.
struct Stencil {
    dtype: DType,
    reads: &'static [[isize; 2]],
    compute: fn(&mut FragmentBuilder<'_>, &[ValueId]) -> ValueId,
    result: DType,
}

impl Stencil {
    fn kernel(&self) -> Verified<Kernel> {
        let mut k = KernelBuilder::new(Template::Map, 2, 0);
        let from: Vec<_> = self.reads.iter().map(|_| k.operand(self.dtype, Access::Read, false)).collect();
        let loaded: Vec<_> = from.into_iter().map(|operand| k.body().load(operand)).collect();
        let value = (self.compute)(&mut k.body(), &loaded);
        let to = k.operand(self.result, Access::Write, true);
        k.body().store(to, value);
        verify(k.finish()).expect("right")
    }

    /// The result of some launches by a program, and the flags of the last one.
    fn run(&self, program: &dyn Program, [rows, n]: [usize; 2], special: bool) -> (Vec<u8>, RaisedFlags) {
        let size = self.dtype.size();
        let reach = |axis: usize| self.reads.iter().map(|by| by[axis].unsigned_abs()).max().unwrap_or(0);
        let (above, beside) = (reach(0), reach(1));
        let pitch = n + 2 * beside;
        // Rows of the result begin as far apart as the array's, or not.
        let to_pitch = if special { n + 1 } else { pitch };
        let (from, to) =
            (Guarded::new((rows + 2 * above) * pitch * size), Guarded::new(rows * to_pitch * self.result.size()));
        for i in 0..(rows + 2 * above) * pitch {
            let number = match (i * 617 % 1000) as f64 {
                _ if special && i % 97 == 13 => f64::MAX,
                number => number / 100.0 - 3.0,
            };
            let value = if self.dtype.is_float() {
                Scalar::new(self.dtype, number)
            } else {
                Scalar::new(self.dtype, number as i64)
            };
            // SAFETY: an element of the array.
            unsafe { std::ptr::copy_nonoverlapping(value.bytes().as_ptr(), from.first().add(i * size), size) };
        }
        let middle = above * pitch + beside;
        let at = |by: &[isize; 2]| middle.strict_add_signed(by[0] * pitch as isize + by[1]) * size;
        let mut addresses: Vec<*mut u8> = self.reads.iter().map(|by| from.first().wrapping_add(at(by))).collect();
        addresses.push(to.first());
        let mut strides = [(pitch * size) as isize, size as isize].repeat(self.reads.len());
        strides.extend([(to_pitch * self.result.size()) as isize, self.result.size() as isize]);
        let launch = Launch { outer: &[rows, n], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
        // Shorter rows have loops in small launches alone, which raise no flags.
        let is_small = n < SHORTEST_LAUNCHED;
        // SAFETY: the operands have so many elements, and the result overlaps none.
        let run = || unsafe {
            match is_small && program.launch_small(&launch) {
                true => RaisedFlags::new(),
                false => program.launch(&launch, &SingleThread).expect("memory is there"),
            }
        };
        (1..LAUNCHES).for_each(|_| drop(run()));
        let last = run();
        (to.contents().to_vec(), last)
    }

    fn check(&self) {
        self.check_unless_cut(true);
    }

    /// Whether vectors are shared is asked for only where the body is not cut into slices.
    fn check_unless_cut(&self, is_whole: bool) {
        let kernel = self.kernel();
        let portable = Portable::new().compile(&kernel).unwrap_or_else(|error| panic!("{error}"));
        for x86 in X86::every_level() {
            let program = x86.compile(&kernel).unwrap_or_else(|error| panic!("{error}"));
            // Enough points for a loop of its own.
            (0..20).for_each(|turn| drop(self.run(&*program, [2, 9000], turn % 2 == 0)));
            for (shape, special) in SHAPES.into_iter().flat_map(|shape| [(shape, false), (shape, true)]) {
                let (expected, found) = (self.run(&*portable, shape, special), self.run(&*program, shape, special));
                let name = format!("{:?} of {}, {}, {shape:?}, special {special}", self.reads, self.dtype, x86.name());
                let differs = expected.0.iter().zip(&found.0).position(|(a, b)| a != b);
                assert_eq!(differs, None, "{name}: the first byte that differs");
                assert_eq!(expected.1, found.1, "{name}");
            }
            let listing = program.listing();
            assert!(!is_whole || x86.name() != "x86" || listing.contains("valign"), "{:?}: {listing}", self.reads);
        }
    }
}

impl Stencil {
    /// Compares launches of one shape, after so many that there is a loop for several of its rows at once, if rows share vectors.
    fn check_rows(&self, [rows, n]: [usize; 2], share: bool) {
        let kernel = self.kernel();
        let portable = Portable::new().compile(&kernel).unwrap_or_else(|error| panic!("{error}"));
        for x86 in X86::every_level() {
            let program = x86.compile(&kernel).unwrap_or_else(|error| panic!("{error}"));
            let name = format!("{:?} of {}, {}, {rows} rows of {n}", self.reads, self.dtype, x86.name());
            let expected = self.run(&*portable, [rows, n], false);
            for _ in 0..(1 << 18) / (rows * n * LAUNCHES) + 3 {
                let found = self.run(&*program, [rows, n], false);
                assert_eq!(expected.0.iter().zip(&found.0).position(|(a, b)| a != b), None, "{name}");
                assert_eq!(expected.1, found.1, "{name}");
            }
            let listing = program.listing();
            assert_eq!(listing.contains("bytes apart"), share && x86.name() == "x86", "{name}: {listing}");
        }
    }
}

/// A weighted sum whose terms are all different.
fn weighted(body: &mut FragmentBuilder<'_>, v: &[ValueId]) -> ValueId {
    let dtype = body.dtype(v[0]);
    let mut sum = None;
    for (&value, weight) in v.iter().zip(2i64..) {
        let weight = body.constant(Scalar::new(dtype, weight));
        let term = body.apply(Op::Multiply, &[value, weight]);
        sum = Some(sum.map_or(term, |sum| body.apply(Op::Add, &[sum, term])));
    }
    sum.expect("there are terms")
}

const LINE: &[[isize; 2]] = &[[0, -1], [0, 0], [0, 1]];
const CROSS: &[[isize; 2]] = &[[0, 0], [0, 1], [-1, 0], [1, 0], [0, -1]];
const SQUARE: &[[isize; 2]] = &[[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 0], [0, 1], [1, -1], [1, 0], [1, 1]];
const FAR: &[[isize; 2]] = &[[0, -7], [0, 7], [0, 0], [0, -3], [0, 5]];

#[test]
fn stencils_share_the_vectors_of_a_row() {
    for dtype in [DType::F64, DType::F32, DType::I64, DType::I32] {
        for reads in [LINE, CROSS, SQUARE, FAR] {
            Stencil { dtype, reads, compute: weighted, result: dtype }.check();
        }
    }
}

#[test]
fn stencils_share_the_vectors_of_neighbouring_rows() {
    const DIAGONAL: &[[isize; 2]] = &[[-1, -1], [0, 0], [1, 1], [1, 0]];
    const COLUMN: &[[isize; 2]] = &[[-2, 0], [-1, 0], [0, 0], [0, 1], [1, 0], [2, 0]];
    let shapes = [[2, 20], [3, 45], [23, 23], [5, 38], [4, 32], [7, 41], [9, 150]];
    // Vectors are carried down short rows, in several strips where there are many.
    let short = [[40, 8], [300, 9], [25, 3], [90, 6], [7, 12], [130, 18], [3, 25], [121, 27]];
    for (number, shape) in shapes.into_iter().chain(short).enumerate() {
        for reads in [CROSS, SQUARE, DIAGONAL, COLUMN] {
            let dtype = [DType::F64, DType::F32, DType::I64, DType::I32][number % 4];
            Stencil { dtype, reads, compute: weighted, result: dtype }.check_rows(shape, true);
            Stencil { dtype: DType::F64, reads, compute: weighted, result: DType::F64 }.check_rows(shape, true);
        }
    }
}

/// Complex numbers of singles are as large as doubles, but their loops advance another way.
#[test]
fn stencils_become_complex_numbers() {
    let compute = |body: &mut FragmentBuilder<'_>, v: &[ValueId]| {
        let sum = weighted(body, v);
        body.cast(sum, DType::C64)
    };
    for dtype in [DType::F64, DType::I64] {
        for shape in [[23, 23], [40, 8], [5, 38], [9, 150]] {
            Stencil { dtype, reads: CROSS, compute, result: DType::C64 }.check_rows(shape, false);
        }
    }
}

/// The result of a seven-point stencil over planes of rows in a program, and its flags. All operands have the strides of arrays that are two
/// elements larger along each axis, one of source and one of results, which end at a guard page.
fn seven_points(program: &dyn Program, [planes, rows, n]: [usize; 3], special: usize) -> (Vec<u8>, RaisedFlags) {
    let (pitch, plane) = (8 * (n + 2), 8 * (n + 2) * (rows + 2));
    let bytes = plane * (planes + 2);
    let (from, to) = (Guarded::new(bytes), Guarded::new(bytes));
    for i in 0..bytes / 8 {
        let number = if special > 0 && i % special == special / 2 { f64::MAX } else { (i * 617 % 1000) as f64 / 100.0 };
        // SAFETY: an element of the array.
        unsafe { from.first().add(8 * i).cast::<f64>().write(number) };
    }
    let middle = plane + pitch + 8;
    let neighbours = [0, 8, -8, pitch as isize, -(pitch as isize), plane as isize, -(plane as isize)];
    let mut addresses: Vec<*mut u8> =
        neighbours.iter().map(|by| from.first().wrapping_add(middle).wrapping_offset(*by)).collect();
    addresses.push(to.first().wrapping_add(middle));
    let strides = [plane as isize, pitch as isize, 8].repeat(addresses.len());
    let outer = [planes, rows, n];
    let launch = Launch { outer: &outer, inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: the operands have so many elements, and the result overlaps none.
    let raised = unsafe { program.launch(&launch, &SingleThread) }.expect("memory is there");
    (to.contents().to_vec(), raised)
}

#[test]
fn stencils_go_from_plane_to_plane() {
    let mut k = KernelBuilder::new(Template::Map, 3, 0);
    let from: Vec<_> = (0..7).map(|_| k.operand(DType::F64, Access::Read, false)).collect();
    let loaded: Vec<_> = from.into_iter().map(|operand| k.body().load(operand)).collect();
    let value = weighted(&mut k.body(), &loaded);
    let to = k.operand(DType::F64, Access::Write, true);
    k.body().store(to, value);
    let kernel = verify(k.finish()).expect("right");
    let portable = Portable::new().compile(&kernel).unwrap_or_else(|error| panic!("{error}"));
    let shapes = [[23, 23, 23], [3, 2, 40], [5, 7, 38], [2, 30, 33], [40, 1, 25], [1, 9, 27]];
    for shape @ [planes, rows, n] in
        shapes.into_iter().chain([[4, 150, 9], [6, 13, 13], [9, 2, 8], [2, 70, 16], [5, 80, 4]])
    {
        for x86 in X86::every_level() {
            let program = x86.compile(&kernel).unwrap_or_else(|error| panic!("{error}"));
            let name = format!("{shape:?}, {}", x86.name());
            let expected = seven_points(&*portable, shape, 0);
            for turn in 0..(1 << 18) / (planes * rows * n) + 3 {
                let found = seven_points(&*program, shape, 0);
                let differs = expected.0.iter().zip(&found.0).position(|(a, b)| a != b);
                assert_eq!(differs, None, "{name}, turn {turn}: the first byte that differs");
                assert_eq!(expected.1, found.1, "{name}, flags");
            }
            for special in [97, 5003] {
                let (expected, found) = [&portable, &program].map(|p| seven_points(&**p, shape, special)).into();
                assert_eq!(expected.1, found.1, "{name}, flags");
                assert!(expected.0 == found.0, "{name}, special {special}");
            }
        }
    }
}

#[test]
fn long_stencils_share_the_vectors_of_a_row() {
    let compute = |body: &mut FragmentBuilder<'_>, v: &[ValueId]| {
        let sum = weighted(body, v);
        let square = body.apply(Op::Square, &[sum]);
        let root = body.apply(Op::Sqrt, &[square]);
        let quotient = body.apply(Op::Divide, &[v[0], root]);
        body.apply(Op::Maximum, &[quotient, v[1]])
    };
    for dtype in [DType::F64, DType::F32] {
        Stencil { dtype, reads: CROSS, compute, result: dtype }.check_unless_cut(false);
    }
}

#[test]
fn comparisons_of_neighbours_share_the_vectors_of_a_row() {
    let compute = |body: &mut FragmentBuilder<'_>, v: &[ValueId]| {
        let [before, after] = [0, 2].map(|other| body.apply(Op::Greater, &[v[1], v[other]]));
        body.apply(Op::LogicalAnd, &[before, after])
    };
    for dtype in [DType::F64, DType::F32] {
        Stencil { dtype, reads: LINE, compute, result: DType::Bool }.check();
    }
}
