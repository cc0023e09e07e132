//! Lines of a file that may not be UTF-8, and blocks that hide their contents.

/// A line with its position in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileLine<'a> {
    /// The line number, from 1.
    pub(crate) number: usize,
    /// The byte offset of the line.
    pub(crate) start: usize,
    /// The byte offset of the next line.
    pub(crate) end: usize,
    /// The contents without the line ending.
    pub(crate) bytes: &'a [u8],
}

impl<'a> FileLine<'a> {
    /// Returns the line as text; `None` if it is not UTF-8.
    pub(crate) fn text(&self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes).ok()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    /// Returns the indentation in columns; a tab goes to the next multiple of four.
    pub(crate) fn indent(&self) -> usize {
        let mut columns = 0;
        for byte in self.bytes {
            match byte {
                b' ' => columns += 1,
                b'\t' => columns += 4 - columns % 4,
                _ => break,
            }
        }
        columns
    }
}

/// Splits a file into lines, without the byte order mark.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = FileLine<'_>> {
    let mut start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut number = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        let line = &rest[..length];
        let line = match line.strip_suffix(b"\n") {
            Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
            None => line,
        };
        number += 1;
        let place = FileLine { number, start, end: start + length, bytes: line };
        start += length;
        Some(place)
    })
}

/// Returns the offset after the front matter; 0 if there is none or it has no end.
pub(crate) fn front_matter(bytes: &[u8]) -> usize {
    let mut lines = lines(bytes);
    if lines.next().is_none_or(|first| first.bytes.trim_ascii_end() != b"---") {
        return 0;
    }
    lines
        .find(|line| matches!(line.bytes.trim_ascii_end(), b"---" | b"..."))
        .map_or(0, |line| line.end)
}

/// An open code fence: its character and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence(u8, usize);

impl Fence {
    /// Returns the fence that a line opens. The line has no indentation.
    pub(crate) fn opened_by(line: &[u8]) -> Option<Fence> {
        let mark = *line.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
        let count = line.iter().take_while(|byte| **byte == mark).count();
        // More backticks on the line make it inline code.
        let inline = mark == b'`' && line[count..].contains(&b'`');
        (count >= 3 && !inline).then_some(Fence(mark, count))
    }

    /// Returns true if a line closes this fence.
    pub(crate) fn is_closed_by(self, line: &[u8]) -> bool {
        let line = line.trim_ascii();
        line.len() >= self.1 && line.iter().all(|byte| *byte == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_into_lines_keeps_every_byte() {
        for bytes in [&b"a\r\nb\n\nc"[..], b"", b"\n", b"\xef\xbb\xbfa\n", b"\xff\n\xfe"] {
            let found: Vec<FileLine<'_>> = lines(bytes).collect();
            let begin = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
            assert_eq!(found.first().map_or(begin, |line| line.start), begin);
            assert_eq!(found.last().map_or(bytes.len(), |line| line.end), bytes.len());
            assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
        let numbers: Vec<_> = lines(b"a\r\nb").map(|line| (line.number, line.bytes)).collect();
        assert_eq!(numbers, [(1, &b"a"[..]), (2, b"b")]);
    }

    #[test]
    fn front_matter_needs_an_end() {
        for (text, end) in [
            ("---\na: b\n---\nx", 13),
            ("---\na: b\n", 0),
            ("x\n---\n", 0),
            ("---\n...\n", 8),
            ("", 0),
        ] {
            assert_eq!(front_matter(text.as_bytes()), end, "{text:?}");
        }
    }
}
