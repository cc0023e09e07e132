//! Swift. What is public at the top of a file is kept as what it exports: other modules see nothing
//! else.

pub(crate) mod manifest;
mod plist;
pub(crate) mod resolve;
mod xcode;

use tree_sitter::Node;

use super::{Rules, modifiers};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{DefinitionKind, Export, FileFacts, ImportForm};

/// What an import begins with that also brings what is not public.
pub(crate) const TESTABLE: &str = "@testable ";

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_swift::LANGUAGE.into(),
    query: include_str!("queries.scm"),
    import,
    name: |node, name, _| {
        let plain = name.split('<').next().unwrap_or(&name).trim();
        if node.kind() == "class_declaration" { plain.to_owned() } else { name }
    },
    exported: |node, _, source| {
        let words = modifiers(node, source);
        !{ words.split_whitespace() }.any(|word| matches!(word, "private" | "fileprivate"))
    },
    refine: |node, name, kind, source| {
        let named = name.strip_prefix("test").is_some_and(|rest| {
            !rest.starts_with(char::is_lowercase) && node.kind() == "function_declaration"
        });
        let mut words = modifiers(node, source).split(|c: char| c.is_whitespace() || c == '(');
        let marked = words.any(|word| word == "@Test");
        let is_test = kind == DefinitionKind::Function && (named || marked);
        if is_test { DefinitionKind::Test } else { kind }
    },
};

fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    if node.kind() == "visibility_modifier" {
        export(node, source, facts);
        return;
    }
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let Some(path) = children.iter().find(|child| child.kind() == "identifier") else { return };
    let Some(module) = path.named_child(0).map(|module| source.text(module)) else { return };
    let testable = modifiers(node, source).split_whitespace().any(|word| word == "@testable");
    let module = if testable { format!("{TESTABLE}{module}") } else { module.to_owned() };
    let form = match (path.named_child_count(), path.named_child(1)) {
        (2, Some(name)) => {
            let name = source.text(name).to_owned();
            ImportForm::Item { local: name.clone(), name }
        }
        _ => ImportForm::Star,
    };
    facts.import(line(node), module, form, false);
}

/// What others may use of a module.
fn export(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    if !matches!(source.text(node), "public" | "open" | "package") {
        return;
    }
    let declaration = node.parent().and_then(|modifiers| modifiers.parent());
    let name = declaration.and_then(|declaration| declaration.child_by_field_name("name"));
    if let Some(name) = name.map(|name| source.text(name).to_owned()) {
        facts.exports.push(Export { local: name.clone(), name });
    }
}
