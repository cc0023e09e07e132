//! Splits qualified names.

/// The maximum number of parts of a qualified name.
const MAX_PARTS: usize = 12;

/// Splits a qualified name into its parts. Returns `None` if it contains anything but names.
pub(super) fn split_path(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    // Type arguments are skipped: `Vec<T>::new`, `Base[T]`.
    let mut rest = text;
    // A name that starts at the root has an empty first part: `::a`, `\A`.
    if let Some(name) = text.strip_prefix("::").or_else(|| text.strip_prefix('\\')) {
        parts.push(String::new());
        rest = name;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
        if end == 0 || parts.len() == MAX_PARTS {
            return None;
        }
        parts.push(rest[..end].to_owned());
        // `super<Shape>.draw()` names a base, which the linker does not support.
        if parts == ["super"] && rest[end..].starts_with('<') {
            return None;
        }
        rest = skip_type_arguments(rest[end..].trim_start())?.trim_start();
        rest = ["::", "?.", "!.", "->", ".", "\\"]
            .iter()
            .find_map(|separator| rest.strip_prefix(separator))
            .or_else(|| rest.is_empty().then_some(rest))?
            .trim_start();
        rest = skip_type_arguments(rest)?;
    }
    (!parts.is_empty()).then_some(parts)
}

/// Skips `<…>` at the start. Returns `None` if it is not closed.
fn skip_type_arguments(text: &str) -> Option<&str> {
    if !text.starts_with('<') {
        return Some(text);
    }
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let rest = &text[at + 1..];
            return Some(rest);
        }
    }
    None
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '#' || c == '@'
}
