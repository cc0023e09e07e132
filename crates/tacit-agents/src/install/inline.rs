//! Blocks in skills and commands that tell an agent to look after its memory by hand.
//!
//! An older tool wrote them between comments. With hooks they make an agent recall and save
//! everything twice.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{FileChange, InstallError};

/// The names of the blocks; each begins at `<!-- wt-memory NAME start -->` and ends at `… end -->`.
const BLOCKS: [&str; 5] =
    ["hooks", "hooks-midflow", "hooks-remember", "hooks-reflection", "hooks-save"];

/// The folders of skills and commands, relative to a project or the home directory.
const FOLDERS: [&str; 6] = [
    ".claude/skills",
    ".claude/commands",
    ".claude/agents",
    ".cursor/commands",
    ".gemini/commands",
    ".opencode/command",
];

/// The depth to which folders are searched.
const DEEPEST: usize = 8;
/// Larger files are passed over.
const LARGEST: u64 = 4 << 20;

/// A file with such blocks.
#[derive(Debug)]
pub struct InlineFile {
    /// The path of the skill.
    pub path: PathBuf,
    /// The file without them, or why they cannot be taken out.
    pub change: Result<FileChange, InstallError>,
}

/// Returns the text without its blocks, and how many there were.
fn clean_inline(text: &str) -> Result<(String, usize), InstallError> {
    let unbalanced = |line: usize, marker: &str| InstallError::Unbalanced {
        line,
        marker: marker.trim().to_owned(),
    };
    let mut out = String::with_capacity(text.len());
    let mut open: Option<(&str, usize, &str)> = None;
    let mut removed = 0;
    // Whether a block ended just before, with a blank line in front of it.
    let mut gap = false;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        match (marker(line), open) {
            (Some((name, true)), None) => open = Some((name, number, line)),
            (Some((name, false)), Some((opened, ..))) if name == opened => {
                open = None;
                removed += 1;
                gap = out.is_empty() || out.ends_with("\n\n") || out.ends_with("\n\r\n");
            }
            (Some(_), _) => return Err(unbalanced(number, line)),
            (None, Some(_)) => {}
            // Of the blank lines around a block one is enough.
            (None, None) if gap && line.trim().is_empty() => gap = false,
            (None, None) => {
                gap = false;
                out.push_str(line);
            }
        }
    }
    match open {
        Some((_, line, marker)) => Err(unbalanced(line, marker)),
        None => Ok((out, removed)),
    }
}

/// Returns the block a line begins (`true`) or ends, if it does nothing else.
fn marker(line: &str) -> Option<(&'static str, bool)> {
    let inside = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    let (name, side) = inside.strip_prefix("wt-memory ")?.rsplit_once(' ')?;
    let name = BLOCKS.iter().find(|block| **block == name.trim())?;
    match side {
        "start" => Some((name, true)),
        "end" => Some((name, false)),
        _ => None,
    }
}

/// Returns every Markdown file with blocks in the skills and commands below `base`, in order. Links
/// are not followed, and what cannot be read as text is passed over.
pub fn find_inline(base: &Path) -> io::Result<Vec<InlineFile>> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        walk(&base.join(folder), DEEPEST, &mut files)?;
    }
    let mut found = Vec::new();
    for path in files {
        let bytes = match tacit_fs::read_nofollow(&path, LARGEST) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => continue,
            read => read?,
        };
        let Ok(text) = str::from_utf8(&bytes) else { continue };
        let change = match clean_inline(text) {
            Ok((_, 0)) => continue,
            Ok((clean, _)) => {
                Ok(FileChange { after: Some(clean.into_bytes()), before: Some(bytes) })
            }
            Err(problem) => Err(problem),
        };
        found.push(InlineFile { path, change });
    }
    Ok(found)
}

fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let Some(entries) = tacit_fs::none_if_missing(fs::read_dir(folder))? else { return Ok(()) };
    let mut entries: Vec<_> = entries.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type()?;
        let path = entry.path();
        if kind.is_dir() && depth > 0 {
            walk(&path, depth - 1, files)?;
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_go_and_the_rest_stays() {
        let cases = [
            ("a\nb\n", "a\nb\n", 0),
            (
                "a\n\n<!-- wt-memory hooks start -->\nx\n<!-- wt-memory hooks end -->\n\nb\n",
                "a\n\nb\n",
                1,
            ),
            ("<!-- wt-memory hooks-save start -->\n<!-- wt-memory hooks-save end -->", "", 1),
            (
                "a\r\n  <!-- wt-memory hooks-midflow start -->\r\nx\r\n  \
                 <!-- wt-memory hooks-midflow end -->\r\nb",
                "a\r\nb",
                1,
            ),
            (
                "1\n<!-- wt-memory hooks-remember start -->\n<!-- wt-memory hooks-remember end -->\n\
                 2\n<!-- wt-memory hooks-reflection start -->\n\
                 <!-- wt-memory hooks-reflection end -->\n3\n",
                "1\n2\n3\n",
                2,
            ),
            (
                "`<!-- wt-memory hooks start -->` in prose\n",
                "`<!-- wt-memory hooks start -->` in prose\n",
                0,
            ),
            ("<!-- wt-memory other start -->\n", "<!-- wt-memory other start -->\n", 0),
        ];
        for (text, expected, count) in cases {
            assert_eq!(clean_inline(text).ok(), Some((expected.to_owned(), count)), "{text}");
        }
    }

    #[test]
    fn unbalanced_blocks_are_told() {
        let cases = [
            ("a\n<!-- wt-memory hooks start -->\n", 2, "<!-- wt-memory hooks start -->"),
            ("<!-- wt-memory hooks end -->\n", 1, "<!-- wt-memory hooks end -->"),
            (
                "<!-- wt-memory hooks start -->\n<!-- wt-memory hooks-save end -->\n",
                2,
                "<!-- wt-memory hooks-save end -->",
            ),
        ];
        for (text, line, marker) in cases {
            let problem = clean_inline(text).expect_err("a problem").to_string();
            assert_eq!(problem, format!("line {line}: `{marker}` has no counterpart"), "{text}");
        }
    }

    #[test]
    fn files_of_skills_and_commands() {
        let base = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| {
            let path = base.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a directory");
            fs::write(path, text).expect("a file");
        };
        let block = "x\n<!-- wt-memory hooks start -->\ny\n<!-- wt-memory hooks end -->\n";
        write(".claude/skills/apply/SKILL.md", block);
        write(".claude/commands/go.md", "<!-- wt-memory hooks start -->\n");
        write(".claude/commands/fine.md", "nothing\n");
        write("docs/other.md", block);
        let found = find_inline(base.path()).expect("a walk");
        let told: Vec<_> = found
            .iter()
            .map(|file| {
                let name = file.path.strip_prefix(base.path()).expect("below the base");
                (name.display().to_string(), file.change.is_ok())
            })
            .collect();
        let expected = [(".claude/skills/apply/SKILL.md", true), (".claude/commands/go.md", false)];
        assert_eq!(told, expected.map(|(name, ok)| (name.to_owned(), ok)));
        let change = found[0].change.as_ref().expect("a change");
        assert_eq!(change.after.as_deref(), Some(&b"x\n"[..]));
        assert!(change.diff("SKILL.md").contains("-<!-- wt-memory hooks start -->\n"));
    }

    proptest! {
        #[test]
        fn cleaning_twice_changes_nothing_more(
            lines in prop::collection::vec(prop::sample::select(vec![
                "text", "", "<!-- wt-memory hooks start -->", "<!-- wt-memory hooks end -->",
            ]), 0..12),
        ) {
            let text = lines.join("\n");
            if let Ok((clean, count)) = clean_inline(&text) {
                prop_assert_eq!(lines.iter().filter(|line| line.ends_with("end -->")).count(), count);
                prop_assert_eq!(clean_inline(&clean).ok(), Some((clean.clone(), 0)));
            }
        }
    }
}
