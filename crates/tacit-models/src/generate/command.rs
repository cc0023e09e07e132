//! Text from a program on this machine, such as `claude -p`: the prompt goes to its standard input,
//! and what it prints is the answer.
//!
//! No shell is involved. Whatever the program started ends with it when the time is over. It keeps its environment, since that is where such programs have
//! their keys, and finds [`NESTED`] in it.

use std::process::{Command, ExitStatus, Output};
use std::time::Duration;

use tacit_fs::process::{self, RunError};

use super::{GenerateError, Generated, Generator, MAX_TEXT_ANSWER_BYTES, ModelAnswer, Prompt};
use crate::EmbedError;
use crate::budget::Deadline;
use crate::complaint::tidy;

/// The variable that tells what runs below the program, its hooks above all, that it was started
/// from here and must not ask for text again.
pub const NESTED: &str = "TACIT_NESTED";

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
        #[expect(clippy::disallowed_methods, reason = "the user chose the program")]
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env(NESTED, "1");
        let input = format!("{}\n\n{}\n", prompt.system, prompt.user);
        let run = process::run(&mut command, input.as_bytes(), deadline.at, MAX_TEXT_ANSWER_BYTES);
        let Output { status, stdout, stderr } = run.map_err(|error| match error {
            RunError::Start(error) => {
                self.problem(format!("cannot be started: {error}; check the command"))
            }
            RunError::Wait(error) => self.problem(format!("was lost: {error}")),
            RunError::TimedOut => late(),
            RunError::TooLong => {
                let most = MAX_TEXT_ANSWER_BYTES / (1024 * 1024);
                self.problem(format!("printed more than {most} MB"))
            }
        })?;
        if !status.success() {
            return Err(self.failed(status, &stdout, &stderr));
        }
        let text = String::from_utf8_lossy(&stdout).into_owned();
        ModelAnswer { text, ..ModelAnswer::default() }.generated(&self.program, prompt)
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
