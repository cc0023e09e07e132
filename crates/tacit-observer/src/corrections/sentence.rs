//! Reads the rule that a sentence states.

use tacit_core::BuiltinType;

use super::phrases::{CorrectionPhrases, LANGUAGES};
use super::wording::{after, begins, capitalised, contains, normalised, without_marks};

/// Bounds on the length of a sentence, in columns (see [`width`]).
const MIN_SENTENCE: usize = 8;
const MAX_SENTENCE: usize = 240;
/// Minimum number of words in a rule, unless it names a tool.
const MIN_WORDS: usize = 3;

/// A rule that a user states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatedRule {
    /// True if the sentence itself shows that it corrects; otherwise it may belong to the task.
    pub(super) explicit: bool,
    /// The type of the memory.
    pub(super) kind: BuiltinType,
    /// The rule without the words that lead up to it.
    pub(super) text: String,
}

/// Returns the rule that a sentence states in any known language. The sentence before it may
/// reject what was done or blame the choice of a tool.
pub(super) fn stated_rule(sentence: &str, before: Option<&str>) -> Option<StatedRule> {
    let asides = LANGUAGES.iter().flat_map(|words| words.asides);
    let sentence = &asides.fold(sentence.to_owned(), |text, aside| text.replace(aside, ","));
    let lower = readable(sentence)?;
    let before = before.map(normalised).unwrap_or_default();
    let stated = |sentence: &str, lower: &str| {
        LANGUAGES.iter().find_map(|words| words.stated_rule(sentence, lower, &before))
    };
    stated(sentence, &lower).or_else(|| {
        // The reason after a correction may be the rule: "no default exports, we only use …".
        let clause = last_clause(sentence)?;
        stated(clause, &readable(clause)?)
    })
}

/// Returns the clause in which a sentence turns to the rule.
fn last_clause(sentence: &str) -> Option<&str> {
    let joints = LANGUAGES.iter().flat_map(|words| words.joints);
    let at = joints.filter_map(|joint| sentence.rfind(joint)).max()?;
    let clause = sentence[at..].trim_start_matches([',', ' ']);
    Some(clause.strip_prefix("because ").unwrap_or(clause))
}

/// Returns an instruction that counts if the user has to repeat it.
pub(super) fn instruction(sentence: &str) -> Option<String> {
    let lower = readable(sentence)?;
    // Verbs of several languages are spelt alike: the first language that knows one decides.
    LANGUAGES.iter().find_map(|words| words.instruction(sentence, &lower))?
}

/// Returns true if a sentence asks for something new.
pub(super) fn builds(sentence: &str) -> bool {
    let lower = normalised(sentence);
    LANGUAGES.iter().any(|words| words.contains_any(&lower, words.builders))
}

/// Returns true if a sentence gives a task that rules may be a part of. Committing is none.
pub(super) fn is_task(sentence: &str) -> bool {
    let lower = normalised(sentence);
    LANGUAGES.iter().any(|words| {
        let task = &lower[words.opening(&lower).end..];
        words.has(task, words.tasks) && !words.concludes(task)
    })
}

/// Returns a sentence in lower case if it can state a rule: neither a question nor about the
/// present, and of a sensible length. Sentences of several languages begin alike, so the words of
/// all languages count.
fn readable(sentence: &str) -> Option<String> {
    let lower = normalised(sentence);
    let temporary = |words: &CorrectionPhrases| {
        words.temporary.iter().any(|phrase| words.contains_phrase(&lower, phrase))
    };
    let readable = (MIN_SENTENCE..=MAX_SENTENCE).contains(&width(sentence))
        && !lower.ends_with(['?', '？', ':', '：', '…'])
        && !lower.ends_with("...")
        && !LANGUAGES.iter().any(temporary);
    readable.then_some(lower)
}

/// Returns the length of a sentence in columns: characters of East Asian scripts count twice.
fn width(sentence: &str) -> usize {
    sentence.chars().map(|c| if c >= '\u{2e80}' { 2 } else { 1 }).sum()
}

impl CorrectionPhrases {
    fn stated_rule(&self, sentence: &str, lower: &str, before: &str) -> Option<StatedRule> {
        let mut opening = self.opening(lower);
        opening.rejects |= self.bare_rejections.contains(&without_marks(before));
        let mut body = self.body(sentence, lower, &opening);
        let misused = self.misused(before);
        let offered = self.offer(&body).map(|kind| (false, kind));
        if offered.is_some() {
            for (phrase, plain) in [
                (" for this", ""),
                (" for that", ""),
                (" for it", ""),
                (", please ", ", "),
                (" those ", " them "),
            ] {
                body.lower = body.lower.replace(phrase, plain);
                body.text = body.text.replace(phrase, plain);
            }
        }
        let body_words = body.lower.split_whitespace().count();
        let names_tool =
            self.object(&body.lower).is_some_and(|object| self.begins_with_tool(object));
        let too_short = self.spaced && body_words < MIN_WORDS && !names_tool;
        if too_short || (!opening.lasts && self.is_task(&body.lower)) {
            return None;
        }
        let (explicit, kind) = offered
            .or_else(|| self.rule(&body, &opening, misused.is_some()))
            .or_else(|| self.statement(&body, &opening))?;
        let about_tools = kind == BuiltinType::Preference || self.denies(&body.lower);
        if self.depends_on_context(&body.lower, about_tools) {
            return None;
        }
        let mut text = capitalised(&body.text, self.spaced);
        if let Some(misused) = misused.filter(|misused| !self.contains_phrase(&body.lower, misused))
        {
            text = format!("{text}, {} {misused}", self.rather_than);
        }
        Some(StatedRule { explicit, kind, text })
    }

    /// Returns true if a sentence gives a task. Instructions may be rules.
    fn is_task(&self, rule: &str) -> bool {
        self.has(rule, self.tasks) && !(self.spaced && begins(rule, self.verbs))
    }

    /// Returns true if a task only concludes the work: "commit this and push".
    fn concludes(&self, task: &str) -> bool {
        task.split(", ")
            .flat_map(|part| part.split(" and "))
            .all(|part| begins(part.strip_prefix("then ").unwrap_or(part), self.conclusions))
    }

    /// Returns an instruction and `Some` if it counts when repeated; `None` if the language does not
    /// know the verb.
    fn instruction(&self, sentence: &str, lower: &str) -> Option<Option<String>> {
        let opening = self.opening(lower);
        let body = self.body(sentence, lower, &opening);
        let rule = body.lower.as_str();
        let lists = [self.verbs, self.always, self.prohibitions, self.repeated, self.customs];
        let object = if self.spaced {
            lists.iter().find_map(|list| after(rule, list))?
        } else {
            self.object(rule)?
        };
        let thing = begins(object, self.articles)
            && !self.contains_any(rule, self.markers)
            && !self.contains_any(rule, self.prohibition_markers);
        let enough = !self.spaced || rule.split_whitespace().count() > MIN_WORDS;
        let general = enough
            && !thing
            && !self.is_about_part(rule)
            && !self.contains_any(rule, self.status)
            && (self.spaced || !contains(rule, self.tasks))
            && !self.depends_on_context(rule, true);
        Some(general.then(|| capitalised(&body.text, self.spaced)))
    }
}
