//! Devices: arrays exported from a device's memory to other libraries, and routines of the device's own libraries.
//!
//! | file | what it does |
//! |---|---|
//! | `export` | device memory shared with other libraries, both ways, as DLPack describes it |
//! | `routine` | Fourier transforms and dense linear algebra, run at once on the device |
//!
//! Start with `export`. The folder may import `runtime` and what that imports, never `ops` or `index`. What runs kernels on a device
//! is in `runtime`, and its buffers are in `memory`.

pub(crate) mod export;
pub(crate) mod routine;
