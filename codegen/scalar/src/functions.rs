//! The table of functions that compiled code may call: one row each, the signature given by the kind of its pointer.
//!
//! The elementary functions are the C library's, so a compiled loop gives the bits that Python's `math` gives.
//! Reading and clearing the floating-point status, and the host's poll hook, are called by name as well.

use std::fmt;
use std::sync::OnceLock;

use cranelift_codegen::isa::TargetIsa;

use crate::complex_product::complex_product;
use crate::error::Fault;
use crate::inner_product::{inner_product, inner_product_backwards};
use crate::ir::Type;
use crate::memory::CodeMemory;
use crate::{inner_loop, order, scratch, status, tables, trampoline};

/// A function pointer, by signature.
#[derive(Clone, Copy)]
pub(crate) enum Callee {
    F64(unsafe extern "C" fn(f64) -> f64),
    F64F64(unsafe extern "C" fn(f64, f64) -> f64),
    F32(unsafe extern "C" fn(f32) -> f32),
    F32F32(unsafe extern "C" fn(f32, f32) -> f32),
    /// Reads the floating-point status.
    Status(extern "C" fn() -> i64),
    /// Whether it has an exception that NumPy warns of.
    Raised(extern "C" fn() -> u8),
    ClearStatus(extern "C" fn()),
    Poll(extern "C" fn() -> u8),
    /// One element of a ufunc's inner loop: its address, that of its data, and the operands.
    Loop(unsafe extern "C" fn(i64, i64, f64) -> f64),
    LoopOfTwo(unsafe extern "C" fn(i64, i64, f64, f64) -> f64),
    LoopF32(unsafe extern "C" fn(i64, i64, f32) -> f32),
    LoopOfTwoF32(unsafe extern "C" fn(i64, i64, f32, f32) -> f32),
    /// Of one complex number: where the result is.
    LoopOfComplex(unsafe extern "C" fn(i64, i64, f64, f64) -> i64),
    /// A kernel of the host: the address of a function, that of the kernel, and that of its arguments. Or what `tables` does.
    Kernel(unsafe extern "C" fn(i64, i64, i64) -> i64),
    /// Memory for a number of bytes.
    Scratch(extern "C" fn(i64) -> i64),
    /// The buffer of a number with room for a number of bytes.
    Buffer(extern "C" fn(i64, i64) -> i64),
    /// To, from, bytes.
    Copy(unsafe extern "C" fn(i64, i64, i64)),
    /// Sorts so many elements at an address, if they have an order.
    Sort(unsafe extern "C" fn(i64, i64) -> i64),
    Median(unsafe extern "C" fn(i64, i64) -> f64),
    /// Of so many doubles at two addresses.
    InnerProduct(unsafe extern "C" fn(i64, i64, i64) -> f64),
    /// Where to store, two addresses, and that of what describes them.
    ComplexProduct(unsafe extern "C" fn(i64, i64, i64, i64) -> u8),
    /// Machine code of the host at an address, the first operand: it takes the others, an address and two numbers.
    Code,
}

impl Callee {
    /// The types it takes.
    pub(crate) fn parameters(self) -> &'static [Type] {
        match self {
            Callee::F64(_) => &[Type::F64],
            Callee::F64F64(_) => &[Type::F64, Type::F64],
            Callee::F32(_) => &[Type::F32],
            Callee::F32F32(_) => &[Type::F32, Type::F32],
            Callee::Loop(_) => &[Type::I64, Type::I64, Type::F64],
            Callee::LoopOfTwo(_) | Callee::LoopOfComplex(_) => &[Type::I64, Type::I64, Type::F64, Type::F64],
            Callee::LoopF32(_) => &[Type::I64, Type::I64, Type::F32],
            Callee::LoopOfTwoF32(_) => &[Type::I64, Type::I64, Type::F32, Type::F32],
            Callee::Scratch(_) => &[Type::I64],
            Callee::Buffer(_) | Callee::Sort(_) | Callee::Median(_) => &[Type::I64, Type::I64],
            Callee::Copy(_) | Callee::Kernel(_) | Callee::InnerProduct(_) => &[Type::I64, Type::I64, Type::I64],
            Callee::Code | Callee::ComplexProduct(_) => &[Type::I64, Type::I64, Type::I64, Type::I64],
            Callee::Status(_) | Callee::Raised(_) | Callee::ClearStatus(_) | Callee::Poll(_) => &[],
        }
    }

    /// The type it gives.
    pub(crate) fn result(self) -> Option<Type> {
        match self {
            Callee::F64(_)
            | Callee::F64F64(_)
            | Callee::Loop(_)
            | Callee::LoopOfTwo(_)
            | Callee::Median(_)
            | Callee::InnerProduct(_) => Some(Type::F64),
            Callee::F32(_) | Callee::F32F32(_) | Callee::LoopF32(_) | Callee::LoopOfTwoF32(_) => Some(Type::F32),
            Callee::Status(_)
            | Callee::Scratch(_)
            | Callee::Buffer(_)
            | Callee::Kernel(_)
            | Callee::LoopOfComplex(_)
            | Callee::Sort(_) => Some(Type::I64),
            Callee::Poll(_) | Callee::Raised(_) | Callee::ComplexProduct(_) => Some(Type::I8),
            Callee::ClearStatus(_) | Callee::Copy(_) | Callee::Code => None,
        }
    }

    /// Where its code begins; nothing where an operand says so.
    pub(crate) fn address(self) -> Option<usize> {
        Some(match self {
            Callee::F64(f) => f as usize,
            Callee::F64F64(f) => f as usize,
            Callee::F32(f) => f as usize,
            Callee::F32F32(f) => f as usize,
            Callee::Status(f) => f as usize,
            Callee::Raised(f) => f as usize,
            Callee::ClearStatus(f) => f as usize,
            Callee::Poll(f) => f as usize,
            Callee::Loop(f) => f as usize,
            Callee::LoopOfTwo(f) => f as usize,
            Callee::LoopF32(f) => f as usize,
            Callee::LoopOfTwoF32(f) => f as usize,
            Callee::LoopOfComplex(f) => f as usize,
            Callee::Kernel(f) => f as usize,
            Callee::Scratch(f) => f as usize,
            Callee::Buffer(f) => f as usize,
            Callee::Copy(f) => f as usize,
            Callee::Sort(f) => f as usize,
            Callee::Median(f) => f as usize,
            Callee::InnerProduct(f) => f as usize,
            Callee::ComplexProduct(f) => f as usize,
            Callee::Code => return None,
        })
    }
}

/// One row of the table of functions.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) callee: Callee,
    /// Of a function that is called rarely: what is called in its place, once it is made.
    trampoline: Option<OnceLock<CodeMemory>>,
}

impl Function {
    /// Makes the trampoline, if the function is called through one and has none.
    pub(crate) fn prepare(&self, isa: &dyn TargetIsa) -> Result<(), Fault> {
        if let Some(made) = self.trampoline.as_ref().filter(|made| made.get().is_none()) {
            let code = trampoline::make(self.callee, isa)?;
            made.get_or_init(|| code);
        }
        Ok(())
    }

    /// The address of the trampoline that was prepared; `None` for a function that is called itself.
    pub(crate) fn trampoline(&self) -> Option<usize> {
        let made = self.trampoline.as_ref()?;
        Some(made.get().expect("the trampolines of a text are prepared").start() as usize)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The function called `name` in the text.
pub(crate) fn named(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

static POLL: OnceLock<fn() -> bool> = OnceLock::new();

/// Sets the hook that `poll()` calls; true means that the code shall leave. It can be set once; later calls change
/// nothing. Without a hook `poll()` is false.
pub fn set_poll(hook: fn() -> bool) {
    // A second hook is refused by design, so its error says nothing new.
    let _ = POLL.set(hook);
}

pub(crate) extern "C" fn poll() -> u8 {
    POLL.get().is_some_and(|hook| hook()).into()
}

/// Runs a kernel of the host: what its function gives.
///
/// # Safety
/// `function` takes a kernel and its arguments, and these are right.
unsafe extern "C" fn kernel(function: i64, kernel: i64, arguments: i64) -> i64 {
    // SAFETY: the caller's contract.
    unsafe {
        let function = std::mem::transmute::<usize, unsafe extern "C" fn(i64, i64) -> i64>(function as usize);
        function(kernel, arguments)
    }
}

// Signatures are those of C's <math.h>.
unsafe extern "C" {
    fn exp(x: f64) -> f64;
    fn exp2(x: f64) -> f64;
    fn expm1(x: f64) -> f64;
    fn log(x: f64) -> f64;
    fn log10(x: f64) -> f64;
    fn log2(x: f64) -> f64;
    fn log1p(x: f64) -> f64;
    fn sin(x: f64) -> f64;
    fn cos(x: f64) -> f64;
    fn tan(x: f64) -> f64;
    fn asin(x: f64) -> f64;
    fn acos(x: f64) -> f64;
    fn atan(x: f64) -> f64;
    fn sinh(x: f64) -> f64;
    fn cosh(x: f64) -> f64;
    fn tanh(x: f64) -> f64;
    fn asinh(x: f64) -> f64;
    fn acosh(x: f64) -> f64;
    fn atanh(x: f64) -> f64;
    fn cbrt(x: f64) -> f64;
    fn erf(x: f64) -> f64;
    fn erfc(x: f64) -> f64;
    fn pow(x: f64, y: f64) -> f64;
    fn atan2(y: f64, x: f64) -> f64;
    fn hypot(x: f64, y: f64) -> f64;
    fn fmod(x: f64, y: f64) -> f64;
    fn nextafter(x: f64, y: f64) -> f64;
    fn expf(x: f32) -> f32;
    fn logf(x: f32) -> f32;
    fn log2f(x: f32) -> f32;
    fn log10f(x: f32) -> f32;
    fn sinf(x: f32) -> f32;
    fn cosf(x: f32) -> f32;
    fn tanf(x: f32) -> f32;
    fn tanhf(x: f32) -> f32;
    fn powf(x: f32, y: f32) -> f32;
    fn atan2f(y: f32, x: f32) -> f32;
    fn hypotf(x: f32, y: f32) -> f32;
    fn fmodf(x: f32, y: f32) -> f32;
}

const fn row(name: &'static str, callee: Callee) -> Function {
    Function { name, callee, trampoline: None }
}

const fn rare(name: &'static str, callee: Callee) -> Function {
    Function { name, callee, trampoline: Some(OnceLock::new()) }
}

/// The table of functions.
static FUNCTIONS: [Function; 68] = [
    row("exp", Callee::F64(exp)),
    row("exp2", Callee::F64(exp2)),
    row("expm1", Callee::F64(expm1)),
    row("log", Callee::F64(log)),
    row("log10", Callee::F64(log10)),
    row("log2", Callee::F64(log2)),
    row("log1p", Callee::F64(log1p)),
    row("sin", Callee::F64(sin)),
    row("cos", Callee::F64(cos)),
    row("tan", Callee::F64(tan)),
    row("asin", Callee::F64(asin)),
    row("acos", Callee::F64(acos)),
    row("atan", Callee::F64(atan)),
    row("sinh", Callee::F64(sinh)),
    row("cosh", Callee::F64(cosh)),
    row("tanh", Callee::F64(tanh)),
    row("asinh", Callee::F64(asinh)),
    row("acosh", Callee::F64(acosh)),
    row("atanh", Callee::F64(atanh)),
    row("cbrt", Callee::F64(cbrt)),
    row("erf", Callee::F64(erf)),
    row("erfc", Callee::F64(erfc)),
    row("pow", Callee::F64F64(pow)),
    row("atan2", Callee::F64F64(atan2)),
    row("hypot", Callee::F64F64(hypot)),
    row("fmod", Callee::F64F64(fmod)),
    row("nextafter", Callee::F64F64(nextafter)),
    row("expf", Callee::F32(expf)),
    row("logf", Callee::F32(logf)),
    row("log2f", Callee::F32(log2f)),
    row("log10f", Callee::F32(log10f)),
    row("sinf", Callee::F32(sinf)),
    row("cosf", Callee::F32(cosf)),
    row("tanf", Callee::F32(tanf)),
    row("tanhf", Callee::F32(tanhf)),
    row("powf", Callee::F32F32(powf)),
    row("atan2f", Callee::F32F32(atan2f)),
    row("hypotf", Callee::F32F32(hypotf)),
    row("fmodf", Callee::F32F32(fmodf)),
    rare("status", Callee::Status(status::read)),
    rare("raised", Callee::Raised(status::raised)),
    rare("clear_status", Callee::ClearStatus(status::clear)),
    rare("poll", Callee::Poll(poll)),
    row("loop1", Callee::Loop(inner_loop::one)),
    row("loop2", Callee::LoopOfTwo(inner_loop::two)),
    row("loop1f", Callee::LoopF32(inner_loop::one)),
    row("loop2f", Callee::LoopOfTwoF32(inner_loop::two)),
    row("loop1c", Callee::LoopOfComplex(inner_loop::of_complex)),
    rare("kernel", Callee::Kernel(kernel)),
    rare("code", Callee::Code),
    rare("loop_arrays", Callee::Kernel(inner_loop::over_arrays)),
    rare("scratch", Callee::Scratch(scratch::take)),
    rare("buffer", Callee::Buffer(scratch::buffer)),
    rare("copy_memory", Callee::Copy(scratch::copy)),
    rare("sort_i64", Callee::Sort(order::sort_i64)),
    rare("sort_f64", Callee::Sort(order::sort_f64)),
    rare("sort_pairs_f64", Callee::Sort(order::sort_pairs_f64)),
    rare("sort_distinct_f64", Callee::Sort(order::sort_distinct_f64)),
    rare("median_f64", Callee::Median(order::median_f64)),
    row("inner_product", Callee::InnerProduct(inner_product)),
    row("inner_product_backwards", Callee::InnerProduct(inner_product_backwards)),
    row("complex_product", Callee::ComplexProduct(complex_product)),
    row("table_new", Callee::Kernel(tables::create)),
    row("table_find", Callee::Kernel(tables::find)),
    row("table_place", Callee::Kernel(tables::place)),
    row("table_insert", Callee::Kernel(tables::insert)),
    row("table_remove", Callee::Kernel(tables::remove)),
    row("table_next", Callee::Kernel(tables::next)),
];
