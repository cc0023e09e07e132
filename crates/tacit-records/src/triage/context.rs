//! Builds the excerpt of a session that a record is drafted from.

use std::fmt::Write as _;

use tacit_core::escape_tags;

use super::{CategoryScore, SessionLine, TriageSession};
use crate::category::RecordCategory;
use crate::settings::RecordSettings;

/// The most bytes of an excerpt.
pub const MAX_CONTEXT: usize = 50 * 1024;
/// The number of lines shown around a matched line.
const AROUND: usize = 10;
/// The number of last lines that a session summary is based on.
const LAST: usize = 40;
const OPEN: &str = "<transcript_data>";
const CLOSE: &str = "</transcript_data>";

/// Builds the excerpt for a category: its description and, between tags, the lines around the
/// matched ones, with secrets redacted. Session text cannot close the tags.
pub fn context_text(
    session: &TriageSession,
    found: &CategoryScore,
    settings: &RecordSettings,
) -> String {
    let mut text = format!("Category: {}\nScore: {:.2}\n", found.category, found.score);
    let description = &settings.category(found.category).description;
    if !description.is_empty() {
        let _ = writeln!(text, "Description: {}", escape_tags(description));
    }
    let _ = writeln!(text, "\n{OPEN}");
    let room = MAX_CONTEXT - CLOSE.len() - 1;
    for line in body(session, found) {
        let line = escape_tags(&tacit_redact::redact(&line).text);
        if text.len() + line.len() + 1 > room {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str(CLOSE);
    text.push('\n');
    text
}

fn body(session: &TriageSession, found: &CategoryScore) -> Vec<String> {
    let activity = &session.activity;
    let mut lines = Vec::new();
    let goal = activity.goal().into_iter().map(|goal| format!("Goal: {goal}"));
    if found.category == RecordCategory::SessionSummary {
        lines.push(format!("Tool uses: {}", activity.tool_uses));
        lines.push(format!("Distinct tools: {}", activity.distinct_tools));
        lines.push(format!("Exchanges: {}", activity.exchanges));
        lines.extend(goal);
        lines.extend(activity.files.iter().map(|file| format!("Changed: {file}")));
        lines.extend(activity.passed().map(|command| format!("Passed: `{command}`")));
        if let Some(check) = activity.open_failure() {
            let finding = check.finding.as_deref().unwrap_or_default();
            lines.push(format!("Does not pass: `{}`: {finding}", check.command));
        }
        lines.extend(activity.open_points.iter().map(|open| format!("Left to do: {open}")));
        // The last lines show best where the work stands.
        let from = session.lines.len().saturating_sub(LAST);
        lines.extend(session.lines[from..].iter().map(quoted));
        return lines;
    }
    lines.extend(goal);
    if found.category == RecordCategory::Runbook {
        for fix in &activity.fixes {
            lines.push(format!("Failed: `{}`: {}", fix.command, fix.finding));
            lines.extend(fix.steps.iter().map(|step| format!("Then ran: `{step}`")));
            lines.push(format!("Then passed: `{}`", fix.command));
        }
    }
    let mut shown_until = 0;
    for finding in &found.findings {
        let from = finding.line.saturating_sub(AROUND).max(shown_until);
        let until = (finding.line + AROUND + 1).min(session.lines.len());
        if from >= until {
            continue;
        }
        if from > shown_until {
            lines.push("[...]".to_owned());
        }
        lines.extend(session.lines[from..until].iter().map(quoted));
        shown_until = until;
    }
    lines
}

fn quoted(line: &SessionLine) -> String {
    format!("{}: {}", line.speaker.as_str(), line.text)
}
