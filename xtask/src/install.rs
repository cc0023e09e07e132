//! `cargo xtask install`: builds and installs `tacit`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace::{Workspace, run};

/// Build `tacit` and install it.
///
/// The same as `cargo install --path crates/tacit --locked`, but the binary is copied so that the
/// page cache holds it in large pages.
#[derive(Debug, clap::Args)]
pub(crate) struct Install {
    /// Install into DIR/bin instead of cargo's own directory.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Install {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let mut command = workspace.cargo(["install", "--path", "crates/tacit", "--locked"]);
        let mut directory = cargo_root();
        if let Some(root) = &self.root {
            // Cargo runs at the root of the repository, but the path is relative to the current
            // directory.
            let root = std::path::absolute(root)
                .with_context(|| format!("cannot install into `{}`", root.display()))?;
            command.arg("--root").arg(&root);
            directory = Some(root);
        }
        run(&mut command)?;
        let name = format!("tacit{}", std::env::consts::EXE_SUFFIX);
        if let Some(binary) = directory.map(|root| root.join("bin").join(name))
            && binary.is_file()
        {
            copy_whole(&binary, &binary)?;
        }
        println!("\nInstalled. Next, in a repository of yours: tacit init");
        Ok(())
    }
}

/// Returns the directory that cargo installs to by default.
#[expect(clippy::disallowed_methods, reason = "cargo is told by the environment where to install")]
fn cargo_root() -> Option<PathBuf> {
    let set = ["CARGO_INSTALL_ROOT", "CARGO_HOME"].into_iter().find_map(std::env::var_os);
    set.map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

/// Copies a program in one write, beside `to` and then over it.
///
/// The page cache keeps a file in pages as large as the writes that created it. With 4 KB pages, as
/// a linker leaves them, a fresh process takes 2.4 ms to map the weights of the model; with the 2
/// MB pages of this copy, 0.2 ms (Linux 6.18, ext4).
pub(crate) fn copy_whole(from: &Path, to: &Path) -> Result<()> {
    let context = || format!("cannot copy `{}` to `{}`", from.display(), to.display());
    let beside = to.with_extension("new");
    fs::write(&beside, fs::read(from).with_context(context)?).with_context(context)?;
    fs::set_permissions(&beside, fs::metadata(from)?.permissions()).with_context(context)?;
    fs::rename(&beside, to).with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copying_a_file_over_itself_keeps_content_and_permissions() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let program = directory.path().join("program");
        fs::write(&program, "#!/bin/sh\n")?;
        let mut permissions = fs::metadata(&program)?.permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&program, permissions.clone())?;
        copy_whole(&program, &program)?;
        assert_eq!(fs::read(&program)?, b"#!/bin/sh\n");
        assert_eq!(fs::metadata(&program)?.permissions(), permissions);
        assert_eq!(fs::read_dir(&directory)?.count(), 1);
        Ok(())
    }
}
