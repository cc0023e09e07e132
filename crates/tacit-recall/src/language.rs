//! Prompts in languages that the bundled model does not read.
//!
//! The model was trained on English: in another language its vectors say little. Identifiers,
//! paths, flags and error codes are the same in every language, so there they decide.

/// Function words of other languages that are no English words, sorted.
const FUNCTION_WORDS: [&str; 98] = [
    "aber", "alle", "als", "auch", "auf", "avec", "bei", "beim", "bitte", "como", "cuando", "dans",
    "das", "dass", "de", "del", "dem", "den", "depois", "der", "des", "después", "di", "diese",
    "du", "ein", "eine", "einen", "einer", "el", "em", "en", "es", "est", "esta", "este", "está",
    "et", "für", "gli", "hay", "het", "ich", "il", "im", "ist", "je", "kann", "keine", "la", "las",
    "le", "les", "los", "mais", "mit", "más", "nach", "nicht", "niet", "non", "nous", "nur", "não",
    "ohne", "os", "où", "para", "pas", "pero", "por", "porque", "pour", "pourquoi", "quand", "que",
    "qui", "se", "seit", "sind", "sobre", "sono", "sur", "una", "und", "une", "van", "voor",
    "vous", "warum", "wenn", "wie", "wir", "wird", "zu", "zum", "zur", "über",
];
/// English function words that other languages do not have.
const ENGLISH_WORDS: [&str; 24] = [
    "and", "are", "be", "but", "can", "does", "for", "from", "have", "how", "it", "my", "not",
    "of", "should", "that", "the", "this", "to", "we", "when", "why", "with", "you",
];

/// The number of words that are looked at: people write the same language to the end.
const LOOKED_AT: usize = 200;
/// The share of letters of other scripts from which on a text is not English.
const OTHER_SCRIPT: f64 = 0.2;
/// The last of the Latin letters.
const LATIN: char = '\u{24f}';

/// Returns true if a text is probably not in English: a good part of its letters is not Latin, or
/// it has at least two function words of other languages, and more of them than English ones.
pub(crate) fn is_foreign(text: &str) -> bool {
    let (mut letters, mut others) = (0.0, 0.0);
    let (mut foreign, mut english) = (0, 0);
    for word in text.split_whitespace().take(LOOKED_AT) {
        for letter in word.chars().filter(|c| c.is_alphabetic()) {
            letters += 1.0;
            others += if letter > LATIN { 1.0 } else { 0.0 };
        }
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        foreign += usize::from(FUNCTION_WORDS.binary_search(&word.as_str()).is_ok());
        english += usize::from(ENGLISH_WORDS.binary_search(&word.as_str()).is_ok());
    }
    others > OTHER_SCRIPT * letters || (foreign >= 2 && foreign > english)
}

/// Returns true for a word that is the same in every language: an identifier, a path, a flag, a
/// call, an error code or a number of several digits.
pub(crate) fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '`'));
    let bytes = word.as_bytes();
    let is_camel =
        bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let capitals = bytes.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let is_code = digits >= 3 || (digits >= 1 && capitals >= 1) || capitals >= 4;
    word.is_ascii()
        && (is_camel
            || is_code
            || word.contains("::")
            || word.contains('_')
            || word.starts_with("--")
            || word.starts_with('`')
            || (word.len() > 3 && word[1..].contains(['/', '.'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_are_sorted() {
        assert!(FUNCTION_WORDS.is_sorted() && ENGLISH_WORDS.is_sorted());
    }

    #[test]
    fn languages_are_told_by_script_and_function_words() {
        for text in [
            "Warum schlägt der Test nach dem Update fehl?",
            "le serveur ne répond pas quand je le lance",
            "la importación falla cuando hay muchas filas",
            "테스트가 실패합니다: ModuleNotFoundError",
            "после обновления тесты падают",
        ] {
            assert!(is_foreign(text), "{text}");
        }
        for text in [
            "",
            "fix login test",
            "why does the pool leak",
            "old stories say KÃ¶ln instead of Köln",
            "searching \"Wärmepumpe\" should also find \"Luftwärmepumpenförderung\"",
            "deploy to the la region de novo and watch the en locale",
        ] {
            assert!(!is_foreign(text), "{text}");
        }
    }

    #[test]
    fn names_are_the_same_in_every_language() {
        for word in [
            "tokenRefresh",
            "E0308",
            "40001",
            "SQLSTATE",
            "src/pool.rs",
            "--preload",
            "a::b",
            "`x`",
        ] {
            assert!(is_name(word), "{word}");
        }
        for word in ["Warum", "fehlt.", "12", "größer", "테스트가", "", "-"] {
            assert!(!is_name(word), "{word}");
        }
    }
}
