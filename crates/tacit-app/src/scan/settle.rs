//! Cards of modules that no longer exist: a card follows a renamed module, other cards are retired.

use std::collections::BTreeSet;

use tacit_codebase::history::FileNameHistory;
use tacit_core::RepoPath;
use tacit_engine::{CardOutcome, Engine};
use tacit_graph::{Module, innermost_module};

use super::{ScannedModule, display_name};
use crate::app::App;
use crate::error::AppResult;
use crate::graph::main_codebase;

/// Renames or retires the cards of modules that were not found. Returns what changed.
pub(super) fn settle(
    app: &App,
    engine: &mut Engine<'_>,
    scanned: &[ScannedModule],
) -> AppResult<Vec<(String, CardOutcome)>> {
    // All worktrees share the memories, and the main one decides which modules exist.
    if app.worktree() != app.places.root {
        return Ok(Vec::new());
    }
    let existing: BTreeSet<String> = scanned.iter().map(|one| one.card.name.clone()).collect();
    let gone = engine.orphaned_cards(&existing)?;
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let modules: Vec<Module> = scanned.iter().map(|one| one.module.clone()).collect();
    let codebase = main_codebase(app);
    let names = match app.repository {
        Some(_) => codebase.refresh_history().and_then(|_| codebase.history())?.names,
        None => FileNameHistory::default(),
    };
    let mut settled = Vec::new();
    for card in gone {
        let now = renamed(&names, &modules, &card.module, &card.files);
        let kept = engine.resolve_orphan(&card, now.as_deref())?;
        if let (CardOutcome::Renamed, Some(now)) = (kept, &now) {
            // The content belongs to the old name, so its digest moves along.
            let before = codebase.card_digest(&card.module)?.unwrap_or_default();
            codebase.set_card_digest(now, before)?;
        }
        settled.extend((kept != CardOutcome::Same).then_some((card.module, kept)));
    }
    Ok(settled)
}

/// Returns the module that all files of an old module moved to.
fn renamed(
    names: &FileNameHistory,
    modules: &[Module],
    old: &str,
    files: &[RepoPath],
) -> Option<String> {
    let new_module = |file: &RepoPath| -> Option<&str> {
        let path = names.path(names.owner(file.as_str())?)?;
        let home = innermost_module(modules, path)?;
        let below = path.strip_prefix(old).is_some_and(|rest| rest.starts_with('/'));
        (old != "." && !below).then_some(home.path.as_str())
    };
    let new_modules: Option<BTreeSet<&str>> = files.iter().map(new_module).collect();
    let new_modules = new_modules?;
    let only = new_modules.first().filter(|_| new_modules.len() == 1)?;
    Some(display_name(only))
}

#[cfg(test)]
mod tests {
    use tacit_codebase::history::{CommittedChange, FileNameHistory};

    use super::*;

    #[test]
    fn a_module_is_renamed_if_all_its_files_moved_to_one_other() {
        let mut names = FileNameHistory::default();
        let moved =
            |from: &str, to: &str| CommittedChange::Renamed { from: from.into(), to: to.into() };
        for change in [
            moved("src/a.py", "core/a.py"),
            moved("src/b.py", "core/b.py"),
            moved("src/c.py", "web/c.py"),
            CommittedChange::Added("src/d.py".into()),
            CommittedChange::Deleted("src/d.py".into()),
            CommittedChange::Added("src/e.py".into()),
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
