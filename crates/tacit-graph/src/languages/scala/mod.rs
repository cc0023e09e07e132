//! Scala. What its imports mean is said by the resolver of Java, with which it shares packages.

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
    // A type that is private at the top is known in its whole package.
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
        // Of several clauses, the names of all packages are known, those of the last one first.
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
    for part in parts(text) {
        for (module, form) in brought(part.trim()) {
            facts.import(line(node), module, form, false);
        }
    }
}

/// What commas divide, but for those in braces.
fn parts(text: &str) -> Vec<&str> {
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

/// `a.B`, `a.B as C`, `a._`, `a.*`, `a.{B, C => D, E => _, _}`
fn brought(text: &str) -> Vec<(String, ImportForm)> {
    if let Some((path, selectors)) = text.split_once('{') {
        let module = plain(path.trim().trim_end_matches('.'));
        let selectors = selectors.trim_end().trim_end_matches('}').split(',');
        return selectors.filter_map(|selector| one(&module, selector.trim())).collect();
    }
    let end = text.find(" as ").unwrap_or(text.len());
    let Some(dot) = text[..end].rfind('.') else { return Vec::new() };
    one(&plain(&text[..dot]), text[dot + 1..].trim()).into_iter().collect()
}

fn one(module: &str, selector: &str) -> Option<(String, ImportForm)> {
    let (name, local) = selector
        .split_once("=>")
        .or_else(|| selector.split_once(" as "))
        .map_or((selector, selector), |(name, local)| (name.trim(), local.trim()));
    let form = match (name, local) {
        ("" | "given", _) => return None,
        ("_" | "*", _) => ImportForm::Star,
        // What is renamed to nothing is left out.
        (_, "_") => return None,
        (name, local) => ImportForm::Item { name: plain(name), local: plain(local) },
    };
    (!module.is_empty() && !name.starts_with("given ")).then(|| (module.to_owned(), form))
}

fn plain(path: &str) -> String {
    path.chars().filter(|c| !c.is_whitespace() && *c != '`').collect()
}
