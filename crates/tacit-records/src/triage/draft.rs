//! Drafts records by rules, only from what was said or done, in the original words. What an
//! engineer would not sign as it stands is not drafted.

use serde_json::{Map, Value, json};

use super::statement::StatedClaim;
use super::{CategoryScore, TriageSession};
use crate::category::RecordCategory;
use crate::record::MAX_TITLE;

/// The most lines of a draft.
const MAX_LINES: usize = 8;
/// The most checks that a summary names.
const MAX_CHECKS: usize = 3;
/// The confidence of a draft with a primary phrase and a booster.
const CONFIDENCE: f64 = 0.7;
/// The confidence of a draft with only a primary phrase.
const DOUBTFUL: f64 = 0.5;

/// Drafts a record; `None` if the session does not say enough.
pub fn draft_record(session: &TriageSession, found: &CategoryScore) -> Option<Map<String, Value>> {
    let (title, content) = match found.category {
        RecordCategory::SessionSummary => summary(session)?,
        RecordCategory::Runbook => runbook(session)?,
        other => stated(session, found, other)?,
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

/// Summarises a session that changed something: its task, its checks and what is left.
fn summary(session: &TriageSession) -> Option<(String, Value)> {
    let activity = &session.activity;
    let goal = activity.goal().filter(|_| activity.requests.tell_the_task())?;
    if activity.files.is_empty() {
        return None;
    }
    let changed: Vec<String> =
        activity.files.iter().take(MAX_LINES).map(|file| format!("Changed {file}")).collect();
    let mut passed: Vec<String> =
        activity.passed().map(|check| format!("`{check}` passed")).collect();
    passed.drain(..passed.len().saturating_sub(MAX_CHECKS));
    let failure = activity.open_failure();
    let blockers = failure.map(|check| match &check.finding {
        Some(finding) => format!("`{}` does not pass: {finding}", check.command),
        None => format!("`{}` does not pass", check.command),
    });
    let blockers: Vec<String> = blockers.into_iter().collect();
    let next: Vec<&String> = activity.open_points.iter().collect();
    let done = blockers.is_empty() && next.is_empty();
    if done && activity.checks.last().is_none_or(|check| !check.passed) {
        // Nobody knows how it ended.
        return None;
    }
    let content = json!({
        "goal": goal,
        "outcome": if done { "success" } else { "partial" },
        "completed": passed, "in_progress": [], "blockers": blockers,
        "next_actions": next, "key_changes": changed,
    });
    Some((goal.to_owned(), content))
}

/// Drafts a runbook from a failure that commands ended.
fn runbook(session: &TriageSession) -> Option<(String, Value)> {
    let fix = session.activity.fixes.first()?;
    let title = format!("`{}` fails: {}", fix.command, fix.finding);
    let steps: Vec<String> = fix.steps.iter().map(|step| format!("Run `{step}`")).collect();
    let content = json!({
        "trigger": title, "symptoms": [fix.finding], "steps": steps,
        "verification": format!("`{}` passed", fix.command),
    });
    Some((title, content))
}

/// Drafts a record from the plainest statement of its category.
fn stated(
    session: &TriageSession,
    found: &CategoryScore,
    category: RecordCategory,
) -> Option<(String, Value)> {
    let mut statements = found.findings.iter().filter_map(|finding| {
        let line = session.lines.get(finding.line)?;
        StatedClaim::of(line, category)
    });
    let StatedClaim { claim, reason } = statements.next()?;
    let content = match (category, reason) {
        (RecordCategory::Decision, Some(reason)) => json!({
            "status": "proposed", "context": session.activity.goal()?, "decision": claim,
            "alternatives": [], "rationale": [reason], "consequences": [],
        }),
        // A constraint without a stated impact concerns the task that it was met in.
        (RecordCategory::Constraint, reason) => json!({
            "kind": "limitation", "rule": claim,
            "impact": [reason.or_else(|| session.activity.goal().map(str::to_owned))?],
            "workarounds": [], "severity": "medium", "active": true, "expires": "none",
        }),
        (RecordCategory::TechDebt, Some(reason)) => json!({
            "status": "open", "priority": "medium", "description": claim,
            "reason_deferred": reason, "impact": [], "suggested_fix": [],
            "acceptance_criteria": [],
        }),
        (RecordCategory::Preference, Some(reason)) => json!({
            "topic": shorten(&claim, 80), "value": claim, "reason": reason, "strength": "default",
        }),
        _ => return None,
    };
    Some((claim, content))
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
