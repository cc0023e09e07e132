//! Splits markdown into blocks that each state one thing: a list item, or a paragraph with its
//! code, under its headings.

use tacit_core::{BlockKind, MarkdownBlock, markdown_blocks};

/// A block of markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextBlock {
    /// The line where the block starts.
    pub(crate) line: usize,
    /// The headings above the block, outermost first. A line that introduces a list counts as one.
    pub(crate) headings: Vec<String>,
    /// The text, without the list marker.
    pub(crate) text: String,
    /// True for an item of a list.
    pub(crate) is_item: bool,
    /// True if the last heading is the line that introduces the list.
    pub(crate) has_intro: bool,
}

/// Splits a text whose first line has the number `first_line`.
pub(crate) fn blocks(text: &str, first_line: usize) -> Vec<TextBlock> {
    let mut reader = Reader { text, line: first_line, ..Reader::default() };
    for block in markdown_blocks(text) {
        reader.block(&block);
    }
    reader.flush();
    reader.blocks
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    /// The line number at `counted`, the offset up to which lines have been counted.
    line: usize,
    counted: usize,
    blocks: Vec<TextBlock>,
    headings: Vec<(u8, String)>,
    /// The introduction of the current list.
    intro: Option<String>,
    open: Option<OpenBlock>,
    /// True while text that Tacit itself wrote is being skipped.
    ours: bool,
}

/// A block that may continue.
struct OpenBlock {
    line: usize,
    text: String,
    is_item: bool,
    /// The offset of the end of the block.
    end: usize,
}

impl Reader<'_> {
    fn block(&mut self, block: &MarkdownBlock) {
        let raw = self.text[block.range.clone()].trim_end();
        if self.ours || raw.starts_with("<!-- tacit:begin -->") {
            self.ours = !raw.contains("<!-- tacit:end -->");
            return;
        }
        match block.kind {
            BlockKind::Html if raw.starts_with("<!--") => {}
            BlockKind::Heading(level) => {
                self.flush();
                let heading = self.text[block.content.clone()].split('\n').map(str::trim);
                self.headings.retain(|(other, _)| *other < level);
                self.headings.push((level, heading.collect::<Vec<_>>().join(" ")));
            }
            BlockKind::Rule => self.flush(),
            BlockKind::Item => {
                match self.open.take_if(|open| !open.is_item && open.text.ends_with(':')) {
                    Some(open) => {
                        let intro = open.text.replace('\n', " ");
                        self.intro = Some(intro.trim_end_matches(':').to_owned());
                    }
                    None => {
                        let in_list = self.open.as_ref().is_some_and(|open| open.is_item);
                        let intro = self.intro.take().filter(|_| in_list);
                        self.flush_under(intro.clone());
                        self.intro = intro;
                    }
                }
                self.begin(block, self.item(block));
            }
            BlockKind::Code if self.continues(block) => {
                if let Some(open) = &mut self.open {
                    open.text = format!("{}\n{}", open.text, trimmed_lines(raw));
                    open.end = block.range.start + raw.len();
                }
            }
            BlockKind::Paragraph | BlockKind::Code | BlockKind::Html | BlockKind::Other => {
                self.flush();
                self.begin(block, trimmed_lines(raw));
            }
        }
    }

    /// Returns true if code continues the block before it: it follows directly, or the block ends
    /// with a colon.
    fn continues(&self, code: &MarkdownBlock) -> bool {
        self.open.as_ref().is_some_and(|open| {
            let adjoins = self.text[open.end..code.range.start].matches('\n').count() < 2;
            adjoins || !open.is_item && open.text.ends_with(':')
        })
    }

    fn begin(&mut self, block: &MarkdownBlock, text: String) {
        let between = self.text[self.counted..block.range.start].matches('\n').count();
        (self.line, self.counted) = (self.line + between, block.range.start);
        let end = block.range.start + self.text[block.range.clone()].trim_end().len();
        let is_item = block.kind == BlockKind::Item;
        self.open = Some(OpenBlock { line: self.line, text, is_item, end });
    }

    /// Returns the text of an item, outdented by the width of its marker.
    fn item(&self, block: &MarkdownBlock) -> String {
        let before = &self.text[..block.range.start];
        let indent = before.len() - before.trim_end_matches(' ').len();
        let raw = &self.text[block.range.clone()];
        let mark = raw.find([' ', '\t', '\n']).unwrap_or(raw.len());
        let width = indent + mark + 1;
        let lines = self.text[block.content.clone()].split('\n').enumerate().map(|(at, line)| {
            let spaces = line.len() - line.trim_start_matches(' ').len();
            line[if at == 0 { 0 } else { spaces.min(width) }..].trim_end()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn flush(&mut self) {
        let intro = self.intro.take();
        self.flush_under(intro);
    }

    fn flush_under(&mut self, intro: Option<String>) {
        let Some(open) = self.open.take() else { return };
        let text = open.text.trim().to_owned();
        if !text.is_empty() {
            let intro = intro.filter(|_| open.is_item);
            let (is_item, has_intro) = (open.is_item, intro.is_some());
            let headings = self.headings.iter().map(|(_, heading)| heading.clone());
            let headings = headings.chain(intro).collect();
            self.blocks.push(TextBlock { line: open.line, headings, text, is_item, has_intro });
        }
    }
}

fn trimmed_lines(text: &str) -> String {
    text.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n")
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
    fn blocks_are_items_and_paragraphs_under_headings() {
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
    fn introductions_stay_with_their_list_or_code() {
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
    fn comments_and_our_own_section_are_skipped() {
        let text = "a b\n\n<!-- hidden -->\n<!--\nhidden\n-->\n\n<!-- tacit:begin -->\n## Memory\n\
                    ours\n<!-- tacit:end -->\n\nc d\n";
        assert_eq!(read(text), [row(1, "", "a b"), row(13, "", "c d")]);
    }
}
