//! `tacit forget`

use serde_json::{Value, json};
use tacit_core::Reasoning;
use tacit_engine::{Departure, Found, Needs};

use crate::app::App;
use crate::commands::find_all;
use crate::error::{CliError, CliResult};
use crate::render;
use crate::ui::Tone;

/// Take memories out of use.
///
/// A forgotten memory is no longer recalled; `tacit restore` brings it back. `--purge` removes it
/// and everything the history says of it, for good.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit forget a1b2c3d4 --reason \"no longer true since the rewrite\"
  tacit forget a1b2c3d4 --archive
  tacit forget a1b2c3d4 --purge --yes")]
pub(crate) struct Forget {
    /// The ids; the beginning of one is enough where it is clear.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Why, for the history.
    #[arg(long, short, value_name = "TEXT", default_value = "forgotten by hand")]
    reason: String,
    /// Set it aside and keep it, instead of letting it be removed in time.
    #[arg(long, conflicts_with = "purge")]
    archive: bool,
    /// Remove it and what the history says of it. This cannot be undone.
    #[arg(long)]
    purge: bool,
    /// Yes, remove it for good.
    #[arg(long, requires = "purge")]
    yes: bool,
}

impl Forget {
    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        let reason = Reasoning::new(self.reason)
            .map_err(|problem| CliError::usage(format!("--reason {problem}")))?;
        if self.purge && !self.yes {
            return Err(CliError::usage("a purge removes memories for good; nothing was done")
                .hint("add `--yes` if you mean it; without `--purge`, `tacit restore` can help"));
        }
        let departure = if self.archive { Departure::Archive } else { Departure::Retire };
        let mut engine = app.engine(Needs::WriteBoth)?;
        let mut done = Vec::new();
        for id in find_all(&engine, &self.ids)? {
            let id = id.to_string();
            done.push(if self.purge {
                let shelf = engine.find(&id)?.shelf;
                Found { shelf, memory: engine.purge(&id, reason.clone())?.0 }
            } else {
                engine.forget(&id, departure, reason.clone())?
            });
        }
        drop(engine);
        if app.json {
            let values: Vec<Value> = done
                .iter()
                .map(|found| match self.purge {
                    // What was removed for good is not printed once more.
                    true => json!({
                        "id": found.memory.id, "short_id": found.memory.id.short().to_string(),
                        "shelf": found.shelf.as_str(), "purged": true,
                    }),
                    false => render::to_json(found),
                })
                .collect();
            return Ok(app.ui.json(&Value::Array(values))?);
        }
        let word = match (self.purge, self.archive) {
            (true, _) => "Purged",
            (_, true) => "Archived",
            _ => "Forgot",
        };
        for found in &done {
            let id = app.ui.paint(Tone::Id, &found.memory.id.short().to_string());
            let name = render::visible(&found.memory.headline());
            app.ui.line(format!("{word}: {name} (id {id})"))?;
        }
        Ok(())
    }
}
