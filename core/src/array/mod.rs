//! Arrays: a storage, a layout and an element type; views; scalar arguments. Pure values: nothing here records, computes or takes
//! the runtime's lock.
//!
//! Imports `memory`, `host` and `error`. Open `array.rs` first, then `layout.rs`.

pub(crate) mod array;
pub(crate) mod element;
pub(crate) mod layout;
pub(crate) mod result_order;
pub(crate) mod strided_view;
pub(crate) mod value;
pub(crate) mod view;
