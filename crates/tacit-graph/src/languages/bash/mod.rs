//! Bash, and tests for bats, which are written in it.

pub(crate) mod resolve;

use tree_sitter::Node;

use super::{Rules, captured_kind, captured_name};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{FileFacts, ImportForm};

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    query: include_str!("queries.scm"),
    import,
    name: captured_name,
    exported: |_, _, _| true,
    refine: captured_kind,
};

/// What is surely seen from the script begins with `./`; a path that is only written down is kept
/// as it is. One with anything else in it is known when the script runs, and not before.
fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    let text = source.text(argument);
    let is_load = node.child_by_field_name("name").is_some_and(|name| source.text(name) == "load");
    let module = from_script(text, source.before(node)).or_else(|| {
        let path = text.trim_matches(['"', '\'']);
        is_plain(path).then(|| path.trim_start_matches("./").to_owned())
    });
    let Some(mut module) = module.filter(|module| !module.is_empty()) else {
        let path = text.trim_matches(['"', '\'']);
        // What lies outside of all projects, or is no file, is none of ours.
        let elsewhere = ["/", "~", "$HOME/", "${HOME}/", "<(", "-"];
        if !elsewhere.iter().any(|start| path.starts_with(start)) {
            facts.computed_imports.push(if path.starts_with('.') {
                path.to_owned()
            } else {
                String::new()
            });
        }
        return;
    };
    if is_load && !module.ends_with(".bash") && !module.ends_with(".sh") {
        module.push_str(".bash");
    }
    let form = ImportForm::Module { local: None };
    facts.import(line(node), module, form, true);
}

fn is_plain(path: &str) -> bool {
    !path.starts_with(['/', '~', '-']) && !path.contains(['$', '`', '*', '?', '{', ' ', '<'])
}

/// A path that is put together from where the script is: `"$(dirname "$0")/lib.sh"` is `./lib.sh`.
/// A variable stands for what the script gave it last.
fn from_script(text: &str, before: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| *c != '"').collect();
    let (start, rest) = literal_prefix(&text, before, 0)?;
    let is_path = rest.is_empty() || (rest.starts_with('/') && is_plain(&rest[1..]));
    is_path.then(|| format!("{start}{rest}"))
}

/// The directory that an expression begins with, as a path from the script, and what follows.
fn literal_prefix<'t>(text: &'t str, before: &str, depth: usize) -> Option<(String, &'t str)> {
    const HERE: [&str; 6] = [
        "${BASH_SOURCE[0]%/*}",
        "${BASH_SOURCE%/*}",
        "${0%/*}",
        "${BATS_TEST_DIRNAME}",
        "$BATS_TEST_DIRNAME",
        "${0:h}",
    ];
    if depth > 4 {
        return None;
    }
    if let Some(rest) = HERE.iter().find_map(|here| text.strip_prefix(here)) {
        return Some((".".into(), rest));
    }
    if let Some(text) = text.strip_prefix("$(") {
        let (inner, rest) = closed(text)?;
        return Some((command(inner.trim(), before, depth + 1)?, rest));
    }
    let (name, rest) = variable(text)?;
    let (earlier, value) = assigned(before, name)?;
    let value: String = value.chars().filter(|c| *c != '"').collect();
    let (start, path) = literal_prefix(&value, earlier, depth + 1)?;
    let is_path = path.is_empty() || (path.starts_with('/') && is_plain(&path[1..]));
    is_path.then(|| (format!("{start}{path}"), rest))
}

/// What a command in `$(…)` prints, if that is a directory as seen from the script.
fn command(text: &str, before: &str, depth: usize) -> Option<String> {
    if let Some(argument) = text.strip_prefix("dirname ") {
        let argument = argument.trim().trim_start_matches("-- ").trim();
        if is_script(argument) {
            return Some(".".into());
        }
        let (directory, rest) = literal_prefix(argument, before, depth)?;
        return rest.is_empty().then(|| format!("{directory}/.."));
    }
    let (first, last) = text.strip_prefix("cd ")?.split_once("&&")?;
    if !matches!(last.trim(), "pwd" | "pwd -P") {
        return None;
    }
    let options = ["-- ", "-P "];
    let mut path = first.trim();
    while let Some(rest) = options.iter().find_map(|option| path.strip_prefix(option)) {
        path = rest.trim_start();
    }
    // What it says is thrown away: `>/dev/null 2>&1`.
    let path = path.split(" >").next().unwrap_or(path);
    let path = path.split(" &>").next().unwrap_or(path).trim();
    let (start, rest) = literal_prefix(path, before, depth)?;
    let is_path = rest.is_empty() || (rest.starts_with('/') && is_plain(&rest[1..]));
    is_path.then(|| format!("{start}{rest}"))
}

/// Whether an expression is the path of the script itself.
fn is_script(text: &str) -> bool {
    let real = ["$(readlink -f ", "$(realpath ", "$(readlink -f -- "];
    let inner = real.iter().find_map(|start| text.strip_prefix(start)?.strip_suffix(')'));
    matches!(
        inner.unwrap_or(text).trim(),
        "$0" | "${0}" | "$BASH_SOURCE" | "${BASH_SOURCE}" | "${BASH_SOURCE[0]}"
    )
}

/// What is before the bracket that closes, and what is after it.
fn closed(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&text[..at], &text[at + 1..]));
        }
    }
    None
}

/// `$NAME` or `${NAME}` at the beginning, and what follows.
fn variable(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('$')?;
    let (text, braced) = text.strip_prefix('{').map_or((text, false), |text| (text, true));
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = if braced { rest.strip_prefix('}')? } else { rest };
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some((name, rest))
}

/// What a variable was given last, and what is before that.
fn assigned<'t>(before: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
    let wanted = format!("{name}=");
    let starts = before.rmatch_indices(&wanted).map(|(at, _)| at);
    let start = { starts }.find(|start| {
        let ahead = before[..*start].chars().next_back();
        ahead.is_none_or(|c| c.is_whitespace() || c == ';')
    })?;
    let line = before[start + wanted.len()..].lines().next()?;
    Some((&before[..start], line.trim_end().trim_end_matches(';')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_put_together_from_where_the_script_is() {
        let cd = "DIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" >/dev/null 2>&1 && pwd)\"\n";
        for (before, text, path) in [
            ("", "\"$(dirname \"$0\")/lib.sh\"", Some("./lib.sh")),
            ("", "$(dirname -- ${BASH_SOURCE[0]})/../a.sh", Some("./../a.sh")),
            ("", "\"$(dirname \"$(dirname \"$0\")\")/a.sh\"", Some("./../a.sh")),
            ("", "\"$(dirname \"$(readlink -f \"$0\")\")\"/a.sh", Some("./a.sh")),
            ("", "${BASH_SOURCE%/*}/a.sh", Some("./a.sh")),
            (cd, "\"$DIR/a.sh\"", Some("./a.sh")),
            (cd, "\"${DIR}\"/b/a.sh", Some("./b/a.sh")),
            ("A=$(dirname \"$0\")\nB=\"$A/..\"\n", "$B/a.sh", Some("./../a.sh")),
            ("DIR=/etc\n", "$DIR/a.sh", None),
            ("MYDIR=$(dirname $0)\n", "$DIR/a.sh", None),
            (cd, "$DIR/$name.sh", None),
            ("", "$HOME/a.sh", None),
            ("", "$(pwd)/a.sh", None),
            ("A=$A\n", "$A/a.sh", None),
        ] {
            assert_eq!(from_script(text, before).as_deref(), path, "{before}{text}");
        }
    }
}
