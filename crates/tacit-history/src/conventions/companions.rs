//! Files that are changed whenever a file is added to a folder, such as a list that names every file of
//! the folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::commit::{Past, PastCommit};
use crate::lesson::{Lesson, LessonKind};
use crate::text::{code, codes, quoted};

/// The least commits that added a file to the folder, and the share that changed the companion.
const MIN_ADDING: usize = 8;
const MIN_SHARE: f64 = 0.9;
/// The greatest share of all commits that change the companion anyway.
const MAX_ANYWAY: f64 = 0.2;
/// The newest of the adding commits, of which all but one must have changed the companion.
const RECENT: usize = 6;
/// Larger commits import or move code.
const MAX_FILES: usize = 30;
/// The most companions that a lesson names.
const MAX_NAMED: usize = 3;
const CONFIDENCE: f64 = 0.75;

/// Returns a lesson for each folder whose new files need a change elsewhere.
pub(crate) fn companions(past: &Past) -> Vec<Lesson> {
    let mut adding: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    let mut touching: BTreeMap<u32, usize> = BTreeMap::new();
    for (at, commit) in past.commits.iter().enumerate() {
        for file in &commit.files {
            *touching.entry(*file).or_default() += 1;
        }
        if commit.files.len() > MAX_FILES {
            continue;
        }
        let places: BTreeSet<(String, String)> =
            commit.added.iter().filter_map(|file| place(past.path(*file)?)).collect();
        for place in places {
            adding.entry(place).or_default().push(at);
        }
    }
    let found = adding.into_iter().filter(|(_, at)| at.len() >= MIN_ADDING);
    found.filter_map(|((folder, end), at)| lesson(past, &folder, &end, &at, &touching)).collect()
}

/// Returns the folder and the extension of a file.
fn place(path: &str) -> Option<(String, String)> {
    let (folder, name) = path.rsplit_once('/')?;
    let (_, end) = name.rsplit_once('.')?;
    Some((folder.to_owned(), end.to_owned()))
}

fn lesson(
    past: &Past,
    folder: &str,
    end: &str,
    adding: &[usize],
    touching: &BTreeMap<u32, usize>,
) -> Option<Lesson> {
    let mut count: BTreeMap<u32, usize> = BTreeMap::new();
    for at in adding {
        let commit = &past.commits[*at];
        for file in commit.files.iter().filter(|file| !commit.added.contains(file)) {
            *count.entry(*file).or_default() += 1;
        }
    }
    let all = past.commits.len().max(1) as f64;
    let recent = &adding[adding.len().saturating_sub(RECENT)..];
    let changed = |at: &&usize, file: u32| past.commits[**at].files.contains(&file);
    let mut found: Vec<(usize, &str)> = count
        .into_iter()
        .filter(|(file, both)| {
            let anyway = touching.get(file).copied().unwrap_or(0) as f64 / all;
            *both as f64 / adding.len() as f64 >= MIN_SHARE
                && anyway <= MAX_ANYWAY
                && recent.iter().filter(|at| changed(at, *file)).count() + 1 >= recent.len()
        })
        .filter_map(|(file, both)| Some((both, past.path(file)?)))
        .filter(|(_, path)| !is_obvious(path, folder))
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    found.truncate(MAX_NAMED);
    let (least, _) = *found.last()?;
    let names: Vec<&str> = found.iter().map(|(_, path)| *path).collect();
    let newest: Vec<&PastCommit> =
        adding.iter().rev().take(8).map(|at| &past.commits[*at]).collect();
    let example = newest.first()?;
    let what = code(&format!("{folder}/*.{end}"));
    Some(Lesson {
        kind: LessonKind::Companion,
        key: format!("{folder}/*.{end}"),
        title: format!("A new {what} also needs {}", names.join(", ")),
        content: format!(
            "A new {what} goes with a change of {}: {least} of {} commits that added one did so, \
             last {} ({}).",
            codes(&names),
            adding.len(),
            quoted(example.subject(), 90),
            example.short_id()
        ),
        details: None,
        files: names.iter().map(|name| (*name).to_owned()).collect(),
        commits: newest.iter().map(|commit| commit.id.clone()).collect(),
        sources: Vec::new(),
        confidence: CONFIDENCE,
        worth: least as f64,
    })
}

/// Returns true for companions that a compiler asks for, or that tools write.
fn is_obvious(path: &str, folder: &str) -> bool {
    let (home, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let declares = matches!(stem, "mod" | "lib" | "main" | "index" | "__init__");
    let is_parent =
        home == folder || folder.strip_prefix(home).is_some_and(|it| it.starts_with('/'));
    let module = path.rsplit_once('.').is_some_and(|(path, _)| path == folder);
    (declares && (is_parent || home.is_empty()))
        || module
        || name.ends_with(".lock")
        || matches!(name, "package-lock.json" | "go.sum" | "pnpm-lock.yaml" | "POTFILES.in")
}
