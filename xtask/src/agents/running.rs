//! The process of a client.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The longest time that a turn of a client may take.
pub(crate) const TURN_LIMIT: Duration = Duration::from_secs(90);

/// A client that is running; it is killed if it is dropped before its end.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    /// Starts a client, and copies its output to a file.
    pub(crate) fn start(command: &mut Command, mut log: fs::File) -> Result<Running> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the client")?;
        let output = child.stdout.take().context("the client has an output")?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // The log is for people, and the session may have failed already.
                drop(writeln!(log, "{line}"));
                drop(sender.send(line));
            }
        });
        Ok(Running { child, lines })
    }

    pub(crate) fn send(&mut self, line: &str) -> Result<()> {
        let input = self.child.stdin.as_mut().context("the client has an input")?;
        writeln!(input, "{line}").and_then(|()| input.flush()).context("the client has ended")
    }

    /// Waits for a line of output.
    pub(crate) fn wait_for(&self, is_expected: impl Fn(&str) -> bool) -> Result<()> {
        let end = Instant::now() + TURN_LIMIT;
        let mut last = String::new();
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) if is_expected(&line) => return Ok(()),
                Ok(line) => last = line,
                Err(RecvTimeoutError::Timeout) => bail!("the turn did not end in time"),
                Err(RecvTimeoutError::Disconnected) => bail!("the client has ended: {last:.400}"),
            }
        }
    }

    /// Closes the input and waits for the end.
    pub(crate) fn finish(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let end = Instant::now() + TURN_LIMIT;
        // The output ends with the client.
        while self.lines.recv_timeout(end.saturating_duration_since(Instant::now())).is_ok() {}
        if Instant::now() >= end {
            bail!("the client did not end in time");
        }
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the client failed ({status})");
        }
        Ok(())
    }

    pub(crate) fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail if the client has ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
