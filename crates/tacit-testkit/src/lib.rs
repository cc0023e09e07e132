//! What tests and benchmarks share.
//!
//! [`arbitrary`] makes any memory there can be, for properties; [`realistic`] makes memories like
//! those of a working repository, for measurements; [`time`] makes time and identifiers that tests
//! control. Nothing here is part of the product.

pub mod arbitrary;
pub mod realistic;
pub mod time;
