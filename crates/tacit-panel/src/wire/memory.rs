//! Memories and their changes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacit_app::change::StoreChange;
use tacit_app::review::MemoryEvidence;
use tacit_app::show;
use tacit_core::{Memory, MemoryId, Status};
use tacit_engine::remember::TextCleanup;
use tacit_engine::{Engine, EngineResult, StoredMemory};
use tacit_store::Injection;

use super::filter::{Filters, StoreName};
use crate::input::{Count, Flag};
use crate::phrase::Sentence;

/// The effective confidence from which on a memory has two dots, and three.
const DOTS: [f64; 2] = [0.5, 0.8];

/// A memory with what a card shows beside its fields.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Item {
    /// The memory, as `tacit show --json` prints it.
    pub(crate) memory: Value,
    pub(crate) headline: String,
    pub(crate) effective_confidence: f64,
    /// The dots for the confidence, from 1 to 3.
    pub(crate) dots: u8,
    pub(crate) trust: String,
    pub(crate) stale: Option<Stale>,
    /// The reason why it was taken out of use.
    pub(crate) out_of_use: Option<Sentence>,
    /// True if the code changed, so the memory should be compared with it.
    pub(crate) verify: bool,
    pub(crate) needs_review: bool,
    /// True if it is neither proven nor confirmed.
    pub(crate) provisional: bool,
    /// The number of times it was recalled or injected.
    pub(crate) shown: u64,
    /// The chip for the places that quote it.
    pub(crate) citation: String,
}

/// The reason for doubt in a memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Stale {
    pub(crate) at: String,
    pub(crate) kind: String,
    pub(crate) why: Option<Sentence>,
}

/// Builds items with the number of times that hooks showed each memory.
pub(crate) struct Items(BTreeMap<MemoryId, u64>);

impl Items {
    pub(crate) fn read(engine: &Engine<'_>) -> EngineResult<Items> {
        Ok(Items(engine.injection_counts(None)?))
    }

    pub(crate) fn all<'f>(&self, found: impl IntoIterator<Item = &'f StoredMemory>) -> Vec<Item> {
        found.into_iter().map(|found| self.one(found)).collect()
    }

    pub(crate) fn one(&self, found: &StoredMemory) -> Item {
        let memory = &found.memory;
        let trust = &memory.body.trust;
        let confidence = memory.body.effective_confidence().value();
        let reached = DOTS.iter().filter(|least| confidence >= **least).count();
        let injected = self.0.get(&memory.id).copied().unwrap_or_default();
        Item {
            memory: show::to_json(found),
            headline: memory.headline(),
            effective_confidence: confidence,
            dots: 1 + reached as u8,
            trust: memory.trust_label().to_owned(),
            stale: trust.stale_at.zip(trust.stale_cause()).map(|(at, kind)| Stale {
                at: at.to_string(),
                kind: kind.as_str().to_owned(),
                why: trust.stale_why.as_ref().map(|why| why.as_str().into()),
            }),
            out_of_use: match &memory.status {
                Status::Active => None,
                Status::Retired { reason, .. } | Status::Archived { reason, .. } => {
                    Some(reason.as_str().into())
                }
            },
            verify: trust.stale_reason().is_some(),
            needs_review: memory.awaits_review(),
            provisional: !found.is_proven(),
            shown: memory.usage.access_count.saturating_add(injected),
            citation: citation(memory),
        }
    }
}

/// Writes the chip of a memory.
fn citation(memory: &Memory) -> String {
    if let Some(own) = &memory.body.trust.citation {
        return format!("[↗ Memory: {own}]");
    }
    match memory.body.files.iter().next() {
        Some(file) => {
            let name = file.as_str().rsplit('/').next().unwrap_or_default();
            format!("[↗ Memory: {} in {name}]", memory.memory_type())
        }
        None => format!("[↗ Memory: {} {}]", memory.memory_type(), memory.id.short()),
    }
}

/// A page of memories.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryPage {
    pub(crate) items: Vec<Item>,
    pub(crate) total: usize,
    /// The cursor of the next page.
    pub(crate) next: Option<String>,
}

/// Some memories.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ItemList {
    pub(crate) items: Vec<Item>,
}

/// The result of a search.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SearchResults {
    pub(crate) items: Vec<Hit>,
    /// False if nothing clearly matches.
    pub(crate) clear: bool,
    pub(crate) more: usize,
    /// True if the meaning of the query was searched for, and not only its words.
    pub(crate) by_meaning: bool,
    pub(crate) notes: Vec<Sentence>,
}

/// A memory that a search found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hit {
    #[serde(flatten)]
    pub(crate) item: Item,
    pub(crate) score: f64,
    pub(crate) likely: Option<f64>,
    pub(crate) clear: bool,
    /// Memories that say nearly the same.
    pub(crate) folded: Vec<String>,
    pub(crate) conflicts: Vec<String>,
}

/// Everything about one memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct One {
    pub(crate) item: Item,
    pub(crate) review: Option<Waits>,
    pub(crate) provenance: Provenance,
    pub(crate) evidence: Evidence,
    pub(crate) locations: Vec<Location>,
    pub(crate) relations: Vec<Link>,
    pub(crate) others: Vec<Item>,
    pub(crate) history: Vec<ChangeView>,
    pub(crate) injections: Vec<InjectionView>,
}

/// The reason for which a memory waits for a person.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Waits {
    pub(crate) reason: String,
    /// Details beyond the reason.
    pub(crate) why: Option<Sentence>,
}

/// The origin of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Provenance {
    pub(crate) source: String,
    pub(crate) session: Option<String>,
    pub(crate) phase: Option<String>,
    pub(crate) commit: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) generator: Option<String>,
}

/// The evidence for a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Evidence {
    pub(crate) commands: Vec<String>,
    pub(crate) error: Option<String>,
    pub(crate) changes: Vec<String>,
    pub(crate) commit: Option<String>,
    pub(crate) reasoning: Option<String>,
}

impl From<MemoryEvidence> for Evidence {
    fn from(evidence: MemoryEvidence) -> Evidence {
        let MemoryEvidence { commands, error, changes, commit, reasoning } = evidence;
        Evidence { commands, error, changes, commit, reasoning }
    }
}

/// A place in the code.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Location {
    pub(crate) path: String,
    pub(crate) line: Option<u32>,
    pub(crate) symbol: Option<String>,
    pub(crate) exists: bool,
}

/// A relation to another memory or to a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Link {
    pub(crate) kind: String,
    pub(crate) direction: String,
    pub(crate) proposed: bool,
    pub(crate) item: Option<Item>,
    pub(crate) file: Option<String>,
}

/// The number of a change in the history of a store.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoRef {
    pub(crate) store: StoreName,
    pub(crate) change: i64,
}

impl From<StoreChange> for UndoRef {
    fn from((scope, change): StoreChange) -> UndoRef {
        UndoRef { store: scope.into(), change }
    }
}

/// Memories after a change, and what undoes it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Changed {
    pub(crate) items: Vec<Item>,
    pub(crate) undo: Vec<UndoRef>,
    pub(crate) notes: Vec<Sentence>,
}

/// Describes what was removed from a text before it was stored.
pub(crate) fn cleanup_notes(cleanup: &TextCleanup) -> Vec<Sentence> {
    let secrets = cleanup.redacted.iter();
    let mut notes: Vec<Sentence> =
        secrets.map(|(rule, count)| format!("redacted: {rule} ({count})").into()).collect();
    if cleanup.removed_controls > 0 {
        notes.push(format!("removed {} control characters", cleanup.removed_controls).into());
    }
    notes
}

/// A change in the history.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangeView {
    pub(crate) store: StoreName,
    pub(crate) change: i64,
    pub(crate) kind: String,
    pub(crate) at: String,
    pub(crate) actor: String,
    pub(crate) reason: Option<Sentence>,
    pub(crate) reverted_by: Option<i64>,
    pub(crate) fields: Vec<ChangedFields>,
}

/// The fields of a memory that a change set.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedFields {
    pub(crate) memory: String,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
}

/// The history of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryHistory {
    pub(crate) changes: Vec<ChangeView>,
    pub(crate) total: usize,
}

/// A text that hooks showed to an agent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct InjectionView {
    pub(crate) at: String,
    pub(crate) session: String,
    pub(crate) event: String,
    pub(crate) layer: String,
    pub(crate) memory: Option<String>,
    pub(crate) text: String,
    pub(crate) why: Sentence,
    pub(crate) tokens: u32,
    pub(crate) withheld: bool,
    pub(crate) fate: Option<FateView>,
}

/// The fate of an injection.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct FateView {
    pub(crate) fate: String,
    pub(crate) why: Sentence,
}

impl From<&Injection> for InjectionView {
    fn from(injection: &Injection) -> InjectionView {
        InjectionView {
            at: injection.at.to_string(),
            session: injection.session.as_str().to_owned(),
            event: injection.event.clone(),
            layer: injection.layer.clone(),
            memory: injection.memory.map(|id| id.to_string()),
            text: injection.text.clone(),
            why: injection.why.as_str().into(),
            tokens: injection.tokens,
            withheld: injection.withheld,
            fate: injection.fate.as_ref().map(|judged| FateView {
                fate: judged.fate.as_str().to_owned(),
                why: judged.why.as_str().into(),
            }),
        }
    }
}

/// No input.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// A memory that a person teaches.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Teach {
    pub(crate) content: String,
    /// Inferred from the text if not given.
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) reasoning: Option<String>,
    pub(crate) confidence: Option<f64>,
    pub(crate) tags: Vec<String>,
    pub(crate) cues: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) symbols: Vec<String>,
    pub(crate) modules: Vec<String>,
    pub(crate) references: Vec<String>,
    pub(crate) scope: Option<String>,
    pub(crate) details: Option<Value>,
    pub(crate) store: Option<StoreName>,
}

/// The result of teaching.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Taught {
    #[serde(flatten)]
    pub(crate) changed: Changed,
    /// stored, reinforced, spooled or left_in_inbox.
    pub(crate) outcome: String,
    pub(crate) type_inferred: bool,
    pub(crate) similar: Option<Similar>,
}

/// A memory that may say the same.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Similar {
    pub(crate) item: Option<Item>,
    pub(crate) similarity: f64,
}

/// Changes of a memory.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Edit {
    /// The fields to set, as `tacit show --json` names them; null clears one.
    pub(crate) fields: serde_json::Map<String, Value>,
    pub(crate) add_tags: Vec<String>,
    pub(crate) remove_tags: Vec<String>,
    pub(crate) add_cues: Vec<String>,
    pub(crate) remove_cues: Vec<String>,
    pub(crate) reason: Option<String>,
    /// The time of the change that the person saw; if there is a later one, nothing is done.
    pub(crate) updated_at: Option<String>,
}

/// The finding about a memory.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "choice", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum CorrectionChoice {
    /// The text is wrong.
    Inaccurate { content: String, reason: Option<String> },
    /// The memory no longer holds.
    Outdated { reason: Option<String> },
    /// The memory holds for more than it says.
    TooSpecific { content: String, reason: Option<String> },
    /// Another memory says the same.
    Duplicate { of: String, reason: Option<String> },
}

/// A flag.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Flagged {
    pub(crate) verdict: FlagVerdict,
    pub(crate) note: Option<String>,
}

/// The finding in a word.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FlagVerdict {
    Wrong,
    Outdated,
}

/// Takes a memory out of use.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Forget {
    pub(crate) reason: Option<String>,
    pub(crate) archive: bool,
}

/// The same change of many memories.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bulk {
    pub(crate) action: BulkAction,
    #[serde(default)]
    pub(crate) ids: Vec<String>,
    /// Instead of ids: all memories that pass.
    pub(crate) filter: Option<Filters>,
    /// The number of memories that the person saw; if another number passes, nothing is done.
    pub(crate) expect: Option<usize>,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    pub(crate) reason: Option<String>,
}

/// The change of many memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BulkAction {
    Confirm,
    FlagWrong,
    FlagOutdated,
    Delete,
    Archive,
    Restore,
    Tag,
    Untag,
}

/// The result for many memories.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BulkDone {
    pub(crate) changed: usize,
    pub(crate) undo: Vec<UndoRef>,
    pub(crate) failed: Vec<Failed>,
    /// True if it was stopped: the memories that are in neither number are as they were.
    pub(crate) cancelled: bool,
}

/// A memory for which it failed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Failed {
    pub(crate) id: String,
    pub(crate) message: Sentence,
}

/// Changes to undo.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoRequest {
    pub(crate) undo: Vec<UndoRef>,
}

/// Memories to delete for good.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Purge {
    pub(crate) ids: Vec<String>,
    /// `purge`, to say that it is meant.
    pub(crate) confirm: Option<String>,
    #[serde(default)]
    pub(crate) damaged_copies: bool,
}

/// The result of a purge.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Purged {
    pub(crate) purged: Vec<String>,
    /// Files that still quote a memory.
    pub(crate) left: Vec<String>,
    pub(crate) notes: Vec<Sentence>,
}

/// The name of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CitedMemory {
    pub(crate) id: String,
    pub(crate) short_id: String,
}

/// Similar memories.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DuplicateQuery {
    pub(crate) limit: Option<Count>,
    /// Other words to search with.
    pub(crate) q: Option<String>,
}

/// A part of the history.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HistoryQuery {
    pub(crate) limit: Option<Count>,
}

/// The memories of the review.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ReviewQuery {
    pub(crate) limit: Option<Count>,
    /// Only memories whose code has changed.
    pub(crate) stale: Option<Flag>,
}
