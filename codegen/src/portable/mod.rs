//! The `portable` backend.

mod arg;
mod arith;
mod casts;
mod complex;
mod element;
mod flags;
mod folds;
mod isa;
mod loops;
mod moves;
mod stand_in;
