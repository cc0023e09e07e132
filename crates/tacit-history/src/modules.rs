//! The modules of a project: where most work is done, and who does it where nobody else does.
//!
//! Counts end with the newest quarter of a year, so that the lessons do not change with each commit.

use std::collections::{BTreeMap, BTreeSet};

use crate::commit::{Past, PastCommit};
use crate::fixes::is_code;
use crate::lesson::{Lesson, LessonKind};
use crate::reverts::year;
use crate::text::{code, one_line};

const YEAR: i64 = 31_557_600;
/// The time for which counts stay the same.
const QUARTER: i64 = YEAR / 4;
/// Commits with more files sweep over modules.
const MAX_SWEEP: usize = 30;
/// The least modules, and commits of a year, of a project with hot spots.
const MIN_MODULES: usize = 4;
const MIN_COMMITS: usize = 50;
/// The least share of the busiest module.
const HOT_SHARE: f64 = 0.3;
/// The least files of a module that nobody changes, and its years without a commit.
const MIN_FILES: usize = 5;
const DORMANT_YEARS: i64 = 3;
/// The least commits of an owner, and the share of all commits to the module in three years.
const MIN_OWNED: usize = 20;
const OWNED_SHARE: f64 = 0.85;
const OWNED_YEARS: i64 = 3;
/// The least commits of an active author in a year, and the least such authors.
const MIN_ACTIVE: usize = 5;
const MIN_AUTHORS: usize = 3;
/// The greatest share of an owner in the whole project.
const MAX_ANYWAY: f64 = 0.5;
const MAX_EVIDENCE: usize = 8;

/// Folders that only hold modules.
const GROUPS: [&str; 16] = [
    "crates",
    "packages",
    "apps",
    "libs",
    "modules",
    "services",
    "plugins",
    "extensions",
    "projects",
    "components",
    "pkg",
    "internal",
    "src",
    "lib",
    "hw",
    "lisp",
];

/// Returns the module of a path of code: its outermost folder that tells something.
fn module(path: &str) -> Option<String> {
    const OTHERS: [&str; 20] = [
        "vendor",
        "vendored",
        "third_party",
        "third-party",
        "thirdparty",
        "external",
        "extern",
        "deps",
        "node_modules",
        "generated",
        "gen",
        "dist",
        "build",
        "target",
        "benches",
        "bench",
        "fuzz",
        "scripts",
        "m4",
        "admin",
    ];
    let (folder, _) = path.rsplit_once('/')?;
    let parts: Vec<&str> = folder.split('/').collect();
    let is_other = |part: &&str| part.starts_with('.') || OTHERS.contains(part);
    if !is_code(path) || parts.iter().any(is_other) {
        return None;
    }
    let groups = parts.iter().take(2).take_while(|part| GROUPS.contains(part)).count();
    Some(parts[..parts.len().min(groups + 1)].join("/"))
}

/// The work on a module.
#[derive(Default)]
struct Work<'p> {
    /// The existing files.
    files: BTreeSet<&'p str>,
    /// The commits, oldest first.
    commits: Vec<&'p PastCommit>,
}

/// Returns the lessons about modules.
pub(crate) fn module_lessons(past: &Past) -> Vec<Lesson> {
    let newest = past.commits.iter().map(|commit| commit.at).max().unwrap_or(0);
    let end = newest - newest.rem_euclid(QUARTER);
    let mut modules: BTreeMap<String, Work<'_>> = BTreeMap::new();
    for path in past.files.iter().flatten() {
        if let Some(module) = module(path) {
            modules.entry(module).or_default().files.insert(path);
        }
    }
    let mut all: Vec<&PastCommit> = Vec::new();
    for commit in past.commits.iter().filter(|commit| commit.at < end) {
        let touched: BTreeSet<String> = past.paths(commit).filter_map(module).collect();
        if !touched.is_empty() && commit.files.len() <= MAX_SWEEP {
            all.push(commit);
            for module in touched {
                modules.entry(module).or_default().commits.push(commit);
            }
        }
    }
    let mut lessons: Vec<Lesson> = hot_spots(&modules, &all, end).into_iter().collect();
    lessons.extend(owners(&modules, &all, end));
    lessons
}

fn since<'p>(commits: &[&'p PastCommit], from: i64) -> Vec<&'p PastCommit> {
    commits.iter().copied().filter(|commit| commit.at >= from).collect()
}

fn hot_spots(
    modules: &BTreeMap<String, Work<'_>>,
    all: &[&PastCommit],
    end: i64,
) -> Option<Lesson> {
    let recent = since(all, end - YEAR);
    let total = recent.len();
    if total < MIN_COMMITS || modules.len() < MIN_MODULES {
        return None;
    }
    let mut busy: Vec<(usize, &str)> = modules
        .iter()
        .map(|(name, work)| (since(&work.commits, end - YEAR).len(), name.as_str()))
        .collect();
    busy.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let share = |count: usize| count as f64 / total as f64;
    // That code is in `src` tells nothing.
    let is_module = !GROUPS.contains(&busy[0].1);
    let is_clear =
        is_module && share(busy[0].0) >= HOT_SHARE && busy[0].0 >= 2 * busy[busy.len() / 2].0;
    let mut dormant: Vec<(i64, &str)> = modules
        .iter()
        .filter(|(_, work)| work.files.len() >= MIN_FILES)
        .filter_map(|(name, work)| Some((work.commits.last()?.at, name.as_str())))
        .filter(|(last, _)| *last < end - DORMANT_YEARS * YEAR)
        .collect();
    dormant.sort_unstable();
    dormant.truncate(3);
    let mut said = Vec::new();
    if is_clear {
        let named = busy.iter().filter(|(count, _)| share(*count) >= 0.15).take(3);
        let named: Vec<String> = named
            .map(|(count, name)| format!("{:.0} % changed {}", 100.0 * share(*count), code(name)))
            .collect();
        let before = year(end - 1);
        said.push(format!(
            "Of {total} commits to code in the year that ended in {before}, {}.",
            named.join(", ")
        ));
    }
    let quiet = dormant.iter().map(|(last, name)| {
        format!("{} has had no commit of its own since {}.", code(name), year(*last))
    });
    said.extend(quiet);
    let (_, first) = busy.first().filter(|_| !said.is_empty())?;
    Some(Lesson {
        kind: LessonKind::HotSpots,
        key: "modules".to_owned(),
        title: "Where this project is worked on".to_owned(),
        content: said.join(" "),
        details: None,
        files: Vec::new(),
        commits: newest_ids(&modules.get(*first)?.commits),
        sources: Vec::new(),
        confidence: 0.7,
        worth: 1.0,
    })
}

fn owners(modules: &BTreeMap<String, Work<'_>>, all: &[&PastCommit], end: i64) -> Vec<Lesson> {
    let recent = since(all, end - YEAR);
    let by_author = |commits: &[&PastCommit]| {
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for commit in commits.iter().filter(|commit| is_person(&commit.author)) {
            *count.entry(commit.author.clone()).or_default() += 1;
        }
        count
    };
    let active = by_author(&recent);
    if active.values().filter(|count| **count >= MIN_ACTIVE).count() < MIN_AUTHORS {
        return Vec::new();
    }
    let from = end - OWNED_YEARS * YEAR;
    let project = since(all, from);
    let anyway = by_author(&project);
    let owned = modules.iter().filter_map(|(name, work)| {
        let commits = since(&work.commits, from);
        let (owner, count) = by_author(&commits).into_iter().max_by_key(|(_, count)| *count)?;
        let share = count as f64 / commits.len() as f64;
        let of_project = anyway.get(&owner).copied().unwrap_or(0) as f64 / project.len() as f64;
        let last = since(&work.commits, end - YEAR);
        let others = last.iter().filter(|commit| commit.author != owner).count();
        let is_owner = count >= MIN_OWNED
            && share >= OWNED_SHARE
            && of_project <= MAX_ANYWAY
            && last.len() > others + 2
            && others <= 2;
        if !is_owner {
            return None;
        }
        let own: Vec<&PastCommit> =
            commits.iter().copied().filter(|commit| commit.author == owner).collect();
        let rest = match others {
            0 => "nobody else changed it on its own in the last of these years".to_owned(),
            others => format!("others made {others} in the last of these years"),
        };
        let owner = one_line(&owner, 60);
        Some(Lesson {
            kind: LessonKind::Owner,
            key: name.clone(),
            title: format!("{} is nearly all by {owner}", code(name)),
            content: format!(
                "{} is nearly all by {owner}: {count} of {} commits from {} to {}; {rest}.",
                code(name),
                commits.len(),
                year(from),
                year(end - 1),
            ),
            details: None,
            files: work.files.iter().take(3).map(|file| (*file).to_owned()).collect(),
            commits: newest_ids(&own),
            sources: Vec::new(),
            confidence: 0.65,
            worth: share * (count as f64).sqrt(),
        })
    });
    owned.collect()
}

/// Returns false for programs that commit.
fn is_person(author: &str) -> bool {
    const PROGRAMS: [&str; 8] = [
        "[bot]",
        "dependabot",
        "renovate",
        "github-actions",
        "github actions",
        "weblate",
        "transifex",
        "unknown",
    ];
    let lower = author.to_lowercase();
    !lower.is_empty() && !lower.ends_with("bot") && !PROGRAMS.iter().any(|it| lower.contains(it))
}

fn newest_ids(commits: &[&PastCommit]) -> Vec<String> {
    commits.iter().rev().take(MAX_EVIDENCE).map(|commit| commit.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_person, module};

    #[test]
    fn modules_are_the_outermost_folders_of_code_that_tell_something() {
        for (path, expected) in [
            ("crates/engine/src/lib.rs", Some("crates/engine")),
            ("src/net/tls/a.c", Some("src/net")),
            ("src/main.c", Some("src")),
            ("glx/a.c", Some("glx")),
            ("main.c", None),
            ("docs/conf.py", None),
            ("tests/a.c", None),
            ("third_party/zlib/a.c", None),
            ("src/generated/a.rs", None),
            ("crates/a/Cargo.lock", None),
        ] {
            assert_eq!(module(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn programs_are_no_authors() {
        for (name, expected) in [
            ("Ada Lovelace", true),
            ("dependabot[bot]", false),
            ("Renovate Bot", false),
            ("Hosted Weblate", false),
            ("", false),
        ] {
            assert_eq!(is_person(name), expected, "{name}");
        }
    }
}
