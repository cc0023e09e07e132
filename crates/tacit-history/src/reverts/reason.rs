//! The sentence of a message that tells why something was reverted.

use tacit_core::{sentences, shorten_at_sentence};

use crate::message::paragraphs;
use crate::text::{has_phrase, one_line, words};

/// The most characters of a reason.
const MAX_REASON: usize = 300;
/// The least words of a reason that say something about this project.
const MIN_TELLING: usize = 4;
/// The most sentences of a message that are read.
const MAX_SENTENCES: usize = 30;

/// The reason for a revert, and what took the place of the reverted approach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToldReason {
    /// The reason in the words of the message.
    pub(super) why: String,
    /// The sentence that tells what is done instead.
    pub(super) instead: Option<String>,
}

/// Phrases of sentences that tell a reason.
const CAUSES: &[&str] = &[
    "because",
    "since",
    "as it",
    "as this",
    "as the",
    "due to",
    "breaks",
    "broke",
    "broken",
    "break",
    "breaking",
    "causes",
    "caused",
    "cause",
    "causing",
    "fails",
    "failed",
    "fail",
    "failing",
    "failures",
    "regression",
    "regressions",
    "regresses",
    "regressed",
    "crash",
    "crashes",
    "crashing",
    "crashed",
    "deadlock",
    "deadlocks",
    "leak",
    "leaks",
    "hang",
    "hangs",
    "doesn't",
    "does not",
    "didn't",
    "did not",
    "don't",
    "do not",
    "can't",
    "cannot",
    "can not",
    "isn't",
    "is not",
    "wasn't",
    "not supported",
    "wrong",
    "incorrect",
    "invalid",
    "slow",
    "slower",
    "introduces",
    "introduced",
    "results in",
    "leads to",
    "makes",
    "incompatible",
    "unsafe",
    "race",
    "too",
];

/// Phrases of reverts that say nothing about the approach: accidents, and matters of time and
/// process.
const PROCESS: &[&str] = &[
    "accident",
    "accidental",
    "accidentally",
    "by mistake",
    "mistakenly",
    "unintentional",
    "unintentionally",
    "unintended commit",
    "inadvertently",
    "not supposed to",
    "wasn't supposed",
    "not meant to",
    "wasn't meant",
    "didn't mean",
    "wrong branch",
    "wrong commit",
    "wrong patch",
    "wrong version of",
    "oops",
    "premature",
    "prematurely",
    "too early",
    "not ready",
    "not be ready",
    "without review",
    "not reviewed",
    "unreviewed",
    "needs review",
    "more review",
    "freeze",
    "for now",
    "temporarily",
    "temporary",
    "postpone",
    "postponed",
    "not yet",
    "bad merge",
    "merge conflict",
    "duplicate",
    "already applied",
    "applied twice",
    "pushed",
    "discussion",
    "under discussion",
    "more time",
    "after the release",
    "before the release",
    "next release",
    "stable branch",
    "further work",
    "needs work",
    "more work",
    "another approach",
    "don't merge",
    "do not merge",
    "not merge",
    "not to be merged",
    "release branch",
    "release cycle",
    "close to release",
    "close to the release",
    "without asking",
    "asking first",
    "tested on a branch",
];

/// Phrases of sentences that tell what the reverted commit was for, or that it is no longer needed.
const INTENT: &[&str] = &[
    "the reasoning",
    "commit message",
    "the idea",
    "the intention",
    "the intent",
    "the purpose",
    "the motivation",
    "was intended",
    "was supposed",
    "was meant",
    "tried to",
    "not used anymore",
    "no longer used",
    "no longer needed",
    "not needed",
    "not be needed",
    "unused",
    "obsolete",
    "superseded",
    "solved by",
    "is solved",
    "was solved",
    "fixed by",
    "fixed in",
    "properly fixed",
    "cannot reproduce",
    "not reproduce",
    "sorry",
];

/// Words that join a sentence to one before it.
const JOINING: [&str; 7] = ["which ", "because ", "and ", "but ", "so ", "that ", "for "];

/// Phrases with which a text addresses its reader instead of telling a reason.
const INSTRUCTIONS: &[&str] = &[
    "ignore previous",
    "ignore all",
    "disregard",
    "system prompt",
    "assistant",
    "you must",
    "you should",
    "you are",
    "instructions",
    "language model",
    "agents",
    "please run",
    "ai model",
    "execute the following",
];

/// Words that say nothing about what went wrong.
const GENERIC: &[&str] = &[
    "a",
    "an",
    "and",
    "again",
    "all",
    "also",
    "any",
    "apparently",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "break",
    "breaking",
    "breaks",
    "broke",
    "broken",
    "bug",
    "bugs",
    "build",
    "builds",
    "but",
    "by",
    "can",
    "cannot",
    "cause",
    "caused",
    "causes",
    "causing",
    "change",
    "changes",
    "ci",
    "code",
    "commit",
    "commits",
    "compilation",
    "compile",
    "completely",
    "could",
    "did",
    "didn't",
    "do",
    "does",
    "doesn't",
    "due",
    "even",
    "everything",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "failures",
    "fix",
    "fixed",
    "fixes",
    "for",
    "from",
    "has",
    "have",
    "in",
    "introduced",
    "introduces",
    "is",
    "isn't",
    "issue",
    "issues",
    "it",
    "its",
    "just",
    "lots",
    "makes",
    "many",
    "more",
    "need",
    "needed",
    "no",
    "not",
    "now",
    "of",
    "on",
    "one",
    "or",
    "other",
    "patch",
    "problem",
    "problems",
    "really",
    "regression",
    "regressions",
    "revert",
    "reverted",
    "reverting",
    "reverts",
    "seems",
    "several",
    "since",
    "so",
    "some",
    "stuff",
    "test",
    "testing",
    "tests",
    "that",
    "the",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "to",
    "too",
    "up",
    "was",
    "we",
    "were",
    "with",
    "work",
    "works",
    "wrong",
    "previous",
];

/// Returns the reason that a revert tells, in the rest of its subject or in its body.
pub(super) fn reason(told: &str, body: &str) -> Option<ToldReason> {
    let mut texts: Vec<String> = paragraphs(body);
    texts.truncate(MAX_SENTENCES);
    let lower = format!("{told} {}", texts.join(" ")).to_lowercase();
    if has_phrase(&lower, PROCESS) || has_phrase(&lower, INSTRUCTIONS) || lower.contains('<') {
        return None;
    }
    let mut said: Vec<(bool, String)> = Vec::new();
    if !told.is_empty() {
        said.push((false, told.to_owned()));
    }
    for paragraph in &texts {
        for sentence in sentences(paragraph) {
            let (explicit, sentence) = without_template(sentence);
            let sentence = without_place(sentence);
            if !sentence.is_empty() {
                said.push((explicit, sentence.to_owned()));
            }
        }
    }
    said.truncate(MAX_SENTENCES);
    let at = said.iter().position(|(explicit, sentence)| tells_why(*explicit, sentence))?;
    let mut why = said[at].1.clone();
    if let Some((_, next)) = said.get(at + 1)
        && why.chars().count() < 120
        && !is_instead(next)
        && !has_phrase(&next.to_lowercase(), &["i'm", "i", "me", "my", "sorry"])
        && tells_why(false, next)
    {
        why = format!("{} {next}", tacit_core::end_sentence(&why));
    }
    let instead = said.iter().map(|(_, sentence)| sentence).find(|sentence| is_instead(sentence));
    let instead = instead
        .filter(|instead| !why.contains(instead.as_str()))
        .map(|sentence| format!("“{}”", one_line(sentence.trim_end_matches('.'), MAX_REASON)));
    Some(ToldReason { why: tidy(&shorten_at_sentence(&why, MAX_REASON)), instead })
}

/// Returns a reason that can stand alone: without joining words and open brackets.
fn tidy(why: &str) -> String {
    let plain: Vec<&str> = why.split_whitespace().filter(|word| !is_footnote(word)).collect();
    let plain = plain.join(" ");
    let mut why = plain.trim();
    let lower = why.to_lowercase();
    if let Some(joining) = JOINING.iter().find(|joining| lower.starts_with(**joining)) {
        why = why.get(joining.len()..).unwrap_or(why);
    }
    if let Some(at) = why.rfind('(').filter(|at| *at > why.len() / 2 && !why[*at..].contains(')')) {
        why = why[..at].trim_end_matches([' ', ',']);
    }
    one_line(why.trim_end_matches([':', ',', ' ']), MAX_REASON)
}

/// Removes the place at the start of a line of a change log: `lib/a.c (read_all): …`.
fn without_place(sentence: &str) -> &str {
    let Some((place, rest)) = sentence.split_once(": ") else { return sentence };
    let place = place.trim_start_matches(['*', ' ']);
    let (path, name) = place.split_once(" (").unwrap_or((place, ")"));
    let is_path = path.contains(['/', '.']) && !path.contains(' ');
    if is_path && name.ends_with(')') { rest } else { sentence }
}

/// Returns true for marks such as `[1]`.
fn is_footnote(word: &str) -> bool {
    let inner = word.trim_end_matches(['.', ',', ':', ';']).strip_prefix('[');
    let inner = inner.and_then(|word| word.strip_suffix(']'));
    inner.is_some_and(|inner| inner.len() <= 2 && inner.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Removes what a template says before a sentence. Returns true if the template announces a reason.
fn without_template(sentence: &str) -> (bool, &str) {
    const ANNOUNCED: [&str; 4] = ["reason for revert:", "reason for reverting:", "reason:", "why:"];
    let lower = sentence.to_lowercase();
    if let Some(start) = ANNOUNCED.iter().find(|start| lower.starts_with(**start)) {
        return (true, sentence.get(start.len()..).unwrap_or_default().trim());
    }
    if lower.starts_with("this reverts") || lower.starts_with("this commit reverts") {
        // What follows the hash may be the reason.
        let is_hash = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let mut words = sentence.split_inclusive(char::is_whitespace);
        let mut length = 0;
        let hash = words.by_ref().find(|word| {
            length += word.len();
            is_hash(word)
        });
        return match hash {
            Some(_) => (false, after_subject(&sentence[length..])),
            None => (false, ""),
        };
    }
    let is_forge = lower.starts_with("reverts ") && lower.contains(['#', '!']);
    (false, if is_forge { "" } else { sentence })
}

/// Removes a subject in quotes or brackets, as git puts it after a hash.
fn after_subject(rest: &str) -> &str {
    let mut rest = rest.trim_start_matches(['.', ',', ' ', '-', ':']);
    for (open, close) in [('"', '"'), ('(', ')')] {
        if let Some((_, after)) = rest.strip_prefix(open).and_then(|rest| rest.split_once(close)) {
            rest = after.trim_start_matches([')', '.', ',', ' ', '-', ':']);
        }
    }
    if rest.starts_with("and replaces") { "" } else { rest }
}

fn is_instead(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let lower = lower.replace("instead of", "");
    has_phrase(&lower, &["instead", "in favour of", "in favor of"]) && !lower.ends_with('?')
}

fn tells_why(explicit: bool, sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    (explicit || has_phrase(&lower, CAUSES))
        && !has_phrase(&lower, INTENT)
        && !lower.starts_with("note:")
        && !lower.contains("revert \"")
        && !lower.ends_with('?')
        && telling_words(sentence) >= MIN_TELLING
}

/// Returns the number of words that say something about this project.
fn telling_words(sentence: &str) -> usize {
    let is_hash = |word: &str| word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    words(sentence)
        .iter()
        .filter(|word| word.len() > 1 && !GENERIC.contains(&word.as_str()) && !is_hash(word))
        .count()
}
