//! The shape of each category's content. Validation and the published JSON Schema both use these
//! tables, so they cannot disagree.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use tacit_core::{FieldError, Problem};

use crate::category::RecordCategory;

/// The most characters a text in a record may have.
pub const MAX_TEXT: usize = 8 * 1024;
/// The most items a list in a record's content may have.
pub const MAX_ITEMS: usize = 100;

/// A field of a shape.
#[derive(Debug)]
pub(crate) struct ShapeField {
    pub(crate) name: &'static str,
    pub(crate) kind: FieldKind,
    pub(crate) required: bool,
    pub(crate) help: &'static str,
}

/// The kind of a field's value.
#[derive(Debug)]
pub(crate) enum FieldKind {
    /// A text that is not empty.
    Text,
    /// One of the listed words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A list of texts.
    Texts,
    /// An object with fields of its own.
    Object(&'static [ShapeField]),
    /// A list of such objects.
    Objects(&'static [ShapeField]),
}

const fn needed(name: &'static str, kind: FieldKind, help: &'static str) -> ShapeField {
    ShapeField { name, kind, required: true, help }
}

const fn optional(name: &'static str, kind: FieldKind, help: &'static str) -> ShapeField {
    ShapeField { name, kind, required: false, help }
}

const SESSION_SUMMARY: &[ShapeField] = &[
    needed("goal", FieldKind::Text, "What the session was for."),
    needed(
        "outcome",
        FieldKind::Word(&["success", "partial", "blocked", "abandoned"]),
        "How it ended.",
    ),
    optional("completed", FieldKind::Texts, "What was done."),
    optional("in_progress", FieldKind::Texts, "What was begun and is not done."),
    optional("blockers", FieldKind::Texts, "What stands in the way."),
    optional("next_actions", FieldKind::Texts, "What to do next."),
    optional("key_changes", FieldKind::Texts, "What is different now."),
];

const ALTERNATIVE: &[ShapeField] = &[
    needed("option", FieldKind::Text, "What else could have been chosen."),
    needed("rejected_reason", FieldKind::Text, "Why it was not."),
];

const DECISION: &[ShapeField] = &[
    needed(
        "status",
        FieldKind::Word(&["proposed", "accepted", "deprecated", "superseded"]),
        "Whether it holds.",
    ),
    needed("context", FieldKind::Text, "What made a choice necessary."),
    needed("decision", FieldKind::Text, "What was chosen."),
    optional("alternatives", FieldKind::Objects(ALTERNATIVE), "What was not chosen, and why."),
    needed("rationale", FieldKind::Texts, "Why it was chosen."),
    optional("consequences", FieldKind::Texts, "What follows from it."),
];

const RUNBOOK: &[ShapeField] = &[
    needed("trigger", FieldKind::Text, "The error or the situation that calls for it."),
    optional("symptoms", FieldKind::Texts, "How it shows."),
    needed("steps", FieldKind::Texts, "What to do, in order."),
    needed("verification", FieldKind::Text, "How to see that it worked."),
    optional("root_cause", FieldKind::Text, "Why it happens."),
    optional("environment", FieldKind::Text, "Where it happens."),
];

const CONSTRAINT: &[ShapeField] = &[
    needed(
        "kind",
        FieldKind::Word(&["limitation", "gap", "policy", "technical"]),
        "What sort it is.",
    ),
    needed("rule", FieldKind::Text, "What cannot or must not be done."),
    optional("impact", FieldKind::Texts, "What it means for the work."),
    optional("workarounds", FieldKind::Texts, "What can be done instead."),
    needed("severity", FieldKind::Word(&["high", "medium", "low"]), "How much it weighs."),
    optional("active", FieldKind::Flag, "Whether it still holds."),
    optional("expires", FieldKind::Text, "The condition under which it ends, or `none`."),
];

const TECH_DEBT: &[ShapeField] = &[
    needed(
        "status",
        FieldKind::Word(&["open", "in_progress", "resolved", "wont_fix"]),
        "Where it stands.",
    ),
    needed(
        "priority",
        FieldKind::Word(&["critical", "high", "medium", "low"]),
        "How soon it matters.",
    ),
    needed("description", FieldKind::Text, "What was put off."),
    needed("reason_deferred", FieldKind::Text, "Why it was put off."),
    optional("impact", FieldKind::Texts, "What it costs meanwhile."),
    optional("suggested_fix", FieldKind::Texts, "How it could be done."),
    optional("acceptance_criteria", FieldKind::Texts, "When it counts as done."),
];

const EXAMPLES: &[ShapeField] = &[
    optional("prefer", FieldKind::Texts, "How it should look."),
    optional("avoid", FieldKind::Texts, "How it should not."),
];

const PREFERENCE: &[ShapeField] = &[
    needed("topic", FieldKind::Text, "What it is about."),
    needed("value", FieldKind::Text, "How it should be done."),
    needed("reason", FieldKind::Text, "Why."),
    needed("strength", FieldKind::Word(&["strong", "default", "soft"]), "How firmly it is meant."),
    optional("examples", FieldKind::Object(EXAMPLES), "What it looks like."),
];

impl RecordCategory {
    /// Returns the fields of its content, in the order in which they are written.
    pub(crate) fn shape(self) -> &'static [ShapeField] {
        match self {
            RecordCategory::SessionSummary => SESSION_SUMMARY,
            RecordCategory::Decision => DECISION,
            RecordCategory::Runbook => RUNBOOK,
            RecordCategory::Constraint => CONSTRAINT,
            RecordCategory::TechDebt => TECH_DEBT,
            RecordCategory::Preference => PREFERENCE,
        }
    }
}

/// Validates an object and adds its errors to `errors`. Unknown fields are ignored.
pub(crate) fn check(
    fields: &[ShapeField],
    object: &Map<String, Value>,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    for field in fields {
        let place = format!("{path}.{}", field.name);
        match object.get(field.name) {
            None if field.required => errors.push(missing(&place)),
            None => {}
            Some(value) => {
                check_value(&field.kind, value, &place, errors);
                if field.required && value.as_array().is_some_and(Vec::is_empty) {
                    errors.push(FieldError::new(place, Problem::Empty));
                }
            }
        }
    }
}

fn check_value(kind: &FieldKind, value: &Value, place: &str, errors: &mut Vec<FieldError>) {
    match (kind, value) {
        (FieldKind::Text, value) => errors.extend(check_text(value, place).err()),
        (FieldKind::Word(words), Value::String(word)) if words.contains(&word.as_str()) => {}
        (FieldKind::Word(words), value) => {
            let expected = format!("one of {}", words.join(", "));
            let problem = Problem::unexpected(&shown(value), expected);
            errors.push(FieldError::new(place, problem));
        }
        (FieldKind::Flag, Value::Bool(_)) => {}
        (FieldKind::Flag, value) => errors.push(wrong(place, value, "true or false")),
        (FieldKind::Texts, Value::Array(items)) => {
            errors.extend(check_length(items, place).err());
            for (index, item) in items.iter().enumerate() {
                errors.extend(check_text(item, &format!("{place}[{index}]")).err());
            }
        }
        (FieldKind::Texts, value) => errors.push(wrong(place, value, "a list of texts")),
        (FieldKind::Object(fields), Value::Object(object)) => check(fields, object, place, errors),
        (FieldKind::Object(_), value) => errors.push(wrong(place, value, "an object")),
        (FieldKind::Objects(fields), Value::Array(items)) => {
            errors.extend(check_length(items, place).err());
            for (index, item) in items.iter().enumerate() {
                let place = format!("{place}[{index}]");
                match item {
                    Value::Object(object) => check(fields, object, &place, errors),
                    other => errors.push(wrong(&place, other, "an object")),
                }
            }
        }
        (FieldKind::Objects(_), value) => errors.push(wrong(place, value, "a list of objects")),
    }
}

/// Validates a text: not empty and not too long.
pub(crate) fn check_text<'a>(value: &'a Value, place: &str) -> Result<&'a str, FieldError> {
    let text = value.as_str().ok_or_else(|| wrong(place, value, "a text"))?;
    if text.trim().is_empty() {
        return Err(FieldError::new(place, Problem::Empty));
    }
    if text.chars().count() > MAX_TEXT {
        let rule = format!("is longer than {MAX_TEXT} characters");
        return Err(FieldError::new(place, Problem::rule(rule)));
    }
    Ok(text)
}

fn check_length(items: &[Value], place: &str) -> Result<(), FieldError> {
    if items.len() <= MAX_ITEMS {
        return Ok(());
    }
    Err(FieldError::new(place, Problem::TooMany { max: MAX_ITEMS, actual: items.len() }))
}

/// Formats a value for messages, texts without quotes.
pub(crate) fn shown(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| value.to_string().into(), Cow::Borrowed)
}

pub(crate) fn wrong(place: &str, value: &Value, expected: &str) -> FieldError {
    FieldError::new(place, Problem::unexpected(&value.to_string(), expected))
}

pub(crate) fn missing(place: &str) -> FieldError {
    FieldError::new(place, Problem::rule("is missing"))
}

/// Sorts the known fields of an object into the order of the shape, before the others.
pub(crate) fn ordered(fields: &[ShapeField], mut object: Map<String, Value>) -> Map<String, Value> {
    let mut sorted = Map::new();
    for field in fields {
        let Some(value) = object.shift_remove(field.name) else { continue };
        let value = match (&field.kind, value) {
            (FieldKind::Object(inner), Value::Object(inside)) => {
                Value::Object(ordered(inner, inside))
            }
            (FieldKind::Objects(inner), Value::Array(items)) => items
                .into_iter()
                .map(|item| match item {
                    Value::Object(inside) => Value::Object(ordered(inner, inside)),
                    other => other,
                })
                .collect(),
            (_, value) => value,
        };
        sorted.insert(field.name.to_owned(), value);
    }
    sorted.extend(object);
    sorted
}

/// Returns the JSON Schema of an object with these fields.
pub(crate) fn schema_of(fields: &[ShapeField]) -> Value {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| {
            let mut schema = match &field.kind {
                FieldKind::Text => json!({"type": "string", "minLength": 1, "maxLength": MAX_TEXT}),
                FieldKind::Word(words) => json!({"enum": words}),
                FieldKind::Flag => json!({"type": "boolean"}),
                FieldKind::Texts => json!({
                    "type": "array", "maxItems": MAX_ITEMS,
                    "items": {"type": "string", "minLength": 1, "maxLength": MAX_TEXT},
                }),
                FieldKind::Object(inner) => schema_of(inner),
                FieldKind::Objects(inner) => {
                    json!({"type": "array", "maxItems": MAX_ITEMS, "items": schema_of(inner)})
                }
            };
            if field.required && matches!(field.kind, FieldKind::Texts | FieldKind::Objects(_)) {
                schema["minItems"] = json!(1);
            }
            schema["description"] = json!(field.help);
            (field.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = fields.iter().filter(|f| f.required).map(|f| f.name).collect();
    json!({"type": "object", "required": required, "properties": properties})
}
