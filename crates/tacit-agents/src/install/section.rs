//! A section of our own at the end of a text file, which can be removed without a trace.

/// Appends a section, after a blank line.
pub(super) fn append(text: &str, section: &str) -> String {
    let nl = newline(text);
    let section = section.replace('\n', nl);
    // If the last line of the file has no line break, the section gets none either: removal then
    // knows to leave the line as it was.
    match text.ends_with('\n') {
        true => format!("{text}{nl}{section}{nl}"),
        false => format!("{text}{nl}{nl}{section}"),
    }
}

/// Creates a file with a section alone.
pub(super) fn create(section: &str) -> String {
    format!("{section}\n")
}

/// Replaces the section between two positions.
pub(super) fn replace(text: &str, (start, end): (usize, usize), section: &str) -> String {
    format!("{}{}{}", &text[..start], section.replace('\n', newline(text)), &text[end..])
}

/// Removes the section between two positions; `None` if nothing else is left.
pub(super) fn remove(text: &str, (start, end): (usize, usize)) -> Option<String> {
    let (head, tail) = (&text[..start], &text[end..]);
    if tail.is_empty() {
        return Some(without_newline(without_newline(head)).to_owned());
    }
    let tail = tail.strip_prefix("\r\n").or(tail.strip_prefix('\n')).unwrap_or(tail);
    let empty = head.is_empty() && tail.is_empty();
    // The line break of the blank line before the section, not that of a line with text.
    let before = without_newline(head);
    let head = if before.is_empty() || before.ends_with('\n') { before } else { head };
    (!empty).then(|| format!("{head}{tail}"))
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn without_newline(text: &str) -> &str {
    text.strip_suffix("\r\n").or(text.strip_suffix('\n')).unwrap_or(text)
}
