//! C. Prototypes are names that lead to what is defined elsewhere; macros with arguments are
//! functions.

pub(crate) mod compile_commands;
pub(crate) mod resolve;

use std::ops::Range;

use tree_sitter::Node;

use super::{Rules, captured_kind, captured_name};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{FileFacts, ImportForm};

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_c::LANGUAGE.into(),
    query: concat!(include_str!("queries.scm"), include_str!("only_c.scm")),
    import: include,
    name: captured_name,
    exported: |node, _, source| !is_static(node, source),
    refine: captured_kind,
};

/// Whether a function is known in its own file alone.
pub(crate) fn is_static(node: Node<'_>, source: &SourceText<'_>) -> bool {
    let mut cursor = node.walk();
    node.kind() == "function_definition"
        && node.children(&mut cursor).any(|child| {
            child.kind() == "storage_class_specifier" && source.text(child) == "static"
        })
}

/// `#include "a.h"` is `a.h`, `#include <a.h>` is `<a.h>`. Among the fields of a struct it is a
/// directive like any other.
pub(crate) fn include(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    if let Some(module) = included(source.text(node)) {
        push(module, line(node), facts);
    }
}

/// What a directive includes. The name may also come from a macro, which only a compiler knows.
fn included(directive: &str) -> Option<String> {
    let path = directive.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    let path = path.trim_start();
    if let Some(quoted) = path.strip_prefix('"') {
        return Some(quoted.split_once('"')?.0.to_owned());
    }
    path.starts_with('<').then(|| path.split_inclusive('>').next().map(str::to_owned))?
}

fn push(module: String, line: u32, facts: &mut FileFacts) {
    facts.import(line, module, ImportForm::Module { local: None }, true);
}

/// Finds includes inside of an initialiser and the like, where the grammar has errors.
pub(crate) fn missed_includes(
    root: Node<'_>,
    source: &SourceText<'_>,
    dead: &[Range<usize>],
    facts: &mut FileFacts,
) {
    let mut start = 0;
    for (number, text) in (1..).zip(source.as_str().split_inclusive('\n')) {
        let at = start + text.len() - text.trim_start().len();
        start += text.len();
        let lives = !dead.iter().any(|dead| dead.contains(&at));
        let Some(module) = included(text).filter(|_| lives) else { continue };
        // Elsewhere the grammar knows them, and also what is only text.
        let node = root.descendant_for_byte_range(at, at + 1);
        let is_lost = node
            .is_some_and(|node| node.is_error() || node.parent().is_some_and(|up| up.is_error()));
        if is_lost && !facts.imports.iter().any(|import| import.line == number) {
            push(module, number, facts);
        }
    }
}
