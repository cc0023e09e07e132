//! The interface to the program that runs the server: the server reads no environment and no clock.

use tacit_app::App;
use tacit_core::{Config, SessionId};

/// Provides the project, the current configuration and the session. Errors are texts for the agent.
pub trait Host: Send + Sync + 'static {
    /// The project, with the clock to use.
    fn app(&self) -> &App;

    /// Reads the configuration again: a server runs for hours, and files change meanwhile.
    fn config(&self) -> Result<Config, String>;

    /// The agent's session, if the client names it.
    fn session(&self) -> Option<SessionId>;
}
