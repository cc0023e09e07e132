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
    pub(crate) kind: FieldShape,
    pub(crate) required: bool,
    pub(crate) help: &'static str,
}

/// The kind of a field's value.
#[derive(Debug)]
pub(crate) enum FieldShape {
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

const fn needed(name: &'static str, kind: FieldShape, help: &'static str) -> ShapeField {
    ShapeField { name, kind, required: true, help }
}

const fn optional(name: &'static str, kind: FieldShape, help: &'static str) -> ShapeField {
    ShapeField { name, kind, required: false, help }
}

const SESSION_SUMMARY: &[ShapeField] = &[
    needed("goal", FieldShape::Text, "What the session was for."),
    needed(
        "outcome",
        FieldShape::Word(&["success", "partial", "blocked", "abandoned"]),
        "How it ended.",
    ),
    optional("completed", FieldShape::Texts, "What was done."),
    optional("in_progress", FieldShape::Texts, "What was begun and is not done."),
    optional("blockers", FieldShape::Texts, "What stands in the way."),
    optional("next_actions", FieldShape::Texts, "What to do next."),
    optional("key_changes", FieldShape::Texts, "What is different now."),
];

const ALTERNATIVE: &[ShapeField] = &[
    needed("option", FieldShape::Text, "What else could have been chosen."),
    needed("rejected_reason", FieldShape::Text, "Why it was not."),
];

const DECISION: &[ShapeField] = &[
    needed(
        "status",
        FieldShape::Word(&["proposed", "accepted", "deprecated", "superseded"]),
        "Whether it holds.",
    ),
    needed("context", FieldShape::Text, "What made a choice necessary."),
    needed("decision", FieldShape::Text, "What was chosen."),
    optional("alternatives", FieldShape::Objects(ALTERNATIVE), "What was not chosen, and why."),
    needed("rationale", FieldShape::Texts, "Why it was chosen."),
    optional("consequences", FieldShape::Texts, "What follows from it."),
];

const RUNBOOK: &[ShapeField] = &[
    needed("trigger", FieldShape::Text, "The error or the situation that calls for it."),
    optional("symptoms", FieldShape::Texts, "How it shows."),
    needed("steps", FieldShape::Texts, "What to do, in order."),
    needed("verification", FieldShape::Text, "How to see that it worked."),
    optional("root_cause", FieldShape::Text, "Why it happens."),
    optional("environment", FieldShape::Text, "Where it happens."),
];

const CONSTRAINT: &[ShapeField] = &[
    needed(
        "kind",
        FieldShape::Word(&["limitation", "gap", "policy", "technical"]),
        "What sort it is.",
    ),
    needed("rule", FieldShape::Text, "What cannot or must not be done."),
    optional("impact", FieldShape::Texts, "What it means for the work."),
    optional("workarounds", FieldShape::Texts, "What can be done instead."),
    needed("severity", FieldShape::Word(&["high", "medium", "low"]), "How much it weighs."),
    optional("active", FieldShape::Flag, "Whether it still holds."),
    optional("expires", FieldShape::Text, "The condition under which it ends, or `none`."),
];

const TECH_DEBT: &[ShapeField] = &[
    needed(
        "status",
        FieldShape::Word(&["open", "in_progress", "resolved", "wont_fix"]),
        "Where it stands.",
    ),
    needed(
        "priority",
        FieldShape::Word(&["critical", "high", "medium", "low"]),
        "How soon it matters.",
    ),
    needed("description", FieldShape::Text, "What was put off."),
    needed("reason_deferred", FieldShape::Text, "Why it was put off."),
    optional("impact", FieldShape::Texts, "What it costs meanwhile."),
    optional("suggested_fix", FieldShape::Texts, "How it could be done."),
    optional("acceptance_criteria", FieldShape::Texts, "When it counts as done."),
];

const EXAMPLES: &[ShapeField] = &[
    optional("prefer", FieldShape::Texts, "How it should look."),
    optional("avoid", FieldShape::Texts, "How it should not."),
];

const PREFERENCE: &[ShapeField] = &[
    needed("topic", FieldShape::Text, "What it is about."),
    needed("value", FieldShape::Text, "How it should be done."),
    needed("reason", FieldShape::Text, "Why."),
    needed("strength", FieldShape::Word(&["strong", "default", "soft"]), "How firmly it is meant."),
    optional("examples", FieldShape::Object(EXAMPLES), "What it looks like."),
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

fn check_value(kind: &FieldShape, value: &Value, place: &str, errors: &mut Vec<FieldError>) {
    match (kind, value) {
        (FieldShape::Text, value) => errors.extend(check_text(value, place).err()),
        (FieldShape::Word(words), Value::String(word)) if words.contains(&word.as_str()) => {}
        (FieldShape::Word(words), value) => {
            let expected = format!("one of {}", words.join(", "));
            let problem = Problem::unexpected(&shown(value), expected);
            errors.push(FieldError::new(place, problem));
        }
        (FieldShape::Flag, Value::Bool(_)) => {}
        (FieldShape::Flag, value) => errors.push(wrong(place, value, "true or false")),
        (FieldShape::Texts, Value::Array(items)) => {
            errors.extend(check_length(items, place).err());
            for (index, item) in items.iter().enumerate() {
                errors.extend(check_text(item, &format!("{place}[{index}]")).err());
            }
        }
        (FieldShape::Texts, value) => errors.push(wrong(place, value, "a list of texts")),
        (FieldShape::Object(fields), Value::Object(object)) => check(fields, object, place, errors),
        (FieldShape::Object(_), value) => errors.push(wrong(place, value, "an object")),
        (FieldShape::Objects(fields), Value::Array(items)) => {
            errors.extend(check_length(items, place).err());
            for (index, item) in items.iter().enumerate() {
                let place = format!("{place}[{index}]");
                match item {
                    Value::Object(object) => check(fields, object, &place, errors),
                    other => errors.push(wrong(&place, other, "an object")),
                }
            }
        }
        (FieldShape::Objects(_), value) => errors.push(wrong(place, value, "a list of objects")),
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
            (FieldShape::Object(inner), Value::Object(inside)) => {
                Value::Object(ordered(inner, inside))
            }
            (FieldShape::Objects(inner), Value::Array(items)) => items
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
                FieldShape::Text => {
                    json!({"type": "string", "minLength": 1, "maxLength": MAX_TEXT})
                }
                FieldShape::Word(words) => json!({"enum": words}),
                FieldShape::Flag => json!({"type": "boolean"}),
                FieldShape::Texts => json!({
                    "type": "array", "maxItems": MAX_ITEMS,
                    "items": {"type": "string", "minLength": 1, "maxLength": MAX_TEXT},
                }),
                FieldShape::Object(inner) => schema_of(inner),
                FieldShape::Objects(inner) => {
                    json!({"type": "array", "maxItems": MAX_ITEMS, "items": schema_of(inner)})
                }
            };
            if field.required && matches!(field.kind, FieldShape::Texts | FieldShape::Objects(_)) {
                schema["minItems"] = json!(1);
            }
            schema["description"] = json!(field.help);
            (field.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = fields.iter().filter(|f| f.required).map(|f| f.name).collect();
    json!({"type": "object", "required": required, "properties": properties})
}
