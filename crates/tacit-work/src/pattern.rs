//! Patterns for lines of text: `{}` takes text, `{n}` a number, `*` stands for anything. Letters
//! match in either case. There is nothing more to them, so that none can be slow.

/// The most characters of a line that are looked at.
pub(crate) const MAX_LINE: usize = 400;
/// The most characters of a pattern.
pub(crate) const MAX_PATTERN: usize = 200;

/// A pattern that takes one thing out of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<Part>,
    source: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(Vec<char>),
    Anything,
    Text,
    Number,
}

impl Pattern {
    /// Reads a pattern; it takes exactly one thing.
    pub(crate) fn parse(source: &str) -> Result<Pattern, String> {
        if source.chars().count() > MAX_PATTERN {
            return Err(format!("is longer than {MAX_PATTERN} characters"));
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut literal = Vec::new();
        let mut rest = source;
        while let Some(first) = rest.chars().next() {
            let special = [("{n}", Part::Number), ("{}", Part::Text), ("*", Part::Anything)];
            let found = special.into_iter().find(|(mark, _)| rest.starts_with(mark));
            let Some((mark, part)) = found else {
                literal.extend(first.to_lowercase());
                rest = &rest[first.len_utf8()..];
                continue;
            };
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(part);
            rest = &rest[mark.len()..];
        }
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        let takes = parts.iter().filter(|part| matches!(part, Part::Text | Part::Number)).count();
        if takes != 1 {
            return Err("takes one thing: `{}` for text, or `{n}` for a number".into());
        }
        if !parts.iter().any(|part| matches!(part, Part::Literal(_))) {
            return Err("says nothing about the line; give the words beside the place".into());
        }
        Ok(Pattern { parts, source: source.to_owned() })
    }

    /// Whether it takes a number.
    pub(crate) fn takes_number(&self) -> bool {
        self.parts.contains(&Part::Number)
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// What it takes out of a line, if it matches the whole of it.
    pub(crate) fn take(&self, line: &str) -> Option<String> {
        let shown: Vec<char> = line.chars().take(MAX_LINE).collect();
        // One character for each, so that places in both are the same.
        let folded: Vec<char> =
            shown.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
        let mut tried = vec![false; (self.parts.len() + 1) * (folded.len() + 1)];
        let mut taken = None;
        let mut search = Search { parts: &self.parts, line: &folded, tried: &mut tried };
        if !search.matches(0, 0, &mut taken) {
            return None;
        }
        let (from, to) = taken?;
        let text: String = shown[from..to].iter().collect();
        let text = text.trim().trim_end_matches(['.', ',', ';']).trim_end();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// A search that visits each pair of a part and a place once.
struct Search<'s> {
    parts: &'s [Part],
    line: &'s [char],
    tried: &'s mut [bool],
}

impl Search<'_> {
    fn matches(&mut self, part: usize, at: usize, taken: &mut Option<(usize, usize)>) -> bool {
        let visited = part * (self.line.len() + 1) + at;
        if std::mem::replace(&mut self.tried[visited], true) {
            return false;
        }
        let Some(next) = self.parts.get(part) else { return at == self.line.len() };
        match next {
            Part::Literal(word) => {
                self.line[at..].starts_with(word) && self.matches(part + 1, at + word.len(), taken)
            }
            Part::Anything => (at..=self.line.len()).any(|end| self.matches(part + 1, end, taken)),
            Part::Text => (at + 1..=self.line.len()).any(|end| {
                let found = self.matches(part + 1, end, taken);
                if found {
                    *taken = Some((at, end));
                }
                found
            }),
            Part::Number => {
                let within = at > 0 && self.line[at - 1].is_ascii_digit();
                let digits = self.line[at..].iter().take_while(|c| c.is_ascii_digit()).count();
                let found = !within && digits > 0 && self.matches(part + 1, at + digits, taken);
                if found {
                    *taken = Some((at, at + digits));
                }
                found
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_capture_text_or_a_number() {
        for (pattern, line, expected) in [
            ("done: {}", "Done: the parser.", Some("the parser")),
            ("done: {}", "not done: x", None),
            ("*done: {}", "not done: x", Some("x")),
            ("story {} is done", "Story 3.2 is done", Some("3.2")),
            ("*{n} passed*", "test result: ok. 112 passed; 3 failed", Some("112")),
            ("*{n} failed*", "test result: ok. 112 passed; 3 failed", Some("3")),
            ("*{n} failed*", "no test failed", None),
            ("done: {}", "done: .", None),
            ("é {}", "É ß", Some("ß")),
        ] {
            let found = Pattern::parse(pattern).expect("a pattern").take(line);
            assert_eq!(found.as_deref(), expected, "{pattern} {line}");
        }
    }

    #[test]
    fn patterns_need_one_capture_and_literal_text() {
        for wrong in ["done", "{}", "*{}*", "{} and {n}", "", &"a".repeat(MAX_PATTERN + 1)] {
            assert!(Pattern::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn matching_is_linear_in_line_and_pattern() {
        let pattern = Pattern::parse("*a*a*a*a*a*a*a*a*a*a*{}b").expect("a pattern");
        assert_eq!(pattern.take(&"a".repeat(10_000)), None);
    }
}
