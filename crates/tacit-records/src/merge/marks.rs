//! Renders conflicts with git's conflict markers.

use serde_json::Value;

use super::fields::Conflict;

/// Formats the merged value, with both sides of each conflict.
pub(super) fn marked(json: &Value, conflicts: &[Conflict]) -> String {
    let mut text = String::new();
    for line in format!("{json:#}").lines() {
        let quoted = |conflict: &&Conflict| {
            let token = Value::String(conflict.token.clone()).to_string();
            line.trim_end_matches(',').ends_with(&token)
        };
        match conflicts.iter().find(quoted) {
            None => {
                text.push_str(line);
                text.push('\n');
            }
            Some(conflict) => {
                let side = |value: &Option<Value>| -> String {
                    let lines = value.as_ref().map(|value| field(line, conflict, value));
                    lines.unwrap_or_default()
                };
                both(&mut text, &side(&conflict.ours), &side(&conflict.theirs));
            }
        }
    }
    text
}

/// Formats a field with one side's value instead of the placeholder.
fn field(line: &str, conflict: &Conflict, value: &Value) -> String {
    let token = Value::String(conflict.token.clone()).to_string();
    let indent: String = line.chars().take_while(|c| *c == ' ').collect();
    let value = format!("{value:#}").replace('\n', &format!("\n{indent}"));
    format!("{}\n", line.replacen(&token, &value, 1))
}

/// Appends two texts between conflict markers.
pub(super) fn both(text: &mut String, ours: &str, theirs: &str) {
    let mut side = |side: &str| {
        text.push_str(side);
        if !side.is_empty() && !side.ends_with('\n') {
            text.push('\n');
        }
    };
    side("<<<<<<< ours");
    side(ours);
    side("=======");
    side(theirs);
    side(">>>>>>> theirs");
}
