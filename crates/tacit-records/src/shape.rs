//! What the content of each category looks like. Checking and the published JSON Schema are both
//! made from these tables, so that they cannot say different things.

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
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    pub(crate) help: &'static str,
}

/// What a field holds.
#[derive(Debug)]
pub(crate) enum Kind {
    /// A text that is not empty.
    Text,
    /// One of some words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A list of texts.
    Texts,
    /// An object with fields of its own.
    Object(&'static [Field]),
    /// A list of such objects.
    Objects(&'static [Field]),
}

const fn needed(name: &'static str, kind: Kind, help: &'static str) -> Field {
    Field { name, kind, required: true, help }
}

const fn optional(name: &'static str, kind: Kind, help: &'static str) -> Field {
    Field { name, kind, required: false, help }
}

const SESSION_SUMMARY: &[Field] = &[
    needed("goal", Kind::Text, "What the session was for."),
    needed("outcome", Kind::Word(&["success", "partial", "blocked", "abandoned"]), "How it ended."),
    optional("completed", Kind::Texts, "What was done."),
    optional("in_progress", Kind::Texts, "What was begun and is not done."),
    optional("blockers", Kind::Texts, "What stands in the way."),
    optional("next_actions", Kind::Texts, "What to do next."),
    optional("key_changes", Kind::Texts, "What is different now."),
];

const ALTERNATIVE: &[Field] = &[
    needed("option", Kind::Text, "What else could have been chosen."),
    needed("rejected_reason", Kind::Text, "Why it was not."),
];

const DECISION: &[Field] = &[
    needed(
        "status",
        Kind::Word(&["proposed", "accepted", "deprecated", "superseded"]),
        "Whether it holds.",
    ),
    needed("context", Kind::Text, "What made a choice necessary."),
    needed("decision", Kind::Text, "What was chosen."),
    optional("alternatives", Kind::Objects(ALTERNATIVE), "What was not chosen, and why."),
    needed("rationale", Kind::Texts, "Why it was chosen."),
    optional("consequences", Kind::Texts, "What follows from it."),
];

const RUNBOOK: &[Field] = &[
    needed("trigger", Kind::Text, "The error or the situation that calls for it."),
    optional("symptoms", Kind::Texts, "How it shows."),
    needed("steps", Kind::Texts, "What to do, in order."),
    needed("verification", Kind::Text, "How to see that it worked."),
    optional("root_cause", Kind::Text, "Why it happens."),
    optional("environment", Kind::Text, "Where it happens."),
];

const CONSTRAINT: &[Field] = &[
    needed("kind", Kind::Word(&["limitation", "gap", "policy", "technical"]), "What sort it is."),
    needed("rule", Kind::Text, "What cannot or must not be done."),
    optional("impact", Kind::Texts, "What it means for the work."),
    optional("workarounds", Kind::Texts, "What can be done instead."),
    needed("severity", Kind::Word(&["high", "medium", "low"]), "How much it weighs."),
    optional("active", Kind::Flag, "Whether it still holds."),
    optional("expires", Kind::Text, "The condition under which it ends, or `none`."),
];

const TECH_DEBT: &[Field] = &[
    needed(
        "status",
        Kind::Word(&["open", "in_progress", "resolved", "wont_fix"]),
        "Where it stands.",
    ),
    needed("priority", Kind::Word(&["critical", "high", "medium", "low"]), "How soon it matters."),
    needed("description", Kind::Text, "What was put off."),
    needed("reason_deferred", Kind::Text, "Why it was put off."),
    optional("impact", Kind::Texts, "What it costs meanwhile."),
    optional("suggested_fix", Kind::Texts, "How it could be done."),
    optional("acceptance_criteria", Kind::Texts, "When it counts as done."),
];

const EXAMPLES: &[Field] = &[
    optional("prefer", Kind::Texts, "How it should look."),
    optional("avoid", Kind::Texts, "How it should not."),
];

const PREFERENCE: &[Field] = &[
    needed("topic", Kind::Text, "What it is about."),
    needed("value", Kind::Text, "How it should be done."),
    needed("reason", Kind::Text, "Why."),
    needed("strength", Kind::Word(&["strong", "default", "soft"]), "How firmly it is meant."),
    optional("examples", Kind::Object(EXAMPLES), "What it looks like."),
];

impl RecordCategory {
    /// The fields of its content, in the order in which they are written.
    pub(crate) fn shape(self) -> &'static [Field] {
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

/// Checks an object against its fields and puts what is wrong into `errors`. Fields that are not
/// known are left alone.
pub(crate) fn check(
    fields: &[Field],
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

fn check_value(kind: &Kind, value: &Value, place: &str, errors: &mut Vec<FieldError>) {
    match (kind, value) {
        (Kind::Text, value) => errors.extend(check_text(value, place).err()),
        (Kind::Word(words), Value::String(word)) if words.contains(&word.as_str()) => {}
        (Kind::Word(words), value) => {
            let expected = format!("one of {}", words.join(", "));
            let problem = Problem::unexpected(&shown(value), expected);
            errors.push(FieldError::new(place, problem));
        }
        (Kind::Flag, Value::Bool(_)) => {}
        (Kind::Flag, value) => errors.push(wrong(place, value, "true or false")),
        (Kind::Texts, Value::Array(items)) => {
            errors.extend(check_length(items, place).err());
            for (index, item) in items.iter().enumerate() {
                errors.extend(check_text(item, &format!("{place}[{index}]")).err());
            }
        }
        (Kind::Texts, value) => errors.push(wrong(place, value, "a list of texts")),
        (Kind::Object(fields), Value::Object(object)) => check(fields, object, place, errors),
        (Kind::Object(_), value) => errors.push(wrong(place, value, "an object")),
        (Kind::Objects(fields), Value::Array(items)) => {
            errors.extend(check_length(items, place).err());
            for (index, item) in items.iter().enumerate() {
                let place = format!("{place}[{index}]");
                match item {
                    Value::Object(object) => check(fields, object, &place, errors),
                    other => errors.push(wrong(&place, other, "an object")),
                }
            }
        }
        (Kind::Objects(_), value) => errors.push(wrong(place, value, "a list of objects")),
    }
}

/// A text that is there and not too long.
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

/// A value as a reader knows it: a text without its quotes.
pub(crate) fn shown(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| value.to_string().into(), Cow::Borrowed)
}

pub(crate) fn wrong(place: &str, value: &Value, expected: &str) -> FieldError {
    FieldError::new(place, Problem::unexpected(&value.to_string(), expected))
}

pub(crate) fn missing(place: &str) -> FieldError {
    FieldError::new(place, Problem::rule("is missing"))
}

/// The object with its known fields in the order of the shape, and the others behind them.
pub(crate) fn ordered(fields: &[Field], mut object: Map<String, Value>) -> Map<String, Value> {
    let mut sorted = Map::new();
    for field in fields {
        let Some(value) = object.shift_remove(field.name) else { continue };
        let value = match (&field.kind, value) {
            (Kind::Object(inner), Value::Object(inside)) => Value::Object(ordered(inner, inside)),
            (Kind::Objects(inner), Value::Array(items)) => items
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

/// The JSON Schema of an object with these fields.
pub(crate) fn schema_of(fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| {
            let mut schema = match &field.kind {
                Kind::Text => json!({"type": "string", "minLength": 1, "maxLength": MAX_TEXT}),
                Kind::Word(words) => json!({"enum": words}),
                Kind::Flag => json!({"type": "boolean"}),
                Kind::Texts => json!({
                    "type": "array", "maxItems": MAX_ITEMS,
                    "items": {"type": "string", "minLength": 1, "maxLength": MAX_TEXT},
                }),
                Kind::Object(inner) => schema_of(inner),
                Kind::Objects(inner) => {
                    json!({"type": "array", "maxItems": MAX_ITEMS, "items": schema_of(inner)})
                }
            };
            if field.required && matches!(field.kind, Kind::Texts | Kind::Objects(_)) {
                schema["minItems"] = json!(1);
            }
            schema["description"] = json!(field.help);
            (field.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = fields.iter().filter(|f| f.required).map(|f| f.name).collect();
    json!({"type": "object", "required": required, "properties": properties})
}
