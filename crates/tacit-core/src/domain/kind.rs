//! The seventeen built-in memory types, and the custom types of methodologies.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::category::Category;
use super::values::HalfLife;
use super::words::{checked_text, word_enum};
use crate::field::Problem;

word_enum! {
    /// The built-in memory types.
    BuiltinType, "a memory type" {
        /// A trap or a non-obvious constraint.
        Gotcha = "gotcha",
        /// A choice and its reasons.
        Decision = "decision",
        /// A preference of the user or the project.
        Preference = "preference",
        /// An approach that works in this project.
        Pattern = "pattern",
        /// A requirement on the product.
        Requirement = "requirement",
        /// A recurring error and its fix.
        ErrorPattern = "error_pattern",
        /// The purpose or behaviour of a module.
        ModuleInsight = "module_insight",
        /// The way a task is done in this project.
        Workflow = "workflow",
        /// Files that are read together.
        PrefetchPattern = "prefetch_pattern",
        /// The state of unfinished work.
        WorkState = "work_state",
        /// A file that must change when another one does.
        CausalDependency = "causal_dependency",
        /// A comparison of planned and actual steps.
        TaskCalibration = "task_calibration",
        /// Behaviour that was seen in the running application.
        E2eObservation = "e2e_observation",
        /// An approach that was tried and given up.
        DeadEnd = "dead_end",
        /// The outcome of a unit of work.
        WorkUnitOutcome = "work_unit_outcome",
        /// The steps for a class of task.
        WorkflowRecipe = "workflow_recipe",
        /// The tokens that work in a module takes.
        ContextCost = "context_cost",
    }
}

impl BuiltinType {
    /// The types that people and agents choose from. Tacit uses the others itself; they are valid
    /// wherever a type is, and only the documentation names them.
    pub const CHOICES: [BuiltinType; 8] = [
        BuiltinType::Gotcha,
        BuiltinType::Decision,
        BuiltinType::Pattern,
        BuiltinType::Preference,
        BuiltinType::ErrorPattern,
        BuiltinType::DeadEnd,
        BuiltinType::Workflow,
        BuiltinType::ModuleInsight,
    ];

    /// The types of statistics that the observer keeps: they serve ranking, briefings and answers
    /// about code, and are listed only on request.
    pub const STATISTICS: [BuiltinType; 4] = [
        BuiltinType::PrefetchPattern,
        BuiltinType::CausalDependency,
        BuiltinType::TaskCalibration,
        BuiltinType::ContextCost,
    ];

    /// The words for [`BuiltinType::CHOICES`], for help and errors.
    pub const CHOICE_WORDS: &str = "gotcha, decision, pattern, preference, error_pattern, \
                                    dead_end, workflow, module_insight";

    /// Returns the type that the words of a rule speak for: a warning is a gotcha, advice a
    /// preference, and everything else an insight.
    pub fn infer(text: &str) -> BuiltinType {
        match Category::infer(text).memory_type() {
            BuiltinType::Pattern => BuiltinType::Preference,
            other => other,
        }
    }

    /// Finds a type by its word as people write it: `Dead-End`, `gotchas`, `convention`.
    fn find(text: &str) -> Option<BuiltinType> {
        let word = text.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        let named = |word: &str| {
            BuiltinType::ALL.iter().copied().find(|kind| kind.as_str() == word).or(match word {
                "convention" => Some(BuiltinType::Pattern),
                "error" => Some(BuiltinType::ErrorPattern),
                "recipe" => Some(BuiltinType::Workflow),
                "insight" | "learning" | "context" => Some(BuiltinType::ModuleInsight),
                _ => None,
            })
        };
        named(&word).or_else(|| named(word.strip_suffix('s')?))
    }
}

checked_text! {
    /// A type that a methodology adds, written `methodology:type` so that a misspelt built-in type
    /// is not taken for a new one.
    CustomType, |text| {
        let slug = |part: &str| {
            !part.is_empty()
                && part.len() <= 64
                && part.starts_with(|c: char| c.is_ascii_lowercase())
                && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        };
        match text.split_once(':') {
            Some((methodology, name)) if slug(methodology) && slug(name) => Ok(text),
            _ => Err(Problem::unexpected(
                &text,
                "a methodology's own type, such as `bmad:acceptance_criterion`",
            )),
        }
    }
}

/// The type of a memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MemoryType {
    /// A built-in type.
    Builtin(BuiltinType),
    /// A type that a methodology adds.
    Custom(CustomType),
}

impl MemoryType {
    /// Returns the stored word.
    pub fn as_str(&self) -> &str {
        match self {
            MemoryType::Builtin(builtin) => builtin.as_str(),
            MemoryType::Custom(custom) => custom.as_str(),
        }
    }

    /// Returns the half-life of memories that do not set their own; `None` means that they do not
    /// decay.
    pub fn default_half_life(&self) -> Option<HalfLife> {
        let days = match self {
            MemoryType::Builtin(BuiltinType::WorkState) => 7.0,
            MemoryType::Builtin(BuiltinType::DeadEnd) => 90.0,
            _ => return None,
        };
        HalfLife::from_days(days).ok()
    }
}

impl From<BuiltinType> for MemoryType {
    fn from(builtin: BuiltinType) -> MemoryType {
        MemoryType::Builtin(builtin)
    }
}

impl fmt::Display for MemoryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for MemoryType {
    type Err = Problem;

    fn from_str(text: &str) -> Result<MemoryType, Problem> {
        if text.contains(':') {
            CustomType::new(text).map(MemoryType::Custom)
        } else {
            let found = BuiltinType::find(text).map(MemoryType::Builtin);
            found.ok_or_else(|| {
                let expected = format!("a memory type ({})", BuiltinType::CHOICE_WORDS);
                Problem::unexpected(text, expected)
            })
        }
    }
}

impl TryFrom<String> for MemoryType {
    type Error = Problem;

    fn try_from(text: String) -> Result<MemoryType, Problem> {
        text.parse()
    }
}

impl From<MemoryType> for String {
    fn from(kind: MemoryType) -> String {
        kind.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_seventeen_builtin_types() {
        assert_eq!(BuiltinType::ALL.len(), 17);
        for kind in BuiltinType::ALL {
            assert_eq!(kind.as_str().parse(), Ok(MemoryType::Builtin(*kind)));
        }
    }

    #[test]
    fn the_words_to_choose_from_are_those_of_the_choices() {
        let words = BuiltinType::CHOICES.map(BuiltinType::as_str).join(", ");
        assert_eq!(BuiltinType::CHOICE_WORDS, words);
    }

    #[test]
    fn obvious_spellings_are_understood() {
        for (text, expected) in [
            ("dead-end", BuiltinType::DeadEnd),
            ("Dead End", BuiltinType::DeadEnd),
            ("GOTCHA", BuiltinType::Gotcha),
            ("gotchas", BuiltinType::Gotcha),
            ("convention", BuiltinType::Pattern),
            ("conventions", BuiltinType::Pattern),
            ("error", BuiltinType::ErrorPattern),
            ("recipe", BuiltinType::Workflow),
            ("Learning", BuiltinType::ModuleInsight),
            ("context-cost", BuiltinType::ContextCost),
        ] {
            assert_eq!(text.parse(), Ok(MemoryType::Builtin(expected)), "{text}");
        }
        let problem = "rule of thumb".parse::<MemoryType>().unwrap_err().to_string();
        assert!(problem.contains("dead_end") && !problem.contains("context_cost"), "{problem}");
    }

    #[test]
    fn the_words_of_a_rule_tell_its_type() {
        for (text, expected) in [
            ("Never fork with an open pool", BuiltinType::Gotcha),
            ("Always use pnpm", BuiltinType::Preference),
            ("The pool has two owners", BuiltinType::ModuleInsight),
        ] {
            assert_eq!(BuiltinType::infer(text), expected, "{text}");
        }
    }

    #[test]
    fn misspelt_types_are_not_custom_types() {
        assert!("gotcah".parse::<MemoryType>().is_err());
        assert!("bmad:acceptance_criterion".parse::<MemoryType>().is_ok());
        for wrong in ["bmad:", ":x", "Bmad:x", "a:b:c", "a:1b", "a:b c"] {
            assert!(wrong.parse::<MemoryType>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_two_types_decay_by_default() {
        let fading: Vec<_> = BuiltinType::ALL
            .iter()
            .filter_map(|kind| {
                MemoryType::from(*kind).default_half_life().map(|half| (kind.as_str(), half.days()))
            })
            .collect();
        assert_eq!(fading, [("work_state", 7.0), ("dead_end", 90.0)]);
    }
}
