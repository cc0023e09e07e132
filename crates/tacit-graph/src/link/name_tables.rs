//! Lookup tables for the names of each file: definitions, imports, and open namespaces. All are
//! built on first use.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::namespaces::NamespaceIndex;
use crate::Language;
use crate::facts::{DefinitionKind, ImportForm};
use crate::languages::{Resolvers, imports_in_scopes, is_script};
use crate::project::{FileId, ImportTarget, ProjectIndex};

/// The target of an imported name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Binding<'a> {
    File(FileId),
    Name(FileId, &'a str),
    Package(&'a [FileId]),
    /// A name from outside the project, or an ambiguous one.
    Unknown,
}

/// The names of a file.
pub(super) struct FileNames<'a> {
    /// Top-level definitions, by name.
    pub(super) top: HashMap<&'a str, u32>,
    /// Nested definitions, by parent and name.
    pub(super) members: HashMap<(u32, &'a str), u32>,
    /// Extensions, by the name of the extended type.
    pub(super) extensions: HashMap<&'a str, Vec<u32>>,
    /// Definitions that other files can import by name, but this file cannot use by name.
    pub(super) offered: HashMap<&'a str, u32>,
    /// Imported names, including dotted ones.
    pub(super) imported: HashMap<String, Binding<'a>>,
    /// Imported names that other files can import from here.
    pub(super) reexports: HashMap<&'a str, Binding<'a>>,
    /// Names imported inside a definition.
    pub(super) scoped_imports: HashMap<u32, HashMap<String, Binding<'a>>>,
    /// Files and packages that are imported as a whole.
    pub(super) globs: Vec<GlobImport<'a>>,
}

/// An import of all names of a file or package.
pub(super) struct GlobImport<'a> {
    pub(super) files: &'a [FileId],
    /// Whether it imports a single file, and not a package that happens to have one file.
    pub(super) single_file: bool,
    /// Whether other files can import the names from here.
    pub(super) reexported: bool,
    /// The definition in which the names are visible; `None` for the whole file.
    pub(super) scope: Option<u32>,
}

/// All tables of a project.
pub(super) struct NameTables<'k, 'a> {
    pub(super) index: &'k ProjectIndex<'k>,
    pub(super) resolvers: &'k Resolvers<'a>,
    found: &'k [OnceLock<Vec<ImportTarget>>],
    file_names: Vec<OnceLock<FileNames<'k>>>,
    /// The open namespaces of each family of languages.
    spaces: Vec<OnceLock<NamespaceIndex<'k>>>,
}

impl<'k, 'a> NameTables<'k, 'a> {
    /// Creates empty tables. `found` must have one cell per file.
    pub(super) fn new(
        index: &'k ProjectIndex<'k>,
        resolvers: &'k Resolvers<'a>,
        found: &'k [OnceLock<Vec<ImportTarget>>],
    ) -> NameTables<'k, 'a> {
        let file_names = found.iter().map(|_| OnceLock::new()).collect();
        let spaces = resolvers.families().map(|_| OnceLock::new()).collect();
        NameTables { index, resolvers, found, file_names, spaces }
    }

    /// Returns the targets of a file's imports.
    pub(super) fn import_targets(&self, file: FileId) -> &'k [ImportTarget] {
        self.found[file as usize].get_or_init(|| {
            let Some(facts) = self.index.facts(file) else { return Vec::new() };
            let resolver = self.resolvers.get(facts.language);
            let found = |import| {
                resolver.map_or(ImportTarget::External, |one| one.resolve_import(file, import))
            };
            facts.imports.iter().map(found).collect()
        })
    }

    /// Returns true if the build target of a file is known.
    pub(super) fn has_known_target(&self, file: FileId) -> bool {
        let resolver = self.index.facts(file).and_then(|facts| self.resolvers.get(facts.language));
        resolver.is_none_or(|resolver| resolver.has_known_target(file))
    }

    pub(super) fn names(&self, file: FileId) -> &FileNames<'k> {
        self.file_names[file as usize]
            .get_or_init(|| file_names(self.index, file, self.import_targets(file)))
    }

    /// Returns the namespaces of a language if they are open.
    pub(super) fn namespaces(&self, language: Language) -> Option<&NamespaceIndex<'k>> {
        let open = self.resolvers.get(language)?.open_namespaces()?;
        let family = self.resolvers.families().position(|family| family.contains(&language))?;
        Some(self.spaces[family].get_or_init(|| {
            let languages = self.resolvers.families().nth(family).unwrap_or_default();
            NamespaceIndex::new(self.index, languages, open)
        }))
    }
}

fn file_names<'a>(
    index: &ProjectIndex<'a>,
    file: FileId,
    found: &'a [ImportTarget],
) -> FileNames<'a> {
    let mut names = FileNames {
        top: HashMap::new(),
        members: HashMap::new(),
        extensions: HashMap::new(),
        offered: HashMap::new(),
        imported: HashMap::new(),
        reexports: HashMap::new(),
        scoped_imports: HashMap::new(),
        globs: Vec::new(),
    };
    let Some(facts) = index.facts(file) else { return names };
    for (at, definition) in facts.definitions.iter().enumerate() {
        let (at, name) = (at as u32, definition.name.as_str());
        match (definition.kind, definition.parent) {
            (_, None) if !definition.binds && definition.exported => {
                names.offered.entry(name).or_insert(at);
            }
            _ if !definition.binds => {}
            (DefinitionKind::Extension, _) => names.extensions.entry(name).or_default().push(at),
            (_, Some(parent)) => {
                names.members.entry((parent, name)).or_insert(at);
            }
            // A value does not replace a function of the same name: one declares, the other
            // defines.
            (DefinitionKind::Value, None) => {
                names.top.entry(name).or_insert(at);
            }
            (_, None) => {
                let there = names.top.entry(name).or_insert(at);
                if facts.definitions[*there as usize].kind == DefinitionKind::Value {
                    *there = at;
                }
            }
        }
    }
    for (import, found) in facts.imports.iter().zip(found) {
        let scope = import.scope;
        if let (true, Some(local)) = (import.reexport, import.form.local()) {
            let reexport = match (&import.form, found) {
                (_, ImportTarget::File(from, _)) => Some(Binding::File(*from)),
                (ImportForm::Item { name, .. }, ImportTarget::InFile(from, _)) => {
                    Some(Binding::Name(*from, name))
                }
                _ => None,
            };
            if let Some(reexport) = reexport {
                names.reexports.entry(local).or_insert(reexport);
            }
        }
        let binding = match (&import.form, found) {
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
                names.globs.push(GlobImport {
                    files,
                    single_file: true,
                    reexported: import.reexport,
                    scope,
                });
                None
            }
            (ImportForm::Star, ImportTarget::Package(files, _)) => {
                names.globs.push(GlobImport {
                    files,
                    single_file: false,
                    reexported: import.reexport,
                    scope,
                });
                None
            }
            _ => None,
        };
        match (binding, import.scope) {
            (binding, Some(scope)) => {
                let named =
                    binding.or_else(|| Some((import.form.local()?.to_owned(), Binding::Unknown)));
                let Some((name, binding)) = named else { continue };
                bind(names.scoped_imports.entry(scope).or_default(), name, binding);
            }
            // A re-export binds no name in this file.
            (Some(_), None) if is_script(facts.language) && import.reexport => {}
            // Anonymous functions may each `require` something else under the same name.
            (Some((name, binding)), None) if is_script(facts.language) => {
                bind(&mut names.imported, name, binding);
            }
            (Some((name, binding)), None) => {
                names.imported.entry(name).or_insert(binding);
            }
            (None, None) => {}
        }
    }
    if imports_in_scopes(facts.language) {
        // An explicit import from outside hides names of glob imports.
        let outside = facts.imports.iter().filter(|import| import.scope.is_none());
        let outside = outside.filter(|import| !(import.reexport && is_script(facts.language)));
        for name in outside.filter_map(|import| import.form.local()) {
            if !names.imported.contains_key(name) {
                names.imported.insert(name.to_owned(), Binding::Unknown);
            }
        }
    }
    names
}

/// Binds a name. Two different targets make it ambiguous.
fn bind<'a>(names: &mut HashMap<String, Binding<'a>>, name: String, binding: Binding<'a>) {
    let there = names.entry(name).or_insert(binding);
    if *there != binding {
        *there = Binding::Unknown;
    }
}

/// Returns the declared name of a package, or the last part of its path.
fn package_name(index: &ProjectIndex<'_>, files: &[FileId], module: &str) -> String {
    let declared = files.iter().find_map(|file| index.facts(*file)?.package.clone());
    declared.unwrap_or_else(|| module.rsplit('/').next().unwrap_or(module).to_owned())
}
