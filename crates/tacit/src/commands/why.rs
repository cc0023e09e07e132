//! `tacit why`: what hooks have shown to agents, and why; and where a memory came from.

mod memory;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tacit_app::human_time;
use tacit_app::{AppError, AppResult};
use tacit_core::SessionId;
use tacit_core::visible_line;
use tacit_engine::{StoreAccess, StoreScope};
use tacit_store::{Event, EventQuery, Injection, InjectionQuery};

use super::session;
use crate::app::CliApp;
use crate::commands::{count, footer};
use crate::filter_args::at_least_one;
use crate::render::cut;
use crate::ui::Tone;
pub(super) use memory::{injections_of, injections_to_json, print_injections, row};

/// Explain what agents were shown.
///
/// Lists the last events that clients reported, with the memories that hooks showed and the reasons.
/// With the id of a memory, shows where it came from, how it changed and when it was shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit why                          the last events, and what agents were shown
  tacit why a1b2c3d4                 where a memory came from, and when it was shown
  tacit why --shown -n 5             only events with which something was shown
  tacit why --session SESSION        what was learnt from a session (`tacit session explain`)
  tacit why --in-session SESSION     the events of a session")]
pub(crate) struct WhyArgs {
    /// Explain this memory; an unambiguous beginning of its id is enough.
    #[arg(value_name = "ID", conflicts_with_all = ["session", "in_session", "shown"])]
    id: Option<String>,
    /// Explain what was learnt from this session.
    #[arg(long, value_name = "SESSION", conflicts_with_all = ["limit", "in_session", "shown"])]
    session: Option<String>,
    /// Largest number of events to list, or of times that a memory was shown.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one,
          default_value_t = 20)]
    limit: usize,
    /// Only events of this session.
    #[arg(long, value_name = "SESSION")]
    in_session: Option<String>,
    /// Only events with which something was shown.
    #[arg(long)]
    shown: bool,
}

impl WhyArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        if let Some(session) = &self.session {
            return session::explain(app, session);
        }
        if let Some(id) = &self.id {
            return memory::explain(app, id, self.limit);
        }
        let in_session: Option<SessionId> = self
            .in_session
            .as_deref()
            .map(|id| tacit_redact::identifier(id).parse())
            .transpose()
            .map_err(|problem| AppError::usage(format!("--in-session {problem}")))?;
        session::settle(app);
        let engine = app.engine(StoreAccess::Read(StoreScope::Project))?;
        let limit = if self.shown { usize::MAX } else { self.limit };
        let query = EventQuery { session: in_session, limit, ..EventQuery::default() };
        let events = engine.events(&query)?;
        let is_whole = events.len() < self.limit;
        let counted = if is_whole { events.len() } else { engine.count_events(&query)? };
        let ids: Vec<String> = events.iter().map(|event| event.id.clone()).collect();
        let mut shown: BTreeMap<String, Vec<Injection>> = BTreeMap::new();
        for ids in ids.chunks(500) {
            let query = InjectionQuery {
                events: ids.to_vec(),
                limit: usize::MAX,
                ..InjectionQuery::default()
            };
            for injection in engine.injections(&query)? {
                shown.entry(injection.event.clone()).or_default().insert(0, injection);
            }
        }
        drop(engine);
        let mut events: Vec<(Event, Vec<Injection>)> = events
            .into_iter()
            .map(|event| {
                let injections = shown.remove(&event.id).unwrap_or_default();
                (event, injections)
            })
            .filter(|(_, injections)| !self.shown || !injections.is_empty())
            .collect();
        let total = if self.shown { events.len() } else { counted };
        events.truncate(self.limit);
        if app.json {
            let values: Vec<Value> = events.iter().map(to_json).collect();
            return app.ui.json(&Value::Array(values));
        }
        if events.is_empty() {
            app.ui.line("No event of an agent has been seen here.")?;
        }
        for session in app.places.sessions_off() {
            let session = visible_line(session.as_str());
            app.ui.line(format!(
                "Session {session} is off; `/memory on`, typed there, turns it on."
            ))?;
        }
        if app.config().capture_paused {
            app.ui
                .line("Capture is paused: `tacit config set capture.paused false` resumes it.")?;
        }
        let now = app.now();
        for (event, injections) in &events {
            let record = &event.record;
            let subject = record.subject().map(|s| format!("  {}", cut(&visible_line(&s), 60)));
            let tool = record.tool().map(|tool| format!(" {tool}")).unwrap_or_default();
            let when = app.ui.paint(Tone::Dim, &human_time::ago(event.at, now));
            let head = format!("{}{}", record.kind(), visible_line(&tool));
            app.ui.line(format!("{when}  {head}{}", subject.unwrap_or_default()))?;
            for injection in injections {
                let id = injection.memory.map_or("note".to_owned(), |id| id.short().to_string());
                let id = app.ui.paint(Tone::Id, &id);
                app.ui.line(format!(
                    "    {id}  {}  {}, {}{}",
                    cut(&visible_line(&injection.text), 60),
                    visible_line(&injection.why),
                    count(injection.tokens as usize, "token", "tokens"),
                    memory::fate_text(injection),
                ))?;
            }
        }
        app.ui.footer(footer(0, events.len(), total))
    }
}

fn to_json((event, injections): &(Event, Vec<Injection>)) -> Value {
    let shown: Vec<Value> = injections
        .iter()
        .map(|injection| {
            json!({
                "memory": injection.memory, "text": injection.text, "why": injection.why,
                "tokens": injection.tokens, "agent": injection.agent, "layer": injection.layer,
                "withheld": injection.withheld, "fate": memory::fate_word(injection),
                "fate_why": memory::fate_why(injection),
            })
        })
        .collect();
    let record = &event.record;
    json!({
        "id": event.id, "session": event.session.as_str(), "at": event.at.to_string(),
        "kind": record.kind().as_str(), "tool": record.tool(), "subject": record.subject(),
        "shown": shown,
    })
}
