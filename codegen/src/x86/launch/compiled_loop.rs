//! The loop of a row in memory that runs.

use crate::Op;
use crate::x86::asm::arena::{Code, place};
use crate::x86::asm::disassembly::disassembly;
use crate::x86::loops::arguments::Arguments;
use crate::x86::loops::body::Body;
use crate::x86::loops::map_loop::{Lowered, Steps, Unsupported};
use crate::x86::loops::tail::Tail;
use std::fmt;

/// What a row's loop is called as: with its arguments and the number of elements.
type Entry = unsafe extern "sysv64" fn(*mut u8, usize);

/// A loop for one pattern of steps.
pub(crate) struct Row {
    code: Code,
    arguments: Arguments,
    /// What is done about the row's end, where the loop cannot.
    tail: Option<Tail>,
    /// Whether elementary functions may leave elements out.
    leaves_out: bool,
}

impl Row {
    /// Makes the loop.
    ///
    /// # Errors
    /// What of the body has no instructions here.
    pub(crate) fn new(body: &Body<'_>, steps: &Steps) -> Result<Row, Unsupported> {
        Row::of(body, body.lower(steps)?, Tail::of(body, steps))
    }

    /// Makes the loop that folds what the body would store, by these ops.
    ///
    /// # Errors
    /// What of it has no instructions here.
    pub(crate) fn fold(body: &Body<'_>, steps: &Steps, ops: &[Op]) -> Result<Row, Unsupported> {
        let inputs = body.kernel.operands.len() - ops.len();
        Row::of(body, body.lower_fold(steps, ops)?, Tail::of(body, &steps[..inputs]))
    }

    fn of(body: &Body<'_>, lowered: Lowered, tail: Option<Tail>) -> Result<Row, Unsupported> {
        let code = place(&lowered.code).map_err(|error| Unsupported { at: 0, what: error.to_string() })?;
        Ok(Row { code, arguments: lowered.arguments, tail, leaves_out: body.leaves_out() })
    }

    /// Where its arguments are in the block that it is called with.
    pub(crate) fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// Whether it may leave elements out.
    pub(crate) fn leaves_out(&self) -> bool {
        self.leaves_out
    }

    /// Runs it on `n` elements; false where elementary functions were left out.
    ///
    /// # Safety
    /// The block, aligned to a vector, holds all arguments: addresses of `n` elements each with the steps the loop was made
    /// for, scalars, constants, and what else [`Arguments`] has a place for.
    #[inline]
    pub(crate) unsafe fn run(&self, block: *mut u8, n: usize) -> bool {
        // SAFETY: the code was made as such a function, and lives as long as this.
        let entry: Entry = unsafe { std::mem::transmute(self.code.address()) };
        let tail = self.tail.as_ref().filter(|tail| tail.left(n) != 0);
        // SAFETY: the caller's contract; where elements may be left out the loop says so at its end.
        unsafe {
            if let Some(tail) = tail {
                tail.put(&self.arguments, block, n);
            }
            entry(block, n);
            if let Some(tail) = tail {
                tail.take(&self.arguments, block, n);
            }
            !self.leaves_out || block.add(self.arguments.odd).cast::<u64>().read() == 0
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} bytes", self.code.bytes().len())?;
        f.write_str(&disassembly(self.code.bytes()))
    }
}
