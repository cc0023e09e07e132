//! `tacit session explain`

use tacit_app::AppResult;
use tacit_engine::{Explanation, Fate, StoreAccess, StoreScope, TraceEntry};

use super::{session, settle};
use crate::app::CliApp;
use crate::render::{cut, visible};
use crate::ui::Tone;

/// Explain what was learnt from a session, and why.
///
/// Lists each signal with its score and why it was kept or dropped. Tacit examines a session that it
/// has not learnt from yet, without storing anything.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit session explain SESSION         `tacit session list` lists them
  tacit session explain SESSION --json")]
pub(crate) struct SessionExplainArgs {
    /// The session.
    #[arg(value_name = "SESSION")]
    session: String,
}

impl SessionExplainArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        explain(app, &self.session)
    }
}

/// Prints what was considered in a session.
pub(crate) fn explain(app: &CliApp, typed: &str) -> AppResult<()> {
    let session = session(typed)?;
    settle(app);
    let engine = app.engine_with_embedder(StoreAccess::Read(StoreScope::Project))?;
    let explained = engine.explain_session(&session)?;
    drop(engine);
    if app.json {
        return app.ui.json(&serde_json::to_value(&explained).unwrap_or_default());
    }
    head(app, &explained)?;
    for considered in &explained.considered {
        line(app, considered)?;
    }
    Ok(())
}

fn head(app: &CliApp, explained: &Explanation) -> AppResult<()> {
    let name = app.ui.paint(Tone::Id, &visible(explained.session.as_str()));
    let when = if explained.concluded { "" } else { "; not learnt from yet, this is a preview" };
    let verdict = visible(&explained.verdict);
    app.ui.line(format!("{name}  {verdict}; a {} task{when}", explained.complexity.as_str()))?;
    if explained.considered.is_empty() {
        app.ui.line("Nothing was considered.")?;
    }
    Ok(())
}

fn line(app: &CliApp, considered: &TraceEntry) -> AppResult<()> {
    let fate = match considered.fate {
        Fate::Kept => app.ui.paint(Tone::Strong, "kept   "),
        Fate::Dropped => app.ui.paint(Tone::Dim, "dropped"),
        Fate::Waits => app.ui.paint(Tone::Warn, "waits  "),
    };
    let score = considered.score.map_or("    ".to_owned(), |score| format!("{score:.2}"));
    let kind = considered.kind.as_deref().map(|kind| format!(" → {kind}")).unwrap_or_default();
    app.ui.line(format!(
        "{fate}  {score}  {}{kind} ×{}  {}",
        considered.basis.as_str(),
        considered.occurrences,
        cut(&visible(&considered.about), 70)
    ))?;
    let stage = match considered.fate {
        Fate::Kept => String::new(),
        _ => format!("{}: ", considered.stage.as_str()),
    };
    let why = format!("{stage}{}", visible(&considered.why));
    app.ui.line(format!("               {}", app.ui.paint(Tone::Dim, &why)))
}
