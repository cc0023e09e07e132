//! Qualified names, taken apart.

/// How many parts a qualified name may have before it is taken for something else.
const LONGEST_PATH: usize = 12;

/// The parts of a qualified name; none if there is anything but names in it.
pub(super) fn path_of(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    // Type arguments say nothing about which type it is: `Vec<T>::new`, `Base[T]`.
    let mut rest = text;
    // A name that is written from the root has nothing as its first part: `::a`, `\A`.
    if let Some(name) = text.strip_prefix("::").or_else(|| text.strip_prefix('\\')) {
        parts.push(String::new());
        rest = name;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if end == 0 || parts.len() == LONGEST_PATH {
            return None;
        }
        parts.push(rest[..end].to_owned());
        // `super<Shape>.draw()` is of the base it names, which is no place that names lead to.
        if parts == ["super"] && rest[end..].starts_with('<') {
            return None;
        }
        rest = without_arguments(rest[end..].trim_start())?.trim_start();
        rest = ["::", "?.", "!.", "->", ".", "\\"]
            .iter()
            .find_map(|separator| rest.strip_prefix(separator))
            .or_else(|| rest.is_empty().then_some(rest))?
            .trim_start();
        rest = without_arguments(rest)?;
    }
    (!parts.is_empty()).then_some(parts)
}

/// What follows after `<…>`; none if it is not closed.
fn without_arguments(text: &str) -> Option<&str> {
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

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '#' || c == '@'
}
