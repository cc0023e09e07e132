//! `tacit link`

use tacit_app::{AppError, AppResult, did_you_mean};
use tacit_core::{Confidence, Problem, Relation, RelationKind, RelationTarget};
use tacit_engine::StoreAccess;

use crate::app::App;
use crate::render;
use crate::ui::Tone;

/// Relate a memory to another, or to a file.
///
/// Relations: required_with, conflicts_with, validates, supersedes, derived_from.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit link a1b2c3d4 supersedes e5f6a7b8
  tacit link a1b2c3d4 required_with --file src/pool.rs
  tacit link a1b2c3d4 supersedes e5f6a7b8 --remove")]
pub(crate) struct Link {
    /// The memory that relates.
    #[arg(value_name = "ID")]
    id: String,
    /// How it relates.
    #[arg(value_name = "RELATION")]
    kind: String,
    /// The memory it relates to.
    #[arg(value_name = "OTHER", required_unless_present = "file", conflicts_with = "file")]
    other: Option<String>,
    /// The file it relates to.
    #[arg(long, short, value_name = "PATH")]
    file: Option<String>,
    /// How sure you are: high, medium, low, or a number from 0 to 1.
    #[arg(long, value_name = "CONFIDENCE", default_value = "high")]
    confidence: Confidence,
    /// Take the relation away.
    #[arg(long)]
    remove: bool,
}

impl Link {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        let kind: RelationKind = self.kind.parse().map_err(|problem: Problem| {
            let words = RelationKind::ALL.iter().map(|kind| kind.as_str());
            AppError::usage(format!("relation {problem}")).hint(did_you_mean(&self.kind, words))
        })?;
        let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
        let target = match (&self.other, &self.file) {
            (Some(other), _) => RelationTarget::Memory(engine.find(other)?.memory.id),
            (None, file) => {
                RelationTarget::File(app.repo_path(file.as_deref().unwrap_or_default())?)
            }
        };
        let found = if self.remove {
            engine.unlink(&self.id, kind, &target)?
        } else {
            let confidence = self.confidence;
            let relation =
                Relation { target: target.clone(), kind, confidence, auto_extracted: false };
            engine.link(&self.id, relation)?
        };
        drop(engine);
        if app.json {
            return app.ui.json(&render::to_json(&found));
        }
        let id = app.ui.paint(Tone::Id, &found.memory.id.short().to_string());
        let target = match target {
            RelationTarget::Memory(id) => app.ui.paint(Tone::Id, &id.short().to_string()),
            RelationTarget::File(path) => render::visible(path.as_str()),
        };
        let word = if self.remove { "Unlinked" } else { "Linked" };
        app.ui.line(format!("{word}: {id} {kind} {target}"))
    }
}
