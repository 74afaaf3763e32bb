//! Scans along an axis that is not the fastest: each row of columns is a map of its inputs and the results of the row before.
//!
//! One map computes the first row. Another computes all others, and reads the results stored for the row before: its rows run in
//! order. A block of columns goes down all rows before the next block, so that the row before is in the first-level cache.

use crate::drive::fp_status;
use crate::drive::parallel::{SharedLaunch, estimate_ns, parallel_for};
use crate::drive::strategy::{COLUMN_BLOCK, COLUMN_SCAN_NS};
use crate::ir::build::visit;
use crate::ir::kernel;
use crate::ir::verify::verify;
use crate::x86::launch::Portable;
use crate::x86::launch::effects::Overwriting;
use crate::x86::launch::program::LoopProgram;
use crate::x86::predict::timing::Processor;
use crate::{
    Access, FpFlags, Fragment, Inst, Kernel, Launch, OperandDecl, OperandId, RaisedFlags, SingleThread, Template,
    ThreadPool, ValueId, Verified, Version,
};
use smallvec::SmallVec;
use std::ops::Range;

/// A scan by columns: the maps of its rows.
pub(crate) struct ColumnScan {
    first: RowMap,
    others: RowMap,
    /// By accumulator, the operand that its results are stored to.
    results: SmallVec<[u16; 2]>,
    bytes: usize,
}

/// A map of a row.
struct RowMap {
    program: LoopProgram,
    origin: Origins,
}

/// By instruction of a map: the instruction of the scan that it implements, after whether that is one of the epilogue.
type Origins = Vec<(bool, u32)>;

impl ColumnScan {
    /// Whether a scan has the form that runs by columns: it uses no coordinates, scatters nothing and stores every result.
    pub(crate) fn has_form(kernel: &Kernel) -> bool {
        let is_unsupported = |inst: &Inst| matches!(inst, Inst::Index(_) | Inst::Scatter(..));
        !kernel.body.insts.iter().chain(&kernel.epilogue.insts).any(is_unsupported)
            && (0..kernel.accumulators.len()).all(|i| stored(kernel, i).is_some())
    }

    /// Compiles the maps of a scan; none where it uses coordinates, or does not store a result.
    pub(crate) fn of(kernel: &Kernel, processor: &'static Processor, portable: &Portable) -> Option<ColumnScan> {
        if !ColumnScan::has_form(kernel) {
            return None;
        }
        let results = (0..kernel.accumulators.len()).map(|i| stored(kernel, i)).collect::<Option<_>>()?;
        let of = |before: &[u16]| {
            let (map, origin) = map_of(kernel, before)?;
            let mut program = LoopProgram::new(&map, processor, portable, Version::Common, Overwriting::Saves).ok()?;
            // The next row reads the results, so they stay in the cache; and blocks need the same loops as the whole launch.
            program.keeps_results_cached = true;
            // A row reads the results of the row before, so that one is re-executed before it runs.
            program.nests &= program.forms.single_pass;
            Some(RowMap { program, origin })
        };
        let results: SmallVec<[u16; 2]> = results;
        let bytes = kernel.operands.iter().map(|operand| operand.dtype.size()).sum();
        Some(ColumnScan { first: of(&[])?, others: of(&results)?, results, bytes })
    }

    /// Whether a launch has columns, and loops for its rows.
    pub(crate) fn may_run(&self, launch: &Launch<'_>) -> bool {
        let Some(fast) = launch.outer.iter().rposition(|&n| n > 1) else { return false };
        // If all columns can be planned, so can blocks of them.
        let whole = ColumnBlock::new(self, launch, fast, 0, 0..launch.outer[fast]);
        self.others.program.plan(&whole.others(launch)).is_some()
            && self.first.program.plan(&whole.first(launch)).is_some()
    }

    /// Runs the scan; none where a row has no loop.
    ///
    /// # Safety
    /// As [`Program::launch`](crate::Program::launch).
    pub(crate) unsafe fn launch(&self, launch: &Launch<'_>, workers: &dyn ThreadPool) -> Option<RaisedFlags> {
        if !self.may_run(launch) {
            return None;
        }
        let fast = launch.outer.iter().rposition(|&n| n > 1)?;
        let columns = launch.outer[fast];
        let rows: usize = launch.outer.iter().enumerate().filter(|(axis, _)| *axis != fast).map(|(_, n)| n).product();
        let blocks = columns.div_ceil(COLUMN_BLOCK);
        let nanoseconds = estimate_ns(rows * columns * launch.inner[0], COLUMN_SCAN_NS, self.bytes);
        let shared = SharedLaunch(*launch);
        Some(parallel_for(rows * blocks, nanoseconds, workers, &|range, raised| {
            for unit in range {
                let (row, at, launch) = (unit / blocks, unit % blocks, shared.get());
                let within = columns * at / blocks..columns * (at + 1) / blocks;
                let block = ColumnBlock::new(self, &launch, fast, row, within);
                // SAFETY: the caller's contract: the points of the first row, then those of the others.
                unsafe {
                    self.first.run(&block.first(&launch), raised);
                    self.others.run(&block.others(&launch), raised);
                }
            }
        }))
    }
}

/// A block of columns, down all rows.
struct ColumnBlock {
    /// The addresses of operands in the first row.
    addresses: SmallVec<[*mut u8; 12]>,
    /// From row to row and from column to column.
    strides: SmallVec<[isize; 24]>,
    operands: usize,
    first: [usize; 2],
    others: [usize; 2],
    /// The addresses of operands in the second row, then those of the results of the row before.
    second_row: SmallVec<[*mut u8; 12]>,
}

impl ColumnBlock {
    fn new(of: &ColumnScan, launch: &Launch<'_>, fast: usize, mut row: usize, columns: Range<usize>) -> ColumnBlock {
        let mut addresses: SmallVec<[*mut u8; 12]> = SmallVec::from_slice(launch.addresses);
        for (axis, &extent) in launch.outer.iter().enumerate().rev() {
            let at = if axis == fast {
                columns.start
            } else {
                let at = row % extent;
                row /= extent;
                at
            };
            for (operand, address) in addresses.iter_mut().enumerate() {
                *address = address.wrapping_offset(at as isize * launch.strides_of(operand)[axis]);
            }
        }
        let (operands, down) = (addresses.len(), launch.outer.len());
        let results = || of.results.iter().map(|&result| result as usize);
        let each = |operand: usize| [launch.strides_of(operand)[down], launch.strides_of(operand)[fast]];
        let second_row = (0..operands).map(|o| addresses[o].wrapping_offset(each(o)[0]));
        ColumnBlock {
            second_row: second_row.chain(results().map(|result| addresses[result])).collect(),
            strides: (0..operands).chain(results()).flat_map(each).collect(),
            addresses,
            operands,
            first: [1, columns.len()],
            others: [launch.inner[0] - 1, columns.len()],
        }
    }

    fn first<'a>(&'a self, launch: &Launch<'a>) -> Launch<'a> {
        let strides = &self.strides[..2 * self.operands];
        Launch { outer: &self.first, inner: &[], addresses: &self.addresses, strides, scalars: launch.scalars }
    }

    fn others<'a>(&'a self, launch: &Launch<'a>) -> Launch<'a> {
        let (outer, addresses, strides) = (&self.others, &self.second_row, &self.strides);
        Launch { outer, inner: &[], addresses, strides, scalars: launch.scalars }
    }
}

impl RowMap {
    /// Runs the map on some rows in order.
    ///
    /// # Safety
    /// As [`Program::launch`](crate::Program::launch), but that a row may read what the row before it stored.
    unsafe fn run(&self, launch: &Launch<'_>, raised: &mut RaisedFlags) {
        let Some(plan) = self.program.plan(launch) else { unreachable!("blocks are planned as the whole launch is") };
        // SAFETY: the caller's contract.
        let found = unsafe { self.program.run_plan(&plan, &SingleThread) };
        let of_scan = |(_, inst, flags): (bool, u32, FpFlags)| {
            let (epilogue, inst) = self.origin[inst as usize];
            (epilogue, inst, flags)
        };
        fp_status::merge(raised, found.into_iter().map(of_scan));
    }
}

/// The operand that an accumulator's results are stored to unchanged.
fn stored(kernel: &Kernel, accumulator: usize) -> Option<u16> {
    let result = Inst::Result(accumulator as u8);
    kernel.epilogue.insts.iter().find_map(|inst| match inst {
        Inst::Store(operand, value) if kernel.epilogue.insts[value.0 as usize] == result => Some(operand.0),
        _ => None,
    })
}

/// The map of the first row, or of a row after one whose results were stored to these operands; and the origins of its
/// instructions.
fn map_of(kernel: &Kernel, results: &[u16]) -> Option<(Verified<Kernel>, Origins)> {
    let mut operands = kernel.operands.clone();
    for &operand in results {
        let dtype = operands[operand as usize].dtype;
        operands[operand as usize].restrict = false;
        operands.push(OperandDecl { dtype, access: Access::Read, restrict: false, nontemporal: false });
    }
    let mut body: Fragment = kernel.body.clone();
    let mut origin: Origins = (0..body.insts.len() as u32).map(|at| (false, at)).collect();
    let mut push = |inst, dtype, from| {
        body.insts.push(inst);
        body.types.push(dtype);
        origin.push(from);
        ValueId(body.insts.len() as u32 - 1)
    };
    let mut values: Vec<ValueId> = vec![];
    let mut running: SmallVec<[Option<ValueId>; 2]> = SmallVec::from_elem(None, kernel.accumulators.len());
    for (at, (inst, &dtype)) in kernel.epilogue.insts.iter().zip(&kernel.epilogue.types).enumerate() {
        let from = (true, at as u32);
        let value = match *inst {
            Inst::Result(number) => {
                let number = number as usize;
                let a = &kernel.accumulators[number];
                let kernel::Fold::Op(op) = a.fold else { return None };
                *running[number].get_or_insert_with(|| {
                    if results.is_empty() {
                        return a.value;
                    }
                    let operand = OperandId((kernel.operands.len() + number) as u16);
                    let before = push(Inst::Load(operand), dtype, from);
                    push(Inst::Apply(op, [before, a.value]), dtype, from)
                })
            }
            ref other => {
                let mut inst = other.clone();
                visit(&mut inst, |value| *value = values[value.0 as usize]);
                push(inst, dtype, from)
            }
        };
        values.push(value);
    }
    let scalars = kernel.scalars.clone();
    let (template, accumulators, epilogue) = (Template::Map, vec![], Fragment::default());
    let map = Kernel { template, outer: 2, inner: 0, operands, scalars, body, accumulators, epilogue };
    Some((verify(map).ok()?, origin))
}
