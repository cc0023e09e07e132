//! Running a program with a deadline, so that whatever it started ends with it.
//!
//! Not about files; it is here because those who start programs, git and generators of text, share
//! no other crate. Which program may be started, and with what environment, is theirs to decide.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The most bytes of standard error that are kept.
const MOST_COMPLAINT: u64 = 16 << 10;

/// A program that did not run to its end.
#[derive(Debug)]
pub enum RunError {
    /// The program could not be started.
    Start(io::Error),
    /// The program could not be waited for.
    Lost(io::Error),
    /// The program did not end in time, and was killed.
    TimedOut,
    /// The program printed more than is read, and was killed.
    TooLong,
}

/// Runs a program with `input` on its standard input until it ends, at most until a moment. Of its
/// standard output at most `bytes` are read; a failure of its own is told by the status.
///
/// What the program said on standard error is waited for only if it failed: one that did well may
/// leave a process behind that holds the pipe.
pub fn run(
    command: &mut Command,
    input: &[u8],
    until: Instant,
    bytes: u64,
) -> Result<Output, RunError> {
    let mut running = Running::start(command, !input.is_empty()).map_err(RunError::Start)?;
    let (stdout, stderr) = running.talk(input, bytes);
    let stdout = within(&stdout, until).ok_or(RunError::TimedOut)?;
    if stdout.len() as u64 > bytes {
        return Err(RunError::TooLong);
    }
    let status = running.wait(until).map_err(RunError::Lost)?.ok_or(RunError::TimedOut)?;
    let stderr =
        if status.success() { Vec::new() } else { within(&stderr, until).unwrap_or_default() };
    Ok(Output { status, stdout, stderr })
}

/// A program at work; dropped before it has ended, it is killed with all that it started.
struct Running {
    child: Child,
    ended: bool,
}

impl Running {
    fn start(command: &mut Command, has_input: bool) -> io::Result<Running> {
        command
            .stdin(if has_input { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // A group of its own, so that what it starts ends with it.
            command.process_group(0);
        }
        Ok(Running { child: command.spawn()?, ended: false })
    }

    /// Feeds the program and collects what it prints, each from a thread of its own: any of the
    /// three pipes may fill up while another is waited for.
    fn talk(&mut self, input: &[u8], bytes: u64) -> (Receiver<Vec<u8>>, Receiver<Vec<u8>>) {
        if let Some(mut stdin) = self.child.stdin.take() {
            let input = input.to_vec();
            // A program may have read enough and gone; its exit code tells whether that is well.
            thread::spawn(move || drop(stdin.write_all(&input)));
        }
        // One byte more than is allowed shows that there is more.
        let stdout = collect(self.child.stdout.take(), bytes.saturating_add(1));
        (stdout, collect(self.child.stderr.take(), MOST_COMPLAINT))
    }

    /// Waits until the program has ended; none if it has not when the time is over.
    fn wait(&mut self, until: Instant) -> io::Result<Option<ExitStatus>> {
        let mut pause = Duration::from_micros(100);
        loop {
            if let Some(status) = self.child.try_wait()? {
                self.ended = true;
                return Ok(Some(status));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            thread::sleep(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, killpg};
            use nix::unistd::Pid;
            if let Ok(group) = i32::try_from(self.child.id()) {
                // One that has ended meanwhile needs no killing.
                let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the beginning of a pipe in a thread of its own, and the rest of it so that nobody is held
/// up by a full pipe.
fn collect(pipe: Option<impl Read + Send + 'static>, bytes: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        let Some(mut pipe) = pipe else { return };
        // What was read before an error is worth having; when the time is over, nobody waits for it.
        let _ = pipe.by_ref().take(bytes).read_to_end(&mut kept);
        if sender.send(kept).is_ok() {
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
    });
    receiver
}

fn within(receiver: &Receiver<Vec<u8>>, until: Instant) -> Option<Vec<u8>> {
    match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(bytes) => Some(bytes),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
    }
}
