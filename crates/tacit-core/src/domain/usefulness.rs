//! The usefulness of a memory: how often it was of use when agents were shown it, and what follows
//! from that.
//!
//! Whether a memory is used says little about its truth, and so it moves the order in which memories
//! are shown, and only what a session showed to be right or wrong moves the confidence.

use serde::{Deserialize, Serialize};

use super::kind::BuiltinType;
use super::memory::Memory;
use super::values::Source;

/// The number of judged injections from which on a memory that was never used is silenced.
pub const SILENCED_INJECTIONS: u32 = 5;
/// The number of sessions in which they must have been.
pub const SILENCED_SESSIONS: u32 = 3;
/// The confidence that a memory gains for each session in which it helped, and in which it was
/// otherwise of use.
const HELPED: f64 = 0.04;
const USED: f64 = 0.02;
/// The confidence that it loses for each session that contradicted it or in which it was flagged.
const CONTRADICTED: f64 = 0.1;
const FLAGGED: f64 = 0.05;
/// The most that fates raise a confidence in all.
pub const MOST_RAISED: f64 = 0.1;
/// The most that fates lower a confidence in all.
pub const MOST_LOWERED: f64 = 0.3;
/// Tags of memories that are shown however seldom they are used: their success is that nothing
/// happens, or a person put them in front of every session.
const KEPT_TAGS: [&str; 4] = ["danger", "dangerous", "destructive", "cheat-sheet"];

/// The uses of a memory, counted over the injections that have a fate. Each session counts once, by
/// the weightiest of its fates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usefulness {
    /// The injections that were judged.
    pub judged: u32,
    /// The sessions in which they were.
    pub sessions: u32,
    /// The sessions in which it was of use, those in which it helped included.
    pub used: u32,
    /// The sessions in which it helped.
    pub helped: u32,
    /// The sessions that contradicted it.
    pub contradicted: u32,
    /// The sessions in which it was flagged.
    pub flagged: u32,
    /// The judged injections at an occasion of its own: its file, its error, its command.
    pub direct_judged: u32,
    /// The sessions in which those were.
    pub direct_sessions: u32,
}

/// The occasions at which a memory that was never used is no longer shown unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Silence {
    /// At the start of a session and with a prompt.
    General,
    /// Anywhere.
    Everywhere,
}

impl Usefulness {
    /// Returns the share of sessions in which the memory was of use, between 0 and 1: a half before
    /// anything is known, by a prior of one session with and one without a use.
    pub fn share(&self) -> f64 {
        (f64::from(self.used) + 1.0) / (f64::from(self.sessions) + 2.0)
    }

    /// Returns the influence on the order of memories, from -1 to 1; 0 before anything is known.
    pub fn influence(&self) -> f64 {
        2.0 * self.share() - 1.0
    }

    /// Returns where a memory is no longer shown unasked, because it was shown often and never used.
    /// A person's word, a warning and a rule that agents follow without a trace are never silenced.
    pub fn silence(&self, memory: &Memory) -> Option<Silence> {
        let is_often = |judged: u32, sessions: u32| {
            judged >= SILENCED_INJECTIONS && sessions >= SILENCED_SESSIONS
        };
        if self.used > 0 || !is_often(self.judged, self.sessions) || is_kept(memory) {
            return None;
        }
        Some(match is_often(self.direct_judged, self.direct_sessions) {
            true => Silence::Everywhere,
            false => Silence::General,
        })
    }

    /// Returns the difference that fates make to the confidence of a memory. What a person said or
    /// confirmed is not lowered, unless it waits for review because somebody flagged it.
    pub fn confidence_change(&self, memory: &Memory) -> f64 {
        let uses = f64::from(self.used - self.helped.min(self.used));
        let raised = (HELPED * f64::from(self.helped) + USED * uses).min(MOST_RAISED);
        let lowered =
            CONTRADICTED * f64::from(self.contradicted) + FLAGGED * f64::from(self.flagged);
        let lowered = if is_word_of_person(memory) { 0.0 } else { lowered.min(MOST_LOWERED) };
        raised - lowered
    }
}

/// Returns true if a memory is shown however seldom it is used.
fn is_kept(memory: &Memory) -> bool {
    let kind = memory.memory_type();
    is_word_of_person(memory)
        || [BuiltinType::Preference, BuiltinType::DeadEnd].iter().any(|kept| kind == (*kept).into())
        || memory.body.tags.iter().any(|tag| KEPT_TAGS.contains(&tag.as_str()))
}

/// Returns true if a person said or confirmed what a memory says, and nobody flagged it since.
fn is_word_of_person(memory: &Memory) -> bool {
    let body = &memory.body;
    let is_taught = body.origin.source == Source::UserTaught;
    body.trust.review.is_confirmed() || (is_taught && !memory.awaits_review())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn memory(fields: &Value) -> Memory {
        let time = "2026-11-15T10:00:00.000Z";
        let mut value = json!({
            "id": "01a1dec1-b840-7000-8000-000000000001", "type": "gotcha", "content": "a fact",
            "confidence": 0.8, "scope": "global", "source": "observer_inferred", "review": "needed",
            "status": {"state": "active"}, "observations": 2, "created_at": time,
            "updated_at": time, "access_count": 0, "last_accessed_at": time,
        });
        let fields = fields.as_object().expect("fields");
        value.as_object_mut().expect("a memory").extend(fields.clone());
        Memory::from_json(value).expect("a memory")
    }

    fn unused(judged: u32, sessions: u32) -> Usefulness {
        Usefulness { judged, sessions, ..Usefulness::default() }
    }

    #[test]
    fn only_what_was_shown_often_and_never_used_is_silenced() {
        let inferred = memory(&json!({}));
        let direct = |judged, sessions| Usefulness {
            direct_judged: judged,
            direct_sessions: sessions,
            ..unused(9, 9)
        };
        for (uses, expected) in [
            (unused(4, 4), None),
            (unused(5, 2), None),
            (unused(5, 3), Some(Silence::General)),
            (unused(6, 4), Some(Silence::General)),
            (Usefulness { used: 1, ..unused(50, 50) }, None),
            (direct(4, 4), Some(Silence::General)),
            (direct(5, 2), Some(Silence::General)),
            (direct(5, 3), Some(Silence::Everywhere)),
        ] {
            assert_eq!(uses.silence(&inferred), expected, "{uses:?}");
        }
    }

    #[test]
    fn warnings_and_words_of_people_are_never_silenced() {
        for (fields, expected) in [
            (json!({}), true),
            (json!({"type": "module_insight"}), true),
            (json!({"tags": ["danger"]}), false),
            (json!({"tags": ["cheat-sheet", "variant"]}), false),
            (json!({"type": "preference"}), false),
            (json!({"review": "verified"}), false),
            (json!({"review": "committed"}), false),
            (json!({"source": "user_taught", "review": "none"}), false),
            (json!({"source": "user_taught", "review": "needed"}), true),
        ] {
            let silence = unused(9, 9).silence(&memory(&fields));
            assert_eq!(silence.is_some(), expected, "{fields}");
        }
    }

    #[test]
    fn the_share_starts_at_a_half_and_follows_the_uses() {
        for (used, sessions, expected) in
            [(0, 0, 0.5), (1, 1, 2.0 / 3.0), (0, 2, 0.25), (8, 8, 0.9), (4, 8, 0.5)]
        {
            let uses = Usefulness { used, ..unused(sessions, sessions) };
            assert!((uses.share() - expected).abs() < 1e-9, "{used} of {sessions}");
        }
    }

    #[test]
    fn fates_move_the_confidence_in_small_bounded_steps() {
        let verified = json!({"review": "verified"});
        let flagged = json!({"source": "user_taught", "review": "needed"});
        for (fields, used, helped, contradicted, flags, expected) in [
            (&json!({}), 1, 0, 0, 0, 0.02),
            (&json!({}), 1, 1, 0, 0, 0.04),
            (&json!({}), 3, 1, 0, 0, 0.08),
            (&json!({}), 9, 9, 0, 0, 0.1),
            (&json!({}), 0, 0, 1, 0, -0.1),
            (&json!({}), 0, 0, 9, 9, -0.3),
            (&json!({}), 1, 1, 1, 0, -0.06),
            (&verified, 0, 0, 1, 1, 0.0),
            (&verified, 1, 1, 1, 1, 0.04),
            (&flagged, 0, 0, 0, 1, -0.05),
        ] {
            let uses = Usefulness { used, helped, contradicted, flagged: flags, ..unused(9, 9) };
            let change = uses.confidence_change(&memory(fields));
            assert!((change - expected).abs() < 1e-9, "{fields} {uses:?}: {change}");
        }
        let ignored = unused(100, 100).confidence_change(&memory(&json!({})));
        assert_eq!(ignored, 0.0, "being ignored says nothing about the truth");
    }
}
