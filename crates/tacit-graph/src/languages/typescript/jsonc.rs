//! Parses JSON with comments and trailing commas, as in `tsconfig.json`.

use serde_json::Value;

/// Parses a text. Returns `None` if it is not valid.
pub(crate) fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&strict(text)).ok())
}

/// Converts the text to strict JSON.
fn strict(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                out.push(c);
                while let Some(c) = rest.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' if rest.peek() == Some(&'/') => while rest.next_if(|c| *c != '\n').is_some() {},
            '/' if rest.peek() == Some(&'*') => {
                rest.next();
                let mut last = ' ';
                for c in rest.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '}' | ']' => {
                let end = out.trim_end().len();
                if out[..end].ends_with(',') {
                    out.truncate(end - 1);
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn comments_and_trailing_commas_are_ignored() {
        let text = r#"{ // one
            "a": "// no comment", /* two, */
            "b": [1, 2,], "c\"": {"d": 1,},
        }"#;
        let value = parse(text).unwrap();
        assert_eq!(value.to_string(), r#"{"a":"// no comment","b":[1,2],"c\"":{"d":1}}"#);
        assert_eq!(parse("{"), None);
        assert_eq!(parse("\u{feff}{}").unwrap().to_string(), "{}");
    }
}
