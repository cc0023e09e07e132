//! The seventeen types of memory, and those a methodology adds.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::values::HalfLife;
use super::words::{checked_text, word_enum};
use crate::field::Problem;

word_enum! {
    /// The types every project has.
    BuiltinType, "a memory type" {
        /// A trap or a constraint that is not obvious.
        Gotcha = "gotcha",
        /// A choice, with its reasons.
        Decision = "decision",
        /// How the user or the project wants things done.
        Preference = "preference",
        /// A way of doing things that works here.
        Pattern = "pattern",
        /// What the product must do or be.
        Requirement = "requirement",
        /// An error that comes back, and its fix.
        ErrorPattern = "error_pattern",
        /// What a module is for or how it behaves.
        ModuleInsight = "module_insight",
        /// An insight into a process; `workflow_recipe` says it better.
        Workflow = "workflow",
        /// Files that are read together.
        PrefetchPattern = "prefetch_pattern",
        /// Where unfinished work stands.
        WorkState = "work_state",
        /// A file that must be touched when another is.
        CausalDependency = "causal_dependency",
        /// How planned steps compare with actual ones.
        TaskCalibration = "task_calibration",
        /// What the running application was seen to do.
        E2eObservation = "e2e_observation",
        /// An approach that was tried and given up.
        DeadEnd = "dead_end",
        /// What came of a unit of work.
        WorkUnitOutcome = "work_unit_outcome",
        /// The steps for a class of task.
        WorkflowRecipe = "workflow_recipe",
        /// How many tokens work in a module takes.
        ContextCost = "context_cost",
    }
}

checked_text! {
    /// A type that a methodology adds, written `methodology:type`, so that a misspelt type is
    /// never taken for a new one.
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
    /// One of the seventeen.
    Builtin(BuiltinType),
    /// One that a methodology adds.
    Custom(CustomType),
}

impl MemoryType {
    /// The word for this type.
    pub fn as_str(&self) -> &str {
        match self {
            MemoryType::Builtin(builtin) => builtin.as_str(),
            MemoryType::Custom(custom) => custom.as_str(),
        }
    }

    /// How fast a memory of this type fades unless it says otherwise; `None` is never.
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
            text.parse().map(MemoryType::Builtin)
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
    fn there_are_seventeen() {
        assert_eq!(BuiltinType::ALL.len(), 17);
        for kind in BuiltinType::ALL {
            assert_eq!(kind.as_str().parse(), Ok(MemoryType::Builtin(*kind)));
        }
    }

    #[test]
    fn a_misspelt_type_is_not_a_custom_one() {
        assert!("gotcah".parse::<MemoryType>().is_err());
        assert!("bmad:acceptance_criterion".parse::<MemoryType>().is_ok());
        for wrong in ["bmad:", ":x", "Bmad:x", "a:b:c", "a:1b", "a:b c"] {
            assert!(wrong.parse::<MemoryType>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_two_types_fade_by_themselves() {
        let fading: Vec<_> = BuiltinType::ALL
            .iter()
            .filter_map(|kind| {
                MemoryType::from(*kind).default_half_life().map(|half| (kind.as_str(), half.days()))
            })
            .collect();
        assert_eq!(fading, [("work_state", 7.0), ("dead_end", 90.0)]);
    }
}
