//! Relays: memories that one stage of work hands over to the next.

use tacit_core::{BuiltinType, Confidence, Memory, MemoryType, Tag, UniversalPhase};

use crate::definition::Methodology;
use crate::scope::{Position, certainly_applies};
use crate::template;

/// A relay from one stage to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Relay {
    /// The stage that hands over.
    pub from: String,
    /// The stage that receives.
    pub to: String,
    /// The types of memories; empty for all.
    pub types: Vec<MemoryType>,
    /// The minimum confidence.
    pub min_confidence: Option<Confidence>,
    /// The required tags.
    pub tags: Vec<Tag>,
}

/// The templates for rendering a relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelayFormat {
    pub(crate) heading: String,
    pub(crate) item: String,
}

impl RelayFormat {
    /// Placeholders in a heading.
    pub(crate) const HEADING_PLACEHOLDERS: [&'static str; 2] = ["from", "to"];
    /// Placeholders in an item.
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

/// A memory in a relay, with its text as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayedMemory {
    /// The short identifier.
    pub id: String,
    /// The type.
    pub kind: String,
    /// The text.
    pub text: String,
}

impl Relay {
    /// Returns true if the relay has any filter.
    pub fn is_filtered(&self) -> bool {
        !self.types.is_empty() || self.min_confidence.is_some() || !self.tags.is_empty()
    }

    /// Returns true if a memory is handed over at this position.
    pub fn hands_on(&self, memory: &Memory, here: &Position<'_>) -> bool {
        self.admits(memory)
            && !is_volatile(&memory.memory_type())
            && certainly_applies(memory.body.subject.placement(), here)
    }

    /// Returns true if a memory passes the filter.
    pub fn admits(&self, memory: &Memory) -> bool {
        let content = &memory.body;
        (self.types.is_empty() || self.types.contains(&memory.memory_type()))
            && self
                .min_confidence
                .is_none_or(|least| content.effective_confidence().value() >= least.value())
            && self.tags.iter().all(|tag| content.tags.iter().any(|other| other == tag))
    }
}

/// Returns true for types that describe a past state, not how things are.
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
    /// Returns the relays to a stage if `word` names one, and otherwise to all stages of the phase
    /// that it means.
    pub fn relays_to(&self, word: &str) -> Vec<&Relay> {
        let phase = self.find_phase(word);
        let stage = self.stages.iter().any(|(name, _)| name == word);
        let of_phase = |name: &str| phase.is_some() && self.stage_phase(name) == phase;
        let is_addressed =
            |relay: &&Relay| if stage { relay.to == word } else { of_phase(&relay.to) };
        self.relays.iter().filter(is_addressed).collect()
    }

    /// Renders a relay, or returns `None` if there are no memories.
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
