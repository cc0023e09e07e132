//! The effect of a tool call on a file, as far as the call shows it.

use tacit_core::{LineChange, ToolKind};

use crate::text::{MAX_QUOTE, describe_line_change, one_line};

/// The text that a call replaced in one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileEdit {
    /// The replaced text; empty if the call does not show it.
    pub old: String,
    /// The new text.
    pub new: String,
    /// True if the whole file was written.
    pub whole_file: bool,
}

impl FileEdit {
    /// Reads the edit of one of the files that a call names.
    pub(crate) fn from_tool(kind: &ToolKind, named: &str) -> Option<FileEdit> {
        match kind {
            ToolKind::Edit { old, new, .. } => {
                Some(FileEdit { old: old.clone(), new: new.clone(), whole_file: false })
            }
            ToolKind::Write { content, .. } => {
                Some(FileEdit { old: String::new(), new: content.clone(), whole_file: true })
            }
            ToolKind::Patch { patch, files } => Some(from_patch(patch, named, files.len() == 1)),
            _ => None,
        }
    }

    /// Returns true if only white space and trailing commas differ.
    pub fn is_formatting(&self) -> bool {
        !self.whole_file && without_layout(&self.old) == without_layout(&self.new)
    }

    /// Returns the number of lines that the edit touches.
    pub fn lines(&self) -> usize {
        self.old.lines().count().max(self.new.lines().count())
    }

    /// Returns true if this edit replaces lines that `earlier` wrote.
    pub fn corrects(&self, earlier: &FileEdit) -> bool {
        if earlier.is_formatting() || self.is_formatting() {
            return false;
        }
        let written: Vec<&str> = lines_only_in(&earlier.new, &earlier.old);
        let removed = lines_only_in(&self.old, &self.new);
        removed.iter().any(|line| written.contains(line))
    }

    /// Returns the first removed and the first added line, or `None` if neither says anything.
    pub fn first_lines(&self) -> Option<LineChange> {
        if self.whole_file {
            return None;
        }
        let first = |lines: Vec<&str>| lines.first().map(|first| one_line(first, MAX_QUOTE));
        let removed = first(lines_only_in(&self.old, &self.new));
        let added = first(lines_only_in(&self.new, &self.old));
        (removed.is_some() || added.is_some()).then_some(LineChange { removed, added })
    }

    /// Describes the first removed and the first added line.
    pub fn describe(&self) -> Option<String> {
        self.first_lines().map(|change| describe_line_change(&change))
    }
}

/// Returns the lines of `text` that `other` does not have, without lines of punctuation only.
pub(crate) fn lines_only_in<'a>(text: &'a str, other: &str) -> Vec<&'a str> {
    let known: std::collections::HashSet<&str> = other.lines().map(str::trim).collect();
    text.lines()
        .map(str::trim)
        .filter(|line| line.chars().filter(|c| c.is_alphanumeric()).count() > 2)
        .filter(|line| !known.contains(line))
        .collect()
}

fn without_layout(text: &str) -> String {
    // Formatters break lines and add trailing commas.
    text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect()
}

/// Collects the lines that a patch removes from a file and adds to it.
fn from_patch(patch: &str, named: &str, only: bool) -> FileEdit {
    let mut change = FileEdit::default();
    let mut here = only;
    for line in patch.lines() {
        let heading = line
            .strip_prefix("*** Update File: ")
            .or_else(|| line.strip_prefix("*** Add File: "))
            .or_else(|| line.strip_prefix("*** Delete File: "))
            .or_else(|| line.strip_prefix("+++ "));
        if let Some(name) = heading {
            here = only || name.trim().trim_start_matches("b/").ends_with(named);
        } else if here
            && let Some(removed) = line.strip_prefix('-').filter(|_| !line.starts_with("---"))
        {
            change.old.push_str(removed);
            change.old.push('\n');
        } else if here && let Some(added) = line.strip_prefix('+') {
            change.new.push_str(added);
            change.new.push('\n');
        }
    }
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str) -> FileEdit {
        FileEdit { old: old.into(), new: new.into(), whole_file: false }
    }

    #[test]
    fn layout_changes_are_formatting() {
        for (old, new, formatting) in [
            ("fn a() { b() }", "fn a() {\n    b()\n}", true),
            ("f(a, b)", "f(\n  a,\n  b,\n)", true),
            ("f(a)", "f(b)", false),
            ("", "x", false),
        ] {
            assert_eq!(edit(old, new).is_formatting(), formatting, "{old:?}");
        }
        assert!(!FileEdit { whole_file: true, ..FileEdit::default() }.is_formatting());
    }

    #[test]
    fn edits_are_described_by_their_first_lines() {
        for (old, new, expected) in [
            (
                "let x = 1;\nlet y = 2;",
                "let x = 1;\nlet y = 3;",
                Some("`let y = 2;` became `let y = 3;`"),
            ),
            ("alpha", "alpha\nbeta", Some("`beta` was added")),
            ("alpha\nbeta", "alpha", Some("`beta` was taken out")),
            ("}", "};", None),
        ] {
            assert_eq!(edit(old, new).describe().as_deref(), expected, "{old:?}");
        }
    }

    #[test]
    fn a_correction_replaces_lines_just_written() {
        let first = edit("timeout = 10", "timeout = 20");
        assert!(edit("timeout = 20", "timeout = 30").corrects(&first));
        assert!(!edit("retries = 1", "retries = 2").corrects(&first));
        assert!(!edit("timeout = 20", "timeout  =  20").corrects(&first));
    }

    #[test]
    fn patches_are_split_by_file() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n-one two\n+one three\n\
                     *** Update File: b.rs\n+four five\n*** End Patch";
        let files = vec!["a.rs".to_owned(), "b.rs".to_owned()];
        let kind = ToolKind::Patch { files, patch: patch.into() };
        assert_eq!(FileEdit::from_tool(&kind, "a.rs").unwrap(), edit("one two\n", "one three\n"));
        assert_eq!(FileEdit::from_tool(&kind, "b.rs").unwrap(), edit("", "four five\n"));
    }
}
