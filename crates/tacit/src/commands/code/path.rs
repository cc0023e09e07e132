//! `tacit code path`

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::graph::CodeTarget;
use tacit_app::impact::{CodePaths, find_paths};

use crate::app::CliApp;
use crate::render::visible_line;

/// Show how one file or symbol leads to another.
///
/// Prints the shortest path through calls and imports, and the strongest.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit code path src/main.rs src/store.rs
  tacit code path src/cli.ts::run src/db.ts::query --json")]
pub(crate) struct PathArgs {
    /// The start: a file, or `FILE::SYMBOL`.
    from: String,
    /// The end.
    to: String,
}

impl PathArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let (from, to) = (CodeTarget::parse(app, &self.from)?, CodeTarget::parse(app, &self.to)?);
        let found = find_paths(app, &from, &to)?;
        let (from, to) = (from.label(), to.label());
        if app.json {
            let value = match &found {
                None => json!({"from": from, "to": to, "found": false}),
                Some(find_paths) => to_json(find_paths, &from, &to),
            };
            return app.ui.json(&value);
        }
        let Some(answer) = found else {
            return app.ui.line(format!("{from} and {to} do not lead to each other"));
        };
        if answer.backwards {
            app.ui.line(format!("{from} does not lead to {to}, but the other way round:"))?;
        }
        print(app, "shortest", &answer.shortest)?;
        if answer.strongest != answer.shortest {
            print(app, "strongest", &answer.strongest)?;
        }
        app.ui.line(format!("strength {:.2}", answer.strength))
    }
}

fn print(app: &CliApp, which: &str, steps: &[String]) -> AppResult<()> {
    app.ui.line(format!("{which}:"))?;
    app.ui.lines(steps.iter().map(|step| visible_line(&format!("  {step}"))))
}

fn to_json(find_paths: &CodePaths, from: &str, to: &str) -> Value {
    json!({
        "from": from, "to": to, "found": true, "backwards": find_paths.backwards,
        "shortest": find_paths.shortest, "strongest": find_paths.strongest,
        "strength": f64::from((find_paths.strength * 1000.0).round()) / 1000.0,
    })
}
