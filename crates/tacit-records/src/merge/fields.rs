//! Merges JSON values field by field.

use serde_json::{Map, Value, json};

use crate::record::{MAX_CHANGES, MAX_TAGS};
use crate::record_time::RecordTime;

/// A field that both sides changed differently.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conflict {
    /// The path, such as `content.decision`.
    pub(super) path: String,
    /// The placeholder in the merged value.
    pub(super) token: String,
    /// The local value; `None` if the local side removed the field.
    pub(super) ours: Option<Value>,
    /// The other side's value.
    pub(super) theirs: Option<Value>,
}

/// Merges two values. Each conflict is replaced by a placeholder.
pub(super) fn merge(base: Option<&Value>, ours: &Value, theirs: &Value) -> (Value, Vec<Conflict>) {
    let mut conflicts = Vec::new();
    let merged = value("", base, Some(ours), Some(theirs), &mut conflicts);
    (merged.unwrap_or_default(), conflicts)
}

fn value(
    path: &str,
    base: Option<&Value>,
    ours: Option<&Value>,
    theirs: Option<&Value>,
    conflicts: &mut Vec<Conflict>,
) -> Option<Value> {
    if base == theirs {
        return ours.cloned();
    }
    if base == ours {
        return theirs.cloned();
    }
    // Equal counters may count different updates.
    if ours == theirs && path != "times_updated" {
        return ours.cloned();
    }
    if let (Some(ours), Some(theirs)) = (ours, theirs) {
        match (ours, theirs) {
            (Value::Object(ours), Value::Object(theirs)) => {
                let base = base.and_then(Value::as_object);
                return Some(Value::Object(object(path, base, ours, theirs, conflicts)));
            }
            (Value::Array(ours), Value::Array(theirs)) => {
                let base = base.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                return Some(Value::Array(match path {
                    "changes" => changes(base, ours, theirs),
                    "tags" => list(base, ours, theirs).into_iter().take(MAX_TAGS).collect(),
                    _ => list(base, ours, theirs),
                }));
            }
            _ => {
                if let Some(settled) = settled(path, base, ours, theirs) {
                    return Some(settled);
                }
            }
        }
    }
    let token = format!("\u{1}{}\u{1}", conflicts.len());
    let (ours, theirs) = (ours.cloned(), theirs.cloned());
    conflicts.push(Conflict { path: path.to_owned(), token: token.clone(), ours, theirs });
    Some(Value::String(token))
}

fn object(
    path: &str,
    base: Option<&Map<String, Value>>,
    ours: &Map<String, Value>,
    theirs: &Map<String, Value>,
    conflicts: &mut Vec<Conflict>,
) -> Map<String, Value> {
    let mut merged = Map::new();
    let added = theirs.keys().filter(|name| !ours.contains_key(*name));
    for name in ours.keys().chain(added) {
        let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let base = base.and_then(|base| base.get(name));
        if let Some(value) = value(&inner, base, ours.get(name), theirs.get(name), conflicts) {
            merged.insert(name.clone(), value);
        }
    }
    merged
}

/// Resolves fields that Tacit maintains, which need no person to decide.
fn settled(path: &str, base: Option<&Value>, ours: &Value, theirs: &Value) -> Option<Value> {
    match path {
        "updated_at" => pick(ours, theirs, |ours, theirs| ours.at() >= theirs.at()),
        "created_at" | "retired_at" | "archived_at" => {
            pick(ours, theirs, |ours, theirs| ours.at() <= theirs.at())
        }
        // Both sides retired or archived it; one reason is enough.
        "retired_reason" | "archived_reason" => Some(ours.clone()),
        "times_updated" => {
            let (ours, theirs) = (ours.as_u64()?, theirs.as_u64()?);
            let before = base.and_then(Value::as_u64);
            Some(json!(match before {
                Some(before) => ours.saturating_add(theirs).saturating_sub(before),
                None => ours.max(theirs),
            }))
        }
        // The side with less confidence has seen a reason to doubt.
        "confidence" => Some(json!(ours.as_f64()?.min(theirs.as_f64()?))),
        _ => None,
    }
}

fn pick(
    ours: &Value,
    theirs: &Value,
    first: fn(&RecordTime, &RecordTime) -> bool,
) -> Option<Value> {
    let stamp = |value: &Value| RecordTime::parse(value.as_str()?).ok();
    let ours_first = first(&stamp(ours)?, &stamp(theirs)?);
    Some(if ours_first { ours.clone() } else { theirs.clone() })
}

/// Merges lists: items of both and additions of either side, each after its predecessor.
fn list(base: &[Value], ours: &[Value], theirs: &[Value]) -> Vec<Value> {
    let mut merged: Vec<Value> =
        ours.iter().filter(|item| theirs.contains(item) || !base.contains(item)).cloned().collect();
    for (index, item) in theirs.iter().enumerate() {
        if base.contains(item) || merged.contains(item) {
            continue;
        }
        let before = theirs[..index].iter().rev();
        let place = before
            .filter_map(|known| merged.iter().position(|there| there == known))
            .next()
            .map_or(0, |found| found + 1);
        // After our additions at the same position, so that each side's items stay together.
        let after_ours = merged[place..]
            .iter()
            .take_while(|there| !base.contains(there) && !theirs.contains(there))
            .count();
        merged.insert(place + after_ours, item.clone());
    }
    if merged.is_empty() && !ours.is_empty() && !theirs.is_empty() {
        // Neither side wanted an empty list.
        return list(&[], ours, theirs);
    }
    merged
}

/// Merges change logs: all entries of both sides, new ones by date; the oldest are dropped.
fn changes(base: &[Value], ours: &[Value], theirs: &[Value]) -> Vec<Value> {
    let known = base.iter().filter(|entry| ours.contains(entry) && theirs.contains(entry));
    let ours_new = ours.iter().filter(|entry| !base.contains(entry));
    let theirs_new = theirs.iter().filter(|entry| !base.contains(entry) && !ours.contains(entry));
    let mut new: Vec<&Value> = ours_new.chain(theirs_new).collect();
    // Dates have one format, so they sort as text.
    new.sort_by_key(|entry| entry["date"].as_str().unwrap_or_default());
    let mut merged: Vec<Value> = known.chain(new).cloned().collect();
    let surplus = merged.len().saturating_sub(MAX_CHANGES);
    merged.drain(..surplus);
    merged
}
