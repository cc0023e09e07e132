//! Which names a file of a language with open namespaces may look up, and which names an edit gives
//! another meaning.
//!
//! In such a language anybody may mean what a file adds to a namespace, but only by its name. So
//! where an edit adds, removes or changes definitions and nothing else that others see, the files
//! whose links can differ are those that mention one of their names.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::Language;
use crate::facts::{Definition, DefinitionKind, FileFacts, Form};
use crate::languages::is_open;
use crate::link::{full_names, is_node, outward};

/// The bit of a mention by which others are led on: a name of what a type is based on, which whoever
/// is based on that type follows, or one that is imported for others.
pub(crate) const LEADS: u32 = 1 << 31;

/// A name as it is mentioned: two that differ may look alike, which only means that more is linked.
fn mention(name: &str) -> u32 {
    let hash = name
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ (hash >> 15)) & !LEADS
}

/// The parts of a name: full names are looked up by their last one.
fn parts(text: &str) -> impl Iterator<Item = u32> {
    // A type without a name is called after all that it is based on.
    text.split(['.', ',']).map(mention)
}

/// Every name that linking a file may look up, in order; none where that is not asked.
pub(crate) fn mentions(facts: &FileFacts) -> Vec<u32> {
    let mut found = BTreeSet::new();
    if !is_open(facts.language) {
        return Vec::new();
    }
    for reference in &facts.references {
        let leads = if reference.is_base() { LEADS } else { 0 };
        for part in reference.path.iter().flat_map(|part| parts(part)) {
            found.extend([part, part | leads]);
        }
    }
    let has_bases = facts.references.iter().any(|reference| reference.is_base());
    for import in &facts.imports {
        let named = match &import.form {
            Form::Item { name, local } => [name.as_str(), local],
            Form::Module { local } => [local.as_deref().unwrap_or_default(), ""],
            Form::Star | Form::Part { .. } => ["", ""],
        };
        let leads = if has_bases || import.reexport { LEADS } else { 0 };
        for part in named.into_iter().chain([import.module.as_str()]).flat_map(parts) {
            found.extend([part, part | leads]);
        }
    }
    found.extend(facts.definitions.iter().flat_map(|definition| parts(&definition.name)));
    found.extend(facts.package.iter().flat_map(|package| parts(package)));
    found.into_iter().collect()
}

/// What an edit did to the names that a file adds to open namespaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Renaming {
    /// Names that may mean something else.
    pub(crate) names: BTreeSet<u32>,
    /// For each node that the file had, its place now, if it is the same.
    pub(crate) kept: Vec<Option<u32>>,
}

/// What an edit did to names; none if others see more of it than these, or their order changed.
pub(crate) fn renaming(before: &FileFacts, after: &FileFacts) -> Option<Renaming> {
    use DefinitionKind::{Function, Value};
    let language = before.language;
    let same = language == after.language
        && before.package == after.package
        && before.offered().imports == after.offered().imports;
    if !is_open(language) || !same || [before, after].into_iter().any(makes_namespace) {
        return None;
    }
    if alone(before) != alone(after) {
        return None;
    }
    let now = matched(before, after)?;
    // What a type that stays is based on leads others on.
    let stays = |at: Option<u32>| at.is_none_or(|at| now[at as usize].is_some());
    let moved = |at: Option<u32>| at.and_then(|at| now[at as usize]);
    let was: BTreeSet<u32> = now.iter().flatten().copied().collect();
    let bases = before.references.iter().filter(|one| one.is_base() && stays(one.from));
    let bases = bases.map(|one| (moved(one.from), one.kind, &one.path));
    let bases_now = after
        .references
        .iter()
        .filter(|one| one.is_base() && one.from.is_none_or(|from| was.contains(&from)));
    if !bases.eq(bases_now.map(|one| (one.from, one.kind, &one.path))) {
        return None;
    }
    let gone = (0_u32..).zip(&now).filter(|(_, now)| now.is_none()).map(|(at, _)| (before, at));
    let new = (0..after.definitions.len() as u32).filter(|at| !was.contains(at));
    let mut names = BTreeSet::new();
    for (facts, at) in gone.chain(new.map(|at| (after, at))) {
        let definition = &facts.definitions[at as usize];
        match (language, definition.kind) {
            (Language::CSharp, kind) if !matches!(kind, Function | Value) => {
                // Imports of C# ask whether anything begins with a name.
                names.extend(parts(&facts.qualified(at)));
            }
            _ => names.extend([mention(last(&definition.name))]),
        }
    }
    let (spaces, spaces_now) = (spaces(before), spaces(after));
    names.extend(spaces.symmetric_difference(&spaces_now).map(|space| mention(last(space))));
    let exported = |facts: &FileFacts| -> BTreeSet<String> {
        facts.exports.iter().flat_map(|one| [one.name.clone(), one.local.clone()]).collect()
    };
    let exports = (exported(before), exported(after));
    names.extend(exports.0.symmetric_difference(&exports.1).flat_map(|name| parts(name)));
    Some(Renaming { names, kept: places(before, after, &now) })
}

fn last(full: &str) -> &str {
    full.rsplit('.').next().unwrap_or(full)
}

/// Whether the names of a file make a namespace that is asked for as such. In PHP one is there as
/// soon as anything is in it.
fn makes_namespace(facts: &FileFacts) -> bool {
    let is_module = |definition: &Definition| definition.kind == DefinitionKind::Module;
    facts.language == Language::Php
        && (facts.definitions.is_empty() || facts.definitions.iter().any(is_module))
}

/// The types that a file of the Java platform has in no package: one that is there twice tells that
/// the files of its folder are no one program, whatever they mention.
fn alone(facts: &FileFacts) -> BTreeSet<String> {
    use DefinitionKind::{Class, Interface, Object};
    let is_java = matches!(facts.language, Language::Java | Language::Kotlin | Language::Scala);
    if !is_java || facts.package.as_ref().is_some_and(|it| !it.is_empty()) {
        return BTreeSet::new();
    }
    let types = facts.definitions.iter().zip(full_names(facts));
    let types =
        types.filter(|(definition, _)| matches!(definition.kind, Class | Interface | Object));
    types.filter_map(|(_, full)| full.filter(|full| !full.contains('.'))).collect()
}

/// The namespaces that a file adds to beside its package.
fn spaces(facts: &FileFacts) -> BTreeSet<String> {
    let fulls = facts.definitions.iter().zip(full_names(facts));
    let fulls = fulls.filter_map(|(definition, full)| {
        let makes = definition.kind == DefinitionKind::Module || definition.name.contains('.');
        full.filter(|_| makes)
    });
    fulls.flat_map(|full| outward(&full).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// For each definition, the one that it is now: of the same name and kind, in the same. None if
/// those that stay are in another order.
fn matched(before: &FileFacts, after: &FileFacts) -> Option<Vec<Option<u32>>> {
    let key = |facts: &FileFacts, at: u32| {
        let mut around = Vec::new();
        let mut next = Some(at);
        while let Some(definition) = next.and_then(|at| facts.definitions.get(at as usize)) {
            around.push((definition.name.clone(), definition.kind, definition.exported));
            next = definition.parent;
        }
        around
    };
    let mut known: BTreeMap<_, VecDeque<u32>> = BTreeMap::new();
    for at in 0..after.definitions.len() as u32 {
        known.entry(key(after, at)).or_default().push_back(at);
    }
    let all = 0..before.definitions.len() as u32;
    let now: Vec<Option<u32>> =
        all.map(|at| known.get_mut(&key(before, at))?.pop_front()).collect();
    now.iter().flatten().is_sorted().then_some(now)
}

/// For each node of a file, its place now.
fn places(before: &FileFacts, after: &FileFacts, now: &[Option<u32>]) -> Vec<Option<u32>> {
    let mut place = 0;
    let places: Vec<u32> = { after.definitions.iter() }
        .map(|definition| {
            place += u32::from(is_node(definition.kind));
            place
        })
        .collect();
    let symbols = before.definitions.iter().zip(now).filter(|(one, _)| is_node(one.kind));
    let symbols = symbols.map(|(_, now)| now.map(|now| places[now as usize]));
    std::iter::once(Some(0)).chain(symbols).collect()
}
