//! What the server is given by the program it runs in: it reads no environment and no clock.

use tacit_app::App;
use tacit_core::{Config, SessionId};

/// The project with its clock, the configuration as it is now, and whose session it is. Problems are
/// told in words.
pub trait Host: Send + Sync + 'static {
    /// The project, and the clock to go by.
    fn app(&self) -> &App;

    /// The configuration as it is now: a server lives for hours, and files change meanwhile.
    fn config(&self) -> Result<Config, String>;

    /// The session of the agent, if the one who started the server told.
    fn session(&self) -> Option<SessionId>;
}
