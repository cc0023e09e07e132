//! `cargo xtask install`

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::workspace::{Workspace, run};

/// Build `tacit` and install it.
///
/// The same as `cargo install --path crates/tacit --locked`.
#[derive(Debug, clap::Args)]
pub(crate) struct Install {
    /// Install into DIR/bin instead of cargo's own directory.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Install {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let mut command = workspace.cargo(["install", "--path", "crates/tacit", "--locked"]);
        if let Some(root) = &self.root {
            // Cargo runs at the root of the repository; the path was typed where we are.
            let root = std::path::absolute(root)
                .with_context(|| format!("cannot install into `{}`", root.display()))?;
            command.arg("--root").arg(root);
        }
        run(&mut command)?;
        println!("\nInstalled. Next, in a repository of yours: tacit init");
        Ok(())
    }
}
