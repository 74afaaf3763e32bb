//! Tests in processes of their own, which find the stand-ins where they look for NVIDIA's libraries.

use crate::standin;
use std::ffi::CString;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The variable that says which test a process is for.
const TEST: &str = "STANDIN_TEST";

/// A folder of this process for something.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

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

/// Whether this process is for a test.
pub(crate) fn is_for(test: &str) -> bool {
    std::env::var_os(TEST).is_some_and(|name| name == test)
}

/// Runs a test in another process, with more of an environment.
pub(crate) fn child(test: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(TEST, test).env("LD_LIBRARY_PATH", libraries());
    command.envs(environment.iter().copied()).output().unwrap()
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

/// That a process did well.
pub(crate) fn expect(done: &Output) {
    let [said, complained] = [&done.stdout, &done.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(done.status.success() && said.contains("1 passed"), "{:?}\n{said}\n{complained}", done.status);
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
