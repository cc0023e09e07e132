//! Drafts records by rules, only from what was said or done, in the original words.

use serde_json::{Map, Value, json};

use super::{CategoryScore, MatchedLine, TriageSession};
use crate::category::RecordCategory;
use crate::record::MAX_TITLE;

/// The most lines of a draft.
const MAX_LINES: usize = 8;
/// The number of lines after an error in which its fix is searched.
const FIX_WITHIN: usize = 12;
/// The confidence of a draft with a primary phrase and a booster.
const CONFIDENCE: f64 = 0.7;
/// The confidence of a draft with only a primary phrase.
const DOUBTFUL: f64 = 0.5;

/// Drafts a record; `None` if the session does not say enough.
pub fn draft_record(session: &TriageSession, found: &CategoryScore) -> Option<Map<String, Value>> {
    let (title, content) = match found.category {
        RecordCategory::SessionSummary => summary(session)?,
        RecordCategory::Runbook => runbook(session, found)?,
        other => statement(session, found, other)?,
    };
    let seen = found.category == RecordCategory::Runbook && !session.activity.fixes.is_empty();
    let sure =
        seen || found.findings.is_empty() || found.findings.iter().any(|finding| finding.boosted);
    let record = json!({
        "category": found.category.as_str(),
        "title": shorten(&title, MAX_TITLE),
        "tags": [found.category.as_str().replace('_', "-"), "auto-captured"],
        "related_files": session.activity.files.iter().take(16).collect::<Vec<_>>(),
        "confidence": if sure { CONFIDENCE } else { DOUBTFUL },
        "content": content,
    });
    match record {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// Summarises a session from its activity.
fn summary(session: &TriageSession) -> Option<(String, Value)> {
    let activity = &session.activity;
    let goal = activity.goal.as_ref()?;
    let changed: Vec<String> =
        activity.files.iter().take(MAX_LINES).map(|file| format!("Changed {file}")).collect();
    let newest = |lines: Vec<String>| -> Vec<String> {
        let from = lines.len().saturating_sub(MAX_LINES);
        lines[from..].to_vec()
    };
    let passed = newest(activity.passed().map(|command| format!("`{command}` passed")).collect());
    let open: Vec<(&str, &str)> = activity.open_failures().collect();
    let blockers =
        open.iter().map(|(command, error)| format!("`{command}` does not pass: {error}"));
    let next = open.iter().map(|(command, _)| format!("`{command}` does not pass yet"));
    let content = json!({
        "goal": shorten(goal, 500),
        "outcome": if open.is_empty() { "success" } else { "partial" },
        "completed": passed, "in_progress": [], "blockers": newest(blockers.collect()),
        "next_actions": newest(next.collect()), "key_changes": changed,
    });
    Some((goal.clone(), content))
}

/// Drafts a runbook from an observed fix, else from what was said.
fn runbook(session: &TriageSession, found: &CategoryScore) -> Option<(String, Value)> {
    let Some(fix) = session.activity.fixes.first() else { return stated_runbook(session, found) };
    let title = format!("`{}` fails: {}", fix.command, fix.error);
    let steps: Vec<String> = fix.files.iter().map(|file| format!("Changed {file}")).collect();
    let content = json!({
        "trigger": title, "symptoms": [fix.error], "steps": steps,
        "verification": format!("`{}` passed", fix.command),
    });
    Some((title, content))
}

/// Drafts a runbook from an error and a statement about its cause or fix soon after.
fn stated_runbook(session: &TriageSession, found: &CategoryScore) -> Option<(String, Value)> {
    let at = |index: usize| session.lines.get(index).map(|line| line.text.as_str());
    let fixing = |text: &str| {
        let text = text.to_lowercase();
        ["fixed", "the fix", "resolved", "solution", "root cause", "turned out", "solved"]
            .iter()
            .any(|word| text.contains(word))
    };
    let (error, fix) =
        found.findings.iter().filter(|finding| finding.boosted).find_map(|finding| {
            let until = (finding.line + FIX_WITHIN).min(session.lines.len());
            let fix = (finding.line..until).find(|index| at(*index).is_some_and(fixing))?;
            Some((finding.line, fix))
        })?;
    let (error, fix) = (at(error)?, at(fix)?);
    let verified = session.lines.iter().rev().map(|line| line.text.as_str()).find(|text| {
        let text = text.to_lowercase();
        ["passes now", "pass now", "works now", "green"].iter().any(|word| text.contains(word))
    });
    let content = json!({
        "trigger": error, "symptoms": [error], "steps": [fix],
        "verification": verified.unwrap_or("unverified"),
    });
    Some((error.to_owned(), content))
}

fn statement(
    session: &TriageSession,
    found: &CategoryScore,
    category: RecordCategory,
) -> Option<(String, Value)> {
    // The first of the lines with the most evidence.
    let weight = |finding: &MatchedLine| {
        let by_meaning =
            session.lines.get(finding.line).is_some_and(|l| l.category == Some(category));
        usize::from(finding.boosted) + usize::from(finding.by_phrase) + usize::from(by_meaning)
    };
    let best = found.findings.iter().rev().max_by_key(|finding| weight(finding))?;
    let statement_text = session.lines.get(best.line)?.text.clone();
    let near = |index: usize| session.lines.get(index).map(|line| line.text.clone());
    let before = best.line.checked_sub(1).and_then(near).unwrap_or_else(|| statement_text.clone());
    let content = match category {
        RecordCategory::Decision => json!({
            "status": "proposed", "context": before, "decision": statement_text, "alternatives": [],
            "rationale": [statement_text], "consequences": [],
        }),
        RecordCategory::Constraint => json!({
            "kind": "limitation", "rule": statement_text, "impact": [], "workarounds": [],
            "severity": "medium", "active": true, "expires": "none",
        }),
        RecordCategory::TechDebt => json!({
            "status": "open", "priority": "medium", "description": statement_text,
            "reason_deferred": statement_text, "impact": [], "suggested_fix": [],
            "acceptance_criteria": [],
        }),
        _ => json!({
            "topic": shorten(&statement_text, 80), "value": statement_text, "reason": statement_text, "strength": "default",
        }),
    };
    Some((statement_text, content))
}

/// Cuts a text to one line of at most `max` characters, at a word.
fn shorten(text: &str, max: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= max {
        return text;
    }
    let cut: String = text.chars().take(max - 1).collect();
    let end = cut.rfind(' ').filter(|end| *end > max / 2).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}
