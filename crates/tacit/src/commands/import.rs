//! `tacit import`

pub(crate) mod discover;
mod settings;
mod sources;

use std::path::PathBuf;

use serde_json::{Value, json};
use tacit_app::{AppError, AppResult};
use tacit_bridges::Format;
use tacit_engine::{EngineError, ImportLine, ImportOutcome, ImportPlan, StoreAccess};

use self::sources::{Found, Passage, Sources};
use crate::app::{CliApp, StoreScopeArg};
use crate::commands::{count, treatment_json, treatment_notes};
use crate::render;

/// The maximum number of printed rows of a plan; `--json` prints all.
const SHOWN: usize = 100;

/// Import memories from files and other tools.
///
/// Without arguments, lists what could be imported here, and imports nothing.
///
/// Reads Tacit's own exports (JSON lines and markdown), CLAUDE.md, AGENTS.md, GEMINI.md and rules of
/// Cursor and Copilot, the memory of Claude Code, the databases of claude-mem and iflow, the file of
/// the reference MCP memory server, notes of basic-memory, memories of Serena, and exports of beads
/// and wt-memory. An import is all or nothing, and one change that `tacit undo` undoes. Importing
/// the same again changes nothing. Settings of other memory tools are written to the configuration.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit import                              what there is to import here
  tacit import memories.jsonl --dry-run     what would be done
  tacit import CLAUDE.md .cursor/rules
  tacit import --from rules                 every file of rules this project has
  tacit import --from auto-memory           what Claude Code noted about this project
  tacit import --from claude-mem --project shop
  tacit import --from settings              of other memory tools, into the configuration
  tacit import backup.jsonl --trust         your own export, with sources and reviews
  ssh other tacit export | tacit import - --trust")]
pub(crate) struct ImportArgs {
    /// The files or directories to read; `-` is standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Format of the files: rules, auto-memory, claude-mem, iflow, beads, serena, mcp-memory,
    /// basic-memory, wt-memory, tacit, tacit-markdown or settings; detected if not given. The first
    /// six and settings also work without FILE.
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    from: Option<Format>,
    /// Project of claude-mem or iflow [default: the name of this directory].
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Trust the files, such as your own backup: import authors, reviews and counts unchanged.
    /// Without it, memories from files that are not yours wait for `tacit review`.
    #[arg(long)]
    trust: bool,
    /// Show what would be imported, and change nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    scope: StoreScopeArg,
}

fn format(text: &str) -> Result<Format, String> {
    Format::ALL
        .into_iter()
        .find(|format| format.as_str() == text)
        .ok_or_else(|| format!("use one of {}", Format::ALL.map(Format::as_str).join(", ")))
}

impl ImportArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let scope = self.scope.scope();
        if self.trust {
            app.person_only("vouch for a file")?;
        }
        if self.files.is_empty() && self.from.is_none() {
            return discover::run(app, &self);
        }
        let sources = Sources {
            app,
            scope,
            from: self.from,
            project: self.project.clone(),
            trust: self.trust,
        };
        let Found { passages, settings } = sources.read(&self.files)?;
        let settings = settings::Plan::new(app, self.scope, settings)?;
        if passages.is_empty() && !settings.is_empty() {
            settings.write(self.dry_run)?;
            if app.json {
                return app
                    .ui
                    .json(&json!({"dry_run": self.dry_run, "settings": settings.to_json()}));
            }
            return settings.report(app, self.dry_run);
        }
        let engine = app.engine_with_embedder(StoreAccess::Write(scope))?;
        let mut engine = engine.on_behalf_of(app.voice());
        let lines = passages.iter().enumerate().filter_map(|(index, passage)| {
            let incoming = passage.what.as_ref().ok()?;
            Some((index, passage.standing, incoming.clone()))
        });
        let plan = engine
            .import(scope, lines.collect(), self.dry_run)
            .map_err(|error| at_place(error, &passages))?;
        settings.write(self.dry_run)?;
        let waiting = !self.dry_run && tacit_app::remember::embed_recent(&mut engine, scope);
        drop(engine);
        if waiting {
            app.maintain_in_background();
        }
        if app.json {
            let mut value = to_json(&plan, &passages, self.dry_run);
            if !settings.is_empty() {
                value["settings"] = settings.to_json();
            }
            return app.ui.json(&value);
        }
        report(app, &plan, &passages, self.dry_run)?;
        settings.report(app, self.dry_run)
    }
}

/// Adds the file to an error that only has the number of an item.
fn at_place(error: EngineError, passages: &[Passage]) -> AppError {
    let EngineError::Import { line: index, problem } = error else { return error.into() };
    let Some(passage) = passages.get(index) else {
        return EngineError::Import { line: index, problem }.into();
    };
    let mut error = AppError::from(EngineError::Import { line: passage.line, problem });
    if passages.iter().any(|other| other.file != passage.file) {
        error.message = format!("in `{}`, {}", passage.file, error.message);
    }
    error
}

fn number(plan: &ImportPlan, wanted: fn(&ImportOutcome) -> bool) -> usize {
    plan.items.iter().filter(|item| wanted(item)).count()
}

/// Returns the number of items by outcome, with its name in JSON and in text.
fn counts(plan: &ImportPlan) -> [(&'static str, &'static str, usize); 6] {
    [
        ("stored", "new", number(plan, |item| matches!(item, ImportOutcome::Stored))),
        ("updated", "updated", number(plan, |item| matches!(item, ImportOutcome::Updated))),
        ("merged", "known already", number(plan, |item| matches!(item, ImportOutcome::Merged(_)))),
        ("reinforced", "reinforced", number(plan, |i| matches!(i, ImportOutcome::Reinforced(_)))),
        ("unchanged", "unchanged", number(plan, |item| matches!(item, ImportOutcome::Unchanged))),
        ("refused", "refused", number(plan, |item| matches!(item, ImportOutcome::Refused))),
    ]
}

/// Renders the outcome of each passage, in order.
fn rows<'a>(
    plan: &'a ImportPlan,
    passages: &'a [Passage],
) -> Vec<(&'a Passage, &'static str, String)> {
    let mut items = plan.items.iter();
    let rows = passages.iter().map(|passage| match &passage.what {
        Err(why) => (passage, "skip", (*why).to_owned()),
        Ok(incoming) => {
            let verb = match items.next() {
                Some(ImportOutcome::Stored) => "store",
                Some(ImportOutcome::Updated) => "update",
                Some(ImportOutcome::Merged(_)) => "merge",
                Some(ImportOutcome::Reinforced(_)) => "reinforce",
                Some(ImportOutcome::Refused) => "refuse",
                Some(ImportOutcome::Unchanged) | None => "keep",
            };
            (passage, verb, headline(incoming))
        }
    });
    rows.collect()
}

/// Returns one line for an item to import, without its secrets.
fn headline(incoming: &ImportLine) -> String {
    let text = match incoming {
        ImportLine::Memory(memory) => memory.headline(),
        ImportLine::Draft(draft) => draft
            .title
            .clone()
            .or_else(|| draft.name.clone())
            .unwrap_or_else(|| draft.content.lines().next().unwrap_or_default().to_owned()),
    };
    tacit_redact::redact(&text).text.into_owned()
}

fn to_json(plan: &ImportPlan, passages: &[Passage], dry_run: bool) -> Value {
    let mut value = json!({"dry_run": dry_run, "change": plan.change});
    for (name, _, number) in counts(plan) {
        value[name] = json!(number);
    }
    value["skipped"] = json!(passages.iter().filter(|passage| passage.what.is_err()).count());
    for (name, part) in treatment_json(&plan.cleanup) {
        value[name] = part;
    }
    if dry_run {
        let items: Vec<Value> = rows(plan, passages)
            .into_iter()
            .map(|(passage, verb, text)| {
                let (file, line) = (&passage.file, passage.line);
                json!({"file": file, "line": line, "action": verb, "text": text})
            })
            .collect();
        value["items"] = Value::Array(items);
    }
    value
}

fn report(app: &CliApp, plan: &ImportPlan, passages: &[Passage], dry_run: bool) -> AppResult<()> {
    let skipped = passages.iter().filter(|passage| passage.what.is_err()).count();
    if plan.items.is_empty() && skipped == 0 {
        return app.ui.line("Nothing to import.");
    }
    let verb = if dry_run { "Would import" } else { "Imported" };
    let what = count(plan.items.len(), "memory", "memories");
    let parts: Vec<String> = counts(plan)
        .into_iter()
        .filter(|(_, _, number)| *number > 0)
        .map(|(_, what, number)| format!("{number} {what}"))
        .collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    app.ui.line(format!("{verb} {what}{parts}"))?;
    app.ui.lines(treatment_notes(&plan.cleanup).iter().map(|note| format!("  {note}")))?;
    if plan.items.contains(&ImportOutcome::Refused) {
        app.ui.line("  refused: forgotten here; `tacit restore` brings them back")?;
    }
    if dry_run {
        let rows = rows(plan, passages);
        for (passage, verb, text) in rows.iter().take(SHOWN) {
            let place = format!("{}:{}", passage.file, passage.line);
            let text = render::cut(&render::visible(text), 60);
            app.ui.line(format!("  {verb:<9}  {}  {text}", render::visible(&place)))?;
        }
        if rows.len() > SHOWN {
            app.ui.line(format!("  and {} more; --json lists all", rows.len() - SHOWN))?;
        }
    } else if skipped > 0 {
        let what = count(skipped, "passage that is not a memory", "passages that are not memories");
        app.ui.line(format!("  skipped {what}; --dry-run shows why"))?;
    }
    Ok(())
}
