//! The turn that is about to end: decides whether it taught something.

use tacit_core::log::{ClientRecord, LogKind};
use tacit_core::{EventKind, EventName, SessionId};
use tacit_observer::Timeline;
use tacit_observer::turns::{TeachingSign, signs_of_open_turn};
use tacit_store::{Event, EventQuery};

use super::gather::entries;
use crate::engine::Engine;
use crate::error::EngineResult;

/// The most events that are read: an agent waits.
const EVENTS: usize = 400;

/// The events that a turn consists of.
const OF_TURN: [EventName; 4] = [
    EventName::PromptSubmitted,
    EventName::ToolFinished,
    EventName::ToolFailed,
    EventName::TurnStopped,
];

impl Engine<'_> {
    /// Returns true if the open turn of a session taught something: a failure turned into a pass or
    /// came back, an approach was dropped, or the user reported a problem. Right after a turn at
    /// whose end the agent was asked, a problem that merely remains is not new.
    pub fn open_turn_teaches(&self, session: &SessionId) -> EngineResult<bool> {
        let query = EventQuery {
            session: Some(session.clone()),
            kinds: OF_TURN.map(LogKind::Client).to_vec(),
            limit: EVENTS,
            ..EventQuery::default()
        };
        let mut events = self.events(&query)?;
        let is_end = |event: &Event| event.record.is_event(EventName::TurnStopped);
        let last_end = events.iter().position(is_end);
        // The outputs of earlier turns take long to read; their prompts tell whether one came first.
        let mut index = 0;
        events.retain(|event| {
            index += 1;
            last_end.is_none_or(|end| index <= end + 1)
                || event.record.is_event(EventName::PromptSubmitted)
        });
        let was_asked = self.session(session)?.is_some_and(|session| session.asked)
            && last_end.is_some_and(|end| went_on(&events[end]));
        let signs = signs_of_open_turn(&Timeline::from_log(&entries(events)));
        let is_new = |sign: &TeachingSign| {
            !was_asked || matches!(sign, TeachingSign::FailureFixed | TeachingSign::ApproachDropped)
        };
        Ok(signs.iter().any(is_new))
    }
}

/// Returns true if an agent went on because of a stop hook before this end of a turn.
fn went_on(end: &Event) -> bool {
    let event = end.record.client().map(ClientRecord::event);
    let Some(Ok(event)) = event else { return false };
    matches!(event.kind, EventKind::TurnStopped { stop_hook_active: true, .. })
}
