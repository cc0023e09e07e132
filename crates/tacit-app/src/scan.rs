//! Scans the modules of a project and stores a card for each, built from the graph, the README and
//! the settings of its tools. The same code gives the same cards.

mod readme;
mod settle;
mod tools;

use std::collections::BTreeSet;
use std::path::Path;

use tacit_codebase::OpenGraph;
use tacit_core::RepoPath;
use tacit_engine::{CardOutcome, CardWriter, Engine, ModuleCard, StoreAccess, StoreScope};
use tacit_graph::{LARGEST_FILE, Module, conventions, modules};

use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::AppResult;
use crate::graph::{codebase, main_codebase};
use settle::settle;

/// The maximum number of names of each kind on a card.
const MAX_NAMES: usize = 6;
/// The number of files shown to the text generator, and of characters of each.
const EXCERPT_FILES: usize = 3;
const EXCERPT_CHARACTERS: usize = 1_500;

/// A module with its card.
pub struct ScannedModule {
    /// The module.
    pub module: Module,
    /// The card that describes it.
    pub card: ModuleCard,
}

/// Scans the modules of the project, from an existing graph.
pub fn scan(app: &App) -> AppResult<Vec<ScannedModule>> {
    scan_graph(app, &codebase(app).open()?)
}

/// Scans the modules of a graph.
pub fn scan_graph(app: &App, graph: &OpenGraph) -> AppResult<Vec<ScannedModule>> {
    let manifests: BTreeSet<String> = codebase(app).manifests(graph).into_iter().collect();
    let found = modules(&graph.packed(), &manifests);
    let measured = conventions(&graph.packed(), &found);
    let root = app.worktree();
    let scanned = found.into_iter().zip(measured).map(|(module, conventions)| {
        let card = ModuleCard {
            name: display_name(&module.path),
            text: card(root, &module, &conventions),
            files: module.entry_points.iter().take(MAX_NAMES).cloned().collect(),
            excerpt: excerpt(root, &module),
        };
        ScannedModule { module, card }
    });
    Ok(scanned.collect())
}

/// The result of storing cards.
pub struct CardReport {
    /// Each module with the result for its card.
    pub outcomes: Vec<(String, CardOutcome)>,
    /// The reason why the configured text generator wrote nothing.
    pub failure: Option<String>,
}

/// Stores a card for each module, and retires or renames those of modules that no longer exist.
pub fn store_cards(app: &App, scanned: &[ScannedModule]) -> AppResult<CardReport> {
    let mut engine = app.with_generator(app.engine(StoreAccess::Write(StoreScope::Project))?);
    let settled = settle(app, &mut engine, scanned)?;
    let mut report = store_all_cards(app, &mut engine, scanned)?;
    report.outcomes.splice(0..0, settled);
    drop(engine);
    app.maintain_in_background();
    Ok(report)
}

/// Stores the cards and reports progress.
pub fn store_all_cards(
    app: &App,
    engine: &mut Engine<'_>,
    scanned: &[ScannedModule],
) -> AppResult<CardReport> {
    let digests = codebase(app);
    let mut wording = CardWriter::default();
    let mut outcomes = Vec::new();
    for ScannedModule { card, .. } in scanned {
        let report = engine.save_card(card, digests.card_digest(&card.name)?, &mut wording)?;
        // Without the digest, a card whose text could not be generated is tried again.
        if wording.failure().is_none() {
            digests.set_card_digest(&card.name, card.digest())?;
        }
        outcomes.push((card.name.clone(), report));
        app.watcher.progress(ProgressKind::Modules, outcomes.len() as u64, scanned.len() as u64);
    }
    Ok(CardReport { outcomes, failure: wording.failure().map(str::to_owned) })
}

/// Refreshes existing cards whose modules have changed.
pub fn refresh_cards(app: &App) -> AppResult<()> {
    // All worktrees share the memories, and the main one decides their content.
    if app.worktree() != app.places.root || !main_codebase(app).exists() {
        return Ok(());
    }
    let digests = codebase(app);
    let mut engine =
        app.with_generator(app.engine(StoreAccess::Write(StoreScope::Project))?).as_tacit();
    let scanned = scan(app)?;
    settle(app, &mut engine, &scanned)?;
    let mut changed = Vec::new();
    for scanned in scanned {
        let before = digests.card_digest(&scanned.card.name)?;
        // A module that never had a card does not get one here.
        let differs = before.is_some_and(|before| before != scanned.card.digest());
        let is_due = match engine.has_card(&scanned.card)? {
            true => differs,
            false => engine.has_retired_card(&scanned.card)?,
        };
        changed.extend(is_due.then_some(scanned));
    }
    store_all_cards(app, &mut engine, &changed)?;
    Ok(())
}

/// Builds the text of a card. Sizes are left out: they change with every edit and say little.
fn card(root: &Path, module: &Module, conventions: &[String]) -> String {
    let mut parts = vec![match module.path.as_str() {
        "" => "The root of the project.".to_owned(),
        path => format!("Module {path}."),
    }];
    parts.extend(purpose(root, module));
    let mut list = |what: &str, names: Vec<String>| {
        if !names.is_empty() {
            parts.push(format!("{what}: {}.", names.join(", ")));
        }
    };
    list("Start with", module.entry_points.iter().take(MAX_NAMES).cloned().collect());
    list("Others use", module.exports.iter().take(MAX_NAMES).cloned().collect());
    let mut uses: Vec<(&String, &u64)> = module.uses.iter().collect();
    uses.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let named = |name: &str| match name {
        "" => "the root of the project".to_owned(),
        name => name.to_owned(),
    };
    list("It depends on", uses.iter().take(MAX_NAMES).map(|(name, _)| named(name)).collect());
    parts.extend(conventions.iter().cloned());
    let tools = tools::tools(root, &module.path);
    if !tools.is_empty() {
        parts.push(format!("Checked by: {}.", tools.join(", ")));
    }
    parts.join("\n")
}

fn display_name(path: &str) -> String {
    if path.is_empty() { ".".to_owned() } else { path.to_owned() }
}

/// Returns the purpose of a module, from its README.
pub fn purpose(root: &Path, module: &Module) -> Option<String> {
    readme::purpose(&root.join(&module.path)).map(|line| tacit_core::visible(&line))
}

/// Returns the beginnings of the module's entry points.
fn excerpt(root: &Path, module: &Module) -> String {
    let mut text = String::new();
    for path in module.entry_points.iter().take(EXCERPT_FILES) {
        let Ok(path) = RepoPath::new(path.as_str()) else { continue };
        let file = root.join(path.as_str());
        let Ok(contents) = tacit_fs::read_text_following(&file, LARGEST_FILE) else { continue };
        let contents = tacit_redact::redact(&contents).text;
        let beginning: String = contents.chars().take(EXCERPT_CHARACTERS).collect();
        text.push_str(&format!("File {path} begins:\n{beginning}\n\n"));
    }
    text
}
