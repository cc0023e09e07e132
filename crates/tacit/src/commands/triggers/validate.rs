//! `tacit triggers validate`

use serde_json::json;
use tacit_app::{AppError, AppResult};
use tacit_triggers::commit::commit;
use tacit_triggers::corpus::PlannedEdit;
use tacit_triggers::fix::autofix;
use tacit_triggers::validate::{IssueSeverity, validate};

use super::{indexed, writable};
use crate::app::CliApp;
use crate::commands::count;
use crate::render::visible;

/// Check that entries and headings match, one to one.
///
/// The exit code is 1 if there are errors; warnings are no failure. `--fix` moves entries to the file
/// of their heading and into its order, and removes those of structural headings; it changes nothing
/// else.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit triggers validate
  tacit triggers validate --fix
  tacit triggers validate --json")]
pub(crate) struct TriggersValidateArgs {
    /// Fix what can be fixed, then check.
    #[arg(long)]
    fix: bool,
}

impl TriggersValidateArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let mut corpus = if self.fix { writable(app)? } else { indexed(app)? };
        let mut notes = Vec::new();
        if self.fix {
            let mut edits = Vec::new();
            for fixed in autofix(&corpus) {
                notes.extend(fixed.notes.iter().map(|note| format!("{}: {note}", fixed.path)));
                let before = corpus.indexes.iter().find(|index| index.path == fixed.path);
                let before = before.map(|index| index.bytes.clone());
                edits.push(PlannedEdit { path: fixed.path, before, after: fixed.bytes });
            }
            commit(app.worktree(), &edits)?;
            corpus = corpus.with(&edits);
        }
        let issues = validate(&corpus);
        let errors = issues.iter().filter(|issue| issue.severity == IssueSeverity::Error).count();
        if app.json {
            let value = json!({
                "entries": corpus.entries().count(), "files": corpus.documents.len(),
                "errors": errors, "issues": issues, "fixed": notes,
            });
            app.ui.json(&value)?;
        } else {
            app.ui.lines(notes.iter().map(|line| format!("fixed: {}", visible(line))))?;
            app.ui.lines(issues.iter().map(|issue| visible(&issue.to_string())))?;
            let entries = count(corpus.entries().count(), "entry", "entries");
            let files = count(corpus.documents.len(), "file", "files");
            let found = match (errors, issues.len() - errors) {
                (0, 0) => "in order".to_owned(),
                (errors, 0) => count(errors, "error", "errors"),
                (0, warnings) => count(warnings, "warning", "warnings"),
                (errors, warnings) => format!(
                    "{}, {}",
                    count(errors, "error", "errors"),
                    count(warnings, "warning", "warnings")
                ),
            };
            app.ui.line(format!("{entries}, {files}: {found}"))?;
            let fixable = issues.iter().filter(|issue| issue.check.is_fixed()).count();
            if fixable > 0 {
                let what = count(fixable, "of them is", "of them are");
                app.ui.line(format!("{what} fixed by `tacit triggers validate --fix`"))?;
            }
        }
        app.ui.flush()?;
        if errors > 0 { Err(AppError::already_printed()) } else { Ok(()) }
    }
}
