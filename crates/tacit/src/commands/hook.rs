//! `tacit hook why`; what clients run is in `crate::hook`.

use std::collections::BTreeMap;

use clap::Subcommand;
use serde_json::{Value, json};
use tacit_app::moment;
use tacit_app::{AppError, AppResult};
use tacit_core::SessionId;
use tacit_core::visible_line;
use tacit_engine::{StoreAccess, StoreScope};
use tacit_store::{Event, EventQuery, Injection, InjectionQuery};

use crate::app::App;
use crate::commands::count;
use crate::filter_args::at_least_one;
use crate::render::cut;
use crate::ui::Tone;

/// What agent clients run, and why they were told what they were told.
///
/// `tacit hook CLIENT [EVENT]` is run by an agent client: it reads one event as JSON on standard
/// input, and prints what the client takes, or nothing. It always exits with 0; what goes wrong is
/// in `logs/hook.log` of the store (`tacit status` shows where that is). With `--debug` or TACIT_DEBUG=1 it explains itself on standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit hook why                       the last events, and what agents were shown
  tacit hook why -n 100 --json
  tacit hook --debug claude < event.json")]
pub(crate) struct Hook {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Show for the last events what was put before the agent, and why.
    #[command(after_help = "Examples:
  tacit hook why
  tacit hook why -n 5")]
    Why(Why),
}

#[derive(Debug, clap::Args)]
struct Why {
    /// How many events at most.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one,
          default_value_t = 20)]
    limit: usize,
    /// Only of this session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only events with which something was shown.
    #[arg(long)]
    shown: bool,
}

impl Hook {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        let What::Why(why) = self.what;
        why.run(app)
    }
}

impl Why {
    fn run(self, app: &App) -> AppResult<()> {
        let session: Option<SessionId> = self
            .session
            .as_deref()
            .map(|id| tacit_redact::identifier(id).parse())
            .transpose()
            .map_err(|problem| AppError::usage(format!("--session {problem}")))?;
        super::observe::settle(app);
        let engine = app.engine(StoreAccess::Read(StoreScope::Project))?;
        let limit = if self.shown { usize::MAX } else { self.limit };
        let query = EventQuery { session, limit, ..EventQuery::default() };
        let events = engine.events(&query)?;
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
            let when = app.ui.paint(Tone::Dim, &moment::ago(event.at, now));
            let head = format!("{}{}", record.kind(), visible_line(&tool));
            app.ui.line(format!("{when}  {head}{}", subject.unwrap_or_default()))?;
            for injection in injections {
                let id = injection.memory.map_or("note".to_owned(), |id| id.short().to_string());
                let id = app.ui.paint(Tone::Id, &id);
                app.ui.line(format!(
                    "    {id}  {}  {}, {}",
                    cut(&visible_line(&injection.text), 60),
                    visible_line(&injection.why),
                    count(injection.tokens as usize, "token", "tokens"),
                ))?;
            }
        }
        Ok(())
    }
}

fn to_json((event, injections): &(Event, Vec<Injection>)) -> Value {
    let shown: Vec<Value> = injections
        .iter()
        .map(|injection| {
            json!({
                "memory": injection.memory, "text": injection.text, "why": injection.why,
                "tokens": injection.tokens, "agent": injection.agent,
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
