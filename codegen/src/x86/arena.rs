//! Executable memory.

use std::io;

/// Machine code in executable memory; its place is free again once this is dropped.
#[derive(Debug)]
pub struct Code {
    address: usize,
}

impl Code {
    /// Where the code begins.
    pub fn address(&self) -> *const u8 {
        self.address as *const u8
    }
}

/// Copies code to executable memory, at a multiple of 64 bytes.
///
/// # Errors
/// Where the system gives no such memory.
pub fn place(bytes: &[u8]) -> io::Result<Code> {
    let _ = bytes;
    Err(io::ErrorKind::Unsupported.into())
}
