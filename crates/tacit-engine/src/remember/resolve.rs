//! The decision of the write gate: store or reinforce. Pure: no store, no clock.

use tacit_core::{
    BuiltinType, Confidence, Config, Memory, MemoryBody, MemoryType, Review, Source, Status,
    Timestamp,
};

use crate::error::{EngineError, EngineResult};

/// The confidence that a second, independent observation of the running application gives.
const CONFIRMED_OBSERVATION: f64 = 0.9;

/// The decision about a request.
pub(super) enum GateDecision {
    /// Store a new memory.
    Create(Box<MemoryBody>),
    /// Reinforce a known memory.
    Reinforce {
        /// The memory before the change.
        before: Box<Memory>,
        /// The memory after the change.
        after: Box<Memory>,
        /// Labels that do not fit.
        left_out: Vec<String>,
    },
}

/// Decides about a request, given its duplicates of any status. A memory that was forgotten
/// recently is not stored again.
pub(super) fn resolve(
    identical: Vec<Memory>,
    body: MemoryBody,
    now: Timestamp,
    config: &Config,
) -> EngineResult<GateDecision> {
    let (mut in_use, left): (Vec<Memory>, Vec<Memory>) =
        identical.into_iter().partition(|memory| memory.status == Status::Active);
    // An active duplicate is reinforced even if another one was forgotten recently.
    if let Some(before) = in_use.pop() {
        let (after, left_out) = reinforced(&before, &body, now);
        let (before, after) = (Box::new(before), Box::new(after));
        return Ok(GateDecision::Reinforce { before, after, left_out });
    }
    for memory in &left {
        if let Status::Retired { at, reason } = &memory.status
            && now.days_since(*at) * 24.0 < config.resurrection_hours as f64
        {
            let (at, reason) = (*at, reason.to_string());
            return Err(EngineError::RecentlyForgotten { id: memory.id, at, reason });
        }
    }
    Ok(GateDecision::Create(Box::new(body)))
}

/// Returns a memory after the same was learnt again. Confidence never falls: it is the higher of
/// the two, and a second session that observed the same in the running application raises it to
/// 0.9. A memory that a person repeats is verified.
///
/// A claim is not an observation. If an agent or a file repeats an observed memory, the repetition
/// is not counted; if a claim is observed, it counts as observed once. Otherwise a repository could
/// prove a claim by making every agent repeat it.
fn reinforced(before: &Memory, body: &MemoryBody, now: Timestamp) -> (Memory, Vec<String>) {
    let independent =
        body.origin.sessions.iter().any(|session| !before.body.origin.sessions.contains(session));
    let (mut after, left_out) = merged(before, body);
    let told = body.origin.source.is_claim();
    let by_person = body.origin.source == Source::UserTaught;
    let was = before.body.origin.source;
    let was_observed = !was.is_claim() && was != Source::UserTaught;
    after.observations = if told && was_observed {
        before.observations
    } else if before.is_unconfirmed_claim() && !told && !by_person {
        after.body.origin.source = body.origin.source;
        1
    } else {
        before.observations.saturating_add(1)
    };
    after.updated_at = now;
    let kind = before.memory_type();
    if independent && !told && kind == MemoryType::Builtin(BuiltinType::E2eObservation) {
        let confirmed = Confidence::new(CONFIRMED_OBSERVATION).unwrap_or(Confidence::HIGH);
        after.body.confidence = after.body.confidence.max(confirmed);
    }
    crate::change::forget_derived(before, &mut after);
    // Newly learnt content applies to the current code.
    if after.body.trust.stale_reason().is_some() && (!told || before.is_unconfirmed_claim()) {
        after.body.trust.clear_stale();
    }
    if by_person {
        after.body.trust.review = Review::Verified;
        after.body.origin.source = Source::UserTaught;
        after.body.origin.author = body.origin.author.clone().or(after.body.origin.author);
    }
    (after, left_out)
}

/// Adds the labels, cues and sessions of a duplicate to a memory, and its title or reasoning if the
/// memory has none. A claim adds no text to a verified or observed memory, because its words would
/// pass for verified; and a private duplicate adds nothing to a memory that the team sees. Who sees
/// the memory does not change. Returns the labels that did not fit.
pub(crate) fn merged(memory: &Memory, body: &MemoryBody) -> (Memory, Vec<String>) {
    let mut after = memory.clone();
    // The oldest sessions stay: they show how long this has been known.
    let (sessions, _) = memory.body.origin.sessions.merged(&body.origin.sessions);
    after.body.origin.sessions = sessions;
    let tells_team = !body.visibility.is_team() && memory.body.visibility.is_team();
    let passes_for_verified = body.origin.source.is_claim() && !memory.is_unconfirmed_claim();
    if tells_team || passes_for_verified {
        return (after, Vec::new());
    }
    let mut left_out = Vec::new();
    let (tags, rest) = memory.body.tags.merged(&body.tags);
    left_out.extend(rest.iter().map(|tag| format!("tag `{tag}`")));
    let (files, rest) = memory.body.files.merged(&body.files);
    left_out.extend(rest.iter().map(|file| format!("file `{file}`")));
    let (symbols, rest) = memory.body.symbols.merged(&body.symbols);
    left_out.extend(rest.iter().map(|symbol| format!("symbol `{symbol}`")));
    let (modules, rest) = memory.body.modules.merged(&body.modules);
    left_out.extend(rest.iter().map(|module| format!("module `{module}`")));
    let (references, rest) = memory.body.references.merged(&body.references);
    left_out.extend(rest.iter().map(|reference| format!("reference `{reference}`")));
    let (cues, rest) = memory.body.cues.merged(&body.cues);
    left_out.extend(rest.iter().map(|cue| format!("cue `{cue}`")));
    after.body.tags = tags;
    after.body.cues = cues;
    after.body.files = files;
    after.body.symbols = symbols;
    after.body.modules = modules;
    after.body.references = references;
    after.body.confidence = memory.body.confidence.max(body.confidence);
    after.body.title = memory.body.title.clone().or_else(|| body.title.clone());
    after.body.reasoning = memory.body.reasoning.clone().or_else(|| body.reasoning.clone());
    after.body.category = memory.body.category.or(body.category);
    (after, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_core::{Clock, Draft, IdSource, Reasoning};
    use tacit_testkit::time::{FixedIds, ManualClock};

    fn body(draft: Draft) -> MemoryBody {
        draft.check(Confidence::MEDIUM).unwrap()
    }

    fn draft() -> Draft {
        Draft { content: "the same learning".into(), ..Draft::default() }
    }

    fn memory(draft: Draft) -> Memory {
        let clock = ManualClock::default();
        Memory::new(FixedIds::default().next_id(clock.now()), body(draft), clock.now())
    }

    #[test]
    fn unknown_memories_are_created() {
        let now = ManualClock::default().now();
        let resolution = resolve(vec![], body(draft()), now, &Config::default());
        assert!(matches!(resolution, Ok(GateDecision::Create(_))));
    }

    #[test]
    fn recently_forgotten_memories_are_rejected() {
        let clock = ManualClock::default();
        for (hours, refused) in [(0, true), (23, true), (24, false), (1000, false)] {
            let mut gone = memory(draft());
            gone.status =
                Status::Retired { at: clock.now(), reason: Reasoning::new("wrong").unwrap() };
            let later = clock.now().plus_days(f64::from(hours) / 24.0);
            let result = resolve(vec![gone], body(draft()), later, &Config::default());
            let resurrection = matches!(result, Err(EngineError::RecentlyForgotten { .. }));
            assert_eq!(resurrection, refused, "{hours} hours");
        }
    }

    #[test]
    fn repetition_reinforces_a_memory() {
        let before = memory(Draft {
            tags: vec!["a".into()],
            session: Some("s-1".into()),
            source: Some("agent_explicit".into()),
            confidence: Some(0.5),
            ..draft()
        });
        let again = body(Draft {
            tags: vec!["b".into()],
            session: Some("s-2".into()),
            title: Some("A title".into()),
            confidence: Some(0.7),
            ..draft()
        });
        let now = before.created_at.plus_days(1.0);
        let resolution = resolve(vec![before.clone()], again, now, &Config::default()).unwrap();
        let GateDecision::Reinforce { after, left_out, .. } = resolution else {
            unreachable!("it is known")
        };
        assert_eq!(after.observations, 2);
        assert_eq!(after.body.confidence.value(), 0.7);
        assert_eq!(after.body.tags.len(), 2);
        assert_eq!(after.body.origin.sessions.len(), 2);
        assert_eq!(after.body.title.as_ref().map(|t| t.as_str()), Some("A title"));
        assert_eq!(after.body.trust.review, Review::Verified);
        assert_eq!(after.updated_at, now);
        assert_eq!(after.created_at, before.created_at);
        assert!(left_out.is_empty());
    }

    #[test]
    fn repetition_never_lowers_confidence() {
        let observation = |session: &str, confidence| Draft {
            kind: Some("e2e_observation".into()),
            details: Some(serde_json::json!({
                "observation_type": "timing", "mcp_tool_used": "click_by_text"
            })),
            source: Some("mcp_auto".into()),
            session: Some(session.into()),
            confidence: Some(confidence),
            ..draft()
        };
        let plain = |session: &str, confidence| Draft {
            session: Some(session.into()),
            confidence: Some(confidence),
            ..draft()
        };
        for (what, first, second, expected) in [
            ("a second session", observation("s-1", 0.75), observation("s-2", 0.75), 0.9),
            ("the same session", observation("s-1", 0.75), observation("s-1", 0.75), 0.75),
            ("another type", plain("s-1", 0.75), plain("s-2", 0.75), 0.75),
            ("a lower word", plain("s-1", 0.75), plain("s-2", 0.3), 0.75),
            ("a higher word", plain("s-1", 0.75), plain("s-2", 0.8), 0.8),
        ] {
            let before = memory(first);
            let (after, _) = reinforced(&before, &body(second), before.created_at);
            assert_eq!(after.body.confidence.value(), expected, "{what}");
        }
    }

    #[test]
    fn claims_are_not_observations() {
        let by = |source: &str, session: &str| Draft {
            source: Some(source.into()),
            session: Some(session.into()),
            title: Some(format!("as {source} has it")),
            ..draft()
        };
        for (first, second, count, source, titled) in [
            ("agent_explicit", "agent_explicit", 2, Source::AgentExplicit, "agent_explicit"),
            ("imported", "agent_explicit", 2, Source::Imported, "imported"),
            (
                "observer_inferred",
                "agent_explicit",
                1,
                Source::ObserverInferred,
                "observer_inferred",
            ),
            ("observer_inferred", "imported", 1, Source::ObserverInferred, "observer_inferred"),
            (
                "observer_inferred",
                "observer_inferred",
                2,
                Source::ObserverInferred,
                "observer_inferred",
            ),
            ("agent_explicit", "observer_inferred", 1, Source::ObserverInferred, "agent_explicit"),
            ("agent_explicit", "user_taught", 2, Source::UserTaught, "agent_explicit"),
            ("user_taught", "agent_explicit", 2, Source::UserTaught, "user_taught"),
        ] {
            let before = memory(by(first, "s-1"));
            let (after, _) = reinforced(&before, &body(by(second, "s-2")), before.created_at);
            let what = format!("{first}, then {second}");
            assert_eq!((after.observations, after.body.origin.source), (count, source), "{what}");
            let title = after.body.title.as_ref().map(|title| title.to_string());
            assert_eq!(title, Some(format!("as {titled} has it")), "{what}");
            let verified = after.body.trust.review == Review::Verified;
            assert_eq!(verified, source == Source::UserTaught, "{what}");
        }
        // A claim adds no text to a verified memory.
        let bare = memory(Draft { source: Some("user_taught".into()), ..draft() });
        let (after, _) = reinforced(&bare, &body(by("agent_explicit", "s-2")), bare.created_at);
        assert_eq!(after.body.title, None);
    }

    #[test]
    fn repetition_does_not_change_who_sees_a_memory() {
        let seen_by = |word: &str, tag: &str| Draft {
            visibility: Some(word.into()),
            tags: vec![tag.into()],
            reasoning: Some(format!("why, for the {word}")),
            ..draft()
        };
        for (first, second, tags) in [
            ("team", "team", 2),
            ("private", "private", 2),
            ("private", "team", 2),
            ("team", "private", 1),
        ] {
            let before = memory(seen_by(first, "a"));
            let (after, _) = reinforced(&before, &body(seen_by(second, "b")), before.created_at);
            let what = format!("{first}, then {second}");
            assert_eq!(after.body.visibility, before.body.visibility, "{what}");
            assert_eq!(after.body.tags.len(), tags, "{what}");
            assert_eq!(after.observations, 2, "{what}");
        }
        let bare = memory(draft());
        let (after, _) = reinforced(&bare, &body(seen_by("private", "b")), bare.created_at);
        assert_eq!(after.body.reasoning, None);
    }

    #[test]
    fn labels_that_do_not_fit_are_reported() {
        let full = memory(Draft { tags: (0..12).map(|n| format!("t{n}")).collect(), ..draft() });
        let (after, left_out) = merged(&full, &body(Draft { tags: vec!["new".into()], ..draft() }));
        assert_eq!(after.body.tags, full.body.tags);
        assert_eq!(left_out, ["tag `new`"]);
    }
}
