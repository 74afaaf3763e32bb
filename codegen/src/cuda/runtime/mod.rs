//! The CUDA runtime: memory, copies, compiling and launching on NVIDIA's devices.
//!
//! | module | does |
//! |---|---|
//! | `gpu` | the device: implements [`crate::Device`], and keeps the open devices |
//! | `context` | the device as the driver sees it: its context, our stream, its memory |
//! | `staging` | uploads and downloads through pinned memory |
//! | `program` | launches: variants of kernels and their arguments |
//! | `capture_queue`, `queued_launches`, `graph` | launches that are queued, and issued one by one or as graphs; memory that they share |
//! | `weaving` | pairs of launches of a graph as launches of merged kernels |
//! | `assembler` | PTX to machine code, by the driver; what a function takes |
//! | `compaction` | stream compaction |
//! | `functions` | texts as functions: compiled in batches, cached, and loaded |
//! | `compiler`, `cache` | NVIDIA's run-time compiler; machine code on disk |
//! | `cublas` | matrix products by cuBLAS |
//! | `library`, `routine`, `fft` | what libraries have in common; their routines; Fourier transforms by cuFFT |
//! | `solver`, `lu_qr`, `eig_svd` | linear algebra by cuSOLVER: solutions and factors, eigenvalues and singular values |
//! | `driver` | the driver's functions, looked up one by one |
//!
//! A build needs none of NVIDIA's software: the driver, the compiler and the libraries are loaded at first use, and a
//! missing one is an error that says so. There is one stream, so a device runs requests in their order, except that launches
//! of a graph without dependences may run side by side. A launch takes 0.45 µs of host code, and 0.6 in a graph all of whose
//! launches have new arguments; the driver takes more than that.

mod assembler;
pub(crate) mod cache;
mod capture_queue;
mod compaction;
mod compiler;
mod composed;
mod context;
mod cublas;
mod driver;
mod eig_svd;
mod fft;
mod functions;
mod gpu;
mod graph;
mod library;
mod lu_qr;
mod program;
mod queued_launches;
mod routine;
mod solver;
mod staging;
mod weaving;

pub(crate) use gpu::shared;
