//! What the cuda backend does besides computing, by stand-ins for NVIDIA's libraries and a GPU: copies, memory, what is compiled
//! together and kept, and what it says when something is missing or fails.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use super::process::{alone, child, count, expect, folder, is_for, number};
use fastnp_codegen::backend::fault;
use fastnp_codegen::*;
use std::fs;
use std::sync::Arc;

fn open(name: &str) -> Arc<dyn Device> {
    device(name).expect("a name of a device").expect("there is one")
}

/// What opening a device fails with.
fn refusal(name: &str) -> String {
    let error = device(name).expect("a name of a device").err().expect("there is none");
    assert_eq!(error.failure, Failure::Absent, "{error}");
    error.message
}

fn compiles() -> i32 {
    count("libnvrtc.so", "standin_compiles")
}

/// A map that adds a number to the elements of an operand, so many times.
fn adding(times: usize, dtype: DType) -> Verified<Kernel> {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let (from, to) = (kernel.operand(dtype, Access::Read, true), kernel.operand(dtype, Access::Write, true));
    let mut body = kernel.body();
    let first = body.load(from);
    let mut value = first;
    for _ in 0..times {
        value = body.apply(Op::Add, &[value, first]);
    }
    body.store(to, value);
    verify(kernel.finish()).unwrap()
}

/// Memory of a device with values in it.
fn upload<T: Copy>(device: &dyn Device, values: &[T]) -> *mut u8 {
    let bytes = std::mem::size_of_val(values);
    let start = device.allocate(bytes).unwrap();
    // SAFETY: just allocated.
    unsafe { device.upload(values.as_ptr().cast(), start, bytes) }.unwrap();
    start
}

fn download<T: Copy + Default>(device: &dyn Device, start: *const u8, n: usize) -> Result<Vec<T>, DeviceError> {
    let mut values = vec![T::default(); n];
    // SAFETY: the caller allocated so much.
    unsafe { device.download(start, values.as_mut_ptr().cast(), n * size_of::<T>()) }.map(|()| values)
}

/// Runs a map of one operand over numbers, there.
fn mapped(device: &dyn Device, kernel: &Verified<Kernel>, values: &[f64]) -> Result<Vec<f64>, DeviceError> {
    let n = values.len();
    let addresses = [upload(device, values), device.allocate(8 * n)?];
    let program = device.compile(kernel).unwrap();
    let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &[8, 8], scalars: &[] };
    // SAFETY: both have so many elements.
    unsafe { program.launch(&launch, &SingleThread) }?;
    let found = download(device, addresses[1], n);
    // SAFETY: allocated above.
    addresses.iter().for_each(|&start| unsafe { device.release(start, 8 * n) });
    found
}

#[test]
fn copies_of_any_size_come_back() {
    alone("cuda::runtime::copies_of_any_size_come_back", &[], || {
        let device = open("cuda");
        let sizes = [0, 1, 7, 64, 65, 4095, 65_536, 65_537, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, (9 << 20) + 3];
        let bytes = |n: usize, seed: usize| (0..n).map(|i| (i * 7 + i / 251 + seed) as u8).collect::<Vec<u8>>();
        for n in sizes {
            let mut source = bytes(n, n);
            let start = upload(&*device, &source);
            // It may be written as soon as the copy was asked for.
            source.fill(0);
            assert_eq!(download::<u8>(&*device, start, n).unwrap(), bytes(n, n), "{n} bytes");
            // SAFETY: allocated with this size.
            unsafe { device.release(start, n) };
        }
        // Many in a row, of which none is waited for, more than the staging memory holds.
        let mut source = vec![];
        let blocks: Vec<_> = (0..400)
            .map(|k| {
                source = bytes(1 + k * 131, k);
                upload(&*device, &source)
            })
            .collect();
        for (k, &start) in blocks.iter().enumerate() {
            assert_eq!(download::<u8>(&*device, start, 1 + k * 131).unwrap(), bytes(1 + k * 131, k), "block {k}");
        }
        device.wait().unwrap();
    });
}

#[test]
fn large_strides_take_wide_positions() {
    alone("cuda::runtime::large_strides_take_wide_positions", &[], || {
        let device = open("cuda");
        let mut kernel = KernelBuilder::new(Template::Map, 2, 0);
        let (from, to) =
            (kernel.operand(DType::F32, Access::Read, true), kernel.operand(DType::F32, Access::Write, true));
        let mut body = kernel.body();
        let value = body.load(from);
        let value = body.apply(Op::Negative, &[value]);
        body.store(to, value);
        let kernel = verify(kernel.finish()).unwrap();
        let far = (1usize << 31) + 64;
        let start = device.allocate(far + 400).unwrap();
        let there = device.allocate(800).unwrap();
        let values: Vec<f32> = (0..200).map(|i| i as f32).collect();
        // SAFETY: both rows lie in what was allocated.
        unsafe {
            device.upload(values.as_ptr().cast(), start, 400).unwrap();
            device.upload(values[100..].as_ptr().cast(), start.wrapping_add(far), 400).unwrap();
        }
        let (addresses, strides) = ([start, there], [far as isize, 4, 400, 4]);
        let launch = Launch { outer: &[2, 100], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
        let program = device.compile(&kernel).unwrap();
        // SAFETY: as above.
        unsafe { program.launch(&launch, &SingleThread) }.unwrap();
        assert!(program.listing().contains("Positions and offsets in 64 bits"));
        assert_eq!(download::<f32>(&*device, there, 200).unwrap(), values.iter().map(|x| -x).collect::<Vec<_>>());
    });
}

#[test]
fn what_is_prepared_together_is_compiled_together() {
    alone("cuda::runtime::what_is_prepared_together_is_compiled_together", &[], || {
        let device = open("cuda");
        let kernels: Vec<_> = (1..6).map(|times| adding(times, DType::F64)).collect();
        let addresses = [std::ptr::null_mut(); 2];
        let launch = |n| Launch { outer: n, inner: &[], addresses: &addresses, strides: &[8, 8], scalars: &[] };
        // One of them twice, and once with no points.
        let mut launches: Vec<_> = kernels.iter().map(|kernel| (kernel, launch(&[1000]))).collect();
        launches.push((&kernels[0], launch(&[1000])));
        launches.push((&kernels[0], launch(&[0])));
        device.prepare(&launches).unwrap();
        device.prepare(&launches).unwrap();
        assert_eq!((compiles(), count("libcuda.so", "standin_loads")), (1, 1));
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        for (kernel, times) in kernels.iter().zip(2..) {
            let expected: Vec<f64> = values.iter().map(|x| x * f64::from(times)).collect();
            assert_eq!(mapped(&*device, kernel, &values).unwrap(), expected);
        }
        assert_eq!(compiles(), 1, "nothing is compiled where it runs");
        // Another form of a known kernel is another text.
        let odd = mapped(&*device, &kernels[0], &values[..1]).unwrap();
        assert_eq!((odd, compiles()), (vec![0.0], 2));
    });
}

#[test]
fn what_is_not_compiled_or_written_is_tried_again() {
    alone("cuda::runtime::what_is_not_compiled_or_written_is_tried_again", &[], || {
        let device = open("cuda");
        let addresses = [std::ptr::null_mut(); 2];
        let launch = Launch { outer: &[3], inner: &[], addresses: &addresses, strides: &[8, 8], scalars: &[] };
        let mut errors = 0;
        for n in 1.. {
            let kernel = adding(n as usize, DType::F64);
            fault::arm(n);
            let prepared = device.prepare(&[(&kernel, launch)]);
            let has_struck = fault::arm(0) == 0;
            errors += usize::from(prepared.is_err());
            device.prepare(&[(&kernel, launch)]).unwrap();
            let times = n as f64 + 1.0;
            assert_eq!(mapped(&*device, &kernel, &[1.0, 2.0, 4.0]).unwrap(), [times, 2.0 * times, 4.0 * times]);
            if !has_struck {
                // The compiler, and the two files of a kernel.
                assert_eq!((n, errors), (4, 1));
                break;
            }
        }
    });
}

#[test]
fn what_one_process_compiled_another_loads() {
    let test = "cuda::runtime::what_one_process_compiled_another_loads";
    if is_for(test) {
        let device = open("cuda");
        let kernels = [adding(1, DType::F64), adding(2, DType::F64)];
        let addresses = [std::ptr::null_mut(); 2];
        let launch = Launch { outer: &[3], inner: &[], addresses: &addresses, strides: &[8, 8], scalars: &[] };
        if std::env::var_os("UNPREPARED").is_none() {
            device.prepare(&[(&kernels[0], launch), (&kernels[1], launch)]).unwrap();
        }
        assert_eq!(mapped(&*device, &kernels[1], &[1.0, 2.0, 4.0]).unwrap(), [3.0, 6.0, 12.0]);
        assert_eq!(mapped(&*device, &kernels[0], &[1.0, 2.0, 4.0]).unwrap(), [2.0, 4.0, 8.0]);
        assert_eq!(compiles().to_string(), std::env::var("EXPECTED").unwrap());
        // One code has both, or there is one in its place.
        let loads = 1 + i32::from(std::env::var_os("STANDIN_LOAD").is_some());
        assert_eq!(count("libcuda.so", "standin_loads"), loads);
        return;
    }
    let cache = folder("cache");
    let folder = cache.join("made").join("here");
    let run = |expected, more: &[(&str, &str)]| {
        let mut environment = vec![("FASTNP_CACHE", folder.to_str().unwrap()), ("EXPECTED", expected)];
        environment.extend(more);
        expect(&child(test, &environment));
    };
    run("1", &[]);
    run("0", &[]);
    run("0", &[("UNPREPARED", "1")]);
    // For another device, and by another compiler, it is another code.
    run("1", &[("STANDIN_CAPABILITY", "80")]);
    run("1", &[("STANDIN_NVRTC", "12")]);
    run("0", &[("STANDIN_CAPABILITY", "80")]);
    let files = || fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(files().filter(|path| path.extension().unwrap() == "cubin").count(), 3);
    for path in files().filter(|path| path.extension().unwrap() == "cubin") {
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    }
    run("1", &[]);
    run("0", &[]);
    // What the driver does not load is compiled anew as well.
    run("1", &[("STANDIN_LOAD", "1")]);
    files().for_each(|path| fs::remove_file(path).unwrap());
    // Two at once.
    let environment = [("FASTNP_CACHE", folder.to_str().unwrap()), ("EXPECTED", "1")];
    std::thread::scope(|scope| {
        let both = [0; 2].map(|_| scope.spawn(|| child(test, &environment)));
        for done in both.map(|one| one.join().unwrap()) {
            // One of them may come so late that it finds everything.
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(done.status.success() || said.contains("left: \"0\""), "{said}");
        }
    });
    run("0", &[]);
    // Where nothing can be kept, nothing is.
    expect(&child(test, &[("FASTNP_CACHE", "/dev/null/cache"), ("EXPECTED", "1")]));
    fs::remove_dir_all(cache).unwrap();
}

#[test]
fn full_memory_is_trimmed_and_then_told_of() {
    let limit = 64 << 20;
    alone("cuda::runtime::full_memory_is_trimmed_and_then_told_of", &[("STANDIN_MEMORY", &limit.to_string())], || {
        let device = open("cuda");
        // What was given back, in other sizes than are asked for next, is in the pool until that is trimmed.
        for size in [40 << 20, 41 << 20, 42 << 20] {
            let start = device.allocate(size).unwrap();
            // SAFETY: just allocated.
            unsafe { device.release(start, size) };
        }
        assert_eq!(count("libcuda.so", "standin_trims"), 2);
        let kept = device.allocate(30 << 20).unwrap();
        let error = device.allocate(50 << 20).unwrap_err();
        assert_eq!(error.failure, Failure::Memory);
        let free = limit - (30 << 20);
        for figure in [format!("{} bytes", 50 << 20), format!("{free} of"), limit.to_string(), "cuda:0".to_owned()] {
            assert!(error.message.contains(&figure), "{figure}: {error}");
        }
        // Nothing else is lost by that.
        assert_eq!(mapped(&*device, &adding(1, DType::F64), &[1.0]).unwrap(), [2.0]);
        // SAFETY: allocated above; none is allowed, and has an address of its own.
        unsafe {
            device.release(kept, 30 << 20);
            let [a, b] = [(); 2].map(|()| device.allocate(0).unwrap());
            assert!(a != b && !a.is_null());
            device.release(a, 0);
            device.release(b, 0);
        }
        device.wait().unwrap();
    });
}

#[test]
fn what_is_missing_is_said() {
    let test = "cuda::runtime::what_is_missing_is_said";
    if is_for(test) {
        let expected = std::env::var("EXPECTED").unwrap();
        let message = refusal(&std::env::var("DEVICE").unwrap());
        return assert!(message.contains(&expected), "{message}");
    }
    assert!(device("cuda:one").is_none() && device("cuda:-1").is_none() && device("cud").is_none());
    let cases = [
        ("cuda", "no CUDA device", ("STANDIN_DEVICES", "0")),
        ("cuda:1", "no device cuda:1: there is one CUDA device, counted from 0", ("STANDIN_DEVICES", "1")),
        ("cuda:7", "there are 2 CUDA devices", ("STANDIN_DEVICES", "2")),
        ("cuda", "the CUDA driver is too old: it supports CUDA 12.4", ("STANDIN_VERSION", "12040")),
        ("cuda", "makes nothing for a device of capability 7.5", ("STANDIN_CAPABILITY", "75")),
    ];
    for (name, expected, setting) in cases {
        expect(&child(test, &[("DEVICE", name), ("EXPECTED", expected), setting]));
    }
    // Machines that have the libraries have them here, too.
    // SAFETY: loading them has no effect but their constructors'.
    let is_there = |library: &std::ffi::CStr| unsafe { !libc::dlopen(library.as_ptr(), libc::RTLD_NOW).is_null() };
    if !is_there(c"libcuda.so.1") && !is_there(c"libcuda.so") {
        let environment = [("DEVICE", "cuda"), ("EXPECTED", "libcuda.so.1 was not found"), ("LD_LIBRARY_PATH", "")];
        expect(&child(test, &environment));
        if !is_there(c"libnvrtc.so.13") && !is_there(c"libnvrtc.so") {
            let only = folder("driver");
            super::standin::build(&only);
            for library in ["libnvrtc.so", "libnvrtc.so.13"] {
                fs::remove_file(only.join(library)).unwrap();
            }
            let expected = "no CUDA compiler: libnvrtc.so was not found";
            let path = ("LD_LIBRARY_PATH", only.to_str().unwrap());
            expect(&child(test, &[("DEVICE", "cuda"), ("EXPECTED", expected), path]));
            fs::remove_dir_all(only).unwrap();
        }
    }
}

#[test]
fn two_devices_are_two() {
    alone("cuda::runtime::two_devices_are_two", &[("STANDIN_DEVICES", "2")], || {
        let [first, second] = ["cuda:0", "cuda:1"].map(open);
        assert!(Arc::ptr_eq(&first, &open("cuda")) && !Arc::ptr_eq(&first, &second));
        assert_eq!(first.description(), "cuda:0 (stand-in, 16.0 GiB)");
        for device in [&first, &second, &first] {
            assert_eq!(mapped(&**device, &adding(2, DType::F64), &[1.0, 2.0]).unwrap(), [3.0, 6.0]);
        }
        // From any thread.
        std::thread::scope(|scope| {
            for device in [&first, &second, &first, &second] {
                scope.spawn(|| {
                    for times in 1..20 {
                        let found = mapped(&**device, &adding(1, DType::F64), &vec![2.0; 10 * times]).unwrap();
                        assert_eq!(found, vec![4.0; 10 * times]);
                    }
                });
            }
        });
    });
}

#[test]
fn a_text_that_is_refused_is_shown_alone() {
    alone("cuda::runtime::a_text_that_is_refused_is_shown_alone", &[("STANDIN_REFUSE", "sqrt")], || {
        let device = open("cuda");
        let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
        let (from, to) =
            (kernel.operand(DType::F64, Access::Read, true), kernel.operand(DType::F64, Access::Write, true));
        let mut body = kernel.body();
        let value = body.load(from);
        let value = body.apply(Op::Sqrt, &[value]);
        body.store(to, value);
        let (wrong, right) = (verify(kernel.finish()).unwrap(), adding(1, DType::F64));
        let addresses = [std::ptr::null_mut(); 2];
        let launch = Launch { outer: &[1000], inner: &[], addresses: &addresses, strides: &[8, 8], scalars: &[] };
        let error = device.prepare(&[(&right, launch), (&wrong, launch)]).unwrap_err();
        assert_eq!(error.failure, Failure::Fault);
        assert!(error.message.contains("kernels.cu(1): error: unwanted") && error.message.contains("sqrt"), "{error}");
        assert!(error.message.matches("__global__").count() == 1, "{error}");
        // The other runs.
        let before = compiles();
        assert_eq!(mapped(&*device, &right, &[1.5; 1000]).unwrap(), [3.0; 1000]);
        assert_eq!(compiles(), before);
    });
}

#[test]
fn a_launch_that_fails_is_told_of_with_its_kernel() {
    alone("cuda::runtime::a_launch_that_fails_is_told_of_with_its_kernel", &[("STANDIN_LAUNCH", "2")], || {
        let device = open("cuda");
        let [right, wrong] = [adding(1, DType::F64), adding(7, DType::F64)];
        assert_eq!(mapped(&*device, &right, &[1.5]).unwrap(), [3.0]);
        let error = mapped(&*device, &wrong, &[1.5]).unwrap_err();
        assert_eq!(error.failure, Failure::Fault);
        assert!(error.message.contains("CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)"), "{error}");
        let listing = device.compile(&wrong).unwrap().listing();
        assert!(!listing.is_empty() && error.message.contains(&listing), "{error}");
        // A device that failed stays so, and nothing panics.
        assert_eq!(device.allocate(8).unwrap_err().failure, Failure::Fault);
        assert_eq!(download::<u8>(&*device, std::ptr::null(), 1).unwrap_err().failure, Failure::Fault);
        assert_eq!(device.wait().unwrap_err().failure, Failure::Fault);
        // SAFETY: the address belongs to no allocation.
        unsafe { device.release(std::ptr::null_mut(), 8) };
    });
}

#[test]
fn what_outlives_the_driver_is_let_go() {
    alone("cuda::runtime::what_outlives_the_driver_is_let_go", &[], || {
        let device = open("cuda");
        let start = device.allocate(8).unwrap();
        let program = device.compile(&adding(1, DType::F64)).unwrap();
        assert_eq!(mapped(&*device, &adding(1, DType::F64), &[1.0]).unwrap(), [2.0]);
        // SAFETY: a number of the stand-in's; no other thread uses the memory.
        unsafe {
            *number("libcuda.so", "standin_ended") = 1;
            device.release(start, 8);
        }
        assert_eq!(device.wait().unwrap_err().failure, Failure::Fault);
        drop((program, device));
    });
}

#[test]
fn memory_of_others_is_an_error() {
    alone("cuda::runtime::memory_of_others_is_an_error", &[], || {
        let device = open("cuda");
        let mut here = [1.0f64; 4];
        let addresses = [here.as_mut_ptr().cast(); 2];
        let launch = Launch { outer: &[4], inner: &[], addresses: &addresses, strides: &[8, 8], scalars: &[] };
        let program = device.compile(&adding(1, DType::F64)).unwrap();
        // SAFETY: the stand-in looks before it runs anything.
        unsafe { program.launch(&launch, &SingleThread) }.unwrap();
        let error = device.wait().unwrap_err();
        assert!(error.message.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{error}");
        assert_eq!(here, [1.0; 4]);
    });
}

#[test]
fn after_a_fork_there_is_an_error() {
    alone("cuda::runtime::after_a_fork_there_is_an_error", &[], || {
        let device = open("cuda");
        let kernel = adding(1, DType::F64);
        assert_eq!(mapped(&*device, &kernel, &[1.0]).unwrap(), [2.0]);
        let kept = device.allocate(8).unwrap();
        let program = device.compile(&kernel).unwrap();
        // SAFETY: the child calls what it is to be refused, and ends without anybody's handlers.
        unsafe {
            let pid = libc::fork();
            if pid == 0 {
                let launch = Launch { outer: &[1], inner: &[], addresses: &[kept; 2], strides: &[8, 8], scalars: &[] };
                let said = [
                    device.allocate(8).unwrap_err(),
                    device.upload(std::ptr::null(), kept, 0).unwrap_err(),
                    device.download(kept, std::ptr::null_mut(), 0).unwrap_err(),
                    device.wait().unwrap_err(),
                    device.prepare(&[]).unwrap_err(),
                    device.multiply(DType::F64, &[1; 3], &[8; 9], &[kept; 3]).unwrap_err(),
                    device.run_routine(&forward(&[1], 1), &[kept; 2]).unwrap_err(),
                    program.launch(&launch, &SingleThread).unwrap_err(),
                    fastnp_codegen::device("cuda:1").unwrap().err().unwrap(),
                ];
                device.release(kept, 8);
                let clear = |e: &DeviceError| e.failure == Failure::Fault && e.message.contains("after a fork");
                libc::_exit(if said.iter().all(clear) { 42 } else { 1 });
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(pid, &raw mut status, 0), pid);
            assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 42, "{status}");
        }
        assert_eq!(mapped(&*device, &kernel, &[3.0]).unwrap(), [6.0]);
    });
}

/// A product's operands: extents of `[batch…, m, n, k]`, and for each the order of its axes from the slowest to the fastest.
fn multiplied(device: &dyn Device, dtype: DType, domain: &[usize], orders: [&[usize]; 3]) -> bool {
    let (rank, size) = (domain.len(), dtype.size());
    let parts = dtype.size() / dtype.real().size();
    let (mut strides, mut columns) = (vec![], vec![]);
    for (operand, order) in orders.iter().enumerate() {
        let mut mine = vec![0; rank];
        let mut distance = size;
        for &axis in order.iter().rev() {
            mine[axis] = distance as isize;
            distance *= domain[axis];
        }
        strides.extend(mine);
        columns.push((0..distance / size * parts).map(|i| ((i * 7 + operand) % 13) as f64 - 6.0).collect::<Vec<f64>>());
    }
    let bytes = |column: &[f64]| -> Vec<u8> {
        let of = |&x: &f64| Scalar::new(dtype.real(), x).bytes()[..dtype.real().size()].to_vec();
        column.iter().flat_map(of).collect()
    };
    let addresses: Vec<_> = columns.iter().map(|column| upload(device, &bytes(column))).collect();
    // SAFETY: the operands are as large as their strides say.
    if !unsafe { device.multiply(dtype, domain, &strides, &addresses) }.unwrap() {
        return false;
    }
    let found = download::<u8>(device, addresses[2], columns[2].len() * size / parts).unwrap();
    let mut expected = vec![0.0; columns[2].len()];
    for point in 0..domain.iter().product() {
        let mut at = [0isize; 3];
        let mut rest: usize = point;
        for axis in (0..rank).rev() {
            (0..3).for_each(|m| at[m] += (rest % domain[axis]) as isize * strides[m * rank + axis]);
            rest /= domain[axis];
        }
        let [a, b, c] = at.map(|offset| offset as usize / size * parts);
        let (x, y) = (&columns[0][a..a + parts], &columns[1][b..b + parts]);
        if parts == 1 {
            expected[c] += x[0] * y[0];
        } else {
            expected[c] += x[0] * y[0] - x[1] * y[1];
            expected[c + 1] += x[0] * y[1] + x[1] * y[0];
        }
    }
    assert_eq!(found, bytes(&expected), "{dtype} {domain:?} {orders:?}");
    true
}

#[test]
fn matrices_are_multiplied_however_they_lie() {
    alone("cuda::runtime::matrices_are_multiplied_however_they_lie", &[], || {
        let device = open("cuda");
        for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
            for a in [&[0, 2], &[2, 0]] {
                for (b, c) in [([2, 1], [0, 1]), ([1, 2], [0, 1]), ([2, 1], [1, 0]), ([1, 2], [1, 0])] {
                    assert!(multiplied(&*device, dtype, &[5, 3, 4], [a, &b, &c]));
                }
            }
            for domain in [[1, 7, 3], [7, 1, 3], [2, 3, 1], [1, 1, 1], [1, 1, 9], [0, 3, 2]] {
                assert!(multiplied(&*device, dtype, &domain, [&[0, 2], &[2, 1], &[0, 1]]), "{domain:?}");
            }
        }
        // Batches: of all, of one factor, of two axes that are one, and of two that are not.
        let f64s = |domain: &[usize], orders| multiplied(&*device, DType::F64, domain, orders);
        assert!(f64s(&[6, 2, 3, 4], [&[0, 1, 3], &[0, 3, 2], &[0, 1, 2]]));
        assert!(f64s(&[6, 2, 3, 4], [&[0, 1, 3], &[3, 2], &[0, 1, 2]]));
        let before = count("libcublas.so", "standin_products");
        assert!(f64s(&[2, 3, 2, 3, 4], [&[0, 1, 2, 4], &[0, 1, 4, 3], &[0, 1, 2, 3]]));
        assert_eq!(count("libcublas.so", "standin_products"), before + 1);
        assert!(f64s(&[2, 3, 2, 3, 4], [&[1, 0, 2, 4], &[0, 4, 3], &[0, 1, 2, 3]]));
        assert_eq!(count("libcublas.so", "standin_products"), before + 3);
        // What the library does not express: other types, nothing to add up, elements that no axis has next to each other.
        assert!(!multiplied(&*device, DType::I64, &[2, 3, 4], [&[0, 2], &[2, 1], &[0, 1]]));
        assert!(!f64s(&[2, 3, 0], [&[0, 2], &[2, 1], &[0, 1]]));
        assert!(!f64s(&[2, 2, 3, 4], [&[1, 3, 0], &[0, 3, 2], &[0, 1, 2]]));
        assert!(!f64s(&[5, 3, 4], [&[0], &[2, 1], &[0, 1]]));
    });
}

/// Transforms of complex numbers in double precision.
fn forward(extents: &[usize], batch: usize) -> Routine<'_> {
    Routine::Fourier { transform: Transform::Forward, real: DType::F64, extents, batch }
}

#[test]
fn plans_of_transforms_are_kept_and_let_go() {
    alone("cuda::runtime::plans_of_transforms_are_kept_and_let_go", &[], || {
        let device = open("cuda");
        assert_eq!(device.lacks(Library::Fourier), None);
        let plans = || count("libcufft.so", "standin_plans");
        let transformed = |n: usize| {
            let from = upload(&*device, &[1.0, 0.0].repeat(n));
            let to = device.allocate(16 * n).unwrap();
            // SAFETY: both have so many numbers.
            unsafe { device.run_routine(&forward(&[n], 1), &[from, to]) }.unwrap();
            let found = download::<f64>(&*device, to, 2 * n).unwrap();
            assert_eq!(found[0], n as f64);
            assert!(found[1..].iter().all(|x| x.abs() < 1e-13), "{n}: {found:?}");
            // SAFETY: allocated above.
            [from, to].iter().for_each(|&start| unsafe { device.release(start, 16 * n) });
        };
        (1..=10).for_each(transformed);
        assert_eq!(plans(), 10);
        (1..=10).for_each(transformed);
        assert_eq!(plans(), 10);
        (1..=40).for_each(transformed);
        assert_eq!(plans(), 16);
    });
}

#[test]
fn matrices_that_cannot_be_solved_are_told_of() {
    alone("cuda::runtime::matrices_that_cannot_be_solved_are_told_of", &[], || {
        let device = open("cuda");
        assert_eq!(device.lacks(Library::Solver), None);
        let solve = Routine::Solve { dtype: DType::F64, n: 2, columns: 1, batch: 3 };
        let matrices = upload(&*device, &[2.0, 0.0, 0.0, 4.0, 1.0, 2.0, 2.0, 4.0, 0.0, 1.0, 1.0, 0.0]);
        let (sides, found) = (upload(&*device, &[2.0f64; 6]), device.allocate(12).unwrap());
        let swapped = device.allocate(48).unwrap();
        // SAFETY: the operands have these sizes.
        unsafe { device.run_routine(&solve, &[matrices, swapped, sides, found]) }.unwrap();
        assert_eq!(download::<i32>(&*device, found, 3).unwrap(), [0, 2, 0]);
        assert_eq!(download::<i64>(&*device, swapped, 6).unwrap(), [1, 2, 2, 2, 2, 2]);
        let solutions = download::<f64>(&*device, sides, 6).unwrap();
        assert_eq!((&solutions[..2], &solutions[4..]), (&[1.0, 0.5][..], &[2.0, 2.0][..]));
        let wrong = Routine::Solve { dtype: DType::I64, n: 2, columns: 1, batch: 3 };
        // SAFETY: as above.
        let refused = unsafe { device.run_routine(&wrong, &[matrices, swapped, sides, found]) }.unwrap_err();
        assert_eq!((refused.failure, &refused.message[..]), (Failure::Absent, "cuSOLVER has no int64"));
    });
}
