//! Full names and scopes: `shop.Cart.add` is in the scope `shop.Cart`, which is in `shop`.

use crate::Language;
use crate::facts::{Definition, DefinitionKind, FileFacts};

/// Qualifies a name with a namespace.
pub(crate) fn qualify(space: &str, name: &str) -> String {
    if space.is_empty() { name.to_owned() } else { format!("{space}.{name}") }
}

/// Lists a namespace and the enclosing ones, innermost first, the root last.
pub(crate) fn enclosing_scopes(space: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(space), |at| {
        (!at.is_empty()).then(|| at.rsplit_once('.').map_or("", |(outer, _)| outer))
    })
}

/// Returns the full names of all definitions of a file. `None` for definitions inside a function,
/// and for those that cannot be used by name.
pub(crate) fn full_names(facts: &FileFacts) -> Vec<Option<String>> {
    let mut fulls: Vec<Option<String>> = Vec::with_capacity(facts.definitions.len());
    let package = facts.package.as_deref().unwrap_or_default();
    for definition in &facts.definitions {
        fulls.push(match definition.parent {
            _ if !definition.binds => None,
            // Nested structs of C are global.
            _ if facts.language == Language::C => Some(definition.name.clone()),
            _ if definition.kind == DefinitionKind::Anonymous => None,
            Some(parent) if is_named_scope(&facts.definitions[parent as usize]) => {
                fulls[parent as usize].as_deref().map(|of| qualify(of, &definition.name))
            }
            Some(_) => None,
            None => Some(qualify(package, &definition.name)),
        });
    }
    fulls
}

/// Returns the full name of the scope at a place. Tests are left out, because their titles are
/// arbitrary.
pub(super) fn scope(facts: &FileFacts, from: Option<u32>) -> String {
    let mut names = Vec::new();
    let mut at = from;
    while let Some(definition) = at.and_then(|at| facts.definitions.get(at as usize)) {
        if !matches!(definition.kind, DefinitionKind::Test | DefinitionKind::Anonymous) {
            names.push(definition.name.as_str());
        }
        at = definition.parent;
    }
    names.extend(facts.package.as_deref().filter(|package| !package.is_empty()));
    names.reverse();
    names.join(".")
}

/// Returns true if the enclosing type is anonymous or inside a function, so that it has no full
/// name.
pub(super) fn is_local(facts: &FileFacts, from: Option<u32>) -> bool {
    let mut at = from;
    let mut in_type = false;
    while let Some(definition) = at.and_then(|at| facts.definitions.get(at as usize)) {
        let is_unnamed = definition.kind == DefinitionKind::Anonymous;
        if is_unnamed || (in_type && !is_named_scope(definition)) {
            return true;
        }
        in_type |= is_type(definition);
        at = definition.parent;
    }
    false
}

/// Returns true if definitions inside this one have full names.
pub(super) fn is_named_scope(definition: &Definition) -> bool {
    is_type(definition)
        || matches!(definition.kind, DefinitionKind::Module | DefinitionKind::Extension)
}

pub(crate) fn is_type(definition: &Definition) -> bool {
    use DefinitionKind::{Class, Interface, Object};
    matches!(definition.kind, Class | Interface | Object)
}

pub(super) fn is_self_name(name: &str) -> bool {
    matches!(name, "this" | "self" | "$this" | "static")
}

pub(super) fn is_super_name(name: &str) -> bool {
    matches!(name, "super" | "base" | "parent")
}
