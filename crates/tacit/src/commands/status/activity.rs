//! The last activity of Tacit here: what it showed, what it learnt, and the cost.

use serde_json::{Value, json};
use tacit_app::human_time::ago;
use tacit_app::review::review_queue;
use tacit_core::{Source, Timestamp};
use tacit_engine::{Engine, StoreAccess, StoreScope, StoredMemory};
use tacit_store::{Filter, Injection, InjectionQuery, ListOrder};

use crate::app::CliApp;
use crate::checks::{DoctorFinding, State};
use crate::commands::count;
use crate::render;

/// A day, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// Most characters of a memory's name.
const NAME: usize = 60;

/// The last activity of hooks, of the observer and of text models.
#[derive(Default)]
pub(super) struct RecentActivity {
    /// True if there is a store that can be read.
    is_known: bool,
    last_shown: Option<Injection>,
    last_learnt: Option<StoredMemory>,
    to_review: usize,
    /// Tokens that hooks injected in the last session in which they showed something.
    session_tokens: u64,
    /// Calls to text models in the last 24 hours.
    model_calls: usize,
}

impl RecentActivity {
    /// Reads the activity; empty if there is no store that can be read, which other findings report.
    pub(super) fn read(app: &CliApp) -> RecentActivity {
        if app.obstacle.is_some() || !app.places.database(StoreScope::Project).exists() {
            return RecentActivity::default();
        }
        let Ok(engine) = app.engine(StoreAccess::ReadBoth) else {
            return RecentActivity::default();
        };
        let now = app.now();
        let calls = app.places.ledger().read().map(|calls| calls.calls).unwrap_or_default();
        let is_recent = |at: Timestamp| now.as_millis() - at.as_millis() < DAY;
        let mut activity = read_store(&engine, now).unwrap_or_default();
        activity.model_calls = calls.iter().filter(|call| is_recent(call.at)).count();
        activity
    }

    pub(super) fn findings(&self, app: &CliApp) -> Vec<DoctorFinding> {
        if !self.is_known {
            return Vec::new();
        }
        let now = app.now();
        let fine = |what: &str, note: String| DoctorFinding::new(what, State::Fine, note);
        let name = |text: &str| render::cut(&render::visible_line(text), NAME);
        let shown = match &self.last_shown {
            Some(shown) => {
                let id = shown.memory.map(|id| format!(" ({})", id.short()));
                let name = name(&shown.text);
                format!("{}: {name}{}", ago(shown.at, now), id.unwrap_or_default())
            }
            None => "nothing yet".to_owned(),
        };
        let learnt = match &self.last_learnt {
            Some(StoredMemory { memory, .. }) => {
                let (when, id) = (ago(memory.created_at, now), memory.id.short());
                format!("{when}: {} ({id})", name(&memory.headline()))
            }
            None => "nothing yet; Tacit learns when a session is over".to_owned(),
        };
        let review = match self.to_review {
            0 => "nothing waits".to_owned(),
            number => {
                let what = count(number, "memory waits", "memories wait");
                format!("{what}; `tacit review` shows them")
            }
        };
        let mut findings =
            vec![fine("last shown", shown), fine("last learnt", learnt), fine("review", review)];
        if self.last_shown.is_some() || self.model_calls > 0 {
            let tokens = count(self.session_tokens as usize, "token", "tokens");
            let mut cost = format!("{tokens} shown in the last session");
            if self.model_calls > 0 {
                let calls = count(self.model_calls, "call", "calls");
                cost += &format!(", {calls} to text models in 24 hours (`tacit ledger`)");
            }
            findings.push(fine("cost", cost));
        }
        findings
    }

    pub(super) fn to_json(&self) -> Value {
        if !self.is_known {
            return Value::Null;
        }
        let shown = self.last_shown.as_ref().map(|shown| {
            json!({
                "at": shown.at, "session": shown.session.as_str(), "memory": shown.memory,
                "text": shown.text, "why": shown.why, "tokens": shown.tokens,
            })
        });
        json!({
            "last_shown": shown,
            "last_learnt": self.last_learnt.as_ref().map(render::to_json),
            "to_review": self.to_review,
            "session_tokens": self.session_tokens,
            "model_calls": self.model_calls,
        })
    }
}

/// The newest injections among which the last one that was shown is looked for.
const NEWEST: usize = 200;

/// Reads what the store knows; `None` if it cannot be read.
fn read_store(engine: &Engine<'_>, now: Timestamp) -> Option<RecentActivity> {
    let newest = InjectionQuery { limit: NEWEST, ..InjectionQuery::default() };
    let newest = engine.injections(&newest).ok()?;
    let last_shown = newest.into_iter().find(|injection| !injection.withheld);
    let session_tokens = match &last_shown {
        None => 0,
        Some(shown) => {
            let session = Some(shown.session.clone());
            let query = InjectionQuery { session, limit: usize::MAX, ..InjectionQuery::default() };
            let shown = engine.injections(&query).ok()?;
            shown.iter().map(|injection| u64::from(injection.tokens)).sum()
        }
    };
    let is_learnt = |source: &Source| {
        let others = [Source::UserTaught, Source::Imported, Source::File, Source::CommitAuto];
        !others.contains(source)
    };
    let sources = Source::ALL.iter().copied().filter(is_learnt).collect();
    let learnt = Filter { sources, ..Filter::default() };
    let project = Some(StoreScope::Project);
    Some(RecentActivity {
        is_known: true,
        last_shown,
        last_learnt: engine.list(project, &learnt, ListOrder::Newest, 1, 0).ok()?.pop(),
        to_review: review_queue(engine, now).ok()?.items.len(),
        session_tokens,
        model_calls: 0,
    })
}
