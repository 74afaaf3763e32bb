//! Executable memory that is never writable and executable at one address.
//!
//! Code lives in files without a name (`memfd_create`), each mapped twice: once to write, elsewhere to run. [`place`] copies
//! code in at a multiple of 64 bytes, and dropping the [`Code`] makes its range free. Chunks are made as they are needed and
//! kept. Where the system refuses (a seccomp filter, SELinux, or no such call), `place` gives its error, and the caller
//! runs something else.
//!
//! **Forks.** The mappings are shared, so parent and child see each other's writes. Two rules keep them apart, and handlers
//! of `pthread_atfork` see to both:
//!
//! * A child begins with an arena of its own. It never writes to its parent's files, whose writable mappings it does not even
//!   inherit, and never takes its parent's lock, which a thread may have held that is not there any more. What it inherited
//!   goes on running, and dropping it does nothing.
//! * The parent never reuses a range that was in use at a fork, since a child may still run it. So code that is dropped after
//!   a fork, and was placed before, costs its memory until the process ends: one generation of live code a fork at most.
//!
//! Children that are made without these handlers (`vfork`, `posix_spawn`) run another program at once, or are not made by the C
//! library.
//!
//! **Threads.** Whoever gets an address from another thread got it through something that orders memory, and processors find
//! instructions by physical address, so nothing needs to be flushed, though the writing address differs.

use std::io;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

/// What code begins at a multiple of: a cache line.
const ALIGN: usize = 64;
/// Bytes of a file, unless one piece of code needs more.
const CHUNK: usize = 1 << 20;
/// What free memory is filled with, an instruction that traps: a call to dropped code stops there and then.
const TRAP: u8 = 0xCC;

/// This process's arena; none before its first code, and in a new child.
static CURRENT: AtomicPtr<Arena> = AtomicPtr::new(std::ptr::null_mut());
/// Forks that have been made from this process or its ancestors.
static FORKS: AtomicU64 = AtomicU64::new(0);
/// Forks being made.
static FORKING: AtomicUsize = AtomicUsize::new(0);

/// Machine code in executable memory; its place is free again once this is dropped.
#[derive(Debug)]
pub struct Code {
    arena: &'static Arena,
    chunk: usize,
    range: Range<usize>,
    address: NonNull<u8>,
    /// How many forks there had been.
    forks: u64,
}

// SAFETY: the address is only read, and nobody writes there before the code is dropped.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    /// Where the code begins.
    pub fn address(&self) -> *const u8 {
        self.address.as_ptr()
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let ours = std::ptr::eq(CURRENT.load(SeqCst), self.arena);
        // A fork that begins after this is harmless: no thread of its child has this handle, since this one has it.
        if ours && FORKING.load(SeqCst) == 0 && FORKS.load(SeqCst) == self.forks {
            self.arena.lock()[self.chunk].give_back(self.range.clone());
        }
    }
}

/// Copies code to executable memory, at a multiple of 64 bytes.
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
    let arena = Arena::current()?;
    // Before the range is taken: a fork from here on makes it one that is not reused.
    let forks = FORKS.load(SeqCst);
    let len = bytes.len().max(1).next_multiple_of(ALIGN);
    let mut chunks = arena.lock();
    let taken = chunks.iter_mut().enumerate().find_map(|(i, chunk)| Some((i, chunk.free.take(len)?)));
    let (chunk, start) = match taken {
        Some(found) => found,
        None => {
            let mut chunk = Chunk::new(len)?;
            let start = chunk.free.take(len).expect("a new chunk has room for what it was made for");
            chunks.push(chunk);
            (chunks.len() - 1, start)
        }
    };
    let range = start..start + len;
    let address = chunks[chunk].write(range.clone(), bytes);
    Ok(Code { arena, chunk, range, address, forks })
}

/// All executable memory of a process.
#[derive(Debug)]
struct Arena {
    chunks: Mutex<Vec<Chunk>>,
}

impl Arena {
    /// This process's; it lives as long as the process.
    fn current() -> io::Result<&'static Arena> {
        let known = CURRENT.load(SeqCst);
        // SAFETY: CURRENT is null or was leaked below, and nothing is freed.
        if let Some(arena) = unsafe { known.as_ref() } {
            return Ok(arena);
        }
        watch_forks()?;
        let new = Box::into_raw(Box::new(Arena { chunks: Mutex::default() }));
        match CURRENT.compare_exchange(known, new, SeqCst, SeqCst) {
            // SAFETY: it is leaked from here on, and was published just now.
            Ok(_) => Ok(unsafe { &*new }),
            Err(other) => {
                // SAFETY: nobody else has seen `new`; `other` was leaked by another thread.
                unsafe {
                    drop(Box::from_raw(new));
                    Ok(&*other)
                }
            }
        }
    }

    /// The chunks; a panic cannot leave them half changed.
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Chunk>> {
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sees to it that forks are noticed. Threads that come here at once may do it twice, which changes nothing.
fn watch_forks() -> io::Result<()> {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    extern "C" fn before() {
        FORKING.fetch_add(1, SeqCst);
    }
    extern "C" fn in_parent() {
        FORKS.fetch_add(1, SeqCst);
        FORKING.fetch_sub(1, SeqCst);
    }
    extern "C" fn in_child() {
        CURRENT.store(std::ptr::null_mut(), SeqCst);
        FORKING.store(0, SeqCst);
    }
    if WATCHED.load(SeqCst) {
        return Ok(());
    }
    // SAFETY: the handlers only write atomic variables, which any thread and any new child may do.
    let error = unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    WATCHED.store(true, SeqCst);
    Ok(())
}

/// A file mapped twice.
#[derive(Debug)]
struct Chunk {
    write: NonNull<u8>,
    run: NonNull<u8>,
    free: Ranges,
}

// SAFETY: the mappings belong to the process and stay until it ends; they are written by whoever has locked the arena.
unsafe impl Send for Chunk {}

impl Chunk {
    /// Room for so many bytes at least.
    fn new(len: usize) -> io::Result<Chunk> {
        let len = len.max(CHUNK).next_multiple_of(CHUNK);
        let (write, run) = map_twice(len)?;
        Ok(Chunk { write, run, free: Ranges::whole(len) })
    }

    /// Fills a range that was taken, with traps behind the code, and says where it runs.
    fn write(&mut self, range: Range<usize>, bytes: &[u8]) -> NonNull<u8> {
        assert!(bytes.len() <= range.len());
        // SAFETY: the range is within the mapping, nobody else uses it since it was free, and it holds the bytes.
        unsafe {
            let to = self.write.add(range.start);
            to.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
            to.add(bytes.len()).write_bytes(TRAP, range.len() - bytes.len());
            self.run.add(range.start)
        }
    }

    /// A range nobody runs any more.
    fn give_back(&mut self, range: Range<usize>) {
        // SAFETY: the range is within the mapping, and its only user is gone.
        unsafe { self.write.add(range.start).write_bytes(TRAP, range.len()) };
        self.free.give_back(range);
    }
}

/// Maps a new file to write and to run.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn map_twice(len: usize) -> io::Result<(NonNull<u8>, NonNull<u8>)> {
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    /// Says that the file will be run; systems may refuse files that do not say so.
    const MFD_EXEC: libc::c_uint = 0x10;

    // SAFETY: the name is a C string.
    let create = |flags| unsafe { libc::memfd_create(c"fastnp-code".as_ptr(), libc::MFD_CLOEXEC | flags) };
    let mut fd = create(MFD_EXEC);
    if fd < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL) {
        fd = create(0); // before Linux 6.3
    }
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was opened just now, and nobody else has it.
    let file = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: the file is ours.
    if unsafe { libc::ftruncate(fd, len as libc::off_t) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let map = |protection| {
        // SAFETY: a new mapping at an address the system chooses, of a file as long as it.
        let address =
            unsafe { libc::mmap(std::ptr::null_mut(), len, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(NonNull::new(address.cast::<u8>()).expect("no mapping begins at zero unasked"))
    };
    let run = map(libc::PROT_READ | libc::PROT_EXEC)?;
    let write = map(libc::PROT_READ | libc::PROT_WRITE).and_then(|write| {
        // SAFETY: the mapping was made just now; only what a child inherits changes.
        match unsafe { libc::madvise(write.as_ptr().cast(), len, libc::MADV_DONTFORK) } {
            0 => Ok(write),
            _ => {
                let error = io::Error::last_os_error();
                // SAFETY: as above, and nobody has the address.
                unsafe { libc::munmap(write.as_ptr().cast(), len) };
                Err(error)
            }
        }
    });
    match write {
        Ok(write) => Ok((write, run)),
        Err(error) => {
            // SAFETY: it was mapped just now, and nobody has the address.
            unsafe { libc::munmap(run.as_ptr().cast(), len) };
            Err(error)
        }
    }
}

/// Other systems have no files without a name that may be run.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn map_twice(_: usize) -> io::Result<(NonNull<u8>, NonNull<u8>)> {
    Err(io::ErrorKind::Unsupported.into())
}

/// What is free of a chunk: ranges in order, with something in use between any two.
#[derive(Debug)]
struct Ranges {
    free: Vec<Range<usize>>,
}

impl Ranges {
    /// All of so many bytes.
    fn whole(len: usize) -> Ranges {
        Ranges { free: Vec::from([Range { start: 0, end: len }]) }
    }

    /// The start of so many bytes, from the first range that has them.
    fn take(&mut self, len: usize) -> Option<usize> {
        let at = self.free.iter().position(|range| range.len() >= len)?;
        let start = self.free[at].start;
        self.free[at].start += len;
        if self.free[at].is_empty() {
            self.free.remove(at);
        }
        Some(start)
    }

    /// Makes a range free again, in one with its neighbours.
    fn give_back(&mut self, range: Range<usize>) {
        let at = self.free.partition_point(|free| free.start < range.start);
        let joins_next = self.free.get(at).is_some_and(|next| next.start == range.end);
        let joins_previous = at > 0 && self.free[at - 1].end == range.start;
        match (joins_previous, joins_next) {
            (true, true) => self.free[at - 1].end = self.free.remove(at).end,
            (true, false) => self.free[at - 1].end = range.end,
            (false, true) => self.free[at].start = range.start,
            (false, false) => self.free.insert(at, range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranges taken do not overlap, and given back in any order they are one again.
    #[test]
    fn free_ranges_merge() {
        const LEN: usize = 1 << 12;
        let mut ranges = Ranges::whole(LEN);
        let mut taken: Vec<Range<usize>> = Vec::new();
        let mut state = 1_u64;
        for _ in 0..if cfg!(miri) { 200 } else { 10_000 } {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = (state >> 33) as usize;
            let len = (random >> 8) % 300 + 1;
            if random.is_multiple_of(2)
                && let Some(start) = ranges.take(len)
            {
                let new = start..start + len;
                assert!(new.end <= LEN && taken.iter().all(|old| old.end <= new.start || new.end <= old.start));
                taken.push(new);
            } else if !taken.is_empty() {
                ranges.give_back(taken.swap_remove(random % taken.len()));
            }
            assert!(ranges.free.windows(2).all(|pair| pair[0].end < pair[1].start));
            let free: usize = ranges.free.iter().map(Range::len).sum();
            assert_eq!(free + taken.iter().map(Range::len).sum::<usize>(), LEN);
        }
        taken.into_iter().for_each(|range| ranges.give_back(range));
        assert_eq!(ranges.free, Ranges::whole(LEN).free);
    }
}
