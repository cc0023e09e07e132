//! The MCP server: an agent's access to its memory as tools, resources and prompts.
//!
//! The server turns requests into calls of use cases and renders the results; it has no rules of its
//! own about memories. Every call opens the store, works in short transactions and closes it again, on
//! a blocking thread. Nothing is held between calls, so many servers can work on one repository.
//! This is the only crate with an asynchronous runtime.

mod host;
mod instructions;
mod json_lines;
mod prompts;
mod resources;
mod serve;
mod server;
mod show;
mod tool_context;
mod tool_result;
mod tools;

pub use host::Host;
pub use instructions::INSTRUCTIONS;
pub use prompts::prompts;
pub use resources::{resource_templates, resources};
pub use serve::{serve, serve_standard_streams};
pub use tools::tools;
