//! C. Prototypes are names that lead to what is defined elsewhere; macros with arguments are
//! functions.

pub(crate) mod commands;
pub(crate) mod resolve;

use tree_sitter::Node;

use super::{Rules, as_it_is, own_name};
use crate::Source;
use crate::extract::line;
use crate::facts::{FileFacts, Form, Import};

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_c::LANGUAGE.into(),
    query: concat!(include_str!("queries.scm"), include_str!("only_c.scm")),
    import: include,
    name: own_name,
    exported: |node, _, source| !is_static(node, source),
    refine: as_it_is,
};

/// Whether a function is known in its own file alone.
pub(crate) fn is_static(node: Node<'_>, source: &Source<'_>) -> bool {
    let mut cursor = node.walk();
    node.kind() == "function_definition"
        && node
            .children(&mut cursor)
            .any(|child| child.kind() == "storage_class_specifier" && source.of(child) == "static")
}

/// `#include "a.h"` is `a.h`, `#include <a.h>` is `<a.h>`.
pub(crate) fn include(node: Node<'_>, source: &Source<'_>, facts: &mut FileFacts) {
    let Some(path) = node.child_by_field_name("path") else { return };
    // The name may also come from a macro, which only a compiler knows.
    if !matches!(path.kind(), "string_literal" | "system_lib_string") {
        return;
    }
    let module = source.of(path).trim_matches('"').to_owned();
    let form = Form::Module { local: None };
    facts.imports.push(Import { module, form, reexport: true, line: line(node), scope: None });
}
