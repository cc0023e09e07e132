//! Rust.

pub(crate) mod macros;
pub(crate) mod resolve;

use tree_sitter::Node;

use super::{Rules, captured_name};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{DefinitionKind, FileFacts, ImportForm};

/// How deep lists may be nested in a `use`.
const DEEPEST_USE: usize = 32;

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    query: include_str!("queries.scm"),
    import,
    name: captured_name,
    exported: |node, _, _| {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|child| child.kind() == "visibility_modifier")
    },
    refine,
};

/// `#[test]`, `#[tokio::test]` and the like make a function a test.
fn refine(
    node: Node<'_>,
    _: &str,
    kind: DefinitionKind,
    source: &SourceText<'_>,
) -> DefinitionKind {
    if kind != DefinitionKind::Function {
        return kind;
    }
    let is_test = attributes(node, source).any(|text| {
        let name = text.split(['(', ' ', '=']).next().unwrap_or_default();
        matches!(name.rsplit("::").next(), Some("test" | "rstest" | "test_case" | "proptest"))
    });
    if is_test { DefinitionKind::Test } else { kind }
}

/// The attributes right before an item, without their brackets, the nearest first.
fn attributes<'s>(node: Node<'_>, source: &'s SourceText<'_>) -> impl Iterator<Item = &'s str> {
    let mut before = source.before(node);
    std::iter::from_fn(move || {
        let text = before.trim_end().strip_suffix(']')?;
        let start = text.rfind("#[")?;
        before = &text[..start];
        // A bracket of something else: `#[` has to be the one that is closed.
        let attribute = &text[start + 2..];
        (!attribute.contains(';') && attribute.len() < 1000).then_some(attribute)
    })
}

/// Items that a macro passes on, as those for features and systems do: `cfg_net! { mod tcp; }`.
fn inside_macro(tree: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts, depth: usize) {
    // `cfg_if! { if #[cfg(unix)] { mod unix; } else { mod other; } }` has them further in.
    let mut cursor = tree.walk();
    for inner in tree.named_children(&mut cursor).filter(|inner| inner.kind() == "token_tree") {
        if depth < DEEPEST_USE {
            inside_macro(inner, source, facts, depth + 1);
        }
    }
    let text = source.text(tree);
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let Some(inner) = inner.filter(|text| text.contains("mod ") || text.contains("use ")) else {
        return;
    };
    let mut parser = tree_sitter::Parser::new();
    if parser.set_language(&(RULES.grammar)()).is_err() {
        return;
    }
    let Some(parsed) = parser.parse(inner, None) else { return };
    let (items, before) = (SourceText::new(inner.as_bytes()), facts.imports.len());
    let mut cursor = parsed.root_node().walk();
    for item in parsed.root_node().named_children(&mut cursor) {
        let declares = item.kind() == "mod_item" && item.child_by_field_name("body").is_none();
        if declares || item.kind() == "use_declaration" {
            import(item, &items, facts);
        }
    }
    for found in &mut facts.imports[before..] {
        found.line += line(tree) - 1;
    }
}

/// Whether the macro that a node is the body of stands where an item could.
fn is_between_items(body: Node<'_>) -> bool {
    let around = body.parent().and_then(|call| call.parent());
    let outer = match around {
        Some(node) if node.kind() == "expression_statement" => node.parent(),
        other => other,
    };
    outer.is_some_and(|node| matches!(node.kind(), "source_file" | "declaration_list"))
}

fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    if node.kind() == "token_tree" {
        let text = source.text(node);
        let may_declare = text.starts_with('{') && (text.contains("mod ") || text.contains("use "));
        if may_declare && is_between_items(node) {
            inside_macro(node, source, facts, 0);
        }
        return;
    }
    let at = UseSite { line: line(node), inside: inline_modules(node, source) };
    let public = node.named_child(0).is_some_and(|child| child.kind() == "visibility_modifier");
    match node.kind() {
        "mod_item" => {
            let Some(name) = node.child_by_field_name("name") else { return };
            let mut module = at.inside.clone();
            module.push(source.text(name).to_owned());
            let path = path_attribute(node, source);
            facts.import(at.line, module.join("::"), ImportForm::Part { path }, public);
        }
        "extern_crate_declaration" => {
            let Some(name) = node.child_by_field_name("name") else { return };
            let name = source.text(name).to_owned();
            let local = node
                .child_by_field_name("alias")
                .map_or(name.clone(), |alias| source.text(alias).into());
            facts.import(at.line, name, ImportForm::Module { local: Some(local) }, public);
        }
        _ => {
            if let Some(argument) = node.child_by_field_name("argument") {
                at.uses(argument, &[], public, source, facts, 0);
            }
        }
    }
}

/// Where a `use` stands.
struct UseSite {
    line: u32,
    /// The modules inside the file that it is in.
    inside: Vec<String>,
}

impl UseSite {
    fn uses(
        &self,
        node: Node<'_>,
        before: &[String],
        public: bool,
        source: &SourceText<'_>,
        facts: &mut FileFacts,
        depth: usize,
    ) {
        if depth > DEEPEST_USE {
            return;
        }
        let text = |field: &str| node.child_by_field_name(field).map(|n| source.text(n));
        let joined = |path: &str| {
            let mut whole = before.to_vec();
            whole.extend(
                path.split("::").map(|part| part.trim().to_owned()).filter(|p| !p.is_empty()),
            );
            whole
        };
        match node.kind() {
            "use_list" => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.uses(child, before, public, source, facts, depth + 1);
                }
            }
            "scoped_use_list" => {
                let path = joined(text("path").unwrap_or_default());
                if let Some(list) = node.child_by_field_name("list") {
                    self.uses(list, &path, public, source, facts, depth + 1);
                }
            }
            "use_wildcard" => {
                let path = joined(
                    source.text(node).trim_end_matches('*').trim_end().trim_end_matches("::"),
                );
                self.push(path, ImportForm::Star, public, facts);
            }
            "use_as_clause" => {
                let path = joined(text("path").unwrap_or_default());
                self.item(path, text("alias"), public, facts);
            }
            "identifier" | "self" | "crate" | "super" | "scoped_identifier" => {
                let path = joined(source.text(node));
                self.item(path, None, public, facts);
            }
            _ => {}
        }
    }

    fn item(
        &self,
        mut path: Vec<String>,
        alias: Option<&str>,
        public: bool,
        facts: &mut FileFacts,
    ) {
        // `use a::{self}` is `use a`.
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let Some(name) = path.pop() else { return };
        let local = alias.unwrap_or(&name).to_owned();
        self.push(path, ImportForm::Item { name, local }, public, facts);
    }

    fn push(&self, path: Vec<String>, form: ImportForm, public: bool, facts: &mut FileFacts) {
        let module = from_file(path, &self.inside).join("::");
        facts.import(self.line, module, form, public);
    }
}

/// A path as it would be written at the top of the file.
fn from_file(mut path: Vec<String>, inside: &[String]) -> Vec<String> {
    if inside.is_empty() {
        return path;
    }
    let mut around = inside.to_vec();
    let relative = matches!(path.first().map(String::as_str), Some("self" | "super"));
    if !relative {
        return path;
    }
    while path.first().is_some_and(|part| part == "super" || part == "self") {
        if path[0] == "super" && around.pop().is_none() {
            break;
        }
        path.remove(0);
    }
    let mut whole = Vec::new();
    if path.first().is_none_or(|part| part != "super") {
        whole.push("self".to_owned());
    }
    whole.extend(around);
    whole.extend(path);
    whole
}

/// The modules inside the file that a node is in, outermost first.
fn inline_modules(node: Node<'_>, source: &SourceText<'_>) -> Vec<String> {
    let mut modules = Vec::new();
    let mut above = node.parent();
    while let Some(parent) = above {
        if parent.kind() == "mod_item"
            && let Some(name) = parent.child_by_field_name("name")
        {
            modules.push(source.text(name).to_owned());
        }
        above = parent.parent();
    }
    modules.reverse();
    modules
}

/// The file that `#[path = "…"]` names.
fn path_attribute(node: Node<'_>, source: &SourceText<'_>) -> Option<String> {
    attributes(node, source).find_map(|text| {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        Some(text.strip_prefix("path=\"")?.strip_suffix('"')?.to_owned())
    })
}
