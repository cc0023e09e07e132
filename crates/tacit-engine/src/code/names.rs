//! Names in backticks that may be symbols of the code.

use std::collections::BTreeSet;

use tacit_core::{SymbolRef, code_spans};

/// The most names of a text that are looked up.
const MOST: usize = 32;
/// Receivers that are not part of a member's name.
const RECEIVERS: [&str; 6] = ["self", "this", "cls", "crate", "super", "Self"];
/// The least length of a single word that is unique in a project.
const LONG_WORD: usize = 10;
/// The least length of a compound name that is unique in a project.
const LONG_NAME: usize = 5;

/// A name in a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MentionedName {
    /// A name with its file.
    Placed(SymbolRef),
    /// A name alone, such as `Pool.close`.
    Free(String),
}

/// Returns the distinct names in backticks. Code blocks are skipped, because they show usage and
/// mention unrelated names.
pub(super) fn names(text: &str) -> Vec<MentionedName> {
    let found: BTreeSet<MentionedName> = code_spans(text).filter_map(|span| name(&span)).collect();
    found.into_iter().take(MOST).collect()
}

/// Parses a code span that is a single name.
fn name(span: &str) -> Option<MentionedName> {
    let span = span.trim();
    let span = span.split('(').next().unwrap_or(span);
    if let Some((path, _)) = span.split_once("::")
        && (path.contains('/') || path.contains('.'))
    {
        return SymbolRef::new(span).ok().map(MentionedName::Placed);
    }
    let parts: Vec<&str> = span.split(['.', ':', '#']).filter(|part| !part.is_empty()).collect();
    let parts = match parts.split_first() {
        Some((first, rest)) if RECEIVERS.contains(first) => rest,
        _ => &parts[..],
    };
    let is_name = |part: &&str| {
        part.chars().all(|c| c.is_alphanumeric() || c == '_')
            && part.chars().next().is_some_and(|c| !c.is_numeric())
    };
    let whole = !parts.is_empty() && parts.iter().all(is_name);
    (whole && parts.concat().len() > 1).then(|| MentionedName::Free(parts.join(".")))
}

/// Returns true if a name is probably unique in a project.
pub(super) fn is_distinctive(name: &str) -> bool {
    let letters: Vec<char> = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let humps = letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let joined = humps || name.trim_matches('_').contains(['_', '.']);
    letters.len() >= if joined { LONG_NAME } else { LONG_WORD }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |named: &MentionedName| match named {
            MentionedName::Placed(symbol) => symbol.to_string(),
            MentionedName::Free(name) => name.clone(),
        };
        names(text).iter().map(show).collect()
    }

    #[test]
    fn names_are_read_from_backticks() {
        for (text, expected) in [
            ("call `Pool.close` before `fork()`", vec!["Pool.close", "fork"]),
            ("`Pool::close(&mut self)` and `Pool#close`", vec!["Pool.close"]),
            ("`self.close` means `close`", vec!["close"]),
            ("`src/pool.rs::Pool::close`", vec!["src/pool.rs::Pool.close"]),
            ("no names: `a + b`, `cargo test`, `--flag`, `2x`, `x`", vec![]),
            ("Pool.close without backticks", vec![]),
            ("an open `Pool.close", vec![]),
            ("```\n`Pool.close`\n```\n`fork`", vec!["fork"]),
            ("`über_läufer`", vec!["über_läufer"]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn short_names_are_not_distinctive() {
        for (name, enough) in [
            ("close", false),
            ("connect", false),
            ("Pool.run", true),
            ("a.b", false),
            ("retry_count", true),
            ("parseConfig", true),
            ("_private", false),
            ("Repository", true),
        ] {
            assert_eq!(is_distinctive(name), enough, "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_valid_names(text in "(?s)([`a-z.:#()\n ]|\\PC){0,80}") {
            for named in names(&text) {
                if let MentionedName::Free(name) = named {
                    prop_assert!(!name.is_empty() && !name.contains(['`', ' ', '\n']));
                    is_distinctive(&name);
                }
            }
        }
    }
}
