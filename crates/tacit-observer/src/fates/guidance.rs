//! The parts of a memory that an agent can follow: files, commands, and lines of a fix.

use tacit_core::{BuiltinType, Details, ErrorPattern, Memory, RepoPath, code_spans};

use super::DANGER_TAGS;
use crate::file_edit::lines_only_in;

/// The fewest letters and digits of a line of a fix: shorter ones are in many edits.
const MIN_LINE: usize = 6;
/// The longest command in a text, in words; longer spans are examples.
const MAX_WORDS: usize = 12;
/// Words with which a part of a sentence warns of what it names.
const WARNING: [&str; 22] = [
    "not",
    "never",
    "don't",
    "doesn't",
    "cannot",
    "can't",
    "avoid",
    "without",
    "fails",
    "failed",
    "fail",
    "breaks",
    "broken",
    "instead",
    "rather",
    "wrong",
    "refused",
    "deletes",
    "destroys",
    "wipes",
    "dangerous",
    "no",
];
/// Beginnings of parts of sentences that are not after a punctuation mark.
const PART_STARTS: [&str; 5] = [" instead of ", " rather than ", " not ", " but ", " because "];
/// Words of commands that any agent runs without being told.
const USUAL: [&str; 28] = [
    "test",
    "tests",
    "build",
    "install",
    "run",
    "lint",
    "check",
    "fmt",
    "format",
    "start",
    "dev",
    "ci",
    "status",
    "diff",
    "add",
    "commit",
    "log",
    "push",
    "pull",
    "clippy",
    "vet",
    "clean",
    "exec",
    "-m",
    "./...",
    "typecheck",
    "i",
    "t",
];

/// The parts of a memory that an agent can follow.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Guidance {
    /// The files that it is about.
    pub(super) files: Vec<RepoPath>,
    /// The commands that it recommends.
    pub(super) commands: Vec<String>,
    /// The commands that it warns of.
    pub(super) warned: Vec<String>,
    /// The lines that a fix added.
    pub(super) lines: Vec<String>,
    /// True if it tells how an error was fixed.
    pub(super) is_fix: bool,
}

impl Guidance {
    /// Reads what an agent can follow from a memory. The typed fields of a fix come before its text.
    pub(super) fn of(memory: &Memory) -> Guidance {
        let body = &memory.body;
        let mut guidance =
            Guidance { files: body.files.iter().cloned().collect(), ..Guidance::default() };
        if let Details::ErrorPattern(ErrorPattern { fix: Some(fix), .. }) = body.subject.details() {
            guidance.is_fix = true;
            guidance.files.extend(fix.resolution.files.iter().cloned());
            guidance.commands.clone_from(&fix.resolution.commands);
            let added = fix.resolution.changes.iter().filter_map(|change| change.added.as_deref());
            guidance.lines = added.map(line_form).filter(|line| is_telling(line)).collect();
            guidance.warned.extend(Some(fix.failing_command.clone()).filter(|one| !one.is_empty()));
        } else {
            let (commands, warned) = commands_in(body.titled().as_str());
            let is_danger = body.tags.iter().any(|tag| DANGER_TAGS.contains(&tag.as_str()));
            let is_warning = is_danger || memory.memory_type() == BuiltinType::DeadEnd.into();
            (guidance.commands, guidance.warned) = match is_warning {
                true => (Vec::new(), [commands, warned].concat()),
                false => (commands, warned),
            };
        }
        guidance.files.sort();
        guidance.files.dedup();
        guidance.commands.retain(|one| !guidance.warned.contains(one));
        guidance
    }

    /// Iterates over the recommended commands that an agent would hardly run without being told.
    pub(super) fn own_commands(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().map(String::as_str).filter(|command| !is_usual(command))
    }
}

/// Returns the form in which lines are compared: without white space around words.
pub(super) fn line_form(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true if an edit of other code is unlikely to have the line.
fn is_telling(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= MIN_LINE
}

/// Returns true if a change added a line of the fix.
pub(super) fn adds_line(old: &str, new: &str, line: &str) -> bool {
    lines_only_in(new, old).iter().any(|added| {
        let added = line_form(added);
        // Recorded lines may have been cut at their end.
        let line = line.trim_end_matches('…');
        added == line || (is_telling(line) && added.starts_with(line))
    })
}

/// Returns the commands that a text recommends, and those that it warns of.
fn commands_in(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut commands, mut warned) = (Vec::new(), Vec::new());
    for part in parts(text) {
        let outside: String = part.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        let lower = outside.to_lowercase().replace('’', "'");
        let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
        let warns = words.any(|word| WARNING.contains(&word));
        let spans: Vec<String> = code_spans(&part).filter(|span| is_command(span)).collect();
        if warns { &mut warned } else { &mut commands }.extend(spans);
    }
    (commands, warned)
}

/// Splits a text into parts of sentences, outside code spans.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for (index, piece) in text.split('`').enumerate() {
        let part = |parts: &mut Vec<String>, text: &str| {
            parts.last_mut().expect("never empty").push_str(text);
        };
        if index % 2 == 1 {
            part(&mut parts, &format!("`{piece}`"));
            continue;
        }
        let mut piece = format!(" {piece} ");
        for start in PART_STARTS {
            piece = piece.replace(start, &format!("\n{start}"));
        }
        for (number, more) in piece.split(['.', ',', ';', ':', '\n', '(', ')', '—']).enumerate() {
            if number > 0 {
                parts.push(String::new());
            }
            part(&mut parts, more);
        }
    }
    parts.retain(|part| part.contains('`'));
    parts
}

/// Returns true for a span that reads like a command with an argument.
fn is_command(span: &str) -> bool {
    let words: Vec<&str> = span.split_whitespace().collect();
    let is_program = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase() || c == '.' || c == '/')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "._/-+".contains(c))
    };
    // Code reads like a command too.
    let is_code = span.ends_with(';') || span.contains(['{', '(']) || words.contains(&"=");
    let program = words.iter().find(|word| !word.contains('='));
    (2..=MAX_WORDS).contains(&words.len())
        && !is_code
        && program.is_some_and(|word| is_program(word))
}

/// Returns true for a command that any agent runs without being told, such as `cargo test`.
fn is_usual(command: &str) -> bool {
    command.split_whitespace().skip(1).all(|word| word == "…" || USUAL.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recommended_commands_are_told_from_those_warned_of() {
        for (text, recommended, warned) in [
            ("Run the tests with `just test-unit`.", &["just test-unit"][..], &[][..]),
            ("`npm test` fails here: `pnpm test` works", &["pnpm test"], &["npm test"]),
            ("Use `pnpm add x`, not `npm add x`", &["pnpm add x"], &["npm add x"]),
            (
                "Use `uv run pytest` instead of `python -m pytest`",
                &["uv run pytest"],
                &["python -m pytest"],
            ),
            ("Never run `terraform destroy` here", &[], &["terraform destroy"]),
            ("`src/pool.rs` holds a `Pool` and `let x = 1;`", &[], &[]),
            ("Close the pool first", &[], &[]),
        ] {
            let (found, denied) = commands_in(text);
            assert_eq!(
                (found.as_slice(), denied.as_slice()),
                (
                    recommended.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice(),
                    warned.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice(),
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn usual_commands_need_no_telling() {
        for (command, expected) in [
            ("cargo test", true),
            ("npm run build", true),
            ("make", true),
            ("just test-unit", false),
            ("cargo test --all-features", false),
            ("docker compose up -d db", false),
        ] {
            assert_eq!(is_usual(command), expected, "{command}");
        }
    }

    #[test]
    fn lines_are_compared_without_their_layout() {
        for (old, new, line, expected) in [
            ("fn now() -> u32", "  fn  now() -> u64 {", "fn now() -> u64 {", true),
            ("fn now() -> u64 {", "fn now() -> u64 {", "fn now() -> u64 {", false),
            ("", "fn now() -> u64 { tick }", "fn now() -> u64…", true),
            ("", "let x = 1;", "let x…", false),
            ("", "fn now() -> u32 {", "fn now() -> u64 {", false),
        ] {
            assert_eq!(adds_line(old, new, line), expected, "{new} {line}");
        }
    }
}
