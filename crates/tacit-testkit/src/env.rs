//! A hermetic environment for the real binary: its own home and configuration, and nothing of the
//! machine but a path to `git`.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The message that the binary prints when it panics.
const FAULT: &str = "this is a bug in tacit";

/// A temporary directory with a home and a project in which the binary runs.
#[derive(Debug)]
pub struct TestEnv {
    root: TempDir,
    binary: PathBuf,
}

/// The result of a run.
#[derive(Debug)]
pub struct RunOutput {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl TestEnv {
    /// Creates an environment whose `project` is an empty git repository.
    pub fn new(binary: impl Into<PathBuf>) -> TestEnv {
        let env = TestEnv::without_git(binary);
        env.git(&env.project(), &["init", "-q"]);
        env
    }

    /// Creates an environment whose `project` is an empty directory without a repository.
    pub fn without_git(binary: impl Into<PathBuf>) -> TestEnv {
        let root = tempfile::tempdir().expect("a temporary directory");
        for name in ["home", "project"] {
            fs::create_dir(root.path().join(name)).expect("a directory");
        }
        TestEnv { root, binary: binary.into() }
    }

    /// Creates an environment whose project has an empty memory.
    pub fn initialised(binary: impl Into<PathBuf>) -> TestEnv {
        let env = TestEnv::new(binary);
        env.run(["init"]).succeeded();
        env
    }

    /// Returns the root directory, without symbolic links in its path.
    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().expect("the directory is there")
    }

    /// Returns the project, in which commands run.
    pub fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// Returns the directory of the project's store: inside `.git` if the project is a repository.
    pub fn store(&self) -> PathBuf {
        let git = self.project().join(".git");
        if git.is_dir() { git.join("tacit") } else { self.project().join(".tacit") }
    }

    /// Returns the directory of the global store and the user configuration.
    pub fn home(&self) -> PathBuf {
        self.root().join("home/tacit")
    }

    /// Creates a command with a clean environment.
    pub fn command_for(&self, program: impl AsRef<OsStr>) -> Command {
        #[expect(clippy::disallowed_methods, reason = "tests start the binary and git")]
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.root().join("home"))
            .env("TACIT_HOME", self.home())
            .env("USER", "tester")
            .env("TACIT_MAINTAIN_AUTO", "false")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_CEILING_DIRECTORIES", self.root())
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    /// Creates a command that runs the binary in the project.
    pub fn command(&self) -> Command {
        self.command_for(&self.binary)
    }

    /// Runs the binary in the project.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> RunOutput {
        RunOutput::from(self.command().args(arguments).output().expect("the binary starts"))
    }

    /// Runs the binary in a directory.
    pub fn run_in<S: AsRef<OsStr>>(
        &self,
        directory: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> RunOutput {
        let output = self.command().current_dir(directory).args(arguments).output();
        RunOutput::from(output.expect("the binary starts"))
    }

    /// Runs the binary with bytes on its standard input.
    pub fn run_with_input<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
        input: &[u8],
    ) -> RunOutput {
        let mut child = self
            .command()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // Written from a separate thread: each side may fill its pipe before the other reads.
        let output = std::thread::scope(|scope| {
            // The binary may have exited without reading everything.
            scope.spawn(move || drop(stdin.write_all(input)));
            child.wait_with_output()
        });
        RunOutput::from(output.expect("the binary ends"))
    }

    /// Runs git in a directory; it must succeed.
    pub fn git(&self, directory: &Path, arguments: &[&str]) {
        let output = self
            .command_for("git")
            .args(["-c", "user.name=tester", "-c", "user.email=tester@example.com"])
            .args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(directory)
            .output()
            .expect("git starts");
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    }

    /// Replaces the root directory in a text by `[ROOT]`.
    pub fn normalise(&self, text: &str) -> String {
        text.replace(&self.root().display().to_string(), "[ROOT]")
    }
}

impl Drop for TestEnv {
    /// Fails if a hook has panicked, which only its log shows.
    fn drop(&mut self) {
        let log = self.store().join("logs/hook.log");
        // A test may have created something else there, such as a pipe.
        let log = Some(log).filter(|log| log.is_file()).map(fs::read_to_string);
        let log = log.and_then(Result::ok).unwrap_or_default();
        let mut faults = log.lines().filter(|line| line.contains(FAULT));
        let fault = faults.find(|line| !line.contains("failpoint"));
        assert!(fault.is_none() || std::thread::panicking(), "a panic: {fault:?}");
    }
}

impl From<Output> for RunOutput {
    fn from(output: Output) -> RunOutput {
        let run = RunOutput {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!run.stderr.contains(FAULT), "a panic: {run:?}");
        run
    }
}

impl RunOutput {
    /// Asserts that the run succeeded without output on standard error.
    pub fn succeeded(self) -> RunOutput {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self
    }

    /// Asserts that the run failed with this exit code and printed only an error message.
    pub fn failed(self, code: i32) -> RunOutput {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), ""), "{}", self.stderr);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        self
    }

    /// Parses standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {:?} {:?}", self.stdout, self.stderr))
    }

    /// Parses each line of standard output as JSON.
    pub fn json_lines(&self) -> Vec<Value> {
        let parse = |line: &str| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
        };
        self.stdout.lines().map(parse).collect()
    }
}
