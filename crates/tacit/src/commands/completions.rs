//! `tacit completions`

use clap_complete::Shell;
use tacit_app::AppResult;

use crate::cli;

/// Print a completion script for your shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
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
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut cli::command(), "tacit", &mut script);
        use std::io::Write;
        Ok(std::io::stdout().write_all(&script)?)
    }
}
