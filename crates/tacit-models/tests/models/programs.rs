//! Text from a program, for which a small script stands in.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tacit_models::generate::command::CommandLine;
use tacit_models::{EmbedError, GenerateError, Generated, Generator, Prompt};
use tempfile::TempDir;

const LONG: Duration = Duration::from_secs(60);

fn prompt() -> Prompt {
    Prompt {
        system: "Be brief.".to_owned(),
        user: "Why?".to_owned(),
        max_tokens: 100,
        temperature: None,
    }
}

/// Returns a directory with an executable script `answer`.
fn script(lines: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("answer");
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("its mode");
    directory
}

fn run(directory: &Path, arguments: &[&str], time: Duration) -> Result<Generated, GenerateError> {
    let program = directory.join("answer").display().to_string();
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    CommandLine::new(program, arguments).generate(&prompt(), time)
}

#[test]
fn the_prompt_is_stdin_and_the_answer_is_stdout() {
    let directory = script(r#"echo "  $1|$TACIT_NESTED|$(cat | tr '\n' '/')"; echo chatter >&2"#);
    let answer = run(directory.path(), &["two words; $HOME"], LONG).expect("it works");
    assert_eq!(answer.text, "two words; $HOME|1|Be brief.//Why?/");
    assert_eq!((answer.input_tokens, answer.output_tokens), (4, 9));
}

#[test]
fn unread_input_and_long_stderr_are_fine() {
    let directory = script("exec 0<&-; head -c 300000 /dev/zero >&2; printf 'caf\\303\\251 \\377'");
    let answer = run(directory.path(), &[], LONG).expect("it works");
    assert_eq!(answer.text, "café \u{fffd}");
}

#[test]
fn every_failure_names_the_program() {
    for (lines, message_part, code) in [
        (
            "echo first >&2; echo no credit >&2; exit 3",
            "failed with exit code 3: first no credit",
            "failed",
        ),
        ("echo 'please log in'; exit 1", "failed with exit code 1: please log in", "failed"),
        ("exit 1", "failed with exit code 1", "failed"),
        ("kill -9 $$", "was killed by a signal", "failed"),
        ("cat /dev/zero", "printed more than 1 MB", "failed"),
        ("echo; echo ' '", "the text is empty", "silent"),
    ] {
        let directory = script(lines);
        let error = run(directory.path(), &[], LONG).expect_err(lines);
        let message = error.to_string();
        assert!(message.contains(message_part), "{lines}: {message}");
        assert!(message.contains("/answer` "), "{lines}: {message}");
        assert_eq!(error.code(), code);
        assert!(!error.is_misconfigured());
    }
    let missing = CommandLine::parse("/nowhere/answer -p").expect("a command");
    let error = missing.generate(&prompt(), LONG).expect_err("it is not there").to_string();
    assert!(error.starts_with("`/nowhere/answer` cannot be started"), "{error}");
}

#[test]
fn a_program_is_killed_at_the_deadline() {
    for lines in ["sleep 600", "sleep 600 & wait", "exec >&-; sleep 600"] {
        let directory = script(lines);
        let error = run(directory.path(), &[], Duration::from_millis(300)).expect_err(lines);
        assert!(
            matches!(error, GenerateError::NoAnswer(EmbedError::TimedOut { .. })),
            "{lines}: {error:?}"
        );
    }
    let error = run(Path::new("/nowhere"), &[], Duration::ZERO).expect_err("no time at all");
    assert_eq!(error.code(), "timed_out", "nothing is started without time");
}

#[expect(clippy::disallowed_methods, reason = "a pipe is made by a program")]
#[test]
fn children_of_a_killed_program_end_with_it() {
    let directory = script("(echo up; sleep 600) > \"$1\" & wait");
    let pipe = directory.path().join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let writer = File::options().read(true).write(true).open(&pipe).expect("a pipe");
    run(directory.path(), &[&pipe], Duration::from_secs(1)).expect_err("it is late");
    let mut reader = File::open(&pipe).expect("a pipe");
    drop(writer);
    let mut answer = String::new();
    // Returns once no process has the pipe open for writing.
    reader.read_to_string(&mut answer).expect("the end");
    assert!(["", "up\n"].contains(&answer.as_str()), "{answer}");
}

#[test]
fn commands_are_split_into_program_and_arguments() {
    let line = CommandLine::parse("/usr/bin/claude -p 'two words'").expect("a command");
    let same = CommandLine::new("/usr/bin/claude", vec!["-p".into(), "two words".into()]);
    assert_eq!(line, same);
    assert_eq!(line.name(), "command/claude");
}
