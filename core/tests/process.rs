//! Tests in processes of their own.

use std::process::{Command, Output};

/// The variable that says which test, or which case of it, a process is for.
pub(crate) const TEST: &str = "FASTNP_TEST_ALONE";

/// Runs a test, named as the test runner names it, in another process with more of an environment.
pub(crate) fn child(test: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("a program has a path"));
    command.args(["--exact", test, "--nocapture"]).env(TEST, test);
    command.envs(environment.iter().copied()).output().expect("it can be started again")
}

/// Whether a test, named as the test runner names it, belongs in another process than this one. If so it has run there, and passed.
pub(crate) fn elsewhere(test: &str) -> bool {
    if std::env::var_os(TEST).is_some_and(|name| name == test) {
        return false;
    }
    let done = child(test, &[]);
    let [said, complained] = [&done.stdout, &done.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(done.status.success() && said.contains("1 passed"), "{:?}\n{said}\n{complained}", done.status);
    true
}
