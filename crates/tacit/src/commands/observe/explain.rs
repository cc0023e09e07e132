//! `tacit observe explain`

use tacit_app::AppResult;
use tacit_engine::{Considered, Explanation, Fate, StoreAccess, StoreScope};

use super::{session, settle};
use crate::app::App;
use crate::render::{cut, visible};
use crate::ui::Tone;

/// Show everything that was considered in a session: each signal, its score, why it was kept or
/// dropped.
///
/// A session that has not been looked at is looked at for this, and nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit observe explain SESSION         `tacit observe sessions` lists them
  tacit observe explain SESSION --json")]
pub(crate) struct Explain {
    /// The session.
    #[arg(value_name = "SESSION")]
    session: String,
}

impl Explain {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        let session = session(&self.session)?;
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
}

fn head(app: &App, explained: &Explanation) -> AppResult<()> {
    let name = app.ui.paint(Tone::Id, &visible(explained.session.as_str()));
    let when = if explained.concluded { "" } else { "; not concluded yet, this is what would be" };
    let verdict = visible(&explained.verdict);
    app.ui.line(format!("{name}  {verdict}; a {} task{when}", explained.complexity.as_str()))?;
    if explained.considered.is_empty() {
        app.ui.line("Nothing was considered.")?;
    }
    Ok(())
}

fn line(app: &App, considered: &Considered) -> AppResult<()> {
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
