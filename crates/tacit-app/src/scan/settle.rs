//! Cards of modules that are gone: one whose module goes by another name follows it, others leave use.

use std::collections::BTreeSet;

use tacit_codebase::history::FileNames;
use tacit_core::RepoPath;
use tacit_engine::{CardOutcome, Engine};
use tacit_graph::{Module, innermost_module};

use super::{ScannedModule, shown};
use crate::app::App;
use crate::error::AppResult;
use crate::graph::main_codebase;

/// Takes care of the cards of modules that are no longer among those that were found.
pub(super) fn settle(
    app: &App,
    engine: &mut Engine<'_>,
    scanned: &[ScannedModule],
) -> AppResult<Vec<(String, CardOutcome)>> {
    // All worktrees share the memories, and the main one tells which modules there are.
    if app.worktree() != app.places.root {
        return Ok(Vec::new());
    }
    let there: BTreeSet<String> = scanned.iter().map(|one| one.card.name.clone()).collect();
    let gone = engine.gone_cards(&there)?;
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let modules: Vec<Module> = scanned.iter().map(|one| one.module.clone()).collect();
    let codebase = main_codebase(app);
    let names = match app.repository {
        Some(_) => codebase.refresh_history().and_then(|_| codebase.history())?.names,
        None => FileNames::default(),
    };
    let mut settled = Vec::new();
    for card in gone {
        let now = renamed(&names, &modules, &card.module, &card.files);
        let kept = engine.settle_card(&card, now.as_deref())?;
        if let (CardOutcome::Renamed, Some(now)) = (kept, &now) {
            // What it says was said of the module by its old name.
            let before = codebase.card_digest(&card.module)?.unwrap_or_default();
            codebase.set_card_digest(now, before)?;
        }
        settled.extend((kept != CardOutcome::Same).then_some((card.module, kept)));
    }
    Ok(settled)
}

/// The module that all files of another one moved to.
fn renamed(names: &FileNames, modules: &[Module], old: &str, files: &[RepoPath]) -> Option<String> {
    let place = |file: &RepoPath| -> Option<&str> {
        let path = names.path(names.owner(file.as_str())?)?;
        let home = innermost_module(modules, path)?;
        let below = path.strip_prefix(old).is_some_and(|rest| rest.starts_with('/'));
        (old != "." && !below).then_some(home.path.as_str())
    };
    let places: Option<BTreeSet<&str>> = files.iter().map(place).collect();
    let places = places?;
    let only = places.first().filter(|_| places.len() == 1)?;
    Some(shown(only))
}

#[cfg(test)]
mod tests {
    use tacit_codebase::history::{FileChange, FileNames};

    use super::*;

    #[test]
    fn a_module_whose_files_all_moved_to_another_is_that_one() {
        let mut names = FileNames::default();
        let moved = |from: &str, to: &str| FileChange::Renamed { from: from.into(), to: to.into() };
        for change in [
            moved("src/a.py", "core/a.py"),
            moved("src/b.py", "core/b.py"),
            moved("src/c.py", "web/c.py"),
            FileChange::Added("src/d.py".into()),
            FileChange::Deleted("src/d.py".into()),
            FileChange::Added("src/e.py".into()),
        ] {
            names.apply(&change, &mut Vec::new());
        }
        let module = |path: &str| Module { path: path.into(), ..Module::default() };
        let modules = ["", "core", "web"].map(module);
        for (what, files, expected) in [
            ("all moved", &["src/a.py", "src/b.py"][..], Some("core")),
            ("and were followed", &["core/a.py", "src/b.py"], Some("core")),
            ("to two", &["src/a.py", "src/c.py"], None),
            ("one was deleted", &["src/a.py", "src/d.py"], None),
            ("one stayed", &["src/e.py"], None),
            ("none are known", &["lib/x.py"], None),
            ("no files", &[], None),
        ] {
            let files: Vec<RepoPath> =
                files.iter().map(|path| RepoPath::new(*path).expect("a path")).collect();
            assert_eq!(renamed(&names, &modules, "src", &files).as_deref(), expected, "{what}");
        }
    }
}
