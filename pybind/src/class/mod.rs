//! The array class as Python sees it: attributes, methods, operators, protocols, documentation, metaclass.
//!
//! Every file adds its methods to [`crate::object::ndarray::NdArray`]. Start with `methods`. May import every other folder.

pub(crate) mod attributes;
pub(crate) mod documentation;
pub(crate) mod metaclass;
pub(crate) mod methods;
pub(crate) mod numpy_entry_points;
pub(crate) mod numpy_scalar_slots;
pub(crate) mod operators;
pub(crate) mod protocols;
pub(crate) mod scalars;
pub(crate) mod special_methods;
