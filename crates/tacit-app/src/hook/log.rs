//! The logs of hooks and of `tacit maintain`: one line per problem.

use std::io::Write;
use std::path::Path;

use tacit_core::{Clock, Timestamp, visible_line};

/// A longer log is rotated, replacing the previous rotated one.
const MAX_BYTES: u64 = 1024 * 1024;
/// The most characters of a line, because it may quote untrusted text.
const MAX_CHARS: usize = 1_000;

/// Adds a line to the project's hook log.
pub(super) fn write(project: &Path, clock: &dyn Clock, problem: &str) {
    append(project, "hook.log", clock.now(), problem);
}

/// Adds a line to a log of a store. There is nowhere to report a failure to do so.
pub(crate) fn append(store: &Path, name: &str, now: Timestamp, problem: &str) {
    let directory = store.join("logs");
    let file = directory.join(name);
    let line = format!("{now} {}\n", one_line(problem));
    let _ = tacit_fs::secure_folder(&directory).and_then(|()| {
        if file.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() > MAX_BYTES) {
            std::fs::rename(&file, directory.join(format!("{name}.1")))?;
        }
        tacit_fs::append(&file)?.write_all(line.as_bytes())
    });
}

/// Formats a problem as one line, with secrets redacted and control characters made visible.
pub(crate) fn one_line(problem: &str) -> String {
    let line = visible_line(&tacit_redact::redact(problem).text);
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_cannot_break_a_log_line() {
        for (problem, expected) in [
            ("a\nb\r\nc", "a<U+000A>b<U+000D><U+000A>c"),
            ("\u{1b}[2J\u{9b}0m\0\u{7f}", "<U+001B>[2J<U+009B>0m<U+0000><U+007F>"),
            ("a\u{2028}b\u{2029}c\u{85}", "a<U+2028>b<U+2029>c<U+0085>"),
            ("\u{202e}\u{2066}\u{200b}\u{feff}", "<U+202E><U+2066><U+200B><U+FEFF>"),
            ("`ключ` is fine", "`ключ` is fine"),
        ] {
            assert_eq!(one_line(problem), expected);
        }
    }

    #[test]
    fn long_problems_are_cut() {
        let line = one_line(&"ä".repeat(5_000));
        assert_eq!(line.chars().count(), MAX_CHARS + 2);
        assert!(one_line(&"\n".repeat(5_000)).chars().count() <= MAX_CHARS + 2);
    }
}
