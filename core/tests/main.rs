//! Every test of the crate from outside it, one program: linked once, and its tests run side by side.
//!
//! There is one engine in a process, with settings, counters and a device for all threads; tests that change or read those run in a
//! process of their own (`process`).

mod counts;
mod devices;
mod errors;
mod folds;
mod inspection;
mod interrupts;
mod process;
mod programs;
mod races;
mod ub_checks;
