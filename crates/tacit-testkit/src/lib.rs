//! What tests and benchmarks share.
//!
//! [`arbitrary`] makes any memory there can be, for properties; [`realistic`] makes memories like
//! those of a working repository, for measurements; [`time`] makes time and identifiers that tests
//! control; [`mod@env`] runs the real binary where nothing of the machine can be seen; [`server`]
//! stands in for the servers of models; [`mcp_client`] is a client of our own; [`secrets`] is the
//! table of secrets and of what looks like them. Nothing here is part of the
//! product.

pub mod arbitrary;
pub mod env;
pub mod mcp_client;
pub mod realistic;
pub mod secrets;
pub mod server;
pub mod time;
