//! What one stage of work hands to the next.

use tacit_core::{BuiltinType, Confidence, Memory, MemoryType, Tag, UniversalPhase};

use crate::definition::Methodology;
use crate::scope::{Position, certainly_applies};
use crate::template;

/// A stage that hands memories on to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Relay {
    /// The stage before.
    pub from: String,
    /// The stage after.
    pub to: String,
    /// Of one of these types; of any, if there is none.
    pub types: Vec<MemoryType>,
    /// At least this sure.
    pub min_confidence: Option<Confidence>,
    /// With all of these tags.
    pub tags: Vec<Tag>,
}

/// How what is handed on is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelayFormat {
    pub(crate) heading: String,
    pub(crate) item: String,
}

impl RelayFormat {
    /// The places a heading can have.
    pub(crate) const HEADING_PLACEHOLDERS: [&'static str; 2] = ["from", "to"];
    /// The places an item can have.
    pub(crate) const ITEM_PLACEHOLDERS: [&'static str; 3] = ["type", "id", "content"];
}

impl Default for RelayFormat {
    fn default() -> RelayFormat {
        RelayFormat {
            heading: "Handed over from {from} to {to}".into(),
            item: "[{type} {id}] {content}".into(),
        }
    }
}

/// A memory that is handed on, with its text as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayedMemory {
    /// By what it can be named.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// What it says.
    pub text: String,
}

impl Relay {
    /// Whether it says what is handed on.
    pub fn is_filtered(&self) -> bool {
        !self.types.is_empty() || self.min_confidence.is_some() || !self.tags.is_empty()
    }

    /// Returns true if a memory is handed on to whoever works here.
    pub fn hands_on(&self, memory: &Memory, here: &Position<'_>) -> bool {
        self.admits(memory)
            && !is_volatile(&memory.memory_type())
            && certainly_applies(memory.body.subject.placement(), here)
    }

    /// Returns true if a memory is of the sort that is handed on.
    pub fn admits(&self, memory: &Memory) -> bool {
        let said = &memory.body;
        (self.types.is_empty() || self.types.contains(&memory.memory_type()))
            && self.min_confidence.is_none_or(|least| said.confidence.value() >= least.value())
            && self.tags.iter().all(|tag| said.tags.iter().any(|other| other == tag))
    }
}

/// Returns true for types that say how things stood and not how they are.
pub fn is_volatile(kind: &MemoryType) -> bool {
    matches!(
        kind,
        MemoryType::Builtin(
            BuiltinType::WorkState
                | BuiltinType::WorkUnitOutcome
                | BuiltinType::ContextCost
                | BuiltinType::TaskCalibration
                | BuiltinType::PrefetchPattern
        )
    )
}

impl Methodology {
    /// What is handed to whoever works now: to a stage, if the word is one, else to all stages of
    /// the phase that it means.
    pub fn relays_to(&self, word: &str) -> Vec<&Relay> {
        let phase = self.find_phase(word);
        let stage = self.stages.iter().any(|(name, _)| name == word);
        let of_phase = |name: &str| phase.is_some() && self.stage_phase(name) == phase;
        let is_addressed =
            |relay: &&Relay| if stage { relay.to == word } else { of_phase(&relay.to) };
        self.relays.iter().filter(is_addressed).collect()
    }

    /// The text in which a stage is given what was handed on to it; none if that is nothing.
    pub fn format_relay(&self, relay: &Relay, memories: &[RelayedMemory]) -> Option<String> {
        if memories.is_empty() {
            return None;
        }
        let heading = template::fill(&self.relay_format.heading, |name| match name {
            "from" => Some(relay.from.as_str()),
            "to" => Some(relay.to.as_str()),
            _ => None,
        })?;
        let mut text = format!("{heading}:\n");
        for memory in memories {
            let item = template::fill(&self.relay_format.item, |name| match name {
                "type" => Some(memory.kind.as_str()),
                "id" => Some(memory.id.as_str()),
                "content" => Some(memory.text.as_str()),
                _ => None,
            })?;
            for (number, line) in item.lines().enumerate() {
                text.push_str(if number == 0 { "- " } else { "  " });
                text.push_str(line);
                text.push('\n');
            }
        }
        Some(text)
    }

    fn stage_phase(&self, stage: &str) -> Option<UniversalPhase> {
        self.stages.iter().find(|(name, _)| name == stage).map(|(_, phase)| *phase)
    }
}
