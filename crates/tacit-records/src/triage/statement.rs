//! Statements that stand on their own: a claim, and the reason that is given for it.

use std::collections::BTreeSet;

use tacit_core::{sentences, tokenize};

use super::lexicon::Lexicon;
use super::{SessionLine, Speaker, phrases};
use crate::category::RecordCategory;

/// Bounds on the length of a statement, in words.
const WORDS: std::ops::RangeInclusive<usize> = 5..=45;
/// The least number of words of a reason.
const MIN_REASON: usize = 3;
/// Reasons with a greater share of words from the claim only repeat it.
const MAX_REPETITION: f64 = 0.6;
/// Words before a reason.
const REASON_MARKS: [&str; 7] = [
    " because ",
    " since ",
    " so that ",
    " due to ",
    " as otherwise ",
    " otherwise ",
    " in order to ",
];
/// First words of sentences that report on the work, or mean nothing without the text before.
const DEPENDENT_STARTS: [&str; 51] = [
    "added",
    "all",
    "also",
    "and",
    "both",
    "but",
    "changed",
    "committed",
    "created",
    "done",
    "fixed",
    "good",
    "great",
    "he",
    "here",
    "hmm",
    "i",
    "i\'d",
    "i\'ll",
    "i'm",
    "i've",
    "if",
    "instead",
    "it",
    "it's",
    "let",
    "let's",
    "next",
    "no",
    "now",
    "ok",
    "or",
    "perfect",
    "removed",
    "renamed",
    "replaced",
    "she",
    "so",
    "that",
    "that's",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "updated",
    "yes",
    "you",
    "you're",
    "your",
];

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatedClaim {
    /// The claim without its reason.
    pub(super) claim: String,
    /// The reason, if one is given.
    pub(super) reason: Option<String>,
}

impl StatedClaim {
    /// Finds the statement of a category in a line. Preferences are the user's; from an agent, only
    /// unmistakable words count.
    pub(super) fn of(line: &SessionLine, category: RecordCategory) -> Option<StatedClaim> {
        let by_user = line.speaker == Speaker::User;
        let may_speak = match category {
            RecordCategory::Preference => by_user,
            _ => line.speaker != Speaker::Tool,
        };
        if !may_speak || !is_prose(&line.text) {
            return None;
        }
        let lexicon = Lexicon::of(phrases::for_category(category)?);
        sentences(&line.text).into_iter().find_map(|sentence| {
            let found = lexicon.find_phrases(&sentence.to_lowercase().replace('\u{2019}', "'"));
            let needs_reason = category != RecordCategory::Constraint;
            // A stated reason makes weaker words of the user count.
            let weaker = by_user && needs_reason && !found.primary.is_empty();
            let meant = found.sufficient || weaker;
            if !meant || !stands_alone(sentence) {
                return None;
            }
            let (claim, reason) = split_reason(sentence);
            (reason.is_some() || !needs_reason)
                .then(|| StatedClaim { claim: claim.to_owned(), reason: reason.map(str::to_owned) })
        })
    }
}

/// Returns true for a line of running text: no item of a list, no table, no label, no code.
fn is_prose(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = line.starts_with(['-', '*', '+', '•', '|', '>', '[', '(', '→', '<', '/'])
        || (digits.len() < line.len() && digits.starts_with(['.', ')', ':']));
    !item && !line.ends_with(':') && !line.contains('→') && !line.contains("**")
}

/// Returns true if a sentence can be understood alone.
fn stands_alone(sentence: &str) -> bool {
    let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
    let first = first.trim_end_matches([',', '.', '!']).replace('\u{2019}', "'");
    WORDS.contains(&sentence.split_whitespace().count())
        && !sentence.ends_with(['?', ':', '…'])
        && (!DEPENDENT_STARTS.contains(&first.as_str()) || sentence.starts_with("I prefer "))
}

/// Splits a sentence into the claim and its reason. A reason that repeats the claim is none.
fn split_reason(sentence: &str) -> (&str, Option<&str>) {
    let lower = sentence.to_ascii_lowercase();
    let split = REASON_MARKS.iter().filter_map(|mark| Some((lower.find(mark)?, mark.len()))).min();
    let Some((at, length)) = split else { return (sentence, None) };
    let claim = sentence[..at].trim_end_matches([',', ';', ' ', '-', '–', '—']);
    let reason = sentence[at + length..].trim().trim_end_matches(['.', '!']);
    let tells = reason.split_whitespace().count() >= MIN_REASON
        && claim.split_whitespace().count() >= MIN_REASON
        && repetition(claim, reason) < MAX_REPETITION;
    if tells { (claim, Some(reason)) } else { (sentence, None) }
}

/// Returns the share of a reason's words that the claim has, too.
fn repetition(claim: &str, reason: &str) -> f64 {
    let claimed = tokenize(claim);
    let claimed: BTreeSet<&str> = claimed.iter().collect();
    let reason = tokenize(reason);
    let words: BTreeSet<&str> = reason.iter().collect();
    let repeated = words.iter().filter(|word| claimed.contains(*word)).count();
    repeated as f64 / words.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use RecordCategory::{Constraint, Decision, Preference, TechDebt};

    fn statement(
        speaker: Speaker,
        text: &str,
        category: RecordCategory,
    ) -> Option<(String, String)> {
        let line = SessionLine { speaker, text: text.to_owned(), category: None };
        let found = StatedClaim::of(&line, category)?;
        Some((found.claim, found.reason.unwrap_or_default()))
    }

    #[test]
    fn statements_have_a_claim_and_a_reason_of_their_own() {
        use Speaker::{Agent, Tool, User};
        for (speaker, category, text, expected) in [
            (
                Agent,
                Decision,
                "We decided on WAL mode because readers must never wait.",
                Some(("We decided on WAL mode", "readers must never wait")),
            ),
            (
                User,
                Decision,
                "We'll use vitest, since jest cannot read our config.",
                Some(("We'll use vitest", "jest cannot read our config")),
            ),
            (
                User,
                Preference,
                "Always use pnpm here, because the lockfile is pnpm's.",
                Some(("Always use pnpm here", "the lockfile is pnpm's")),
            ),
            (
                Agent,
                Constraint,
                "The free tier limits us to 100 requests per minute.",
                Some(("The free tier limits us to 100 requests per minute.", "")),
            ),
            (
                Agent,
                TechDebt,
                "The cart is copy-pasted from the shop because the launch was near.",
                Some(("The cart is copy-pasted from the shop", "the launch was near")),
            ),
            // No reason, or the claim again
            (User, Decision, "We'll use vitest for all the new tests.", None),
            (Agent, Decision, "We decided on WAL mode because we decided on WAL mode.", None),
            (
                Agent,
                Decision,
                "We decided on WAL mode for the store of the sessions because WAL mode suits the store.",
                None,
            ),
            // Not the user's word
            (Agent, Preference, "Always use pnpm here, because the lockfile is pnpm's.", None),
            (Tool, Decision, "We decided on WAL mode because readers must never wait.", None),
            // An agent's report, and fragments
            (Agent, Decision, "Replaced the flawed test because it never ran at all.", None),
            (Agent, Decision, "3. We decided on WAL mode because readers must never wait.", None),
            (Agent, TechDebt, "- `nil` (not set) = disabled for now because of the release", None),
            (User, Decision, "This makes more sense to me because it is smaller.", None),
            (User, Decision, "Should we say that we decided on WAL because of the readers?", None),
            (
                User,
                Preference,
                "I prefer small commits because they are easier to review.",
                Some(("I prefer small commits", "they are easier to review")),
            ),
            (User, Preference, "I'd like a login page because customers ask for one.", None),
        ] {
            let expected = expected.map(|(claim, reason)| (claim.to_owned(), reason.to_owned()));
            assert_eq!(statement(speaker, text, category), expected, "{text}");
        }
    }
}
