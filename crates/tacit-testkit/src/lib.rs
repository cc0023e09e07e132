//! Shared helpers for tests and benchmarks; not part of the product.
//!
//! [`arbitrary`] generates memories for property tests; [`realistic`] generates memories like those
//! of a real repository, for measurements; [`time`] has a clock and identifiers under control of
//! the test; [`mod@env`] runs the real binary in isolation; [`server`] is a fake model server and
//! [`agent_model`] a fake model for the loop of a real agent client; [`story`] reads stories;
//! [`mod@postgres`] makes databases and [`proxy`] lets their network fail; [`mcp_client`] is an MCP client; [`secrets`] is the table of secrets and lookalikes.

pub mod agent_model;
pub mod arbitrary;
pub mod env;
pub mod mcp_client;
pub mod postgres;
pub mod proxy;
pub mod realistic;
pub mod secrets;
pub mod server;
pub mod story;
pub mod time;
