//! A directory from which a server can run: PostgreSQL refuses to be run by root, so root gives it to `nobody`.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use nix::unistd::{Uid, User};
use tempfile::TempDir;

use crate::tools::answers;

/// A private temporary directory, and who owns it.
#[derive(Debug)]
pub(super) struct ServerDirectory {
    directory: TempDir,
    /// The account that runs everything in the directory, unless it is ours.
    account: Option<User>,
}

impl ServerDirectory {
    /// Creates an empty directory in another one, which every user must be able to enter.
    pub(super) fn create_in(parent: &Path) -> Result<ServerDirectory> {
        let account = match Uid::effective().is_root() {
            true => Some(User::from_name("nobody")?.context("there is no user `nobody`")?),
            false => None,
        };
        let directory = tempfile::Builder::new()
            .prefix("tacit-postgres-")
            .tempdir_in(parent)
            .with_context(|| format!("cannot make a directory in `{}`", parent.display()))?;
        let directory = ServerDirectory { directory, account };
        directory.give_away()?;
        if !answers(&mut directory.command("true")) {
            let owner = directory.account.map_or_else(String::new, |user| user.name);
            bail!("`{owner}` cannot enter `{}`; choose another `TMPDIR`", parent.display());
        }
        Ok(directory)
    }

    /// Returns a path in the directory.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Leaves the removal to somebody else; returns the path.
    pub(super) fn keep(self) -> PathBuf {
        self.directory.keep()
    }

    /// Copies files or directories into the directory.
    pub(super) fn add<'a>(&self, sources: impl IntoIterator<Item = &'a Path>) -> Result<()> {
        let mut copy = Command::new("cp");
        // Symbolic links between libraries stay links.
        copy.args(["-R", "-P", "-p"]).args(sources).arg(self.directory.path());
        succeed(&mut copy)?;
        self.give_away()
    }

    /// Writes a file that only the account can read.
    pub(super) fn add_file(&self, name: &str, text: &str) -> Result<()> {
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.path(name))?;
        file.write_all(text.as_bytes())?;
        self.give_away()
    }

    /// Makes the account own everything in the directory.
    fn give_away(&self) -> Result<()> {
        let Some(account) = &self.account else { return Ok(()) };
        let (uid, gid) = (account.uid.as_raw(), account.gid.as_raw());
        let root = self.directory.path();
        succeed(Command::new("chown").args(["-R", &format!("{uid}:{gid}")]).arg(root))
    }

    /// Creates a command that the account runs in the directory, beyond the reach of Ctrl-C.
    #[expect(clippy::disallowed_methods, reason = "programs of the system are found by the path")]
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.directory.path())
            .env("LC_ALL", "C")
            .current_dir(self.directory.path())
            .process_group(0);
        if let Some(account) = &self.account {
            command.uid(account.uid.as_raw()).gid(account.gid.as_raw());
        }
        command
    }
}

/// Runs a command; fails with its messages unless it succeeds.
pub(super) fn succeed(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let messages = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} failed: {}", messages.trim());
    Ok(())
}
