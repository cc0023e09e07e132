//! Conclusions that nobody has confirmed yet, about exactly what a prompt names.

use tacit_core::{AgentEvent, BuiltinType, Memory, MemoryType, RepoPath};
use tacit_engine::{EngineResult, StoredMemory};
use tacit_store::{Filter, ListOrder};
use tacit_work::scope::applies;

use super::HookContext;
use super::error_names::ErrorNames;
use super::item::InjectionItem;
use crate::briefing::FILE_TYPES;

/// The maximum number of memories about a file that are examined.
const EXAMINED: usize = 8;
/// The maximum number of paths of a prompt that are looked up.
const MAX_PATHS: usize = 4;
/// Names that many files have.
const COMMON_FILES: [&str; 12] = [
    "main", "mod", "lib", "index", "__init__", "app", "utils", "README", "package", "Cargo",
    "Makefile", "config",
];

/// Returns the conclusion from a session that fits a prompt best: it is about a file that the prompt
/// names, or shares a specific name with it. Dead ends come first. `unproven` are the memories that a
/// search left out, best first. What an agent or a file only claims is never returned.
pub(super) fn conclusion(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    prompt: &str,
    mut unproven: Vec<StoredMemory>,
) -> EngineResult<Option<InjectionItem>> {
    let prompt = prompt.replace('\n', " ");
    let paths = paths(&prompt);
    let files = paths.iter().filter(|path| path.contains('/')).take(MAX_PATHS);
    let files: Vec<RepoPath> = files.filter_map(|path| ctx.repo_path(event, path)).collect();
    if !files.is_empty() {
        let types = FILE_TYPES.map(MemoryType::Builtin).to_vec();
        let filter = Filter { types, files, stale: Some(false), ..Filter::default() };
        let seen = ctx.seen(event)?;
        let about = ctx.engine.list(None, &filter, ListOrder::Newest, EXAMINED, 0)?;
        let is_new = |one: &StoredMemory| !one.is_proven() && !seen.contains(&one.memory.id);
        unproven.extend(about.into_iter().filter(is_new));
    }
    let names = ErrorNames::of(&prompt);
    let is_named = |memory: &Memory| {
        names.shared_with(&memory.body.titled()).strong > 0
            || memory.body.files.iter().any(|file| paths.iter().any(|path| is_meant(path, file)))
    };
    unproven.retain(|one| {
        let memory = &one.memory;
        FILE_TYPES.iter().any(|kind| memory.memory_type() == (*kind).into())
            && !memory.is_unconfirmed_claim()
            && applies(memory.body.subject.placement(), &ctx.position(event))
            && is_named(memory)
    });
    unproven.sort_by_key(|one| one.memory.memory_type() != BuiltinType::DeadEnd.into());
    let found = unproven.into_iter().next();
    Ok(found.map(|found| InjectionItem::memory(found, "about what the prompt names, not verified")))
}

/// Returns the words of a prompt that may be paths or names of files.
fn paths(prompt: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '@');
    let words = prompt.split(move |c: char| !is_part(c)).map(|word| word.trim_end_matches('.'));
    words.filter(|word| is_path(word)).collect()
}

/// Returns true for a word with a folder, or with the ending of a file.
fn is_path(word: &str) -> bool {
    let (stem, ending) = word.rsplit_once('.').unwrap_or((word, ""));
    let has_ending = !stem.is_empty()
        && (1..=5).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    has_ending || (word.contains('/') && word.len() > 3)
}

/// Returns true if a path of a prompt is that of a file, in full or by its last parts. A name alone
/// must not be one that many files have.
fn is_meant(path: &str, file: &RepoPath) -> bool {
    let path = path.trim_start_matches("./").trim_start_matches('/');
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let stem = path.split('.').next().unwrap_or(path);
    let is_specific = path.contains('/') || !COMMON_FILES.contains(&stem);
    is_specific && !path.is_empty() && (ends(file.as_str(), path) || ends(path, file.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_meant_by_path_or_by_a_specific_name() {
        for (prompt, file, expected) in [
            ("speed up src/pool.rs", "src/pool.rs", true),
            ("speed up ./src/pool.rs.", "src/pool.rs", true),
            ("speed up `pool.rs`, please", "src/pool.rs", true),
            ("speed up db/pool.rs", "src/pool.rs", false),
            ("in /srv/app/src/pool.rs:12", "src/pool.rs", true),
            ("speed up mod.rs", "src/mod.rs", false),
            ("speed up src/mod.rs", "src/mod.rs", true),
            ("speed up the pool", "src/pool.rs", false),
            ("e.g. and/or 1.5", "src/pool.rs", false),
            ("look at ool.rs", "src/pool.rs", false),
        ] {
            let file = RepoPath::new(file).unwrap();
            let is_named = paths(prompt).iter().any(|path| is_meant(path, &file));
            assert_eq!(is_named, expected, "{prompt}");
        }
    }
}
