//! Arrays: a storage, a layout and a type; views; scalars.

pub(crate) mod array;
pub(crate) mod element;
pub(crate) mod layout;
pub(crate) mod result_order;
pub(crate) mod strided_view;
pub(crate) mod value;
pub(crate) mod view;
