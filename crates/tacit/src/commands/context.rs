//! `tacit context`

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::context::{Context as Gathered, Wanted};
use tacit_app::locate::sure;
use tacit_engine::{StoreAccess, Strictness};
use tacit_work::{KnownBy, Work};

use super::{recall, work};
use crate::app::App;
use crate::filter_args::at_least_one;
use crate::render;

/// How many memories about the task are shown.
const LIMIT: usize = 5;

/// What an agent should be told before it works on something: for whoever directs agents.
///
/// Gathers what is known about the task, with the types first that matter in the phase; recipes;
/// where the work was left; what the stage before hands on; what can go wrong with the files; what
/// the running application was seen to do (when validating); and the files that are always read for
/// such work or that the task is surely about (when implementing). The text is meant to be put into a prompt as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit context --phase define --task \"Add two-factor login\"
  tacit context --phase coder --work-unit 042/3 --files src/auth.rs src/token.rs
  tacit context --phase qa_review --task \"the login page\" --json")]
pub(crate) struct Context {
    /// What is to be done.
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// The phase: one of the methodology's own, a stage of it, or a universal one; the one that was
    /// declared, if none is given.
    #[arg(long, value_name = "PHASE")]
    phase: Option<String>,
    /// The unit of work; the one that is being worked on, if none is given.
    #[arg(long, value_name = "UNIT")]
    work_unit: Option<String>,
    /// Files at hand.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    files: Vec<String>,
    /// Modules at hand (repeat for several).
    #[arg(long = "module", value_name = "NAME")]
    modules: Vec<String>,
    /// How many memories about the task at most.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one,
          default_value_t = LIMIT)]
    limit: usize,
    /// How many tokens notes may take; `hooks.session_tokens`, if it is not said.
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Only what has proved true and is clearly about it, as hooks tell.
    #[arg(long)]
    strict: bool,
}

impl Context {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        app.methodology()?;
        let files =
            self.files.iter().map(|path| app.repo_path(path)).collect::<AppResult<Vec<_>>>()?;
        let typed = match self.phase.as_deref() {
            Some(word) => Some((word.to_owned(), app.phase(word)?)),
            None => None,
        };
        let unit = self.work_unit.as_deref().map(|unit| app.work_unit(unit)).transpose()?;
        let here = app.here();
        let engine = app.engine_with_meaning(StoreAccess::Recall)?;
        let mut now = engine.work(&here)?;
        let mut branch = here.branch.as_deref();
        if let Some(unit) = unit {
            // What was said or left on the branch is about another unit.
            let same = now.unit() == Some(&unit);
            branch = branch.filter(|_| same);
            let complexity = now.complexity.filter(|_| same);
            let known_by = KnownBy::Inferred("--work-unit".into());
            now = Work { unit: Some((unit, known_by)), complexity, phase: now.phase };
        }
        let likely = self.task.as_deref().map(|task| sure(app, task)).unwrap_or_default();
        let wanted = Wanted {
            task: self.task.as_deref(),
            phase: typed.or_else(|| now.phase.clone()),
            likely: &likely,
            work: &now,
            session: here.session.as_ref(),
            branch,
            files: &files,
            modules: &self.modules,
            root: &here.worktree,
            now: app.now(),
            limit: self.limit,
            strictness: if self.strict { Strictness::Proactive } else { Strictness::Explicit },
        };
        let context = Gathered::gather(&engine, &wanted)?;
        engine.note_uses(&context.recalled);
        let budget = self.budget.unwrap_or(app.config().hooks_session_tokens as usize);
        let text = context.text(&engine, &wanted, budget);
        drop(engine);
        if app.json {
            let value = to_json(&context, &wanted, &text);
            return app.ui.json(&value);
        }
        app.ui.lines(context.notes.iter().map(|note| render::visible(note)))?;
        if context.ids().is_empty() && context.prefetched.is_empty() {
            // What is said of the work itself is known to whoever asks.
            return app.ui.line("Nothing is known that an agent should be told.");
        }
        app.ui.bytes(text.as_bytes())
    }
}

fn to_json(context: &Gathered, wanted: &Wanted<'_>, text: &str) -> Value {
    let mut value = work::to_json(wanted.work);
    value["phase"] = json!(wanted.phase.as_ref().map(|(own, _)| own));
    value["universal_phase"] = json!(wanted.phase.as_ref().map(|(_, phase)| phase));
    value["state"] = json!(context.state.as_ref().map(render::to_json));
    value["recipes"] = render::all_to_json(&context.recipes);
    value["relays"] = context
        .relays
        .iter()
        .map(|relay| {
            json!({
                "from": relay.from, "to": relay.to, "text": relay.text,
                "memories": render::all_to_json(&relay.memories),
            })
        })
        .collect();
    value["about_files"] = render::all_to_json(&context.about_files);
    value["observations"] = render::all_to_json(&context.observations);
    value["recalled"] =
        context.recalled.iter().map(|answer| recall::to_json(answer, None, false)).collect();
    value["prefetched"] = context
        .prefetched
        .iter()
        .map(|file| json!({"file": file.file, "text": file.text, "truncated": file.truncated}))
        .collect();
    value["notes"] = json!(context.notes);
    value["text"] = json!(text);
    value
}
