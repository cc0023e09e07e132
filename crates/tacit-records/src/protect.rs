//! The write rules: what a record may become. Pure.

use serde_json::{Map, Value, json};
use tacit_core::{Timestamp, visit_value};

use crate::category::RecordCategory;
use crate::error::{RecordError, RecordResult};
use crate::record::{
    MAX_CHANGES, MAX_TAGS, Record, RecordChange, RecordStatus, SCHEMA_VERSION, StatusChange,
    check_file,
};
use crate::record_time::RecordTime;
use crate::slug::Slug;

/// The number of hours for which the name of a retired record stays reserved.
pub const RESURRECTION_HOURS: i64 = 24;
/// The confidence of records without one.
const DEFAULT_CONFIDENCE: f64 = 0.7;

/// Creates a record: fills in the fields that Tacit maintains and validates the rest. Without a
/// slug, the title gives one.
pub fn new_record(
    category: RecordCategory,
    slug: Option<&Slug>,
    mut fields: Map<String, Value>,
    now: Timestamp,
) -> RecordResult<Record> {
    let stamp = RecordTime::of(now);
    redact(&mut fields);
    fields.entry("schema_version").or_insert_with(|| json!(SCHEMA_VERSION));
    fields.entry("category").or_insert_with(|| json!(category.as_str()));
    let title = fields.get("title").and_then(Value::as_str).map(|title| title.trim().to_owned());
    if let Some(title) = title {
        let slug = slug.cloned().or_else(|| Slug::of_title(&title));
        fields.insert("title".to_owned(), json!(title));
        if let Some(slug) = slug {
            fields.entry("id").or_insert_with(|| json!(slug.as_str()));
        }
    }
    fields.entry("created_at").or_insert_with(|| json!(stamp.as_str()));
    fields.insert("updated_at".to_owned(), json!(stamp.as_str()));
    fields.entry("confidence").or_insert_with(|| json!(DEFAULT_CONFIDENCE));
    fields.insert("times_updated".to_owned(), json!(0));
    let mut record = Record::from_json(Value::Object(fields)).map_err(RecordError::Invalid)?;
    let mut problems = Vec::new();
    if record.category != category {
        problems.push(format!("category: `{}` is not `{category}`", record.category));
    }
    if let Some(slug) = slug
        && record.id != *slug
    {
        problems.push(format!("id: `{}` is not `{slug}`, the name of the file", record.id));
    }
    if !record.status.is_active() {
        problems
            .push(format!("record_status: a new record is active, not {}", record.status.as_str()));
    }
    if record.created_at.at() > now {
        problems.push(format!("created_at: {} is in the future", record.created_at));
    }
    if !problems.is_empty() {
        return Err(RecordError::Protected(problems));
    }
    check_files(&record.related_files, &[])?;
    keep_newest(&mut record.changes);
    Ok(record)
}

/// Returns an error if a new record may not replace the existing one.
pub fn allow_create(existing: Option<&Record>, now: Timestamp) -> RecordResult<()> {
    let Some(existing) = existing else { return Ok(()) };
    match &existing.status {
        RecordStatus::Retired(departure) => {
            let at = departure.at.as_ref().unwrap_or(&existing.updated_at);
            if is_name_reserved(at.at(), now) {
                let (path, at) = (existing.path(), at.clone());
                return Err(RecordError::Resurrection { path, at });
            }
            Ok(())
        }
        status => {
            let (path, status) = (existing.path(), status.as_str());
            Err(RecordError::Exists { path, status })
        }
    }
}

/// Returns true if the name of a record retired at `at` is still reserved, even if the clock was
/// set back.
pub(crate) fn is_name_reserved(at: Timestamp, now: Timestamp) -> bool {
    now.as_millis().saturating_sub(at.as_millis()) < RESURRECTION_HOURS * 3_600_000
}

/// Applies an update. `fields` is the whole record as its author wants it; `exists` checks whether
/// a file of the project exists.
pub fn apply_update(
    old: &Record,
    mut fields: Map<String, Value>,
    now: Timestamp,
    exists: &dyn Fn(&str) -> bool,
) -> RecordResult<Record> {
    if !old.status.is_active() {
        return Err(transition(old, "updated; restore it first"));
    }
    redact(&mut fields);
    let mut new = Record::from_json(Value::Object(fields)).map_err(RecordError::Invalid)?;
    let mut violations = Vec::new();
    check_fixed(old, &new, &mut violations);
    check_tags(&old.tags, &new.tags, &mut violations);
    for removed in old.related_files.iter().filter(|file| !new.related_files.contains(file)) {
        if exists(removed) {
            violations.push(format!(
                "related_files: `{removed}` still exists; only deleted files can be removed"
            ));
        }
    }
    match appended(&old.changes, &new.changes) {
        None => violations.push("changes: existing entries cannot be changed".to_owned()),
        Some(0) => violations.push("changes: an update needs at least one new entry".to_owned()),
        Some(_) => {}
    }
    if !violations.is_empty() {
        return Err(RecordError::Protected(violations));
    }
    check_files(&new.related_files, &old.related_files)?;
    keep_newest(&mut new.changes);
    new.created_at = old.created_at.clone();
    new.updated_at = RecordTime::of(now);
    new.times_updated = old.times_updated.saturating_add(1);
    Ok(new)
}

fn check_fixed(old: &Record, new: &Record, violations: &mut Vec<String>) {
    let mut fixed = |name: &str, same: bool, old: &str, new: &str| {
        if !same {
            violations.push(format!("{name}: cannot be changed from `{old}` to `{new}`"));
        }
    };
    let (before, after) = (&old.created_at, &new.created_at);
    fixed("created_at", before == after, before.as_str(), after.as_str());
    let (before, after) = (&old.schema_version, &new.schema_version);
    fixed("schema_version", before == after, before, after);
    let (before, after) = (old.category, new.category);
    fixed("category", before == after, before.as_str(), after.as_str());
    fixed("id", old.id == new.id, old.id.as_str(), new.id.as_str());
    if old.status != new.status {
        violations.push(format!(
            "record_status: cannot be changed from `{}` to `{}` by an update; retire, archive or \
             restore it",
            old.status.as_str(),
            new.status.as_str()
        ));
    }
}

/// Checks that tags are removed only to make room for others.
fn check_tags(old: &[String], new: &[String], violations: &mut Vec<String>) {
    let removed: Vec<&str> =
        old.iter().filter(|tag| !new.contains(tag)).map(String::as_str).collect();
    let added = new.iter().filter(|tag| !old.contains(tag)).count();
    let evicting = added > 0 && old.len() + added > MAX_TAGS;
    if !removed.is_empty() && !evicting {
        violations.push(format!(
            "tags: `{}` cannot be removed; a tag makes room for another only if there are {MAX_TAGS}",
            removed.join("`, `")
        ));
    }
}

/// Returns how many entries `new` appends to `old`; `None` if it changes existing ones. The oldest
/// may be missing if there are too many.
fn appended(old: &[RecordChange], new: &[RecordChange]) -> Option<usize> {
    let least = old.len().saturating_sub(new.len());
    (least..=old.len()).find_map(|dropped| {
        let kept = &old[dropped..];
        let added = new.len() - kept.len();
        let surplus = (old.len() + added).saturating_sub(MAX_CHANGES);
        (new.starts_with(kept) && dropped <= surplus).then_some(added)
    })
}

fn keep_newest(changes: &mut Vec<RecordChange>) {
    let surplus = changes.len().saturating_sub(MAX_CHANGES);
    changes.drain(..surplus);
}

/// Checks that new related files are paths of the project; existing entries stay.
fn check_files(files: &[String], known: &[String]) -> RecordResult<()> {
    let errors: Vec<_> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| !known.contains(file))
        .filter_map(|(index, file)| check_file(file, &format!("related_files[{index}]")).err())
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(RecordError::Invalid(errors)) }
}

/// Merges some fields into a record: lists grow, other fields are replaced, and a change entry is
/// added. Returns the whole record as JSON.
pub fn merge_fields(
    old: &Record,
    fields: &Map<String, Value>,
    note: &str,
    now: Timestamp,
) -> Map<String, Value> {
    let Value::Object(mut whole) = old.to_json() else { return Map::new() };
    for (name, value) in fields {
        join(&mut whole, name, value);
    }
    let change = RecordChange::new(&RecordTime::of(now), note);
    if let Some(Value::Array(changes)) = whole.get_mut("changes") {
        changes.push(change.to_json());
    }
    whole
}

fn join(whole: &mut Map<String, Value>, name: &str, value: &Value) {
    match (whole.get_mut(name), value) {
        (Some(Value::Array(existing)), Value::Array(more)) => {
            for item in more {
                if !existing.contains(item) {
                    existing.push(item.clone());
                }
            }
        }
        (Some(Value::Object(existing)), Value::Object(more)) => {
            for (name, value) in more {
                join(existing, name, value);
            }
        }
        _ => {
            whole.insert(name.to_owned(), value.clone());
        }
    }
}

/// Retires a record.
pub fn retire(old: &Record, reason: &str, now: Timestamp) -> RecordResult<Record> {
    if !old.status.is_active() {
        return Err(transition(old, "retired"));
    }
    let departure = departure(reason, now);
    Ok(with_status(old, RecordStatus::Retired(departure), &format!("Retired: {reason}"), now))
}

/// Archives a record.
pub fn archive(old: &Record, reason: &str, now: Timestamp) -> RecordResult<Record> {
    if matches!(old.status, RecordStatus::Archived(_)) {
        return Err(transition(old, "archived"));
    }
    let departure = departure(reason, now);
    Ok(with_status(old, RecordStatus::Archived(departure), &format!("Archived: {reason}"), now))
}

/// Makes a record active again.
pub fn restore(old: &Record, now: Timestamp) -> RecordResult<Record> {
    if old.status.is_active() {
        return Err(transition(old, "restored"));
    }
    Ok(with_status(old, RecordStatus::Active, "Restored", now))
}

pub(crate) fn transition(old: &Record, to: &'static str) -> RecordError {
    RecordError::Transition { path: old.path(), from: old.status.as_str(), to }
}

fn departure(reason: &str, now: Timestamp) -> StatusChange {
    let reason = tacit_redact::redact(reason).text.into_owned();
    StatusChange { at: Some(RecordTime::of(now)), reason: Some(reason) }
}

fn with_status(old: &Record, status: RecordStatus, summary: &str, now: Timestamp) -> Record {
    let summary = tacit_redact::redact(summary).text.into_owned();
    let stamp = RecordTime::of(now);
    let mut new = old.clone();
    let change = RecordChange::new(&stamp, &summary).of_field(
        "record_status",
        json!(old.status.as_str()),
        json!(status.as_str()),
    );
    new.status = status;
    new.changes.push(change);
    keep_newest(&mut new.changes);
    new.updated_at = stamp;
    new
}

/// Redacts the secrets in all texts of an object, before they reach the disk.
pub fn redact(fields: &mut Map<String, Value>) {
    let mut value = Value::Object(std::mem::take(fields));
    visit_value(None, &mut value, &mut |field, text| {
        let redacted = match field {
            Some(name) => tacit_redact::redact_field(name, text),
            None => tacit_redact::redact(text),
        };
        if !redacted.is_clean() {
            *text = redacted.text.into_owned();
        }
    });
    if let Value::Object(redacted) = value {
        *fields = redacted;
    }
}
