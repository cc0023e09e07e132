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

/// Reads a query as an object: a key that is repeated is a list.
pub(crate) fn query(text: &str) -> Result<Value, ApiError> {
    let mut object = Map::new();
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    for (number, pair) in pairs.enumerate() {
        if number == MOST_PAIRS {
            return Err(ApiError::usage("the query has too many values"));
        }
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (key, value) = (decoded(key)?, Value::String(decoded(value)?));
        match object.get_mut(&key) {
            None => drop(object.insert(key, value)),
            Some(Value::Array(list)) => list.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
        }
    }
    Ok(Value::Object(object))
}

/// Reads the JSON body of a request.
pub(crate) fn body(bytes: &[u8]) -> Result<Value, ApiError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ApiError::usage(format!("the body is not valid JSON: {error}")))
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
    /// Texts: a list, or one text.
    Words(Vec<String>), {"type": "array", "items": {"type": "string"}}
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Words, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(one) => Ok(Words(vec![one])),
            list @ Value::Array(_) => {
                serde_json::from_value(list).map(Words).map_err(D::Error::custom)
            }
            _ => Err(D::Error::custom("neither a text nor a list of texts")),
        }
    }
}

scalar! {
    /// A whole number.
    Count(usize), {"type": "integer", "minimum": 0}
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Count, D::Error> {
        let number = match Value::deserialize(deserializer)? {
            Value::String(text) => text.parse().ok(),
            value => value.as_u64().and_then(|number| usize::try_from(number).ok()),
        };
        number.map(Count).ok_or_else(|| D::Error::custom("not a whole number from 0"))
    }
}

scalar! {
    /// A number.
    Number(f64), {"type": "number"}
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let number = match Value::deserialize(deserializer)? {
            Value::String(text) => text.parse().ok(),
            value => value.as_f64(),
        };
        let finite = number.filter(|number: &f64| number.is_finite());
        finite.map(Number).ok_or_else(|| D::Error::custom("not a number"))
    }
}

scalar! {
    /// Yes or no.
    Flag(bool), {"type": "boolean"}
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flag, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Bool(value) => Ok(Flag(value)),
            Value::String(text) if text == "true" => Ok(Flag(true)),
            Value::String(text) if text == "false" => Ok(Flag(false)),
            _ => Err(D::Error::custom("neither `true` nor `false`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_repeated_key_is_a_list() {
        let value = query("type=gotcha&type=a%20b+c&q=%C3%A9&flag").expect("a query");
        assert_eq!(value, json!({"type": ["gotcha", "a b c"], "q": "é", "flag": ""}));
        assert_eq!(query("").expect("a query"), json!({}));
    }

    #[test]
    fn escapes_must_be_valid_and_values_few() {
        for wrong in ["q=%", "q=%1", "q=%zz", "q=%ff"] {
            assert!(query(wrong).is_err(), "{wrong}");
        }
        assert!(query(&"a=1&".repeat(201)).is_err());
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
