//! The sentence of a message that tells why something was reverted.

mod phrases;

use tacit_core::{sentences, shorten_at_sentence};

use crate::message::paragraphs;
use crate::text::{has_phrase, one_line, words};
use phrases::{
    CAUSES, CHANGING, CONSEQUENCES, GENERIC, HEDGES, INSTRUCTIONS, INTENT, JOINING, PROCESS,
    STATING,
};

/// The most characters of a reason.
const MAX_REASON: usize = 300;
/// The least words of a reason that say something about this project.
const MIN_TELLING: usize = 4;
/// The same for a sentence without a phrase that tells a reason.
const MIN_STATED: usize = 7;
/// The most sentences of a message that are read.
const MAX_SENTENCES: usize = 30;

/// The reason for a revert, and what took the place of the reverted approach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToldReason {
    /// The reason in the words of the message.
    pub(super) why: String,
    /// The sentence that tells what is done instead.
    pub(super) instead: Option<String>,
    /// True if a phrase such as “because” says that it is the reason; otherwise it is the first
    /// statement of the message.
    pub(super) explicit: bool,
}

/// Returns the reason that a revert tells, in the rest of its subject or in its body.
pub(super) fn reason(told: &str, body: &str) -> Option<ToldReason> {
    let mut texts: Vec<String> = paragraphs(body);
    texts.truncate(MAX_SENTENCES);
    let texts: Vec<Vec<&str>> = texts
        .iter()
        .map(|text| sentences(text).into_iter().map(without_consequence).collect())
        .collect();
    let lower = format!("{told} {}", texts.concat().join(" ")).to_lowercase();
    if has_phrase(&lower, PROCESS) || has_phrase(&lower, INSTRUCTIONS) || lower.contains('<') {
        return None;
    }
    let mut said: Vec<(bool, String)> = Vec::new();
    if !told.is_empty() {
        said.push((false, told.to_owned()));
    }
    for paragraph in &texts {
        for sentence in paragraph {
            let (explicit, sentence) = without_template(sentence);
            let sentence = without_place(sentence);
            if !sentence.is_empty() {
                said.push((explicit, sentence.to_owned()));
            }
        }
    }
    said.truncate(MAX_SENTENCES);
    let cause = said.iter().position(|(explicit, sentence)| tells_why(*explicit, sentence));
    let at = cause.or_else(|| {
        // A change log describes the change.
        let is_log = body.lines().any(|line| line.trim_start().starts_with(['*', '(']));
        said.iter().position(|(_, sentence)| !is_log && states(sentence))
    })?;
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
    let why = tidy(&shorten_at_sentence(&why, MAX_REASON));
    Some(ToldReason { why, instead, explicit: cause.is_some() })
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
    let subject = ["as it ", "which "].iter().find(|start| lower.starts_with(**start));
    let completed =
        subject.and_then(|start| why.get(start.len()..)).map(|rest| format!("It {rest}"));
    why = completed.as_deref().unwrap_or(why);
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

/// Returns true for a sentence that tells what is done instead. “Instead of” alone compares, and
/// what would or should be is not done.
fn is_instead(sentence: &str) -> bool {
    const NOT_DONE: [&str; 7] =
        ["would", "should", "might", "end up", "ended up", "ends up", "expected"];
    let lower = sentence.to_lowercase();
    let lower = lower.replace("instead of", "");
    has_phrase(&lower, &["instead", "in favour of", "in favor of"])
        && !has_phrase(&lower, &NOT_DONE)
        && !lower.ends_with('?')
}

/// Removes the clause of a sentence that only says that the commit is reverted.
fn without_consequence(sentence: &str) -> &str {
    let lower = sentence.to_ascii_lowercase();
    let ends = CONSEQUENCES.iter().filter_map(|clause| lower.find(clause)).filter(|at| *at > 0);
    let Some(at) = ends.min() else { return sentence };
    sentence[..at].trim_end_matches([' ', ',', ';', '-'])
}

/// Returns true for a statement about the code that can stand alone. In a revert it is the reason,
/// even without a word that says so.
fn states(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let first = words(&lower).into_iter().next().unwrap_or_default();
    let is_prose = sentence.ends_with('.') && !sentence.contains(['|', '=', '>', '@', '#']);
    is_prose
        && sentence.starts_with(|c: char| c.is_alphabetic())
        && !CHANGING.contains(&first.as_str())
        && has_phrase(&lower, STATING)
        && !has_phrase(&lower, HEDGES)
        && !has_phrase(&lower, INTENT)
        && telling_words(sentence) >= MIN_STATED
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
