//! Display of text from outside, safe for terminals.

/// Replaces control characters and characters that change the text direction with their code
/// points, so that text cannot manipulate a terminal.
pub fn visible(text: &str) -> String {
    shown(text, |c| c.is_control() && c != '\n' && c != '\t')
}

/// Like [`visible`], for text that must stay on one line, such as a path: line breaks, tabs and
/// zero-width characters are replaced too.
pub fn visible_line(text: &str) -> String {
    shown(text, |c| c.is_control() || is_zero_width(c))
}

fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{00ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn shown(text: &str, also: impl Fn(char) -> bool) -> String {
    let tricky = |c: char| {
        also(c)
            || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(tricky) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if tricky(c) {
            shown.push_str(&format!("<U+{:04X}>", c as u32));
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_direction_characters_are_escaped() {
        for (text, whole, line) in [
            ("plain\ttext\n", "plain\ttext\n", "plain<U+0009>text<U+000A>"),
            (
                "a\u{202e}b\u{1b}[0m\u{7}",
                "a<U+202E>b<U+001B>[0m<U+0007>",
                "a<U+202E>b<U+001B>[0m<U+0007>",
            ),
            ("a\u{2028}b", "a<U+2028>b", "a<U+2028>b"),
            ("a\u{200b}b\u{feff}", "a\u{200b}b\u{feff}", "a<U+200B>b<U+FEFF>"),
        ] {
            assert_eq!(visible(text), whole);
            assert_eq!(visible_line(text), line);
        }
    }
}
