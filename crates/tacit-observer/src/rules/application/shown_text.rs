//! The texts of the interface that an observation of the application names.

use tacit_core::code_spans;

/// Bounds on the length of a text, in characters: shorter ones are no evidence, longer ones are
/// sentences of the memory.
const MIN_TEXT: usize = 3;
const MAX_TEXT: usize = 80;
/// Words that describe an element after its name.
const ROLES: [&str; 16] = [
    "button", "link", "field", "input", "tab", "dialog", "modal", "checkbox", "menu", "icon",
    "option", "label", "heading", "panel", "textbox", "combobox",
];
/// Attributes whose value names one element.
const NAMING: [&str; 6] = ["data-testid", "data-test", "data-cy", "id", "name", "aria-label"];

/// Returns the texts and names of elements in the text of an observation, each once, in order:
/// what stands in code spans or quotation marks, without the words that describe an element, and
/// without the marks of a selector.
pub fn shown_texts(content: &str) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let spans = code_spans(content).map(|span| span.to_string());
    for named in spans.chain(quoted(content)) {
        let Some(text) = shown_text(named.trim()) else { continue };
        let is_right_size = (MIN_TEXT..=MAX_TEXT).contains(&text.chars().count());
        if is_right_size && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// Returns what the interface shows of a target, or the name that its code gives to it; `None` if
/// it is an address, a key, a number or a selector of many elements.
fn shown_text(target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with('/') || !target.chars().any(char::is_alphabetic)
    {
        return None;
    }
    if let Some(id) = target.strip_prefix('#') {
        return is_name(id).then(|| id.to_owned());
    }
    if let Some((_, attribute)) = target.split_once('[') {
        let (name, value) = attribute.strip_suffix(']')?.split_once('=')?;
        let value = value.trim_matches(['"', '\'']);
        return NAMING.contains(&name.trim_end_matches(['*', '^', '$'])).then(|| value.to_owned());
    }
    if let Some(text) = target.strip_prefix("text=") {
        return Some(text.trim_matches(['"', '\'']).to_owned());
    }
    if target.starts_with('.') || target.contains(['>', '{', '=', '(']) {
        return None;
    }
    // “the Save button” is “Save”.
    let mut words: Vec<&str> = target.split_whitespace().collect();
    if words.len() > 1 && ["the", "a", "an"].contains(&words[0].to_lowercase().as_str()) {
        words.remove(0);
    }
    if let [_, .., last] = words.as_slice()
        && ROLES.contains(&last.to_lowercase().as_str())
    {
        words.pop();
    }
    Some(words.join(" ").trim_matches(['"', '\'', '“', '”']).to_owned())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_".contains(c))
}

/// Iterates over what stands between a pair of quotation marks.
fn quoted(content: &str) -> impl Iterator<Item = String> {
    let straight = content.split('"').skip(1).step_by(2);
    let curved = content.split('“').skip(1).filter_map(|rest| Some(rest.split_once('”')?.0));
    straight.chain(curved).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_become_what_the_interface_shows() {
        for (target, expected) in [
            ("Save changes", Some("Save changes")),
            ("the Save changes button", Some("Save changes")),
            ("Button", Some("Button")),
            ("#save-button", Some("save-button")),
            ("#main > .row", None),
            ("button[data-testid=\"save\"]", Some("save")),
            ("[aria-label='Close dialog']", Some("Close dialog")),
            ("[type=submit]", None),
            ("text=Sign in", Some("Sign in")),
            (".btn.primary", None),
            ("https://example.com/login", None),
            ("/settings", None),
            ("42", None),
            ("document.title = 'x'", None),
        ] {
            assert_eq!(shown_text(target).as_deref(), expected, "{target}");
        }
    }

    #[test]
    fn texts_are_collected_from_code_spans_and_quotation_marks() {
        for (content, expected) in [
            (
                "click_by_text on `Start run` works only after click_by_text on `Settings`. Before \
                 that it failed (Start run is disabled).",
                &["Start run", "Settings"][..],
            ),
            (
                "The \"Save all\" button stays grey until “Full name” is filled.",
                &["Save all", "Full name"],
            ),
            ("click on `Save all` and \"Save all\" again", &["Save all"]),
            ("Cards are yellow while paused", &[]),
            ("`ok` is too short", &[]),
        ] {
            assert_eq!(shown_texts(content), expected, "{content}");
        }
    }
}
