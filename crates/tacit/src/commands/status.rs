//! `tacit status`

mod activity;
mod health;
mod stats;

use activity::RecentActivity;
use serde_json::json;
use tacit_app::AppResult;
use tacit_app::files::followed_rules;
use tacit_engine::{StoreAccess, StoreScope};
use tacit_store::StoreStats;

use crate::app::CliApp;
use crate::checks::{self, DoctorFinding, State};
use crate::render;
use crate::ui::Tone;

/// The width of the labels.
const LABEL: usize = 15;

/// Show whether Tacit works here.
///
/// One screen: the memories, the clients and their hooks, what was last shown and learnt, what waits
/// for review, the cost, and problems with the command that fixes them. `tacit doctor` looks deeper,
/// at every page of the databases.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "Examples:
  tacit status
  tacit status --json
  tacit status --stats       memories by type, source, scope and tag
  tacit status --health      health score, what lowers it, and how to fix it")]
pub(crate) struct StatusArgs {
    /// Count memories by type, source, scope and tag.
    #[arg(long)]
    stats: bool,
    /// Show a health score from 0 to 100, what lowers it, and the commands that fix it.
    #[arg(long, conflicts_with = "stats")]
    health: bool,
}

impl StatusArgs {
    /// Returns true if the team's server is among the findings.
    pub(crate) fn shows_team(&self) -> bool {
        !self.stats && !self.health
    }

    /// Returns true if memories are counted and nothing is checked.
    pub(crate) fn only_counts(&self) -> bool {
        self.stats
    }

    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        if self.stats {
            return stats::print_stats(app);
        }
        if self.health {
            return health::print_health(app);
        }
        let mut findings = vec![checks::store(app)];
        // Counting asks the server, so it comes before the team's finding is made.
        let memories = memories(app);
        findings.extend(checks::team(app));
        findings.extend(memories);
        let rules = followed_rules(app);
        let words = rules.in_words().map(|rules| format!("follows {rules}"));
        findings.extend(words.map(|words| DoctorFinding::new("rules", State::Fine, words)));
        findings.extend(checks::clients::check(app, false));
        let activity = RecentActivity::read(app);
        findings.extend(checks::last_hook(app));
        findings.extend(activity.findings(app));
        for scope in [StoreScope::Project, StoreScope::Global] {
            findings.extend(checks::losses(app, scope));
            findings.extend(checks::damaged(app, scope));
            findings.extend(checks::quarantined(app, scope));
            findings.extend(checks::unreadable(app, scope));
            findings.extend(checks::maintenance(app, scope));
            findings.extend(checks::last_run(app, scope, false));
        }
        findings.extend(checks::files_around(app));
        if app.json {
            let mut value = checks::to_json(&findings);
            value["directory"] = json!(app.places.project);
            value["initialised"] = json!(app.places.database(StoreScope::Project).exists());
            value["rules"] = json!({"count": rules.rules, "files": rules.files});
            value["activity"] = activity.to_json();
            value["maintenance"] = checks::runs_to_json(app);
            return app.ui.json(&value);
        }
        let width = app.ui.width().saturating_sub(LABEL + 1);
        for DoctorFinding { what, state, note } in &findings {
            let mut label = format!("{what:<LABEL$}");
            for row in render::wrap(&render::visible(note), width) {
                let row = match state {
                    State::Wrong => app.ui.paint(Tone::Warn, &row),
                    _ => row,
                };
                app.ui.line(format!("{} {row}", app.ui.paint(Tone::Dim, &label)))?;
                label = " ".repeat(LABEL);
            }
        }
        Ok(())
    }
}

/// Counts the memories of the project and the user's own, by status.
fn memories(app: &CliApp) -> Vec<DoctorFinding> {
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
            Ok(stats) => DoctorFinding::new(what, State::Fine, counts(&stats)),
            // The store's own finding says so already.
            Err(_) if app.obstacle.is_some() && scope == StoreScope::Project => continue,
            Err(problem) => DoctorFinding::new(what, State::Wrong, problem),
        });
    }
    findings
}

/// Lists the counts by status, active memories first, then what is stale.
fn counts(stats: &StoreStats) -> String {
    let of = |status: &str| {
        let found = stats.by_status.iter().find(|(name, _)| name == status);
        found.map_or(0, |(_, count)| *count)
    };
    let mut parts = vec![format!("{} active", of("active"))];
    for (number, word) in
        [(stats.stale, "stale"), (of("retired"), "retired"), (of("archived"), "archived")]
    {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    parts.join(", ")
}
