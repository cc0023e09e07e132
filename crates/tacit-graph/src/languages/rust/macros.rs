//! Parses macro arguments, which the grammar leaves as tokens. The arguments of well-known macros
//! are expressions, so they are parsed again as such, at the same positions.

use tree_sitter::{Node, Parser, Range, Tree};

use crate::SourceText;

/// The maximum depth of brackets in which to look for calls.
const MAX_DEPTH: usize = 64;

/// The syntax of a macro's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arguments {
    Expressions,
    /// Expressions and fields with optional sigils: `user = %name(), ?id`.
    Fields,
    /// An expression followed by a pattern.
    ExpressionThenPattern,
    Unknown,
}

fn arguments(name: &str) -> Arguments {
    match name.rsplit("::").next().unwrap_or(name).trim() {
        "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq"
        | "debug_assert_ne" | "print" | "println" | "eprint" | "eprintln" | "format"
        | "format_args" | "write" | "writeln" | "panic" | "todo" | "unimplemented"
        | "unreachable" | "vec" | "dbg" | "anyhow" | "bail" | "ensure" | "join" | "try_join" => {
            Arguments::Expressions
        }
        "trace" | "debug" | "info" | "warn" | "error" | "log" | "event" | "span" | "trace_span"
        | "debug_span" | "info_span" | "warn_span" | "error_span" => Arguments::Fields,
        "matches" | "assert_matches" | "debug_assert_matches" => Arguments::ExpressionThenPattern,
        _ => Arguments::Unknown,
    }
}

/// Parses the arguments of well-known macros again, each as a statement, with node positions as in
/// the file. Also returns the number of other macros that may contain calls.
pub(crate) fn reread(
    calls: &[Node<'_>],
    source: &SourceText<'_>,
    parser: &mut Parser,
) -> (Option<Tree>, u32) {
    let (mut ranges, mut text, mut unknown) = (Vec::new(), Vec::new(), 0);
    for call in calls {
        let mut cursor = call.walk();
        let parts: Vec<Node<'_>> = call.children(&mut cursor).collect();
        let [name, mark, tokens] = parts[..] else { continue };
        let kind = arguments(source.text(name));
        if kind == Arguments::Unknown || source.text(tokens).starts_with('{') {
            unknown += u32::from(may_call(tokens, 0));
            continue;
        }
        if !has_expressions(tokens) {
            continue;
        }
        if text.is_empty() {
            text = source.bytes().to_vec();
        }
        // The `!` of the macro becomes a `;`, which ends the previous statement.
        text[mark.byte_range()].fill(b';');
        ranges.push(mark.range());
        let whole = tokens.range();
        match first_comma_and_end(tokens).filter(|_| kind == Arguments::ExpressionThenPattern) {
            Some((comma, end)) => ranges.extend([
                Range { end_byte: comma.start_byte, end_point: comma.start_point, ..whole },
                end,
            ]),
            None => ranges.push(whole),
        }
        if kind == Arguments::Fields {
            blank_prefixes(tokens, &mut text);
        }
    }
    if ranges.is_empty() || parser.set_included_ranges(&ranges).is_err() {
        return (None, unknown);
    }
    let tree = parser.parse(&text, None);
    // Without ranges the whole text is parsed, which cannot fail.
    let _ = parser.set_included_ranges(&[]);
    (tree, unknown)
}

/// Returns the first comma between arguments, and the closing bracket.
fn first_comma_and_end(tokens: Node<'_>) -> Option<(Range, Range)> {
    let mut cursor = tokens.walk();
    let parts: Vec<Node<'_>> = tokens.children(&mut cursor).collect();
    let comma = parts.iter().find(|part| part.kind() == ",")?;
    Some((comma.range(), parts.last()?.range()))
}

/// Blanks prefixes of expressions: `target: "a"`, `%name()`, `id = ?id()`.
fn blank_prefixes(tokens: Node<'_>, text: &mut [u8]) {
    let mut cursor = tokens.walk();
    let parts: Vec<Node<'_>> = tokens.children(&mut cursor).collect();
    for three in parts.windows(3) {
        let begins = matches!(three[0].kind(), "(" | "[" | "," | "=");
        match (three[1].kind(), three[2].kind()) {
            ("%" | "?", _) if begins => text[three[1].byte_range()].fill(b' '),
            ("identifier", ":") if begins => {
                text[three[1].start_byte()..three[2].end_byte()].fill(b' ');
            }
            _ => {}
        }
    }
}

/// Returns true if tokens contain more than plain names and literals. `println!("{total}")` is not
/// worth parsing.
fn has_expressions(tokens: Node<'_>) -> bool {
    let mut cursor = tokens.walk();
    tokens.children(&mut cursor).any(|part| matches!(part.kind(), "token_tree" | "::"))
}

/// Returns true if anything in the tokens looks like a call.
fn may_call(tokens: Node<'_>, depth: usize) -> bool {
    let mut cursor = tokens.walk();
    let mut after_name = false;
    for part in tokens.children(&mut cursor) {
        if part.kind() == "token_tree" {
            let opens = part.child(0).is_some_and(|bracket| bracket.kind() == "(");
            if (after_name && opens) || depth == MAX_DEPTH || may_call(part, depth + 1) {
                return true;
            }
        }
        after_name = part.kind() == "identifier";
    }
    false
}
