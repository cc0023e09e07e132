//! `tacit learn git`

use serde_json::{Value, json};
use tacit_app::learn::git::{LearnReport, LearnRequest, LessonOutcome, SettledLesson, learn};
use tacit_app::{AppResult, human_time};

use crate::app::CliApp;
use crate::commands::{count, count_large};
use crate::render::{visible, wrap};

/// Learn from the commits and the committed files.
///
/// From commits: approaches that were reverted and why, files whose fixes have a common subject, files
/// that change with every new file of a folder, the form of commit messages, and where tests are. These
/// wait for `tacit review`. From committed files: how the project is built, checked and run, which each
/// session is shown at its start (`learn.build` turns it off).
///
/// At most 40 memories. Running it again reads only new commits and changes what no longer holds; what
/// you edited, verified or forgot stays so. After the first run, `tacit maintain` keeps it current.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit learn git
  tacit learn git --dry-run                 show what would be learnt
  tacit learn git --since \"2 years ago\"
  tacit learn git --json")]
pub(crate) struct LearnGitArgs {
    /// Show what would be learnt, and store nothing.
    #[arg(long)]
    dry_run: bool,
    #[arg(long, value_name = "WHEN", help = format!("Only commits since: {}", human_time::FORMS))]
    since: Option<String>,
}

impl LearnGitArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let since = self.since.as_deref().map(|text| human_time::parse(text, app.now()));
        let request = LearnRequest { since: since.transpose()?, dry_run: self.dry_run };
        let report = learn(app, request)?;
        if !self.dry_run {
            app.maintain_in_background();
        }
        if app.json {
            return app.ui.json(&to_json(&report, self.dry_run));
        }
        let new: Vec<String> =
            report.lessons.iter().flat_map(|settled| lines(app, settled, self.dry_run)).collect();
        app.ui.lines(&new)?;
        if !new.is_empty() {
            app.ui.line("")?;
        }
        app.ui.line(summary(&report, self.dry_run))
    }
}

/// Renders a lesson: its outcome and title, then its text if that is new.
fn lines(app: &CliApp, settled: &SettledLesson, would: bool) -> Vec<String> {
    let Some(lesson) = &settled.lesson else { return Vec::new() };
    let word = match (settled.outcome, would) {
        (LessonOutcome::New, _) => "new",
        (LessonOutcome::Changed, _) => "changed",
        (LessonOutcome::Refused, _) => "refused",
        _ => return Vec::new(),
    };
    let mut lines = vec![format!("{word}: {}", visible(&lesson.title))];
    let width = app.ui.width().saturating_sub(2);
    lines.extend(wrap(&visible(&lesson.content), width).map(|line| format!("  {line}")));
    lines
}

/// Returns the last line of a report.
pub(in crate::commands) fn summary(report: &LearnReport, would: bool) -> String {
    let of = |outcome| report.count(outcome);
    let commits = count_large(report.commits, "commit", "commits");
    let new = count(of(LessonOutcome::New), "new memory", "new memories");
    let mut text =
        format!("{} {commits}: {new}", if would { "Would learn from" } else { "Learnt from" });
    let others = [
        (LessonOutcome::Changed, "changed"),
        (LessonOutcome::Same, "known"),
        (LessonOutcome::Retired, "retired"),
        (LessonOutcome::Kept, "left as you have it"),
        (LessonOutcome::Forgotten, "forgotten before"),
    ];
    for (outcome, word) in others {
        if of(outcome) > 0 {
            text.push_str(&format!(", {} {word}", of(outcome)));
        }
    }
    text.push('.');
    let inferred = report.lessons.iter().filter(|settled| {
        settled.outcome == LessonOutcome::New
            && settled.lesson.as_ref().is_some_and(|lesson| lesson.sources.is_empty())
    });
    if inferred.count() > 0 && !would {
        text.push_str(" What was inferred waits for `tacit review`.");
    }
    text
}

fn to_json(report: &LearnReport, dry_run: bool) -> Value {
    let lessons: Vec<Value> = report
        .lessons
        .iter()
        .map(|settled| {
            let lesson = settled.lesson.as_ref();
            json!({
                "outcome": settled.outcome.as_str(),
                "memory": settled.memory.map(|id| id.to_string()),
                "kind": lesson.map(|lesson| lesson.kind.as_str()),
                "title": lesson.map(|lesson| &lesson.title),
                "content": lesson.map(|lesson| &lesson.content),
                "confidence": lesson.map(|lesson| lesson.confidence),
                "files": lesson.map(|lesson| &lesson.files),
                "commits": lesson.map(|lesson| &lesson.commits),
                "sources": lesson.map(|lesson| &lesson.sources),
            })
        })
        .collect();
    json!({
        "dry_run": dry_run, "read": report.read, "commits": report.commits, "lessons": lessons,
    })
}
