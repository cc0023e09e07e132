//! `tacit mcp`: starts the server; the protocol is in `tacit-mcp`.

use std::sync::Arc;

use tacit_app::SilentWatcher;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::{Config, SessionId};
use tacit_mcp::Host;

use crate::app::CliApp;

/// Serve the memory over MCP (clients run this).
///
/// Reads requests on standard input and answers on standard output until the client disconnects.
/// Agent clients start it; docs/mcp.md explains how to set them up, and lists the tools.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  claude mcp add tacit -- tacit mcp
  tacit -C ~/src/shop mcp")]
pub(crate) struct McpArgs {}

impl McpArgs {
    pub(crate) fn run(self, app: CliApp) -> AppResult<()> {
        tacit_app::panics::print_to_stderr();
        // Standard output carries only the protocol, and clients do not show standard error.
        let mut app = app.into_inner();
        app.watcher = Box::new(SilentWatcher);
        tacit_mcp::serve_standard_streams(Arc::new(Server(app))).map_err(|error| {
            AppError::new(ErrorCode::Failure, format!("the connection failed: {error}"))
        })
    }
}

struct Server(tacit_app::App);

impl Host for Server {
    fn app(&self) -> &tacit_app::App {
        &self.0
    }

    fn config(&self) -> Result<Config, String> {
        self.0.config_now().map_err(|error| error.message)
    }

    fn session(&self) -> Option<SessionId> {
        self.0.session()
    }
}
