//! Categories: labels from other tools' vocabularies. Tacit classifies by type; categories are kept
//! so that exports to those tools stay exact.

use super::kind::BuiltinType;
use super::words::word_enum;

word_enum! {
    /// The category of a memory in another tool's vocabulary.
    Category, "a category" {
        /// A recommended approach.
        Patterns = "patterns",
        /// An approach to avoid.
        AntiPatterns = "anti-patterns",
        /// A rule of thumb.
        Heuristics = "heuristics",
        /// A snapshot from which work can be resumed.
        SessionSummary = "session_summary",
        /// A choice and its rationale.
        Decision = "decision",
        /// Steps to diagnose, fix and verify an error.
        Runbook = "runbook",
        /// An enduring limitation.
        Constraint = "constraint",
        /// Deferred work.
        TechDebt = "tech_debt",
        /// A convention.
        Preference = "preference",
    }
}

/// Words of warnings.
const WARNINGS: &[&str] =
    &["never", "don't", "do not", "avoid", "wrong", "broken", "bug caused by"];
/// Words of advice.
const ADVICE: &[&str] = &["always", "prefer", "use", "should", "best practice"];

impl Category {
    /// Infers the category from words: a warning is an anti-pattern, advice is a pattern, and
    /// everything else a heuristic.
    pub fn infer(text: &str) -> Category {
        let text = text.to_lowercase().replace('’', "'");
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .map(|word| word.trim_matches('\''))
            .filter(|word| !word.is_empty())
            .collect();
        let says = |signals: &[&str]| {
            signals.iter().any(|signal| {
                let signal: Vec<&str> = signal.split(' ').collect();
                words.windows(signal.len()).any(|window| window == signal)
            })
        };
        if says(WARNINGS) {
            Category::AntiPatterns
        } else if says(ADVICE) {
            Category::Patterns
        } else {
            Category::Heuristics
        }
    }

    /// Returns the memory type that corresponds to this category.
    pub fn memory_type(self) -> BuiltinType {
        match self {
            Category::Patterns => BuiltinType::Pattern,
            Category::AntiPatterns | Category::Constraint => BuiltinType::Gotcha,
            Category::Heuristics => BuiltinType::ModuleInsight,
            Category::SessionSummary => BuiltinType::WorkState,
            Category::Decision => BuiltinType::Decision,
            Category::Runbook => BuiltinType::ErrorPattern,
            Category::TechDebt => BuiltinType::Requirement,
            Category::Preference => BuiltinType::Preference,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn category_is_inferred_from_words() {
        for (text, expected) in [
            ("Never fork with an open pool", Category::AntiPatterns),
            ("Don’t commit the lock file", Category::AntiPatterns),
            ("don't use npm here", Category::AntiPatterns),
            ("Do not use npm here", Category::AntiPatterns),
            ("The flake was a bug caused by time zones", Category::AntiPatterns),
            ("always suppress stderr in hook subprocesses", Category::Patterns),
            ("It is best practice to sign tags", Category::Patterns),
            ("'Use' absolute paths", Category::Patterns),
            ("The user table is useful because it is small", Category::Heuristics),
            ("FTS5 treats a dash as an operator", Category::Heuristics),
            ("", Category::Heuristics),
        ] {
            assert_eq!(Category::infer(text), expected, "{text}");
        }
    }
}
