//! Operations that run when they are made: the gate through which they do, and their kernels.

use crate::process::elsewhere;
use fastnp::white_box::{
    Eager, EagerLimit, IN_PLACE, Storage, StorageRef, Watcher, dense_kernel, inner_kernel, runtime,
};
use fastnp::{Array, Error, ErrorKind, LentElements, LentOperand, apply, apply_lent, guard_addresses, settings, stats};
use fastnp_codegen::cost::EAGER_MULTIPLICATIONS;
use fastnp_codegen::{Access, DType, Op};
use std::sync::Arc;

/// A storage without memory.
fn storage() -> StorageRef {
    StorageRef::new(Storage::pending(8))
}

/// Operations so far, and those that ran when they were made. The runtime must not be locked.
fn counts() -> (u64, u64) {
    let stats = stats();
    (stats.native_operations, stats.eager_operations)
}

#[test]
fn a_write_is_noted_and_counted_once() {
    if elsewhere("eager::a_write_is_noted_and_counted_once") {
        return;
    }
    let (mut runtime, storage) = (runtime(), storage());
    let gate = Eager::unlimited(&mut runtime);
    assert!(gate.read(&storage).is_none(), "it has no memory yet");
    let target = gate.target(&storage).expect("nothing uses it");
    gate.write(target, |_, start| {
        // SAFETY: the storage has eight bytes.
        unsafe { start.cast::<u64>().write(7) };
        Ok(())
    })
    .unwrap();
    let start = Eager::unlimited(&mut runtime).read(&storage).expect("it was written");
    // SAFETY: as above.
    assert_eq!(unsafe { start.cast::<u64>().read() }, 7);
    drop(runtime);
    assert_eq!((storage.version(), counts()), (1, (1, 1)));
}

#[test]
fn work_that_fails_or_is_given_up_is_not_counted() {
    if elsewhere("eager::work_that_fails_or_is_given_up_is_not_counted") {
        return;
    }
    let storage = storage();
    let failure = || Error::new(ErrorKind::Index, "out of bounds");
    {
        let mut runtime = runtime();
        let gate = Eager::unlimited(&mut runtime);
        let target = gate.target(&storage).expect("nothing uses it");
        assert!(gate.write(target, |_, _| Err(failure())).is_err());
        assert!(Eager::unlimited(&mut runtime).create(8, |_, _| Err(failure())).is_err());
        assert!(Eager::unlimited(&mut runtime).target(&storage).is_some(), "and given up");
    }
    assert_eq!((storage.version(), counts()), (0, (0, 0)));
    Eager::unlimited(&mut runtime()).compute(|_| Ok(())).unwrap();
    drop(Eager::unlimited(&mut runtime()).create(8, |_, _| Ok(())).unwrap());
    assert_eq!(counts(), (2, 2));
}

#[test]
fn a_storage_with_snapshots_is_no_target() {
    let (mut runtime, storage) = (runtime(), storage());
    let snapshot: Arc<Watcher> = Arc::new(());
    storage.add_watcher(Arc::downgrade(&snapshot));
    let mut gate = Eager::unlimited(&mut runtime);
    assert!(gate.target(&storage).is_none());
    assert!(gate.target_of_element(&storage).unwrap().is_none());
    storage.take_watchers();
    assert!(gate.target(&storage).is_some());
}

#[test]
fn limits_follow_the_setting() {
    if elsewhere("eager::limits_follow_the_setting") {
        return;
    }
    assert!(settings::set("tiny", 10).unwrap());
    let mut runtime = runtime();
    let sizes = [
        (EagerLimit::Points(1), 40),
        (EagerLimit::Points(4), 40),
        (EagerLimit::Points(8), 20),
        (EagerLimit::Points(16), 10),
        (EagerLimit::GatheredRows, 160),
        (EagerLimit::LonePoints, 320),
        (EagerLimit::FoldedElements, 320),
        (EagerLimit::CopiedElements, 640),
        (EagerLimit::Multiplications, EAGER_MULTIPLICATIONS),
    ];
    for (limit, size) in sizes {
        assert!(Eager::within(&mut runtime, size, limit).is_some());
        assert!(Eager::within(&mut runtime, size + 1, limit).is_none());
    }
}

#[test]
fn a_target_is_restrict_only_where_it_is_new() {
    let new = dense_kernel(Op::Add, DType::F64, 2).to_string();
    let lines: Vec<&str> = new.lines().map(str::trim).collect();
    let expected = [
        "kernel map(outer 1) {", "m0: read f64", "m1: write f64 restrict", "s0: f64", "body:", "v0: f64 = load m0",
        "v1: f64 = param s0", "v2: f64 = add v0, v1", "store m1, v2: f64", "}",
    ];
    assert_eq!(lines, expected);
    let in_place = dense_kernel(Op::Add, DType::F64, 2 | IN_PLACE).to_string();
    assert_eq!(in_place, new.replace(" restrict", ""));
}

#[test]
fn sources_that_may_be_one_array_are_two_operands() {
    let square = dense_kernel(Op::Multiply, DType::F32, 0);
    assert_eq!(square.operands.len(), 3);
    assert!(square.operands.iter().all(|o| o.restrict == (o.access == Access::Write)));
}

#[test]
fn an_inner_product_is_one_kernel_that_stores_the_sum_alone() {
    let kernel = inner_kernel(DType::I32, DType::F64, DType::F64).to_string();
    let lines: Vec<&str> = kernel.lines().map(str::trim).collect();
    assert_eq!(lines[1..4], ["m0: read i32", "m1: read f64", "m2: write f64 restrict"]);
    let count = |word: &str| lines.iter().filter(|line| line.contains(word)).count();
    assert_eq!((count("load"), count("mul"), count("store")), (2, 1, 1), "{kernel}");
}

#[test]
#[cfg(unix)]
fn elements_at_guarded_addresses_are_not_lent() {
    if elsewhere("eager::elements_at_guarded_addresses_are_not_lent") {
        return;
    }
    assert!(guard_addresses());
    assert!(settings::set("tiny", 0).unwrap());
    let x = apply(Op::Add, &[(&Array::arange(5000).cast(DType::F64).unwrap()).into(), 1.0.into()]).unwrap();
    let start = x.shown_address().unwrap().cast_const();
    assert!(Array::at_guarded_address(start).is_some());
    assert!(settings::set("tiny", 10_000).unwrap());
    let y = Array::zeros(&[5000], DType::F64);
    let lent = LentElements { start, shape: &[5000], dtype: DType::F64 };
    // Its fault, under the runtime's lock, would wait for that lock for ever.
    // SAFETY: the elements are there as soon as they are touched.
    let sum = unsafe { apply_lent(Op::Add, &[LentOperand::Value((&y).into()), LentOperand::Lent(lent)]) };
    assert!(sum.unwrap().is_none());
    // SAFETY: as above.
    assert_eq!(unsafe { start.cast::<f64>().add(4999).read() }, 5000.0);
}
