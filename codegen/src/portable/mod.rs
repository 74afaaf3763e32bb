//! The `portable` backend.

mod arith;
mod complex;
mod element;
mod flags;
mod isa;
mod loops;
mod stand_in;
