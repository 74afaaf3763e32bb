//! Executable memory: one mapping for each program, writable while it is filled and executable from then on.

use std::io;
use std::ptr;

/// Machine code that is ready to run; unmapped when dropped.
#[derive(Debug)]
pub(crate) struct CodeMemory {
    start: *mut u8,
    length: usize,
}

// SAFETY: the memory is never written after `new`, and `munmap` works from every thread.
unsafe impl Send for CodeMemory {}
// SAFETY: as above: shared references only read.
unsafe impl Sync for CodeMemory {}

impl CodeMemory {
    /// Maps memory of its own for `code`. An error is the operating system's.
    #[cfg(unix)]
    pub(crate) fn new(code: &[u8]) -> io::Result<CodeMemory> {
        let length = code.len().max(1);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a new anonymous mapping at an address of the system's choice touches nothing that exists.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // From here on the mapping is freed by Drop, on errors too.
        let memory = CodeMemory { start: start.cast(), length };
        // SAFETY: the mapping is writable, new, and at least as long as the code.
        unsafe { ptr::copy_nonoverlapping(code.as_ptr(), memory.start, code.len()) };
        // SAFETY: changes the protection of our own mapping.
        if unsafe { libc::mprotect(start, length, libc::PROT_READ | libc::PROT_EXEC) } != 0 {
            return Err(io::Error::last_os_error());
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the range is the mapping. The data cache holds the code that the instruction cache must see.
        unsafe {
            __clear_cache(memory.start, memory.start.add(length))
        };
        Ok(memory)
    }

    /// No executable memory without `mmap`.
    #[cfg(not(unix))]
    pub(crate) fn new(_code: &[u8]) -> io::Result<CodeMemory> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The first byte of the code.
    pub(crate) fn start(&self) -> *const u8 {
        self.start
    }
}

// The compiler's run-time library.
#[cfg(all(unix, target_arch = "aarch64"))]
unsafe extern "C" {
    fn __clear_cache(start: *mut u8, end: *mut u8);
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        #[cfg(unix)]
        // SAFETY: the mapping is ours, and nothing runs in it: running borrows the program.
        unsafe {
            libc::munmap(self.start.cast(), self.length)
        };
    }
}
