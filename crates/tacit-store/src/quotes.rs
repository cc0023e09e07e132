//! The text that the history keeps of a memory, without quotations of another one that was purged.

use serde_json::Value;
use tacit_core::Quotations;

/// The text that replaces a quotation.
const BLANK: &str = "[purged]";

/// Replaces the strings in JSON that quote a memory.
pub fn without_quotations(json: &str, quotations: &Quotations) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(json) else { return "{}".to_owned() };
    blank(&mut value, quotations);
    let text = value.to_string();
    // A run of words across several strings.
    if quotations.are_in(&text) { "{}".to_owned() } else { text }
}

fn blank(value: &mut Value, quotations: &Quotations) {
    match value {
        Value::String(text) if quotations.are_in(text) => *value = Value::from(BLANK),
        Value::Array(items) => items.iter_mut().for_each(|item| blank(item, quotations)),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, field)| blank(field, quotations)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_quote_are_blanked_and_others_stay() {
        let mut quotations = Quotations::default();
        quotations.add("the staging database is restored every night");
        let blanked = |json| without_quotations(json, &quotations);
        for (json, expected) in [
            (
                r#"{"content":"see: the staging database is restored","tags":["a"],"n":1}"#,
                r#"{"content":"[purged]","tags":["a"],"n":1}"#,
            ),
            (
                r#"{"cues":["x",{"y":"The staging database is restored"}]}"#,
                r#"{"cues":["x",{"y":"[purged]"}]}"#,
            ),
            ("not JSON", "{}"),
        ] {
            assert_eq!(blanked(json), expected);
        }
    }
}
