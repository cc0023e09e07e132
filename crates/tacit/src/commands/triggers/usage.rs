//! `tacit triggers usage`

use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_app::{human_time, triggers};
use tacit_triggers::measure::{GOAL, GOAL_SESSIONS, RecallMeasure, RecallReport, UseCounts};

use crate::app::CliApp;
use crate::commands::count;
use crate::render::visible;

/// Report how often triggers are used when they would help.
///
/// Reads the transcripts of agents. An opportunity is an entry whose trigger clearly matches the work
/// of a session. The entry was used if the agent asked for it (`/when`, `/how`), read its section, or
/// acted on it after a hook had shown it. Text that hooks inject does not count as the agent's own
/// words.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit triggers usage                            the transcripts of this project
  tacit triggers usage session.jsonl
  tacit triggers usage --by day --since 2026-11-01
  tacit triggers usage --json")]
pub(crate) struct TriggersUsageArgs {
    /// Transcripts, or directories of them [default: those of this project].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The rows of the report.
    #[arg(long, value_enum, default_value_t = By::Entry)]
    by: By,
    #[arg(
        long,
        value_name = "WHEN",
        help = format!("Only sessions that began on this day or later: {}", human_time::FORMS)
    )]
    since: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    /// Each entry.
    Entry,
    /// Each session.
    Session,
    /// Each day.
    Day,
}

impl TriggersUsageArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let corpus = triggers::corpus(app, app.config())?;
        if corpus.indexes.is_empty() {
            return Err(triggers::no_index(app.config()));
        }
        let transcripts = self.transcripts(app)?;
        let since =
            self.since.as_deref().map(|text| human_time::parse(text, app.now())).transpose()?;
        let day = since.map(|since| since.to_string().chars().take_while(|c| *c != 'T').collect());
        let mut measure = RecallMeasure::new(&corpus, day);
        for path in &transcripts {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let fail = AppError::cannot("read", path);
            let file = tacit_fs::open_following(path).map_err(fail)?;
            measure.read(&name, BufReader::with_capacity(256 * 1024, file)).map_err(fail)?;
        }
        let found = measure.report();
        if app.json {
            return app.ui.json(&json!({
                "transcripts": transcripts.len(), "recall": found.total.recall(), "goal": GOAL,
                "report": found,
            }));
        }
        self.print(app, &found)
    }

    /// Returns the transcripts to read, by name.
    fn transcripts(&self, app: &CliApp) -> AppResult<Vec<PathBuf>> {
        let given = if self.paths.is_empty() {
            vec![app.environment.claude_files().join("projects").join(project_name(app))]
        } else {
            self.paths.iter().map(|path| app.directory.join(path)).collect()
        };
        let mut found = Vec::new();
        for path in &given {
            if path.is_file() {
                found.push(path.clone());
            } else {
                collect(path, 3, &mut found);
            }
        }
        found.sort();
        if found.is_empty() {
            let place = given.first().map(|path| path.display().to_string()).unwrap_or_default();
            return Err(AppError::new(ErrorCode::NotFound, format!("no transcripts in `{place}`"))
                .hint("name files that end in .jsonl, or a directory of them"));
        }
        Ok(found)
    }

    fn print(&self, app: &CliApp, found: &RecallReport) -> AppResult<()> {
        let rows: Vec<(String, UseCounts)> = match self.by {
            By::Entry => {
                let used = found.entries.iter().filter(|entry| entry.counts.opportunities > 0);
                let mut rows: Vec<(String, UseCounts)> =
                    used.map(|entry| (entry.entry.clone(), entry.counts)).collect();
                rows.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.opportunities));
                rows
            }
            By::Session => found
                .sessions
                .iter()
                .map(|session| (format!("{}  {}", session.day, session.session), session.counts))
                .collect(),
            By::Day => found
                .days
                .iter()
                .map(|day| {
                    let sessions = count(day.sessions, "session", "sessions");
                    (format!("{}  {sessions}", day.day), day.counts)
                })
                .collect(),
        };
        for (name, tally) in &rows {
            let line = format!("{:>7}  {}", percent(tally), visible(name));
            app.ui.line(format!("{line}  {}", summary(tally)))?;
        }
        if !rows.is_empty() {
            app.ui.line("")?;
        }
        let sessions = count(found.sessions.len(), "session", "sessions");
        let recall = percent(&found.total);
        app.ui.line(format!("recall {recall} in {sessions}: {}", summary(&found.total)))?;
        let share = found.total.recall().unwrap_or(0.0);
        let goal = GOAL * 100.0;
        let verdict = if share > GOAL { "met" } else { "not met" };
        app.ui.line(format!(
            "goal: more than {goal:.0} % within {GOAL_SESSIONS} sessions, {verdict}"
        ))?;
        if found.unresolved > 0 {
            let times = count(found.unresolved, "time", "times");
            app.ui.line(format!("not found: {times}"))?;
        }
        let unread = found.lines.broken + found.lines.too_long;
        if unread > 0 {
            let lines = count(unread, "line", "lines");
            app.ui.line(format!("{lines} of {} could not be read", found.lines.lines))?;
        }
        Ok(())
    }
}

fn percent(tally: &UseCounts) -> String {
    tally.recall().map_or_else(|| "none".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

fn summary(tally: &UseCounts) -> String {
    let UseCounts { invoked, read, acted_on, .. } = tally;
    let of = count(tally.opportunities, "opportunity", "opportunities");
    format!("{} of {of} used ({invoked} asked for, {read} read, {acted_on} acted on)", tally.uses())
}

/// Returns the name that Claude Code gives to the directory of a project's transcripts.
fn project_name(app: &CliApp) -> String {
    let root = app.repository.as_ref().map_or(&app.places.root, |r| &r.worktree);
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    root.to_string_lossy().chars().map(letter).collect()
}

fn collect(directory: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            collect(&path, depth - 1, found);
        } else if kind.is_file() && path.extension().is_some_and(|end| end == "jsonl") {
            found.push(path);
        }
    }
}
