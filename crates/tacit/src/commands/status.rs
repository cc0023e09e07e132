//! `tacit status`

use serde_json::json;
use tacit_app::AppResult;
use tacit_engine::{StoreAccess, StoreScope};

use crate::app::App;
use crate::checks::{self, Finding, State};
use crate::ui::Tone;

/// Show whether the memory works here: where it is, what it holds, and who uses it.
///
/// `tacit doctor` looks deeper, at every page of the databases.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit status
  tacit status --json")]
pub(crate) struct Status {}

impl Status {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        let mut findings = vec![checks::store(app)];
        findings.extend(memories(app));
        for scope in [StoreScope::Project, StoreScope::Global] {
            findings.extend(checks::losses(app, scope));
            findings.extend(checks::damaged(app, scope));
            findings.extend(checks::quarantined(app, scope));
            findings.extend(checks::unreadable(app, scope));
            findings.extend(checks::maintenance(app, scope));
        }
        findings.extend(checks::surroundings(app));
        if app.json {
            let mut value = checks::to_json(&findings);
            value["directory"] = json!(app.places.project);
            value["initialised"] = json!(app.places.database(StoreScope::Project).exists());
            return app.ui.json(&value);
        }
        for Finding { what, state, note } in &findings {
            let note = crate::render::visible(note);
            let note = if *state == State::Wrong { app.ui.paint(Tone::Warn, &note) } else { note };
            let what = app.ui.paint(Tone::Dim, &format!("{what:<15}"));
            app.ui.line(format!("{what} {note}"))?;
        }
        Ok(())
    }
}

/// Counts the memories of the project and the user's own.
fn memories(app: &App) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (scope, what) in [(StoreScope::Project, "memories"), (StoreScope::Global, "your own")] {
        if !app.places.database(scope).exists() {
            continue;
        }
        let counted = app.engine(StoreAccess::Read(scope)).map_err(|error| error.message).and_then(
            |engine| match engine.store(scope) {
                Some(store) => store.stats().map_err(|error| error.to_string()),
                None => Ok(Default::default()),
            },
        );
        findings.push(match counted {
            Ok(stats) => {
                let active = stats.by_status.iter().find(|(name, _)| name == "active");
                let mut note = active.map_or(0, |(_, count)| *count).to_string();
                if stats.needs_review > 0 {
                    note += &format!(", {} to review", stats.needs_review);
                }
                if stats.stale > 0 {
                    note += &format!(", {} stale", stats.stale);
                }
                Finding::new(what, State::Fine, note)
            }
            // The store's own finding says so already.
            Err(_) if app.obstacle.is_some() && scope == StoreScope::Project => continue,
            Err(problem) => Finding::new(what, State::Wrong, problem),
        });
    }
    findings
}
