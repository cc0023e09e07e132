//! Light English stemming that merges the forms of a word.
//!
//! The rules aim at programming prose. A stem need not be a word; it must only be the same for
//! `cache`, `caches`, `cached` and `caching`.

/// Stems the word that starts at `start` and ends the text. It must be lower-case ASCII.
pub(super) fn stem(text: &mut String, start: usize) {
    if text.len() - start < 4 {
        return;
    }
    plural(text, start);
    ending(text, start);
    normalise_end(text, start);
}

fn plural(text: &mut String, start: usize) {
    let word = &text[start..];
    if word.ends_with("ies") && word.len() > 4 {
        replace(text, 3, "y");
    } else if ["sses", "shes", "ches", "xes", "zes"].iter().any(|end| word.ends_with(end)) {
        replace(text, 2, "");
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        replace(text, 1, "");
    }
}

fn ending(text: &mut String, start: usize) {
    let word = &text[start..];
    if word.ends_with("ied") && word.len() > 4 {
        replace(text, 3, "y");
        return;
    }
    if word == "using" || word == "used" {
        replace(text, word.len() - 2, "e");
        return;
    }
    for end in ["ing", "ed"] {
        if let Some(rest) = word.strip_suffix(end)
            && rest.len() >= 3
            && rest.bytes().any(is_vowel)
        {
            replace(text, end.len(), "");
            return;
        }
    }
    if word.len() >= 7 && (word.ends_with("tion") || word.ends_with("sion")) {
        replace(text, 3, "");
    }
}

/// Removes a final `e` and a doubled final consonant.
fn normalise_end(text: &mut String, start: usize) {
    let word = &text[start..];
    if word.len() > 3 && word.ends_with('e') {
        replace(text, 1, "");
    }
    let word = &text.as_bytes()[start..];
    let n = word.len();
    if n > 3 && word[n - 1] == word[n - 2] && !is_vowel(word[n - 1]) {
        replace(text, 1, "");
    }
}

fn replace(text: &mut String, cut: usize, with: &str) {
    text.truncate(text.len() - cut);
    text.push_str(with);
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        // Text before the word must not matter.
        let mut text = format!("es {word}");
        stem(&mut text, 3);
        text.split_off(3)
    }

    #[test]
    fn forms_of_one_word_share_a_stem() {
        for forms in [
            "cache caches cached caching",
            "retry retries retried retrying",
            "stop stops stopped stopping",
            "install installs installed installing",
            "control controls controlled controlling",
            "migrate migrates migrated migrating migration migrations",
            "authenticate authenticated authentication",
            "connect connected connection connections",
            "use uses used using",
            "test tests tested testing",
            "process processes processed processing",
            "index indexes indexed indexing",
            "class classes",
            "query queries queried querying",
            "hook hooks hooked",
        ] {
            let stems: Vec<String> = forms.split(' ').map(stemmed).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{forms}: {stems:?}");
        }
    }

    #[test]
    fn different_words_have_different_stems() {
        for (one, other) in [
            ("bus", "bush"),
            ("status", "state"),
            ("string", "strong"),
            ("ring", "red"),
            ("thing", "this"),
        ] {
            assert_ne!(stemmed(one), stemmed(other), "{one} {other}");
        }
    }
}
