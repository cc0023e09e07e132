//! The raw form of a definition: serde structs, and TOML converted to JSON values so that errors
//! carry the path of the field.

use serde::Deserialize;
use serde_json::{Map, Number, Value};
use toml_edit::{Item, Value as Toml};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawDefinition {
    pub(crate) schema: u64,
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) phases: Map<String, Value>,
    #[serde(default)]
    pub(crate) stages: Map<String, Value>,
    pub(crate) work_unit: RawUnit,
    #[serde(default)]
    pub(crate) relay: Vec<RawRelay>,
    #[serde(default)]
    pub(crate) relay_format: RawFormat,
    #[serde(default)]
    pub(crate) work_state: RawState,
    #[serde(default)]
    pub(crate) memory_type: Vec<RawType>,
    #[serde(default)]
    pub(crate) completion: RawCompletion,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawUnit {
    pub(crate) level: Vec<RawLevel>,
    pub(crate) named_by_branch: Option<String>,
    pub(crate) dotted_parent: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLevel {
    pub(crate) name: String,
    pub(crate) label: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRelay {
    pub(crate) from: String,
    pub(crate) to: String,
    #[serde(default)]
    pub(crate) types: Vec<String>,
    pub(crate) min_confidence: Option<f64>,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawFormat {
    pub(crate) heading: Option<String>,
    pub(crate) item: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawState {
    #[serde(default)]
    pub(crate) field: Vec<RawField>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawField {
    pub(crate) name: String,
    pub(crate) label: String,
    pub(crate) kind: String,
    pub(crate) patterns: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawType {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) weights: Map<String, Value>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCompletion {
    pub(crate) text: Option<String>,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    pub(crate) next_phase: Option<String>,
}

pub(crate) fn table<'t>(entries: impl Iterator<Item = (&'t str, &'t Item)>) -> Map<String, Value> {
    entries.filter_map(|(key, item)| Some((key.to_owned(), item_json(item)?))).collect()
}

fn item_json(item: &Item) -> Option<Value> {
    Some(match item {
        Item::None => return None,
        Item::Value(value) => value_json(value),
        Item::Table(inner) => Value::Object(table(inner.iter())),
        Item::ArrayOfTables(tables) => {
            tables.iter().map(|inner| Value::Object(table(inner.iter()))).collect()
        }
    })
}

fn value_json(value: &Toml) -> Value {
    match value {
        Toml::String(text) => Value::String(text.value().clone()),
        Toml::Integer(number) => Value::from(*number.value()),
        Toml::Float(number) => Number::from_f64(*number.value()).map_or(Value::Null, Value::Number),
        Toml::Boolean(truth) => Value::Bool(*truth.value()),
        Toml::Datetime(time) => Value::String(time.value().to_string()),
        Toml::Array(values) => values.iter().map(value_json).collect(),
        Toml::InlineTable(inner) => Value::Object(
            inner.iter().map(|(key, value)| (key.to_owned(), value_json(value))).collect(),
        ),
    }
}
