//! The `portable` backend: a blocked interpreter.

mod accumulate;
mod arg;
mod arith;
mod casts;
mod code;
mod complex;
mod element;
mod flags;
mod folds;
mod frame;
mod isa;
mod loops;
mod map;
mod moves;
mod program;
mod reduce;
mod scan;
mod scratch;
mod spread;
mod walk;

pub use program::Portable;
