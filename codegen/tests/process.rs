//! Tests in processes of their own: those that change what is the whole process's, look at it, or fork it.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The variable that says which test, or which case of it, a process is for.
pub(crate) const TEST: &str = "FASTNP_TEST_ALONE";

/// A folder of this process for something.
pub(crate) fn folder(name: &str) -> PathBuf {
    let name = format!("{}-{}", std::process::id(), name.replace("::", "-"));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Whether this process is for a test, which is named as the test runner names it.
pub(crate) fn is_for(test: &str) -> bool {
    std::env::var_os(TEST).is_some_and(|name| name == test)
}

/// Runs a test in another process, with more of an environment.
pub(crate) fn child(test: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(TEST, test);
    command.envs(environment.iter().copied()).output().unwrap()
}

/// That a process did well.
pub(crate) fn expect(done: &Output) {
    let [said, complained] = [&done.stdout, &done.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(done.status.success() && said.contains("1 passed"), "{:?}\n{said}\n{complained}", done.status);
}

/// What follows runs in another process.
pub(crate) fn alone(test: &str, then: impl FnOnce()) {
    if is_for(test) { then() } else { expect(&child(test, &[])) }
}
