//! Kernels on NVIDIA's devices: memory, copies, compiling, launching.
//!
//! | module | does |
//! |---|---|
//! | `gpu` | the device: what [`crate::Device`] asks, and which devices are open |
//! | `context` | the device as the driver sees it: its context, our stream, its memory |
//! | `staging` | copies through pinned memory |
//! | `program` | launches: forms and arguments |
//! | `sequence`, `calls`, `graph` | launches held and asked for, one by one or as graphs; memory that they share |
//! | `compact` | what a mask chooses, side by side |
//! | `functions` | texts as functions: what is compiled together, kept, and loaded |
//! | `compiler`, `cache` | NVIDIA's run-time compiler; machine code on disk |
//! | `product` | matrix products by cuBLAS |
//! | `library`, `routine`, `fourier` | what libraries have in common; their routines; Fourier transforms by cuFFT |
//! | `solver`, `factors`, `spectrum` | linear algebra by cuSOLVER: solutions and factors, eigenvalues and singular values |
//! | `driver` | the driver's functions, looked up one by one |
//!
//! Nothing here is needed to build: the driver, the compiler and the libraries are looked for when they are asked for, and what
//! is missing is an error that says so. There is one stream, so a device does what it is asked for in that order, but for launches
//! of a graph that touch nothing in common. A launch takes 0.45 µs here, and 0.6 in a graph, all of whose launches are told
//! something new; the driver's part comes to more.

mod cache;
mod queued_launches;
mod compaction;
mod compiler;
mod context;
mod driver;
mod lu_qr;
mod fft;
mod functions;
mod gpu;
mod graph;
mod library;
mod cublas;
mod program;
mod routine;
mod capture_queue;
mod solver;
mod eig_svd;
mod staging;

pub(crate) use gpu::shared;
