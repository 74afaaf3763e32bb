//! A compiled loop: its code in executable memory, the layout of its argument block, and its tail.

use crate::Op;
use crate::ir::print::InstText;
use crate::x86::asm::arena::{ExecutableCode, map_executable};
use crate::x86::asm::disassembly::disassembly;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::StrideKinds;
use crate::x86::isel::select::Unsupported;
use crate::x86::isel::shifted_loads::Shifts;
use crate::x86::loops::prologue::LoopCode;
use crate::x86::loops::tail::{Tail, TailForm};
use crate::x86::predict::pipeline::{Step, forecast};
use std::collections::HashMap;

/// The signature of a loop: the argument block, the number of elements and the number of rows.
type LoopFn = unsafe extern "sysv64" fn(*mut u8, usize, usize);

/// Where a loop left, whose results up to there are stored.
#[derive(Clone, Copy)]
pub(crate) struct Exit {
    /// Elements of the row that are done.
    pub(crate) done: usize,
    /// The rows left: this one and those after it.
    pub(crate) rows: usize,
}

/// A loop for one pattern of stride kinds.
pub(crate) struct CompiledLoop {
    code: ExecutableCode,
    arguments: Arguments,
    /// The tail of a row, where the loop has no masks.
    tail: Option<Tail>,
    /// Elements of the shortest rows of which a call runs several.
    shortest_row: usize,
    /// Whether an elementary function has a slow path.
    has_slow_path: bool,
}

impl CompiledLoop {
    /// Compiles the loop.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn new(body: &Body<'_>, kinds: &StrideKinds) -> Result<CompiledLoop, Unsupported> {
        let form = if body.overlaps_tail() { TailForm::Overlapping } else { TailForm::Copy };
        CompiledLoop::of(body, body.lower(kinds, &Shifts::default())?, Tail::of(body, kinds, form), body.nests())
    }

    /// Compiles the loop for operands that are shifted against each other; none where there are too few registers for that.
    pub(crate) fn shifted(body: &Body<'_>, kinds: &StrideKinds, shifts: &Shifts) -> Option<CompiledLoop> {
        let made = body.lower(kinds, shifts).ok().filter(|made| made.is_shifted)?;
        CompiledLoop::of(body, made, None, body.nests()).ok()
    }

    /// Compiles the loop that folds what the body would store to its last operands, by these ops in so many chains.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn reduce(
        body: &Body<'_>,
        kinds: &StrideKinds,
        folds: (&[Op], usize),
    ) -> Result<CompiledLoop, Unsupported> {
        let inputs = body.kernel.operands.len() - folds.0.len();
        let tail = Tail::of(body, &kinds[..inputs], TailForm::Folded);
        CompiledLoop::of(body, body.lower_reduce(kinds, folds)?, tail, true)
    }

    /// Compiles the loop that folds the columns of what the body would store to its last operands, by these ops.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn columns(body: &Body<'_>, kinds: &StrideKinds, ops: &[Op]) -> Result<CompiledLoop, Unsupported> {
        CompiledLoop::of(body, body.lower_columns(kinds, ops)?, None, true)
    }

    fn of(body: &Body<'_>, loop_code: LoopCode, tail: Option<Tail>, nests: bool) -> Result<CompiledLoop, Unsupported> {
        let code = map_executable(&loop_code.code).map_err(|error| Unsupported { at: 0, what: error.to_string() })?;
        let shortest_row = if nests { tail.as_ref().map_or(1, Tail::shortest_row) } else { usize::MAX };
        let (arguments, has_slow_path) = (loop_code.arguments, body.has_slow_path());
        Ok(CompiledLoop { code, arguments, tail, shortest_row, has_slow_path })
    }

    /// Elements of the shortest rows of which a call may run several.
    pub(crate) fn shortest_row(&self) -> usize {
        self.shortest_row
    }

    /// The layout of its argument block.
    pub(crate) fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// Whether an elementary function has a slow path.
    pub(crate) fn has_slow_path(&self) -> bool {
        self.has_slow_path
    }

    /// Where it begins, if a call needs nothing before it or after it.
    pub(crate) fn entry(&self) -> Option<usize> {
        (self.tail.is_none() && !self.has_slow_path).then(|| self.code.address().addr())
    }

    /// Runs it on so many rows of `n` elements; false where there were slow-path lanes.
    ///
    /// # Safety
    /// The block, aligned to a vector, holds all arguments: addresses of `n` elements each with the stride kinds of the loop,
    /// scalars, constants, and the rest of [`Arguments`]. There is one row, or the block has the pitches of rows and `n` is not less than
    /// [`CompiledLoop::shortest_row`].
    #[inline]
    pub(crate) unsafe fn run(&self, block: *mut u8, n: usize, rows: usize) -> bool {
        // SAFETY: the code was made as such a function, and lives as long as this.
        let entry: LoopFn = unsafe { std::mem::transmute(self.code.address()) };
        // SAFETY: the caller's contract; a loop with a slow path stores whether it was needed.
        unsafe {
            match &self.tail {
                None => entry(block, n, rows),
                Some(tail) => tail.run(&self.arguments, block, n, |n| entry(block, n, rows)),
            }
            !self.has_slow_path || block.add(self.arguments.slow_lanes).cast::<u64>().read() == 0
        }
    }

    /// Runs a loop with side exits ([`crate::x86::isel::side_exits`]); where it left, if it did.
    ///
    /// # Safety
    /// As [`CompiledLoop::run`].
    #[inline]
    pub(crate) unsafe fn run_to_exit(&self, block: *mut u8, n: usize, rows: usize) -> Option<Exit> {
        let arguments = &self.arguments;
        // SAFETY: the caller's contract: the block has all slots.
        unsafe {
            arguments.clear_exit(block);
            self.run(block, n, rows);
            let done = arguments.exit(block)?;
            Some(Exit { done, rows: block.add(arguments.rows()).cast::<usize>().read() })
        }
    }
}

impl CompiledLoop {
    /// The listing of the loop of a map or a scan: machine code beside the instructions of the body that it was selected for.
    pub(crate) fn listing(&self, mut body: Body<'_>, kinds: &StrideKinds, shifts: &Shifts) -> String {
        body.records_spans = true;
        self.listing_from(&body, body.lower(kinds, shifts))
    }

    /// The same of the loop of a reduction.
    pub(crate) fn reduce_listing(&self, mut body: Body<'_>, kinds: &StrideKinds, folds: (&[Op], usize)) -> String {
        body.records_spans = true;
        self.listing_from(&body, body.lower_reduce(kinds, folds))
    }

    /// Only a listing asks which bytes come from which instruction. So this is not recorded at first, and the loop is compiled again.
    fn listing_from(&self, body: &Body<'_>, again: Result<LoopCode, Unsupported>) -> String {
        let (code, mut spans, mut slices, mut loops) = (self.code.bytes(), vec![], String::new(), vec![]);
        if let Ok(again) = again {
            debug_assert_eq!(again.code, code, "compiling is deterministic");
            (spans, slices, loops) = (again.spans, again.slices, again.loop_spans);
        }
        let mut steps: HashMap<usize, Step> = HashMap::new();
        for span in &loops {
            let forecast = forecast(&code[span.start..span.end], body.processor);
            slices += &forecast.describe(span.vectors, body.lanes);
            steps.extend(forecast.steps.into_iter().map(|step| (span.start + step.at, step)));
        }
        let comment = |at: usize| {
            let Some(span) = spans.iter().find(|span| (span.start..span.end).contains(&at)) else {
                return String::new();
            };
            let mut text = InstText(&body.fragment, span.inst).to_string();
            if at > span.start {
                // From its second line on a value is only named.
                text.truncate(text.find([':', ',']).unwrap_or(text.len()));
            }
            match steps.get(&at) {
                Some(step) => format!("{} {:>3} {:3} {text}", span.copy, step.cycle, step.port),
                None => text,
            }
        };
        format!("{} bytes\n{slices}{}", code.len(), disassembly(code, comment))
    }
}
