//! Go.

pub(crate) mod resolve;

use tree_sitter::Node;

use super::Rules;
use crate::SourceText;
use crate::extract::line;
use crate::facts::{DefinitionKind, FileFacts, ImportForm};

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_go::LANGUAGE.into(),
    query: include_str!("queries.scm"),
    import,
    name,
    exported: |_, name, _| {
        let last = name.rsplit('.').next().unwrap_or(name);
        last.chars().next().is_some_and(char::is_uppercase)
    },
    refine,
};

/// A method is named with the type it belongs to, which may be in another file.
fn name(node: Node<'_>, name: String, source: &SourceText<'_>) -> String {
    let Some(receiver) = node.child_by_field_name("receiver") else { return name };
    // `(s *Server[T])`
    let text = source.text(receiver).trim_matches(['(', ')', ' ', ',']);
    let of_type = text.split('[').next().unwrap_or(text);
    let of_type = of_type.rsplit([' ', '*', '\t']).next().unwrap_or(of_type);
    format!("{of_type}.{name}")
}

fn refine(node: Node<'_>, name: &str, kind: DefinitionKind, _: &SourceText<'_>) -> DefinitionKind {
    let of_type = node.child_by_field_name("type").map(|inner| inner.kind());
    let tests = ["Test", "Benchmark", "Fuzz", "Example"];
    match kind {
        DefinitionKind::Class if of_type == Some("interface_type") => DefinitionKind::Interface,
        DefinitionKind::Function if tests.iter().any(|prefix| is_test(name, prefix)) => {
            DefinitionKind::Test
        }
        _ => kind,
    }
}

/// `TestX` and `Test_x` are tests, `Testing` is not.
fn is_test(name: &str, prefix: &str) -> bool {
    let rest = name.strip_prefix(prefix);
    rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase) && !rest.contains('.'))
}

fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let Some(path) = node.child_by_field_name("path") else { return };
    let module = source.text(path).trim_matches(['"', '`']).to_owned();
    let alias = node.child_by_field_name("name").map(|name| source.text(name));
    let form = match alias {
        Some(".") => ImportForm::Star,
        Some("_") => ImportForm::Module { local: None },
        Some(alias) => ImportForm::Module { local: Some(alias.to_owned()) },
        // Its name is the one in its package clause, which is not known here.
        None => ImportForm::Module { local: Some(String::new()) },
    };
    facts.import(line(node), module, form, false);
}
