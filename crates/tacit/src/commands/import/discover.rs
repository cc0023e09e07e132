//! Lists what could be imported, without importing it.

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_bridges::Format;
use tacit_engine::{ImportOutcome, StoreAccess, StoreScope};

use super::ImportArgs;
use super::sources::{Found, Sources};
use crate::app::CliApp;
use crate::commands::count;
use crate::render;

/// The formats with default locations, and the store that each is imported to.
const PLACES: [(Format, StoreScope); 8] = [
    (Format::Rules, StoreScope::Project),
    (Format::AutoMemory, StoreScope::Project),
    (Format::ClaudeMem, StoreScope::Project),
    (Format::Iflow, StoreScope::Project),
    (Format::Beads, StoreScope::Project),
    (Format::Serena, StoreScope::Project),
    (Format::Settings, StoreScope::Project),
    (Format::Rules, StoreScope::Global),
];

/// A format that was found, with its files.
struct Discovery {
    format: Format,
    scope: StoreScope,
    places: Vec<String>,
    /// Numbers of memories and settings, or the reason why it cannot be read.
    contents: Result<Contents, String>,
}

struct Contents {
    memories: usize,
    /// Number of memories that are not known yet, where there is a store to compare with.
    new: Option<usize>,
    settings: usize,
}

/// Lists the formats found in their default locations, with the number of memories in each.
pub(super) fn run(app: &CliApp, import: &ImportArgs) -> AppResult<()> {
    let only = import.scope.global.then_some(StoreScope::Global);
    let places = PLACES.into_iter().filter(|(_, scope)| only.is_none_or(|only| only == *scope));
    let found: Vec<Discovery> = places
        .filter_map(|(format, scope)| {
            let project = import.project.clone();
            let sources = Sources { app, scope, from: Some(format), project, trust: import.trust };
            Discovery::find(&sources, format)
        })
        .collect();
    if app.json {
        let found: Vec<Value> = found.iter().map(Discovery::to_json).collect();
        return app.ui.json(&json!({"found": found}));
    }
    if found.is_empty() {
        app.ui.line("Nothing to import was found in the default locations.")?;
        return app.ui.line("`tacit import FILE` reads an export, or a file of rules.");
    }
    for discovery in &found {
        discovery.print(app)?;
    }
    app.ui.line("Nothing was imported yet; with --dry-run, each command shows what it would do.")
}

impl Discovery {
    fn find(sources: &Sources<'_>, format: Format) -> Option<Discovery> {
        let places = sources.places_there();
        if places.is_empty() {
            return None;
        }
        let contents = match sources.read(&[]) {
            Err(error) => Err(error.message),
            Ok(found) if found.passages.is_empty() && found.settings.is_empty() => return None,
            Ok(found) => Ok(Contents {
                memories: found.passages.iter().filter(|passage| passage.what.is_ok()).count(),
                new: count_new(sources, &found),
                settings: found.settings.len(),
            }),
        };
        let places = places.iter().map(|path| sources.name(path)).collect();
        Some(Discovery { format, scope: sources.scope, places, contents })
    }

    /// Returns the command that imports it.
    fn command(&self) -> String {
        let global = if self.scope == StoreScope::Global { " --global" } else { "" };
        format!("tacit import --from {}{global}", self.format.as_str())
    }

    fn title(&self) -> &'static str {
        match (self.format, self.scope) {
            (Format::Rules, StoreScope::Global) => "your own rules, for all projects",
            (Format::Rules, _) => "rules of this project",
            (Format::AutoMemory, _) => "notes of Claude Code about this project",
            (Format::ClaudeMem, _) => "observations of claude-mem",
            (Format::Iflow, _) => "learnings of iflow",
            (Format::Beads, _) => "memories and decisions of beads",
            (Format::Serena, _) => "memories of Serena",
            _ => "settings of other memory tools",
        }
    }

    fn print(&self, app: &CliApp) -> AppResult<()> {
        let numbers = match &self.contents {
            Err(problem) => problem.clone(),
            Ok(contents) if self.format == Format::Settings => {
                count(contents.settings, "setting", "settings")
            }
            Ok(contents) => {
                let memories = count(contents.memories, "memory", "memories");
                match contents.new {
                    Some(0) => format!("{memories}, all known already"),
                    Some(new) => format!("{memories}, {new} new"),
                    None => memories,
                }
            }
        };
        let line = format!("{}: {numbers} ({})", self.title(), self.places.join(", "));
        app.ui.lines(render::wrap(&render::visible(&line), app.ui.width()))?;
        app.ui.line(format!("  {}", self.command()))
    }

    fn to_json(&self) -> Value {
        let mut value = json!({
            "from": self.format.as_str(), "store": self.scope.as_str(), "places": self.places,
            "command": self.command(),
        });
        match &self.contents {
            Err(problem) => value["error"] = json!(problem),
            Ok(contents) => {
                value["memories"] = json!(contents.memories);
                value["new"] = json!(contents.new);
                value["settings"] = json!(contents.settings);
            }
        }
        value
    }
}

/// Returns true if this project has files of rules.
pub(crate) fn has_rules(app: &CliApp) -> bool {
    let from = Some(Format::Rules);
    let sources = Sources { app, scope: StoreScope::Project, from, project: None, trust: false };
    !sources.places_there().is_empty()
}

/// Counts the memories that an import would store. `None` if there is no store to compare with: a
/// list creates none.
fn count_new(sources: &Sources<'_>, found: &Found) -> Option<usize> {
    let (app, scope) = (sources.app, sources.scope);
    if !app.places.database(scope).exists() {
        return None;
    }
    let mut engine = app.engine(StoreAccess::Write(scope)).ok()?.on_behalf_of(app.voice());
    let lines = found.passages.iter().enumerate().filter_map(|(index, passage)| {
        Some((index, passage.standing, passage.what.as_ref().ok()?.clone()))
    });
    let plan = engine.import(scope, lines.collect(), true).ok()?;
    Some(plan.items.iter().filter(|item| matches!(item, ImportOutcome::Stored)).count())
}
