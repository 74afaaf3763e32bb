//! Stand-ins for NVIDIA's libraries, for machines without a GPU: built by the C compiler that links Rust programs.
//!
//! The dynamic loader reads its path when a process starts, so whatever uses them runs in a process of its own.

use std::path::Path;
use std::process::Command;

/// How kernels are compiled, and the header that they include.
const KERNEL_FLAGS: &str =
    "-fPIC -Werror=implicit-function-declaration -O0 -std=gnu11 -w -ffp-contract=off -fno-strict-aliasing";

/// Builds the libraries into a folder: with it as `LD_LIBRARY_PATH`, a program finds them.
pub(crate) fn build(folder: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cuda/standin");
    std::fs::create_dir_all(folder).expect("a folder can be made");
    let header = folder.join("device.h");
    std::fs::copy(from.join("device.h"), &header).expect("it can be copied");
    precompile(&header);
    for (source, library, version) in [
        ("driver.c", "libcuda.so", 1),
        ("nvrtc.c", "libnvrtc.so", 13),
        ("cublas.c", "libcublas.so", 13),
        ("cufft.c", "libcufft.so", 12),
        ("cusolver.c", "libcusolver.so", 12),
    ] {
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-std=gnu11", "-w", "-o"]).arg(folder.join(library));
        compiler.arg(format!("-DKERNEL_FLAGS=\"{KERNEL_FLAGS}\""));
        compiler.arg(from.join(source)).args(["-lpthread", "-ldl", "-lm"]);
        // Where it is used, the name of the file is looked for, whichever of its names another library has.
        compiler.arg(format!("-Wl,-soname,{library}"));
        if source.starts_with("cu") {
            compiler.arg("-L").arg(folder).arg("-lcuda");
        }
        let done = compiler.status().expect("there is a C compiler where Rust programs link");
        assert!(done.success(), "{source} does not compile");
        let other = folder.join(format!("{library}.{version}"));
        // It may be a link to the library, which a copy would empty.
        let _ = std::fs::remove_file(&other);
        std::fs::copy(folder.join(library), other).expect("it can be copied");
    }
}

/// Compiles the header for kernels with barriers and for others: reading it takes a third of the time to compile a kernel. A compiler that
/// cannot use these reads the header.
fn precompile(header: &Path) {
    let folder = header.with_extension("h.gch");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for (name, definition) in [("threads", "-UWAITS"), ("barriers", "-DWAITS=")] {
        let mut compiler = Command::new("cc");
        compiler.args(KERNEL_FLAGS.split(' ')).arg(definition).args(["-x", "c-header"]).arg(header);
        let done =
            compiler.arg("-o").arg(folder.join(name)).status().expect("there is a C compiler where Rust programs link");
        assert!(done.success(), "device.h does not compile");
    }
}
