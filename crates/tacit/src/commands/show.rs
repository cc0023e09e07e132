//! `tacit show`

use serde_json::Value;
use tacit_engine::Needs;

use crate::app::App;
use crate::error::CliResult;
use crate::render;

/// Show memories in full.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit show a1b2c3d4
  tacit show a1b2 --json")]
pub(crate) struct Show {
    /// The ids; the beginning of one is enough where it is clear.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

impl Show {
    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        let engine = app.engine(Needs::ReadBoth)?;
        let mut found = Vec::new();
        for id in &self.ids {
            found.push(engine.find(id)?);
        }
        drop(engine);
        if app.json {
            let values = Value::Array(found.iter().map(render::to_json).collect());
            return Ok(app.ui.json(&values)?);
        }
        let now = app.now();
        for (index, found) in found.iter().enumerate() {
            if index > 0 {
                app.ui.line("")?;
            }
            for line in render::full(&app.ui, found, now) {
                app.ui.line(line)?;
            }
        }
        Ok(())
    }
}
