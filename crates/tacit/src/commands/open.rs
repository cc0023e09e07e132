//! `tacit open`

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::code::{MemoryLocation, locations};
use tacit_app::show::with_links;
use tacit_engine::StoreAccess;
use tacit_store::Injection;

use crate::app::CliApp;
use crate::commands::{session, show, why};
use crate::filter_args::at_least_one;

/// Show a memory, its code and its uses.
///
/// As `tacit show`, and also where its files and symbols are and what hooks showed it for. The id is the
/// one in the lines that agents are shown: `[gotcha a1b2c3d4 · verified]`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit open a1b2c3d4
  tacit open a1b2c3d4 -n 5 --json")]
pub(crate) struct OpenArgs {
    /// The id; an unambiguous beginning is enough.
    #[arg(value_name = "ID")]
    id: String,
    /// Largest number of uses to list.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one,
          default_value_t = 10)]
    limit: usize,
}

impl OpenArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        session::settle(app);
        let engine = app.engine(StoreAccess::ReadBoth)?;
        let (found, links) = show::read(&engine, &self.id)?;
        let shown = why::injections_of(&engine, &found)?;
        drop(engine);
        let places = locations(app, &found.memory, &links)?;
        if app.json {
            return app.ui.json(&to_json(with_links(&found, &links), &places, &shown));
        }
        app.ui.lines(show::lines(app, &found, &links))?;
        for location in &places {
            why::row(app, "location", &in_words(location))?;
        }
        why::print_injections(app, &shown, self.limit)
    }
}

/// Writes a location as editors and terminals understand it.
fn in_words(location: &MemoryLocation) -> String {
    let MemoryLocation { path, line, symbol, exists } = location;
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    let symbol = symbol.as_ref().map(|symbol| format!("  {symbol}")).unwrap_or_default();
    let missing = if *exists { "" } else { "  (missing)" };
    format!("{path}{line}{symbol}{missing}")
}

fn to_json(mut value: Value, locations: &[MemoryLocation], shown: &[Injection]) -> Value {
    let locations: Vec<Value> = locations
        .iter()
        .map(|location| {
            json!({
                "path": location.path, "line": location.line, "symbol": location.symbol,
                "exists": location.exists,
            })
        })
        .collect();
    value["locations"] = json!(locations);
    value["shown"] = why::injections_to_json(shown);
    value
}
