//! The place of the test of a source file, if the names of most files agree.

use std::collections::{BTreeMap, BTreeSet};

use crate::commit::Past;
use crate::lesson::{Lesson, LessonKind};
use crate::text::code;

/// The least tests that belong to a source file, and the share that agrees.
const MIN_TESTS: usize = 10;
const MIN_SHARE: f64 = 0.85;

/// Decorations of the names of tests: before and after the name of the source file.
const DECORATIONS: [(&str, &str); 12] = [
    ("test_", ""),
    ("", "_test"),
    ("", "_tests"),
    ("", ".test"),
    ("", ".spec"),
    ("", "_spec"),
    ("", "-test"),
    ("", "-spec"),
    ("test-", ""),
    ("", "Test"),
    ("", "Tests"),
    ("Test", ""),
];

/// A rule for the place of tests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    decoration: (&'static str, &'static str),
    extension: String,
    /// The folder in which tests begin, and the one of their sources; the folders below are the same.
    tests: String,
    sources: String,
}

/// Returns a lesson for each language whose tests mirror the code in another folder. Tests beside the
/// code are seen at a glance.
pub(crate) fn test_layout(past: &Past) -> Vec<Lesson> {
    let paths: BTreeSet<&str> = past.files.iter().flatten().map(String::as_str).collect();
    let mut sources: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for path in &paths {
        let (folder, stem, extension) = parts(path);
        if test_of(stem).is_none() {
            sources.entry((stem, extension)).or_default().push(folder);
        }
    }
    let mut places: BTreeMap<Place, Vec<&str>> = BTreeMap::new();
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    for path in &paths {
        let (folder, stem, extension) = parts(path);
        let Some((decoration, name)) = test_of(stem) else { continue };
        let Some(folders) = sources.get(&(name, extension)) else { continue };
        *all.entry(extension).or_default() += 1;
        // Of several files with the name, the one in the most similar folder.
        let best = folders.iter().max_by_key(|source| common_end(folder, source));
        if let Some(source) = best {
            let (tests, sources) = without_common_end(folder, source);
            let extension = extension.to_owned();
            places.entry(Place { decoration, extension, tests, sources }).or_default().push(path);
        }
    }
    let lessons = places.into_iter().filter_map(|(place, tests)| {
        let all = all.get(place.extension.as_str()).copied().unwrap_or(0);
        let share = tests.len() as f64 / all.max(1) as f64;
        let mirrors = place.tests != place.sources;
        (tests.len() >= MIN_TESTS && share >= MIN_SHARE && mirrors)
            .then(|| lesson(&place, &tests, all))
    });
    lessons.collect()
}

fn lesson(place: &Place, tests: &[&str], all: usize) -> Lesson {
    let Place { decoration: (before, after), extension, tests: test_root, sources } = place;
    let below = |root: &str, name: &str| match root {
        "" => format!("…/{name}"),
        root => format!("{root}/…/{name}"),
    };
    let source = code(&below(sources, &format!("NAME.{extension}")));
    let test = code(&below(test_root, &format!("{before}NAME{after}.{extension}")));
    Lesson {
        kind: LessonKind::TestLayout,
        key: extension.clone(),
        title: format!("Where the tests of .{extension} files are"),
        content: format!(
            "The test of {source} is {test}, with the same folders in between: {} of {all} tests that \
             belong to one file, such as {}.",
            tests.len(),
            code(tests[0])
        ),
        details: None,
        files: Vec::new(),
        commits: Vec::new(),
        sources: Vec::new(),
        confidence: 0.8,
        worth: tests.len() as f64,
    }
}

/// Splits a path into folder, stem and extension.
fn parts(path: &str) -> (&str, &str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    (folder, stem, extension)
}

/// Returns the decoration of a test's name, and the name of the file that it tests.
fn test_of(stem: &str) -> Option<((&'static str, &'static str), &str)> {
    DECORATIONS.iter().find_map(|decoration| {
        let name = stem.strip_prefix(decoration.0)?.strip_suffix(decoration.1)?;
        let is_camel = decoration.0 == "Test" && !name.starts_with(char::is_uppercase);
        (name.len() > 1 && !is_camel).then_some((*decoration, name))
    })
}

fn common_end(one: &str, other: &str) -> usize {
    let pairs = one.rsplit('/').zip(other.rsplit('/'));
    pairs.take_while(|(a, b)| a == b && !a.is_empty()).count()
}

fn without_common_end(one: &str, other: &str) -> (String, String) {
    let same = common_end(one, other);
    let rest = |path: &str| {
        let mut parts: Vec<&str> = path.split('/').collect();
        parts.truncate(parts.len() - same);
        parts.join("/")
    };
    (rest(one), rest(other))
}
