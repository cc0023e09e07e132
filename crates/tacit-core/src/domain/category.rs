//! Categories: facets that other vocabularies put on a memory. The type is the taxonomy; a
//! category is kept so that those vocabularies' own outputs stay exact.

use super::kind::BuiltinType;
use super::words::word_enum;

word_enum! {
    /// The category a memory was filed under where it came from.
    Category, "a category" {
        /// A recommended approach.
        Patterns = "patterns",
        /// What not to do.
        AntiPatterns = "anti-patterns",
        /// A rule of thumb.
        Heuristics = "heuristics",
        /// A snapshot from which work can be resumed.
        SessionSummary = "session_summary",
        /// A choice and its rationale.
        Decision = "decision",
        /// How to diagnose, fix and verify an error.
        Runbook = "runbook",
        /// An enduring limitation.
        Constraint = "constraint",
        /// Deferred work.
        TechDebt = "tech_debt",
        /// A convention.
        Preference = "preference",
    }
}

impl Category {
    /// The type of memory this category maps onto.
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
