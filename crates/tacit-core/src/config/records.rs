//! What can be configured about records.

use super::KeyKind::{Bool, Float, Int, Text};
use super::setting::{Setting, key, settings};
use super::{Config, Key};

settings! {
    /// Everything about records, with its value in force.
    RecordsConfig, KEYS, [records.] {
        "records.archive_retired", Bool, archive_retired: bool = true, "Whether an agent that tidies up keeps retired records in the archive, by `tacit records gc --archive`, instead of having them removed.";
        "records.default_model", Text, default_model: String = "haiku".into(), "The model that an agent drafts records with where the category names none.";
        "records.grace_days", Int(0, 36_500), grace_days: u64 = 30, "After how many days `tacit records gc` removes a retired record; never before its name can be used again.";
        "records.guard", Bool, guard: bool = false, "Whether a hook keeps an agent from writing record files itself and names the command to use.";
        "records.max_inject", Int(1, 100), max_inject: u64 = 5, "How many records a search gives at most.";
        "records.max_per_category", Int(1, 10_000), max_per_category: u64 = 100, "How many records a category can have in use.";
        "records.parallel", Bool, parallel: bool = true, "Whether an agent drafts several records at once, each by an agent of its own, instead of one after another.";
        "records.session_summary.max_retained", Int(1, 1_000), max_retained: u64 = 5, "How many session summaries are in use; the oldest is retired when there are more.";
        "records.verification_model", Text, verification_model: String = "sonnet".into(), "The model that an agent checks drafts of records with.";
    }
    /// In this order: session summary, decision, runbook, constraint, tech debt, preference.
    and categories: [RecordsCategoryConfig; 6] = [
        category(90, "Where work stands, so that it can be resumed", 0.6, "haiku"),
        category(0, "A choice and its rationale: why this and not that", 0.4, "sonnet"),
        category(0, "How to diagnose, fix and verify an error", 0.4, "haiku"),
        category(0, "An enduring limitation that work has to live with", 0.5, "sonnet"),
        category(0, "Work that was put off, and why", 0.4, "haiku"),
        category(0, "A convention: how things should be done here", 0.4, "haiku"),
    ];
}

/// What can be configured about the records of one category.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the table of keys says what each is")]
pub struct RecordsCategoryConfig {
    pub auto_capture: bool,
    pub description: String,
    pub enabled: bool,
    pub model: String,
    pub retention_days: u64,
    pub threshold: f64,
}

fn category(
    retention_days: u64,
    description: &str,
    threshold: f64,
    model: &str,
) -> RecordsCategoryConfig {
    RecordsCategoryConfig {
        auto_capture: true,
        description: description.to_owned(),
        enabled: true,
        model: model.to_owned(),
        retention_days,
        threshold,
    }
}

/// The keys of the category at one place of [`RecordsConfig::categories`]. Each line is its field, what
/// it takes, and what it does, in words before and after the category's name.
macro_rules! keys_of {
    ($name:literal, $at:literal; $($field:ident, $kind:expr, $before:literal, $after:literal;)+) => {
        &[$(key!(
            concat!("records.", $name, ".", stringify!($field)),
            $kind,
            concat!($before, " `", $name, "`", $after),
            [records.] categories[$at].$field
        )),+]
    };
}

macro_rules! category_keys {
    ($name:literal, $at:literal) => {
        keys_of! { $name, $at;
            auto_capture, Bool, "Whether sessions are searched for what belongs into category", ".";
            description, Text, "What belongs into category", ", for whoever classifies.";
            enabled, Bool, "Whether records of category", " are written.";
            model, Text, "The model that an agent drafts records of category", " with; empty is `records.default_model`.";
            retention_days, Int(0, 36_500), "After how many days without a change a record of category", " is retired; 0 is never.";
            threshold, Float(0.0, 1.0), "From which score on a session is worth a record of category", ".";
        }
    };
}

pub(super) const CATEGORY_KEYS: [&[Key]; 6] = [
    category_keys!("session_summary", 0),
    category_keys!("decision", 1),
    category_keys!("runbook", 2),
    category_keys!("constraint", 3),
    category_keys!("tech_debt", 4),
    category_keys!("preference", 5),
];
