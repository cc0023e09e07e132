//! Text from a program on this machine, such as `claude -p`: the prompt goes to its standard input,
//! and its standard output is the answer.
//!
//! No shell is involved. At the deadline, the program and all its children are killed. It keeps the
//! environment, because such programs read their keys from it, and [`NESTED`] is set.

use std::process::{Command, ExitStatus, Output};
use std::time::Duration;

use tacit_fs::process::{self, RunError};

use super::{GenerateError, Generated, Generator, MAX_TEXT_ANSWER_BYTES, ModelAnswer, Prompt};
use crate::EmbedError;
use crate::budget::RequestDeadline;
use crate::server_message::tidy;

/// The environment variable that tells child processes, above all hooks, that they run below a
/// generator and must not generate text again.
pub const NESTED: &str = "TACIT_NESTED";

/// A program that answers prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    program: String,
    arguments: Vec<String>,
    name: String,
}

impl CommandLine {
    /// Creates a generator that runs `program` with `arguments`.
    pub fn new(program: impl Into<String>, arguments: Vec<String>) -> Self {
        let program = program.into();
        let file = program.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = format!("command/{file}");
        Self { program, arguments, name }
    }

    /// Parses a line such as `claude -p --model 'some model'`. Quotes group words; no other
    /// character is special.
    ///
    /// # Errors
    /// Fails if there is no program, or a quote is not closed.
    pub fn parse(line: &str) -> Result<Self, EmbedError> {
        let invalid = |problem_text: &str| {
            EmbedError::Misconfigured(format!(
                "the command {problem_text}; write a program and its arguments, like `claude -p`"
            ))
        };
        let mut words = split(line).ok_or_else(|| invalid("has an unclosed quote"))?;
        if words.first().is_none_or(String::is_empty) {
            return Err(invalid("names no program"));
        }
        let program = words.remove(0);
        Ok(Self::new(program, words))
    }

    /// Returns the program.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns the arguments.
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    fn problem(&self, problem: impl Into<String>) -> GenerateError {
        GenerateError::Program { program: self.program.clone(), problem: problem.into() }
    }

    fn failed(&self, status: ExitStatus, stdout: &[u8], stderr: &[u8]) -> GenerateError {
        let status_text = match status.code() {
            Some(code) => format!("failed with exit code {code}"),
            None => "was killed by a signal".to_owned(),
        };
        // Some programs write errors to standard output.
        let outputs = [stderr, stdout].map(|bytes| tidy(&String::from_utf8_lossy(bytes)));
        match outputs.iter().find(|text| !text.is_empty()) {
            Some(text) => self.problem(format!("{status_text}: {text}")),
            None => self.problem(status_text),
        }
    }
}

impl Generator for CommandLine {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, prompt: &Prompt, deadline: Duration) -> Result<Generated, GenerateError> {
        let deadline = RequestDeadline::within(deadline);
        let timeout = || GenerateError::from(deadline.timeout_error(&self.program));
        if deadline.remaining().is_none() {
            return Err(timeout());
        }
        #[expect(clippy::disallowed_methods, reason = "the user chose the program")]
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env(NESTED, "1");
        let input = format!("{}\n\n{}\n", prompt.system, prompt.user);
        let run = process::run(&mut command, input.as_bytes(), deadline.at, MAX_TEXT_ANSWER_BYTES);
        let Output { status, stdout, stderr } = run.map_err(|error| match error {
            RunError::Start(error) => {
                self.problem(format!("cannot be started: {error}; check the command"))
            }
            RunError::Wait(error) => self.problem(format!("failed while running: {error}")),
            RunError::TimedOut => timeout(),
            RunError::TooLong => {
                let limit = MAX_TEXT_ANSWER_BYTES / (1024 * 1024);
                self.problem(format!("printed more than {limit} MB"))
            }
        })?;
        if !status.success() {
            return Err(self.failed(status, &stdout, &stderr));
        }
        let text = String::from_utf8_lossy(&stdout).into_owned();
        ModelAnswer { text, ..ModelAnswer::default() }.generated(&self.program, prompt)
    }
}

/// Splits a line into words; `None` if a quote is not closed.
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
    fn quotes_group_words() {
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
