//! `tacit session list`

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::human_time;
use tacit_engine::{StoreAccess, StoreScope};

use super::settle;
use crate::app::CliApp;
use crate::commands::footer;
use crate::filter_args::at_least_one;
use crate::render::{ROOMY, visible};
use crate::ui::Tone;

/// List the last sessions.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit session list
  tacit session list -n 100 --json")]
pub(crate) struct SessionListArgs {
    /// Largest number of sessions to list.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one,
          default_value_t = 20)]
    limit: usize,
}

impl SessionListArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        settle(app);
        let mut sessions =
            app.engine(StoreAccess::Read(StoreScope::Project))?.observed_sessions(usize::MAX)?;
        let total = sessions.len();
        sessions.truncate(self.limit);
        if app.json {
            let values = sessions.iter().map(|(session, state)| {
                json!({
                    "session": session.id.as_str(), "client": session.client,
                    "started_at": session.started_at.to_string(), "last_at": session.last_at.to_string(),
                    "ended": session.ended, "observed": state,
                })
            });
            let values: Vec<Value> = values.collect();
            return app.ui.json(&Value::Array(values));
        }
        if sessions.is_empty() {
            return app.ui.line("No session of an agent has been seen here.");
        }
        let (now, shown) = (app.now(), sessions.len());
        for (session, state) in sessions {
            // Where there is little room, the state is worth more than the time.
            let when = match app.ui.width() >= ROOMY {
                true => format!("{}  ", human_time::ago(session.last_at, now)),
                false => String::new(),
            };
            let over = if session.ended.is_some() { "over" } else { "not over" };
            let state = state.map_or("not examined yet".to_owned(), |state| match state.as_str() {
                "waits" => "waits for the rest of its work".to_owned(),
                _ => "examined".to_owned(),
            });
            let name = visible(session.id.as_str());
            let state = format!("{}, {over}, {state}", visible(&session.client));
            let taken = when.chars().count() + name.chars().count() + 2;
            app.ui.line(format!(
                "{}{}  {}",
                app.ui.paint(Tone::Dim, &when),
                app.ui.paint(Tone::Id, &name),
                app.ui.fit(&state, taken),
            ))?;
        }
        app.ui.footer(footer(0, shown, total))
    }
}
