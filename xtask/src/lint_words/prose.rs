//! Rules about sentences, wherever they stand.

use super::{LintFinding, Rule};

/// Words with which a doc comment does not begin. They announce a riddle instead of the thing.
const OPENINGS: &[&str] = &[
    "What", "Whatever", "Whether", "Who", "Whoever", "Whom", "Whose", "Which", "Why", "When",
    "Where", "Wherever", "How", "It", "Its", "This", "That", "These", "Those", "They", "Their",
    "Our", "We", "Nobody", "Nor", "Of", "There",
];

/// Words and phrases that plain English does without.
const ARCHAIC: &[&str] = &[
    "whoever",
    "whomever",
    "whosoever",
    "thereof",
    "whereof",
    "thereby",
    "lest",
    "hitherto",
    "henceforth",
    "whereabouts",
    "nought",
    "the like",
    "speaks of",
    "be it",
];

/// Third-person verbs that an imperative is mistaken for.
const NOT_THIRD_PERSON: &[&str] = &["Pass", "Process", "Compress", "Address", "Discuss", "Assess"];

/// Returns what is wrong with the text of a doc comment: one word, or a paragraph that opens with a
/// question word or pronoun, with the line at fault. Blocks of code are left out.
pub(super) fn doc(text: &str) -> Option<(Rule, &str)> {
    if let [word] = text.split_whitespace().collect::<Vec<&str>>().as_slice()
        && !word.contains('`')
        && !word.contains("://")
    {
        return Some((Rule::DocOneWord, word));
    }
    let (mut opens, mut fenced) = (true, false);
    for line in text.lines().map(str::trim) {
        fenced ^= line.starts_with("```");
        let first = letters(line.split_whitespace().next().unwrap_or_default());
        if opens && !fenced && OPENINGS.contains(&first) {
            return Some((Rule::DocOpening, line));
        }
        // A heading such as `# Errors` needs no blank line after it.
        opens = line.is_empty() || line.starts_with('#');
    }
    None
}

/// Returns true if the help of a command begins with an imperative: "Show …", not "Shows …", "The
/// …" or "What …".
pub(super) fn is_imperative(help: &str) -> bool {
    let first = letters(help.split_whitespace().next().unwrap_or_default());
    let third_person = first.ends_with('s') && !NOT_THIRD_PERSON.contains(&first);
    let capital = first.chars().next().is_some_and(char::is_uppercase);
    let article = ["The", "A", "An", "Every", "Each", "Is", "Are", "For"].contains(&first);
    capital && !third_person && !article && !OPENINGS.contains(&first)
}

/// Returns true if an error message is a phrase: no capital but a name's, no full stop, no shouted
/// code.
pub(super) fn is_error_phrase(message: &str) -> bool {
    let first = message.split_whitespace().next().unwrap_or_default();
    let mut characters = letters(first).chars();
    let capital = characters.next().is_some_and(char::is_uppercase);
    // `JSON`, `SQLite` and `OpenCode` have a capital besides the first.
    let named = characters.any(char::is_uppercase) || NAMES.contains(&letters(first));
    let shouted = first.ends_with(':')
        && first.len() > 4
        && first.trim_end_matches(':').chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let stopped = message.ends_with('!') || (message.ends_with('.') && !message.ends_with("..."));
    !stopped && !shouted && (!capital || named)
}

const NAMES: &[&str] = &["Tacit", "Git", "Claude", "Codex", "Gemini", "Copilot", "Cursor"];

/// Returns true if the name of a test states a rule instead of asking.
pub(super) fn is_rule(test: &str) -> bool {
    let first = test.split('_').next().unwrap_or_default();
    let asks = OPENINGS.iter().any(|opening| opening.eq_ignore_ascii_case(first));
    // `when_…` introduces a condition, `this_machine` a subject.
    !asks || ["when", "this", "these", "those", "there"].contains(&first)
}

/// Returns the archaic words of a text.
pub(super) fn archaic(text: &str) -> impl Iterator<Item = &'static str> {
    let lower = text.to_lowercase();
    ARCHAIC.iter().copied().filter(move |phrase| contains_phrase(&lower, phrase))
}

fn contains_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !is_word(text[..at].chars().next_back())
            && !is_word(text[at + phrase.len()..].chars().next())
    })
}

/// Returns the findings of a document, leaving out blocks of code.
pub(super) fn markdown(text: &str) -> Vec<LintFinding> {
    let mut findings = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            findings.extend(archaic_findings(line, index + 1));
        }
    }
    findings
}

/// Returns the Rust files that a document names in backticks, with their lines.
pub(super) fn source_files(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        let quoted = line.split('`').skip(1).step_by(2);
        let named = quoted.filter(|name| name.ends_with(".rs") && !name.contains([' ', '*', '<']));
        named.map(move |name| (index + 1, name))
    })
}

pub(super) fn archaic_findings(text: &str, line: usize) -> impl Iterator<Item = LintFinding> {
    archaic(text).map(move |word| LintFinding {
        line,
        rule: Rule::ArchaicWord,
        text: word.to_owned(),
    })
}

/// Returns the letters of a word, without marks around them.
fn letters(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_comments_open_with_a_verb_or_a_noun() {
        let rule = |text| doc(text).map(|(rule, _)| rule);
        for plain in ["Returns the path.", "The lock of a store.", "`None` if absent.", ""] {
            assert_eq!(doc(plain), None, "{plain}");
        }
        for riddle in ["What is kept.", "Whether it is.", "Whoever asks.", "Of a store."] {
            assert_eq!(rule(riddle), Some(Rule::DocOpening), "{riddle}");
        }
        for riddle in ["Opens it.\n\nWhat is kept.", "Opens it.\n\n# Errors\nWhen it is locked."] {
            assert_eq!(rule(riddle), Some(Rule::DocOpening), "{riddle}");
        }
        assert_eq!(doc("Opens a store\nwhich is locked.\n\n```\nIt runs\n```"), None);
        assert_eq!(rule("Why."), Some(Rule::DocOneWord));
        assert_eq!(doc("`serde_json`"), None);
    }

    #[test]
    fn help_is_an_imperative() {
        for good in ["Show memories", "Pass a check", "List sessions"] {
            assert!(is_imperative(good), "{good}");
        }
        for bad in ["Shows memories", "The index", "What is known", "a list", "Every key"] {
            assert!(!is_imperative(bad), "{bad}");
        }
    }

    #[test]
    fn error_messages_are_phrases() {
        for good in ["`x` is ambiguous", "not valid JSON: {0}", "JSON ends early", "{path} is gone"]
        {
            assert!(is_error_phrase(good), "{good}");
        }
        for bad in ["No such file", "it failed.", "INVALID_INPUT: no text", "stop!"] {
            assert!(!is_error_phrase(bad), "{bad}");
        }
    }

    #[test]
    fn test_names_state_rules() {
        assert!(is_rule("ambiguous_definitions_stay_unresolved"));
        assert!(is_rule("when_the_store_is_locked_hooks_spool"));
        assert!(!is_rule("what_two_files_define_is_nobodys"));
        assert!(!is_rule("whoever_asks_is_told"));
    }

    #[test]
    fn archaic_words_are_found_as_words() {
        assert_eq!(archaic("Whoever asks, and the like.").count(), 2);
        assert_eq!(archaic("the likelihood, nobodys, unlessened").count(), 0);
    }

    #[test]
    fn source_files_are_named_in_backticks() {
        let text = "`a.rs`, and `b/c.rs`\nnot d.rs, `languages/*/mod.rs` or `e.md`";
        assert_eq!(source_files(text).collect::<Vec<_>>(), [(1, "a.rs"), (1, "b/c.rs")]);
    }

    #[test]
    fn blocks_of_code_are_no_prose() {
        let found = markdown("whoever\n```\nwhoever\n```\nlest");
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [1, 5]);
    }
}
