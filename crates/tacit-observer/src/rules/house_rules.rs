//! Learns the lint and type rules that a project enforces, as one memory per tool.
//!
//! Rules that only find leftovers of an edit, such as unused names, say nothing about a project.

use std::collections::BTreeMap;

use super::failures::{EndedFinding, FailureHistory};
use super::fix_commands::{FixClass, classified_commands, is_format_finding};
use super::fix_lines::{TELLING, is_name, quoted_parts, suppression, told_change};
use super::{RuleInput, RuleOutput};
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
const STRICT_TYPE_RULES: [&str; 21] = [
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
];

/// A rule over all sessions.
struct RuleSummary {
    rule: String,
    message: String,
    sessions: u32,
    places: u32,
    fixes: Vec<String>,
}

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let history = FailureHistory::read(input);
    // The last step at which a rule of a tool was satisfied.
    let mut tools: BTreeMap<&str, usize> = BTreeMap::new();
    for ended in &history.ended {
        let Some(rule) = house_rule(&ended.finding) else { continue };
        let tool = ended.finding.tool;
        let last = tools.entry(tool).or_default();
        *last = (*last).max(ended.ended_step);
        let fix = describe_fix(&history, ended);
        let known =
            results.lint_rules.iter_mut().find(|known| known.tool == tool && known.rule == rule);
        match known {
            Some(known) => {
                known.places += 1;
                known.fix = known.fix.take().or(fix);
            }
            None => results.lint_rules.push(LintRule {
                tool: tool.to_owned(),
                rule: rule.to_owned(),
                message: general_message(&ended.finding.message),
                places: 1,
                fix,
            }),
        }
    }
    for (tool, last_step) in tools {
        let rules = summarise(input, &results.lint_rules, tool);
        let (known, rare): (Vec<_>, Vec<_>) = rules.into_iter().partition(|rule| {
            rule.sessions >= ENOUGH || rule.places >= ENOUGH || !rule.fixes.is_empty()
        });
        for rule in rare {
            let why = "seen once, and nothing tells what satisfied it";
            results.reject(Basis::HouseRule, format!("{tool} {}", rule.rule), 1, why);
        }
        if known.is_empty() {
            continue;
        }
        let sessions: u32 = known.iter().map(|rule| rule.sessions).max().unwrap_or(1);
        let mut draft = input.draft("pattern", text(tool, &known), &[], CONFIDENCE);
        draft.tags = vec![format!("tool:{tool}")];
        results.candidates.push(MemoryCandidate {
            basis: Basis::HouseRule,
            key: stable_key(&["house_rules", tool]),
            about: format!("rules of {tool}"),
            occurrences: sessions.max(1),
            at: input.time_of(last_step),
            step_index: Some(last_step),
            draft,
            replaces: true,
        });
    }
}

/// Returns the rule of a finding if it is one that a project chooses to enforce.
fn house_rule(finding: &Finding) -> Option<&str> {
    let rule = finding.rule.as_deref()?;
    let chosen = match finding.kind {
        FindingKind::Lint => !LEFTOVERS.contains(&rule) && !rule.contains("unused"),
        FindingKind::Types => STRICT_TYPE_RULES.contains(&rule) || rule.starts_with("report"),
        _ => false,
    };
    chosen.then_some(rule)
}

/// Describes what satisfied a rule: a comment that switches it off, a formatter, or the changed
/// line.
fn describe_fix(history: &FailureHistory<'_>, ended: &EndedFinding<'_>) -> Option<String> {
    let edits = history.fix_edits(ended);
    if let Some(comment) = suppression(&ended.finding, &edits) {
        return Some(format!("{} where it is meant", quote(&comment)));
    }
    if is_format_finding(&ended.finding) {
        let commands = history.fix_commands(ended).into_iter().flat_map(classified_commands);
        let mut formatters = commands.filter(|(class, _)| *class == FixClass::Format);
        if let Some((_, command)) = formatters.next() {
            return Some(format!("run {}", quote(&command)));
        }
    }
    let told = told_change(&ended.finding, &ended.run.output, &edits)?;
    (told.relevance >= TELLING && told.change.added.is_some())
        .then(|| describe_line_change(&told.change))
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
                    fixes: Vec::new(),
                });
                rules.len() - 1
            });
            let known = &mut rules[at];
            known.sessions += 1;
            known.places += one.places;
            known.fixes.extend(one.fix.clone());
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
        let fix = rule.fixes.first().map_or(String::new(), |fix| format!(" ({fix})"));
        let clause = format!(" {}: {}{fix}.", rule.rule, rule.message);
        if text.chars().count() + clause.chars().count() <= MAX_TEXT {
            text.push_str(&clause);
        }
    }
    text
}

/// Returns a message without what belongs to one place: quoted names, signatures and numbers.
fn general_message(message: &str) -> String {
    let advises = ["use ", "instead", "prefer", "must not", "replace"]
        .iter()
        .any(|word| message.to_lowercase().contains(word));
    // A signature or a list of names follows the rule itself.
    let mut general = message.split(": sig:").next().unwrap_or(message).to_owned();
    if !advises {
        for quoted in quoted_parts(message) {
            for sign in ['`', '\'', '"'] {
                general = general.replace(&format!("{sign}{quoted}{sign}"), "…");
            }
        }
        let words = general.split(' ').map(|word| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let place = bare.contains(['/', '.', ':']) || is_name(bare);
            if place && bare.len() > 3 { "…" } else { word }
        });
        general = words.collect::<Vec<_>>().join(" ");
    }
    while general.contains("… …") {
        general = general.replace("… …", "…");
    }
    one_line(general.trim_end_matches(['.', ' ', ':']), MAX_MESSAGE)
}
