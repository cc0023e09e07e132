//! The MCP server: what an agent asks of its memory, as tools, resources and prompts.
//!
//! A door like the others: it turns requests into calls of the engine and what comes back into
//! results, and has no rules of its own about memories. Every call opens the store, does its work in
//! short transactions and closes it again, on a thread where it may block; nothing is held between
//! calls, so that many servers can work on one repository. This is the only crate with an
//! asynchronous runtime.

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
