//! Splits prose into sentences, and shortens it at their ends.

/// Words before a full stop that does not end a sentence.
const ABBREVIATIONS: [&str; 12] =
    ["e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "resp", "z.B", "d.h", "bzw", "p.ej"];

/// Splits a text into its sentences. Full stops inside names, numbers and abbreviations end none,
/// and neither does a line break.
///
/// ```
/// let text = "Fix `a.rs`, e.g. line 3. Then run 1.2!";
/// assert_eq!(tacit_core::sentences(text), ["Fix `a.rs`, e.g. line 3.", "Then run 1.2!"]);
/// ```
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        let ends = match c {
            '.' | '!' | '?' => {
                text[next..].chars().next().is_none_or(char::is_whitespace)
                    && !ends_in_abbreviation(&text[start..at])
            }
            '。' | '！' | '？' => true,
            _ => false,
        };
        if ends {
            found.push(&text[start..next]);
            start = next;
        }
    }
    found.push(&text[start..]);
    found.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty()).collect()
}

fn ends_in_abbreviation(text: &str) -> bool {
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    ABBREVIATIONS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Shortens a text to whole sentences of at most `max` characters, on one line. A longer first
/// sentence is cut at a word.
pub fn shorten_at_sentence(text: &str, max: usize) -> String {
    let mut short = String::new();
    let mut length = 0;
    for sentence in sentences(text) {
        let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
        let more = sentence.chars().count() + usize::from(length > 0);
        if length > 0 && length + more > max {
            break;
        }
        if length > 0 {
            short.push(' ');
        }
        short.push_str(&sentence);
        length += more;
    }
    shorten_at_word(&short, max)
}

/// Shortens a text to at most `max` characters, at a word, with an ellipsis.
pub fn shorten_at_word(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let cut: String = text.chars().take(max.saturating_sub(1)).collect();
    let end = cut.rfind(' ').filter(|end| *end > cut.len() / 2).unwrap_or(cut.len());
    let cut = cut[..end].trim_end_matches(|c: char| c.is_whitespace() || ",;:-–—(".contains(c));
    format!("{cut}…")
}

/// Returns a text that ends like a sentence.
pub fn end_sentence(text: &str) -> String {
    let text = text.trim_end().trim_end_matches([':', ',', ';']);
    let ended = text.ends_with(['.', '!', '?', '…', '。', '！', '？']);
    if ended { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_cut_at_a_word_with_an_ellipsis() {
        for (text, max, expected) in [
            ("Close the pool first", 20, "Close the pool first"),
            ("Close the pool first, then fork", 23, "Close the pool first…"),
            ("Close the pool first", 19, "Close the pool…"),
            ("é été déjà vu", 8, "é été…"),
            ("src/billing/invoices.rs", 10, "src/billi…"),
        ] {
            assert_eq!(shorten_at_word(text, max), expected, "{text}");
        }
    }

    #[test]
    fn sentences_end_at_full_stops_before_a_new_sentence() {
        for (text, expected) in [
            ("", &[] as &[&str]),
            ("One. Two! Three? Four", &["One.", "Two!", "Three?", "Four"]),
            (
                "See `a.rs`, e.g. `b.rs` (v1.2). Then stop",
                &["See `a.rs`, e.g. `b.rs` (v1.2).", "Then stop"],
            ),
            ("Stop cmd.exe. it hangs", &["Stop cmd.exe.", "it hangs"]),
            ("Wait... `x` fails", &["Wait...", "`x` fails"]),
            ("完了。次へ！終わり", &["完了。", "次へ！", "終わり"]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_are_cut_at_a_sentence_or_a_word() {
        for (text, max, expected) in [
            ("One two. Three\nfour.", 40, "One two. Three four."),
            ("One two. Three four.", 10, "One two."),
            ("One two three four", 12, "One two…"),
            ("One two, three four", 12, "One two…"),
            ("Onetwothreefour", 8, "Onetwot…"),
        ] {
            assert_eq!(shorten_at_sentence(text, max), expected, "{text} {max}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_shortened(text in "\\PC{0,200}", max in 1_usize..80) {
            prop_assert!(shorten_at_sentence(&text, max).chars().count() <= max);
        }
    }
}
