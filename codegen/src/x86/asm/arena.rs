//! Executable memory that is never writable and executable at once (W^X).
//!
//! Code is copied to pages of its own, which are then made executable and no longer writable; dropping the [`ExecutableCode`] unmaps
//! them. Where the system refuses (a seccomp filter, SELinux), [`map_executable`] returns its error, and the caller uses another
//! backend.
//!
//! The pages are private, so a fork copies them, and parent and child drop and map code independently. The alternative is one file
//! mapped twice, to write at one address and to execute at another. It needs no system call for each kernel and packs kernels
//! closer, but parent and child share it: one may still run code that the other has dropped, so it needs fork handlers and a rule
//! about threads that fork meanwhile. It would save 4 µs a kernel, of about 30 for planning and compiling one.
//!
//! Another thread gets the address of code through a synchronising operation, and instruction caches are coherent and physically
//! tagged, so no cache has to be flushed.

use crate::backend::fault;
use std::io;
use std::ptr::NonNull;

/// Machine code in executable memory, which is unmapped on drop.
#[derive(Debug)]
pub struct ExecutableCode {
    address: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the memory is only read and run.
unsafe impl Send for ExecutableCode {}
// SAFETY: as above.
unsafe impl Sync for ExecutableCode {}

impl ExecutableCode {
    /// Where the code begins.
    pub fn address(&self) -> *const u8 {
        self.address.as_ptr()
    }

    /// The code.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is at least as long, readable, and never written.
        unsafe { std::slice::from_raw_parts(self.address.as_ptr(), self.bytes) }
    }
}

impl Drop for ExecutableCode {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping, and every caller of the code borrows or shares the value. The system rounds the
        // length up to pages, as it did when it was mapped.
        unsafe { libc::munmap(self.address.as_ptr().cast(), self.bytes.max(1)) };
    }
}

/// Copies code to executable memory, at the beginning of a page.
///
/// ```
/// use fastnp_codegen::x86::{Assembler, Gpr, map_executable};
/// let mut asm = Assembler::new();
/// asm.mov_imm(Gpr::RAX, 42);
/// asm.ret();
/// let code = map_executable(&asm.finish())?;
/// // SAFETY: the code takes no arguments, returns an integer and touches nothing else.
/// let function: extern "sysv64" fn() -> u64 = unsafe { std::mem::transmute(code.address()) };
/// assert_eq!(function(), 42);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The system refuses to map executable memory.
pub fn map_executable(bytes: &[u8]) -> io::Result<ExecutableCode> {
    if fault::strikes() {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let len = bytes.len().max(1);
    // SAFETY: a new private mapping, at an address that the system chooses.
    let mapped = unsafe {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0)
    };
    if mapped == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let address = NonNull::new(mapped.cast::<u8>()).expect("no mapping begins at zero unasked");
    // From here on dropping it unmaps the memory.
    let code = ExecutableCode { address, bytes: bytes.len() };
    // SAFETY: the mapping is as long as the bytes, and no other code has its address yet.
    let protected = unsafe {
        address.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
        libc::mprotect(mapped, len, libc::PROT_READ | libc::PROT_EXEC)
    };
    match protected {
        0 => Ok(code),
        _ => Err(io::Error::last_os_error()),
    }
}
