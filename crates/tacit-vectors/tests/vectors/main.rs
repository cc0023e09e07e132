//! Tests of the index on real files.

mod concurrent;
mod damage;
mod kernels;
mod lifecycle;
mod replaced;
mod search;
mod support;
mod torn;
