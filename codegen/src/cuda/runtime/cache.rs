//! The compile cache: machine code on disk, so that a process need not compile what an earlier one did.
//!
//! A folder of files, named by hashes: for each text a `.cu` with what it was compiled for, the text itself, and which machine
//! code has it as which function; and the machine codes, `.cubin`, each with its length and a checksum. A text is found by its
//! hash and then compared whole, so no hash has to be trusted. Files are written under temporary names and renamed, so any number of
//! processes may use a folder; a broken or missing file is a cache miss. The cache never causes an error.

use crate::backend::fault;
use std::fs;
use std::fs::{DirBuilder, File, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// The most bytes of all files. Above it the least recently used files are removed, down to three quarters.
const MAX_CACHE_BYTES: u64 = 256 << 20;
/// The shortest time between two marks of a file as used.
const MARK_INTERVAL: Duration = Duration::from_secs(3600);
/// The first bytes of a file of machine code; its length and checksum follow.
const CACHE_MAGIC: &[u8; 8] = b"fastnp01";

/// The folder, if there can be one.
pub struct Cache {
    folder: Option<PathBuf>,
    most: u64,
}

/// A cache hit: where the machine code of a text is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CachedFunction {
    /// The file, without its folder.
    pub file: String,
    /// The name of the function.
    pub function: String,
}

impl Cache {
    /// The cache of the user.
    pub(super) fn of_user() -> Cache {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = variable("FASTNP_CACHE")
            .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("fastnp")))
            .or_else(|| variable("HOME").map(|folder| folder.join(".cache").join("fastnp")))
            // The process may change its working folder.
            .and_then(|folder| std::path::absolute(folder).ok());
        Cache::new(folder, MAX_CACHE_BYTES)
    }

    /// A cache in a folder, if it is private, of so many bytes.
    pub fn new(folder: Option<PathBuf>, most: u64) -> Cache {
        Cache { folder: folder.filter(|folder| is_private(folder)), most }
    }

    /// Looks a text up, compiled for a target.
    pub fn find(&self, target: &str, text: &str) -> Option<CachedFunction> {
        let path = self.folder.as_ref()?.join(format!("{}.cu", name_of(&[target.as_bytes(), text.as_bytes()])));
        let known = fs::read_to_string(&path).ok()?;
        let (line, rest) = known.split_once('\n')?;
        let (file, function) = line.strip_prefix("// ")?.split_once(' ')?;
        let is_it = rest.strip_prefix(target).is_some_and(|known| known == text);
        let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._".contains(&b));
        if !is_it || !is_name(file) || !is_name(function) {
            return None;
        }
        mark(&path);
        Some(CachedFunction { file: file.to_owned(), function: function.to_owned() })
    }

    /// The machine code in a file.
    pub fn read(&self, file: &str) -> Option<Vec<u8>> {
        let path = self.folder.as_ref()?.join(file);
        let bytes = fs::read(&path).ok()?;
        let (head, code) = bytes.split_at_checked(CACHE_MAGIC.len() + 16)?;
        if head != header(code) {
            return None;
        }
        mark(&path);
        Some(code.to_vec())
    }

    /// Stores machine code, and the texts that are functions of it.
    pub fn keep(&self, target: &str, texts: &[(&str, &str)], code: &[u8]) {
        let Some(folder) = &self.folder else { return };
        let file = format!("{}.cubin", name_of(&[target.as_bytes(), code]));
        if put(folder, &file, &[&header(code), code].concat()).is_err() {
            return;
        }
        for (text, function) in texts {
            let name = format!("{}.cu", name_of(&[target.as_bytes(), text.as_bytes()]));
            let line = format!("// {file} {function}\n{target}{text}");
            // Where the disk is full, the next process compiles it again.
            if put(folder, &name, line.as_bytes()).is_err() {
                return;
            }
        }
        self.shrink(folder);
    }

    /// Removes the least recently used files, where there are too many bytes.
    fn shrink(&self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = vec![];
        for entry in entries.flatten() {
            let path = entry.path();
            let is_ours = path.extension().is_some_and(|e| e == "cu" || e == "cubin" || e == "part");
            if let (true, Ok(data)) = (is_ours, entry.metadata()) {
                files.push((data.modified().unwrap_or(SystemTime::UNIX_EPOCH), data.len(), path));
            }
        }
        let mut bytes: u64 = files.iter().map(|file| file.1).sum();
        if bytes <= self.most {
            return;
        }
        files.sort();
        for (_, size, path) in files {
            if bytes <= self.most / 4 * 3 {
                return;
            }
            if fs::remove_file(path).is_ok() {
                bytes -= size;
            }
        }
    }
}

/// Whether there is a folder, created if need be, that no other user can write code to.
pub fn is_private(folder: &Path) -> bool {
    // Missing parent folders are created private as well.
    if DirBuilder::new().recursive(true).mode(0o700).create(folder).is_err() {
        return false;
    }
    // SAFETY: no condition.
    let user = unsafe { libc::geteuid() };
    fs::metadata(folder).is_ok_and(|data| data.is_dir() && data.uid() == user && data.mode() & 0o022 == 0)
}

/// Writes a file atomically.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let part = folder.join(format!("{}-{number}.part", std::process::id()));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
    let written = if fault::strikes() { Err(ErrorKind::StorageFull.into()) } else { file.write_all(bytes) };
    let done = written.and_then(|()| fs::rename(&part, folder.join(name)));
    if done.is_err() {
        // A part that cannot be removed now is removed when the cache shrinks.
        let _ = fs::remove_file(&part);
    }
    done
}

/// Marks a file as used, for the order of removal.
fn mark(path: &Path) {
    let is_old =
        |data: fs::Metadata| data.modified().ok().and_then(|at| at.elapsed().ok()).is_some_and(|t| t > MARK_INTERVAL);
    if fs::metadata(path).is_ok_and(is_old) {
        // A folder that cannot be written does not shrink either, so no mark is needed.
        let _ = File::options().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
    }
}

fn hash(parts: &[&[u8]], seed: u8) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u8(seed);
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    hasher.finish()
}

/// A name for content.
fn name_of(parts: &[&[u8]]) -> String {
    format!("{:016x}{:016x}", hash(parts, 0), hash(parts, 1))
}

/// The header of a file of machine code.
fn header(code: &[u8]) -> [u8; 24] {
    let mut out = [0; 24];
    out[..8].copy_from_slice(CACHE_MAGIC);
    out[8..16].copy_from_slice(&(code.len() as u64).to_le_bytes());
    out[16..].copy_from_slice(&hash(&[code], 2).to_le_bytes());
    out
}
