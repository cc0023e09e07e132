//! Scores a session for each category.

use std::ops::Range;

use super::lexicon::{Lexicon, PhraseMatches};
use super::phrases;
use super::{Activity, TriageSession};
use crate::category::RecordCategory;
use crate::settings::RecordSettings;

/// The weight of a primary phrase alone.
const ALONE: f64 = 0.3;
/// The weight of a primary phrase with a booster nearby, or of a sufficient phrase.
const BOOSTED: f64 = 0.5;
/// The greatest distance of a booster, in lines.
const NEAR: usize = 4;
/// The weight of each measure of activity, and the number at which it counts fully.
const TOOL_USES: (f64, f64) = (0.4, 20.0);
const DISTINCT_TOOLS: (f64, f64) = (0.3, 5.0);
const EXCHANGES: (f64, f64) = (0.3, 10.0);

/// A line that indicates a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchedLine {
    /// The index of the line.
    pub line: usize,
    /// True if a booster is nearby, or the line is sufficient by itself.
    pub boosted: bool,
    /// True if a phrase matches, not only the meaning.
    pub by_phrase: bool,
}

/// The score of a session for a category.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryScore {
    /// The category.
    pub category: RecordCategory,
    /// The score, from 0 to 1.
    pub score: f64,
    /// The lines that indicate the category.
    pub findings: Vec<MatchedLine>,
}

/// Scores a session for a category. Matched lines count as independent evidence.
pub fn score_session(session: &TriageSession, category: RecordCategory) -> CategoryScore {
    let Some(phrases) = phrases::for_category(category) else {
        let score = score_activity(&session.activity);
        return CategoryScore { category, score, findings: Vec::new() };
    };
    let lines: Vec<String> = session.lines.iter().map(|line| statements(&line.text)).collect();
    let lexicon = Lexicon::of(phrases);
    let lines: Vec<PhraseMatches> = lines.iter().map(|line| lexicon.find_phrases(line)).collect();
    let mut findings = Vec::new();
    let mut doubt = 1.0;
    if category == RecordCategory::Runbook {
        // Observed fixes count like matched lines.
        doubt *= session.activity.fixes.iter().map(|_| 1.0 - BOOSTED).product::<f64>();
    }
    for (index, line) in lines.iter().enumerate() {
        let sufficient = session.lines[index].category == Some(category) || line.sufficient;
        if !sufficient && line.primary.is_empty() {
            continue;
        }
        let boosted = sufficient || {
            let from = index.saturating_sub(NEAR);
            let until = (index + NEAR + 1).min(lines.len());
            (from..until).any(|near| {
                lines[near].boosters.iter().any(|booster| {
                    near != index || line.primary.iter().any(|primary| disjoint(primary, booster))
                })
            })
        };
        let by_phrase = line.sufficient || !line.primary.is_empty();
        findings.push(MatchedLine { line: index, boosted, by_phrase });
        doubt *= 1.0 - if boosted { BOOSTED } else { ALONE };
    }
    CategoryScore { category, score: rounded(1.0 - doubt), findings }
}

/// Returns the enabled categories whose score reaches the threshold, in order.
pub fn categories_to_capture(
    session: &TriageSession,
    settings: &RecordSettings,
) -> Vec<CategoryScore> {
    RecordCategory::ALL
        .into_iter()
        .filter(|category| {
            settings.category(*category).enabled && settings.category(*category).auto_capture
        })
        .map(|category| score_session(session, category))
        .filter(|found| {
            found.score > 0.0 && found.score >= settings.category(found.category).threshold
        })
        .collect()
}

fn score_activity(activity: &Activity) -> f64 {
    let part = |(weight, full): (f64, f64), number: usize| weight * (number as f64 / full).min(1.0);
    rounded(
        part(TOOL_USES, activity.tool_uses)
            + part(DISTINCT_TOOLS, activity.distinct_tools)
            + part(EXCHANGES, activity.exchanges),
    )
}

fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

fn disjoint(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.end <= other.start || other.end <= one.start
}

/// Returns the statements of a line in lower case, without questions.
fn statements(line: &str) -> String {
    let mut text = line.to_lowercase().replace('\u{2019}', "'");
    while let Some(end) = text.find('?') {
        let start = text[..end].rfind(['.', '!', ';', ':']).map_or(0, |at| at + 1);
        text.replace_range(start..=end, "");
    }
    text
}
