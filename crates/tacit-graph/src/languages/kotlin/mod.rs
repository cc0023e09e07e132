//! Kotlin. What its imports mean is said by the resolver of Java, with which it shares packages. In
//! the block of `apply` and the like, members of another object come first, as in an extension of an
//! unknown type.

use tree_sitter::Node;

use super::Rules;
use crate::Source;
use crate::extract::line;
use crate::facts::{DefinitionKind, FileFacts, Form, Import};

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_kotlin_sg::LANGUAGE.into(),
    query: include_str!("queries.scm"),
    import,
    name,
    exported: |node, _, source| {
        !modifiers(node, source).split_whitespace().any(|word| word == "private")
    },
    refine: |node, _, kind, source| {
        let tests = ["@Test", "@ParameterizedTest", "@RepeatedTest", "@org.junit.Test"];
        let words = |line: &str| tests.iter().any(|test| line.split('(').next() == Some(test));
        let marked = modifiers(node, source).split_whitespace().any(words);
        if kind == DefinitionKind::Function && marked { DefinitionKind::Test } else { kind }
    },
};

fn modifiers<'s>(node: Node<'_>, source: &'s Source<'_>) -> &'s str {
    let first = node.named_child(0).filter(|child| child.kind() == "modifiers");
    first.map_or("", |modifiers| source.of(modifiers))
}

/// An extension is named with the type it extends: it is no function of its own.
fn name(node: Node<'_>, name: String, source: &Source<'_>) -> String {
    let receiver = node.child_by_field_name("receiver");
    let Some(receiver) = receiver.map(|receiver| source.of(receiver)) else { return name };
    let plain = receiver.split('<').next().unwrap_or(receiver).trim_matches(['(', ')', '?', ' ']);
    format!("{plain}.{name}")
}

/// `import a.b.C`, `import a.b.C as D`, `import a.b.*`
fn import(node: Node<'_>, source: &Source<'_>, facts: &mut FileFacts) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let part = |kind: &str| children.iter().find(|child| child.kind() == kind).copied();
    let Some(path) = part("identifier") else { return };
    let path: String =
        source.of(path).chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
    let alias = part("import_alias").and_then(|alias| alias.named_child(0));
    let (module, form) = match path.rsplit_once('.') {
        _ if part("wildcard_import").is_some() => (path, Form::Star),
        Some((module, name)) => {
            let local = alias.map_or(name, |alias| source.of(alias)).to_owned();
            (module.to_owned(), Form::Item { name: name.to_owned(), local })
        }
        None => return,
    };
    facts.imports.push(Import { module, form, reexport: false, line: line(node), scope: None });
}
