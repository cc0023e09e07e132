//! C#.

pub(crate) mod resolve;

use tree_sitter::Node;

use super::{Rules, captured_name};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{DefinitionKind, FileFacts, ImportForm};

/// The attributes of xUnit, NUnit and MSTest.
const TESTS: [&str; 7] =
    ["Fact", "Theory", "Test", "TestCase", "TestCaseSource", "TestMethod", "DataTestMethod"];

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    query: include_str!("queries.scm"),
    import,
    name: captured_name,
    exported: |node, _, source| {
        let mut cursor = node.walk();
        !{ node.children(&mut cursor) }.any(|child| {
            child.kind() == "modifier" && matches!(source.text(child), "private" | "file")
        })
    },
    refine: |node, _, kind, source| {
        if kind == DefinitionKind::Function && is_test(node, source) {
            DefinitionKind::Test
        } else {
            kind
        }
    },
};

fn is_test(node: Node<'_>, source: &SourceText<'_>) -> bool {
    let mut cursor = node.walk();
    let lists = node.children(&mut cursor).filter(|child| child.kind() == "attribute_list");
    lists.flat_map(|list| source.text(list).split([',', '[', ']', '('])).any(|word| {
        let word = word.trim();
        TESTS.contains(&word.strip_suffix("Attribute").unwrap_or(word))
    })
}

/// `using A.B;` brings all of a namespace, `using static A.B;` all of a type, `using C = A.B;` one
/// name. What is `global` holds in the whole project.
fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let text = source.text(node).trim_end_matches(';').trim();
    let (text, reexport) = match text.strip_prefix("global ") {
        Some(text) => (text.trim_start(), true),
        None => (text, false),
    };
    let Some(text) = text.strip_prefix("using") else { return };
    let text = text.trim();
    let (alias, path) = match text.split_once('=') {
        Some((alias, path)) => (Some(alias.trim()), path.trim()),
        None => (None, text.strip_prefix("static ").unwrap_or(text).trim()),
    };
    let path = path.split('<').next().unwrap_or(path).trim_start_matches("global::");
    let path: String = path.chars().filter(|c| !c.is_whitespace()).collect();
    if path.is_empty() {
        return;
    }
    let (module, form) = match alias {
        Some(alias) => {
            let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
            let form = ImportForm::Item { name: name.to_owned(), local: alias.to_owned() };
            (module.to_owned(), form)
        }
        None => (path, ImportForm::Star),
    };
    facts.import(line(node), module, form, reexport);
}
