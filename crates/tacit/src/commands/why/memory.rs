//! `tacit why ID`: where a memory came from, how it changed, and when it was shown.

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::human_time::ago;
use tacit_core::visible_line;
use tacit_engine::{Engine, StoreAccess, StoreScope, StoredMemory};
use tacit_store::{Change, ChangeQuery, Injection, InjectionQuery};

use crate::app::CliApp;
use crate::commands::{count, footer, session};
use crate::render;
use crate::ui::Tone;

/// Number of changes to list.
const CHANGES: usize = 10;
/// The columns of labels, as in `tacit show`.
const LABELS: usize = 12;

/// Prints what is known about the origin and the use of a memory.
pub(super) fn explain(app: &CliApp, id: &str, limit: usize) -> AppResult<()> {
    session::settle(app);
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let found = engine.find(id)?;
    let query =
        ChangeQuery { memory: Some(found.memory.id), limit: CHANGES, ..ChangeQuery::default() };
    let changes = engine.history(found.store, &query)?;
    let all_changes = engine.count_history(found.store, &query)?;
    let shown = injections_of(&engine, &found)?;
    drop(engine);
    if app.json {
        return app.ui.json(&to_json(&found, &changes, &shown));
    }
    let now = app.now();
    app.ui.lines(render::answer(&app.ui, &found, now))?;
    app.ui.lines(origin(app, &found))?;
    for change in &changes {
        let action = &change.action;
        let reason = action.reason.as_ref().map(|reason| format!(": {reason}"));
        row(
            app,
            "change",
            &format!(
                "{} {}, {} by {}{}",
                change.id,
                ago(action.at, now),
                action.kind.as_str(),
                action.actor,
                reason.unwrap_or_default(),
            ),
        )?;
    }
    if all_changes > changes.len() {
        let id = found.memory.id.short();
        let shown = changes.len();
        row(app, "", &format!("{shown} of {all_changes} changes; `tacit history {id}` lists all"))?;
    }
    print_injections(app, &shown, limit)
}

/// Returns what hooks showed a memory for, newest first.
pub(crate) fn injections_of(
    engine: &Engine<'_>,
    found: &StoredMemory,
) -> AppResult<Vec<Injection>> {
    if engine.store(StoreScope::Project).is_none() {
        return Ok(Vec::new());
    }
    let memory = Some(found.memory.id);
    let query = InjectionQuery { memory, limit: usize::MAX, ..InjectionQuery::default() };
    Ok(engine.injections(&query)?)
}

/// Lists what hooks showed a memory for.
pub(crate) fn print_injections(app: &CliApp, shown: &[Injection], limit: usize) -> AppResult<()> {
    let now = app.now();
    for injection in shown.iter().take(limit) {
        row(
            app,
            "shown",
            &format!(
                "{}, {} in session {}: {}{}",
                ago(injection.at, now),
                injection.layer,
                injection.session.as_str(),
                injection.why,
                fate_text(injection),
            ),
        )?;
    }
    match shown.len() {
        0 => row(app, "shown", "never by a hook"),
        total => app.ui.footer(footer(0, total.min(limit), total)),
    }
}

/// Describes the source of a memory and its evidence.
fn origin(app: &CliApp, found: &StoredMemory) -> Vec<String> {
    let memory = &found.memory;
    let origin = &memory.body.origin;
    let mut source = format!("{} ({})", origin.source, memory.trust_label());
    if let Some(author) = &origin.author {
        source += &format!(", by {author}");
    }
    if let Some(generator) = origin.generator.as_ref().filter(|name| name.as_str() != "user") {
        source += &format!(", written by {generator}");
    }
    let sessions: Vec<&str> = origin.sessions.iter().map(|session| session.as_str()).collect();
    let mut lines = vec![("source", source)];
    if memory.observations > 1 {
        let times = count(memory.observations as usize, "time", "times");
        lines.push(("evidence", format!("observed {times}")));
    }
    if let Some(commit) = &origin.commit {
        lines.push(("commit", commit.to_string()));
    }
    if !sessions.is_empty() {
        let hint = "`tacit session explain SESSION` says why";
        lines.push(("sessions", format!("{} ({hint})", sessions.join(", "))));
    }
    if let Some(why) = &memory.body.reasoning {
        lines.push(("reasoning", why.to_string()));
    }
    lines.into_iter().flat_map(|(label, text)| rows(app, label, &text)).collect()
}

/// Prints a text behind its label.
pub(crate) fn row(app: &CliApp, label: &str, text: &str) -> AppResult<()> {
    app.ui.lines(rows(app, label, text))
}

/// Wraps a text behind its label.
fn rows(app: &CliApp, label: &str, text: &str) -> Vec<String> {
    let width = app.ui.width().saturating_sub(LABELS + 3);
    let mut label = app.ui.paint(Tone::Dim, &format!("{label:<LABELS$}"));
    let mut rows = Vec::new();
    for row in render::wrap(&visible_line(text), width) {
        rows.push(format!("  {label} {row}"));
        label = " ".repeat(LABELS);
    }
    rows
}

fn to_json(found: &StoredMemory, changes: &[Change], shown: &[Injection]) -> Value {
    let changes: Vec<Value> = changes
        .iter()
        .map(|change| {
            json!({
                "change": change.id, "kind": change.action.kind, "at": change.action.at,
                "actor": change.action.actor, "reason": change.action.reason,
            })
        })
        .collect();
    let shown = injections_to_json(shown);
    json!({"memory": render::to_json(found), "changes": changes, "shown": shown})
}

/// Renders what hooks showed a memory for.
pub(crate) fn injections_to_json(shown: &[Injection]) -> Value {
    let one = |injection: &Injection| {
        json!({
            "at": injection.at, "session": injection.session.as_str(),
            "event": injection.event, "layer": injection.layer, "why": injection.why,
            "tokens": injection.tokens, "withheld": injection.withheld,
            "fate": fate_word(injection), "fate_why": fate_why(injection),
        })
    };
    shown.iter().map(one).collect()
}

/// Describes what followed from an injection; empty until it was judged.
pub(super) fn fate_text(injection: &Injection) -> String {
    match &injection.fate {
        _ if injection.withheld => "; withheld".to_owned(),
        None => String::new(),
        Some(judged) => {
            let fate = judged.fate.as_str().replace('_', " ");
            format!("; {fate}: {}", visible_line(&judged.why))
        }
    }
}

/// Returns the word for the fate of an injection.
pub(super) fn fate_word(injection: &Injection) -> Option<&str> {
    injection.fate.as_ref().map(|judged| judged.fate.as_str())
}

/// Returns the reason for the fate of an injection.
pub(super) fn fate_why(injection: &Injection) -> Option<&str> {
    injection.fate.as_ref().map(|judged| judged.why.as_str())
}
