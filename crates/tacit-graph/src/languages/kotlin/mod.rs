//! Kotlin. What its imports mean is said by the resolver of Java, with which it shares packages. In
//! the block of `apply` and the like, members of another object come first, as in an extension of an
//! unknown type.

use std::ops::Range;

use tree_sitter::Node;

use super::Rules;
use crate::SourceText;
use crate::extract::line;
use crate::facts::{DefinitionKind, FileFacts, ImportForm};

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

/// What stands before the keyword of a declaration, also where the grammar was not given all of it.
fn modifiers<'s>(node: Node<'_>, source: &'s SourceText<'_>) -> &'s str {
    let Some(first) = node.named_child(0).filter(|child| child.kind() == "modifiers") else {
        return "";
    };
    let mut cursor = node.walk();
    let mut after = node.children(&mut cursor).skip_while(|child| child.id() != first.id()).skip(1);
    let text = after.next().map_or(source.text(first), |next| source.before(next));
    text.get(first.start_byte()..).unwrap_or_else(|| source.text(first))
}

/// The grammar takes `@Keep sealed interface Cart<T> { … }` for an annotation and a call of `Cart`, in
/// which `interface` is an operator. Without the one modifier before it, it is read as what it is.
pub(super) fn misread(root: Node<'_>, text: &[u8]) -> Vec<Range<usize>> {
    let mut cursor = root.walk();
    let calls = root.children(&mut cursor).filter(|child| child.kind() == "call_expression");
    calls
        .filter_map(|call| {
            let infix = call.child(0).filter(|child| child.kind() == "infix_expression")?;
            let (modifier, keyword) = (infix.child(0)?, infix.child(1)?);
            let is_type = matches!(text.get(keyword.byte_range())?, b"class" | b"interface");
            is_type.then(|| modifier.byte_range())
        })
        .collect()
}

/// An extension is named with the type it extends: it is no function of its own.
fn name(node: Node<'_>, name: String, source: &SourceText<'_>) -> String {
    let receiver = node.child_by_field_name("receiver");
    let Some(receiver) = receiver.map(|receiver| source.text(receiver)) else { return name };
    let plain = receiver.split('<').next().unwrap_or(receiver).trim_matches(['(', ')', '?', ' ']);
    format!("{plain}.{name}")
}

/// `import a.b.C`, `import a.b.C as D`, `import a.b.*`
fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let part = |kind: &str| children.iter().find(|child| child.kind() == kind).copied();
    let Some(path) = part("identifier") else { return };
    let path: String =
        source.text(path).chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
    let alias = part("import_alias").and_then(|alias| alias.named_child(0));
    let (module, form) = match path.rsplit_once('.') {
        _ if part("wildcard_import").is_some() => (path, ImportForm::Star),
        Some((module, name)) => {
            let local = alias.map_or(name, |alias| source.text(alias)).to_owned();
            (module.to_owned(), ImportForm::Item { name: name.to_owned(), local })
        }
        None => return,
    };
    facts.import(line(node), module, form, false);
}
