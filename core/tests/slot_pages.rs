//! How the slots of the guarded range get their pages, and lose them.

use crate::memory::is_readable;
use fastnp::white_box::slots::{
    CLOSED_AT_ONCE, MOST_COPIED, MOST_FRONTED, SLOT_PAGE, SlotOwner, assign_contents, capacity, close_with_copy,
    disown, free_disowned, front_page, has_front, open_new, open_with_copy, open_with_pages, own, reserve, retire,
    suits,
};

fn contents(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + seed * 31) as u8).collect()
}

#[test]
fn contents_and_front_page_come_and_go_together() {
    assert!(reserve());
    for bytes in [1, 4096, 20_000, 60_000, MOST_COPIED] {
        let slots: Vec<*mut u8> =
            (0..3 * CLOSED_AT_ONCE).map(|_| assign_contents(bytes, SlotOwner::Unassigned).unwrap()).collect();
        // More than are kept and closed at once, twice, so that pages are used again.
        for (seed, &slot) in slots.iter().chain(&slots).enumerate() {
            let expected = contents(bytes, seed);
            let front = [seed as isize, -8];
            assert!(suits(slot, bytes) && has_front(slot) && capacity(slot) >= bytes && !is_readable(slot));
            // SAFETY: the slot is closed and has a front page.
            unsafe { open_with_copy(slot, &front, expected.as_ptr(), bytes).unwrap() };
            // SAFETY: the slot is open, and nothing else uses it.
            unsafe {
                assert_eq!(std::slice::from_raw_parts(front_page(slot), 2), front);
                assert_eq!(std::slice::from_raw_parts(slot, bytes), expected);
                slot.write(1);
            }
            let mut copy = vec![0; bytes];
            // SAFETY: the slot is open and has so many bytes.
            unsafe { close_with_copy(slot, copy.as_mut_ptr(), bytes).unwrap() };
            assert!(copy[0] == 1 && copy[1..] == expected[1..]);
            assert!(!is_readable(slot) && !is_readable(front_page(slot).cast()));
        }
        for slot in slots {
            // SAFETY: as above.
            unsafe { open_with_copy(slot, &[], contents(bytes, 0).as_ptr(), bytes).unwrap() };
            retire(slot);
        }
    }
}

#[test]
fn pages_that_cannot_be_moved_any_more_are_given_back() {
    assert!(reserve());
    let bytes = MOST_COPIED / 2;
    for seed in 0..8 {
        let slot = assign_contents(bytes, SlotOwner::Unassigned).unwrap();
        // SAFETY: the slot is closed and has a front page; the advice changes no contents.
        unsafe {
            open_with_copy(slot, &[], contents(bytes, seed).as_ptr(), bytes).unwrap();
            assert_eq!(std::slice::from_raw_parts(slot, bytes), contents(bytes, seed));
            assert_eq!(libc::madvise(slot.add(2 * SLOT_PAGE).cast(), SLOT_PAGE, libc::MADV_DONTDUMP), 0);
        }
        retire(slot);
    }
}

#[test]
fn a_slot_that_is_open_from_the_beginning_has_warm_pages() {
    assert!(reserve());
    for bytes in [20_000, MOST_COPIED, MOST_COPIED + 1, MOST_FRONTED] {
        for seed in 0..3 {
            let slot = open_new(bytes, SlotOwner::Unassigned).unwrap();
            assert!(has_front(slot) && capacity(slot) >= bytes);
            // SAFETY: the slot is open and this test's alone, and has room for so many bytes behind its front page.
            unsafe {
                front_page(slot).write(seed as isize);
                slot.copy_from_nonoverlapping(contents(bytes, seed).as_ptr(), bytes);
            }
            let mut copy = vec![0; bytes];
            // SAFETY: the slot is open and has so many bytes.
            unsafe { close_with_copy(slot, copy.as_mut_ptr(), bytes).unwrap() };
            assert!(copy == contents(bytes, seed) && !is_readable(slot) && !is_readable(front_page(slot).cast()));
            // It can be opened and given back as any other; the next one is at its pages.
            // SAFETY: the slot is closed and has a front page.
            unsafe { open_with_copy(slot, &[], copy.as_ptr(), bytes).unwrap() };
            retire(slot);
        }
    }
    assert!(open_new(MOST_FRONTED + 1, SlotOwner::Unassigned).is_none());
    // One that is given away keeps its contents.
    let slot = open_new(MOST_FRONTED, SlotOwner::Unassigned).unwrap();
    // SAFETY: as above.
    unsafe { slot.copy_from_nonoverlapping(contents(MOST_FRONTED, 7).as_ptr(), MOST_FRONTED) };
    disown(slot);
    assert!(own(slot, SlotOwner::Unassigned));
    // SAFETY: as above.
    assert_eq!(unsafe { std::slice::from_raw_parts(slot, MOST_FRONTED) }, contents(MOST_FRONTED, 7));
    disown(slot);
    assert!(free_disowned(slot) && !is_readable(slot) && !is_readable(front_page(slot).cast()));
}

#[test]
fn pages_are_moved_between_slots() {
    assert!(reserve());
    let bytes = 2 * MOST_COPIED;
    let mut from: Option<*mut u8> = None;
    for seed in 0..2 * CLOSED_AT_ONCE {
        let slot = assign_contents(bytes, SlotOwner::Unassigned).unwrap();
        assert!(!has_front(slot) && !is_readable(slot));
        let pages = from.unwrap_or_else(|| {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            // SAFETY: a new mapping.
            unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) }.cast()
        });
        // SAFETY: the pages are this test's alone, and as many as the slot has room for.
        unsafe {
            pages.copy_from_nonoverlapping(contents(bytes, seed).as_ptr(), bytes);
            open_with_pages(slot, pages, bytes).unwrap();
            assert_eq!(std::slice::from_raw_parts(slot, bytes), contents(bytes, seed));
        }
        disown(slot);
        from = Some(slot);
    }
    assert!(free_disowned(from.unwrap()) && !is_readable(from.unwrap()));
}
