//! Functions in the place of several calls of the portable backend, for kernels that are not one loop.

use crate::drive::scratch::with as with_scratch;
use crate::portable::{FoldFunction, JitHook, MapFunction};
use crate::x86::asm::level::Level;
use crate::x86::launch::compiled_loop::Row;
use crate::x86::loops::body::Body;
use crate::x86::loops::map_loop::{Step, Steps, VECTOR};
use crate::{Kernel, Op, Verified, expand};
use std::fmt;

/// Makes such functions.
pub(crate) struct Passes(pub(crate) Level);

fn steps(uniform: &[bool]) -> Steps {
    uniform.iter().map(|&u| if u { Step::Still } else { Step::Dense }).collect()
}

impl JitHook for Passes {
    fn compile_map(&self, map: &Verified<Kernel>, uniform: &[bool]) -> Result<Box<dyn MapFunction>, usize> {
        let expanded = expand(map);
        match Row::new(&Body::of(&expanded, self.0), &steps(uniform)) {
            Ok(row) => Ok(Box::new(row)),
            Err(none) => Err(expanded.body.origin[none.at] as usize),
        }
    }

    fn compile_fold(&self, map: &Verified<Kernel>, uniform: &[bool], ops: &[Op]) -> Option<Box<dyn FoldFunction>> {
        let expanded = expand(map);
        let body = Body::of(&expanded, self.0);
        let row = Row::fold(&body, &steps(uniform), ops).ok()?;
        Some(Box::new(Folded { row, lanes: body.lanes, folds: ops.len() }))
    }
}

impl MapFunction for Row {
    fn has_slow_path(&self) -> bool {
        Row::leaves_out(self)
    }

    #[inline]
    unsafe fn run(&self, addresses: &[*mut u8], n: usize) -> bool {
        with_scratch(self.arguments().bytes.next_multiple_of(VECTOR), |block| {
            // SAFETY: the block has room for all arguments; the caller's contract.
            unsafe {
                self.put(block, addresses);
                Row::run(self, block, n)
            }
        })
    }
}

impl Row {
    /// Writes constants and addresses to a block of arguments.
    ///
    /// # Safety
    /// The block has room for all arguments.
    #[inline]
    unsafe fn put(&self, block: *mut u8, addresses: &[*mut u8]) {
        // SAFETY: the caller's contract.
        unsafe {
            self.arguments().put_constants(block);
            for (operand, &address) in addresses.iter().enumerate() {
                block.add(self.arguments().address(operand)).cast::<*mut u8>().write(address);
            }
        }
    }
}

/// A row's loop that folds.
struct Folded {
    row: Row,
    lanes: usize,
    folds: usize,
}

impl FoldFunction for Folded {
    fn lanes(&self) -> usize {
        self.lanes
    }

    #[inline]
    unsafe fn run(&self, addresses: &[*mut u8], n: usize, out: *mut u8) -> bool {
        with_scratch(self.row.arguments().bytes.next_multiple_of(VECTOR), |block| {
            // SAFETY: the block has room for all arguments, the last of which are the folds' vectors; the caller's contract.
            unsafe {
                self.row.put(block, addresses);
                let complete = self.row.run(block, n);
                let vectors = block.add(self.row.arguments().folded);
                std::ptr::copy_nonoverlapping(vectors, out, self.folds * VECTOR);
                complete
            }
        })
    }
}

impl fmt::Display for Folded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.row.fmt(f)
    }
}
