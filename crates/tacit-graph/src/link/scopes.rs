//! Full names and the scopes they make: `shop.Cart.add` is in `shop.Cart`, which is in `shop`.

use crate::Language;
use crate::facts::{Definition, DefinitionKind, FileFacts};

/// A name in a namespace.
pub(crate) fn inside(space: &str, name: &str) -> String {
    if space.is_empty() { name.to_owned() } else { format!("{space}.{name}") }
}

/// A namespace and those it is in, innermost first, the root last.
pub(crate) fn outward(space: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(space), |at| {
        (!at.is_empty()).then(|| at.rsplit_once('.').map_or("", |(outer, _)| outer))
    })
}

/// The full names of all definitions of a file; none for what is known inside a function alone, and
/// for what is not known by its name.
pub(crate) fn full_names(facts: &FileFacts) -> Vec<Option<String>> {
    let mut fulls: Vec<Option<String>> = Vec::with_capacity(facts.definitions.len());
    let package = facts.package.as_deref().unwrap_or_default();
    for definition in &facts.definitions {
        fulls.push(match definition.parent {
            _ if !definition.binds => None,
            // Structs in structs are as global as all others.
            _ if facts.language == Language::C => Some(definition.name.clone()),
            Some(parent) if holds(&facts.definitions[parent as usize]) => {
                fulls[parent as usize].as_deref().map(|of| inside(of, &definition.name))
            }
            Some(_) => None,
            None => Some(inside(package, &definition.name)),
        });
    }
    fulls
}

/// The full name of the definition around a place. Tests are called anything, also what classes are.
pub(super) fn scope(facts: &FileFacts, from: Option<u32>) -> String {
    let mut names = Vec::new();
    let mut at = from;
    while let Some(definition) = at.and_then(|at| facts.definitions.get(at as usize)) {
        if definition.kind != DefinitionKind::Test {
            names.push(definition.name.as_str());
        }
        at = definition.parent;
    }
    names.extend(facts.package.as_deref().filter(|package| !package.is_empty()));
    names.reverse();
    names.join(".")
}

/// Whether the type around a place is one that is inside a function, without a name that others know.
pub(super) fn is_local(facts: &FileFacts, from: Option<u32>) -> bool {
    let mut at = from;
    let mut in_type = false;
    while let Some(definition) = at.and_then(|at| facts.definitions.get(at as usize)) {
        if in_type && !holds(definition) {
            return true;
        }
        in_type |= is_type(definition);
        at = definition.parent;
    }
    false
}

/// Whether what is in a definition has a full name.
pub(super) fn holds(definition: &Definition) -> bool {
    is_type(definition)
        || matches!(definition.kind, DefinitionKind::Module | DefinitionKind::Extension)
}

pub(super) fn is_type(definition: &Definition) -> bool {
    matches!(definition.kind, DefinitionKind::Class | DefinitionKind::Interface)
}

pub(super) fn is_own(name: &str) -> bool {
    matches!(name, "this" | "self" | "$this" | "static")
}

pub(super) fn is_base(name: &str) -> bool {
    matches!(name, "super" | "base" | "parent")
}
