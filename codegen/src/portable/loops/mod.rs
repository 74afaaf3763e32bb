//! The inner loops of the interpreter, one for each op and element type, compiled for every instruction set.
//!
//! `elementwise` has the loops of the op table, `arith` and `complex` the methods its definitions call, `element` the types they work on;
//! `folds` and `arg_extremes` fold; `casts` converts; `copies` moves elements; `remainder`, `integer_powers` and `complex_abs` are vector
//! fast paths; `fused_multiply_add` and `primitives` are instructions of the IR beside the table. It imports `ir`, `math` and `drive`, and
//! knows nothing of domains or kernels. Open `elementwise` first.

pub(crate) mod arg_extremes;
pub(crate) mod arith;
pub(crate) mod casts;
pub(crate) mod complex;
pub(crate) mod complex_abs;
pub(crate) mod copies;
pub(crate) mod element;
pub(crate) mod elementwise;
pub(crate) mod folds;
pub(crate) mod fused_multiply_add;
pub(crate) mod integer_powers;
pub(crate) mod primitives;
pub(crate) mod remainder;
