//! Words as a text has them: what is looked for is without endings, what is told is not.

use std::collections::{HashMap, HashSet};

use tacit_core::tokenize;

/// How a text writes words that are wanted in their shortest form.
pub(crate) fn spellings(text: &str, stems: &HashSet<String>) -> HashMap<String, String> {
    let beginnings: HashSet<Option<char>> = stems.iter().map(|word| word.chars().next()).collect();
    let mut found: HashMap<String, String> = HashMap::new();
    let part_of = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    for run in text.split(|c| !part_of(c)) {
        let run = run.trim_matches(['_', '-']);
        let parts = parts(run);
        if parts.len() > 1 {
            let joined = parts.concat().to_lowercase();
            if stems.contains(&joined) {
                found.entry(joined).or_insert_with(|| run.to_owned());
            }
        }
        for part in parts {
            let begins = part.chars().next().and_then(|c| c.to_lowercase().next());
            // Accents are left out of what is looked for.
            if part.is_ascii() && !beginnings.contains(&begins) {
                continue;
            }
            if let [short] = tokenize(part).distinct()[..]
                && stems.contains(short)
            {
                found.entry(short.to_owned()).or_insert_with(|| part.to_lowercase());
            }
        }
    }
    found
}

/// The parts of an identifier: `tokenRefresh`, `token_refresh` and `token-refresh` have two.
fn parts(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in run.split(['_', '-']) {
        let mut start = 0;
        let chars: Vec<(usize, char)> = piece.char_indices().collect();
        for (at, pair) in chars.windows(2).enumerate() {
            let ((_, before), (place, c)) = (pair[0], pair[1]);
            let after = chars.get(at + 2).map(|(_, c)| *c);
            let begins = (before.is_lowercase() && c.is_uppercase())
                || (before.is_uppercase()
                    && c.is_uppercase()
                    && after.is_some_and(char::is_lowercase))
                || before.is_numeric() != c.is_numeric();
            if begins {
                parts.push(&piece[start..place]);
                start = place;
            }
        }
        parts.push(&piece[start..]);
    }
    parts.retain(|part| !part.is_empty());
    parts
}
