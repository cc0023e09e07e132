//! The store that a team shares, on PostgreSQL with pgvector.
//!
//! Row-level security decides who sees and changes what; see `migrations/0001_rights.sql`. Statements carry
//! their types, so that each takes one round trip, and everything has a deadline.

mod activity;
mod admin;
mod check;
mod columns;
mod connection;
mod delta;
mod error;
mod filter;
mod history;
mod index;
mod keyed;
mod links;
mod migrate;
mod observed;
mod open;
mod pgpass;
mod quotes;
mod row;
mod search;
mod server;
mod session;
mod settings;
mod stats;
mod store;
mod term_counts;
mod text;
mod tls;
mod transaction;
mod transfer;
mod unreadable;
mod url;
mod vectors;
mod write;

pub use admin::{Member, add_own_project, add_project, install};
pub use delta::fetch_delta;
pub use migrate::LATEST;
pub use server::PostgresServer;
pub use settings::{
    Credentials, Password, ServerSettings, ServerUrl, SettingsError, SslMode, Timeouts,
};
pub use store::PostgresStore;
