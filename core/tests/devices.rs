//! Arrays on a device: which memory is uploaded and downloaded, and when. The device is the mock one; whatever it refuses fails.

use crate::process::elsewhere;
use fastnp::{
    Array, DType, DeviceExport, Element, ErrorKind, Index, Layout, Owner, Reduction, Result, flush, put_selected,
    reset_stats, set_device, stats,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const N: usize = 100_000;
const BYTES: u64 = 8 * N as u64;

/// Bytes uploaded and downloaded while a function runs.
fn traffic(done: impl FnOnce() -> Result<()>) -> Result<(u64, u64)> {
    flush()?;
    reset_stats();
    done()?;
    let stats = stats();
    Ok((stats.bytes_uploaded, stats.bytes_downloaded))
}

fn sum(array: &Array) -> Result<f64> {
    Ok(array.reduce(Reduction::Sum, None, None, false)?.item()?.to_f64())
}

/// Foreign memory, shared with its owner or not.
struct Foreign {
    memory: Vec<f64>,
    is_shared: Arc<AtomicBool>,
}

impl Owner for Foreign {
    fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Relaxed)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn foreign(is_shared: bool) -> (Array, *mut f64, Arc<AtomicBool>) {
    let mut memory = vec![1.0; N];
    let (address, shared) = (memory.as_mut_ptr(), Arc::new(AtomicBool::new(is_shared)));
    let owner = Box::new(Foreign { memory, is_shared: shared.clone() });
    assert_eq!(owner.memory.len(), N);
    // SAFETY: the owner keeps the vector as long as it lives, and the vector does not move.
    let array = unsafe { Array::from_foreign(address.cast(), 8 * N, Layout::dense(&[N], 8), DType::F64, true, owner) };
    (array, address, shared)
}

#[test]
fn contents_go_where_they_are_needed() -> Result<()> {
    if elsewhere("devices::contents_go_where_they_are_needed") {
        return Ok(());
    }
    set_device("mock")?;
    results_stay_there()?;
    operands_go_once()?;
    one_element_comes_alone()?;
    loops_over_elements_come_back()?;
    foreign_memory_follows()?;
    shared_memory_is_shown_at_once()?;
    exports_see_later_writes()?;
    devices_may_change()?;
    exported_memory_stays_on_the_device()?;
    the_host_works_on_a_mirror()?;
    another_device_is_a_guest()?;
    memory_has_one_place()?;
    imported_memory_is_used_in_place()?;
    set_device("cpu")
}

fn results_stay_there() -> Result<()> {
    let (uploaded, downloaded) = traffic(|| {
        let x = Array::linspace(0.0, 1.0, N);
        let y = &(&x * &x) + 1.0;
        flush()?;
        assert!(sum(&y)? > N as f64);
        Ok(())
    })?;
    assert_eq!((uploaded, downloaded), (0, 8), "the sum comes back");
    Ok(())
}

fn operands_go_once() -> Result<()> {
    let x = Array::from(vec![2.0; N]);
    let (uploaded, _) = traffic(|| {
        for _ in 0..3 {
            assert_eq!(sum(&(&x * 2.0))?, 4.0 * N as f64);
        }
        Ok(())
    })?;
    assert_eq!(uploaded, BYTES);
    // What is written on the host is uploaded again.
    let (uploaded, _) = traffic(|| {
        assert!(x.set_now(&[Index::At(7)], 5.0.scalar())?);
        assert_eq!(sum(&(&x * 2.0))?, 4.0 * N as f64 + 6.0);
        Ok(())
    })?;
    assert_eq!(uploaded, BYTES);
    Ok(())
}

fn one_element_comes_alone() -> Result<()> {
    let x = &Array::arange(N) * 3;
    flush()?;
    let (_, downloaded) = traffic(|| {
        assert_eq!(x.get(&[Index::At(N as isize - 1)])?.map(|x| x.to_i64()), Some(3 * (N as i64 - 1)));
        Ok(())
    })?;
    assert_eq!(downloaded, 8);
    Ok(())
}

fn loops_over_elements_come_back() -> Result<()> {
    let x = &Array::arange(N) * 3;
    flush()?;
    let (_, downloaded) = traffic(|| {
        for i in 0..1000 {
            assert_eq!(x.get(&[Index::At(i)])?.map(|x| x.to_i64()), Some(3 * i as i64));
        }
        Ok(())
    })?;
    assert!((BYTES..BYTES + 200).contains(&downloaded), "{downloaded} bytes");
    let (uploaded, _) = traffic(|| {
        for i in 0..1000 {
            let done = x.set_now(&[Index::At(i)], 1i64.scalar())?;
            if !done {
                x.index(&[Index::At(i)])?.assign(1i64)?;
            }
        }
        assert_eq!(x.to_vec::<i64>()?[999..1001], [1, 3000]);
        Ok(())
    })?;
    assert_eq!(uploaded, 0);
    Ok(())
}

fn foreign_memory_follows() -> Result<()> {
    let (x, address, _) = foreign(false);
    x.index(&[(1..5001).into()])?.assign(4.0)?;
    flush()?;
    let (uploaded, downloaded) = traffic(|| {
        assert_eq!(sum(&x)?, N as f64 + 15_000.0);
        Ok(())
    })?;
    assert_eq!((uploaded, downloaded), (0, 8), "it is there alone now");
    assert!(x.may_share_memory(&x.index(&[(2..3).into()])?));
    assert_eq!(x.address()?.cast::<f64>(), address);
    // SAFETY: evaluated; the owner lives.
    assert_eq!(unsafe { std::slice::from_raw_parts(address, 3) }, [1.0, 4.0, 4.0]);
    Ok(())
}

fn shared_memory_is_shown_at_once() -> Result<()> {
    let (x, address, shared) = foreign(true);
    x.index(&[(1..3).into()])?.assign(4.0)?;
    // SAFETY: the owner lives, and no kernel uses its memory.
    assert_eq!(unsafe { std::slice::from_raw_parts(address, 4) }, [1.0, 4.0, 4.0, 1.0]);
    // SAFETY: as above.
    unsafe { address.write(11.0) };
    assert_eq!(sum(&x)?, N as f64 + 16.0);
    shared.store(false, Ordering::Relaxed);
    assert_eq!(sum(&x)?, N as f64 + 16.0);
    Ok(())
}

fn exports_see_later_writes() -> Result<()> {
    let x = &Array::zeros(&[N], DType::F64) + 1.0;
    let export = x.export()?;
    let first = export.address().cast::<f64>();
    x.index(&[(..2).into()])?.assign(3.0)?;
    // SAFETY: the export lives, and the write ran at once.
    assert_eq!(unsafe { std::slice::from_raw_parts(first, 3) }, [3.0, 3.0, 1.0]);
    // SAFETY: as above.
    unsafe { first.write(9.0) };
    assert_eq!(sum(&(&x * 1.0))?, N as f64 + 10.0);
    drop(export);
    assert_eq!(sum(&(&x * 1.0))?, N as f64 + 10.0);
    Ok(())
}

fn devices_may_change() -> Result<()> {
    let x = &Array::arange(N) * 2;
    flush()?;
    set_device("cpu")?;
    let y = &x + 1;
    assert_eq!(y.to_vec::<i64>()?[..3], [1, 3, 5]);
    x.index(&[(..2).into()])?.assign(7i64)?;
    flush()?;
    set_device("mock")?;
    assert_eq!((&x + &y).to_vec::<i64>()?[..3], [8, 10, 9]);
    Ok(())
}

/// Exported memory as a consumer sees it. The mock device's memory is the host's.
#[allow(clippy::mut_from_ref, reason = "the memory is the consumer's as much as ours")]
fn seen(export: &DeviceExport) -> &mut [f64] {
    // SAFETY: the export keeps the memory, of N doubles, and no kernel uses it.
    unsafe { std::slice::from_raw_parts_mut(export.address().cast(), N) }
}

fn exported_memory_stays_on_the_device() -> Result<()> {
    let x = &Array::ones(&[N], DType::F64) * 2.0;
    let export = x.export_on_device()?;
    assert_eq!(seen(&export)[7], 2.0);
    let (uploaded, downloaded) = traffic(|| {
        x.index(&[(1..3).into()])?.assign(4.0)?;
        assert_eq!(seen(&export)[..4], [2.0, 4.0, 4.0, 2.0], "a write runs at once");
        seen(&export)[0] = 1.0;
        assert_eq!(sum(&x)?, 2.0 * N as f64 + 3.0);
        assert_eq!(x.get(&[Index::At(0)])?.map(|x| x.to_f64()), Some(1.0));
        x.index(&[Index::At(5)])?.assign(9.0)?;
        assert_eq!(seen(&export)[5], 9.0);
        Ok(())
    })?;
    assert_eq!((uploaded, downloaded), (0, 16), "the sum and an element come back");
    let (_, downloaded) = traffic(|| {
        seen(&export)[1] = 5.0;
        assert_eq!(x.to_vec::<f64>()?[..2], [1.0, 5.0]);
        seen(&export)[1] = 6.0;
        assert_eq!(x.to_vec::<f64>()?[..2], [1.0, 6.0]);
        Ok(())
    })?;
    assert_eq!(downloaded, 2 * BYTES, "each time afresh");
    drop(export);
    let (uploaded, downloaded) = traffic(|| {
        assert_eq!(x.to_vec::<f64>()?[..2], [1.0, 6.0]);
        assert_eq!(x.to_vec::<f64>()?[..2], [1.0, 6.0]);
        assert_eq!(sum(&x)?, 2.0 * N as f64 + 12.0);
        Ok(())
    })?;
    assert_eq!((uploaded, downloaded), (0, BYTES + 8), "an ordinary one again");
    Ok(())
}

fn the_host_works_on_a_mirror() -> Result<()> {
    let x = &Array::ones(&[N], DType::F64) * 2.0;
    let export = x.export_on_device()?;
    set_device("cpu")?;
    assert_eq!(x.dlpack_device(), Some(export.dlpack_device()));
    seen(&export)[0] = 7.0;
    assert_eq!(sum(&x)?, 2.0 * N as f64 + 5.0);
    x.index(&[(1..3).into()])?.assign(4.0)?;
    assert_eq!(seen(&export)[..4], [7.0, 4.0, 4.0, 2.0]);
    let mask = Array::from((0..N).map(|i| i == 3).collect::<Vec<bool>>());
    put_selected(&x, &mask, &Array::from(vec![8.0]))?;
    assert_eq!(seen(&export)[..4], [7.0, 4.0, 4.0, 8.0]);
    drop(export);
    assert_eq!(sum(&x)?, 2.0 * N as f64 + 15.0);
    set_device("mock")
}

fn another_device_is_a_guest() -> Result<()> {
    let x = &Array::ones(&[N], DType::F64) * 2.0;
    let export = x.export_on_device()?;
    set_device("mock:1")?;
    seen(&export)[0] = 7.0;
    assert_eq!(sum(&(&x * 1.0))?, 2.0 * N as f64 + 5.0);
    x.index(&[(1..3).into()])?.assign(4.0)?;
    assert_eq!(seen(&export)[..4], [7.0, 4.0, 4.0, 2.0]);
    assert_eq!(x.export_on_device()?.dlpack_device(), export.dlpack_device());
    set_device("mock")?;
    assert_eq!(sum(&x)?, 2.0 * N as f64 + 9.0);
    Ok(())
}

fn memory_has_one_place() -> Result<()> {
    let x = &Array::ones(&[N], DType::F64) * 2.0;
    let refused = |done: Result<()>| done.is_err_and(|error| error.kind() == ErrorKind::Buffer);
    let export = x.export()?;
    assert!(refused(x.export_on_device().map(drop)));
    drop(export);
    let export = x.export_on_device()?;
    assert!(refused(x.export().map(drop)) && refused(x.expose()));
    drop(export);
    x.export()?;
    let (foreign, _, shared) = foreign(true);
    assert!(refused(foreign.export_on_device().map(drop)));
    shared.store(false, Ordering::Relaxed);
    seen(&foreign.export_on_device()?)[3] = 5.0;
    assert_eq!(foreign.to_vec::<f64>()?[3], 5.0);
    set_device("cpu")?;
    assert!(refused(x.export_on_device().map(drop)) && x.dlpack_device().is_none());
    set_device("mock")
}

fn imported_memory_is_used_in_place() -> Result<()> {
    let x = &Array::ones(&[N], DType::F64) * 2.0;
    let export = x.export_on_device()?;
    let import = |from: usize, place: (i32, i32)| {
        let owner = Box::new(Foreign { memory: vec![], is_shared: Arc::new(AtomicBool::new(true)) });
        let (start, layout) = (export.address().wrapping_add(8 * from), Layout::dense(&[N / 2], 8));
        // SAFETY: the memory is the export's, which outlives what is made here.
        unsafe { Array::from_device(place, (start, 4 * N), layout, DType::F64, true, owner) }
    };
    let (low, high) = (import(0, export.dlpack_device())?, import(1, export.dlpack_device())?);
    assert!(low.is_exported_on_device() && low.may_share_memory(&high) && high.may_share_memory(&x));
    let (uploaded, downloaded) = traffic(|| {
        low.index(&[Index::At(1)])?.assign(5.0)?;
        assert_eq!(sum(&high)?, N as f64 + 3.0);
        low.assign(&(&low + &high))?;
        Ok(())
    })?;
    assert_eq!((uploaded, downloaded), (0, 8));
    assert_eq!(seen(&export)[..3], [7.0, 7.0, 4.0]);
    assert!(import(0, (4, 0)).is_err_and(|error| error.kind() == ErrorKind::Buffer));
    Ok(())
}
