//! What the benches share: kernels, memory to run them on, and arrays.
//!
//! One bench file a layer, from the bottom up:
//!
//! | bench | times |
//! |---|---|
//! | `kernels` | the portable backend's loops, by element |
//! | `launch` | verifying, compiling and launching a kernel |
//! | `record` | recording an operation |
//! | `plan` | planning a trace, and finding the plan of one seen before |
//! | `program` | small array programs, from recording to memory |
//!
//! `cargo bench -p fastnp-benches` runs all of them, `cargo bench -p fastnp-benches --bench plan -- --quick` one in a hurry.
//! Comparisons with NumPy are in `peers.py` beside this crate and in the folder `npbench`.

use fastnp::Array;
use fastnp_codegen::portable::Portable;
use fastnp_codegen::{
    Access, Backend, DType, Fold, FragmentBuilder, Kernel, KernelBuilder, Launch, Op, Program, RaisedFlags,
    SingleThread, Template, ValueId, verify,
};
use std::sync::Arc;

/// A kernel of doubles over `rank` axes: loads `inputs` operands, computes, and stores one.
pub fn map(rank: u8, inputs: usize, compute: impl FnOnce(&mut FragmentBuilder<'_>, &[ValueId]) -> ValueId) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Map, rank, 0);
    let operands: Vec<_> = (0..inputs).map(|_| kernel.operand(DType::F64, Access::Read, true)).collect();
    let to = kernel.operand(DType::F64, Access::Write, true);
    let mut body = kernel.body();
    let values: Vec<ValueId> = operands.into_iter().map(|operand| body.load(operand)).collect();
    let value = compute(&mut body, &values);
    body.store(to, value);
    kernel.finish()
}

/// A kernel that folds doubles over one inner axis, at each point of `outer` axes.
pub fn fold(outer: u8, fold: Fold) -> Kernel {
    let mut kernel = KernelBuilder::new(Template::Reduce, outer, 1);
    let from = kernel.operand(DType::F64, Access::Read, true);
    let dtype = if matches!(fold, Fold::Op(_)) { DType::F64 } else { DType::I64 };
    let to = kernel.operand(dtype, Access::Write, true);
    let value = kernel.body().load(from);
    let folded = kernel.accumulate(fold, value);
    let mut epilogue = kernel.epilogue();
    let value = epilogue.result(folded);
    epilogue.store(to, value);
    kernel.finish()
}

/// Ten operations in a row on two values.
pub fn chain(body: &mut FragmentBuilder<'_>, values: &[ValueId]) -> ValueId {
    let mut value = values[0];
    for i in 0..10 {
        value = body.apply([Op::Multiply, Op::Add, Op::Subtract][i % 3], &[value, values[1]]);
    }
    value
}

/// The portable backend's program of a kernel.
///
/// # Panics
/// Where the kernel is wrong.
pub fn compile(kernel: Kernel) -> Arc<dyn Program> {
    let verified = verify(kernel).unwrap_or_else(|error| panic!("{error}"));
    Portable::new().compile(&verified).unwrap_or_else(|error| panic!("{error}"))
}

/// Doubles between 0.5 and 1.5 on a cache line's boundary.
#[derive(Debug)]
pub struct Doubles(Vec<[f64; 8]>);

impl Doubles {
    /// At least `n` of them.
    pub fn new(n: usize) -> Doubles {
        let start = |i: usize| std::array::from_fn(|j| 0.5 + ((i * 8 + j) % 1000) as f64 / 1000.0);
        Doubles((0..n.div_ceil(8) + 1).map(start).collect())
    }

    /// The address of element `at`.
    pub fn at(&mut self, at: usize) -> *mut u8 {
        assert!(at < self.0.len() * 8, "element {at} is there");
        self.0.as_mut_ptr().cast::<f64>().wrapping_add(at).cast()
    }
}

/// Launches a program on the caller's thread.
///
/// # Safety
/// The memory that the launch reaches is there, as [`Program::launch`] asks.
pub unsafe fn launch(
    program: &dyn Program,
    (outer, inner): (&[usize], &[usize]),
    addresses: &[*mut u8],
    strides: &[isize],
) -> RaisedFlags {
    let launch = Launch { outer, inner, addresses, strides, scalars: &[] };
    // SAFETY: as the caller promises.
    unsafe { program.launch(&launch, &SingleThread) }.unwrap()
}

/// An evaluated array of `n` doubles between 0 and 1.
///
/// # Panics
/// Where there is no memory.
pub fn array(n: usize) -> Array {
    let array = Array::linspace(0.0, 1.0, n);
    array.evaluate().expect("there is memory");
    array
}
