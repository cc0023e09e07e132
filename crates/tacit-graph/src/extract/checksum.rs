//! Checksums of definitions that ignore layout and comments.

use std::ops::Range;

/// The kinds of comment nodes in the grammars.
const COMMENTS: [&str; 5] =
    ["block_comment", "comment", "html_comment", "line_comment", "multiline_comment"];

/// Returns patterns that capture the comments of a grammar.
pub(super) fn comment_patterns(grammar: &tree_sitter::Language) -> String {
    let known = COMMENTS.iter().filter(|kind| grammar.id_for_node_kind(kind, true) != 0);
    known.map(|kind| format!("({kind}) @comment\n")).collect()
}

/// Computes the FNV-1a checksum of a text range without white space and comments. The comments must
/// be sorted.
pub(super) fn text_checksum(text: &str, range: Range<usize>, comments: &[Range<usize>]) -> u64 {
    let mut checksum = 0xcbf2_9ce4_8422_2325;
    let mut add = |part: Range<usize>| {
        let bytes = text.as_bytes().get(part).unwrap_or_default();
        for byte in bytes.iter().filter(|byte| !byte.is_ascii_whitespace()) {
            checksum = (checksum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let mut at = range.start;
    let first = comments.partition_point(|comment| comment.start < range.start);
    for comment in comments[first..].iter().take_while(|comment| comment.start < range.end) {
        add(at..comment.start.max(at));
        // Some grammars have comments inside comments.
        at = at.max(comment.end);
    }
    add(at..range.end.max(at));
    checksum
}

#[cfg(test)]
mod tests {
    use super::text_checksum;

    #[test]
    fn layout_and_comments_do_not_count() {
        let checksum = |text: &str| {
            let comment = text.find("/*").map(|start| start..text.find("*/").unwrap() + 2);
            text_checksum(text, 0..text.len(), &comment.into_iter().collect::<Vec<_>>())
        };
        for (one, other, same) in [
            ("f ( x )", "f(x)", true),
            ("f(/* y */x)", "f(x)", true),
            ("/* first */f(x)", "f(x)/* last */", true),
            ("f(y)", "f(x)", false),
        ] {
            assert_eq!(checksum(one) == checksum(other), same, "{one} and {other}");
        }
        // Comments before and after the range, and a nested one.
        let text = "/*a*/ f /*b/*c*/*/ g /*d*/";
        assert_eq!(text_checksum(text, 6..20, &[0..5, 8..18, 11..16, 21..26]), checksum("fg"));
    }
}
