//! Java.

pub(crate) mod resolve;

use tree_sitter::Node;

use super::{Rules, captured_name, import_by_path, modifiers};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{DefinitionKind, FileFacts};

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_java::LANGUAGE.into(),
    query: include_str!("queries.scm"),
    import,
    name: captured_name,
    exported: |node, _, source| !modifiers(node, source).contains("private"),
    refine: |node, _, kind, source| {
        let tests = ["@Test", "@ParameterizedTest", "@RepeatedTest"];
        let marked = kind == DefinitionKind::Function
            && tests.iter().any(|test| {
                modifiers(node, source).split_whitespace().any(|w| w.starts_with(test))
            });
        if marked { DefinitionKind::Test } else { kind }
    },
};

fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let all = children.iter().any(|child| child.kind() == "asterisk");
    let path =
        children.iter().find(|child| matches!(child.kind(), "scoped_identifier" | "identifier"));
    let Some(path) = path.map(|path| source.text(*path)) else { return };
    let path: String = path.chars().filter(|c| !c.is_whitespace()).collect();
    let Some((module, form)) = import_by_path(path, all) else { return };
    facts.import(line(node), module, form, false);
}
