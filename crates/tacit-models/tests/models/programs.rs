//! Text from a program: a small script stands in for it.

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

/// A directory with an executable script `answer`.
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
fn the_prompt_goes_in_and_the_answer_comes_out() {
    let directory = script(r#"echo "  $1|$TACIT_NESTED|$(cat | tr '\n' '/')"; echo chatter >&2"#);
    let said = run(directory.path(), &["two words; $HOME"], LONG).expect("it works");
    assert_eq!(said.text, "two words; $HOME|1|Be brief.//Why?/");
    assert_eq!((said.input_tokens, said.output_tokens), (4, 9));
}

#[test]
fn a_program_need_not_read_and_may_complain_at_length() {
    let directory = script("exec 0<&-; head -c 300000 /dev/zero >&2; printf 'caf\\303\\251 \\377'");
    let said = run(directory.path(), &[], LONG).expect("it works");
    assert_eq!(said.text, "café \u{fffd}");
}

#[test]
fn every_failure_names_the_program() {
    for (lines, says, word) in [
        ("echo first >&2; echo no credit >&2; exit 3", "exit code 3: first no credit", "failed"),
        ("echo 'please log in'; exit 1", "ended with exit code 1: please log in", "failed"),
        ("exit 1", "ended with exit code 1", "failed"),
        ("kill -9 $$", "was ended by a signal", "failed"),
        ("cat /dev/zero", "printed more than 1 MB", "failed"),
        ("echo; echo ' '", "an empty text", "silent"),
    ] {
        let directory = script(lines);
        let error = run(directory.path(), &[], LONG).expect_err(lines);
        let message = error.to_string();
        assert!(message.contains(says), "{lines}: {message}");
        assert!(message.contains("/answer` "), "{lines}: {message}");
        assert_eq!(error.code(), word);
        assert!(!error.is_misconfigured());
    }
    let missing = CommandLine::parse("/nowhere/answer -p").expect("a command");
    let error = missing.generate(&prompt(), LONG).expect_err("it is not there").to_string();
    assert!(error.starts_with("`/nowhere/answer` cannot be started"), "{error}");
}

#[test]
fn a_late_program_is_killed() {
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
fn what_a_late_program_started_ends_with_it() {
    let directory = script("(echo up; sleep 600) > \"$1\" & wait");
    let pipe = directory.path().join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let both_ends = File::options().read(true).write(true).open(&pipe).expect("a pipe");
    run(directory.path(), &[&pipe], Duration::from_secs(1)).expect_err("it is late");
    let mut reader = File::open(&pipe).expect("a pipe");
    drop(both_ends);
    let mut said = String::new();
    // This ends when nobody has the pipe open for writing any more.
    reader.read_to_string(&mut said).expect("the end");
    assert!(["", "up\n"].contains(&said.as_str()), "{said}");
}

#[test]
fn commands_are_read_as_program_and_arguments() {
    let line = CommandLine::parse("/usr/bin/claude -p 'two words'").expect("a command");
    let same = CommandLine::new("/usr/bin/claude", vec!["-p".into(), "two words".into()]);
    assert_eq!(line, same);
    assert_eq!(line.name(), "command/claude");
}
