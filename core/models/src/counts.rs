//! Counts: references to storages, and exports of their memory.

use crate::check;
use crate::host::released_count::ExclusiveSection;
use crate::host::spin_lock::SpinLock;
use crate::locks::{Interpreter, two_threads};
use crate::memory::export_count::ExportCount;
use crate::memory::ref_count::RefCount;
use loom::cell::UnsafeCell;

/// A storage: its count, its contents, and whether it was freed.
struct Counted {
    count: RefCount,
    contents: UnsafeCell<usize>,
    freed: UnsafeCell<bool>,
}

// SAFETY: loom panics if two threads access a cell without an order between them.
unsafe impl Sync for Counted {}

impl Counted {
    fn new() -> Counted {
        Counted { count: RefCount::one(), contents: UnsafeCell::new(0), freed: UnsafeCell::new(false) }
    }

    fn read(&self) {
        // SAFETY: loom watches the cells.
        self.freed.with(|freed| assert!(unsafe { !*freed }));
        // SAFETY: as above.
        self.contents.with(|contents| unsafe { *contents });
    }

    /// Drops a reference, and frees the storage after the last one. Freeing it is a write for loom.
    fn release(&self, section: Option<ExclusiveSection<'_>>) {
        self.read();
        if self.count.decrement(section) {
            // SAFETY: loom watches the cells.
            self.contents.with_mut(|contents| unsafe { *contents += 1 });
            // SAFETY: as above.
            self.freed.with_mut(|freed| unsafe { assert!(!std::mem::replace(&mut *freed, true)) });
        }
    }

    /// How often it was freed.
    fn frees(&self) -> usize {
        // SAFETY: as above.
        self.contents.with(|contents| unsafe { *contents })
    }
}

#[test]
fn the_last_reference_frees_once() {
    check(6, || {
        let storage = Counted::new();
        storage.count.increment(None);
        let storage = two_threads(storage, |storage, _| {
            storage.count.increment(None);
            storage.release(None);
            storage.release(None);
        });
        assert_eq!(storage.frees(), 1);
    });
}

/// Two threads of an interpreter, each of which drops one reference under its lock and one without.
#[test]
fn plain_and_atomic_counting_agree() {
    check(6, || {
        let storage = Counted::new();
        storage.count.increment(None);
        let shared = two_threads((Interpreter::new(), storage), |(interpreter, storage), _| {
            let held = interpreter.hold();
            storage.count.increment(held.section());
            held.release(&mut || {
                storage.read();
                storage.release(held.section());
            });
            storage.release(held.section());
        });
        assert_eq!(shared.1.frees(), 1);
    });
}

/// A thread that comes without the interpreter lock drops a reference too.
#[test]
fn a_thread_without_the_interpreter_lock_excludes_plain_counting() {
    check(6, || {
        let storage = Counted::new();
        storage.count.increment(None);
        let shared = two_threads((Interpreter::new(), storage), |(interpreter, storage), thread| {
            if thread == 0 {
                let held = interpreter.hold();
                storage.count.increment(held.section());
                storage.release(held.section());
                storage.release(held.section());
            } else {
                interpreter.come(|| storage.release(None));
            }
        });
        assert_eq!(shared.1.frees(), 1);
    });
}

/// Plain counting on two threads at once: the model finds it.
#[test]
#[should_panic]
fn plain_counting_without_an_interpreter_lock_is_found() {
    check(6, || {
        let storage = Counted::new();
        storage.count.increment(None);
        let storage = two_threads(storage, |storage, _| storage.release(Interpreter::new().hold().section()));
        assert_eq!(storage.frees(), 1);
    });
}

/// The owner of an export writes the memory and drops the export, without the runtime's lock. An operation that finds no export reads
/// what was written.
#[test]
fn what_was_written_through_an_export_is_seen_after_it() {
    struct Exported {
        exports: ExportCount,
        runtime: SpinLock<()>,
        memory: UnsafeCell<usize>,
    }
    // SAFETY: loom panics if two threads access the cell without an order between them.
    unsafe impl Sync for Exported {}
    check(6, || {
        let exported =
            Exported { exports: ExportCount::none(), runtime: SpinLock::new(()), memory: UnsafeCell::new(0) };
        exported.exports.add();
        two_threads(exported, |exported, thread| {
            if thread == 1 {
                // SAFETY: loom watches the cell.
                exported.memory.with_mut(|memory| unsafe { *memory = 1 });
                exported.exports.remove();
            } else {
                let _runtime = exported.runtime.lock();
                if !exported.exports.is_positive() {
                    // SAFETY: loom watches the cell.
                    assert_eq!(exported.memory.with(|memory| unsafe { *memory }), 1);
                }
            }
        });
    });
}
