//! What a change of a file did, as far as the call tells.

use tacit_core::{LineChange, ToolKind};

use crate::text::{LONGEST_QUOTE, describe_line_change, one_line};

/// What a call did to one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileEdit {
    /// What was there, where it is told.
    pub old: String,
    /// What is there now.
    pub new: String,
    /// Whether the whole file was written.
    pub whole_file: bool,
}

impl FileEdit {
    /// What a call does to the file with this place among those it names.
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

    /// Whether only white space differs: nothing was decided by it.
    pub fn is_formatting(&self) -> bool {
        !self.whole_file && without_layout(&self.old) == without_layout(&self.new)
    }

    /// How many lines it touches.
    pub fn lines(&self) -> usize {
        self.old.lines().count().max(self.new.lines().count())
    }

    /// Whether this changes what `earlier` wrote: lines of it are replaced.
    pub fn corrects(&self, earlier: &FileEdit) -> bool {
        if earlier.is_formatting() || self.is_formatting() {
            return false;
        }
        let written: Vec<&str> = lines_only_in(&earlier.new, &earlier.old);
        let gone = lines_only_in(&self.old, &self.new);
        gone.iter().any(|line| written.contains(line))
    }

    /// The first line that went and the first that came; none if that is too little to tell.
    pub fn first_lines(&self) -> Option<LineChange> {
        if self.whole_file {
            return None;
        }
        let first = |lines: Vec<&str>| lines.first().map(|first| one_line(first, LONGEST_QUOTE));
        let removed = first(lines_only_in(&self.old, &self.new));
        let added = first(lines_only_in(&self.new, &self.old));
        (removed.is_some() || added.is_some()).then_some(LineChange { removed, added })
    }

    /// The first line that went and the first that came, as words.
    pub fn describe(&self) -> Option<String> {
        self.first_lines().map(|change| describe_line_change(&change))
    }
}

/// The lines of one text that the other does not have and that say something.
fn lines_only_in<'a>(text: &'a str, other: &str) -> Vec<&'a str> {
    let known: std::collections::HashSet<&str> = other.lines().map(str::trim).collect();
    text.lines()
        .map(str::trim)
        .filter(|line| line.chars().filter(|c| c.is_alphanumeric()).count() > 2)
        .filter(|line| !known.contains(line))
        .collect()
}

fn without_layout(text: &str) -> String {
    // Formatters break lines and put commas at their ends.
    text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect()
}

/// The lines a patch takes out of a file and puts into it.
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
            && let Some(gone) = line.strip_prefix('-').filter(|_| !line.starts_with("---"))
        {
            change.old.push_str(gone);
            change.old.push('\n');
        } else if here && let Some(came) = line.strip_prefix('+') {
            change.new.push_str(came);
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
