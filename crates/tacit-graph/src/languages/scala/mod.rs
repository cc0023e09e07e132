//! Rules for Scala. Its imports are resolved like those of Java, with which it shares packages.

use tree_sitter::Node;

use super::{Rules, captured_kind, captured_name, modifiers};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{FileFacts, Import, ImportForm};

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_scala::LANGUAGE.into(),
    query: include_str!("queries.scm"),
    import,
    name: captured_name,
    // A private top-level type is visible in its whole package.
    exported: |node, _, source| {
        !node.kind().starts_with("function_")
            || !modifiers(node, source).split_whitespace().any(|word| word == "private")
    },
    refine: captured_kind,
};

fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    if node.kind() == "package_clause" {
        let Some(name) = node.child_by_field_name("name") else { return };
        let name: String = source.text(name).chars().filter(|c| !c.is_whitespace()).collect();
        // With several package clauses, the names of all packages are visible, the innermost first.
        facts.package = Some(match facts.package.take() {
            Some(outer) => {
                let (form, line) = (ImportForm::Star, line(node));
                let module = outer.clone();
                facts.imports.insert(0, Import { module, form, reexport: true, line, scope: None });
                format!("{outer}.{name}")
            }
            None => name,
        });
        return;
    }
    let text = source.text(node).trim_start_matches("import");
    for part in split_at_commas(text) {
        for (module, form) in parse_import(part.trim()) {
            facts.import(line(node), module, form, false);
        }
    }
}

/// Splits a text at commas outside braces.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

/// Parses `a.B`, `a.B as C`, `a._`, `a.*` or `a.{B, C => D, E => _, _}`.
fn parse_import(text: &str) -> Vec<(String, ImportForm)> {
    if let Some((path, selectors)) = text.split_once('{') {
        let module = plain(path.trim().trim_end_matches('.'));
        let selectors = selectors.trim_end().trim_end_matches('}').split(',');
        return selectors.filter_map(|selector| parse_selector(&module, selector.trim())).collect();
    }
    let end = text.find(" as ").unwrap_or(text.len());
    let Some(dot) = text[..end].rfind('.') else { return Vec::new() };
    parse_selector(&plain(&text[..dot]), text[dot + 1..].trim()).into_iter().collect()
}

fn parse_selector(module: &str, selector: &str) -> Option<(String, ImportForm)> {
    let (name, local) = selector
        .split_once("=>")
        .or_else(|| selector.split_once(" as "))
        .map_or((selector, selector), |(name, local)| (name.trim(), local.trim()));
    let form = match (name, local) {
        ("" | "given", _) => return None,
        ("_" | "*", _) => ImportForm::Star,
        // Renaming to `_` hides the name.
        (_, "_") => return None,
        (name, local) => ImportForm::Item { name: plain(name), local: plain(local) },
    };
    (!module.is_empty() && !name.starts_with("given ")).then(|| (module.to_owned(), form))
}

fn plain(path: &str) -> String {
    path.chars().filter(|c| !c.is_whitespace() && *c != '`').collect()
}
