//! Kernels, operand memory and arrays that all benches use.
//!
//! One bench file a layer, from the bottom up:
//!
//! | bench | times |
//! |---|---|
//! | `kernels` | the portable backend's loops, an element |
//! | `functions` | elementary functions, an element, on each backend and instruction-set level |
//! | `processor` | single machine instructions, beside the table of the processor model |
//! | `ports` | loops of machine code, in cycles, beside predictions of that model |
//! | `packed` | pairs of independent maps, each in a launch of its own, and both in one |
//! | `launch` | verifying, compiling and launching a kernel |
//! | `record` | recording an operation |
//! | `plan` | planning a trace, and finding a plan in the plan cache |
//! | `program` | small array programs, from recording to memory |
//!
//! `cargo bench -p fastnp-benches` runs all of them, `cargo bench -p fastnp-benches --bench plan -- --quick` one of them with fewer samples.
//! Comparisons with NumPy are in `peers.py` beside this crate and in the folder `npbench`.

pub mod bodies;
pub mod clock;

use fastnp::Array;
use fastnp_codegen::{
    Access, DType, Fold, FragmentBuilder, Kernel, KernelBuilder, Launch, Op, Program, RaisedFlags, Scalar,
    SingleThread, Template, ValueId, registry, verify,
};
use std::sync::Arc;

/// A kernel of doubles over `rank` axes: loads `inputs` operands, computes, and stores one.
pub fn map(rank: u8, inputs: usize, compute: impl FnOnce(&mut FragmentBuilder<'_>, &[ValueId]) -> ValueId) -> Kernel {
    map_of(rank, &vec![DType::F64; inputs], compute)
}

/// A kernel over `rank` axes: loads an operand of each given type, computes, and stores the result in an operand of its type.
pub fn map_of(
    rank: u8,
    inputs: &[DType],
    compute: impl FnOnce(&mut FragmentBuilder<'_>, &[ValueId]) -> ValueId,
) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, rank, 0);
    let values = loads(&mut kernel, inputs);
    let mut body = kernel.body();
    let value = compute(&mut body, &values);
    let dtype = body.dtype(value);
    let to = kernel.operand(dtype, Access::Write, true);
    kernel.body().store(to, value);
    kernel.finish()
}

/// A kernel that folds doubles over one inner axis, at each point of `outer` axes.
pub fn fold(outer: u8, fold: Fold) -> Kernel {
    fold_of(outer, &[DType::F64], |_, v| vec![(fold, v[0])])
}

/// A kernel that loads an operand of each given type, computes, and folds over one inner axis.
pub fn fold_of(
    outer: u8,
    inputs: &[DType],
    compute: impl FnOnce(&mut FragmentBuilder<'_>, &[ValueId]) -> Vec<(Fold, ValueId)>,
) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Reduce, outer, 1);
    let values = loads(&mut kernel, inputs);
    for (fold, value) in compute(&mut kernel.body(), &values) {
        let accumulator = kernel.accumulate(fold, value);
        let mut epilogue = kernel.epilogue();
        let value = epilogue.result(accumulator);
        let dtype = epilogue.dtype(value);
        let to = kernel.operand(dtype, Access::Write, true);
        kernel.epilogue().store(to, value);
    }
    kernel.finish()
}

/// Loads an operand of each given type.
fn loads(kernel: &mut KernelBuilder, inputs: &[DType]) -> Vec<ValueId> {
    let operands: Vec<_> = inputs.iter().map(|&dtype| kernel.operand(dtype, Access::Read, true)).collect();
    operands.into_iter().map(|operand| kernel.body().load(operand)).collect()
}

/// Ten operations in a row on two values.
pub fn chain(body: &mut FragmentBuilder<'_>, values: &[ValueId]) -> ValueId {
    let mut value = values[0];
    for i in 0..10 {
        value = body.apply([Op::Multiply, Op::Add, Op::Subtract][i % 3], &[value, values[1]]);
    }
    value
}

/// The program of a kernel, by the best backend of this machine or the one that `FASTNP_BACKEND` names.
///
/// # Panics
/// If the kernel is wrong, or there is no such backend.
pub fn compile(kernel: Kernel) -> Arc<dyn Program> {
    let verified = verify(kernel).unwrap_or_else(|error| panic!("{error}"));
    let name = std::env::var("FASTNP_BACKEND").unwrap_or_default();
    let backend = registry::select(&name).unwrap_or_else(|| panic!("there is no backend {name:?}"));
    backend.compile(&verified).unwrap_or_else(|error| panic!("{error}"))
}

/// A cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Line(pub [u64; 8]);

/// Memory of numbers, aligned to a cache line.
#[derive(Debug)]
pub struct Numbers(Vec<Line>);

impl Numbers {
    /// At least `n` doubles between 0.5 and 1.5.
    pub fn new(n: usize) -> Numbers {
        Numbers::of(DType::F64, n, |i| Scalar::new(DType::F64, 0.5 + (i % 1000) as f64 / 1000.0))
    }

    /// At least `n` numbers of a type of eight bytes at most.
    pub fn of(dtype: DType, n: usize, number: impl Fn(usize) -> Scalar) -> Numbers {
        let (size, mut lines) = (dtype.size(), vec![Line([0; 8]); (n * dtype.size()).div_ceil(64) + 1]);
        for i in 0..n {
            let (word, shift) = (i * size / 8, i * size % 8 * 8);
            lines[word / 8].0[word % 8] |= (number(i).bits() as u64) << shift;
        }
        Numbers(lines)
    }

    /// The address of byte `at`.
    pub fn at(&mut self, at: usize) -> *mut u8 {
        assert!(at < self.0.len() * 64, "byte {at} is there");
        self.0.as_mut_ptr().cast::<u8>().wrapping_add(at)
    }
}

/// Launches a program on the caller's thread.
///
/// # Safety
/// The contract of [`Program::launch`]: all memory that the launch accesses is allocated.
pub unsafe fn launch(
    program: &dyn Program,
    (outer, inner): (&[usize], &[usize]),
    addresses: &[*mut u8],
    strides: &[isize],
) -> RaisedFlags {
    let launch = Launch { outer, inner, addresses, strides, scalars: &[] };
    // SAFETY: the caller's contract.
    unsafe { program.launch(&launch, &SingleThread) }.unwrap()
}

/// An evaluated array of `n` doubles between 0 and 1.
///
/// # Panics
/// If memory cannot be allocated.
pub fn array(n: usize) -> Array {
    let array = Array::linspace(0.0, 1.0, n);
    array.evaluate().expect("there is memory");
    array
}
