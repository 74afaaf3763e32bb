//! Calls of a ufunc's inner loop over one element, or over one matrix, so that compiled code gives the bits that the ufunc gives.

use crate::status;
use std::cell::UnsafeCell;
use std::ffi::c_void;

/// NumPy's `PyUFuncGenericFunction`: addresses of operands and results, the number of elements, steps, data.
type InnerLoop = unsafe extern "C" fn(*mut *mut u8, *const isize, *const isize, *mut c_void);

/// Runs an inner loop over one element.
///
/// # Safety
/// `function` and `data` are those of a ufunc whose operands and result are of type `T`.
unsafe fn run<T: Copy + Default, const N: usize>(function: i64, data: i64, operands: [T; N]) -> T {
    // The last is the result. No loop of NumPy's takes more than two operands here.
    let mut values = [T::default(); 3];
    values[..N].copy_from_slice(&operands);
    let start = values.as_mut_ptr();
    let mut addresses: [*mut u8; 3] = std::array::from_fn(|i| start.wrapping_add(i).cast());
    addresses[N] = start.wrapping_add(2).cast();
    let size = size_of::<T>() as isize;
    // SAFETY: the caller's contract: a function of this signature, which reads the operands and writes the result.
    unsafe {
        let function = std::mem::transmute::<usize, InnerLoop>(function as usize);
        function(addresses.as_mut_ptr(), [1].as_ptr(), [size; 3].as_ptr(), data as *mut c_void);
    }
    status::take_over();
    values[2]
}

/// A loop of one operand.
///
/// # Safety
/// As [`run`].
pub(crate) unsafe extern "C" fn one<T: Copy + Default>(function: i64, data: i64, x: T) -> T {
    // SAFETY: the caller's contract.
    unsafe { run(function, data, [x]) }
}

/// A loop of two operands.
///
/// # Safety
/// As [`run`].
pub(crate) unsafe extern "C" fn two<T: Copy + Default>(function: i64, data: i64, x: T, y: T) -> T {
    // SAFETY: the caller's contract.
    unsafe { run(function, data, [x, y]) }
}

thread_local! {
    /// The result of the thread's last loop over a complex number.
    static COMPLEX: UnsafeCell<[f64; 2]> = const { UnsafeCell::new([0.0; 2]) };
}

/// A loop of one complex operand: the address of the result, complex or real, which is there until the thread's next call.
///
/// # Safety
/// `function` and `data` are those of a ufunc whose operand is a complex number of doubles and whose result is one, or a double.
pub(crate) unsafe extern "C" fn of_complex(function: i64, data: i64, real: f64, imaginary: f64) -> i64 {
    let mut operand = [real, imaginary];
    let result = COMPLEX.with(UnsafeCell::get);
    let size = size_of::<[f64; 2]>() as isize;
    // SAFETY: the caller's contract: a function of this signature, which reads the operand and writes the result. No reference to the
    // result exists, and loops of NumPy's over numbers call nothing that would come here.
    unsafe {
        let function = std::mem::transmute::<usize, InnerLoop>(function as usize);
        let mut addresses: [*mut u8; 2] = [operand.as_mut_ptr().cast(), result.cast()];
        function(addresses.as_mut_ptr(), [1].as_ptr(), [size; 2].as_ptr(), data as *mut c_void);
    }
    status::take_over();
    result.addr() as i64
}

/// Words of the arguments of [`over_arrays`]: addresses, lengths, and steps.
const ADDRESSES: usize = 3;
const LENGTHS: usize = 3;

/// A loop over arrays, as that of a generalized ufunc. `arguments` is the address of words: three addresses of operands and results,
/// three lengths (how often, and of the dimensions), and the steps.
///
/// # Safety
/// `function` and `data` are those of a ufunc of at most so many operands and dimensions, and the arguments are right.
pub(crate) unsafe extern "C" fn over_arrays(function: i64, data: i64, arguments: i64) -> i64 {
    let words = arguments as usize as *mut isize;
    // SAFETY: the caller's contract: a function of this signature, which uses what the words lead to.
    unsafe {
        let function = std::mem::transmute::<usize, InnerLoop>(function as usize);
        let (lengths, steps) = (words.add(ADDRESSES), words.add(ADDRESSES + LENGTHS));
        function(words.cast(), lengths, steps, data as *mut c_void);
    }
    status::take_over();
    0
}
