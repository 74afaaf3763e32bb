//! Scalar IR with control flow, and its compiler.
//!
//! A function in a text form becomes machine code that works on a *frame*, an array of 64-bit words, and on memory.
//! This crate knows no Python and no arrays: whoever writes the text has checked types, bounds and lifetimes.
//! Cranelift selects instructions and allocates registers.
//!
//! # Registers
//! A register has one of six types: `i64`, `f64`, `f32`, `i8`, a truth value that is 0 or 1, and the vectors `f64x2` of
//! two doubles and `f32x4` of four floats, which no word of the frame holds. It can be written any number of times. A register that is read before it was written on some path is 0.
//!
//! # Text form
//! One item stands on a line. Names are any run of characters without space, comma, parenthesis or colon that does not
//! begin with `#`; a word that begins with `#` starts a comment. Every register is declared above its first use.
//! Blocks may be named before they are defined; the first one is the entry, and each ends with its one terminator.
//!
//! ```text
//! function NAME frame COUNT          words of the frame
//! reg x: i64                         a register
//! block entry:
//!   x = iconst 5                     decimal; also for i8, 0 or 1
//!   y = fconst 0x3ff0000000000000    bits: 16 hexadecimal digits for f64, 8 for f32
//!   r = get 3                        word 3 of the frame, by r's type (f32: low half; i8: is not 0)
//!   put 3, r                         into word 3 (f32: high half 0; i8: zero-extended)
//!   r = load.T p, OFFSET             at address p, an i64, plus a constant (fits i32)
//!   store.T p, OFFSET, r             T: i8 u8 i16 u16 i32 u32 i64 (r is i64, extended or truncated),
//!                                    f32, f64, b (r is i8; any byte but 0 loads as 1), f64x2, f32x4,
//!                                    f32x2 (r is f64x2: two floats, widened or rounded)
//!   r = call NAME(a, b)              a function of the table; without `r =` the result is dropped
//!   r = OP a, b                      see below
//!   jump b
//!   br c, then, otherwise            c: i8
//!   brcold c, then, otherwise        `then` is rare: its code stands out of the way
//!   return CODE                      0 to 2^31 - 1: what running gives
//! ```
//!
//! # Ops
//! | ops | types | meaning |
//! |---|---|---|
//! | `copy` | any, same | |
//! | `add` `sub` `mul` `neg` | i64 | wraps |
//! | `addo` `subo` `mulo` | i64, i64 -> i64, i8: `r, o = addo a, b` | wraps, and whether it did |
//! | `div` `rem` | i64 | truncates; the divisor is not 0, the quotient does not overflow |
//! | `shl` `sar` `shr` | i64 | the amount is taken modulo 64 |
//! | `and` `or` `xor` `not` | i64 or i8 | bitwise; on i8 logical |
//! | `fadd` `fsub` `fmul` `fdiv` `sqrt` `fneg` `fabs` | f64, f32, f64x2 or f32x4 | IEEE 754; of each number of a vector |
//! | `copysign` | f64 or f32 | IEEE 754 |
//! | `fma` | f64 or f64x2 | `a * b + c`, rounded once |
//! | `fmin` `fmax` | f64 or f32 | NaN if either is; -0 is less than 0 |
//! | `floor` `ceil` `trunc` `nearest` | f64 or f32 | nearest: ties to even |
//! | `icmp.CC` | i64 -> i8 | CC: eq ne lt le gt ge ult ule; eq and ne on i8 too |
//! | `fcmp.CC` | f64 or f32 -> i8 | CC: eq lt le gt ge (false with a NaN), ne (true with a NaN), uno (whether there is a NaN) |
//! | `finite` | f64 or f32 -> i8 | whether it is neither infinite nor a NaN |
//! | `select` | i8, T, T -> T | the first if the condition is 1 |
//! | `i2f` `f2i` | i64 to f64 or f32, and back | f2i truncates, and saturates; NaN gives 0 |
//! | `f2f` | between f64 and f32 | |
//! | `bits` | between f64 and i64 | same bits |
//! | `b2i` | i8 -> i64 | |
//! | `splat` | f64 -> f64x2, f32 -> f32x4 | the number everywhere |
//! | `pair` | f64, f64 -> f64x2 | the two |
//! | `low` `high` | f64x2 -> f64 | the first, the second |
//! | `swap` | f64x2 -> f64x2 | the second, the first |
//! | `lows` `highs` | f64x2, f64x2 -> f64x2 | the first of each, the second of each |
//!
//! # Functions
//! The C library's on f64: `exp` `exp2` `expm1` `log` `log10` `log2` `log1p` `sin` `cos` `tan` `asin` `acos` `atan`
//! `sinh` `cosh` `tanh` `asinh` `acosh` `atanh` `cbrt` `erf` `erfc`, of two `pow` `atan2` `hypot` `fmod` `nextafter`;
//! on f32 `expf` `logf` `log2f` `log10f` `sinf` `cosf` `tanf` `tanhf`, of two `powf` `atan2f` `hypotf` `fmodf`.
//! `poll()` gives i8: whether the host wants the code to leave ([`set_poll`]).
//!
//! `status()` gives i64: the floating-point exceptions raised since `clear_status()` or the beginning; 1 invalid,
//! 2 divide by zero, 4 overflow, 8 underflow. `raised()` gives i8: whether one of the first three was. Cranelift's optimizer moves arithmetic to where its result is read first, and
//! out of loops: so a text asks after what it asks about was stored or decided a branch, and may be told of an exception
//! of arithmetic that a path would not have reached.
//!
//! `loop1(function, data, x)`, `loop2(function, data, x, y)` on f64 and `loop1f`, `loop2f` on f32 run a ufunc's inner loop, given by its
//! address and that of its data, over one element; `loop1c(function, data, x, y)` over one complex number, and gives the address of the
//! result, which is there until the thread's next call of it. `loop_arrays(function, data, words)` runs it over matrices: three addresses, three
//! lengths and the steps are words in memory. `kernel(function, kernel, arguments)` runs a kernel of the host, by the address of the
//! function that runs it and its own, on arguments in memory, and gives an i64 that the function says. `scratch(bytes)` gives the address of memory, 0 if there is none, that is the
//! text's until the end of the run. `buffer(number, bytes)` gives that of a numbered buffer, whose contents
//! last until it must grow, or the thread's next run. `copy_memory(to, from, bytes)` copies. `sort_i64(address, count)`, `sort_f64`,
//! `sort_pairs_f64` and `sort_distinct_f64` sort, and give an i64: 0 if there is no order; `median_f64(address, count)` gives the median, and moves the numbers.
//! `inner_product(a, b, count)` gives that of so many doubles at two addresses, `inner_product_backwards(a, b, count)` of those from the
//! first address down. `complex_product(to, a, b, words)` stores the product of two matrices of complex numbers, the second one with dense
//! rows, and gives an i8: whether one of it is not finite. Numbers of rows, of terms, of columns, and distances between rows and elements of the first and between rows of the second are words in memory.
//! `table_new(form, heap, count)`, `table_find(table, heap, 0)`, `table_place(table, heap, 0)`, `table_insert(table, heap, slot)`,
//! `table_remove(table, heap, slot)` and `table_next(table, heap, position)` are the functions of [`tables`], without the prefix.
//!
//! # Files
//! | file | what |
//! |---|---|
//! | `error` | why a text is not compiled |
//! | `status` | the floating-point status of the thread |
//! | `scratch` | memory for a run |
//! | `inner_loop` | calls of ufuncs' inner loops |
//! | `inner_product` | inner products of vectors |
//! | `complex_product` | products of matrices of complex numbers |
//! | `order` | numbers in order |
//! | `tables` | hash tables |
//! | `functions` | the table of functions that can be called |
//! | `trampoline` | calls that leave every register as it was |
//! | `ir` | the representation and the table of ops |
//! | `parse` | text to representation |
//! | `loops` | natural loops |
//! | `rotate` | the question whether there is another turn, at the end of a turn |
//! | `peel` | the first turn of a loop, and the others with fewer questions |
//! | `polynomial` | integers of a turn of a loop as polynomials |
//! | `forward` | what a turn has stored, in a register for the next one |
//! | `reread` | words of the frame read again before inner loops |
//! | `strength` | products of indices and strides as sums |
//! | `verify` | the rules, checked |
//! | `lower` | representation to Cranelift's |
//! | `memory` | executable memory |
//! | `program` | `compile`, `Program::run` |

mod complex_product;
mod error;
mod forward;
mod functions;
mod inner_loop;
mod inner_product;
mod ir;
mod loops;
mod lower;
mod memory;
mod order;
mod parse;
mod peel;
mod polynomial;
mod program;
mod reread;
mod rotate;
mod scratch;
mod status;
mod strength;
pub mod tables;
mod trampoline;
mod verify;

pub use complex_product::{ComplexProduct, complex_products};
pub use error::Error;
pub use functions::set_poll;
pub use program::{Listing, Program, compile, listing};
