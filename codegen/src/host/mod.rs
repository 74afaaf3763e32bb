//! Routines for the host's memory that are not kernels.
//!
//! Those of devices are methods of [`crate::Device`]. It imports `drive`. Open `gemv` first.

pub mod correlation;
pub mod even_bins;
pub mod few_terms;
pub mod gemv;
pub mod inner_products;
pub mod narrow_product;
pub mod positions;
pub mod skinny_product;
pub mod small_product;
pub mod sorted_search;
