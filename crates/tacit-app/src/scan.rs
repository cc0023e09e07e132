//! Looking through the modules of a project: a card of each, from the graph, its README and the
//! settings of its tools, the same for the same code.

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

/// How many names of each sort are on a card.
const NAMED: usize = 6;
/// How many files a model is shown the beginning of, and how much of each.
const SHOWN_FILES: usize = 3;
const SHOWN_CHARACTERS: usize = 1_500;
/// A module and what was measured of it.
pub struct ScannedModule {
    /// The module.
    pub module: Module,
    /// The card that is kept of the module.
    pub card: ModuleCard,
}

/// The modules of the project, from a graph that is there.
pub fn scan(app: &App) -> AppResult<Vec<ScannedModule>> {
    scan_graph(app, &codebase(app).open()?)
}

/// The modules that a graph knows.
pub fn scan_graph(app: &App, graph: &OpenGraph) -> AppResult<Vec<ScannedModule>> {
    let manifests: BTreeSet<String> = codebase(app).manifests(graph).into_iter().collect();
    let found = modules(&graph.packed(), &manifests);
    let measured = conventions(&graph.packed(), &found);
    let root = app.worktree();
    let scanned = found.into_iter().zip(measured).map(|(module, conventions)| {
        let card = ModuleCard {
            name: shown(&module.path),
            text: card(root, &module, &conventions),
            files: module.entry_points.iter().take(NAMED).cloned().collect(),
            excerpt: excerpt(root, &module),
        };
        ScannedModule { module, card }
    });
    Ok(scanned.collect())
}

/// What became of the card of each module.
pub struct CardReport {
    /// The name of each module, with what became of its card.
    pub outcomes: Vec<(String, CardOutcome)>,
    /// Why a model that is configured did not write.
    pub failure: Option<String>,
}

/// Keeps a card of each module, and settles those of modules that are gone.
pub fn store_cards(app: &App, scanned: &[ScannedModule]) -> AppResult<CardReport> {
    let mut engine = app.with_generator(app.engine(StoreAccess::Write(StoreScope::Project))?);
    let settled = settle(app, &mut engine, scanned)?;
    let mut kept = store_all_cards(app, &mut engine, scanned)?;
    kept.outcomes.splice(0..0, settled);
    drop(engine);
    app.maintain_in_background();
    Ok(kept)
}

/// Keeps the cards, and tells whoever watches how far it is.
pub fn store_all_cards(
    app: &App,
    engine: &mut Engine<'_>,
    scanned: &[ScannedModule],
) -> AppResult<CardReport> {
    let digests = codebase(app);
    let mut wording = CardWriter::default();
    let mut outcomes = Vec::new();
    for ScannedModule { card, .. } in scanned {
        let kept = engine.keep_card(card, digests.card_digest(&card.name)?, &mut wording)?;
        // What could not be put into words is tried again.
        if wording.failure().is_none() {
            digests.set_card_digest(&card.name, card.digest())?;
        }
        outcomes.push((card.name.clone(), kept));
        app.watcher.progress(ProgressKind::Modules, outcomes.len() as u64, scanned.len() as u64);
    }
    Ok(CardReport { outcomes, failure: wording.failure().map(str::to_owned) })
}

/// Brings the cards up to date that are there and whose modules changed.
pub fn refresh_cards(app: &App) -> AppResult<()> {
    // All worktrees share the memories, and the main one tells what they say.
    if app.worktree() != app.places.root || !main_codebase(app).exists() {
        return Ok(());
    }
    let digests = codebase(app);
    let mut engine =
        app.with_generator(app.engine(StoreAccess::Write(StoreScope::Project))?).unasked();
    let scanned = scan(app)?;
    settle(app, &mut engine, &scanned)?;
    let mut changed = Vec::new();
    for scanned in scanned {
        let before = digests.card_digest(&scanned.card.name)?;
        // One that was never kept is not begun here.
        let differs = before.is_some_and(|before| before != scanned.card.digest());
        let keeps = match engine.has_card(&scanned.card)? {
            true => differs,
            false => engine.had_card(&scanned.card)?,
        };
        changed.extend(keeps.then_some(scanned));
    }
    store_all_cards(app, &mut engine, &changed)?;
    Ok(())
}

/// The text of a card. Sizes are left out: they change with every edit and say little.
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
    list("Start with", module.entry_points.iter().take(NAMED).cloned().collect());
    list("Others use", module.exports.iter().take(NAMED).cloned().collect());
    let mut uses: Vec<(&String, &u64)> = module.uses.iter().collect();
    uses.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let named = |name: &str| match name {
        "" => "the root of the project".to_owned(),
        name => name.to_owned(),
    };
    list("It depends on", uses.iter().take(NAMED).map(|(name, _)| named(name)).collect());
    parts.extend(conventions.iter().cloned());
    let tools = tools::tools(root, &module.path);
    if !tools.is_empty() {
        parts.push(format!("Checked by: {}.", tools.join(", ")));
    }
    parts.join("\n")
}

fn shown(path: &str) -> String {
    if path.is_empty() { ".".to_owned() } else { path.to_owned() }
}

/// What a module is for, by its README.
pub fn purpose(root: &Path, module: &Module) -> Option<String> {
    readme::purpose(&root.join(&module.path)).map(|line| tacit_core::visible(&line))
}

/// The beginning of the files that one starts to read.
fn excerpt(root: &Path, module: &Module) -> String {
    let mut text = String::new();
    for path in module.entry_points.iter().take(SHOWN_FILES) {
        let Ok(path) = RepoPath::new(path.as_str()) else { continue };
        let file = root.join(path.as_str());
        let Ok(contents) = tacit_fs::read_text_following(&file, LARGEST_FILE) else { continue };
        let contents = tacit_redact::redact(&contents).text;
        let beginning: String = contents.chars().take(SHOWN_CHARACTERS).collect();
        text.push_str(&format!("File {path} begins:\n{beginning}\n\n"));
    }
    text
}
