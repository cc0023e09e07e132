//! The subset of JSON Schema that our schemas use.

use serde_json::Value;

/// Asserts that a value matches a schema.
pub(crate) fn conforms(schema: &Value, value: &Value, at: &str) {
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        other => panic!("{at}: the schema says {other:?}"),
    };
    assert!(fits, "{at}: {value} is not as {schema} says");
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{at}: {value} is not one of {words:?}");
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("a name");
        assert!(value.get(name).is_some(), "{at}: {name} is missing in {value}");
    }
    if let Some(properties) = schema["properties"].as_object() {
        for (name, field) in value.as_object().into_iter().flatten() {
            let at = format!("{at}.{name}");
            match properties.get(name) {
                Some(schema) => conforms(schema, field, &at),
                // Any answer may begin with one of these; schemas allow it without declaring it.
                None if matches!(name.as_str(), "message" | "notice") => {
                    assert!(field.as_str().is_some_and(|text| !text.is_empty()), "{at}: {field}");
                }
                None => panic!("{at} is not in the schema"),
            }
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        conforms(&schema["items"], item, &format!("{at}[{index}]"));
    }
}
