//! The commands of a script that check the project, or set it up to be checked.

use tacit_core::CheckKind;
use tacit_observer::{CommandSeparator, JoinedCommand, TaskDefinitions, joined_commands};

/// The longest command that is kept, in bytes; longer ones are written for a machine.
const MAX_COMMAND: usize = 140;
/// The most lines of a script that are read.
const MAX_LINES: usize = 200;
/// The longest line of a script that is read, in bytes.
const MAX_LINE: usize = 4_096;

/// A command of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScriptCommand {
    pub(super) command: String,
    pub(super) directory: String,
    /// The kind of check; `None` if it sets the project up.
    pub(super) kind: Option<CheckKind>,
    /// The name that variants of the command share.
    pub(super) runner: String,
}

/// Returns the commands of a script that check or set up, in order.
pub(super) fn commands(
    script: &str,
    directory: &str,
    tasks: &TaskDefinitions,
) -> Vec<ScriptCommand> {
    let mut found = Vec::new();
    let mut place = clean_directory(directory);
    for line in lines(script) {
        let Some(current) = &place else { break };
        let mut current = Some(current.clone());
        let mut piped = false;
        for JoinedCommand { words, spans, separator } in joined_commands(&line) {
            let reads_pipe = std::mem::replace(&mut piped, separator == CommandSeparator::Pipe);
            if words.first().is_some_and(|word| word == "cd" || word == "pushd") {
                let to = words.get(1).map(String::as_str).unwrap_or_default();
                current = current.and_then(|from| joined(&from, to));
                continue;
            }
            if words.first().is_some_and(|word| word == "popd") {
                current = clean_directory(directory);
                continue;
            }
            let (Some(first), Some(last), Some(place)) = (spans.first(), spans.last(), &current)
            else {
                continue;
            };
            let text = line.get(first.start..last.end).unwrap_or_default();
            if !reads_pipe && separator != CommandSeparator::Background {
                found.extend(command(text, &words, place, tasks));
            }
        }
        place = current;
    }
    found
}

/// Joins continued lines, and leaves out what runs under a condition or feeds another program.
fn lines(script: &str) -> Vec<String> {
    let joined = script.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut document: Option<String> = None;
    for line in joined.lines().take(MAX_LINES) {
        let line = line.trim();
        if let Some(end) = &document {
            if line == end {
                document = None;
            }
            continue;
        }
        if let Some((_, mark)) = line.split_once("<<") {
            let mark = mark.trim_start_matches(['-', '~', ' ']).trim_matches(['\'', '"']);
            let mark = mark.split_whitespace().next().unwrap_or_default();
            document = Some(mark.trim_matches(['\'', '"']).to_owned()).filter(|it| !it.is_empty());
            continue;
        }
        let word = line.split([' ', ';', '\t']).next().unwrap_or_default();
        let opens = matches!(word, "if" | "for" | "while" | "until" | "case" | "function");
        let closes =
            line.split([' ', ';', '\t']).any(|word| matches!(word, "fi" | "done" | "esac"));
        match (opens, closes) {
            (true, true) => {}
            (true, false) => depth += 1,
            (false, true) => depth = depth.saturating_sub(1),
            (false, false) => {
                let is_plain = depth == 0 && !line.is_empty() && line.len() <= MAX_LINE;
                if is_plain && !line.starts_with('#') {
                    found.push(line.split_whitespace().collect::<Vec<_>>().join(" "));
                }
            }
        }
    }
    found
}

fn command(
    text: &str,
    words: &[String],
    directory: &str,
    tasks: &TaskDefinitions,
) -> Option<ScriptCommand> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if text.len() > MAX_COMMAND || has_unknown(text) || is_dangerous(&words) {
        return None;
    }
    let (kind, runner) = match tasks.checks(text).into_iter().next() {
        // Without a task runner's definitions the name of a script decides.
        Some(check) => (Some(check.kind), check.task.unwrap_or(check.runner)),
        None => match format_check(&words) {
            Some(runner) => (Some(CheckKind::Lint), runner.to_owned()),
            None if is_set_up(&words) => (None, words.first()?.to_string()),
            None => return None,
        },
    };
    let (command, directory) = (text.to_owned(), directory.to_owned());
    Some(ScriptCommand { command, directory, kind, runner })
}

/// Returns true for commands with values that only the service knows.
fn has_unknown(text: &str) -> bool {
    let known = text.replace("$(nproc)", "").replace("$PWD", "");
    known.contains(['$', '<', '>', '`', '{'])
        || ["dist/", "--installpkg", "/tmp/", "pypy"].iter().any(|part| known.contains(part))
        || known.contains("/home/")
        || known.contains("%%")
        || !text.chars().all(|c| !c.is_control())
}

/// Returns the checker that only compares the format, which other rules do not take for a check.
fn format_check(words: &[&str]) -> Option<&'static str> {
    let has = |flag: &str| words.contains(&flag);
    match words {
        ["pre-commit", "run", ..] => Some("pre-commit"),
        ["clang-format", ..] if has("--dry-run") || has("-n") => Some("clang-format"),
        ["gofmt", "-l" | "-d", ..] => Some("gofmt"),
        ["typos", ..] => Some("typos"),
        ["reuse", "lint", ..] => Some("reuse"),
        ["cargo", "deny", "check", ..] => Some("cargo deny"),
        _ => None,
    }
}

/// Returns true for commands that publish or change more than the project.
fn is_dangerous(words: &[&str]) -> bool {
    const WORDS: [&str; 18] = [
        "publish",
        "deploy",
        "release",
        "upload",
        "push",
        "login",
        "codecov",
        "coveralls",
        "docker",
        "podman",
        "kubectl",
        "helm",
        "terraform",
        "aws",
        "gcloud",
        "gh",
        "sudo",
        "ssh",
    ];
    words.iter().take(4).any(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        WORDS.contains(&name) || WORDS[..4].iter().any(|word| name.starts_with(&format!("{word}:")))
    })
}

/// Returns true for commands that install what the project needs to be checked.
#[must_use]
pub fn is_set_up(words: &[&str]) -> bool {
    let rest = match words {
        ["python" | "python3", "-m", rest @ ..] => rest,
        words => words,
    };
    match rest {
        ["pip" | "pip3", "install", args @ ..] => {
            // `pip install tox` prepares the machine; `-e .[test]` and `-r` name the project's needs.
            args.iter().any(|arg| {
                let arg = arg.trim_matches(['"', '\'']);
                arg == "-e" || arg.starts_with(".[") || arg == "-r" || arg == "--group"
            })
        }
        ["uv", "pip", "install", args @ ..] => args.contains(&"-e") || args.contains(&"-r"),
        ["uv" | "pdm" | "poetry" | "pipenv" | "rye", "sync" | "install", ..]
        | ["npm", "ci" | "install"]
        | ["npm", "ci", ..]
        | ["pnpm" | "bun", "install" | "i", ..]
        | ["yarn"]
        | ["bundle" | "composer", "install", ..]
        | ["mix", "deps.get"]
        | ["meson", "setup", ..]
        | ["git", "submodule", "update", ..] => true,
        ["yarn", "install", ..] | ["yarn", "--immutable" | "--frozen-lockfile"] => true,
        ["cmake", args @ ..] => args.iter().any(|arg| *arg == "-B" || *arg == "-S"),
        [script, ..] => matches!(*script, "./autogen.sh" | "./configure" | "./bootstrap"),
        [] => false,
    }
}

/// Returns a directory in the project from its root; `None` if it is elsewhere.
fn clean_directory(directory: &str) -> Option<String> {
    joined("", directory)
}

fn joined(from: &str, to: &str) -> Option<String> {
    if to.starts_with(['/', '~', '-']) || to.contains(['$', '*', '{']) {
        return None;
    }
    let mut parts: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
