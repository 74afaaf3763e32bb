//! Array objects: what they hold, how they are allocated, and slots of their class that Python calls directly.
//!
//! Start with `payload`. May import `interpreter`. What the class can do is in `class`.

pub(crate) mod construct;
pub(crate) mod free_list;
pub(crate) mod header;
pub(crate) mod identity;
pub(crate) mod import_table;
pub(crate) mod ndarray;
pub(crate) mod object_pool;
pub(crate) mod payload;
pub(crate) mod raw_slots;
