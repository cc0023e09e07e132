//! `tacit session brief`

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::briefing::{Briefing, BriefingRequest};
use tacit_app::locate::certain_files;
use tacit_engine::{StoreAccess, Strictness};
use tacit_work::{CurrentWork, UnitSource};

use crate::app::CliApp;
use crate::commands::{recall, work};
use crate::filter_args::at_least_one;
use crate::render;
use tacit_app::filter::split_paths;

/// Number of memories about the task, unless given.
const LIMIT: usize = 5;

/// Print a briefing for an agent (for orchestrators).
///
/// Gathers memories about the task, those first whose type matters in the phase; recipes; unfinished
/// work; issues that QA found; what the stage before hands on; what can go wrong with the files; the behaviour of the
/// running application (when validating); and files that such work always reads or that the task is
/// certainly about (when implementing). The text is ready for a prompt.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit session brief --phase define --task \"Add two-factor login\"
  tacit session brief --phase coder --work-unit 042/3 --files src/auth.rs src/token.rs
  tacit session brief --phase qa_review --task \"the login page\" --json")]
pub(crate) struct SessionBriefArgs {
    /// The task.
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// The phase: one of the methodology's own, a stage of it, or a universal one [default: the
    /// declared phase].
    #[arg(long, value_name = "PHASE")]
    phase: Option<String>,
    /// The unit of work [default: the current one].
    #[arg(long, value_name = "UNIT")]
    work_unit: Option<String>,
    /// Files that the work is about.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    files: Vec<String>,
    /// A module that the work is about (repeat for several).
    #[arg(long = "module", value_name = "NAME", value_delimiter = ',')]
    modules: Vec<String>,
    /// Largest number of memories about the task.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one,
          default_value_t = LIMIT)]
    limit: usize,
    /// Tokens that memories may take [default: `hooks.tokens.session`].
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Show only verified memories that are clearly about the task, as hooks do.
    #[arg(long)]
    strict: bool,
}

impl SessionBriefArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        app.methodology()?;
        let files = split_paths(app, &self.files);
        let files = files.iter().map(|path| app.repo_path(path)).collect::<AppResult<Vec<_>>>()?;
        let typed = match self.phase.as_deref() {
            Some(word) => Some((word.to_owned(), app.phase(word)?)),
            None => None,
        };
        let unit = self.work_unit.as_deref().map(|unit| app.work_unit(unit)).transpose()?;
        let here = app.here();
        let engine = app.with_generator(app.engine_with_embedder(StoreAccess::Recall)?);
        let mut now = engine.work(&here)?;
        let mut branch = here.branch.as_deref();
        if let Some(unit) = unit {
            // What was declared or left on the branch is about another unit.
            let same = now.unit() == Some(&unit);
            branch = branch.filter(|_| same);
            let complexity = now.complexity.filter(|_| same);
            let known_by = UnitSource::Inferred("--work-unit".into());
            now = CurrentWork { unit: Some((unit, known_by)), complexity, phase: now.phase };
        }
        let likely = self.task.as_deref().map(|task| certain_files(app, task)).unwrap_or_default();
        let request = BriefingRequest {
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
        let context = Briefing::gather(&engine, &request)?;
        engine.note_uses(&context.recalled);
        let budget = self.budget.unwrap_or(app.config().hooks_session_tokens as usize);
        let text = context.text(&engine, &request, budget);
        drop(engine);
        if app.json {
            let value = to_json(&context, &request, &text);
            return app.ui.json(&value);
        }
        app.ui.lines(context.notes.iter().map(|note| render::visible(note)))?;
        let has_notes = !context.ids().is_empty() || !context.qa_issues.is_empty();
        if !has_notes && context.prefetched.is_empty() {
            // Only the work itself is known, and the caller knows that.
            return app.ui.line("Nothing to brief an agent about.");
        }
        app.ui.bytes(text.as_bytes())
    }
}

fn to_json(context: &Briefing, request: &BriefingRequest<'_>, text: &str) -> Value {
    let mut value = work::to_json(request.work);
    value["phase"] = json!(request.phase.as_ref().map(|(own, _)| own));
    value["universal_phase"] = json!(request.phase.as_ref().map(|(_, phase)| phase));
    value["state"] = json!(context.state.as_ref().map(render::to_json));
    value["qa_issues"] = context
        .qa_issues
        .iter()
        .map(|note| json!({"text": note.text, "files": note.files, "at": note.at}))
        .collect();
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
