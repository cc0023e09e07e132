//! Finds references to headings in any text: links to anchors, and quoted or marked names.

use serde::Serialize;

/// A renamed heading.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rename<'a> {
    /// The file it is in.
    pub(super) file: &'a str,
    pub(super) from: &'a str,
    pub(super) to: &'a str,
}

/// A text with the words of an old heading that may not refer to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mention {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The words.
    pub text: String,
}

/// Marks that make the text between them a name.
const PAIRS: &[(&str, &str)] = &[
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("“", "”"),
    ("‘", "’"),
    ("[", "]"),
    ("*", "*"),
    ("_", "_"),
    ("<", ">"),
    ("(", ")"),
];
/// Texts that come before a name.
const LEADS: &[&str] = &["§", "§ ", "/when .", "/how .", "#"];

/// Updates the references in a file. Returns the new contents if they changed, the number of
/// updates, and the remaining mentions.
pub(super) fn rewrite(
    path: &str,
    bytes: &[u8],
    renames: &[Rename<'_>],
) -> (Option<Vec<u8>>, usize, Vec<Mention>) {
    let Ok(text) = std::str::from_utf8(bytes) else { return (None, 0, Vec::new()) };
    let mut mentioned: Vec<(usize, &str)> = Vec::new();
    let mut found: Vec<(usize, usize, String)> = Vec::new();
    for rename in renames {
        anchors(path, text, rename, &mut found);
        for (at, _) in text.match_indices(rename.from).filter(|(at, _)| {
            stands_alone(text, *at, rename.from) && !is_new_already(text, *at, rename)
        }) {
            if is_reference(text, at, rename) {
                found.push((at, at + rename.from.len(), rename.to.to_owned()));
            } else {
                mentioned.push((at, rename.from));
            }
        }
    }
    // Of overlapping names, the longest wins.
    found.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    mentioned.retain(|(at, _)| !found.iter().any(|(start, end, _)| (*start..*end).contains(at)));
    mentioned.sort_unstable();
    let mentions = mentioned
        .into_iter()
        .map(|(at, words)| {
            let line = text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1;
            Mention { file: path.to_owned(), line, text: words.to_owned() }
        })
        .collect();
    let mut out = String::with_capacity(text.len());
    let (mut from, mut count) = (0, 0);
    for (start, end, to) in found {
        if start >= from {
            out.push_str(&text[from..start]);
            out.push_str(&to);
            from = end;
            count += 1;
        }
    }
    out.push_str(&text[from..]);
    ((count > 0).then(|| out.into_bytes()), count, mentions)
}

/// Finds links to the anchor of a heading: with its file name anywhere, without it in the same
/// file.
fn anchors(path: &str, text: &str, rename: &Rename<'_>, found: &mut Vec<(usize, usize, String)>) {
    let (old, new) = (slug(rename.from), slug(rename.to));
    if old.is_empty() {
        return;
    }
    let anchor = format!("#{old}");
    let name = rename.file.rsplit('/').next().unwrap_or(rename.file);
    for (at, _) in text.match_indices(&anchor) {
        let end = at + anchor.len();
        let goes_on = text[end..].starts_with(|c: char| c.is_alphanumeric() || "-_".contains(c));
        let before = &text[..at];
        let of_file = before.ends_with(name)
            && !before[..before.len() - name.len()]
                .ends_with(|c: char| c.is_alphanumeric() || "-_".contains(c));
        let within = path == rename.file && before.ends_with('(');
        if !goes_on && (of_file || within) {
            found.push((at, end, format!("#{new}")));
        }
    }
}

fn stands_alone(text: &str, at: usize, words: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric();
    !text[..at].ends_with(letter) && !text[at + words.len()..].starts_with(letter)
}

/// Returns true if the words are already part of the new heading.
fn is_new_already(text: &str, at: usize, rename: &Rename<'_>) -> bool {
    rename.to.find(rename.from).is_some_and(|inside| {
        at.checked_sub(inside)
            .and_then(|start| text.get(start..))
            .is_some_and(|rest| rest.starts_with(rename.to))
    })
}

/// Returns true if the words are used as a name: with marks around or before them, or on a line
/// with the file name.
fn is_reference(text: &str, at: usize, rename: &Rename<'_>) -> bool {
    let (before, after) = (&text[..at], &text[at + rename.from.len()..]);
    let marked =
        PAIRS.iter().any(|(open, close)| before.ends_with(open) && after.starts_with(close));
    let led = LEADS.iter().any(|lead| before.ends_with(lead));
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = after.find('\n').map_or(text.len(), |end| at + rename.from.len() + end);
    let name = rename.file.rsplit('/').next().unwrap_or(rename.file);
    marked || led || text[start..end].contains(name)
}

/// Returns the anchor of a heading, as Markdown renderers build it.
pub fn slug(title: &str) -> String {
    title
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ if c.is_alphanumeric() => Some(c),
            _ => None,
        })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RENAME: Rename<'_> = Rename {
        file: "agents/decisions/testing.md",
        from: "Mock Patching",
        to: "When Mock Patching",
    };

    #[test]
    fn references_are_updated_but_mentions_are_not() {
        for (path, text, expected) in [
            ("a.md", "see \"Mock Patching\"", Some("see \"When Mock Patching\"")),
            ("a.md", "see **Mock Patching**.", Some("see **When Mock Patching**.")),
            ("a.md", "/when .Mock Patching", Some("/when .When Mock Patching")),
            ("a.md", "§ Mock Patching", Some("§ When Mock Patching")),
            ("a.rs", "// testing.md, Mock Patching", Some("// testing.md, When Mock Patching")),
            (
                "a.md",
                "[x](agents/decisions/testing.md#mock-patching)",
                Some("[x](agents/decisions/testing.md#when-mock-patching)"),
            ),
            ("a.md", "[x](testing.md#mock-patching-more)", None),
            ("a.md", "[x](unit-testing.md#mock-patching)", None),
            ("a.md", "[x](#mock-patching)", None),
            ("agents/decisions/testing.md", "(#mock-patching)", Some("(#when-mock-patching)")),
            ("a.md", "Mock Patching is hard", None),
            ("a.md", "\"When Mock Patching\"", None),
            ("a.md", "\"Mock Patchings\"", None),
            ("a.md", "\"mock patching\"", None),
        ] {
            let (after, count, _) = rewrite(path, text.as_bytes(), &[RENAME]);
            let after = after.map(|after| String::from_utf8(after).unwrap());
            assert_eq!(after.as_deref(), expected, "{text}");
            assert_eq!(count, usize::from(expected.is_some()), "{text}");
            if let Some(after) = after {
                assert_eq!(rewrite(path, after.as_bytes(), &[RENAME]).0, None, "twice: {text}");
            }
        }
    }

    #[test]
    fn mentions_are_reported() {
        let (after, _, mentions) = rewrite("a.md", b"x\nMock Patching is hard\n", &[RENAME]);
        assert_eq!(after, None);
        let expected = Mention { file: "a.md".into(), line: 2, text: "Mock Patching".into() };
        assert_eq!(mentions, [expected]);
    }

    #[test]
    fn the_longest_overlapping_name_wins() {
        let longer = Rename { from: "Mock Patching Rules", to: "When Mock Rules", ..RENAME };
        let (after, _, mentions) = rewrite("a.md", b"\"Mock Patching Rules\"", &[RENAME, longer]);
        assert_eq!(after.unwrap(), b"\"When Mock Rules\"");
        assert_eq!(mentions, []);
    }

    #[test]
    fn anchors_match_those_of_renderers() {
        for (title, anchor) in [
            ("When Writing Mock Tests", "when-writing-mock-tests"),
            ("C++ & Rust's `x`", "c--rusts-x"),
        ] {
            assert_eq!(slug(title), anchor);
        }
    }
}
