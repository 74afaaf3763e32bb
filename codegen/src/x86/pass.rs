//! Functions in the place of several calls of the portable backend, for kernels that are not one loop.

use super::lower::{Body, Step, VECTOR};
use super::row::Row;
use crate::portable::{Fuse, Fused, with_scratch};
use crate::{Kernel, Verified, expand};

/// Makes such functions.
pub(super) struct Passes;

impl Fuse for Passes {
    fn fuse(&self, map: &Verified<Kernel>, uniform: &[bool]) -> Result<Box<dyn Fused>, usize> {
        let expanded = expand(map);
        let steps = uniform.iter().map(|&u| if u { Step::Still } else { Step::Dense }).collect();
        match Row::new(&Body::of(&expanded), &steps) {
            Ok(row) => Ok(Box::new(row)),
            Err(none) => Err(expanded.body.origin[none.at] as usize),
        }
    }
}

impl Fused for Row {
    fn leaves_out(&self) -> bool {
        Row::leaves_out(self)
    }

    #[inline]
    unsafe fn run(&self, addresses: &[*mut u8], n: usize) -> bool {
        let arguments = self.arguments();
        with_scratch(arguments.bytes.next_multiple_of(VECTOR), |block| {
            // SAFETY: the block has room for all arguments; the caller's contract.
            unsafe {
                self.put_constants(block);
                for (operand, &address) in addresses.iter().enumerate() {
                    block.add(arguments.address(operand)).cast::<*mut u8>().write(address);
                }
                Row::run(self, block, n)
            }
        })
    }
}
