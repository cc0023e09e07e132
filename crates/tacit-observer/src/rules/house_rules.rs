//! Learns the lint and type rules that a project enforces, as one memory per tool.
//!
//! Rules that only find leftovers of an edit, such as unused names, say nothing about a project.

use std::collections::BTreeMap;

use super::failures::{EndedFinding, FailureHistory};
use super::fix_commands::is_format_finding;
use super::fix_lines::{TELLING, is_name, is_printed_file, quoted_parts, suppression, told_change};
use super::rule_texts::rule_text;
use super::{RuleInput, RuleOutput};
use crate::code_lines::{has_word, identifiers};
use crate::digest::LintRule;
use crate::findings::{Finding, FindingKind};
use crate::promotion::{Basis, MemoryCandidate};
use crate::text::{describe_line_change, one_line, quote, stable_key};

/// Sessions, or places in one session, from which a rule counts without a clear fix.
const ENOUGH: u32 = 2;
/// Maximum number of rules in the text of a memory, and of those that are explained.
const NAMED_RULES: usize = 12;
const EXPLAINED_RULES: usize = 6;
/// Maximum length of the text, in characters.
const MAX_TEXT: usize = 900;
/// Maximum length of a message, in characters.
const MAX_MESSAGE: usize = 110;
const CONFIDENCE: f64 = 0.8;
/// The beginning of the tag that names the checker.
pub const CHECKER_TAG: &str = "tool:";

/// Rules about leftovers of an edit, or about code that does not parse.
const LEFTOVERS: [&str; 18] = [
    "typecheck",
    "unused",
    "unparam",
    "ineffassign",
    "deadcode",
    "F401",
    "F811",
    "F821",
    "F841",
    "E999",
    "no-undef",
    "unused-import",
    "unused-variable",
    "dead_code",
    "unused_imports",
    "unused_variables",
    "import/no-unresolved",
    "syntax",
];
/// Type rules that depend on the strictness of a project; others report plain errors.
const STRICT_TYPE_RULES: [&str; 22] = [
    "no-untyped-def",
    "no-untyped-call",
    "no-any-return",
    "type-arg",
    "no-any-unimported",
    "untyped-decorator",
    "explicit-override",
    "import-untyped",
    "no-any-explicit",
    "TS7006",
    "TS7031",
    "TS7053",
    "TS7005",
    "TS7016",
    "TS2531",
    "TS2532",
    "TS18047",
    "TS18048",
    "TS4111",
    "TS4114",
    "TS1484",
    "TS2835",
];

/// Linters that are collections of rules: their messages begin with the name of the rule.
const COLLECTIONS: [&str; 6] =
    ["gosec", "staticcheck", "revive", "gocritic", "stylecheck", "govet"];
/// Options that replace the rules of the project for one run.
const RULE_OPTIONS: [&str; 9] = [
    "--no-config",
    "--enable",
    "-E",
    "--disable-all",
    "--default",
    "--select",
    "--rule",
    "--no-eslintrc",
    "--isolated",
];

/// A rule over all sessions.
struct RuleSummary {
    rule: String,
    message: String,
    sessions: u32,
    places: u32,
    fix: Option<String>,
    suppression: Option<String>,
}

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let history = FailureHistory::read(input);
    // The last step at which a rule of a tool was satisfied.
    let mut tools: BTreeMap<&str, usize> = BTreeMap::new();
    for ended in history.ended.iter().filter(|ended| uses_project_rules(&ended.run.line)) {
        let Some(rule) = house_rule(&ended.finding) else { continue };
        let tool = ended.finding.tool;
        let last = tools.entry(tool).or_default();
        *last = (*last).max(ended.ended_step);
        let edits = history.fix_edits(ended);
        let suppression = suppression(&ended.finding, &edits);
        let fix = match suppression {
            Some(_) => None,
            None => describe_fix(&history, ended),
        };
        let known =
            results.lint_rules.iter_mut().find(|known| known.tool == tool && known.rule == rule);
        match known {
            Some(known) => {
                known.places += 1;
                known.fix = shorter(known.fix.take(), fix);
                known.suppression = known.suppression.take().or(suppression);
            }
            None => results.lint_rules.push(LintRule {
                tool: tool.to_owned(),
                message: general_message(&rule, &ended.finding.message),
                rule,
                places: 1,
                fix,
                suppression,
            }),
        }
    }
    for (tool, last_step) in tools {
        let rules = summarise(input, &results.lint_rules, tool);
        let (known, rare): (Vec<_>, Vec<_>) = rules.into_iter().partition(|rule| {
            let told =
                rule.fix.is_some() || rule.suppression.is_some() || rule_text(&rule.rule).is_some();
            rule.sessions >= ENOUGH || rule.places >= ENOUGH || told
        });
        for rule in rare {
            let why = "seen once, and nothing tells what satisfied it";
            results.reject(Basis::HouseRule, format!("{tool} {}", rule.rule), 1, why);
        }
        if known.is_empty() {
            continue;
        }
        let sessions = known.iter().map(|rule| rule.sessions).max().unwrap_or(1);
        let mut draft = input.draft("pattern", text(tool, &known), &[], CONFIDENCE);
        draft.tags = vec![format!("{CHECKER_TAG}{tool}")];
        results.candidates.push(MemoryCandidate {
            basis: Basis::HouseRule,
            key: stable_key(&["house_rules", tool]),
            about: format!("rules of {tool}"),
            occurrences: sessions,
            at: input.time_of(last_step),
            step_index: Some(last_step),
            draft,
            replaces: true,
        });
    }
}

/// Returns true if a run uses the rules that the project chose.
fn uses_project_rules(line: &str) -> bool {
    !line.split_whitespace().any(|word| {
        let option = word.split('=').next().unwrap_or(word);
        RULE_OPTIONS.contains(&option)
    })
}

/// Returns the shorter of two descriptions: it has less of one place in it.
fn shorter(one: Option<String>, other: Option<String>) -> Option<String> {
    one.into_iter().chain(other).min_by_key(String::len)
}

/// Returns the rule of a finding if it is one that a project chooses to enforce.
fn house_rule(finding: &Finding) -> Option<String> {
    let rule = finding.rule.as_deref()?;
    let collected = COLLECTIONS.contains(&rule).then(|| finding.message.split_once(": ")).flatten();
    let name = match collected {
        Some((name, _)) if !name.contains(' ') => format!("{rule} {name}"),
        _ => rule.to_owned(),
    };
    let chosen = match finding.kind {
        FindingKind::Lint => {
            !LEFTOVERS.contains(&rule) && !name.contains("unused") && !is_format_finding(finding)
        }
        FindingKind::Types => {
            STRICT_TYPE_RULES.contains(&rule)
                || ["report", "missingType."].iter().any(|start| rule.starts_with(start))
        }
        _ => false,
    };
    chosen.then_some(name)
}

/// Describes what satisfied a rule: the changed line in the same file.
fn describe_fix(history: &FailureHistory<'_>, ended: &EndedFinding<'_>) -> Option<String> {
    let file = ended.finding.file.as_deref()?;
    let mut edits = history.fix_edits(ended);
    edits.retain(|edit| is_printed_file(&edit.file, file));
    let told = told_change(&ended.finding, &ended.run.output, &edits)?;
    let (old, new) = (told.change.removed.as_deref()?, told.change.added.as_deref()?);
    let replaced = identifiers(old).any(|name| has_word(new, name));
    (told.relevance >= TELLING && replaced).then(|| describe_line_change(&told.change))
}

/// Combines the rules of a tool over this session and earlier ones, most frequent first.
fn summarise(input: &RuleInput<'_>, current: &[LintRule], tool: &str) -> Vec<RuleSummary> {
    let past = input
        .past_digests
        .iter()
        .filter(|digest| digest.session != input.digest.session)
        .map(|digest| digest.lint_rules.as_slice());
    let mut rules: Vec<RuleSummary> = Vec::new();
    for session in std::iter::once(current).chain(past) {
        for one in session.iter().filter(|one| one.tool == tool) {
            let at = rules.iter().position(|known| known.rule == one.rule);
            let at = at.unwrap_or_else(|| {
                rules.push(RuleSummary {
                    rule: one.rule.clone(),
                    message: one.message.clone(),
                    sessions: 0,
                    places: 0,
                    fix: None,
                    suppression: None,
                });
                rules.len() - 1
            });
            let known = &mut rules[at];
            known.sessions += 1;
            known.places += one.places;
            known.fix = shorter(known.fix.take(), one.fix.clone());
            known.suppression = known.suppression.take().or_else(|| one.suppression.clone());
        }
    }
    rules.sort_by_key(|rule| (std::cmp::Reverse((rule.sessions, rule.places)), rule.rule.clone()));
    rules
}

/// Renders the memory: the rules, then what each says and what satisfied it.
fn text(tool: &str, rules: &[RuleSummary]) -> String {
    let names: Vec<&str> = rules.iter().take(NAMED_RULES).map(|rule| rule.rule.as_str()).collect();
    let list = match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    };
    let mut text = format!("{tool} here enforces {list}.");
    for rule in rules.iter().take(EXPLAINED_RULES) {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(Some(rule.message.clone()).filter(|message| !message.is_empty()));
        parts.extend(rule.fix.clone());
        parts.extend(rule.suppression.as_ref().map(|comment| format!("or {}", quote(comment))));
        let clause = format!(" {}: {}.", rule.rule, parts.join("; "));
        if !parts.is_empty() && text.chars().count() + clause.chars().count() <= MAX_TEXT {
            text.push_str(&clause);
        }
    }
    text
}

/// Returns what a memory about the rules of a tool says about some of them, or `None` if it says
/// nothing about them.
pub fn advice_about(text: &str, rules: &[&str]) -> Option<String> {
    let (head, rest) = text.split_once(". ")?;
    let (tool, names) = head.split_once(" here enforces ")?;
    let names: Vec<&str> = names.split(", ").flat_map(|part| part.split(" and ")).collect();
    let starts: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| {
            let mark = format!("{name}: ");
            let at = if rest.starts_with(&mark) {
                Some(0)
            } else {
                rest.find(&format!(". {mark}")).map(|at| at + 2)
            };
            at.map(|at| (at, *name))
        })
        .collect();
    let mut clauses: Vec<(usize, &str)> = Vec::new();
    for (at, name) in &starts {
        // Rules of a family are printed by their last word.
        let is_violated =
            rules.iter().any(|rule| rule == name || name.ends_with(&format!(" {rule}")));
        let end = starts.iter().map(|(other, _)| *other).filter(|other| other > at).min();
        if is_violated {
            clauses.push((*at, rest[*at..end.unwrap_or(rest.len())].trim()));
        }
    }
    clauses.sort_unstable();
    let clauses: Vec<&str> = clauses.into_iter().map(|(_, clause)| clause).collect();
    (!clauses.is_empty()).then(|| format!("{tool} here: {}", clauses.join(" ")))
}

/// Returns what a rule asks for: a known text, or the message without what belongs to one place.
/// Empty if nothing general remains.
fn general_message(rule: &str, message: &str) -> String {
    if let Some(text) = rule_text(rule) {
        return text.to_owned();
    }
    let name = rule.rsplit(' ').next().unwrap_or(rule);
    let message =
        message.strip_prefix(name).map_or(message, |rest| rest.trim_start_matches(':').trim());
    let lower = message.to_lowercase();
    let advises = ["use ", "instead", "prefer", "must not"].iter().any(|word| lower.contains(word));
    if advises {
        return one_line(message.trim_end_matches(['.', ' ', ':']), MAX_MESSAGE);
    }
    let mut general = message.to_owned();
    for quoted in quoted_parts(message) {
        for sign in ['`', '\'', '"'] {
            general = general.replace(&format!("{sign}{quoted}{sign}"), "…");
        }
    }
    let words = general.split(' ').map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let place = bare.contains(['/', '.', ':']) || is_name(bare);
        if (place && bare.len() > 3) || bare.starts_with(|c: char| c.is_ascii_digit()) {
            "…"
        } else {
            word
        }
    });
    let general = words.collect::<Vec<_>>().join(" ");
    // A message with several gaps, or one that begins with a gap, cannot be understood.
    if general.starts_with('…') || general.matches('…').count() > 1 {
        return String::new();
    }
    one_line(general.trim_end_matches(['.', ' ', ':']), MAX_MESSAGE)
}
