//! PHP. Names are kept with dots: `App\Models\User` is `App.Models.User`.

pub(crate) mod autoload;
pub(crate) mod resolve;

use tree_sitter::Node;

use super::{Rules, literal, literal_prefix};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{DefinitionKind, FileFacts, ImportForm};

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    query: include_str!("queries.scm"),
    import,
    name: |node, name, _| {
        if node.kind() == "namespace_definition" { dotted(&name) } else { name }
    },
    exported: |node, _, source| {
        let mut cursor = node.walk();
        !{ node.children(&mut cursor) }
            .any(|child| child.kind() == "visibility_modifier" && source.text(child) == "private")
    },
    refine: |node, name, kind, source| {
        let is_method = node.kind() == "method_declaration";
        if is_method && is_test(node, name, source) { DefinitionKind::Test } else { kind }
    },
};

/// What PHPUnit takes for a test: `testAdds`, `#[Test]`, `@test` in the comment before it.
fn is_test(node: Node<'_>, name: &str, source: &SourceText<'_>) -> bool {
    let named = name.strip_prefix("test");
    if named.is_some_and(|rest| !rest.starts_with(char::is_lowercase)) {
        return true;
    }
    let attributes = node.child_by_field_name("attributes").map_or("", |list| source.text(list));
    if attributes.split(['[', ']', ',', '(', '\\']).any(|word| word.trim() == "Test") {
        return true;
    }
    let before = source.before(node).trim_end();
    before.ends_with("*/")
        && before
            .rsplit("/**")
            .next()
            .is_some_and(|comment| comment.split_whitespace().any(|word| word == "@test"))
}

fn dotted(name: &str) -> String {
    let plain: String = name.chars().filter(|c| !c.is_whitespace()).collect();
    plain.trim_start_matches('\\').replace('\\', ".")
}

fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    match node.kind() {
        "namespace_definition" => {
            let name = node.child_by_field_name("name").map(|name| dotted(source.text(name)));
            facts.package = name;
        }
        "namespace_use_declaration" => used(node, source, facts),
        _ => {
            let Some(path) = node.named_child(0) else { return };
            match included(path, source) {
                Some(module) => {
                    facts.import(line(node), module, ImportForm::Module { local: None }, true);
                }
                None => facts.computed_imports.extend(computed(source.text(path))),
            }
        }
    }
}

/// `use A\B;`, `use A\{B, C as D};`, `use function A\f;`
fn used(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let text = source.text(node).trim_start_matches("use").trim_start();
    if text.strip_prefix("const").is_some_and(|rest| rest.starts_with(char::is_whitespace)) {
        return;
    }
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let prefix = children.iter().find(|child| child.kind() == "namespace_name");
    let prefix = prefix.map(|prefix| dotted(source.text(*prefix)));
    let group = children.iter().find(|child| child.kind() == "namespace_use_group");
    let clauses: Vec<Node<'_>> = match group {
        Some(group) => {
            let mut cursor = group.walk();
            group.named_children(&mut cursor).collect()
        }
        None => children,
    };
    for clause in clauses.iter().filter(|clause| clause.kind() == "namespace_use_clause") {
        let alias = clause.child_by_field_name("alias").map(|alias| source.text(alias));
        let mut cursor = clause.walk();
        let path = { clause.named_children(&mut cursor) }
            .find(|child| matches!(child.kind(), "name" | "qualified_name"));
        let Some(path) = path.map(|path| dotted(source.text(path))) else { continue };
        let full = prefix.iter().map(String::as_str).chain([path.as_str()]).collect::<Vec<_>>();
        let full = full.join(".");
        let (module, name) = full.rsplit_once('.').unwrap_or(("", &full));
        let local = alias.unwrap_or(name).to_owned();
        let form = ImportForm::Item { name: name.to_owned(), local };
        facts.import(line(*clause), module.to_owned(), form, false);
    }
}

/// The path of an include, from the file: `__DIR__ . '/a.php'` is `./a.php`. One that is only a
/// name is kept as it is.
fn included(node: Node<'_>, source: &SourceText<'_>) -> Option<String> {
    match node.kind() {
        "parenthesized_expression" => included(node.named_child(0)?, source),
        // A path that begins with a dot is one from where the program was started.
        "string" | "encapsed_string" => {
            literal(node, source).filter(|path| !path.starts_with(['.', '/']))
        }
        "binary_expression" => {
            let start = directory(node.child_by_field_name("left")?, source)?;
            let path = literal(node.child_by_field_name("right")?, source)?;
            path.starts_with('/').then(|| format!("{start}{path}"))
        }
        _ => None,
    }
}

/// The path that an include begins with which is put together at run time; none for one that lies
/// outside of all projects.
fn computed(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['(', ' ']);
    let here = ["__DIR__", "dirname(__FILE__)"].iter().any(|here| text.starts_with(here));
    let is_outside = literal_prefix(text).starts_with('/');
    (!is_outside).then(|| if here { "./".to_owned() } else { String::new() })
}

/// `__DIR__`, `dirname(__FILE__)`, `dirname(__DIR__, 2)` as paths from the file.
fn directory(node: Node<'_>, source: &SourceText<'_>) -> Option<String> {
    let text = source.text(node);
    if text == "__DIR__" {
        return Some(".".into());
    }
    if node.kind() != "function_call_expression" || !text.starts_with("dirname") {
        return None;
    }
    let arguments = node.child_by_field_name("arguments")?;
    let inner = arguments.named_child(0)?.named_child(0)?;
    let steps: usize = match arguments.named_child(1) {
        Some(count) => source.text(count).parse().ok().filter(|count| *count < 20)?,
        None => 1,
    };
    let (start, steps) = match source.text(inner) {
        "__FILE__" => (".".to_owned(), steps.checked_sub(1)?),
        _ => (directory(inner, source)?, steps),
    };
    Some(format!("{start}{}", "/..".repeat(steps)))
}
