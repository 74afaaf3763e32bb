//! Launching scans: by rows where their axis is the fastest in memory, by columns where an outer one is.

use crate::drive::strategy::{self, Strategy};
use crate::x86::launch::Portable;
use crate::x86::launch::effects::Overwriting;
use crate::x86::launch::program::LoopProgram;
use crate::x86::launch::scan_by_columns::ColumnScan;
use crate::x86::predict::timing::Processor;
use crate::{DeviceError, Inst, Kernel, Launch, Program, RaisedFlags, ThreadPool, Verified, Version};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// A scan with its compiled loops.
pub(crate) struct ScanProgram {
    rows: LoopProgram,
    /// The operands whose strides decide between rows and columns.
    loads: SmallVec<[u16; 4]>,
    /// The kernel, and its program by columns: compiled at the first such launch, if it can be.
    kernel: Verified<Kernel>,
    processor: &'static Processor,
    portable: Portable,
    columns: OnceLock<Option<Box<ColumnScan>>>,
}

impl ScanProgram {
    /// Makes a program of a scan.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn new(
        kernel: &Verified<Kernel>,
        processor: &'static Processor,
        portable: &Portable,
    ) -> Result<ScanProgram, String> {
        let rows = LoopProgram::new(kernel, processor, portable, Version::Common, Overwriting::Saves)?;
        let load = |inst: &Inst| if let Inst::Load(operand) = inst { Some(operand.0) } else { None };
        let loads = kernel.body.insts.iter().filter_map(load).collect();
        Ok(ScanProgram {
            rows,
            loads,
            kernel: kernel.clone(),
            processor,
            portable: *portable,
            columns: OnceLock::new(),
        })
    }

    fn columns(&self) -> Option<&ColumnScan> {
        let made = || ColumnScan::of(&self.kernel, self.processor, &self.portable).map(Box::new);
        self.columns.get_or_init(made).as_deref()
    }
}

/// All axes of a launch.
fn axes_of(launch: &Launch<'_>) -> SmallVec<[usize; 4]> {
    launch.outer.iter().chain(launch.inner).copied().collect()
}

impl Program for ScanProgram {
    unsafe fn launch(&self, launch: &Launch<'_>, workers: &dyn ThreadPool) -> Result<RaisedFlags, DeviceError> {
        let done = match strategy::of_scan(&self.loads, launch) {
            Strategy::Nothing => return Ok(RaisedFlags::new()),
            // SAFETY: the caller's contract.
            Strategy::Columns => self.columns().and_then(|columns| unsafe { columns.launch(launch, workers) }),
            Strategy::Rows => {
                let axes = axes_of(launch);
                // SAFETY: as above.
                unsafe { self.rows.launch_by_rows(&Launch { outer: &axes, inner: &[], ..*launch }, workers) }
            }
            _ => None,
        };
        // SAFETY: as above.
        done.map_or_else(|| unsafe { self.rows.fallback.get().launch(launch, workers) }, Ok)
    }

    fn strategy(&self, launch: &Launch<'_>) -> &'static str {
        let chosen = match strategy::of_scan(&self.loads, launch) {
            Strategy::Columns => self.columns().filter(|by| by.may_run(launch)).map(|_| Strategy::Columns),
            Strategy::Rows => self.rows.strategy_by_rows(&Launch { outer: &axes_of(launch), inner: &[], ..*launch }),
            Strategy::Nothing => Some(Strategy::Nothing),
            _ => None,
        };
        chosen.map_or_else(|| self.rows.fallback.get().strategy(launch), Strategy::name)
    }

    fn listing(&self) -> String {
        self.rows.listing_with(self.rows.forms.strategies(false, ColumnScan::has_form(&self.kernel)))
    }
}
