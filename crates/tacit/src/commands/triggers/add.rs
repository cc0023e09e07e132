//! `tacit triggers add`

use std::io::Read;

use clap::ValueEnum;
use serde_json::json;
use tacit_app::{AppError, AppResult};
use tacit_triggers::add::{NewEntry, plan_add};
use tacit_triggers::commit::{commit, recover};
use tacit_triggers::install::consumption_header;
use tacit_triggers::{IndexFile, Operator};

use super::{corpus, layout};
use crate::app::CliApp;
use crate::render::visible;

/// The most bytes of a section.
const MOST_BYTES: u64 = 4 << 20;

/// Add an entry to the index and a section to a decision file.
///
/// The trigger is plain prose of two to five words, as an agent with this problem would type it. It
/// must match one heading, and must not make another trigger ambiguous. Both files are written, or
/// neither.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit triggers add writing mock tests --file testing.md --body \"Patch where it is used.\"
  tacit triggers add encode paths --knowledge procedural --file paths.md < section.md
  tacit triggers add long suites --file testing.md --under Reliability --extra \"slow tests\" \\
    --body \"Split them.\"")]
pub(crate) struct TriggersAddArgs {
    /// The trigger.
    #[arg(required = true, value_name = "TRIGGER")]
    trigger: Vec<String>,
    /// The decision file; a new one is created.
    #[arg(long, value_name = "FILE")]
    file: String,
    /// The heading to put it under [default: the end of the file].
    #[arg(long, value_name = "HEADING")]
    under: Option<String>,
    /// Another trigger for the same section (repeat for several).
    #[arg(long, value_name = "TRIGGER")]
    extra: Vec<String>,
    /// The text of the section [default: standard input].
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
    /// The kind of knowledge, which decides between `/when` and `/how`.
    #[arg(long, value_enum, conflicts_with = "memory_type")]
    knowledge: Option<KnowledgeKind>,
    /// The type of the memory it comes from, which also decides.
    #[arg(long = "type", value_name = "TYPE")]
    memory_type: Option<String>,
    /// Show the changes without making them.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum KnowledgeKind {
    /// A situation, and what applies in it: `/when`.
    #[value(alias = "behavioral")]
    Behavioural,
    /// A technique, and how to apply it: `/how`.
    Procedural,
}

impl TriggersAddArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let root = app.worktree().to_path_buf();
        recover(&root)?;
        let mut corpus = corpus(app, app.config())?;
        let layout = layout(app, app.config());
        let started = corpus.indexes.is_empty();
        if started && let Some(path) = layout.indexes.first() {
            let decisions = layout.decisions.first().map_or("", String::as_str);
            corpus.indexes.push(IndexFile::new(path, consumption_header(decisions).into_bytes()));
        }
        let trigger = self.trigger.join(" ");
        let new = NewEntry {
            operator: self.operator(&trigger),
            file: self.path(&layout.decisions),
            under: self.under.clone(),
            extra_triggers: self.extra.clone(),
            body: self.body(app)?,
            trigger: plain(&trigger).to_owned(),
        };
        let mut added = plan_add(&corpus, &new)?;
        for edit in added.edits.iter_mut().filter(|edit| started && edit.path != new.file) {
            edit.before = None;
        }
        if !self.dry_run {
            commit(&root, &added.edits)?;
        }
        let (entry, heading) = (added.entry.to_string(), &added.heading);
        if app.json {
            return app.ui.json(&json!({
                "added": !self.dry_run, "entry": entry, "heading": heading, "file": new.file,
                "index": added.edits.last().map(|edit| &edit.path),
                "line": added.entry.line_number, "remarks": added.remarks,
            }));
        }
        let done = if self.dry_run { "Would add" } else { "Added" };
        app.ui.line(visible(&format!("{done}: {entry}")))?;
        app.ui.line(visible(&format!("   opens: {heading} ({})", new.file)))?;
        app.ui.lines(added.remarks.iter().map(|remark| format!("   note: {remark}")))
    }

    fn operator(&self, trigger: &str) -> Operator {
        let by_kind = self.knowledge.map(|kind| match kind {
            KnowledgeKind::Behavioural => Operator::When,
            KnowledgeKind::Procedural => Operator::How,
        });
        let by_type = || self.memory_type.as_deref().map(Operator::of_memory_type);
        by_kind
            .or_else(by_type)
            .or_else(|| Operator::of_heading(trigger.trim_start_matches('/')))
            .unwrap_or(Operator::When)
    }

    /// Returns the path of the file from the root of the project.
    fn path(&self, decisions: &[String]) -> String {
        let file = self.file.trim_start_matches("./");
        let inside = decisions.iter().any(|directory| file.starts_with(&format!("{directory}/")));
        match decisions.first() {
            Some(directory) if !inside => format!("{directory}/{file}"),
            _ => file.to_owned(),
        }
    }

    fn body(&self, app: &CliApp) -> AppResult<String> {
        let text = match &self.body {
            Some(text) => text.clone(),
            None if app.terminal.stdin_is_terminal => String::new(),
            None => {
                let mut text = String::new();
                std::io::stdin().take(MOST_BYTES).read_to_string(&mut text).map_err(|error| {
                    AppError::usage(format!("standard input cannot be read: {error}"))
                })?;
                text
            }
        };
        if text.trim().is_empty() {
            return Err(AppError::usage("the section is empty")
                .hint("give its text with `--body`, or on standard input"));
        }
        Ok(text)
    }
}

/// Removes the operator that was typed with a trigger.
fn plain(trigger: &str) -> &str {
    let typed = trigger.trim_start_matches('/');
    let Some(operator) = Operator::of_heading(typed) else { return trigger };
    let rest = typed.split_once(char::is_whitespace).map_or(typed, |(_, rest)| rest.trim_start());
    match operator {
        Operator::How => rest.strip_prefix("to ").unwrap_or(rest),
        Operator::When => rest,
    }
}
