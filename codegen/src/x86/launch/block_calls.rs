//! Block calls: machine code for several calls of the portable backend, in kernels that are not one loop.

use crate::drive::scratch::with as with_scratch;
use crate::x86::asm::level::Level;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{StrideKind, StrideKinds, VECTOR_BYTES};
use crate::x86::isel::shifted_loads::Shifts;
use crate::x86::launch::compiled_loop::CompiledLoop;
use crate::x86::launch::second_version::SecondVersion;
use crate::x86::launch::{ColumnFunction, FoldFunction, JitHook, MapFunction, OperandKind};
use crate::x86::loops::reduce_loop::chains_of;
use crate::x86::predict::timing::Processor;
use crate::{Access, Expanded, Kernel, Op, OperandDecl, Verified, Version, expand_as};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// Bytes of a row from which on a call folds as few rows of columns as together are so many streams, and its accumulators wait in
/// memory for the next ones: rows of more would be on more pages than the prefetchers follow, and in more lines than the first-level cache
/// holds from one vector of columns to the next. Columns of an operand folded beside others that are kept, with 3, 6 and 9 streams of 2000 × 2000
/// doubles take 4.9, 8.1 and 14.3 ms by sixteen rows, and 3.5, 6.0 and 10.4 so (Zen 4). Measure: `python -m benches.fusing`.
const WIDE_ROW_BYTES: usize = 2048;
const ROW_STREAMS: usize = 12;

/// Compiles runs of calls for a processor.
pub(crate) struct BlockCalls(pub(crate) &'static Processor);

fn stride_kinds(kinds: &[OperandKind]) -> StrideKinds {
    let kind = |kind: &OperandKind| match kind {
        OperandKind::Contiguous => StrideKind::Dense,
        OperandKind::Uniform => StrideKind::Broadcast,
        OperandKind::NonTemporal => StrideKind::NonTemporal,
    };
    kinds.iter().map(kind).collect()
}

/// The kinds that a body has instructions for: non-temporal stores are of whole vectors.
fn supported(body: &Body<'_>, mut kinds: StrideKinds) -> StrideKinds {
    for (kind, operand) in kinds.iter_mut().zip(&body.kernel.operands) {
        if *kind == StrideKind::NonTemporal && body.lanes * operand.dtype.real().size() != body.level.vector() {
            *kind = StrideKind::Dense;
        }
    }
    kinds
}

impl JitHook for BlockCalls {
    fn compile_map(&self, map: &Verified<Kernel>, kinds: &[OperandKind]) -> Result<Box<dyn MapFunction>, usize> {
        Ok(Box::new(map_code(map, self.0, stride_kinds(kinds), Version::Common)?))
    }

    fn compile_fold(
        &self,
        map: &Verified<Kernel>,
        kinds: &[OperandKind],
        ops: &[Op],
        like: Option<&dyn FoldFunction>,
    ) -> Option<Arc<dyn FoldFunction>> {
        let folds = (ops, like.map(FoldFunction::chains));
        let found = fold_code(map, self.0, stride_kinds(kinds), folds, Version::Common)?;
        (like.is_none_or(|like| like.lanes() == found.lanes)).then(|| Arc::new(found) as Arc<dyn FoldFunction>)
    }
}

/// The loop of a map; else the first instruction that is not supported.
fn map_code(
    of: &Verified<Kernel>,
    processor: &'static Processor,
    kinds: StrideKinds,
    version: Version,
) -> Result<MapCode, usize> {
    let map = expand_as(of, version);
    let body = Body::of(&map, processor);
    let kinds = supported(&body, kinds);
    match CompiledLoop::new(&body, &kinds) {
        Ok(compiled) => {
            let code = BlockCode { compiled, of: of.clone(), map, processor, kinds, version };
            Ok(MapCode { code, second: SecondVersion::of(of) })
        }
        Err(none) => Err(map.body.origin[none.at] as usize),
    }
}

/// The loop of a reduction by these ops, if there is one, with so many chains if that is given.
fn fold_code(
    of: &Verified<Kernel>,
    processor: &'static Processor,
    kinds: StrideKinds,
    (ops, chains): (&[Op], Option<usize>),
    version: Version,
) -> Option<ReduceCode> {
    let map = expand_as(of, version);
    let body = Body::of(&map, processor);
    let kinds = supported(&body, kinds);
    let chains = chains.or_else(|| chains_of(&body, ops))?;
    let compiled = CompiledLoop::reduce(&body, &kinds, (ops, chains)).ok()?;
    let lanes = body.lanes;
    let code = BlockCode { compiled, of: of.clone(), map, processor, kinds, version };
    Some(ReduceCode { code, lanes, chains, ops: ops.into(), second: SecondVersion::of(of) })
}

/// The loop of a reduction by columns by these ops, if there is one.
fn column_code(
    of: &Verified<Kernel>,
    processor: &'static Processor,
    kinds: StrideKinds,
    ops: &[Op],
    version: Version,
) -> Option<ColumnCode> {
    let map = expand_as(of, version);
    let body = Body::of(&map, processor);
    let kinds = supported(&body, kinds);
    let compiled = CompiledLoop::columns(&body, &kinds, ops).ok()?;
    let lanes = body.lanes;
    let code = BlockCode { compiled, of: of.clone(), map, processor, kinds, version };
    Some(ColumnCode { code, lanes, ops: ops.into(), second: SecondVersion::of(of) })
}

/// The loop of a block. What it was compiled from is kept for its second version and for listings.
struct BlockCode {
    compiled: CompiledLoop,
    /// The map, as it was and expanded.
    of: Verified<Kernel>,
    map: Expanded,
    processor: &'static Processor,
    kinds: StrideKinds,
    version: Version,
}

/// The loop of a map over one block.
struct MapCode {
    code: BlockCode,
    second: SecondVersion<MapCode>,
}

impl MapCode {
    /// Makes the second version.
    #[cold]
    fn make_second(&self) -> Option<MapCode> {
        let code = &self.code;
        let make = || map_code(&code.of, code.processor, code.kinds.clone(), Version::Special).ok();
        if code.version == Version::Common { make() } else { None }
    }

    /// The version that re-executes so many elements at these addresses, if there is one and results have not overwritten what it reads.
    #[cold]
    fn again(&self, addresses: &[*mut u8], elements: usize) -> Option<&MapCode> {
        let code = &self.code;
        let second = self.second.after_slow(elements, || self.make_second())?;
        let at = |access| addresses.iter().zip(&code.of.operands).filter(move |(_, o)| o.access == access);
        let is_overwritten = at(Access::Write).any(|(written, _)| at(Access::Read).any(|(read, _)| read == written));
        (!is_overwritten).then_some(second)
    }

    /// Runs this version alone.
    ///
    /// # Safety
    /// As [`MapFunction::run_rows`].
    unsafe fn run_version(&self, addresses: &[*mut u8], pitches: &[isize], n: usize, rows: usize) -> bool {
        let compiled = &self.code.compiled;
        with_scratch(compiled.arguments().bytes.next_multiple_of(VECTOR_BYTES), |block| {
            let nests = rows > 1 && n >= compiled.shortest_row();
            let mut complete = true;
            // SAFETY: the block has room for all arguments; the caller's contract, for each row.
            unsafe {
                compiled.write(block, addresses);
                if nests {
                    compiled.write_pitches(block, pitches);
                }
                let (calls, rows) = if nests { (1, rows) } else { (rows, 1) };
                for call in 0..calls {
                    complete &= compiled.run(block, n, rows);
                    for (operand, &pitch) in pitches.iter().enumerate().filter(|_| call + 1 < calls) {
                        let at = block.add(compiled.arguments().address(operand)).cast::<*mut u8>();
                        at.write(at.read().wrapping_offset(pitch));
                    }
                }
            }
            complete
        })
    }
}

impl MapFunction for MapCode {
    fn has_slow_path(&self) -> bool {
        self.code.compiled.has_slow_path()
    }

    fn shortest_row(&self) -> usize {
        self.code.compiled.shortest_row()
    }

    #[inline]
    unsafe fn run(&self, addresses: &[*mut u8], n: usize) -> bool {
        // SAFETY: the caller's contract; one row needs no pitches.
        unsafe { self.run_rows(addresses, &[], n, 1) }
    }

    #[inline]
    unsafe fn run_rows(&self, addresses: &[*mut u8], pitches: &[isize], n: usize, rows: usize) -> bool {
        let elements = n * rows;
        let again = || self.again(addresses, elements);
        // SAFETY: the caller's contract; what was overwritten is not read again.
        let run = |code: &MapCode| unsafe { code.run_version(addresses, pitches, n, rows) };
        self.second.run(self, elements, || self.make_second(), again, run)
    }
}

impl fmt::Display for MapCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = &self.code;
        f.write_str(&code.compiled.listing(Body::of(&code.map, code.processor), &code.kinds, &Shifts::default()))
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
            self.write_addresses(block, addresses.iter().copied());
        }
    }

    /// Writes addresses to an argument block.
    ///
    /// # Safety
    /// As [`CompiledLoop::write`].
    #[inline]
    unsafe fn write_addresses(&self, block: *mut u8, addresses: impl Iterator<Item = *mut u8>) {
        for (operand, address) in addresses.enumerate() {
            // SAFETY: the caller's contract.
            unsafe { block.add(self.arguments().address(operand)).cast::<*mut u8>().write(address) };
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
    code: BlockCode,
    lanes: usize,
    chains: usize,
    ops: SmallVec<[Op; 4]>,
    second: SecondVersion<ReduceCode>,
}

impl ReduceCode {
    /// Makes the second version, which folds in the same order.
    #[cold]
    fn make_second(&self) -> Option<ReduceCode> {
        let (code, folds) = (&self.code, (&self.ops[..], Some(self.chains)));
        let make = || fold_code(&code.of, code.processor, code.kinds.clone(), folds, Version::Special);
        if code.version == Version::Common { make().filter(|second| second.lanes == self.lanes) } else { None }
    }

    /// Runs this version alone.
    ///
    /// # Safety
    /// As [`FoldFunction::run`].
    #[inline]
    unsafe fn run_version(
        &self,
        addresses: &[*mut u8],
        pitches: &[isize],
        n: usize,
        rows: usize,
        out: *mut u8,
    ) -> bool {
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
        let elements = n * rows;
        let again = || self.second.after_slow(elements, || self.make_second());
        // SAFETY: the caller's contract; what is stored overlaps nothing that is read.
        let run = |code: &ReduceCode| unsafe { code.run_version(addresses, pitches, n, rows, out) };
        self.second.run(self, elements, || self.make_second(), again, run)
    }

    fn with_kinds(&self, kinds: &[OperandKind]) -> Option<Arc<dyn FoldFunction>> {
        let folds = (&self.ops[..], Some(self.chains));
        let found = fold_code(&self.code.of, self.code.processor, stride_kinds(kinds), folds, Version::Common)?;
        Some(Arc::new(found))
    }

    fn by_columns(&self, kinds: &[OperandKind]) -> Option<Arc<dyn ColumnFunction>> {
        let found = column_code(&self.code.of, self.code.processor, stride_kinds(kinds), &self.ops, Version::Common)?;
        Some(Arc::new(found))
    }
}

/// The loop of a reduction by columns over one block.
struct ColumnCode {
    code: BlockCode,
    lanes: usize,
    ops: SmallVec<[Op; 4]>,
    second: SecondVersion<ColumnCode>,
}

impl ColumnCode {
    /// Makes the second version.
    #[cold]
    fn make_second(&self) -> Option<ColumnCode> {
        let code = &self.code;
        let make = || column_code(&code.of, code.processor, code.kinds.clone(), &self.ops, Version::Special);
        if code.version == Version::Common { make() } else { None }
    }

    /// The most rows of `n` columns that a call folds, where that may be fewer than there are.
    fn rows_of_call(&self, pitches: &[isize], n: usize) -> Option<usize> {
        // Without lane masks the last vector of columns overlaps the one before, which would be folded twice.
        let may_go_on = self.code.processor.level == Level::Avx512 || n.is_multiple_of(self.lanes);
        let code = &self.code;
        let is_stream = |((operand, kind), pitch): ((&OperandDecl, &StrideKind), &isize)| {
            *pitch != 0 && *kind != StrideKind::Broadcast && n * operand.dtype.size() >= WIDE_ROW_BYTES
        };
        let streams = code.of.operands.iter().zip(&code.kinds).zip(pitches).filter(|&row| is_stream(row)).count();
        (may_go_on && streams > 0).then(|| (ROW_STREAMS / streams).max(1))
    }

    /// Runs this version alone.
    ///
    /// # Safety
    /// As [`ColumnFunction::run`].
    unsafe fn run_version(&self, addresses: &[*mut u8], pitches: &[isize], n: usize, rows: usize) -> bool {
        let compiled = &self.code.compiled;
        with_scratch(compiled.arguments().bytes.next_multiple_of(VECTOR_BYTES), |block| {
            // SAFETY: the block has room for all arguments; the caller's contract.
            unsafe {
                compiled.arguments().write_constants(block);
                compiled.write_pitches(block, pitches);
                let step = self.rows_of_call(pitches, n).unwrap_or(rows);
                let next_rows = block.add(compiled.arguments().next_rows).cast::<isize>();
                for (operand, &pitch) in pitches.iter().enumerate() {
                    next_rows.add(operand).write(step as isize * pitch);
                }
                let mut complete = n >= self.lanes;
                for row in (0..rows).step_by(step).take_while(|_| n >= self.lanes) {
                    let at_row = |(address, &pitch): (&*mut u8, &isize)| address.wrapping_offset(row as isize * pitch);
                    compiled.write_addresses(block, addresses.iter().zip(pitches).map(at_row));
                    block.add(compiled.arguments().folded).cast::<u64>().write(u64::from(row > 0));
                    complete &= compiled.run(block, n, step.min(rows - row));
                }
                complete
            }
        })
    }
}

impl ColumnFunction for ColumnCode {
    unsafe fn run(&self, addresses: &[*mut u8], pitches: &[isize], n: usize, rows: usize) -> bool {
        let elements = n * rows;
        let again = || self.second.after_slow(elements, || self.make_second());
        // SAFETY: the caller's contract; what is stored overlaps nothing that is read.
        let run = |code: &ColumnCode| unsafe { code.run_version(addresses, pitches, n, rows) };
        self.second.run(self, elements, || self.make_second(), again, run)
    }
}

impl fmt::Display for ReduceCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = Body::of(&self.code.map, self.code.processor);
        f.write_str(&self.code.compiled.reduce_listing(body, &self.code.kinds, (&self.ops, self.chains)))
    }
}
