//! Processes that find the stand-ins where they look for NVIDIA's libraries.

use super::standin;
pub(crate) use crate::process::{expect, folder, is_for};
use std::ffi::CString;
use std::path::PathBuf;
use std::process::Output;
use std::sync::OnceLock;

/// Where the stand-ins are, built once.
fn libraries() -> &'static PathBuf {
    static LIBRARIES: OnceLock<PathBuf> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        let program = std::env::current_exe().unwrap();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(program.file_name().unwrap());
        standin::build(&folder);
        folder
    })
}

/// Runs a test in another process, with more of an environment.
pub(crate) fn child(test: &str, environment: &[(&str, &str)]) -> Output {
    let path = ("LD_LIBRARY_PATH", libraries().to_str().unwrap());
    crate::process::child(test, &[&[path], environment].concat())
}

/// What follows runs in another process, with more of an environment, and a cache of its own.
pub(crate) fn alone(test: &str, environment: &[(&str, &str)], then: impl FnOnce()) {
    if is_for(test) {
        return then();
    }
    let cache = folder(test);
    let mut environment = environment.to_vec();
    environment.push(("FASTNP_CACHE", cache.to_str().unwrap()));
    let done = child(test, &environment);
    std::fs::remove_dir_all(cache).unwrap();
    expect(&done);
}

/// A number of a stand-in: what it counts, or what it is told.
pub(crate) fn number(library: &str, name: &str) -> *mut i32 {
    let [library, name] = [library, name].map(|text| CString::new(text).unwrap());
    // SAFETY: the library is loaded, and the symbol a number.
    unsafe {
        let library = libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
        assert!(!library.is_null(), "not loaded");
        let number = libc::dlsym(library, name.as_ptr());
        assert!(!number.is_null(), "not there");
        number.cast()
    }
}

/// A number that a stand-in counts.
pub(crate) fn count(library: &str, name: &str) -> i32 {
    // SAFETY: the library stays loaded.
    unsafe { *number(library, name) }
}
