//! Phrases that identify quotations of a memory.

use serde_json::Value;

/// The fields with a memory's own text.
const FIELDS: [&str; 5] = ["content", "title", "reasoning", "details", "cues"];
/// The length of a phrase, in bytes: quotations are often cut, but not before this.
const BEGINNING: usize = 40;
/// The least length of a line; shorter ones are too common.
const SHORTEST: usize = 12;
/// The least length of a line that is the whole content.
const SHORTEST_WHOLE: usize = 8;

/// Returns the starts of the lines of memories in JSON form.
pub(super) fn phrases(memories: &[Value]) -> Vec<String> {
    let mut phrases = Vec::new();
    for memory in memories {
        for field in FIELDS {
            let whole = field == "content";
            strings(&memory[field], &mut |text| {
                let lines: Vec<&str> =
                    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
                let least = if whole && lines.len() == 1 { SHORTEST_WHOLE } else { SHORTEST };
                for line in lines.into_iter().filter(|line| line.len() >= least) {
                    phrases.push(line[..line.floor_char_boundary(BEGINNING)].to_owned());
                }
            });
        }
    }
    phrases.sort_unstable();
    phrases.dedup();
    phrases
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
    fn phrases_are_the_starts_of_lines() {
        let long = "The staging database is restored from the snapshot of the last night";
        for (memory, expected) in [
            (json!({"content": "use pnpm"}), vec!["use pnpm"]),
            (json!({"content": "no fact"}), vec![]),
            (json!({"content": long}), vec![&long[..40]]),
            (json!({"content": "short\nbut this line is longer"}), vec!["but this line is longer"]),
            (json!({"content": "some fact", "title": "auth"}), vec!["some fact"]),
            (
                json!({"details": {"steps": ["run the migration twice"]}}),
                vec!["run the migration twice"],
            ),
            (json!({"cues": ["checkout is slow", "slow"]}), vec!["checkout is slow"]),
            (json!({"tags": ["some-tag-that-is-long"]}), vec![]),
        ] {
            assert_eq!(phrases(std::slice::from_ref(&memory)), expected, "{memory}");
        }
    }
}
