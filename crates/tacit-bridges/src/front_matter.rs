//! Reads front matter, the lines between `---` at the start of a markdown file: the part of YAML
//! that people and tools use there. Other syntax is ignored.

/// The fields of front matter; nested fields are named `outer.inner`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter(Vec<(String, Vec<String>)>);

impl FrontMatter {
    /// Splits a text into its front matter, the body, and the line where the body starts; `None`
    /// without front matter.
    pub(crate) fn split(text: &str) -> Option<(FrontMatter, &str, usize)> {
        let mut rest = text.strip_prefix("---")?.strip_prefix('\n')?;
        let mut lines = Vec::new();
        while !rest.is_empty() {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            rest = after;
            if matches!(line.trim_end(), "---" | "...") {
                return Some((FrontMatter::parse(&lines), rest, lines.len() + 3));
            }
            lines.push(line);
        }
        None
    }

    /// Like [`FrontMatter::split`]; without front matter, the body is the whole text.
    pub(crate) fn split_any(text: &str) -> (FrontMatter, &str, usize) {
        FrontMatter::split(text).unwrap_or((FrontMatter::default(), text, 1))
    }

    /// Returns the values of a field.
    pub(crate) fn all(&self, key: &str) -> &[String] {
        self.0.iter().find(|(known, _)| known == key).map_or(&[], |(_, values)| values)
    }

    /// Returns the first value of a field.
    pub(crate) fn one(&self, key: &str) -> Option<&str> {
        self.all(key).first().map(String::as_str)
    }

    /// Returns the names of the fields.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// Returns true if the field exists, even without a value.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(known, _)| known == key)
    }

    fn parse(lines: &[&str]) -> FrontMatter {
        let mut fields: Vec<(String, Vec<String>)> = Vec::new();
        let mut outer = String::new();
        let mut block = false;
        for line in lines {
            let text = line.trim();
            let nested = line.starts_with([' ', '\t']);
            if text.is_empty() || text.starts_with('#') && !block {
                continue;
            }
            if block && nested {
                append_line(&mut fields, text);
                continue;
            }
            block = false;
            if let Some(item) = text.strip_prefix("- ") {
                if let Some((_, values)) = fields.last_mut() {
                    values.extend(value(item));
                }
                continue;
            }
            let Some((key, value_text)) = text.split_once(':') else { continue };
            let key = key.trim().trim_matches(['"', '\'']).to_owned();
            let key = if nested && !outer.is_empty() { format!("{outer}.{key}") } else { key };
            let value_text = value_text.trim();
            if !nested {
                outer.clone_from(&key);
            }
            block = matches!(value_text, ">" | ">-" | ">+" | "|" | "|-" | "|+");
            let values = if block { Vec::new() } else { list(value_text) };
            fields.push((key, values));
        }
        FrontMatter(fields)
    }
}

/// Appends a line to a value that spans several.
fn append_line(fields: &mut [(String, Vec<String>)], text: &str) {
    if let Some((_, values)) = fields.last_mut() {
        match values.first_mut() {
            Some(value) => {
                value.push(' ');
                value.push_str(text);
            }
            None => values.push(text.to_owned()),
        }
    }
}

fn list(text: &str) -> Vec<String> {
    match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        Some(items) => items.split(',').filter_map(value).collect(),
        None => value(text).into_iter().collect(),
    }
}

fn value(text: &str) -> Option<String> {
    let text = text.trim();
    let quoted = ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote).and_then(|text| text.strip_suffix(*quote)));
    let text = quoted.unwrap_or(text);
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_yaml_is_read() {
        let text = "---\n# a comment\ntitle: \"A: title\"\ntags: [one, 'two']\nglobs:\n  - src/**\n  \
                    - web/*.ts\nmetadata:\n  type: feedback\ndescription: >-\n  goes on\n  and on\n\
                    empty:\n---\nThe body.\n";
        let (front, rest, line) = FrontMatter::split(text).unwrap();
        assert_eq!(front.one("title"), Some("A: title"));
        assert_eq!(front.all("tags"), ["one", "two"]);
        assert_eq!(front.all("globs"), ["src/**", "web/*.ts"]);
        assert_eq!(front.one("metadata.type"), Some("feedback"));
        assert_eq!(front.one("description"), Some("goes on and on"));
        assert_eq!(front.one("empty"), None);
        assert!(front.has("empty") && !front.has("none"));
        assert_eq!((rest, line), ("The body.\n", 15));
    }

    #[test]
    fn unclosed_or_later_rules_are_not_front_matter() {
        for text in ["", "---", "---\nnever closed", "text\n---\na: b\n---\n", "----\na: b\n---\n"]
        {
            assert!(FrontMatter::split(text).is_none(), "{text:?}");
        }
    }
}
