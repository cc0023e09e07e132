//! Helpers for short one-line texts in memories.

use tacit_core::LineChange;

use crate::git_commits::program;
use crate::shell::{CommandSeparator, joined_commands};

/// Maximum length of quoted code, in characters.
pub(crate) const MAX_QUOTE: usize = 90;
/// Maximum length of a quoted command, in characters.
pub(crate) const MAX_COMMAND: usize = 200;

/// Joins a text to one line of at most `most` characters, cut between words.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!line.is_empty());
        if line.chars().count() + gap + word.chars().count() > most {
            if line.is_empty() {
                line.extend(word.chars().take(most));
            }
            line.push('…');
            return line;
        }
        if gap == 1 {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Describes a changed line.
pub(crate) fn describe_line_change(change: &LineChange) -> String {
    match (&change.removed, &change.added) {
        (Some(removed), Some(added)) => format!("{} became {}", quote(removed), quote(added)),
        (None, Some(added)) => format!("{} was added", quote(added)),
        (Some(removed), None) => format!("{} was taken out", quote(removed)),
        (None, None) => String::new(),
    }
}

/// Quotes code in backticks on one line. Inner backticks, which would end the quote, become
/// apostrophes.
pub(crate) fn quote(text: &str) -> String {
    format!("`{}`", one_line(&text.replace('`', "'"), MAX_QUOTE))
}

/// Quotes a command in backticks.
pub(crate) fn quote_command(text: &str) -> String {
    format!("`{}`", one_line(&text.replace('`', "'"), MAX_COMMAND))
}

/// Programs around a command that say nothing about it: they prepare the shell or filter output.
const WRAPPING_PROGRAMS: [&str; 22] = [
    "cd", "pushd", "popd", "export", "set", "source", ".", "echo", "printf", "true", "tail",
    "head", "grep", "rg", "egrep", "tee", "cat", "sed", "awk", "less", "wc", "sort",
];

/// Renders a command line as somebody would type it: without changes of the directory, redirections
/// and output filters.
pub(crate) fn display_command(line: &str) -> String {
    let mut shown = String::new();
    let mut joint = CommandSeparator::End;
    let mut piped = false;
    for command in joined_commands(line) {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let name = program(&words).map(|(name, _)| name);
        let wraps = match name {
            Some("sed") => piped,
            Some(name) => WRAPPING_PROGRAMS.contains(&name),
            None => true,
        };
        piped = command.separator == CommandSeparator::Pipe;
        if wraps {
            // What follows a filter follows the command that it filters.
            if joint == CommandSeparator::Pipe {
                joint = command.separator;
            }
            continue;
        }
        if !shown.is_empty() {
            shown.push_str(match joint {
                CommandSeparator::And => " && ",
                CommandSeparator::Or => " || ",
                CommandSeparator::Pipe => " | ",
                _ => "; ",
            });
        }
        let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
        shown.push_str(&words.join(" "));
        joint = command.separator;
    }
    if shown.is_empty() { line.split_whitespace().collect::<Vec<_>>().join(" ") } else { shown }
}

/// Quotes a word of a command if the shell would split or change it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~^$[]{}*?!".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if word.contains('\'') {
        format!("\"{word}\"")
    } else {
        format!("'{word}'")
    }
}

/// Lists names in backticks: `a`, `b` and `c`.
pub(crate) fn quoted_list<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Renders `1 time`, `2 times`.
pub(crate) fn count_times(count: usize) -> String {
    counted(count, "time", "times")
}

/// Renders a number with its noun.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// Hashes parts to a short key that is equal for equal parts.
pub(crate) fn stable_key(parts: &[&str]) -> String {
    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_without_their_wrapping() {
        for (line, expected) in [
            ("cargo test", "cargo test"),
            ("cd /home/me/project && cargo test 2>&1 | tail -20", "cargo test"),
            (
                "mise run fmt && mise run lint 2>&1 | grep -v '^$' | head -5",
                "mise run fmt && mise run lint",
            ),
            ("npx jest -t 'adds two' || true", "npx jest -t 'adds two'"),
            ("pytest -q; echo \"exit $?\"", "pytest -q"),
            ("CGO_ENABLED=0 go test ./... > /tmp/out.txt", "CGO_ENABLED=0 go test ./..."),
            ("sed -i 's/a b/c/' x.go && go vet ./...", "sed -i 's/a b/c/' x.go && go vet ./..."),
            ("go test ./... | sed -n 1,5p", "go test ./..."),
            ("go build ./... | tail -3; go vet ./... | head", "go build ./...; go vet ./..."),
            ("cat log.txt", "cat log.txt"),
        ] {
            assert_eq!(display_command(line), expected, "{line}");
        }
    }

    #[test]
    fn text_is_cut_between_words() {
        for (text, most, expected) in [
            ("", 10, ""),
            ("a  b\n c", 10, "a b c"),
            ("alpha beta", 10, "alpha beta"),
            ("alpha beta", 9, "alpha…"),
            ("alphabet", 5, "alpha…"),
        ] {
            assert_eq!(one_line(text, most), expected, "{text:?}");
        }
        assert_eq!(quote("a `b`"), "`a 'b'`");
        assert_eq!(quoted_list(&["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
