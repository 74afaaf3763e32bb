//! Executable memory: code runs, places are used again, nothing is writable where it runs, and forks keep apart. Tests that look at
//! the mappings of their process, or fork it, have one of their own.
#![cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]

use crate::process::alone;
use fastnp_codegen::x86::{Assembler, ExecutableCode, Gpr, map_executable};

/// Code that returns a number, so many bytes long at least.
fn returns(number: i64, bytes: usize) -> ExecutableCode {
    let mut asm = Assembler::new();
    asm.mov_imm(Gpr::RAX, number);
    asm.ret();
    let mut code = asm.finish();
    code.resize(bytes.max(code.len()), 0xCC);
    map_executable(&code).expect("executable memory")
}

fn call(code: &ExecutableCode) -> i64 {
    // SAFETY: the tests place functions without arguments that return an integer.
    let function: extern "sysv64" fn() -> i64 = unsafe { std::mem::transmute(code.address()) };
    function()
}

/// Mappings of this process.
fn mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps").expect("the mappings of this process").lines().count()
}

#[test]
fn code_runs_until_it_is_dropped() {
    alone("x86::arena::code_runs_until_it_is_dropped", || {
        let mut live: Vec<(i64, ExecutableCode)> = Vec::new();
        let before = mappings();
        for i in 0..20_000_i64 {
            let code = returns(i << 20, (i as usize * 37) % 900);
            assert_eq!(code.address() as usize % 64, 0);
            live.push((i << 20, code));
            if live.len() > 100 {
                let (number, code) = live.swap_remove((i as usize * 7919) % live.len());
                assert_eq!(call(&code), number);
            }
        }
        live.iter().for_each(|(number, code)| assert_eq!(call(code), *number));
        drop(live);
        assert!(mappings() < before + 1_000, "memory of dropped code is given back");
    });
}

#[test]
fn empty_and_large_code_has_a_place() {
    let empty = map_executable(&[]).expect("executable memory");
    assert_eq!(empty.address() as usize % 64, 0);
    for bytes in [1 << 20, (1 << 20) + 1, 5 << 20] {
        let code = returns(7, bytes);
        // SAFETY: the code is so long and may be read.
        assert_eq!(unsafe { code.address().add(bytes - 1).read() }, 0xCC);
        assert_eq!(call(&code), 7);
    }
}

#[test]
fn threads_place_at_once() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                let mut live: Vec<(i64, ExecutableCode)> = Vec::new();
                for i in 0..2_000_i64 {
                    let number = thread << 40 | i;
                    live.push((number, returns(number, i as usize % 400)));
                    if live.len() > 20 {
                        live.swap_remove(i as usize % 20);
                    }
                    live.iter().for_each(|(number, code)| assert_eq!(call(code), *number));
                }
            });
        }
    });
}

#[test]
fn nothing_is_writable_where_it_runs() {
    alone("x86::arena::nothing_is_writable_where_it_runs", || {
        let code = returns(1, 0);
        let maps = std::fs::read_to_string("/proc/self/maps").expect("the mappings of this process");
        let mut found = false;
        for line in maps.lines() {
            let mut words = line.split_whitespace();
            let (range, access) = (words.next().expect("a range"), words.next().expect("an access"));
            assert!(!access.contains("wx"), "{line}");
            let (start, end) = range.split_once('-').expect("a range");
            let number = |text| usize::from_str_radix(text, 16).expect("an address");
            if (number(start)..number(end)).contains(&(code.address() as usize)) {
                assert_eq!(access, "r-xp", "{line}");
                found = true;
            }
        }
        assert!(found);
    });
}

/// Runs something in a child and says whether it held. The child allocates and writes memory but prints nothing.
fn in_child(work: impl FnOnce() -> bool) -> libc::pid_t {
    // SAFETY: the child runs `work`, which takes no lock another thread may hold but the allocator's, which the C library
    // keeps usable, and leaves without running anything of the parent's.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            let held = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(false);
            libc::_exit(if held { 0 } else { 1 });
        }
        child
    }
}

fn assert_held(child: libc::pid_t) {
    let mut status = 0;
    // SAFETY: the child is ours, and the status is written before the call returns.
    let waited = unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!((waited, status), (child, 0));
}

/// What a child places and drops changes nothing of its parent's.
#[test]
fn a_child_leaves_its_parent_alone() {
    alone("x86::arena::a_child_leaves_its_parent_alone", || {
        let mut codes: Vec<ExecutableCode> = (0..100).map(|i| returns(i, 0)).collect();
        codes.truncate(50);
        let child = in_child(|| {
            let inherited = codes.iter().zip(0..).all(|(code, i)| call(code) == i);
            let own: Vec<ExecutableCode> = (0..1000).map(|i| returns(-i, 0)).collect();
            codes.clear();
            let again: Vec<ExecutableCode> = (0..1000).map(|i| returns(i << 10, 0)).collect();
            let right = own.iter().zip(0..).all(|(code, i)| call(code) == -i)
                && again.iter().zip(0..).all(|(code, i)| call(code) == i << 10);
            let grandchild = in_child(|| call(&own[3]) == -3 && call(&returns(9, 0)) == 9);
            assert_held(grandchild);
            inherited && right
        });
        assert_held(child);
        assert!(codes.iter().zip(0..).all(|(code, i)| call(code) == i));
    });
}

/// What a parent drops after a fork still runs in the child.
#[test]
fn a_parent_leaves_its_child_alone() {
    alone("x86::arena::a_parent_leaves_its_child_alone", || {
        let codes: Vec<ExecutableCode> = (0..100).map(|i| returns(i, 0)).collect();
        let mut pipe = [0; 2];
        // SAFETY: there is room for two descriptors.
        assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
        let child = in_child(|| {
            let mut byte = 0_u8;
            // SAFETY: the byte is ours; the parent writes one once it is done.
            let read = unsafe { libc::read(pipe[0], (&raw mut byte).cast(), 1) };
            read == 1 && codes.iter().zip(0..).all(|(code, i)| call(code) == i)
        });
        drop(codes);
        let own: Vec<ExecutableCode> = (0..20_000).map(|i| returns(-i, 0)).collect();
        assert!(own.iter().zip(0..).all(|(code, i)| call(code) == -i));
        // SAFETY: the descriptors are ours, the byte is read only.
        unsafe {
            assert_eq!(libc::write(pipe[1], c"x".as_ptr().cast(), 1), 1);
            libc::close(pipe[0]);
            libc::close(pipe[1]);
        }
        assert_held(child);
    });
}
