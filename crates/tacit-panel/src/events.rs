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
use tacit_engine::{Engine, StoreAccess, StoreScope};
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

/// The last seen state of the stores.
#[derive(Default)]
pub(crate) struct Seen {
    files: BTreeMap<PathBuf, SizeAndTime>,
    changes: BTreeMap<&'static str, ChangeId>,
    /// The activity of each watched session.
    activity: BTreeMap<String, String>,
    is_begun: bool,
}

impl Seen {
    /// Compares the stores with what was last seen, and publishes what is new.
    pub(crate) fn look(&mut self, app: &App, hub: &Hub) -> AppResult<()> {
        let config = self.note(config_files(app));
        let stores = self.note(store_files(app));
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        if config && !is_first {
            hub.publish("settings", &json!({}));
        }
        if stores || is_first {
            let engine = app.engine(StoreAccess::ReadBoth)?;
            self.memories(&engine, hub, is_first)?;
            self.sessions(&engine, hub, is_first)?;
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

    fn memories(&mut self, engine: &Engine<'_>, hub: &Hub, is_first: bool) -> AppResult<()> {
        let (mut listed, mut all) = (Vec::new(), false);
        for scope in SCOPES.into_iter().filter(|scope| engine.store(*scope).is_some()) {
            let known = self.changes.get(scope.as_str()).copied();
            let limit = if is_first { 1 } else { MOST_CHANGES + 1 };
            let query = ChangeQuery {
                after: known,
                limit,
                without_items: is_first,
                ..ChangeQuery::default()
            };
            let changes = engine.history(scope, &query)?;
            if let Some(newest) = changes.first() {
                self.changes.insert(scope.as_str(), newest.id);
            }
            all |= changes.len() > MOST_CHANGES;
            for change in changes.iter().take(MOST_CHANGES).rev() {
                let ids: Vec<_> =
                    change.items.iter().map(|item| item.memory).take(MOST_MEMORIES).collect();
                all |= change.items.len() > MOST_MEMORIES;
                listed.push(json!({
                    "store": scope.as_str(), "change": change.id, "kind": change.action.kind,
                    "actor": change.action.actor, "memories": ids,
                }));
            }
        }
        if !listed.is_empty() && !is_first {
            hub.publish("memories", &json!({"changes": listed, "all": all}));
        }
        Ok(())
    }

    fn sessions(&mut self, engine: &Engine<'_>, hub: &Hub, is_first: bool) -> AppResult<()> {
        if engine.store(StoreScope::Project).is_none() {
            return Ok(());
        }
        let sessions = engine.observed_sessions(WATCHED_SESSIONS)?.into_iter();
        let now: BTreeMap<_, _> = sessions
            .map(|(session, state)| {
                (session.id.to_string(), format!("{} {state:?}", session.last_at))
            })
            .collect();
        for (session, activity) in &now {
            if !is_first && self.activity.get(session) != Some(activity) {
                hub.publish("sessions", &json!({"session": session}));
            }
        }
        self.activity = now;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
