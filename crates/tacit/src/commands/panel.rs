//! `tacit panel`: starts the server and opens the browser; the server is in `tacit-panel`.

#[cfg(feature = "panel")]
mod browser;
#[cfg(feature = "panel")]
mod serve;

use tacit_app::AppResult;
#[cfg(any(test, not(feature = "panel")))]
use tacit_app::{AppError, ErrorCode};

use crate::app::CliApp;

/// View and correct memories in a browser.
///
/// Serves a page on this machine alone (127.0.0.1 and ::1) and opens it, until Ctrl-C. The address has a
/// token that each start chooses anew; without it, nobody gets an answer. The page asks nothing of any
/// other machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit panel
  tacit panel a1b2c3d4              open it at this memory
  tacit panel --no-open             only print the address
  tacit panel --port 7311 --idle 30 end after half an hour without requests")]
pub(crate) struct PanelArgs {
    /// The memory to show first; an unambiguous beginning of its id is enough.
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The port [default: any that is free].
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Do not open a browser.
    #[arg(long)]
    no_open: bool,
    /// End after this many minutes without a request.
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u64).range(1..=10_080))]
    idle: Option<u64>,
}

impl PanelArgs {
    #[cfg(feature = "panel")]
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        serve::serve(app, &self)
    }

    #[cfg(not(feature = "panel"))]
    pub(crate) fn run(self, _: &CliApp) -> AppResult<()> {
        let PanelArgs { id: _, port: _, no_open: _, idle: _ } = self;
        Err(no_panel())
    }
}

/// Returns the error of a build without the panel.
#[cfg(any(test, not(feature = "panel")))]
fn no_panel() -> AppError {
    AppError::new(ErrorCode::Failure, "this build of tacit has no panel")
        .hint("install a build with default features, or use the commands: they do everything the panel does")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_the_panel_says_so_and_what_to_do() {
        let error = no_panel();
        assert_eq!(error.message, "this build of tacit has no panel");
        assert!(error.hint.is_some_and(|hint| hint.contains("default features")));
    }
}
