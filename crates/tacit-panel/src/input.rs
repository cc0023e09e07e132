//! The content of requests: queries and bodies become values of one kind, so that a filter is read the same way
//! in both.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::error::ApiError;

/// The most pairs in a query.
const MOST_PAIRS: usize = 200;

/// Reads a query as an object, with the types of a schema: a query writes everything as text. A value that is
/// not of its type stays a text, and the route refuses it.
pub(crate) fn query(text: &str, schema: &Value) -> Result<Value, ApiError> {
    let mut object = Map::new();
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    for (number, pair) in pairs.enumerate() {
        if number == MOST_PAIRS {
            return Err(ApiError::usage("the query has too many values"));
        }
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (key, value) = (decoded(key)?, decoded(value)?);
        let given = schema["properties"][key.as_str()]["type"].clone();
        let is = |name: &str| {
            given == name || given.as_array().is_some_and(|all| all.contains(&name.into()))
        };
        if is("array") {
            let list = object.entry(key).or_insert_with(|| Value::Array(Vec::new()));
            list.as_array_mut()
                .into_iter()
                .for_each(|list| list.push(Value::String(value.clone())));
            continue;
        }
        let typed = ["integer", "number", "boolean"].into_iter().find(|name| is(name));
        // These are written as in JSON.
        let typed = typed
            .and_then(|_| serde_json::from_str(&value).ok())
            .filter(|value: &Value| value.is_number() || value.is_boolean());
        if object.insert(key.clone(), typed.unwrap_or(Value::String(value))).is_some() {
            return Err(ApiError::usage(format!("`{key}` is given more than once")));
        }
    }
    Ok(Value::Object(object))
}

/// Reads the JSON body of a request. Serde also reads an object from a list, field by field, and a word from an
/// object with that key; both are refused here wherever the schema has neither.
pub(crate) fn body(bytes: &[u8], schema: &Value) -> Result<Value, ApiError> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| ApiError::usage(format!("the body is not valid JSON: {error}")))?;
    if !value.is_object() {
        return Err(ApiError::usage("the body must be a JSON object"));
    }
    match wrong_shape(&value, schema, schema) {
        None => Ok(value),
        Some((path, shape)) => {
            Err(ApiError::usage(format!("`{}` must not be {shape}", &path[1..])))
        }
    }
}

/// Returns the path of a list or an object, such as `.filter` or `.steps.0`, and which of both it is, where the
/// schema expects something else.
fn wrong_shape(value: &Value, schema: &Value, root: &Value) -> Option<(String, &'static str)> {
    if let Some(target) = schema["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
        return wrong_shape(value, root.pointer(target)?, root);
    }
    if let Some(any) = ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array()) {
        let mut wrong = any.iter().map(|schema| wrong_shape(value, schema, root));
        // One alternative that fits is enough; otherwise the first says what is wrong.
        let first = wrong.next()??;
        return wrong.all(|wrong| wrong.is_some()).then_some(first);
    }
    let (name, shape) = match value {
        Value::Array(_) => ("array", "a list"),
        Value::Object(_) => ("object", "an object"),
        // Serde takes these for nothing else.
        _ => return None,
    };
    let is_expected = match &schema["type"] {
        Value::Array(all) => all.iter().any(|kind| kind == name),
        kind => kind.is_null() || kind == name,
    };
    if !is_expected {
        return Some((String::new(), shape));
    }
    let within = |name: &str, value: &Value, schema: &Value| {
        let (path, shape) = wrong_shape(value, schema, root)?;
        Some((format!(".{name}{path}"), shape))
    };
    match value {
        Value::Array(items) => (items.iter().enumerate())
            .find_map(|(index, item)| within(&index.to_string(), item, &schema["items"])),
        Value::Object(fields) => fields.iter().find_map(|(name, field)| {
            let known = schema["properties"].get(name);
            within(name, field, known.unwrap_or(&schema["additionalProperties"]))
        }),
        _ => None,
    }
}

/// Reads a value as what a route takes; the error names the field.
pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Result<T, ApiError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let why = error.into_inner();
        ApiError::usage(match path.as_str() {
            "." => why.to_string(),
            path => format!("`{path}`: {why}"),
        })
    })
}

/// Decodes `%20` and `+`.
fn decoded(text: &str) -> Result<String, ApiError> {
    percent_decoded(text, true)
        .ok_or_else(|| ApiError::usage(format!("`{text}` is not text with valid escapes")))
}

/// Decodes the escapes of a part of an address; `None` if they are invalid.
pub(crate) fn percent_decoded(text: &str, plus_is_space: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || Some(char::from(rest.next()?).to_digit(16)? as u8);
                digit()? << 4 | digit()?
            }
            b'+' if plus_is_space => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// A value with a plain schema, which a query writes as text.
macro_rules! scalar {
    ($(#[$doc:meta])* $name:ident($inner:ty), $schema:tt) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub(crate) struct $name(pub(crate) $inner);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

scalar! {
    /// A list of texts.
    Words(Vec<String>), {"type": "array", "items": {"type": "string"}}
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Words, D::Error> {
        let list = serde_json::from_value(Value::deserialize(deserializer)?);
        list.map(Words).map_err(|_| D::Error::custom("not a list of texts"))
    }
}

scalar! {
    /// A whole number.
    Count(usize), {"type": "integer", "minimum": 0}
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Count, D::Error> {
        let number = Value::deserialize(deserializer)?.as_u64();
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.map(Count).ok_or_else(|| D::Error::custom("not a whole number from 0"))
    }
}

scalar! {
    /// A number.
    Number(f64), {"type": "number"}
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let number = Value::deserialize(deserializer)?.as_f64();
        number.map(Number).ok_or_else(|| D::Error::custom("not a number"))
    }
}

scalar! {
    /// Yes or no.
    Flag(bool), {"type": "boolean"}
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flag, D::Error> {
        let flag = Value::deserialize(deserializer)?.as_bool();
        flag.map(Flag).ok_or_else(|| D::Error::custom("neither `true` nor `false`"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_have_the_types_of_the_schema() {
        let schema = json!({"properties": {
            "type": {"type": "array"}, "q": {"type": "string"}, "limit": {"type": ["integer", "null"]},
            "stale": {"type": ["boolean", "null"]}, "least": {"type": ["number", "null"]},
        }});
        let read = |text| query(text, &schema).ok();
        for (text, expected) in [
            ("", json!({})),
            (
                "type=gotcha&type=a%20b+c&q=%C3%A9&flag",
                json!({"type": ["gotcha", "a b c"], "q": "é", "flag": ""}),
            ),
            ("type=gotcha&q=1&limit=1", json!({"type": ["gotcha"], "q": "1", "limit": 1})),
            ("stale=true&least=0.5", json!({"stale": true, "least": 0.5})),
            (
                "stale=yes&least=x&limit=null",
                json!({"stale": "yes", "least": "x", "limit": "null"}),
            ),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
        assert_eq!(read("q=a&q=b"), None, "one value is meant");
    }

    #[test]
    fn escapes_must_be_valid_and_values_few() {
        for wrong in ["q=%", "q=%1", "q=%zz", "q=%ff"] {
            assert!(query(wrong, &json!({})).is_err(), "{wrong}");
        }
        assert!(query(&"a=1&".repeat(201), &json!({})).is_err());
    }

    #[test]
    fn unexpected_lists_and_objects_are_refused() {
        let schema = json!({
            "type": "object",
            "properties": {
                "filter": {"$ref": "#/$defs/Filter"},
                "maybe": {"anyOf": [{"$ref": "#/$defs/Filter"}, {"type": "null"}]},
                "steps": {"type": ["array", "null"], "items": {"$ref": "#/$defs/Filter"}},
                "anything": true,
                "verdict": {"type": "string", "enum": ["wrong"]},
                "order": {"oneOf": [{"type": "string", "const": "newest"}, {"type": "string", "const": "oldest"}]},
                "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            },
            "$defs": {"Filter": {"type": "object", "properties": {"q": {"type": "string"}}}},
        });
        let read = |value: Value| {
            let read = body(value.to_string().as_bytes(), &schema);
            read.map_err(|error| error.body.message)
        };
        for right in [
            json!({}),
            json!({"filter": {"q": "a"}, "maybe": null, "steps": [{"q": "b"}, {}]}),
            json!({"anything": [[1]], "unknown": [1], "steps": []}),
            json!({"verdict": "wrong", "order": "oldest", "counts": {"a": 1}}),
        ] {
            assert_eq!(read(right.clone()), Ok(right));
        }
        for (wrong, message) in [
            (json!([]), "the body must be a JSON object"),
            (json!({"filter": []}), "`filter` must not be a list"),
            (json!({"filter": {"q": []}}), "`filter.q` must not be a list"),
            (json!({"maybe": ["a"]}), "`maybe` must not be a list"),
            (json!({"steps": [{}, []]}), "`steps.1` must not be a list"),
            (json!({"verdict": {"wrong": null}}), "`verdict` must not be an object"),
            (json!({"order": {"oldest": null}}), "`order` must not be an object"),
            (json!({"counts": {"a": []}}), "`counts.a` must not be a list"),
        ] {
            assert_eq!(read(wrong), Err(message.to_owned()));
        }
    }

    #[test]
    fn errors_name_the_field() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only read from JSON")]
        struct Input {
            limit: Option<Count>,
        }
        let error = |value| read::<Input>(value).expect_err("an error").body.message;
        assert_eq!(error(json!({"limit": "x"})), "`limit`: not a whole number from 0");
        assert!(error(json!({"other": 1})).contains("unknown field `other`"));
    }
}
