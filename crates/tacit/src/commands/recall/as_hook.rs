//! `tacit recall --as-hook`: the memories that hooks would inject for a text.

use serde_json::Value;
use tacit_app::inject::{FilePresence, PROMPT_LIMIT};
use tacit_app::parse_prompt;
use tacit_app::{AppError, AppResult};
use tacit_engine::{RecallRequest, RecallResults};

use super::{explain_omitted, in_words, to_json};
use crate::app::CliApp;
use crate::render;
use crate::ui::Tone;

/// Prints the memories that hooks would inject. Unlike other searches, it does not count as a use.
pub(super) fn recall_as_hook(
    app: &CliApp,
    text: &str,
    limit: Option<usize>,
    explain: bool,
) -> AppResult<()> {
    if text.trim().is_empty() {
        return Err(AppError::usage("the text is empty")
            .hint("tacit recall --as-hook \"what the agent is about to do\""));
    }
    // Analysed like a prompt, so that the answer is the one that an agent would get.
    let query = parse_prompt(text).query();
    let question =
        query.map(|query| RecallRequest::proactive(query, limit.unwrap_or(PROMPT_LIMIT)));
    let mut answers = match &question {
        None => RecallResults::default(),
        Some(question) => app.engine_for_query(question)?.recall(question)?,
    };
    let files = FilePresence::default();
    answers.shown.retain(|one| files.objection(app.worktree(), &one.found.memory).is_none());
    if app.json {
        let shown = answers.shown.iter().map(|answer| to_json(answer, None, explain));
        return app.ui.json(&Value::Array(shown.collect()));
    }
    if answers.shown.is_empty() {
        app.ui.line("Nothing: a hook would not interrupt the agent.")?;
    }
    let now = app.now();
    for (index, answer) in answers.shown.iter().enumerate() {
        if index > 0 {
            app.ui.line("")?;
        }
        app.ui.lines(render::answer(&app.ui, &answer.found, now))?;
        if let (true, Some(why)) = (explain, &answer.why) {
            let why = format!("  {}", in_words(answer.score, why));
            app.ui.line(app.ui.paint(Tone::Dim, &why))?;
        }
    }
    if explain { explain_omitted(app, &answers.omitted) } else { Ok(()) }
}
