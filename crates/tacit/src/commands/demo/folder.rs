//! The temporary folder of `tacit demo`: a repository, a home, and this program run in them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use tacit_app::{AppError, AppResult, Environment, ErrorCode};
use tacit_core::Timestamp;
use tacit_fs::process;
use tacit_git::GitError;

/// The time that one process may take. All of them together take about a second.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes that one process may print, or that a file has.
const MOST_BYTES: u64 = 1 << 20;

/// A folder that is deleted when it is dropped, unless it is kept.
pub(super) struct DemoFolder {
    root: PathBuf,
    program: PathBuf,
    search_path: OsString,
    is_kept: bool,
}

impl DemoFolder {
    /// Creates the folder, with a repository of these files and a memory.
    pub(super) fn prepare(
        environment: &Environment,
        files: &[(&str, &str)],
        at: Timestamp,
    ) -> AppResult<DemoFolder> {
        let folder = DemoFolder {
            program: std::env::current_exe()?,
            // Joining fails for no folder that was split from a path.
            search_path: std::env::join_paths(&environment.search_path).unwrap_or_default(),
            root: create_folder()?,
            is_kept: false,
        };
        let repository = folder.repository();
        for path in [&repository, &folder.home()] {
            tacit_fs::create_folder(path).map_err(AppError::cannot("create", path))?;
        }
        for (name, content) in files {
            folder.write(name, content)?;
        }
        tacit_git::create_repository(&repository, "Start the shop")
            .map_err(|error| explain(&error))?;
        folder.run(&["init", "--no-hooks", "--no-scan"], &[], at, 0)?;
        Ok(folder)
    }

    /// The repository, in which commands run.
    pub(super) fn repository(&self) -> PathBuf {
        self.root.join("shop")
    }

    fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    fn write(&self, name: &str, content: &str) -> AppResult<()> {
        let file = self.repository().join(name);
        let fail = AppError::cannot("write", &file);
        file.parent().map_or(Ok(()), tacit_fs::create_folder).map_err(fail)?;
        tacit_fs::replace_unsynced(&file, content.as_bytes()).map_err(fail)
    }

    /// Replaces a text in a file of the repository.
    pub(super) fn edit(&self, name: &str, from: &str, to: &str) -> AppResult<()> {
        let file = self.repository().join(name);
        let content =
            tacit_fs::read_text(&file, MOST_BYTES).map_err(AppError::cannot("read", &file))?;
        self.write(name, &content.replace(from, to))
    }

    /// Runs this program as if it were `at`, and returns its output. The environment has nothing of
    /// the user's but the search path, and nothing is started in the background.
    pub(super) fn run(
        &self,
        arguments: &[&str],
        input: &[u8],
        at: Timestamp,
        seed: u64,
    ) -> AppResult<Vec<u8>> {
        #[expect(clippy::disallowed_methods, reason = "it is this program")]
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.repository())
            .env_clear()
            .env("PATH", &self.search_path)
            .env("HOME", self.home())
            .env("USER", "you")
            .env("GIT_CONFIG_GLOBAL", self.home().join(".gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("TACIT_HOME", self.home().join("tacit"))
            .env("TACIT_MAINTAIN_AUTO", "false")
            .env("TACIT_NOW", at.to_string())
            .env("TACIT_ID_SEED", seed.to_string());
        let problem = match process::run(&mut command, input, Instant::now() + PATIENCE, MOST_BYTES)
        {
            Ok(output) if output.status.success() => return Ok(output.stdout),
            Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            Err(process::RunError::Start(error) | process::RunError::Wait(error)) => {
                error.to_string()
            }
            Err(process::RunError::TimedOut) => "it took too long".to_owned(),
            Err(process::RunError::TooLong) => "it printed too much".to_owned(),
        };
        let words = arguments.first().copied().unwrap_or_default();
        Err(AppError::new(ErrorCode::Failure, format!("`tacit {words}` failed: {problem}")))
    }

    /// Leaves the folder in place, and returns the repository.
    pub(super) fn keep(mut self) -> PathBuf {
        self.is_kept = true;
        self.repository()
    }

    /// Deletes the folder.
    pub(super) fn delete(mut self) -> AppResult<()> {
        self.is_kept = true;
        fs::remove_dir_all(&self.root).map_err(AppError::cannot("delete", &self.root))
    }
}

impl Drop for DemoFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            // The command has failed already, and reports why.
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

/// Creates a folder of a new name, which only this user can enter.
fn create_folder() -> AppResult<PathBuf> {
    let parent = std::env::temp_dir();
    let fail = AppError::cannot("create a folder in", &parent);
    // Git and the store name files by their real path.
    let real = parent.canonicalize().map_err(fail)?;
    let mut names = (0..1_000).map(|n| real.join(format!("tacit-demo-{}-{n}", std::process::id())));
    let created = names.find_map(|root| match tacit_fs::create_new_folder(&root) {
        Ok(()) => Some(Ok(root)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
        Err(error) => Some(Err(fail(error))),
    });
    created.unwrap_or_else(|| Err(fail(io::ErrorKind::AlreadyExists.into())))
}

/// Says what to install if there is no git.
fn explain(error: &GitError) -> AppError {
    let hint = match error {
        GitError::Run(cause) if cause.kind() == io::ErrorKind::NotFound => {
            "install git (https://git-scm.com), then run `tacit demo` again"
        }
        _ => "",
    };
    AppError::new(ErrorCode::Failure, error.to_string()).hint(hint)
}
