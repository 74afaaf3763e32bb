//! Prediction of the time of loops of machine code: how many cycles an iteration takes, and what it waits for.
//!
//! `timing` has a processor for each level of instructions: its ports, its buffers, and latency and ports of each class of instructions.
//! `pipeline` runs a loop on a processor. The figures are for listings and benches; of the choices
//! of the compiler only those that weigh the divider against other instructions depend on the processor.
//! It imports `asm`, and reads machine code by the disassembler. Open `timing` first.
//!
//! The bench `processor` measures latencies and throughputs beside those of the table, the bench `ports` whole loops beside predictions.

pub(crate) mod pipeline;
pub mod timing;
