//! A place of its own for a benchmark: built binaries, a home, projects, no inherited environment.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tempfile::TempDir;

use crate::install::copy_whole;
use crate::workspace::{Workspace, run};

/// The binaries and the directories a benchmark works with; the directories go with it.
#[derive(Debug)]
pub(crate) struct Place {
    tacit: PathBuf,
    empty: PathBuf,
    peak: PathBuf,
    resident: PathBuf,
    directory: TempDir,
}

impl Place {
    /// Builds the binaries and makes the directories, which are left behind to look at if they
    /// are to be kept.
    pub(crate) fn prepare(workspace: &Workspace, keep: bool) -> Result<Place> {
        // Two builds: in one, the features that xtask asks for would change the binary.
        run(&mut workspace.cargo(["build", "--release", "--locked", "--package", "tacit"]))?;
        run(workspace.cargo(["build", "--release", "--locked", "--package", "xtask"]).args([
            "--bin",
            "empty-process",
            "--bin",
            "peak-memory",
            "--bin",
            "resident",
        ]))?;
        let target = workspace.target()?;
        let binary = |name| target.join("release").join(name);
        // Beside the build and not in the system's temporary directory, which may be in memory,
        // where syncing costs nothing.
        let directory = tempfile::Builder::new()
            .prefix("bench-")
            .disable_cleanup(keep)
            .tempdir_in(&target)
            .context("cannot make a directory to measure in")?;
        if keep {
            eprintln!("kept: {}", directory.path().display());
        }
        // What is measured is what `cargo xtask install` leaves.
        let tacit = directory.path().join("tacit");
        copy_whole(&binary("tacit"), &tacit)?;
        let home = directory.path().join("home");
        fs::create_dir(&home)?;
        fs::write(home.join(".gitconfig"), "[user]\n\tname = Bench\n\temail = bench@localhost\n")?;
        Ok(Place {
            tacit,
            empty: binary("empty-process"),
            peak: binary("peak-memory"),
            resident: binary("resident"),
            directory,
        })
    }

    /// Returns a path in this place.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns a new repository with a memory, as `tacit init` makes it.
    pub(crate) fn project(&self, name: &str) -> Result<PathBuf> {
        let project = self.path(name);
        fs::create_dir(&project)?;
        self.initialise(&project)?;
        Ok(project)
    }

    /// Makes a directory a repository with a memory.
    pub(crate) fn initialise(&self, project: &Path) -> Result<()> {
        // Without a repository of its own, the memory would become that of the one around it.
        let mut git = self.hermetic(Path::new("git"), project);
        git.args(["init", "--quiet"]);
        if !git.status().context("cannot run git")?.success() {
            bail!("`git init` failed in `{}`", project.display());
        }
        Place::ask(self.tacit(project).args(["init", "--no-hooks", "--json"]))?;
        Ok(())
    }

    /// Returns the product, in a directory.
    pub(crate) fn tacit(&self, directory: &Path) -> Command {
        self.hermetic(&self.tacit, directory)
    }

    /// Returns the process that does nothing, in the same environment.
    pub(crate) fn empty(&self, directory: &Path) -> Command {
        self.hermetic(&self.empty, directory)
    }

    /// How many kilobytes of memory the product had at most.
    pub(crate) fn peak(&self, directory: &Path, arguments: &[&str], input: File) -> Result<f64> {
        let mut command = self.hermetic(&self.peak, directory);
        command.arg(&self.tacit).args(arguments).stdin(input);
        Place::figure(&mut command)
    }

    /// How many times a second a process that stays answers a question, on two threads.
    pub(crate) fn resident(&self, project: &Path, seconds: u64, question: &str) -> Result<f64> {
        let mut command = self.hermetic(&self.resident, project);
        command.arg(project).arg(seconds.to_string()).arg("2").arg(question);
        Place::figure(&mut command)
    }

    /// Runs a command that prints a number.
    fn figure(command: &mut Command) -> Result<f64> {
        let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim().parse().with_context(|| {
            format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr))
        })
    }

    /// Runs a command that prints JSON.
    pub(crate) fn ask(command: &mut Command) -> Result<Value> {
        let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output()?;
        if !output.status.success() {
            bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        serde_json::from_slice(&output.stdout).with_context(|| format!("{command:?}: not JSON"))
    }

    #[expect(clippy::disallowed_methods, reason = "git is found by the path we were given")]
    fn hermetic(&self, program: &Path, directory: &Path) -> Command {
        let home = self.path("home");
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("TACIT_HOME", home.join("tacit"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("TACIT_MAINTAIN_AUTO", "false")
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

/// Returns the database of a project that [`Place::initialise`] made.
pub(crate) fn database(project: &Path) -> PathBuf {
    project.join(".git").join("tacit").join("memory.db")
}
