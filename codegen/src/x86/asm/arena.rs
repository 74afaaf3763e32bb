//! Executable memory that is never writable and executable at once.
//!
//! Code is copied to pages of its own, which are then made executable and no longer writable; dropping the [`Code`] unmaps
//! them. Where the system refuses (a seccomp filter, SELinux), [`place`] gives its error, and the caller runs something
//! else.
//!
//! The pages are private, so a fork copies them as it copies everything: what parent and child drop or place afterwards
//! concerns themselves. One file mapped twice, to write here and to run there, needs no system call for a kernel and packs
//! kernels closer, but parent and child share it: a place dropped by one may still be run by the other, and to know of
//! forks takes handlers and a rule about threads that fork meanwhile. It would save 4 µs a kernel, of about 30 that
//! planning and compiling one take.
//!
//! Whoever gets an address from another thread got it through something that orders memory, and processors find
//! instructions by physical address, so nothing needs to be flushed.

use std::io;
use std::ptr::NonNull;

/// Machine code in executable memory, which is given back when this is dropped.
#[derive(Debug)]
pub struct Code {
    address: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the memory is only read and run.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// Where the code begins.
    pub fn address(&self) -> *const u8 {
        self.address.as_ptr()
    }

    /// The code.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is at least as long, readable, and nobody writes to it.
        unsafe { std::slice::from_raw_parts(self.address.as_ptr(), self.bytes) }
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and whoever runs the code borrows or shares this. The system rounds to pages as it did
        // when it was mapped.
        unsafe { libc::munmap(self.address.as_ptr().cast(), self.bytes.max(1)) };
    }
}

/// Copies code to executable memory, at the beginning of a page.
///
/// ```
/// use fastnp_codegen::x86::{Assembler, Gpr, place};
/// let mut asm = Assembler::new();
/// asm.mov_imm(Gpr::RAX, 42);
/// asm.ret();
/// let code = place(&asm.finish())?;
/// // SAFETY: the code takes no arguments, returns an integer and touches nothing else.
/// let function: extern "sysv64" fn() -> u64 = unsafe { std::mem::transmute(code.address()) };
/// assert_eq!(function(), 42);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Where the system gives no such memory.
pub fn place(bytes: &[u8]) -> io::Result<Code> {
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
    let code = Code { address, bytes: bytes.len() };
    // SAFETY: the mapping is as long as the bytes, and nobody else has its address yet.
    let protected = unsafe {
        address.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
        libc::mprotect(mapped, len, libc::PROT_READ | libc::PROT_EXEC)
    };
    match protected {
        0 => Ok(code),
        _ => Err(io::Error::last_os_error()),
    }
}
