//! `tacit completions`

use clap::CommandFactory;
use clap_complete::Shell;
use tacit_app::AppResult;

use crate::cli::Cli;

/// Print a script that completes commands in your shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit completions bash > ~/.local/share/bash-completion/completions/tacit
  tacit completions zsh > ~/.zfunc/_tacit
  tacit completions fish > ~/.config/fish/completions/tacit.fish")]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> AppResult<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "tacit", &mut script);
        use std::io::Write;
        Ok(std::io::stdout().write_all(&script)?)
    }
}
