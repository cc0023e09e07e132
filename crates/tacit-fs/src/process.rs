//! Runs a program with a deadline, and kills it together with its children.
//!
//! The module has nothing to do with files. It lives here because its users, git and the text
//! generators, share no other crate. They decide which programs to start and with what environment.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::platform;

/// The number of bytes of standard error to keep.
const MAX_STDERR: u64 = 16 << 10;

/// The reason why a program did not run to its end.
#[derive(Debug)]
pub enum RunError {
    /// The program could not be started.
    Start(io::Error),
    /// Waiting for the program failed.
    Wait(io::Error),
    /// The program exceeded its deadline and was killed.
    TimedOut,
    /// The program printed too much and was killed.
    TooLong,
}

/// Runs a program with `input` on its standard input until it ends or the deadline passes. Fails if
/// it prints more than `max_bytes` on standard output. The exit status of the program is part of
/// the output, not an error.
///
/// Standard error is only read if the program failed: a successful program may leave a child behind
/// that keeps the pipe open.
pub fn run(
    command: &mut Command,
    input: &[u8],
    deadline: Instant,
    max_bytes: u64,
) -> Result<Output, RunError> {
    let mut running = Running::start(command, !input.is_empty()).map_err(RunError::Start)?;
    let (stdout, stderr) = running.start_io(input, max_bytes);
    let stdout = receive_until(&stdout, deadline).ok_or(RunError::TimedOut)?;
    if stdout.len() as u64 > max_bytes {
        return Err(RunError::TooLong);
    }
    let status = running.wait(deadline).map_err(RunError::Wait)?.ok_or(RunError::TimedOut)?;
    let stderr = if status.success() {
        Vec::new()
    } else {
        receive_until(&stderr, deadline).unwrap_or_default()
    };
    Ok(Output { status, stdout, stderr })
}

/// A running program. Dropping it before the program has ended kills the program and its children.
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
        platform::own_process_group(command);
        Ok(Running { child: command.spawn()?, ended: false })
    }

    /// Writes the input and reads both outputs, each in its own thread: any of the three pipes may
    /// fill up while another one blocks.
    fn start_io(&mut self, input: &[u8], max_bytes: u64) -> (Receiver<Vec<u8>>, Receiver<Vec<u8>>) {
        if let Some(mut stdin) = self.child.stdin.take() {
            let input = input.to_vec();
            // A program may exit without reading all its input; its exit code says whether it
            // succeeded.
            thread::spawn(move || drop(stdin.write_all(&input)));
        }
        // One extra byte shows that there is more than the limit.
        let stdout = collect(self.child.stdout.take(), max_bytes.saturating_add(1));
        (stdout, collect(self.child.stderr.take(), MAX_STDERR))
    }

    /// Waits for the program to end. Returns `None` if the deadline passes first.
    fn wait(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        let mut pause = Duration::from_micros(100);
        loop {
            if let Some(status) = self.child.try_wait()? {
                self.ended = true;
                return Ok(Some(status));
            }
            let left = deadline.saturating_duration_since(Instant::now());
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
        platform::kill_group(&self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the first bytes of a pipe in its own thread, then drains it so that the writer does not
/// block on a full pipe.
fn collect(pipe: Option<impl Read + Send + 'static>, max_bytes: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes_read = Vec::new();
        let Some(mut pipe) = pipe else { return };
        // Output before a read error is still useful. After the deadline there is no receiver.
        let _ = pipe.by_ref().take(max_bytes).read_to_end(&mut bytes_read);
        if sender.send(bytes_read).is_ok() {
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
    });
    receiver
}

fn receive_until(receiver: &Receiver<Vec<u8>>, deadline: Instant) -> Option<Vec<u8>> {
    match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(bytes) => Some(bytes),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
    }
}
