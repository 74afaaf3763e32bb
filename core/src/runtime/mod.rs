//! Runtime: the one lock and all that it protects; recording, eager execution, flushing, and what reads contents.
//!
//! | files | what |
//! |---|---|
//! | `state`, `lock`, `fork` | the state; acquisition and guard of its lock; the lock across a fork |
//! | `record`, `loop_turns`, `lone_statements`, `snapshot`, `allocate` | statements to the trace; where it ends as a turn of a loop; which ones are likely to be flushed alone; copy-on-write; storages of new arrays and their way back |
//! | `eager_gate` | the conditions for running an operation eagerly, and the only way to its addresses and launches |
//! | `eager`, `eager_dense`, `eager_fill`, `eager_fold`, `eager_kernels` | statements that run when they are made, and their kernels |
//! | `flush`, `execute`, `execute_composed`, `execute_shared`, `execute_device`, `launch` | planning what is pending; running plans; launching programs |
//! | `interrupted_step`, `resume` | a step of which a part has run; running the rest |
//! | `program_cache`, `compile` | every plan and compiled kernel; compilation |
//! | `statement_kernel` | kernels that compiled loops launch on addresses |
//! | `exec_target`, `offload`, `target` | targets; the cost model for devices; the choice of target |
//! | `dead_results`, `fold_memo` | speculative dead-result elimination; numbers of arrays that are kept, and computed before they are asked for |
//! | `contents`, `array_contents` | reading and writing contents now |
//! | `expose`, `guarded_header`, `touched_results` | addresses that code outside knows; what its first touch does; which results it is likely to touch |
//! | `tasks`, `bandwidth`, `calibrate` | the embedding program's own code on the thread pool; the speed of the memory; the constants of the cost model, measured |
//! | `fp_flags`, `stats`, `inspect`, `profile`, `explain` | floating-point flags, counters, debug output, profiles, explanations |
//!
//! Imports `plan`, `array`, `memory`, `host` and `error`. Operations, indexing and devices call it; it calls none of them. Open
//! `state.rs` first, then `record.rs` and `flush.rs`.

pub(crate) mod allocate;
pub(crate) mod array_contents;
pub(crate) mod bandwidth;
pub(crate) mod calibrate;
pub(crate) mod compile;
pub(crate) mod contents;
pub(crate) mod dead_results;
pub(crate) mod eager;
pub(crate) mod eager_dense;
pub(crate) mod eager_fill;
pub(crate) mod eager_fold;
pub(crate) mod eager_gate;
pub(crate) mod eager_kernels;
pub(crate) mod exec_target;
pub(crate) mod execute;
pub(crate) mod execute_composed;
pub(crate) mod execute_device;
pub(crate) mod execute_shared;
pub(crate) mod explain;
pub(crate) mod expose;
pub(crate) mod flush;
pub(crate) mod fold_memo;
pub(crate) mod fork;
pub(crate) mod fp_flags;
pub(crate) mod guarded_header;
pub(crate) mod inspect;
pub(crate) mod interrupted_step;
pub(crate) mod known_launches;
pub(crate) mod launch;
pub(crate) mod lock;
pub(crate) mod lone_statements;
pub(crate) mod loop_turns;
pub(crate) mod offload;
pub(crate) mod profile;
pub(crate) mod program_cache;
pub(crate) mod record;
pub(crate) mod resume;
pub(crate) mod snapshot;
pub(crate) mod state;
pub(crate) mod statement_kernel;
pub(crate) mod stats;
pub(crate) mod target;
pub(crate) mod tasks;
pub(crate) mod touched_results;
