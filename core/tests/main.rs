//! Every test of the crate, one program: linked once, and its tests run side by side.
//!
//! There is one engine in a process, with settings, counters and a device for all threads; tests that change or read those run in a
//! process of their own (`process`).
//!
//! `eager`, `flush`, `fourier`, `masks`, `memory`, `plan`, `result_order`, `runtime`, `search`, `slot_pages` and `threads` call private
//! functions (`white_box`), the others what users call.

mod counts;
mod devices;
mod eager;
mod errors;
mod flush;
mod folds;
mod fourier;
mod inspection;
mod interrupts;
mod masks;
mod memory;
mod plan;
mod process;
mod programs;
mod promotion;
mod races;
mod result_order;
mod runtime;
mod search;
#[cfg(target_os = "linux")]
mod slot_pages;
mod threads;
mod ub_checks;
