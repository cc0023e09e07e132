//! Vector kernels and memory maps: the only room with `unsafe` code.
//!
//! Everything public here is safe to call. Kernels are chosen once per process by what the
//! processor can do; each has a portable twin that gives the same answer and is the test oracle.

pub mod gemm;
pub mod map;
pub mod scan;
