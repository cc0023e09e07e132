//! `tacit team status`, `push` and `pull`

use serde_json::json;
use tacit_app::human_time::ago;
use tacit_app::team::{self, Delivery};
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_engine::{PreferencesReport, StoreScope};
use tacit_store::TeamRole;

use crate::app::CliApp;
use crate::commands::of;
use crate::render::{cut, visible};
use crate::ui::Tone;

/// The width of the labels.
const LABEL: usize = 10;
/// The most refused requests that are shown.
const REFUSALS: usize = 5;
/// The room for the text of a refused request.
const HEADLINE: usize = 50;

pub(super) fn show(app: &CliApp) -> AppResult<()> {
    let status = team::status(app)?;
    if app.json {
        return app.ui.json(&json!(status));
    }
    let line = |label: &str, text: &str| {
        let label = app.ui.paint(Tone::Dim, &format!("{label:<LABEL$}"));
        app.ui.line(format!("{label} {text}"))
    };
    line("server", &status.server)?;
    line("project", &status.project)?;
    if let (Some(member), Some(role)) = (&status.member, status.role) {
        line("you", &format!("{member}, {role}"))?;
        if status.is_unbound {
            let note = "you have the rights of a superuser or of `tacit_owner`, so you can see everyone's private memories";
            line("", &app.ui.paint(Tone::Warn, note))?;
        }
    }
    line("memories", &status.memories.to_string())?;
    let updated = match status.followed_at {
        Some(at) => format!("updated {}", ago(at, app.now())),
        None => "never updated".to_owned(),
    };
    let behind = match (status.behind, &status.failure) {
        (_, Some(failure)) => app.ui.paint(Tone::Warn, failure),
        (Some(0), None) => "current".to_owned(),
        (Some(changes), None) => format!("{} behind", of(changes as u64, "change", "changes")),
        (None, None) => "unknown".to_owned(),
    };
    line("copy", &format!("{updated}; {behind}"))?;
    if let Some(preferences) = &status.preferences {
        let elsewhere = match preferences.server == status.server {
            true => String::new(),
            false => format!(" with {}", preferences.server),
        };
        let exchanged = match preferences.exchanged_at {
            Some(at) => format!("exchanged{elsewhere} {}", ago(at, app.now())),
            None => format!("never exchanged{elsewhere}"),
        };
        line("your own", &format!("{exchanged}; no other member can read them"))?;
    }
    if status.waiting > 0 {
        let requests = of(status.waiting as u64, "request", "requests");
        line("waiting", &format!("{requests}; deliver with `tacit team push`"))?;
    }
    if status.refused == 0 {
        return Ok(());
    }
    let requests = of(status.refused as u64, "request", "requests");
    let spool = app.places.directory(StoreScope::Project).join("spool");
    line("refused", &format!("{requests}, kept in `{}`", visible(&spool.display().to_string())))?;
    for refused in status.refusals.iter().take(REFUSALS) {
        let headline = visible(refused.content.lines().next().unwrap_or_default());
        line("", &format!("{}: {}", cut(&headline, HEADLINE), visible(&refused.reason)))?;
    }
    if !status.refusals.is_empty() {
        let delivers = "`tacit team push` delivers them";
        let next = match status.role {
            Some(TeamRole::Reader) => {
                format!("once a curator gives you the role `contributor`, {delivers}")
            }
            Some(TeamRole::Contributor | TeamRole::Curator) => {
                "`tacit team push` tries again".to_owned()
            }
            None => format!("once the server accepts them, {delivers}"),
        };
        line("", &app.ui.paint(Tone::Dim, &next))?;
    }
    if status.refused > status.refusals.len() {
        line("", &app.ui.paint(Tone::Dim, "`tacit doctor` reports those that cannot be read"))?;
    }
    Ok(())
}

pub(super) fn push(app: &CliApp) -> AppResult<()> {
    let delivery = team::push(app)?;
    let Delivery { delivered, waiting, refused } = delivery;
    if app.json {
        app.ui.json(&json!(delivery))?;
    } else {
        let requests = of(delivered as u64, "request", "requests");
        let left = if waiting > 0 { format!("; {waiting} still waiting") } else { String::new() };
        app.ui.line(format!("Delivered {requests}{left}"))?;
    }
    if refused == 0 {
        return Ok(());
    }
    let requests = of(refused as u64, "request", "requests");
    Err(AppError::new(ErrorCode::Refused, format!("the server refused {requests}"))
        .hint("`tacit team status` shows why; they are kept on this machine"))
}

pub(super) fn pull(app: &CliApp) -> AppResult<()> {
    let (followed, preferences) = team::pull(app)?;
    if app.json {
        let value = json!({
            "changed": followed.changed, "removed": followed.removed, "digests": followed.digests,
            "preferences": preferences,
        });
        return app.ui.json(&value);
    }
    let changed = of(followed.changed as u64, "memory", "memories");
    let removed = match followed.removed {
        0 => String::new(),
        removed => format!(", removed {removed}"),
    };
    app.ui.line(format!("Updated {changed}{removed}"))?;
    say_exchanged(app, preferences)
}

/// Tells what the exchange of the user's own memories changed.
pub(super) fn say_exchanged(app: &CliApp, report: Option<PreferencesReport>) -> AppResult<()> {
    let Some(PreferencesReport { received, given, removed }) = report else { return Ok(()) };
    let counted = [(received, "received"), (given, "sent"), (removed, "purged")];
    let counted = counted.into_iter().filter(|(number, _)| *number > 0);
    let counted: Vec<String> = counted.map(|(number, what)| format!("{number} {what}")).collect();
    if counted.is_empty() {
        return Ok(());
    }
    let counted = counted.join(", ");
    app.ui.line(format!("Your own memories, which no other member can read: {counted}"))
}
