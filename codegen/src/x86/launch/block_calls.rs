//! Block calls: machine code for several calls of the portable backend, in kernels that are not one loop.

use crate::drive::scratch::with as with_scratch;
use crate::x86::asm::level::Level;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{StrideKind, StrideKinds, VECTOR_BYTES};
use crate::x86::launch::compiled_loop::CompiledLoop;
use crate::x86::launch::{FoldFunction, JitHook, MapFunction};
use crate::{Kernel, Op, Verified, expand};
use std::fmt;

/// Compiles runs of calls for a level.
pub(crate) struct BlockCalls(pub(crate) Level);

fn stride_kinds(uniform: &[bool]) -> StrideKinds {
    uniform.iter().map(|&u| if u { StrideKind::Broadcast } else { StrideKind::Dense }).collect()
}

impl JitHook for BlockCalls {
    fn compile_map(&self, map: &Verified<Kernel>, uniform: &[bool]) -> Result<Box<dyn MapFunction>, usize> {
        let expanded = expand(map);
        match CompiledLoop::new(&Body::of(&expanded, self.0), &stride_kinds(uniform)) {
            Ok(compiled) => Ok(Box::new(compiled)),
            Err(none) => Err(expanded.body.origin[none.at] as usize),
        }
    }

    fn compile_fold(&self, map: &Verified<Kernel>, uniform: &[bool], ops: &[Op]) -> Option<Box<dyn FoldFunction>> {
        let expanded = expand(map);
        let body = Body::of(&expanded, self.0);
        let compiled = CompiledLoop::reduce(&body, &stride_kinds(uniform), ops).ok()?;
        Some(Box::new(ReduceCall { compiled, lanes: body.lanes, folds: ops.len() }))
    }
}

impl MapFunction for CompiledLoop {
    fn has_slow_path(&self) -> bool {
        CompiledLoop::has_slow_path(self)
    }

    #[inline]
    unsafe fn run(&self, addresses: &[*mut u8], n: usize) -> bool {
        with_scratch(self.arguments().bytes.next_multiple_of(VECTOR_BYTES), |block| {
            // SAFETY: the block has room for all arguments; the caller's contract.
            unsafe {
                self.write(block, addresses);
                CompiledLoop::run(self, block, n)
            }
        })
    }
}

impl CompiledLoop {
    /// Writes constants and addresses to an argument block.
    ///
    /// # Safety
    /// The block has room for all arguments.
    #[inline]
    unsafe fn write(&self, block: *mut u8, addresses: &[*mut u8]) {
        // SAFETY: the caller's contract.
        unsafe {
            self.arguments().write_constants(block);
            for (operand, &address) in addresses.iter().enumerate() {
                block.add(self.arguments().address(operand)).cast::<*mut u8>().write(address);
            }
        }
    }
}

/// The loop of a reduction over one block.
struct ReduceCall {
    compiled: CompiledLoop,
    lanes: usize,
    folds: usize,
}

impl FoldFunction for ReduceCall {
    fn lanes(&self) -> usize {
        self.lanes
    }

    #[inline]
    unsafe fn run(&self, addresses: &[*mut u8], n: usize, out: *mut u8) -> bool {
        with_scratch(self.compiled.arguments().bytes.next_multiple_of(VECTOR_BYTES), |block| {
            // SAFETY: the block has room for all arguments, the last of which are the folds' vectors; the caller's contract.
            unsafe {
                self.compiled.write(block, addresses);
                let complete = self.compiled.run(block, n);
                let vectors = block.add(self.compiled.arguments().folded);
                std::ptr::copy_nonoverlapping(vectors, out, self.folds * VECTOR_BYTES);
                complete
            }
        })
    }
}

impl fmt::Display for ReduceCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.compiled.fmt(f)
    }
}
