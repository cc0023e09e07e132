//! The configuration of records.

use super::KeyKind::{Bool, Float, Int, Text};
use super::setting::{ConfigField, key, settings};
use super::{Config, ConfigKey};

settings! {
    /// The settings of records.
    RecordsConfig, KEYS, [records.] {
        "guard.records" in "guard.<what>", Bool, guard: bool = false, "Block an agent that writes a record file directly, and name the command to use.";
        "records.archive_retired", Bool, archive_retired: bool = true, "Keep retired records in the archive when an agent tidies up with `tacit records gc`, instead of removing them.";
        "records.grace_days", Int(0, 36_500), grace_days: u64 = 30, "Days before `tacit records gc` removes a retired record; never before its name can be used again.";
        "records.max_inject", Int(1, 100), max_inject: u64 = 5, "Maximum number of records that a search returns.";
        "records.max_per_category", Int(1, 10_000), max_per_category: u64 = 100, "Maximum number of active records in a category.";
        "records.models.default" in "records.models.<use>", Text, default_model: String = "haiku".into(), "Model with which an agent drafts records of a category that has no model of its own.";
        "records.models.verification" in "records.models.<use>", Text, verification_model: String = "sonnet".into(), "Model with which an agent verifies drafts.";
        "records.parallel", Bool, parallel: bool = true, "Let an agent draft several records at once, each in a subagent, instead of one after another.";
        "records.session_summary.max_retained", Int(1, 1_000), max_retained: u64 = 5, "Maximum number of active session summaries; the oldest is retired when there are more.";
    }
    /// The settings of each category, in this order: session summary, decision, runbook, constraint,
    /// tech debt, preference.
    and categories: [RecordsCategoryConfig; 6] = [
        category(90, "Where work stands, so that it can be resumed", 0.6, "haiku"),
        category(0, "A choice and its rationale: why this and not that", 0.4, "sonnet"),
        category(0, "How to diagnose, fix and verify an error", 0.4, "haiku"),
        category(0, "An enduring limitation that work has to live with", 0.5, "sonnet"),
        category(0, "Work that was put off, and why", 0.4, "haiku"),
        category(0, "A convention: how things should be done here", 0.4, "haiku"),
    ];
}

/// The settings of one category of records.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the help of the keys explains each field")]
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

/// Makes the keys of the category at `$at` in [`RecordsConfig::categories`]. Each line has a field,
/// the values it takes, and the help before and after the category's name.
macro_rules! category_keys {
    (@fields $name:literal, $at:literal; $($field:ident, $kind:expr, $before:literal, $after:literal;)+) => {
        &[
            $(key!(
                concat!("records.", $name, ".", stringify!($field)),
                concat!("records.<category>.", stringify!($field)),
                $kind,
                concat!($before, " `", $name, "` ", $after),
                [records.] categories[$at].$field
            ),)+
            key!(
                concat!("records.models.", $name),
                "records.models.<use>",
                Text,
                concat!("Model with which an agent drafts `", $name, "` records; empty means `records.models.default`."),
                [records.] categories[$at].model
            ),
        ]
    };
    ($name:literal, $at:literal) => {
        category_keys! { @fields $name, $at;
            auto_capture, Bool, "Search sessions for", "records.";
            description, Text, "What belongs in a", "record, for the classifier and for agents.";
            enabled, Bool, "Write", "records.";
            retention_days, Int(0, 36_500), "Days without a change after which a", "record is retired; 0 means never.";
            threshold, Float(0.0, 1.0), "Minimum score for capturing a", "record.";
        }
    };
}

pub(super) const CATEGORY_KEYS: [&[ConfigKey]; 6] = [
    category_keys!("session_summary", 0),
    category_keys!("decision", 1),
    category_keys!("runbook", 2),
    category_keys!("constraint", 3),
    category_keys!("tech_debt", 4),
    category_keys!("preference", 5),
];
