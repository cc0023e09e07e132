//! Sharing a memory: the record that it becomes, and the memory that then follows the record.

use serde_json::{Map, Value, json};
use tacit_core::{BuiltinType, Details, Memory, MemoryType, Reasoning, Review, Source};
use tacit_engine::{Requester, StoreAccess, StoreScope};
use tacit_records::files::StoredRecord;
use tacit_records::{Record, RecordCategory, json_schema, new_record};

use super::{folder, lock_timeout, reference, retire_beyond_window, settings};
use crate::app::App;
use crate::error::{AppError, AppResult, ErrorCode};
use crate::files::sync;

/// The longest topic of a preference that is made from a text.
const MAX_TOPIC: usize = 80;

/// A request to make a record of a memory.
#[derive(Debug, Default)]
pub struct ShareRequest<'r> {
    /// The id of the memory.
    pub id: &'r str,
    /// The category; `None` for the one of the memory's type.
    pub category: Option<RecordCategory>,
    /// The title; `None` for the memory's own.
    pub title: Option<&'r str>,
    /// Fields of the content by name. A field that holds a list takes one value after another.
    pub fields: &'r [(String, String)],
}

/// Returns the category of the records that memories of a type become.
pub fn category_of(kind: &MemoryType) -> Option<RecordCategory> {
    match kind {
        MemoryType::Builtin(BuiltinType::Decision) => Some(RecordCategory::Decision),
        MemoryType::Builtin(BuiltinType::Preference) => Some(RecordCategory::Preference),
        MemoryType::Builtin(BuiltinType::ErrorPattern) => Some(RecordCategory::Runbook),
        MemoryType::Builtin(BuiltinType::Gotcha | BuiltinType::Requirement) => {
            Some(RecordCategory::Constraint)
        }
        _ => None,
    }
}

/// Returns the record that a memory would become, without writing it.
pub fn preview(app: &App, request: &ShareRequest<'_>) -> AppResult<Record> {
    let found = app.engine(StoreAccess::ReadBoth)?.find(request.id)?;
    let (category, fields) = record_fields(&found.memory, request)?;
    Ok(new_record(category, None, fields, app.now())?)
}

/// Writes the record of a memory. The memory then belongs to the record, and says what it says;
/// returned are the record and notes for the user.
pub fn share(app: &App, request: &ShareRequest<'_>) -> AppResult<(StoredRecord, Vec<String>)> {
    let found = app.engine(StoreAccess::ReadBoth)?.find(request.id)?;
    let memory = &found.memory;
    let (category, fields) = record_fields(memory, request)?;
    let (folder, settings) = (folder(app), settings(app.config()));
    let (stored, mut notes) = {
        let writer = folder.writer(&settings, app.now(), lock_timeout(app))?;
        let stored = writer.create(category, None, fields)?;
        (stored, retire_beyond_window(&folder, &writer, &settings)?)
    };
    // A memory with details of its own knows more than the record, and stays as it is.
    let follows = found.store == StoreScope::Project && has_no_details(memory);
    if follows {
        let mut engine = app.engine_for_write(StoreAccess::Write(StoreScope::Project))?;
        let mut references: Vec<String> =
            memory.body.references.iter().map(ToString::to_string).collect();
        references.push(reference(&stored.record));
        let mut patch = Map::new();
        patch.insert("references".into(), json!(references));
        patch.insert("type".into(), json!(category.category().memory_type().as_str()));
        let reason = Reasoning::new(format!("shared as {}", reference(&stored.record)))?;
        engine.edit(&memory.id.to_string(), &patch, Some(reason))?;
    }
    match sync(app, false) {
        Err(error) => notes.push(format!("not indexed yet: {}", error.message)),
        // The user vouched for the memory, and shares it in other words.
        Ok(_) if follows && memory.body.trust.review == Review::Verified => {
            let mut engine = app.engine_for_write(StoreAccess::Write(StoreScope::Project))?;
            if engine.requester() == Requester::Person {
                let reason = Reasoning::new("the user shared it")?;
                engine.verify(&[&memory.id.to_string()], Some(reason))?;
            }
        }
        Ok(_) => {}
    }
    Ok((stored, notes))
}

fn has_no_details(memory: &Memory) -> bool {
    matches!(memory.body.subject.details(), Details::Plain(_))
}

/// Fills in the fields of a record from a memory and the request, and reports missing ones.
fn record_fields(
    memory: &Memory,
    request: &ShareRequest<'_>,
) -> AppResult<(RecordCategory, Map<String, Value>)> {
    let id = memory.id.short();
    if !memory.body.visibility.is_team() {
        return Err(AppError::new(ErrorCode::Refused, format!("memory {id} is private"))
            .hint(format!("`tacit edit {id} --visibility team` lets the team see it")));
    }
    let kind = memory.memory_type();
    let Some(category) = request.category.or_else(|| category_of(&kind)) else {
        let words = RecordCategory::ALL.map(RecordCategory::as_str).join(", ");
        let message = format!("a memory of type `{kind}` has no category of records");
        return Err(AppError::usage(message).hint(format!("choose one with `--category`: {words}")));
    };
    let is_file = memory.body.origin.source == Source::File;
    let mut places = memory.body.references.iter();
    if let Some(place) =
        places.find(|place| is_file || place.as_str().starts_with(".claude/memory/"))
    {
        return Err(AppError::new(
            ErrorCode::Refused,
            format!("memory {id} is shared as `{place}`"),
        )
        .hint("change the file; its memory follows"));
    }
    let schema = &json_schema(category)["properties"]["content"];
    let mut content = known_fields(memory, category);
    let mut given: Vec<&str> = Vec::new();
    for (name, value) in request.fields {
        let Some(field) = schema["properties"].get(name) else {
            let names = schema["properties"].as_object().into_iter().flat_map(Map::keys);
            let names: Vec<&str> = names.map(String::as_str).collect();
            return Err(AppError::usage(format!("a {category} has no field `{name}`"))
                .hint(format!("its fields are {}", names.join(", "))));
        };
        if field["type"] != "array" {
            content.insert(name.clone(), json!(value));
            continue;
        }
        // The first value replaces what the memory has; others follow it.
        if !given.contains(&name.as_str()) {
            content.insert(name.clone(), json!([]));
            given.push(name);
        }
        if let Some(Value::Array(items)) = content.get_mut(name) {
            items.push(json!(value));
        }
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing: Vec<&str> = required.filter(|name| !content.contains_key(*name)).collect();
    if !missing.is_empty() {
        let names = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let flags = missing.iter().map(|name| format!(" --set {name}=TEXT")).collect::<String>();
        return Err(AppError::usage(format!(
            "a {category} needs {names}, which memory {id} lacks"
        ))
        .hint(format!("run `tacit share {id}{flags}`")));
    }
    let mut tags: Vec<String> = memory.body.tags.iter().map(ToString::to_string).collect();
    if tags.is_empty() {
        // A record has at least one tag.
        tags.push(kind.to_string());
    }
    let files: Vec<&str> = memory.body.files.iter().map(|file| file.as_str()).collect();
    let title = request.title.map_or_else(|| memory.headline(), str::to_owned);
    let fields = json!({
        "title": title, "tags": tags, "related_files": files,
        "confidence": memory.body.confidence.value(), "content": content,
    });
    match fields {
        Value::Object(fields) => Ok((category, fields)),
        _ => unreachable!("it is an object"),
    }
}

/// Returns the fields of the content that a memory gives.
fn known_fields(memory: &Memory, category: RecordCategory) -> Map<String, Value> {
    let body = &memory.body;
    let content = body.content.as_str();
    let why = body.reasoning.as_ref().map(ToString::to_string);
    let title = body.title.as_ref().map(ToString::to_string);
    let fields = match category {
        RecordCategory::Decision => {
            json!({"status": "accepted", "decision": content, "rationale": why.map(|why| [why])})
        }
        RecordCategory::Runbook => {
            let fix = match body.subject.details() {
                Details::ErrorPattern(pattern) => pattern.fix.as_ref(),
                _ => None,
            };
            let trigger = title.or_else(|| fix.map(|fix| fix.error.clone()));
            json!({
                "trigger": trigger, "steps": [content], "root_cause": why,
                "verification": fix.map(|fix| format!("`{}` passes", fix.failing_command)),
            })
        }
        RecordCategory::Constraint => json!({
            "kind": "technical", "rule": content, "severity": "medium",
            "impact": why.map(|why| [why]),
        }),
        RecordCategory::TechDebt => json!({
            "status": "open", "priority": "medium", "description": content, "reason_deferred": why,
        }),
        RecordCategory::Preference => {
            let topic = title.unwrap_or_else(|| content.chars().take(MAX_TOPIC).collect());
            json!({"topic": topic, "value": content, "reason": why, "strength": "default"})
        }
        RecordCategory::SessionSummary => json!({"goal": content}),
    };
    let Value::Object(mut fields) = fields else { return Map::new() };
    fields.retain(|_, value| !value.is_null());
    fields
}
