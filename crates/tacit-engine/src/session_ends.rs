//! Sessions that nobody will tell us the end of: some clients do not report it.

use tacit_core::{ClientName, SessionId, Timestamp};
use tacit_store::Session;

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;

/// The days without activity after which such a session counts as ended: ten minutes.
const IDLE_DAYS: f64 = 10.0 / (24.0 * 60.0);
/// The most sessions examined for a later start.
const STARTS: usize = 20;
/// The most sessions examined for one that can be observed.
const SESSIONS: usize = 50;

impl Engine<'_> {
    /// Returns true if there are sessions to observe that count as ended now that another one starts.
    pub fn has_left_sessions(&self, starting: &SessionId) -> EngineResult<bool> {
        let now = self.clock.now();
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        let open = store.sessions_to_observe(now, SESSIONS)?;
        Ok(open.iter().any(|session| session.id != *starting && is_left(session, now, &[now])))
    }

    /// Returns when the last sessions started.
    pub(crate) fn recent_starts(&self) -> EngineResult<Vec<Timestamp>> {
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        let latest = store.latest_sessions(STARTS)?;
        Ok(latest.into_iter().map(|(session, _)| session.started_at).collect())
    }
}

/// Returns true if a session without a reported end counts as ended: it has been idle, or another
/// session has started since its last activity. If it goes on, it is observed again.
pub(crate) fn is_left(session: &Session, now: Timestamp, starts: &[Timestamp]) -> bool {
    let client: Option<ClientName> = session.client.parse().ok();
    client.is_some_and(|client| !client.reports_ends())
        && (now.days_since(session.last_at) > IDLE_DAYS
            || starts.iter().any(|start| *start > session.last_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_without_an_end_are_over_when_idle_or_followed() {
        let at = |minutes: i64| Timestamp::from_millis(minutes * 60_000).expect("a time");
        let now = at(100);
        for (client, last, starts, expected) in [
            ("opencode", 89, vec![], true),
            ("kilo", 89, vec![], true),
            ("qwen", 89, vec![], true),
            ("opencode", 91, vec![], false),
            ("opencode", 91, vec![at(50)], false),
            ("opencode", 91, vec![at(50), at(95)], true),
            ("claude", 50, vec![at(95)], false),
            ("unknown", 50, vec![at(95)], false),
        ] {
            let session = Session {
                id: SessionId::new("s").expect("an identifier"),
                client: client.to_owned(),
                started_at: at(10),
                last_at: at(last),
                ended: None,
                context: 0,
                asked: false,
                held_out: None,
            };
            assert_eq!(is_left(&session, now, &starts), expected, "{client} {last} {starts:?}");
        }
    }
}
