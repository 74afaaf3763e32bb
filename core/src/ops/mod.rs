//! Operations: from arguments to recorded statements. Types, shapes and errors are NumPy's, and are decided here.
//!
//! | file | what it does |
//! |---|---|
//! | `promote` | type promotion, casting rules, which loop of an op computes |
//! | `elementwise` | ufunc calls, `select`, copies, casts and assignment |
//! | `where_arg` | ufunc calls with `where=` |
//! | `lent` | eager ufunc calls with operands in memory of code outside |
//! | `operators` | `+ - * /` for Rust |
//! | `create` | `zeros`, `full`, `arange`, `linspace`, copies of foreign memory |
//! | `concatenate` | joining along an axis |
//! | `convert`, `reshape` | arrays from and to other types; the same elements in another shape |
//! | `reduce`, `running_product` | reductions and scans; products of floats in NumPy's order |
//! | `repeat` | loops of functions |
//! | `matmul` | matrix and inner products |
//! | `fourier` | Fourier transforms along axes |
//! | `correlate`, `bits` | correlations of vectors; truth packed into bits |
//!
//! Start with `elementwise`. The folder may import `runtime` and what that imports, never `index` or `device`.

pub(crate) mod bits;
pub(crate) mod concatenate;
pub(crate) mod convert;
pub(crate) mod correlate;
pub(crate) mod create;
pub(crate) mod elementwise;
pub(crate) mod fourier;
pub(crate) mod lent;
pub(crate) mod matmul;
pub(crate) mod operators;
pub(crate) mod promote;
pub(crate) mod reduce;
pub(crate) mod repeat;
pub(crate) mod reshape;
pub(crate) mod running_product;
pub(crate) mod where_arg;
