//! Text in prompts that the user did not type: reminders and context that the client or a hook added.

/// The tags around added text.
const ADDED: [&str; 12] = [
    "system-reminder",
    "system_reminder",
    "tacit-notes",
    "hook_context",
    "hook_prompt",
    "session_context",
    "environment_context",
    "user_instructions",
    "ide_opened_file",
    "ide_selection",
    "current_datetime",
    "local-command-caveat",
];

/// Returns the part of a prompt that the user typed; `None` if nothing of it was.
pub(super) fn typed(text: &str) -> Option<String> {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((from, to)) = next_added(rest) {
        kept.push_str(&rest[..from]);
        rest = &rest[to..];
    }
    kept.push_str(rest);
    let kept = kept.trim();
    (!kept.is_empty()).then(|| kept.to_owned())
}

/// Returns the range of the first added text. One that does not end reaches to the end.
fn next_added(text: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let from = at + found;
        let rest = &text[from + 1..];
        let tag = ADDED.iter().find(|tag| {
            rest.strip_prefix(**tag).is_some_and(|rest| rest.starts_with(['>', ' ', '\n']))
        });
        if let Some(tag) = tag {
            let end = format!("</{tag}>");
            let to = rest.find(&end).map_or(text.len(), |at| from + 1 + at + end.len());
            return Some((from, to));
        }
        at = from + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_typed_text_is_kept() {
        for (text, expected) in [
            ("Fix the build", Some("Fix the build")),
            ("<system-reminder>\nNotes\n</system-reminder>", None),
            ("<system-reminder>a</system-reminder>Fix it", Some("Fix it")),
            ("Fix it\n<tacit-notes id=\"1\">x</tacit-notes>\n", Some("Fix it")),
            ("Fix it <system_reminder>without an end", Some("Fix it")),
            ("<hook_context>a</hook_context>\n<hook_context>b</hook_context>Go", Some("Go")),
            ("a < b and <T> stay", Some("a < b and <T> stay")),
            ("<system-reminders> is a word", Some("<system-reminders> is a word")),
            ("  ", None),
        ] {
            assert_eq!(typed(text).as_deref(), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(<|>|/|é|x|system-reminder|tacit-notes| |\n){0,40}") {
            typed(&text);
        }
    }
}
