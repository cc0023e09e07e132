//! Reads the targets of Xcode projects, which list their files, or folders of files.

use std::collections::{BTreeMap, BTreeSet};

use super::plist::{PlistTable, read};
use crate::project::{ProjectIndex, join, parent};

/// The maximum depth of nested groups.
const MAX_DEPTH: usize = 64;

/// A target with its sources, and the name of its module if known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct XcodeTarget {
    /// The project bundle that defines the target.
    pub(crate) manifest: String,
    pub(crate) module: Option<String>,
    files: BTreeSet<String>,
    folders: Vec<SourceFolder>,
}

/// A source folder of a target, with exceptions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SourceFolder {
    path: String,
    without: BTreeSet<String>,
}

impl XcodeTarget {
    /// Returns true if a file is a source of the target.
    pub(crate) fn has(&self, path: &str) -> bool {
        let is_in = |folder: &SourceFolder| {
            let rest = path.strip_prefix(folder.path.as_str());
            let rest = rest.filter(|rest| folder.path.is_empty() || rest.starts_with('/'));
            rest.is_some_and(|_| !with_parents(path).any(|at| folder.without.contains(at)))
        };
        self.files.contains(path) || self.folders.iter().any(is_in)
    }
}

/// Lists a path and its parent folders.
fn with_parents(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |at| at.contains('/').then(|| parent(at)))
}

/// Returns all targets of the Xcode projects.
pub(crate) fn targets(index: &ProjectIndex<'_>) -> Vec<XcodeTarget> {
    let projects = index.manifests("project.pbxproj");
    projects.flat_map(|(bundle, text)| project_targets(bundle, text).unwrap_or_default()).collect()
}

/// Returns the targets of one project, or `None` if it cannot be read.
fn project_targets(bundle: &str, text: &str) -> Option<Vec<XcodeTarget>> {
    let whole = read(text)?;
    let objects = Objects::new(whole.table("objects")?);
    let project = objects.get(whole.text("rootObject")?)?;
    let root = join(parent(bundle), project.text("projectDirPath").unwrap_or_default())?;
    let mut paths = BTreeMap::new();
    objects.record_paths(project.text("mainGroup")?, &root, &root, MAX_DEPTH, &mut paths);
    let targets = project.texts("targets").filter_map(|id| {
        let target = objects.get(id)?;
        Some(XcodeTarget {
            manifest: bundle.to_owned(),
            module: objects.module(target),
            files: objects.files(id, target, &paths),
            folders: objects.folders(id, target, &paths),
        })
    });
    Some(targets.collect())
}

/// The objects of a project, by ID.
struct Objects<'p> {
    all: &'p PlistTable,
    /// Folders that are synchronised with a target as a whole.
    folders: Vec<(&'p str, &'p PlistTable)>,
}

impl<'p> Objects<'p> {
    fn new(all: &'p PlistTable) -> Objects<'p> {
        let tables = all.iter().filter_map(|(id, object)| Some((id, object.as_table()?)));
        let folders = tables
            .filter(|(_, object)| object.text("isa") == Some("PBXFileSystemSynchronizedRootGroup"));
        Objects { all, folders: folders.collect() }
    }

    fn get(&self, id: &str) -> Option<&'p PlistTable> {
        self.all.table(id)
    }

    fn all(&self, list: &PlistTable, name: &str) -> Vec<&'p PlistTable> {
        list.texts(name).filter_map(|id| self.get(id)).collect()
    }

    /// Records the path of a group or file, and recursively of its children.
    fn record_paths(
        &self,
        id: &str,
        above: &str,
        root: &str,
        depth_left: usize,
        paths: &mut BTreeMap<String, String>,
    ) {
        let (Some(object), Some(depth_left)) = (self.get(id), depth_left.checked_sub(1)) else {
            return;
        };
        let from = match object.text("sourceTree") {
            Some("<group>") => above,
            Some("SOURCE_ROOT") => root,
            // The path is outside the repository.
            _ => return,
        };
        let Some(path) = join(from, object.text("path").unwrap_or_default()) else { return };
        // A damaged project may contain a group in itself.
        if paths.contains_key(id) {
            return;
        }
        paths.insert(id.to_owned(), path.clone());
        for child in object.texts("children") {
            self.record_paths(child, &path, root, depth_left, paths);
        }
    }

    /// Returns the files that a target lists, and those it takes from folders of other targets.
    fn files(
        &self,
        id: &str,
        target: &PlistTable,
        paths: &BTreeMap<String, String>,
    ) -> BTreeSet<String> {
        let phases = self.all(target, "buildPhases").into_iter();
        let phases = phases.filter(|phase| phase.text("isa") == Some("PBXSourcesBuildPhase"));
        let built = phases.flat_map(|phase| self.all(phase, "files"));
        let named = built.filter_map(|file| paths.get(file.text("fileRef")?).cloned());
        let is_own =
            |folder: &str| target.texts("fileSystemSynchronizedGroups").any(|own| own == folder);
        let others = self.folders.iter().filter(|(folder, _)| !is_own(folder));
        let joined = others.flat_map(|(folder, object)| {
            let path = paths.get(*folder);
            let exceptions = self.exceptions(id, object).into_iter();
            exceptions.filter_map(move |file| join(path?, file))
        });
        named.chain(joined).collect()
    }

    /// Returns the source folders of a target.
    fn folders(
        &self,
        id: &str,
        target: &PlistTable,
        paths: &BTreeMap<String, String>,
    ) -> Vec<SourceFolder> {
        let groups = target.texts("fileSystemSynchronizedGroups");
        let folder = |group: &str| {
            let path = paths.get(group)?.clone();
            let exceptions = self.exceptions(id, self.get(group)?);
            let without = exceptions.into_iter().filter_map(|file| join(&path, file)).collect();
            Some(SourceFolder { path, without })
        };
        groups.filter_map(folder).collect()
    }

    /// Returns the exceptions of a folder for a target: files to leave out of its own folder, or to
    /// take from another one.
    fn exceptions(&self, target: &str, folder: &PlistTable) -> Vec<&'p str> {
        let sets = self.all(folder, "exceptions").into_iter();
        let sets = sets.filter(|set| set.text("target") == Some(target));
        sets.flat_map(|set| set.texts("membershipExceptions")).collect()
    }

    /// Returns the module name of a target, or `None` if its configurations disagree or use unknown
    /// variables.
    fn module(&self, target: &PlistTable) -> Option<String> {
        let name = target.text("name")?;
        let list = target.text("buildConfigurationList").and_then(|list| self.get(list));
        let configurations = list.map(|list| self.all(list, "buildConfigurations"));
        let settings: Vec<&PlistTable> = { configurations.into_iter().flatten() }
            .filter_map(|one| one.table("buildSettings"))
            .collect();
        // Returns the value that all configurations share, or `default` if none sets it.
        let set = |key: &str, default: &str| {
            let mut values = settings.iter().map(|one| one.text(key).unwrap_or(default));
            let first = values.next().unwrap_or(default);
            values.all(|other| other == first).then(|| first.to_owned())
        };
        let product = set("PRODUCT_NAME", name)?;
        let product = ["$(TARGET_NAME)", "${TARGET_NAME}"]
            .iter()
            .fold(product, |product, variable| product.replace(variable, name));
        let module = set("PRODUCT_MODULE_NAME", &product)?;
        let module = module.replace("$(TARGET_NAME)", name).replace("$(PRODUCT_NAME)", &product);
        (!module.contains('$')).then(|| identifier(&module))
    }
}

/// Converts a product name into a module name.
fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}
