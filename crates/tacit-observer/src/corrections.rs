//! What users correct: sentences in prompts that say how things are to be done here.
//!
//! Few, but right: only sentences with an unmistakable sign ("no, use …", "don't …, use …", "always
//! …", "never …"), that can be understood without what was said before, and that are not about the
//! present task alone; and instructions that had to be repeated. Before anything was done, "always" and
//! "never" may be part of the task, and count for nothing.

mod phrases;

use tacit_core::{RepoPath, jaccard, outside_fences, tokenize};

use crate::promotion::{Basis, MemoryCandidate};
use crate::rules::{RuleInput, RuleOutput};
use crate::text::{one_line, stable_key};
use crate::timeline::StepKind;
use phrases::{CorrectionPhrases, LANGUAGES};

const CONFIDENCE: f64 = 0.8;
/// A longer prompt holds text that was pasted.
const MAX_PROMPT: usize = 2_000;
/// Sentences of fewer or more characters say nothing, or too much.
const MIN_SENTENCE: usize = 12;
const MAX_SENTENCE: usize = 240;
/// How alike two sentences are that say the same.
const SAME_SENTENCE: f64 = 0.8;
/// The fewest words of an instruction that can be repeated.
const MIN_INSTRUCTION_WORDS: usize = 3;

/// A sentence that corrects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// Whether it says by itself that it corrects; one that does not may belong to a task.
    pub explicit: bool,
    /// The rule, without what leads up to it.
    pub rule: String,
    /// As the user said it.
    pub quote: String,
}

pub(crate) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let mut corrections_found: Vec<(usize, Correction, u32)> = Vec::new();
    let mut instructions: Vec<(usize, String)> = Vec::new();
    let mut prompts = 0;
    for (step_index, step) in input.timeline.steps.iter().enumerate() {
        let StepKind::Prompt(prompt) = &step.kind else { continue };
        prompts += 1;
        for sentence in sentences(prompt) {
            let new = match correction(&sentence) {
                Some(unsigned) if !unsigned.explicit && step.call_number == 0 => {
                    let why = "said before anything was done: it may be part of the task";
                    results.reject(Basis::Correction, one_line(&unsigned.quote, 100), 1, why);
                    None
                }
                Some(correction) => Some((step_index, correction, 1)),
                None => {
                    let is_repeat = |(at, other): &(usize, String)| {
                        *at != prompts && is_same_sentence(other, &sentence)
                    };
                    let again = is_instruction(&sentence) && instructions.iter().any(is_repeat);
                    let (rule, quote) = (capitalised(&sentence), sentence.clone());
                    again.then_some((step_index, Correction { explicit: true, rule, quote }, 2))
                }
            };
            if is_instruction(&sentence) {
                instructions.push((prompts, sentence.clone()));
            }
            let Some((step_index, correction, count)) = new else { continue };
            match corrections_found
                .iter_mut()
                .find(|(_, known, _)| is_same_sentence(&known.rule, &correction.rule))
            {
                Some((_, _, times)) => *times += 1,
                None => corrections_found.push((step_index, correction, count)),
            }
        }
    }
    for (step_index, correction, count) in corrections_found {
        let files = named_files(input, &correction.quote);
        let kind = if files.is_empty() { "preference" } else { "gotcha" };
        let mut draft = input.draft(kind, correction.rule.clone(), &files, CONFIDENCE);
        draft.reasoning = Some(format!("The user said: “{}”", correction.quote));
        results.candidates.push(MemoryCandidate {
            basis: Basis::Correction,
            key: stable_key(&["correction", &correction.rule.to_lowercase()]),
            about: one_line(&correction.quote, 100),
            occurrences: count,
            at: input.time_of(step_index),
            // The user's word holds whatever came of the work.
            step_index: None,
            draft,
            replaces: false,
        });
    }
}

/// The sentences of a prompt that the user wrote and did not paste.
fn sentences(prompt: &str) -> Vec<String> {
    if prompt.len() > MAX_PROMPT {
        return Vec::new();
    }
    let mut results = Vec::new();
    for text in outside_fences(prompt) {
        let pasted = text.starts_with("    ")
            || text.starts_with('\t')
            || text.trim_start().starts_with(['>', '|', '<', '{', '$']);
        if pasted {
            continue;
        }
        let mut start = 0;
        for (at, c) in text.char_indices() {
            let next = at + c.len_utf8();
            let ends = match c {
                '.' | '!' | '?' | ';' => {
                    text[next..].chars().next().is_none_or(|c| c.is_ascii_whitespace())
                }
                '。' | '！' | '？' | '；' => true,
                _ => false,
            };
            if ends {
                results.push(text[start..next].trim().to_owned());
                start = next;
            }
        }
        results.push(text[start..].trim().to_owned());
    }
    results.retain(|sentence| (MIN_SENTENCE..=MAX_SENTENCE).contains(&width(sentence)));
    results
}

/// How much a sentence says, by its letters: one that stands for a syllable or a word counts twice.
fn width(sentence: &str) -> usize {
    sentence.chars().map(|c| if c >= '\u{2e80}' { 2 } else { 1 }).sum()
}

/// The rule in a sentence, if it is one in any language.
fn correction(sentence: &str) -> Option<Correction> {
    let lower = normalised(sentence);
    if lower.ends_with(['?', '？']) || is_temporary(&lower) {
        return None;
    }
    LANGUAGES.iter().find_map(|words| words.correction(sentence, &lower))
}

/// Whether a sentence is about the present alone. Sentences of several languages begin alike, so that
/// the words of all count.
fn is_temporary(lower: &str) -> bool {
    LANGUAGES.iter().flat_map(|words| words.temporary).any(|words| lower.contains(words))
}

/// A sentence in small letters, with one kind of apostrophe.
fn normalised(sentence: &str) -> String {
    sentence.to_lowercase().replace('’', "'")
}

impl CorrectionPhrases {
    fn correction(&self, sentence: &str, lower: &str) -> Option<Correction> {
        let after = |text: &'_ str, starts: &[&str]| {
            starts.iter().find(|start| text.starts_with(*start)).map(|start| start.len())
        };
        let opening = after(lower, self.rejections);
        let body = &lower[opening.unwrap_or(0)..];
        let lead = after(body, self.lead_ins);
        let rule = &body[lead.unwrap_or(0)..];
        let begins = |words: &[&str]| words.iter().any(|word| rule.starts_with(word));
        let contains = |words: &[&str]| words.iter().any(|word| rule.contains(word));
        let has = |words: &[&str]| if self.spaced { begins(words) } else { contains(words) };
        let conventions = begins(self.conventions);
        let explicit = opening.is_some() || lead.is_some() || conventions;
        let general = conventions
            || begins(self.always)
            || (has(self.prohibitions) && contains(self.alternatives));
        let instructs = has(self.verbs) || general;
        if !(general || (explicit && instructs)) || self.depends_on_context(rule) {
            return None;
        }
        let start = sentence.len() - sentence_tail(sentence, rule.chars().count()).len();
        let rule = capitalised(&sentence[start..]);
        Some(Correction { explicit, rule, quote: sentence.to_owned() })
    }

    /// Whether a sentence cannot be understood without what was said before.
    fn depends_on_context(&self, rule: &str) -> bool {
        let plain = self
            .project_phrases
            .iter()
            .fold(rule.to_owned(), |text, phrase| text.replace(phrase, ""));
        if !self.spaced {
            return self.context_words.iter().any(|word| plain.contains(word));
        }
        plain
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .any(|word| self.context_words.contains(&word))
    }

    fn is_instruction(&self, lower: &str) -> bool {
        let politeness =
            self.politeness.iter().find_map(|politeness| lower.strip_prefix(politeness));
        let text = politeness.unwrap_or(lower);
        let lists = [self.verbs, self.always, self.prohibitions, self.repeated];
        let instructs = lists
            .iter()
            .flat_map(|list| list.iter())
            .any(|verb| if self.spaced { text.starts_with(verb) } else { text.contains(verb) });
        instructs
            && (!self.spaced || lower.split_whitespace().count() >= MIN_INSTRUCTION_WORDS)
            && !self.depends_on_context(lower)
    }
}

/// The last characters of a sentence.
fn sentence_tail(sentence: &str, count: usize) -> &str {
    let skip = sentence.chars().count().saturating_sub(count);
    sentence.char_indices().nth(skip).map_or("", |(at, _)| &sentence[at..])
}

fn is_instruction(sentence: &str) -> bool {
    let lower = normalised(sentence);
    !lower.ends_with(['?', '？'])
        && !is_temporary(&lower)
        && LANGUAGES.iter().any(|words| words.is_instruction(&lower))
}

fn is_same_sentence(one: &str, other: &str) -> bool {
    jaccard(&tokenize(one), &tokenize(other)) >= SAME_SENTENCE
}

fn capitalised(text: &str) -> String {
    let text = text.trim().trim_end_matches(['.', '!', ';', '。', '！', '；']);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The files of the tree that a sentence names.
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
mod tests {
    use super::*;

    fn corrections(prompt: &str) -> Vec<Correction> {
        sentences(prompt).into_iter().filter_map(|sentence| correction(&sentence)).collect()
    }

    #[test]
    fn corrections_are_recognised() {
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
            let results: Vec<String> =
                corrections(prompt).into_iter().map(|results| results.rule).collect();
            assert_eq!(results, [rule], "{prompt}");
        }
    }

    #[test]
    fn corrections_are_recognised_in_other_languages() {
        for (prompt, rule) in [
            ("Nein, benutze pnpm statt npm.", "Benutze pnpm statt npm"),
            ("Verwende nicht println, sondern tracing!", "Verwende nicht println, sondern tracing"),
            ("Sieht gut aus. Immer Importe sortieren.", "Immer Importe sortieren"),
            ("Non, utilise pnpm et pas npm.", "Utilise pnpm et pas npm"),
            ("N’utilise pas npm, utilise pnpm", "N’utilise pas npm, utilise pnpm"),
            ("No, usa pnpm en vez de npm.", "Usa pnpm en vez de npm"),
            (
                "Siempre ejecuta las pruebas antes de confirmar.",
                "Siempre ejecuta las pruebas antes de confirmar",
            ),
            ("Não, use pnpm em vez de npm.", "Use pnpm em vez de npm"),
            ("A partir de agora, escreva mensagens em inglês.", "Escreva mensagens em inglês"),
            ("No, usa pnpm invece di npm.", "Usa pnpm invece di npm"),
            ("Non usare println, usa tracing.", "Non usare println, usa tracing"),
            ("Нет, используй pnpm.", "Используй pnpm"),
            ("Не используй npm, используй pnpm.", "Не используй npm, используй pnpm"),
            ("不，用 pnpm，不要用 npm。", "用 pnpm，不要用 npm"),
            ("看起来不错。不要用npm，用pnpm。", "不要用npm，用pnpm"),
            ("いや、pnpmを使ってください。", "Pnpmを使ってください"),
            ("npmではなくpnpmを使って", "Npmではなくpnpmを使って"),
            ("아니, pnpm을 사용해.", "Pnpm을 사용해"),
            ("npm 말고 pnpm을 써 줘.", "Npm 말고 pnpm을 써 줘"),
        ] {
            let results: Vec<String> =
                corrections(prompt).into_iter().map(|results| results.rule).collect();
            assert_eq!(results, [rule], "{prompt}");
        }
    }

    #[test]
    fn other_sentences_are_ignored_in_other_languages() {
        for prompt in [
            "Nein, das ist falsch.",
            "Nein, benutze das da.",
            "Verwende immer Mocks, aber nur vorerst.",
            "Warum verwendest du immer Mocks?",
            "Benutze tokio im Modul web.",
            "Non, ce n'est pas ça.",
            "Utilise toujours des mocks pour l'instant.",
            "Ajoute une commande qui utilise pnpm.",
            "No, eso está mal.",
            "Usa siempre mocks por ahora.",
            "Não, isso está errado.",
            "Sempre use mocks por enquanto.",
            "No, usa quello invece.",
            "Нет, это неправильно.",
            "Всегда используй моки, но пока только здесь.",
            "使用 React 写一个登录页面。",
            "不，用这个方法。",
            "为什么总是用 npm？",
            "いや、それを使ってください。",
            "Reactを使ってログイン画面を作ってください。",
            "아니, 그것을 사용해.",
            "React를 사용해서 로그인 페이지를 만들어 줘.",
        ] {
            assert_eq!(corrections(prompt), [], "{prompt}");
        }
    }

    #[test]
    fn instructions_are_recognised_in_any_language() {
        for (sentence, expected) in [
            ("Please run the linter", true),
            ("Bitte verwende die neuen Helfer", true),
            ("Por favor, usa los nuevos tipos", true),
            ("pnpmを使ってください", true),
            ("Add a command for exports", false),
            ("Der Export ist langsam geworden", false),
        ] {
            assert_eq!(is_instruction(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn other_sentences_are_ignored() {
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
