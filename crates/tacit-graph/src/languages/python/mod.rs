//! Python.

pub(crate) mod resolve;

use tree_sitter::Node;

use super::{Rules, captured_name};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{DefinitionKind, FileFacts, ImportForm};

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_python::LANGUAGE.into(),
    query: include_str!("queries.scm"),
    import,
    name: captured_name,
    exported: |_, name, _| !name.starts_with('_'),
    refine: |_, name, kind, _| match kind {
        // What test runners go by.
        DefinitionKind::Function if name.starts_with("test_") => DefinitionKind::Test,
        _ => kind,
    },
};

fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    if node.kind() == "call" {
        // Names of modules are no paths, and what they mean depends on who asks.
        return facts.computed_imports.push(String::new());
    }
    let line = line(node);
    let mut push = |module: &str, form: ImportForm| {
        // Whatever a module imports can be imported from it.
        let module = module.chars().filter(|c| !c.is_whitespace()).collect();
        facts.import(line, module, form, true);
    };
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor);
    if node.kind() == "import_statement" {
        for name in names {
            let alias =
                name.child_by_field_name("alias").map(|alias| source.text(alias).to_owned());
            let module = source.text(name.child_by_field_name("name").unwrap_or(name));
            let local = alias.or_else(|| Some(module.to_owned()));
            push(module, ImportForm::Module { local });
        }
        return;
    }
    let Some(module) = node.child_by_field_name("module_name") else { return };
    let module = source.text(module);
    for name in names {
        let alias = name.child_by_field_name("alias").map(|alias| source.text(alias));
        let item = source.text(name.child_by_field_name("name").unwrap_or(name));
        let local = alias.unwrap_or(item).to_owned();
        push(module, ImportForm::Item { name: item.to_owned(), local });
    }
    let mut cursor = node.walk();
    if node.named_children(&mut cursor).any(|child| child.kind() == "wildcard_import") {
        push(module, ImportForm::Star);
    }
}
