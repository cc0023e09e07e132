//! Ruby. Methods of the class itself are called `self.name`, as their definitions write it.

mod builtin;
pub(crate) mod resolve;

use tree_sitter::Node;

use super::{Rules, literal};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{DefinitionKind, FileFacts, ImportForm};

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    query: include_str!("queries.scm"),
    import,
    name: |node, name, source| match node.kind() {
        "class" | "module" => dotted(&name),
        // `attr_reader :name` makes a method.
        "simple_symbol" => name.trim_start_matches(':').to_owned(),
        "singleton_method" => {
            let object = node.child_by_field_name("object");
            format!("{}.{name}", object.map_or("self".into(), |object| owner(node, object, source)))
        }
        "singleton_class" => {
            let value = node.child_by_field_name("value");
            value.map_or(name, |value| owner(node, value, source))
        }
        _ => name,
    },
    // `private` is a call like others, that says something of what follows.
    exported: |_, _, _| true,
    refine: |_, name, kind, _| match kind {
        DefinitionKind::Function if name.starts_with("test_") => DefinitionKind::Test,
        _ => kind,
    },
};

fn dotted(name: &str) -> String {
    name.trim_start_matches("::").replace("::", ".")
}

/// How what has methods of its own is called: `self` is the class around, also under its name.
fn owner(node: Node<'_>, object: Node<'_>, source: &SourceText<'_>) -> String {
    match object.kind() {
        "constant" | "scope_resolution" => {
            let around = node.parent().and_then(|body| body.parent());
            let around = around.and_then(|class| class.child_by_field_name("name"));
            let is_around = around.is_some_and(|name| source.text(name) == source.text(object));
            if is_around { "self".into() } else { format!("{}.self", dotted(source.text(object))) }
        }
        _ => source.text(object).to_owned(),
    }
}

/// `require "a"` is `a`; what is relative to the file begins with `./`.
fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    let Some(method) = node.child_by_field_name("method").map(|method| source.text(method)) else {
        return;
    };
    let Some(arguments) = node.child_by_field_name("arguments") else { return };
    let wanted = u32::from(method == "autoload");
    let Some(argument) = arguments.named_child(wanted) else { return };
    let module = match argument.kind() {
        "string" => literal(argument, source).map(|path| match method {
            "require_relative" => format!("./{path}"),
            // From where the program was started, which nobody knows.
            _ if path.starts_with('.') || path.starts_with('/') => String::new(),
            _ => path,
        }),
        "call" => from_here(argument, source),
        _ => None,
    };
    if let Some(module) = module.filter(|module| !module.is_empty()) {
        let form = ImportForm::Module { local: None };
        facts.import(line(node), module, form, true);
        return;
    }
    // What lies outside of all projects is none of ours.
    if !source.text(argument).trim_start_matches(['"', '\'']).starts_with('/') {
        let literal_prefix = if method == "require_relative" { "./" } else { "" };
        facts.computed_imports.push(literal_prefix.to_owned());
    }
}

/// `File.expand_path("a", __dir__)`, `File.expand_path("../a", __FILE__)`,
/// `File.join(__dir__, "a")`.
fn from_here(node: Node<'_>, source: &SourceText<'_>) -> Option<String> {
    let part = |name: &str| node.child_by_field_name(name).map(|part| source.text(part));
    if part("receiver") != Some("File") {
        return None;
    }
    let arguments = node.child_by_field_name("arguments")?;
    let (first, second) = (arguments.named_child(0)?, arguments.named_child(1)?);
    let written =
        |node: Node<'_>| (node.kind() == "string").then(|| literal(node, source)).flatten();
    match (part("method")?, source.text(first), source.text(second)) {
        ("expand_path", _, "__dir__") => Some(format!("./{}", written(first)?)),
        // The file counts as a directory, so the first step up leads to its own.
        ("expand_path", _, "__FILE__") => {
            Some(format!("./{}", written(first)?.strip_prefix("../")?))
        }
        ("join", "__dir__", _) if arguments.named_child_count() == 2 => {
            Some(format!("./{}", written(second)?.trim_start_matches('/')))
        }
        _ => None,
    }
}
