//! Recognises what holds in general: conventions, customs, prohibitions and facts of the domain.

use tacit_core::BuiltinType;

use super::clauses::{Body, Opening};
use super::phrases::CorrectionPhrases;
use super::wording::{after, begins, contains, names_code, names_product};

/// Maximum number of words in the subject of a sentence.
const MAX_SUBJECT_WORDS: usize = 5;
/// Maximum number of words in a sentence that says which tool the team uses, and no more.
const MAX_HABIT_WORDS: usize = 8;
/// Minimum number of words in a prohibition about a kind of things: "Don't use emojis in commits".
const MIN_KIND_WORDS: usize = 5;

impl CorrectionPhrases {
    /// Recognises a convention, a custom, an instruction or a prohibition that holds in general.
    pub(super) fn rule(
        &self,
        body: &Body,
        opening: &Opening,
        blames: bool,
    ) -> Option<(bool, BuiltinType)> {
        use BuiltinType::{Preference, Requirement};
        let rule = body.lower.as_str();
        let explicit = opening.rejects || opening.repeats || opening.lasts || opening.in_project;
        let contrasts = contains(rule, self.contrasts);
        let corrects = explicit || contrasts || blames;
        if let Some(rest) = after(rule, self.conventions) {
            let word = rest.split_whitespace().next().unwrap_or_default();
            let reports = self.contains_any(rule, self.status)
                || (begins(rule, &["we "]) && self.not_after_always.contains(&word))
                || word.ends_with("ed");
            return (!reports).then_some((true, Preference));
        }
        if let Some(object) = after(rule, self.customs) {
            let general = !begins(object, self.articles) && !self.is_about_part(rule);
            return general.then_some((explicit || contrasts, Preference));
        }
        if let Some(object) = after(rule, self.habits) {
            let about_tool = self.begins_with_tool(object)
                && (contains(rule, self.here)
                    || rule.split_whitespace().count() <= MAX_HABIT_WORDS);
            let taste = begins(rule, &["i "]) && self.begins_with_kind(object);
            return (corrects || about_tool || taste).then_some((corrects, Preference));
        }
        if let Some(rest) = after(rule, self.always) {
            // "Use always the …" shows by its verb that it instructs.
            let verb = rule[..rule.len() - rest.len()].trim_end().contains(' ');
            let instructs = verb || self.is_instruction_after_always(rest);
            return instructs.then_some((explicit, Preference));
        }
        if let Some(kind) = self.prohibition(body, opening, contrasts) {
            return Some((explicit, kind));
        }
        if let Some(object) = self.object(rule) {
            let thing = begins(object, self.articles) && !names_code(&body.text);
            let tool = self.begins_with_tool(object);
            let chosen = contrasts && !thing && !self.is_about_part(rule);
            let earlier = (opening.repeats || opening.in_project) && !thing;
            let holds = chosen
                || earlier
                || opening.lasts
                || self.contains_any(rule, self.markers)
                || (tool && (opening.rejects || blames || contains(rule, self.here)));
            return holds.then_some((explicit || blames, Preference));
        }
        if self.has_strict_modal(rule) {
            return Some((explicit, Requirement));
        }
        let about_subjects = self.is_about_subjects(rule) && !self.contains_any(rule, self.status);
        if about_subjects || self.is_obsolete(rule) || self.forbids_kind(rule) {
            return Some((explicit, Preference));
        }
        let person = begins(rule, &["you are ", "you're ", "i ", "i'", "we are "]);
        let holds = opening.lasts && !person && !self.contains_any(rule, self.status);
        holds.then_some((true, Preference))
    }

    fn is_instruction_after_always(&self, rest: &str) -> bool {
        if !self.spaced {
            return true;
        }
        let word = rest.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-').next();
        let word = word.unwrap_or_default();
        // "Always returns null" and "always failed" report what happens.
        let english = !self.prohibited.is_empty();
        let reports = english
            && ((word.ends_with('s') && !word.ends_with("ss"))
                || word.ends_with("ed")
                || word.ends_with("ing"));
        !(word.is_empty() || reports || self.not_after_always.contains(&word))
    }

    /// Recognises a prohibition that holds in general.
    fn prohibition(&self, body: &Body, opening: &Opening, contrasts: bool) -> Option<BuiltinType> {
        use BuiltinType::{Preference, Requirement};
        let rule = body.lower.as_str();
        if !self.spaced {
            let holds = contains(rule, self.prohibitions)
                && (contains(rule, self.alternatives) || self.begins_with_tool(rule));
            return holds.then_some(Preference);
        }
        let action = after(rule, self.prohibitions)?;
        if self.contains_any(action, self.prohibition_markers) {
            return Some(Preference);
        }
        let has_folder = |object: &str| {
            object.split_whitespace().any(|word| word.len() > 2 && word.ends_with('/'))
        };
        if after(action, self.changing).is_some_and(has_folder) {
            return Some(Preference);
        }
        let object =
            if self.prohibited.is_empty() { action } else { after(action, self.prohibited)? };
        if begins(object, &["a ", "an ", "another ", "any more "]) {
            return None;
        }
        let holds = contains(action, self.alternatives)
            || self.begins_with_tool(object)
            || opening.lasts
            || self.is_about_kind(action)
            || (opening.repeats && !begins(object, self.articles))
            || (contrasts && opening.rejects && !begins(object, self.articles))
            || (rule.split_whitespace().count() >= MIN_KIND_WORDS
                && self.begins_with_kind(object)
                && !self.is_about_part(rule));
        if holds {
            return Some(Preference);
        }
        let thing = begins(object, self.articles);
        (!thing && contains(action, self.conditions)).then_some(Requirement)
    }

    /// Returns true for a prohibition without a verb: "no emojis in commit messages".
    fn forbids_kind(&self, rule: &str) -> bool {
        after(rule, self.none_of).is_some_and(|object| {
            let word = object.split_whitespace().next().unwrap_or_default();
            word.len() > 4
                && word.ends_with('s')
                && !self.not_none_of.contains(&word)
                && object.contains(" in ")
                && !self.is_about_part(rule)
                && rule.split_whitespace().count() <= MAX_HABIT_WORDS
        })
    }

    /// Returns true for a rule about any subject: "Amounts must never be floats".
    fn has_strict_modal(&self, rule: &str) -> bool {
        self.strict_modals.iter().any(|modal| {
            rule.find(modal).is_some_and(|at| {
                let subject = rule[..at].trim();
                let words = subject.split_whitespace().count();
                (1..=MAX_SUBJECT_WORDS).contains(&words)
                    && !begins(&rule[..at], &["i ", "you ", "we ", "it ", "if ", "when ", "that "])
            })
        })
    }

    /// Returns true for a rule about things that projects have rules about: "Tests must not …".
    fn is_about_subjects(&self, rule: &str) -> bool {
        self.modals.iter().any(|modal| {
            let Some(at) = rule.find(&format!(" {modal} ")) else { return false };
            let subject = &rule[..at];
            let words = subject.split_whitespace().count();
            words < MAX_SUBJECT_WORDS
                && self
                    .subjects
                    .iter()
                    .any(|noun| subject == *noun || subject.ends_with(&format!(" {noun}")))
                && (!begins(subject, self.articles)
                    || begins(subject, &["all ", "les ", "los ", "las "]))
                && !begins(subject, &["my ", "our ", "if ", "when "])
        })
    }

    /// Returns true if a thing is no longer used and the sentence says what is used now.
    fn is_obsolete(&self, rule: &str) -> bool {
        self.obsolete.iter().any(|phrase| {
            rule.find(phrase).is_some_and(|at| {
                rule[..at].split_whitespace().count() < MAX_SUBJECT_WORDS
                    && contains(&rule[at..], self.alternatives)
            })
        })
    }

    /// Recognises reusable code that the sentence names: "there's a helper for dates: use `day()`".
    pub(super) fn offer(&self, body: &Body) -> Option<BuiltinType> {
        let thing = after(&body.lower, self.offers)?;
        let offers = thing.split_whitespace().take(4).any(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            self.offered.contains(&word)
        });
        let used = contains(thing, self.alternatives) || contains(thing, &[" called ", " named "]);
        (offers && used && names_code(&body.text)).then_some(BuiltinType::Preference)
    }

    /// Recognises a fact about the domain that corrects a wrong assumption.
    pub(super) fn statement(&self, body: &Body, opening: &Opening) -> Option<(bool, BuiltinType)> {
        let rule = body.lower.as_str();
        if self.contains_any(rule, self.status) {
            return None;
        }
        if self.denies(rule) {
            let domain = opening.rejects
                || contains(rule, self.alternatives)
                || self.denied_in.iter().any(|place| {
                    rule.find(place)
                        .is_some_and(|at| !begins(&rule[at + place.len()..], self.articles))
                });
            return domain.then_some((opening.rejects, BuiltinType::Gotcha));
        }
        let announced = opening.rejects
            || opening.announces
            || opening.repeats
            || (rule.contains(", not ") && self.contains_any(rule, self.states));
        let person = begins(rule, &["i ", "i'", "my ", "you ", "we should ", "if you "]);
        if !announced || person {
            return None;
        }
        let code = names_code(&body.text);
        let duty = self.contains_any(rule, self.duties);
        let named = if self.contains_any(rule, self.behaviours) && !duty {
            code || names_product(&body.text)
        } else {
            code && (duty || self.contains_any(rule, self.states))
        };
        let kind = if duty { BuiltinType::Requirement } else { BuiltinType::Gotcha };
        named.then_some((opening.rejects || opening.repeats, kind))
    }

    /// Returns true if a sentence denies that something of the domain exists.
    pub(super) fn denies(&self, rule: &str) -> bool {
        after(rule, self.denials).is_some_and(|thing| {
            !thing
                .split_whitespace()
                .take(3)
                .any(|word| self.not_denied.contains(&word.trim_end_matches(',')))
        })
    }
}
