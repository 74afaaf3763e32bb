//! Maps that overwrite what they read, and leave their loops before they store what is not finite, against the portable backend: bits (every
//! NaN is like any other) and flags other than underflow.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use super::alike;
use crate::portable::random::Random;
use crate::process::alone;
use fastnp_codegen::drive::fp_status::set_reported;
use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;

/// All flags but underflow.
const OTHERS: FpFlags = FpFlags(FpFlags::ALL.0 & !FpFlags::UNDERFLOW.0);

/// Ops of which a flag comes with what is not finite, some that raise none, and some that hide what is not finite.
const OPS: [Op; 12] = [
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Divide,
    Op::Sqrt,
    Op::Square,
    Op::Negative,
    Op::Absolute,
    Op::Minimum,
];

/// Functions with slow paths, some of which hide what is not finite, and some of which raise nothing.
const FUNCTIONS: [Op; 10] =
    [Op::Exp, Op::Log, Op::Sin, Op::Tan, Op::Tanh, Op::Arctan, Op::Expm1, Op::Arcsin, Op::Power, Op::Hypot];

/// How an operand lies in memory: where its first element is, its strides, and all elements that it may have, in elements.
struct Place {
    first: usize,
    strides: Vec<isize>,
    room: usize,
}

impl Place {
    /// A place of each point, or one that is the same along some axes.
    fn any(r: &mut Random, extents: &[usize], distinct: bool) -> Place {
        let mut strides = vec![0; extents.len()];
        let mut order: Vec<usize> = (0..extents.len()).rev().collect();
        if r.chance(15) {
            order.reverse();
        }
        let mut step = if r.chance(15) { 1 + r.below(3) } else { 1 };
        let (mut first, mut room) = (0, 1);
        for axis in order {
            let reach = step * (extents[axis] - 1);
            room += reach;
            match r.below(12) {
                0 => {
                    first += reach;
                    strides[axis] = -(step as isize);
                }
                1 if !distinct => {}
                _ => strides[axis] = step as isize,
            }
            step = step * extents[axis] + if r.chance(40) { r.below(4) } else { 0 };
        }
        Place { first, strides, room }
    }
}

/// A map, the places of its operands, and by operand the one that it overwrites.
struct Case {
    kernel: Verified<Kernel>,
    extents: Vec<usize>,
    places: Vec<Place>,
    overwritten: Vec<Option<usize>>,
}

/// One of some extents: a row, rows that a vector or a few cover, rows of several chunks, planes.
fn extents(r: &mut Random) -> Vec<usize> {
    let row = 1 + r.below(80);
    match r.below(6) {
        0 => vec![1 + r.below(40)],
        1 => vec![1 + r.below(30_000)],
        2 => vec![1 + r.below(6), 1 + r.below(12_000)],
        3 | 4 => vec![1 + r.below(400), row],
        _ => vec![1 + r.below(9), 1 + r.below(30), row],
    }
}

impl Case {
    fn any(r: &mut Random) -> Case {
        let extents = extents(r);
        let dtype = r.one(&[DType::F64, DType::F64, DType::F32, DType::F32, DType::C128, DType::C64]);
        let other = if r.chance(20) && !dtype.is_complex() { r.one(&[DType::F64, DType::F32]) } else { dtype };
        let (inputs, results, has_functions) = (1 + r.below(4), 1 + r.below(3), r.chance(40));
        let mut k = KernelBuilder::new(Template::Map, extents.len() as u8, 0);
        let mut places: Vec<Place> = vec![];
        let mut values: Vec<ValueId> = vec![];
        let types: Vec<DType> = (0..inputs).map(|_| r.one(&[dtype, other])).collect();
        for &dtype in &types {
            let operand = k.operand(dtype, Access::Read, false);
            values.push(k.body().load(operand));
            let distinct = places.is_empty() || r.chance(60);
            places.push(Place::any(r, &extents, distinct));
        }
        let most = r.one(&[9, 9, 9, 9, 30]);
        for _ in 0..1 + r.below(most) {
            let (a, b) = (r.one(&values), r.one(&values));
            let mut body = k.body();
            let from = body.dtype(a);
            let [a, b] = [a, b].map(|v| body.cast(v, if from.is_complex() { from } else { r.one(&[dtype, from]) }));
            let b = body.cast(b, body.dtype(a));
            let is_real = !body.dtype(a).is_complex();
            let op = if is_real && has_functions && r.chance(40) { r.one(&FUNCTIONS) } else { r.one(&OPS) };
            values.push(match op {
                Op::Minimum if r.chance(70) => a,
                Op::Absolute | Op::Minimum | Op::Sqrt if !is_real => body.apply(Op::Multiply, &[a, b]),
                Op::Add if is_real && r.chance(20) => body.fma(a, b, a),
                _ => body.apply(op, &[a, b][..op.arity()]),
            });
        }
        // What is replaced has elements of its own at each point.
        let mut overwritten = vec![None; inputs];
        for number in 0..results {
            let value = values[values.len() - 1 - number.min(values.len() - 1)];
            let dtype = k.body().dtype(value);
            let is_free = |&o: &usize| {
                let distinct = places[o].strides.iter().zip(&extents).all(|(&stride, &n)| stride != 0 || n == 1);
                types[o] == dtype && distinct && !overwritten.contains(&Some(o))
            };
            let replaced = (0..inputs).find(is_free).filter(|_| number == 0 || r.chance(50));
            let to = k.operand(dtype, Access::Write, replaced.is_none() && r.chance(50));
            k.body().store(to, value);
            let place = match replaced {
                Some(o) => Place { strides: places[o].strides.clone(), ..places[o] },
                None => Place::any(r, &extents, true),
            };
            places.push(place);
            overwritten.push(replaced);
        }
        Case { kernel: verify(k.finish()).expect("right"), extents, places, overwritten }
    }

    /// Numbers for all operands, one in so many of them special.
    fn memory(&self, r: &mut Random, rarity: usize) -> Vec<Vec<u8>> {
        let element = |r: &mut Random, dtype: DType| {
            let real = |r: &mut Random| {
                let huge = if matches!(dtype, DType::F32 | DType::C64) { 3e38 } else { 1.7e308 };
                let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, huge, -huge, 0.0, 1e-30];
                if r.below(rarity) == 0 { r.one(&special) } else { 0.5 + r.below(1000) as f64 / 400.0 }
            };
            match dtype.is_complex() {
                true => Scalar::new(dtype, num_complex::Complex::new(real(r), real(r))),
                false => Scalar::new(dtype, real(r)),
            }
        };
        let operands = self.kernel.operands.iter().zip(&self.places);
        operands
            .map(|(decl, place)| {
                (0..place.room).flat_map(|_| element(r, decl.dtype).bytes()[..decl.dtype.size()].to_vec()).collect()
            })
            .collect()
    }

    /// The contents of all operands after a launch, and the flags other than underflow.
    fn run(&self, program: &dyn Program, memory: &[Vec<u8>]) -> (Vec<Vec<u8>>, RaisedFlags) {
        let mut memory = memory.to_vec();
        let operands = &self.kernel.operands;
        let mut addresses: Vec<*mut u8> = vec![];
        for (o, place) in self.places.iter().enumerate() {
            let own = memory[o].as_mut_ptr().wrapping_add(place.first * operands[o].dtype.size());
            addresses.push(self.overwritten[o].map_or(own, |replaced| addresses[replaced]));
        }
        let bytes = |(place, decl): (&Place, &OperandDecl)| -> Vec<isize> {
            place.strides.iter().map(|stride| stride * decl.dtype.size() as isize).collect()
        };
        let strides: Vec<isize> = self.places.iter().zip(operands).flat_map(bytes).collect();
        let launch =
            Launch { outer: &self.extents, inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
        // SAFETY: all operands have so many elements with these strides.
        let raised = unsafe { program.launch(&launch, &SingleThread) }.expect("memory is there");
        let others = raised.into_iter().map(|(epilogue, inst, flags)| (epilogue, inst, flags & OTHERS));
        let mut raised: RaisedFlags = others.filter(|(.., flags)| !flags.is_empty()).collect();
        raised.sort_unstable_by_key(|r| (r.0, r.1));
        (memory, raised)
    }
}

/// Whether a program has side exits, by its listing.
fn leaves(program: &dyn Program) -> bool {
    let listing = program.listing();
    listing.contains("vfpclass") || listing.contains("vcmpneqp")
}

#[test]
fn what_loops_leave_is_what_the_portable_backend_computes() {
    alone("x86::side_exits::what_loops_leave_is_what_the_portable_backend_computes", || {
        set_reported(OTHERS);
        let count = std::env::var("FASTNP_RANDOM_KERNELS").map_or(400, |n| n.parse().expect("a number"));
        let (mut all, mut leaving, mut raising) = (0, 0, 0);
        for seed in 0..count {
            let mut r = Random::new(seed);
            let case = Case::any(&mut r);
            let portable = Portable::new().compile(&case.kernel).expect("it compiles");
            let programs = X86::every_level().into_iter().map(|x86| (x86.name(), x86.compile(&case.kernel)));
            let programs: Vec<_> = programs.map(|(name, made)| (name, made.expect("it compiles"))).collect();
            for rarity in [1 << 40, 20_000, 300] {
                let memory = case.memory(&mut r, rarity);
                let expected = case.run(&*portable, &memory);
                for (level, program) in &programs {
                    let found = case.run(&**program, &memory);
                    let what = format!("seed {seed}, {level}, {:?}, one in {rarity}\n{:?}", case.extents, case.kernel);
                    for (o, (a, b)) in expected.0.iter().zip(&found.0).enumerate() {
                        assert!(alike(case.kernel.operands[o].dtype, a, b), "operand {o}, {what}");
                    }
                    assert_eq!(expected.1, found.1, "{what}");
                    (all, leaving) = (all + 1, leaving + leaves(&**program) as usize);
                    raising += (leaves(&**program) && !found.1.is_empty()) as usize;
                }
            }
        }
        assert!(leaving > all / 5 && raising > all / 20, "{leaving} of {all} leave, {raising} of them raise flags");
    });
}
