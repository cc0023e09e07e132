//! `tacit show`

use tacit_app::AppResult;
use tacit_app::show::with_links;
use tacit_engine::{Engine, StoreAccess, StoredMemory};
use tacit_store::CodeLink;

use crate::app::CliApp;
use crate::render;

/// Show memories in full.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit show a1b2c3d4
  tacit show a1b2 --json")]
pub(crate) struct ShowArgs {
    /// The ids; the beginning of one is enough where it is clear.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
}

impl ShowArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let engine = app.engine(StoreAccess::ReadBoth)?;
        let mut found = Vec::new();
        for id in &self.ids {
            found.push(read(&engine, id)?);
        }
        drop(engine);
        if app.json {
            return app
                .ui
                .json(&found.iter().map(|(found, links)| with_links(found, links)).collect());
        }
        app.ui.paragraphs(found.iter().map(|(found, links)| lines(app, found, links)))
    }
}

/// Finds a memory with the symbols that it is linked to.
pub(super) fn read(engine: &Engine<'_>, id: &str) -> AppResult<(StoredMemory, Vec<CodeLink>)> {
    let found = engine.find(id)?;
    let links = engine.code_links(found.store, &[found.memory.id])?;
    Ok((found, links))
}

/// Renders all fields of a memory.
pub(super) fn lines(app: &CliApp, found: &StoredMemory, links: &[CodeLink]) -> Vec<String> {
    render::full(&app.ui, found, links, app.now())
}
