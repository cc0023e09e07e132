//! Which record new information belongs to, and what may be done with it. Pure: who scores the
//! records is not decided here.

use serde_json::{Value, json};
use tacit_core::{Timestamp, tokenize};

use crate::action::AllowedAction;
use crate::category::RecordCategory;
use crate::protect::is_name_reserved;
use crate::record::{Record, RecordStatus};
use crate::settings::Settings;
use crate::text::record_text;

/// The overlap from which on a retired record counts as saying the same.
const SAME: f64 = 0.6;
/// The score from which on a record in use is the one that is meant.
pub const CANDIDATE_FLOOR: f64 = 0.3;

/// Something that happened to what a record is about.
pub const LIFECYCLE_EVENTS: [&str; 5] =
    ["resolved", "removed", "reversed", "superseded", "deprecated"];

/// New information looking for its place.
#[derive(Debug)]
pub struct CandidateQuery<'a> {
    /// Where it belongs.
    pub category: RecordCategory,
    /// What is new, in a sentence or two.
    pub new_info: &'a str,
    /// Whether a session is searched, rather than somebody asking for it.
    pub automatic: bool,
    /// What happened to what it is about, if that is the news.
    pub event: Option<&'a str>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateSelection {
    /// Rules that forbid any change. They are absolute.
    pub vetoes: Vec<String>,
    /// What is clear without looking at the candidate: create, nothing, or neither.
    pub pre_action: Option<AllowedAction>,
    /// What the records allow.
    pub structural: AllowedAction,
    /// The record it belongs to, with its score.
    pub candidate: Option<(Record, f64)>,
}

/// Decides. `records` are all of the category, `best` is the one in use that answers best and how
/// well.
pub fn select_candidate(
    question: &CandidateQuery<'_>,
    records: &[Record],
    best: Option<(&Record, f64)>,
    settings: &Settings,
    now: Timestamp,
) -> CandidateSelection {
    let category = question.category;
    let best = best.filter(|(record, score)| {
        *score >= CANDIDATE_FLOOR && record.status.is_active() && record.category == category
    });
    let vetoes = vetoes(question, records, best.is_some(), settings, now);
    let empty = tokenize(question.new_info).is_empty();
    let structural = match best {
        _ if !vetoes.is_empty() => AllowedAction::Veto,
        _ if empty => AllowedAction::Noop,
        // What ended was never recorded: there is nothing to end.
        None if question.event.is_some() => AllowedAction::Noop,
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
    question: &CandidateQuery<'_>,
    records: &[Record],
    has_candidate: bool,
    settings: &Settings,
    now: Timestamp,
) -> Vec<String> {
    let category = question.category;
    let mut vetoes = Vec::new();
    if !settings.of(category).enabled {
        vetoes.push(format!("category `{category}` is turned off"));
    }
    if question.automatic && !settings.of(category).auto_capture {
        vetoes.push(format!("category `{category}` is not captured automatically"));
    }
    if has_candidate {
        return vetoes;
    }
    let of_category = || records.iter().filter(|record| record.category == category);
    let in_use = of_category().filter(|record| record.status.is_active()).count() as u64;
    // The window makes room for a session by itself.
    if category != RecordCategory::SessionSummary && in_use >= settings.max_per_category {
        vetoes.push(format!(
            "category `{category}` has {in_use} records, which is as many as are kept"
        ));
    }
    for record in of_category() {
        let RecordStatus::Retired(departure) = &record.status else { continue };
        let at = departure.at.as_ref().unwrap_or(&record.updated_at);
        if is_name_reserved(at.at(), now) && overlap(question.new_info, record) >= SAME {
            vetoes.push(format!("`{}` says the same and was retired on {at}", record.path()));
        }
    }
    vetoes
}

/// The record in use that shares most words with a text, and the share: what is used where no
/// database can be asked.
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

/// The share of a text's words that a record has.
pub fn overlap(text: &str, record: &Record) -> f64 {
    let asked = tokenize(text);
    let asked = asked.distinct();
    let there = tokenize(&record_text(record));
    let there = there.distinct();
    if asked.is_empty() {
        return 0.0;
    }
    let shared = asked.iter().filter(|word| there.binary_search(word).is_ok()).count();
    shared as f64 / asked.len() as f64
}

impl CandidateSelection {
    /// The answer in its JSON form.
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
