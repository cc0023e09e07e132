//! The arguments of macros, which the grammar leaves as tokens. Those of macros that everybody knows
//! are expressions, so they are parsed again as such, where they stand.

use tree_sitter::{Node, Parser, Range, Tree};

use crate::SourceText;

/// How deep brackets are looked into for calls.
const DEEPEST: usize = 64;

/// What the arguments of a macro are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arguments {
    Expressions,
    /// Expressions among fields, which may be marked: `user = %name(), ?id`.
    Fields,
    /// An expression, and then a pattern.
    First,
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
        "matches" | "assert_matches" | "debug_assert_matches" => Arguments::First,
        _ => Arguments::Unknown,
    }
}

/// Parses the arguments of macro calls again, if they are expressions: a statement for each, with
/// all nodes where they are in the file. Also tells in how many others something may be called.
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
        if !may_mean(tokens) {
            continue;
        }
        if text.is_empty() {
            text = source.bytes().to_vec();
        }
        // What ends the statement before takes the place of the mark of the macro.
        text[mark.byte_range()].fill(b';');
        ranges.push(mark.range());
        let whole = tokens.range();
        match pattern_in(tokens).filter(|_| kind == Arguments::First) {
            Some((comma, end)) => ranges.extend([
                Range { end_byte: comma.start_byte, end_point: comma.start_point, ..whole },
                end,
            ]),
            None => ranges.push(whole),
        }
        if kind == Arguments::Fields {
            unmark(tokens, &mut text);
        }
    }
    if ranges.is_empty() || parser.set_included_ranges(&ranges).is_err() {
        return (None, unknown);
    }
    let tree = parser.parse(&text, None);
    // Without ranges all of a text is parsed, which cannot fail.
    let _ = parser.set_included_ranges(&[]);
    (tree, unknown)
}

/// The first comma between arguments, and the bracket that closes them.
fn pattern_in(tokens: Node<'_>) -> Option<(Range, Range)> {
    let mut cursor = tokens.walk();
    let parts: Vec<Node<'_>> = tokens.children(&mut cursor).collect();
    let comma = parts.iter().find(|part| part.kind() == ",")?;
    Some((comma.range(), parts.last()?.range()))
}

/// Blanks what is written before expressions: `target: "a"`, `%name()`, `id = ?id()`.
fn unmark(tokens: Node<'_>, text: &mut [u8]) {
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

/// Whether tokens may be more than plain names and literals: `println!("{total}")` is not worth the
/// while.
fn may_mean(tokens: Node<'_>) -> bool {
    let mut cursor = tokens.walk();
    tokens.children(&mut cursor).any(|part| matches!(part.kind(), "token_tree" | "::"))
}

/// Whether anything in tokens looks like a call.
fn may_call(tokens: Node<'_>, depth: usize) -> bool {
    let mut cursor = tokens.walk();
    let mut after_name = false;
    for part in tokens.children(&mut cursor) {
        if part.kind() == "token_tree" {
            let opens = part.child(0).is_some_and(|bracket| bracket.kind() == "(");
            if (after_name && opens) || depth == DEEPEST || may_call(part, depth + 1) {
                return true;
            }
        }
        after_name = part.kind() == "identifier";
    }
    false
}
