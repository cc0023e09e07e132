//! `tacit learn transcripts`

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::Value;
use tacit_app::learn::transcripts::{
    TranscriptCounts, TranscriptReport, TranscriptRequest, TranscriptSource, learn_transcripts,
};
use tacit_app::{AppError, AppResult, human_time};

use crate::app::CliApp;
use crate::commands::count;
use crate::render;
use crate::ui::Tone;

/// The most transcripts that could not be read and are listed.
const SKIPPED: usize = 10;

/// Learn from past sessions of agents in this repository.
///
/// Reads the transcripts that Claude Code, Codex, Gemini CLI and Copilot CLI keep of their sessions, and
/// those that Entire keeps in git. Each session is learnt from as if hooks had reported it when it
/// happened: the same cleaning, checks and limits apply. Sessions that hooks reported are left out, and
/// a second run reads only what is new. A path may also be a file of recorded hook payloads.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit learn transcripts --dry-run       count the sessions
  tacit learn transcripts                 learn from all of them
  tacit learn transcripts --from claude --since \"last month\"
  tacit learn transcripts events.jsonl    learn from recorded hook payloads")]
pub(crate) struct LearnTranscriptsArgs {
    /// Transcripts, or folders with transcripts [default: the folders of the clients, and git].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only transcripts of this client, or from Entire.
    #[arg(long, value_name = "SOURCE", value_delimiter = ',')]
    from: Vec<SourceArg>,
    #[arg(
        long,
        value_name = "WHEN",
        help = format!("Only sessions that ended since: {}", human_time::FORMS)
    )]
    since: Option<String>,
    /// Count the sessions, and learn nothing.
    #[arg(long)]
    dry_run: bool,
}

/// A source of transcripts.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum SourceArg {
    Claude,
    Codex,
    Gemini,
    Copilot,
    Entire,
}

impl From<SourceArg> for TranscriptSource {
    fn from(source: SourceArg) -> TranscriptSource {
        match source {
            SourceArg::Claude => TranscriptSource::Claude,
            SourceArg::Codex => TranscriptSource::Codex,
            SourceArg::Gemini => TranscriptSource::Gemini,
            SourceArg::Copilot => TranscriptSource::Copilot,
            SourceArg::Entire => TranscriptSource::Entire,
        }
    }
}

impl LearnTranscriptsArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let mut paths = Vec::new();
        for path in &self.paths {
            let path = app.directory.join(path);
            if !path.exists() {
                let message = format!("`{}` does not exist", path.display());
                return Err(
                    AppError::usage(message).hint("name a transcript, or a folder with some")
                );
            }
            paths.push(path);
        }
        let since = self.since.as_deref().map(|typed| human_time::parse(typed, app.now()));
        let request = TranscriptRequest {
            paths,
            from: self.from.into_iter().map(TranscriptSource::from).collect(),
            since: since.transpose()?,
            dry_run: self.dry_run,
        };
        let report = learn_transcripts(app, &request)?;
        if !self.dry_run {
            app.maintain_in_background();
        }
        if app.json {
            return app.ui.json(&json(&report));
        }
        print(app, &report)
    }
}

fn json(report: &TranscriptReport) -> Value {
    let mut value = serde_json::to_value(report).unwrap_or_default();
    value["learnt"] = render::all_to_json(&report.learnt);
    value
}

fn print(app: &CliApp, report: &TranscriptReport) -> AppResult<()> {
    let ui = &app.ui;
    let TranscriptCounts { new, continued, events, .. } = report.sessions;
    let sources = report.sources.iter().map(|(name, number)| format!("{name} {number}"));
    let sources = sources.collect::<Vec<_>>().join(", ");
    if sources.is_empty() {
        ui.line("No transcript of a session in this repository was found.")?;
    } else {
        let read = if report.dry_run { "To read" } else { "Read" };
        let all = count(new + continued, "session", "sessions");
        let events = count(events, "event", "events");
        ui.line(format!("{read}: {all} with {events} (transcripts: {sources})"))?;
    }
    let left = left_out(&report.sessions);
    if !left.is_empty() {
        ui.line(format!("Left out: {}", left.join(", ")))?;
    }
    if !report.dry_run && new + continued > 0 {
        learnt(app, report)?;
    }
    if !report.skipped.is_empty() {
        let number = count(report.skipped.len(), "transcript", "transcripts");
        ui.line(format!("Not read: {number}"))?;
        for skipped in report.skipped.iter().take(SKIPPED) {
            let line = format!("  {}: {}", skipped.name, skipped.why);
            ui.line(render::visible(&line))?;
        }
    }
    Ok(())
}

/// Returns what was read and learnt, in a line.
pub(in crate::commands) fn summary(report: &TranscriptReport) -> String {
    let TranscriptCounts { new, continued, .. } = report.sessions;
    let sessions = count(new + continued, "past session", "past sessions");
    let learnt = count(report.learnt.len(), "new memory", "new memories");
    let waits = if report.learnt.is_empty() { "" } else { " They wait for `tacit review`." };
    format!("Learnt from {sessions}: {learnt}.{waits}")
}

fn learnt(app: &CliApp, report: &TranscriptReport) -> AppResult<()> {
    let ui = &app.ui;
    let checks = &report.checks;
    ui.line(format!(
        "Checks: passed in {}, failed in {}, nothing was checked in {}",
        checks.passed, checks.failed, checks.unchecked
    ))?;
    let new = count(report.learnt.len(), "new memory", "new memories");
    ui.line(format!("Learnt: {new}, {} confirmed", report.confirmed))?;
    ui.lines(report.learnt.iter().map(|found| render::summary(ui, found, app.now())))?;
    if report.dropped.is_empty() {
        return Ok(());
    }
    ui.line("Why not more:")?;
    ui.lines(report.dropped.iter().map(|reason| {
        let number = ui.paint(Tone::Dim, &format!("{:6}", reason.count));
        format!("{number}  {}", render::visible(&reason.why))
    }))
}

/// Returns the sessions that were left out, with the reasons.
fn left_out(sessions: &TranscriptCounts) -> Vec<String> {
    let reasons = [
        (sessions.unchanged, "read before"),
        (sessions.known, "reported by hooks"),
        (sessions.open, "may still go on"),
        (sessions.before, "too old"),
    ];
    let some = reasons.into_iter().filter(|(number, _)| *number > 0);
    some.map(|(number, why)| format!("{number} {why}")).collect()
}
