//! Launching scans: by rows where their axis is the faster in memory, by columns where an outer one is.

use crate::portable::{Portable, by_columns};
use crate::x86::asm::level::Level;
use crate::x86::launch::program::Compiled;
use crate::x86::loops::scan_by_columns::Columns;
use crate::{DeviceError, Inst, Kernel, Launch, Program, RaisedFlags, ThreadPool, Verified};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The kernel of a scan with its loops.
pub(crate) struct Scan {
    rows: Compiled,
    /// What votes on whether rows are the faster.
    loads: SmallVec<[u16; 4]>,
    /// The kernel, and what runs it by columns: made when that is wanted first, if it can be.
    kernel: Verified<Kernel>,
    level: Level,
    portable: Portable,
    columns: OnceLock<Option<Box<Columns>>>,
}

impl Scan {
    /// Makes a program of a scan.
    ///
    /// # Errors
    /// What of it has no instructions here.
    pub(crate) fn new(kernel: &Verified<Kernel>, level: Level, portable: &Portable) -> Result<Scan, String> {
        let rows = Compiled::new(kernel, level, portable)?;
        let load = |inst: &Inst| if let Inst::Load(operand) = inst { Some(operand.0) } else { None };
        let loads = kernel.body.insts.iter().filter_map(load).collect();
        Ok(Scan { rows, loads, kernel: kernel.clone(), level, portable: *portable, columns: OnceLock::new() })
    }

    fn columns(&self) -> Option<&Columns> {
        let made = || Columns::of(&self.kernel, self.level, &self.portable).map(Box::new);
        self.columns.get_or_init(made).as_deref()
    }
}

impl Program for Scan {
    unsafe fn launch(&self, launch: &Launch<'_>, workers: &dyn ThreadPool) -> Result<RaisedFlags, DeviceError> {
        if launch.outer.iter().chain(launch.inner).any(|&n| n == 0) {
            return Ok(RaisedFlags::new());
        }
        let done = if by_columns(&self.loads, launch) {
            // SAFETY: the caller's contract.
            self.columns().and_then(|columns| unsafe { columns.launch(launch, workers) })
        } else {
            let axes: SmallVec<[usize; 4]> = launch.outer.iter().chain(launch.inner).copied().collect();
            // SAFETY: as above.
            unsafe { self.rows.by_rows(&Launch { outer: &axes, inner: &[], ..*launch }, workers) }
        };
        // SAFETY: as above.
        done.map_or_else(|| unsafe { self.rows.fallback.launch(launch, workers) }, Ok)
    }

    fn listing(&self) -> String {
        self.rows.listing()
    }
}
