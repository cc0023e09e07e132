//! `tacit import`

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::json;
use tacit_engine::{EngineError, ImportedAs, Incoming, Needs};

use crate::app::{App, ShelfArg};
use crate::commands::{count, embed_few, treatment_json, treatment_notes};
use crate::error::{CliError, CliResult};

/// Read memories from a file that `tacit export` wrote.
///
/// All or nothing, and one change that `tacit undo` takes back. Importing the same file twice adds
/// nothing. Lines without an id are taken as new memories, as `tacit remember --jsonl` takes them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit import memories.jsonl --dry-run     what would be done
  tacit import memories.jsonl
  ssh other tacit export | tacit import -")]
pub(crate) struct Import {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only say what would be done.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    shelf: ShelfArg,
}

impl Import {
    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        let shelf = self.shelf.shelf();
        let lines = self.read(app)?;
        let mut engine = app.engine_with_meaning(Needs::Write(shelf))?;
        let plan = engine.import(shelf, lines, self.dry_run)?;
        let waiting = !self.dry_run && embed_few(&mut engine, shelf);
        drop(engine);
        if waiting {
            app.maintain_in_background();
        }
        let number =
            |wanted: fn(&ImportedAs) -> bool| plan.items.iter().filter(|i| wanted(i)).count();
        let stored = number(|item| matches!(item, ImportedAs::Stored));
        let updated = number(|item| matches!(item, ImportedAs::Updated));
        let merged = number(|item| matches!(item, ImportedAs::Merged(_)));
        let unchanged = number(|item| matches!(item, ImportedAs::Unchanged));
        let refused = number(|item| matches!(item, ImportedAs::Refused));
        if app.json {
            let mut value = json!({
                "dry_run": self.dry_run, "change": plan.change, "stored": stored,
                "updated": updated, "merged": merged, "unchanged": unchanged, "refused": refused,
            });
            for (name, part) in treatment_json(&plan.treatment) {
                value[name] = part;
            }
            return Ok(app.ui.json(&value)?);
        }
        if plan.items.is_empty() {
            return Ok(app.ui.line("There is nothing to import.")?);
        }
        let verb = if self.dry_run { "Would import" } else { "Imported" };
        let what = count(plan.items.len(), "memory", "memories");
        let parts: Vec<String> = [
            (stored, "new"),
            (updated, "updated"),
            (merged, "known already"),
            (unchanged, "unchanged"),
            (refused, "refused"),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
        app.ui.line(format!("{verb} {what}: {}", parts.join(", ")))?;
        for note in treatment_notes(&plan.treatment) {
            app.ui.line(format!("  {note}"))?;
        }
        if refused > 0 {
            app.ui.line(
                "  refused: forgotten here a short while ago; `tacit restore` brings them back",
            )?;
        }
        Ok(())
    }

    fn read(&self, app: &App) -> CliResult<Vec<(usize, Incoming)>> {
        let name = self.file.display();
        let source: Box<dyn Read> = if self.file.as_os_str() == "-" {
            Box::new(std::io::stdin())
        } else {
            let path = app.directory.join(&self.file);
            let file = std::fs::File::open(&path)
                .map_err(|error| CliError::usage(format!("cannot read `{name}`: {error}")))?;
            Box::new(file)
        };
        let progress = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if !app.environment.stderr_is_terminal {
            progress.set_draw_target(ProgressDrawTarget::hidden());
        }
        let mut lines = Vec::new();
        for (index, line) in BufReader::new(source).lines().enumerate() {
            let number = index + 1;
            let line = line.map_err(|error| CliError::usage(format!("line {number}: {error}")))?;
            let parsed = Incoming::parse(&line)
                .map_err(|problem| EngineError::Import { line: number, problem })?;
            if let Some(incoming) = parsed {
                lines.push((number, incoming));
            }
            if number % 1_000 == 0 {
                progress.set_message(format!("{number} lines read"));
                progress.tick();
            }
        }
        progress.finish_and_clear();
        Ok(lines)
    }
}
