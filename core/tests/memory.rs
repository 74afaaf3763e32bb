//! Memory: blocks of the pool, storages and their way back, guard pages, front layouts.

use crate::process::elsewhere;
use fastnp::white_box::{
    BLOCK_ALIGN, Buffer, FrontLayout, Storage, StorageRef, available, available_in_cgroup, class_bytes, class_of,
};
use fastnp::{Array, DType, Order, Scalar, guard, settings, stats};

/// Whether a byte can be read, as the system says: it copies the byte to a pipe.
pub(crate) fn is_readable(address: *const u8) -> bool {
    let mut ends = [0; 2];
    // SAFETY: `write` returns an error for an address that cannot be read.
    unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        let written = libc::write(ends[1], address.cast(), 1);
        ends.iter().for_each(|&end| assert_eq!(libc::close(end), 0));
        written == 1
    }
}

#[test]
fn bytes_beyond_a_block_are_inaccessible() {
    for bytes in [1, 8, 100, guard::PAGE - 8, guard::PAGE, 3 * guard::PAGE + 16] {
        let blocks = [guard::allocate(bytes).unwrap(), guard::allocate(bytes).unwrap()];
        let mut guards = [0, 0];
        for block in blocks {
            let first = block.as_ptr().cast_const();
            assert!(is_readable(first) && is_readable(first.wrapping_add(bytes - 1)));
            guards[0] += usize::from(!is_readable(first.wrapping_sub(1)));
            guards[1] += usize::from(!is_readable(first.wrapping_add(bytes)));
            guard::free(block);
        }
        assert!(guards[0] > 0 && guards[1] > 0, "{bytes}: {guards:?}");
    }
}

#[test]
fn classes_hold_their_sizes() {
    for bytes in (1..5000).chain([1 << 20, (1 << 20) + 1, 80_000_000, 1 << 40]) {
        let class = class_of(bytes);
        assert!(class_bytes(class) >= bytes, "{bytes}");
        assert!(class == 0 || class_bytes(class - 1) < bytes, "{bytes}");
    }
}

#[test]
fn freed_blocks_are_taken_again() {
    if elsewhere("memory::freed_blocks_are_taken_again") {
        return;
    }
    let first = Buffer::new(12345).unwrap();
    let address = first.address();
    assert_eq!(address as usize % BLOCK_ALIGN, 0);
    drop(first);
    assert_eq!(Buffer::new(12345).unwrap().address(), address);
}

#[test]
fn blocks_of_all_sizes_are_apart_and_come_again_after_a_trim() {
    if elsewhere("memory::blocks_of_all_sizes_are_apart_and_come_again_after_a_trim") {
        return;
    }
    let sizes = || (10..22).flat_map(|bits| [1 << bits, (5 << bits) / 4 + 1]).cycle().take(60);
    for turn in 0..3u8 {
        let blocks: Vec<(Buffer, usize)> = sizes().map(|bytes| (Buffer::new(bytes).unwrap(), bytes)).collect();
        for (number, (block, bytes)) in blocks.iter().enumerate() {
            assert_eq!(block.address().addr() % BLOCK_ALIGN, 0);
            // SAFETY: a block has as many bytes as were asked for, and a class as many as it says.
            unsafe { block.address().write_bytes(number as u8 ^ turn, class_bytes(class_of(*bytes))) };
        }
        for (number, (block, bytes)) in blocks.iter().enumerate() {
            // SAFETY: the bytes were written.
            let found = unsafe { std::slice::from_raw_parts(block.address(), *bytes) };
            assert!(found.iter().all(|&byte| byte == number as u8 ^ turn), "{bytes}");
        }
        drop(blocks);
        // A bound of nothing gives back the free blocks.
        assert!(settings::set("pool_limit", 0).unwrap() && stats().bytes_cached == 0);
        assert!(settings::set("pool_limit", -1).unwrap());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_available_and_groups_are_understood() {
    assert!(available().is_some_and(|bytes| bytes > 1 << 20));
    assert_eq!(available_in_cgroup("3:cpu,cpuacct:/"), None);
    assert_eq!(available_in_cgroup("0::/no/such/group/of/processes").is_some(), available_in_cgroup("0::/").is_some());
    assert_eq!(available_in_cgroup("rubbish"), None);
}

#[test]
fn storages_are_reused() {
    let address = |a: &Array| a.address().unwrap() as usize;
    let all: Vec<usize> = (0..100)
        .map(|i| {
            let a = Array::full(&[i % 3 + 40], Scalar::new(DType::F64, 1i64), Order::C).unwrap();
            address(&a)
        })
        .collect();
    // Other tests run in parallel and take storages too; but not every storage may be new.
    let mut different = all.clone();
    different.sort_unstable();
    different.dedup();
    assert!(different.len() < all.len(), "{all:?}");
}

#[test]
fn referenced_storages_are_not_reused() {
    let a = Array::ones(&[10], DType::F64);
    let view = a.index(&[(2..4).into()]).unwrap();
    drop(a);
    let others: Vec<Array> = (0..40).map(|_| Array::zeros(&[10], DType::F64)).collect();
    assert_eq!(view.to_vec::<f64>().unwrap(), [1.0, 1.0]);
    let export = view.export().unwrap();
    drop(view);
    let more: Vec<Array> = (0..40).map(|_| Array::zeros(&[10], DType::F64)).collect();
    // SAFETY: the export is alive, and the view has two elements.
    assert_eq!(unsafe { std::slice::from_raw_parts(export.address().cast::<f64>(), 2) }, [1.0, 1.0]);
    drop((others, more));
}

#[test]
fn references_are_counted_by_all_threads() {
    let mut first = StorageRef::new(Storage::pending(8));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|_| drop(first.clone())));
        }
    });
    let second = first.clone();
    assert!(
        StorageRef::ptr_eq(&first, &second)
            && StorageRef::count(&first) == 2
            && StorageRef::get_mut(&mut first).is_none()
    );
    drop(second);
    assert_eq!(StorageRef::get_mut(&mut first).map(|storage| storage.bytes()), Some(8));
}

#[test]
fn a_layout_is_what_was_set() {
    let front = FrontLayout::none();
    assert!(front.is_none() && front.numbers().is_empty() && !front.is(&[], &[]));
    assert!(front.set(&[3, 4], &[-32, 8]));
    assert!(front.is(&[3, 4], &[-32, 8]) && !front.is(&[3, 4], &[32, 8]) && !front.is(&[3], &[-32]));
    assert_eq!(front.numbers().as_slice(), [3, 4, -32, 8]);
    assert!(!front.set(&[1; 5], &[8; 5]) && !front.set(&[1 << 32], &[0]) && !front.set(&[1], &[1 << 31]));
    assert!(front.is(&[3, 4], &[-32, 8]));
    front.refuse();
    assert!(!front.is_none() && !front.is(&[3, 4], &[-32, 8]) && front.numbers().is_empty());
    front.clear();
    assert!(front.is_none());
}
