//! Vector kernels, memory maps and freed memory: the only crate with `unsafe` code.
//!
//! All public functions are safe. Kernels are chosen by the features of the processor; each has a
//! portable equivalent that gives the same result and serves as the reference in tests.

pub mod gemm;
pub mod heap;
pub mod map;
pub mod scan;
