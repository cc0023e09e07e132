//! Texts of a memory that identify its quotations.

use serde_json::Value;
use tacit_core::Quotations;

/// The fields with a memory's own text.
const FIELDS: [&str; 5] = ["content", "title", "reasoning", "details", "cues"];
/// The least length of a line that is the whole content, in bytes.
const SHORTEST_WHOLE: usize = 8;

/// Returns the fields of a memory in JSON form that have its own text.
pub(super) fn said_by(memory: &Value) -> Value {
    let fields = FIELDS.iter().map(|field| ((*field).to_owned(), memory[*field].clone()));
    Value::Object(fields.filter(|(_, value)| !value.is_null()).collect())
}

/// Prepares to find the quotations of memories in JSON form.
pub(super) fn quotations_of(memories: &[Value]) -> Quotations {
    let mut quotations = Quotations::default();
    for memory in memories {
        for field in FIELDS {
            strings(&memory[field], &mut |text| {
                let is_whole = field == "content" && text.trim().lines().count() == 1;
                match is_whole {
                    true => quotations.add_lines(text, SHORTEST_WHOLE),
                    false => quotations.add(text),
                }
            });
        }
    }
    quotations
}

fn strings(value: &Value, take: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => take(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, take)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, take)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quotations_of_text_fields_are_found() {
        let long = "The staging database is restored from the snapshot of the last night";
        for (memory, text, quotes) in [
            (json!({"content": "use pnpm"}), "please use pnpm", true),
            (json!({"content": "no fact"}), "no fact", false),
            (json!({"content": long}), &long[..40], true),
            (json!({"content": "short\nbut this line is longer"}), "short", false),
            (json!({"content": "short\nbut this line is longer"}), "but this line is longer", true),
            (json!({"content": "some fact", "title": "auth"}), "auth", false),
            (
                json!({"details": {"steps": ["run the migration twice"]}}),
                "run the migration twice",
                true,
            ),
            (json!({"cues": ["checkout is slow", "slow"]}), "slow", false),
            (json!({"cues": ["checkout is slow", "slow"]}), "checkout is slow", true),
            (json!({"tags": ["some-tag-that-is-long"]}), "some-tag-that-is-long", false),
        ] {
            let quotations = quotations_of(std::slice::from_ref(&memory));
            assert_eq!(quotations.are_in(text), quotes, "{memory}: {text}");
        }
    }
}
