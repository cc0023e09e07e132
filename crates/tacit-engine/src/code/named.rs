//! The names in a text that may be symbols of the code: what somebody put into backticks.

use std::collections::BTreeSet;

use tacit_core::{SymbolRef, code_spans};

/// How many names of a text are looked up.
const MOST: usize = 32;
/// Words that say where a member is looked for, and are no part of its name.
const RECEIVERS: [&str; 6] = ["self", "this", "cls", "crate", "super", "Self"];
/// A name that is no more than a word has to be this long to mean one thing in a whole project.
const LONG_WORD: usize = 10;
/// One that is put together from several has to be this long.
const LONG_NAME: usize = 5;

/// A name that a text gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CodeName {
    /// With its file.
    Placed(SymbolRef),
    /// Alone: `Pool.close`.
    Free(String),
}

/// The names in backticks, each once. Blocks of code are left out: they show how something is used,
/// and name whatever it takes.
pub(super) fn names(text: &str) -> Vec<CodeName> {
    let found: BTreeSet<CodeName> = code_spans(text).filter_map(|span| name(&span)).collect();
    found.into_iter().take(MOST).collect()
}

/// The name that a piece of code is, if it is nothing else.
fn name(span: &str) -> Option<CodeName> {
    let span = span.trim();
    let span = span.split('(').next().unwrap_or(span);
    if let Some((path, _)) = span.split_once("::")
        && (path.contains('/') || path.contains('.'))
    {
        return SymbolRef::new(span).ok().map(CodeName::Placed);
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
    (whole && parts.concat().len() > 1).then(|| CodeName::Free(parts.join(".")))
}

/// Whether a name can be expected to mean one thing in a whole project.
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
        let show = |named: &CodeName| match named {
            CodeName::Placed(symbol) => symbol.to_string(),
            CodeName::Free(name) => name.clone(),
        };
        names(text).iter().map(show).collect()
    }

    #[test]
    fn names_are_what_backticks_say() {
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
    fn a_name_must_say_enough_to_be_looked_for_everywhere() {
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
        fn any_text_can_be_looked_at(text in "(?s)([`a-z.:#()\n ]|\\PC){0,80}") {
            for named in names(&text) {
                if let CodeName::Free(name) = named {
                    prop_assert!(!name.is_empty() && !name.contains(['`', ' ', '\n']));
                    is_distinctive(&name);
                }
            }
        }
    }
}
