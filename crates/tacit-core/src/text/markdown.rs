//! The subset of Markdown that Tacit reads: blocks with their ranges, code spans and prose.
//!
//! The parser's events stay in this module. Parsing never fails: unrecognised text is a paragraph.

use std::ops::Range;

use pulldown_cmark::{
    BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd,
};

/// A top-level block, or an item of a top-level list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownBlock {
    /// The kind of block.
    pub kind: BlockKind,
    /// The range of the block in the text, markup included.
    pub range: Range<usize>,
    /// The range of its content without markup; an empty range at the end if there is none.
    pub content: Range<usize>,
}

/// A kind of [`MarkdownBlock`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// A heading of a level from 1 to 6.
    Heading(u8),
    /// Lines of prose.
    Paragraph,
    /// A list item with its children.
    Item,
    /// A fenced or indented code block.
    Code,
    /// HTML, including comments.
    Html,
    /// A thematic break.
    Rule,
    /// Any other block, such as a quotation.
    Other,
}

/// Returns the blocks of a text in order, without link definitions.
pub fn markdown_blocks(text: &str) -> Vec<MarkdownBlock> {
    let mut blocks: Vec<MarkdownBlock> = Vec::new();
    // List items are blocks themselves, so lists do not count as a level.
    let (mut depth, mut lists) = (0_usize, 0_usize);
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::List(_)) if depth == 0 => lists += 1,
            Event::End(_) if depth == 0 => lists -= 1,
            Event::End(_) => depth -= 1,
            _ if depth > 0 => {
                if matches!(event, Event::Start(_)) {
                    depth += 1;
                }
                if let Some(block) = blocks.last_mut() {
                    let escaped = text[..range.start].ends_with('\\');
                    let start = range.start - usize::from(escaped);
                    let is_first = block.content.is_empty();
                    let content = if is_first { start..start } else { block.content.clone() };
                    block.content = content.start..content.end.max(range.end);
                }
            }
            Event::Start(tag) => {
                depth += 1;
                blocks.push(MarkdownBlock::new(kind_of(&tag), range));
            }
            Event::Rule => blocks.push(MarkdownBlock::new(BlockKind::Rule, range)),
            _ => {}
        }
    }
    debug_assert_eq!((depth, lists), (0, 0), "every block is closed");
    blocks
}

impl MarkdownBlock {
    fn new(kind: BlockKind, range: Range<usize>) -> MarkdownBlock {
        MarkdownBlock { kind, content: range.end..range.end, range }
    }
}

fn kind_of(tag: &Tag<'_>) -> BlockKind {
    match tag {
        Tag::Heading { level, .. } => BlockKind::Heading(*level as u8),
        Tag::Paragraph => BlockKind::Paragraph,
        Tag::Item => BlockKind::Item,
        Tag::CodeBlock(_) => BlockKind::Code,
        Tag::HtmlBlock => BlockKind::Html,
        _ => BlockKind::Other,
    }
}

/// Returns the lines of a text that are outside fenced code blocks.
pub fn lines_outside_fences(text: &str) -> Vec<&str> {
    let mut fences = Parser::new(text).into_offset_iter().filter_map(|(event, range)| {
        let is_fence = matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))));
        is_fence.then_some(range)
    });
    let mut fence = fences.next();
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        while fence.as_ref().is_some_and(|fence| fence.end <= start) {
            fence = fences.next();
        }
        if fence.as_ref().is_none_or(|fence| fence.start >= end) {
            lines.push(line.trim_end_matches(['\n', '\r']));
        }
        start = end;
    }
    lines
}

/// Returns the inline code spans of a text in order. Code blocks are skipped.
pub fn code_spans(text: &str) -> impl Iterator<Item = String> {
    Parser::new(text).filter_map(|event| match event {
        Event::Code(code) => Some(code.into_string()),
        _ => None,
    })
}

/// Returns a paragraph as plain text on one line, with link texts but without images. `None` if it
/// has no words outside links.
pub fn prose(paragraph: &str) -> Option<String> {
    // Reference links are defined elsewhere in the document.
    let defined = |link: BrokenLink<'_>| {
        (link.link_type == LinkType::Reference).then(|| (CowStr::from("#"), CowStr::from("")))
    };
    let events = Parser::new_with_broken_link_callback(paragraph, Options::empty(), Some(defined));
    let (mut links, mut images) = (0_usize, 0_usize);
    let (mut text, mut says_something) = (String::new(), false);
    for (event, range) in events.into_offset_iter() {
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            _ if images > 0 => {}
            Event::Start(Tag::Link { .. }) => links += 1,
            Event::End(TagEnd::Link) => links -= 1,
            Event::Text(_) | Event::Code(_) => {
                let words = &paragraph[range];
                says_something |= links == 0 && words.chars().any(char::is_alphabetic);
                text.push_str(words);
            }
            Event::Start(Tag::Strong) | Event::End(TagEnd::Strong) => {
                text.push_str("**");
            }
            Event::Start(Tag::Emphasis) | Event::End(TagEnd::Emphasis) => {
                text.push('*');
            }
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
    }
    says_something.then(|| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_their_content_ranges() {
        let text = "# A b #\n\nprose\nmore\n\n- one\n  two\n- \\# three\n\n```\n# code\n```\n<!-- x -->\n\
                    ***\n> # quoted\n\nTitle\n=====\n[a]: b\n";
        let found: Vec<(BlockKind, &str)> = markdown_blocks(text)
            .into_iter()
            .map(|block| (block.kind, text[block.content].trim_end()))
            .collect();
        assert_eq!(
            found,
            [
                (BlockKind::Heading(1), "A b"),
                (BlockKind::Paragraph, "prose\nmore"),
                (BlockKind::Item, "one\n  two"),
                (BlockKind::Item, "\\# three"),
                (BlockKind::Code, "# code"),
                (BlockKind::Html, "<!-- x -->"),
                (BlockKind::Rule, ""),
                (BlockKind::Other, "# quoted"),
                (BlockKind::Heading(1), "Title"),
            ]
        );
    }

    #[test]
    fn fenced_lines_are_skipped() {
        for (text, expected) in [
            ("a\n```sh\nb\n```\nc", vec!["a", "c"]),
            ("a\r\n  ~~~\nb\n```\n  ~~~\nc\n", vec!["a", "c"]),
            ("````\n```\na\n````\nb", vec!["b"]),
            ("a\n```\nnever closed", vec!["a"]),
            ("    indented", vec!["    indented"]),
            ("", vec![]),
        ] {
            assert_eq!(lines_outside_fences(text), expected, "{text:?}");
        }
    }

    #[test]
    fn inline_code_spans_are_found() {
        let found: Vec<String> = code_spans("`a` and ``b`c``\n\n```\n`d`\n```\n- `e`").collect();
        assert_eq!(found, ["a", "b`c", "e"]);
    }

    #[test]
    fn prose_needs_words_outside_links() {
        for (text, expected) in [
            ("**A** keeps\n[things](y) `b`.", Some("**A** keeps things `b`.")),
            ("![logo](a.png) [![b](c)][d]\nKeeps [1].", Some("Keeps [1].")),
            ("[Docs](a) | [Chat][b]", None),
            ("![logo](a)", None),
        ] {
            assert_eq!(prose(text).as_deref(), expected, "{text}");
        }
    }
}
