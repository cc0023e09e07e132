//! The statements of the project's own documents, so that no lesson repeats it.

/// The most bytes of all documents that are compared.
const MAX_BYTES: usize = 2 << 20;

/// The texts of the documents that a project addresses to its contributors, with single spaces and
/// in lower case.
#[derive(Debug, Clone, Default)]
pub struct StatedTexts(Vec<String>);

impl StatedTexts {
    /// Takes the texts of instructions such as CLAUDE.md, README and CONTRIBUTING.
    #[must_use]
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> StatedTexts {
        let mut room = MAX_BYTES;
        let mut kept = Vec::new();
        for text in texts {
            let text = &text[..text.floor_char_boundary(room)];
            room -= text.len();
            kept.push(normalised(text));
        }
        StatedTexts(kept)
    }

    /// Returns true if a document has this command or phrase as it stands.
    pub(crate) fn states(&self, phrase: &str) -> bool {
        let phrase = normalised(phrase);
        !phrase.is_empty()
            && self.0.iter().any(|text| {
                text.match_indices(&phrase).any(|(at, _)| {
                    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':');
                    let before = text[..at].chars().next_back();
                    let after = text[at + phrase.len()..].chars().next();
                    !before.is_some_and(is_part) && !after.is_some_and(is_part)
                })
            })
    }
}

fn normalised(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::StatedTexts;

    #[test]
    fn commands_are_stated_as_they_stand() {
        let stated = StatedTexts::new(["Run `make\n  test` or\n    npm run test:unit -- --all\n"]);
        for (phrase, expected) in [
            ("make test", true),
            ("Make  Test", true),
            ("npm run test", false),
            ("npm run test:unit", true),
            ("make", true),
            ("est", false),
            ("", false),
        ] {
            assert_eq!(stated.states(phrase), expected, "{phrase}");
        }
    }
}
