//! `tacit completions`

use std::io::Write;

use clap_complete::Shell;
use tacit_app::AppResult;

use crate::completion;

/// Print a completion script for your shell.
///
/// Completes commands and options, and also ids (with titles), types, tags, configuration keys and
/// sessions. The script asks `tacit` each time, so it never goes out of date.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  source <(tacit completions bash)                          in this shell
  tacit completions bash > ~/.local/share/bash-completion/completions/tacit
  tacit completions zsh > ~/.zfunc/_tacit
  tacit completions fish > ~/.config/fish/completions/tacit.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArgs {
    pub(crate) fn run(&self) -> AppResult<()> {
        let script = completion::script(&self.shell.to_string());
        Ok(std::io::stdout().write_all(&script)?)
    }
}
