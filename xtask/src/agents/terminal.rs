//! A client in a terminal, where only a person can answer its questions.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::running::TURN_LIMIT;

/// The time after which a key is sent again.
const REACTION_LIMIT: Duration = Duration::from_secs(1);

/// A question that a client asks when it starts.
#[derive(Debug)]
pub(crate) struct TerminalQuestion {
    /// The program and its arguments.
    pub(crate) command_line: Vec<String>,
    /// The text of the answer to choose.
    pub(crate) answer: &'static str,
    /// The key that chooses the answer; Enter confirms it.
    pub(crate) key: &'static str,
}

/// Starts a client in a terminal, answers its question, and ends it when the answer has been taken,
/// which the function tells.
pub(crate) fn answer(
    question: &TerminalQuestion,
    settle: impl Fn(&mut Command),
    is_taken: impl Fn() -> bool,
) -> Result<()> {
    let mut terminal = Terminal::start(&question.command_line, settle)?;
    let is_drawn = |output: &str| letters(output).contains(&letters(question.answer));
    terminal.wait_until(TURN_LIMIT, is_drawn)?;
    // A key is ignored if it comes too early. An answer that was chosen is drawn again.
    let end = Instant::now() + TURN_LIMIT;
    loop {
        terminal.send(question.key)?;
        match terminal.wait_until(REACTION_LIMIT, is_drawn) {
            Ok(()) => break,
            Err(error) if Instant::now() >= end => return Err(error),
            Err(_) => {}
        }
    }
    terminal.send("\r")?;
    terminal.wait_until(TURN_LIMIT, |_| is_taken())
}

/// A client in a terminal; it is killed when it is dropped.
struct Terminal {
    child: Child,
    chunks: Receiver<Vec<u8>>,
    output: String,
}

impl Terminal {
    fn start(command_line: &[String], settle: impl Fn(&mut Command)) -> Result<Terminal> {
        let words: Vec<String> = command_line.iter().map(|word| quoted(word)).collect();
        let script = format!("stty rows 50 cols 160; exec {}", words.join(" "));
        let mut command = Command::new("script");
        // It connects its own input and output with a new terminal.
        command.env_clear().args(["-qefc", &script, "/dev/null"]);
        settle(&mut command);
        let mut child = command
            .env("TERM", "xterm-256color")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot run `script`")?;
        let mut output = child.stdout.take().context("a terminal has an output")?;
        let (sender, chunks) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read) = output.read(&mut buffer) {
                if read == 0 || sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Ok(Terminal { child, chunks, output: String::new() })
    }

    fn send(&mut self, keys: &str) -> Result<()> {
        let input = self.child.stdin.as_mut().context("a terminal has an input")?;
        input.write_all(keys.as_bytes()).and_then(|()| input.flush()).context("the client ended")
    }

    /// Waits until the function accepts what the client has written since the last time.
    fn wait_until(&mut self, limit: Duration, is_expected: impl Fn(&str) -> bool) -> Result<()> {
        const WHERE_IS_THE_CURSOR: &str = "\x1b[6n";
        let end = Instant::now() + limit;
        while !is_expected(&self.output) {
            let left = end.saturating_duration_since(Instant::now());
            // What is expected need not show in the output.
            let chunk = match self.chunks.recv_timeout(left.min(REACTION_LIMIT)) {
                Ok(chunk) => chunk,
                Err(RecvTimeoutError::Timeout) if Instant::now() < end => continue,
                Err(_) => {
                    let seen = letters(&self.output);
                    bail!("the client neither asks nor takes the answer; it wrote {seen:.400}");
                }
            };
            let chunk = String::from_utf8_lossy(&chunk);
            if chunk.contains(WHERE_IS_THE_CURSOR) {
                self.send("\x1b[1;1R")?;
            }
            self.output.push_str(&chunk);
        }
        self.output.clear();
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Both fail if the client has ended. Without its terminal, it ends too.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns a text without spaces and without the sequences that move the cursor and set colours,
/// because a client may jump instead of writing a space.
fn letters(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut letters = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let ends = |character: char| ('@'..='~').contains(&character);
        letters.push_str(part.split_once(ends).map_or("", |(_, rest)| rest));
    }
    letters.retain(|character| !character.is_whitespace());
    letters
}

/// Quotes a word for the shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_without_the_moves_of_the_cursor() {
        let drawn = "\x1b[8;3H\x1b[27m2.\x1b[8;6HTrust\x1b[8;12Hall \x1b[?25l";
        assert_eq!(letters(drawn), "2.Trustall");
        assert_eq!(letters("Trust all"), "Trustall");
        assert_eq!(letters("cut \x1b[3"), "cut");
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quoted(r#"a "b" 'c'"#), r#"'a "b" '\''c'\'''"#);
    }
}
