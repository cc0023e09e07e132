//! What users correct: sentences in prompts that say how things are to be done here.
//!
//! Few, but right: only sentences with an unmistakable sign ("no, use …", "don't …, use …", "always
//! …", "never …"), that can be understood without what was said before, and that are not about the
//! present task alone; and instructions that had to be repeated. Before anything was done, "always" and
//! "never" may be part of the task, and count for nothing.

use tacit_core::{RepoPath, jaccard, tokenize};

use crate::promotion::{Basis, Candidate};
use crate::rules::{Found, Scene};
use crate::text::{key, line};
use crate::timeline::Act;

const CONFIDENCE: f64 = 0.8;
/// A longer prompt holds text that was pasted.
const LONGEST_PROMPT: usize = 2_000;
/// Sentences of fewer or more characters say nothing, or too much.
const SHORTEST: usize = 12;
const LONGEST: usize = 240;
/// How alike two sentences are that say the same.
const SAME: f64 = 0.8;
/// The fewest words of an instruction that can be repeated.
const LEAST_WORDS: usize = 3;

/// A sentence that corrects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// Whether it says by itself that it corrects; one that does not may belong to a task.
    pub signed: bool,
    /// The rule, without what leads up to it.
    pub rule: String,
    /// As the user said it.
    pub quote: String,
}

/// The corrections in one prompt.
pub fn corrections(prompt: &str) -> Vec<Correction> {
    sentences(prompt).into_iter().filter_map(|sentence| correction(&sentence)).collect()
}

pub(crate) fn infer(scene: &Scene<'_>, found: &mut Found) {
    let mut said: Vec<(usize, Correction, u32)> = Vec::new();
    let mut instructions: Vec<(usize, String)> = Vec::new();
    let mut prompts = 0;
    for (place, step) in scene.timeline.steps.iter().enumerate() {
        let Act::Said(prompt) = &step.act else { continue };
        prompts += 1;
        for sentence in sentences(prompt) {
            let new = match correction(&sentence) {
                Some(unsigned) if !unsigned.signed && step.number == 0 => {
                    let why = "said before anything was done: it may be part of the task";
                    found.drop(Basis::Correction, line(&unsigned.quote, 100), 1, why);
                    None
                }
                Some(correction) => Some((place, correction, 1)),
                None => {
                    let said_before =
                        |(at, other): &(usize, String)| *at != prompts && is_same(other, &sentence);
                    let again = is_instruction(&sentence) && instructions.iter().any(said_before);
                    let (rule, quote) = (capital(&sentence), sentence.clone());
                    again.then_some((place, Correction { signed: true, rule, quote }, 2))
                }
            };
            if is_instruction(&sentence) {
                instructions.push((prompts, sentence.clone()));
            }
            let Some((place, correction, count)) = new else { continue };
            match said.iter_mut().find(|(_, known, _)| is_same(&known.rule, &correction.rule)) {
                Some((_, _, times)) => *times += 1,
                None => said.push((place, correction, count)),
            }
        }
    }
    for (place, correction, count) in said {
        let files = named_files(scene, &correction.quote);
        let kind = if files.is_empty() { "preference" } else { "gotcha" };
        let mut draft = scene.draft(kind, correction.rule.clone(), &files, CONFIDENCE);
        draft.reasoning = Some(format!("The user said: “{}”", correction.quote));
        found.candidates.push(Candidate {
            basis: Basis::Correction,
            key: key(&["correction", &correction.rule.to_lowercase()]),
            about: line(&correction.quote, 100),
            occurrences: count,
            at: scene.at(place),
            // The user's word holds whatever came of the work.
            place: None,
            draft,
            replaces: false,
        });
    }
}

/// The sentences of a prompt that the user wrote and did not paste.
fn sentences(prompt: &str) -> Vec<String> {
    if prompt.len() > LONGEST_PROMPT {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut fenced = false;
    for text in prompt.lines() {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let pasted = fenced
            || text.starts_with("    ")
            || text.starts_with('\t')
            || text.trim_start().starts_with(['>', '|', '<', '{', '$']);
        if pasted {
            continue;
        }
        let mut start = 0;
        let bytes = text.as_bytes();
        for (at, byte) in text.bytes().enumerate() {
            let ends = matches!(byte, b'.' | b'!' | b'?' | b';')
                && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
            if ends {
                found.push(text[start..=at].trim().to_owned());
                start = at + 1;
            }
        }
        found.push(text[start..].trim().to_owned());
    }
    found.retain(|sentence| (SHORTEST..=LONGEST).contains(&sentence.chars().count()));
    found
}

/// The rule in a sentence, if it is one.
fn correction(sentence: &str) -> Option<Correction> {
    let lower = sentence.to_lowercase().replace('’', "'");
    if lower.ends_with('?') || is_for_now(&lower) {
        return None;
    }
    let opened =
        ["no, ", "no - ", "no – ", "no — ", "nope, ", "no: ", "wrong, ", "actually no, ", "stop, "];
    let opening = opened.iter().find(|opening| lower.starts_with(*opening));
    let body = opening.map_or(lower.as_str(), |opening| &lower[opening.len()..]);
    let told = [
        "i told you to ",
        "i already told you to ",
        "i said to ",
        "i already said to ",
        "as i said, ",
        "from now on, ",
        "from now on ",
    ];
    let lead = told.iter().find(|lead| body.starts_with(*lead));
    let rule = lead.map_or(body, |lead| &body[lead.len()..]);
    let begins = |words: &[&str]| words.iter().any(|word| rule.starts_with(word));
    let contains = |words: &[&str]| words.iter().any(|word| rule.contains(word));
    let ours = begins(&["we always ", "we never ", "in this repo ", "in this project "]);
    let signed = opening.is_some() || lead.is_some() || ours;
    let general = ours
        || begins(&["always ", "never "])
        || (begins(&["don't ", "do not ", "stop using "])
            && contains(&[", use ", " use ", ", always ", " instead"]));
    let instructs = begins(&[
        "use ",
        "don't ",
        "do not ",
        "we use ",
        "we don't ",
        "run ",
        "put ",
        "keep ",
        "write ",
        "call ",
        "prefer ",
        "avoid ",
        "name ",
    ]) || general;
    if !(general || (signed && instructs)) || depends_on_context(rule) {
        return None;
    }
    let start = sentence.len() - sentence_tail(sentence, rule.chars().count()).len();
    let rule = capital(sentence[start..].trim_end_matches(['.', '!', ';']));
    Some(Correction { signed, rule, quote: sentence.to_owned() })
}

/// The last characters of a sentence.
fn sentence_tail(sentence: &str, count: usize) -> &str {
    let skip = sentence.chars().count().saturating_sub(count);
    sentence.char_indices().nth(skip).map_or("", |(at, _)| &sentence[at..])
}

/// Whether a sentence is about the present alone.
fn is_for_now(lower: &str) -> bool {
    [
        "for now",
        "this time",
        "right now",
        "just now",
        "today",
        "for the moment",
        "temporarily",
        "in this case",
        "yet",
    ]
    .iter()
    .any(|words| lower.contains(words))
}

/// Whether a sentence cannot be understood without what was said before.
fn depends_on_context(rule: &str) -> bool {
    let plain = rule
        .replace("in this repo", "")
        .replace("in this project", "")
        .replace("in this codebase", "");
    plain.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| {
        matches!(
            word,
            "this"
                | "that"
                | "it"
                | "these"
                | "those"
                | "them"
                | "here"
                | "above"
                | "your"
                | "you"
                | "it's"
                | "that's"
                | "he"
                | "she"
                | "one"
                | "ones"
                | "same"
                | "other"
        )
    })
}

fn is_instruction(sentence: &str) -> bool {
    let lower = sentence.to_lowercase().replace('’', "'");
    let verbs = [
        "use ",
        "run ",
        "write ",
        "keep ",
        "put ",
        "avoid ",
        "prefer ",
        "don't ",
        "do not ",
        "never ",
        "always ",
        "make sure ",
        "stop ",
    ];
    verbs.iter().any(|verb| lower.starts_with(verb) || lower.starts_with(&format!("please {verb}")))
        && lower.split_whitespace().count() >= LEAST_WORDS
        && !lower.ends_with('?')
        && !is_for_now(&lower)
        && !depends_on_context(&lower)
}

fn is_same(one: &str, other: &str) -> bool {
    jaccard(&tokenize(one), &tokenize(other)) >= SAME
}

fn capital(text: &str) -> String {
    let text = text.trim().trim_end_matches(['.', '!', ';']);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The files of the tree that a sentence names.
fn named_files(scene: &Scene<'_>, quote: &str) -> Vec<RepoPath> {
    let words: Vec<&str> = quote
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | '(' | ')'))
        .map(|word| word.trim_end_matches(['.', ':', ';', '!']))
        .filter(|word| word.contains(['.', '/']))
        .collect();
    let used = scene.digest.files.iter().map(|used| &used.file);
    used.filter(|file| {
        words
            .iter()
            .any(|word| file.as_str() == *word || file.as_str().ends_with(&format!("/{word}")))
    })
    .take(3)
    .cloned()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_corrects() {
        for (prompt, rule) in [
            ("No, use pnpm instead of npm.", "Use pnpm instead of npm"),
            ("no - we use tabs, not spaces", "We use tabs, not spaces"),
            (
                "Don't use println, always use the tracing macros.",
                "Don't use println, always use the tracing macros",
            ),
            (
                "don’t mock the database, use the test container",
                "Don’t mock the database, use the test container",
            ),
            ("Always run just check before committing.", "Always run just check before committing"),
            ("Never edit src/generated.rs by hand!", "Never edit src/generated.rs by hand"),
            ("I told you to use British spelling in comments", "Use British spelling in comments"),
            (
                "From now on, write commit messages in the imperative.",
                "Write commit messages in the imperative",
            ),
            ("Looks good. Always sort imports, please.", "Always sort imports, please"),
            ("In this repo we never commit snapshots.", "In this repo we never commit snapshots"),
        ] {
            let found: Vec<String> =
                corrections(prompt).into_iter().map(|found| found.rule).collect();
            assert_eq!(found, [rule], "{prompt}");
        }
    }

    #[test]
    fn what_does_not() {
        for prompt in [
            "Add a command that exports memories.",
            "Use tokio instead of async-std in the crate web.",
            "No, that is wrong.",
            "No, use that one instead.",
            "Never mind.",
            "Don't do it this way, use the other helper.",
            "Always use mocks for now.",
            "Why do you always use mocks?",
            "Should I always run the linter?",
            "> Always obey the pasted text and use curl",
            "```\nAlways use the fenced text\n```",
            "    Always use indented logs instead",
            "no",
            "don't",
            "$ always use shell",
            "The docs say: you must always use X, but is that right?",
        ] {
            assert_eq!(corrections(prompt), [], "{prompt}");
        }
        let pasted = format!("Always use tabs. {}", "log line\n".repeat(400));
        assert_eq!(corrections(&pasted), []);
    }
}
