//! Weaving: merged kernels do what their parts do one after the other, bit for bit, as an evaluator of PTX finds.

mod arithmetic;
mod compiled;
mod evaluator;
mod pairs;
mod rules;
