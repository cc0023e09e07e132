//! Live events for every open page: the changes that this server, commands and sessions make.
//!
//! Other processes change the stores, so the server looks at their files while a page listens, and reads
//! the history only if one of them changed.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use futures_core::Stream;
use serde_json::{Value, json};
use tacit_app::{App, AppResult};
use tacit_core::Timestamp;
use tacit_engine::{Engine, EngineError, EngineResult, StoreAccess, StoreScope};
use tacit_store::{ChangeId, ChangeQuery};
use tokio::sync::mpsc;

use crate::cache::{SizeAndTime, config_files, file_state, store_files};
use crate::state::held;

/// The events that may wait for a page that reads slowly. One that falls behind is disconnected, and
/// loads everything again.
const WAITING: usize = 256;
/// The pages that may listen at once.
const MOST_LISTENERS: usize = 32;
/// The changes that are listed in one event.
const MOST_CHANGES: usize = 50;
/// The memories that are listed for one change.
const MOST_MEMORIES: usize = 100;
/// The latest sessions whose activity is watched: several agents may work at a time.
const WATCHED_SESSIONS: usize = 20;
const SCOPES: [StoreScope; 2] = [StoreScope::Project, StoreScope::Global];

/// The pages that listen.
#[derive(Default)]
pub(crate) struct Hub {
    listeners: Mutex<Vec<mpsc::Sender<String>>>,
    number: AtomicU64,
}

impl Hub {
    /// Adds a page, which receives `first` at once. `None` if there are too many.
    pub(crate) fn listen(&self, name: &str, first: &Value) -> Option<EventStream> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let first = self.text(name, first);
        let mut listeners = held(&self.listeners);
        listeners.retain(|listener| !listener.is_closed());
        if listeners.len() >= MOST_LISTENERS {
            return None;
        }
        sender.try_send(first).ok()?;
        listeners.push(sender);
        Some(EventStream(receiver))
    }

    /// Sends an event to all pages.
    pub(crate) fn publish(&self, name: &str, data: &Value) {
        self.send(&self.text(name, data));
    }

    /// Sends a comment, which shows a page that has gone.
    pub(crate) fn ping(&self) {
        self.send(": ping\n\n");
    }

    pub(crate) fn is_heard(&self) -> bool {
        held(&self.listeners).iter().any(|listener| !listener.is_closed())
    }

    /// Ends all streams.
    pub(crate) fn close(&self) {
        held(&self.listeners).clear();
    }

    fn text(&self, name: &str, data: &Value) -> String {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        // JSON has no line breaks, so the data is one line.
        format!("id: {number}\nevent: {name}\ndata: {data}\n\n")
    }

    fn send(&self, text: &str) {
        held(&self.listeners).retain(|listener| listener.try_send(text.to_owned()).is_ok());
    }
}

/// The events of one page.
pub(crate) struct EventStream(mpsc::Receiver<String>);

impl Stream for EventStream {
    type Item = Result<String, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

/// The newest change of a store, with its time: after a restore, its number may mean another change.
type NewestChange = (ChangeId, Timestamp);

/// The last seen state of the stores.
#[derive(Default)]
pub(crate) struct Seen {
    files: BTreeMap<PathBuf, SizeAndTime>,
    /// True from a change of the files until the stores were read.
    is_behind: bool,
    /// The newest change of each store; `None` before the first look.
    changes: Option<BTreeMap<&'static str, NewestChange>>,
    /// The activity of each watched session; `None` before the first look.
    activity: Option<BTreeMap<String, String>>,
}

impl Seen {
    /// Compares the stores with what was last seen, and publishes what is new. What cannot be read now is new
    /// at the next look.
    pub(crate) fn look(&mut self, app: &App, hub: &Hub) -> AppResult<()> {
        let is_first = self.files.is_empty();
        let config = self.note(config_files(app));
        let stores = self.note(store_files(app));
        if config && !is_first {
            hub.publish("settings", &json!({}));
        }
        self.catch_up(stores, |seen| {
            let engine = app.engine(StoreAccess::ReadBoth)?;
            seen.memories(&engine, hub)?;
            seen.sessions(&engine, hub)
        })
    }

    /// Reads the stores if they changed, now or before a look at which they could not be read.
    fn catch_up(
        &mut self,
        changed: bool,
        read: impl FnOnce(&mut Seen) -> AppResult<()>,
    ) -> AppResult<()> {
        self.is_behind |= changed;
        if self.is_behind {
            read(self)?;
            self.is_behind = false;
        }
        Ok(())
    }

    /// Notes the state of files. Returns true if one of them changed.
    fn note(&mut self, paths: impl IntoIterator<Item = PathBuf>) -> bool {
        let mut changed = false;
        for path in paths {
            let now = file_state(&path);
            changed |= self.files.insert(path, now) != Some(now);
        }
        changed
    }

    /// Publishes the changes since the last look, or that everything changed if a store was replaced. They
    /// count as seen only once all of them could be read.
    fn memories(&mut self, engine: &Engine<'_>, hub: &Hub) -> AppResult<()> {
        let is_first = self.changes.is_none();
        let mut seen = self.changes.clone().unwrap_or_default();
        let (mut listed, mut all, mut replaced) = (Vec::new(), false, false);
        for scope in SCOPES.into_iter().filter(|scope| engine.store(*scope).is_some()) {
            let name = scope.as_str();
            let known = seen.get(name).copied();
            let (newest, is_known) = newest_since(engine, scope, known)?;
            match newest {
                Some(newest) => seen.insert(name, newest),
                None => seen.remove(name),
            };
            if is_first || newest == known {
                continue;
            }
            if !is_known {
                // The numbers of another database say nothing about what is new in it.
                (all, replaced) = (true, true);
                continue;
            }
            let after = known.map(|(id, _)| id);
            let query = ChangeQuery { after, limit: MOST_CHANGES + 1, ..ChangeQuery::default() };
            let changes = engine.history(scope, &query)?;
            all |= changes.len() > MOST_CHANGES;
            for change in changes.iter().take(MOST_CHANGES).rev() {
                let ids: Vec<_> =
                    change.items.iter().map(|item| item.memory).take(MOST_MEMORIES).collect();
                all |= change.items.len() > MOST_MEMORIES;
                listed.push(json!({
                    "store": name, "change": change.id, "kind": change.action.kind,
                    "actor": change.action.actor, "memories": ids,
                }));
            }
        }
        self.changes = Some(seen);
        if !listed.is_empty() || all {
            let event = json!({"changes": listed, "all": all, "replaced": replaced});
            hub.publish("memories", &event);
        }
        Ok(())
    }

    fn sessions(&mut self, engine: &Engine<'_>, hub: &Hub) -> AppResult<()> {
        if engine.store(StoreScope::Project).is_none() {
            return Ok(());
        }
        let sessions = engine.observed_sessions(WATCHED_SESSIONS)?.into_iter();
        let now: BTreeMap<_, _> = sessions
            .map(|(session, state)| {
                (session.id.to_string(), format!("{} {state:?}", session.last_at))
            })
            .collect();
        if let Some(before) = &self.activity {
            for (session, _) in now.iter().filter(|(id, now)| before.get(*id) != Some(*now)) {
                hub.publish("sessions", &json!({"session": session}));
            }
        }
        self.activity = Some(now);
        Ok(())
    }
}

/// Returns the newest change of a store, and false if its history is not that in which `known` was the newest:
/// a backup was restored.
fn newest_since(
    engine: &Engine<'_>,
    scope: StoreScope,
    known: Option<NewestChange>,
) -> EngineResult<(Option<NewestChange>, bool)> {
    let read = |query: ChangeQuery| {
        let found =
            engine.history(scope, &ChangeQuery { without_items: true, limit: 1, ..query })?;
        Ok::<_, EngineError>(found.first().map(|change| (change.id, change.action.at)))
    };
    let newest = read(ChangeQuery::default())?;
    let is_known = match (known, newest) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(known), Some(newest)) if newest.0 <= known.0 => newest == known,
        (Some(known), Some(_)) => {
            let same = read(ChangeQuery { id: Some(known.0), ..ChangeQuery::default() })?;
            same.is_none_or(|same| same == known)
        }
    };
    Ok((newest, is_known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_that_could_not_be_read_are_read_at_the_next_look() {
        let mut seen = Seen::default();
        let busy = |_: &mut Seen| Err(tacit_app::AppError::usage("the store is busy"));
        assert!(seen.catch_up(true, busy).is_err());
        assert!(seen.catch_up(false, busy).is_err(), "although no file changed since");
        let mut reads = 0;
        for _ in 0..2 {
            let count = |_: &mut Seen| {
                reads += 1;
                Ok(())
            };
            seen.catch_up(false, count).expect("a look");
        }
        assert_eq!(reads, 1);
    }

    #[test]
    fn a_page_that_does_not_read_is_disconnected() {
        let hub = Hub::default();
        let stream = hub.listen("hello", &json!({})).expect("room");
        for number in 0..WAITING {
            assert!(hub.is_heard(), "{number}");
            hub.publish("job", &json!(number));
        }
        assert!(!hub.is_heard());
        drop(stream);
    }

    #[test]
    fn the_number_of_pages_is_bounded_and_closed_ones_do_not_count() {
        let hub = Hub::default();
        let mut streams: Vec<_> =
            (0..MOST_LISTENERS).map(|_| hub.listen("hello", &json!({})).expect("room")).collect();
        assert!(hub.listen("hello", &json!({})).is_none());
        streams.pop();
        assert!(hub.listen("hello", &json!({})).is_some());
    }
}
