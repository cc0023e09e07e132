//! The lines between `---` at the beginning of a markdown file: as much of YAML as people and tools
//! write there. What is not understood is left out.

/// The fields at the beginning of a file, those inside another as `outer.inner`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter(Vec<(String, Vec<String>)>);

impl FrontMatter {
    /// Returns the fields, the rest of the text, and the line the rest begins in; none if the text
    /// does not begin with fields.
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

    /// Without fields, everything is the rest.
    pub(crate) fn split_any(text: &str) -> (FrontMatter, &str, usize) {
        FrontMatter::split(text).unwrap_or((FrontMatter::default(), text, 1))
    }

    /// Returns all values of a field.
    pub(crate) fn all(&self, key: &str) -> &[String] {
        self.0.iter().find(|(known, _)| known == key).map_or(&[], |(_, values)| values)
    }

    /// Returns the value of a field.
    pub(crate) fn one(&self, key: &str) -> Option<&str> {
        self.all(key).first().map(String::as_str)
    }

    /// Returns the names of the fields.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// Returns true if there is such a field.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(known, _)| known == key)
    }

    fn parse(lines: &[&str]) -> FrontMatter {
        let mut fields: Vec<(String, Vec<String>)> = Vec::new();
        let mut outer = String::new();
        let mut block = false;
        for line in lines {
            let text = line.trim();
            let inside = line.starts_with([' ', '\t']);
            if text.is_empty() || text.starts_with('#') && !block {
                continue;
            }
            if block && inside {
                push_word(&mut fields, text);
                continue;
            }
            block = false;
            if let Some(item) = text.strip_prefix("- ") {
                if let Some((_, values)) = fields.last_mut() {
                    values.extend(value(item));
                }
                continue;
            }
            let Some((key, given)) = text.split_once(':') else { continue };
            let key = key.trim().trim_matches(['"', '\'']).to_owned();
            let key = if inside && !outer.is_empty() { format!("{outer}.{key}") } else { key };
            let given = given.trim();
            if !inside {
                outer.clone_from(&key);
            }
            block = matches!(given, ">" | ">-" | ">+" | "|" | "|-" | "|+");
            let values = if block { Vec::new() } else { list(given) };
            fields.push((key, values));
        }
        FrontMatter(fields)
    }
}

/// Returns one more line of a text that goes on over several.
fn push_word(fields: &mut [(String, Vec<String>)], text: &str) {
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
        Some(inside) => inside.split(',').filter_map(value).collect(),
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
    fn fields_as_people_write_them() {
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
    fn a_rule_across_the_page_is_no_beginning() {
        for text in ["", "---", "---\nnever closed", "text\n---\na: b\n---\n", "----\na: b\n---\n"]
        {
            assert!(FrontMatter::split(text).is_none(), "{text:?}");
        }
    }
}
