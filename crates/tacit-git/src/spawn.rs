//! Starts git. Nothing else in the workspace does.
//!
//! The configuration and attributes of a repository can name programs, and so can the environment.
//! None of them is started: monitors, hooks, pagers, external diffs, text conversions, filters,
//! signature checks, transports, credential helpers, prompts. Git fetches nothing and takes no
//! optional locks, and it is killed with its children when its deadline passes.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tacit_fs::platform::is_program;
use tacit_fs::process::{self, RunError};

use crate::error::{GitError, GitResult};

/// Limits on the time git may take and the bytes it may print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunLimits {
    pub(crate) deadline: Duration,
    pub(crate) bytes: u64,
}

/// Limits for a query that git answers from a file or two.
pub(crate) const QUICK: RunLimits = RunLimits { deadline: Duration::from_secs(5), bytes: 1 << 20 };
/// Limits for the same while an agent waits for a hook.
pub(crate) const BRIEF: RunLimits =
    RunLimits { deadline: Duration::from_millis(500), bytes: 1 << 16 };
/// Limits for walking the history in the background.
pub(crate) const LONG: RunLimits =
    RunLimits { deadline: Duration::from_secs(300), bytes: 512 << 20 };

/// Settings on the command line, which no file of the repository can override. `uncommitted_files`
/// adds one for each filter. Every diff also passes `--no-ext-diff` and `--no-textconv`.
const SETTINGS: [&str; 20] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "protocol.allow=never",
    "log.showSignature=false",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.x509.program=false",
    "gpg.ssh.program=false",
    "gpg.ssh.defaultKeyCommand=",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    // A bare repository inside a worktree brings its own configuration.
    "safe.bareRepository=explicit",
];

/// The only `GIT_` variables that are passed on: they locate the user's own configuration and limit
/// the search for a repository. All others redirect git or name programs, or may do so in a later
/// version.
const PASSED_ON: [&str; 4] =
    ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"];

/// Runs git in a directory, with `input` on its standard input. If git itself fails, the status of
/// the output says so.
pub(crate) fn run(
    directory: &Path,
    arguments: &[&str],
    input: &[u8],
    limits: RunLimits,
) -> GitResult<Output> {
    #[expect(clippy::disallowed_methods, reason = "git is found on the user's search path")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = absolute_folders(&path);
    let git = find("git", &folders).ok_or_else(|| {
        GitError::Run(io::Error::new(io::ErrorKind::NotFound, "it is not in `PATH`"))
    })?;
    run_program(&git, &folders, directory, arguments, input, limits)
}

/// Returns the absolute folders of a search path: with a relative one, a repository could ship a
/// program called `git`.
fn absolute_folders(path: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect()
}

fn find(program: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    folders.iter().map(|folder| folder.join(&name)).find(|file| is_program(file))
}

fn run_program(
    program: &Path,
    folders: &[PathBuf],
    directory: &Path,
    arguments: &[&str],
    input: &[u8],
    limits: RunLimits,
) -> GitResult<Output> {
    let mut command = hardened(program, folders, directory, arguments);
    let deadline = Instant::now() + limits.deadline;
    process::run(&mut command, input, deadline, limits.bytes).map_err(|error| {
        let command = arguments.iter().find(|word| !word.starts_with('-') && !word.contains('='));
        let command = command.copied().unwrap_or_default().to_owned();
        let directory = directory.to_path_buf();
        match error {
            RunError::Start(error) | RunError::Wait(error) => GitError::Run(error),
            RunError::TimedOut => {
                GitError::TimedOut { command, directory, seconds: limits.deadline.as_secs() }
            }
            RunError::TooLong => GitError::TooLong { command, directory, bytes: limits.bytes },
        }
    })
}

fn hardened(program: &Path, folders: &[PathBuf], directory: &Path, arguments: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that starts git")]
    let mut command = Command::new(program);
    command.arg("-C").arg(directory).arg("--no-pager");
    command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting])).args(arguments);
    for name in unwanted_variables() {
        command.env_remove(name);
    }
    command
        // Git looks for its helpers in `PATH`. Joining cannot fail for folders that were split.
        .env("PATH", std::env::join_paths(folders).unwrap_or_default())
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        // `protocol.allow` does not override the repository's `protocol.<name>.allow`; the variable
        // does.
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "")
        .env("SSH_ASKPASS", "")
        .env("LC_ALL", "C");
    command
}

#[expect(clippy::disallowed_methods, reason = "the variables passed on to git are filtered")]
fn unwanted_variables() -> impl Iterator<Item = OsString> {
    std::env::vars_os().map(|(name, _)| name).filter(|name| is_unwanted(name))
}

fn is_unwanted(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"GIT_")
        && !PASSED_ON.iter().any(|allowed| name == *allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_variables_are_removed_unless_listed() {
        for (name, unwanted) in [
            ("GIT_DIR", true),
            ("GIT_CONFIG_COUNT", true),
            ("GIT_CONFIG_PARAMETERS", true),
            ("GIT_TRACE2_EVENT", true),
            ("GIT_SOMETHING_NEW", true),
            ("GIT_CONFIG_GLOBAL", false),
            ("HOME", false),
        ] {
            assert_eq!(is_unwanted(OsStr::new(name)), unwanted, "{name}");
        }
    }

    #[cfg(unix)]
    mod unix {
        use std::fs;
        use std::os::unix::fs::PermissionsExt;

        use super::*;

        fn program(folder: &Path, name: &str, script: &str) -> PathBuf {
            let file = folder.join(name);
            fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            file
        }

        fn run_fake(script: &str, input: &[u8], limits: RunLimits) -> GitResult<Output> {
            let folder = tempfile::tempdir().unwrap();
            let git = program(folder.path(), "git", script);
            let folders = [PathBuf::from("/usr/bin"), PathBuf::from("/bin")];
            // Another test that starts a process at this moment may still have the new program
            // open.
            loop {
                match run_program(&git, &folders, folder.path(), &["log"], input, limits) {
                    Err(GitError::Run(error))
                        if error.kind() == io::ErrorKind::ExecutableFileBusy => {}
                    done => return done,
                }
            }
        }

        #[test]
        fn relative_folders_of_the_search_path_are_not_searched() {
            let folder = tempfile::tempdir().unwrap();
            program(folder.path(), "git", "true");
            let absolute = folder.path().display();
            for (path, expected) in
                [(".:bin:", None), ("", None), (&*format!(".:{absolute}"), Some("git"))]
            {
                let found = find("git", &absolute_folders(OsStr::new(path)));
                assert_eq!(found, expected.map(|name| folder.path().join(name)), "{path}");
            }
        }

        #[test]
        fn files_that_are_not_executable_are_skipped() {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("git"), "").unwrap();
            assert_eq!(find("git", &[folder.path().to_path_buf()]), None);
        }

        #[test]
        fn hanging_git_times_out() {
            let limits = RunLimits { deadline: Duration::from_millis(300), bytes: 100 };
            // The second script hangs in a child that keeps the pipe open, the third after closing
            // it.
            for script in [
                "sleep 1000",
                "sleep 1000 & exit 0",
                "exec >&- 2>&-; sleep 1000",
                "cat >/dev/null; sleep 1000",
            ] {
                let result = run_fake(script, b"x", limits);
                assert!(matches!(result, Err(GitError::TimedOut { .. })), "{script}: {result:?}");
            }
        }

        #[cfg(target_os = "linux")]
        #[test]
        fn children_of_git_are_killed_with_it() {
            let folder = tempfile::tempdir().unwrap();
            let pid_file = folder.path().join("pid");
            let script = format!("sleep 1000 & echo $! > '{}'; wait", pid_file.display());
            let limits = RunLimits { deadline: Duration::from_secs(1), bytes: 100 };
            assert!(run_fake(&script, b"", limits).is_err());
            let pid = fs::read_to_string(&pid_file).expect("it was started");
            let lives = || {
                let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
                stat.is_ok_and(|stat| !stat.contains(") Z "))
            };
            let deadline = Instant::now() + Duration::from_secs(60);
            while lives() {
                assert!(Instant::now() < deadline, "it still runs");
                std::thread::yield_now();
            }
        }

        #[test]
        fn endless_output_is_an_error() {
            let limits = RunLimits { deadline: Duration::from_secs(60), bytes: 100 };
            let result = run_fake("while :; do echo line; done", b"", limits);
            assert!(matches!(result, Err(GitError::TooLong { .. })), "{result:?}");
        }

        #[test]
        fn input_larger_than_a_pipe_reaches_git() {
            let limits = RunLimits { deadline: Duration::from_secs(60), bytes: 1 << 20 };
            let output = run_fake("cat", &[b'x'; 200_000], limits).unwrap();
            assert_eq!((output.stdout.len(), output.status.success()), (200_000, true));
        }
    }
}
