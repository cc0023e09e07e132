//! The lifecycle of records: the rolling window of sessions, retention, and deletion. Pure: time
//! and records are passed in.

use std::collections::BTreeSet;

use serde_json::Value;
use tacit_core::{Timestamp, tokenize};

use crate::category::RecordCategory;
use crate::protect::is_name_reserved;
use crate::record::{Record, RecordStatus};
use crate::settings::RecordSettings;
use crate::text::record_text;

/// The reason for retiring sessions beyond the window.
pub const WINDOW_REASON: &str = "Session rolling window: exceeded max_retained limit";
/// The share of an item's words that another record must have to cover it.
const COVERED: f64 = 0.6;

/// Returns true if a record can be deleted: it is retired, and both the grace period and the
/// reservation of its name are over.
pub fn is_removable(record: &Record, now: Timestamp, settings: &RecordSettings) -> bool {
    let RecordStatus::Retired(departure) = &record.status else { return false };
    let at = departure.at.as_ref().unwrap_or(&record.updated_at).at();
    !is_name_reserved(at, now) && now.days_since(at) >= settings.grace_period_days as f64
}

/// Returns true if an active record has not changed for the retention period of its category.
pub fn is_expired(record: &Record, now: Timestamp, settings: &RecordSettings) -> bool {
    let days = settings.category(record.category).retention_days;
    record.status.is_active() && days > 0 && now.days_since(record.updated_at.at()) >= days as f64
}

/// Returns the reason for retiring an expired record.
pub fn expiry_reason(category: RecordCategory, settings: &RecordSettings) -> String {
    format!("Retention: unchanged for {} days", settings.category(category).retention_days)
}

/// Returns the active sessions beyond the window, oldest first.
pub fn sessions_beyond_window<'a>(
    records: &'a [Record],
    settings: &RecordSettings,
) -> Vec<&'a Record> {
    let mut sessions: Vec<&Record> = records
        .iter()
        .filter(|r| r.category == RecordCategory::SessionSummary && r.status.is_active())
        .collect();
    sessions.sort_by(|a, b| (a.created_at.at(), &a.id).cmp(&(b.created_at.at(), &b.id)));
    let kept = usize::try_from(settings.max_retained).unwrap_or(usize::MAX);
    let surplus = sessions.len().saturating_sub(kept);
    sessions.truncate(surplus);
    sessions
}

/// Returns the completed items, blockers and next actions of a session that no other active record
/// covers.
pub fn unique_items(session: &Record, records: &[Record]) -> Vec<String> {
    let others: Vec<BTreeSet<String>> = records
        .iter()
        .filter(|other| other.status.is_active() && other.path() != session.path())
        .map(|other| words(&record_text(other)))
        .collect();
    ["completed", "blockers", "next_actions"]
        .iter()
        .filter_map(|name| session.content.get(*name).and_then(Value::as_array))
        .flatten()
        .filter_map(Value::as_str)
        .filter(|item| {
            let item = words(item);
            let captured = |other: &BTreeSet<String>| {
                item.intersection(other).count() as f64 >= COVERED * item.len() as f64
            };
            !item.is_empty() && !others.iter().any(captured)
        })
        .map(str::to_owned)
        .collect()
}

/// Returns the warning before a session with unique content is retired.
pub fn unique_warning(session: &Record, items: &[String]) -> String {
    format!(
        "WARNING: Session {} contains unique content not captured elsewhere: {}. Consider saving \
         these before retirement.",
        session.id,
        items.join("; ")
    )
}

fn words(text: &str) -> BTreeSet<String> {
    tokenize(text).iter().map(str::to_owned).collect()
}
