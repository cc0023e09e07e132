//! Runs of characters that may be names in code, and how surely they are.

/// A run of characters that may be a name.
pub(crate) struct NameCandidate<'t> {
    pub(crate) text: &'t str,
    /// Whether it is followed by `(`.
    called: bool,
    /// Whether a sentence may have begun with it.
    begins: bool,
}

impl NameCandidate<'_> {
    /// How surely this is a name in code and not a word.
    pub(crate) fn looks(&self) -> f32 {
        let last = self.text.rsplit(['.', ':', '#']).next().unwrap_or("");
        let inside = last.get(1..).unwrap_or("");
        let upper = inside.contains(|c: char| c.is_ascii_uppercase());
        let lower = last.contains(|c: char| c.is_ascii_lowercase());
        let qualified = self.text.len() > last.len() + 2 && last.len() > 2;
        if inside.contains('_')
            || last.starts_with('_')
            || (upper && lower)
            || (self.called && last.len() > 2)
        {
            1.0
        } else if qualified {
            0.8
        } else if last.starts_with(|c: char| c.is_ascii_uppercase())
            && lower
            && !self.begins
            && last.len() > 3
        {
            0.3
        } else {
            0.0
        }
    }
}

pub(crate) fn names_in(text: &str) -> impl Iterator<Item = NameCandidate<'_>> {
    let letter = |c: char| c.is_alphabetic() && !is_unspaced(c);
    let part = move |c: char| letter(c) || c.is_numeric() || matches!(c, '_' | '.' | ':' | '#');
    let mut rest = text;
    let mut begins = true;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(|c: char| letter(c) || c == '_')?;
            let gap = &rest[..start];
            begins = begins || gap.contains(['.', '!', '?', ':', '-', '*']);
            rest = &rest[start..];
            let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            let run = &rest[..end];
            rest = &rest[end..];
            let text = run.trim_end_matches(['.', ':', '#']);
            let found = NameCandidate {
                text,
                called: text.len() == run.len() && rest.starts_with('('),
                begins,
            };
            begins = run.ends_with(['.', ':']);
            if !text.is_empty() && text.is_ascii() {
                return Some(found);
            }
        }
    })
}

/// Whether a character is of a script that puts no spaces between words, or of its punctuation.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..)
}
