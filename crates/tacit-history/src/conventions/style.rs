//! The form of commit messages.

use std::collections::BTreeMap;

use crate::commit::{Past, PastCommit};
use crate::lesson::{Lesson, LessonKind};
use crate::stated::StatedTexts;
use crate::text::{code, codes, quoted};

/// The number of newest commits that are measured, and the least.
const MEASURED: usize = 100;
const MIN_COMMITS: usize = 50;
/// The share from which on a form is a convention, and that of trailers.
const MIN_SHARE: f64 = 0.9;
const MIN_TRAILER_SHARE: f64 = 0.95;
/// The number of newest commits whose areas are counted, and the most areas that are named.
const AREAS_MEASURED: usize = 300;
const MAX_AREAS: usize = 10;
const MIN_AREA: usize = 3;

/// The form of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// `fix(parser): …`
    Conventional,
    /// `parser: …`
    Area,
    /// `[parser] …`
    Bracketed,
    /// `ABC-12 …`
    Ticket,
    Other,
}

/// Returns the form of commit messages, unless a document describes it.
pub(crate) fn commit_style(past: &Past, stated: &StatedTexts) -> Option<Lesson> {
    const STATED: [&str; 8] = [
        "commit message",
        "commit messages",
        "commit subject",
        "commit subjects",
        "conventional commits",
        "conventional commit",
        "conventionalcommits",
        "commit log",
    ];
    if STATED.iter().any(|phrase| stated.states(phrase)) {
        return None;
    }
    let newest: Vec<&PastCommit> =
        past.commits.iter().rev().filter(is_typed).take(AREAS_MEASURED).collect();
    let measured = &newest[..newest.len().min(MEASURED)];
    if measured.len() < MIN_COMMITS {
        return None;
    }
    let form = common_form(measured);
    let count = measured.iter().filter(|commit| form_of(commit.subject(), form) == form).count();
    let all = measured.len();
    let has_form = form != Form::Other && count as f64 / all as f64 >= MIN_SHARE;
    let signed = trailers(measured, "signed-off-by:");
    let has_sign = signed as f64 / all as f64 >= MIN_TRAILER_SHARE;
    if !has_form && !has_sign {
        return None;
    }
    let mut text = String::new();
    if has_form {
        let shape = match form {
            Form::Conventional => "type(scope): subject",
            Form::Area => "area: subject",
            Form::Bracketed => "[area] subject",
            Form::Ticket | Form::Other => "TICKET-1 subject",
        };
        let case = case_of(measured, form);
        text = format!(
            "{count} of the last {all} commits have subjects of the form {}{case}",
            code(shape)
        );
        let areas = areas(&newest, form);
        if areas.len() > 1 {
            let what = if form == Form::Conventional { "types and scopes" } else { "areas" };
            text.push_str(&format!("; the {what} in use are {}", codes(&areas)));
        }
        let example = measured.iter().find(|commit| form_of(commit.subject(), form) == form)?;
        text.push_str(&format!(". Example: {}.", quoted(example.subject(), 100)));
    }
    if has_sign {
        let gap = if text.is_empty() { "" } else { " " };
        text.push_str(&format!(
            "{gap}{signed} of the last {all} commits are signed off (`git commit -s`)."
        ));
    }
    Some(Lesson {
        kind: LessonKind::CommitStyle,
        key: "commits".to_owned(),
        title: "Form of commit messages".to_owned(),
        content: text,
        details: None,
        files: Vec::new(),
        commits: measured.iter().take(5).map(|commit| commit.id.clone()).collect(),
        sources: Vec::new(),
        confidence: 0.8,
        worth: 1.0,
    })
}

/// Returns the form of most subjects.
fn common_form(commits: &[&PastCommit]) -> Form {
    let mut forms: BTreeMap<Form, usize> = BTreeMap::new();
    for commit in commits {
        *forms.entry(split(commit.subject()).0).or_default() += 1;
    }
    forms.into_iter().max_by_key(|(_, count)| *count).map_or(Form::Other, |(form, _)| form)
}

/// Returns the form of a subject where most have another: among areas, `docs` and `test` are areas.
fn form_of(subject: &str, common: Form) -> Form {
    match split(subject) {
        (Form::Conventional, area, _) if common == Form::Area && !area.contains('(') => Form::Area,
        (form, ..) => form,
    }
}

/// Returns true for commits whose subject a person or an agent typed.
fn is_typed(commit: &&PastCommit) -> bool {
    let subject = commit.subject();
    let lower = subject.to_lowercase();
    !(subject.is_empty()
        || lower.starts_with("merge ")
        || lower.starts_with("revert ")
        || lower.starts_with("bump ")
        || lower.starts_with("release ")
        || commit.message.contains("dependabot")
        || commit.message.contains("renovate"))
}

/// Splits a subject into its form, its area and the rest.
fn split(subject: &str) -> (Form, &str, &str) {
    const TYPES: [&str; 12] = [
        "feat", "fix", "docs", "chore", "refactor", "test", "tests", "build", "ci", "perf",
        "style", "revert",
    ];
    if let Some((head, rest)) = subject.split_once(": ") {
        let kind = head.trim_end_matches('!').split('(').next().unwrap_or(head);
        if TYPES.contains(&kind) {
            return (Form::Conventional, head.trim_end_matches('!'), rest);
        }
        let is_area = |c: char| c.is_alphanumeric() || "-_./+*,{}() ".contains(c);
        if head.len() <= 40 && head.split_whitespace().count() <= 3 && head.chars().all(is_area) {
            return (Form::Area, head, rest);
        }
    }
    if let Some((head, rest)) = subject.strip_prefix('[').and_then(|text| text.split_once("] ")) {
        return (if is_ticket(head) { Form::Ticket } else { Form::Bracketed }, head, rest);
    }
    let first = subject.split([' ', ':']).next().unwrap_or_default();
    if is_ticket(first) {
        return (Form::Ticket, first, subject[first.len()..].trim_start_matches([' ', ':']));
    }
    (Form::Other, "", subject)
}

fn is_ticket(word: &str) -> bool {
    word.split_once('-').is_some_and(|(name, number)| {
        name.len() > 1
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns words about the first letter after the area, if nearly all subjects agree.
fn case_of(commits: &[&PastCommit], form: Form) -> &'static str {
    let of_form = commits.iter().filter(|commit| form_of(commit.subject(), form) == form);
    let first: Vec<char> = of_form
        .map(|commit| split(commit.subject()))
        .filter_map(|(_, _, rest)| rest.chars().next().filter(|c| c.is_alphabetic()))
        .collect();
    let lower = first.iter().filter(|c| c.is_lowercase()).count() as f64;
    match lower / first.len().max(1) as f64 {
        share if share >= MIN_SHARE => ", in lower case",
        share if share <= 1.0 - MIN_SHARE => ", with a capital letter after the prefix",
        _ => "",
    }
}

/// Returns the areas that are used repeatedly, most frequent first.
fn areas(commits: &[&PastCommit], form: Form) -> Vec<String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for commit in commits {
        let (_, area, _) = split(commit.subject());
        if form_of(commit.subject(), form) == form && form != Form::Ticket {
            *count.entry(area).or_default() += 1;
        }
    }
    let mut areas: Vec<(&str, usize)> =
        count.into_iter().filter(|(_, count)| *count >= MIN_AREA).collect();
    areas.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    areas.truncate(MAX_AREAS);
    areas.into_iter().map(|(area, _)| area.to_owned()).collect()
}

fn trailers(commits: &[&PastCommit], key: &str) -> usize {
    let has = |commit: &&&PastCommit| commit.body().to_lowercase().contains(key);
    commits.iter().filter(has).count()
}
