//! The backend interface: what the array layer calls to compile and launch kernels.
//!
//! A [`Backend`] takes a [`Verified`] kernel and returns a [`Program`]; a program is launched with extents, addresses,
//! strides and scalars. There is no method for any op.

pub mod composed;
pub mod device;
pub mod fault;
pub mod routine;

use crate::{DeviceError, FpFlags, Kernel, Scalar, Verified, cost};
use smallvec::SmallVec;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A backend compiles kernels to programs.
pub trait Backend: Send + Sync {
    /// The name that users select it by.
    fn name(&self) -> &'static str;

    /// Compiles a kernel.
    ///
    /// # Errors
    /// If the backend cannot compile this kernel; the error contains the printed kernel.
    fn compile(&self, kernel: &Verified<Kernel>) -> Result<Arc<dyn Program>, CompileError>;

    /// Cost model: nanoseconds of an op that costs one addition, for an element of eight bytes.
    fn instruction_ns(&self) -> f64 {
        cost::INTERPRETED_NS
    }
}

/// A compiled kernel.
pub trait Program: Send + Sync {
    /// Runs the kernel over a domain.
    ///
    /// Returns the floating-point flags raised, by instruction; instructions that raised none are left out.
    ///
    /// # Errors
    /// Those of a [`crate::Device`]; a launch on the host's memory does not fail.
    ///
    /// # Safety
    /// Every address that a point of the domain gives an operand must be valid for the access it declares and aligned
    /// for its type, no other thread may access stored locations during the launch, and the operands may alias only as
    /// the kernel's semantics allow (see [`crate::ir::kernel`]). The processor must have the instructions that the backend compiles for.
    unsafe fn launch(&self, launch: &Launch<'_>, workers: &dyn ThreadPool) -> Result<RaisedFlags, DeviceError>;

    /// The fast path of launches: runs one on the caller's thread if it is small and simple. Returns false where it is not, or where it raised
    /// floating-point flags other than underflow: then some results may have been stored, and [`Program::launch`] has to run it. The thread's
    /// floating-point status is as before.
    ///
    /// # Safety
    /// That of [`Program::launch`]; and no location that is stored to is another one of the launch.
    unsafe fn launch_small(&self, _launch: &Launch<'_>) -> bool {
        false
    }

    /// Prepares launches that are alike: of these extents and strides, with inputs as far from each other, and results as far from the begin of
    /// a cache line. Nothing where they are not as [`Program::launch_small`] needs, or will run in another way after some.
    fn prepare(&self, _launch: &Launch<'_>) -> Option<Box<dyn PreparedLaunch>> {
        None
    }

    /// The loop of machine code for rows whose operands are dense or, where the mark of an operand says so, have one element for the whole
    /// row; nothing where that loop needs a launch around it, which re-executes slow-path lanes, or begins tasks.
    fn direct_loop(&self, _is_broadcast: &[bool]) -> Option<DirectLoop> {
        None
    }

    /// Text for people: generated source, disassembly, or the resolved instruction list.
    fn listing(&self) -> String;

    /// The name of the strategy that a launch is driven by, for debug output; empty where a program has but one. Only the program can
    /// tell, as the choice depends on what its kernel is capable of.
    fn strategy(&self, _launch: &Launch<'_>) -> &'static str {
        ""
    }
}

/// What a program has found out about launches that are alike.
pub trait PreparedLaunch: Send + Sync {
    /// Runs one, as [`Program::launch_small`] does, with these addresses, and with scalars in the low bytes of words.
    ///
    /// # Safety
    /// That of [`Program::launch_small`]; the launch is like the one that was prepared.
    unsafe fn run(&self, addresses: &[*mut u8], scalars: &[u64]) -> bool;
}

/// A loop of machine code that compiled code calls itself, without a launch: a function in the System V convention of the address of an
/// argument block, a number of elements, and a number of rows, of which there is one at the least. It leaves floating-point flags in the
/// status word.
pub struct DirectLoop {
    /// The function's address.
    pub entry: usize,
    /// Bytes of the argument block, which is aligned to 64.
    pub bytes: usize,
    /// By operand: where the block has its address.
    pub addresses: Vec<usize>,
    /// By operand: where it has the bytes from one row to the next.
    pub pitches: Vec<usize>,
    /// By scalar: where it has the scalar, in eight bytes, of which one of four takes both halves.
    pub scalars: Vec<usize>,
    /// Where it has constants, and their eight bytes.
    pub constants: Vec<(usize, u64)>,
    /// What keeps the code.
    pub(crate) _code: Arc<dyn Any + Send + Sync>,
}

/// Arguments of one launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Extents of the outer axes, slowest first.
    pub outer: &'a [usize],
    /// Extents of the inner axes, slowest first.
    pub inner: &'a [usize],
    /// Addresses of the operands at the domain's origin, in the kernel's order.
    pub addresses: &'a [*mut u8],
    /// Byte strides, operand by operand: `outer.len() + inner.len()` of them each.
    pub strides: &'a [isize],
    /// The scalar parameters, in the kernel's order and types.
    pub scalars: &'a [Scalar],
}

impl Launch<'_> {
    /// The byte strides of an operand over outer and inner axes.
    #[inline]
    pub fn strides_of(&self, operand: usize) -> &[isize] {
        let rank = self.outer.len() + self.inner.len();
        &self.strides[operand * rank..][..rank]
    }
}

/// The floating-point flags raised by a launch, by instruction: (in the epilogue?, instruction, flags).
pub type RaisedFlags = SmallVec<[(bool, u32, FpFlags); 1]>;

/// The threads that a launch may use.
pub trait ThreadPool: Sync {
    /// How many tasks run at once; one means the caller's thread alone.
    fn count(&self) -> usize;

    /// How many tasks to divide work into that takes this long on one thread: one if it is too little to divide.
    fn tasks(&self, nanoseconds: f64) -> usize {
        if self.count() == 1 { 1 } else { ((nanoseconds / cost::GRAIN_NS) as usize).clamp(1, 4 * self.count()) }
    }

    /// Runs `task(0..tasks)`, each once, in any order, and returns when all are done.
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync));
}

/// The caller's thread alone.
pub struct SingleThread;

impl ThreadPool for SingleThread {
    fn count(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).for_each(task);
    }
}

/// A backend could not compile a kernel.
#[derive(Debug)]
pub struct CompileError {
    /// Why.
    pub reason: String,
    /// The kernel as text.
    pub kernel: String,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.reason, self.kernel)
    }
}

impl std::error::Error for CompileError {}
