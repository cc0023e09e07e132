//! Files whose fixes have a common subject, such as “time zone”.
//!
//! A subject is a word or a pair of words that many fixes of a file share and few fixes of other files
//! have. The names of the file and of its folders are no subject, and neither are words that any fix
//! may use.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::commit::{Past, PastCommit};
use crate::lesson::{Lesson, LessonKind};
use crate::text::{code, has_phrase, quoted, words};

/// The least fixes of a file, those among them with the subject, and their share.
const MIN_FIXES: usize = 8;
const MIN_ABOUT: usize = 5;
const MIN_SHARE: f64 = 0.4;
/// The least share of a single word, which says less than a pair.
const MIN_WORD_SHARE: f64 = 0.6;
/// The least factor by which the subject is more frequent here than in the fixes of other files.
const MIN_LIFT: f64 = 8.0;
/// The least factor by which the subject is more frequent in the fixes of a file than in its other
/// changes; else it is what the file is about.
const MIN_OVER_OTHERS: f64 = 2.0;
/// A fix of more files is about none of them.
const MAX_FILES: usize = 8;
/// The number of fixes that a lesson quotes.
const QUOTED: usize = 3;
const MAX_SUBJECT: usize = 90;
const CONFIDENCE: f64 = 0.5;

/// A fix with the words of its subject.
struct Fix<'p> {
    commit: &'p PastCommit,
    terms: BTreeSet<String>,
}

/// Returns a lesson for each file with a common subject of its fixes; files that are fixed together
/// share one.
pub(crate) fn fix_subjects(past: &Past) -> Vec<Lesson> {
    let mut fixes: Vec<Fix<'_>> = Vec::new();
    let mut frequency: HashMap<String, usize> = HashMap::new();
    let mut of_file: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut others: BTreeMap<u32, Vec<&PastCommit>> = BTreeMap::new();
    for commit in past.commits.iter().filter(|it| (1..=MAX_FILES).contains(&it.files.len())) {
        if !is_fix(commit) {
            commit.files.iter().for_each(|file| others.entry(*file).or_default().push(commit));
            continue;
        }
        let terms = terms(past, commit);
        for term in &terms {
            *frequency.entry(term.clone()).or_default() += 1;
        }
        for file in &commit.files {
            of_file.entry(*file).or_default().push(fixes.len());
        }
        fixes.push(Fix { commit, terms });
    }
    let mut found: Vec<Subject<'_>> = Vec::new();
    for (file, at) in of_file {
        let Some(path) = past.path(file).filter(|path| is_code(path)) else { continue };
        if at.len() < MIN_FIXES {
            continue;
        }
        let Some(subject) = subject(path, &at, &fixes, &frequency) else { continue };
        let others = others.get(&file).map_or(&[][..], Vec::as_slice);
        let about = others.iter().filter(|commit| terms(past, commit).contains(&subject.term));
        // One more, so that a file with few other changes is not distinctive by chance.
        let elsewhere = (about.count() + 1) as f64 / (others.len() + 1) as f64;
        let share = subject.about.len() as f64 / subject.all.len() as f64;
        if share >= MIN_OVER_OTHERS * elsewhere {
            found.push(subject);
        }
    }
    merged(found).into_iter().map(|subject| lesson(past, &fixes, &subject)).collect()
}

/// Returns true for commits whose subject says that they fix behaviour.
fn is_fix(commit: &PastCommit) -> bool {
    const FIXES: [&str; 9] =
        ["fix", "fixes", "fixed", "bugfix", "hotfix", "don't", "avoid", "prevent", "correct"];
    const OTHER: [&str; 25] = [
        "typo",
        "typos",
        "comment",
        "comments",
        "warning",
        "warnings",
        "lint",
        "format",
        "formatting",
        "indentation",
        "whitespace",
        "docs",
        "doc",
        "documentation",
        "spelling",
        "test",
        "tests",
        "ci",
        "build",
        "compile",
        "compilation",
        "revert",
        "merge",
        "changelog",
        "translation",
    ];
    let subject = commit.subject().to_lowercase();
    has_phrase(&subject, &FIXES) && !has_phrase(&subject, &OTHER)
}

/// Returns the words and pairs of words in a subject that may tell what it is about.
fn terms(past: &Past, commit: &PastCommit) -> BTreeSet<String> {
    let subject = commit.subject().to_lowercase();
    // The area of a subject names the file, not the trouble.
    let text = match subject.split_once(": ") {
        Some((area, rest)) if !area.contains(' ') || area.len() < 24 => rest,
        _ => &subject,
    };
    let own: BTreeSet<String> = past
        .paths(commit)
        .flat_map(|path| words(&path.replace(['/', '.', '_', '-'], " ")))
        .collect();
    let said: Vec<String> = words(text).iter().map(|word| stem(word)).collect();
    let is_telling = |word: &String| {
        word.len() > 3
            && !GENERIC.contains(&word.as_str())
            && !own.iter().any(|own| is_name(&stem(own), word))
            && !word.bytes().all(|byte| byte.is_ascii_digit())
            && word.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    let mut terms: BTreeSet<String> =
        said.iter().filter(|word| is_telling(word)).cloned().collect();
    for pair in said.windows(2) {
        if let [first, second] = pair
            && is_telling(first)
            && is_telling(second)
        {
            terms.insert(format!("{first} {second}"));
        }
    }
    terms
}

/// Returns true if a word is part of a name, or the name of it.
fn is_name(name: &str, word: &str) -> bool {
    name.len() > 2 && (name.contains(word) || word.contains(name) && name.len() > 3)
}

/// Removes the end of a plural.
fn stem(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(one) if word.len() > 4 && !one.ends_with(['s', 'u', 'i']) => one.to_owned(),
        _ => word.to_owned(),
    }
}

/// The common subject of the fixes of some files.
struct Subject<'p> {
    files: Vec<&'p str>,
    term: String,
    /// All fixes of the files, and those about the subject.
    all: BTreeSet<usize>,
    about: BTreeSet<usize>,
}

fn subject<'p>(
    path: &'p str,
    at: &[usize],
    fixes: &[Fix<'_>],
    frequency: &HashMap<String, usize>,
) -> Option<Subject<'p>> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for fix in at {
        for term in &fixes[*fix].terms {
            *count.entry(term).or_default() += 1;
        }
    }
    let outside = fixes.len().saturating_sub(at.len()).max(1) as f64;
    let fits = |(term, here): &(&str, usize)| {
        let share = *here as f64 / at.len() as f64;
        let elsewhere = (frequency.get(*term).copied().unwrap_or(0).saturating_sub(*here)) as f64;
        // One more elsewhere, so that rare words are not infinitely distinctive.
        let lift = share / ((elsewhere + 1.0) / (outside + 1.0));
        let least = if term.contains(' ') { MIN_SHARE } else { MIN_WORD_SHARE };
        *here >= MIN_ABOUT && share >= least && lift >= MIN_LIFT
    };
    let best = count.into_iter().filter(fits);
    // A pair of words says more than one of them.
    let (term, _) =
        best.max_by_key(|(term, here)| (*here + usize::from(term.contains(' ')), *term))?;
    let about = at.iter().copied().filter(|fix| fixes[*fix].terms.contains(term)).collect();
    let all = at.iter().copied().collect();
    Some(Subject { files: vec![path], term: term.to_owned(), all, about })
}

/// Merges the subjects of files that the same fixes are about.
fn merged(found: Vec<Subject<'_>>) -> Vec<Subject<'_>> {
    let mut groups: Vec<Subject<'_>> = Vec::new();
    for subject in found {
        let same = groups.iter_mut().find(|group| {
            let both = group.about.intersection(&subject.about).count();
            both * 2 >= group.about.len().min(subject.about.len())
                && (group.term == subject.term || both * 4 >= group.about.len() * 3)
        });
        match same {
            Some(group) => {
                group.files.extend(subject.files);
                if subject.term == group.term {
                    group.all.extend(subject.all);
                    group.about.extend(subject.about);
                }
            }
            None => groups.push(subject),
        }
    }
    groups.retain(|group| group.files.len() <= QUOTED);
    groups
}

fn lesson(past: &Past, fixes: &[Fix<'_>], subject: &Subject<'_>) -> Lesson {
    let (about, all) = (subject.about.len(), subject.all.len());
    let newest: Vec<&PastCommit> =
        subject.about.iter().rev().map(|fix| fixes[*fix].commit).collect();
    let examples: Vec<String> = newest
        .iter()
        .take(QUOTED)
        .map(|commit| format!("{} ({})", quoted(commit.subject(), MAX_SUBJECT), commit.short_id()))
        .collect();
    let files: Vec<String> = subject.files.iter().map(|file| code(file)).collect();
    let files = files.join(" and ");
    let share = about as f64 / all.max(1) as f64;
    let last = past.commits.iter().map(|commit| commit.at).max().unwrap_or(0);
    let age =
        newest.first().map_or(0, |commit| last - commit.at).max(0) as f64 / (4.0 * 31_557_600.0);
    Lesson {
        kind: LessonKind::Fixes,
        key: format!("{} {}", subject.files[0], subject.term),
        title: format!("Fixes in {} are often about {}", subject.files[0], subject.term),
        content: format!(
            "{about} of {all} fixes in {files} are about “{}”: {}. Check that case after a change.",
            subject.term,
            examples.join(", ")
        ),
        details: None,
        files: subject.files.iter().map(|file| (*file).to_owned()).collect(),
        commits: newest.iter().take(8).map(|commit| commit.id.clone()).collect(),
        sources: Vec::new(),
        confidence: CONFIDENCE + (share - MIN_SHARE).clamp(0.0, 0.3) * 0.5,
        worth: share * (about as f64).sqrt() * (-age).exp2(),
    }
}

/// Returns true for files with code; fixes of others are corrections of texts.
fn is_code(path: &str) -> bool {
    const TEXTS: [&str; 18] = [
        "md", "rst", "txt", "adoc", "po", "pot", "lock", "json", "yml", "yaml", "toml", "xml",
        "html", "css", "svg", "sgml", "texi", "in",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_test = path.to_lowercase().split(['/', '.', '_', '-']).any(|part| {
        matches!(
            part,
            "test" | "tests" | "spec" | "specs" | "doc" | "docs" | "examples" | "example"
        )
    });
    !extension.is_empty() && !TEXTS.contains(&extension) && !is_test
}

/// Words that any fix may use.
const GENERIC: &[&str] = &[
    "about",
    "access",
    "actual",
    "actually",
    "added",
    "adding",
    "after",
    "again",
    "against",
    "all",
    "allow",
    "allowed",
    "already",
    "also",
    "always",
    "and",
    "another",
    "any",
    "api",
    "applied",
    "argument",
    "assert",
    "assertion",
    "attempt",
    "avoid",
    "back",
    "bad",
    "based",
    "because",
    "been",
    "before",
    "behavior",
    "behaviour",
    "being",
    "better",
    "between",
    "both",
    "bound",
    "broken",
    "bug",
    "call",
    "called",
    "calling",
    "case",
    "cause",
    "caused",
    "causing",
    "certain",
    "change",
    "changed",
    "changing",
    "check",
    "checking",
    "clean",
    "cleanup",
    "code",
    "commit",
    "condition",
    "correct",
    "correctly",
    "could",
    "crash",
    "crasher",
    "crashing",
    "create",
    "created",
    "creating",
    "current",
    "data",
    "default",
    "defined",
    "different",
    "do",
    "does",
    "doesn't",
    "doing",
    "don't",
    "double",
    "during",
    "each",
    "either",
    "else",
    "empty",
    "ensure",
    "error",
    "even",
    "every",
    "existing",
    "expected",
    "failing",
    "failure",
    "false",
    "field",
    "file",
    "first",
    "fix",
    "fixe",
    "fixed",
    "fixes",
    "fixing",
    "flag",
    "for",
    "found",
    "from",
    "function",
    "getting",
    "handle",
    "handled",
    "handling",
    "have",
    "having",
    "header",
    "incorrect",
    "incorrectly",
    "information",
    "init",
    "initial",
    "initialise",
    "initialize",
    "initialized",
    "input",
    "instead",
    "internal",
    "into",
    "invalid",
    "issue",
    "just",
    "keep",
    "kind",
    "last",
    "leak",
    "length",
    "like",
    "list",
    "logic",
    "longer",
    "loop",
    "made",
    "make",
    "making",
    "many",
    "memory",
    "message",
    "method",
    "might",
    "minor",
    "miss",
    "missing",
    "mode",
    "more",
    "most",
    "multiple",
    "must",
    "name",
    "need",
    "needed",
    "never",
    "newly",
    "non",
    "not",
    "nothing",
    "now",
    "null",
    "number",
    "object",
    "old",
    "once",
    "only",
    "order",
    "other",
    "otherwise",
    "over",
    "overflow",
    "parameter",
    "part",
    "pass",
    "passed",
    "passing",
    "path",
    "place",
    "pointer",
    "possible",
    "potential",
    "potentially",
    "prevent",
    "previous",
    "problem",
    "proper",
    "properly",
    "property",
    "provide",
    "put",
    "race",
    "random",
    "rather",
    "really",
    "reference",
    "regression",
    "related",
    "remove",
    "removed",
    "removing",
    "report",
    "reported",
    "reset",
    "result",
    "return",
    "returned",
    "returning",
    "right",
    "same",
    "second",
    "segfault",
    "select",
    "set",
    "setting",
    "several",
    "should",
    "since",
    "single",
    "size",
    "small",
    "some",
    "something",
    "sometime",
    "special",
    "specific",
    "still",
    "stop",
    "string",
    "structure",
    "such",
    "sure",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "through",
    "time",
    "too",
    "true",
    "type",
    "under",
    "undefined",
    "unless",
    "until",
    "unused",
    "update",
    "updated",
    "usage",
    "use",
    "used",
    "user",
    "using",
    "valid",
    "value",
    "variable",
    "version",
    "very",
    "wasn't",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "will",
    "with",
    "within",
    "without",
    "work",
    "working",
    "would",
    "wrong",
    "wrongly",
    "isn't",
    "free",
    "freeing",
    "line",
    "parse",
    "parsing",
    "read",
    "write",
    "support",
    "supported",
];
