//! TypeScript, TSX and JavaScript: three grammars, one set of rules.

mod config;
mod jsonc;
mod packages;
pub(crate) mod resolve;

use tree_sitter::Node;

use super::{Rules, captured_kind, captured_name, literal_prefix};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{Export, FileFacts, ImportForm};

/// The name of what a module exports without one.
pub(crate) const DEFAULT: &str = "default";

pub(crate) static TYPESCRIPT: Rules = Rules {
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    query: concat!(include_str!("javascript.scm"), include_str!("only_typescript.scm")),
    import,
    name: captured_name,
    exported,
    refine: captured_kind,
};

pub(crate) static TSX: Rules = Rules {
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    query: concat!(
        include_str!("javascript.scm"),
        include_str!("only_typescript.scm"),
        include_str!("jsx.scm")
    ),
    import,
    name: captured_name,
    exported,
    refine: captured_kind,
};

pub(crate) static JAVASCRIPT: Rules = Rules {
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    query: concat!(
        include_str!("javascript.scm"),
        include_str!("only_javascript.scm"),
        include_str!("jsx.scm")
    ),
    import,
    name: captured_name,
    exported,
    refine: captured_kind,
};

/// Whether `export` stands before a definition, with what may stand between, or it is assigned to
/// what the module exports.
fn exported(node: Node<'_>, name: &str, source: &SourceText<'_>) -> bool {
    if node.kind() == "assignment_expression" {
        let left = node.child_by_field_name("left").map(|left| source.text(left));
        return left.and_then(exported_as) == Some(name);
    }
    let mut before = source.before(node).trim_end();
    for word in ["const", "let", "var", "declare", "default"] {
        if let Some(rest) = before.strip_suffix(word)
            && rest.ends_with(char::is_whitespace)
        {
            before = rest.trim_end();
        }
    }
    before
        .strip_suffix("export")
        .is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    match node.kind() {
        "import_statement" => statement(node, source, facts),
        "export_statement" => export(node, source, facts),
        "assignment_expression" => assigned(node, source, facts),
        _ => call(node, source, facts),
    }
}

/// The text between quotes; none if it is put together at run time.
fn specifier(node: Node<'_>, source: &SourceText<'_>) -> Option<String> {
    let text = source.text(node);
    let inner = text.get(1..text.len().checked_sub(1)?)?;
    (!inner.is_empty() && !inner.contains(['\n', '\\', '$'])).then(|| inner.to_owned())
}

struct ImportSource {
    module: String,
    line: u32,
    reexport: bool,
}

impl ImportSource {
    fn push(&self, form: ImportForm, facts: &mut FileFacts) {
        facts.import(self.line, self.module.clone(), form, self.reexport);
    }

    fn item(&self, name: &str, local: &str, facts: &mut FileFacts) {
        self.push(ImportForm::Item { name: name.into(), local: local.into() }, facts);
    }

    /// `{ a, b as c }`, of an import or an export.
    fn items(&self, list: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
        let mut cursor = list.walk();
        for specifier in list.named_children(&mut cursor) {
            let Some(name) = specifier.child_by_field_name("name") else { continue };
            let name = source.text(name).trim_matches(['"', '\'']);
            let local =
                specifier.child_by_field_name("alias").map_or(name, |alias| source.text(alias));
            self.item(name, local.trim_matches(['"', '\'']), facts);
        }
    }
}

fn statement(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let required = children.iter().find(|child| child.kind() == "import_require_clause");
    let from = node
        .child_by_field_name("source")
        .or_else(|| required.and_then(|clause| clause.child_by_field_name("source")));
    let Some(module) = from.and_then(|from| specifier(from, source)) else { return };
    let origin = ImportSource { module, line: line(node), reexport: false };
    if let Some(clause) = required {
        let local = clause.named_child(0).map(|name| source.text(name).to_owned());
        return origin.push(ImportForm::Module { local }, facts);
    }
    let Some(clause) = children.iter().find(|child| child.kind() == "import_clause") else {
        return origin.push(ImportForm::Module { local: None }, facts);
    };
    let before = facts.imports.len();
    let mut cursor = clause.walk();
    for part in clause.named_children(&mut cursor) {
        match part.kind() {
            "identifier" => origin.item(DEFAULT, source.text(part), facts),
            "namespace_import" => {
                let local = part.named_child(0).map(|name| source.text(name).to_owned());
                origin.push(ImportForm::Module { local }, facts);
            }
            "named_imports" => origin.items(part, source, facts),
            _ => {}
        }
    }
    if facts.imports.len() == before {
        origin.push(ImportForm::Module { local: None }, facts);
    }
}

fn export(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let has = |kind: &str| children.iter().find(|child| child.kind() == kind);
    let origin = node
        .child_by_field_name("source")
        .and_then(|from| specifier(from, source))
        .map(|module| ImportSource { module, line: line(node), reexport: true });
    let clause = has("export_clause");
    match (origin, clause) {
        (Some(origin), Some(clause)) => {
            let before = facts.imports.len();
            origin.items(*clause, source, facts);
            if facts.imports.len() == before {
                origin.push(ImportForm::Module { local: None }, facts);
            }
        }
        (Some(origin), None) => match has("namespace_export").and_then(|all| all.named_child(0)) {
            Some(name) => {
                origin
                    .push(ImportForm::Module { local: Some(source.text(name).to_owned()) }, facts);
            }
            None => origin.push(ImportForm::Star, facts),
        },
        (None, Some(clause)) => {
            let mut cursor = clause.walk();
            for specifier in clause.named_children(&mut cursor) {
                let Some(local) = specifier.child_by_field_name("name") else { continue };
                let name = specifier.child_by_field_name("alias").unwrap_or(local);
                let name = source.text(name).trim_matches(['"', '\'']).to_owned();
                facts.exports.push(Export { name, local: source.text(local).to_owned() });
            }
        }
        (None, None) if has("default").is_some() => {
            let value = node.child_by_field_name("value");
            let declared = node.child_by_field_name("declaration");
            let name = declared
                .and_then(|declared| declared.child_by_field_name("name"))
                .or_else(|| value.filter(|value| value.kind() == "identifier"));
            if let Some(name) = name {
                let local = source.text(name).to_owned();
                facts.exports.push(Export { name: DEFAULT.into(), local });
            }
        }
        (None, None) => {
            // `export` stands before the first of them alone.
            let declared = node.child_by_field_name("declaration");
            let declared = declared.filter(|declared| declared.kind().ends_with("declaration"));
            let Some(declared) = declared else { return };
            let mut cursor = declared.walk();
            for one in declared.named_children(&mut cursor).skip(1) {
                let name = one.child_by_field_name("name");
                if let Some(name) = name.filter(|_| one.kind() == "variable_declarator") {
                    let name = source.text(name).to_owned();
                    facts.exports.push(Export { local: name.clone(), name });
                }
            }
        }
    }
}

/// The name in `exports.name` and `module.exports.name`.
fn exported_as(left: &str) -> Option<&str> {
    let left = left.strip_prefix("module.").unwrap_or(left);
    left.strip_prefix("exports.").filter(|name| !name.contains(['.', '[']))
}

/// What an assignment to `exports` or `module.exports` exports. Functions that it makes are
/// definitions.
fn assigned(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let Some(left) = node.child_by_field_name("left").map(|left| source.text(left)) else {
        return;
    };
    let mut right = node.child_by_field_name("right");
    // `exports.a = exports.b = c`
    while let Some(next) = right.filter(|right| right.kind() == "assignment_expression") {
        right = next.child_by_field_name("right");
    }
    let Some(right) = right else { return };
    let mut push = |name: &str, value: Node<'_>| {
        if matches!(value.kind(), "identifier" | "shorthand_property_identifier") {
            let local = source.text(value).to_owned();
            facts.exports.push(Export { name: name.to_owned(), local });
        }
    };
    if let Some(name) = exported_as(left) {
        return push(name, right);
    }
    if left != "module.exports" {
        return;
    }
    push(DEFAULT, right);
    let mut cursor = right.walk();
    for part in right.named_children(&mut cursor).filter(|_| right.kind() == "object") {
        let key = part.child_by_field_name("key").unwrap_or(part);
        push(source.text(key), part.child_by_field_name("value").unwrap_or(part));
    }
}

/// `import("./a")`, `require("./a")` and what is made of it.
fn call(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let first = node.child_by_field_name("arguments").and_then(|list| list.named_child(0));
    let Some(first) = first else { return };
    let is_written = matches!(first.kind(), "string" | "template_string");
    let Some(module) = is_written.then(|| specifier(first, source)).flatten() else {
        return facts.computed_imports.push(literal_prefix(source.text(first)).to_owned());
    };
    let origin = ImportSource { module, line: line(node), reexport: false };
    let awaited = node.parent().filter(|parent| parent.kind() == "await_expression");
    let declared = awaited
        .unwrap_or(node)
        .parent()
        .filter(|parent| parent.kind() == "variable_declarator")
        .and_then(|parent| parent.child_by_field_name("name"));
    match declared {
        Some(name) if name.kind() == "identifier" => {
            origin.push(ImportForm::Module { local: Some(source.text(name).to_owned()) }, facts);
        }
        Some(pattern) if pattern.kind() == "object_pattern" && pattern.named_child_count() > 0 => {
            let mut cursor = pattern.walk();
            let before = facts.imports.len();
            for part in pattern.named_children(&mut cursor) {
                match part.kind() {
                    "shorthand_property_identifier_pattern" => {
                        origin.item(source.text(part), source.text(part), facts);
                    }
                    "pair_pattern" => {
                        let key = part.child_by_field_name("key").map(|key| source.text(key));
                        let value =
                            part.child_by_field_name("value").map(|value| source.text(value));
                        if let (Some(key), Some(value)) = (key, value) {
                            origin.item(key, value, facts);
                        }
                    }
                    _ => {}
                }
            }
            if facts.imports.len() == before {
                origin.push(ImportForm::Module { local: None }, facts);
            }
        }
        _ => origin.push(ImportForm::Module { local: None }, facts),
    }
}
