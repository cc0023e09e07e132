//! The libraries and functions that lines of code use.

/// Names that say nothing about an approach.
const COMMON: [&str; 73] = [
    "if",
    "for",
    "while",
    "switch",
    "match",
    "return",
    "catch",
    "func",
    "fn",
    "function",
    "def",
    "class",
    "super",
    "new",
    "print",
    "println",
    "printf",
    "eprintln",
    "len",
    "append",
    "make",
    "range",
    "str",
    "int",
    "float",
    "bool",
    "list",
    "dict",
    "set",
    "String",
    "Some",
    "Ok",
    "Err",
    "None",
    "expect",
    "unwrap",
    "map",
    "filter",
    "collect",
    "clone",
    "iter",
    "format",
    "require",
    "vec",
    "Box",
    "panic",
    "describe",
    "it",
    "test",
    "push",
    "get",
    "put",
    "error",
    "Error",
    "constructor",
    "select",
    "elif",
    "else",
    "not",
    "and",
    "with",
    "await",
    "async",
    "typeof",
    "to_string",
    "to_owned",
    "into",
    "from",
    "as_str",
    "isinstance",
    "defer",
    "super.new",
    "main",
];
/// Beginnings of names of assertions and output.
const COMMON_STARTS: [&str; 14] = [
    "assert",
    "t.",
    "expect",
    "console.",
    "fmt.",
    "log.",
    "println",
    "require.",
    "self.assert",
    "pytest.",
    "logger.",
    "System.out",
    "Console.",
    "tracing.",
];
/// Words before a name that define it.
const DEFINES: [&str; 8] =
    ["fn", "func", "function", "def", "class", "struct", "interface", "type"];
/// Maximum length of a name, in bytes.
const MAX_NAME: usize = 60;

/// Returns the imported names and the called functions in lines of code, each once, imports first.
pub(super) fn used_names(text: &str) -> Vec<String> {
    let (mut imports, mut calls) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        let is_comment = ["//", "#", "*", "/*", "--", "\"\"\"", "<!--", ";"]
            .iter()
            .any(|mark| line.starts_with(mark) && !line.starts_with("#include"));
        if line.is_empty() || is_comment {
            continue;
        }
        match imported(line) {
            Some(name) => imports.push(name),
            None => calls.extend(called(line)),
        }
    }
    let mut names: Vec<String> = Vec::new();
    for name in imports.into_iter().chain(calls) {
        if is_telling(name) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn is_telling(name: &str) -> bool {
    name.len() >= 3
        && name.len() <= MAX_NAME
        && name.chars().any(char::is_alphabetic)
        && !COMMON.contains(&name)
        && !COMMON_STARTS.iter().any(|start| name.starts_with(start))
}

/// Returns the library that a line imports.
fn imported(line: &str) -> Option<&str> {
    let quoted = |text: &str| -> Option<(usize, usize)> {
        let start = text.find(['"', '\'', '<'])?;
        let close = match text.as_bytes()[start] {
            b'<' => '>',
            b'"' => '"',
            _ => '\'',
        };
        let end = text[start + 1..].find(close)?;
        Some((start + 1, start + 1 + end))
    };
    let import = ["import ", "from ", "use ", "using ", "#include", "export * from "]
        .iter()
        .any(|word| line.starts_with(word));
    let requires = line.contains("require(") || line.contains("import(");
    if import || requires {
        let after = if requires { &line[line.find("re").or(line.find("im"))?..] } else { line };
        if let Some((start, end)) = quoted(after) {
            return Some(&after[start..end]).filter(|name| !name.is_empty());
        }
        let path = line.split_whitespace().nth(1)?.trim_end_matches([';', ',']);
        return Some(path.split("::{").next().unwrap_or(path));
    }
    // An import in a list of Go.
    let path = line.strip_prefix('"').and_then(|line| line.strip_suffix('"'))?;
    (path.contains('/') && !path.contains(' ')).then_some(path)
}

/// Returns the functions that a line calls, with the object or module before them.
fn called(line: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$');
    let mut found = Vec::new();
    for (at, _) in line.match_indices('(') {
        let before = line[..at].trim_end_matches('!');
        let start = before
            .rfind(|c: char| !is_name(c))
            .map_or(0, |start| start + before[start..].chars().next().map_or(1, char::len_utf8));
        let name = before[start..].trim_matches(['.', ':']);
        let name = ["self.", "this.", "cls."]
            .iter()
            .find_map(|own| name.strip_prefix(own))
            .unwrap_or(name);
        let word_before = before[..start].split_whitespace().last().unwrap_or_default();
        if name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !DEFINES.contains(&word_before)
        {
            found.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn libraries_and_calls_are_named() {
        for (text, expected) in [
            (
                "import debounce from 'lodash/debounce'\nconst x = debounce(save, 10)",
                &["lodash/debounce", "debounce"][..],
            ),
            (
                "use std::sync::Mutex;\nlet a = lru.get_or(id, db);",
                &["std::sync::Mutex", "lru.get_or"],
            ),
            (
                "from functools import lru_cache\n@lru_cache(maxsize=1)\ndef load(path):\n    return parse(path)",
                &["functools", "lru_cache", "parse"],
            ),
            (
                "\t\"github.com/spf13/pflag\"\n\tflag.NoOptDefVal(\"x\")\n\tfmt.Println(a)",
                &["github.com/spf13/pflag", "flag.NoOptDefVal"],
            ),
            (
                "import java.util.concurrent.Semaphore;\nvar s = new Semaphore(3);",
                &["java.util.concurrent.Semaphore", "Semaphore"],
            ),
            ("const cache = require(\"node-cache\")", &["node-cache"]),
            ("func run() {\n// call(x)\nif (a) { return }", &[]),
            ("assert_eq!(a, b)\nt.Fatal(\"x\")\nexpect(a).toBe(b)", &["toBe"]),
        ] {
            assert_eq!(used_names(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_accepted(text in "([a-z.:('\"<>é]|import |use |require\\(|\n| ){0,60}") {
            used_names(&text);
        }
    }
}
