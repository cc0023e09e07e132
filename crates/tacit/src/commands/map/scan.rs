//! What a module is, as a memory: a card made from the graph and the README alone, the same for the
//! same code.

use serde_json::{Map, json};
use tacit_core::{BuiltinType, Draft, MemoryType, Module as ModuleName, Source};
use tacit_engine::{Engine, EngineError, Outcome, Request, Shelf};
use tacit_graph::Module;
use tacit_store::{Filter, ListOrder};

use crate::error::CliResult;

/// How many names of each sort are on a card.
const NAMED: usize = 6;

/// What became of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    New,
    Changed,
    Same,
    /// Somebody forgot it, and it stays forgotten.
    Forgotten,
}

impl Kept {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Kept::New => "remembered",
            Kept::Changed => "brought up to date",
            Kept::Same => "known",
            Kept::Forgotten => "forgotten before, left so",
        }
    }
}

/// The text of a card. Sizes are left out: they change with every edit and say little.
fn card(module: &Module, purpose: Option<&str>) -> String {
    let mut parts = vec![format!("Module {}.", name(module))];
    parts.extend(purpose.map(str::to_owned));
    let mut list = |what: &str, names: Vec<String>| {
        if !names.is_empty() {
            parts.push(format!("{what}: {}.", names.join(", ")));
        }
    };
    list("Start with", module.entry_points.iter().take(NAMED).cloned().collect());
    list("Others use", module.exports.iter().take(NAMED).cloned().collect());
    let mut uses: Vec<(&String, &u64)> = module.uses.iter().collect();
    uses.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    list("It depends on", uses.iter().take(NAMED).map(|(name, _)| shown(name)).collect());
    parts.push(match module.tests {
        0 => "It has no test files.".to_owned(),
        _ => "It has test files of its own.".to_owned(),
    });
    parts.join("\n")
}

fn shown(path: &str) -> String {
    if path.is_empty() { ".".to_owned() } else { path.to_owned() }
}

pub(super) fn name(module: &Module) -> String {
    shown(&module.path)
}

/// Keeps the card of a module, through the write gate; one that is there is brought up to date.
pub(super) fn keep(
    engine: &mut Engine<'_>,
    module: &Module,
    purpose: Option<&str>,
) -> CliResult<Kept> {
    let content = card(module, purpose);
    let title = format!("What {} is", name(module));
    let filter = Filter {
        types: vec![MemoryType::Builtin(BuiltinType::ModuleInsight)],
        sources: vec![Source::ObserverInferred],
        modules: vec![ModuleName::new(name(module))?],
        ..Filter::default()
    };
    let known = engine.list(Some(Shelf::Project), &filter, ListOrder::Oldest, NAMED, 0)?;
    let known = known.into_iter().find(|found| found.memory.headline() == title);
    let files: Vec<String> = module.entry_points.iter().take(NAMED).cloned().collect();
    let Some(known) = known else {
        let draft = Draft {
            content,
            title: Some(title),
            kind: Some(BuiltinType::ModuleInsight.as_str().to_owned()),
            scope: Some("module".to_owned()),
            source: Some(Source::ObserverInferred.as_str().to_owned()),
            related_files: files,
            related_modules: vec![name(module)],
            ..Draft::default()
        };
        return match engine.remember(Shelf::Project, Request { draft, reason: None }) {
            Ok(done) if done.outcome == Outcome::Reinforced => Ok(Kept::Same),
            Ok(_) => Ok(Kept::New),
            Err(EngineError::Resurrection { .. }) => Ok(Kept::Forgotten),
            Err(error) => Err(error.into()),
        };
    };
    if known.memory.said.content.as_str() == content {
        return Ok(Kept::Same);
    }
    let mut patch = Map::new();
    patch.insert("content".into(), json!(content));
    patch.insert("related_files".into(), json!(files));
    match engine.edit(&known.memory.id.to_string(), &patch, None) {
        Ok(_) => Ok(Kept::Changed),
        Err(EngineError::SameAs(_)) => Ok(Kept::Same),
        Err(error) => Err(error.into()),
    }
}
