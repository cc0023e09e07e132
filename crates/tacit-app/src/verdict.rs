//! Verdicts about memories: a memory helped, misled, no longer holds, or repeats another one.

use serde_json::{Map, Value, json};
use tacit_core::log::MemoryVerdict;
use tacit_core::{Memory, Problem, Reasoning, Review, StaleKind, Timestamp};
use tacit_engine::{Engine, EngineResult, RecallResult, Requester, StoredMemory};

/// The factor by which a memory that was wrong loses confidence.
const WRONG: f64 = 0.5;

/// A verdict about a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict<'v> {
    /// Helps, misleads or no longer holds, according to an agent or a person.
    Plain(MemoryVerdict),
    /// Says the same as another memory, given by its id.
    DuplicateOf(&'v str),
}

/// A memory after a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The memory as it is now.
    pub found: StoredMemory,
    /// True if the memory no longer has to be compared with the code.
    pub settled: bool,
}

impl Verdict<'_> {
    /// Returns the reason for the history: the note, or who gave the verdict.
    pub fn reason(self, note: Option<&str>, voice: Requester) -> Result<Reasoning, Problem> {
        let what = match self {
            Verdict::Plain(verdict) => verdict.as_str().to_owned(),
            Verdict::DuplicateOf(id) => format!("duplicate of {id}"),
        };
        let who = if voice == Requester::Agent { "an agent" } else { "the user" };
        Reasoning::new(match (note, self) {
            (Some(note), _) => format!("{what}: {note}"),
            (None, Verdict::Plain(_)) => format!("{who} found it {what}"),
            (None, Verdict::DuplicateOf(_)) => what,
        })
    }

    /// Applies the verdict. Hooks no longer show a memory that is wrong, outdated or a duplicate, and
    /// its review is `review`: needed after a flag, none after the decision of a person. A memory that
    /// helped is settled. The same verdict again changes nothing more.
    pub fn apply(
        self,
        engine: &mut Engine<'_>,
        id: &str,
        reason: Reasoning,
        review: Review,
        now: Timestamp,
    ) -> EngineResult<Judged> {
        let found = engine.find(id)?;
        let full = found.memory.id.to_string();
        let verdict = match self {
            Verdict::Plain(verdict) => verdict,
            Verdict::DuplicateOf(other) => {
                let found = engine.mark_duplicate(&full, other, reason, review)?;
                return Ok(Judged { found, settled: false });
            }
        };
        match patch(&found.memory, verdict, review, now) {
            None => {
                engine.note_uses(&[RecallResult::unranked(found.clone())]);
                Ok(Judged { found, settled: false })
            }
            Some(patch) => {
                let (found, _) = engine.edit(&full, &patch, Some(reason))?;
                Ok(Judged { found, settled: verdict == MemoryVerdict::Used })
            }
        }
    }
}

impl Verdict<'_> {
    /// Applies a verdict that memories are wrong or outdated, all or none, as one change.
    pub fn flag_all(
        self,
        engine: &mut Engine<'_>,
        ids: &[&str],
        reason: Reasoning,
        review: Review,
        now: Timestamp,
    ) -> EngineResult<Vec<StoredMemory>> {
        engine.edit_all(ids, Some(reason), |memory| match self {
            Verdict::Plain(verdict) => patch(memory, verdict, review, now).unwrap_or_default(),
            Verdict::DuplicateOf(_) => Map::new(),
        })
    }
}

/// Returns the fields that a verdict changes; `None` if it changes none.
fn patch(
    memory: &Memory,
    verdict: MemoryVerdict,
    review: Review,
    now: Timestamp,
) -> Option<Map<String, Value>> {
    let trust = &memory.body.trust;
    let is_flagged =
        !trust.review.is_confirmed() && trust.stale_cause() == Some(StaleKind::Reported);
    let mut patch = Map::new();
    match verdict {
        // A memory that helped holds, whatever has changed in the code.
        MemoryVerdict::Used => {
            trust.stale_reason()?;
            patch.insert("stale_at".into(), Value::Null);
            patch.insert("stale_kind".into(), Value::Null);
            patch.insert("stale_why".into(), Value::Null);
            return Some(patch);
        }
        MemoryVerdict::Wrong if !is_flagged => {
            let confidence = memory.body.confidence.value() * WRONG;
            patch.insert("confidence".into(), json!(confidence));
        }
        MemoryVerdict::Wrong | MemoryVerdict::Outdated => {}
    }
    // Two sessions may have proven it, which a review state does not undo; a stale memory is never
    // shown. The flag outweighs a change of the code.
    if !is_flagged {
        patch.insert("stale_at".into(), json!(now.to_string()));
        patch.insert("stale_kind".into(), json!(StaleKind::Reported.as_str()));
        patch.insert("stale_why".into(), Value::Null);
    }
    patch.insert("review".into(), json!(review.as_str()));
    Some(patch)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-11-16T10:00:00.000Z";

    fn patched(trust: Value, verdict: MemoryVerdict) -> Value {
        let time = "2026-11-15T10:00:00.000Z";
        let mut value = json!({
            "id": "01a1dec1-b840-7000-8000-000000000001", "type": "gotcha", "content": "a fact",
            "confidence": 0.8, "scope": "global", "source": "observer_inferred",
            "status": {"state": "active"}, "observations": 2, "created_at": time,
            "updated_at": time, "access_count": 0, "last_accessed_at": time,
        });
        let Value::Object(trust) = trust else { panic!("no fields") };
        value.as_object_mut().expect("a memory").extend(trust);
        let memory = Memory::from_json(value).expect("a memory");
        let patch = patch(&memory, verdict, Review::Needed, NOW.parse().expect("a time"));
        patch.map_or(Value::Null, Value::Object)
    }

    #[test]
    fn a_flag_takes_a_memory_out_of_use_whatever_proved_it() {
        let outdated = json!({
            "stale_at": NOW, "stale_kind": "reported", "stale_why": null, "review": "needed",
        });
        let mut flagged = outdated.clone();
        flagged["confidence"] = json!(0.4);
        for trust in [
            json!({"review": "needed"}),
            json!({"review": "verified"}),
            json!({"review": "needed", "stale_at": "2026-11-15T10:00:00.000Z", "stale_why": "it changed"}),
        ] {
            assert_eq!(patched(trust.clone(), MemoryVerdict::Wrong), flagged, "{trust}");
            assert_eq!(patched(trust.clone(), MemoryVerdict::Outdated), outdated, "{trust}");
        }
    }

    #[test]
    fn the_same_flag_again_changes_nothing_more() {
        let trust = json!({"review": "needed", "stale_at": "2026-11-15T10:00:00.000Z"});
        assert_eq!(patched(trust, MemoryVerdict::Wrong), json!({"review": "needed"}));
    }
}
