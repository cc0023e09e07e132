//! `tacit triggers migrate`

use std::path::PathBuf;

use serde_json::json;
use tacit_app::{AppError, AppResult};
use tacit_triggers::commit::commit;
use tacit_triggers::files::text_files;
use tacit_triggers::migrate::{Mapping, MigrationPlan, plan};

use super::writable;
use crate::app::CliApp;
use crate::commands::count;
use crate::render::visible;

/// Most bytes of a map file.
const LARGEST_MAP: u64 = 16 << 20;

/// Turn an index of `Key — description` lines into triggers.
///
/// Every entry becomes a `/when` or `/how` line, every heading gets the words of its trigger, and
/// every reference to a heading is updated: links, quoted names, `.Section` queries. The result is
/// checked first; then all files are changed, or none. Words that only look like a heading are left
/// alone and listed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit triggers migrate --dry-run
  tacit triggers migrate --map triggers.txt
  tacit triggers migrate --map \"Old Rule=drop\"

A line of the file given with --map says what an entry becomes:
  Mock Patching Pattern => /when writing mock tests | mock patch, test doubles
  Old Rule => drop")]
pub(crate) struct TriggersMigrateArgs {
    /// Show the changes without making them.
    #[arg(long)]
    dry_run: bool,
    /// The new line of an entry that the rules get wrong, or `drop`; or a file of such lines.
    #[arg(long, value_name = "ENTRY=LINE|FILE")]
    map: Vec<String>,
}

impl TriggersMigrateArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let (mapping, maps) = self.mapping(app)?;
        let corpus = writable(app)?;
        let root = app.worktree().to_path_buf();
        // Map files name entries as they were, so they must not be rewritten.
        let is_map =
            |path: &str| root.join(path).canonicalize().is_ok_and(|path| maps.contains(&path));
        let others = text_files(&root).filter(|(path, _)| !is_map(path));
        let plan = plan(&corpus, &mapping, others)?;
        if !self.dry_run {
            commit(&root, &plan.edits)?;
        }
        if app.json {
            let files: Vec<&str> = plan.edits.iter().map(|edit| edit.path.as_str()).collect();
            let value = json!({
                "migrated": !self.dry_run, "entries": plan.conversions, "files": files,
                "references": plan.references.iter().map(|(_, count)| count).sum::<usize>(),
                "mentions": plan.mentions,
            });
            return app.ui.json(&value);
        }
        self.print(app, &plan)
    }

    /// Returns what entries become, and the files that say so.
    fn mapping(&self, app: &CliApp) -> AppResult<(Mapping, Vec<PathBuf>)> {
        let (mut mapping, mut files) = (Mapping::default(), Vec::new());
        for given in &self.map {
            if mapping.add(given) {
                continue;
            }
            let path = app.directory.join(given);
            let text = tacit_fs::read_text_following(&path, LARGEST_MAP).map_err(|error| {
                AppError::usage(format!("cannot read `{given}`: {error}"))
                    .hint("give a file, or `ENTRY=drop`, or `ENTRY=/when trigger | extras`")
            })?;
            mapping
                .parse_lines(&text)
                .map_err(|error| AppError::usage(format!("in `{given}`: {error}")))?;
            files.extend(path.canonicalize());
        }
        Ok((mapping, files))
    }

    fn print(&self, app: &CliApp, plan: &MigrationPlan) -> AppResult<()> {
        if self.dry_run {
            for conversion in &plan.conversions {
                let entry = conversion.entry.as_deref().unwrap_or("removed");
                app.ui.line(visible(&format!("{} → {entry}", conversion.key)))?;
            }
            for (path, number) in &plan.references {
                let what = count(*number, "reference follows", "references follow");
                app.ui.line(format!("{}: {what}", visible(path)))?;
            }
        }
        app.ui.lines(plan.mentions.iter().map(|mention| {
            visible(&format!(
                "{}:{}: `{}` is not changed: it may not refer to the heading",
                mention.file, mention.line, mention.text
            ))
        }))?;
        let converted =
            plan.conversions.iter().filter(|conversion| conversion.entry.is_some()).count();
        let entries = count(converted, "entry", "entries");
        let files = count(plan.edits.len(), "file", "files");
        app.ui.line(if self.dry_run {
            format!("Would migrate {entries} in {files}. Nothing was changed.")
        } else {
            format!("Migrated {entries} in {files}. The index is in order.")
        })?;
        Ok(())
    }
}
