//! Sentences with places for values: `{label} took {steps}.`

/// The names in braces, in order; `Err` tells of a brace without its partner.
pub(crate) fn placeholders(template: &str) -> Result<Vec<&str>, &'static str> {
    let mut names = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        if rest[at..].starts_with('}') {
            return Err("has a `}` without a `{` before it");
        }
        let inside = &rest[at + 1..];
        let end = inside.find(['{', '}']).filter(|end| inside[*end..].starts_with('}'));
        let end = end.ok_or("has a `{` without a `}` after it")?;
        names.push(&inside[..end]);
        rest = &inside[end + 1..];
    }
    Ok(names)
}

/// The template with its values. Values are put in as they are: a brace in one is no place.
pub(crate) fn fill<'v>(template: &str, value: impl Fn(&str) -> Option<&'v str>) -> Option<String> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        filled.push_str(before);
        filled.push_str(value(name)?);
        rest = behind;
    }
    filled.push_str(rest);
    Some(filled)
}

/// The sentences of a template of which every value is known.
pub(crate) fn fill_sentences<'v>(
    template: &str,
    value: impl Fn(&str) -> Option<&'v str>,
) -> String {
    template.split_inclusive(". ").filter_map(|sentence| fill(sentence, &value)).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_or_the_error_is_reported() {
        for (template, expected) in [
            ("plain", Ok(vec![])),
            ("{a} and {b_c}{}", Ok(vec!["a", "b_c", ""])),
            ("{a", Err("has a `{` without a `}` after it")),
            ("{a{b}", Err("has a `{` without a `}` after it")),
            ("a}", Err("has a `}` without a `{` before it")),
        ] {
            assert_eq!(placeholders(template), expected, "{template}");
        }
    }

    #[test]
    fn sentences_with_missing_values_are_left_out() {
        let value = |name: &str| (name == "a").then_some("1{b}");
        assert_eq!(fill_sentences("It is {a}. It has {b}. End.", value), "It is 1{b}. End.");
        assert_eq!(fill("{a}-{b}", value), None);
    }
}
