//! `tacit records`: structured records as files. One file per subcommand.

mod candidate;
mod create;
mod draft;
mod gc;
mod index;
mod input;
mod list;
mod merge;
mod schema;
mod search;
mod show;
mod status;
mod triage;
mod update;
mod verify;

use std::io::Write;

use clap::Subcommand;
use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::files::{SyncReport, sync};
use tacit_app::records::{folder, lock_timeout};
use tacit_records::files::{LoadedRecords, RecordWriter, StoredRecord, UnreadableFile};
use tacit_records::{RecordCategory, RecordResult, RecordSettings};

use crate::app::CliApp;
use crate::render::visible;
use crate::ui::Tone;

/// Manage records: memories as files to commit.
///
/// A record is a JSON file in `.claude/memory/` that a team reads in a pull request, in the folder of
/// its category: session_summary, decision, runbook, constraint, tech_debt or preference. Only these
/// commands and `tacit share` write there.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records schema decision
  tacit records create decision --input draft.json
  tacit records list
  tacit records update use-wal-mode --input changed.json --hash 5f4dcc3b5aa765d61d8327deb882cf99
  tacit records retire use-wal-mode --reason \"no longer true\"
  tacit records gc --dry-run")]
pub(crate) struct RecordsArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Create(create::RecordsCreateArgs),
    Update(update::RecordsUpdateArgs),
    /// Take a record out of use.
    ///
    /// Recall no longer finds it, and it can be removed after `records.grace_days`; until then, `tacit
    /// records restore` brings it back.
    #[command(after_help = "Examples:
  tacit records retire use-wal-mode --reason \"no longer true\"
  tacit records retire decisions/use-wal-mode --reason \"no longer true\" --json")]
    Retire(status::RecordsRemovalArgs),
    /// Take a record out of use and keep it.
    ///
    /// Recall no longer finds it, and it is never removed; `tacit records restore` brings it back.
    #[command(after_help = "Examples:
  tacit records archive use-wal-mode --reason \"kept for the audit\"
  tacit records archive decisions/use-wal-mode --reason \"kept for the audit\" --json")]
    Archive(status::RecordsRemovalArgs),
    /// Bring a retired or archived record back into use.
    #[command(after_help = "Examples:
  tacit records restore use-wal-mode
  tacit records restore decisions/use-wal-mode --json")]
    Restore(status::NamedRecordArgs),
    Show(show::RecordsShowArgs),
    List(list::RecordsListArgs),
    Search(search::RecordsSearchArgs),
    Gc(gc::RecordsGcArgs),
    Index(index::RecordsIndexArgs),
    Merge(merge::RecordsMergeArgs),
    Candidate(candidate::RecordsCandidateArgs),
    Triage(triage::RecordsTriageArgs),
    Draft(draft::RecordsDraftArgs),
    Verify(verify::RecordsVerifyArgs),
    Schema(schema::RecordsSchemaArgs),
}

impl RecordsArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.action {
            Action::Create(command) => command.run(app),
            Action::Update(command) => command.run(app),
            Action::Retire(command) => command.run(app, "Retired", |writer, name, reason, hash| {
                writer.retire(name, reason, hash)
            }),
            Action::Archive(command) => {
                command.run(app, "Archived", |writer, name, reason, hash| {
                    writer.archive(name, reason, hash)
                })
            }
            Action::Restore(command) => command.restore(app),
            Action::Show(command) => command.run(app),
            Action::List(command) => command.run(app),
            Action::Search(command) => command.run(app),
            Action::Gc(command) => command.run(app),
            Action::Index(command) => command.run(app),
            Action::Merge(command) => command.run(app),
            Action::Candidate(command) => command.run(app),
            Action::Triage(command) => command.run(app),
            Action::Draft(command) => command.run(app),
            Action::Verify(command) => command.run(app),
            Action::Schema(command) => command.run(app),
        }
    }
}

/// Returns the settings of records.
fn settings(app: &CliApp) -> RecordSettings {
    tacit_app::records::settings(app.config())
}

/// Parses a category.
fn category(text: &str) -> Result<RecordCategory, String> {
    text.parse().map_err(|problem: tacit_core::Problem| problem.to_string())
}

/// Renders a record as JSON, with the hash of its file.
fn to_json(stored: &StoredRecord) -> Value {
    json!({
        "path": stored.record.path(), "hash": stored.hash, "record": stored.record.to_json(),
    })
}

/// Changes a record, indexes it and prints the result.
fn change(
    app: &CliApp,
    word: &str,
    act: impl FnOnce(&RecordWriter<'_>) -> RecordResult<StoredRecord>,
) -> AppResult<()> {
    let (folder, settings) = (folder(app), settings(app));
    let stored = act(&folder.writer(&settings, app.now(), lock_timeout(app))?)?;
    let notes = index_now(app);
    say(app, word, &stored, &notes)
}

/// Prints a record that was changed.
fn say(app: &CliApp, word: &str, stored: &StoredRecord, notes: &[String]) -> AppResult<()> {
    if app.json {
        let mut json = to_json(stored);
        json["outcome"] = json!(word.to_lowercase());
        json["notes"] = json!(notes);
        return app.ui.json(&json);
    }
    let path = app.ui.paint(Tone::Id, &stored.record.path());
    app.ui.line(format!("{word}: {} ({path})", visible(&stored.record.title)))?;
    app.ui.line(format!("   hash: {}", stored.hash))?;
    for note in notes {
        if note.starts_with("WARNING: ") {
            // Agents look for these words on standard error.
            writeln!(std::io::stderr(), "{}", visible(note))?;
        } else {
            app.ui.line(format!("   note: {}", visible(note)))?;
        }
    }
    Ok(())
}

/// Indexes changed records. The record that was written is safe even if that fails.
fn index_now(app: &CliApp) -> Vec<String> {
    match sync(app, false) {
        Ok(synced) => notes(&synced),
        Err(error) => vec![format!("not indexed yet: {}", error.message)],
    }
}

/// Lists the problems of an indexing.
fn notes(synced: &SyncReport) -> Vec<String> {
    let mut notes = Vec::new();
    if !synced.stored {
        notes.push("not indexed: there is no memory here yet; `tacit init` starts one".to_owned());
    }
    notes.extend(synced.problems.iter().map(passed_over));
    notes
}

fn passed_over(problem: &UnreadableFile) -> String {
    let UnreadableFile { path, error } = problem;
    format!("`{path}` was skipped: {}: {error}", error.code())
}

/// Loads every record, with a warning for each that cannot be read.
fn load(app: &CliApp) -> AppResult<LoadedRecords> {
    let loaded = folder(app).load()?;
    for problem in &loaded.problems {
        writeln!(std::io::stderr(), "warning: {}", visible(&passed_over(problem)))?;
    }
    Ok(loaded)
}
