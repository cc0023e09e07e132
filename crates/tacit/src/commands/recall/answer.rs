//! `tacit recall --answer`

use serde_json::{Value, json};
use tacit_app::chat::answer;
use tacit_app::{AppError, AppResult};

use crate::app::CliApp;
use crate::render;
use crate::ui::Tone;

/// Answers a question, and lists the memories that the answer cites.
pub(super) fn print(app: &CliApp, question: &str) -> AppResult<()> {
    if question.trim().is_empty() {
        return Err(AppError::usage("there is no question").hint(
            "write one after `--answer`: `tacit recall --answer what do we know about pools`",
        ));
    }
    let answer = answer(app, question.trim(), &[], true, &|| false)?;
    if app.json {
        let cited = answer.cited.iter();
        let cited: Vec<Value> = cited.map(|result| render::to_json(&result.found)).collect();
        return app.ui.json(&json!({
            "text": answer.text, "by": answer.by, "citations": cited, "notes": answer.notes,
        }));
    }
    for note in &answer.notes {
        app.watcher.note(note);
    }
    if answer.cited.is_empty() {
        return app.ui.line("No memory answers that.");
    }
    for line in answer.text.lines() {
        app.ui.lines(render::wrap(line, app.ui.width()))?;
    }
    app.ui.line("")?;
    for (at, result) in answer.cited.iter().enumerate() {
        let id = app.ui.paint(Tone::Id, &result.found.memory.id.short().to_string());
        app.ui.line(format!("[{}] {id}  {}", at + 1, result.found.memory.memory_type()))?;
    }
    Ok(())
}
