//! Kernels as files: what the IR looks like, and what its rules reject.
//!
//! `golden/*.ir` are right: each is parsed, verified and printed, and must be what is printed. `golden/bad/*.ir` are wrong:
//! the first line is `; error:` and the first line of the error, from the parser (`line:column: …`) or the verifier
//! (`place: …`). Comment lines at the head say what a file is about and are kept. `FASTNP_BLESS=1` rewrites the files.

use fastnp_codegen::{Kernel, verify};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder beside this one, by name.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "ir"));
    files.sort();
    assert!(!files.is_empty(), "no .ir files in {}", folder.display());
    files
}

/// Compares a file with what it should be, or makes it so.
fn compare(path: &Path, found: &str, expected: &str) {
    if found == expected {
        return;
    }
    if std::env::var_os("FASTNP_BLESS").is_some() {
        fs::write(path, expected).expect("the golden file can be written");
        return;
    }
    panic!("{} should be (FASTNP_BLESS=1 makes it so)\n{expected}", path.display());
}

/// The comment lines that a text begins with.
fn head(text: &str) -> String {
    text.split_inclusive('\n').take_while(|line| line.starts_with(';')).collect()
}

#[test]
fn right_kernels_print_as_they_stand() {
    for path in files("golden") {
        let text = fs::read_to_string(&path).expect("readable");
        let name = path.display();
        let kernel: Kernel = text.parse().unwrap_or_else(|e| panic!("{name}:{e}"));
        let kernel = verify(kernel).unwrap_or_else(|e| panic!("{name}: {e}"));
        let printed = kernel.to_string();
        assert_eq!(printed.parse::<Kernel>().as_ref(), Ok(&*kernel), "{name}");
        compare(&path, &text, &(head(&text) + &printed));
    }
}

#[test]
fn wrong_kernels_are_rejected_as_expected() {
    for path in files("golden/bad") {
        let text = fs::read_to_string(&path).expect("readable");
        let error = match text.parse::<Kernel>() {
            Err(error) => error.to_string(),
            Ok(kernel) => {
                let printed = kernel.to_string();
                assert_eq!(printed.parse::<Kernel>().as_ref(), Ok(&kernel), "{}", path.display());
                let error = verify(kernel).expect_err(&path.display().to_string()).to_string();
                assert!(error.ends_with(&printed), "the error carries the kernel:\n{error}");
                error
            }
        };
        let first = error.lines().next().unwrap_or_default();
        let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
        compare(&path, &text, &format!("; error: {first}\n{rest}"));
    }
}
