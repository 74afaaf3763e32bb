//! Execution of one pass over a matrix: products of it with vectors, and maps over its rows between them, block by block.

use crate::host::shared_matrix::{self, RowWork};
use crate::plan::plan::SharedPart;
use crate::runtime::state::Runtime;
use fastnp_codegen::backend::{RaisedFlags, SingleThread};
use fastnp_codegen::{Launch, Scalar, ThreadPool};
use smallvec::SmallVec;
use std::sync::{Mutex, PoisonError};

impl Runtime {
    /// Runs one pass over a matrix on the host. A report names the first product.
    pub(crate) fn multiply_shared(&mut self, parts: &[SharedPart], addresses: &[*mut u8], workers: &dyn ThreadPool) {
        let started = self.telemetry.clock(2);
        let mut left = addresses;
        let mut launch = |part| self.part_launch(part, &mut left);
        let launches: SmallVec<[PartLaunch<'_>; 4]> = parts.iter().map(&mut launch).collect();
        let on_rows = launches.iter().map(|launch| move |start, count| launch.run(start, count));
        let on_rows: SmallVec<[_; 4]> = on_rows.collect();
        let work = launches.iter().zip(&on_rows).map(|(launch, on_rows)| match launch.part {
            SharedPart::Product(work) => RowWork::Product(&work.domain, &work.strides, launch.addresses),
            SharedPart::Map(_) => RowWork::Rows(on_rows),
        });
        let work: SmallVec<[RowWork<'_>; 4]> = work.collect();
        let products = parts.iter().filter_map(|part| match part {
            SharedPart::Product(work) => Some(work),
            SharedPart::Map(_) => None,
        });
        let first = products.clone().next().expect("a pass over a matrix has products");
        let raised = shared_matrix::run(first.dtype, &work, workers);
        drop(work);
        drop(on_rows);
        for (launch, raised) in launches.into_iter().zip(raised) {
            match launch.part {
                SharedPart::Product(work) => self.telemetry.note_product(work.product, raised),
                SharedPart::Map(work) => {
                    let raised = launch.raised.into_inner().unwrap_or_else(PoisonError::into_inner);
                    self.telemetry.note_map(work, raised);
                }
            }
        }
        self.telemetry.stats.matrix_products += products.count() as u64;
        if let Some(started) = started {
            self.telemetry.report_product(first.dtype, &first.domain, started);
        }
    }

    /// A part of a pass, with the first of these addresses, which it takes.
    fn part_launch<'a>(&self, part: &'a SharedPart, left: &mut &'a [*mut u8]) -> PartLaunch<'a> {
        let (addresses, rest) = left.split_at(part.operands());
        *left = rest;
        let scalars = match part {
            SharedPart::Product(_) => SmallVec::new(),
            SharedPart::Map(work) => self.scalars_of(work),
        };
        PartLaunch { part, addresses, scalars, raised: Mutex::default() }
    }
}

/// A part of a pass, as it is launched on blocks of rows.
struct PartLaunch<'a> {
    part: &'a SharedPart,
    addresses: &'a [*mut u8],
    scalars: SmallVec<[Scalar; 8]>,
    /// The flags that a map raised.
    raised: Mutex<RaisedFlags>,
}

// SAFETY: tasks use the addresses for disjoint rows.
unsafe impl Sync for PartLaunch<'_> {}

impl PartLaunch<'_> {
    /// Runs a map on some rows.
    fn run(&self, start: usize, count: usize) {
        let SharedPart::Map(work) = self.part else { return };
        let at = |(&address, &step): (&*mut u8, &isize)| address.wrapping_offset(start as isize * step);
        let addresses: SmallVec<[*mut u8; 8]> = self.addresses.iter().zip(&work.strides).map(at).collect();
        let launch = Launch { outer: &[count], ..work.launch(&addresses, &self.scalars) };
        // SAFETY: the rows are within the domain of the map, which is one axis; other tasks write other rows.
        let raised = unsafe { work.program.launch(&launch, &SingleThread) }.expect("launches on the host do not fail");
        if raised.is_empty() {
            return;
        }
        let mut all = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        for (in_epilogue, inst, flags) in raised {
            match all.iter_mut().find(|known| (known.0, known.1) == (in_epilogue, inst)) {
                Some(known) => known.2 |= flags,
                None => all.push((in_epilogue, inst, flags)),
            }
        }
    }
}
