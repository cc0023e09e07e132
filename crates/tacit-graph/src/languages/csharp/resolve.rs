//! What names mean in C#: namespaces as files declare them, within a project and those that it
//! refers to.

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
    /// Directories with a project, and those of the projects they refer to.
    references: BTreeMap<&'a str, BTreeSet<String>>,
    /// The directory of the project of each file.
    homes: BTreeMap<FileId, &'a str>,
    /// What `global using` brings to each project.
    global: BTreeMap<&'a str, Vec<&'a Import>>,
    /// What a project file brings in the same way.
    stated: BTreeMap<&'a str, Vec<String>>,
    /// Namespaces and types.
    known: BTreeSet<String>,
}

impl<'a> CSharp<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> CSharp<'a> {
        let mut direct: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let mut stated: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (directory, text) in index.manifests_ending(".csproj") {
            let referred = included(text, "ProjectReference").into_iter().filter_map(|path| {
                Some(parent(&join(directory, &path.replace('\\', "/"))?).to_owned())
            });
            direct.entry(directory).or_default().extend(referred);
            stated.entry(directory).or_default().extend(included(text, "Using"));
        }
        let refers = |at: &str| direct.get(at).into_iter().flatten().map(String::as_str);
        let references = direct.keys().map(|home| {
            let reached = reachable(refers(home), refers);
            (*home, reached.into_iter().map(str::to_owned).collect())
        });
        let mut csharp = CSharp {
            index,
            references: references.collect(),
            homes: BTreeMap::new(),
            global: BTreeMap::new(),
            stated,
            known: BTreeSet::new(),
        };
        for (file, facts) in index.parsed(|language| language == Language::CSharp) {
            let home = csharp.home(index.path(file));
            csharp.homes.insert(file, home);
            let global = facts.imports.iter().filter(|import| import.reexport);
            csharp.global.entry(home).or_default().extend(global);
            let package = facts.package.as_deref().unwrap_or_default();
            let spaces = facts.definitions.iter().enumerate().filter(|(_, definition)| {
                !matches!(definition.kind, DefinitionKind::Function | DefinitionKind::Value)
            });
            let spaces = spaces.map(|(at, _)| qualify(package, &facts.qualified(at as u32)));
            csharp.known.extend(spaces.chain([package.to_owned()]));
        }
        csharp
    }

    /// The directory of the project that a file is in.
    fn home(&self, path: &'a str) -> &'a str {
        let found = ancestors(parent(path)).find(|above| self.references.contains_key(above));
        found.unwrap_or_default()
    }

    /// Everything that `using` brings to a file.
    fn imports(&self, file: FileId) -> impl Iterator<Item = &Import> {
        let own = self.index.facts(file).map_or(&[][..], |facts| &facts.imports);
        let home = self.homes.get(&file).copied().unwrap_or_default();
        own.iter().chain(self.global.get(home).into_iter().flatten().copied())
    }
}

/// What elements of a project file include: `<Element Include="…"`.
fn included(text: &str, element: &str) -> Vec<String> {
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
        // Which files are meant is known by what is used of it.
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
        let home = self.homes.get(&from).copied().unwrap_or_default();
        all.extend(self.stated.get(home).into_iter().flatten().map(|space| qualify(space, first)));
        // A name of its own is as near as the outermost names; whole namespaces come last.
        if let Some(last) = steps.last_mut() {
            last.names.extend(named);
        }
        steps.push(LookupStep { names: all, ..LookupStep::default() });
        steps
    }

    fn sees(&self, from: FileId, to: FileId, _full: &str) -> bool {
        let (Some(here), Some(there)) = (self.homes.get(&from), self.homes.get(&to)) else {
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
