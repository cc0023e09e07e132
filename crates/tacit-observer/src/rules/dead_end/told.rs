//! Approaches that the agent says it gave up, where the session shows the same: lines with the name
//! of the approach were written and taken out again.

use tacit_core::RepoPath;

use super::super::RuleInput;
use super::super::account::{is_name, message_sentences};
use super::{Changes, REASONS, has_phrase, quote_sentence};
use crate::code_lines::has_word;
use crate::text::quote;
use crate::timeline::StepKind;

/// Phrases with which agents speak of an earlier attempt.
const ATTEMPTS: [&str; 20] = [
    "first tried",
    "first attempt",
    "first version",
    "first approach",
    "first idea",
    "initial attempt",
    "initial approach",
    "initial version",
    "initially tried",
    "initially used",
    "originally tried",
    "originally used",
    "i tried",
    "tried using",
    "started with",
    "earlier attempt",
    "abandoned",
    "gave up on",
    "backed out",
    "rolled back",
];
/// Phrases that begin the alternative.
const REPLACEMENTS: [&str; 9] = [
    "so instead ",
    "instead, ",
    "instead ",
    "switched to ",
    "went with ",
    "ended up ",
    "settled on ",
    "i reverted that and ",
    "so i ",
];
/// Minimum number of words of an alternative.
const MIN_WORDS: usize = 4;

/// An approach with its reason and the alternative, in the agent's words.
pub(super) struct ToldApproach {
    pub(super) name: String,
    pub(super) file: RepoPath,
    pub(super) why: String,
    pub(super) alternative: String,
    /// The steps that began and ended it.
    pub(super) steps: (usize, usize),
}

/// Returns the approaches that messages of the main conversation tell.
pub(super) fn told_approaches(input: &RuleInput<'_>) -> Vec<ToldApproach> {
    let mut found: Vec<ToldApproach> = Vec::new();
    for (at, step) in input.timeline.steps.iter().enumerate() {
        let StepKind::Message(message) = &step.kind else { continue };
        if step.agent.is_some() {
            continue;
        }
        let sentences = message_sentences(message);
        for (index, sentence) in sentences.iter().enumerate() {
            if !has_phrase(sentence, &ATTEMPTS) {
                continue;
            }
            let Some(approach) = read(input, at, sentence, &sentences[index + 1..]) else {
                continue;
            };
            if found.iter().all(|known| known.name != approach.name) {
                found.push(approach);
            }
        }
    }
    found
}

fn read(
    input: &RuleInput<'_>,
    said_at: usize,
    sentence: &str,
    next: &[String],
) -> Option<ToldApproach> {
    let (name, file, steps) = sentence.split('`').skip(1).step_by(2).find_map(|name| {
        taken_out(input, name, said_at).map(|(file, steps)| (name, file, steps))
    })?;
    let mut reason = sentence.to_owned();
    if !has_phrase(sentence, &REASONS) && !sentence.contains(" but ") {
        let next = next.first().filter(|next| has_phrase(next, &REASONS))?;
        reason = format!("{sentence} {next}");
    }
    let alternative = std::iter::once(sentence)
        .chain(next.iter().take(2).map(String::as_str))
        .find_map(|sentence| alternative(sentence))?;
    Some(ToldApproach {
        name: name.to_owned(),
        file,
        why: format!("the agent said {}", quote_sentence(&reason)),
        alternative: alternative.to_owned(),
        steps,
    })
}

/// Returns the part of a sentence that tells the alternative.
fn alternative(sentence: &str) -> Option<&str> {
    let lower = sentence.to_ascii_lowercase();
    REPLACEMENTS.iter().find_map(|phrase| {
        let at = lower.find(phrase)? + phrase.len();
        let rest = sentence[at..].trim().trim_end_matches('.');
        (!rest.starts_with("of ") && rest.split_whitespace().count() >= MIN_WORDS).then_some(rest)
    })
}

/// Returns the file in which lines with a name were written and taken out again before a step.
fn taken_out(
    input: &RuleInput<'_>,
    name: &str,
    before: usize,
) -> Option<(RepoPath, (usize, usize))> {
    let plain = name.trim_end_matches("()");
    if plain.len() < 4 || !is_name(plain) && !plain.contains(char::is_uppercase) {
        return None;
    }
    let last = plain.rsplit(['.', ':', '/']).next().filter(|last| last.len() > 3)?;
    let mut written: Option<(usize, &RepoPath)> = None;
    let mut removed = None;
    for (at, file, edit) in input.timeline.changes().filter(|(at, ..)| *at < before) {
        match (has_word(&edit.old, last), has_word(&edit.new, last)) {
            (false, true) => (written, removed) = (Some((at, file)), None),
            (true, false) if written.is_some_and(|(_, own)| own == file) => removed = Some(at),
            _ => {}
        }
    }
    let (first, file) = written?;
    let removed = removed.or_else(|| discarded(input, file, first, before))?;
    Some((file.clone(), (first, removed)))
}

/// Returns the step between two others that discarded a file.
fn discarded(input: &RuleInput<'_>, file: &RepoPath, from: usize, to: usize) -> Option<usize> {
    let approaches = input.abandoned_approaches.iter();
    let of_file = approaches.filter(|approach| approach.files.contains(file));
    of_file.map(|approach| approach.last_step).find(|at| (from..to).contains(at))
}

impl ToldApproach {
    pub(super) fn what(&self) -> String {
        format!("{} in {}", quote(&self.name), quote(self.file.as_str()))
    }

    /// Returns true if the changes of another approach have this name.
    pub(super) fn is_in(&self, changes: &Changes<'_>) -> bool {
        changes.names.iter().any(|name| name.contains(&self.name) || self.name.contains(name))
    }
}
