//! The array class: its objects, attributes, methods and operators.

pub(crate) mod attributes;
pub(crate) mod class;
pub(crate) mod document;
pub(crate) mod methods;
pub(crate) mod ndarray;
pub(crate) mod object_pool;
pub(crate) mod operators;
pub(crate) mod payload;
pub(crate) mod protocols;
pub(crate) mod raw_slots;
