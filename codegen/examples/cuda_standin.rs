//! Builds stand-ins for NVIDIA's driver, run-time compiler and libraries, so that programs run through the cuda backend without a GPU.
//!
//!     cargo run --release -p fastnp-codegen --example cuda_standin -- DIR
//!     LD_LIBRARY_PATH=DIR FASTNP_BACKEND=cuda python program.py
//!
//! They need a C compiler where they run, too.

#[path = "../tests/cuda/standin.rs"]
mod standin;

fn main() {
    standin::build(std::env::args().nth(1).expect("a folder").as_ref());
}
