//! Pairs of kernels over the whole op table, and pairs of random kernels: merged, and evaluated beside their parts.

use super::compiled::{compiler, modules};
use super::evaluator::{Loaded, Memory, load, param_offsets, run};
use crate::kernels::{map_of, ops_of};
use crate::portable::random::{Case, Random};
use fastnp_codegen::cuda::{Geometry, render};
use fastnp_codegen::portable::Portable;
use fastnp_codegen::white_box::ptx::merge::{Shape, WOVEN, merge};
use fastnp_codegen::white_box::ptx::module::PtxModule;
use fastnp_codegen::white_box::ptx::refusal::Refusal;
use fastnp_codegen::*;

/// Where memory of the first case is, as the evaluator allocates it.
const START: usize = 1 << 20;
const TICKETS: usize = 1056;
/// Kernels that are compiled together.
const BATCH: u64 = 40;

/// A case with its text.
struct Compiled {
    case: Case,
    kernel: Verified<Kernel>,
    geometry: Geometry,
    text: String,
    module: Option<PtxModule>,
}

impl Compiled {
    /// None where the launch has no points.
    fn new(case: Case) -> Option<Compiled> {
        let kernel = verify(case.kernel.clone()).unwrap();
        let addresses = case.addresses(START as *mut u8);
        let (text, geometry) = render(&kernel, &case.launch(&addresses))?;
        Some(Compiled { kernel, geometry, text, module: None, case })
    }

    fn module(&self) -> &PtxModule {
        self.module.as_ref().expect("compiled")
    }

    /// Whether its grids and blocks have one dimension.
    fn is_flat(&self) -> bool {
        self.kernel.template == Template::Map
    }

    fn shape(&self) -> Shape {
        Shape { grid: self.geometry.grid, block: self.geometry.block }
    }

    /// The parameters of each phase over memory, in which all that they lead to is allocated; and where the case's own is.
    fn launches(&self, memory: &mut Memory) -> (Vec<Vec<Vec<u8>>>, u64) {
        let start = memory.allocate(self.case.bytes());
        let addresses = self.case.addresses(start as *mut u8);
        let launch = self.case.launch(&addresses);
        let geometry = &self.geometry;
        let word = |address: u64| address.to_le_bytes().to_vec();
        let mut arguments: Vec<Vec<u8>> = addresses.iter().map(|&address| word(address as u64)).collect();
        if self.text.contains("Arguments *const __restrict__ given") {
            let mut bytes = arguments.concat();
            bytes.resize(bytes.len().next_multiple_of(16), 0);
            launch.scalars.iter().for_each(|scalar| bytes.extend(scalar.bytes()));
            bytes.extend(&geometry.domain);
            arguments = vec![word(memory.allocate(bytes))];
        } else {
            arguments.extend(launch.scalars.iter().map(|scalar| scalar.bytes().to_vec()));
            arguments.push(geometry.domain.clone());
        }
        let [partials, tickets, writers] =
            [geometry.partial_bytes, 4 * TICKETS, 16 * geometry.writers].map(|bytes| memory.allocate(vec![0; bytes]));
        let phases = (2 - geometry.phases as i32..2).map(|phase| {
            let phase = phase.to_le_bytes().to_vec();
            let own = match self.kernel.template {
                Template::Map if geometry.writers > 0 => {
                    vec![word(writers), word((geometry.writers as u64).wrapping_sub(1)), phase]
                }
                Template::Map => vec![],
                Template::Reduce => vec![word(partials), word(tickets)],
                Template::Scan => vec![word(partials), phase],
            };
            [arguments.clone(), own].concat()
        });
        (phases.collect(), start)
    }
}

/// Arguments as the parameters of a kernel.
fn packed(module: &PtxModule, arguments: &[Vec<u8>]) -> Vec<u8> {
    let params = &module.kernels[0].params;
    let (places, size) = param_offsets(params);
    assert_eq!(params.len(), arguments.len());
    let mut bytes = vec![0; size];
    for ((place, param), argument) in places.into_iter().zip(params).zip(arguments) {
        bytes[place..][..param.size()].copy_from_slice(&argument[..param.size()]);
    }
    bytes
}

/// Runs a kernel by itself.
fn run_alone(loaded: &Loaded, module: &PtxModule, shape: Shape, arguments: &[Vec<u8>], memory: &mut Memory) {
    let name = &module.kernels[0].name;
    run(loaded, name, shape.grid, shape.block, &packed(module, arguments), memory);
}

/// The memory after both, one after the other, and after the merged kernel, which runs the last launch of the first and the first launch
/// of the second.
fn compare(merged: &PtxModule, parts: [&Compiled; 2], what: &str) {
    let shapes = parts.map(Compiled::shape);
    for (shape, part) in shapes.iter().zip(parts) {
        assert_eq!(shape.check(part.is_flat()), Ok(()), "{what}");
    }
    let mut memory = Memory::default();
    let loaded = parts.map(|part| load(part.module(), &mut memory));
    let woven = load(merged, &mut memory);
    let launches = parts.map(|part| part.launches(&mut memory));
    let [(first, _), (second, _)] = &launches;
    let mut expected = memory.clone();
    for (s, launches) in [first, second].into_iter().enumerate() {
        for arguments in launches {
            run_alone(&loaded[s], parts[s].module(), shapes[s], arguments, &mut expected);
        }
    }
    let (last, before) = first.split_last().unwrap();
    for arguments in before {
        run_alone(&loaded[0], parts[0].module(), shapes[0], arguments, &mut memory);
    }
    let arguments = [&last[..], &second[0], &shapes.map(|shape| shape.bytes())].concat();
    let blocks = shapes[0].blocks().max(shapes[1].blocks());
    run(&woven, WOVEN, [blocks, 1], [256, 1], &packed(merged, &arguments), &mut memory);
    for arguments in &second[1..] {
        run_alone(&loaded[1], parts[1].module(), shapes[1], arguments, &mut memory);
    }
    assert!(memory == expected, "{what}: the merged kernel differs\n{merged}");
}

/// Compiles cases, many together.
fn compile(library: &libloading::Library, cases: &mut [Compiled], architecture: &str) {
    for some in cases.chunks_mut(BATCH as usize) {
        let texts: Vec<String> = some.iter().map(|case| case.text.clone()).collect();
        let found = modules(library, &texts, architecture);
        some.iter_mut().zip(found).for_each(|(case, module)| case.module = Some(module));
    }
}

/// Merges a pair and compares it; whether it was merged.
fn pair(parts: [&Compiled; 2], what: &str) -> bool {
    match merge(parts.map(Compiled::module), parts.map(Compiled::is_flat)) {
        Ok(merged) => {
            compare(&merged, parts, what);
            true
        }
        Err(Refusal::DivergentBranch | Refusal::TooManyParams | Refusal::SharedMemory | Refusal::TooLarge) => false,
        Err(other) => panic!("{what}: {other}"),
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |n| n.parse().unwrap())
}

/// A case of each template in turn.
fn case(seed: u64, random: &mut Random) -> Case {
    match seed % 4 {
        0 => Case::reduce(random),
        1 => Case::scan(random),
        _ => Case::map(random),
    }
}

/// What the evaluator is held to: kernels without elementary functions, whose results are the portable backend's.
#[test]
fn the_evaluator_computes_what_the_portable_backend_does() {
    let Some(library) = compiler() else { return };
    let cases = (0..number("FASTNP_RANDOM_KERNELS", 40)).map(|seed| case(seed, &mut Random::new(seed)));
    let mut cases: Vec<Compiled> = cases.filter_map(Compiled::new).collect();
    compile(library, &mut cases, "compute_90");
    for (number, one) in cases.iter().enumerate() {
        let (expected, _) = one.case.run(&*Portable::new().compile(&one.kernel).unwrap(), &SingleThread);
        let mut memory = Memory::default();
        let (launches, start) = one.launches(&mut memory);
        assert_eq!(start as usize, START);
        let loaded = load(one.module(), &mut memory);
        launches.iter().for_each(|arguments| run_alone(&loaded, one.module(), one.shape(), arguments, &mut memory));
        if let Some(difference) = one.case.difference(&expected, memory.bytes(start)) {
            panic!("{number}: {difference}\n{:#?}\n{}\n{}", one.case, one.text, one.module());
        }
    }
}

/// Pairs among `FASTNP_RANDOM_KERNELS`, from the seed `FASTNP_RANDOM_SEED` on. A kernel is paired with several, or in a long run with
/// forty, as pairs are cheap beside compiling it.
#[test]
fn random_pairs_do_what_their_parts_do() {
    let Some(library) = compiler() else { return };
    let (first, count) = (number("FASTNP_RANDOM_SEED", 0), number("FASTNP_RANDOM_KERNELS", BATCH));
    let (mut pairs, mut merged) = (0, 0);
    for seed in (first..first + count).step_by(BATCH as usize) {
        // Two dialects of the compiler: for the generations up to Hopper, and from Blackwell on.
        let architecture = if (seed / BATCH).is_multiple_of(2) { "compute_90" } else { "compute_100" };
        let cases = (seed..seed + BATCH).map(|seed| case(seed, &mut Random::with_functions(seed)));
        let mut cases: Vec<Compiled> = cases.filter_map(Compiled::new).collect();
        compile(library, &mut cases, architecture);
        for distance in 0..if count > BATCH { cases.len() } else { 4 } {
            for number in 0..cases.len() {
                let other = (number + distance) % cases.len();
                let what = format!("kernels {number} and {other} from seed {seed}");
                merged += usize::from(pair([&cases[number], &cases[other]], &what));
                pairs += 1;
            }
        }
    }
    eprintln!("{merged} of {pairs} pairs merged");
    assert!(merged * 3 > pairs, "{merged} of {pairs} pairs merged");
}

/// The comparison shows that a merged kernel lacks stores.
#[test]
fn a_store_that_is_missing_is_found() {
    let Some(library) = compiler() else { return };
    let maps =
        [Op::Add, Op::Sqrt].map(|op| Case::of_map(&mut Random::new(3), map_of(DType::F64, std::iter::once(op)), 5000));
    let mut cases: Vec<Compiled> = maps.into_iter().filter_map(Compiled::new).collect();
    compile(library, &mut cases, "compute_90");
    let parts = [&cases[0], &cases[1]];
    let merged = merge(parts.map(Compiled::module), [true, true]).unwrap();
    compare(&merged, parts, "as merged");
    let mut broken = merged;
    for block in &mut broken.kernels[0].body.blocks {
        if let Some(last) = block.insts.iter().rposition(|inst| inst.opcode.is_store()) {
            block.insts.remove(last);
        }
    }
    let found = std::panic::catch_unwind(|| compare(&broken, parts, "broken"));
    assert!(found.is_err());
}

/// The types whose kernels the evaluator runs.
fn types() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|&dtype| dtype != DType::F16)
}

/// Every op is woven with its neighbour in the table: for one of its types, in a long run for every one, as the compiler takes 60 ms for
/// each.
#[test]
fn every_op_is_woven() {
    let Some(library) = compiler() else { return };
    let is_long = number("FASTNP_RANDOM_KERNELS", BATCH) > BATCH;
    let is_chosen = |op: Op, dtype| {
        let its_types: Vec<DType> = types().filter(|&dtype| op.has_loop(dtype)).collect();
        is_long || its_types[op as usize % its_types.len()] == dtype
    };
    for dtype in types() {
        let mut random = Random::new(dtype as u64);
        let ops: Vec<Op> = ops_of(dtype).filter(|&op| is_chosen(op, dtype)).collect();
        let maps = ops.iter().map(|&op| Case::of_map(&mut random, map_of(dtype, std::iter::once(op)), 300));
        let mut cases: Vec<Compiled> = maps.filter_map(Compiled::new).collect();
        compile(library, &mut cases, "compute_90");
        for (number, op) in ops.iter().enumerate() {
            let other = (number + 1) % cases.len();
            assert!(pair([&cases[number], &cases[other]], &format!("{op} of {dtype}")), "{op} of {dtype}");
        }
    }
}
