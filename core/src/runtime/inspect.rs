//! Debug output: lines on standard error, and compiled kernels as files.
//!
//! | level | tells |
//! |---|---|
//! | 1 | each compile, with the time it took; which kernels a GPU wove |
//! | 2 | each launch, with its strategy, milliseconds and GB/s; each matrix product, with GF/s |
//! | 3 | each new plan, with what was fused and why not more |
//! | 4 | the IR of each kernel compiled |
//! | 5 | the backend's listing of it |
//!
//! Each level prints all that lower ones do. Below level 2 a launch pays one comparison for it.

use crate::array::layout::count;
use crate::plan::plan::ComposedLaunch;
use fastnp_codegen::{DType, Device, Kernel, Launch, Program};
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The debug level, and the folder kernels are dumped to.
#[derive(Default)]
pub(crate) struct DebugOutput {
    pub(crate) level: u8,
    pub(crate) dump: Option<PathBuf>,
}

impl DebugOutput {
    /// Prints a compilation.
    pub(crate) fn print_compile(&self, number: u64, kernel: &Kernel, program: &dyn Program, started: Option<Instant>) {
        if let Some(started) = started.filter(|_| self.level >= 1) {
            eprintln!("fastnp: {}", compile_line(number, kernel, started.elapsed()));
        }
        if self.level >= 4 {
            eprint!("{kernel}");
        }
        if self.level >= 5 {
            eprint!("{}", program.listing());
        }
        if let Some(folder) = &self.dump {
            let text = kernel.to_string();
            // The name says the order of compiling and the content, so that two runs can be compared.
            let hash = foldhash::fast::FixedState::default().hash_one(&text) as u32;
            let name = format!("{number:04}-{}-{hash:08x}", kernel.template);
            let written = std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::write(folder.join(format!("{name}.ir")), text))
                .and_then(|()| std::fs::write(folder.join(format!("{name}.txt")), program.listing()));
            if let Err(error) = written {
                eprintln!("fastnp: kernel {number} cannot be written to {}: {error}", folder.display());
            }
        }
    }

    /// Prints what a device decided about launches. From level 2 on each launch is waited for, so that none are woven.
    pub(crate) fn print_notes(&self, device: &Arc<dyn Device>) {
        if self.level >= 1 {
            device.notes().iter().for_each(|note| eprintln!("fastnp: {note}"));
        }
    }

    /// Prints a new plan, described only if it is printed.
    pub(crate) fn print_plan(&self, describe: impl FnOnce() -> String) {
        if self.level >= 3 {
            eprint!("fastnp: new plan: {}", describe());
        }
    }
}

/// Prints a launch that began at `started`.
pub(crate) fn print_launch(kernel: &Kernel, program: &dyn Program, launch: &Launch<'_>, started: Instant) {
    let elapsed = started.elapsed();
    eprintln!("fastnp: {}", launch_line(kernel, launch, program.strategy(launch), elapsed));
}

/// Prints a composed kernel that began at `started`.
#[cold]
pub(crate) fn print_composed(work: &ComposedLaunch, started: Instant) {
    let elapsed = started.elapsed();
    eprintln!(
        "fastnp: launched {} kernels on blocks of {} of {}: {:.4} ms",
        work.stages.len(),
        work.block,
        work.extent,
        elapsed.as_secs_f64() * 1e3
    );
}

/// Prints a matrix product that began at `started`.
pub(crate) fn print_product(dtype: DType, domain: &[usize], started: Instant) {
    let elapsed = started.elapsed();
    let flops = 2.0 * count(domain) as f64;
    eprintln!(
        "fastnp: product over {domain:?} in {dtype}: {:.4} ms, {:.1} GF/s",
        elapsed.as_secs_f64() * 1e3,
        flops / elapsed.as_nanos().max(1) as f64
    );
}

/// What is printed of a compilation.
pub fn compile_line(number: u64, kernel: &Kernel, elapsed: Duration) -> String {
    format!(
        "compiled kernel {number}: {} of {} operands and {} instructions in {:.1} µs",
        kernel.template,
        kernel.operands.len(),
        kernel.body.insts.len() + kernel.epilogue.insts.len(),
        elapsed.as_secs_f64() * 1e6
    )
}

/// What is printed of a launch. The strategy is empty where there is no choice.
pub fn launch_line(kernel: &Kernel, launch: &Launch<'_>, strategy: &str, elapsed: Duration) -> String {
    format!(
        "launched {} over {:?}{}{}: {:.4} ms, {:.1} GB/s",
        kernel.template,
        launch.outer,
        if launch.inner.is_empty() { String::new() } else { format!(" folding {:?}", launch.inner) },
        if strategy.is_empty() { String::new() } else { format!(" ({strategy})") },
        elapsed.as_secs_f64() * 1e3,
        traffic(kernel, launch) as f64 / elapsed.as_nanos().max(1) as f64
    )
}

/// Bytes of distinct elements that a launch loads and stores: axes with stride zero do not count.
pub(crate) fn traffic(kernel: &Kernel, launch: &Launch<'_>) -> usize {
    kernel.operands.iter().enumerate().map(|(i, o)| o.dtype.size() * distinct(launch, i)).sum()
}

/// Bytes of distinct elements in memory that a composed kernel loads and stores: what its stages share counts once.
pub(crate) fn composed_traffic(work: &ComposedLaunch) -> usize {
    let mut bytes: Vec<usize> = Vec::new();
    for stage in &work.stages {
        let kernel = &stage.work.kernel;
        let launch = stage.work.launch(&[], &[]);
        for (i, operand) in stage.operands.iter().enumerate() {
            let Some(operand) = operand.map(|o| o as usize) else { continue };
            bytes.resize(bytes.len().max(operand + 1), 0);
            let of_block = kernel.operands[i].dtype.size() * distinct(&launch, i);
            bytes[operand] = bytes[operand].max(of_block * work.extent / work.block);
        }
    }
    bytes.iter().sum()
}

/// Distinct elements of an operand: axes with stride zero do not count.
fn distinct(launch: &Launch<'_>, operand: usize) -> usize {
    let extents = launch.outer.iter().chain(launch.inner);
    extents.zip(launch.strides_of(operand)).map(|(&n, &stride)| if stride == 0 { n.min(1) } else { n }).product()
}
