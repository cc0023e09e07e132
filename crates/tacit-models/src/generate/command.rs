//! Text from a program on this machine, such as `claude -p`: the prompt goes to its standard input,
//! and what it prints is the answer.
//!
//! No shell is involved. The program runs in a group of its own, so that whatever it started ends
//! with it when the time is over. It keeps its environment, since that is where such programs have
//! their keys, and finds [`NESTED`] in it.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::{GenerateError, Generated, Generator, MAX_TEXT_ANSWER_BYTES, ModelAnswer, Prompt};
use crate::EmbedError;
use crate::budget::Deadline;
use crate::complaint::tidy;

/// The variable that tells what runs below the program, its hooks above all, that it was started
/// from here and must not ask for text again.
pub const NESTED: &str = "TACIT_NESTED";
/// As much is kept of what the program says on standard error.
const MAX_COMPLAINT_BYTES: u64 = 64 * 1024;
/// Between two looks at a program that has closed its output and not ended yet.
const LOOK: Duration = Duration::from_millis(5);

/// A program that answers prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    program: String,
    arguments: Vec<String>,
    name: String,
}

impl CommandLine {
    /// A program and what it is called with.
    pub fn new(program: impl Into<String>, arguments: Vec<String>) -> Self {
        let program = program.into();
        let file = program.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = format!("command/{file}");
        Self { program, arguments, name }
    }

    /// Reads a line such as `claude -p --model 'some model'`. Quotes keep words together; nothing
    /// else has a meaning.
    ///
    /// # Errors
    /// When it names no program, or a quote is not closed.
    pub fn parse(line: &str) -> Result<Self, EmbedError> {
        let wrong = |what: &str| {
            EmbedError::Misconfigured(format!(
                "the command {what}; write a program and its arguments, like `claude -p`"
            ))
        };
        let mut words = split(line).ok_or_else(|| wrong("has a quote that is not closed"))?;
        if words.first().is_none_or(String::is_empty) {
            return Err(wrong("names no program"));
        }
        let program = words.remove(0);
        Ok(Self::new(program, words))
    }

    fn start(&self) -> io::Result<Running> {
        #[expect(clippy::disallowed_methods, reason = "the user chose the program")]
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env(NESTED, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            command.process_group(0);
        }
        Ok(Running { child: command.spawn()?, ended: false })
    }

    fn problem(&self, problem: impl Into<String>) -> GenerateError {
        GenerateError::Program { program: self.program.clone(), problem: problem.into() }
    }

    fn failed(&self, status: ExitStatus, stdout: &[u8], stderr: &[u8]) -> GenerateError {
        let how = match status.code() {
            Some(code) => format!("ended with exit code {code}"),
            None => "was ended by a signal".to_owned(),
        };
        // Some write their complaints where the answer should be.
        let said = [stderr, stdout].map(|bytes| tidy(&String::from_utf8_lossy(bytes)));
        match said.iter().find(|text| !text.is_empty()) {
            Some(text) => self.problem(format!("{how}: {text}")),
            None => self.problem(how),
        }
    }
}

impl Generator for CommandLine {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, prompt: &Prompt, deadline: Duration) -> Result<Generated, GenerateError> {
        let deadline = Deadline::within(deadline);
        let late = || GenerateError::from(deadline.missed(&self.program));
        if deadline.left().is_none() {
            return Err(late());
        }
        let started = self.start();
        let mut running = started.map_err(|error| {
            self.problem(format!("cannot be started: {error}; check the command"))
        })?;
        let input = format!("{}\n\n{}\n", prompt.system, prompt.user);
        let (stdout, stderr) = running.talk(input);
        let stdout = within(&stdout, deadline).ok_or_else(late)?;
        if stdout.len() as u64 > MAX_TEXT_ANSWER_BYTES {
            let most = MAX_TEXT_ANSWER_BYTES / (1024 * 1024);
            return Err(self.problem(format!("printed more than {most} MB")));
        }
        let status = running.wait(deadline).ok_or_else(late)?;
        let status = status.map_err(|error| self.problem(format!("was lost: {error}")))?;
        if !status.success() {
            let stderr = within(&stderr, deadline).unwrap_or_default();
            return Err(self.failed(status, &stdout, &stderr));
        }
        let text = String::from_utf8_lossy(&stdout).into_owned();
        ModelAnswer { text, ..ModelAnswer::default() }.generated(&self.program, prompt)
    }
}

/// A program at work; dropped before it has ended, it is killed with all that it started.
struct Running {
    child: Child,
    ended: bool,
}

impl Running {
    /// Feeds the program and collects what it prints, each from a thread of its own: any of the
    /// three pipes may fill up while another is waited for.
    fn talk(&mut self, input: String) -> (Receiver<Vec<u8>>, Receiver<Vec<u8>>) {
        if let Some(mut stdin) = self.child.stdin.take() {
            // A program may have read enough and gone; its exit code tells whether that is well.
            thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        }
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let answer = collect(move |kept| match stdout {
            // One byte more than is allowed shows that there is more.
            Some(pipe) => pipe.take(MAX_TEXT_ANSWER_BYTES + 1).read_to_end(kept).map(drop),
            None => Ok(()),
        });
        let complaint = collect(move |kept| {
            let Some(mut pipe) = stderr else { return Ok(()) };
            pipe.by_ref().take(MAX_COMPLAINT_BYTES).read_to_end(kept)?;
            // The rest is read too, so that the program is not held up by a full pipe.
            io::copy(&mut pipe, &mut io::sink()).map(drop)
        });
        (answer, complaint)
    }

    /// Waits until the program has ended; nothing if it has not when the time is over.
    fn wait(&mut self, deadline: Deadline) -> Option<io::Result<ExitStatus>> {
        loop {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(LOOK.min(deadline.left()?)),
                Ok(Some(status)) => {
                    self.ended = true;
                    return Some(Ok(status));
                }
                Err(error) => return Some(Err(error)),
            }
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

/// Reads in a thread of its own.
fn collect(
    read: impl FnOnce(&mut Vec<u8>) -> io::Result<()> + Send + 'static,
) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        // What was read before an error is still worth having, and when the time is over nobody
        // waits for it any more.
        let _ = read(&mut kept);
        let _ = sender.send(kept);
    });
    receiver
}

fn within(receiver: &Receiver<Vec<u8>>, deadline: Deadline) -> Option<Vec<u8>> {
    match receiver.recv_timeout(deadline.left()?) {
        Ok(bytes) => Some(bytes),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
    }
}

/// The words of a line; none if a quote is not closed.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_together_by_quotes() {
        for (line, expected) in [
            ("claude -p", Some(vec!["claude", "-p"])),
            ("  a\tb  ", Some(vec!["a", "b"])),
            ("a 'b c' \"d 'e'\"", Some(vec!["a", "b c", "d 'e'"])),
            ("a --x='b c'd ''", Some(vec!["a", "--x=b cd", ""])),
            ("C:\\bin\\x $HOME ; ls", Some(vec!["C:\\bin\\x", "$HOME", ";", "ls"])),
            ("", Some(vec![])),
            ("a 'b", None),
        ] {
            let expected =
                expected.map(|words| words.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(split(line), expected, "{line}");
        }
    }
}
