//! Takes a sentence apart: the words before a rule, the rule, and the words after it.

use super::phrases::CorrectionPhrases;
use super::wording::{after, begins, contains, names_code, without_marks};

/// Maximum number of words in the name of a tool that a question blames.
const MAX_MISUSED_WORDS: usize = 4;

/// The words before a rule.
#[derive(Default)]
pub(super) struct Opening {
    /// The end of the words, in bytes.
    pub(super) end: usize,
    /// The end of the words that do not belong to the rule, in bytes.
    pub(super) dropped: usize,
    /// True if they reject what was done.
    pub(super) rejects: bool,
    /// True if they refer to an earlier instruction.
    pub(super) repeats: bool,
    /// True if they say that the rule holds from now on.
    pub(super) lasts: bool,
    /// True if they announce a fact.
    pub(super) announces: bool,
    /// True if they limit the rule to the project.
    pub(super) in_project: bool,
}

/// A rule between its opening and its end.
pub(super) struct Body {
    /// The rule in lower case, without the part that limits it to the project.
    pub(super) lower: String,
    /// The rule as the user wrote it.
    pub(super) text: String,
}

impl CorrectionPhrases {
    /// Reads the words before a rule.
    pub(super) fn opening(&self, lower: &str) -> Opening {
        let mut opening = Opening::default();
        loop {
            let rest = &lower[opening.end..];
            let longest = |list: &[&str]| {
                list.iter().filter(|start| rest.starts_with(**start)).map(|start| start.len()).max()
            };
            let flagged = [
                (longest(self.rejections), 0),
                (longest(self.lead_ins), 1),
                (longest(self.from_now_on), 2),
                (longest(self.facts_follow), 3),
                (longest(self.fillers), 4),
                (self.bare_no(rest), 0),
            ];
            let Some((length, flag)) =
                flagged.into_iter().filter_map(|(length, flag)| Some((length?, flag))).max()
            else {
                break;
            };
            match flag {
                0 => opening.rejects = true,
                1 => opening.repeats = true,
                2 => opening.lasts = true,
                3 => opening.announces = true,
                _ => {}
            }
            opening.end += length;
        }
        opening.dropped = opening.end;
        let rest = &lower[opening.end..];
        if let Some(project) = self
            .project_openings
            .iter()
            .filter(|start| rest.starts_with(**start))
            .max_by_key(|s| s.len())
        {
            opening.in_project = true;
            opening.end += project.len();
        }
        opening
    }

    /// Returns the length of a rejection without a comma: "no don't use npm".
    fn bare_no(&self, rest: &str) -> Option<usize> {
        let length = self.bare_rejections.first()?.len() + 1;
        let after = rest.strip_prefix(self.bare_rejections.first()?)?.strip_prefix(' ')?;
        [self.prohibitions, self.always, self.customs, self.habits]
            .into_iter()
            .any(|list| begins(after, list))
            .then_some(length)
    }

    /// Returns the rule between its opening and polite words or a task at its end.
    pub(super) fn body(&self, sentence: &str, lower: &str, opening: &Opening) -> Body {
        let rest = &lower[opening.end..];
        let rewrite = self
            .rewrites
            .iter()
            .filter(|(from, _)| rest.starts_with(from))
            .max_by_key(|(from, _)| from.len());
        let (from, to) =
            rewrite.copied().or_else(|| self.required_by_change(rest)).unwrap_or_default();
        let rest = &rest[from.len()..];
        let kept = self.without_ending(rest);
        let original = |from: usize, to: usize| -> String {
            let skipped = lower[..from].chars().count();
            sentence.chars().skip(skipped).take(lower[from..to].chars().count()).collect()
        };
        let blank = rest.len() - rest.trim_start().len();
        let start = opening.end + from.len() + blank;
        let project = original(opening.dropped, opening.end);
        let text = format!("{project}{to}{}", original(start, start + kept.len()));
        Body { lower: format!("{to}{kept}"), text }
    }

    /// Returns how to rewrite a sentence that says what a change requires: "you need to restart the
    /// worker after changing its settings". Other duties are a part of the task.
    fn required_by_change(&self, rest: &str) -> Option<(&'static str, &'static str)> {
        let need = self.needs.iter().find(|need| rest.starts_with(**need))?;
        let action = &rest[need.len()..];
        let runs_tool = || {
            after(action, self.verbs).is_some_and(|object| {
                let first = object.split_whitespace().next().unwrap_or_default();
                self.begins_with_tool(object) || names_code(first)
            })
        };
        let lasts = contains(action, self.changes) && (begins(action, self.upkeep) || runs_tool());
        lasts.then_some((*need, *self.always.first()?))
    }

    /// Returns a rule without polite words and without the task that follows it.
    fn without_ending<'a>(&self, rule: &'a str) -> &'a str {
        let turn = self.turns.iter().filter_map(|turn| rule.find(turn)).min();
        let mut rule = without_marks(&rule[..turn.unwrap_or(rule.len())]);
        while let Some(shorter) = self.endings.iter().find_map(|end| rule.strip_suffix(end)) {
            rule = without_marks(shorter);
        }
        rule
    }

    /// Returns the tool that a question before the rule blames.
    pub(super) fn misused<'a>(&self, before: &'a str) -> Option<&'a str> {
        let question = before.strip_suffix(['?', '？'])?;
        let tool = self.misuses.iter().find_map(|start| question.strip_prefix(start))?;
        let tool = self.without_ending(tool);
        let tool = self.here.iter().find_map(|here| tool.strip_suffix(here)).unwrap_or(tool).trim();
        let named = !tool.is_empty()
            && tool.split_whitespace().count() <= MAX_MISUSED_WORDS
            && !begins(tool, self.articles)
            && !self.depends_on_context(tool, false);
        named.then_some(tool)
    }
}
