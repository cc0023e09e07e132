//! Markdown as the pieces that each say one thing: an item of a list, or a paragraph with the code
//! that belongs to it, under its headings.

/// One piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The line it begins in.
    pub(crate) line: usize,
    /// The headings above it, outermost first. A line that introduces a list counts as one.
    pub(crate) headings: Vec<String>,
    /// What it says, without the mark of the list.
    pub(crate) text: String,
}

/// The pieces of a text whose first line has this number.
pub(crate) fn blocks(text: &str, first_line: usize) -> Vec<Block> {
    let mut reader = Reader::default();
    for (line, number) in text.split('\n').zip(first_line..) {
        reader.line(line.trim_end(), number);
    }
    reader.flush();
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    headings: Vec<(usize, String)>,
    /// What introduces the list that is being read.
    intro: Option<String>,
    open: Option<Open>,
    fence: Option<String>,
    skip_to: Option<&'static str>,
    blank: bool,
}

/// A piece that is being read.
struct Open {
    line: usize,
    lines: Vec<String>,
    /// How far the text of an item of a list is indented; none for a paragraph.
    item: Option<usize>,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) {
        if let Some(end) = self.skip_to {
            if line.contains(end) {
                self.skip_to = None;
            }
            return;
        }
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if let Some(fence) = &self.fence {
            let closes = text.starts_with(fence.as_str());
            self.add(line, number);
            if closes {
                self.fence = None;
            }
            return;
        }
        if text.is_empty() {
            self.blank = true;
            return;
        }
        let after_blank = std::mem::take(&mut self.blank);
        if let Some(end) = comment(text) {
            self.skip_to = (!text.contains(end)).then_some(end);
            return;
        }
        if let Some(mark) = fence(text) {
            let inside = self.open.as_ref().is_some_and(|open| match open.item {
                Some(width) => indent >= width || !after_blank,
                None => !after_blank || open.ends_with_colon(),
            });
            if !inside {
                self.flush();
            }
            self.add(line, number);
            self.fence = Some(mark);
            return;
        }
        if let Some((level, heading)) = heading(text, indent) {
            self.flush();
            self.head(level, heading);
            return;
        }
        if let Some(level) = underline(text)
            && !after_blank
            && let Some(open) = self.open.take_if(|open| open.item.is_none())
        {
            self.head(level, open.lines.join(" "));
            return;
        }
        if matches!(text, "---" | "***" | "___") {
            self.flush();
            return;
        }
        let inside_item = self
            .open
            .as_ref()
            .and_then(|open| open.item)
            .is_some_and(|width| indent >= width.min(2));
        if !inside_item && let Some(width) = marker(text) {
            match self.open.take_if(|open| open.item.is_none() && open.ends_with_colon()) {
                Some(open) => {
                    let intro = open.lines.join(" ");
                    self.intro = Some(intro.trim_end_matches(':').to_owned());
                }
                None => self.flush_before_item(),
            }
            let lines = vec![text[width..].trim().to_owned()];
            self.open = Some(Open { line: number, lines, item: Some(indent + width) });
            return;
        }
        if after_blank && !inside_item {
            self.flush();
        }
        if after_blank && self.open.is_some() {
            self.add("", number);
        }
        self.add(line, number);
    }

    fn head(&mut self, level: usize, heading: String) {
        self.intro = None;
        self.headings.retain(|(other, _)| *other < level);
        self.headings.push((level, heading));
    }

    fn add(&mut self, line: &str, number: usize) {
        let open =
            self.open.get_or_insert_with(|| Open { line: number, lines: Vec::new(), item: None });
        let width = open.item.unwrap_or(0);
        let spaces = line.len() - line.trim_start_matches(' ').len();
        open.lines.push(line[spaces.min(width)..].to_owned());
    }

    /// Ends an item without ending the list.
    fn flush_before_item(&mut self) {
        let in_list = self.open.as_ref().is_some_and(|open| open.item.is_some());
        let intro = self.intro.clone();
        self.flush();
        self.intro = intro.filter(|_| in_list);
    }

    fn flush(&mut self) {
        if let Some(open) = self.open.take() {
            let text = open.lines.join("\n").trim().to_owned();
            let headings = self.headings.iter().map(|(_, heading)| heading.clone());
            let intro = self.intro.clone().filter(|_| open.item.is_some());
            if !text.is_empty() {
                let headings = headings.chain(intro).collect();
                self.blocks.push(Block { line: open.line, headings, text });
            }
        }
        self.intro = None;
    }
}

impl Open {
    fn ends_with_colon(&self) -> bool {
        self.lines.last().is_some_and(|line| line.ends_with(':'))
    }
}

/// The end of a comment that begins here. What Tacit itself wrote is skipped whole.
fn comment(text: &str) -> Option<&'static str> {
    if text.starts_with("<!-- tacit:begin -->") {
        Some("<!-- tacit:end -->")
    } else if text.starts_with("<!--") {
        Some("-->")
    } else {
        None
    }
}

fn fence(text: &str) -> Option<String> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.chars().take_while(|c| *c == mark).count();
    (length >= 3).then(|| mark.to_string().repeat(length))
}

fn heading(text: &str, indent: usize) -> Option<(usize, String)> {
    let level = text.bytes().take_while(|b| *b == b'#').count();
    let rest = text.get(level..)?;
    let is_one = (1..=6).contains(&level) && indent < 4 && rest.starts_with([' ', '\t']);
    is_one.then(|| (level, rest.trim().trim_end_matches('#').trim().to_owned()))
}

fn underline(text: &str) -> Option<usize> {
    let all = |mark: u8| text.len() >= 3 && text.bytes().all(|b| b == mark);
    if all(b'=') {
        Some(1)
    } else if all(b'-') {
        Some(2)
    } else {
        None
    }
}

/// The width of the mark of a list, with the space after it.
fn marker(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=3).contains(&digits) => digits + 1,
        _ => return None,
    };
    text.get(mark..)?.starts_with([' ', '\t']).then_some(mark + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(usize, String, String)> {
        blocks(text, 1)
            .into_iter()
            .map(|block| (block.line, block.headings.join(" / "), block.text))
            .collect()
    }

    fn row(line: usize, headings: &str, text: &str) -> (usize, String, String) {
        (line, headings.into(), text.into())
    }

    #[test]
    fn lists_paragraphs_and_headings() {
        let text = "# Shop\n\nA shop in\ntwo lines.\n\n## Build\n- use pnpm\n- never use npm:\n  it \
                    breaks\n  - nested\n\n  and more\n1. first\n\nAfter.\n\nStyle\n-----\ntabs\n";
        assert_eq!(
            read(text),
            [
                row(3, "Shop", "A shop in\ntwo lines."),
                row(7, "Shop / Build", "use pnpm"),
                row(8, "Shop / Build", "never use npm:\nit breaks\n- nested\n\nand more"),
                row(13, "Shop / Build", "first"),
                row(15, "Shop / Build", "After."),
                row(19, "Shop / Style", "tabs"),
            ]
        );
    }

    #[test]
    fn what_introduces_a_list_or_code_stays_with_it() {
        let text = "Before a commit:\n\n- run fmt\n- run clippy\n\nRun the tests with:\n\n```sh\n# \
                    not a heading\ncargo test\n```\n\n- alone\n";
        assert_eq!(
            read(text),
            [
                row(3, "Before a commit", "run fmt"),
                row(4, "Before a commit", "run clippy"),
                row(6, "", "Run the tests with:\n```sh\n# not a heading\ncargo test\n```"),
                row(13, "", "alone"),
            ]
        );
    }

    #[test]
    fn comments_and_what_we_wrote_are_no_text() {
        let text = "a b\n\n<!-- hidden -->\n<!--\nhidden\n-->\n\n<!-- tacit:begin -->\n## Memory\n\
                    ours\n<!-- tacit:end -->\n\nc d\n";
        assert_eq!(read(text), [row(1, "", "a b"), row(13, "", "c d")]);
    }
}
