//! Block calls: machine code for several calls of the portable backend, in kernels that are not one loop.

use crate::drive::scratch::with as with_scratch;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{StrideKind, StrideKinds, VECTOR_BYTES};
use crate::x86::launch::compiled_loop::CompiledLoop;
use crate::x86::launch::{ColumnFunctions, FoldFunction, JitHook, MapFunction, accumulating};
use crate::x86::loops::reduce_loop::chains_of;
use crate::x86::predict::timing::Processor;
use crate::{Expanded, Kernel, Op, Verified, expand};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// Compiles runs of calls for a processor.
pub(crate) struct BlockCalls(pub(crate) &'static Processor);

fn stride_kinds(uniform: &[bool]) -> StrideKinds {
    uniform.iter().map(|&u| if u { StrideKind::Broadcast } else { StrideKind::Dense }).collect()
}

impl JitHook for BlockCalls {
    fn compile_map(&self, map: &Verified<Kernel>, uniform: &[bool]) -> Result<Box<dyn MapFunction>, usize> {
        Ok(Box::new(map_code(map, self.0, uniform)?))
    }

    fn compile_fold(
        &self,
        map: &Verified<Kernel>,
        uniform: &[bool],
        ops: &[Op],
        like: Option<&dyn FoldFunction>,
    ) -> Option<Arc<dyn FoldFunction>> {
        let found = fold_code(map, self.0, uniform, (ops, like.map(FoldFunction::chains)))?;
        (like.is_none_or(|like| like.lanes() == found.lanes)).then(|| Arc::new(found) as Arc<dyn FoldFunction>)
    }
}

/// The loop of a map; else the first instruction that is not supported.
fn map_code(map: &Verified<Kernel>, processor: &'static Processor, uniform: &[bool]) -> Result<MapCode, usize> {
    let (map, kinds) = (expand(map), stride_kinds(uniform));
    match CompiledLoop::new(&Body::of(&map, processor), &kinds) {
        Ok(compiled) => Ok(MapCode { compiled, map, processor, kinds }),
        Err(none) => Err(map.body.origin[none.at] as usize),
    }
}

/// The loop of a reduction by these ops, if there is one, with so many chains if that is given.
fn fold_code(
    of: &Verified<Kernel>,
    processor: &'static Processor,
    uniform: &[bool],
    (ops, chains): (&[Op], Option<usize>),
) -> Option<ReduceCode> {
    let (map, kinds) = (expand(of), stride_kinds(uniform));
    let body = Body::of(&map, processor);
    let chains = chains.or_else(|| chains_of(&body, ops))?;
    let compiled = CompiledLoop::reduce(&body, &kinds, (ops, chains)).ok()?;
    let lanes = body.lanes;
    Some(ReduceCode {
        code: MapCode { compiled, map, processor, kinds },
        of: of.clone(),
        lanes,
        chains,
        ops: ops.into(),
    })
}

/// The loop of a map over one block. What it was compiled from is kept for listings.
struct MapCode {
    compiled: CompiledLoop,
    map: Expanded,
    processor: &'static Processor,
    kinds: StrideKinds,
}

impl MapFunction for MapCode {
    fn has_slow_path(&self) -> bool {
        self.compiled.has_slow_path()
    }

    fn shortest_row(&self) -> usize {
        self.compiled.shortest_row()
    }

    #[inline]
    unsafe fn run(&self, addresses: &[*mut u8], n: usize) -> bool {
        let compiled = &self.compiled;
        with_scratch(compiled.arguments().bytes.next_multiple_of(VECTOR_BYTES), |block| {
            // SAFETY: the block has room for all arguments; the caller's contract.
            unsafe {
                compiled.write(block, addresses);
                compiled.run(block, n, 1)
            }
        })
    }

    unsafe fn run_rows(&self, addresses: &[*mut u8], pitches: &[isize], n: usize, rows: usize) -> bool {
        let compiled = &self.compiled;
        with_scratch(compiled.arguments().bytes.next_multiple_of(VECTOR_BYTES), |block| {
            let nests = n >= compiled.shortest_row();
            let mut complete = true;
            // SAFETY: as above, for each row.
            unsafe {
                compiled.write(block, addresses);
                if nests {
                    compiled.write_pitches(block, pitches);
                }
                let (calls, rows) = if nests { (1, rows) } else { (rows, 1) };
                for _ in 0..calls {
                    complete &= compiled.run(block, n, rows);
                    for (operand, &pitch) in pitches.iter().enumerate().filter(|_| !nests) {
                        let at = block.add(compiled.arguments().address(operand)).cast::<*mut u8>();
                        at.write(at.read().wrapping_offset(pitch));
                    }
                }
            }
            complete
        })
    }
}

impl fmt::Display for MapCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.compiled.listing(Body::of(&self.map, self.processor), &self.kinds))
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

    /// Writes the bytes from one row to the next to an argument block.
    ///
    /// # Safety
    /// As [`CompiledLoop::write`].
    #[inline]
    unsafe fn write_pitches(&self, block: *mut u8, pitches: &[isize]) {
        for (operand, &pitch) in pitches.iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { block.add(self.arguments().pitch(operand)).cast::<isize>().write(pitch) };
        }
    }
}

/// The loop of a reduction over one block.
struct ReduceCode {
    code: MapCode,
    /// The map before expansion.
    of: Verified<Kernel>,
    lanes: usize,
    chains: usize,
    ops: SmallVec<[Op; 4]>,
}

impl FoldFunction for ReduceCode {
    fn lanes(&self) -> usize {
        self.lanes
    }

    fn chains(&self) -> usize {
        self.chains
    }

    #[inline]
    unsafe fn run(&self, addresses: &[*mut u8], pitches: &[isize], n: usize, rows: usize, out: *mut u8) -> bool {
        let compiled = &self.code.compiled;
        with_scratch(compiled.arguments().bytes.next_multiple_of(VECTOR_BYTES), |block| {
            // SAFETY: the block has room for all arguments; the caller's contract.
            unsafe {
                compiled.write(block, addresses);
                if rows > 1 {
                    compiled.write_pitches(block, pitches);
                }
                block.add(compiled.arguments().folded).cast::<*mut u8>().write(out);
                compiled.run(block, n, rows)
            }
        })
    }

    fn with_uniform(&self, uniform: &[bool]) -> Option<Arc<dyn FoldFunction>> {
        let found = fold_code(&self.of, self.code.processor, uniform, (&self.ops, Some(self.chains)))?;
        Some(Arc::new(found))
    }

    fn by_columns(&self, uniform: &[bool]) -> Option<ColumnFunctions> {
        let processor = self.code.processor;
        let uniform = [uniform, &SmallVec::<[bool; 4]>::from_elem(false, self.ops.len())].concat();
        let first = map_code(&self.of, processor, &uniform[..self.of.operands.len()]).ok()?;
        let next = map_code(&accumulating(&self.of, &self.ops)?, processor, &uniform).ok()?;
        Some(ColumnFunctions { first: Box::new(first), next: Box::new(next) })
    }
}

impl fmt::Display for ReduceCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = Body::of(&self.code.map, self.code.processor);
        f.write_str(&self.code.compiled.reduce_listing(body, &self.code.kinds, (&self.ops, self.chains)))
    }
}
