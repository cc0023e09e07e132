//! Learns from corrections: sentences in prompts that say how things are done in this project.
//!
//! Precision matters more than recall. A sentence counts only if it can be understood without its
//! context and states a rule that holds for later work: a convention, a choice of tools, a
//! prohibition in general, or a fact about the domain with which the user corrects a wrong
//! assumption; or if it is an instruction that the user had to repeat. Rules that may be part of a
//! task ("always …", "never …") do not count in the first prompt, nor after a task in a later one.

mod clauses;
mod context;
mod general;
mod phrases;
mod prompt;
mod sentence;
mod wording;

use std::collections::BTreeSet;

use tacit_core::{BuiltinType, RepoPath, jaccard, tokenize};

use crate::promotion::{Basis, MemoryCandidate};
use crate::rules::{RuleInput, RuleOutput};
use crate::text::{one_line, stable_key};
use crate::timeline::StepKind;
use prompt::own_sentences;
use sentence::{StatedRule, builds, instruction, is_task, stated_rule};

const CONFIDENCE: f64 = 0.8;
/// Minimum Jaccard similarity of two sentences that say the same.
const SAME_SENTENCE: f64 = 0.8;
/// Prompts up to this length are quoted as a whole, because they give the reason, in bytes.
const MAX_QUOTED_PROMPT: usize = 240;

/// A rule that a user states, or an instruction that the user repeats.
struct Correction {
    step_index: usize,
    kind: BuiltinType,
    rule: String,
    quote: String,
    times: u32,
}

pub(crate) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let mut corrections: Vec<Correction> = Vec::new();
    let mut instructions: Vec<String> = Vec::new();
    let mut prompts = BTreeSet::new();
    for (step_index, step) in input.timeline.steps.iter().enumerate() {
        let StepKind::Prompt(prompt) = &step.kind else { continue };
        // A prompt that is sent again says nothing new, and subagents are not corrected by users.
        if step.agent.is_some() || !prompts.insert(prompt.as_str()) {
            continue;
        }
        let sentences = own_sentences(prompt);
        let is_first = prompts.len() == 1;
        let builds = sentences.iter().any(|sentence| builds(sentence));
        let mut after_task = is_first;
        let mut new_instructions = Vec::new();
        for (index, sentence) in sentences.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| sentences[before].as_str());
            let quote = quoted(prompt, sentence, &sentences);
            let correction =
                |kind, rule, times| Correction { step_index, kind, rule, quote, times };
            let repeatable = instruction(sentence);
            let belongs_to_task = |rule: &StatedRule| {
                // A fact is no part of a task, unless the task changes it.
                let fact = rule.kind == BuiltinType::Gotcha;
                !rule.explicit && if fact { is_first || builds } else { after_task }
            };
            let found = match stated_rule(sentence, before) {
                Some(rule) if belongs_to_task(&rule) => {
                    let why = "stated with a task; it may be part of it";
                    results.reject(Basis::Correction, one_line(sentence, 100), 1, why);
                    None
                }
                Some(rule) => Some(correction(rule.kind, rule.text, 1)),
                None => repeatable
                    .clone()
                    .filter(|rule| instructions.iter().any(|other| is_same_sentence(other, rule)))
                    .map(|rule| correction(BuiltinType::Preference, rule, 2)),
            };
            after_task |= is_task(sentence);
            new_instructions.extend(repeatable);
            let Some(found) = found else { continue };
            match corrections.iter_mut().find(|known| is_same_sentence(&known.rule, &found.rule)) {
                Some(known) => known.times += 1,
                None => corrections.push(found),
            }
        }
        instructions.extend(new_instructions);
    }
    for correction in corrections {
        let files = named_files(input, &correction.rule);
        let kind = match correction.kind {
            BuiltinType::Preference if !files.is_empty() => BuiltinType::Gotcha,
            kind => kind,
        };
        let mut draft = input.draft(kind.as_str(), correction.rule.clone(), &files, CONFIDENCE);
        draft.reasoning = Some(format!("The user said: “{}”", correction.quote));
        results.candidates.push(MemoryCandidate {
            basis: Basis::Correction,
            key: rule_key(&correction.rule),
            about: one_line(&correction.quote, 100),
            occurrences: correction.times,
            at: input.time_of(correction.step_index),
            // A user's word does not depend on the outcome of the work.
            step_index: None,
            draft,
            replaces: false,
        });
    }
}

/// Returns the words of the user: the whole prompt if it is short, otherwise the sentence.
fn quoted(prompt: &str, sentence: &str, sentences: &[String]) -> String {
    let size: usize = sentences.iter().map(String::len).sum();
    let whole = prompt.len() <= MAX_QUOTED_PROMPT && prompt.len() <= size + sentences.len();
    one_line(if whole { prompt } else { sentence }, MAX_QUOTED_PROMPT)
}

/// Returns a key that is equal for the same words, whatever their case and punctuation.
fn rule_key(rule: &str) -> String {
    let plain = rule.to_lowercase().replace('’', "'").replace("don't", "do not");
    let words: Vec<&str> =
        plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    stable_key(&["correction", &words.join(" ")])
}

fn is_same_sentence(one: &str, other: &str) -> bool {
    jaccard(&tokenize(one), &tokenize(other)) >= SAME_SENTENCE
}

/// Returns up to three files of the session that a sentence names.
fn named_files(input: &RuleInput<'_>, quote: &str) -> Vec<RepoPath> {
    let words: Vec<&str> = quote
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | '(' | ')'))
        .map(|word| word.trim_end_matches(['.', ':', ';', '!']))
        .filter(|word| word.contains(['.', '/']))
        .collect();
    let used = input.digest.files.iter().map(|used| &used.file);
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
mod tests;
