//! Selects the record that new information belongs to, and the actions it allows. Pure: the caller
//! scores the records.

use serde_json::{Value, json};
use tacit_core::{Timestamp, tokenize};

use crate::action::AllowedAction;
use crate::category::RecordCategory;
use crate::error::record_count;
use crate::protect::is_name_reserved;
use crate::record::{Record, RecordStatus};
use crate::settings::RecordSettings;
use crate::text::record_text;

/// The overlap from which on a retired record counts as saying the same.
const SAME_CONTENT: f64 = 0.6;
/// The score from which on an active record is the candidate.
pub const CANDIDATE_FLOOR: f64 = 0.3;

/// Events in the life of a record's subject.
pub const LIFECYCLE_EVENTS: [&str; 5] =
    ["resolved", "removed", "reversed", "superseded", "deprecated"];

/// New information to find a record for.
#[derive(Debug)]
pub struct CandidateQuery<'a> {
    /// The category of the information.
    pub category: RecordCategory,
    /// The information, in a sentence or two.
    pub new_info: &'a str,
    /// True if it comes from automatic capture, not from a request.
    pub automatic: bool,
    /// The lifecycle event, if that is the news.
    pub event: Option<&'a str>,
}

/// The candidate and the allowed actions.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateSelection {
    /// The rules that forbid any change.
    pub vetoes: Vec<String>,
    /// The action that is clear without examining the candidate: create or nothing.
    pub pre_action: Option<AllowedAction>,
    /// The actions that the records allow.
    pub structural: AllowedAction,
    /// The record that the information belongs to, with its score.
    pub candidate: Option<(Record, f64)>,
}

/// Selects a candidate. `records` are all records of the category; `best` is the active record that
/// matches best, with its score.
pub fn select_candidate(
    query: &CandidateQuery<'_>,
    records: &[Record],
    best: Option<(&Record, f64)>,
    settings: &RecordSettings,
    now: Timestamp,
) -> CandidateSelection {
    let category = query.category;
    let best = best.filter(|(record, score)| {
        *score >= CANDIDATE_FLOOR && record.status.is_active() && record.category == category
    });
    let vetoes = vetoes(query, records, best.is_some(), settings, now);
    let empty = tokenize(query.new_info).is_empty();
    let structural = match best {
        _ if !vetoes.is_empty() => AllowedAction::Veto,
        _ if empty => AllowedAction::Noop,
        // The subject was never recorded, so there is nothing to end.
        None if query.event.is_some() => AllowedAction::Noop,
        None => AllowedAction::Create,
        Some(_) if category.may_be_retired_by_learning() => AllowedAction::UpdateOrDelete,
        Some(_) => AllowedAction::Update,
    };
    let pre_action = match structural {
        AllowedAction::Create => Some(AllowedAction::Create),
        AllowedAction::Noop | AllowedAction::Veto => Some(AllowedAction::Noop),
        AllowedAction::Update | AllowedAction::UpdateOrDelete => None,
    };
    let candidate = match structural {
        AllowedAction::Update | AllowedAction::UpdateOrDelete => best.map(|(r, s)| (r.clone(), s)),
        _ => None,
    };
    CandidateSelection { vetoes, pre_action, structural, candidate }
}

fn vetoes(
    query: &CandidateQuery<'_>,
    records: &[Record],
    has_candidate: bool,
    settings: &RecordSettings,
    now: Timestamp,
) -> Vec<String> {
    let category = query.category;
    let mut vetoes = Vec::new();
    if !settings.category(category).enabled {
        vetoes.push(format!("category `{category}` is turned off"));
    }
    if query.automatic && !settings.category(category).auto_capture {
        vetoes.push(format!("category `{category}` is not captured automatically"));
    }
    if has_candidate {
        return vetoes;
    }
    let of_category = || records.iter().filter(|record| record.category == category);
    let in_use = of_category().filter(|record| record.status.is_active()).count() as u64;
    // The rolling window makes room for sessions.
    if category != RecordCategory::SessionSummary && in_use >= settings.max_per_category {
        vetoes.push(format!("category `{category}` is full: it has {}", record_count(in_use)));
    }
    for record in of_category() {
        let RecordStatus::Retired(departure) = &record.status else { continue };
        let at = departure.at.as_ref().unwrap_or(&record.updated_at);
        if is_name_reserved(at.at(), now) && overlap(query.new_info, record) >= SAME_CONTENT {
            vetoes.push(format!("`{}` says the same and was retired on {at}", record.path()));
        }
    }
    vetoes
}

/// Finds the active record that shares the most words with a text, and the share. Used without a
/// store.
pub fn best_by_words<'a>(
    category: RecordCategory,
    text: &str,
    records: &'a [Record],
) -> Option<(&'a Record, f64)> {
    records
        .iter()
        .filter(|record| record.category == category && record.status.is_active())
        .map(|record| (record, overlap(text, record)))
        .max_by(|(a, x), (b, y)| x.total_cmp(y).then_with(|| b.id.cmp(&a.id)))
        .filter(|(_, score)| *score > 0.0)
}

/// Returns the share of a text's words that a record contains.
pub fn overlap(text: &str, record: &Record) -> f64 {
    let text_words = tokenize(text);
    let text_words = text_words.distinct();
    let record_words = tokenize(&record_text(record));
    let record_words = record_words.distinct();
    if text_words.is_empty() {
        return 0.0;
    }
    let shared = text_words.iter().filter(|word| record_words.binary_search(word).is_ok()).count();
    shared as f64 / text_words.len() as f64
}

impl CandidateSelection {
    /// Converts the selection to JSON.
    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "vetoes": self.vetoes,
            "pre_action": self.pre_action.map(AllowedAction::as_str),
            "structural_cud": match self.structural {
                AllowedAction::Veto => AllowedAction::Noop.as_str(),
                other => other.as_str(),
            },
        });
        if let Some((record, score)) = &self.candidate {
            json["candidate"] = json!({
                "path": record.path(), "id": record.id.as_str(), "title": record.title,
                "tags": record.tags, "score": (score * 1000.0).round() / 1000.0,
            });
        }
        json
    }
}
