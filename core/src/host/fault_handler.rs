//! Fault handler: calls the runtime when code outside touches an address without access that belongs to it.
//!
//! A fault is synchronous: the handler runs where the instruction stands, on the thread that executes it, and may do what a function
//! called there may do. It runs on the thread's own stack, not on the small one for signals, with the default floating-point state, and
//! the instruction is executed again when it returns. Faults that are not the runtime's go to the handler that there was before.

use std::cell::Cell;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes an address accessible; whether it could.
type Resolver = fn(usize) -> bool;

struct Handler {
    range: Range<usize>,
    resolve: Resolver,
}

static HANDLER: OnceLock<Handler> = OnceLock::new();
static INSTALLED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread hands a fault on to the handler before.
    static HANDS_ON: Cell<bool> = const { Cell::new(false) };
}

/// Handles faults in a range of addresses; whether that is possible here.
pub(crate) fn install(range: Range<usize>, resolve: Resolver) -> bool {
    let _ = HANDLER.set(Handler { range, resolve });
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return false;
    }
    let ok = imp::install();
    INSTALLED.store(ok, Ordering::Relaxed);
    ok
}

/// Installs the handler again if another one was installed since, which may not hand on what is not its own.
pub(crate) fn ensure_installed() {
    if INSTALLED.load(Ordering::Relaxed) {
        imp::ensure_installed();
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod imp {
    use super::{HANDLER, HANDS_ON};
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::sync::Mutex;

    /// The handler before.
    static PREVIOUS: Mutex<Option<libc::sigaction>> = Mutex::new(None);

    fn current() -> Option<libc::sigaction> {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: it only reads the action.
        let done = unsafe { libc::sigaction(libc::SIGSEGV, std::ptr::null(), action.as_mut_ptr()) };
        // SAFETY: it was written.
        (done == 0).then(|| unsafe { action.assume_init() })
    }

    pub(super) fn install() -> bool {
        // SAFETY: the handler follows the rules of its head; the mask is filled before it is used.
        unsafe {
            let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
            action.sa_sigaction = handle as *const () as usize;
            // Other signals wait: their handlers would use the stack for signals while its frame below is in use.
            libc::sigfillset(&raw mut action.sa_mask);
            action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
            let mut before = MaybeUninit::<libc::sigaction>::zeroed();
            if libc::sigaction(libc::SIGSEGV, &raw const action, before.as_mut_ptr()) != 0 {
                return false;
            }
            *PREVIOUS.lock().unwrap_or_else(|e| e.into_inner()) = Some(before.assume_init());
            true
        }
    }

    pub(super) fn ensure_installed() {
        if current().is_some_and(|action| action.sa_sigaction != handle as *const () as usize) {
            install();
        }
    }

    struct Fault {
        address: usize,
        is_resolved: bool,
    }

    extern "C" fn resolve(fault: *mut c_void) {
        // SAFETY: `handle` passes its own.
        let fault = unsafe { &mut *fault.cast::<Fault>() };
        if let Some(handler) = HANDLER.get() {
            fault.is_resolved = (handler.resolve)(fault.address);
        }
    }

    extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: the system passes both; a fault of the program has an address.
        let (address, code) = unsafe { ((*info).si_addr() as usize, (*info).si_code) };
        // Positive codes are faults; others were sent by a process.
        if code > 0 && HANDLER.get().is_some_and(|handler| handler.range.contains(&address)) {
            // SAFETY: `errno` of this thread; the context is the system's.
            unsafe {
                let errno = *libc::__errno_location();
                let mut fault = Fault { address, is_resolved: false };
                let interrupted =
                    (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RSP as usize] as usize;
                on_stack_of(interrupted, resolve, (&raw mut fault).cast());
                *libc::__errno_location() = errno;
                if fault.is_resolved {
                    return;
                }
            }
        }
        hand_on(signal, info, context);
    }

    /// Calls a function on the interrupted stack, below what the interrupted function may use (128 bytes), with the default
    /// floating-point state. (The system restores that of the interrupted function.)
    ///
    /// # Safety
    /// `interrupted` is this thread's stack pointer at the fault.
    unsafe fn on_stack_of(interrupted: usize, function: extern "C" fn(*mut c_void), argument: *mut c_void) {
        let here: usize;
        // SAFETY: it reads the stack pointer.
        unsafe { std::arch::asm!("mov {}, rsp", out(reg) here, options(nomem, nostack, preserves_flags)) };
        // Is this the stack of the signal itself? Then that is in use down to here.
        let stack = if here < interrupted && interrupted - here < 1 << 16 { here } else { interrupted };
        let stack = (stack - 256) & !63;
        let default_state = 0x1f80_u32;
        // SAFETY: the new stack pointer is on this thread's stack below everything in use; r12 survives the call, and all that a call
        // may change is declared.
        unsafe {
            std::arch::asm!(
                "mov r12, rsp",
                "mov rsp, {stack}",
                "cld",
                "ldmxcsr [{state}]",
                "call {function}",
                "mov rsp, r12",
                stack = in(reg) stack,
                state = in(reg) &raw const default_state,
                function = in(reg) function,
                in("rdi") argument,
                out("r12") _,
                clobber_abi("C"),
            );
        }
    }

    /// Calls the handler before, or lets the process end as it would have.
    fn hand_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let previous = PREVIOUS.try_lock().ok().and_then(|previous| *previous);
        let previous = previous.filter(|_| !HANDS_ON.replace(true));
        // SAFETY: a handler is called as the system would call it; or the fault is repeated without a handler.
        unsafe {
            match previous {
                Some(action) if action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN => {
                    if action.sa_flags & libc::SA_SIGINFO != 0 {
                        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                            std::mem::transmute(action.sa_sigaction);
                        handler(signal, info, context);
                    } else {
                        let handler: extern "C" fn(c_int) = std::mem::transmute(action.sa_sigaction);
                        handler(signal);
                    }
                }
                _ => {
                    libc::signal(signal, libc::SIG_DFL);
                    if (*info).si_code <= 0 {
                        libc::raise(signal);
                    }
                }
            }
        }
        HANDS_ON.set(false);
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod imp {
    pub(super) fn install() -> bool {
        false
    }

    pub(super) fn ensure_installed() {}
}
