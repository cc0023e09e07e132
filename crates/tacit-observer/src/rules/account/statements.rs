//! Finds the sentences of a message that state a cause, a rule or a lesson.
//!
//! A sentence is scored by its label ("Root cause: …"), by how it connects things ("because",
//! "doesn't …, so …", "must"), and by what it names. Reports of what was done, offers, questions and
//! sentences that need the conversation lose.

use super::lines::{Line, labelled_lines, sentences};
use super::words::{
    ADDRESSES, CAUSES, CONSEQUENCES, CONVERSATION, DENIALS, DUTIES, LEAD_INS, LIMITS, Label,
    NAMED_CAUSES, OBLIGATIONS, OCCASIONS, OWN_ACTIONS, PASSES, PAST, POINTERS, REPORTS, RESULTS,
    RULES,
};

/// Score from which on a sentence is an account.
const MIN_SCORE: f64 = 2.0;
/// Bounds on the number of words in a sentence.
const MIN_WORDS: usize = 10;
const MIN_LABELLED_WORDS: usize = 5;
const MIN_EXPLAINED_WORDS: usize = 7;
const MAX_WORDS: usize = 60;
/// Maximum length of the whole account, in characters.
const MAX_ACCOUNT: usize = 420;
/// Longer messages are read at the end only, in bytes.
const MAX_MESSAGE: usize = 16 * 1024;

/// A sentence with the label of its line.
struct Statement<'a> {
    label: Option<Label>,
    /// True if the label stands right before the sentence.
    is_labelled: bool,
    line: usize,
    text: &'a str,
}

/// An account of a cause, a rule or a lesson.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Account {
    /// The account as a text that stands alone.
    pub(super) text: String,
    /// The sentence it rests on, as the agent wrote it.
    pub(super) quote: String,
    /// True if the agent called it a lesson.
    pub(super) is_lesson: bool,
    /// True if the agent named the cause of a problem as such.
    pub(super) names_cause: bool,
    /// True if it states a duty or a limit that had consequences, and needs no other sentence.
    pub(super) stands_alone: bool,
    /// True if it describes a problem that the agent was about to solve.
    pub(super) is_problem: bool,
}

/// Returns the best account in a message.
pub(super) fn account(message: &str) -> Option<Account> {
    let start = message.len().saturating_sub(MAX_MESSAGE);
    let message = &message[message.ceil_char_boundary(start)..];
    let lines = labelled_lines(message);
    let statements = statements(&lines);
    let (best, _) = statements
        .iter()
        .enumerate()
        .map(|(index, statement)| (index, score(statement)))
        .filter(|(_, score)| *score >= MIN_SCORE)
        .fold(None, |best: Option<(usize, f64)>, (index, score)| match best {
            Some((_, most)) if most >= score => best,
            _ => Some((index, score)),
        })?;
    let main = &statements[best];
    let text = compose(&statements, best);
    let names_cause = main.label == Some(Label::Cause) || contains_any(main.text, &NAMED_CAUSES);
    let is_problem = main.label == Some(Label::Cause) || contains_any(main.text, &CAUSES);
    Some(Account {
        // A failed attempt solves nothing.
        is_problem: is_problem && !text.contains(" Fix: ") && !text.starts_with("Tried "),
        is_lesson: main.label == Some(Label::Lesson),
        names_cause,
        stands_alone: stands_alone(main.text),
        quote: main.text.to_owned(),
        text,
    })
}

/// Returns true if a sentence states a duty, or a limit and what it led to, without pointing to
/// another sentence.
fn stands_alone(text: &str) -> bool {
    let has = |phrases: &[&str]| contains_any(text, phrases);
    let led_to_failure = has(&LIMITS) && has(&CONSEQUENCES) && has(&PAST);
    (has(&OBLIGATIONS) || led_to_failure) && !uses_word(text, &POINTERS)
}

/// Returns the sentences of a message, without markup, headings and code.
pub(crate) fn message_sentences(message: &str) -> Vec<String> {
    let start = message.len().saturating_sub(MAX_MESSAGE);
    let lines = labelled_lines(&message[message.ceil_char_boundary(start)..]);
    lines.iter().flat_map(|line| sentences(&line.text)).map(str::to_owned).collect()
}

/// Joins the sentence with those that complete it: the rest of a labelled line, a consequence, and
/// the fix.
fn compose(statements: &[Statement<'_>], best: usize) -> String {
    let main = &statements[best];
    let mut text = sentence(without_lead_in(main.text));
    for next in &statements[best + 1..] {
        let continues = next.line == main.line
            && (main.label.is_some() || begins_with_any(next.text, &["so ", "this ", "that "]))
            && !is_report(next.text)
            && !speaks_to_user(next.text);
        if !continues || text.chars().count() + next.text.chars().count() > MAX_ACCOUNT {
            break;
        }
        text.push(' ');
        text.push_str(&sentence(next.text));
    }
    let fix = statements.iter().skip(best + 1).find(|other| {
        other.is_labelled && other.label == Some(Label::Fix) && !speaks_to_user(other.text)
    });
    if let Some(fix) = fix.filter(|_| main.label != Some(Label::Fix))
        && text.chars().count() + fix.text.chars().count() + 5 <= MAX_ACCOUNT
    {
        text.push_str(" Fix: ");
        text.push_str(&sentence(fix.text));
    }
    text
}

fn begins_with_any(text: &str, starts: &[&str]) -> bool {
    let lower = text[..text.floor_char_boundary(20)].to_lowercase();
    starts.iter().any(|start| lower.starts_with(start))
}

/// Removes the words that only announce the cause.
fn without_lead_in(text: &str) -> &str {
    let lower = text.to_lowercase();
    LEAD_INS
        .iter()
        .find(|lead| lower.starts_with(*lead))
        .and_then(|lead| text.get(lead.len()..))
        .unwrap_or(text)
}

/// Capitalises a sentence and ends it with a full stop.
fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches([':', ';', ',']);
    let mut chars = text.chars();
    let mut whole: String =
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect());
    if !whole.ends_with(['.', '!', '?', '。', '…']) {
        whole.push('.');
    }
    whole
}

fn statements(lines: &[Line]) -> Vec<Statement<'_>> {
    let mut all = Vec::new();
    for (line, Line { label, is_labelled, text }) in lines.iter().enumerate() {
        for (index, text) in sentences(text).into_iter().enumerate() {
            let is_labelled = *is_labelled && index == 0;
            let text = without_own_action(attempt(text).unwrap_or(text));
            all.push(Statement { label: *label, is_labelled, line, text });
        }
    }
    all
}

/// Returns an attempt that failed without the agent: "I tried `x`, but …", "I tried `x` … because …".
fn attempt(text: &str) -> Option<&str> {
    let fails = [" because ", ", but ", " since "].iter().any(|word| text.contains(word));
    let own = text.strip_prefix("I ").filter(|rest| fails && rest.starts_with("tried "));
    own.or_else(|| text.strip_prefix("I first ").filter(|rest| fails && rest.starts_with("tried ")))
}

/// Removes the clause at the end of a sentence in which the agent says what it did about the matter.
fn without_own_action(text: &str) -> &str {
    let end = OWN_ACTIONS.iter().filter_map(|clause| text.find(clause)).min();
    text[..end.unwrap_or(text.len())].trim_end()
}

fn score(statement: &Statement<'_>) -> f64 {
    let text = statement.text;
    let words = text.split_whitespace().count();
    let is_wide = text.chars().filter(|c| *c >= '\u{2e80}').count() > 8;
    let has = |phrases: &[&str]| contains_any(text, phrases);
    let has_consequence = has(&CONSEQUENCES);
    let least = match statement.is_labelled {
        true => MIN_LABELLED_WORDS,
        // A limit with its consequence is an explanation, however short.
        false if has_consequence && has(&RULES) => MIN_EXPLAINED_WORDS,
        false => MIN_WORDS,
    };
    let is_lesson = statement.is_labelled && statement.label == Some(Label::Lesson);
    if (words < least && !is_wide)
        || words > MAX_WORDS
        || text.ends_with(['?', ':', '？', '：'])
        || !(names_something(text) || statement.label == Some(Label::Lesson))
        // A lesson may speak to the next agent.
        || (speaks_to_user(text) && !is_lesson)
    {
        return 0.0;
    }
    let share = if statement.is_labelled { 1.0 } else { 0.6 };
    let mut score = match statement.label {
        Some(Label::Lesson) => 4.0 * share,
        Some(Label::Cause) => 3.0 * share,
        Some(Label::Note) => 2.0 * share,
        Some(Label::Fix) => share,
        None => 0.0,
    };
    if has(&CAUSES) {
        score += 2.0;
    }
    if has(&RULES) {
        score += 2.0;
    } else if has(&DENIALS) {
        score += 1.0;
    }
    if has(&DENIALS) && has_consequence {
        score += 1.5;
    }
    if is_report(text) || has(&RESULTS) {
        score -= 2.5;
    }
    if uses_word(text, &CONVERSATION) {
        score -= 0.5;
    }
    score
}

fn contains_any(text: &str, phrases: &[&str]) -> bool {
    let lower = format!(" {} ", text.to_lowercase().replace('’', "'"));
    phrases.iter().any(|phrase| lower.contains(phrase))
}

fn is_report(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric() && c != '`');
    let first = first.to_lowercase().replace('’', "'");
    let lower = text[..text.floor_char_boundary(60)].to_lowercase();
    REPORTS.contains(&first.as_str()) || PASSES.iter().any(|phrase| lower.contains(phrase))
}

fn speaks_to_user(text: &str) -> bool {
    let text =
        &if states_duty(text) { text.replacen(" you ", " one ", 1) } else { text.to_owned() };
    uses_word(text, &ADDRESSES)
}

/// Returns true if a sentence says what anybody has to do, and when: "you have to run it before …".
fn states_duty(text: &str) -> bool {
    contains_any(text, &DUTIES) && contains_any(text, &OCCASIONS)
}

fn uses_word(text: &str, words: &[&str]) -> bool {
    outside_code(text)
        .to_lowercase()
        .replace('’', "'")
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .any(|word| words.contains(&word))
}

fn outside_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns true if a text names code: in backticks, or an identifier, a flag, a file or a constant.
fn names_something(text: &str) -> bool {
    let in_code = text.split('`').nth(1).is_some_and(|code| code.trim().len() > 1);
    in_code || text.split_whitespace().any(is_name)
}

/// Returns true if a word looks like a name from code.
pub(crate) fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '/');
    let inner_capital = word
        .chars()
        .skip(1)
        .zip(word.chars())
        .any(|(c, before)| c.is_ascii_uppercase() && before.is_ascii_lowercase());
    let is_constant = word.len() >= 3
        && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        && word.chars().any(|c| c.is_ascii_uppercase());
    let is_file = word.rsplit_once('.').is_some_and(|(stem, ending)| {
        stem.len() > 1
            && (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && !ending.bytes().all(|byte| byte.is_ascii_digit())
    });
    inner_capital
        || is_constant
        || is_file
        || (word.starts_with("--") && word.len() > 3)
        || (word.contains('_') && word.len() > 3)
}

#[cfg(test)]
mod tests;
