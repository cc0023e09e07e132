//! Resolves names in C#: declared namespaces, within a project and those it references.

use std::collections::{BTreeMap, BTreeSet};

use crate::Language;
use crate::facts::{DefinitionKind, Import, ImportForm};
use crate::graph::EdgeOrigin;
use crate::link::{enclosing_scopes, qualify};
use crate::project::{
    FileId, ImportTarget, LookupStep, OpenNamespaces, ProjectIndex, Resolver, ancestors, join,
    parent, reachable,
};

pub(crate) struct CSharp<'a> {
    index: &'a ProjectIndex<'a>,
    /// Directories of projects, with those of the projects they reference.
    references: BTreeMap<&'a str, BTreeSet<String>>,
    /// The project directory of each file.
    project_of: BTreeMap<FileId, &'a str>,
    /// The `global using` directives of each project.
    global: BTreeMap<&'a str, Vec<&'a Import>>,
    /// The namespaces that each project file imports globally.
    project_usings: BTreeMap<&'a str, Vec<String>>,
    /// All namespaces and types.
    known: BTreeSet<String>,
}

impl<'a> CSharp<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> CSharp<'a> {
        let mut direct: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let mut project_usings: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (directory, text) in index.manifests_ending(".csproj") {
            let referred =
                include_attributes(text, "ProjectReference").into_iter().filter_map(|path| {
                    Some(parent(&join(directory, &path.replace('\\', "/"))?).to_owned())
                });
            direct.entry(directory).or_default().extend(referred);
            project_usings.entry(directory).or_default().extend(include_attributes(text, "Using"));
        }
        let refers = |at: &str| direct.get(at).into_iter().flatten().map(String::as_str);
        let references = direct.keys().map(|project| {
            let reached = reachable(refers(project), refers);
            (*project, reached.into_iter().map(str::to_owned).collect())
        });
        let mut csharp = CSharp {
            index,
            references: references.collect(),
            project_of: BTreeMap::new(),
            global: BTreeMap::new(),
            project_usings,
            known: BTreeSet::new(),
        };
        for (file, facts) in index.parsed(|language| language == Language::CSharp) {
            let project = csharp.project_directory(index.path(file));
            csharp.project_of.insert(file, project);
            let global = facts.imports.iter().filter(|import| import.reexport);
            csharp.global.entry(project).or_default().extend(global);
            let package = facts.package.as_deref().unwrap_or_default();
            let spaces = facts.definitions.iter().enumerate().filter(|(_, definition)| {
                !matches!(definition.kind, DefinitionKind::Function | DefinitionKind::Value)
            });
            let spaces = spaces.map(|(at, _)| qualify(package, &facts.qualified(at as u32)));
            csharp.known.extend(spaces.chain([package.to_owned()]));
        }
        csharp
    }

    /// Returns the project directory of a file.
    fn project_directory(&self, path: &'a str) -> &'a str {
        let found = ancestors(parent(path)).find(|above| self.references.contains_key(above));
        found.unwrap_or_default()
    }

    /// Lists the `using` directives that apply to a file.
    fn imports(&self, file: FileId) -> impl Iterator<Item = &Import> {
        let own = self.index.facts(file).map_or(&[][..], |facts| &facts.imports);
        let project = self.project_of.get(&file).copied().unwrap_or_default();
        own.iter().chain(self.global.get(project).into_iter().flatten().copied())
    }
}

/// Reads the `Include` attributes of an element: `<Element Include="…"`.
fn include_attributes(text: &str, element: &str) -> Vec<String> {
    let open = format!("<{element} ");
    let elements = text.match_indices(&open).map(|(at, _)| &text[at + open.len()..]);
    elements
        .filter_map(|rest| {
            let tag = rest.split('>').next()?;
            let value = tag.split_once("Include=")?.1;
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            Some(value[1..].split(quote).next()?.trim().to_owned())
        })
        .collect()
}

impl Resolver for CSharp<'_> {
    fn resolve_import(&self, _from: FileId, import: &Import) -> ImportTarget {
        let full = match &import.form {
            ImportForm::Item { name, .. } => qualify(&import.module, name),
            _ => import.module.clone(),
        };
        // The references to its names decide which files are used.
        let below = format!("{full}.");
        let is_ours = self.known.contains(&full)
            || self.known.range(below.clone()..).next().is_some_and(|at| at.starts_with(&below));
        let outer = full.rsplit_once('.').map_or("", |(outer, _)| outer);
        match outer {
            _ if is_ours => ImportTarget::Package(Vec::new(), EdgeOrigin::Manifest),
            "" => ImportTarget::External,
            outer if self.known.contains(outer) => ImportTarget::Missing,
            _ => ImportTarget::External,
        }
    }

    fn open_namespaces(&self) -> Option<&dyn OpenNamespaces> {
        Some(self)
    }
}

impl OpenNamespaces for CSharp<'_> {
    fn lookup_steps(&self, from: FileId, scope: &str, first: &str) -> Vec<LookupStep> {
        let mut steps: Vec<LookupStep> =
            enclosing_scopes(scope).map(|space| LookupStep::one(qualify(space, first))).collect();
        let (mut named, mut all) = (Vec::new(), Vec::new());
        for import in self.imports(from) {
            match &import.form {
                ImportForm::Item { name, local } if local == first => {
                    named.push(qualify(&import.module, name));
                }
                ImportForm::Star => all.push(qualify(&import.module, first)),
                _ => {}
            }
        }
        let project = self.project_of.get(&from).copied().unwrap_or_default();
        all.extend(
            self.project_usings
                .get(project)
                .into_iter()
                .flatten()
                .map(|space| qualify(space, first)),
        );
        // An alias is as near as top-level names; imported namespaces come last.
        if let Some(last) = steps.last_mut() {
            last.names.extend(named);
        }
        steps.push(LookupStep { names: all, ..LookupStep::default() });
        steps
    }

    fn sees(&self, from: FileId, to: FileId, _full: &str) -> bool {
        let (Some(here), Some(there)) = (self.project_of.get(&from), self.project_of.get(&to))
        else {
            return false;
        };
        here == there || self.references.get(here).is_some_and(|seen| seen.contains(*there))
    }

    fn inherits_names(&self) -> bool {
        true
    }

    fn hides_private(&self) -> bool {
        true
    }

    fn values_are_types(&self, _file: FileId) -> bool {
        false
    }

    fn is_home(&self, path: &str, name: &str) -> bool {
        let file = path.rsplit('/').next().unwrap_or(path);
        file.strip_suffix(".cs") == Some(name)
    }
}
