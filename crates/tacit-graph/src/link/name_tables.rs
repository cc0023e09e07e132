//! What is known of the names of files: what each defines, what its imports bring, and what open
//! namespaces hold. Worked out when somebody first asks.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::namespaces::NamespaceIndex;
use crate::Language;
use crate::facts::{DefinitionKind, ImportForm};
use crate::languages::{Resolvers, imports_in_scopes, is_script};
use crate::project::{FileId, ImportTarget, ProjectIndex};

/// What an import binds a name to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Binding<'a> {
    File(FileId),
    Name(FileId, &'a str),
    Package(&'a [FileId]),
    /// Something that is not known here, or one of several.
    Unknown,
}

/// What a file knows.
pub(super) struct FileNames<'a> {
    /// Definitions at the top, by name.
    pub(super) top: HashMap<&'a str, u32>,
    /// Definitions in others, by parent and name.
    pub(super) members: HashMap<(u32, &'a str), u32>,
    /// Extensions, by the name of the type.
    pub(super) extensions: HashMap<&'a str, Vec<u32>>,
    /// Definitions that others know by a name which nobody here does.
    pub(super) offered: HashMap<&'a str, u32>,
    /// Names that imports bring, also dotted ones.
    pub(super) bound: HashMap<String, Binding<'a>>,
    /// Names that imports bring and others can import from here.
    pub(super) passed: HashMap<&'a str, Binding<'a>>,
    /// Names that imports bring inside a definition.
    pub(super) scoped: HashMap<u32, HashMap<String, Binding<'a>>>,
    /// Files and packages all of whose names are known here.
    pub(super) stars: Vec<Star<'a>>,
}

/// Names that come all together.
pub(super) struct Star<'a> {
    pub(super) files: &'a [FileId],
    /// Whether it is one file, and not a package that happens to have one.
    pub(super) alone: bool,
    /// Whether the names can be imported from here again.
    pub(super) passes: bool,
    /// The definition that they are known in; none if in all of the file.
    pub(super) scope: Option<u32>,
}

/// Everything that is needed to say what a name means.
pub(super) struct NameTables<'k, 'a> {
    pub(super) index: &'k ProjectIndex<'k>,
    pub(super) resolvers: &'k Resolvers<'a>,
    found: &'k [OnceLock<Vec<ImportTarget>>],
    known: Vec<OnceLock<FileNames<'k>>>,
    /// What the open namespaces of each family of languages hold.
    spaces: Vec<OnceLock<NamespaceIndex<'k>>>,
}

impl<'k, 'a> NameTables<'k, 'a> {
    /// `found` has a place for each file.
    pub(super) fn new(
        index: &'k ProjectIndex<'k>,
        resolvers: &'k Resolvers<'a>,
        found: &'k [OnceLock<Vec<ImportTarget>>],
    ) -> NameTables<'k, 'a> {
        let known = found.iter().map(|_| OnceLock::new()).collect();
        let spaces = resolvers.families().map(|_| OnceLock::new()).collect();
        NameTables { index, resolvers, found, known, spaces }
    }

    /// Returns the targets of the imports of a file.
    pub(super) fn found(&self, file: FileId) -> &'k [ImportTarget] {
        self.found[file as usize].get_or_init(|| {
            let Some(facts) = self.index.facts(file) else { return Vec::new() };
            let resolver = self.resolvers.of(facts.language);
            let found = |import| {
                resolver.map_or(ImportTarget::External, |one| one.resolve_import(file, import))
            };
            facts.imports.iter().map(found).collect()
        })
    }

    /// Whether it is known what a file is built with.
    pub(super) fn has_known_target(&self, file: FileId) -> bool {
        let resolver = self.index.facts(file).and_then(|facts| self.resolvers.of(facts.language));
        resolver.is_none_or(|resolver| resolver.has_known_target(file))
    }

    pub(super) fn known(&self, file: FileId) -> &FileNames<'k> {
        self.known[file as usize].get_or_init(|| known(self.index, file, self.found(file)))
    }

    /// The namespaces of a language, if many files may add to one.
    pub(super) fn open(&self, language: Language) -> Option<&NamespaceIndex<'k>> {
        let open = self.resolvers.of(language)?.open_namespaces()?;
        let family = self.resolvers.families().position(|family| family.contains(&language))?;
        Some(self.spaces[family].get_or_init(|| {
            let languages = self.resolvers.families().nth(family).unwrap_or_default();
            NamespaceIndex::new(self.index, languages, open)
        }))
    }
}

fn known<'a>(index: &ProjectIndex<'a>, file: FileId, found: &'a [ImportTarget]) -> FileNames<'a> {
    let mut known = FileNames {
        top: HashMap::new(),
        members: HashMap::new(),
        extensions: HashMap::new(),
        offered: HashMap::new(),
        bound: HashMap::new(),
        passed: HashMap::new(),
        scoped: HashMap::new(),
        stars: Vec::new(),
    };
    let Some(facts) = index.facts(file) else { return known };
    for (at, definition) in facts.definitions.iter().enumerate() {
        let (at, name) = (at as u32, definition.name.as_str());
        match (definition.kind, definition.parent) {
            (_, None) if !definition.binds && definition.exported => {
                known.offered.entry(name).or_insert(at);
            }
            _ if !definition.binds => {}
            (DefinitionKind::Extension, _) => known.extensions.entry(name).or_default().push(at),
            (_, Some(parent)) => {
                known.members.entry((parent, name)).or_insert(at);
            }
            // A value does not hide a function of its name: one declares, the other defines.
            (DefinitionKind::Value, None) => {
                known.top.entry(name).or_insert(at);
            }
            (_, None) => {
                let there = known.top.entry(name).or_insert(at);
                if facts.definitions[*there as usize].kind == DefinitionKind::Value {
                    *there = at;
                }
            }
        }
    }
    for (import, found) in facts.imports.iter().zip(found) {
        let scope = import.scope;
        if let (true, Some(local)) = (import.reexport, import.form.local()) {
            let passed = match (&import.form, found) {
                (_, ImportTarget::File(from, _)) => Some(Binding::File(*from)),
                (ImportForm::Item { name, .. }, ImportTarget::InFile(from, _)) => {
                    Some(Binding::Name(*from, name))
                }
                _ => None,
            };
            if let Some(passed) = passed {
                known.passed.entry(local).or_insert(passed);
            }
        }
        let bound = match (&import.form, found) {
            (
                ImportForm::Item { local, .. } | ImportForm::Module { local: Some(local) },
                ImportTarget::File(file, _),
            ) => Some((local.clone(), Binding::File(*file))),
            (ImportForm::Item { name, local }, ImportTarget::InFile(from, _)) => {
                Some((local.clone(), Binding::Name(*from, name)))
            }
            (ImportForm::Module { local: Some(local) }, ImportTarget::InFile(from, _)) => {
                Some((local.clone(), Binding::File(*from)))
            }
            (ImportForm::Module { local: Some(local) }, ImportTarget::Package(files, _)) => {
                let named = match local.as_str() {
                    "" => package_name(index, files, &import.module),
                    name => name.to_owned(),
                };
                Some((named, Binding::Package(files)))
            }
            (ImportForm::Star, ImportTarget::File(one, _) | ImportTarget::InFile(one, _))
                if *one != file =>
            {
                let files = std::slice::from_ref(one);
                known.stars.push(Star { files, alone: true, passes: import.reexport, scope });
                None
            }
            (ImportForm::Star, ImportTarget::Package(files, _)) => {
                known.stars.push(Star { files, alone: false, passes: import.reexport, scope });
                None
            }
            _ => None,
        };
        match (bound, import.scope) {
            (bound, Some(scope)) => {
                let named =
                    bound.or_else(|| Some((import.form.local()?.to_owned(), Binding::Unknown)));
                let Some((name, bound)) = named else { continue };
                bind(known.scoped.entry(scope).or_default(), name, bound);
            }
            // What is only passed on has no name here.
            (Some(_), None) if is_script(facts.language) && import.reexport => {}
            // `require` may stand in functions without a name, each with its own.
            (Some((name, bound)), None) if is_script(facts.language) => {
                bind(&mut known.bound, name, bound);
            }
            (Some((name, bound)), None) => {
                known.bound.entry(name).or_insert(bound);
            }
            (None, None) => {}
        }
    }
    if imports_in_scopes(facts.language) {
        // What comes from outside hides names that come all together.
        let outside = facts.imports.iter().filter(|import| import.scope.is_none());
        let outside = outside.filter(|import| !(import.reexport && is_script(facts.language)));
        for name in outside.filter_map(|import| import.form.local()) {
            if !known.bound.contains_key(name) {
                known.bound.insert(name.to_owned(), Binding::Unknown);
            }
        }
    }
    known
}

/// Binds a name, which is nobody's if it is bound to something else as well.
fn bind<'a>(names: &mut HashMap<String, Binding<'a>>, name: String, bound: Binding<'a>) {
    let there = names.entry(name).or_insert(bound);
    if *there != bound {
        *there = Binding::Unknown;
    }
}

/// What a package calls itself.
fn package_name(index: &ProjectIndex<'_>, files: &[FileId], module: &str) -> String {
    let declared = files.iter().find_map(|file| index.facts(*file)?.package.clone());
    declared.unwrap_or_else(|| module.rsplit('/').next().unwrap_or(module).to_owned())
}
