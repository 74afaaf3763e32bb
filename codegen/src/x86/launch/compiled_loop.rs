//! A compiled loop: its code in executable memory, the layout of its argument block, and its tail.

use crate::Op;
use crate::x86::asm::arena::{ExecutableCode, map_executable};
use crate::x86::asm::disassembly::disassembly;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::StrideKinds;
use crate::x86::isel::select::Unsupported;
use crate::x86::loops::prologue::LoopCode;
use crate::x86::loops::tail::Tail;
use std::fmt;

/// The signature of a loop: the argument block and the number of elements.
type LoopFn = unsafe extern "sysv64" fn(*mut u8, usize);

/// A loop for one pattern of stride kinds.
pub(crate) struct CompiledLoop {
    code: ExecutableCode,
    arguments: Arguments,
    /// The tail of a row, where the loop has no masks.
    tail: Option<Tail>,
    /// Whether an elementary function has a slow path.
    has_slow_path: bool,
}

impl CompiledLoop {
    /// Compiles the loop.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn new(body: &Body<'_>, kinds: &StrideKinds) -> Result<CompiledLoop, Unsupported> {
        CompiledLoop::of(body, body.lower(kinds)?, Tail::of(body, kinds))
    }

    /// Compiles the loop that folds what the body would store, by these ops.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn reduce(body: &Body<'_>, kinds: &StrideKinds, ops: &[Op]) -> Result<CompiledLoop, Unsupported> {
        let inputs = body.kernel.operands.len() - ops.len();
        CompiledLoop::of(body, body.lower_reduce(kinds, ops)?, Tail::of(body, &kinds[..inputs]))
    }

    fn of(body: &Body<'_>, loop_code: LoopCode, tail: Option<Tail>) -> Result<CompiledLoop, Unsupported> {
        let code = map_executable(&loop_code.code).map_err(|error| Unsupported { at: 0, what: error.to_string() })?;
        Ok(CompiledLoop { code, arguments: loop_code.arguments, tail, has_slow_path: body.has_slow_path() })
    }

    /// The layout of its argument block.
    pub(crate) fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// Whether an elementary function has a slow path.
    pub(crate) fn has_slow_path(&self) -> bool {
        self.has_slow_path
    }

    /// Runs it on `n` elements; false where there were slow-path lanes.
    ///
    /// # Safety
    /// The block, aligned to a vector, holds all arguments: addresses of `n` elements each with the stride kinds of the loop,
    /// scalars, constants, and the rest of [`Arguments`].
    #[inline]
    pub(crate) unsafe fn run(&self, block: *mut u8, n: usize) -> bool {
        // SAFETY: the code was made as such a function, and lives as long as this.
        let entry: LoopFn = unsafe { std::mem::transmute(self.code.address()) };
        let tail = self.tail.as_ref().filter(|tail| tail.remainder(n) != 0);
        // SAFETY: the caller's contract; a loop with a slow path stores whether it was needed.
        unsafe {
            if let Some(tail) = tail {
                tail.prepare(&self.arguments, block, n);
            }
            entry(block, n);
            if let Some(tail) = tail {
                tail.write_back(&self.arguments, block, n);
            }
            !self.has_slow_path || block.add(self.arguments.slow_lanes).cast::<u64>().read() == 0
        }
    }
}

impl fmt::Display for CompiledLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} bytes", self.code.bytes().len())?;
        f.write_str(&disassembly(self.code.bytes()))
    }
}
