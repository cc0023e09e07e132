//! Phrases by which a purge recognises quotations of a memory.

use serde_json::Value;

/// The fields of a memory that are text of its own.
const FIELDS: [&str; 4] = ["content", "title", "reasoning", "details"];
/// Text is often cut where it is quoted, but not before this.
const BEGINNING: usize = 40;
/// A shorter line is said too often to be a quotation.
const SHORTEST: usize = 12;
/// But not if it is all that a memory says.
const SHORTEST_WHOLE: usize = 8;

/// The beginnings of the lines of memories, given in their JSON form or as parts of it.
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
    fn lines_are_known_by_their_beginnings() {
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
            (json!({"tags": ["some-tag-that-is-long"]}), vec![]),
        ] {
            assert_eq!(phrases(std::slice::from_ref(&memory)), expected, "{memory}");
        }
    }
}
