//! `cargo xtask install`

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace::{Workspace, run};

/// Build `tacit` and install it.
///
/// The same as `cargo install --path crates/tacit --locked`, and leaves the binary in memory the way
/// it is read fastest.
#[derive(Debug, clap::Args)]
pub(crate) struct Install {
    /// Install into DIR/bin instead of cargo's own directory.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Install {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let mut command = workspace.cargo(["install", "--path", "crates/tacit", "--locked"]);
        let mut place = cargo_root();
        if let Some(root) = &self.root {
            // Cargo runs at the root of the repository; the path was typed where we are.
            let root = std::path::absolute(root)
                .with_context(|| format!("cannot install into `{}`", root.display()))?;
            command.arg("--root").arg(&root);
            place = Some(root);
        }
        run(&mut command)?;
        let name = format!("tacit{}", std::env::consts::EXE_SUFFIX);
        if let Some(binary) = place.map(|root| root.join("bin").join(name))
            && binary.is_file()
        {
            copy_whole(&binary, &binary)?;
        }
        println!("\nInstalled. Next, in a repository of yours: tacit init");
        Ok(())
    }
}

/// Where cargo installs to, unless its configuration says otherwise.
#[expect(clippy::disallowed_methods, reason = "cargo is told by the environment where to install")]
fn cargo_root() -> Option<PathBuf> {
    let set = ["CARGO_INSTALL_ROOT", "CARGO_HOME"].into_iter().find_map(std::env::var_os);
    set.map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

/// Copies a program in one write, beside `to` and then over it.
///
/// The page cache keeps a file in pages as large as the writes it came in. From 4 KB pages, as a
/// linker leaves them, a fresh process takes 2.4 ms to map the weights of the model; from the 2 MB
/// pages of this copy 0.2 ms (Linux 6.18, ext4).
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
    fn a_copy_over_itself_keeps_bytes_and_permissions() -> Result<()> {
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
