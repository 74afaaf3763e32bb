//! The compile cache: what was kept is found, what is broken was not there, and a folder that others write is not used.

use crate::process;
use fastnp_codegen::white_box::{Cache, is_private};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("ours");
    }
}

/// A cache of so many bytes in a folder of its own.
fn cache(name: &str, most: u64) -> (Folder, Cache) {
    let folder = Folder(process::folder(&format!("cache-{name}")));
    assert!(is_private(&folder.0));
    let cache = Cache::new(Some(folder.0.clone()), most);
    (folder, cache)
}

#[test]
fn what_was_kept_is_found() {
    let (_folder, cache) = cache("kept", 1 << 20);
    assert_eq!(cache.find("// sm_90\n", "one"), None);
    cache.keep("// sm_90\n", &[("one", "k1"), ("two\n", "k2")], b"code");
    let found = cache.find("// sm_90\n", "two\n").expect("kept");
    assert_eq!(found.function, "k2");
    assert_eq!(cache.read(&found.file).as_deref(), Some(&b"code"[..]));
    assert_eq!(cache.find("// sm_80\n", "two\n"), None);
    assert_eq!(cache.find("// sm_90\n", "two"), None);
}

#[test]
fn what_is_broken_was_not_there() {
    let (folder, cache) = cache("broken", 1 << 20);
    cache.keep("// sm_90\n", &[("one", "k1")], b"code");
    let found = cache.find("// sm_90\n", "one").expect("kept");
    let path = folder.0.join(&found.file);
    let whole = fs::read(&path).expect("readable");
    for broken in [&whole[..whole.len() - 1], &whole[..5], b"", &[&whole[..], b"more"].concat()] {
        fs::write(&path, broken).expect("writable");
        assert_eq!(cache.read(&found.file), None);
    }
    let files = fs::read_dir(&folder.0).expect("readable").map(|entry| entry.expect("an entry").path());
    let [index] = &files.filter(|path| path.extension().is_some_and(|e| e == "cu")).collect::<Vec<_>>()[..] else {
        panic!("one text was kept")
    };
    for broken in ["", "// \n", "// ../x k1\n// sm_90\none", "\u{0}"] {
        fs::write(index, broken).expect("writable");
        assert_eq!(cache.find("// sm_90\n", "one"), None);
    }
}

#[test]
fn what_was_not_used_goes_first() {
    let (folder, cache) = cache("full", 4000);
    for n in 0..10u8 {
        let text = format!("text {n}");
        cache.keep("// sm_90\n", &[(&text, "k")], &[n; 1000]);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(cache.find("// sm_90\n", "text 0").is_none_or(|found| cache.read(&found.file).is_none()));
    let found = cache.find("// sm_90\n", "text 9").expect("the latest");
    assert_eq!(cache.read(&found.file), Some(vec![9; 1000]));
    let sizes = fs::read_dir(&folder.0).expect("readable").map(|e| e.expect("an entry").metadata().expect("one").len());
    assert!(sizes.sum::<u64>() <= 4000);
}

#[test]
fn a_folder_that_others_write_is_not_used() {
    let (folder, _) = cache("open", 1 << 20);
    let allow = |mode| {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(mode)).expect("ours");
    };
    allow(0o777);
    assert!(!is_private(&folder.0));
    allow(0o755);
    assert!(is_private(&folder.0));
    assert!(!is_private(Path::new("/dev/null/folder")));
}
