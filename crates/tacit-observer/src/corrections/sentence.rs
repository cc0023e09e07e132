//! Reads the rule that a sentence states.

use tacit_core::BuiltinType;

use super::phrases::{CorrectionPhrases, LANGUAGES, TOOLS};

/// Bounds on the length of a sentence, in columns (see [`width`]).
const MIN_SENTENCE: usize = 8;
const MAX_SENTENCE: usize = 240;
/// Minimum number of words in a rule, unless it names a tool.
const MIN_WORDS: usize = 3;
/// Maximum number of words in the subject of a sentence.
const MAX_SUBJECT_WORDS: usize = 5;
/// Maximum number of words in a sentence that says which tool the team uses, and no more.
const MAX_HABIT_WORDS: usize = 8;
/// Minimum number of words in a prohibition about a kind of things: "Don't use emojis in commits".
const MIN_KIND_WORDS: usize = 5;
/// Maximum number of words in the name of a kind of things.
const MAX_KIND_NAME: usize = 3;
/// Minimum number of words before a pronoun that refers to something in the same sentence.
const MIN_WORDS_BEFORE_PRONOUN: usize = 3;
/// Maximum number of words in the name of a tool that a question blames.
const MAX_MISUSED_WORDS: usize = 4;

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
    let lower = readable(sentence)?;
    let before = before.map(normalised).unwrap_or_default();
    let stated = |sentence: &str, lower: &str| {
        LANGUAGES.iter().find_map(|words| words.stated_rule(sentence, lower, &before))
    };
    stated(sentence, &lower).or_else(|| {
        // The reason after a correction may be the rule: "no default exports, we only use …".
        let (_, reason) = sentence.rsplit_once(", we ")?;
        let reason = format!("we {reason}");
        stated(&reason, &readable(&reason)?)
    })
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

/// Returns true if a sentence gives a task.
pub(super) fn is_task(sentence: &str) -> bool {
    let lower = normalised(sentence);
    LANGUAGES.iter().any(|words| {
        let opening = words.opening(&lower);
        words.has(&lower[opening.end..], words.tasks)
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

/// Returns a sentence in lower case with one kind of apostrophe. It has as many characters as
/// before, so that positions can be found again.
fn normalised(sentence: &str) -> String {
    let lower = |c: char| {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) => one,
            _ => c,
        }
    };
    sentence.chars().map(|c| if c == '’' { '\'' } else { lower(c) }).collect()
}

/// The words before a rule.
#[derive(Default)]
struct Opening {
    /// The end of the words, in bytes.
    end: usize,
    /// The end of the words that do not belong to the rule, in bytes.
    dropped: usize,
    /// True if they reject what was done.
    rejects: bool,
    /// True if they refer to an earlier instruction.
    repeats: bool,
    /// True if they say that the rule holds from now on.
    lasts: bool,
    /// True if they announce a fact.
    announces: bool,
    /// True if they limit the rule to the project.
    in_project: bool,
}

/// A rule between its opening and its end.
struct Body {
    /// The rule in lower case, without the part that limits it to the project.
    lower: String,
    /// The rule as the user wrote it.
    text: String,
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

    /// Reads the words before a rule.
    fn opening(&self, lower: &str) -> Opening {
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
    fn body(&self, sentence: &str, lower: &str, opening: &Opening) -> Body {
        let rest = &lower[opening.end..];
        let rewrite = self
            .rewrites
            .iter()
            .filter(|(from, _)| rest.starts_with(from))
            .max_by_key(|(from, _)| from.len());
        let (from, to) = rewrite.copied().unwrap_or_default();
        let rest = &rest[from.len()..];
        let kept = self.without_ending(rest);
        let original = |from: usize, to: usize| -> String {
            let skipped = lower[..from].chars().count();
            sentence.chars().skip(skipped).take(lower[from..to].chars().count()).collect()
        };
        let start = opening.end + from.len();
        let project = original(opening.dropped, opening.end);
        let text = format!("{project}{to}{}", original(start, start + kept.len()));
        Body { lower: format!("{to}{kept}"), text }
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
    fn misused<'a>(&self, before: &'a str) -> Option<&'a str> {
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

    /// Recognises a convention, a custom, an instruction or a prohibition that holds in general.
    fn rule(&self, body: &Body, opening: &Opening, blames: bool) -> Option<(bool, BuiltinType)> {
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

    /// Returns true if a choice is limited to a part of the code. Plural nouns are kinds of code:
    /// "in tests".
    fn is_about_part(&self, rule: &str) -> bool {
        let in_one = |rest: &str| {
            !rest.split([' ', ',']).take(2).any(|word| {
                (word.ends_with('s') && !word.contains(['/', '.']))
                    || ["code", "production", "english"].contains(&word)
            })
        };
        let rule = &self.without_project(rule);
        contains(rule, self.parts)
            || (!self.parts.is_empty()
                && rule.match_indices(" in ").any(|(at, part)| in_one(&rule[at + part.len()..])))
    }

    /// Returns true if an object is a kind of things rather than a thing: "emojis", "small commits".
    fn begins_with_kind(&self, object: &str) -> bool {
        !self.parts.is_empty()
            && !begins(object, self.articles)
            && object.split_whitespace().take(2).any(|word| {
                let word = word.trim_end_matches(',');
                word.len() > 4 && word.ends_with('s') && !word.ends_with("ss")
            })
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

    /// Returns the object of an instruction. Where verbs come last it is the whole sentence.
    fn object<'a>(&self, rule: &'a str) -> Option<&'a str> {
        if self.spaced {
            return after(rule, self.verbs);
        }
        contains(rule, self.verbs).then_some(rule)
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
    fn offer(&self, body: &Body) -> Option<BuiltinType> {
        let thing = after(&body.lower, self.offers)?;
        let offers = thing.split_whitespace().take(4).any(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            self.offered.contains(&word)
        });
        let used = contains(thing, self.alternatives) || contains(thing, &[" called ", " named "]);
        (offers && used && names_code(&body.text)).then_some(BuiltinType::Preference)
    }

    /// Recognises a fact about the domain that corrects a wrong assumption.
    fn statement(&self, body: &Body, opening: &Opening) -> Option<(bool, BuiltinType)> {
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
    fn denies(&self, rule: &str) -> bool {
        after(rule, self.denials).is_some_and(|thing| {
            !thing
                .split_whitespace()
                .take(3)
                .any(|word| self.not_denied.contains(&word.trim_end_matches(',')))
        })
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

    /// Returns true if a sentence cannot be understood without its context.
    fn depends_on_context(&self, rule: &str, about_tools: bool) -> bool {
        let plain = self.without_project(rule);
        if !self.spaced {
            return self.context_words.iter().any(|word| plain.contains(word));
        }
        let mut in_code = false;
        let mut later_clause = false;
        let words: Vec<&str> = plain.split_whitespace().collect();
        for (index, token) in words.iter().enumerate() {
            let was_code = in_code;
            in_code ^= token.matches('`').count() % 2 == 1;
            if was_code || token.contains('`') {
                continue;
            }
            let word = token.trim_matches(|c: char| !c.is_alphanumeric());
            let next = words.get(index + 1).copied().unwrap_or_default();
            let refers = (self.context_words.contains(&word) && !(index == 0 && word == "there"))
                || (self.pronouns.contains(&word) && !later_clause)
                || (self.here.contains(&word) && !about_tools)
                || (word == "that" && self.refers_with_that(index, &words))
                || (word == "one" && refers_with_one(token, next));
            if refers || is_number_of_thing(token) {
                return true;
            }
            let ends_clause = token.ends_with([',', ':', ';'])
                || ["and", "or", "because", "when", "if", "since", "before", "after", "-", "—"]
                    .contains(&word);
            later_clause |= ends_clause && index + 1 >= MIN_WORDS_BEFORE_PRONOUN;
        }
        false
    }

    fn without_project(&self, rule: &str) -> String {
        let phrases = self.project_phrases.iter();
        phrases.fold(rule.to_owned(), |text, phrase| text.replace(phrase, ""))
    }

    /// Returns true if a prohibition is about things that projects have rules about, wherever they
    /// are: "… in integration tests", "… to commit messages".
    fn is_about_kind(&self, action: &str) -> bool {
        [" in ", " to ", " from "].iter().any(|place| {
            action.find(place).is_some_and(|at| {
                let rest = &action[at + place.len()..];
                let words = rest.split([' ', ',']).take(MAX_KIND_NAME);
                !begins(rest, self.articles)
                    && words.clone().all(|word| !self.context_words.contains(&word))
                    && words.into_iter().any(|word| self.subjects.contains(&word))
            })
        })
    }

    /// Returns true unless "that" begins a relative clause, as it does after a plural noun.
    fn refers_with_that(&self, index: usize, words: &[&str]) -> bool {
        let next = words.get(index + 1).copied().unwrap_or_default();
        let before = index.checked_sub(1).map_or("", |before| words[before]);
        let relative = self.after_relative.contains(&next)
            || (before.len() > 4 && before.ends_with('s') && !next.is_empty());
        !self.after_relative.is_empty() && (before.is_empty() || !relative)
    }

    /// Returns true if the first words of an object are a well-known tool. In scripts without
    /// spaces the tool may stand anywhere.
    fn begins_with_tool(&self, object: &str) -> bool {
        let most = if self.spaced { 2 } else { usize::MAX };
        object
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
            .filter(|word| !word.is_empty())
            .take(most)
            .any(|word| TOOLS.contains(&word))
    }

    fn has(&self, text: &str, list: &[&str]) -> bool {
        if self.spaced { begins(text, list) } else { contains(text, list) }
    }

    fn contains_any(&self, text: &str, list: &[&str]) -> bool {
        list.iter().any(|phrase| self.contains_phrase(text, phrase))
    }

    /// Returns true if a text contains a phrase as whole words.
    fn contains_phrase(&self, text: &str, phrase: &str) -> bool {
        text.match_indices(phrase).any(|(at, _)| {
            !self.spaced
                || (!text[..at].ends_with(char::is_alphanumeric)
                    && (phrase.ends_with(' ')
                        || !text[at + phrase.len()..].starts_with(char::is_alphanumeric)))
        })
    }
}

/// Returns true unless "one" is a number before a noun.
fn refers_with_one(token: &str, next: &str) -> bool {
    token != "one" || ["", "for", "from", "in", "of", "with", "we", "you", "is"].contains(&next)
}

fn begins(text: &str, list: &[&str]) -> bool {
    list.iter().any(|phrase| text.starts_with(phrase))
}

fn contains(text: &str, list: &[&str]) -> bool {
    list.iter().any(|phrase| text.contains(phrase))
}

/// Returns the text after the longest phrase that it begins with.
fn after<'a>(text: &'a str, list: &[&str]) -> Option<&'a str> {
    list.iter().filter_map(|phrase| text.strip_prefix(phrase)).min_by_key(|rest| rest.len())
}

fn without_marks(text: &str) -> &str {
    text.trim().trim_end_matches(['.', '!', ';', ',', '。', '！', '；', '，', ' '])
}

/// Returns true for `#12`, which names something of the present.
fn is_number_of_thing(token: &str) -> bool {
    token
        .trim_start_matches('(')
        .strip_prefix('#')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns true if a text names code: a code span, a path, an identifier or a flag.
fn names_code(text: &str) -> bool {
    text.split_whitespace().any(|token| {
        let word = token.trim_matches(|c: char| {
            !c.is_alphanumeric() && !matches!(c, '`' | '~' | '/' | '.' | '-' | '_' | '(' | ')')
        });
        let word = word.trim_end_matches(['.', ',']);
        let letters = || word.chars().zip(word.chars().skip(1));
        word.contains(['`', '_'])
            || word.contains("::")
            || word.ends_with("()")
            || (word.starts_with("--") && word.len() > 2)
            || (word.contains('/')
                && word.chars().filter(|c| c.is_alphanumeric()).count() >= 4
                && !is_pair_of_words(word))
            || letters().any(|(one, two)| one.is_lowercase() && two.is_uppercase())
            || word.char_indices().any(|(at, c)| {
                c == '.'
                    && word.len() > 3
                    && word[..at].ends_with(char::is_alphabetic)
                    && word[at + 1..].starts_with(char::is_alphabetic)
            })
    })
}

/// Returns true for `and/or` and `read/write`, which are no paths.
fn is_pair_of_words(word: &str) -> bool {
    let parts: Vec<&str> = word.split('/').collect();
    parts.len() == 2
        && parts.iter().all(|part| part.chars().all(char::is_alphabetic) && !part.is_empty())
}

/// Returns true if a text names a product by a capital letter.
fn names_product(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        word.starts_with(char::is_uppercase)
            && word.chars().filter(|c| c.is_lowercase()).count() >= 2
    })
}

/// Returns a rule with a capital letter, unless it begins with code or its script has none.
fn capitalised(text: &str, spaced: bool) -> String {
    let text = without_marks(text);
    let first = text.split_whitespace().next().unwrap_or_default();
    let code = first.contains(['_', '/', '`', '.', '(', '-'])
        || first.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit());
    if code || !spaced {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
