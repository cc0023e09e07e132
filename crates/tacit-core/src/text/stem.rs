//! Light English stemming: enough to bring the forms of one word together, no more.
//!
//! The rules aim at words of programming prose. A stem need not be a word; it must only be the
//! same for `cache`, `caches`, `cached` and `caching`.

/// The stem of a word in lower-case ASCII letters.
pub(super) fn stem(word: &mut String) {
    if word.len() < 4 {
        return;
    }
    plural(word);
    ending(word);
    settle(word);
}

fn plural(word: &mut String) {
    if word.ends_with("ies") && word.len() > 4 {
        replace(word, 3, "y");
    } else if ["sses", "shes", "ches", "xes", "zes"].iter().any(|end| word.ends_with(end)) {
        replace(word, 2, "");
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        replace(word, 1, "");
    }
}

fn ending(word: &mut String) {
    if word.ends_with("ied") && word.len() > 4 {
        replace(word, 3, "y");
        return;
    }
    if word == "using" || word == "used" {
        replace(word, word.len() - 2, "e");
        return;
    }
    for end in ["ing", "ed"] {
        if let Some(rest) = word.strip_suffix(end)
            && rest.len() >= 3
            && rest.bytes().any(is_vowel)
        {
            replace(word, end.len(), "");
            return;
        }
    }
    if word.len() >= 7 && (word.ends_with("tion") || word.ends_with("sion")) {
        replace(word, 3, "");
    }
}

/// Brings the ends together: no final `e`, no doubled final consonant.
fn settle(word: &mut String) {
    if word.len() > 3 && word.ends_with('e') {
        replace(word, 1, "");
    }
    let bytes = word.as_bytes();
    let n = bytes.len();
    if n > 3 && bytes[n - 1] == bytes[n - 2] && !is_vowel(bytes[n - 1]) {
        replace(word, 1, "");
    }
}

fn replace(word: &mut String, cut: usize, with: &str) {
    word.truncate(word.len() - cut);
    word.push_str(with);
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_meet() {
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
            let stems: Vec<String> = forms
                .split(' ')
                .map(|form| {
                    let mut form = form.to_owned();
                    stem(&mut form);
                    form
                })
                .collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{forms}: {stems:?}");
        }
    }

    #[test]
    fn different_words_stay_apart() {
        for (one, other) in [
            ("bus", "bush"),
            ("status", "state"),
            ("string", "strong"),
            ("ring", "red"),
            ("thing", "this"),
        ] {
            let (mut a, mut b) = (one.to_owned(), other.to_owned());
            stem(&mut a);
            stem(&mut b);
            assert_ne!(a, b, "{one} {other}");
        }
    }
}
