//! The purpose of a folder: the first paragraph of prose in its README.

use std::path::{Path, PathBuf};

use tacit_core::{BlockKind, markdown_blocks, prose};

/// The most characters of a purpose.
const MAX_CHARS: usize = 200;
/// A first sentence shorter than this says too little to stand alone.
const MIN_SENTENCE: usize = 60;
/// The number of bytes read of a README.
const MAX_BYTES: u64 = 256 * 1024;
/// README names in order of preference, compared without case.
const NAMES: [(&str, Form); 7] = [
    ("readme.md", Form::Markdown),
    ("readme.markdown", Form::Markdown),
    ("readme.rst", Form::Lined(Markup::Rst)),
    ("readme.adoc", Form::Lined(Markup::Adoc)),
    ("readme.asciidoc", Form::Lined(Markup::Adoc)),
    ("readme.txt", Form::Markdown),
    ("readme", Form::Markdown),
];

/// The markup of a text; plain text is read as Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Markdown,
    /// A markup that is read line by line.
    Lined(Markup),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Markup {
    Rst,
    Adoc,
}

/// Returns the first paragraph of a folder's README, as one line.
pub(super) fn purpose(folder: &Path) -> Option<String> {
    let (path, form) = find(folder)?;
    let bytes = tacit_fs::read_start_following(&path, MAX_BYTES).ok()?;
    let line = first_paragraph(&String::from_utf8_lossy(&bytes), form)?;
    Some(shortened(&tacit_redact::redact(&line).text))
}

fn find(folder: &Path) -> Option<(PathBuf, Form)> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let known = names.filter_map(|name| {
        let at = NAMES.iter().position(|(known, _)| *known == name.to_lowercase())?;
        Some((at, name)).filter(|(_, name)| folder.join(name).is_file())
    });
    let (at, name) = known.min()?;
    Some((folder.join(name), NAMES[at].1))
}

/// Cuts a line at the end of a sentence, else at the end of a word.
fn shortened(line: &str) -> String {
    let Some((end, _)) = line.char_indices().nth(MAX_CHARS) else { return line.to_owned() };
    let kept = &line[..end];
    if let Some(at) = kept.rfind(". ").filter(|at| *at >= MIN_SENTENCE) {
        return kept[..=at].to_owned();
    }
    let end = kept.rfind(' ').unwrap_or(kept.len());
    format!("{} …", kept[..end].trim_end_matches([',', ';', ':']))
}

/// Returns the first paragraph of prose: no heading, badges, list, table, directive or code.
fn first_paragraph(text: &str, form: Form) -> Option<String> {
    match form {
        Form::Markdown => first_of_markdown(text),
        Form::Lined(markup) => first_of_lines(text, markup),
    }
}

fn first_of_markdown(text: &str) -> Option<String> {
    let front = text
        .strip_prefix("---")
        .filter(|rest| rest.trim_start_matches(' ').starts_with(['\r', '\n']));
    let text = front.map_or(text, |rest| rest.split_once("\n---").map_or("", |(_, text)| text));
    let blocks = markdown_blocks(text).into_iter();
    let paragraphs = blocks.filter(|block| block.kind == BlockKind::Paragraph);
    // CommonMark treats tables and lists with `•` as paragraphs.
    paragraphs
        .map(|block| &text[block.range])
        .filter(|paragraph| !paragraph.starts_with(['|', '•']))
        .find_map(prose)
}

/// Returns the first paragraph of a line-based markup. It may follow its heading without an empty
/// line.
fn first_of_lines(text: &str, markup: Markup) -> Option<String> {
    let mut lines = text.lines().peekable();
    let mut found: Vec<&str> = Vec::new();
    // The end of the current block that is not prose: a line, or `None` if it lasts as long as
    // lines are indented.
    let mut block: Option<Option<&str>> = None;
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        match block {
            Some(Some(end)) => {
                if trimmed.ends_with(end) {
                    block = None;
                }
                continue;
            }
            Some(None) if trimmed.is_empty() || line.starts_with([' ', '\t']) => continue,
            _ => {}
        }
        block = opened(line, markup);
        let is_heading = found.is_empty() && lines.peek().is_some_and(|next| is_rule(next, markup));
        let is_prose = block.is_none() && !is_heading && is_prose(line, markup);
        match is_prose {
            true => found.push(trimmed),
            false if says_something(&found, markup) => break,
            false => found.clear(),
        }
    }
    let plain = || found.iter().map(|line| read(line, markup, true)).collect::<Vec<_>>().join(" ");
    let plain = says_something(&found, markup).then(plain)?;
    Some(plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns true if the lines have words outside links.
fn says_something(lines: &[&str], markup: Markup) -> bool {
    lines.iter().any(|line| read(line, markup, false).chars().any(char::is_alphabetic))
}

/// Returns the end of the block that a line opens, if it opens one.
fn opened(line: &str, markup: Markup) -> Option<Option<&'static str>> {
    let trimmed = line.trim();
    match markup {
        Markup::Rst => (trimmed == ".." || trimmed.starts_with(".. ")).then_some(None),
        Markup::Adoc => {
            ["----", "....", "////", "|==="].into_iter().find(|end| trimmed == *end).map(Some)
        }
    }
}

/// Returns true if a line can be part of a paragraph.
fn is_prose(line: &str, markup: Markup) -> bool {
    let trimmed = line.trim();
    let numbered = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = ["- ", "* ", "+ ", "• "].iter().any(|mark| trimmed.starts_with(mark))
        || numbered.len() < trimmed.len() && numbered.starts_with(". ");
    if trimmed.is_empty() || is_item || is_rule(line, markup) {
        return false;
    }
    match markup {
        Markup::Rst => {
            let is_field = trimmed.starts_with(':') && trimmed[1..].contains(": ");
            !line.starts_with([' ', '\t'])
                && !is_field
                && !trimmed.ends_with("::")
                && !trimmed.starts_with(['+', '>'])
                && !trimmed.starts_with("__ ")
        }
        Markup::Adoc => {
            let begins = ["=", ":", "[", "//", "image:", "|", "."];
            !begins.iter().any(|mark| trimmed.starts_with(mark)) && !trimmed.contains("::[")
        }
    }
}

/// Returns true for an underline: the line above it is a heading.
fn is_rule(line: &str, markup: Markup) -> bool {
    let line = line.trim_end();
    let marks = if markup == Markup::Rst { "=-~^\"'`#*+.:_" } else { "=-" };
    let first = line.chars().next().filter(|first| marks.contains(*first));
    first.is_some_and(|first| line.len() > 1 && line.chars().all(|c| c == first))
}

/// Returns a line without markup for images and links; `words` keeps the words of links.
fn read(line: &str, markup: Markup, words: bool) -> String {
    match markup {
        Markup::Rst => rst(line, words),
        Markup::Adoc => line.to_owned(),
    }
}

/// Removes substitutions such as `|logo|`, which usually stand for images.
fn without_substitutions(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once('|') {
        text.push_str(before);
        let inner = after.split_once('|').filter(|(inner, _)| {
            !inner.is_empty() && !inner.starts_with(' ') && !inner.ends_with(' ')
        });
        if inner.is_none() {
            text.push('|');
        }
        rest = inner.map_or(after, |(_, after)| after);
    }
    text + rest
}

fn rst(line: &str, words: bool) -> String {
    let text = without_substitutions(line);
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('`') {
        let inner = &rest[at + 1..];
        let Some(end) = inner.find("`_") else { break };
        plain.push_str(&rest[..at]);
        if words {
            plain.push_str(inner[..end].split(" <").next().unwrap_or_default());
        }
        rest = inner[end + 2..].trim_start_matches('_');
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: Form, table: &[(&str, Option<&str>)]) {
        for (text, expected) in table {
            assert_eq!(first_paragraph(text, form).as_deref(), *expected, "{text}");
        }
    }

    #[test]
    fn the_first_prose_paragraph_of_markdown_is_found() {
        check(
            Form::Markdown,
            &[
                ("# Store\nKeeps things.\nAnd more.\n\nThen.", Some("Keeps things. And more.")),
                ("# Store\n\nKeeps things.\n## Use\n", Some("Keeps things.")),
                ("Store\n=====\n\nKeeps things.", Some("Keeps things.")),
                ("Store\n-----\nKeeps things.", Some("Keeps things.")),
                ("[![ci](x)](y)\n<p>\n\n```sh\nnpm i\n```\nKeeps things.", Some("Keeps things.")),
                ("Keeps\nthings.\n- one\n", Some("Keeps things.")),
                ("# R\n\n**Requests** is simple.\n\nThen.", Some("**Requests** is simple.")),
                ("`ls` lists files.", Some("`ls` lists files.")),
                ("[Store](https://x.org) keeps\n[things](y).\n", Some("Store keeps things.")),
                ("![logo](a.png) [![b](c)][d]\nKeeps things.", Some("Keeps things.")),
                ("[Docs](a) | [Chat](b)\n\nKeeps things [1].", Some("Keeps things [1].")),
                ("[ci]: https://x.org\n\n***\n\nKeeps things.", Some("Keeps things.")),
                ("<!-- one\ntwo -->\nKeeps things.", Some("Keeps things.")),
                ("---\ntitle: x\n---\nKeeps things.", Some("Keeps things.")),
                ("* one\n* two\n\n1. three\n\nKeeps things.", Some("Keeps things.")),
                ("# Store\n", None),
                ("", None),
            ],
        );
    }

    #[test]
    fn the_first_prose_paragraph_of_rst_and_asciidoc_is_found() {
        check(
            Form::Lined(Markup::Rst),
            &[
                ("=====\nStore\n=====\n\nKeeps things.", Some("Keeps things.")),
                ("Store\n~~~~~\n.. image:: x\n   :alt: y\n\n   z\n\nKeeps.", Some("Keeps.")),
                ("|ci| |docs|\n\n.. |ci| image:: x\n\n``Store`` keeps.", Some("``Store`` keeps.")),
                ("`Docs <x>`_ `Chat <y>`__\n\nKeeps `things <z>`_.", Some("Keeps things.")),
                (":Author: ada\n\nKeeps things.", Some("Keeps things.")),
                ("Keeps a | b, |name|.", Some("Keeps a | b, .")),
            ],
        );
        check(
            Form::Lined(Markup::Adoc),
            &[
                (
                    "= Store\n:toc:\n\nimage:x[y]\n\n[abstract]\nKeeps things.",
                    Some("Keeps things."),
                ),
                ("----\ncode\n----\nKeeps things.", Some("Keeps things.")),
            ],
        );
    }

    #[test]
    fn a_long_paragraph_is_cut_after_a_sentence_or_word() {
        let sentence = "It keeps what is told to it until somebody asks for it, and longer.";
        let long = format!("{sentence} {}", "and so on ".repeat(30));
        assert_eq!(shortened(&long), sentence);
        let words = "word, ".repeat(60);
        assert!(shortened(&words).ends_with("word …"), "{}", shortened(&words));
        assert_eq!(shortened("Short."), "Short.");
    }

    #[test]
    fn a_readme_is_found_by_any_of_its_names() {
        for name in ["README.md", "Readme.md", "readme.rst", "README.RST", "README.txt", "README"] {
            let folder = tempfile::tempdir().expect("a folder");
            std::fs::write(folder.path().join(name), "Keeps things.\n").expect("a file");
            assert_eq!(purpose(folder.path()).as_deref(), Some("Keeps things."), "{name}");
        }
    }
}
