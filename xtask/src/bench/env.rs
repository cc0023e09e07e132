//! The environment of a benchmark: built binaries, a home, projects, and no inherited environment
//! variables.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tempfile::TempDir;

use crate::install::copy_whole;
use crate::workspace::{Workspace, run};

/// The binaries and directories of a benchmark; the directories are deleted with it.
#[derive(Debug)]
pub(crate) struct BenchEnv {
    tacit: PathBuf,
    empty: PathBuf,
    peak: PathBuf,
    resident: PathBuf,
    directory: TempDir,
}

impl BenchEnv {
    /// Builds the binaries and creates the directories; `keep` leaves them behind.
    pub(crate) fn prepare(workspace: &Workspace, keep: bool) -> Result<BenchEnv> {
        // Two separate builds: in one, the features of xtask would change the binary.
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
        // Beside the build, because the system's temporary directory may be in memory, where
        // syncing costs nothing.
        let directory = tempfile::Builder::new()
            .prefix("bench-")
            .disable_cleanup(keep)
            .tempdir_in(&target)
            .context("cannot make a directory to measure in")?;
        if keep {
            eprintln!("kept: {}", directory.path().display());
        }
        // Measures the binary as `cargo xtask install` leaves it.
        let tacit = directory.path().join("tacit");
        copy_whole(&binary("tacit"), &tacit)?;
        let home = directory.path().join("home");
        fs::create_dir(&home)?;
        fs::write(home.join(".gitconfig"), "[user]\n\tname = Bench\n\temail = bench@localhost\n")?;
        Ok(BenchEnv {
            tacit,
            empty: binary("empty-process"),
            peak: binary("peak-memory"),
            resident: binary("resident"),
            directory,
        })
    }

    /// Returns a path in the benchmark's directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Creates a repository with a memory.
    pub(crate) fn project(&self, name: &str) -> Result<PathBuf> {
        let project = self.path(name);
        fs::create_dir(&project)?;
        self.initialise(&project)?;
        Ok(project)
    }

    /// Initialises a repository with a memory in a directory.
    pub(crate) fn initialise(&self, project: &Path) -> Result<()> {
        // Without its own repository, the project would use the memory of the surrounding one.
        let mut git = self.hermetic(Path::new("git"), project);
        git.args(["init", "--quiet"]);
        if !git.status().context("cannot run git")?.success() {
            bail!("`git init` failed in `{}`", project.display());
        }
        BenchEnv::ask(self.tacit(project).args(["init", "--no-hooks", "--json"]))?;
        Ok(())
    }

    /// Creates a command that runs `tacit` in a directory.
    pub(crate) fn tacit(&self, directory: &Path) -> Command {
        self.hermetic(&self.tacit, directory)
    }

    /// Creates a command that runs the empty process in the same environment.
    pub(crate) fn empty(&self, directory: &Path) -> Command {
        self.hermetic(&self.empty, directory)
    }

    /// Returns the peak memory of `tacit` in kilobytes.
    pub(crate) fn peak(&self, directory: &Path, arguments: &[&str], input: File) -> Result<f64> {
        let mut command = self.hermetic(&self.peak, directory);
        command.arg(&self.tacit).args(arguments).stdin(input);
        BenchEnv::figure(&mut command)
    }

    /// Returns how often per second a long-running process answers a query on two threads.
    pub(crate) fn resident(&self, project: &Path, seconds: u64, question: &str) -> Result<f64> {
        let mut command = self.hermetic(&self.resident, project);
        command.arg(project).arg(seconds.to_string()).arg("2").arg(question);
        BenchEnv::figure(&mut command)
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

/// Returns the database of a project that [`BenchEnv::initialise`] created.
pub(crate) fn database(project: &Path) -> PathBuf {
    project.join(".git").join("tacit").join("memory.db")
}
