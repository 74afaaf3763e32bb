//! Threads that write what other threads index by. Safe programs get an error or a result of values that were there, never memory
//! beyond an array.

use crate::process::elsewhere;
use fastnp::{
    Array, DType, Element, ErrorKind, IndexPart, Op, Result, Selection, apply, put_selected, select_now, set_device,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long each pair of threads runs.
const PERIOD: Duration = Duration::from_millis(400);
/// Many enough that indexing by them is recorded, and that another thread runs before it is done.
const MANY: usize = 200_000;

/// Calls `write` again and again on another thread, and `read` on this one. The pause between two writes varies, so that they come at
/// every time of a read.
fn race(write: impl Fn(bool) + Sync, mut read: impl FnMut()) {
    let (start, stop) = (Instant::now(), AtomicBool::new(false));
    /// Stops the writer also if `read` panics.
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    // `FASTNP_BACKEND=portable` runs kernels whose accesses a sanitizer sees, which it does not of machine code made at run time.
    fastnp::settings::read_environment().expect("settings that there are");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                write(true);
                std::thread::sleep(Duration::from_nanos(start.elapsed().as_nanos() as u64 % 2_000_000));
                write(false);
            }
        });
        let stop = Stop(&stop);
        while start.elapsed() < PERIOD {
            read();
        }
        drop(stop);
        // A sanitizer does not see what the end of the scope waits for.
        writer.join().expect("the writer panicked");
    });
}

/// Assigns a number and computes it.
fn assign(target: &Array, value: impl Element) {
    target.assign(value.scalar()).and_then(|()| target.evaluate()).expect("there is memory");
}

/// Elements at positions that another thread turns into ones out of bounds. Each element read is zero.
fn gathers(index: impl Fn(&Array, &Array) -> Result<Array>) {
    let array = Array::linspace(0.0, 1.0, 100);
    let positions = Array::zeros(&[MANY], DType::I64);
    race(
        |wrong| assign(&positions, if wrong { 1i64 << 34 } else { 0 }),
        || match index(&array, &positions).and_then(|read| read.to_vec::<f64>()) {
            Ok(read) => assert!(read.len() == MANY && read.iter().all(|&x| x == 0.0), "values from elsewhere"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Index),
        },
    );
}

#[test]
fn positions_change_before_a_recorded_gather() {
    gathers(|array, positions| array.fancy_index(&[IndexPart::Positions(positions.clone())])?.get());
}

#[test]
fn positions_change_before_their_offsets_are_computed() {
    gathers(|array, positions| {
        let parts = [IndexPart::Basic((..).into()), IndexPart::Positions(positions.clone())];
        array.reshape(&[1, 100])?.fancy_index(&parts)?.get()
    });
}

#[test]
fn positions_change_before_a_scatter() {
    let array = Array::zeros(&[100], DType::F64);
    let positions = Array::zeros(&[MANY], DType::I64);
    race(
        |wrong| assign(&positions, if wrong { -(1i64 << 34) } else { 0 }),
        || match array.fancy_index(&[IndexPart::Positions(positions.clone())]).and_then(|index| index.set(1.0.into())) {
            Ok(()) => {
                let written = array.to_vec::<f64>().expect("there is memory");
                assert!(written.iter().enumerate().all(|(i, &x)| x == if i == 0 { 1.0 } else { 0.0 }));
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Index),
        },
    );
}

/// Indexes by a mask that another thread sets and clears.
fn masked(extents: &[usize], mut read: impl FnMut(&Array)) {
    let mask = Array::zeros(extents, DType::Bool);
    race(|all| assign(&mask, all), || read(&mask));
}

/// Leaves memory of this many doubles to the next array, full of numbers that are not one.
fn spoil(elements: usize) {
    drop(Array::from(vec![7.0; elements]));
}

/// Selections of ones: all of them are, whatever was selected.
fn selects() {
    let ones = Array::ones(&[MANY], DType::F64);
    masked(&[MANY], |mask| {
        spoil(MANY);
        let read = Selection::new(&ones, mask).and_then(|selection| selection.to_array()?.to_vec::<f64>());
        assert!(read.expect("there is memory").iter().all(|&x| x == 1.0), "values from elsewhere");
    });
}

#[test]
fn a_mask_changes_before_its_selection() {
    selects();
    let ones = Array::ones(&[300], DType::F64);
    masked(&[300], |mask| {
        spoil(300);
        let read = select_now(&ones, mask).expect("there is memory").expect("it is small");
        assert!(read.to_vec::<f64>().expect("it is computed").iter().all(|&x| x == 1.0), "values from elsewhere");
    });
}

#[test]
fn a_mask_changes_before_its_coordinates() {
    for extents in [&[MANY][..], &[400, MANY / 400]] {
        masked(extents, |mask| {
            let found = mask.nonzero().and_then(|found| found.to_vec::<i64>()).expect("there is memory");
            assert!(found.is_empty() || found.len() == MANY * extents.len(), "not one version of the mask");
            let rows = found.chunks(extents.len());
            assert!(rows.clone().zip(rows.skip(1)).all(|(a, b)| a < b), "rows that are not in order");
        });
    }
}

#[test]
fn a_mask_changes_before_an_assignment() {
    let (target, ones) = (Array::zeros(&[MANY], DType::F64), Array::ones(&[MANY], DType::F64));
    masked(&[MANY], |mask| {
        let done = put_selected(&target, mask, &ones);
        assert!(done.is_ok() || done.is_err_and(|error| error.kind() == ErrorKind::Unsupported));
        let at = target.fancy_index(&[IndexPart::Mask(mask.clone())]).and_then(|index| index.set((&ones).into()));
        assert!(at.is_ok() || at.is_err_and(|error| error.kind() == ErrorKind::Value));
        assert!(target.to_vec::<f64>().expect("there is memory").iter().all(|&x| x == 0.0 || x == 1.0));
    });
}

#[test]
fn a_mask_changes_on_a_device() -> Result<()> {
    if elsewhere("races::a_mask_changes_on_a_device") {
        return Ok(());
    }
    set_device("mock")?;
    selects();
    set_device("cpu")
}

#[test]
fn elements_are_not_read_while_they_move() -> Result<()> {
    if elsewhere("races::elements_are_not_read_while_they_move") {
        return Ok(());
    }
    // A write on a device frees the memory on the host.
    let array = Array::zeros(&[MANY], DType::I64);
    race(
        |on_device| {
            set_device(if on_device { "mock" } else { "cpu" }).expect("both are there");
            assign(&array, 5i64);
            spoil(MANY);
        },
        || {
            let read = array.to_vec::<i64>().expect("there is memory");
            assert!(read.iter().all(|&x| x == 0 || x == 5), "values from elsewhere");
        },
    );
    set_device("cpu")
}

#[test]
fn offsets_are_those_of_the_version_that_was_checked() -> Result<()> {
    let array = Array::linspace(0.0, 1.0, 3);
    let positions = Array::zeros(&[MANY], DType::I64);
    let read = array.fancy_index(&[IndexPart::Positions(positions.clone())])?.get()?;
    positions.assign(1i64 << 34)?;
    let sum = apply(Op::Add, &[(&read).into(), 1.0.into()])?;
    assert!(sum.to_vec::<f64>()?.iter().all(|&x| x == 1.0));
    Ok(())
}
