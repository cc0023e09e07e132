//! Runs a command and prints its peak memory in kilobytes.
//!
//! A separate process, because the system keeps one number for all children of a process.
#![expect(clippy::print_stdout, reason = "the number is what it is for")]

use std::process::{Command, ExitCode, Stdio};

#[cfg(unix)]
fn main() -> ExitCode {
    use nix::sys::resource::{UsageWho, getrusage};

    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else { return ExitCode::FAILURE };
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).status();
    match (status, getrusage(UsageWho::RUSAGE_CHILDREN)) {
        (Ok(status), Ok(usage)) if status.success() => {
            println!("{}", usage.max_rss());
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
